"""Optimal costs for uniform sizes on [0, 2], where every number has a closed form, to the edges.

With t = h - 1 the deviation transform is D = (t**2 + 1)/2 up to size 2 and t beyond, and the
integral of 1/D**2 is 2 t/(t**2 + 1) + 2 atan t.
"""

import copy
import math
from fractions import Fraction
from typing import Any

import pytest

from proofs_checks.checker.kernel.real import Real
from proofs_checks.checker.kinds import fluid_enclosure
from proofs_checks.checker.kinds.fluid_integral import Deviation
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Outcome, Refusal, Trial
from tests.checker.test_mutants_fluid import places
from tests.drift_helpers import condition
from tests.mutation.engine import Tree

STEP = 10.0**-5  # half the width of what is claimed, far above what the witness leaves open
NEAR = 10.0**-9  # that of the cutoffs
LOADS = ["1/4", "1/2", "4/5"]
ZERO = {"lo": "0", "hi": "0"}
KNOTS = ["0", "1/4", "1/2", "3/4", "1", "5/4", "3/2", "7/4", "2"]


def decimal(value: float) -> str:
    """To twelve places, as an integer times a power of ten."""
    mantissa, power = round(value * 10**12), -12
    while mantissa and mantissa % 10 == 0:
        mantissa, power = mantissa // 10, power + 1
    return f"{mantissa}e{power}" if mantissa and power else str(mantissa)


def interval(low: float, high: float) -> dict[str, str]:
    return {"lo": decimal(low), "hi": decimal(high)}


def beside(value: float, step: float = STEP) -> dict[str, str]:
    return interval(value - step, value + step)


def fraction(text: str) -> float:
    top, _, bottom = text.partition("/")
    return int(top) / int(bottom or 1)


class Closed:
    """The closed forms at one load."""

    def __init__(self, load: str) -> None:
        self.rho = fraction(load)
        self.k = (1 - self.rho) / self.rho
        self.exit = math.sqrt(2 / self.rho) if self.rho >= 0.5 else math.inf
        finite = self.rho >= 0.5
        self.at_exit = self.exit / self.deviation(self.exit) if finite else 1.0
        self.end = self.primitive(self.exit) if finite else self.primitive(2) + 1

    def deviation(self, h: float) -> float:
        return ((h - 1) ** 2 + 1) / 2 if h < 2 else h - 1

    def primitive(self, h: float | Fraction) -> float:
        """Of 1/D**2."""
        if h > 2:
            return self.primitive(2) + 1 - 1 / (float(h) - 1)
        t = float(h) - 1
        return 2 * t / (t * t + 1) + 2 * math.atan(t)

    def reach(self, h: float) -> float:
        return self.at_exit + self.k * (self.end - self.primitive(h))

    def cutoff(self, z: float) -> float:
        """By bisection, as the imbalance rises with the cutoff."""
        low, high = 0.0, min(self.exit, 100.0)
        for _ in range(60):
            h = (low + high) / 2
            low, high = (h, high) if h < z * self.deviation(h) * self.reach(h) else (low, h)
        return (low + high) / 2

    def level(self, z: float) -> float:
        return 1 / (self.at_exit if z == 1 else self.reach(self.cutoff(z)))

    def value(self, z: float) -> float:
        if z == 1:
            h = self.exit
            return ((1 - (2 - h) ** 2 / 2) / self.k - 1) / (2 * h) if h < math.inf else 0
        own = z * z / self.cutoff(z) if z else 0
        return ((1 - self.level(z)) / self.k - own) / 2

    def time(self, z: float) -> float:
        return (1 - self.level(z) * self.at_exit) / (1 - self.rho)

    def row(self, text: str) -> Tree:
        z = fraction(text)
        cutoff: Any = beside(self.cutoff(z), NEAR) if 0 < z < 1 else ZERO
        if z == 1:
            cutoff = self.claimed_exit()
        value = ZERO if z == 1 and self.rho <= 0.5 else beside(self.value(z))
        time = ZERO if z == 1 else beside(self.time(z))
        return {"imbalance": text, "cutoff": cutoff, "value": value, "time": time}

    def claimed_exit(self) -> Any:
        return beside(self.exit, NEAR) if self.exit < math.inf else "infinity"

    def passed(self, start: str, text: str) -> Tree:
        total = self.level(fraction(start)) / self.level(fraction(text))
        time = (1 - total) / (1 - self.rho)
        return {"imbalance": text, "total": beside(total), "time": beside(time)}


def claimed(load: str, imbalances: str = "0 3/4 1", path: str = "") -> Tree:
    closed = Closed(load)
    rows = imbalances.split()
    claim = {
        "law": {"family": "uniform", "lowest": "0"},
        "load": load,
        "exit_cutoff": closed.claimed_exit(),
        "saving": beside(closed.level(0)),
        "values": [closed.row(z) for z in rows],
    }
    if path:
        claim["path"] = [closed.passed(rows[0], z) for z in path.split()]
    witness = {"precision": 64, "knots": KNOTS, "terms": [24] * (len(KNOTS) - 1)}
    return {
        "format": "certify/1",
        "kind": "fluid-enclosure",
        "claim": claim,
        "witness": witness,
    }


def refusal(tree: Tree, row: int, **fields: Any) -> str:
    """The condition that refuses the claim with other fields of a row; empty if none does."""
    forged = copy.deepcopy(tree)
    forged["claim"]["values"][row] |= fields
    return condition(forged)


@pytest.fixture(autouse=True)
def _known(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The integral of 1/D**2 to twelve places, but where a test asks for its proof."""
    if "proved" in request.node.name:
        return

    def integral(self: Deviation, low: Fraction, high: Fraction | None) -> Real:
        closed = Closed("1/4")
        value = (closed.end if high is None else closed.primitive(high)) - closed.primitive(low)
        ends = [Fraction(round(value * 10**13) + off, 10**13) for off in (-1, 1)]
        real = [self.trial.real(end, self.bits) for end in ends]
        return real[0].hull(real[1])

    monkeypatch.setattr(Deviation, "integral", integral)


@pytest.mark.parametrize("load", LOADS)
def test_the_closed_forms_are_proved(load: str) -> None:
    assert condition(claimed(load, "1/5 0 3/4 1", "3/4 1")) == ""


@pytest.mark.parametrize("load", LOADS)
def test_a_cost_or_a_time_beside_the_true_one(load: str) -> None:
    tree, closed = claimed(load), Closed(load)
    for row, z in ((0, 0.0), (1, 0.75)):
        for name, value in (("value", closed.value(z)), ("time", closed.time(z))):
            for off in (-2 * STEP, 2 * STEP):
                assert refusal(tree, row, **{name: beside(value + off)}) == name
    for name in ("value", "time"):
        for off in (-2 * STEP, 2 * STEP):
            found = closed.value(1) if name == "value" else 0
            assert refusal(tree, 2, **{name: beside(found + off)}) == name


@pytest.mark.parametrize("load", LOADS)
def test_a_saving_or_a_path_beside_the_true_one(load: str) -> None:
    tree = claimed(load, "1/5 3/4 1", "3/4 1")
    for off in (-2 * STEP, 2 * STEP):
        forged = copy.deepcopy(tree)
        forged["claim"]["saving"] = beside(Closed(load).level(0) + off)
        assert condition(forged) == "saving"
    start, closed = 0.2, Closed(load)
    for index, z in enumerate((0.75, 1.0)):
        total = closed.level(start) / closed.level(z)
        for off in (-2 * STEP, 2 * STEP):
            for name, value in (("total", total), ("time", (1 - total) / (1 - closed.rho))):
                forged = copy.deepcopy(tree)
                forged["claim"]["path"][index][name] = beside(value + off)
                assert condition(forged) == f"path-{name}"


@pytest.mark.parametrize("load", LOADS)
def test_the_cutoff_in_between_to_both_sides(load: str) -> None:
    tree, h = claimed(load), Closed(load).cutoff(0.75)
    assert refusal(tree, 1, cutoff=interval(h + NEAR, h + 2 * NEAR)) == "cutoff-below"
    assert refusal(tree, 1, cutoff=interval(h - 2 * NEAR, h - NEAR)) == "cutoff-above"
    assert refusal(tree, 1, cutoff=interval(-NEAR, h + NEAR)) == "cutoff-below"
    assert refusal(tree, 1, cutoff="infinity") == "cutoff-above"


@pytest.mark.parametrize("load", ["1/2", "4/5"])
def test_a_cutoff_up_to_the_exit(load: str) -> None:
    """From the claimed high end of the exit cutoff on, no proof about Z is needed."""
    tree, closed = claimed(load, "99/100"), Closed(load)
    wide = {"value": interval(-100, 100), "time": interval(-100, 100)}
    low = closed.cutoff(0.99) - NEAR
    for high, expected in ((closed.exit + NEAR, ""), (closed.exit, "cutoff-above")):
        assert refusal(tree, 0, cutoff=interval(low, high), **wide) == expected


@pytest.mark.parametrize("load", LOADS)
def test_the_cutoff_at_a_tie_contains_zero(load: str) -> None:
    tree = claimed(load, "0")
    for low, high, expected in (
        (-1.0, 1.0, ""),
        (0.0, 1.0, ""),
        (-1.0, 0.0, ""),
        (NEAR, 1.0, "cutoff-below"),
        (1.0, 1.0, "cutoff-below"),
        (-1.0, -NEAR, "cutoff-above"),
    ):
        assert refusal(tree, 0, cutoff=interval(low, high)) == expected
    assert refusal(tree, 0, cutoff="infinity") == "cutoff-above"


def test_an_infinite_cutoff_costs_nothing_only_on_the_axis() -> None:
    """All work to one queue: at load 1/4 it is optimal from an empty queue, not from others."""
    tree = claimed("1/4")
    free = {"value": ZERO, "time": ZERO}
    assert refusal(tree, 2, **free) == ""
    for row in (0, 1):
        assert refusal(tree, row, cutoff="infinity", **free) == "cutoff-above"
    for cutoff in (interval(1, 2), interval(2, 1000), ZERO):
        assert refusal(tree, 2, cutoff=cutoff, **free) == "cutoff-above"


@pytest.mark.parametrize("load", ["1/2", "4/5"])
def test_the_cutoff_of_an_empty_queue_contains_the_exit(load: str) -> None:
    tree, h = claimed(load, "1"), Closed(load).exit
    for low, high, expected in (
        (h - NEAR, h + NEAR, ""),
        (h - 0.5, h + 0.5, ""),  # the cost is that of the exit cutoff all the same
        (h, h + NEAR, "cutoff-below"),
        (h - NEAR / 2, h + 1, "cutoff-below"),
        (h - NEAR, h, "cutoff-above"),
        (h - 1, h + NEAR / 2, "cutoff-above"),
    ):
        assert refusal(tree, 0, cutoff=interval(low, high)) == expected
    assert refusal(tree, 0, cutoff="infinity") == "cutoff-above"


def test_imbalances_between_empty_and_full() -> None:
    for load, z in (("4/5", "5/4"), ("4/5", "2"), ("1/4", "-1/4"), ("1/4", "9/8")):
        tree = claimed(load, "1/5")
        assert refusal(tree, 0, imbalance=z) == "imbalance"


@pytest.mark.parametrize("load", LOADS)
def test_digits_of_every_interval(load: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The verdict counts the digits of whatever the claim encloses."""
    seen: list[Any] = []
    monkeypatch.setattr(fluid_enclosure, "fewest_digits", lambda shown: seen.extend(shown))
    tree = claimed(load, "1/5 3/4 1", "3/4 1")
    assert condition(tree) == ""
    wanted = [Node(value, "") for _, value in places(tree["claim"]) if isinstance(value, dict)]
    assert sorted(seen) == sorted(node.interval() for node in wanted)
    assert len(wanted) > 10


def partition(knots: list[str], terms: list[int]) -> tuple[Any, str]:
    """What is read, and the condition that refuses it."""
    hints = {"knots": Node(knots, "knots"), "terms": Node(terms, "terms")}
    try:
        return fluid_enclosure.read_partition(hints, Trial(10**6)), ""
    except Refusal as refusal:
        return refusal.outcome, refusal.condition


@pytest.mark.parametrize(
    ("knots", "terms", "expected"),
    [
        ("0 2", [2], ""),
        ("0 1 2", [0, 2], ""),
        ("99/100 101/100", [0], ""),
        ("0 1/2 1/2 2", [2, 2, 2], "partition"),
        ("0 2 3/2", [2, 2], "partition"),
        ("-1 1/2 2", [2, 2], "partition"),
        ("-1/100 2", [2], "partition"),
        ("1 2", [2], "partition"),
        ("3/2 2", [2], "partition"),
        ("0 1", [2], "partition"),
        ("0 1/2 1", [2, 2], "partition"),
        ("0 1/2 3/4", [2, 2], "partition"),
        ("0 2", [2, 2], "partition"),
        ("0 1 2", [2], "partition"),
        ("0 2", [3], "partition"),
        ("0 2", [-2], "partition"),
    ],
)
def test_knots_rise_over_one_with_even_terms(knots: str, terms: list[int], expected: str) -> None:
    assert partition(knots.split(), terms)[1] == expected


def test_the_largest_number_of_terms() -> None:
    assert partition(["0", "1", "2"], [20_000, 2])[1] == ""
    assert partition(["0", "1", "2"], [2, 20_002])[0] is Outcome.DECLINED
    assert partition(["0", "1", "2"], [20_001, 2])[1] == "partition"
