"""What is printed as a bound is one: upper ends are rounded up, lower ends down."""

import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from certify.balls import at_least, at_most
from certify.certificate import load
from certify.kinds import KINDS
from certify.show import title
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome, between, brief, decimal
from tests.mutation.engine import to_bytes

CERTIFICATES = Path(__file__).parents[2] / "certificates"

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
    assert brief(third, up=False) == "3.33333333333e-1"
    assert brief(third) == "3.33333333333...e-1"


@given(NUMBERS)
def test_words_are_on_the_safe_side_as_well(value: Fraction) -> None:
    assert Fraction(at_least(value)) <= value <= Fraction(at_most(value))


def test_the_benchmark_s_drift_is_not_said_larger_than_it_is() -> None:
    # eps = 0.2128058428..., sharp R = 9.3279718..., C/eps = 43.83325...
    file = Path(__file__).parents[2] / "certificates" / "softmax-drift-benchmark.json"
    words = title(load(file))
    assert "-0.212805 |Q|_1 + 9.32798" in words
    assert "E|Q|_1 <= 43.8333" in words


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (Fraction(1, 3), Fraction(1, 3), "1/3"),
        (Fraction(333333, 10**6), Fraction(333334, 10**6), "3.3333...e-1"),
        (Fraction(-333334, 10**6), Fraction(-333333, 10**6), "-3.3333...e-1"),
        (Fraction(-5), Fraction(7), "-5 to 7"),
        (Fraction(0), Fraction(1, 3), "0 to 3.34e-1"),
        (Fraction(-1, 3), Fraction(1, 3), "-3.34e-1 to 3.34e-1"),
        (Fraction(999, 1000), Fraction(1001, 1000), "9.99e-1 to 1.01"),
        (Fraction(1, 3) - Fraction(1, 10**30), Fraction(1, 3), "3.33333333333...e-1"),
    ],
)
def test_what_is_said_of_an_interval(low: Fraction, high: Fraction, text: str) -> None:
    assert between(low, high) == text


def test_long_numbers_in_lists_are_short() -> None:
    ends = Fraction(1), Fraction(10) ** 5000
    assert brief(ends) == "[1, 1e5000]"
    assert brief(10**5000) == "1e5000"


@pytest.mark.parametrize(
    ("name", "field", "wide", "said", "shown"),
    [
        (
            "fluid-enclosure-uniform-75",
            "saving",
            ("-991e-1", "1009e-1"),
            "saving -9.91e1 to 1.01e2,",
            "saves between -99.1 and 100.9 of",
        ),
        (
            "fluid-wasserstein-exponential",
            "distance",
            ("0", "1e2"),
            "laws 0 to 1e2 apart,",
            "lie between 0 and 100 apart",
        ),
        (
            "fluid-heavy-traffic-exponential",
            "half_work_share",
            ("-5", "7"),
            "the limit -5 to 7 at every",
            "the limit between -5 and 7 at every",
        ),
        (
            "fluid-many-sizes-running",
            "saving",
            ("-1e3", "1e3"),
            "saving in [2.14285714285e-1, 2.14285714286e-1]",
            "saves between -1000 and 1000 of",
        ),
    ],
)
def test_a_wide_interval_is_not_said_to_be_a_number(
    name: str, field: str, wide: tuple[str, str], said: str, shown: str
) -> None:
    tree = json.loads((CERTIFICATES / f"{name}.json").read_bytes())
    tree["claim"][field] = dict(zip(("lo", "hi"), wide, strict=True))
    report = check_bytes(to_bytes(tree))
    assert report.outcome is Outcome.VERIFIED
    assert said in report.text
    assert shown in KINDS[tree["kind"]].words(tree["claim"])
