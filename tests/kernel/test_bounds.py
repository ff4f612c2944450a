"""Every remainder bound of kernel.md and special-functions.md, evaluated where it is tight.

Each test holds the bound against Arb at 3000 bits at the arguments that use most of it, and asserts
how much of it they use, so that neither a bound that is too small nor one that lost its point
passes.
"""

import random
from collections.abc import Iterator
from fractions import Fraction

import pytest
from flint import arb, ctx, fmpq

from proofs_checks.checker.kernel.elementary import _atanh, _log2, exp_dyadic, log2, log_dyadic
from proofs_checks.checker.kernel.interval import Interval, enclose
from proofs_checks.checker.kernel.special import _series, gamma, lower_gamma
from proofs_checks.checker.kernel.taylor import line
from proofs_checks.checker.kinds.rank_numbers import square_root
from proofs_checks.checker.verdict import Trial

F = Fraction
HALF = arb(1) / 2


@pytest.fixture(autouse=True)
def reference() -> Iterator[None]:
    with ctx.workprec(3000):
        yield


def ball(value: Fraction | int) -> arb:
    return arb(fmpq(value.numerator, value.denominator))


def dyadic(mantissa: int, exponent: int) -> arb:
    return arb(mantissa) * arb(2) ** exponent


def place(low: int, high: int, exponent: int, value: arb) -> float:
    """Where the value lies between the bounds: 0 at the lower, 1 at the upper one."""
    assert dyadic(low, exponent) <= value
    assert value <= dyadic(high, exponent)
    return float((value / arb(2) ** exponent - low) / (high - low))


@pytest.mark.parametrize("bits", [12, 20, 40, 64])
def test_inverse_hyperbolic_tangent(bits: int) -> None:
    """Lemma 1: T misses artanh by at most 3n/2 + 1/100 units, and some argument takes a quarter."""
    chance, most = random.Random(bits), 0.0
    corners = [0, 1, 2, 3, 1 << bits - 3, (1 << bits - 3) - 1]
    for low in corners + [chance.getrandbits(bits - 3) for _ in range(500)]:
        below, above = _atanh(low, bits)
        terms = (above - below - 3) // 2
        missed = dyadic(low, -bits).atanh() * arb(2) ** bits - below
        assert missed >= 0
        assert missed * 2 <= 3 * terms + arb("0.02") * (terms > 0)
        assert dyadic(low + 2, -bits).atanh() <= dyadic(above, -bits)
        assert terms <= next(j for j in range(bits) if low ** (2 * j + 1) < 1 << 2 * j * bits)
        if terms:
            most = max(most, float(missed) / (1.5 * terms))
    assert most > 0.25


def test_the_slope_of_the_inverse_hyperbolic_tangent() -> None:
    """Lemma 1: at most 5/4 up to 1/8 + 1/32; two units at 0 take just more than two."""
    assert _atanh(0, 64) == (0, 3)
    assert 2 < dyadic(2, -64).atanh() * arb(2) ** 64 < 2 + arb(2) ** -100
    slope = 1 / (1 - arb(fmpq(5, 32)) ** 2)
    assert 1 < slope < arb(fmpq(5, 4))


def test_the_series_of_the_logarithm_of_two() -> None:
    """Lemma 2: 2 (n + 2) units hold it, n the number of terms beside the first."""
    for bits in [*range(2, 40), 64, 200]:
        low, high = _log2(bits)
        terms = (high - low) // 2 - 2
        assert 9**terms * 3 > 2**bits >= 9 ** (terms - 1) * 3
        place(low, high, -bits, arb(2).log())


def test_logarithm_of_two() -> None:
    """Lemma 2: the bounds are neighbours, and log 2 is near either of some."""
    places = []
    for bits in [*range(1, 700, 7), 10_000]:
        low, high = log2(bits)
        assert high - low == 1
        with ctx.workprec(max(3000, 2 * bits)):
            places.append(place(low, high, -bits, arb(2).log()))
    assert min(places) < 0.1
    assert max(places) > 0.9


@pytest.mark.parametrize("bits", [32, 64, 233])
def test_exponential(bits: int) -> None:
    """Lemma 3: just below and above multiples of log 2, and where nothing is reduced."""
    chance, places = random.Random(bits), []
    for multiple in range(-40, 40):
        nearest = int((arb(2).log() * multiple * arb(2) ** bits).floor().unique_fmpz())
        for mantissa in (nearest, nearest + 1, nearest + (chance.getrandbits(bits) | 1)):
            low, high, exponent = exp_dyadic(mantissa, -bits, bits)
            places.append(place(low, high, exponent, dyadic(mantissa, -bits).exp()))
    assert min(places) < 0.15
    assert max(places) > 0.25


@pytest.mark.parametrize("bits", [32, 64, 233])
def test_logarithm(bits: int) -> None:
    """Lemma 4: on both sides of 1, where the scaling changes, and beside 3/4 and 3/2."""
    chance, places = random.Random(bits), []
    for edge in (3 << bits - 2, 1 << bits, 3 << bits - 1):
        for mantissa in [edge + each for each in range(-40, 41)] + [
            edge + (chance.getrandbits(bits - 3) | 1) for _ in range(60)
        ]:
            low, high, exponent = log_dyadic(mantissa, -bits, bits)
            if mantissa == 1 << bits:
                assert low <= 0 <= high
            else:
                places.append(place(low, high, exponent, dyadic(mantissa, -bits).log()))
    assert min(places) < 0.15
    assert max(places) > 0.3


@pytest.mark.parametrize("bits", [32, 64, 128])
def test_exponential_of_a_narrow_interval(bits: int) -> None:
    """Lemma 5: exp(W) - 1 - W is W**2/2 of the W**2 allowed, at the widest W of the short way."""
    top, guard = bits + 8, (bits + 1) // 2 + 4
    width = (1 << top - guard) - 1
    allowed = dyadic(1, -top)
    used = (dyadic(width, -top).exp() - 1 - dyadic(width, -top)) / allowed
    assert 0.49 < float(used) < 0.51
    ends = 1 << bits, (1 << bits) + (width >> top - bits)
    narrow = Interval(*ends, -bits, bits).exp()
    for mantissa in ends:
        place(narrow.low, narrow.high, narrow.exponent, dyadic(mantissa, -bits).exp())


def test_logarithm_of_a_narrow_interval() -> None:
    """Lemma 5: log(high) - log(low) is all but width/(2 low) of the bound (high - low)/low."""
    bits = 128
    low, width = 3 << bits - 2, 1 << bits // 2 - 3
    found = Interval(low, low + width, 5, bits).log()
    for mantissa in (low, low + width):
        place(found.low, found.high, found.exponent, dyadic(mantissa, 5).log())
    used = (dyadic(low + width, 5).log() - dyadic(low, 5).log()) / (arb(width) / low)
    assert 0 < 1 - used < arb(2) ** -60


@pytest.mark.parametrize("bits", [32, 100])
def test_square_root(bits: int) -> None:
    """Lemma 6: exact at squares, and one unit is needed where the root is just below a whole."""
    trial = Trial(10**9)
    for whole in (1, 2, 1000, 10**6):
        assert square_root(whole**2, bits, trial).ends() == (whole, whole)
    whole = 1 << bits  # sqrt(whole**2 - 1) is half a unit of 2**-bits below it
    assert square_root(whole**2 - 1, bits, trial).ends()[1] == whole
    for root in (2, 3, whole**2 - 1, whole**2 + 1):
        low, high = square_root(root, bits, trial).ends()
        assert ball(low) < ball(root).sqrt()
        assert ball(root).sqrt() < ball(high)


@pytest.mark.parametrize("bits", [64, 200])
def test_the_series_of_the_gamma_function(bits: int) -> None:
    """Lemma 5 there: neighbouring bounds, with sums next to either."""
    chance, places = random.Random(bits), []
    for _ in range(60):
        order = F(chance.randint(1, 400), chance.randint(1, 40))
        x = F(chance.randint(1, 4000), chance.randint(10, 400))
        low, high = _series(order, x, bits)
        exact = ball(x).gamma_lower(ball(order)) * ball(x).exp() / ball(x) ** ball(order)
        places.append(place(low, high, -bits, exact))
        assert high - low == 1
    assert min(places) < 0.1
    assert max(places) > 0.9


@pytest.mark.parametrize(
    ("order", "factor", "used"),
    [
        (F(1), 1, 0.999),
        (F(1, 2), 1, 0.98),
        (F(1, 50), 1, 0.98),
        (F(2), 2, 0.5),
        (F(8000), 2, 0.995),
    ],
)
def test_the_rest_of_the_gamma_integral(order: Fraction, factor: int, used: float) -> None:
    """Lemma 7 there: N**(c-1) exp(-N) up to c = 1, twice as much above; nearly used for large c."""
    bits = 64
    cut = bits + 2 * int(order)
    first = ball(cut) ** (ball(order) - 1) * ball(-cut).exp()
    share = ball(cut).gamma_upper(ball(order)) / (first * factor)
    assert float(share) <= 1 + 1e-12
    assert float(share) > used
    below, whole = lower_gamma(order, enclose(cut, bits)), gamma(order, bits)
    assert ball(below.ends()[0]) < ball(order).gamma()
    place(whole.low, whole.high, whole.exponent, ball(order).gamma())


def test_the_error_function_is_a_share() -> None:
    """Lemma 8 there: P(N > y) = Q(1/2, y**2/2)/2 = erfc(y/sqrt 2)/2, to 2900 bits of Arb."""
    for y in (F(1, 10**6), F(1), F(37, 5), F(30)):
        share = ball(y * y / 2).gamma_upper(HALF, regularized=1) / 2
        assert abs(share - (ball(y) / arb(2).sqrt()).erfc() / 2) < share * arb(2) ** -2000


@pytest.mark.parametrize("terms", [2, 4, 10])
def test_taylor_quadrature_attains_its_remainder(terms: int) -> None:
    """Lemma 4 there: for s**n the listed terms vanish and 2/(n + 1) is the whole integral."""
    bits = 64
    power = line(enclose(0, bits), enclose(1, bits), terms + 1)
    product = power
    for _ in range(terms // 2 - 1):
        product = product * power
    assert line(enclose(0, bits), enclose(1, bits), 2).square_integral().ends()[0] <= 0
    rest = product.square_coefficient(terms) * F(2, terms + 1)
    low, high = rest.ends()
    assert low <= F(2, terms + 1) <= high
    assert high - low < F(1, 2 ** (bits - 8))


@pytest.mark.parametrize("terms", [2, 6, 20, 60])
def test_taylor_quadrature_encloses(terms: int) -> None:
    """1/(2 + s)**2 over [-1, 1] is 2/3: its coefficients on the whole interval bound the rest."""
    bits = 100
    near = line(enclose(2, bits), enclose(1, bits), terms).reciprocal()
    whole = enclose(1, bits).hull(enclose(3, bits))
    over = line(whole, enclose(1, bits), terms + 1).reciprocal()
    main, rest = near.square_integral(), over.square_coefficient(terms) * F(2, terms + 1)
    low, high = (main + rest).ends()
    assert low <= F(2, 3) <= high
    assert main.ends()[0] < F(2, 3), "the listed terms alone do not reach the integral"
