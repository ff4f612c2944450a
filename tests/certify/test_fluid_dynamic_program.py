"""The least cost by value iteration on a grid, from the dynamics alone.

By homogeneity V(x, delta) = x^2 v(delta/x), so one grid over z in [0, 1] is enough. A control is
held for a fixed time from total work 1; both queues, idling included, and the waiting are then
exact, and v is interpolated linearly. Three errors remain. Interpolation on cells of width 1/600
errs by at most |v''| (1/600)^2/8 < 1e-6 a step (|v''| < 3 here), and of later errors only the
fraction x^2 counts, so they add up to less than 1e-6/(2 * 0.02 * (1 - load)) < 3e-4. Holding a
control past its switching time costs second order in the step 0.02. The split on the axis is only
approximated by the grid of splits. Measured: below 6e-4 of the value at a tie in every case; the
tolerance is 1e-3.
"""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from certify.fluid import FiniteLaw, dispatch

CELLS = 600
STEP = 0.02
F = Fraction


def controls(atoms: list[tuple[float, float]], pieces: int) -> list[tuple[float, float]]:
    """(share of jobs, share of work) to the short queue: any set of sizes, one of them split."""
    shares = set()
    for chosen in product((0.0, 1.0), repeat=len(atoms)):
        for split in range(len(atoms)):
            for part in np.linspace(0, 1, pieces):
                taken = [*chosen[:split], float(part), *chosen[split + 1 :]]
                jobs = sum(t * m for t, (_, m) in zip(taken, atoms, strict=True))
                work = sum(t * s * m for t, (s, m) in zip(taken, atoms, strict=True))
                shares.add((round(jobs, 12), round(work, 12)))
    return sorted(shares)


def least_cost(law: FiniteLaw, load: float, pieces: int) -> np.ndarray:
    """v on the grid."""
    shares = np.array(controls([(float(s), float(m)) for s, m in law.atoms], pieces))
    jobs, work = shares[:, :1], shares[:, 1:]
    z = np.linspace(0, 1, CELLS + 1)[None, :]

    def queue(start: np.ndarray, rate: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Workload after the step and its integral, with reflection at 0."""
        end = start + rate * STEP
        empty = np.where(end < 0, start / np.where(rate < 0, -rate, 1), STEP)
        return np.maximum(end, 0), empty * (start + np.maximum(end, 0)) / 2

    short, short_integral = queue((1 - z) / 2, load * work - 0.5)
    long, long_integral = queue((1 + z) / 2, load * (1 - work) - 0.5)
    cost = 2 * load * (jobs * short_integral + (1 - jobs) * long_integral)
    total = short + long
    position = np.abs(long - short) / total * CELLS
    cell = np.minimum(position.astype(int), CELLS - 1)
    weight = position - cell
    v = np.zeros(CELLS + 1)
    while True:
        after = v[cell] * (1 - weight) + v[cell + 1] * weight
        new = np.min(cost + total * total * after, axis=0)
        if np.max(np.abs(new - v)) < 1e-8:
            return new
        v = new


@pytest.mark.parametrize(
    ("law", "load", "pieces"),
    [
        (FiniteLaw((("1/2", "1/2"), ("3/2", "1/2"))), F(3, 4), 10),
        (FiniteLaw((("1/2", "1/2"), ("3/2", "1/2"))), F(1, 4), 2),
        (FiniteLaw((("1/2", "1/4"), (1, "1/2"), ("3/2", "1/4"))), F(3, 4), 4),
        (FiniteLaw((("2/3", "3/4"), (2, "1/4"))), F(9, 10), 10),
        (FiniteLaw(((1, 1),)), F(3, 4), 7),
        (FiniteLaw(((1, 1),)), F(1, 4), 7),
    ],
)
def test_dynamic_program(law: FiniteLaw, load: Fraction, pieces: int) -> None:
    found, grid = dispatch(law, load), least_cost(law, float(load), pieces)
    scale = float(found.at(F(0)))
    exact = np.array([float(found.at(F(i, CELLS))) for i in range(CELLS + 1)])
    assert np.max(np.abs(grid - exact)) < 1e-3 * scale
