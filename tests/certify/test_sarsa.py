"""SARSA(0) steps: the border of the step size, projections, bad input."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.errors import InputError
from certify.softmax import SarsaStep
from certify.softmax.sarsa import words
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome
from tests.mutation.truth.sarsa_step import truth

STEP = SarsaStep([1, 1], "9/10", "1/10", [2, 0], 0, "1/10", [1, 0], 1)


def test_the_step_that_a_ball_does_not_repair() -> None:
    assert STEP.td_error == -7
    assert STEP.updated_weights == (Fraction(-53, 10), 1)
    for radius in (1, 5, 100):
        norm = sum(float(u) ** 2 for u in STEP.updated_weights) ** 0.5
        assert float(STEP.updated_weights[0]) * min(1, radius / norm) < 0


def test_the_negative_weights_are_counted() -> None:
    for step, count in ((STEP, "1 weight"), (replace(STEP, step_size="1/63"), "0 weights")):
        assert words(step.certificate().claim).endswith(f", {count} negative.")


def test_the_border_is_one_sixty_third() -> None:
    assert replace(STEP, step_size="1/63").updated_weights[0] == 0
    above, below = Fraction(1, 63) + Fraction(1, 10**30), Fraction(1, 63) - Fraction(1, 10**30)
    assert replace(STEP, step_size=above).updated_weights[0] < 0
    assert replace(STEP, step_size=below).updated_weights[0] > 0


@settings(max_examples=50, deadline=None)
@given(st.fractions(Fraction(1, 1000), Fraction(1, 10), max_denominator=1000))
def test_a_shorter_holding_time_gives_no_larger_weight(time: Fraction) -> None:
    shorter = replace(STEP, holding_time=time).updated_weights
    assert all(a <= b for a, b in zip(shorter, STEP.updated_weights, strict=True))


counts = st.integers(0, 6)
numbers = st.fractions(Fraction(1, 9), 9, max_denominator=9)


@st.composite
def steps(draw: st.DrawFn) -> SarsaStep:
    state = draw(st.lists(counts, min_size=1, max_size=5))
    queue = st.integers(0, len(state) - 1)
    action, busy = draw(queue), [n for n, q in enumerate(state) if q]
    moved = list(state)
    if busy and draw(st.booleans()):
        moved[draw(st.sampled_from(busy))] -= 1
    else:
        moved[action] += 1
    weights = [draw(numbers) for _ in state]
    discount = draw(st.fractions(Fraction(1, 9), Fraction(8, 9), max_denominator=9))
    return SarsaStep(
        weights, discount, draw(numbers), state, action, draw(numbers), moved, draw(queue)
    )


@settings(max_examples=100, deadline=None)
@given(steps())
def test_what_is_made_is_verified_and_true(step: SarsaStep) -> None:
    certificate = step.certificate()
    assert check_bytes(certificate.to_bytes()).outcome is Outcome.VERIFIED
    assert truth(certificate.claim) is True


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"weights": []}, "weights must be a non-empty list of numbers, but was []."),
        ({"weights": [1, 0]}, "weights[1] must be positive, but was 0."),
        ({"discount": 1}, "discount must lie between 0 and 1, but was 1."),
        ({"step_size": -1}, "step_size must be positive, but was -1."),
        ({"state": [2]}, "state must be a list of 2 queues, but was [2]."),
        (
            {"state": [2, -1]},
            "state[1] must be a whole number from 0 to 999999999, but was -1.",
        ),
        ({"action": 2}, "action must be a queue from 0 to 1, but was 2."),
        (
            {"next_state": [2, 1]},
            "next_state must be one arrival at queue 0 or one departure away, but was [2, 1].",
        ),
    ],
)
def test_bad_input(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError) as error:
        replace(STEP, **changes)
    assert str(error.value) == sentence
