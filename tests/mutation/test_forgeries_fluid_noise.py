"""What an attacker would try against fluid-noise: noise made to look harmless, or good."""

import copy
import json
from fractions import Fraction
from itertools import islice
from pathlib import Path

import pytest

from certify.fluid import FiniteLaw, JointLaw, dispatch, loss_from_noise
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome
from tests.mutation.engine import Tally, Tree, judge, several, single, to_bytes
from tests.mutation.truth.fluid_noise import truth

CERTIFICATES = Path(__file__).parents[2] / "certificates"
F = Fraction


def shipped(name: str) -> Tree:
    found: Tree = json.loads((CERTIFICATES / f"fluid-noise-{name}.json").read_bytes())
    return found


def refused(tree: Tree) -> str:
    assert truth(copy.deepcopy(tree["claim"])) is False, "the forgery is true"
    report = check_bytes(to_bytes(tree))
    assert report.outcome is Outcome.REJECTED, report.line()
    assert report.refusal is not None
    return report.refusal.condition


def test_a_law_near_by_in_the_place_of_the_conditional_mean() -> None:
    """Sizes 2/5 and 8/5 lie near 1/2 and 3/2 and cost 3/56 less: noise that would pay."""
    tree = shipped("running")
    cheaper = dispatch(FiniteLaw((("2/5", "1/2"), ("8/5", "1/2"))), "3/4")
    tree["witness"]["seen"] = [sector.to_claim() for sector in cheaper.sectors]
    tree["claim"]["rows"] = [
        {"imbalance": "0", "full": "33/28", "seen": str(cheaper.at(F(0))), "loss": "-3/56"}
    ]
    assert refused(tree) == "split"


def test_the_estimate_taken_for_the_size() -> None:
    """Estimates 1/2 and 3/2 that are right three times in four do not make the loss 0."""
    tree = shipped("running")
    for entry in tree["claim"]["joint"]:
        entry[1] = {"0": "1/2", "1": "3/2"}[entry[1]]
    tree["witness"]["seen"] = tree["witness"]["full"]
    tree["claim"]["rows"] = [
        row | {"seen": row["full"], "loss": "0"} for row in tree["claim"]["rows"]
    ]
    assert refused(tree) == "split"


def test_an_unbiased_estimate_that_is_not() -> None:
    tree = shipped("running")
    tree["claim"]["estimate"] = "conditional-mean"
    assert refused(tree) == "consistent"
    for entry in tree["claim"]["joint"]:
        entry[1] = {"0": "3/4", "1": "5/4"}[entry[1]]
    assert check_bytes(to_bytes(tree)).outcome is Outcome.VERIFIED, "now they are the means"


def test_the_bound_of_a_constant_mean_for_one_that_is_not() -> None:
    tree = shipped("running")
    tree["claim"]["tie_bound"] = str(F(3, 2) - F(33, 28))
    assert refused(tree) == "tie-bound"


@pytest.mark.parametrize("name", ["blind", "unbiased", "light"])
def test_a_bound_as_small_as_the_loss(name: str) -> None:
    tree = shipped(name)
    tree["claim"]["bound"] = tree["claim"]["rows"][0]["loss"]
    assert refused(tree) == "bound"


def test_two_estimates_merged_into_one() -> None:
    """The conditional means of a dispatcher that sees less are those of another problem."""
    tree = shipped("unbiased")
    for entry in tree["claim"]["joint"]:
        entry[1] = {"1/2": "1/2", "1": "1", "2": "1"}[entry[1]]
    tree["claim"]["estimate"] = "signal"
    assert refused(tree) == "joint"
    tree["claim"]["joint"].sort(key=lambda entry: (F(entry[1]), F(entry[0])))
    assert refused(tree) in ("joint", "split", "hamilton-jacobi")


def test_some_changes_of_a_joint_law() -> None:
    tally = Tally()
    made = JointLaw(((0, 3, "1/4"), (1, 3, "1/4"), (1, 4, "1/4"), (2, 5, "1/4")))
    tree = json.loads(loss_from_noise(made, "1/3").certificate((0, "1/2")).to_bytes())
    judge(islice(single(tree), 0, None, 4), truth, tally)
    judge(several(tree, 60, seed=7), truth, tally)
    assert not tally.false_accepted
    assert tally.false_refused > 100
