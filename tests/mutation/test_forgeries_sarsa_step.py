"""Forged steps of SARSA(0): each condition refuses one that nothing else does."""

from typing import Any

import pytest

from certify.kinds import make_file
from certify.shipped import find
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.kinds import sarsa_step
from proofs_checks.checker.verdict import Outcome
from tests.mutation.engine import Tree, to_bytes
from tests.mutation.truth.sarsa_step import truth


def tree_of(name: str) -> Tree:
    made = make_file(find(f"sarsa-step-{name}"))
    return {"format": "certify/1", "kind": made.kind, "claim": made.claim, "witness": made.witness}


@pytest.mark.parametrize("name", ["projection", "border"])
def test_the_shipped_steps_are_true(name: str) -> None:
    tree = tree_of(name)
    assert truth(tree["claim"]) is True
    report = check_bytes(to_bytes(tree))
    assert report.outcome is Outcome.VERIFIED
    assert set(report.tested) == set(sarsa_step.CONDITIONS)


@pytest.mark.parametrize(
    ("name", "changes", "condition"),
    [
        ("projection", {"next_state": ["x"]}, "format"),
        # no move, two moves, two jobs at once, and a job that goes to the other queue
        ("projection", {"next_state": [2, 0]}, "transition"),
        ("projection", {"next_state": [1, 1]}, "transition"),
        ("projection", {"next_state": [0, 0]}, "transition"),
        ("projection", {"next_state": [2, 1]}, "transition"),
        ("projection", {"next_state": [1, 0, 0]}, "shape"),
        ("projection", {"action": 2}, "shape"),
        ("projection", {"next_action": 7}, "shape"),
        ("projection", {"weights": ["0", "1"]}, "hypothesis"),
        ("projection", {"discount": "1"}, "hypothesis"),
        ("projection", {"step_size": "0"}, "hypothesis"),
        ("projection", {"holding_time": "0"}, "hypothesis"),
        ("projection", {"holding_time": "1/5"}, "td-error"),
        ("projection", {"next_action": 0}, "td-error"),
        ("projection", {"td_error": "7"}, "td-error"),
        ("projection", {"updated_weights": ["-53/10"]}, "shape"),
        ("projection", {"updated_weights": ["53/10", "1"], "negative": []}, "update"),
        ("projection", {"updated_weights": ["-53/10", "-1"], "negative": [0, 1]}, "update"),
        ("projection", {"negative": []}, "negative"),
        ("projection", {"negative": [0, 1]}, "negative"),
        ("projection", {"negative": [1]}, "negative"),
        ("border", {"negative": [0]}, "negative"),  # 0 is not negative
    ],
)
def test_one_condition_refuses(name: str, changes: dict[str, Any], condition: str) -> None:
    tree = tree_of(name)
    tree["claim"] |= changes
    assert truth(tree["claim"]) is False
    report = check_bytes(to_bytes(tree))
    assert report.refusal is not None
    assert report.refusal.condition == condition
