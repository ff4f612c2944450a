"""Shortest-queue drifts: known numbers, brute force, the cold limit of the softmax, bad input."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.errors import InputError
from certify.kinds import make_file
from certify.problem import Table
from certify.shipped import find
from certify.softmax import Bernoulli, ShortestQueue, WeightedShortestQueue
from certify.softmax.shortest import make
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.kinds import shortest_queue_drift
from proofs_checks.checker.verdict import Outcome
from tests.mutation.truth.shortest_queue_drift import highest, largest, mean

RATES = [Fraction(k, 10) for k in range(5, 25, 2)]
small = st.fractions(Fraction(1, 4), 4, max_denominator=4)


@st.composite
def systems(draw: st.DrawFn) -> ShortestQueue:
    servers = draw(st.integers(1, 3))
    rates, slopes = ([draw(small) for _ in range(servers)] for _ in range(2))
    offsets = [draw(st.fractions(-2, 2, max_denominator=4)) for _ in range(servers)]
    load = draw(st.fractions(Fraction(1, 20), Fraction(19, 20), max_denominator=20))
    return ShortestQueue(load * sum(rates), rates, slopes, offsets)


@settings(max_examples=15, deadline=None)
@given(systems())
def test_the_constant_is_above_every_state_of_a_box(system: ShortestQueue) -> None:
    found = system.drift()
    data = (system.arrival_rate, system.service_rates, system.slopes, system.offsets)
    assert found.eps == largest(data)
    assert highest(data, found.eps) <= found.R
    assert found.attained is not None
    assert found.attained[1] <= found.R
    report = check_bytes(found.certificate().to_bytes())
    assert report.outcome is Outcome.VERIFIED, report.line()
    assert set(report.tested) == set(shortest_queue_drift.CONDITIONS)


@settings(max_examples=8, deadline=None)
@given(systems().filter(lambda system: len(system.slopes) < 3))
def test_the_bound_is_above_the_mean_of_the_truncated_chain(system: ShortestQueue) -> None:
    data = (system.arrival_rate, system.service_rates, system.slopes, system.offsets)
    assert mean(data) <= float(system.drift().mean_queue_bound) + 1e-9


def test_known_weighted_queues() -> None:
    """eps, R and the bound with rate conservation, computed by hand for two of them."""
    two = ShortestQueue.weighted(2, [2, 1], [1, 2]).drift()
    assert (two.eps, two.R, two.mean_queue_bound) == (
        Fraction(4, 3),
        Fraction(20, 3),
        Fraction(17, 4),
    )
    assert two.attained == ((2, 1), 6)
    three = ShortestQueue.weighted("9/2", [3, 2, 1], [1, "3/2", 3]).drift()
    assert (three.eps, three.R, three.mean_queue_bound) == (
        Fraction(3, 2),
        Fraction(63, 4),
        Fraction(19, 2),
    )
    assert three.attained == ((3, 2, 1), Fraction(27, 2))


def test_jsq_is_bounded_by_the_mean_of_proportional_routing() -> None:
    proportional = sum(Bernoulli("11.2", RATES, "proportional").mean_queues)
    assert ShortestQueue.jsq("11.2", RATES).drift().mean_queue_bound == proportional == 40


def test_it_is_the_cold_limit_of_the_softmax() -> None:
    """At temperature 1/1000 the softmax constant is larger by lambda/1000 times W(1/e)."""
    cold = WeightedShortestQueue(2, [2, 1], [1, 2], "1/1000").drift()
    limit = ShortestQueue.weighted(2, [2, 1], [1, 2]).drift()
    assert cold.eps == limit.eps
    assert 0 < cold.R - limit.R < Fraction(2 * 279, 1000 * 1000)


def test_one_queue_is_the_single_server() -> None:
    """M/M/1 with rates 1 and 2: the bound is the mean itself, 1."""
    found = ShortestQueue.jsq(1, [2]).drift()
    assert (found.eps, found.mean_queue_bound) == (1, 1)


def test_policies_of_a_problem() -> None:
    system = make_file(find("shortest-queue-drift-jssq-benchmark")).claim["system"]
    assert system["slopes"] == system["offsets"] == [str(1 / rate) for rate in RATES]
    system = make_file(find("shortest-queue-drift-wsq-two")).claim["system"]
    assert (system["slopes"], system["offsets"]) == (["2", "4"], ["1", "2"])
    data = {"arrival_rate": 1, "service_rates": [2], "slopes": [3], "offsets": [-1]}
    assert make(Table({"system": data})).claim["system"] == {
        "arrival_rate": "1",
        "service_rates": ["2"],
        "slopes": ["3"],
        "offsets": ["-1"],
    }


def test_a_thousand_servers() -> None:
    rates = [Fraction(1000 + k, 1000) for k in range(1000)]
    certificate = ShortestQueue.jsq(sum(rates) * Fraction(4, 5), rates).drift().certificate()
    assert "attained" not in certificate.claim
    assert check_bytes(certificate.to_bytes()).outcome is Outcome.VERIFIED


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((1, [2], [0], [0]), "system.slopes[0] must be positive, but was 0."),
        ((1, [2, 3], [1], [0, 0]), "system.slopes must have 2 entries, but was 1."),
        ((1, [2, 3], [1, 1], [0]), "system.offsets must have 2 entries, but was 1."),
        (
            (3, [2], [1], [0]),
            "system.arrival_rate must be less than the total service rate 2, but was 3.",
        ),
    ],
)
def test_bad_input(arguments: Any, sentence: str) -> None:
    with pytest.raises(InputError) as error:
        ShortestQueue(*arguments)
    assert str(error.value) == sentence


def test_unknown_policy() -> None:
    table = Table({"system": {"arrival_rate": 1, "service_rates": [2], "policy": "sita"}})
    with pytest.raises(InputError) as error:
        make(table)
    assert str(error.value) == "system.policy must be one of jsq, jssq, weighted, but was sita."
