"""For every condition that alone.json lists: a forgery that it, and nothing else, refuses."""

import json
from typing import Any

import pytest

from proofs_checks.checker.kinds import KINDS
from tests.mutation.alone import TABLE, refused_alone
from tests.mutation.engine import truth_of

ROWS: dict[str, dict[str, dict[str, Any]]] = json.loads(TABLE.read_text())


@pytest.mark.parametrize("kind", ROWS)
def test_each_condition_catches_what_no_other_does(kind: str) -> None:
    """If a kind's claims have changed: `python -m tests.mutation.alone KIND` searches again."""
    truth = truth_of(kind)
    for condition, row in ROWS[kind].items():
        assert condition in KINDS[kind].CONDITIONS
        assert refused_alone(row["forgery"], condition), condition
        if row["false"] and not kind.startswith("softmax-"):  # whose truths take long
            assert truth(row["forgery"]["claim"]) is False
