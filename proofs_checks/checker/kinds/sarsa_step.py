"""Kind `sarsa-step`: one step of SARSA(0) with the quadratic features of a weighted shortest queue.

Proved: the stated transition has positive probability, together with a holding time of at most
`holding_time`; with exactly that holding time the temporal-difference error and the weights after
the step are as claimed, with a shorter one no weight is larger. So the weights listed in
`negative`, and no others at that holding time, are negative; a projection onto a ball around 0
keeps them so.
"""

from fractions import Fraction

from proofs_checks.checker.kinds.exact_lists import every
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Summary, Trial, brief

THEOREM = "sarsa-step"
PROBLEM = (
    "weights",
    "discount",
    "step_size",
    "state",
    "action",
    "holding_time",
    "next_state",
    "next_action",
)
CONDITIONS = {
    "hypothesis": "weights, step size, holding time > 0 and 0 < discount < 1 (Hypotheses)",
    "shape": "one entry per queue, actions are queues (Definitions)",
    "transition": "the next state is a possible one (Theorem, part a)",
    "td-error": "the temporal-difference error is exactly this (Theorem, part b)",
    "update": "the weights after the step are exactly these (Theorem, part b)",
    "negative": "exactly the listed weights are negative (Theorem, part c)",
}
FIELDS = "td_error updated_weights negative"


def check(claim: Node, witness: Node, trial: Trial) -> Summary:
    """Prove the claim or raise a Refusal."""
    witness.record("")
    fields = claim.record(" ".join((*PROBLEM, FIELDS)))
    weights = every(fields["weights"], trial)
    size = len(weights)
    trial.require("hypothesis", min(weights) > 0, "claim.weights", "positive", min(weights))
    discount, step, time = (
        fields[name].exact() for name in ("discount", "step_size", "holding_time")
    )
    trial.require("hypothesis", 0 < discount < 1, "claim.discount", "between 0 and 1", discount)
    trial.require("hypothesis", step > 0, "claim.step_size", "positive", step)
    trial.require("hypothesis", time > 0, "claim.holding_time", "positive", time)
    before, action = _position(fields["state"], fields["action"], size, trial)
    after, next_action = _position(fields["next_state"], fields["next_action"], size, trial)
    moves = [(i, b - a) for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]
    # queues are not negative, so a move of -1 starts from a busy queue
    possible = len(moves) == 1 and (moves[0] == (action, 1) or moves[0][1] == -1)
    trial.require("transition", possible, "claim.next_state", "an arrival or a departure", after)
    phi = [(queue + (i == action)) ** 2 for i, queue in enumerate(before)]
    following = [(queue + (i == next_action)) ** 2 for i, queue in enumerate(after)]
    value, next_value = _product(weights, phi, trial), _product(weights, following, trial)
    error = fields["td_error"].exact()
    expected = sum(before) * time + discount * next_value - value
    trial.equal("td-error", "claim.td_error", expected, error)
    updated = every(fields["updated_weights"], trial)
    trial.require("shape", len(updated) == size, "claim.updated_weights", f"{size}", len(updated))
    for i, (weight, each) in enumerate(zip(weights, phi, strict=True)):
        trial.spend(20 + (_size(weight) + _size(step)) * (_size(error) + 64) // 2_000)
        trial.equal(
            "update", f"claim.updated_weights.{i}", weight + step * error * each, updated[i]
        )
    listed = [item.count() for item in fields["negative"].items(empty=True)]
    negative = [i for i, weight in enumerate(updated) if weight < 0]
    trial.require("negative", listed == negative, "claim.negative", str(negative)[:80], "others")
    words = f"one step of SARSA(0) with {size} weights: error {brief(error)}"
    return Summary(f"{words}, {len(negative)} of the weights negative afterwards")


def _position(state: Node, action: Node, size: int, trial: Trial) -> tuple[list[int], int]:
    """The queues and the queue chosen for the next job."""
    queues = [item.count() for item in state.items()]
    trial.require("shape", len(queues) == size, state.path, f"{size} queues", len(queues))
    chosen = action.count()
    trial.require("shape", chosen < size, action.path, f"less than {size}", chosen)
    return queues, chosen


def _product(weights: list[Fraction], phi: list[int], trial: Trial) -> Fraction:
    """The exact sum of the products; dear on purpose, since denominators can grow."""
    result = Fraction(0)
    for weight, each in zip(weights, phi, strict=True):
        trial.spend(30 + _size(result) * (_size(weight) + 64) // 2_000)
        result += weight * each
    return result


def _size(value: Fraction) -> int:
    """The number of bits of numerator and denominator together."""
    return value.numerator.bit_length() + value.denominator.bit_length()
