"""The kernel's enclosures against Arb at 3000 bits: always right, and never needlessly wide."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from flint import arb, ctx, fmpq
from hypothesis import given
from hypothesis import strategies as st

from proofs_checks.arithmetic import arb as balls
from proofs_checks.checker.kernel import own
from proofs_checks.checker.kernel.elementary import exp_dyadic, log2, log_dyadic
from proofs_checks.checker.kernel.interval import Interval, Undecided, enclose

REFERENCE_BITS = 3000


@pytest.fixture(autouse=True)
def reference() -> None:
    ctx.prec = REFERENCE_BITS


def ball(value: Fraction) -> arb:
    return arb(fmpq(value.numerator, value.denominator))


def contains(interval: Interval, value: arb) -> bool:
    low, high = interval.ends()
    return bool(ball(low) <= value) and bool(value <= ball(high))


def corner(draw: Callable[..., int]) -> Fraction:
    """Numbers near 0, near 1, huge, tiny, around powers of two, and ordinary fractions."""
    shape = draw(st.sampled_from(["plain", "near one", "power", "huge", "tiny", "near power"]))
    small = draw(st.integers(1, 10**6))
    shift = draw(st.integers(1, 500))
    sign = draw(st.sampled_from([1, -1]))
    if shape == "plain":
        return Fraction(small, draw(st.integers(1, 10**6)))
    if shape == "near one":
        return 1 + sign * Fraction(1, 2**shift)
    if shape == "power":
        return Fraction(2) ** (sign * shift)
    if shape == "huge":
        return Fraction(small * 2**shift)
    if shape == "tiny":
        return Fraction(1, small * 2**shift)
    return Fraction(2) ** (sign * (shift // 4)) * (1 + sign * Fraction(1, 2**shift))


corners = st.composite(lambda draw: corner(draw))()
precisions = st.sampled_from([32, 53, 64, 65, 100, 230, 400, 1000])


@given(corners, precisions)
def test_enclose_is_tight(value: Fraction, bits: int) -> None:
    interval = enclose(value, bits)
    assert contains(interval, ball(value)) or interval.ends() == (value, value)
    low, high = interval.ends()
    assert high - low <= value * Fraction(4, 2**bits)


@given(corners, precisions)
def test_logarithm(value: Fraction, bits: int) -> None:
    result, true = enclose(value, bits).log(), ball(value).log()
    low, high = result.ends()
    if value == 1:
        assert low <= 0 <= high
    else:
        assert contains(result, true)
    assert high - low <= Fraction(16, 2**bits) * max(1, abs(low), abs(high))


@given(corners, precisions, st.sampled_from([1, -1]))
def test_exponential(value: Fraction, bits: int, sign: int) -> None:
    value = sign * min(value, Fraction(2**19))
    result, true = enclose(value, bits).exp(), ball(value).exp()
    assert contains(result, true)
    low, high = result.ends()
    assert high - low <= Fraction(16, 2**bits) * max(1, abs(value)) * high


@given(corners, corners, precisions, st.sampled_from([1, -1]))
def test_field_operations(x: Fraction, y: Fraction, bits: int, sign: int) -> None:
    y = sign * y
    a, b = enclose(x, bits), enclose(y, bits)
    for result, exact in ((a + b, x + y), (a - b, x - y), (a * b, x * y), (a / b, x / y)):
        low, high = result.ends()
        assert low <= exact <= high


@given(
    st.tuples(corners, corners),
    st.tuples(corners, corners),
    st.integers(0, 8),
    st.sampled_from([40, 64, 200]),
)
def test_wide_intervals_hold_all_their_points(
    xs: tuple[Fraction, Fraction], ys: tuple[Fraction, Fraction], eighths: int, bits: int
) -> None:
    share = Fraction(eighths, 8)
    x = min(xs) + share * abs(xs[0] - xs[1])
    y = -max(ys) + share * sum(ys)
    a = enclose(min(xs), bits).hull(enclose(max(xs), bits))
    b = enclose(-max(ys), bits).hull(enclose(min(ys), bits))
    for result, exact in ((a + b, x + y), (a - b, x - y), (a * b, x * y)):
        low, high = result.ends()
        assert low <= exact <= high
    if max(xs) < 2**18:
        assert contains(a.exp(), ball(x).exp())
    if a.ends()[0] <= 0:  # the low end is lost where the high end is more than 2**bits larger
        assert max(xs) > min(xs) * 2 ** (bits - 2)
        return
    assert contains(a.log(), ball(x).log()) or x == 1
    low, high = a.reciprocal().ends()
    assert low <= 1 / x <= high


@given(corners, st.fractions(-5, 5, max_denominator=40), st.sampled_from([64, 230]))
def test_power(base: Fraction, exponent: Fraction, bits: int) -> None:
    try:
        result = enclose(base, bits).power(exponent)
    except Undecided:
        assert abs(exponent) * max(base, 1 / base) > 2**60
        return
    true = (ball(base).log() * ball(exponent)).exp()
    low, high = result.ends()
    assert ball(low) - true <= 0 or (ball(low) - true).contains(0)
    assert true - ball(high) <= 0 or (true - ball(high)).contains(0)


def test_log2_bounds_are_neighbours() -> None:
    for bits in (1, 31, 32, 64, 65, 300, 2999):
        low, high = log2(bits)
        scaled = arb(2).log() * arb(2) ** bits
        assert arb(low) <= scaled <= arb(high)
        assert high - low <= 2


def test_exact_points_stay_exact() -> None:
    assert enclose(0, 64).exp().ends()[0] <= 1 <= enclose(0, 64).exp().ends()[1]
    zero = enclose(1, 64).log().ends()
    assert zero[0] <= 0 <= zero[1]
    assert enclose(Fraction(3, 4), 64).ends() == (Fraction(3, 4), Fraction(3, 4))


def test_zero_is_neutral_at_every_scale() -> None:
    tiny = enclose(Fraction(1, 2**700), 64)
    assert (enclose(0, 64) + tiny).ends() == tiny.ends()
    assert (tiny + 0).ends() == tiny.ends()


@pytest.mark.parametrize("operation", ["reciprocal", "log"])
def test_what_zero_forbids(operation: str) -> None:
    around_zero = enclose(-1, 64).hull(enclose(1, 64))
    with pytest.raises(Undecided):
        getattr(around_zero, operation)()
    with pytest.raises(Undecided):
        getattr(enclose(0, 64), operation)()


def test_a_huge_exponential_is_refused() -> None:
    with pytest.raises(Undecided):
        enclose(2**22, 64).exp()


def between(low: int, high: int, arithmetic: Any) -> Any:
    return arithmetic.enclose(Fraction(low), 64).hull(arithmetic.enclose(Fraction(high), 64))


@pytest.mark.parametrize("arithmetic", [own, balls], ids=["own", "arb"])
@pytest.mark.parametrize(
    ("low", "high"), [(-(2**22), -(2**22)), (-(2**23), -(2**21)), (-(10**900), -(10**899))]
)
def test_next_to_nothing_is_from_zero_to_the_least_that_is_computed(
    low: int, high: int, arithmetic: Any
) -> None:
    bottom, top = between(low, high, arithmetic).exp().ends()
    just = arithmetic.enclose(Fraction(-(2**20)), 64).exp().ends()
    assert bottom <= 0 < just[0] <= top
    assert top - bottom <= just[1] * 2
    assert bottom == 0 or arithmetic is balls


def test_the_border_of_the_least_exponential() -> None:
    """At most -2**20 for certain, and perhaps below -2**21."""
    assert between(-(2**22), -(2**20), own).exp().ends()[0] == 0
    with pytest.raises(Undecided):
        between(-(2**22), -(2**20) + 1, own).exp()


@pytest.mark.parametrize("arithmetic", [own, balls], ids=["own", "arb"])
@pytest.mark.parametrize(("low", "high"), [(-(2**22), -(2**19)), (-(2**22), 1), (-1, 2**21)])
def test_an_exponential_of_a_wide_argument_is_refused(low: int, high: int, arithmetic: Any) -> None:
    with pytest.raises(Undecided):
        between(low, high, arithmetic).exp()


@pytest.mark.parametrize("bits", [32, 64, 233])
def test_remainder_bounds_where_they_are_tight(bits: int) -> None:
    """Lemmas 3 and 4 at arguments whose series end after the fewest and the most terms."""
    for mantissa, exponent in ((1, -bits), (-1, -bits), (2**bits - 1, -bits), (3, -2), (1, 19)):
        low, high, scale = exp_dyadic(mantissa, exponent, bits)
        true = (arb(mantissa) * arb(2) ** exponent).exp() / arb(2) ** scale
        assert arb(low) <= true <= arb(high)
        if mantissa > 0:
            low, high, scale = log_dyadic(mantissa, exponent, bits)
            true = (arb(mantissa) * arb(2) ** exponent).log() / arb(2) ** scale
            assert arb(low) <= true <= arb(high)


def test_comparisons_are_certain_only_when_disjoint() -> None:
    third = enclose(Fraction(1, 3), 64)
    low, high = third.ends()
    assert third.above(low - 1)
    assert not third.above(low)
    assert third.at_least(low)
    assert not third.at_least(high)
    assert third.at_most(high)
    assert not third.at_most(low)
    assert third.below(high + 1)
    assert not third.below(high)
    assert third.inside(low, high)
    assert not third.inside(low, low)
    assert not third.inside(high, high)
    assert third.at_most(enclose(1, 64))
    assert not third.at_most(third)
    assert not third.below(third)
    assert third.least(1) is third
    assert third.least(0).ends() == (0, 0)
    assert (
        third.hull(enclose(1, 64))
        .least(Fraction(1, 2))
        .inside(low - Fraction(1, 2**63), Fraction(1, 2))
    )
