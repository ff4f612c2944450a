"""Softmax and shortest-queue routing as one: what an arrival may join, and a drift at every state.

The lemma is that of softmax-stationary.md; a kind that uses it lists its conditions as its own:
`hypothesis`, `shape`, `excess`, `shares` and `slack`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby

from proofs_checks.checker.kernel.real import Real, highest
from proofs_checks.checker.kinds import exact_lists
from proofs_checks.checker.kinds.softmax_shares import Problem, read_problem, read_shares
from proofs_checks.checker.kinds.softmax_system import System, total
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Trial


@dataclass(frozen=True)
class Routing:
    """Arrivals join a server of least rank, with probabilities in proportion to the weights.

    Every server has a weight and a rank for each length of its queue.
    """

    weights: Sequence[Sequence[Real]]
    ranks: Sequence[Sequence[int]]

    def at(self, state: Sequence[int]) -> list[tuple[int, Real]]:
        """The servers that an arrival may join, with their weights."""
        ranks = [rank[queue] for rank, queue in zip(self.ranks, state, strict=True)]
        least = min(ranks)
        return [(i, self.weights[i][state[i]]) for i, rank in enumerate(ranks) if rank == least]


@dataclass(frozen=True)
class Routed:
    """A problem with its policy; the (v_i, kappa_i) are given exactly if the least energy wins."""

    problem: Problem
    energies: list[tuple[Fraction, Fraction]] | None

    def constant(self, excess: Node, shares: Node) -> Real:
        """The R of Lemma 1, for the k and the shares of a witness."""
        problem, trial, half = self.problem, self.problem.trial, Fraction(1, 2)
        k = excess.exact()
        exact_lists.require_excess(k, len(problem.servers), problem.bits, excess, trial)
        values, _ = read_shares(problem, shares)
        trial.keep(6 * len(values), problem.bits)
        most = highest(v * half - kappa for _, v, kappa in problem.servers)
        if self.energies is None:
            most = most + k / problem.system.alpha
        terms = (
            share * kappa + rate * v * half
            for share, (rate, v, kappa) in zip(values, problem.servers, strict=True)
        )
        return most * problem.system.arrival_rate + total(terms, trial)

    def routing(self, queues: int) -> Routing:
        """The routing at all states whose queues are below this number."""
        problem, trial, bits = self.problem, self.problem.trial, self.problem.bits
        count = len(problem.servers)
        if self.energies is None:
            trial.spend(count * queues * (200 + bits + bits * bits // 2000))
            cold = -trial.real(problem.system.alpha, bits)
            weights = [
                [((v * q + kappa) * cold).exp() for q in range(queues)]
                for _, v, kappa in problem.servers
            ]
            return Routing(weights, [[0] * queues] * count)
        unit = exact_lists.unit((each for pair in self.energies for each in pair), trial)
        whole = [(int(v * unit), int(kappa * unit)) for v, kappa in self.energies]
        largest = max(max(map(abs, pair)) for pair in whole)
        trial.keep(count * queues, (queues * largest).bit_length())
        heights = sorted(
            (v * q + kappa, i, q) for i, (v, kappa) in enumerate(whole) for q in range(queues)
        )
        ranks = [[0] * queues for _ in whole]
        for rank, (_, equal) in enumerate(groupby(heights, key=lambda each: each[0])):
            for _, i, q in equal:
                ranks[i][q] = rank
        return Routing([[trial.real(1, bits)] * queues] * count, ranks)


def read_routed(policy: str, node: Node, eps: Node, bits: int, trial: Trial) -> Routed:
    """The system of "softmax" or "shortest-queue" routing, and eps > 0."""
    if policy == "softmax":
        return Routed(read_problem(node, eps, bits, trial), None)
    fields = node.record("arrival_rate service_rates slopes offsets")
    arrival, value = fields["arrival_rate"].exact(), eps.exact()
    count = len(fields["service_rates"].items())
    rates, slopes = (
        exact_lists.positive(fields[name], count, trial) for name in ("service_rates", "slopes")
    )
    offsets = exact_lists.numbers(fields["offsets"], count, trial)
    trial.require("hypothesis", arrival > 0, "system.arrival_rate", "positive", arrival)
    trial.require("hypothesis", value > 0, eps.path, "positive", value)
    capacity = exact_lists.total(rates, trial)
    trial.require("hypothesis", arrival < capacity, "system.arrival_rate", "less", arrival)
    trial.keep(3 * count, bits)
    lists = ([trial.real(x, bits) for x in values] for values in (rates, slopes, offsets))
    servers = list(zip(*lists, strict=True))
    # the slopes are twice the weights, as everywhere; alpha plays no part
    system = System(arrival, rates, Fraction(1), weights=[v / 2 for v in slopes])
    return Routed(
        Problem(system, value, servers, bits, trial), [*zip(slopes, offsets, strict=True)]
    )
