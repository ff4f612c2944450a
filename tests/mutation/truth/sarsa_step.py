"""Whether a `sarsa-step` claim is true: the value as a function, its gradient by differences."""

from fractions import Fraction
from typing import Any

NUMBERS = ("discount", "step_size", "holding_time", "td_error")
FIELDS = {
    *NUMBERS,
    *"weights state action next_state next_action updated_weights negative".split(),
}


def truth(claim: dict[str, Any]) -> bool | None:
    """True or False: every claim of this kind is decided."""
    try:
        return _truth(claim)
    except (KeyError, TypeError, ValueError, ZeroDivisionError, IndexError):
        return False


def _truth(claim: dict[str, Any]) -> bool:
    weights, updated = (
        [number(text) for text in claim[name]] for name in ("weights", "updated_weights")
    )
    discount, step, time, error = (number(claim[name]) for name in NUMBERS)
    state, following = claim["state"], claim["next_state"]
    counts = [*state, *following, claim["action"], claim["next_action"], *claim["negative"]]
    if set(claim) != FIELDS or not all(type(each) is int for each in counts):
        return False
    if len({len(each) for each in (weights, updated, state, following)}) > 1:
        return False
    if min(weights) <= 0 or step <= 0 or time <= 0 or discount <= 0 or discount >= 1:
        return False
    arrivals = [added(state, claim["action"])]
    # every state one job below, found by asking from which states one leads to this one
    departures = [n for n in range(len(state)) if added(following, n) == state]
    if following not in arrivals and not departures:
        return False

    def value(w: list[Fraction], x: list[int], a: int) -> Fraction:
        return sum((each * q * q for each, q in zip(w, added(x, a), strict=True)), Fraction(0))

    here = value(weights, state, claim["action"])
    target = sum(state) * time + discount * value(weights, following, claim["next_action"])
    if error != target - here:
        return False
    for n, weight in enumerate(weights):
        bumped = [*weights[:n], weight + 1, *weights[n + 1 :]]
        gradient = value(bumped, state, claim["action"]) - here
        if updated[n] - weight != step * error * gradient:
            return False
    return bool(claim["negative"] == [n for n in range(len(updated)) if updated[n] < 0])


def added(state: list[int], queue: int) -> list[int]:
    """One job more in a queue; an IndexError for a queue that is none."""
    result = list(state)
    result[queue] += 1
    return result


def number(text: Any) -> Fraction:
    if not isinstance(text, str):
        raise TypeError("not a number")
    return Fraction(text)
