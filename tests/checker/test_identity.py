"""Kind `identity`: each condition, the limits, the printing, and the polynomial kernel."""

import json
import time
from fractions import Fraction
from typing import Any

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_checks.checker.cli import Report, check_bytes, escape
from proofs_checks.checker.kernel.polynomial import Field, Quotient, TooLarge
from proofs_checks.checker.kinds import identity
from proofs_checks.checker.kinds.expression import words
from proofs_checks.checker.kinds.identity import statements
from proofs_checks.checker.verdict import Outcome

NAMES = ["x", "y", "z"]


def check(**fields: Any) -> Report:
    claim = {
        "name": "unnamed",
        "variables": NAMES,
        "definitions": [],
        "derivations": [],
        "left": "x",
        "right": "x",
        **fields,
    }
    tree = {"format": "certify/1", "kind": "identity", "claim": claim, "witness": {}}
    return check_bytes((json.dumps(tree, indent=2, sort_keys=True) + "\n").encode())


def rule(derivation: str, variable: str, image: Any) -> dict[str, Any]:
    return {"derivation": derivation, "variable": variable, "image": image}


def verdict(report: Report) -> tuple[Outcome, str]:
    return report.outcome, report.refusal.condition if report.refusal else ""


def test_statements_have_a_longest_length(monkeypatch: pytest.MonkeyPatch) -> None:
    """x = x, and for which values: the parts together have so many characters, no more."""
    length = len("x = x") + len(f"for all values of {', '.join(NAMES)}")
    monkeypatch.setattr(identity, "CHARACTERS", length)
    assert check().outcome is Outcome.VERIFIED
    monkeypatch.setattr(identity, "CHARACTERS", length - 1)
    report = check()
    assert report.outcome is Outcome.DECLINED
    assert f"at most {length - 1} characters, found {length}" in report.text


def test_a_binomial_is_expanded() -> None:
    square = ["power", ["sum", "x", "y"], 2]
    terms = ["sum", ["power", "x", 2], ["product", "2", "x", "y"], ["power", "y", 2]]
    assert check(left=square, right=terms).outcome is Outcome.VERIFIED
    assert verdict(check(left=square, right=[*terms, "y"])) == (Outcome.REJECTED, "identity")


def test_quotients_are_compared_by_cross_multiplication() -> None:
    left = ["sum", ["quotient", "1", "x"], ["quotient", "1", "y"]]
    right = ["quotient", ["sum", "x", "y"], ["product", "x", "y"]]
    report = check(left=left, right=right)
    assert report.outcome is Outcome.VERIFIED
    assert report.text.endswith("wherever these are not 0: x, y, x*y")


def test_a_cancelled_factor_is_still_listed() -> None:
    report = check(left=["quotient", ["product", "x", "y"], "y"], right="x")
    assert report.outcome is Outcome.VERIFIED
    assert "wherever these are not 0: y" in report.text


@pytest.mark.parametrize(
    ("image", "expression", "derivative"),
    [
        ("1", ["power", "x", 3], ["product", "3", ["power", "x", 2]]),
        ("x", ["quotient", "1", "x"], ["minus", ["quotient", "1", "x"]]),
        (["quotient", "1", "x"], ["product", "x", "y"], ["quotient", "y", "x"]),
        (
            ["sum", "x", "y"],
            ["quotient", "x", ["sum", "x", "y"]],
            ["quotient", "y", ["sum", "x", "y"]],
        ),
    ],
)
def test_derivations_follow_their_rules(image: Any, expression: Any, derivative: Any) -> None:
    fields = {"derivations": [rule("d", "x", image)], "right": derivative}
    assert check(left=["derive", "d", expression], **fields).outcome is Outcome.VERIFIED
    wrong = ["derive", "d", ["sum", expression, "x"]]
    assert verdict(check(left=wrong, **fields)) == (Outcome.REJECTED, "identity")


def test_a_variable_without_a_rule_is_constant() -> None:
    rules = [rule("d", "x", "1")]
    assert (
        check(left=["derive", "d", "y"], right="0", derivations=rules).outcome is Outcome.VERIFIED
    )


def test_derivations_with_common_coordinates_need_not_commute() -> None:
    rules = [rule("d", "x", "1"), rule("e", "x", "x")]
    twice = {"left": ["derive", "d", ["derive", "e", "x"]], "derivations": rules}
    assert check(**twice, right="1").outcome is Outcome.VERIFIED
    other = ["derive", "e", ["derive", "d", "x"]]
    assert check(**twice, right=["sum", other, "1"]).outcome is Outcome.VERIFIED


# each condition has a forgery that only it catches


def test_condition_name() -> None:
    assert verdict(check(name="my-identity")) == (Outcome.REJECTED, "name")


def test_condition_statement() -> None:
    name = "rank-gaps.cut"
    good = statements()[name]
    assert check(name=name, **good).outcome is Outcome.VERIFIED
    # another true statement under the known name, and the same one in other words
    assert verdict(check(name=name)) == (Outcome.REJECTED, "statement")
    swapped = {**good, "left": good["right"], "right": good["left"]}
    assert check(**swapped).outcome is Outcome.VERIFIED
    assert verdict(check(name=name, **swapped)) == (Outcome.REJECTED, "statement")


@pytest.mark.parametrize("field", ["variables", "definitions", "derivations", "left", "right"])
def test_condition_statement_compares_every_field(field: str) -> None:
    name = "softmax-potential.gradient"
    good = statements()[name]
    bent = {**good, field: [*good[field][:-1], good[field][0]] if field == "variables" else []}
    if field in ("left", "right"):
        bent[field] = ["sum", good[field], "0"]
    refusal = check(name=name, **bent).refusal
    assert refusal is not None
    assert (refusal.condition, refusal.where) == ("statement", f"claim.{field}")


def test_a_known_name_cannot_bring_its_own_rules() -> None:
    name = "softmax-potential.gradient"
    good = statements()[name]
    rules = [{**good["derivations"][0], "image": "0"}, *good["derivations"][1:]]
    assert verdict(check(name=name, **{**good, "derivations": rules})) == (
        Outcome.REJECTED,
        "statement",
    )


def test_condition_denominator() -> None:
    zero = ["sum", ["product", "x", "y"], ["minus", ["product", "y", "x"]]]
    left = ["product", "0", ["quotient", "1", zero]]
    assert verdict(check(left=left, right="0")) == (Outcome.REJECTED, "denominator")
    assert verdict(check(left=["quotient", "0", "0"], right="0")) == (
        Outcome.REJECTED,
        "denominator",
    )


def test_condition_identity_shows_where_the_sides_differ() -> None:
    # they agree where x = y, so the point has to leave the diagonal
    refusal = check(left=["product", "x", "y"], right=["power", "x", 2]).refusal
    assert refusal is not None
    assert refusal.where == "claim.left at x = 1, y = 2, z = 1"
    assert (refusal.found, refusal.expected) == ("2", "1")


def test_the_point_avoids_zeros_of_divisors() -> None:
    left = ["quotient", "1", ["sum", "x", "-1"]]
    refusal = check(left=left, right=["quotient", "1", ["sum", "x", "-2"]]).refusal
    assert refusal is not None
    assert refusal.where == "claim.left at x = 3, y = 1, z = 1"
    assert (refusal.found, refusal.expected) == ("1/2", "1")


@pytest.mark.parametrize(
    "fields",
    [
        {"left": "w"},
        {"left": "X"},
        {"left": []},
        {"left": ["sum", "x"]},
        {"left": ["minus", "x", "y"]},
        {"left": ["quotient", "x"]},
        {"left": ["power", "x", "2"]},
        {"left": ["power", "x", "y"]},
        {"left": ["shift", "x", "y"]},
        {"left": ["derive", "d", "x"]},
        {"left": ["derive", "x", "y"]},
        {"left": {"sum": ["x", "y"]}},
        {"left": 2},
        {"variables": []},
        {"variables": ["x", "x"]},
        {"variables": ["x", "2"]},
        {"variables": ["x", "a--b"]},
        {"variables": ["x", "a-"]},
        {"variables": ["x", "a.b"]},
        {"variables": ["x", "a" * 41]},
        {"definitions": [{"name": "x", "value": "y"}]},
        {"definitions": [{"name": "w", "value": "w"}]},
        {"definitions": [{"name": "v", "value": "w"}, {"name": "w", "value": "x"}]},
        {"definitions": [{"name": "w", "value": "x"}] * 2},
        {"derivations": [rule("d", "x", "1")] * 2},
        {"derivations": [rule("x", "x", "1")]},
        {"derivations": [rule("d", "w", "1")]},
        {"derivations": [rule("d", "x", "1"), rule("e", "x", ["derive", "d", "x"])]},
        {"definitions": [{"name": "w", "value": "x"}], "derivations": [rule("d", "w", "1")]},
        {"name": 1},
        {"name": ["unnamed"]},
    ],
    ids=str,
)
def test_what_has_no_form_is_malformed(fields: dict[str, Any]) -> None:
    assert check(**fields).outcome is Outcome.MALFORMED


MANY = [f"v{index}" for index in range(40)]
TOWER = ["power", ["power", ["power", ["sum", "x", "1"], 499], 499], 499]
DIVISORS = [["quotient", "1", ["sum", "x", str(k)]] for k in range(1, 300)]


@pytest.mark.parametrize(
    "fields",
    [
        {"left": ["power", "x", 501]},
        {"left": TOWER},
        {"left": ["power", ["power", ["power", "3", 499], 499], 499]},
        {"left": ["sum", "x", ["power", ["power", ["quotient", "1", "y"], 499], 499]]},
        {"left": ["sum", *DIVISORS]},
        {"left": ["product", *["9" * 1000] * 5]},
        {"left": "9" * 2000},
        {"variables": MANY, "left": ["power", ["sum", *MANY], 9], "right": "v0"},
        {"variables": [*MANY, "w"], "left": "w", "right": "w"},
        {"left": ["sum", *["x"] * 5001]},
        {"definitions": [{"name": f"w{k}", "value": "x"} for k in range(41)]},
        {"derivations": [rule(f"d{k}", "x", "1") for k in range(201)]},
        {
            "left": [
                "minus",
                [
                    "minus",
                    [
                        "minus",
                        [
                            "minus",
                            ["minus", ["minus", ["minus", ["minus", ["minus", ["minus", "x"]]]]]],
                        ],
                    ],
                ],
            ]
        },
    ],
    ids=lambda fields: str(fields)[:60],
)
def test_limits_decline_quickly(fields: dict[str, Any]) -> None:
    start = time.process_time()
    report = check(**fields)
    assert report.outcome is Outcome.DECLINED, report.line()
    assert time.process_time() - start < 20


def test_one_to_a_huge_power_is_no_hang() -> None:
    one = ["power", ["power", ["power", "1", 499], 499], 499]
    assert check(left=["product", "x", one], right="x").outcome is Outcome.VERIFIED


def test_an_unnamed_statement_is_printed_in_full() -> None:
    report = check(
        left=["derive", "d", "half-x"],
        right="1/2",
        definitions=[{"name": "half-x", "value": ["quotient", "x", "2"]}],
        derivations=[rule("d", "x", "1")],
    )
    assert report.line() == (
        "VERIFIED  -  identity  unnamed: d(half_x) = 1/2; where half_x = x/2; with d(x) = 1, "
        "d of y, z = 0; for all values of x, y, z"
    )


def test_printed_symbols_cannot_be_taken_for_expressions() -> None:
    report = check(variables=["x-y", "x", "y"], left=["sum", "x-y", "0"], right="x-y")
    assert report.outcome is Outcome.VERIFIED
    assert "x_y + 0 = x_y" in report.text
    assert escape(report.text) == report.text


@pytest.mark.parametrize(
    ("tree", "text"),
    [
        (["sum", "a", ["minus", "b"], "c"], "a - b + c"),
        (["sum", "a", ["minus", ["sum", "b", "c"]]], "a - (b + c)"),
        (["minus", ["product", "a", "b"]], "-(a*b)"),
        (["product", ["minus", "a"], "b"], "(-a)*b"),
        (["quotient", "a", ["product", "b", "c"]], "a/(b*c)"),
        (["quotient", ["quotient", "a", "b"], "c"], "a/b/c"),
        (["quotient", "a", ["quotient", "b", "c"]], "a/(b/c)"),
        (["power", ["minus", "a"], 2], "(-a)^2"),
        (["power", "-1/2", 2], "(-1/2)^2"),
        (["power", ["power", "a", 2], 3], "(a^2)^3"),
        (["derive", "d-i", ["sum", "a", "1/2"]], "d_i(a + 1/2)"),
        (["product", "1/2", "a"], "(1/2)*a"),
    ],
)
def test_words(tree: Any, text: str) -> None:
    assert words(tree) == text


def test_explain_leads_to_the_pages() -> None:
    report = check(name="rank-gaps.cut", **statements()["rank-gaps.cut"])
    lines = report.explanation()
    assert "theorems/identity.md" in lines
    assert "used by  proofs_checks/theorems/rank-gaps.md" in lines


# the kernel against sympy


def expressions() -> st.SearchStrategy[Any]:
    leaves = st.sampled_from([*NAMES, "0", "1", "-2", "3/5"])
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.tuples(st.just("sum"), inner, inner).map(list),
            st.tuples(st.just("product"), inner, inner).map(list),
            st.tuples(st.just("quotient"), inner, inner).map(list),
            st.tuples(st.just("minus"), inner).map(list),
            st.tuples(st.just("power"), inner, st.integers(0, 3)).map(list),
            st.tuples(st.just("derive"), st.just("d"), inner).map(list),
        ),
        max_leaves=6,
    )


X, Y, Z = sympy.symbols("x y z")


def by_sympy(tree: Any) -> sympy.Expr:
    """The same expression with d = y d/dx + (1/x) d/dy; ZeroDivisionError if it divides by 0."""
    if isinstance(tree, str):
        return {"x": X, "y": Y, "z": Z}.get(tree) or sympy.Rational(tree)
    operation, *parts = tree
    if operation == "derive":
        inner = by_sympy(parts[1])
        return sympy.cancel(sympy.diff(inner, X) * Y + sympy.diff(inner, Y) / X)
    if operation == "power":
        return by_sympy(parts[0]) ** parts[1]
    values = [by_sympy(part) for part in parts]
    if operation == "quotient":
        if sympy.cancel(values[1]) == 0:
            raise ZeroDivisionError
        return values[0] / values[1]
    if operation == "minus":
        return -values[0]
    return values[0] + values[1] if operation == "sum" else values[0] * values[1]


@settings(max_examples=60, deadline=None)
@given(expressions(), expressions())
def test_kernel_agrees_with_sympy(left: Any, right: Any) -> None:
    rules = [rule("d", "x", "y"), rule("d", "y", ["quotient", "1", "x"])]
    report = check(left=left, right=right, derivations=rules)
    if report.outcome is Outcome.DECLINED:
        return
    try:
        same = sympy.cancel(by_sympy(left) - by_sympy(right)) == 0
    except ZeroDivisionError:
        assert verdict(report) == (Outcome.REJECTED, "denominator")
        return
    assert verdict(report) == ((Outcome.VERIFIED, "") if same else (Outcome.REJECTED, "identity"))


@settings(max_examples=30, deadline=None)
@given(expressions())
def test_every_expression_equals_its_double_halved(tree: Any) -> None:
    rules = [rule("d", "x", "y"), rule("d", "y", ["quotient", "1", "x"])]
    report = check(left=tree, right=["quotient", ["sum", tree, tree], "2"], derivations=rules)
    assert report.outcome in (Outcome.VERIFIED, Outcome.DECLINED) or verdict(report) == (
        Outcome.REJECTED,
        "denominator",
    )


def test_kernel_arithmetic() -> None:
    spent: list[int] = []
    field = Field(2, spent.append)
    x, y = field.variable(0), field.variable(1)
    half = field.number(Fraction(1, 2))
    total = field.add(field.divide(x, y), half)
    assert field.value(total, [3, 4]) == Fraction(5, 4)
    square = field.power(total, 2)
    assert field.value(square, [3, 4]) == Fraction(25, 16)
    slope = field.derive(square, {0: field.number(Fraction(1))})
    assert field.value(slope, [3, 4]) == 2 * Fraction(5, 4) / 4
    assert field.subtract(total, total).top == {}
    assert field.point(field.subtract(x, y)) == [1, 2]
    with pytest.raises(ZeroDivisionError):
        field.divide(x, field.subtract(y, y))
    with pytest.raises(TooLarge):
        field.power(x, 501)
    assert spent
    assert Quotient({}) == field.number(Fraction(0))
