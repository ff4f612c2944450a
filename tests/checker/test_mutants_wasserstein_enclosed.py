"""A law with a density against a finite one: tangents by hand, the words, the edges of a claim."""

import json
from fractions import Fraction
from functools import cache
from itertools import pairwise

import pytest

from certify.fluid import FiniteLaw, enclose_comparison
from certify.fluid.continuous import Uniform
from proofs_checks.checker.kernel.real import Real
from proofs_checks.checker.kinds import fluid_enclosure
from proofs_checks.checker.kinds.fluid_integral import Deviation
from proofs_checks.checker.kinds.fluid_law import read_law
from proofs_checks.checker.kinds.size_laws import read_size_law
from proofs_checks.checker.kinds.wasserstein_enclosed import _gaps
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Refusal, Trial
from tests.drift_helpers import changed, condition, verdict
from tests.mutation.engine import Tree

F = Fraction
BITS = 120
UNIFORM = {"family": "uniform", "lowest": "0"}  # on [0, 2]: E|S - h| = (h**2 + (2 - h)**2)/4
LAW = [["0", "1/8"], ["1/2", "1/4"], ["1", "1/4"], ["3/2", "1/4"], ["2", "1/8"]]


def found(points: list[str]) -> tuple[list[Real], list[Real]]:
    trial = Trial(10**7)
    law = read_law(Node({"atoms": LAW}, "second"), Node("3/4", "load"), trial)
    sizes = read_size_law(Node(UNIFORM, "first"), BITS, trial)
    return _gaps(Deviation(sizes, [], [], BITS, trial), law, Node(points, "turning"), trial)


def gap(h: Fraction) -> Fraction:
    """E|S - h| - E|T - h|, by definition."""
    second = sum((F(mass) * abs(F(size) - h) for size, mass in LAW), F(0))
    return (h * h + (2 - h) ** 2) / 4 - second


def rising(h: Fraction, index: int) -> Fraction:
    """The derivative of that at h, behind `index` sizes: h - 1 is E|S - h|'s."""
    return h - 1 - (2 * sum((F(mass) for _, mass in LAW[:index]), F(0)) - 1)


def near(real: Real, low: Fraction, high: Fraction) -> bool:
    return all(abs(x - y) < F(1, 10**25) for x, y in zip(real.ends(), (low, high), strict=True))


def test_the_gaps_at_the_sizes() -> None:
    gaps, _ = found(["1/4", "3/4", "5/4", "7/4"])
    assert len(gaps) == len(LAW)
    for real, (size, _) in zip(gaps, LAW, strict=True):
        assert near(real, gap(F(size)), gap(F(size)))


@pytest.mark.parametrize("share", ["1/1000", "1/5", "1/2", "2/3", "1"])
def test_tangents_on_both_sides_of_the_turning_point(share: str) -> None:
    """From the tangent, at the end of the stretch where it is lower, up to the point's own gap."""
    stretches = [(F(low), F(high)) for (low, _), (high, _) in pairwise(LAW)]
    points = [low + F(share) * (high - low) for low, high in stretches]
    _, lowest = found([str(point) for point in points])
    for index, (real, point, stretch) in enumerate(zip(lowest, points, stretches, strict=True), 1):
        slope = rising(point, index)
        ends = [gap(point) + slope * (end - point) for end in stretch]
        assert near(real, min(*ends, gap(point)), gap(point))
        least = min(gap(stretch[0] + (stretch[1] - stretch[0]) * F(k, 64)) for k in range(65))
        assert min(*ends, gap(point)) <= least


def test_points_on_the_edges_of_their_stretches() -> None:
    for points in (["1/4", "1/2", "1", "3/2"], ["1/2", "1", "3/2", "2"]):
        found(points)
    for points in (
        ["0", "3/4", "5/4", "7/4"],  # the tangent divides by the point
        ["501/1000", "3/4", "5/4", "7/4"],
        ["1/4", "499/1000", "5/4", "7/4"],
        ["1/4", "3/4", "5/4", "2001/1000"],
        ["1/4", "3/4", "5/4"],
        ["1/4", "3/4", "5/4", "7/4", "7/4"],
    ):
        with pytest.raises(Refusal) as refusal:
            found(points)
        assert refusal.value.condition == "turning"


@cache
def made() -> bytes:
    atoms = tuple((F(size), F(mass)) for size, mass in LAW)
    return (
        enclose_comparison(Uniform(), FiniteLaw(atoms), "3/4", (0, "1/2"), 20)
        .certificate()
        .to_bytes()
    )


@pytest.fixture
def tree(monkeypatch: pytest.MonkeyPatch) -> Tree:
    """A certificate whose inner claim is taken for granted."""
    monkeypatch.setattr(fluid_enclosure, "check", lambda claim, witness, trial: None)
    result: Tree = json.loads(made())
    return result


def test_the_words_round_the_bound_up(tree: Tree) -> None:
    """9/32 = 9/4 times the distance 1/8, as an enclosure: twelve digits, from above."""
    line = verdict(tree).line()
    bound = tree["claim"]["bound"]
    mantissa, _, power = bound["hi"].partition("e")
    highest = F(mantissa) * F(10) ** int(power or 0)
    said = F(line.partition("least costs at total work 1 at most ")[2].partition(" apart")[0])
    assert highest <= said <= highest * (1 + F(1, 10**11))
    assert said.denominator <= 10**12  # a tenth comes first


def test_what_a_refusal_shows_of_the_deviations(tree: Tree) -> None:
    """Of nine numbers the first four."""
    refusal = verdict(changed(tree, claim__deviation_distance={"lo": "1", "hi": "2"})).refusal
    assert refusal is not None
    assert refusal.condition == "deviation-distance"
    assert refusal.expected.count("], [") == 3, refusal.expected


def test_each_number_of_the_claim(tree: Tree) -> None:
    assert condition(tree) == ""
    for name in ("distance", "bound", "deviation_distance"):
        low, high = tree["claim"][name]["lo"], tree["claim"][name]["hi"]
        for edit in ({"lo": high, "hi": "9"}, {"lo": "0", "hi": low}):
            assert condition(changed(tree, **{f"claim__{name}": edit})) == name.replace("_", "-")
