"""The smallest systems with limits, exact gaps left out, sums whose every term is exact."""

from fractions import Fraction

import pytest

from proofs_checks.checker.kinds.rank_model import Model, Run, element, sweep
from proofs_checks.checker.verdict import Outcome, Trial
from tests.rank_helpers import certificate, changed, condition, verdict

F = Fraction


def test_limits_need_two_servers() -> None:
    tree = certificate(kind="rank-limits", servers=2, a="1/2", b="1/4", digits=12)
    assert condition(tree) == ""
    assert condition(changed(tree, lambda t: t["claim"].update(servers=1))) == "hypothesis"


@pytest.mark.parametrize("b", ["1/4", "1/2", "2/3"])
def test_the_expansion_of_the_mean_with_rates_of_their_own(b: str) -> None:
    """b**2/(2 (a - b)**2) and its neighbours where b is not 1: the claim's own check by sums."""
    tree = certificate(kind="rank-limits", servers=9, a=1, b=b, digits=12)
    assert condition(tree) == ""


def test_an_exact_claim_lists_every_gap() -> None:
    tree = certificate(kind="rank-gaps", servers=4, a=2, b=1)
    assert condition(tree) == ""
    for at in range(4):

        def leave_out(t: dict[str, object], at: int = at) -> None:
            for name in ("gaps", "rho", "mean_gaps", "gap_variances", "mean_ranked_queues"):
                t["claim"][name].pop(at)  # type: ignore[index]

        assert condition(changed(tree, leave_out)) == "shape"


def test_a_claim_that_is_no_record() -> None:
    tree = certificate(kind="rank-gaps", servers=4, a=2, b=1)
    for claim in ([], "paused", 4, None, True):
        report = verdict({**tree, "claim": claim})
        assert report.outcome is Outcome.MALFORMED


def test_sums_without_rounding_are_bounds_too() -> None:
    """Every ratio a half: rho_k = 2**-(3 - k) for three servers, exact in the integers."""
    runs = [Run(3, element(F(1), F(0), 1), F(2))]
    found = sweep(Model(3, 1, runs), [0, 1, 2], 64, Trial(10**8))
    means = [F(1, 7), F(1, 3), F(1)]
    variances = [m * (1 + m) for m in means]
    for k in range(3):
        for real, right in (
            (found.rho[k], F(1, 2 ** (3 - k))),
            (found.ranked[k], sum(means[: k + 1], F(0))),
            (found.variance[k], sum(variances[: k + 1], F(0))),
        ):
            low, high = real.ends()
            assert low <= right <= high
            assert high - low < F(1, 2**55)
    low, high = found.total.ends()
    right = sum(((3 - k) * mean for k, mean in enumerate(means)), F(0))
    assert low <= right <= high


def test_a_single_exact_queue() -> None:
    """One server at half its rate: mean one, to the last unit."""
    found = sweep(Model(1, 1, [Run(1, element(F(1), F(0), 1), F(2))]), [0], 64, Trial(10**8))
    for real in (found.ranked[0], found.total):
        low, high = real.ends()
        assert low <= 1 <= high
    assert found.variance[0].ends()[0] <= 2 <= found.variance[0].ends()[1]
