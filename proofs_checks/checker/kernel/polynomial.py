"""Polynomials with integer coefficients in fixed variables, and quotients of them, exactly.

A polynomial maps exponents to coefficients and holds no zero coefficient. A quotient is a
polynomial times powers of factors, the factors being the polynomials (none of them zero) by which
its field was asked to divide. Nothing is ever cancelled: a quotient is zero exactly when its top
is (identity.md, Lemma 1), and that is how equality is tested.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd, prod
from operator import add

Exponents = tuple[int, ...]
Polynomial = dict[Exponents, int]

DEGREE = 500  # of a polynomial, and the size of a power
TERMS = 20_000  # of a polynomial
ALL_TERMS = 500_000  # of all polynomials of a field; a term of over 256 bytes counts repeatedly
BITS = 4_096  # of a coefficient


class TooLarge(ArithmeticError):
    """Work beyond a limit: the arguments say what is allowed and what was found."""


@dataclass(frozen=True)
class Quotient:
    """`top` times the product of factor k to the power `powers[k]`, k an index of the field's."""

    top: Polynomial
    powers: dict[int, int] = field(default_factory=dict)


class Field:
    """The rational functions over Q in `size` variables; every step of work is told to `spend`."""

    def __init__(self, size: int, spend: Callable[[int], None]) -> None:
        self.size = size
        self.factors: list[Polynomial] = []
        self._indices: dict[frozenset[tuple[Exponents, int]], int] = {}
        self._spend = spend
        self._terms = 0

    def number(self, value: Fraction) -> Quotient:
        """A constant."""
        top = Quotient(self._constant(value.numerator))
        return self.divide(top, Quotient(self._constant(value.denominator)))

    def variable(self, index: int) -> Quotient:
        """The variable of that index."""
        return Quotient({self._unit(index): 1})

    def add(self, a: Quotient, b: Quotient) -> Quotient:
        """a + b over the common powers of their factors."""
        self._spend(150 + len(a.powers) + len(b.powers))
        keys = a.powers.keys() | b.powers.keys()
        common = {k: min(a.powers.get(k, 0), b.powers.get(k, 0)) for k in sorted(keys)}
        return Quotient(self._sum(self._over(a, common), self._over(b, common)), common)

    def subtract(self, a: Quotient, b: Quotient) -> Quotient:
        """a - b."""
        return self.add(a, self.multiply(self.number(Fraction(-1)), b))

    def multiply(self, a: Quotient, b: Quotient) -> Quotient:
        """The product."""
        return Quotient(self._product(a.top, b.top), self._shift(a.powers, b.powers, 1))

    def divide(self, a: Quotient, b: Quotient) -> Quotient:
        """a / b; ZeroDivisionError if b is zero. The pieces of b's top become factors."""
        if not b.top:
            raise ZeroDivisionError
        powers = self._shift(a.powers, b.powers, -1)
        for piece, power in self._pieces(b.top):
            powers = self._shift(powers, {self._index(piece): power}, -1)
        return Quotient(a.top, powers)

    def power(self, a: Quotient, exponent: int) -> Quotient:
        """a times itself, `exponent` >= 0 factors."""
        _within(DEGREE, exponent, "degree")
        result = self.number(Fraction(1))
        for _ in range(exponent):
            result = self.multiply(result, a)
        return result

    def derive(self, a: Quotient, images: dict[int, Quotient]) -> Quotient:
        """The derivation that maps variable k to images[k], or to 0, at a (Lemma 2)."""
        result = self.multiply(self._derive(a.top, images), Quotient(self._constant(1), a.powers))
        for k, power in a.powers.items():
            change = self._derive(self.factors[k], images)
            if not change.top:
                continue
            slope = self.multiply(change, Quotient(a.top, self._shift(a.powers, {k: 1}, -1)))
            result = self.add(result, self.multiply(self.number(Fraction(power)), slope))
        return result

    def point(self, a: Quotient) -> list[int]:
        """Positive integers at which a, which is not zero, has a value that is not zero."""
        kept, values = [a.top, *self.factors], []
        for index in range(self.size):
            value = 1
            while not all(tried := [self._at(each, index, value) for each in kept]):
                value += 1
            kept = tried
            values.append(value)
        return values

    def value(self, a: Quotient, point: list[int]) -> Fraction:
        """The value at a point where no factor vanishes."""
        sides = [self._value(a.top, point), 1]
        for k, power in a.powers.items():
            sides[power < 0] *= self._value(self.factors[k], point) ** abs(power)
            self._spend(20 + (sum(map(int.bit_length, sides)) ** 2 >> 20))
        return Fraction(*sides)

    def _shift(self, powers: dict[int, int], by: dict[int, int], sign: int) -> dict[int, int]:
        self._spend(150 + len(powers) + len(by))
        keys = sorted(powers.keys() | by.keys())
        shifted = {k: powers.get(k, 0) + sign * by.get(k, 0) for k in keys}
        for power in shifted.values():
            _within(DEGREE, abs(power), "degree")
        return {k: power for k, power in shifted.items() if power}

    def _constant(self, value: int) -> Polynomial:
        return self._kept({(0,) * self.size: value})

    def _unit(self, index: int) -> Exponents:
        return tuple(int(k == index) for k in range(self.size))

    def _over(self, a: Quotient, common: dict[int, int]) -> Polynomial:
        top = a.top
        for k, least in common.items():
            for _ in range(a.powers.get(k, 0) - least):
                top = self._product(top, self.factors[k])
        return top

    def _sum(self, a: Polynomial, b: Polynomial) -> Polynomial:
        self._spend(2 + len(a) + len(b))
        result = dict(a)
        for exponents, coefficient in b.items():
            result[exponents] = result.get(exponents, 0) + coefficient
        return self._kept(result)

    def _product(self, a: Polynomial, b: Polynomial) -> Polynomial:
        self._spend(5 + self.size * (len(a) + len(b)) // 8)
        self._spend(len(a) * len(b) * (1 + self.size // 8 + ((_bits(a) + _bits(b)) ** 2 >> 22)))
        result: Polynomial = {}
        for first, left in a.items():
            for second, right in b.items():
                exponents = tuple(map(add, first, second))
                result[exponents] = result.get(exponents, 0) + left * right
            _within(TERMS, len(result), "terms")
        return self._kept(result)

    def _kept(self, polynomial: Polynomial) -> Polynomial:
        """The polynomial without its zero coefficients, if it is within the limits."""
        result = {exponents: c for exponents, c in polynomial.items() if c}
        self._terms += len(result) * (1 + (self.size + _bits(result) // 64) // 32)
        _within(DEGREE, max(map(sum, result), default=0), "degree")
        _within(TERMS, len(result), "terms")
        _within(ALL_TERMS, self._terms, "terms in all")
        _within(BITS, _bits(result), "bits")
        return result

    def _pieces(self, top: Polynomial) -> list[tuple[Polynomial, int]]:
        """A polynomial as content (with the leading sign), powers of variables and the rest."""
        self._spend(2 + len(top) * (self.size + _bits(top) // 64))
        content = gcd(*top.values()) * (1 if top[max(top)] > 0 else -1)
        low = tuple(map(min, zip(*top, strict=True)))
        rest = {tuple(e - m for e, m in zip(key, low, strict=True)): c for key, c in top.items()}
        pieces = [({self._unit(k): 1}, power) for k, power in enumerate(low) if power]
        primitive = {key: c // content for key, c in rest.items()}
        for piece in (self._constant(content), primitive):
            if piece != self._constant(1):
                pieces.append((piece, 1))
        return pieces

    def _index(self, factor: Polynomial) -> int:
        key = frozenset(factor.items())
        if key not in self._indices:
            self._indices[key] = len(self.factors)
            self.factors.append(self._kept(factor))
        return self._indices[key]

    def _derive(self, a: Polynomial, images: dict[int, Quotient]) -> Quotient:
        result = Quotient({})
        for k, image in images.items():
            self._spend(150 + self.size * len(a))
            unit = self._unit(k)
            slope = {
                tuple(e - u for e, u in zip(key, unit, strict=True)): c * key[k]
                for key, c in a.items()
                if key[k]
            }
            result = self.add(result, self.multiply(Quotient(self._kept(slope)), image))
        return result

    def _at(self, a: Polynomial, index: int, value: int) -> Polynomial:
        self._spend(2 + 2 * len(a))
        result: Polynomial = {}
        for key, coefficient in a.items():
            exponents = (*key[:index], 0, *key[index + 1 :])
            result[exponents] = result.get(exponents, 0) + coefficient * value ** key[index]
        return self._kept(result)

    def _value(self, a: Polynomial, point: list[int]) -> int:
        self._spend(len(a) * self.size)
        return sum(c * prod(map(pow, point, key)) for key, c in a.items())


def _bits(a: Polynomial) -> int:
    return max((abs(c).bit_length() for c in a.values()), default=0)


def _within(most: int, size: int, words: str) -> None:
    if size > most:
        raise TooLarge(f"{words} at most {most}", f"{words} {size}")
