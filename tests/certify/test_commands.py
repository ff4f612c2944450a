"""What the command prints of certificates and problems, and what it says of the wrong type."""

import re
import subprocess
import sys
import time
from fractions import Fraction
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console
from rich.text import Text

import certify
from certify import OutOfReach, cli, reproduce, shipped
from certify.certificate import MOST_BYTES, MOST_DIGITS, MOST_WEIGHT, Certificate
from certify.errors import InputError
from certify.fluid.continuous import BoundedPareto
from certify.fluid.enclosure import enclose
from certify.kinds import make
from certify.notes import kept_notes
from certify.problem import Table
from proofs_checks.checker import reader
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome
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


def test_a_problem_to_start_from_says_which_file_it_reads(tmp_path: Path) -> None:
    """Copied beside the text that is printed, it makes it a problem that can be made."""
    found = {path.stem: shipped.files_of(path) for path in shipped.problems()}
    reading = {path.stem for path in shipped.problems() if '\nsizes = "' in path.read_text()}
    assert {name for name, files in found.items() if files} == reading
    assert len(reading) >= 6
    printed = run("problems", "fluid-bracket-trace")
    path = Path(printed.stderr.removeprefix("it reads ").removesuffix(": copy that beside yours\n"))
    assert path == ROOT / "certify" / "problems" / "fluid-bracket-trace.csv"
    (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "mine.toml").write_text(printed.stdout)
    assert run("make", str(tmp_path / "mine.toml"), "-o", f"{tmp_path}/").returncode == 0
    assert run("problems", "fluid-value-running").stderr == ""
    assert run("problems", str(path)).stderr == ""


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
    assert done.stdout == f"certify {certify.__version__}\n"
    assert "__version__" in dir(certify)


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
    assert noise.endswith("certify: interrupted\n")
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
    said = made.stderr.replace("computing steep ...\n", "")  # if it takes a while
    assert said == "certify: out of reach: no piece is small enough.\n"
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


def test_the_limits_of_the_checker_are_known() -> None:
    limits = reader.DEFAULT
    assert limits.file_bytes == MOST_BYTES
    assert limits.digits == MOST_DIGITS
    assert limits.weight == MOST_WEIGHT


@pytest.mark.parametrize(
    ("value", "excess"),
    [
        ("7" * 20_000, ""),
        ("7" * 20_001, "20,001 digits in one number"),
        (["7"] * 20_000, ""),
        ({"x": [{"y": "1e-20001"}]}, "20,001 digits in one number"),
        (["7" * 20_000] * 260, "5,200,000 digits in all"),
        (["7" * 20_000] * 1700, "34,017,101 bytes"),
    ],
)
def test_what_the_checker_declines_is_foreseen(value: object, excess: str) -> None:
    certificate = Certificate("kind", {"value": value}, {})
    assert certificate.excess().startswith(excess)
    assert bool(certificate.excess()) == bool(excess)
    declined = check_bytes(certificate.to_bytes()).outcome is Outcome.DECLINED
    assert declined == bool(excess) or not excess, "without excess the kind alone is unknown"


def test_a_certificate_beyond_the_limits_says_how_it_is_checked(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("\n".join(str(n * n * 7919 % 999983) for n in range(2500)))
    problem = tmp_path / "p.toml"
    text = 'kind = "fluid-value"\nlarge = true\nsectors = false\nload = 0.75\n'
    problem.write_text(f"{text}law.sizes = 't.csv'\n")
    target = tmp_path / "p.json"
    done = run("make", str(problem), "-o", str(target))
    assert done.returncode == 0
    line = done.stderr.splitlines()[-1]
    pattern = r"p\.json has [0-9,]+ digits in one number: check it with proofs-check --limit large$"
    assert re.search(pattern, line)
    assert "proofs-check" not in run("make", "rank-gaps-5", "-o", str(tmp_path / "x.json")).stderr


def test_a_long_silence_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no terminal; what is quick says nothing."""
    said: list[Text] = []
    monkeypatch.setattr(cli, "PATIENCE", 0.05)
    monkeypatch.setattr(cli.err, "print", said.append)
    with cli._computing(Path("quick.toml")):
        pass
    with cli._computing(Path("[slow].toml")):
        time.sleep(0.5)
    assert [text.plain for text in said] == ["computing [slow] ..."]


def test_notes_are_told_with_their_problem(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.toml").write_text(
            'kind = "rank-difference"\nservers = 2\na = 2\nb = 1\nbox = 6\ndigits = 6\n'
        )
    paths = [str(tmp_path / f"{name}.toml") for name in ("one", "two")]
    done = run("make", *paths, "-o", f"{tmp_path}/")
    assert done.returncode == 0
    said = [line for line in done.stderr.splitlines() if not line.startswith("computing ")]
    assert [line[:29] for line in said] == [
        "one: original has 1 of the 6 ",
        "two: original has 1 of the 6 ",
    ]
    with kept_notes() as notes:
        pass
    assert notes == []


def test_a_grid_is_not_made(tmp_path: Path) -> None:
    values = {"kind": "rank-gaps", "a": 2, "b": 1, "grid": {"servers": [2, 3]}}
    with pytest.raises(InputError, match=r"^grid must be swept by `certify sweep`"):
        make(Table(values))


def test_reproduce_tells_how_far_it_is_without_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And with which problem a note goes."""
    text = 'kind = "rank-difference"\nservers = 2\na = 2\nb = 1\nbox = 6\ndigits = 6\n'
    (tmp_path / "one.toml").write_text(text)
    (tmp_path / "two.toml").write_text('kind = "rank-gaps"\nservers = 4\na = 2\nb = 1\n')
    monkeypatch.setattr(shipped, "problems", lambda: sorted(tmp_path.glob("*.toml")))
    monkeypatch.setattr(reproduce, "EVERY", 1)
    out, err = (Console(file=StringIO(), width=120) for _ in range(2))
    status = reproduce.reproduce(tmp_path / "made", None, False, None, 1, out, err)
    assert status == 0
    assert isinstance(err.file, StringIO)
    assert err.file.getvalue().split("\n") == [
        "one: original has 1 of the 6 digits asked for (box = 6): a larger box gives more",
        "1 of 2 problems made and checked",
        "2 of 2 problems made and checked",
        "",
    ]
