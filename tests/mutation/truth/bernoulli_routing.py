"""Whether a `bernoulli-routing` claim is true: series in mpmath, the drift by its definition."""

from fractions import Fraction
from typing import Any

import mpmath

DIGITS = 300
SAME = mpmath.mpf(10) ** -200
COMMON = {"system", "routing", "regime"}
STABLE = COMMON | {"weights", "eps", "R", "mean_queues", "mean_total_queue"}
UNSTABLE = COMMON | {"overloaded", "critical", "growth_rate"}


def truth(claim: dict[str, Any]) -> bool | None:
    """True or False: every claim of this kind is decided."""
    try:
        with mpmath.workdps(DIGITS):
            return _truth(claim)
    except (KeyError, TypeError, ValueError, ZeroDivisionError, IndexError):
        return False


def _truth(claim: dict[str, Any]) -> bool:
    if set(claim["system"]) != {"arrival_rate", "service_rates"}:
        return False
    arrival = number(claim["system"]["arrival_rate"])
    rates = [number(text) for text in claim["system"]["service_rates"]]
    routing = [number(text) for text in claim["routing"]]
    if arrival <= 0 or min(rates) <= 0 or min(routing) < 0 or len(rates) != len(routing):
        return False
    if sum(routing) != 1:
        return False
    loads = [arrival * p / mu for p, mu in zip(routing, rates, strict=True)]
    if claim["regime"] == "stable":
        return set(claim) == STABLE and max(loads) < 1 and _stable(claim, arrival, loads)
    if claim["regime"] != "unstable" or set(claim) != UNSTABLE or max(loads) < 1:
        return False
    above = [i for i in range(len(loads)) if loads[i] > 1]
    equal = [i for i in range(len(loads)) if loads[i] == 1]
    fluid = sum(max(0, arrival * p - mu) for p, mu in zip(routing, rates, strict=True))
    return bool(
        claim["overloaded"] == above
        and claim["critical"] == equal
        and all(type(i) is int for i in claim["overloaded"] + claim["critical"])
        and number(claim["growth_rate"]) == fluid
    )


def _stable(claim: dict[str, Any], arrival: Fraction, loads: list[Fraction]) -> bool:
    means = [number(text) for text in claim["mean_queues"]]
    weights = [number(text) for text in claim["weights"]]
    if not len(means) == len(weights) == len(loads) or min(weights) <= 0:
        return False
    for mean, load in zip(means, loads, strict=True):
        if abs(real(mean) - series(real(load))) > SAME:
            return False
    total = mpmath.fsum(series(real(load)) for load in loads)
    if abs(real(number(claim["mean_total_queue"])) - total) > SAME:
        return False
    eps, top, slopes = number(claim["eps"]), Fraction(0), []
    for i, a in enumerate(weights):
        offered = arrival * number(claim["routing"][i])
        rate = number(claim["system"]["service_rates"][i])

        def by_definition(
            n: int, a: Fraction = a, up: Fraction = offered, down: Fraction = rate
        ) -> Fraction:
            change = up * a * ((n + 1) ** 2 - n**2) / 2
            change += down * a * ((n - 1) ** 2 - n**2) / 2 if n else 0
            return change + eps * n

        top += max(by_definition(n) for n in range(6))
        slopes.append(by_definition(101) - by_definition(100))
    return max(slopes) == 0 and number(claim["R"]) == top


def series(ratio: Any) -> Any:
    """ratio + ratio^2 + ..., as ratio times the product of 1 + ratio^(2^j)."""
    result, power = ratio, ratio
    while power > SAME * SAME:
        result *= 1 + power
        power *= power
    return result


def real(value: Fraction) -> Any:
    return mpmath.mpf(value.numerator) / value.denominator


def number(text: Any) -> Fraction:
    if not isinstance(text, str):
        raise TypeError("not a number")
    return Fraction(text)
