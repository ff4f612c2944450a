"""A number that is known to lie between two rationals, shown with the digits that are known."""

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from certify.balls import at_least, at_most, unit
from certify.certificate import exact
from certify.errors import InputError
from certify.problem import Exact, to_rational

MOST_SHOWN = 1000


@dataclass(frozen=True, repr=False)
class Enclosed:
    """The number lies in [low, high]; printed are only digits to which both ends round.

    Sums and differences with enclosed or exact numbers enclose every possible result. Comparisons
    are True only where they hold whatever the numbers in the intervals are, so that of `a < b` and
    `a >= b` both may be False; `==` compares the intervals. Floats are refused (InputError).
    """

    low: Fraction
    high: Fraction

    if TYPE_CHECKING:

        def __init__(self, low: Exact, high: Exact) -> None: ...

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            object.__setattr__(self, name, to_rational(getattr(self, name), name))
        if self.low > self.high:
            raise InputError("low", f"be at most {self.high}, the other end", self.low)

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

    def times(self, factor: Exact) -> "Enclosed":
        """The product with an exact number of at least 0; InputError if it is negative."""
        by = to_rational(factor, "factor")
        if by < 0:
            raise InputError("factor", "be at least 0", by)
        return Enclosed(self.low * by, self.high * by)

    def __contains__(self, value: Exact) -> bool:
        """Whether an exact number lies in [low, high]."""
        number = to_rational(value, "value")
        return self.low <= number <= self.high

    def __add__(self, other: "Enclosed | Exact") -> "Enclosed":
        """Where the sum with an enclosed or an exact number lies."""
        low, high = _ends(other)
        return Enclosed(self.low + low, self.high + high)

    __radd__ = __add__

    def __neg__(self) -> "Enclosed":
        return Enclosed(-self.high, -self.low)

    def __sub__(self, other: "Enclosed | Exact") -> "Enclosed":
        """Where the difference of two numbers lies, which may be any in their intervals."""
        low, high = _ends(other)
        return Enclosed(self.low - high, self.high - low)

    def __rsub__(self, other: Exact) -> "Enclosed":
        return -self + other

    def __lt__(self, other: "Enclosed | Exact") -> bool:
        """Whether every number here is below every number there; else False, `>` perhaps too."""
        return self.high < _ends(other)[0]

    def __gt__(self, other: "Enclosed | Exact") -> bool:
        """Whether every number here is above every number there."""
        return self.low > _ends(other)[1]

    def __le__(self, other: "Enclosed | Exact") -> bool:
        """Whether no number here is above any number there."""
        return self.high <= _ends(other)[0]

    def __ge__(self, other: "Enclosed | Exact") -> bool:
        """Whether no number here is below any number there."""
        return self.low >= _ends(other)[1]

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


def _ends(value: Enclosed | Exact) -> tuple[Fraction, Fraction]:
    """Both ends of an enclosed or an exact number; InputError for all else."""
    if isinstance(value, Enclosed):
        return value.low, value.high
    number = to_rational(value, "number")
    return number, number


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
    mantissa = exact(abs(int(value / step)))
    power = len(mantissa) - 1 + len(exact(step.numerator)) - len(exact(step.denominator))
    sign = "-" if value < 0 else ""
    if -6 <= power < len(mantissa):
        whole = mantissa[: power + 1] if power >= 0 else "0"
        rest = mantissa[power + 1 :] if power >= 0 else "0" * (-power - 1) + mantissa
        return f"{sign}{whole}.{rest}" if rest else f"{sign}{whole}"
    tail = f".{mantissa[1:]}" if len(mantissa) > 1 else ""
    return f"{sign}{mantissa[0]}{tail}e{power}"
