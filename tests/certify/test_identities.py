"""Reading, trying and printing identities: the text of expressions, bad input, the list."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify import identities, shipped
from certify.errors import InputError
from certify.expressions import latex, parse, plain
from certify.kinds import make_file
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a + b - c", ["sum", "a", "b", ["minus", "c"]]),
        ("a - (b - c)", ["sum", "a", ["minus", ["sum", "b", ["minus", "c"]]]]),
        ("a*b/c*d", ["product", ["quotient", ["product", "a", "b"], "c"], "d"]),
        ("-a^2", ["minus", ["power", "a", 2]]),
        ("-a*b", ["product", ["minus", "a"], "b"]),
        ("1/2*a", ["product", "1/2", "a"]),
        ("3/2^2", ["quotient", "3", ["power", "2", 2]]),
        ("6/4", "3/2"),
        ("mu_i/b_i", ["quotient", "mu-i", "b-i"]),
        ("d_i(a + b)", ["derive", "d-i", ["sum", "a", "b"]]),
        (" ( ( a ) ) ", "a"),
        ("2*lambda", ["product", "2", "lambda"]),
    ],
)
def test_parse(text: str, tree: Any) -> None:
    assert parse(text, "left") == tree


def trees() -> st.SearchStrategy[Any]:
    leaves = st.sampled_from(["a", "b-i", "lambda", "0", "17", "2/3"])

    def chain(operation: str, inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        # what the text cannot tell apart is never written: (a + b) + c is a + b + c
        parts = st.lists(inner, min_size=2, max_size=4)
        return parts.filter(lambda p: not (isinstance(p[0], list) and p[0][0] == operation)).map(
            lambda p: [operation, *p]
        )

    def quotient(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        pairs = st.tuples(inner, inner).filter(
            lambda p: not all(isinstance(part, str) and part.isdigit() for part in p)
        )
        return pairs.map(lambda p: ["quotient", *p])

    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            chain("sum", inner),
            chain("product", inner),
            quotient(inner),
            inner.map(lambda part: ["minus", part]),
            st.tuples(inner, st.integers(0, 9)).map(lambda p: ["power", *p]),
            inner.map(lambda part: ["derive", "d-t", part]),
        ),
        max_leaves=8,
    )


@settings(max_examples=200, deadline=None)
@given(trees())
def test_text_is_read_back(tree: Any) -> None:
    assert parse(plain(tree), "left") == tree


@settings(max_examples=100, deadline=None)
@given(trees())
def test_latex_is_balanced(tree: Any) -> None:
    text = latex(tree, {})
    assert text.count("{") == text.count("}")
    assert text.count(r"\left(") == text.count(r"\right)")
    depth = 0
    for letter in text:
        depth += (letter == "{") - (letter == "}")
        assert depth >= 0


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("(mu_i - lambda*p_i)/b_i", r"\frac{\mu_{i} - \lambda \, p_{i}}{b_{i}}"),
        ("-(alpha/b_j)*(1 - p)", r"\left(-\frac{\alpha}{b_{j}}\right) \, \left(1 - p\right)"),
        ("(a/b)^2", r"\left(\frac{a}{b}\right)^{2}"),
        ("1/2*x^2", r"\tfrac{1}{2} \, x^{2}"),
        ("rest", r"\mathrm{rest}"),
        ("m0", "m_{0}"),
        ("d_t(a/b)", r"d_{t} \left(\frac{a}{b}\right)"),
        ("d_t(a*b)", r"d_{t} \left(a \, b\right)"),
    ],
)
def test_latex(text: str, formula: str) -> None:
    assert latex(parse(text, "left"), {}) == formula


def test_latex_uses_the_notation() -> None:
    tree = parse("d_i(total)^2", "left")
    assert latex(tree, {"d-i": r"\partial_i", "total": "W"}) == r"\left(\partial_i W\right)^{2}"


GOOD = 'kind = "identity"\nvariables = "x y"\nleft = "x*(x + y)"\nright = "x^2 + x*y"\n'


def made(folder: Path, text: str) -> bytes:
    path = folder / "problem.toml"
    path.write_text(text)
    return make_file(path).to_bytes()


def test_an_identity_of_ones_own_is_unnamed(tmp_path: Path) -> None:
    report = check_bytes(made(tmp_path, GOOD))
    assert report.outcome is Outcome.VERIFIED
    assert report.text.startswith("unnamed: x*(x + y) = x^2 + x*y; for all values of x, y")


def test_definitions_and_derivations(tmp_path: Path) -> None:
    text = (
        'kind = "identity"\nvariables = "q w rest"\nleft = "d(w/total)"\n'
        'right = "-share*(1 - share)"\n'
        '[definitions]\ntotal = "w + rest"\nshare = "w/total"\n[derivations.d]\nw = "-w"\n'
    )
    assert check_bytes(made(tmp_path, text)).outcome is Outcome.VERIFIED


CASES = {
    "false": (
        GOOD.replace("x^2", "x^3"),
        "right must equal left, but was different: at x = 2, y = 2 they are 8 and 12.",
    ),
    "syntax": (
        GOOD.replace("x^2 +", "x^2 + +"),
        "right must be an expression; it should have a number, a symbol or a parenthesis before "
        "'+', but was x^2 + + x*y.",
    ),
    "parentheses": (
        GOOD.replace("y)", "y"),
        "left must be an expression; it should close its parentheses, but was x*(x + y.",
    ),
    "rest": (
        GOOD.replace("x*y", "x*y)"),
        "right must be an expression; it should end before ')', but was x^2 + x*y).",
    ),
    "letter": (
        GOOD.replace("x*y", "x*Y"),
        "right must be an expression without 'Y', but was x^2 + x*Y.",
    ),
    "empty": (
        GOOD.replace("x^2 + x*y", ""),
        "right must be an expression; it should have a number, a symbol or a parenthesis before "
        "'', but was ''.",
    ),
    "exponent": (
        GOOD.replace("x^2", "x^y"),
        "right must be an expression; it should have a count up to 500 after ^, but was x^y + x*y.",
    ),
    "large exponent": (
        GOOD.replace("x^2", "x^501"),
        "right must be an expression; it should have a count up to 500 after ^, but was "
        "x^501 + x*y.",
    ),
    "unknown symbol": (
        GOOD.replace("x*y", "x*z"),
        "right must use only symbols that have a meaning, but was z.",
    ),
    "unknown derivation": (
        GOOD.replace("x*y", "d(x)"),
        "right must use only symbols that have a meaning, but was d.",
    ),
    "variable as a derivation": (
        GOOD.replace("x*y", "y(x)"),
        "right must apply only derivations to expressions, but was y(x).",
    ),
    "derivation as a number": (
        GOOD.replace("x*y", "d") + '[derivations.d]\nx = "1"\n',
        "right must apply each derivation to an expression, but was d.",
    ),
    "division by zero": (
        GOOD.replace("x*y", "1/(x - x)"),
        "right must not divide by what is identically zero, but was x - x.",
    ),
    "no variables": (
        GOOD.replace("x y", ""),
        "variables must be 1 to 40 distinct symbols, but was ''.",
    ),
    "one variable twice": (
        GOOD.replace("x y", "x y x"),
        "variables must be 1 to 40 distinct symbols, but was x y x.",
    ),
    "a number for a variable": (
        GOOD.replace("x y", "x 2"),
        "variables must be a symbol: at most 40 small letters, digits and single underscores, "
        "but was '2'.",
    ),
    "defined twice": (
        GOOD + '[definitions]\nx = "y"\n',
        "definitions.x must be a symbol without a meaning yet, but was x.",
    ),
    "defined by what comes later": (
        GOOD + '[definitions]\na = "b"\nb = "x"\n',
        "definitions.a must use only symbols that have a meaning, but was b.",
    ),
    "definition without quotes": (
        GOOD + "[definitions]\na = 2\n",
        "definitions.a must be an expression in quotation marks, but was 2.",
    ),
    "rule for a definition": (
        GOOD + '[definitions]\na = "x"\n[derivations.d]\na = "1"\n',
        "derivations.d.a must be the image of one of the variables, but was a.",
    ),
    "derivation without rules": (
        GOOD + '[derivations]\nd = "1"\n',
        "derivations.d must be a new symbol with a table of images, but was '1'.",
    ),
    "unknown name": (
        GOOD + 'name = "euler"\n',
        "name must be left out, or be that of a shipped identity, but was euler.",
    ),
    "unknown key": (
        GOOD + "speed = 2\n",
        "speed must be a known key (here: definitions, derivations, kind, large, left, name, "
        "notation, right, source, variables), but was unknown.",
    ),
    "no left side": (
        GOOD.replace("left", "lefft"),
        "left must be given, but was missing (is lefft a misspelling of it?).",
    ),
    "too many terms": (
        'kind = "identity"\nvariables = "a b c e f g h k m n"\n'
        'left = "(a + b + c + e + f + g + h + k + m + n)^12"\nright = "a"\n',
        "the identity must stay below 1000000 terms when multiplied out, but was 1679601.",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_bad_input_is_told_in_one_sentence(name: str, tmp_path: Path) -> None:
    text, sentence = CASES[name]
    with pytest.raises(InputError) as caught:
        made(tmp_path, text)
    assert str(caught.value) == sentence


def test_a_named_problem_with_another_statement_is_made_but_refused(tmp_path: Path) -> None:
    text = shipped.find("identity-rank-gaps-cut").read_text()
    bent = text.replace('left = "lam*rho_k"', 'left = "rho_k*lam"')
    assert bent != text
    refusal = check_bytes(made(tmp_path, bent)).refusal
    assert refusal is not None
    assert refusal.condition == "statement"


def test_listing_has_status_and_source_for_each() -> None:
    rows = identities.listing()
    problems = [path for path in shipped.problems() if path.stem.startswith("identity-")]
    assert len(rows) == len(problems) + len(identities.SYMPY_ONLY)
    assert {row["status"] for row in rows} == {"holds", "sympy only"}
    assert all(len(row["source"]) > 5 for row in rows)
    assert len({row["name"] for row in rows}) == len(rows)


@pytest.mark.parametrize("option", [[], ["--latex"]])
def test_the_command_prints_one_line_each(option: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "certify.cli", "identities", *option],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert len(lines) == len(identities.listing())
    gradient = next(line for line in lines if "softmax-potential.gradient" in line)
    assert "arXiv 2607.28688v1, Proposition 3.4" in gradient
    expected = (
        r"\[ \partial_i H = \frac{\mu_{i} - \lambda \, p_{i}}{b_{i}} \quad\text{where } W = "
        if option
        else "d_i(potential) = (mu_i - lambda*p_i)/b_i; where total = w_i + rest"
    )
    assert expected in gradient
