"""Kind `softmax-equilibrium`: every end of every interval at its border, by mpmath.

An end that lies a trifle outside the number of the theorem is accepted, one a trifle inside is
refused, for systems in which some queues are positive and others empty.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath
import pytest

from certify.certificate import decimal
from certify.softmax import ReflectedUAS, System, WeightedShortestQueue
from certify.softmax.equilibrium import solve
from proofs_checks.checker.verdict import Outcome
from tests.drift_helpers import changed, condition, energies, number, verdict
from tests.mutation.engine import Tree

# one, two, or no queue is positive
ONE = WeightedShortestQueue(
    "6/5", ["1/2", "3/4", "2"], weights=["1/5", "1", "3"], temperature="3/2"
)
UAS = ReflectedUAS(
    "5", ["3/4", "5/4", "7/4", "2"], alpha="3/2", beta="3/4", gamma="2/3", offset="2"
)
NONE = ReflectedUAS("1/2", ["2", "1/3"], alpha="9/4", beta="1/2", gamma="2", offset="1/5")
SYSTEMS = [ONE, UAS, NONE]
HAIR = Fraction(1, 10**15)


@pytest.fixture(autouse=True)
def _precise() -> Any:
    with mpmath.workdps(40):
        yield


@dataclass
class Truth:
    """Lemma 1 and part (c) of the theorem, straight from the page."""

    system: System

    def __post_init__(self) -> None:
        self.alpha, self.slopes, shifts = energies(self.system)
        self.rates = [number(rate) for rate in self.system.service_rates]
        self.theta = [
            mpmath.exp(-self.alpha * kappa) / mu
            for mu, kappa in zip(self.rates, shifts, strict=True)
        ]
        low, high = min(self.theta), 100 * max(self.theta) * sum(self.rates)
        for _ in range(130):
            middle = (low + high) / 2
            above = self.capacity(middle) > number(self.system.arrival_rate)
            low, high = (middle, high) if above else (low, middle)
        self.root = low

    def capacity(self, root: Any) -> Any:
        """G(K)."""
        pairs = zip(self.rates, self.theta, strict=True)
        return sum(mu * min(mpmath.mpf(1), theta / root) for mu, theta in pairs)

    def queue(self, i: int, root: Any) -> Any:
        """q_i, were `root` the root."""
        return max(mpmath.mpf(0), mpmath.log(self.theta[i] / root) / (self.alpha * self.slopes[i]))


def near(value: Any, step: Fraction) -> str:
    """A fraction that differs from a real number by nearly this step."""
    return decimal(Fraction(int(mpmath.nint(value * 10**30)), 10**30) + step)


def around(low: Any, high: Any, step: Fraction = HAIR) -> dict[str, str]:
    return {
        "lo": near(low, -step) if low else "0",
        "hi": near(high, step) if high else "0",
    }


def tree_of(system: System, low: Any = None, high: Any = None) -> Tree:
    """The listed form; K is the interval given, or one of twice 1e-20 around the root."""
    truth = Truth(system)
    tight = low is None
    tiny = Fraction(1, 10**20)
    root = around(truth.root, truth.root, tiny) if tight else {"lo": low, "hi": high}
    ends = [truth.root] * 2 if tight else [number(root["lo"]), number(root["hi"])]
    indices = range(len(truth.theta))
    active = [i for i in indices if truth.theta[i] > ends[1]]
    return {
        "format": "certify/1",
        "kind": "softmax-equilibrium",
        "claim": {
            "system": system.to_claim(),
            "K": root,
            "theta": [around(theta, theta) for theta in truth.theta],
            "queue": [around(truth.queue(i, ends[1]), truth.queue(i, ends[0])) for i in indices],
            "active": active,
            "undecided": [i for i in indices if ends[0] < truth.theta[i] <= ends[1]],
        },
        "witness": {"precision": 160},
    }


def summary_of(tree: Tree, count: int, undecided: int, *ends: dict[str, str]) -> Tree:
    claim = {
        "system": tree["claim"]["system"],
        "servers": "summary",
        "K": tree["claim"]["K"],
        "active_count": count,
        "undecided_count": undecided,
    }
    names = ("largest_queue", "smallest_active_queue")
    return tree | {"claim": claim | dict(zip(names, ends, strict=False))}


def doubtful() -> list[tuple[System, str, str]]:
    """Wide intervals for the root, with a threshold inside; the lower end or the upper is tight."""
    result = []
    for system in SYSTEMS:
        truth = Truth(system)
        above = min((each for each in truth.theta if each > truth.root), default=None)
        below = max((each for each in truth.theta if each < truth.root), default=None)
        if above is not None:
            result.append((system, near(truth.root, -HAIR), near(above * 1.1, HAIR)))
        if below is not None:
            result.append((system, near(below * 0.9, HAIR), near(truth.root, HAIR)))
    return result


def moved(ends: dict[str, str], name: str, step: Fraction) -> dict[str, str]:
    """The interval with one end moved inwards; a single point at the other end if they cross."""
    value = Fraction(ends[name]) + (step if name == "lo" else -step)
    result = ends | {name: decimal(value)}
    other = "hi" if name == "lo" else "lo"
    if Fraction(result["lo"]) > Fraction(result["hi"]):
        result[other] = result[name]
    return result


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_end_is_at_its_border(system: System) -> None:
    tree = tree_of(system)
    assert condition(tree) == ""
    for name in ("theta", "queue"):
        for i, ends in enumerate(tree["claim"][name]):
            for end in ("lo", "hi"):
                if name == "queue" and ends["hi"] == "0":
                    forged = {"lo": decimal(HAIR), "hi": "1"} if end == "lo" else None
                else:
                    forged = moved(ends, end, 2 * HAIR)
                if forged:
                    assert condition(changed(tree, **{f"claim__{name}__{i}": forged})) == name
    for end, refusal in (("lo", "root-above"), ("hi", "root-below")):
        forged = moved(tree["claim"]["K"], end, Fraction(3, 10**20))
        assert condition(changed(tree, claim__K=forged)) == refusal


@pytest.mark.parametrize("case", range(len(SYSTEMS) * 2 - 1))
def test_thresholds_inside_the_interval_of_the_root(case: int) -> None:
    """With lo < theta_i <= hi the minimum in G counts at both ends, and the queue may be 0."""
    system, low, high = doubtful()[case]
    tree = tree_of(system, low, high)
    undecided = tree["claim"]["undecided"]
    assert undecided
    assert condition(tree) == ""
    for i, ends in enumerate(tree["claim"]["queue"]):
        for end in ("lo", "hi"):
            if Fraction(ends[end]):
                forged = moved(ends, end, 2 * HAIR)
                assert condition(changed(tree, **{f"claim__queue__{i}": forged})) == "queue"
        if i in undecided:
            assert ends["lo"] == "0"
            forged = ends | {"lo": decimal(HAIR)}
            assert condition(changed(tree, **{f"claim__queue__{i}": forged})) == "queue"
    truth = Truth(system)
    if abs(number(low) - truth.root) < 1e-10:
        assert condition(changed(tree, claim__K__lo=near(truth.root, HAIR))) == "root-above"
    else:
        assert condition(changed(tree, claim__K__hi=near(truth.root, -HAIR))) == "root-below"
    for i in undecided:
        rest = [each for each in undecided if each != i]
        assert condition(changed(tree, claim__undecided=rest)) == "inactive"
        both = sorted([*tree["claim"]["active"], i])
        forged = changed(tree, claim__undecided=rest, claim__active=both)
        assert condition(forged) == "active"


def test_the_root_has_a_positive_lower_bound() -> None:
    tree = tree_of(ONE)
    assert condition(changed(tree, claim__K__lo="0")) == "root-above"
    assert condition(changed(tree, claim__K__lo="-1")) == "root-above"


@pytest.mark.parametrize(("end", "words"), [("lo", "at least"), ("hi", "at most")])
def test_the_refusal_of_an_end_tells_the_inequality(end: str, words: str) -> None:
    tree = tree_of(ONE)
    forged = moved(tree["claim"]["K"], end, Fraction(3, 10**20))
    assert f" expected G(K) {words} " in verdict(changed(tree, claim__K=forged)).line()


@pytest.mark.parametrize(
    ("active", "undecided", "expected"),
    [
        ([2], [], "inactive"),
        ([], [3], "inactive"),
        ([2, 3], [], ""),
        ([2], [3], ""),
        ([3], [2], ""),
        ([], [0, 1, 2, 3], ""),
        ([2, 3], [0, 1], ""),
        ([0, 2, 3], [], "active"),
        ([2, 3], [3], "shape"),
        ([3, 2], [], "shape"),
        ([2, 2, 3], [], "shape"),
        ([2, 3], [1, 0], "shape"),
        ([2, 3], [4], "shape"),
        ([2, 3], [0, 4], "shape"),
        ([2, 3, 4], [], "shape"),
    ],
)
def test_lists_of_indices(active: Sequence[int], undecided: Sequence[int], expected: str) -> None:
    """Of four servers the last two have a positive queue."""
    truth, tree = Truth(UAS), tree_of(UAS)
    assert [i for i in range(4) if truth.queue(i, truth.root) > 0] == [2, 3]
    assert condition(changed(tree, claim__active=active, claim__undecided=undecided)) == expected


@pytest.mark.parametrize("name", ["theta", "queue"])
def test_one_interval_for_every_server(name: str) -> None:
    tree = tree_of(UAS)
    rows = tree["claim"][name]
    for other in (rows[:-1], [*rows, rows[-1]]):
        assert condition(changed(tree, **{f"claim__{name}": other})) == "shape"


def test_a_threshold_at_an_end_of_the_root() -> None:
    """With mu = 1 and no offset theta is exactly 1: beyond K.lo it decides nothing."""
    words: dict[str, Any] = {"alpha": 2, "beta": 1, "gamma": 0, "offset": 0}
    ones = tree_of(ReflectedUAS("3/2", [1, 1], **words))
    assert ones["claim"]["queue"] == [{"lo": "0", "hi": "0"}] * 2
    assert condition(changed(ones, claim__K__lo=near(mpmath.mpf(1), HAIR))) == ""
    assert condition(changed(ones, claim__K__lo="999e-3")) == "inactive"
    # theta = 1 and 1/16: K = 1 for an arrival rate of 2, and K = 10/11 for 21/10
    mixed = tree_of(ReflectedUAS("21/10", [1, 16], **words), "5e-1", "1")
    mixed["claim"] |= {"active": [0], "undecided": []}
    assert condition(mixed) == "active"
    assert condition(changed(mixed, claim__K__hi="99e-2")) == ""


def queues(system: System) -> list[dict[str, str]]:
    """Intervals around the largest and the smallest positive queue."""
    truth = Truth(system)
    values = [truth.queue(i, truth.root) for i in range(len(truth.theta))]
    positive = [value for value in values if value > 0]
    assert min(positive) < max(positive)
    return [around(each, each) for each in (max(positive), min(positive))]


@pytest.mark.parametrize(
    ("count", "undecided", "expected"),
    [
        (2, 0, ""),
        (1, 1, ""),
        (0, 2, ""),
        (2, 1, ""),
        (2, 2, ""),
        (3, 0, "count"),
        (3, 1, "count"),
        (1, 0, "count"),
        (0, 1, "count"),
        (0, 0, "count"),
    ],
)
def test_counts_of_the_summary(count: int, undecided: int, expected: str) -> None:
    """Two of four queues are positive: the smallest one is claimed where all are counted."""
    tree, ends = tree_of(UAS), queues(UAS)
    defined = count > 0 and undecided == 0
    given = summary_of(tree, count, undecided, *ends)
    bare = summary_of(tree, count, undecided, ends[0])
    assert condition(given if defined else bare) == expected
    assert condition(bare if defined else given) == (expected or "shape")


def test_extreme_queues() -> None:
    tree, ends = tree_of(UAS), queues(UAS)
    for place in (0, 1):
        for end in ("lo", "hi"):
            forged = [*ends]
            forged[place] = moved(ends[place], end, 2 * HAIR)
            assert condition(summary_of(tree, 2, 0, *forged)) == "extreme"
    alone, truth = tree_of(ONE), Truth(ONE)
    largest = around(truth.queue(0, truth.root), truth.queue(0, truth.root))
    assert condition(summary_of(alone, 1, 0, largest, largest)) == ""
    assert condition(summary_of(alone, 1, 0, largest)) == "shape"
    zero = {"lo": "0", "hi": "0"}
    none = tree_of(NONE)
    assert condition(summary_of(none, 0, 0, zero)) == ""
    assert condition(summary_of(none, 0, 0, zero, zero)) == "shape"
    assert condition(summary_of(none, 0, 0, {"lo": decimal(HAIR), "hi": "1"})) == "extreme"
    named = changed(summary_of(none, 0, 0, zero), claim__servers="all")
    assert verdict(named).outcome is Outcome.MALFORMED


def test_what_the_verdict_says() -> None:
    """Digits of what is decided: an undecided queue, wide as it is, does not count."""
    tree = tree_of(UAS)
    assert "one equilibrium of 4 servers, 0 undecided: K* to 18" in verdict(tree).line()
    wide = changed(tree, claim__queue__3={"lo": "0", "hi": "1e3"})
    assert "the rest to 0 or more" in verdict(wide).line()
    loose = changed(wide, claim__active=[2], claim__undecided=[3])
    assert "4 servers, 1 undecided" in verdict(loose).line()
    assert "the rest to 13 or more" in verdict(loose).line()
    counted = summary_of(tree, 1, 1, {"lo": "0", "hi": "1e3"})
    assert "4 servers, 1 undecided" in verdict(counted).line()
    assert "the rest to 0 or more" in verdict(counted).line()


def test_one_weight_for_every_server() -> None:
    tree = tree_of(ONE)
    weights = tree["claim"]["system"]["weights"]
    for other in (weights[:-1], [*weights, "1"], [*weights, weights[-1]]):
        assert condition(changed(tree, claim__system__weights=other)) == "hypothesis"


def test_the_verdict_on_a_system_that_nobody_waits_in() -> None:
    """All queues are empty, hence exact; only K* is an interval."""
    system = ReflectedUAS("3/2", [1, 1], alpha=1, beta=1, gamma=1, offset=1)
    tree: Tree = json.loads(solve(system, 20).certificate(summary=True).to_bytes())
    report = verdict(tree)
    assert report.outcome is Outcome.VERIFIED
    assert report.line().endswith("the rest exact")
