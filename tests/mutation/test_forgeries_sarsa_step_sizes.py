"""Forged step sizes: counters that run on, sizes left out or used twice, wrong sums."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.errors import InputError
from certify.kinds import make_file
from certify.shipped import find
from certify.softmax import SarsaStepSizes
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.kinds import sarsa_step_sizes
from proofs_checks.checker.verdict import Outcome
from tests.mutation.engine import Tree, to_bytes
from tests.mutation.truth.sarsa_step_sizes import truth

RUN = SarsaStepSizes(["1/2", "1/3", "1/4", "1/5"], [True, False, True])


def tree_of(run: SarsaStepSizes) -> Tree:
    made = run.certificate()
    return {"format": "certify/1", "kind": made.kind, "claim": made.claim, "witness": made.witness}


@pytest.mark.parametrize("name", ["run", "none"])
def test_the_shipped_runs_are_true(name: str) -> None:
    made = make_file(find(f"sarsa-step-sizes-{name}"))
    assert truth(made.claim) is True
    report = check_bytes(made.to_bytes())
    assert report.outcome is Outcome.VERIFIED
    assert set(report.tested) == set(sarsa_step_sizes.CONDITIONS)


@pytest.mark.parametrize(
    ("claim", "condition"),
    [
        ({"sizes": ["1/2", "1/3", "1/4", "-1/5"]}, "hypothesis"),
        ({"sizes": ["1/2"]}, "shape"),
        ({"held": [1, 0, 2]}, "shape"),
        ({"held": [1, 0]}, "shape"),
        # the counter advanced where the constraint did not hold
        ({"steps": ["1/2", "0", "1/4"], "total": "3/4", "squares": "5/16"}, "step"),
        # a size used twice
        ({"steps": ["1/2", "0", "1/2"], "total": "1", "squares": "1/2"}, "step"),
        # a step where there must be none
        ({"steps": ["1/2", "1/3", "1/4"]}, "step"),
        ({"held": [1, 1, 0]}, "step"),
        ({"used": 3}, "used"),
        ({"total": "13/12"}, "total"),
        ({"squares": "61/144"}, "squares"),
    ],
)
def test_a_false_claim(claim: dict[str, Any], condition: str) -> None:
    tree = tree_of(RUN)
    tree["claim"] |= claim
    assert truth(tree["claim"]) is False
    report = check_bytes(to_bytes(tree))
    assert report.refusal is not None, report.line()
    assert report.refusal.condition == condition


@settings(max_examples=60, deadline=None)
@given(st.lists(st.booleans(), min_size=1, max_size=30))
def test_every_run_uses_a_prefix(held: list[bool]) -> None:
    sizes = [Fraction(1, j + 1) for j in range(30)]
    run = SarsaStepSizes(sizes, held)
    assert sorted(filter(None, run.steps), reverse=True) == sizes[: sum(held)]
    made = run.certificate()
    assert check_bytes(made.to_bytes()).outcome is Outcome.VERIFIED
    assert truth(made.claim) is True


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (([], [True]), "sizes must be a non-empty list of numbers, but was []."),
        ((["0"], [True]), "sizes[0] must be positive, but was 0."),
        ((["1"], []), "held must be a non-empty list of true and false, but was []."),
        ((["1"], [1]), "held[0] must be true or false, but was 1."),
        ((["1"], [True, True]), "sizes must have at least 2 entries, but was 1."),
    ],
)
def test_bad_input(arguments: Any, sentence: str) -> None:
    with pytest.raises(InputError) as error:
        SarsaStepSizes(*arguments)
    assert str(error.value) == sentence
