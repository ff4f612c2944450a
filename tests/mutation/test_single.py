"""Every single change of a shipped certificate of each kind, and some double and triple ones."""

import json
from itertools import islice
from pathlib import Path

import pytest

from proofs_checks.checker.kinds import KINDS
from tests.mutation.engine import Tally, judge, several, single, truth_of

CERTIFICATES = Path(__file__).parents[2] / "certificates"
SMALLEST = 2  # certificates of each kind whose every single change is tried here
COUNT = 150  # double and triple changes of each
SAMPLE = {"fluid-enclosure": 25}  # where the truth takes seconds a claim, only each 25th change


def shipped(kind: str) -> list[Path]:
    paths = sorted(CERTIFICATES.glob(f"{kind}-*.json"), key=lambda path: path.stat().st_size)
    return [path for path in paths if json.loads(path.read_bytes())["kind"] == kind]


@pytest.mark.parametrize("kind", KINDS)
def test_no_false_claim_is_accepted(kind: str) -> None:
    truth, tally = truth_of(kind), Tally()
    paths = shipped(kind)
    assert paths, f"no certificate of kind {kind} ships"
    for path in paths[:SMALLEST]:
        tree = json.loads(path.read_bytes())
        assert truth(tree["claim"]) is not False, f"{path.name} itself is false"
        every = SAMPLE.get(kind, 1)
        judge(islice(single(tree), 0, None, every), truth, tally)
        judge(several(tree, COUNT // every, seed=len(path.name)), truth, tally)
    print(kind, tally.line(), dict(tally.caught))
    assert not tally.false_accepted
    assert tally.false_refused > 100 // SAMPLE.get(kind, 1)
    assert tally.true_accepted > 0
