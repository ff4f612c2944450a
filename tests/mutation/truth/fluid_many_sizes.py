"""Whether a claim about many sizes is true: the exact backward integration of fluid_value."""

from fractions import Fraction
from typing import Any

from tests.mutation.truth.fluid_value import least_cost, read_law


def truth(claim: dict[str, Any]) -> bool | None:
    """True or False, exactly."""
    try:
        return _truth(claim)
    except (KeyError, TypeError, ValueError, ZeroDivisionError, IndexError, AttributeError):
        return False  # not a claim of this form


def _holds(interval: dict[str, str], value: Fraction) -> bool:
    """Whether an interval is one and contains the value."""
    if set(interval) != {"lo", "hi"}:
        return False
    return Fraction(interval["lo"]) <= value <= Fraction(interval["hi"])


def _truth(claim: dict[str, Any]) -> bool:
    if set(claim) != {"law", "load", "values", "saving"} or not claim["values"]:
        return False
    data = read_law(claim)
    if data is None or len(data[0]) < 2:
        return False
    atoms, load = data
    for row in claim["values"]:
        z = Fraction(row["imbalance"])
        if set(row) != {"imbalance", "value"} or not 0 <= z <= 1:
            return False
        if not _holds(row["value"], least_cost(atoms, load, z)):
            return False
    tie = least_cost(atoms, load, Fraction(0))
    return _holds(claim["saving"], 1 - tie * 2 * (1 - load) / load)
