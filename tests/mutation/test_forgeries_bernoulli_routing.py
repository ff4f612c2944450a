"""Forged claims about fixed probabilities that an attacker would try."""

from fractions import Fraction
from typing import Any

import pytest

from certify.softmax import Bernoulli
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome
from tests.mutation.engine import Tree, to_bytes
from tests.mutation.truth.bernoulli_routing import truth

RATES = [Fraction(k, 10) for k in range(5, 25, 2)]
PAIR = Bernoulli(2, [2, 1], ["9/10", "1/10"])
UNIFORM = Bernoulli("11.2", RATES, "uniform")
CRITICAL = Bernoulli(2, [1, 2, 1], ["1/2", "1/2", 0])


def tree_of(model: Bernoulli) -> Tree:
    certificate = model.certificate()
    return {
        "format": "certify/1",
        "kind": certificate.kind,
        "claim": certificate.claim,
        "witness": certificate.witness,
    }


def refused(model: Bernoulli, changes: dict[str, Any], condition: str) -> None:
    tree = tree_of(model)
    assert truth(tree["claim"]) is True
    tree["claim"] = tree["claim"] | changes
    assert truth(tree["claim"]) is False
    report = check_bytes(to_bytes(tree))
    assert report.outcome is Outcome.REJECTED
    assert report.refusal is not None
    assert report.refusal.condition == condition


def test_the_uniform_policy_passed_off_as_stable_with_the_printed_mean() -> None:
    stable = tree_of(Bernoulli("11.2", RATES, "proportional"))["claim"]
    forged = stable | {"routing": ["1/10"] * 10, "mean_total_queue": "1157271/100"}
    assert truth(forged) is False
    tree = tree_of(UNIFORM) | {"claim": forged}
    report = check_bytes(to_bytes(tree))
    assert report.refusal is not None
    assert report.refusal.condition == "stable"


def test_negative_mean_that_solves_the_mean_equation_of_an_overloaded_server() -> None:
    """m (mu - lambda p) = lambda p has a solution for every server, but a negative one here."""
    arrival, rates, routing = (
        Fraction(2),
        [Fraction(1), Fraction(4)],
        [Fraction(3, 4), Fraction(1, 4)],
    )
    spare = [mu - arrival * p for mu, p in zip(rates, routing, strict=True)]
    means = [arrival * p / d for p, d in zip(routing, spare, strict=True)]
    claim = {
        "system": {"arrival_rate": "2", "service_rates": ["1", "4"]},
        "routing": ["3/4", "1/4"],
        "regime": "stable",
        "weights": ["1", "1"],
        "eps": str(min(spare)),
        "R": "1",
        "mean_queues": [str(mean) for mean in means],
        "mean_total_queue": str(sum(means)),
    }
    refused(Bernoulli(2, [1, 4], ["1/4", "3/4"]), claim, "stable")


def test_probabilities_that_leave_work_away_or_cancel() -> None:
    """With sum p < 1, or a negative p, every server may be made stable on paper."""
    refused(UNIFORM, {"routing": ["1/25"] * 10}, "routing")
    refused(CRITICAL, {"routing": ["1", "1", "-1"]}, "routing")


def test_a_stable_policy_passed_off_as_unstable() -> None:
    claim = {"regime": "unstable", "overloaded": [], "critical": [], "growth_rate": "0"}
    tree = tree_of(PAIR)
    common = {key: tree["claim"][key] for key in ("system", "routing")}
    tree["claim"] = common | claim
    assert truth(tree["claim"]) is False
    report = check_bytes(to_bytes(tree))
    assert report.refusal is not None
    assert report.refusal.condition == "unstable"


@pytest.mark.parametrize(
    ("model", "changes", "condition"),
    [
        (UNIFORM, {"overloaded": [0, 1, 2]}, "overloaded"),
        (UNIFORM, {"overloaded": [3, 2, 1, 0]}, "overloaded"),
        (UNIFORM, {"overloaded": [0, 1, 2, 3, 3]}, "overloaded"),
        (UNIFORM, {"critical": [4]}, "critical"),
        (UNIFORM, {"growth_rate": "129/100"}, "growth"),
        # the surplus of the other servers does not help the overloaded ones
        (UNIFORM, {"growth_rate": "-14/5"}, "growth"),
        (CRITICAL, {"critical": []}, "critical"),
        (CRITICAL, {"overloaded": [0], "critical": []}, "overloaded"),
        (PAIR, {"eps": "21/100"}, "eps"),
        (PAIR, {"R": "0"}, "constant"),
        (PAIR, {"mean_queues": ["9", "1"]}, "mean-queue"),
        (PAIR, {"mean_total_queue": "9"}, "mean-total"),
        (PAIR, {"weights": ["-1", "1"]}, "hypothesis"),
        (PAIR, {"weights": ["1"]}, "shape"),
        (PAIR, {"mean_queues": ["9", "1/4", "0"]}, "shape"),
        (PAIR, {"system": {"arrival_rate": "0", "service_rates": ["2", "1"]}}, "hypothesis"),
        (PAIR, {"system": {"arrival_rate": "2", "service_rates": ["2", "0"]}}, "hypothesis"),
    ],
)
def test_one_condition_refuses(model: Bernoulli, changes: dict[str, Any], condition: str) -> None:
    refused(model, changes, condition)


def test_no_hints_are_taken() -> None:
    tree = tree_of(PAIR) | {"witness": {"precision": 64}}
    assert check_bytes(to_bytes(tree)).outcome is Outcome.MALFORMED


def test_numbers_without_end_are_declined() -> None:
    """Thousands of coprime denominators: the sum of the probabilities is too dear."""
    primes = [n for n in range(2, 30_000) if all(n % k for k in range(2, int(n**0.5) + 1))]
    tree = tree_of(PAIR)
    tree["claim"]["system"]["service_rates"] = ["1"] * len(primes)
    tree["claim"]["routing"] = [f"1/{10**3000 + n}" for n in primes]
    report = check_bytes(to_bytes(tree))
    assert report.outcome is Outcome.DECLINED
