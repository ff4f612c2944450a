"""For every condition a forgery that it, and nothing else, refuses, or the reason there is none."""

import json
from typing import Any

import pytest

from proofs_checks.checker.kinds import KINDS
from tests.mutation.alone import TABLE, refused_alone
from tests.mutation.engine import truth_of

ROWS: dict[str, dict[str, dict[str, Any]]] = json.loads(TABLE.read_text())
LOGARITHM = "the tangent plane takes the logarithm of each coordinate, which is undecided at <= 0"
IMPLIED = {
    ("fluid-many-sizes", "spread"): "with one size D is 0 at that size, and dividing by it is "
    "undecided; the condition says why",
    ("fluid-value", "rise"): "the other conditions imply it (fluid-value.md, Proposition 4); Coq's "
    "fluid_optimal asks for it too, and it names the sector where a path would turn back",
    ("fluid-value", "slope"): "the other conditions imply it (fluid-value.md, Proposition 5); the "
    "counts of sizes are those of the theorem only if it holds",
    ("sarsa-mean-field", "inequality"): "follows for every stationary law (Theorem, part c): the "
    "check is against a mistake in the proof",
    ("softmax-drift", "point"): LOGARITHM,
    ("softmax-lattice-drift", "point"): LOGARITHM,
    ("softmax-mean-queue", "point"): LOGARITHM,
}
# Conditions that a kind takes from another one with the function that tests them.
OF_SECTORS = {"slope", "gradient", "split", "rise", "hamilton-jacobi", "exit"}
OF_ENCLOSURES = {
    "partition",
    "exit-below",
    "exit-above",
    "cutoff-below",
    "cutoff-above",
    "saving",
    "value",
    "time",
}
BORROWED = {
    "fluid-bracket": [("fluid-value", OF_SECTORS)],
    "fluid-comparison": [("fluid-value", OF_SECTORS), ("fluid-enclosure", OF_ENCLOSURES)],
    "fluid-heavy-traffic": [("fluid-value", OF_SECTORS), ("fluid-enclosure", OF_ENCLOSURES)],
    "fluid-noise": [("fluid-value", OF_SECTORS), ("fluid-enclosure", OF_ENCLOSURES)],
    "fluid-wasserstein": [("fluid-value", OF_SECTORS), ("fluid-enclosure", OF_ENCLOSURES)],
}


@pytest.mark.parametrize(("kind", "condition"), [(k, c) for k in ROWS for c in ROWS[k]])
def test_each_condition_catches_what_no_other_does(kind: str, condition: str) -> None:
    """If a kind's claims have changed: `python -m tests.mutation.alone KIND` searches again."""
    row = ROWS[kind][condition]
    assert condition in KINDS[kind].CONDITIONS
    assert refused_alone(row["forgery"], condition)
    if row["false"] and not kind.startswith("softmax-"):  # whose truths take long
        assert truth_of(kind)(row["forgery"]["claim"]) is False


@pytest.mark.parametrize("kind", KINDS)
def test_every_condition_has_a_forgery_or_a_reason(kind: str) -> None:
    """Exactly one of: a forgery of its own, a reason, another kind's function."""
    for condition in KINDS[kind].CONDITIONS:
        accounts = condition in ROWS.get(kind, {}), (kind, condition) in IMPLIED
        assert not all(accounts), condition
        assert any(accounts) or _borrowed(kind, condition), condition


def test_every_reason_is_of_a_condition() -> None:
    for kind, condition in IMPLIED:
        assert condition in KINDS[kind].CONDITIONS


def _borrowed(kind: str, condition: str) -> bool:
    """Whether the other kind, which states the condition in the same words, accounts for it."""
    return any(
        condition in names
        and KINDS[kind].CONDITIONS[condition] == KINDS[other].CONDITIONS[condition]
        and (condition in ROWS[other] or (other, condition) in IMPLIED)
        for other, names in BORROWED.get(kind, [])
    )
