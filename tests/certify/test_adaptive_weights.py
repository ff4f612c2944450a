"""Moving weights: known bounds, the worst weights on a lattice, an adversary, bad input."""

import random
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.errors import InputError
from certify.softmax.adaptive import AdaptiveWeights
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome


@pytest.mark.parametrize(
    ("rates", "arrival", "spread", "power", "crude"),
    [
        ([2, 1], "2", "4", "1/4", 87.43),
        ([2, 1], "2", "7/5", "1", 75),
        ([2, 1], "2", "10", "3/20", 85.75),
        ([3, 2, 1], "9/2", "2", "1/4", 97.14),
    ],
)
def test_better_than_the_crude_constants(
    rates: list[int], arrival: str, spread: str, power: str, crude: float
) -> None:
    """(lambda + Lambda)/(1 - rho K^p) is what estimates by 1 instead of 1/(1+p), 2^-p give."""
    found = AdaptiveWeights(arrival, rates, 0, 1, spread, power).bounds()
    known = (Fraction(arrival) + sum(rates)) / float(found.rate)
    assert round(known, 2) == crude
    assert found.moment_bound < known


def test_the_drift_on_a_lattice_under_the_worst_queue() -> None:
    """Any queue with y_m <= K min y may be joined; compare with floats, far from equality."""
    for spread, power in ((4, Fraction(1, 4)), (Fraction(7, 5), Fraction(1))):
        found = AdaptiveWeights(2, [2, 1], 0, 1, spread, power).bounds()
        p, worst = float(power), -100.0
        for a, b in product(range(0, 150, 1), repeat=2):
            y = (a + 0.5, b + 0.5)
            moved = 2 * y[0] ** p + y[1] ** p
            allowed = [v for v in y if v <= float(spread) * min(y)]
            drift = 2 * max((v + 1) ** (1 + p) - v ** (1 + p) for v in allowed)
            for mu, q, v in ((2, a, y[0]), (1, b, y[1])):
                drift += mu * ((v - 1) ** (1 + p) - v ** (1 + p)) if q else 0
            bound = (1 + p) * (float(found.constant) - float(found.rate) * moved)
            worst = max(worst, drift - bound)
        assert worst < 1e-9


def test_a_learner_that_always_sends_to_the_longer_queue_it_may() -> None:
    """The worst greedy adversary in a box of factor 7/5, simulated: far below the bound."""
    bound = AdaptiveWeights(2, [2, 1], 0, 1, "7/5").bounds().mean_jobs_bound
    chance, queues, area, time = random.Random(1), [0, 0], 0.0, 0.0
    for _ in range(40_000):
        rates = [2.0, 2.0 * (queues[0] > 0), 1.0 * (queues[1] > 0)]
        total = sum(rates)
        holding = chance.expovariate(total)
        area, time = area + sum(queues) * holding, time + holding
        draw = chance.random() * total
        if draw < 2:
            y = [q + 0.5 for q in queues]
            allowed = [n for n in (0, 1) if y[n] <= 1.4 * min(y)]
            queues[max(allowed, key=lambda n: y[n])] += 1
        else:
            queues[0 if draw < 2 + rates[1] else 1] -= 1
    assert 2 < area / time < 8 < bound == Fraction(73, 2)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.fractions(Fraction(1, 5), 5, max_denominator=5), min_size=1, max_size=4),
    st.fractions(Fraction(1, 9), Fraction(8, 9), max_denominator=9),
    st.fractions(0, 9, max_denominator=9),
    st.fractions(1, 9, max_denominator=9),
)
def test_every_box_has_its_bound(
    rates: list[Fraction], load: Fraction, temperature: Fraction, spread: Fraction
) -> None:
    model = AdaptiveWeights(load * sum(rates), rates, temperature, 1, spread)
    found = model.bounds()
    assert check_bytes(found.certificate().to_bytes()).outcome is Outcome.VERIFIED
    assert (found.power == 1) is (load * spread < 1)
    assert found.mean_jobs_bound >= load / (1 - load)


def test_a_larger_box_has_no_smaller_bound() -> None:
    bounds = [
        AdaptiveWeights(2, [2, 1], 0, 1, spread).bounds().mean_jobs_bound
        for spread in (1, "11/10", "7/5", 2, 4, 10)
    ]
    assert bounds == sorted(bounds)


GIVEN = {
    "arrival_rate": 2,
    "service_rates": [2, 1],
    "temperature": 0,
    "lowest": 1,
    "highest": 2,
}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"temperature": -1}, "system.temperature must be at least 0, but was -1."),
        ({"lowest": 0}, "lowest must be positive, but was 0."),
        ({"lowest": 3}, "highest must be at least the lowest, 3, but was 2."),
        ({"power": 2}, "power must lie between 0 and 1, but was 2."),
        (
            {"power": 1, "highest": "3/2"},
            "power must be so small that load (highest/lowest)^power is less than 1, but was 1.",
        ),
        (
            {"lowest": 0.5},
            'lowest must be exact, for example "0.5" in quotes or a Fraction, '
            "but was the float 0.5.",
        ),
    ],
)
def test_bad_input(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError) as error:
        AdaptiveWeights(**GIVEN | changes)
    assert str(error.value) == sentence


def test_a_box_too_large_for_the_powers_tried() -> None:
    with pytest.raises(InputError, match="highest must be less than lowest/load"):
        AdaptiveWeights(2, [2, 1], 0, 1, 10**12).bounds()
    assert AdaptiveWeights(2, [2, 1], 0, 1, 10**12, "1/100").bounds().mean_jobs_bound > 0
