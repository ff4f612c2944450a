"""Kind `softmax-drift`: every condition has a forgery that it alone catches."""

import time
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_checks.checker.kinds.softmax_drift import CONDITIONS
from proofs_checks.checker.verdict import Outcome
from tests.drift_helpers import (
    ALL,
    BENCHMARK,
    FREE,
    ROOMY,
    TOYS,
    UAS_SPECIAL_CASE,
    WSQ_TWO,
    changed,
    condition,
    tree_of,
    verdict,
)
from tests.mutation.engine import Tree

TWO = tree_of(TOYS["two-asymmetric"])
TEN = tree_of(BENCHMARK)
QUEUE = tree_of(WSQ_TWO)
ROOM = tree_of(ROOMY)


def plus(text: str, step: Fraction) -> str:
    return str(Fraction(text) + step)


@pytest.mark.parametrize("system", [*ALL, *FREE], ids=lambda system: repr(system)[:40])
@pytest.mark.parametrize("digits", [3, 20, 60])
def test_true_claims_are_verified(system: Any, digits: int) -> None:
    assert verdict(tree_of(system, digits)).outcome is Outcome.VERIFIED


SHARP = Fraction(TWO["claim"]["sharp_R"])
LAST = Fraction(1, 10**17)  # more than the rounding of 20 digits leaves
FORGERIES = [
    ("no service", TWO, {"claim__system__service_rates__0": "0"}, "hypothesis"),
    ("overload", TWO, {"claim__system__arrival_rate": "3"}, "hypothesis"),
    ("alpha", TWO, {"claim__system__alpha": "-20"}, "hypothesis"),
    ("beta", TWO, {"claim__system__beta": "0"}, "hypothesis"),
    ("offset", TWO, {"claim__system__offset": "-1/2"}, "hypothesis"),
    ("weight", QUEUE, {"claim__system__weights__1": "0"}, "hypothesis"),
    ("eps zero", TWO, {"claim__eps": "0"}, "hypothesis"),
    ("eps negative", TWO, {"claim__eps": "-1", "claim__mean_queue_bound": "-1"}, "hypothesis"),
    ("a share short", TWO, {"witness__shares": TWO["witness"]["shares"][:1]}, "shape"),
    ("a point long", TWO, {"witness__point": [*TWO["witness"]["point"], "1/2"]}, "shape"),
    ("half a job", TWO, {"claim__attained__state": ["1/2", "1"]}, "shape"),
    ("less than no job", TWO, {"claim__attained__state": ["-1", "1"]}, "shape"),
    ("a queue short", TWO, {"claim__attained__state": ["1"]}, "shape"),
    (
        "sum above lambda",
        TWO,
        {"witness__shares__0": plus(TWO["witness"]["shares"][0], Fraction(1, 10**60))},
        "shares",
    ),
    ("negative share", QUEUE, {"witness__shares": ["-1/10", "21/10"]}, "shares"),
    (
        "share moved",
        QUEUE,
        {"witness__shares": [str(2 * Fraction(2, 3) + LAST), str(Fraction(2, 3) - LAST)]},
        "slack",
    ),
    ("eps a unit up", TWO, {"claim__eps": plus(TWO["claim"]["eps"], LAST / 10)}, "slack"),
    ("k too small", TWO, {"witness__excess": "278/1000"}, "excess"),
    ("R below", TWO, {"claim__R": plus(TWO["claim"]["R"], -LAST)}, "constant"),
    ("point on the edge", TWO, {"witness__point__0": "0"}, "point"),
    ("point outside", TWO, {"witness__point__0": "-1/2"}, "point"),
    ("sharp R below", TWO, {"claim__sharp_R": str(SHARP - LAST)}, "sharp-constant"),
    ("point elsewhere", TEN, {"witness__point__0": "1/2"}, "sharp-constant"),
    (
        "bound below",
        TWO,
        {"claim__mean_queue_bound": plus(TWO["claim"]["mean_queue_bound"], -LAST)},
        "mean-queue",
    ),
    (
        "bound from a constant that is not claimed",
        TWO,
        {"claim__sharp_R": None, "witness__point": None},
        "mean-queue",
    ),
    ("attained above", TWO, {"claim__attained__value": TWO["claim"]["sharp_R"]}, "attained"),
    ("attained elsewhere", TWO, {"claim__attained__state": ["0", "1"]}, "attained"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("tree", "values", "expected"),
    [case[1:] for case in FORGERIES],
    ids=[case[0] for case in FORGERIES],
)
def test_one_condition_refuses(tree: Tree, values: dict[str, Any], expected: str) -> None:
    values = {
        name: str(Fraction(value)) if isinstance(value, str) else value
        for name, value in values.items()
    }
    assert condition(changed(tree, **values)) == expected


def test_every_condition_has_its_forgery() -> None:
    assert {case[3] for case in FORGERIES} == set(CONDITIONS)


def test_every_condition_is_tested_on_the_way() -> None:
    assert set(verdict(TEN).tested) == set(CONDITIONS)


@pytest.mark.parametrize(
    "values",
    [
        {"claim__R": None},
        {"claim__extra": "1"},
        {"witness__point": None},
        {"claim__sharp_R": None},
        {"witness__shares": []},
        {"claim__attained__state": []},
        {"claim__eps": "0.2"},
        {"claim__system": {"arrival_rate": "1"}},
        {"witness": {}},
    ],
)
def test_broken_form_is_malformed(values: dict[str, Any]) -> None:
    assert verdict(changed(TWO, **values)).outcome is Outcome.MALFORMED


@pytest.mark.parametrize("bits", [0, 31, 40_001])
def test_precision_has_limits(bits: int) -> None:
    assert verdict(changed(TWO, witness__precision=bits)).outcome is Outcome.DECLINED


@pytest.mark.parametrize("bits", [32, 50, 64])
def test_too_few_bits_refuse_and_never_accept_more(bits: int) -> None:
    assert condition(changed(TEN, witness__precision=bits)) != ""


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_other_witnesses_prove_the_same_claim(data: st.DataObject) -> None:
    """A looser claim is proved by every witness near the shipped one."""
    loose = {
        name: str(Fraction(ROOM["claim"][name]) * Fraction(11, 10))
        for name in ("R", "sharp_R", "mean_queue_bound")
    }
    factors = st.fractions(Fraction(999, 1000), Fraction(1001, 1000), max_denominator=10**6)
    point = [str(Fraction(p) * data.draw(factors)) for p in ROOM["witness"]["point"]]
    excess = Fraction(ROOM["witness"]["excess"]) * (1 + data.draw(st.fractions(0, Fraction(1, 50))))
    witness = {
        "precision": data.draw(st.integers(120, 1000)),
        "excess": str(excess),
        "shares": ROOM["witness"]["sharp_shares"],
        "point": point,
    }
    if data.draw(st.booleans()):
        witness["sharp_shares"] = ROOM["witness"]["shares"]
    assert condition(ROOM | {"claim": ROOM["claim"] | loose, "witness": witness}) == ""


def test_exact_eps_needs_the_exact_comparison() -> None:
    """Where v_i is rational the largest eps itself is claimed, and nothing above it passes."""
    for system, eps in (
        (TOYS["two-symmetric"], "1/5"),
        (UAS_SPECIAL_CASE, "1/5"),
        (WSQ_TWO, "4/3"),
    ):
        tree = tree_of(system)
        assert tree["claim"]["eps"] == eps
        above = plus(eps, Fraction(1, 10**2000))
        assert condition(changed(tree, claim__eps=above)) == "slack"
    roots = {"alpha": "20", "beta": "17/20", "gamma": "1/2", "offset": "1/2"}
    rates = [str(2**20), str(3**20)]
    tree = tree_of(TOYS["two-symmetric"])
    capacity = Fraction(2**20 + 3**20)
    eps = capacity / 10 / (2**17 + 3**17)  # load 9/10, 1/v_i = mu_i^(17/20)
    shares = [str(2**20 - eps * 2**17), str(3**20 - eps * 3**17)]
    system = {"arrival_rate": str(capacity * 9 / 10), "service_rates": rates, **roots}
    loose = {"eps": str(eps), "R": str(10**12), "mean_queue_bound": str(10**12), "system": system}
    witness = {"precision": 200, "excess": "279/1000", "shares": shares}
    assert condition({**tree, "claim": loose, "witness": witness}) == ""
    above = loose | {"eps": plus(str(eps), Fraction(1, 10**300))}
    assert condition({**tree, "claim": above, "witness": witness}) == "slack"


def test_the_verdict_says_what_a_claim_is_worth() -> None:
    """A true claim with a small eps and large constants shows no digits and a wide gap."""
    worthless = changed(
        TEN,
        claim__eps="1/1000",
        claim__R="1000",
        claim__sharp_R="900",
        claim__mean_queue_bound="900000",
        claim__attained={"state": ["0"] * 10, "value": "1"},
    )
    report = verdict(worthless)
    assert report.outcome is Outcome.VERIFIED
    assert report.digits == 0
    assert "0 digits of the largest" in report.text
    assert "sharp R 9e2 (at least 1)" in report.text
    assert verdict(TEN).digits == 19


HOSTILE = 20_000 * "7"


@pytest.mark.parametrize(
    "values",
    [
        {"claim__system__beta": "1/" + HOSTILE},
        {"claim__system__beta": HOSTILE},
        {"claim__system__alpha": HOSTILE},
        {"claim__system__gamma": HOSTILE},
        {"claim__system__offset": HOSTILE},
        {"claim__eps": "1/" + HOSTILE},
        {"claim__R": HOSTILE},
        {"witness__excess": HOSTILE},
        {"witness__point__0": "1/" + HOSTILE},
        {"claim__attained__state": [HOSTILE, HOSTILE]},
        {"claim__attained__state": [HOSTILE, "0"]},
        {"claim__attained__value": HOSTILE},
        {"witness__precision": 8_000},
    ],
    ids=lambda values: next(iter(values)),
)
def test_hostile_numbers_get_a_verdict_soon(values: dict[str, Any]) -> None:
    start = time.process_time()
    verdict(changed(TWO, **values))
    assert time.process_time() - start < 5


def test_sums_of_unlike_fractions_are_paid_for() -> None:
    """Hundreds of shares with 20,000-digit denominators each: declined, not a hang."""
    count = 400
    system = {
        "arrival_rate": "1",
        "service_rates": ["1"] * count,
        "weights": ["1"] * count,
        "temperature": "1",
    }
    shares = [f"1/1{'0' * 19_990}{2 * i + 1:07d}" for i in range(count)]
    tree = changed(QUEUE, claim__system=system, witness__shares=shares, claim__attained=None)
    start = time.process_time()
    assert verdict(tree).outcome in (Outcome.REJECTED, Outcome.DECLINED)
    assert time.process_time() - start < 30
