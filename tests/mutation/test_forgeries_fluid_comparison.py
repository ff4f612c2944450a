"""What an attacker would try against fluid-comparison: a policy made to look better or worse."""

import copy
from fractions import Fraction
from itertools import islice
from typing import Any

import pytest

from certify.fluid import FiniteLaw, compare
from certify.fluid.continuous import ContinuousLaw, Exponential, Uniform
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome
from tests.comparison_helpers import UNIFORM, comparison
from tests.mutation.engine import Tally, Tree, judge, several, single, to_bytes
from tests.mutation.truth.fluid_comparison import truth

F = Fraction
FOUR = FiniteLaw(((0, "1/4"), ("1/2", "1/4"), (1, "1/4"), ("5/2", "1/4")))
RUNNING = FiniteLaw((("1/2", "1/2"), ("3/2", "1/2")))


def tree_of(law: FiniteLaw | ContinuousLaw, load: str, short: str, long: str, **asked: Any) -> Tree:
    found = compare(law, load, short, long, **asked).certificate()
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
    for policy, row in claim["savings"].items():
        for other in ("balanced", "most_work_left"):
            row[f"against_{other}"] = str(1 - F(claim[policy]) / F(claim[other]))
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


@pytest.mark.parametrize(
    "policy", ["optimal", "balanced", "most_work_left", "size_interval", "bin_policy"]
)
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
        "drop": tree["witness"]["optimal"][:1],
        "other load": tree_of(RUNNING, "4/5", "1/2", "1/2")["witness"]["optimal"],
        "other law": tree_of(FOUR, "3/4", "1/2", "1/2")["witness"]["optimal"],
    }[change]
    tree["witness"]["optimal"] = sectors
    value = F(sectors[0]["value"][0])
    tree = with_cost(tree, "optimal", value if change != "drop" else F(32, 28))
    assert refused(tree) in ("tiling", "hamilton-jacobi", "split", "exit", "gradient")


def test_bins_that_see_more_than_they_claim() -> None:
    """The cost of routing by single sizes under the name of two bins, with its own proof."""
    tree = tree_of(FOUR, "9/10", "1/3", "1", bins=["1/2"])
    assert F(tree["claim"]["bin_policy"]) > F(tree["claim"]["optimal"])
    tree["witness"]["bin_policy"] = tree["witness"]["optimal"]
    tree = with_cost(tree, "bin_policy", F(tree["claim"]["optimal"]))
    assert refused(tree) in ("split", "hamilton-jacobi", "exit")


def test_the_split_at_the_median_of_the_jobs() -> None:
    """Half of the jobs instead of half of the work: the longer queue gets too much."""
    tree = tree_of(FOUR, "9/10", "1/3", "1")
    tree["claim"]["half_work_share"] = "1/2"
    assert refused(tree) == "half-work-share"


def test_the_axis_rule_of_the_cheaper_policy() -> None:
    """The cost of an exactly busy queue under the name of a split that is kept."""
    tree = tree_of(FOUR, "9/10", "1/3", "1")
    tree["claim"]["axis_rule"] = "same-split"
    assert refused(tree) == "size-interval"


def test_the_factor_of_the_source_on_the_axis() -> None:
    """An extra factor 2 rho in the axis term (inferred) makes most work left cost more."""
    load, tree = F(9, 10), tree_of(FOUR, "9/10", "0", "1")
    axis = F(tree["claim"]["most_work_left"])
    assert axis == F(8, 5)
    assert refused(with_cost(tree, "most_work_left", 2 * load * axis)) == "most-work-left"


def test_an_enclosed_policy_made_to_look_better() -> None:
    """The interval of the optimum under the name of the bin policy, and of the split."""
    tree = tree_of(Exponential(), "3/4", "1/4", "3/4", digits=6)
    for field in ("bin_policy", "size_interval", "most_work_left"):
        forged = copy.deepcopy(tree)
        forged["claim"][field] = copy.deepcopy(tree["claim"]["optimal"])
        assert refused(forged) == field.replace("_", "-")


def test_a_sample_of_the_changes_of_an_enclosed_claim() -> None:
    """Every 25th change of one place, and some of several; truth by floating quadrature."""
    tally = Tally()
    tree = tree_of(Uniform(), "4/5", "1/4", "3/4", bins=["1/2", 1], digits=4)
    judge(islice(single(tree), 0, None, 25), truth, tally)
    judge(several(tree, 3, seed=4), truth, tally)
    assert not tally.false_accepted
    assert tally.false_refused > 5
    assert tally.true_accepted > 0


@pytest.mark.parametrize("bins", [(), ("1",), ("3/4", "3/2")])
def test_load_one_half(bins: tuple[str, ...]) -> None:
    """All jobs are needed to keep an empty queue busy, so that no rounding may lose any."""
    tree = comparison(UNIFORM, ("1/2", "1/2", "3/2"), bins)
    tree["claim"]["exit_cutoff"] = {"lo": "1999e-3", "hi": "2001e-3"}
    assert truth(copy.deepcopy(tree["claim"])) is True
    tree["claim"]["bin_policy"] = tree["claim"]["optimal"]
    assert truth(copy.deepcopy(tree["claim"])) is False
