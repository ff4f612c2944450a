"""Comparisons for a finite law: the borders of what is a work median."""

from fractions import Fraction

import pytest

from certify.fluid import FiniteLaw, compare
from proofs_checks.checker.kinds.fluid_comparison import _agree
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Refusal, Trial
from tests.drift_helpers import changed, condition
from tests.mutation.engine import Tree

F = Fraction
HALVED = FiniteLaw(((F(2, 3), F(3, 4)), (F(2), F(1, 4))))  # either size has half of the work
UNEQUAL = FiniteLaw(((F(1, 2), F(1, 2)), (F(3, 2), F(1, 2))))


def tree_of(law: FiniteLaw, load: str, short: str, long: str) -> Tree:
    found = compare(law, load, short, long, bins=["1"]).certificate()
    return {
        "format": "certify/1",
        "kind": found.kind,
        "claim": found.claim,
        "witness": found.witness,
    }


@pytest.mark.parametrize("load", ["1/3", "3/4"])
def test_every_number_between_two_halves_of_the_work_is_a_median(load: str) -> None:
    """From one size to the other, both of them, the share of the larger jobs is the same."""
    tree = tree_of(HALVED, load, "1/3", "2")
    assert tree["claim"]["half_work_share"] == "1/4"
    for median in ("2/3", "7/10", "1", "19/10", "2"):
        assert condition(changed(tree, claim__work_median=median)) == ""
    for median in ("0", "1/2", "666/1000", "2001/1000", "3"):
        wrong = changed(tree, claim__work_median=str(F(median)))
        assert condition(wrong) == "work-median"


@pytest.mark.parametrize("load", ["1/3", "3/4"])
def test_the_only_median_is_the_size_that_passes_one_half(load: str) -> None:
    tree = tree_of(UNEQUAL, load, "1/3", "2")
    assert condition(changed(tree, claim__work_median="3/2")) == ""
    for median in ("1/2", "1", "1499/1000", "1501/1000", "2"):
        assert condition(changed(tree, claim__work_median=median)) == "work-median"


def test_a_claimed_interval_holds_the_enclosure_and_an_exact_number_is_the_one_found() -> None:
    trial = Trial(10**6)
    third = trial.real(F(1, 3), 64)
    ends = {"lo": "33333e-5", "hi": "33334e-5"}
    assert _agree("saving", Node(ends, "claim"), third, trial) == [(F("0.33333"), F("0.33334"))]
    assert _agree("saving", Node("1/3", "claim"), F(1, 3), trial) == []
    for low, high in (("33334e-5", "4e-1"), ("3e-1", "33333e-5")):
        with pytest.raises(Refusal, match="saving"):
            _agree("saving", Node({"lo": low, "hi": high}, "claim"), third, trial)
    with pytest.raises(Refusal, match="saving"):
        _agree("saving", Node("33333/100000", "claim"), F(1, 3), trial)
