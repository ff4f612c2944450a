"""Whether a `softmax-stationary` claim is true: the stationary law itself, level by level.

A level is the set of states with the same number of jobs; every move changes the level by one. So
the law of a chain that loses arrivals at the top is pi_t = pi_(t-1) R_t with matrices R_t found
from the top down, in floating point. What the levels above the top would add is estimated
from the last two levels, with a hundredfold reserve: None where that does not decide. One server
is the queue M/M/1, whose mean is rho/(1 - rho) exactly.
"""

import math
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

TOPS = {2: 90, 3: 26}
NEAR = 1e-11  # relative error of the arithmetic, with a reserve
State = tuple[int, ...]
Energies = tuple[tuple[Any, Any], ...]
REFLECTED = {"arrival_rate", "service_rates", "alpha", "beta", "gamma", "offset"}
WEIGHTED = {"arrival_rate", "service_rates", "weights", "temperature"}
SHORTEST = {"arrival_rate", "service_rates", "slopes", "offsets"}


def truth(claim: dict[str, Any]) -> bool | None:
    """True or False; None near an end or where the tail is not small."""
    try:
        return _truth(claim)
    except OverflowError:
        return None
    except (KeyError, TypeError, ValueError, ZeroDivisionError, IndexError):
        return False


def _truth(claim: dict[str, Any]) -> bool | None:
    if set(claim) != {"policy", "system", "mean_total_queue"}:
        return False
    if set(claim["mean_total_queue"]) != {"lo", "hi"}:
        return False
    low, high = (number(claim["mean_total_queue"][end]) for end in ("lo", "hi"))
    system = claim["system"]
    arrival, rates = number(system["arrival_rate"]), numbers(system["service_rates"])
    if not rates or arrival <= 0 or min(rates) <= 0 or arrival >= sum(rates) or low > high:
        return False
    energies, alpha = energies_of(claim["policy"], system, rates)
    if len(energies) != len(rates):
        return False
    if len(rates) == 1:
        return low <= arrival / (rates[0] - arrival) <= high
    if len(rates) not in TOPS:
        return None
    found = mean(arrival, rates, energies, alpha)
    if found is None:
        return None
    value, error = found
    if value + error < low or value - error > high:
        return False
    return True if low <= value - error and value + error <= high else None


def energies_of(
    policy: str, system: dict[str, Any], rates: tuple[Fraction, ...]
) -> tuple[Energies, float]:
    """The (v_i, kappa_i) and alpha, which is infinite for shortest-queue routing."""
    if policy == "shortest-queue" and set(system) == SHORTEST:
        slopes, offsets = numbers(system["slopes"]), numbers(system["offsets"])
        if min(slopes) <= 0:
            raise ValueError("a slope")
        return tuple(zip(slopes, offsets, strict=True)), math.inf
    if policy == "softmax" and set(system) == WEIGHTED:
        weights, temperature = numbers(system["weights"]), number(system["temperature"])
        if min(weights) <= 0 or temperature <= 0:
            raise ValueError("a weight")
        return tuple((2.0 * float(w), float(w)) for w in weights), float(1 / temperature)
    if policy == "softmax" and set(system) == REFLECTED:
        alpha, beta, gamma, offset = (
            number(system[name]) for name in ("alpha", "beta", "gamma", "offset")
        )
        if alpha <= 0 or beta <= 0 or offset < 0:
            raise ValueError("a parameter")
        slopes_ = [float(mu) ** -float(beta) for mu in rates]
        return tuple(
            (v, float(offset) * v - float(gamma / alpha) * math.log(mu))
            for v, mu in zip(slopes_, rates, strict=True)
        ), float(alpha)
    raise ValueError("no such policy for such a system")


def chances(state: State, energies: Energies, alpha: float) -> list[float]:
    """The probability of every server."""
    heights = [v * q + kappa for (v, kappa), q in zip(energies, state, strict=True)]
    least = min(heights)
    if alpha == math.inf:
        return [float(height == least) / heights.count(least) for height in heights]
    weights = [math.exp(-alpha * (height - least)) for height in heights]
    return [weight / sum(weights) for weight in weights]


@lru_cache(maxsize=512)
def mean(
    arrival: Fraction,
    rates: tuple[Fraction, ...],
    energies: Energies,
    alpha: float,
    top: int | None = None,
) -> tuple[float, float] | None:
    """E|Q|_1 and how far it may be wrong; None if that much is not known."""
    top, servers = top or TOPS[len(rates)], range(len(rates))
    levels: list[dict[State, int]] = [{} for _ in range(top + 1)]
    for head in product(range(top + 1), repeat=len(rates) - 1):
        for level in range(sum(head), top + 1):
            levels[level][(*head, level - sum(head))] = len(levels[level])
    climbs, falls, leaves = [], [], []
    for level, states in enumerate(levels):
        above = levels[level + 1] if level < top else {}
        up = np.zeros((len(states), len(above)))
        down = np.zeros((len(states), len(levels[level - 1]) if level else 0))
        leave = np.zeros(len(states))
        for state, n in states.items():
            share = chances(state, energies, alpha)
            for i in servers:
                if level < top:
                    target = (*state[:i], state[i] + 1, *state[i + 1 :])
                    up[n, above[target]] += float(arrival) * share[i]
                if state[i]:
                    target = (*state[:i], state[i] - 1, *state[i + 1 :])
                    down[n, levels[level - 1][target]] += float(rates[i])
            leave[n] = up[n].sum() + down[n].sum()
        climbs.append(up)
        falls.append(down)
        leaves.append(leave)
    steps: list[np.ndarray[Any, Any]] = []  # R_top, ..., R_1
    for level in range(top, 0, -1):
        inner = np.diag(leaves[level])
        if steps:
            inner = inner - steps[-1] @ falls[level + 1]
        steps.append(np.linalg.solve(inner.T, climbs[level - 1].T).T)
    law, masses = np.ones(1), [1.0]
    for step in reversed(steps):
        law = law @ step
        masses.append(float(law.sum()))
    whole = sum(masses)
    value = sum(level * mass for level, mass in enumerate(masses)) / whole
    ratio = max(masses[-1] / masses[-2], float(arrival / sum(rates)))
    if not ratio < 1:
        return None
    tail = masses[-1] / whole * (top + 1 / (1 - ratio)) / (1 - ratio)
    error = 100 * tail + NEAR * (1 + value)
    return (value, error) if error < value / 2 else None


def numbers(texts: list[str]) -> tuple[Fraction, ...]:
    if not isinstance(texts, list) or not texts:
        raise TypeError("no list")
    return tuple(map(number, texts))


def number(text: Any) -> Fraction:
    if not isinstance(text, str):
        raise TypeError("not a number")
    return Fraction(text)
