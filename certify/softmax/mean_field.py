"""The mean field of SARSA(0) on a finite weighted shortest queue, in exact rationals.

Source: arXiv 2404.09188, Section III-C, where the matrix E[phi (discount phi' - phi)^T] is called
negative definite; proofs_checks/theorems/sarsa-mean-field.md.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from flint import fmpq, fmpq_mat

from certify.balls import fraction, rational
from certify.certificate import Certificate, exact
from certify.errors import InputError
from certify.problem import Exact, Table, to_count, to_rational, to_rationals

MOST_STATES = 400
MOST_JOBS = 999

State = tuple[int, ...]
Matrix = list[list[Fraction]]


@dataclass(frozen=True)
class SarsaMeanField:
    """SarsaMeanField(arrival_rate, service_rates, weights, capacity, discount, gate).

    Each queue holds at most `capacity` jobs; an arrival joins the first queue of least
    w_n (2 x_n + 1) and is lost if it is full. Steps are taken always, or, if `gate` is given, where
    at most so many jobs are in the system. Raises InputError for data out of range or more than 400
    recurrent states.
    """

    arrival_rate: Fraction
    service_rates: tuple[Fraction, ...]
    weights: tuple[Fraction, ...]
    capacity: int
    discount: Fraction
    gate: int | None = None

    if TYPE_CHECKING:

        def __init__(
            self,
            arrival_rate: Exact,
            service_rates: Iterable[Exact],
            weights: Iterable[Exact],
            capacity: int,
            discount: Exact,
            gate: int | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        for field, name in (("arrival_rate", "system.arrival_rate"), ("discount", "discount")):
            object.__setattr__(self, field, to_rational(getattr(self, field), name))
        for field in ("service_rates", "weights"):
            name = f"system.{field}"
            numbers = to_rationals(getattr(self, field), name)
            object.__setattr__(self, field, numbers)
            for i, value in enumerate(numbers):
                if value <= 0:
                    raise InputError(f"{name}[{i}]", "be positive", value)
        if self.arrival_rate <= 0:
            raise InputError("system.arrival_rate", "be positive", self.arrival_rate)
        if len(self.weights) != len(self.service_rates):
            requirement = f"have {len(self.service_rates)} entries"
            raise InputError("system.weights", requirement, len(self.weights))
        capacity = to_count(self.capacity, "system.capacity", 1, MOST_JOBS)
        object.__setattr__(self, "capacity", capacity)
        if self.gate is not None:
            object.__setattr__(self, "gate", to_count(self.gate, "gate", 0, MOST_JOBS))
        if not 0 < self.discount < 1:
            raise InputError("discount", "lie between 0 and 1", self.discount)

    def action(self, state: State) -> int:
        """The queue that an arrival joins at this state."""
        energies = [w * (2 * q + 1) for w, q in zip(self.weights, state, strict=True)]
        return energies.index(min(energies))

    def features(self, state: State) -> list[int]:
        """phi_n(x, a) = (x_n + 1{n = a})^2 with the action a of the state x."""
        a = self.action(state)
        return [(q + (n == a)) ** 2 for n, q in enumerate(state)]

    def rate(self, state: State) -> Fraction:
        """The rate at which the state is left or an arrival is lost."""
        busy = (mu for mu, queue in zip(self.service_rates, state, strict=True) if queue)
        return self.arrival_rate + sum(busy, Fraction(0))

    def moves(self, state: State) -> dict[State, Fraction]:
        """The next states of the jump chain with their probabilities."""
        busy = [(mu, n) for n, mu in enumerate(self.service_rates) if state[n]]
        rate, a = self.rate(state), self.action(state)
        joined = state if state[a] == self.capacity else _moved(state, a, 1)
        result = {joined: self.arrival_rate / rate}
        for mu, n in busy:
            result[_moved(state, n, -1)] = mu / rate
        return result

    @cached_property
    def law(self) -> dict[State, Fraction]:
        """The stationary law of the jump chain on the states that the empty system reaches."""
        states: list[State] = [(0,) * len(self.weights)]
        index = {states[0]: 0}
        for state in states:
            for following in self.moves(state):
                if following not in index:
                    index[following] = len(states)
                    states.append(following)
            if len(states) > MOST_STATES:
                raise InputError("system.capacity", "leave at most 400 states", self.capacity)
        size = len(states)
        balance = fmpq_mat(size, size)
        for state, column in index.items():
            balance[column, column] -= 1
            for following, chance in self.moves(state).items():
                balance[index[following], column] += rational(chance)
        for column in range(size):
            balance[0, column] = fmpq(1)
        right = fmpq_mat(size, 1)
        right[0, 0] = fmpq(1)
        solved = balance.solve(right)
        return {state: fraction(solved[row, 0]) for state, row in sorted(index.items())}

    @cached_property
    def matrix(self) -> Matrix:
        """E[1{step} phi (discount phi' - phi)^T]."""
        return self._mean(self._next_minus_now)

    @cached_property
    def second_moments(self) -> Matrix:
        """E[1{step} phi phi^T]."""
        return self._mean(self.features)

    def direction(self) -> tuple[int, ...]:
        """Whole numbers z with z^T matrix z > 0; InputError if there are none."""
        found = _negative([[-(a + b) for a, b in _pairs(self.matrix, i)] for i in _range(self)])
        if found is None:
            requirement = "be such that the matrix is not negative semidefinite"
            raise InputError("gate", requirement, self.gate)
        largest = max(map(abs, found))
        scale = 1
        while True:
            z = tuple(round(scale * entry / largest) for entry in found)
            if self._form(z) > 0:
                return z
            scale *= 10

    def certificate(self) -> Certificate:
        """The certificate of definiteness, or with a gate of a direction in which it fails."""
        claim: dict[str, Any] = {
            "system": {
                "arrival_rate": exact(self.arrival_rate),
                "service_rates": [exact(rate) for rate in self.service_rates],
                "weights": [exact(weight) for weight in self.weights],
                "capacity": self.capacity,
            },
            "discount": exact(self.discount),
            "matrix": _texts(self.matrix),
        }
        if self.gate is None:
            self._require_independent_features()
            claim["second_moments"] = _texts(self.second_moments)
        else:
            z = self.direction()
            claim |= {"gate": self.gate, "direction": [exact(entry) for entry in z]}
            claim["value"] = exact(self._form(z))
        return Certificate("sarsa-mean-field", claim, {"law": law_entries(self.law)})

    def _require_independent_features(self) -> None:
        """InputError if a combination of the features is always 0: A is only semidefinite."""
        moments = fmpq_mat([[rational(each) for each in row] for row in self.second_moments])
        if moments.det() == 0:
            requirement = "be such that the features are linearly independent in steady state"
            raise InputError("system", requirement, "a system where they are not")

    def _next_minus_now(self, state: State) -> list[Fraction]:
        gains = [Fraction(-each) for each in self.features(state)]
        for following, chance in self.moves(state).items():
            for n, each in enumerate(self.features(following)):
                gains[n] += self.discount * chance * each
        return gains

    def _mean(self, other: Any) -> Matrix:
        size = len(self.weights)
        sums = [[fmpq(0)] * size for _ in range(size)]
        for state, chance in self.law.items():
            if self.gate is not None and sum(state) > self.gate:
                continue
            phi, second = self.features(state), other(state)
            for i in range(size):
                for j in range(size):
                    sums[i][j] += rational(chance * phi[i] * second[j])
        return [[fraction(each) for each in row] for row in sums]

    def _form(self, z: Sequence[int]) -> Fraction:
        pairs = ((i, j) for i in range(len(z)) for j in range(len(z)))
        return sum((z[i] * self.matrix[i][j] * z[j] for i, j in pairs), Fraction(0))


def make(table: Table) -> Certificate:
    """The certificate of a problem of kind `sarsa-mean-field`."""
    system = table.table("system")
    data = (
        system.rational("arrival_rate"),
        system.rationals("service_rates"),
        system.rationals("weights"),
        system.get("capacity"),
    )
    system.done()
    discount = table.rational("discount")
    gate = table.get("gate") if table.has("gate") else None
    table.done()
    return SarsaMeanField(*data, discount, gate).certificate()


def words(claim: dict[str, Any]) -> str:
    """What a claim of this kind states, in one sentence."""
    queues, capacity = len(claim["matrix"]), claim["system"]["capacity"]
    text = f"SARSA(0) on {queues} queues of at most {capacity} jobs"
    if "gate" in claim:
        z = ", ".join(claim["direction"])
        return (
            f"{text}, steps taken where |x|_1 <= {claim['gate']}: the matrix A of its mean field "
            f"is not negative semidefinite, z^T A z > 0 for z = ({z})."
        )
    return (
        f"{text}, steps taken always: the matrix A of its mean field is negative definite, with "
        f"z^T A z <= -(1 - {claim['discount']}) z^T E[phi phi^T] z for all z."
    )


def law_entries(law: dict[State, Fraction]) -> list[dict[str, Any]]:
    """A law as witnesses hold it."""
    return [{"state": list(state), "probability": exact(chance)} for state, chance in law.items()]


def _moved(state: State, queue: int, step: int) -> State:
    return (*state[:queue], state[queue] + step, *state[queue + 1 :])


def _range(model: SarsaMeanField) -> range:
    return range(len(model.weights))


def _pairs(matrix: Matrix, i: int) -> list[tuple[Fraction, Fraction]]:
    return [(matrix[i][j], matrix[j][i]) for j in range(len(matrix))]


def _texts(matrix: Matrix) -> list[list[str]]:
    return [[exact(each) for each in row] for row in matrix]


def _negative(matrix: Matrix) -> list[Fraction] | None:
    """A vector z with z^T matrix z < 0 for a symmetric matrix; None if it is semidefinite."""
    size = len(matrix)
    rows = [list(row) for row in matrix]
    # basis[k] is the vector whose form is the k-th pivot, orthogonal to the earlier ones
    basis = [[Fraction(int(i == k)) for i in range(size)] for k in range(size)]
    for k in range(size):
        pivot = rows[k][k]
        if pivot < 0:
            return basis[k]
        for i in range(k + 1, size):
            if pivot == 0 and rows[k][i] != 0:
                # t basis[k] + basis[i] has the form 2 t rows[k][i] + rows[i][i]
                t = -(rows[i][i] + 1) / (2 * rows[k][i])
                return [t * a + b for a, b in zip(basis[k], basis[i], strict=True)]
            if pivot:
                factor = rows[i][k] / pivot
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k], strict=True)]
                basis[i] = [a - factor * b for a, b in zip(basis[i], basis[k], strict=True)]
    return None
