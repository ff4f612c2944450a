"""Floating-point trajectories of the reflected routing equation: the evidence of Table 5.

dq_i/dt = lambda p_i(q) - mu_i, clipped to 0 where an empty queue would fall below it. Forward Euler
with clipping, from the starts that the published code uses. Source: arXiv 2607.28688v1, Table 5.
What holds for every start and all times is certified by kind softmax-convergence instead.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, SupportsFloat

import numpy as np
from numpy.typing import NDArray

from certify.balls import precision
from certify.errors import InputError
from certify.evidence.numbers import (
    AT_LEAST_0,
    POSITIVE,
    to_float,
    to_queues,
    to_rows,
    to_softmax,
)
from certify.problem import to_count
from certify.softmax.system import System

__all__ = ["Field", "Terminal", "run", "start_bank", "vector_field"]
Floats = NDArray[np.float64]
STEP = 0.01
TIME = 800.0
SEED = 42
MOST_SERVERS = 10_000
MOST_STEPS = 10**9


@dataclass(frozen=True)
class Terminal:
    """Where the trajectories are in the end: one row of queues (jobs) per start.

    `diameter` is the largest Euclidean distance of two of them, `residual` the largest |dq_i/dt|
    there, clipped at empty queues.
    """

    queues: Floats = field(repr=False)
    diameter: float
    residual: float


def start_bank(servers: int) -> Floats:
    """The starts, one a row: 24 + `servers` of them.

    Empty; one job in each; 50 in each; 100 in one (for each server); 30 and 1/2 in turn; ten
    uniform on [0, 30) and ten exponential of mean 10 from NumPy's generator with seed 42.
    InputError unless there are 1 to 10,000 servers.
    """
    servers = to_count(servers, "servers", 1, MOST_SERVERS)
    random = np.random.default_rng(SEED)
    rows = [np.zeros(servers), np.ones(servers), np.full(servers, 50.0)]
    rows += list(100.0 * np.eye(servers))
    rows.append(np.where(np.arange(servers) % 2 == 0, 30.0, 0.5))
    rows += [random.uniform(0, 30, servers) for _ in range(10)]
    rows += [random.exponential(10, servers) for _ in range(10)]
    return np.array(rows)


def vector_field(system: System) -> "Field":
    """dq/dt of the unclipped equation as a function of an array of queues, one row per state.

    InputError unless the system is a softmax system whose numbers are no larger than floats.
    """
    system = to_softmax(system)
    with precision(64):
        energies = [system.energy(server) for server in range(len(system.service_rates))]
        slopes, shifts = (
            np.array([float(ball) for ball in each]) for each in zip(*energies, strict=True)
        )
    try:
        rates = np.array([float(rate) for rate in system.service_rates])
        arrivals, alpha = float(system.arrival_rate), float(system.inverse_temperature)
    except OverflowError:
        arrivals = float("inf")
    if not np.isfinite(np.concatenate(([arrivals], slopes, shifts))).all():
        raise InputError("system", "have numbers that are no larger than floats", system)
    return Field(arrivals, alpha, rates, slopes, shifts)


@dataclass(frozen=True)
class Field:
    """The numbers of the equation in floating point."""

    arrival_rate: float
    alpha: float
    rates: Floats
    slopes: Floats
    shifts: Floats

    def __call__(self, queues: Any) -> Floats:
        """lambda p(q) - mu for every row of queues."""
        levels = -self.alpha * (to_queues(queues, len(self.rates)) * self.slopes + self.shifts)
        powers = np.exp(levels - levels.max(axis=-1, keepdims=True))
        shares = powers / powers.sum(axis=-1, keepdims=True)
        return np.asarray(self.arrival_rate * shares - self.rates)

    def clipped(self, queues: Any) -> Floats:
        """The same where queues are positive, not below 0 where they are empty."""
        drift = self(queues)
        return np.where((np.asarray(queues) <= 0) & (drift < 0), 0.0, drift)


def run(
    system: System,
    starts: Iterable[Iterable[SupportsFloat]],
    time: SupportsFloat = TIME,
    step: SupportsFloat = STEP,
) -> Terminal:
    """The trajectories from `starts` (one a row) up to `time` by forward Euler with clipping.

    InputError unless the starts are rows of one number of at least 0 a server, and `step` is
    positive and at most `time`.
    """
    field = vector_field(system)
    queues = to_rows(starts, "starts", AT_LEAST_0, len(field.rates))
    end, each = to_float(time, "time", POSITIVE), to_float(step, "step", POSITIVE)
    if each > end:
        raise InputError("step", f"be at most the time, {end:g}", each)
    if end / each > MOST_STEPS:
        raise InputError("step", f"be at least {end / MOST_STEPS:g} (10^9 steps)", each)
    for _ in range(round(end / each)):
        queues = np.maximum(queues + each * field(queues), 0.0)
    differences = queues[:, np.newaxis, :] - queues[np.newaxis, :, :]
    diameter = np.sqrt((differences**2).sum(axis=-1)).max()
    return Terminal(queues, float(diameter), float(np.abs(field.clipped(queues)).max()))
