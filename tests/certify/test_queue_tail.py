"""Tails: the ratio 12/13, exact truncated chains below every bound, bad input."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import lil_matrix
from scipy.sparse.linalg import spsolve

from certify.errors import InputError
from certify.softmax import ShortestQueue, WeightedShortestQueue
from certify.softmax.tail import QueueTail
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome
from tests.mutation.truth.queue_tail import truth

PAIR = ShortestQueue.weighted(2, [2, 1], [1, 2])


@pytest.mark.parametrize("temperature", [0, "1/2", 1, 20, 1000])
def test_the_ratio_is_twelve_thirteenths_at_every_temperature(temperature: Any) -> None:
    tail = QueueTail(PAIR, temperature)
    assert tail.ratio == Fraction(12, 13)
    # 2 B'/eps in the notation of the weighted queue, with B' = 20/3 + lambda temperature k
    k = tail.excess
    wanted = Fraction(20, 3) + 2 * Fraction(str(temperature)) * k
    assert tail.threshold == 2 * wanted / Fraction(4, 3)
    assert Fraction("0.27846454276107") < k < Fraction("0.27846454276108")


def test_the_formula_of_the_weighted_queue() -> None:
    """p/(p + delta) with p = lambda/(lambda + M) and delta = eps/(4 w_max (lambda + M))."""
    tail = QueueTail(ShortestQueue.weighted("9/2", [3, 2, 1], [1, "3/2", 3]), 1)
    p, eps, total = Fraction(9, 2) / Fraction(21, 2), Fraction(3, 2), Fraction(21, 2)
    delta = eps / (4 * 3 * total)
    assert tail.ratio == p / (p + delta)


def law(temperature: float, side: int) -> dict[tuple[int, int], float]:
    """The stationary law of the pair on a box, arrivals beyond it lost, in floating point."""
    states = {(a, b): a * side + b for a in range(side) for b in range(side)}
    matrix = lil_matrix((side * side, side * side))
    for (a, b), n in states.items():
        energies = np.array([1.0 * (2 * a + 1), 2.0 * (2 * b + 1)])
        powers = np.exp(-(energies - energies.min()) / temperature)
        shares = 2 * powers / powers.sum()
        moves = [((a + 1, b), shares[0]), ((a, b + 1), shares[1])]
        moves += [((a - 1, b), 2.0), ((a, b - 1), 1.0)]
        for target, rate in moves:
            if target in states:
                matrix[states[target], n] += rate
                matrix[n, n] -= rate
    matrix[0, :] = 1
    right = np.zeros(side * side)
    right[0] = 1
    solved = spsolve(matrix.tocsc(), right)
    return {state: solved[n] for state, n in states.items()}


@pytest.mark.parametrize("temperature", [1, 20])
def test_every_bound_lies_above_the_chain(temperature: int) -> None:
    """P(Phi > threshold + 2 m) with Phi = sqrt(V/w_max), and P(|Q|_1 >= n)."""
    tail, pi = QueueTail(PAIR, temperature), law(temperature, 45)
    ratio, threshold = float(tail.ratio), float(tail.threshold)
    for m in range(12):
        far = sum(p for (a, b), p in pi.items() if (a * a / 2 + b * b) ** 0.5 > threshold + 2 * m)
        assert far <= ratio ** (m + 1)
    for jobs in (20, 30, 40, 60):
        often = sum(p for (a, b), p in pi.items() if a + b >= jobs)
        assert often <= float(tail.probability(jobs)) + 1e-12


@settings(max_examples=15, deadline=None)
@given(
    st.lists(
        st.tuples(*[st.fractions(Fraction(1, 5), 5, max_denominator=5)] * 2),
        min_size=1,
        max_size=3,
    ),
    st.fractions(Fraction(1, 9), Fraction(8, 9), max_denominator=9),
    st.fractions(0, 9, max_denominator=9),
    st.fractions(Fraction(1, 9), Fraction(8, 9), max_denominator=9),
    st.integers(1, 2000),
)
def test_what_is_made_is_verified_and_not_false(
    servers: Any, load: Fraction, temperature: Fraction, split: Fraction, jobs: int
) -> None:
    rates, weights = [mu for mu, _ in servers], [w for _, w in servers]
    system = ShortestQueue.weighted(load * sum(rates), rates, weights)
    tail = QueueTail(system, temperature, (), split)
    if tail.steps(jobs) is not None:
        tail = QueueTail(system, temperature, [jobs], split)
    made = tail.certificate()
    assert check_bytes(made.to_bytes()).outcome is Outcome.VERIFIED
    assert truth(made.claim) is not False


def test_the_system_answers_too() -> None:
    wsq = WeightedShortestQueue(2, [2, 1], [1, 2], 1)
    assert wsq.tail([100, 500]) == QueueTail(PAIR, 1, [100, 500])


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((-1,), "system.temperature must be at least 0, but was -1."),
        ((0, [100], 1), "split must lie between 0 and 1, but was 1."),
        ((0, 100), "jobs must be a list of whole numbers, but was 100."),
        ((0, [0]), "jobs[0] must be a whole number from 1 to 1000000000, but was 0."),
        ((0, [1.5]), "jobs[0] must be a whole number from 1 to 1000000000, but was 1.5."),
    ],
)
def test_bad_input(arguments: Any, sentence: str) -> None:
    with pytest.raises(InputError) as error:
        QueueTail(PAIR, *arguments)
    assert str(error.value) == sentence


def test_too_few_jobs_to_say_anything() -> None:
    with pytest.raises(InputError) as error:
        QueueTail(PAIR, 0, [10])
    assert str(error.value) == "jobs[0] must be at least 18, where the bound starts, but was 10."
    assert QueueTail(PAIR, 0).probability(10) == 1
    assert QueueTail(PAIR, 0, [18]).steps(18) == 0
