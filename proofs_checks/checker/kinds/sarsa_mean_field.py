"""Kind `sarsa-mean-field`: the matrix of SARSA(0)'s mean field on a finite weighted shortest queue.

Queues hold at most `capacity` jobs each, an arrival joins the least w_n (2 x_n + 1) (of several the
first) and is lost if that queue is full. Proved: the jump chain has exactly one stationary law, and
under it E[1{step} phi (discount phi' - phi)^T] is `matrix`. Without `gate` steps are taken always:
z^T matrix z <= -(1 - discount) z^T second_moments z for all z, and the matrix is negative definite.
With `gate` they are taken where |x|_1 <= gate: z^T matrix z = `value` > 0 for z = `direction`, so
that the matrix is not even negative semidefinite.
"""

from proofs_checks.checker.kinds.exact_lists import numbers, positive, size, total
from proofs_checks.checker.kinds.finite_queues import (
    Matrix,
    Queues,
    mean_field,
    read_rates,
    require_pivots,
    stationary,
    symmetric_part,
)
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Summary, Trial, brief

THEOREM = "sarsa-mean-field"
PROBLEM = ("system", "discount", "gate")
CONDITIONS = {
    "hypothesis": "rates and weights > 0, capacity >= 1, 0 < discount < 1 (Hypotheses)",
    "shape": "one entry per queue, one state per entry of the law (Definitions)",
    "stationary": "the law is not negative, sums to 1 and balances every state (Theorem, part a)",
    "matrix": "the matrix is exactly this mean (Theorem, part b)",
    "moments": "the second moments are exactly these (Theorem, part b)",
    "inequality": "-(matrix + transpose)/2 - (1 - discount) moments has no negative pivot (c)",
    "definite": "-(matrix + transpose)/2 has positive pivots only (Theorem, part c)",
    "value": "z^T matrix z is exactly the value, which is positive (Theorem, part d)",
}


def check(claim: Node, witness: Node, trial: Trial) -> Summary:
    """Prove the claim or raise a Refusal."""
    gated = isinstance(claim.value, dict) and "gate" in claim.value
    more = "gate direction value" if gated else "second_moments"
    fields = claim.record(f"system discount matrix {more}")
    system = fields["system"].record("arrival_rate service_rates weights capacity")
    arrival, rates, capacity = read_rates(system, trial)
    count = len(rates)
    queues = Queues(arrival, rates, positive(system["weights"], count, trial), capacity)
    discount = fields["discount"].exact()
    trial.require("hypothesis", 0 < discount < 1, "claim.discount", "between 0 and 1", discount)
    law = stationary(witness.record("law")["law"], queues, trial)
    most = fields["gate"].count() if gated else count * capacity
    matrix, moments, _ = mean_field(law, queues, discount, most, trial)
    _equal("matrix", fields["matrix"], matrix, trial)
    words = f"SARSA(0) with {count} queues, {sum(bool(chance) for _, chance in law)} states"
    if gated:
        z = numbers(fields["direction"], count, trial)
        trial.spend(count * count * (50 + max(map(size, z)) * size(matrix[0][0]) // 1_000))
        form = total(
            (z[i] * matrix[i][j] * z[j] for i in range(count) for j in range(count)), trial
        )
        value = fields["value"].exact()
        trial.equal("value", "claim.value", form, value)
        trial.require("value", value > 0, "claim.value", "positive", value)
        return Summary(f"{words}, steps within {most} jobs: z^T A z = {brief(value)} > 0")
    _equal("moments", fields["second_moments"], moments, trial)
    symmetric, gap = symmetric_part(matrix), 1 - discount
    pairs = zip(symmetric, moments, strict=True)
    rest = [[a - gap * b for a, b in zip(*rows, strict=True)] for rows in pairs]
    require_pivots("inequality", rest, False, trial)
    require_pivots("definite", symmetric, True, trial)
    return Summary(f"{words}: A <= -{brief(1 - discount)} E[phi phi^T], negative definite")


def _equal(condition: str, node: Node, matrix: Matrix, trial: Trial) -> None:
    rows = node.items()
    trial.require("shape", len(rows) == len(matrix), node.path, f"{len(matrix)} rows", len(rows))
    for row, expected in zip(rows, matrix, strict=True):
        for found, entry in zip(numbers(row, len(matrix), trial), expected, strict=True):
            trial.equal(condition, row.path, entry, found)
