"""Whether a `softmax-mean-queue` claim is true: the stationary law itself, for one or two servers.

The chain on all states with at most JOBS jobs is solved as a linear system in floating point, which
decides claims at loads up to 0.85 that are not within a hundredth of the truth. For more servers:
false below the mean of one server with the total rate, true above the constants of the paper.
"""

import json
import math
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.linalg import spsolve

JOBS = 45
CLOSE = 1e-2
REFLECTED = {"arrival_rate", "service_rates", "alpha", "beta", "gamma", "offset"}
WEIGHTED = {"arrival_rate", "service_rates", "weights", "temperature"}


def truth(claim: dict[str, Any]) -> bool | None:
    """True or False; None where neither is shown."""
    try:
        if set(claim) != {"system", "mean_queue_bound"}:
            return False
        bound = Fraction(claim["mean_queue_bound"])
        fields = {
            name: [Fraction(each) for each in value] if isinstance(value, list) else Fraction(value)
            for name, value in claim["system"].items()
        }
        if not _allowed(fields):
            return False
        rates, arrival = fields["service_rates"], fields["arrival_rate"]
        pooled = arrival / (sum(rates) - arrival)
        if bound < pooled:
            return False
        if len(rates) == 1:
            return True
        if len(rates) == 2 and arrival < Fraction(17, 20) * sum(rates):
            mean = stationary_mean(json.dumps(claim["system"], sort_keys=True))
            if abs(float(bound) - mean) > CLOSE * mean:
                return float(bound) > mean
            return None
        return True if float(bound) > 1.001 * printed(fields) else None
    except (KeyError, TypeError, ValueError, ZeroDivisionError, IndexError, AttributeError):
        return False  # not a claim of this form


def _allowed(fields: dict[str, Any]) -> bool:
    """Whether the hypotheses hold."""
    rates, arrival = fields["service_rates"], fields["arrival_rate"]
    if min(rates) <= 0 or not 0 < arrival < sum(rates):
        return False
    if set(fields) == WEIGHTED:
        weights = fields["weights"]
        return len(weights) == len(rates) and min([*weights, fields["temperature"]]) > 0
    return set(fields) == REFLECTED and bool(
        min(fields["alpha"], fields["beta"]) > 0 and fields["offset"] >= 0
    )


def lines(fields: dict[str, Any]) -> tuple[float, list[float], list[float]]:
    """alpha, every v_i and every kappa_i."""
    if "weights" in fields:
        weights = [float(w) for w in fields["weights"]]
        return 1 / float(fields["temperature"]), [2 * w for w in weights], weights
    alpha, beta, gamma, offset = (
        float(fields[name]) for name in ("alpha", "beta", "gamma", "offset")
    )
    rates = [float(rate) for rate in fields["service_rates"]]
    slopes = [rate**-beta for rate in rates]
    shifts = [
        offset * v - gamma / alpha * math.log(rate) for v, rate in zip(slopes, rates, strict=True)
    ]
    return alpha, slopes, shifts


@lru_cache(maxsize=2000)
def stationary_mean(text: str) -> float:
    """E|Q|_1 of two servers, arrivals being lost at JOBS jobs."""
    fields = {
        name: [Fraction(each) for each in value] if isinstance(value, list) else Fraction(value)
        for name, value in json.loads(text).items()
    }
    alpha, slopes, shifts = lines(fields)
    arrival, rates = float(fields["arrival_rate"]), [float(mu) for mu in fields["service_rates"]]
    states = [(a, b) for a in range(JOBS + 1) for b in range(JOBS + 1 - a)]
    place = {state: index for index, state in enumerate(states)}
    jumps: list[tuple[int, int, float]] = []
    for (a, b), here in place.items():
        gap = alpha * (slopes[0] * a + shifts[0] - slopes[1] * b - shifts[1])
        first = 1 / (1 + math.exp(min(gap, 700.0)))
        moves = [((a + 1, b), arrival * first), ((a, b + 1), arrival * (1 - first))]
        moves += [((a - 1, b), rates[0]), ((a, b - 1), rates[1])]
        jumps += [(here, place[to], rate) for to, rate in moves if to in place]
    origin, target, speed = (np.array(each) for each in zip(*jumps, strict=True))
    size = len(states)
    matrix = coo_array(
        (np.concatenate([speed, -speed]), (np.concatenate([target, origin]), np.tile(origin, 2))),
        shape=(size, size),
    ).tolil()
    matrix[0, :] = 1.0
    right = np.zeros(size)
    right[0] = 1
    law = spsolve(matrix.tocsr(), right)
    return float(sum(chance * (a + b) for chance, (a, b) in zip(law, states, strict=True)))


def printed(fields: dict[str, Any]) -> float:
    """R/eps with the constants of the paper: the entropy bound of the softmax."""
    alpha, slopes, shifts = lines(fields)
    arrival, rates = float(fields["arrival_rate"]), [float(mu) for mu in fields["service_rates"]]
    noise = [mu * v for mu, v in zip(rates, slopes, strict=True)]
    eps = min((sum(rates) - arrival) / sum(1 / v for v in slopes), *noise)
    spread = math.log(len(rates)) / alpha + max(shifts) - min(shifts)
    return (arrival * (spread + max(slopes) / 2) + sum(noise) / 2) / eps
