"""Errata of publications: what was printed, what is certified instead, and the certificate.

The rows with verdict `corrected` of claims files (certificates/FORMAT.md) are read, and those with
`erratum = true` that no certificate decides; `improved` rows stand as printed. Nothing is decided
here: `proofs-check --claims` holds every row against its certificate.
"""

import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Group
from rich.text import Text

from certify.certificate import load, number
from certify.errors import InputError
from certify.files import NotText, text_of
from certify.shipped import CERTIFICATES
from certify.show import digits

RELATIONS = {
    "at_most": "at most",
    "below": "below",
    "at_least": "at least",
    "above": "above",
    "excludes": "not",
    "equals": "equal to",
}
FOLDER = CERTIFICATES / "claims"


@dataclass(frozen=True)
class Erratum:
    """One correction: where something was printed, what, and what is certified, in which file.

    `certified` gives the relation that the claims row tests and, if the certificate lies beside
    the claims, the certified number itself.
    """

    identifier: str
    source: str
    printed: str
    certified: str
    certificate: str
    note: str


def read_errata(path: Path) -> list[Erratum]:
    """The corrections in a claims file or in every *.toml of a folder, in order.

    Certificates are looked for in the folder above the claims file. Raises InputError if there is
    no claims file, or one that is not of the format.
    """
    if not path.exists():
        requirement = f"be a claims file or a folder of them (those of this project: {FOLDER}/ in "
        raise InputError("PATH", f"{requirement}its source tree)", f"{path}, which is not there")
    files = sorted(path.glob("*.toml")) if path.is_dir() else [path]
    if not files:
        raise InputError("PATH", "hold claims files (*.toml)", path)
    return [erratum for file in files for erratum in _read(file)]


def render(errata: Iterable[Erratum]) -> Group:
    """One paragraph per correction."""
    lines: list[Text] = []
    for each in errata:
        lines.append(Text(each.source, style="bold"))
        lines.append(Text(f"  printed     {each.printed}"))
        lines.append(Text(f"  certified   {each.certified}"))
        lines.append(Text(f"  certificate {each.certificate}"))
        if each.note:
            lines.append(Text(f"  note        {each.note}"))
    found = sum(line.style == "bold" for line in lines)
    decided = found - sum(line.plain == "  certificate none" for line in lines)
    rest = f"{decided} of them" if decided < found else "each of them"
    lines.append(Text(f"{found} corrections; proofs-check --claims decides {rest}."))
    return Group(*lines)


def named_certificates(folder: Path) -> list[str]:
    """The names of all certificates that rows of the claims files in a folder rest on, sorted.

    Raises InputError for a claims file that is not of the format.
    """
    names: set[str] = set()
    for path in sorted(folder.glob("*.toml")):
        with _read_as_claims(path):
            names |= {str(row["certificate"]) for row in _rows(path) if "certificate" in row}
    return sorted(names)


def _read(path: Path) -> list[Erratum]:
    with _read_as_claims(path):
        rows = _rows(path)
        known = [row for row in rows if row["verdict"] == "corrected" or row.get("erratum") is True]
        return [_erratum(row, path.parent.parent) for row in known]


def _rows(path: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = tomllib.loads(text_of(path.read_bytes()), parse_float=str)["row"]
    return rows


@contextmanager
def _read_as_claims(path: Path) -> Iterator[None]:
    """Say of what fails in the block what is wrong with the claims file."""
    try:
        yield
    except OSError as error:
        raise InputError(str(path), "be a readable file", error.strerror or "an error") from None
    except NotText as error:
        raise InputError(str(path), "be UTF-8 text", error) from None
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        requirement = "be a claims file with [[row]] tables"
        raise InputError(str(path), requirement, f"{type(error).__name__}: {error}") from None


def _erratum(row: dict[str, Any], folder: Path) -> Erratum:
    if row["verdict"] != "corrected":
        name, certified = "none", f"nothing ({row['verdict']} only)"
    else:
        name = str(row["certificate"])
        certified = _certified(row, folder / name)
    return Erratum(
        str(row["id"]),
        str(row["source"]),
        str(row["printed"]),
        certified,
        name,
        str(row.get("note", "")),
    )


def _certified(row: dict[str, Any], path: Path) -> str:
    """The relation a row tests, with the certified number if the certificate is at hand."""
    if "test" not in row:
        return f"the contrary, by the condition {row['condition']}"
    test = row["test"]
    relation, field = str(test["relation"]), str(test["field"])
    bound = test.get("value", row["printed"])
    text = f"{field} is {RELATIONS.get(relation, relation)} {bound}"
    if not path.is_file():
        return text
    value: Any = load(path).claim
    for step in field.split("."):
        value = value[int(step)] if isinstance(value, list) else value[step]
    if isinstance(value, dict):
        value = digits(number(value["lo"]), number(value["hi"]))
    return text if str(value) == str(bound) else f"{text}: {value}"
