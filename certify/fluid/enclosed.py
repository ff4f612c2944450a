"""A number that is known to lie between two rationals, shown with the digits that are known."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from certify.balls import at_least, at_most, unit
from certify.certificate import exact

MOST_SHOWN = 1000


@dataclass(frozen=True, repr=False)
class Enclosed:
    """The number lies in [low, high]; printed are only digits to which both ends round."""

    low: Fraction
    high: Fraction

    @property
    def width(self) -> Fraction:
        """high - low."""
        return self.high - self.low

    @property
    def digits(self) -> int | None:
        """How many significant digits are known: those to which both ends round (None: all)."""
        if self.low == self.high:
            return None
        most = max(abs(self.low), abs(self.high)) / self.width
        known = min(MOST_SHOWN, len(str(int(min(most, 10**MOST_SHOWN)))) + 1)
        return next(
            (d for d in range(known, 0, -1) if _rounded(self.low, d) == _rounded(self.high, d)), 0
        )

    def times(self, factor: Fraction) -> "Enclosed":
        """The product with an exact number of at least 0."""
        return Enclosed(self.low * factor, self.high * factor)

    def __contains__(self, value: Any) -> bool:
        """Whether an exact number lies in [low, high]."""
        return bool(self.low <= value <= self.high)

    def __float__(self) -> float:
        """A floating-point number near the middle."""
        return float((self.low + self.high) / 2)

    def __repr__(self) -> str:
        known = self.digits
        if known is None:
            return exact(self.low)
        if known == 0:
            return f"between {at_least(self.low)} and {at_most(self.high)}"
        return _decimal(_rounded(self.low, known), known)


def _rounded(value: Fraction, digits: int) -> Fraction:
    """The nearest decimal with that many significant digits."""
    if value == 0:
        return value
    step = unit(value, digits)
    return round(value / step) * step


def _decimal(value: Fraction, digits: int) -> str:
    """A decimal number in the usual spelling, with its trailing zeros."""
    if value == 0:
        return "0"
    step = unit(value, digits)
    mantissa = str(abs(int(value / step)))
    power = len(mantissa) - 1 + len(str(step.numerator)) - len(str(step.denominator))
    sign = "-" if value < 0 else ""
    if -6 <= power < len(mantissa):
        whole = mantissa[: power + 1] if power >= 0 else "0"
        rest = mantissa[power + 1 :] if power >= 0 else "0" * (-power - 1) + mantissa
        return f"{sign}{whole}.{rest}" if rest else f"{sign}{whole}"
    tail = f".{mantissa[1:]}" if len(mantissa) > 1 else ""
    return f"{sign}{mantissa[0]}{tail}e{power}"
