"""The audit of the potential against its definition, far states, symmetry and bad input."""

from fractions import Fraction
from math import comb
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.certificate import exact
from certify.errors import InputError
from certify.kinds import make_file
from certify.softmax import ReflectedUAS, WeightedShortestQueue
from certify.softmax.obstruction import certify_obstruction, words
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome
from tests.mutation.truth.softmax_obstruction import Potential, truth

COMMON: dict[str, Any] = {"alpha": 20, "beta": "0.85", "gamma": "0.5", "offset": "0.5"}
BENCHMARK = ReflectedUAS("11.2", [Fraction(k, 10) for k in range(5, 25, 2)], **COMMON)
rationals = st.fractions(Fraction(1, 5), 4, max_denominator=12)


@st.composite
def systems(draw: st.DrawFn) -> ReflectedUAS | WeightedShortestQueue:
    rates = draw(st.lists(rationals, min_size=1, max_size=3))
    if draw(st.booleans()):
        rates = [rates[0]] * len(rates)
    arrival = draw(st.fractions(Fraction(1, 20), Fraction(19, 20), max_denominator=20)) * sum(rates)
    if draw(st.booleans()):
        weights = [draw(rationals) for _ in rates]
        return WeightedShortestQueue(arrival, rates, weights=weights, temperature=draw(rationals))
    beta = draw(st.sampled_from([Fraction(1), Fraction(17, 20), Fraction(3, 2)]))
    gamma, offset = draw(st.fractions(-1, 1, max_denominator=2)), draw(rationals)
    return ReflectedUAS(
        arrival, rates, alpha=draw(rationals) * 5, beta=beta, gamma=gamma, offset=offset
    )


@settings(max_examples=25, deadline=None)
@given(systems(), st.integers(0, 4), st.sampled_from([3, 12]))
def test_what_is_made_is_true_and_verified(system: Any, radius: int, digits: int) -> None:
    found = certify_obstruction(system, radius, digits)
    certificate = found.certificate()
    report = check_bytes(certificate.to_bytes())
    assert report.outcome is Outcome.VERIFIED, report.line()
    assert truth(certificate.claim) is not False
    servers = len(system.service_rates)
    assert found.states == comb(servers + radius, servers)
    inner = comb(radius, servers) if radius >= servers else 0
    assert found.boundary_states == found.states - inner
    assert found.max_boundary_gap.value[0] <= found.max_gap.value[1]
    assert words(certificate.claim).endswith(".")


def test_the_drift_comes_back_at_states_as_far_away_as_wanted() -> None:
    """Part (c) of the theorem, followed to explicit states: multiples that fit 1/v_1 : 1/v_2."""
    system = ReflectedUAS("2.4", [1, 2], **COMMON)
    found = certify_obstruction(system, 4).interior_drift
    assert found is not None
    H = Potential(system.to_claim())
    value, ratio = float(found.value[0]), float(H.v[0] / H.v[1])
    assert found.state == (2, 4)
    good = [t for t in range(1, 3000) if abs(t * ratio - round(t * ratio)) < 0.0005]
    assert len(good) >= 2
    for t in good:
        far = (2 + t, 4 + round(t * ratio))
        assert abs(float(H.drift(far)) - value) < 0.05


def test_the_diagonal_is_the_same_everywhere() -> None:
    system = ReflectedUAS(4, [2, 2, 2], alpha=3, beta="0.7", gamma=1, offset=0)
    found = certify_obstruction(system, 3, 15)
    assert found.diagonal_drift is not None
    assert found.origin_term is None
    H = Potential(system.to_claim())
    for k in (1, 2, 50):
        assert float(H.drift((k, k, k))) == pytest.approx(float(found.diagonal_drift[0]), rel=1e-13)


def test_permuting_servers_permutes_the_states() -> None:
    first = certify_obstruction(ReflectedUAS("3.6", [1, "1.5", 2], **COMMON), 5)
    second = certify_obstruction(ReflectedUAS("3.6", [2, "1.5", 1], **COMMON), 5)
    assert first.max_gap.state == second.max_gap.state[::-1]
    assert first.max_gap.value == second.max_gap.value
    assert first.positive_coordinate_states == second.positive_coordinate_states


def test_one_server_never_rises() -> None:
    """LH = -(mu - lambda)**2 v at every busy state of a single queue."""
    found = certify_obstruction(ReflectedUAS(1, [2], alpha=3, beta=1, gamma=1, offset=1), 6)
    assert found.interior_drift is None
    assert found.diagonal_drift is not None
    assert found.diagonal_drift[0] <= Fraction(-1, 2) <= found.diagonal_drift[1]
    assert found.origin_term == Fraction(1, 2)
    assert found.positive_boundary_states == 1


def test_a_sum_that_is_exactly_zero_stays_undecided() -> None:
    """gamma = 2, offset = 0: shares 1/5 and 4/5 at the origin; at 25/9 the two terms cancel."""
    found = certify_obstruction(ReflectedUAS("25/9", [1, 2], alpha=1, beta=1, gamma=2, offset=0), 0)
    assert (found.positive_boundary_states, found.undecided_states) == (0, 1)
    assert found.max_boundary_term.value[0] < 0 < found.max_boundary_term.value[1]
    certificate = found.certificate()
    assert check_bytes(certificate.to_bytes()).outcome is Outcome.VERIFIED
    certificate.claim["undecided_states"] = 0
    assert check_bytes(certificate.to_bytes()).outcome is Outcome.REJECTED


def test_a_largest_value_at_a_power_of_ten() -> None:
    """1/10 = (2/4) (1/4 - 1/20): the ends of its enclosure have units that differ by ten."""
    system = WeightedShortestQueue(
        1, ["1/2", "1/4", "1/4", "1/5"], weights=[1, 1, 1, 1], temperature=1
    )
    found = certify_obstruction(system, 0)
    assert found.max_boundary_term.value[0] < Fraction(1, 10) < found.max_boundary_term.value[1]


def test_the_benchmark_reaches_plus_88() -> None:
    found = certify_obstruction(BENCHMARK, 1)
    assert found.interior_drift is not None
    assert found.interior_drift.state == tuple(range(3, 13))
    assert Fraction("88.46") < found.interior_drift.value[0] < Fraction("88.47")
    H = Potential(BENCHMARK.to_claim())
    assert abs(H.drift(tuple(range(3, 13))) - float(found.interior_drift.value[0])) < 1e-12
    assert "Obstruction(radius=1, states=11" in repr(found)


@pytest.mark.parametrize(
    ("rates", "radius", "sentence"),
    [
        ([1] * 21, 0, "system.service_rates must have at most 20 entries, but was 21."),
        ([1] * 10, 12, "radius must leave at most 200000 states of 10 queues, but was 12."),
    ],
)
def test_bad_sizes(rates: list[int], radius: int, sentence: str) -> None:
    system = ReflectedUAS(1, rates, alpha=1, beta=1, gamma=1, offset=1)
    with pytest.raises(InputError) as error:
        certify_obstruction(system, radius)
    assert str(error.value) == sentence


@pytest.mark.parametrize(
    ("alpha", "radius", "size"), [(10**7, 0, "2.00e+7"), (100, 500, "5.02e+4"), (4 * 10**4, 0, "8")]
)
def test_energies_beyond_writing(alpha: int, radius: int, size: str) -> None:
    system = ReflectedUAS(1, [1, 1], alpha=alpha, beta=1, gamma=1, offset=0)
    with pytest.raises(InputError) as error:
        certify_obstruction(system, radius)
    start = f"system must keep alpha (v_i {radius + 2} + |kappa_i|) below 40000, but was up to "
    assert str(error.value).startswith(start + size)


def test_rates_that_differ_by_many_powers_of_ten() -> None:
    system = ReflectedUAS(10**6, ["1/1000000", 10**7], alpha="1e-4", beta=1, gamma=0, offset=0)
    found = certify_obstruction(system, 0)
    assert check_bytes(found.certificate().to_bytes()).outcome is Outcome.VERIFIED
    assert found.interior_drift is None or max(found.interior_drift.state) <= 10**6 + 100


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("radius = -1", "radius must be a whole number from 0 to 200000, but was -1."),
        (
            "radius = 2.5",
            "radius must be a whole number from 0 to 200000, but was a decimal number (5/2).",
        ),
        ("", "radius must be given, but was missing."),
        ("radius = 2\ngrid = 3", "grid must be a known key (here: "),
    ],
)
def test_bad_problem_files(tmp_path: Path, line: str, sentence: str) -> None:
    path = tmp_path / "problem.toml"
    path.write_text(
        f'kind = "softmax-obstruction"\n{line}\n[system]\narrival_rate = 1\n'
        "service_rates = [1, 1]\nalpha = 1\nbeta = 1\ngamma = 1\noffset = 1\n"
    )
    with pytest.raises(InputError) as error:
        make_file(path)
    assert str(error.value).startswith(sentence)


def test_the_exact_origin_of_the_symmetric_pair() -> None:
    found = certify_obstruction(ReflectedUAS("1.6", [1, 1], **COMMON), 15)
    assert exact(found.origin_term or 0) == "8/25"
    assert found.max_boundary_term.state == (0, 0)
