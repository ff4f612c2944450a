"""certify.fluid.dispatch as a notebook meets it: every law, exact or enclosed, one way to ask."""

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest

from certify.errors import InputError
from certify.fluid import (
    BalancedHyperexponential,
    BoundedPareto,
    Dispatch,
    Enclosed,
    EnclosedDispatch,
    Exponential,
    FiniteLaw,
    Gamma,
    Hyperexponential,
    Lognormal,
    Mixture,
    Pareto,
    Uniform,
    Weibull,
    dispatch,
)
from certify.fluid.continuous import ContinuousLaw
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome

F = Fraction
HALF = F(1, 2)
LAWS: list[ContinuousLaw] = [
    Exponential(),
    Hyperexponential(["3/10", "7/10"], ["2", "4/7"]),  # type: ignore[arg-type]
    BalancedHyperexponential(F(10)),
    Uniform(F(1, 4)),
    Pareto(F(3, 2)),
    BoundedPareto(F(3, 2), F(100)),
    Gamma(F(3)),
    Weibull(F(1, 2)),
    Lognormal(F(1)),
    Mixture([("3/4", "4/3", Exponential())], [(0, "1/4")]),
]


def enclosed(found: Any) -> Enclosed:
    assert isinstance(found, Enclosed)
    return found


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.family)
def test_every_law_answers_every_question(law: ContinuousLaw) -> None:
    """Value, cutoff, path, saving and certificate, at few digits; one agrees with the other."""
    policy = dispatch(law, "4/5", digits=6)
    assert isinstance(policy, EnclosedDispatch)
    value = policy.value("1/2", "1/2")
    balanced = F(4, 5) / (2 * (1 - F(4, 5)))
    assert value.high <= balanced * (1 - policy.saving.low) + F(1, 10**5)
    assert policy.value(1, 1).low == 4 * value.low
    assert policy.value("1/4", "3/4") == policy.value("3/4", "1/4")
    assert policy.cutoff(1, 1) == Enclosed(F(0), F(0))
    early, late, last = (enclosed(policy.cutoff(1, u)) for u in (2, 9, 10**6))
    exit_cutoff = enclosed(policy.exit_cutoff)
    assert 0 < early.high < late.low < last.low < exit_cutoff.high
    path = policy.path(1, 1)
    assert path.cost == policy.value(1, 1)
    point = path.at_imbalance("1/3")
    there = policy.value(point.short.low, point.long.low)
    assert there.low < path.cost.high
    report = check_bytes(policy.certificate([0, "1/3"], path=True).to_bytes())
    assert report.outcome is Outcome.VERIFIED, report.line()


def test_a_list_is_a_finite_law() -> None:
    policy = dispatch([("1/2", "1/2"), ("3/2", "1/2")], "3/4")
    assert isinstance(policy, Dispatch)
    assert policy == dispatch(FiniteLaw((("1/2", "1/2"), ("3/2", "1/2"))), "3/4")
    assert policy.saving == F(3, 14)


@pytest.mark.parametrize(
    ("law", "expected"),
    [
        (3, "but was 3."),
        (None, "but was None."),
        ("pareto", "but was 'pareto'."),
        (Pareto, "but was <class 'certify.fluid.continuous.Pareto'>."),
    ],
)
def test_what_is_no_law(law: Any, expected: str) -> None:
    with pytest.raises(InputError) as refused:
        dispatch(law, "3/4")
    required = "law must be a size law, such as Exponential(), or a list of (size, mass) pairs, "
    assert str(refused.value) == required + expected


def test_bad_questions() -> None:
    with pytest.raises(InputError, match=r"^load must be greater than 0 and less than 1, but was"):
        dispatch(Exponential(), 1)
    with pytest.raises(InputError, match=r"^digits must be a whole number from 1 to 10000, but"):
        dispatch(Exponential(), "1/2", digits=0)
    policy = dispatch(Exponential(), "3/4", digits=5)
    with pytest.raises(InputError, match=r"^u1 must be at least 0, but was -1\.$"):
        policy.value(-1, 2)
    with pytest.raises(InputError, match=r"^u1, u2 must not both be 0 \(the system is empty\)"):
        policy.path(0, 0)
    assert policy.value(0, 0) == Enclosed(F(0), F(0))
    path = policy.path(1, 3)
    with pytest.raises(InputError, match=r"^imbalance must be at least 1/2 \(the imbalance never"):
        path.at_imbalance("1/3")  # type: ignore[union-attr]
    with pytest.raises(
        InputError, match=r"^cutoff must lie between 0\.7\d+ and 2\.2\d+, but was 3"
    ):
        path.at_cutoff(3)  # type: ignore[union-attr]
    with pytest.raises(InputError, match=r"^cutoff must lie between"):
        path.at_cutoff(0)  # type: ignore[union-attr]


def test_an_infinite_cutoff_where_all_jobs_join() -> None:
    policy = dispatch(Exponential(), "1/4", digits=5)
    assert isinstance(policy, EnclosedDispatch)
    assert policy.exit_cutoff == math.inf == policy.cutoff(0, 1)
    assert policy.value(0, 1) == Enclosed(F(0), F(0))
    assert policy.path(0, 1).emptying_time == Enclosed(F(2), F(2))


@pytest.mark.parametrize("load", ["1/4", "1/2", "3/4"])
@pytest.mark.parametrize("law", [Exponential(), Pareto(F(3, 2))], ids=["exponential", "pareto"])
def test_along_a_path(law: ContinuousLaw, load: str) -> None:
    """Imbalance, cutoff and time rise, work falls at the rate 1 - load, and what is left to pay
    falls; a point found by its cutoff is the one found by its imbalance."""
    policy = dispatch(law, load, digits=8)
    assert isinstance(policy, EnclosedDispatch)
    path = policy.path("1/10", "9/10")
    assert not path.mirrored
    points = [path.at_imbalance(z) for z in (F(4, 5), F(17, 20), F(9, 10), F(99, 100), F(1))]
    for before, after in pairwise(points):
        assert before.time.high < after.time.low
        assert before.total.low > after.total.high
        assert before.long.low > 0
        assert float(before.cutoff) < float(after.cutoff)
        fallen = Enclosed(before.total.low - after.total.high, before.total.high - after.total.low)
        took = (1 - F(load)) * (after.time.low - before.time.low)
        assert fallen.low - F(1, 10**6) < took < fallen.high + F(1, 10**6)
    assert points[0].time == Enclosed(F(0), F(0))
    assert points[-1].short.low == 0
    assert path.axis == points[-1]
    assert path.emptying_time.high >= path.axis.time.high
    middle = (F(enclosed(points[1].cutoff).low) + F(enclosed(points[2].cutoff).low)) / 2
    crossing = path.at_cutoff(middle)
    assert points[1].time.high < crossing.time.low < crossing.time.high < points[2].time.low
    again = path.at_imbalance((crossing.imbalance.low + crossing.imbalance.high) / 2)
    assert abs(float(again.cutoff) - float(middle)) < 1e-6
    assert abs(float(again.total) - float(crossing.total)) < 1e-6


def test_the_path_is_mirrored_for_a_shorter_second_queue() -> None:
    policy = dispatch(Exponential(), "3/4", digits=5)
    assert isinstance(policy, EnclosedDispatch)
    one, other = policy.path(1, 2), policy.path(2, 1)
    assert other.mirrored
    assert one.axis == other.axis


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        ("0.1234567", "0.1234569", "0.123457"),
        ("0.12344", "0.12346", "0.123"),
        ("0.9999", "1.0001", "1.00"),
        ("123456", "123457", "12346e1"),
        ("123456.7", "123456.8", "123457"),
        ("1e-30", "1.1e-30", "1e-30"),
        ("-2.01", "-1.99", "-2.0"),
        ("-1", "1", "between -1 and 1"),
        ("1", "9", "between 1 and 9"),
        ("3/7", "3/7", "3/7"),
        ("0.00012345", "0.00012346", "0.000123"),
        ("1e50", "1.0000001e50", "1.000000e50"),
    ],
)
def test_only_known_digits_are_printed(low: str, high: str, text: str) -> None:
    """Every number in the interval rounds to what is printed."""
    found = Enclosed(F(low), F(high))
    if text == "12346e1":  # five digits of six: in scientific notation
        text = "1.2346e5"
    assert repr(found) == str(found) == text
    assert F(low) in found
    assert float(found) == pytest.approx(float((F(low) + F(high)) / 2))


@pytest.mark.parametrize("law", [[("1/2", "1/2"), ("3/2", "1/2")], Exponential()])
@pytest.mark.parametrize("asked", [2, -1, 0.5, "x", None])
def test_every_answer_checks_its_imbalance(law: Any, asked: Any) -> None:
    policy: Any = dispatch(law, "3/4", digits=5)
    with pytest.raises(InputError, match=r"^imbalance must be"):
        policy.at(asked)
    with pytest.raises(InputError, match=r"^imbalances\[0\] must be"):
        policy.certificate([asked])
    assert policy.at("1/2") == policy.at(F(1, 2)) == policy.value("1/4", "3/4")
    for wrong in (0, "1/2"):
        with pytest.raises(InputError, match=r"^imbalances must be a list of numbers, but was"):
            policy.certificate(wrong)


def test_close_to_the_axis() -> None:
    """Far beyond any table an answer still comes in bounded time, or a sentence."""
    policy = dispatch(Exponential(), "3/4", digits=8)
    near, axis = policy.value("1e60", 1), policy.value("1e60", 0)
    assert axis.low < near.high
    assert near.high < axis.high * (1 + F(1, 10**7))
    with pytest.raises(InputError, match=r"^imbalance must be 1 or at most 1 - 1e-500"):
        policy.value("1e900", 1)


def test_enclosed_numbers_in_a_notebook() -> None:
    one, two = Enclosed(F(1), F(2)), Enclosed(F(3), F(5))
    assert one + two == Enclosed(F(4), F(7))
    assert two - one == Enclosed(F(1), F(4))
    assert 1 + one == one + "1" == Enclosed(F(2), F(3))
    assert 1 - one == Enclosed(F(-1), F(0))
    assert all((one < two, two > one, one <= 2, one >= "1"))
    assert not any((one < 2, one >= 2, one > 1))
    with pytest.raises(InputError, match=r"^number must be exact, for example \"0\.5\" in quotes"):
        one + 0.5  # type: ignore[operator]


def test_digits_of_an_answer() -> None:
    policy = dispatch(Pareto(F(3, 2)), "3/4", digits=30)
    assert isinstance(policy, EnclosedDispatch)
    shown = repr(policy.value("1/2", "1/2"))
    assert shown.startswith("0.8538917680801783495926188147")
    assert "0.85389176808017834959261881478506110775".startswith(shown[:-1])
    assert repr(policy).startswith(
        "EnclosedDispatch(law=Pareto(shape=Fraction(3, 2)), load=3/4, saving=0.43073882127988110"
    )
