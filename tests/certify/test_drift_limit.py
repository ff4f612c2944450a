"""Limits of drift: the published mutant of eps, scaled weights, bad input."""

from fractions import Fraction
from typing import Any

import pytest

from certify.errors import InputError
from certify.softmax import ReflectedUAS, WeightedShortestQueue
from certify.softmax.limit import DriftLimit


def test_one_percent_more_along_the_ray_of_two_queues() -> None:
    """LV + eps |Q|_1 with eps = 1.01 eps*: 6.4, 10, 46, 406 at (2k, k), k = 10, ..., 10^4."""
    ray = DriftLimit(2, [2, 1], Fraction(4, 300), [2, 4]).ray()
    assert ray.eps == Fraction(101, 75)
    values = [ray.intercept + ray.slope * k for k in (10, 100, 1000, 10_000)]
    assert values == [Fraction(32, 5), 10, 46, 406]
    assert ray.direction == (2, 1)


@pytest.mark.parametrize("scale", ["1/1000", "1/7", "12"])
def test_weights_and_eps_scale_together(scale: str) -> None:
    s = Fraction(scale)
    one, other = DriftLimit(2, [2, 1], 1, [2, 4]), DriftLimit(2, [2, 1], s, [2 * s, 4 * s])
    assert other.largest_eps == s * one.largest_eps
    assert other.ray().slope == s * one.ray().slope
    assert other.ray().intercept == s * one.ray().intercept


def test_the_slow_server_binds() -> None:
    ray = DriftLimit(1, [2, "1/2"], "1/100", [1, 1]).ray()
    assert (ray.eps, ray.direction) == (Fraction(51, 100), (0, 1))


def test_the_systems_answer_too() -> None:
    rates = [Fraction(k, 10) for k in range(5, 25, 2)]
    uas = ReflectedUAS("11.2", rates, 20, "0.85", "0.5", "0.5")
    drift, ray = uas.drift(), uas.drift_limit("1/100")
    # just above the largest eps: the theorem holds below, no rule reaches this
    assert drift.eps < ray.eps <= drift.eps + Fraction(1, 100) + Fraction(1, 10**19)
    wsq = WeightedShortestQueue(2, [2, 1], [1, 2], 1)
    assert wsq.drift_limit("1/100").eps == wsq.drift().eps + Fraction(1, 100)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((2, [2, 1], 0, [2, 4]), "margin must be positive, but was 0."),
        ((2, [2, 1], 1), "system must have either slopes or beta, but was both or neither."),
        ((2, [2, 1], 1, [2]), "system.slopes must have 2 entries, but was 1."),
        ((2, [2, 1], 1, [2, 0]), "system.slopes[1] must be positive, but was 0."),
        ((2, [2, 1], 1, None, 0), "system.beta must be positive, but was 0."),
        (
            (2, [2, 1], 1, None, 1000),
            "system.beta must be so small that |beta log mu_i| is at most 500, but was 1000.",
        ),
        (
            (3, [2, 1], 1, [1, 1]),
            "system.arrival_rate must be less than the total service rate 3 (when they are equal "
            "there is no steady state), but was 3.",
        ),
    ],
)
def test_bad_input(arguments: Any, sentence: str) -> None:
    with pytest.raises(InputError) as error:
        DriftLimit(*arguments)
    assert str(error.value) == sentence
