"""Whether a `sarsa-step-sizes` claim is true: by the multiset of the steps and its order."""

from fractions import Fraction
from itertools import compress
from typing import Any

FIELDS = {"sizes", "held", "steps", "used", "total", "squares"}


def truth(claim: dict[str, Any]) -> bool | None:
    """True or False: every claim of this kind is decided."""
    try:
        if set(claim) != FIELDS:
            return False
        sizes, steps = ([number(text) for text in claim[name]] for name in ("sizes", "steps"))
        held = claim["held"]
        if any(type(flag) is not int or flag not in (0, 1) for flag in held) or not held:
            return False
        if (
            not sizes
            or min(sizes) <= 0
            or len(steps) != len(held)
            or type(claim["used"]) is not int
        ):
            return False
        taken = list(compress(steps, held))
        idle = [step for step, flag in zip(steps, held, strict=True) if not flag]
        prefix = len(taken) <= len(sizes) and taken == sizes[: len(taken)]
        sums = (number(claim["total"]), number(claim["squares"]))
        right = sums == (sum(steps), sum(step**2 for step in steps))
        return prefix and not any(idle) and right and claim["used"] == len(taken)
    except (KeyError, TypeError, ValueError, ZeroDivisionError):
        return False


def number(text: Any) -> Fraction:
    if not isinstance(text, str):
        raise TypeError("not a number")
    return Fraction(text)
