"""`certify sweep`: one problem at every point of a grid of parameters, with progress and resume.

A grid file is a problem file with a table [grid] of lists, one per parameter (dotted paths). Work
goes through the interface of concurrent.futures, which a dask.distributed client speaks as well.
"""

import copy
import csv
import hashlib
import io
import json
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import product
from math import prod
from pathlib import Path
from threading import Lock
from typing import Any

from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

from certify.errors import InputError
from certify.files import is_file, make_folder, to_target, write_whole
from certify.kinds import make
from certify.problem import Table, read
from certify.workers import workers

FOLDER = Path(__file__).parent / "grids"
MOST_POINTS = 1_000_000
INDEX = "points.csv"
ONE_AT_A_TIME = Lock()  # the precision of balls is one per process, and a worker may have threads


@dataclass(frozen=True)
class Point:
    """One problem of a grid: its certificate's file name, its parameters, its whole table."""

    name: str
    parameters: dict[str, str]
    values: dict[str, Any] = field(repr=False)


@dataclass(frozen=True)
class Tally:
    """How many points a sweep made, found made already, and could not make (with the sentences)."""

    made: int
    found: int
    failed: dict[str, str]


def find(name: str) -> Path:
    """The grid file of that path, or the shipped grid of that name; InputError for neither."""
    path, known = Path(name), FOLDER / f"{name}.toml"
    if is_file(path):
        return path
    if "/" not in name and is_file(known):
        return known
    shipped = ", ".join(sorted(each.stem for each in FOLDER.glob("*.toml")))
    raise InputError("GRID", f"be a TOML file or a shipped grid ({shipped})", name)


def expand(path: Path, tell: Callable[[int], object] = lambda _: None) -> list[Point]:
    """The points of a grid file: the product of its lists, the last one varying fastest.

    A point's name holds a digest of its problem: a grid that grows keeps its points, one that is
    changed never takes an old certificate for its own. `tell` gets their number before they are
    made. Raises InputError for a grid that is none or too large.
    """
    values = read(path).values
    table = Table(values).table("grid")
    axes = {key: _axis(table, key) for key in table.values}
    if not axes:
        raise InputError("grid", "have a list of values for at least one parameter", {})
    count = prod(map(len, axes.values()))
    if count > MOST_POINTS:
        raise InputError("grid", f"have at most {MOST_POINTS} points", count)
    tell(count)
    base = {key: value for key, value in values.items() if key != "grid"}
    points = []
    for chosen in product(*axes.values()):
        problem = copy.deepcopy(base)
        for key, value in zip(axes, chosen, strict=True):
            _place(problem, key, value)
        text = json.dumps(problem, sort_keys=True, default=str)
        digest = hashlib.sha256(text.encode()).hexdigest()[:12]
        parameters = dict(zip(axes, map(str, chosen), strict=True))
        points.append(Point(f"{path.stem}-{digest}.json", parameters, problem))
    return points


def sweep(
    points: list[Point], source: Path, folder: Path, executor: Executor, progress: Progress
) -> Tally:
    """Make every point whose certificate is not in `folder` yet; write an index of all points.

    Certificates are written here as they come in, so workers need no common file system, and a
    sweep that was stopped goes on where it was. A point that cannot be made does not stop the rest.
    """
    make_folder(folder, "--out")
    missing = [point for point in points if not (folder / point.name).is_file()]
    for name in (INDEX, *(point.name for point in missing)):
        to_target(folder / name, "--out")
    task = progress.add_task(source.stem, total=len(points), completed=len(points) - len(missing))
    failed: dict[str, str] = {}
    pending: dict[Future[bytes | str], Point] = {
        executor.submit(_certificate, point.values, str(source.parent)): point for point in missing
    }
    try:
        for done in as_completed(pending):
            point, result = pending[done], done.result()
            if isinstance(result, bytes):
                write_whole(folder / point.name, result, "--out")
            else:
                failed[point.name] = result
            progress.advance(task)
    finally:
        for future in pending:
            future.cancel()
        write_whole(folder / INDEX, _index(points, folder, failed).encode("utf-8"), "--out")
    return Tally(len(missing) - len(failed), len(points) - len(missing), failed)


@contextmanager
def executor_for(scheduler: str | None, jobs: int | None) -> Iterator[Executor]:
    """Processes on this machine, one per core or `jobs` of them, or a dask scheduler's workers.

    Raises InputError if both are asked for, if dask.distributed is not installed, or if there is no
    scheduler at that address.
    """
    if scheduler is None:
        with workers(jobs) as pool:
            yield pool
        return
    if jobs is not None:
        raise InputError("--jobs", "not be given together with --scheduler", jobs)
    try:
        from distributed import Client
    except ImportError:
        requirement = "have dask.distributed installed (pip install 'certify-queues[dask]')"
        raise InputError("--scheduler", requirement, scheduler) from None
    try:
        client = Client(scheduler, timeout="10s")
    except (OSError, ValueError) as error:
        requirement = "be the address of a running dask scheduler"
        raise InputError("--scheduler", requirement, f"{scheduler} ({error})") from None
    with client:
        yield client.get_executor()


def run(
    name: str,
    scheduler: str | None,
    jobs: int | None,
    folder: Path | None,
    out: Console,
    err: Console,
) -> int:
    """Sweep the grid and print what came of it; 0 if every point has its certificate, else 1."""
    source = find(name)
    points = expand(source, lambda count: err.print(Text(f"{source.stem}: {count:,} points")))
    target = folder if folder is not None else Path("build") / "sweep" / source.stem
    columns = (SpinnerColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
    with (
        executor_for(scheduler, jobs) as executor,
        Progress(
            *columns, TimeElapsedColumn(), console=err, transient=True, disable=not err.is_terminal
        ) as progress,
    ):
        tally = sweep(points, source, target, executor, progress)
    out.print(
        f"{target}: {len(points)} points, {tally.made} made, {tally.found} were there, "
        f"{len(tally.failed)} failed; {INDEX} lists them",
        soft_wrap=True,
    )
    for point, sentence in sorted(tally.failed.items()):
        err.print(f"{point}: {sentence}", style="red", soft_wrap=True, markup=False)
    return 1 if tally.failed else 0


def _certificate(values: dict[str, Any], folder: str) -> bytes | str:
    """The certificate's bytes, or one sentence why there is none. Runs in the workers."""
    try:
        with ONE_AT_A_TIME:
            return make(Table(values, folder=Path(folder))).to_bytes()
    except (InputError, ArithmeticError) as error:
        return str(error)


def _axis(table: Table, key: str) -> list[Any]:
    values = table.get(key)
    if isinstance(values, dict):
        name = f"{key}.{next(iter(values), '...')}"
        requirement = f'be a list of values (a name with a point has quotes: "{name}" = [...])'
        raise InputError(table.path(key), requirement, "a table")
    if not isinstance(values, list) or not values:
        raise InputError(table.path(key), "be a non-empty list of values", values)
    if len(set(map(str, values))) < len(values):
        raise InputError(table.path(key), "have distinct values", ", ".join(map(str, values)))
    return values


def _place(problem: dict[str, Any], key: str, value: Any) -> None:
    *parents, last = key.split(".")
    inner = problem
    for parent in parents:
        inner = inner.setdefault(parent, {})
        if not isinstance(inner, dict):
            raise InputError(f"grid.{key}", "name a field of a table", key)
    if last in inner:
        raise InputError(f"grid.{key}", "not be given outside the grid as well", inner[last])
    inner[last] = value


def _index(points: list[Point], folder: Path, failed: dict[str, str]) -> str:
    """A table of all points: file, parameters, and made, open or why not."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["certificate", *points[0].parameters, "state"])
    for point in points:
        state = "made" if (folder / point.name).is_file() else failed.get(point.name, "open")
        rows.writerow([point.name, *point.parameters.values(), state])
    return text.getvalue()
