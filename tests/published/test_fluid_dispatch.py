"""The exact numbers of doi 10.5281/zenodo.23586955 about finite laws, and the claims file."""

import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from certify.kinds import make_file
from proofs_checks.checker.claims import Judgement, Proved, judge
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome

ROOT = Path(__file__).parents[2]
CLAIMS = ROOT / "certificates" / "claims" / "fluid-dispatch.toml"
PROBLEMS = ROOT / "certify" / "problems"
F = Fraction


def proved(name: str) -> Proved:
    """The verdict on a freshly made certificate, as the claims reader wants it."""
    report = check_bytes(make_file(PROBLEMS / f"{name}.toml").to_bytes())
    verified = report.outcome is Outcome.VERIFIED
    return Proved(f"{name}.json", verified, report.kind, report.claim, report.tested)


def test_the_running_example() -> None:
    """Start (1/2, 1/2), sizes 1/2 and 3/2, load 3/4: 33/28 against 3/2 and 21/16, saving 3/14."""
    claim = make_file(PROBLEMS / "fluid-comparison-running.toml").claim
    costs = {name: F(claim[name]) for name in ("optimal", "balanced", "most_work_left")}
    assert costs == {"optimal": F(33, 28), "balanced": F(3, 2), "most_work_left": F(21, 16)}
    assert F(claim["savings"]["optimal"]["against_balanced"]) == F(3, 14)
    value = make_file(PROBLEMS / "fluid-value-running.toml").claim
    assert value["sectors"][0]["to"] == "3/13"
    assert value["saving"] == "3/14"


def rows() -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = tomllib.loads(CLAIMS.read_text())["row"]
    return listed


def test_every_decidable_row_holds() -> None:
    names = ("fluid-value-running", "fluid-comparison-running", "fluid-comparison-equal-sizes")
    certificates = [proved(name) for name in names]
    judged = judge(CLAIMS, certificates)
    assert {row["judgement"] for row in judged} == {Judgement.HOLDS, Judgement.LISTED}
    decided = [row for row in rows() if row["verdict"] == "confirmed"]
    assert sum(row["judgement"] == Judgement.HOLDS for row in judged) == len(decided) == 8
    assert len({row["id"] for row in rows()}) == len(rows())


@pytest.mark.parametrize("number", ["33/29", "1.179"])
def test_another_printed_number_would_differ(number: str, tmp_path: Path) -> None:
    text = CLAIMS.read_text().replace('printed = "33/28"', f'printed = "{number}"')
    path = tmp_path / "claims.toml"
    path.write_text(text)
    judged = judge(path, [proved("fluid-value-running"), proved("fluid-comparison-running")])
    assert sum(row["judgement"] == Judgement.DIFFERS for row in judged) == 2
