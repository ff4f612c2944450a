"""An interrupt ends every command at once: status 130, no traceback, nothing goes on working."""

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from certify.workers import run
from tests.interrupt_helpers import started

SLOW = ("-c", "import time; time.sleep(60)")


def members(session: int) -> list[str]:
    """The commands of the processes of a session that are alive."""
    found = []
    for each in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, owner = each.read_text().rpartition(")")[2].split()[:4]
            if int(owner) == session and state != "Z":
                found.append((each.parent / "cmdline").read_text())
        except OSError:
            continue
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
@pytest.mark.parametrize("everyone", [True, False], ids=["from a terminal", "the command only"])
def test_reproduce_stops_with_its_workers_and_their_checkers(
    everyone: bool, tmp_path: Path
) -> None:
    with started(tmp_path, "-m", "certify", "reproduce", "--small", "--jobs", "2") as process:
        folder = tmp_path / "build" / "certificates"
        deadline = time.monotonic() + 60
        while not list(folder.glob("*.json")) and time.monotonic() < deadline:
            time.sleep(0.05)
        (os.killpg if everyone else os.kill)(process.pid, signal.SIGINT)
        began = time.monotonic()
        noise = process.communicate(timeout=60)[1]
        assert time.monotonic() - began < 10  # the rest of the problems take minutes
    assert process.returncode == 130
    assert noise.endswith("certify: interrupted\n")
    assert "Traceback" not in noise
    assert members(process.pid) == []
    assert not list(folder.glob(".*")), "no half-written file"


@pytest.mark.parametrize("module", ["certify", "proofs_checks", "proofs_checks.checker"])
def test_an_interrupt_while_modules_are_loaded(module: str, tmp_path: Path) -> None:
    """The import that interrupts stands for any moment before the command has begun."""
    first = {"certify": "typer"}.get(module, "argparse")
    (tmp_path / f"{first}.py").write_text("raise KeyboardInterrupt\n")
    with started(tmp_path, "-m", module, "--version") as process:
        noise = process.communicate()[1]
    assert process.returncode == 130
    assert noise == f"{'certify' if module == 'certify' else 'proofs-check'}: interrupted\n"


def test_a_program_that_is_run_ends_with_the_wait_for_it() -> None:
    assert run([sys.executable, "-c", "print(7)"]).stdout == "7\n"
    began = time.monotonic()

    def interrupt(_signal: int, _frame: object) -> None:
        raise KeyboardInterrupt

    known = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        with pytest.raises(KeyboardInterrupt):
            run([sys.executable, *SLOW])
    finally:
        signal.signal(signal.SIGALRM, known)
    assert time.monotonic() - began < 20
