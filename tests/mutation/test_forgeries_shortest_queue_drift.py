"""Forged drifts of the shortest-queue rule, each with the best witness an attacker could give."""

from fractions import Fraction
from typing import Any

import pytest

from certify.softmax import ShortestQueue
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome
from tests.mutation.engine import Tree, to_bytes
from tests.mutation.truth.shortest_queue_drift import truth

PAIR = ShortestQueue.weighted(2, [2, 1], [1, 2])
EQUAL = ShortestQueue.weighted("9/2", [3, 2, 1], [1, 1, 1])
SHORT = ShortestQueue.jsq("8/5", [1, 1])


def tree_of(system: ShortestQueue) -> Tree:
    certificate = system.drift().certificate()
    return {
        "format": "certify/1",
        "kind": certificate.kind,
        "claim": certificate.claim,
        "witness": certificate.witness,
    }


def refused(tree: Tree, condition: str, certainly_false: bool = True) -> None:
    if certainly_false:
        assert truth(tree["claim"]) is False
    report = check_bytes(to_bytes(tree))
    assert report.outcome is Outcome.REJECTED, report.line()
    assert report.refusal is not None
    assert report.refusal.condition == condition


@pytest.mark.parametrize(
    ("system", "changes", "condition"),
    [
        (PAIR, {"eps": "101/75"}, "eps"),  # 1 % more: LV + eps |Q| grows along (2k, k)
        (EQUAL, {"R": "1049/100"}, "constant"),  # attained at (1, 1, 1)
        (SHORT, {"R": "179/100"}, "constant"),
        (SHORT, {"mean_queue_bound": "4"}, "mean-queue"),  # the mean is 4.729...
        (PAIR, {"mean_queue_bound": "5/2"}, "mean-queue"),  # the mean is 2.5101
        (PAIR, {"attained": {"state": ["2", "1"], "value": "601/100"}}, "attained"),
        (PAIR, {"attained": {"state": ["-2", "1"], "value": "-99"}}, "shape"),
        (PAIR, {"attained": {"state": ["1/2", "1"], "value": "-99"}}, "shape"),
        (PAIR, {"attained": {"state": ["2"], "value": "-99"}}, "shape"),
    ],
)
def test_a_false_claim(system: ShortestQueue, changes: dict[str, Any], condition: str) -> None:
    tree = tree_of(system)
    tree["claim"] |= changes
    refused(tree, condition)


def test_the_better_queue_of_a_tie_is_not_taken_for_granted() -> None:
    """With v = (1, 3), kappa = 0 a tie at the origin may send the job to either queue."""
    system = ShortestQueue(1, [1, 2], [1, 3], [0, 0])
    tree = tree_of(system)
    tree["claim"]["attained"] = {"state": ["0", "0"], "value": "3/2"}
    refused(tree, "attained")
    tree["claim"]["attained"]["value"] = "1/2"
    assert check_bytes(to_bytes(tree)).outcome is Outcome.VERIFIED


@pytest.mark.parametrize(
    ("shares", "condition"),
    [
        (["4/3", "1/3"], "shares"),
        (["4/3", "1"], "shares"),
        (["7/3", "-1/3"], "shares"),
        (["3/2", "1/2"], "slack"),
        (["2"], "shape"),
    ],
)
def test_shares_that_prove_too_much(shares: list[str], condition: str) -> None:
    tree = tree_of(PAIR)
    tree["claim"] |= {"R": "1", "mean_queue_bound": "1"}
    tree["witness"] = {"shares": shares}
    refused(tree, condition)


def test_offsets_do_not_buy_a_constant() -> None:
    """Adding 5 to every offset changes nothing about the chain, hence nothing about R."""
    shifted = ShortestQueue(2, [2, 1], PAIR.slopes, [5 + kappa for kappa in PAIR.offsets])
    assert shifted.drift().R == PAIR.drift().R
    tree = tree_of(PAIR)
    # at one queue only it does change the chain
    tree["claim"]["system"]["offsets"] = ["1", "-40"]
    refused(tree, "constant")


@pytest.mark.parametrize(
    "changes",
    [
        {"arrival_rate": "3"},
        {"arrival_rate": "-1"},
        {"service_rates": ["2", "-1"]},
        {"slopes": ["2", "0"]},
    ],
)
def test_hypotheses(changes: dict[str, Any]) -> None:
    tree = tree_of(PAIR)
    tree["claim"]["system"] |= changes
    refused(tree, "hypothesis")


def test_a_smaller_eps_is_no_longer_the_largest() -> None:
    tree = tree_of(PAIR)
    tree["claim"] |= {"eps": str(Fraction(4, 3) - Fraction(1, 10**30)), "mean_queue_bound": "9"}
    refused(tree, "eps")
