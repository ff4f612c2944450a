"""Forged identities: false ones, others under known names, and statements made to mislead."""

import copy
import json
from typing import Any

import pytest

from certify.expressions import parse
from proofs_checks.checker.cli import Report, check_bytes
from proofs_checks.checker.kinds.identity import statements
from proofs_checks.checker.verdict import Outcome
from tests.mutation.engine import Tally, judge, several, single
from tests.mutation.truth.identity import truth

VARIED = ["rank-gaps.cut", "softmax-potential.variance", "fluid-sector.all-short"]


def certificate(name: str, claim: dict[str, Any]) -> dict[str, Any]:
    return {
        "format": "certify/1",
        "kind": "identity",
        "claim": {**copy.deepcopy(claim), "name": name},
        "witness": {},
    }


def check(tree: dict[str, Any]) -> Report:
    return check_bytes((json.dumps(tree, indent=2, sort_keys=True) + "\n").encode())


def refused(name: str, claim: dict[str, Any], outcome: Outcome, condition: str) -> None:
    report = check(certificate(name, claim))
    assert report.refusal is not None, report.line()
    assert (report.outcome, report.refusal.condition) == (outcome, condition)


@pytest.mark.parametrize("name", VARIED)
def test_bent_statements_without_a_name_are_judged_as_sympy_judges_them(name: str) -> None:
    tree = certificate("unnamed", statements()[name])
    assert truth(tree["claim"]) is True
    tally = Tally()
    judge(single(tree), truth, tally)
    judge(several(tree, 60, seed=len(name)), truth, tally)
    assert not tally.false_accepted
    assert not tally.open_accepted
    assert tally.false_refused > 100
    assert tally.true_accepted > 5, "some changes leave a true statement, which is then accepted"


def test_the_printed_proposition_cannot_pass_as_the_exit_value() -> None:
    name = "fluid-value.exit"
    claim = copy.deepcopy(statements()[name])
    claim["right"] = parse("2*rho^2*(1 - jobs)*total^2/(1 - rho)", "right")
    refused(name, claim, Outcome.REJECTED, "statement")
    refused("unnamed", claim, Outcome.REJECTED, "identity")


def test_a_trivial_statement_cannot_borrow_a_name() -> None:
    claim = {**statements()["fluid-value.hamilton-jacobi"], "left": "rho", "right": "rho"}
    refused("fluid-value.hamilton-jacobi", claim, Outcome.REJECTED, "statement")


def test_a_definition_cannot_empty_a_statement() -> None:
    name = "softmax-potential.gradient"
    claim = copy.deepcopy(statements()[name])
    for each in claim["definitions"]:
        if each["name"] == "potential":
            each["value"] = "0"
    claim["right"] = "0"
    refused(name, claim, Outcome.REJECTED, "statement")


def test_a_rule_cannot_make_a_false_statement_true() -> None:
    name = "softmax-potential.gradient"
    claim = copy.deepcopy(statements()[name])
    claim["right"] = "0"
    for each in claim["derivations"]:
        each["image"] = "0"
    assert check(certificate("unnamed", claim)).outcome is Outcome.VERIFIED  # true, and shown so
    assert "d_i(q_i) = 0" in check(certificate("unnamed", claim)).text
    refused(name, claim, Outcome.REJECTED, "statement")


def test_two_derivations_cannot_be_exchanged() -> None:
    name = "fluid-value.slope-total"
    claim = copy.deepcopy(statements()[name])
    claim["left"] = ["derive", "dd", "value"]
    refused(name, claim, Outcome.REJECTED, "statement")
    other = copy.deepcopy(statements()["fluid-value.symmetry"])
    other["left"] = ["derive", "dd", ["derive", "dd", "value"]]
    refused("unnamed", other, Outcome.REJECTED, "identity")


def test_another_names_statement_is_refused() -> None:
    claim = statements()["rank-gaps.reversible"]
    assert check(certificate("rank-gaps.reversible", claim)).outcome is Outcome.VERIFIED
    refused("rank-gaps.cut", claim, Outcome.REJECTED, "statement")


@pytest.mark.parametrize("name", ["Rank-gaps.cut", "rank-gaps.cut\u0000", "rank-gaps.cut ", ""])
def test_a_name_that_looks_like_a_known_one_has_no_form(name: str) -> None:
    refused(name, statements()["rank-gaps.cut"], Outcome.MALFORMED, "format")


def test_a_name_close_to_a_known_one_is_unknown() -> None:
    refused("rank-gaps.cuts", statements()["rank-gaps.cut"], Outcome.REJECTED, "name")
    refused("rank-gaps-cut", statements()["rank-gaps.cut"], Outcome.REJECTED, "name")


def test_dividing_by_a_hidden_zero_proves_nothing() -> None:
    zero = parse("(x + y)^2 - (x^2 + 2*x*y + y^2)", "nothing")
    claim = {
        "variables": ["x", "y"],
        "definitions": [{"name": "nothing", "value": zero}],
        "derivations": [],
        "left": ["quotient", "x", "nothing"],
        "right": ["quotient", "y", "nothing"],
    }
    refused("unnamed", claim, Outcome.REJECTED, "denominator")


def test_dividing_by_zero_inside_a_rule_proves_nothing() -> None:
    claim = {
        "variables": ["x"],
        "definitions": [],
        "derivations": [{"derivation": "d", "variable": "x", "image": ["quotient", "1", "0"]}],
        "left": ["derive", "d", "x"],
        "right": ["derive", "d", "x"],
    }
    refused("unnamed", claim, Outcome.REJECTED, "denominator")


def test_a_witness_cannot_carry_anything() -> None:
    tree = certificate("rank-gaps.cut", statements()["rank-gaps.cut"])
    tree["witness"] = {"trusted": "1"}
    assert check(tree).outcome is Outcome.MALFORMED
