"""The checker's kind fluid-heavy-traffic: every condition, each with a forgery only it catches."""

import copy
import json
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from certify.fluid.continuous import Uniform
from certify.fluid.heavy_traffic import enclose_heavy_traffic
from proofs_checks.checker.cli import Report, check_bytes
from proofs_checks.checker.kinds import fluid_heavy_traffic
from proofs_checks.checker.verdict import Outcome
from tests.checker.test_fluid_comparison import bent
from tests.checker.test_fluid_value import LOWER, RUNNING_LAW, UPPER
from tests.mutation.engine import to_bytes
from tests.mutation.truth.fluid_heavy_traffic import truth

SCHEMA = Path(__file__).parents[2] / "certificates" / "schema" / "fluid-heavy-traffic.json"
ROW = {"load": "3/4", "scaled_value": "33/112", "bound": ["1/6", "25/72"]}


def running(sectors: Any = None, **changes: Any) -> dict[str, Any]:
    claim = {"law": {"atoms": RUNNING_LAW}, "half_work_share": "1/3", "rows": [ROW]}
    return {
        "format": "certify/1",
        "kind": "fluid-heavy-traffic",
        "claim": {**claim, **changes},
        "witness": {"sectors": [[LOWER, UPPER]] if sectors is None else sectors},
    }


@lru_cache(maxsize=1)
def enclosed() -> dict[str, Any]:
    """Uniform sizes at two loads."""
    found = enclose_heavy_traffic(Uniform(), ["4/5", "9/10"], 5).certificate()
    tree = {"format": "certify/1", "kind": found.kind}
    return tree | {"claim": found.claim, "witness": found.witness}


def judged(tree: dict[str, Any]) -> Report:
    return check_bytes(to_bytes(tree))


def condition(tree: dict[str, Any]) -> str:
    report = judged(tree)
    assert report.outcome is Outcome.REJECTED, report.line()
    assert report.refusal is not None
    assert truth(copy.deepcopy(tree["claim"])) is False
    return report.refusal.condition


def test_the_true_claim_is_verified() -> None:
    report = judged(running())
    assert report.outcome is Outcome.VERIFIED, report.line()
    assert report.text == (
        "(1 - load) V/x^2 has the limit 1/3 at every imbalance, "
        "with exact bounds at loads 1, sizes 2"
    )
    both = set(report.tested) | set(judged(enclosed()).tested)
    assert both == set(fluid_heavy_traffic.CONDITIONS), "every condition was tested"
    jsonschema.validate(running(), json.loads(SCHEMA.read_bytes()))
    assert truth(running()["claim"]) is True


def test_the_bound_by_hand() -> None:
    """D is 1 - u, 1/2, u - 1 on the three pieces: J = (2 - 1) + 4 + 2 = 7."""
    low = Fraction(3, 4) / 3 - Fraction(1, 4) / 3
    high = Fraction(3, 4) / 3 + Fraction(1, 4) * 7 / 9 / 2
    assert [str(low), str(high)] == ROW["bound"]


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"half_work_share": "2/3"}, "half-work-share"),
        ({"half_work_share": "1/2"}, "half-work-share"),
        ({"rows": [ROW | {"bound": ["1/5", "25/72"]}]}, "bound"),
        ({"rows": [ROW | {"bound": ["1/6", "24/73"]}]}, "bound"),
        ({"rows": [ROW | {"bound": ["25/72", "1/6"]}]}, "bound"),
        ({"rows": [ROW | {"scaled_value": "33/28"}]}, "scaled-value"),
        ({"rows": [ROW | {"scaled_value": "1/4"}]}, "scaled-value"),
        ({"rows": [ROW | {"load": "1"}]}, "hypothesis"),
        ({"rows": [ROW | {"load": "1/2"}]}, "heavy"),
        ({"rows": [ROW | {"load": "1/4"}]}, "heavy"),
        ({"law": {"atoms": [["1/2", "1/2"], ["3/2", "1/3"]]}}, "hypothesis"),
        ({"law": {"atoms": [["1", "1"]]}}, "spread"),
    ],
)
def test_each_number_is_decided(changes: dict[str, Any], code: str) -> None:
    assert condition(running(**changes)) == code


def test_the_load_of_another_row() -> None:
    """At 4/5 the bounds differ; with these right, the sectors are those of another load."""
    row = ROW | {"load": "4/5"}
    assert condition(running(rows=[row])) == "bound"
    low = Fraction(4, 5) / 3 - Fraction(1, 5) / 3
    high = Fraction(4, 5) / 3 + Fraction(1, 5) * 7 / 18
    row |= {"bound": [str(low), str(high)]}
    assert condition(running(rows=[row])) == "hamilton-jacobi"


@pytest.mark.parametrize(
    ("sectors", "code"),
    [
        ([[UPPER]], "tiling"),
        ([[LOWER]], "tiling"),
        ([[LOWER | {"to": "1"}]], "split"),
        ([[{"from": "0", "to": "1", "value": ["3/2", "0", "-1/2"]}]], "hamilton-jacobi"),
        (
            [
                [
                    {"from": "0", "to": "3/8", "value": ["1", "-1/3", "-5/9"]},
                    {"from": "3/8", "to": "1", "value": ["21/20", "-3/5", "-1/5"]},
                ]
            ],
            "exit",
        ),
    ],
)
def test_a_witness_that_proves_something_else(sectors: Any, code: str) -> None:
    """Even the claim that would follow from it is refused."""
    value = Fraction(sectors[0][0]["value"][0]) / 4
    tree = running(sectors, rows=[ROW | {"scaled_value": str(value)}])
    report = judged(tree)
    assert report.outcome is Outcome.REJECTED
    assert report.refusal is not None
    assert report.refusal.condition == code


@pytest.mark.parametrize(
    "tree",
    [
        running([]),
        running([[LOWER, UPPER], [LOWER, UPPER]]),
        running(rows=[]),
        running(rows=[ROW | {"bound": ["1/6"]}]),
        running(rows=[ROW | {"bound": {"lo": "1/6", "hi": "25/72"}}]),
        running(rows=[{"load": "3/4"}]),
        running(load="3/4"),
    ],
)
def test_malformed(tree: dict[str, Any]) -> None:
    assert judged(tree).outcome is Outcome.MALFORMED


def test_an_enclosed_claim_is_verified() -> None:
    report = judged(enclosed())
    assert report.outcome is Outcome.VERIFIED, report.line()
    assert report.digits is not None
    assert report.digits >= 5
    jsonschema.validate(enclosed(), json.loads(SCHEMA.read_bytes()))


@pytest.mark.parametrize("percent", [1, -1])
@pytest.mark.parametrize(
    ("path", "codes"),
    [
        ("work_median", ("work-median", "work-median")),
        ("half_work_share", ("half-work-share", "half-work-share")),
        ("rows.0.exit_cutoff", ("exit-below", "exit-above")),
        ("rows.1.scaled_value", ("scaled-value", "scaled-value")),
        ("rows.0.bound.0", ("bound", "bound")),
        ("rows.1.bound.1", ("bound", "bound")),
    ],
)
def test_each_interval_is_decided(path: str, codes: tuple[str, str], percent: int) -> None:
    tree = copy.deepcopy(enclosed())
    *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    place: Any = tree["claim"]
    for step in steps:
        place = place[step]
    place[last] = bent(place[last], percent)
    report = judged(tree)
    assert report.refusal is not None
    assert report.refusal.condition == codes[percent < 0]


@pytest.mark.parametrize(("load", "code"), [("1", "hypothesis"), ("1/2", "heavy")])
def test_enclosed_loads(load: str, code: str) -> None:
    tree = copy.deepcopy(enclosed())
    tree["claim"]["rows"][0]["load"] = load
    assert condition(tree) == code


def test_an_infinite_exit_cutoff_and_a_partition_of_something_else() -> None:
    tree = copy.deepcopy(enclosed())
    tree["claim"]["rows"][0]["exit_cutoff"] = "infinity"
    assert condition(tree) == "exit"
    tree = copy.deepcopy(enclosed())
    tree["witness"]["knots"][-1] = "3"
    assert judged(tree).refusal is not None
