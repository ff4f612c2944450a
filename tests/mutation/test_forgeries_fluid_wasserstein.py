"""What an attacker would try against fluid-wasserstein: laws made to look nearer than they are."""

import copy
import json
from fractions import Fraction
from itertools import islice
from pathlib import Path

from certify.fluid import FiniteLaw, compare_laws, enclose_comparison
from certify.fluid.continuous import Exponential
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome
from tests.mutation.engine import Tally, Tree, judge, several, single, to_bytes
from tests.mutation.truth.fluid_wasserstein import truth

CERTIFICATES = Path(__file__).parents[2] / "certificates"
F = Fraction
RUNNING = FiniteLaw((("1/2", "1/2"), ("3/2", "1/2")))
FOUR = FiniteLaw(((0, "1/4"), ("1/2", "1/4"), (1, "1/4"), ("5/2", "1/4")))


def shipped(name: str) -> Tree:
    found: Tree = json.loads((CERTIFICATES / f"fluid-wasserstein-{name}.json").read_bytes())
    return found


def refused(tree: Tree) -> str:
    assert truth(copy.deepcopy(tree["claim"])) is False, "the forgery is true"
    report = check_bytes(to_bytes(tree))
    assert report.outcome is Outcome.REJECTED, report.line()
    assert report.refusal is not None
    return report.refusal.condition


def test_the_false_lower_end() -> None:
    """As if a law near by could only cost more: the difference turned round, or cut at 0."""
    for text in ("3/56", "0"):
        tree = shipped("false-lower-end")
        tree["claim"]["rows"][0]["difference"] = text
        assert refused(tree) == "difference"


def test_the_transform_for_the_distance() -> None:
    """Neither law is more spread than the other: the transforms are nearer than the laws."""
    skew = FiniteLaw((("1/4", "1/5"), ("19/16", "4/5")))
    tree = json.loads(compare_laws(RUNNING, skew, "3/4").certificate().to_bytes())
    claim = tree["claim"]
    assert F(claim["deviation_distance"]) < F(claim["distance"])
    claim["distance"] = claim["deviation_distance"]
    claim["bound"] = str(F(claim["distance"]) * F(9, 4))
    assert refused(tree) == "distance"


def test_means_moved_instead_of_masses() -> None:
    """Both laws have mean one; that their means agree does not make them the same law."""
    tree = shipped("three-sizes")
    tree["claim"]["distance"] = tree["claim"]["bound"] = tree["claim"]["deviation_distance"] = "0"
    assert refused(tree) == "distance"


def test_the_bound_of_another_load() -> None:
    tree = shipped("three-sizes")
    tree["claim"]["bound"] = str(F(tree["claim"]["distance"]) * F(9, 4))
    assert refused(tree) == "bound"


def test_laws_exchanged() -> None:
    tree = shipped("three-sizes")
    claim = tree["claim"]
    claim["first"], claim["second"] = claim["second"], claim["first"]
    assert refused(tree) in ("split", "hamilton-jacobi")


def test_a_turning_point_that_hides_an_area() -> None:
    """A smaller distance with points that would prove it if a tangent were not looked at."""
    found = enclose_comparison(Exponential(), RUNNING, "3/4", (0,), 4).certificate()
    tree = json.loads(found.to_bytes())
    tree["witness"]["turning"] = ["1/2"]
    low = {"lo": "1e-1", "hi": "11e-2"}
    tree["claim"]["distance"] = low
    assert refused(tree) == "distance"


def test_some_changes_of_two_finite_laws() -> None:
    tally = Tally()
    tree = json.loads(compare_laws(FOUR, RUNNING, "1/3").certificate().to_bytes())
    judge(islice(single(tree), 0, None, 4), truth, tally)
    judge(several(tree, 60, seed=7), truth, tally)
    assert not tally.false_accepted
    assert tally.false_refused > 100


def test_some_changes_of_an_enclosure() -> None:
    tally = Tally()
    found = enclose_comparison(Exponential(), RUNNING, "3/4", (0,), 4).certificate()
    tree = json.loads(found.to_bytes())
    same = (
        each
        for each in single(tree)
        if all(each.tree["claim"].get(k) == tree["claim"][k] for k in ("first", "second", "load"))
    )
    judge(islice(same, 3, None, 30), truth, tally)
    assert not tally.false_accepted
    assert tally.made > 10
