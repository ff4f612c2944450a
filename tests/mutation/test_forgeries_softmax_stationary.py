"""Forged means: intervals beside the mean, with the tables, slopes and constants that might do."""

import json
from fractions import Fraction
from typing import Any

import pytest

from certify.softmax import UAS, ReflectedUAS, ShortestQueue, WeightedShortestQueue
from certify.softmax.stationary import stationary_mean
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.kinds import softmax_stationary
from proofs_checks.checker.verdict import Outcome
from tests.drift_helpers import COMMON, changed, condition
from tests.mutation.engine import CERTIFICATES, Tree, spelled, to_bytes
from tests.mutation.engine import changed as placed
from tests.mutation.truth.softmax_stationary import truth

SYSTEMS = {
    "reflected": ReflectedUAS("0.8", [1, 1], **COMMON),
    "uas": UAS(1, ["1/2", 2], 3),
    "wsq": WeightedShortestQueue(1, [2, 1], weights=[1, 2], temperature=1),
    "jsq": ShortestQueue.jsq("0.8", [1, 1]),
    "jssq": ShortestQueue.jssq(1, [2, "1/2"]),
    "one": ShortestQueue.weighted(1, [3], [5]),
    "three": ShortestQueue.jsq("1/2", [1, 1, "1/2"]),
}


@pytest.fixture(scope="module", params=SYSTEMS)
def tree(request: pytest.FixtureRequest) -> Tree:
    made = stationary_mean(SYSTEMS[request.param], "1/50").certificate()
    found: Tree = json.loads(made.to_bytes())
    return found


def with_ends(tree: Tree, low: Fraction, high: Fraction) -> Tree:
    ends = {"lo": spelled(low), "hi": spelled(high)}
    return changed(tree, claim__mean_total_queue=ends)


def ends(tree: Tree) -> tuple[Fraction, Fraction]:
    mean = tree["claim"]["mean_total_queue"]
    return Fraction(mean["lo"]), Fraction(mean["hi"])


def test_what_is_made_is_true(tree: Tree) -> None:
    assert truth(tree["claim"]) is True
    report = check_bytes(to_bytes(tree))
    assert report.outcome is Outcome.VERIFIED, report.line()
    assert set(report.tested) == set(softmax_stationary.CONDITIONS)


def test_an_interval_below_or_above_the_mean(tree: Tree) -> None:
    """A unit of the last digit is more than either table proves."""
    low, high = ends(tree)
    for forged, expected in (
        (with_ends(tree, low - 1, low), "upper"),
        (with_ends(tree, high, high + 1), "lower"),
        (with_ends(tree, Fraction(0), Fraction(0)), "far"),
    ):
        assert truth(forged["claim"]) is False
        if expected == "far":
            assert condition(forged) in ("far", "upper")
        else:
            assert condition(forged) == expected


def test_a_wider_interval(tree: Tree) -> None:
    low, high = ends(tree)
    for more in (Fraction(1, 10**9), Fraction(3), Fraction(10**9)):
        wide = with_ends(tree, low - more, high + more)
        assert truth(wide["claim"]) is True
        assert condition(wide) == ""


def test_every_entry_of_the_tables_counts(tree: Tree) -> None:
    """Half a unit to the wrong side breaks the state's own inequality, to the other a neighbour's.

    The other side is tried at few jobs: no arrival may lead to a state far out.
    """
    for name, wrong in (("upper", Fraction(-1, 2)), ("lower", Fraction(1, 2))):
        table = tree["witness"][name]
        for n in range(0, len(table), max(1, len(table) // 12)):
            value = spelled(Fraction(table[n]) + wrong)
            assert condition(placed(tree, [(["witness", name, n], value)])) == name
        value = spelled(Fraction(table[0]) - wrong)
        assert condition(placed(tree, [(["witness", name, 0], value)])) == name


def test_a_table_in_another_order(tree: Tree) -> None:
    """Last first, and the first two exchanged."""
    for name in ("upper", "lower"):
        table = tree["witness"][name]
        assert condition(placed(tree, [(["witness", name], table[::-1])])) == name
        mixed = [table[1], table[0], *table[2:]]
        assert condition(placed(tree, [(["witness", name], mixed)])) == name


def test_the_tables_exchanged(tree: Tree) -> None:
    upper, lower = tree["witness"]["upper"], tree["witness"]["lower"]
    assert condition(changed(tree, witness__upper=lower, witness__lower=upper)) in (
        "upper",
        "lower",
    )


def test_the_other_policy_or_system(tree: Tree) -> None:
    """The mean of a slower system, claimed with the tables of this one."""
    system = tree["claim"]["system"]
    rates = [Fraction(rate) for rate in system["service_rates"]]
    slower = changed(tree, claim__system__service_rates=[str(rate * 9 / 10) for rate in rates])
    shares = [str(Fraction(system["arrival_rate"]) * rate / sum(rates)) for rate in rates]
    slower = changed(slower, witness__shares=shares)
    assert truth(slower["claim"]) is False
    assert condition(slower) != ""


@pytest.mark.parametrize(
    ("one", "other"),
    [("two-symmetric-reflected", "two-symmetric-jsq"), ("two-symmetric-jsq", "two-symmetric-uas")],
)
def test_the_mean_of_a_neighbour(one: str, other: str) -> None:
    """Means that differ in the ninth or fifth decimal only, with the other's whole witness."""
    tree, neighbour = (
        json.loads((CERTIFICATES / f"softmax-stationary-{name}.json").read_bytes())
        for name in (one, other)
    )
    mean = neighbour["claim"]["mean_total_queue"]
    assert condition(changed(tree, claim__mean_total_queue=mean)) in ("upper", "lower")
    forged: dict[str, Any] = {**tree, "witness": neighbour["witness"]}
    assert condition(changed(forged, claim__mean_total_queue=mean)) in ("upper", "lower")


def test_ties_are_broken_evenly_and_exactly() -> None:
    """Offsets that differ by 1e-30 break every tie in favour of the first queue."""
    tree = json.loads((CERTIFICATES / "softmax-stationary-two-asymmetric-jsq.json").read_bytes())
    tiny = str(Fraction(1, 10**30))
    assert condition(changed(tree, claim__system__offsets=["0", tiny])) == "upper"
    assert condition(changed(tree, claim__system__offsets=[tiny, "0"])) == "lower"
