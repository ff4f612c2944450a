"""Forgeries of drifts that an attacker would think of, each with the best witness for it."""

from fractions import Fraction
from typing import Any

import mpmath
import pytest

from tests.drift_helpers import (
    BENCHMARK,
    HEAVY,
    TOYS,
    WSQ_EQUAL,
    WSQ_LIGHT,
    WSQ_TWO,
    Generator,
    changed,
    condition,
    tree_of,
    verdict,
)
from tests.mutation.engine import Tree
from tests.mutation.truth.softmax_drift import truth


def refused(tree: Tree, expected: str) -> None:
    """The claim is false by independent means, and one condition refuses it."""
    assert truth(tree["claim"]) is False
    assert condition(tree) == expected


def spelled(values: list[Fraction]) -> list[str]:
    return [str(value) for value in values]


def slack_shares(rates: list[Fraction], weights: list[Fraction], eps: Fraction) -> list[Fraction]:
    """mu_i - eps/v_i for weighted queues: the most a share may be."""
    return [mu - eps / (2 * w) for mu, w in zip(rates, weights, strict=True)]


MU, W = [Fraction(2), Fraction(1)], [Fraction(1), Fraction(2)]


def test_more_shares_than_arrivals() -> None:
    """With sum c > lambda the tangent plane proves nonsense: a shift of all kappa moves it."""
    tree = tree_of(WSQ_TWO)
    eps = Fraction(1)
    shares = slack_shares(MU, W, eps)
    assert sum(shares) > 2
    # a lower constant than any true one, which the unrestricted formula would seem to allow
    forged = changed(
        tree,
        claim__eps=str(eps),
        claim__attained=None,
        claim__sharp_R="1",
        claim__mean_queue_bound="1",
        witness__shares=spelled(shares),
        witness__point=["1/1000", "1/1000"],
    )
    refused(forged, "shares")


def test_a_larger_eps_with_too_few_shares() -> None:
    """eps 1 % above the largest: the shares below the caps miss some of the arrivals."""
    tree = tree_of(WSQ_TWO)
    eps = Fraction(tree["claim"]["eps"]) * Fraction(101, 100)
    forged = changed(
        tree,
        claim__eps=str(eps),
        claim__attained=None,
        claim__R="1000",
        claim__sharp_R="1000",
        claim__mean_queue_bound="1000",
        witness__shares=spelled(slack_shares(MU, W, eps)),
    )
    # a large constant hides it from a small box, not from the critical ray
    with mpmath.workdps(30):
        generator = Generator(WSQ_TWO)
        assert generator.excess((2 * 10**6, 10**6), eps) > 1000
    refused(forged, "shares")


def test_a_larger_eps_with_a_negative_share() -> None:
    """Where the slow server decides eps, a negative share would let eps pass and keep the sum."""
    tree = tree_of(WSQ_LIGHT)
    eps = Fraction(tree["claim"]["eps"]) * Fraction(101, 100)
    shares = slack_shares([Fraction(4), Fraction(1)], [Fraction(1)] * 2, eps)
    shares[0] = 1 - shares[1]
    assert shares[1] < 0
    assert shares[0] < 4 - eps / 2
    forged = changed(
        tree,
        claim__eps=str(eps),
        claim__attained=None,
        claim__R="1000",
        claim__sharp_R="1000",
        claim__mean_queue_bound="1000",
        witness__shares=spelled(shares),
        witness__sharp_shares=None,
    )
    with mpmath.workdps(30):
        assert Generator(WSQ_LIGHT).excess((0, 10**6), eps) > 1000
    refused(forged, "shares")


@pytest.mark.parametrize("excess", ["139/500", "0", "-1", "-3/2"])
def test_a_smaller_softmax_constant(excess: str) -> None:
    """R from a k that is too small; for two servers k = 0.27846... and no less."""
    tree = tree_of(TOYS["two-symmetric"])
    k = Fraction(tree["witness"]["excess"])
    lower = Fraction(tree["claim"]["R"]) - Fraction(8, 5) / 20 * (k - Fraction(excess))
    forged = changed(
        tree,
        claim__R=str(lower),
        claim__sharp_R=None,
        witness__point=None,
        claim__mean_queue_bound=str(lower * 5),
        claim__attained=None,
        witness__excess=excess,
    )
    if Fraction(excess) < 0:  # then R is below the supremum 9/5, attained at (1, 1)
        assert truth(forged["claim"]) is False
    assert condition(forged) == "excess"


def test_five_servers_with_the_constant_of_a_misprint() -> None:
    """k = 179/250 is just below W(4/e): refuted by k exp(1 + k) < 4."""
    forged = changed(tree_of(HEAVY), claim__attained=None, witness__excess="179/250")
    assert condition(forged) == "excess"
    assert condition(changed(tree_of(HEAVY), witness__excess="719/1000", claim__R="6")) == ""


@pytest.mark.parametrize("system", [TOYS["two-symmetric"], TOYS["two-uas"], WSQ_EQUAL])
def test_a_constant_below_an_attained_value(system: Any) -> None:
    """One state refutes it, whatever k, shares and point say."""
    tree = tree_of(system)
    value = Fraction(tree["claim"]["attained"]["value"]) * Fraction(999, 1000)
    mean = str(value / Fraction(tree["claim"]["eps"]))
    for name, expected in (("R", "constant"), ("sharp_R", "sharp-constant")):
        forged = changed(
            tree,
            **{f"claim__{name}": str(value)},
            claim__mean_queue_bound=mean,
            claim__attained=None,
        )
        refused(forged, expected)


def test_a_bound_below_the_pooled_server() -> None:
    """No policy has fewer jobs than one server with the total rate: lambda/(Lambda - lambda)."""
    tree = tree_of(BENCHMARK)
    refused(changed(tree, claim__mean_queue_bound="3"), "mean-queue")
    refused(changed(tree, claim__mean_queue_bound="-44"), "mean-queue")


def test_negative_numbers_that_agree_with_each_other() -> None:
    """eps < 0 turns the division around: R/eps would bound E|Q|_1 by a negative number."""
    tree = tree_of(TOYS["two-symmetric"])
    refused(changed(tree, claim__eps="-1/5", claim__mean_queue_bound="-9"), "hypothesis")


def test_an_attained_value_at_no_state() -> None:
    tree = tree_of(TOYS["two-symmetric"])
    forged = {"state": ["-1", "-1"], "value": "2"}
    refused(changed(tree, claim__attained=forged), "shape")
    refused(changed(tree, claim__attained={"state": ["1/2", "1/2"], "value": "1"}), "shape")
    refused(changed(tree, claim__attained={"state": ["1"], "value": "1"}), "shape")
    refused(changed(tree, claim__attained={"state": ["1", "1"], "value": "91/50"}), "attained")


def test_the_sharp_constant_rests_on_its_own_shares() -> None:
    """`sharp_shares` that do not pass do not prove sharp_R, whatever `shares` proved for R."""
    tree = tree_of(WSQ_TWO)
    low = changed(tree, claim__attained=None, claim__sharp_R="6", claim__mean_queue_bound="6")
    refused(changed(low, witness__sharp_shares=["3/2", "2/3"]), "shares")
    refused(changed(low, witness__sharp_shares=["5/3", "1/3"]), "slack")
    refused(low, "sharp-constant")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("arrival_rate", "1601/1000"),
        ("service_rates", ["1", "999/1000"]),
        ("service_rates", ["1", "1", "1/1000"]),
        ("offset", "1"),
        ("beta", "18/20"),
    ],
)
def test_a_witness_for_another_system(name: str, value: Any) -> None:
    """A problem that differs a little needs its own constants; what passes is true of it."""
    tree = tree_of(TOYS["two-symmetric"])
    if isinstance(value, str):
        value = str(Fraction(value))
    forged = changed(tree, **{f"claim__system__{name}": value})
    report = verdict(forged)
    if truth(forged["claim"]) is False:
        assert report.refusal is not None
    if name in ("offset", "beta"):  # equal servers of rate 1 do not feel either
        assert report.refusal is None
