"""Certificates: what is claimed, what helps to check it, and the one way to write it down."""

import contextlib
import json
import os
import tempfile
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from flint import fmpz

from certify.errors import InputError

FORMAT = "certify/1"


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

    def write(self, path: Path) -> None:
        """Write the file whole or not at all (temporary file in the same folder, then rename)."""
        write_whole(path, self.to_bytes())


def load(path: Path) -> Certificate:
    """The certificate in a file, for showing it; InputError if the file is not one."""
    try:
        tree = json.loads(path.read_bytes())
        certificate = Certificate(tree["kind"], tree["claim"], tree["witness"])
        canonical = certificate.to_bytes() == path.read_bytes()
    except OSError as error:
        raise InputError(str(path), "be a readable file", error.strerror or "an error") from None
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        requirement = f"be a certificate of format {FORMAT}"
        raise InputError(str(path), requirement, f"no JSON ({error})") from None
    except (ValueError, KeyError, TypeError):
        canonical = False
    if not canonical:
        raise InputError(str(path), f"be a certificate of format {FORMAT}", "something else")
    return certificate


def write_whole(path: Path, data: bytes) -> None:
    """Write `data` to `path` so that no reader ever sees half of it."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        umask = os.umask(0)
        os.umask(umask)
        Path(name).chmod(0o666 & ~umask)
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            Path(name).unlink()
        raise


def exact(value: Fraction | int) -> str:
    """The one spelling of an exact number: lowest terms, any length."""
    numerator, denominator = fmpz(value.numerator), fmpz(value.denominator)
    return str(numerator) if denominator == 1 else f"{numerator}/{denominator}"


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
