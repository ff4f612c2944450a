"""The drift of Reflected UAS at every point of a grid of its parameters, in one certificate.

At each point (beta, gamma, offset) every state satisfies (LV)(Q) <= -eps |Q|_1 + R; eps depends on
beta alone. Sources: arXiv 2607.28688v1, Section 6.2; proofs_checks/theorems/softmax-sweep.md.
"""

from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from typing import Any

from certify.balls import at_least, nearest, outward, precision, round_up
from certify.certificate import Certificate, exact, number
from certify.errors import InputError, OutOfReach
from certify.problem import MAX_DIGITS, Table
from certify.softmax.drift import crude_constant
from certify.softmax.excess import softmax_excess
from certify.softmax.shares import (
    cheapest_shares,
    enclose,
    largest_room,
    require_floats,
    resolved,
)
from certify.softmax.system import ReflectedUAS

DIGITS = 12  # significant digits of eps and the constants when nothing else is asked for
MOST_POINTS = 10_000
TRIES = 4
GRID = ("beta", "gamma", "offset")


@dataclass(frozen=True)
class Sweep:
    """(LV)(Q) <= -eps |Q|_1 + R at every state, for every point of the grid, the last axis first.

    `eps` has one entry per beta; `R` and `mean_queue_bound` (jobs, R/eps) one per point.
    """

    system: ReflectedUAS
    grid: dict[str, tuple[Fraction, ...]]
    eps: tuple[Fraction, ...]
    R: tuple[Fraction, ...]
    mean_queue_bound: tuple[Fraction, ...]
    hints: dict[str, Any] = field(repr=False)

    def __repr__(self) -> str:
        servers = len(self.system.service_rates)
        return f"Sweep(servers={servers}, points={len(self.R)}, least eps={nearest(min(self.eps))})"

    def certificate(self) -> Certificate:
        """The certificate of all points."""
        fixed = self.system.to_claim()
        claim: dict[str, Any] = {
            "system": {name: fixed[name] for name in ("arrival_rate", "service_rates", "alpha")},
            "grid": {name: [exact(each) for each in self.grid[name]] for name in GRID},
        }
        for name in ("eps", "R", "mean_queue_bound"):
            claim[name] = [exact(each) for each in getattr(self, name)]
        return Certificate("softmax-sweep", claim, self.hints)


def make(table: Table) -> Certificate:
    """The certificate of a problem of kind `softmax-sweep`."""
    digits = table.integer("digits", 1, MAX_DIGITS, DIGITS)
    inner, axes = table.table("system"), table.table("grid")
    arrival, rates = inner.rational("arrival_rate"), inner.rationals("service_rates")
    alpha = inner.rational("alpha")
    inner.done()
    grid = {name: axes.rationals(name) for name in GRID}
    axes.done()
    table.done()
    first = (grid[name][0] for name in GRID)
    return certify_sweep(ReflectedUAS(arrival, rates, alpha, *first), grid, digits).certificate()


def words(claim: dict[str, Any]) -> str:
    """What a claim of this kind states, in one sentence."""
    servers, points = len(claim["system"]["service_rates"]), len(claim["R"])
    least = at_least(min(map(number, claim["eps"])))
    return (
        f"At each of {points} points of a grid of (beta, gamma, offset) the drift of the {servers} "
        f"queues is at most -eps |Q|_1 + R at every state, with eps >= {least}."
    )


def certify_sweep(
    system: ReflectedUAS, grid: dict[str, tuple[Fraction, ...]], digits: int = DIGITS
) -> Sweep:
    """The drift by the softmax lemma for every (beta, gamma, offset) of the grid.

    Arrival rate, service rates and alpha are those of `system`. Raises InputError for a point that
    is no system, for numbers beyond floating point, for more than 10,000 points or for a point
    that is there twice, and OutOfReach if some inequality stays open at every precision tried.
    """
    points = len(grid["beta"]) * len(grid["gamma"]) * len(grid["offset"])
    if points > MOST_POINTS:
        raise InputError("grid", f"have at most {MOST_POINTS} points", points)
    for name in GRID:
        twice = [value for place, value in enumerate(grid[name]) if value in grid[name][:place]]
        if twice:
            raise InputError(f"grid.{name}", "hold every number once", twice[0])
    excess = softmax_excess(len(system.service_rates), digits + 2)
    eps, R, shares, bits = [], [], [], 0
    for beta in grid["beta"]:
        members = [
            replace(system, beta=beta, gamma=gamma, offset=offset)
            for gamma, offset in product(grid["gamma"], grid["offset"])
        ]
        found = _row(members, excess, digits)
        eps.append(found.eps)
        R += found.R
        shares.append([exact(share) for share in found.shares])
        bits = max(bits, found.bits)
    inner = len(R) // len(eps)
    means = tuple(round_up(each / eps[i // inner], digits) for i, each in enumerate(R))
    hints = {"precision": bits, "excess": exact(excess), "shares": shares}
    return Sweep(system, dict(grid), tuple(eps), tuple(R), means, hints)


@dataclass(frozen=True)
class _Row:
    """What the points of one beta share, and their constants."""

    eps: Fraction
    R: list[Fraction]
    shares: list[Fraction]
    bits: int


def _row(members: list[ReflectedUAS], excess: Fraction, digits: int) -> _Row:
    for attempt in range(TRIES):
        with precision((int(3.33 * digits) + 160) << attempt):
            first = enclose(members[0])
            require_floats(first)
            room = largest_room(members[0], first, digits)
            if room is None:
                continue
            shares = cheapest_shares(members[0], first, room)
            constants = []
            for member in members:
                balls = enclose(member)
                require_floats(balls)
                constants.append(crude_constant(balls, room.eps, shares, excess))
            if all(resolved(each, digits) for each in constants):
                bits = int(3.33 * digits) + 128 << attempt
                R = [outward(each, digits)[1] for each in constants]
                return _Row(room.eps, R, shares, bits)
    raise OutOfReach("a constant is not resolved at the last precision")
