"""The checker in a process of its own, with the peak of its memory.

The system's bound on it is not set, so that what is measured is what the charges allow.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
MEMORY = 256 << 20  # bytes of resident memory that a check may take
SECONDS = 60  # CPU of one check; the quickest of the hostile files took hours before it was charged

CODE = (
    "import resource, sys\n"
    "resource.setrlimit(resource.RLIMIT_CPU, (int(sys.argv[1]), int(sys.argv[1])))\n"
    "from proofs_checks.checker.cli import main\n"
    "status = main(sys.argv[2:])\n"
    "lines = open('/proc/self/status').read().splitlines()\n"
    "peak = next(line.split()[1] for line in lines if line.startswith('VmHWM'))\n"
    "sys.stderr.write(f'peak {peak}')  # kB; ru_maxrss would count the parent's as well\n"
    "sys.exit(status)\n"
)


def run(path: Path, *options: str, seconds: int = SECONDS) -> subprocess.CompletedProcess[bytes]:
    """The command on a file; the last word of its standard error is the peak in kB."""
    command = [sys.executable, "-c", CODE, str(seconds), str(path), *options]
    return subprocess.run(command, capture_output=True, cwd=ROOT, check=False, timeout=600)


def peak_of(path: Path) -> tuple[int, str]:
    """The bytes of memory that the check of a file takes, and its verdict line."""
    done = run(path, seconds=600)
    peak = done.stderr.rpartition(b"peak ")[2]
    return int(peak) * 1024, done.stdout.decode().replace(str(path), "-")
