"""Whether an `adaptive-weights` claim is true: the worst weights at all states of a box.

The drift is evaluated from differences of V at the corners of the box of weights, where it is
largest or at least large; the mean number of jobs is at least that of one pooled server. True are
claims whose numbers keep the bounds of the page, evaluated here to 60 digits.
"""

from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any

import mpmath

SIDE = {1: 12, 2: 6, 3: 3}
FAR = 10**9  # a state where only the leading powers count
SYSTEM = {"arrival_rate", "service_rates", "temperature"}
NUMBERS = ("lowest", "highest", "power", "rate", "constant", "moment_bound", "mean_jobs_bound")
Data = tuple[Any, tuple[Any, ...], Any, Any, Any, Any]


def truth(claim: dict[str, Any]) -> bool | None:
    """True or False; None where neither a state nor the page's bounds decide."""
    try:
        with mpmath.workdps(60):
            return _truth(claim)
    except (KeyError, TypeError, ValueError, ZeroDivisionError, IndexError):
        return False


def _truth(claim: dict[str, Any]) -> bool | None:
    if set(claim) != {"system", *NUMBERS} or set(claim["system"]) != SYSTEM:
        return False
    system = claim["system"]
    arrival, temperature = number(system["arrival_rate"]), number(system["temperature"])
    rates = tuple(number(text) for text in system["service_rates"])
    lowest, highest, p, rate, constant, moment, mean = (number(claim[name]) for name in NUMBERS)
    if min(rates) <= 0 or not 0 < arrival < sum(rates) or temperature < 0:
        return False
    if not 0 < lowest <= highest or not 0 < p <= 1 or rate <= 0:
        return False
    load = arrival / sum(rates)
    if mean < load / (1 - load) or moment < sum(rates) * Fraction(1, 2):
        return False
    data = (real(arrival), tuple(map(real, rates)), real(temperature))
    drifts = drifts_of((*data, real(lowest), real(highest), real(p)))
    tiny = real(Fraction(1, 10**45))
    for drift, moved in drifts:
        if drift > (1 + real(p)) * (real(constant) - real(rate) * moved) + tiny * (1 + moved):
            return False
    return True if _by_the_page(claim) else None


@lru_cache(maxsize=256)
def drifts_of(data: Data) -> list[tuple[Any, Any]]:
    """(LV, sum mu y^p) with the worst corner of the weights, at small states and at far ones."""
    _, rates, *_ = data
    size = len(rates)
    states = list(product(range(SIDE.get(size, 2)), repeat=size))
    states += [tuple(FAR * (n == j) + 3 for n in range(size)) for j in range(size)]
    states.append((FAR,) * size)
    return [drift_at(data, state) for state in states]


def drift_at(data: Data, state: tuple[int, ...]) -> tuple[Any, Any]:
    """(LV, sum mu y^p) at one state, by the definition."""
    arrival, rates, temperature, lowest, highest, p = data
    y = [mpmath.mpf(2 * q + 1) / 2 for q in state]

    def change(n: int, step: int) -> Any:
        return mpmath.power(y[n] + step, 1 + p) - mpmath.power(y[n], 1 + p)

    raised = []
    for weights in product({lowest, highest}, repeat=len(y)):
        energies = [2 * w * each for w, each in zip(weights, y, strict=True)]
        least = min(energies)
        if temperature:
            powers = [mpmath.exp((least - s) / temperature) for s in energies]
            mean = mpmath.fsum(a * change(n, 1) for n, a in enumerate(powers))
            raised.append(mean / mpmath.fsum(powers))
        else:
            raised += [change(n, 1) for n, s in enumerate(energies) if s == least]
    served = mpmath.fsum(mu * change(n, -1) for n, mu in enumerate(rates) if state[n])
    moved = mpmath.fsum(mu * mpmath.power(each, p) for mu, each in zip(rates, y, strict=True))
    return arrival * max(raised) + served, moved


def _by_the_page(claim: dict[str, Any]) -> bool:
    system = claim["system"]
    arrival, tau = (real(number(system[name])) for name in ("arrival_rate", "temperature"))
    rates = [real(number(text)) for text in system["service_rates"]]
    lowest, highest, p, rate, constant, moment, mean = (
        real(number(claim[name])) for name in NUMBERS
    )
    capacity, size = mpmath.fsum(rates), len(rates)
    equal = real(Fraction(1, 10**50))
    if rate > 1 - arrival / capacity * mpmath.power(highest / lowest, p) + equal:
        return False
    blur = tau * mpmath.lambertw((size - 1) / mpmath.e).real / (2 * lowest)
    least = arrival * (1 / (1 + p) + mpmath.power(blur, p)) + capacity * mpmath.power(2, -p)
    if constant < least - equal or moment < constant / rate - equal:
        return False
    slowest = rate * min(rates)
    if p == 1:
        return bool(mean >= constant / slowest - mpmath.mpf(size) / 2 - equal)
    # the best tangent is the one at the root of slowest z = constant z**(1 - p) + jumps
    low, high = mpmath.mpf(0), 2 * mpmath.power(2 * constant / slowest, 1 / p)
    high += 2 * (arrival + capacity) / slowest
    for _ in range(220):
        z = (low + high) / 2
        above = slowest * z > constant * mpmath.power(z, 1 - p) + (arrival + capacity) / 2
        low, high = (low, z) if above else (z, high)
    best = low
    best *= mpmath.power(size, p / (1 + p))
    return bool(mean >= best - mpmath.mpf(size) / 2)


def real(value: Fraction) -> Any:
    return mpmath.mpf(value.numerator) / value.denominator


def number(text: Any) -> Fraction:
    if not isinstance(text, str):
        raise TypeError("not a number")
    return Fraction(text)
