"""The equilibrium of the reflected routing equation, to any number of digits, for any N.

The consistency equation arrival_rate = G(K) = sum mu_i min(1, theta_i/K) is solved in closed form
once the servers are sorted by theta: one sort, one pass. Source: arXiv 2607.28688v1, Theorem 3.3;
proofs_checks/theorems/softmax-equilibrium.md.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from flint import arb

from certify.balls import at_least, at_most, ball, ends, outward, precision, round_up, unit
from certify.certificate import Certificate, interval
from certify.errors import InputError, OutOfReach
from certify.problem import DEFAULT_DIGITS, Table, to_flag
from certify.softmax.system import System, read_with_equilibrium

TRIES = 4  # precisions tried, each twice the last, before a server is called undecided
MOST_TRIES = 10
SAID = 12  # digits of K* in a sentence
MOST_ENERGY = 40_000  # beyond it theta_i has more digits than the checker reads by default

Enclosure = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Equilibrium:
    """K*, every theta_i and every equilibrium queue q*_i (jobs), enclosed.

    `K`, `theta` and `queue` are pairs of rationals (low, high) with `digits` correct digits;
    `bits` is the precision at which the checker finds its own enclosures inside them.
    """

    system: System
    digits: int
    K: Enclosure
    active: tuple[int, ...]
    undecided: tuple[int, ...]
    bits: int
    theta_balls: tuple[arb, ...]
    queue_balls: dict[int, arb]

    def __repr__(self) -> str:
        low, high = at_least(self.K[0]), at_most(self.K[1])
        return (
            f"Equilibrium(servers={len(self.theta_balls)}, K in [{low}, {high}], "
            f"active={len(self.active)}, undecided={len(self.undecided)})"
        )

    @cached_property
    def theta(self) -> tuple[Enclosure, ...]:
        """One enclosure per server."""
        return tuple(outward(each, self.digits + 2) for each in self.theta_balls)

    @cached_property
    def queue(self) -> tuple[Enclosure, ...]:
        """One enclosure per server: [0, 0] for an inactive, from 0 for an undecided one."""
        return tuple(self._queue(server) for server in range(len(self.theta_balls)))

    def _queue(self, server: int) -> Enclosure:
        if server not in self.queue_balls:
            return Fraction(0), Fraction(0)
        if server in self.undecided:
            # at least a unit of K*, so that a ball around 0 leaves room for another arithmetic
            excess = max(ends(self.queue_balls[server])[1], self.K[1] - self.K[0])
            return Fraction(0), round_up(2 * excess, 3)
        return outward(self.queue_balls[server], self.digits + 2)

    def certificate(self, summary: bool = False) -> Certificate:
        """The certificate, with every server or, for a `summary`, only with the extreme queues."""
        summary = to_flag(summary, "summary")
        claim: dict[str, Any] = {"system": self.system.to_claim(), "K": interval(*self.K)}
        claim |= self._extremes() if summary else self._servers()
        return Certificate("softmax-equilibrium", claim, {"precision": self.bits})

    def _servers(self) -> dict[str, Any]:
        return {
            "theta": [interval(*each) for each in self.theta],
            "queue": [interval(*each) for each in self.queue],
            "active": list(self.active),
            "undecided": list(self.undecided),
        }

    def _extremes(self) -> dict[str, Any]:
        claim: dict[str, Any] = {
            "servers": "summary",
            "active_count": len(self.active),
            "undecided_count": len(self.undecided),
        }
        # queues that balls cannot tell apart have the same enclosure but for a last digit
        by_size = sorted(self.queue_balls, key=lambda server: self.queue_balls[server].mid())
        positive = [server for server in by_size if server not in self.undecided]
        high_end = [self._queue(server) for server in by_size[-3:]] or [(Fraction(0), Fraction(0))]
        claim["largest_queue"] = interval(
            max(low for low, _ in high_end), max(high for _, high in high_end)
        )
        if positive and not self.undecided:
            low_end = [self._queue(server) for server in positive[:3]]
            claim["smallest_active_queue"] = interval(
                min(low for low, _ in low_end), min(high for _, high in low_end)
            )
        return claim


def make(table: Table) -> Certificate:
    """The certificate of a problem of kind `softmax-equilibrium`."""
    digits = table.digits()
    summary = table.choice("servers", ("all", "summary"), "all") == "summary"
    system = read_with_equilibrium(table)
    table.done()
    return solve(system, digits).certificate(summary)


def words(claim: dict[str, Any]) -> str:
    """What a claim of this kind states, in one sentence."""
    servers = len(claim["system"]["service_rates"])
    if "servers" in claim:
        active, undecided = claim["active_count"], claim["undecided_count"]
    else:
        active, undecided = len(claim["active"]), len(claim["undecided"])
    open_cases = f" ({undecided} undecided)" if undecided else ""
    low, high = at_least(claim["K"]["lo"], SAID), at_most(claim["K"]["hi"], SAID)
    return (
        f"The reflected routing equation of {servers} servers has exactly one equilibrium, "
        f"with {active} queues positive{open_cases}; K* is between {low} and {high}."
    )


def solve(system: System, digits: int = DEFAULT_DIGITS) -> Equilibrium:
    """The equilibrium with `digits` correct digits in K*, every theta_i and every positive queue.

    A server whose theta_i equals K* within every precision tried is reported as undecided; its
    queue is then enclosed from 0.
    """
    bits = int(3.33 * digits) + 96
    for attempt in range(MOST_TRIES):
        with precision(bits << attempt):
            found = _attempt(system, digits, last=attempt >= TRIES - 1)
        if found is not None:
            return found
    raise OutOfReach("the equilibrium is not resolved at the last precision")


def _attempt(system: System, digits: int, last: bool) -> Equilibrium | None:
    """The equilibrium at the current precision, or None if a server or a digit stays open."""
    log_theta, slopes = _energies(system)
    largest = max(abs(each).upper() for each in log_theta)
    if not largest < MOST_ENERGY:
        requirement = f"keep every |log theta_i| below {MOST_ENERGY}"
        raise InputError("system", requirement, f"up to {float(largest):.3g}")
    theta = [each.exp() for each in log_theta]
    root, active, undecided = _root(system, theta)
    if undecided and not last:
        return None
    log_root = root.log()
    decided = set(range(len(theta))) - set(undecided)
    gaps = (log_theta[server] - log_root for server in decided)
    smallest = min((abs(gap).lower() for gap in gaps), default=arb(1))
    if not smallest > 0:
        return None
    # K* needs as many more digits as the subtraction log theta_i - log K* loses
    root_digits = digits + 2 + max(0, _ceil(-smallest.log() / ball(10).log()) + 1)
    K = outward(root, root_digits)
    if K[1] - K[0] > 4 * unit(K[1], root_digits):
        return None
    log_root = ball(K[0]).log().union(ball(K[1]).log())
    queue = {
        server: (log_theta[server] - log_root) / slopes[server] for server in (*active, *undecided)
    }
    idle_capacity = ball(system.arrival_rate) - sum(
        (ball(system.service_rates[server]) for server in active), arb(0)
    )
    losses = (1 + largest, 1 + ball(system.arrival_rate) / idle_capacity, 1 + 1 / smallest)
    bits = int(3.33 * root_digits) + 64 + sum(_bit_length(loss) for loss in losses)
    return Equilibrium(
        system,
        digits,
        K,
        tuple(sorted(active)),
        tuple(sorted(undecided)),
        bits,
        tuple(theta),
        queue,
    )


def _energies(system: System) -> tuple[list[arb], list[arb]]:
    """Balls of log theta_i = -alpha kappa_i - log mu_i and of alpha v_i."""
    alpha = ball(system.inverse_temperature)
    log_theta, slopes = [], []
    for server, rate in enumerate(system.service_rates):
        slope, shift = system.energy(server)
        log_theta.append(-alpha * shift - ball(rate).log())
        slopes.append(alpha * slope)
    return log_theta, slopes


def _root(system: System, theta: list[arb]) -> tuple[arb, list[int], list[int]]:
    """K*, the servers certainly active and the undecided ones.

    Sorted by decreasing theta, server m is active iff K* < theta_m iff G(theta_m) < arrival_rate.
    """
    rate = ball(system.arrival_rate)
    service = [ball(each) for each in system.service_rates]
    order = sorted(range(len(theta)), key=lambda server: -theta[server].mid())
    tails = [arb(0)]
    for server in reversed(order):
        tails.append(tails[-1] + service[server] * theta[server])
    tails.reverse()
    busy, active, undecided = arb(0), [], []
    for position, server in enumerate(order):
        surplus = (rate - busy - service[server]) * theta[server] - tails[position + 1]
        if surplus > 0:
            active.append(server)
            busy += service[server]
        elif surplus < 0:
            break
        else:
            undecided.append(server)
            break
    # servers tied with an undecided one are undecided too: K* is the same with or without them
    for server in order[len(active) + len(undecided) :] if undecided else []:
        if not theta[server].overlaps(theta[undecided[0]]):
            break
        undecided.append(server)
    root = tails[len(active)] / (rate - busy)
    for server in undecided:
        root = root.union(theta[server])
    return root, active, undecided


def _ceil(value: arb) -> int:
    """An integer at least as large as every point of the ball."""
    return math.ceil(ends(value)[1])


def _bit_length(value: arb) -> int:
    """The number of binary digits before the point of a positive ball."""
    return _ceil(value).bit_length()
