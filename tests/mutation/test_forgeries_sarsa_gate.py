"""Forged claims about gated steps, and the sign's border."""

from fractions import Fraction
from typing import Any

import pytest

from certify.errors import InputError
from certify.kinds import make_file
from certify.shipped import find
from certify.softmax.gate import SarsaGate
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.kinds import sarsa_gate
from proofs_checks.checker.verdict import Outcome
from tests.mutation.engine import Tree, to_bytes
from tests.mutation.truth.sarsa_gate import truth


def tree_of(gate: SarsaGate) -> Tree:
    made = gate.certificate()
    return {"format": "certify/1", "kind": made.kind, "claim": made.claim, "witness": made.witness}


TWO = SarsaGate([1, 4], 1, "9/10", 0)


@pytest.mark.parametrize("name", ["two", "equal"])
def test_the_shipped_gates_are_true(name: str) -> None:
    made = make_file(find(f"sarsa-gate-{name}"))
    assert truth(made.claim) is True
    report = check_bytes(made.to_bytes())
    assert report.outcome is Outcome.VERIFIED
    assert set(report.tested) == set(sarsa_gate.CONDITIONS)


@pytest.mark.parametrize(
    ("changes", "condition"),
    [
        ({"discount": "1"}, "hypothesis"),
        ({"temperature": "0"}, "hypothesis"),
        ({"weights": ["1", "-4"]}, "hypothesis"),
        ({"queue": 2}, "shape"),
        ({"queue": 1}, "diagonal"),
        ({"weights": ["1", "3"]}, "diagonal"),
        # the cold limit 4 gamma - 1 is not reached at a positive temperature
        ({"diagonal": {"lo": "26e-1", "hi": "27e-1"}}, "diagonal"),
        # at discount 1/4 the entry is negative at every temperature
        ({"discount": "1/4", "diagonal": {"lo": "1e-9", "hi": "1"}}, "diagonal"),
        ({"discount": "1/4", "diagonal": {"lo": "-1", "hi": "1"}}, "positive"),
    ],
)
def test_one_condition_refuses(changes: dict[str, Any], condition: str) -> None:
    tree = tree_of(TWO)
    tree["claim"] |= changes
    assert truth(tree["claim"]) is False
    report = check_bytes(to_bytes(tree))
    assert report.refusal is not None
    assert report.refusal.condition == condition


def test_the_border_of_the_discount_for_equal_weights_at_no_difference() -> None:
    """For w = (1, 3) the energies at e_0 are equal: p = 1/2, positive from discount 2/5 on."""
    with pytest.raises(InputError, match="discount must be so large that the diagonal entry is p"):
        SarsaGate([1, 3], 1, Fraction(2, 5) - Fraction(1, 10**12), 0).certificate()
    above = SarsaGate([1, 3], 1, Fraction(2, 5) + Fraction(1, 10**12), 0).certificate()
    assert check_bytes(above.to_bytes()).outcome is Outcome.VERIFIED
    low, high = (Fraction(above.claim["diagonal"][end]) for end in ("lo", "hi"))
    assert low <= Fraction(5, 2 * 10**12) <= high


def test_the_coldest_that_is_made_is_verified() -> None:
    coldest = SarsaGate([1, 4], "1/20000", "9/10", 0).certificate()
    assert check_bytes(coldest.to_bytes()).outcome is Outcome.VERIFIED


def test_the_cold_limit() -> None:
    cold = SarsaGate([1, 4], "1/100", "9/10", 0).certificate().claim["diagonal"]
    assert abs(Fraction(cold["hi"]) - Fraction(13, 5)) < Fraction(1, 10**18)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (([], 1, "1/2", 0), "weights must be a non-empty list of numbers, but was []."),
        (([0], 1, "1/2", 0), "weights[0] must be positive, but was 0."),
        (([1], 0, "1/2", 0), "temperature must be positive, but was 0."),
        (
            ([1, 4], "1/50000", "1/2", 0),
            "temperature must be at least 1/20000 for these weights, but was 1/50000.",
        ),
        (([1], 1, 1, 0), "discount must lie between 0 and 1, but was 1."),
        (([1], 1, "1/2", 1), "queue must be a queue from 0 to 0, but was 1."),
    ],
)
def test_bad_input(arguments: Any, sentence: str) -> None:
    with pytest.raises(InputError) as error:
        SarsaGate(*arguments)
    assert str(error.value) == sentence
