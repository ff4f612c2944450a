"""`python -m tests.arithmetic.compare [N] [KIND...]`: both arithmetics, certificates and forgeries.

Every shipped certificate of these kinds, or of all, and at least N forgeries of the smallest ones
of every kind whose conditions use enclosures, must get the same verdict and fail at the same
condition. An enclosure may be too wide where another is not, so a difference is settled if doubling
the witness's precision ends it; what then still differs must be true (a bound that is attained
exactly), and is counted.
"""

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from proofs_checks.arithmetic import arb
from proofs_checks.checker.cli import Report, check_bytes
from proofs_checks.checker.kernel import own
from proofs_checks.checker.kernel.real import Real
from proofs_checks.checker.kinds import KINDS
from tests.mutation.engine import Forgery, Tree, Truth, several, to_bytes, truth_of
from tests.mutation.forge import systematic
from tests.mutation.test_single import shipped

SMALL = 3  # certificates of each kind that are forged
SLOW = 0.1  # seconds of a check whose certificate is forged as a large one is


@dataclass
class Agreement:
    """How often both arithmetics agreed, how often more precision settled it, and what is left."""

    compared: int = 0
    verified: int = 0
    settled: list[str] = field(default_factory=list)
    attained: list[str] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)

    def line(self) -> str:
        """The counts in one line."""
        return (
            f"{self.compared} compared, {self.verified} verified by both, "
            f"{len(self.settled)} settled by precision, {len(self.attained)} true and attained, "
            f"{len(self.differences)} differences"
        )


def compare(forgeries: Iterable[Forgery], truth: Truth, found: Agreement) -> Agreement:
    """Check each certificate on both arithmetics and sort what differs."""
    for forgery in forgeries:
        reports = both(forgery.tree)
        found.compared += 1
        found.verified += all(report.refusal is None for report in reports)
        if verdict(reports[0]) == verdict(reports[1]):
            continue
        again = [verdict(report) for report in both(sharper(forgery.tree))]
        if again[0] == again[1]:
            found.settled.append(forgery.name)
        elif truth(forgery.tree["claim"]) is True:
            found.attained.append(forgery.name)
        else:
            traces = [f"{report.line()}\n{report.explanation()}" for report in reports]
            found.differences.append("\n".join([forgery.name, *traces]))
    return found


def no_excuse(_: dict[str, Any]) -> bool | None:
    """The truth asked for where both must agree: of shipped certificates."""
    return None


def both(tree: Tree) -> list[Report]:
    """The reports on the checker's own arithmetic and on Arb's."""
    return [check_bytes(to_bytes(tree), arithmetic=arithmetic) for arithmetic in (own, arb)]


def verdict(report: Report) -> tuple[str, str]:
    """What must be the same."""
    return report.outcome.value, report.refusal.condition if report.refusal else ""


def sharper(tree: Tree) -> Tree:
    """The same claim with twice the precision asked for by its witness."""
    witness = tree["witness"]
    if not isinstance(witness, dict) or type(witness.get("precision")) is not int:
        return tree
    return {**tree, "witness": {**witness, "precision": 2 * witness["precision"]}}


def encloses(path: Path) -> bool:
    """Whether the check of a certificate takes any enclosure, so that the arithmetic matters."""
    counter = Counting()
    check_bytes(path.read_bytes(), arithmetic=counter)
    return counter.used > 0


class Counting:
    """The own arithmetic, counting the numbers it encloses."""

    def __init__(self) -> None:
        self.used = 0
        self.gamma, self.upper_share, self.line = own.gamma, own.upper_share, own.line

    def enclose(self, value: Fraction | int, bits: int) -> Real:
        """The exact number."""
        self.used += 1
        return own.enclose(value, bits)


def forged(paths: list[Path], wanted: int) -> Iterator[Forgery]:
    """The systematic changes of the certificates, then random ones until there are `wanted`."""
    made = 0
    for forgery in systematic(paths, SLOW):
        yield forgery
        made += 1
    trees: list[dict[str, Any]] = [json.loads(path.read_bytes()) for path in paths]
    seed = 0
    while made < wanted:
        for tree in trees:
            yield from several(tree, 100, seed)
            made, seed = made + 100, seed + 1


def report(name: str, work: Callable[[Agreement], Agreement]) -> bool:
    """Do the work, print its line and every difference; whether there was one."""
    start = time.perf_counter()
    found = work(Agreement())
    print(f"{name}: {found.line()} ({time.perf_counter() - start:.0f} s)", flush=True)
    for words in ("settled", "attained", "differences"):
        for each in getattr(found, words):
            print(f"    {words}: {each}")
    return bool(found.differences)


def main(wanted: int, kinds: list[str]) -> int:
    """Compare all; 1 if anything differs."""
    failed = False
    for kind in kinds or KINDS:
        trees = [Forgery(path.name, json.loads(path.read_bytes())) for path in shipped(kind)]
        failed |= report(f"{kind}, shipped", lambda a, t=trees: compare(t, no_excuse, a))
        paths = shipped(kind)[:SMALL]
        if wanted and any(encloses(path) for path in paths):
            forgeries, truth = forged(paths, wanted), truth_of(kind)
            failed |= report(f"{kind}, forged", lambda a, t=forgeries, f=truth: compare(t, f, a))
    return int(failed)


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    sys.exit(main(*(numbers or [1_000]), [word for word in sys.argv[1:] if not word.isdigit()]))
