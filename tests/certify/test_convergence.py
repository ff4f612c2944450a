"""Convergence against integration of the equation and against its lemmas at random points."""

from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.errors import InputError
from certify.kinds import make_file
from certify.softmax import ReflectedUAS, WeightedShortestQueue
from certify.softmax.convergence import Convergence, certify_convergence, words
from certify.softmax.equilibrium import solve
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome

COMMON: dict[str, Any] = {"alpha": 20, "beta": "0.85", "gamma": "0.5", "offset": "0.5"}
BENCHMARK = ReflectedUAS("11.2", [Fraction(k, 10) for k in range(5, 25, 2)], **COMMON)
HALF = Fraction(1, 2)
rationals = st.fractions(Fraction(1, 4), 4, max_denominator=12)


@st.composite
def systems(draw: st.DrawFn) -> ReflectedUAS | WeightedShortestQueue:
    rates = draw(st.lists(rationals, min_size=1, max_size=4))
    arrival = draw(st.fractions(Fraction(1, 10), Fraction(9, 10), max_denominator=10)) * sum(rates)
    if draw(st.booleans()):
        weights = [draw(rationals) for _ in rates]
        return WeightedShortestQueue(arrival, rates, weights=weights, temperature=draw(rationals))
    beta = draw(st.sampled_from([Fraction(1), Fraction(17, 20), Fraction(3, 2)]))
    gamma, offset = draw(st.fractions(-1, 2, max_denominator=2)), draw(rationals)
    return ReflectedUAS(
        arrival, rates, alpha=draw(rationals) * 5, beta=beta, gamma=gamma, offset=offset
    )


class Model:
    """The reflected equation, its equilibrium and Phi, in floating point, from the definitions."""

    def __init__(self, system: Any) -> None:
        self.mu = np.array([float(rate) for rate in system.service_rates])
        self.arrival, self.alpha = float(system.arrival_rate), float(system.inverse_temperature)
        if isinstance(system, WeightedShortestQueue):
            self.kappa = np.array([float(w) for w in system.weights])
            self.v = 2 * self.kappa
        else:
            self.v = self.mu ** -float(system.beta)
            logs = float(system.gamma) / self.alpha * np.log(self.mu)
            self.kappa = float(system.offset) * self.v - logs
        self.target = np.array([float(sum(each) / 2) for each in solve(system, 20).queue])

    def field(self, q: np.ndarray) -> np.ndarray:
        energy = -self.alpha * (self.v * q + self.kappa)
        weights = np.exp(energy - energy.max())
        return np.asarray(self.arrival * weights / weights.sum() - self.mu)

    def distance(self, q: np.ndarray) -> float:
        return float(np.sqrt((self.v * (q - self.target) ** 2).sum()))

    def phi(self, q: np.ndarray) -> float:
        return float(-(self.v * (q - self.target) * self.field(q)).sum())


@settings(max_examples=30, deadline=None)
@given(systems(), st.integers(1, 60), st.sampled_from([6, 16]), st.integers(0, 10**6))
def test_certified_and_true_at_random_points(
    system: Any, bound: int, digits: int, seed: int
) -> None:
    """The checker agrees; Phi is as large as every phase says, at sampled points of its ball."""
    found = certify_convergence(system, Fraction(bound), Fraction(1, 10**digits), HALF)
    report = check_bytes(found.certificate().to_bytes())
    assert report.outcome is Outcome.VERIFIED, report.line()
    model, chance = Model(system), np.random.default_rng(seed)
    for phase in (*found.phases, found.final):
        radius, rate = float(phase.radius), float(phase.rate)
        if radius < 1e-5:  # Phi is lost to rounding
            continue
        for _ in range(20):
            step = chance.normal(size=len(model.mu)) / np.sqrt(model.v)
            step *= radius / np.sqrt((model.v * step**2).sum()) * chance.random()
            q = np.maximum(model.target + step, 0)
            assert model.phi(q) >= rate * model.distance(q) ** 2 * (1 - 1e-6) - 1e-12
    assert words(found.certificate().claim).endswith("on.")


def euler(model: Model, q: np.ndarray, time: float) -> tuple[np.ndarray, list[float]]:
    """Clipped Euler steps; the distances on the way."""
    step = 0.005
    distances = []
    for _ in range(int(time / step)):
        distances.append(model.distance(q))
        q = np.maximum(q + step * model.field(q), 0)
    return q, distances


def test_the_equation_itself_is_there_in_time_and_never_recedes() -> None:
    system = ReflectedUAS("3.6", [1, "1.5", 2], **COMMON)
    found = certify_convergence(system, Fraction(8), Fraction(1, 10**6))
    model = Model(system)
    for start in ([8, 8, 8], [0, 8, 0], [8, 0, 0], [0, 0, 0], [1, 7, 3]):
        q, distances = euler(model, np.array(start, dtype=float), float(found.time))
        assert model.distance(q) < 1e-6
        far = [d for d in distances if d > 1e-3]
        assert all(b <= a + 1e-9 for a, b in pairwise(far))


def test_no_queue_empties_faster_than_the_spare_capacity_allows() -> None:
    """From (u, ..., u) at least N u/(Lambda - lambda) is needed: the time is not far above it."""
    found = certify_convergence(ReflectedUAS("1.6", [1, 1], **COMMON), Fraction(100), HALF**40)
    assert 500 <= found.time < 520


def test_table_5_is_settled_before_its_terminal_time() -> None:
    """Euler trajectories were run to time 800; every start of the bank has queues below 100."""
    found = certify_convergence(BENCHMARK, Fraction(100), Fraction(1, 10**16))
    assert found.time < 740
    assert found.diameter < Fraction(122, 10**17)
    chance = np.random.default_rng(42)
    starts = [chance.uniform(0, 30, 10) for _ in range(10)]
    starts += [chance.exponential(10, 10) for _ in range(10)]
    assert max(start.max() for start in starts) < 100


def test_a_smaller_box_takes_less_time_and_a_coarser_sequence_more() -> None:
    def time(bound: int, shrink: str = "9/10") -> Fraction:
        tolerance = Fraction(1, 10**12)
        return certify_convergence(BENCHMARK, Fraction(bound), tolerance, Fraction(shrink)).time

    assert time(1) < time(10) < time(100)
    assert time(10) < time(10, "1/2")


def test_the_local_rate_is_near_the_true_one() -> None:
    """Linearised at q*, the busy server of two relaxes at alpha mu v (1 - p*) = 3.68."""
    system = ReflectedUAS("2.4", [1, 2], **COMMON)
    found = certify_convergence(system, Fraction(4), Fraction(1, 10**9))
    with mpmath.workdps(30):
        exact = 20 * mpmath.mpf(2) ** 0.15 * (1 - mpmath.mpf(2) / mpmath.mpf("2.4"))
    assert 0.9 * exact < float(found.final.rate) < exact


def test_one_server() -> None:
    found = certify_convergence(
        ReflectedUAS(1, [2], alpha=3, beta=1, gamma=1, offset=1), Fraction(10), Fraction(1, 1000)
    )
    assert Fraction(10) <= found.time < Fraction(11)  # it empties at speed mu - lambda = 1


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"start_bound": "0"}, "start_bound must be positive, but was 0."),
        ({"tolerance": "-1"}, "tolerance must be positive, but was -1."),
        ({"shrink": "1"}, "shrink must lie strictly between 0 and 1, but was 1."),
        ({"tolerance": None}, "tolerance must be given, but was missing."),
        ({"steps": "3"}, "steps must be a known key (here: "),
    ],
)
def test_bad_input(tmp_path: Path, changes: dict[str, str | None], sentence: str) -> None:
    values = {"start_bound": "3", "tolerance": "1e-9"} | changes
    lines = "".join(f"{key} = {value}\n" for key, value in values.items() if value is not None)
    path = tmp_path / "problem.toml"
    path.write_text(
        f'kind = "softmax-convergence"\n{lines}[system]\narrival_rate = 1\n'
        "service_rates = [1, 1]\nalpha = 1\nbeta = 1\ngamma = 1\noffset = 1\n"
    )
    with pytest.raises(InputError) as error:
        make_file(path)
    assert str(error.value).startswith(sentence)


def test_energies_beyond_writing() -> None:
    with pytest.raises(InputError, match=r"system must keep alpha \(v_i 100000 \+ \|kappa_i\|\)"):
        certify_convergence(BENCHMARK, Fraction(10**5), Fraction(1, 10))


@pytest.mark.parametrize("slack", [Fraction(1, 1000), Fraction(1, 10**20)])
def test_near_saturation_it_takes_long_but_not_forever(slack: Fraction) -> None:
    system = ReflectedUAS(3 - slack, [1, 2], alpha=20, beta=1, gamma=1, offset=1)
    found = certify_convergence(system, Fraction(10), Fraction(1, 10**9))
    assert check_bytes(found.certificate().to_bytes()).outcome is Outcome.VERIFIED
    assert found.time > 1 / slack


def test_the_same_bytes_twice() -> None:
    def made() -> Convergence:
        return certify_convergence(BENCHMARK, Fraction(10), Fraction(1, 1000), HALF)

    assert made().certificate().to_bytes() == made().certificate().to_bytes()
    assert "time=" in repr(made())
