"""The stationary gap law of the system with pauses: exact for few servers, enclosed for many.

The gaps are independent and geometric with rho_k = prod_{j > k} lam_j/mu_j: the system is an open
Jackson network. Source: arXiv 2605.17677 (abstract); proofs_checks/theorems/rank-gaps.md.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Any

from flint import arb

from certify.balls import at_least, at_most, precision
from certify.certificate import Certificate, interval, listed
from certify.errors import InputError
from certify.problem import DEFAULT_DIGITS, Table, to_digits
from certify.ranks import original
from certify.ranks.elements import (
    MAX_NUMERAL,
    Element,
    enclosed,
    said,
    said_ends,
    spelled_or_enclosed,
)
from certify.ranks.model import (
    MAX_EXACT,
    Marginal,
    RankRates,
    System,
    check_system,
    chosen_gaps,
    read_gaps,
    read_marginal,
)
from certify.ranks.sweep import sweep, working_bits

_LISTS = ("rho", "mean_gaps", "gap_variances", "mean_ranked_queues")
_NUMBERS = ("mean_total_queue", "no_idle", "no_tie", "throughput", "paused_fraction")
MAX_SINGLE = 10_000  # servers up to which single ratios rho_k are also written exactly


@dataclass(frozen=True)
class ExactGaps:
    """The gap law exactly; entry k of a list belongs to gap k or to Q_(k+1)."""

    system: System
    rho: tuple[Element, ...]

    def __repr__(self) -> str:
        return f"ExactGaps({self.system}, rho={listed(self.rho)})"

    @property
    def gaps(self) -> range:
        """Every gap."""
        return range(self.system.servers)

    @property
    def mean_gaps(self) -> tuple[Element, ...]:
        """E G_k (jobs)."""
        one = self._number(1)
        return tuple(rho / (one - rho) for rho in self.rho)

    @property
    def gap_variances(self) -> tuple[Element, ...]:
        """Var G_k (jobs squared)."""
        return tuple(mean * (self._number(1) + mean) for mean in self.mean_gaps)

    @property
    def mean_ranked_queues(self) -> tuple[Element, ...]:
        """E Q_(1), ..., E Q_(n) (jobs)."""
        return tuple(accumulate(self.mean_gaps))

    @property
    def mean_total_queue(self) -> Element:
        """The mean number of jobs in the system."""
        return self._sum(self.mean_ranked_queues)

    @property
    def no_idle(self) -> Element:
        """P(no server is idle)."""
        return self.rho[0]

    @property
    def no_tie(self) -> Element:
        """P(no two queues are equal)."""
        product = self._number(1)
        for rho in self.rho[1:]:
            product = product * rho
        return product

    @property
    def throughput(self) -> Element:
        """Jobs accepted, and served, per unit time."""
        ranks = zip(reversed(self.rho), self._ranks(), strict=True)
        return self._sum([rho * self._number(service) for rho, (_, service) in ranks])

    @property
    def paused_fraction(self) -> Element:
        """The share of the offered arrivals that is dropped."""
        offered = self._sum([arrival for arrival, _ in self._ranks()])
        return (offered - self.throughput) / offered

    def certificate(self, digits: int = DEFAULT_DIGITS) -> Certificate:
        """The certificate; numbers too long for the format's default limit become intervals.

        InputError for digits outside 1 to 10,000.
        """
        digits = to_digits(digits)

        def spelled(values: Sequence[Element]) -> list[Any]:
            return [spelled_or_enclosed(value, digits) for value in values]

        claim = self.system.problem() | {
            "gaps": list(self.gaps),
            "rho": spelled(self.rho),
            "mean_gaps": spelled(self.mean_gaps),
            "gap_variances": spelled(self.gap_variances),
            "mean_ranked_queues": _settled(self.mean_ranked_queues, digits),
            "mean_total_queue": spelled_or_enclosed(self.mean_total_queue, digits),
            "no_idle": spelled_or_enclosed(self.no_idle, digits),
            "no_tie": spelled_or_enclosed(self.no_tie, digits),
            "throughput": spelled_or_enclosed(self.throughput, digits),
            "paused_fraction": spelled_or_enclosed(self.paused_fraction, digits),
        }
        if isinstance(self.system, Marginal):
            claim["stability_threshold"] = spelled_or_enclosed(self.system.threshold(), digits)
        bits = int(3.33 * digits) + 128
        return Certificate("rank-gaps", claim, {"arithmetic": "exact", "precision": bits})

    def _number(self, value: Fraction | int) -> Element:
        return Element.of(value, 0, self.system.root)

    def _sum(self, values: Sequence[Element]) -> Element:
        while len(values) > 1:  # halving keeps the denominators short for longest
            pairs = [values[i : i + 2] for i in range(0, len(values), 2)]
            values = [pair[0] + pair[1] if len(pair) == 2 else pair[0] for pair in pairs]
        return values[0]

    def _ranks(self) -> list[tuple[Element, Fraction]]:
        """(arrival, service) from rank n down to rank 1."""
        return [(r.arrival, r.service) for r in self.system.runs() for _ in range(r.ranks)]


@dataclass(frozen=True)
class EnclosedGaps:
    """The gap law enclosed; entry i of a list belongs to gap gaps[i] or to Q_(gaps[i]+1).

    Every enclosure is a pair of decimals (low, high) with `digits` correct digits; `bits` is the
    precision at which the checker finds its own enclosures inside them.
    """

    system: System
    digits: int
    bits: int
    gaps: tuple[int, ...]
    rho: tuple[tuple[Fraction, Fraction], ...]
    mean_gaps: tuple[tuple[Fraction, Fraction], ...]
    gap_variances: tuple[tuple[Fraction, Fraction], ...]
    mean_ranked_queues: tuple[tuple[Fraction, Fraction], ...]
    mean_total_queue: tuple[Fraction, Fraction]
    no_idle: tuple[Fraction, Fraction]
    no_tie: tuple[Fraction, Fraction]
    throughput: tuple[Fraction, Fraction]
    paused_fraction: tuple[Fraction, Fraction]
    stability_threshold: tuple[Fraction, Fraction] | None

    def __repr__(self) -> str:
        low, high = self.mean_total_queue
        mean = f"mean_total_queue in [{at_least(low)}, {at_most(high)}]"
        return f"EnclosedGaps({self.system}, gaps={list(self.gaps)}, digits={self.digits}, {mean})"

    def certificate(self) -> Certificate:
        """The certificate; a short enough rho_k is written exactly."""
        claim = self.system.problem() | {"gaps": list(self.gaps), "rho": self._spelled_rho()}
        claim |= {name: [interval(*each) for each in getattr(self, name)] for name in _LISTS[1:]}
        claim |= {name: interval(*getattr(self, name)) for name in _NUMBERS}
        if self.stability_threshold:
            claim["stability_threshold"] = interval(*self.stability_threshold)
        witness = {"arithmetic": "enclosed", "precision": self.bits}
        return Certificate("rank-gaps", claim, witness)

    def _spelled_rho(self) -> list[Any]:
        spelled: list[Any] = [interval(*each) for each in self.rho]
        if self.system.servers > MAX_SINGLE or not isinstance(self.system, Marginal):
            return spelled
        ratio = self.system.theta
        size = max(len(str(part)) for part in (ratio.p, ratio.q))
        for i, gap in enumerate(self.gaps):
            if gap and size * (self.system.servers - gap) <= 2 * MAX_NUMERAL:
                rho = ratio.power(self.system.servers - gap)
                spelled[i] = spelled_or_enclosed(rho, self.digits)
        return spelled


def make(table: Table) -> Certificate:
    """The certificate of a problem of kind `rank-gaps`."""
    digits = table.digits()
    dynamics = table.choice("dynamics", ("paused", "original"), "paused")
    if dynamics == "original":
        system = read_marginal(table, dynamics)
        table.done()
        return original.facts(system).certificate(digits)
    paused = _read_paused(table)
    few = paused.servers <= MAX_EXACT
    numbers = table.choice("numbers", ("exact", "enclosed"), "exact" if few else "enclosed")
    if numbers == "exact":
        if table.has("gaps"):
            requirement = 'go with numbers = "enclosed" (exact numbers are of every gap)'
            raise InputError("gaps", requirement, "given with exact ones")
        table.done()
        return exact_gaps(paused).certificate(digits)
    gaps = read_gaps(table, paused.servers)
    table.done()
    return enclosed_gaps(paused, gaps, digits).certificate()


def words(claim: dict[str, Any]) -> str:
    """What a claim of this kind states, in one sentence."""
    servers = claim["servers"]
    if claim["dynamics"] == "original":
        mean = claim["mean_queue"]
        return (
            f"Without pauses {servers} servers have {said(claim['idle_servers'])} idle ones in the "
            f"mean, and a mean queue from {at_least(said_ends(mean['at_least'])[0])} to "
            f"{at_most(said_ends(mean['at_most'])[1])}, a function of the mean shortest queue."
        )
    return (
        f"In the system with pauses the gaps of the {servers} ranked "
        f"queue{'s' * (servers > 1)} are independent and "
        "geometric with ratios rho; the mean number of jobs is "
        f"{said(claim['mean_total_queue'])}, and other means, variances and rates follow."
    )


def exact_gaps(system: System) -> ExactGaps:
    """The gap law in exact arithmetic; InputError for more than 100 servers."""
    check_system(system)
    if system.servers > MAX_EXACT:
        requirement = f"be at most {MAX_EXACT} for exact numbers (ask for enclosed ones)"
        raise InputError("servers", requirement, system.servers)
    rho = [Element.of(1, 0, system.root)]
    for run in system.runs():
        for _ in range(run.ranks):
            rho.append(rho[-1] * run.ratio())
    return ExactGaps(system, tuple(reversed(rho[1:])))


def enclosed_gaps(
    system: System, gaps: Sequence[int], digits: int = DEFAULT_DIGITS
) -> EnclosedGaps:
    """The gap law enclosed to `digits` digits, singly for the given gaps; one pass over all ranks.

    InputError for gaps out of range or digits outside 1 to 10,000.
    """
    check_system(system)
    chosen, digits = chosen_gaps(gaps, system.servers), to_digits(digits)
    bits = working_bits(system, digits)
    with precision(bits):
        found = sweep(system, chosen)
        threshold = None
        if isinstance(system, Marginal):
            threshold = enclosed(system.threshold_ball(), digits)

        def each(values: Mapping[int, arb]) -> tuple[tuple[Fraction, Fraction], ...]:
            return tuple(enclosed(values[k], digits) for k in chosen)

        return EnclosedGaps(
            system,
            digits,
            bits,
            chosen,
            rho=each(found.rho),
            mean_gaps=each(found.mean),
            gap_variances=each({k: mean * (1 + mean) for k, mean in found.mean.items()}),
            mean_ranked_queues=each(found.ranked),
            mean_total_queue=enclosed(found.total, digits),
            no_idle=enclosed(found.rho[0], digits),
            no_tie=enclosed(found.tie_free, digits),
            throughput=enclosed(found.served, digits),
            paused_fraction=_share(1 - found.served / found.offered, digits),
            stability_threshold=threshold,
        )


def _share(value: arb, digits: int) -> tuple[Fraction, Fraction]:
    """The ends of a share that is 0 for a single server, which never pauses."""
    if value.contains(0):
        return -Fraction(1, 10**digits), Fraction(1, 10**digits)
    return enclosed(value, digits)


def _settled(values: Sequence[Element], digits: int) -> list[Any]:
    """Exact spellings up to the first number that is too long, intervals from there on."""
    spelled = [spelled_or_enclosed(value, digits) for value in values]
    long = [isinstance(each, dict) and "lo" in each for each in spelled]
    if True in long:
        bits = max(int(part.p).bit_length() for value in values for part in (value.p, value.q))
        with precision(4 * digits + 64 + bits):
            for i in range(long.index(True), len(values)):
                spelled[i] = interval(*enclosed(values[i].ball(), digits))
    return spelled


def _read_paused(table: Table) -> System:
    if not (table.has("arrival_rates") or table.has("service_rates")):
        return read_marginal(table, "paused")
    for key in ("a", "b"):
        if table.has(key):
            requirement = "be left out beside arrival_rates and service_rates"
            raise InputError(key, requirement, table.get(key))
    system = RankRates(table.rationals("arrival_rates"), table.rationals("service_rates"))
    servers = table.integer("servers", 1, 10**9, system.servers)
    if servers != system.servers:
        raise InputError("servers", f"be {system.servers}, one per rate", servers)
    return system
