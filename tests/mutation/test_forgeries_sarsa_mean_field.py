"""Forged mean fields: laws that do not balance, matrices of another chain, wrong signs."""

from fractions import Fraction
from typing import Any

import pytest

from certify.kinds import make_file
from certify.shipped import find
from certify.softmax.mean_field import SarsaMeanField
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.kinds import sarsa_mean_field
from proofs_checks.checker.verdict import Outcome
from tests.mutation.engine import Tree, to_bytes
from tests.mutation.truth.sarsa_mean_field import truth

ALWAYS = SarsaMeanField(2, [2, 1], [1, 2], 2, "9/10")
GATED = SarsaMeanField(2, [2, 1], [1, 4], 2, "9/10", 0)


def tree_of(model: SarsaMeanField) -> Tree:
    made = model.certificate()
    return {"format": "certify/1", "kind": made.kind, "claim": made.claim, "witness": made.witness}


@pytest.mark.parametrize("name", ["two", "two-steep", "gated", "gated-steep"])
def test_the_shipped_fields_are_true(name: str) -> None:
    made = make_file(find(f"sarsa-mean-field-{name}"))
    assert truth(made.claim) is True
    report = check_bytes(made.to_bytes())
    assert report.outcome is Outcome.VERIFIED, report.line()
    other = {"moments", "inequality", "definite"} if "gated" in name else {"value"}
    assert set(report.tested) == set(sarsa_mean_field.CONDITIONS) - other


SYSTEM = ALWAYS.certificate().claim["system"]


@pytest.mark.parametrize(
    ("model", "claim", "condition"),
    [
        (ALWAYS, {"system": SYSTEM | {"arrival_rate": "0"}}, "hypothesis"),
        (ALWAYS, {"system": SYSTEM | {"weights": ["1", "-2"]}}, "hypothesis"),
        (ALWAYS, {"system": SYSTEM | {"service_rates": ["0", "1"]}}, "hypothesis"),
        (ALWAYS, {"system": SYSTEM | {"capacity": 0}}, "hypothesis"),
        (ALWAYS, {"discount": "1"}, "hypothesis"),
        (ALWAYS, {"system": SYSTEM | {"weights": ["1"]}}, "shape"),
        (ALWAYS, {"system": SYSTEM | {"capacity": 1}}, "shape"),
        (ALWAYS, {"matrix": [["1", "1"]]}, "shape"),
        (ALWAYS, {"matrix": [["1"], ["1"]]}, "shape"),
        (ALWAYS, {"system": SYSTEM | {"arrival_rate": "3"}}, "stationary"),
        (ALWAYS, {"system": SYSTEM | {"capacity": 3}}, "stationary"),
        # routing by other weights: another chain
        (ALWAYS, {"system": SYSTEM | {"weights": ["1", "6"]}}, "stationary"),
        (ALWAYS, {"discount": "8/10"}, "matrix"),
        (ALWAYS, {"matrix": [["-1", "0"], ["0", "-1"]]}, "matrix"),
        (ALWAYS, {"second_moments": [["1", "0"], ["0", "1"]]}, "moments"),
        (GATED, {"value": "1"}, "value"),
        (GATED, {"direction": ["0", "1"]}, "value"),
        (GATED, {"direction": ["0", "0"], "value": "0"}, "value"),
        (GATED, {"direction": ["1"]}, "shape"),
        (GATED, {"gate": 4}, "matrix"),
    ],
)
def test_a_false_claim(model: SarsaMeanField, claim: dict[str, Any], condition: str) -> None:
    tree = tree_of(model)
    claim = {k: str(Fraction(v)) if k == "discount" else v for k, v in claim.items()}
    tree["claim"] |= claim
    assert truth(tree["claim"]) is False
    report = check_bytes(to_bytes(tree))
    assert report.refusal is not None, report.line()
    assert report.refusal.condition == condition


def test_laws_that_are_none() -> None:
    tree = tree_of(ALWAYS)
    law = tree["witness"]["law"]
    zero = {"state": [2, 2], "probability": "0"}
    lists: list[tuple[Any, str]] = [
        ([{**law[0], "probability": "1"}], "stationary"),  # all mass in the empty system
        (law[1:], "stationary"),
        ([*law, law[0]], "shape"),
        ([*law, {"state": [3, 0], "probability": "0"}], "shape"),
        ([*law, {"state": [0], "probability": "0"}], "shape"),
        ([{**law[0], "probability": "-1"}, *law[1:]], "stationary"),
    ]
    for changed, condition in lists:
        tree["witness"]["law"] = changed
        report = check_bytes(to_bytes(tree))
        assert report.refusal is not None
        assert report.refusal.condition == condition
    # a state of probability 0 does no harm
    reached = {tuple(entry["state"]) for entry in law}
    tree["witness"]["law"] = [*law, zero] if (2, 2) not in reached else law
    assert check_bytes(to_bytes(tree)).outcome is Outcome.VERIFIED


def test_a_gate_that_lets_everything_pass_leaves_no_direction() -> None:
    """With the gate at the capacity the claim of a positive value has no witness."""
    tree = tree_of(GATED)
    full = SarsaMeanField(2, [2, 1], [1, 4], 2, "9/10", 4)
    tree["claim"] |= {"gate": 4, "matrix": [[str(e) for e in row] for row in full.matrix]}
    for z in ((1, 0), (0, 1), (1, 1), (1, -1), (3, 7)):
        form = sum(z[i] * z[j] * full.matrix[i][j] for i in (0, 1) for j in (0, 1))
        tree["claim"] |= {"direction": [str(e) for e in z], "value": str(form)}
        assert truth(tree["claim"]) is False
        report = check_bytes(to_bytes(tree))
        assert report.refusal is not None
        assert report.refusal.condition == "value"
