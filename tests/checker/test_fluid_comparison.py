"""The checker's kind fluid-comparison: the claimed costs and the sectors that prove the optimum."""

import copy
import json
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from certify.fluid.comparison import compare
from certify.fluid.continuous import Exponential
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
        "bins": ["1"],
        "axis_rule": "exactly-busy",
        "work_median": "3/2",
        "half_work_share": "1/3",
        "optimal": "33/28",
        "balanced": "3/2",
        "most_work_left": "21/16",
        "size_interval": "3/2",
        "bin_policy": "33/28",
        "savings": {
            "optimal": {"against_balanced": "3/14", "against_most_work_left": "5/49"},
            "size_interval": {"against_balanced": "0", "against_most_work_left": "-1/7"},
            "bin_policy": {"against_balanced": "3/14", "against_most_work_left": "5/49"},
        },
    }
    return {
        "format": "certify/1",
        "kind": "fluid-comparison",
        "claim": {**claim, **changes},
        "witness": {
            "optimal": [LOWER, UPPER] if sectors is None else sectors,
            "bin_policy": [LOWER, UPPER],
        },
    }


def saving(policy: str, against: str, value: str) -> dict[str, Any]:
    """The savings of the running example with one of them changed."""
    savings = copy.deepcopy(running()["claim"]["savings"])
    savings[policy][f"against_{against}"] = value
    return {"savings": savings}


@lru_cache(maxsize=1)
def enclosed() -> dict[str, Any]:
    """Exponential sizes at load 3/4 from unequal queues."""
    found = compare(Exponential(), "3/4", "1/4", "3/4", ["1/2", 2], digits=4).certificate()
    tree = {"format": "certify/1", "kind": found.kind}
    return tree | {"claim": found.claim, "witness": found.witness}


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
    costs = "optimal 33/28, balanced 3/2, most work left 21/16, size interval 3/2, bin policy 33/28"
    assert report.text == f"costs from (1/2, 1/2): {costs}"
    both = set(report.tested) | set(judged(enclosed()).tested)
    assert both == set(fluid_comparison.CONDITIONS), "every condition was tested"
    jsonschema.validate(running(), json.loads(SCHEMA.read_bytes()))


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [
        ("optimal", "32/28", "optimal"),
        ("optimal", "1", "optimal"),
        ("balanced", "4/3", "balanced"),
        ("most_work_left", "22/16", "most-work-left"),
        ("most_work_left", "33/28", "most-work-left"),
        ("size_interval", "4/3", "size-interval"),
        ("bin_policy", "32/28", "bin-policy"),
        ("work_median", "1/2", "work-median"),
        ("work_median", "2", "work-median"),
        ("work_median", "0", "work-median"),
        ("half_work_share", "2/3", "half-work-share"),
        ("bins", ["2"], "bins"),
        ("bins", ["1", "1"], "bins"),
        ("bins", ["1/4"], "bins"),
        ("savings", saving("optimal", "balanced", "1/5")["savings"], "saving"),
        ("savings", saving("optimal", "most_work_left", "3/14")["savings"], "saving"),
        ("savings", saving("size_interval", "balanced", "1/7")["savings"], "saving"),
        ("savings", saving("bin_policy", "most_work_left", "0")["savings"], "saving"),
    ],
)
def test_each_number_is_decided(field: str, value: Any, code: str) -> None:
    reduced = {"32/28": "8/7", "22/16": "11/8"}.get(str(value), value)
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
    tree = running(bound, optimal="1")
    assert condition(tree) == "exit"
    balanced = [{"from": "0", "to": "1", "value": ["3/2", "0", "-1/2"]}]
    tree = running(balanced, optimal="3/2")
    assert condition(tree) == "hamilton-jacobi"
    tree = running(bin_policy="1")
    tree["witness"]["bin_policy"] = bound
    assert condition(tree) == "exit"


@pytest.mark.parametrize(
    "change",
    [
        {"start": {"short": "1/2"}},
        {"start": ["1/2", "1/2"]},
        {"optimal": {"lo": "1", "hi": "2"}},
        {"saving": "3/14"},
        {"axis_rule": "idle"},
        {"balanced": {"lo": "15e-1", "hi": "15e-1"}},
        {"savings": {"optimal": {"against_balanced": "3/14"}}},
        {"cutoff": "infinity"},
        {"bins": "1"},
    ],
)
def test_malformed(change: dict[str, Any]) -> None:
    tree = running(**change)
    assert judged(tree).outcome is Outcome.MALFORMED
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(tree, json.loads(SCHEMA.read_bytes()))


@pytest.mark.parametrize(
    "witness",
    [
        {},
        {"optimal": [], "bin_policy": [LOWER]},
        {"optimal": [LOWER, UPPER]},
        {"optimal": [LOWER, UPPER], "bin_policy": [LOWER, UPPER], "extra": "1"},
    ],
)
def test_malformed_witness(witness: dict[str, Any]) -> None:
    assert judged({**running(), "witness": witness}).outcome is Outcome.MALFORMED


def bent(interval: dict[str, str], percent: int) -> dict[str, str]:
    """The interval moved by so many percent."""
    ends = [Fraction(interval[name]) * (100 + percent) / 100 for name in ("lo", "hi")]
    return {name: _spelled(end) for name, end in zip(("lo", "hi"), ends, strict=True)}


def _spelled(value: Fraction) -> str:
    power = 0
    while value.denominator != 1:
        value, power = value * 10, power - 1
    mantissa = value.numerator
    while mantissa and mantissa % 10 == 0:
        mantissa, power = mantissa // 10, power + 1
    return f"{mantissa}e{power}" if power else str(mantissa)


def test_an_enclosed_claim_is_verified() -> None:
    report = judged(enclosed())
    assert report.outcome is Outcome.VERIFIED, report.line()
    assert report.digits is not None
    assert report.digits >= 4
    jsonschema.validate(enclosed(), json.loads(SCHEMA.read_bytes()))


@pytest.mark.parametrize("percent", [1, -1])
@pytest.mark.parametrize(
    ("field", "codes"),
    [
        ("exit_cutoff", ("exit-below", "exit-above")),
        ("cutoff", ("cutoff-below", "cutoff-above")),
        ("work_median", ("work-median", "work-median")),
        ("half_work_share", ("half-work-share", "half-work-share")),
        ("optimal", ("optimal", "optimal")),
        ("most_work_left", ("most-work-left", "most-work-left")),
        ("size_interval", ("size-interval", "size-interval")),
        ("bin_policy", ("bin-policy", "bin-policy")),
    ],
)
def test_each_interval_is_decided(field: str, codes: tuple[str, str], percent: int) -> None:
    tree = copy.deepcopy(enclosed())
    tree["claim"][field] = bent(tree["claim"][field], percent)
    assert condition(tree) == codes[percent < 0]


@pytest.mark.parametrize("policy", ["optimal", "size_interval", "bin_policy"])
@pytest.mark.parametrize("against", ["against_balanced", "against_most_work_left"])
def test_each_enclosed_saving_is_decided(policy: str, against: str) -> None:
    tree = copy.deepcopy(enclosed())
    row = tree["claim"]["savings"][policy]
    row[against] = bent(row[against], 1)
    assert condition(tree) == "saving"


@pytest.mark.parametrize(
    ("bins", "code"),
    [
        (["1/2", "1/2"], "bins"),
        (["2", "1/2"], "bins"),
        (["0", "2"], "bins"),
        (["1/2"], "bin-policy"),
        (["1/2", "3"], "bin-policy"),
    ],
)
def test_bins_of_a_density(bins: list[str], code: str) -> None:
    tree = copy.deepcopy(enclosed())
    tree["claim"]["bins"] = bins
    assert condition(tree) == code


def test_an_axis_rule_that_was_not_priced() -> None:
    tree = copy.deepcopy(enclosed())
    tree["claim"]["axis_rule"] = "same-split"
    assert condition(tree) == "size-interval"


def test_a_number_that_is_not_rational_is_an_interval() -> None:
    tree = copy.deepcopy(enclosed())
    tree["claim"]["optimal"] = "2/3"
    assert judged(tree).outcome is Outcome.MALFORMED


def test_hypotheses_of_an_enclosed_claim() -> None:
    for name, value, code in (
        ("load", "1", "hypothesis"),
        ("start", {"short": "3/4", "long": "1/4"}, "start"),
        ("law", {"family": "pareto", "shape": "1"}, "hypothesis"),
    ):
        tree = copy.deepcopy(enclosed())
        tree["claim"][name] = value
        assert condition(tree) == code
    tree = copy.deepcopy(enclosed())
    tree["witness"]["knots"][0] = "2"
    assert condition(tree) == "partition"
