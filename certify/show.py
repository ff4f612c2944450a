"""Certificates for people: a title in words, and every claimed number with its correct digits."""

from bisect import bisect_left
from fractions import Fraction
from math import isqrt
from pathlib import Path
from typing import Any

from rich.console import Group
from rich.table import Table as Grid
from rich.text import Text

from certify.balls import at_least, at_most, unit
from certify.certificate import Certificate, exact, load, number
from certify.errors import InputError
from certify.kinds import KINDS

DATA = ("system", "law", "load")  # shown after what is claimed about them
MOST_DIGITS = 10_000
LONGEST = 12  # entries of a list that are printed before it is cut


def read(path: Path) -> tuple[str, Group]:
    """What a certificate file claims, in one sentence and field by field.

    Raises InputError if the file is no certificate, or its claim none of its kind.
    """
    certificate = load(path)
    try:
        return title(certificate), describe(certificate)
    except KeyError as error:
        found = f"one without {error} where it is looked for"
    except (ArithmeticError, AttributeError, IndexError, TypeError, ValueError) as error:
        found = f"one that cannot be read ({error})"
    raise InputError(str(path), f"hold a claim of kind {certificate.kind}", found)


def title(certificate: Certificate) -> str:
    """What the certificate claims, in one sentence."""
    if certificate.kind not in KINDS:
        return f"a claim of kind {certificate.kind}"
    return str(KINDS[certificate.kind].words(certificate.claim))


def describe(certificate: Certificate) -> Group:
    """The claim field by field; intervals as the digits both ends share."""
    grid = Grid(box=None, show_header=False)
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    claim = dict(sorted(certificate.claim.items(), key=lambda item: item[0] in DATA))
    for path, text in _rows(claim, ""):
        grid.add_row(Text(path), Text(text))
    return Group(grid)


def _rows(value: Any, path: str) -> list[tuple[str, str]]:
    if isinstance(value, dict) and set(value) == {"lo", "hi"}:
        return [(path, digits(number(value["lo"]), number(value["hi"])))]
    if isinstance(value, dict) and set(value) == {"root", "rational", "coefficient"}:
        return [(path, _surd(value))]
    if isinstance(value, dict):
        return [
            row
            for key, each in value.items()
            for row in _rows(each, f"{path}.{key}" if path else key)
        ]
    if isinstance(value, list):
        if all(isinstance(each, str | int) for each in value):
            cut = ", ".join(_short(each) for each in value[:LONGEST])
            more = len(value) - LONGEST
            return [(path, f"[{cut}{f', ... {more} more' if more > 0 else ''}]")]
        rows = [row for i, each in enumerate(value[:LONGEST]) for row in _rows(each, f"{path}.{i}")]
        more = len(value) - LONGEST
        return rows + ([(path, f"... {more} more")] if more > 0 else [])
    return [(path, _short(value))]


def _surd(value: dict[str, Any]) -> str:
    """p + q sqrt(n), its first ten digits before it."""
    root, sixty = int(value["root"]), 10**60
    rational, coefficient = number(value["rational"]), number(value["coefficient"])
    first = decimal(rational + coefficient * Fraction(isqrt(root * sixty**2), sixty))
    sign = "-" if coefficient < 0 else "+"
    text = f"{exact(rational)} {sign} {exact(abs(coefficient))} sqrt({root})"
    return f"{first}... = {text}" if len(text) <= 80 else f"{first}..."


def _short(value: Any) -> str:
    text = str(value)
    if "/" in text and len(text) > 12:
        first = decimal(number(text))
        return f"{first}... = {text}" if len(text) <= 80 else f"{first}..."
    return text if len(text) <= 80 else f"{text[:38]}...{text[-38:]} ({len(text)} characters)"


def decimal(value: Fraction) -> str:
    """The first ten significant digits of a rational, cut off."""
    power = _power(value)
    text = str(int(abs(value) / Fraction(10) ** (power - 9)))
    sign, exponent = "-" if value < 0 else "", f"e{power}" if power else ""
    return f"{sign}{text[0]}.{text[1:]}{exponent}"


def digits(low: Fraction, high: Fraction) -> str:
    """The decimal digits on which both ends agree, with their number: 2.96e-4 (3 digits).

    The last printed digit may be one too small, never more.
    """
    if low == high:
        return f"{exact(low)} (exact)"
    if low <= 0 <= high:
        return f"0, within {at_most(max(-low, high), 2)}"
    sign, (small, large) = ("-", (-high, -low)) if high < 0 else ("", (low, high))
    power = _power(small)

    def differ(count: int) -> bool:
        step = Fraction(10) ** (power - count + 1)
        return int(small / step) != int(large / step)

    shown = bisect_left(range(1, MOST_DIGITS + 1), True, key=differ)
    if shown == 0:
        return f"[{at_least(low, 4)}, {at_most(high, 4)}]"
    text = exact(int(small / Fraction(10) ** (power - shown + 1)))
    mantissa = f"{sign}{text[0]}.{text[1:]}".rstrip(".")
    exponent = f"e{power}" if power else ""
    return f"{mantissa}{exponent} ({shown} digits)"


def _power(value: Fraction) -> int:
    """The power of ten of the first digit of a number that is not 0."""
    step = unit(value, 1)
    return len(exact(step.numerator)) - len(exact(step.denominator))
