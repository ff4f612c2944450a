"""Lists of exact numbers, and what a number is found by in a table."""

from fractions import Fraction

import pytest

from proofs_checks.checker.kinds.exact_lists import every, spelled
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Outcome, Refusal, Trial


def test_every_number_of_a_list_in_its_order() -> None:
    assert every(Node(["1", "-2/3", "7"], "x"), Trial(10**6)) == [1, Fraction(-2, 3), 7]
    assert every(Node([], "x"), Trial(10**6), empty=True) == []
    for value in ([], "1", {}):
        with pytest.raises(Refusal) as refusal:
            every(Node(value, "x"), Trial(10**6))
        assert refusal.value.outcome is Outcome.MALFORMED
    with pytest.raises(Refusal) as refusal:
        every(Node(["1", "2", "2/4", "x"], "list"), Trial(10**6))
    assert refusal.value.where == "list.2"


def test_unlike_numbers_are_spelled_differently() -> None:
    values = [Fraction(n, d) for n in (-11, -1, 0, 1, 10, 11, 10**5000) for d in (1, 7, 10**5000)]
    assert len({spelled(value) for value in values}) == len(set(values))
    assert spelled(Fraction(-26, 17)) == "-1a/11"
