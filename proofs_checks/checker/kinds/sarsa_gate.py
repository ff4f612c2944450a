"""Kind `sarsa-gate`: steps of SARSA(0) that are taken in the empty system only.

Proved: for the softmax with these weights the matrix E[1{x = 0} phi (discount phi' - phi)^T] has a
positive diagonal entry for the given queue, so it is not negative definite; relative to the
probability of its state and action that entry lies in `diagonal`.
Not checked: that the interval is as narrow as it could be.
"""

from proofs_checks.checker.kinds.exact_lists import every
from proofs_checks.checker.kinds.softmax_system import total
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Summary, Trial, decimal, fewest_digits

THEOREM = "sarsa-gate"
PROBLEM = ("weights", "temperature", "discount", "queue")
CONDITIONS = {
    "hypothesis": "weights and temperature > 0, 0 < discount < 1 (Hypotheses)",
    "shape": "the queue is one of the system (Definitions)",
    "diagonal": "the enclosure of discount (1 + 3 p) - 1 lies in the claimed interval (Theorem)",
    "positive": "the interval lies above 0 (Theorem)",
}


def check(claim: Node, witness: Node, trial: Trial) -> Summary:
    """Prove the claim or raise a Refusal."""
    fields = claim.record("weights temperature discount queue diagonal")
    bits = trial.precision(witness.record("precision")["precision"].count())
    weights = every(fields["weights"], trial)
    trial.require("hypothesis", min(weights) > 0, "claim.weights", "positive", min(weights))
    temperature, discount = fields["temperature"].exact(), fields["discount"].exact()
    trial.require("hypothesis", temperature > 0, "claim.temperature", "positive", temperature)
    trial.require("hypothesis", 0 < discount < 1, "claim.discount", "between 0 and 1", discount)
    queue = fields["queue"].count()
    trial.require("shape", queue < len(weights), "claim.queue", f"less than {len(weights)}", queue)
    inverse = trial.real(temperature, bits).reciprocal()
    own = trial.real(3 * weights[queue], bits)
    terms = [trial.real(1, bits)]
    for i, weight in enumerate(weights):
        if i != queue:
            trial.spend(100 + bits // 4 + bits * bits // 2000)
            trial.keep(1, bits)
            terms.append(((own - weight) * inverse).exp())
    chance = total(terms, trial).reciprocal()
    found = (chance * 3 + 1) * discount - 1
    low, high = fields["diagonal"].interval()
    inside = found.inside(low, high)
    trial.require("diagonal", inside, "claim.diagonal", ("ends around", found), [low, high])
    trial.require("positive", low > 0, "claim.diagonal.lo", "positive", low)
    queues = f"{len(weights)} queue{'s' * (len(weights) > 1)}"
    text = f"{queues}, steps in the empty system only: a diagonal entry relative to its probability"
    text += f" of {decimal(low, 10)} or more, not negative definite"
    return Summary(text, fewest_digits([(low, high)]))
