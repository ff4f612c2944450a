"""The costs of the policies with fixed shares, against their transport equations."""

from fractions import Fraction

import pytest

from certify.fluid import FiniteLaw, compare
from proofs_checks.checker.kinds.fluid_policies import (
    Facts,
    Start,
    balanced,
    most_work_left,
    size_interval,
)
from tests.drift_helpers import changed, condition
from tests.mutation.engine import Tree
from tests.mutation.truth import fluid_comparison as truth

F = Fraction
LOADS = [F(1, 5), F(1, 4), F(1, 3), F(2, 5), F(1, 2), F(3, 5), F(4, 5)]
STARTS = [
    (F(1), F(1)),
    (F(1), F(4)),
    (F(1, 9), F(3)),
    (F(1, 2), F(3, 4)),
    (F(1, 10), F(1, 5)),
]
ATOMS = ((F(1, 2), F(1, 2)), (F(3, 2), F(1, 2)))
SHARE = F(1, 3)  # of the jobs, with half of the work


@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize(("short", "long"), STARTS)
def test_the_costs_from_unequal_queues(load: Fraction, short: Fraction, long: Fraction) -> None:
    start, axis = Start(load, short, long), truth.exit_cost(ATOMS, load)
    x, delta = short + long, long - short
    facts = Facts(F(-7), axis, SHARE, F(-7))  # the optimum is not asked for
    assert balanced(start) == truth.balanced(load, x, delta)
    assert most_work_left(start, facts) == truth.most_work_left(ATOMS, load, x, delta)
    for rule in ("exactly-busy", "same-split"):
        right = truth.size_interval(load, x, delta, rule, SHARE, axis)
        assert size_interval(start, rule, facts) == right


@pytest.mark.parametrize("load", [F(3, 5), F(4, 5)])
def test_the_costs_from_an_empty_queue(load: Fraction) -> None:
    """The policies that keep it busy do what the optimal one does: one and the same number."""
    start, axis, best = Start(load, F(0), F(3)), truth.exit_cost(ATOMS, load), F(-7)
    facts = Facts(best, axis, SHARE, F(-7))
    assert balanced(start) == truth.balanced(load, F(3), F(3))
    assert most_work_left(start, facts) is best
    assert size_interval(start, "exactly-busy", facts) is best
    right = truth.size_interval(load, F(3), F(3), "same-split", SHARE, axis)
    assert size_interval(start, "same-split", facts) == right


@pytest.mark.parametrize("load", [F(1, 5), F(1, 3), F(2, 5)])
def test_the_tie_comes_just_when_all_work_is_done(load: Fraction) -> None:
    """At delta = kappa x both formulas of balanced routing agree."""
    x, kappa = F(3), load / (1 - load)
    short = x * (1 - kappa) / 2
    start = Start(load, short, x - short)
    assert start.difference == kappa * x
    assert balanced(start) == kappa * (1 - kappa) * x * x / 2


@pytest.mark.parametrize("load", ["1/5", "1/2", "4/5"])
@pytest.mark.parametrize("rule", ["exactly-busy", "same-split"])
def test_claims_from_a_workload_of_one(load: str, rule: str) -> None:
    for long in (1, 3):
        found = compare(FiniteLaw(ATOMS), load, 1, long, bins=["1"], axis_rule=rule).certificate()
        tree: Tree = {"format": "certify/1", "kind": found.kind}
        tree |= {"claim": found.claim, "witness": found.witness}
        assert condition(tree) == ""
        assert truth.truth(changed(tree)["claim"])
