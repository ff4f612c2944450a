"""Whether a heavy-traffic claim is true: greedy half of the work, means over atoms, costates.

The deviation is a plain mean over the atoms, its reciprocal square is integrated through its
antiderivative, the share of the jobs is filled up from the largest size down, and the least cost
comes from the backward integration of fluid_value. For a law with a density everything is floating
quadrature as in fluid_enclosure, first to 20 digits, then to 80.
"""

import json
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any

from mpmath import mp, mpf

from tests.mutation.truth import fluid_enclosure
from tests.mutation.truth.fluid_value import Atoms, least_cost, read_law

HALF = Fraction(1, 2)


def truth(claim: dict[str, Any]) -> bool | None:
    """True or False; None where 80 digits cannot tell."""
    try:
        if "family" not in claim["law"]:
            return _truth(claim)
        for digits in fluid_enclosure.DIGITS:
            with mp.workdps(digits + 20):
                fact = _density(claim, digits)
            if fact is not None:
                return fact
        return None
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


@lru_cache(maxsize=256)
def work_median(key: str, digits: int) -> tuple[Any, Any]:
    """The work median, and the share of the jobs, largest first, with half of the work."""
    law = fluid_enclosure.make_law(json.loads(key))
    if law is None:
        raise ValueError("no law")
    low = high = mpf(1)
    while law.work_above(low) <= mpf(1) / 2:
        low /= 2
    while law.work_above(high) > mpf(1) / 2:
        high *= 2
    for _ in range(mp.prec):
        middle = (low + high) / 2
        low, high = (middle, high) if law.work_above(middle) > mpf(1) / 2 else (low, middle)
    excess = law.work_above(low) - low * law.share(low)
    return low, (mpf(1) / 2 - excess) / low


@lru_cache(maxsize=64)
def whole_integral(key: str, digits: int) -> Any:
    """The integral of 1/E|S - u|^2 over all sizes."""
    found = fluid_enclosure.solution(key, Fraction(3, 4), digits)
    return None if found is None else found._between(mpf(0), None)


def _density(claim: dict[str, Any], digits: int) -> bool | None:
    if set(claim) != {"law", "work_median", "half_work_share", "rows"} or not claim["rows"]:
        return False
    key, within = json.dumps(claim["law"], sort_keys=True), fluid_enclosure._within
    for row in claim["rows"]:
        fine = set(row) == {"load", "exit_cutoff", "scaled_value", "bound"}
        if not fine or len(row["bound"]) != 2 or not HALF < Fraction(row["load"]) < 1:
            return False
    median, share = work_median(key, digits)
    tail = whole_integral(key, digits)
    facts = [
        within(claim["work_median"], median, digits),
        within(claim["half_work_share"], share, digits),
    ]
    for row in claim["rows"]:
        load = Fraction(row["load"])
        found = fluid_enclosure.solution(key, load, digits)
        if found is None:
            return False
        rho = fluid_enclosure.number(load)
        low = rho * share - (1 - rho) / (2 * median)
        high = rho * share + (1 - rho) * (1 - 2 * share) ** 2 * tail / 2
        pairs = zip(row["bound"], (low, high), strict=True)
        facts += [within(claimed, end, digits) for claimed, end in pairs]
        facts.append(within(row["scaled_value"], rho * (1 - found.saving) / 2, digits))
        facts.append(within(row["exit_cutoff"], found.exit, digits))
    return False if False in facts else None if None in facts else True
