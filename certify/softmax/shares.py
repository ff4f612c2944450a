"""What proofs of drift at every state start from: eps, shares of the arrivals, the best point.

Shares c_1, ..., c_N >= 0 of the arrival rate with (mu_i - c_i) v_i >= eps exist for every eps up to
the largest one; the point is the maximiser over the simplex whose tangent plane bounds the drift.
Names are those of proofs_checks/theorems/softmax-drift.md.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, fmpq, fmpz

from certify.balls import ball, ends, fraction, outward, rational, unit
from certify.certificate import exact
from certify.errors import InputError
from certify.softmax.system import ReflectedUAS, System, WeightedShortestQueue

NEWTON_STEPS = 60
FORCED = Fraction(1, 10**9)  # relative room below which shares count as determined
EXACT_POWER = 1000  # largest power and root of a rate that are tried exactly


@dataclass(frozen=True)
class Balls:
    """Arrival rate, alpha and every mu_i, v_i and kappa_i at the current precision."""

    arrival_rate: arb
    alpha: arb
    rates: list[arb]
    slopes: list[arb]
    shifts: list[arb]

    def __len__(self) -> int:
        return len(self.rates)


@dataclass(frozen=True)
class Room:
    """eps, and for every server a lower bound of mu_i - eps/v_i: the most its share c_i may be."""

    eps: Fraction
    caps: list[Fraction]


def enclose(system: System) -> Balls:
    """The numbers of a system at the current precision."""
    pairs = [system.energy(server) for server in range(len(system.service_rates))]
    return Balls(
        ball(system.arrival_rate),
        ball(system.inverse_temperature),
        [ball(rate) for rate in system.service_rates],
        [slope for slope, _ in pairs],
        [shift for _, shift in pairs],
    )


def require_floats(balls: Balls) -> None:
    """InputError if the numbers are so far apart that guesses in floating point lead nowhere."""
    highest = arb(10) ** 50
    for mu, v, kappa in zip(balls.rates, balls.slopes, balls.shifts, strict=True):
        scales = balls.arrival_rate, balls.alpha, mu, v, balls.alpha * v, mu * v
        for scale in (*scales, 1 + abs(kappa), 1 + abs(balls.alpha * kappa)):
            if not 1 / highest < scale < highest:
                requirement = "have rates, v_i, kappa_i and energies between 1e-50 and 1e50"
                raise InputError(
                    "system", requirement, f"one of {scale.mid().str(6, radius=False)}"
                )


def largest_room(system: System, balls: Balls, digits: int) -> Room | None:
    """The largest eps, exactly or rounded down; None if its digits are open at this precision."""
    return _exact_room(system, digits) or _rounded_room(system, balls, digits)


def forced(system: System, room: Room) -> bool:
    """Whether the caps leave no choice but rounding: the first term of eps binds."""
    return sum(room.caps, Fraction(0)) <= system.arrival_rate * (1 + FORCED)


def _exact_room(system: System, digits: int) -> Room | None:
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
    return Room(eps, [rate - eps * inverse for rate, inverse in pairs])


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


def _rounded_room(system: System, balls: Balls, digits: int) -> Room | None:
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
    if not (resolved(first, digits) and resolved(second, digits)):
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
    return Room(eps, caps)


def fill(
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


def kink_of(system: System, room: Room, server: int) -> Fraction:
    """The share up to which the slack (mu_i - c_i) v_i - eps covers mu_i v_i/2."""
    return max(Fraction(0), room.caps[server] - system.service_rates[server] / 2)


def cheapest_shares(system: System, balls: Balls, room: Room) -> list[Fraction]:
    """The shares that minimise the constant R.

    A unit of c_i costs kappa_i, and v_i more where the server's service term grows with it.
    """
    steps = []
    for server, (v, kappa) in enumerate(zip(balls.slopes, balls.shifts, strict=True)):
        steps.append((kappa.mid(), server, kink_of(system, room, server)))
        steps.append(((kappa + v).mid(), server, room.caps[server]))
    steps.sort(key=lambda step: step[0])
    order = [(server, cap) for _, server, cap in steps]
    return fill([Fraction(0)] * len(balls), order, system.arrival_rate)


def best_shares(system: System, balls: Balls, room: Room) -> list[Fraction]:
    """The shares that nearly minimise the sharp constant."""
    if forced(system, room):
        return cheapest_shares(system, balls, room)
    return saddle(system, balls, room)


def halves(balls: Balls) -> list[arb]:
    """v_i/2: what an arrival adds to V/lambda beside v_i Q_i."""
    return [v / 2 for v in balls.slopes]


def tangent(balls: Balls, shares: list[Fraction], point: list[Fraction], gains: list[arb]) -> arb:
    """The tangent plane at `point`, maximised over the simplex (Lemma 3).

    An arrival at server i counts lambda gains_i.
    """
    rate, alpha = balls.arrival_rate, balls.alpha
    value, slopes = -rate / alpha, []
    for c, p, gain, kappa in zip(shares, point, gains, balls.shifts, strict=True):
        share, chance = ball(c), ball(p)
        level = chance.log() / alpha + kappa
        value += share * level + rate * chance / alpha
        slopes.append(share / (alpha * chance) - rate * (level + 1 / alpha - gain))
    top = slopes[0]
    for slope in slopes:
        top = top.max(slope)
    return value + top


# The maximiser p of sum [(c_i - lambda p_i)(log p_i/alpha + kappa_i) + lambda g_i p_i] over the
# simplex, g_i = v_i/2 for V. With y_i = c_i/(lambda p_i) and one multiplier n its coordinates solve
#     y_i - log p_i = b_i,    b_i = 1 + alpha (kappa_i - g_i) + n,
# hence y_i = omega(b_i + log(c_i/lambda)), where omega(z) + log omega(z) = z, and n is the root of
# sum p_i = 1: a sum of convex decreasing functions of n.


def maximiser(balls: Balls, shares: list[Fraction], gains: list[arb], digits: int) -> list[arb]:
    """log p_i of the maximiser for these shares c_i: floats guess, Newton's method in balls."""
    fractions = [ball(c) / balls.arrival_rate for c in shares]
    levels = _levels(balls, gains)
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


def _levels(balls: Balls, gains: list[arb]) -> list[arb]:
    """alpha (kappa_i - g_i) for every server."""
    pairs = zip(gains, balls.shifts, strict=True)
    return [balls.alpha * (kappa - gain) for gain, kappa in pairs]


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
    return find_root(missing, start, math.inf, start), logs


def best_linear(balls: Balls, shares: list[Fraction]) -> list[float]:
    """The y_i <= v_i/2 for which V + sum y_i Q_i has the least constant, in floating point.

    The constant is then the maximum for y = v/2 under lambda p_i <= mu_i, and v_i/2 - y_i are the
    multipliers of these conditions.
    """
    fractions = [float(ball(c) / balls.arrival_rate) for c in shares]
    levels = [float(each) for each in _levels(balls, list(balls.slopes))]
    caps = [math.log(float(mu / balls.arrival_rate)) for mu in balls.rates]

    def missing(n: float) -> tuple[float, float]:
        """-log of the total of the p_i, and its derivative, for this n."""
        total, fall = 0.0, 0.0
        for level, share, cap in zip(levels, fractions, caps, strict=True):
            b = 1 + level + n
            x = _log_p(b, share)
            if x < cap:
                fall += math.exp(x) / (1 + max(0.0, x + b))
            total += math.exp(min(x, cap))
        return -math.log(total), fall / total

    start = min(
        c / math.exp(cap) - 1 - level - cap
        for level, c, cap in zip(levels, fractions, caps, strict=True)
    )
    n = find_root(missing, start, math.inf, start)
    result = []
    for level, share, cap, v in zip(levels, fractions, caps, balls.slopes, strict=True):
        over = 1 + level + n + cap - share / math.exp(cap)
        result.append(float(v) / 2 - max(0.0, -over) / float(balls.alpha))
    return result


def _log_p(b: float, share: float) -> float:
    """The log p with share/p - log p = b."""
    if share <= 0:
        return -b
    log_share = math.log(share)
    y = _omega(b + log_share)
    return log_share - math.log(y) if y > 0 else -b


def find_root(
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
        if step == math.inf or not low <= x + step <= high:
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


def saddle(system: System, balls: Balls, room: Room) -> list[Fraction]:
    """Shares below the caps with the exact sum lambda that nearly minimise the sharp constant."""
    rate, levels = balls.arrival_rate, _levels(balls, halves(balls))
    energies = [balls.alpha * kappa for kappa in balls.shifts]
    kinks = [kink_of(system, room, server) for server in range(len(balls))]
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
        return cap if not share < ball(cap) else dyadic(share, 40)

    shares: list[Fraction] = []
    inner: list[tuple[int, Fraction]] = []
    rest: list[tuple[int, Fraction]] = []
    for server, (kink, cap) in enumerate(zip(kinks, room.caps, strict=True)):
        x = T - energies[server]
        shares.append(
            max(cut(x, server, kink), cut(x - balls.alpha * balls.slopes[server], server, cap))
        )
        (rest if shares[-1] in (0, kink, cap) else inner).append((server, cap))
    return fill(shares, [*inner, *rest], system.arrival_rate)


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
        T = find_root(surplus, low, high, min(max(T, low), high))
        weight = sum(math.exp(x) * (1 + max(0.0, x + b)) for x, b in inner)
        per_n = sum(math.exp(x) for x, _ in inner) / weight if weight else 0.0
        fall = sum(math.exp(x) / (1 + max(0.0, x + b)) for x, b in outer)
        fall += per_n * sum(math.exp(x) for x, _ in inner)
        total = sum(math.exp(x) for x, _ in (*inner, *outer))
        return -math.log(total), fall / total

    start = max(-1 - level for level in levels)
    return find_root(missing, start, math.inf, start), T


def resolved(value: arb, digits: int) -> bool:
    """Whether a positive ball is so narrow that `digits` digits of it mean something."""
    low, high = ends(value)
    return low > 0 and (high - low) * 65536 < unit(low, digits)


def point_of(log_p: arb, digits: int) -> Fraction:
    """A dyadic number near p: an error in p costs the constant about lambda/alpha times as much."""
    if log_p > 0:  # a guess in floating point of energies that are far apart
        return Fraction(1)
    smallest = arb(2) ** -(4 * digits + 64)
    return dyadic(log_p.exp().max(smallest), 4 * digits + 16)


def dyadic(value: arb, bits: int) -> Fraction:
    """The middle of a positive ball cut to `bits` significant bits."""
    middle = ends(value.mid())[0]
    mantissa, denominator = middle.numerator, middle.denominator
    shift = max(0, mantissa.bit_length() - bits)
    return Fraction(mantissa >> shift << shift, denominator)
