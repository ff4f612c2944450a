"""Kind `softmax-drift`: a Foster-Lyapunov drift of a softmax system on the whole lattice.

Proved: V(Q) = 1/2 sum v_i Q_i**2 satisfies (LV)(Q) <= -eps |Q|_1 + R at every state Q of the
lattice, and with `sharp_R` in place of R if that is claimed; the queues have a steady state and
E|Q|_1 is at most `mean_queue_bound` in it; at `attained.state` the sum (LV)(Q) + eps |Q|_1 is at
least `attained.value`.
Not checked: that eps is the largest and the constants the smallest; the verdict says how close.
"""

from fractions import Fraction

from proofs_checks.checker.kernel.real import Real, highest, lowest
from proofs_checks.checker.kinds.softmax_attained import require_attained
from proofs_checks.checker.kinds.softmax_shares import (
    Problem,
    read_problem,
    read_shares,
    tangent,
)
from proofs_checks.checker.kinds.softmax_system import total
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Summary, Trial, brief, correct_digits, decimal

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


def check(claim: Node, witness: Node, trial: Trial) -> Summary:
    """Prove the claim or raise a Refusal."""
    fields = claim.record("system eps R mean_queue_bound", "sharp_R attained")
    sharp = "sharp_R" in fields
    hints = witness.record("precision excess shares" + " point" * sharp, "sharp_shares" * sharp)
    bits = trial.precision(hints["precision"].count())
    problem = read_problem(fields["system"], fields["eps"], bits, trial)
    eps = problem.eps
    shares, service = _shares(problem, hints["shares"])
    constant = R = fields["R"].exact()
    bound = _crude(problem, shares, hints["excess"].exact()) + service
    trial.require("constant", bound.at_most(R), "claim.R", "at least the constant", bound)
    text = f"R {decimal(R, 10, True)}"
    if sharp:
        sharp_R = fields["sharp_R"].exact()
        if "sharp_shares" in hints:
            shares, service = _shares(problem, hints["sharp_shares"])
        halves = [v * Fraction(1, 2) for _, v, _ in problem.servers]
        bound = tangent(problem, shares, halves, hints["point"]) + service
        holds = bound.at_most(sharp_R)
        trial.require("sharp-constant", holds, "claim.sharp_R", "at least the constant", bound)
        constant, text = min(R, sharp_R), f"{text}, sharp R {decimal(sharp_R, 10, True)}"
    mean = fields["mean_queue_bound"].exact()
    enough = mean * eps >= constant
    trial.require("mean-queue", enough, "claim.mean_queue_bound", "at least R/eps", mean)
    if "attained" in fields:
        text += f" (at least {decimal(require_attained(problem, fields['attained']), 10, False)})"
    digits, close = _digits(problem), "the largest"
    if digits is not None:
        close = f"{digits} digits of the largest"
    words = f"drift <= -eps |Q| + R at every state of {len(problem.servers)} queues"
    text = f"{words}: eps {brief(eps)} ({close}), {text}; E|Q| <= {decimal(mean, 10, True)}"
    return Summary(text, digits)


def _shares(problem: Problem, node: Node) -> tuple[list[Real], Real]:
    """The shares c_i, and the sum of the service terms max(0, mu_i v_i/2 - slack_i) (Lemma 1).

    Terms that are certainly 0 are left out; of one that is not, only its upper end matters.
    """
    shares, _ = read_shares(problem, node)
    problem.trial.keep(6 * len(shares), problem.bits)
    half = Fraction(1, 2)
    terms = [
        (share - rate * half) * v + problem.eps
        for share, (rate, v, _) in zip(shares, problem.servers, strict=True)
    ]
    return shares, total((term for term in terms if not term.at_most(0)), problem.trial)


def _crude(problem: Problem, shares: list[Real], excess: Fraction) -> Real:
    """lambda k/alpha + sum c_i kappa_i + lambda max(v_i/2 - kappa_i) (Theorem, part a)."""
    trial, system, others = problem.trial, problem.system, len(shares) - 1
    bits = problem.bits
    trial.spend(100 + bits + bits * bits // 2000)
    growth = trial.real(1 + excess, bits).exp() * excess
    holds = growth.at_least(others)
    trial.require("excess", holds, "witness.excess", f"k exp(1 + k) >= {others}", growth)
    half = Fraction(1, 2)
    trial.keep(3 * len(shares), bits)
    top = highest(v * half - kappa for _, v, kappa in problem.servers)
    products = zip(shares, problem.servers, strict=True)
    costs = total((share * kappa for share, (_, _, kappa) in products), trial)
    return costs + (top + excess / system.alpha) * system.arrival_rate


def _digits(problem: Problem) -> int | None:
    """The digits of eps that the largest possible eps shares; None if they cannot be told apart."""
    trial, rates = problem.trial, total((mu for mu, _, _ in problem.servers), problem.trial)
    trial.keep(3 * len(problem.servers), problem.bits)
    surplus = rates - problem.system.arrival_rate
    first = surplus / total((v.reciprocal() for _, v, _ in problem.servers), trial)
    uppers = (each.upper() for each in (first, *(mu * v for mu, v, _ in problem.servers)))
    largest = lowest(uppers).ends()[1]
    return correct_digits(problem.eps, largest) if problem.eps < largest else None
