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
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

THEORY = Path(__file__).parent / "theory"
LIBRARY = "Queues"
PACKAGES = "coq libcoq-interval libcoq-coquelicot"
FLAGS = ("-q", "-w", "-ambiguous-paths,-notation-overridden")
THEORY_SECONDS = 600
REFUSED = "The command has indeed failed with message:"


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

    def recheck(self, seconds: float) -> tuple[bool, str]:
        """Whether Coq's separate checker of compiled files accepts the theory, and what it says.

        It reads every file of the theory again, with a kernel of its own; the libraries below are
        taken as they are. What it lists as assumed belongs to these libraries, used or not: an
        assumption of the theory's own, or a switched-off check, is a failure.
        """
        modules = [f"{LIBRARY}.{file.stem}" for file in theory_files()]
        chosen = [word for module in modules for word in ("-norec", module)]
        command = [str(Path(self.compiler).with_name("coqchk")), "-silent", "-o"]
        fine, output = _run([*command, "-Q", ".", LIBRARY, *chosen], self.theory, seconds)
        summary = output.partition("CONTEXT SUMMARY")[2]
        own = re.search(rf"^\s+{LIBRARY}\.", summary, re.MULTILINE)
        return fine and own is None and summary.count("<none>") == 3, output

    def refusals(self, sources: Sequence[str], seconds: float) -> list[str | None]:
        """For each source the message with which Coq refuses it; None where it says none.

        One process for all of them, which loads the libraries once: `Fail Load` undoes whatever
        the file did and prints the error, or complains that there was none. None is no proof:
        whoever needs one compiles the file by itself.
        """
        with tempfile.TemporaryDirectory() as name:
            folder, script = Path(name), []
            for index, source in enumerate(sources):
                (folder / f"file_{index}.v").write_text(source, encoding="ascii")
                script += [
                    line.replace(" Require Import ", " Require ")
                    for line in source.splitlines()
                    if line.startswith("From ") and index == 0
                ]
                script.append(f"Definition file_{index} := tt.")
                script.append(f'Fail Timeout {int(seconds)} Load "file_{index}".')
            (folder / "script").write_text("\n".join([*script, ""]), encoding="ascii")
            command = [str(Path(self.compiler).with_name("coqtop")), "-quiet", *FLAGS]
            _, output = _run(
                [*command, "-Q", str(self.theory), LIBRARY],
                folder,
                seconds * len(sources),
                folder / "script",
            )
        answers = re.split(r"file_[0-9]+ is defined", output.replace("Coq < ", ""))[1:]
        messages = [answer.partition(REFUSED)[2].strip() for answer in answers]
        messages = [message if message not in ("", "Timeout!") else None for message in messages]
        return messages + [None] * (len(sources) - len(messages))


def prover(build: Path, jobs: int = 1, fresh: bool = False) -> Prover:
    """The installed Coq with the theory compiled below `build`; Unavailable when it cannot be.

    What an earlier run compiled there is taken as it is, unless `fresh`.
    """
    compiler = shutil.which("coqc")
    if compiler is None:
        raise Unavailable(f"not installed (Debian: apt-get install {PACKAGES})")
    fine, version = _run([compiler, "--print-version"], Path.cwd(), 30)
    if not fine:
        raise Unavailable(f"{compiler} does not run: {first_line(version)}")
    version = version.split()[0] if version.split() else "of unknown version"
    return Prover(compiler, version, _theory(compiler, version, build.absolute(), jobs, fresh))


def theory_files() -> list[Path]:
    """The hand-written files in the order in which they build on each other."""
    lines = (THEORY / "_CoqProject").read_text(encoding="ascii").split()
    return [THEORY / name for name in lines if name.endswith(".v")]


def needs() -> dict[str, list[str]]:
    """For each file of the theory the other files that it builds on."""
    files = {file.name: file.read_text(encoding="ascii") for file in theory_files()}
    found = {
        name: re.findall(
            r"^From Queues Require (?:Import |Export )?([\w ]+)\.$", text, re.MULTILINE
        )
        for name, text in files.items()
    }
    return {
        name: [f"{word}.v" for line in lines for word in line.split()]
        for name, lines in found.items()
    }


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
        found[theorem] = axioms(answer)
    return found


def axioms(answer: str) -> set[str]:
    """The names in what `Print Assumptions` prints."""
    lines = [line for line in answer.splitlines() if line and not line[0].isspace()]
    return {re.split(r"[\s:]", line)[0] for line in lines} - {"Axioms", "Closed"}


@cache
def committed() -> dict[str, list[str]]:
    """The sections of theory/assumptions.txt: groups of axioms, then who rests on which groups."""
    sections: dict[str, list[str]] = {}
    for line in (THEORY / "assumptions.txt").read_text(encoding="ascii").splitlines():
        if line.startswith("["):
            name = line.strip("[]")
            sections[name] = []
        elif line and not line.startswith("#"):
            sections[name].append(line)
    return sections


def allowed(section: str, name: str) -> set[str]:
    """The axioms that the list gives for one of the `theorems` or a kind of `certificates`."""
    lists = committed()
    groups = next(line.split()[1:] for line in lists[section] if line.split()[0] == name)
    return {axiom for group in groups for axiom in lists[group]}


def _theory(compiler: str, version: str, build: Path, jobs: int, fresh: bool) -> Path:
    """The folder of the compiled theory, named by what it was compiled from."""
    key = hashlib.sha256(version.encode())
    for file in theory_files():
        key.update(file.name.encode() + file.read_bytes())
    target = build / f"theory-{key.hexdigest()[:16]}"
    if target.is_dir() and not fresh:
        return target
    build.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=build) as name:
        folder = Path(name, "theory")
        folder.mkdir()
        for file in theory_files():
            shutil.copyfile(file, folder / file.name)

        def compile_one(file: str) -> str:
            fine, output = _run(
                [compiler, *FLAGS, "-Q", ".", LIBRARY, file], folder, THEORY_SECONDS
            )
            if not fine:
                raise Unavailable(
                    f"{file} does not compile with Coq {version}, perhaps for want of "
                    f"{PACKAGES}: {first_line(output)}"
                )
            return file

        order = TopologicalSorter(needs())
        order.prepare()
        with ThreadPoolExecutor(max(1, jobs)) as pool:
            running: set[Future[str]] = set()
            while order.is_active():
                running |= {pool.submit(compile_one, file) for file in order.get_ready()}
                done, running = wait(running, return_when=FIRST_COMPLETED)
                order.done(*(future.result() for future in done))
        if fresh and target.is_dir():
            target.rename(Path(name, "old"))
        try:
            folder.rename(target)
        except OSError:  # another run finished the same theory first
            if not target.is_dir():
                raise
    return target


def _run(
    command: list[str], folder: Path, seconds: float, script: Path | None = None
) -> tuple[bool, str]:
    with (
        (script or Path(os.devnull)).open("rb") as stdin,
        subprocess.Popen(
            command,
            cwd=folder,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        ) as process,
    ):
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
