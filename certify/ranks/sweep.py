"""One pass over all ranks of a system with pauses, in ball arithmetic."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from flint import arb

from certify.balls import ball, ends, precision
from certify.errors import InputError
from certify.ranks.model import TRIES, System


@dataclass(frozen=True)
class Sweep:
    """Balls: by gap k those of rho_k and E G_k and of the mean and variance of Q_(k+1); sums.

    `total` is the mean number of jobs, `served` and `offered` are rates, `tie_free` is the
    probability that no two queues are equal.
    """

    rho: dict[int, arb]
    mean: dict[int, arb]
    ranked: dict[int, arb]
    ranked_variance: dict[int, arb]
    total: arb
    served: arb
    offered: arb
    tie_free: arb


def sweep(system: System, gaps: Sequence[int]) -> Sweep:
    """Every sum at the current precision, and the single numbers of the given gaps and gap 0."""
    wanted = {0, *gaps}
    rho, total, tie_free = arb(1), arb(0), arb(1)
    mean_sum = variance_sum = served = offered = arb(0)
    rhos, means = {}, {}
    segments: list[tuple[int, arb, arb]] = []
    gap = system.servers
    for run in system.runs():
        ratio, rho_sum = run.ratio().ball(), arb(0)
        for _ in range(run.ranks):
            gap -= 1
            rho *= ratio
            rho_sum += rho
            mean = rho / (1 - rho)
            if gap in wanted:
                segments.append((gap, mean_sum, variance_sum))
                rhos[gap], means[gap] = rho, mean
                mean_sum = variance_sum = arb(0)
            mean_sum += mean
            variance_sum += mean * (1 + mean)
            total += mean * (system.servers - gap)
            if gap:
                tie_free *= rho
        served += rho_sum * ball(run.service)
        offered += run.arrival.ball() * run.ranks
    order = [k for k, _, _ in reversed(segments)]
    # what lies between a chosen gap and the next chosen one below it, from gap 0 up
    between_means = [mean_sum, *(each for _, each, _ in reversed(segments[1:]))]
    between_variances = [variance_sum, *(each for _, _, each in reversed(segments[1:]))]
    return Sweep(
        rhos,
        means,
        dict(zip(order, accumulate(between_means), strict=True)),
        dict(zip(order, accumulate(between_variances), strict=True)),
        total,
        served,
        offered,
        tie_free,
    )


def working_bits(system: System, digits: int) -> int:
    """A precision at which fixed-point sums over all ranks keep `digits` digits.

    What is lost: n roundings, the smallness of every rho_k, of every 1 - rho_k (which the means
    divide by) and of the paused fraction.
    """
    for attempt in range(TRIES):
        with precision(256 << attempt):
            losses = _losses(system)
            if all(loss.is_finite() for loss in losses):
                lost = sum(int(ends(loss)[1]).bit_length() + 1 for loss in losses)
                return int(3.33 * digits) + 80 + lost + system.servers.bit_length()
    requirement = "be farther from its stability threshold, to be enclosed"
    raise InputError("system", requirement, system)


def _losses(system: System) -> list[arb]:
    """Factors by which relative errors may grow, at the current precision."""
    rho = smallest = arb(1)
    margin = served = offered = arb(0)
    for run in system.runs():
        ratio = run.ratio().ball()
        # within a run rho_k is monotone, so its extremes are at the two ends
        first, last = rho * ratio, rho * ratio**run.ranks
        for end in (first, last):
            smallest = min(smallest, end, key=lambda each: each.mid())
            margin = max(margin, 1 / (1 - end), key=lambda each: each.mid())
            if not margin.is_finite():
                return [margin]
        share = (first - last * ratio) / (1 - ratio) if run.ranks > 1 else first
        served += share * ball(run.service)
        offered += run.arrival.ball() * run.ranks
        rho = last
    dropped = 1 - served / offered if system.servers > 1 else arb(1)  # one server never pauses
    return [1 / smallest, margin, margin, 1 / dropped, arb(system.servers)]
