"""Kinds `rank-limits` and `rank-comparison`: each condition has a forgery that it alone catches."""

from fractions import Fraction
from typing import Any

import pytest

from proofs_checks.checker.verdict import Outcome
from tests.rank_helpers import certificate, changed, condition, spelled, verdict

LIMITS = certificate(kind="rank-limits", servers=16, a=2, b=1, digits=20)
MANY = certificate(kind="rank-limits", servers=150, a=3, b=1, digits=20)
TABLE = certificate(kind="rank-comparison", servers=16, slack=1, b=["1/2", 1], digits=15)
SURD = certificate(kind="rank-comparison", servers=7, slack="1/2", b=[1], digits=15)


def forged(tree: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """A copy with one value replaced; a callable computes the new value from the old one."""

    def edit(copy: dict[str, Any]) -> None:
        *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
        place: Any = copy["claim"]
        for step in steps:
            place = place[step]
        place[last] = value(place[last]) if callable(value) else value

    return changed(tree, edit)


def up(interval: dict[str, str]) -> dict[str, str]:
    """The interval moved up by more than its width."""
    return _moved(interval, 3)


def down(interval: dict[str, str]) -> dict[str, str]:
    """The interval moved down by more than its width."""
    return _moved(interval, -3)


def _moved(interval: dict[str, str], widths: int) -> dict[str, str]:
    low, high = Fraction(interval["lo"]), Fraction(interval["hi"])
    step = widths * (high - low)
    return {"lo": spelled(low + step), "hi": spelled(high + step)}


@pytest.mark.parametrize("tree", [LIMITS, MANY, TABLE, SURD])
def test_true_claims_are_verified(tree: dict[str, Any]) -> None:
    assert verdict(tree).outcome is Outcome.VERIFIED


@pytest.mark.parametrize("shift", [up, down])
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("decay_rates.0", "decay-rate"),
        ("decay_rates.2", "decay-rate"),
        ("distances.1", "distance"),
        ("profile.0.mean", "profile-mean"),
        ("profile.1.limit", "profile-limit"),
        ("profile.2.variance", "profile-variance"),
        ("mean_queue.value", "mean-queue"),
        ("mean_queue.remainder", "mean-remainder"),
        ("imbalance.value", "imbalance"),
        ("imbalance.expansion", "imbalance-expansion"),
        ("imbalance.remainder", "imbalance-remainder"),
    ],
)
def test_limits_intervals(path: str, expected: str, shift: Any) -> None:
    assert condition(forged(MANY, path, shift)) == expected


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("distances.0", lambda text: str(Fraction(text) + Fraction(1, 10**40)), "distance"),
        ("limit_rates.0", "2", "limit-rate"),  # Exp(a) for the shortest queue
        ("limit_rates.1", "2", "limit-rate"),
        ("limit_bounds.1", "1/7", "limit-bound"),
        ("limit_bounds.1", {"lo": "1", "hi": "2"}, "limit-bound"),
        ("mean_queue.expansion", "1043/37", "mean-expansion"),
        ("gaps.0", 1, "shape"),
        ("gaps.3", 16, "shape"),
        ("profile.0.rank", 0, "shape"),
        ("profile.2.rank", 16, "shape"),
        ("limit_rates", ["1"], "shape"),
        ("b", "2", "hypothesis"),
        ("a", "64", "hypothesis"),
        ("servers", 1, "hypothesis"),
        ("dynamics", "original", "format"),
    ],
)
def test_limits_exact(path: str, value: Any, expected: str) -> None:
    assert condition(forged(LIMITS, path, value)) == expected


def test_the_expansion_without_its_linear_term_is_refused() -> None:
    """The coefficient -1/4 of n is part of the statement: leaving it out is another expansion."""
    expansion = Fraction(LIMITS["claim"]["mean_queue"]["expansion"])
    assert condition(forged(LIMITS, "mean_queue.expansion", str(expansion + 4))) == "mean-expansion"


def test_gap_distance_must_fit_its_own_limit() -> None:
    """W1 to Exp(a) is not W1 to Exp(a (1 - k/n)): the claimed pair must belong together."""

    def edit(tree: dict[str, Any]) -> None:
        claim = tree["claim"]
        k = claim["gaps"].index(8)
        claim["limit_rates"][k] = "2"
        claim["distances"][k] = str(Fraction(claim["distances"][k]) - Fraction(1, 2))

    assert condition(changed(LIMITS, edit)) == "limit-rate"


def test_a_wider_interval_and_a_larger_bound_are_weaker_and_true() -> None:
    assert condition(forged(LIMITS, "limit_bounds.1", "1")) == ""
    assert condition(forged(MANY, "imbalance.remainder", {"lo": "0", "hi": "1e2"})) == ""


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("arrival_rate", "251", "arrival-rate"),
        ("random.lookups", "1", "look-ups"),
        ("full.lookups", "4096", "look-ups"),
        ("rows.0.lookups", "64", "look-ups"),
        ("random.mean_queue", "64", "random"),
        ("random.shortest_queue", up, "random"),
        ("full.mean_queue.at_least", "4", "full"),
        ("full.mean_queue.at_most", "4", "full"),
        ("rows.1.original.at_most", "33", "original"),
        ("rows.1.original.at_least", "33", "original"),
        ("rows.0.paused.mean_queue", up, "paused"),
        ("rows.0.paused.shortest_queue", down, "paused"),
        ("rows.1.paused.throughput", up, "paused"),
        ("b", ["1"], "shape"),
        ("b", ["1", "1/2"], "shape"),
        ("b", ["1/2", "63"], "hypothesis"),
        ("b", ["0", "1"], "hypothesis"),
        ("slack", "0", "hypothesis"),
        ("slack", "-1", "hypothesis"),
        ("servers", 0, "hypothesis"),
    ],
)
def test_comparison(path: str, value: Any, expected: str) -> None:
    assert condition(forged(TABLE, path, value)) == expected


def test_rows_cannot_trade_places() -> None:
    def edit(tree: dict[str, Any]) -> None:
        tree["claim"]["rows"].reverse()

    assert condition(changed(TABLE, edit)) == "look-ups"


def test_a_square_root_is_not_its_decimal() -> None:
    claimed = SURD["claim"]["arrival_rate"]
    assert claimed == {"root": 7, "rational": "49", "coefficient": "-1/2"}
    near = str(49 - Fraction(26457513110645905905, 2 * 10**19))
    assert condition(forged(SURD, "arrival_rate", near)) == "arrival-rate"
