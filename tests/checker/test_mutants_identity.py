"""Kind `identity`: the limits from within, and the notation of every operation in every place."""

from typing import Any

import pytest

from proofs_checks.checker.kinds import expression
from proofs_checks.checker.kinds.expression import words
from proofs_checks.checker.verdict import Outcome
from tests.checker.test_identity import check, rule

NAMES = [f"v{index}" for index in range(40)]
LONG = "a" * 40


@pytest.mark.parametrize(
    "fields",
    [
        {"variables": NAMES, "left": "v39", "right": "v39"},
        {"definitions": [{"name": f"w{k}", "value": "x"} for k in range(40)]},
        {"derivations": [rule(f"d{k}", "x", "1") for k in range(200)]},
        {"left": ["sum", *["1"] * 4998], "right": "4998"},  # 5,000 parts on both sides together
        {"variables": [LONG], "left": LONG, "right": LONG},
        {"definitions": [{"name": LONG, "value": "x"}], "left": LONG},
    ],
    ids=lambda fields: str(fields)[:60],
)
def test_the_limits_themselves_are_allowed(fields: dict[str, Any]) -> None:
    report = check(**fields)
    assert report.outcome is Outcome.VERIFIED, report.line()


def test_one_part_more() -> None:
    report = check(left=["sum", *["1"] * 4999], right="4999")
    assert report.outcome is Outcome.DECLINED


def test_parts_are_counted_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    left = ["sum", "x", ["minus", ["power", "y", 2]], "1"]  # six parts: the exponent is none
    for most, outcome in ((12, Outcome.VERIFIED), (11, Outcome.DECLINED)):
        monkeypatch.setattr(expression, "PARTS", most)
        assert check(left=left, right=left).outcome is outcome


@pytest.mark.parametrize("name", ["a" * 41, "A", "a--b", "a-", "-a", "1a", "", 3, None, ["a"]])
def test_what_is_no_symbol(name: Any) -> None:
    assert check(definitions=[{"name": name, "value": "x"}]).outcome is Outcome.MALFORMED


MALFORMED: list[Any] = [
    *("u", "X", "1.5", ["sum", "x"], ["sum"], ["product", "x"], ["product"], ["minus", "x", "x"]),
    *(["power", "x"], ["power", "x", 2, 2], ["quotient", "x"], ["quotient", "x", "y", "z"]),
    *(["derive", "x"], ["minus"], ["root", "x"], ["power", "x", "2"], ["power", "x", -1]),
]


@pytest.mark.parametrize("left", MALFORMED, ids=str)
def test_what_is_no_expression(left: Any) -> None:
    assert check(left=left, right=left).outcome is Outcome.MALFORMED


PLACES = {  # the notation of e as a part of each operation, at which bond
    "x + {1}": lambda e: ["sum", "x", e],
    "{1} + x": lambda e: ["sum", e, "x"],
    "x - {1}": lambda e: ["sum", "x", ["minus", e]],
    "x*{2}": lambda e: ["product", "x", e],
    "{2}*x": lambda e: ["product", e, "x"],
    "-{2}": lambda e: ["minus", e],
    "{1}/x": lambda e: ["quotient", e, "x"],
    "x/{2}": lambda e: ["quotient", "x", e],
    "{3}^2": lambda e: ["power", e, 2],
    "d({0})": lambda e: ["derive", "d", e],
}
PARTS = [  # an expression, its notation, how tightly it holds together
    ("x", "x", 3),
    ("x-1", "x_1", 3),
    ("12", "12", 3),
    ("1/2", "1/2", 1),
    ("-1", "-1", 0),
    ("-1/2", "-1/2", 0),
    (["sum", "y", "z"], "y + z", 0),
    (["product", "y", "z"], "y*z", 1),
    (["quotient", "y", "z"], "y/z", 1),
    (["power", "y", 2], "y^2", 2),
    (["derive", "d", "y"], "d(y)", 3),
]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("tree", "text", "holds"), PARTS, ids=str)
def test_parentheses_stand_where_they_must(place: str, tree: Any, text: str, holds: int) -> None:
    bonds = [text if holds >= bond else f"({text})" for bond in range(4)]
    assert words(PLACES[place](tree)) == place.format(*bonds)


@pytest.mark.parametrize(
    ("fields", "outcome"),
    [
        ({"variables": [], "left": "1", "right": "1"}, Outcome.MALFORMED),
        ({"derivations": [rule(f"d{k}", "x", "1") for k in range(201)]}, Outcome.DECLINED),
        ({"definitions": [{"name": f"w{k}", "value": "x"} for k in range(41)]}, Outcome.DECLINED),
        ({"variables": [*NAMES, "w"], "left": "w", "right": "w"}, Outcome.DECLINED),
    ],
    ids=["no variable", "201 rules", "41 definitions", "41 variables"],
)
def test_lists_that_are_empty_or_too_long(fields: dict[str, Any], outcome: Outcome) -> None:
    assert check(**fields).outcome is outcome
