"""Files that people name and write: a path, and its text in UTF-8, or what is wrong with it."""

import os
from pathlib import Path
from typing import Any

from certify.errors import InputError


class NotText(ValueError):
    """Bytes that are no text, with the place, such as "not UTF-8 at byte 8 (line 2)"."""


def text_of(data: bytes) -> str:
    """The text of UTF-8 bytes without the mark of their order; NotText if they are not UTF-8.

    Bytes and lines are counted from 1. A zero byte, which no text holds, is not accepted either.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotText(f"not UTF-8 at {_place(data, error.start)}") from None
    if "\0" in text:
        raise NotText(f"text with a zero at {_place(data, data.index(0))}")
    return text.removeprefix("\ufeff")


def to_path(value: Any) -> Path:
    """The path that a string or another path names; InputError for all else."""
    if not isinstance(value, str | os.PathLike):
        raise InputError("path", "be the path of a file", value)
    return Path(value)


def _place(data: bytes, index: int) -> str:
    line = data.count(b"\n", 0, index) + 1
    return f"byte {index + 1} (line {line})"
