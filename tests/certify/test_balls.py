"""Numbers for people: the right side of the number, the right number of digits, of any size."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from certify.balls import at_least, at_most, nearest

NUMBERS = st.builds(
    lambda numerator, denominator, power: Fraction(numerator, denominator) * Fraction(10) ** power,
    st.integers(-(10**20), 10**20),
    st.integers(1, 10**20),
    st.integers(-500, 500),
)


@given(NUMBERS, st.integers(1, 12))
def test_bounds_enclose_within_one_unit(value: Fraction, digits: int) -> None:
    low, high = Fraction(at_least(value, digits)), Fraction(at_most(value, digits))
    middle = Fraction(nearest(value, digits))
    width = abs(value) * Fraction(10) ** (1 - digits)
    assert low <= value <= high
    assert high - low <= width * 11 / 10
    assert abs(middle - value) <= width / 2
    assert low <= middle <= high


@pytest.mark.parametrize(
    ("value", "low", "middle", "high"),
    [
        (Fraction(0), "0", "0", "0"),
        (Fraction(2, 3), "0.666666", "0.666667", "0.666667"),
        (Fraction(-2, 3), "-0.666667", "-0.666667", "-0.666666"),
        (Fraction(100_000), "100000", "100000", "100000"),
        (Fraction(10) ** 400 / 3, "3.33333e+399", "3.33333e+399", "3.33334e+399"),
        (Fraction(1, 3 * 10**400), "3.33333e-401", "3.33333e-401", "3.33334e-401"),
    ],
)
def test_spelling(value: Fraction, low: str, middle: str, high: str) -> None:
    assert (at_least(value), nearest(value), at_most(value)) == (low, middle, high)
