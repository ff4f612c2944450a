"""Intervals where one changed sign, shift or bound would show: narrow ones, edges, and widths."""

from fractions import Fraction
from math import floor
from random import Random

import pytest
from flint import arb, ctx, fmpq

from proofs_checks.checker.kernel.elementary import exp_dyadic, log_dyadic
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


@pytest.mark.parametrize("start", range(0, 120, 20))
def test_narrow_intervals_are_enclosed_and_stay_narrow(start: int) -> None:
    ctx.prec = 500
    for seed in range(start, start + 20):
        enclosed_and_narrow(narrow(seed))


def enclosed_and_narrow(x: Interval) -> None:
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
    for argument in (2**21, 2**21 + 1, 2**40):
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


def test_short_way_of_the_exponential_exceeds_any_bound_it_starts_from(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Lemma 5 without the slack of Lemma 3: an upper bound of exp(low) grows by exp(width)."""
    for width in (2**19 + 1, 2**20 - 1, 2**21 - 1, 2**22 - 1):
        for step in range(1, 21):  # starts whose product with a power of 2 is mostly rounded away
            start = 2**32 - 2**22 - step
            monkeypatch.setattr(
                f"{Interval.__module__}.exp_dyadic",
                lambda mantissa, exponent, bits, start=start: (
                    (start, start, 0) if mantissa == 0 else (start, 2 * start, 0)
                ),
            )
            part = Fraction(width, 2**40)
            _, high = Interval(0, width, -40, BITS).exp().ends()
            assert high >= start * (1 + part + part**2 / 2)


def test_short_way_of_the_logarithm_exceeds_any_bound_it_starts_from(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Lemma 5 without the slack of Lemma 4: log(high) - log(low) is within (width/low)**2 / 2."""
    monkeypatch.setattr(f"{Interval.__module__}.log_dyadic", lambda *_: (0, 0, -20))
    for low in (2**31, 2**31 + 12345, 2**32 - 2**15):
        for width in (1, 7, 2**13 + 1, 2**14 + 3):
            _, high = Interval(low, low + width, 0, BITS).log().ends()
            part = Fraction(width, low)
            assert high >= part - part**2 / 2


def test_wide_logarithms_are_as_wide_as_their_image() -> None:
    ctx.prec = 300
    low = 2**31 + 12345
    for size in range(2, 31):
        first, last = Interval(low, low + 2**size, -31, BITS).log().ends()
        image = ball(Fraction(low + 2**size, low)).log()
        assert image <= ball(last - first) <= image + ball(Fraction(5, 2**BITS))


@pytest.mark.parametrize("size", range(2, 31))
def test_ends_at_different_scales(size: int) -> None:
    """Where the two ends of a logarithm or exponential come with different exponents."""
    ctx.prec = 300
    for exponent in (-size, -size // 2, 0):
        x = Interval(1, 2**size, exponent, 40)
        first, last = x.log().ends()
        least, most = (ball(end).log() for end in x.ends())
        slack = ball(Fraction(5 * (size + 1), 2**40))
        assert least - slack <= ball(first) <= least
        assert most <= ball(last) <= most + slack
    x = Interval(-size, size, -1, 40)
    first, last = x.exp().ends()
    assert ball(first) <= (-ball(x.ends()[1])).exp()
    most = ball(x.ends()[1]).exp()
    assert most <= ball(last) <= most * (1 + ball(Fraction(5, 2**40)))


def test_the_low_end_may_come_with_the_coarser_exponent() -> None:
    """exp on [9/10, 11/10]: one multiple of log 2 at both ends, one more whole bit at the high."""
    ctx.prec = 300
    x = Interval(461, 563, -9, 40)
    first, last = x.exp().ends()
    least, most = (ball(end).exp() for end in x.ends())
    for computed, true in ((first, least), (last, most)):
        assert abs(ball(computed) - true) <= true * ball(Fraction(5, 2**39))


def test_ends_have_no_more_bits_than_asked_for_and_round_outwards() -> None:
    one = Interval(1, 1, 0, 8)
    for low, high in ((257, 511), (-511, 1), (-511, -257), (-3, 511), (0, 511), (257, 257)):
        result = Interval(low, high, 0, 16).hull(Interval(low, high, 0, 16))
        assert result.ends() == (low, high)
        result = Interval(low, high, 0, 8) * one
        first, last = result.ends()
        assert max(abs(result.low), abs(result.high)) <= 2**8
        assert low - 2 < first <= low <= high <= last < high + 2
    assert Interval(128, 255, 0, 8) * one == Interval(128, 255, 0, 8)


def test_an_end_at_zero_does_not_hide_a_huge_other_end() -> None:
    huge = Interval(1, 1, MAX_EXPONENT, BITS)
    for low, high in ((0, 1), (-1, 0), (-1, 1)):
        with pytest.raises(Undecided):
            Interval(low, high, 1, BITS) * huge


def test_whole_numbers_compare_with_fractions() -> None:
    one = Interval(1, 1, 0, BITS)
    for value in (Fraction(1, 3), Fraction(2, 3)):
        assert one.above(value)
        assert not one.at_most(value)
    for value in (Fraction(4, 3), Fraction(7, 6), Fraction(5, 2)):
        assert one.below(value)
        assert not one.at_least(value)
    assert Interval(1, 1, 3, BITS).above(Fraction(15, 2))
    assert Interval(3, 3, 0, BITS).above(Fraction(5, 2))


@pytest.mark.parametrize("bits", [2, 3, 5, 8, 16, 33, 64, 200])
def test_elementary_functions_keep_their_promised_width(bits: int) -> None:
    """Widths below 2**-bits, relative for exp and absolute for log, at low precision too."""
    ctx.prec = 1000
    chance = Random(bits)
    for _ in range(150):
        mantissa = chance.randrange(1, 1 << chance.randrange(1, bits + 2))
        exponent = chance.randrange(-bits - 20, 12) - mantissa.bit_length()
        value = ball(Fraction(mantissa)) * arb(2) ** exponent
        for sign in (1, -1):
            low, high, scale = exp_dyadic(sign * mantissa, exponent, bits)
            assert arb(low) <= (sign * value).exp() / arb(2) ** scale <= arb(high)
            assert (high - low) << bits < low
        for shift in (0, 1000, -1000):
            low, high, scale = log_dyadic(mantissa, exponent + shift, bits)
            true = (value * arb(2) ** shift).log() / arb(2) ** scale
            assert mantissa & (mantissa - 1) == 0 or arb(low) <= true <= arb(high)
            assert Fraction(high - low) * Fraction(2) ** (scale + bits) < 1


def test_whole_numbers_have_no_more_bits_than_asked_for() -> None:
    """A number of `bits` bits is exact; the next longer one lies between two even neighbours."""
    for bits in (8, 32, 64):
        for value in (2**bits - 1, -(2**bits) + 1, 1 - 2 ** (bits - 1)):
            assert enclose(value, bits).ends() == (value, value)
        for odd in (2**bits + 1, 2 ** (bits + 1) - 1, 1 - 2 ** (bits + 1)):
            assert enclose(odd, bits).ends() == (odd - 1, odd + 1)
        for value in (3 * 2 ** (bits + 5), 5 * 2**300):
            assert enclose(value, bits).ends() == (value, value)
        low, high = enclose(2 ** (bits + 300) + 1, bits).ends()
        assert (low, high) == (2 ** (bits + 300), 2 ** (bits + 300) + 2**301)


@pytest.mark.parametrize("bits", [32, 48])
@pytest.mark.parametrize("side", [1, -1])
def test_exponentials_beside_a_short_number_lie_between_its_neighbours(
    bits: int, side: int
) -> None:
    """Of the numbers of `bits` bits, 2**-16 of a unit beside one: the two nearest are the ends."""
    ctx.prec = 400
    chance = Random(bits)
    for _ in range(40):
        whole = chance.randrange((1 << bits - 1) + 2, (1 << bits) - 2)
        value = (whole + ball(Fraction(side, 2**16))) * arb(2) ** (chance.randrange(-20, 4) - bits)
        x = _floor(value.log() * arb(2) ** 300)
        true = ball(Fraction(x, 2**300)).exp()
        ulp = _unit(true, bits)
        for start in (x, x - (1 << 296)):
            first, last = Interval(start, x, -300, bits).exp().ends()
            assert ball(last - ulp) <= true <= ball(last)
            least = ball(Fraction(start, 2**300)).exp()
            assert ball(first) <= least <= ball(first + ulp)


def _floor(value: arb) -> int:
    mantissa, exponent = value.mid().man_exp()
    return floor(Fraction(int(mantissa)) * Fraction(2) ** int(exponent))


def _unit(value: arb, bits: int) -> Fraction:
    """The distance of two numbers of `bits` bits at a value that is not a power of 2."""
    return Fraction(2) ** (floor(float(abs(value).log() / arb(2).log())) + 1 - bits)


def test_logarithms_near_one_keep_their_relative_precision() -> None:
    """Where the logarithm is 2**-11 its ends are still two numbers of `bits` bits next to it."""
    ctx.prec = 300
    for bits in (32, 64, 128):
        for low, high in ((1, 1), (3, 3), (1, 2), (1, 3), (-3, -3), (-3, -1), (-1, 2)):
            x = Interval((1 << 12) + low, (1 << 12) + high, -12, bits)
            first, last = x.log().ends()
            least, most = (ball(end).log() for end in x.ends())
            slack = ball(Fraction(1, 2 ** (bits + 10)))
            assert least - slack <= ball(first) <= least
            assert most <= ball(last) <= most + slack


def test_logarithms_whose_high_end_is_scaled_further() -> None:
    """Low ends that are not 0 and come with a coarser exponent than the high ones."""
    ctx.prec = 300
    for bits in (32, 64):
        for low, high in ((3, 5), (3, 1000), (3, 10**9), (5, 10**5), (10, 2**40)):
            first, last = Interval(low, high, 0, bits).log().ends()
            least, most = ball(Fraction(low)).log(), ball(Fraction(high)).log()
            slack = ball(Fraction(32, 2**bits))
            assert least - slack <= ball(first) <= least
            assert most <= ball(last) <= most + slack


def test_exponentials_of_very_thin_intervals_are_as_narrow_as_those_of_points() -> None:
    """Widths far below a unit of the result add nothing but its rounding."""
    ctx.prec = 300
    for shift in range(BITS - 2, BITS + 40, 3):
        for whole in (1, -1, 3):
            low = whole << shift
            first, last = Interval(low, low + 1, -shift, BITS).exp().ends()
            true = ball(Fraction(low, 2**shift)).exp()
            image = true * (ball(Fraction(1, 2**shift)).exp() - 1)
            assert ball(last - first) <= image + 2 * ball(_unit(true, BITS))


@pytest.mark.parametrize("bits", [2, 8, 32])
def test_tiny_exponentials(bits: int) -> None:
    """Arguments of few units of any precision the function may work with, where n is 1 or 2."""
    ctx.prec = 600
    for exponent in range(-bits - 60, -bits, 3):
        for mantissa in (1, 2, 3, 7, 15, 31, 63, 127, 255, 511, 1023):
            for sign in (1, -1):
                low, high, scale = exp_dyadic(sign * mantissa, exponent, bits)
                true = (sign * mantissa * arb(2) ** exponent).exp() / arb(2) ** scale
                assert arb(low) <= true <= arb(high)


def test_huge_exponentials_keep_their_promised_width() -> None:
    """Where the reduction by log 2 takes most of the precision, however the number is written."""
    ctx.prec = 300
    for bits in (8, 32, 64):
        for mantissa, exponent in ((1, 20), (3, 19), (2**20, 0), (2**21 - 1, 0), (5**9, 0)):
            for sign in (1, -1):
                low, high, scale = exp_dyadic(sign * mantissa, exponent, bits)
                true = (sign * mantissa * arb(2) ** exponent).exp() / arb(2) ** scale
                assert arb(low) <= true <= arb(high)
                assert (high - low) << bits < low


def test_numbers_longer_than_the_precision() -> None:
    """Mantissas of which only the first part is used: the rest is a remainder like any other."""
    ctx.prec = 900
    chance = Random(2)
    for bits in (8, 32, 100):
        for length in (bits + 10, bits + 60, 400):
            for _ in range(20):
                mantissa = chance.getrandbits(length) | 1 << length - 1 | 1
                value = arb(mantissa) * arb(2) ** -length
                low, high, scale = exp_dyadic(mantissa, -length, bits)
                assert arb(low) <= value.exp() / arb(2) ** scale <= arb(high)
                assert (high - low) << bits < low
                low, high, scale = log_dyadic(mantissa, -length, bits)
                assert arb(low) <= value.log() / arb(2) ** scale <= arb(high)
                assert Fraction(high - low) * Fraction(2) ** (scale + bits) < 1


@pytest.mark.parametrize("bits", [8, 32, 64])
def test_exponentials_next_to_multiples_of_log_two(bits: int) -> None:
    """On both sides, nearer than a unit of the precision the reduction works with."""
    ctx.prec = 1000
    for multiple in (1, 2, 3, 100, 1001, 10**5, 10**6):
        for sign in (1, -1):
            nearest = _floor(arb(2).log() * multiple * sign * arb(2) ** 600)
            for mantissa in (nearest, nearest + 1):
                low, high, scale = exp_dyadic(mantissa, -600, bits)
                true = (arb(mantissa) * arb(2) ** -600).exp() / arb(2) ** scale
                assert arb(low) <= true <= arb(high)
                assert (high - low) << bits < low


def test_zero_and_numbers_of_either_sign_are_told_apart() -> None:
    ends = (-(2**40), -3, -2, -1, 0, 1, 2, 3, 2**40)
    for shift in (-50, -3, 0, 2):
        for left, right in ((a, b) for a in ends for b in ends):
            x, y = Interval(left, left, shift, BITS), Fraction(right, 7)
            value = left * Fraction(2) ** shift
            for other, exact in (
                (y, y),
                (right, right),
                (Interval(right, right, 1, BITS), 2 * right),
            ):
                assert x.below(other) is (value < exact)
                assert x.at_most(other) is (value <= exact)
            assert x.above(y) is (value > y)
            assert x.at_least(y) is (value >= y)
