"""Whether a fluid-wasserstein claim is true: moving mass, plain means, quadrature, costates.

Finite laws: the distance is the cost of moving mass from the smallest sizes on. A law with a
density: the difference of the distribution functions is integrated piece by piece by mpmath, with
the crossings found by bisection. Least costs come from fluid_value and fluid_enclosure.
"""

import json
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any

from mpmath import mp, mpf

from tests.mutation.truth.fluid_enclosure import Solution, _within, make_law, number
from tests.mutation.truth.fluid_noise import transport
from tests.mutation.truth.fluid_value import Atoms, least_cost, read_law

DIGITS = (20, 45)
FIELDS = {"first", "second", "load", "distance", "deviation_distance", "bound", "rows"}


def truth(claim: dict[str, Any]) -> bool | None:
    """True or False, exactly for finite laws; None where 45 digits cannot tell."""
    try:
        if set(claim) != FIELDS or not claim["rows"]:
            return False
        for row in claim["rows"]:
            if set(row) != {"imbalance", "first", "second", "difference"}:
                return False
            if not 0 <= Fraction(row["imbalance"]) <= 1:
                return False
        data = read_law({"law": claim["second"], "load": claim["load"]})
        if data is None:
            return False
        if "atoms" in claim["first"]:
            return _finite(claim, *data)
        for digits in DIGITS:
            with mp.workdps(digits + 20):
                fact = _enclosed(claim, *data, digits)
            if fact is not None:
                return fact
    except (KeyError, TypeError, ValueError, ZeroDivisionError, IndexError, AttributeError):
        return False  # not a claim of this form
    return None


def deviation(atoms: Atoms, h: Any) -> Any:
    """E|S - h|."""
    return sum(mass * abs(size - h) for size, mass in atoms)


def _finite(claim: dict[str, Any], second: Atoms, load: Fraction) -> bool:
    data = read_law({"law": claim["first"], "load": claim["load"]})
    if data is None:
        return False
    first, distance = data[0], transport(data[0], second)
    points = [size for size, _ in (*first, *second)]
    apart = max(abs(deviation(first, h) - deviation(second, h)) for h in points)
    facts = [
        Fraction(claim["distance"]) == distance,
        Fraction(claim["deviation_distance"]) == apart <= distance,
        Fraction(claim["bound"]) == load * load / (1 - load) * distance,
    ]
    for row in claim["rows"]:
        one, two = (least_cost(each, load, Fraction(row["imbalance"])) for each in (first, second))
        facts += [
            Fraction(row["first"]) == one,
            Fraction(row["second"]) == two,
            Fraction(row["difference"]) == one - two,
            abs(one - two) <= Fraction(claim["bound"]),
        ]
    return all(facts)


@lru_cache(maxsize=64)
def _numbers(key: str, second: Atoms, load: Fraction, digits: int) -> tuple[Any, list[Any]] | None:
    """The solution of the first law, the distance and the largest difference of deviations."""
    law = make_law(json.loads(key))
    if law is None:
        return None
    atoms = tuple((number(size), number(mass)) for size, mass in second)
    ends, share = [mpf(0), *(size for size, _ in atoms), mpf(10) ** digits], mpf(0)
    distance, points = law.excess(ends[-1]) if law.high is None else mpf(0), []
    for (low, high), mass in zip(pairwise(ends), [mpf(0), *(m for _, m in atoms)], strict=True):
        share += mass
        points.append(low)
        if low == high:
            continue
        a, b = low, high
        for _ in range(int(4 * mp.dps)):
            middle = (a + b) / 2
            a, b = (middle, b) if 1 - law.share(middle) < share else (a, middle)
        points.append(a)
        for one, two in pairwise(sorted({low, a, high})):
            distance += _area(law, share, one, two)
    apart = max(abs(law.deviation(h) - deviation(atoms, h)) for h in points)
    return Solution(law, load, digits), [distance, apart]


def _area(law: Any, share: Any, low: Any, high: Any) -> Any:
    """The integral of |P(S <= h) - share| over [low, high], on pieces of growing length."""
    cuts = {low, high}
    cuts |= {c for c in (law.low, law.high) if c is not None and low < c < high}
    step = mpf(1) / 1024
    while step < high:
        cuts |= {step} if step > low else set()
        step *= 2
    return sum(
        mp.quad(lambda u: abs(1 - law.share(u) - share), [a, b], method="gauss-legendre")
        for a, b in pairwise(sorted(cuts))
    )


def _enclosed(claim: dict[str, Any], second: Atoms, load: Fraction, digits: int) -> bool | None:
    found = _numbers(json.dumps(claim["first"], sort_keys=True), second, load, digits)
    if found is None:
        return False
    solution, (distance, apart) = found
    bound = number(load * load / (1 - load)) * distance
    facts = [
        _within(claim[name], value, digits)
        for name, value in (("distance", distance), ("deviation_distance", apart), ("bound", bound))
    ]
    for row in claim["rows"]:
        if False in facts:
            return False
        z = Fraction(row["imbalance"])
        exact = least_cost(second, load, z)
        if Fraction(row["second"]) != exact:
            return False
        value = solution.row(z)[0]
        facts.append(_within(row["first"], value, digits))
        facts.append(_within(row["difference"], value - number(exact), digits - 3))
    return False if False in facts else None if None in facts else True
