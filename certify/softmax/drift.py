"""The Foster-Lyapunov drift of a softmax system, on the whole lattice, with its sharp constant.

For V(Q) = 1/2 sum v_i Q_i**2 every lattice state satisfies (LV)(Q) <= -eps |Q|_1 + R, hence
E|Q|_1 <= R/eps in steady state. Two constants are proved: R by the softmax lemma, and sharp_R,
which maximises over routing probabilities instead and is found from one scalar equation, as K* is.
Sources: arXiv 2607.28688v1, Section 6; arXiv 2404.09188, equation (9);
proofs_checks/theorems/softmax-drift.md, whose names are used here.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any

from flint import arb, fmpq, fmpz

from certify.balls import ball, ends, fraction, outward, precision, rational, round_up, unit
from certify.certificate import Certificate, exact
from certify.errors import InputError
from certify.problem import MAX_DIGITS, Table
from certify.softmax.system import ReflectedUAS, System, WeightedShortestQueue, read_system

DIGITS = 20  # significant digits of eps and the constants when nothing else is asked for
TRIES = 4  # precisions tried, each twice the last
NEWTON_STEPS = 60
STATES = 1000  # states visited in search of one of large drift,
QUEUES = 10_000  # with so many queues in all; for over SEARCHED servers there is no search
SEARCHED = 1000
FORCED = Fraction(1, 10**9)  # relative room below which shares count as determined
EXACT_POWER = 1000  # largest power and root of a rate that are tried exactly


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
        numbers = ", ".join(f"{name}={float(getattr(self, name)):.6g}" for name in names)
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
    constant = min(Fraction(claim[name]) for name in ("R", "sharp_R") if name in claim)
    eps, bound = (float(Fraction(claim[name])) for name in ("eps", "mean_queue_bound"))
    return (
        f"At every state of the {servers} queues the drift of V = 1/2 sum v_i Q_i^2 is at most "
        f"-{eps:.6g} |Q|_1 + {float(constant):.6g}, so E|Q|_1 <= {bound:.6g} in steady state."
    )


def certify_drift(system: System, digits: int = DIGITS) -> Drift:
    """The drift of a system with the largest eps and the smallest constants of the theorem.

    Raises InputError if a rate, a v_i or an energy alpha kappa_i is beyond floating point, and
    ArithmeticError if some inequality stays open at every precision tried.
    """
    bits = int(3.33 * digits) + 128 + 2 * len(system.service_rates).bit_length()
    for attempt in range(TRIES):
        with precision(bits << attempt):
            balls = _balls(system)
            if attempt == 0:
                _require_floats(balls)
            found = _attempt(system, balls, digits)
        if found is not None:
            return found
    raise ArithmeticError("the drift is not resolved at the last precision")


@dataclass(frozen=True)
class _Balls:
    """Arrival rate, alpha and every mu_i, v_i and kappa_i at the current precision."""

    arrival_rate: arb
    alpha: arb
    rates: list[arb]
    slopes: list[arb]
    shifts: list[arb]

    def __len__(self) -> int:
        return len(self.rates)


@dataclass(frozen=True)
class _Room:
    """eps, and for every server a lower bound of mu_i - eps/v_i: the most its share c_i may be."""

    eps: Fraction
    caps: list[Fraction]


def _attempt(system: System, balls: _Balls, digits: int) -> Drift | None:
    """The drift at the current precision, or None if a digit or an inequality stays open."""
    room = _exact_room(system, digits) or _rounded_room(system, balls, digits)
    if room is None:
        return None
    shares = _cheapest_shares(system, balls, room)
    # when the first term of eps binds the caps leave no choice but rounding
    forced = sum(room.caps, Fraction(0)) <= system.arrival_rate * (1 + FORCED)
    sharp_shares = shares if forced else _saddle(system, balls, room)
    excess = _excess(len(balls), digits)
    crude = _crude_constant(balls, room.eps, shares, excess)
    logs = _maximiser(balls, sharp_shares, digits)
    point = [_point(each, digits) for each in logs]
    sharp = _sharp_constant(balls, room.eps, sharp_shares, point)
    searched = len(balls) <= SEARCHED
    with precision(256):  # enough to choose by, however many digits are asked for
        state = _search(balls, room.eps, logs) if searched else (0,) * len(balls)
    value = _drift_at(balls, room.eps, state)
    if not all(_resolved(each, digits) for each in (crude, sharp, value)):
        return None
    R, sharp_R = outward(crude, digits)[1], outward(sharp, digits)[1]
    hints: dict[str, Any] = {
        "precision": _checker_bits(system, balls, room.eps, digits, logs, state, min(R, sharp_R)),
        "excess": exact(excess),
        "shares": [exact(share) for share in shares],
        "point": [exact(each) for each in point],
    }
    if not forced:
        hints["sharp_shares"] = [exact(share) for share in sharp_shares]
    bound = round_up(min(R, sharp_R) / room.eps, digits)
    attained = (state, outward(value, digits)[0]) if searched else None
    return Drift(system, digits, room.eps, R, sharp_R, bound, attained, hints)


def _balls(system: System) -> _Balls:
    pairs = [system.energy(server) for server in range(len(system.service_rates))]
    return _Balls(
        ball(system.arrival_rate),
        ball(system.inverse_temperature),
        [ball(rate) for rate in system.service_rates],
        [slope for slope, _ in pairs],
        [shift for _, shift in pairs],
    )


def _require_floats(balls: _Balls) -> None:
    """InputError if the numbers are so far apart that guesses in floating point lead nowhere."""
    highest = arb(10) ** 50
    for mu, v, kappa in zip(balls.rates, balls.slopes, balls.shifts, strict=True):
        scales = balls.arrival_rate, balls.alpha, mu, v, balls.alpha * v, mu * v
        for scale in (*scales, 1 + abs(kappa), 1 + abs(balls.alpha * kappa)):
            if not 1 / highest < scale < highest:
                requirement = "have rates, v_i, kappa_i and energies between 1e-50 and 1e50"
                raise InputError("system", requirement, scale.mid().str(6, radius=False))


def _exact_room(system: System, digits: int) -> _Room | None:
    """The largest eps itself, if every v_i is rational and eps is short (2 `digits` characters)."""
    inverses: list[Fraction] = []
    total = fmpq(0)
    for server in range(len(system.service_rates)):
        slope = _exact_slope(system, server)
        if slope is None or total.height_bits() > 64 * digits + 1024:
            return None
        inverses.append(1 / slope)
        total += rational(inverses[-1])
    surplus = sum(map(rational, system.service_rates), fmpq(0)) - rational(system.arrival_rate)
    pairs = list(zip(system.service_rates, inverses, strict=True))
    eps = min(fraction(surplus / total), *(rate / inverse for rate, inverse in pairs))
    if len(exact(eps)) > 2 * digits:
        return None
    return _Room(eps, [rate - eps * inverse for rate, inverse in pairs])


def _exact_slope(system: System, server: int) -> Fraction | None:
    """v_i, if it is a rational that is found by taking one root."""
    if isinstance(system, WeightedShortestQueue):
        return 2 * system.weights[server]
    if not isinstance(system, ReflectedUAS):
        return None
    rate = system.service_rates[server]
    power, root = system.beta.numerator, system.beta.denominator
    if max(power, root) > EXACT_POWER:
        return None
    parts = fmpz(rate.denominator), fmpz(rate.numerator)
    top, bottom = (part.root(root) for part in parts)
    if (top**root, bottom**root) != parts:
        return None
    return Fraction(int(top), int(bottom)) ** power


def _rounded_room(system: System, balls: _Balls, digits: int) -> _Room | None:
    """The largest eps rounded down, with dyadic caps.

    A cap leaves at least a unit of its grid to (mu_i - c_i) v_i >= eps, which the checker must see
    in its own arithmetic; the grid is so fine that the caps still exceed the arrival rate.
    """
    inverses = [1 / slope for slope in balls.slopes]
    surplus, total = sum(balls.rates, -balls.arrival_rate), sum(inverses, arb(0))
    first = surplus / total
    second = balls.rates[0] * balls.slopes[0]
    for rate, slope in zip(balls.rates, balls.slopes, strict=True):
        second = second.min(rate * slope)
    if not (_resolved(first, digits) and _resolved(second, digits)):
        return None
    eps = min(outward(first, digits)[0], outward(second, digits)[0])
    slack = ends(surplus - ball(eps) * total)[0]
    if slack <= 0:
        return None
    step = min(slack / 4, system.arrival_rate / 10 ** (digits + 9)) / len(balls)
    grid = (1 / step).__ceil__().bit_length()
    caps = []
    for rate, inverse in zip(balls.rates, inverses, strict=True):
        low, high = ends((rate - ball(eps) * inverse) * ball(1 << grid))
        if high - low > 1:
            return None
        caps.append(Fraction(max(0, low.__floor__() - 1), 1 << grid))
    return _Room(eps, caps)


def _fill(
    start: Sequence[Fraction], steps: Sequence[tuple[int, Fraction]], total: Fraction
) -> list[Fraction]:
    """Shares with the exact sum `total`: each step moves one server's share within [0, cap]."""
    shares = list(start)
    missing = total - sum(shares, Fraction(0))
    for server, cap in steps:
        if not missing:
            break
        moved = min(max(shares[server] + missing, Fraction(0)), cap)
        missing -= moved - shares[server]
        shares[server] = moved
    return shares


def _kink(system: System, room: _Room, server: int) -> Fraction:
    """The share up to which the slack (mu_i - c_i) v_i - eps covers mu_i v_i/2."""
    return max(Fraction(0), room.caps[server] - system.service_rates[server] / 2)


def _cheapest_shares(system: System, balls: _Balls, room: _Room) -> list[Fraction]:
    """The shares that minimise the constant R.

    A unit of c_i costs kappa_i, and v_i more where the server's service term grows with it.
    """
    steps = []
    for server, (v, kappa) in enumerate(zip(balls.slopes, balls.shifts, strict=True)):
        steps.append((kappa.mid(), server, _kink(system, room, server)))
        steps.append(((kappa + v).mid(), server, room.caps[server]))
    steps.sort(key=lambda step: step[0])
    order = [(server, cap) for _, server, cap in steps]
    return _fill([Fraction(0)] * len(balls), order, system.arrival_rate)


def _excess(servers: int, digits: int) -> Fraction:
    """A rational k, rounded up, with k exp(1 + k) >= servers - 1 (k = W((servers - 1)/e))."""
    if servers == 1:
        return Fraction(0)
    return outward((ball(servers - 1) / arb(1).exp()).lambertw(), digits + 2)[1]


def _crude_constant(balls: _Balls, eps: Fraction, shares: list[Fraction], excess: Fraction) -> arb:
    """lambda k/alpha + sum c_i kappa_i + lambda max(v_i/2 - kappa_i) + service terms (part a)."""
    heights = [v / 2 - kappa for v, kappa in zip(balls.slopes, balls.shifts, strict=True)]
    top = heights[0]
    for height in heights:
        top = top.max(height)
    value = balls.arrival_rate * (ball(excess) / balls.alpha + top)
    for c, kappa in zip(shares, balls.shifts, strict=True):
        value += ball(c) * kappa
    return value + _service_terms(balls, eps, shares)


def _sharp_constant(
    balls: _Balls, eps: Fraction, shares: list[Fraction], point: list[Fraction]
) -> arb:
    """The tangent plane at `point`, maximised over the simplex, + service terms (part b)."""
    rate, alpha = balls.arrival_rate, balls.alpha
    value, slopes = -rate / alpha, []
    for c, p, v, kappa in zip(shares, point, balls.slopes, balls.shifts, strict=True):
        share, chance = ball(c), ball(p)
        level = chance.log() / alpha + kappa
        value += share * level + rate * chance / alpha
        slopes.append(share / (alpha * chance) - rate * (level + 1 / alpha - v / 2))
    top = slopes[0]
    for slope in slopes:
        top = top.max(slope)
    return value + top + _service_terms(balls, eps, shares)


def _service_terms(balls: _Balls, eps: Fraction, shares: list[Fraction]) -> arb:
    """sum max(0, mu_i v_i/2 - slack_i), where slack_i = (mu_i - c_i) v_i - eps >= 0."""
    value = arb(0)
    for c, mu, v in zip(shares, balls.rates, balls.slopes, strict=True):
        value += (ball(eps) + (ball(c) - mu / 2) * v).max(arb(0))
    return value


# The maximiser p of sum [(c_i - lambda p_i)(log p_i/alpha + kappa_i) + lambda v_i p_i/2] over the
# simplex. With y_i = c_i/(lambda p_i) and one multiplier n its coordinates solve
#     y_i - log p_i = b_i,    b_i = 1 + alpha (kappa_i - v_i/2) + n,
# hence y_i = omega(b_i + log(c_i/lambda)), where omega(z) + log omega(z) = z, and n is the root of
# sum p_i = 1: a sum of convex decreasing functions of n.


def _maximiser(balls: _Balls, shares: list[Fraction], digits: int) -> list[arb]:
    """log p_i of the maximiser for these shares c_i: floats guess, Newton's method in balls."""
    fractions = [ball(c) / balls.arrival_rate for c in shares]
    levels = _levels(balls)
    guess, logs = _guess([float(each) for each in levels], [float(c) for c in fractions])
    n, x = arb(guess), [arb(each) for each in logs]
    goal = ball(Fraction(1, 10 ** (digits // 2 + 6)))
    for _ in range(NEWTON_STEPS):
        excess, weight, residuals = arb(-1), arb(0), []
        for c, level, log_p in zip(fractions, levels, x, strict=True):
            p = log_p.exp()
            y = c / p
            residual = (y - log_p - 1 - level - n) / (1 + y)
            excess += p + p * residual
            weight += p / (1 + y)
            residuals.append((residual, 1 / (1 + y)))
        step = (excess / weight).mid()
        moves = [(residual - step * inverse).mid() for residual, inverse in residuals]
        n += step
        x = [(log_p + move).mid() for log_p, move in zip(x, moves, strict=True)]
        if all(abs(move) < goal for move in moves):
            break
    return x


def _levels(balls: _Balls) -> list[arb]:
    """alpha (kappa_i - v_i/2) for every server."""
    pairs = zip(balls.slopes, balls.shifts, strict=True)
    return [balls.alpha * (kappa - v / 2) for v, kappa in pairs]


def _guess(levels: list[float], shares: list[float]) -> tuple[float, list[float]]:
    """Floating-point n and log p_i; the shares are c_i/lambda."""
    logs: list[float] = []

    def missing(n: float) -> tuple[float, float]:
        """-log of the total of the p_i, and its derivative, for this n."""
        bs = [1 + level + n for level in levels]
        logs[:] = map(_log_p, bs, shares)
        total = sum(map(math.exp, logs))
        fall = sum(math.exp(x) / (1 + max(0.0, x + b)) for x, b in zip(logs, bs, strict=True))
        return -math.log(total), fall / total

    # the total is at least 1 where some p_i is 1; log p_i is convex in n: Newton's method goes up
    start = max(c - 1 - level for level, c in zip(levels, shares, strict=True))
    return _root(missing, start, math.inf, start), logs


def _log_p(b: float, share: float) -> float:
    """The log p with share/p - log p = b."""
    if share <= 0:
        return -b
    log_share = math.log(share)
    y = _omega(b + log_share)
    return log_share - math.log(y) if y > 0 else -b


def _root(
    rising: Callable[[float], tuple[float, float]], low: float, high: float, start: float
) -> float:
    """A root in [low, high] of a rising function that returns its value and its derivative.

    Newton's method; a step that leaves the bracket is replaced by bisection.
    """
    x = start
    for _ in range(200):
        value, slope = rising(x)
        if value < 0:
            low = x
        else:
            high = x
        step = -value / slope if slope > 0 else math.inf
        if not low <= x + step <= high:
            step = (low + high) / 2 - x if high < math.inf else 1.0
        x += step
        if abs(step) <= 1e-13 * (1 + abs(x)):
            break
    return x


def _omega(z: float) -> float:
    """The y with y + log y = z (Wright's omega function)."""
    if z < -30:
        return math.exp(z)
    y = z if z > 1 else math.exp(z) / (1 + math.exp(z))
    for _ in range(20):
        step = y * (z - y - math.log(y)) / (1 + y)
        y += step
        if abs(step) <= 1e-15 * y:
            break
    return y


# When the second term of eps binds, sum c_i = lambda leaves c free below its caps. The constant is
# a convex function of c. At its minimum there is a level T such that log p_i + alpha kappa_i is T
# for a share strictly between 0 and its kink, T - alpha v_i for one strictly between kink and cap;
# by the equation for p_i such a share is lambda exp(x) (x + b_i), where x = log p_i.


def _saddle(system: System, balls: _Balls, room: _Room) -> list[Fraction]:
    """Shares below the caps with the exact sum lambda that nearly minimise the sharp constant."""
    rate, levels = balls.arrival_rate, _levels(balls)
    energies = [balls.alpha * kappa for kappa in balls.shifts]
    kinks = [_kink(system, room, server) for server in range(len(balls))]
    guess = _saddle_guess(
        [float(each) for each in energies],
        [float(balls.alpha * v) for v in balls.slopes],
        [float(each) for each in levels],
        [float(ball(kink) / rate) for kink in kinks],
        [float(ball(cap) / rate) for cap in room.caps],
    )
    # coarse rounding: the constant is flat at its minimum, and files must not depend on a libm
    n, T = (ball(Fraction(round(each * 2**24), 2**24)) for each in guess)

    tiny = rate / len(balls) / 2**50

    def cut(x: arb, server: int, cap: Fraction) -> Fraction:
        share = rate * x.exp() * (x + 1 + levels[server] + n)
        if not share > tiny:
            return Fraction(0)
        return cap if not share < ball(cap) else _dyadic(share, 40)

    shares: list[Fraction] = []
    inner: list[tuple[int, Fraction]] = []
    rest: list[tuple[int, Fraction]] = []
    for server, (kink, cap) in enumerate(zip(kinks, room.caps, strict=True)):
        x = T - energies[server]
        shares.append(
            max(cut(x, server, kink), cut(x - balls.alpha * balls.slopes[server], server, cap))
        )
        (rest if shares[-1] in (0, kink, cap) else inner).append((server, cap))
    return _fill(shares, [*inner, *rest], system.arrival_rate)


def _saddle_guess(
    energies: list[float],
    jumps: list[float],
    levels: list[float],
    kinks: list[float],
    caps: list[float],
) -> tuple[float, float]:
    """Floating-point n and T; energies are alpha kappa_i, jumps alpha v_i, shares over lambda."""
    T = 0.0

    def missing(n: float) -> tuple[float, float]:
        """-log of the total of the p_i, and its derivative, for this n and the T it asks for."""
        nonlocal T
        servers = []
        for energy, jump, level, kink, cap in zip(
            energies, jumps, levels, kinks, caps, strict=True
        ):
            b = 1 + level + n
            servers.append((energy, energy + jump, b, _log_p(b, kink), _log_p(b, cap)))
        inner: list[tuple[float, float]] = []  # (log p, b) of the shares that T moves
        outer: list[tuple[float, float]] = []

        def surplus(T: float) -> tuple[float, float]:
            """The total of the shares less 1, and its derivative."""
            inner.clear()
            outer.clear()
            for first, second, b, at_kink, at_cap in servers:
                x = max(-b, min(T - first, at_kink), min(T - second, at_cap))
                moves = x > -b and (x < at_kink or at_kink < x < at_cap)
                (inner if moves else outer).append((x, b))
            slope = sum(math.exp(x) * (1 + max(0.0, x + b)) for x, b in inner)
            return sum(math.exp(x) * max(0.0, x + b) for x, b in (*inner, *outer)) - 1, slope

        low = min(first - b for first, _, b, _, _ in servers)
        high = max(second + at_cap for _, second, _, _, at_cap in servers)
        T = _root(surplus, low, high, min(max(T, low), high))
        weight = sum(math.exp(x) * (1 + max(0.0, x + b)) for x, b in inner)
        per_n = sum(math.exp(x) for x, _ in inner) / weight if weight else 0.0
        fall = sum(math.exp(x) / (1 + max(0.0, x + b)) for x, b in outer)
        fall += per_n * sum(math.exp(x) for x, _ in inner)
        total = sum(math.exp(x) for x, _ in (*inner, *outer))
        return -math.log(total), fall / total

    start = max(-1 - level for level in levels)
    return _root(missing, start, math.inf, start), T


# ---------------------------------------------------------------- a state of large drift


def _search(balls: _Balls, eps: Fraction, logs: list[arb]) -> tuple[int, ...]:
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
    best = (0,) * len(slopes), _drift_at(balls, eps, (0,) * len(slopes))
    for base, queue in product((by_step[0], by_step[-1]), range(count)):
        t = queue * slopes[base] + floors[base]
        state = tuple(
            max(0, math.floor((t - low) / v + 0.5)) for low, v in zip(floors, slopes, strict=True)
        )
        value = _drift_at(balls, eps, state)
        if value > best[1] + abs(best[1]) / 10**6:
            best = state, value
    return best[0]


def _drift_at(balls: _Balls, eps: Fraction, state: tuple[int, ...]) -> arb:
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


# ---------------------------------------------------------------- rounding


def _resolved(value: arb, digits: int) -> bool:
    """Whether a positive ball is so narrow that `digits` digits of it mean something."""
    low, high = ends(value)
    return low > 0 and (high - low) * 65536 < unit(low, digits)


def _point(log_p: arb, digits: int) -> Fraction:
    """A dyadic number near p: an error in p costs the constant about lambda/alpha times as much."""
    smallest = arb(2) ** -(4 * digits + 64)
    return _dyadic(log_p.exp().max(smallest), 4 * digits + 16)


def _dyadic(value: arb, bits: int) -> Fraction:
    """The middle of a positive ball cut to `bits` significant bits."""
    middle = ends(value.mid())[0]
    mantissa, denominator = middle.numerator, middle.denominator
    shift = max(0, mantissa.bit_length() - bits)
    return Fraction(mantissa >> shift << shift, denominator)


def _checker_bits(
    system: System,
    balls: _Balls,
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
