"""Claims files: every relation, both ways, and every judgement with its exit status."""

import json
import subprocess
import sys
import tomllib
from copy import deepcopy
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from proofs_checks.checker.claims import Judgement, Proved, judge
from proofs_checks.checker.kinds import KINDS
from proofs_checks.checker.reader import Node
from proofs_checks.checker.results import RESULTS

SYSTEM = """
[row.problem.system]
arrival_rate = 2
service_rates = [2, 3, 5]
alpha = 20
beta = 0.85
gamma = "1/2"
offset = 0.5
"""
H, D, M = Judgement.HOLDS, Judgement.DIFFERS, Judgement.MALFORMED
GOOD = 'test = { field = "K", relation = "at_most", value = 2 }'
ROOT = Path(__file__).parents[2]
CERTIFICATE = ROOT / "certificates" / "softmax-equilibrium-light-3.json"


def row(test: str = "", **fields: str) -> str:
    known = {
        "id": "a",
        "source": "somewhere",
        "printed": "K is small",
        "verdict": "confirmed",
        "certificate": CERTIFICATE.name,
    } | fields
    lines = [f'{key} = "{value}"' for key, value in known.items() if value]
    return "[[row]]\n" + "\n".join([*lines, test]) + SYSTEM


def proved(verified: bool = True) -> list[Proved]:
    claim = json.loads(CERTIFICATE.read_bytes())["claim"]
    claim["K"] = {"lo": "10739e-4", "hi": "1074e-3"}
    claim["eps"] = "1/3"
    claim["jobs"] = 3
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
        ("1.0741", "K", "excludes", True),
        ("1.07", "K", "excludes", False),
        ("1.073", "K", "excludes", True),
        ("1", "K", "excludes", False),
        ("11/10", "K", "excludes", True),
        ("537/500", "K", "excludes", False),
        ("1.075", "K", "below", True),
        ("1.074", "K", "below", False),
        ("1.073", "K", "above", True),
        ("1.0739", "K", "above", False),
        ("1/2", "eps", "below", True),
        ("1/3", "eps", "below", False),
        ("1/3", "eps", "at_most", True),
        ("1/3", "eps", "above", False),
        ("3", "jobs", "equals", True),
        ("4", "jobs", "at_most", True),
        ("4", "jobs", "excludes", True),
        ("3", "jobs", "excludes", False),
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
        found = judgement(tmp_path, row(test, printed="0/3 active"))
        assert found == (Judgement.HOLDS if holds else Judgement.DIFFERS)
    assert judgement(tmp_path, row(GOOD, printed="small")) == Judgement.HOLDS
    test = 'test = { field = "active", relation = "equals", value = [] }'
    assert judgement(tmp_path, row(test, printed="0/3")) == Judgement.MALFORMED


def test_sentences_rest_on_a_condition(tmp_path: Path) -> None:
    assert judgement(tmp_path, row('condition = "root-below"')) == Judgement.HOLDS
    assert judgement(tmp_path, row('condition = "root-above"')) == Judgement.DIFFERS


RUNNING = ROOT / "certificates" / "fluid-value-running.json"
LAW = '[row.problem]\nload = "3/4"\nlaw = { atoms = [["1/2", "1/2"], ["3/2", "1/2"]] }\n'


def value_row(body: str, printed: str = "33/28", verdict: str = "confirmed") -> str:
    """A row on the running example, whose saving is 3/14 and whose value at a tie is 33/28."""
    return (
        f'[[row]]\nid = "a"\nsource = "s"\nprinted = "{printed}"\nverdict = "{verdict}"\n'
        f'certificate = "f.json"\n{body}\n{LAW}'
    )


def running() -> list[Proved]:
    claim = json.loads(RUNNING.read_bytes())["claim"]
    tested = {"value": 1, "tiling": 1}
    return [Proved("f.json", True, "fluid-value", Node(claim, "claim"), tested)]


@pytest.mark.parametrize(
    ("where", "wanted"),
    [
        ("", Judgement.MALFORMED),
        ('"values.0.imbalance" = 0', Judgement.HOLDS),
        ('"values.0.imbalance" = 1', Judgement.DIFFERS),
        ('"values.1.imbalance" = "3/13"', Judgement.MALFORMED),
        ('"saving" = "3/14"', Judgement.MALFORMED),
        ('"values.0.value" = "33/28"', Judgement.MALFORMED),  # the tested field itself
        ('"values.00.value" = "33/28"', Judgement.MALFORMED),
        ('"values.\u0660.value" = "33/28"', Judgement.MALFORMED),  # an Arabic zero
        ('"values.0" = { imbalance = 0, value = "33/28" }', Judgement.MALFORMED),
        ('"values.0.imbalance" = 0, "values.0.value" = "33/28"', Judgement.HOLDS),
    ],
)
def test_an_entry_of_a_list_must_be_named(tmp_path: Path, where: str, wanted: str) -> None:
    test = 'test = { field = "values.0.value", relation = "equals" }\n'
    text = value_row(f"{test}where = {{ {where} }}")
    assert judgement(tmp_path, text, running()) == wanted


def test_what_the_entries_share_names_none_of_them(tmp_path: Path) -> None:
    known = running()
    assert known[0].claim is not None
    entries = known[0].claim.value["values"]
    entries[:] = [{"imbalance": "0", "value": v, "group": "1"} for v in ("33/28", "1")]
    test = 'test = { field = "values.0.value", relation = "equals" }\nwhere = { '
    for pins in ('"values.0.imbalance" = 0', '"values.0.imbalance" = 0, "values.0.group" = 1'):
        text = value_row(f"{test}{pins} }}")
        assert judgement(tmp_path, text, known) == Judgement.MALFORMED
    entries[1]["imbalance"] = "1"
    assert judgement(tmp_path, text, known) == Judgement.HOLDS


@pytest.mark.parametrize("index", ["\u0660", "00", "-1", "0 ", "+0", "1_0"])
def test_an_index_has_one_spelling(tmp_path: Path, index: str) -> None:
    test = f'test = {{ field = "values.{index}.value", relation = "at_least", value = 0 }}\n'
    for where in ("", f'where = {{ "values.{index}.imbalance" = 0 }}'):
        text = value_row(test + where, printed="words")
        assert judgement(tmp_path, text, running()) == Judgement.MALFORMED


def test_an_end_of_an_interval_is_not_its_number(tmp_path: Path) -> None:
    known = proved()
    assert known[0].claim is not None
    known[0].claim.value["K"] = {"lo": "1", "hi": "2"}
    for end, number in (("lo", "1"), ("hi", "2")):
        test = f'test = {{ field = "K.{end}", relation = "equals" }}'
        assert judgement(tmp_path, row(test, printed=number), known) == Judgement.MALFORMED


def test_a_tie_between_two_decimals_rounds_to_both_and_excludes_neither(tmp_path: Path) -> None:
    known = proved()
    assert known[0].claim is not None
    known[0].claim.value["eps"] = "1/4"
    for printed in ("0.2", "0.3"):
        for relation, verdict, wanted in (
            ("rounds_to", "confirmed", H),
            ("excludes", "corrected", D),
        ):
            test = f'test = {{ field = "eps", relation = "{relation}" }}'
            text = row(test, printed=printed, verdict=verdict)
            assert judgement(tmp_path, text, known) == wanted
    known[0].claim.value["eps"] = "2/8"  # not a number of the format
    assert judgement(tmp_path, text, known) == Judgement.MALFORMED


@pytest.mark.parametrize(
    ("pin", "wanted"),
    [
        ('word = "some-name"', Judgement.HOLDS),
        ('word = "another"', Judgement.DIFFERS),
        ("jobs = 3", Judgement.HOLDS),
        ("jobs = 4", Judgement.DIFFERS),
        ('jobs = "3"', Judgement.DIFFERS),
        ('K = { lo = 1.0739, hi = "1.074" }', Judgement.HOLDS),
        ("K = { lo = 1.0739, hi = 1.075 }", Judgement.DIFFERS),
        ("K = { lo = 1.0739 }", Judgement.DIFFERS),
        ("eps = true", Judgement.DIFFERS),
    ],
)
def test_pinned_fields_are_compared_as_what_they_are(tmp_path: Path, pin: str, wanted: str) -> None:
    known = proved()
    assert known[0].claim is not None
    known[0].claim.value["word"] = "some-name"
    known[0].claim.value["eps"] = "1"
    text = row(f'test = {{ field = "jobs", relation = "equals", value = 3 }}\nwhere = {{ {pin} }}')
    assert judgement(tmp_path, text, known) == wanted


def test_a_pin_stands_apart_from_the_tested_field(tmp_path: Path) -> None:
    known = running()
    assert known[0].claim is not None
    known[0].claim.value["values"][0]["parts"] = {"first": "1"}
    for field, value, pin in (
        ("values.0.parts.first", "1", '"values.0.parts" = { first = 1 }'),  # leads to it
        ("sectors.0.value", '["33/28", "-3/14", "-15/28"]', '"sectors.0.value.0" = "33/28"'),
    ):
        test = f'test = {{ field = "{field}", relation = "equals", value = {value} }}'
        text = value_row(f"{test}\nwhere = {{ {pin} }}", "words")
        assert judgement(tmp_path, text, known) == Judgement.MALFORMED
    text = text.replace('"sectors.0.value.0" = "33/28"', '"sectors.0.from" = 0')
    assert judgement(tmp_path, text, known) == Judgement.HOLDS


def test_problem_data_is_given_and_not_claimed(tmp_path: Path) -> None:
    for field, number in (("load", "3/4"), ("law.atoms.0.0", "1/2")):
        text = value_row(f'test = {{ field = "{field}", relation = "equals" }}', number)
        assert judgement(tmp_path, text, running()) == Judgement.MALFORMED


@pytest.mark.parametrize(
    ("verdict", "printed", "relation", "value", "wanted"),
    [
        # a confirmed number is the one that is compared, with its digits
        ("confirmed", "0.21", "rounds_to", None, H),
        ("confirmed", "0.21", "rounds_to", "0.21", H),
        ("confirmed", "0.20", "rounds_to", "0.2", D),
        ("confirmed", "0.99", "rounds_to", "0.21", M),
        ("confirmed", "0.21", "at_most", "100", M),
        ("confirmed", "0.21", "at_least", "0", M),
        ("confirmed", "3/14", "equals", "6/28", H),
        ("confirmed", "0.5", "excludes", None, M),
        # a corrected number is not the certified one, whatever else is said
        ("corrected", "0.214", "excludes", None, D),
        ("corrected", "0.21", "excludes", None, D),
        ("corrected", "0.215", "excludes", None, H),
        ("corrected", "0.22", "excludes", None, H),
        ("corrected", "0.22", "rounds_to", "0.21", H),
        ("corrected", "0.214", "rounds_to", "0.21", D),
        ("corrected", "0.21", "rounds_to", None, D),
        ("corrected", "3/14", "equals", None, D),
        ("corrected", "3/14", "at_least", "0", D),
        ("corrected", "1/5", "equals", "3/14", H),
        ("corrected", "1/5", "equals", None, D),
        ("corrected", "0.1", "at_least", "0.2", H),
        ("corrected", "0.1", "at_least", "0.3", D),
        ("corrected", "0.22", "excludes", "0.21", D),
        # an improved number is a true bound, and the new one says more
        ("improved", "0.5", "at_most", "0.22", H),
        ("improved", "0.5", "at_most", "0.21", D),
        ("improved", "0.5", "below", "3/14", D),
        ("improved", "0.1", "at_least", "0.2", H),
        ("improved", "0.1", "above", "0.21", H),
        ("improved", "0.5", "at_most", "0.6", M),
        ("improved", "0.5", "at_most", None, M),
        ("improved", "0.5", "at_most", "0.4999", M),
        ("improved", "0.5", "at_least", "0.2", M),
        ("improved", "0.5", "rounds_to", "0.21", M),
        ("improved", "0.5", "equals", "3/14", M),
        ("improved", "0.5", "excludes", None, M),
    ],
)
def test_what_a_verdict_says_of_a_printed_number(
    tmp_path: Path, verdict: str, printed: str, relation: str, value: str | None, wanted: str
) -> None:
    given = f', value = "{value}"' if value else ""
    test = f'test = {{ field = "saving", relation = "{relation}"{given} }}'
    assert judgement(tmp_path, value_row(test, printed, verdict), running()) == wanted
    if value and "/" not in value:  # the same number as TOML's own
        text = value_row(test.replace(f'"{value}"', value), printed, verdict)
        assert judgement(tmp_path, text, running()) == wanted


def test_a_judgement_says_what_it_rests_on(tmp_path: Path) -> None:
    path = tmp_path / "claims.toml"
    for printed, body, words in (
        ("0.21", 'test = { field = "saving", relation = "rounds_to" }', "saving rounds_to 0.21"),
        (
            "21 %",
            'test = { field = "saving", relation = "rounds_to", value = "0.21" }',
            "saving rounds_to 0.21, words not checked",
        ),
        ("cheese", 'condition = "value"', "condition value, words not checked"),
    ):
        path.write_text(value_row(body, printed))
        (only,) = judge(path, running())
        assert only["judgement"] == Judgement.HOLDS
        assert only["text"] == f"confirmed by {words}; s: {printed}"


def test_a_sentence_rests_on_a_condition_of_substance(tmp_path: Path) -> None:
    for condition, wanted in (("value", H), ("saving", D), ("tiling", M), ("nonsense", M)):
        text = value_row(f'condition = "{condition}"', "words")
        assert judgement(tmp_path, text, running()) == wanted
    number = value_row('condition = "value"', "33/28")
    assert judgement(tmp_path, number, running()) == Judgement.MALFORMED


@pytest.mark.parametrize("kind", KINDS)
def test_conditions_of_substance_are_no_hypotheses(kind: str) -> None:
    meanings = KINDS[kind].CONDITIONS
    names = RESULTS[kind].split()
    assert names
    assert len(set(names)) == len(names)
    assert set(names) < set(meanings) or kind == "identity"
    for name in names:
        assert not meanings[name].endswith(("(Hypotheses)", "(Definitions)")), name
    for name in ("hypothesis", "shape", "precision", "name", "statement", "tiling", "joint"):
        assert name not in names


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
    assert second["text"] == f"row 2 of {path}: an id that was used before"


def test_what_makes_a_row_differ_or_fail(tmp_path: Path) -> None:
    assert judgement(tmp_path, row(GOOD)) == Judgement.HOLDS
    assert judgement(tmp_path, row(GOOD, verdict="corrected")) == Judgement.HOLDS
    assert judgement(tmp_path, row(GOOD), proved(verified=False)) == Judgement.DIFFERS
    assert judgement(tmp_path, row(GOOD), proved() * 2) == Judgement.DIFFERS
    assert judgement(tmp_path, row(GOOD), []) == Judgement.MISSING
    assert judgement(tmp_path, row(verdict="proved"), []) == Judgement.MALFORMED
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
        text = row(verdict=verdict, certificate="", page="page.md")
        assert judgement(tmp_path, text) == Judgement.LISTED


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
        "[[rows]]\n" + row(GOOD),
        row(GOOD + '\ncondition = "root-below"'),
        row('condition = "root-below"\nwhere = { K = 1 }'),
        row(GOOD, verdict="evidence"),
        row('condition = "root-below"', verdict="theorem", page="page.md"),
        row(verdict="theorem"),
        row(verdict="proved"),
        row(GOOD).replace("somewhere", ""),
        row(GOOD + "\nvaleu = 3"),
        row(GOOD.replace("value", "valeu")),
        row(GOOD, id=""),
        row(GOOD, id="two words"),
        row(GOOD, printed="1.07 "),
    ],
)
def test_malformed_rows(tmp_path: Path, text: str) -> None:
    assert judgement(tmp_path, text) == Judgement.MALFORMED


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('id = "a"\n', ""),
        ('id = "a"', 'id = ["a"]'),
        ('id = "a"', "id = 2020-01-01"),
        ('id = "a"', "id = 0x" + "F" * 5000),
        ('id = "a"', "id = true"),
        ('printed = "K is small"', "printed = 0x" + "F" * 5000),
        ("value = 2", "value = 1e999999999"),
        ("value = 2", "value = 0x" + "F" * 5000),
        ("value = 2", 'value = "' + "9" * 10_000 + '"'),
        ("value = 2", "value = 2020-01-01"),
        ('field = "K"', 'field = "' + "queue.0." * 2000 + '"'),
        ('relation = "at_most"', "relation = [1]"),
        ('source = "somewhere"', "source = 3"),
        ('verdict = "confirmed"', "verdict = []"),
        (f'certificate = "{CERTIFICATE.name}"', "certificate = 3"),
        ("[row.problem.system]", "[row.system]"),
        ("arrival_rate = 2", "arrival_rate = 0x" + "F" * 5000),
        ("arrival_rate = 2", "arrival_rate = nan"),
        ("[[row]]", "[[row]]\nwhere = 3"),
        ("[[row]]", "[[row]]\nwhere = { K = 0x" + "F" * 5000 + " }"),
        ("value = 2", "value = " + "[" * 150 + "]" * 150),
    ],
)
def test_a_malformed_row_stops_no_other(tmp_path: Path, old: str, new: str) -> None:
    path, good = tmp_path / "claims.toml", row(GOOD)
    assert old in good
    last = good.replace('id = "a"', 'id = "b"')
    path.write_text(good.replace(old, new, 1) + good.replace(old, new, 1) + last)
    for judged in judge(path, proved())[:-1]:
        assert judged["judgement"] in (Judgement.MALFORMED, Judgement.DIFFERS)
    assert judge(path, proved())[-1]["judgement"] == Judgement.HOLDS


def toml(value: Any) -> str:
    """The value as TOML writes it in one line."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(k)} = {toml(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return str(value) if isinstance(value, date) else json.dumps(value)


PROBLEM = tomllib.loads(row())["row"][0]["problem"]
COMMON = {"id": "a", "source": "s", "printed": "words", "verdict": "confirmed"}
DECIDED = COMMON | {"certificate": CERTIFICATE.name, "problem": PROBLEM}
TESTED = {"field": "K", "relation": "at_most", "value": 2}
ROWS: dict[str, dict[str, Any]] = {
    "test": DECIDED | {"test": TESTED, "where": {"jobs": 3}, "note": "n", "erratum": True},
    "condition": DECIDED | {"condition": "root-below"},
    "theorem": COMMON | {"verdict": "theorem", "page": "p.md"},
    "open": COMMON | {"verdict": "open", "note": "n", "certificate": "c.json", "problem": {}},
}
OPTIONAL = {
    "test": ("where", "note", "erratum"),
    "open": ("note", "certificate", "problem"),
}
PLACES = [
    (name, place)
    for name, fields in ROWS.items()
    for place in [*fields, *(f"test.{key}" for key in fields.get("test", ()))]
]
WRONG: list[Any] = [3, "", " x", "x\n", [], ["x"], {}, {"x": 1}, True, date(2020, 1, 1)]
RIGHT: dict[str, tuple[type, ...]] = {
    "problem": (dict,),
    "where": (dict,),
    "erratum": (bool,),
    "test.value": (int, str, list),
}


def put(tree: dict[str, Any], place: str, value: Any) -> None:
    """Replace what stands at a place; take it out if the value is None."""
    *way, last = place.split(".")
    for step in way:
        tree = tree[step]
    if value is None:
        del tree[last]
    else:
        tree[last] = value


def judged(tmp_path: Path, *rows: Any) -> tuple[str, list[dict[str, str]]]:
    path = tmp_path / "c.toml"
    path.write_text(f"row = {toml(list(rows))}")
    return str(path), judge(path, proved())


def test_the_rows_that_are_spoiled_below_are_good(tmp_path: Path) -> None:
    rows = [fields | {"id": name} for name, fields in ROWS.items()]
    found = [each["judgement"] for each in judged(tmp_path, *rows)[1]]
    assert found == [H, H, Judgement.LISTED, Judgement.LISTED]


@pytest.mark.parametrize(("name", "place"), PLACES)
def test_what_is_missing_in_which_row_is_said(tmp_path: Path, name: str, place: str) -> None:
    spoiled = deepcopy(ROWS[name])
    put(spoiled, place, None)
    file, (_, found) = judged(tmp_path, ROWS["open"] | {"id": "first"}, spoiled)
    key = place.split(".")[-1]
    if place in OPTIONAL.get(name, ()):
        assert found["judgement"] in (H, Judgement.LISTED)
        return
    assert found["judgement"] == M
    if place == "id":
        text = (
            f"row 2 of {file} should be a table with an `id` of a to z, digits, points and hyphens"
        )
    elif place == "verdict":
        text = (
            f"row 2 of {file}: `verdict` should be one of confirmed, improved, corrected, theorem, "
        )
        text += "evidence, unseen, open"
    elif place in ("test", "condition"):
        reason = "a `test` or a `condition`, not both, decides a row with a certificate"
        text = f"row 2 of {file}: {reason}"
    elif place == "test.value":  # what is printed is compared without it
        text = f"row 2 of {file}: not a number: words"
    else:
        owner = "`test`" if "." in place else "the row"
        text = f"row 2 of {file}: {owner} has no `{key}`"
    assert found["text"] == text


@pytest.mark.parametrize(("name", "place"), PLACES)
def test_what_has_the_wrong_form_is_said(tmp_path: Path, name: str, place: str) -> None:
    for value in WRONG:
        plain = isinstance(value, str) and value and value == value.strip()
        right = type(value) in RIGHT[place] if place in RIGHT else plain
        if right or (place == "test" and isinstance(value, dict)):
            continue
        spoiled = deepcopy(ROWS[name])
        put(spoiled, place, value)
        file, (found,) = judged(tmp_path, spoiled)
        assert found["judgement"] == M
        if place == "id":
            assert found["text"].startswith(f"row 1 of {file} should be a table with an `id` of ")
        else:
            assert found["text"].startswith(f"row 1 of {file}: `{place}` should be ")


@pytest.mark.parametrize("name", ROWS)
def test_fields_that_mean_nothing_are_named(tmp_path: Path, name: str) -> None:
    file, (found,) = judged(tmp_path, ROWS[name] | {"prnted": "1", "\u00e9": 2})
    words = "has fields that mean nothing here"
    assert found["text"] == f"row 1 of {file}: the row {words}: ['prnted', '\u00e9']"
    if "test" in ROWS[name]:
        spoiled = ROWS[name] | {"test": TESTED | {"valeu": 2}}
        file, (found,) = judged(tmp_path, spoiled)
        assert found["text"] == f"row 1 of {file}: `test` {words}: ['valeu']"
    else:
        file, (found,) = judged(tmp_path, ROWS[name] | {"where": {"K": 1}})
        assert found["text"] == f"row 1 of {file}: `where` means nothing without a `test`"


NO_ROW = "the file has no `row`"
NO_TABLES = "`row` should be tables, each begun by [[row]]"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('kind = "fluid-value"\nload = "3/4"\n[law]\natoms = []\n', NO_ROW),
        ("", NO_ROW),
        ("[[rows]]\nid = 1", NO_ROW),
        ('publication = "x"', NO_ROW),
        ("row = 3", NO_TABLES),
        ("row = []", NO_TABLES),
        ("[row]\nid = 1", NO_TABLES),
        ("[[row]]\n[[rows]]\n", "the file has fields that mean nothing here: ['rows']"),
        ("not toml", "Expected '=' after a key in a key/value pair (at line 1, column 5)"),
    ],
)
def test_why_a_file_is_no_claims_file(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "two-sizes.toml"
    path.write_text(text)
    (only,) = judge(path, proved())
    assert only == {"judgement": M, "id": str(path), "text": f"no claims file: {words}"}


@pytest.mark.parametrize(
    ("test", "words"),
    [
        ({"field": "none"}, "none does not lead to a value of the claim"),
        ({"field": "K.hi"}, "K.hi does not lead to a value of the claim"),
        ({"field": "queue.3"}, "queue.3 does not lead to a value of the claim"),
        ({"field": "queue.99999999999"}, "queue.99999999999 does not lead to a value of the claim"),
        ({"field": "word"}, "no number is claimed there: some-name"),
        ({"value": "x"}, "not a number: x"),
        ({"value": []}, "not a number: []"),
    ],
)
def test_what_is_wrong_with_a_test_is_said(
    tmp_path: Path, test: dict[str, Any], words: str
) -> None:
    known = proved()
    assert known[0].claim is not None
    known[0].claim.value["word"] = "some-name"
    path = tmp_path / "c.toml"
    path.write_text(f"row = [{toml(DECIDED | {'test': TESTED | test})}]")
    (only,) = judge(path, known)
    assert only == {"judgement": M, "id": "a", "text": f"row 1 of {path}: {words}"}


def test_long_words_of_a_broken_row_are_cut(tmp_path: Path) -> None:
    for spoiled in (
        ROWS["open"] | {"x" * 10_000: 1},
        DECIDED | {"test": TESTED | {"field": "x" * 10_000}},
    ):
        file, (found,) = judged(tmp_path, spoiled)
        assert found["judgement"] == M
        assert len(found["text"]) < len(file) + 280


def test_a_row_that_is_no_table_stops_no_other(tmp_path: Path) -> None:
    path = tmp_path / "claims.toml"
    held = """{ id = "b", source = "s", printed = "words", verdict = "open" }"""
    path.write_text(f"row = [3, [4], {held}]")
    assert [each["judgement"] for each in judge(path, [])] == [M, M, Judgement.LISTED]


def test_file_names_of_any_kind(tmp_path: Path) -> None:
    for path in (tmp_path / ("x" * 300), tmp_path / "absent", Path("\0"), tmp_path):
        (only,) = judge(path, proved())
        assert only["judgement"] == Judgement.MALFORMED
    (tmp_path / "a.toml").mkdir()
    (tmp_path / "b.toml").write_text(row(GOOD))
    assert [each["judgement"] for each in judge(tmp_path, proved())] == [M, H]


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
    long = [sys.executable, "-m", "proofs_checks", str(CERTIFICATE), "--claims", "x" * 300]
    assert subprocess.run(long, cwd=ROOT, capture_output=True, check=False).returncode == 3


def test_a_theorem_row_names_the_page_that_proves_it() -> None:
    folder = Path(__file__).parents[2]
    files = (folder / "certificates" / "claims").glob("*.toml")
    rows = [row for file in files for row in tomllib.loads(file.read_text())["row"]]
    pages = [row["page"] for row in rows if row["verdict"] == "theorem"]
    assert pages
    for page in pages:
        text = (folder / "proofs_checks" / "theorems" / page).read_text()
        assert "QED" in text
