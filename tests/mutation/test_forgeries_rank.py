"""Rank-based kinds under attack: every single change, and false claims an attacker would try."""

from fractions import Fraction
from typing import Any

import pytest

from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome
from tests.mutation.engine import Tally, judge, several, single, to_bytes, truth_of
from tests.rank_helpers import certificate, changed, condition

CASES = {
    "square": {"kind": "rank-gaps", "servers": 4, "a": 2, "b": 1},
    "surd": {"kind": "rank-gaps", "servers": 2, "a": 2, "b": 1},
    "enclosed": {
        "kind": "rank-gaps", "servers": 7, "a": 2, "b": 1, "numbers": "enclosed", "gaps": [0, 5],
        "digits": 9,
    },
    "rates": {"kind": "rank-gaps", "arrival_rates": [1, "1/2"], "service_rates": [2, 1]},
    "original": {"kind": "rank-gaps", "dynamics": "original", "servers": 4, "a": 2, "b": 1},
    "original-surd": {"kind": "rank-gaps", "dynamics": "original", "servers": 2, "a": 2, "b": 1},
    "limits": {"kind": "rank-limits", "servers": 4, "a": 2, "b": 1, "digits": 9},
    "comparison": {"kind": "rank-comparison", "servers": 3, "slack": 1, "b": [1, 2], "digits": 9},
    "difference": {
        "kind": "rank-difference", "servers": 2, "a": 2, "b": 1, "box": 5, "digits": 5,
    },
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_every_change(name: str) -> None:
    tree = certificate(**CASES[name])
    truth, tally = truth_of(tree["kind"]), Tally()
    assert check_bytes(to_bytes(tree)).outcome is Outcome.VERIFIED
    assert truth(tree["claim"]) is not False
    judge(single(tree), truth, tally)
    judge(several(tree, 40, seed=7), truth, tally)
    print(name, tally.line())
    assert not tally.false_accepted
    assert tally.false_refused > 60
    assert tally.true_accepted > 0


def test_the_product_from_one_rank_too_low() -> None:
    """rho_k = prod_{j >= k} lam_j/mu_j, with every other field consistent with it."""
    tree = certificate(kind="rank-gaps", servers=4, a=2, b=1)

    def edit(copy: dict[str, Any]) -> None:
        theta = Fraction(3, 4)
        rho = [Fraction(5, 4) * theta**3, theta**4, theta**3, theta**2]
        _fill(copy["claim"], rho)

    assert condition(changed(tree, edit)) == "detailed-balance"


def test_the_random_routing_law_for_the_gaps() -> None:
    """b = 0 in the formulas, b = 1 in the problem."""
    tree = certificate(kind="rank-gaps", servers=4, a=2, b=1)

    def edit(copy: dict[str, Any]) -> None:
        theta = Fraction(3, 4)
        _fill(copy["claim"], [theta**4, theta**3, theta**2, theta])

    assert condition(changed(tree, edit)) == "detailed-balance"


def _fill(claim: dict[str, Any], rho: list[Fraction]) -> None:
    means = [each / (1 - each) for each in rho]
    ranked = [sum(means[: k + 1], Fraction(0)) for k in range(len(rho))]
    claim["rho"], claim["mean_gaps"] = list(map(str, rho)), list(map(str, means))
    claim["gap_variances"] = [str(mean * (1 + mean)) for mean in means]
    claim["mean_ranked_queues"] = list(map(str, ranked))
    claim["mean_total_queue"] = str(sum(ranked))
    claim["no_idle"] = str(rho[0])


def test_a_witness_cannot_choose_the_problem() -> None:
    tree = certificate(kind="rank-gaps", servers=4, a=2, b=1)
    for edit in (
        lambda copy: copy["witness"].update(precision=40_000),
        lambda copy: copy["witness"].update(precision=32),
    ):
        assert condition(changed(tree, edit)) == ""
    assert condition(changed(tree, lambda copy: copy["witness"].update(servers=4))) == "format"


@pytest.mark.parametrize("quantity", ["shortest-queue", "mean-queue", "no-idle"])
def test_no_difference_at_all(quantity: str) -> None:
    """The claim that pauses change nothing, with the best tables there are."""
    tree = certificate(kind="rank-difference", servers=2, a=2, b=1, box=12, quantity=quantity)

    def edit(copy: dict[str, Any]) -> None:
        copy["claim"]["original"] = copy["claim"]["paused"]
        copy["claim"]["difference"] = {"lo": "-1e-9", "hi": "1e-9"}

    assert condition(changed(tree, edit)) == "upper"


def test_a_large_slope_does_not_buy_a_better_bound() -> None:
    tree = certificate(kind="rank-difference", servers=2, a=2, b=1, box=12)
    for slope in ("2", "1e9", "1000000000"):

        def edit(copy: dict[str, Any], slope: str = slope) -> None:
            copy["witness"]["upper"]["slope"] = slope
            copy["claim"]["original"]["hi"] = "5e-1"

        assert condition(changed(tree, edit)) in ("upper", "format")


def test_hostile_sizes_are_declined_quickly() -> None:
    tree = certificate(kind="rank-difference", servers=2, a=2, b=1, box=4)
    forged = changed(tree, lambda copy: copy["witness"].update(box=999_999_999))
    assert check_bytes(to_bytes(forged)).outcome is Outcome.DECLINED
    forged = changed(tree, lambda copy: copy["claim"].update(servers=5_000_000))
    assert check_bytes(to_bytes(forged)).outcome is Outcome.DECLINED
    tree = certificate(kind="rank-gaps", servers=400, a=2, b=1, digits=9)
    forged = changed(tree, lambda copy: copy["witness"].update(precision=4_000))
    assert condition(forged) == ""
