"""What simulations and trajectories cannot take is told in one sentence; what they can, they do."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from certify.errors import InputError
from certify.evidence.simulation import least_rule, simulate, softmax_rule
from certify.evidence.trajectories import run, start_bank, vector_field
from certify.softmax import AdaptiveWeights, ReflectedUAS, ShortestQueue, System

UAS = ReflectedUAS("1.5", [1, 1], 2, 1, 1, 1)
EVEN = least_rule([1, 1], [0, 0])
CALLS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "simulate": (
        simulate,
        {"arrival_rate": 1, "service_rates": [1, 1], "rule": EVEN, "replications": 3}
        | {"time": 9, "seed": 1, "dropped": 0.5},
    ),
    "least_rule": (least_rule, {"slopes": [1, 1], "offsets": [0, 0]}),
    "softmax_rule": (softmax_rule, {"system": UAS}),
    "start_bank": (start_bank, {"servers": 2}),
    "vector_field": (vector_field, {"system": UAS}),
    "run": (run, {"system": UAS, "starts": [[0, 1]], "time": 1, "step": 0.5}),
}
NAN, INF = float("nan"), float("inf")
WRONG: list[Any] = [
    None,
    True,
    "1",
    "x",
    b"x",
    {"a": 1},
    object(),
    NAN,
    INF,
    -INF,
    1j,
    Decimal("NaN"),
]
WRONG += [
    10**400,
    [],
    [None],
    ["1"],
    [[1]],
    [NAN, 1],
    [1, INF],
    [1],
    [1, 2, 3],
    np.array(3),
    -1,
    [[]],
]
WRONG += [[[1, -1]], [[1, 2], [1]], [[1, "2"]], Decimal("sNaN"), np.zeros((1, 1, 2)), [True, True]]


@pytest.mark.parametrize("name", CALLS)
def test_a_wrong_argument_is_told(name: str) -> None:
    function, arguments = CALLS[name]
    function(**arguments)
    sentence = rf"^({'|'.join(arguments)})\S* must .*, but was .*\.$"
    for parameter, value in product(arguments, WRONG):
        with pytest.raises(InputError, match=sentence):  # of lengths, that of the other argument
            function(**arguments | {parameter: value})


SENTENCES: dict[str, tuple[str, dict[str, Any]]] = {
    "arrival_rate must be a positive number, but was 0.": ("simulate", {"arrival_rate": 0}),
    "service_rates[1] must be a positive number, but was -2.": (
        "simulate",
        {"service_rates": [1, -2]},
    ),
    "service_rates must be a non-empty list of numbers, but was 3.": (
        "simulate",
        {"service_rates": 3},
    ),
    "replications must be a whole number from 2 to 10000000, but was 0.": (
        "simulate",
        {"replications": 0},
    ),
    "replications must be a whole number from 2 to 10000000, but was 1.": (
        "simulate",
        {"replications": 1},
    ),
    "time must be a positive number, but was 0.": ("simulate", {"time": 0}),
    "time must be at most 3.33333e+08 (10^9 events of these rates), but was 1e+300.": (
        "simulate",
        {"time": 1e300},
    ),
    "time must be so long that an event of these rates is in the part that counts, but was 0.1.": (
        "simulate",
        {"time": 0.1},
    ),
    "seed must be a whole number from 0 to 1000000000000000000, but was -1.": (
        "simulate",
        {"seed": -1},
    ),
    "dropped must be a number of at least 0 and less than 1, but was 1.": (
        "simulate",
        {"dropped": 1},
    ),
    "rule must give 3 shares a row, one a server, but was one for another number.": (
        "simulate",
        {"service_rates": [1, 1, 1]},
    ),
    "rule must give 2 shares a row, one a server, but was one with an array of shape (1, 1).": (
        "simulate",
        {"rule": lambda queues: queues[:, :1]},
    ),
    "rule must give shares of at least 0, and not only 0, but was one with [0.0, 0.0] for empty "
    "queues.": ("simulate", {"rule": lambda queues: queues}),
    "offsets must be a list of 2 numbers, but was [0].": ("least_rule", {"offsets": [0]}),
    "starts[1] must be a list of 2 numbers, but was [1].": ("run", {"starts": [[0, 0], [1]]}),
    "starts[0][1] must be a number of at least 0, but was -1.": ("run", {"starts": [[0, -1]]}),
    "step must be a positive number, but was 0.": ("run", {"step": 0}),
    "step must be at most the time, 1, but was 2.0.": ("run", {"step": 2}),
    "step must be at least 1e-09 (10^9 steps), but was 1e-12.": ("run", {"step": 1e-12}),
    "servers must be a whole number from 1 to 10000, but was 0.": ("start_bank", {"servers": 0}),
    "system must be a ReflectedUAS, UAS or WeightedShortestQueue, but was System(arrival_rate=1, "
    "service_rates=[2]).": ("vector_field", {"system": System(1, [2])}),
}


@pytest.mark.parametrize("sentence", SENTENCES)
def test_the_sentence(sentence: str) -> None:
    name, changed = SENTENCES[sentence]
    function, arguments = CALLS[name]
    with pytest.raises(InputError) as refused:
        function(**arguments | changed)
    assert str(refused.value) == sentence


@pytest.mark.parametrize(
    "system",
    [ShortestQueue.jsq(1, [1, 1]), AdaptiveWeights(1, [1, 1], 1, "1/2", 1), UAS.service_rates],
)
def test_only_a_softmax_has_a_field(system: Any) -> None:
    with pytest.raises(InputError, match=r"^system must be a ReflectedUAS"):
        run(system, [[0, 0]])


def test_numbers_beyond_floats_are_told() -> None:
    for system in (
        ReflectedUAS("1e400", ["1e400", "1e400"], 2, 1, 1, 1),
        ReflectedUAS("1.5", [1, 1], "1e400", 1, 1, 1),
    ):
        with pytest.raises(InputError, match="no larger than floats"):
            vector_field(system)


def test_queues_of_another_width_are_told() -> None:
    for call in (EVEN, softmax_rule(UAS), vector_field(UAS), vector_field(UAS).clipped):
        for queues in ([[1, 2, 3]], [1], 3, "x", None):
            with pytest.raises(InputError, match=r"^queues must "):
                call(queues)  # type: ignore[arg-type]


def test_numbers_may_be_of_every_type() -> None:
    def simulated(number: Any, several: Any) -> Any:
        rule = least_rule(several([number(1), number(2)]), several([number(0), number(0)]))
        return simulate(
            number(1), several([number(1), number(2)]), rule, 5, number(8), 3, number(0)
        )

    known = simulated(float, np.array)
    for number, several in product([int, Fraction, Decimal, np.float32, np.int64], [list, tuple]):
        assert simulated(number, several) == known
    ends = [
        run(UAS, several([several([number(0), number(3)])]), number(4), number(1)).queues.tolist()
        for number, several in product([float, int, Fraction, Decimal], [list, tuple, np.array])
    ]
    assert all(end == ends[0] for end in ends)
