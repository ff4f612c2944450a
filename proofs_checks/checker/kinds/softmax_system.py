"""The softmax routing system that several kinds speak of: its hypotheses and its enclosures."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from proofs_checks.checker.kernel.real import Real
from proofs_checks.checker.kinds.exact_lists import every, spelled
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Trial


@dataclass(frozen=True)
class System:
    """Arrival rate, service rates and the affine energies v_i Q_i + kappa_i of each server.

    `alpha` is the inverse temperature. Reflected UAS has `weights` None, v_i = mu_i**-beta and
    kappa_i = offset v_i - (gamma/alpha) log mu_i; WSQ has v_i = 2 w_i and kappa_i = w_i.
    """

    arrival_rate: Fraction
    service_rates: list[Fraction]
    alpha: Fraction
    beta: Fraction = Fraction(1)
    gamma: Fraction = Fraction(0)
    offset: Fraction = Fraction(0)
    weights: list[Fraction] | None = None


def read_system(node: Node, bits: int, trial: Trial) -> System:
    """The system of a claim, with every hypothesis of the theorems tested."""
    weighted = isinstance(node.value, dict) and "weights" in node.value
    parameters = "weights temperature" if weighted else "alpha beta gamma offset"
    fields = node.record(f"arrival_rate service_rates {parameters}")
    arrival_rate = fields["arrival_rate"].exact()
    rates = every(fields["service_rates"], trial)
    trial.spend(20 * len(rates))
    trial.keep(len(rates), bits)  # one at a time

    def positive(name: str, values: list[Fraction]) -> None:
        worst = min(values)
        trial.require("hypothesis", worst > 0, f"system.{name}", "positive", worst)

    positive("arrival_rate", [arrival_rate])
    positive("service_rates", rates)
    capacity = total((trial.real(rate, bits) for rate in rates), trial)
    trial.require(
        "hypothesis",
        capacity.above(arrival_rate),
        "system.arrival_rate",
        "certainly less than the total service rate",
        arrival_rate,
    )
    if weighted:
        weights = every(fields["weights"], trial)
        temperature = fields["temperature"].exact()
        trial.require(
            "hypothesis",
            len(weights) == len(rates),
            "system.weights",
            f"{len(rates)} weights",
            len(weights),
        )
        positive("weights", weights)
        positive("temperature", [temperature])
        return System(arrival_rate, rates, 1 / temperature, weights=weights)
    alpha, beta, gamma, offset = (fields[name].exact() for name in parameters.split())
    positive("alpha", [alpha])
    positive("beta", [beta])
    trial.require("hypothesis", offset >= 0, "system.offset", "at least 0", offset)
    return System(arrival_rate, rates, alpha, beta, gamma, offset)


def total(terms: Iterable[Real], trial: Trial) -> Real:
    """The enclosure of a sum."""
    result = trial.real(0, 32)
    for term in terms:
        trial.spend(5)
        result = result + term
    return result


def energies(system: System, bits: int, trial: Trial) -> list[tuple[Real, Real, Real]]:
    """For every server enclosures of (log mu_i, v_i, kappa_i)."""
    known: dict[str, tuple[Real, Real, Real]] = {}
    minus_beta, offset, ratio = (
        trial.real(each, bits)
        for each in (-system.beta, system.offset, system.gamma / system.alpha)
    )
    result = []
    for server, rate in enumerate(system.service_rates):
        weight = system.weights[server] if system.weights else None
        key = f"{spelled(rate)} {spelled(weight or rate)}"
        if key not in known:
            trial.spend(100 + bits // 2 + bits * bits // 1000)
            trial.keep(3, bits)
            logarithm = trial.real(rate, bits).log()
            if weight is None:
                slope = (minus_beta * logarithm).exp()
                shift = slope * offset - logarithm * ratio
            else:
                slope, shift = trial.real(2 * weight, bits), trial.real(weight, bits)
            known[key] = logarithm, slope, shift
        result.append(known[key])
    return result
