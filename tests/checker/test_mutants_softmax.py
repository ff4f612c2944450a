"""The bounds of softmax kinds, each at its border: the formulas of the pages by mpmath.

A bound that is a trifle above the number on the page is accepted, one a trifle below is refused,
for systems with no two equal parameters.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import mpmath
import pytest

from certify.softmax import ReflectedUAS, System, WeightedShortestQueue
from certify.softmax.convergence import certify_convergence
from certify.softmax.drift import certify_drift
from certify.softmax.equilibrium import solve
from certify.softmax.obstruction import certify_obstruction
from proofs_checks.checker.kinds.softmax_cells import Server
from proofs_checks.checker.kinds.softmax_convergence import _servers
from proofs_checks.checker.kinds.softmax_generator import drift
from proofs_checks.checker.kinds.softmax_shares import Problem, _exact_slack, read_shares
from proofs_checks.checker.kinds.softmax_system import System as Fleet
from proofs_checks.checker.kinds.softmax_system import read_system
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Outcome, Refusal, Trial
from tests.drift_helpers import FREE, changed, condition, energies, number, verdict
from tests.mutation.engine import Tree

FOLDER = Path(__file__).parents[2] / "certificates"
MEAN = "mean_queue_bound"
UAS = ReflectedUAS(
    "11/5", ["3/4", "5/4", "7/4"], alpha="3/2", beta="3/4", gamma="2/3", offset="1/3"
)
WSQ = WeightedShortestQueue("7/5", ["6/5", "3/4"], weights=["3/4", "5/4"], temperature="3/2")
LONE = WeightedShortestQueue("1/4", ["1/2", "1/3"], weights=["3/2", "1/5"], temperature="9/4")


@pytest.fixture(autouse=True)
def _precise() -> Any:
    with mpmath.workdps(40):
        yield


def shipped(name: str) -> Tree:
    tree: Tree = json.loads((FOLDER / f"{name}.json").read_bytes())
    return tree


def just(value: Any, above: bool) -> str:
    """A fraction that is above, or below, a real number by less than 1e-12 of its size."""
    step = Fraction(1, 10**20)
    near = Fraction(int(mpmath.floor(value * 10**20)), 10**20)
    return str(near + 2 * step if above else near - step)


@dataclass
class Cells:
    """(3) and Lemma 3 of softmax-mean-queue.md, straight from the page."""

    system: System
    eps: Fraction
    shares: Sequence[Fraction]
    linear: Sequence[Fraction]
    increments: Sequence[Sequence[Fraction]]
    periodic: bool = False

    def __post_init__(self) -> None:
        self.alpha, self.slopes, self.shifts = energies(self.system)
        self.rates = [number(rate) for rate in self.system.service_rates]
        self.arrival = number(self.system.arrival_rate)
        self.slacks = [
            (mu - number(c)) * v - number(self.eps)
            for mu, c, v in zip(self.rates, self.shares, self.slopes, strict=True)
        ]

    def increment(self, i: int, q: int) -> Any:
        """D_i(q)."""
        if q < len(self.increments[i]):
            return number(self.increments[i][q])
        return self.slopes[i] * (q + mpmath.mpf(1) / 2) + number(self.linear[i])

    def service(self, i: int, least: int) -> Any:
        """h_i."""
        mu, v, y = self.rates[i], self.slopes[i], number(self.linear[i])
        value = mu * (v / 2 - y) - self.slacks[i] * max(1, least)
        return mpmath.mpf(0) if value < 0 and least == 0 else value

    def beside(self, i: int, q: int) -> Any:
        """a_i(q)."""
        if self.periodic:
            return self.service(i, 0) - number(self.shares[i]) * self.slopes[i] * q
        rest = number(self.eps) * q
        return rest - self.rates[i] * self.increment(i, q - 1) if q else rest

    def least(self, i: int, level: Fraction) -> int:
        """The least queue of a state of this level, by (2)."""
        return max(0, int(mpmath.ceil((number(level) - self.shifts[i]) / self.slopes[i])))

    def cell(self, low: Fraction, high: Fraction, nu: Fraction, floor: bool = True) -> Any:
        """The larger one of B(low) and B(high), for all queues; or without 1/alpha in (4)."""
        values = []
        for end in (low, high):
            value = self.arrival * number(nu)
            for i, (v, kappa) in enumerate(zip(self.slopes, self.shifts, strict=True)):
                first = self.least(i, low)
                last = max(first, len(self.increments[i])) + 2
                terms = []
                for q in range(first, last + 1):
                    gain = self.increment(i, q) - number(nu)
                    gain = max(gain, 1 / self.alpha) if q == last and floor else gain
                    weight = mpmath.exp(self.alpha * (number(end) - v * q - kappa))
                    terms.append(self.beside(i, q) + self.arrival * weight * gain)
                value += max(terms)
            values.append(value)
        return max(values)

    def truth(self, low: Fraction, high: Fraction, nu: Fraction) -> Any:
        """The same with the maximum over a hundred queues in place of (4): at most B."""
        values = []
        for end in (low, high):
            value = self.arrival * number(nu)
            for i, (v, kappa) in enumerate(zip(self.slopes, self.shifts, strict=True)):
                first = self.least(i, low)
                value += max(
                    self.beside(i, q)
                    + self.arrival
                    * mpmath.exp(self.alpha * (number(end) - v * q - kappa))
                    * (self.increment(i, q) - number(nu))
                    for q in range(first, first + 100)
                )
            values.append(value)
        return max(values)

    def far(self, point: Sequence[Fraction], high: Fraction | None) -> Any:
        """The left side of Lemma 3."""
        level = [
            mpmath.log(number(r)) / self.alpha + kappa
            for r, kappa in zip(point, self.shifts, strict=True)
        ]
        steep = max(
            number(c) / (self.alpha * number(r)) - self.arrival * (z + 1 / self.alpha - v / 2 - y)
            for c, r, z, v, y in zip(
                self.shares, point, level, self.slopes, map(number, self.linear), strict=True
            )
        )
        lowest = [0 if high is None else self.least(i, high) for i in range(len(level))]
        return (
            sum(number(c) * z for c, z in zip(self.shares, level, strict=True))
            + self.arrival / self.alpha * (sum(map(number, point)) - 1)
            + steep
            + sum(self.service(i, least) for i, least in enumerate(lowest))
        )


def texts(values: Sequence[Fraction]) -> list[str]:
    return [str(value) for value in values]


def mean_queue(cells: Cells, point: Sequence[Fraction], bound: str) -> Tree:
    tree = shipped("softmax-mean-queue-two-symmetric")
    tree["claim"] = {
        "system": cells.system.to_claim(),
        "mean_queue_bound": bound,
    }
    tree["witness"] = {
        "eps": str(cells.eps),
        "precision": 160,
        "shares": texts(cells.shares),
        "linear": texts(cells.linear),
        "increments": [texts(each) for each in cells.increments],
        "point": texts(point),
    }
    return tree


def fractions(*words: str) -> list[Fraction]:
    return [Fraction(word) for word in words]


UAS_SHARES = fractions("1/2", "4/5", "9/10")
WSQ_SHARES = fractions("7/8", "21/40")
PLANES = [
    (UAS, "1/10", UAS_SHARES, ["1/7", "-1/5", "2/9"], ["1/9", "2/7", "3/5"]),
    (UAS, "1/5", UAS_SHARES, ["-1/7", "1/5", "1/9"], ["3/4", "1/7", "1/5"]),
    (WSQ, "1/20", WSQ_SHARES, ["0", "1/3"], ["2/3", "5/3"]),
    (WSQ, "3/10", WSQ_SHARES, ["1/4", "-1/3"], ["1/3", "1/30"]),
    (LONE, "1/50", fractions("1/4", "0"), ["10", "20"], ["1/3", "1/2"]),  # no h_i is positive
]


@pytest.mark.parametrize(("system", "eps", "shares", "linear", "point"), PLANES)
def test_the_plane_alone(
    system: System, eps: str, shares: list[Fraction], linear: list[str], point: list[str]
) -> None:
    count = len(shares)
    cells = Cells(system, Fraction(eps), shares, fractions(*linear), [[]] * count)
    far = cells.far(fractions(*point), None) / number(cells.eps)
    tree = mean_queue(cells, fractions(*point), just(far, True))
    assert condition(tree) == ""
    assert condition(changed(tree, claim__mean_queue_bound=just(far, False))) == "far"


TABLES = [fractions("1/2", "5/2", "3"), fractions("7/3")]
LEVELS = [
    (WSQ, "1/5", WSQ_SHARES, ["1/4", "-1/3"], TABLES, "-2", "11", "21/2"),
    (WSQ, "1/5", WSQ_SHARES, ["1/4", "1/2"], [[], []], "-1", "5", "4"),
    (WSQ, "1/5", WSQ_SHARES, ["0", "0"], [[], []], "-1", "7/2", "1/3"),
    (UAS, "1/8", UAS_SHARES, ["1/7", "-1/5", "2/9"], [[], TABLES[0], []], "-1", "6", "3/2"),
    (LONE, "1/15", fractions("1/4", "0"), ["0", "0"], [[], []], "-9/2", "-7/2", "40"),
    # the last queue looked at decides, with D - nu = 1 between alpha and 1/alpha
    (LONE, "2/15", fractions("1/4", "0"), ["0", "0"], [[], []], "-9/2", "9/4", "0"),
]


@pytest.mark.parametrize(
    ("system", "eps", "shares", "linear", "tables", "low", "high", "nu"), LEVELS
)
def test_one_cell_between_two_levels(
    system: System,
    eps: str,
    shares: list[Fraction],
    linear: list[str],
    tables: list[list[Fraction]],
    low: str,
    high: str,
    nu: str,
) -> None:
    """The border is the larger one of the cell's bound and of the plane above `high`."""
    cells = Cells(system, Fraction(eps), shares, fractions(*linear), tables)
    bound = cells.cell(Fraction(low), Fraction(high), Fraction(nu))
    levels = {"low": low, "high": high, "cells": [{"multiplier": nu}]}
    for point, refusal in (
        ([Fraction(1, 2)] * len(shares), "cell"),
        ([Fraction(1, 10**6)] * len(shares), "far"),
    ):
        far = cells.far(point, Fraction(high))
        assert (far > bound) is (refusal == "far")
        mean = max(far, bound) / number(cells.eps)
        tree = mean_queue(cells, point, just(mean, True))
        tree["witness"]["levels"] = levels
        assert condition(tree) == ""
        assert condition(changed(tree, claim__mean_queue_bound=just(mean, False))) == refusal


def test_far_queues_of_a_server_without_arrivals() -> None:
    """c = 0 and eps = mu v: a(q) stays, and with a large nu the supremum lies at infinity."""
    eps = Fraction(1, 3) * Fraction(2, 5)
    cells = Cells(LONE, eps, fractions("1/4", "0"), fractions("0", "0"), [[], []])
    low, high, nu = fractions("-9/2", "-4", "60")
    naive, bound = cells.cell(low, high, nu, floor=False), cells.cell(low, high, nu)
    truth = cells.truth(low, high, nu)
    assert naive + 1 < truth <= bound
    levels = {"low": str(low), "high": str(high), "cells": [{"multiplier": str(nu)}]}
    tree = mean_queue(cells, fractions("1/2", "1/2"), just((truth - 1) / number(eps), True))
    tree["witness"]["levels"] = levels
    assert condition(tree) == "cell"


def lattice(cells: Cells, R: Any, above: bool, **witness: Any) -> Tree:
    tree = shipped("softmax-lattice-drift-three")
    text = just(R, above)
    tree["claim"] |= {
        "system": cells.system.to_claim(),
        "eps": str(cells.eps),
        "R": text,
        "mean_queue_bound": str(Fraction(text) / cells.eps),
        "attained": {"state": ["0"] * len(cells.shares), "value": "-100"},
    }
    tree["witness"] = {"precision": 160, "shares": texts(cells.shares), **witness}
    return tree


@pytest.mark.parametrize(
    ("system", "eps", "shares"), [(UAS, "1/8", UAS_SHARES), (WSQ, "1/5", WSQ_SHARES)]
)
@pytest.mark.parametrize("nu", ["1/3", "3"])
def test_lattice_constants_by_one_cell(
    system: System, eps: str, shares: list[Fraction], nu: str
) -> None:
    count = len(shares)
    cells = Cells(system, Fraction(eps), shares, [Fraction(0)] * count, [[]] * count)
    low, high = Fraction(-2), Fraction(7, 2)
    levels = {"low": str(low), "high": str(high), "cells": [{"multiplier": nu}]}
    bound = cells.cell(low, high, Fraction(nu))
    for point, refusal in (
        ([Fraction(1, 2)] * count, "cell"),
        ([Fraction(1, 10**6)] * count, "far"),
    ):
        border = max(bound, cells.far(point, high))
        assert (border > bound) is (refusal == "far")
        words = {"point": texts(point), "levels": levels}
        assert condition(lattice(cells, border, True, **words)) == ""
        assert condition(lattice(cells, border, False, **words)) == refusal


COMMENSURABLE = WeightedShortestQueue(
    "7/5", ["6/5", "3/4"], weights=["3/4", "5/4"], temperature="3/2"
)
SPEEDS = ReflectedUAS("9/5", ["4", "1", "9/4"], alpha="3/2", beta="1/2", gamma="2/3", offset="1/3")


@pytest.mark.parametrize("multiplier", ["2", "-5"])
@pytest.mark.parametrize(
    ("system", "eps", "shares", "period", "low", "length"),
    [
        (COMMENSURABLE, "1/5", WSQ_SHARES, ["5", "3"], "5/4", "15/2"),
        (COMMENSURABLE, "1/20", WSQ_SHARES, ["5", "3"], "5/4", "15/2"),
        # the level asks for exactly one job in the first queue, and one is the worst
        (COMMENSURABLE, "1/5", WSQ_SHARES, ["5", "3"], "9/4", "15/2"),
        (SPEEDS, "1/5", fractions("1", "0", "4/5"), ["4", "2", "3"], "3/8", "2"),
        (SPEEDS, "1/5", fractions("1", "0", "4/5"), ["8", "4", "6"], "3/8", "4"),
    ],
)
def test_lattice_constants_by_a_period(
    system: System,
    eps: str,
    shares: list[Fraction],
    period: list[str],
    low: str,
    length: str,
    multiplier: str,
) -> None:
    count = len(shares)
    cells = Cells(system, Fraction(eps), shares, [Fraction(0)] * count, [[]] * count, periodic=True)
    base, nu = Fraction(low), Fraction(multiplier)
    high = base + Fraction(length) + Fraction(1, 10**9)
    bound = cells.cell(base, high, nu)
    levels: dict[str, Any] = {
        "low": low,
        "high": str(high),
        "cells": [{"multiplier": multiplier}],
    }
    tree = lattice(cells, bound, True, period=period, levels=levels)
    assert condition(tree) == ""
    assert condition(lattice(cells, bound, False, period=period, levels=levels)) == "cell"
    if bound == cells.cell(base, high, nu, floor=False):  # then a cut by queue changes nothing
        for server in range(count):
            for queue in (0, 1):
                cut = [{"queue": queue, "server": server}, *levels["cells"], *levels["cells"]]
                for above in (True, False):
                    parts = {"period": period, "levels": levels | {"cells": cut}}
                    forged = lattice(cells, bound, above, **parts)
                    assert condition(forged) == ("" if above else "cell")
    short = str(high - Fraction(2, 10**9))
    assert condition(changed(tree, witness__levels__high=short)) == "period"
    for i in range(count):
        for step in (-1, 1):
            other = [*period[:i], str(int(period[i]) + step), *period[i + 1 :]]
            assert condition(changed(tree, witness__period=other)) == "period"
    for factor in (Fraction(1, 2 * int(period[0])), Fraction(-1), Fraction(0)):
        other = [str(factor * int(n)) for n in period]
        assert condition(changed(tree, witness__period=other)) == "period"
    top = max(cells.shifts)
    below = levels | {"low": just(top, False)}
    assert condition(changed(tree, witness__levels=below)) == "lowest"


def test_a_period_of_one_job() -> None:
    """Two jobs of a weight 3/8 are one of 3/4."""
    system = WeightedShortestQueue(1, [1, 1], weights=["3/8", "3/4"], temperature=1)
    cells = Cells(
        system, Fraction(1, 10), fractions("1/2", "1/2"), [Fraction(0)] * 2, [[], []], True
    )
    low, high = fractions("3/4", "9/4")
    bound = cells.cell(low, high, Fraction(1))
    levels = {"low": "3/4", "high": "9/4", "cells": [{"multiplier": "1"}]}
    for above in (True, False):
        tree = lattice(cells, bound, above, period=["2", "1"], levels=levels)
        assert condition(tree) == ("" if above else "cell")


def test_levels_that_hold_nothing_cover_nothing() -> None:
    """Equal levels leave out every state but those of that level."""
    for name in ("softmax-mean-queue-wsq-two", "softmax-lattice-drift-wsq-two"):
        tree = shipped(name)
        levels = tree["witness"]["levels"]
        for high in (levels["low"], str(Fraction(levels["low"]) - 1)):
            flat = {"low": levels["low"], "high": high, "cells": [{"multiplier": "2"}]}
            assert condition(changed(tree, witness__levels=flat)) == "cover"


def test_cuts_lie_strictly_inside() -> None:
    tree = shipped("softmax-mean-queue-wsq-two")
    levels = tree["witness"]["levels"]
    for end in ("low", "high"):
        cut = [{"level": levels[end]}, *levels["cells"], {"multiplier": "2"}]
        if end == "low":
            cut = [{"level": levels[end]}, {"multiplier": "2"}, *levels["cells"]]
        assert condition(changed(tree, witness__levels__cells=cut)) in ("cover", "cell")


def test_a_part_with_one_queue_only_is_not_empty() -> None:
    """Q_0 = 0 is a state: its half needs a multiplier that serves it."""
    cells = Cells(WSQ, Fraction(1, 5), WSQ_SHARES, fractions("1/4", "-1/3"), [[], []])
    leaf, wild = {"multiplier": "21/2"}, {"multiplier": "1000000"}
    tree = mean_queue(cells, fractions("1/2", "1/2"), "100000")
    for server in (0, 1):
        for nodes, expected in (
            ([leaf, leaf], ""),
            ([wild, leaf], "cell"),
            ([leaf, wild], "cell"),
        ):
            cut = [{"queue": 0, "server": server}, *nodes]
            tree["witness"]["levels"] = {"low": "-2", "high": "11", "cells": cut}
            assert condition(tree) == expected


def test_a_table_may_end_below_the_highest_level_only() -> None:
    """M_i + 1 = L_i is allowed, M_i = L_i is not."""
    cells = Cells(WSQ, Fraction(1, 5), WSQ_SHARES, fractions("1/4", "-1/3"), [[], []])
    high = Fraction(11)
    levels = {"low": "-2", "high": str(high), "cells": [{"multiplier": "21/2"}]}
    for i in range(2):
        least = cells.least(i, high)
        for length, expected in ((least - 1, ""), (least, "table")):
            tree = mean_queue(cells, fractions("1/2", "1/2"), "10000000000")
            tree["witness"]["levels"] = levels
            tree["witness"]["increments"][i] = ["1"] * length
            assert condition(tree) == expected


def test_the_verdict_counts_the_cells() -> None:
    tree = shipped("softmax-lattice-drift-three")
    leaves = sum("multiplier" in node for node in tree["witness"]["levels"]["cells"])
    assert f"({leaves} cells)" in verdict(tree).line()
    tree = shipped("softmax-mean-queue-wsq-two")
    leaves = sum("multiplier" in node for node in tree["witness"]["levels"]["cells"])
    assert f", {leaves} cells)" in verdict(tree).line()
    assert ", 0 cells)" in verdict(shipped("softmax-mean-queue-wsq-two-plain")).line()


def test_a_level_next_to_that_of_no_jobs_needs_none() -> None:
    """(z - kappa)/v is known up to 1e-3, and rounded up from its low end: 0 stays possible."""
    run = Trial(10**6)
    one = run.real(1, 64)
    problem = Problem(Fleet(Fraction(1), [Fraction(2)], Fraction(1)), Fraction(1), [], 64, run)
    shift = run.real(Fraction(1999, 1000), 64).hull(run.real(Fraction(2001, 1000), 64))
    server = Server(one, one, shift, [], Fraction(0))
    levels = {"1": 0, "2": 0, "2002/1000": 1, "3": 1, "3002/1000": 2, "-5": 0}
    for level, fewest in levels.items():
        assert server.fewest(Fraction(level), problem) == fewest


# --- the audit of the potential, the sweep and the convergence --------------------------------


def origin(system: System, term: str) -> Tree:
    """The grid of the origin alone: its boundary term is lambda (mu - lambda/N) v."""
    tree: Tree = json.loads(certify_obstruction(system, 0).certificate().to_bytes())
    tree["claim"]["origin_term"] = term
    return tree


def alike(arrival: str, rate: str, size: int, beta: str) -> ReflectedUAS:
    return ReflectedUAS(arrival, [rate] * size, alpha="1/8", beta=beta, gamma="0", offset="1/9")


@pytest.mark.parametrize(
    ("system", "term", "expected"),
    [
        (alike("3/2", "5/4", 2, "1"), Fraction(3, 2) * Fraction(1, 2) / Fraction(5, 4), ""),
        (alike("3/2", "2", 1, "3"), Fraction(3, 2) * Fraction(1, 2) / 8, ""),
        (alike("3/2", "1", 3, "2/7"), Fraction(3, 2) * Fraction(1, 2), ""),
        (alike("1", "8/9", 2, "64"), (Fraction(8, 9) - Fraction(1, 2)) * Fraction(9, 8) ** 64, ""),
        (
            alike("1", "8/9", 2, "65"),
            (Fraction(8, 9) - Fraction(1, 2)) * Fraction(9, 8) ** 65,
            "origin",
        ),
        (alike("1", "8/9", 2, "1/2"), Fraction(1), "origin"),
        (
            WeightedShortestQueue("5/4", ["3/4"] * 3, weights=["2/5"] * 3, temperature="3"),
            Fraction(5, 4) * Fraction(1, 3) * Fraction(4, 5),
            "",
        ),
        (WeightedShortestQueue("1/2", [1], weights=[2], temperature=1), Fraction(1), ""),
    ],
)
def test_the_boundary_term_at_the_origin(system: System, term: Fraction, expected: str) -> None:
    assert condition(origin(system, str(term))) == expected
    for factor in (Fraction(999_999, 10**6), Fraction(1_000_001, 10**6)):
        assert condition(origin(system, str(term * factor))) == "origin"


def test_the_diameter_is_exactly_twice_the_tolerance_over_the_least_root() -> None:
    """The least v is 1."""
    system = WeightedShortestQueue(2, [2, 1], weights=["1", "1/2"], temperature=1)
    tolerance = Fraction(1, 10**6)
    found = certify_convergence(system, Fraction(5), tolerance, Fraction(1, 2))
    tree: Tree = json.loads(found.certificate().to_bytes())
    for diameter, expected in (
        (2 * tolerance, ""),
        (2 * tolerance - Fraction(1, 10**15), "diameter"),
        (-2 * tolerance, "diameter"),
    ):
        assert condition(changed(tree, claim__diameter=str(diameter))) == expected


def test_the_digits_of_a_sweep_are_those_of_its_worst_point() -> None:
    tree = shipped("softmax-sweep-two")
    claim, witness = tree["claim"], tree["witness"]
    digits = set()
    betas, others = claim["grid"]["beta"], len(claim["R"]) // len(claim["eps"])
    for i, beta in enumerate(betas):
        single = changed(
            tree,
            claim__grid__beta=[beta],
            claim__eps=[claim["eps"][i]],
            claim__R=claim["R"][i * others : (i + 1) * others],
            claim__mean_queue_bound=claim["mean_queue_bound"][i * others : (i + 1) * others],
            witness__shares=[witness["shares"][i]],
        )
        assert condition(single) == ""
        digits.add(verdict(single).digits)
    assert verdict(tree).digits == min(digits)
    assert min(digits) > 0


@pytest.mark.parametrize("system", [*FREE, WSQ, UAS], ids=lambda system: repr(system)[:40])
def test_the_digits_of_eps_are_those_of_the_largest(system: System) -> None:
    """eps is min((Lambda - lambda)/sum(1/v_i), min mu_i v_i) but for a share of 9e-6."""
    tree: Tree = json.loads(certify_drift(system, 20).certificate().to_bytes())
    _, slopes, _ = energies(system)
    rates = [number(rate) for rate in system.service_rates]
    surplus = sum(rates) - number(system.arrival_rate)
    largest = min(
        surplus / sum(1 / v for v in slopes),
        *(mu * v for mu, v in zip(rates, slopes, strict=True)),
    )
    short = just(largest * (1 - mpmath.mpf("9e-6")), False)
    mean = str(Fraction(tree["claim"]["mean_queue_bound"]) * 2)
    forged = changed(tree, claim__eps=short, claim__mean_queue_bound=mean, claim__attained=None)
    assert condition(forged) == ""
    assert verdict(forged).digits == 5


# --- shares, grids, far states ------------------------------------------------------------------


def test_slack_with_a_power_too_long_to_compare_exactly() -> None:
    """v_i = mu_i**-beta with beta = 99991/99989: the enclosure of the slack decides alone."""
    system = ReflectedUAS(2, ["3/2", 2], alpha=5, beta="99991/99989", gamma=1, offset=1)
    tree: Tree = json.loads(certify_drift(system, 10).certificate().to_bytes())
    assert condition(tree) == ""


def test_the_longest_powers_that_are_compared_exactly() -> None:
    """ratio**root has 100,000 bits or one more; eps = 1 and no share, so the ratio is the rate."""
    for ratio, root, holds in ((511, 10_000, True), (1023, 9_091, False)):
        fleet = Fleet(Fraction(1), [Fraction(ratio)], Fraction(1), Fraction(1, root))
        problem = Problem(fleet, Fraction(1), [], 64, Trial(10**9))
        assert _exact_slack(problem, 0, Fraction(0)) is holds


def test_a_slack_below_one_whose_powers_are_too_long() -> None:
    """v = 1**-beta = 1, so that the slack of no share is 1 - eps, whatever beta is."""
    long = Fraction(10**6 + 1, 10**6)
    for eps, holds in ((Fraction(1, 2), True), (Fraction(3, 2), False)):
        run = Trial(10**9)
        fleet = Fleet(Fraction(1), [Fraction(1), Fraction(1)], Fraction(1), long)
        one = run.real(1, 64)
        problem = Problem(fleet, eps, [(one, one, one)] * 2, 64, run)
        node = Node(["1/2", "1/2"], "witness.shares")
        if holds:
            assert len(read_shares(problem, node)[1]) == 2
        else:
            with pytest.raises(Refusal) as refusal:
                read_shares(problem, node)
            assert refusal.value.condition == "slack"


def test_a_grid_lists_different_numbers_in_lowest_terms() -> None:
    """Everything that belongs to a value is given with it."""
    tree = shipped("softmax-sweep-two")
    claim, grid = tree["claim"], tree["claim"]["grid"]
    counts = [len(grid[axis]) for axis in ("beta", "gamma", "offset")]

    def twice(place: int) -> Tree:
        """The first value of an axis once more at its end."""
        axis = ("beta", "gamma", "offset")[place]
        indices = [list(range(count)) for count in counts]
        indices[place].append(0)
        rows = [(b * counts[1] + g) * counts[2] + o for b, g, o in product(*indices)]
        return changed(
            tree,
            claim__grid={**grid, axis: [*grid[axis], grid[axis][0]]},
            claim__eps=[claim["eps"][b] for b in indices[0]],
            witness__shares=[tree["witness"]["shares"][b] for b in indices[0]],
            **{f"claim__{key}": [claim[key][row] for row in rows] for key in ("R", MEAN)},
        )

    for place in range(3):
        assert condition(twice(place)) == "points"
    for axis, values in grid.items():
        for other in ("2/4", "one", "0.5", [], {"lo": "1"}):
            forged = changed(tree, claim__grid={**grid, axis: [*values[:-1], other]})
            report = verdict(forged)
            assert report.outcome is Outcome.MALFORMED
            assert f"claim.grid.{axis}.{len(values) - 1}" in report.line()


@pytest.mark.parametrize("far", [5, 50, 5_000])
def test_the_drift_where_a_weight_is_next_to_nothing(far: int) -> None:
    """Two servers of rate one, alpha = 3, V = (Q_1**2 + Q_2**2)/2 at (0, far): a job goes to the
    far queue with probability p = exp(-3 far)/(1 + exp(-3 far)) and then counts far + 1/2."""
    run, bits = Trial(10**8), 64
    fleet = Fleet(Fraction(3, 2), [Fraction(1)] * 2, Fraction(3))
    one, zero = run.real(1, bits), run.real(0, bits)
    found = drift(fleet, [(one, one, zero)] * 2, [Fraction(0), Fraction(far)], bits, run)
    with mpmath.workdps(40):
        p = mpmath.exp(-3 * far) / (1 + mpmath.exp(-3 * far))
        right = mpmath.mpf(3) / 2 * (p * far + mpmath.mpf(1) / 2) - far + mpmath.mpf(1) / 2
        low, high = (mpmath.mpf(end.numerator) / end.denominator for end in found.ends())
        assert low <= right <= high
        assert high - low < mpmath.mpf(10) ** -14


def test_constants_of_servers_for_every_root_in_the_interval() -> None:
    """c_i = mu_i min(1, theta_i/K)/lambda at the true K, of which only a tenth is known."""
    system = ReflectedUAS("3/2", ["1/2", "3/4", 1], alpha=2, beta=1, gamma="1/2", offset="1/3")
    tree: Tree = json.loads(solve(system, 30).certificate().to_bytes())
    root = sum(map(number, tree["claim"]["K"].values())) / 2
    run, bits = Trial(10**8), 96
    fleet = read_system(Node(tree["claim"]["system"], "claim.system"), bits, run)
    low, high = (Fraction(mpmath.nstr(root * part, 20)) for part in (0.9, 1.1))
    servers = _servers(fleet, low, high, bits, run)
    for server, theta, rate in zip(
        servers, tree["claim"]["theta"], system.service_rates, strict=True
    ):
        right = float(rate) * min(1, float(sum(map(number, theta.values())) / 2 / root)) / 1.5
        bottom, top = server.share.ends()
        assert float(bottom) - 1e-12 <= right <= float(top) + 1e-12


def test_far_from_the_equilibrium_no_curvature_is_needed() -> None:
    """1e-6 below saturation 32 bits do not show that the curvature's value is at most 1."""
    system = ReflectedUAS("2999999/1000000", [1, 2], alpha=20, beta=1, gamma=1, offset=1)
    found = certify_convergence(system, Fraction(5), Fraction(1, 2), Fraction(1, 2))
    tree: Tree = json.loads(found.certificate().to_bytes())
    far, rough = str(10**9), {"witness__precision": 32, "witness__phases": []}
    claim: dict[str, Any] = {"K": {"lo": "1e-9", "hi": "3e-9"}, "time": far, "diameter": far + "0"}
    claim |= {"tolerance": far, "final_radius": far, "final_rate": "0"}
    fields = {f"claim__{name}": value for name, value in claim.items()}
    assert condition(changed(tree, **rough, **fields)) == ""
    fields |= {"claim__final_rate": f"1/{10**30}"}
    assert condition(changed(tree, **rough, **fields)) == "curvature"
