"""A law without atoms and without a density: the Cantor law, scaled to mean one.

fluid-optimal-paths.md, Theorem 1, gives its least cost by one quadrature. Merging the sizes of each
cylinder into their mean, or splitting them to the ends of the cylinder, makes finite laws below and
above it in convex order, whose least costs, exact by fluid-value.md, must lie on both sides.
"""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import simpson

from certify.fluid import FiniteLaw, dispatch

F = Fraction
LEVELS = 5  # 32 cylinders
POINTS = 3**9  # of the quadrature


def cylinders(levels: int) -> list[Fraction]:
    """The left ends of the cylinders of that level of the Cantor set in [0, 2]."""
    digits = itertools.product((0, 2), repeat=levels)
    return [sum((F(2 * d, 3**place) for place, d in enumerate(word, 1)), F(0)) for word in digits]


def finite(merged: bool) -> FiniteLaw:
    lefts, width = cylinders(LEVELS), F(2, 3**LEVELS)
    if merged:
        return FiniteLaw.rescaled([(left + width / 2, F(1, len(lefts))) for left in lefts])
    ends = [end for left in lefts for end in (left, left + width)]
    return FiniteLaw.rescaled([(end, F(1, len(ends))) for end in ends])


def excess(t: NDArray[np.float64], depth: int = 20) -> NDArray[np.float64]:
    """E(c - t)+ of the Cantor law on [0, 1], by its two copies of a third."""
    if depth == 0:
        return np.maximum(0.5 - t, 0)
    inner = np.minimum(np.maximum(3 * t - 2 * (t >= 0.5), 0), 1)
    copy = excess(inner, depth - 1) / 6
    low = np.where(t <= 1 / 3, copy, 0) + (5 / 6 - t) / 2
    return np.where(t >= 2 / 3, copy, low)


def work(h: float, depth: int = 40) -> float:
    """E[c; c <= h] of the Cantor law on [0, 1]."""
    if depth == 0 or h >= 1 or h < 0:
        return 0.5 * (h >= 1)
    if h < 1 / 3:
        return work(3 * h, depth - 1) / 6
    share = 1 / 12
    if h < 2 / 3:
        return share
    return share + (2 * mass(3 * h - 2, depth - 1) + work(3 * h - 2, depth - 1)) / 6


def mass(h: float, depth: int) -> float:
    if depth == 0 or h >= 1 or h < 0:
        return float(h >= 1)
    if h < 1 / 3:
        return mass(3 * h, depth - 1) / 2
    return 0.5 if h < 2 / 3 else 0.5 + mass(3 * h - 2, depth - 1) / 2


def least_cost(load: float, z: float) -> float:
    """The formula of the page at total work 1."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if 2 * work(middle) < 1 / (2 * load) else (low, middle)
    h = np.linspace(0, 2 * high, POINTS)
    D = h - 1 + 4 * excess(h / 2)
    k = (1 - load) / load
    tail = [simpson(1 / D[i:] ** 2, x=h[i:]) for i in range(0, POINTS, 3**5)]
    X = h[-1] / D[-1] + k * np.array(tail)
    knots, deviation = h[:: 3**5], D[:: 3**5]
    cutoff = np.interp(z, knots / (deviation * X), knots)
    i = int(np.searchsorted(h, cutoff))
    reach = h[-1] / D[-1] + k * simpson(1 / D[i:] ** 2, x=h[i:])
    imbalance = h[i] / (D[i] * reach)
    C = 1 / reach
    value = 0.5 * ((1 - C) / k - imbalance * C / D[i])
    slope = -C / D[i]  # V_delta, to move from the imbalance of the knot to z
    return float(value + slope * (z - imbalance))


@pytest.mark.parametrize("load", ["3/5", "3/4", "9/10"])
@pytest.mark.parametrize("z", ["0", "1/3", "4/5"])
def test_a_singular_law_lies_between_its_finite_neighbours(load: str, z: str) -> None:
    start = (1 - F(z)) / 2, (1 + F(z)) / 2
    merged = float(dispatch(finite(True), load).value(*start))
    split = float(dispatch(finite(False), load).value(*start))
    assert split < merged < split * 1.0002
    assert split - 1e-7 < least_cost(float(F(load)), float(F(z))) < merged + 1e-7
