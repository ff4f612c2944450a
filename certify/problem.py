"""Problem files: TOML in, an exact typed table out; every fault of form is told here, once.

The table knows nothing of queues: a domain asks it for the fields it needs (`rational`, `table`,
`integer`, ...) and what it did not ask for is an unknown key. Faults of meaning (a load above one,
a negative size) are raised by the domain's own dataclasses, so that the Python API and the problem
files speak with one voice.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from difflib import get_close_matches
from fractions import Fraction
from math import isfinite
from numbers import Integral, Rational
from pathlib import Path
from typing import Any

from certify.errors import InputError
from certify.files import NotText, text_of, to_path

_RATIONAL = re.compile(
    r"[+-]?[0-9]{1,4000}(?:/[0-9]{1,4000}|(?:\.[0-9]{1,4000})?(?:[eE][+-]?[0-9]{1,4})?)", re.ASCII
)
_LONG = re.compile(r"[+-]?[0-9]+(?:/0*[1-9][0-9]*|(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)", re.ASCII)
Exact = Rational | Decimal | int | str
"""An exact number: a whole one, a Fraction, a Decimal, or text such as "17/20", "0.85" or "1e-3".

Every other `numbers.Rational`, such as numpy's whole numbers, is read as well; floats are not.
A dataclass that converts its fields declares for type checkers an `__init__` that takes what it
converts; its attributes are of the type that they have afterwards.
"""
MAX_DIGITS = 10_000
DEFAULT_DIGITS = 50
NEAR = 0.75  # so much alike are a key and a misspelling of it, and no two keys of a table
MOST_OTHERS = 4  # unknown keys that a message names beside the first
IN_FILES = 'be an exact number such as 0.85 or "17/20"'
_IN_PYTHON = 'be an exact number such as 2, "0.85" or "17/20"'  # where 0.85 would be a float
_MISSING = object()


@dataclass
class Table:
    """One table of a problem file; `name` is its dotted path, empty for the file itself."""

    values: dict[str, Any]
    name: str = ""
    folder: Path = Path()
    asked: set[str] = field(default_factory=set)

    def path(self, key: str) -> str:
        """The dotted path of a field, for messages."""
        return f"{self.name}.{key}" if self.name else key

    def has(self, key: str) -> bool:
        """Whether the field is given."""
        return key in self.values

    def get(self, key: str, default: Any = _MISSING) -> Any:
        """The raw value of a field; InputError if it is missing and has no default."""
        self.asked.add(key)
        if key not in self.values:
            if default is _MISSING:
                near = get_close_matches(key, set(self.values) - self.asked, 1, NEAR)
                found = f"missing (is {near[0]} a misspelling of it?)" if near else "missing"
                raise InputError(self.path(key), "be given", found)
            return default
        return self.values[key]

    def table(self, key: str) -> "Table":
        """A nested table."""
        value = self.get(key)
        if not isinstance(value, dict):
            raise InputError(self.path(key), "be a table", value)
        return Table(value, self.path(key), self.folder)

    def rational(self, key: str, default: Any = _MISSING) -> Fraction:
        """An exact number: a TOML number (read as the decimal it is written as) or "p/q"."""
        return to_rational(self.get(key, default), self.path(key), IN_FILES)

    def rationals(self, key: str, default: Any = _MISSING) -> tuple[Fraction, ...]:
        """A non-empty list of exact numbers."""
        return to_rationals(self.get(key, default), self.path(key), IN_FILES)

    def integer(self, key: str, low: int, high: int, default: Any = _MISSING) -> int:
        """A whole number from low to high."""
        return to_count(self.get(key, default), self.path(key), low, high)

    def digits(self) -> int:
        """The number of correct digits asked for, 50 by default."""
        return to_digits(self.get("digits", DEFAULT_DIGITS))

    def flag(self, key: str, default: bool = False) -> bool:
        """A true/false field."""
        return to_flag(self.get(key, default), self.path(key))

    def choice(self, key: str, allowed: tuple[str, ...], default: Any = _MISSING) -> str:
        """One of a few words."""
        requirement = None
        if key == "kind" and len(allowed) > 10:
            requirement = "be a kind of problem (docs/problem-files.md; see `certify problems`)"
        return to_choice(self.get(key, default), self.path(key), allowed, requirement)

    def text(self, key: str, default: Any = _MISSING) -> str:
        """A string."""
        value = self.get(key, default)
        if not isinstance(value, str):
            raise InputError(self.path(key), "be a string", value)
        return value

    def done(self) -> None:
        """InputError if a field was given that nothing asked for."""
        unknown = sorted(set(self.values) - self.asked)
        if unknown:
            known = ", ".join(sorted(self.asked))
            first, *others = [f"{key}{did_you_mean(key, self.asked)}" for key in unknown]
            found = f"unknown{first.removeprefix(unknown[0])}"
            if others:
                found += f", as {'are' if others[1:] else 'is'} {_enumerated(others)}"
            raise InputError(self.path(unknown[0]), f"be a known key (here: {known})", found)


def read(path: Path | str) -> Table:
    """The table of a problem file; InputError if it cannot be read as TOML."""
    path = to_path(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(str(path), "be a readable file", error.strerror or "an error") from None
    if not data.strip():
        raise InputError(str(path), "hold a problem", "an empty file")
    try:
        values = tomllib.loads(text_of(data), parse_float=_decimal)
    except NotText as error:
        raise InputError(str(path), "be UTF-8 text", error) from None
    except (ValueError, RecursionError) as error:
        raise InputError(str(path), "be valid TOML", error) from None
    return Table(values, folder=path.parent)


def did_you_mean(word: object, known: Iterable[str]) -> str:
    """The word of `known` that is most like a misspelt one, as an addition to a message, or ""."""
    near = get_close_matches(word, list(known), 1, 0.7) if isinstance(word, str) else []
    return f" (did you mean {near[0]}?)" if near else ""


def to_rational(value: Any, name: str, requirement: str = _IN_PYTHON) -> Fraction:
    """An exact rational from any `Exact` number; InputError for all else.

    Python floats are refused: 0.85 as a float is not 17/20.
    """
    if isinstance(value, Rational) and not isinstance(value, bool):
        return Fraction(int(value.numerator), int(value.denominator))
    text = str(value) if isinstance(value, str | Decimal) else ""
    if _RATIONAL.fullmatch(text):
        try:
            return Fraction(text)
        except ZeroDivisionError:
            pass
    if isinstance(value, float) and isfinite(value):
        exact = f'be exact, for example "{value}" in quotes or a Fraction'
        raise InputError(name, exact, f"the float {value}")
    shown = repr(value) if isinstance(value, str) else value
    if _LONG.fullmatch(text):
        bounds = "be an exact number with at most 4,000 digits and an exponent up to 9,999"
        raise InputError(name, bounds, shown)
    raise InputError(name, requirement, shown)


def to_rationals(values: Any, name: str, requirement: str = _IN_PYTHON) -> tuple[Fraction, ...]:
    """The exact numbers of a list or another collection; InputError if it is none or empty."""
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise InputError(name, "be a non-empty list of numbers", values)
    numbers = tuple(
        to_rational(value, f"{name}[{i}]", requirement) for i, value in enumerate(values)
    )
    if not numbers:
        raise InputError(name, "be a non-empty list of numbers", values)
    return numbers


def to_digits(value: Any) -> int:
    """A number of digits to be asked for."""
    return to_count(value, "digits", 1, MAX_DIGITS)


def to_flag(value: Any, name: str) -> bool:
    """True or false, and nothing that Python takes for one of them."""
    if not isinstance(value, bool):
        raise InputError(name, "be true or false", value)
    return value


def to_choice(
    value: Any, name: str, allowed: tuple[str, ...], requirement: str | None = None
) -> str:
    """One of a few words; InputError, with the word that is most like it, for all else."""
    if not isinstance(value, str) or value not in allowed:
        near = did_you_mean(value, allowed)
        found = f"{value}{near}" if near else value
        raise InputError(name, requirement or "be one of " + ", ".join(allowed), found)
    return value


def require_type(value: object, kind: type | tuple[type, ...], name: str, what: str) -> None:
    """InputError unless a value is of a class; `what` says of which, as "a FiniteLaw"."""
    if not isinstance(value, kind):
        raise InputError(name, f"be {what}", repr(value) if isinstance(value, str) else value)


def to_count(value: Any, name: str, low: int, high: int) -> int:
    """A whole number from low to high: an int or another exact integer (numpy's, not a bool)."""
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or not low <= value <= high:
        shown = f"a decimal number ({value})" if isinstance(value, Fraction) else value
        raise InputError(name, f"be a whole number from {low} to {high}", shown)
    return int(value)


def to_list(values: Any, name: str, what: str = "numbers") -> list[Any]:
    """The items of a list, a tuple or another collection, not those of a string or a table."""
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise InputError(name, f"be a list of {what}", values)
    return list(values)


def _enumerated(names: list[str]) -> str:
    """A few names as a sentence has them."""
    shown = names[:MOST_OTHERS]
    last = f"{len(names) - len(shown)} more" if names[MOST_OTHERS:] else shown.pop()
    return f"{', '.join(shown)} and {last}" if shown else last


def _decimal(text: str) -> Fraction | str:
    return Fraction(text) if _RATIONAL.fullmatch(text.replace("_", "")) else text
