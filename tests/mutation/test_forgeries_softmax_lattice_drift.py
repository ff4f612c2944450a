"""Forgeries of lattice constants: each condition, periods that are none, the real supremum."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from proofs_checks.checker.kinds.softmax_lattice_drift import CONDITIONS
from proofs_checks.checker.verdict import Outcome
from tests.drift_helpers import changed, condition, verdict
from tests.mutation.engine import Tree
from tests.mutation.truth.softmax_lattice_drift import truth

FOLDER = Path(__file__).parents[2] / "certificates"


def shipped(name: str) -> Tree:
    tree: Tree = json.loads((FOLDER / f"softmax-lattice-drift-{name}.json").read_bytes())
    return tree


TWO, QUEUE, THREE = shipped("two-symmetric"), shipped("wsq-two"), shipped("three")
UAS = shipped("uas-special-case")
CELLS = QUEUE["witness"]["levels"]["cells"]


def scaled(text: str, factor: str) -> str:
    return str(Fraction(text) * Fraction(factor))


def lower(tree: Tree, factor: str = "9999/10000") -> dict[str, Any]:
    return {"claim__R": scaled(tree["claim"]["R"], factor)}


FORGERIES: list[tuple[str, Tree, dict[str, Any], str]] = [
    ("no service", QUEUE, {"claim__system__service_rates": ["0", "2"]}, "hypothesis"),
    ("eps zero", QUEUE, {"claim__eps": "0"}, "hypothesis"),
    ("a share short", QUEUE, {"witness__shares": ["2"]}, "shape"),
    ("half a job", QUEUE, {"claim__attained__state": ["1/2", "1"]}, "shape"),
    ("more shares", QUEUE, {"witness__shares": ["2", "2"]}, "shares"),
    ("a larger eps", QUEUE, {"claim__eps": "41/30"}, "slack"),
    ("no chance", THREE, {"witness__point": ["0", "1", "1"]}, "point"),
    ("states left out below", THREE, {"witness__levels__low": "9/10"}, "lowest"),
    ("a period below the energies", QUEUE, {"witness__levels__low": "1/2"}, "lowest"),
    ("half a period", QUEUE, {"witness__period": ["1", "1/2"]}, "period"),
    ("no period at all", QUEUE, {"witness__period": ["0", "0"]}, "period"),
    ("another period", QUEUE, {"witness__period": ["1", "1"]}, "period"),
    ("a period that is too long", QUEUE, {"witness__period": ["4", "2"]}, "period"),
    ("a part of the period", QUEUE, {"witness__levels__high": "9/4"}, "period"),
    ("a cell missing", QUEUE, {"witness__levels__cells": CELLS[:-1]}, "cover"),
    ("a smaller constant", QUEUE, lower(QUEUE), "cell"),
    ("a smaller constant below eps*", THREE, lower(THREE), "cell"),
    (
        "a plane elsewhere",
        THREE,
        {"witness__point": ["1/1000000000", "1/1000000000", "1/1000000000"]},
        "far",
    ),
    ("a smaller bound", QUEUE, {"claim__mean_queue_bound": "49/10"}, "mean-queue"),
    (
        "a larger value",
        QUEUE,
        {"claim__attained__value": scaled(QUEUE["claim"]["attained"]["value"], "10001/10000")},
        "attained",
    ),
]


@pytest.mark.parametrize(
    ("tree", "values", "expected"),
    [case[1:] for case in FORGERIES],
    ids=[case[0] for case in FORGERIES],
)
def test_one_condition_refuses(tree: Tree, values: dict[str, Any], expected: str) -> None:
    assert condition(changed(tree, **values)) == expected


def test_every_condition_has_its_forgery() -> None:
    assert {case[3] for case in FORGERIES} == set(CONDITIONS)
    assert set(verdict(QUEUE).tested) | set(verdict(THREE).tested) == set(CONDITIONS)


@pytest.mark.parametrize("name", ["two-symmetric", "wsq-two", "wsq-three", "three"])
def test_a_constant_below_the_attained_value(name: str) -> None:
    """Whatever the cells are, no constant below what a state attains passes."""
    tree = shipped(name)
    low = scaled(tree["claim"]["attained"]["value"], "999/1000")
    forged = changed(tree, claim__R=low, claim__mean_queue_bound="100")
    assert truth(forged["claim"]) is False
    assert condition(forged) == "cell"


@pytest.mark.parametrize("beta", ["3/4", "1/2", "99999/100000"])
def test_a_period_of_another_system(beta: str) -> None:
    """5, 7, ..., 23 is the period for beta = 1 only; eps is small enough for every beta here."""
    tree = changed(UAS, claim__system__beta=beta, claim__eps="1/100")
    assert condition(tree) in ("period", "slack")


def test_equal_servers_have_the_period_one() -> None:
    """Whatever beta is; with unequal servers it is none."""
    assert condition(changed(TWO, claim__system__beta="1/3")) == ""
    unequal = changed(TWO, claim__system__service_rates=["1", "11/10"], claim__eps="1/10")
    assert condition(unequal) in ("period", "slack")


@pytest.mark.parametrize(
    "values",
    [
        {"claim__attained": None},
        {"claim__sharp_R": "7"},
        {"witness__point": ["1/2", "1/2"]},
        {"witness__period": None},
        {"witness__period": []},
        {"witness__levels__cells": []},
        {"witness": {}},
    ],
)
def test_broken_form_is_malformed(values: dict[str, Any]) -> None:
    assert verdict(changed(QUEUE, **values)).outcome is Outcome.MALFORMED


HOSTILE = 20_000 * "7"


@pytest.mark.parametrize(
    "values",
    [
        {"witness__period": [HOSTILE, HOSTILE]},
        {"claim__eps": "1/" + HOSTILE},
        {"witness__levels__high": HOSTILE},
        {"claim__attained__state": [HOSTILE, "1"]},
        {"claim__system__weights": ["1/" + HOSTILE, HOSTILE]},
    ],
    ids=lambda values: next(iter(values)),
)
def test_hostile_numbers_get_a_verdict(values: dict[str, Any]) -> None:
    assert verdict(changed(QUEUE, **values)).outcome is not Outcome.VERIFIED
