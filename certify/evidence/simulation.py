"""Floating-point simulation of routing policies: the evidence of Table 4.

Many independent replications of the queues advance together, one event of the uniformised chain at
a time. Source: arXiv 2607.28688v1, Table 4; the policies are those of its Section 7.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from certify.evidence.trajectories import vector_field
from certify.softmax.system import System

__all__ = ["Estimate", "least_rule", "simulate", "softmax_rule"]
Floats = NDArray[np.float64]
Rule = Callable[[Floats], Floats]


@dataclass(frozen=True)
class Estimate:
    """Mean number of jobs in steady state over the replications, and its standard error."""

    mean: float
    error: float


def softmax_rule(system: System) -> Rule:
    """The routing probabilities of a softmax system, a row per row of queues."""
    field = vector_field(system)

    def rule(queues: Floats) -> Floats:
        return np.asarray((field(queues) + field.rates) / field.arrival_rate)

    return rule


def least_rule(slopes: Floats, offsets: Floats) -> Rule:
    """Join a least slopes_i Q_i + offsets_i, ties broken evenly.

    JSSQ has slopes = offsets = 1/mu, JSQ slopes 1 and offsets 0. Values that differ by less than
    1e-9 count as tied.
    """

    def rule(queues: Floats) -> Floats:
        levels = queues * slopes + offsets
        tied = (levels <= levels.min(axis=1, keepdims=True) + 1e-9).astype(float)
        return np.asarray(tied / tied.sum(axis=1, keepdims=True))

    return rule


def simulate(
    arrival_rate: float,
    service_rates: Floats,
    rule: Rule,
    replications: int,
    time: float,
    seed: int,
    dropped: float = 0.2,
) -> Estimate:
    """The mean number of jobs from `replications` runs of length `time` that start empty.

    The first part `dropped` of every run is left out.
    """
    random = np.random.default_rng(seed)
    rows, servers = np.arange(replications), len(service_rates)
    total = arrival_rate + float(service_rates.sum())
    ends = arrival_rate + np.cumsum(service_rates)
    queues = np.zeros((replications, servers))
    sums, counted = np.zeros(replications), 0
    events = round(time * total)
    for event in range(events):
        draws = random.uniform(0.0, total, replications)
        arriving = draws < arrival_rate
        shares = np.cumsum(rule(queues), axis=1)
        scaled = draws / arrival_rate * shares[:, -1]
        joined = np.minimum((shares < scaled[:, np.newaxis]).sum(axis=1), servers - 1)
        served = np.minimum(np.searchsorted(ends, draws, side="right"), servers - 1)
        queues[rows, np.where(arriving, joined, served)] += np.where(arriving, 1.0, -1.0)
        np.maximum(queues, 0.0, out=queues)
        if event >= dropped * events:
            sums += queues.sum(axis=1)
            counted += 1
    means = sums / counted
    return Estimate(float(means.mean()), float(means.std(ddof=1) / replications**0.5))
