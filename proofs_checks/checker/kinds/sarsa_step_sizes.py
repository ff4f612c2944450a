"""Kind `sarsa-step-sizes`: the step sizes that SARSA(0) takes when only some epochs may learn.

`held` tells epoch by epoch whether the constraint held. Proved: the step of an epoch is 0 where it
did not, and the others are the first `used` of the given sizes, each once and in order; `total` and
`squares` are the sums of the steps and of their squares, those of that prefix.
"""

from fractions import Fraction

from proofs_checks.checker.kinds.exact_lists import every, numbers, size, total
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Summary, Trial, brief

THEOREM = "sarsa-step-sizes"
PROBLEM = ("sizes", "held")
CONDITIONS = {
    "hypothesis": "every size is positive (Hypotheses)",
    "shape": "one step per epoch, flags 0 or 1, and sizes enough (Definitions)",
    "step": "every step is 0, or the next size where the constraint held (Theorem, part a)",
    "used": "so many sizes are used (Theorem, part a)",
    "total": "the sum of the steps is exactly this (Theorem, part a)",
    "squares": "the sum of their squares is exactly this (Theorem, part a)",
}


def check(claim: Node, witness: Node, trial: Trial) -> Summary:
    """Prove the claim or raise a Refusal."""
    witness.record("")
    fields = claim.record("sizes held steps used total squares")
    held = [item.count() for item in fields["held"].items()]
    trial.require("shape", max(held) <= 1, "claim.held", "0 or 1", max(held))
    sizes = every(fields["sizes"], trial)
    trial.require("hypothesis", min(sizes) > 0, "claim.sizes", "positive", min(sizes))
    used = sum(held)
    trial.require("shape", used <= len(sizes), "claim.sizes", f"{used} or more", len(sizes))
    steps = numbers(fields["steps"], len(held), trial)
    counter = 0
    for epoch, (flag, step) in enumerate(zip(held, steps, strict=True)):
        trial.spend(20 + size(step) // 100)
        expected = sizes[counter] if flag else Fraction(0)
        trial.equal("step", f"claim.steps.{epoch}", expected, step)
        counter += flag
    found = fields["used"].count()
    trial.require("used", found == used, "claim.used", str(used), found)
    trial.equal("total", "claim.total", total(steps, trial), fields["total"].exact())
    trial.spend(sum(size(step) ** 2 // 500 for step in steps))
    squares = total((step * step for step in steps), trial)
    trial.equal("squares", "claim.squares", squares, fields["squares"].exact())
    words = f"{len(held)} epochs, of which {used} learn with the first {used} sizes"
    return Summary(f"{words}: sum {brief(fields['total'].exact())}")
