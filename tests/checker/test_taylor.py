"""The checker's power series: every enclosure contains the exact coefficients."""

from fractions import Fraction
from math import factorial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

from proofs_checks.checker.kernel.interval import Interval, Undecided, enclose
from proofs_checks.checker.kernel.taylor import Series, line

F = Fraction
TERMS = 8
BITS = 60
rationals = st.fractions(min_value=-50, max_value=50, max_denominator=99)
lists = st.lists(rationals, min_size=1, max_size=TERMS)


def series(coefficients: list[Fraction], bits: int = BITS, terms: int = TERMS) -> Series:
    """The enclosure of a polynomial, put together from lines by Horner's rule."""
    variable = line(enclose(0, bits), enclose(1, bits), terms)
    result = line(enclose(coefficients[-1], bits), enclose(0, bits), 1)
    result = Series(result.mid, result.rad, result.exponent, bits, terms)
    for each in coefficients[-2::-1]:
        result = result * variable + each
    return result


def contains(found: Series, exact: list[Fraction]) -> None:
    padded = exact + [F(0)] * TERMS
    for k in range(TERMS):
        low, high = found.coefficient(k).ends()
        assert low <= padded[k] <= high, k


def product(a: list[Fraction], b: list[Fraction]) -> list[Fraction]:
    result = [F(0)] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            result[i + j] += x * y
    return result


@settings(max_examples=60, deadline=None)
@given(lists, lists, rationals)
def test_sums_products_and_antiderivatives(
    a: list[Fraction], b: list[Fraction], c: Fraction
) -> None:
    left, right = series(a), series(b)
    contains(left, a)
    size = max(len(a), len(b))
    sums = [x + y for x, y in zip(a + [F(0)] * size, b + [F(0)] * size, strict=False)]
    contains(left + right, sums[:size])
    contains(left * right, product(a, b)[:TERMS])
    contains(left.scaled(c), [c * x for x in a])
    contains(left.antiderivative(enclose(c, BITS)), [c, *(x / (k + 1) for k, x in enumerate(a))])
    contains(left.with_constant(enclose(c, BITS)), [c, *a[1:]])
    low, high = left.square_coefficient(3).ends()
    assert low <= (product(a, a) + [F(0)] * 4)[3] <= high


@settings(max_examples=60, deadline=None)
@given(lists, st.fractions(min_value=F(1, 9), max_value=90, max_denominator=99))
def test_reciprocal(a: list[Fraction], constant: Fraction) -> None:
    a = [constant, *a[1:]]
    inverse = [1 / constant]
    for k in range(1, TERMS):
        padded = a + [F(0)] * TERMS
        total = sum((padded[j] * inverse[k - j] for j in range(1, k + 1)), F(0))
        inverse.append(-total / constant)
    contains(series(a).reciprocal(), inverse)


@settings(max_examples=40, deadline=None)
@given(rationals, st.fractions(min_value=-3, max_value=3, max_denominator=99))
def test_exponential_of_a_line(a: Fraction, b: Fraction) -> None:
    found = line(enclose(a, BITS), enclose(b, BITS), TERMS).exp()
    with mp.workdps(40):
        for k in range(TERMS):
            low, high = found.coefficient(k).ends()
            exact = (
                mp.exp(mpf(a.numerator) / a.denominator) * (mpf(b.numerator) / b.denominator) ** k
            )
            exact /= factorial(k)
            assert mpf(low.numerator) / low.denominator <= exact
            assert exact <= mpf(high.numerator) / high.denominator


def test_exponential_of_a_dense_series_inverts_the_sign() -> None:
    a = series([F(1, 3), F(-2), F(5, 7), F(1, 9), F(-3)])
    one = a.exp() * a.scaled(-1).exp()
    contains(one, [F(1)])
    low, high = one.coefficient(5).ends()
    assert high - low < F(1, 2**40), "the enclosures stay narrow"


@settings(max_examples=40, deadline=None)
@given(
    st.fractions(min_value=F(1, 2), max_value=20, max_denominator=99),
    st.fractions(min_value=0, max_value=F(1, 3), max_denominator=99),
    st.fractions(min_value=-1, max_value=1, max_denominator=99),
)
def test_wide_series_enclose_the_coefficients_at_every_point(
    centre: Fraction, radius: Fraction, where: Fraction
) -> None:
    """1/h and 1/h**2 around every point of a wide centre."""
    wide = enclose(centre - radius, BITS).hull(enclose(centre + radius, BITS))
    inverse = line(wide, enclose(1, BITS), TERMS).reciprocal()
    point = centre + where * radius
    for k in range(TERMS):
        low, high = inverse.coefficient(k).ends()
        assert low <= F(-1) ** k / point ** (k + 1) <= high
    low, high = inverse.square_coefficient(5).ends()
    assert low <= -6 / point**7 <= high


@settings(max_examples=40, deadline=None)
@given(lists)
def test_integral_of_the_square(a: list[Fraction]) -> None:
    low, high = series(a).square_integral().ends()
    square = product(a, a)[:TERMS]
    exact = sum((2 * c / (k + 1) for k, c in enumerate(square) if k % 2 == 0), F(0))
    assert low <= exact <= high
    size = sum(abs(c) for c in product(a, a)) + 1
    assert high - low < size * F(1, 2 ** (BITS - 16))


def test_what_may_vanish_has_no_reciprocal() -> None:
    for low, high in ((0, 1), (-1, 1), (-2, -1)):
        wide = line(Interval(low, high, 0, BITS), enclose(1, BITS), TERMS)
        with pytest.raises(Undecided):
            wide.reciprocal()


def test_a_series_remembers_small_coefficients_only_absolutely() -> None:
    """Coefficients share one exponent: a small one next to a large one is wide, not wrong."""
    found = series([F(10**30), F(1, 3)])
    low, high = found.coefficient(1).ends()
    assert low <= F(1, 3) <= high
    assert high - low > F(1, 10**9)
