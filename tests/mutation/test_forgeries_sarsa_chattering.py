"""Forged cycles: vectors that are not fitted, repeated ones, other systems' laws; bad input."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from certify.errors import InputError
from certify.kinds import make, make_file
from certify.problem import Table
from certify.shipped import find
from certify.softmax import SarsaChattering, SarsaMeanField
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.kinds import sarsa_chattering
from proofs_checks.checker.verdict import Outcome
from tests.mutation.engine import Tree, to_bytes
from tests.mutation.truth.sarsa_chattering import truth

SMALL = SarsaChattering(SarsaMeanField(2, [3, 1], [1, 4], 3, "1/2"))


def tree_of(model: SarsaChattering) -> Tree:
    made = model.certificate()
    return {"format": "certify/1", "kind": made.kind, "claim": made.claim, "witness": made.witness}


@pytest.mark.parametrize(("name", "period"), [("two", 2), ("small", 2), ("equal", 8)])
def test_the_shipped_cycles_are_true(name: str, period: int) -> None:
    made = make_file(find(f"sarsa-chattering-{name}"))
    assert len(made.claim["cycle"]) == period
    assert truth(made.claim) is True
    report = check_bytes(made.to_bytes())
    assert report.outcome is Outcome.VERIFIED, report.line()
    assert set(report.tested) == set(sarsa_chattering.CONDITIONS)


CLAIM = SMALL.certificate().claim
SYSTEM, CYCLE = CLAIM["system"], CLAIM["cycle"]


@pytest.mark.parametrize(
    ("claim", "condition"),
    [
        ({"system": SYSTEM | {"arrival_rate": "0"}}, "hypothesis"),
        ({"system": SYSTEM | {"service_rates": ["3", "-1"]}}, "hypothesis"),
        ({"system": SYSTEM | {"capacity": 0}}, "hypothesis"),
        ({"discount": "1"}, "hypothesis"),
        ({"cycle": [CYCLE[0], ["1", "-4"]]}, "hypothesis"),
        ({"cycle": [CYCLE[0]]}, "shape"),
        ({"cycle": [*CYCLE, ["1", "4"]]}, "shape"),
        ({"cycle": [CYCLE[0], ["1"]]}, "shape"),
        ({"cycle": [CYCLE[0], CYCLE[0]]}, "distinct"),
        ({"system": SYSTEM | {"arrival_rate": "1"}}, "stationary"),
        ({"discount": "9/10"}, "fixed-point"),
        # the same policy, but weights that are not fitted
        ({"cycle": [CYCLE[0], [str(2 * Fraction(w)) for w in CYCLE[1]]]}, "fixed-point"),
    ],
)
def test_a_false_claim(claim: dict[str, Any], condition: str) -> None:
    tree = tree_of(SMALL)
    tree["claim"] |= claim
    assert truth(tree["claim"]) is False
    report = check_bytes(to_bytes(tree))
    assert report.refusal is not None, report.line()
    assert report.refusal.condition == condition


def test_laws_of_the_other_policy() -> None:
    tree = tree_of(SMALL)
    tree["witness"]["laws"].reverse()
    report = check_bytes(to_bytes(tree))
    assert report.refusal is not None
    assert report.refusal.condition == "stationary"


def test_features_that_are_never_seen_together_leave_the_fit_open() -> None:
    """A second queue that nobody joins: A is singular, any second weight solves the equation."""
    model = SarsaMeanField(1, [1, 1], [1, 9], 1, "1/2")
    law = [{"state": list(x), "probability": str(p)} for x, p in model.law.items()]
    first = Fraction(1, 4)  # whatever it is, the elimination stops at the second feature
    claim = {
        "system": {"arrival_rate": "1", "service_rates": ["1", "1"], "capacity": 1},
        "discount": "1/2",
        "cycle": [[str(first), "9"], [str(first), "10"]],
    }
    tree = {
        "format": "certify/1",
        "kind": "sarsa-chattering",
        "claim": claim,
        "witness": {"laws": [law, law]},
    }
    assert truth(claim) is False
    report = check_bytes(to_bytes(tree))
    assert report.refusal is not None
    assert report.refusal.condition == "definite"


def test_a_fit_solves_the_bellman_equation_in_the_mean() -> None:
    """In floats: E[phi (c + gamma value' - value)] = 0 with the value w . phi."""
    first, second = SMALL.cycle()
    assert SMALL.fitted(first).weights == second.weights
    assert SMALL.fitted(second).weights == first.weights
    w, error = np.array([float(each) for each in second.weights]), np.zeros(2)
    for x, chance in first.law.items():
        phi = np.array(first.features(x), dtype=float)
        later = sum(float(p) * w @ np.array(first.features(y)) for y, p in first.moves(x).items())
        cost = sum(x) / float(first.rate(x))
        error += float(chance) * phi * (cost + 0.5 * later - w @ phi)
    assert np.abs(error).max() < 1e-12


@pytest.mark.parametrize(
    ("model", "requirement"),
    [
        (SarsaMeanField(2, [2, 1], [1, 2], 6, "9/10"), "lead to a policy that does not settle"),
        (SarsaMeanField(1, [1, 1], [1, 9], 1, "1/2"), "keep the features linearly independent"),
    ],
)
def test_no_cycle_from_there(model: SarsaMeanField, requirement: str) -> None:
    with pytest.raises(InputError, match=f"weights must {requirement}"):
        SarsaChattering(model).certificate()


@pytest.mark.parametrize(
    ("arrival", "service", "weights", "sentence"),
    [
        (1, [2, 2], [2, 1], "lead to a policy that does not settle, but was [2, 1], which settle"),
        (
            2,
            [2, 2],
            None,
            "be given (the default ones, 1 for every queue, settle), but was missing.",
        ),
        (
            2,
            [2, 1],
            None,
            "be given (the default ones, 1 for every queue, do not keep the features linearly "
            "independent), but was missing.",
        ),
    ],
)
def test_a_problem_without_a_cycle(
    arrival: int, service: list[int], weights: list[int] | None, sentence: str
) -> None:
    system = {"arrival_rate": arrival, "service_rates": service, "capacity": 3}
    values = {"kind": "sarsa-chattering", "discount": Fraction(1, 2), "system": system}
    with pytest.raises(InputError) as refused:
        make(Table(values | ({"weights": weights} if weights else {})))
    assert str(refused.value).startswith(f"weights must {sentence}")
