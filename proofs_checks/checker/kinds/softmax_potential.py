"""The potential H of a softmax system under the chain's generator, at one state."""

from collections.abc import Sequence
from dataclasses import dataclass

from proofs_checks.checker.kernel.real import Real
from proofs_checks.checker.kinds.softmax_system import System, total
from proofs_checks.checker.verdict import Trial


@dataclass(frozen=True)
class Local:
    """Enclosures at one state: (LH)(Q), (LH)(Q) - dH/dt, the boundary term and its summands."""

    drift: Real
    gap: Real
    term: Real
    summands: list[Real]


@dataclass(frozen=True)
class Potential:
    """H of a system: enclosures of (mu_i, v_i, kappa_i), and the weights known so far."""

    system: System
    servers: list[tuple[Real, Real, Real]]
    weights: dict[tuple[int, int], Real]
    bits: int
    trial: Trial

    def weight(self, server: int, queue: int) -> Real:
        """exp(-alpha (v_i Q_i + kappa_i))."""
        if (server, queue) not in self.weights:
            self.trial.spend(150 + self.bits + self.bits * self.bits // 2000)
            self.trial.keep(2, self.bits)
            _, v, kappa = self.servers[server]
            energy = (v * queue + kappa) * self.system.alpha
            self.weights[server, queue] = (-energy).exp()
        return self.weights[server, queue]

    def at(self, state: Sequence[int]) -> Local:
        """What the definitions of the theorem say at one state."""
        trial, bits, arrivals = self.trial, self.bits, self.system.arrival_rate
        size = len(self.servers)
        trial.spend(size * (500 + 5 * size + bits + bits * bits // 1000))
        weights = [self.weight(server, queue) for server, queue in enumerate(state)]
        inverse = total(weights, trial).reciprocal()
        scale = trial.real(arrivals / self.system.alpha, bits)
        drift = descent = trial.real(0, bits)
        summands = []
        for i, (queue, (mu, v, _)) in enumerate(zip(state, self.servers, strict=True)):
            others = total(weights[:i] + weights[i + 1 :], trial)
            routed, pull = weights[i] * inverse * arrivals, mu * v
            surplus = mu - routed
            rise = ((others + self.weight(i, queue + 1)) * inverse).log() * scale
            drift = drift + routed * (pull + rise)
            if queue:
                fall = ((others + self.weight(i, queue - 1)) * inverse).log() * scale
                drift = drift + mu * (fall - pull)
                descent = descent + v * surplus * surplus
            else:
                summands.append(routed * surplus * v)
                clipped = surplus.least(0)
                descent = descent + v * clipped * clipped
        return Local(drift, drift + descent, total(summands, trial), summands)
