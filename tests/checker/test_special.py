"""The checker's gamma functions, held against mpmath, Arb and closed forms."""

import random
from fractions import Fraction
from math import factorial

import pytest
from flint import arb, ctx
from mpmath import mp, mpf

from proofs_checks.checker.kernel.interval import Interval, Undecided, enclose
from proofs_checks.checker.kernel.special import LARGEST, gamma, lower_gamma, upper_share

F = Fraction


def number(value: Fraction) -> mpf:
    return mpf(value.numerator) / value.denominator


def around(interval: Interval, exact: mpf, bits: int, scale: float = 1) -> None:
    low, high = (number(end) for end in interval.ends())
    assert low <= exact <= high
    assert high - low <= scale * mpf(2) ** (24 - bits)


@pytest.mark.parametrize("bits", [64, 230, 500])
def test_against_mpmath_at_random_points(bits: int) -> None:
    chance = random.Random(bits)
    with mp.workprec(2 * bits + 200):
        for _ in range(25):
            order = F(chance.randint(1, 400), chance.randint(1, 40))
            x = F(chance.randint(1, 10**6), chance.choice((10**3, 10**4, 10**5, 10**12)))
            exact = mp.gammainc(number(order), number(x), mp.inf, regularized=True)
            around(upper_share(order, enclose(x, bits)), exact, bits)
            full = mp.gamma(number(order))
            around(gamma(order, bits), full, bits, full)


def test_against_arb() -> None:
    before = ctx.prec
    ctx.prec = 300
    try:
        for order, x in ((F(1, 2), F(7, 3)), (F(5, 3), F(40)), (F(30), F(29)), (F(1, 50), F(1, 9))):
            low, high = upper_share(order, enclose(x, 200)).ends()
            exact = (arb(x.numerator) / x.denominator).gamma_upper(
                arb(order.numerator) / order.denominator, regularized=1
            )
            assert arb(low.numerator) / low.denominator < exact
            assert exact < arb(high.numerator) / high.denominator
    finally:
        ctx.prec = before


def test_closed_forms() -> None:
    bits = 200
    for n in range(1, 20):
        low, high = gamma(F(n), bits).ends()
        assert low <= factorial(n - 1) <= high
    with mp.workdps(100):
        root = gamma(F(1, 2), bits)
        around(root * root, +mp.pi, bits, 4)
        for x in (F(1, 7), F(3), F(90)):
            around(upper_share(F(1), enclose(x, bits)), mp.exp(-number(x)), bits)
            around(upper_share(F(1, 2), enclose(x * x, bits)), mp.erfc(number(x)), bits)


def test_a_wide_argument_covers_all_points_between() -> None:
    wide = enclose(F(2), 100).hull(enclose(F(3), 100))
    low, high = lower_gamma(F(5, 2), wide).ends()
    with mp.workdps(50):
        for x in (2, mpf("2.5"), 3):
            exact = mp.gammainc(mpf("2.5"), 0, x)
            assert number(low) <= exact <= number(high)
        assert number(high) - number(low) < mp.gammainc(mpf("2.5"), 2, 3) * (1 + mpf(2) ** -80)


@pytest.mark.parametrize(
    ("order", "x"),
    [
        (F(0), F(1)),
        (F(-1, 2), F(1)),
        (F(LARGEST + 1), F(1)),
        (F(1), F(LARGEST + 1)),
        (F(1), F(0)),
        (F(1), F(-1)),
    ],
)
def test_outside_the_domain(order: Fraction, x: Fraction) -> None:
    with pytest.raises(Undecided):
        lower_gamma(order, enclose(x, 64))
    if x == 1:
        with pytest.raises(Undecided):
            gamma(order, 64)
