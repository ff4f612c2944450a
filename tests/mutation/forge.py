"""`python -m tests.mutation.forge [N] [KIND...]`: at least N forgeries of every kind, counted.

For each kind: how many were made, how many of them false or true, refused or accepted, and which
condition caught how many. Whether a claim is true is asked of all that are accepted, and of one in
ten that are refused: the independent means take longer than the checker. Every single change,
crossing and text of every certificate comes first; of a large certificate, whose lists have up to
ten thousand places, every kind of change at every kind of place. Then double and triple changes up
to N.

The certificates of a kind take turns, and the counts so far are told on standard error once a
minute. With `--seconds=S` a kind gets no new forgery after S seconds; with `--each=S` certificates
whose own check takes more than S seconds are forged as large ones are.
"""

import json
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, takewhile, zip_longest
from pathlib import Path

from proofs_checks.checker.cli import check_file
from proofs_checks.checker.kinds import KINDS
from tests.mutation.engine import (
    Forgery,
    Tally,
    Tree,
    crossed,
    judge,
    of_every_kind,
    several,
    shipped,
    single,
    truth_of,
    worded,
)

LARGEST = 10_000  # bytes of a certificate whose every single change is tried
ASKED = 10  # one in so many refused forgeries is asked whether it is true


def systematic(paths: Sequence[Path], each: float) -> Iterator[Forgery]:
    """Every single change of what is small and quick, every kind of change of the rest, in turn."""
    trees = [json.loads(path.read_bytes()) for path in paths]
    turns = zip_longest(*(of_one(path, trees, seed, each) for seed, path in enumerate(paths)))
    return (forgery for turn in turns for forgery in turn if forgery)


def of_one(path: Path, trees: Sequence[Tree], number: int, each: float) -> Iterator[Forgery]:
    """The forgeries of the certificate of this number."""
    tree, small = trees[number], path.stat().st_size < LARGEST
    if small and (each == float("inf") or seconds_of_check(path) <= each):
        yield from single(tree)
    else:
        yield from of_every_kind(tree, number)
    if small:
        yield from chain(crossed(tree, trees), worded(tree))


def seconds_of_check(path: Path) -> float:
    """The seconds of CPU that the check of a certificate takes."""
    start = time.process_time()
    check_file(path)
    return time.process_time() - start


def told(forgeries: Iterable[Forgery], kind: str, tally: Tally) -> Iterator[Forgery]:
    """The same forgeries, and the counts so far once a minute."""
    last = time.perf_counter()
    for forgery in forgeries:
        if time.perf_counter() > last + 60:
            last = time.perf_counter()
            print(f"{kind} so far: {tally.line()}", file=sys.stderr, flush=True)
        yield forgery


def forge(kind: str, wanted: int, seconds: float, each: float) -> Tally:
    """The counts of one kind, which ships a certificate that is not large."""
    end = time.perf_counter() + seconds
    truth, tally = truth_of(kind), Tally()
    first = takewhile(lambda _: time.perf_counter() < end, systematic(shipped(kind), each))
    judge(told(first, kind, tally), truth, tally, ASKED)
    small = [path for path in shipped(kind) if path.stat().st_size < LARGEST]
    trees = [json.loads(path.read_bytes()) for path in small]
    while trees and tally.made < wanted and time.perf_counter() < end:
        for seed, tree in enumerate(trees):
            judge(several(tree, 100, tally.made + seed), truth, tally, ASKED)
    return tally


def main(wanted: int, kinds: list[str], seconds: float, each: float) -> int:
    """Run the forgeries; 1 if a false claim was accepted."""
    failed = False
    sys.set_int_max_str_digits(0)  # exact numbers of large certificates have more than Python reads
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
