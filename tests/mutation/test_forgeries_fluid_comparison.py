"""What an attacker would try against fluid-comparison: a policy made to look better or worse."""

import copy
from fractions import Fraction
from typing import Any

import pytest

from certify.fluid import FiniteLaw, compare
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome
from tests.mutation.engine import Tree, to_bytes
from tests.mutation.truth.fluid_comparison import truth

F = Fraction
FOUR = FiniteLaw(((0, "1/4"), ("1/2", "1/4"), (1, "1/4"), ("5/2", "1/4")))
RUNNING = FiniteLaw((("1/2", "1/2"), ("3/2", "1/2")))


def tree_of(law: FiniteLaw, load: str, short: str, long: str) -> Tree:
    found = compare(law, load, short, long).certificate()
    return copy.deepcopy(
        {
            "format": "certify/1",
            "kind": found.kind,
            "claim": found.claim,
            "witness": found.witness,
        }
    )


def consistent(tree: Tree) -> Tree:
    """The savings adjusted to the claimed costs, so that only a cost is wrong."""
    claim = tree["claim"]
    for policy in ("balanced", "most_work_left"):
        claim[f"saving_{policy}"] = str(1 - F(claim["optimal"]) / F(claim[policy]))
    return tree


def refused(tree: Tree) -> str:
    assert truth(copy.deepcopy(tree["claim"])) is False, "the forgery is true"
    report = check_bytes(to_bytes(tree))
    assert report.outcome is Outcome.REJECTED, report.line()
    assert report.refusal is not None
    return report.refusal.condition


def with_cost(tree: Tree, policy: str, cost: Fraction) -> Tree:
    tree["claim"][policy] = str(cost)
    return consistent(tree)


def test_most_work_left_with_a_free_end() -> None:
    """As if the short queue took all jobs once it is empty."""
    load, tree = F(9, 10), tree_of(FOUR, "9/10", "1/2", "1/2")
    free = 2 * load * F(1, 2) * (F(1, 2) + load)
    assert refused(with_cost(tree, "most_work_left", free)) == "most-work-left"


def test_most_work_left_without_splitting_a_size() -> None:
    """As if all jobs of the split size could join the empty queue, or none."""
    load, rest = F(9, 10), F(9, 10)
    for jobs in (F(3, 4), F(1)):
        tree = tree_of(FOUR, "9/10", "1/2", "1/2")
        cost = load * (F(1, 2) + rest) + load / (1 - load) * (1 - jobs) * rest * rest
        assert refused(with_cost(tree, "most_work_left", cost)) == "most-work-left"


def test_balanced_with_the_formula_of_the_other_load() -> None:
    """The shorter queue empties before the tie: the quadratic of the other case is too small."""
    tree = tree_of(RUNNING, "1/4", "1/4", "1")
    x, delta, kappa = F(5, 4), F(3, 4), F(1, 3)
    wrong = (kappa * x * x - delta * delta) / 2
    assert refused(with_cost(tree, "balanced", wrong)) == "balanced"


@pytest.mark.parametrize("policy", ["optimal", "balanced", "most_work_left"])
def test_a_cost_slightly_off(policy: str) -> None:
    for step in (F(1, 10**80), -F(1, 10**80)):
        tree = tree_of(FOUR, "9/10", "1/3", "1")
        tree = with_cost(tree, policy, F(tree["claim"][policy]) + step)
        assert refused(tree) == policy.replace("_", "-")


def test_workloads_exchanged() -> None:
    tree = tree_of(FOUR, "9/10", "1/3", "1")
    tree["claim"]["start"] = {"short": "1", "long": "1/3"}
    assert refused(tree) == "start"


def test_the_optimum_of_another_start() -> None:
    """The sectors are right, the start is not the one the costs belong to."""
    tree = tree_of(FOUR, "9/10", "1/3", "1")
    tree["claim"]["start"] = {"short": "1/3", "long": "4/3"}
    assert refused(tree) == "optimal"


@pytest.mark.parametrize("change", ["drop", "other load", "other law"])
def test_sectors_that_prove_something_else(change: str) -> None:
    """A true witness of another problem, or half of one, proves nothing here."""
    tree = tree_of(RUNNING, "3/4", "1/2", "1/2")
    sectors: Any = {
        "drop": tree["witness"]["sectors"][:1],
        "other load": tree_of(RUNNING, "4/5", "1/2", "1/2")["witness"]["sectors"],
        "other law": tree_of(FOUR, "3/4", "1/2", "1/2")["witness"]["sectors"],
    }[change]
    tree["witness"]["sectors"] = sectors
    value = F(sectors[0]["value"][0])
    tree = with_cost(tree, "optimal", value if change != "drop" else F(32, 28))
    assert refused(tree) in ("tiling", "hamilton-jacobi", "split", "exit", "gradient")
