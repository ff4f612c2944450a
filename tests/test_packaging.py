"""What `pip install .` brings along is what the package imports."""

import ast
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).parents[1]


def imported(path: Path) -> set[str]:
    """The packages that a module imports as soon as it is imported itself."""
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            found |= {each.name.partition(".")[0] for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(str(node.module).partition(".")[0])
    return found


def test_every_import_is_a_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = {re.split(r"[^a-z-]", each)[0] for each in project["dependencies"]}
    modules = list((ROOT / "certify").rglob("*.py"))
    assert len(modules) > 70
    others = set().union(*map(imported, modules)) - set(sys.stdlib_module_names) - {"certify"}
    known = packages_distributions()
    assert {known[name][0] for name in others} == declared


def test_the_commands_start_without_what_takes_long_to_import() -> None:
    code = "import sys, certify.cli; print(*sorted({'numpy', 'scipy'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"
