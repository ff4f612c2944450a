"""The mean number of jobs in steady state, from both sides as near as one asks.

A function h with |q|_1 + L h <= c at every state proves E|Q|_1 <= c, one with the reverse
inequality the reverse. Both solve Poisson's equation on the states of at most M jobs and are simple
beyond: a multiple of V = 1/2 sum v_i Q_i^2, and a constant; the two c approach each other
geometrically as M grows. Source: own derivation, proofs_checks/theorems/softmax-stationary.md.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from certify.balls import at_least, at_most, nearest
from certify.certificate import Certificate, interval
from certify.errors import InputError
from certify.problem import Exact, Table, require_type, to_rational
from certify.softmax.shortest import ShortestQueue, read_shortest
from certify.softmax.system import ReflectedUAS, System, WeightedShortestQueue, read_system

WIDTH = Fraction(1, 10**6)
NARROWEST = Fraction(1, 10**30)
FASTEST = 10**12  # jobs per unit time; the slowest server has at least the reciprocal


@dataclass(frozen=True)
class StationaryMean:
    """E|Q|_1 (jobs) in the one steady state lies in [low, high].

    `total` is the number of jobs up to which the test functions have tables.
    """

    system: System
    low: Fraction
    high: Fraction
    total: int
    hints: dict[str, Any] = field(repr=False)

    def __repr__(self) -> str:
        ends_ = f"low={at_least(self.low, 12)}, high={at_most(self.high, 12)}"
        servers, width = len(self.system.service_rates), nearest(self.high - self.low, 2)
        return f"StationaryMean(servers={servers}, {ends_}, width={width})"

    def certificate(self) -> Certificate:
        """The certificate of both bounds."""
        shortest = isinstance(self.system, ShortestQueue)
        claim = {
            "policy": "shortest-queue" if shortest else "softmax",
            "system": self.system.to_claim(),
            "mean_total_queue": interval(self.low, self.high),
        }
        return Certificate("softmax-stationary", claim, self.hints)


def make(table: Table) -> Certificate:
    """The certificate of a problem of kind `softmax-stationary`."""
    width = table.rational("width", WIDTH)
    inner = table.table("system")
    system = read_shortest(inner) if inner.has("policy") else read_system(table)
    table.done()
    return stationary_mean(system, width).certificate()


def words(claim: dict[str, Any]) -> str:
    """What a claim of this kind states, in one sentence."""
    mean, servers = claim["mean_total_queue"], len(claim["system"]["service_rates"])
    return (
        f"Under {claim['policy']} routing to {servers} server{'s' * (servers > 1)} the mean number "
        f"of jobs in steady state is from {at_least(mean['lo'], 12)} to {at_most(mean['hi'], 12)}."
    )


def stationary_mean(system: System, width: Exact = WIDTH) -> StationaryMean:
    """E|Q|_1 in steady state, in an interval of at most this width (jobs).

    `system` is a Reflected UAS, UAS or weighted shortest queue system with softmax routing, or a
    ShortestQueue, whose ties are broken with equal probabilities. Raises InputError for another
    system, a width outside 1e-30 to 1 or rates outside 1e-12 to 1e12, OutOfReach if it would take
    tables of more than 40,000 states or exponentials of energies beyond 2^20. Source:
    proofs_checks/theorems/softmax-stationary.md.
    """
    kinds = ReflectedUAS, WeightedShortestQueue, ShortestQueue
    require_type(system, kinds, "system", "a softmax or shortest-queue system")
    width = to_rational(width, "width")
    if not NARROWEST <= width <= 1:
        raise InputError("width", "be from 1e-30 to 1", width)
    for rate in (system.arrival_rate, *system.service_rates):
        if not Fraction(1, FASTEST) <= rate <= FASTEST:
            raise InputError("system", "have rates from 1e-12 to 1e12", f"one of {nearest(rate)}")
    from certify.softmax.poisson import enclose_mean

    return enclose_mean(system, width)
