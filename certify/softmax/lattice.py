"""The drift of V = 1/2 sum v_i Q_i**2 with a constant that only the lattice has.

Below the largest eps the supremum of (LV)(Q) + eps |Q|_1 is a maximum over few levels; at the
largest one it is periodic where the 1/v_i are commensurable. Both are found cell by cell of the
level. Source: proofs_checks/theorems/softmax-lattice-drift.md, whose names are used here.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import exp, gcd, lcm
from typing import Any

from flint import fmpz

from certify.balls import at_least, at_most, ball, ends, nearest, outward, precision, round_up
from certify.certificate import Certificate, exact
from certify.errors import InputError, OutOfReach
from certify.problem import MAX_DIGITS, Table
from certify.softmax.cells import Guess, cut, least_bound
from certify.softmax.drift import drift_at
from certify.softmax.mean_queue import (
    CELLED,
    CELLS,
    HIGHEST,
    MOST_CELLS,
    SPARE,
    TestFunction,
    checker_bits,
    guess_of,
    highest_level,
    lowest_level,
    served,
    unit_of,
)
from certify.softmax.shares import (
    Balls,
    best_shares,
    enclose,
    halves,
    largest_room,
    maximiser,
    point_of,
    require_floats,
    tangent,
)
from certify.softmax.system import ReflectedUAS, System, WeightedShortestQueue, read_system

DIGITS = 8
BITS = 256
STARTS = 40  # levels from which a state of large drift is sought by moving one or two jobs


@dataclass(frozen=True)
class LatticeDrift:
    """(LV)(Q) + eps |Q|_1 <= R at every state with integer queues, and `attained` at one of them.

    `mean_queue_bound` (jobs) is R/eps, rounded up as R is.
    """

    system: System
    eps: Fraction
    R: Fraction
    mean_queue_bound: Fraction
    attained: tuple[tuple[int, ...], Fraction]
    hints: dict[str, Any] = field(repr=False)

    def __repr__(self) -> str:
        names = ("eps", "R", "mean_queue_bound")
        numbers = ", ".join(f"{name}={nearest(getattr(self, name))}" for name in names)
        return f"LatticeDrift(servers={len(self.system.service_rates)}, {numbers})"

    def certificate(self) -> Certificate:
        """The certificate of the constant and the attained value."""
        claim: dict[str, Any] = {
            name: exact(getattr(self, name)) for name in ("eps", "R", "mean_queue_bound")
        }
        state, value = self.attained
        claim["system"] = self.system.to_claim()
        claim["attained"] = {"state": [exact(q) for q in state], "value": exact(value)}
        return Certificate("softmax-lattice-drift", claim, self.hints)


def make(table: Table) -> Certificate:
    """The certificate of a problem of kind `softmax-lattice-drift`."""
    digits = table.integer("digits", 1, MAX_DIGITS, DIGITS)
    cells = table.integer("cells", 1, MOST_CELLS, CELLS)
    eps = table.rational("eps") if table.has("eps") else None
    system = read_system(table)
    table.done()
    return certify_lattice_drift(system, eps, cells, digits).certificate()


def words(claim: dict[str, Any]) -> str:
    """What a claim of this kind states, in one sentence."""
    eps = at_least(claim["eps"])
    if eps != at_most(claim["eps"]):  # both halves speak of the same eps: it is not rounded
        eps = f"({claim['eps']})"
    return (
        f"At every state of the {len(claim['system']['service_rates'])} queues the drift of "
        f"V = 1/2 sum v_i Q_i^2 is at most -{eps} |Q|_1 + {at_most(claim['R'])}, "
        f"and no constant below {at_least(claim['attained']['value'])} would do."
    )


def certify_lattice_drift(
    system: System, eps: Fraction | None = None, cells: int = CELLS, digits: int = DIGITS
) -> LatticeDrift:
    """A constant for this eps over the lattice, and a state; without eps, at the largest one.

    Near the least where alpha v_i >= 1; where the routing is softer, `drift` has a smaller one.
    Raises InputError if eps is not positive and below the largest one, if it is missing although
    the 1/v_i are not commensurable, or for more than 50 servers or numbers beyond floating point.
    """
    if len(system.service_rates) > CELLED:
        raise InputError(
            "system.service_rates", f"have at most {CELLED} entries", len(system.service_rates)
        )
    with precision(BITS + int(3.33 * digits)):
        balls = enclose(system)
        require_floats(balls)
        room = largest_room(system, balls, max(digits, 20))
        if room is None:
            raise OutOfReach("the largest eps is not resolved")
        shares = best_shares(system, balls, room)
        if eps is None:
            return _periodic(system, balls, shares, room.eps, cells, digits)
        if not 0 < eps < room.eps:
            raise InputError("eps", f"be positive and below {nearest(room.eps)}", eps)
        return _below(system, balls, shares, eps, cells, digits)


def _below(
    system: System, balls: Balls, shares: list[Fraction], eps: Fraction, cells: int, digits: int
) -> LatticeDrift:
    """The constant for an eps below the largest one."""
    function = TestFunction(eps, (Fraction(0),) * len(balls), ((),) * len(balls))
    guess, unit, gains = guess_of(balls, function), unit_of(balls), halves(balls)
    point = [point_of(x, digits) for x in maximiser(balls, shares, gains, digits)]
    plane = tangent(balls, shares, point, gains)
    low = lowest_level(guess, unit)
    high, worst = highest_level(balls, shares, function, guess, plane, low, unit, cells)
    hints = {"point": [exact(p) for p in point]}
    return _finish(system, balls, function, guess, shares, (low, high), worst, hints, digits)


def _periodic(
    system: System, balls: Balls, shares: list[Fraction], eps: Fraction, cells: int, digits: int
) -> LatticeDrift:
    """The constant at the largest eps, over one period."""
    period = commensurable(system)
    unit = unit_of(balls)
    length = ends(balls.slopes[0] * period[0])[1] if period else HIGHEST * unit
    if period is None or length >= HIGHEST * unit:
        requirement = (
            "be given, for the 1/v_i (v_i: the slopes of the energies) have no common measure of "
            "which all are small multiples"
        )
        raise InputError("eps", requirement, "missing")
    function = TestFunction(eps, (Fraction(0),) * len(balls), ((),) * len(balls))
    plain = guess_of(balls, function)
    parts = zip(shares, balls.rates, balls.slopes, strict=True)
    beside = []
    for server, (c, _, v) in enumerate(parts):
        alone = _one(balls, server)
        service = served(alone, [c], TestFunction(eps, (Fraction(0),), ((),)), [0])
        beside.append((float(service), float(ball(c) * v)))
    guess = Guess(
        plain.arrival_rate, plain.alpha, plain.rates, plain.slopes, plain.shifts, plain.eps,
        plain.linear, plain.increments, beside,
    )  # fmt: skip
    grid = unit / 1024
    low = max(ends(kappa)[1] for kappa in balls.shifts) // grid * grid + grid
    high = (low + length) // grid * grid + grid
    worst = least_bound(guess, low, high, cells)
    hints = {"period": [exact(count) for count in period]}
    return _finish(system, balls, function, guess, shares, (low, high), worst, hints, digits)


def _one(balls: Balls, server: int) -> Balls:
    lists = ([each[server]] for each in (balls.rates, balls.slopes, balls.shifts))
    return Balls(balls.arrival_rate, balls.alpha, *lists)


def commensurable(system: System) -> list[int] | None:
    """The least whole numbers n_i > 0 for which all n_i v_i are equal, if there are any."""
    ratios: list[Fraction] = []
    for server, rate in enumerate(system.service_rates):
        if isinstance(system, WeightedShortestQueue):
            ratios.append(system.weights[0] / system.weights[server])
            continue
        assert isinstance(system, ReflectedUAS)
        power, root = system.beta.numerator, system.beta.denominator
        base = rate / system.service_rates[0]
        parts = fmpz(base.numerator), fmpz(base.denominator)
        top, bottom = (part.root(root) for part in parts)
        if (top**root, bottom**root) != parts:
            return None
        ratios.append(Fraction(int(top), int(bottom)) ** power)
    common = lcm(*(ratio.denominator for ratio in ratios))
    counts = [int(ratio * common) for ratio in ratios]
    return [count // gcd(*counts) for count in counts]


def _finish(
    system: System,
    balls: Balls,
    function: TestFunction,
    guess: Guess,
    shares: list[Fraction],
    levels: tuple[Fraction, Fraction],
    worst: float,
    hints: dict[str, Any],
    digits: int,
) -> LatticeDrift:
    """Round the constant up, cut the cells for it, find a state that nearly attains it."""
    low, high = levels
    R = round_up(Fraction(worst) * (1 + SPARE), digits)
    tree = cut(guess, low, high, float(R * (1 - SPARE / 10)), unit_of(balls) / 2**28)
    state = _search(balls, guess, levels)
    value = outward(drift_at(balls, function.eps, state), digits)[0]
    witness = hints | {
        "shares": [exact(share) for share in shares],
        "levels": {
            "low": exact(low),
            "high": exact(high),
            "cells": [{name: exact(number)} for name, number in tree.nodes],
        },
    }
    heights = (guess.alpha * v * q for v, q in zip(guess.slopes, state, strict=True))
    extra = int(max(heights)).bit_length()
    witness["precision"] = checker_bits(balls, function, R, witness, digits) + extra
    mean = round_up(R / function.eps, digits)
    return LatticeDrift(system, function.eps, R, mean, (state, value), witness)


def _search(balls: Balls, guess: Guess, levels: tuple[Fraction, Fraction]) -> tuple[int, ...]:
    """A state of large (LV)(Q) + eps |Q|_1: the best that moves of one or two jobs lead to."""
    servers = range(len(guess))

    def value(state: list[int]) -> float:
        energies = [
            v * q + kappa for v, q, kappa in zip(guess.slopes, state, guess.shifts, strict=True)
        ]
        least = min(energies)
        weights = [exp(-guess.alpha * (energy - least)) for energy in energies]
        routed = sum(
            w * v * (q + 0.5) for w, v, q in zip(weights, guess.slopes, state, strict=True)
        )
        drift = guess.arrival_rate * routed / sum(weights) + guess.eps * sum(state)
        for mu, v, q in zip(guess.rates, guess.slopes, state, strict=True):
            drift -= mu * v * (q - 0.5) if q else 0.0
        return drift

    moves = [[(i, step)] for i in servers for step in (1, -1)]
    moves += [
        [(i, step), (j, other)]
        for i, j in product(servers, repeat=2)
        if i < j
        for step, other in product((1, -1), repeat=2)
    ]
    best: tuple[tuple[int, ...], float] = (0,) * len(guess), value([0] * len(guess))
    low, high = map(float, levels)
    for start in range(STARTS):
        level = low + (high - low) * start / STARTS
        state = [guess.fewest(server, level) for server in servers]
        reached, better = value(state), True
        while better:
            better = False
            for move in moves:
                moved = list(state)
                for server, step in move:
                    moved[server] += step
                if min(moved) >= 0 and value(moved) > reached + 1e-9 * abs(reached):
                    state, reached, better = moved, value(moved), True
        if reached > best[1] + 1e-6 * abs(best[1]):
            best = tuple(state), reached
    return best[0]
