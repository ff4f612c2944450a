"""Whether a comparison claim is true: policies as solutions of their transport equation.

Under a policy with constant shares in a cone of states the cost is a quadratic form V with
V_x x' + V_delta delta' = -(cost rate), two linear equations for its three coefficients, and one
boundary value. The least costs come from the backward integration of fluid_value, for a law with
a density from the floating quadrature of fluid_enclosure, first to 20 digits, then to 80.
"""

import json
from fractions import Fraction
from itertools import pairwise
from typing import Any

from mpmath import mp, mpf

from tests.mutation.truth import fluid_enclosure
from tests.mutation.truth.fluid_heavy_traffic import half_work_share, work_median
from tests.mutation.truth.fluid_value import Atoms, least_cost, read_law

HALF = Fraction(1, 2)
POLICIES = ("optimal", "balanced", "most_work_left", "size_interval", "bin_policy")
SAVING, SAVED = ("optimal", "size_interval", "bin_policy"), ("balanced", "most_work_left")
FIELDS = {"law", "load", "start", "bins", "axis_rule", "work_median", "half_work_share", "savings"}


def truth(claim: dict[str, Any]) -> bool | None:
    """True or False; None where 80 digits cannot tell."""
    try:
        if claim["axis_rule"] not in ("exactly-busy", "same-split") or not _formed(claim):
            return False
        if "family" not in claim["law"]:
            return _finite(claim)
        for digits in fluid_enclosure.DIGITS:
            with mp.workdps(digits + 20):
                fact = _density(claim, digits)
            if fact is not None:
                return fact
    except (KeyError, TypeError, ValueError, ZeroDivisionError, IndexError, AttributeError):
        return False  # not a claim of this form
    return None


def _formed(claim: dict[str, Any]) -> bool:
    """Whether the fields are there, and the start is one of the theorem's."""
    density = {"cutoff", "exit_cutoff"} if "family" in claim["law"] else set()
    rows = [set(claim["savings"][name]) for name in SAVING]
    short, long = Fraction(claim["start"]["short"]), Fraction(claim["start"]["long"])
    load = Fraction(claim["load"])
    return (
        set(claim) == FIELDS | set(POLICIES) | density
        and set(claim["start"]) == {"short", "long"}
        and set(claim["savings"]) == set(SAVING)
        and all(row == {f"against_{name}" for name in SAVED} for row in rows)
        and 0 < load < 1
        and 0 <= short <= long
        and long > 0
        and (short > 0 or load > HALF)
    )


def form(
    load: Any, work: Any, jobs: Any, at_tie: Any, at_axis: Any
) -> tuple[Fraction, Fraction, Fraction]:
    """(A, B, C) of the cost while these shares join the shorter queue, from one boundary value.

    x' = -(1 - load), delta' = load (1 - 2 work), cost rate load (x + (1 - 2 jobs) delta).
    """
    # x:      2 (1 - load) A - speed B   = load
    # delta:  (1 - load) B - 2 speed C   = load (1 - 2 jobs)
    speed, drain = load * (1 - 2 * work), 1 - load
    if speed == 0:
        a, b = load / (2 * drain), load * (1 - 2 * jobs) / drain
        return a, b, at_axis - a - b
    if at_tie is not None:
        a = at_tie
        b = (2 * drain * a - load) / speed
        return a, b, (drain * b - load * (1 - 2 * jobs)) / (2 * speed)
    # A + B + C = at_axis; express B and C by A as above
    b0, b1 = -load / speed, 2 * drain / speed
    c0 = (drain * b0 - load * (1 - 2 * jobs)) / (2 * speed)
    c1 = drain * b1 / (2 * speed)
    a = (at_axis - b0 - c0) / (1 + b1 + c1)
    return a, b0 + b1 * a, c0 + c1 * a


def balanced(load: Fraction, x: Fraction, delta: Fraction) -> Fraction:
    """The cost of joining the shorter queue."""
    at_tie = load / (2 * (1 - load))
    meets = x * load >= delta * (1 - load)  # the tie comes before the end
    a, b, c = form(load, 1, 1, at_tie, None) if meets else form(load, 1, 1, None, Fraction(0))
    return a * x * x + b * x * delta + c * delta * delta


def exit_cost(atoms: Atoms, load: Fraction) -> Fraction:
    """The cost at total work 1 of keeping an empty queue busy with the smallest jobs."""
    needed, jobs = 1 / (2 * load), Fraction(0)
    for size, mass in atoms:
        share = min(Fraction(1), needed / (size * mass)) if size else Fraction(1)
        needed, jobs = needed - share * size * mass, jobs + share * mass
    return load * (1 - jobs) / (1 - load) if 2 * load > 1 else Fraction(0)


def most_work_left(atoms: Atoms, load: Fraction, x: Fraction, delta: Fraction) -> Fraction:
    """The cost of feeding the longer queue until the other is empty, then keeping it busy."""
    a, b, c = form(load, 0, 0, None, exit_cost(atoms, load))
    return a * x * x + b * x * delta + c * delta * delta


def size_interval(load: Any, x: Any, delta: Any, rule: str, share: Any, axis: Any) -> Any:
    """The cost of the split at the work median; `axis` that of an empty queue kept busy."""
    if rule == "same-split":
        # on the axis V = c x^2, x' = -(1 - load)/2, and the large jobs wait: 2 load share x
        axis = 2 * load * share / (1 - load)
    a, b, c = form(load, HALF, 1 - share, None, axis)
    return a * x * x + b * x * delta + c * delta * delta


def binned(atoms: Atoms, bins: list[Fraction]) -> Atoms | None:
    """The conditional means of the bins, None if they do not rise or one is empty."""
    ends: list[Any] = [None, *bins, None]
    means = []
    for low, high in pairwise(ends):
        inside = [
            (s, m) for s, m in atoms if (low is None or s > low) and (high is None or s <= high)
        ]
        mass = sum((m for _, m in inside), Fraction(0))
        means.append((sum((s * m for s, m in inside), Fraction(0)) / mass, mass))
    return tuple(means) if bins == sorted(set(bins)) else None


def _finite(claim: dict[str, Any]) -> bool:
    data = read_law(claim)
    if data is None:
        return False
    atoms, load = data
    short, long = Fraction(claim["start"]["short"]), Fraction(claim["start"]["long"])
    x, delta = short + long, long - short
    coarse = binned(atoms, [Fraction(end) for end in claim["bins"]])
    if coarse is None:
        return False
    share, _ = half_work_share(atoms)
    median = Fraction(claim["work_median"])
    below = sum((s * m for s, m in atoms if s < median), Fraction(0))
    upto = sum((s * m for s, m in atoms if s <= median), Fraction(0))
    axis = exit_cost(atoms, load)
    costs = {
        "optimal": x * x * least_cost(atoms, load, delta / x),
        "balanced": balanced(load, x, delta),
        "most_work_left": most_work_left(atoms, load, x, delta),
        "size_interval": size_interval(load, x, delta, claim["axis_rule"], share, axis),
        "bin_policy": x * x * least_cost(coarse, load, delta / x),
    }
    return (
        below <= HALF <= upto
        and Fraction(claim["half_work_share"]) == share
        and all(Fraction(claim[name]) == cost for name, cost in costs.items())
        and all(
            Fraction(claim["savings"][name][f"against_{other}"]) == 1 - costs[name] / costs[other]
            for name in SAVING
            for other in SAVED
        )
    )


def exactly(value: Any) -> Fraction:
    """The binary number as a fraction."""
    sign, mantissa, exponent, _ = mpf(value)._mpf_
    return Fraction(-mantissa if sign else mantissa) * Fraction(2) ** exponent


def _density(claim: dict[str, Any], digits: int) -> bool | None:
    load, key = Fraction(claim["load"]), json.dumps(claim["law"], sort_keys=True)
    found = fluid_enclosure.solution(key, load, digits)
    if found is None:
        return False
    short, long = Fraction(claim["start"]["short"]), Fraction(claim["start"]["long"])
    x, delta = short + long, long - short
    z, rule = delta / x, claim["axis_rule"]
    median, share = work_median(key, digits)
    value, cutoff, _ = found.row(z)
    # one empty queue: a number of the law at a load above 1/2
    axis: Any = exactly(found.row(Fraction(1))[0]) if 2 * load > 1 else Fraction(0)
    part = exactly(share)
    a, b, c = form(load, 0, 0, None, axis)
    fed = a * x * x + b * x * delta + c * delta * delta
    coarse = _coarse(found.law, [Fraction(end) for end in claim["bins"]], digits)
    if coarse is None:
        return False
    costs: dict[str, Any] = {
        "optimal": exactly(value) * x * x,
        "balanced": balanced(load, x, delta),
        "most_work_left": fed,
        "size_interval": size_interval(load, x, delta, rule, part, axis),
        "bin_policy": x * x * least_cost(coarse, load, z) if len(coarse) > 1 else None,
    }
    if costs["bin_policy"] is None:
        costs["bin_policy"] = costs["balanced"]
    exact = {"balanced"}
    exact |= {"most_work_left"} if 2 * load <= 1 else set()
    exact |= {"size_interval"} if delta == 0 else set()
    exact |= {"bin_policy"} if costs["bin_policy"] == costs["balanced"] else set()
    within = fluid_enclosure._within
    facts = [
        within(claim["exit_cutoff"], found.exit, digits),
        within(claim["cutoff"], cutoff, digits),
        within(claim["work_median"], median, digits),
        within(claim["half_work_share"], share, digits),
    ]
    facts += [_holds(claim[name], costs[name], name in exact, digits) for name in POLICIES]
    for name in SAVING:
        for other in SAVED:
            saving = 1 - costs[name] / costs[other]
            known = {name, other} <= exact or (short == 0 and abs(saving) < Fraction(1, 10**15))
            claimed = claim["savings"][name][f"against_{other}"]
            facts.append(_holds(claimed, Fraction(0) if known else saving, known, digits))
            if known and {name, other} <= exact:
                facts[-1] = _holds(claimed, saving, True, digits)
    return False if False in facts else None if None in facts else True


def _holds(claimed: Any, value: Fraction, exact: bool, digits: int) -> bool | None:
    """Whether a claimed number is a value that is known exactly, or to some digits."""
    margin = Fraction(0) if exact else max(abs(value), Fraction(1, 10)) / 10 ** (digits - 6)
    if isinstance(claimed, str):
        low = high = Fraction(claimed)
        if not exact:
            return False if abs(low - value) > margin else None
    else:
        if set(claimed) != {"lo", "hi"}:
            return False
        low, high = Fraction(claimed["lo"]), Fraction(claimed["hi"])
    if low <= value - margin and value + margin <= high:
        return True
    return False if value + margin < low or high < value - margin else None


def _coarse(law: Any, bins: list[Fraction], digits: int) -> Atoms | None:
    """The conditional means of the bins with their masses, None if a bin is empty."""
    above = [(mpf(1), mpf(1))]
    for size in bins:
        # just below the end, so that its own jobs are in the next bin
        point = fluid_enclosure.number(size) * (1 - mpf(10) ** -(digits + 15))
        above.append((law.share(point), law.work_above(point)))
    above.append((mpf(0), mpf(0)))
    if any(size <= 0 for size in bins) or bins != sorted(set(bins)):
        return None
    means = []
    for (jobs, work), (fewer, less) in pairwise(above):
        if jobs - fewer < mpf(10) ** -digits:
            return None
        means.append((exactly((work - less) / (jobs - fewer)), exactly(jobs - fewer)))
    work = sum(size * mass for size, mass in means)  # 1 but for rounding, which load 1/2 would see
    return tuple((size / work, mass) for size, mass in means)
