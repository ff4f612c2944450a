"""A bound on the mean number of jobs of a softmax system in steady state.

A test function f(Q) = sum f_i(Q_i) with (Lf)(Q) + eps |Q|_1 <= C at every state proves
E|Q|_1 <= C/eps. f_i is v_i q^2/2 + y_i q, up to finitely many increments that may be given; the
smallest C is found cell by cell of the level of the state. Sources: Foster's criterion, as in arXiv
2607.28688v1, Section 6; proofs_checks/theorems/softmax-mean-queue.md, whose names are used here.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from flint import arb

from certify.balls import at_most, ball, ends, nearest, outward, precision, round_up
from certify.certificate import Certificate, exact, listed
from certify.errors import InputError, OutOfReach
from certify.problem import (
    MAX_DIGITS,
    Exact,
    Table,
    require_type,
    to_list,
    to_rational,
    to_rationals,
)
from certify.softmax.cells import Guess, cut, least_bound
from certify.softmax.shares import (
    Balls,
    Room,
    best_linear,
    best_shares,
    enclose,
    largest_room,
    maximiser,
    point_of,
    require_floats,
    resolved,
    tangent,
)
from certify.softmax.system import System, read_system

DIGITS = 6  # significant digits of the bound when nothing else is asked for
CELLS = 100  # cells of the level, of which only those near the largest drift need to be small,
CELLED = 50  # for at most so many servers; for more the tangent plane alone
MOST_CELLS = 20_000
ROUGH = 40  # cells with which the standard test functions are compared
HIGHEST = 64  # the highest level tried, in units of the largest v_i
TRIES = 4
SHRINKS = [Fraction(k, 20) for k in range(12, 20)]  # eps over the largest eps that are tried,
PARTS = [Fraction(k, 4) for k in range(5)]  # with so much of the best linear terms
SPARE = Fraction(1, 10**6)  # relative room for the difference of floats and balls
FINE = 2**24  # linear terms are rounded to a multiple of the largest v_i over this


@dataclass(frozen=True)
class TestFunction:
    """f_i(q) = v_i q^2/2 + y_i q from `increments[i]` on, which are the first f_i(q + 1) - f_i(q).

    `linear` holds the y_i and `eps` what a job counts; one entry per server. Raises InputError for
    what are no exact numbers or no lists of them.
    """

    __test__ = False  # not a test case, whatever its name begins with

    eps: Fraction
    linear: tuple[Fraction, ...]
    increments: tuple[tuple[Fraction, ...], ...]

    def __repr__(self) -> str:
        levels = listed([len(row) for row in self.increments])
        return f"TestFunction(servers={len(self.linear)}, eps={nearest(self.eps)}, levels={levels})"

    if TYPE_CHECKING:

        def __init__(
            self, eps: Exact, linear: Iterable[Exact], increments: Iterable[Sequence[Exact]]
        ) -> None: ...

    def __post_init__(self) -> None:
        object.__setattr__(self, "eps", to_rational(self.eps, "function.eps"))
        object.__setattr__(self, "linear", to_rationals(self.linear, "function.linear"))
        rows = to_list(self.increments, "function.increments", "lists of numbers")
        if not all(isinstance(row, list | tuple) for row in rows):
            requirement = "be a list of lists of numbers"
            raise InputError("function.increments", requirement, self.increments)
        increments = tuple(
            tuple(to_rational(each, f"function.increments[{i}][{j}]") for j, each in row)
            for i, row in enumerate(map(enumerate, rows))
        )
        object.__setattr__(self, "increments", increments)


@dataclass(frozen=True)
class MeanQueue:
    """E|Q|_1 <= mean_queue_bound (jobs) in the one steady state of the system."""

    system: System
    function: TestFunction
    mean_queue_bound: Fraction
    hints: dict[str, Any] = field(repr=False)

    def __repr__(self) -> str:
        servers = len(self.system.service_rates)
        return f"MeanQueue(servers={servers}, mean_queue_bound={nearest(self.mean_queue_bound)})"

    def certificate(self) -> Certificate:
        """The certificate of the bound, with the test function as its witness."""
        claim = {
            "system": self.system.to_claim(),
            "mean_queue_bound": exact(self.mean_queue_bound),
        }
        function = self.function
        witness = self.hints | {
            "eps": exact(function.eps),
            "linear": [exact(y) for y in function.linear],
            "increments": [[exact(each) for each in row] for row in function.increments],
        }
        return Certificate("softmax-mean-queue", claim, witness)


def make(table: Table) -> Certificate:
    """The certificate of a problem of kind `softmax-mean-queue`."""
    digits = table.integer("digits", 1, MAX_DIGITS, DIGITS)
    cells = table.integer("cells", 0, MOST_CELLS, CELLS)
    system = read_system(table)
    function = _read_function(table.table("function")) if table.has("function") else None
    table.done()
    return certify_mean_queue(system, function, cells, digits).certificate()


def _read_function(table: Table) -> TestFunction:
    found = TestFunction(table.get("eps"), table.get("linear"), table.get("increments"))
    table.done()
    return found


def words(claim: dict[str, Any]) -> str:
    """What a claim of this kind states, in one sentence."""
    servers = len(claim["system"]["service_rates"])
    mean = at_most(claim["mean_queue_bound"])
    return f"In steady state the {servers} queues have at most {mean} jobs in the mean."


def certify_mean_queue(
    system: System,
    function: TestFunction | None = None,
    cells: int = CELLS,
    digits: int = DIGITS,
) -> MeanQueue:
    """The least bound that this test function proves, or the best of some standard ones.

    `cells` is how many cells of the level are used at most, 0 for the tangent plane alone. Raises
    InputError if the numbers are beyond floating point, if eps is not positive and below the
    largest one, or if the lists do not have one entry per server; OutOfReach if some
    inequality stays open at every precision tried.
    """
    if function is not None:
        _require_shape(function, len(system.service_rates), cells)
    for attempt in range(TRIES):
        with precision((int(3.33 * digits) + 160) << attempt):
            balls = enclose(system)
            if attempt == 0:
                require_floats(balls)
            room = largest_room(system, balls, max(digits, 20))
            found = room and _best(system, balls, room, function, cells, digits)
        if found:
            return found
    raise OutOfReach("the bound is not resolved at the last precision")


def _require_shape(function: TestFunction, servers: int, cells: int) -> None:
    require_type(function, TestFunction, "function", "a TestFunction")
    for name in ("linear", "increments"):
        found = len(getattr(function, name))
        if found != servers:
            raise InputError(f"function.{name}", f"have {servers} entries", found)
    if cells == 0 and any(function.increments):
        raise InputError("cells", "be positive where increments are given", cells)


def _best(
    system: System,
    balls: Balls,
    room: Room,
    function: TestFunction | None,
    cells: int,
    digits: int,
) -> MeanQueue | None:
    """The proof with the least bound, or None if an inequality stays open."""
    shares = best_shares(system, balls, room)
    if function is not None:
        if not 0 < function.eps < room.eps:
            limit = f"be positive and below {nearest(room.eps)}"
            raise InputError("function.eps", limit, function.eps)
        return _prove(system, balls, shares, function, cells, digits)
    empty: tuple[tuple[Fraction, ...], ...] = ((),) * len(balls)
    linear = _rounded(balls, best_linear(balls, shares))
    plain = TestFunction(room.eps, linear, empty)
    found = _prove(system, balls, shares, plain, 0, digits)
    if found is None or cells == 0 or len(balls) > CELLED:
        return found
    candidates = [
        TestFunction(room.eps * shrink, tuple(part * y for y in linear), empty)
        for shrink in SHRINKS
        for part in PARTS
    ]
    rough = [_rough(balls, each) for each in candidates]
    best = candidates[rough.index(min(rough))]
    eps = round(best.eps * FINE) / Fraction(FINE) or best.eps
    try:
        refined = _prove(
            system, balls, shares, TestFunction(eps, best.linear, empty), cells, digits
        )
    except InputError:  # no level is high enough for this eps
        return found
    return refined and min(found, refined, key=lambda each: each.mean_queue_bound)


def _rounded(balls: Balls, linear: Sequence[float]) -> tuple[Fraction, ...]:
    """The linear terms on a coarse grid: the bound is flat, and files must not depend on a libm."""
    grid = unit_of(balls) / FINE
    return tuple(Fraction(y) // grid * grid for y in linear)


def unit_of(balls: Balls) -> Fraction:
    """A power of two near the largest v_i."""
    largest = max(ends(v)[1] for v in balls.slopes)
    size = largest.numerator.bit_length() - largest.denominator.bit_length()
    return Fraction(2) ** size


def guess_of(balls: Balls, function: TestFunction) -> Guess:
    """The system and the function as floats."""
    return Guess(
        float(balls.arrival_rate),
        float(balls.alpha),
        [float(each) for each in balls.rates],
        [float(each) for each in balls.slopes],
        [float(each) for each in balls.shifts],
        float(function.eps),
        [float(each) for each in function.linear],
        [[float(each) for each in row] for row in function.increments],
    )


def _rough(balls: Balls, function: TestFunction) -> float:
    """About the bound of a test function without listed increments."""
    guess, unit = guess_of(balls, function), unit_of(balls)
    low = lowest_level(guess, unit)
    return least_bound(guess, low, low + 8 * unit, ROUGH) / guess.eps


def lowest_level(guess: Guess, unit: Fraction) -> Fraction:
    """A level just below that of the empty system."""
    grid = unit / 1024
    return Fraction(guess.lowest()) // grid * grid - grid


def _prove(
    system: System,
    balls: Balls,
    shares: list[Fraction],
    function: TestFunction,
    cells: int,
    digits: int,
) -> MeanQueue | None:
    """The bound that one test function proves, with the witness for it."""
    hints: dict[str, Any] = {"shares": [exact(share) for share in shares]}
    gains = [v / 2 + ball(y) for v, y in zip(balls.slopes, function.linear, strict=True)]
    accuracy = max(digits, 12)
    point = [point_of(x, accuracy) for x in maximiser(balls, shares, gains, accuracy)]
    hints["point"] = [exact(p) for p in point]
    plane = tangent(balls, shares, point, gains)
    fewest = [0] * len(balls)
    if cells == 0:
        constant = plane + served(balls, shares, function, fewest)
        if not resolved(constant, digits):
            return None
        bound = outward(constant / ball(function.eps), digits)[1]
    else:
        guess, unit = guess_of(balls, function), unit_of(balls)
        low = lowest_level(guess, unit)
        high, worst = highest_level(balls, shares, function, guess, plane, low, unit, cells)
        bound = round_up(Fraction(worst) * (1 + SPARE) / function.eps, digits)
        target = float(bound * function.eps * (1 - SPARE / 10))
        tree = cut(guess, low, high, target, unit / 2**28)
        hints["levels"] = {
            "low": exact(low),
            "high": exact(high),
            "cells": [{name: exact(value)} for name, value in tree.nodes],
        }
    hints["precision"] = checker_bits(balls, function, bound * function.eps, hints, digits)
    return MeanQueue(system, function, bound, hints)


def highest_level(
    balls: Balls,
    shares: list[Fraction],
    function: TestFunction,
    guess: Guess,
    plane: arb,
    low: Fraction,
    unit: Fraction,
    cells: int,
) -> tuple[Fraction, float]:
    """The highest level and the largest drift below it, such that the drift above is smaller."""
    listed = [len(row) for row in function.increments]
    worst = None
    for quarter in range(1, 4 * HIGHEST):
        high = low + quarter * unit / 4
        fewest = [guess.fewest(server, float(high)) for server in range(len(guess))]
        if any(count and count >= queue for count, queue in zip(listed, fewest, strict=True)):
            continue
        far = ends(plane + served(balls, shares, function, fewest))[1]
        if worst is None or quarter.bit_count() == 1:
            worst = least_bound(guess, low, high, cells)
        if far < Fraction(worst):
            worst = least_bound(guess, low, high, cells)
            if far < Fraction(worst):
                return high, worst
    raise InputError("function.eps", "be smaller, or the highest level is out of reach", guess.eps)


def served(balls: Balls, shares: list[Fraction], function: TestFunction, fewest: list[int]) -> arb:
    """sum h_i: what services add beyond the shares, at queues of at least `fewest`."""
    value = arb(0)
    for c, y, mu, v, queue in zip(
        shares, function.linear, balls.rates, balls.slopes, fewest, strict=True
    ):
        slack = (mu - ball(c)) * v - ball(function.eps)
        term = mu * (v / 2 - ball(y)) - slack * max(1, queue)
        value += term if queue else term.max(arb(0))
    return value


def checker_bits(
    balls: Balls, function: TestFunction, constant: Fraction, hints: dict[str, Any], digits: int
) -> int:
    """Bits with which another arithmetic resolves the claim in spite of cancellation."""
    parts = zip(balls.slopes, balls.shifts, function.linear, strict=True)
    tallest = ball(max(ends(abs(kappa) + v + abs(ball(y)))[1] for v, kappa, y in parts))
    top = ball(Fraction(hints["levels"]["high"])) if "levels" in hints else arb(1)
    capacity = sum(balls.rates, arb(0))
    losses = (
        balls.arrival_rate * (tallest + 1 / balls.alpha) / ball(constant),
        1 + balls.alpha * (abs(top) + tallest),
        capacity / (capacity - balls.arrival_rate),
    )
    lost = sum(max(1, ends(loss)[1].__ceil__()).bit_length() for loss in losses)
    return int(3.33 * digits) + 48 + 2 * len(balls).bit_length() + lost
