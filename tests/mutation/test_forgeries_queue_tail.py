"""Forged tails: drifts that fail, ratios and thresholds too good, probabilities too low."""

from fractions import Fraction
from typing import Any

import pytest

from certify.kinds import make_file
from certify.shipped import find
from certify.softmax import ShortestQueue
from certify.softmax.tail import QueueTail
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.kinds import queue_tail
from proofs_checks.checker.verdict import Outcome
from tests.mutation.engine import Tree, to_bytes
from tests.mutation.truth.queue_tail import truth

TWO = QueueTail(ShortestQueue.weighted(2, [2, 1], [1, 2]), 0, [100])
WARM = QueueTail(ShortestQueue.weighted(2, [2, 1], [1, 2]), 1, [100])


def tree_of(tail: QueueTail) -> Tree:
    made = tail.certificate()
    return {"format": "certify/1", "kind": made.kind, "claim": made.claim, "witness": made.witness}


@pytest.mark.parametrize("name", ["wsq-two", "wsq-hot", "wsq-three", "jsq"])
def test_the_shipped_tails_are_true(name: str) -> None:
    made = make_file(find(f"queue-tail-{name}"))
    assert truth(made.claim) is True
    report = check_bytes(made.to_bytes())
    assert report.outcome is Outcome.VERIFIED, report.line()
    assert set(report.tested) == set(queue_tail.CONDITIONS)


SYSTEM = TWO.certificate().claim["system"]
TAIL = {"jobs": 100, "probability": "1/2"}


@pytest.mark.parametrize(
    ("claim", "witness", "condition"),
    [
        ({"system": SYSTEM | {"arrival_rate": "3"}}, {"shares": ["2", "1"]}, "hypothesis"),
        ({"system": SYSTEM | {"temperature": "-1"}}, {}, "hypothesis"),
        ({"system": SYSTEM | {"service_rates": ["-2", "5"]}}, {}, "hypothesis"),
        ({"split": "1"}, {}, "hypothesis"),
        ({"split": "0"}, {}, "hypothesis"),
        ({"eps": "0"}, {}, "hypothesis"),
        ({"system": SYSTEM | {"offsets": ["1"]}}, {}, "shape"),
        ({"eps": "101/75"}, {}, "slack"),
        ({"R": "59/10"}, {}, "constant"),
        ({"threshold": "99/10"}, {}, "threshold"),
        ({"ratio": "11/12"}, {}, "ratio"),
        ({"ratio": "1"}, {}, "ratio"),
        # even one pooled server has 100 jobs more often
        ({"tails": [{"jobs": 100, "probability": "1/1000000000000000000"}]}, {}, "probability"),
        ({"tails": [{"jobs": 100, "probability": "-1"}]}, {}, "probability"),
    ],
)
def test_a_false_claim(claim: dict[str, Any], witness: dict[str, Any], condition: str) -> None:
    tree = tree_of(TWO)
    tree["claim"] |= claim
    tree["witness"] |= witness
    assert truth(tree["claim"]) is False
    report = check_bytes(to_bytes(tree))
    assert report.refusal is not None, report.line()
    assert report.refusal.condition == condition


@pytest.mark.parametrize(
    ("witness", "condition"),
    [
        ({"excess": "278/1000"}, "excess"),  # k exp(1 + k) < 1
        ({"excess": "-1"}, "excess"),
        ({"excess": "3"}, "excess"),  # more than N is never of use
        ({"shares": ["4/3", "1/3"]}, "shares"),
        ({"shares": ["8/3", "-2/3"]}, "shares"),
        ({"shares": ["2/3", "4/3"]}, "slack"),
        ({"shares": ["4/3", "2/3", "0"]}, "shape"),
        ({"excess": "1/3"}, "constant"),
        ({"steps": [24]}, "steps"),
        ({"steps": [22]}, "probability"),
        ({"steps": []}, "shape"),
        ({"steps": [23, 23]}, "shape"),
    ],
)
def test_a_bad_witness(witness: dict[str, Any], condition: str) -> None:
    tree = tree_of(WARM)
    assert tree["witness"]["steps"] == [23]
    witness = {k: str(Fraction(v)) if k == "excess" else v for k, v in witness.items()}
    tree["witness"] |= witness
    report = check_bytes(to_bytes(tree))
    assert report.refusal is not None, report.line()
    assert report.refusal.condition == condition
