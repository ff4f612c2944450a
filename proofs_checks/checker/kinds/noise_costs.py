"""Least costs of a law with a density inside another kind's witness: a claim that is proved first.

The part `claim` together with the law and the load is a claim of kind `fluid-enclosure`; the part
`witness` is its witness.
"""

from fractions import Fraction

from proofs_checks.checker.kinds import fluid_enclosure
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Trial

Ends = tuple[Fraction, Fraction]
# the conditions on a list of sectors, and those on an inner claim of kind `fluid-enclosure`
OF_SECTORS = ("tiling", "slope", "gradient", "split", "rise", "hamilton-jacobi")
OF_ENCLOSURES = (
    "partition exit-below exit-above saving cutoff-below cutoff-above value time"
).split()


def enclosed_costs(
    law: dict[str, object], load: Node, asked: list[Fraction], node: Node, trial: Trial
) -> tuple[Ends, list[Ends]]:
    """Proved enclosures of the saving from a tie and of the least cost at the asked imbalances."""
    parts = node.record("claim witness")
    fields = parts["claim"].record("exit_cutoff saving values")
    rows = [row.record("imbalance value cutoff time") for row in fields["values"].items()]
    found = [row["imbalance"].exact() for row in rows]
    same, where = found == asked, fields["values"].path
    trial.require("imbalance", same, where, "the listed imbalances", found)
    whole = Node({**parts["claim"].value, "law": law, "load": load.value}, parts["claim"].path)
    fluid_enclosure.check(whole, parts["witness"], trial)
    return fields["saving"].interval(), [row["value"].interval() for row in rows]


def contained(inner: Ends, node: Node, condition: str, trial: Trial) -> Ends:
    """The claimed interval at `node`, which has to contain `inner`."""
    low, high = node.interval()
    holds = low <= inner[0] and inner[1] <= high
    trial.require(condition, holds, node.path, ("around", inner), (low, high))
    return low, high
