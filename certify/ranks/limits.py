"""Heavy-traffic limits of the system with pauses, with the exact distance of every finite system.

Source: the limits are those of arXiv 2605.17677 (abstract); distances and remainders are derived
in proofs_checks/theorems/rank-limits.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb

from certify.balls import at_least, at_most, ball, outward, precision
from certify.certificate import Certificate, exact, interval
from certify.errors import InputError
from certify.problem import DEFAULT_DIGITS, Table, to_digits
from certify.ranks.elements import Element, enclosed, said, spelled_or_enclosed
from certify.ranks.model import (
    MAX_EXACT,
    Marginal,
    check_system,
    chosen_gaps,
    chosen_ranks,
    read_gaps,
    read_marginal,
    spread_gaps,
)
from certify.ranks.sweep import Sweep, sweep, working_bits

Enclosure = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class GapLimit:
    """Gap k over sqrt(n) beside the exponential law of rate `limit_rate`.

    `decay_rate` encloses beta_k = -sqrt(n) log rho_k, `distance` the Wasserstein-1 distance, and
    `limit_bound` bounds the distance to the limit law Exp(a) (gap 0: Exp(a - b)) from above.
    """

    gap: int
    limit_rate: Fraction
    decay_rate: Enclosure
    distance: Enclosure
    limit_bound: Fraction


@dataclass(frozen=True)
class ProfilePoint:
    """Q_(rank)/n^(3/2): enclosures of its mean, its variance and of -log(1 - rank/n)/a."""

    rank: int
    mean: Enclosure
    limit: Enclosure
    variance: Enclosure


@dataclass(frozen=True)
class Limits:
    """Distances, profile and expansions of one system with pauses (jobs; scaled where said).

    `mean_queue` encloses the mean number of jobs per server, `mean_remainder` sqrt(n) times its
    difference from `mean_expansion`;
    `imbalance_remainder` encloses E[Q_(n) - Q_(1)] - (H_(n-1)/L - (n-1)/2), L = -log theta.
    """

    system: Marginal
    digits: int
    bits: int
    gaps: tuple[GapLimit, ...]
    profile: tuple[ProfilePoint, ...]
    mean_queue: Enclosure
    mean_expansion: Element
    mean_remainder: Enclosure
    imbalance: Enclosure
    imbalance_expansion: Enclosure
    imbalance_remainder: Enclosure

    def __repr__(self) -> str:
        low, high = self.mean_queue
        mean = f"mean_queue in [{at_least(low)}, {at_most(high)}]"
        return f"Limits({self.system}, gaps={len(self.gaps)}, digits={self.digits}, {mean})"

    def certificate(self) -> Certificate:
        """The certificate; distances are exact for at most 100 servers."""
        claim = self.system.problem() | {
            "gaps": [each.gap for each in self.gaps],
            "limit_rates": [exact(each.limit_rate) for each in self.gaps],
            "decay_rates": [interval(*each.decay_rate) for each in self.gaps],
            "distances": [self._distance(each) for each in self.gaps],
            "limit_bounds": [exact(each.limit_bound) for each in self.gaps],
            "profile": [
                {
                    "rank": each.rank,
                    "mean": interval(*each.mean),
                    "limit": interval(*each.limit),
                    "variance": interval(*each.variance),
                }
                for each in self.profile
            ],
            "mean_queue": {
                "value": interval(*self.mean_queue),
                "expansion": self.mean_expansion.spelled(),
                "remainder": interval(*self.mean_remainder),
            },
            "imbalance": {
                "value": interval(*self.imbalance),
                "expansion": interval(*self.imbalance_expansion),
                "remainder": interval(*self.imbalance_remainder),
            },
        }
        return Certificate("rank-limits", claim, {"precision": self.bits})

    def _distance(self, limit: GapLimit) -> Any:
        if self.system.servers > MAX_EXACT:
            return interval(*limit.distance)
        number = self.system.number
        rho = self.system.theta.power(self.system.servers - max(1, limit.gap))
        if limit.gap == 0:
            rho = rho * self.system.runs()[-1].ratio()
        scaled_mean = rho / ((number(1) - rho) * number(0, 1))
        return spelled_or_enclosed(number(1 / limit.limit_rate) - scaled_mean, self.digits)


def make(table: Table) -> Certificate:
    """The certificate of a problem of kind `rank-limits`."""
    digits = table.digits()
    system = read_marginal(table, table.choice("dynamics", ("paused",), "paused"))
    gaps = read_gaps(table, system.servers)
    given = table.get("ranks", None)
    ranks = spread_ranks(system.servers) if given is None else chosen_ranks(given, system.servers)
    table.done()
    return limits_of(system, gaps, ranks, digits).certificate()


def words(claim: dict[str, Any]) -> str:
    """What a claim of this kind states, in one sentence."""
    return (
        f"In the system with pauses with {claim['servers']} servers the scaled gap "
        f"{claim['gaps'][0]} has Wasserstein-1 distance {said(claim['distances'][0])} to its "
        "exponential limit, others as stated; the mean queue is "
        f"{said(claim['mean_queue']['value'])}, by its expansion "
        f"{said(claim['mean_queue']['expansion'])}."
    )


def spread_ranks(servers: int) -> tuple[int, ...]:
    """A quarter, a half and three quarters of the way up, as far as these are ranks below n."""
    return tuple(sorted({max(1, servers * part // 4) for part in (1, 2, 3)}))


def limits_of(
    system: Marginal,
    gaps: Sequence[int] | None = None,
    ranks: Sequence[int] | None = None,
    digits: int = DEFAULT_DIGITS,
) -> Limits:
    """The limits with `digits` digits for the given gaps and ranks (a few by default).

    InputError unless b < a, the system is the one with pauses and has at least two servers, and for
    gaps, ranks or digits out of range.
    """
    check_system(system, Marginal)
    digits = to_digits(digits)
    if system.dynamics != "paused":
        raise InputError("dynamics", "be paused for exact distances", system.dynamics)
    if system.servers < 2:
        raise InputError("servers", "be at least 2 for the limits", system.servers)
    if system.b >= system.a:
        requirement = f"be less than a = {system.a} (gap 0 has the limit law Exp(a - b))"
        raise InputError("b", requirement, system.b)
    n, a = system.servers, system.a
    chosen = spread_gaps(n) if gaps is None else chosen_gaps(gaps, n)
    points = spread_ranks(n) if ranks is None else chosen_ranks(ranks, n)
    bits = working_bits(system, digits) + 2 * n.bit_length() + 32
    with precision(bits):
        found = sweep(system, [*chosen, *(rank - 1 for rank in points), n - 1])
        root = arb(n).sqrt()
        mean, mean_expansion = found.total / n, _mean_expansion(system)
        harmonic = sum((1 / arb(m) for m in range(1, n)), arb(0))
        expansion = harmonic / -system.theta.ball().log() - arb(n - 1) / 2
        imbalance = found.ranked[n - 1] - found.ranked[0]
        scale = root * n
        return Limits(
            system,
            digits,
            bits,
            tuple(_gap_limit(system, k, found, digits) for k in chosen),
            tuple(
                ProfilePoint(
                    rank,
                    enclosed(found.ranked[rank - 1] / scale, digits),
                    enclosed(-(1 - arb(rank) / n).log() / ball(a), digits),
                    enclosed(found.ranked_variance[rank - 1] / n**3, digits),
                )
                for rank in points
            ),
            mean_queue=enclosed(mean, digits),
            mean_expansion=mean_expansion,
            mean_remainder=enclosed((mean - mean_expansion.ball()) * root, digits),
            imbalance=enclosed(imbalance, digits),
            imbalance_expansion=enclosed(expansion, digits),
            imbalance_remainder=enclosed(imbalance - expansion, digits),
        )


def _gap_limit(system: Marginal, gap: int, found: Sweep, digits: int) -> GapLimit:
    n, a, root = system.servers, system.a, arb(system.servers).sqrt()
    rate = a * (1 - Fraction(gap, n)) if gap else a - system.b
    distance = 1 / ball(rate) - found.mean[gap] / root
    bound = distance + ball(Fraction(gap, n - gap) / a)
    return GapLimit(
        gap,
        rate,
        enclosed(-found.rho[gap].log() * root, digits),
        enclosed(distance, digits),
        outward(bound, min(digits, 12))[1],
    )


def _mean_expansion(system: Marginal) -> Element:
    """n^(3/2)/a - n/4 + sqrt(n)(1/(a-b) - 1/a + a/36) - 3/4 - b^2/(2(a-b)^2)."""
    a, b, n = system.a, system.b, system.servers
    rational = -Fraction(n, 4) - Fraction(3, 4) - b * b / (2 * (a - b) ** 2)
    return system.number(rational, n / a + 1 / (a - b) - 1 / a + a / 36)
