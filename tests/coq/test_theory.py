"""The theory's text: nothing admitted, no bare `interval`, every file says what it formalises."""

import re
from pathlib import Path

import pytest

from proofs_checks.coq import prover
from proofs_checks.coq.kinds import KINDS
from proofs_checks.coq.prover import (
    THEORY,
    Prover,
    allowed,
    assumptions,
    committed,
    theory_files,
)
from tests.coq.forgeries import DATA, SOURCES

FILES = theory_files()


def code(file: Path) -> str:
    """The file without its comments."""
    text, depth, out = file.read_text(encoding="ascii"), 0, []
    for part in re.split(r"(\(\*|\*\))", text):
        depth += (part == "(*") - (part == "*)")
        out.append("" if depth or part == "*)" else part)
    return "".join(out)


def test_every_file_is_in_the_project() -> None:
    assert sorted(FILES) == sorted(THEORY.glob("*.v"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_nothing_is_admitted_or_assumed(file: Path) -> None:
    words = r"\b(Admitted|admit|give_up|Axioms?|Parameters?|Conjecture|Abort|bypass_check)\b"
    assert not re.search(words, code(file))
    assert not re.search(r"Unset\s+(Guard|Universe|Positivity)", code(file))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_hypotheses_stand_inside_sections(file: Path) -> None:
    depth = 0
    for line in code(file).splitlines():
        depth += bool(re.match(r"Section\b", line)) - bool(re.match(r"End\b", line))
        assert depth or not re.match(r"(Hypothes[ie]s|Variables?|Context)\b", line), line


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_interval_always_has_a_precision(file: Path) -> None:
    text = code(file)
    for match in re.finditer(r"\b(interval|interval_intro|integral|root|plot)\b", text):
        rest = text[match.end() : match.end() + 40]
        if match[1] == "interval_intro":
            assert re.match(r" e upper with \(i_prec bits\)", rest), rest
        else:
            assert re.match(r" with \(i_prec (bits|80)\)", rest), rest


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_header_names_the_theorem_page(file: Path) -> None:
    text = file.read_text(encoding="ascii")
    assert text.startswith("(** ")
    header = text[: text.index("*)")]
    pages = re.findall(r"\[(softmax-[a-z]+|fluid-[a-z]+|rank-[a-z]+|identity)\]", header)
    assert pages or "no theorem page" in header or file.stem == "Theorems"


def test_assumptions_list_names_every_main_theorem() -> None:
    theorems = re.findall(r"^Theorem (\w+)", (THEORY / "Theorems.v").read_text(), re.MULTILINE)
    lists = committed()
    assert [line.split()[0] for line in lists["theorems"]] == theorems
    assert [line.split()[0] for line in lists["certificates"]] == sorted(KINDS)
    assert sum(len(lists[group]) for group in ("reals", "negation", "classical")) == 4
    assert len(lists["integers"]) == 51


@pytest.mark.coq
def test_main_theorems_assume_what_is_committed(coq: Prover) -> None:
    names = [line.split()[0] for line in committed()["theorems"]]
    found = assumptions(coq, "From Queues Require Theorems.", [f"Theorems.{n}" for n in names])
    for name in names:
        assert found[f"Theorems.{name}"] == allowed("theorems", name), name


@pytest.mark.coq
@pytest.mark.parametrize("kind", KINDS)
def test_certificates_assume_what_is_committed(kind: str, coq: Prover) -> None:
    source = (DATA / f"{SOURCES[kind]}.v").read_text(encoding="ascii")
    theorem = SOURCES[kind].replace("-", "_")
    assert assumptions(coq, source, [theorem])[theorem] == allowed("certificates", kind)


@pytest.mark.coq
def test_the_separate_checker_accepts_the_theory(coq: Prover) -> None:
    fine, output = coq.recheck(600)
    assert fine, output


def test_what_the_separate_checker_must_not_say(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fine = "CONTEXT SUMMARY\n* Axioms:\n    Coq.Logic.x\n" + "* Relying on x: <none>\n" * 3
    for output, accepted in (
        (fine, True),
        (fine.replace("Coq.Logic.x", "Queues.Sums.x"), False),
        (fine.replace("x: <none>", "x: Queues.Sums.x", 1), False),
        ("", False),
    ):
        monkeypatch.setattr(prover, "_run", lambda *_, output=output: (True, output))
        assert Prover("/bin/coqc", "8", tmp_path).recheck(1)[0] is accepted
    monkeypatch.setattr(prover, "_run", lambda *_: (False, fine))
    assert not Prover("/bin/coqc", "8", tmp_path).recheck(1)[0]
