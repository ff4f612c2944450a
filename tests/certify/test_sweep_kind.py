"""The sweep against the drift of each point; bad input."""

import json
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from certify.errors import InputError
from certify.kinds import make, make_file
from certify.problem import Table
from certify.shipped import find
from certify.softmax import ReflectedUAS
from certify.softmax.drift import certify_drift
from certify.softmax.sweep import words
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "certificates" / "schema" / "softmax-sweep.json").read_text())
SYSTEM = {"arrival_rate": "1", "service_rates": ["1/2", 1, 3], "alpha": 5}
GRID = {"beta": ["1/2", 1, 3], "gamma": [0, 1], "offset": [0, "1/2"]}


def test_each_point_is_the_drift_of_its_system() -> None:
    """Where the shares leave a choice (beta = 3) one list serves all points: R may be larger."""
    made = make(Table({"kind": "softmax-sweep", "digits": 10, "system": SYSTEM, "grid": GRID}))
    Draft202012Validator(SCHEMA).validate(json.loads(made.to_bytes()))
    assert check_bytes(made.to_bytes()).outcome is Outcome.VERIFIED
    points = product(GRID["beta"], GRID["gamma"], GRID["offset"])
    for place, (beta, gamma, offset) in enumerate(points):
        system = ReflectedUAS(1, ["1/2", 1, 3], 5, beta, gamma, offset)
        alone = certify_drift(system, 10)
        eps, R = Fraction(made.claim["eps"][place // 4]), Fraction(made.claim["R"][place])
        assert abs(eps - alone.eps) <= alone.eps / 10**9
        assert alone.R * (1 - Fraction(1, 10**8)) <= R


def test_words() -> None:
    claim = make_file(find("softmax-sweep-two")).claim
    assert words(claim) == (
        "At each of 4 points of a grid of (beta, gamma, offset) the drift of the 2 queues is at "
        "most -eps |Q|_1 + R at every state, with eps >= 0.214094."
    )


@pytest.mark.parametrize(
    ("problem", "sentence"),
    [
        (
            {"system": SYSTEM, "grid": GRID | {"beta": [1, 0]}},
            "system.beta must be positive, but was 0.",
        ),
        (
            {"system": SYSTEM, "grid": GRID | {"gamma": [0, "1/2", "0.5"]}},
            "grid.gamma must hold every number once, but was 1/2.",
        ),
        (
            {"system": SYSTEM | {"beta": 1}, "grid": GRID},
            "system.beta must be a known key (here: alpha, arrival_rate, service_rates), "
            "but was unknown.",
        ),
        (
            {"system": SYSTEM, "grid": {"beta": list(range(1, 102)), "gamma": list(range(100)),
                                        "offset": [0]}},
            "grid must have at most 10000 points, but was 10100.",
        ),
        ({"system": SYSTEM}, "grid must be given, but was missing."),
    ],
)  # fmt: skip
def test_bad_input(problem: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        make(Table({"kind": "softmax-sweep"} | problem))
    assert str(caught.value) == sentence
