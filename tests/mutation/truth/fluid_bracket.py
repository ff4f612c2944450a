"""Whether a bracket claim is true: the true least cost by quadrature, the bin policy by costates.

The value of a law with a density comes from its closed form with the integral of 1/E|S - h|^2 by
mpmath at 30 digits, h found by a root finder; that of a finite law, and of the conditional means,
from the exact backward integration of fluid_value. Shares above a size are taken from the integral
of the density (uniform), from sums (finite) or from integer roots of the size (Pareto).
"""

from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any

import mpmath
from sympy import integer_nthroot

from tests.mutation.truth.fluid_value import Atoms, least_cost, read_law

Number = Any
FIELDS = {"law", "load", "imbalance", "bins", "lower", "upper", "regret"}


def truth(claim: dict[str, Any]) -> bool | None:
    """True or False; None if a size of a Pareto law has no rational root."""
    try:
        return _truth(claim)
    except (KeyError, TypeError, ValueError, ZeroDivisionError, IndexError, AttributeError):
        return False  # not a claim of this form


@lru_cache(maxsize=256)
def smooth_value(family: str, parameter: Fraction, load: Fraction, z: Fraction) -> Number:
    """The least cost at total work 1 for uniform or Pareto sizes."""
    with mpmath.workdps(30):
        p, rho = (mpmath.mpf(x.numerator) / x.denominator for x in (parameter, load))
        zz = mpmath.mpf(z.numerator) / z.denominator
        kappa, k = rho / (1 - rho), (1 - rho) / rho
        low = p if family == "uniform" else (p - 1) / p
        high = 2 - low

        def deviation(h: Number) -> Number:
            if h <= low:
                return 1 - h
            if family == "uniform":
                return h - 1 + (high - h) ** 2 / (4 * (1 - low)) * 2 if h < high else h - 1
            return h - 1 + 2 * low**p * h ** (1 - p) / (p - 1)

        def integral(a: Number, b: Number) -> Number:
            if a >= b:
                return mpmath.mpf(0)
            if a < low:
                b0 = min(low, b)
                return 1 / (1 - b0) - 1 / (1 - a) + integral(b0, b)
            if family == "uniform" and b > high:
                start = max(a, high)
                return integral(a, high) + 1 / (start - 1) - (1 / (b - 1) if b < mpmath.inf else 0)
            if b == mpmath.inf:  # by u = 1/y
                middle = max(a, mpmath.mpf(4))
                tail = mpmath.quad(lambda y: (y * deviation(1 / y)) ** -2, [0, 1 / middle])
                return integral(a, middle) + tail
            if b - a < 4:
                return mpmath.quad(lambda u: deviation(u) ** -2, mpmath.linspace(a, b, 4))
            ends = mpmath.log(a), mpmath.log(b)
            cuts = mpmath.linspace(*ends, 2 + int((ends[1] - ends[0]) / 3))
            return mpmath.quad(lambda v: mpmath.exp(v) / deviation(mpmath.exp(v)) ** 2, cuts)

        if rho > mpmath.mpf(1) / 2:
            work = 1 / (2 * rho)
            if family == "uniform":
                exit_at = mpmath.sqrt(low**2 + 4 * (1 - low) * work)
            else:
                exit_at = low * (1 - work) ** (-1 / (p - 1))
            reach_at_exit = exit_at / deviation(exit_at)
        else:
            exit_at, reach_at_exit = mpmath.inf, mpmath.mpf(1)
        if z == 0:
            return kappa / 2 * (1 - 1 / (reach_at_exit + k * integral(mpmath.mpf(0), exit_at)))
        if z == 1 and rho <= mpmath.mpf(1) / 2:
            return mpmath.mpf(0)
        if z == 1:
            return (kappa * (1 - deviation(exit_at) / exit_at) - 1 / exit_at) / 2
        whole = integral(mpmath.mpf(0), exit_at)

        def miss(t: Number) -> Number:
            """Rises with h = t/(1 - t) from negative to positive."""
            h = t / (1 - t)
            return h / deviation(h) - zz * (
                reach_at_exit + k * (whole - integral(mpmath.mpf(0), h))
            )

        top = 1 - mpmath.mpf(10) ** -12 if exit_at == mpmath.inf else exit_at / (1 + exit_at)
        # V is stationary in h: half of the digits of h are enough
        t = mpmath.findroot(miss, (mpmath.mpf(0), top), solver="anderson", tol=1e-24, verify=False)
        h = t / (1 - t)
        return (kappa - kappa * zz * deviation(h) / h - zz * zz / h) / 2


def above(claim: dict[str, Any], atoms: Atoms, size: Fraction) -> tuple[Fraction, Fraction] | None:
    """The shares of jobs and work above a size."""
    law = claim["law"]
    if atoms:
        bigger = [(s, mass) for s, mass in atoms if s > size]
        return sum((m for _, m in bigger), Fraction(0)), sum(
            (s * m for s, m in bigger), Fraction(0)
        )
    if law["family"] == "uniform":
        low, high = Fraction(law["lowest"]), 2 - Fraction(law["lowest"])
        size = max(low, min(size, high))
        return (high - size) / (high - low), (high**2 - size**2) / (2 * (high - low))
    shape = Fraction(law["shape"])
    ratio, q = size / (1 - 1 / shape), shape.denominator
    if ratio < 1:
        return Fraction(1), Fraction(1)
    (top, exact_top), (bottom, exact_bottom) = (
        integer_nthroot(n, q) for n in (ratio.numerator, ratio.denominator)
    )
    if not (exact_top and exact_bottom):
        return None
    root = Fraction(int(top), int(bottom))
    return root**-shape.numerator, root ** (q - shape.numerator)


def _truth(claim: dict[str, Any]) -> bool | None:
    if set(claim) != FIELDS:
        return False
    law, load, z = claim["law"], Fraction(claim["load"]), Fraction(claim["imbalance"])
    lower, upper, regret = (Fraction(claim[name]) for name in ("lower", "upper", "regret"))
    atoms: Atoms = ()
    if "family" in law:
        if not 0 < load < 1 or not 0 <= z <= 1:
            return False
        parameter = Fraction(law[{"uniform": "lowest", "pareto": "shape"}[law["family"]]])
        fine = 0 <= parameter < 1 if law["family"] == "uniform" else parameter > 1
        if len(law) != 2 or not fine:
            return False
        if upper - lower != regret:
            return False
        if parameter.denominator > 10**6:
            return None  # too close to another law to tell by thirty digits
        value = smooth_value(law["family"], parameter, load, z)
        with mpmath.workdps(30):
            gap = value - mpmath.mpf(lower.numerator) / lower.denominator
        if gap < 0:
            return False if gap < -1e-17 else None
    else:
        data = read_law(claim)
        if data is None or not 0 <= z <= 1 or upper - lower != regret:
            return False
        atoms = data[0]
        if lower > least_cost(atoms, load, z):
            return False
    rests = [(Fraction(1), Fraction(1))]
    last = None
    for text in claim["bins"]:
        size = Fraction(text)
        if last is not None and size <= last:
            return False
        rest = above(claim, atoms, size)
        if rest is None:
            return None
        rests.append(rest)
        last = size
    rests.append((Fraction(0), Fraction(0)))
    means = []
    for (jobs, work), (jobs_left, work_left) in pairwise(rests):
        if jobs <= jobs_left:
            return False
        means.append(((work - work_left) / (jobs - jobs_left), jobs - jobs_left))
    return upper == least_cost(tuple(means), load, z)
