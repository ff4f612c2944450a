"""The rank-based systems that several kinds speak of: hypotheses, rates, and one sweep of the gaps.

Rank 1 is the shortest queue. Gap k is Q_(k+1) - Q_(k) for k >= 1, gap 0 is Q_(1).
"""

from dataclasses import dataclass
from fractions import Fraction

from proofs_checks.checker.kernel.real import Real
from proofs_checks.checker.kinds.exact_lists import numbers
from proofs_checks.checker.kinds.rank_numbers import Element, element
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Trial

MAX_SERVERS = 10**7


@dataclass(frozen=True)
class Run:
    """Consecutive ranks with the same arrival and service rate."""

    ranks: int
    arrival: Element
    service: Fraction


@dataclass(frozen=True)
class Model:
    """The rates rank by rank, from the longest queue (rank n) down to the shortest (rank 1)."""

    servers: int
    root: int
    runs: list[Run]
    a: Fraction = Fraction(0)
    b: Fraction = Fraction(0)

    def number(self, rational: Fraction | int, coefficient: Fraction | int = 0) -> Element:
        """rational + coefficient * sqrt(servers) (sqrt(1) for arbitrary rates)."""
        return element(rational, coefficient, self.root)


def marginal(servers: int, a: Fraction, b: Fraction) -> Model:
    """n servers of rate n; n - a/sqrt(n) to every rank and b sqrt(n) more to the shortest."""
    rest = element(servers, -a / servers, servers)
    lowest = element(servers, b - a / servers, servers)
    service = Fraction(servers)
    runs = [Run(servers - 1, rest, service), Run(1, lowest, service)]
    return Model(servers, servers, [run for run in runs if run.ranks], a, b)


def read_marginal(fields: dict[str, Node], trial: Trial) -> Model:
    """The model of a claim with a, b > 0 and a < n**(3/2) tested."""
    servers = fields["servers"].count()
    trial.require(
        "hypothesis", 1 <= servers <= MAX_SERVERS, "claim.servers", f"1 to {MAX_SERVERS}", servers
    )
    a, b = fields["a"].exact(), fields["b"].exact()
    trial.require("hypothesis", a > 0, "claim.a", "positive", a)
    trial.require("hypothesis", b > 0, "claim.b", "positive", b)
    trial.require("hypothesis", a * a < servers**3, "claim.a", "less than servers**(3/2)", a)
    return marginal(servers, a, b)


def read_rates(fields: dict[str, Node], trial: Trial) -> Model:
    """A model with arbitrary positive rational rates, listed from rank 1 up."""
    servers = fields["servers"].count()
    rates = {}
    for name in ("arrival_rates", "service_rates"):
        rates[name] = numbers(fields[name], servers, trial)
        worst = min(rates[name])
        trial.require("hypothesis", worst > 0, f"claim.{name}", "positive", worst)
    pairs = zip(rates["arrival_rates"], rates["service_rates"], strict=True)
    runs = [Run(1, element(arrival, 0, 1), service) for arrival, service in pairs]
    return Model(servers, 1, runs[::-1])


@dataclass(frozen=True)
class Sweep:
    """Enclosures: by gap k of rho_k and of the mean and variance of Q_(k+1); sums over all."""

    rho: dict[int, Real]
    ranked: dict[int, Real]
    variance: dict[int, Real]
    total: Real
    served: Real


def sweep(model: Model, chosen: list[int], bits: int, trial: Trial) -> Sweep:
    """One pass rho_{k-1} = rho_k lam_k/mu_k from rho_n = 1, in integers scaled by 2**bits.

    All terms are positive; every quotient is rounded down in the lower and up in the upper sums.
    Gap 0 is always among the chosen ones. The sums of means m and variances m (1 + m) between
    two chosen gaps are kept apart, so that the chosen Q_(k+1) are sums from below.
    """
    trial.spend(model.servers * (4 + bits // 60 + bits * bits // 40_000))
    trial.keep(8 * len(chosen), bits)
    one, wanted = 1 << bits, {0, *chosen}

    def enclosed(low: int, high: int) -> Real:
        return trial.real(Fraction(low, one), bits).hull(trial.real(Fraction(high, one), bits))

    rho: dict[int, Real] = {}
    segments: list[tuple[int, Real, Real]] = []
    served = trial.real(0, bits)
    low = high = one
    mean_low = mean_high = square_low = square_high = total_low = total_high = 0
    gap = last = model.servers
    for run in model.runs:
        bottom, top = (run.arrival.enclose(bits, trial) / run.service).ends()
        ratio_low, ratio_high = max(0, int(bottom * one)), int(top * one) + 1
        sum_low = sum_high = 0
        for _ in range(run.ranks):
            gap -= 1
            low = low * ratio_low >> bits
            high = (high * ratio_high >> bits) + 1
            if high >= one:
                trial.require("hypothesis", False, f"rho_{gap}", "certainly below 1", "not")
            if gap in wanted:
                means = enclosed(mean_low, mean_high)
                segments.append((last, means, enclosed(square_low, square_high)))
                mean_low = mean_high = square_low = square_high = 0
                rho[gap], last = enclosed(low, high), gap
            sum_low, sum_high = sum_low + low, sum_high + high
            mean, most = (low << bits) // (one - low), (high << bits) // (one - high) + 1
            mean_low, mean_high = mean_low + mean, mean_high + most
            total_low += (model.servers - gap) * mean
            total_high += (model.servers - gap) * most
            square_low += mean * (one + mean) >> bits
            square_high += (most * (one + most) >> bits) + 1
        trial.tested["hypothesis"] += run.ranks
        served = served + enclosed(sum_low, sum_high) * run.service
    segments.append((last, enclosed(mean_low, mean_high), enclosed(square_low, square_high)))
    ranked, variance = {}, {}
    mean_sum = square_sum = trial.real(0, bits)
    for gap, means, squares in reversed(segments[1:]):
        mean_sum, square_sum = mean_sum + means, square_sum + squares
        ranked[gap], variance[gap] = mean_sum, square_sum
    return Sweep(rho, ranked, variance, enclosed(total_low, total_high), served)
