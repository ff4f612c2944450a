"""Whether a fluid-enclosure claim is true: floating quadrature, first to 20 digits, then to 80.

X is integrated with mpmath in the logarithm of the size (between the breaks of a mixture), the
cutoff is found by secants, and the value is taken in its form with C and D. A claim that differs
from what was computed by less than five digits more than those is left open.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any

from mpmath import mp, mpf

DIGITS = (20, 80)
FIELDS = {
    "exponential": [],
    "hyperexponential": ["weights", "means"],
    "balanced-hyperexponential": ["squared_variation"],
    "uniform": ["lowest"],
    "pareto": ["shape"],
    "bounded-pareto": ["shape", "ratio"],
    "gamma": ["shape"],
    "weibull": ["shape"],
    "lognormal": ["sigma"],
}


@dataclass(frozen=True)
class Law:
    """Extreme sizes (None: no largest), P(S > u) and E(S - u)+ between them."""

    low: Any
    high: Any
    above: Callable[[Any], Any]
    excess: Callable[[Any], Any]
    breaks: tuple[Any, ...] = ()
    atoms: tuple[tuple[Any, Any], ...] = ()

    def deviation(self, u: Any) -> Any:
        """E|S - u|."""
        if u <= self.low:
            return 1 - u
        if self.high is not None and u >= self.high:
            return u - 1
        return u - 1 + 2 * self.excess(u)

    def share(self, u: Any) -> Any:
        """P(S > u)."""
        if u <= self.low:
            return mpf(1)
        return mpf(0) if self.high is not None and u >= self.high else self.above(u)

    def work_above(self, u: Any) -> Any:
        """E[S; S > u]."""
        if u <= self.low:
            return mpf(1)
        if self.high is not None and u >= self.high:
            return mpf(0)
        return self.excess(u) + u * self.above(u)


def number(value: Fraction) -> Any:
    """A rational at the current precision."""
    return mpf(value.numerator) / value.denominator


def mixture(data: dict[str, Any]) -> Law | None:
    """A mixture of stretched laws and of atoms."""
    if set(data) != {"family", "components", "atoms"} or not data["components"]:
        return None
    atoms = [(Fraction(size), Fraction(mass)) for size, mass in data["atoms"]]
    parts = []
    for each in data["components"]:
        law = make_law(each["law"])
        if set(each) != {"weight", "mean", "law"} or law is None or law.atoms or law.breaks:
            return None
        parts.append((Fraction(each["weight"]), Fraction(each["mean"]), law))
    shares = [*((w, m) for w, m, _ in parts), *((mass, size) for size, mass in atoms)]
    sizes = [size for size, _ in atoms]
    fine = (
        sizes == sorted(set(sizes))
        and min([*sizes, Fraction(0)]) == 0
        and min(weight for weight, _ in shares) > 0
        and min(mean for _, mean, _ in parts) > 0
        and sum(weight for weight, _ in shares) == 1
        and sum(weight * mean for weight, mean in shares) == 1
    )
    if not fine:
        return None
    known = [(number(w), number(m), law) for w, m, law in parts]
    lumps = tuple((number(size), number(mass)) for size, mass in atoms)
    highs = [None if law.high is None else law.high * m for _, m, law in known]
    ends = [m * end for _, m, law in known for end in (law.low, law.high) if end]
    return Law(
        mpf(0),
        None if None in highs else max([*highs, *(size for size, _ in lumps)]),
        lambda u: (
            sum(w * law.share(u / m) for w, m, law in known) + sum(q for s, q in lumps if s > u)
        ),
        lambda u: (
            sum(w * m * (law.deviation(u / m) - u / m + 1) / 2 for w, m, law in known)
            + sum(q * (s - u) for s, q in lumps if s > u)
        ),
        tuple(sorted([*ends, *(size for size, _ in lumps if size > 0)])),
        lumps,
    )


def make_law(data: dict[str, Any]) -> Law | None:
    """The law, None if the parameters violate the hypotheses."""
    family = data["family"]
    if family == "mixture":
        return mixture(data)
    if set(data) != {"family", *FIELDS[family]}:
        return None
    lists = {k: [Fraction(v) for v in data[k]] for k in ("weights", "means") if k in data}
    given = {k: Fraction(data[k]) for k in FIELDS[family] if k not in lists}
    values = {k: number(v) for k, v in given.items()}
    if family == "exponential":
        return Law(mpf(0), None, lambda u: mp.exp(-u), lambda u: mp.exp(-u))
    if family in ("hyperexponential", "balanced-hyperexponential"):
        if family == "hyperexponential":
            weights, means = lists["weights"], lists["means"]
            mean = sum(w * m for w, m in zip(weights, means, strict=False))
            fine = len(weights) == len(means) > 0 and min(*weights, *means) > 0
            if not (fine and sum(weights) == 1 and mean == 1):
                return None
            phases = [(number(w), number(m)) for w, m in zip(weights, means, strict=True)]
        else:
            if given["squared_variation"] <= 1:
                return None
            v = values["squared_variation"]
            weights = [(1 + sign * mp.sqrt((v - 1) / (v + 1))) / 2 for sign in (1, -1)]
            phases = [(w, 1 / (2 * w)) for w in weights]
        return Law(
            mpf(0),
            None,
            lambda u: sum(w * mp.exp(-u / m) for w, m in phases),
            lambda u: sum(w * m * mp.exp(-u / m) for w, m in phases),
        )
    if family == "uniform":
        if not 0 <= given["lowest"] < 1:
            return None
        low = values["lowest"]
        high, width = 2 - low, 2 - 2 * low
        return Law(low, high, lambda u: (high - u) / width, lambda u: (high - u) ** 2 / (2 * width))
    if family == "pareto":
        if given["shape"] <= 1:
            return None
        al = values["shape"]
        low = (al - 1) / al
        return Law(low, None, lambda u: (low / u) ** al, lambda u: u * (low / u) ** al / (al - 1))
    if family == "bounded-pareto":
        if given["shape"] <= 0 or given["ratio"] <= 1:
            return None
        al, ratio = values["shape"], values["ratio"]

        def power(a: Any, b: Any) -> Any:
            if given["shape"] == 1:
                return mp.log(b / a)
            return (a ** (1 - al) - b ** (1 - al)) / (al - 1)

        cut = ratio**-al
        low = (1 - cut) / (1 - cut + power(1, ratio) - cut * (ratio - 1))
        return Law(
            low,
            low * ratio,
            lambda u: ((low / u) ** al - cut) / (1 - cut),
            lambda u: low * (power(u / low, ratio) - cut * (ratio - u / low)) / (1 - cut),
        )
    if given[FIELDS[family][0]] <= 0:
        return None
    if family == "gamma":
        al = values["shape"]
        return Law(
            mpf(0),
            None,
            lambda u: mp.gammainc(al, al * u, mp.inf, regularized=True),
            lambda u: (
                mp.gammainc(al + 1, al * u, mp.inf, regularized=True)
                - u * mp.gammainc(al, al * u, mp.inf, regularized=True)
            ),
        )
    if family == "weibull":
        al = values["shape"]
        rate = mp.gamma(1 + 1 / al)
        return Law(
            mpf(0),
            None,
            lambda u: mp.exp(-((rate * u) ** al)),
            lambda u: mp.gammainc(1 / al, (rate * u) ** al, mp.inf, regularized=True),
        )
    s = values["sigma"]
    return Law(
        mpf(0),
        None,
        lambda u: mp.ncdf(-(mp.log(u) + s * s / 2) / s),
        lambda u: mp.ncdf(-(mp.log(u) - s * s / 2) / s) - u * mp.ncdf(-(mp.log(u) + s * s / 2) / s),
    )


def gauss(f: Callable[[Any], Any], a: Any, b: Any, smooth: Any) -> Any:
    """The integral of f from a to b > a > 0 in log u, on pieces of length about `smooth`."""
    first, last = mp.log(a), mp.log(b)
    count = int(mp.ceil((last - first) / smooth)) or 1
    cuts = [first + (last - first) * i / count for i in range(count + 1)]
    return mp.quad(lambda t: f(mp.exp(t)) * mp.exp(t), cuts, method="gauss-legendre")


class Solution:
    """One law at one load and one number of digits."""

    def __init__(self, law: Law, load: Fraction, digits: int) -> None:
        self.law, self.load, self.digits = law, number(load), digits
        self.kappa = self.load / (1 - self.load)
        self.half = load <= Fraction(1, 2)
        self.finite = not self.half or (load == Fraction(1, 2) and law.high is not None)
        self.exit = self._exit(load) if self.finite else None
        self.start = self.exit / law.deviation(self.exit) if self.finite else mpf(1)
        self.anchors: list[tuple[Any, Any]] = []
        self.rows: dict[Fraction, tuple[Any, Any, Any]] = {}
        self.saving = 1 / self.reach(mpf(0))

    def _exit(self, load: Fraction) -> Any:
        if load == Fraction(1, 2):
            return self.law.high
        rest = 1 - 1 / (2 * self.load)
        for size, mass in self.law.atoms:  # the work of an atom may take the share across `rest`
            above = self.law.work_above(size)
            if above <= rest < above + mass * size:
                return size
        low = high = mpf(1)
        while self.law.work_above(low) <= rest:
            low /= 2
        while self.law.work_above(high) > rest:
            high *= 2
        return _root(lambda u: rest - self.law.work_above(u), low, high)

    def integral(self, h: Any) -> Any:
        """The integral of 1/D^2 from h to the exit cutoff, kept for the next one near by."""
        above = min((a for a in self.anchors if a[0] >= h), key=lambda a: a[0], default=None)
        below = max((a for a in self.anchors if a[0] <= h), key=lambda a: a[0], default=None)
        if above is not None:
            value = above[1] + self._between(h, above[0])
        elif below is not None and self.exit is not None:
            value = below[1] - self._between(below[0], h)
        else:
            value = self._between(h, self.exit)
        self.anchors.append((h, value))
        return value

    def _between(self, a: Any, b: Any) -> Any:
        """The integral from a to b (None: infinity)."""
        law, total = self.law, mpf(0)
        tiny = mpf(10) ** -(2 * self.digits // 3 + 5)
        ends = [law.low if law.low > 0 else tiny]
        if law.high is not None:
            ends.append(law.high)
        far = mpf(10) ** self.digits
        stop = far if b is None else b
        if law.high is not None and b is None:
            if a >= law.high:
                return 1 / (a - 1)
            stop = law.high
            total += 1 / (law.high - 1)
        elif b is None:
            total += 1 / far
        cuts = sorted({a, stop, *(e for e in (*ends, *law.breaks) if a < e < stop)})
        for low, high in pairwise(cuts):
            if high <= ends[0]:
                total += 1 / (1 - high) - 1 / (1 - low)
            elif law.high is not None and low >= law.high:
                total += 1 / (low - 1) - 1 / (high - 1)
            else:
                total += gauss(lambda u: 1 / law.deviation(u) ** 2, low, high, mpf(1) / 2)
        return total

    def reach(self, h: Any) -> Any:
        """X(h)."""
        return self.start + self.integral(h) / self.kappa

    def imbalance(self, h: Any) -> Any:
        """Z(h)."""
        return h / (self.law.deviation(h) * self.reach(h))

    def row(self, z: Fraction) -> tuple[Any, Any, Any]:
        """Least cost, cutoff (None: infinity) and time at imbalance z and total work 1."""
        if z not in self.rows:
            self.anchors = self.anchors[:4]
            self.rows[z] = self._row(z)
        return self.rows[z]

    def _row(self, z: Fraction) -> tuple[Any, Any, Any]:
        if z == 1 and self.half:
            return mpf(0), self.exit, mpf(0)
        if z == 1:
            # the empty queue is kept busy: only the jobs above the cutoff wait, behind all work,
            # and those of the cutoff's own size for which there is no room
            rest = 1 - 1 / (2 * self.load) - self.law.work_above(self.exit)
            share = self.law.share(self.exit) + (rest / self.exit if self.law.atoms else 0)
            return self.kappa * share, self.exit, mpf(0)
        h = mpf(0)
        if z > 0:
            high = mpf(1)
            while (self.exit is None or high < self.exit) and self.imbalance(high) < number(z):
                h, high = high, high * 2
            if self.exit is not None and high > self.exit:
                high = self.exit
            h = _root(lambda u: self.imbalance(u) - number(z) if u > 0 else -number(z), h, high)
        level = 1 / self.reach(h)
        time = (1 - level * self.start) / (1 - self.load)
        return self.kappa * (1 - level) / 2 - h * (level / self.law.deviation(h)) ** 2 / 2, h, time


def _root(f: Callable[[Any], Any], low: Any, high: Any) -> Any:
    """Where an increasing function vanishes: bisection, then secants within the bracket."""
    for _ in range(12):
        middle = (low + high) / 2
        if f(middle) < 0:
            low = middle
        else:
            high = middle
    a, b = low, high
    fa, fb = f(a), f(b)
    for _ in range(40):
        if fa == fb or abs(b - a) <= abs(b) * mpf(10) ** (3 - mp.dps):
            break
        a, b, fa = b, b - fb * (b - a) / (fb - fa), fb
        fb = f(b)
    return b


@lru_cache(maxsize=256)
def solution(key: str, load: Fraction, digits: int) -> Solution | None:
    """The solution for a law spelled in JSON; to be evaluated at the same precision."""
    law = make_law(json.loads(key))
    return None if law is None else Solution(law, load, digits)


def truth(claim: dict[str, Any]) -> bool | None:
    """True or False, None where 80 digits cannot tell."""
    try:
        for digits in DIGITS:
            with mp.workdps(digits + 20):
                fact = _truth(claim, digits)
            if fact is not None:
                return fact
    except (KeyError, TypeError, ValueError, ZeroDivisionError, IndexError, AttributeError):
        return False  # not a claim of this form
    return None


def _truth(claim: dict[str, Any], digits: int) -> bool | None:
    fields = {"law", "load", "exit_cutoff", "saving", "values"}
    if set(claim) - {"path"} != fields or not claim["values"]:
        return False
    load = Fraction(claim["load"])
    for row in claim["values"]:
        if set(row) != {"imbalance", "value", "cutoff", "time"}:
            return False
        if not 0 <= Fraction(row["imbalance"]) <= 1:
            return False
    if not 0 < load < 1:
        return False
    found = solution(json.dumps(claim["law"], sort_keys=True), load, digits)
    if found is None:
        return False
    facts = [_within(claim["exit_cutoff"], found.exit, digits)]
    facts.append(_within(claim["saving"], found.saving, digits))
    for row in claim["values"]:
        if False in facts:
            return False
        names = ("value", "cutoff", "time")
        numbers = found.row(Fraction(row["imbalance"]))
        facts += [_within(row[k], v, digits) for k, v in zip(names, numbers, strict=True)]
    if "path" in claim and False not in facts:
        facts += _path(claim, found, digits)
    return False if False in facts else None if None in facts else True


def _path(claim: dict[str, Any], found: Solution, digits: int) -> list[bool | None]:
    """The facts of a path: what is left to wait on the way to the axis tells how much is left."""
    if not claim["path"]:
        return [False]
    listed = [Fraction(row["imbalance"]) for row in claim["values"]]
    last, facts = listed[0], []
    first = found.row(last)[2]
    for row in claim["path"]:
        z = Fraction(row["imbalance"])
        if set(row) != {"imbalance", "total", "time"} or z not in listed or z <= last:
            return [False]
        last, speed = z, 1 - found.load
        # the time to the axis is proportional to the work, and the work falls at the rate `speed`
        total = (1 / speed - first) / (1 / speed - found.row(z)[2])
        facts += [_within(row["total"], total, digits)]
        facts += [_within(row["time"], (1 - total) / speed, digits)]
    return facts


def _within(claimed: Any, value: Any, digits: int) -> bool | None:
    """Whether a claimed interval contains a number known to `digits` digits; None: infinity."""
    if claimed == "infinity" or value is None:
        return claimed == "infinity" and value is None
    if set(claimed) != {"lo", "hi"}:
        return False
    low, high = Fraction(claimed["lo"]), Fraction(claimed["hi"])
    if value == 0:  # known exactly
        return low <= 0 <= high
    margin = abs(value) * mpf(10) ** (5 - digits)
    if number(low) <= value - margin and value + margin <= number(high):
        return True
    if value + margin < number(low) or number(high) < value - margin:
        return False
    return None
