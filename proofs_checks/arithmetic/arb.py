"""The checker's conditions on Arb's balls: a second opinion on its own arithmetic.

A module of this package has the functions of `proofs_checks.checker.kernel.real.Arithmetic`. This
one shares with the checker's intervals neither code nor algorithms: every operation is one of Arb
(python-flint), which proves its own error bounds. What is written here is only which operation of
Arb stands for which of the checker, what is left undecided, and the exact comparison of ends.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

try:
    import flint
    from flint import arb, arb_series, ctx, fmpq
except ImportError as error:
    raise ImportError(f"python-flint 0.9 or later is needed: {error}") from error

from proofs_checks.checker.kernel.interval import MAX_EXPONENT, Undecided
from proofs_checks.checker.kernel.special import LARGEST
from proofs_checks.checker.verdict import decimal

GUARD = 16  # bits beyond those asked for, so that a ball is not wider than the checker's interval

if tuple(int(part) for part in flint.__version__.split(".")[:2]) < (0, 9):
    raise ImportError(f"python-flint 0.9 or later is needed: {flint.__version__} has known errors")


@dataclass(frozen=True, slots=True)
class Ball:
    """A real number within an Arb ball; results keep `bits` bits."""

    ball: arb
    bits: int

    def __add__(self, other: "Ball | Fraction | int") -> "Ball":
        return self._with(other, lambda x, y: x + y)

    def __sub__(self, other: "Ball | Fraction | int") -> "Ball":
        return self._with(other, lambda x, y: x - y)

    def __mul__(self, other: "Ball | Fraction | int") -> "Ball":
        return self._with(other, lambda x, y: x * y)

    def __truediv__(self, other: "Ball | Fraction | int") -> "Ball":
        return self._with(other, lambda x, y: x / y)

    def __rsub__(self, other: Fraction | int) -> "Ball":
        return self._with(other, lambda x, y: y - x)

    def __rtruediv__(self, other: Fraction | int) -> "Ball":
        return self._with(other, lambda x, y: y / x)

    def __neg__(self) -> "Ball":
        return self._do(lambda x: -x)

    __radd__ = __add__
    __rmul__ = __mul__

    def __str__(self) -> str:
        low, high = self.ends()
        return f"[{decimal(low, 12, False)}, {decimal(high, 12, True)}]"

    def reciprocal(self) -> "Ball":
        """1/x; Undecided if the ball contains 0."""
        return self._do(lambda x: 1 / x)

    def exp(self) -> "Ball":
        """exp(x); Undecided where the checker's own exponential is."""
        if not self.inside(Fraction(-(1 << 21)), Fraction(1 << 21)):
            if self.at_most(-(1 << 20)):
                return self._do(lambda _: arb(-(1 << 20)).exp().union(arb(0)))
            raise Undecided("exponential of a huge argument")
        return self._do(lambda x: x.exp())

    def log(self) -> "Ball":
        """log(x); Undecided unless the ball is positive."""
        return self._do(lambda x: x.log())

    def power(self, exponent: Fraction) -> "Ball":
        """x**exponent; Undecided unless the ball is positive or the exponent a small integer."""
        if (exponent.denominator != 1 or abs(exponent) > 64) and not self.above(0):
            raise Undecided("power of a number that is not positive")
        return self._do(lambda x: x ** fmpq(exponent.numerator, exponent.denominator))

    def at_most(self, other: "Ball | Fraction | int") -> bool:
        """Whether the upper end is at most the number, or the lower end of the other ball."""
        return _minus(self.upper().ball, other) <= 0

    def below(self, other: "Ball | Fraction | int") -> bool:
        """Whether the upper end is below the number, or the lower end of the other ball."""
        return _minus(self.upper().ball, other) < 0

    def at_least(self, other: Fraction | int) -> bool:
        """Whether the lower end is at least the number."""
        return _minus(self._lower(), other) >= 0

    def above(self, other: Fraction | int) -> bool:
        """Whether the lower end is above the number."""
        return _minus(self._lower(), other) > 0

    def inside(self, low: Fraction, high: Fraction) -> bool:
        """Whether both ends lie in [low, high]."""
        return self.at_least(low) and self.at_most(high)

    def least(self, bound: Fraction | int) -> "Ball":
        """min(x, bound)."""
        return self._with(bound, lambda x, y: x.min(y))

    def ends(self) -> tuple[Fraction, Fraction]:
        """Middle minus and plus radius, exactly."""
        middle, radius = _exact(self.ball.mid()), _exact(self.ball.rad())
        return middle - radius, middle + radius

    def upper(self) -> "Ball":
        """Middle plus radius, rounded up."""
        return self._do(lambda x: x.upper())

    def floor(self) -> int:
        """Middle minus radius, rounded down; Undecided if that is huge."""
        if not self.inside(Fraction(-(1 << 2 * self.bits)), Fraction(1 << 2 * self.bits)):
            raise Undecided("a whole number of more bits than the precision")
        return self.ends()[0] // 1

    def hull(self, other: "Ball") -> "Ball":
        """A ball around both."""
        return self._with(other, lambda x, y: x.union(y))

    def _lower(self) -> arb:
        low: arb = _at(self.bits, self.ball.lower)
        return low

    def _do(self, operation: Callable[[arb], arb]) -> "Ball":
        return Ball(_finite(_at(self.bits, lambda: operation(self.ball))), self.bits)

    def _with(self, other: "Ball | Fraction | int", operation: Callable[[arb, arb], arb]) -> "Ball":
        mate = other if isinstance(other, Ball) else enclose(other, self.bits)
        bits = max(self.bits, mate.bits)
        return Ball(_finite(_at(bits, lambda: operation(self.ball, mate.ball))), bits)


@dataclass(frozen=True, slots=True)
class BallSeries:
    """A function whose first `terms` Taylor coefficients lie in the balls of an Arb series."""

    series: arb_series
    bits: int
    terms: int

    def __add__(self, other: "BallSeries | Ball | Fraction | int") -> "BallSeries":
        mate = other if isinstance(other, BallSeries) else self._constant(other)
        return self._do(lambda: self.series + mate.series)

    def __mul__(self, other: "BallSeries") -> "BallSeries":
        return self._do(lambda: self.series * other.series)

    def scaled(self, factor: Ball | Fraction | int) -> "BallSeries":
        """The product with a number."""
        return self * self._constant(factor)

    def reciprocal(self) -> "BallSeries":
        """One over the series; Undecided unless its value at 0 is certainly positive."""
        if not self.coefficient(0).above(0):
            raise Undecided("division by a series that may vanish")
        return self._do(lambda: self.series.inv())

    def exp(self) -> "BallSeries":
        """The exponential of the series."""
        return self._do(lambda: self.series.exp())

    def antiderivative(self, constant: Ball) -> "BallSeries":
        """The integral from 0 to s plus a constant."""
        return self._do(lambda: self.series.integral()) + constant

    def with_constant(self, constant: Ball) -> "BallSeries":
        """The same series with another coefficient 0."""
        return _series([constant.ball, *self.series.coeffs()[1:]], self.bits, self.terms)

    def coefficient(self, k: int) -> Ball:
        """The ball around coefficient k."""
        return Ball(_finite(self.series[k]), self.bits)

    def square_coefficient(self, k: int) -> Ball:
        """Coefficient k of the square."""
        return (self * self).coefficient(k)

    def square_integral(self) -> Ball:
        """The integral over [-1, 1] of the first `terms` terms of the square."""
        square, total = self * self, enclose(0, self.bits)
        for k in range(0, self.terms, 2):
            total = total + square.coefficient(k) * Fraction(2, k + 1)
        return total

    def _constant(self, value: Ball | Fraction | int) -> "BallSeries":
        ball = value if isinstance(value, Ball) else enclose(value, self.bits)
        return _series([ball.ball], self.bits, self.terms)

    def _do(self, operation: Callable[[], arb_series]) -> "BallSeries":
        result = _at(self.bits, operation, self.terms)
        if result.prec < self.terms:  # what Arb no longer knows would be taken for 0
            raise Undecided("a series with fewer terms than asked for")
        return _series(result.coeffs(), self.bits, self.terms)


def enclose(value: Fraction | int, bits: int) -> Ball:
    """The ball around an exact number, of radius 0 if it has at most `bits` bits."""
    exact = fmpq(value.numerator, value.denominator)
    return Ball(_finite(_at(bits, lambda: arb(exact))), bits)


def gamma(order: Fraction, bits: int) -> Ball:
    """The gamma function at a rational order within the checker's range."""
    _range(0 < order <= LARGEST)
    exact = fmpq(order.numerator, order.denominator)
    return Ball(_finite(_at(bits, lambda: arb.gamma_fmpq(exact))), bits)


def upper_share(order: Fraction, x: Ball) -> Ball:
    """The share of the gamma integral above x, which falls in x: the hull of it at both ends."""
    _range(0 < order <= LARGEST and x.above(0) and x.at_most(LARGEST))
    exact = fmpq(order.numerator, order.denominator)

    def share(end: Fraction) -> arb:
        return arb(fmpq(end.numerator, end.denominator)).gamma_upper(arb(exact), regularized=1)

    low, high = x.ends()
    return Ball(_finite(_at(x.bits, lambda: share(low).union(share(high)))), x.bits)


def line(value: Ball, slope: Ball, terms: int) -> BallSeries:
    """The series of value + slope * s."""
    return _series([value.ball, slope.ball][:terms], value.bits, terms)


def _series(coefficients: list[arb], bits: int, terms: int) -> BallSeries:
    return BallSeries(arb_series(coefficients[:terms], prec=terms), bits, terms)


def _at(bits: int, operation: Callable[[], Any], cap: int | None = None) -> Any:
    """The result of the operation with Arb's precision set, and set back afterwards."""
    before = ctx.prec, ctx.cap
    ctx.prec, ctx.cap = bits + GUARD, cap or before[1]
    try:
        return operation()
    finally:
        ctx.prec, ctx.cap = before


def _finite(ball: arb) -> arb:
    """The ball, unless it is no bounded set of numbers of the sizes that the checker allows."""
    if not ball.is_finite():
        raise Undecided("an operation outside its domain")
    return ball


def _exact(number: arb) -> Fraction:
    """A number with radius 0, exactly."""
    mantissa, exponent = (int(each) for each in number.man_exp())
    if abs(exponent) > 2 * MAX_EXPONENT:
        raise Undecided("a number beyond 2**(2**22)")
    return Fraction(mantissa) * Fraction(2) ** exponent


def _minus(end: arb, other: Ball | Fraction | int) -> Fraction | int:
    """A number with the sign of an exact end minus the number, or minus the ball's lower end."""
    near = other._lower() if isinstance(other, Ball) else enclose(other, GUARD).ball
    if end < near or end > near:  # certain, without writing out either number
        return -1 if end < near else 1
    return _exact(end) - (_exact(near) if isinstance(other, Ball) else other)


def _range(holds: bool) -> None:
    if not holds:
        raise Undecided("gamma function of an argument or order out of range")
