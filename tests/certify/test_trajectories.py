"""Floating trajectories against the certified equilibrium, and a second integrator."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from certify.evidence.trajectories import run, start_bank, vector_field
from certify.softmax import ReflectedUAS

RATES = [Fraction(k, 10) for k in range(5, 25, 2)]
BENCHMARK = ReflectedUAS("11.2", RATES, 20, "0.85", "0.5", "0.5")
FOUR = ReflectedUAS("3.2", [1, 1, 1, 1], 20, "0.85", "0.5", "0.5")


def middle(system: ReflectedUAS) -> Any:
    return np.array([float(low + high) / 2 for low, high in system.equilibrium(20).queue])


@pytest.mark.parametrize(
    ("system", "starts", "diameter", "residual"),
    [(BENCHMARK, 34, 1.22e-15, 2.66e-15), (FOUR, 28, 0.0, 0.0)],
)
def test_table_5_in_floating_point(
    system: ReflectedUAS, starts: int, diameter: float, residual: float
) -> None:
    """The printed numbers are rounding errors: the same here within the factor two of such."""
    bank = start_bank(len(system.service_rates))
    assert len(bank) == starts
    found = run(system, bank)
    assert found.diameter <= 2 * diameter
    assert found.residual <= 2 * residual
    assert np.abs(found.queues - middle(system)).max() < 1e-12


def test_longer_steps_end_in_the_same_place() -> None:
    coarse = run(BENCHMARK, start_bank(10), time=400.0, step=0.02)
    assert np.abs(coarse.queues - middle(BENCHMARK)).max() < 1e-9


def reflected(system: ReflectedUAS, start: Any, end: float) -> Any:
    """The solution at `end`: queues that hit 0 are held there until their drift is positive."""
    field, time, queues = vector_field(system), 0.0, start.copy()
    held = (queues <= 0) & (field(queues) <= 0)
    while time < end:

        def rate(_: float, q: Any, held: Any = held) -> Any:
            return np.where(held, 0.0, field(q))

        def change(i: int, held: Any = held) -> Any:
            def event(_: float, q: Any) -> float:
                return float(-field(q)[i] if held[i] else q[i])

            event.terminal, event.direction = True, -1  # type: ignore[attr-defined]
            return event

        events = [change(i) for i in range(len(queues))]
        solved = solve_ivp(rate, (time, end), queues, "LSODA", events=events, rtol=1e-9, atol=1e-11)
        time, queues = solved.t[-1], solved.y[:, -1]
        for i, times in enumerate(solved.t_events):
            if len(times):
                held[i] = not held[i]
                queues[i] = 0.0
    return queues


def test_another_integrator_finds_the_equilibrium() -> None:
    for row in (0, 20):
        found = reflected(BENCHMARK, start_bank(10)[row], 200.0)
        assert np.abs(found - middle(BENCHMARK)).max() < 1e-6
