"""`python -m tests.coq.compare [OPTIONS] [PATH...]`: Coq and the checker on the same forgeries.

Without a path: the false certificates of forgeries.py, or the first N of each kind. With paths:
every forgery of those files that bends one number, or every N-th of them; --single takes two files
of each kind. Both checks must agree on each, and neither may accept what forgeries.py calls false;
otherwise both outputs are printed and the exit status is 1.
A certificate that either of them declines or skips is counted apart, and so is one that the
checker refuses while Coq re-proves the part of it that is formalised.
"""

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from pathlib import Path

from proofs_checks.checker.cli import Report, check_bytes
from proofs_checks.checker.verdict import Outcome
from proofs_checks.coq.export import Export
from proofs_checks.coq.prover import Prover, Unavailable, first_line, prover
from proofs_checks.coq.run import Result, Verdict, prepare, prove_bytes
from tests.coq.forgeries import CHANGES, DATA, SOURCES, Forgery, canonical, forgeries

SECONDS = 120
BATCH = 40
LOOSE = {"fluid-enclosure"}  # where the statement says less of every number than the claim
SHIPPED = Path(__file__).parents[2] / "certificates"
SINGLE = {
    "fluid-value": ("fluid-value-running", "fluid-value-three-sizes-heavy"),
    "fluid-enclosure": ("fluid-enclosure-uniform-75", "fluid-enclosure-uniform-coarse"),
    "identity": ("identity-fluid-comparison-balanced", "identity-fluid-enclosure-uniform"),
    "rank-gaps": ("rank-gaps-4", "rank-gaps-rates-5"),
    "softmax-drift": ("softmax-drift-two-uas", "softmax-drift-wsq-two"),
    "softmax-equilibrium": ("softmax-equilibrium-tie", "softmax-equilibrium-wsq-2"),
    "softmax-obstruction": ("softmax-obstruction-two-symmetric", "softmax-obstruction-wsq-three"),
}


def decide(
    cases: Sequence[Forgery], control: bytes, coq: Prover, build: Path, seconds: float = SECONDS
) -> list[Result]:
    """What Coq says of each case; one process for all of them, after which what was not refused is
    compiled by itself.

    `control` is a certificate that Coq proves. It comes last, and if it is refused as well the
    refusals were for a reason that has nothing to do with the forgeries: RuntimeError.
    """
    results = [prepare(case.data, f"{case.kind}.json") for case in cases]
    files = [result for result in results if isinstance(result, Export)]
    last = prepare(control, f"{cases[0].kind}.json")
    if not isinstance(last, Export):
        raise RuntimeError(f"the control is not exported: {last.line()}")
    messages = coq.refusals([file.source for file in [*files, last]], seconds)
    if messages.pop() is not None:
        raise RuntimeError(f"Coq refuses the control for {cases[0].kind}")
    answers = iter(messages)
    decided = []
    for case, result in zip(cases, results, strict=True):
        name = f"{case.kind}.json"
        if isinstance(result, Result):
            decided.append(result)
        elif (message := next(answers)) is None:
            decided.append(prove_bytes(case.data, name, coq, build, seconds))
        else:
            text = first_line(f"Error: {message}")
            decided.append(Result(name, Verdict.FAILED, case.kind, text, result.statement, message))
    return decided


def agree(report: Report, result: Result) -> bool | None:
    """Whether both accept or both refuse; None when one of them did not decide."""
    if report.outcome is Outcome.DECLINED or result.verdict is Verdict.SKIPPED:
        return None
    accepted = report.outcome is Outcome.VERIFIED
    if result.verdict is Verdict.PARTLY and result.kind in LOOSE:
        return True if accepted else None
    return accepted == (result.verdict in (Verdict.PROVED, Verdict.PARTLY))


def bent(path: Path) -> Iterator[Forgery]:
    """Every change of one number of the claim by one, in the numerator or in the last place."""
    tree = json.loads(path.read_bytes())
    text = json.dumps(tree["claim"])
    for match in re.finditer(r'"(-?[0-9]+)([/e][^"]*)?"|(?<=[\[ ])([0-9]+)(?=[],}])', text):
        for step in (1, -1):
            number = str(int(match[1] or match[3]) + step)
            token = number if match[1] is None else f'"{number}{match[2] or ""}"'
            claim = json.loads(text[: match.start()] + token + text[match.end() :])
            data = canonical({**tree, "claim": claim})
            yield Forgery(tree["kind"], f"{path.stem}: {match[0]} -> {token}", data)


def batches(options: argparse.Namespace) -> Iterator[tuple[bytes, list[Forgery]]]:
    """The cases in groups of one kind, each with a true certificate of that kind."""
    paths = options.paths or (
        [SHIPPED / f"{stem}.json" for stems in SINGLE.values() for stem in stems]
        if options.single
        else []
    )
    for path in paths:
        chosen = list(islice(bent(path), 0, None, options.every))
        for start in range(0, len(chosen), BATCH):
            yield path.read_bytes(), chosen[start : start + BATCH]
    if not paths:
        for kind in CHANGES:
            control = (DATA / f"{SOURCES[kind]}.json").read_bytes()
            yield control, list(islice(forgeries(kind), 0, options.per_kind, options.every))


def main(arguments: list[str] | None = None) -> int:
    """Run the comparison and return its exit status."""
    parser = argparse.ArgumentParser(prog="compare", description=__doc__)
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--every", type=int, default=1, metavar="N")
    parser.add_argument("--per-kind", type=int, metavar="N", help="without PATH: N of each kind")
    parser.add_argument("--single", action="store_true", help="without PATH: two files a kind")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="groups at a time")
    parser.add_argument("--build", type=Path, default=Path("build/coq"))
    options = parser.parse_args(arguments)
    try:
        coq = prover(options.build, options.jobs)
    except Unavailable as reason:
        print(f"coq: {reason}; nothing compared")
        return 0
    counts: Counter[str] = Counter()
    work = list(batches(options))
    run = partial(decide, coq=coq, build=options.build)
    with ThreadPoolExecutor(max(1, options.jobs)) as pool:
        decided = pool.map(lambda batch: run(batch[1], batch[0]), work)
        for (_, cases), results in zip(work, decided, strict=True):
            for forgery, result in zip(cases, results, strict=True):
                report = check_bytes(forgery.data, f"{forgery.kind}.json")
                word = verdict(report, result, called_false=not (options.paths or options.single))
                counts[word] += 1
                if word == "wrong":
                    lines = f"    {report.line()}\n    {result.line()}"
                    print(f"DIFFER  {forgery.name}\n{lines}", flush=True)
    words = "  ".join(f"{name.lower()} {count}" for name, count in sorted(counts.items()))
    print(f"SUMMARY  {words}")
    return 1 if counts["wrong"] else 0


def verdict(report: Report, result: Result, *, called_false: bool) -> str:
    """What the two checks amount to together: wrong, undecided, malformed or Coq's verdict."""
    if report.outcome is Outcome.MALFORMED and result.verdict in (Verdict.FAILED, Verdict.SKIPPED):
        return "malformed"
    same = agree(report, result)
    proved = result.verdict in (Verdict.PROVED, Verdict.PARTLY)
    if same is False or (called_false and (proved or report.outcome is Outcome.VERIFIED)):
        return "wrong"
    return "undecided" if same is None else result.verdict.value


if __name__ == "__main__":
    sys.exit(main())
