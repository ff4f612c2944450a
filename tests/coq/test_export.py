"""The exporter: golden files, statements that depend on the claim alone, nothing injected."""

import copy
import json
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome, Refusal
from proofs_checks.coq import text
from proofs_checks.coq.export import Export, export
from proofs_checks.coq.kinds import KINDS
from proofs_checks.coq.run import Result, Verdict, prepare
from proofs_checks.coq.text import Skipped, decimal, identifier, rational, real
from tests.coq.compare import SHIPPED, SINGLE, bent
from tests.coq.forgeries import CHANGES, DATA, PARTIAL, SOURCES, canonical, forgeries


def sample(kind: str) -> Any:
    return json.loads((DATA / f"{SOURCES[kind]}.json").read_text(encoding="ascii"))


@pytest.mark.parametrize("kind", KINDS)
def test_golden_file_byte_for_byte(kind: str) -> None:
    stem = SOURCES[kind]
    source = export((DATA / f"{stem}.json").read_bytes(), stem).source
    assert source.encode() == (DATA / f"{stem}.v").read_bytes()


@pytest.mark.parametrize("kind", KINDS)
def test_statement_comes_from_the_claim_alone(kind: str) -> None:
    tree = sample(kind)
    before = export(canonical(tree), "x")
    changed = json.loads(re.sub(r'"[1-9][0-9]*(/[0-9]+)?"', '"7"', json.dumps(tree["witness"])))
    if "precision" in changed:
        changed["precision"] = 99
    after = export(canonical({**tree, "witness": changed}), "x")
    assert after.statement == before.statement
    assert (after.source != before.source) == ("positive" in before.source)
    assert before.statement in before.source.replace("\n\n(** * Proof", "\n(** * Proof") or all(
        line in before.source for line in before.statement.splitlines()
    )


@pytest.mark.parametrize("kind", KINDS)
def test_every_number_of_the_claim_is_in_the_statement(kind: str) -> None:
    tree = sample(kind)
    claim = {name: tree["claim"][name] for name in PARTIAL.get(kind, ("", tree["claim"]))[1]}
    numerals = set(re.findall(r"[0-9]+", export(canonical(tree), "x").statement))
    for token in re.findall(r'"(-?[0-9][^"]*)"', json.dumps(claim)):
        mantissa = token.lstrip("-").split("e")[0]
        assert set(mantissa.split("/")) <= numerals, token


@pytest.mark.parametrize("kind", KINDS)
def test_only_letters_of_the_exporter_reach_the_file(kind: str) -> None:
    tree = sample(kind)
    hostile = "1 # 2). Axiom cheat : False. (*"
    text_of = json.dumps(tree["claim"])
    read = json.dumps([tree["claim"][name] for name in PARTIAL.get(kind, ("", tree["claim"]))[1]])
    for token in set(re.findall(r'"-?[0-9][^"]*"', read)):
        forged = json.loads(text_of.replace(token, json.dumps(hostile)))
        with pytest.raises(Refusal) as refusal:
            export(canonical({**tree, "claim": forged}), "x")
        assert refusal.value.outcome is Outcome.MALFORMED
    for stem in ("a. Axiom cheat : False. (*", 'x" *) Admitted', "é\n", "", "fun", "1"):
        theorem = export(canonical(tree), stem).theorem
        assert re.fullmatch(r"[a-z][a-z0-9_]*", theorem)
        assert theorem.startswith(kind.replace("-", "_"))


@pytest.mark.parametrize("kind", KINDS)
def test_no_file_admits_or_assumes(kind: str) -> None:
    source = export(canonical(sample(kind)), "x").source
    assert not re.search(r"\b(Admitted|admit|Axiom|Parameter|Conjecture|Hypothesis)\b", source)
    assert not re.search(r"\binterval\b(?! with \(i_prec)", source)


@pytest.mark.parametrize("kind", KINDS)
def test_printed_statement_is_the_first_part_of_the_golden_file(kind: str) -> None:
    stem = SOURCES[kind]
    shown = export((DATA / f"{stem}.json").read_bytes(), stem).statement.splitlines()
    golden = (DATA / f"{stem}.v").read_text(encoding="ascii").splitlines()
    assert re.fullmatch(r"From Queues Require Import [\w ]+\.", shown[0])  # where the names are
    assert shown.pop(0) in golden
    start = golden.index("(** * Statement: from the claim alone *)") + 1
    assert golden[start : start + len(shown) - 1] == shown[:-1]
    assert shown[-1] == f"Theorem {stem.replace('-', '_')} : claim."
    assert shown[-1] in golden
    assert max(len(line) for line in shown) < 1000


def test_identifier_begins_with_the_kind() -> None:
    assert identifier("fluid-value", "fluid-value-running") == "fluid_value_running"
    assert identifier("fluid-value", "running") == "fluid_value_running"
    assert identifier("fluid-value", "") == "fluid_value"


def test_numerals() -> None:
    assert rational(Fraction(-3, 14)) == "(-3 # 14)"
    assert real(Fraction(-3)) == "(-3)"
    assert real(Fraction(1, 2)) == "(1 / 2)"
    assert decimal(Fraction(12345, 10**7)) == "(12345 # 10000000)"
    assert decimal(Fraction(1, 4)) == "(25 # 100)"
    with pytest.raises(Skipped):
        real(Fraction(2**text.MAX_NUMERAL_BITS))


def test_what_is_skipped_and_why() -> None:
    point = sample("fluid-value")
    point["claim"]["law"]["atoms"] = [["1", "1"]]
    many = sample("fluid-value")
    many["claim"]["law"]["atoms"] *= 51
    long = sample("softmax-equilibrium")
    long["witness"]["precision"] = 5_000
    crowd = sample("softmax-drift")
    crowd["claim"]["system"]["service_rates"] *= 30
    summary = copy.deepcopy(long)
    summary["claim"]["servers"] = "summary"
    other = {**point, "kind": "rank-limits"}
    irrational = sample("rank-gaps")
    irrational["claim"]["rho"][0] = {"coefficient": "1", "rational": "0", "root": 5}
    rounded = sample("rank-gaps")
    rounded["claim"]["no_tie"] = {"hi": "1e-1", "lo": "1e-2"}
    original = sample("rank-gaps")
    original["claim"]["dynamics"] = "original"
    long_line = sample("rank-gaps")
    long_line["claim"]["servers"] = 1_000_000
    continuous = sample("fluid-enclosure")
    continuous["claim"]["law"] = {"family": "exponential"}
    light = sample("fluid-enclosure")
    light["claim"]["exit_cutoff"] = "infinity"
    large = sample("softmax-obstruction")
    large["claim"]["radius"] = 300
    for tree, word in (
        (point, "point mass"),
        (many, "102 atoms"),
        (long, "5000 bits"),
        (crowd, "60 servers"),
        (summary, "summary"),
        (other, "no Coq theorem"),
        (irrational, "p + q sqrt(n)"),
        (rounded, "claim.no_tie is an interval"),
        (original, "original dynamics"),
        (long_line, "1000000 servers"),
        (large, "grid of radius 300"),
        (continuous, "uniform"),
        (light, "infinite"),
    ):
        result = prepare(canonical(tree), "x.json")
        assert isinstance(result, Result)
        assert result.verdict is Verdict.SKIPPED
        assert word in result.text
        assert result.kind == tree["kind"]


@pytest.mark.parametrize(
    "data", [b"", b"{}", b"\xff", b"[]\n", b'{"format": "certify/1"}\n'], ids=repr
)
def test_what_is_no_certificate_fails(data: bytes) -> None:
    result = prepare(data, "x.json")
    assert isinstance(result, Result)
    assert result.verdict is Verdict.FAILED


PAIRED: dict[str, Callable[[Any], Any]] = {
    "fluid-value": lambda tree: tree["claim"]["sectors"][0]["value"],
    "identity": lambda tree: tree["claim"]["variables"],
    "softmax-drift": lambda tree: tree["witness"]["shares"],
    "softmax-equilibrium": lambda tree: tree["claim"]["theta"],
}


@pytest.mark.parametrize("kind", PAIRED)
def test_lists_of_the_wrong_length_fail(kind: str) -> None:
    tree = sample(kind)
    PAIRED[kind](tree).pop()
    result = prepare(canonical(tree), "x.json")
    assert isinstance(result, Result)
    assert result.verdict is Verdict.FAILED


def test_rates_of_the_wrong_length_fail() -> None:
    tree = sample("rank-gaps")
    for name in ("a", "b", "stability_threshold"):
        del tree["claim"][name]
    tree["claim"] |= {"arrival_rates": ["1", "2"], "service_rates": ["1"]}
    result = prepare(canonical(tree), "x.json")
    assert isinstance(result, Result)
    assert result.verdict is Verdict.FAILED


def test_a_name_belongs_to_its_statement() -> None:
    tree = sample("identity")
    other = json.loads(json.dumps(tree))
    other["claim"]["name"] = "fluid-value.exit"
    changed = json.loads(json.dumps(tree))
    changed["claim"]["left"] = "value"
    for forged in (other, changed):
        result = prepare(canonical(forged), "x.json")
        assert isinstance(result, Result)
        assert result.verdict is Verdict.FAILED


def test_what_is_proved_in_part_says_which_part() -> None:
    for kind in KINDS:
        prepared = prepare(canonical(sample(kind)), "x.json")
        assert isinstance(prepared, Export)
        assert prepared.part == PARTIAL.get(kind, ("", ""))[0]


@pytest.mark.parametrize("kind", KINDS)
def test_fields_that_the_checker_does_not_know_are_refused(kind: str) -> None:
    for part in ("claim", "witness"):
        tree = sample(kind)
        tree[part]["added"] = "1"
        result = prepare(canonical(tree), "x.json")
        assert isinstance(result, Result)
        assert result.verdict is Verdict.FAILED
        assert check_bytes(canonical(tree)).outcome is Outcome.MALFORMED


def test_a_path_is_named_as_not_proved() -> None:
    tree = sample("fluid-enclosure")
    tree["claim"]["path"] = [{"imbalance": "0", "total": "1", "time": "0"}]
    prepared = prepare(canonical(tree), "x.json")
    assert isinstance(prepared, Export)
    assert prepared.part.endswith(", and nothing of the path")
    assert prepared.statement == export(canonical(sample("fluid-enclosure")), "x").statement


def test_the_scale_of_a_law_is_stated() -> None:
    """A law of mean one may come from sizes in another unit, which is positive."""
    tree = sample("fluid-value")
    for scale in ("7/2", "-5", "0"):
        tree["claim"]["law"]["scale"] = scale
        shown = export(canonical(tree), "x").statement
        assert "Definition claim : Prop := (0 < scale)%Q /\\ value_claim law load" in shown
        assert f"Definition scale : Q := ({scale.replace('/', ' # ')}" in shown
    tree["claim"]["law"]["scale"] = ["nonsense"]
    result = prepare(canonical(tree), "x.json")
    assert isinstance(result, Result)
    assert result.verdict is Verdict.FAILED


def test_every_expression_that_is_written_is_in_the_statement() -> None:
    """Definitions, images and what is derived, whether or not a side is made of them."""
    tree = sample("identity")
    tree["claim"] |= {
        "name": "unnamed",
        "variables": ["x"],
        "definitions": [{"name": "unused", "value": ["quotient", "1", "x"]}],
        "derivations": [{"derivation": "dot", "variable": "x", "image": ["power", "x", 2]}],
        "left": ["derive", "dot", ["power", ["quotient", "2", "x"], 0]],
        "right": "0",
    }
    shown = export(canonical(tree), "x").statement
    for line in (
        "Definition d_unused := (Quotient (Num (1 # 1)) v_x).",
        "Definition i_dot_0 := (Power v_x 2).",
        "Definition e_2 := (Power (Quotient (Num (2 # 1)) v_x) 0).",
        "Definition left := (derive r_dot e_2).",
        "Definition written : list expression := [d_unused; i_dot_0; e_2].",
        "Definition claim : Prop := identity_claim written left right.",
    ):
        assert line in shown.splitlines(), shown


def test_a_verdict_says_what_is_left_to_the_page() -> None:
    left = {kind: export(canonical(sample(kind)), "x").beyond for kind in KINDS}
    assert {kind for kind, words in left.items() if words} == {
        "fluid-value",
        "rank-gaps",
        "softmax-obstruction",
    }
    tree = sample("softmax-obstruction")
    del tree["claim"]["interior_drift"]
    assert export(canonical(tree), "x").beyond == ""


@pytest.mark.parametrize("path", ["states", "interior_drift", "max_gap_state"])
def test_natural_numbers_too_large_for_coq_are_skipped(path: str) -> None:
    tree = sample("softmax-obstruction")
    if path == "interior_drift":
        tree["claim"][path]["state"] = [30_000, 30_000]
    else:
        tree["claim"][path] = 30_000 if path == "states" else [30_000, 0]
    result = prepare(canonical(tree), "x.json")
    assert isinstance(result, Result)
    assert result.verdict is Verdict.SKIPPED
    assert "30000, more than 10000" in result.text


def test_at_least_ten_forgeries_of_every_kind_and_all_of_them_reach_coq() -> None:
    for kind in KINDS:
        assert len(CHANGES[kind]) >= 10
        for forgery in forgeries(kind):
            assert not isinstance(prepare(forgery.data, "x.json"), Result), forgery.name


def test_two_certificates_of_every_kind_can_be_bent() -> None:
    assert sorted(SINGLE) == sorted(KINDS)
    for stem in [stem for stems in SINGLE.values() for stem in stems]:
        tree = json.loads((SHIPPED / f"{stem}.json").read_text(encoding="ascii"))
        cases = list(bent(SHIPPED / f"{stem}.json"))
        assert len(cases) >= 10
        for case in cases:
            forged = json.loads(case.data)
            assert forged["claim"] != tree["claim"], case.name
            assert forged["witness"] == tree["witness"]
