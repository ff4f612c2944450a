"""A small campaign in every run, and that a campaign sees what it is there to see."""

from dataclasses import replace

import pytest

from proofs_checks.checker.kernel.interval import Interval
from tests.kernel.campaign import FUNCTIONS, Argument, Count, Function, campaign, gmpy2

LOGARITHM = FUNCTIONS["logarithm"]


@pytest.mark.parametrize("seed", [1, 2])
def test_no_value_is_missed_and_no_enclosure_is_too_wide(seed: int) -> None:
    for name, tally in campaign(2500, seed).items():
        assert tally.tried, name
        assert not tally.missed, name
        assert tally.allowed < 1, (name, tally.at)


def tried(function: Function) -> Count:
    return campaign(100, 3, {"logarithm": function})["logarithm"]


@pytest.mark.parametrize("side", [1, -1])
def test_a_shift_by_its_own_width_is_a_miss(side: int) -> None:
    def shifted(case: Argument) -> Interval:
        found = LOGARITHM.own(case)
        step = side * (found.high - found.low + 1)
        return Interval(found.low + step, found.high + step, found.exponent, found.bits)

    assert len(tried(replace(LOGARITHM, own=shifted)).missed) == 100


@pytest.mark.skipif(gmpy2 is None, reason="gmpy2, the door to MPFR, is not installed")
def test_mpfr_is_asked_as_well() -> None:
    assert len(tried(replace(LOGARITHM, mpfr=lambda x, _: gmpy2.log(x) + 1)).missed) == 100


def test_needless_width_is_seen() -> None:
    def wide(case: Argument) -> Interval:
        found = LOGARITHM.own(case)
        spread = 8 * (found.high - found.low)
        return Interval(found.low - spread, found.high + spread, found.exponent, found.bits)

    found = tried(replace(LOGARITHM, own=wide))
    assert not found.missed
    assert found.allowed > 1
