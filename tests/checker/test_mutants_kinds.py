"""Hypotheses and borders of kinds that mutants of the checker had survived."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from certify.softmax import Bernoulli
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome
from tests.mutation.engine import to_bytes

CERTIFICATES = Path(__file__).parents[2] / "certificates"


def condition(tree: dict[str, Any], **claim: Any) -> str:
    """The condition that refuses the certificate with these claim fields; empty if none does."""
    report = check_bytes(to_bytes({**tree, "claim": tree["claim"] | claim}))
    assert report.outcome in (Outcome.VERIFIED, Outcome.REJECTED)
    return report.refusal.condition if report.refusal else ""


def routed(arrival: int, rates: list[int]) -> dict[str, Any]:
    model = Bernoulli(arrival, rates, ["1/2", "1/2"])
    tree: dict[str, Any] = json.loads(model.certificate().to_bytes())
    return tree


def test_the_constant_of_fixed_routing_for_weights_of_ones_own() -> None:
    """Speeds 1/2 and 5/2 beside eps 1/2: R = 1/4 + 1/2 + 1/4 + max(0, 3/2 - 2) = 1."""
    tree = routed(1, [1, 3])
    own = {"weights": ["1", "1"], "eps": "1/2", "R": "1"}
    assert condition(tree, **own) == ""
    for R in ("999/1000", "5/2", "2"):
        assert condition(tree, **own | {"R": R}) == "constant"
    assert condition(tree, weights=["0", "0"], eps="0", R="0") == "hypothesis"
    assert condition(tree, weights=["0", "1"], eps="0", R="0") == "hypothesis"


def test_a_queue_that_is_exactly_full_is_not_stable() -> None:
    tree = routed(1, [1, 3])
    assert condition(tree, arrival_rate="2") if "arrival_rate" in tree["claim"] else True
    full = copy.deepcopy(tree)
    full["claim"]["system"]["arrival_rate"] = "2"
    assert condition(full) == "stable"


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("softmax-equilibrium-light-3", "arrival_rate"),
        ("softmax-equilibrium-light-3", "alpha"),
        ("softmax-equilibrium-light-3", "beta"),
        ("softmax-obstruction-wsq-three", "arrival_rate"),
        ("softmax-obstruction-wsq-three", "temperature"),
    ],
)
@pytest.mark.parametrize("value", ["0", "-1", "-1/1000"])
def test_parameters_that_are_not_positive(name: str, field: str, value: str) -> None:
    tree = json.loads((CERTIFICATES / f"{name}.json").read_bytes())
    tree["claim"]["system"][field] = value
    assert condition(tree) == "hypothesis"


@pytest.mark.parametrize("name", ["softmax-equilibrium-light-3", "softmax-obstruction-wsq-three"])
def test_rates_and_weights_that_are_not_positive(name: str) -> None:
    tree = json.loads((CERTIFICATES / f"{name}.json").read_bytes())
    for field in ("service_rates", "weights"):
        if field in tree["claim"]["system"]:
            for value in ("0", "-1"):
                bad = copy.deepcopy(tree)
                bad["claim"]["system"][field][-1] = value
                bad["claim"]["system"]["arrival_rate"] = "1/100"
                assert condition(bad) == "hypothesis"


def test_the_offset_may_be_zero_but_not_below() -> None:
    tree = json.loads((CERTIFICATES / "softmax-equilibrium-light-3.json").read_bytes())
    tree["claim"]["system"]["offset"] = "-1/1000000"
    assert condition(tree) == "hypothesis"
    tree["claim"]["system"]["offset"] = "0"
    assert condition(tree) != "hypothesis"


def test_an_arrival_rate_equal_to_the_capacity() -> None:
    tree = json.loads((CERTIFICATES / "softmax-equilibrium-light-3.json").read_bytes())
    tree["claim"]["system"]["service_rates"] = ["1", "1", "1"]
    tree["claim"]["system"]["arrival_rate"] = "3"
    assert condition(tree) == "hypothesis"
