"""Table 2 and Section 5.3 of arXiv 2607.28688v1: the printed numbers, and what corrects them."""

import tomllib
from fractions import Fraction
from pathlib import Path

import pytest

from certify.kinds import make_file
from certify.shipped import find
from proofs_checks.checker.claims import Judgement, judge
from proofs_checks.checker.cli import Report, check_bytes

CLAIMS = Path(__file__).parents[2] / "certificates" / "claims" / "reflected-uas-obstruction.toml"
TABLE_2 = [
    ("two-symmetric", 31, 1, "1.5113", "2.68037"),
    ("two-asymmetric", 31, 0, "3.6809", "6.12189"),
    ("three", 361, 0, "8.8257", "13.44753"),
]


def report(name: str) -> Report:
    data = make_file(find(f"softmax-obstruction-{name}")).to_bytes()
    return check_bytes(data, f"softmax-obstruction-{name}.json")


@pytest.mark.parametrize(("name", "boundary", "positive", "gap", "largest"), TABLE_2)
def test_table_2(name: str, boundary: int, positive: int, gap: str, largest: str) -> None:
    verdict = report(name)
    assert verdict.claim is not None
    claim = verdict.claim.value
    assert claim["radius"] == 15
    assert (claim["boundary_states"], claim["positive_boundary_states"]) == (boundary, positive)
    assert claim["undecided_states"] == 0
    printed, half = Fraction(gap), Fraction(1, 20000)
    low, high = (Fraction(claim["max_boundary_gap"][end]) for end in ("lo", "hi"))
    assert printed - half <= low <= high <= printed + half
    assert abs(Fraction(claim["max_gap"]["lo"]) - Fraction(largest)) < Fraction(1, 10**5)
    assert Fraction(claim["max_gap"]["lo"]) > printed + half


def test_the_obstruction_of_the_symmetric_pair() -> None:
    claim = make_file(find("softmax-obstruction-two-symmetric")).claim
    assert claim["origin_term"] == "8/25"
    low, high = (Fraction(claim["diagonal_drift"][end]) for end in ("lo", "hi"))
    assert low < Fraction("2.60037361259234799355") < high
    assert claim["max_boundary_gap_state"] == [0, 0]


def test_every_row_holds() -> None:
    rows = tomllib.loads(CLAIMS.read_text())["row"]
    names = sorted({row["certificate"].removesuffix(".json") for row in rows})
    proved = [report(name.removeprefix("softmax-obstruction-")).proved() for name in names]
    judged = judge(CLAIMS, proved)
    assert [row for row in judged if row["judgement"] != Judgement.HOLDS] == []
    assert sum(row["verdict"] == "corrected" for row in rows) == 10
