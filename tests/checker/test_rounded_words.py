"""What is printed as a bound is one: upper ends are rounded up, lower ends down."""

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from certify.balls import at_least, at_most
from certify.certificate import load
from certify.show import title
from proofs_checks.checker.verdict import brief, decimal

NUMBERS = st.fractions(max_denominator=10**9) | st.fractions(0, Fraction(1, 10**6))


@given(NUMBERS, st.integers(1, 12))
def test_the_printed_decimal_is_on_the_asked_side(value: Fraction, digits: int) -> None:
    down, up = (Fraction(decimal(value, digits, up)) for up in (False, True))
    assert down <= value <= up
    assert up - down <= abs(value) * Fraction(1, 10 ** (digits - 1))
    assert abs(Fraction(decimal(value, digits))) == min(abs(down), abs(up))


@pytest.mark.parametrize(
    ("value", "up", "text"),
    [
        (Fraction(9996, 1000), True, "1e1"),
        (Fraction(9996, 1000), False, "9.99"),
        (Fraction(-9996, 1000), False, "-1e1"),
        (Fraction(1, 8), True, "1.25e-1"),
        (Fraction(0), True, "0"),
    ],
)
def test_known_cases(value: Fraction, up: bool, text: str) -> None:
    assert decimal(value, 3, up) == text


def test_long_fractions_are_rounded_as_asked() -> None:
    third = Fraction(10**40, 3 * 10**40 + 1)
    assert brief(third, up=True) == "3.33333333334e-1"
    assert brief(third, up=False) == brief(third) == "3.33333333333e-1"


@given(NUMBERS)
def test_words_are_on_the_safe_side_as_well(value: Fraction) -> None:
    assert Fraction(at_least(value)) <= value <= Fraction(at_most(value))


def test_the_benchmark_s_drift_is_not_said_larger_than_it_is() -> None:
    # eps = 0.2128058428..., sharp R = 9.3279718..., C/eps = 43.83325...
    file = Path(__file__).parents[2] / "certificates" / "softmax-drift-benchmark.json"
    words = title(load(file))
    assert "-0.212805 |Q|_1 + 9.32798" in words
    assert "E|Q|_1 <= 43.8333" in words
