"""Certificates: what is claimed, what helps to check it, and the one way to write it down."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import zip_longest
from pathlib import Path
from typing import Any

from flint import fmpz

from certify.errors import InputError
from certify.files import text_of, to_path, write_whole

FORMAT = "certify/1"
MOST_POWER = 1_000_000
MOST_SHOWN = 12  # entries of a list in a representation
# what proofs-check reads by default: bytes, digits of one number, and the sum of their squares
MOST_BYTES, MOST_DIGITS, MOST_WEIGHT = 32 << 20, 20_000, 10**11
FIELDS = {"format": str, "kind": str, "claim": dict, "witness": dict}
_POWER = re.compile(r"[0-9]e(-?[0-9]{1,6})$", re.ASCII)
_COUNT = re.compile(r"0|[1-9][0-9]{0,8}", re.ASCII)


@dataclass(frozen=True)
class Certificate:
    """A claim of some kind with the witness that makes it fast to check."""

    kind: str
    claim: dict[str, Any]
    witness: dict[str, Any]

    def __repr__(self) -> str:
        return f"Certificate(kind={self.kind!r}, {len(self.to_bytes()):,} bytes)"

    def to_bytes(self) -> bytes:
        """The canonical bytes: ASCII, sorted keys, two-space indent, newline at the end."""
        tree = {
            "format": FORMAT,
            "kind": self.kind,
            "claim": self.claim,
            "witness": self.witness,
        }
        return (json.dumps(tree, indent=2, sort_keys=True) + "\n").encode("ascii")

    def write(self, path: Path | str) -> None:
        """Write the file whole or not at all, through a symbolic link to what it leads to.

        InputError for what is no path, for a folder that is not there or in which nothing can be
        written, and for a device, a pipe or a folder in place of the file.
        """
        write_whole(to_path(path), self.to_bytes())

    def excess(self) -> str:
        """What is too much for `proofs-check` without `--limit large`, in words; "" if nothing."""
        numbers = [each for tree in (self.claim, self.witness) for each in _lengths(tree)]
        size, longest = len(self.to_bytes()), max(map(max, numbers), default=0)
        if size > MOST_BYTES:
            return f"{size:,} bytes"
        if longest > MOST_DIGITS:
            return f"{longest:,} digits in one number"
        if sum(sum(each) ** 2 for each in numbers) > MOST_WEIGHT:
            return f"{sum(map(sum, numbers)):,} digits in all"
        return ""


def _lengths(tree: Any) -> Iterator[tuple[int, int]]:
    """The characters, and the size of the exponent, of every string of a claim or a witness."""
    if isinstance(tree, dict | list):
        for value in tree.values() if isinstance(tree, dict) else tree:
            yield from _lengths(value)
    elif isinstance(tree, str):
        power = _POWER.search(tree)
        yield len(tree), abs(int(power[1])) if power else 0


def load(path: Path | str) -> Certificate:
    """The certificate in a file, for showing it; InputError if the file is not one."""
    path = to_path(path)
    try:
        return _parsed(path.read_bytes())
    except OSError as error:
        raise InputError(str(path), "be a readable file", error.strerror or "an error") from None
    except json.JSONDecodeError as error:
        found = f"no JSON ({error})"
    except RecursionError:
        found = "JSON that is nested too deeply"
    except ValueError as error:
        found = str(error)
    raise InputError(str(path), f"be a certificate of format {FORMAT}", found)


def _parsed(data: bytes) -> Certificate:
    """The certificate that some bytes are; ValueError, with what they are, if they are none."""
    if not data.strip():
        raise ValueError("an empty file")
    tree = json.loads(
        text_of(data),
        object_pairs_hook=_once,
        parse_int=_count,
        parse_float=_count,
        parse_constant=_count,
    )
    if not isinstance(tree, dict):
        raise ValueError(f"JSON, but {_named(tree)} and no object")
    for field, form in FIELDS.items():
        if field not in tree:
            raise ValueError(f"an object without the field {field}")
        if not isinstance(tree[field], form):
            raise ValueError(f"one whose {field} is {_named(tree[field])}")
    unknown = sorted(set(tree) - set(FIELDS))
    if unknown:
        raise ValueError(f"one with the unknown field {unknown[0]}")
    if tree["format"] != FORMAT:
        raise ValueError(f"of format {tree['format']}")
    certificate = Certificate(tree["kind"], tree["claim"], tree["witness"])
    canonical = certificate.to_bytes()
    if canonical != data:
        lines = zip_longest(canonical.split(b"\n"), data.split(b"\n"))
        line = next(number for number, (a, b) in enumerate(lines, start=1) if a != b)
        raise ValueError(f"the data of one, but not its bytes (sorted, indented), from line {line}")
    return certificate


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of some fields; ValueError if one is there twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"one with the field {max(names, key=names.count)} given twice")
    return found


def _count(text: str) -> int:
    """A number of JSON, which stands for a count; ValueError for any other number."""
    if not _COUNT.fullmatch(text):
        raise ValueError(f"one with the number {text}, which is no count of at most nine digits")
    return int(text)


def _named(value: Any) -> str:
    """What a value of JSON is, in words."""
    names = {str: "a string", list: "a list", dict: "an object", type(None): "null"}
    return names.get(type(value), json.dumps(value))


def exact(value: Fraction | int) -> str:
    """The one spelling of an exact number: lowest terms, any length."""
    numerator, denominator = fmpz(value.numerator), fmpz(value.denominator)
    return str(numerator) if denominator == 1 else f"{numerator}/{denominator}"


def listed(values: Sequence[object]) -> str:
    """A list for people, who want the first entries of a long one."""
    shown = [str(value) for value in values[:MOST_SHOWN]]
    return f"[{', '.join([*shown, '...'] if len(values) > MOST_SHOWN else shown)}]"


def number(text: str) -> Fraction:
    """The number that `exact` or `decimal` spelled, of any length (Python alone reads short ones).

    Raises ValueError for other text, and for an exponent beyond what a certificate may hold.
    """
    mantissa, _, power = text.partition("e")
    numerator, _, denominator = mantissa.partition("/")
    value = Fraction(int(fmpz(numerator)), int(fmpz(denominator or "1")))
    if not power:
        return value
    if abs(int(power)) > MOST_POWER:
        raise ValueError(f"the exponent of {text[:40]} is too large")
    return value * Fraction(10) ** int(power)


def interval(low: Fraction, high: Fraction) -> dict[str, str]:
    """An interval whose ends are decimals already; ValueError for any other rational."""
    return {"lo": decimal(low), "hi": decimal(high)}


def decimal(value: Fraction) -> str:
    """The one spelling of a decimal: an integer without trailing zero times a power of ten."""
    if value == 0:
        return "0"
    mantissa, power = fmpz(value.numerator), 0
    denominator = fmpz(value.denominator)
    if denominator != 1:
        twos, fives = _valuation(denominator, 2), _valuation(denominator, 5)
        if fmpz(2) ** twos * fmpz(5) ** fives != denominator:
            raise ValueError(f"{value} is not a decimal")
        power = -max(twos, fives)
        mantissa = mantissa * fmpz(10) ** -power // denominator
    text = str(mantissa)
    digits = text.rstrip("0")
    power += len(text) - len(digits)
    return f"{digits}e{power}" if power else digits


def _valuation(number: fmpz, prime: int) -> int:
    count, rest = 0, number
    while rest % prime == 0:
        rest, count = rest // prime, count + 1
    return count
