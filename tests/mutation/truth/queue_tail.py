"""Whether a `queue-tail` claim is true: brute force on boxes, and the pooled server from below.

The drift is evaluated from differences of V at all states of a box and along rays; the largest eps
is the fall of V per job along the ray v_i Q_i = const and along the axes. The total number of jobs
is at least that of one server with the whole capacity, whatever the routing.
"""

from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import isqrt
from typing import Any

import mpmath

SIDE = {1: 30, 2: 14, 3: 5}
System = tuple[Fraction, tuple[Fraction, ...], tuple[Fraction, ...], tuple[Fraction, ...], Fraction]
FIELDS = {"system", "split", "eps", "R", "threshold", "ratio", "tails"}


def truth(claim: dict[str, Any]) -> bool | None:
    """True or False; None where neither the bounds of the page nor a box decides."""
    try:
        with mpmath.workdps(60):
            return _truth(claim)
    except (KeyError, TypeError, ValueError, ZeroDivisionError, IndexError):
        return False


def _truth(claim: dict[str, Any]) -> bool | None:
    if set(claim) != FIELDS or not isinstance(claim["tails"], list):
        return False
    system = read(claim["system"])
    arrival, rates, slopes, offsets, temperature = system
    if not len(rates) == len(slopes) == len(offsets) or not rates or temperature < 0:
        return False
    if arrival <= 0 or min(rates) <= 0 or min(slopes) <= 0 or arrival >= sum(rates):
        return False
    split, eps, R, threshold, ratio = (
        number(claim[name]) for name in ("split", "eps", "R", "threshold", "ratio")
    )
    if not 0 < split < 1 or eps <= 0 or ratio >= 1:
        return False
    if eps > largest(system) or highest(system, eps) - Fraction(1, 10**40) > R:
        return False
    # what the theorem's words say of threshold and ratio
    if threshold * split * eps < R or ratio < 1 / (1 + (1 - split) * eps / arrival / max(slopes)):
        return False
    load = arrival / sum(rates)
    sure = enough(system, eps) <= R
    for tail in claim["tails"]:
        if set(tail) != {"jobs", "probability"} or type(tail["jobs"]) is not int:
            return False
        jobs, bound = tail["jobs"], number(tail["probability"])
        if bound < 0 or real(bound) < mpmath.power(real(load), jobs):
            return False  # even one pooled server has more jobs more often
        scale = max(slopes) * sum(1 / v for v in slopes)
        square = Fraction(jobs**2) / scale
        root = Fraction(isqrt(square.numerator * 10**60 // square.denominator), 10**30)
        # the most whole steps of 2 that fit below, with room to spare
        fits = -1
        while threshold + 2 * (fits + 1) < root:
            fits += 1
        if fits < 0 or real(bound) < mpmath.power(real(ratio), fits + 1):
            sure = False
    return True if sure else None


@lru_cache(maxsize=64)
def largest(system: System) -> Fraction:
    """The least fall of V per job: where no queue is cheaper than another, and along the axes."""
    arrival, rates, slopes, _, _ = system
    falls = [(sum(rates) - arrival) / sum(1 / v for v in slopes)]
    if len(rates) > 1:
        falls += [mu * v for mu, v in zip(rates, slopes, strict=True)]
    return min(falls)


@lru_cache(maxsize=64)
def highest(system: System, eps: Fraction) -> Fraction:
    """The largest (LV)(Q) + eps |Q|_1 on a box (a lower bound of what R must be)."""
    servers = len(system[1])
    states = product(range(SIDE.get(servers, 2)), repeat=servers)
    return max(level(system, eps, Q) for Q in states)


def level(system: System, eps: Fraction, state: tuple[int, ...]) -> Fraction:
    """(LV)(Q) + eps |Q|_1 from differences of V; of several least energies the dearest."""
    arrival, rates, slopes, offsets, temperature = system

    def moved(i: int, step: int) -> Fraction:
        q = state[i]
        return slopes[i] * ((q + step) ** 2 - q**2) / 2

    energies = [v * q + k for v, q, k in zip(slopes, state, offsets, strict=True)]
    if temperature:
        powers = [mpmath.exp(-real((s - min(energies)) / temperature)) for s in energies]
        mean = mpmath.fsum(p * real(moved(i, 1)) for i, p in enumerate(powers))
        raised = Fraction(int(mean / mpmath.fsum(powers) * 2**180), 2**180)
    else:
        raised = max(moved(i, 1) for i, s in enumerate(energies) if s == min(energies))
    served = (mu * moved(i, -1) for i, mu in enumerate(rates) if state[i])
    return arrival * raised + sum(served, Fraction(0)) + eps * sum(state)


@lru_cache(maxsize=64)
def enough(system: System, eps: Fraction) -> Fraction:
    """A constant that certainly does: the entropy bound log N, and no use made of any slack.

    The shares go to the largest rooms first, one server after the other.
    """
    arrival, rates, slopes, offsets, temperature = system
    left, cost = arrival, Fraction(0)
    triples = zip(rates, slopes, offsets, strict=True)
    for mu, v, offset in sorted(triples, key=lambda each: each[2]):
        used = min(left, mu - eps / v)
        left -= used
        cost += used * offset + mu * v / 2
    log = Fraction(int(mpmath.log(len(rates)) * 2**100) + 1, 2**100)
    height = max(v / 2 - offset for v, offset in zip(slopes, offsets, strict=True))
    lambert = Fraction(int(mpmath.lambertw((len(rates) - 1) / mpmath.e).real * 2**90) + 1, 2**90)
    return cost + arrival * (min(log, lambert) * temperature + height)


def read(data: dict[str, Any]) -> System:
    if set(data) != {"arrival_rate", "service_rates", "slopes", "offsets", "temperature"}:
        raise ValueError("not a system")
    rates, slopes, offsets = (
        tuple(number(text) for text in data[name])
        for name in ("service_rates", "slopes", "offsets")
    )
    return number(data["arrival_rate"]), rates, slopes, offsets, number(data["temperature"])


def real(value: Fraction) -> Any:
    return mpmath.mpf(value.numerator) / value.denominator


def number(text: Any) -> Fraction:
    if not isinstance(text, str):
        raise TypeError("not a number")
    return Fraction(text)
