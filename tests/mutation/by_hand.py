"""Forgeries that no search among changed certificates finds: each is refused by one condition only.

The idea is set by hand, one per function; the claimed numbers that follow from it are those that
the other conditions ask for, one after the other. All claims are false.
"""

import copy
import json
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from certify.fluid import FiniteLaw, dispatch
from proofs_checks.checker.kinds import KINDS
from proofs_checks.checker.reader import DEFAULT, parse
from proofs_checks.checker.verdict import Refusal
from tests.mutation.engine import CERTIFICATES, Granting, Tree, changed, spelled, to_bytes

F = Fraction
RUNNING = {"atoms": [["1/2", "1/2"], ["3/2", "1/2"]]}
# conditions 1 to 6 of fluid-value.md hold, and the least cost at a tie is 33/28, not 1
NOT_ATTAINED = [
    {"from": "0", "to": "3/8", "value": ["1", "-1/3", "-5/9"]},
    {"from": "3/8", "to": "1", "value": ["21/20", "-3/5", "-1/5"]},
]
ANY = {"lo": "0", "hi": "0"}  # to be completed


def forgeries(kind: str) -> dict[str, Tree]:
    """The forgeries of a kind, by the condition that refuses them."""
    return {
        condition: completed(make(), condition)
        for (name, condition), make in MADE.items()
        if name == kind
    }


def completed(tree: Tree, condition: str) -> Tree:
    """The forgery, with what another condition refuses replaced by the number that it expects."""
    for _ in range(100):
        kind, claim, witness = parse(to_bytes(tree), DEFAULT)
        try:
            KINDS[kind].check(claim, witness, Granting(condition))
        except Refusal as refusal:
            place: list[Any] = [
                int(step) if step.isdigit() else step for step in refusal.where.split(".")
            ]
            expected = _expected(refusal.expected)
            tree = changed(tree, [(place, expected)])
        except ArithmeticError:
            return tree  # what follows the condition cannot be computed without it
        else:
            return tree
    raise RuntimeError(f"{condition}: another condition cannot be satisfied")


def _expected(text: str) -> Any:
    """The number of a refusal, or a somewhat wider interval, of several the one farthest from 0."""
    found = re.findall(r"\[([-0-9./e]+), ([-0-9./e]+)\]", text.replace("...", ""))
    if not found:
        return str(F(text))
    low, high = max((sorted(map(F, ends)) for ends in found), key=lambda ends: abs(ends[0]))
    if "absolute value" in text and low < 0:
        low, high = -high, -low
    room = F(1, 10**9)
    ends = ((low - room) * 10**10 // 1, -((-high - room) * 10**10 // 1))
    return {name: spelled(F(end, 10**10)) for name, end in zip(("lo", "hi"), ends, strict=True)}


def shipped(name: str) -> Tree:
    """A certificate, to be changed."""
    tree: Tree = json.loads((CERTIFICATES / f"{name}.json").read_bytes())
    return tree


def value_sector() -> Tree:
    """The form of the upper sector taken for a tie: 6/5 instead of 33/28."""
    tree = shipped("fluid-value-running")
    del tree["claim"]["sectors"]
    tree["claim"]["values"] = [{"imbalance": "0", "value": "6/5"}]
    return {**tree, "witness": {"sectors": [1]}}


def comparison_exit() -> Tree:
    """Forms that idle at a price, for all jobs and for the bins."""
    tree = shipped("fluid-comparison-running")
    return {**tree, "witness": {"optimal": NOT_ATTAINED, "bin_policy": NOT_ATTAINED}}


def heavy_traffic_exit() -> Tree:
    """The same forms at load 3/4."""
    tree = shipped("fluid-heavy-traffic-running")
    del tree["claim"]["rows"][1:]
    return {**tree, "witness": {"sectors": [NOT_ATTAINED]}}


def noise_exit() -> Tree:
    """The same forms as the least cost of a dispatcher that sees the sizes."""
    tree = shipped("fluid-noise-running")
    tree["witness"]["full"] = NOT_ATTAINED
    return tree


def wasserstein_exit() -> Tree:
    """The same forms as the least cost of the second law, and of the first, which equals it."""
    claim = {"first": RUNNING, "second": RUNNING, "load": "3/4"}
    claim |= dict.fromkeys(("distance", "deviation_distance", "bound"), "0")
    claim["rows"] = [{"imbalance": "0", "first": "1", "second": "1", "difference": "0"}]
    witness = {"first": NOT_ATTAINED, "second": NOT_ATTAINED}
    return {**shipped("fluid-wasserstein-three-sizes"), "claim": claim, "witness": witness}


def heavy_traffic_spread() -> Tree:
    """One size: the upper end, with the integral of 1/|1 - u|^2, is infinite and not -1."""
    tree = shipped("fluid-heavy-traffic-running")
    row = {"load": "3/4", "bound": ["1/4", "-1"], "scaled_value": "3/8"}
    tree["claim"] = {"law": {"atoms": [["1", "1"]]}, "half_work_share": "1/2", "rows": [row]}
    tree["witness"]["sectors"] = [[{"from": "0", "to": "1", "value": ["3/2", "0", "-1/2"]}]]
    return tree


def _uniform_traffic(row: dict[str, Any], median: dict[str, str]) -> Tree:
    tree = shipped("fluid-heavy-traffic-uniform")
    tree["claim"] = {
        "law": {"family": "uniform", "lowest": "0"},
        "work_median": median,
        "half_work_share": ANY,
        "rows": [{**row, "scaled_value": ANY, "bound": [ANY, ANY]}],
    }
    witness = tree["witness"]
    coarse = {"precision": 64, "terms": [16] * len(witness["terms"])}  # takes less time
    return {**tree, "witness": {**witness, **coarse}}


def heavy_traffic_heavy() -> Tree:
    """A light load, at which X(0) is 1 only far from a tie: a least cost of 0 at a tie."""
    row = {"load": "2/5", "exit_cutoff": "infinity"}
    return _uniform_traffic(row, {"lo": "141421e-5", "hi": "141422e-5"})


def heavy_traffic_work_median() -> Tree:
    """Work median 1 instead of 1.414 for sizes uniform from 0 to 2: half work share 1/4."""
    row = {"load": "3/4", "exit_cutoff": {"lo": "163299e-5", "hi": "1633e-3"}}
    return _uniform_traffic(row, {"lo": "1", "hi": "1"})


def noise_variance() -> Tree:
    """The sizes themselves in the place of their conditional mean: no loss."""
    tree = shipped("fluid-noise-lognormal-light")
    for rows in (tree["claim"]["rows"], tree["witness"]["full"]["claim"]["values"]):
        del rows[1:]
    full = copy.deepcopy(tree["witness"]["full"])
    tree["witness"]["seen"] = [{"sigma": tree["claim"]["sizes"]["sigma"], **full}]
    tree["claim"]["rows"][0]["seen"] = tree["claim"]["rows"][0]["full"]
    return tree


def wasserstein_turning() -> Tree:
    """A point below both sizes, where the deviations differ by less than between the sizes."""
    tree = shipped("fluid-wasserstein-exponential")
    tree["claim"]["second"] = {"atoms": [["1/2", "1/10"], ["19/18", "9/10"]]}
    second = dispatch(FiniteLaw((("1/2", "1/10"), ("19/18", "9/10"))), "3/4")
    tree["witness"]["second"] = [sector.to_claim() for sector in second.sectors]
    tree["witness"]["turning"] = ["1/4"]
    return tree


def enclosure_hypothesis() -> Tree:
    """Sizes uniform from -1/2 to 5/2."""
    tree = shipped("fluid-enclosure-uniform-coarse")
    tree["claim"]["law"]["lowest"] = "-1/2"
    tree["claim"]["exit_cutoff"] = {"lo": "2", "hi": "21e-1"}
    knots = [str(F(k, 8)) for k in range(17)]
    return {**tree, "witness": {"precision": 64, "knots": knots, "terms": [16] * 16}}


def lattice_drift_far() -> Tree:
    """Cells from the level of the empty system to just above it: no state but the empty one."""
    tree = shipped("softmax-lattice-drift-two-symmetric")
    claim, witness = tree["claim"], tree["witness"]
    claim["R"], claim["mean_queue_bound"] = "9/10", "9/2"
    claim["attained"] = {"state": ["0", "0"], "value": "79/100"}
    del witness["period"]
    witness["point"] = ["1/2", "1/2"]
    witness["levels"] = {"low": "23/50", "high": "47/100", "cells": [{"multiplier": "1/2"}]}
    return tree


def stationary(hi: str, upper: str, **witness: Any) -> Tree:
    """JSQ at two equal servers, whose mean is 4.729..., with tables of the empty state only."""
    tree = shipped("softmax-stationary-two-symmetric-jsq")
    tree["claim"]["mean_total_queue"] = {"lo": "0", "hi": hi}
    tree["witness"] |= {"total": 0, "upper": [upper], "lower": ["0"]} | witness
    return tree


def stationary_excess() -> Tree:
    """Nearly uniform routing, which overloads the slower server, taken for the shortest queue."""
    tree = stationary("9", "0", excess="0", eps="1", shares=["0", "3"], slope="1")
    rates = {"arrival_rate": "3", "service_rates": ["1", "4"]}
    system = rates | {"weights": ["1", "1"], "temperature": "30"}
    tree["claim"] |= {"policy": "softmax", "system": system}
    return tree


MADE: dict[tuple[str, str], Callable[[], Tree]] = {
    ("fluid-comparison", "exit"): comparison_exit,
    ("fluid-enclosure", "hypothesis"): enclosure_hypothesis,
    ("fluid-heavy-traffic", "exit"): heavy_traffic_exit,
    ("fluid-heavy-traffic", "heavy"): heavy_traffic_heavy,
    ("fluid-heavy-traffic", "spread"): heavy_traffic_spread,
    ("fluid-heavy-traffic", "work-median"): heavy_traffic_work_median,
    ("fluid-noise", "exit"): noise_exit,
    ("fluid-noise", "variance"): noise_variance,
    ("fluid-value", "sector"): value_sector,
    ("fluid-wasserstein", "exit"): wasserstein_exit,
    ("fluid-wasserstein", "turning"): wasserstein_turning,
    ("softmax-lattice-drift", "far"): lattice_drift_far,
    ("softmax-stationary", "excess"): stationary_excess,
    ("softmax-stationary", "far"): lambda: stationary("4", "5e-1", eps="1/5", slope="5"),
    ("softmax-stationary", "hypothesis"): lambda: stationary("4e-1", "-5e-1", eps="-1", slope="-1"),
    ("softmax-stationary", "shares"): lambda: stationary(
        "19e-1", "0", eps="1", shares=["0", "0"], slope="1"
    ),
    ("softmax-stationary", "slack"): lambda: stationary("19e-1", "0", eps="1", slope="1"),
    ("softmax-stationary", "steep"): lambda: stationary("2", "0", slope="0"),
}
