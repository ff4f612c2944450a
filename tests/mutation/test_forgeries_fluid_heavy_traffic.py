"""What an attacker would try against fluid-heavy-traffic: better limits, tighter bounds."""

import copy
from fractions import Fraction
from itertools import islice

import pytest

from certify.fluid import FiniteLaw
from certify.fluid.continuous import Uniform
from certify.fluid.heavy_traffic import enclose_heavy_traffic, in_heavy_traffic
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome
from tests.mutation.engine import Tally, Tree, judge, several, single, to_bytes
from tests.mutation.truth.fluid_heavy_traffic import truth

F = Fraction
RUNNING = FiniteLaw((("1/2", "1/2"), ("3/2", "1/2")))
FOUR = FiniteLaw(((0, "1/4"), ("1/2", "1/4"), (1, "1/4"), ("5/2", "1/4")))


def tree_of(law: FiniteLaw, *loads: str) -> Tree:
    found = in_heavy_traffic(law).certificate(loads)
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


def test_the_factor_of_the_source() -> None:
    """The printed axis term has an extra factor 2 rho: its limit would be 2 Pbar."""
    tree = tree_of(RUNNING, "9/10")
    tree["claim"]["half_work_share"] = "2/3"
    assert refused(tree) == "half-work-share"


def test_the_share_of_the_smallest_jobs() -> None:
    tree = tree_of(FOUR, "9/10")
    share = F(tree["claim"]["half_work_share"])
    tree["claim"]["half_work_share"] = str(1 - share)
    assert refused(tree) == "half-work-share"


@pytest.mark.parametrize("end", [0, 1])
def test_a_bound_tighter_than_the_least_cost_allows(end: int) -> None:
    tree = tree_of(FOUR, "9/10")
    row = tree["claim"]["rows"][0]
    inside = F(row["scaled_value"]) + F(1, 10**9) * (1 - 2 * end)
    row["bound"][end] = str(inside)
    assert refused(tree) == "bound"


def test_rows_exchanged() -> None:
    tree = tree_of(FOUR, "3/4", "9/10")
    rows = tree["claim"]["rows"]
    rows[0]["scaled_value"], rows[1]["scaled_value"] = (
        rows[1]["scaled_value"],
        rows[0]["scaled_value"],
    )
    assert refused(tree) == "scaled-value"


def test_sectors_exchanged() -> None:
    """A true claim with the proofs of the wrong rows is refused too."""
    tree = tree_of(FOUR, "3/4", "9/10")
    tree["witness"]["sectors"].reverse()
    report = check_bytes(to_bytes(tree))
    assert report.outcome is Outcome.REJECTED


def test_a_light_load_with_its_own_true_value() -> None:
    """At 1/2 the sectors are right, but the bounds are not proved there."""
    tree = tree_of(RUNNING, "3/4")
    row = tree["claim"]["rows"][0]
    row["load"], row["scaled_value"] = "1/2", "7/64"
    assert refused(tree) == "heavy"


def test_every_single_change_and_some_double_ones() -> None:
    tally = Tally()
    for tree in (tree_of(RUNNING, "3/4", "9/10"), tree_of(FOUR, "9/10")):
        judge(single(tree), truth, tally)
        judge(several(tree, 100, seed=7), truth, tally)
    assert not tally.false_accepted
    assert tally.false_refused > 100
    assert tally.true_accepted > 0


def test_a_sample_of_the_changes_of_an_enclosed_claim() -> None:
    """Every 25th change of one place; truth by floating quadrature."""
    found = enclose_heavy_traffic(Uniform(), ["4/5"], 4).certificate()
    tree = {"format": "certify/1", "kind": found.kind}
    tree |= {"claim": found.claim, "witness": found.witness}
    tally = judge(islice(single(tree), 0, None, 25), truth, Tally())
    assert not tally.false_accepted
    assert tally.false_refused > 3


def test_the_factor_of_the_source_for_a_density() -> None:
    found = enclose_heavy_traffic(Uniform(), ["4/5"], 4).certificate()
    tree = {"format": "certify/1", "kind": found.kind}
    tree |= copy.deepcopy({"claim": found.claim, "witness": found.witness})
    tree["claim"]["half_work_share"] = {"lo": "585e-3", "hi": "586e-3"}
    assert refused(tree) == "half-work-share"
