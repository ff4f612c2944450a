"""Intervals where one changed sign, shift or bound would show: narrow ones, edges, and widths."""

from fractions import Fraction
from random import Random

import pytest
from flint import arb, ctx, fmpq

from proofs_checks.checker.kernel.interval import MAX_EXPONENT, Interval, Undecided, enclose

BITS = 32


def ball(value: Fraction) -> arb:
    return arb(fmpq(value.numerator, value.denominator))


def width(interval: Interval) -> Fraction:
    low, high = interval.ends()
    return high - low


def narrow(seed: int) -> Interval:
    """A positive interval around whose width exp and log change from a bound to a second value."""
    chance = Random(seed)
    low, exponent = (
        chance.randrange(1 << BITS - 1, 1 << BITS),
        chance.randrange(-BITS - 8, 3 - BITS),
    )
    return Interval(low, low + chance.randrange(1 << chance.randrange(1, 26)), exponent, BITS)


@pytest.mark.parametrize("seed", range(120))
def test_narrow_intervals_are_enclosed_and_stay_narrow(seed: int) -> None:
    ctx.prec = 500
    x = narrow(seed)
    low, high = x.ends()
    for sign in (1, -1):
        argument = x if sign > 0 else -x
        first, last = argument.exp().ends()
        least, most = (ball(end).exp() for end in argument.ends())
        assert ball(first) <= least
        assert most <= ball(last)
        assert ball(last - first) <= (most - least) * arb("1.001") + most * arb(2) ** (2 - BITS)
    first, last = x.log().ends()
    assert ball(first) <= ball(low).log()
    assert ball(high).log() <= ball(last)
    size = max(abs(first), abs(last))
    assert last - first <= (high - low) / low + size * Fraction(4, 2**BITS)
    first, last = x.reciprocal().ends()
    assert first <= 1 / high <= 1 / low <= last
    assert last - first <= (1 / low - 1 / high) + Fraction(4, 2**BITS) / low


def test_the_other_way_round() -> None:
    third, two = enclose(Fraction(1, 3), 64), enclose(2, 64)
    assert (5 - two).ends() == (3, 3)
    assert (3 / two).ends() == (Fraction(3, 2),) * 2
    low, high = (1 - third).ends()
    assert low <= Fraction(2, 3) <= high
    assert high - low <= Fraction(4, 2**64)


def test_sums_keep_all_bits_of_the_smaller_number() -> None:
    for shift in (0, 5, 30, 31, 33, 62):
        x, y = enclose(3, BITS), enclose(Fraction(1, 2**shift), BITS)
        exact = 3 + Fraction(1, 2**shift)
        for total in (x + y, y + x):
            assert total.ends()[0] <= exact <= total.ends()[1]
            assert width(total) <= Fraction(4, 2**BITS)
    far = enclose(1, BITS) + enclose(Fraction(1, 2**5000), BITS)
    assert far.ends()[0] <= 1 < far.ends()[1]
    assert far.low.bit_length() <= BITS + 1
    half = Interval(0, 1, -1, BITS)
    assert (half + half).ends() == (0, 1)
    assert (enclose(2, BITS) + half).ends() == (2, Fraction(5, 2))


def test_products_of_every_sign() -> None:
    ends = [-3, -1, 0, 2, 5]
    pairs = [(a, b) for a in ends for b in ends if a <= b]
    for a, b in pairs:
        for c, d in pairs:
            corners = [a * c, a * d, b * c, b * d]
            product = Interval(a, b, 0, BITS) * Interval(c, d, 0, BITS)
            assert product.ends() == (min(corners), max(corners))


def test_the_largest_arguments() -> None:
    ctx.prec = 200
    for argument in (2**20, 2**21 - 1, -(2**20)):
        low, high = enclose(argument, 64).exp().ends()
        assert ball(low) <= arb(argument).exp() <= ball(high)
    for argument in (2**21, 2**21 + 1, -(2**21)):
        with pytest.raises(Undecided):
            enclose(argument, 64).exp()
    assert MAX_EXPONENT == 2**22
    small = Interval(1, 1, -MAX_EXPONENT + 40, BITS)
    assert (small * Interval(1, 1, -40, BITS)).exponent == -MAX_EXPONENT
    for factor in (-41, 2 * MAX_EXPONENT):
        with pytest.raises(Undecided):
            small * Interval(1, 1, factor, BITS)
    assert (small * Interval(0, 0, -41, BITS)).ends() == (0, 0)


def test_what_contains_zero_has_no_reciprocal() -> None:
    for low, high in ((0, 1), (-1, 1), (-1, 0), (0, 0)):
        with pytest.raises(Undecided):
            Interval(low, high, 0, BITS).reciprocal()
    assert Interval(-4, -2, 0, BITS).reciprocal().ends() == (Fraction(-1, 2), Fraction(-1, 4))


@pytest.mark.parametrize("exponent", [-64, -3, 0, 3, 64])
def test_small_powers_are_exact(exponent: int) -> None:
    assert enclose(2, BITS).power(Fraction(exponent)).ends() == (Fraction(2) ** exponent,) * 2


def test_neighbours_are_told_apart() -> None:
    """Comparisons at a distance of one unit of the smallest scale, and at none."""
    for exponent in (-40, -1, 0, 7):
        unit = Fraction(2) ** exponent
        five = Interval(5, 5, exponent, BITS)
        for k in (4, 5, 6):
            assert five.at_most(k * unit) is (k >= 5)
            assert five.below(k * unit) is (k > 5)
            assert five.at_least(k * unit) is (k <= 5)
            assert five.above(k * unit) is (k < 5)
