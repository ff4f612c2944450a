"""Routes to the fluid value that share nothing with its formula, and what holds between laws."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.fluid import Exponential, FiniteLaw, Pareto, Uniform, dispatch
from certify.fluid.continuous import ContinuousLaw
from certify.fluid.enclosure import enclose
from tests.certify.test_heavy_traffic import LAWS

F = Fraction
LOADS = st.fractions(F(1, 20), F(19, 20), max_denominator=20)
STATES = st.fractions(0, 5, max_denominator=20)


def backward(law: FiniteLaw, load: float, cells: int) -> float:
    """The least cost from a tie at total work 1, by dynamic programming over the imbalance.

    Until the shorter queue is empty no work is lost, so a control is a curve in the imbalance. With
    v(z) = V(1, z), sending the jobs (p, w) to the shorter queue until the imbalance has risen from
    z to z + step costs, by homogeneity, a number c and leaves x^2 v(z + step). The controls are all
    thresholds; the best is taken at every step, whatever the theory says. On the axis the cost is
    that of the best way to keep the empty queue busy or idle, again by trial.
    """
    sizes = [float(size) for size, _ in law.atoms]
    masses = [float(mass) for _, mass in law.atoms]
    jobs = np.concatenate([[0.0], np.cumsum(masses)])
    work = np.concatenate([[0.0], np.cumsum([s * m for s, m in zip(sizes, masses, strict=True)])])
    # the axis: any share of the jobs, smallest first, that does not refill the empty queue
    fine = np.linspace(0, 1, 20001)
    taken = np.interp(fine, work, jobs) if sizes[0] > 0 else np.interp(fine, work[1:], jobs[1:])
    drain = 0.5 - load * (1 - fine)
    usable = (drain > 1e-12) & (load * fine <= 0.5)
    exact = min(1.0, 1 / (2 * load))
    share = np.interp(exact, work, jobs) if sizes[0] > 0 else np.interp(exact, work[1:], jobs[1:])
    v = min(
        float(np.min(load * (1 - taken[usable]) / drain[usable])),
        load * (1 - float(share)) / (0.5 - load * (1 - exact)),
    )
    step = 1.0 / cells
    for index in reversed(range(cells)):
        z, edge = index * step, (index + 1) * step
        speed = load * (1 - 2 * work) + (1 - load) * edge
        rising = speed > 1e-9
        time = (edge - z) / speed[rising]
        p, w = jobs[rising], work[rising]
        x, delta = 1 - (1 - load) * time, z + load * (1 - 2 * w) * time
        cost = load * time * (1 + x + (1 - 2 * p) * (z + delta)) / 2
        allowed = x > 0
        v = float(np.min((cost + x * x * v)[allowed]))
    return v


@pytest.mark.parametrize(
    ("law", "load"),
    [
        (FiniteLaw((("1/2", "1/2"), ("3/2", "1/2"))), "3/4"),
        (FiniteLaw((("1/2", "1/2"), ("3/2", "1/2"))), "1/4"),
        (FiniteLaw((("1/2", "1/4"), (1, "1/2"), ("3/2", "1/4"))), "9/10"),
        (FiniteLaw(((0, "1/4"), ("1/2", "1/4"), (1, "1/4"), ("5/2", "1/4"))), "9/10"),
    ],
)
def test_a_dynamic_program_to_five_digits(law: FiniteLaw, load: str) -> None:
    """No control of the program is better than the least cost, and the best loses below 1e-5."""
    exact = float(dispatch(law, load).at(F(0)))
    found = backward(law, float(F(load)), 20_000)
    assert exact * (1 - 1e-9) <= found <= exact * (1 + 1e-5)


@settings(max_examples=60, deadline=None)
@given(LAWS, LOADS, STATES, STATES, st.fractions(F(1, 9), 9, max_denominator=9))
def test_the_value_is_homogeneous_and_symmetric(
    law: FiniteLaw, load: Fraction, u1: Fraction, u2: Fraction, factor: Fraction
) -> None:
    solved = dispatch(law, load)
    value = solved.value(u1, u2)
    assert solved.value(factor * u1, factor * u2) == factor * factor * value
    assert solved.value(u2, u1) == value
    if u1 != u2:
        assert solved.cutoff(factor * u1, factor * u2) == solved.cutoff(u1, u2)


@settings(max_examples=60, deadline=None)
@given(LAWS, LOADS, st.fractions(0, 1, max_denominator=30), st.data())
def test_a_spread_in_convex_order_never_costs_more(
    law: FiniteLaw, load: Fraction, z: Fraction, data: st.DataObject
) -> None:
    """An atom is moved apart to both sides, by equal halves: the mean stays, the value falls."""
    index = data.draw(st.integers(0, len(law.atoms) - 1))
    size, mass = law.atoms[index]
    gap = size * data.draw(st.fractions(F(1, 10), 1, max_denominator=10))
    atoms = [atom for place, atom in enumerate(law.atoms) if place != index]
    spread = FiniteLaw((*atoms, (size - gap, mass / 2), (size + gap, mass / 2)))
    assert dispatch(spread, load).at(z) <= dispatch(law, load).at(z)


@pytest.mark.parametrize("law", [Uniform(F(0)), Exponential(), Pareto(F(3, 2))])
def test_the_load_tends_to_one_half_from_both_sides(law: ContinuousLaw) -> None:
    """Below 1/2 the exit cutoff is infinite, above it is finite: the value passes continuously."""
    low, high = enclose(law, "1/2", [0, "1/2"], 12).rows[0].value
    gaps = []
    for power in (2, 4, 6):
        below, above = (
            enclose(law, F(1, 2) + sign * F(1, 10**power), [0], 12).rows[0].value
            for sign in (-1, 1)
        )
        assert below[1] < low <= high < above[0]
        gaps.append(float(above[1] - below[0]))
    assert gaps[0] > 20 * gaps[1] > 400 * gaps[2]
    assert gaps[2] < 1e-4


def test_an_exact_law_passes_one_half_too() -> None:
    law = FiniteLaw((("1/2", "1/2"), ("3/2", "1/2")))
    middle = dispatch(law, "1/2").at(F(0))
    for power in (3, 6, 9):
        e = F(1, 10**power)
        below, above = (dispatch(law, F(1, 2) + sign * e).at(F(0)) for sign in (-1, 1))
        assert below < middle < above
        assert above - below < 10 * e
