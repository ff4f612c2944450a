"""Figure 10 of the Reflected UAS paper: the two policies with fixed probabilities."""

from pathlib import Path

from certify.kinds import make_file
from certify.shipped import find
from proofs_checks.checker.claims import Judgement, judge
from proofs_checks.checker.cli import check_bytes

CLAIMS = Path(__file__).parents[2] / "certificates" / "claims" / "reflected-uas-policies.toml"
NAMES = ("bernoulli-routing-uniform", "bernoulli-routing-proportional")


def test_the_rows_hold_for_fresh_certificates() -> None:
    reports = [check_bytes(make_file(find(name)).to_bytes(), f"{name}.json") for name in NAMES]
    rows = judge(CLAIMS, [report.proved() for report in reports])
    assert [row["judgement"] for row in rows] == [Judgement.HOLDS, Judgement.LISTED], rows


def test_the_mean_that_a_simulation_estimates_as_40_20_is_40() -> None:
    assert make_file(find("bernoulli-routing-proportional")).claim["mean_total_queue"] == "40"


def test_the_printed_mean_of_the_uniform_policy_is_passed_within_reach_of_a_simulation() -> None:
    """At T = 20,000, the horizon of the other tables, E|Q(T)| is over twice what is printed."""
    claim = make_file(find("bernoulli-routing-uniform")).claim
    assert claim["overloaded"] == [0, 1, 2, 3]
    assert claim["growth_rate"] == "32/25"
    assert 32 / 25 * 20_000 > 2 * 11572.71
