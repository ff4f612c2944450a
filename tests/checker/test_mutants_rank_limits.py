"""The smallest systems with limits, exact gaps left out, sums whose every term is exact."""

from fractions import Fraction
from typing import Any

import pytest

from proofs_checks.checker.kinds.rank_model import Model, Run, element, read_marginal, sweep
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Outcome, Refusal, Trial
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

        def leave_out(t: dict[str, Any], at: int = at) -> None:
            for name in ("gaps", "rho", "mean_gaps", "gap_variances", "mean_ranked_queues"):
                t["claim"][name].pop(at)

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


@pytest.mark.parametrize("rate", [2, 8])
def test_a_single_queue(rate: int) -> None:
    """One server: rho = 1/rate, and the mean is 1/(rate - 1) to the last unit."""
    found = sweep(Model(1, 1, [Run(1, element(F(1), F(0), 1), F(rate))]), [], 64, Trial(10**8))
    mean = F(1, rate - 1)
    for real, right in (
        (found.rho[0], F(1, rate)),  # the lowest gap is always there
        (found.ranked[0], mean),
        (found.total, mean),
        (found.variance[0], mean * (1 + mean)),
    ):
        low, high = real.ends()
        assert low <= right <= high


def test_rates_below_the_last_unit() -> None:
    tiny = F(1, 2**100)
    found = sweep(Model(1, 1, [Run(1, element(tiny, F(0), 1), F(1))]), [0], 64, Trial(10**8))
    low, high = found.rho[0].ends()
    assert low <= tiny <= high


def test_a_ratio_that_may_be_one() -> None:
    """One minus two units, which rounding up makes one."""
    runs = [Run(1, element(1 - F(2, 2**64), F(0), 1), F(1))]
    with pytest.raises(Refusal) as refused:
        sweep(Model(1, 1, runs), [0], 64, Trial(10**8))
    assert refused.value.condition == "hypothesis"
    runs = [Run(1, element(1 - F(4, 2**64), F(0), 1), F(1))]
    assert sweep(Model(1, 1, runs), [0], 64, Trial(10**8)).rho[0].ends()[1] < 1


def test_ten_million_servers_are_the_most() -> None:
    def read(servers: int) -> Model:
        tree = {"servers": servers, "a": "1", "b": "1/2"}
        return read_marginal(Node(tree, "claim").record("servers a b"), Trial(10**8))

    assert read(10**7).servers == 10**7
    with pytest.raises(Refusal) as refused:
        read(10**7 + 1)
    assert refused.value.condition == "hypothesis"


def test_exact_gaps_of_two_servers() -> None:
    """The threshold is where rho_0 = 1, and rho_1 is the ratio above it."""
    assert condition(certificate(kind="rank-gaps", servers=2, a=1, b="1/2")) == ""


def test_limits_of_one_gap_and_one_rank() -> None:
    tree = certificate(kind="rank-limits", servers=9, a=1, b="1/2", gaps=[0], ranks=[1])
    assert condition(tree) == ""


def test_how_far_the_limit_of_a_gap_may_be() -> None:
    """At least the distance of the mean plus k/((n - k) a)."""
    n, k = 16, 5
    tree = certificate(kind="rank-limits", servers=n, a=2, b=1, gaps=[k], ranks=[1])
    assert condition(tree) == ""
    distance = tree["claim"]["distances"][0]
    far = F(distance) if isinstance(distance, str) else number(distance["hi"])
    for more, code in ((F(k, n - k), ""), (F(k, n + k), "limit-bound")):
        bound = str((far + more / 2).limit_denominator(10**6) + F(1, 10**5))

        def put(t: dict[str, Any], bound: str = bound) -> None:
            t["claim"]["limit_bounds"] = [bound]

        assert condition(changed(tree, put)) == code


def number(text: str) -> Fraction:
    mantissa, _, power = text.partition("e")
    return F(mantissa) * F(10) ** int(power or 0)


@pytest.mark.parametrize(("servers", "a"), [(4, 3), (500, 3)])
def test_the_original_dynamics_with_a_slack_of_two(servers: int, a: int) -> None:
    tree = certificate(kind="rank-gaps", dynamics="original", servers=servers, a=a, b=1)
    assert condition(tree) == ""


def test_where_comparisons_make_sense() -> None:
    """Every b is positive and (b + slack)**2 < n**3, which lies above n."""
    tree = certificate(kind="rank-comparison", servers=4, slack=1, b=[4, 6])
    assert condition(tree) == ""
    for streams in (["0", "6"], ["4", "7"]):

        def put(t: dict[str, Any], streams: list[str] = streams) -> None:
            t["claim"]["b"] = streams

        assert condition(changed(tree, put)) == "hypothesis"
    for servers, refused in ((10**7, False), (10**7 + 1, True)):
        report = verdict(changed(tree, lambda t: t["claim"].update(servers=servers)))  # noqa: B023
        assert report.refusal is not None
        assert (report.refusal.condition == "hypothesis") is refused


def test_a_difference_from_a_mean_that_is_hardly_known() -> None:
    """With the mean of the pausing system between p - 1 and p + 1 the difference is as open."""
    tree = certificate(
        kind="rank-difference", servers=2, a=1, b="1/2", quantity="mean-queue", box=4, digits=2
    )
    assert condition(tree) == ""
    low, high = (number(tree["claim"]["original"][end]) for end in ("lo", "hi"))
    wide = {"lo": "1e-2", "hi": "9"}
    for top, code in ((high, ""), (high - 1, "difference")):
        edits = {"paused": wide, "difference": {"lo": "-9", "hi": decimal(top)}}
        assert condition(changed(tree, lambda t: t["claim"].update(edits))) == code  # noqa: B023
    assert low < high


@pytest.mark.parametrize("quantity", ["shortest-queue", "mean-queue", "no-idle"])
@pytest.mark.parametrize(("servers", "box"), [(1, 6), (2, 5), (3, 3)])
def test_differences_of_small_boxes(servers: int, box: int, quantity: str) -> None:
    tree = certificate(
        kind="rank-difference",
        servers=servers,
        a="3/4",
        b="1/4",
        quantity=quantity,
        box=box,
        digits=2,
    )
    assert condition(tree) == ""


def decimal(value: Fraction) -> str:
    scaled, power = value * 10**30, -30
    mantissa = -(-scaled.numerator // scaled.denominator)
    while mantissa and mantissa % 10 == 0:
        mantissa, power = mantissa // 10, power + 1
    return f"{mantissa}e{power}" if power else str(mantissa)
