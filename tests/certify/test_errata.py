"""`certify errata`: what was printed, what is certified, in which file."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from certify.certificate import Certificate
from certify.errata import named_certificates, read_errata
from certify.errors import InputError

ROOT = Path(__file__).parents[2]
ROWS = """
publication = "a paper"

[[row]]
id = "a"
source = "Table 1"
printed = "1.5"
verdict = "corrected"
certificate = "one.json"
test = { field = "values.1.value", relation = "at_least", value = "1.7" }
note = "Why."

[[row]]
id = "b"
source = "Table 1"
printed = "3"
verdict = "confirmed"
certificate = "one.json"
test = { field = "count", relation = "equals", value = 3 }

[[row]]
id = "c"
source = "Section [2]"
printed = "it always holds"
verdict = "corrected"
certificate = "missing.json"
condition = "somewhere"

[[row]]
id = "d"
source = "Section 3"
printed = "2.5"
verdict = "corrected"
certificate = "one.json"
test = { field = "count", relation = "excludes" }

[[row]]
id = "e"
source = "Section 4"
printed = "the unmodified rule"
verdict = "evidence"
erratum = true
note = "It was run with another parameter."

[[row]]
id = "f"
source = "Section 5"
printed = "a picture"
verdict = "evidence"
"""


@pytest.fixture
def claims(tmp_path: Path) -> Path:
    folder = tmp_path / "claims"
    folder.mkdir()
    (folder / "paper.toml").write_text(ROWS)
    value = {"lo": "171e-2", "hi": "172e-2"}
    claim = {"values": [{"value": "1"}, {"value": value}], "count": 3}
    Certificate("some-kind", claim, {}).write(tmp_path / "one.json")
    return folder


def run(*arguments: str | Path, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "certify.cli", "errata", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)


def test_the_corrected_rows_and_no_others(claims: Path) -> None:
    found = read_errata(claims)
    assert [each.identifier for each in found] == ["a", "c", "d", "e"]
    first, second, third, fourth = found
    assert first.printed == "1.5"
    assert first.certified == "values.1.value is at least 1.7: 1.7 (2 digits)"
    assert (first.certificate, first.note) == ("one.json", "Why.")
    assert second.certified == "the contrary, by the condition somewhere"
    assert third.certified == "count is not 2.5: 3"
    assert (fourth.certified, fourth.certificate) == ("nothing (evidence only)", "none")
    assert read_errata(claims / "paper.toml") == found


def test_a_number_without_its_certificate_is_only_a_relation(claims: Path) -> None:
    (claims.parent / "one.json").unlink()
    assert read_errata(claims)[0].certified == "values.1.value is at least 1.7"


def test_the_command_prints_them(claims: Path) -> None:
    done = run(claims)
    assert done.returncode == 0, done.stderr
    assert "Section [2]\n  printed     it always holds\n" in done.stdout
    assert "  certificate one.json\n  note        Why.\n" in done.stdout
    last = done.stdout.splitlines()[-1]
    assert last == "4 corrections; proofs-check --claims decides 3 of them."


def test_the_shipped_errata_name_the_diagonal() -> None:
    done = run()
    assert done.returncode == 0, done.stderr
    assert "certified   diagonal_drift is at least 2.6003" in done.stdout
    assert "certificate softmax-obstruction-two-symmetric.json" in done.stdout


@pytest.mark.parametrize(
    ("text", "requirement"),
    [
        ("row = 3", "be a claims file with [[row]] tables"),
        ("no toml", "be a claims file with [[row]] tables"),
        ('[[row]]\nverdict = "corrected"', "be a claims file with [[row]] tables"),
        ('[[row]]\nid = "x"', "be a claims file with [[row]] tables"),
    ],
)
def test_a_broken_claims_file_is_told_in_one_sentence(
    tmp_path: Path, text: str, requirement: str
) -> None:
    path = tmp_path / "claims.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=r"claims\.toml must be a claims file") as error:
        read_errata(path)
    assert error.value.requirement == requirement


def test_a_claims_file_in_another_encoding(claims: Path) -> None:
    (claims / "paper.toml").write_bytes(ROWS.encode() + b"# M\xfcller\n")
    place = f"byte {len(ROWS) + 4} (line {ROWS.count(chr(10)) + 1})"
    with pytest.raises(InputError) as error:
        read_errata(claims)
    sentence = f"{claims}/paper.toml must be UTF-8 text, but was not UTF-8 at {place}."
    assert str(error.value) == sentence


def test_a_field_that_the_certificate_does_not_have(claims: Path) -> None:
    text = ROWS.replace("values.1.value", "values.7.value")
    (claims / "paper.toml").write_text(text)
    with pytest.raises(InputError, match="be a claims file"):
        read_errata(claims)


def test_nothing_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"PATH must hold claims files \(\*\.toml\)"):
        read_errata(tmp_path)
    done = run(tmp_path / "absent.toml")
    assert done.returncode == 2
    assert done.stderr.startswith("certify: ")
    assert "must be a claims file or a folder of them (those of this project: " in done.stderr


def test_where_the_claims_are_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        read_errata(tmp_path / "claims")
    assert str(error.value) == (
        "PATH must be a claims file or a folder of them (those of this project: "
        f"certificates/claims/ in its source tree), but was {tmp_path}/claims, which is not there."
    )


def test_the_claims_of_the_project_are_found_from_any_folder(tmp_path: Path) -> None:
    elsewhere = run(cwd=tmp_path)
    assert elsewhere.returncode == 0, elsewhere.stderr
    assert elsewhere.stdout == run().stdout
    (tmp_path / "certificates" / "claims").mkdir(parents=True)
    assert "PATH must hold claims files" in run(cwd=tmp_path).stderr, "those at hand come first"


def test_the_certificates_that_claims_rest_on() -> None:
    folder = Path(__file__).parents[2] / "certificates"
    names = named_certificates(folder / "claims")
    assert names == sorted(set(names))
    assert all((folder / name).is_file() for name in names)
    text = "".join(path.read_text() for path in (folder / "claims").glob("*.toml"))
    assert all(f'certificate = "{name}"' in text for name in names)
    assert set(re.findall(r'(?m)^certificate = "(.*)"$', text)) == set(names)


def test_certificates_of_no_claims_and_of_broken_ones(tmp_path: Path) -> None:
    assert named_certificates(tmp_path) == []
    (tmp_path / "broken.toml").write_text("row = 3")
    with pytest.raises(InputError, match=r"broken\.toml must be a claims file with"):
        named_certificates(tmp_path)
