"""Kind `sarsa-chattering`: weights that are fitted to their own policy again and again, in a cycle.

Queues hold at most `capacity` jobs, an arrival joins the least w_n (2 x_n + 1) (of several the
first) and is lost if that queue is full. Proved: after each weight vector of `cycle` the next one
(the first after the last) is the only solution of A w + b = 0, the fixed point of SARSA(0) under
the greedy policy of the vector before it; the vectors are positive and all different. So policy
iteration with these features, started there, never settles.
"""

from proofs_checks.checker.kinds.exact_lists import positive, size, spelled, total
from proofs_checks.checker.kinds.finite_queues import (
    Queues,
    mean_field,
    read_rates,
    require_pivots,
    stationary,
    symmetric_part,
)
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Summary, Trial

THEOREM = "sarsa-chattering"
PROBLEM = ("system", "discount")
CONDITIONS = {
    "hypothesis": "rates and weights > 0, capacity >= 1, 0 < discount < 1 (Hypotheses)",
    "shape": "two vectors or more, one law each, one entry per queue (Definitions)",
    "stationary": "each law is not negative, sums to 1 and balances every state (Theorem)",
    "fixed-point": "A w + b = 0 for the next weights w (Theorem)",
    "definite": "-(A + A^T)/2 has positive pivots only, so that w is the only solution (Theorem)",
    "distinct": "no vector of the cycle comes twice (Theorem)",
}


def check(claim: Node, witness: Node, trial: Trial) -> Summary:
    """Prove the claim or raise a Refusal."""
    fields = claim.record("system discount cycle")
    system = fields["system"].record("arrival_rate service_rates capacity")
    arrival, rates, capacity = read_rates(system, trial)
    discount = fields["discount"].exact()
    trial.require("hypothesis", 0 < discount < 1, "claim.discount", "between 0 and 1", discount)
    count = len(rates)
    cycle = [positive(item, count, trial) for item in fields["cycle"].items()]
    period = len(cycle)
    trial.require("shape", period > 1, "claim.cycle", "two vectors or more", period)
    different = len({" ".join(map(spelled, each)) for each in cycle}) == period
    trial.require("distinct", different, "claim.cycle", "different vectors", "one twice")
    laws = witness.record("laws")["laws"].items()
    trial.require("shape", len(laws) == period, "witness.laws", f"{period} laws", len(laws))
    states = 0
    for k, (weights, node) in enumerate(zip(cycle, laws, strict=True)):
        queues = Queues(arrival, rates, weights, capacity)
        law = stationary(node, queues, trial)
        states += sum(bool(chance) for _, chance in law)
        matrix, _, costs = mean_field(law, queues, discount, count * capacity, trial)
        require_pivots("definite", symmetric_part(matrix), True, trial)
        following = cycle[(k + 1) % period]
        for i, (row, cost) in enumerate(zip(matrix, costs, strict=True)):
            trial.spend(
                sum(50 + size(a) * size(w) // 1_000 for a, w in zip(row, following, strict=True))
            )
            found = total((a * w for a, w in zip(row, following, strict=True)), trial)
            trial.equal("fixed-point", f"claim.cycle.{(k + 1) % period}, row {i}", -cost, found)
    words = f"a cycle of {period} weight vectors, each SARSA(0)'s fixed point under the policy of"
    return Summary(f"{words} the one before, {states} states in all")
