"""The systems: Poisson arrivals routed by a softmax of affine energies v_i Q_i + kappa_i.

An arrival joins queue i with probability proportional to exp(-alpha (v_i Q_i + kappa_i)); server
i works at exponential rate mu_i. The two families differ only in v_i and kappa_i.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from flint import arb

from certify.balls import ball, compare_total, ends, nearest, precision
from certify.certificate import exact, listed
from certify.errors import InputError
from certify.problem import Exact, Table, to_count, to_rational, to_rationals

REFLECTED = ("alpha", "beta", "gamma", "offset")
WEIGHTED = ("weights", "temperature")
AT_EQUALITY = "(when they are equal there is no steady state)"
EQUILIBRIA = "(when they are equal the equilibrium is not unique: a half-line of them)"


@dataclass(frozen=True, repr=False)
class System:
    """Arrival rate and service rates (jobs per unit time) of a subcritical parallel system."""

    arrival_rate: Fraction
    service_rates: tuple[Fraction, ...]

    if TYPE_CHECKING:

        def __init__(self, arrival_rate: Exact, service_rates: Iterable[Exact]) -> None: ...

    def __post_init__(self) -> None:
        self._convert("arrival_rate")
        rates = self._convert_all("service_rates")
        self._positive("arrival_rate", self.arrival_rate)
        for index, rate in enumerate(rates):
            self._positive(f"service_rates[{index}]", rate)
        surplus = compare_total(rates, self.arrival_rate)
        if surplus == 0:
            raise InputError(
                "system.arrival_rate",
                f"be less than the total service rate {_total(rates)} {AT_EQUALITY}",
                self.arrival_rate,
            )
        if surplus < 0:
            requirement = f"be less than the total service rate {_total(rates)}"
            raise InputError("system.arrival_rate", requirement, self.arrival_rate)

    def __repr__(self) -> str:
        given = [(each.name, getattr(self, each.name)) for each in fields(self) if each.init]
        shown = [f"{k}={listed(v) if isinstance(v, tuple) else v}" for k, v in given]
        return f"{type(self).__name__}({', '.join(shown)})"

    @property
    def inverse_temperature(self) -> Fraction:
        """The factor alpha of the softmax."""
        raise NotImplementedError

    def energy(self, server: int) -> tuple[arb, arb]:
        """Balls of v_i and kappa_i at the current precision."""
        raise NotImplementedError

    def to_claim(self) -> dict[str, Any]:
        """The `system` field of a claim."""
        return {
            "arrival_rate": exact(self.arrival_rate),
            "service_rates": [exact(rate) for rate in self.service_rates],
        }

    def _convert(self, name: str) -> None:
        object.__setattr__(self, name, to_rational(getattr(self, name), f"system.{name}"))

    def _convert_all(self, name: str) -> tuple[Fraction, ...]:
        result = to_rationals(getattr(self, name), f"system.{name}")
        object.__setattr__(self, name, result)
        return result

    @staticmethod
    def _positive(name: str, value: Fraction) -> None:
        if value <= 0:
            raise InputError(f"system.{name}", "be positive", value)


@dataclass(frozen=True, repr=False)
class ReflectedUAS(System):
    """Reflected UAS: v_i = mu_i**-beta, kappa_i = offset v_i - (gamma/alpha) log mu_i.

    Source: arXiv 2607.28688v1, equation (1); UAS is the member with beta = gamma = offset = 1.
    Raises InputError unless alpha, beta > 0, offset >= 0, rates > 0 and the load is below 1.
    """

    alpha: Fraction
    beta: Fraction
    gamma: Fraction
    offset: Fraction

    def __post_init__(self) -> None:
        for name in REFLECTED:
            self._convert(name)
        self._positive("alpha", self.alpha)
        self._positive("beta", self.beta)
        if self.offset < 0:
            raise InputError("system.offset", "be at least 0", self.offset)
        super().__post_init__()

    @property
    def inverse_temperature(self) -> Fraction:
        """The factor alpha of the softmax."""
        return self.alpha

    def energy(self, server: int) -> tuple[arb, arb]:
        """Balls of v_i and kappa_i at the current precision."""
        logarithm = ball(self.service_rates[server]).log()
        slope = (-ball(self.beta) * logarithm).exp()
        return slope, ball(self.offset) * slope - ball(self.gamma / self.alpha) * logarithm

    def to_claim(self) -> dict[str, Any]:
        """The `system` field of a claim."""
        return super().to_claim() | {name: exact(getattr(self, name)) for name in REFLECTED}


@dataclass(frozen=True, repr=False)
class WeightedShortestQueue(System):
    """Softmax weighted shortest queue: v_i = 2 w_i, kappa_i = w_i, alpha = 1/temperature.

    Source: arXiv 2404.09188, Section II (energies w_i (2 x_i + 1)). Raises InputError unless
    weights, temperature and rates are positive and the load is below 1.
    """

    weights: tuple[Fraction, ...]
    temperature: Fraction

    def __post_init__(self) -> None:
        self._convert("temperature")
        self._positive("temperature", self.temperature)
        weights = self._convert_all("weights")
        for index, weight in enumerate(weights):
            self._positive(f"weights[{index}]", weight)
        super().__post_init__()
        if len(weights) != len(self.service_rates):
            raise InputError(
                "system.weights", f"have {len(self.service_rates)} entries", len(weights)
            )

    @property
    def inverse_temperature(self) -> Fraction:
        """The factor alpha of the softmax, 1/temperature."""
        return 1 / self.temperature

    def energy(self, server: int) -> tuple[arb, arb]:
        """Balls of v_i and kappa_i at the current precision."""
        weight = ball(self.weights[server])
        return 2 * weight, weight

    def to_claim(self) -> dict[str, Any]:
        """The `system` field of a claim."""
        return super().to_claim() | {
            "weights": [exact(weight) for weight in self.weights],
            "temperature": exact(self.temperature),
        }


def to_server(value: Any, name: str, servers: int) -> int:
    """The index of a queue, from 0 on; InputError for all else."""
    try:
        return to_count(value, name, 0, servers - 1)
    except InputError:
        raise InputError(name, f"be a queue from 0 to {servers - 1}", value) from None


def _total(rates: Sequence[Fraction]) -> str:
    """The sum of many rates to twelve digits."""
    with precision(192):
        return nearest(ends(sum(map(ball, rates), arb(0)))[0], 12)


def read_with_equilibrium(table: Table) -> System:
    """The system of a problem about its equilibrium, of which equal rates have too many."""
    try:
        return read_system(table)
    except InputError as error:
        requirement = error.requirement.replace(AT_EQUALITY, EQUILIBRIA)
        raise InputError(error.field, requirement, error.value) from None


def read_system(table: Table) -> System:
    """The system of a problem: Reflected UAS, or WSQ if `weights` or `temperature` is given."""
    inner = table.table("system")
    one, other = ([name for name in names if inner.has(name)] for names in (REFLECTED, WEIGHTED))
    if one and other:
        requirement = f"have either {', '.join(REFLECTED)}, or {' and '.join(WEIGHTED)}"
        raise InputError(inner.name, requirement, f"given with {' and '.join(one + other)}")
    arrival, rates = inner.rational("arrival_rate"), inner.rationals("service_rates")
    if inner.has("weights") or inner.has("temperature"):
        weights, temperature = inner.rationals("weights"), inner.rational("temperature")
        inner.done()
        return WeightedShortestQueue(arrival, rates, weights=weights, temperature=temperature)
    parameters = {name: inner.rational(name) for name in REFLECTED}
    inner.done()
    return ReflectedUAS(arrival, rates, **parameters)
