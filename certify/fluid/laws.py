"""Size laws: what a job's size can be, always measured so that the mean is one."""

import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from certify.certificate import exact
from certify.errors import InputError
from certify.files import NotText, text_of, to_path
from certify.problem import IN_FILES, Exact, Table, require_type, to_rational

_COUNT = re.compile(r"[0-9]{1,18}", re.ASCII)
_NAME = re.compile(r"[^\W\d].*")  # a letter first, of any alphabet
_NO_NAMES = {"nan", "inf", "infinity", "na", "n/a", "null", "none", "nil", "true", "false"}
_OTHER_FORM = re.compile(r"[;\t|\"']|[^\s,]\s+[^\s,]")  # another separator, or quotes
# words of which the name of a column is made, in English
_SIZES = set("size sizes length lengths byte bytes kb mb work demand duration runtime".split())
_SIZES |= {"service"}
_KEYS = {"id", "ids", "uid", "uuid", "index", "timestamp", "date"}  # numbers that measure nothing
_COUNTS = set("count counts n number num jobs frequency freq occurrences multiplicity".split())

MOST_SHOWN = 6  # atoms in a representation
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

    if TYPE_CHECKING:

        def __init__(self, atoms: Iterable[tuple[Exact, Exact]], scale: Exact = 1) -> None: ...

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
            raise InputError("law.scale", "be positive", scale)
        total = sum(masses.values(), Fraction(0))
        if total != 1:
            raise InputError("law.atoms", "have masses that sum to 1", f"a sum of {exact(total)}")
        mean = _mean(masses.items())
        if mean != 1:
            raise InputError(
                "law.atoms",
                "have mean 1 (FiniteLaw.rescaled, in a problem rescale = true, divides sizes by "
                "their mean)",
                f"a mean of {exact(mean)}",
            )
        object.__setattr__(self, "atoms", tuple(sorted(masses.items())))
        object.__setattr__(self, "scale", scale)
        object.__setattr__(self, "notes", tuple(notes))

    def __repr__(self) -> str:
        atoms = [f"({exact(size)}, {exact(mass)})" for size, mass in self.atoms[:MOST_SHOWN]]
        atoms += ["..."] if len(self.atoms) > MOST_SHOWN else []
        more = f", {len(self.atoms):,} sizes" if len(self.atoms) > MOST_SHOWN else ""
        scale = f", scale={exact(self.scale)}" if self.scale != 1 else ""
        return f"FiniteLaw({', '.join(atoms)}{more}{scale})"

    @classmethod
    def rescaled(cls, atoms: Iterable[tuple[Exact, Exact]]) -> "FiniteLaw":
        """The law of the same sizes in units of their mean, which becomes `scale`."""
        given = _atoms(atoms)
        mean = _mean(given)
        if mean == 0:
            raise InputError("law", "have a positive mean", "all sizes zero")
        return cls(tuple((size / mean, mass) for size, mass in given), mean)

    @classmethod
    def from_csv(cls, path: Path | str) -> "FiniteLaw":
        """The empirical law of a file, in units of its mean.

        One size per line, optionally after the name of the column; or, after a line of two names
        such as "size,count", a size, a comma and a whole number of jobs of that size. `notes` says
        as what the columns are read. InputError names the line that cannot be read.
        """
        return cls._of_trace(_read_trace(to_path(path)))

    @classmethod
    def _of_trace(cls, trace: "_Trace") -> "FiniteLaw":
        """The law of a trace, in whole numbers as far as possible: there may be many sizes."""
        jobs = sum(trace.counts.values())
        unit = math.lcm(*(size.denominator for size in trace.counts))
        sizes = sorted(
            (size.numerator * (unit // size.denominator), count)
            for size, count in trace.counts.items()
        )
        work = sum(size * count for size, count in sizes)
        if work == 0:
            raise InputError("law", "have a positive mean", "all sizes zero")
        atoms = tuple((Fraction(size * jobs, work), Fraction(count, jobs)) for size, count in sizes)
        law = object.__new__(cls)  # nothing is left for __post_init__ to check
        fields = {"atoms": atoms, "scale": Fraction(work, unit * jobs), "notes": trace.notes}
        for name, value in fields.items():
            object.__setattr__(law, name, value)
        return law

    def to_claim(self) -> dict[str, Any]:
        """The `law` field of a claim."""
        atoms = [[exact(size), exact(mass)] for size, mass in self.atoms]
        return {"atoms": atoms} | ({} if self.scale == 1 else {"scale": exact(self.scale)})


def read_law(table: Table, most: float = math.inf, instead: str = "") -> FiniteLaw:
    """The law of a problem: `atoms`, with `rescale` if wanted, or the CSV file `sizes`.

    InputError for more than `most` sizes, before anything is computed from them; `instead` names
    what can be asked then.
    """
    inner = table.table("law")
    if law_form(inner) == "family":
        hint = " (a family goes with kind fluid-enclosure)" if table.has("kind") else ""
        found = f"of family {inner.get('family')}"
        raise InputError("law", f"be given by atoms or sizes{hint}", found)
    if not inner.values:
        raise InputError(inner.name, "be given by atoms or sizes", "an empty table")
    if inner.has("sizes"):
        path = inner.folder / inner.text("sizes")
        inner.done()
        trace = _read_trace(path)
        check_count(len(trace.counts), most, instead)
        return FiniteLaw._of_trace(trace)
    atoms, rescale = inner.get("atoms"), inner.flag("rescale")
    inner.done()
    if isinstance(atoms, list):
        check_count(len(atoms), most, instead)
    return FiniteLaw.rescaled(atoms) if rescale else FiniteLaw(atoms)


def law_form(inner: Table) -> str:
    """Which of `atoms`, `sizes` and `family` a law is given by, "" for none; InputError for two."""
    given = [key for key in ("atoms", "sizes", "family") if inner.has(key)]
    if given == ["atoms", "family"] and inner.values["family"] == "mixture":
        return "family"  # atoms are a part of it
    if len(given) > 1:
        requirement = 'be given by one of atoms, sizes and family (or by family = "mixture")'
        raise InputError(inner.name, requirement, f"given by {' and '.join(given)}")
    return given[0] if given else ""


def check_count(count: int, most: float, instead: str) -> None:
    """InputError for more than `most` sizes, which says what to ask `instead`."""
    if count > most:
        hint = f" (for more: {instead})" if instead else ""
        raise InputError("law", f"have at most {most:,} sizes{hint}", f"{count:,}")


def check_finite(law: object, name: str = "law") -> None:
    """InputError unless the law is a FiniteLaw."""
    require_type(law, FiniteLaw, name, "a FiniteLaw")


def check_load(load: Any, name: str = "load") -> Fraction:
    """The load as an exact number; InputError unless it is above 0 and below 1."""
    value = to_rational(load, name)
    if not 0 < value < 1:
        raise InputError(name, "be greater than 0 and less than 1", value)
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
            raise InputError(name, "have a size of at least 0", size)
        if mass <= 0:
            raise InputError(name, "have a positive mass", mass)
        atoms.append((size, mass))
    if not atoms:
        raise InputError("law.atoms", "have at least one size", "an empty list")
    return atoms


@dataclass(frozen=True)
class _Trace:
    """How many jobs of each size a file has, and what is to be told about it."""

    counts: dict[Fraction, int]
    notes: tuple[str, ...]


def _read_trace(path: Path) -> _Trace:
    try:
        text = text_of(path.read_bytes())
    except OSError as error:
        raise InputError("law.sizes", f"be a readable file ({error.strerror})", path) from None
    except NotText as error:
        raise InputError("law.sizes", "be a text file in UTF-8", f"{path}, {error}") from None
    first: dict[str, int] = {}
    repeats: Counter[str] = Counter()
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    for number, line in enumerate(text.split("\n"), start=1):
        cell = line.strip()
        if cell:
            repeats[cell] += 1
            first.setdefault(cell, number)
    header = next(iter(first), None)
    names: list[str] = []
    if header is not None and repeats[header] == 1 and _is_name(header):
        names = _columns(header, f"line {first.pop(header)} of {path.name}")
    counts: dict[Fraction, int] = {}
    for line, number in first.items():
        cells = _cells(line, len(names), f"line {number} of {path.name}")
        size, count = _read_row(cells, f"line {number} of {path.name}")
        counts[size] = counts.get(size, 0) + count * repeats[line]
    if not counts:
        raise InputError("law.sizes", "have at least one size", f"{path}, without any")
    if not names:
        return _Trace(counts, ())
    read_as = [
        f"column {i} ({name[:40]}) = {meaning}"
        for i, (name, meaning) in enumerate(zip(names, ("size", "count"), strict=False), start=1)
    ]
    jobs = sum(counts.values())
    told = f"{path.name}: {', '.join(read_as)} ({jobs:,} job{'s' * (jobs > 1)} in all)"
    return _Trace(counts, (told,))


def _is_name(line: str) -> bool:
    """Whether a line starts with the name of a column: a word that stands for no number."""
    word = _unquoted(line.split(",")[0])
    return bool(_NAME.fullmatch(word)) and word.lower() not in _NO_NAMES


def _columns(line: str, name: str) -> list[str]:
    """The names of the columns; InputError unless they are a size's, or a size's and a count's."""
    if re.search(r"[;\t|]", line):
        raise InputError(name, "have commas between the names of columns", repr(line))
    names = [_unquoted(cell) for cell in line.split(",")]
    words = [
        set(re.findall("[a-z]+", re.sub("([a-z])([A-Z])", r"\1 \2", n).lower())) for n in names
    ]
    if len(names) == 1:
        fits = bool(words[0] & _SIZES) or not words[0] & (_COUNTS | _KEYS)
    else:
        fits = len(names) == 2 and bool(words[0] & _SIZES)
        fits = fits and bool(words[1] & _COUNTS) and not words[1] & _SIZES
    if not fits:
        requirement = "name one column size, or two columns size,count in this order"
        raise InputError(name, requirement, line)
    return names


def _unquoted(cell: str) -> str:
    return cell.strip().strip("\"'").strip()


def _cells(line: str, columns: int, name: str) -> list[str]:
    """The one or two cells of a line, as many as there are names of columns; one without names.

    Without names two cells may as well be one number with a decimal comma.
    """
    cells = [cell.strip() for cell in line.split(",")]
    if len(cells) > 2 or _OTHER_FORM.search(line):
        requirement = "be a size, or a size and a count with a comma between them (no quotes)"
        raise InputError(name, requirement, repr(line))
    if not columns and len(cells) == 2:
        requirement = (
            "be one size (a count after a comma needs a first line of names, size,count; "
            "decimals have a point)"
        )
        raise InputError(name, requirement, repr(line))
    if columns and len(cells) != columns:
        requirement = f"have {('one cell', 'two cells')[columns - 1]} as the names of columns do"
        raise InputError(name, requirement, repr(line))
    return cells


def _read_row(cells: list[str], name: str) -> tuple[Fraction, int]:
    whole = _COUNT.fullmatch(cells[0])
    size = Fraction(int(cells[0])) if whole else to_rational(cells[0], name, IN_FILES)
    if size < 0:
        raise InputError(name, "have a size of at least 0", size)
    if len(cells) == 1:
        return size, 1
    if not _COUNT.fullmatch(cells[1]) or int(cells[1]) == 0:
        requirement = "have a whole number of jobs, at least 1, after the comma"
        raise InputError(name, requirement, ",".join(cells))
    return size, int(cells[1])
