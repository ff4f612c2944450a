"""Kind `softmax-obstruction`: every condition has a forgery that it alone catches."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from certify.softmax import ReflectedUAS, WeightedShortestQueue
from certify.softmax.obstruction import certify_obstruction
from proofs_checks.checker.cli import Report, check_bytes
from proofs_checks.checker.kinds.softmax_obstruction import CONDITIONS
from proofs_checks.checker.verdict import Outcome
from tests.mutation.engine import to_bytes

SCHEMA = Path(__file__).parents[2] / "certificates" / "schema" / "softmax-obstruction.json"
COMMON: dict[str, Any] = {"alpha": 20, "beta": "0.85", "gamma": "0.5", "offset": "0.5"}


def tree(system: Any, radius: int) -> dict[str, Any]:
    made = certify_obstruction(system, radius, 10).certificate()
    return {"format": "certify/1", "kind": made.kind, "claim": made.claim, "witness": made.witness}


PAIR = tree(ReflectedUAS("1.6", [1, 1], **COMMON), 2)
THREE = tree(ReflectedUAS("3.6", [1, "1.5", 2], **COMMON), 4)
WEIGHTED = tree(WeightedShortestQueue("4.5", [3, 2, 1], weights=[1, "1.5", 3], temperature=1), 3)
ALIKE = tree(ReflectedUAS(4, [2, 2, 2], alpha=3, beta=2, gamma=1, offset=0), 2)
SINGLE = tree(ReflectedUAS(1, [2], alpha=3, beta="0.5", gamma=1, offset=1), 5)
ORIGIN_ONLY = tree(ReflectedUAS("3.6", [1, "1.5", 2], **COMMON), 0)
ALL = [PAIR, THREE, WEIGHTED, ALIKE, SINGLE, ORIGIN_ONLY]


def changed(honest: dict[str, Any], path: str, value: Any) -> Report:
    forged = copy.deepcopy(honest)
    *steps, last = path.split(".")
    place = forged
    for step in steps:
        place = place[step]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return check_bytes(to_bytes(forged))


@pytest.mark.parametrize("honest", ALL)
def test_honest_claims_are_verified_and_fit_the_schema(honest: dict[str, Any]) -> None:
    report = check_bytes(to_bytes(honest))
    assert report.outcome is Outcome.VERIFIED, report.line()
    assert report.digits is not None
    assert report.digits >= 9
    assert set(report.tested) <= set(CONDITIONS)
    Draft202012Validator(json.loads(SCHEMA.read_text())).validate(honest)


def test_every_condition_is_met_somewhere() -> None:
    tested = {name for honest in ALL for name in check_bytes(to_bytes(honest)).tested}
    assert tested == set(CONDITIONS)


@pytest.mark.parametrize(
    ("path", "value", "condition"),
    [
        ("claim.system.arrival_rate", "2", "hypothesis"),
        ("claim.system.alpha", "0", "hypothesis"),
        ("claim.system.offset", "-1", "hypothesis"),
        ("claim.max_gap_state", [1], "shape"),
        ("claim.max_gap_state", [2, 1], "shape"),
        ("claim.max_boundary_gap_state", [1, 1], "shape"),
        ("claim.interior_drift.state", [1, 0], "shape"),
        ("claim.radius", 1, "states"),
        ("claim.states", 7, "states"),
        ("claim.boundary_states", 6, "states"),
        ("claim.positive_boundary_states", 2, "positive"),
        ("claim.positive_coordinate_states", 2, "positive"),
        ("claim.positive_boundary_states", 0, "not-positive"),
        ("claim.positive_coordinate_states", 0, "not-positive"),
        ("claim.max_boundary_term", {"lo": "0", "hi": "31e-2"}, "maximum"),
        ("claim.max_boundary_term", {"lo": "33e-2", "hi": "34e-2"}, "attained"),
        ("claim.max_boundary_gap", {"lo": "0", "hi": "15e-1"}, "maximum"),
        ("claim.max_boundary_gap_state", [0, 1], "attained"),
        ("claim.max_gap", {"lo": "0", "hi": "26e-1"}, "maximum"),
        ("claim.max_gap", {"lo": "27e-1", "hi": "28e-1"}, "attained"),
        ("claim.interior_drift.value", {"lo": "27e-1", "hi": "28e-1"}, "interior-drift"),
        ("claim.interior_drift.value", {"lo": "0", "hi": "28e-1"}, "interior-drift"),
        ("claim.diagonal_drift", {"lo": "27e-1", "hi": "28e-1"}, "diagonal"),
        ("claim.origin_term", "9/25", "origin"),
    ],
)
def test_a_forgery_for_each_condition(path: str, value: Any, condition: str) -> None:
    report = changed(PAIR, path, value)
    assert report.outcome is Outcome.REJECTED, report.line()
    assert report.refusal
    assert report.refusal.condition == condition


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("claim.max_gap_state", [1.5, 1]),
        ("claim.radius", "2"),
        ("claim.max_gap", None),
        ("claim.interior_drift.state", None),
        ("claim.origin_term", "16/50"),
        ("claim.extra", "1"),
        ("witness.bits", 100),
    ],
)
def test_broken_forms_are_malformed(path: str, value: Any) -> None:
    assert changed(PAIR, path, value).outcome is Outcome.MALFORMED


def test_optional_parts_can_be_left_out_and_intervals_widened() -> None:
    for name in ("interior_drift", "diagonal_drift", "origin_term"):
        assert changed(PAIR, f"claim.{name}", None).outcome is Outcome.VERIFIED
    report = changed(PAIR, "claim.max_gap", {"lo": "2", "hi": "3"})
    assert report.outcome is Outcome.VERIFIED
    assert report.digits == 0


def test_too_little_precision_decides_nothing() -> None:
    assert changed(PAIR, "witness.precision", 32).outcome is Outcome.REJECTED
    assert changed(PAIR, "witness.precision", 31).outcome is Outcome.DECLINED


def test_alike_means_equal_rates_and_equal_weights() -> None:
    weighted = tree(WeightedShortestQueue("1.5", [1, 1], weights=[1, 1], temperature=2), 2)
    assert "diagonal_drift" in weighted["claim"]
    forged = copy.deepcopy(weighted)
    for name in ("interior_drift", "origin_term"):
        forged["claim"].pop(name, None)
    forged["claim"]["system"]["weights"] = ["1", "2"]
    for name in ("max_boundary_term", "max_boundary_gap", "max_gap"):
        forged["claim"][name] = {"lo": "-1e3", "hi": "1e3"}
    forged["claim"]["undecided_states"] = 10
    forged["claim"]["positive_boundary_states"] = 0
    forged["claim"]["positive_coordinate_states"] = 0
    report = check_bytes(to_bytes(forged))
    assert report.refusal
    assert report.refusal.condition == "diagonal"


def test_more_work_than_allowed_is_declined() -> None:
    assert changed(PAIR, "claim.radius", 50_000_000).outcome is Outcome.DECLINED
    report = changed(THREE, "claim.radius", 999_999_999)
    assert report.outcome is Outcome.DECLINED
