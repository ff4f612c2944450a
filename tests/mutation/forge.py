"""`python -m tests.mutation.forge [N]`: at least N forgeries of every kind, with their counts."""

import json
import sys
import time

from proofs_checks.checker.kinds import KINDS
from tests.mutation.engine import Tally, judge, several, single, truth_of
from tests.mutation.test_single import shipped

LARGEST = 10_000  # bytes of a certificate whose every single change is tried


def main(wanted: int) -> int:
    """Run the forgeries; 1 if a false claim was accepted."""
    failed = False
    for kind in KINDS:
        truth, tally, start = truth_of(kind), Tally(), time.perf_counter()
        paths = [path for path in shipped(kind) if path.stat().st_size < LARGEST][:8]
        for path in paths:
            judge(single(json.loads(path.read_bytes())), truth, tally)
        while tally.made < wanted and paths:
            for seed, path in enumerate(paths):
                tree = json.loads(path.read_bytes())
                judge(several(tree, 100, tally.made + seed), truth, tally)
        print(f"{kind}: {tally.line()} ({time.perf_counter() - start:.0f} s)")
        for condition, count in tally.caught.most_common():
            print(f"    {count:7}  {condition}")
        for name in tally.false_accepted:
            print(f"    FALSE AND ACCEPTED: {name}")
        failed |= bool(tally.false_accepted)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000))
