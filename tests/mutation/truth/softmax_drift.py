"""Whether a drift claim is true: exact evaluation at states, and a second way to the supremum.

False: a hypothesis fails, eps exceeds the largest one, the inequality fails at a state, the
queue bound is below that of one pooled server, or the attained value is above the one at its state.
True: the constants are at least the supremum over real queues, computed with Lambert's function of
mpmath by bisection; where the second term of the largest eps binds, the constant of the paper.
None otherwise.
"""

import json
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any

import mpmath

DIGITS = 90
EQUAL = Fraction(1, 10**80)  # numbers closer than this are called equal
BOX = 150  # states of a box around the empty state, and as many along the critical ray
CONSTANTS = {"system", "eps", "R", "mean_queue_bound"}


def truth(claim: dict[str, Any]) -> bool | None:
    """True or False; None where neither is shown."""
    try:
        with mpmath.workdps(DIGITS):
            return _truth(claim)
    except (KeyError, TypeError, ValueError, ZeroDivisionError, IndexError):
        return False  # not a claim of this form


def _truth(claim: dict[str, Any]) -> bool | None:
    if not CONSTANTS <= set(claim) <= CONSTANTS | {"sharp_R", "attained"}:
        return False
    system = _system(json.dumps(claim["system"], sort_keys=True))
    eps, mean = Fraction(claim["eps"]), Fraction(claim["mean_queue_bound"])
    constants = [Fraction(claim[name]) for name in ("R", "sharp_R") if name in claim]
    if system is None or eps <= 0 or _number(eps) > system.largest_eps + _number(EQUAL):
        return False
    if mean < system.pooled:
        return False
    if "attained" in claim and not _attained(system, eps, claim["attained"]):
        return False
    worst = max(drift + _number(eps) * total for drift, total in system.samples)
    if any(_number(each) < worst - _number(EQUAL) for each in constants):
        return False
    enough = all(_number(each) >= system.supremum - _number(EQUAL) for each in constants)
    return True if enough and _number(mean) * _number(eps) >= system.supremum else None


class System:
    """mu_i, v_i, kappa_i in high precision, and what the claims are held against."""

    def __init__(self, arrival: Fraction, rates: list[Fraction], alpha: Any, lines: Any) -> None:
        self.arrival, self.alpha = _number(arrival), alpha
        self.rates = [_number(rate) for rate in rates]
        self.slopes, self.shifts = lines
        self.pooled = arrival / (sum(rates) - arrival)
        surplus = _number(sum(rates) - arrival)
        self.first = surplus / sum(1 / v for v in self.slopes)
        second = min(mu * v for mu, v in zip(self.rates, self.slopes, strict=True))
        self.largest_eps = min(self.first, second)
        self.samples = [(self.drift(state), sum(state)) for state in self.states()]
        self.supremum = self.sharp() if self.first <= second else self.printed()

    def states(self) -> Iterator[tuple[int, ...]]:
        """A box, and states near the ray along which all v_i Q_i are equal."""
        count, side = len(self.rates), 1
        while (side + 1) ** count <= BOX:
            side += 1
        yield from product(range(side), repeat=count)
        step = min(self.slopes) / 2
        for index in range(1, BOX // count):
            yield tuple(int(mpmath.nint(index * step / v)) for v in self.slopes)

    def drift(self, state: tuple[int, ...]) -> Any:
        """(LV)(Q) from the definition of the generator, job by job."""
        energies = [
            v * q + kappa for v, q, kappa in zip(self.slopes, state, self.shifts, strict=True)
        ]
        low = min(energies)
        weights = [mpmath.exp(-self.alpha * (energy - low)) for energy in energies]
        total, value = sum(weights), mpmath.mpf(0)
        for i, queue in enumerate(state):
            squares = [
                self.slopes[i] * mpmath.mpf(q) ** 2 / 2 for q in (queue - 1, queue, queue + 1)
            ]
            value += self.arrival * weights[i] / total * (squares[2] - squares[1])
            if queue:
                value += self.rates[i] * (squares[0] - squares[1])
        return value

    def sharp(self) -> Any:
        """The supremum over real queues at the largest eps: one equation for the multiplier."""
        rate, alpha = self.arrival, self.alpha
        servers = list(zip(self.rates, self.slopes, self.shifts, strict=True))
        shares = [mu - self.first / v for mu, v, _ in servers]

        def chance(i: int, level: Any) -> Any:
            """p with c/(alpha p) - lambda (log p + 1)/alpha - lambda kappa + lambda v/2 = level."""
            _, v, kappa = servers[i]
            log_bare = -1 - alpha * (level / rate + kappa - v / 2)
            if shares[i] <= 0:
                return mpmath.exp(log_bare)
            return shares[i] / rate / mpmath.lambertw(mpmath.exp(-log_bare) * shares[i] / rate).real

        def surplus(level: Any) -> Any:
            return sum(chance(i, level) for i in range(len(servers))) - 1

        low, high = mpmath.mpf(-1), mpmath.mpf(1)
        while surplus(low) < 0:
            low *= 2
        while surplus(high) > 0:
            high *= 2
        level = mpmath.findroot(surplus, (low, high), solver="anderson", tol=mpmath.mpf(10) ** -170)
        value = mpmath.mpf(0)
        for i, (mu, v, kappa) in enumerate(servers):
            p = chance(i, level)
            value += (shares[i] - rate * p) * (mpmath.log(p) / alpha + kappa)
            value += rate * v * p / 2 + mu * v / 2
        return value

    def printed(self) -> Any:
        """The constant of the paper: lambda C1 + R0 with the entropy bound."""
        spread = max(self.shifts) - min(self.shifts)
        noise = sum(mu * v for mu, v in zip(self.rates, self.slopes, strict=True)) / 2
        entropy = mpmath.log(len(self.rates)) / self.alpha
        return self.arrival * (entropy + spread + max(self.slopes) / 2) + noise


@lru_cache(maxsize=2000)
def _system(text: str) -> System | None:
    """The system of a claim; None outside the hypotheses."""
    fields = {
        name: [Fraction(each) for each in value] if isinstance(value, list) else Fraction(value)
        for name, value in json.loads(text).items()
    }
    arrival, rates = fields["arrival_rate"], fields["service_rates"]
    if min(rates) <= 0 or not 0 < arrival < sum(rates):
        return None
    if set(fields) == {"arrival_rate", "service_rates", "weights", "temperature"}:
        weights, temperature = fields["weights"], fields["temperature"]
        if len(weights) != len(rates) or min([*weights, temperature]) <= 0:
            return None
        lines = [_number(2 * w) for w in weights], [_number(w) for w in weights]
        return System(arrival, rates, 1 / _number(temperature), lines)
    if set(fields) != {"arrival_rate", "service_rates", "alpha", "beta", "gamma", "offset"}:
        return None
    alpha, beta, gamma, offset = (fields[name] for name in ("alpha", "beta", "gamma", "offset"))
    if alpha <= 0 or beta <= 0 or offset < 0:
        return None
    slopes = [_number(rate) ** -_number(beta) for rate in rates]
    shifts = [
        _number(offset) * v - _number(gamma / alpha) * mpmath.log(_number(rate))
        for v, rate in zip(slopes, rates, strict=True)
    ]
    return System(arrival, rates, _number(alpha), (slopes, shifts))


def _attained(system: System, eps: Fraction, attained: dict[str, Any]) -> bool:
    if set(attained) != {"state", "value"}:
        return False
    queues = [Fraction(queue) for queue in attained["state"]]
    if len(queues) != len(system.rates) or any(q < 0 or q.denominator > 1 for q in queues):
        return False
    state = tuple(int(queue) for queue in queues)
    value = system.drift(state) + _number(eps) * sum(state)
    return bool(_number(Fraction(attained["value"])) <= value)


def _number(value: Fraction | int) -> Any:
    return mpmath.mpf(value.numerator) / value.denominator
