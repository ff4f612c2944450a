"""Upper bounds of a drift at all states between two levels, by cells with one multiplier each.

The level of a state is z(Q) = -log(sum_i exp(-alpha s_i(Q)))/alpha. Given the level, the drift of a
sum of functions of single queues is a sum over the servers; softmax-mean-queue.md, Lemma 2.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from proofs_checks.checker.kernel.real import Real, highest
from proofs_checks.checker.kinds.exact_lists import size
from proofs_checks.checker.kinds.softmax_shares import Problem
from proofs_checks.checker.kinds.softmax_system import total
from proofs_checks.checker.reader import Node

BEYOND = 2  # queues that are looked at before the rest is bounded at once


@dataclass(frozen=True)
class Cell:
    """States with level in [low, high] and queues from `least` to `most` (None: any)."""

    low: Fraction
    high: Fraction
    least: tuple[int, ...]
    most: tuple[int | None, ...]


@dataclass(frozen=True)
class Server:
    """f_i: its increments at 0, 1, ... and, from len(increments) on, v_i (q + 1/2) + y_i."""

    rate: Real
    slope: Real
    shift: Real
    increments: list[Real]
    linear: Real
    known: dict[int, tuple[Real, Real, Real]] = field(default_factory=dict)

    def increment(self, queue: int) -> Real:
        """f_i(q + 1) - f_i(q)."""
        if queue < len(self.increments):
            return self.increments[queue]
        return self.slope * Fraction(2 * queue + 1, 2) + self.linear

    def beside(self, queue: int, problem: Problem) -> Real:
        """eps q - mu_i (f_i(q) - f_i(q - 1))."""
        rest = problem.trial.real(problem.eps * queue, problem.bits)
        return rest - self.rate * self.increment(queue - 1) if queue > 0 else rest

    def terms(self, queue: int, problem: Problem) -> tuple[Real, Real, Real]:
        """What a queue counts beside arrivals, lambda exp(-alpha s_i(q)), the next increment."""
        if queue not in self.known:
            problem.trial.spend(300 + problem.bits + problem.bits**2 // 2000)
            problem.trial.keep(3, problem.bits)
            system = problem.system
            energy = self.slope * queue + self.shift
            weight = (energy * -system.alpha).exp() * system.arrival_rate
            self.known[queue] = self.beside(queue, problem), weight, self.increment(queue)
        return self.known[queue]

    def fewest(self, level: Fraction, problem: Problem) -> int:
        """The least queue that a state of at least this level can have."""
        problem.trial.spend(20 + problem.bits**2 // 2000)
        ratio = (problem.trial.real(level, problem.bits) - self.shift) * self.slope.reciprocal()
        return max(0, -(-ratio).upper().floor())


def cover(
    problem: Problem, servers: Sequence[Server], root: Cell, nodes: Node, constant: Fraction
) -> int:
    """Require the bound on every leaf of the tree of cells, given in preorder; count the leaves."""
    trial, stack, leaves = problem.trial, [root], 0
    for node in nodes.items():
        trial.require("cover", bool(stack), node.path, "no more cells", "a cell")
        cell = stack.pop()
        if "multiplier" in node.record("", "multiplier level server queue"):
            multiplier = node.record("multiplier")["multiplier"].exact()
            for end in (cell.low, cell.high):
                bound = _bound(problem, servers, cell, end, multiplier)
                holds = bound is None or bound.at_most(constant)
                trial.require("cell", holds, node.path, "at most the constant", bound)
            leaves += 1
        else:
            stack += _halves(problem, cell, node)
    trial.require("cover", not stack, nodes.path, "a whole tree", "missing cells")
    return leaves


def _halves(problem: Problem, cell: Cell, node: Node) -> tuple[Cell, Cell]:
    """The two parts of a cell, the one that comes first in preorder last."""
    problem.trial.spend(500)
    if "level" in node.record("", "level server queue"):
        level = node.record("level")["level"].exact()
        inside = cell.low < level < cell.high
        problem.trial.require("cover", inside, node.path, "a level within", level)
        return replace(cell, low=level), replace(cell, high=level)
    fields = node.record("server queue")
    server, queue = fields["server"].count(), fields["queue"].count()
    known = 0 <= server < len(cell.least)
    problem.trial.require("cover", known, node.path, "a server", server)
    problem.trial.spend(100 + 20 * len(cell.least))  # the queues of open cells are kept
    least, most = list(cell.least), list(cell.most)
    least[server], most[server] = queue + 1, queue
    return replace(cell, least=tuple(least)), replace(cell, most=tuple(most))


def _bound(
    problem: Problem, servers: Sequence[Server], cell: Cell, end: Fraction, multiplier: Fraction
) -> Real | None:
    """lambda nu + sum_i max_q [a_i(q) + lambda exp(alpha z - alpha s_i(q)) (increment - nu)].

    None if no state is in the cell.
    """
    trial, bits, system = problem.trial, problem.bits, problem.system
    trial.spend(200 + bits + bits * bits // 2000)
    trial.spend(size(system.alpha) * size(end) // 2_000)
    trial.spend(size(system.arrival_rate) * size(multiplier) // 2_000)
    scale = trial.real(system.alpha * end, bits).exp()
    tops = [trial.real(system.arrival_rate * multiplier, bits)]
    floor, nu = trial.real(1 / system.alpha, bits), trial.real(multiplier, bits)
    for server, least, most in zip(servers, cell.least, cell.most, strict=True):
        first = max(least, server.fewest(cell.low, problem))
        last = max(first, len(server.increments)) + BEYOND
        stop = last if most is None else min(last, most)
        if first > stop:
            return None
        values = []
        for queue in range(first, stop + 1):
            trial.spend(30 + bits * bits // 2000)
            rest, weight, increment = server.terms(queue, problem)
            gain = increment - nu
            if queue == last and not gain.at_least(1 / system.alpha):
                gain = gain.hull(floor)  # the larger of both, and all queues beyond
            values.append(rest + weight * scale * gain)
        tops.append(highest(values))
    return total(tops, trial)


def require_lowest(problem: Problem, low: Fraction, where: str) -> None:
    """The empty system has the lowest level: sum exp(-alpha kappa_i) <= exp(-alpha low)."""
    trial, bits, alpha = problem.trial, problem.bits, problem.system.alpha
    weights = []
    for _, _, kappa in problem.servers:
        trial.spend(300 + bits + bits * bits // 2000)
        weights.append(((kappa - low) * -alpha).exp())
    found = total(weights, trial)
    trial.require("lowest", found.at_most(1), where, "at most the level of the empty system", low)


def served(
    problem: Problem, servers: Sequence[Server], slacks: list[Real], fewest: list[int]
) -> Real:
    """sum h_i (softmax-mean-queue.md, Lemma 3); terms that are certainly 0 are left out."""
    terms = []
    for server, slack, queue in zip(servers, slacks, fewest, strict=True):
        service = server.rate * (server.slope * Fraction(1, 2) - server.linear)
        term = service - slack * max(1, queue)
        if queue or not term.at_most(0):
            terms.append(term)
    return total(terms, problem.trial)
