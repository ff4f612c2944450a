"""Deterministic shortest-queue routing, the cold end of the softmax family, in exact rationals.

A job joins a queue i with the least v_i Q_i + kappa_i. JSQ, JSSQ (shortest expected delay) and the
greedy weighted shortest queue are members. Source: proofs_checks/theorems/shortest-queue-drift.md,
whose names are used here.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from flint import fmpq

from certify.balls import at_least, at_most, fraction, nearest, rational
from certify.certificate import Certificate, exact
from certify.errors import InputError
from certify.problem import Exact, Table, to_rationals
from certify.softmax.system import System

POLICIES = ("jsq", "jssq", "weighted")
SEARCHED = 100  # most servers for which a state of large drift is searched
LEVELS = 24  # levels v_i Q_i + kappa_i = t from which the search starts

State = tuple[int, ...]


@dataclass(frozen=True, repr=False)
class ShortestQueue(System):
    """ShortestQueue(arrival_rate, service_rates, slopes, offsets).

    Raises InputError unless rates and slopes are positive, there is one slope and one offset per
    server, and the load is below 1.
    """

    slopes: tuple[Fraction, ...]
    offsets: tuple[Fraction, ...]

    if TYPE_CHECKING:

        def __init__(
            self,
            arrival_rate: Exact,
            service_rates: Iterable[Exact],
            slopes: Iterable[Exact],
            offsets: Iterable[Exact],
        ) -> None: ...

    def __post_init__(self) -> None:
        slopes = self._convert_all("slopes")
        offsets = self._convert_all("offsets")
        for index, slope in enumerate(slopes):
            self._positive(f"slopes[{index}]", slope)
        super().__post_init__()
        for name, values in (("slopes", slopes), ("offsets", offsets)):
            if len(values) != len(self.service_rates):
                requirement = f"have {len(self.service_rates)} entries"
                raise InputError(f"system.{name}", requirement, len(values))

    @classmethod
    def jsq(cls, arrival_rate: Exact, service_rates: Iterable[Exact]) -> "ShortestQueue":
        """Join the shortest queue: v_i = 1, kappa_i = 0."""
        rates = to_rationals(service_rates, "system.service_rates")
        return cls(arrival_rate, rates, (Fraction(1),) * len(rates), (Fraction(0),) * len(rates))

    @classmethod
    def jssq(cls, arrival_rate: Exact, service_rates: Iterable[Exact]) -> "ShortestQueue":
        """Join the shortest expected delay, (Q_i + 1)/mu_i: v_i = kappa_i = 1/mu_i."""
        rates = to_rationals(service_rates, "system.service_rates")
        rates = System(arrival_rate, rates).service_rates
        inverse = tuple(1 / rate for rate in rates)
        return cls(arrival_rate, rates, inverse, inverse)

    @classmethod
    def weighted(
        cls, arrival_rate: Exact, service_rates: Iterable[Exact], weights: Iterable[Exact]
    ) -> "ShortestQueue":
        """Join the least w_i (2 Q_i + 1): v_i = 2 w_i, kappa_i = w_i (arXiv 2404.09188)."""
        rates = to_rationals(service_rates, "system.service_rates")
        given = to_rationals(weights, "system.weights")
        for index, weight in enumerate(given):
            cls._positive(f"weights[{index}]", weight)
        if len(given) != len(rates):
            raise InputError("system.weights", f"have {len(rates)} entries", len(given))
        return cls(arrival_rate, rates, tuple(2 * weight for weight in given), given)

    def to_claim(self) -> dict[str, Any]:
        """The `system` field of a claim."""
        return super().to_claim() | {
            "slopes": [exact(each) for each in self.slopes],
            "offsets": [exact(each) for each in self.offsets],
        }

    def drift(self) -> "ShortestQueueDrift":
        """The drift on the whole lattice: the largest eps, a constant, a bound on E|Q|_1."""
        servers = list(zip(self.service_rates, self.slopes, self.offsets, strict=True))
        surplus = _sum(self.service_rates) - self.arrival_rate
        eps = min(surplus / _sum([1 / v for v in self.slopes]), *(mu * v for mu, v, _ in servers))
        shares = self._cheapest_shares(eps)
        slacks = [(mu - c) * v - eps for (mu, v, _), c in zip(servers, shares, strict=True)]
        gains = [
            max(Fraction(0), v / 2 - slack / mu)
            for (mu, v, _), slack in zip(servers, slacks, strict=True)
        ]
        fixed = _sum([c * kappa for c, kappa in zip(shares, self.offsets, strict=True)])
        fixed += self.arrival_rate * max(v / 2 - kappa for _, v, kappa in servers)
        R = fixed + _sum([g * mu for g, mu in zip(gains, self.service_rates, strict=True)])
        left, busiest = self.arrival_rate, Fraction(0)
        for gain, mu in sorted(zip(gains, self.service_rates, strict=True), reverse=True):
            busiest += gain * min(left, mu)
            left -= min(left, mu)
        attained = self._search(eps) if len(servers) <= SEARCHED else None
        return ShortestQueueDrift(self, eps, R, (fixed + busiest) / eps, attained, shares)

    def level(self, state: State, eps: Fraction) -> Fraction:
        """(LV)(Q) + eps |Q|_1, ties broken for the least value."""
        pairs = list(zip(self.slopes, self.offsets, state, strict=True))
        lowest = min(v * q + kappa for v, kappa, q in pairs)
        joined = min(v * q + v / 2 for v, kappa, q in pairs if v * q + kappa == lowest)
        served = (
            mu * v * (q - Fraction(1, 2))
            for mu, v, q in zip(self.service_rates, self.slopes, state, strict=True)
            if q
        )
        return self.arrival_rate * joined - sum(served, Fraction(0)) + eps * sum(state)

    def _cheapest_shares(self, eps: Fraction) -> tuple[Fraction, ...]:
        """Shares with sum lambda that make R least: each server's cost is convex, in two pieces."""
        steps = []
        for i, (mu, v, kappa) in enumerate(
            zip(self.service_rates, self.slopes, self.offsets, strict=True)
        ):
            cap = mu - eps / v
            # beyond this share the slack covers no longer all of mu_i v_i/2
            kink = min(cap, max(Fraction(0), cap - mu / 2))
            steps += [(kappa, i, kink), (kappa + v, i, cap - kink)]
        shares, left = [Fraction(0)] * len(self.slopes), self.arrival_rate
        for _, i, room in sorted(steps):
            shares[i] += min(left, room)
            left -= min(left, room)
        return tuple(shares)

    def _search(self, eps: Fraction) -> tuple[State, Fraction]:
        """A state of large (LV)(Q) + eps |Q|_1: climbed to from states with nearly equal energies.

        Of equal states the one with the fewest jobs is taken.
        """
        step = max(self.slopes)
        starts = []
        for multiple in range(LEVELS):
            t = min(self.offsets) + step * multiple
            nearest = (
                (t - kappa) / v + Fraction(1, 2)
                for v, kappa in zip(self.slopes, self.offsets, strict=True)
            )
            starts.append(tuple(max(0, each.__floor__()) for each in nearest))
        found = {self._climb(start, eps) for start in set(starts)}
        return max(found, key=lambda each: (each[1], -sum(each[0]), each[0]))

    def _climb(self, state: State, eps: Fraction) -> tuple[State, Fraction]:
        value = self.level(state, eps)
        while True:
            near = [
                (*state[:i], queue, *state[i + 1 :])
                for i in range(len(state))
                for queue in (state[i] - 1, state[i] + 1)
                if queue >= 0
            ]
            best = max(near, key=lambda each: self.level(each, eps))
            if self.level(best, eps) <= value:
                return state, value
            state, value = best, self.level(best, eps)


@dataclass(frozen=True)
class ShortestQueueDrift:
    """(LV)(Q) <= -eps |Q|_1 + R at every state; E|Q|_1 <= mean_queue_bound (jobs) in steady state.

    `attained` is a state and the value of (LV)(Q) + eps |Q|_1 there; None for many servers.
    """

    system: ShortestQueue
    eps: Fraction
    R: Fraction
    mean_queue_bound: Fraction
    attained: tuple[State, Fraction] | None
    shares: tuple[Fraction, ...]

    def __repr__(self) -> str:
        names = ("eps", "R", "mean_queue_bound")
        numbers = ", ".join(f"{name}={nearest(getattr(self, name))}" for name in names)
        return f"ShortestQueueDrift(servers={len(self.shares)}, {numbers})"

    def certificate(self) -> Certificate:
        """The certificate of the drift, the queue bound and the attained value."""
        claim: dict[str, Any] = {
            name: exact(getattr(self, name)) for name in ("eps", "R", "mean_queue_bound")
        }
        claim["system"] = self.system.to_claim()
        if self.attained is not None:
            state, value = self.attained
            claim["attained"] = {"state": [exact(q) for q in state], "value": exact(value)}
        shares = [exact(share) for share in self.shares]
        return Certificate("shortest-queue-drift", claim, {"shares": shares})


def make(table: Table) -> Certificate:
    """The certificate of a problem of kind `shortest-queue-drift`."""
    system = read_shortest(table.table("system"))
    table.done()
    return system.drift().certificate()


def read_shortest(system: Table) -> ShortestQueue:
    """The system of a problem: `policy`, with `weights` if it is "weighted"; or its energies."""
    arrival, rates = system.rational("arrival_rate"), system.rationals("service_rates")
    if system.has("policy"):
        policy = system.choice("policy", POLICIES)
        weights = system.rationals("weights") if policy == "weighted" else ()
        system.done()
        if policy == "weighted":
            return ShortestQueue.weighted(arrival, rates, weights)
        return (ShortestQueue.jsq if policy == "jsq" else ShortestQueue.jssq)(arrival, rates)
    slopes, offsets = system.rationals("slopes"), system.rationals("offsets")
    system.done()
    return ShortestQueue(arrival, rates, slopes, offsets)


def words(claim: dict[str, Any]) -> str:
    """What a claim of this kind states, in one sentence."""
    servers = len(claim["system"]["slopes"])
    return (
        f"Under the shortest-queue rule the drift of V = 1/2 sum v_i Q_i^2 is at most "
        f"-{at_least(claim['eps'])} |Q|_1 + {at_most(claim['R'])} at every state of the "
        f"{servers} queues, and E|Q|_1 <= {at_most(claim['mean_queue_bound'])} in steady state."
    )


def _sum(values: Sequence[Fraction]) -> Fraction:
    return fraction(sum(map(rational, values), fmpq(0)))
