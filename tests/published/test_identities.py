"""Every identity of the papers: proved by sympy and by the checker, and its near misses refuted."""

import json
import re
import time
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from certify import identities, shipped
from certify.kinds import make_file
from proofs_checks.checker.cli import Report, check_bytes
from proofs_checks.checker.pages import PAGES, identities_used, pages_that_use
from proofs_checks.checker.verdict import Outcome, brief
from proofs_checks.identities import __main__ as program
from proofs_checks.identities import catalogue, proof
from proofs_checks.identities.language import Calculus, Identity

EXPORTED = {identity.name: identity for identity in catalogue.EXPORTED}


def check(claim: dict[str, Any], name: str) -> Report:
    tree = {
        "format": "certify/1",
        "kind": "identity",
        "claim": {**claim, "name": name},
        "witness": {},
    }
    return check_bytes((json.dumps(tree, indent=2, sort_keys=True) + "\n").encode())


@pytest.mark.parametrize("name", EXPORTED)
def test_sympy_proves_it_and_its_reading_obeys_the_rules(name: str) -> None:
    identity = EXPORTED[name]
    assert proof.holds(identity.statement)
    assert proof.broken_rules(identity.statement, identity.setting.reading()) == []


@pytest.mark.parametrize("name", EXPORTED)
def test_both_refute_every_near_miss_at_a_point(name: str) -> None:
    identity = EXPORTED[name]
    misses = proof.misses(identity)
    assert len(misses) >= 3
    kinds = len(proof.MUTATIONS)
    assert len(misses) == len(identity.misses) + kinds, "a sign, a factor and an index"
    for words, statement in misses:
        point, left, right = proof.refute(statement)
        both = proof.sides(statement)
        assert left != right, words
        assert (proof.value_at(both.left, point), proof.value_at(both.right, point)) == (
            left,
            right,
        )

        refusal = check(statement.claim(), "unnamed").refusal
        assert refusal is not None, words
        assert (refusal.outcome, refusal.condition) == (Outcome.REJECTED, "identity"), words
        shown = re.findall(r"([a-z0-9_]+) = ([0-9]+)", refusal.where)
        found = {name.replace("_", "-"): Fraction(value) for name, value in shown}
        assert list(found) == list(statement.variables)
        assert refusal.found == brief(proof.value_at(both.left, found))
        assert refusal.expected == brief(proof.value_at(both.right, found))
        assert refusal.found != refusal.expected

        named = check(statement.claim(), name).refusal
        assert named is not None
        assert (named.outcome, named.condition) == (Outcome.REJECTED, "statement"), words


@pytest.mark.parametrize("fact", catalogue.SYMPY_ONLY, ids=lambda fact: fact.name)
def test_sympy_proves_what_cannot_be_exported(fact: Calculus) -> None:
    assert proof.calculus_proved(fact)
    refuted = proof.calculus_refuted(fact)
    assert len(refuted) >= 3
    assert all(left != right for _, left, right in refuted)


def test_a_wrong_reading_is_noticed() -> None:
    identity = EXPORTED["softmax-potential.gradient"]
    other = EXPORTED["softmax-potential.descent"].setting.reading()
    good = identity.setting.reading()
    wrong = type(good)({**good.values, "rest": good.values["w-i"]}, good.derivations)
    broken = proof.broken_rules(identity.statement, wrong)
    assert broken == ["d-i(log-total)"]
    assert other.values.keys() > good.values.keys()


def test_all_of_them_check_within_ten_seconds() -> None:
    files = [path for path in shipped.problems() if path.stem.startswith("identity-")]
    data = [make_file(path).to_bytes() for path in files]
    assert len(data) == len(EXPORTED)
    start = time.process_time()
    outcomes = [check_bytes(each).outcome for each in data]
    assert time.process_time() - start < 10
    assert set(outcomes) == {Outcome.VERIFIED}


@pytest.mark.parametrize("name", EXPORTED)
def test_the_shipped_problem_states_the_same_as_the_checker(name: str) -> None:
    path = shipped.find(f"identity-{name.replace('.', '-')}")
    claim = make_file(path).claim
    assert claim == {**EXPORTED[name].statement.claim(), "name": name}


def test_the_statements_of_the_checker_are_those_that_sympy_proved() -> None:
    assert catalogue.STATEMENTS.read_text(encoding="ascii") == catalogue.statements()
    assert set(json.loads(catalogue.statements())) == set(EXPORTED)
    assert len(catalogue.names()) == len(set(catalogue.names()))


def test_both_sides_list_the_same_facts_as_unexported() -> None:
    listed = [name for name, *_ in identities.SYMPY_ONLY]
    assert listed == [fact.name for fact in catalogue.SYMPY_ONLY]


@pytest.mark.parametrize("page", sorted(path.stem for path in PAGES.glob("*.md")))
def test_a_page_cites_only_what_is_proved(page: str) -> None:
    used = identities_used(page)
    assert set(used) <= set(catalogue.names())
    assert len(used) == len(set(used))
    text = (PAGES / f"{page}.md").read_text(encoding="utf-8")
    prefixes = {name.split(".")[0] for name in catalogue.names()}
    mentioned = set(re.findall(rf"`((?:{'|'.join(sorted(prefixes))})\.[a-z-]+)`", text))
    mentioned = {name for name in mentioned if not name.endswith((".md", ".*"))}
    files = {f"{path.stem}.md" for path in PAGES.glob("*.md")}
    assert mentioned - files <= set(catalogue.names()), "named in the text, proved nowhere"


def test_every_identity_is_used_by_a_page() -> None:
    assert [name for name in catalogue.names() if not pages_that_use(name)] == []


@pytest.mark.parametrize(
    ("name", "slip"),
    [
        ("fluid-value.exit", "the extra factor 2 rho of Proposition 3"),
        ("fluid-comparison.most-work-left-tie", "the extra factor 2 rho on the axis"),
        ("fluid-heavy-traffic.lower-end", "the factor two of the printed Proposition 3"),
        ("rank-gaps.cut", "the product from j = k instead of k + 1"),
        ("rank-gaps.reversible", "the product from j = k instead of k + 1"),
        ("rank-gaps.traffic", "the product from j = k instead of k + 1"),
        ("softmax-drift.generator-idle", "the boundary indicator dropped"),
        ("softmax-potential.generator-idle", "the boundary indicator dropped"),
        ("softmax-potential.generator-idle", "the boundary term dropped"),
        ("wsq-drift.generator-busy", "the boundary indicator dropped"),
        ("reflected-atlas.wall", "the wall's rate a instead of a - b"),
        ("rank-original.mean-queue", "b/(a - b) for b/a"),
    ],
)
def test_the_slips_of_the_papers_are_among_the_near_misses(name: str, slip: str) -> None:
    assert any(miss.words.startswith(slip) for miss in EXPORTED[name].misses)


def test_the_printed_axis_term_is_right_only_at_load_one_half() -> None:
    identity: Identity = EXPORTED["fluid-value.exit"]
    both = proof.sides(identity.missed(identity.misses[0]))
    at = {"h": Fraction(3, 2), "jobs": Fraction(1, 3), "total": Fraction(1)}
    ratio = {
        rho: proof.value_at(both.right, {"rho": rho, **at})
        / proof.value_at(both.left, {"rho": rho, **at})
        for rho in (Fraction(1, 2), Fraction(3, 4), Fraction(99, 100))
    }
    assert ratio == {rho: 2 * rho for rho in ratio}


def test_the_program_prints_a_table_and_fails_on_a_false_identity(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cut = EXPORTED["rank-gaps.cut"]
    fact = next(each for each in catalogue.SYMPY_ONLY if each.name == "rank-gaps.mean")
    monkeypatch.setattr(catalogue, "SYMPY_ONLY", (fact,))
    monkeypatch.setattr(catalogue, "EXPORTED", (cut,))
    assert program.main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["verdict", "proved", "proved"]
    assert "rank-gaps.cut: arXiv 2605.17677" in lines[1]

    monkeypatch.setattr(catalogue, "EXPORTED", (replace(cut, right=2 * cut.right),))
    assert program.main([]) == 1
    assert capsys.readouterr().out.splitlines()[1].startswith("FAILED")
