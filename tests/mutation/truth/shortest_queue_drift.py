"""Whether a `shortest-queue-drift` claim is true: the generator by its definition, on whole boxes.

Along the ray v_i Q_i = const the drift repeats itself with the period of the ray, and away from the
ray it falls; so for the small systems tried here the largest value on a box of several periods is
the largest of all. The mean is compared with that of a truncated chain, solved in floats.
"""

from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import lcm
from typing import Any

import numpy as np

SIDE = {1: 40, 2: 24, 3: 10}
State = tuple[int, ...]
System = tuple[Fraction, tuple[Fraction, ...], tuple[Fraction, ...], tuple[Fraction, ...]]


def truth(claim: dict[str, Any]) -> bool | None:
    """True or False; None where neither a box nor a mean decides."""
    try:
        return _truth(claim)
    except (KeyError, TypeError, ValueError, ZeroDivisionError, IndexError):
        return False


def _truth(claim: dict[str, Any]) -> bool | None:
    names = {"system", "eps", "R", "mean_queue_bound"}
    if set(claim) - {"attained"} != names:
        return False
    system = _system(claim["system"])
    arrival, rates, slopes, offsets = system
    if not len(rates) == len(slopes) == len(offsets) or not rates:
        return False
    if arrival <= 0 or min(rates) <= 0 or min(slopes) <= 0 or arrival >= sum(rates):
        return False
    eps, R, bound = (number(claim[name]) for name in ("eps", "R", "mean_queue_bound"))
    if eps != largest(system):
        return False
    if "attained" in claim:
        if set(claim["attained"]) != {"state", "value"}:
            return False
        state = tuple(number(text) for text in claim["attained"]["state"])
        if len(state) != len(rates) or any(q < 0 or q.denominator != 1 for q in state):
            return False
        least, _ = levels(system, eps, tuple(map(int, state)))
        if number(claim["attained"]["value"]) > least:
            return False
    if len(rates) not in SIDE:
        return None
    top = highest(system, eps)
    if top > R or (len(rates) < 3 and bound < mean(system) - 1e-6):
        return False
    return True if bound * eps >= top else None


def levels(system: System, eps: Fraction, state: State) -> tuple[Fraction, Fraction]:
    """The least and largest (LV)(Q) + eps |Q|_1 over the ways to break a tie, by definition."""
    arrival, rates, slopes, offsets = system

    def energy(Q: State) -> Fraction:
        return sum((v * q * q for v, q in zip(slopes, Q, strict=True)), Fraction(0)) / 2

    def moved(i: int, step: int) -> State:
        return (*state[:i], state[i] + step, *state[i + 1 :])

    energies = [v * q + k for v, q, k in zip(slopes, state, offsets, strict=True)]
    joined = [energy(moved(i, 1)) for i, s in enumerate(energies) if s == min(energies)]
    here = energy(state)
    rest = sum(
        (mu * (energy(moved(i, -1)) - here) for i, mu in enumerate(rates) if state[i]), Fraction(0)
    )
    ends = (arrival * (choose(joined) - here) + rest + eps * sum(state) for choose in (min, max))
    low, high = ends
    return low, high


@lru_cache(maxsize=64)
def largest(system: System) -> Fraction:
    """The fall of LV per job along the ray v_i Q_i = const and along the axes."""
    _, rates, slopes, offsets = system
    scale = lcm(*(v.numerator for v in slopes))
    # so far out that the offsets' differences play no part on the axes
    far = 1 + int(max(offsets) - min(offsets)) + int(max(slopes) / min(slopes))
    far *= max(1, lcm(*(v.denominator for v in slopes)))
    directions = [tuple(int(far * scale / v) for v in slopes)]
    if len(rates) > 1:
        directions += [
            tuple(far * far * (i == j) for i in range(len(rates))) for j in range(len(rates))
        ]
    falls = []
    for Q in directions:
        near, distant = (
            levels(system, Fraction(0), tuple(times * q for q in Q))[1] for times in (2, 3)
        )
        falls.append((near - distant) / sum(Q))
    return min(falls)


@lru_cache(maxsize=64)
def highest(system: System, eps: Fraction) -> Fraction:
    """The largest (LV)(Q) + eps |Q|_1 on a box."""
    servers = len(system[1])
    return max(levels(system, eps, Q)[1] for Q in product(range(SIDE[servers]), repeat=servers))


@lru_cache(maxsize=64)
def mean(system: System) -> float:
    """E|Q|_1 of the chain on a box, arrivals beyond it lost, ties broken evenly."""
    arrival, rates, slopes, offsets = system
    states = {Q: n for n, Q in enumerate(product(range(SIDE[len(rates)]), repeat=len(rates)))}
    matrix = np.zeros((len(states), len(states)))
    for Q, n in states.items():
        energies = [v * q + k for v, q, k in zip(slopes, Q, offsets, strict=True)]
        least = [i for i, s in enumerate(energies) if s == min(energies)]
        moves = [(i, 1, float(arrival) / len(least)) for i in least]
        moves += [(i, -1, float(mu)) for i, mu in enumerate(rates)]
        for i, step, rate in moves:
            target = (*Q[:i], Q[i] + step, *Q[i + 1 :])
            if target in states:
                matrix[n, states[target]] += rate
                matrix[n, n] -= rate
    matrix[:, 0] = 1
    law = np.linalg.solve(matrix.T, np.eye(len(states))[0])
    return float(sum(law[n] * sum(Q) for Q, n in states.items()))


def _system(data: dict[str, Any]) -> System:
    if set(data) != {"arrival_rate", "service_rates", "slopes", "offsets"}:
        raise ValueError("not a system")
    lists = (tuple(map(number, data[name])) for name in ("service_rates", "slopes", "offsets"))
    rates, slopes, offsets = lists
    return number(data["arrival_rate"]), rates, slopes, offsets


def number(text: Any) -> Fraction:
    if not isinstance(text, str):
        raise TypeError("not a number")
    return Fraction(text)
