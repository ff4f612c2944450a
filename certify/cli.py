"""The command `certify`: problems in, certificates out."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from os.path import realpath
from pathlib import Path
from threading import Timer
from typing import Annotated, NoReturn

import typer
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from certify import shipped
from certify.certificate import Certificate
from certify.errata import FOLDER, read_errata
from certify.errata import render as render_errata
from certify.errors import InputError, OutOfReach
from certify.files import make_folder, to_target, write_whole
from certify.fluid.controller import controller_files, read_controller
from certify.identities import render as render_identities
from certify.kinds import make_file
from certify.notes import kept_notes
from certify.reproduce import reproduce as run_reproduce
from certify.show import read, title
from certify.sweep import run as run_sweep
from certify.workers import leave

HELP = """Compute exact facts about queues and write them down as certificates.

A PROBLEM file (TOML) says what to compute; `certify make` finds it and writes a certificate (JSON);
the separate program `proofs-check` decides from the certificate alone whether its claim is true.

\b
    certify problems                              the problems that ship with it
    certify problems fluid-value-running          the file of one of them, a start for yours
    certify make fluid-value-running              writes fluid-value-running.json
    certify make my-problem.toml -o result.json
    certify show result.json                      the claim in words and numbers
    certify policy fluid-bracket-trace            the dispatcher as a table and as Python
    certify sweep GRID.toml                       one certificate at every point of a grid
    certify identities                            the identities behind the theorems
    certify errata                                what was published and does not survive
    proofs-check result.json                      the verdict

Exit status: 0 done; 2 bad input, told in one sentence; 1 out of reach, a certificate that falls
short, or a bug; 130 interrupted.
"""

PATIENCE = 2.0  # seconds of silence, where there is no terminal, before it is told what is done

app = typer.Typer(
    help=HELP,
    rich_markup_mode=None,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
out = Console(highlight=False, width=None if sys.stdout and sys.stdout.isatty() else 120)
err = Console(stderr=True, highlight=False)


def _version(asked: bool) -> None:
    if asked:
        out.print(f"certify {version('certify-queues')}")
        raise typer.Exit


@app.callback()
def options(
    asked: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Options that stand before a command."""


@app.command()
def problems(
    name: Annotated[
        str | None, typer.Argument(help="A shipped problem, to print its file (a start for yours).")
    ] = None,
) -> None:
    """List the problems that ship with certify: name and source; or print the file of one."""
    if name is not None:
        path = shipped.find(name)
        out.print(Text(path.read_text(encoding="utf-8").rstrip()), soft_wrap=True)
        for needed in shipped.files_of(path):
            err.print(Text(f"it reads {needed}: copy that beside yours"), soft_wrap=True)
        return
    if not out.is_terminal:  # one line each, for other programs
        for path in shipped.problems():
            out.print(Text(f"{path.stem}  {shipped.title(path)}"), soft_wrap=True)
        return
    grid = Grid(box=None, header_style="bold")
    grid.add_column("problem", no_wrap=True)
    grid.add_column("what it asks")
    for path in shipped.problems():
        grid.add_row(path.stem, Text(shipped.title(path)))
    out.print(grid)


@app.command()
def make(
    problem: Annotated[list[str], typer.Argument(help="TOML files or names of shipped problems.")],
    output: Annotated[
        str | None,
        typer.Option(
            "--out",
            "-o",
            help="File, or folder (ends with /), to write to; default NAME.json here.",
        ),
    ] = None,
) -> None:
    """Compute each PROBLEM and write its certificate; one that fails does not stop the others."""
    if len(problem) == 1:
        path = shipped.find(problem[0])
        target = _target(path, output, 1)
        _check_other([path], [target], output)
        to_target(target, "--out")
        _write(_computed(path), target)
        return
    sought = [_sought(name) for name in problem]
    paths = [path for path in sought if isinstance(path, Path)]
    targets = [_target(path, output, len(problem)) for path in paths]
    _check_other(paths, targets, output)
    if len(set(map(realpath, targets))) < len(targets):
        raise InputError("PROBLEM", "have distinct names to be written side by side", problem)
    failed: list[Exception] = []
    for each in sought:
        if isinstance(each, InputError):
            failed.append(each)
            continue
        path, target = each, targets[paths.index(each)]
        try:
            to_target(target, "--out")
            with kept_notes() as notes:
                certificate = _computed(path)
            for line in notes:
                err.print(Text(f"{path.stem}: {line}"), soft_wrap=True)
            _write(certificate, target)
        except InputError as error:
            failed.append(InputError(f"{path}: {error.field}", error.requirement, error.value))
        except OutOfReach as error:
            failed.append(OutOfReach(f"{path}: {error}"))
    for failure in failed:
        print(f"certify: {_sentence(failure)}", file=sys.stderr)
    if failed:
        raise typer.Exit(_status(failed[0]))


@app.command()
def policy(
    problem: Annotated[str, typer.Argument(help="A TOML file or a shipped problem's name.")],
    output: Annotated[
        Path, typer.Option("--out", "-o", help="Folder to write to; default here.")
    ] = Path(),
) -> None:
    """Write the dispatcher of a PROBLEM (fluid-value, -bracket, -enclosure) ready for use.

    NAME-controller.py is a Python function, NAME-cutoffs.csv its table, without the rule for an
    empty queue, NAME.json the certificate.

    The rule is one of the fluid, made to empty large backlogs. With random arrivals it may be many
    times worse than joining the queue with less work: use it only where the shorter queue holds at
    least a few mean sizes, and join the queue with less work otherwise.
    """
    path = shipped.find(problem)
    target = output / f"{path.stem}.json"
    make_folder(output, "--out")
    for written in (target, *controller_files(output, path.stem)):
        to_target(written, "--out")
    _check_other([path], [target], output)
    with _computing(path):
        controller, certificate = read_controller(path)
    for written in controller.write(output, path.stem):
        out.print(Text(str(written)), soft_wrap=True)
    _write(certificate, target)
    out.print(Text("\n".join(controller.facts())), soft_wrap=True)


@app.command()
def reproduce(
    out_folder: Annotated[
        Path, typer.Option("--out", "-o", help="Folder for the certificates and the report.")
    ] = Path("build/certificates"),
    check: Annotated[
        bool,
        typer.Option("--check", help="Compare with the committed certificates/ byte for byte."),
    ] = False,
    committed: Annotated[
        Path | None,
        typer.Option(help="Folder of the committed certificates; default that of the source tree."),
    ] = None,
    small: Annotated[bool, typer.Option(help="Leave out the problems marked as large.")] = False,
    report: Annotated[
        Path | None, typer.Option(help="Also write the report (HTML) to this file.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Problems at a time; default one per core.")
    ] = None,
) -> None:
    """Make every shipped certificate, have each checked in its own process, print the table."""
    known = (committed or shipped.of_project(shipped.CERTIFICATES)) if check else None
    raise typer.Exit(run_reproduce(out_folder, known, small, report, jobs, out, err))


@app.command()
def show(certificate: Annotated[Path, typer.Argument(help="A certificate file.")]) -> None:
    """Print the claim of a CERTIFICATE in words and numbers (it is not checked here)."""
    words, fields = read(certificate)
    out.print(Text(words), style="bold", soft_wrap=True)
    if out.is_terminal:
        out.print(fields)
    else:  # no blanks at the ends of lines for other programs
        with out.capture() as printed:
            out.print(fields)
        for line in printed.get().splitlines():
            out.print(Text(line.rstrip()), soft_wrap=True)
    out.print("Not checked here: run proofs-check on the file.", style="dim")


@app.command()
def sweep(
    grid: Annotated[
        str, typer.Argument(help="A problem file with a [grid] table, or a shipped grid.")
    ],
    out_folder: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Folder to write to; default build/sweep/GRID."),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Points at a time; default one per core.")
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option(help="Address of a dask scheduler whose workers do the work.")
    ] = None,
) -> None:
    """Make the problem at every point of a GRID; points that are there already are skipped."""
    raise typer.Exit(run_sweep(grid, scheduler, jobs, out_folder, out, err))


@app.command()
def identities(
    latex: Annotated[bool, typer.Option("--latex", help="One line of LaTeX for each.")] = False,
) -> None:
    """Print the identities behind the theorems, one line each: mathematics, status, source."""
    out.print(render_identities(latex), markup=False, soft_wrap=True)


@app.command()
def errata(
    path: Annotated[
        Path | None,
        typer.Argument(
            help="A claims file, or a folder of them; default that of this project's source tree."
        ),
    ] = None,
) -> None:
    """Print what was published, what is certified instead, and the certificate's name."""
    out.print(render_errata(read_errata(path or shipped.of_project(FOLDER))), soft_wrap=True)


def _sought(name: str) -> Path | InputError:
    """The file of a problem, or why there is none, to be told when the others are made."""
    try:
        return shipped.find(name)
    except InputError as error:
        return error


def _computed(path: Path) -> Certificate:
    with _computing(path):
        return make_file(path)


@contextmanager
def _computing(path: Path) -> Iterator[None]:
    """Say what is being computed: at once on a terminal, elsewhere if it takes a while."""
    words = f"computing {path.stem} ..."
    if err.is_terminal:
        with err.status(words):
            yield
        return
    timer = Timer(PATIENCE, err.print, (Text(words),))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _write(certificate: Certificate, target: Path) -> None:
    """Write a certificate, print its sentence and, if the checker needs to be told, that."""
    write_whole(target, certificate.to_bytes(), "--out")
    out.print(Text(f"{target}: {title(certificate)}"), soft_wrap=True)
    excess = certificate.excess()
    if excess:
        words = f"{target} has {excess}: check it with proofs-check --limit large"
        err.print(Text(words), soft_wrap=True)


def _sentence(error: Exception) -> str:
    return f"out of reach: {error}." if isinstance(error, OutOfReach) else str(error)


def _status(error: Exception) -> int:
    return 1 if isinstance(error, OutOfReach) else 2


def _check_other(paths: list[Path], targets: list[Path], output: object) -> None:
    """InputError if a problem would be overwritten by a certificate."""
    if set(map(realpath, paths)) & set(map(realpath, targets)):  # which no loop of links stops
        raise InputError("--out", "be another file than the problem", output)


def _target(path: Path, output: str | None, count: int) -> Path:
    """The file to write to, in a folder that is made if it is missing."""
    name = output or "."
    if name.endswith("/") or Path(name).is_dir():
        target = Path(name) / f"{path.stem}.json"
    elif count > 1:
        requirement = (
            "be a folder for several problems (one that is there, or a name that ends in /)"
        )
        raise InputError("--out", requirement, name)
    else:
        target = Path(name)
    make_folder(target.parent, "--out")
    return target


def _interrupted() -> NoReturn:
    """End the command at once, with what was printed so far."""
    print("certify: interrupted", file=sys.stderr)
    leave(130)


def main() -> None:
    """Run the command; bad input ends with one sentence and status 2, the rest with status 1."""
    try:
        app()
    except (InputError, OutOfReach) as error:
        print(f"certify: {_sentence(error)}", file=sys.stderr)
        sys.exit(_status(error))
    except KeyboardInterrupt:
        _interrupted()
    except SystemExit as done:
        if done.code == 130:  # what an interrupted command ends with
            _interrupted()
        raise
    except BrokenPipeError:
        sys.exit(1)
    except Exception as error:
        print(f"certify: internal error: {type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
