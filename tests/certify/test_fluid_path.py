"""The optimal path: its cost is the least cost, its imbalance never falls, known phases."""

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.errors import InputError
from certify.fluid import FiniteLaw, dispatch
from tests.certify.test_heavy_traffic import LAWS

F = Fraction
RUNNING = dispatch(FiniteLaw((("1/2", "1/2"), ("3/2", "1/2"))), "3/4")
LOADS = st.fractions(F(1, 20), F(19, 20), max_denominator=20)
WORK = st.fractions(0, 5, max_denominator=8)


def test_the_running_example_in_three_phases() -> None:
    """From (1/2, 1/2): everything to the long queue, then the small jobs to the short one, exit."""
    path = RUNNING.path("1/2", "1/2")
    assert [leg.cost for leg in path.legs] == [F(45, 196), F(132, 196), F(54, 196)]
    assert path.cost == F(33, 28) == RUNNING.value("1/2", "1/2")
    assert path.imbalances == (0, F(3, 13), 1)
    assert [leg.jobs for leg in path.legs] == [0, F(1, 2), F(1, 2) + (F(2, 3) - F(1, 4)) / F(3, 2)]
    assert path.emptying_time == 4  # total work 1, drained at rate 1/4 all the time
    assert path.at(0) == (F(1, 2), F(1, 2))
    assert path.at(4) == path.at(100) == (0, 0)
    assert repr(path) == "WorkloadPath(legs=3, emptying_time=4)"


def test_mirrored_starts() -> None:
    one, other = RUNNING.path("1/4", "1/2"), RUNNING.path("1/2", "1/4")
    assert one.cost == other.cost
    assert all(one.at(F(i, 7)) == other.at(F(i, 7))[::-1] for i in range(21))
    assert other.at(0) == (F(1, 2), F(1, 4))


@settings(max_examples=80, deadline=None)
@given(LAWS, LOADS, WORK, WORK)
def test_the_path_costs_the_least_cost(
    law: FiniteLaw, load: Fraction, u1: Fraction, u2: Fraction
) -> None:
    solved = dispatch(law, load)
    path = solved.path(u1, u2)
    assert path.cost == solved.value(u1, u2)
    assert list(path.imbalances) == sorted(set(path.imbalances))
    for leg, after in pairwise(path.legs):
        assert leg.end == after.start
        assert leg.begin + leg.duration == after.begin
    if path.legs:
        assert path.legs[-1].end == (0, 0)
        assert all(leg.duration > 0 for leg in path.legs)


@settings(max_examples=60, deadline=None)
@given(LAWS, LOADS, WORK, WORK, st.lists(st.fractions(0, 1, max_denominator=30), min_size=2))
def test_the_imbalance_rises_strictly_inside(
    law: FiniteLaw, load: Fraction, u1: Fraction, u2: Fraction, moments: list[Fraction]
) -> None:
    """Two positive unequal queues: strictly; the workload stays at least 0 all the way."""
    path = dispatch(law, load).path(u1, u2)
    states = [path.at(path.emptying_time * when) for when in sorted(set(moments))]
    assert all(min(state) >= 0 for state in states)
    alive = [(a + b, abs(a - b)) for a, b in states if a + b > 0]
    for (x, delta), (y, later) in pairwise(alive):
        assert y < x
        assert delta * y < later * x or (delta == x and later == y)


@pytest.mark.parametrize("load", ["3/4", "1/2", "1/4"])
def test_equal_sizes(load: str) -> None:
    solved = dispatch(FiniteLaw(((1, 1),)), load)
    for start in (("1/4", "3/4"), ("1/2", "1/2"), (0, 1)):
        assert solved.path(*start).cost == solved.value(*start)


def test_an_empty_start_and_bad_ones() -> None:
    path = RUNNING.path(0, 0)
    assert (path.legs, path.cost, path.emptying_time, path.at(1)) == ((), 0, 0, (0, 0))
    with pytest.raises(InputError, match=r"^u2 must be at least 0, but was -1\.$"):
        RUNNING.path(1, -1)
    with pytest.raises(InputError, match=r"^time must be at least 0, but was -1/2\.$"):
        RUNNING.path(1, 1).at("-1/2")
