"""Rational functions at the exact limits, and in the form in which they are kept."""

from fractions import Fraction
from random import Random

import pytest

from proofs_checks.checker.kernel import polynomial
from proofs_checks.checker.kernel.polynomial import Field, Polynomial, Quotient, TooLarge

F = Fraction


def field(size: int = 2) -> Field:
    return Field(size, lambda _: None)


def kept(top: Polynomial, size: int = 1) -> Quotient:
    """The polynomial as a sum that the field was asked for."""
    return field(size).add(Quotient(top), Quotient({}))


def row(count: int) -> Polynomial:
    """So many terms."""
    return {(k % 100, k // 100): 1 for k in range(count)}


def test_the_limits_that_the_theorem_page_states() -> None:
    found = polynomial.DEGREE, polynomial.TERMS, polynomial.ALL_TERMS, polynomial.BITS
    assert found == (500, 20_000, 500_000, 4_096)


def test_degrees_up_to_500() -> None:
    assert kept({(500,): 1}).top == {(500,): 1}
    assert kept({(250, 250): 1, (3, 0): 1}, 2)
    for top in ({(501,): 1}, {(0,): 1, (501,): 1}):
        with pytest.raises(TooLarge):
            kept(top)
    with pytest.raises(TooLarge):
        kept({(251, 250): 1}, 2)


def test_powers_up_to_500() -> None:
    rational = field(1)
    x, one = rational.variable(0), rational.number(F(1))
    assert rational.power(x, 500).top == {(500,): 1}
    with pytest.raises(TooLarge):
        rational.power(one, 501)
    quotient = one
    for _ in range(500):
        quotient = rational.divide(quotient, x)
    assert quotient.powers == {0: -500}
    with pytest.raises(TooLarge):
        rational.divide(quotient, x)


def test_numbers_up_to_4096_bits() -> None:
    for sign in (1, -1):
        assert kept({(0,): sign * (2**4096 - 1), (1,): 1})
        with pytest.raises(TooLarge):
            kept({(0,): sign * 2**4096, (1,): 1})
    with pytest.raises(TooLarge):
        kept({(1,): 1, (0,): 2**4096})


def test_polynomials_of_up_to_so_many_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(polynomial, "TERMS", 120)
    assert len(kept(row(120), 2).top) == 120
    with pytest.raises(TooLarge):
        kept(row(121), 2)
    assert len(kept({**row(120), (400, 0): 0}, 2).top) == 120


def test_terms_that_cancel_in_the_end_count_while_they_are_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """(1 + x + ... + x**9) (1 - x) has ten terms before its second row and eleven after it."""
    geometric: Polynomial = {(k,): 1 for k in range(10)}
    difference: Polynomial = {(0,): 1, (1,): -1}
    monkeypatch.setattr(polynomial, "TERMS", 11)
    top = field(1).multiply(Quotient(difference), Quotient(geometric)).top
    assert top == {(0,): 1, (10,): -1}
    monkeypatch.setattr(polynomial, "TERMS", 10)
    with pytest.raises(TooLarge):
        field(1).multiply(Quotient(difference), Quotient(geometric))


def test_so_many_terms_in_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(polynomial, "ALL_TERMS", 100)
    rational = field(2)
    for _ in range(9):
        rational.add(Quotient(row(11)), Quotient({}))
    rational.add(Quotient(row(1)), Quotient({}))
    with pytest.raises(TooLarge):
        rational.add(Quotient(row(1)), Quotient({}))


@pytest.mark.parametrize(
    ("variables", "bits", "times"), [(31, 63, 1), (32, 63, 2), (31, 64, 2), (40, 4096, 4)]
)
def test_long_terms_count_repeatedly(
    monkeypatch: pytest.MonkeyPatch, variables: int, bits: int, times: int
) -> None:
    """1 + (n + b // 64) // 32 times each: three of them are allowed, one more is not."""
    long = {(k, *[0] * (variables - 1)): (1 << bits) - 1 for k in range(3)}
    monkeypatch.setattr(polynomial, "ALL_TERMS", 3 * times)
    assert len(field(variables)._kept(long)) == 3
    monkeypatch.setattr(polynomial, "ALL_TERMS", 3 * times - 1)
    with pytest.raises(TooLarge):
        field(variables)._kept(long)


def test_a_variable_is_left_out_before_the_degree_is_counted() -> None:
    rational = field(2)
    high = rational.subtract(Quotient({(0, 500): 1}), rational.number(F(1)))
    assert rational.point(high) == [1, 2]


def test_what_is_divided_by_is_kept_in_pieces() -> None:
    """-12 x**3 y + 24 x**2 y**2 as -12, x twice, y, and x - 2 y, whose leading sign is plus."""
    rational = field()
    top: Polynomial = {(3, 1): -12, (2, 2): 24}
    one = rational.number(F(1))
    found = rational.divide(one, Quotient(top))
    assert found.top == {(0, 0): 1}
    pieces = [rational.factors[k] for k in found.powers]
    assert {(1, 0): 1} in pieces
    assert {(0, 1): 1} in pieces
    assert {(0, 0): -12} in pieces
    assert {(1, 0): 1, (0, 1): -2} in pieces
    assert sorted(found.powers.values()) == [-2, -1, -1, -1]
    assert len(rational.factors) == 4
    again = rational.divide(found, Quotient({(4, 0): 5}))
    assert [again.powers[k] for k in range(4)].count(-6) == 1
    assert len(rational.factors) == 5
    assert rational.factors[4] == {(0, 0): 5}


def test_one_is_no_factor_and_what_cancels_leaves_no_power() -> None:
    rational = field()
    x, one = rational.variable(0), rational.number(F(1))
    assert rational.factors == []
    assert rational.divide(x, one).powers == {}
    assert rational.number(F(-7)).powers == {}
    inverse = rational.divide(one, x)
    assert inverse.powers == {0: -1}
    back = rational.divide(one, inverse)
    assert back == Quotient({(0, 0): 1}, {0: 1})
    assert rational.multiply(inverse, back) == one
    assert rational.number(F(0)) == Quotient({})
    assert rational.number(F(3, 2)).top == {(0, 0): 3}
    with pytest.raises(ZeroDivisionError):
        rational.divide(one, Quotient({}))


def test_sums_are_over_the_smallest_common_powers() -> None:
    rational = field(1)
    x, one = rational.variable(0), rational.number(F(1))
    inverse = rational.divide(one, x)
    cube = rational.power(inverse, 3)
    assert rational.add(inverse, cube) == Quotient({(2,): 1, (0,): 1}, {0: -3})
    assert rational.add(cube, inverse) == rational.add(inverse, cube)
    double = rational.divide(one, rational.power(inverse, 2))
    assert rational.add(double, one) == Quotient({(2,): 1, (0,): 1}, {0: 0})
    assert rational.subtract(cube, cube).top == {}
    zero = rational.add(rational.number(F(0)), cube)
    assert zero == Quotient({(0,): 1}, {0: -3})


def test_points_are_the_first_that_will_do() -> None:
    """Variables in order, each the least at which neither a divisor nor the number vanishes."""
    rational = field(3)
    x, y, z = (rational.variable(k) for k in range(3))
    one = rational.number(F(1))

    def less(a: Quotient, value: int) -> Quotient:
        return rational.subtract(a, rational.number(F(value)))

    product = rational.multiply(less(x, 1), rational.multiply(less(x, 2), less(z, 1)))
    assert rational.point(product) == [3, 1, 2]
    quotient = rational.divide(product, rational.subtract(y, x))
    assert rational.point(quotient) == [3, 1, 2]
    quotient = rational.divide(product, less(y, 1))
    assert rational.point(quotient) == [3, 2, 2]
    assert rational.point(rational.divide(one, less(z, 2))) == [1, 2, 1]
    assert rational.point(one) == [1, 2, 1]
    assert field(3).point(x) == [1, 1, 1]


class Dual:
    """A number and its derivative, exactly."""

    def __init__(self, value: Fraction, slope: Fraction) -> None:
        self.value, self.slope = value, slope

    def __add__(self, other: "Dual") -> "Dual":
        return Dual(self.value + other.value, self.slope + other.slope)

    def __mul__(self, other: "Dual") -> "Dual":
        slope = self.slope * other.value + self.value * other.slope
        return Dual(self.value * other.value, slope)

    def __truediv__(self, other: "Dual") -> "Dual":
        value = self.value / other.value
        return Dual(value, (self.slope - value * other.slope) / other.value)


@pytest.mark.parametrize("seed", range(40))
def test_values_and_derivatives_are_those_of_dual_numbers(seed: int) -> None:
    """Random expressions with the derivation x -> x + y, y -> 1/x, z -> 0, at a random point."""
    chance, rational = Random(seed), field(3)
    point = [chance.randint(2, 9) for _ in range(3)]
    x, y, z = (rational.variable(k) for k in range(3))
    one = rational.number(F(1))
    images = {0: rational.add(x, y), 1: rational.divide(one, x)}
    slopes = [F(point[0] + point[1]), F(1, point[0]), F(0)]
    pool = [
        (each, Dual(F(value), slope))
        for each, value, slope in zip((x, y, z), point, slopes, strict=True)
    ]
    for _ in range(4):
        value = F(chance.randint(-9, 9), chance.randint(1, 9))
        pool.append((rational.number(value), Dual(value, F(0))))
    for _ in range(7):
        (a, exact_a), (b, exact_b) = chance.choice(pool), chance.choice(pool)
        operation = chance.choice("+-*/^")
        if operation == "/" and not exact_b.value:
            continue
        if operation == "+":
            pool.append((rational.add(a, b), exact_a + exact_b))
        elif operation == "-":
            minus = Dual(F(-1), F(0))
            pool.append((rational.subtract(a, b), exact_a + minus * exact_b))
        elif operation == "*":
            pool.append((rational.multiply(a, b), exact_a * exact_b))
        elif operation == "/":
            pool.append((rational.divide(a, b), exact_a / exact_b))
        else:
            pool.append((rational.power(a, 2), exact_a * exact_a))
    for found, exact in pool:
        assert rational.value(found, point) == exact.value
        assert rational.value(rational.derive(found, images), point) == exact.slope
