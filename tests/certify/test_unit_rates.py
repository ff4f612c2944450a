"""Rates of 1 and powers of them, whose balls are exact: a bound rounded from one leaves no room.

The checker's own enclosure of 1^-beta has a width, and so must be allowed for.
"""

from fractions import Fraction
from typing import Any

import pytest

from certify.kinds import make
from certify.problem import Table
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome
from tests.mutation.engine import truth_of

KINDS = {
    "drift-limit": {"margin": "1/4"},
    "softmax-convergence": {"start_bound": "10", "tolerance": "1"},
    "softmax-drift": {},
    "softmax-equilibrium": {},
    "softmax-lattice-drift": {},
    "softmax-mean-queue": {},
    "softmax-stationary": {"width": "1"},
}
RATES = [["1"], ["1", "1"], ["1", "4"], ["4", "4"]]


def made(kind: str, problem: dict[str, Any]) -> dict[str, Any]:
    """The claim of the certificate, which is verified and not known to be false."""
    certificate = make(Table({"kind": kind} | problem))
    report = check_bytes(certificate.to_bytes())
    assert report.outcome is Outcome.VERIFIED, report.line()
    assert truth_of(kind)(certificate.claim) is not False
    return certificate.claim


@pytest.mark.parametrize("rates", RATES, ids=",".join)
@pytest.mark.parametrize("kind", KINDS)
def test_softmax_routing(kind: str, rates: list[str]) -> None:
    system = {"arrival_rate": str(sum(map(Fraction, rates)) / 2), "service_rates": rates}
    powers = {"beta": "1"}
    if kind != "drift-limit":
        powers |= {"alpha": "1", "gamma": "0", "offset": "0"}
    made(kind, {"system": system | powers} | KINDS[kind])


@pytest.mark.parametrize("power", ["1/2", "1/4", "1"])
@pytest.mark.parametrize("rates", RATES, ids=",".join)
def test_adaptive_weights(rates: list[str], power: str) -> None:
    system = {"arrival_rate": str(sum(map(Fraction, rates)) / 4), "service_rates": rates}
    made("adaptive-weights", {"lowest": "1", "highest": "1", "power": power, "system": system})


def test_the_largest_eps_at_equal_rates() -> None:
    """eps* = (2 - 3/2)/2: the largest that is refuted is within the margin of it."""
    problem = {"arrival_rate": "3/2", "service_rates": ["1", "1"], "beta": "1/2"}
    claim = made("drift-limit", {"system": problem, "margin": "1/100"})
    assert 0 < Fraction("0.26") - Fraction(claim["eps"]) <= Fraction(1, 10**20)


@pytest.mark.parametrize("digits", [5, 20, 40])
def test_the_gate_of_one_queue(digits: int) -> None:
    """The next job joins it for certain: discount (1 + 3) - 1."""
    problem = {"weights": ["1"], "temperature": "1", "discount": "9/10", "queue": 0}
    diagonal = made("sarsa-gate", problem | {"digits": digits})["diagonal"]
    low, high = Fraction(diagonal["lo"]), Fraction(diagonal["hi"])
    assert low <= Fraction(13, 5) <= high < low + 5 * Fraction(1, 10 ** (digits - 1))
