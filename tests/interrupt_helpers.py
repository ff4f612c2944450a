"""Interrupts for tests of commands, as Ctrl-C in a terminal sends them."""

import os
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def started(folder: Path, *command: str) -> subprocess.Popen[str]:
    """A process in a session of its own, whose members all get an interrupt as from a terminal."""
    return subprocess.Popen(
        [sys.executable, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def interrupted(folder: Path, *command: str) -> tuple[int, str]:
    """The status and the errors of a command interrupted after its first line of output."""
    with started(folder, *command) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        noise = process.communicate()[1]
    return process.returncode, noise
