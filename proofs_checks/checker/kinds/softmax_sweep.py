"""Kind `softmax-sweep`: the drift of Reflected UAS at every point of a grid of its parameters.

Proved: for every (beta, gamma, offset) of the grid the claim of kind `softmax-drift` with the eps
of that beta and the R and mean_queue_bound of that point.
Not checked: that eps is the largest and R the smallest; the verdict says how close eps is.
"""

from itertools import product
from typing import Any

from proofs_checks.checker.kinds import softmax_drift
from proofs_checks.checker.reader import Items, Node
from proofs_checks.checker.verdict import Summary, Trial, decimal

THEOREM = "softmax-sweep"
PROBLEM = ("system", "grid")
CONDITIONS = {
    "points": "different values; one eps and list of shares per beta, one R and bound per point",
} | {
    name: softmax_drift.CONDITIONS[name]
    for name in ("hypothesis", "shape", "shares", "slack", "excess", "constant", "mean-queue")
}


def check(claim: Node, witness: Node, trial: Trial) -> Summary:
    """Prove the claim or raise a Refusal."""
    fields = claim.record("system grid eps R mean_queue_bound")
    hints = witness.record("precision excess shares")
    system = fields["system"].record("arrival_rate service_rates alpha")
    axes = {name: node.items() for name, node in fields["grid"].record("beta gamma offset").items()}
    for name, values in axes.items():
        for each in values:
            each.exact()  # exact numbers are equal only if they are written alike
        different = len({each.value for each in values}) == len(values)
        trial.require("points", different, f"claim.grid.{name}", "different values", "one twice")
    betas, inner = len(axes["beta"]), len(axes["gamma"]) * len(axes["offset"])

    def listed(node: Node, length: int) -> Items:
        items = node.items()
        trial.require("points", len(items) == length, node.path, f"{length} entries", len(items))
        return items

    eps, shares = listed(fields["eps"], betas), listed(hints["shares"], betas)
    constants, means = (listed(fields[name], betas * inner) for name in ("R", "mean_queue_bound"))
    digits: list[int] = []
    points = product(axes["beta"], axes["gamma"], axes["offset"])
    for place, (beta, gamma, offset) in enumerate(points):
        point = {"beta": beta.value, "gamma": gamma.value, "offset": offset.value}
        drift = {
            "system": {name: node.value for name, node in system.items()} | point,
            "eps": eps[place // inner].value,
            "R": constants[place].value,
            "mean_queue_bound": means[place].value,
        }
        proof = {
            "precision": hints["precision"].value,
            "excess": hints["excess"].value,
            "shares": shares[place // inner].value,
        }
        # the same numbers are read again at every point
        trial.spend(100 + (_weight(drift) + _weight(proof)) // 100_000)
        found = softmax_drift.check(
            Node(drift, f"claim at point {place}"), Node(proof, f"witness at point {place}"), trial
        )
        if found.digits is not None:
            digits.append(found.digits)
    least = min(node.exact() for node in eps)
    words = (
        f"drift <= -eps |Q| + R at every state, at {len(means)} points: eps >= {decimal(least, 10)}"
    )
    return Summary(words, min(digits, default=None))


def _weight(value: Any) -> int:
    """The squared lengths of all texts of a value: what reading its numbers takes."""
    if isinstance(value, str):
        return len(value) ** 2
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return sum(map(_weight, parts))
