"""Whether a heavy-traffic claim is true: greedy half of the work, means over atoms, costates.

The deviation is a plain mean over the atoms, its reciprocal square is integrated through its
antiderivative, the share of the jobs is filled up from the largest size down, and the least cost
comes from the backward integration of fluid_value.
"""

from fractions import Fraction
from itertools import pairwise
from typing import Any

from tests.mutation.truth.fluid_value import Atoms, least_cost, read_law

HALF = Fraction(1, 2)


def truth(claim: dict[str, Any]) -> bool | None:
    """True or False, exactly."""
    try:
        return _truth(claim)
    except (KeyError, TypeError, ValueError, ZeroDivisionError, IndexError, AttributeError):
        return False  # not a claim of this form


def deviation(atoms: Atoms, h: Fraction) -> Fraction:
    """E|S - h|."""
    return sum((mass * abs(size - h) for size, mass in atoms), Fraction(0))


def half_work_share(atoms: Atoms) -> tuple[Fraction, Fraction]:
    """The share of the jobs, largest first, with half of the work, and the last size needed."""
    needed, jobs = HALF, Fraction(0)
    for size, mass in reversed(atoms):
        if size * mass >= needed:
            return jobs + needed / size, size
        needed, jobs = needed - size * mass, jobs + mass
    raise ValueError("less than half of the work")


def integral(atoms: Atoms) -> Fraction:
    """The integral of 1/E|S - u|^2 over u >= 0."""
    total = Fraction(0)
    for low, high in pairwise(sorted({Fraction(0), *(size for size, _ in atoms)})):
        first, last = deviation(atoms, low), deviation(atoms, high)
        slope = (last - first) / (high - low)
        total += (1 / first - 1 / last) / slope if slope else (high - low) / first**2
    return total + 1 / (atoms[-1][0] - 1)


def _truth(claim: dict[str, Any]) -> bool:
    if set(claim) != {"law", "half_work_share", "rows"} or not claim["rows"]:
        return False
    for row in claim["rows"]:
        if set(row) != {"load", "scaled_value", "bound"} or len(row["bound"]) != 2:
            return False
        data = read_law({"law": claim["law"], "load": row["load"]})
        if data is None or len(data[0]) < 2 or data[1] <= HALF:
            return False
        atoms, load = data
        share, median = half_work_share(atoms)
        ratio = deviation(atoms, median) / median
        low, high = map(Fraction, row["bound"])
        tie, axis = ((1 - load) * least_cost(atoms, load, Fraction(z)) for z in (0, 1))
        facts = (
            Fraction(claim["half_work_share"]) == share,
            Fraction(row["scaled_value"]) == tie,
            low == load * share - (1 - load) / (2 * median),
            high == load * share + (1 - load) * ratio**2 * integral(atoms) / 2,
            low <= axis <= tie <= high,
        )
        if not all(facts):
            return False
    return True
