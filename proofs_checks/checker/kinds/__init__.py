"""The kinds of claims this checker decides, one module each.

A kind module holds `THEOREM` (its page in proofs_checks/theorems/), `PROBLEM` (the claim fields
that are problem data), `CONDITIONS` (each condition it tests, with the part of the theorem it
instantiates) and `check(claim, witness, trial)`, which proves the claim or raises a Refusal.
"""

from types import ModuleType

from proofs_checks.checker.kinds import (
    adaptive_weights,
    bernoulli_routing,
    drift_limit,
    fluid_bracket,
    fluid_comparison,
    fluid_enclosure,
    fluid_heavy_traffic,
    fluid_many_sizes,
    fluid_noise,
    fluid_value,
    fluid_wasserstein,
    identity,
    queue_tail,
    rank_comparison,
    rank_difference,
    rank_gaps,
    rank_limits,
    sarsa_chattering,
    sarsa_gate,
    sarsa_mean_field,
    sarsa_step,
    sarsa_step_sizes,
    shortest_queue_drift,
    softmax_convergence,
    softmax_drift,
    softmax_equilibrium,
    softmax_lattice_drift,
    softmax_mean_queue,
    softmax_obstruction,
    softmax_sweep,
)

KINDS: dict[str, ModuleType] = {
    "adaptive-weights": adaptive_weights,
    "bernoulli-routing": bernoulli_routing,
    "drift-limit": drift_limit,
    "fluid-bracket": fluid_bracket,
    "fluid-comparison": fluid_comparison,
    "fluid-enclosure": fluid_enclosure,
    "fluid-heavy-traffic": fluid_heavy_traffic,
    "fluid-many-sizes": fluid_many_sizes,
    "fluid-noise": fluid_noise,
    "fluid-value": fluid_value,
    "fluid-wasserstein": fluid_wasserstein,
    "identity": identity,
    "queue-tail": queue_tail,
    "rank-comparison": rank_comparison,
    "rank-difference": rank_difference,
    "rank-gaps": rank_gaps,
    "rank-limits": rank_limits,
    "sarsa-chattering": sarsa_chattering,
    "sarsa-gate": sarsa_gate,
    "sarsa-mean-field": sarsa_mean_field,
    "sarsa-step": sarsa_step,
    "sarsa-step-sizes": sarsa_step_sizes,
    "shortest-queue-drift": shortest_queue_drift,
    "softmax-convergence": softmax_convergence,
    "softmax-drift": softmax_drift,
    "softmax-equilibrium": softmax_equilibrium,
    "softmax-lattice-drift": softmax_lattice_drift,
    "softmax-mean-queue": softmax_mean_queue,
    "softmax-obstruction": softmax_obstruction,
    "softmax-sweep": softmax_sweep,
}
