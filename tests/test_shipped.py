"""What ships: certificates, schemas, problems and claims agree with each other."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from certify import shipped
from certify.kinds import KINDS as MADE
from proofs_checks.checker.cli import check_file
from proofs_checks.checker.kinds import KINDS as CHECKED
from proofs_checks.checker.verdict import Outcome

ROOT = Path(__file__).parents[1]
MACHINE = re.compile("/(home|mnt|opt|root|tmp|work)/")
CERTIFICATES = sorted((ROOT / "certificates").glob("*.json"))
SCHEMAS = {path.stem: path for path in (ROOT / "certificates" / "schema").glob("*.json")}


def test_both_sides_know_the_same_kinds() -> None:
    assert list(MADE) == list(CHECKED)
    assert set(SCHEMAS) == set(CHECKED)


def test_every_problem_has_its_certificate_and_no_other_is_there() -> None:
    assert {path.stem for path in CERTIFICATES} == {path.stem for path in shipped.problems()}


@pytest.mark.parametrize("path", CERTIFICATES, ids=lambda path: path.stem)
def test_shipped_certificate(path: Path) -> None:
    tree = json.loads(path.read_bytes())
    Draft202012Validator(json.loads(SCHEMAS[tree["kind"]].read_text())).validate(tree)
    if path.stat().st_size < 1 << 20:  # larger ones are checked by the reproduction
        report = check_file(path)
        assert report.outcome is Outcome.VERIFIED, report.line()


@pytest.mark.parametrize("name", SCHEMAS)
def test_schema_is_itself_valid_and_closed(name: str) -> None:
    schema = json.loads(SCHEMAS[name].read_text())
    Draft202012Validator.check_schema(schema)
    pending = [schema]
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            if node.get("type") == "object":
                assert node.get("additionalProperties") is False
            pending += node.values()
        elif isinstance(node, list):
            pending += node


@pytest.mark.parametrize("path", shipped.problems(), ids=lambda path: path.stem)
def test_problem_says_in_words_what_it_asks(path: Path) -> None:
    assert len(shipped.title(path)) > 10


def test_claims_hold() -> None:
    command = [sys.executable, "-m", "proofs_checks", "--json", "--claims", "certificates/claims"]
    names = re.findall(
        r'^certificate = "(.+)"$',
        "\n".join(p.read_text() for p in (ROOT / "certificates" / "claims").glob("*.toml")),
        re.MULTILINE,
    )
    paths = [str(ROOT / "certificates" / name) for name in sorted(set(names))]
    done = subprocess.run([*command, *paths], capture_output=True, text=True, cwd=ROOT, check=False)
    rows = json.loads(done.stdout)["claims"]
    assert [row for row in rows if row["judgement"] not in ("HOLDS", "LISTED")] == []
    assert len({row["id"] for row in rows}) == len(rows)
    assert done.returncode == 0


def test_the_project_speaks_of_itself_alone() -> None:
    listed = subprocess.run(
        ["git", "ls-files"], capture_output=True, text=True, cwd=ROOT, check=False
    ).stdout.split()
    for name in listed:
        path = ROOT / name
        if path.suffix in {".py", ".md", ".toml", ".v", ".json"} and path.stat().st_size < 300_000:
            # a path into the machine on which somebody works
            assert not MACHINE.search(path.read_text(errors="ignore")), name
