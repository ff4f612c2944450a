"""Lattice constants against brute force over states, and bad input."""

import json
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from certify.errors import InputError
from certify.kinds import make, make_file
from certify.problem import Table
from certify.shipped import find
from certify.softmax import ReflectedUAS, WeightedShortestQueue
from certify.softmax.drift import certify_drift
from certify.softmax.lattice import certify_lattice_drift, commensurable, words
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome
from tests.drift_helpers import (
    BENCHMARK,
    COMMON,
    TOYS,
    UAS,
    UAS_SPECIAL_CASE,
    WSQ_EQUAL,
    WSQ_LIGHT,
    WSQ_THREE,
    WSQ_TWO,
    Generator,
    number,
)

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "certificates" / "schema" / "softmax-lattice-drift.json").read_text())
CLOSE = mpmath.mpf("1e-5")


@pytest.mark.parametrize(
    ("system", "eps"),
    [
        (TOYS["two-symmetric"], None),
        (TOYS["two-uas"], None),
        (WSQ_TWO, None),
        (WSQ_THREE, None),
        (WSQ_EQUAL, None),
        (WSQ_LIGHT, None),
        (WSQ_TWO, Fraction(1, 2)),
        (TOYS["two-asymmetric"], Fraction(1, 5)),
        (TOYS["three"], Fraction(1, 6)),
    ],
    ids=str,
)
def test_the_largest_drift_of_a_box(system: Any, eps: Fraction | None) -> None:
    """Brute force over a box that holds a period: the same number from both sides."""
    found = certify_lattice_drift(system, eps)
    Draft202012Validator(SCHEMA).validate(json.loads(found.certificate().to_bytes()))
    report = check_bytes(found.certificate().to_bytes())
    assert report.outcome is Outcome.VERIFIED, report.line()
    count = len(system.service_rates)
    with mpmath.workdps(25):
        generator = Generator(system)
        worst = max(
            generator.excess(state, found.eps)
            for state in product(range(10 if count == 2 else 6), repeat=count)
        )
        assert worst <= number(found.R) <= worst * (1 + CLOSE)
        assert number(found.attained[1]) <= worst
        assert number(found.attained[1]) >= worst * (1 - CLOSE)


def test_uas_at_the_benchmark() -> None:
    """9 over the lattice, where real queues reach 9.4806."""
    found = certify_lattice_drift(UAS_SPECIAL_CASE)
    assert found.attained[0] == tuple(range(2, 12))
    assert Fraction("8.9999") < found.attained[1] <= 9 < found.R < Fraction("9.0001")
    assert certify_drift(UAS_SPECIAL_CASE).sharp_R > Fraction("9.48")


def test_the_best_eps_for_the_quadratic_alone() -> None:
    """R(eps)/eps at the benchmark: about 32.5 near 0.1717, more on both sides."""
    bounds = [
        float(certify_lattice_drift(BENCHMARK, Fraction(eps)).mean_queue_bound)
        for eps in ("0.168", "0.1717", "0.175")
    ]
    assert 32.5 < bounds[1] < 32.51
    assert bounds[1] < min(bounds[0], bounds[2])


@settings(max_examples=4, deadline=None)
@given(
    st.lists(st.sampled_from([1, 2, 3, Fraction(3, 2)]), min_size=2, max_size=3),
    st.fractions(Fraction(1, 5), Fraction(9, 10), max_denominator=10),
    st.integers(1, 25),
    st.booleans(),
)
def test_random_commensurable_systems(rates: Any, load: Fraction, alpha: int, uas: bool) -> None:
    arrival = load * sum(map(Fraction, rates))
    if uas:
        system: Any = ReflectedUAS(arrival, rates, **UAS | {"alpha": alpha})
    else:
        heat = Fraction(1, alpha)
        system = WeightedShortestQueue(arrival, rates, weights=rates[::-1], temperature=heat)
    found = certify_lattice_drift(system)
    report = check_bytes(found.certificate().to_bytes())
    assert report.outcome is Outcome.VERIFIED, report.line()
    assert found.attained[1] <= found.R
    least = min(alpha / rate for rate in rates) if uas else 2  # alpha v_i; at least 2 w_i in WSQ
    if least >= 1:
        real = certify_drift(system, 10).sharp_R
        assert real * Fraction(100_001, 100_000) >= found.R


def test_the_loss_where_the_routing_is_soft() -> None:
    """As the theorem page has it: a level says little where alpha v_i is below 1."""
    system = ReflectedUAS(Fraction(81, 10), [3, 3, 3], **UAS | {"alpha": 1})
    found, real = certify_lattice_drift(system), certify_drift(system, 10).sharp_R
    assert round(found.R / real, 2) == Fraction("2.83")
    assert found.attained[1] <= real < found.R


def test_periods() -> None:
    assert commensurable(UAS_SPECIAL_CASE) == [5, 7, 9, 11, 13, 15, 17, 19, 21, 23]
    assert commensurable(WSQ_TWO) == [2, 1]
    assert commensurable(TOYS["two-symmetric"]) == [1, 1]
    assert commensurable(BENCHMARK) is None
    roots = ReflectedUAS(3, [4, 9], **COMMON | {"beta": "1/2"})
    assert commensurable(roots) == [2, 3]


def test_words_and_repr() -> None:
    made = make_file(find("softmax-lattice-drift-uas-special-case"))
    assert words(made.claim) == (
        "At every state of the 10 queues the drift of V = 1/2 sum v_i Q_i^2 is at most "
        "-0.2 |Q|_1 + 9.00001, and no constant below 8.99999 would do."
    )
    text = repr(certify_lattice_drift(TOYS["two-symmetric"], digits=5))
    assert text == "LatticeDrift(servers=2, eps=0.2, R=1.8001, mean_queue_bound=9.0005)"


SYSTEM = {"arrival_rate": "12/5", "service_rates": [1, 2]} | COMMON


@pytest.mark.parametrize(
    ("problem", "sentence"),
    [
        (
            {"system": SYSTEM},
            "eps must be given, for the 1/v_i (v_i: the slopes of the energies) have no common "
            "measure of which all are small multiples, "
            "but was missing.",
        ),
        (
            {"system": SYSTEM, "eps": "1/4"},
            "eps must be positive and below 0.214094, but was 1/4.",
        ),
        ({"system": SYSTEM, "eps": 0}, "eps must be positive and below 0.214094, but was 0."),
        (
            {"system": SYSTEM, "eps": "1/5", "cells": 0},
            "cells must be a whole number from 1 to 20000, but was 0.",
        ),
        (
            {"system": SYSTEM | {"arrival_rate": 30, "service_rates": [1] * 51}, "eps": "1/9"},
            "system.service_rates must have at most 50 entries, but was 51.",
        ),
    ],
)
def test_bad_input(problem: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        make(Table({"kind": "softmax-lattice-drift"} | problem))
    assert str(caught.value) == sentence
