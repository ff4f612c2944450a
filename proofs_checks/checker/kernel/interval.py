"""Closed intervals with dyadic ends, every operation rounded outwards.

An interval is `[low, high] * 2**exponent` with integers low <= high. Each operation returns an
interval that contains every value the operation takes on its arguments (kernel.md, Lemma 5), with
ends of at most `bits` bits.
"""

from dataclasses import dataclass
from fractions import Fraction

from proofs_checks.checker.kernel.elementary import exp_dyadic, log_dyadic

MAX_EXPONENT = 1 << 22


class Undecided(ArithmeticError):
    """The enclosure is too wide, or the argument too large, for the operation."""


@dataclass(frozen=True, slots=True)
class Interval:
    """All x with low * 2**exponent <= x <= high * 2**exponent; results keep `bits` bits.

    Both ends share one exponent: the precision is relative to the end of larger size.
    """

    low: int
    high: int
    exponent: int
    bits: int

    def __add__(self, other: "Interval | Fraction | int") -> "Interval":
        other = self._coerce(other)
        if not (self.low or self.high):
            return other
        if not (other.low or other.high):
            return self
        bits = max(self.bits, other.bits)
        exponent = _common(self, other, bits)
        low1, high1 = self._at(exponent)
        low2, high2 = other._at(exponent)
        return _rounded(low1 + low2, high1 + high2, exponent, bits)

    def __neg__(self) -> "Interval":
        return Interval(-self.high, -self.low, self.exponent, self.bits)

    def __sub__(self, other: "Interval | Fraction | int") -> "Interval":
        return self + (-self._coerce(other))

    def __mul__(self, other: "Interval | Fraction | int") -> "Interval":
        other = self._coerce(other)
        bits = max(self.bits, other.bits)
        exponent = self.exponent + other.exponent
        if self.low >= 0 and other.low >= 0:
            return _rounded(self.low * other.low, self.high * other.high, exponent, bits)
        products = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return _rounded(min(products), max(products), exponent, bits)

    def __truediv__(self, other: "Interval | Fraction | int") -> "Interval":
        return self * self._coerce(other).reciprocal()

    __radd__ = __add__
    __rmul__ = __mul__

    def __rsub__(self, other: Fraction | int) -> "Interval":
        return -self + other

    def __rtruediv__(self, other: Fraction | int) -> "Interval":
        return self.reciprocal() * other

    def reciprocal(self) -> "Interval":
        """1/x for x in the interval; Undecided if it contains 0."""
        if self.high < 0:
            return -(-self).reciprocal()
        if self.low <= 0:
            raise Undecided("division by an interval that contains 0")
        shift = self.bits + self.high.bit_length()
        low, high = (1 << shift) // self.high, -(-(1 << shift) // self.low)
        return _rounded(low, high, -self.exponent - shift, self.bits)

    def exp(self) -> "Interval":
        """exp(x) for x in the interval; Undecided if |x| may exceed about 2**21.

        Where x is certainly at most -2**20, from 0 to exp(-2**20).
        """
        if self.exponent + max(self.low.bit_length(), self.high.bit_length()) > 21:
            if self.high < 0 and self.exponent + self.high.bit_length() > 20:
                return _rounded(0, *exp_dyadic(-1, 20, self.bits)[1:], self.bits)
            raise Undecided("exponential of a huge argument")
        low, high, exponent = exp_dyadic(self.low, self.exponent, self.bits + 4)
        if self.low != self.high:
            top, guard = self.bits + 8, (self.bits + 1) // 2 + 4
            width = _ceil_shift(self.high - self.low, self.exponent + top)
            if width < 1 << top - guard:  # exp(w) <= 1 + w + w**2, and w**2 <= 2**-top
                high = (high * ((1 << top) + width + 1) >> top) + 1
            else:
                _, high, shift = exp_dyadic(self.high, self.exponent, self.bits + 4)
                common = min(exponent, shift)
                low, high, exponent = low << exponent - common, high << shift - common, common
        return _rounded(low, high, exponent, self.bits)

    def log(self) -> "Interval":
        """log(x) for x in the interval; Undecided unless the interval is positive."""
        if self.low <= 0:
            raise Undecided("logarithm of an interval that is not positive")
        low, high, exponent = log_dyadic(self.low, self.exponent, self.bits + 4)
        if self.low != self.high:
            if (self.high - self.low).bit_length() + self.bits // 2 < self.low.bit_length():
                # log(high) <= log(low) + (high - low)/low
                high += ((self.high - self.low) << -exponent) // self.low + 1
            else:
                _, high, shift = log_dyadic(self.high, self.exponent, self.bits + 4)
                common = min(exponent, shift)
                low, high, exponent = low << exponent - common, high << shift - common, common
        return _rounded(low, high, exponent, self.bits)

    def power(self, exponent: Fraction) -> "Interval":
        """x**exponent for positive x: exact repetition for small integers, else exp(e log x)."""
        if exponent.denominator == 1 and abs(exponent) <= 64:
            result = enclose(1, self.bits)
            for _ in range(abs(int(exponent))):
                result = result * self
            return result if exponent >= 0 else result.reciprocal()
        return (self.log() * exponent).exp()

    def at_most(self, other: "Interval | Fraction | int") -> bool:
        """Whether x <= y is certain for all x here and y there."""
        return _compare(self.high, self.exponent, other) <= 0

    def below(self, other: "Interval | Fraction | int") -> bool:
        """Whether x < y is certain for all x here and y there."""
        return _compare(self.high, self.exponent, other) < 0

    def at_least(self, other: Fraction | int) -> bool:
        """Whether x >= other is certain for all x here."""
        return _compare(self.low, self.exponent, other) >= 0

    def above(self, other: Fraction | int) -> bool:
        """Whether x > other is certain for all x here."""
        return _compare(self.low, self.exponent, other) > 0

    def inside(self, low: Fraction, high: Fraction) -> bool:
        """Whether the whole interval lies in [low, high]."""
        return self.at_least(low) and self.at_most(high)

    def least(self, bound: Fraction | int) -> "Interval":
        """min(x, bound) for x in the interval."""
        if self.at_most(bound):
            return self
        cap = self._coerce(bound)
        if self.at_least(bound):
            return cap
        return Interval(self.low, self.low, self.exponent, self.bits).hull(cap)

    def ends(self) -> tuple[Fraction, Fraction]:
        """The two ends as exact rationals."""
        return _dyadic(self.low, self.exponent), _dyadic(self.high, self.exponent)

    def upper(self) -> "Interval":
        """The upper end alone."""
        return Interval(self.high, self.high, self.exponent, self.bits)

    def floor(self) -> int:
        """The largest whole number that is at most every x; Undecided if it is huge."""
        if self.exponent > self.bits:
            raise Undecided("a whole number of more bits than the precision")
        return self._at(0)[0]

    def hull(self, other: "Interval") -> "Interval":
        """The smallest interval around both, up to rounding."""
        exponent = _common(self, other, max(self.bits, other.bits))
        (low1, high1), (low2, high2) = self._at(exponent), other._at(exponent)
        return _rounded(min(low1, low2), max(high1, high2), exponent, self.bits)

    def _at(self, exponent: int) -> tuple[int, int]:
        shift = self.exponent - exponent
        if shift >= 0:
            return self.low << shift, self.high << shift
        return self.low >> -shift, -(-self.high >> -shift)

    def _coerce(self, other: "Interval | Fraction | int") -> "Interval":
        return other if isinstance(other, Interval) else enclose(other, self.bits)


def enclose(value: Fraction | int, bits: int) -> Interval:
    """The smallest `bits`-bit interval around an exact number."""
    numerator, denominator = value.numerator, value.denominator
    exponent = numerator.bit_length() - denominator.bit_length() - bits
    if denominator == 1 and exponent < 0:
        return Interval(numerator, numerator, 0, bits)
    if exponent >= 0:
        denominator <<= exponent
    else:
        numerator <<= -exponent
    quotient, rest = divmod(numerator, denominator)
    return _rounded(quotient, quotient + (rest != 0), exponent, bits)


def _rounded(low: int, high: int, exponent: int, bits: int) -> Interval:
    excess = (high.bit_length() if low >= 0 else max(low.bit_length(), high.bit_length())) - bits
    if excess > 0:
        low, high, exponent = low >> excess, -(-high >> excess), exponent + excess
    if abs(exponent) > MAX_EXPONENT and (low or high):
        raise Undecided("a number beyond 2**(2**22)")
    return Interval(low, high, exponent, bits)


def _common(one: Interval, other: Interval, bits: int) -> int:
    """An exponent for both, the smaller one unless it is far below the larger number."""
    parts = [i for i in (one, other) if i.low or i.high] or [one]
    tops = [i.exponent + max(i.low.bit_length(), i.high.bit_length()) for i in parts]
    return max(min(i.exponent for i in parts), max(tops) - 2 * bits)


def _compare(mantissa: int, exponent: int, other: Interval | Fraction | int) -> int:
    """A number with the sign of mantissa * 2**exponent minus the number, or the low end."""
    if isinstance(other, Interval):
        left, right, shift = mantissa, other.low, exponent - other.exponent
    else:
        left, right, shift = mantissa * other.denominator, other.numerator, exponent
    if not left or not right or (left < 0) != (right < 0):
        return left - right
    if apart := left.bit_length() + shift - right.bit_length():  # the sizes decide
        return left if apart > 0 else -left
    return (left << max(shift, 0)) - (right << max(-shift, 0))


def _ceil_shift(value: int, shift: int) -> int:
    return value << shift if shift >= 0 else -(-value >> -shift)


def _dyadic(mantissa: int, exponent: int) -> Fraction:
    return Fraction(mantissa << exponent) if exponent >= 0 else Fraction(mantissa, 1 << -exponent)
