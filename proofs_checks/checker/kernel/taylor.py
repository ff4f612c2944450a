"""Truncated power series whose coefficients are enclosed, on Python integers.

A series stands for every function of s whose first `terms` Taylor coefficients lie in its
enclosures; each operation keeps this true (proofs_checks/theorems/special-functions.md, Lemmas 1
to 4). The coefficients share one exponent, so that sums of products are exact until one division.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import mul

from proofs_checks.checker.kernel.interval import Interval, Undecided, enclose


@dataclass(frozen=True, slots=True)
class Series:
    """Coefficient k is in `(mid[k] +- rad[k]) * 2**exponent`, and 0 from `len(mid)` to `terms`."""

    mid: list[int]
    rad: list[int]
    exponent: int
    bits: int
    terms: int

    def __add__(self, other: "Series | Interval | Fraction | int") -> "Series":
        other = other if isinstance(other, Series) else _constant(other, self.bits, self.terms)
        top = max(each.exponent + _length(each.mid, each.rad) for each in (self, other))
        exponent = max(min(self.exponent, other.exponent), top - 2 * self.bits)
        (mid1, rad1), (mid2, rad2) = self._at(exponent), other._at(exponent)
        size = max(len(mid1), len(mid2))
        pad1, pad2 = [0] * (size - len(mid1)), [0] * (size - len(mid2))
        mid = [a + b for a, b in zip(mid1 + pad1, mid2 + pad2, strict=True)]
        rad = [a + b for a, b in zip(rad1 + pad1, rad2 + pad2, strict=True)]
        return _rounded(mid, rad, exponent, self.bits, self.terms)

    def scaled(self, factor: Interval | Fraction | int) -> "Series":
        """The product with a number."""
        return self * _constant(factor, self.bits, self.terms)

    def __mul__(self, other: "Series") -> "Series":
        products = [
            self._product(other, k)
            for k in range(min(self.terms, len(self.mid) + len(other.mid) - 1))
        ]
        mid, rad = [each[0] for each in products], [each[1] for each in products]
        return _rounded(mid, rad, self.exponent + other.exponent, self.bits, self.terms)

    def square_coefficient(self, k: int) -> Interval:
        """Coefficient k of the square."""
        mid, rad = self._product(self, k)
        return Interval(mid - rad, mid + rad, 2 * self.exponent, self.bits)

    def square_integral(self) -> Interval:
        """The integral over [-1, 1] of the first `terms` terms of the square."""
        total, error = 0, 0
        for k in range(0, self.terms, 2):
            mid, rad = self._product(self, k)
            part = 2 * mid // (k + 1)
            total, error = total + part, error + 2 * rad // (k + 1) + 2
        return Interval(total - error, total + error, 2 * self.exponent, self.bits)

    def reciprocal(self) -> "Series":
        """One over the series; Undecided unless its value at 0 is certainly positive."""
        first, spread = self.mid[0], self.rad[0]
        if first <= spread:
            raise Undecided("division by a series that may vanish")
        shift = self.bits + first.bit_length()

        def divide(_: int, total: int, error: int) -> tuple[int, int]:
            return _quotient(-total, error, first, spread)

        start = _quotient(1 << shift, 0, first, spread)
        mid, rad = _recurrence(start, self.mid[1:], self.rad[1:], self.terms, divide)
        return _rounded(mid, rad, -self.exponent - shift, self.bits, self.terms)

    def exp(self) -> "Series":
        """The exponential of the series."""
        start, start_error, exponent = _ball(self.coefficient(0).exp(), self.bits)
        mid = [k * each for k, each in enumerate(self.mid)][1:]
        rad = [k * each for k, each in enumerate(self.rad)][1:]
        left, right = max(self.exponent, 0), max(-self.exponent, 0)

        def divide(k: int, total: int, error: int) -> tuple[int, int]:
            return _quotient(total << left, error << left, k << right, 0)

        mid, rad = _recurrence((start, start_error), mid, rad, self.terms, divide)
        return _rounded(mid, rad, exponent, self.bits, self.terms)

    def antiderivative(self, constant: Interval) -> "Series":
        """The integral from 0 to s plus a constant."""
        # 32 bits more, so that dividing by k + 1 does not lose what the coefficient knows
        mid = [0] + [(each << 32) // (k + 1) for k, each in enumerate(self.mid)]
        rad = [0] + [(each << 32) // (k + 1) + 2 for k, each in enumerate(self.rad)]
        size = self.terms
        whole = _rounded(mid[:size], rad[:size], self.exponent - 32, self.bits, size)
        return whole + constant

    def coefficient(self, k: int) -> Interval:
        """The enclosure of coefficient k."""
        if k >= len(self.mid):
            return enclose(0, self.bits)
        low, high = self.mid[k] - self.rad[k], self.mid[k] + self.rad[k]
        return Interval(low, high, self.exponent, self.bits)

    def with_constant(self, constant: Interval) -> "Series":
        """The same series with another coefficient 0."""
        rest = Series([0, *self.mid[1:]], [0, *self.rad[1:]], self.exponent, self.bits, self.terms)
        return rest + constant

    def _product(self, other: "Series", k: int) -> tuple[int, int]:
        """Middle and radius of coefficient k of the product, without rounding."""
        start, stop = max(0, k - len(other.mid) + 1), min(k + 1, len(self.mid))
        mid1, rad1 = self.mid[start:stop], self.rad[start:stop]
        mid2, rad2 = other.mid[k - stop + 1 : k + 1][::-1], other.rad[k - stop + 1 : k + 1][::-1]
        error = sum(map(mul, map(abs, mid1), rad2)) + sum(map(mul, rad1, map(abs, mid2)))
        return sum(map(mul, mid1, mid2)), error + sum(map(mul, rad1, rad2))

    def _at(self, exponent: int) -> tuple[list[int], list[int]]:
        shift = self.exponent - exponent
        if shift >= 0:
            return [each << shift for each in self.mid], [each << shift for each in self.rad]
        return [each >> -shift for each in self.mid], [(each >> -shift) + 2 for each in self.rad]


def line(value: Interval, slope: Interval, terms: int) -> Series:
    """The series of value + slope * s."""
    bits = value.bits
    constant = _constant(value, bits, terms)
    if terms == 1:
        return constant
    mid, rad, exponent = _ball(slope, bits)
    return constant + Series([0, mid], [0, rad], exponent, bits, terms)


def _constant(value: Interval | Fraction | int, bits: int, terms: int) -> Series:
    value = value if isinstance(value, Interval) else enclose(value, bits)
    mid, rad, exponent = _ball(value, bits)
    return Series([mid], [rad], exponent, bits, terms)


def _recurrence(
    start: tuple[int, int],
    mid: Sequence[int],
    rad: Sequence[int],
    terms: int,
    divide: Callable[[int, int, int], tuple[int, int]],
) -> tuple[list[int], list[int]]:
    """y_0 = start and y_k = divide(k, sum over j >= 1 of c_j y_(k-j)), c_j = mid[j-1] +- rad[j-1].

    `divide` is given the middle and the radius of the sum.
    """
    count = len(mid)
    mid_back, rad_back = mid[::-1], rad[::-1]
    size_back = [abs(each) for each in mid_back]
    middles, radii, sizes = [start[0]], [start[1]], [abs(start[0]) + start[1]]
    for k in range(1, terms if count else 1):
        first, back = max(0, k - count), max(0, count - k)
        total = sum(map(mul, mid_back[back:], middles[first:]))
        error = sum(map(mul, size_back[back:], radii[first:]))
        error += sum(map(mul, rad_back[back:], sizes[first:]))
        middle, radius = divide(k, total, error)
        middles.append(middle)
        radii.append(radius)
        sizes.append(abs(middle) + radius)
    return middles, radii


def _quotient(total: int, error: int, divisor: int, spread: int) -> tuple[int, int]:
    """Middle and radius of (total +- error)/(divisor +- spread), divisor > spread >= 0."""
    middle = total // divisor
    return middle, (error + (abs(middle) + 1) * spread) // (divisor - spread) + 2


def _ball(value: Interval, bits: int) -> tuple[int, int, int]:
    """Middle, radius and exponent of an interval, the larger end with at least `bits` bits."""
    shift = max(0, bits + 1 - max(value.low.bit_length(), value.high.bit_length()))
    low, high = value.low << shift, value.high << shift
    middle = (low + high) >> 1
    return middle, high - middle, value.exponent - shift


def _length(mid: list[int], rad: list[int]) -> int:
    return max(max(map(int.bit_length, mid)), max(map(int.bit_length, rad)))


def _rounded(mid: list[int], rad: list[int], exponent: int, bits: int, terms: int) -> Series:
    excess = _length(mid, rad) - bits
    if excess > 0:
        mid, rad = [each >> excess for each in mid], [(each >> excess) + 2 for each in rad]
        exponent += excess
    return Series(mid, rad, exponent, bits, terms)
