"""Size laws: what a job's size can be, always measured so that the mean is one."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from certify.certificate import exact
from certify.errors import InputError
from certify.problem import Table, to_rational

_COUNT = re.compile(r"[0-9]{1,18}", re.ASCII)
_NAME = re.compile(r"[^\W\d].*")  # a letter first, of any alphabet
_NO_NAMES = {"nan", "inf", "infinity", "na", "n/a", "null", "none", "nil", "true", "false"}

Atom = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class FiniteLaw:
    """A law with finitely many sizes: `atoms` are (size, mass) pairs.

    Sizes are at least 0, masses positive with sum 1, and the mean is exactly 1; `scale` is the
    mean in the units in which the sizes were given (a size times `scale` is in those units).
    Atoms may come in any order; equal sizes are merged, and `notes` says so. Raises InputError.
    Source: proofs_checks/theorems/fluid-value.md, Hypotheses.
    """

    atoms: tuple[Atom, ...]
    scale: Fraction = Fraction(1)
    notes: tuple[str, ...] = field(init=False, compare=False, repr=False, default=())

    def __post_init__(self) -> None:
        given = _atoms(self.atoms)
        masses: dict[Fraction, Fraction] = {}
        notes = []
        for index, (size, mass) in enumerate(given):
            if size in masses:
                notes.append(
                    f"law.atoms[{index}] repeats the size {exact(size)}: its mass is added."
                )
            masses[size] = masses.get(size, Fraction(0)) + mass
        scale = to_rational(self.scale, "law.scale")
        if scale <= 0:
            raise InputError("law.scale", "be positive", exact(scale))
        total = sum(masses.values(), Fraction(0))
        if total != 1:
            raise InputError("law.atoms", "have masses that sum to 1", f"a sum of {exact(total)}")
        mean = _mean(masses.items())
        if mean != 1:
            raise InputError(
                "law.atoms",
                "have mean 1 (rescale = true measures sizes in units of their mean)",
                f"a mean of {exact(mean)}",
            )
        object.__setattr__(self, "atoms", tuple(sorted(masses.items())))
        object.__setattr__(self, "scale", scale)
        object.__setattr__(self, "notes", tuple(notes))

    @classmethod
    def rescaled(cls, atoms: Iterable[tuple[Any, Any]]) -> "FiniteLaw":
        """The law of the same sizes in units of their mean, which becomes `scale`."""
        given = _atoms(atoms)
        mean = _mean(given)
        if mean == 0:
            raise InputError("law", "have a positive mean", "all sizes zero")
        return cls(tuple((size / mean, mass) for size, mass in given), mean)

    @classmethod
    def from_csv(cls, path: Path) -> "FiniteLaw":
        """The empirical law of a file, in units of its mean.

        One size per line, optionally a comma and a whole number of jobs of that size, optionally
        a line of column names first, which `notes` then repeats. InputError names the line that
        cannot be read.
        """
        counts, names = _read_sizes(path)
        jobs = sum(counts.values())
        law = cls.rescaled((size, Fraction(count, jobs)) for size, count in counts.items())
        if names is not None:
            note = f"the first line of {path.name} is taken for names of columns: {names[:60]}"
            object.__setattr__(law, "notes", (note,))
        return law

    def to_claim(self) -> dict[str, Any]:
        """The `law` field of a claim."""
        atoms = [[exact(size), exact(mass)] for size, mass in self.atoms]
        return {"atoms": atoms} | ({} if self.scale == 1 else {"scale": exact(self.scale)})


def read_law(table: Table) -> FiniteLaw:
    """The law of a problem: `atoms`, with `rescale` if wanted, or the CSV file `sizes`."""
    inner = table.table("law")
    if inner.has("sizes") and inner.has("atoms"):
        raise InputError("law", "give either atoms or sizes", "both")
    if inner.has("sizes"):
        path = inner.folder / inner.text("sizes")
        inner.done()
        return FiniteLaw.from_csv(path)
    atoms, rescale = inner.get("atoms"), inner.flag("rescale")
    inner.done()
    return FiniteLaw.rescaled(atoms) if rescale else FiniteLaw(atoms)


def check_load(load: Any) -> Fraction:
    """The load as an exact number; InputError unless it is above 0 and below 1."""
    value = to_rational(load, "load")
    if not 0 < value < 1:
        raise InputError("load", "be greater than 0 and less than 1", exact(value))
    return value


def _mean(atoms: Iterable[Atom]) -> Fraction:
    return sum((size * mass for size, mass in atoms), Fraction(0))


def _atoms(values: Any) -> list[Atom]:
    """(size, mass) pairs of exact numbers, sizes at least 0 and masses positive."""
    if isinstance(values, str | dict) or not isinstance(values, Iterable):
        raise InputError("law.atoms", "be a list of [size, mass] pairs", values)
    atoms = []
    for index, pair in enumerate(values):
        name = f"law.atoms[{index}]"
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise InputError(name, "be a [size, mass] pair", pair)
        size, mass = (to_rational(value, name) for value in pair)
        if size < 0:
            raise InputError(name, "have a size of at least 0", exact(size))
        if mass <= 0:
            raise InputError(name, "have a positive mass", exact(mass))
        atoms.append((size, mass))
    if not atoms:
        raise InputError("law.atoms", "have at least one size", "an empty list")
    return atoms


def _read_sizes(path: Path) -> tuple[dict[Fraction, int], str | None]:
    """How many jobs of each size a CSV file has, and its line of column names, if there is one."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError("law.sizes", f"be a readable file ({error.strerror})", path) from None
    except UnicodeDecodeError:
        raise InputError("law.sizes", "be a text file", f"{path}, binary data") from None
    if "\0" in text:
        raise InputError("law.sizes", "be a text file", f"{path}, binary data")
    first: dict[str, int] = {}
    repeats: Counter[str] = Counter()
    for number, line in enumerate(text.split("\n"), start=1):
        cell = line.strip()
        if cell:
            repeats[cell] += 1
            first.setdefault(cell, number)
    counts: dict[Fraction, int] = {}
    names = next(iter(first), None)
    if names is not None and repeats[names] == 1 and _is_name(names):
        del first[names]
    else:
        names = None
    for line, number in first.items():
        size, count = _read_line(line, f"line {number} of {path.name}")
        counts[size] = counts.get(size, 0) + count * repeats[line]
    if not counts:
        raise InputError("law.sizes", "have at least one size", f"{path}, without any")
    return counts, names


def _is_name(line: str) -> bool:
    """Whether a line starts with the name of a column: a word that stands for no number."""
    word = line.split(",")[0].strip().strip("\"'").strip()
    return bool(_NAME.fullmatch(word)) and word.lower() not in _NO_NAMES


def _read_line(line: str, name: str) -> tuple[Fraction, int]:
    cells = [cell.strip() for cell in line.split(",")]
    if len(cells) > 2:
        raise InputError(name, "be a size, or a size and a count", line)
    size = to_rational(cells[0], name)
    if size < 0:
        raise InputError(name, "have a size of at least 0", exact(size))
    if len(cells) == 1:
        return size, 1
    if not _COUNT.fullmatch(cells[1]) or int(cells[1]) == 0:
        raise InputError(name, "have a whole number of jobs, at least 1, after the comma", line)
    return size, int(cells[1])
