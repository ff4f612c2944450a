"""Mean fields: known states and minors, gates, a simulation of the chain, bad input."""

import random
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.errors import InputError
from certify.softmax import SarsaGate
from certify.softmax.mean_field import SarsaMeanField
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome
from tests.mutation.truth.sarsa_mean_field import truth


@pytest.mark.parametrize(("weights", "states"), [([1, 2], 28), ([1, 4], 21)])
def test_the_inequality_holds_for_all_steps_and_fails_behind_a_gate(
    weights: list[int], states: int
) -> None:
    always = SarsaMeanField(2, [2, 1], weights, 6, "9/10")
    assert len(always.law) == states

    def margin(model: SarsaMeanField) -> Any:
        matrix, moments = (
            np.array([[float(e) for e in row] for row in m])
            for m in (model.matrix, model.second_moments)
        )
        return np.linalg.eigvalsh((matrix + matrix.T) / 2 + 0.1 * moments).max()

    assert margin(always) < 0
    # gated to one job the inequality is false, and so is definiteness
    gated = SarsaMeanField(2, [2, 1], weights, 6, "9/10", 1)
    assert margin(gated) > 0
    z = gated.direction()
    assert sum(z[i] * z[j] * gated.matrix[i][j] for i in (0, 1) for j in (0, 1)) > 0


def test_the_empty_gate_is_that_of_sarsa_gate() -> None:
    """A_11 = P(x = 0) (4 gamma - 1): the cold limit of kind sarsa-gate."""
    gated = SarsaMeanField(2, [2, 1], [1, 4], 6, "9/10", 0)
    assert gated.matrix[0][0] == gated.law[0, 0] * Fraction(26, 10)
    cold = SarsaGate([1, 4], "1/50", "9/10", 0).certificate().claim["diagonal"]
    assert abs(Fraction(cold["lo"]) - Fraction(26, 10)) < Fraction(1, 10**9)


def test_the_means_are_those_of_a_long_run() -> None:
    model = SarsaMeanField(2, [2, 1], [1, 2], 2, "1/2")
    chance, state, steps = random.Random(7), (0, 0), 40_000
    moves = {x: list(model.moves(x)) for x in model.law}
    odds = {x: [float(p) for p in model.moves(x).values()] for x in model.law}
    phi = {x: model.features(x) for x in model.law}
    total = [[0.0, 0.0], [0.0, 0.0]]
    for _ in range(steps):
        after = chance.choices(moves[state], odds[state])[0]
        for i, j in product((0, 1), repeat=2):
            total[i][j] += phi[state][i] * (phi[after][j] / 2 - phi[state][j])
        state = after
    for i, j in product((0, 1), repeat=2):
        assert abs(total[i][j] / steps - float(model.matrix[i][j])) < 0.3


@settings(max_examples=12, deadline=None)
@given(
    st.lists(
        st.tuples(*[st.fractions(Fraction(1, 5), 5, max_denominator=5)] * 2),
        min_size=1,
        max_size=2,
    ),
    st.fractions(Fraction(1, 5), 5, max_denominator=5),
    st.integers(1, 2),
    st.fractions(Fraction(1, 9), Fraction(8, 9), max_denominator=9),
    st.one_of(st.none(), st.integers(0, 3)),
)
def test_what_is_made_is_verified_and_true(
    queues: Any, arrival: Fraction, capacity: int, discount: Fraction, gate: int | None
) -> None:
    rates, weights = [mu for mu, _ in queues], [w for _, w in queues]
    model = SarsaMeanField(arrival, rates, weights, capacity, discount, gate)
    try:
        made = model.certificate()
    except InputError as error:
        assert error.field == ("system" if gate is None else "gate")  # noqa: PT017
        return
    assert check_bytes(made.to_bytes()).outcome is Outcome.VERIFIED
    assert truth(made.claim) is True


GIVEN: dict[str, Any] = {
    "arrival_rate": 2,
    "service_rates": [2, 1],
    "weights": [1, 2],
    "capacity": 6,
    "discount": "9/10",
}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"arrival_rate": 0}, "system.arrival_rate must be positive, but was 0."),
        ({"service_rates": []}, "system.service_rates must be a non-empty list of numbers, but w"),
        ({"weights": [1]}, "system.weights must have 2 entries, but was 1."),
        ({"weights": [1, -1]}, "system.weights[1] must be positive, but was -1."),
        ({"capacity": 0}, "system.capacity must be a whole number from 1 to 999, but was 0."),
        ({"gate": -1}, "gate must be a whole number from 0 to 999, but was -1."),
        ({"discount": 1}, "discount must lie between 0 and 1, but was 1."),
    ],
)
def test_bad_input(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError) as error:
        SarsaMeanField(**GIVEN | changes)
    assert str(error.value).startswith(sentence)


def test_too_many_states_and_a_gate_that_does_not_break_it() -> None:
    with pytest.raises(InputError, match=r"system\.capacity must leave at most 400 states"):
        SarsaMeanField(**GIVEN | {"capacity": 60}).certificate()
    with pytest.raises(InputError, match="gate must be such that the matrix is not negative semi"):
        SarsaMeanField(**GIVEN | {"gate": 12}).certificate()
    with pytest.raises(InputError, match="system must be such that the features are linearly ind"):
        SarsaMeanField(1, [1, 1], [1, 5], 1, "1/2").certificate()
