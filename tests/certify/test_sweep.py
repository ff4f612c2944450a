"""Sweeps: the points of a grid, resume, failures, local processes and a dask cluster."""

import csv
import subprocess
import sys
from concurrent.futures import Executor, Future
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from rich.progress import Progress

from certify.errors import InputError
from certify.kinds import make_file
from certify.shipped import find as find_problem
from certify.sweep import FOLDER, INDEX, Tally, executor_for, expand, find, sweep
from proofs_checks.checker.cli import check_file
from proofs_checks.checker.verdict import Outcome

GRID = """
kind = "softmax-drift"
digits = 12

[system]
arrival_rate = 1.6
service_rates = [1, 1]
alpha = 20
gamma = 0.5

[grid]
"system.beta" = [0.5, 1, "3/2"]
"system.offset" = [0, 0.25]
"""


class Inline(Executor):
    """Runs every call at once, up to a number of calls after which it breaks down."""

    def __init__(self, calls: int = 10**9) -> None:
        self.calls = calls

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.calls -= 1
        if self.calls >= 0:
            future.set_result(fn(*args, **kwargs))
        else:
            future.set_exception(RuntimeError("the machine went away"))
        return future


@pytest.fixture
def grid(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(GRID)
    return path


def run(grid: Path, executor: Executor) -> Tally:
    return sweep(expand(grid), grid, grid.parent / "out", executor, Progress(disable=True))


def rows(grid: Path) -> list[dict[str, str]]:
    with (grid.parent / "out" / INDEX).open() as file:
        return list(csv.DictReader(file))


def certificates(grid: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (grid.parent / "out").glob("*.json")}


def test_points_are_the_product_in_order_and_each_is_its_problem(
    grid: Path, tmp_path: Path
) -> None:
    assert run(grid, Inline()) == Tally(6, 0, {})
    wanted = list(product(("1/2", "1", "3/2"), ("0", "1/4")))
    assert [(row["system.beta"], row["system.offset"]) for row in rows(grid)] == wanted
    for row, (beta, offset) in zip(rows(grid), wanted, strict=True):
        single = tmp_path / "single.toml"
        head = GRID.split("[grid]")[0]
        single.write_text(f'{head}beta = "{beta}"\noffset = "{offset}"\n')
        path = grid.parent / "out" / row["certificate"]
        assert path.read_bytes() == make_file(single).to_bytes()
        assert check_file(path).outcome is Outcome.VERIFIED


def test_a_second_sweep_makes_nothing_and_a_lost_point_again(grid: Path) -> None:
    run(grid, Inline())
    before = certificates(grid)
    assert run(grid, Inline(0)) == Tally(0, 6, {})
    name = sorted(before)[2]
    (grid.parent / "out" / name).unlink()
    assert run(grid, Inline()) == Tally(1, 5, {})
    assert certificates(grid) == before


def test_a_sweep_that_broke_down_goes_on_where_it_was(grid: Path) -> None:
    with pytest.raises(RuntimeError, match="went away"):
        run(grid, Inline(2))
    kept = len(certificates(grid))
    states = [row["state"] for row in rows(grid)]
    assert states.count("made") == kept <= 2
    assert states.count("open") == 6 - kept
    assert run(grid, Inline()) == Tally(6 - kept, kept, {})
    assert {row["state"] for row in rows(grid)} == {"made"}


def test_a_grid_that_grows_keeps_its_points(grid: Path) -> None:
    run(grid, Inline())
    grid.write_text(GRID.replace("[0.5, 1,", "[0.25, 0.5, 1, 2,"))
    assert run(grid, Inline()) == Tally(4, 6, {})


def test_a_changed_problem_takes_no_old_certificate(grid: Path) -> None:
    run(grid, Inline())
    grid.write_text(GRID.replace("alpha = 20", "alpha = 10"))
    assert run(grid, Inline()) == Tally(6, 0, {})
    assert len(certificates(grid)) == 12


def test_a_point_without_a_certificate_does_not_stop_the_others(grid: Path) -> None:
    grid.write_text(GRID.replace("0.25]", "-1]"))
    tally = run(grid, Inline())
    sentence = "system.offset must be at least 0, but was -1."
    assert (tally.made, set(tally.failed.values())) == (3, {sentence})
    assert [row["state"] for row in rows(grid)] == ["made", sentence] * 3


def test_processes_make_the_same_bytes(grid: Path) -> None:
    run(grid, Inline())
    expected = certificates(grid)
    for path in (grid.parent / "out").glob("*.json"):
        path.unlink()
    with executor_for(None, 2) as pool:
        assert run(grid, pool) == Tally(6, 0, {})
    assert certificates(grid) == expected


def test_a_dask_cluster_makes_the_same_bytes(grid: Path) -> None:
    """Two workers with two threads each, reached by their scheduler's address."""
    distributed = pytest.importorskip("distributed")
    run(grid, Inline())
    expected = certificates(grid)
    for path in (grid.parent / "out").glob("*.json"):
        path.unlink()
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=2, dashboard_address=None
        ) as cluster,
        executor_for(cluster.scheduler_address, None) as workers,
    ):
        assert run(grid, workers) == Tally(6, 0, {})
    assert certificates(grid) == expected


def test_no_scheduler_at_that_address() -> None:
    pytest.importorskip("distributed")
    with (
        pytest.raises(InputError, match="--scheduler must be the address of a running dask sche"),
        executor_for("nowhere", None),
    ):
        pass


def test_jobs_and_scheduler_exclude_each_other() -> None:
    with pytest.raises(InputError) as error, executor_for("tcp://127.0.0.1:8786", 2):
        pass
    assert str(error.value) == "--jobs must not be given together with --scheduler, but was 2."


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("[grid]", "[other]", "grid must be given, but was missing."),
        (
            '"system.beta" = [0.5, 1, "3/2"]',
            '"system.beta" = 0.5',
            "grid.system.beta must be a non-empty list of values, but was 1/2.",
        ),
        (
            "system.beta",
            "system.alpha",
            "grid.system.alpha must not be given outside the grid as well, but was 20.",
        ),
        (
            '"system.beta"',
            '"digits.beta"',
            "grid.digits.beta must name a field of a table, but was digits.beta.",
        ),
        (
            '"system.beta"',
            "system.beta",
            'grid.system must be a list of values (a name with a point has quotes: "system.beta" '
            "= [...]), but was a table.",
        ),
        (
            '[0.5, 1, "3/2"]',
            "[1, 1]",
            "grid.system.beta must have distinct values, but was 1, 1.",
        ),
        (
            "[grid]",
            "[grid]\n" + "\n".join(f"x{axis} = [1, 2, 3, 4]" for axis in range(9)),
            "grid must have at most 1000000 points, but was 1572864.",
        ),
    ],
)
def test_grids_that_are_none(grid: Path, old: str, new: str, sentence: str) -> None:
    grid.write_text(GRID.replace(old, new))
    with pytest.raises(InputError) as error:
        expand(grid)
    assert str(error.value) == sentence


def test_an_empty_grid(grid: Path) -> None:
    grid.write_text(GRID.split('"system.beta"')[0])
    with pytest.raises(InputError, match="grid must have a list of values for at least one"):
        expand(grid)


def test_a_name_that_is_no_grid() -> None:
    with pytest.raises(InputError) as error:
        find("no-such-grid")
    assert str(error.value) == (
        "GRID must be a TOML file or a shipped grid (reflected-uas-drift), but was no-such-grid."
    )


def test_the_shipped_sweep_has_the_papers_294_points_with_the_benchmark_among_them() -> None:
    points = expand(find("reflected-uas-drift"))
    assert len(points) == 294
    assert len({point.name for point in points}) == 294
    wanted = {"system.beta": "17/20", "system.gamma": "1/2", "system.offset": "1/2"}
    (default,) = [point for point in points if point.parameters == wanted]
    system = make_file(find_problem("softmax-drift-benchmark")).claim["system"]
    assert {key: str(Fraction(default.values["system"][key])) for key in ("alpha", "beta")} == {
        key: system[key] for key in ("alpha", "beta")
    }
    assert [str(rate) for rate in default.values["system"]["service_rates"]] == (
        system["service_rates"]
    )


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_shipped_grids_say_what_they_are(path: Path) -> None:
    assert path.read_text().startswith("# ")
    assert expand(path)


def command(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "certify.cli", "sweep", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_file_in_the_place_of_the_folder(grid: Path) -> None:
    (grid.parent / "out").write_text("")
    with pytest.raises(InputError, match=r"^--out must be a folder \(File exists\), but was .*\.$"):
        run(grid, Inline())


def test_command(grid: Path) -> None:
    grid.write_text(GRID.replace("[0, 0.25]", "[0]"))
    target = grid.parent / "deep" / "out"
    done = command(grid, "--out", target, "--jobs", "1")
    assert done.returncode == 0, done.stderr
    assert done.stdout == (
        f"{target}: 3 points, 3 made, 0 were there, 0 failed; points.csv lists them\n"
    )
    grid.write_text(GRID.replace("[0, 0.25]", "[0, -1]"))
    done = command(grid, "--out", target)
    assert done.returncode == 1
    assert "6 points, 0 made, 3 were there, 3 failed" in done.stdout
    assert done.stderr.startswith(f"{grid.stem}: 6 points\n"), "before any is made"
    assert done.stderr.count("system.offset must be at least 0, but was -1.") == 3
