"""Stability of the weighted shortest queue while its weights are learned.

As long as the weights stay in a box [lowest, highest], however they move there, the queues are
stable at every load below 1 and every temperature, with explicit bounds. Source:
proofs_checks/theorems/adaptive-weights.md, whose names are used here.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from flint import arb

from certify.balls import (
    above,
    at_least,
    at_most,
    ball,
    below,
    brief,
    ends,
    nearest,
    precision,
    round_up,
)
from certify.certificate import Certificate, exact, number
from certify.errors import InputError
from certify.problem import Exact, Table, to_rational
from certify.softmax.excess import softmax_excess
from certify.softmax.system import System

DIGITS = 12  # significant digits of rates, constants and bounds
BITS = 256
POWERS = 64  # powers j/64 are tried if none is asked for


@dataclass(frozen=True, repr=False)
class AdaptiveWeights(System):
    """AdaptiveWeights(arrival_rate, service_rates, temperature, lowest, highest, power).

    The weights of the weighted shortest queue may be anything in [lowest, highest] at any time.
    `power` is the p of the Lyapunov function sum (Q_n + 1/2)^(1 + p); by default 1 if that will do,
    otherwise the multiple of 1/64 with the least bound on the mean number of jobs. Raises
    InputError unless 0 < lowest <= highest, 0 < power <= 1, load (highest/lowest)^power < 1.
    """

    temperature: Fraction
    lowest: Fraction
    highest: Fraction
    power: Fraction | None = None

    if TYPE_CHECKING:

        def __init__(
            self,
            arrival_rate: Exact,
            service_rates: Iterable[Exact],
            temperature: Exact,
            lowest: Exact,
            highest: Exact,
            power: Exact | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        super().__post_init__()
        self._convert("temperature")
        if self.temperature < 0:
            raise InputError("system.temperature", "be at least 0", self.temperature)
        for name in ("lowest", "highest"):
            object.__setattr__(self, name, to_rational(getattr(self, name), name))
        if self.lowest <= 0:
            raise InputError("lowest", "be positive", self.lowest)
        if self.highest < self.lowest:
            raise InputError("highest", f"be at least the lowest, {self.lowest}", self.highest)
        if self.power is not None:
            power = to_rational(self.power, "power")
            object.__setattr__(self, "power", power)
            if not 0 < power <= 1:
                raise InputError("power", "lie between 0 and 1", power)
            with precision(BITS):
                if not self._room(power) > 0:
                    requirement = "be so small that load (highest/lowest)^power is less than 1"
                    raise InputError("power", requirement, power)

    def to_claim(self) -> dict[str, Any]:
        """The `system` field of a claim."""
        return super().to_claim() | {"temperature": exact(self.temperature)}

    @property
    def load(self) -> Fraction:
        """Arrival rate over total service rate."""
        return self.arrival_rate / sum(self.service_rates, Fraction(0))

    def bounds(self) -> "AdaptiveBounds":
        """The drift inequality and the bounds that follow from it."""
        if self.power is not None:
            return self._bounds(self.power)
        if self.load * self.highest < self.lowest:
            return self._bounds(Fraction(1))
        tried = [Fraction(j, POWERS) for j in range(1, POWERS)]
        with precision(BITS):
            possible = [p for p in tried if self._room(p) > 0]
        if not possible:
            requirement = f"be less than lowest/load^{POWERS}, or a power must be given"
            raise InputError("highest", requirement, self.highest)
        return min((self._bounds(p) for p in possible), key=lambda each: each.mean_jobs_bound)

    def certificate(self) -> Certificate:
        """The certificate of the drift inequality and the bounds."""
        return self.bounds().certificate()

    def _room(self, p: Fraction) -> arb:
        """1 - load (highest/lowest)^p."""
        return 1 - ball(self.load) * _power(self.highest / self.lowest, p)

    def _bounds(self, p: Fraction) -> "AdaptiveBounds":
        excess, servers = softmax_excess(len(self.service_rates)), len(self.service_rates)
        capacity = sum(self.service_rates, Fraction(0))
        with precision(BITS):
            blur = _power(self.temperature * excess / (2 * self.lowest), p)
            least = ball(self.arrival_rate) * (ball(1 / (1 + p)) + blur)
            least += ball(capacity) * _power(Fraction(1, 2), p)
            if p == 1:
                rate = 1 - self.load * self.highest / self.lowest
                constant = self.arrival_rate * (
                    Fraction(1, 2) + self.temperature * excess / (2 * self.lowest)
                )
                constant += capacity / 2
                mean = constant / (rate * min(self.service_rates)) - Fraction(servers, 2)
                return AdaptiveBounds(self, p, rate, constant, constant / rate, mean, excess)
            rate = below(ends(self._room(p))[0], DIGITS)
            constant = above(ends(least)[1], DIGITS)
            slowest = rate * min(self.service_rates)
            # the bound is least, and equal to z, where slowest z = constant z^(1-p) + jumps
            jumps = (self.arrival_rate + capacity) / 2
            start = (ball(constant / slowest).log() / ball(p)).exp()
            near = start + ball(jumps / (p * slowest))
            point = round_up(ends(near)[1], DIGITS)
            left = ball(slowest) - ball(constant * (1 - p)) / _power(point, p)
            top = ball(jumps) + ball(constant * p) * _power(point, 1 - p)
            mean_ball = top / left * _power(Fraction(servers), p / (1 + p))
            mean = above(ends(mean_ball)[1], DIGITS) - Fraction(servers, 2)
        moment = round_up(constant / rate, DIGITS)
        return AdaptiveBounds(self, p, rate, constant, moment, mean, excess, point)


@dataclass(frozen=True)
class AdaptiveBounds:
    """LV <= (1 + p) (constant - rate sum mu_n y_n^p) with V = sum y_n^(1 + p), y_n = Q_n + 1/2.

    In the limit the time average of E sum mu_n y_n^p is at most `moment_bound`, and that of E|Q|_1
    at most `mean_jobs_bound` (jobs).
    """

    model: AdaptiveWeights
    power: Fraction
    rate: Fraction
    constant: Fraction
    moment_bound: Fraction
    mean_jobs_bound: Fraction
    excess: Fraction
    point: Fraction = Fraction(1)

    def __repr__(self) -> str:
        names = ("rate", "constant", "moment_bound", "mean_jobs_bound")
        numbers = ", ".join(f"{name}={nearest(getattr(self, name))}" for name in names)
        return f"AdaptiveBounds(power={self.power}, {numbers})"

    def certificate(self) -> Certificate:
        """The certificate of the inequality and both bounds."""
        names = ("power", "rate", "constant", "moment_bound", "mean_jobs_bound")
        claim: dict[str, Any] = {name: exact(getattr(self, name)) for name in names}
        claim["system"] = self.model.to_claim()
        claim |= {name: exact(getattr(self.model, name)) for name in ("lowest", "highest")}
        witness = {
            "precision": BITS,
            "excess": exact(self.excess),
            "point": exact(self.point),
        }
        return Certificate("adaptive-weights", claim, witness)


def make(table: Table) -> Certificate:
    """The certificate of a problem of kind `adaptive-weights`."""
    system = table.table("system")
    arrival, rates = system.rational("arrival_rate"), system.rationals("service_rates")
    temperature = system.rational("temperature", Fraction(0))
    system.done()
    lowest, highest = table.rational("lowest"), table.rational("highest")
    power = table.rational("power") if table.has("power") else None
    table.done()
    return AdaptiveWeights(arrival, rates, temperature, lowest, highest, power).certificate()


def words(claim: dict[str, Any]) -> str:
    """What a claim of this kind states, in one sentence."""
    lowest, highest = brief(claim["lowest"], at_most), brief(claim["highest"], at_least)
    power, bound = exact(1 + number(claim["power"])), at_most(claim["mean_jobs_bound"])
    power = f"({power})" if "/" in power else power
    temperature = brief(claim["system"]["temperature"], nearest)
    return (
        f"The weighted shortest queue at temperature {temperature} is stable however its weights "
        f"move between {lowest} and {highest}: the drift of V = sum (Q_n + 1/2)^{power} is "
        f"negative but at finitely many states, and the time average of E|Q|_1 is at most {bound} "
        "in the limit."
    )


def _power(base: Fraction, exponent: Fraction) -> arb:
    return (ball(base).log() * ball(exponent)).exp() if base else arb(0)
