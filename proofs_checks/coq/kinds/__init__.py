"""The kinds that Coq can re-prove: one module each, with one function `export`."""

from collections.abc import Callable

from proofs_checks.checker.reader import Node
from proofs_checks.coq.kinds import (
    fluid_enclosure,
    fluid_value,
    identity,
    rank_gaps,
    softmax_drift,
    softmax_equilibrium,
    softmax_obstruction,
)
from proofs_checks.coq.text import Parts

KINDS: dict[str, Callable[[Node, Node], Parts]] = {
    "fluid-enclosure": fluid_enclosure.export,
    "fluid-value": fluid_value.export,
    "identity": identity.export,
    "rank-gaps": rank_gaps.export,
    "softmax-drift": softmax_drift.export,
    "softmax-equilibrium": softmax_equilibrium.export,
    "softmax-obstruction": softmax_obstruction.export,
}
