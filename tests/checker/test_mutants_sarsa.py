"""Hypotheses and borders of the SARSA kinds: discount 0, weight 0, laws on a part of the states."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from proofs_checks.checker.kinds.finite_queues import (
    Queues,
    mean_field,
    read_rates,
    require_pivots,
)
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Outcome, Refusal, Trial
from tests.drift_helpers import changed, condition, verdict
from tests.mutation.engine import Tree

FOLDER = Path(__file__).parents[2] / "certificates"


def shipped(name: str) -> Tree:
    tree: Tree = json.loads((FOLDER / f"sarsa-{name}.json").read_bytes())
    return tree


@pytest.mark.parametrize(
    "name", ["gate-two", "mean-field-small", "mean-field-gated", "chattering-small", "step-border"]
)
@pytest.mark.parametrize("discount", ["0", "1", "-1/2"])
def test_a_discount_outside_the_open_interval(name: str, discount: str) -> None:
    assert condition(changed(shipped(name), claim__discount=discount)) == "hypothesis"


# --- the gate ----------------------------------------------------------------------------------


def test_a_weight_of_zero_has_no_gate() -> None:
    for weights in (["1", "0"], ["0", "4"]):
        assert condition(changed(shipped("gate-two"), claim__weights=weights)) == "hypothesis"


def test_weights_and_temperature_scale_together() -> None:
    """(1, 4) at 1 and (2, 8) at 2 are one softmax; (2, 8) at 1 is another."""
    tree = changed(shipped("gate-two"), claim__weights=["2", "8"])
    assert condition(tree) == "diagonal"
    assert condition(changed(tree, claim__temperature="2")) == ""


def test_an_entry_that_may_be_zero_is_not_positive() -> None:
    tree = shipped("gate-two")
    for low, expected in (("0", "positive"), ("-1e-9", "positive"), ("1e-9", "")):
        assert condition(changed(tree, claim__diagonal={"lo": low, "hi": "2"})) == expected


# --- mean fields -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arrival", "capacity", "holds"),
    [("1", 1, True), ("1/2", 2, True), ("0", 1, False), ("-1", 1, False), ("1", 0, False)],
)
def test_rates_are_positive_and_a_queue_holds_a_job(
    arrival: str, capacity: int, holds: bool
) -> None:
    system = {"arrival_rate": arrival, "service_rates": ["1/3", "1"], "capacity": capacity}
    fields = Node(system, "system").record(" ".join(system))
    if holds:
        found = read_rates(fields, Trial(10**6))
        assert found == (Fraction(arrival), [Fraction(1, 3), Fraction(1)], capacity)
    else:
        with pytest.raises(Refusal) as refusal:
            read_rates(fields, Trial(10**6))
        assert refusal.value.condition == "hypothesis"


def test_states_above_the_gate_are_passed_over_wherever_they_stand() -> None:
    """One queue, lambda = mu = 1, discount 1/2: at 0 phi = 1, the mean phi' = 4, and no cost."""
    queues = Queues(Fraction(1), [Fraction(1)], [Fraction(1)], 2)
    law = [((2,), Fraction(1, 3)), ((0,), Fraction(1, 3)), ((1,), Fraction(1, 3))]
    for order in (law, law[::-1]):
        found = mean_field(order, queues, Fraction(1, 2), 0, Trial(10**6))
        assert found == ([[Fraction(1, 3)]], [[Fraction(1, 3)]], [Fraction(0)])


def field_of_one_served_queue() -> Tree:
    """lambda 2, mu 2, capacity 1, and a second queue that no job ever joins.

    The states 0 and 1 of the first queue have the moments 1/3 and 2/3 (rates 2 and 4); its feature
    is 1 and 4. From 0 the chain moves to 1, from 1 to each with the probability 1/2.
    """
    gamma, law = Fraction(9, 10), (Fraction(1, 3), Fraction(2, 3))
    square = law[0] + 16 * law[1]
    follow = law[0] * 1 * 4 + law[1] * 4 * (Fraction(1, 2) * 1 + Fraction(1, 2) * 4)
    tree = shipped("mean-field-small")
    tree["claim"]["system"] |= {"service_rates": ["2", "1"], "weights": ["1", "100"]}
    tree["claim"]["system"] |= {"arrival_rate": "2", "capacity": 1}
    tree["claim"] |= {
        "matrix": [[str(gamma * follow - square), "0"], ["0", "0"]],
        "second_moments": [[str(square), "0"], ["0", "0"]],
    }
    tree["witness"]["law"] = [
        {"state": [0, 0], "probability": str(law[0])},
        {"state": [1, 0], "probability": str(law[1])},
    ]
    return tree


def test_features_that_are_always_zero_leave_the_matrix_singular() -> None:
    """z^T A z = 0 for z = (0, 1): everything holds but that A is negative definite."""
    tree = field_of_one_served_queue()
    assert condition(tree) == "definite"
    matrix, moments = ([["-7/10", "0"], ["0", "0"]], [["12", "0"], ["0", "0"]])
    assert condition(changed(tree, claim__matrix=matrix)) == "matrix"
    assert condition(changed(tree, claim__second_moments=moments)) == "moments"


def test_a_law_on_half_of_the_states_is_none() -> None:
    """Leaving out a state, or giving one twice, changes the sum or the balance."""
    tree = field_of_one_served_queue()
    law = tree["witness"]["law"]
    for forged in (
        [law[0]],
        [{**law[0], "probability": "1"}],
        [law[1], law[0] | {"probability": "2/3"}],
    ):
        assert condition(changed(tree, witness__law=forged)) == "stationary"
    swapped = [law[0] | {"probability": "2/3"}, law[1] | {"probability": "1/3"}]
    assert condition(changed(tree, witness__law=swapped)) == "stationary"
    assert condition(changed(tree, witness__law=law[::-1])) == "definite"
    assert condition(changed(tree, witness__law=[*law, law[0]])) == "shape"
    assert (
        condition(changed(tree, witness__law=[*law, {"state": [2, 0], "probability": "0"}]))
        == "shape"
    )


def test_states_that_carry_nothing_may_be_listed() -> None:
    tree = shipped("mean-field-small")
    law = [*tree["witness"]["law"], {"state": [0, 2], "probability": "0"}]
    assert condition(changed(tree, witness__law=law)) == ""
    negative = [*law[:-1], {"state": [0, 2], "probability": "-1/1000"}]
    assert condition(changed(tree, witness__law=negative)) == "stationary"


def test_a_gate_of_every_state_steps_always() -> None:
    """With the gate at the most jobs the matrix is that of stepping always: no positive value."""
    tree = shipped("mean-field-small")
    matrix = [[Fraction(entry) for entry in row] for row in tree["claim"]["matrix"]]
    gated = changed(tree, claim__second_moments=None)
    for z in ((1, 0), (0, 1), (1, -1), (2, -3)):
        value = sum(z[i] * matrix[i][j] * z[j] for i in range(2) for j in range(2))
        words: dict[str, Any] = {"direction": [str(each) for each in z], "value": str(value)}
        for gate in (3, 4, 1000):
            assert condition(_with(gated, gate=gate, **words)) == "value"
        assert condition(_with(gated, gate=2, **words)) == "matrix"


def _with(tree: Tree, **values: Any) -> Tree:
    return {**tree, "claim": tree["claim"] | values}


def test_a_value_of_zero_is_not_positive() -> None:
    tree = shipped("mean-field-gated-small")
    zero = ["0"] * len(tree["claim"]["direction"])
    assert condition(changed(tree, claim__direction=zero, claim__value="0")) == "value"


# --- chattering --------------------------------------------------------------------------------


def test_one_vector_is_no_cycle() -> None:
    """Even with the one law that it needs."""
    tree = shipped("chattering-small")
    for k in range(2):
        forged = changed(tree, claim__cycle=[tree["claim"]["cycle"][k]])
        forged["witness"]["laws"] = [tree["witness"]["laws"][k]]
        assert condition(forged) == "shape"


def test_the_verdict_counts_the_states_of_all_laws() -> None:
    tree = shipped("chattering-small")
    held = sum(each["probability"] != "0" for law in tree["witness"]["laws"] for each in law)
    assert f", {held} states in all" in verdict(tree).line()


def test_a_cycle_may_start_anywhere_but_not_run_backwards() -> None:
    tree = shipped("chattering-equal")
    cycle, laws = tree["claim"]["cycle"], tree["witness"]["laws"]
    turned = changed(tree, claim__cycle=[*cycle[1:], cycle[0]], witness__laws=[*laws[1:], laws[0]])
    assert condition(turned) == ""
    back = changed(tree, claim__cycle=cycle[::-1], witness__laws=laws[::-1])
    assert condition(back) == "fixed-point"


# --- step sizes --------------------------------------------------------------------------------


def test_a_size_that_is_never_used_must_be_positive_all_the_same() -> None:
    tree = shipped("step-sizes-run")
    sizes = tree["claim"]["sizes"]
    for extra in ("0", "-1"):
        assert condition(changed(tree, claim__sizes=[*sizes, extra])) == "hypothesis"
    assert condition(changed(tree, claim__sizes=[*sizes, "7"])) == ""


def test_as_many_sizes_as_are_used_are_enough() -> None:
    tree = shipped("step-sizes-run")
    used = tree["claim"]["used"]
    assert condition(changed(tree, claim__sizes=tree["claim"]["sizes"][:used])) == ""
    assert condition(changed(tree, claim__sizes=tree["claim"]["sizes"][: used - 1])) == "shape"


def test_there_is_nothing_to_say_beside_the_claim() -> None:
    for name in ("step-sizes-run", "step-border"):
        forged = {**shipped(name), "witness": {"note": 1}}
        assert verdict(forged).outcome is Outcome.MALFORMED


# --- one step ----------------------------------------------------------------------------------


def step(before: list[int], action: int, after: list[int], following: int) -> Tree:
    """One step of hand-sized numbers: weights (2, 3), discount 1/2, step size 1/4, time 3."""
    tree = shipped("step-border")
    weights = (Fraction(2), Fraction(3))
    phi = [(q + (i == action)) ** 2 for i, q in enumerate(before)]
    then = [(q + (i == following)) ** 2 for i, q in enumerate(after)]
    value, later = (sum(w * f for w, f in zip(weights, each, strict=True)) for each in (phi, then))
    error = 3 * sum(before) + later / 2 - value
    updated = [w + error * f / 4 for w, f in zip(weights, phi, strict=True)]
    tree["claim"] = {
        "weights": ["2", "3"],
        "discount": "1/2",
        "step_size": "1/4",
        "holding_time": "3",
        "state": before,
        "action": action,
        "next_state": after,
        "next_action": following,
        "td_error": str(error),
        "updated_weights": [str(each) for each in updated],
        "negative": [i for i, each in enumerate(updated) if each < 0],
    }
    return tree


@pytest.mark.parametrize(
    ("before", "action", "after", "expected"),
    [
        ([0, 0], 0, [1, 0], ""),
        ([0, 0], 1, [0, 1], ""),
        ([0, 0], 1, [1, 0], "transition"),  # joined the other queue
        ([2, 1], 0, [3, 1], ""),
        ([2, 1], 1, [3, 1], "transition"),
        ([2, 1], 0, [1, 1], ""),
        ([2, 1], 0, [2, 0], ""),
        ([2, 1], 0, [0, 1], "transition"),  # two at once
        ([2, 1], 0, [4, 1], "transition"),
        ([2, 1], 0, [3, 0], "transition"),
        ([2, 1], 0, [2, 1], "transition"),  # no event
    ],
)
@pytest.mark.parametrize("following", [0, 1])
def test_steps_that_can_and_cannot_happen(
    before: list[int], action: int, after: list[int], expected: str, following: int
) -> None:
    tree = step(before, action, after, following)
    assert condition(tree) == expected
    if expected == "":
        error = Fraction(tree["claim"]["td_error"]) + 1
        assert condition(changed(tree, claim__td_error=str(error))) == "td-error"
        for i in range(2):
            weight = str(Fraction(tree["claim"]["updated_weights"][i]) + 1)
            forged = changed(tree, **{f"claim__updated_weights__{i}": weight})
            assert condition(forged) == "update"


def test_a_weight_of_exactly_zero_is_not_negative() -> None:
    """State (0, 0), action 0, next state (1, 0) with action 1: error (2 + 3)/2 - 2 = 1/2."""
    tree = step([0, 0], 0, [1, 0], 1)
    assert tree["claim"]["td_error"] == "1/2"
    tree = step([0, 0], 1, [0, 1], 0)  # (2 + 3)/2 - 3 = -1/2
    gone = changed(tree, claim__step_size="6", claim__updated_weights=["2", "0"])
    assert condition(gone) == ""
    assert condition(changed(gone, claim__negative=[1])) == "negative"
    below = changed(tree, claim__step_size="8", claim__updated_weights=["2", "-1"])
    assert condition(below) == "negative"
    assert condition(changed(below, claim__negative=[1])) == ""
    assert condition(changed(below, claim__negative=[0, 1])) == "negative"


def test_hypotheses_of_one_step() -> None:
    tree = step([0, 0], 0, [1, 0], 1)
    for name in ("step_size", "holding_time"):
        for value in ("0", "-1"):
            assert condition(changed(tree, **{f"claim__{name}": value})) == "hypothesis"
    for weights in (["0", "3"], ["2", "0"]):
        assert condition(changed(tree, claim__weights=weights)) == "hypothesis"
    for name in ("action", "next_action"):
        assert condition(changed(tree, **{f"claim__{name}": 2})) == "shape"
    for name, value in (("state", [0]), ("next_state", [1, 0, 0]), ("updated_weights", ["2"])):
        assert condition(changed(tree, **{f"claim__{name}": value})) == "shape"


# --- laws and pivots themselves ----------------------------------------------------------------


def three_queues(law: dict[tuple[int, int, int], str]) -> Tree:
    """lambda 2, mu 1 each, capacity 1; jobs join the first two queues only, the shorter one."""
    tree = shipped("mean-field-small")
    tree["claim"]["system"] |= {
        "arrival_rate": "2",
        "service_rates": ["1", "1", "1"],
        "weights": ["1", "1", "100"],
        "capacity": 1,
    }
    tree["claim"] |= {name: [["0"] * 3] * 3 for name in ("matrix", "second_moments")}
    tree["witness"]["law"] = [
        {"state": list(state), "probability": text} for state, text in law.items()
    ]
    return tree


def test_a_balanced_law_with_a_negative_mass() -> None:
    """What 1/4 at (0, 1, 1) and -1/4 at (1, 0, 1) send out cancels, or stays in balance.

    No listed state leads to these two, so nothing but the sign tells that this is no law.
    """
    true = {(0, 0, 0): "1/8", (1, 0, 0): "1/4", (0, 1, 0): "1/8", (1, 1, 0): "1/2"}
    signed = true | {(1, 0, 0): "3/16", (0, 1, 0): "3/16", (0, 1, 1): "1/4", (1, 0, 1): "-1/4"}
    assert sum(map(Fraction, signed.values())) == 1
    assert condition(three_queues(true)) == "matrix"  # the law passes, the matrix is not 0
    assert condition(three_queues(signed)) == "stationary"


def test_twice_a_law_balances_and_is_none() -> None:
    tree = field_of_one_served_queue()
    for each in tree["witness"]["law"]:
        each["probability"] = str(2 * Fraction(each["probability"]))
    for name in ("matrix", "second_moments"):
        entry = str(2 * Fraction(tree["claim"][name][0][0]))
        tree["claim"][name] = [[entry, "0"], ["0", "0"]]
    assert condition(tree) == "stationary"


@pytest.mark.parametrize(
    ("rows", "definite", "semidefinite"),
    [
        ([[1]], True, True),
        ([[0]], False, True),
        ([[-1]], False, False),
        ([[1, 2], [2, 1]], False, False),  # eigenvalues 3 and -1
        ([[1, 1], [1, 1]], False, True),
        ([[2, 1], [1, 2]], True, True),
        ([[0, 0], [0, 1]], False, True),
        ([[0, 1], [1, 5]], False, False),  # nothing may stand beside a pivot 0
        ([[0, 0], [0, -1]], False, False),
        ([[1, 1, 0], [1, 1, 1], [0, 1, 5]], False, False),
        ([[4, 2, 1], [2, 2, 1], [1, 1, 1]], True, True),
        ([[1, 0, 2], [0, 1, 0], [2, 0, 1]], False, False),  # seen in the third row only
        ([[1, 0, 0], [0, 1, 2], [0, 2, 1]], False, False),
        ([[1, 0, 1], [0, 1, 1], [1, 1, 2]], False, True),
    ],
)
def test_signs_of_symmetric_matrices(
    rows: list[list[int]], definite: bool, semidefinite: bool
) -> None:
    matrix = [[Fraction(entry) for entry in row] for row in rows]
    for strict, expected in ((True, definite), (False, semidefinite)):
        if expected:
            require_pivots("definite", matrix, strict, Trial(10**6))
        else:
            with pytest.raises(Refusal) as refused:
                require_pivots("definite", matrix, strict, Trial(10**6))
            assert refused.value.condition == "definite"
