"""The Foster-Lyapunov drift of a softmax system, on the whole lattice, with its sharp constant.

For V(Q) = 1/2 sum v_i Q_i**2 every lattice state satisfies (LV)(Q) <= -eps |Q|_1 + R, hence
E|Q|_1 <= R/eps in steady state. Two constants are proved: R by the softmax lemma, and sharp_R,
which maximises over routing probabilities instead and is found from one scalar equation, as K* is.
Sources: arXiv 2607.28688v1, Section 6; arXiv 2404.09188, equation (9);
proofs_checks/theorems/softmax-drift.md, whose names are used here.
"""

import math
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any

from flint import arb, fmpq, fmpq_mat, fmpz, fmpz_mat

from certify.balls import at_least, at_most, ball, ends, nearest, outward, precision, round_up
from certify.certificate import Certificate, exact, number
from certify.errors import OutOfReach
from certify.problem import MAX_DIGITS, Table
from certify.softmax.excess import softmax_excess
from certify.softmax.shares import (
    Balls,
    cheapest_shares,
    enclose,
    forced,
    halves,
    largest_room,
    maximiser,
    point_of,
    require_floats,
    resolved,
    saddle,
    tangent,
)
from certify.softmax.system import ReflectedUAS, System, read_system

DIGITS = 20  # significant digits of eps and the constants when nothing else is asked for
TRIES = 4  # precisions tried, each twice the last
STATES = 1000  # states visited in search of one of large drift,
QUEUES = 10_000  # with so many queues in all; for over SEARCHED servers there is no search
SEARCHED = 1000
SEARCH_BITS = 320
REDUCED = 40  # servers up to which a far state is sought by lattice reduction
NEAR = Fraction(1, 1000)  # it shall come so near to the sharp constant, relatively,
HALVINGS = 20  # at distances from the critical ray that are halved so often


@dataclass(frozen=True)
class Drift:
    """(LV)(Q) + eps |Q|_1 is at most R, and at most sharp_R, at every lattice state Q.

    `eps` is rounded down, `R`, `sharp_R` and `mean_queue_bound` (jobs; at least E|Q|_1 in steady
    state) are rounded up to `digits` significant digits; an eps that is a short rational is kept
    exactly. `attained` is a state and a value that the left side reaches there, so that no smaller
    constant is true; None for many servers.
    """

    system: System
    digits: int
    eps: Fraction
    R: Fraction
    sharp_R: Fraction  # noqa: N815
    mean_queue_bound: Fraction
    attained: tuple[tuple[int, ...], Fraction] | None
    hints: dict[str, Any] = field(repr=False)

    def __repr__(self) -> str:
        names = ("eps", "R", "sharp_R", "mean_queue_bound")
        numbers = ", ".join(f"{name}={nearest(getattr(self, name))}" for name in names)
        return f"Drift(servers={len(self.system.service_rates)}, {numbers})"

    def certificate(self) -> Certificate:
        """The certificate of both constants, the queue bound and the attained value."""
        names = ("eps", "R", "sharp_R", "mean_queue_bound")
        claim: dict[str, Any] = {name: exact(getattr(self, name)) for name in names}
        claim["system"] = self.system.to_claim()
        if self.attained is not None:
            state, value = self.attained
            claim["attained"] = {"state": [exact(q) for q in state], "value": exact(value)}
        return Certificate("softmax-drift", claim, self.hints)


def make(table: Table) -> Certificate:
    """The certificate of a problem of kind `softmax-drift`."""
    digits = table.integer("digits", 1, MAX_DIGITS, DIGITS)
    system = read_system(table)
    table.done()
    return certify_drift(system, digits).certificate()


def words(claim: dict[str, Any]) -> str:
    """What a claim of this kind states, in one sentence."""
    servers = len(claim["system"]["service_rates"])
    constant = min(number(claim[name]) for name in ("R", "sharp_R") if name in claim)
    return (
        f"At every state of the {servers} queues the drift of V = 1/2 sum v_i Q_i^2 is at most "
        f"-{at_least(claim['eps'])} |Q|_1 + {at_most(constant)}, so "
        f"E|Q|_1 <= {at_most(claim['mean_queue_bound'])} in steady state."
    )


def certify_drift(system: System, digits: int = DIGITS) -> Drift:
    """The drift of a system with the largest eps and the smallest constants of the theorem.

    Raises InputError if a rate, a v_i or an energy alpha kappa_i is beyond floating point, and
    OutOfReach if some inequality stays open at every precision tried.
    """
    bits = int(3.33 * digits) + 128 + 2 * len(system.service_rates).bit_length()
    for attempt in range(TRIES):
        with precision(bits << attempt):
            balls = enclose(system)
            if attempt == 0:
                require_floats(balls)
            found = _attempt(system, balls, digits)
        if found is not None:
            return found
    raise OutOfReach("the drift is not resolved at the last precision")


def _attempt(system: System, balls: Balls, digits: int) -> Drift | None:
    """The drift at the current precision, or None if a digit or an inequality stays open."""
    room = largest_room(system, balls, digits)
    if room is None:
        return None
    shares = cheapest_shares(system, balls, room)
    free = not forced(system, room)
    sharp_shares = saddle(system, balls, room) if free else shares
    excess = softmax_excess(len(balls), digits + 2)
    crude = crude_constant(balls, room.eps, shares, excess)
    gains = halves(balls)
    logs = maximiser(balls, sharp_shares, gains, digits)
    point = [point_of(each, digits) for each in logs]
    sharp = tangent(balls, sharp_shares, point, gains) + _service_terms(
        balls, room.eps, sharp_shares
    )
    searched = len(balls) <= SEARCHED
    with precision(SEARCH_BITS):  # enough to choose by, however many digits are asked for
        state = _search(balls, room.eps, logs) if searched else (0,) * len(balls)
        if not free and 1 < len(balls) <= REDUCED:
            state = _far_search(balls, room.eps, logs, state, sharp)
    value = drift_at(balls, room.eps, state)
    if not all(resolved(each, digits) for each in (crude, sharp, value)):
        return None
    R, sharp_R = outward(crude, digits)[1], outward(sharp, digits)[1]
    hints: dict[str, Any] = {
        "precision": _checker_bits(system, balls, room.eps, digits, logs, state, min(R, sharp_R)),
        "excess": exact(excess),
        "shares": [exact(share) for share in shares],
        "point": [exact(each) for each in point],
    }
    if free:
        hints["sharp_shares"] = [exact(share) for share in sharp_shares]
    bound = round_up(min(R, sharp_R) / room.eps, digits)
    attained = (state, outward(value, digits)[0]) if searched else None
    return Drift(system, digits, room.eps, R, sharp_R, bound, attained, hints)


def crude_constant(balls: Balls, eps: Fraction, shares: list[Fraction], excess: Fraction) -> arb:
    """lambda k/alpha + sum c_i kappa_i + lambda max(v_i/2 - kappa_i) + service terms (part a)."""
    heights = [v / 2 - kappa for v, kappa in zip(balls.slopes, balls.shifts, strict=True)]
    top = heights[0]
    for height in heights:
        top = top.max(height)
    value = balls.arrival_rate * (ball(excess) / balls.alpha + top)
    for c, kappa in zip(shares, balls.shifts, strict=True):
        value += ball(c) * kappa
    return value + _service_terms(balls, eps, shares)


def _service_terms(balls: Balls, eps: Fraction, shares: list[Fraction]) -> arb:
    """sum max(0, mu_i v_i/2 - slack_i), where slack_i = (mu_i - c_i) v_i - eps >= 0."""
    value = arb(0)
    for c, mu, v in zip(shares, balls.rates, balls.slopes, strict=True):
        value += (ball(eps) + (ball(c) - mu / 2) * v).max(arb(0))
    return value


# ---------------------------------------------------------------- a state of large drift


def _search(balls: Balls, eps: Fraction, logs: list[arb]) -> tuple[int, ...]:
    """A state of large (LV)(Q) + eps |Q|_1 among those that round a point of the critical ray.

    On the ray v_i Q_i = t - log p_i/alpha - kappa_i the routing probabilities are the maximiser.
    Of states that agree to a millionth the first is kept, which has the fewest jobs.
    """
    floors = [
        float(log_p / balls.alpha + kappa) for log_p, kappa in zip(logs, balls.shifts, strict=True)
    ]
    slopes = [float(v) for v in balls.slopes]
    # whole queues of one server, the nearest ones of the others: equal servers and rational ratios
    # want the smallest steps v_i there, very different servers the largest
    by_step = sorted(range(len(slopes)), key=lambda server: slopes[server])
    count = min(STATES, QUEUES // len(slopes))
    best = (0,) * len(slopes), drift_at(balls, eps, (0,) * len(slopes))
    for base, queue in product((by_step[0], by_step[-1]), range(count)):
        t = queue * slopes[base] + floors[base]
        state = tuple(
            max(0, math.floor((t - low) / v + 0.5)) for low, v in zip(floors, slopes, strict=True)
        )
        value = drift_at(balls, eps, state)
        if value > best[1] + abs(best[1]) / 10**6:
            best = state, value
    return best[0]


def _far_search(
    balls: Balls, eps: Fraction, logs: list[arb], near: tuple[int, ...], sharp: arb
) -> tuple[int, ...]:
    """A state whose (LV)(Q) + eps |Q|_1 is within NEAR of the sharp constant, or the best found.

    If no two 1/v_i are commensurable, states come as near to the critical ray as wanted.
    """
    goal = sharp * ball(1 - NEAR)
    best = near, drift_at(balls, eps, near)
    distance = max(ends(v)[1] for v in balls.slopes) / 2
    for _ in range(HALVINGS):
        if best[1] > goal:
            break
        distance /= 2
        state = _near_ray(balls, logs, distance)
        value = drift_at(balls, eps, state) if min(state) >= 0 else best[1]
        if value > best[1] + abs(best[1]) / 10**6:
            best = state, value
    return best[0]


def _near_ray(balls: Balls, logs: list[arb], distance: Fraction) -> tuple[int, ...]:
    """A lattice point about this far from the critical ray in every v_i Q_i, not too far out.

    Coordinates of the lattice: v_i Q_i - v_1 Q_1 for i > 1, and Q_1 on such a scale that the
    reduced basis has entries of about `distance`.
    """
    count, bits = len(balls), 64 - _size(distance)
    product_of_slopes = math.prod((v for v in balls.slopes[1:]), start=arb(1))
    scale = ball(distance) ** count / product_of_slopes
    unit = ball(1 << bits)
    rows = [[fmpz(0)] * count for _ in range(count)]
    offsets = [log_p / balls.alpha + kappa for log_p, kappa in zip(logs, balls.shifts, strict=True)]
    aim = []
    for i in range(1, count):
        rows[0][i - 1] = -_nearest(balls.slopes[0] * unit)
        rows[i][i - 1] = _nearest(balls.slopes[i] * unit)
        aim.append(_nearest((offsets[0] - offsets[i]) * unit))
    # the scale is far below the unit when the ray is long: keep at least one bit of it
    rows[0][-1] = max(fmpz(1), _nearest(scale * unit))
    aim.append(_nearest(2 * ball(distance) * unit))
    basis = fmpz_mat(rows)
    reduced = basis.lll()
    combination = fmpq_mat(1, count, [int(each) for each in aim]) * fmpq_mat(reduced).inv()
    whole = fmpq_mat(1, count, [_round(combination[0, i]) for i in range(count)])
    state = whole * fmpq_mat(reduced) * fmpq_mat(basis).inv()
    return tuple(int(state[0, i].p) for i in range(count))


def _nearest(value: arb) -> fmpz:
    """An integer next to the middle of a ball."""
    return fmpz(int((ends(value.mid())[0] + Fraction(1, 2)).__floor__()))


def _round(value: fmpq) -> int:
    return int((value + fmpq(1, 2)).floor())


def _size(value: Fraction) -> int:
    """About the binary logarithm of a positive number."""
    return value.numerator.bit_length() - value.denominator.bit_length()


def drift_at(balls: Balls, eps: Fraction, state: tuple[int, ...]) -> arb:
    """(LV)(Q) + eps |Q|_1 at one state."""
    energies = [
        v * q + kappa for v, q, kappa in zip(balls.slopes, state, balls.shifts, strict=True)
    ]
    lowest = energies[0].mid()
    for energy in energies:
        lowest = lowest.min(energy.mid())
    total, routed, served = arb(0), arb(0), arb(0)
    for energy, q, mu, v in zip(energies, state, balls.rates, balls.slopes, strict=True):
        weight = (balls.alpha * (lowest - energy)).exp()
        total += weight
        routed += weight * v * (q + arb(0.5))
        if q:
            served += mu * v * (q - arb(0.5))
    return balls.arrival_rate * routed / total - served + ball(eps) * sum(state)


def _checker_bits(
    system: System,
    balls: Balls,
    eps: Fraction,
    digits: int,
    logs: list[arb],
    state: tuple[int, ...],
    constant: Fraction,
) -> int:
    """Bits with which another arithmetic resolves the claim in spite of cancellation."""
    offset = ball(system.offset) if isinstance(system, ReflectedUAS) else arb(0)
    highest = max(
        ends(abs(kappa) + (1 + offset) * v + abs(log_p) / balls.alpha)[1]
        for v, kappa, log_p in zip(balls.slopes, balls.shifts, logs, strict=True)
    )
    served = sum((mu * v for mu, v in zip(balls.rates, balls.slopes, strict=True)), arb(0))
    size = served + balls.arrival_rate * (ball(highest) + 1 / balls.alpha)
    capacity = sum(balls.rates, arb(0))
    tallest = max(v * queue for v, queue in zip(balls.slopes, state, strict=True))
    losses = (
        size / ball(constant),
        served / ball(eps),
        capacity / (capacity - balls.arrival_rate),
        1 + max(abs(v.log()) for v in balls.slopes),
        1 + balls.alpha * (tallest + ball(highest)),
    )
    lost = sum(math.ceil(ends(loss)[1]).bit_length() for loss in losses)
    return int(3.33 * digits) + 64 + 2 * len(balls).bit_length() + lost
