"""The convex potential H of a softmax system, and what the chain's generator makes of it.

H(q) = sum mu_i v_i q_i + (lambda/alpha) log sum_j exp(-alpha (v_j q_j + kappa_j)). Along the
reflected equation H never increases; its mean change under the chain is another number, and kind
`softmax-obstruction` measures the difference. Source: arXiv 2607.28688v1, equation (5) and
Proposition 5.1; proofs_checks/theorems/softmax-potential.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from flint import arb

from certify.balls import ball, precision
from certify.errors import InputError
from certify.softmax.system import System

MOST_ENERGY = 40_000  # exp of it has 17,372 digits; certificates hold numbers of 20,000


@dataclass(frozen=True)
class AtState:
    """H at one state: `drift` = (LH)(Q), `descent` = dH/dt of the reflected equation there.

    `gradient` holds dH/dq_i; `boundary_term` is the sum of lambda p_i dH/dq_i over the empty
    queues, None where no queue is empty.
    """

    drift: arb
    descent: arb
    gradient: list[arb]
    boundary_term: arb | None

    @property
    def gap(self) -> arb:
        """How much faster H grows on average under the chain than along the equation."""
        return self.drift - self.descent


@dataclass(frozen=True)
class Potential:
    """Balls of a system's constants at the precision of its making; `weights` is a cache."""

    arrival_rate: arb
    alpha: arb
    rates: list[arb]
    slopes: list[arb]
    shifts: list[arb]
    weights: dict[tuple[int, int], arb] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, system: System) -> "Potential":
        """The potential of a system at the current precision."""
        pairs = [system.energy(server) for server in range(len(system.service_rates))]
        return cls(
            ball(system.arrival_rate),
            ball(system.inverse_temperature),
            [ball(rate) for rate in system.service_rates],
            [slope for slope, _ in pairs],
            [shift for _, shift in pairs],
        )

    def at(self, state: Sequence[int]) -> AtState:
        """Everything about one lattice state, by one pass over the servers."""
        weights = [self._weight(server, queue) for server, queue in enumerate(state)]
        before, after = [arb(0)], [arb(0)]
        for first, last in zip(weights, reversed(weights), strict=True):
            before.append(before[-1] + first)
            after.append(after[-1] + last)
        total, scale = before[-1], self.arrival_rate / self.alpha
        drift, descent, boundary_term, gradient = arb(0), arb(0), arb(0), []
        for server, (queue, mu, v) in enumerate(zip(state, self.rates, self.slopes, strict=True)):
            others = before[server] + after[len(weights) - 1 - server]
            routed = self.arrival_rate * weights[server] / total
            surplus = mu - routed
            gradient.append(surplus * v)
            up = (others + self._weight(server, queue + 1)) / total
            drift += routed * (mu * v + scale * up.log())
            if queue:
                down = (others + self._weight(server, queue - 1)) / total
                drift += mu * (scale * down.log() - mu * v)
                descent -= v * surplus**2
            else:
                boundary_term += routed * gradient[-1]
                descent -= v * surplus.min(arb(0)) ** 2
        return AtState(drift, descent, gradient, None if min(state) else boundary_term)

    def diagonal_drift(self) -> arb:
        """(LH)(k, ..., k) for servers that are all alike, the same for every k >= 1."""
        servers, mu, v = len(self.rates), self.rates[0], self.slopes[0]
        scale = self.arrival_rate / self.alpha
        factor = (self.alpha * v).exp()
        up = ((servers - 1 + 1 / factor) / servers).log()
        down = ((servers - 1 + factor) / servers).log()
        return self.arrival_rate * (mu * v + scale * up) + servers * mu * (scale * down - mu * v)

    def _weight(self, server: int, queue: int) -> arb:
        key = server, queue
        if key not in self.weights:
            energy = self.slopes[server] * queue + self.shifts[server]
            self.weights[key] = (-self.alpha * energy).exp()
        return self.weights[key]


def require_moderate_energies(system: System, queue: int) -> None:
    """InputError unless alpha (v_i queue + |kappa_i|) is at most 40,000 for every server."""
    with precision(64):
        H, largest = Potential.of(system), arb(0)
        for v, kappa in zip(H.slopes, H.shifts, strict=True):
            largest = largest.max(H.alpha * (v * queue + abs(kappa)))
        if not largest < MOST_ENERGY:
            requirement = f"keep alpha (v_i {queue} + |kappa_i|) below {MOST_ENERGY}"
            raise InputError("system", requirement, f"up to {largest.str(3, radius=False)}")
