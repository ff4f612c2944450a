"""The command as a stranger meets it: a real process, every exit status, every verdict line."""

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import IO

import pytest

from tests.interrupt_helpers import interrupted

ROOT = Path(__file__).parents[2]
GOOD = ROOT / "certificates" / "softmax-equilibrium-light-3.json"


def run(
    *arguments: str | Path, cwd: Path = ROOT, stdout: int | IO[str] = subprocess.PIPE
) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "LC_ALL": "C"}
    command = [sys.executable, "-m", "proofs_checks", *map(str, arguments)]
    return subprocess.run(
        command,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd,
        env=environment,
        check=False,
    )


def changed(tmp_path: Path, name: str, old: str, new: str) -> Path:
    text = GOOD.read_text()
    assert old in text
    path = tmp_path / name
    path.write_text(text.replace(old, new, 1))
    return path


@pytest.fixture
def rejected(tmp_path: Path) -> Path:
    return changed(tmp_path, "rejected.json", '"arrival_rate": "2"', '"arrival_rate": "3"')


@pytest.fixture
def malformed(tmp_path: Path) -> Path:
    return changed(tmp_path, "malformed.json", '"arrival_rate": "2"', '"arrival_rate": "2/1"')


@pytest.fixture
def declined(tmp_path: Path) -> Path:
    return changed(tmp_path, "declined.json", "softmax-equilibrium", "no-such-kind")


def test_verified() -> None:
    done = run(GOOD)
    assert done.returncode == 0
    line, summary = done.stdout.splitlines()
    assert line.startswith(f"VERIFIED  {GOOD}  softmax-equilibrium  ")
    assert summary.split()[:2] == ["SUMMARY", "seen"]
    assert done.stderr == ""


def test_each_refusal_has_its_status(rejected: Path, malformed: Path, declined: Path) -> None:
    for path, status, word in (
        (rejected, 4, "REJECTED"),
        (malformed, 3, "MALFORMED"),
        (declined, 6, "DECLINED"),
    ):
        done = run(path)
        assert done.returncode == status
        assert done.stdout.startswith(f"{word}  {path}  ")
    assert run(malformed, declined).returncode == 3
    assert run(declined, malformed, rejected, GOOD).returncode == 4


def test_every_row_of_the_exit_status_table(
    tmp_path: Path, rejected: Path, malformed: Path, declined: Path
) -> None:
    claims = tmp_path / "claims.toml"
    claims.write_text(
        '[[row]]\nid = "a"\nsource = "b"\nprinted = "1"\nverdict = "confirmed"\n'
        'certificate = "absent.json"\ntest = { field = "K", relation = "at_most" }\n'
        "[row.problem.system]\narrival_rate = 2\n"
    )
    missing = ("--claims", claims)
    with Path("/dev/full").open("w") as full:  # nothing can be written there
        broken = run(GOOD, stdout=full)
    assert broken.stderr.startswith("internal error: OSError: ")
    assert broken.stderr.count("\n") == 1
    status, noise = interrupted(ROOT, "-m", "proofs_checks", "certificates")
    assert noise == "proofs-check: interrupted\n"
    found = {
        "0": run(GOOD).returncode,
        "1": broken.returncode,
        "2": run().returncode,
        "3": run(*missing, declined, malformed).returncode,
        "4": run(*missing, declined, malformed, rejected).returncode,
        "5": run(*missing, GOOD).returncode,
        "6": run(*missing, declined).returncode,
        "130": status,
    }
    assert found == {row: int(row) for row in re.findall(r"(?m)^  (\d+)  ", run("--help").stdout)}


def test_missing_unreadable_and_irregular_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "link.json").symlink_to("nowhere")
    for path in (
        tmp_path / "none.json",
        tmp_path / "pipe.json",
        tmp_path / "link.json",
        "/dev/zero",
    ):
        done = run(path)
        assert done.returncode == 3, path
        assert done.stdout.startswith("MALFORMED  ")


def test_nothing_to_check(tmp_path: Path) -> None:
    assert run().returncode == 2
    assert run(tmp_path).returncode == 2
    assert run("--no-such-option").returncode == 2


@pytest.mark.parametrize("arguments", [("",), (GOOD, ""), ("--claims", "", GOOD), ("--claims=",)])
def test_an_empty_path_is_not_the_current_folder(
    tmp_path: Path, arguments: tuple[str | Path, ...]
) -> None:
    """What a shell makes of an unset variable in quotes."""
    (tmp_path / "good.json").write_bytes(GOOD.read_bytes())
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.splitlines()[-1].endswith("the path '' is empty")


def on_a_terminal(*arguments: str | Path, **streams: int) -> tuple[str, str]:
    """The standard output of a check and what a terminal gets that is its standard error."""
    main, end = pty.openpty()
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "proofs_checks", *map(str, arguments)]
    done = subprocess.run(
        command, stdout=streams.get("stdout", subprocess.PIPE), stderr=end, env=environment
    )
    os.write(end, b"END")
    shown = b""
    while not shown.endswith(b"END"):
        shown += os.read(main, 1 << 16)
    os.close(main)
    os.close(end)
    return (done.stdout or b"").decode(), shown.removesuffix(b"END").decode()


def screen(shown: str) -> list[str]:
    """The lines a terminal holds in the end."""
    lines = []
    for text in shown.replace("\r\n", "\n").split("\n"):
        line = ""
        for part in text.split("\r"):
            line = part + line[len(part) :]
        lines.append(line.rstrip())
    return lines


def test_a_terminal_is_shown_what_is_being_checked(tmp_path: Path) -> None:
    names = [f"{'long' * 30}.json", "x\x1b[2K\nVERIFIED \u202e.json", "short.json"]
    paths = [tmp_path / name for name in names]
    for path in paths:
        path.write_bytes(GOOD.read_bytes())
    out, shown = on_a_terminal(*paths)
    assert out == run(*paths).stdout
    assert out.count("VERIFIED  /") == 3
    steps = [step.rstrip() for step in shown.split("\r") if step.strip()]
    assert steps == [
        f"checking {'long' * 12}lo ...",
        r"checking x\x1b[2K\nVERIFIED \u202e.json ...",
        "checking short.json ...",
    ]
    assert screen(shown) == [""]
    assert on_a_terminal("--json", paths[2])[1].startswith("checking short.json ...\r")
    assert screen(on_a_terminal()[1])[0] == "proofs-check: nothing to check (see --help)"


def test_nothing_else_is_shown_the_progress(rejected: Path) -> None:
    assert run(GOOD, rejected).stderr == ""
    command = [sys.executable, "-m", "proofs_checks", str(GOOD)]
    closed = ["/bin/sh", "-c", '"$@" 2>&-', "sh", *command]
    done = subprocess.run(closed, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0
    assert done.stdout == run(GOOD).stdout


def test_folders(tmp_path: Path, rejected: Path) -> None:
    deep = tmp_path / "a" / "schema"
    deep.mkdir(parents=True)
    (deep / "counts.json").write_bytes(GOOD.read_bytes())
    (tmp_path / "schema").mkdir()
    (tmp_path / "schema" / "ignored.json").write_text("not looked at")
    (tmp_path / "notes.txt").write_text("not looked at")
    (tmp_path / "link.json").symlink_to(GOOD)
    (tmp_path / "linked").symlink_to(deep)
    done = run(tmp_path)
    assert done.returncode == 4
    assert "seen 2  skipped 4  verified 1  rejected 1" in done.stdout.splitlines()[-1]


def test_a_folder_that_cannot_be_read_is_not_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from proofs_checks.checker.cli import main

    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "good.json").write_bytes(GOOD.read_bytes())
    (tmp_path / "b").mkdir()
    listed = os.scandir

    def scandir(path: str) -> object:
        if str(path).endswith("b"):
            raise PermissionError(13, "Permission denied", str(path))
        return listed(path)

    monkeypatch.setattr(os, "scandir", scandir)
    assert main([str(tmp_path)]) == 3


def test_a_name_too_long_for_the_system(tmp_path: Path) -> None:
    done = run("a" * 300)
    assert done.returncode == 3
    assert done.stdout.startswith("MALFORMED  aaa")


def test_no_path_prints_a_second_verdict_line(tmp_path: Path) -> None:
    path = tmp_path / "x.json\nVERIFIED  y.json\\\x1b[2K é"
    path.write_bytes(b"{}")
    done = run(path)
    lines = done.stdout.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("MALFORMED")
    assert "\\n" in lines[0]
    assert "VERIFIED  y" not in lines[0]
    assert "\x1b" not in done.stdout
    assert done.stdout.isascii()


def test_explain_names_the_theorem(rejected: Path) -> None:
    done = run("--explain", GOOD, rejected)
    assert "proofs_checks/theorems/softmax-equilibrium.md" in done.stdout
    assert "FAILED" in done.stdout
    assert "not reached" in done.stdout


def test_json_report(rejected: Path) -> None:
    done = run("--json", GOOD, rejected)
    assert done.returncode == 4
    report = json.loads(done.stdout)
    good, bad = report["certificates"]
    assert good["verdict"] == "VERIFIED"
    assert good["digits"] >= 50
    assert bad["refusal"]["condition"] in ("root-above", "root-below")
    assert report["summary"]["rejected"] == 1


def test_it_runs_from_a_bare_checkout_without_site_packages(tmp_path: Path) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-I",
            "-S",
            "-c",
            f"import sys; sys.path.insert(0, {str(ROOT)!r});"
            "from proofs_checks.checker.cli import main;"
            f"sys.exit(main([{str(GOOD)!r}]))",
        ],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("VERIFIED")


def test_a_forty_megabyte_file_is_declined(tmp_path: Path) -> None:
    path = tmp_path / "big.json"
    with path.open("wb") as file:
        file.truncate(40 << 20)
    assert run(path).returncode == 6


def test_help_explains_the_exit_status() -> None:
    done = run("--help")
    assert done.returncode == 0
    assert "exit status" in done.stdout


def test_help_shows_calls_that_can_be_made(tmp_path: Path) -> None:
    """Each example names options that exist; with paths that do, it checks something."""
    calls = re.findall(r"(?m)^  proofs-check (.*?)  ", run("--help").stdout)
    assert len(calls) == 3
    assert any("--explain" in call for call in calls)
    assert any("--claims" in call for call in calls)
    (tmp_path / "certificates").mkdir()
    (tmp_path / "certificates" / "claims").symlink_to(ROOT / "certificates" / "claims")
    for place in ("two-sizes.json", "certificates/two-sizes.json"):
        (tmp_path / place).write_bytes(GOOD.read_bytes())
    for call in calls:
        done = run(*call.split(), cwd=tmp_path)
        assert done.stdout.startswith("VERIFIED  ")
        assert done.returncode == (5 if "--claims" in call else 0)
