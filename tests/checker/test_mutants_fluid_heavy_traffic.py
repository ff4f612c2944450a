"""Work medians that are an interval, knots where a law has no density, digits of every row."""

import json
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from certify.fluid import FiniteLaw
from certify.fluid.continuous import Uniform
from certify.fluid.heavy_traffic import enclose_heavy_traffic, in_heavy_traffic
from tests.drift_helpers import changed, condition, verdict
from tests.mutation.engine import Tree

F = Fraction
HALVED = FiniteLaw(((F(2, 3), F(3, 4)), (F(2), F(1, 4))))  # each size carries half of the work


@cache
def made() -> bytes:
    return enclose_heavy_traffic(Uniform(), ["4/5", "9/10"], 5).certificate().to_bytes()


def tree_of() -> Tree:
    found: Tree = json.loads(made())
    return found


def wider(interval: Any) -> dict[str, str]:
    """The same enclosure to three digits, outward."""
    ends = []
    for name, up in (("lo", False), ("hi", True)):
        mantissa, _, power = interval[name].partition("e")
        value = F(mantissa) * F(10) ** int(power or 0) * 1000
        whole = -(-value.numerator // value.denominator) if up else value.__floor__()
        ends.append(f"{whole}e-3" if whole % 10 else f"{whole // 10}e-2")
    return {"lo": ends[0], "hi": ends[1]}


def test_the_bound_uses_the_largest_work_median() -> None:
    """Every size from 2/3 to 2 halves the work; share = (1 - E|S - m|/m)/2 is 1/4 for all of them,
    and the lower end rho/4 - (1 - rho)/(2 m) is highest for m = 2."""
    tree: Tree = json.loads(in_heavy_traffic(HALVED).certificate(["3/4"]).to_bytes())
    assert condition(tree) == ""
    assert tree["claim"]["half_work_share"] == "1/4"
    row = tree["claim"]["rows"][0]
    assert row["bound"][0] == str(F(3, 16) - F(1, 16)) == "1/8"
    lower = row | {"bound": [str(F(3, 16) - F(3, 16)), row["bound"][1]]}
    assert condition(changed(tree, claim__rows=[lower])) == "bound"


def test_knots_where_the_law_has_no_density() -> None:
    tree = tree_of()
    knots = tree["witness"]["knots"]
    assert condition(tree) == ""
    beyond = [*knots[:-1], "2001/1000"]
    assert condition(changed(tree, witness__knots=beyond)) == "partition"


@pytest.mark.parametrize("name", ["scaled_value", "exit_cutoff", "bound"])
def test_the_digits_of_the_widest_row(name: str) -> None:
    """Of the first of two rows; the others have five digits and more."""
    tree = tree_of()
    rows = [dict(each) for each in tree["claim"]["rows"]]
    old = rows[0][name]
    rows[0][name] = [wider(old[0]), old[1]] if name == "bound" else wider(old)
    digits = verdict(changed(tree, claim__rows=rows)).digits
    assert digits is not None
    assert digits <= 3
