"""Every theorem page says at its end which Coq theorems formalise it, or that none does."""

import re
from pathlib import Path

import pytest

from proofs_checks.coq.prover import THEORY

PAGES = sorted(Path(__file__).parents[2].joinpath("proofs_checks", "theorems").glob("*.md"))
NONE = "No Coq theorem formalises this page."
THEOREMS = set(re.findall(r"^Theorem (\w+)", (THEORY / "Theorems.v").read_text(), re.MULTILINE))


def last_paragraph(page: Path) -> str:
    text = page.read_text(encoding="utf-8").rstrip()
    return " ".join(text.split("\n\n")[-1].split())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page_names_its_coq_theorems(page: Path) -> None:
    if page.stem == "coq":
        pytest.skip("the page about Coq itself")
    last = last_paragraph(page)
    advice = (
        f"{page.name} must end with a paragraph of its own that is {NONE!r}, or that begins with "
        "'Formalised in Coq: `name_of_theorem`, ...; what is not' with names from Theorems.v"
    )
    assert last == NONE or last.startswith("Formalised in Coq: "), advice
    names = set(re.findall(r"`(\w+)`", last.partition("; ")[0]))
    assert names <= THEOREMS, advice
    assert names or last == NONE, advice


def test_every_main_theorem_is_named_by_a_page() -> None:
    named = {name for page in PAGES for name in re.findall(r"`(\w+)`", last_paragraph(page))}
    assert named >= THEOREMS
