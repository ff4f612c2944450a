"""The drift against independent routes, the symmetries it must have, and bad input."""

import dataclasses
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from scipy.optimize import minimize
from scipy.special import wrightomega

from certify.balls import round_down, unit
from certify.errors import InputError
from certify.kinds import make, make_file
from certify.problem import Table
from certify.shipped import problems
from certify.softmax import ReflectedUAS, System, WeightedShortestQueue
from certify.softmax.drift import certify_drift, words
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome
from tests.drift_helpers import (
    ALL,
    BENCHMARK,
    COMMON,
    FREE,
    TOYS,
    WSQ_LIGHT,
    Generator,
    energies,
    number,
)

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "certificates" / "schema" / "softmax-drift.json").read_text())
rationals = st.fractions(Fraction(1, 10), 10, max_denominator=30)
loads = st.fractions(Fraction(1, 50), Fraction(49, 50), max_denominator=50)


@st.composite
def reflected(draw: st.DrawFn) -> ReflectedUAS:
    rates = draw(st.lists(rationals, min_size=1, max_size=5))
    return ReflectedUAS(
        draw(loads) * sum(rates),
        rates,
        alpha=draw(rationals),
        beta=draw(st.fractions(Fraction(1, 10), 2, max_denominator=10)),
        gamma=draw(st.fractions(-2, 2, max_denominator=4)),
        offset=draw(st.fractions(0, 2, max_denominator=4)),
    )


@st.composite
def weighted(draw: st.DrawFn) -> WeightedShortestQueue:
    pairs = draw(st.lists(st.tuples(rationals, rationals), min_size=1, max_size=5))
    rates, weights = zip(*pairs, strict=True)
    return WeightedShortestQueue(
        draw(loads) * sum(rates), rates, weights=weights, temperature=draw(rationals)
    )


systems = st.one_of(reflected(), weighted())


@settings(max_examples=25, deadline=None)
@given(systems, st.sampled_from([1, 8, 40]), st.data())
def test_certificates_are_verified_and_true_at_states(
    system: System, digits: int, data: st.DataObject
) -> None:
    found = certify_drift(system, digits)
    certificate = found.certificate()
    Draft202012Validator(SCHEMA).validate(json.loads(certificate.to_bytes()))
    report = check_bytes(certificate.to_bytes())
    assert report.outcome is Outcome.VERIFIED, report.line()
    assert found.sharp_R <= found.R * (1 + Fraction(1, 10 ** (digits - 1)))
    assert found.mean_queue_bound >= found.sharp_R / found.eps
    assert found.attained is not None
    state, value = found.attained
    with mpmath.workdps(60):
        generator = Generator(system)
        assert number(value) <= generator.excess(state, found.eps) <= number(found.sharp_R)
        for _ in range(5):
            other = data.draw(st.tuples(*[st.integers(0, 30)] * len(system.service_rates)))
            assert generator.excess(other, found.eps) <= number(min(found.sharp_R, found.R))


@settings(max_examples=12, deadline=None)
@given(systems, st.randoms(use_true_random=False))
def test_the_order_of_the_servers_does_not_matter(system: System, chance: Any) -> None:
    order = list(range(len(system.service_rates)))
    chance.shuffle(order)
    changes: dict[str, Any] = {"service_rates": [system.service_rates[i] for i in order]}
    if isinstance(system, WeightedShortestQueue):
        changes["weights"] = [system.weights[i] for i in order]
    one, other = (certify_drift(s, 10) for s in (system, dataclasses.replace(system, **changes)))
    assert one.eps == other.eps
    for name in ("R", "sharp_R"):
        assert close(getattr(one, name), getattr(other, name), 9)


@settings(max_examples=12, deadline=None)
@given(weighted(), rationals)
def test_a_change_of_the_time_unit(system: WeightedShortestQueue, factor: Fraction) -> None:
    """All rates times t: eps and the constants times t, the queue bound as before."""
    rates = [factor * rate for rate in system.service_rates]
    faster = dataclasses.replace(
        system, arrival_rate=factor * system.arrival_rate, service_rates=rates
    )
    one, other = certify_drift(system, 12), certify_drift(faster, 12)
    assert close(factor * one.eps, other.eps, 11)
    for name, scale in (("R", factor), ("sharp_R", factor), ("mean_queue_bound", Fraction(1))):
        assert close(scale * getattr(one, name), getattr(other, name), 8)


@pytest.mark.parametrize("system", [BENCHMARK, *TOYS.values()], ids=str)
def test_a_constant_in_every_kappa_drops_out(system: ReflectedUAS) -> None:
    """Rates times 2^20 and alpha times 2^17 (beta = 17/20): all alpha kappa_i move by one number.

    Then v_i is 2^-17 as large, the routing the same, and eps and the constants 2^3 times as large.
    """
    if system.beta == 1:
        return
    scale = 2**20
    moved = dataclasses.replace(
        system,
        arrival_rate=scale * system.arrival_rate,
        service_rates=[scale * rate for rate in system.service_rates],
        alpha=2**17 * system.alpha,
    )
    one, other = certify_drift(system), certify_drift(moved)
    assert close(8 * one.eps, other.eps, 19)
    for name in ("R", "sharp_R"):
        assert close(8 * getattr(one, name), getattr(other, name), 18)


def close(one: Fraction, other: Fraction, digits: int) -> bool:
    return abs(one - other) <= max(abs(one), abs(other)) / 10**digits


def test_an_offset_for_equal_servers_drops_out() -> None:
    """kappa_i = offset v_i: equal for equal servers."""
    for offset in (0, 3):
        moved = dataclasses.replace(TOYS["two-symmetric"], offset=Fraction(offset))
        assert certify_drift(moved).sharp_R == certify_drift(TOYS["two-symmetric"]).sharp_R


def float_bound(system: System, eps: float) -> float:
    """The least sharp constant over all shares, by SLSQP on its convex form: a second route."""
    alpha, slopes, shifts = (np.array(each, dtype=float) for each in energies(system))
    rates = np.array([float(rate) for rate in system.service_rates])
    arrival, count = float(system.arrival_rate), len(rates)
    caps = rates - eps / slopes

    def supremum(shares: Any) -> tuple[float, Any]:
        shares = np.maximum(shares, 1e-300)
        base = 1 + alpha * (shifts - slopes / 2)

        def chances(n: float) -> Any:
            return np.exp(wrightomega(base + n + np.log(shares / arrival)) - base - n)

        low, high = float(max(shares / arrival - base)) - 1e-9, 0.0
        high = low + 1
        while chances(high).sum() > 1:
            high += 1 + high - low
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (middle, high) if chances(middle).sum() > 1 else (low, middle)
        p = chances(low)
        level = np.log(p) / alpha + shifts
        return float(((shares - arrival * p) * level + arrival * slopes * p / 2).sum()), level

    matrix = np.hstack([-np.diag(slopes), np.eye(count)])
    constraints = [
        {"type": "eq", "fun": lambda z: z[:count].sum() - arrival},
        {"type": "ineq", "fun": lambda z: matrix @ z - eps + rates * slopes / 2},
    ]
    start = caps * arrival / caps.sum()
    terms = np.maximum(eps + (start - rates / 2) * slopes, 0)
    solution = minimize(
        lambda z: supremum(z[:count])[0] + z[count:].sum(),
        np.concatenate([start, terms]),
        jac=lambda z: np.concatenate([supremum(z[:count])[1], np.ones(count)]),
        bounds=[(1e-12, cap) for cap in np.maximum(caps, 2e-12)] + [(0, None)] * count,
        constraints=constraints,
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-13},
    )
    return float(solution.fun)


@pytest.mark.parametrize("system", [*ALL, *FREE], ids=lambda system: repr(system)[:50])
def test_the_sharp_constant_is_the_least_over_all_shares(system: System) -> None:
    found = certify_drift(system)
    # a hair below eps, so that the shares are not forced to a point in floating point
    least = float_bound(system, float(found.eps) * (1 - 1e-9))
    assert float(found.sharp_R) == pytest.approx(least, rel=1e-6)


@settings(max_examples=15, deadline=None)
@given(reflected(), st.fractions(Fraction(1, 50), Fraction(1, 10), max_denominator=50))
def test_the_sharp_constant_at_light_loads(system: ReflectedUAS, load: Fraction) -> None:
    """Where the second term of eps binds the shares are chosen well (SLSQP may do worse)."""
    light = dataclasses.replace(system, arrival_rate=load * sum(system.service_rates))
    found = certify_drift(light)
    least = float_bound(light, float(found.eps) * (1 - 1e-9))
    assert float(found.sharp_R) <= least * (1 + 1e-5) + 1e-9


def test_one_server_is_an_ordinary_queue() -> None:
    """N = 1: drift -(mu - lambda) v Q + (lambda + mu) v/2 for Q > 0, whatever the routing is."""
    found = certify_drift(WeightedShortestQueue(1, [2], weights=["1/2"], temperature=7))
    assert found.eps == 1
    assert close(found.R, Fraction(3, 2), 18)
    assert close(found.sharp_R, Fraction(3, 2), 18)
    assert found.mean_queue_bound >= 1  # lambda/(mu - lambda)


def test_more_digits_refine() -> None:
    coarse, fine = certify_drift(BENCHMARK, 8), certify_drift(BENCHMARK, 40)
    assert coarse.eps <= fine.eps
    assert fine.mean_queue_bound <= coarse.mean_queue_bound
    assert close(coarse.sharp_R, fine.sharp_R, 6)
    assert close(certify_drift(BENCHMARK, 20).sharp_R, fine.sharp_R, 18)


@pytest.mark.parametrize("load", ["4/5", "1/50"])
def test_many_servers(load: str) -> None:
    """Thousands of different servers, forced and free shares: the same theorem, in seconds."""
    rates = [1 + Fraction(i * i % 1009, 1009) for i in range(1200)]
    system = ReflectedUAS(Fraction(load) * sum(rates), rates, **COMMON)
    found = certify_drift(system, 12)
    assert found.attained is None
    assert found.sharp_R < found.R
    assert check_bytes(found.certificate().to_bytes()).outcome is Outcome.VERIFIED


def test_free_shares_beat_the_plain_ones() -> None:
    """Servers with room to spare do not pay mu_i v_i/2: 2.28 instead of 6.28."""
    found = certify_drift(WSQ_LIGHT)
    assert found.eps == 2
    assert found.R < Fraction(23, 10) < Fraction(6)
    assert found.attained is not None
    assert found.attained[1] > Fraction(22, 10)


def test_the_same_bytes_every_time() -> None:
    for system in (BENCHMARK, *FREE):
        first, second = (certify_drift(system).certificate().to_bytes() for _ in range(2))
        assert first == second


def test_python_interface() -> None:
    found = certify_drift(TOYS["two-symmetric"])
    assert repr(found) == ("Drift(servers=2, eps=0.2, R=1.82228, sharp_R=1.8, mean_queue_bound=9)")
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.eps = Fraction(1)  # type: ignore[misc]
    certificate = found.certificate()
    assert certificate.kind == "softmax-drift"
    assert words(certificate.claim) == (
        "At every state of the 2 queues the drift of V = 1/2 sum v_i Q_i^2 is at most "
        "-0.2 |Q|_1 + 1.80001, so E|Q|_1 <= 9.00001 in steady state."
    )


@pytest.mark.parametrize("power", [48, 400])
@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("name", ["alpha", "gamma", "offset"])
def test_numbers_of_any_size(name: str, power: int, sign: int) -> None:
    """Up to 48 powers of ten from 1 everything is proved; what is beyond reach says so."""
    size = Fraction(10) ** (sign * power)
    system = dataclasses.replace(TOYS["two-asymmetric"], **{name: size})
    if power == 400 and (sign > 0 or name == "alpha"):
        with pytest.raises(InputError, match=r"^system must have rates, v_i, kappa_i and energies"):
            certify_drift(system)
        return
    report = check_bytes(certify_drift(system).certificate().to_bytes())
    assert report.outcome is Outcome.VERIFIED, report.line()


SYSTEM = {"arrival_rate": "8/5", "service_rates": [1, 1]} | COMMON


@pytest.mark.parametrize(
    ("problem", "sentence"),
    [
        (
            {"system": SYSTEM | {"arrival_rate": 2}},
            "system.arrival_rate must be less than the total service rate 2 (when they are equal "
            "there is no steady state), but was 2.",
        ),
        (
            {"system": SYSTEM, "digits": 0},
            "digits must be a whole number from 1 to 10000, but was 0.",
        ),
        (
            {"system": SYSTEM, "digits": 10**7},
            "digits must be a whole number from 1 to 10000, but was 10000000.",
        ),
        (
            {"system": SYSTEM, "servers": "summary"},
            "servers must be a known key (here: digits, kind, large, system), but was unknown.",
        ),
        ({}, "system must be given, but was missing."),
        (
            {"system": SYSTEM | {"alpha": -1}},
            "system.alpha must be positive, but was -1.",
        ),
    ],
)
def test_bad_input(problem: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        make(Table({"kind": "softmax-drift"} | problem))
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    "path", [p for p in problems() if p.stem.startswith("softmax-drift-")], ids=lambda p: p.stem
)
def test_shipped_problem(path: Path) -> None:
    certificate = make_file(path)
    assert check_bytes(certificate.to_bytes()).outcome is Outcome.VERIFIED


def test_eps_is_rounded_down_and_no_digit_is_lost_on_the_way() -> None:
    """A number of 20 digits that is rounded down may agree in 19 only: so says the verdict."""
    system = BENCHMARK
    finer = certify_drift(system, 60).eps
    for digits in (1, 2, 19, 20, 21, 40):
        found = certify_drift(system, digits).eps
        assert found == round_down(finer, digits)
        assert 0 < finer - found < unit(finer, digits)
