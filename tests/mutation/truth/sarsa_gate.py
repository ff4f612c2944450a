"""Whether a `sarsa-gate` claim is true: the matrix summed over all steps from the empty system."""

from fractions import Fraction
from typing import Any

import mpmath


def truth(claim: dict[str, Any]) -> bool | None:
    """True or False: every claim of this kind is decided."""
    try:
        with mpmath.workdps(120):
            return _truth(claim)
    except (KeyError, TypeError, ValueError, ZeroDivisionError, IndexError):
        return False


def _truth(claim: dict[str, Any]) -> bool:
    weights = [Fraction(text) for text in claim["weights"]]
    temperature, discount = Fraction(claim["temperature"]), Fraction(claim["discount"])
    queue, size = claim["queue"], len(weights)
    if set(claim) != {"weights", "temperature", "discount", "queue", "diagonal"}:
        return False
    if set(claim["diagonal"]) != {"lo", "hi"} or type(queue) is not int:
        return False
    if min(weights) <= 0 or temperature <= 0 or not 0 < discount < 1 or not 0 <= queue < size:
        return False
    empty = [0] * size
    entry, weight_of_action = mpmath.mpf(0), mpmath.mpf(0)
    for a, chance in enumerate(softmax(weights, temperature, empty)):
        after = [int(n == a) for n in range(size)]
        here = int(a == queue)
        weight_of_action += chance * here
        for b, next_chance in enumerate(softmax(weights, temperature, after)):
            following = (after[queue] + (b == queue)) ** 2
            gain = here * (real(discount) * following - here)
            entry += chance * next_chance * gain
    relative = entry / weight_of_action
    low, high = (real(Fraction(claim["diagonal"][end])) for end in ("lo", "hi"))
    return bool(0 < low <= relative <= high)


def softmax(weights: list[Fraction], temperature: Fraction, state: list[int]) -> list[Any]:
    """The action probabilities by their definition."""
    powers = [
        mpmath.exp(real(-w * (2 * q + 1) / temperature))
        for w, q in zip(weights, state, strict=True)
    ]
    return [power / mpmath.fsum(powers) for power in powers]


def real(value: Fraction) -> Any:
    return mpmath.mpf(value.numerator) / value.denominator
