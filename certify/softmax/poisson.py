"""Poisson's equation of a routing system on the states of at most M jobs, solved and rounded.

Apart from certify.softmax.stationary, which asks for it, because NumPy and SciPy take longer to be
imported than all the rest.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, pairwise
from math import ceil, comb, log
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray
from scipy.sparse import csc_matrix
from scipy.sparse.linalg import splu

from certify.balls import ball, brief, ends, nearest, precision, round_up, unit
from certify.certificate import decimal, exact
from certify.errors import OutOfReach
from certify.softmax.excess import softmax_excess
from certify.softmax.shares import Balls, cheapest_shares, enclose, largest_room, require_floats
from certify.softmax.shortest import ShortestQueue
from certify.softmax.stationary import StationaryMean
from certify.softmax.system import System

MAX_STATES = 40_000
BITS = 192  # of the energies, probabilities and the solution
EPS_DIGITS = 20
ROOM = Fraction(3, 2)  # the tables begin with so many times R/eps jobs
PASSES = 12  # of iterative refinement
FINE = 1 << 200  # in units of 1/FINE a change in floating point is a whole number
EXPONENT = 1 << 20  # the largest exponent of which the checker takes the exponential
SHARE = Fraction(7, 10)  # of the width that is left to the gap before rounding
SPARE = 0.125  # by which the inequality one job beyond the tables shall hold

Integers = NDArray[np.object_]  # of Python, in units of 2^-BITS
State = tuple[int, ...]


def enclose_mean(system: System, width: Fraction) -> StationaryMean:
    """E|Q|_1 in an interval of at most this width; OutOfReach if that takes too large tables."""
    with precision(BITS):
        drift = _drift(system)
        count, load = len(system.service_rates), system.arrival_rate / sum(system.service_rates)
        total = ceil(ROOM * drift.R / drift.eps)
        while min(total, count) <= 64 and comb(total + count, count) <= MAX_STATES:
            chain = _Chain(system, drift, total)
            gap = chain.upper.value - chain.lower.value
            if gap <= width * SHARE:
                return chain.bounds(width)
            total += max(1, ceil(log(gap / (width * SHARE)) / -log(load)))
    load_ = brief(exact(load), nearest)
    raise OutOfReach(
        f"a width of {nearest(width)} with {count} servers at load {load_} takes tables of more "
        f"than {MAX_STATES} states"
    )


@dataclass(frozen=True)
class _Drift:
    """(LV)(Q) <= -eps |Q|_1 + R at every state, by Lemma 1 with these shares and this excess."""

    eps: Fraction
    R: Fraction
    shares: tuple[Fraction, ...]
    excess: Fraction


def _drift(system: System) -> _Drift:
    """The lemma with the largest eps."""
    excess, balls = softmax_excess(len(system.service_rates)), _enclose(system)
    require_floats(balls)
    if isinstance(system, ShortestQueue):
        found = system.drift()
        eps, shares, temperature = found.eps, found.shares, arb(0)
    else:
        room = largest_room(system, balls, EPS_DIGITS)
        if room is None:
            raise OutOfReach("the largest eps is not resolved")
        eps, shares = room.eps, tuple(cheapest_shares(system, balls, room))
        temperature = 1 / balls.alpha
    parts = list(zip(shares, balls.rates, balls.slopes, balls.shifts, strict=True))
    most = parts[0][2] / 2 - parts[0][3]
    for _, _, v, kappa in parts:
        most = most.max(v / 2 - kappa)
    R = balls.arrival_rate * (most + ball(excess) * temperature)
    for share, mu, v, kappa in parts:
        R += ball(share) * kappa + mu * v / 2
    return _Drift(eps, round_up(ends(R)[1], EPS_DIGITS), shares, excess)


def _enclose(system: System) -> Balls:
    """The numbers of a system; alpha plays no part for a ShortestQueue."""
    if not isinstance(system, ShortestQueue):
        return enclose(system)
    lists = (system.service_rates, system.slopes, system.offsets)
    rates, slopes, shifts = ([ball(each) for each in values] for values in lists)
    return Balls(ball(system.arrival_rate), arb(1), rates, slopes, shifts)


@dataclass(frozen=True)
class _Solution:
    """|q|_1 + L h = value inside, h(0) = 0, and h is `outside` more than plain beyond."""

    values: Integers
    value: Fraction
    outside: Fraction


class _Chain:
    """The chain on the states of at most `total` + 2 jobs, at the current precision.

    The order of the states is that of the tables: by the number of jobs, then lexicographic.
    """

    def __init__(self, system: System, drift: _Drift, total: int) -> None:
        self.system, self.drift, self.total = system, drift, total
        self.count = len(system.service_rates)
        self.states = list(_states(self.count, total + 2))
        self.inside, self.checked = (comb(t + self.count, t) for t in (total, total + 1))
        place = {state: n for n, state in enumerate(self.states)}
        checked = self.states[: self.checked]
        self.up = np.array([[place[_moved(q, i, 1)] for q in checked] for i in range(self.count)])
        self.down = np.array(
            [[place[_moved(q, i, -min(q[i], 1))] for q in checked] for i in range(self.count)]
        )
        self.jobs = np.array([sum(q) for q in self.states])
        self.chances = _chances(system, checked, total + 2)
        reached = drift.eps * (total + 2)
        # the least slope for which L h is negative enough beyond the tables
        self.slope = round_up((total + 2) / (reached - drift.R), 4)
        self.squares = self._squares()
        self.rates = [_whole(ball(rate)) for rate in system.service_rates]
        self.flows = [
            np.array([_whole(ball(system.arrival_rate) * chance) for chance in row], dtype=object)
            for row in self.chances
        ]

    def _squares(self) -> list[arb]:
        """slope V at every state."""
        tables = [
            [v * ball(self.slope * q * q / 2) for q in range(self.total + 3)]
            for v in _enclose(self.system).slopes
        ]
        return [
            sum((values[q] for values, q in zip(tables, state, strict=True)), arb(0))
            for state in self.states
        ]

    @cached_property
    def upper(self) -> _Solution:
        """The solution that is slope V and a constant beyond, for the bound from above."""
        return self._solve(True)

    @cached_property
    def lower(self) -> _Solution:
        """The solution that is a constant beyond, for the bound from below."""
        return self._solve(False)

    @cached_property
    def _solver(self) -> Any:
        """The factors of the generator on all states inside but the empty one."""
        size = self.inside
        rows, columns, entries = [], [], []
        scale = 1 / float(1 << BITS)
        here = np.arange(size)
        for flow, up, rate, down in zip(self.flows, self.up, self.rates, self.down, strict=True):
            for to, values in (
                (up[:size], flow[:size].astype(float) * scale),
                (down[:size], np.full(size, float(rate) * scale)),
            ):
                rows += [here, here]
                columns += [to, here]
                entries += [values, -values]
        row, column, entry = (np.concatenate(each) for each in (rows, columns, entries))
        kept = (row > 0) & (column > 0) & (column < size)
        matrix = csc_matrix((entry[kept], (row[kept] - 1, column[kept] - 1)))
        return splu(
            matrix, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )  # fmt: skip

    def _applied(self, values: Integers) -> Integers:
        """L h at all checked states, for the values of h at all states."""
        here, result = values[: self.checked], 0 * values[: self.checked]
        for flow, up, rate, down in zip(self.flows, self.up, self.rates, self.down, strict=True):
            result = result + flow * (values[up] - here) + rate * (values[down] - here)
        return np.array(result >> BITS, dtype=object)

    def _refined(self, goal: Integers, outside: Integers) -> tuple[Integers, int]:
        """h and c with goal + L h = c inside, h(0) = 0, and h as given outside: integers all.

        Solved in floating point for the residual, again and again: what the machine does in its
        last digits is gone in the end.
        """
        size, c = self.inside, 0
        values = np.concatenate([np.array([0] * size, dtype=object), outside[size:]])
        time = self._solver.solve(np.ones(size - 1))
        first = [
            (up[0] - 1, float(Fraction(flow[0], 1 << BITS)))
            for up, flow in zip(self.up, self.flows, strict=True)
        ]
        for _ in range(PASSES):
            rest = (goal + self._applied(values))[:size] - c
            most = max(map(abs, rest))
            if most < 1 << BITS // 3:
                return values, c
            scale = max(most, 1)
            residual = (rest / scale).astype(float)
            change = self._solver.solve(-residual[1:])
            left = residual[0] + sum(rate * change[n] for n, rate in first)
            step = left / (1 - sum(rate * time[n] for n, rate in first))
            c += int(step * FINE) * scale // FINE
            moved = (change + step * time) * FINE
            values[1:size] += np.array([int(each) * scale // FINE for each in moved], dtype=object)
        raise OutOfReach("the solution of Poisson's equation is not resolved")

    @cached_property
    def _lift(self) -> tuple[Integers, int]:
        """What one more unit beyond adds to a solution."""
        nothing = np.array([0] * self.checked, dtype=object)
        return self._refined(nothing, np.array([1 << BITS] * len(self.states), dtype=object))

    def _solve(self, above: bool) -> _Solution:
        """The solution whose constant beyond just makes the inequality hold at the border."""
        one, size, checked = 1 << BITS, self.inside, self.checked
        goal = np.array([int(n) << BITS for n in self.jobs[:checked]], dtype=object)
        wall = np.array([_whole(each) if above else 0 for each in self.squares], dtype=object)
        values, c = self._refined(goal, wall)
        lift, slower = self._lift
        short = (goal + self._applied(values) - c)[size:]
        fall = (self._applied(lift) - slower)[size:]
        sign = 1 if above else -1
        needed = max(
            (sign * float(Fraction(a, one)) + SPARE) / -float(Fraction(b, one))
            for a, b in zip(short, fall, strict=True)
        )
        outside = sign * round_up(Fraction(needed), 3)
        factor = _whole(ball(outside))
        value = Fraction(c + (factor * slower >> BITS), one)
        return _Solution(values + (factor * lift >> BITS), value, outside)

    def bounds(self, width: Fraction) -> StationaryMean:
        """The tables rounded, and what they prove."""
        system, drift = self.system, self.drift
        capacity = system.arrival_rate + sum(system.service_rates)
        cell = min(Fraction(1), unit(width / (8 * capacity), 1))
        tables = [self._rounded(each, cell) for each in (self.upper, self.lower)]
        above, below = (
            self._extremes(table, up) for table, up in zip(tables, (True, False), strict=True)
        )
        grid = unit(width, 3)
        high = ceil(above / grid + Fraction(1, 100)) * grid
        low = (below / grid - Fraction(1, 100)).__floor__() * grid
        largest = max(map(abs, (*tables[0], *tables[1], ends(self.squares[-1])[1])))
        size = capacity * (largest + 1) / grid
        hints: dict[str, Any] = {
            "precision": 96 + ceil(size).bit_length(),
            "eps": exact(drift.eps),
            "shares": [exact(share) for share in drift.shares],
            "excess": exact(drift.excess),
            "slope": exact(self.slope),
            "total": self.total,
            "upper": [decimal(value) for value in tables[0]],
            "lower": [decimal(value) for value in tables[1]],
        }
        if high - low > width:
            raise OutOfReach("the width is not reached at the last precision")
        return StationaryMean(system, low, high, self.total, hints)

    def _rounded(self, solution: _Solution, cell: Fraction) -> list[Fraction]:
        """The table inside in whole cells, shifted so that nothing is added beyond."""
        shift = _whole(ball(solution.outside))
        moved = 2 * (solution.values[: self.inside] - shift) * cell.denominator
        return [value * cell for value in (moved + (1 << BITS)) >> BITS + 1]

    def _extremes(self, table: list[Fraction], above: bool) -> Fraction:
        """The largest |q|_1 + L h over the checked states (or the least): a bound of E|Q|_1."""
        beyond = self.squares[self.inside :]
        values = [ball(value) for value in table] + (beyond if above else [arb(0)] * len(beyond))
        arrival = ball(self.system.arrival_rate)
        rates = [ball(rate) for rate in self.system.service_rates]
        worst: list[arb] = []
        for n in range(self.checked):
            here, value = values[n], arb(int(self.jobs[n]))
            for chances, to in zip(self.chances, self.up, strict=True):
                value += arrival * chances[n] * (values[to[n]] - here)
            for rate, to in zip(rates, self.down, strict=True):
                value += rate * (values[to[n]] - here)
            if worst:
                value = value.max(worst[0]) if above else value.min(worst[0])
            worst = [value]
        return ends(worst[0])[1 if above else 0]


def _chances(system: System, states: list[State], queues: int) -> list[list[arb]]:
    """For every server the probability that an arrival joins it, state by state."""
    servers = range(len(system.service_rates))
    result: list[list[arb]] = [[] for _ in servers]
    if isinstance(system, ShortestQueue):
        energies = [
            [v * q + kappa for q in range(queues)]
            for v, kappa in zip(system.slopes, system.offsets, strict=True)
        ]
        for state in states:
            here = [energies[i][q] for i, q in enumerate(state)]
            least = min(here)
            shared = 1 / arb(here.count(least))
            for i in servers:
                result[i].append(shared if here[i] == least else arb(0))
        return result
    balls = enclose(system)
    heights = [
        [-balls.alpha * (v * q + kappa) for q in range(queues)]
        for v, kappa in zip(balls.slopes, balls.shifts, strict=True)
    ]
    if not all(abs(height) < EXPONENT for row in heights for height in row):
        raise OutOfReach(f"alpha times an energy of {queues} jobs is not below 2^20")
    weights = [[height.exp() for height in row] for row in heights]
    for state in states:
        ours = [weights[i][q] for i, q in enumerate(state)]
        whole = sum(ours, arb(0))
        for i in servers:
            result[i].append(ours[i] / whole)
    return result


def _states(servers: int, most: int) -> Iterator[State]:
    """The states of at most so many jobs: by the number of jobs, then in lexicographic order."""
    for jobs in range(most + 1):
        last = jobs + servers - 1
        for bars in combinations(range(last), servers - 1):
            yield tuple(b - a - 1 for a, b in pairwise((-1, *bars, last)))


def _moved(state: State, server: int, step: int) -> State:
    return (*state[:server], state[server] + step, *state[server + 1 :])


def _whole(value: arb) -> int:
    """The middle of a ball in units of 2^-BITS, rounded down."""
    mantissa, exponent = map(int, value.mid().man_exp())
    shift = exponent + BITS
    return mantissa << shift if shift >= 0 else mantissa >> -shift
