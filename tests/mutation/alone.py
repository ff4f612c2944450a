"""`python -m tests.mutation.alone KIND...`: for each condition a forgery that it alone catches.

A condition that never refuses anything by itself proves nothing. For every condition of a kind
this program looks among the forgeries of the shipped certificates for one that the condition
refuses, and that is verified once the condition is taken for granted; of a false claim where one
is found. What it cannot find is made by_hand.py. The forgeries are kept in alone.json, and
test_alone.py checks them again.
"""

import json
import sys
import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.kernel.interval import Undecided
from proofs_checks.checker.kinds import KINDS
from proofs_checks.checker.reader import DEFAULT, parse
from proofs_checks.checker.verdict import Outcome, Refusal
from tests.mutation.by_hand import forgeries
from tests.mutation.engine import (
    Granting,
    Tree,
    crossed,
    several,
    shipped,
    single,
    to_bytes,
    truth_of,
)

TABLE = Path(__file__).with_name("alone.json")
LARGEST = 40_000  # bytes of a certificate that is forged here
SECONDS = 10.0  # of CPU for one kind

Row = dict[str, Any]


def refused_alone(tree: Tree, condition: str) -> bool:
    """Whether the condition refuses the certificate and nothing else would."""
    report = check_bytes(to_bytes(tree))
    if report.outcome is not Outcome.REJECTED or report.refusal is None:
        return False
    return report.refusal.condition == condition and _granted(tree, condition)


def _granted(tree: Tree, condition: str) -> bool:
    kind, claim, witness = parse(to_bytes(tree), DEFAULT)
    try:
        KINDS[kind].check(claim, witness, Granting(condition))
    except (Refusal, Undecided):
        return False
    except (ArithmeticError, LookupError, ValueError, TypeError):
        return True  # what is behind the condition cannot even be asked without it
    return True


def search(kind: str, seconds: float = SECONDS) -> dict[str, Row]:
    """A forgery for as many conditions as can be found in the time."""
    end, found = time.process_time() + seconds, dict[str, Row]()
    paths = [path for path in shipped(kind) if path.stat().st_size < LARGEST]
    trees = [json.loads(path.read_bytes()) for path in paths]
    truth, wanted = truth_of(kind), set(KINDS[kind].CONDITIONS)
    for round_ in range(100):
        for tree in trees:
            for forged in _forgeries(tree, trees, round_):
                if time.process_time() > end or not wanted:
                    return found
                report = check_bytes(to_bytes(forged))
                name = report.refusal.condition if report.refusal else ""
                if report.outcome is not Outcome.REJECTED or name not in wanted:
                    continue
                if not _granted(forged, name):
                    continue
                fact = truth(forged["claim"])
                if name not in found or fact is False:
                    found[name] = {"forgery": forged, "false": fact is False}
                if fact is False:
                    wanted.discard(name)
    return found


def made_by_hand(kind: str) -> dict[str, Row]:
    """The forgeries of by_hand.py."""
    truth = truth_of(kind)
    return {
        name: {"forgery": tree, "false": truth(tree["claim"]) is False}
        for name, tree in forgeries(kind).items()
    }


def _forgeries(tree: Tree, trees: list[Tree], round_: int) -> Iterator[Tree]:
    if round_:
        return (each.tree for each in several(tree, 200, round_))
    return (
        each.tree
        for each in chain(single(tree), crossed(tree, trees))
        if each.tree["kind"] == tree["kind"]
    )


def main(kinds: list[str]) -> int:
    """Search and write the table; 1 if a condition is left without a forgery."""
    missing = 0
    for kind in kinds or KINDS:
        table: dict[str, dict[str, Row]] = json.loads(TABLE.read_text())
        found = {**search(kind), **made_by_hand(kind)}
        table[kind] = {
            name: row
            for name in KINDS[kind].CONDITIONS
            if (row := found.get(name) or table.get(kind, {}).get(name))
        }
        TABLE.write_text(json.dumps(table, indent=None, sort_keys=True) + "\n")
        without = [name for name in KINDS[kind].CONDITIONS if name not in table[kind]]
        true = [name for name, row in table[kind].items() if not row["false"]]
        print(f"{kind}: without {without}; of a true claim only {true}", flush=True)
        missing += len(without)
    return int(missing > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
