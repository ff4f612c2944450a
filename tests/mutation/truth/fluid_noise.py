"""Whether a fluid-noise claim is true: sums over the joint law, costates, and plain quadrature.

Finite: conditional means by summing over the estimate, the distance by moving mass from the
smallest sizes on, least costs by the backward integration of fluid_value. Lognormal: every number
is a mean over a standard normal variable, integrated by mpmath; least costs by the quadrature of
fluid_enclosure.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any

from mpmath import mp, mpf

from tests.mutation.truth.fluid_enclosure import Law, Solution, _within, number
from tests.mutation.truth.fluid_value import Atoms, least_cost

DIGITS = (20, 45)
NUMBERS = ("mean_error", "least_deviation", "distance", "bound", "tie_bound")
COMMON = {"load", "rows", *NUMBERS}


def truth(claim: dict[str, Any]) -> bool | None:
    """True or False, exactly for finite joint laws; None where 45 digits cannot tell."""
    try:
        if "joint" in claim:
            return _finite(claim)
        for digits in DIGITS:
            with mp.workdps(digits + 20):
                fact = _lognormal(claim, digits)
            if fact is not None:
                return fact
    except (KeyError, TypeError, ValueError, ZeroDivisionError, IndexError, AttributeError):
        return False  # not a claim of this form
    return None


def transport(first: Atoms, second: Atoms) -> Fraction:
    """The cost of moving one law into the other, smallest sizes first."""
    left, right = [list(pair) for pair in first], [list(pair) for pair in second]
    total = Fraction(0)
    while left and right:
        moved = min(left[0][1], right[0][1])
        total += moved * abs(left[0][0] - right[0][0])
        for side in (left, right):
            side[0][1] -= moved
            if side[0][1] == 0:
                side.pop(0)
    return total


def gathered(pairs: list[tuple[Fraction, Fraction]]) -> Atoms:
    """Atoms in rising order, equal sizes merged."""
    sizes = sorted({size for size, _ in pairs})
    return tuple((s, sum((m for size, m in pairs if size == s), Fraction(0))) for s in sizes)


def _rows_fine(claim: dict[str, Any], fields: set[str]) -> bool:
    rows = claim["rows"]
    return bool(rows) and all(
        set(row) == {"imbalance", *fields} and 0 <= Fraction(row["imbalance"]) <= 1 for row in rows
    )


def _finite(claim: dict[str, Any]) -> bool:
    if set(claim) - {"scale"} != {"joint", "estimate", *COMMON}:
        return False
    load, scale = Fraction(claim["load"]), Fraction(claim.get("scale", "1"))
    triples = [tuple(map(Fraction, triple)) for triple in claim["joint"]]
    order = [(y, s) for s, y, _ in triples]
    fine = (
        0 < load < 1
        and scale > 0
        and claim["estimate"] in ("signal", "conditional-mean")
        and order == sorted(set(order))
        and min(s for s, _, _ in triples) >= 0
        and min(m for _, _, m in triples) > 0
        and sum(m for _, _, m in triples) == 1
        and sum(s * m for s, _, m in triples) == 1
    )
    if not fine or not _rows_fine(claim, {"full", "seen", "loss"}):
        return False

    def mean(estimate: Fraction) -> Fraction:
        group = [(s, m) for s, y, m in triples if y == estimate]
        return sum((s * m for s, m in group), Fraction(0)) / sum((m for _, m in group), Fraction(0))

    if claim["estimate"] == "conditional-mean" and any(mean(y) != y for _, y, _ in triples):
        return False
    law = gathered([(s, m) for s, _, m in triples])
    seen = gathered([(mean(y), m) for _, y, m in triples])
    error = sum((m * abs(s - mean(y)) for s, y, m in triples), Fraction(0))
    least = min(sum(m * abs(s - h) for s, m in seen) for h, _ in seen)
    distance, kappa = transport(law, seen), load / (1 - load)
    tie = [kappa / 2 - least_cost(each, load, Fraction(0)) for each in (law, seen)]
    tie_bound = tie[0] if least == 0 else ((1 + error / least) ** 2 - 1) * tie[1]
    numbers = (error, least, distance, kappa * load * distance, tie_bound)
    if any(Fraction(claim[name]) != value for name, value in zip(NUMBERS, numbers, strict=True)):
        return False
    for row in claim["rows"]:
        full, guess = (least_cost(each, load, Fraction(row["imbalance"])) for each in (law, seen))
        if [Fraction(row[name]) for name in ("full", "seen", "loss")] != [
            full,
            guess,
            guess - full,
        ]:
            return False
    return True


def lognormal(sigma: Any) -> Law:
    """The lognormal law with mean one."""

    def above(u: Any, shift: Any = 0) -> Any:
        return mp.ncdf(-(mp.log(u) + sigma * sigma / 2) / sigma + shift)

    return Law(mpf(0), None, above, lambda u: above(u, sigma) - u * above(u))


def _mean(f: Callable[[Any], Any], turn: Any) -> Any:
    """The mean of f(N), N standard normal, where f has its only kink at `turn`."""
    far = 8 * mp.sqrt(mp.dps)
    cuts = sorted({*range(-int(far), int(far) + 1, 4), turn})
    return mp.quad(lambda x: f(x) * mp.npdf(x), [mpf(cut) for cut in cuts])


@lru_cache(maxsize=64)
def _solutions(
    sigma: Fraction, noise: Fraction, load: Fraction, digits: int
) -> tuple[Solution, Solution, list[Any]]:
    s1, n = number(sigma), number(noise)
    s = s1 * s1 / mp.sqrt(s1 * s1 + n * n)
    v = mp.sqrt(s1 * s1 - s * s)
    full, seen = (Solution(lognormal(each), load, digits) for each in (s1, s))
    error = _mean(lambda x: abs(mp.exp(v * x - v * v / 2) - 1), v / 2)
    least = mp.exp(-s * s / 2) * _mean(lambda x: abs(mp.exp(s * x) - 1), 0)
    distance = _mean(
        lambda x: abs(mp.exp(s1 * x - s1 * s1 / 2) - mp.exp(s * x - s * s / 2)), (s1 + s) / 2
    )
    kappa = number(load / (1 - load))
    tie = kappa / 2 * ((1 + error / least) ** 2 - 1) * seen.saving
    return full, seen, [error, least, distance, kappa * number(load) * distance, tie]


def _lognormal(claim: dict[str, Any], digits: int) -> bool | None:
    if set(claim) != {"sizes", "noise", *COMMON}:
        return False
    if set(claim["sizes"]) != {"family", "sigma"} or claim["sizes"]["family"] != "lognormal":
        return False
    load = Fraction(claim["load"])
    sigma, noise = Fraction(claim["sizes"]["sigma"]), Fraction(claim["noise"])
    fine = 0 < load < 1 and sigma > 0 and noise > 0
    if not fine or not _rows_fine(claim, {"full", "seen", "loss"}):
        return False
    full, seen, numbers = _solutions(sigma, noise, load, digits)
    facts = [
        _within(claim[name], value, digits) for name, value in zip(NUMBERS, numbers, strict=True)
    ]
    for row in claim["rows"]:
        if False in facts:
            return False
        z = Fraction(row["imbalance"])
        one, two = full.row(z)[0], seen.row(z)[0]
        facts += [_within(row["full"], one, digits), _within(row["seen"], two, digits)]
        facts.append(_within(row["loss"], two - one, digits - 3))
    return False if False in facts else None if None in facts else True
