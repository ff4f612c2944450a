"""Small files that ask for much work are declined or decided at once, never a hang."""

import json
import time
from fractions import Fraction
from typing import Any

import pytest

from proofs_checks.checker.cli import Report, check_bytes
from proofs_checks.checker.verdict import Outcome, brief

SECONDS = 60  # CPU; generous, for the quickest of these took minutes before it was charged


def verdict(kind: str, claim: Any, witness: Any) -> Report:
    tree = {"claim": claim, "format": "certify/1", "kind": kind, "witness": witness}
    data = (json.dumps(tree, indent=2, sort_keys=True) + "\n").encode()
    start = time.process_time()
    report = check_bytes(data)
    assert time.process_time() - start < SECONDS
    return report


def test_many_factors_in_an_identity() -> None:
    factors = ["product", *(f"1/{k}" for k in range(2, 1502))]
    claim = {
        "name": "unnamed",
        "variables": ["x"],
        "definitions": [{"name": "f", "value": factors}],
        "derivations": [{"derivation": "d", "variable": "x", "image": "1"}],
        "left": ["sum", *([["derive", "d", "f"]] * 1000)],
        "right": "0",
    }
    assert verdict("identity", claim, {}).outcome in (Outcome.DECLINED, Outcome.VERIFIED)


@pytest.mark.parametrize("count", [100, 2000])
def test_huge_exponents_in_an_equilibrium(count: int) -> None:
    ones = ["1"] * count
    system = {"arrival_rate": str(count // 2), "service_rates": ones}
    system |= {"alpha": "1", "beta": "1", "gamma": "1", "offset": "0"}  # type: ignore[dict-item]
    claim = {
        "system": system,
        "K": {"lo": "19e-1", "hi": "21e-1"},
        "theta": [{"lo": "1e-20000", "hi": "1e20000"}] * count,
        "queue": [{"lo": "-1e20000", "hi": "1e20000"}] * count,
        "active": [],
        "undecided": [],
    }
    report = verdict("softmax-equilibrium", claim, {"precision": 32})
    assert report.outcome in (Outcome.DECLINED, Outcome.VERIFIED)


def test_a_refusal_that_shows_a_huge_number() -> None:
    system = {"arrival_rate": "1", "service_rates": ["1/2", "1"]}
    system |= {"alpha": "1", "beta": "3000000", "gamma": "1", "offset": "0"}
    claim = {"system": system, "eps": "1", "R": "1", "mean_queue_bound": "1"}
    witness = {"precision": 32, "excess": "1", "shares": ["1", "0"]}
    report = verdict("softmax-drift", claim, witness)
    assert report.outcome is Outcome.REJECTED


def test_exact_laws_with_unrelated_denominators() -> None:
    primes = [10**1500 + 2 * k + 1 for k in range(60)]
    count = len(primes)
    claim: dict[str, Any] = {
        "dynamics": "paused",
        "rates": [{"arrival": f"1/{p}", "service": f"2/{p}"} for p in primes],
    }
    report = verdict("rank-gaps", claim | {"servers": count}, {"precision": 64})
    assert report.outcome is not Outcome.VERIFIED


MESSAGES = {
    "about 2**400000": Fraction(2**400_001, 3),
    "-about 2**-475488": Fraction(-1, 3**300_000),
    "1000000": Fraction(10**6),
    "1e50": Fraction(10**50),
    "-3.33333333333...e49": Fraction(-(10**50), 3),
    "1.42857142857...e-41": Fraction(1, 7 * 10**40),
    "9.99999999999...e-37": Fraction(99999999999949, 10**50),
    "-1/3": Fraction(-1, 3),
}


@pytest.mark.parametrize("text", MESSAGES)
def test_numbers_in_messages(text: str) -> None:
    assert brief(MESSAGES[text]) == text
