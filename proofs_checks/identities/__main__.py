"""`python -m proofs_checks.identities [--write]`: prove everything twice, say how long it took.

One line for each identity: the seconds sympy and the checker take to prove it, how many near
misses both refute, its name and source. With --write the checker's statements.json is written
anew first. Exit status 1 if a proof fails or a near miss is not refuted.
"""

import json
import sys
import time

from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome
from proofs_checks.identities import catalogue
from proofs_checks.identities.language import Statement
from proofs_checks.identities.proof import (
    calculus_proved,
    calculus_refuted,
    misses,
    proved,
    refute,
)


def main(arguments: list[str]) -> int:
    """Prove and refute; print the table."""
    if "--write" in arguments:
        catalogue.STATEMENTS.write_text(catalogue.statements(), encoding="ascii")
    print("verdict  sympy s  checker s  near misses refuted  identity: source")
    good = True
    for identity in catalogue.EXPORTED:
        start = time.perf_counter()
        holds = proved(identity)
        middle = time.perf_counter()
        holds &= _accepted(identity.statement, identity.name)
        end = time.perf_counter()
        near = [statement for _, statement in misses(identity)]
        refuted = sum(bool(refute(each)) and not _accepted(each, "unnamed") for each in near)
        good &= _told(
            holds and refuted == len(near) >= 3,
            f"{middle - start:7.2f}  {end - middle:9.3f}",
            refuted,
            f"{identity.name}: {identity.source}",
        )
    for fact in catalogue.SYMPY_ONLY:
        start = time.perf_counter()
        holds = calculus_proved(fact)
        seconds = f"{time.perf_counter() - start:7.2f}  {'-':>9}"
        refuted = len(calculus_refuted(fact))
        good &= _told(holds and refuted >= 3, seconds, refuted, f"{fact.name}: {fact.source}")
    return 0 if good else 1


def _told(good: bool, seconds: str, refuted: int, words: str) -> bool:
    print(f"{'proved' if good else 'FAILED'}   {seconds}  {refuted:19}  {words}", flush=True)
    return good


def _accepted(statement: Statement, name: str) -> bool:
    """Whether the checker verifies the statement under that name."""
    claim = {**statement.claim(), "name": name}
    tree = {"format": "certify/1", "kind": "identity", "claim": claim, "witness": {}}
    data = (json.dumps(tree, indent=2, sort_keys=True) + "\n").encode("ascii")
    return check_bytes(data).outcome is Outcome.VERIFIED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
