"""What an attacker would try against fluid-enclosure: true-looking claims, lying witnesses."""

import copy
import json
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from certify.fluid import Mixture, Uniform
from certify.fluid.continuous import FAMILIES
from certify.fluid.enclosure import enclose
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome
from tests.mutation.engine import Tree, to_bytes
from tests.mutation.truth.fluid_enclosure import truth

F = Fraction
DIGITS = 6


@cache
def made(family: str, parameters: str, load: str, imbalance: str = "0") -> bytes:
    law = FAMILIES[family](**json.loads(parameters))
    return enclose(law, load, [imbalance], DIGITS).certificate().to_bytes()


def tree(family: str = "exponential", load: str = "3/4", imbalance: str = "0") -> Tree:
    parameters = {"pareto": '{"shape": "3/2"}', "uniform": '{"lowest": "0"}'}.get(family, "{}")
    found: Tree = json.loads(made(family, parameters, load, imbalance))
    return found


def refused(forged: Tree) -> str:
    """The condition that rejects a false claim."""
    assert truth(copy.deepcopy(forged["claim"])) is False, "the forgery is true"
    report = check_bytes(to_bytes(forged))
    assert report.outcome is Outcome.REJECTED, report.line()
    assert report.refusal is not None
    return report.refusal.condition


def without_zero(witness: Tree) -> Tree:
    """A witness with small first knots that every family accepts."""
    small = [f"1/{2**power}" for power in range(30, 3, -1)]
    terms = [60] * len(small) + witness["terms"][1:]
    return witness | {"knots": [*small, *witness["knots"][1:]], "terms": terms}


@pytest.mark.parametrize(
    "law",
    [
        {"family": "weibull", "shape": "101/100"},
        {"family": "gamma", "shape": "100/101"},
        {"family": "hyperexponential", "weights": ["1/2", "1/2"], "means": ["9/10", "11/10"]},
    ],
)
def test_the_law_of_another_claim(law: dict[str, Any]) -> None:
    """Everything true of exponential sizes is said of a law near by."""
    forged = tree()
    forged["claim"]["law"] = law
    forged["witness"] = without_zero(forged["witness"])
    assert refused(forged) in ("exit-below", "exit-above")


@pytest.mark.parametrize("family", ["gamma", "weibull"])
def test_the_same_claim_of_the_same_law_by_another_name(family: str) -> None:
    """Gamma and Weibull of shape 1 are exponential: a true claim, verified on its merits."""
    forged = tree()
    forged["claim"]["law"] = {"family": family, "shape": "1"}
    forged["witness"] = without_zero(forged["witness"]) | {"precision": 160}
    assert truth(copy.deepcopy(forged["claim"])) is True
    report = check_bytes(to_bytes(forged))
    assert report.outcome is Outcome.VERIFIED, report.line()


def test_the_saving_of_another_load() -> None:
    forged = tree()
    forged["claim"]["saving"] = tree(load="4/5")["claim"]["saving"]
    assert refused(forged) == "saving"


def test_a_row_at_another_imbalance() -> None:
    """The value, cutoff and time of imbalance 1/2 claimed for 1/2 + 1e-5."""
    forged = tree(imbalance="1/2")
    forged["claim"]["values"][0]["imbalance"] = "50001/100000"
    assert refused(forged) == "cutoff-above"


def test_a_cutoff_interval_that_hides_a_wrong_value() -> None:
    """A cutoff so wide that it contains the truth does not make a wrong value true."""
    forged = tree(imbalance="1/2")
    row = forged["claim"]["values"][0]
    row["cutoff"] = {"lo": "1e-1", "hi": "2"}
    row["value"] = {"lo": "1e-9", "hi": "2e-9"}
    assert refused(forged) == "value"


def test_a_cutoff_beyond_the_exit() -> None:
    """Above the exit cutoff Z is not defined; nothing may be claimed of a cutoff there."""
    forged = tree(imbalance="1/2")
    forged["claim"]["values"][0]["cutoff"] = {"lo": "5", "hi": "6"}
    assert refused(forged) == "cutoff-below"


def test_the_axis_without_its_exit() -> None:
    """At imbalance 1 an early cutoff would starve the empty queue."""
    forged = tree(imbalance="1")
    forged["claim"]["values"][0]["cutoff"] = {"lo": "1", "hi": "15e-1"}
    assert refused(forged) == "cutoff-above"


def test_the_axis_is_free_only_at_small_loads() -> None:
    forged = tree(imbalance="1")
    forged["claim"]["values"][0]["value"] = {"lo": "0", "hi": "0"}
    assert refused(forged) == "value"
    light = tree(load="1/3", imbalance="1")
    assert light["claim"]["values"][0]["value"] == {"hi": "0", "lo": "0"}
    assert check_bytes(to_bytes(light)).outcome is Outcome.VERIFIED


def test_a_wide_exit_cutoff() -> None:
    """It is true; it costs the other intervals their width, or their verdict."""
    forged = tree()
    forged["claim"]["exit_cutoff"] = {"lo": "22e-1", "hi": "24e-1"}
    report = check_bytes(to_bytes(forged))
    assert report.outcome is Outcome.REJECTED
    assert report.refusal is not None
    assert report.refusal.condition == "saving"
    forged["claim"]["saving"] = {"lo": "38e-2", "hi": "4e-1"}
    forged["claim"]["values"][0]["value"] = {"lo": "8e-1", "hi": "1"}
    forged["claim"]["values"][0]["time"] = {"lo": "1e-1", "hi": "4"}
    assert truth(copy.deepcopy(forged["claim"])) is True
    report = check_bytes(to_bytes(forged))
    assert report.outcome is Outcome.VERIFIED, report.line()
    assert report.digits == 0


MIXED = Mixture([("1/4", "2", Uniform("1/2"))], [("1/5", "1/2"), ("8/5", "1/4")])


@cache
def mixed(load: str = "3/4") -> bytes:
    return enclose(MIXED, load, ["0", "1/2"], DIGITS, path=True).certificate().to_bytes()


def test_a_partition_that_steps_over_an_atom() -> None:
    """Between the pieces on its sides an atom is no knot: the formula of neither side holds."""
    forged = json.loads(mixed())
    knots = forged["witness"]["knots"]
    place = knots.index("1/5")
    for name in ("knots", "terms"):
        del forged["witness"][name][place]
    report = check_bytes(to_bytes(forged))
    assert report.outcome is Outcome.REJECTED
    assert report.refusal is not None
    assert report.refusal.condition == "undecided"


def test_an_atom_taken_for_a_density() -> None:
    """Everything true of the mixture is said of one whose atom is spread a little, or moved."""
    spread = Mixture(
        [("1/4", "2", Uniform("1/2")), ("1/2", "1/5", Uniform("9/10"))], [("8/5", "1/4")]
    )
    moved = Mixture([("1/4", "2", Uniform("1/2"))], [("19/100", "1/2"), ("81/50", "1/4")])
    for law, conditions in (
        (spread, ("undecided", "saving")),
        (moved, ("exit-below", "undecided")),
    ):
        forged = json.loads(mixed())
        forged["claim"]["law"] = law.to_claim()
        assert refused(forged) in conditions


def test_a_path_at_another_speed() -> None:
    """Work left and time fit together, as at a lower load, but not with the load of the claim."""
    forged, other = json.loads(mixed()), json.loads(mixed("7/10"))
    forged["claim"]["path"] = other["claim"]["path"]
    assert refused(forged) == "path-total"


def test_a_path_that_starts_elsewhere() -> None:
    """The first row is the start: without it the same path is said to start at 1/2."""
    certificate = enclose(MIXED, "3/4", ["0", "1/2", "3/4"], DIGITS, path=True).certificate()
    forged = json.loads(certificate.to_bytes())
    del forged["claim"]["values"][0]
    del forged["claim"]["path"][0]
    assert refused(forged) == "path-total"


def false_claims() -> list[tuple[str, Tree]]:
    """Savings that are wrong by one part in a hundred, for three laws."""
    result = []
    for family in ("exponential", "pareto", "uniform"):
        claim = tree(family)["claim"]
        low = int(F(claim["saving"]["lo"]) * 10**8)
        claim["saving"] = {"lo": f"{low * 101 // 100 | 1}e-8", "hi": f"{low * 102 // 100 | 1}e-8"}
        result.append((family, claim))
    return result


WITNESSES: list[dict[str, int]] = [
    {"precision": 64},
    {"precision": 400},
    {"terms": 2},
    {"terms": 4},
    {"terms": 100},
    {"knots": 2},
    {"knots": 3},
    {"precision": 32, "terms": 2, "knots": 2},
]
CAUGHT = ("saving", "undecided", "exit-below", "exit-above", "partition")


@pytest.mark.parametrize("changes", WITNESSES, ids=str)
def test_no_witness_makes_a_false_claim_true(changes: dict[str, int]) -> None:
    """Few knots, few terms, few bits widen the enclosures: too wide proves nothing."""
    for family, claim in false_claims():
        forged = tree(family)
        forged["claim"] = claim
        witness = forged["witness"]
        count = len(witness["terms"])
        if "knots" in changes:
            kept = [0, count] if changes["knots"] == 2 else [0, count // 2, count]
            witness["knots"] = [witness["knots"][i] for i in kept]
            witness["terms"] = witness["terms"][: len(kept) - 1]
        if "terms" in changes:
            witness["terms"] = [changes["terms"]] * len(witness["terms"])
        witness["precision"] = changes.get("precision", witness["precision"])
        report = check_bytes(to_bytes(forged))
        assert report.outcome is Outcome.REJECTED, report.line()
        assert report.refusal is not None
        assert report.refusal.condition in CAUGHT
