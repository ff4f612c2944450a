"""Forged bounds for moving weights: no rate left, constants too small, impossible means."""

from fractions import Fraction
from typing import Any

import pytest

from certify.kinds import make_file
from certify.shipped import find
from certify.softmax.adaptive import AdaptiveWeights
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.kinds import adaptive_weights
from proofs_checks.checker.kinds.adaptive_weights import _power
from proofs_checks.checker.reader import LARGE
from proofs_checks.checker.verdict import Outcome, Trial
from tests.mutation.engine import Tree, to_bytes
from tests.mutation.truth.adaptive_weights import truth

QUADRATIC = AdaptiveWeights(2, [2, 1], 0, 1, "7/5", 1)
ROOT = AdaptiveWeights(2, [2, 1], 1, 1, 4, "1/4")


def tree_of(model: AdaptiveWeights) -> Tree:
    made = model.certificate()
    return {"format": "certify/1", "kind": made.kind, "claim": made.claim, "witness": made.witness}


@pytest.mark.parametrize("name", ["two-factor-1.4", "two-factor-4", "two-factor-10", "warm"])
def test_the_shipped_bounds_are_true(name: str) -> None:
    made = make_file(find(f"adaptive-weights-{name}"))
    assert truth(made.claim) is True
    report = check_bytes(made.to_bytes())
    assert report.outcome is Outcome.VERIFIED, report.line()
    tested = set(adaptive_weights.CONDITIONS)
    assert set(report.tested) == (tested - {"point"} if name == "two-factor-1.4" else tested)


SYSTEM = QUADRATIC.certificate().claim["system"]


@pytest.mark.parametrize(
    ("claim", "condition"),
    [
        ({"system": SYSTEM | {"arrival_rate": "3"}}, "hypothesis"),
        ({"system": SYSTEM | {"temperature": "-1"}}, "hypothesis"),
        ({"system": SYSTEM | {"service_rates": ["3", "0"]}}, "hypothesis"),
        ({"lowest": "0"}, "hypothesis"),
        ({"lowest": "2"}, "hypothesis"),
        ({"power": "0"}, "power"),
        ({"power": "2"}, "power"),
        # load times spread is 1: the factor 3/2 leaves no rate at p = 1
        ({"highest": "3/2", "rate": "0"}, "rate"),
        ({"highest": "10"}, "rate"),
        ({"rate": "1/2"}, "rate"),
        ({"constant": "1"}, "constant"),
        ({"moment_bound": "1"}, "moment"),
        ({"mean_jobs_bound": "19/10"}, "mean-jobs"),  # one pooled server has 2
    ],
)
def test_a_false_claim(claim: dict[str, Any], condition: str) -> None:
    tree = tree_of(QUADRATIC)
    tree["claim"] |= claim
    assert truth(tree["claim"]) is False
    report = check_bytes(to_bytes(tree))
    assert report.refusal is not None, report.line()
    assert report.refusal.condition == condition


@pytest.mark.parametrize(
    ("claim", "condition"),
    [
        ({"highest": "3/2"}, "rate"),
        ({"highest": "3/2", "rate": "1/1000000"}, "rate"),
        ({"constant": "249/100"}, "constant"),
        ({"moment_bound": "37"}, "moment"),
        ({"mean_jobs_bound": "36"}, "mean-jobs"),
    ],
)
def test_what_the_theorem_does_not_give(claim: dict[str, Any], condition: str) -> None:
    tree = tree_of(QUADRATIC)
    tree["claim"] |= claim
    report = check_bytes(to_bytes(tree))
    assert report.refusal is not None, report.line()
    assert report.refusal.condition == condition


@pytest.mark.parametrize(
    ("witness", "condition"),
    [
        ({"excess": "1/4"}, "excess"),
        ({"excess": "1"}, "constant"),
        ({"point": "0"}, "point"),
        ({"point": "1000"}, "point"),
        ({"point": "1000000000000"}, "mean-jobs"),
    ],
)
def test_a_bad_witness(witness: dict[str, Any], condition: str) -> None:
    tree = tree_of(ROOT)
    tree["witness"] |= witness
    report = check_bytes(to_bytes(tree))
    assert report.refusal is not None, report.line()
    assert report.refusal.condition == condition


def test_a_point_that_leaves_exactly_nothing() -> None:
    """The constant at which the rate that is left is 0, as the checker encloses the power."""
    made = make_file(find("adaptive-weights-two-factor-4"))
    claim, z, p = dict(made.claim), 10**6, Fraction(1, 2)
    rates = map(Fraction, claim["system"]["service_rates"])
    power = _power(Fraction(1, z), p, made.witness["precision"], Trial(10**6))[1]
    claim |= {"power": "1/2", "highest": claim["lowest"], "rate": "1/100"}
    constant = min(rates) * Fraction(claim["rate"]) / ((1 - p) * power)
    claim |= {"moment_bound": "1" + "0" * 30, "mean_jobs_bound": "1" + "0" * 60}
    tree = {"format": "certify/1", "kind": made.kind, "witness": {**made.witness, "point": str(z)}}
    for less, expected in ((0, "point"), (Fraction(1, 10**9), "")):
        data = to_bytes(tree | {"claim": claim | {"constant": str(constant - less)}})
        refusal = check_bytes(data).refusal
        assert (refusal.condition if refusal else "") == expected


def test_a_point_whose_power_may_be_zero() -> None:
    """10**-999,990 to the power 999/1000 is enclosed from 0 up: no reciprocal of it is known."""
    made = make_file(find("adaptive-weights-two-factor-4"))
    tree = {"format": "certify/1", "kind": made.kind}
    claim = {**made.claim, "power": "999/1000", "highest": made.claim["lowest"]}
    claim |= {"rate": "1/1000000", "constant": "1000000000", "moment_bound": "1" + "0" * 30}
    witness = {**made.witness, "point": "1/1" + "0" * 999_990}
    report = check_bytes(to_bytes(tree | {"claim": claim, "witness": witness}), limits=LARGE)
    assert report.outcome is Outcome.REJECTED
    assert report.refusal is not None
    assert report.refusal.condition == "undecided"


def test_powers_are_rounded_to_the_safe_side() -> None:
    tree = tree_of(ROOT)
    for precision in (32, 40, 300):
        tree["witness"]["precision"] = precision
        accepted = check_bytes(to_bytes(tree)).outcome is Outcome.VERIFIED
        assert accepted is (precision == 300)
    tree["claim"]["rate"] = str(Fraction(tree["claim"]["rate"]) + Fraction(1, 10**10))
    assert check_bytes(to_bytes(tree)).outcome is Outcome.REJECTED
