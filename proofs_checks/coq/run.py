"""`python -m proofs_checks.coq PATH...`: re-prove certificates with Coq's kernel.

One line per certificate: PROVED (with what its kind's page says beyond the statement), PARTLY (with
the part of the claim that was proved), FAILED (with the first line of Coq's error) or SKIPPED (with
the reason). Without Coq it says so and does
nothing, which is a failure only with --require.
"""

import argparse
import math
import os
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum
from functools import partial
from pathlib import Path

from proofs_checks.checker.reader import read_file
from proofs_checks.checker.verdict import Outcome, Refusal
from proofs_checks.coq.export import LIMITS, Export, export
from proofs_checks.coq.prover import (
    THEORY_SECONDS,
    Prover,
    Unavailable,
    allowed,
    axioms,
    first_line,
    prover,
)
from proofs_checks.coq.text import Skipped

EXIT = """exit status:
  0  nothing failed
  1  something FAILED, or --require and Coq could not be had
  2  usage, or no certificate found"""


class Verdict(Enum):
    """What a certificate's re-proof can end with."""

    PROVED = "PROVED"
    PARTLY = "PARTLY"
    FAILED = "FAILED"
    SKIPPED = "SKIPPED"


@dataclass(frozen=True)
class Result:
    """The verdict on one certificate: the theorem's name, or the reason."""

    path: str
    verdict: Verdict
    kind: str
    text: str
    statement: str = ""
    output: str = ""

    def line(self) -> str:
        """The verdict line."""
        return f"{self.verdict.value}  {escape(self.path)}  {self.kind or '-'}  {escape(self.text)}"


def prove_bytes(data: bytes, path: str, coq: Prover, build: Path, seconds: float) -> Result:
    """The verdict on the bytes of one certificate."""
    prepared = prepare(data, path)
    if isinstance(prepared, Result):
        return prepared
    start = time.monotonic()
    build.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=build.absolute()) as name:
        source = Path(name, f"{prepared.theorem}.v")
        source.write_text(prepared.source, encoding="ascii")
        proved, output = coq.compile(source, seconds)
    fault = unconfirmed(prepared, output) if proved else first_line(output)
    if fault:
        return Result(path, Verdict.FAILED, prepared.kind, fault, prepared.statement, output)
    verdict = Verdict.PARTLY if prepared.part else Verdict.PROVED
    part = f", {prepared.part}" * bool(prepared.part)
    beyond = f"; left to the page: {prepared.beyond}" * bool(prepared.beyond)
    text = f"{prepared.theorem}{part}, in {time.monotonic() - start:.1f} s{beyond}"
    return Result(path, verdict, prepared.kind, text, prepared.statement, output)


def unconfirmed(proved: Export, output: str) -> str:
    """Why the compiler's output does not say that the theorem holds; empty if it does.

    The exit status alone would also be that of an empty file.
    """
    said = re.search(rf"^{proved.theorem}\s+: claim\s+: claim$", output, re.MULTILINE)
    if not said:
        return f"Error: Coq did not confirm {proved.theorem}"
    others = axioms(output[said.end() :]) - allowed("certificates", proved.kind)
    return f"Error: assumes {min(others)}" if others else ""


def prepare(data: bytes, path: str) -> Export | Result:
    """The generated file, or why there is none."""
    try:
        return export(data, Path(path).stem)
    except Skipped as reason:
        return Result(path, Verdict.SKIPPED, reason.kind, str(reason))
    except Refusal as refusal:
        return _refused(path, refusal)


def prove_file(path: Path, coq: Prover, build: Path, seconds: float) -> Result:
    """The verdict on one file."""
    try:
        data = read_file(path, LIMITS)
    except Refusal as refusal:
        return _refused(str(path), refusal)
    return prove_bytes(data, str(path), coq, build, seconds)


def certificates(path: Path) -> Iterator[Path]:
    """The file itself, or every *.json below the folder except those in schema/ directly in it."""
    if not path.is_dir():
        yield path
        return
    for folder, names, files in os.walk(path):
        names.sort()
        if Path(folder) == path and "schema" in names:
            names.remove("schema")
        for name in sorted(files):
            file = Path(folder, name)
            if name.endswith(".json") and not file.is_symlink():
                yield file


def _jobs(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 1000:
        raise argparse.ArgumentTypeError(f"must be from 1 to 1000, but was {escape(text)}")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 1 <= seconds <= 10**6:
        raise argparse.ArgumentTypeError(f"must be from 1 to 1000000, but was {escape(text)}")
    return seconds


def escape(text: str) -> str:
    """`text` with every backslash and every character outside printable ASCII escaped."""
    return "".join(
        c if " " <= c <= "~" and c != "\\" else c.encode("unicode_escape").decode() for c in text
    )


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m proofs_checks.coq",
        description="Re-prove certificates with the kernel of the proof assistant Coq.",
        epilog=EXIT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help="certificate files, or folders, whose symbolic links are passed over",
    )
    parser.add_argument("--require", action="store_true", help="fail when Coq is not installed")
    parser.add_argument("--jobs", type=_jobs, default=1, metavar="N", help="files at a time (1)")
    parser.add_argument(
        "--timeout", type=_seconds, default=300, metavar="SECONDS", help="per file (300)"
    )
    parser.add_argument("--statements", action="store_true", help="print what was proved")
    parser.add_argument(
        "--coqchk",
        action="store_true",
        help="compile the theory anew and check it with Coq's separate checker as well",
    )
    parser.add_argument(
        "--build",
        type=Path,
        default=Path("build/coq"),
        metavar="DIR",
        help="where the compiled theory is kept (build/coq)",
    )
    options = parser.parse_args(arguments)
    files = [file for name in options.paths for file in certificates(Path(name))]
    if not files:
        print("coq: no certificate found", file=sys.stderr)
        return 2
    try:
        coq = prover(options.build, options.jobs, fresh=options.coqchk)
    except Unavailable as reason:
        print(f"coq: {escape(str(reason))}; 0 of {len(files)} certificates re-proved")
        return 1 if options.require else 0
    print(f"coq: version {coq.version}", file=sys.stderr)
    if options.coqchk:
        start = time.monotonic()
        fine, output = coq.recheck(THEORY_SECONDS)
        if not fine:
            print(f"FAILED  coqchk\n{output}")
            return 1
        print(f"coqchk: accepts the theory, in {time.monotonic() - start:.1f} s")
    prove = partial(prove_file, coq=coq, build=options.build, seconds=options.timeout)
    counts: Counter[Verdict] = Counter()
    with ThreadPoolExecutor(max(1, options.jobs)) as pool:
        for result in pool.map(prove, files):
            counts[result.verdict] += 1
            print(result.line(), flush=True)
            if options.statements and result.verdict in (Verdict.PROVED, Verdict.PARTLY):
                print("\n".join("    " + line for line in result.statement.splitlines()))
    summary = "  ".join(f"{verdict.value.lower()} {counts[verdict]}" for verdict in Verdict)
    print(f"SUMMARY  seen {len(files)}  {summary}")
    return 1 if counts[Verdict.FAILED] else 0


def _refused(path: str, refusal: Refusal) -> Result:
    """A limit is no failure; anything else wrong with a certificate is."""
    declined = refusal.outcome is Outcome.DECLINED
    return Result(path, Verdict.SKIPPED if declined else Verdict.FAILED, "", str(refusal))
