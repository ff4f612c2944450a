"""What an attacker would try against fluid-many-sizes."""

import copy
from fractions import Fraction

from certify.fluid import FiniteLaw, enclose_value
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome
from tests.mutation.engine import Tally, Tree, judge, several, single, to_bytes
from tests.mutation.truth.fluid_many_sizes import truth

F = Fraction
RUNNING = FiniteLaw((("1/2", "1/2"), ("3/2", "1/2")))
FOUR = FiniteLaw(((0, "1/4"), ("1/2", "1/4"), (1, "1/4"), ("5/2", "1/4")))


def tree_of(law: FiniteLaw, load: str, *imbalances: str, digits: int = 20) -> Tree:
    found = enclose_value(law, load, imbalances, digits).certificate()
    return copy.deepcopy(
        {
            "format": "certify/1",
            "kind": found.kind,
            "claim": found.claim,
            "witness": found.witness,
        }
    )


def refused(tree: Tree) -> str:
    assert truth(copy.deepcopy(tree["claim"])) is False, "the forgery is true"
    report = check_bytes(to_bytes(tree))
    assert report.outcome is Outcome.REJECTED, report.line()
    assert report.refusal is not None
    return report.refusal.condition


def test_the_false_lower_bound_without_the_exit() -> None:
    """The sectors of fluid-value.md that fail only the exit claim 1 instead of 33/28."""
    tree = tree_of(RUNNING, "3/4", "0")
    tree["claim"]["values"][0]["value"] = {"lo": "1", "hi": "1"}
    assert refused(tree) == "value"


def test_a_low_precision_is_no_excuse() -> None:
    """At 32 bits the enclosure is wide, which makes claims harder, not easier."""
    tree = tree_of(FOUR, "9/10", "0")
    tree["witness"]["precision"] = 32
    tree["claim"]["values"][0]["value"] = {"lo": "2236e-3", "hi": "22360001e-7"}
    assert refused(tree) in ("value", "saving")


def test_the_value_of_the_sector_next_door() -> None:
    """The form of the first sector, continued to an imbalance in the second."""
    tree = tree_of(RUNNING, "3/4", "1/2")
    assert F(33, 28) - F(3, 28) - F(15, 112) == F("0.9375")
    tree["claim"]["values"][0]["value"] = {"lo": "9374e-4", "hi": "9376e-4"}
    assert refused(tree) == "value"
    tree["witness"]["sectors"] = [0]
    assert refused(tree) == "sector"


def test_every_single_change_and_some_double_ones() -> None:
    tally = Tally()
    trees = tree_of(RUNNING, "3/4", "0", "1/2", "1"), tree_of(FOUR, "3/10", "0", "1/3")
    for tree in (*trees, tree_of(FOUR, "1/2", "1/7", "1")):
        judge(single(tree), truth, tally)
        judge(several(tree, 100, seed=5), truth, tally)
    print(tally.line(), dict(tally.caught))
    assert not tally.false_accepted
    assert tally.false_refused > 100
    assert tally.true_accepted > 0
