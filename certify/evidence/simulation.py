"""Floating-point simulation of routing policies: the evidence of Table 4.

Many independent replications of the queues advance together, one event of the uniformised chain at
a time. Source: arXiv 2607.28688v1, Table 4; the policies are those of its Section 7.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import SupportsFloat

import numpy as np
from numpy.typing import NDArray

from certify.errors import InputError
from certify.evidence.numbers import POSITIVE, SHARE, to_float, to_queues, to_row
from certify.evidence.trajectories import vector_field
from certify.problem import to_count
from certify.softmax.system import System

__all__ = ["Estimate", "least_rule", "simulate", "softmax_rule"]
Floats = NDArray[np.float64]
Rule = Callable[[Floats], Floats]
MOST_RUNS = 10**7
MOST_EVENTS = 10**9
MOST_SEED = 10**18


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


def least_rule(slopes: Iterable[SupportsFloat], offsets: Iterable[SupportsFloat]) -> Rule:
    """Join a least slopes_i Q_i + offsets_i, ties broken evenly.

    JSSQ has slopes = offsets = 1/mu, JSQ slopes 1 and offsets 0. Values that differ by less than
    1e-9 count as tied. InputError unless both are numbers, one a server.
    """
    factors = to_row(slopes, "slopes")
    terms = to_row(offsets, "offsets", length=len(factors))

    def rule(queues: Floats) -> Floats:
        levels = to_queues(queues, len(factors)) * factors + terms
        tied = (levels <= levels.min(axis=-1, keepdims=True) + 1e-9).astype(float)
        return np.asarray(tied / tied.sum(axis=-1, keepdims=True))

    return rule


def simulate(
    arrival_rate: SupportsFloat,
    service_rates: Iterable[SupportsFloat],
    rule: Rule,
    replications: int,
    time: SupportsFloat,
    seed: int,
    dropped: SupportsFloat = 0.2,
) -> Estimate:
    """The mean number of jobs from `replications` runs of length `time` that start empty.

    The first part `dropped` of every run is left out. InputError unless the rates and the time are
    positive, the replications 2 or more, the seed at least 0, `dropped` at least 0 and below 1, and
    the rule is for as many servers.
    """
    arrivals = to_float(arrival_rate, "arrival_rate", POSITIVE)
    rates = to_row(service_rates, "service_rates", POSITIVE)
    replications = to_count(replications, "replications", 2, MOST_RUNS)
    random = np.random.default_rng(to_count(seed, "seed", 0, MOST_SEED))
    left_out = to_float(dropped, "dropped", SHARE)
    rows, servers = np.arange(replications), len(rates)
    total = arrivals + float(rates.sum())
    events = _events(to_float(time, "time", POSITIVE), total, left_out)
    _check_rule(rule, servers)
    ends = arrivals + np.cumsum(rates)
    queues = np.zeros((replications, servers))
    sums, counted = np.zeros(replications), 0
    for event in range(events):
        draws = random.uniform(0.0, total, replications)
        arriving = draws < arrivals
        shares = np.cumsum(rule(queues), axis=1)
        scaled = draws / arrivals * shares[:, -1]
        joined = np.minimum((shares < scaled[:, np.newaxis]).sum(axis=1), servers - 1)
        served = np.minimum(np.searchsorted(ends, draws, side="right"), servers - 1)
        queues[rows, np.where(arriving, joined, served)] += np.where(arriving, 1.0, -1.0)
        np.maximum(queues, 0.0, out=queues)
        if event >= left_out * events:
            sums += queues.sum(axis=1)
            counted += 1
    means = sums / counted
    return Estimate(float(means.mean()), float(means.std(ddof=1) / replications**0.5))


def _events(time: float, total: float, dropped: float) -> int:
    """The number of events in a time, of which at least one counts."""
    if not time * total <= MOST_EVENTS:
        requirement = f"be at most {MOST_EVENTS / total:.6g} (10^9 events of these rates)"
        raise InputError("time", requirement, time)
    events = round(time * total)
    if events - 1 < dropped * events:
        requirement = "be so long that an event of these rates is in the part that counts"
        raise InputError("time", requirement, time)
    return events


def _check_rule(rule: Rule, servers: int) -> None:
    """InputError unless the rule gives one share a server for a row of queues."""
    if not callable(rule):
        raise InputError("rule", "be a function of an array of queues", rule)
    requirement = f"give {servers} shares a row, one a server"
    try:
        shares = np.asarray(rule(np.zeros((1, servers))), dtype=float)
    except InputError as error:
        raise InputError("rule", requirement, "one for another number") from error
    except (TypeError, ValueError) as error:
        raise InputError("rule", requirement, f"one that fails ({error})") from error
    if shares.shape != (1, servers):
        raise InputError("rule", requirement, f"one with an array of shape {shares.shape}")
    if not (np.isfinite(shares).all() and (shares >= 0).all() and shares.sum() > 0):
        found = f"one with {shares[0].tolist()} for empty queues"
        raise InputError("rule", "give shares of at least 0, and not only 0", found)
