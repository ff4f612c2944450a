"""The record's claims about heavy traffic and brackets, held against fresh certificates."""

import tomllib
from fractions import Fraction
from pathlib import Path

import pytest

from certify.fluid import ParetoBins, bracket
from certify.kinds import make_file
from proofs_checks.checker.claims import Judgement, Proved, judge
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome

ROOT = Path(__file__).parents[2]
CLAIMS = ROOT / "certificates" / "claims" / "fluid-dispatch-bounds.toml"
PROBLEMS = ROOT / "certify" / "problems"
F = Fraction


def proved(name: str) -> Proved:
    report = check_bytes(make_file(PROBLEMS / f"{name}.toml").to_bytes())
    verified = report.outcome is Outcome.VERIFIED
    return Proved(f"{name}.json", verified, report.kind, report.claim, report.tested)


def test_every_row_holds() -> None:
    rows = tomllib.loads(CLAIMS.read_text())["row"]
    names = {row["certificate"].removesuffix(".json") for row in rows}
    judgements = judge(CLAIMS, [proved(name) for name in sorted(names)])
    assert len(judgements) == len(rows) == 5
    assert {row["judgement"] for row in judgements} == {Judgement.HOLDS}, judgements


def test_the_pareto_enclosure_is_tighter_than_the_published_one() -> None:
    """Known digits of the value (mpmath, 60 digits): 0.853891768080178349592..."""
    claim = make_file(PROBLEMS / "fluid-bracket-pareto.toml").claim
    assert len(claim["bins"]) == 26
    assert F(claim["regret"]) < F("7.0e-4") / 2
    assert F(claim["lower"]) < F("0.853891768080178349") < F(claim["upper"])


@pytest.mark.parametrize(
    ("load", "value"), [("3/4", "0.401873178444790639"), ("9/10", "0.489260066438447711")]
)
def test_the_heavy_tail_of_shape_1_01(load: str, value: str) -> None:
    found = bracket(ParetoBins(F(101, 100)), load, 12, 0, 60)
    assert found.lower < F(value) < found.upper


def test_the_day_of_a_cluster() -> None:
    """Its least cost at a tie is 0.407432840399331147...; 16 bins lose one percent."""
    claim = make_file(PROBLEMS / "fluid-bracket-trace.toml").claim
    assert len(claim["bins"]) == 15
    assert F(claim["lower"]) < F("0.407432840399331147") < F(claim["upper"])
    assert F(claim["regret"]) < F("0.0044")
