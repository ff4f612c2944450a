"""Gamma functions where one changed sign, shift or bound would show: borders and rounding."""

from collections.abc import Iterator
from fractions import Fraction
from math import factorial

import pytest
from flint import arb, ctx, fmpq

from proofs_checks.checker.kernel.interval import Undecided, enclose
from proofs_checks.checker.kernel.special import (
    LARGEST,
    _cut_off,
    _series,
    gamma,
    lower_gamma,
    upper_share,
)

F = Fraction


@pytest.fixture(autouse=True)
def reference() -> Iterator[None]:
    with ctx.workprec(800):
        yield


def ball(value: Fraction | int) -> arb:
    return arb(fmpq(value.numerator, value.denominator))


def series(order: Fraction, x: arb) -> arb:
    return x.gamma_lower(ball(order)) * x.exp() / x ** ball(order)


def argument(order: Fraction, start: Fraction, units: Fraction, bits: int) -> Fraction:
    """The rational x near `start` at which the series is `units * 2**-bits`, to 700 bits."""
    x, wanted = ball(start), ball(units) * arb(2) ** -bits
    for _ in range(12):
        value = series(order, x)
        x = (x - (value - wanted) / (value * (1 - ball(order) / x) + 1 / x)).mid()
    mantissa, exponent = x.man_exp()
    return F(int(mantissa)) * F(2) ** int(exponent)


@pytest.mark.parametrize("order", [F(1), F(1, 3), F(21, 2)])
@pytest.mark.parametrize("start", [F(9, 10), F(3), F(40)])
def test_sums_next_to_a_multiple_of_the_unit(order: Fraction, start: Fraction) -> None:
    """Sums 2**-200 and 2**-16 of a unit above and below it: only what is rounded away decides."""
    bits = 20
    value = series(order, ball(start)) * arb(2) ** bits
    nearest = round(float(value))
    for side, shift in ((1, 200), (-1, 200), (1, 16), (-1, 16)):
        x = argument(order, start, nearest + F(side, 2**shift), bits)
        exact = series(order, ball(x)) * arb(2) ** bits
        assert exact > nearest if side > 0 else exact < nearest
        low, high = _series(order, x, bits)
        assert arb(low) <= exact
        assert exact <= arb(high)
        assert high - low == (1 if shift == 16 else 2)


def test_the_largest_order_and_argument_are_decided() -> None:
    """The median of a gamma law is below its mean, and no further from it than 1/3."""
    assert LARGEST == 2**14
    low, high = lower_gamma(F(LARGEST), enclose(LARGEST, 64)).ends()
    whole = factorial(LARGEST - 1)
    assert whole * F(1, 2) <= low <= high <= whole * F(51, 100)
    assert high - low <= low * F(1, 2**40)


def test_the_smallest_unit_beyond_the_largest_argument_is_not_decided() -> None:
    for order, x in (
        (F(LARGEST), LARGEST + F(1, 2**20)),
        (LARGEST + F(1, 2**20), F(1)),
        (F(1), F(0)),
        (F(0), F(1)),
    ):
        with pytest.raises(Undecided):
            lower_gamma(order, enclose(x, 64))
    wide = enclose(F(-1, 2), 64).hull(enclose(1, 64))
    with pytest.raises(Undecided):
        lower_gamma(F(1), wide)


@pytest.mark.parametrize("bits", [1, 63, 64, 65, 100, 129, 130, 390])
def test_gamma_keeps_the_precision_asked_for(bits: int) -> None:
    for order in (F(1, 50), F(1, 2), F(1), F(3), F(20), F(61, 2), F(200)):
        found = gamma(order, bits)
        assert found.bits >= bits
        low, high = found.ends()
        exact = ball(order).gamma()
        assert ball(low) <= exact <= ball(high)
        assert ball(high - low) <= exact * arb(2) ** (16 - bits)


@pytest.mark.parametrize(
    ("order", "cut", "used"),
    [(F(1), 1, 0.49), (F(1, 50), 9, 0.4), (F(2), 2, 0.7), (F(10), 18, 0.85), (F(60), 118, 0.95)],
)
def test_the_gamma_integral_cut_off(order: Fraction, cut: int, used: float) -> None:
    """Where the rest is no trifle: it is added above, whole, and no more."""
    below, above = (ball(end) for end in _cut_off(order, enclose(cut, 100)).ends())
    reached = ball(cut).gamma_lower(ball(order))
    allowed = 2 * ball(cut) ** (ball(order) - 1) * ball(-cut).exp()
    slack = ball(order).gamma() * arb(2) ** -80
    assert reached - slack <= below <= reached
    assert ball(order).gamma() <= above <= reached + allowed + slack
    assert float((ball(order).gamma() - reached) / allowed) > used


def test_shares_of_both_ends() -> None:
    """The share falls in its argument: the ends of an interval give the ends, crosswise."""
    wide = enclose(F(2), 100).hull(enclose(F(3), 100))
    low, high = upper_share(F(5, 2), wide).ends()
    least, most = (arb(x).gamma_upper(ball(F(5, 2)), regularized=1) for x in (3, 2))
    slack = arb(2) ** -90
    assert least - slack <= ball(low) <= least
    assert most <= ball(high) <= most + slack
