"""The ends of an interval alone: its upper end, and the whole number below its lower one."""

from fractions import Fraction
from math import floor

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
