"""Whether a convergence claim is true, as far as a simulation and simple necessary bounds can say.

False: K* is not in its interval; a box of starts cannot empty so fast (the total queue falls at
most at the speed Lambda - lambda); a simulated distance is still too large at the time, or falls
too slowly somewhere in the final ball. True: every simulated start has long arrived and the rate
holds with room to spare at every sampled point. None between.
"""

import json
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from tests.mutation.truth.softmax_equilibrium import truth as equilibrium_truth

FIELDS = {
    "system", "K", "start_bound", "tolerance", "time", "diameter", "final_radius", "final_rate",
}  # fmt: skip
EXACT = sorted(FIELDS - {"system", "K"})
DIRECTIONS = 100
Vector = np.ndarray[Any, np.dtype[np.float64]]


def truth(claim: dict[str, Any]) -> bool | None:
    """True, False, or None where floating point and necessary bounds cannot tell."""
    try:
        with np.errstate(all="ignore"):
            return _truth(claim)
    except (KeyError, TypeError, ValueError, ZeroDivisionError, IndexError, OverflowError):
        return False  # not a claim of this form


def _truth(claim: dict[str, Any]) -> bool | None:
    if set(claim) != FIELDS:
        return False
    numbers = {name: Fraction(claim[name]) for name in EXACT}
    bound, tolerance, time = (numbers[n] for n in ("start_bound", "tolerance", "time"))
    if min(bound, tolerance, numbers["final_radius"]) <= 0 or numbers["final_rate"] < 0:
        return False
    if not _root_inside(claim):
        return False
    model = _model(json.dumps(claim["system"]))
    v, target = model.v, model.target
    total, reach = float(bound) * len(v), float(np.sqrt(1 / v).sum() * float(tolerance))
    if total - model.spare * float(time) > target.sum() + reach + 1e-9:
        return False
    slowest = model.slowest_rate(float(numbers["final_radius"]))
    if float(numbers["final_rate"]) > slowest * 1.00001:
        return False
    late = model.distance_at(float(bound), float(time))
    if late is None:
        return None  # the simulation ends before
    if late > float(tolerance) + 1e-8:
        return False
    before = model.distance_at(float(bound), 0.9 * float(time))
    room = 2 * float(tolerance) / np.sqrt(v.min())
    if (
        late < 1e-8
        and before is not None
        and before < 1e-8
        and float(numbers["diameter"]) >= room * (1 - 1e-12)
        and float(numbers["final_rate"]) <= slowest * 0.99999
    ):
        return True
    return None


def _root_inside(claim: dict[str, Any]) -> bool:
    """Whether K* lies in `K`: the part of an equilibrium claim that says this and nothing more."""
    size = len(claim["system"]["service_rates"])
    summary = {
        "system": claim["system"],
        "K": claim["K"],
        "servers": "summary",
        "active_count": 0,
        "undecided_count": size,
        "largest_queue": {"lo": "0", "hi": "1e9"},
    }
    return equilibrium_truth(summary) is not False


class Model:
    """The reflected equation of a system in floating point."""

    def __init__(self, system: dict[str, Any]) -> None:
        self.mu = np.array([float(Fraction(rate)) for rate in system["service_rates"]])
        self.arrival = float(Fraction(system["arrival_rate"]))
        if "weights" in system:
            weights = np.array([float(Fraction(each)) for each in system["weights"]])
            self.alpha = 1 / float(Fraction(system["temperature"]))
            self.v, self.kappa = 2 * weights, weights
        else:
            self.alpha, beta, gamma, offset = (
                float(Fraction(system[name])) for name in ("alpha", "beta", "gamma", "offset")
            )
            self.v = self.mu**-beta
            self.kappa = offset * self.v - gamma / self.alpha * np.log(self.mu)
        self.spare = float(self.mu.sum() - self.arrival)
        self.target = self._equilibrium()
        self.paths: dict[float, tuple[float, list[float]]] = {}

    def field(self, q: Vector) -> Vector:
        """lambda p(q) - mu."""
        energy = -self.alpha * (self.v * q + self.kappa)
        weights = np.exp(energy - energy.max())
        return np.asarray(self.arrival * weights / weights.sum() - self.mu)

    def distance(self, q: Vector) -> float:
        return float(np.sqrt((self.v * (q - self.target) ** 2).sum()))

    def slowest_rate(self, radius: float) -> float:
        """The smallest -d log(distance)/dt over sampled points at the radius and inside."""
        chance = np.random.default_rng(1)
        directions = list(chance.normal(size=(DIRECTIONS, len(self.v))))
        directions += [sign * row for row in np.eye(len(self.v)) for sign in (1, -1)]
        directions += [1 / self.v, -1 / self.v]
        rates = []
        for direction in directions:
            for part in (1.0, 0.5, 0.1):
                step = direction / np.sqrt((self.v * direction**2).sum()) * radius * part
                q = np.maximum(self.target + step, 0)
                distance = self.distance(q)
                if distance < 1e-9:
                    continue
                speed = self.field(q)
                speed[(q == 0) & (speed < 0)] = 0
                fall = -(self.v * (q - self.target) * speed).sum()
                rates.append(fall / distance**2)
        return float(min(rates, default=np.inf)) + 1e-6

    def distance_at(self, bound: float, time: float) -> float | None:
        """The largest distance of a few simulated starts at a time (clipped Euler steps).

        After the last step it is that of the last step if they have arrived then, or else unknown.
        """
        if bound not in self.paths:
            self.paths[bound] = self._simulated(bound)
        step, distances = self.paths[bound]
        index = int(time / step)
        if index < len(distances):
            return distances[index]
        return distances[-1] if distances[-1] < 1e-8 else None

    def _simulated(self, bound: float) -> tuple[float, list[float]]:
        stiff = self.alpha * self.arrival * self.v.max() + 1
        step = min(0.8 / stiff, 0.05)
        count = min(int(1 + 45 / step), 20_000)
        corners = [np.full(len(self.v), bound), np.eye(len(self.v))[0] * bound]
        distances = np.zeros(count)
        for q in corners:
            for index in range(count):
                distances[index] = max(distances[index], self.distance(q))
                q = np.maximum(q + step * self.field(q), 0)
        return step, list(distances)

    def _equilibrium(self) -> Vector:
        """q* from a bisection of the consistency equation."""
        log_theta = -self.alpha * self.kappa - np.log(self.mu)

        def surplus(log_root: float) -> float:
            return float((self.mu * np.exp(np.minimum(0, log_theta - log_root))).sum())

        low, high = float(log_theta.min()), float(log_theta.max() + np.log(1 + 1 / self.arrival))
        high += float(np.log(self.mu.sum() + 1)) + 1
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (middle, high) if surplus(middle) > self.arrival else (low, middle)
        return np.asarray(np.maximum(0, log_theta - low) / (self.alpha * self.v))


@lru_cache(maxsize=500)
def _model(text: str) -> Model:
    return Model(json.loads(text))
