"""What the command prints of certificates and problems, and what it says of the wrong type."""

import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from certify import OutOfReach
from certify.fluid.continuous import BoundedPareto
from certify.fluid.enclosure import enclose
from tests.interrupt_helpers import interrupted

ROOT = Path(__file__).parents[2]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "certify.cli", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )


def test_a_shipped_problem_is_printed_as_its_file_stands() -> None:
    file = ROOT / "certify" / "problems" / "fluid-value-running.toml"
    assert run("problems", "fluid-value-running").stdout == file.read_text()


def test_the_list_has_one_line_a_problem_for_other_programs() -> None:
    lines = run("problems").stdout.splitlines()
    assert len(lines) == len(list((ROOT / "certify" / "problems").glob("*.toml")))
    running = next(line for line in lines if line.startswith("fluid-value-running  "))
    assert running.endswith("the running example (doi 10.5281/zenodo.23586955)")


def test_an_unknown_problem_is_bad_input() -> None:
    done = run("problems", "no-such-problem")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1


def test_the_version_is_printed() -> None:
    done = run("--version")
    assert done.returncode == 0
    assert done.stdout.startswith("certify ")


def test_every_exit_status_of_the_help(tmp_path: Path) -> None:
    command = ["-m", "certify.cli"]
    with Path("/dev/full").open("w") as full:  # nothing can be written there
        broken = subprocess.run(
            [sys.executable, *command, "identities"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    status, noise = interrupted(tmp_path, *command, "make", "rank-gaps-5", "fluid-value-300-sizes")
    assert "Traceback" not in noise
    assert broken.stderr.startswith("certify: internal error: OSError: ")
    assert broken.stderr.count("\n") == 1
    found = {
        "0": run("--version").returncode,
        "1": broken.returncode,
        "2": run("problems", "no-such-problem").returncode,
        "130": status,
    }
    sentence = run("--help").stdout.partition("Exit status:")[2].partition("Options:")[0]
    assert found == {each: int(each) for each in re.findall(r"\d+", sentence)}


def test_what_no_precision_settles_is_no_bug(tmp_path: Path) -> None:
    """The density of this law falls too fast for any piece of the sizes."""
    problem = tmp_path / "steep.toml"
    law = 'law = { family = "bounded-pareto", shape = "1e30", ratio = 10 }'
    problem.write_text(f'kind = "fluid-enclosure"\nload = 0.75\n{law}\n', encoding="utf-8")
    made = run("make", str(problem), "--out", str(tmp_path / "steep.json"))
    assert made.returncode == 1
    assert made.stderr == "certify: out of reach: no piece is small enough.\n"
    assert not (tmp_path / "steep.json").exists()
    with pytest.raises(OutOfReach):
        enclose(BoundedPareto(Fraction(10**30), Fraction(10)), Fraction(3, 4))


def test_no_output_at_all_is_no_bug_of_the_reader(tmp_path: Path) -> None:
    """Started with a closed standard output, as some schedulers do."""
    command = '"$0" -m certify.cli make rank-gaps-5 -o "$1" >&-'
    done = subprocess.run(
        ["sh", "-c", command, sys.executable, str(tmp_path / "x.json")],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert "Traceback" not in done.stderr


def test_a_number_with_a_root_is_shown_as_a_decimal_first() -> None:
    # rho_4 = 1 - 2 * 5^(-3/2) for five servers and a = 2
    line = next(
        line
        for line in run("show", "certificates/rank-gaps-5.json").stdout.splitlines()
        if line.split()[0] == "rho.4"
    )
    assert line.split(maxsplit=1)[1].strip() == "8.211145618e-1... = 1 - 2/25 sqrt(5)"


@pytest.mark.parametrize(
    ("written", "shown"),
    [("4.0", "a decimal number (4)"), ('"4"', "'4'"), ("true", "True"), ("0", "0")],
)
def test_a_count_of_the_wrong_type_shows_its_type(tmp_path: Path, written: str, shown: str) -> None:
    problem = tmp_path / "p.toml"
    problem.write_text(f'kind = "rank-gaps"\nservers = {written}\na = 2\nb = 1\n')
    done = run("make", str(problem), "-o", str(tmp_path / "p.json"))
    assert done.returncode == 2
    assert done.stderr.startswith("certify: servers must be a whole number from ")
    assert done.stderr.endswith(f", but was {shown}.\n")


def test_a_byte_order_mark_does_not_matter(tmp_path: Path) -> None:
    problem = tmp_path / "p.toml"
    problem.write_bytes(b'\xef\xbb\xbfkind = "rank-gaps"\nservers = 4\na = 2\nb = 1\n')
    assert run("make", str(problem), "-o", str(tmp_path / "p.json")).returncode == 0


def test_no_line_that_is_shown_ends_with_blanks() -> None:
    lines = run("show", "certificates/rank-gaps-5.json").stdout.splitlines()
    assert len(lines) > 5
    assert [line for line in lines if line != line.rstrip()] == []
