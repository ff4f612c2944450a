"""Whether a `softmax-sweep` claim is true: every point by the truth of `softmax-drift`."""

from itertools import product
from typing import Any

from tests.mutation.truth import softmax_drift


def truth(claim: dict[str, Any]) -> bool | None:
    """False if some point is false, True if all are true, None otherwise."""
    try:
        if set(claim) != {"system", "grid", "eps", "R", "mean_queue_bound"}:
            return False
        if set(claim["grid"]) != {"beta", "gamma", "offset"}:
            return False
        if set(claim["system"]) != {"arrival_rate", "service_rates", "alpha"}:
            return False
        points = list(product(*(claim["grid"][name] for name in ("beta", "gamma", "offset"))))
        betas = len(claim["grid"]["beta"])
        if not points or len(claim["eps"]) != betas:
            return False
        if not len(claim["R"]) == len(claim["mean_queue_bound"]) == len(points):
            return False
        facts = [
            softmax_drift.truth(
                {
                    "system": claim["system"] | {"beta": beta, "gamma": gamma, "offset": offset},
                    "eps": claim["eps"][place * betas // len(points)],
                    "R": claim["R"][place],
                    "mean_queue_bound": claim["mean_queue_bound"][place],
                }
            )
            for place, (beta, gamma, offset) in enumerate(points)
        ]
    except (KeyError, TypeError, ValueError):
        return False  # not a claim of this form
    return False if False in facts else None if None in facts else True
