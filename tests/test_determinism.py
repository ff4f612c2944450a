"""One problem, the same bytes: whatever the hash seed, locale, folder, cores and Python version."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
COMMITTED = ROOT / "certificates"
NAMES = (  # one of every domain, with and without irrational numbers; together they take a second
    "bernoulli-routing-hot",
    "fluid-bracket-running",
    "fluid-many-sizes-running-light",
    "fluid-value-running",
    "identity-softmax-equilibrium-root",
    "rank-gaps-original-4",
    "rank-limits-4",
    "sarsa-gate-two",
    "shortest-queue-drift-wsq-two",
    "softmax-drift-two-uas",
    "softmax-equilibrium-wsq-2",
    "softmax-stationary-wsq-two",
)
SETTINGS = {
    "hash seed 1, no UTF-8": {
        "PYTHONHASHSEED": "1",
        "LC_ALL": "POSIX",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
    },
    "hash seed 4294967295, plain locale": {"PYTHONHASHSEED": "4294967295", "LC_ALL": "C"},
    "any hash seed, Turkish": {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8", "TZ": "Asia/Aden"},
}
MAKE = ("-m", "certify.cli", "make", *NAMES)


def run(
    *command: str | Path, cwd: Path, code: Path = ROOT, **settings: str
) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "PYTHONPATH": str(code)}
    return subprocess.run(
        [str(each) for each in command],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=environment | settings,
        check=False,
    )


def same_as_committed(folder: Path) -> None:
    assert sorted(path.name for path in folder.iterdir()) == sorted(f"{n}.json" for n in NAMES)
    for path in folder.iterdir():
        assert path.read_bytes() == (COMMITTED / path.name).read_bytes(), path.name


@pytest.fixture
def out(tmp_path: Path) -> Path:
    folder = tmp_path / "out"
    folder.mkdir()
    return folder


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the checker says of the committed certificates, here and as it is."""
    return checked(sys.executable, tmp_path_factory.mktemp("here"))


def checked(python: str, cwd: Path, code: Path = ROOT, **settings: str) -> str:
    files = [COMMITTED / f"{name}.json" for name in NAMES]
    done = run(python, "-m", "proofs_checks", *files, cwd=cwd, code=code, **settings)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize("setting", SETTINGS)
def test_any_hash_seed_and_locale(setting: str, tmp_path: Path, out: Path, verdicts: str) -> None:
    done = run(sys.executable, *MAKE, "-o", out, cwd=tmp_path, **SETTINGS[setting])
    assert done.returncode == 0, done.stderr
    same_as_committed(out)
    assert checked(sys.executable, tmp_path, **SETTINGS[setting]) == verdicts


def test_one_core(tmp_path: Path, out: Path) -> None:
    if shutil.which("taskset") is None:
        pytest.skip("taskset, which binds a process to a core, is not there")
    core = str(min(os.sched_getaffinity(0)))
    done = run("taskset", "-c", core, sys.executable, *MAKE, "-o", out, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    same_as_committed(out)


GRID = """kind = "softmax-equilibrium"
digits = 30
[system]
service_rates = [1, 2]
beta = 0.5
gamma = 0.5
offset = 0.5
[grid]
"system.alpha" = [1, 2, "7/3"]
"system.arrival_rate" = [1, 2.5]
"""


def test_one_job_or_two(tmp_path: Path) -> None:
    (tmp_path / "grid.toml").write_text(GRID)
    for jobs in ("1", "2"):
        command = ("-m", "certify.cli", "sweep", "grid.toml", "--jobs", jobs, "--out", jobs)
        done = run(sys.executable, *command, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    one, two = (
        {path.name: path.read_bytes() for path in (tmp_path / jobs).glob("*.json")}
        for jobs in ("1", "2")
    )
    assert len(one) == 6
    assert one == two


def test_a_checkout_that_cannot_be_written(tmp_path: Path, out: Path, verdicts: str) -> None:
    code = tmp_path / "checkout"
    for name in ("certify", "proofs_checks"):
        shutil.copytree(ROOT / name, code / name, ignore=shutil.ignore_patterns("__pycache__"))
    before = state(code)
    for path in [code, *code.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    settings = {"PYTHONDONTWRITEBYTECODE": "1"}  # no file mode keeps the superuser out
    done = run(sys.executable, *MAKE, "-o", out, cwd=code, code=code, **settings)
    assert done.returncode == 0, done.stderr
    same_as_committed(out)
    assert checked(sys.executable, code, code, **settings) == verdicts
    assert state(code) == before
    for path in [code, *code.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)


def state(folder: Path) -> dict[str, tuple[int, int]]:
    stats = {str(path): path.stat() for path in folder.rglob("*")}
    return {name: (stat.st_size, stat.st_mtime_ns) for name, stat in stats.items()}


def pythons() -> Iterator[str]:
    """Other interpreters from 3.11 on: on the path, or where pyenv and uv keep theirs."""
    homes = (Path.home() / ".pyenv" / "versions", Path.home() / ".local/share/uv/python")
    for minor in range(11, 16):
        if minor == sys.version_info.minor:
            continue
        installed = [path for home in homes for path in home.glob(f"*3.{minor}.*/bin/python3")]
        found = shutil.which(f"python3.{minor}")
        for candidate in [*map(str, installed), *([found] if found else [])]:
            done = subprocess.run([candidate, "-c", "pass"], capture_output=True, check=False)
            if done.returncode == 0:
                yield candidate
                break


OTHERS = pytest.mark.parametrize("python", [*pythons()])


@OTHERS
def test_any_python_checks_alike(python: str, tmp_path: Path, verdicts: str) -> None:
    assert checked(python, tmp_path) == verdicts


@OTHERS
def test_any_python_makes_the_same_bytes(python: str, tmp_path: Path, out: Path) -> None:
    if run(python, "-c", "import flint, typer, rich", cwd=tmp_path).returncode != 0:
        pytest.skip("certify's libraries are not installed there")
    done = run(python, *MAKE, "-o", out, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    same_as_committed(out)
