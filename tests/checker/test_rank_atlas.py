"""The adjoint relation of the reflected Atlas process, exactly, on grids that decide polynomials.

Both sides of the relation are polynomials of degree at most 2 in each t_k, so that agreement on
{0, 1, 2}^(m+1) is agreement everywhere (theorems/reflected-atlas.md).
"""

import itertools
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

A, B = Fraction(7, 2), Fraction(3, 5)


def residual(
    t: Sequence[Fraction | int],
    alpha: Sequence[Fraction],
    local: Sequence[Fraction],
    drift: Sequence[Fraction],
    variance: Fraction = Fraction(2),
) -> Fraction:
    """Generator plus boundary terms, applied to exp(-t.g) and divided by its mean.

    Built from the particles: gap k is X_(k+1) - X_(k), particles have the drifts and the variance,
    a collision pushes both neighbours by one half, the wall pushes the lowest by one. `alpha` and
    `local` reach as far as faces exist; the first len(t) gaps occur in the exponent.
    """
    particles = len(t) + 1
    # exponent sum t_k g_k = sum_i weight_i X_i
    weight = [Fraction(0)] * particles
    for k, each in enumerate(t):
        weight[k] += each
        if k:
            weight[k - 1] -= each
    total = variance / 2 * sum(w * w for w in weight)
    total -= sum(w * d for w, d in zip(weight, drift, strict=False))
    for k, (rate, push) in enumerate(zip(alpha, local, strict=True)):
        here = weight[k] - (weight[k - 1] if k else 0)  # derivative along the push at face k
        slope = weight[0] if k == 0 else here / 2
        factor = 1 + (t[k] / rate if k < len(t) else 0)
        total -= push * factor * slope
    return total


def grid(m: int) -> list[tuple[int, ...]]:
    return list(itertools.product((0, 1, 2), repeat=m + 1))


def infinite(m: int, alpha_0: Fraction, a: Fraction) -> list[Fraction]:
    """Residuals on the grid for Exp(alpha_0) x Exp(a) x ..., exponents up to gap m."""
    alpha = [alpha_0] + [a] * (m + 1)
    local = [alpha_0] + [2 * a] * (m + 1)
    drift = [B] + [Fraction(0)] * (m + 1)
    return [residual(t, alpha, local, drift) for t in grid(m)]


@pytest.mark.parametrize("m", [1, 2, 3, 5])
def test_the_product_law_satisfies_the_relation(m: int) -> None:
    assert set(infinite(m, A - B, A)) == {0}


@pytest.mark.parametrize("m", [1, 2, 3])
@pytest.mark.parametrize(("alpha_0", "factor"), [(A, -1), (A + B, -2)])
def test_other_rates_of_the_first_gap_fail_as_stated(
    m: int, alpha_0: Fraction, factor: int
) -> None:
    """What is left is factor * b (t_0 - t_1): not zero."""
    found = infinite(m, alpha_0, A)
    assert found == [factor * B * (t[0] - t[1]) for t in grid(m)]
    assert any(found)


@given(
    st.lists(
        st.fractions(min_value=Fraction(1, 4), max_value=5, max_denominator=4),
        min_size=4,
        max_size=4,
    )
)
@settings(max_examples=60, deadline=None)
def test_no_other_product_law_satisfies_it(alpha: list[Fraction]) -> None:
    """The push rates are forced by the squares; then the family is the only solution."""
    local = [alpha[0]] + [2 * each for each in alpha[1:]]
    drift = [B, Fraction(0), Fraction(0), Fraction(0)]
    holds = not any(residual(t, alpha, local, drift) for t in grid(2))
    assert holds == (alpha[1] == alpha[2] == alpha[3] == alpha[0] + B)


@given(
    st.lists(st.fractions(min_value=-3, max_value=3, max_denominator=5), min_size=2, max_size=5),
    st.fractions(min_value=Fraction(1, 3), max_value=3, max_denominator=3),
)
@settings(max_examples=60, deadline=None)
def test_finitely_many_particles(drift: list[Fraction], variance: Fraction) -> None:
    n = len(drift)
    alpha = [-2 * sum(drift[k:], Fraction(0)) / variance for k in range(n)]
    if min(alpha) <= 0:
        return
    local = [variance / 2 * alpha[0]] + [variance * each for each in alpha[1:]]
    assert not any(residual(t, alpha, local, drift, variance) for t in grid(n - 1))
    bent = [alpha[0] + 1, *alpha[1:]]
    local = [variance / 2 * bent[0], *local[1:]]
    assert any(residual(t, bent, local, drift, variance) for t in grid(n - 1))
