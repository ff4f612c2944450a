"""What the checker may be made of: the standard library, no floats, no assert, few lines."""

import ast
import re
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from proofs_checks.checker.cli import check_file
from proofs_checks.checker.kinds import KINDS
from proofs_checks.checker.verdict import Outcome
from tests.mutation.engine import shipped

CHECKER = Path(__file__).parents[2] / "proofs_checks" / "checker"
THEOREMS = CHECKER.parent / "theorems"
FILES = sorted(CHECKER.rglob("*.py"))


def code_lines(paths: list[Path]) -> int:
    """Lines that hold code: no blanks, comments or docstrings."""
    total = 0
    for path in paths:
        tree = ast.parse(path.read_text())
        skipped: set[int] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                skipped |= set(range(node.lineno, (node.end_lineno or 0) + 1))
        for number, line in enumerate(path.read_text().splitlines(), 1):
            total += (
                bool(line.strip()) and not line.strip().startswith("#") and number not in skipped
            )
    return total


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(CHECKER)))
def test_only_the_standard_library_and_itself(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0
            names = [node.module or ""]
        for name in names:
            assert name.split(".")[0] in sys.stdlib_module_names or name.startswith(
                "proofs_checks.checker"
            )


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(CHECKER)))
def test_no_floats_and_no_assert(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        assert not isinstance(node, ast.Assert)
        assert not (isinstance(node, ast.Constant) and isinstance(node.value, float))
        assert not (isinstance(node, ast.Name) and node.id in ("float", "eval", "exec", "complex"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(CHECKER)))
def test_no_table_is_kept_by_numbers_that_a_claim_may_choose(path: Path) -> None:
    """Their hashes are known beforehand, so that all can be made to collide."""
    assert not re.search(r"(dict|set|Counter)\[(tuple\[)?(Fraction|Ends)", path.read_text())


@pytest.mark.parametrize("kind", KINDS)
def test_no_check_keeps_a_table_by_numbers(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same of what says nothing of its type: no hash of an exact number is ever asked for.

    But by the gamma function, which remembers 256 values and no more.
    """
    foreseen = Fraction.__hash__

    def asked(value: Fraction) -> int:
        caller = sys._getframe(1).f_code
        if caller.co_name != "gamma" or Path(caller.co_filename).stem != "special":
            raise AssertionError(f"{caller.co_name} asked for the hash of {value}")
        return foreseen(value)

    monkeypatch.setattr(Fraction, "__hash__", asked)
    for path in shipped(kind)[:6]:
        report = check_file(path)
        assert report.outcome is Outcome.VERIFIED, f"{path.name}: {report.line()}"


PARTS = {
    "kernel, reader and command": (["kernel/interval", "reader", "cli"], 500),
    "verdicts and pages": (["verdict", "pages", "__main__"], 170),
    "bounds of the system": (["bounds"], 40),
    "claims files": (["claims", "results"], 300),
    "special functions": (["kernel/elementary", "kernel/taylor", "kernel/special"], 250),
    "interface to an arithmetic": (["kernel/real", "kernel/own"], 100),
    "polynomials": (["kernel/polynomial"], 160),
    "size laws": (["kinds/size_laws", "kinds/special_laws"], 300),
}


@pytest.mark.parametrize("part", PARTS)
def test_each_part_is_small(part: str) -> None:
    names, most = PARTS[part]
    assert code_lines([CHECKER / f"{name}.py" for name in names]) < most


@pytest.mark.parametrize("path", sorted((CHECKER / "kinds").glob("*.py")), ids=lambda p: p.stem)
def test_each_kind_is_small(path: Path) -> None:
    assert code_lines([path]) < 150


@pytest.mark.parametrize("kind", KINDS)
def test_every_condition_stands_on_the_theorem_page(kind: str) -> None:
    module = KINDS[kind]
    page = (THEOREMS / f"{module.THEOREM}.md").read_text()
    for condition in module.CONDITIONS:
        assert f"`{condition}`" in page, f"{condition} is not explained in {module.THEOREM}.md"
    assert "QED" in page


@pytest.mark.parametrize("path", sorted((CHECKER / "kinds").glob("*.py")), ids=lambda p: p.stem)
def test_no_number_is_written_out_before_a_condition_fails(path: Path) -> None:
    for call in ast.walk(ast.parse(path.read_text())):
        if isinstance(call, ast.Call) and ast.unparse(call.func).endswith("trial.require"):
            for part in (node for argument in call.args[3:] for node in ast.walk(argument)):
                written = isinstance(part, ast.Call) and ast.unparse(part.func)
                assert written not in ("brief", "decimal", "between"), (path.name, call.lineno)
