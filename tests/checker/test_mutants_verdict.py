"""The ledger of conditions and the texts of numbers, where one changed sign or bound would show."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs_checks.checker.kernel.interval import enclose
from proofs_checks.checker.verdict import (
    Outcome,
    Refusal,
    Trial,
    _digits,
    between,
    brief,
    correct_digits,
    decimal,
    fewest_digits,
)

EXACT = st.fractions(max_denominator=10**30) | st.integers(-(10**60), 10**60).map(Fraction)


def test_conditions_are_counted_and_refused() -> None:
    trial = Trial(0)
    for _ in range(3):
        trial.require("one", True, "claim.x", "anything", 1)
        trial.equal("two", "claim.y", Fraction(1, 2), Fraction(1, 2))
    assert trial.tested == {"one": 3, "two": 3}
    with pytest.raises(Refusal) as caught:
        trial.require("one", False, "claim.x", "less", Fraction(1, 3))
    assert trial.tested["one"] == 4
    found = caught.value
    assert (found.outcome, found.condition, found.where) == (Outcome.REJECTED, "one", "claim.x")
    assert str(found) == "one: claim.x expected less, found 1/3"
    with pytest.raises(Refusal) as caught:
        trial.equal("two", "claim.y", Fraction(1, 2), Fraction(3, 4))
    assert trial.tested["two"] == 4
    assert caught.value.outcome is Outcome.REJECTED
    assert str(caught.value) == "two: claim.y expected 1/2, found 3/4, difference 1/4"


def test_the_budget_may_be_spent_to_the_last_step() -> None:
    trial = Trial(10)
    trial.spend(4)
    trial.spend(6)
    trial.spend(0)
    with pytest.raises(Refusal) as caught:
        trial.spend(1)
    assert caught.value.outcome is Outcome.DECLINED


@pytest.mark.parametrize("bits", [32, 33, 40_000])
def test_precisions_within_bounds(bits: int) -> None:
    assert Trial(0).precision(bits) == bits


@pytest.mark.parametrize("bits", [0, 31, 40_001])
def test_precisions_out_of_bounds(bits: int) -> None:
    with pytest.raises(Refusal) as caught:
        Trial(0).precision(bits)
    assert caught.value.outcome is Outcome.DECLINED


@given(EXACT, st.integers(1, 30))
def test_decimals_are_rounded_towards_zero(value: Fraction, digits: int) -> None:
    text = decimal(value, digits)
    mantissa = text.partition("e")[0].removeprefix("-")
    assert value == 0 or 1 <= Fraction(mantissa) < 10
    assert len(mantissa.replace(".", "")) <= digits
    assert mantissa == "0" or "." not in mantissa or mantissa[-1] not in ".0"
    error = abs(value) - abs(Fraction(text))
    assert 0 <= error * 10 ** (digits - 1) < abs(value) or error == 0
    assert (Fraction(text) < 0) == (value < 0 and text != "0")


TEXTS = {
    "0": Fraction(0),
    "1e100": Fraction(10) ** 100,
    "9.99999999999...e99": Fraction(10) ** 100 - 1,
    "1e-100": Fraction(1, 10**100),
    "1.00000000001...e-30": Fraction(100000000001, 10**41) + Fraction(1, 10**60),
    str(10**14): Fraction(10**14),
    "1e15": Fraction(10**15),
    f"1/{10**14}": Fraction(1, 10**14),
    "1e-15": Fraction(1, 10**15),
    "9.99999999999e-1": 1 - Fraction(1, 10**12),
    "9.99999999999...e-1": 1 - Fraction(1, 10**13),
    "1.92887...": Fraction("1.92887") + Fraction(1, 10**15),
    "about 2**100001": Fraction(2**100_001),
    "-about 2**-100001": -Fraction(1, 2**100_001),
}


@pytest.mark.parametrize("text", TEXTS)
def test_short_numbers_are_exact_and_long_ones_short(text: str) -> None:
    assert brief(TEXTS[text]) == text


def test_a_number_just_short_enough_is_written_out() -> None:
    power = 100_000
    assert decimal(Fraction(2**power), 3) == "9.99e30102"
    assert decimal(Fraction(1, 2**power), 3) == "1e-30103"


def test_long_lists_are_cut_after_ten_entries() -> None:
    assert brief(list(range(10))) == "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]"
    for length in (11, 12, 1_000):
        assert brief(tuple(range(length))) == "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ...]"


def test_intervals_and_words_in_messages() -> None:
    assert brief(enclose(Fraction(1, 4), 64)) == "[2.5e-1, 2.5e-1]"
    assert brief("words") == "words"


@pytest.mark.parametrize(
    ("low", "high", "digits"),
    [
        ("1", "11/10", 1),
        ("1", "101/100", 2),
        ("9999/10000", "1", 4),
        ("1", "2", 0),
        ("-1", "1", 0),
        ("-1000", "-999", 3),
        ("100", "200", 0),
        ("0", "1", 0),
        ("900", "1000", 1),
        ("901", "1001", 1),
        ("1000000", "1000001", 6),
        ("999999", "1000000", 6),
        ("1000000", "1000002", 5),
        ("1/1000", "2/1000", 0),
        ("-2", "3", 0),
        ("-3", "-2", 0),
        ("-1000", "1/1000", 0),
    ],
)
def test_correct_digits(low: str, high: str, digits: int) -> None:
    assert correct_digits(Fraction(low), Fraction(high)) == digits


@given(st.fractions(), st.fractions(min_value=Fraction(1, 10**9), max_value=1))
def test_correct_digits_are_the_most_that_are_correct(low: Fraction, width: Fraction) -> None:
    high = low + width
    digits, size = correct_digits(low, high), max(abs(low), abs(high))
    assert digits == 0 or width * 10**digits <= size
    assert width * 10 ** (digits + 1) > size


def test_points_have_no_digits_to_count() -> None:
    point, wide, wider = [(Fraction(1), Fraction(1) + w) for w in (0, Fraction(1, 9999), 1)]
    assert fewest_digits([]) is None
    assert fewest_digits([point, point]) is None
    assert fewest_digits([point, wide]) == 4
    assert fewest_digits([wide, wider, point]) == 0


@pytest.mark.parametrize(
    ("power", "less"), [(2136, 1), (2136, 0), (13301, 1), *((99_990 + k, 0) for k in range(7))]
)
def test_the_digits_of_long_numbers_are_counted_exactly(power: int, less: int) -> None:
    number = 2**power - less
    for value in (Fraction(number), Fraction(1, number)):
        text = decimal(value, 4)
        assert len(text.partition("e")[0]) <= 5
        assert Fraction(text) <= value < Fraction(text) * Fraction(1001, 1000)


def test_a_power_of_ten_is_left_out_when_it_is_zero() -> None:
    assert decimal(Fraction(-3, 2), 5) == "-1.5"
    assert decimal(Fraction(0), 5) == "0"


@given(EXACT, st.integers(1, 30))
def test_bounds_are_rounded_away_from_the_number(value: Fraction, digits: int) -> None:
    """Down and up are the nearest decimals of so many digits on either side, and equal if exact."""
    low, high = (Fraction(decimal(value, digits, up)) for up in (False, True))
    assert low <= value <= high
    assert (high - low) * 10 ** (digits - 1) <= abs(value) * 10
    assert Fraction(decimal(value, digits)) == (low if value > 0 else high)
    if low == high:
        assert low == value


def test_a_bound_that_rounds_to_a_power_of_ten() -> None:
    almost = Fraction(9995, 1000)
    assert (decimal(almost, 3, True), decimal(almost, 3, False)) == ("1e1", "9.99")
    assert (decimal(-almost, 3, True), decimal(-almost, 3, False)) == ("-9.99", "-1e1")
    assert decimal(Fraction(1, 2), 3, True) == decimal(Fraction(1, 2), 3, False) == "5e-1"
    assert decimal(Fraction(2, 3), 2, True) == "6.7e-1"
    assert decimal(Fraction(-2, 3), 2, True) == "-6.6e-1"
    assert decimal(Fraction(1, 2) + Fraction(1, 10**20), 3, True) == "5.01e-1"


def test_huge_numbers_are_bounded_by_powers_of_two() -> None:
    big = 3 * Fraction(2) ** 100_001
    for value in (big, -big, 1 / big, -1 / big):
        low, high = decimal(value, 3, False), decimal(value, 3, True)
        ends = []
        for text in (low, high):
            base, _, power = text.removeprefix("-").partition("**")
            assert base == "2"
            ends.append((-1 if text[0] == "-" else 1) * Fraction(2) ** int(power))
        assert ends[0] < value < ends[1]
        assert max(abs(each) for each in ends) <= 4 * min(abs(each) for each in ends)
    assert decimal(-big, 3) == "-about 2**100002"


LONG = Fraction(10) ** 45


def test_long_numbers_are_cut_and_dotted() -> None:
    """Unless the digits shown are all there are, or a side was asked for."""
    assert brief(LONG / 3) == "3.33333333333...e44"
    assert brief(-LONG / 3) == "-3.33333333333...e44"
    assert brief(LONG / 3, True) == "3.33333333334e44"
    assert brief(LONG / 3, False) == "3.33333333333e44"
    assert brief(LONG * 123456789012) == "1.23456789012e56"
    assert brief(LONG * 1234567890123) == "1.23456789012...e57"
    assert brief(10**45) == "1e45"
    assert brief(10**45 + 1) == "1...e45"
    assert brief(7) == "7"
    assert brief(10**15 - 1) == "9" * 15
    assert brief(Fraction(10**7, 10**7 + 1)) == f"{10**7}/{10**7 + 1}"
    assert brief(Fraction(10**8, 10**8 + 1)) == "9.9999999...e-1"
    assert brief((1, Fraction(1, 2))) == "[1, 1/2]"
    assert brief([Fraction(1, 3), "x"]) == "[1/3, x]"
    assert brief(3 * Fraction(2) ** 100_001) == "about 2**100002"
    assert brief(enclose(Fraction(1, 3), 64)) == "[3.33333333333e-1, 3.33333333334e-1]"


def test_a_number_known_between_two_ends() -> None:
    one = Fraction(123_456_789_012_345, 10**14)
    assert between(Fraction(1, 3), Fraction(1, 3)) == "1/3"
    assert between(one, one + Fraction(1, 10**14)) == "1.23456789012..."
    for digits in range(3, 13):
        step = Fraction(1, 10 ** (digits - 1))
        low = Fraction(int(one / step)) * step
        found = between(low + step / 10, low + step * 9 / 10)
        assert found == f"{decimal(low, digits)}..."
    assert between(Fraction(121, 100), Fraction(129, 100)) == "1.21 to 1.29"
    assert between(Fraction(1, 3), Fraction(2, 3)) == "3.33e-1 to 6.67e-1"
    assert between(Fraction(-2, 3), Fraction(-1, 3)) == "-6.67e-1 to -3.33e-1"
    assert between(Fraction(-1, 3), Fraction(1, 3)) == "-3.34e-1 to 3.34e-1"
    assert between(Fraction(0), Fraction(1, 3)) == "0 to 3.34e-1"
    assert between(Fraction(-1, 3), Fraction(0)) == "-3.34e-1 to 0"
    tiny = Fraction(1, 10**40)
    assert between(tiny / 3, tiny / 3 + tiny**2) == "3.33333333333...e-41"
    huge = Fraction(2) ** 100_001
    assert between(huge, huge + 1) == "about 2**100001"


def test_what_was_expected_may_be_words_and_numbers() -> None:
    for expected, words in (
        (Fraction(1, 3), "1/3"),
        (("at most", Fraction(1, 3)), "at most 1/3"),
        ("less", "less"),
    ):
        with pytest.raises(Refusal) as caught:
            Trial(0).require("one", False, "claim.x", expected, 2)
        assert caught.value.expected == words
    assert str(caught.value) == "one: claim.x expected less, found 2"


def test_a_terminating_decimal_is_not_written_as_a_fraction() -> None:
    """Beside rounded decimals it is one; what was cut from it is seen by a dot or the side."""
    cost = Fraction("0.73918499750285693692")
    assert brief(cost, False) == "7.39184997502e-1"
    assert brief(cost, True) == "7.39184997503e-1"
    assert brief(cost) == "7.39184997502...e-1"
    for up in (None, False, True):
        assert brief(Fraction("0.731234567"), up) == "7.31234567e-1"
        assert brief(Fraction("0.0025"), up) == "1/400"
        assert brief(Fraction(383070, 31339), up) == "383070/31339"


@pytest.mark.parametrize(
    ("expected", "found", "difference"),
    [
        (Fraction(1), 1 + Fraction(1, 10**20), "1e-20"),
        (("at most", Fraction(1)), 1 + Fraction(1, 10**20), "1e-20"),
        (("1", "from the words", Fraction(3, 4)), Fraction(1, 2), "-1/4"),
        ((Fraction(1), "or more"), Fraction(1, 2), ""),
        (Fraction(1), 2, ""),
        (2, Fraction(1), ""),
        ((), Fraction(1), ""),
    ],
)
def test_numbers_that_look_alike_are_told_apart(
    expected: object, found: object, difference: str
) -> None:
    with pytest.raises(Refusal) as caught:
        Trial(0).require("one", False, "claim.x", expected, found)
    assert caught.value.difference == difference


def test_kept_numbers_are_paid_for() -> None:
    """200 steps a number and a third of a step a bit, and their square beyond 700 bits or so."""
    for reals, bits, steps in ((1, 0, 200), (3, 300, 900), (2, 5000, 2 * (200 + 1666 + 50))):
        trial = Trial(steps)
        trial.keep(reals, bits)
        with pytest.raises(Refusal):
            trial.spend(1)


def test_every_power_of_ten_has_its_number_of_digits() -> None:
    """10**k has k + 1 digits and the number before it k, at every length of the first guess."""
    for exponent in [*range(1, 60), 25_000, 30_000]:
        for sign in (1, -1):
            assert _digits(sign * 10**exponent) == exponent + 1
            assert _digits(sign * (10**exponent - 1)) == exponent
    for exponent in range(1, 60):
        for number, power in ((10**exponent, exponent), (10**exponent - 1, exponent - 1)):
            text = decimal(Fraction(number), 80)
            assert text.partition("e")[2] == (str(power) if power else "")
            assert Fraction(text) == number
