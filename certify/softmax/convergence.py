"""An explicit time by which every solution of the reflected equation is at its equilibrium.

The distance |q - q*| with |x|^2 = sum v_i x_i^2 never increases. Far away it falls at a constant
speed, near q* exponentially; speeds and rates are proved on a falling sequence of distances and
added up. Source: proofs_checks/theorems/softmax-convergence.md, whose names are used here; arXiv
2607.28688v1, Theorem 3.7 has the convergence without a time.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from flint import arb

from certify.balls import (
    above,
    at_least,
    at_most,
    ball,
    ends,
    nearest,
    precision,
    round_down,
    round_up,
)
from certify.certificate import Certificate, exact, interval
from certify.errors import InputError, OutOfReach
from certify.problem import Table
from certify.softmax.equilibrium import Enclosure, solve
from certify.softmax.potential import require_moderate_energies
from certify.softmax.system import System, read_with_equilibrium

ROOT_DIGITS = 40  # correct digits of K*
BITS = 256  # of every ball here; the checker works with as many
DIGITS = 4  # significant digits of distances, rates and times
SHRINK = Fraction(9, 10)  # from one distance of the sequence to the next; smaller is coarser
MOST_PHASES = 2000
HALVINGS = 140  # of the interval that holds a rate: rates may differ by many powers of ten
MARGIN = Fraction(1, 10**9)  # of time, for another arithmetic
ENOUGH = Fraction(1, 10**4)  # relative gain of time below which no further phase is added


@dataclass(frozen=True)
class Phase:
    """A distance and a rate k with Phi >= k |q - q*|^2 up to it; 0 where only far bounds hold."""

    radius: Fraction
    rate: Fraction


@dataclass(frozen=True)
class Convergence:
    """Every solution that starts with queues of at most `start_bound` is at q* from `time` on.

    At q* means |q - q*| <= `tolerance`; any two such solutions then differ by at most `diameter` in
    every queue. Within `final.radius` of q* the distance falls by exp(-`final.rate` t) or more.
    """

    system: System
    K: Enclosure
    start_bound: Fraction
    tolerance: Fraction
    time: Fraction
    diameter: Fraction
    final: Phase
    phases: tuple[Phase, ...] = field(repr=False)

    def __repr__(self) -> str:
        names = ("start_bound", "tolerance", "time", "diameter")
        numbers = ", ".join(f"{name}={nearest(getattr(self, name))}" for name in names)
        return f"Convergence(servers={len(self.system.service_rates)}, {numbers})"

    def certificate(self) -> Certificate:
        """The certificate of the time."""
        names = ("start_bound", "tolerance", "time", "diameter")
        claim: dict[str, Any] = {name: exact(getattr(self, name)) for name in names}
        claim |= {"system": self.system.to_claim(), "K": interval(*self.K)}
        claim |= {"final_radius": exact(self.final.radius), "final_rate": exact(self.final.rate)}
        phases = [{"radius": exact(p.radius), "rate": exact(p.rate)} for p in self.phases]
        return Certificate("softmax-convergence", claim, {"precision": BITS, "phases": phases})


def make(table: Table) -> Certificate:
    """The certificate of a problem of kind `softmax-convergence`."""
    start_bound, tolerance = table.rational("start_bound"), table.rational("tolerance")
    shrink = table.rational("shrink", SHRINK)
    system = read_with_equilibrium(table)
    table.done()
    return certify_convergence(system, start_bound, tolerance, shrink).certificate()


def words(claim: dict[str, Any]) -> str:
    """What a claim of this kind states, in one sentence."""
    time, bound = at_most(claim["time"]), at_least(claim["start_bound"])
    return (
        f"From every start with queues of at most {bound} the reflected equation is within "
        f"{at_most(claim['tolerance'], 3)} of its only equilibrium from time {time} on."
    )


def certify_convergence(
    system: System, start_bound: Fraction, tolerance: Fraction, shrink: Fraction = SHRINK
) -> Convergence:
    """The time after which |q - q*| <= tolerance for every start in [0, start_bound]^N.

    A smaller `shrink` makes the certificate shorter and the time longer. Raises InputError unless
    start_bound (jobs) and tolerance are positive, shrink is between 0 and 1 and the energies of
    queues of start_bound can be written down, OutOfReach if no rate is found.
    """
    for name, value in (("start_bound", start_bound), ("tolerance", tolerance)):
        if value <= 0:
            raise InputError(name, "be positive", value)
    if not 0 < shrink < 1:
        raise InputError("shrink", "lie strictly between 0 and 1", shrink)
    require_moderate_energies(system, start_bound.__ceil__())
    root = solve(system, ROOT_DIGITS).K
    with precision(BITS):
        shape = _Shape.of(system, root)
        start = round_up(ends(shape.start(start_bound))[1], DIGITS)
        phases, time = _phases(shape, start, tolerance, shrink)
        widest = above(ends(2 * ball(tolerance) / shape.smallest_slope().sqrt())[1], DIGITS)
    *others, final = phases
    return Convergence(system, root, start_bound, tolerance, time, widest, final, tuple(others))


@dataclass(frozen=True)
class _Shape:
    """What the bounds need: per server mu, v, p* and c = mu - lambda p*, l and d; sigma and C."""

    arrival_rate: arb
    alpha: arb
    rates: list[arb]
    slopes: list[arb]
    shares: list[arb]
    surplus: list[arb]
    queues: list[arb]
    speed: arb
    loss: arb
    spread: arb

    @classmethod
    def of(cls, system: System, root: Enclosure) -> "_Shape":
        """The balls of a system whose K* lies in `root`."""
        arrival, alpha = ball(system.arrival_rate), ball(system.inverse_temperature)
        log_root = ball(root[0]).log().union(ball(root[1]).log())
        rates = [ball(rate) for rate in system.service_rates]
        slopes, shares, surplus, queues, shifts, levels = [], [], [], [], [], []
        for server, mu in enumerate(rates):
            v, kappa = system.energy(server)
            excess = -alpha * kappa - mu.log() - log_root  # log(theta_i/K*)
            below, above = excess.min(arb(0)), excess.max(arb(0))
            slopes.append(v)
            shares.append(mu * below.exp() / arrival)
            surplus.append(mu * (1 - below.exp()))
            levels.append(above / alpha)
            queues.append(above / alpha / v)
            shifts.append(((arrival / mu).log() - below) / alpha)
        capacity = sum(rates, arb(0))
        speed = (capacity - arrival) / sum((1 / v for v in slopes), arb(0)).sqrt()
        for mu, v in zip(rates, slopes, strict=True):
            speed = speed.min(mu * v.sqrt())
        lowest, norm, cost = arb(0), arb(0), arb(0)
        for mu, v, shift, level in zip(rates, slopes, shifts, levels, strict=True):
            lowest = lowest.max(level - shift)
            norm += shift**2 / v
            cost += mu * shift
        loss = speed * abs(norm).upper().sqrt() + cost + 2 * (capacity - arrival) * lowest
        spread = sum(sorted(slopes, key=lambda v: v.mid())[-2:], arb(0)).sqrt()
        return cls(arrival, alpha, rates, slopes, shares, surplus, queues, speed, loss, spread)

    def start(self, bound: Fraction) -> arb:
        """The largest |q - q*| over 0 <= q_i <= bound."""
        square = arb(0)
        for v, queue in zip(self.slopes, self.queues, strict=True):
            square += v * queue.max(ball(bound) - queue) ** 2
        return square.sqrt()

    def smallest_slope(self) -> arb:
        """min v_i."""
        smallest = self.slopes[0]
        for v in self.slopes:
            smallest = smallest.min(v)
        return smallest

    def far_speed(self, radius: Fraction) -> arb:
        """sigma - C/radius: a speed at which every distance from `radius` on falls."""
        return self.speed - self.loss / ball(radius)

    def rate(self, radius: Fraction) -> Fraction:
        """The largest k, rounded down, with Phi >= k |q - q*|^2 proved up to `radius`."""
        width = ball(radius) * self.spread
        factor = self.arrival_rate * (1 - (-self.alpha * width).exp()) / width
        heights = []
        for v, p, c in zip(self.slopes, self.shares, self.surplus, strict=True):
            pull = c / v.sqrt() / ball(radius) if c > 0 else arb(0)
            heights.append((v * (factor * p + pull), p**2 * v))
        low, high = arb(0), heights[0][0].mid()
        for height, _ in heights:
            high = high.min(height.mid())
        for _ in range(HALVINGS):
            middle = ((low + high) / 2).mid()
            total, holds = arb(0), True
            for height, weight in heights:
                holds = holds and height > middle
                total += weight / (height - middle)
            low, high = (middle, high) if holds and factor * total < 1 else (low, middle)
        rate = ends(low)[0]
        return round_down(rate, DIGITS) if rate > 0 else Fraction(0)


def _phases(
    shape: _Shape, start: Fraction, tolerance: Fraction, shrink: Fraction
) -> tuple[list[Phase], Fraction]:
    """The sequence of distances whose times add up to little, and the sum."""
    phases: list[Phase] = []
    best: tuple[Fraction, int] | None = None
    spent, reached = arb(0), start
    for _ in range(MOST_PHASES):
        radius = round_down(reached * shrink, DIGITS)
        phase = Phase(radius, shape.rate(radius))
        speed = (ball(phase.rate) * ball(radius)).max(shape.far_speed(radius))
        if not speed > 0:
            raise OutOfReach("no speed is proved at some distance")
        spent += ball(reached - radius) / speed
        reached = radius
        phases.append(phase)
        if phase.rate <= 0:
            continue
        rest = (ball(radius) / ball(tolerance)).log().max(arb(0)) / ball(phase.rate)
        time = round_up(ends(spent + rest)[1] + MARGIN, DIGITS + 1)
        if best is not None and time > best[0] * (1 - ENOUGH):
            break
        best = time, len(phases)
    if best is None:
        raise OutOfReach("no rate is proved near the equilibrium")
    return phases[: best[1]], best[0]
