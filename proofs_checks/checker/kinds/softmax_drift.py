"""Kind `softmax-drift`: a Foster-Lyapunov drift of a softmax system on the whole lattice.

Proved: V(Q) = 1/2 sum v_i Q_i**2 satisfies (LV)(Q) <= -eps |Q|_1 + R at every state Q of the
lattice, and with `sharp_R` in place of R if that is claimed; the queues have a steady state and
E|Q|_1 is at most `mean_queue_bound` in it; at `attained.state` the sum (LV)(Q) + eps |Q|_1 is at
least `attained.value`.
Not checked: that eps is the largest and the constants the smallest; the verdict says how close.
"""

from dataclasses import dataclass
from fractions import Fraction

from proofs_checks.checker.kernel.real import Real
from proofs_checks.checker.kinds.softmax_generator import drift
from proofs_checks.checker.kinds.softmax_system import System, energies, read_system, total
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Summary, Trial, correct_digits, decimal

THEOREM = "softmax-drift"
PROBLEM = ("system",)
CONDITIONS = {
    "hypothesis": "rates, alpha, beta, eps > 0, offset >= 0, load below 1 (Hypotheses)",
    "shape": "one entry per server; queues are integers >= 0 (Definitions)",
    "shares": "every c_i >= 0 and their sum is exactly the arrival rate (Lemma 1)",
    "slack": "(mu_i - c_i) v_i >= eps for every server (Lemma 1)",
    "excess": "k exp(1 + k) >= N - 1 (Lemma 2)",
    "constant": "R is at least the constant of the softmax lemma (Theorem, part a)",
    "point": "every coordinate of the point is positive (Lemma 3)",
    "sharp-constant": "sharp_R is at least the tangent plane's maximum (Theorem, part b)",
    "mean-queue": "mean_queue_bound * eps is at least the smaller constant (Theorem, part c)",
    "attained": "the value is at most (LV)(Q) + eps |Q|_1 at the state (Theorem, part d)",
}
POWER_BITS = 100_000  # the largest powers that the exact form of `slack` compares


@dataclass(frozen=True)
class Problem:
    """What every part needs: `servers` holds enclosures of (mu_i, v_i, kappa_i)."""

    system: System
    eps: Fraction
    servers: list[tuple[Real, Real, Real]]
    bits: int
    trial: Trial


def check(claim: Node, witness: Node, trial: Trial) -> Summary:
    """Prove the claim or raise a Refusal."""
    fields = claim.record("system eps R mean_queue_bound", "sharp_R attained")
    sharp = "sharp_R" in fields
    hints = witness.record("precision excess shares" + " point" * sharp, "sharp_shares" * sharp)
    bits = trial.precision(hints["precision"].count())
    system, eps = read_system(fields["system"], bits, trial), fields["eps"].exact()
    trial.require("hypothesis", eps > 0, "claim.eps", "positive", eps)
    parts = zip(system.service_rates, energies(system, bits, trial), strict=True)
    servers = [(trial.real(rate, bits), v, kappa) for rate, (_, v, kappa) in parts]
    problem = Problem(system, eps, servers, bits, trial)
    shares, service = _shares(problem, hints["shares"])
    constant = R = fields["R"].exact()
    bound = _crude(problem, shares, hints["excess"].exact()) + service
    trial.require("constant", bound.at_most(R), "claim.R", "at least the constant", bound)
    text = f"R {decimal(R, 10)}"
    if sharp:
        sharp_R = fields["sharp_R"].exact()
        if "sharp_shares" in hints:
            shares, service = _shares(problem, hints["sharp_shares"])
        bound = _sharp(problem, shares, hints["point"]) + service
        holds = bound.at_most(sharp_R)
        trial.require("sharp-constant", holds, "claim.sharp_R", "at least the constant", bound)
        constant, text = min(R, sharp_R), f"{text}, sharp R {decimal(sharp_R, 10)}"
    mean = fields["mean_queue_bound"].exact()
    enough = mean * eps >= constant
    trial.require("mean-queue", enough, "claim.mean_queue_bound", "at least R/eps", mean)
    if "attained" in fields:
        text += f" (at least {decimal(_attained(problem, fields['attained']), 10)})"
    digits, close = _digits(problem), "the largest"
    if digits is not None:
        close = f"{digits} digits of the largest"
    words = f"drift <= -eps |Q| + R at every state of {len(servers)} queues"
    text = f"{words}: eps {decimal(eps, 10)} ({close}), {text}; E|Q| <= {decimal(mean, 10)}"
    return Summary(text, digits)


def _numbers(problem: Problem, node: Node, condition: str) -> list[Fraction]:
    """One exact number per server, each at least 0."""
    values = [item.exact() for item in node.items()]
    servers, found, least = len(problem.servers), len(values), min(values)
    problem.trial.require("shape", found == servers, node.path, f"{servers} entries", found)
    problem.trial.require(condition, least >= 0, node.path, "no negative entry", least)
    return values


def _shares(problem: Problem, node: Node) -> tuple[list[Real], Real]:
    """The shares c_i, and the sum of the service terms max(0, mu_i v_i/2 - slack_i) (Lemma 1).

    Terms that are certainly 0 are left out; of one that is not, only its upper end matters.
    """
    trial, eps, terms, shares = problem.trial, problem.eps, [], []
    values = _numbers(problem, node, "shares")
    exact_sum = Fraction(0)
    for value in values:
        # dear on purpose: sums of fractions without a common denominator grow without end
        trial.spend(30 + _size(exact_sum) * _size(value) // 2_000)
        exact_sum += value
    trial.equal("shares", f"sum of {node.path}", problem.system.arrival_rate, exact_sum)
    for i, (rate, v, _) in enumerate(problem.servers):
        share = trial.real(values[i], problem.bits)
        slack = (rate - share) * v - eps
        holds = slack.at_least(0) or _exact_slack(problem, i, values[i])
        trial.require("slack", holds, f"{node.path}.{i}", "(mu_i - c_i) v_i >= eps", slack)
        term = (share - rate * Fraction(1, 2)) * v + eps
        if not term.at_most(0):
            terms.append(term)
        shares.append(share)
    return shares, total(terms, trial)


def _exact_slack(problem: Problem, server: int, share: Fraction) -> bool:
    """Whether (mu_i - c_i) v_i >= eps, by comparing rational powers: v_i = 2 w_i or mu_i**-beta."""
    system, rate = problem.system, problem.system.service_rates[server]
    problem.trial.spend(_size(rate) * _size(share) // 100_000 + POWER_BITS // 10)
    ratio = (rate - share) / problem.eps
    if system.weights is not None:
        return ratio * 2 * system.weights[server] >= 1
    power, root = system.beta.numerator, system.beta.denominator
    if max(power * _size(rate), root * _size(ratio)) > POWER_BITS:
        return False
    return ratio > 0 and ratio**root >= rate**power


def _crude(problem: Problem, shares: list[Real], excess: Fraction) -> Real:
    """lambda k/alpha + sum c_i kappa_i + lambda max(v_i/2 - kappa_i) (Theorem, part a)."""
    trial, system, others = problem.trial, problem.system, len(shares) - 1
    growth = trial.real(1 + excess, problem.bits).exp() * excess
    holds = growth.at_least(others)
    trial.require("excess", holds, "witness.excess", f"k exp(1 + k) >= {others}", growth)
    half = Fraction(1, 2)
    top = max((v * half - kappa).ends()[1] for _, v, kappa in problem.servers)
    products = zip(shares, problem.servers, strict=True)
    costs = total((share * kappa for share, (_, _, kappa) in products), trial)
    return costs + system.arrival_rate * (excess / system.alpha + top)


def _sharp(problem: Problem, shares: list[Real], node: Node) -> Real:
    """The tangent plane at the point, maximised over the simplex (Theorem, part b)."""
    trial, system, bits = problem.trial, problem.system, problem.bits
    values = _numbers(problem, node, "point")
    trial.require("point", min(values) > 0, node.path, "positive entries", min(values))
    point = [trial.real(value, bits) for value in values]
    alpha, rate = trial.real(system.alpha, bits), trial.real(system.arrival_rate, bits)
    inverse, half = alpha.reciprocal(), trial.real(Fraction(1, 2), bits)
    heights, top = [], None
    for share, p, (_, v, kappa) in zip(shares, point, problem.servers, strict=True):
        trial.spend(200 + bits + bits * bits // 2000)
        level = p.log() * inverse + kappa
        slope = (share / (p * alpha) - rate * (level + inverse - v * half)).ends()[1]
        top = slope if top is None else max(top, slope)
        heights.append(share * level)
    return total(heights, trial) + rate * inverse * (total(point, trial) - 1) + (top or 0)


def _attained(problem: Problem, node: Node) -> Fraction:
    """The value claimed, once it is at most (LV)(Q) + eps |Q|_1 at the state (Theorem, part d)."""
    fields, trial = node.record("state value"), problem.trial
    state, value = _numbers(problem, fields["state"], "shape"), fields["value"].exact()
    whole = all(queue.denominator == 1 for queue in state)
    trial.require("shape", whole, fields["state"].path, "whole numbers", "a fraction")
    found = drift(problem.system, problem.servers, state, problem.bits, trial)
    found = found + problem.eps * sum(state)
    trial.require("attained", found.at_least(value), fields["value"].path, "at most this", found)
    return value


def _digits(problem: Problem) -> int | None:
    """The digits of eps that the largest possible eps shares; None if they cannot be told apart."""
    trial, rates = problem.trial, total((mu for mu, _, _ in problem.servers), problem.trial)
    surplus = rates - problem.system.arrival_rate
    first = surplus / total((v.reciprocal() for _, v, _ in problem.servers), trial)
    largest = min(first.ends()[1], *((mu * v).ends()[1] for mu, v, _ in problem.servers))
    return correct_digits(problem.eps, largest) if problem.eps < largest else None


def _size(value: Fraction) -> int:
    """The number of bits of numerator and denominator together."""
    return value.numerator.bit_length() + value.denominator.bit_length()
