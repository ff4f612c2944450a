"""`python -m proofs_checks.identities [--write]`: prove everything, say how long it took.

With --write the checker's statements.json is written anew. Exit status 1 if a proof fails or a
near miss is not refuted.
"""

import sys
import time

from proofs_checks.identities import catalogue
from proofs_checks.identities.proof import (
    calculus_proved,
    calculus_refuted,
    misses,
    proved,
    refute,
)


def main(arguments: list[str]) -> int:
    """Prove and refute; one line for each identity."""
    good = True
    for identity in catalogue.EXPORTED:
        start = time.perf_counter()
        holds = proved(identity)
        seconds = time.perf_counter() - start
        refuted = [refute(statement) for _, statement in misses(identity)]
        good &= holds and len(refuted) >= 3
        word = "proved" if holds else "FAILED"
        print(f"{word}  {seconds:5.2f} s  {len(refuted)} refuted  {identity.name}  [exported]")
    for fact in catalogue.SYMPY_ONLY:
        start = time.perf_counter()
        holds = calculus_proved(fact)
        seconds = time.perf_counter() - start
        count = len(calculus_refuted(fact))
        good &= holds and count >= 3
        word = "proved" if holds else "FAILED"
        print(f"{word}  {seconds:5.2f} s  {count} refuted  {fact.name}  [sympy only]")
    if good and "--write" in arguments:
        catalogue.STATEMENTS.write_text(catalogue.statements(), encoding="ascii")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
