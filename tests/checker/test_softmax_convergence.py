"""Kind `softmax-convergence`: every condition has a forgery that it alone catches."""

import copy
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import pytest
from jsonschema import Draft202012Validator

from certify.softmax import ReflectedUAS, WeightedShortestQueue
from certify.softmax.convergence import certify_convergence
from certify.softmax.equilibrium import solve
from proofs_checks.checker.cli import Report, check_bytes
from proofs_checks.checker.kinds.softmax_convergence import CONDITIONS, _far, _servers
from proofs_checks.checker.kinds.softmax_system import read_system
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Outcome, Trial
from tests.mutation.engine import to_bytes

SCHEMA = Path(__file__).parents[2] / "certificates" / "schema" / "softmax-convergence.json"
COMMON: dict[str, Any] = {"alpha": 20, "beta": "0.85", "gamma": "0.5", "offset": "0.5"}


def tree(system: Any, start_bound: int = 10, shrink: str = "1/2") -> dict[str, Any]:
    found = certify_convergence(
        system, Fraction(start_bound), Fraction(1, 10**12), Fraction(shrink)
    )
    made = found.certificate()
    return {"format": "certify/1", "kind": made.kind, "claim": made.claim, "witness": made.witness}


THREE = tree(ReflectedUAS("3.6", [1, "1.5", 2], **COMMON))
WEIGHTED = tree(WeightedShortestQueue("4.5", [3, 2, 1], weights=[1, "1.5", 3], temperature=1))
ALIKE = tree(ReflectedUAS("3.2", [1, 1, 1, 1], **COMMON))
SINGLE = tree(ReflectedUAS(1, [2], alpha=3, beta="0.5", gamma=1, offset=1))
TIED = tree(ReflectedUAS("5/2", [2, 1], alpha=1, beta=1, gamma=2, offset=0))
ALL = [THREE, WEIGHTED, ALIKE, SINGLE, TIED]


def changed(path: str, value: Any, honest: dict[str, Any] = THREE) -> Report:
    forged = copy.deepcopy(honest)
    *steps, last = path.split(".")
    place: Any = forged
    for step in steps:
        place = place[int(step)] if isinstance(place, list) else place[step]
    if isinstance(place, list):
        place[int(last)] = value
    elif value is None:
        del place[last]
    else:
        place[last] = value
    return check_bytes(to_bytes(forged))


@pytest.mark.parametrize("honest", ALL)
def test_honest_claims_are_verified_and_fit_the_schema(honest: dict[str, Any]) -> None:
    report = check_bytes(to_bytes(honest))
    assert report.outcome is Outcome.VERIFIED, report.line()
    assert set(report.tested) == set(CONDITIONS)
    Draft202012Validator(json.loads(SCHEMA.read_text())).validate(honest)


@pytest.mark.parametrize(
    ("path", "value", "condition"),
    [
        ("claim.system.arrival_rate", "9/2", "hypothesis"),
        ("claim.start_bound", "0", "hypothesis"),
        ("claim.tolerance", "-1", "hypothesis"),
        ("claim.K.lo", "0", "root-above"),
        ("claim.K", {"lo": "5", "hi": "6"}, "root-above"),
        ("claim.K", {"lo": "1e-30", "hi": "2e-30"}, "root-below"),
        ("claim.final_radius", "0", "shape"),
        ("claim.final_radius", "1000", "shape"),
        ("claim.final_rate", "0", "speed"),
        ("witness.phases.0.rate", "-1", "shape"),
        ("claim.final_rate", "1000", "curvature"),
        ("witness.phases.3.rate", "1000", "curvature"),
        ("witness.phases.5", {"radius": "1/100", "rate": "0"}, "speed"),
        ("claim.time", "20", "time"),
        ("claim.time", "0", "time"),
        ("claim.start_bound", "11", "time"),
        ("claim.diameter", "11/5000000000000", "diameter"),
    ],
)
def test_a_forgery_for_each_condition(path: str, value: Any, condition: str) -> None:
    honest = copy.deepcopy(THREE)
    if condition == "speed":
        honest["witness"]["phases"] = honest["witness"]["phases"][:6]
        honest["claim"]["final_radius"] = "1/1000"
    report = changed(path, value, honest)
    assert report.outcome is Outcome.REJECTED, report.line()
    assert report.refusal
    assert report.refusal.condition == condition


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("claim.time", {"lo": "1", "hi": "2"}),
        ("claim.final_rate", None),
        ("witness.phases", None),
        ("witness.phases.0", {"radius": "1"}),
        ("claim.K", "1"),
    ],
)
def test_broken_forms_are_malformed(path: str, value: Any) -> None:
    assert changed(path, value).outcome is Outcome.MALFORMED


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("claim.time", "100000"),
        ("claim.start_bound", "1/2"),
        ("claim.tolerance", "1/1000000"),
        ("claim.tolerance", "5"),
        ("claim.final_rate", "1/100"),
    ],
)
def test_weaker_claims_are_verified(path: str, value: Any) -> None:
    honest = copy.deepcopy(THREE)
    honest["claim"]["diameter"], honest["claim"]["time"] = "20", "9000"
    assert changed(path, value, honest).outcome is Outcome.VERIFIED


def test_a_tolerance_beyond_the_last_distance_needs_no_rate() -> None:
    honest = copy.deepcopy(THREE)
    honest["claim"] |= {"final_rate": "0", "tolerance": "10", "diameter": "30"}
    honest["claim"]["final_radius"], honest["witness"]["phases"] = "10", []
    assert check_bytes(to_bytes(honest)).outcome is Outcome.VERIFIED
    honest["claim"]["tolerance"] = "9"
    report = check_bytes(to_bytes(honest))
    assert report.refusal
    assert report.refusal.condition == "shape"


@pytest.mark.parametrize("honest", [THREE, WEIGHTED, ALIKE])
def test_a_rate_one_per_cent_above_what_is_proved(honest: dict[str, Any]) -> None:
    """The rates are the largest to four digits, so that each hypothesis of Lemma 2 is felt."""
    for index, phase in enumerate(honest["witness"]["phases"]):
        more = str(Fraction(phase["rate"]) * Fraction(101, 100))
        report = changed(f"witness.phases.{index}.rate", more, honest)
        assert report.refusal
        assert report.refusal.condition == "curvature"


def test_starts_nearer_to_0_than_the_equilibrium() -> None:
    """In a box that ends at q*_2 the farthest start is (u, 0), not (u, u); 0.5 % is felt."""
    system = ReflectedUAS("2.4", [1, 2], **COMMON)
    bound = Fraction(round(solve(system, 20).queue[1][0] * 10**9), 10**9)
    made = certify_convergence(system, bound, Fraction(1, 10**12)).certificate()
    forged = {
        "format": "certify/1",
        "kind": made.kind,
        "claim": made.claim,
        "witness": made.witness,
    }
    assert check_bytes(to_bytes(forged)).outcome is Outcome.VERIFIED
    report = changed("claim.time", str(Fraction(made.claim["time"]) * Fraction(199, 200)), forged)
    assert report.refusal
    assert report.refusal.condition == "time"


@pytest.mark.parametrize(
    ("arrival", "rates"), [("2", ["2", "3", "5"]), ("9.5", ["1", "1.5", "2", "2.5", "3"])]
)
def test_the_far_bound_is_that_of_the_page(arrival: str, rates: list[str]) -> None:
    """sigma and C of Lemma 3 from their formulas, by mpmath and the equilibrium's own module."""
    system = ReflectedUAS(arrival, rates, **COMMON)
    made = tree(system)
    trial, bits = Trial(10**9), 200
    known = read_system(Node(made["claim"]["system"], "system"), bits, trial)
    K = [Fraction(made["claim"]["K"][end]) for end in ("lo", "hi")]
    speed, loss = _far(known, _servers(known, K[0], K[1], bits, trial), bits, trial)
    with mpmath.workdps(40):
        lam, mu = mpmath.mpf(arrival), [mpmath.mpf(rate) for rate in rates]
        v = [m ** -mpmath.mpf("0.85") for m in mu]
        queue = [mpmath.mpf(str(float(sum(q) / 2))) for q in solve(system, 30).queue]
        theta = [m ** -mpmath.mpf("0.5") * mpmath.exp(-10 * w) for m, w in zip(mu, v, strict=True)]
        root = mpmath.mpf(K[0].numerator) / K[0].denominator
        shares = [m * min(1, t / root) / lam for m, t in zip(mu, theta, strict=True)]
        shift = [-mpmath.log(p) / 20 for p in shares]
        spare = mpmath.fsum(mu) - lam
        sigma = min(
            spare / mpmath.sqrt(mpmath.fsum(1 / w for w in v)),
            *(m * mpmath.sqrt(w) for m, w in zip(mu, v, strict=True)),
        )
        e = max(0, *(w * q - x for w, q, x in zip(v, queue, shift, strict=True)))
        norm = mpmath.sqrt(mpmath.fsum(x**2 / w for x, w in zip(shift, v, strict=True)))
        cost = mpmath.fsum(m * x for m, x in zip(mu, shift, strict=True))
        C = sigma * norm + cost + 2 * spare * e
    assert float(speed.ends()[0]) == pytest.approx(float(sigma), rel=1e-12)
    assert float(loss.ends()[1]) == pytest.approx(float(C), rel=1e-12)


def test_too_little_precision_decides_nothing() -> None:
    assert changed("witness.precision", 40).outcome is Outcome.REJECTED
