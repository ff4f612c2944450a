"""Means of steady states: known ones, symmetries, the order of policies, bad input."""

import json
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import certify
from certify.errors import InputError, OutOfReach
from certify.kinds import make_file
from certify.problem import Table
from certify.shipped import find
from certify.softmax import (
    UAS,
    Bernoulli,
    ReflectedUAS,
    ShortestQueue,
    StationaryMean,
    System,
    WeightedShortestQueue,
    poisson,
    stationary,
    stationary_mean,
)
from certify.softmax.stationary import make
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome
from tests.drift_helpers import COMMON
from tests.mutation.truth.softmax_stationary import energies_of, mean, number, numbers, truth

CERTIFICATES = Path(__file__).parents[2] / "certificates"
WIDE = Fraction(1, 20)
rates = st.fractions(Fraction(1, 2), 3, max_denominator=4)
weights = st.fractions(Fraction(1, 2), 2, max_denominator=4)


@st.composite
def systems(draw: st.DrawFn, most: int = 2) -> System:
    servers = draw(st.integers(1, most))
    mu, w = ([draw(each) for _ in range(servers)] for each in (rates, weights))
    arrival = draw(st.fractions(Fraction(1, 10), Fraction(7, 10), max_denominator=10)) * sum(mu)
    alpha = draw(st.fractions(1, 20, max_denominator=2))
    beta = draw(st.fractions(Fraction(1, 4), Fraction(5, 4), max_denominator=4))
    offset = draw(st.fractions(0, 1, max_denominator=4))
    offsets = [draw(st.fractions(-1, 1, max_denominator=4)) for _ in range(servers)]
    made: list[System] = [
        ReflectedUAS(arrival, mu, alpha, beta, Fraction(1, 2), offset),
        WeightedShortestQueue(arrival, mu, w, 1 / alpha),
        ShortestQueue(arrival, mu, w, offsets),
        ShortestQueue.jsq(arrival, mu),
        ShortestQueue.jssq(arrival, mu),
    ]
    return draw(st.sampled_from(made))


def bounds(system: System, width: Any = WIDE) -> StationaryMean:
    """The interval, unless it takes large tables."""
    try:
        return stationary_mean(system, width)
    except OutOfReach:
        assume(False)
        raise


def meet(one: StationaryMean, other: StationaryMean) -> bool:
    return one.low <= other.high and other.low <= one.high


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Smaller tables will do."""
    monkeypatch.setattr(poisson, "MAX_STATES", 3_000)


@settings(max_examples=12, deadline=None)
@given(systems(3), st.sampled_from([Fraction(1, 5), WIDE, Fraction(1, 100)]))
def test_what_is_made_is_verified_and_true(system: System, width: Fraction) -> None:
    found = bounds(system, width)
    assert 0 < found.high - found.low <= width
    certificate = found.certificate()
    assert truth(certificate.claim) is not False
    report = check_bytes(certificate.to_bytes())
    assert report.outcome is Outcome.VERIFIED, report.line()


@settings(max_examples=6, deadline=None)
@given(systems(), st.fractions(Fraction(1, 50), 50, max_denominator=50))
def test_scaling_time_changes_no_mean(system: System, factor: Fraction) -> None:
    """Both policies of exact energies look at the queues only."""
    assume(isinstance(system, ShortestQueue | WeightedShortestQueue))
    faster: System
    scaled = [rate * factor for rate in system.service_rates]
    if isinstance(system, ShortestQueue):
        faster = ShortestQueue(system.arrival_rate * factor, scaled, system.slopes, system.offsets)
    else:
        assert isinstance(system, WeightedShortestQueue)
        faster = WeightedShortestQueue(
            system.arrival_rate * factor, scaled, system.weights, system.temperature
        )
    assert meet(bounds(system), bounds(faster))


@settings(max_examples=6, deadline=None)
@given(systems(), st.randoms(use_true_random=False))
def test_the_order_of_the_servers_does_not_matter(system: System, chance: Any) -> None:
    places = list(range(len(system.service_rates)))
    chance.shuffle(places)

    def mixed(values: Sequence[Fraction]) -> list[Fraction]:
        return [values[i] for i in places]

    other: System
    mu = mixed(system.service_rates)
    if isinstance(system, ShortestQueue):
        slopes, offsets = mixed(system.slopes), mixed(system.offsets)
        other = ShortestQueue(system.arrival_rate, mu, slopes, offsets)
    elif isinstance(system, WeightedShortestQueue):
        other = WeightedShortestQueue(
            system.arrival_rate, mu, mixed(system.weights), system.temperature
        )
    else:
        assert isinstance(system, ReflectedUAS)
        parameters = (system.alpha, system.beta, system.gamma, system.offset)
        other = ReflectedUAS(system.arrival_rate, mu, *parameters)
    assert meet(bounds(system), bounds(other))


@settings(max_examples=8, deadline=None)
@given(systems(1), st.sampled_from([Fraction(1, 10), Fraction(1, 10**9), Fraction(1, 10**25)]))
def test_one_server_is_the_queue_of_one_server(system: System, width: Fraction) -> None:
    found = bounds(system, width)
    (rate,) = system.service_rates
    assert found.low <= system.arrival_rate / (rate - system.arrival_rate) <= found.high


@settings(max_examples=6, deadline=None)
@given(rates, st.sampled_from([Fraction(1, 10), Fraction(1, 2), Fraction(7, 10)]))
def test_no_policy_has_fewer_jobs_than_the_shortest_queue_of_equal_servers(
    rate: Fraction, load: Fraction
) -> None:
    """Winston (1977). JSQ has no fewer jobs than one server of both rates, and no more than two."""
    arrival, mu = 2 * rate * load, [rate, rate]
    best = bounds(ShortestQueue.jsq(arrival, mu))
    assert best.high >= load / (1 - load)
    assert best.low <= 2 * load / (1 - load)
    others: list[System] = [UAS(arrival, mu, 2), WeightedShortestQueue(arrival, mu, [1, 2], 1)]
    for other in others:
        assert best.low <= bounds(other).high


def shipped(name: str) -> tuple[Fraction, Fraction]:
    tree = json.loads((CERTIFICATES / f"softmax-stationary-{name}.json").read_bytes())
    ends = tree["claim"]["mean_total_queue"]
    return Fraction(ends["lo"]), Fraction(ends["hi"])


@pytest.mark.parametrize(
    ("system", "order", "width"),
    [
        ("two-symmetric", ["jsq", "reflected", "uas"], "1e-6"),
        ("two-asymmetric", ["reflected", "jssq", "uas", "jsq"], "1e-6"),
        ("three", ["reflected", "jssq", "uas", "jsq"], "1e-3"),
    ],
)
def test_the_order_of_the_policies(system: str, order: list[str], width: str) -> None:
    intervals = [shipped(f"{system}-{policy}") for policy in order]
    assert all(one[1] < other[0] for one, other in pairwise(intervals))
    assert all(high - low <= Fraction(width) for low, high in intervals)


def test_the_ninth_decimal_of_two_equal_servers() -> None:
    low, high = shipped("two-symmetric-jsq")
    assert Fraction("4.729178588") < low < high < Fraction("4.729178589")
    low, high = shipped("two-symmetric-reflected")
    assert Fraction("4.729178589") < low < high < Fraction("4.72917859")


@pytest.mark.parametrize(
    ("name", "top"),
    [
        ("two-symmetric-jsq", 170),
        ("two-symmetric-reflected", 170),
        ("two-asymmetric-uas", 120),
        ("two-asymmetric-jssq", 120),
    ],
)
def test_the_stationary_law_itself(name: str, top: int) -> None:
    """On many more levels than the truth of forgeries takes."""
    tree = json.loads((CERTIFICATES / f"softmax-stationary-{name}.json").read_bytes())
    system, policy = tree["claim"]["system"], tree["claim"]["policy"]
    mu = numbers(system["service_rates"])
    found = mean(number(system["arrival_rate"]), mu, *energies_of(policy, system, mu), top)
    assert found is not None
    low, high = shipped(name)
    value, error = found
    assert error < 1e-6
    assert float(low) - error <= value <= float(high) + error


@pytest.mark.parametrize("name", ["one", "wsq-two", "wsq-greedy"])
def test_the_small_ones_are_shipped_as_made(name: str) -> None:
    found = make_file(find(f"softmax-stationary-{name}")).to_bytes()
    assert found == (CERTIFICATES / f"softmax-stationary-{name}.json").read_bytes()


def test_the_last_digits_of_floating_point_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a solver that errs by a millionth everywhere."""
    system = UAS("0.9", [1, "0.5"], 10)
    expected = stationary_mean(system, "1e-8").certificate().to_bytes()
    exact, noise = poisson.splu, np.random.default_rng(1)

    class Noisy:
        def __init__(self, *arguments: Any, **options: Any) -> None:
            self.exact = exact(*arguments, **options)

        def solve(self, right: Any) -> Any:
            return self.exact.solve(right) * (1 + 1e-6 * noise.standard_normal(len(right)))

    monkeypatch.setattr(poisson, "splu", Noisy)
    assert stationary_mean(system, "1e-8").certificate().to_bytes() == expected


def test_the_questions_of_a_system() -> None:
    system = ReflectedUAS("0.8", [1, 1], **COMMON)
    found = system.stationary_mean("1/100")
    assert found == stationary_mean(system, "1/100")
    assert repr(found).startswith("StationaryMean(servers=2, low=1.00")
    assert "width=0.00" in repr(found)
    assert certify.softmax.StationaryMean is StationaryMean


@pytest.mark.parametrize("width", [0, 2, "-1e-3", "1e-31", 0.5, "narrow", None])
def test_a_bad_width(width: Any) -> None:
    with pytest.raises(InputError, match=r"^width must "):
        stationary_mean(UAS("0.8", [1, 1], 10), width)


@pytest.mark.parametrize("system", [None, "jsq", Bernoulli(1, [1, 1], "uniform")])
def test_no_system(system: Any) -> None:
    with pytest.raises(InputError, match=r"^system must be a softmax or shortest-queue system"):
        stationary_mean(system)


@pytest.mark.parametrize("scale", ["1e-13", "1e13"])
def test_rates_without_measure(scale: str) -> None:
    factor = Fraction(scale)
    with pytest.raises(InputError, match=r"^system must have rates from 1e-12 to 1e12, but was"):
        stationary_mean(ShortestQueue.jsq(factor, [factor, factor]))


@pytest.mark.parametrize(
    ("arrival", "mu", "load"),
    [
        ("11.2", [Fraction(k, 10) for k in range(5, 25, 2)], "4/5"),
        ("1.9999", [1, 1], "19999/20000"),
        (1, [1] * 70, "1/70"),
    ],
)
def test_tables_beyond_the_limit(arrival: Any, mu: list[Any], load: str) -> None:
    beyond = f"a width of 1e-6 with {len(mu)} servers at load {load} takes tables of more than 3000"
    with pytest.raises(OutOfReach, match=f"^{beyond} states$"):
        stationary_mean(UAS(arrival, mu, 10))


def test_energies_beyond_the_exponentials_of_the_checker() -> None:
    with pytest.raises(OutOfReach, match=r"^alpha times an energy of \d+ jobs is not below 2\^20$"):
        stationary_mean(UAS(1, [2, 1], "1e8"), "1/10")
    found = stationary_mean(UAS(1, [2, 1], "1e4"), "1/10")
    assert check_bytes(found.certificate().to_bytes()).outcome is Outcome.VERIFIED


@pytest.mark.parametrize("unit", ["1e-12", "1e-3", "5e11"])
def test_the_slowest_and_the_fastest_rates(unit: str) -> None:
    """The same queues in another unit of time, to 1e-6."""
    rate = Fraction(unit)
    fast = stationary_mean(ShortestQueue.jsq(rate, [rate, 2 * rate]))
    assert meet(fast, stationary_mean(ShortestQueue.jsq(1, [1, 2])))
    assert check_bytes(fast.certificate().to_bytes()).outcome is Outcome.VERIFIED


def test_a_problem() -> None:
    inner = {"arrival_rate": 1, "service_rates": [2, 1], "policy": "jssq"}
    values = {"width": "1/10", "system": inner}
    claim = make(Table(values)).claim
    assert claim["policy"] == "shortest-queue"
    assert claim["system"]["slopes"] == claim["system"]["offsets"] == ["1/2", "1"]
    words = stationary.words(claim)
    assert words.startswith("Under shortest-queue routing to 2 servers the mean number of jobs in")
    with pytest.raises(InputError, match=r"^system.policy must be one of jsq, jssq, weighted"):
        make(Table({**values, "system": inner | {"policy": "random"}}))
    with pytest.raises(InputError, match=r"^digits must be a known key"):
        make(Table({**values, "digits": 3}))
