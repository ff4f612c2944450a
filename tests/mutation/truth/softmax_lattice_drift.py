"""Whether a `softmax-lattice-drift` claim is true: states of a box, and the supremum over reals.

False where `softmax-drift` is false of it, or where a state of a box exceeds R; true where R is at
least the supremum over real queues; None between.
"""

import json
from fractions import Fraction
from itertools import product
from typing import Any

import mpmath

from tests.mutation.truth import softmax_drift

SIDES = {1: 60, 2: 12, 3: 6}


def truth(claim: dict[str, Any]) -> bool | None:
    """True or False; None where neither is shown."""
    if set(claim) != {"system", "eps", "R", "mean_queue_bound", "attained"}:
        return False
    fact = softmax_drift.truth(claim)
    try:
        eps, R, mean = (Fraction(claim[name]) for name in ("eps", "R", "mean_queue_bound"))
        if fact is not None:
            return fact
        if mean * eps < Fraction(claim["attained"]["value"]):
            return None  # the bound may be true for another reason
        with mpmath.workdps(30):
            system = softmax_drift._system(json.dumps(claim["system"], sort_keys=True))
            assert system is not None
            count = len(system.rates)
            for state in product(range(SIDES.get(count, 0)), repeat=count):
                if system.drift(state) + number(eps) * sum(state) > number(R) + number(TINY):
                    return False
    except (KeyError, TypeError, ValueError, ZeroDivisionError, IndexError):
        return False  # not a claim of this form
    return None


TINY = Fraction(1, 10**20)


def number(value: Fraction) -> Any:
    return mpmath.mpf(value.numerator) / value.denominator
