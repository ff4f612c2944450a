"""The command in this process: what each verdict becomes on paper, in JSON and as a status."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from proofs_checks.checker import cli
from proofs_checks.checker.cli import Report, certificates, check_bytes, check_file, escape, main
from proofs_checks.checker.kernel.interval import Undecided
from proofs_checks.checker.reader import DEFAULT, Limits
from proofs_checks.checker.verdict import Outcome, Refusal, Trial
from tests.checker.test_claims import SYSTEM

CERTIFICATES = Path(__file__).parents[2] / "certificates"
GOOD = CERTIFICATES / "softmax-equilibrium-light-3.json"
KIND = "softmax-equilibrium"
ROW = f'[[row]]\nid = "a"\nsource = "b"\nverdict = "confirmed"\ncertificate = "{GOOD.name}"\n'
TEST = 'printed = "K is small"\ntest = { field = "K", relation = "at_most", value = '
HOLDS, DIFFERS = f"{ROW}{TEST}2 }}\n{SYSTEM}", f"{ROW}{TEST}0 }}\n{SYSTEM}"
MISSING = HOLDS.replace(GOOD.name, "absent.json")
LISTED = '[[row]]\nid = "l"\nsource = "b"\nprinted = "words"\nverdict = "open"\n'


def changed(old: str, new: str) -> bytes:
    text = GOOD.read_text()
    assert old in text
    return text.replace(old, new, 1).encode()


def raising(error: BaseException) -> Callable[..., Any]:
    def check(*_: object, **__: object) -> None:
        raise error

    return check


BAD = {
    "rejected": changed('"arrival_rate": "2"', '"arrival_rate": "3"'),
    "malformed": b"{}",
    "declined": changed(KIND, "no-such-kind"),
}


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """A file for each verdict."""
    found = {"good": GOOD} | {name: tmp_path / f"{name}.json" for name in BAD}
    for name, data in BAD.items():
        found[name].write_bytes(data)
    return found


def test_the_verdict_on_bytes() -> None:
    good = check_bytes(GOOD.read_bytes())
    assert (good.path, good.outcome, good.kind, good.refusal) == ("-", Outcome.VERIFIED, KIND, None)
    assert good.digits is not None
    assert good.digits >= 50
    assert good.tested["root-below"] == 1
    assert good.claim is not None
    assert good.claim.path == "claim"
    for name, data in BAD.items():
        bad = check_bytes(data, "x y")
        assert bad.outcome.value == name.upper()
        assert bad.refusal is not None
        assert (bad.text, bad.claim, bad.digits) == (str(bad.refusal), None, None)
        assert bad.line().startswith(f"{name.upper()}  x\\x20y  ")
        shown = f"  {KIND}  " in bad.line()
        assert shown == (name == "rejected")
    rejected = check_bytes(BAD["rejected"])
    assert rejected.refusal is not None
    assert rejected.tested[rejected.refusal.condition] > 0
    assert check_bytes(BAD["declined"]).kind == "no-such-kind"
    for outcome in Outcome:
        line = Report("x", outcome, KIND, "text").line()
        shown = KIND in line
        assert shown == (outcome in (Outcome.VERIFIED, Outcome.REJECTED))
    assert good.line() == f"VERIFIED  -  {KIND}  {good.text}"


def test_what_is_undecided_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(cli.KINDS, KIND, SimpleNamespace(check=raising(Undecided("too wide"))))
    report = check_bytes(GOOD.read_bytes())
    assert (report.outcome, report.kind) == (Outcome.REJECTED, KIND)
    assert report.refusal is not None
    assert report.refusal.condition == "undecided"
    assert report.refusal.found == "too wide"


def test_an_error_of_the_checker_stops_no_other_file(
    files: dict[str, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def check(_claim: object, _witness: object, trial: Trial) -> None:
        trial.tested["begun"] += 1
        raise ZeroDivisionError("x" * 300)

    monkeypatch.setitem(cli.KINDS, KIND, SimpleNamespace(check=check))
    report = check_bytes(GOOD.read_bytes(), "good")
    assert (report.outcome, report.kind) == (Outcome.DECLINED, KIND)
    assert report.text == f"internal error: ZeroDivisionError: {'x' * 200}"
    assert report.tested == {"begun": 1}
    assert main([str(files[name]) for name in ("good", "malformed")]) == 1
    out = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in out] == ["DECLINED", "MALFORMED", "SUMMARY"]
    assert out[-1].startswith("SUMMARY  seen 2  skipped 0  verified 0  rejected 0  malformed 1")


def test_limits_and_missing_files(tmp_path: Path, files: dict[str, Path]) -> None:
    for limits in (Limits(file_bytes=100), Limits(steps=10)):
        assert check_file(GOOD, limits).outcome is Outcome.DECLINED
        assert check_bytes(GOOD.read_bytes(), "-", Limits(steps=10)).outcome is Outcome.DECLINED
    assert check_file(GOOD, DEFAULT).outcome is Outcome.VERIFIED
    assert check_file(GOOD).path == str(GOOD)
    missing = check_file(tmp_path / "none.json")
    assert (missing.outcome, missing.kind) == (Outcome.MALFORMED, "")
    assert missing.path == str(tmp_path / "none.json")
    assert missing.refusal is not None
    assert missing.text == str(missing.refusal)


def test_the_larger_limit_is_the_one_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli, "DEFAULT", Limits(file_bytes=100))
    assert main([str(GOOD)]) == 6
    assert main([str(GOOD), "--limit", "default"]) == 6
    assert main([str(GOOD), "--limit", "large"]) == 0
    monkeypatch.setattr(cli, "load", raising(ImportError("not there")))
    capsys.readouterr()
    assert main([str(GOOD), "--arithmetic", "arb"]) == 2
    out, errors = capsys.readouterr()
    assert (out, errors) == ("", "proofs-check: --arithmetic arb: not there\n")


def test_the_arithmetic_is_named_unless_it_is_the_checker_s(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[str] = []
    given: list[object] = []
    checked = cli.check_file

    def load(name: str) -> str:
        asked.append(name)
        return f"arithmetic {name}"

    def check(path: Path, limits: Limits, arithmetic: object) -> Report:
        given.append(arithmetic)
        return checked(path, limits)

    monkeypatch.setattr(cli, "load", load)
    monkeypatch.setattr(cli, "check_file", check)
    for arguments, name in (([], "own"), (["--arithmetic", "arb"], "arb")):
        assert main([*arguments, str(GOOD)]) == 0
        assert asked[-1] == name
        assert given[-1] == f"arithmetic {name}"
        last = capsys.readouterr().out.splitlines()[-1]
        assert last.endswith("  arithmetic arb") == (name == "arb")
        assert ("arithmetic" in last) == (name == "arb")


def test_which_files_of_a_folder_are_checked(tmp_path: Path) -> None:
    for name in ("b/schema/in.json", "schema/out.json", "a.json", "b/c.json", "b/notes.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"{}")
    (tmp_path / "schema.json").write_bytes(b"{}")
    (tmp_path / "link.json").symlink_to(GOOD)
    (tmp_path / "linked").symlink_to(tmp_path / "b")
    found = [(str(path.relative_to(tmp_path)), checked) for path, checked in certificates(tmp_path)]
    assert found == [
        ("linked", False),
        ("a.json", True),
        ("link.json", False),
        ("schema.json", True),
        ("b/c.json", True),
        ("b/notes.txt", False),
        ("b/schema/in.json", True),
        ("schema/out.json", False),
    ]
    assert list(certificates(GOOD)) == [(GOOD, True)]
    assert list(certificates(tmp_path / "none")) == [(tmp_path / "none", True)]


def test_the_order_of_a_folder_is_not_the_system_s(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "abc":
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.json").write_bytes(b"{}")
    walk = os.walk

    def backwards(*given: Any, **options: Any) -> Any:
        for folder, names, files in walk(*given, **options):
            names.sort(reverse=True)
            yield folder, names, files

    monkeypatch.setattr(os, "walk", backwards)
    assert [path.parent.name for path, _ in certificates(tmp_path)] == ["a", "b", "c"]


def test_folders_that_cannot_be_listed_come_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.json").write_bytes(b"{}")
    listed = os.scandir

    def scandir(path: str) -> Any:
        if str(path).endswith("a"):
            raise PermissionError(13, "Permission denied", str(path))
        return listed(path)

    monkeypatch.setattr(os, "scandir", scandir)
    assert list(certificates(tmp_path)) == [
        (tmp_path / "b" / "x.json", True),
        (tmp_path / "a", True),
    ]


def test_only_printable_ascii_is_not_escaped() -> None:
    for code in [*range(0x3000), 0xD800, 0xDFFF, 0xFFFF, 0x10FFFF]:
        plain = " " <= chr(code) <= "~" and chr(code) != "\\"
        text = escape(chr(code))
        assert (text == chr(code)) == plain
        assert plain or (text[0] == "\\" and text.isascii() and text.isprintable())
    assert escape("a ~!b\\") == "a ~!b\\\\"
    assert escape("\x1f\x7f\n\u202e\xe9") == "\\x1f\\x7f\\n\\u202e\\xe9"


CODES = {"rejected": 4, "malformed": 3, "declined": 6, "good": 0}


def test_the_status_of_several_files(
    files: dict[str, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    order = list(CODES)  # the first decides
    for first, name in enumerate(order):
        assert main([str(files[each]) for each in reversed(order[first:])]) == CODES[name]
        summary = capsys.readouterr().out.splitlines()[-1].split("  ")
        assert summary[:4] == ["SUMMARY", f"seen {4 - first}", "skipped 0", "verified 1"]
        assert [f"{each} 1" in summary for each in order[:3]] == [k >= first for k in range(3)]
    monkeypatch.setitem(cli.KINDS, KIND, SimpleNamespace(check=raising(ValueError("x"))))
    assert main([str(path) for path in files.values()]) == 1
    assert main([str(files["malformed"]), str(files["rejected"])]) == 1


def test_the_status_with_claims(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    claims = tmp_path / "claims.toml"
    for text, names, code in (
        (HOLDS, ["good"], 0),
        (LISTED, ["good"], 0),
        (DIFFERS, ["good"], 4),
        (MISSING, ["good"], 5),
        (MISSING, ["good", "declined"], 6),
        (MISSING, ["good", "malformed", "declined"], 3),
        ("row = 3", ["good"], 3),
        ("row = 3", ["good", "rejected"], 4),
        (DIFFERS, ["good", "malformed"], 4),
        ("row = 3", ["good", "declined"], 3),
    ):
        claims.write_text(text)
        arguments = ["--claims", str(claims), *(str(files[name]) for name in names)]
        assert main(arguments) == code
        lines = capsys.readouterr().out.splitlines()
        assert len(lines) == len(names) + 2
        assert lines[-2].startswith("CLAIM  ")
        word = lines[-2].split("  ")[1]
        assert lines[-1].endswith(f"  claims_{word} 1")
        assert main(["--json", *arguments]) == code
        report = json.loads(capsys.readouterr().out)
        assert [row["judgement"] for row in report["claims"]] == [word]
        assert report["summary"][f"claims_{word}"] == 1
        assert report["summary"]["seen"] == len(names)
    claims.write_text(LISTED.replace("words", "a \\u00e9"))
    main(["--claims", str(claims), str(GOOD)])
    assert "  l  open; b: a \\xe9\n" in capsys.readouterr().out


def test_the_same_file_without_its_claims(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--json", str(GOOD)]) == 0
    text = capsys.readouterr().out
    assert text.startswith('{\n  "certificates": [\n    {\n      "path": ')
    report = json.loads(text)
    assert report["claims"] == []
    assert set(report["summary"]) == {"seen", "skipped", *(o.value.lower() for o in Outcome)}


def test_the_report_in_full(files: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--json", *(str(files[name]) for name in ("good", "rejected"))]) == 4
    good, bad = json.loads(capsys.readouterr().out)["certificates"]
    keys = {"path", "verdict", "kind", "text", "digits", "tested"}
    assert (set(good), set(bad)) == (keys, keys | {"refusal"})
    assert (good["path"], good["verdict"], good["kind"]) == (str(GOOD), "VERIFIED", KIND)
    assert set(bad["refusal"]) == {"condition", "where", "expected", "found", "difference"}
    assert bad["refusal"]["condition"] in bad["tested"]
    refusal = check_bytes(BAD["rejected"]).refusal
    assert isinstance(refusal, Refusal)
    assert bad["refusal"] == {key: getattr(refusal, key) for key in bad["refusal"]}


def test_claims_are_kept_only_where_they_are_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[bool] = []
    (tmp_path / "claims.toml").write_text(LISTED)
    monkeypatch.setattr(cli, "_plain", lambda report: kept.append(report.claim is not None))
    main(["--json", str(GOOD)])
    main(["--json", str(GOOD), "--claims", str(tmp_path)])
    assert kept == [False, True]


def test_explanations_are_asked_for(
    files: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    main([str(GOOD)])
    plain = capsys.readouterr().out.splitlines()
    main(["--explain", str(GOOD), str(files["rejected"])])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == plain[0]
    assert len(plain) == 2
    assert lines[1] == f"    theorem: proofs_checks/theorems/{KIND}.md"
    assert any("FAILED" in line for line in lines)
    main(["--explain", "--json", str(GOOD)])
    json.loads(capsys.readouterr().out)
    identity = next(CERTIFICATES.glob("identity-*.json"))
    main(["--explain", str(identity)])
    alone = capsys.readouterr().out
    main(["--explain", "--claims", "none.toml", str(identity)])
    assert set(alone.splitlines()[:-1]) <= set(capsys.readouterr().out.splitlines())


def test_skipped_files_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a.txt", "b.txt", "c.json"):
        (tmp_path / name).write_bytes(GOOD.read_bytes())
    assert main([str(tmp_path), str(GOOD)]) == 0
    assert "  seen 2  skipped 2  verified 2  " in capsys.readouterr().out.splitlines()[-1]
    (tmp_path / "c.json").unlink()
    assert main([str(tmp_path)]) == 2
    assert main([]) == 2
    out, errors = capsys.readouterr()
    assert (out, errors) == ("", "proofs-check: nothing to check (see --help)\n" * 2)


@pytest.mark.parametrize(
    "arguments", [["--limit", "huge", "x"], ["--arithmetic", "os", "x"], ["--claims"], ["", "x"]]
)
def test_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert capsys.readouterr().err.startswith("usage: proofs-check ")


def test_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["--help"])
    assert caught.value.code == 0
    text = capsys.readouterr().out
    assert "\n  130  interrupted\n" in text
    assert "[PATH ...]" in text
    assert "--claims PATH" in text


@pytest.mark.parametrize(
    ("error", "code", "words", "closed"),
    [
        (KeyboardInterrupt(), 130, "proofs-check: interrupted\n", False),
        (ValueError("a\nb"), 1, "internal error: ValueError: a\\nb\n", False),
        (OSError("full"), 1, "internal error: OSError: full\n", True),
        (BrokenPipeError(), 1, "", True),
    ],
)
def test_the_last_resort(
    error: BaseException,
    code: int,
    words: str,
    closed: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """After an error of writing, nothing that is left in the buffer fails once more at the end."""
    replaced: list[tuple[int, int]] = []
    opened: list[tuple[str, int]] = []
    monkeypatch.setattr(cli, "run", raising(error))
    monkeypatch.setattr(os, "open", lambda *given: opened.append(given) or 77)
    monkeypatch.setattr(os, "dup2", lambda *given: replaced.append(given))
    monkeypatch.setattr(sys.stdout, "fileno", lambda: 88, raising=False)
    status = main([str(GOOD)])
    monkeypatch.undo()
    assert status == code
    assert capsys.readouterr().err == words
    assert replaced == [(77, 88)] * closed
    assert opened == [(os.devnull, os.O_WRONLY)] * closed


class Screen:
    """A standard error that is a terminal or is none."""

    def __init__(self, terminal: bool) -> None:
        self.terminal, self.text, self.flushed = terminal, "", ""

    def isatty(self) -> bool:
        return self.terminal

    def write(self, text: str) -> None:
        self.text += text

    def flush(self) -> None:
        self.flushed = self.text


def test_progress_is_written_over(
    files: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hostile = tmp_path / "\x1b[2J\n.json"
    hostile.write_bytes(b"{}")
    for terminal in (True, False):
        screen = Screen(terminal)
        monkeypatch.setattr(sys, "stderr", screen)
        main([str(hostile), str(files["malformed"])])
        lines = [r"checking \x1b[2J\n.json ...", "checking malformed.json ..."]
        shown = "".join(f"{line}\r{' ' * len(line)}\r" for line in lines)
        assert screen.text == screen.flushed == (shown if terminal else "")
    monkeypatch.setattr(sys, "stderr", None)
    assert main([str(GOOD)]) == 0


def test_progress_is_erased_when_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen(True)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(cli, "check_file", raising(KeyboardInterrupt()))
    path = f"{'n' * 60}.json"
    assert main([path]) == 130
    line = f"checking {'n' * 50} ..."
    assert screen.text == f"{line}\r{' ' * len(line)}\rproofs-check: interrupted\n"


def test_a_verdict_is_written_when_it_is_known(
    files: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = Screen(False)
    monkeypatch.setattr(sys, "stdout", screen)
    main([str(files["malformed"])])
    assert screen.flushed.startswith("MALFORMED  ")


def test_what_claims_may_rest_on() -> None:
    good = check_bytes(GOOD.read_bytes(), "folder/name.json").proved()
    assert (good.name, good.verified, good.kind) == ("name.json", True, KIND)
    assert good.claim is not None
    assert good.tested["root-below"] == 1
    assert not check_bytes(BAD["rejected"]).proved().verified
    assert Report("x", Outcome.DECLINED, "", "").tested == {}
