"""Routing by fixed probabilities: independent M/M/1 queues, all of them stable or not.

The opposite end of the softmax family, where a job's queue is drawn without looking at any queue.
Everything is an exact rational. Source: proofs_checks/theorems/bernoulli-routing.md.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from flint import fmpq

from certify.balls import at_least, at_most, brief, fraction, nearest, rational
from certify.certificate import Certificate, exact, listed
from certify.errors import InputError
from certify.problem import Exact, Table, to_rational, to_rationals

NAMED = ("proportional", "uniform")


@dataclass(frozen=True)
class Bernoulli:
    """Bernoulli(arrival_rate, service_rates, routing): queue i is chosen with probability p_i.

    `routing` holds one exact probability per server, or is "uniform" (1/N each) or "proportional"
    (to the service rates). Raises InputError unless rates are positive and the probabilities are
    not negative with sum 1. The load may be anything.
    """

    arrival_rate: Fraction
    service_rates: tuple[Fraction, ...]
    routing: tuple[Fraction, ...]

    if TYPE_CHECKING:

        def __init__(
            self,
            arrival_rate: Exact,
            service_rates: Iterable[Exact],
            routing: str | Iterable[Exact],
        ) -> None: ...

    def __post_init__(self) -> None:
        arrival = to_rational(self.arrival_rate, "system.arrival_rate")
        rates = to_rationals(self.service_rates, "system.service_rates")
        for name, value in [
            ("system.arrival_rate", arrival),
            *((f"system.service_rates[{i}]", rate) for i, rate in enumerate(rates)),
        ]:
            if value <= 0:
                raise InputError(name, "be positive", value)
        routing = _probabilities(self.routing, rates)
        object.__setattr__(self, "arrival_rate", arrival)
        object.__setattr__(self, "service_rates", rates)
        object.__setattr__(self, "routing", routing)

    def __repr__(self) -> str:
        rates, routing = listed(self.service_rates), listed(self.routing)
        arrival = f"arrival_rate={self.arrival_rate}"
        return f"Bernoulli({arrival}, service_rates={rates}, routing={routing})"

    @property
    def excess(self) -> tuple[Fraction, ...]:
        """lambda p_i - mu_i for every server."""
        pairs = zip(self.routing, self.service_rates, strict=True)
        return tuple(self.arrival_rate * p - rate for p, rate in pairs)

    @property
    def stable(self) -> bool:
        """Whether lambda p_i < mu_i for every server."""
        return max(self.excess) < 0

    @property
    def growth_rate(self) -> Fraction:
        """The almost sure limit of |Q(t)|_1/t (jobs per unit time); 0 if stable."""
        return _sum([each for each in self.excess if each > 0])

    @property
    def mean_queues(self) -> tuple[Fraction, ...]:
        """E Q_i in steady state (jobs); InputError if there is none."""
        pairs = zip(self.routing, self._spare(), strict=True)
        return tuple(self.arrival_rate * p / spare for p, spare in pairs)

    def drift(self, weights: Iterable[Exact] | None = None) -> "BernoulliDrift":
        """The drift of V = 1/2 sum weights_i Q_i^2; by default weights_i = 1/(mu_i - lambda p_i).

        Raises InputError if the routing is unstable or the weights are not positive, one a server.
        """
        spare = self._spare()
        equal_speeds = tuple(1 / room for room in spare)
        chosen = equal_speeds if weights is None else to_rationals(weights, "weights")
        if len(chosen) != len(spare):
            raise InputError("weights", f"have {len(spare)} entries", len(chosen))
        for i, weight in enumerate(chosen):
            if weight <= 0:
                raise InputError(f"weights[{i}]", "be positive", weight)
        speeds = [a * room for a, room in zip(chosen, spare, strict=True)]
        eps = min(speeds)
        terms = [
            a * self.arrival_rate * p / 2 + max(Fraction(0), a * rate / 2 - (speed - eps))
            for a, p, rate, speed in zip(
                chosen, self.routing, self.service_rates, speeds, strict=True
            )
        ]
        return BernoulliDrift(self, chosen, eps, _sum(terms))

    def certificate(self) -> Certificate:
        """The certificate of the stable regime with its drift, or of the unstable one."""
        if self.stable:
            return self.drift().certificate()
        excess = self.excess
        claim = self.to_claim() | {
            "regime": "unstable",
            "overloaded": [i for i, each in enumerate(excess) if each > 0],
            "critical": [i for i, each in enumerate(excess) if each == 0],
            "growth_rate": exact(self.growth_rate),
        }
        return Certificate("bernoulli-routing", claim, {})

    def to_claim(self) -> dict[str, Any]:
        """The `system` and `routing` fields of a claim."""
        rates = [exact(rate) for rate in self.service_rates]
        return {
            "system": {"arrival_rate": exact(self.arrival_rate), "service_rates": rates},
            "routing": [exact(p) for p in self.routing],
        }

    def _spare(self) -> tuple[Fraction, ...]:
        """mu_i - lambda p_i for every server, all positive."""
        spare = tuple(-each for each in self.excess)
        for i, each in enumerate(spare):
            if each <= 0:
                requirement = f"be less than {self.service_rates[i] / self.arrival_rate}"
                requirement += ", the share that server can do, for a steady state"
                raise InputError(f"routing[{i}]", requirement, self.routing[i])
        return spare


@dataclass(frozen=True)
class BernoulliDrift:
    """(LV)(Q) <= -eps |Q|_1 + R at every state, with the largest eps and the smallest R for it."""

    model: Bernoulli
    weights: tuple[Fraction, ...]
    eps: Fraction
    R: Fraction

    def certificate(self) -> Certificate:
        """The certificate of the drift and of the exact mean queues."""
        means = self.model.mean_queues
        claim = self.model.to_claim() | {
            "regime": "stable",
            "weights": [exact(weight) for weight in self.weights],
            "eps": exact(self.eps),
            "R": exact(self.R),
            "mean_queues": [exact(mean) for mean in means],
            "mean_total_queue": exact(_sum(means)),
        }
        return Certificate("bernoulli-routing", claim, {})


def make(table: Table) -> Certificate:
    """The certificate of a problem of kind `bernoulli-routing`."""
    system = table.table("system")
    arrival, rates = system.rational("arrival_rate"), system.rationals("service_rates")
    system.done()
    model = Bernoulli(arrival, rates, table.get("routing"))
    weights = table.rationals("weights") if table.has("weights") else None
    table.done()
    return model.certificate() if weights is None else model.drift(weights).certificate()


def words(claim: dict[str, Any]) -> str:
    """What a claim of this kind states, in one sentence."""
    servers = len(claim["routing"])
    if claim["regime"] == "unstable":
        growth = "no rate of growth is claimed"
        if claim["growth_rate"] != "0":
            growth = f"E|Q(t)|_1 >= {brief(claim['growth_rate'], at_least)} t"
        return (
            f"Routing to {servers} queues with these fixed probabilities is unstable "
            f"(overloaded: {len(claim['overloaded'])}, critical: {len(claim['critical'])}), "
            f"and {growth}."
        )
    eps = brief(claim["eps"], at_least)
    mean = brief(claim["mean_total_queue"], lambda value: f"about {nearest(value)}")
    return (
        f"Routing to {servers} queues with these fixed probabilities is stable with "
        f"E|Q|_1 = {mean} in steady state, and the drift of "
        f"V = 1/2 sum a_i Q_i^2 is at most -{eps} |Q|_1 + {brief(claim['R'], at_most)}."
    )


def _probabilities(routing: Any, rates: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    if isinstance(routing, str):
        if routing not in NAMED:
            raise InputError("routing", f"be a list or one of {', '.join(NAMED)}", routing)
        if routing == "uniform":
            return (Fraction(1, len(rates)),) * len(rates)
        total = _sum(rates)
        return tuple(rate / total for rate in rates)
    result = to_rationals(routing, "routing")
    if len(result) != len(rates):
        raise InputError("routing", f"have {len(rates)} entries", len(result))
    for i, p in enumerate(result):
        if p < 0:
            raise InputError(f"routing[{i}]", "be at least 0", p)
    total = _sum(result)
    if total != 1:
        raise InputError("routing", "have the sum 1", total)
    return result


def _sum(values: Sequence[Fraction]) -> Fraction:
    return fraction(sum(map(rational, values), fmpq(0)))
