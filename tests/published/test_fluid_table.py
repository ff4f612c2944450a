"""The table of six laws at load 3/4, from a tie of total work 1, held against the certificates.

doi 10.5281/zenodo.23586955, key result 4, gives the ranges of the savings; which laws are meant is
inferred. The half-work shares are those of its key result 5.
"""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from flint import arb

from certify.fluid.continuous import Pareto, Uniform
from certify.fluid.policies import half_work_share, work_median

CERTIFICATES = Path(__file__).parents[2] / "certificates"
F = Fraction

TABLE = {
    "running": ("1.178571", "0.2143", "0.1020", "1/3"),
    "uniform": ("1.112016", "0.2587", "0.1084", "0.292893"),
    "exponential": ("0.914319", "0.3905", "0.1752", "0.186682"),
    "erlang": ("1.164257", "0.2238", "0.0676", "0.314286"),
    "lognormal": ("0.876359", "0.4158", "0.1780", "0.158655"),
    "pareto": ("0.853892", "0.4307", "0.1461", "0.125000"),
}


def ends(value: Any) -> tuple[Fraction, Fraction]:
    if isinstance(value, str):
        return F(value), F(value)
    return F(value["lo"]), F(value["hi"])


def rounds_to(value: Any, printed: str) -> bool:
    half = F(1, 2) / 10 ** len(printed.partition(".")[2]) if "/" not in printed else F(0)
    low, high = ends(value)
    return F(printed) - half <= low <= high <= F(printed) + half


@pytest.mark.parametrize("law", TABLE)
def test_one_law(law: str) -> None:
    claim = json.loads((CERTIFICATES / f"fluid-comparison-{law}.json").read_bytes())["claim"]
    assert (claim["load"], claim["start"]) == ("3/4", {"short": "1/2", "long": "1/2"})
    value, against_balanced, against_most_work_left, share = TABLE[law]
    assert rounds_to(claim["optimal"], value)
    assert claim["balanced"] == "3/2"
    savings = claim["savings"]["optimal"]
    assert rounds_to(savings["against_balanced"], against_balanced)
    assert rounds_to(savings["against_most_work_left"], against_most_work_left)
    assert rounds_to(claim["half_work_share"], share)
    for name, low, high in (
        ("against_balanced", "0.21", "0.43"),
        ("against_most_work_left", "0.07", "0.18"),
    ):
        first, last = ends(savings[name])
        assert F(low) - F(1, 200) <= first <= last <= F(high) + F(1, 200)


def test_the_half_work_shares_in_closed_form() -> None:
    """The work median is sqrt 2 for uniform sizes, 4/3 for Pareto sizes, 1/8 of its jobs above."""
    median = work_median(Pareto(F(3, 2)), 40, 200)
    assert median[0] < F(4, 3) < median[1]
    assert half_work_share(Pareto(F(3, 2)), median).contains(arb(1) / 8)
    low, high = work_median(Uniform(), 40, 200)
    assert low * low < 2 < high * high
