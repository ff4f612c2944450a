"""Whatever is written goes into a regular file: through a symbolic link, never over a device."""

import os
import pickle
import socket
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from certify.certificate import Certificate
from certify.errors import InputError
from certify.files import make_folder, to_target, write_whole
from certify.fluid import dispatch
from certify.fluid.controller import optimal_controller

CERTIFICATE = Certificate("kind", {}, {})
GRID = 'kind = "rank-gaps"\na = 2\nb = 1\n[grid]\nservers = [2, 3]\n'
VALUE = 'kind = "fluid-value"\nload = 0.75\n[law]\natoms = [["1/2", "1/2"], ["3/2", "1/2"]]\n'


def certify(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "certify.cli", *words]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False, timeout=60)


def is_fifo(path: Path) -> bool:
    return stat.S_ISFIFO(path.lstat().st_mode)


@pytest.mark.parametrize("there", [True, False])
def test_a_symbolic_link_stays_and_its_target_is_written(tmp_path: Path, there: bool) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    if there:
        (inner / "real.json").write_text("old")
    link, second = tmp_path / "link.json", tmp_path / "second.json"
    link.symlink_to(Path("inner") / "real.json")
    second.symlink_to("link.json")
    CERTIFICATE.write(second)
    assert link.is_symlink()
    assert second.is_symlink()
    assert (inner / "real.json").read_bytes() == CERTIFICATE.to_bytes()
    assert [path.name for path in inner.iterdir()] == ["real.json"], "no temporary file is left"


def test_what_is_no_regular_file_is_refused_and_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    Path("folder").mkdir()
    Path("file").touch()
    Path("to-pipe").symlink_to("pipe")
    Path("loop").symlink_to("loop")
    for name, sentence in (
        ("pipe", "path must be a regular file or a new one, but was pipe, no regular file."),
        ("to-pipe", "path must be a regular file or a new one, but was to-pipe, no regular file."),
        ("folder", "path must be a regular file or a new one, but was folder, a folder."),
        ("loop", "path must be writable (Too many levels of symbolic links), but was loop."),
        ("file/x.json", "path must be writable (Not a directory), but was file/x.json."),
        ("new/x.json", "path must be in a folder that is there, but was new/x.json."),
        ("-", "path must be a path (standard output is not written to), but was -."),
    ):
        with pytest.raises(InputError) as refused:
            CERTIFICATE.write(name)
        assert str(refused.value) == sentence
    assert is_fifo(Path("pipe"))
    assert Path("to-pipe").is_symlink()
    assert {path.name for path in Path().iterdir()} == {"pipe", "folder", "file", "to-pipe", "loop"}


def test_a_full_disk_is_told_and_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.json"
    path.write_text("old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(InputError, match=r"^path must be writable \(No space left on device\)"):
        write_whole(path, b"new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_socket_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the path of a socket is short
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("socket")
        with pytest.raises(InputError, match="no regular file"):
            to_target(Path("socket"))


def test_a_folder_is_no_dash() -> None:
    with pytest.raises(InputError, match=r"^--out must be a path"):
        make_folder(Path("-"), "--out")


@pytest.mark.parametrize("end", ["-controller.py", "-cutoffs.csv"])
def test_a_controller_is_written_to_regular_files(tmp_path: Path, end: str) -> None:
    os.mkfifo(tmp_path / f"x{end}")
    controller = optimal_controller(dispatch([("1/2", "1/2"), ("3/2", "1/2")], "3/4"), "x")
    with pytest.raises(InputError, match="no regular file"):
        controller.write(tmp_path, "x")
    assert is_fifo(tmp_path / f"x{end}")


COMMANDS: dict[str, Callable[[str], tuple[str, ...]]] = {
    "pipe.json": lambda name: ("make", "p.toml", "-o", name),
    "p.json": lambda _: ("make", "p.toml"),
    "p-controller.py": lambda _: ("policy", "p.toml"),
    "p-cutoffs.csv": lambda _: ("policy", "p.toml"),
    "points.csv": lambda _: ("sweep", "g.toml", "-o", ".", "--jobs", "1"),
    "rank-gaps-4.json": lambda _: ("reproduce", "-o", ".", "--jobs", "1"),
    "report.html": lambda name: ("reproduce", "-o", "out", "--report", name, "--jobs", "1"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_leaves_a_pipe_alone(tmp_path: Path, name: str) -> None:
    """And says so before it computes anything."""
    (tmp_path / "p.toml").write_text(VALUE)
    (tmp_path / "g.toml").write_text(GRID)
    os.mkfifo(tmp_path / name)
    done = certify(*COMMANDS[name](name), cwd=tmp_path)
    assert done.returncode == 2
    option = "--report" if name == "report.html" else "--out"
    assert done.stderr.strip().splitlines()[-1] == (
        f"certify: {option} must be a regular file or a new one, but was {name}, no regular file."
    )
    assert is_fifo(tmp_path / name)
    assert not list(tmp_path.rglob("*.json")) or name.endswith(".json")


@pytest.mark.parametrize("command", ["make", "policy"])
def test_a_link_to_itself_is_no_bug(tmp_path: Path, command: str) -> None:
    (tmp_path / "p.toml").write_text(VALUE)
    (tmp_path / "p.json").symlink_to("p.json")
    done = certify(command, "p.toml", cwd=tmp_path)
    assert done.returncode == 2
    assert "--out must be writable (Too many levels of symbolic links)" in done.stderr


def test_no_command_writes_to_a_dash(tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(VALUE)
    (tmp_path / "g.toml").write_text(GRID)
    for words in (("make", "p.toml"), ("policy", "p.toml"), ("sweep", "g.toml"), ("reproduce",)):
        done = certify(*words, "-o", "-", cwd=tmp_path)
        assert done.returncode == 2
        assert "--out must be a path (standard output is not written to)" in done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"p.toml", "g.toml"}


def test_several_problems_are_not_written_to_one_file(tmp_path: Path) -> None:
    done = certify("make", "rank-gaps-4", "rank-gaps-5", "-o", "one.json", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == (
        "certify: --out must be a folder for several problems (one that is there, or a name that "
        "ends in /), but was one.json.\n"
    )
    assert not list(tmp_path.iterdir())
    done = certify("make", "rank-gaps-4", "rank-gaps-5", "-o", "one/", cwd=tmp_path)
    assert done.returncode == 0
    assert len(list((tmp_path / "one").iterdir())) == 2


def test_the_problem_itself_is_not_overwritten_by_a_policy(tmp_path: Path) -> None:
    (tmp_path / "p.json").write_text(VALUE)
    done = certify("policy", "p.json", cwd=tmp_path)
    assert done.returncode == 2
    assert "--out must be another file than the problem" in done.stderr
    assert (tmp_path / "p.json").read_text() == VALUE


def test_what_a_worker_cannot_write_is_told_in_its_sentence() -> None:
    error = InputError("path", "be writable (No space left on device)", Path("x.json"))
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy), copy.field) == (InputError, str(error), "path")
