"""Numbers p + q sqrt(n) with rational p and q, exact, as FLINT rationals."""

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Any

from flint import arb, fmpq

from certify.balls import (
    at_least,
    at_most,
    brief,
    ends,
    fraction,
    nearest,
    outward,
    precision,
    rational,
    round_down,
    round_up,
)
from certify.certificate import exact, interval, number

SAID = 12  # digits of a number in a sentence
MAX_NUMERAL = 20_000  # characters of one number that the checker reads by default


@dataclass(frozen=True)
class Element:
    """p + q sqrt(root); q is 0 when the root is a square, so that equal numbers are equal."""

    p: fmpq
    q: fmpq
    root: int

    @classmethod
    def of(cls, p: Fraction | int, q: Fraction | int, root: int) -> "Element":
        """p + q sqrt(root), folded into the rationals when the root is a square."""
        whole = isqrt(root)
        if whole * whole == root:
            return cls(rational(Fraction(p + q * whole)), fmpq(0), root)
        return cls(rational(Fraction(p)), rational(Fraction(q)), root)

    def __add__(self, other: "Element") -> "Element":
        return Element(self.p + other.p, self.q + other.q, self.root)

    def __sub__(self, other: "Element") -> "Element":
        return Element(self.p - other.p, self.q - other.q, self.root)

    def __mul__(self, other: "Element") -> "Element":
        p = self.p * other.p + self.q * other.q * self.root
        return Element(p, self.p * other.q + self.q * other.p, self.root)

    def __truediv__(self, other: "Element") -> "Element":
        norm = other.p * other.p - other.q * other.q * self.root
        return self * Element(other.p / norm, -other.q / norm, self.root)

    def __float__(self) -> float:
        with precision(96 + 2 * int(self.p.q).bit_length()):
            return float(self.ball())

    def __repr__(self) -> str:
        sign, size = ("-", -self.q) if self.q < 0 else ("+", self.q)
        root = f"sqrt({self.root})" if size == 1 else f"{size} sqrt({self.root})"
        if not self.q:
            text = str(self.p)
        else:
            text = f"{self.p} {sign} {root}" if self.p else f"{sign}{root}".lstrip("+")
        return text if len(text) <= 60 else f"about {float(self):.12g} (exact)"

    @property
    def rational(self) -> Fraction:
        """The number as a fraction; ValueError if it is irrational."""
        if self.q:
            raise ValueError(f"{self!r} is irrational")
        return fraction(self.p)

    def power(self, exponent: int) -> "Element":
        """The power with a non-negative exponent."""
        result, base = Element.of(1, 0, self.root), self
        while exponent:
            result = result * base if exponent & 1 else result
            exponent >>= 1
            base = base * base if exponent else base
        return result

    def ball(self) -> arb:
        """A ball around the number at the current precision."""
        return arb(self.p) + arb(self.q) * arb(self.root).sqrt() if self.q else arb(self.p)

    def sign(self) -> int:
        """-1, 0 or 1, decided exactly."""
        p, q = int(self.p > 0) - int(self.p < 0), int(self.q > 0) - int(self.q < 0)
        if p * q >= 0:
            return p or q
        return p if self.p * self.p > self.q * self.q * self.root else q

    def below(self, digits: int) -> Fraction:
        """A decimal with `digits` significant digits that is certainly at most this number."""
        with precision(4 * digits + 64):
            return round_down(ends(self.ball())[0], digits)

    def above(self, digits: int) -> Fraction:
        """A decimal with `digits` significant digits that is certainly at least this number."""
        with precision(4 * digits + 64):
            return round_up(ends(self.ball())[1], digits)

    def spelled(self) -> Any:
        """The one spelling of this number in certificates."""
        if not self.q:
            return exact(fraction(self.p))
        return {
            "root": self.root,
            "rational": exact(fraction(self.p)),
            "coefficient": exact(fraction(self.q)),
        }


def spelled_or_enclosed(value: Element, digits: int) -> Any:
    """The exact spelling if the checker reads so long a number by default, else an interval."""
    text = value.spelled()
    parts = [text] if isinstance(text, str) else [text["rational"], text["coefficient"]]
    if max(map(len, parts)) <= MAX_NUMERAL:
        return text
    size = max(int(part.p).bit_length() - int(part.q).bit_length() for part in (value.p, value.q))
    with precision(4 * digits + 64 + max(0, size)):
        return interval(*enclosed(value.ball(), digits))


def enclosed(value: arb, digits: int) -> tuple[Fraction, Fraction]:
    """The ends of a ball that excludes 0, at most 10**-digits of its size apart."""
    return outward(value, digits + 2)


def said(value: Any) -> str:
    """A number of a claim in a sentence: itself if it is short, about so much, or its two ends."""
    if isinstance(value, str):
        return brief(value, lambda rational: f"about {nearest(rational, SAID)}")
    low, high = said_ends(value)
    if nearest(low, SAID) == nearest(high, SAID):
        return f"about {nearest(low, SAID)}"
    return f"between {at_least(low)} and {at_most(high)}"


def said_ends(value: Any) -> tuple[Fraction, Fraction]:
    """Two numbers between which a number of a claim lies: exact, p + q sqrt(n), or an interval."""
    if isinstance(value, str):
        return number(value), number(value)
    if "root" in value:
        parts = number(value["rational"]), number(value["coefficient"])
        element = Element.of(*parts, int(value["root"]))
        return element.below(2 * SAID), element.above(2 * SAID)
    return number(value["lo"]), number(value["hi"])
