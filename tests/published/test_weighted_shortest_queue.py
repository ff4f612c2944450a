"""The weighted shortest queue: softmax excess, generator identity, bounds and true means."""

from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest
from scipy.sparse import lil_matrix
from scipy.sparse.linalg import spsolve

from certify.softmax import QueueTail, ShortestQueue, WeightedShortestQueue
from certify.softmax.excess import softmax_excess
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome
from tests.mutation.engine import to_bytes

RATES, WEIGHTS, ARRIVAL = (2, 1), (1, 2), 2
KAPPA = {
    2: "0.278464542761074",
    3: "0.463055513365549",
    4: "0.603545739535836",
    10: "1.10100299727697",
}


@pytest.mark.parametrize("servers", KAPPA)
def test_the_root_of_k_exp_1_plus_k(servers: int) -> None:
    k = softmax_excess(servers, 40)
    with mpmath.workdps(60):
        value = mpmath.mpf(k.numerator) / k.denominator
        reached = value * mpmath.exp(1 + value) - (servers - 1)
        assert 0 <= reached < 1e-37
    assert abs(float(k) - float(KAPPA[servers])) < 5e-15


@pytest.mark.parametrize(
    ("servers", "k", "outcome"),
    [
        (2, "279/1000", Outcome.VERIFIED),
        (3, "58/125", Outcome.VERIFIED),
        (4, "151/250", Outcome.VERIFIED),
        (5, "719/1000", Outcome.VERIFIED),
        (10, "551/500", Outcome.VERIFIED),
        (2, "139/500", Outcome.REJECTED),
        (5, "179/250", Outcome.REJECTED),
    ],
)
def test_short_bounds_of_the_excess(servers: int, k: str, outcome: Outcome) -> None:
    """The checker accepts a k with k exp(1 + k) >= N - 1 and refuses the ones just below."""
    made = QueueTail(ShortestQueue.jsq(servers - Fraction(1, 2), [1] * servers), 1).certificate()
    tree = {"format": "certify/1", "kind": made.kind, "claim": made.claim, "witness": made.witness}
    tree["witness"]["excess"] = k
    tree["claim"] |= {"R": "100", "threshold": "100000"}
    report = check_bytes(to_bytes(tree))
    assert report.outcome is outcome
    if report.refusal is not None:
        assert report.refusal.condition == "excess"


def test_the_largest_excess_on_a_box() -> None:
    """At iota = 1 it is 1/(1 + e), at the empty state; so iota/4 is no bound and iota k is."""
    with mpmath.workdps(30):
        found = {}
        for x in product(range(40), repeat=2):
            energies = [w * (2 * q + 1) for w, q in zip(WEIGHTS, x, strict=True)]
            powers = [mpmath.exp(min(energies) - s) for s in energies]
            mean = sum(p * s for p, s in zip(powers, energies, strict=True)) / sum(powers)
            found[x] = mean - min(energies)
        top = max(found.values())
        assert top - found[0, 0] < 1e-25  # shared by all states whose energies differ by 1
        assert abs(top - 1 / (1 + mpmath.e)) < 1e-25
        assert mpmath.nstr(top, 9) == "0.268941421"
        assert 0.25 < top < float(softmax_excess(2))


@pytest.mark.parametrize("servers", [1, 2, 3])
def test_the_generator_identity(servers: int) -> None:
    """LV = lambda sum p_a w_a (2 x_a + 1) - sum mu_n w_n (2 x_n - l_n), from its definition."""
    rates = [Fraction(n + 2, 3) for n in range(servers)]
    weights = [Fraction(3, n + 1) for n in range(servers)]
    chances = [Fraction(2 * n + 1, servers**2) for n in range(servers)]  # any routing rule
    for x in product(range(6), repeat=servers):

        def energy(state: tuple[int, ...]) -> Fraction:
            return sum((w * q * q for w, q in zip(weights, state, strict=True)), Fraction(0))

        drift = Fraction(0)
        for n in range(servers):
            up = tuple(q + (k == n) for k, q in enumerate(x))
            down = tuple(q - (k == n) for k, q in enumerate(x))
            drift += 7 * chances[n] * (energy(up) - energy(x))
            drift += rates[n] * (energy(down) - energy(x)) if x[n] else 0
        stated = 7 * sum(p * w * (2 * q + 1) for p, w, q in zip(chances, weights, x, strict=True))
        stated -= sum(
            mu * w * (2 * q - (q > 0)) for mu, w, q in zip(rates, weights, x, strict=True)
        )
        assert drift == stated


def mean_jobs(temperature: float, side: int = 40) -> float:
    """E|x|_1 of the chain on a box, in floating point."""
    matrix = lil_matrix((side * side, side * side))
    for a, b in product(range(side), repeat=2):
        energies = np.array([2 * a + 1.0, 4 * b + 2.0])
        powers = np.exp((energies.min() - energies) / temperature)
        shares = ARRIVAL * powers / powers.sum()
        for (c, d), rate in (
            ((a + 1, b), shares[0]),
            ((a, b + 1), shares[1]),
            ((a - 1, b), 2.0),
            ((a, b - 1), 1.0),
        ):
            if 0 <= c < side and 0 <= d < side:
                matrix[c * side + d, a * side + b] += rate
                matrix[a * side + b, a * side + b] -= rate
    matrix[0, :] = 1
    law = spsolve(matrix.tocsc(), np.eye(side * side)[0])
    return float(sum(law[a * side + b] * (a + b) for a, b in product(range(side), repeat=2)))


@pytest.mark.parametrize(
    ("temperature", "known", "crude"), [(1, 2.596473, 5.4177), (5, 2.950977, 7.0885)]
)
def test_the_bound_lies_between_the_truth_and_the_crude_one(
    temperature: int, known: float, crude: float
) -> None:
    true = mean_jobs(temperature)
    assert round(true, 6) == known
    drift = WeightedShortestQueue(ARRIVAL, RATES, WEIGHTS, temperature).drift()
    k = float(softmax_excess(2))
    assert round((20 / 3 + 2 * temperature * k) * 3 / 4, 4) == crude
    assert true < float(drift.mean_queue_bound) < crude
