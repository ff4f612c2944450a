"""What an attacker would try against fluid-bracket: a larger lower end, a cheaper bin policy."""

import copy
from fractions import Fraction
from typing import Any

import pytest

from certify.fluid import FiniteLaw
from certify.fluid.brackets import ParetoBins, UniformBins, bracket
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome
from tests.mutation.engine import Tally, Tree, judge, several, single, to_bytes
from tests.mutation.truth.fluid_bracket import truth

F = Fraction
PARETO = ParetoBins(F(3, 2))
FOUR = FiniteLaw(((0, "1/4"), ("1/2", "1/4"), (1, "1/4"), ("5/2", "1/4")))


def tree_of(law: Any, load: str, bins: Any, imbalance: str = "0", knots: int = 6) -> Tree:
    found = bracket(law, load, bins, imbalance, knots).certificate()
    return copy.deepcopy(
        {
            "format": "certify/1",
            "kind": found.kind,
            "claim": found.claim,
            "witness": found.witness,
        }
    )


def refused(tree: Tree) -> str:
    assert truth(copy.deepcopy(tree["claim"])) is not True, "the forgery is true"
    report = check_bytes(to_bytes(tree))
    assert report.outcome is Outcome.REJECTED, report.line()
    assert report.refusal is not None
    return report.refusal.condition


def consistent(tree: Tree, **ends: Fraction) -> Tree:
    """The claim with other ends and the regret that fits them."""
    claim = tree["claim"]
    claim |= {name: str(end) for name, end in ends.items()}
    claim["regret"] = str(F(claim["upper"]) - F(claim["lower"]))
    return tree


def test_a_lower_end_above_the_least_cost() -> None:
    tree = tree_of(PARETO, "3/4", 5)
    assert refused(consistent(tree, lower=F("0.8538917680801784"))) == "lower"


def test_forms_lifted_to_justify_it() -> None:
    """All forms moved up together keep their gradients fitting; the inequality refuses them."""
    tree = tree_of(PARETO, "3/4", 5)
    lift = F("0.8538917680801784") - F(tree["claim"]["lower"])
    for sector in tree["witness"]["below"]:
        sector["value"][0] = str(F(sector["value"][0]) + lift)
    assert refused(consistent(tree, lower=F("0.8538917680801784"))) == "below-inequality"


def test_a_bin_policy_cheaper_than_the_optimum() -> None:
    tree = tree_of(PARETO, "3/4", 5)
    tree["witness"]["above"] = copy.deepcopy(tree["witness"]["below"])
    assert refused(consistent(tree, upper=F(tree["claim"]["lower"]))) in (
        "hamilton-jacobi",
        "split",
    )


def test_the_sectors_of_a_tailless_law() -> None:
    """Dropping the unbounded bin's tail makes sizes less variable, and the bound too large."""
    light = tree_of(UniformBins(), "3/4", 4, knots=30)
    tree = tree_of(UniformBins(F(1, 2)), "3/4", 4, knots=30)
    low = F(tree["claim"]["lower"])
    tree["claim"]["law"] = light["claim"]["law"]
    tree["claim"]["bins"] = light["claim"]["bins"]
    tree["witness"]["above"] = light["witness"]["above"]
    upper = F(light["claim"]["upper"])
    assert refused(consistent(tree, lower=low, upper=upper)) == "below-inequality"


def test_finer_bins_than_were_paid_for() -> None:
    """The cost of eight bins claimed for four."""
    fine, tree = tree_of(PARETO, "3/4", 9), tree_of(PARETO, "3/4", 5)
    tree["witness"]["above"] = fine["witness"]["above"]
    forged = consistent(tree, upper=F(fine["claim"]["upper"]))
    assert refused(forged) in ("hamilton-jacobi", "split", "rise")


def test_a_pareto_law_of_another_shape() -> None:
    tree = tree_of(PARETO, "3/4", 5)
    tree["claim"]["law"]["shape"] = "5/2"
    assert refused(tree) in ("below-inequality", "knots")


@pytest.mark.parametrize("imbalance", ["1/2", "1"])
def test_the_ends_of_another_imbalance(imbalance: str) -> None:
    tree = tree_of(PARETO, "3/4", 5)
    tree["claim"]["imbalance"] = imbalance
    assert refused(tree) == "lower"


def test_every_single_change_and_some_double_ones() -> None:
    tally = Tally()
    trees = (tree_of(FOUR, "9/10", 2, "1/3"), tree_of(UniformBins(), "3/4", ["1"], knots=3))
    for tree in (*trees, tree_of(PARETO, "3/4", 3, knots=3)):
        judge(single(tree), truth, tally)
        judge(several(tree, 40, seed=3), truth, tally)
    print(tally.line(), dict(tally.caught))
    assert not tally.false_accepted
    assert tally.false_refused > 100
    assert tally.true_accepted > 0
