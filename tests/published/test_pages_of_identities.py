"""The theorems of softmax-potential.md and fluid-characteristics.md, in numbers, by another route.

Floating point of forty digits on some systems and laws: it proves nothing, but a theorem with a
wrong sign or constant would not survive it.
"""

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import mpmath
import pytest
from mpmath import mpf

Number = Any  # mpmath has no types
State = Sequence[Number]

RATES = [mpf(1), mpf(3) / 2, mpf(2)]
LAM, ALPHA, BETA, GAMMA, OFFSET = mpf(18) / 5, mpf(3), mpf(17) / 20, mpf(1) / 2, mpf(1) / 2
B = [rate**BETA for rate in RATES]
STATES = list(itertools.product((0, 1, 3), repeat=3))


@pytest.fixture(autouse=True)
def _forty_digits() -> Iterator[None]:
    with mpmath.workdps(40):
        yield


def weights(q: State) -> list[Number]:
    return [
        rate**GAMMA * mpmath.exp(-ALPHA * (x + OFFSET) / b)
        for rate, x, b in zip(RATES, q, B, strict=True)
    ]


def shares(q: State) -> list[Number]:
    w = weights(q)
    return [each / sum(w) for each in w]


def potential(q: State) -> Number:
    linear = sum(rate * x / b for rate, x, b in zip(RATES, q, B, strict=True))
    return linear + LAM / ALPHA * mpmath.log(sum(weights(q)))


def moved(q: State, server: int, by: int) -> list[Number]:
    return [x + by * (place == server) for place, x in enumerate(q)]


def gradient(q: State) -> list[Number]:
    return [(rate - LAM * p) / b for rate, p, b in zip(RATES, shares(q), B, strict=True)]


@pytest.mark.parametrize("q", [(0, 1, 2), (3, 1, 1), (0, 0, 5)])
def test_gradient_and_hessian_along_a_line(q: State) -> None:
    direction = [mpf(2), mpf(-1), mpf(1) / 3]

    def along(t: Number) -> Number:
        return potential([x + t * u for x, u in zip(q, direction, strict=True)])

    slope = sum(g * u for g, u in zip(gradient(q), direction, strict=True))
    assert abs(mpmath.diff(along, 0) - slope) < mpf(10) ** -15
    y = [u / b for u, b in zip(direction, B, strict=True)]
    p = shares(q)
    mean = sum(each * a for each, a in zip(p, y, strict=True))
    square = sum(each * a**2 for each, a in zip(p, y, strict=True))
    assert abs(mpmath.diff(along, 0, 2) - LAM * ALPHA * (square - mean**2)) < mpf(10) ** -10


def test_lower_bound_of_the_potential() -> None:
    capacity = sum(RATES)
    constant = (
        LAM
        / ALPHA
        * sum(
            rate / capacity * (mpmath.log(w) - mpmath.log(rate / capacity))
            for rate, w in zip(RATES, weights([0, 0, 0]), strict=True)
        )
    )
    for q in [*STATES, (40, 0, 0), (0, 40, 0), (40, 40, 40)]:
        linear = sum(rate * x / b for rate, x, b in zip(RATES, q, B, strict=True))
        assert potential(q) >= (1 - LAM / capacity) * linear + constant


def test_generator_is_decomposed_with_a_remainder_within_its_bounds() -> None:
    most = (
        LAM
        * ALPHA
        / 8
        * (
            LAM * max(1 / b**2 for b in B)
            + sum(rate / b**2 for rate, b in zip(RATES, B, strict=True))
        )
    )
    for q in STATES:
        p, g, here = shares(q), gradient(q), potential(q)
        drift, regular = mpf(0), mpf(0)
        for i, rate in enumerate(RATES):
            drift += LAM * p[i] * (potential(moved(q, i, 1)) - here)
            if q[i] > 0:
                drift += rate * (potential(moved(q, i, -1)) - here)
                regular -= B[i] * g[i] ** 2
            else:
                regular += LAM * p[i] * g[i]
        assert 0 <= drift - regular <= most


def test_increments() -> None:
    for q in STATES:
        p, here = shares(q), potential(q)
        for i, rate in enumerate(RATES):
            step = ALPHA / B[i]
            up = rate / B[i] + LAM / ALPHA * mpmath.log(1 - p[i] * (1 - mpmath.exp(-step)))
            down = -rate / B[i] + LAM / ALPHA * mpmath.log(1 + p[i] * (mpmath.exp(step) - 1))
            assert abs(potential(moved(q, i, 1)) - here - up) < mpf(10) ** -35
            assert abs(potential(moved(q, i, -1)) - here - down) < mpf(10) ** -35


# Exponential sizes: D(h) = h - 1 + 2 exp(-h), w(h) = 1 - (1 + h) exp(-h)

RHO = mpf(3) / 4
K = (1 - RHO) / RHO


def deviation(h: Number) -> Number:
    return h - 1 + 2 * mpmath.exp(-h)


def work_below(h: Number) -> Number:
    return 1 - (1 + h) * mpmath.exp(-h)


def exit_cutoff(rho: Number) -> Number:
    return mpmath.findroot(lambda h: work_below(h) - 1 / (2 * rho), mpf(2))


def reach(h: Number, rho: Number, end: Number) -> Number:
    k = (1 - rho) / rho
    return end / deviation(end) + k * mpmath.quad(lambda u: 1 / deviation(u) ** 2, [h, end])


def value(x: Number, delta: Number, end: Number) -> Number:
    """V by solving for the characteristic through (x, delta)."""
    z = delta / x
    h = mpmath.findroot(lambda u: u / deviation(u) / reach(u, RHO, end) - z, (mpf(1) / 5, end))
    level = x / reach(h, RHO, end)
    return (RHO * x * (x - level) / (1 - RHO) - h * level**2 / deviation(h) ** 2) / 2


def test_the_value_solves_its_equation_by_finite_differences() -> None:
    with mpmath.workdps(25):
        end, x, delta = exit_cutoff(RHO), mpf(1), mpf(2) / 5
        step = mpf(10) ** -6
        by_x = (value(x + step, delta, end) - value(x - step, delta, end)) / (2 * step)
        by_delta = (value(x, delta + step, end) - value(x, delta - step, end)) / (2 * step)
        g = -by_delta
        left = (1 - RHO) * by_x + RHO * g * deviation(delta / g)
        assert abs(left - RHO * x) < mpf(10) ** -9
        assert abs(x * by_x + delta * by_delta - 2 * value(x, delta, end)) < mpf(10) ** -9


def test_the_published_cost_of_exponential_sizes() -> None:
    start = 1 / reach(mpf(0), RHO, exit_cutoff(RHO))
    cost = RHO * (1 - start) / (2 * (1 - RHO))
    assert abs(cost - mpf("0.914319")) < mpf("5e-7")
    assert abs(start - mpf("0.3905")) < mpf("5e-5")  # 39.05 % saved against balanced routing


def test_the_exit_value_is_right_and_the_printed_one_is_not() -> None:
    end = exit_cutoff(RHO)
    jobs = 1 - mpmath.exp(-end)
    at_exit = (RHO / (1 - RHO) * (1 - deviation(end) / end) - 1 / end) / 2
    assert abs(at_exit - RHO * (1 - jobs) / (1 - RHO)) < mpf(10) ** -30
    assert abs(at_exit - 2 * RHO**2 * (1 - jobs) / (1 - RHO)) > mpf("0.1")
    # the axis path in time: x' = -(1 - rho), cost rate 2 rho (1 - p_1) x
    path = mpmath.quad(lambda t: 2 * RHO * (1 - jobs) * (1 - (1 - RHO) * t), [0, 1 / (1 - RHO)])
    assert abs(at_exit - path) < mpf(10) ** -30


@pytest.mark.parametrize("rho", ["0.6", "0.75", "0.9", "0.99", "0.999"])
def test_heavy_traffic_ends_hold_and_close(rho: str) -> None:
    with mpmath.workdps(20):
        load = mpf(rho)
        median = mpmath.findroot(lambda h: work_below(h) - mpf(1) / 2, mpf(2))
        ratio = deviation(median) / median
        half_share = (1 - ratio) / 2
        tail = mpmath.quad(lambda u: 1 / deviation(u) ** 2, [0, 1, 3, 10, mpmath.inf])
        lower = load * half_share - (1 - load) / (2 * median)
        upper = load * half_share + (1 - load) * ratio**2 * tail / 2
        end = exit_cutoff(load)
        at_tie = load * (1 - 1 / reach(mpf(0), load, end)) / 2
        on_axis = load * mpmath.exp(-end)
        assert lower <= on_axis <= at_tie <= upper
        assert upper - lower < 2 * (1 - load)
        assert abs(half_share - mpf("0.186682")) < mpf("5e-7")  # the published share
