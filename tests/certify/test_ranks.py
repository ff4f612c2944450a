"""Rank-based routing for Python users: bad input, and the laws against chains built by hand."""

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csc_matrix
from scipy.sparse.linalg import spsolve

from certify.errors import InputError
from certify.kinds import make
from certify.problem import Table
from certify.ranks import (
    MarginalJSQ,
    RankRates,
    compare,
    difference_of,
    enclosed_gaps,
    exact_gaps,
    limits_of,
)
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome

THRESHOLD = (
    "b must be less than the threshold 3.240741 at which rho_0 = 1 (the system with pauses is "
    "stable only below it; b = a is still stable with pauses for two or more servers), but was"
)
SERVERS = "servers must be a whole number from 1 to 10000000, but was"
State = tuple[int, ...]
Rates = dict[tuple[State, State], Fraction]


@pytest.mark.parametrize(
    ("problem", "sentence"),
    [
        ({"a": 0, "b": 1}, "a must be positive, but was 0."),
        ({"a": 2, "b": 0}, "b must be positive, but was 0."),
        ({"a": 2, "b": -1}, "b must be positive, but was -1."),
        (
            {"a": 8, "b": 1},
            "a must be less than servers^(3/2) = 8, so that the uniform stream has jobs, "
            "but was 8.",
        ),
        ({"a": 2, "b": 4}, f"{THRESHOLD} 4."),
        ({"a": 2, "b": "175/54"}, f"{THRESHOLD} 175/54."),
        ({"a": 2, "b": 1, "servers": 0}, f"{SERVERS} 0."),
        ({"a": 2, "b": 1, "servers": Fraction(9, 2)}, f"{SERVERS} a decimal number (9/2)."),
        ({"a": 2, "b": 1, "servers": True}, f"{SERVERS} True."),
        ({"a": "x", "b": 1}, "a must be an exact number such as 0.85 or \"17/20\", but was 'x'."),
        ({"b": 1}, "a must be given, but was missing."),
        (
            {"a": 2, "b": 2, "dynamics": "original"},
            "b must be less than a = 2 (the original dynamics is stable only then), but was 2.",
        ),
        (
            {"a": 2, "b": 3, "dynamics": "original"},
            "b must be less than a = 2 (the original dynamics is stable only then), but was 3.",
        ),
        (
            {"a": 8, "b": 1, "dynamics": "original"},
            "a must be less than servers^(3/2) = 8, so that the uniform stream has jobs, "
            "but was 8.",
        ),
        (
            {"a": 2, "b": 1, "dynamics": "lazy"},
            "dynamics must be one of paused, original, but was lazy.",
        ),
        (
            {"a": 2, "b": 1, "numbers": "enclosed", "gaps": [4]},
            "gaps must be a list of different gaps from 0 to 3, but was [4].",
        ),
        (
            {"a": 2, "b": 1, "servers": 101, "numbers": "exact"},
            "servers must be at most 100 for exact numbers (ask for enclosed ones), but was 101.",
        ),
        (
            {"arrival_rates": [1, 1], "service_rates": [2], "servers": 2},
            "service_rates must have 2 entries, but was 1.",
        ),
        (
            {"arrival_rates": [1, 0], "service_rates": [2, 2], "servers": 2},
            "arrival_rates[1] must be positive, but was 0.",
        ),
        (
            {"arrival_rates": [1, 2], "service_rates": [2, 2], "servers": 2},
            "arrival_rates must have a product over ranks 2 to 2 below that of the service rates "
            "(rho_1 below 1; otherwise the system with pauses is unstable), but was rho_1 = 1.",
        ),
        (
            {"arrival_rates": [1, 1], "service_rates": [2, 2], "servers": 3},
            "servers must be 2, one per rate, but was 3.",
        ),
        (
            {"a": 2, "b": 1, "gaps": [0]},
            'gaps must go with numbers = "enclosed" (exact numbers are of every gap), but was '
            "given with exact ones.",
        ),
        (
            {"a": 2, "b": 1, "arrival_rates": [1, 1], "service_rates": [2, 2]},
            "a must be left out beside arrival_rates and service_rates, but was 2.",
        ),
        (
            {"arrival_rates": [1, 1, 1, 1]},
            "service_rates must be given, but was missing.",
        ),
    ],
)
def test_bad_input(problem: dict[str, Any], sentence: str) -> None:
    values = {"kind": "rank-gaps", "servers": 4} | problem
    with pytest.raises(InputError) as raised:
        make(Table(values))
    assert str(raised.value) == sentence


def test_missed_digits_of_a_difference_are_told(caplog: pytest.LogCaptureFixture) -> None:
    values = {"kind": "rank-difference", "servers": 2, "a": 2, "b": 1, "box": 6, "digits": 6}
    make(Table(values))
    notice = "original has 1 of the 6 digits asked for (box = 6): a larger box gives more"
    assert [record.getMessage() for record in caplog.records] == [notice]
    caplog.clear()
    make(Table(values | {"digits": 1}))
    assert not caplog.records


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: MarginalJSQ(4, 2, 4), f"{THRESHOLD} 4."),
        (lambda: MarginalJSQ(4, 2.0, 1), "a must be exact"),
        (lambda: MarginalJSQ(1, "1/2", "1/2"), "b must be less than the threshold 0.5 at which"),
        (lambda: MarginalJSQ(4, 2, 1, "original").gaps(), "dynamics must be paused for a gap law"),
        (
            lambda: MarginalJSQ(4, 2, 1).facts(),
            "dynamics must be original for these facts (gaps() and mean_queue() tell those with "
            "pauses), but was paused.",
        ),
        (
            lambda: MarginalJSQ(4, 2, 1, "original").rho(1),
            "dynamics must be paused for a ratio of gaps (the original dynamics has no product "
            "form), but was original.",
        ),
        (lambda: MarginalJSQ(4, 2, 2).limits(), "b must be less than a = 2 (gap 0 has the limit"),
        (lambda: MarginalJSQ(1, "1/2", "1/4").limits(), "servers must be at least 2"),
        (lambda: MarginalJSQ(4, 2, 1).rho(4), "gap must be a whole number from 0 to 3, but was 4."),
        (lambda: enclosed_gaps(MarginalJSQ(4, 2, 1), [], 9), "gaps must be a list of different"),
        (lambda: enclosed_gaps(MarginalJSQ(4, 2, 1), [1, 1]), "gaps must be a list of different"),
        (lambda: enclosed_gaps(MarginalJSQ(4, 2, 1), [1], 0), "digits must be a whole number"),
        (lambda: limits_of(MarginalJSQ(4, 2, 1), ranks=[4]), "ranks must be a list of different"),
        (lambda: compare(4, 0, (1,)), "slack must be positive, but was 0."),
        (lambda: compare(4, 1, ()), "b must be a non-empty list of numbers"),
        (lambda: compare(4, 1, (2, 1)), "b must be increasing, but was 2, 1."),
        (
            lambda: compare(5, 1, (1, 11)),
            r"b[1] + slack must be less than servers^(3/2) (about 11.18034), so",
        ),
        (
            lambda: difference_of(MarginalJSQ(9, 2, 1), "no-idle", 9),
            "box must leave at most 20000 sorted states (9 servers), but was 9 (48620 states).",
        ),
        (lambda: difference_of(MarginalJSQ(2, 2, 1), "median"), "quantity must be one of"),
        (lambda: RankRates((), ()), "arrival_rates must be a non-empty list of numbers"),
    ],
)
def test_bad_calls(call: Callable[[], object], sentence: str) -> None:
    with pytest.raises(InputError, match="must") as raised:
        call()
    assert str(raised.value).startswith(sentence)


def test_equal_streams_are_stable_with_pauses_only() -> None:
    assert exact_gaps(MarginalJSQ(4, 2, 2)).rho[0].rational == Fraction(189, 256)
    assert MarginalJSQ(10**4, 2, 2).threshold_ball() > 2


def test_python_interface() -> None:
    system = MarginalJSQ(4, "2", Fraction(1))
    law = system.gaps()
    assert [each.rational for each in law.mean_gaps] == [
        Fraction(135, 121), Fraction(27, 37), Fraction(9, 7), 3,
    ]  # fmt: skip
    assert system.mean_queue().rational == Fraction(383070, 31339 * 4)
    assert system.rho(0).rational == Fraction(135, 256)
    low, high = MarginalJSQ(400, 2, 1).mean_queue(digits=15)
    assert low < high < low * (1 + Fraction(1, 10**13))
    low, high = MarginalJSQ(4, 2, 1, "original").mean_queue()
    assert low <= Fraction("3.7315")
    assert high == 7
    assert repr(MarginalJSQ(5, 2, 1).rho(4)) == "1 - 2/25 sqrt(5)"
    for each in (system, MarginalJSQ(400, 2, 1), MarginalJSQ(400, 2, 1, "original")):
        assert check_bytes(each.certificate().to_bytes()).outcome is Outcome.VERIFIED
    assert check_bytes(system.limits().certificate().to_bytes()).outcome is Outcome.VERIFIED


def test_exact_and_enclosed_laws_agree() -> None:
    for n in (1, 2, 7, 16, 60):
        system = MarginalJSQ(n, "3/4", "1/4")
        exact, enclosed = exact_gaps(system), enclosed_gaps(system, range(n), 25)
        names = ("rho", "mean_gaps", "gap_variances", "mean_ranked_queues")
        pairs = [
            pair
            for name in names
            for pair in zip(getattr(exact, name), getattr(enclosed, name), strict=True)
        ]
        for name in ("mean_total_queue", "no_idle", "no_tie", "throughput", "paused_fraction"):
            pairs.append((getattr(exact, name), getattr(enclosed, name)))
        for value, (low, high) in pairs:
            assert low <= value.below(40)
            assert value.above(40) <= high


@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=1, max_size=6),
    st.integers(min_value=1, max_value=40),
)
@settings(max_examples=40, deadline=None)
def test_any_rates_make_a_certificate_or_one_sentence(
    rates: list[tuple[int, int]], digits: int
) -> None:
    arrival, service = zip(*rates, strict=True)
    products = [Fraction(1)]
    for lam, mu in reversed(rates):
        products.append(products[-1] * Fraction(lam, mu))
    if max(products[1:]) >= 1:
        with pytest.raises(InputError, match="below 1"):
            RankRates(arrival, service)
        return
    system = RankRates(arrival, service)
    for made in (
        exact_gaps(system).certificate(digits),
        enclosed_gaps(system, range(len(rates)), digits).certificate(),
    ):
        assert check_bytes(made.to_bytes()).outcome is Outcome.VERIFIED


# chains built from the words of the model -----------------------------------------------------


def blocks(queues: State) -> Iterator[tuple[int, int]]:
    """(first, last) index of every block of equal queues; the queues are sorted."""
    for _, members in itertools.groupby(range(len(queues)), key=lambda i: queues[i]):
        found = list(members)
        yield found[0], found[-1]


def paused_moves(queues: State, arrival: list[Fraction], service: list[Fraction]) -> Iterator[Any]:
    """Labelled queues with pauses: ties are broken by label, the top accepts, the bottom serves."""
    order = sorted(range(len(queues)), key=lambda i: (queues[i], i))
    ranked = tuple(queues[i] for i in order)
    for first, last in blocks(ranked):
        yield _step(queues, order[last], 1), arrival[last]
        if ranked[first]:
            yield _step(queues, order[first], -1), service[first]


def original_moves(
    queues: State, arrival: list[Fraction], service: list[Fraction]
) -> Iterator[Any]:
    """Sorted queues without pauses: everybody accepts and serves; streams add up in a block."""
    for first, last in blocks(queues):
        yield _step(queues, last, 1), sum(arrival[first : last + 1], Fraction(0))
        if queues[first]:
            yield _step(queues, first, -1), sum(service[first : last + 1], Fraction(0))


def _step(queues: State, index: int, step: int) -> State:
    return (*queues[:index], queues[index] + step, *queues[index + 1 :])


def chain(moves: Any, n: int, top: int, arrival: list[Any], service: list[Any]) -> Rates:
    """All transitions of the class of the empty state with queues up to `top`."""
    rates: Rates = defaultdict(lambda: 0 * arrival[0])
    seen, todo = {(0,) * n}, [(0,) * n]
    while todo:
        state = todo.pop()
        for target, rate in moves(state, arrival, service):
            if max(target) <= top:
                rates[state, target] += rate
                if target not in seen:
                    seen.add(target)
                    todo.append(target)
    return rates


def exact_stationary(rates: Rates) -> dict[State, Fraction]:
    """Grassmann, Taksar, Heyman: elimination without subtraction, in rationals."""
    states = sorted({state for pair in rates for state in pair})
    index = {state: i for i, state in enumerate(states)}
    matrix = [[Fraction(0)] * len(states) for _ in states]
    for (source, target), rate in rates.items():
        matrix[index[source]][index[target]] = rate
    for last in range(len(states) - 1, 0, -1):
        total = sum(matrix[last][:last])
        for i in range(last):
            share = matrix[i][last] / total
            matrix[i][last] = share
            if share:
                for j in range(last):
                    matrix[i][j] += share * matrix[last][j]
    weights = [Fraction(1)]
    for last in range(1, len(states)):
        weights.append(sum(weights[i] * matrix[i][last] for i in range(last)))
    total = sum(weights)
    return {state: weight / total for state, weight in zip(states, weights, strict=True)}


def product_form(system: MarginalJSQ, states: list[State]) -> dict[State, Fraction]:
    """The stationary law of the gaps, conditioned on these states."""
    rho = [each.rational for each in exact_gaps(system).rho]
    weights = {}
    for state in states:
        ranked = sorted(state)
        gaps = [ranked[0], *(high - low for low, high in itertools.pairwise(ranked))]
        weight = Fraction(1)
        for ratio, gap in zip(rho, gaps, strict=True):
            weight *= ratio**gap
        weights[state] = weight
    total = sum(weights.values())
    return {state: weight / total for state, weight in weights.items()}


def rank_rates(system: MarginalJSQ) -> tuple[list[Fraction], list[Fraction]]:
    n, a, b = system.servers, system.a, system.b
    root = Fraction(int(n**0.5))
    assert root * root == n
    arrival = [n - a / root + b * root] + [n - a / root] * (n - 1)
    return arrival, [Fraction(n)] * n


@pytest.mark.parametrize(("a", "b"), [(2, 1), (3, 1)])
def test_labelled_chain_with_pauses_is_the_product_form(a: int, b: int) -> None:
    system = MarginalJSQ(4, a, b)
    solved = exact_stationary(chain(paused_moves, 4, 4, *rank_rates(system)))
    assert len(solved) == 70  # of 625: labelled queues never overtake
    assert all(list(state) == sorted(state) for state in solved)
    assert solved == product_form(system, list(solved))


def test_chain_without_pauses_is_not_the_product_form() -> None:
    system = MarginalJSQ(4, 2, 1)
    solved = exact_stationary(chain(original_moves, 4, 4, *rank_rates(system)))
    assert len(solved) == 70
    expected = product_form(system, list(solved))
    assert solved != expected
    assert max(abs(solved[state] - expected[state]) for state in solved) > Fraction(1, 100)


def test_one_server_never_pauses() -> None:
    system = MarginalJSQ(1, "1/2", "1/4")
    for moves in (paused_moves, original_moves):
        solved = exact_stationary(chain(moves, 1, 6, *rank_rates(system)))
        assert solved == product_form(system, list(solved))


def balance(rho: list[Fraction], arrival: list[Fraction], service: list[Fraction], g: State) -> Any:
    """Outflow minus inflow of gap state g under prod rho_k^g_k, divided by its weight."""
    n, total = len(g), Fraction(0)

    def weight(h: list[int]) -> Fraction:
        value = Fraction(1)
        for ratio, now, then in zip(rho, g, h, strict=True):
            value *= ratio ** (then - now)
        return value

    for rank in range(1, n + 1):
        accepted = {rank - 1: 1} if rank == n else {rank - 1: 1, rank: -1}
        for changes, rate in ((accepted, arrival), ({k: -s for k, s in accepted.items()}, service)):
            after = [gap + changes.get(k, 0) for k, gap in enumerate(g)]
            before = [gap - changes.get(k, 0) for k, gap in enumerate(g)]
            total += rate[rank - 1] * (min(after) >= 0)
            if min(before) >= 0:
                total -= rate[rank - 1] * weight(before)
    return total


@given(
    st.lists(
        st.tuples(
            st.fractions(min_value=Fraction(1, 5), max_value=3, max_denominator=5),
            st.fractions(min_value=Fraction(1, 5), max_value=3, max_denominator=5),
        ),
        min_size=2,
        max_size=5,
    ),
    st.lists(st.integers(0, 3), min_size=5, max_size=5),
)
@settings(max_examples=60, deadline=None)
def test_global_balance_for_arbitrary_rates(
    rates: list[tuple[Fraction, Fraction]], state: list[int]
) -> None:
    """On every face of the state space, and not for the product that starts one rank too low."""
    arrival, service = map(list, zip(*rates, strict=True))
    n = len(rates)
    rho, mutant = [Fraction(1)], [Fraction(1)]
    for lam, mu in reversed(rates):
        rho.append(rho[-1] * lam / mu)
    rho = rho[:0:-1]
    g = tuple(state[:n])
    assert balance(rho, arrival, service, g) == 0
    mutant = [rho[k - 1] if k else rho[0] for k in range(n)]  # prod over j >= k instead of j > k
    faces = [(1,) * n, *((1,) * k + (0,) + (1,) * (n - k - 1) for k in range(n))]
    if len(set(rho)) == n:
        assert any(balance(mutant, arrival, service, face) != 0 for face in faces)


@pytest.mark.parametrize(("n", "a", "b"), [(4, 2, 1), (9, 2, 1), (9, 5, 4)])
def test_drift_identity_on_a_box(n: int, a: int, b: int) -> None:
    """L sum q^2 from the moves equals the closed form, and the claimed bound holds and is tight."""
    system = MarginalJSQ(n, a, b, "original")
    facts, root = system.facts(), int(n**0.5)
    slope, constant = facts.drift_slope.rational, facts.drift_constant.rational
    largest = None
    for queues in itertools.combinations_with_replacement(range(4), n):
        drift = sum(
            rate * (sum(q * q for q in target) - sum(q * q for q in queues))
            for target, rate in original_moves(queues, *rank_rates(system))
        )
        busy, total = sum(q > 0 for q in queues), sum(queues)
        arrivals = n * n - (a - b) * root
        assert (
            drift == 2 * b * root * queues[0] - Fraction(2 * a, root) * total + arrivals + n * busy
        )
        excess = drift + slope * total - constant
        largest = excess if largest is None else max(largest, excess)
    assert largest == 0


def float_means(n: int, a: Fraction, b: Fraction, top: int) -> dict[str, float]:
    """Stationary means of the original dynamics by sparse elimination on queues up to `top`."""
    root = float(n) ** 0.5
    arrival = [n - float(a) / root + float(b) * root] + [n - float(a) / root] * (n - 1)
    rates = chain(original_moves, n, top, arrival, [float(n)] * n)
    states = sorted({state for pair in rates for state in pair})
    index = {state: i for i, state in enumerate(states)}
    rows, columns, values = [], [], []
    for (source, target), rate in rates.items():
        rows += [index[target], index[source]]
        columns += [index[source], index[source]]
        values += [rate, -rate]
    size = len(states)
    matrix = csc_matrix((values, (rows, columns)), shape=(size, size)).tolil()
    matrix[0, :] = 1.0
    law = spsolve(matrix.tocsc(), np.eye(size)[0])
    mean: dict[str, float] = defaultdict(float)
    for state, weight in zip(states, law, strict=True):
        mean["shortest-queue"] += weight * state[0]
        mean["mean-queue"] += weight * sum(state) / n
        mean["no-idle"] += weight * (state[0] > 0)
        mean["idle"] += weight * state.count(0)
    return mean


@pytest.mark.parametrize(
    ("n", "a", "b", "top", "box"),
    [(2, 2, 1, 40, 20), (2, Fraction(3, 2), Fraction(1, 2), 60, 24), (3, 4, 1, 24, 8)],
)
def test_original_dynamics_against_a_large_chain(
    n: int, a: Fraction, b: Fraction, top: int, box: int
) -> None:
    system = MarginalJSQ(n, a, b, "original")
    mean, facts = float_means(n, Fraction(a), Fraction(b), top), system.facts()
    assert mean["idle"] == pytest.approx(float(facts.idle_servers), abs=1e-9)
    identity = facts.identity_constant.ball() + facts.identity_slope.ball() * mean["shortest-queue"]
    assert mean["mean-queue"] == pytest.approx(float(identity), abs=1e-9)
    assert float(facts.mean_queue_at_least()) <= mean["mean-queue"]
    assert mean["mean-queue"] <= float(facts.mean_queue_at_most)
    for quantity in ("shortest-queue", "mean-queue", "no-idle"):
        found = difference_of(system, quantity, box)
        low, high = map(float, found.original)
        assert low - 1e-9 <= mean[quantity] <= high + 1e-9
        assert found.difference[0] > 0  # pauses shorten every queue
        assert high - low < 0.02
