"""The checker's kind fluid-bracket: every condition, each with a forgery only it catches."""

import copy
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from certify.fluid.brackets import ParetoBins, UniformBins, bracket
from proofs_checks.checker.cli import Report, check_bytes
from proofs_checks.checker.kinds import fluid_bracket
from proofs_checks.checker.verdict import Outcome
from tests.checker.test_fluid_value import LOWER, RUNNING_LAW, UPPER
from tests.mutation.engine import to_bytes
from tests.mutation.truth.fluid_bracket import truth

F = Fraction
SCHEMA = json.loads(
    (Path(__file__).parents[2] / "certificates" / "schema" / "fluid-bracket.json").read_bytes()
)
BALANCED = {"from": "0", "to": "1", "value": ["3/2", "0", "-1/2"]}


def running(witness: Any = None, **changes: Any) -> dict[str, Any]:
    """Sizes 1/2 and 3/2 in one bin: 33/28 and 3/2."""
    claim = {
        "law": {"atoms": RUNNING_LAW},
        "load": "3/4",
        "imbalance": "0",
        "bins": [],
        "lower": "33/28",
        "upper": "3/2",
        "regret": "9/28",
    }
    hints = {"roots": [], "below": [LOWER, UPPER], "above": [BALANCED]}
    return {
        "format": "certify/1",
        "kind": "fluid-bracket",
        "claim": {**claim, **changes},
        "witness": {**hints, **(witness or {})},
    }


def pareto() -> dict[str, Any]:
    found = bracket(ParetoBins(F(3, 2)), "3/4", 4).certificate()
    tree = {"format": "certify/1", "kind": found.kind, "claim": found.claim}
    return copy.deepcopy({**tree, "witness": found.witness})


def judged(tree: dict[str, Any]) -> Report:
    return check_bytes(to_bytes(tree))


def condition(tree: dict[str, Any]) -> str:
    report = judged(tree)
    assert report.outcome is Outcome.REJECTED, report.line()
    assert report.refusal is not None
    return report.refusal.condition


def test_the_true_claims_are_verified() -> None:
    report = judged(running())
    assert report.outcome is Outcome.VERIFIED, report.line()
    assert report.text == (
        "least cost at total work 1 from 33/28 to 3/2 at imbalance 0, regret of 1 bin at most 9/28"
    )
    tested = set(report.tested) | set(judged(pareto()).tested)
    assert tested == set(fluid_bracket.CONDITIONS), "every condition was tested"
    for tree in (running(), pareto()):
        jsonschema.validate(tree, SCHEMA)
        assert truth(copy.deepcopy(tree["claim"])) is True


def test_a_smaller_lower_end_is_true_too() -> None:
    tree = running(lower="1", regret="1/2")
    assert judged(tree).outcome is Outcome.VERIFIED
    assert truth(copy.deepcopy(tree["claim"])) is True


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"lower": "34/28", "regret": "2/7"}, "lower"),
        ({"upper": "5/4", "regret": "1/14"}, "upper"),
        ({"regret": "8/28"}, "regret"),
        ({"regret": "10/28"}, "regret"),
        ({"imbalance": "2"}, "imbalance"),
        ({"imbalance": "-1/2"}, "imbalance"),
        ({"load": "1"}, "hypothesis"),
        ({"law": {"atoms": [["1/2", "1/2"], ["5/2", "1/2"]]}}, "hypothesis"),
        ({"law": {"family": "uniform", "lowest": "1"}}, "hypothesis"),
        ({"law": {"family": "pareto", "shape": "1"}}, "hypothesis"),
        ({"bins": ["3/2"]}, "bins"),
        ({"bins": ["1/4"]}, "bins"),
        ({"bins": ["1/2", "1"]}, "bins"),
        ({"bins": ["1", "1/2"]}, "bins"),
    ],
)
def test_each_number_is_decided(changes: dict[str, Any], code: str) -> None:
    reduced = {key: str(F(v)) if isinstance(v, str) else v for key, v in changes.items()}
    tree = running(**reduced)
    assert truth(copy.deepcopy(tree["claim"])) is False
    assert condition(tree) == code


def test_bins_that_are_not_those_of_the_upper_end() -> None:
    """Two bins see everything: their cost is 33/28, not that of one bin."""
    assert condition(running(bins=["1/2"])) == "hamilton-jacobi"
    tree = running({"above": [LOWER, UPPER]}, bins=["1/2"], upper="33/28", regret="0")
    assert judged(tree).outcome is Outcome.VERIFIED
    assert condition(running({"above": [LOWER, UPPER]}, upper="33/28", regret="0")) != "upper"


def sector(lower: str, upper: str, *form: str) -> dict[str, Any]:
    return {"from": lower, "to": upper, "value": list(form)}


@pytest.mark.parametrize(
    ("below", "code"),
    [
        ([LOWER], "below-tiling"),
        ([UPPER], "below-tiling"),
        ([LOWER, UPPER | {"to": "2"}], "below-tiling"),
        ([LOWER, LOWER], "below-tiling"),
        ([LOWER | {"to": "1"}], "below-inequality"),
        # the value of balanced routing: above the least cost
        ([BALANCED], "below-inequality"),
        # V_delta > 0 at the first edge
        ([sector("0", "1", "0", "1", "0")], "below-slope"),
        # V_delta > 0 at the last edge only
        ([sector("0", "1", "0", "-1", "1")], "below-slope"),
        # two solutions that do not fit together
        ([LOWER, sector("3/13", "1", "1", "-2/5", "-2/15")], "below-gradient"),
        ([LOWER, sector("3/13", "1", "6/5", "-2/5", "-1/15")], "below-gradient"),
        # a steep one: the inequality holds, but near the axis idling would be rewarded
        ([sector("0", "1", "-5", "-1", "0")], "below-axis"),
    ],
)
def test_sectors_that_are_no_lower_bound(below: Any, code: str) -> None:
    """Even a claim that would follow from them is refused."""
    lower = F(below[0]["value"][0])
    tree = running({"below": below}, lower=str(lower), regret=str(F(3, 2) - lower))
    assert condition(tree) == code


def test_the_false_value_without_the_exit() -> None:
    """Sectors that fail only the exit are no least cost, but they are a lower bound."""
    below = [sector("0", "3/8", "1", "-1/3", "-5/9"), sector("3/8", "1", "21/20", "-3/5", "-1/5")]
    assert judged(running({"below": below}, lower="1", regret="1/2")).outcome is Outcome.VERIFIED
    above = running({"above": below}, bins=["1/2"], upper="1", regret="-5/28")
    assert condition(above) == "exit"


def test_roots() -> None:
    tree = pareto()
    for roots in (["1"], ["1/2"], ["3", "2"], ["2", "2"]):
        forged = copy.deepcopy(tree)
        forged["witness"]["roots"] = roots
        assert condition(forged) == "knots"
    # a bin end that is no knot, however close
    forged = copy.deepcopy(tree)
    forged["claim"]["bins"][0] = str(F(forged["claim"]["bins"][0]) + F(1, 10**40))
    assert condition(forged) == "knots"
    # without some knots the chord is too coarse for the sectors
    forged = copy.deepcopy(tree)
    ends = {ParetoBins(F(3, 2)).root(F(end)) for end in tree["claim"]["bins"]}
    assert {F(root) for root in tree["witness"]["roots"]} == ends
    forged["claim"]["bins"] = forged["claim"]["bins"][1:]
    forged["witness"]["roots"] = forged["witness"]["roots"][1:]
    assert condition(forged) == "below-inequality"


def test_the_upper_bound_of_the_deviation() -> None:
    """A sector that is sharp for a law with a smaller E|S - h| is refused for the true one."""
    found = bracket(UniformBins(), "3/4", 4, knots=30).certificate()
    tree: dict[str, Any] = copy.deepcopy(
        {
            "format": "certify/1",
            "kind": found.kind,
            "claim": found.claim | {"law": {"family": "uniform", "lowest": "0"}},
            "witness": found.witness,
        }
    )
    assert judged(tree).outcome is Outcome.VERIFIED
    for row in tree["witness"]["below"]:
        row["value"][0] = str(F(row["value"][0]) + F(1, 10**30))
    assert condition(tree) == "below-inequality"


@pytest.mark.parametrize(
    "tree",
    [
        running(law={"family": "gamma"}),
        running(law={"family": "pareto"}),
        running(law={"family": "uniform", "lowest": "0", "shape": "2"}),
        running(bins={}),
        running({"below": []}),
        running({"above": []}),
        running({"roots": {}}),
        running({"more": []}),
        running(extra="1"),
    ],
)
def test_malformed(tree: dict[str, Any]) -> None:
    assert judged(tree).outcome is Outcome.MALFORMED


@pytest.mark.parametrize("shape", ["1000000001/1000000000", f"{10**300 + 1}/{10**300}", "99999999"])
def test_a_hostile_shape_is_declined(shape: str) -> None:
    tree = pareto()
    tree["claim"]["law"]["shape"] = shape
    assert judged(tree).outcome is Outcome.DECLINED
