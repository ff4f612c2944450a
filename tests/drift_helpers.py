"""What several tests of kind `softmax-drift` share: systems, edits, the drift by definition."""

import copy
import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import mpmath

from certify.softmax import ReflectedUAS, System, WeightedShortestQueue
from certify.softmax.drift import certify_drift
from proofs_checks.checker.cli import Report, check_bytes
from proofs_checks.checker.verdict import Outcome
from tests.mutation.engine import Tree, to_bytes

COMMON = {"alpha": 20, "beta": "0.85", "gamma": "0.5", "offset": "0.5"}
UAS = {"alpha": 10, "beta": 1, "gamma": 1, "offset": 1}
RATES = [Fraction(k, 10) for k in range(5, 25, 2)]

BENCHMARK = ReflectedUAS("11.2", RATES, **COMMON)
UAS_SPECIAL_CASE = ReflectedUAS("11.2", RATES, **UAS)
HEAVY = ReflectedUAS("9.5", [1, "1.5", 2, "2.5", 3], **COMMON)
LIGHT = ReflectedUAS(2, [2, 3, 5], **COMMON)
TOYS = {
    "two-symmetric": ReflectedUAS("1.6", [1, 1], **COMMON),
    "two-asymmetric": ReflectedUAS("2.4", [1, 2], **COMMON),
    "three": ReflectedUAS("3.6", [1, "1.5", 2], **COMMON),
    "two-uas": ReflectedUAS("1.6", [1, 1], **UAS),
}
WSQ_TWO = WeightedShortestQueue(2, [2, 1], weights=[1, 2], temperature=1)
WSQ_THREE = WeightedShortestQueue("4.5", [3, 2, 1], weights=[1, "1.5", 3], temperature=1)
WSQ_EQUAL = WeightedShortestQueue("4.5", [3, 2, 1], weights=[1, 1, 1], temperature=1)
WSQ_LIGHT = WeightedShortestQueue(1, [4, 1], weights=[1, 1], temperature=1)
ROOMY = ReflectedUAS("1/3", ["1/2", 1, 3, "2.3"], alpha=5, beta="1.5", gamma="0.5", offset="0.5")
ALL = [BENCHMARK, UAS_SPECIAL_CASE, HEAVY, LIGHT, *TOYS.values(), WSQ_TWO, WSQ_THREE, WSQ_EQUAL]
FREE = [WSQ_LIGHT, ROOMY]  # the second term of the largest eps binds


def tree_of(system: System, digits: int = 20) -> Tree:
    """The certificate of a system, as the tree that its file holds."""
    tree: Tree = json.loads(certify_drift(system, digits).certificate().to_bytes())
    return tree


def changed(tree: Tree, **values: Any) -> Tree:
    """A copy with other values: `claim__eps="3"` sets claim.eps, and None removes it."""
    result = copy.deepcopy(tree)
    for name, value in values.items():
        *steps, last = name.split("__")
        place: Any = result
        for step in steps:
            place = place[step]
        key: Any = int(last) if isinstance(place, list) else last
        if value is None:
            del place[key]
        else:
            place[key] = value
    return result


def verdict(tree: Tree) -> Report:
    """The checker's report on a tree."""
    return check_bytes(to_bytes(tree))


def condition(tree: Tree) -> str:
    """The condition that rejects the certificate; empty if it is verified."""
    report = verdict(tree)
    if report.refusal is None:
        assert report.outcome is Outcome.VERIFIED
        return ""
    assert report.outcome is Outcome.REJECTED, report.line()
    return report.refusal.condition


def number(value: Fraction | int | str) -> Any:
    exact = Fraction(value)
    return mpmath.mpf(exact.numerator) / exact.denominator


def energies(system: System) -> tuple[Any, list[Any], list[Any]]:
    """alpha, every v_i and every kappa_i at mpmath's precision, from the formulas of the papers."""
    if isinstance(system, WeightedShortestQueue):
        weights = [number(w) for w in system.weights]
        return 1 / number(system.temperature), [2 * w for w in weights], weights
    assert isinstance(system, ReflectedUAS)
    alpha, beta, gamma, offset = (
        number(each) for each in (system.alpha, system.beta, system.gamma, system.offset)
    )
    rates = [number(rate) for rate in system.service_rates]
    slopes = [rate**-beta for rate in rates]
    shifts = [
        offset * v - gamma / alpha * mpmath.log(rate) for v, rate in zip(slopes, rates, strict=True)
    ]
    return alpha, slopes, shifts


class Generator:
    """(LV)(Q), jump by jump, at mpmath's precision when it was made."""

    def __init__(self, system: System) -> None:
        self.alpha, self.slopes, self.shifts = energies(system)
        self.arrival = number(system.arrival_rate)
        self.rates = [number(rate) for rate in system.service_rates]

    def drift(self, state: Sequence[int]) -> Any:
        """The rate of change of V = 1/2 sum v_i Q_i^2 at one state."""
        weights = [
            mpmath.exp(-self.alpha * (v * q + kappa))
            for v, q, kappa in zip(self.slopes, state, self.shifts, strict=True)
        ]
        total, value = sum(weights), mpmath.mpf(0)
        for weight, q, v, rate in zip(weights, state, self.slopes, self.rates, strict=True):
            value += self.arrival * weight / total * v * ((q + 1) ** 2 - q**2) / 2
            if q:
                value += rate * v * ((q - 1) ** 2 - q**2) / 2
        return value

    def excess(self, state: Sequence[int], eps: Fraction) -> Any:
        """(LV)(Q) + eps |Q|_1."""
        return self.drift(state) + number(eps) * sum(state)
