"""Numbers of the rank kinds, each moved a little: exact ones have one value, bounds one side."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from proofs_checks.checker.verdict import Outcome
from tests.checker.test_mutants_fluid import is_number, names, places, put, spelled
from tests.drift_helpers import condition, verdict
from tests.mutation.engine import Tree

FOLDER = Path(__file__).parents[2] / "certificates"
# bounds: the side on which a number is weaker, and as true; 0 for rounded ones with room
WEAKER = {
    "rows.original.at_least": -1,
    "mean_queue.at_least": -1,
    "mean_queue.at_most": 1,
    "limit_bounds": 0,
}
CONDITION = {
    "mean_gaps": "mean-gap",
    "gap_variances": "gap-variance",
    "mean_ranked_queues": "ranked-queue",
    "mean_total_queue": "total-queue",
    "no_idle": "no-idle",
    "no_tie": "no-tie",
    "paused_fraction": "paused-fraction",
    "stability_threshold": "threshold",
    "throughput": "throughput",
    "limit_rates": "limit-rate",
    "mean_queue.expansion": "mean-expansion",
    "drift.slope": "drift",
    "drift.constant": "drift",
    "identity.slope": "identity",
    "identity.constant": "identity",
    "idle_servers": "idle",
    "full.mean_queue.at_least.rational": "full",
    "full.mean_queue.at_most.coefficient": "full",
}
NAMES = [
    "comparison-3",
    "comparison-16",
    "difference-2-light",
    "difference-2-light-no-idle",
    "gaps-4",
    "gaps-5",
    "gaps-critical-4",
    "gaps-rates-5",
    "gaps-original-4",
    "limits-4",
    "limits-16",
]


def shipped(name: str) -> Tree:
    tree: Tree = json.loads((FOLDER / f"rank-{name}.json").read_bytes())
    return tree


@pytest.mark.parametrize("name", NAMES)
def test_a_number_that_is_off_by_very_little(name: str) -> None:
    tree, seen = shipped(name), dict[str, int]()
    assert condition(tree) == ""
    for path, value in places(tree["claim"]):
        field, whole = names(path), isinstance(value, int)
        seen[field] = seen.get(field, 0) + 1
        if seen[field] > 3 or isinstance(value, dict) or not (whole or is_number(value)):
            continue
        for side in (-1, 1):
            if WEAKER.get(field, side + 1) in (0, side):
                continue
            step = Fraction(side, 1 if whole else 10**9)
            moved = value + side if whole else str(Fraction(value) + step)
            report = verdict(put(tree, path, moved))
            if field.endswith("root") or whole:
                assert report.outcome in (Outcome.MALFORMED, Outcome.REJECTED)
                continue
            assert report.outcome is Outcome.REJECTED, (path, report.line())
            assert report.refusal is not None
            wanted = "throughput" if field == "throughput" and "original" not in name else None
            wanted = CONDITION.get(field) if field != "throughput" else wanted
            assert wanted in (None, report.refusal.condition), (path, report.line())


@pytest.mark.parametrize("name", NAMES)
def test_an_interval_that_ends_beside_the_number(name: str) -> None:
    tree, seen = shipped(name), dict[str, int]()
    for path, value in places(tree["claim"]):
        field = names(path)
        seen[field] = seen.get(field, 0) + 1
        if not isinstance(value, dict) or seen[field] > 3:
            continue
        low, high = Fraction(value["lo"]), Fraction(value["hi"])
        step = max(high - low, Fraction(1, 10**9))
        for ends in ((high + step, high + 1), (low - 1, low - step)):
            texts = dict(zip(("lo", "hi"), (spelled(end, 60) for end in ends), strict=True))
            report = verdict(put(tree, path, texts))
            assert report.outcome is Outcome.REJECTED, (path, report.line())
