"""`python -m tests.mutation.forge [N] [KIND...]`: at least N forgeries of every kind, counted.

With `--seconds=S` a kind gets no new forgery after S seconds, and they come in mixed order; with
`--each=S` only certificates are forged whose own check takes at most S seconds, if there is one.

For each kind: how many were made, how many of them false or true, refused or accepted, and which
condition caught how many. Whether a claim is true is asked of all that are accepted, and of one in
ten that are refused: the independent means take longer than the checker. Every single change,
crossing and text of all certificates but the largest comes first, with a hundred single changes of
each of those, then double and triple changes up to N.
"""

import json
import random
import sys
import time
from collections.abc import Iterable
from itertools import chain, takewhile
from pathlib import Path

from proofs_checks.checker.cli import check_file
from proofs_checks.checker.kinds import KINDS
from tests.mutation.engine import (
    Forgery,
    Tally,
    crossed,
    judge,
    several,
    shipped,
    single,
    truth_of,
    worded,
)

LARGEST = 10_000  # bytes of a certificate whose every single change is tried
SAMPLED = 100  # single changes of a larger one
ASKED = 10  # one in so many refused forgeries is asked whether it is true


def quick(paths: list[Path], each: float) -> list[Path]:
    """The certificates whose check takes at most so many seconds of CPU, or the first if none."""
    chosen = []
    for path in paths if each < float("inf") else []:
        start = time.process_time()
        check_file(path)
        if time.process_time() - start <= each:
            chosen.append(path)
    return chosen or (paths[:1] if each < float("inf") else paths)


def forge(kind: str, wanted: int, seconds: float, each: float) -> Tally:
    """The counts of one kind, which ships a certificate that is not large."""
    end = time.perf_counter() + seconds
    truth, tally = truth_of(kind), Tally()
    trees, large = [], []
    for path in quick(shipped(kind), each):
        to = trees if path.stat().st_size < LARGEST else large
        to.append(json.loads(path.read_bytes()))
    made = [chain(single(tree), crossed(tree, trees), worded(tree)) for tree in trees]
    made += [several(tree, SAMPLED, 0, places=(1,)) for tree in large]
    first: Iterable[Forgery] = chain.from_iterable(made)
    if seconds < float("inf"):
        listed = list(first)
        random.Random(0).shuffle(listed)
        first = takewhile(lambda _: time.perf_counter() < end, listed)
    judge(first, truth, tally, ASKED)
    while trees and tally.made < wanted and time.perf_counter() < end:
        for seed, tree in enumerate(trees):
            judge(several(tree, 100, tally.made + seed), truth, tally, ASKED)
    return tally


def main(wanted: int, kinds: list[str], seconds: float, each: float) -> int:
    """Run the forgeries; 1 if a false claim was accepted."""
    failed = False
    for kind in kinds or KINDS:
        start = time.perf_counter()
        tally = forge(kind, wanted, seconds, each)
        print(f"{kind}: {tally.line()} ({time.perf_counter() - start:.0f} s)")
        for condition, count in tally.caught.most_common():
            print(f"    {count:7}  {condition}")
        idle = [c for c in KINDS[kind].CONDITIONS if not tally.caught[f"REJECTED {c}"]]
        print(f"    caught nothing: {', '.join(idle) or 'none'}", flush=True)
        for name in tally.false_accepted:
            print(f"    FALSE AND ACCEPTED: {name}")
        for name in tally.unclean:
            print(f"    NOT ONE PRINTABLE LINE: {name}")
        failed |= bool(tally.false_accepted or tally.unclean)
    return int(failed)


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    limits = {"--seconds": float("inf"), "--each": float("inf")}
    for word in sys.argv[1:]:
        name, equals, value = word.partition("=")
        if equals:
            limits[name] = float(value)
    words = [word for word in sys.argv[1:] if not word.isdigit() and not word.startswith("-")]
    sys.exit(main(*(numbers or [10_000]), words, limits["--seconds"], limits["--each"]))
