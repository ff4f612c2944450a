"""The audit of the potential under attack: every single change, and lies an attacker would try."""

import copy
from fractions import Fraction
from typing import Any

import pytest

from certify.certificate import decimal
from certify.softmax import ReflectedUAS, System, WeightedShortestQueue
from certify.softmax.obstruction import certify_obstruction
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome
from tests.mutation.engine import Tally, judge, several, single, to_bytes, truth_of

PAIR = ReflectedUAS("1.6", [1, 1], alpha=20, beta="0.85", gamma="0.5", offset="0.5")
UNEQUAL = ReflectedUAS("2.4", [1, 2], alpha=20, beta="0.85", gamma="0.5", offset="0.5")
WEIGHTED = WeightedShortestQueue("1.5", [1, 1], weights=[1, 1], temperature=2)


def tree(system: System, radius: int = 3, digits: int = 12) -> dict[str, Any]:
    made = certify_obstruction(system, radius, digits).certificate()
    return {"format": "certify/1", "kind": made.kind, "claim": made.claim, "witness": made.witness}


def refused(forged: dict[str, Any]) -> str:
    """The condition that refuses a forgery."""
    report = check_bytes(to_bytes(forged))
    assert report.outcome is Outcome.REJECTED, report.line()
    assert report.refusal
    return report.refusal.condition


@pytest.mark.parametrize("system", [PAIR, UNEQUAL, WEIGHTED], ids=["pair", "unequal", "weighted"])
def test_every_change(system: System) -> None:
    honest = tree(system)
    truth, tally = truth_of(honest["kind"]), Tally()
    assert check_bytes(to_bytes(honest)).outcome is Outcome.VERIFIED
    assert truth(copy.deepcopy(honest["claim"])) is True
    judge(single(honest), truth, tally)
    judge(several(honest, 60, seed=5), truth, tally)
    assert not tally.false_accepted
    assert tally.false_refused > 100
    assert tally.true_accepted > 0


def test_the_printed_boundary_maximum_as_the_maximum_of_the_grid() -> None:
    """1.5113 is the largest gap at the boundary, not on the grid."""
    forged = tree(PAIR)
    forged["claim"]["max_gap"] = forged["claim"]["max_boundary_gap"]
    forged["claim"]["max_gap_state"] = [0, 0]
    assert refused(forged) == "maximum"


def test_no_positive_term_where_only_the_sum_is_negative() -> None:
    forged = tree(UNEQUAL)
    assert forged["claim"]["positive_boundary_states"] == 0
    forged["claim"]["positive_coordinate_states"] = 0
    assert refused(forged) == "not-positive"


def test_a_true_term_denied_and_hidden_as_undecided() -> None:
    """Denied it is refused; called undecided it is true, and the verdict says so."""
    forged = tree(PAIR)
    forged["claim"]["positive_boundary_states"] = 0
    assert refused(forged) == "not-positive"
    forged["claim"]["undecided_states"] = 1
    report = check_bytes(to_bytes(forged))
    assert report.outcome is Outcome.VERIFIED
    assert "1 undecided" in report.text


def test_a_positive_drift_taken_at_the_boundary() -> None:
    """(c) speaks of states without an empty queue only."""
    forged = tree(PAIR)
    forged["claim"]["interior_drift"]["state"] = [0, 1]
    assert refused(forged) == "shape"


def test_a_negative_drift_as_an_obstruction() -> None:
    forged = tree(PAIR)
    forged["claim"]["interior_drift"] = {"state": [1, 9], "value": {"lo": "-2", "hi": "3"}}
    assert refused(forged) == "interior-drift"


def test_the_diagonal_of_servers_that_differ() -> None:
    forged = tree(UNEQUAL)
    forged["claim"]["diagonal_drift"] = {"lo": "-1e3", "hi": "1e3"}
    assert refused(forged) == "diagonal"
    del forged["claim"]["diagonal_drift"]
    for term in ("8/25", "-12/25"):  # the second is lambda (mu_1 - lambda/2) v_1
        forged["claim"]["origin_term"] = term
        assert refused(forged) == "origin"


def test_the_origin_with_an_irrational_slope() -> None:
    system = ReflectedUAS("3.2", [2, 2], alpha=20, beta="0.85", gamma="0.5", offset="0.5")
    forged = tree(system)
    assert "origin_term" not in forged["claim"]
    for slope in (Fraction(1), Fraction(555, 1000)):
        forged["claim"]["origin_term"] = str(Fraction(16, 5) * (2 - Fraction(8, 5)) * slope)
        assert refused(forged) == "origin"


def test_the_maximum_shaved() -> None:
    """Between the true maximum and the next state lies room for a lie."""
    forged = tree(UNEQUAL)
    top = forged["claim"]["max_gap"]
    middle = decimal(Fraction(top["lo"]) - Fraction(1, 1000))
    forged["claim"]["max_gap"] = {"lo": "0", "hi": middle}
    assert refused(forged) == "maximum"


def test_the_maximum_raised_with_a_foreign_state() -> None:
    forged = tree(UNEQUAL)
    forged["claim"]["max_gap"] = {"lo": "6", "hi": "7"}
    forged["claim"]["max_gap_state"] = [4, 8]  # its gap is 6.12 indeed, but outside the grid
    assert refused(forged) == "shape"
    forged["claim"]["max_gap_state"] = [1, 2]
    assert refused(forged) == "attained"


def test_a_state_of_another_number_of_queues() -> None:
    forged = tree(PAIR)
    forged["claim"]["max_gap_state"] = [1, 1, 0]
    assert refused(forged) == "shape"


def test_counts_of_another_grid() -> None:
    forged = tree(PAIR)
    forged["claim"]["states"], forged["claim"]["boundary_states"] = 136, 31
    assert refused(forged) == "states"


def test_saturated_and_beyond() -> None:
    forged = tree(PAIR)
    forged["claim"]["system"]["arrival_rate"] = "2"
    assert refused(forged) == "hypothesis"


@pytest.mark.parametrize(
    ("change", "value"),
    [("radius", 999_999_999), ("service_rates", ["1"] * 5000), ("alpha", "1" + "0" * 3000)],
)
def test_a_hostile_size_ends_soon(change: str, value: Any) -> None:
    forged = tree(PAIR)
    inside = forged["claim"] if change == "radius" else forged["claim"]["system"]
    inside[change] = value
    if change == "service_rates":
        forged["claim"]["radius"] = 5000
    report = check_bytes(to_bytes(forged))
    assert report.outcome in (Outcome.DECLINED, Outcome.REJECTED)


def test_an_exact_zero_sold_as_positive() -> None:
    """Shares 1/5 and 4/5 at the origin; at arrival rate 25/9 the two summands cancel."""
    forged = tree(ReflectedUAS("25/9", [1, 2], alpha=1, beta=1, gamma=2, offset=0), 0)
    forged["claim"] |= {"positive_boundary_states": 1, "undecided_states": 0}
    assert refused(forged) == "positive"


def test_no_witness_saves_a_false_claim() -> None:
    """More precision changes nothing: the claim is still false."""
    forged = tree(UNEQUAL)
    forged["claim"]["positive_boundary_states"] = 1
    forged["witness"]["precision"] = 2000
    assert refused(forged) == "positive"
