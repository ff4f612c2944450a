"""Whether a `drift-limit` claim is true: the generator by its definition, at far states of the ray.

The least drift over all routing rules is that of the rule which picks the queue where an arrival
raises V least. On the ray it is affine in k up to a bounded part, so two far states give its slope.
"""

from fractions import Fraction
from typing import Any

import mpmath

FIELDS = {"system", "margin", "eps", "direction", "slope", "intercept"}


def truth(claim: dict[str, Any]) -> bool | None:
    """True or False; None where the least value along the ray is too near the bound to tell."""
    try:
        with mpmath.workdps(150):
            return _truth(claim)
    except (KeyError, TypeError, ValueError, ZeroDivisionError, IndexError):
        return False


def _truth(claim: dict[str, Any]) -> bool | None:
    if set(claim) != FIELDS:
        return False
    system = claim["system"]
    arrival: Any = number(system["arrival_rate"])
    rates: list[Any] = numbers(system["service_rates"])
    if arrival <= 0 or min(rates) <= 0 or arrival >= sum(rates):
        return False
    if set(system) == {"arrival_rate", "service_rates", "slopes"}:
        slopes: list[Any] = numbers(system["slopes"])
        if min(slopes) <= 0 or len(slopes) != len(rates):
            return False
    elif set(system) == {"arrival_rate", "service_rates", "beta"}:
        beta = number(system["beta"])
        if beta <= 0:
            return False
        slopes = [power(rate, -beta) for rate in rates]
    else:
        return False
    direction = [int(text) for text in claim["direction"]]
    if len(direction) != len(rates) or min(direction) < 0 or max(direction) == 0:
        return False
    margin, eps, slope, intercept = (
        number(claim[name]) for name in ("margin", "eps", "slope", "intercept")
    )
    if margin <= 0 or eps <= 0 or slope <= 0:
        return False
    exact = "slopes" in system
    tiny: Any = 0
    if not exact:
        tiny = real(Fraction(1, 10**60))
        arrival, *rates = (real(value) for value in (arrival, *rates))
        margin, eps, slope, intercept = map(real, (margin, eps, slope, intercept))
    # the fall of V per job, along the states where no queue is cheaper, and along the axes
    balanced = (sum(rates) - arrival) / sum(1 / v for v in slopes)
    best = min([balanced, *(mu * v for mu, v in zip(rates, slopes, strict=True))])
    if eps > best + margin + tiny:
        return False

    def excess(k: int) -> Any:
        state = [k * d for d in direction]
        lowest = least_drift(arrival, rates, slopes, state) + eps * sum(state)
        return lowest - (intercept + slope * k)

    far = 10**12
    growth = excess(far + 1) - excess(far)  # the cheapest queue is the same for both
    if growth < -tiny:
        return False
    values = [excess(k) for k in (1, 2, 3, far)]
    if min(values) < -tiny:
        return False
    return True if exact or min(values) > tiny else None


def least_drift(arrival: Any, rates: list[Any], slopes: list[Any], state: list[int]) -> Any:
    """The drift of V if arrivals join where V grows least, from differences of V itself."""

    def energy(queues: list[int]) -> Any:
        return sum(v * q * q for v, q in zip(slopes, queues, strict=True)) / 2

    def moved(i: int, step: int) -> Any:
        return energy([q + step * (i == j) for j, q in enumerate(state)]) - energy(state)

    drift = arrival * min(moved(i, 1) for i in range(len(state)))
    return drift + sum(mu * moved(i, -1) for i, mu in enumerate(rates) if state[i])


def power(base: Fraction, exponent: Fraction) -> Any:
    return mpmath.power(real(base), real(exponent))


def real(value: Fraction) -> Any:
    return mpmath.mpf(value.numerator) / value.denominator


def numbers(texts: list[str]) -> list[Fraction]:
    return [number(text) for text in texts]


def number(text: Any) -> Fraction:
    if not isinstance(text, str):
        raise TypeError("not a number")
    return Fraction(text)
