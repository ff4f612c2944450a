"""Simulated means of Table 4, and of a chain whose mean is known."""

from fractions import Fraction

import numpy as np
import pytest

from certify.evidence.simulation import Rule, least_rule, simulate, softmax_rule
from certify.softmax import UAS, ReflectedUAS

RATES = [Fraction(k, 10) for k in range(5, 25, 2)]
FLOATS = np.array([float(rate) for rate in RATES])


@pytest.mark.parametrize(
    ("name", "rule", "printed"),
    [
        ("ten", softmax_rule(ReflectedUAS("11.2", RATES, 20, "0.85", "0.5", "0.5")), 10.04),
        ("uas", softmax_rule(UAS("11.2", RATES, 10)), 11.47),
        ("jssq", least_rule(1 / FLOATS, 1 / FLOATS), 11.00),
    ],
)
def test_table_4(name: str, rule: Rule, printed: float) -> None:
    found = simulate(11.2, FLOATS, rule, 400, 120.0, seed=len(name))
    assert found.error < 0.15
    assert abs(found.mean - printed) < 4 * found.error


def test_uas_at_the_temperature_of_the_other_rule() -> None:
    """Table 4 compares alpha = 10 with alpha = 20; at equal alpha the gap is smaller."""
    equal = simulate(11.2, FLOATS, softmax_rule(UAS("11.2", RATES, 20)), 400, 120.0, seed=5)
    assert abs(equal.mean - 11.13) < 4 * equal.error
    assert equal.mean < 11.47 - equal.error


def test_two_equal_servers_have_the_known_mean() -> None:
    """JSQ at load 4/5: E|Q|_1 = 4.7292."""
    rule = least_rule(np.ones(2), np.zeros(2))
    found = simulate(1.6, np.ones(2), rule, 1000, 300.0, seed=3)
    assert abs(found.mean - 4.7292) < 4 * found.error
    assert found.error < 0.1


def test_ties_are_broken_evenly_and_softmax_shares_add_up() -> None:
    rule = least_rule(np.array([1.0, 0.5]), np.array([0.0, 0.5]))
    assert rule(np.array([[1.0, 1.0], [0.0, 0.0]])).tolist() == [[0.5, 0.5], [1.0, 0.0]]
    shares = softmax_rule(UAS(1, [1, 2], 3))(np.array([[0.0, 0.0], [5.0, 1.0]]))
    assert np.allclose(shares.sum(axis=1), 1)
    assert (shares > 0).all()
