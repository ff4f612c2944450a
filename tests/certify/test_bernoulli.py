"""Fixed probabilities: exact solves of truncated chains, best weights, bad input."""

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.errors import InputError
from certify.kinds import make_file
from certify.shipped import find
from certify.softmax import Bernoulli

RATES = [Fraction(k, 10) for k in range(5, 25, 2)]
PAIR = Bernoulli(2, [2, 1], ["9/10", "1/10"])


def generator(model: Bernoulli, V: dict[tuple[int, ...], Fraction], Q: tuple[int, ...]) -> Fraction:
    value = Fraction(0)
    for i, (p, mu) in enumerate(zip(model.routing, model.service_rates, strict=True)):
        up, down = list(Q), list(Q)
        up[i], down[i] = Q[i] + 1, Q[i] - 1
        value += model.arrival_rate * p * (V[tuple(up)] - V[Q])
        value += mu * (V[tuple(down)] - V[Q]) if Q[i] else 0
    return value


def test_drift_on_a_box_by_the_definition() -> None:
    for weights in ([1, 2], [5, Fraction(1, 3)], None):
        found = PAIR.drift(weights)
        states = list(product(range(12), repeat=2))
        V = {Q: sum(a * q * q for a, q in zip(found.weights, Q, strict=True)) / 2 for Q in states}
        inner = [Q for Q in states if max(Q) < 11]
        levels = [generator(PAIR, V, Q) + found.eps * sum(Q) for Q in inner]
        assert max(levels) == found.R


def test_mean_by_an_exact_solve_of_the_truncated_pair() -> None:
    """The joint chain on a box, arrivals at full queues lost: the float solve tends to the mean."""
    model, size = Bernoulli(1, [2, 3], ["2/5", "3/5"]), 20
    states = {Q: n for n, Q in enumerate(product(range(size), repeat=2))}
    matrix = np.zeros((len(states), len(states)))
    for Q, n in states.items():
        for i, (p, mu) in enumerate(zip(model.routing, model.service_rates, strict=True)):
            for step, rate in ((1, float(model.arrival_rate * p)), (-1, float(mu))):
                target = tuple(q + step * (j == i) for j, q in enumerate(Q))
                if target in states:
                    matrix[n, states[target]] += rate
                    matrix[n, n] -= rate
    balance = np.vstack([matrix.T, np.ones(len(states))])
    law = np.linalg.lstsq(balance, np.append(np.zeros(len(states)), 1), rcond=None)[0]
    mean = sum(law[n] * sum(Q) for Q, n in states.items())
    assert mean == pytest.approx(float(sum(model.mean_queues)), abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 30)), min_size=1, max_size=6))
def test_default_weights_bound_the_mean_up_to_half_a_job_per_server(
    servers: list[tuple[int, int]],
) -> None:
    total = sum(count for count, _ in servers) + 1
    routing = [Fraction(count, total) for count, _ in servers] + [Fraction(1, total)]
    rates = [p + Fraction(room, 7) for p, (_, room) in zip(routing, servers, strict=False)]
    model = Bernoulli(1, [*rates, 2], routing)
    found = model.drift()
    assert found.eps == 1
    assert sum(model.mean_queues) + Fraction(len(routing), 2) == found.R


def test_named_routing() -> None:
    assert Bernoulli(1, [1, 2], "uniform").routing == (Fraction(1, 2),) * 2
    assert Bernoulli(1, [1, 2], "proportional").routing == (Fraction(1, 3), Fraction(2, 3))


def test_growth_in_a_simulation() -> None:
    """Uniform routing at the benchmark, seen from far: 1.28 jobs more per unit time."""
    model, horizon = Bernoulli("11.2", RATES, "uniform"), 20_000.0
    rng, total = np.random.default_rng(7), 0.0
    for p, mu in zip(model.routing, model.service_rates, strict=True):
        up, down = float(model.arrival_rate * p), float(mu)
        steps = rng.random(rng.poisson((up + down) * horizon)) < up / (up + down)
        walk = np.cumsum(np.where(steps, 1, -1))
        total += walk[-1] - min(0, walk.min())
    assert total / horizon == pytest.approx(float(model.growth_rate), abs=0.05)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((0, [1], [1]), "system.arrival_rate must be positive, but was 0."),
        ((1, [1, -2], [1, 0]), "system.service_rates[1] must be positive, but was -2."),
        ((1, [], [1]), "system.service_rates must be a non-empty list of numbers, but was []."),
        ((1, [1, 2], [1]), "routing must have 2 entries, but was 1."),
        ((1, [1, 2], ["3/2", "-1/2"]), "routing[1] must be at least 0, but was -1/2."),
        ((1, [1, 2], ["1/2", "1/3"]), "routing must have the sum 1, but was 5/6."),
        ((1, [1], "best"), "routing must be a list or one of proportional, uniform, but was best."),
        (
            (1, [1, 2], [0.5, 0.5]),
            'routing[0] must be exact, for example "0.5" in quotes or a Fraction, '
            "but was the float 0.5.",
        ),
    ],
)
def test_bad_input(arguments: Any, sentence: str) -> None:
    with pytest.raises(InputError) as error:
        Bernoulli(*arguments)
    assert str(error.value) == sentence


def test_no_drift_and_no_means_of_an_unstable_routing() -> None:
    model = Bernoulli(3, [1, 5], ["1/2", "1/2"])
    for ask in (model.drift, lambda: model.mean_queues):
        with pytest.raises(InputError) as error:
            ask()
        assert str(error.value) == (
            "routing[0] must be less than 1/3, the share that server can do, for a steady state, "
            "but was 1/2."
        )


def test_bad_weights() -> None:
    with pytest.raises(InputError) as error:
        PAIR.drift([1])
    assert str(error.value) == "weights must have 2 entries, but was 1."
    with pytest.raises(InputError) as error:
        PAIR.drift([1, 0])
    assert str(error.value) == "weights[1] must be positive, but was 0."


def test_weights_of_a_problem_reach_the_claim() -> None:
    assert make_file(find("bernoulli-routing-two")).claim["weights"] == ["1", "2"]
