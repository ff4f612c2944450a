"""The checker's kind fluid-comparison: the claimed costs and the sectors that prove the optimum."""

import copy
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from proofs_checks.checker.cli import Report, check_bytes
from proofs_checks.checker.kinds import fluid_comparison
from proofs_checks.checker.verdict import Outcome
from tests.checker.test_fluid_value import LOWER, RUNNING_LAW, UPPER
from tests.mutation.engine import to_bytes
from tests.mutation.truth.fluid_comparison import truth

SCHEMA = Path(__file__).parents[2] / "certificates" / "schema" / "fluid-comparison.json"


def running(sectors: list[dict[str, Any]] | None = None, **changes: Any) -> dict[str, Any]:
    claim = {
        "law": {"atoms": RUNNING_LAW},
        "load": "3/4",
        "start": {"short": "1/2", "long": "1/2"},
        "optimal": "33/28",
        "balanced": "3/2",
        "most_work_left": "21/16",
        "saving_balanced": "3/14",
        "saving_most_work_left": "5/49",
    }
    return {
        "format": "certify/1",
        "kind": "fluid-comparison",
        "claim": {**claim, **changes},
        "witness": {"sectors": [LOWER, UPPER] if sectors is None else sectors},
    }


def judged(tree: dict[str, Any]) -> Report:
    return check_bytes(to_bytes(tree))


def condition(tree: dict[str, Any]) -> str:
    report = judged(tree)
    assert report.outcome is Outcome.REJECTED, report.line()
    assert report.refusal is not None
    return report.refusal.condition


def test_the_true_claim_is_verified() -> None:
    report = judged(running())
    assert report.outcome is Outcome.VERIFIED
    costs = "optimal 33/28, balanced 3/2, most work left 21/16"
    assert report.text == f"exact costs from (1/2, 1/2): {costs}"
    assert set(report.tested) == set(fluid_comparison.CONDITIONS), "every condition was tested"
    jsonschema.validate(running(), json.loads(SCHEMA.read_bytes()))


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [
        ("optimal", "32/28", "optimal"),
        ("optimal", "1", "optimal"),
        ("balanced", "4/3", "balanced"),
        ("most_work_left", "22/16", "most-work-left"),
        ("most_work_left", "33/28", "most-work-left"),
        ("saving_balanced", "1/5", "saving"),
        ("saving_most_work_left", "3/14", "saving"),
    ],
)
def test_each_number_is_decided(field: str, value: str, code: str) -> None:
    reduced = {"32/28": "8/7", "22/16": "11/8"}.get(value, value)
    tree = running(**{field: reduced})
    assert truth(copy.deepcopy(tree["claim"])) is False
    assert condition(tree) == code


@pytest.mark.parametrize(
    "start",
    [("0", "0"), ("-1", "2"), ("1", "1/2"), ("-1", "-1"), ("0", "-1")],
)
def test_starts_outside_the_hypotheses(start: tuple[str, str]) -> None:
    assert condition(running(start={"short": start[0], "long": start[1]})) == "start"


def test_a_costless_start_has_no_saving() -> None:
    light = [
        {"from": "0", "to": "3/19", "value": ["7/44", "-3/22", "-5/44"]},
        {"from": "3/19", "to": "1", "value": ["1", "0", "0"]},
    ]
    tree = running(light, load="1/2", start={"short": "0", "long": "1"})
    assert condition(tree) == "start"
    # just above half load the same start costs something: then the sectors decide
    tree = running(light, load="501/1000", start={"short": "0", "long": "1"})
    assert condition(tree) != "start"


def test_the_witness_cannot_make_a_false_optimum_pass() -> None:
    bound = [
        {"from": "0", "to": "3/8", "value": ["1", "-1/3", "-5/9"]},
        {"from": "3/8", "to": "1", "value": ["21/20", "-3/5", "-1/5"]},
    ]
    tree = running(bound, optimal="1", saving_balanced="1/3", saving_most_work_left="5/21")
    assert condition(tree) == "exit"
    balanced = [{"from": "0", "to": "1", "value": ["3/2", "0", "-1/2"]}]
    tree = running(balanced, optimal="3/2", saving_balanced="0", saving_most_work_left="-1/7")
    assert condition(tree) == "hamilton-jacobi"


@pytest.mark.parametrize(
    "change",
    [
        {"start": {"short": "1/2"}},
        {"start": ["1/2", "1/2"]},
        {"optimal": {"lo": "1", "hi": "2"}},
        {"saving": "3/14"},
    ],
)
def test_malformed(change: dict[str, Any]) -> None:
    tree = running(**change)
    assert judged(tree).outcome is Outcome.MALFORMED
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(tree, json.loads(SCHEMA.read_bytes()))


@pytest.mark.parametrize("witness", [{}, {"sectors": []}, {"sectors": [LOWER], "extra": "1"}])
def test_malformed_witness(witness: dict[str, Any]) -> None:
    assert judged({**running(), "witness": witness}).outcome is Outcome.MALFORMED
