"""The checker's kind fluid-wasserstein: every condition, each with a forgery only it catches."""

import copy
import json
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from certify.fluid import FiniteLaw, enclose_comparison
from certify.fluid.continuous import Exponential
from proofs_checks.checker.cli import Report, check_bytes
from proofs_checks.checker.kinds import fluid_wasserstein
from proofs_checks.checker.verdict import Outcome
from tests.checker.test_fluid_noise import moved, set_at
from tests.checker.test_fluid_value import LOWER, UPPER
from tests.mutation.engine import to_bytes
from tests.mutation.truth.fluid_wasserstein import truth

ROOT = Path(__file__).parents[2] / "certificates"
SCHEMA = json.loads((ROOT / "schema" / "fluid-wasserstein.json").read_bytes())
Tree = dict[str, Any]
F = Fraction
THREE = FiniteLaw((("1/4", "1/2"), (1, "1/4"), ("5/2", "1/4")))


def shipped(name: str = "false-lower-end") -> Tree:
    found: Tree = json.loads((ROOT / f"fluid-wasserstein-{name}.json").read_bytes())
    return found


@cache
def made() -> bytes:
    return enclose_comparison(Exponential(), THREE, "3/4", (0, 1), 6).certificate().to_bytes()


def exponential() -> Tree:
    found: Tree = json.loads(made())
    return found


def judged(tree: Tree) -> Report:
    return check_bytes(to_bytes(tree))


def condition(tree: Tree, fact: bool | None = False) -> str:
    assert truth(copy.deepcopy(tree["claim"])) is fact
    report = judged(tree)
    assert report.outcome is Outcome.REJECTED, report.line()
    assert report.refusal is not None
    return report.refusal.condition


def test_the_true_claims_are_verified() -> None:
    tested: set[str] = set()
    inside = enclose_comparison(Exponential(), THREE, "3/4", ("1/2",), 6).certificate()
    for tree in (shipped(), json.loads(inside.to_bytes())):
        report = judged(tree)
        assert report.outcome is Outcome.VERIFIED, report.line()
        assert truth(copy.deepcopy(tree["claim"])) is True
        jsonschema.validate(tree, SCHEMA)
        tested |= set(report.tested)
    assert tested == set(fluid_wasserstein.CONDITIONS), "every condition was tested"


def test_the_false_lower_end_by_hand() -> None:
    """Sizes 2/5 and 8/5: 9/8 from a tie, against 33/28; mass 1/2 moves by 1/10 twice."""
    claim = shipped()["claim"]
    assert (claim["distance"], claim["rows"][0]["difference"]) == ("1/10", "-3/56")
    assert F(9, 8) - F(33, 28) == F(-3, 56)
    assert F(claim["bound"]) == F(3, 4) ** 2 * 4 / 10


@pytest.mark.parametrize(
    ("path", "code"),
    [
        (("load", "1"), "hypothesis"),
        (("first", "atoms", 0, 0, "1/5"), "hypothesis"),
        (("second", "atoms", 0, 1, "1/3"), "hypothesis"),
        (("distance", "1/5"), "distance"),
        (("distance", "1/20"), "distance"),
        (("deviation_distance", "1/20"), "deviation-distance"),
        (("deviation_distance", "1/5"), "deviation-distance"),
        (("bound", "3/56"), "bound"),
        (("bound", "9/20"), "bound"),
        (("rows", 0, "imbalance", "-1"), "imbalance"),
        (("rows", 0, "imbalance", "1"), "first"),
        (("rows", 0, "first", "33/28"), "first"),
        (("rows", 0, "second", "9/8"), "second"),
        (("rows", 0, "difference", "3/56"), "difference"),
        (("rows", 0, "difference", "0"), "difference"),
    ],
)
def test_each_number_is_decided(path: tuple[Any, ...], code: str) -> None:
    tree = shipped()
    set_at(*path)(tree)
    assert condition(tree) == code


@pytest.mark.parametrize(
    ("sectors", "code"),
    [
        ([UPPER], "tiling"),
        ([LOWER | {"to": "1"}], "split"),
        ([{"from": "0", "to": "1", "value": ["3/2", "0", "-1/2"]}], "hamilton-jacobi"),
        (
            [
                {"from": "0", "to": "3/8", "value": ["1", "-1/3", "-5/9"]},
                {"from": "3/8", "to": "1", "value": ["21/20", "-3/5", "-1/5"]},
            ],
            "exit",
        ),
    ],
)
def test_a_witness_that_proves_something_else(sectors: Any, code: str) -> None:
    tree = shipped()
    tree["witness"]["second"] = sectors
    assert condition(tree, fact=True) == code


@pytest.mark.parametrize("z", ["-1/100", "101/100"])
def test_no_imbalance_outside(z: str) -> None:
    """Not even with the numbers that the forms of the outermost sectors have there."""
    tree, at = shipped(), F(z)
    row = {"imbalance": z}
    for name in ("first", "second"):
        sectors = tree["witness"][name]
        a, b, c = map(F, sectors[0 if at < 0 else -1]["value"])
        row[name] = str(a + b * at + c * at * at)
    row["difference"] = str(F(row["first"]) - F(row["second"]))
    tree["claim"]["rows"] = [row]
    assert condition(tree) == "imbalance"


def test_the_line_that_is_shown() -> None:
    assert judged(shipped()).text == (
        "laws 1/10 apart, least costs at total work 1 at most 9/40 apart, "
        "exactly -3/56 at imbalance 0"
    )
    report = judged(exponential())
    assert report.text == (
        "laws 3.21236...e-1 apart, least costs at total work 1 at most 7.227812e-1 apart, "
        "imbalances 2"
    )
    assert report.digits == 6


def test_witnesses_exchanged() -> None:
    tree = shipped()
    tree["witness"] = {"first": tree["witness"]["second"], "second": tree["witness"]["first"]}
    assert judged(tree).outcome is Outcome.REJECTED


@pytest.mark.parametrize("step", [(1, 2), (-2, -1)])
@pytest.mark.parametrize(
    ("path", "code"),
    [
        (("distance",), "distance"),
        (("deviation_distance",), "deviation-distance"),
        (("bound",), "bound"),
        (("rows", 0, "first"), "first"),
        (("rows", 1, "difference"), "difference"),
    ],
)
def test_each_interval_that_misses_is_caught(
    path: tuple[Any, ...], code: str, step: tuple[int, int]
) -> None:
    tree = exponential()
    node = tree["claim"]
    for part in path[:-1]:
        node = node[part]
    ends = node[path[-1]]
    negative = ends["lo"].startswith("-")
    node[path[-1]] = moved(ends, *(step if not negative else (step[1], step[0])))
    assert condition(tree) == code


def test_an_exact_value_next_to_an_enclosed_one() -> None:
    tree = exponential()
    row = tree["claim"]["rows"][0]
    row["second"] = str(F(row["second"]) + F(1, 10**30))
    assert condition(tree) == "second"


@pytest.mark.parametrize("points", [[], ["1/2"], ["1/2", "3/2", "2"], ["1/8", "3/2"], ["1/2", "3"]])
def test_turning_points_lie_between_the_sizes(points: list[str]) -> None:
    tree = exponential()
    tree["witness"]["turning"] = points
    assert condition(tree, fact=True) == "turning"


@pytest.mark.parametrize("points", [["1/4", "1"], ["1", "5/2"], ["3/5", "2"]])
def test_bad_turning_points_prove_less(points: list[str]) -> None:
    """They leave the distance open, so that the true claim does not pass, but a wide one does."""
    tree = exponential()
    tree["witness"]["turning"] = points
    assert condition(tree, fact=True) in ("distance", "bound", "deviation-distance")
    tree["claim"]["distance"] = {"lo": "1e-2", "hi": "4"}
    tree["claim"]["bound"] = {"lo": "1e-2", "hi": "9"}
    tree["claim"]["deviation_distance"] = {"lo": "1e-3", "hi": "4"}
    assert truth(copy.deepcopy(tree["claim"])) is True
    assert judged(tree).outcome is Outcome.VERIFIED, "wide claims still follow"


def test_the_inner_claim_must_be_that_of_the_first_law() -> None:
    tree = exponential()
    tree["claim"]["first"] = {"family": "uniform", "lowest": "0"}
    assert judged(tree).outcome is Outcome.REJECTED
    tree = exponential()
    tree["claim"]["rows"].reverse()
    assert condition(tree, fact=True) == "imbalance"


@pytest.mark.parametrize(
    "change",
    [
        lambda tree: tree["claim"].pop("bound"),
        lambda tree: tree["claim"].update(rows=[]),
        lambda tree: tree["witness"].pop("second"),
        lambda tree: tree["claim"].update(second={"family": "exponential"}),
        lambda tree: tree["claim"].update(first={"family": "exponential"}),
        lambda tree: tree["claim"]["rows"][0].pop("difference"),
    ],
)
def test_malformed(change: Callable[[Tree], Any]) -> None:
    tree = shipped()
    change(tree)
    assert judged(tree).outcome is Outcome.MALFORMED


def test_a_family_that_is_not_one() -> None:
    for family in ("mixture", 7, None):
        tree = exponential()
        tree["claim"]["first"] = {"family": family} if family is not None else {}
        assert judged(tree).outcome is Outcome.MALFORMED
