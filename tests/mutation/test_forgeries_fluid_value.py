"""What an attacker would try against fluid-value: false forms that look like least costs."""

import copy
from fractions import Fraction
from typing import Any

import pytest

from certify.fluid import FiniteLaw, dispatch
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome
from tests.mutation.engine import Tree, to_bytes
from tests.mutation.truth.fluid_comparison import form
from tests.mutation.truth.fluid_value import truth

F = Fraction
Sectors = list[tuple[str, str, tuple[Any, Any, Any]]]
RUNNING = [("1/2", "1/2"), ("3/2", "1/2")]
POINT = [("1", "1")]
FOUR = [("0", "1/4"), ("1/2", "1/4"), ("1", "1/4"), ("5/2", "1/4")]
TRUE = dispatch(FiniteLaw(tuple(RUNNING)), "3/4")


def forged(law: list[tuple[str, str]], load: str, sectors: Sectors) -> Tree:
    """A certificate whose value and saving at a tie follow from its sectors."""
    tie, rho = F(sectors[0][2][0]), F(load)
    claim = {
        "law": {"atoms": [list(atom) for atom in law]},
        "load": load,
        "sectors": [
            {"from": low, "to": high, "value": [str(F(each)) for each in value]}
            for low, high, value in sectors
        ],
        "values": [{"imbalance": "0", "value": str(tie)}],
        "saving": str(1 - tie * 2 * (1 - rho) / rho),
    }
    return {"format": "certify/1", "kind": "fluid-value", "claim": claim, "witness": {}}


def refused(tree: Tree) -> str:
    """The condition that rejects a false claim."""
    assert truth(copy.deepcopy(tree["claim"])) is False, "the forgery is true"
    report = check_bytes(to_bytes(tree))
    assert report.outcome is Outcome.REJECTED, report.line()
    assert report.refusal is not None
    return report.refusal.condition


def test_a_lower_bound_that_nobody_attains() -> None:
    """Smooth, solves the equation everywhere, and 1 < 33/28 at a tie."""
    sectors = [("0", "3/8", (1, "-1/3", "-5/9")), ("3/8", "1", ("21/20", "-3/5", "-1/5"))]
    assert refused(forged(RUNNING, "3/4", sectors)) == "exit"


def test_an_exit_that_starves_the_empty_queue() -> None:
    """The recurrence run from the smaller size as exit cutoff: a solution with V = 3/8 at a tie."""
    sectors = [("0", "1", ("3/8", "-3/4", "-5/8"))]
    assert refused(forged(RUNNING, "3/4", sectors)) == "exit"


@pytest.mark.parametrize(
    ("work", "at_tie", "at_axis"), [(1, F(3, 2), None), (0, None, F(2, 3)), (0, None, F(1, 2))]
)
def test_the_cost_of_another_policy(work: int, at_tie: Any, at_axis: Any) -> None:
    """Balanced routing; most work left; and the latter with a cheaper end."""
    value = form(F(3, 4), work, work, at_tie, at_axis)
    assert refused(forged(RUNNING, "3/4", [("0", "1", value)])) in ("hamilton-jacobi", "split")


def test_a_kink_where_the_values_agree() -> None:
    """Continuous, with the right value at both ends of every sector, but not smooth."""
    a, b, c = TRUE.sectors[0].form
    bend = F(1, 1000)  # adds bend z (3/13 - z), zero at both edges
    bent = (a, b + bend * F(3, 13), c - bend)
    sectors: Sectors = [("0", "3/13", bent), ("3/13", "1", TRUE.sectors[1].form)]
    assert refused(forged(RUNNING, "3/4", sectors)) in ("gradient", "split")


@pytest.mark.parametrize("load", ["749/1000", "751/1000", "1/2", "1/4"])
def test_the_value_of_another_load(load: str) -> None:
    sectors = [(str(s.lower), str(s.upper), s.form) for s in TRUE.sectors]
    assert refused(forged(RUNNING, load, sectors)) in ("hamilton-jacobi", "exit")


@pytest.mark.parametrize(
    "law",
    [
        [("49/100", "1/2"), ("151/100", "1/2")],
        [("0", "1/1000000"), ("1/2", "499999/1000000"), ("750001/500000", "1/2")],
        [("1/2", "1/2"), ("1", "1/4"), ("2", "1/4")],
        [("1", "1")],
    ],
)
def test_the_value_of_another_law(law: list[tuple[str, str]]) -> None:
    sectors = [(str(s.lower), str(s.upper), s.form) for s in TRUE.sectors]
    tree = forged(law, "3/4", sectors)
    assert refused(tree) in ("hypothesis", "split", "hamilton-jacobi", "exit")


def test_at_light_load_the_last_sector_is_left_out() -> None:
    light = dispatch(FiniteLaw(tuple(RUNNING)), "1/4").sectors
    sectors: Sectors = [(str(s.lower), str(s.upper), s.form) for s in light[:-1]]
    sectors[-1] = (sectors[-1][0], "1", sectors[-1][2])
    assert refused(forged(RUNNING, "1/4", sectors)) == "split"


def test_at_light_load_everything_to_the_short_queue() -> None:
    """The last sector's form on the whole cone: joining the shorter queue for ever."""
    sectors: Sectors = [("0", "1", ("1/4", "-1/2", "1/4"))]
    assert refused(forged(RUNNING, "1/4", sectors)) in ("split", "rise")


POINT_NEAR_MISSES: list[tuple[str, Sectors, str]] = [
    # cutoff a little above 1: all jobs to the short queue, which evens the queues out
    ("3/4", [("0", "1", ("3/2", 0, "-499/1000"))], "rise"),
    ("3/4", [("0", "1", ("3/2", 0, "-501/1000"))], "hamilton-jacobi"),
    ("3/4", [("0", "1", ("1499/1000", 0, "-1/2"))], "hamilton-jacobi"),
    ("3/4", [("0", "1", ("3/2", "1/1000", "-1/2"))], "slope"),
    ("3/4", [("0", "1", ("3/2", "-1/1000", "-1/2"))], "hamilton-jacobi"),
    # the form for loads of at least 1/2, below it: it would idle at a price
    ("1/4", [("0", "1", ("1/6", 0, "-1/2"))], "exit"),
    # the border of the sectors moved a little: to either side
    ("1/4", [("0", "33/100", ("1/6", 0, "-1/2")), ("33/100", "1", ("1/4", "-1/2", "1/4"))], ""),
    ("1/4", [("0", "34/100", ("1/6", 0, "-1/2")), ("34/100", "1", ("1/4", "-1/2", "1/4"))], ""),
    # the other branch alone
    ("1/4", [("0", "1", ("1/4", "-1/2", "1/4"))], ""),
]


@pytest.mark.parametrize(("load", "sectors", "code"), POINT_NEAR_MISSES)
def test_near_misses_of_a_point_mass(load: str, sectors: Sectors, code: str) -> None:
    sectors = [(str(F(low)), str(F(high)), value) for low, high, value in sectors]
    found = refused(forged(POINT, load, sectors))
    assert found == code if code else found in ("gradient", "rise", "split")


def test_a_law_close_to_a_point_mass_is_not_one() -> None:
    law = [("999/1000", "1/2"), ("1001/1000", "1/2")]
    assert refused(forged(law, "3/4", [("0", "1", ("3/2", 0, "-1/2"))])) in (
        "split",
        "hamilton-jacobi",
    )


@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("sector", range(3))
@pytest.mark.parametrize("step", [1, -1])
def test_one_part_in_ten_to_the_hundred(sector: int, place: int, step: int) -> None:
    """No tolerance anywhere: the smallest change of any coefficient is seen."""
    found = dispatch(FiniteLaw(tuple(FOUR)), "9/10").sectors
    sectors: Sectors = [(str(s.lower), str(s.upper), s.form) for s in found]
    value = list(sectors[sector][2])
    value[place] += F(step, 10**100)
    sectors[sector] = (*sectors[sector][:2], (value[0], value[1], value[2]))
    assert refused(forged(FOUR, "9/10", sectors)) in (
        "gradient",
        "hamilton-jacobi",
        "slope",
        "split",
    )
