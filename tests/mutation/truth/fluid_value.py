"""Whether a fluid value claim is true: exact backward integration of the maximum principle.

From the axis the optimal path is followed backwards in time. Its costate g = -V_delta obeys
g' = load (1 - 2 p) forwards, a size s changes queue when delta = g s, and between two changes
everything is linear in time and the cost quadratic. No transform of the law, no Hamilton-Jacobi
equation and no quadratic form is used.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any

Atoms = tuple[tuple[Fraction, Fraction], ...]


@dataclass(frozen=True)
class Leg:
    """A stretch of the optimal path, followed backwards from (x, delta, cost to go)."""

    x: Fraction
    delta: Fraction
    cost: Fraction
    load: Fraction
    jobs: Fraction
    work: Fraction
    lowest: Fraction  # the smallest imbalance on this leg

    def after(self, time: Fraction) -> tuple[Fraction, Fraction, Fraction]:
        """(x, delta, cost to go) this much earlier."""
        x = self.x + (1 - self.load) * time
        delta = self.delta - self.load * (1 - 2 * self.work) * time
        rates = [each + (1 - 2 * self.jobs) * d for each, d in ((self.x, self.delta), (x, delta))]
        return x, delta, self.cost + self.load * time * sum(rates) / 2

    def value(self, z: Fraction) -> Fraction:
        """The cost at total work 1 and an imbalance z that this leg passes."""
        speed = self.load * (1 - 2 * self.work) + (1 - self.load) * z
        x, _, cost = self.after((self.delta - z * self.x) / speed)
        return cost / (x * x)


@lru_cache(maxsize=64)
def legs(atoms: Atoms, load: Fraction) -> list[Leg]:
    """The optimal path from the axis back to a tie, for at least two sizes."""
    half = 1 / (2 * load)
    if load < Fraction(1, 2):
        short, g, cost = list(atoms), Fraction(0), Fraction(0)
    else:
        taken, jobs = Fraction(0), Fraction(0)
        short = []
        for size, mass in atoms:
            if taken + size * mass >= half:
                share = (half - taken) / size
                break
            taken, jobs = taken + size * mass, jobs + mass
            short.append((size, mass))
        g = 1 / size
        # on the axis: load (1 - jobs) 2 x at work x, x' = -(1 - load)
        cost = load * (1 - jobs - share) / (1 - load)
    x = delta = Fraction(1)
    result = []
    while delta > 0:
        jobs = sum((mass for _, mass in short), Fraction(0))
        work = sum((size * mass for size, mass in short), Fraction(0))
        size = short[-1][0] if short else Fraction(0)
        speed, turn = load * (1 - 2 * work), load * (1 - 2 * jobs)
        time = (delta - size * g) / (speed - size * turn)
        leg = Leg(x, delta, cost, load, jobs, work, Fraction(0))
        x, delta, cost = leg.after(time)
        g -= turn * time
        result.append(Leg(leg.x, leg.delta, leg.cost, load, jobs, work, delta / x))
        if short:
            short.pop()
    return result


def least_cost(atoms: Atoms, load: Fraction, z: Fraction) -> Fraction:
    """The least cost at total work 1 and imbalance z."""
    if len(atoms) == 1:
        # jobs do not differ, so only the short queue's idling can cost: balancing never idles early
        return _balanced_point(load, z)
    return next(leg for leg in legs(atoms, load) if leg.lowest <= z).value(z)


def _balanced_point(load: Fraction, z: Fraction) -> Fraction:
    """Follow the balanced path: the mean waiting cost of its two linear legs."""
    short, x = (1 - z) / 2, Fraction(1)
    drift = load - Fraction(1, 2)
    tie = z / load
    if short + drift * tie < 0:
        return load * short * (short / -drift)
    end = x - (1 - load) * tie
    return load * tie * (short + end / 2) + load * end * end / (2 * (1 - load))


def truth(claim: dict[str, Any]) -> bool | None:
    """True or False, exactly."""
    try:
        return _truth(claim)
    except (KeyError, TypeError, ValueError, ZeroDivisionError, IndexError, AttributeError):
        return False  # not a claim of this form


def read_law(claim: dict[str, Any]) -> tuple[Atoms, Fraction] | None:
    """Sizes, masses and load, if they satisfy the hypotheses."""
    law, load = claim["law"], Fraction(claim["load"])
    if set(law) not in ({"atoms"}, {"atoms", "scale"}) or not law["atoms"]:
        return None
    atoms = tuple((Fraction(size), Fraction(mass)) for size, mass in law["atoms"])
    sizes = [size for size, _ in atoms]
    fine = (
        0 < load < 1
        and Fraction(law.get("scale", "1")) > 0
        and sizes[0] >= 0
        and sizes == sorted(set(sizes))
        and min(mass for _, mass in atoms) > 0
        and sum(mass for _, mass in atoms) == 1
        and sum(size * mass for size, mass in atoms) == 1
    )
    return (atoms, load) if fine else None


def sectors_hold(atoms: Atoms, load: Fraction, sectors: list[dict[str, Any]]) -> bool:
    """Whether the sectors tile [0, 1] and each form is the least cost on its sector."""
    end = Fraction(0)
    if len(atoms) == 1:
        kappa = load / (1 - load)
        knots = [Fraction(0), min(kappa, Fraction(1)), Fraction(1)]
    else:
        knots = [*(leg.lowest for leg in reversed(legs(atoms, load))), Fraction(1)]
    for sector in sectors:
        if set(sector) != {"from", "to", "value"} or len(sector["value"]) != 3:
            return False
        lower, upper = Fraction(sector["from"]), Fraction(sector["to"])
        a, b, c = map(Fraction, sector["value"])
        if lower != end or lower >= upper or upper > 1:
            return False
        cuts = [lower, *(z for z in knots if lower < z < upper), upper]
        for low, high in pairwise(cuts):
            # a quadratic on this piece: four points decide
            for i in range(4):
                z = low + (high - low) * i / 3
                if a + b * z + c * z * z != least_cost(atoms, load, z):
                    return False
        end = upper
    return end == 1


def _truth(claim: dict[str, Any]) -> bool:
    if set(claim) - {"sectors"} != {"law", "load", "values", "saving"} or not claim["values"]:
        return False
    data = read_law(claim)
    if data is None:
        return False
    atoms, load = data
    if "sectors" in claim and not sectors_hold(atoms, load, claim["sectors"]):
        return False
    if "sectors" not in claim and len(atoms) < 2:
        return False
    for row in claim["values"]:
        z = Fraction(row["imbalance"])
        if set(row) != {"imbalance", "value"} or not 0 <= z <= 1:
            return False
        if Fraction(row["value"]) != least_cost(atoms, load, z):
            return False
    tie = least_cost(atoms, load, Fraction(0))
    balanced = load / (2 * (1 - load))
    return Fraction(claim["saving"]) == 1 - tie / balanced
