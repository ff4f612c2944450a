"""The page on problem files lists the fields of every kind's problems and claims, and no others."""

import copy
import json
import logging
import re
from collections.abc import Iterator
from dataclasses import fields
from difflib import get_close_matches
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from certify.errors import InputError
from certify.fluid.continuous import FAMILIES
from certify.kinds import KINDS, make
from certify.problem import DEFAULT_DIGITS, NEAR, Table, read
from certify.shipped import problems

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "problem-files.md").read_text()
PARTS = dict(re.findall(r"^### `([^`]*)`\n(.*?)(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL))
NAME = re.compile(r"`([A-Za-z_.]+)`")
SOFTMAX = "arrival_rate service_rates alpha beta gamma offset weights temperature".split()
LAWS = ("law", "first", "second")  # whose fields the part on size laws has
# as many as there are rates
OPTIONAL = {("rank-gaps-rates-5", "servers")}
SYMBOLS = ("definitions", "derivations", "notation")  # tables whose keys are symbols
NUMBERS = ({"lo", "hi"}, {"root", "rational", "coefficient"})
KNOWN = re.compile(r"be a known key \(here: (.*)\)")
# what holds without them depends on the other keys
IN_WORDS = {("rank-gaps", "numbers"), ("rank-gaps", "servers"), ("sarsa-chattering", "weights")}
# a table that is asked for in no shipped problem of its kind
ALTERNATIVES = {
    "shortest-queue-drift": [{"system": {"slopes": [1], "offsets": [1]}}],
}


@cache
def shipped() -> dict[str, dict[Path, dict[str, Any]]]:
    """The shipped problems of every kind, by their files."""
    found: dict[str, dict[Path, dict[str, Any]]] = {kind: {} for kind in KINDS}
    for file in problems():
        values = read(file).values
        found[values["kind"]][file] = values
    return found


@cache
def claim_of(file: Path) -> dict[str, Any]:
    """The claim of the shipped certificate of a problem."""
    tree = json.loads((ROOT / "certificates" / f"{file.stem}.json").read_bytes())
    return dict(tree["claim"])


def names(text: str) -> set[str]:
    """The names in a text with the tables that they are fields of."""
    found = set(NAME.findall(text))
    if "a softmax `system`" in text:
        found |= {f"system.{field}" for field in SOFTMAX}
    return {
        ".".join(name.split(".")[: i + 1]) for name in found for i in range(name.count(".") + 1)
    }


def listed_problem(kind: str) -> set[str]:
    """The fields that the page lists for the problems of a kind."""
    (line,) = re.findall(r"^Problem: (.*)\.$", PARTS[kind], re.MULTILINE)
    return names(line)


def required(kind: str) -> set[str]:
    """The fields that the page marks as required, if only on one side of an "or"."""
    (line,) = re.findall(r"^Problem: (.*)\.$", PARTS[kind], re.MULTILINE)
    marked = " ".join(re.findall(r"\*\*(.*?)\*\*", line))
    softmax = {f"system.{field}" for field in SOFTMAX if "a softmax `system`" in marked}
    return set(NAME.findall(marked.replace("a softmax `system`", ""))) | softmax


def listed_claim(kind: str) -> set[str]:
    """The fields that the page lists for the claims of a kind."""
    rows = re.findall(r"^\| ([^|]*) \| .* \|$", PARTS[kind], re.MULTILINE)
    return set().union(*(names(row) for row in rows if row != "---"))


def told(paths: set[str]) -> set[str]:
    """Without what is inside of a law, and without the table of all."""
    return {path for path in paths if path and path.split(".")[0] not in LAWS} | {
        law for law in LAWS if law in paths
    }


def present(value: Any, path: str = "") -> Iterator[str]:
    """The paths of all fields of a claim."""
    yield path
    if isinstance(value, dict) and set(value) not in NUMBERS:
        for key, each in value.items():
            yield from present(each, f"{path}.{key}".lstrip("."))
    elif isinstance(value, list):
        for each in value:
            yield from present(each, path)


def allowed(
    node: dict[str, Any], whole: dict[str, Any], path: str = "", above: str = ""
) -> set[str]:
    """The paths of all fields that a schema allows; `above` are the references on the way."""
    reference = str(node.get("$ref", ""))
    if reference:
        if f" {reference} " in above:
            return set()
        inner = whole
        for part in reference.removeprefix("#/").split("/"):
            inner = inner[part]
        return allowed(inner, whole, path, f"{above} {reference} ")
    found = {path}
    for each in [*node.get("anyOf", []), *node.get("oneOf", []), *node.get("allOf", [])]:
        found |= allowed(each, whole, path, above)
    if set(node.get("properties", {})) not in NUMBERS:
        for key, each in node.get("properties", {}).items():
            found |= allowed(each, whole, f"{path}.{key}".lstrip("."), above)
    items = [node["items"]] if isinstance(node.get("items"), dict) else []
    for each in [*items, *node.get("prefixItems", [])]:
        found |= allowed(each, whole, path, above)
    return found


def tables(value: dict[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    yield path
    for key, each in value.items():
        if isinstance(each, dict):
            yield from tables(each, (*path, key))


def keys(value: dict[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The paths of all keys of a problem, not those inside of laws and tables of symbols."""
    for key, each in value.items():
        if isinstance(each, dict) and key not in (*LAWS, *SYMBOLS):
            yield from keys(each, (*path, key))
        else:
            yield (*path, key)


def without(values: dict[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    """A problem without one of its keys, and with one that no kind knows."""
    changed = copy.deepcopy(values)
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    del inner[path[-1]]
    return changed | {"no_key_at_all": 1}


def known_keys(kind: str) -> set[str]:
    """What the shipped problems of a kind are told to know when a key that none knows is added."""
    found: set[str] = set()
    files = list(shipped()[kind].items())
    for file, given in files[:5] if kind == "identity" else files:
        for path in tables(given):
            if path and path[0] in SYMBOLS:
                continue
            values = copy.deepcopy(given)
            inner = values
            for key in path:
                inner = inner[key]
            inner["no_key_at_all"] = 1
            with pytest.raises(InputError) as refused:
                make(Table(values, folder=file.parent))
            match = KNOWN.fullmatch(refused.value.requirement)
            assert match, (file, refused.value)
            found |= {".".join((*path, key)) for key in match[1].split(", ")}
    return found


def test_every_kind_has_its_part_and_no_other() -> None:
    assert sorted(PARTS) == sorted(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_the_fields_of_a_problem_are_those_that_the_kind_asks_for(kind: str) -> None:
    logging.disable()  # notes on traces
    try:
        known = known_keys(kind) - {"kind", "large"}
    finally:
        logging.disable(logging.NOTSET)
    known |= {path for each in ALTERNATIVES.get(kind, []) for path in present(each)}
    if kind.startswith("fluid") or "system.alpha" in known:
        assert told(known) == told(listed_problem(kind))
    else:
        assert told(known) == listed_problem(kind)


@pytest.mark.parametrize("kind", KINDS)
def test_the_required_keys_are_those_that_cannot_be_left_out(
    kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Of a shipped problem; one with a key that no kind knows is refused once all are read."""
    caplog.set_level(logging.CRITICAL)  # notes on traces
    marked, seen = required(kind), set()
    files = list(shipped()[kind].items())
    for file, given in files[:5] if kind == "identity" else files:
        for path in keys(given):
            name = ".".join(path)
            if name in ("kind", "large"):
                continue
            with pytest.raises(InputError) as refused:
                make(Table(without(given, path), folder=file.parent))
            unknown = refused.value.field == "no_key_at_all"
            if name in marked and (file.stem, name) not in OPTIONAL:
                assert not unknown, (file, name)
                seen.add(name)
            elif path[0] not in SYMBOLS:  # the expressions need their symbols
                assert unknown, (file, name, refused.value)
            else:
                assert "be given" not in refused.value.requirement
    others = {name for each in ALTERNATIVES.get(kind, []) for name in present(each)}
    assert marked - seen <= others


@pytest.mark.parametrize("kind", KINDS)
def test_no_key_of_a_kind_is_taken_for_a_misspelling_of_another(kind: str) -> None:
    listed = listed_problem(kind) | {"kind", "large"}
    for table in {name.rpartition(".")[0] for name in listed}:
        inside = {
            name.rpartition(".")[2] for name in listed if name.rpartition(".")[0] == table
        } - {""}
        for key in inside:
            assert not get_close_matches(key, inside - {key}, 1, NEAR)


@pytest.mark.parametrize("kind", KINDS)
def test_what_holds_without_a_key_is_told_unless_it_is_required(kind: str) -> None:
    (line,) = re.findall(r"^Problem: (.*)\.$", PARTS[kind], re.MULTILINE)
    rest = re.sub(r"\*\*.*?\*\*", "", line)
    told = set(re.findall(r"`([A-Za-z_.]+)` \(", rest))
    tables = {name.rpartition(".")[0] for name in required(kind)}
    inside = {name for name in listed_problem(kind) if "." not in name} & tables
    assert told >= listed_problem(kind) - required(kind) - inside - (
        {"system"} if kind.startswith("softmax") else set()
    )


@pytest.mark.parametrize("kind", KINDS)
def test_what_holds_without_a_key_is_what_the_kind_asks_for_it(
    kind: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)  # notes on traces
    asked: dict[str, Any] = {}
    get = Table.get

    def noted(table: Table, key: str, *default: Any) -> Any:
        if default and isinstance(default[0], bool | int | str | Fraction | list | tuple | dict):
            asked[table.path(key)] = default[0]
        return get(table, key, *default)

    monkeypatch.setattr(Table, "get", noted)
    for file, given in shipped()[kind].items():
        with pytest.raises(InputError):
            make(Table(given | {"no_key_at_all": 1}, folder=file.parent))
    (line,) = re.findall(r"^Problem: (.*)\.$", PARTS[kind], re.MULTILINE)
    said = dict(re.findall(r"`([A-Za-z_.]+)` \(([^)]*)\)", line))
    for path, default in asked.items():
        if path == "large" or path.split(".")[0] in LAWS or (kind, path) in IN_WORDS:
            continue
        assert said[path].strip("`") == spelled(default), (path, default)


def spelled(default: Any) -> str:
    if isinstance(default, str):
        return f'"{default}"'
    if isinstance(default, list | tuple | dict):
        return f"[{', '.join(map(str, default))}]" if default else "none"
    return str(default).lower()


def test_the_alternatives_are_asked_for_as_well() -> None:
    for kind, alternatives in ALTERNATIVES.items():
        for alternative in alternatives:
            source = Path(str(KINDS[kind].__file__)).read_text()
            for table, keys in alternative.items():
                assert f'table("{table}")' in source
                assert all(f'rationals("{key}")' in source for key in keys)


@pytest.mark.parametrize("kind", KINDS)
def test_the_fields_of_a_claim_are_those_of_shipped_certificates(kind: str) -> None:
    """And of the schema, which has some that no shipped certificate has."""
    schema = json.loads((ROOT / "certificates" / "schema" / f"{kind}.json").read_text())
    possible = told(allowed(schema["properties"]["claim"], schema))
    found = told(set().union(*(present(claim_of(file)) for file in shipped()[kind])))
    listed = told(listed_claim(kind))
    assert found <= listed
    assert listed == possible
    summary = {"servers", "active_count", "undecided_count"}
    summary |= {"largest_queue", "smallest_active_queue"}
    assert listed - found == (summary if kind == "softmax-equilibrium" else set())


@pytest.mark.parametrize("kind", KINDS)
def test_the_digits_that_are_asked_for_unless_given(kind: str) -> None:
    """As the page says in parentheses."""
    source = Path(str(KINDS[kind].__file__)).read_text()
    if "digits" not in listed_problem(kind):
        return
    said = re.findall(r"`digits` \((\d+)\)", PARTS[kind])
    asked = re.findall(r'table\.integer\("digits", 1, \w+, (\w+)\)', source)
    values = [getattr(KINDS[kind], each) if each.isupper() else int(each) for each in asked]
    assert [int(each) for each in said] == (values or [DEFAULT_DIGITS])
    assert bool(asked) == ("table.digits()" not in source)


def test_every_field_of_a_law_is_named() -> None:
    """In the part on size laws: what shipped problems and claims have inside of a law."""
    part = PAGE[PAGE.index("## Size laws") : PAGE.index("### ")]
    named = set(re.findall(r"[a-z_]+", " ".join(re.findall(r"`([^`]*)`", part))))
    inside: set[str] = set()
    for kind in (kind for kind in KINDS if kind.startswith("fluid")):
        for file, values in shipped()[kind].items():
            for holder, law in product((values, claim_of(file)), LAWS):
                inside |= {path.rpartition(".")[2] for path in present(holder.get(law, {}))}
    assert inside - {""} <= named


def test_every_parameter_of_a_family_is_named() -> None:
    for family, law in FAMILIES.items():
        assert f'"{family}"' in PAGE
        for parameter in fields(law):
            assert f"`{parameter.name}`" in PAGE, (family, parameter.name)
