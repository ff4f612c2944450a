"""Files that people name and write: their text in UTF-8, or what is wrong; a safe way to write."""

import contextlib
import os
import stat
import tempfile
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


def is_file(path: Path) -> bool:
    """Whether there is a file, and not where there can be none, as with too long a name."""
    try:
        return path.is_file()
    except OSError:
        return False


def make_folder(folder: Path, name: str) -> None:
    """Make a folder with those above it; InputError, about the field `name`, if it cannot be."""
    _check_dash(folder, name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(name, f"be a folder ({error.strerror})", folder) from None


def to_target(path: Path, name: str = "path") -> Path:
    """The file that is written for a path: itself, or what it is a symbolic link to.

    InputError, about the field `name`, for a device, a pipe or whatever else is there and no
    regular file, and for a folder that is not there.
    """
    _check_dash(path, name)
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        mode = None
    except OSError as error:
        raise InputError(name, f"be writable ({error.strerror})", path) from None
    if mode is not None and not stat.S_ISREG(mode):
        found = "a folder" if stat.S_ISDIR(mode) else "no regular file"
        raise InputError(name, "be a regular file or a new one", f"{path}, {found}")
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise InputError(name, "be in a folder that is there", path)
    return target


def write_whole(path: Path, data: bytes, name: str = "path") -> None:
    """Write `data` to the target of `path` so that no reader ever sees half of it.

    A temporary file in the same folder takes its place. InputError if that cannot be done.
    """
    target = to_target(path, name)
    try:
        _replace(target, data)
    except OSError as error:
        raise InputError(name, f"be writable ({error.strerror})", path) from None


def _replace(target: Path, data: bytes) -> None:
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=".certify-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        umask = os.umask(0)
        os.umask(umask)
        Path(temporary).chmod(0o666 & ~umask)
        Path(temporary).replace(target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            Path(temporary).unlink()
        raise


def _check_dash(path: Path, name: str) -> None:
    if str(path) == "-":
        raise InputError(name, "be a path (standard output is not written to)", path)


def _place(data: bytes, index: int) -> str:
    line = data.count(b"\n", 0, index) + 1
    return f"byte {index + 1} (line {line})"
