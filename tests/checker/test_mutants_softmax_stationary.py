"""Kind `softmax-stationary` by hand: conditions at their borders, values by their definitions."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import comb
from random import Random
from typing import Any

import pytest

from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.kernel.real import Real
from proofs_checks.checker.kinds.exact_lists import unit
from proofs_checks.checker.kinds.softmax_routing import Routed, Routing, read_routed
from proofs_checks.checker.kinds.softmax_stationary import Chain, Function, _states
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Outcome, Trial
from tests.drift_helpers import changed, condition, verdict
from tests.mutation.engine import Tree, to_bytes
from tests.mutation.truth.softmax_stationary import truth

BITS = 128


def tree(system: dict[str, Any], lo: str, hi: str, **witness: Any) -> Tree:
    policy = "softmax" if {"alpha", "weights"} & set(system) else "shortest-queue"
    return {
        "format": "certify/1",
        "kind": "softmax-stationary",
        "claim": {
            "policy": policy,
            "system": system,
            "mean_total_queue": {"lo": lo, "hi": hi},
        },
        "witness": {"precision": 64, "excess": "1/2"} | witness,
    }


def shortest(arrival: str, rates: list[str], slopes: list[str], offsets: list[str]) -> Any:
    names = ("arrival_rate", "service_rates", "slopes", "offsets")
    return dict(zip(names, (arrival, rates, slopes, offsets), strict=True))


# JSQ at two equal servers at load 1/2: eps = 1/2 is the largest, R = 1/2 + 1, and every number
# below is dyadic, so that intervals hold it exactly
PAIR = shortest("1", ["1", "1"], ["1", "1"], ["0", "0"])
SMALL = tree(
    PAIR, "5e-1", "3", eps="1/2", shares=["1/2", "1/2"], slope="2", total=0,
    upper=["0"], lower=["-5e-1"],
)  # fmt: skip


def test_a_table_of_the_empty_state_alone() -> None:
    """Far out slope R = 3 <= hi; at 0: 1 - upper <= hi; at e_i: 1 + upper <= hi."""
    assert verdict(SMALL).outcome is Outcome.VERIFIED
    assert "N = 2: E|Q| from 5e-1 to 3 in steady state" in verdict(SMALL).text
    assert truth(SMALL["claim"]) is True


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"claim__mean_total_queue__hi": "2999999e-6"}, "far"),
        ({"witness__slope": "199999/100000"}, "steep"),
        ({"witness__upper__0": "2"}, ""),  # at e_i: 1 + 2
        ({"witness__upper__0": "2000001e-6"}, "upper"),
        ({"witness__upper__0": "-2"}, ""),  # at 0: 1 + 2
        ({"witness__upper__0": "-2000001e-6"}, "upper"),
        ({"claim__mean_total_queue__lo": "500001e-6"}, "lower"),
        ({"witness__lower__0": "-500001e-6"}, "lower"),  # at e_i
        ({"witness__lower__0": "-499999e-6"}, "lower"),  # at 0
        # slope eps = 2, slope R - (0 + 2) = 4
        ({"witness__slope": "4", "claim__mean_total_queue__hi": "4"}, ""),
        ({"witness__slope": "4", "claim__mean_total_queue__hi": "3999999e-6"}, "far"),
        ({"witness__eps": "0"}, "hypothesis"),
        ({"witness__eps": "-1", "witness__slope": "-1"}, "hypothesis"),
        ({"witness__eps": "500001/1000000"}, "slack"),
        ({"witness__shares": ["1", "1/1000"]}, "shares"),
        ({"witness__shares": ["-1/2", "3/2"]}, "shares"),
        ({"witness__shares": ["1/2", "1/4", "1/4"]}, "shape"),
        ({"witness__upper": ["0", "0"]}, "shape"),
        ({"witness__lower": ["0", "0"]}, "shape"),
        ({"witness__total": 1}, "shape"),
        ({"witness__excess": "0"}, "excess"),
        ({"claim__system__arrival_rate": "0"}, "hypothesis"),
        ({"claim__system__arrival_rate": "2"}, "hypothesis"),
        ({"claim__system__service_rates": ["0", "3"]}, "hypothesis"),
        ({"claim__system__slopes": ["0", "1"]}, "hypothesis"),
        ({"claim__system__slopes": ["1", "1", "1"]}, "shape"),
        ({"claim__system__offsets": ["0"]}, "shape"),
    ],
)
def test_each_condition_at_its_border(changes: dict[str, Any], expected: str) -> None:
    assert condition(changed(SMALL, **changes)) == expected


@pytest.mark.parametrize(
    "changes",
    [
        {"claim__policy": "jsq"},
        {"claim__policy": "softmax"},  # of another system's fields
        {"witness__upper": []},
        {"witness__upper": ["1/2"]},
        {"witness__slope": "2e0"},
        {"witness__shares": None},
        {"claim__mean_total_queue": {"lo": "3", "hi": "2"}},
    ],
)
def test_what_has_no_form(changes: dict[str, Any]) -> None:
    assert verdict(changed(SMALL, **changes)).outcome is Outcome.MALFORMED


def test_a_larger_eps_than_zero_is_enough_however_small() -> None:
    """slope eps = 1 and slope R <= hi, for eps = 1/1024."""
    small = {"witness__eps": "1/1024", "witness__slope": "1024"}
    hi = {"claim__mean_total_queue__hi": "2e3", "witness__upper__0": "5e2"}
    assert condition(changed(SMALL, **small, **hi)) == ""


@pytest.mark.parametrize(
    ("changes", "limit"),
    [
        ({"witness__precision": 31}, "witness.precision"),
        ({"witness__precision": 40001}, "witness.precision"),
    ],
)
def test_a_precision_out_of_bounds(changes: dict[str, Any], limit: str) -> None:
    found = verdict(changed(SMALL, **changes))
    assert found.outcome is Outcome.DECLINED
    assert limit in found.text


def test_the_states_of_many_servers_and_many_jobs_are_not_counted() -> None:
    """A table of one entry does not do for any of them."""
    rates = ["1"] * 65
    many = changed(
        SMALL, claim__system=shortest("1", rates, rates, ["0"] * 65),
        claim__mean_total_queue__hi="1e3", witness__shares=["1/65"] * 65, witness__excess="12",
    )  # fmt: skip
    for total, states in ((64, comb(129, 64)), (65, 10**37), (999_999_999, 10**37)):
        found = verdict(changed(many, witness__total=total)).refusal
        assert found is not None
        assert (found.condition, found.expected) == ("shape", f"{states} entries")


def test_the_states_come_by_jobs_then_in_lexicographic_order() -> None:
    assert list(_states(1, 2)) == [(0,), (1,), (2,)]
    assert list(_states(2, 2)) == [(0, 0), (0, 1), (1, 0), (0, 2), (1, 1), (2, 0)]
    for servers, most in ((3, 4), (4, 3), (5, 0)):
        every = [q for q in product(range(most + 1), repeat=servers) if sum(q) <= most]
        assert list(_states(servers, most)) == sorted(every, key=lambda q: (sum(q), q))


def test_the_unit_is_the_least_common_one() -> None:
    trial = Trial(10_000)
    assert unit([Fraction(1, 4), Fraction(5, 6), Fraction(3)], trial) == 12
    assert unit([], trial) == 1


def exact(value: Real | int) -> Fraction:
    if isinstance(value, int):
        return Fraction(value)
    low, high = value.ends()
    assert low == high
    return low


@pytest.mark.parametrize("seed", range(6))
def test_the_weighted_sum_by_definition(seed: int) -> None:
    """(|q|_1 + L h - end) W for random tables, weights and ranks that tie."""
    chance, trial, servers = Random(seed), Trial(10**6), 2 + seed % 2
    table = {q: chance.randrange(-99, 99) for q in _states(servers, 2)}
    beyond = [[chance.randrange(99) for _ in range(5)] for _ in range(servers)]
    weights = [[chance.randrange(1, 9) for _ in range(5)] for _ in range(servers)]
    ranks = [[chance.randrange(2) for _ in range(5)] for _ in range(servers)]
    arrival, rates = chance.randrange(1, 9), [chance.randrange(1, 9) for _ in range(servers)]
    job, end = chance.randrange(1, 9), chance.randrange(-9, 9)
    reals = [[trial.real(w, BITS) for w in row] for row in weights]
    chain = Chain(Routing(reals, ranks), arrival, rates, job)
    test = Function(table, beyond, end)

    def h(q: tuple[int, ...]) -> int:
        return table[q] if q in table else sum(beyond[i][n] for i, n in enumerate(q) if n)

    def moved(q: tuple[int, ...], i: int, step: int) -> tuple[int, ...]:
        return tuple(n + step * (j == i) for j, n in enumerate(q))

    for q in _states(servers, 3):
        assert test.at(q) == h(q)
        least = min(ranks[i][q[i]] for i in range(servers))
        total = 0
        for i in range(servers):
            if ranks[i][q[i]] == least:
                drift = sum(q) * job - end + arrival * (h(moved(q, i, 1)) - h(q))
                drift += sum(
                    rate * (h(moved(q, j, -1)) - h(q)) for j, rate in enumerate(rates) if q[j]
                )
                total += weights[i][q[i]] * drift
        assert exact(chain.weighted(test, q)) == total


def routed(policy: str, system: dict[str, Any], eps: str = "1/8") -> Routed:
    trial = Trial(10**8)
    return read_routed(policy, Node(system, "system"), Node(eps, "eps"), BITS, trial)


def constant(found: Routed, excess: str, shares: Sequence[str]) -> tuple[Fraction, Fraction]:
    return found.constant(Node(excess, "k"), Node(list(shares), "shares")).ends()


def test_the_constant_of_the_lemma_by_hand() -> None:
    """lambda (k tau + max(v/2 - kappa)) + sum c kappa + sum mu v/2; the shortest has tau = 0."""
    system = shortest("3", ["2", "4"], ["1", "1/2"], ["1/4", "-3"])
    expected = 3 * Fraction(13, 4) + Fraction(1, 4) - 2 * 3 + (2 + Fraction(4, 2)) / 2
    assert constant(routed("shortest-queue", system), "1", ["1", "2"]) == (expected, expected)
    warm = {"arrival_rate": "3", "service_rates": ["2", "4"]}
    warm |= {"weights": ["1/2", "1/4"], "temperature": "1/8"}  # type: ignore[dict-item]
    expected = 3 * Fraction(1, 8) + Fraction(1, 2) + 2 * Fraction(1, 4) + (2 + Fraction(4, 2)) / 2
    assert constant(routed("softmax", warm), "1", ["1", "2"]) == (expected, expected)


def test_the_weights_of_softmax_routing() -> None:
    system = {"arrival_rate": "3", "service_rates": ["2", "4"]}
    system |= {"weights": ["1/2", "1/4"], "temperature": "1/3"}  # type: ignore[dict-item]
    routing = routed("softmax", system).routing(4)
    for state in product(range(4), repeat=2):
        joined = routing.at(state)
        assert [i for i, _ in joined] == [0, 1]
        for (i, weight), w in zip(joined, (0.5, 0.25), strict=True):
            low, high = weight.ends()
            assert float(low) == pytest.approx(math.exp(-3 * w * (2 * state[i] + 1)), rel=1e-12)
            assert 0 < high - low < high / 2**100


def test_the_servers_of_least_energy() -> None:
    """2 Q_1 + 1/3 against Q_2 + 1/3 against 3/2 Q_3: ties are exact."""
    system = shortest("3", ["2", "4", "1"], ["2", "1", "3/2"], ["1/3", "1/3", "0"])
    routing = routed("shortest-queue", system).routing(5)
    for state in product(range(5), repeat=3):
        heights = [
            2 * state[0] + Fraction(1, 3),
            state[1] + Fraction(1, 3),
            Fraction(3, 2) * state[2],
        ]
        joined = routing.at(state)
        assert [i for i, _ in joined] == [i for i, e in enumerate(heights) if e == min(heights)]
        assert all(exact(weight) == 1 for _, weight in joined)


def test_the_system_of_the_shortest_queue_is_read_as_it_is() -> None:
    found = routed("shortest-queue", shortest("3", ["2", "4"], ["1", "1/2"], ["1/4", "-3"]))
    assert found.energies == [(1, Fraction(1, 4)), (Fraction(1, 2), -3)]
    servers = [[exact(each) for each in server] for server in found.problem.servers]
    assert servers == [[2, 1, Fraction(1, 4)], [4, Fraction(1, 2), -3]]
    assert found.problem.system.weights == [Fraction(1, 2), Fraction(1, 4)]
    assert (found.problem.system.arrival_rate, found.problem.eps) == (3, Fraction(1, 8))
    assert found.problem.bits == BITS


def test_a_slack_of_zero_is_found_exactly() -> None:
    """(mu - c) v = eps = 1/3, which no interval holds exactly: the rational slopes decide."""
    system = shortest("4/3", ["1", "1"], ["1", "1"], ["0", "0"])
    assert constant(routed("shortest-queue", system, "1/3"), "1", ["2/3", "2/3"])[0] > 0


def test_a_wider_interval_stays_true() -> None:
    for changes in (
        {"claim__mean_total_queue__hi": "31e-1"},
        {"claim__mean_total_queue__lo": "4e-1"},
        {"claim__mean_total_queue__lo": "-1e5"},
        {"witness__precision": 32},
        {"witness__precision": 4000},
        {"witness__excess": "2"},
    ):
        assert check_bytes(to_bytes(changed(SMALL, **changes))).outcome is Outcome.VERIFIED
