"""Kind `sarsa-mean-field`: the matrix of SARSA(0)'s mean field on a finite weighted shortest queue.

Queues hold at most `capacity` jobs each, an arrival joins the least w_n (2 x_n + 1) (of several the
first) and is lost if that queue is full. Proved: the jump chain has exactly one stationary law, and
under it E[1{step} phi (discount phi' - phi)^T] is `matrix`. Without `gate` steps are taken always:
z^T matrix z <= -(1 - discount) z^T second_moments z for all z, and the matrix is negative definite.
With `gate` they are taken where |x|_1 <= gate: z^T matrix z = `value` > 0 for z = `direction`, so
that the matrix is not even negative semidefinite.
"""

from fractions import Fraction

from proofs_checks.checker.kinds.exact_lists import numbers, positive, size, total
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Summary, Trial, brief

THEOREM = "sarsa-mean-field"
PROBLEM = ("system", "discount", "gate")
CONDITIONS = {
    "hypothesis": "rates and weights > 0, capacity >= 1, 0 < discount < 1 (Hypotheses)",
    "shape": "one entry per queue, one state per entry of the law (Definitions)",
    "stationary": "the law is not negative, sums to 1 and balances every state (Theorem, part a)",
    "matrix": "the matrix is exactly this mean (Theorem, part b)",
    "moments": "the second moments are exactly these (Theorem, part b)",
    "inequality": "-(matrix + transpose)/2 - (1 - discount) moments has no negative pivot (c)",
    "definite": "-(matrix + transpose)/2 has positive pivots only (Theorem, part c)",
    "value": "z^T matrix z is exactly the value, which is positive (Theorem, part d)",
}
State = tuple[int, ...]
Matrix = list[list[Fraction]]


class Queues:
    """The finite system: its rule of routing and the moves from each state."""

    def __init__(self, node: Node, trial: Trial) -> None:
        fields = node.record("arrival_rate service_rates weights capacity")
        self.arrival = fields["arrival_rate"].exact()
        trial.require(
            "hypothesis", self.arrival > 0, "system.arrival_rate", "positive", self.arrival
        )
        self.count = len(fields["service_rates"].items())
        self.rates = positive(fields["service_rates"], self.count, trial)
        self.weights = positive(fields["weights"], self.count, trial)
        self.capacity = fields["capacity"].count()
        trial.require("hypothesis", self.capacity > 0, "system.capacity", "1 or more", 0)
        # what looking at one state may cost
        bits = sum(map(size, (self.arrival, *self.rates, *self.weights)))
        self.steps = 200 * self.count**2 + bits * self.count

    def action(self, x: State) -> int:
        """The first queue of least w_n (2 x_n + 1)."""
        energies = [w * (2 * q + 1) for w, q in zip(self.weights, x, strict=True)]
        return energies.index(min(energies))

    def features(self, x: State) -> list[int]:
        """phi_n = (x_n + 1{n = action})**2."""
        a = self.action(x)
        return [(q + (n == a)) ** 2 for n, q in enumerate(x)]

    def moves(self, x: State) -> list[tuple[Fraction, State]]:
        """The next states of the jump chain with their probabilities."""
        busy = [(mu, n) for n, mu in enumerate(self.rates) if x[n]]
        rate = self.arrival + sum((mu for mu, _ in busy), Fraction(0))
        a = self.action(x)
        joined = x if x[a] == self.capacity else (*x[:a], x[a] + 1, *x[a + 1 :])
        served = [(mu / rate, (*x[:n], x[n] - 1, *x[n + 1 :])) for mu, n in busy]
        return [(self.arrival / rate, joined), *served]


def check(claim: Node, witness: Node, trial: Trial) -> Summary:
    """Prove the claim or raise a Refusal."""
    gated = isinstance(claim.value, dict) and "gate" in claim.value
    more = "gate direction value" if gated else "second_moments"
    fields = claim.record(f"system discount matrix {more}")
    queues = Queues(fields["system"], trial)
    discount = fields["discount"].exact()
    trial.require("hypothesis", 0 < discount < 1, "claim.discount", "between 0 and 1", discount)
    law = _law(witness.record("law")["law"], queues, trial)
    count = queues.count
    most = fields["gate"].count() if gated else count * queues.capacity
    terms: list[list[list[Fraction]]] = [[[] for _ in range(count)] for _ in range(count)]
    squares: list[list[list[Fraction]]] = [[[] for _ in range(count)] for _ in range(count)]
    for x, chance in law.items():
        if sum(x) <= most:
            trial.spend(queues.steps * (count + 2) + count * count * size(chance) // 10)
            phi, mean = queues.features(x), [Fraction(0)] * count
            for p, y in queues.moves(x):
                mean = [m + p * f for m, f in zip(mean, queues.features(y), strict=True)]
            for i in range(count):
                for j in range(count):
                    terms[i][j].append(chance * phi[i] * (discount * mean[j] - phi[j]))
                    squares[i][j].append(chance * phi[i] * phi[j])
    matrix = [[total(each, trial) for each in row] for row in terms]
    _equal("matrix", fields["matrix"], matrix, trial)
    words = f"SARSA(0) with {count} queues, {len(law)} states"
    if gated:
        z = numbers(fields["direction"], count, trial)
        trial.spend(count * count * (50 + max(map(size, z)) * size(matrix[0][0]) // 1_000))
        form = total(
            (z[i] * matrix[i][j] * z[j] for i in range(count) for j in range(count)), trial
        )
        value = fields["value"].exact()
        trial.equal("value", "claim.value", form, value)
        trial.require("value", value > 0, "claim.value", "positive", value)
        return Summary(f"{words}, steps within {most} jobs: z^T A z = {brief(value)} > 0")
    moments = [[total(each, trial) for each in row] for row in squares]
    _equal("moments", fields["second_moments"], moments, trial)
    symmetric = [[-(matrix[i][j] + matrix[j][i]) / 2 for j in range(count)] for i in range(count)]
    rest = [
        [symmetric[i][j] - (1 - discount) * moments[i][j] for j in range(count)]
        for i in range(count)
    ]
    _pivots("inequality", rest, False, trial)
    _pivots("definite", symmetric, True, trial)
    return Summary(f"{words}: A <= -{brief(1 - discount)} E[phi phi^T], negative definite")


def _law(node: Node, queues: Queues, trial: Trial) -> dict[State, Fraction]:
    """The stationary law of the witness, once it is one."""
    law: dict[State, Fraction] = {}
    for item in node.items():
        trial.spend(100 * queues.count)
        parts = item.record("state probability")
        x = tuple(entry.count() for entry in parts["state"].items())
        fits = len(x) == queues.count and max(x) <= queues.capacity and x not in law
        trial.require("shape", fits, item.path, "a state of the system, once", x)
        law[x] = parts["probability"].exact()
        trial.require("stationary", law[x] >= 0, item.path, "0 or more", law[x])
    trial.equal("stationary", "sum of witness.law", Fraction(1), total(law.values(), trial))
    arriving: dict[State, list[Fraction]] = {}
    for x, chance in law.items():
        trial.spend(queues.steps + size(chance))
        for p, y in queues.moves(x):
            arriving.setdefault(y, []).append(chance * p)
    for y, inflow in arriving.items():
        trial.equal("stationary", f"state {y}", total(inflow, trial), law.get(y, Fraction(0)))
    return law


def _equal(condition: str, node: Node, matrix: Matrix, trial: Trial) -> None:
    rows = node.items()
    trial.require("shape", len(rows) == len(matrix), node.path, f"{len(matrix)} rows", len(rows))
    for row, expected in zip(rows, matrix, strict=True):
        for found, entry in zip(numbers(row, len(matrix), trial), expected, strict=True):
            trial.equal(condition, row.path, entry, found)


def _pivots(condition: str, matrix: Matrix, strict: bool, trial: Trial) -> None:
    """Eliminate symmetrically; require pivots > 0, or >= 0 with nothing left beside a 0."""
    rows = [list(row) for row in matrix]
    for k, row in enumerate(rows):
        trial.spend(len(rows) ** 2 * (50 + size(row[k]) ** 2 // 500))
        fine = row[k] > 0 or (not strict and row[k] == 0 and not any(row[k:]))
        trial.require(condition, fine, f"pivot {k}", "positive" if strict else ">= 0", row[k])
        for i in range(k + 1, len(rows) if row[k] else 0):
            factor = rows[i][k] / row[k]
            rows[i] = [a - factor * b for a, b in zip(rows[i], row, strict=True)]
