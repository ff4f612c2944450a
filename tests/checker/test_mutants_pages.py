"""The explanation of a verdict, line by line, and the identities of a page."""

from pathlib import Path

import pytest

from proofs_checks.checker import pages
from proofs_checks.checker.kinds import KINDS
from proofs_checks.checker.pages import explain, identities_used, pages_that_use
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Outcome, Refusal

KIND = "softmax-equilibrium"
IDENTITY = Node({"name": "rank-gaps.cut"}, "claim")


def fates(text: str) -> list[tuple[str, str]]:
    """The condition and the fate of every line that has one."""
    rows = [line.strip().split("  ") for line in text.splitlines()]
    parts = [[part.strip() for part in row if part.strip()] for row in rows]
    return [(row[2].split(":")[0], row[0]) for row in parts if len(row) == 3]


def test_a_file_without_a_kind_has_no_theorem() -> None:
    assert explain("", {}, None, None).strip().startswith("no theorem")
    assert explain("softmax", {}, None, IDENTITY).strip().startswith("no theorem")


def test_every_condition_has_its_fate() -> None:
    names = list(KINDS[KIND].CONDITIONS)
    tested = {names[0]: 3, names[1]: 1}
    text = explain(KIND, tested, None, None)
    assert text.startswith(f"    theorem: proofs_checks/theorems/{KIND}.md\n")
    held = [(name, "held" if name in names[:2] else "not reached") for name in names]
    assert fates(text) == held
    assert "  3x  " + names[0] in " ".join(text.splitlines()[1:2])
    assert "  0x  " + names[2] in " ".join(text.splitlines()[3:4])


def test_the_condition_that_refused_failed() -> None:
    names = list(KINDS[KIND].CONDITIONS)
    refusal = Refusal(Outcome.REJECTED, names[1], "claim", "this", "that")
    text = explain(KIND, {names[0]: 2, names[1]: 1}, refusal, None)
    rest = [(name, "not reached") for name in names[2:]]
    assert fates(text) == [(names[0], "held"), (names[1], "FAILED"), *rest]


def test_only_an_identity_is_used_by_pages() -> None:
    used = "used by  proofs_checks/theorems/rank-gaps.md"
    lines = explain("identity", {}, None, IDENTITY).splitlines()
    assert "theorems/identity.md" in lines[0]
    assert used in lines[-1]
    assert "used by" not in explain("identity", {}, None, None)
    assert "used by" not in explain(KIND, {}, None, IDENTITY)
    assert "uses identity  rank-gaps.cut" in explain("rank-gaps", {}, None, None)


def test_the_identities_of_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those listed under the heading, up to the next one."""
    monkeypatch.setattr(pages, "PAGES", tmp_path)
    page = "# Page\n- `early`: x\n\n## Identities used\n\n- `a.b-2`: y\n words\n- `c`: z\n- d: w\n"
    (tmp_path / "one.md").write_text(page + "\n## After\n- `late`: x\n")
    (tmp_path / "two.md").write_text("# Two\n\n## Identities used\n- `c`: z\n")
    (tmp_path / "three.txt").write_text("\n## Identities used\n- `c`: z\n")
    assert identities_used("one") == ["a.b-2", "c"]
    assert identities_used("three") == []
    assert pages_that_use("c") == ["one", "two"]
    assert pages_that_use("late") == []
