"""The deployable dispatcher: its Python function is executed, its cost is the one that is told."""

import csv
import itertools
import subprocess
import sys
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import exp
from pathlib import Path
from typing import Any

import pytest

from certify.errors import InputError
from certify.fluid import (
    Exponential,
    FiniteLaw,
    Mixture,
    ParetoBins,
    Uniform,
    bracket,
    dispatch,
)
from certify.fluid.controller import (
    RANDOM_ARRIVALS,
    Controller,
    bin_controller,
    optimal_controller,
    range_controller,
    read_controller,
)
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome

F = Fraction
RUNNING = FiniteLaw((("1/2", "1/2"), ("3/2", "1/2")))
FOUR = FiniteLaw(((0, "1/4"), ("1/2", "1/4"), (1, "1/4"), ("5/2", "1/4")))
PROBLEMS = Path(__file__).parents[2] / "certify" / "problems"
Joins = Callable[..., bool]


def executed(controller: Controller) -> Joins:
    """The function of the written module."""
    space: dict[str, Any] = {}
    exec(compile(controller.source(), "controller.py", "exec"), space)
    joins: Joins = space["joins_shorter"]
    return joins


@pytest.mark.parametrize(
    "law", [RUNNING, FOUR, FiniteLaw.rescaled([(3, "1/4"), (5, "1/2"), (40, "1/4")])]
)
@pytest.mark.parametrize("load", ["3/4", "9/10", "1/2", "3/10"])
def test_the_function_decides_as_the_exact_cutoff(law: FiniteLaw, load: str) -> None:
    """Away from edges of sectors, both queues positive: a job joins iff it is below the cutoff."""
    solved = dispatch(law, load)
    joins = executed(optimal_controller(solved, "test"))
    for short, long in itertools.product(range(1, 40), range(1, 40)):
        if short >= long:
            continue
        cutoff = solved.cutoff(short, long)
        for size, _ in law.atoms:
            if size != cutoff:
                found = joins(float(size * law.scale), float(short), float(long))
                assert found == (size < cutoff), (short, long, size)


def closed_loop(law: FiniteLaw, joins: Joins, load: float, steps: int = 8000) -> float:
    """The fluid cost from (1/2, 1/2) under the function, by small steps of time.

    Once the shorter queue is empty it stays so: small steps cannot show that it is kept busy.
    """
    sizes = [(float(s), float(s * law.scale), float(m)) for s, m in law.atoms]
    chances = [(i + 0.5) / 1000 for i in range(1000)]
    short = long = 0.5
    step = 1.2 / (1 - load) / steps if load > 0.5 else 2.4 / steps
    at_exit = [
        sum(joins(told, 0, 1, lambda c=c: c) for c in chances) / 1000 for _, told, _ in sizes
    ]
    cost = 0.0
    for _ in range(steps):
        jobs = work = 0.0
        for index, (size, told, mass) in enumerate(sizes):
            share = float(joins(told, short, long)) if short > 0 else at_exit[index]
            jobs += mass * share
            work += mass * size * share
        cost += step * 2 * load * (jobs * short + (1 - jobs) * long)
        if short > 0:
            short = max(0.0, short + step * (load * work - 0.5))
        long = max(0.0, long + step * (load * (1 - work) - 0.5))
    return cost


@pytest.mark.parametrize(("law", "load"), [(RUNNING, "3/4"), (FOUR, "9/10"), (RUNNING, "3/10")])
def test_running_the_function_costs_what_is_told(law: FiniteLaw, load: str) -> None:
    controller = optimal_controller(dispatch(law, load), "test")
    told = float(controller.cost)
    assert closed_loop(law, executed(controller), float(F(load))) == pytest.approx(told, rel=0.01)


def test_the_rounded_table_loses_almost_nothing() -> None:
    for load in ("3/4", "9/10", "1/2", "1/4"):
        controller = optimal_controller(dispatch(FOUR, load), "test")
        assert controller.least == dispatch(FOUR, load).at(F(0))
        assert 0 <= controller.regret < F(1, 10**13)


def test_a_table_that_is_off_costs_more() -> None:
    """The regret is that of the printed table: bins too coarse for the law lose."""
    fine = bin_controller(bracket(FOUR, "9/10", [0, "1/2", 1]), "test")
    coarse = bin_controller(bracket(FOUR, "9/10", ["1/2"]), "test")
    assert fine.regret < F(1, 10**13)
    assert coarse.regret == pytest.approx(bracket(FOUR, "9/10", ["1/2"]).regret, abs=1e-13)
    assert coarse.regret > F(1, 100)


def test_the_exit_split_keeps_the_empty_queue_busy() -> None:
    joins = executed(optimal_controller(dispatch(RUNNING, "3/4"), "test"))
    assert joins(0.5, 0, 1, lambda: 0.999)
    large = sum(joins(1.5, 0, 1, lambda c=c: c / 1000) for c in range(1000)) / 1000
    assert F(3, 4) * (F(1, 4) + F(3, 4) * F(large)) == pytest.approx(F(1, 2), abs=1e-3)
    light = executed(optimal_controller(dispatch(RUNNING, "3/10"), "test"))
    assert light(1.5, 0, 1)
    assert joins(1.5, 0, 0) in (True, False)  # an empty system is no error


def test_a_pareto_table_tells_what_it_leaves_out() -> None:
    controller = bin_controller(bracket(ParetoBins(F(3, 2)), "3/4", 9), "test")
    assert controller.facts()[-6] == "It does not count the rounding of the sizes up to 17 digits."
    joins = executed(controller)
    assert not joins(0.4, 1.0, 1.0)
    assert joins(0.4, 1.0, 1000.0)


def test_the_facts_of_the_running_example() -> None:
    assert optimal_controller(dispatch(RUNNING, "3/4"), "test").facts() == [
        "Load 3/4. Sizes and workloads are in units of the mean size.",
        "In the fluid model, from total work of one mean size and relative imbalance 0,",
        "this table costs 1.178571429, at most 6.89e-16 (less than 0.01 %) more than any control.",
        "This counts the rounding of the table to 15 places: each imbalance in it is within",
        "5e-16 of the exact one.",
        *RANDOM_ARRIVALS,
    ]


def test_the_facts_do_not_contradict_each_other() -> None:
    """A rule that may cost a third more than another is not called the optimal one."""
    sizes = [(s, F(1, 40)) for s in range(1, 41)]
    controller = bin_controller(bracket(FiniteLaw.rescaled(sizes), "9/10", 2), "test")
    facts = " ".join(controller.facts())
    assert "more than any control" in facts
    assert "optimal rule" not in facts
    assert "Sizes and workloads are in the units of the sizes given (their mean is" in facts


@pytest.mark.parametrize(
    ("cost", "share"),
    [
        ("1.0000000000000001", "less than 0.01 %"),
        ("1.0001", "0.01 %"),
        ("1.05", "5 %"),
        ("1.0123456", "1.24 %"),
        ("2.5", "150 %"),
        ("101.23456", "10,024 %"),
    ],
)
def test_the_percentage_is_rounded_up_and_without_powers_of_ten(cost: str, share: str) -> None:
    controller = optimal_controller(dispatch(RUNNING, "3/4"), "test")
    facts = replace(controller, cost=F(cost), least=F(1)).facts()
    assert f" ({share}) more than any control." in facts[2]


@pytest.mark.parametrize(
    ("size", "short", "long"),
    [(5000, 5, 3), (-5, 1, 2), (1, -1, 2), (float("nan"), 1, 2), (1, float("nan"), 2)],
)
def test_the_function_refuses_what_is_no_state(size: float, short: float, long: float) -> None:
    joins = executed(optimal_controller(dispatch(RUNNING, "3/4"), "test"))
    with pytest.raises(ValueError, match=r"^size must be at least 0, and 0 <= short <= long"):
        joins(size, short, long)


def test_the_trace_keeps_its_bytes(tmp_path: Path) -> None:
    controller, certificate = read_controller(PROBLEMS / "fluid-bracket-trace.toml")
    report = check_bytes(certificate.to_bytes())
    assert report.outcome is Outcome.VERIFIED
    assert report.claim is not None
    assert controller.regret - F(report.claim.value["regret"]) < F(1, 10**13)
    module, table = controller.write(tmp_path, "trace")
    with table.open() as file:
        rows = list(csv.DictReader(file))
    column = "largest_size_to_the_shorter_queue"
    assert [row[column] for row in rows[:2]] == ["none", "6056604423"]
    lines = (PROBLEMS / "fluid-bracket-trace.csv").read_text().splitlines()
    sizes = {int(line) for line in lines[1:]}
    assert all(int(row[column]) in sizes for row in rows[1:])
    done = subprocess.run(
        [
            sys.executable,
            "-I",
            "-c",
            "exec(open('trace-controller.py').read()); "
            "print(joins_shorter(6056604423, 10**12, 2 * 10**12), joins_shorter(1, 1, 1))",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "True False\n"
    assert module.name == "trace-controller.py"


def test_a_law_with_a_density_gets_ranges() -> None:
    """Run by small steps with the closed forms of exponential sizes, the function costs what is
    told, and that is little more than the least cost."""
    controller, certificate = range_controller(Exponential(), F(3, 4), "test")
    report = check_bytes(certificate.to_bytes())
    assert report.outcome is Outcome.VERIFIED, report.line()
    least = certificate.claim["values"][0]["value"]
    assert controller.least == F(least["lo"]) < F(least["hi"]) < controller.cost
    assert controller.regret < F(1, 10**4)
    space: dict[str, Any] = {}
    exec(compile(controller.source(), "controller.py", "exec"), space)
    short = long = 0.5
    cost, load, step = 0.0, 0.75, 1 / 4000
    while long > 1e-3:
        z = (long - short) / (long + short)
        h = space["EXIT_ALL"]
        if short > 0:
            h = space["LARGEST"][bisect_right(space["FROM"], z) - 1]
        jobs, work = 1 - exp(-h), 1 - (1 + h) * exp(-h)
        cost += step * 2 * load * (jobs * short + (1 - jobs) * long)
        if short > 0:
            short = max(0.0, short + step * (load * work - 0.5))
        long += step * (load * (1 - work) - 0.5)
    assert cost == pytest.approx(float(controller.cost), rel=2e-3)
    assert controller.error is not None
    for edge, size in list(zip(controller.edges, controller.largest, strict=True))[5:60:9]:
        assert size is not None
        cutoff = dispatch(Exponential(), "3/4", 8).cutoff(1 - edge, 1 + edge)
        assert abs(float(size) - float(cutoff)) <= controller.error
    assert controller.facts()[2].startswith(
        "this table costs 0.9143622494, at most 4.3e-5 (less than 0.01 %)"
    )
    assert controller.facts()[3] == (
        "This counts the steps of the table: below imbalance 0.984375 each cutoff is within"
    )


@pytest.mark.parametrize("load", [F(3, 10), F(1, 2), F(9, 10)])
def test_ranges_at_every_load_and_with_atoms(load: Fraction) -> None:
    law = Mixture([("1/2", 1, Uniform(F(1, 2)))], [("1/2", "1/4"), ("3/2", "1/4")])
    controller, _ = range_controller(law, load, "test")
    assert 0 < controller.regret < F(1, 10**3)
    joins = executed(controller)
    assert joins(0.1, 1.0, 3.0)
    assert not joins(100.0, 1.0, 3.0)
    if load == F(9, 10):  # the exit cutoff lies inside the atom 3/2: some of its jobs join
        assert joins(1.4, 0, 1)
        shares = [joins(1.5, 0, 1, lambda c=c: c / 1000) for c in range(1000)]
        needed = 5 / 9 - (1 / 2) * (1.5**2 - 0.5**2) / 2 - 1 / 8
        assert sum(shares) / 1000 == pytest.approx(max(0.0, needed / (3 / 8)), abs=2e-3)


def certify(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "certify.cli", "policy", *words]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)


def test_the_command(tmp_path: Path) -> None:
    done = certify("fluid-value-running", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    names = [f"fluid-value-running{end}" for end in ("-controller.py", "-cutoffs.csv", ".json")]
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    assert check_bytes((tmp_path / names[2]).read_bytes()).outcome is Outcome.VERIFIED
    lines = done.stdout.splitlines()
    assert lines[:2] == names[:2]
    assert lines[-10].startswith("Load 3/4.")
    assert lines[-5].startswith("Warning: nothing is proved for random arrivals")


def test_the_command_for_a_law_with_a_density(tmp_path: Path) -> None:
    done = certify("fluid-enclosure-uniform-75", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == [
        f"fluid-enclosure-uniform-75{end}" for end in ("-controller.py", "-cutoffs.csv", ".json")
    ]
    assert check_bytes((tmp_path / names[2]).read_bytes()).outcome is Outcome.VERIFIED


def test_the_command_with_bad_input(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = certify("fluid-value-running", "-o", "file", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == "certify: --out must be a folder (File exists), but was file.\n"
    (tmp_path / "file").unlink()
    done = certify("rank-gaps-4", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == (
        "certify: kind must be one of fluid-bracket, fluid-enclosure, fluid-value, but was "
        "rank-gaps.\n"
    )
    assert not list(tmp_path.iterdir())


def test_an_unwritable_folder_is_told(tmp_path: Path) -> None:
    controller = optimal_controller(dispatch(RUNNING, "3/4"), "test")
    with pytest.raises(InputError, match=r"^--out must be in a folder that is there"):
        controller.write(tmp_path / "missing", "test")


def test_a_grid_has_no_policy(tmp_path: Path) -> None:
    (tmp_path / "g.toml").write_text('kind = "fluid-value"\n[grid]\nload = [0.5, 0.75]\n')
    with pytest.raises(InputError, match=r"^grid must be left out \(a policy is made of one"):
        read_controller(tmp_path / "g.toml")
