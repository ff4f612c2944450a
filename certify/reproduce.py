"""`certify reproduce`: every shipped problem made anew, checked in its own process, compared."""

import json
import sys
import time
from concurrent.futures import as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table as Grid
from rich.text import Text

from certify import shipped
from certify.errata import named_certificates
from certify.errors import InputError
from certify.files import make_folder, to_target, write_whole
from certify.kinds import make_file
from certify.notes import kept_notes
from certify.report import page
from certify.show import title
from certify.workers import run, whole, workers

EVERY = 10  # problems, where there is no terminal, it is told how many are done
CHECKER = (sys.executable, "-m", "proofs_checks")


@dataclass(frozen=True)
class Row:
    """One problem's way through: what was claimed, the checker's words, and the two times (s)."""

    problem: str
    claim: str
    proved: str
    digits: int | None
    make_seconds: float
    check_seconds: float
    verdict: str
    committed: str
    notes: tuple[str, ...] = ()

    @property
    def falls_short(self) -> bool:
        """Whether the certificate is refused, or differs from the committed one."""
        return self.verdict != "VERIFIED" or self.committed not in ("same", "-")


def reproduce(
    folder: Path,
    committed: Path | None,
    small: bool,
    report: Path | None,
    jobs: int | None,
    out: Console,
    err: Console,
) -> int:
    """Make, check and compare all shipped problems; 0 if nothing falls short, else 1.

    `jobs` problems run at a time, one per core if None; the times are wall times of each.
    """
    if committed is not None and not committed.is_dir():
        raise InputError("--committed", "be the folder of committed certificates", committed)
    claims_folder = committed / "claims" if committed is not None else None
    named = named_certificates(claims_folder) if claims_folder is not None else []
    problems = [p for p in shipped.problems() if not (small and shipped.is_large(p))]
    make_folder(folder, "--out")
    for path in problems:
        to_target(folder / f"{path.stem}.json", "--out")
    if report is not None:
        make_folder(report.parent, "--report")
        to_target(report, "--report")
    columns = (SpinnerColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
    with Progress(
        *columns, TimeElapsedColumn(), console=err, transient=True, disable=not err.is_terminal
    ) as progress:
        task = progress.add_task("", total=len(problems))
        with workers(jobs) as pool:
            pending = [
                pool.submit(_row, path, folder / f"{path.stem}.json", committed)
                for path in problems
            ]
            for count, done in enumerate(as_completed(pending), start=1):
                row = done.result()
                progress.update(task, description=row.problem, advance=1)
                for line in row.notes:
                    err.print(Text(f"{row.problem}: {line}"), soft_wrap=True)
                if not err.is_terminal and (count % EVERY == 0 or count == len(pending)):
                    err.print(f"{count} of {len(pending)} problems made and checked")
        rows = [done.result() for done in pending]
    claims: list[dict[str, str]] = []
    if claims_folder is not None and any(claims_folder.glob("*.toml")):
        rest_on = [path for path in (folder / name for name in named) if path.is_file()]
        err.print(f"deciding what was published, by {len(rest_on)} certificates once more ...")
        claims = check(rest_on or [folder], claims_folder)["claims"]
    out.print(_grid(rows))
    short = [row.problem for row in rows if row.falls_short]
    names = {path.name for path in committed.glob("*.json")} if committed is not None else set()
    stale = names - {f"{path.stem}.json" for path in shipped.problems()}
    short += [f"{name} (no problem makes it)" for name in sorted(stale)]
    short += [row["id"] for row in claims if row["judgement"] not in ("HOLDS", "LISTED")]
    if claims:
        held = sum(row["judgement"] == "HOLDS" for row in claims)
        out.print(f"published claims: {held} decided as their rows say, {len(claims)} rows in all")
    if report is not None:
        write_whole(report, page.render(rows, claims).encode("utf-8"), "--report")
        out.print(f"report: {report}")
    verified = sum(row.verdict == "VERIFIED" for row in rows)
    out.print(f"{verified} of {len(rows)} certificates verified", style="bold")
    for name in short:
        err.print(f"falls short: {name}", style="red")
    return 1 if short else 0


def _row(path: Path, target: Path, committed: Path | None) -> Row:
    start = time.perf_counter()
    with kept_notes() as notes:
        certificate = make_file(path)
    with whole():
        certificate.write(target)
    made = time.perf_counter()
    (result,) = check([target])["certificates"]
    checked = time.perf_counter()
    return Row(
        path.stem,
        title(certificate),
        result["text"],
        result["digits"],
        made - start,
        checked - made,
        result["verdict"],
        _compare(target, committed),
        tuple(notes),
    )


def check(paths: list[Path], claims: Path | None = None) -> Any:
    """The separate checker's JSON report on some files, from a process of its own."""
    extra = ["--claims", str(claims)] if claims is not None else []
    command = [*CHECKER, "--json", *extra, *map(str, paths)]
    done = run(command)
    if done.returncode in (1, 2):
        raise RuntimeError(f"the checker failed: {done.stderr.strip()}")
    return json.loads(done.stdout)


def _compare(target: Path, committed: Path | None) -> str:
    if committed is None:
        return "-"
    known = committed / target.name
    if not known.is_file():
        return "not committed"
    return "same" if known.read_bytes() == target.read_bytes() else "differs"


def _grid(rows: list[Row]) -> Grid:
    grid = Grid(box=None, header_style="bold")
    grid.add_column("problem, and what is proved", ratio=1)
    for name in ("digits", "make s", "check s"):
        grid.add_column(name, justify="right", no_wrap=True)
    grid.add_column("verdict", no_wrap=True)
    for row in rows:
        digits = "exact" if row.digits is None else str(row.digits)
        times = f"{row.make_seconds:.2f}", f"{row.check_seconds:.2f}"
        verdict = (
            row.verdict if row.committed in ("same", "-") else f"{row.verdict}, {row.committed}"
        )
        words = Text.assemble(row.problem, "\n  ", (row.proved, "dim"))
        grid.add_row(words, digits, *times, verdict, style="red" if row.falls_short else None)
    return grid
