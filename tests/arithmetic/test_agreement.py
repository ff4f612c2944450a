"""Both arithmetics give the same verdict at the same condition, on certificates and forgeries."""

import json
from fractions import Fraction
from itertools import islice
from types import SimpleNamespace

import pytest

from proofs_checks.checker.kernel import own
from proofs_checks.checker.kinds import KINDS
from tests.arithmetic.compare import Agreement, compare, encloses, no_excuse
from tests.mutation.engine import Forgery, several, single, truth_of
from tests.mutation.test_single import shipped

SMALL = 2  # certificates of each kind that are compared here, `compare` does them all
EVERY = 6  # which single changes of the smallest one
SLOW = {"fluid-enclosure": 80, "softmax-obstruction": 60, "rank-difference": 30}


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_verdict(kind: str) -> None:
    truth, found = truth_of(kind), Agreement()
    paths = shipped(kind)[:SMALL]
    trees = [Forgery(path.name, json.loads(path.read_bytes())) for path in paths]
    assert compare(trees, no_excuse, found).verified == len(paths)
    if encloses(paths[0]):
        tree, every = json.loads(paths[0].read_bytes()), SLOW.get(kind, EVERY)
        compare(islice(single(tree), 0, None, every), truth, found)
        compare(several(tree, 100 // every, seed=1), truth, found)
    assert not found.differences, "\n".join(found.differences)
    assert len(found.attained) <= 2, found.attained


def test_a_wrong_arithmetic_shows_with_both_traces(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(value: Fraction | int, bits: int) -> object:
        return own.enclose(value + Fraction(1, 10**12), bits)

    monkeypatch.setattr("tests.arithmetic.compare.arb", SimpleNamespace(enclose=wrong))
    tree = json.loads(shipped("softmax-equilibrium")[0].read_bytes())
    (trace,) = compare([Forgery("one", tree)], no_excuse, Agreement()).differences
    assert "VERIFIED  -  softmax-equilibrium" in trace
    assert "REJECTED  -  softmax-equilibrium" in trace
    assert "FAILED" in trace
