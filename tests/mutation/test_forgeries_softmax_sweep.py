"""Forgeries of a sweep: one bad point among many good ones, points that change places."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from proofs_checks.checker.kinds.softmax_sweep import CONDITIONS
from proofs_checks.checker.verdict import Outcome
from tests.drift_helpers import changed, condition, verdict
from tests.mutation.engine import Tree
from tests.mutation.truth.softmax_sweep import truth

FOLDER = Path(__file__).parents[2] / "certificates"


def shipped(name: str) -> Tree:
    tree: Tree = json.loads((FOLDER / f"softmax-sweep-{name}.json").read_bytes())
    return tree


TWO, ALL = shipped("two"), shipped("reflected-uas")
FEWER_SHARES = {"witness__shares": TWO["witness"]["shares"][:1]}


def bent(values: list[str], place: int, factor: str) -> list[str]:
    return [
        str(Fraction(v) * (Fraction(factor) if i == place else 1)) for i, v in enumerate(values)
    ]


FORGERIES: list[tuple[str, dict[str, Any], str]] = [
    ("no service", {"claim__system__service_rates": ["0", "2"]}, "hypothesis"),
    ("a negative beta", {"claim__grid__beta": ["1/2", "-17/20"]}, "hypothesis"),
    ("a negative offset", {"claim__grid__offset": ["0", "-1/2"]}, "hypothesis"),
    ("eps zero", {"claim__eps": ["0", TWO["claim"]["eps"][1]]}, "hypothesis"),
    ("a point more than constants", {"claim__grid__gamma": ["1/2", "1"]}, "points"),
    ("a constant more than points", {"claim__R": [*TWO["claim"]["R"], "5"]}, "points"),
    ("one eps for all", {"claim__eps": TWO["claim"]["eps"][:1]}, "points"),
    ("one list of shares for all", FEWER_SHARES, "points"),
    ("a share short", {"witness__shares": [["1"], ["1"]]}, "shape"),
    ("more shares", {"witness__shares": [["1", "2"], ["1", "2"]]}, "shares"),
    ("a larger eps", {"claim__eps": bent(TWO["claim"]["eps"], 1, "1001/1000")}, "slack"),
    ("shares change places", {"witness__shares": TWO["witness"]["shares"][::-1]}, "slack"),
    ("a smaller k", {"witness__excess": "1/4"}, "excess"),
    ("a smaller constant", {"claim__R": bent(TWO["claim"]["R"], 3, "999/1000")}, "constant"),
    (
        "a smaller bound",
        {"claim__mean_queue_bound": bent(TWO["claim"]["mean_queue_bound"], 2, "999/1000")},
        "mean-queue",
    ),
]


@pytest.mark.parametrize(
    ("values", "expected"), [case[1:] for case in FORGERIES], ids=[case[0] for case in FORGERIES]
)
def test_one_condition_refuses(values: dict[str, Any], expected: str) -> None:
    assert condition(changed(TWO, **values)) == expected


def test_every_condition_has_its_forgery() -> None:
    assert {case[2] for case in FORGERIES} == set(CONDITIONS)
    assert set(verdict(TWO).tested) == set(CONDITIONS)


@pytest.mark.parametrize("place", [0, 150, 293])
def test_one_bad_point_of_294(place: int) -> None:
    """Whichever point has a constant that is too small, the whole claim is refused."""
    constants = bent(ALL["claim"]["R"], place, "99/100")
    assert condition(changed(ALL, claim__R=constants)) == "constant"


def test_a_false_point() -> None:
    """A constant below what one state attains: false, and refused."""
    low = changed(TWO, claim__R=bent(TWO["claim"]["R"], 1, "1/2"))
    low = changed(low, claim__mean_queue_bound=["100"] * 4)
    assert truth(low["claim"]) is False
    assert condition(low) == "constant"


def test_points_that_change_places() -> None:
    """The constants of another order of the lists are false for some point of these lists."""
    claim = ALL["claim"]
    turned = {f"claim__{name}": claim[name][::-1] for name in ("R", "mean_queue_bound")}
    assert condition(changed(ALL, **turned)) == "constant"
    swapped = changed(ALL, claim__grid__gamma=ALL["claim"]["grid"]["gamma"][::-1])
    assert condition(swapped) == "constant"


@pytest.mark.parametrize(
    "values",
    [
        {"claim__grid__beta": []},
        {"claim__grid": {"beta": ["1"]}},
        {"claim__system__beta": "1"},
        {"claim__system__weights": ["1", "1"]},
        {"witness__point": ["1/2", "1/2"]},
        {"witness": {}},
    ],
)
def test_broken_form_is_malformed(values: dict[str, Any]) -> None:
    assert verdict(changed(TWO, **values)).outcome is Outcome.MALFORMED
