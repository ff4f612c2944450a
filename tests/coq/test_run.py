"""The command through a real process: with Coq, without it, and with nothing to do."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest

from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome
from proofs_checks.coq import prover as provers
from proofs_checks.coq.prover import Prover, first_line, theory_files
from proofs_checks.coq.run import Result, Verdict, prove_bytes
from tests.coq.compare import decide, verdict
from tests.coq.conftest import BUILD
from tests.coq.forgeries import DATA, PARTIAL, SOURCES, Forgery, forgeries

ROOT = Path(__file__).parents[2]


def run(*arguments: str, path: str | None = None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **({} if path is None else {"PATH": path})}
    command = [sys.executable, "-m", "proofs_checks.coq", *arguments]
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


def test_without_coq_it_says_how_to_get_it_and_succeeds(tmp_path: Path) -> None:
    done = run(str(DATA), path=str(tmp_path))
    assert done.returncode == 0
    assert "apt-get install coq libcoq-interval libcoq-coquelicot" in done.stdout
    assert f"0 of {len(SOURCES)} certificates re-proved" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize(
    "option",
    ["--jobs=0", "--jobs=-1", "--jobs=two", "--timeout=nan", "--timeout=-5", "--timeout=inf"],
)
def test_options_out_of_range_are_usage_errors(option: str) -> None:
    done = run(option, str(DATA))
    assert done.returncode == 2
    assert f"must be from 1 to 1000{'000' * ('timeout' in option)}, but was" in done.stderr


def test_what_a_sample_cannot_decide() -> None:
    """A uniform law's claim may be refused for what the closed forms do not say."""
    report = replace(check_bytes(b"", "x.json"), outcome=Outcome.REJECTED)
    result = Result("x.json", Verdict.PARTLY, "fluid-enclosure", "")
    assert verdict(report, result, called_false=False) == "undecided"


def test_without_coq_and_with_require_it_fails(tmp_path: Path) -> None:
    assert run("--require", str(DATA), path=str(tmp_path)).returncode == 1


def test_a_coqc_that_does_not_run_is_reported(tmp_path: Path) -> None:
    fake = tmp_path / "coqc"
    fake.write_text("#!/bin/sh\necho broken\nexit 1\n", encoding="ascii")
    fake.chmod(0o755)
    done = run("--require", str(DATA), path=str(tmp_path))
    assert done.returncode == 1
    assert "does not run: broken" in done.stdout


def test_nothing_to_do_is_a_usage_error(tmp_path: Path) -> None:
    assert run(str(tmp_path)).returncode == 2
    assert run().returncode == 2


def test_first_line_of_an_error() -> None:
    assert first_line('File "x.v", line 1:\nError:\nTactic failure: no.\n') == (
        "Error: Tactic failure: no."
    )
    assert first_line("") == "no output"


class Compiler(Prover):
    """A compiler that ends without an error, says what it is told, and notes what it was given."""

    said: ClassVar[str] = ""
    seen: ClassVar[list[tuple[Path, str]]] = []

    def compile(self, source: Path, seconds: float) -> tuple[bool, str]:
        self.seen.append((source, source.read_text(encoding="ascii")))
        return True, self.said


CONFIRMED = "fluid_value_running : claim\n     : claim\n"
AXIOM = "Classical_Prop.classic : forall P : Prop, P \\/ ~ P\n"


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        (CONFIRMED + "Closed under the global context\n", ""),
        (CONFIRMED + "Axioms:\n" + AXIOM, ""),
        (CONFIRMED.replace(" : claim\n     :", "\n  : claim\n :") + "Axioms:\n" + AXIOM, ""),
        ("", "Error: Coq did not confirm fluid_value_running"),
        ("Closed under the global context\n", "Error: Coq did not confirm fluid_value_running"),
        ("fluid_value_running : True\n : True\n", "Error: Coq did not confirm"),
        ("another_fluid_value_running : claim\n : claim\n", "Error: Coq did not confirm"),
        (CONFIRMED + "Axioms:\n" + AXIOM + "cheat : False\n", "Error: assumes cheat"),
        (CONFIRMED + "Axioms:\nUint63.mul_spec : True\n", "Error: assumes Uint63.mul_spec"),
    ],
)
def test_an_exit_status_is_not_enough(said: str, fault: str, tmp_path: Path) -> None:
    """An empty file compiles too: Coq has to name the theorem, its claim and allowed axioms."""
    coq = Compiler("coqc", "0", tmp_path)
    Compiler.said = said
    result = prove_bytes(
        (DATA / "fluid-value-running.json").read_bytes(),
        "x/fluid-value-running.json",
        coq,
        tmp_path,
        9,
    )
    assert result.verdict is (Verdict.FAILED if fault else Verdict.PROVED)
    assert result.text.startswith(fault)


def test_equal_certificates_share_no_file(tmp_path: Path) -> None:
    """One process must not empty a file that another is about to read."""
    coq, data = Compiler("coqc", "0", tmp_path), (DATA / "fluid-value-running.json").read_bytes()
    Compiler.seen = []
    for folder in "ab":
        prove_bytes(data, f"{folder}/same.json", coq, tmp_path / "build", 9)
    (first, text), (second, again) = Compiler.seen
    assert first != second
    assert first.parent != second.parent
    assert text == again
    assert text.endswith("Check (fluid_value_same : claim).\nPrint Assumptions fluid_value_same.\n")
    assert not list((tmp_path / "build").iterdir())


def test_what_lies_in_the_build_folder_can_be_compiled_anew(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def compiler(command: list[str], folder: Path, *rest: object) -> tuple[bool, str]:
        if command[-1].endswith(".v"):
            (folder / command[-1]).with_suffix(".vo").write_text("honest", encoding="ascii")
        return True, "8.16.1"

    monkeypatch.setattr(provers, "_run", compiler)
    monkeypatch.setattr(shutil, "which", lambda name: "/nowhere/coqc")
    theory = provers.prover(tmp_path).theory
    compiled = [(theory / file.name).with_suffix(".vo") for file in theory_files()]
    assert {file.read_text(encoding="ascii") for file in compiled} == {"honest"}
    compiled[3].write_text("forged", encoding="ascii")
    assert provers.prover(tmp_path).theory == theory
    assert compiled[3].read_text(encoding="ascii") == "forged"
    assert provers.prover(tmp_path, fresh=True).theory == theory
    assert compiled[3].read_text(encoding="ascii") == "honest"
    assert [path.name for path in tmp_path.iterdir()] == [theory.name]


@pytest.mark.coq
def test_the_command_end_to_end(coq: Prover, tmp_path: Path) -> None:
    shutil.copy(DATA / "fluid-value-running.json", tmp_path)
    build = ("--build", str(BUILD), "--statements", "--require")
    done = run(str(tmp_path), *build)
    assert done.returncode == 0
    assert done.stdout.startswith("PROVED  ")
    assert "Definition claim : Prop := value_claim law load sectors values saving." in done.stdout
    assert (
        done.stdout.splitlines()[-1] == "SUMMARY  seen 1  proved 1  partly 0  failed 0  skipped 0"
    )
    (tmp_path / "broken.json").write_text("{}", encoding="ascii")
    done = run(str(tmp_path), *build, "--jobs", "2")
    assert done.returncode == 1
    assert done.stdout.startswith("FAILED  ")


@pytest.mark.coq
def test_a_time_limit_ends_a_proof(coq: Prover, tmp_path: Path) -> None:
    source = tmp_path / "loop.v"
    source.write_text("Goal True. repeat (idtac; pose I). Qed.\n", encoding="ascii")
    proved, output = coq.compile(source, 1)
    assert not proved
    assert "no answer within 1 seconds" in output


@pytest.mark.coq
@pytest.mark.parametrize("kind", SOURCES)
def test_one_certificate_of_every_kind_is_proved(
    kind: str, prove: Callable[[bytes, str], Result]
) -> None:
    result = prove((DATA / f"{SOURCES[kind]}.json").read_bytes(), SOURCES[kind])
    assert result.verdict is (Verdict.PARTLY if kind in PARTIAL else Verdict.PROVED), result.output


@pytest.mark.coq
@pytest.mark.parametrize("kind", SOURCES)
def test_forgeries_fail(kind: str, coq: Prover) -> None:
    cases = list(forgeries(kind))
    control = (DATA / f"{SOURCES[kind]}.json").read_bytes()
    for forgery, result in zip(cases, decide(cases, control, coq, BUILD), strict=True):
        assert result.verdict is Verdict.FAILED, forgery.name
        assert "no answer within" not in result.text, "refused for want of time, not for falsity"


@pytest.mark.coq
def test_what_a_batch_does_not_refuse_is_compiled_by_itself(coq: Prover) -> None:
    control = (DATA / "fluid-value-running.json").read_bytes()
    true = Forgery("fluid-value", "no forgery", control)
    false = next(forgeries("fluid-value"))
    verdicts = [each.verdict for each in decide([true, false, true], control, coq, BUILD)]
    assert verdicts == [Verdict.PROVED, Verdict.FAILED, Verdict.PROVED]
    with pytest.raises(RuntimeError, match="refuses the control"):
        decide([true], false.data, coq, BUILD)


@pytest.mark.parametrize(
    ("outcome", "coq_says", "word"),
    [
        (Outcome.VERIFIED, Verdict.PROVED, "PROVED"),
        (Outcome.VERIFIED, Verdict.PARTLY, "PARTLY"),
        (Outcome.VERIFIED, Verdict.FAILED, "wrong"),
        (Outcome.VERIFIED, Verdict.SKIPPED, "undecided"),
        (Outcome.REJECTED, Verdict.PROVED, "wrong"),
        (Outcome.REJECTED, Verdict.PARTLY, "wrong"),
        (Outcome.REJECTED, Verdict.FAILED, "FAILED"),
        (Outcome.DECLINED, Verdict.PROVED, "undecided"),
        (Outcome.MALFORMED, Verdict.PROVED, "wrong"),
        (Outcome.MALFORMED, Verdict.FAILED, "malformed"),
    ],
)
def test_when_two_checks_disagree(outcome: Outcome, coq_says: Verdict, word: str) -> None:
    report = replace(check_bytes(b"", "x.json"), outcome=outcome)
    result = Result("x.json", coq_says, "kind", "")
    assert verdict(report, result, called_false=False) == word
    accepted = outcome is Outcome.VERIFIED or coq_says in (Verdict.PROVED, Verdict.PARTLY)
    assert (verdict(report, result, called_false=True) == "wrong") is accepted


@pytest.mark.coq
def test_a_batch_that_takes_too_long_refuses_nothing(coq: Prover) -> None:
    loop = "Goal True. repeat (idtac; pose I). Qed."
    wrong = "Definition one : 1 = 2 := eq_refl."
    refused = coq.refusals([wrong, loop, "Definition one := 1."], 3)
    assert refused[0] is not None
    assert "eq_refl" in refused[0]
    assert refused[1:] == [None, None]
