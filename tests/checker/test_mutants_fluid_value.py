"""Borders of kind fluid-value: idling that is free, sectors that rise only at their imbalance."""

import json
from fractions import Fraction

import pytest

from certify.fluid import FiniteLaw, dispatch
from certify.fluid.many_sizes import exact_values
from proofs_checks.checker.kinds.fluid_law import read_law
from proofs_checks.checker.kinds.fluid_points import _ladder
from proofs_checks.checker.kinds.fluid_value import evaluate, read_sector
from proofs_checks.checker.reader import DEFAULT, Node, parse
from proofs_checks.checker.verdict import Trial
from tests.drift_helpers import changed, condition
from tests.mutation.engine import Tree, to_bytes

F = Fraction
TWO = FiniteLaw((("1/2", "1/2"), ("3/2", "1/2")))
THREE = FiniteLaw((("1/2", "2/5"), ("1", "1/2"), ("3", "1/10")))  # work 1/5, 1/2, 3/10
FREE_OR_THREE = FiniteLaw(((0, "2/3"), (3, "1/3")))
FREE_OR_TWO = FiniteLaw(((0, "1/2"), (2, "1/2")))
WIDER = FiniteLaw(((0, "1/4"), ("1/2", "1/4"), (1, "1/4"), ("5/2", "1/4")))
SEVEN_ATOMS = [[str(F(size, 10)), "1/7"] for size in (1, 3, 7, 9, 11, 13, 26)]
SEVEN = FiniteLaw(tuple((F(size), F(mass)) for size, mass in SEVEN_ATOMS))


def solved(law: FiniteLaw, load: str) -> Tree:
    tree: Tree = json.loads(dispatch(law, load).certificate([0, "1/2", 1]).to_bytes())
    return tree


@pytest.mark.parametrize("load", ["1/5", "1/4", "26/100", "1/3", "2/5", "1/2", "3/5", "9/10"])
@pytest.mark.parametrize("law", [TWO, THREE, FREE_OR_TWO])
def test_the_least_cost_at_light_and_heavy_loads(law: FiniteLaw, load: str) -> None:
    """Up to load 1/2 all jobs may join an empty queue, which then idles at no cost."""
    assert condition(solved(law, str(F(load)))) == ""


def test_joining_the_shorter_queue_below_load_one_half() -> None:
    """Behind the last cutoff the least cost is rho (x - delta)**2/(2 (1 - 2 rho)), flat at 1."""
    tree = solved(TWO, "2/5")
    assert tree["claim"]["sectors"][-1]["value"] == ["1", "-2", "1"]
    assert condition(tree) == ""


ONE_SIZE = [
    {"from": "0", "to": "1/2", "value": ["1/4", "0", "-1/2"]},
    {"from": "1/2", "to": "1", "value": ["1/2", "-1", "1/2"]},
]


def test_an_imbalance_that_stays() -> None:
    """Equal jobs at load 1/3: at 1/2 the shorter queue may get them all, rho/(1 - rho) = 1/2."""
    tree = solved(FiniteLaw(((1, 1),)), "1/3")
    assert tree["claim"]["sectors"] == ONE_SIZE
    assert condition(tree) == ""


def test_below_load_one_half_the_empty_queue_idles_at_no_cost_or_not_at_all() -> None:
    """The first form solves the equation up to the axis, where it charges g = 1 for idling."""
    tree = solved(FiniteLaw(((1, 1),)), "1/3")
    claim = tree["claim"] | {"sectors": [ONE_SIZE[0] | {"to": "1"}]}
    assert condition(tree | {"claim": claim}) == "exit"


def test_the_imbalance_rises_in_a_sector_that_sends_most_work_to_the_shorter_queue() -> None:
    """Load 3/5: behind 15/19 the shorter queue gets 7/10 of the work, and the total falls faster
    than the difference, 3/5 (1 - 7/5) + 2/5 z > 0, from imbalance 3/5 on."""
    tree = solved(THREE, "3/5")
    assert condition(tree) == ""
    last = tree["claim"]["sectors"][-1]
    assert last == {"from": "15/19", "to": "1", "value": ["3/2", "-5/2", "13/12"]}


@pytest.mark.parametrize("load", ["1/5", "1/3", "2/5", "1/2", "5/7", "9/10"])
@pytest.mark.parametrize("law", [TWO, THREE, FREE_OR_THREE, WIDER, SEVEN])
def test_single_values_by_another_way(law: FiniteLaw, load: str) -> None:
    """In every sector, next to both of its edges: the value, and no other knot proves it."""
    right = dispatch(law, load)
    for index, sector in enumerate(right.sectors):
        width = sector.upper - sector.lower
        places = [sector.lower + width / 1000, sector.upper - width / 1000]
        tree: Tree = json.loads(exact_values(law, load, places).certificate().to_bytes())
        assert tree["witness"]["sectors"] == [index, index]
        assert [row["value"] for row in tree["claim"]["values"]] == [
            str(right.at(z)) for z in places
        ]
        assert tree["claim"]["saving"] == str(right.saving)
        assert condition(tree) == ""
        for other in {*range(len(right.sectors) + 2)} - {index}:
            assert condition(changed(tree, witness__sectors=[other, index])) == "sector"
            assert condition(changed(tree, witness__sectors=[index, other])) == "sector"
        for off in (F(1, 10**9), -F(1, 10**9)):
            row = tree["claim"]["values"][1]
            rows = [tree["claim"]["values"][0], row | {"value": str(F(row["value"]) + off)}]
            assert condition(changed(tree, claim__values=rows)) == "value"
            saving = str(right.saving + off)
            assert condition(changed(tree, claim__saving=saving)) == "saving"


def points(law: FiniteLaw, load: str, z: Fraction, value: Fraction, sector: int) -> Tree:
    tree: Tree = json.loads(exact_values(law, load, [0]).certificate().to_bytes())
    row = {"imbalance": str(z), "value": str(value)}
    return changed(tree, claim__values=[row], witness__sectors=[sector])


@pytest.mark.parametrize("load", ["1/5", "1/3", "1/2", "5/7", "9/10"])
@pytest.mark.parametrize("law", [TWO, THREE, FREE_OR_THREE, WIDER])
def test_an_edge_belongs_to_the_sectors_on_both_sides(law: FiniteLaw, load: str) -> None:
    right = dispatch(law, load)
    for index, sector in enumerate(right.sectors):
        value = right.at(sector.upper)
        last = index + 1 == len(right.sectors)
        free = last and F(load) <= F(1, 2)  # at imbalance 1 no job waits: any number will do
        for number in range(len(right.sectors) + 2):
            expected = "" if number in (index, index + (not last)) or free else "sector"
            assert condition(points(law, load, sector.upper, value, number)) == expected
        forged = points(law, load, sector.upper, value + F(1, 10**9), index)
        assert condition(forged) == "value"


@pytest.mark.parametrize("z", ["-1/1000", "1001/1000", "2", "-1"])
def test_single_imbalances_outside_the_cone(z: str) -> None:
    for load in ("1/3", "1/2", "3/4"):
        right = dispatch(TWO, load)
        for index, sector in enumerate(right.sectors):
            a, b, c = sector.form
            value = a + b * F(z) + c * F(z) ** 2
            assert condition(points(TWO, load, F(z), value, index)) == "value"


def test_one_size_has_no_knots() -> None:
    tree = points(TWO, "3/4", F(0), dispatch(TWO, "3/4").at(0), 0)
    assert condition(tree) == ""
    forged = changed(tree, claim__law={"atoms": [["1", "1"]]})
    assert condition(forged) == "hypothesis"


def test_an_imbalance_just_behind_a_knot() -> None:
    """Z is 2/5 at the only positive size; at 1/2 the integers that are compared differ by one."""
    z, right = F(1, 2), dispatch(FREE_OR_TWO, "1/5")
    assert right.sectors[0].upper == F(2, 5)
    assert condition(points(FREE_OR_TWO, "1/5", z, right.at(z), 1)) == ""
    assert condition(points(FREE_OR_TWO, "1/5", z, right.at(z), 0)) == "sector"


@pytest.mark.parametrize("load", ["1/3", "1/2", "3/4"])
@pytest.mark.parametrize("law", [TWO, THREE, SEVEN])
def test_a_tie_that_solves_the_equation_only_away_from_it(law: FiniteLaw, load: str) -> None:
    """t (x - delta/z)**2 added up to the first cutoff z: smooth, and the equation holds at z."""
    for t in (F(1, 10**9), -F(1, 10**9)):
        tree = solved(law, load)
        sector = tree["claim"]["sectors"][0]
        z, (a, b, c) = F(sector["to"]), map(F, sector["value"])
        sector["value"] = [str(n) for n in (a + t, b - 2 * t / z, c + t / z**2)]
        tree["claim"]["values"][0]["value"] = str(a + t)
        tree["claim"]["saving"] = str(1 - (a + t) * 2 * (1 - F(load)) / F(load))
        tree["claim"]["values"] = tree["claim"]["values"][:1]
        assert condition(tree) == "hamilton-jacobi"


@pytest.mark.parametrize("work", ["1/3", "2", "7"])
def test_the_value_is_homogeneous_of_degree_two(work: str) -> None:
    right, x, trial = dispatch(WIDER, "3/4"), F(work), Trial(10**6)
    node = parse(to_bytes(solved(WIDER, "3/4")), DEFAULT)[1].record(
        "law load values saving sectors"
    )["sectors"]
    sectors = [read_sector(item) for item in node.items()]
    for k in range(51):
        z = F(k, 50)
        assert evaluate(sectors, x, z * x, trial) == x * x * right.at(z)


def test_the_sum_over_the_knots_by_pieces() -> None:
    """X at a knot: k times (t - s)/(D(s) D(t)), added up one step after another."""
    law = read_law(Node({"atoms": SEVEN_ATOMS}, "law"), Node("9/10", "load"), Trial(10**6))
    ladder = _ladder(law, Trial(10**6))
    last = len(ladder.steps) - 1
    assert last == 6
    total = ladder.top
    for i in range(last, -1, -1):
        if i < last:
            s, t = ladder.size(i), ladder.size(i + 1)
            total += ladder.k * (t - s) / (ladder.deviation(i) * ladder.deviation(i + 1))
        above, under = ladder.reach(i)
        assert F(above, under) == total
