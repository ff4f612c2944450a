"""Runs Coq's compiler: finds it, compiles the theory once, compiles generated files.

Every call has a time limit, because a tactic that loops is a normal accident in Coq and because
the files come from certificates of strangers.
"""

import hashlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

THEORY = Path(__file__).parent / "theory"
LIBRARY = "Queues"
PACKAGES = "coq libcoq-interval libcoq-coquelicot"
FLAGS = ("-q", "-w", "-ambiguous-paths,-notation-overridden")
THEORY_SECONDS = 300


class Unavailable(Exception):
    """Coq, or a library of it, is not installed or does not work; the message says which."""


@dataclass(frozen=True)
class Prover:
    """A compiler whose theory is compiled: ready for generated files."""

    compiler: str
    version: str
    theory: Path

    def compile(self, source: Path, seconds: float) -> tuple[bool, str]:
        """Whether `source` compiles, and the compiler's output or the reason it gave none."""
        return _run(
            [self.compiler, *FLAGS, "-Q", str(self.theory), LIBRARY, source.name],
            source.parent,
            seconds,
        )


def prover(build: Path) -> Prover:
    """The installed Coq with the theory compiled below `build`; Unavailable when it cannot be."""
    compiler = shutil.which("coqc")
    if compiler is None:
        raise Unavailable(f"not installed (Debian: apt-get install {PACKAGES})")
    fine, version = _run([compiler, "--print-version"], Path.cwd(), 30)
    if not fine:
        raise Unavailable(f"{compiler} does not run: {first_line(version)}")
    version = version.split()[0] if version.split() else "of unknown version"
    return Prover(compiler, version, _theory(compiler, version, build.absolute()))


def theory_files() -> list[Path]:
    """The hand-written files in the order in which they build on each other."""
    lines = (THEORY / "_CoqProject").read_text(encoding="ascii").split()
    return [THEORY / name for name in lines if name.endswith(".v")]


def first_line(output: str) -> str:
    """The first line of the compiler's error, without the place in the generated file."""
    if '"eq_refl" has type "true = true"' in " ".join(output.split()):
        return "Error: the check on rational numbers evaluates to false"
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    start = next((i for i, line in enumerate(lines) if line.startswith("Error")), 0)
    return " ".join(lines[start : start + 2])[:200] if lines else "no output"


def assumptions(coq: Prover, source: str, theorems: list[str]) -> dict[str, set[str]]:
    """The axioms that each theorem rests on, after `source`, as Coq lists them.

    Raises Unavailable with Coq's error when `source` does not compile.
    """
    found: dict[str, set[str]] = {}
    with tempfile.TemporaryDirectory() as name:
        file = Path(name, "assumptions.v")
        printed = [f"Eval compute in tt. Print Assumptions {theorem}." for theorem in theorems]
        file.write_text("\n".join([source, *printed, ""]), encoding="ascii")
        fine, output = coq.compile(file, THEORY_SECONDS)
    if not fine:
        raise Unavailable(first_line(output))
    answers = output.split("     = tt\n     : unit\n")[1:]
    for theorem, answer in zip(theorems, answers, strict=True):
        lines = [line for line in answer.splitlines() if line and not line[0].isspace()]
        names = {re.split(r"[\s:]", line)[0] for line in lines}
        found[theorem] = names - {"Axioms", "Closed"}
    return found


def _theory(compiler: str, version: str, build: Path) -> Path:
    """The folder of the compiled theory, named by what it was compiled from."""
    key = hashlib.sha256(version.encode())
    for file in theory_files():
        key.update(file.name.encode() + file.read_bytes())
    target = build / f"theory-{key.hexdigest()[:16]}"
    if target.is_dir():
        return target
    build.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=build) as name:
        folder = Path(name, "theory")
        folder.mkdir()
        for file in theory_files():
            shutil.copyfile(file, folder / file.name)
            command = [compiler, *FLAGS, "-Q", ".", LIBRARY, file.name]
            fine, output = _run(command, folder, THEORY_SECONDS)
            if not fine:
                raise Unavailable(
                    f"{file.name} does not compile with Coq {version}, perhaps for want of "
                    f"{PACKAGES}: {first_line(output)}"
                )
        try:
            folder.rename(target)
        except OSError:  # another run finished the same theory first
            if not target.is_dir():
                raise
    return target


def _run(command: list[str], folder: Path, seconds: float) -> tuple[bool, str]:
    with subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            output, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return False, f"Error: no answer within {seconds:g} seconds"
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    return process.returncode == 0, output
