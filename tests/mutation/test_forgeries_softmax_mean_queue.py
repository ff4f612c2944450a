"""Forgeries of bounds on the mean queue: the engine on cells too, and an attacker's own."""

import json
from fractions import Fraction
from itertools import islice
from pathlib import Path

import pytest

from tests.drift_helpers import changed, condition
from tests.mutation.engine import Tally, Tree, judge, several, single
from tests.mutation.truth.softmax_mean_queue import stationary_mean, truth

FOLDER = Path(__file__).parents[2] / "certificates"


def shipped(name: str) -> Tree:
    tree: Tree = json.loads((FOLDER / f"softmax-mean-queue-{name}.json").read_bytes())
    return tree


def test_changes_of_a_certificate_with_cells() -> None:
    tree, tally = shipped("wsq-two"), Tally()
    judge(islice(single(tree), 0, None, 9), truth, tally)
    judge(several(tree, 40, seed=5), truth, tally)
    assert not tally.false_accepted
    assert tally.false_refused > 10
    assert tally.true_accepted > 0


@pytest.mark.parametrize("name", ["two-symmetric", "two-asymmetric", "wsq-two", "wsq-two-plain"])
def test_a_bound_below_the_mean_itself(name: str) -> None:
    """Whatever multipliers, cells and tables stand beside it."""
    tree = shipped(name)
    mean = stationary_mean(json.dumps(tree["claim"]["system"], sort_keys=True))
    low = str(Fraction(round(980 * mean), 1000))
    forged = changed(tree, claim__mean_queue_bound=low)
    assert truth(forged["claim"]) is False
    assert condition(forged) in ("cell", "far")
    assert condition(changed(forged, witness__eps="1/100")) != ""


def test_levels_that_hide_the_worst_states() -> None:
    """Without the cells around the worst state a smaller bound would pass: `lowest` or `far`."""
    tree = shipped("wsq-two")
    low = changed(tree, claim__mean_queue_bound="2")
    assert truth(low["claim"]) is False
    high = tree["witness"]["levels"]["high"]
    above = {"low": high, "high": str(Fraction(high) + 1), "cells": [{"multiplier": "0"}]}
    assert condition(changed(low, witness__levels=above)) == "lowest"
    below = {"low": "-2", "high": "-1", "cells": [{"multiplier": "1000"}]}
    assert condition(changed(low, witness__levels=below)) != ""


def test_a_table_that_pays_above_the_highest_level() -> None:
    """A huge service credit listed beyond the levels is not the function of Lemma 3."""
    tree = shipped("wsq-two")
    rows = tree["witness"]["increments"]
    longer = [[*rows[0], *["1000"] * 40], rows[1]]
    forged = changed(tree, claim__mean_queue_bound="2", witness__increments=longer)
    assert truth(forged["claim"]) is False
    assert condition(forged) in ("cell", "table")


def test_cells_of_another_tree() -> None:
    """Leaves of an easy half in place of those of the hard one."""
    tree = shipped("wsq-two")
    nodes = tree["witness"]["levels"]["cells"]
    forged = changed(tree, witness__levels__cells=nodes[::-1])
    assert condition(forged) in ("cover", "cell")
    doubled = [{"level": "1/2"}, *nodes, *nodes]
    assert condition(changed(tree, witness__levels__cells=doubled)) in ("cover", "cell")
