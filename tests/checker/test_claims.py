"""Claims files: every relation, both ways, and every judgement with its exit status."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from proofs_checks.checker.claims import Judgement, Proved, judge
from proofs_checks.checker.reader import Node

SYSTEM = """
[row.problem.system]
arrival_rate = 2
service_rates = [2, 3, 5]
alpha = 20
beta = 0.85
gamma = "1/2"
offset = 0.5
"""
ROOT = Path(__file__).parents[2]
CERTIFICATE = ROOT / "certificates" / "softmax-equilibrium-light-3.json"


def row(test: str = "", **fields: str) -> str:
    known = {
        "id": "a",
        "source": "somewhere",
        "printed": "1.0739738e-42",
        "verdict": "confirmed",
        "certificate": CERTIFICATE.name,
    } | fields
    lines = [f'{key} = "{value}"' for key, value in known.items() if value]
    return "[[row]]\n" + "\n".join([*lines, test]) + SYSTEM


def proved(verified: bool = True) -> list[Proved]:
    claim = json.loads(CERTIFICATE.read_bytes())["claim"]
    claim["K"] = {"lo": "10739e-4", "hi": "1074e-3"}
    claim["eps"] = "1/3"
    tested = {"root-below": 1}
    node = Node(claim, "claim")
    return [Proved(CERTIFICATE.name, verified, "softmax-equilibrium", node, tested)]


def judgement(tmp_path: Path, text: str, known: list[Proved] | None = None) -> str:
    path = tmp_path / "claims.toml"
    path.write_text(text)
    (only,) = judge(path, proved() if known is None else known)
    return only["judgement"]


@pytest.mark.parametrize(
    ("printed", "field", "relation", "holds"),
    [
        ("1.074", "K", "rounds_to", True),
        ("1.07", "K", "rounds_to", True),
        ("1", "K", "rounds_to", True),
        ("1.0739", "K", "rounds_to", False),
        ("1.08", "K", "rounds_to", False),
        ("107.4e-2", "K", "rounds_to", True),
        ("1.074", "K", "at_most", True),
        ("1.0739", "K", "at_most", False),
        ("1.0739", "K", "at_least", True),
        ("1.074", "K", "at_least", False),
        ("1.0740001", "K", "excludes", True),
        ("1.0738", "K", "excludes", True),
        ("1.07395", "K", "excludes", False),
        ("1.074", "K", "excludes", False),
        ("1/3", "eps", "equals", True),
        ("0.333", "eps", "equals", False),
        ("0.333", "eps", "rounds_to", True),
        ("0.334", "eps", "rounds_to", False),
        ("1.074", "K", "equals", False),
        ("0", "queue.2", "equals", True),
    ],
)
def test_relations(tmp_path: Path, printed: str, field: str, relation: str, holds: bool) -> None:
    test = f'test = {{ field = "{field}", relation = "{relation}" }}'
    verdict = "corrected" if relation == "excludes" else "confirmed"
    found = judgement(tmp_path, row(test, printed=printed, verdict=verdict))
    assert found == (Judgement.HOLDS if holds else Judgement.DIFFERS)


def test_lists_and_given_values(tmp_path: Path) -> None:
    for value, holds in (("[]", True), ("[1]", False)):
        test = f'test = {{ field = "active", relation = "equals", value = {value} }}'
        found = judgement(tmp_path, row(test, printed="0/3"))
        assert found == (Judgement.HOLDS if holds else Judgement.DIFFERS)
    test = 'test = { field = "K", relation = "at_most", value = 2 }'
    assert judgement(tmp_path, row(test, printed="small")) == Judgement.HOLDS


def test_sentences_rest_on_a_condition(tmp_path: Path) -> None:
    assert judgement(tmp_path, row('condition = "root-below"')) == Judgement.HOLDS
    assert judgement(tmp_path, row('condition = "root-above"')) == Judgement.DIFFERS


GOOD = 'test = { field = "K", relation = "at_most", value = 2 }'


def test_an_entry_of_a_list_must_be_named(tmp_path: Path) -> None:
    claim = json.loads((ROOT / "certificates" / "fluid-value-running.json").read_bytes())["claim"]
    known = [Proved("f.json", True, "fluid-value", Node(claim, "claim"), {"value": 1})]
    head = (
        '[[row]]\nid = "a"\nsource = "s"\nprinted = "33/28"\nverdict = "confirmed"\n'
        'certificate = "f.json"\ntest = { field = "values.0.value", relation = "equals" }\n'
    )
    data = '[row.problem]\nload = "3/4"\nlaw = { atoms = [["1/2", "1/2"], ["3/2", "1/2"]] }\n'
    for where, wanted in (
        ("", Judgement.MALFORMED),
        ('where = { "values.0.imbalance" = 0 }\n', Judgement.HOLDS),
        ('where = { "values.0.imbalance" = 1 }\n', Judgement.DIFFERS),
        ('where = { "values.1.imbalance" = "3/13" }\n', Judgement.MALFORMED),
        ('where = { "saving" = "3/14" }\n', Judgement.MALFORMED),
    ):
        assert judgement(tmp_path, head + where + data, known) == wanted, where


def test_an_unnamed_identity_decides_nothing(tmp_path: Path) -> None:
    claim = {"name": "unnamed", "variables": ["x"], "definitions": [], "derivations": []}
    claim |= {"left": "x", "right": "x"}
    known = [Proved("i.json", True, "identity", Node(claim, "claim"), {"identity": 1})]
    text = (
        '[[row]]\nid = "a"\nsource = "s"\nprinted = "1+1=3"\nverdict = "confirmed"\n'
        'certificate = "i.json"\ncondition = "identity"\nproblem = { name = "unnamed" }\n'
    )
    assert judgement(tmp_path, text, known) == Judgement.MALFORMED


def test_an_id_is_used_once(tmp_path: Path) -> None:
    path = tmp_path / "claims.toml"
    path.write_text(row(GOOD) + row(GOOD))
    first, second = judge(path, proved())
    assert first["judgement"] == Judgement.HOLDS
    assert second["judgement"] == Judgement.MALFORMED


def test_what_makes_a_row_differ_or_fail(tmp_path: Path) -> None:
    assert judgement(tmp_path, row(GOOD)) == Judgement.HOLDS
    assert judgement(tmp_path, row(GOOD, verdict="corrected")) == Judgement.HOLDS
    assert judgement(tmp_path, row(GOOD), proved(verified=False)) == Judgement.DIFFERS
    assert judgement(tmp_path, row(GOOD), proved() * 2) == Judgement.DIFFERS
    assert judgement(tmp_path, row(GOOD), []) == Judgement.MISSING
    for old, new in (
        ("arrival_rate = 2", "arrival_rate = 2.0001"),
        ("[2, 3, 5]", "[2, 3]"),
        ("[2, 3, 5]", "[3, 2, 5]"),
        ("alpha = 20\n", ""),
        ("alpha = 20", "alpha = 20\ndelta = 1"),
        ("alpha = 20", "alpha = true"),
    ):
        text = row(GOOD)
        assert old in text
        found = judgement(tmp_path, text.replace(old, new))
        assert found in (Judgement.DIFFERS, Judgement.MALFORMED), new
    for verdict in ("theorem", "evidence", "unseen", "open"):
        assert judgement(tmp_path, row(verdict=verdict, certificate="")) == Judgement.LISTED


@pytest.mark.parametrize(
    "text",
    [
        "",
        "row = 3",
        "row = [3]",
        "[[row]]\n",
        "not toml",
        row(GOOD, verdict="proved"),
        row(GOOD, source=""),
        row(),
        row('test = { field = "K" }'),
        row('test = { field = "none", relation = "at_most" }'),
        row('test = { field = "K", relation = "about" }'),
        row('test = { field = "K", relation = "rounds_to" }', printed="1/3"),
        row('test = { field = "K", relation = "at_most" }', printed="nan"),
        row('test = { field = "K.lo.x", relation = "at_most" }'),
        row('test = { field = "system", relation = "equals" }'),
        row('test = { field = 5, relation = "equals" }'),
        row('test = { field = "queue.-1", relation = "equals" }', printed="0"),
        row('test = { field = "K", relation = "excludes" }', printed="2"),
        row('condition = "hypothesis"'),
        "row = []",
    ],
)
def test_malformed_rows(tmp_path: Path, text: str) -> None:
    assert judgement(tmp_path, text) == Judgement.MALFORMED


def status(tmp_path: Path, text: str, *paths: str) -> int:
    (tmp_path / "claims.toml").write_text(text)
    command = [sys.executable, "-m", "proofs_checks", "--claims", str(tmp_path), *paths]
    return subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode


def test_exit_statuses(tmp_path: Path) -> None:
    held = row('test = { field = "K", relation = "at_most", value = 2 }')
    failed = row('test = { field = "K", relation = "at_most", value = 0 }')
    other = row(GOOD, certificate="other.json")
    assert status(tmp_path, held, str(CERTIFICATE)) == 0
    assert status(tmp_path, failed, str(CERTIFICATE)) == 4
    assert status(tmp_path, other, str(CERTIFICATE)) == 5
    assert status(tmp_path, failed + other, str(CERTIFICATE)) == 4
    assert status(tmp_path, "x", str(CERTIFICATE)) == 3


def test_a_theorem_row_names_the_page_that_proves_it() -> None:
    folder = Path(__file__).parents[2]
    files = (folder / "certificates" / "claims").glob("*.toml")
    rows = [row for file in files for row in tomllib.loads(file.read_text())["row"]]
    pages = [row["page"] for row in rows if row["verdict"] == "theorem"]
    assert pages
    for page in pages:
        text = (folder / "proofs_checks" / "theorems" / page).read_text()
        assert "QED" in text
