"""Forged limits of drift: rays along which nothing grows, and constants a little too good."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.kinds import make_file
from certify.shipped import find
from certify.softmax.limit import DriftLimit
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.kinds import drift_limit
from proofs_checks.checker.verdict import Outcome
from tests.mutation.engine import Tree, to_bytes
from tests.mutation.truth.drift_limit import least_drift, truth

TWO = DriftLimit(2, [2, 1], "1/100", [2, 4])
RATES = [Fraction(k, 10) for k in range(5, 25, 2)]
TEN = DriftLimit("11.2", RATES, "1/100", beta="17/20")


def tree_of(limit: DriftLimit) -> Tree:
    made = limit.certificate()
    return {"format": "certify/1", "kind": made.kind, "claim": made.claim, "witness": made.witness}


@pytest.mark.parametrize("name", ["wsq-two", "wsq-three", "slow-server", "benchmark"])
def test_the_shipped_limits_are_true(name: str) -> None:
    made = make_file(find(f"drift-limit-{name}"))
    assert truth(made.claim) is True
    report = check_bytes(made.to_bytes())
    assert report.outcome is Outcome.VERIFIED
    assert set(report.tested) == set(drift_limit.CONDITIONS)


SYSTEM = {"arrival_rate": "2", "service_rates": ["2", "1"], "slopes": ["2", "4"]}


@pytest.mark.parametrize(
    ("changes", "condition"),
    [
        ({"system": SYSTEM | {"arrival_rate": "3"}}, "hypothesis"),
        ({"system": SYSTEM | {"arrival_rate": "0"}}, "hypothesis"),
        ({"system": SYSTEM | {"service_rates": ["2", "0"]}}, "hypothesis"),
        ({"system": SYSTEM | {"slopes": ["2", "-4"]}}, "hypothesis"),
        ({"eps": "0"}, "hypothesis"),
        ({"margin": "0"}, "hypothesis"),
        ({"system": SYSTEM | {"slopes": ["2"]}}, "shape"),
        ({"direction": ["2"]}, "shape"),
        ({"direction": ["0", "0"]}, "shape"),
        ({"direction": ["3", "-1"]}, "shape"),
        ({"direction": ["2", "1/2"]}, "shape"),
        # at eps* itself, and below, nothing grows
        ({"eps": "4/3"}, "slope"),
        ({"eps": "4/3", "slope": "0"}, "slope"),
        ({"slope": "31/1000"}, "slope"),
        # off the ray the drift falls faster
        ({"direction": ["1", "1"]}, "slope"),
        ({"direction": ["0", "1"]}, "slope"),
        ({"intercept": "601/100"}, "intercept"),
        ({"eps": "1344/1000"}, "margin"),
        ({"margin": "9/1000"}, "margin"),
    ],
)
def test_one_condition_refuses(changes: dict[str, Any], condition: str) -> None:
    tree = tree_of(TWO)
    changes = {k: str(Fraction(v)) if k == "eps" else v for k, v in changes.items()}
    tree["claim"] |= changes
    assert truth(tree["claim"]) is False
    report = check_bytes(to_bytes(tree))
    assert report.refusal is not None, report.line()
    assert report.refusal.condition == condition


def test_the_rate_in_words_is_rounded_up() -> None:
    """No rule has a drift of at most -403/300 |Q| + constant, nor one of a larger rate."""
    made = make_file(find("drift-limit-wsq-two"))
    assert made.claim["eps"] == "403/300"
    line = check_bytes(made.to_bytes()).line()
    assert "has drift -1.343333334 |Q| + constant: drift + 1.343333334 |Q| is at least" in line


def test_a_slope_that_may_be_zero() -> None:
    """2**-4,000,000 is enclosed from 0 up: no reciprocal of it is known."""
    system = {"arrival_rate": "1", "service_rates": ["2", "2"], "beta": "4000000"}
    claim = {"system": system, "margin": "1", "eps": "1", "direction": ["1", "1"]}
    claim |= {"slope": "1", "intercept": "0"}
    tree = {"format": "certify/1", "kind": "drift-limit", "claim": claim}
    report = check_bytes(to_bytes(tree | {"witness": {"precision": 64}}))
    assert report.outcome is Outcome.REJECTED
    assert report.refusal is not None
    assert report.refusal.condition == "hypothesis"


def test_powers_are_enclosed_on_the_safe_side() -> None:
    tree = tree_of(TEN)
    for precision in (32, 64, 500):
        tree["witness"]["precision"] = precision
        accepted = check_bytes(to_bytes(tree)).outcome is Outcome.VERIFIED
        assert accepted is (precision > 64)
    tree["claim"]["system"]["beta"] = "0"
    assert truth(tree["claim"]) is False
    report = check_bytes(to_bytes(tree))
    assert report.refusal is not None
    assert report.refusal.condition == "hypothesis"


positive = st.fractions(Fraction(1, 9), 9, max_denominator=9)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(positive, positive), min_size=1, max_size=4),
    st.fractions(Fraction(1, 9), Fraction(8, 9), max_denominator=9),
    st.integers(1, 10**6),
)
def test_what_is_made_is_verified_and_bounds_every_rule(
    servers: list[tuple[Fraction, Fraction]], load: Fraction, step: int
) -> None:
    rates, slopes = [mu for mu, _ in servers], [v for _, v in servers]
    arrival = load * sum(rates)
    ray = DriftLimit(arrival, rates, "1/1000", slopes).ray()
    made = ray.certificate()
    assert check_bytes(made.to_bytes()).outcome is Outcome.VERIFIED
    assert truth(made.claim) is True
    state = [step * d for d in ray.direction]
    for joined in range(len(rates)):  # the rule that always joins this queue
        least = least_drift(arrival, rates, slopes, state)
        own = least + arrival * (
            slopes[joined] * state[joined]
            + slopes[joined] / 2
            - min(v * q + v / 2 for v, q in zip(slopes, state, strict=True))
        )
        assert own + ray.eps * sum(state) >= ray.intercept + ray.slope * step
