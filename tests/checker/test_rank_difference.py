"""Kind `rank-difference`: its conditions, and its generator against the definition by labels."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_checks.checker.kinds.rank_difference import DriftFunction, values_of_patterns
from proofs_checks.checker.kinds.rank_model import marginal
from proofs_checks.checker.verdict import Outcome
from tests.rank_helpers import certificate, changed, condition, verdict

SMALL = certificate(
    kind="rank-difference", servers=2, a=2, b=1, quantity="shortest-queue", box=6, digits=6
)
MEAN = certificate(kind="rank-difference", servers=3, a=4, b=1, quantity="mean-queue", box=4)
SQUARE = certificate(kind="rank-difference", servers=1, a="1/2", b="1/4", quantity="no-idle", box=9)


def forged(tree: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    def edit(copy: dict[str, Any]) -> None:
        *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
        place: Any = copy
        for step in steps:
            place = place[step]
        place[last] = value

    return changed(tree, edit)


@pytest.mark.parametrize("tree", [SMALL, MEAN, SQUARE])
def test_true_claims_are_verified(tree: dict[str, Any]) -> None:
    assert verdict(tree).outcome is Outcome.VERIFIED


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("claim.original.hi", "8e-1", "upper"),
        ("claim.original.lo", "86e-2", "lower"),
        ("claim.paused", {"lo": "2e-1", "hi": "21e-2"}, "paused"),
        ("claim.difference.lo", "4e-1", "difference"),
        ("claim.difference.hi", "4e-1", "difference"),
        ("claim.b", "2", "hypothesis"),
        ("claim.a", "3", "hypothesis"),
        ("witness.upper.slope", "0", "tail"),
        ("witness.lower.slope", "-1", "shape"),
        ("witness.box", 5, "shape"),
        ("witness.box", 0, "shape"),
        ("witness.box", 900_000, "limit"),
        ("witness.upper.table.0", "5", "upper"),
        ("witness.lower.table.27", "-5e1", "lower"),
    ],
)
def test_conditions(path: str, value: Any, expected: str) -> None:
    assert condition(forged(SMALL, path, value)) == expected


def test_another_quantity_is_another_claim() -> None:
    """The tables for E Q_(1) prove, if anything, weaker bounds for the indicator that Q_(1) > 0."""
    tree = forged(SMALL, "claim.quantity", "no-idle")
    assert condition(tree) == "lower"
    tree = forged(tree, "claim.original.lo", "-1e3")
    tree = forged(tree, "claim.difference.lo", "-2e3")
    assert condition(tree) == "paused"


def test_the_paused_law_claimed_for_the_original() -> None:
    """The product form's mean is not a mean of the original dynamics."""
    tree = forged(SMALL, "claim.original", SMALL["claim"]["paused"])
    assert condition(tree) == "upper"


def test_a_trivial_test_function_proves_only_trivial_bounds() -> None:
    table = ["0"] * len(SMALL["witness"]["upper"]["table"])
    tree = forged(SMALL, "witness.upper.table", table)
    assert condition(tree) == "upper"
    weaker = forged(tree, "claim.original.hi", "1e3")
    weaker = forged(weaker, "claim.difference.hi", "1e3")
    weaker = forged(weaker, "witness.upper.slope", "1")
    assert condition(weaker) == ""


def generator(model: Any, h: Any, state: tuple[int, ...]) -> tuple[Fraction, Fraction]:
    """(p, q) with L h = p + q sqrt(n), from the definition, on labelled queues."""
    n, a, b = model.servers, model.a, model.b
    plain = rooted = Fraction(0)

    def after(i: int, step: int) -> tuple[int, ...]:
        return (*state[:i], state[i] + step, *state[i + 1 :])

    for i in range(n):
        up = h(after(i, 1)) - h(state)
        plain += n * up
        rooted -= a / n * up
        if state[i]:
            plain += n * (h(after(i, -1)) - h(state))
    shortest = state.index(min(state))
    rooted += b * (h(after(shortest, 1)) - h(state))
    return plain, rooted


def states(n: int, top: int) -> Iterator[tuple[int, ...]]:
    return product(range(top + 1), repeat=n)


@given(
    st.lists(st.integers(-9, 9), min_size=10, max_size=10),
    st.sampled_from([Fraction(0), Fraction(1, 2), Fraction(3)]),
    st.sampled_from(["shortest-queue", "mean-queue", "no-idle"]),
    st.sampled_from([1, -1]),
)
@settings(max_examples=15, deadline=None)
def test_patterns_bound_every_state(
    entries: list[int], slope: Fraction, quantity: str, sign: int
) -> None:
    """At every labelled state near the box g + L h is at most (least) that of its pattern."""
    model = marginal(3, Fraction(2), Fraction(1))
    order = [(i, j, k) for i in range(3) for j in range(i, 3) for k in range(j, 3)]
    test = DriftFunction(dict(zip(order, map(Fraction, entries), strict=True)), slope, 2)
    found = {
        (state, beyond): value
        for state, beyond, value in values_of_patterns(model, quantity, test, sign)
    }

    def h(state: tuple[int, ...]) -> Fraction:
        clipped = tuple(sorted(min(queue, 2) for queue in state))
        return test.table[clipped] + sign * slope * sum(queue**2 for queue in state)

    def g(lowest: int) -> tuple[Fraction, Fraction]:
        if quantity == "no-idle":
            return Fraction(lowest > 0), Fraction(0)
        if quantity == "shortest-queue":
            return Fraction(lowest), Fraction(0)
        return Fraction(lowest, 2) - Fraction(1, 2), Fraction(3, 2)

    steep = 3 * slope**2 * 4 >= 1  # 2 slope sqrt(3) >= 1
    for state in states(3, 4):
        beyond = sum(queue > 2 for queue in state)
        pattern = found[tuple(sorted(min(queue, 2) for queue in state)), beyond]
        parts = zip(generator(model, h, state), g(min(state)), strict=True)
        value = model.number(*(left + right for left, right in parts))
        if max(state) <= 3 and all(queue <= 2 or queue == 3 for queue in state):
            assert value == pattern  # the representative itself
        if beyond < 3 or sign < 0 or steep:
            assert (pattern - value).sign() * sign >= 0
