"""Bad input ends with status 2 and one sentence that names field, requirement and value."""

import os
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

SYSTEM = """
[system]
arrival_rate = {arrival_rate}
service_rates = {service_rates}
alpha = {alpha}
beta = {beta}
gamma = {gamma}
offset = {offset}
"""
GOOD = {
    "arrival_rate": "2",
    "service_rates": "[1, 1.5]",
    "alpha": "20",
    "beta": "0.85",
    "gamma": "0.5",
    "offset": "0.5",
}


def equilibrium(head: str = "", **changes: str) -> str:
    return f'kind = "softmax-equilibrium"\n{head}' + SYSTEM.format(**(GOOD | changes))


CASES = {
    "load one": (
        equilibrium(arrival_rate="2.5"),
        "system.arrival_rate must be less than the total service rate 2.5 (when they are equal the "
        "equilibrium is not unique: a half-line of them), but was 5/2.",
    ),
    "overload": (
        equilibrium(arrival_rate="3"),
        "system.arrival_rate must be less than the total service rate 2.5, but was 3.",
    ),
    "no arrivals": (
        equilibrium(arrival_rate="0"),
        "system.arrival_rate must be positive, but was 0.",
    ),
    "negative rate": (
        equilibrium(service_rates="[1, -1.5]"),
        "system.service_rates[1] must be positive, but was -3/2.",
    ),
    "zero rate": (
        equilibrium(service_rates="[0, 3]"),
        "system.service_rates[0] must be positive, but was 0.",
    ),
    "no servers": (
        equilibrium(service_rates="[]"),
        "system.service_rates must be a non-empty list of numbers, but was [].",
    ),
    "one rate, not a list": (
        equilibrium(service_rates="3"),
        "system.service_rates must be a non-empty list of numbers, but was 3.",
    ),
    "alpha zero": (equilibrium(alpha="0"), "system.alpha must be positive, but was 0."),
    "beta negative": (equilibrium(beta="-0.5"), "system.beta must be positive, but was -1/2."),
    "offset negative": (
        equilibrium(offset='"-1/3"'),
        "system.offset must be at least 0, but was -1/3.",
    ),
    "wrong type": (
        equilibrium(gamma="true"),
        'system.gamma must be an exact number such as 0.85 or "17/20", but was True.',
    ),
    "not a number": (
        equilibrium(gamma='"1/0"'),
        "system.gamma must be an exact number such as 0.85 or \"17/20\", but was '1/0'.",
    ),
    "infinite": (
        equilibrium(gamma="inf"),
        "system.gamma must be an exact number such as 0.85 or \"17/20\", but was 'inf'.",
    ),
    "digits zero": (
        equilibrium(head="digits = 0\n"),
        "digits must be a whole number from 1 to 10000, but was 0.",
    ),
    "too many digits": (
        equilibrium(head="digits = 10_000_000\n"),
        "digits must be a whole number from 1 to 10000, but was 10000000.",
    ),
    "digits as text": (
        equilibrium(head='digits = "50"\n'),
        "digits must be a whole number from 1 to 10000, but was '50'.",
    ),
    "unknown key": (
        equilibrium(head="digit = 3\n"),
        "digit must be a known key (here: digits, kind, large, servers, system), but was unknown "
        "(did you mean digits?).",
    ),
    "unknown key inside": (
        equilibrium() + "delta = 1\n",
        "system.delta must be a known key (here: alpha, arrival_rate, beta, gamma, offset, "
        "service_rates), but was unknown.",
    ),
    "two unknown keys": (
        equilibrium(head="digit = 3\nzeta = 1\n"),
        "digit must be a known key (here: digits, kind, large, servers, system), but was unknown "
        "(did you mean digits?), as is zeta.",
    ),
    "many unknown keys": (
        equilibrium(head="a = 1\nb = 1\nc = 1\nservres = 1\nd = 1\nw = 1\nx = 1\n"),
        "a must be a known key (here: digits, kind, large, servers, system), but was unknown, as "
        "are b, c, d, servres (did you mean servers?) and 2 more.",
    ),
    "missing key": (
        'kind = "softmax-equilibrium"\n[system]\narrival_rate = 1\nservice_rates = [2]\n',
        "system.alpha must be given, but was missing.",
    ),
    "misspelt key": (
        equilibrium().replace("alpha", "alhpa"),
        "system.alpha must be given, but was missing (is alhpa a misspelling of it?).",
    ),
    "energies beyond every limit": (
        equilibrium(alpha="1e9"),
        "system must keep every |log theta_i| below 40000, but was up to 5e+08.",
    ),
    "missing system": (
        'kind = "softmax-equilibrium"\n',
        "system must be given, but was missing.",
    ),
    "system not a table": (
        'kind = "softmax-equilibrium"\nsystem = 3\n',
        "system must be a table, but was 3.",
    ),
    "weights of another length": (
        'kind = "softmax-equilibrium"\n[system]\narrival_rate = 1\nservice_rates = [2, 3]\n'
        "weights = [1]\ntemperature = 1\n",
        "system.weights must have 2 entries, but was 1.",
    ),
    "weight zero": (
        'kind = "softmax-equilibrium"\n[system]\narrival_rate = 1\nservice_rates = [2, 3]\n'
        "weights = [1, 0]\ntemperature = 1\n",
        "system.weights[1] must be positive, but was 0.",
    ),
    "temperature zero": (
        'kind = "softmax-equilibrium"\n[system]\narrival_rate = 1\nservice_rates = [2, 3]\n'
        "weights = [1, 2]\ntemperature = 0\n",
        "system.temperature must be positive, but was 0.",
    ),
    "more digits than Python prints": (
        equilibrium(alpha="-1e9999"),
        "system.alpha must be positive, but was about -1.000e+9999.",
    ),
    "servers neither": (
        equilibrium(head='servers = "some"\n'),
        "servers must be one of all, summary, but was some.",
    ),
}


def certify(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "certify.cli", *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, cwd=cwd, env=dict(os.environ), check=False
    )


@pytest.mark.parametrize("case", CASES)
def test_one_sentence_and_nothing_written(case: str, tmp_path: Path) -> None:
    from certify.errors import InputError
    from certify.kinds import make_file

    text, sentence = CASES[case]
    problem = tmp_path / "problem.toml"
    problem.write_text(text)
    with pytest.raises(InputError) as caught:
        make_file(problem)
    assert str(caught.value) == sentence


FILES = {
    "empty": (b"", "problem.toml must hold a problem, but was an empty file."),
    "binary": (
        b"\x00\n\xff\x80",
        "problem.toml must be UTF-8 text, but was not UTF-8 at byte 3 (line 2).",
    ),
    "a zero": (
        b"kind = 3\x00",
        "problem.toml must be UTF-8 text, but was text with a zero at byte 9 (line 1).",
    ),
    "syntax": (b"kind = \n", "problem.toml must be valid TOML, but was "),
    "unknown kind": (b'kind = "x"\n', "kind must be a kind of problem "),
    "no kind": (b"load = 1\n", "kind must be given, but was missing."),
    "huge integer": (b"digits = 1" + b"0" * 5000, "problem.toml must be valid TOML, but was "),
    "huge exponent": (
        b'kind = "softmax-equilibrium"\n[system]\narrival_rate = 1e99999\nservice_rates = [1]\n',
        "system.arrival_rate must be an exact number",
    ),
}


@pytest.mark.parametrize("case", FILES)
def test_a_bad_file_through_a_process(case: str, tmp_path: Path) -> None:
    data, sentence = FILES[case]
    (tmp_path / "problem.toml").write_bytes(data)
    done = certify("make", "problem.toml", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(f"certify: {sentence}")
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["problem.toml"]


STEEP = """
kind = "fluid-enclosure"
load = 0.75
law = { family = "bounded-pareto", shape = "1e30", ratio = 10 }
"""


def test_a_missing_file_and_bad_targets(tmp_path: Path) -> None:
    done = certify("make", "none.toml", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (
        2,
        "certify: PROBLEM must be a TOML file or a shipped problem (see `certify problems`), "
        "but was none.toml.\n",
    )
    name = "softmax-equilibrium-light-3"
    (tmp_path / "file").write_text("")
    for command in (("make", name), ("policy", "fluid-value-running"), ("reproduce",)):
        done = certify(*command, "-o", "file/x/", cwd=tmp_path)
        assert done.returncode == 2
        assert "--out must be a folder (Not a directory), but was file/x" in done.stderr
    (tmp_path / "file").unlink()
    (tmp_path / "mine.toml").write_text("kind = 3")
    done = certify("make", "mine.toml", "-o", "mine.toml", cwd=tmp_path)
    assert done.returncode == 2
    assert "--out must be another file than the problem" in done.stderr
    assert (tmp_path / "mine.toml").read_text() == "kind = 3"
    (tmp_path / "mine.toml").rename(tmp_path / "bad.toml")
    (tmp_path / "steep.toml").write_text(STEEP)
    for problems, status in ((["bad", "steep"], 2), (["steep", "bad"], 1)):
        done = certify("make", *(f"{each}.toml" for each in problems), name, cwd=tmp_path)
        assert done.returncode == status, "that of the first one"
        said = [line for line in done.stderr.splitlines() if not line.startswith("computing ")]
        expected = {
            "bad": "certify: bad.toml: kind must be a kind of problem",
            "steep": "certify: out of reach: steep.toml: no piece is small enough.",
        }
        assert len(said) == 2
        assert all(
            line.startswith(expected[each]) for line, each in zip(said, problems, strict=True)
        )
        (tmp_path / f"{name}.json").unlink()  # it is made although others fail
    (tmp_path / "bad.toml").unlink()
    (tmp_path / "steep.toml").unlink()
    done = certify("make", name, name, cwd=tmp_path)
    assert done.returncode == 2
    assert not list(tmp_path.iterdir())


def test_what_is_missing_does_not_stop_the_others(tmp_path: Path) -> None:
    """Whether there is no such problem, or a folder where its certificate is to be."""
    first, last = "rank-gaps-5", "softmax-equilibrium-light-3"
    long = "x" * 300
    for missing in ("nosuch", "nosuch.toml", long):
        done = certify("make", first, missing, last, cwd=tmp_path)
        assert done.returncode == 2
        assert done.stderr == (
            "certify: PROBLEM must be a TOML file or a shipped problem (see `certify problems`), "
            f"but was {missing if missing != long else 117 * 'x' + '...'}.\n"
        )
        for name in (first, last):
            (tmp_path / f"{name}.json").unlink()
    (tmp_path / f"{first}.json").mkdir()
    done = certify("make", first, last, cwd=tmp_path)
    assert done.returncode == 2
    assert "--out must be a regular file or a new one, but was rank-gaps-5.json" in done.stderr
    assert (tmp_path / f"{last}.json").is_file()
    done = certify("make", "nosuch", "neither", cwd=tmp_path)
    said = done.stderr.splitlines()
    assert [line.rpartition(" ")[2] for line in said] == ["nosuch.", "neither."]


def test_a_missing_folder_is_made(tmp_path: Path) -> None:
    name = "rank-gaps-5"
    for output, written in (("new/", f"new/{name}.json"), ("a/b/x.json", "a/b/x.json")):
        assert certify("make", name, "-o", output, cwd=tmp_path).returncode == 0
        assert (tmp_path / written).is_file()


def test_a_misspelt_word_gets_a_suggestion(tmp_path: Path) -> None:
    from certify.errors import InputError
    from certify.kinds import make_file
    from certify.shipped import find

    with pytest.raises(InputError, match=r"was fluid-value-runing \(did you mean fluid-value-run"):
        find("fluid-value-runing")
    for text, end in (
        ('kind = "fluid-valeu"', "but was fluid-valeu (did you mean fluid-value?)."),
        (
            'kind = "fluid-enclosure"\nload = 0.5\n[law]\nfamily = "weibul"',
            "but was weibul (did you mean weibull?).",
        ),
        (
            'kind = "fluid-value"\nload = 0.5\nimbalence = [0]\n[law]\natoms = [[1, 1]]',
            "but was unknown (did you mean imbalances?).",
        ),
    ):
        (tmp_path / "p.toml").write_text(text)
        with pytest.raises(InputError) as caught:
            make_file(tmp_path / "p.toml")
        assert str(caught.value).endswith(end)


def test_usage_errors_have_status_two(tmp_path: Path) -> None:
    assert certify("no-such-command", cwd=tmp_path).returncode == 2
    assert certify("make", cwd=tmp_path).returncode == 2
    assert certify("make", "--no-such-option", cwd=tmp_path).returncode == 2


def test_make_writes_the_certificate_and_show_reads_it(tmp_path: Path) -> None:
    done = certify("make", "softmax-equilibrium-light-3", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    path = tmp_path / "softmax-equilibrium-light-3.json"
    committed = Path(__file__).parents[2] / "certificates" / path.name
    assert path.read_bytes() == committed.read_bytes()
    done = certify("show", path.name, cwd=tmp_path)
    assert done.returncode == 0
    assert "3 servers has exactly one equilibrium" in done.stdout
    assert "(52 digits)" in done.stdout or "(51 digits)" in done.stdout
    for data in (b"", b"[]", b"{}", b'{"kind": 1}', b"\xff"):
        path.write_bytes(data)
        done = certify("show", path.name, cwd=tmp_path)
        assert done.returncode == 2
        assert "must be a certificate of format certify/1" in done.stderr


def test_problems_lists_what_ships(tmp_path: Path) -> None:
    done = certify("problems", cwd=tmp_path)
    assert done.returncode == 0
    assert "softmax-equilibrium-benchmark" in done.stdout


LONG = ["1e999999999", "-1e10000", "0.5e-99999", "1/" + "3" * 4001, Decimal("1e999999999")]


@pytest.mark.parametrize("text", LONG)
def test_numbers_that_are_too_long_are_told_the_bound(text: str | Decimal) -> None:
    from certify.errors import InputError
    from certify.problem import to_rational

    with pytest.raises(InputError) as refused:
        to_rational(text, "load")
    assert "with at most 4,000 digits and an exponent up to 9,999, but was" in str(refused.value)


def test_a_decimal_is_exact() -> None:
    from certify.problem import Table, to_rational

    assert to_rational(Decimal("-0.85"), "x") == Fraction(-17, 20)
    assert to_rational(Decimal("1E+30"), "x") == 10**30
    assert Table({"x": [Decimal("2e-1")]}).rationals("x") == (Fraction(1, 5),)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        *((None, "None"), (True, "True"), ("abc", "'abc'"), (float("nan"), "nan"), (1j, "1j")),
        *((Decimal("NaN"), "NaN"), (Decimal("-Infinity"), "-Infinity"), ("1/0", "'1/0'")),
    ],
)
def test_no_literal_is_recommended_that_python_takes_for_a_float(value: Any, shown: str) -> None:
    from certify import InputError
    from certify.fluid import Exponential, dispatch

    with pytest.raises(InputError) as refused:
        dispatch(Exponential(), value)
    assert str(refused.value) == (
        f'load must be an exact number such as 2, "0.85" or "17/20", but was {shown}.'
    )


@pytest.mark.parametrize(
    ("both", "given"),
    [
        ({"weights": [1]}, "weights"),
        ({"temperature": 1, "weights": [1]}, "weights and temperature"),
    ],
)
def test_a_system_is_of_one_family(both: dict[str, object], given: str) -> None:
    from certify.errors import InputError
    from certify.kinds import make
    from certify.problem import Table

    system = {"arrival_rate": 1, "service_rates": [2], "alpha": 2} | both
    with pytest.raises(InputError) as refused:
        make(Table({"kind": "softmax-equilibrium", "system": system}))
    assert str(refused.value) == (
        "system must have either alpha, beta, gamma, offset, or weights and temperature, but was "
        f"given with alpha and {given}."
    )


def test_equal_rates_are_told_what_they_have() -> None:
    """No steady state under any rule, and of equilibria, where one is asked for, too many."""
    from certify.errors import InputError
    from certify.kinds import make
    from certify.problem import read
    from certify.shipped import problems

    told = {}
    for path in problems():
        table = read(path)
        system = table.values.get("system")
        others = "bernoulli-routing", "sarsa"  # single servers; queues with a limit
        if not isinstance(system, dict) or table.values["kind"].startswith(others):
            continue
        system["arrival_rate"] = sum(map(Fraction, system["service_rates"]))
        with pytest.raises(InputError) as refused:
            make(table)
        told[table.values["kind"]] = refused.value.requirement.partition(" (when ")[2]
    half_line = "they are equal the equilibrium is not unique: a half-line of them)"
    expected = dict.fromkeys(told, "they are equal there is no steady state)")
    expected |= dict.fromkeys(["softmax-equilibrium", "softmax-convergence"], half_line)
    assert len(told) >= 10
    assert told == expected
