"""Bounds on the mean queue against the chain, the lattice and other ways; bad input."""

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
from certify.softmax.cells import Guess, best_multiplier, bound
from certify.softmax.mean_queue import TestFunction, certify_mean_queue, words
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome
from tests.drift_helpers import (
    BENCHMARK,
    COMMON,
    LIGHT,
    ROOMY,
    TOYS,
    WSQ_LIGHT,
    WSQ_THREE,
    WSQ_TWO,
    Generator,
    number,
)
from tests.mutation.truth.softmax_mean_queue import stationary_mean

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "certificates" / "schema" / "softmax-mean-queue.json").read_text())
rates = st.fractions(Fraction(1, 2), 3, max_denominator=6)


class Sum:
    """f(Q) = sum f_i(Q_i) of a witness, and (Lf)(Q) + eps |Q|_1 from the definition of L."""

    def __init__(self, system: Any, witness: dict[str, Any]) -> None:
        self.generator = Generator(system)
        self.eps = Fraction(witness["eps"])
        self.linear = [number(Fraction(y)) for y in witness["linear"]]
        self.rows = [[number(Fraction(each)) for each in row] for row in witness["increments"]]

    def increment(self, server: int, queue: int) -> Any:
        row = self.rows[server]
        if queue < len(row):
            return row[queue]
        return self.generator.slopes[server] * (queue + mpmath.mpf(1) / 2) + self.linear[server]

    def drift(self, state: tuple[int, ...]) -> Any:
        made = self.generator
        weights = [
            mpmath.exp(-made.alpha * (v * q + kappa))
            for v, q, kappa in zip(made.slopes, state, made.shifts, strict=True)
        ]
        value = number(self.eps) * sum(state)
        for server, (weight, queue) in enumerate(zip(weights, state, strict=True)):
            value += made.arrival * weight / sum(weights) * self.increment(server, queue)
            if queue:
                value -= made.rates[server] * self.increment(server, queue - 1)
        return value


@pytest.mark.parametrize(
    ("name", "system", "side"),
    [
        ("two-asymmetric", TOYS["two-asymmetric"], 20),
        ("three", TOYS["three"], 9),
        ("wsq-two", WSQ_TWO, 20),
        ("wsq-two-plain", WSQ_TWO, 20),
        ("wsq-three", WSQ_THREE, 8),
        ("light-3", LIGHT, 7),
    ],
)
def test_the_drift_on_a_box_of_states(name: str, system: Any, side: int) -> None:
    """At every state at most C, and somewhere nearly C: the cells lose next to nothing."""
    made = make_file(find(f"softmax-mean-queue-{name}"))
    constant = Fraction(made.claim["mean_queue_bound"]) * Fraction(made.witness["eps"])
    with mpmath.workdps(30):
        function = Sum(system, made.witness)
        count = len(system.service_rates)
        worst = max(function.drift(state) for state in product(range(side), repeat=count))
        assert worst <= number(constant)
        if "levels" in made.witness:
            assert worst >= number(constant) * mpmath.mpf("0.998")


def test_the_worst_states_of_the_benchmark() -> None:
    """States near the critical ray, and the typical one that attains the bound."""
    made = make_file(find("softmax-mean-queue-benchmark"))
    constant = Fraction(made.claim["mean_queue_bound"]) * Fraction(made.witness["eps"])
    with mpmath.workdps(20):
        function = Sum(BENCHMARK, made.witness)
        slopes = function.generator.slopes
        values = [
            function.drift(tuple(max(0, int(mpmath.nint(t / 20 / v - s))) for v in slopes))
            for t in range(160)
            for s in (0.0, 0.3)
        ]
    assert max(values) <= number(constant)
    assert max(values) >= number(constant) * mpmath.mpf("0.9")


@pytest.mark.parametrize(
    ("system", "least"),
    [(TOYS["two-symmetric"], 4.7), (TOYS["two-asymmetric"], 4.6), (WSQ_TWO, 2.5), (WSQ_LIGHT, 0.6)],
    ids=["two-symmetric", "two-asymmetric", "wsq-two", "wsq-light"],
)
@pytest.mark.parametrize("cells", [0, 60])
def test_above_the_mean_of_the_chain(system: Any, least: float, cells: int) -> None:
    mean = stationary_mean(json.dumps(system.to_claim(), sort_keys=True))
    assert mean > least
    assert mean < float(certify_mean_queue(system, cells=cells).mean_queue_bound) < 2.1 * mean


@settings(max_examples=6, deadline=None)
@given(rates, rates, st.fractions(Fraction(1, 10), Fraction(4, 5), max_denominator=20), st.data())
def test_random_pairs(first: Fraction, second: Fraction, load: Fraction, data: Any) -> None:
    arrival = load * (first + second)
    alpha = data.draw(st.integers(1, 30))
    if data.draw(st.booleans()):
        system: Any = ReflectedUAS(arrival, [first, second], alpha, "0.85", "0.5", "0.5")
    else:
        weights = [data.draw(rates), data.draw(rates)]
        system = WeightedShortestQueue(
            arrival, [first, second], weights=weights, temperature=Fraction(1, alpha)
        )
    found = certify_mean_queue(system, cells=data.draw(st.sampled_from([0, 20])))
    certificate = found.certificate()
    Draft202012Validator(SCHEMA).validate(json.loads(certificate.to_bytes()))
    report = check_bytes(certificate.to_bytes())
    assert report.outcome is Outcome.VERIFIED, report.line()
    mean = stationary_mean(json.dumps(system.to_claim(), sort_keys=True))
    assert mean < float(found.mean_queue_bound) * 1.001


@pytest.mark.parametrize("system", [ROOMY], ids=["roomy"])
def test_more_cells_never_harm(system: Any) -> None:
    plain, some, many = (certify_mean_queue(system, cells=n).mean_queue_bound for n in (0, 20, 80))
    assert many <= some * Fraction(1001, 1000) <= plain * Fraction(1002, 1000)


def test_rate_conservation_at_the_benchmark() -> None:
    """8.5592 and 40.22 in place of 9.3280 and 43.83."""
    found = certify_mean_queue(BENCHMARK, cells=0)
    assert round(float(found.mean_queue_bound), 2) == 40.22
    assert round(float(found.mean_queue_bound * found.function.eps), 4) == 8.5592


def test_the_quadratic_alone_has_its_exact_maximum() -> None:
    """V at eps = 0.1717: the bound is the maximum over the lattice, by coordinate ascent."""
    eps = Fraction(1717, 10000)
    plain = TestFunction(eps, (Fraction(0),) * 10, ((),) * 10)
    found = certify_mean_queue(BENCHMARK, plain, cells=60)
    with mpmath.workdps(20):
        generator, best = Generator(BENCHMARK), mpmath.mpf(0)
        for level in range(2, 24):
            state = [max(0, int(mpmath.nint(level / v / 4))) for v in generator.slopes]
            better = True
            while better:
                better = False
                for server, step in product(range(10), (1, -1)):
                    moved = list(state)
                    moved[server] += step
                    if moved[server] < 0:
                        continue
                    if generator.excess(moved, eps) > generator.excess(state, eps):
                        state, better = moved, True
            best = max(best, generator.excess(state, eps))
    assert 32.49 < float(found.mean_queue_bound) < 32.51
    assert float(best) == pytest.approx(float(found.mean_queue_bound * eps), rel=1e-4)


def test_the_multiplier_is_the_best() -> None:
    """The bound of a cell as a function of its multiplier is convex; a fine scan finds no less."""
    guess = Guess(2.4, 20.0, [1.0, 2.0], [1.0, 0.55], [0.5, 0.25], 0.2, [0.1, 0.2], [[], [0.4]])
    for low, high in ((0.75, 0.85), (1.3, 1.5), (1.85, 1.95)):
        multiplier, least = best_multiplier(guess, low, high)
        scan = min(bound(guess, low, high, multiplier + step / 500) for step in range(-500, 501))
        assert least == pytest.approx(scan, abs=2e-3)
        assert least <= scan + 1e-9


def test_the_same_bytes_every_time() -> None:
    plain = TestFunction(Fraction(9, 10), (Fraction(0),) * 3, ((Fraction(1, 3),), (), ()))
    first, second = (certify_mean_queue(LIGHT, plain, 20).certificate() for _ in range(2))
    assert first.to_bytes() == second.to_bytes()


def test_thousands_of_servers() -> None:
    servers = [1 + Fraction(i * i % 1009, 1009) for i in range(1200)]
    system = ReflectedUAS(Fraction(4, 5) * sum(servers), servers, **COMMON)
    found = certify_mean_queue(system)
    assert check_bytes(found.certificate().to_bytes()).outcome is Outcome.VERIFIED


def test_python_interface() -> None:
    found = certify_mean_queue(TOYS["two-symmetric"], cells=0, digits=3)
    assert repr(found) == "MeanQueue(servers=2, mean_queue_bound=8.01)"
    assert words(found.certificate().claim) == (
        "In steady state the 2 queues have at most 8.01 jobs in the mean."
    )


SYSTEM = {"arrival_rate": "8/5", "service_rates": [1, 1]} | COMMON
FUNCTION = {"eps": "1/10", "linear": [0, 0], "increments": [[1], []]}


@pytest.mark.parametrize(
    ("problem", "sentence"),
    [
        (
            {"system": SYSTEM | {"arrival_rate": 3}},
            "system.arrival_rate must be less than the total service rate 2, but was 3.",
        ),
        (
            {"system": SYSTEM, "cells": -1},
            "cells must be a whole number from 0 to 20000, but was -1.",
        ),
        (
            {"system": SYSTEM, "function": FUNCTION | {"eps": "1/5"}},
            "function.eps must be positive and below 0.2, but was 1/5.",
        ),
        (
            {"system": SYSTEM, "function": FUNCTION | {"linear": [0]}},
            "function.linear must have 2 entries, but was 1.",
        ),
        (
            {"system": SYSTEM, "function": FUNCTION | {"increments": [1, 2]}},
            "function.increments must be a list of lists of numbers, but was [1, 2].",
        ),
        (
            {"system": SYSTEM, "function": FUNCTION, "cells": 0},
            "cells must be positive where increments are given, but was 0.",
        ),
        (
            {"system": SYSTEM, "functions": FUNCTION},
            "functions must be a known key (here: cells, digits, kind, large, system), "
            "but was unknown.",
        ),
    ],
)
def test_bad_input(problem: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        make(Table({"kind": "softmax-mean-queue"} | problem))
    assert str(caught.value) == sentence


def test_energies_that_are_far_apart_ask_for_no_more_memory() -> None:
    """There the guess of a probability in floating point may be far above 1."""
    system = ReflectedUAS(Fraction(8, 5), (2, 1), **COMMON | {"alpha": 2, "offset": 10**30})
    found = certify_mean_queue(system, cells=0)
    report = check_bytes(found.certificate().to_bytes())
    assert report.outcome is Outcome.VERIFIED, report.line()
