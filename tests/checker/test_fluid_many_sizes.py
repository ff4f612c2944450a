"""The checker's kind fluid-many-sizes: every condition, each with a forgery only it catches."""

import copy
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from proofs_checks.checker.cli import Report, check_bytes
from proofs_checks.checker.kinds import fluid_many_sizes
from proofs_checks.checker.verdict import Outcome
from tests.checker.test_fluid_value import RUNNING_LAW
from tests.mutation.engine import to_bytes
from tests.mutation.truth.fluid_many_sizes import truth

SCHEMA = Path(__file__).parents[2] / "certificates" / "schema" / "fluid-many-sizes.json"
TIE = {"imbalance": "0", "value": {"lo": "1178571e-6", "hi": "1178572e-6"}}  # 33/28
EDGE = {"imbalance": "1", "value": {"lo": "666666e-6", "hi": "666667e-6"}}  # 2/3
SAVING = {"lo": "214285e-6", "hi": "214286e-6"}  # 3/14


def running(witness: Any = None, **changes: Any) -> dict[str, Any]:
    claim = {
        "law": {"atoms": RUNNING_LAW},
        "load": "3/4",
        "values": [TIE, EDGE],
        "saving": SAVING,
    }
    return {
        "format": "certify/1",
        "kind": "fluid-many-sizes",
        "claim": {**claim, **changes},
        "witness": {"precision": 80, "sectors": [0, 1], **(witness or {})},
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
    assert report.outcome is Outcome.VERIFIED, report.line()
    assert report.digits == 5
    assert set(report.tested) == set(fluid_many_sizes.CONDITIONS), "every condition was tested"
    jsonschema.validate(running(), json.loads(SCHEMA.read_bytes()))
    assert truth(running()["claim"]) is True


ABOVE = {"lo": "1178572e-6", "hi": "1178573e-6"}
BELOW = {"lo": "1178569e-6", "hi": "117857e-5"}
HALF = {"lo": "1", "hi": "2"}


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"values": [TIE | {"value": ABOVE}, EDGE]}, "value"),
        ({"values": [TIE | {"value": BELOW}, EDGE]}, "value"),
        ({"values": [TIE, EDGE | {"value": {"lo": "666667e-6", "hi": "666668e-6"}}]}, "value"),
        ({"saving": {"lo": "214286e-6", "hi": "214287e-6"}}, "saving"),
        ({"saving": {"lo": "21428e-5", "hi": "214285e-6"}}, "saving"),
        ({"values": [TIE, EDGE | {"imbalance": "2"}]}, "imbalance"),
        ({"values": [TIE, EDGE | {"imbalance": "-1/2"}]}, "imbalance"),
        ({"load": "1"}, "hypothesis"),
        ({"law": {"atoms": [["1/2", "1/2"], ["3/2", "1/3"]]}}, "hypothesis"),
        ({"law": {"atoms": [["1", "1"]]}}, "spread"),
    ],
)
def test_each_number_is_decided(changes: dict[str, Any], code: str) -> None:
    tree = running(**changes)
    assert truth(copy.deepcopy(tree["claim"])) is False
    assert condition(tree) == code


@pytest.mark.parametrize("sectors", [[1, 1], [0, 0], [0, 2], [2, 1], [0, 999999999]])
def test_the_wrong_sector_is_refused(sectors: list[int]) -> None:
    """Whatever the form of another sector says, it is not the value there."""
    wide = [row | {"value": {"lo": "-1e3", "hi": "1e3"}} for row in (TIE, EDGE)]
    assert condition(running({"sectors": sectors}, values=wide)) == "sector"


def test_the_last_sector_needs_a_light_load() -> None:
    """As if all jobs joined the empty queue at load 3/4: that value is 0 at the axis."""
    free = EDGE | {"value": {"lo": "0", "hi": "0"}}
    assert condition(running({"sectors": [0, 2]}, values=[TIE, free])) == "sector"


def test_light_load() -> None:
    row = {"imbalance": "1/2", "value": {"lo": "62499e-6", "hi": "62501e-6"}}  # 1/16
    saving = {"lo": "45454e-6", "hi": "45455e-6"}  # 1/22
    tree = running({"sectors": [2]}, load="1/4", values=[row], saving=saving)
    assert judged(tree).outcome is Outcome.VERIFIED
    tree["witness"]["sectors"] = [1]
    assert condition(tree) == "sector"


def test_precision() -> None:
    assert (
        condition(
            running(
                {"precision": 32},
                saving={"lo": "21428571428571428e-17", "hi": "21428571428571429e-17"},
            )
        )
        == "saving"
    )
    assert judged(running({"precision": 31})).outcome is Outcome.DECLINED
    assert judged(running({"precision": 100_000})).outcome is Outcome.DECLINED


@pytest.mark.parametrize(
    "tree",
    [
        running({"sectors": [0]}),
        running({"sectors": [0, 1, 1]}),
        running({"sectors": ["0", "1"]}),
        running({"more": 1}),
        running(values=[]),
        running(saving="3/14"),
        running(sectors=[]),
    ],
)
def test_malformed(tree: dict[str, Any]) -> None:
    assert judged(tree).outcome is Outcome.MALFORMED
