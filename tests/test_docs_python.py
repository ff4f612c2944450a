"""The page on the Python API: its examples give what it says, its tables hold every public name."""

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from certify import InputError
from certify.fluid.continuous import ContinuousLaw
from certify.problem import Table
from certify.ranks import Difference
from certify.softmax import ReflectedUAS, System
from certify.softmax.api import Questions
from tests.certify.test_public_arguments import ENGINE

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "python.md"
TEXT = PAGE.read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## ([^\n]*)\n(.*?)(?=^## |\Z)", TEXT, re.M | re.S))
EXAMPLES = SECTIONS | {"README": (ROOT / "README.md").read_text(encoding="utf-8")}
MODULES = [
    "certify",
    *(f"certify.{name}" for name in ("fluid", "softmax", "ranks", "identities")),
    *(f"certify.evidence.{name}" for name in ("trajectories", "simulation")),
]
# what an answer keeps of the question, and what is there for the checker or for the package
ASKED = set("digits law load system".split())
INNER = ENGINE | set(
    "bits hints knots phases pieces point problem queue_balls runs sectors shares smooth_at_zero "
    "theta_balls threshold_ball to_claim turning witness".split()
)
TABLES = {"lower", "upper"}  # test functions of a Difference


def blocks(section: str) -> Iterator[str]:
    """The Python blocks of a section."""
    yield from re.findall(r"^```python\n(.*?)^```", EXAMPLES[section], re.M | re.S)


def agrees(value: Any, text: str) -> bool:
    """Whether a comment shows a value: whole, or up to three dots."""
    if isinstance(value, tuple):
        parts = text.removeprefix("(").removesuffix(")").split(", ")
        return len(parts) == len(value) and all(map(agrees, value, parts))
    if isinstance(value, Fraction) and text.endswith("..."):
        with localcontext(prec=100):
            return str(Decimal(value.numerator) / value.denominator).startswith(text[:-3])
    if isinstance(value, Fraction):
        return Fraction(text) == value
    shown = repr(value)
    return shown.startswith(text[:-3]) if text.endswith("...") else shown == text


def test_comments_are_compared() -> None:
    assert agrees(Fraction(2, 3), "0.66666...")
    assert not agrees(Fraction(2, 3), "0.66667...")
    assert agrees((1, Fraction(1, 3)), "(1, 1/3)")
    assert not agrees((1, Fraction(1, 3)), "(1)")


class Shown(ast.NodeTransformer):
    """Hands the value of every expression that stands alone to `show`, with its comment."""

    def __init__(self, block: str) -> None:
        self.lines = block.splitlines()

    def visit_Expr(self, node: ast.Expr) -> ast.Expr:
        comment = self.lines[(node.end_lineno or 0) - 1][node.end_col_offset :]
        call = ast.parse(f"show({comment!r}, None)", mode="eval").body
        assert isinstance(call, ast.Call)
        call.args[1] = node.value
        return ast.copy_location(ast.Expr(call), node)


@pytest.mark.parametrize("section", EXAMPLES)
def test_examples_give_what_the_page_says(
    section: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = []

    def show(comment: str, value: Any) -> None:
        if comment or value is not None:
            assert comment.startswith("  # "), value
            assert agrees(value, comment.removeprefix("  # ")), (comment, value)
            shown.append(comment)

    for block in blocks(section):
        tree = ast.fix_missing_locations(Shown(block).visit(ast.parse(block)))
        exec(compile(tree, section, "exec"), {"show": show})
    assert len(shown) >= 3


def test_links_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#]*)", TEXT)
    assert len(links) >= 30
    assert all((PAGE.parent / link).is_file() for link in links)


def rows() -> Iterator[tuple[str, str, str]]:
    """Module, first and second cell of every row."""
    for title, text in SECTIONS.items():
        module = title.partition("`")[2].rstrip("`")
        for line in text.splitlines():
            if heading := re.fullmatch(r"`(certify\.evidence\.\w+)`:", line):
                module = heading[1]
            elif line.startswith("| `"):
                first, second = re.split(r"(?<!\\) \| ", line.strip("| "), maxsplit=1)
                yield module, first.strip("`"), second


ROWS = list(rows())
NAME = re.compile(r"([\w.]+)(?:\((.*)\))?")


@pytest.mark.parametrize("module", MODULES)
def test_the_tables_have_every_public_name(module: str) -> None:
    named = [NAME.fullmatch(first)[1] for where, first, _ in ROWS if where == module]  # type: ignore[index]
    own = [name for name in named if "." not in name]
    assert sorted(own) == sorted(set(own))
    assert set(own) == set(import_module(module).__all__)


def same_default(given: str, known: Any) -> bool:
    """Whether a default is the one that the page gives."""
    value = ast.literal_eval(given)
    return Fraction(value) == known if isinstance(known, Fraction) else value == known


def check_parameters(text: str, function: Any) -> None:
    """The parameters of a function or class are those of the page, with the same defaults."""
    known = [
        each
        for name, each in inspect.signature(function).parameters.items()
        if name != "self" and each.kind != each.VAR_POSITIONAL
    ]
    arguments = ast.parse(f"def f({text}): ...").body[0].args  # type: ignore[attr-defined]
    assert [each.arg for each in arguments.args] == [each.name for each in known]
    defaults = [each.default for each in known if each.default is not each.empty]
    given = [ast.unparse(each) for each in arguments.defaults]
    assert len(given) == len(defaults)
    assert all(map(same_default, given, defaults)), (text, defaults)


def attributes(kind: type) -> set[str]:
    """The fields, properties and methods of a class that a caller uses."""
    found = {each.name for each in fields(kind)} if is_dataclass(kind) else set()
    for name in dir(kind):
        each = inspect.getattr_static(kind, name)
        usual = property | cached_property | classmethod | staticmethod
        if isinstance(each, usual) or inspect.isfunction(each):
            found.add(name)
    return {name for name in found if not name.startswith("_")}


@pytest.mark.parametrize(("module", "first", "second"), ROWS, ids=[row[1] for row in ROWS])
def test_a_row_is_right(module: str, first: str, second: str) -> None:
    assert second.endswith(".")
    matched = NAME.fullmatch(first)
    assert matched is not None
    name, text = matched.groups()
    if "." in name:
        module, _, name = name.rpartition(".")
    asked = getattr(import_module(module), name)
    if text is not None and asked is not Table:  # whose other fields only the package fills
        check_parameters(text, asked)
    if not inspect.isclass(asked) or asked is Table:
        return
    told = set()
    for spelled in re.findall(r"`\.(\w[^`]*)`", second):
        attribute, called = re.fullmatch(r"(\w+)(?:\((.*)\)|\[i\]|\.\w+)?", spelled).groups()  # type: ignore[union-attr]
        told.add(attribute)
        if called is not None:
            check_parameters(called, getattr(asked, attribute))
    there = attributes(asked)
    if issubclass(asked, InputError):
        there |= {"field", "requirement", "value"}
    shared = [ContinuousLaw, System, *([ReflectedUAS] if issubclass(asked, Questions) else [])]
    inherited = {n for base in shared if asked is not base for n in attributes(base)}
    needless = INNER | ASKED | inherited | set(re.findall(r"\w+", text or ""))
    needless |= TABLES if asked is Difference else set()
    assert told <= there
    assert there - needless <= told
