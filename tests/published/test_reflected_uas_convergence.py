"""Table 5 of arXiv 2607.28688v1: what the trajectories showed, proved for every start."""

import tomllib
from pathlib import Path

import pytest

from certify.kinds import make_file
from certify.shipped import find
from proofs_checks.checker.claims import Judgement, judge
from proofs_checks.checker.cli import Report, check_bytes
from proofs_checks.checker.verdict import Outcome

CLAIMS = Path(__file__).parents[2] / "certificates" / "claims" / "reflected-uas-convergence.toml"


def report(name: str) -> Report:
    data = make_file(find(f"softmax-convergence-{name}")).to_bytes()
    return check_bytes(data, f"softmax-convergence-{name}.json")


def test_every_row_holds() -> None:
    judged = judge(CLAIMS, [report(name).proved() for name in ("benchmark", "symmetric-4")])
    assert {row["judgement"] for row in judged} == {Judgement.HOLDS, Judgement.LISTED}
    rows = tomllib.loads(CLAIMS.read_text())["row"]
    decided = sum(row["verdict"] in ("confirmed", "improved") for row in rows)
    assert sum(row["judgement"] == Judgement.HOLDS for row in judged) == decided >= 4


@pytest.mark.parametrize(
    "name", ["heavy-5", "light-3", "uas-special-case", "two-asymmetric", "wsq-two"]
)
def test_the_other_shipped_problems(name: str) -> None:
    verdict = report(name)
    assert verdict.outcome is Outcome.VERIFIED, verdict.line()
