"""The drift numbers of the Reflected UAS paper and of the weighted queues, by independent means."""

import json
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import mpmath
import pytest

from certify.softmax import ReflectedUAS, System, WeightedShortestQueue
from certify.softmax.drift import certify_drift
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome
from tests.drift_helpers import (
    BENCHMARK,
    COMMON,
    HEAVY,
    RATES,
    TOYS,
    UAS_SPECIAL_CASE,
    WSQ_EQUAL,
    WSQ_THREE,
    WSQ_TWO,
    Generator,
    changed,
    condition,
    number,
    tree_of,
)
from tests.mutation.truth.softmax_drift import _system

ROOT = Path(__file__).parents[2]

GRIDS = {
    "A": ReflectedUAS("11.2", RATES, **COMMON | {"beta": "0.5", "gamma": "0.25", "offset": "0.25"}),
    "B": ReflectedUAS("11.2", RATES, **COMMON | {"beta": "0.5", "gamma": "0.5", "offset": "0.25"}),
    "C": ReflectedUAS("11.2", RATES, **COMMON | {"beta": "0.7", "gamma": "0.25", "offset": "0.25"}),
}
PRINTED = {  # Section 6.2 and Table 3: eps and R
    "benchmark": (BENCHMARK, "0.2128", "24.34"),
    "two-symmetric": (TOYS["two-symmetric"], "0.2000", "1.86"),
    "two-asymmetric": (TOYS["two-asymmetric"], "0.2141", "2.91"),
    "three": (TOYS["three"], "0.2136", "4.45"),
    "two-uas": (TOYS["two-uas"], "0.2000", "1.91"),
}


@pytest.fixture(autouse=True)
def _digits() -> Iterator[None]:
    with mpmath.workdps(30):
        yield


def entropy_constant(system: System) -> Any:
    """The R of the paper: lambda (log N/alpha + max kappa - min kappa) + bound of R_0."""
    g = Generator(system)
    spread = mpmath.log(len(g.rates)) / g.alpha + max(g.shifts) - min(g.shifts)
    noise = sum(mu * v for mu, v in zip(g.rates, g.slopes, strict=True)) / 2
    return g.arrival * (spread + max(g.slopes) / 2) + noise


@pytest.mark.parametrize("name", PRINTED)
def test_printed_constants_are_the_entropy_ones(name: str) -> None:
    system, eps, R = PRINTED[name]
    found = certify_drift(system)
    assert abs(found.eps - Fraction(eps)) <= Fraction(1, 20_000)
    assert abs(entropy_constant(system) - number(R)) <= mpmath.mpf("0.005")
    # the printed R is an upper bound of what is proved here, and so are both constants of it
    assert found.sharp_R <= found.R <= Fraction(R)
    assert number(found.R) < entropy_constant(system)


def test_eps_and_crude_constants_of_the_benchmark() -> None:
    assert mpmath.nstr(number(certify_drift(BENCHMARK).eps), 16) == "0.2128058428694526"
    assert mpmath.nstr(entropy_constant(BENCHMARK), 15) == "24.3386742221725"
    g = Generator(BENCHMARK)
    lambert = mpmath.lambertw(9 / mpmath.e).real - mpmath.log(10)
    assert mpmath.nstr(entropy_constant(BENCHMARK) + g.arrival / g.alpha * lambert, 5) == "23.666"


@pytest.mark.parametrize(
    ("system", "sharp"),
    [
        (BENCHMARK, "9.32797187"),
        (HEAVY, "5.362652"),
        (UAS_SPECIAL_CASE, "9.4806"),
        (TOYS["two-symmetric"], "1.8"),
        (GRIDS["A"], ""),
        (GRIDS["B"], ""),
        (GRIDS["C"], ""),
        (WSQ_TWO, ""),
        (WSQ_THREE, ""),
        (WSQ_EQUAL, ""),
    ],
)
def test_sharp_constants_against_lambert_and_bisection(system: System, sharp: str) -> None:
    """sharp_R agrees with the supremum over real queues to all but the last of 20 digits."""
    tree = tree_of(system)
    with mpmath.workdps(90):
        truth = _system(json.dumps(tree["claim"]["system"], sort_keys=True))
        assert truth is not None
        supremum = truth.supremum
        found = number(Fraction(tree["claim"]["sharp_R"]))
        assert abs(found - supremum) < supremum * mpmath.mpf(10) ** -18
        if sharp:
            places = len(sharp.split(".")[1])
            assert abs(supremum - number(sharp)) <= mpmath.mpf(10) ** -places


def states(count: int, total: int) -> Iterator[tuple[int, ...]]:
    """All states with at most `total` jobs."""
    if count == 0:
        yield ()
        return
    for first in range(total + 1):
        for rest in states(count - 1, total - first):
            yield (first, *rest)


@pytest.mark.parametrize(("name", "size"), list(zip(TOYS, (496, 496, 5456, 496), strict=True)))
def test_exhaustive_grids(name: str, size: int) -> None:
    """Table 3: every state with at most 30 jobs; no violation of either constant."""
    system = TOYS[name]
    found = certify_drift(system)
    assert found.attained is not None
    generator, grid = Generator(system), list(states(len(system.service_rates), 30))
    assert len(grid) == size
    with mpmath.workdps(22):
        worst = max(generator.excess(state, found.eps) for state in grid)
    assert worst <= number(found.sharp_R) + mpmath.mpf(10) ** -18
    assert worst <= number(found.R)
    # the search does at least as well as the grid, up to the millionth it may give away
    assert number(found.attained[1]) >= worst * (1 - mpmath.mpf(10) ** -5)


@pytest.mark.parametrize(
    ("state", "value"),
    [
        ((3, 4, 5, 6, 7, 8, 9, 10, 11, 12), "8.66418"),
        ((3624, 4824, 5973, 7084, 8165, 9221, 10256, 11273, 12274, 13261), "8.81157"),
    ],
)
def test_lattice_values_of_the_benchmark(state: tuple[int, ...], value: str) -> None:
    """Attained by the lattice, hence below sharp_R, and within one of it."""
    found = certify_drift(BENCHMARK)
    excess = Generator(BENCHMARK).excess(state, found.eps)
    assert abs(excess - number(value)) < mpmath.mpf(10) ** -5
    assert number(found.sharp_R) - 1 < excess < number(found.sharp_R)


def test_the_worst_sampled_residual_is_not_the_worst() -> None:
    """Printed: -17.887 in the sampled bank. (3, ..., 12) has -15.674, a far state -15.0152.

    No state reaches -15.0107.
    """
    found = certify_drift(BENCHMARK)
    printed = entropy_constant(BENCHMARK)
    state = tuple(range(3, 13))
    assert found.attained is not None
    assert number(found.attained[1]) - printed > mpmath.mpf("-15.0152")
    residual = Generator(BENCHMARK).excess(state, found.eps) - printed
    assert abs(residual + mpmath.mpf("15.674")) < mpmath.mpf("0.001")
    assert abs(number(found.sharp_R) - printed + mpmath.mpf("15.0107")) < mpmath.mpf("0.0001")


def test_the_lattice_maximum_of_the_uas_special_case() -> None:
    """v_i = 1/mu_i are commensurable: 9 at (2, 3, ..., 11), against 9.4806 over real queues."""
    found = certify_drift(UAS_SPECIAL_CASE)
    assert found.attained is not None
    state, value = found.attained
    assert state == tuple(range(2, 12))
    assert 9 - Fraction(1, 10**15) < value <= 9


WSQ = [  # mu, lambda, w: eps, B of the sharp drift at temperature 0
    (WSQ_TWO, "4/3", "20/3"),
    (WSQ_THREE, "3/2", "63/4"),
    (WSQ_EQUAL, "1", "21/2"),
]


@pytest.mark.parametrize(("system", "eps", "B"), WSQ)
def test_weighted_queues(system: WeightedShortestQueue, eps: str, B: str) -> None:
    """eps exactly, and R = B + lambda temperature kappa_N with Lambert's kappa_N."""
    found = certify_drift(system)
    assert found.eps == Fraction(eps)
    kappa = mpmath.lambertw((len(system.weights) - 1) / mpmath.e).real
    expected = number(B) + number(system.arrival_rate * system.temperature) * kappa
    assert 0 <= number(found.R) - expected < mpmath.mpf(10) ** -17


@pytest.mark.parametrize(
    ("temperature", "bound"),
    [
        ("1/2", "5.2088"),
        (1, "5.4177"),
        (2, "5.8354"),
        (5, "7.0885"),
        (10, "9.1770"),
        (20, "13.3539"),
    ],
)
def test_every_temperature_is_stable(temperature: str | int, bound: str) -> None:
    """R/eps at the temperatures of the table; the sharp constant halves the last one."""
    system = WeightedShortestQueue(2, [2, 1], weights=[1, 2], temperature=temperature)
    found = certify_drift(system)
    assert abs(found.R / found.eps - Fraction(bound)) <= Fraction(1, 20_000)
    assert found.mean_queue_bound <= found.R / found.eps
    if temperature == 20:
        assert found.mean_queue_bound < 6


def test_nearly_greedy_weighted_queues_reach_their_constant() -> None:
    """Equal weights: 21/2 at (1, 1, 1) for every temperature, so no constant is below B."""
    cold = WeightedShortestQueue("4.5", [3, 2, 1], weights=[1, 1, 1], temperature="1/1000")
    found = certify_drift(cold)
    assert Fraction(21, 2) <= found.sharp_R < Fraction(21, 2) + Fraction(1, 100)
    value = Generator(cold).excess((1, 1, 1), found.eps)
    assert abs(value - number("21/2")) < mpmath.mpf(10) ** -20


def test_eps_is_sharp() -> None:
    """One per cent above the largest eps is refused, and false along the critical ray."""
    for system, ray in ((WSQ_TWO, (2, 1)), (TOYS["two-symmetric"], (1, 1))):
        tree = tree_of(system)
        eps = Fraction(tree["claim"]["eps"]) * Fraction(101, 100)
        assert condition(changed(tree, claim__eps=str(eps))) == "slack"
        generator = Generator(system)
        values = [generator.excess((ray[0] * k, ray[1] * k), eps) for k in (10, 100, 10**4, 10**6)]
        assert values == sorted(values)
        assert values[-1] > 1000


def test_the_greedy_queue_along_its_ray() -> None:
    """Temperature 0, (2k, k), eps one per cent too large: 6.4, 10, 46, 406, exactly."""
    weights, rates, eps = (1, 2), (2, 1), Fraction(4, 3) * Fraction(101, 100)
    for k, expected in ((10, "6.4"), (100, "10"), (1000, "46"), (10_000, "406")):
        state = (2 * k, k)
        energies = [w * (2 * x + 1) for w, x in zip(weights, state, strict=True)]
        drift = 2 * min(energies) - sum(
            mu * w * (2 * x - 1) for mu, w, x in zip(rates, weights, state, strict=True)
        )
        assert drift + eps * sum(state) == Fraction(expected)


def test_the_sweep_of_294_points() -> None:
    """Section 6.2: every point has a positive eps and no violation, here at every state."""
    path = ROOT / "certificates" / "softmax-sweep-reflected-uas.json"
    claim = json.loads(path.read_bytes())["claim"]
    report = check_bytes(path.read_bytes())
    assert report.outcome is Outcome.VERIFIED, report.line()
    axes = [claim["grid"][name] for name in ("beta", "gamma", "offset")]
    points = list(product(*axes))
    assert len(points) == len(claim["R"]) == 294
    assert ("17/20", "1/2", "1/2") in points  # the benchmark default
    for place, (beta, gamma, offset) in enumerate(points):
        system = ReflectedUAS("11.2", RATES, alpha=20, beta=beta, gamma=gamma, offset=offset)
        eps, R = Fraction(claim["eps"][place // 42]), Fraction(claim["R"][place])
        assert eps > 0
        assert number(R) <= entropy_constant(system)
        generator = Generator(system)
        for state in ((0,) * 10, (1,) * 10, (5, 0) * 5):
            assert generator.excess(state, eps) <= number(R)


@pytest.mark.parametrize("system", [BENCHMARK, HEAVY], ids=["benchmark", "heavy-5"])
def test_a_far_state_comes_near_to_the_sharp_constant(system: ReflectedUAS) -> None:
    """Lattice reduction: within a thousandth, where states of thousands of jobs do not get."""
    found = certify_drift(system)
    assert found.attained is not None
    state, value = found.attained
    with mpmath.workdps(60):
        assert number(value) <= Generator(system).excess(state, found.eps)
    assert found.sharp_R * Fraction(999, 1000) < value < found.sharp_R
    assert system is not BENCHMARK or value > Fraction("9.318")
