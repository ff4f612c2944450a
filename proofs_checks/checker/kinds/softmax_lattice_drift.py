"""Kind `softmax-lattice-drift`: the drift of V with a constant that only the lattice has.

Proved: V(Q) = 1/2 sum v_i Q_i**2 satisfies (LV)(Q) <= -eps |Q|_1 + R at every state Q with integer
queues; E|Q|_1 <= `mean_queue_bound` in steady state; at `attained.state` the sum
(LV)(Q) + eps |Q|_1 is at least `attained.value`.
Not checked: that R is the smallest constant; the verdict shows it beside the attained value.
"""

from dataclasses import dataclass
from fractions import Fraction

from proofs_checks.checker.kernel.real import Real
from proofs_checks.checker.kinds.exact_lists import numbers, size
from proofs_checks.checker.kinds.softmax_attained import require_attained
from proofs_checks.checker.kinds.softmax_cells import Cell, Server, cover, require_lowest, served
from proofs_checks.checker.kinds.softmax_shares import (
    POWER_BITS,
    Problem,
    read_problem,
    read_shares,
    tangent,
)
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Summary, Trial, brief, decimal

THEOREM = "softmax-lattice-drift"
PROBLEM = ("system", "eps")
CONDITIONS = {
    "hypothesis": "rates, alpha, beta, eps > 0, offset >= 0, load below 1 (Hypotheses)",
    "shape": "one entry per server; queues are integers >= 0 (Definitions)",
    "shares": "every c_i >= 0 and their sum is exactly the arrival rate (part a and b)",
    "slack": "(mu_i - c_i) v_i >= eps for every server (part a and b)",
    "point": "every coordinate of the point is positive (part a)",
    "lowest": "no state is below the lowest level, or it is above every kappa_i (part a, b)",
    "period": "all n_i v_i are one number, at most high - low (part b)",
    "cover": "the cells are a whole tree",
    "cell": "each cell's bound is at most R at both ends",
    "far": "nor is the drift larger above the highest level (part a)",
    "mean-queue": "mean_queue_bound * eps is at least R",
    "attained": "the value is at most (LV)(Q) + eps |Q|_1 at the state",
}


@dataclass(frozen=True, kw_only=True)
class Shifted(Server):
    """A server of a system with a period: what services cost is linear in the queue (part b)."""

    share: Real
    service: Real

    def beside(self, queue: int, problem: Problem) -> Real:
        """-c_i v_i q + h_i in place of eps q - mu_i (f_i(q) - f_i(q - 1))."""
        return self.service - self.share * self.slope * queue


def check(claim: Node, witness: Node, trial: Trial) -> Summary:
    """Prove the claim or raise a Refusal."""
    fields = claim.record("system eps R mean_queue_bound attained")
    periodic = isinstance(witness.value, dict) and "period" in witness.value
    hints = witness.record("precision shares levels " + ("period" if periodic else "point"))
    bits = trial.precision(hints["precision"].count())
    problem = read_problem(fields["system"], fields["eps"], bits, trial)
    shares, slacks = read_shares(problem, hints["shares"])
    R, mean = fields["R"].exact(), fields["mean_queue_bound"].exact()
    inner = hints["levels"].record("low high cells")
    low, high = inner["low"].exact(), inner["high"].exact()
    trial.require("cover", low < high, inner["high"].path, "above the lowest level", high)
    root = Cell(low, high, (0,) * len(shares), (None,) * len(shares))
    zero, half = trial.real(0, bits), Fraction(1, 2)
    plain = [Server(rate, v, kappa, [], zero) for rate, v, kappa in problem.servers]
    if periodic:
        _require_period(problem, hints["period"], low, high)
        services = [
            served(problem, [each], [slack], [0]) for each, slack in zip(plain, slacks, strict=True)
        ]
        shifted = [
            Shifted(rate, v, kappa, [], zero, share=share, service=service)
            for (rate, v, kappa), share, service in zip(
                problem.servers, shares, services, strict=True
            )
        ]
        leaves = cover(problem, shifted, root, inner["cells"], R)
    else:
        require_lowest(problem, low, inner["low"].path)
        leaves = cover(problem, plain, root, inner["cells"], R)
        fewest = [server.fewest(high, problem) for server in plain]
        far = tangent(problem, shares, [v * half for _, v, _ in problem.servers], hints["point"])
        far = far + served(problem, plain, slacks, fewest)
        trial.require("far", far.at_most(R), "claim.R", "at least the drift far out", far)
    enough = mean * problem.eps >= R
    trial.require("mean-queue", enough, "claim.mean_queue_bound", "at least R/eps", mean)
    value = require_attained(problem, fields["attained"])
    text = f"drift <= -eps |Q| + R at every state of {len(shares)} queues: "
    text += f"eps {brief(problem.eps)}, R {decimal(R, 10, True)} "
    text += f"(at least {decimal(value, 10, False)})"
    return Summary(f"{text}; E|Q| <= {decimal(mean, 10, True)} ({leaves} cells)")


def _require_period(problem: Problem, node: Node, low: Fraction, high: Fraction) -> None:
    """All n_i v_i are equal, exactly, and at most high - low; low is at least every kappa_i."""
    trial, system = problem.trial, problem.system
    counts = numbers(node, len(problem.servers), trial)
    whole = min(counts) > 0 and all(count.denominator == 1 for count in counts)
    trial.require("period", whole, node.path, "whole numbers > 0", "another")
    for i, (count, (_, v, kappa)) in enumerate(zip(counts, problem.servers, strict=True)):
        trial.require("lowest", kappa.at_most(low), "witness.levels.low", "at least kappa_i", low)
        trial.spend(POWER_BITS // 10)
        ratio = count / counts[0]
        if system.weights is not None:
            equal = ratio * system.weights[i] == system.weights[0]
        else:
            rates = system.service_rates[i] / system.service_rates[0]
            power, root = system.beta.numerator, system.beta.denominator
            equal = max(power * size(rates), root * size(ratio)) <= POWER_BITS
            equal = equal and ratio**root == rates**power
        trial.require("period", equal, f"{node.path}.{i}", "n_i v_i = n_1 v_1", count)
        length = v * count
        trial.require("period", length.at_most(high - low), node.path, "at most high - low", length)
