"""What a kind may do with enclosed numbers and series, whatever arithmetic encloses them.

`kernel.own` is the checker's arithmetic. Another one is a module with the functions of
`Arithmetic`; its results must obey the same law: they contain every value that the operation takes
on its arguments, a comparison holds only if it is certain, and what cannot be enclosed raises
`Undecided`. The numbers and series of one check all belong to one arithmetic.
"""

from collections.abc import Iterable
from fractions import Fraction
from functools import reduce
from importlib import import_module
from typing import Any, Protocol, Self

Mate = Any  # a number or series of the same arithmetic, or an exact number where one will do


class Real(Protocol):
    """An unknown real number within an enclosure; `Interval` documents every operation."""

    @property
    def bits(self) -> int:
        """The precision of the enclosure."""

    def __add__(self, other: Self | Fraction | int) -> Self: ...
    def __radd__(self, other: Fraction | int) -> Self: ...
    def __neg__(self) -> Self: ...
    def __sub__(self, other: Self | Fraction | int) -> Self: ...
    def __rsub__(self, other: Fraction | int) -> Self: ...
    def __mul__(self, other: Self | Fraction | int) -> Self: ...
    def __rmul__(self, other: Fraction | int) -> Self: ...
    def __truediv__(self, other: Self | Fraction | int) -> Self: ...
    def __rtruediv__(self, other: Fraction | int) -> Self: ...
    def reciprocal(self) -> Self:
        """1/x."""

    def exp(self) -> Self:
        """exp(x)."""

    def log(self) -> Self:
        """log(x), x > 0."""

    def power(self, exponent: Fraction) -> Self:
        """x**exponent, x > 0."""

    def at_most(self, other: Self | Fraction | int) -> bool:
        """Whether x <= other is certain."""

    def below(self, other: Self | Fraction | int) -> bool:
        """Whether x < other is certain."""

    def at_least(self, other: Fraction | int) -> bool:
        """Whether x >= other is certain."""

    def above(self, other: Fraction | int) -> bool:
        """Whether x > other is certain."""

    def inside(self, low: Fraction, high: Fraction) -> bool:
        """Whether low <= x <= high is certain."""

    def least(self, bound: Fraction | int) -> Self:
        """min(x, bound)."""

    def ends(self) -> tuple[Fraction, Fraction]:
        """The ends of the enclosure."""

    def upper(self) -> Self:
        """A number alone: the upper end of the enclosure, if not one just above it."""

    def floor(self) -> int:
        """The largest whole number that is at most every x of the enclosure."""

    def hull(self, other: Self) -> Self:
        """An enclosure of x and of other."""


class Series(Protocol):
    """A function of s whose Taylor coefficients are enclosed; see `kernel.taylor.Series`."""

    @property
    def bits(self) -> int:
        """The precision of the coefficients."""

    @property
    def terms(self) -> int:
        """How many coefficients are enclosed."""

    def __add__(self, other: Mate) -> Self: ...
    def __mul__(self, other: Self) -> Self: ...
    def scaled(self, factor: Mate) -> Self:
        """The product with a number."""

    def reciprocal(self) -> Self:
        """1/f."""

    def exp(self) -> Self:
        """exp(f)."""

    def antiderivative(self, constant: Mate) -> Self:
        """The integral from 0 to s plus a constant."""

    def with_constant(self, constant: Mate) -> Self:
        """The same series with another coefficient 0."""

    def coefficient(self, k: int) -> Real:
        """Coefficient k."""

    def square_coefficient(self, k: int) -> Real:
        """Coefficient k of f**2."""

    def square_integral(self) -> Real:
        """The integral over [-1, 1] of the listed terms of f**2."""


class Arithmetic(Protocol):
    """Where enclosures come from."""

    def enclose(self, value: Fraction | int, bits: int) -> Real:
        """The exact number."""

    def gamma(self, order: Fraction, bits: int) -> Real:
        """The gamma function at an order > 0."""

    def upper_share(self, order: Fraction, x: Mate) -> Real:
        """The share of the gamma integral of this order above x > 0."""

    def line(self, value: Mate, slope: Mate, terms: int) -> Series:
        """The series of value + slope * s."""


def highest(values: Iterable[Real]) -> Real:
    """The largest of the upper ends, as a number alone."""
    tops = (value.upper() for value in values)
    return reduce(lambda top, each: top if each.at_most(top) else each, tops)


def lowest(values: Iterable[Real]) -> Real:
    """The smallest of the lower ends, as a number alone."""
    return -highest(-value for value in values)


def load(name: str) -> Arithmetic:
    """The arithmetic of this name; ImportError, with what is missing, if it cannot be had."""
    folder = "proofs_checks.checker.kernel" if name == "own" else "proofs_checks.arithmetic"
    arithmetic: Arithmetic = import_module(f"{folder}.{name}")
    return arithmetic
