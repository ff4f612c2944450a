"""Whether a comparison claim is true: policies as solutions of their transport equation.

Under a policy with constant shares in a cone of states the cost is a quadratic form V with
V_x x' + V_delta delta' = -(cost rate), two linear equations for its three coefficients, and one
boundary value. The least cost comes from the backward integration of fluid_value.
"""

from fractions import Fraction
from typing import Any

from tests.mutation.truth.fluid_value import Atoms, least_cost, read_law


def truth(claim: dict[str, Any]) -> bool | None:
    """True or False, exactly."""
    try:
        return _truth(claim)
    except (KeyError, TypeError, ValueError, ZeroDivisionError, IndexError, AttributeError):
        return False  # not a claim of this form


def form(
    load: Fraction, work: int, jobs: int, at_tie: Fraction | None, at_axis: Fraction | None
) -> tuple[Fraction, Fraction, Fraction]:
    """(A, B, C) of the cost while these shares join the shorter queue, from one boundary value.

    x' = -(1 - load), delta' = load (1 - 2 work), cost rate load (x + (1 - 2 jobs) delta).
    """
    # x:      2 (1 - load) A - speed B   = load
    # delta:  (1 - load) B - 2 speed C   = load (1 - 2 jobs)
    speed, drain = load * (1 - 2 * work), 1 - load
    if at_tie is not None:
        a = at_tie
        b = (2 * drain * a - load) / speed
        return a, b, (drain * b - load * (1 - 2 * jobs)) / (2 * speed)
    # A + B + C = at_axis; express B and C by A as above
    b0, b1 = -load / speed, 2 * drain / speed
    c0 = (drain * b0 - load * (1 - 2 * jobs)) / (2 * speed)
    c1 = drain * b1 / (2 * speed)
    assert at_axis is not None
    a = (at_axis - b0 - c0) / (1 + b1 + c1)
    return a, b0 + b1 * a, c0 + c1 * a


def balanced(load: Fraction, x: Fraction, delta: Fraction) -> Fraction:
    """The cost of joining the shorter queue."""
    at_tie = load / (2 * (1 - load))
    meets = x * load >= delta * (1 - load)  # the tie comes before the end
    a, b, c = form(load, 1, 1, at_tie, None) if meets else form(load, 1, 1, None, Fraction(0))
    return a * x * x + b * x * delta + c * delta * delta


def most_work_left(atoms: Atoms, load: Fraction, x: Fraction, delta: Fraction) -> Fraction:
    """The cost of feeding the longer queue until the other is empty, then keeping it busy."""
    needed, jobs = 1 / (2 * load), Fraction(0)
    for size, mass in atoms:
        share = min(Fraction(1), needed / (size * mass)) if size else Fraction(1)
        needed, jobs = needed - share * size * mass, jobs + share * mass
    axis = load * (1 - jobs) / (1 - load) if 2 * load > 1 else Fraction(0)
    a, b, c = form(load, 0, 0, None, axis)
    return a * x * x + b * x * delta + c * delta * delta


def _truth(claim: dict[str, Any]) -> bool:
    policies = ("optimal", "balanced", "most_work_left")
    savings = ("saving_balanced", "saving_most_work_left")
    if set(claim) != {"law", "load", "start", *policies, *savings}:
        return False
    if set(claim["start"]) != {"short", "long"}:
        return False
    data = read_law(claim)
    if data is None:
        return False
    atoms, load = data
    short, long = Fraction(claim["start"]["short"]), Fraction(claim["start"]["long"])
    if not 0 <= short <= long or long == 0 or (short == 0 and load <= Fraction(1, 2)):
        return False
    x, delta = short + long, long - short
    costs = {
        "optimal": x * x * least_cost(atoms, load, delta / x),
        "balanced": balanced(load, x, delta),
        "most_work_left": most_work_left(atoms, load, x, delta),
    }
    return all(Fraction(claim[name]) == cost for name, cost in costs.items()) and all(
        Fraction(claim[name]) == 1 - costs["optimal"] / costs[name.removeprefix("saving_")]
        for name in savings
    )
