"""Comparisons for two laws with a density whose numbers are known in closed form, and their claims.

Nothing here integrates an enclosure: E|S - h| is rational, the integral of its inverse square an
arctangent, the optimal cost the integral of the cost rate along the optimal path, and the costs of
the policies come from their transport equations (tests/mutation/truth/fluid_comparison.py). All
numbers are good to nine digits, the claims to about four, the witnesses are short.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import atan, ceil, floor, sqrt
from typing import Any

from certify.certificate import exact, interval
from tests.mutation.engine import Tree
from tests.mutation.truth.fluid_comparison import balanced, form, size_interval
from tests.mutation.truth.fluid_value import least_cost

F = Fraction
HALF = F(1, 2)
Cost = Fraction | float
Given = tuple[str, str, str]  # load, short, long
POLICIES = ("optimal", "balanced", "most_work_left", "size_interval", "bin_policy")
MARGIN, NARROW = 1e-4, 2e-6
SPLIT = "same-split"
INFINITE = float("inf")


@dataclass(frozen=True)
class Law:
    """A law of sizes from `low` to `high` (None: no largest one).

    `antiderivative` is that of 1/D**2 within the sizes, `up_to` the jobs and `work` the work in the
    jobs up to a size, `size` the size up to which there is this share of the work.
    """

    claim: str
    low: float
    high: float | None
    deviation: Callable[[float], float]
    antiderivative: Callable[[float], float]
    jobs: Callable[[Fraction], Fraction]
    work: Callable[[Fraction], Fraction]
    size: Callable[[float], float]
    knots: tuple[Fraction, ...]

    def integral(self, start: float, end: float) -> float:
        """Of 1/D**2; D(u) is |u - 1| outside the sizes."""
        low, high = self.low, self.high if self.high is not None else INFINITE
        total = 1 / (1 - min(end, low)) - 1 / (1 - start) if start < low else 0.0
        if max(start, low) < min(end, high):
            total += self.antiderivative(min(end, high)) - self.antiderivative(max(start, low))
        return total + (1 / (max(start, high) - 1) - 1 / (end - 1) if end > high else 0.0)


UNIFORM = Law(
    claim='{"family": "uniform", "lowest": "0"}',
    low=0.0,
    high=2.0,
    deviation=lambda h: ((h - 1) ** 2 + 1) / 2 if h < 2 else h - 1,
    antiderivative=lambda h: 2 * (h - 1) / ((h - 1) ** 2 + 1) + 2 * atan(h - 1),
    jobs=lambda h: h / 2,
    work=lambda h: h * h / 4,
    size=lambda share: 2 * sqrt(share),
    knots=tuple(F(k, 8) for k in range(17)),
)
PARETO = Law(
    claim='{"family": "pareto", "shape": "2"}',
    low=0.5,
    high=None,
    deviation=lambda h: h - 1 + 1 / (2 * h) if h > 0.5 else 1 - h,
    antiderivative=lambda h: 2 * atan(2 * h - 1) - 1 / (2 * (h - 0.5) ** 2 + 0.5),
    jobs=lambda h: 1 - 1 / (4 * h * h),
    work=lambda h: 1 - 1 / (2 * h),
    size=lambda share: 1 / (2 * (1 - share)),
    knots=tuple(F(round(1000 * 1.25**k), 2000) for k in range(31)),
)


@dataclass(frozen=True)
class Optimal:
    """The optimal path of a law at a load, and the axis cost at total work 1."""

    law: Law
    load: float

    @property
    def exit(self) -> float | None:
        """The exit cutoff."""
        if 2 * self.load > 1:
            return self.law.size(1 / (2 * self.load))
        return self.law.high if 2 * self.load == 1 else None

    @property
    def on_axis(self) -> float:
        """The empty queue gets the jobs below the exit cutoff, the cost rate is 2 rho (1 - p) x."""
        if 2 * self.load <= 1 or self.exit is None:
            return 0.0
        return self.load / (1 - self.load) * (1 - float(self.law.jobs(F(self.exit))))

    def reach(self, h: float) -> float:
        """X(h)."""
        k, end = (1 - self.load) / self.load, self.exit
        if end is None:
            return 1 + k * self.law.integral(h, INFINITE)
        return end / self.law.deviation(end) + k * self.law.integral(h, end)

    def cutoff(self, z: float) -> float:
        """The size with h/D(h) = z X(h), by bisection."""
        low, high = 0.0, self.exit or 1e6
        for _ in range(80):
            h = (low + high) / 2
            below = h / self.law.deviation(h) < z * self.reach(h)
            low, high = (h, high) if below else (low, h)
        return low

    def cost(self, z: float) -> float:
        """At total work 1: the cost rate rho (x + (1 - 2 F(h)) delta), integrated along the path.

        There x = C X(h), delta = C h/D(h), and the time is C/rho times the integral of 1/D**2.
        """
        if z == 1:
            return self.on_axis
        start, end = self.cutoff(z), self.exit
        unit, last = 1 / self.reach(start), end / self.law.deviation(end) if end else 1.0

        def rate(h: float) -> float:
            spread = self.law.deviation(h)
            inside = max(self.law.low, min(h, self.law.high or h))
            turn = 1 - 2 * float(self.law.jobs(F(inside)))
            return (self.reach(h) + turn * h / spread) / spread**2

        places = [start, *(p for p in (self.law.low, 1.0, 2.0) if start < p < (end or INFINITE))]
        total = sum(simpson(rate, a, b) for a, b in pairwise([*places, *([end] if end else [])]))
        if end is None:
            total += simpson(lambda t: rate(1 / t) / t**2, 1e-9, 1 / places[-1])
        return unit * unit * (total + last * last * self.on_axis)


def simpson(rate: Callable[[float], float], start: float, end: float, steps: int = 100) -> float:
    """The integral by Simpson's rule."""
    width = (end - start) / steps
    ends = [rate(start + width * k) for k in range(steps + 1)]
    odd, even = sum(ends[1:-1:2]), sum(ends[2:-1:2])
    return (ends[0] + ends[-1] + 4 * odd + 2 * even) * width / 3


def bin_means(law: Law, bins: tuple[str, ...]) -> tuple[tuple[Fraction, Fraction], ...]:
    """The conditional means of the bins with their masses."""
    ends = [(law.jobs(F(end)), law.work(F(end))) for end in bins]
    rows = pairwise([(F(0), F(0)), *ends, (F(1), F(1))])
    return tuple(((b[1] - a[1]) / (b[0] - a[0]), b[0] - a[0]) for a, b in rows)


def costs(law: Law, given: Given, bins: tuple[str, ...], rule: str) -> dict[str, Cost]:
    """The five costs; a fraction where the number is the same for every law."""
    load, short, long = map(F, given)
    x, delta, optimal = short + long, long - short, Optimal(law, float(load))
    z, axis = delta / x, F(optimal.on_axis)
    a, b, c = form(load, 0, 0, None, axis)
    fed = a * x * x + b * x * delta + c * delta * delta
    share = 1 - law.jobs(F(law.size(0.5)))
    split = size_interval(load, x, delta, rule, share, axis)
    even, means = balanced(load, x, delta), bin_means(law, bins)
    joined = 2 * load < 1 and z > means[-1][0] / (means[-1][0] - 1 + (1 - load) / load)
    best = float(x * x) * optimal.cost(float(z))
    seen: Cost = even
    if bins and not joined:
        seen = float(x * x * least_cost(means, load, z))
    same = short == 0
    return {
        "optimal": best,
        "balanced": even,
        "most_work_left": fed if 2 * load <= 1 else best if same else float(fed),
        "size_interval": split if z == 0 else best if same and rule != SPLIT else float(split),
        "bin_policy": seen,
    }


@lru_cache(maxsize=256)
def _comparison(law: Law, given: Given, bins: tuple[str, ...], rule: str) -> str:
    load, short, long = given
    optimal = Optimal(law, float(F(load)))
    z, found = (F(long) - F(short)) / (F(long) + F(short)), costs(law, given, bins, rule)
    end, median = optimal.exit, law.size(0.5)
    narrow = around(end, NARROW) if end is not None else "infinity"
    if end == law.high and end is not None:
        narrow = interval(F(end), F(end))
    cutoff = around(optimal.cutoff(float(z)), NARROW) if 0 < z < 1 else narrow
    claim: dict[str, Any] = {
        "law": json.loads(law.claim),
        "load": load,
        "start": {"short": short, "long": long},
        "bins": [*bins],
        "axis_rule": rule,
        "exit_cutoff": narrow,
        "cutoff": cutoff if z else interval(F(0), F(0)),
        "work_median": around(median, NARROW),
        "half_work_share": around(1 - float(law.jobs(F(median))), MARGIN),
    }
    claim |= {name: spelled(found[name]) for name in POLICIES}
    claim["savings"] = {
        name: {
            f"against_{other}": spelled(saving(found[name], found[other]))
            for other in ("balanced", "most_work_left")
        }
        for name in ("optimal", "size_interval", "bin_policy")
    }
    terms = [16] * (len(law.knots) - 1)
    witness = {"knots": [exact(knot) for knot in law.knots], "terms": terms, "precision": 64}
    tree = {"format": "certify/1", "kind": "fluid-comparison", "claim": claim, "witness": witness}
    return json.dumps(tree)


def comparison(
    law: Law, given: Given, bins: tuple[str, ...] = ("1",), rule: str = "exactly-busy"
) -> Tree:
    """A true certificate at a load and workloads short <= long."""
    tree: Tree = json.loads(_comparison(law, given, bins, rule))
    return tree


def saving(cost: Cost, other: Cost) -> Cost:
    """One minus the ratio, exact if both are or if they are one and the same."""
    return F(0) if cost is other else 1 - cost / other


def around(value: float, margin: float) -> dict[str, str]:
    """A claimed interval."""
    places = F(10**8)
    low, high = floor((value - margin) * 10**8), ceil((value + margin) * 10**8)
    return interval(low / places, high / places)


def spelled(value: Cost) -> Any:
    """A claimed number."""
    if isinstance(value, Fraction):
        return exact(value)
    return around(value, MARGIN * max(1, abs(value)))
