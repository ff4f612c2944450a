"""Kind `softmax-mean-queue`: every condition has a forgery that it alone catches."""

import json
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from proofs_checks.checker.kinds.softmax_mean_queue import CONDITIONS
from proofs_checks.checker.verdict import Outcome
from tests.drift_helpers import changed, condition, verdict
from tests.mutation.engine import Tree

FOLDER = Path(__file__).parents[2] / "certificates"


def shipped(name: str) -> Tree:
    tree: Tree = json.loads((FOLDER / f"softmax-mean-queue-{name}.json").read_bytes())
    return tree


TWO = shipped("two-asymmetric")
QUEUE = shipped("wsq-two")
PLAIN = shipped("wsq-two-plain")
CELLS = QUEUE["witness"]["levels"]["cells"]
LEAF = next(i for i, node in enumerate(CELLS) if "multiplier" in node)
CUT = next(i for i, node in enumerate(CELLS) if "level" in node)


def scaled(text: str, factor: str) -> str:
    return str(Fraction(text) * Fraction(factor))


def cells(nodes: list[Any]) -> dict[str, Any]:
    return {"witness__levels__cells": nodes}


def replaced(index: int, node: Any) -> dict[str, Any]:
    return cells([*CELLS[:index], node, *CELLS[index + 1 :]])


LOWER = {"claim__mean_queue_bound": scaled(QUEUE["claim"]["mean_queue_bound"], "999/1000")}
FORGERIES = [
    ("no service", TWO, {"claim__system__service_rates__0": "0"}, "hypothesis"),
    ("overload", TWO, {"claim__system__arrival_rate": "3"}, "hypothesis"),
    ("eps zero", QUEUE, {"witness__eps": "0"}, "hypothesis"),
    ("eps negative", QUEUE, {"witness__eps": "-1"}, "hypothesis"),
    ("a table short", QUEUE, {"witness__increments": [[]]}, "shape"),
    ("a linear term long", QUEUE, {"witness__linear": ["0", "0", "0"]}, "shape"),
    ("a share short", QUEUE, {"witness__shares": ["2"]}, "shape"),
    ("more shares", QUEUE, {"witness__shares": ["4/3", "4/3"]}, "shares"),
    ("a negative share", QUEUE, {"witness__shares": ["-1/10", "21/10"]}, "shares"),
    ("eps too large", QUEUE, {"witness__eps": "5/3"}, "slack"),
    ("no chance", QUEUE, {"witness__point__0": "0"}, "point"),
    ("states left out below", QUEUE, {"witness__levels__low": "1"}, "lowest"),
    ("upside down", QUEUE, {"witness__levels__high": "-1"}, "cover"),
    ("a cell missing", QUEUE, cells(CELLS[:-1]), "cover"),
    ("a cell too many", QUEUE, cells([*CELLS, {"multiplier": "1"}]), "cover"),
    (
        "a cut outside",
        QUEUE,
        replaced(CUT, {"level": QUEUE["witness"]["levels"]["low"]}),
        "cover",
    ),
    ("no such server", QUEUE, cells([{"queue": 1, "server": 2}, *CELLS, *CELLS]), "cover"),
    ("one large cell", QUEUE, cells([{"multiplier": "0"}]), "cell"),
    ("another multiplier", QUEUE, replaced(LEAF, {"multiplier": "0"}), "cell"),
    ("a smaller bound", QUEUE, LOWER, "cell"),
    (
        "increments up to the highest level",
        PLAIN,
        {"witness__increments": [["1", "3"], []]},
        "table",
    ),
    (
        "the highest level too low",
        QUEUE,
        {"witness__levels__high": "1", **cells([{"multiplier": "0"}])},
        "",
    ),
    (
        "a smaller bound by the plane",
        PLAIN,
        {"claim__mean_queue_bound": scaled(PLAIN["claim"]["mean_queue_bound"], "999/1000")},
        "far",
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("tree", "values", "expected"),
    [case[1:] for case in FORGERIES],
    ids=[case[0] for case in FORGERIES],
)
def test_one_condition_refuses(tree: Tree, values: dict[str, Any], expected: str) -> None:
    values = {
        name: str(Fraction(value)) if isinstance(value, str) else value
        for name, value in values.items()
    }
    found = condition(changed(tree, **values))
    assert found == expected if expected else found != ""


def test_every_condition_has_its_forgery() -> None:
    assert {case[3] for case in FORGERIES} - {""} == set(CONDITIONS)


def test_every_condition_is_tested_on_the_way() -> None:
    assert set(verdict(QUEUE).tested) == set(CONDITIONS)


def test_cuts_by_queue_prove_the_same() -> None:
    """Every leaf of both halves of a cell holds where the cell holds."""
    tree = changed(QUEUE, **cells([{"queue": 1, "server": 0}, *CELLS, *CELLS]))
    assert condition(tree) == ""
    leaf = {"multiplier": CELLS[LEAF]["multiplier"]}
    split = [*CELLS[:LEAF], {"queue": 0, "server": 1}, leaf, leaf, *CELLS[LEAF + 1 :]]
    assert condition(changed(QUEUE, **cells(split))) == ""


def test_an_empty_half_holds_whatever_its_multiplier_is() -> None:
    """No state has fewer than no jobs beyond what the level asks for: that half is empty."""
    last = max(i for i, node in enumerate(CELLS) if "multiplier" in node)
    leaf, empty = CELLS[last], {"multiplier": "1000000"}
    split = [*CELLS[:last], {"queue": 0, "server": 0}, empty, leaf, *CELLS[last + 1 :]]
    assert condition(changed(QUEUE, **cells(split))) == ""


@pytest.mark.parametrize(
    "values",
    [
        {"claim__mean_queue_bound": None},
        {"claim__extra": "1"},
        {"witness__point": None},
        {"witness__increments": []},
        {"witness__levels__cells": []},
        {"witness__levels__cells": [{}]},
        {"witness__levels__cells": [{"multiplier": "1", "level": "2"}]},
        {"witness__levels__cells": [{"server": 0}]},
        {"witness__levels__cells": [{"server": "0", "queue": 1}]},
        {"witness__levels": {"low": "0", "high": "1"}},
        {"witness": {}},
    ],
)
def test_broken_form_is_malformed(values: dict[str, Any]) -> None:
    assert verdict(changed(QUEUE, **values)).outcome is Outcome.MALFORMED


HOSTILE = 20_000 * "7"


@pytest.mark.parametrize(
    "values",
    [
        {"claim__mean_queue_bound": HOSTILE},
        {"witness__eps": "1/" + HOSTILE},
        {"witness__linear__0": HOSTILE},
        {"witness__increments": [[HOSTILE], []]},
        {"witness__levels__low": f"-{HOSTILE}"},
        {"witness__levels__high": HOSTILE},
        replaced(LEAF, {"multiplier": HOSTILE}),
        {"witness__levels__cells": [{"queue": 999_999_999, "server": 0}, *CELLS, *CELLS]},
        {"witness__increments": [["1"] * 3_000, ["1"] * 3_000]},
        {"witness__precision": 8_000},
    ],
    ids=lambda values: next(iter(values)),
)
def test_hostile_numbers_get_a_verdict_soon(values: dict[str, Any]) -> None:
    start = time.process_time()
    verdict(changed(QUEUE, **values))
    assert time.process_time() - start < 30
