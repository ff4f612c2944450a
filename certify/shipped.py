"""The problem files that ship with the package."""

from pathlib import Path

from certify.errors import InputError
from certify.files import is_file
from certify.problem import did_you_mean, read

FOLDER = Path(__file__).parent / "problems"
CERTIFICATES = Path("certificates")


def problems() -> list[Path]:
    """Every shipped problem file, by name."""
    return sorted(FOLDER.glob("*.toml"))


def title(path: Path) -> str:
    """The first comment line of a problem file, which says in words what it asks."""
    first = path.read_text(encoding="utf-8").lstrip().split("\n", 1)[0]
    return first.lstrip("# ").strip() if first.startswith("#") else ""


def files_of(path: Path) -> list[Path]:
    """The files beside a problem that it names, such as its CSV of sizes; none of what is none."""
    try:
        pending: list[object] = [read(path).values]
    except InputError:
        return []
    found = []
    for value in pending:
        if isinstance(value, dict | list):
            pending += value.values() if isinstance(value, dict) else value
        elif isinstance(value, str) and value and is_file(path.parent / value):
            found.append((path.parent / value).absolute())
    return found


def find(name: str) -> Path:
    """The file of that path, or the shipped problem of that name; InputError for neither."""
    path = Path(name)
    if is_file(path):
        return path
    known = FOLDER / f"{name}.toml"
    if "/" not in name and is_file(known):
        return known
    near = did_you_mean(name, [each.stem for each in problems()])
    requirement = "be a TOML file or a shipped problem (see `certify problems`)"
    raise InputError("PROBLEM", requirement, f"{name}{near}")


def of_project(path: Path) -> Path:
    """A file or folder of the source tree: in the working folder, else beside this package."""
    beside = Path(__file__).parents[1] / path
    return beside if beside.exists() and not path.exists() else path


def is_large(path: Path) -> bool:
    """Whether the problem says of itself that it takes more than a few seconds."""
    return read(path).flag("large")
