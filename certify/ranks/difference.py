"""How far the original dynamics is from the system with pauses: certified stationary means.

For a function g of the state one test function h gives g + L h <= c everywhere, hence E g <= c,
and another g + L h >= c. Both solve Poisson's equation on a box, where arrivals to a full queue are
lost; a multiple of sum q^2 pays for the states beyond. Source: own derivation,
proofs_checks/theorems/rank-difference.md.
"""

import logging
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, takewhile
from math import comb
from typing import Any

from flint import arb, arb_mat

from certify.balls import (
    at_least,
    at_most,
    ball,
    ends,
    outward,
    precision,
    round_down,
    round_up,
    unit,
)
from certify.certificate import Certificate, decimal, interval
from certify.errors import InputError
from certify.problem import Table, to_choice, to_count
from certify.ranks.elements import said
from certify.ranks.model import Marginal, check_system, read_marginal
from certify.ranks.sweep import sweep, working_bits

QUANTITIES = {
    "shortest-queue": "the stationary mean of the shortest queue",
    "mean-queue": "the stationary mean queue",
    "no-idle": "the stationary probability that nobody is idle",
}
PLACES = 16  # decimals of a table entry
SOLVER_BITS = 192
MAX_STATES = 20_000
MOST_DIGITS = 50
State = tuple[int, ...]
Enclosure = tuple[Fraction, Fraction]
TestFunction = tuple[Fraction, tuple[Fraction, ...]]


@dataclass(frozen=True)
class Difference:
    """Enclosures of a stationary mean without pauses, with pauses, and of the difference.

    `upper` and `lower` are the test functions: the multiple of sum q^2 and the table over the
    sorted states of the box in lexicographic order.
    """

    system: Marginal
    quantity: str
    box: int
    original: Enclosure
    paused: Enclosure
    upper: TestFunction
    lower: TestFunction
    bits: int

    def __repr__(self) -> str:
        low, high = self.difference
        known = f"difference in [{at_least(low)}, {at_most(high)}]"
        return f"Difference({self.system!r}, {self.quantity}, box={self.box}, {known})"

    @property
    def difference(self) -> Enclosure:
        """Original minus paused."""
        return self.original[0] - self.paused[1], self.original[1] - self.paused[0]

    @property
    def digits(self) -> int:
        """How many digits of `original` are right up to two units of the last; at most 50."""
        low, high = self.original
        fits = (high - low <= 2 * unit(high, n) for n in range(1, MOST_DIGITS + 1))
        return sum(takewhile(bool, fits))

    def certificate(self) -> Certificate:
        """The certificate."""
        claim = {
            key: value for key, value in self.system.problem().items() if key != "dynamics"
        } | {
            "quantity": self.quantity,
            "original": interval(*self.original),
            "paused": interval(*self.paused),
            "difference": interval(*self.difference),
        }
        witness: dict[str, Any] = {"precision": self.bits, "box": self.box}
        for name in ("upper", "lower"):
            slope, table = getattr(self, name)
            witness[name] = {"slope": str(slope), "table": [decimal(value) for value in table]}
        return Certificate("rank-difference", claim, witness)


def make(table: Table) -> Certificate:
    """The certificate of a problem of kind `rank-difference`."""
    digits = table.integer("digits", 1, MOST_DIGITS, 12)
    system = read_marginal(table, "original")
    quantity = table.choice("quantity", tuple(QUANTITIES), "shortest-queue")
    box = table.integer("box", 1, MAX_STATES, 40)
    table.done()
    found = difference_of(system, quantity, box, digits)
    if found.digits < digits:
        logging.getLogger("certify").warning(
            f"original has {found.digits} of the {digits} digits asked for (box = {box}): "
            "a larger box gives more"
        )
    return found.certificate()


def words(claim: dict[str, Any]) -> str:
    """What a claim of this kind states, in one sentence."""
    servers = claim["servers"]
    return (
        f"With {servers} server{'s' * (servers > 1)} {QUANTITIES[claim['quantity']]} is "
        f"{said(claim['original'])} without pauses and {said(claim['paused'])} with pauses."
    )


def difference_of(system: Marginal, quantity: str, box: int = 40, digits: int = 12) -> Difference:
    """The stationary mean of `quantity` with and without pauses, from a box of `box` jobs a queue.

    `quantity` is the mean of the shortest queue, of the queues' average or of "nobody is idle".
    InputError unless b < a, the box has at most 20,000 states and digits are from 1 to 50.
    """
    check_system(system, Marginal)
    quantity = to_choice(quantity, "quantity", tuple(QUANTITIES))
    box, digits = to_count(box, "box", 1, MAX_STATES), to_count(digits, "digits", 1, MOST_DIGITS)
    if system.b >= system.a:
        raise InputError("b", f"be less than a = {system.a}", system.b)
    states = comb(box + system.servers, system.servers)
    if states > MAX_STATES:
        requirement = f"leave at most {MAX_STATES} sorted states ({system.servers} servers)"
        counted = states if states < 10**12 else "over 10^12"
        raise InputError("box", requirement, f"{box} ({counted} states)")
    with precision(SOLVER_BITS):
        solver = _Solver(system, quantity, box)
        bottom, lower = _best(solver, -1)
        top, upper = _best(solver, 1)
    paused = Marginal(system.servers, system.a, system.b)
    bits = working_bits(paused, digits + 8)
    with precision(bits):
        found = sweep(paused, [0])
        mean = {
            "shortest-queue": found.ranked[0],
            "mean-queue": found.total / system.servers,
            "no-idle": found.rho[0],
        }[quantity]
        enclosed = outward(mean, digits + 8)
    original = round_down(bottom, digits), round_up(top, digits)
    return Difference(system, quantity, box, original, enclosed, upper, lower, bits)


@dataclass(frozen=True)
class _Pattern:
    """A clipped state of which `beyond` queues are one longer than the box: g, L V and moves."""

    state: State
    goal: arb
    quadratic: arb
    moves: tuple[tuple[State, arb], ...]


class _Solver:
    """The original dynamics on the sorted states of a box, at the current precision."""

    def __init__(self, system: Marginal, quantity: str, box: int) -> None:
        self.system, self.box, self.n = system, box, system.servers
        self.growth = {"shortest-queue": Fraction(1), "mean-queue": system.b / system.a}.get(
            quantity, Fraction(0)
        )
        self._quantity = quantity
        self._uniform, self._service = self.n * system.theta.ball(), arb(self.n)
        self._lowest = self._uniform + system.number(0, system.b).ball()
        self.states = list(combinations_with_replacement(range(box + 1), self.n))
        self.inner = {state: self._pattern(state, 0) for state in self.states}
        edge = [state for state in self.states if state[-1] == box]
        self.outer = [
            self._pattern(state, beyond)
            for state in edge
            for beyond in range(1, state.count(box) + 1)
        ]
        self.solution, self.correction = self._poisson()

    def _pattern(self, state: State, beyond: int) -> _Pattern:
        """The state when `beyond` of the queues that fill the box are really longer."""
        n, a, b, number = self.n, self.system.a, self.system.b, self.system.number
        lowest, jobs, busy = state[0] + (beyond == n), sum(state) + beyond, n - state.count(0)
        goal = {
            "no-idle": number(int(lowest > 0)),
            "shortest-queue": number(lowest),
            "mean-queue": number(b / a * lowest - (a - b) / a, n / a),
        }[self._quantity]
        drift = 2 * b * lowest - 2 * a / n * jobs - (a - b)
        moves = []
        for i, queue in enumerate(state):
            if queue < self.box:
                last = max(j for j in range(n) if state[j] == queue)
                moves.append((_moved(state, last, 1), self._uniform if i else self._lowest))
            if 0 < queue < self.box or (queue == self.box and i < n - beyond):
                moves.append((_moved(state, state.index(queue), -1), self._service))
        return _Pattern(state, goal.ball(), number(n * n + n * busy, drift).ball(), tuple(moves))

    def _poisson(self) -> tuple[dict[State, arb], dict[State, arb]]:
        """For f = g and f = L V the t with t(0) = 0 and L t = c - f on the box, c its mean.

        Solved level by level from the top; a level is the set of states with the same longest
        queue, and borders on two others.
        """
        levels: list[list[State]] = [[] for _ in range(self.box + 1)]
        order = {}
        for state in self.states:
            order[state] = len(levels[state[-1]])
            levels[state[-1]].append(state)
        # t_level = lower t_(level-1) + constant (1 for g, 1 for L V, c), from the top level down
        reduced: list[tuple[arb_mat, arb_mat]] = []
        for height in range(self.box, 0, -1):
            level = levels[height]
            size, below = len(level), len(levels[height - 1])
            diagonal, right = arb_mat(size, size), arb_mat(size, below + 3)
            up = arb_mat(size, len(levels[height + 1]) if reduced else 1)
            for i, state in enumerate(level):
                pattern = self.inner[state]
                right[i, below], right[i, below + 1] = -pattern.goal, -pattern.quadratic
                right[i, below + 2] = arb(1)
                for target, rate in pattern.moves:
                    diagonal[i, i] -= rate
                    if target[-1] == height - 1:
                        right[i, order[target]] -= rate
                    else:
                        place = diagonal if target[-1] == height else up
                        place[i, order[target]] += rate
            if reduced:
                lower, constant = reduced[-1]
                diagonal = diagonal + up * lower
                change = up * constant
                for i in range(size):
                    for j in range(3):
                        right[i, below + j] -= change[i, j]
            # only a guess is needed, its quality is proved afterwards: midpoints keep balls small
            solved = diagonal.mid().solve(right.mid()).mid()
            lower = arb_mat(size, below, [solved[i, j] for i in range(size) for j in range(below)])
            rest = [solved[i, below + j] for i in range(size) for j in range(3)]
            reduced.append((lower, arb_mat(size, 3, rest)))
        start, constant = self.inner[levels[0][0]], reduced[-1][1]
        # at the empty state t(0) = 0 leaves (rates into level 1) constant (.) = c - f
        heads = [-start.goal, -start.quadratic, arb(1)]
        for target, rate in start.moves:
            heads = [head - rate * constant[order[target], j] for j, head in enumerate(heads)]
        tables = []
        for j in (0, 1):
            column = arb_mat(3, 1, [arb(j == 0), arb(j == 1), -heads[j] / heads[2]])
            table, last = {start.state: arb(0)}, arb_mat(1, 1)
            for height, (lower, constant) in enumerate(reversed(reduced), start=1):
                last = (lower * last + constant * column).mid()
                table |= {state: last[i, 0] for i, state in enumerate(levels[height])}
            tables.append(table)
        return tables[0], tables[1]

    def attempt(self, slope: Fraction, sign: int) -> tuple[Fraction, TestFunction]:
        """The bound that this multiple of V gives, rounded outward, with the test function."""
        factor = sign * ball(slope)
        values = [_rounded(self.solution[s] + factor * self.correction[s]) for s in self.states]
        table = {s: ball(value) for s, value in zip(self.states, values, strict=True)}
        bounds = []
        for pattern in (*self.inner.values(), *self.outer):
            value, here = pattern.goal + factor * pattern.quadratic, table[pattern.state]
            for target, rate in pattern.moves:
                value += rate * (table[target] - here)
            bounds.append(ends(value)[sign > 0])
        return max(bounds) if sign > 0 else min(bounds), (slope, tuple(values))


def _best(solver: _Solver, sign: int) -> tuple[Fraction, TestFunction]:
    """The bound of the first slope 2^k after which it gets worse, with its test function.

    A small slope leaves states beyond the box unpaid, a large one weighs on its border. Below no
    slope is needed as long as the table does not fall towards the border.
    """
    slope = Fraction(1, 1024)
    drift = 2 * (solver.system.a - solver.system.b)
    # the tail condition of the theorem, for the bound from above
    while sign > 0 and solver.system.number(-solver.growth, slope * drift).sign() < 0:
        slope *= 2
    best = solver.attempt(slope if sign > 0 else Fraction(0), sign)
    while True:
        following = solver.attempt(slope, sign)
        if (best[0] - following[0]) * sign < 0:
            return best
        best, slope = following, slope * 2


def _rounded(value: arb) -> Fraction:
    """The decimal with PLACES places nearest to the middle of the ball."""
    low, high = ends(value)
    return Fraction(round((low + high) / 2 * 10**PLACES), 10**PLACES)


def _moved(state: State, index: int, step: int) -> State:
    return (*state[:index], state[index] + step, *state[index + 1 :])
