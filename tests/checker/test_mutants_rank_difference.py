"""Kind `rank-difference` by hand: quadratic test functions at their borders; limits of others."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from proofs_checks.checker.kinds import rank_original
from proofs_checks.checker.kinds.rank_difference import DriftFunction, values_of_patterns
from proofs_checks.checker.kinds.rank_limits import _harmonic
from proofs_checks.checker.kinds.rank_model import marginal
from proofs_checks.checker.kinds.rank_original import EXACT_SERVERS, _least_exactly
from proofs_checks.checker.verdict import Outcome, Refusal, Trial
from tests.drift_helpers import changed, condition, verdict
from tests.mutation.engine import Tree
from tests.rank_helpers import certificate

FOLDER = Path(__file__).parents[2] / "certificates"
TINY = Fraction(1, 10**12)


def quadratic(servers: int, a: str, b: str, slope: Fraction, high: str, size: int) -> Tree:
    """h = slope q^2 above, h = 0 below: the shortest queue is at least 0 and at most `high`."""
    zeros: dict[str, Any] = {"slope": "0", "table": ["0"] * size}
    return {
        "format": "certify/1",
        "kind": "rank-difference",
        "claim": {
            "servers": servers,
            "a": a,
            "b": b,
            "quantity": "shortest-queue",
            "original": {"lo": "0", "hi": high},
            "paused": {"lo": "0", "hi": "1e3"},
            "difference": {"lo": "-1e3", "hi": high},
        },
        "witness": {
            "precision": 100,
            "box": 1,
            "upper": zeros | {"slope": str(slope)},
            "lower": zeros,
        },
    }


@pytest.mark.parametrize(
    ("servers", "a", "b", "size"),
    [(1, Fraction(1, 2), Fraction(1, 4), 2), (4, Fraction(7, 2), Fraction(4, 3), 5)],
)
def test_a_quadratic_that_falls_just_as_fast_as_the_queue_grows(
    servers: int, a: Fraction, b: Fraction, size: int
) -> None:
    """sqrt(n) is whole: 2 slope sqrt(n) (a - b) = 1, and g + L h is bounded still."""
    root = {1: 1, 4: 2}[servers]
    slope = 1 / (2 * root * (a - b))
    tree = quadratic(servers, str(a), str(b), slope, "2e1", size)
    assert condition(tree) == ""
    less = str(slope - TINY)
    assert condition(changed(tree, witness__upper__slope=less)) == "tail"


def test_the_bound_of_one_queue_is_what_the_quadratic_says() -> None:
    """With s = 1/(2 (a - b)) it is s (2 - (a - b)) = 1/(a - b) - 1/2 = 7/2 for one server."""
    for high, expected in (("35e-1", ""), ("3499999e-6", "upper")):
        tree = quadratic(1, "1/2", "1/4", Fraction(2), high, 2)
        assert condition(tree) == expected


def test_every_pattern_of_two_servers_by_hand() -> None:
    """g + L h = p + q sqrt(2), with n theta = 2 - (a/2) sqrt(2); beyond the box a queue is 2."""
    a, b, s = Fraction(2, 3), Fraction(1, 5), Fraction(7, 2)
    none, one, two = Fraction(3), Fraction(-4), Fraction(11)
    model = marginal(2, a, b)
    test = DriftFunction({(0, 0): none, (0, 1): one, (1, 1): two}, s, 1)
    up = two - one
    by_hand = {  # the sums over the arrivals, to the shortest, over the services; Q_(1)
        ((0, 0), 0): (2 * (one - none + s), one - none + s, Fraction(0), 0),
        ((0, 1), 0): (up + s + 3 * s, up + s, none - one - s, 0),
        ((0, 1), 1): (up + s + 5 * s, up + s, -3 * s, 0),
        ((1, 1), 0): (6 * s, 3 * s, 2 * (one - two - s), 1),
        ((1, 1), 1): (3 * s + 5 * s, 3 * s, one - two - s - 3 * s, 1),
        ((1, 1), 2): (10 * s, 5 * s, -6 * s, 2),
    }
    found = list(values_of_patterns(model, "shortest-queue", test, 1))
    assert {(state, beyond) for state, beyond, _ in found} == set(by_hand)
    for state, beyond, value in found:
        arrivals, shortest, services, lowest = by_hand[state, beyond]
        plain = 2 * arrivals + 2 * services + lowest
        assert value == model.number(plain, b * shortest - a / 2 * arrivals)


def test_more_than_64_servers_are_declined() -> None:
    tree = quadratic(65, "2", "1", Fraction(1), "1e6", 66)
    assert verdict(tree).outcome is Outcome.DECLINED


def test_the_most_servers_of_an_exact_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    tree: Tree = json.loads((FOLDER / "rank-gaps-original-4.json").read_bytes())
    assert tree["witness"]["arithmetic"] == "exact"
    for most, expected in ((4, ""), (3, "shape")):
        monkeypatch.setattr(rank_original, "EXACT_SERVERS", most)
        assert condition(tree) == expected


def test_the_exact_bound_of_the_shortest_queue_has_at_most_400_servers() -> None:
    assert EXACT_SERVERS == 400
    model = marginal(401, Fraction(1), Fraction(1, 2))
    with pytest.raises(Refusal) as refusal:
        _least_exactly(model, model.number(0), 64, Trial(10**12))
    assert refusal.value.condition == "shape"


def test_a_box_holds_more_than_the_origin() -> None:
    tree = quadratic(2, "1", "1/2", Fraction(9), "1e3", 1)
    tree["witness"]["box"] = 0
    assert condition(tree) == "shape"


@pytest.mark.parametrize("bits", [32, 45])
@pytest.mark.parametrize("count", [1, 2, 3, 10, 100])
def test_harmonic_numbers_are_enclosed(count: int, bits: int) -> None:
    low, high = _harmonic(count, bits, Trial(10**9)).ends()
    assert low <= sum(Fraction(1, m) for m in range(1, count + 1)) <= high
    assert high - low <= Fraction(4 * count, 1 << bits)


def test_a_comparison_of_one_server() -> None:
    """There every policy is the same: an M/M/1 queue, with a mean of phi/(1 - phi)."""
    tree = certificate(kind="rank-comparison", servers=1, slack="1/4", b=["1/8", "1/2"], digits=15)
    assert condition(tree) == ""
    ends = tree["claim"]["random"]["shortest_queue"]
    assert Fraction(ends["lo"]) <= 3 <= Fraction(ends["hi"])
    assert condition(changed(tree, claim__servers=0)) == "hypothesis"


def test_the_widest_interval_gives_the_digits() -> None:
    """A remainder known to 2 digits makes the claim one of 2 digits."""
    tree: Tree = json.loads((FOLDER / "rank-limits-4.json").read_bytes())
    assert "to 2 digits" not in verdict(tree).line()
    for name in ("imbalance", "mean_queue"):
        low = Fraction(tree["claim"][name]["remainder"]["lo"])
        ends = sorted([low * Fraction(199, 200), low * Fraction(201, 200)])
        words = [f"{int(end * 10**20) | 1}e-20" for end in ends]
        wide = dict(zip(("lo", "hi"), words, strict=True))
        forged = changed(tree, **{f"claim__{name}__remainder": wide})
        assert condition(forged) == ""
        assert "to 2 digits" in verdict(forged).line()
