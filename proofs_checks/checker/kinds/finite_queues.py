"""A weighted shortest queue with finite queues and a greedy rule, and its stationary law."""

from dataclasses import dataclass
from fractions import Fraction

from proofs_checks.checker.kinds.exact_lists import positive, size, total
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Trial

State = tuple[int, ...]
Law = list[tuple[State, Fraction]]
Matrix = list[list[Fraction]]


@dataclass(frozen=True)
class Queues:
    """Rates, weights and the most jobs of a queue; an arrival to a full queue is lost."""

    arrival: Fraction
    rates: list[Fraction]
    weights: list[Fraction]
    capacity: int

    @property
    def steps(self) -> int:
        """What looking at one state may cost."""
        bits = sum(map(size, (self.arrival, *self.rates, *self.weights)))
        return (200 * len(self.rates) + bits + bits**2 // 200_000) * len(self.rates)

    def action(self, x: State) -> int:
        """The first queue of least w_n (2 x_n + 1)."""
        energies = [w * (2 * q + 1) for w, q in zip(self.weights, x, strict=True)]
        return energies.index(min(energies))

    def features(self, x: State) -> list[int]:
        """phi_n = (x_n + 1{n = action})**2."""
        a = self.action(x)
        return [(q + (n == a)) ** 2 for n, q in enumerate(x)]

    def rate(self, x: State) -> Fraction:
        """The rate at which the state is left or an arrival is lost."""
        return self.arrival + sum(
            (mu for mu, q in zip(self.rates, x, strict=True) if q), Fraction(0)
        )

    def moves(self, x: State) -> list[tuple[Fraction, State]]:
        """The next states of the jump chain with their probabilities."""
        a, rate = self.action(x), self.rate(x)
        joined = x if x[a] == self.capacity else (*x[:a], x[a] + 1, *x[a + 1 :])
        served = [
            (mu / rate, (*x[:n], x[n] - 1, *x[n + 1 :])) for n, mu in enumerate(self.rates) if x[n]
        ]
        return [(self.arrival / rate, joined), *served]


def read_rates(fields: dict[str, Node], trial: Trial) -> tuple[Fraction, list[Fraction], int]:
    """Arrival rate, service rates and capacity."""
    arrival, capacity = fields["arrival_rate"].exact(), fields["capacity"].count()
    trial.require("hypothesis", arrival > 0, "system.arrival_rate", "positive", arrival)
    trial.require("hypothesis", capacity > 0, "system.capacity", "1 or more", capacity)
    count = len(fields["service_rates"].items())
    return arrival, positive(fields["service_rates"], count, trial), capacity


def spelled(x: State) -> str:
    """What to find a state by in a table: the hash of a text cannot be foreseen, a tuple's can."""
    return "-".join(map(str, x))


def stationary(node: Node, queues: Queues, trial: Trial) -> Law:
    """The law that is listed, once it is a stationary law of the jump chain."""
    law: Law = []
    known: dict[str, Fraction] = {}
    count = len(queues.rates)
    for item in node.items():
        trial.spend(2_000 + 100 * count)
        parts = item.record("state probability")
        x = tuple(entry.count() for entry in parts["state"].items())
        fits = len(x) == count and max(x) <= queues.capacity and spelled(x) not in known
        trial.require("shape", fits, item.path, "a state of the system, once", x)
        chance = known[spelled(x)] = parts["probability"].exact()
        trial.require("stationary", chance >= 0, item.path, "0 or more", chance)
        law.append((x, chance))
    trial.equal("stationary", f"sum of {node.path}", Fraction(1), total(known.values(), trial))
    arriving: dict[str, list[Fraction]] = {}
    for x, chance in law:
        trial.spend(queues.steps + size(chance))
        for p, y in queues.moves(x):
            arriving.setdefault(spelled(y), []).append(chance * p)
    for state, inflow in arriving.items():
        chance = known.get(state, Fraction(0))
        trial.equal("stationary", f"state {state}", total(inflow, trial), chance)
    return law


def mean_field(
    law: Law, queues: Queues, discount: Fraction, most: int, trial: Trial
) -> tuple[Matrix, Matrix, list[Fraction]]:
    """E[phi (discount phi' - phi)^T] and E[phi cost] over the states of at most `most` jobs.

    The second result is E[phi phi^T]; the cost of a state is |x|_1 times its mean holding time.
    """
    indices = range(len(queues.rates))
    terms: list[list[list[Fraction]]] = [[[] for _ in indices] for _ in indices]
    squares: list[list[list[Fraction]]] = [[[] for _ in indices] for _ in indices]
    costs: list[list[Fraction]] = [[] for _ in indices]
    for x, chance in law:
        if sum(x) > most:
            continue
        trial.spend(queues.steps * (len(x) + 2) + len(x) ** 2 * size(chance) // 10)
        phi, mean = queues.features(x), [Fraction(0) for _ in indices]
        for p, y in queues.moves(x):
            mean = [m + p * f for m, f in zip(mean, queues.features(y), strict=True)]
        for i in indices:
            costs[i].append(chance * phi[i] * sum(x) / queues.rate(x))
            for j in indices:
                terms[i][j].append(chance * phi[i] * (discount * mean[j] - phi[j]))
                squares[i][j].append(chance * phi[i] * phi[j])
    matrix, moments = (
        [[total(each, trial) for each in row] for row in rows] for rows in (terms, squares)
    )
    return matrix, moments, [total(each, trial) for each in costs]


def symmetric_part(matrix: Matrix) -> Matrix:
    """-(matrix + transpose)/2."""
    indices = range(len(matrix))
    return [[-(matrix[i][j] + matrix[j][i]) / 2 for j in indices] for i in indices]


def require_pivots(condition: str, matrix: Matrix, strict: bool, trial: Trial) -> None:
    """Eliminate symmetrically; require pivots > 0, or >= 0 with nothing left beside a 0."""
    rows = [list(row) for row in matrix]
    for k, row in enumerate(rows):
        trial.spend(len(rows) ** 2 * (50 + size(row[k]) ** 2 // 500))
        fine = row[k] > 0 or (not strict and row[k] == 0 and not any(row[k:]))
        trial.require(condition, fine, f"pivot {k}", "positive" if strict else ">= 0", row[k])
        for i in range(k + 1, len(rows) if row[k] else 0):
            factor = rows[i][k] / row[k]
            rows[i] = [a - factor * b for a, b in zip(rows[i], row, strict=True)]
