"""Power series where one changed index, sign or unit would show: short, wide and far apart."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product as pairs
from math import factorial
from random import Random

import pytest
from flint import arb, arb_series, ctx, fmpq

from proofs_checks.checker.kernel.interval import Interval, Undecided, enclose
from proofs_checks.checker.kernel.taylor import Series, _ball, _quotient, line

F = Fraction
BITS = 40


@pytest.fixture(autouse=True)
def reference() -> Iterator[None]:
    with ctx.workprec(600):
        yield


def ball(value: Fraction | int) -> arb:
    return arb(fmpq(value.numerator, value.denominator))


def exact(*mid: int, exponent: int = 0, terms: int = 8) -> Series:
    return Series(list(mid), [0] * len(mid), exponent, BITS, terms)


def width(found: Series, k: int) -> Fraction:
    low, high = found.coefficient(k).ends()
    return high - low


def contains(found: Series, values: list[Fraction]) -> None:
    for k, value in enumerate(values):
        low, high = found.coefficient(k).ends()
        assert low <= value <= high, k


def convolution(a: list[Fraction], b: list[Fraction], count: int) -> list[Fraction]:
    return [
        sum((a[i] * b[k - i] for i in range(k + 1) if i < len(a) and k - i < len(b)), F(0))
        for k in range(count)
    ]


def inverse(a: list[Fraction], count: int) -> list[Fraction]:
    found = [1 / a[0]]
    for k in range(1, count):
        total = sum((a[j] * found[k - j] for j in range(1, min(k, len(a) - 1) + 1)), F(0))
        found.append(-total / a[0])
    return found


def wide(chance: Random, length: int, exponent: int, size: int = BITS) -> Series:
    """Balls whose middles and radii are on either side of a multiple of a power of 2."""
    mid, rad = [], []
    for _ in range(length):
        step = chance.randrange(1, size)
        mid.append(chance.choice((1, -1)) * (chance.getrandbits(size - step) << step))
        mid[-1] += chance.choice((-1, 0, 1))
        rad.append(chance.choice((0, 1, 3, (1 << chance.randrange(size - 4)) - 1)))
    return Series(mid, rad, exponent, BITS, 6)


def corner(chance: Random, series: Series) -> list[Fraction]:
    """Coefficients at the ends of the enclosures."""
    unit = F(2) ** series.exponent
    return [
        (m + chance.choice((-1, 1)) * r) * unit for m, r in zip(series.mid, series.rad, strict=True)
    ]


@pytest.mark.parametrize("seed", range(60))
def test_every_operation_holds_the_corners_of_its_arguments(seed: int) -> None:
    chance = Random(seed)
    a = wide(chance, chance.randint(1, 6), chance.randrange(-60, 10))
    b = wide(chance, chance.randint(1, 6), chance.randrange(-60, 10), chance.choice((8, BITS, 70)))
    constant = enclose(F(chance.randint(-99, 99), 7), BITS)
    for _ in range(6):
        x, y = corner(chance, a), corner(chance, b)
        size = max(len(x), len(y))
        padded = [each + [F(0)] * (size - len(each)) for each in (x, y)]
        contains(a + b, [p + q for p, q in zip(*padded, strict=True)] + [F(0)] * (6 - size))
        contains(a * b, convolution(x, y, 6))
        square = convolution(x, x, 12)
        for k in range(12):
            assert a.square_coefficient(k).inside(*a.square_coefficient(k).ends())
            low, high = a.square_coefficient(k).ends()
            assert low <= square[k] <= high
        low, high = a.square_integral().ends()
        assert low <= 2 * sum((square[k] / (k + 1) for k in (0, 2, 4)), F(0)) <= high
        for end in constant.ends():
            integral = [end, *(each / (k + 1) for k, each in enumerate(x))]
            contains(a.antiderivative(constant), integral[:6])
            contains(a.with_constant(constant), [end, *x[1:]])
            contains(a.scaled(constant), [end * each for each in x])


@pytest.mark.parametrize("seed", range(60))
def test_reciprocals_and_exponentials_hold_the_corners(seed: int) -> None:
    chance = Random(1000 + seed)
    exponent = chance.randrange(-BITS - 12, 4 - BITS)
    a = wide(chance, chance.randint(1, 6), exponent)
    first = chance.getrandbits(BITS) | 1 << chance.randrange(BITS)
    a = Series(
        [first, *a.mid[1:]], [first >> chance.randrange(1, 50), *a.rad[1:]], exponent, BITS, 6
    )
    for _ in range(6):
        x = corner(chance, a)
        contains(a.reciprocal(), inverse(x, 6))
        with ctx.workprec(600):
            true = arb_series([ball(each) for each in x], 6).exp()
        for k in range(6):
            low, high = a.exp().coefficient(k).ends()
            assert not ball(low) > true[k]
            assert not ball(high) < true[k]


def test_short_numbers_stay_exact() -> None:
    a, b = exact(3, -1, 4), exact(1, 5, -9, 2, exponent=-3)
    total, product = a + b, a * b
    assert (total.mid, total.exponent) == ([25, -3, 23, 2], -3)
    assert (b + a).mid == total.mid
    assert (exact(5) + a).mid == (a + exact(5)).mid == [8, -1, 4]
    assert product.mid == [3, 14, -28, 35, -38, 8]
    assert not any(total.rad + product.rad)
    assert (a + 1).coefficient(0).inside(4 - F(16, 2**BITS), 4 + F(16, 2**BITS))
    assert (a * exact(1, 1, 1, 1, 1, 1, 1)).mid == [3, 2, 6, 6, 6, 6, 6, 3]
    assert exact(3, 1, terms=2) * exact(3, 1, terms=2) == exact(9, 6, terms=2)
    assert a.square_coefficient(2).ends() == (25, 25)
    assert a.square_coefficient(4).ends() == (16, 16)
    assert a.square_coefficient(5).ends() == (0, 0)
    assert a.coefficient(2).ends() == (4, 4)
    assert a.coefficient(3).ends() == (0, 0)
    assert exact(7, exponent=3).coefficient(0).ends() == (56, 56)


def test_rounding_costs_two_units() -> None:
    one = exact(1)
    long = Series([(1 << 2 * BITS) - 1, 1 << BITS], [0, 5 << BITS], -3, BITS, 8)
    for found in (long * one, one * long):
        assert found.exponent == BITS - 3
        assert found.mid == [(1 << BITS) - 1, 1]
        assert found.rad == [2, 7]
    assert (long * exact(-1)).rad == [2, 7]
    just = Series([(1 << BITS) - 1, 3], [1, 1 << BITS - 1], 0, BITS, 8)
    assert just * one == just


def test_sums_of_far_apart_numbers_lose_less_than_a_unit() -> None:
    """One ball is rounded twice, first to the other's scale, and its far end must not fall out."""
    big = Series([(1 << 2 * BITS - 1) + (1 << BITS) - 1], [1 << BITS], 0, BITS, 4)
    small = Series([15], [15], -4, BITS, 4)
    for total in (big + small, small + big):
        for sign, other in ((1, F(30, 16)), (-1, F(0))):
            end = big.mid[0] + sign * big.rad[0] + other
            low, high = total.coefficient(0).ends()
            assert low <= end <= high
        assert total.mid[0].bit_length() == BITS
        assert total.rad == [3]
    wide_but_tiny = Series([1 << BITS - 1], [1 << BITS - 2], -300, BITS, 4)
    for total in (exact(1) + wide_but_tiny, wide_but_tiny + exact(1)):
        assert total.coefficient(0).above(1 - F(8, 2**BITS))
        assert width(total, 0) <= F(8, 2**BITS)
    for shift in (0, 1, BITS // 2, BITS - 1, BITS, BITS + 1, 2 * BITS, 5000):
        total = exact(1) + exact(1, exponent=-shift)
        contains(total, [1 + F(1, 2**shift)])
        assert width(total, 0) <= F(8, 2**BITS)
        assert total.mid[0].bit_length() <= BITS


def test_integrals_of_squares_cost_two_units_a_term() -> None:
    """Of 1 + 2 s + 3 s**2: 2 + 20/3 + 18/5, the even powers below `terms`."""
    for terms, integral in ((1, F(2)), (2, F(2)), (3, F(26, 3)), (4, F(26, 3)), (5, F(184, 15))):
        low, high = exact(1, 2, 3, terms=terms).square_integral().ends()
        assert low <= integral <= high
        assert high - low <= 4 * ((terms + 1) // 2)
        if integral.denominator == 1:
            assert low + high == 2 * integral
        low, high = exact(1, 2, 3, exponent=5, terms=terms).square_integral().ends()
        assert low <= integral * 1024 <= high
    low, high = Series([4], [1], 0, BITS, 1).square_integral().ends()
    assert low <= 18
    assert high >= 50
    assert high - low <= 2 * (2 * 9 + 2)


def test_antiderivatives_cost_two_of_their_finer_units() -> None:
    """Constant 0 is added as a number of `bits` bits, which costs at most two units of the sum."""
    nothing = Interval(0, 0, -1000, BITS)
    found = exact(6, 6, 7, 8).antiderivative(nothing)
    contains(found, [F(0), F(6), F(3), F(7, 3), F(2), F(0)])
    for k in range(1, 5):
        assert width(found, k) <= F(4, 2**32) + F(32, 2**BITS)
    assert width(found, 0) <= F(32, 2**BITS)
    assert width(found, 5) == 0
    found = exact(1, 1, 1, 1, terms=4).antiderivative(enclose(5, BITS))
    contains(found, [F(5), F(1), F(1, 2), F(1, 3)])
    assert len(found.mid) == 4
    one = Series([0, 0, 5], [0, 0, 3], 0, BITS, 8).antiderivative(nothing)
    contains(one, [F(0), F(0), F(0), F(2, 3)])
    contains(one, [F(0), F(0), F(0), F(8, 3)])
    assert width(one, 3) <= 2 + F(4, 2**32) + F(32, 2**BITS)


def test_reciprocals_cost_a_few_units() -> None:
    """1/(3 - s) and 1/(3 + s + s**2): within the rounding that the recurrence adds up."""
    for coefficients in ((3, -1), (3, 1, 1), (5,), (1, 1), ((1 << BITS) - 1, 1)):
        found = exact(*coefficients).reciprocal()
        true = inverse([F(each) for each in coefficients], 8)
        contains(found, true)
        for k in range(8):
            assert width(found, k) <= F(32, 2**BITS) / coefficients[0]
    assert len(exact(5).reciprocal().mid) == 1
    assert len(exact(3, -1, terms=3).reciprocal().mid) == 3


def test_reciprocals_of_balls_are_as_wide_as_their_image() -> None:
    for mid, rad in ((1000, 1), (1000, 999), (3, 1), (1 << BITS - 1, 1 << BITS - 2)):
        found = Series([mid], [rad], 0, BITS, 4).reciprocal()
        low, high = found.coefficient(0).ends()
        least, most = F(1, mid + rad), F(1, mid - rad)
        assert low <= least
        assert most <= high
        reach = most - F(1, mid)
        assert high - low <= 2 * reach + F(16, 2**BITS) * most


def test_only_a_certainly_positive_start_has_a_reciprocal() -> None:
    for mid, rad in ((5, 5), (5, 6), (-5, 0), (0, 0)):
        with pytest.raises(Undecided):
            Series([mid, 1], [rad, 0], 0, BITS, 4).reciprocal()
    contains(Series([5, 1], [4, 0], 0, BITS, 4).reciprocal(), [F(1), F(-1), F(1), F(-1)])
    contains(Series([5, 1], [4, 0], 0, BITS, 4).reciprocal(), inverse([F(9), F(1)], 4))


@pytest.mark.parametrize("exponent", [-90, -BITS, -3, 0, 3, 20])
def test_exponentials_at_every_scale(exponent: int) -> None:
    """exp(b s + c s**3) for b and c of any size: sums of b**i c**j/(i! j!)."""
    b, c = F(3) * F(2) ** exponent, F(-5) * F(2) ** exponent
    true = [
        sum(
            (
                b**i * c**j / (factorial(i) * factorial(j))
                for i, j in pairs(range(8), range(3))
                if i + 3 * j == k
            ),
            F(0),
        )
        for k in range(8)
    ]
    found = exact(0, 3, 0, -5, exponent=exponent).exp()
    contains(found, true)
    top = max(abs(each) for each in true)
    for k in range(8):
        assert width(found, k) <= top * F(32, 2**BITS)
    assert len(exact(0).exp().mid) == 1


def test_exponentials_of_wide_series_in_large_units() -> None:
    """exp((5 +- 4 + (3 +- 1) s + (-2 +- 1) s**2) 4): the corners of the first coefficients."""
    found = Series([5, 3, -2], [4, 1, 1], 2, BITS, 3).exp()
    for first, second, third in pairs((4, 36), (8, 16), (-12, -4)):
        growth = arb(first).exp()
        true = [growth, growth * second, growth * (F(second**2, 2) + third).numerator]
        for k in range(3):
            low, high = found.coefficient(k).ends()
            assert not ball(low) > true[k]
            assert not ball(high) < true[k]
    for k, most in enumerate((arb(36).exp(), 16 * arb(36).exp(), 128 * arb(36).exp())):
        assert ball(width(found, k)) <= 3 * most


def test_quotients_of_balls() -> None:
    """Beside the largest distance from the quotient of the middles: 2 units and s/(d - s)."""
    for divisor, spread in ((1, 0), (2, 1), (5, 0), (5, 2), (6, 3), (7, 6), (9, 1)):
        for total, error in pairs(range(-25, 26), (0, 1, 4, 30)):
            middle, radius = _quotient(total, error, divisor, spread)
            corners = [
                F(total + p * error, divisor + q * spread) for p, q in pairs((-1, 1), (-1, 1))
            ]
            assert middle - radius <= min(corners) <= max(corners) <= middle + radius
            distance = F(error * divisor + abs(total) * spread, divisor * (divisor - spread))
            rounding = 1 if total >= 0 else 2
            assert radius <= distance + rounding * F(spread, divisor - spread) + 2


def test_balls_of_intervals_have_all_the_bits() -> None:
    """A recurrence that starts from a ball counts in its units, so there must be enough of them."""
    for low, high in ((1, 1), (-1, -1), (0, 1), (-3, 5), (8, 1 << BITS), (1 << BITS + 9,) * 2):
        middle, radius, exponent = _ball(Interval(low, high, 4, BITS), BITS)
        assert max(abs(middle - radius), abs(middle + radius)) >= 1 << BITS - 1
        ends = [(middle + sign * radius) * F(2) ** exponent for sign in (-1, 1)]
        assert ends == [16 * low, 16 * high]


def test_lines_have_the_terms_and_bits_asked_for() -> None:
    for terms in (1, 2, 3):
        found = line(enclose(F(1, 3), 64), enclose(F(-1, 7), 64), terms)
        assert (len(found.mid), found.terms, found.bits) == (min(terms, 2), terms, 64)
        contains(found, [F(1, 3), F(-1, 7)][:terms])
        for k in range(found.terms):
            assert width(found, k) <= F(12, 2**64)
    flat = line(enclose(F(1, 2**100), BITS), enclose(0, BITS), 3)
    contains(flat, [F(1, 2**100), F(0), F(0)])
    assert width(flat, 0) <= F(1, 2**110)
    wider = line(Interval(-1, 3, 0, BITS), Interval(2, 7, -1, BITS), 5)
    for first, second in pairs((F(-1), F(3)), (F(1), F(7, 2))):
        contains(wider, [first, second])
    assert width(wider, 0) <= 4 + F(64, 2**BITS)
    assert width(wider, 1) <= F(5, 2) + F(64, 2**BITS)


def test_intervals_become_balls_without_loss() -> None:
    for low, high in ((0, 0), (1, 1), (-3, -3), (-3, 8), ((1 << BITS) - 1, (1 << BITS) + 2)):
        found = exact(0).with_constant(Interval(low, high, 2, BITS))
        first, last = found.coefficient(0).ends()
        assert first <= 4 * low <= 4 * high <= last
        slack = F(8 * 4 * (abs(low) + abs(high) + 1), 2**BITS)
        assert last - first <= 4 * (high - low) + slack
