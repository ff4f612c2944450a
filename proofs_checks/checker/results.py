"""The conditions that decide what a claim says, kind by kind: a sentence may rest on one of them.

The other conditions are about the form of the data, about hypotheses, or steps on the way.
"""

RESULTS = {
    "adaptive-weights": "excess rate constant moment mean-jobs",
    "bernoulli-routing": (
        "stable mean-queue mean-total eps constant unstable overloaded critical growth"
    ),
    "drift-limit": "margin slope intercept",
    "fluid-bracket": "lower upper regret",
    "fluid-comparison": (
        "half-work-share optimal balanced most-work-left size-interval bin-policy saving"
    ),
    "fluid-enclosure": (
        "exit-below exit-above saving cutoff-below cutoff-above value time path path-total "
        "path-time"
    ),
    "fluid-heavy-traffic": "half-work-share bound scaled-value",
    "fluid-many-sizes": "value saving",
    "fluid-noise": "mean-error least-deviation distance bound tie-bound full seen loss",
    "fluid-value": "value saving",
    "fluid-wasserstein": "distance deviation-distance bound first second difference",
    "identity": "identity",
    "queue-tail": "excess constant ratio probability",
    "rank-comparison": "random full original paused",
    "rank-difference": "upper lower paused difference",
    "rank-gaps": (
        "detailed-balance mean-gap gap-variance ranked-queue total-queue no-idle no-tie throughput "
        "paused-fraction threshold idle served identity drift shortest-queue lower-bound "
        "upper-bound"
    ),
    "rank-limits": (
        "limit-rate decay-rate distance limit-bound profile-mean profile-limit profile-variance "
        "mean-queue mean-expansion mean-remainder imbalance imbalance-expansion imbalance-remainder"
    ),
    "sarsa-chattering": "stationary fixed-point definite",
    "sarsa-gate": "diagonal positive",
    "sarsa-mean-field": "stationary matrix moments inequality definite value",
    "sarsa-step": "td-error update negative",
    "sarsa-step-sizes": "step used total squares",
    "shortest-queue-drift": "eps constant mean-queue attained",
    "softmax-convergence": "root-above root-below time diameter",
    "softmax-drift": "excess constant sharp-constant mean-queue attained",
    "softmax-equilibrium": "theta root-above root-below active inactive queue count extreme",
    "softmax-lattice-drift": "cell far mean-queue attained",
    "softmax-mean-queue": "cell far",
    "softmax-obstruction": (
        "positive not-positive maximum attained interior-drift diagonal origin"
    ),
    "softmax-stationary": "upper lower",
    "softmax-sweep": "excess constant mean-queue",
}
