"""What proofs of drift at every state share: shares of the arrivals, and the tangent plane.

The lemmas are those of softmax-drift.md; a kind that uses them lists their conditions as its own:
`shape`, `shares`, `slack` and `point`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from proofs_checks.checker.kernel.real import Real, highest
from proofs_checks.checker.kinds import exact_lists
from proofs_checks.checker.kinds.softmax_system import System, energies, read_system, total
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Trial

POWER_BITS = 100_000  # the largest powers that the exact form of `slack` compares


@dataclass(frozen=True)
class Problem:
    """What every part needs: `servers` holds enclosures of (mu_i, v_i, kappa_i)."""

    system: System
    eps: Fraction
    servers: list[tuple[Real, Real, Real]]
    bits: int
    trial: Trial


def read_problem(node: Node, eps: Node, bits: int, trial: Trial) -> Problem:
    """The system and eps > 0."""
    system, value = read_system(node, bits, trial), eps.exact()
    trial.require("hypothesis", value > 0, eps.path, "positive", value)
    parts = zip(system.service_rates, energies(system, bits, trial), strict=True)
    trial.keep(6 * len(system.service_rates), bits)
    servers = [(trial.real(rate, bits), v, kappa) for rate, (_, v, kappa) in parts]
    return Problem(system, value, servers, bits, trial)


def read_shares(problem: Problem, node: Node) -> tuple[list[Real], list[Real]]:
    """The shares c_i and slacks (mu_i - c_i) v_i - eps, all shown to be >= 0 (Lemma 1)."""
    trial = problem.trial
    values = exact_lists.numbers(node, len(problem.servers), trial)
    trial.require("shares", min(values) >= 0, node.path, "no negative entry", min(values))
    found = exact_lists.total(values, trial)
    trial.equal("shares", f"sum of {node.path}", problem.system.arrival_rate, found)
    trial.keep(6 * len(values), problem.bits)
    shares, slacks = [], []
    for i, (rate, v, _) in enumerate(problem.servers):
        share = trial.real(values[i], problem.bits)
        slack = (rate - share) * v - problem.eps
        holds = slack.at_least(0) or _exact_slack(problem, i, values[i])
        trial.require("slack", holds, f"{node.path}.{i}", "(mu_i - c_i) v_i >= eps", slack)
        shares.append(share)
        slacks.append(slack)
    return shares, slacks


def _exact_slack(problem: Problem, server: int, share: Fraction) -> bool:
    """Whether (mu_i - c_i) v_i >= eps, by comparing rational powers: v_i = 2 w_i or mu_i**-beta."""
    system, rate = problem.system, problem.system.service_rates[server]
    problem.trial.spend(
        exact_lists.size(rate) * exact_lists.size(share) // 100_000 + POWER_BITS // 10
    )
    ratio = (rate - share) / problem.eps
    if system.weights is not None:
        return ratio * 2 * system.weights[server] >= 1
    power, root = system.beta.numerator, system.beta.denominator
    if max(power * exact_lists.size(rate), root * exact_lists.size(ratio)) > POWER_BITS:
        return False
    return ratio > 0 and ratio**root >= rate**power


def tangent(problem: Problem, shares: Sequence[Real], gains: Sequence[Real], node: Node) -> Real:
    """The tangent plane at the point r, maximised over the simplex (Lemma 3).

    An arrival at server i counts lambda gains_i; `softmax-drift.md` has v_i/2 there.
    """
    trial, system, bits = problem.trial, problem.system, problem.bits
    values = exact_lists.numbers(node, len(problem.servers), trial)
    trial.require("point", min(values) > 0, node.path, "positive entries", min(values))
    alpha, rate = trial.real(system.alpha, bits), trial.real(system.arrival_rate, bits)
    inverse = alpha.reciprocal()
    ratio = rate * inverse
    trial.keep(6 * len(values), bits)
    heights, point, slopes = [], [], []
    for share, gain, value, (_, _, kappa) in zip(
        shares, gains, values, problem.servers, strict=True
    ):
        trial.spend(200 + bits + bits * bits // 2000)
        p = trial.real(value, bits)
        level = p.log() * inverse + kappa
        slopes.append(share / (p * alpha) - rate * (level - gain) - ratio)
        heights.append(share * level)
        point.append(p)
    return total(heights, trial) + ratio * (total(point, trial) - 1) + highest(slopes)
