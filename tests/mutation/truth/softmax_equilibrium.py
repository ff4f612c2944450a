"""Whether an equilibrium claim is true: bisection of G in mpmath at high precision."""

import json
from fractions import Fraction
from functools import lru_cache
from typing import Any

import mpmath


def truth(claim: dict[str, Any]) -> bool | None:
    """True or False; None where 150 digits do not separate a theta_i from K*."""
    try:
        with mpmath.workdps(150):
            return _truth(claim)
    except (KeyError, TypeError, ValueError, ZeroDivisionError, IndexError):
        return False  # not a claim of this form


def _number(text: str) -> mpmath.mpf:
    value = Fraction(text)
    return mpmath.mpf(value.numerator) / value.denominator


def _truth(claim: dict[str, Any]) -> bool | None:
    if not _well_formed(claim):
        return False
    solved = _solved(json.dumps(claim["system"]))
    if solved is None:
        return False
    rates, theta, scale, root = solved
    doubtful = {i for i, t in enumerate(theta) if abs(t - root) < root * mpmath.mpf(10) ** -120}
    queues = [
        mpmath.mpf(0) if i in doubtful else max(mpmath.mpf(0), s * mpmath.log(t / root))
        for i, (t, s) in enumerate(zip(theta, scale, strict=True))
    ]
    positive = {i for i, t in enumerate(theta) if t > root and i not in doubtful}
    if not _inside(root, claim["K"]):
        return False
    if "servers" in claim:
        return _summary(claim, queues, positive, doubtful)
    active, undecided = set(claim["active"]), set(claim["undecided"])
    for listed in (claim["active"], claim["undecided"]):
        if listed != sorted(set(listed)) or any(not 0 <= i < len(rates) for i in listed):
            return False
    if active & undecided or not len(claim["theta"]) == len(claim["queue"]) == len(rates):
        return False
    if not all(map(_inside, theta, claim["theta"])):
        return False
    if not all(map(_inside, queues, claim["queue"])):
        return False
    if (active - positive) - doubtful or (positive - active) - undecided:
        return False
    return None if doubtful - undecided else True


@lru_cache(maxsize=1000)
def _solved(text: str) -> tuple[list[Any], list[Any], list[Any], Any] | None:
    """Rates, theta_i, 1/(alpha v_i) and K* of a system; None outside the hypotheses."""
    system = json.loads(text)
    rates = [_number(rate) for rate in system["service_rates"]]
    arrival = _number(system["arrival_rate"])
    exact_capacity = sum(Fraction(rate) for rate in system["service_rates"])
    if min(rates) <= 0 or not 0 < Fraction(system["arrival_rate"]) < exact_capacity:
        return None
    if "weights" in system:
        weights = [_number(w) for w in system["weights"]]
        temperature = _number(system["temperature"])
        if len(weights) != len(rates) or min([*weights, temperature]) <= 0:
            return None
        theta = [mpmath.exp(-w / temperature) / mu for w, mu in zip(weights, rates, strict=True)]
        scale = [temperature / (2 * w) for w in weights]
    else:
        alpha, beta, gamma, offset = (
            _number(system[name]) for name in ("alpha", "beta", "gamma", "offset")
        )
        if alpha <= 0 or beta <= 0 or offset < 0:
            return None
        theta = [mu ** (gamma - 1) * mpmath.exp(-alpha * offset / mu**beta) for mu in rates]
        scale = [mu**beta / alpha for mu in rates]
    return rates, theta, scale, _root(rates, theta, arrival)


def _summary(
    claim: dict[str, Any], queues: list[Any], positive: set[int], doubtful: set[int]
) -> bool | None:
    if claim["servers"] != "summary":
        return False
    count, undecided = claim["active_count"], claim["undecided_count"]
    if not all(type(each) is int and each >= 0 for each in (count, undecided)):
        return False
    if doubtful:
        return None
    if not count <= len(positive) <= count + undecided:
        return False
    if not _inside(max(queues), claim["largest_queue"]):
        return False
    if ("smallest_active_queue" in claim) != (count > 0 and undecided == 0):
        return False
    if "smallest_active_queue" in claim:
        return _inside(min(queues[i] for i in positive), claim["smallest_active_queue"])
    return True


def _well_formed(claim: dict[str, Any]) -> bool:
    listed = {"system", "K", "theta", "queue", "active", "undecided"}
    summary = {"system", "servers", "K", "active_count", "undecided_count", "largest_queue"}
    reflected = {"arrival_rate", "service_rates", "alpha", "beta", "gamma", "offset"}
    weighted = {"arrival_rate", "service_rates", "weights", "temperature"}
    return set(claim["system"]) in (reflected, weighted) and (
        set(claim) in (listed, summary, summary | {"smallest_active_queue"})
    )


def _root(rates: list[Any], theta: list[Any], arrival: Any) -> Any:
    """Bisection on log K, sharpened by the closed form on the final interval."""

    def surplus(log_root: Any) -> Any:
        root = mpmath.exp(log_root)
        total = sum(mu * min(1, t / root) for mu, t in zip(rates, theta, strict=True))
        return total - arrival

    low = mpmath.log(min(theta))
    high = mpmath.log(max(theta)) + mpmath.log(sum(rates) / arrival) + 1
    for _ in range(520):
        middle = (low + high) / 2
        if surplus(middle) > 0:
            low = middle
        else:
            high = middle
    return mpmath.exp((low + high) / 2)


def _inside(value: Any, interval: dict[str, str]) -> bool:
    if set(interval) != {"lo", "hi"}:
        return False
    return bool(_number(interval["lo"]) <= value <= _number(interval["hi"]))
