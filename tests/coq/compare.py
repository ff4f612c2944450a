"""`python -m tests.coq.compare [OPTIONS] [PATH...]`: Coq and the checker on the same forgeries.

Without a path: the false certificates of forgeries.py, or the first N of each kind. With paths:
every forgery of those files that bends one number, or every N-th of them. Both checks must agree
on each, and neither may accept what forgeries.py calls false; otherwise both outputs are printed
and the exit status is 1.
A certificate that either of them declines or skips is counted apart, and so is one that the
checker refuses while Coq re-proves the part of it that is formalised.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from pathlib import Path

from proofs_checks.checker.cli import Report, check_bytes
from proofs_checks.checker.verdict import Outcome
from proofs_checks.coq.prover import Prover, Unavailable, prover
from proofs_checks.coq.run import Result, Verdict, prove_bytes
from tests.coq.forgeries import CHANGES, Forgery, canonical, forgeries

SECONDS = 300


def verdicts(forgery: Forgery, coq: Prover, build: Path) -> tuple[Report, Result]:
    """What the checker and what Coq say."""
    name = forgery.kind
    return (
        check_bytes(forgery.data, f"{name}.json"),
        prove_bytes(forgery.data, f"{name}.json", coq, build, SECONDS),
    )


def agree(report: Report, result: Result) -> bool | None:
    """Whether both accept or both refuse; None when one of them did not decide."""
    if report.outcome is Outcome.DECLINED or result.verdict is Verdict.SKIPPED:
        return None
    accepted = report.outcome is Outcome.VERIFIED
    if result.verdict is Verdict.PARTLY:
        return True if accepted else None
    return accepted == (result.verdict is Verdict.PROVED)


def bent(path: Path) -> Iterator[Forgery]:
    """Every change of one number of the claim by one, in the numerator or in the last place."""
    tree = json.loads(path.read_bytes())
    text = json.dumps(tree["claim"])
    tokens = text.split('"')
    for place in range(1, len(tokens), 2):
        token = tokens[place]
        if not token.lstrip("-")[:1].isdigit():
            continue
        end = next((i for i, c in enumerate(token) if c in "/e"), len(token))
        for step in (1, -1):
            forged = [*tokens]
            forged[place] = f"{int(token[:end]) + step}{token[end:]}"
            claim = json.loads('"'.join(forged))
            data = canonical({**tree, "claim": claim})
            yield Forgery(tree["kind"], f"{path.stem}: {token} -> {forged[place]}", data)


def main(arguments: list[str] | None = None) -> int:
    """Run the comparison and return its exit status."""
    parser = argparse.ArgumentParser(prog="compare", description=__doc__)
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--every", type=int, default=1, metavar="N")
    parser.add_argument("--per-kind", type=int, metavar="N", help="without PATH: N of each kind")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="files at a time")
    parser.add_argument("--build", type=Path, default=Path("build/coq"))
    options = parser.parse_args(arguments)
    try:
        coq = prover(options.build)
    except Unavailable as reason:
        print(f"coq: {reason}; nothing compared")
        return 0
    cases = (
        (forgery for path in options.paths for forgery in bent(path))
        if options.paths
        else (forgery for kind in CHANGES for forgery in islice(forgeries(kind), options.per_kind))
    )
    counts: Counter[str] = Counter()
    check = partial(verdicts, coq=coq, build=options.build)
    chosen = list(islice(cases, 0, None, options.every))
    with ThreadPoolExecutor(max(1, options.jobs)) as pool:
        for forgery, (report, result) in zip(chosen, pool.map(check, chosen), strict=True):
            if report.outcome is Outcome.MALFORMED:
                counts["malformed"] += 1
                continue
            same = agree(report, result)
            proved = result.verdict in (Verdict.PROVED, Verdict.PARTLY)
            accepted = report.outcome is Outcome.VERIFIED or proved
            wrong = same is False or (accepted and not options.paths)
            counts["wrong" if wrong else "undecided" if same is None else result.verdict.value] += 1
            if wrong:
                lines = f"    {report.line()}\n    {result.line()}"
                print(f"DIFFER  {forgery.name}\n{lines}", flush=True)
    words = "  ".join(f"{name.lower()} {count}" for name, count in sorted(counts.items()))
    print(f"SUMMARY  {words}")
    return 1 if counts["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
