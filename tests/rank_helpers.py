"""What several tests of the rank-based kinds share."""

import copy
import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from certify.kinds import make
from certify.problem import Table
from proofs_checks.checker.cli import Report, check_bytes
from proofs_checks.checker.verdict import Outcome
from tests.mutation.engine import Tree, to_bytes

Edit = Callable[[dict[str, Any]], None]


def certificate(**problem: Any) -> Tree:
    """The certificate of a problem, as the tree that its file holds."""
    tree: Tree = json.loads(make(Table(problem)).to_bytes())
    return tree


def changed(tree: Tree, edit: Edit) -> Tree:
    """A copy whose claim or witness was edited."""
    result = copy.deepcopy(tree)
    edit(result)
    return result


def verdict(tree: Tree) -> Report:
    """The checker's report on a tree."""
    return check_bytes(to_bytes(tree))


def condition(tree: Tree) -> str:
    """The condition that refuses the certificate; empty if it is verified."""
    report = verdict(tree)
    if report.outcome is Outcome.VERIFIED:
        return ""
    assert report.refusal is not None
    return report.refusal.condition


def spelled(value: Fraction) -> str:
    """The format's spelling of a decimal."""
    power = 0
    while value.denominator != 1:
        value, power = value * 10, power - 1
    mantissa = value.numerator
    while mantissa and mantissa % 10 == 0:
        mantissa, power = mantissa // 10, power + 1
    return f"{mantissa}e{power}" if mantissa and power else str(mantissa)
