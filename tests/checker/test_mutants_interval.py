"""The ends of an interval alone: its upper end, and the whole number below its lower one."""

from fractions import Fraction
from math import floor

import flint
import pytest

from proofs_checks.checker.kernel.interval import Interval, Undecided


def test_floors_are_those_of_the_low_end() -> None:
    for low in (-9, -8, -1, 0, 1, 7, 8, 2**40):
        for exponent in (-60, -3, -1, 0, 1, 5):
            interval = Interval(low, low + 3, exponent, 32)
            assert interval.floor() == floor(low * Fraction(2) ** exponent)
            assert interval.upper().ends() == (interval.ends()[1],) * 2


def test_a_whole_number_has_at_most_as_many_bits_again_as_the_precision() -> None:
    assert Interval(1, 2, 32, 32).floor() == 2**32
    with pytest.raises(Undecided):
        Interval(1, 2, 33, 32).floor()


@pytest.mark.parametrize("bits", [32, 64, 200])
def test_an_exponential_far_below_zero(bits: int) -> None:
    """From 0 to exp(-2**20), to about `bits` bits: its logarithm must be -2**20 again."""
    found = Interval(-3, -1, 22, bits).exp()
    low, high = found.ends()
    assert low == 0
    mantissa, shift = high.numerator, high.denominator.bit_length() - 1
    assert high.denominator == 1 << shift
    with flint.ctx.workprec(bits + 64):
        missing = flint.arb(mantissa).log() - shift * flint.arb(2).log() + 2**20
    assert 0 <= missing < flint.arb(2) ** (2 - bits)


def test_a_huge_argument_up_to_zero_has_no_exponential() -> None:
    """exp(0) = 1 is not below exp(-2**20)."""
    for exponent in (21, 25, 60):
        with pytest.raises(Undecided):
            Interval(-1, 0, exponent, 64).exp()
