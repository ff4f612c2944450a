"""Coq source text from parsed numbers, and from nothing else.

No string of a certificate reaches a generated file: numbers are rendered anew from integers, names
come from the exporter or from a file name reduced to letters, digits and underscores.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

MAX_NUMERAL_BITS = 14_000  # about 4,200 decimal digits


class Skipped(Exception):
    """A certificate that this third check does not attempt; the message says why."""

    kind = ""


@dataclass(frozen=True)
class Parts:
    """What a kind contributes: definitions and the proposition, then lemmas and the proof.

    `library` names the theory files to import; `definitions` and `proposition` come from the
    claim alone; `lemmas` and `proof` may use the witness. `part` says what part of the claim the
    proposition covers where it is not all of it. `beyond` is what the kind's theorem says of the
    same numbers beyond the proposition.
    """

    library: str
    definitions: Sequence[str]
    proposition: str
    lemmas: Sequence[str]
    proof: Sequence[str]
    part: str = ""
    beyond: str = ""


def integer(value: int) -> str:
    """The digits of an integer; Skipped beyond what Python prints and Coq digests in seconds."""
    if value.bit_length() > MAX_NUMERAL_BITS:
        raise Skipped(f"an integer of {value.bit_length()} bits, more than {MAX_NUMERAL_BITS}")
    return str(value)


def rational(value: Fraction) -> str:
    """A numeral of Coq's rationals Q."""
    return f"({integer(value.numerator)} # {integer(value.denominator)})"


def decimal(value: Fraction) -> str:
    """A numeral of Q for an interval end, over a power of ten: its numerator is the mantissa."""
    scale = 1
    while scale % value.denominator:
        scale *= 10
    return f"({integer(value.numerator * (scale // value.denominator))} # {integer(scale)})"


def real(value: Fraction | int) -> str:
    """A numeral of Coq's real numbers."""
    value = Fraction(value)
    if value.denominator == 1:
        return f"({integer(value.numerator)})" if value < 0 else integer(value.numerator)
    return f"({integer(value.numerator)} / {integer(value.denominator)})"


def many(items: Iterable[str]) -> str:
    """A Coq list."""
    return "[" + "; ".join(items) + "]"


def identifier(kind: str, stem: str) -> str:
    """The theorem's name: the file's name in letters, digits and underscores, after its kind."""
    prefix = _plain(kind)
    name = _plain(stem)[:80].rstrip("_")
    if name == prefix or name.startswith(prefix + "_"):
        return name
    return f"{prefix}_{name}".rstrip("_")


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", text.lower(), flags=re.ASCII).strip("_")
