"""The drift of a sum of functions of single queues, cell by cell of the level, in floating point.

Only guesses: the multiplier of each cell and where cells are split. Names are those of
proofs_checks/theorems/softmax-mean-queue.md, Lemma 2.
"""

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from certify.errors import OutOfReach

BEYOND = 2  # as in the theorem: queues beyond the listed increments that are looked at one by one
HALVINGS = 48
STEEPEST = 600.0  # exponents are cut here, far above what a bound that is of use contains
SMALLEST = 20  # a cell is halved at most so often


@dataclass(frozen=True)
class Guess:
    """The numbers of a system and of a test function, as floats."""

    arrival_rate: float
    alpha: float
    rates: Sequence[float]
    slopes: Sequence[float]
    shifts: Sequence[float]
    eps: float
    linear: Sequence[float]
    increments: Sequence[Sequence[float]]
    beside: Sequence[tuple[float, float]] = ()  # for a period: h_i and c_i v_i
    known: dict[tuple[int, int], tuple[float, float, float]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.rates)

    def lowest(self) -> float:
        """The level of the empty system."""
        least = min(self.shifts)
        total = sum(math.exp(-self.alpha * (kappa - least)) for kappa in self.shifts)
        return least - math.log(total) / self.alpha

    def fewest(self, server: int, level: float) -> int:
        """The least queue at which the energy of a server is at least this level."""
        return max(0, math.ceil((level - self.shifts[server]) / self.slopes[server] - 1e-12))

    def increment(self, server: int, queue: int) -> float:
        """f_i(q + 1) - f_i(q)."""
        if queue < len(self.increments[server]):
            return self.increments[server][queue]
        return self.slopes[server] * (queue + 0.5) + self.linear[server]

    def terms(self, server: int, queue: int) -> tuple[float, float, float]:
        """What a queue counts beside arrivals, its energy, and the next increment."""
        if (server, queue) not in self.known:
            rest = self.eps * queue
            if self.beside:
                service, cost = self.beside[server]
                rest = service - cost * queue
            elif queue:
                rest -= self.rates[server] * self.increment(server, queue - 1)
            energy = self.slopes[server] * queue + self.shifts[server]
            self.known[server, queue] = rest, energy, self.increment(server, queue)
        return self.known[server, queue]


def best_multiplier(guess: Guess, low: float, high: float) -> tuple[float, float]:
    """The multiplier with the least bound on a cell, and the bound."""
    ends = [_options(guess, low, end) for end in (low, high)]
    gains = [gain for options in ends for each in options for _, _, gain, _ in each]
    spread = 1 / guess.alpha + max(gains) - min(gains)
    left, right = min(gains) - 4 * spread, max(gains) + spread
    for _ in range(HALVINGS):
        middle = (left + right) / 2
        _, slope = max(_value(guess, options, middle) for options in ends)
        left, right = (middle, right) if slope < 0 else (left, middle)
    return left, bound(guess, low, high, left)


def bound(guess: Guess, low: float, high: float, multiplier: float) -> float:
    """The bound of a cell with this multiplier."""
    ends = (_options(guess, low, end) for end in (low, high))
    return max(_value(guess, options, multiplier)[0] for options in ends)


Options = list[list[tuple[float, float, float, bool]]]


def _options(guess: Guess, low: float, end: float) -> Options:
    """For every server its queues at this level: rest, arrival rate, increment, and all beyond."""
    result = []
    for server in range(len(guess)):
        first = guess.fewest(server, low)
        last = max(first, len(guess.increments[server])) + BEYOND
        options = []
        for queue in range(first, last + 1):
            rest, energy, increment = guess.terms(server, queue)
            weight = guess.arrival_rate * math.exp(min(STEEPEST, guess.alpha * (end - energy)))
            options.append((rest, weight, increment, queue == last))
        result.append(options)
    return result


def _value(guess: Guess, options: Options, multiplier: float) -> tuple[float, float]:
    """The bound at one end of a cell, and its derivative by the multiplier."""
    value, slope = guess.arrival_rate * multiplier, guess.arrival_rate
    for each in options:
        best, fall = -math.inf, 0.0
        for rest, weight, increment, last in each:
            gain, moves = increment - multiplier, weight
            if last and gain < 1 / guess.alpha:
                gain, moves = 1 / guess.alpha, 0.0
            if rest + weight * gain > best:
                best, fall = rest + weight * gain, moves
        value += best
        slope -= fall
    return value, slope


def least_bound(guess: Guess, low: Fraction, high: Fraction, count: int) -> float:
    """The largest bound of the cells after the worst ones were halved until there are `count`."""
    heap = [(-math.inf, low, high)]
    while len(heap) < count:
        worst, left, right = heapq.heappop(heap)
        if right - left < (high - low) / 2**SMALLEST:
            return -worst
        middle = (left + right) / 2
        for start, end in ((left, middle), (middle, right)):
            heapq.heappush(heap, (-best_multiplier(guess, float(start), float(end))[1], start, end))
    return -heap[0][0]


@dataclass(frozen=True)
class Tree:
    """Cells in preorder: a level where a cell is cut, or the multiplier of a leaf."""

    nodes: list[tuple[str, Fraction]]


def cut(guess: Guess, low: Fraction, high: Fraction, constant: float, grid: Fraction) -> Tree:
    """Cells whose bounds are at most the constant; OutOfReach if they become too small."""
    nodes: list[tuple[str, Fraction]] = []
    stack = [(low, high)]
    while stack:
        left, right = stack.pop()
        if right - left < (high - low) / 2**SMALLEST:
            raise OutOfReach("the cells of the level become too small")
        found = best_multiplier(guess, float(left), float(right))
        # rounded, so that files do not depend on a libm
        multiplier = round(Fraction(found[0]) / grid) * grid
        if bound(guess, float(left), float(right), float(multiplier)) <= constant:
            nodes.append(("multiplier", multiplier))
            continue
        middle = (left + right) / 2
        nodes.append(("level", middle))
        stack += [(middle, right), (left, middle)]
    return Tree(nodes)
