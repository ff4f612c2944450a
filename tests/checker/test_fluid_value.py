"""The checker's kind fluid-value: every condition, alone, refuses something false."""

import copy
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from proofs_checks.checker.cli import Report, check_bytes
from proofs_checks.checker.kinds import fluid_value
from proofs_checks.checker.reader import Limits, Node
from proofs_checks.checker.verdict import Outcome, Refusal, Trial
from tests.mutation.engine import to_bytes
from tests.mutation.truth.fluid_value import truth

SCHEMA = Path(__file__).parents[2] / "certificates" / "schema" / "fluid-value.json"
F = Fraction
RUNNING_LAW = [["1/2", "1/2"], ["3/2", "1/2"]]
LOWER = {"from": "0", "to": "3/13", "value": ["33/28", "-3/14", "-15/28"]}
UPPER = {"from": "3/13", "to": "1", "value": ["6/5", "-2/5", "-2/15"]}


def certificate(law: list[list[str]], load: str, sectors: list[dict[str, Any]]) -> dict[str, Any]:
    """A certificate of the values that these sectors have at a tie, true or not."""
    tie = F(sectors[0]["value"][0])
    claim = {
        "law": {"atoms": law},
        "load": load,
        "sectors": sectors,
        "values": [{"imbalance": "0", "value": str(tie)}],
        "saving": str(1 - tie * 2 * (1 - F(load)) / F(load)) if F(load) else "0",
    }
    return {"format": "certify/1", "kind": "fluid-value", "claim": claim, "witness": {}}


def running(**changes: Any) -> dict[str, Any]:
    tree = certificate(RUNNING_LAW, "3/4", [LOWER, UPPER])
    return {**tree, "claim": {**tree["claim"], **changes}}


def judged(tree: dict[str, Any]) -> Report:
    return check_bytes(to_bytes(tree))


class Lenient(Trial):
    """A trial that overlooks one condition, everywhere or where the path ends in `place`."""

    def __init__(self, overlooked: str, place: str = "") -> None:
        super().__init__(10**9)
        self.overlooked, self.place = overlooked, place

    def overlooks(self, condition: str, where: str) -> bool:
        return condition == self.overlooked and where.endswith(self.place)

    def require(
        self, condition: str, holds: bool, where: str, expected: str, found: object
    ) -> None:
        holds = holds or self.overlooks(condition, where)
        super().require(condition, holds, where, expected, found)

    def equal(self, condition: str, where: str, expected: Fraction, found: Fraction) -> None:
        same = expected if self.overlooks(condition, where) else found
        super().equal(condition, where, expected, same)


def test_the_true_claim_is_verified() -> None:
    report = judged(running())
    assert report.outcome is Outcome.VERIFIED
    assert (
        report.text
        == "exact least cost at total work 1: 33/28 at a tie, saving 3/14, sizes 2, sectors 2"
    )
    left = set(fluid_value.CONDITIONS) - set(report.tested)
    assert left == {"sector"}, "every condition but that of claims without sectors was tested"
    jsonschema.validate(running(), json.loads(SCHEMA.read_bytes()))


@pytest.mark.parametrize("cut", ["1/7", "1/2", "9/10"])
def test_sectors_may_be_finer_than_needed(cut: str) -> None:
    sectors = []
    for sector in (LOWER, UPPER):
        if F(sector["from"]) < F(cut) < F(sector["to"]):
            sectors += [{**sector, "to": cut}, {**sector, "from": cut}]
        else:
            sectors.append(sector)
    assert judged(certificate(RUNNING_LAW, "3/4", sectors)).outcome is Outcome.VERIFIED


# Each forgery is false, is refused with the condition's code, and passes without that condition
# (at that place). Of `slope` and `rise` there is none (fluid-value.md, Propositions 4 and 5).
OTHER_LOWER = {"from": "0", "to": "1/4", "value": ["15/13", "-3/13", "-7/13"]}
SINGLE: dict[str, dict[str, Any]] = {
    # at the common ray 1/4 only V_x jumps: each form solves the equation at its upper edge
    "gradient V_x": certificate(
        RUNNING_LAW,
        "3/4",
        [OTHER_LOWER, {"from": "1/4", "to": "1", "value": ["11/9", "-4/9", "-1/9"]}],
    ),
    # there only V_delta jumps
    "gradient V_delta": certificate(
        RUNNING_LAW,
        "3/4",
        [OTHER_LOWER, {"from": "1/4", "to": "1", "value": ["7/6", "-1/3", "-1/6"]}],
    ),
    # one form over both sectors, with the right equation on both edges of [0, 1]
    "split": certificate(
        RUNNING_LAW, "3/4", [{"from": "0", "to": "1", "value": ["9/8", "-1/4", "-5/24"]}]
    ),
    # x^2/100 added everywhere
    "hamilton-jacobi": certificate(
        RUNNING_LAW,
        "3/4",
        [
            {**sector, "value": [str(F(sector["value"][0]) + F(1, 100)), *sector["value"][1:]]}
            for sector in (LOWER, UPPER)
        ],
    ),
    # a lower bound that no control attains
    "exit": certificate(
        RUNNING_LAW,
        "3/4",
        [
            {"from": "0", "to": "3/8", "value": ["1", "-1/3", "-5/9"]},
            {"from": "3/8", "to": "1", "value": ["21/20", "-3/5", "-1/5"]},
        ],
    ),
    "tiling": running(sectors=[LOWER, {**UPPER, "from": "1/4"}]),
    "value": running(values=[{"imbalance": "0", "value": "33/29"}]),
    "saving": running(saving="3/13"),
}


@pytest.mark.parametrize("name", SINGLE)
def test_only_this_condition_refuses_it(name: str) -> None:
    tree, (condition, _, place) = SINGLE[name], name.partition(" ")
    assert truth(copy.deepcopy(tree["claim"])) is False
    report = judged(tree)
    assert report.outcome is Outcome.REJECTED
    assert report.refusal is not None
    assert report.refusal.condition == condition
    assert report.refusal.where.endswith(place)
    claim, witness = Node(tree["claim"], "claim"), Node(tree["witness"], "witness")
    fluid_value.check(claim, witness, Lenient(condition, place))


def test_slope() -> None:
    """All jobs to the long queue costs its square at a load below 1/2, but g < 0 there.

    (Without this condition the counts of sizes would not mean what the theorem says.)
    """
    sectors = [{"from": "0", "to": "1", "value": ["1/4", "1/2", "1/4"]}]
    tree = certificate(RUNNING_LAW, "1/4", sectors)
    assert truth(copy.deepcopy(tree["claim"])) is False
    report = judged(tree)
    assert report.outcome is Outcome.REJECTED
    assert report.refusal is not None
    assert report.refusal.condition == "slope"


def test_rise() -> None:
    """All jobs to the short queue from imbalance 3/4 on: the imbalance would fall."""
    form = ["1", "-1/2", "0"]
    sectors = [
        {"from": "0", "to": "1/4", "value": ["17/16", "-1", "1"]},
        {"from": "1/4", "to": "3/4", "value": form},
        {"from": "3/4", "to": "1", "value": form},
    ]
    report = judged(certificate(RUNNING_LAW, "3/4", sectors))
    assert report.outcome is Outcome.REJECTED
    assert report.refusal is not None
    assert report.refusal.condition == "rise"
    assert report.refusal.where == "claim.sectors.2"


ONE = [{"from": "0", "to": "1", "value": ["3/2", "0", "-1/2"]}]


@pytest.mark.parametrize(
    ("law", "load"),
    [
        (RUNNING_LAW, "0"),
        (RUNNING_LAW, "1"),
        (RUNNING_LAW, "-3/4"),
        (RUNNING_LAW, "7/4"),
        ([["3/2", "1/2"], ["1/2", "1/2"]], "3/4"),
        ([["1", "1/2"], ["1", "1/2"]], "3/4"),
        ([["-1/2", "1/2"], ["5/2", "1/2"]], "3/4"),
        ([["0", "0"], ["1", "1"]], "3/4"),
        ([["1/2", "-1/2"], ["1", "2"], ["2", "-1/2"]], "3/4"),
        ([["1", "9/10"]], "3/4"),
        ([["0", "1/10"], ["1", "1"]], "3/4"),
        ([["2", "1"]], "3/4"),
        ([["1/2", "1/2"], ["2", "1/2"]], "3/4"),
    ],
)
def test_hypotheses(law: list[list[str]], load: str) -> None:
    report = judged(certificate(law, load, ONE))
    assert report.outcome is Outcome.REJECTED
    assert report.refusal is not None
    assert report.refusal.condition == "hypothesis"


@pytest.mark.parametrize("scale", ["0", "-2"])
def test_scale(scale: str) -> None:
    for given, outcome in ((scale, Outcome.REJECTED), ("1/9", Outcome.VERIFIED)):
        report = judged(running(law={"atoms": RUNNING_LAW, "scale": given}))
        assert report.outcome is outcome


@pytest.mark.parametrize(
    "sectors",
    [
        [UPPER],
        [LOWER],
        [UPPER, LOWER],
        [LOWER, LOWER, UPPER],
        [LOWER, {**UPPER, "from": "2/13"}],
        [LOWER, {**UPPER, "from": "4/13"}],
        [{**LOWER, "from": "1/13"}, UPPER],
        [{**LOWER, "from": "-1/13"}, UPPER],
        [LOWER, {**UPPER, "to": "2"}],
        [LOWER, {**UPPER, "to": "12/13"}],
        [LOWER, {"from": "3/13", "to": "3/13", "value": ["0", "0", "0"]}, UPPER],
    ],
)
def test_tiling(sectors: list[dict[str, Any]]) -> None:
    report = judged(certificate(RUNNING_LAW, "3/4", sectors))
    assert report.outcome is Outcome.REJECTED
    assert report.refusal is not None
    assert report.refusal.condition == "tiling"


@pytest.mark.parametrize("imbalance", ["-1/100", "101/100"])
def test_values_are_asked_within_the_cone(imbalance: str) -> None:
    z = F(imbalance)
    a, b, c = map(F, (LOWER if z < 0 else UPPER)["value"])
    row = {"imbalance": imbalance, "value": str(a + b * z + c * z * z)}
    report = judged(running(values=[row]))
    assert report.refusal is not None
    assert report.refusal.condition == "value"


@pytest.mark.parametrize(
    "change",
    [
        {"sectors": []},
        {"values": []},
        {"sectors": [{**LOWER, "value": ["1", "2"]}, UPPER]},
        {"sectors": [{**LOWER, "value": ["1", "2", "3", "4"]}, UPPER]},
        {"sectors": [{**LOWER, "value": "33/28"}, UPPER]},
        {"sectors": [{"from": "0", "to": "1"}]},
        {"law": {"atoms": []}},
        {"law": {"atoms": [["1"]]}},
        {"law": {"atoms": [["1", "1", "1"]]}},
        {"law": {"atoms": RUNNING_LAW, "name": "1"}},
        {"load": 1},
        {"saving": {"lo": "0", "hi": "1"}},
        {"values": [{"imbalance": "0"}]},
        {"note": "1"},
    ],
)
def test_malformed(change: dict[str, Any]) -> None:
    tree = running(**change)
    assert judged(tree).outcome is Outcome.MALFORMED
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(tree, json.loads(SCHEMA.read_bytes()))


def test_a_witness_is_not_wanted() -> None:
    assert judged({**running(), "witness": {"precision": 64}}).outcome is Outcome.MALFORMED


def test_work_is_paid_before_it_is_done() -> None:
    """Long numbers cost steps with the square of their length, so a small budget declines them."""
    tree = running(values=[{"imbalance": f"1/1{'0' * 9000}", "value": "1"}])
    assert check_bytes(to_bytes(running()), limits=Limits(steps=2_000)).outcome is Outcome.VERIFIED
    report = check_bytes(to_bytes(tree), limits=Limits(steps=8_000))
    assert report.outcome is Outcome.DECLINED
    with pytest.raises(Refusal) as caught:
        fluid_value.check(Node(running()["claim"], "claim"), Node({}, "witness"), Trial(steps=100))
    assert caught.value.outcome is Outcome.DECLINED
