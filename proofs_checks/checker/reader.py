"""Bounded reading: bytes -> a JSON tree whose every string, number and size is within the limits.

Nothing here knows a kind. A broken rule is MALFORMED, an exceeded limit DECLINED; the rules are
written down, with examples, in certificates/FORMAT.md.
"""

import json
import os
import re
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from math import gcd
from pathlib import Path
from typing import Any

from proofs_checks.checker.verdict import declined, malformed

FORMAT = "certify/1"
EXACT = re.compile(r"(0|-?[1-9][0-9]*)(?:/([2-9]|[1-9][0-9]+))?", re.ASCII)
DECIMAL = re.compile(r"(?:(0)|(-?(?:[1-9]|[1-9][0-9]*[1-9]))(?:e(-?[1-9][0-9]{0,5}))?)", re.ASCII)
NAME = re.compile(r"[a-z0-9][a-z0-9.-]*", re.ASCII)
KEY = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,40}", re.ASCII)


@dataclass(frozen=True)
class Limits:
    """What one run is willing to spend on one certificate."""

    file_bytes: int = 32 << 20
    values: int = 850_000
    fields: int = 500_000
    digits: int = 20_000
    depth: int = 12
    weight: int = 10**11
    steps: int = 300_000_000
    memory: int | None = 240 << 20  # bytes of data; with the program itself 256 MiB
    seconds: int | None = 1_800  # of CPU; the steps take minutes


DEFAULT = Limits()
LARGE = Limits(1 << 30, 100_000_000, 100_000_000, 1_000_000, 12, 10**14, 5 * 10**10, None, None)


@dataclass(frozen=True, slots=True)
class Node:
    """A value of the tree with the path that leads to it, for messages."""

    value: Any
    path: str

    def record(self, required: str, optional: str = "") -> dict[str, "Node"]:
        """The fields of an object: exactly the required ones and some of the optional ones."""
        if not isinstance(self.value, dict):
            raise self.bad("an object")
        less = sorted(set(required.split()) - set(self.value))
        more = [k[:60] for k in sorted({*self.value} - {*f"{required} {optional}".split()})[:9]]
        if less or more:
            raise malformed(self.path, f"fields {required}", f"missing {less}, unknown {more}")
        return {key: Node(value, f"{self.path}.{key}") for key, value in self.value.items()}

    def items(self, empty: bool = False) -> "Items":
        """The elements of a list, which must not be empty unless `empty` says so."""
        if not isinstance(self.value, list) or not (self.value or empty):
            raise self.bad("a list" if empty else "a non-empty list")
        return Items(self.value, self.path)

    def exact(self) -> Fraction:
        """An exact number: an integer or a fraction in lowest terms."""
        match = EXACT.fullmatch(self.value) if isinstance(self.value, str) else None
        if not match:
            raise self.bad("an exact number in lowest terms")
        numerator, denominator = integer(match[1]), integer(match[2] or "1")
        if gcd(numerator, denominator) != 1:
            raise self.bad("a fraction in lowest terms")
        return Fraction(numerator, denominator)

    def interval(self) -> tuple[Fraction, Fraction]:
        """The two ends of an interval, low <= high."""
        fields = self.record("hi lo")
        low, high = fields["lo"].decimal(), fields["hi"].decimal()
        if low > high:
            raise self.bad("lo <= hi")
        return low, high

    def decimal(self) -> Fraction:
        """An end of an interval: an integer without trailing zero times a power of ten."""
        match = DECIMAL.fullmatch(self.value) if isinstance(self.value, str) else None
        if not match:
            raise self.bad("an integer without trailing zero times a power of ten")
        if match[1]:
            return Fraction(0)
        mantissa, power = integer(match[2]), int(match[3] or "0")
        return Fraction(mantissa * 10**power) if power >= 0 else Fraction(mantissa, 10**-power)

    def count(self) -> int:
        """A JSON number: a count or an index."""
        if type(self.value) is not int:
            raise self.bad("a count, written as a JSON number")
        return self.value

    def name(self, *allowed: str) -> str:
        """One of the enumerated names."""
        if self.value not in allowed:
            raise self.bad(" or ".join(allowed))
        return str(self.value)

    def bad(self, expected: str) -> Exception:
        """The refusal of a value that has the wrong form."""
        return malformed(self.path, expected, str(self.value)[:60])


class Items(Sequence[Node]):
    """The elements of a list, each a node only while it is looked at: there may be very many."""

    def __init__(self, values: list[Any], path: str) -> None:
        self._values, self._path = values, path

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, index: Any) -> Any:
        return Node(self._values[index], f"{self._path}.{index}")


def integer(text: str) -> int:
    """The integer of an ASCII digit string of any length (int() alone stops at 4,300 digits)."""
    if len(text) <= 4000:
        return int(text)
    cut, sign = len(text) // 2, text[: text.startswith("-")]
    return integer(text[:cut]) * int(10 ** (len(text) - cut)) + integer(sign + text[cut:])


def read_file(path: Path, limits: Limits) -> bytes:
    """The bytes of a regular file within the limits."""
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise malformed("file", "a regular file", "something else")
            data = file.read(limits.file_bytes + 1)
    except OSError as error:
        raise malformed("file", "a readable file", error.strerror or "an error") from None
    if len(data) > limits.file_bytes:
        raise declined("file size", f"at most {limits.file_bytes} bytes", "more")
    return data


def parse(data: bytes, limits: Limits) -> tuple[str, Node, Node]:
    """(kind, claim, witness) of a certificate in canonical bytes within the limits."""
    try:
        text = data.decode("ascii")
    except UnicodeDecodeError:
        raise malformed("file", "ASCII", "other bytes") from None
    if sum(map(text.count, ",[{")) > limits.values:  # before any of them takes memory
        raise declined("values", f"at most {limits.values}", "more")
    if text.count(":") > limits.fields:
        raise declined("fields", f"at most {limits.fields}", "more")
    try:
        tree = json.loads(
            text, object_pairs_hook=_dict, parse_int=_int, parse_float=_int, parse_constant=_int
        )
    except RecursionError:
        raise declined("nesting", f"at most {limits.depth} levels", "more") from None
    except ValueError as error:
        raise malformed("file", "JSON", str(error)[:80]) from None
    _walk(tree, limits)
    written = 0
    for part in chain(json.JSONEncoder(indent=2, sort_keys=True).iterencode(tree), "\n"):
        written = written + len(part) if text.startswith(part, written) else len(text) + 1
    if written != len(text):
        raise malformed("file", "canonical bytes", "the same data written differently")
    fields = Node(tree, "certificate").record("format kind claim witness")
    fields["format"].name(FORMAT)
    if not isinstance(fields["kind"].value, str) or not NAME.fullmatch(fields["kind"].value):
        raise fields["kind"].bad("a name")
    return fields["kind"].value, Node(tree["claim"], "claim"), Node(tree["witness"], "witness")


def _walk(tree: Any, limits: Limits) -> None:
    """Every string is a number or a name within the digit limit, every key a plain word.

    Arithmetic on a number takes time that grows with the square of its digits; the sum of these
    squares over the file is its weight.
    """
    level, weight = [tree], 0
    for _ in range(limits.depth):
        below: list[Any] = []
        for value in level:
            if isinstance(value, dict | list):
                below.extend(value.values() if isinstance(value, dict) else value)
            elif isinstance(value, str):
                weight += _string(value, limits) ** 2
            elif type(value) is not int:
                raise malformed("file", "strings, counts, lists and objects", str(value))
        level = below
        if weight > limits.weight:
            raise declined("weight", f"squared digits of at most {limits.weight}", str(weight))
    if level:
        raise declined("nesting", f"at most {limits.depth} levels", "more")


def _string(value: str, limits: Limits) -> int:
    """The number of digits that the string stands for, if it is within the limits."""
    if len(value) > limits.digits:
        raise declined("digits", f"at most {limits.digits} in one string", str(len(value)))
    match = DECIMAL.fullmatch(value)
    exponent = abs(int(match[3] or "0")) if match else 0
    if exponent > limits.digits:
        raise declined("exponent", f"at most {limits.digits}", str(exponent))
    if not (match or EXACT.fullmatch(value) or NAME.fullmatch(value) or value == FORMAT):
        raise malformed("file", "numbers in their one spelling, or names", value[:60])
    return len(value) + exponent


def _dict(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise malformed("file", "every field once", "a duplicate field")
    for key in result:
        if not KEY.fullmatch(key):
            raise malformed("file", "field names that are plain words", key[:60])
    return result


def _int(text: str) -> int:
    if not text.isdigit() or len(text) > 9:
        raise malformed("file", "counts of at most nine digits", text[:60])
    return int(text)
