"""Whether an audit of the potential is true: H itself, differenced state by state in mpmath.

Only the definition of H enters: the drift is made of differences of H, the gradient is a central
difference quotient of H, and the grid is every vector of a cube that is not too long.
"""

import json
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any

import mpmath

DIGITS = 75
STEP = mpmath.mpf(10) ** -20  # of the difference quotient, whose error is about its square
SAME = mpmath.mpf(10) ** -30  # what the difference quotient and the other roundings may lose
COUNTS = (
    "radius states boundary_states positive_boundary_states positive_coordinate_states "
    "undecided_states"
).split()
PEAKS = ("max_boundary_term", "max_boundary_gap", "max_gap")
OPTIONAL = {"interior_drift", "diagonal_drift", "origin_term"}
State = tuple[int, ...]


def truth(claim: dict[str, Any]) -> bool | None:
    """True or False; None where 30 digits do not decide it or the grid is too large for here."""
    try:
        with mpmath.workdps(DIGITS):
            return _truth(claim)
    except (KeyError, TypeError, ValueError, ZeroDivisionError, IndexError, OverflowError):
        return False  # not a claim of this form


def _number(text: str) -> mpmath.mpf:
    value = Fraction(text)
    return mpmath.mpf(value.numerator) / value.denominator


def _truth(claim: dict[str, Any]) -> bool | None:
    required = {"system", *COUNTS, *PEAKS, *(f"{name}_state" for name in PEAKS)}
    if not required <= set(claim) <= required | OPTIONAL:
        return False
    if any(type(claim[name]) is not int or claim[name] < 0 for name in COUNTS):
        return False
    text = json.dumps(claim["system"])
    H = _potential(text)
    if H is None:
        return False
    if claim["radius"] > 40:
        return None
    answers = [_grid(claim, text)]
    if "interior_drift" in claim:
        fields = claim["interior_drift"]
        state = _state(fields["state"], H)
        value = H.drift(state)
        answers += [min(state) > 0, _low(fields["value"]) > 0, _inside(value, fields["value"])]
        answers.append(set(fields) == {"state", "value"})
    alike = H.alike()
    if "diagonal_drift" in claim:
        for k in (1, 6):
            value = H.drift((k,) * len(H.rates))
            answers.append(alike and _inside(value, claim["diagonal_drift"]))
    if "origin_term" in claim:
        exact = _exact_origin(claim["system"]) if alike else Fraction(-1)
        answers.append(None if exact is None else Fraction(claim["origin_term"]) == exact)
    return False if False in answers else None if None in answers else True


def _grid(claim: dict[str, Any], text: str) -> bool | None:
    """Counts and largest values by brute force."""
    H = _potential(text)
    assert H is not None
    known = _audit(text, claim["radius"])
    boundary = {state: each for state, each in known.items() if min(state) == 0}
    if len(known) != claim["states"] or len(boundary) != claim["boundary_states"]:
        return False
    slack, doubt = claim["undecided_states"], False
    for name, pick in (
        ("positive_boundary_states", lambda each: [each[0]]),
        ("positive_coordinate_states", lambda each: each[2]),
    ):
        tops = [max(pick(each)) for each in boundary.values()]
        doubt |= any(abs(top) < SAME for top in tops)
        if not claim[name] <= sum(top > 0 for top in tops) <= claim[name] + slack:
            return None if doubt else False
    answers: list[bool | None] = [None if doubt else True]
    for name in PEAKS:
        part = known if name == "max_gap" else boundary
        index = 0 if name == "max_boundary_term" else 1
        state = _state(claim[f"{name}_state"], H)
        answers.append(state in part)
        answers.append(_inside(max(each[index] for each in part.values()), claim[name]))
        if state in part:
            answers.append(_above(part[state][index], _low(claim[name])))
    return False if False in answers else None if None in answers else True


class Potential:
    """H of a system, by its definition."""

    def __init__(self, system: dict[str, Any]) -> None:
        self.arrival = _number(system["arrival_rate"])
        self.rates = [_number(rate) for rate in system["service_rates"]]
        if "weights" in system:
            weights = [_number(each) for each in system["weights"]]
            self.alpha = 1 / _number(system["temperature"])
            self.v, self.kappa = [2 * w for w in weights], weights
        else:
            self.alpha, beta, gamma, offset = (
                _number(system[name]) for name in ("alpha", "beta", "gamma", "offset")
            )
            self.v = [mu**-beta for mu in self.rates]
            self.kappa = [
                offset * v - gamma / self.alpha * mpmath.log(mu)
                for mu, v in zip(self.rates, self.v, strict=True)
            ]
        self.exponentials: dict[Any, Any] = {}

    def exponential(self, server: int, queue: Any) -> Any:
        key = server, queue
        if key not in self.exponentials:
            energy = self.v[server] * queue + self.kappa[server]
            self.exponentials[key] = mpmath.exp(-self.alpha * energy)
        return self.exponentials[key]

    def __call__(self, q: Any) -> Any:
        linear = mpmath.fsum(m * v * x for m, v, x in zip(self.rates, self.v, q, strict=True))
        whole = mpmath.fsum(self.exponential(i, x) for i, x in enumerate(q))
        return linear + self.arrival / self.alpha * mpmath.log(whole)

    def alike(self) -> bool:
        return len(set(self.rates)) == len(set(self.v)) == len(set(self.kappa)) == 1

    def shares(self, state: State) -> list[Any]:
        weights = [self.exponential(i, queue) for i, queue in enumerate(state)]
        whole = mpmath.fsum(weights)
        return [weight / whole for weight in weights]

    def drift(self, state: State) -> Any:
        here, value = self(state), mpmath.mpf(0)
        for i, (p, mu) in enumerate(zip(self.shares(state), self.rates, strict=True)):
            value += self.arrival * p * (self(_moved(state, i, 1)) - here)
            if state[i]:
                value += mu * (self(_moved(state, i, -1)) - here)
        return value

    def slope(self, state: State, i: int) -> Any:
        above, below = (self(_moved(state, i, side * STEP)) for side in (1, -1))
        return (above - below) / (2 * STEP)


def _moved(state: State, server: int, step: Any) -> Any:
    return (*state[:server], state[server] + step, *state[server + 1 :])


@lru_cache(maxsize=300)
def _potential(text: str) -> Potential | None:
    """H of a system; None outside the hypotheses."""
    system = json.loads(text)
    reflected = {"arrival_rate", "service_rates", "alpha", "beta", "gamma", "offset"}
    weighted = {"arrival_rate", "service_rates", "weights", "temperature"}
    if set(system) not in (reflected, weighted):
        return None
    rates = [Fraction(rate) for rate in system["service_rates"]]
    positive = [*rates, Fraction(system["arrival_rate"])]
    if "weights" in system:
        positive += [Fraction(each) for each in (*system["weights"], system["temperature"])]
        if len(system["weights"]) != len(rates):
            return None
    else:
        positive += [Fraction(system["alpha"]), Fraction(system["beta"])]
        if Fraction(system["offset"]) < 0:
            return None
    if not rates or min(positive) <= 0 or Fraction(system["arrival_rate"]) >= sum(rates):
        return None
    return Potential(system)


@lru_cache(maxsize=300)
def _audit(text: str, radius: int) -> dict[State, tuple[Any, Any, list[Any]]]:
    """For every state of the grid: boundary term, gap, slopes at the empty queues."""
    H, result = _potential(text), {}
    assert H is not None
    for state in product(range(radius + 1), repeat=len(H.rates)):
        if sum(state) > radius:
            continue
        drift, shares = H.drift(state), H.shares(state)
        term, descent, slopes = mpmath.mpf(0), mpmath.mpf(0), []
        for i, p in enumerate(shares):
            speed, slope = H.arrival * p - H.rates[i], H.slope(state, i)
            if state[i] == 0:
                term += H.arrival * p * slope
                slopes.append(slope)
                speed = max(speed, 0)
            descent += slope * speed
        result[state] = term, drift - descent, slopes
    return result


def _exact_origin(system: dict[str, Any]) -> Fraction | None:
    """The boundary term at the origin of servers that are alike; None if v is not rational."""
    rate, arrival = Fraction(system["service_rates"][0]), Fraction(system["arrival_rate"])
    if "weights" in system:
        v = 2 * Fraction(system["weights"][0])
    elif rate == 1:
        v = Fraction(1)
    elif Fraction(system["beta"]).denominator == 1:
        v = 1 / rate ** int(Fraction(system["beta"]))
    else:
        return None
    return v * arrival * (rate - arrival / len(system["service_rates"]))


def _state(value: list[int], H: Potential) -> State:
    if any(type(each) is not int or each < 0 for each in value) or len(value) != len(H.rates):
        raise ValueError("not a state")
    return tuple(value)


def _low(interval: dict[str, str]) -> Any:
    return _number(interval["lo"])


def _inside(value: Any, interval: dict[str, str]) -> bool | None:
    if set(interval) != {"lo", "hi"}:
        return False
    above, below = _above(value, _low(interval)), _above(_number(interval["hi"]), value)
    return False if False in (above, below) else None if None in (above, below) else True


def _above(larger: Any, smaller: Any) -> bool | None:
    """Whether larger >= smaller; None if their difference could be a rounding."""
    return None if abs(larger - smaller) < SAME else bool(larger > smaller)
