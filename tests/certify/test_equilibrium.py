"""The equilibrium against independent routes and the symmetries it must have."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.errors import InputError
from certify.softmax import ReflectedUAS, WeightedShortestQueue
from certify.softmax.equilibrium import solve
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome

BENCHMARK = ReflectedUAS(
    "11.2",
    [Fraction(k, 10) for k in range(5, 25, 2)],
    alpha=20,
    beta="0.85",
    gamma="0.5",
    offset="0.5",
)

rationals = st.fractions(Fraction(1, 10), 10, max_denominator=30)


@st.composite
def systems(draw: st.DrawFn) -> ReflectedUAS:
    rates = draw(st.lists(rationals, min_size=1, max_size=6))
    load = draw(st.fractions(Fraction(1, 50), Fraction(49, 50), max_denominator=50))
    return ReflectedUAS(
        load * sum(rates),
        rates,
        alpha=draw(rationals),
        beta=draw(st.fractions(Fraction(1, 10), 2, max_denominator=10)),
        gamma=draw(st.fractions(-2, 2, max_denominator=4)),
        offset=draw(st.fractions(0, 2, max_denominator=4)),
    )


def inside(value: object, enclosure: tuple[Fraction, Fraction]) -> bool:
    low, high = (mpmath.mpf(end.numerator) / end.denominator for end in enclosure)
    return bool(low <= value <= high)  # type: ignore[operator]


@settings(max_examples=60, deadline=None)
@given(systems(), st.sampled_from([5, 30, 60]))
def test_complementarity_at_the_enclosed_point(system: ReflectedUAS, digits: int) -> None:
    """At the midpoint lambda p_i - mu_i vanishes for positive queues and is <= 0 for empty ones."""
    found = solve(system, digits)
    if found.undecided:
        return
    with mpmath.workdps(digits + 30):

        def number(value: Fraction) -> mpmath.mpf:
            return mpmath.mpf(value.numerator) / value.denominator

        rates = [number(rate) for rate in system.service_rates]
        queues = [number(sum(each) / 2) for each in found.queue]
        alpha, beta, gamma, offset = map(
            number, (system.alpha, system.beta, system.gamma, system.offset)
        )
        weights = [
            mu**gamma * mpmath.exp(-alpha * (q + offset) / mu**beta)
            for mu, q in zip(rates, queues, strict=True)
        ]
        total = mpmath.fsum(weights)
        assert inside(total / number(system.arrival_rate), widened(found.K, digits))
        for server, rate in enumerate(rates):
            surplus = number(system.arrival_rate) * weights[server] / total - rate
            assert surplus <= mpmath.mpf(10) ** (3 - digits) * (1 + alpha) * rate
            if server in found.active:
                assert queues[server] > 0
                assert abs(surplus) <= mpmath.mpf(10) ** (3 - digits) * (1 + alpha) * rate


def widened(enclosure: tuple[Fraction, Fraction], digits: int) -> tuple[Fraction, Fraction]:
    margin = 50 * enclosure[1] / Fraction(10) ** (digits - 2)
    return enclosure[0] - margin, enclosure[1] + margin


@settings(max_examples=40, deadline=None)
@given(systems(), st.sampled_from([10, 50]), st.booleans())
def test_the_checker_accepts_what_is_made(system: ReflectedUAS, digits: int, summary: bool) -> None:
    report = check_bytes(solve(system, digits).certificate(summary).to_bytes())
    assert report.outcome is Outcome.VERIFIED, report.line()
    assert report.digits is not None


@settings(max_examples=30, deadline=None)
@given(systems(), st.randoms(use_true_random=False))
def test_permuting_servers_permutes_the_queues(system: ReflectedUAS, random: object) -> None:
    order = list(range(len(system.service_rates)))
    random.shuffle(order)  # type: ignore[attr-defined]
    other = ReflectedUAS(
        system.arrival_rate,
        [system.service_rates[i] for i in order],
        alpha=system.alpha,
        beta=system.beta,
        gamma=system.gamma,
        offset=system.offset,
    )
    first, second = solve(system, 20), solve(other, 20)
    assert overlap(first.K, second.K)
    assert [first.theta[i] for i in order] == list(second.theta)
    assert sorted(order.index(i) for i in first.active) == list(second.active)


def overlap(first: tuple[Fraction, Fraction], second: tuple[Fraction, Fraction]) -> bool:
    return first[0] <= second[1] and second[0] <= first[1]


@settings(max_examples=30, deadline=None)
@given(systems(), rationals)
def test_a_smaller_arrival_rate_empties_queues(system: ReflectedUAS, factor: Fraction) -> None:
    share = factor / 11
    lighter = ReflectedUAS(
        system.arrival_rate * share,
        system.service_rates,
        alpha=system.alpha,
        beta=system.beta,
        gamma=system.gamma,
        offset=system.offset,
    )
    heavy, light = solve(system, 15), solve(lighter, 15)
    assert light.K[1] > heavy.K[0]
    assert set(light.active) <= set(heavy.active) | set(heavy.undecided)
    assert all(a[0] <= b[1] for a, b in zip(light.queue, heavy.queue, strict=True))


@settings(max_examples=30, deadline=None)
@given(systems(), st.sampled_from([2, 3, Fraction(1, 2)]))
def test_weighted_queue_is_the_same_family(system: ReflectedUAS, scale: Fraction) -> None:
    """Multiplying weights and temperature by one number changes no routing probability."""
    weights = [1 + Fraction(i, 3) for i in range(len(system.service_rates))]
    plain, scaled = (
        WeightedShortestQueue(
            system.arrival_rate,
            system.service_rates,
            weights=[factor * w for w in weights],
            temperature=factor,
        )
        for factor in (Fraction(1), Fraction(scale))
    )
    first, second = solve(plain, 20), solve(scaled, 20)
    assert first.active == second.active
    assert all(overlap(a, b) for a, b in zip(first.queue, second.queue, strict=True))


def test_the_reflected_equation_runs_into_it() -> None:
    """Direct integration from three starts ends at the enclosed queues (a floating-point route)."""
    mu = np.array([float(rate) for rate in BENCHMARK.service_rates])
    alpha, beta, gamma, offset, arrival = 20.0, 0.85, 0.5, 0.5, 11.2

    def drift(q: np.ndarray) -> np.ndarray:
        exponent = gamma * np.log(mu) - alpha * (q + offset) / mu**beta
        p = np.exp(exponent - exponent.max())
        return arrival * p / p.sum() - mu

    target = [float(sum(each) / 2) for each in solve(BENCHMARK, 20).queue]
    for start in (np.zeros(10), np.ones(10), np.linspace(0, 2, 10)):
        q = start
        for _ in range(10_000):  # a fixed point of the clipped Euler step is an equilibrium
            q = np.maximum(q + 0.004 * drift(q), 0)
        assert np.abs(q - target).max() < 1e-12


def test_printed_values_of_the_benchmark() -> None:
    found = solve(BENCHMARK)
    assert float(found.K[0]) == pytest.approx(2.9632296885526138907591903479e-4, rel=1e-15)
    published = [0] * 5 + [
        0.0590434622186262,
        0.116885930598665,
        0.173255035443467,
        0.228335263548642,
        0.282272696741628,
    ]
    for enclosure, value in zip(found.queue, published, strict=True):
        assert float(enclosure[0]) == pytest.approx(value, rel=1e-14, abs=0)
    assert repr(found).startswith("Equilibrium(servers=10, K in [0.000296322, 0.000296323]")


def test_ties_are_undecided_and_only_ties() -> None:
    """theta = mu when gamma = 2 and offset = 0: G(2) = 2 + 1/2, so at 5/2 the first server ties."""
    tie = ReflectedUAS("5/2", [2, 1], alpha=1, beta=1, gamma=2, offset=0)
    found = solve(tie, 30)
    assert found.undecided == (0,)
    assert found.K[0] <= 2 <= found.K[1]
    near = ReflectedUAS(
        Fraction(5, 2) + Fraction(1, 10**70), [2, 1], alpha=1, beta=1, gamma=2, offset=0
    )
    found = solve(near, 30)
    assert found.active == (0,)
    assert found.queue[0][0] > 0
    assert check_bytes(found.certificate().to_bytes()).outcome is Outcome.VERIFIED


def test_a_root_at_a_power_of_ten() -> None:
    """theta = 2 and 1/2, so G(1) = 2 + 1/4; the two ends of K have different numbers of digits."""
    system = ReflectedUAS("9/4", [2, "1/2"], alpha=1, beta=1, gamma=2, offset=0)
    found = solve(system, 30)
    assert found.K[0] < 1 < found.K[1]
    assert found.active == (0,)
    assert check_bytes(found.certificate().to_bytes()).outcome is Outcome.VERIFIED


def test_several_tied_servers() -> None:
    """theta = 2, 2, 1, so G(2) = 2 + 2 + 1/2."""
    system = ReflectedUAS("9/2", [2, 2, 1], alpha=1, beta=1, gamma=2, offset=0)
    found = solve(system, 30)
    assert found.undecided == (0, 1)
    for summary in (False, True):
        report = check_bytes(found.certificate(summary).to_bytes())
        assert report.outcome is Outcome.VERIFIED, report.line()


@pytest.mark.parametrize("digits", [1, 2, 17, 400])
def test_any_number_of_digits(digits: int) -> None:
    report = check_bytes(solve(BENCHMARK, digits).certificate().to_bytes())
    assert report.outcome is Outcome.VERIFIED, report.line()
    assert report.digits is not None
    assert report.digits >= digits


def test_extreme_parameters() -> None:
    for alpha, offset in ((10**4, 1), (Fraction(1, 10**6), 0), (500, 10)):
        system = ReflectedUAS(1, ["1/2", 3], alpha=alpha, beta=1, gamma=-3, offset=offset)
        report = check_bytes(solve(system, 20).certificate().to_bytes())
        assert report.outcome is Outcome.VERIFIED, report.line()
    almost_saturated = ReflectedUAS(
        3 - Fraction(1, 10**40), [1, 2], alpha=2, beta=1, gamma=1, offset=1
    )
    report = check_bytes(solve(almost_saturated, 20).certificate().to_bytes())
    assert report.outcome is Outcome.VERIFIED, report.line()


def test_a_thousand_servers_in_summary() -> None:
    rates = [Fraction(1000 + (k * 7919) % 5000, 3000) for k in range(1000)]
    system = ReflectedUAS(sum(rates) * Fraction(4, 5), rates, alpha=5, beta=1, gamma=1, offset=1)
    found = solve(system, 20)
    report = check_bytes(found.certificate(summary=True).to_bytes())
    assert report.outcome is Outcome.VERIFIED, report.line()
    claim = found.certificate(summary=True).claim
    queues = [found.queue[server] for server in found.active]
    assert Fraction(claim["largest_queue"]["lo"]) == max(low for low, _ in queues)
    assert Fraction(claim["smallest_active_queue"]["hi"]) == min(high for _, high in queues)


def test_floats_are_refused() -> None:
    words = r"^system\.alpha must be exact, for example \"0\.85\" in quotes"
    with pytest.raises(InputError, match=words):
        ReflectedUAS(1, [2], alpha=0.85, beta=1, gamma=1, offset=1)  # type: ignore[arg-type]
