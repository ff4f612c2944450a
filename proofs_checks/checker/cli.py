"""Decide whether certificates are true, trusting nothing in them: one verdict line for each file.

examples:
  proofs-check two-sizes.json                             is it true?
  proofs-check --explain two-sizes.json                   and which conditions make it true?
  proofs-check --claims certificates/claims certificates  is what was printed true?

limits (--limit): a file of 32 MiB, 256 MiB of memory and minutes, at most 30 of CPU; "large" is a
file of 1 GiB, any memory and hours. What asks for more is DECLINED.

arithmetic (--arithmetic): what encloses numbers, the checker itself or Arb (needs python-flint).

exit status (several at once: the first that applies in the order 1, 4, 3, 6, 5):
  0  everything verified, and every claims row has its verdict
  1  internal error (of the checker; a file that meets one is DECLINED, the others are checked)
  2  usage, or nothing to check
  3  something malformed, unreadable or missing
  4  something rejected, or a claims row whose verdict differs
  5  a claims row without its certificate
  6  something declined (a limit, or an unknown kind)
  130  interrupted
"""

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from proofs_checks.checker.bounds import hold_memory, within
from proofs_checks.checker.claims import Proved, judge
from proofs_checks.checker.kernel import own
from proofs_checks.checker.kernel.interval import Undecided
from proofs_checks.checker.kernel.real import Arithmetic, load
from proofs_checks.checker.kinds import KINDS
from proofs_checks.checker.pages import explain
from proofs_checks.checker.reader import DEFAULT, LARGE, Limits, Node, parse, read_file
from proofs_checks.checker.verdict import Outcome, Refusal, Trial, declined

INTERNAL = "internal error"
TOO_LARGE = declined("memory", "less to keep", "more (try --limit large)")


@dataclass(frozen=True)
class Report:
    """The verdict on one file, with the conditions that were tested."""

    path: str
    outcome: Outcome
    kind: str
    text: str
    refusal: Refusal | None = None
    tested: dict[str, int] = field(default_factory=dict)
    digits: int | None = None
    claim: Node | None = None

    def proved(self) -> Proved:
        """What the rows of a claims file may rest on."""
        verified = self.outcome is Outcome.VERIFIED
        return Proved(Path(self.path).name, verified, self.kind, self.claim, self.tested)

    def line(self) -> str:
        """The verdict line: word, path, kind and what was proved or why not."""
        kind = f"  {self.kind}" if self.outcome in (Outcome.VERIFIED, Outcome.REJECTED) else ""
        path = escape(self.path).replace(" ", "\\x20")
        return f"{self.outcome.value}  {path}{kind}  {escape(self.text)}"

    def explanation(self) -> str:
        """The conditions tested on the way, each with the part of the theorem it instantiates."""
        return explain(self.kind, self.tested, self.refusal, self.claim)


def check_bytes(
    data: bytes, path: str = "-", limits: Limits = DEFAULT, arithmetic: Arithmetic = own
) -> Report:
    """The verdict on the bytes of one certificate."""
    return _proof(lambda: data, path, limits, arithmetic)


def check_file(path: Path, limits: Limits = DEFAULT, arithmetic: Arithmetic = own) -> Report:
    """The verdict on one file."""
    return _proof(lambda: read_file(path, limits), str(path), limits, arithmetic)


def _proof(read: Callable[[], bytes], path: str, limits: Limits, arithmetic: Arithmetic) -> Report:
    """The verdict on what is read; an error of the checker itself is one too."""
    kind, trial, refused = "", Trial(limits.steps, arithmetic), None
    try:
        with within(limits.seconds):
            data = read()
            trial.spend(len(data) // 10)
            kind, claim, witness = parse(data, limits)
            if kind not in KINDS:
                raise declined("kind", "a kind this checker knows", kind[:60])
            summary = KINDS[kind].check(claim, witness, trial)
    except Refusal as refusal:
        refused = refusal.with_traceback(None)  # it and its context keep all that the check kept
        refused.__context__ = None
    except Undecided as error:
        words = "a decision at this precision"
        refused = Refusal(Outcome.REJECTED, "undecided", "claim", words, str(error))
    except MemoryError:  # nothing new is made before all that the check took is free again
        refused = TOO_LARGE
    except Exception as error:  # a fault of the checker decides nothing and stops no other file
        text = f"{type(error).__name__}: {str(error)[:200]}"
        refused = Refusal(Outcome.DECLINED, INTERNAL, "checker", "no error", text)
    tested = dict(trial.tested)
    if refused:
        text = f"{INTERNAL}: {refused.found}" if refused.condition == INTERNAL else str(refused)
        return Report(path, refused.outcome, kind, text, refused, tested)
    return Report(path, Outcome.VERIFIED, kind, summary.text, None, tested, summary.digits, claim)


def certificates(path: Path) -> Iterator[tuple[Path, bool]]:
    """The file itself, or every file below the folder with whether it is to be checked.

    Checked are the *.json at any depth except those in schema/ directly below the folder; links
    are not followed. A folder that cannot be read counts as a certificate that cannot.
    """
    if not os.path.isdir(path):  # unlike Path.is_dir this never raises  # noqa: PTH112
        yield path, True
        return
    unreadable: list[OSError] = []
    for folder, names, files in os.walk(path, onerror=unreadable.append):
        names.sort()
        yield from ((Path(folder, n), False) for n in names if Path(folder, n).is_symlink())
        for name in sorted(files):
            file = Path(folder, name)
            schema = file.relative_to(path).parts[0] == "schema" and Path(folder) != path
            yield file, name.endswith(".json") and not file.is_symlink() and not schema
    yield from ((Path(error.filename), True) for error in unreadable)


def escape(text: str) -> str:
    """`text` with every backslash and every character outside printable ASCII escaped."""
    return text.encode("unicode_escape").decode()


def given_path(text: str) -> Path:
    """A path of the command line; an empty one, of an unset variable, is not the current folder."""
    if not text:
        raise argparse.ArgumentTypeError("the path '' is empty")
    return Path(text)


def show_progress(words: str) -> None:
    """Write on the current line of a terminal, to be written over; elsewhere nothing."""
    if sys.stderr and sys.stderr.isatty():
        print(end=f"{words}\r", file=sys.stderr, flush=True)


def main(arguments: list[str] | None = None) -> int:
    """Run `proofs-check` and return its exit status."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("proofs-check", description=__doc__, formatter_class=raw)
    parser.set_defaults(limit="default", arithmetic="own")
    parser.add_argument("paths", nargs="*", metavar="PATH", type=given_path, help="what to check")
    parser.add_argument("--claims", metavar="PATH", type=given_path, help="claims files to judge")
    parser.add_argument("--json", action="store_true", help="print the full report as JSON")
    parser.add_argument("--explain", action="store_true", help="name each condition's theorem")
    parser.add_argument("--limit", choices=("default", "large"), help="what a file may cost")
    parser.add_argument("--arithmetic", choices=("own", "arb"), help="what encloses numbers")
    options = parser.parse_args(arguments)
    limits = LARGE if options.limit == "large" else DEFAULT
    # of a process of its own; libraries for Arb would abort where memory is refused
    if arguments is None and options.arithmetic == "own":
        hold_memory(limits.memory)
    try:
        return run(options, limits)
    except KeyboardInterrupt:
        print("proofs-check: interrupted", file=sys.stderr)
        return 130
    except Exception as error:  # the last resort of a program that must not show a traceback
        if not isinstance(error, BrokenPipeError):
            print(f"internal error: {type(error).__name__}: {escape(str(error))}", file=sys.stderr)
        if isinstance(error, OSError):  # what is left to be written would fail once more at the end
            with suppress(AttributeError, OSError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def run(options: argparse.Namespace, limits: Limits) -> int:
    """Check every file, print the report, return the exit status."""
    try:
        arithmetic = load(options.arithmetic)
    except ImportError as error:
        print(f"proofs-check: --arithmetic {options.arithmetic}: {error}", file=sys.stderr)
        return 2
    reports, skipped = [], 0
    for name in options.paths:
        for path, counts_as_certificate in certificates(name):
            if not counts_as_certificate:
                skipped += 1
                continue
            line = f"checking {escape(path.name)[:50]} ..."
            show_progress(line)
            try:
                report = check_file(path, limits, arithmetic)
            finally:
                show_progress(" " * len(line))
            reports.append(report if options.claims else replace(report, claim=None))
            if not options.json:
                print(report.line(), flush=True)
                if options.explain:
                    print(report.explanation())
            del report  # and its claim, before the next one is read
    if not reports:
        print("proofs-check: nothing to check (see --help)", file=sys.stderr)
        return 2
    counts = Counter(report.outcome for report in reports)
    summary: dict[str, int | str] = {"seen": len(reports), "skipped": skipped}
    summary |= {o.value.lower(): counts[o] for o in Outcome}
    rows: list[dict[str, str]] = []
    if options.claims:
        rows = judge(options.claims, [report.proved() for report in reports])
        verdicts = Counter(row["judgement"] for row in rows)
        summary |= {f"claims_{name}": count for name, count in sorted(verdicts.items())}
        if not options.json:
            for row in rows:
                print("CLAIM  " + "  ".join(escape(row[k]) for k in ("judgement", "id", "text")))
    if options.arithmetic != "own":
        summary["arithmetic"] = options.arithmetic
    if options.json:
        plain = [_plain(report) for report in reports]
        print(json.dumps({"certificates": plain, "claims": rows, "summary": summary}, indent=2))
    else:
        print("SUMMARY  " + "  ".join(f"{name} {count}" for name, count in summary.items()))
    words = {report.outcome.value for report in reports} | {row["judgement"] for row in rows}
    words |= {report.refusal.condition for report in reports if report.refusal}
    codes = {INTERNAL: 1, "REJECTED": 4, "DIFFERS": 4, "MALFORMED": 3, "DECLINED": 6, "MISSING": 5}
    return next((status for word, status in codes.items() if word in words), 0)


def _plain(report: Report) -> dict[str, object]:
    plain: dict[str, object] = {"path": report.path, "verdict": report.outcome.value}
    plain |= {name: getattr(report, name) for name in ("kind", "text", "digits", "tested")}
    if report.refusal:
        names = ("condition", "where", "expected", "found", "difference")
        plain["refusal"] = {name: getattr(report.refusal, name) for name in names}
    return plain
