"""Cutoffs far beyond all sizes but a vanishing share, where the checker needs a bound only."""

from fractions import Fraction

import pytest

from certify.fluid.continuous import ContinuousLaw, Exponential, Gamma, Lognormal, Weibull
from certify.fluid.enclosure import enclose
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome

F = Fraction


@pytest.mark.parametrize(
    "law",
    [
        Weibull(F(71, 12)),
        Weibull(F(9)),
        Weibull(F(3, 2)),
        Gamma(F(40)),
        Exponential(),
        Lognormal(F(1, 5)),
    ],
    ids=repr,
)
def test_a_large_share_of_the_work_in_one_queue_at_a_light_load(law: ContinuousLaw) -> None:
    """At load 4/25 and imbalance 5/6 nearly all jobs join the shorter queue."""
    found = enclose(law, F(4, 25), [F(5, 6)], 5).certificate()
    report = check_bytes(found.to_bytes())
    assert report.outcome is Outcome.VERIFIED, report.line()
