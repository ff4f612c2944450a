"""The kinds of certificates `certify` makes, one module each.

A kind's module holds `make(table)`, which takes the problem's table, asks it for its fields and
returns the certificate (InputError for bad input), and `words(claim)`, which says in one sentence
what a claim of that kind states.
"""

from pathlib import Path
from types import ModuleType

from certify import identities
from certify.certificate import Certificate
from certify.errors import InputError
from certify.fluid import (
    brackets,
    comparison,
    enclosure,
    heavy_traffic,
    many_sizes,
    noise,
    value,
    wasserstein,
)
from certify.problem import Table, read
from certify.ranks import comparison as rank_comparison
from certify.ranks import difference, gaps, limits
from certify.softmax import (
    adaptive,
    bernoulli,
    chattering,
    convergence,
    drift,
    equilibrium,
    gate,
    lattice,
    limit,
    mean_field,
    mean_queue,
    obstruction,
    sarsa,
    shortest,
    stationary,
    steps,
    sweep,
    tail,
)

KINDS: dict[str, ModuleType] = {
    "adaptive-weights": adaptive,
    "bernoulli-routing": bernoulli,
    "drift-limit": limit,
    "fluid-bracket": brackets,
    "fluid-comparison": comparison,
    "fluid-enclosure": enclosure,
    "fluid-heavy-traffic": heavy_traffic,
    "fluid-many-sizes": many_sizes,
    "fluid-noise": noise,
    "fluid-value": value,
    "fluid-wasserstein": wasserstein,
    "identity": identities,
    "queue-tail": tail,
    "rank-comparison": rank_comparison,
    "rank-difference": difference,
    "rank-gaps": gaps,
    "rank-limits": limits,
    "sarsa-chattering": chattering,
    "sarsa-gate": gate,
    "sarsa-mean-field": mean_field,
    "sarsa-step": sarsa,
    "sarsa-step-sizes": steps,
    "shortest-queue-drift": shortest,
    "softmax-convergence": convergence,
    "softmax-drift": drift,
    "softmax-equilibrium": equilibrium,
    "softmax-lattice-drift": lattice,
    "softmax-mean-queue": mean_queue,
    "softmax-obstruction": obstruction,
    "softmax-stationary": stationary,
    "softmax-sweep": sweep,
}


def make(table: Table) -> Certificate:
    """The certificate of a problem; InputError for bad input."""
    table.flag("large")  # only a note for whoever runs all shipped problems
    kind = table.choice("kind", tuple(KINDS))
    module = KINDS[kind]
    if isinstance(table.values.get("grid"), dict) and kind != "softmax-sweep":
        requirement = "be swept by `certify sweep` (here one problem is made, not a grid of them)"
        raise InputError("grid", requirement, table.get("grid"))
    certificate: Certificate = module.make(table)
    return certificate


def make_file(path: Path | str) -> Certificate:
    """The certificate of a problem file."""
    return make(read(path))
