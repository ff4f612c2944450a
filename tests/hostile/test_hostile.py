"""Files and folders that a stranger might send: always a verdict, little memory, little time."""

import json
import os
import random
import resource
import subprocess
import threading
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_checks.checker.cli import check_bytes, check_file, main
from proofs_checks.checker.kinds import KINDS, softmax_sweep
from proofs_checks.checker.reader import Limits, Node
from proofs_checks.checker.verdict import Outcome, Trial
from tests.hostile.fuzz import Campaign, Corpus
from tests.hostile.memory import lengthened
from tests.hostile.process import MEMORY, ROOT, run
from tests.mutation.engine import at, changed, paths, shipped, to_bytes

VERDICTS = {0: "VERIFIED", 4: "REJECTED", 3: "MALFORMED", 6: "DECLINED"}


def seed() -> bytes:
    return min((p for p in (ROOT / "certificates").glob("rank-gaps-*.json")), key=size).read_bytes()


def size(path: Path) -> int:
    return path.stat().st_size


def checked(path: Path, *options: str) -> subprocess.CompletedProcess[bytes]:
    """The command in a process of its own; its memory, time and output are held to the promise."""
    done = run(path, *options)
    noise, _, peak = done.stderr.rpartition(b"peak ")
    assert b"Traceback" not in done.stderr
    assert noise == b""
    assert int(peak) * 1024 <= MEMORY
    assert done.returncode in VERDICTS
    assert done.stdout.startswith(VERDICTS[done.returncode].encode())
    assert done.stdout.isascii()
    assert done.stdout.count(b"\n") == 2
    return done


def canonical(claim: Any, kind: str = "some-kind") -> bytes:
    tree = {"claim": claim, "format": "certify/1", "kind": kind, "witness": {}}
    return (json.dumps(tree, indent=2, sort_keys=True) + "\n").encode()


HOSTILE: dict[str, Callable[[], bytes]] = {
    "an integer of a million digits": lambda: canonical("7" * 10**6),
    "a count of a million digits": lambda: b'{\n  "a": ' + b"7" * 10**6 + b"\n}\n",
    "an exponent bomb": lambda: canonical("1e999999"),
    "a float that overflows": lambda: b'{\n  "a": 1e999999999\n}\n',
    "many exponents at the limit": lambda: canonical(["1e20000"] * 10_000),
    "a million empty lists": lambda: b"[" + b"[]," * 10**6 + b"[]]\n",
    "a million counts": lambda: canonical([1] * 10**6),
    "as many counts as there may be": lambda: canonical([1] * 849_000, "softmax-drift"),
    "as many long strings": lambda: canonical(["1" * 20] * 849_000, "softmax-drift"),
    "a million levels": lambda: b"[" * 10**6,
    "a million levels of objects": lambda: b'{"a":' * 10**6,
    "a thousand levels that end": lambda: b"[" * 1000 + b"]" * 1000 + b"\n",
    "a field twice": lambda: b'{\n  "claim": {},\n  "claim": {}\n}\n',
    "a hundred thousand fields": lambda: canonical({f"a{k}": "1" for k in range(10**5)}),
    "half a surrogate pair": lambda: canonical("\ud800"),
    "both halves": lambda: b'{\n  "a": "\\ud83d\\ude00"\n}\n',
    "not a number": lambda: b'{\n  "a": NaN\n}\n',
    "infinity": lambda: b"-Infinity\n",
    "a byte order mark": lambda: b"\xef\xbb\xbf" + seed(),
    "two encodings": lambda: seed().decode().encode("utf-16"),
    "zeros": lambda: bytes(10**6),
    "trailing text": lambda: seed() + b"VERIFIED\n",
    "carriage returns": lambda: seed().replace(b"\n", b"\r\n"),
    "digits of another alphabet": lambda: '{\n  "a": "\u0661"\n}\n'.encode(),
    "a verdict in the kind": lambda: canonical({}, "x\nVERIFIED  y.json"),
    "a long string": lambda: canonical("a" * 30_000_000),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_bytes_in_a_real_process(name: str, tmp_path: Path) -> None:
    path = tmp_path / "hostile.json"
    path.write_bytes(HOSTILE[name]())
    assert checked(path).returncode in (3, 6)


def test_the_largest_file_that_is_read_keeps_to_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    row = b'    "' + b"7" * 100 + b'",\n'
    whole = canonical(["7" * 100])
    path.write_bytes(whole.replace(row[:-2] + b"\n", row * (10**6 // 4) + row[:-2] + b"\n"))
    assert (20 << 20) < size(path) < (32 << 20)
    assert checked(path).returncode == 6


def test_as_many_rates_as_there_may_be_keep_to_the_memory(tmp_path: Path) -> None:
    tree = json.loads(shipped("bernoulli-routing")[0].read_bytes())
    tree["claim"]["system"]["service_rates"] = ["11"] * 849_000
    path = tmp_path / "rates.json"
    path.write_bytes(to_bytes(tree))
    assert checked(path).returncode == 4


def colliding(count: int) -> list[str]:
    """Numbers of one hash, which hash(n) = n mod 2**61 - 1 makes of a table a list."""
    multiples = (str(k * (2**61 - 1)) for k in range(1, 2 * count))
    return [text for text in multiples if not text.endswith("0")][:count]


def crowded(kind: str) -> bytes:
    """A claim with so many of them where a table could be made of a claim's numbers."""
    tree = json.loads(shipped(kind)[0].read_bytes())
    claim, row = tree["claim"], tree["claim"].get("values", [{}])[0]
    if kind == "softmax-drift":
        claim["system"]["service_rates"] = colliding(16_000)
    elif kind == "fluid-noise":
        claim["joint"] = [["1", text, "1/16000"] for text in colliding(16_000)]
        claim["estimate"] = "signal"
    else:
        ends = ({"lo": text, "hi": text} for text in colliding(12_000))
        claim["values"] = [{**row, "imbalance": "1/2", "cutoff": cutoff} for cutoff in ends]
    return to_bytes(tree)


@pytest.mark.parametrize("kind", ["softmax-drift", "fluid-noise", "fluid-enclosure"])
def test_numbers_of_one_hash(kind: str, tmp_path: Path) -> None:
    """Minutes each, if a table were kept by the numbers themselves."""
    path = tmp_path / "crowded.json"
    path.write_bytes(crowded(kind))
    assert checked(path).returncode == 4


def test_energies_of_one_hash_and_states_of_one_server(tmp_path: Path) -> None:
    """Both took a time that grows with the square of the states: minutes for this file."""
    tree = json.loads(shipped("softmax-stationary")[0].read_bytes())
    prime, jobs = str(2**61 - 1), 40_000
    system = {"arrival_rate": "1", "service_rates": ["3"], "slopes": [prime], "offsets": ["0"]}
    tree["claim"] = {
        "policy": "shortest-queue",
        "system": system,
        "mean_total_queue": {"lo": "0", "hi": "1e40"},
    }
    zeros = ["0"] * (jobs + 1)
    tree["witness"] = {"precision": 96, "eps": "1", "shares": ["1"], "excess": "0", "slope": "1"}
    tree["witness"] |= {"total": jobs, "upper": zeros, "lower": zeros}
    path = tmp_path / "one.json"
    path.write_bytes(to_bytes(tree))
    assert checked(path).returncode == 0


def test_long_numbers_that_are_read_again_at_every_point_are_paid_for() -> None:
    """Fractions of 9,000 digits above and below, seven of them: about 20 ms a point."""
    tree = json.loads(shipped("softmax-sweep")[0].read_bytes())
    claim, witness, zeros = tree["claim"], tree["witness"], "0" * 8998
    near_one, tiny = f"1{zeros}1/1{zeros}2", f"1/1{zeros}3"
    claim["system"] |= {"arrival_rate": tiny, "service_rates": [near_one], "alpha": near_one}
    claim["eps"], witness["shares"] = [tiny], [[tiny]]

    def steps(count: int) -> int:
        claim["grid"] = {"beta": [near_one], "gamma": [str(k) for k in range(count)]}
        claim["grid"] |= {"offset": ["0"]}
        claim["R"], claim["mean_queue_bound"] = ["99"] * count, [f"1{zeros}00000"] * count
        trial = Trial(10**9)
        softmax_sweep.check(Node(claim, "claim"), Node(witness, "witness"), trial)
        return 10**9 - trial._steps

    assert steps(3) - steps(2) > 15_000


@pytest.mark.parametrize("name", ["pipe", "socket", "folder", "/dev/zero", "/dev/null", "/dev/tty"])
def test_what_is_no_regular_file(name: str, tmp_path: Path) -> None:
    if name == "pipe":
        os.mkfifo(tmp_path / "pipe")
    if name == "folder":
        (tmp_path / "folder").mkdir()
        (tmp_path / "folder" / "loop.json").symlink_to(tmp_path / "folder")
        assert main([str(tmp_path / name)]) == 2
        return
    if name == "socket":
        import socket

        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(tmp_path / "socket"))
            assert check_file(tmp_path / name).outcome is Outcome.MALFORMED
        return
    assert check_file(tmp_path / name).outcome is Outcome.MALFORMED


def test_links_are_followed_only_when_named(tmp_path: Path) -> None:
    (tmp_path / "good.json").write_bytes(seed())
    (tmp_path / "link.json").symlink_to("good.json")
    (tmp_path / "round.json").symlink_to("round.json")
    assert check_file(tmp_path / "link.json").outcome is Outcome.VERIFIED
    assert check_file(tmp_path / "round.json").outcome is Outcome.MALFORMED
    assert main([str(tmp_path)]) == 0


def test_a_folder_of_ten_thousand_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for k in range(10_000):
        (tmp_path / f"{k}.json").write_bytes(b"{}\n")
    (tmp_path / "good.json").write_bytes(seed())
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert main([str(tmp_path)]) == 3
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MEMORY // 1024
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 10_002
    assert "seen 10001  skipped 0  verified 1" in lines[-1]
    assert lines[-1].startswith("SUMMARY")


def test_a_file_that_changes_while_it_is_read(tmp_path: Path) -> None:
    """What was read is what is judged: nothing is read twice."""
    path, good, stop = tmp_path / "changing.json", seed(), threading.Event()
    path.write_bytes(good)

    def change() -> None:
        while not stop.is_set():
            path.write_bytes(good[: len(good) // 2])
            path.write_bytes(good.replace(b"1", b"2"))
            path.write_bytes(good)

    writer = threading.Thread(target=change)
    writer.start()
    try:
        seen = {check_file(path).outcome for _ in range(100)}
    finally:
        stop.set()
        writer.join()
    assert seen <= {Outcome.VERIFIED, Outcome.MALFORMED, Outcome.REJECTED}


def test_a_file_that_grows_is_read_to_the_limit_only(tmp_path: Path) -> None:
    path = tmp_path / "growing.json"
    with path.open("wb") as file:
        file.truncate(1 << 40)  # a file with a hole: no disk is used
    report = check_file(path, Limits(file_bytes=1 << 20))
    assert report.outcome is Outcome.DECLINED


def test_a_file_that_vanishes_in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.json").write_bytes(seed())
    (tmp_path / "b.json").write_bytes(seed())
    opened = os.open

    def vanish(path: Path, flags: int) -> int:
        if Path(path).name == "b.json":
            (tmp_path / "b.json").unlink()
        return opened(path, flags)

    monkeypatch.setattr(os, "open", vanish)
    assert main([str(tmp_path)]) == 3


SEEDS = [path.read_bytes() for kind in ("rank-gaps", "fluid-value", "sarsa-gate", "identity")
         for path in shipped(kind)[:1]]  # fmt: skip
PIECES = st.sampled_from(
    [b"", b"{", b"}", b"[", b"]", b'"', b",", b":", b"\n", b"0", b"-", b"1e99999", b"null", b"NaN",
     b"\\ud800", b"\xff", b"\x00", b"9" * 5000, b"[" * 300, b'"a": "1",\n  ']
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(SEEDS), st.lists(st.tuples(st.floats(0, 1), PIECES, st.integers(0, 9))))
def test_spoiled_certificates_get_a_verdict(
    data: bytes, spoils: list[tuple[float, bytes, int]]
) -> None:
    for place, piece, dropped in spoils:
        at = int(place * len(data))
        data = data[:at] + piece + data[at + dropped :]
    report = check_bytes(data, "x", Limits(steps=3_000_000))
    assert report.outcome in Outcome
    assert all(" " <= letter <= "~" for letter in report.line())


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes_get_a_verdict(data: bytes) -> None:
    report = check_bytes(data)
    assert report.outcome in (Outcome.MALFORMED, Outcome.DECLINED)
    assert all(" " <= letter <= "~" for letter in report.line())


def test_hostile_values_in_the_formats_own_spelling() -> None:
    """A short run of the fuzzer; most of its files are read and meet the code of their kind."""
    corpus, campaign, chance = Corpus(), Campaign(steps=50_000), random.Random(0)
    for _ in range(150):
        campaign.one(corpus.input(chance))
    assert campaign.reached() > 0.8
    assert len(campaign.rows) > 20


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_of_thousands_of_digits_in_every_field(kind: str) -> None:
    """Also words about a number, whether they are printed or not, must not spell out all of it."""
    long = f"{'1' + '0' * 9000 + '1'}/{'3' + '0' * 9000}"
    campaign, seen = Campaign(steps=20_000), set()
    for file in [each for each in shipped(kind) if size(each) < 40_000][:4]:
        tree = json.loads(file.read_bytes())
        for path in paths(tree):
            value = at(tree, path)
            fields = tuple(step for step in path if isinstance(step, str))
            if fields not in seen and isinstance(value, str) and value.strip("-")[0].isdigit():
                seen.add(fields)
                far = "1e-20000" if path[-1] in ("lo", "hi") else long
                campaign.one(to_bytes(changed(tree, [(list(path), far)])))
    assert not campaign.rows["(not read)"].verdicts


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("rank-limits-4", "claim.limit_rates: fractions"),
        ("rank-gaps-4", "claim.rho: fractions"),
        ("rank-difference-2-light", "witness.lower.table: decimals"),
        ("softmax-stationary-one", "witness.upper: decimals"),
        ("sarsa-gate-two", "claim.weights: fractions"),
    ],
)
def test_lists_as_long_as_a_file_may_be(name: str, place: str, tmp_path: Path) -> None:
    """The worst took 414 MiB, for every element was kept twice before they were counted."""
    tree = json.loads((ROOT / "certificates" / f"{name}.json").read_bytes())
    path = tmp_path / "long.json"
    lists = [each for each in paths(tree) if ".".join(map(str, each)) == place.partition(":")[0]]
    path.write_bytes(to_bytes(dict(lengthened(tree, lists))[place]()))
    assert checked(path).returncode in (3, 4, 6)


def test_tables_as_long_as_a_file_may_have_keep_to_the_memory(tmp_path: Path) -> None:
    """Two servers, 420,000 states: the length is right, so the tables are kept."""
    tree = json.loads(shipped("softmax-stationary")[0].read_bytes())
    assert len(tree["claim"]["system"]["service_rates"]) == 2
    table = [str(10**9 + 10 * k + 1) for k in range((918 * 917) // 2)]
    tree["witness"] |= {"total": 916, "upper": table, "lower": table}
    path = tmp_path / "tables.json"
    path.write_bytes(to_bytes(tree))
    assert checked(path).returncode in (4, 6)


def test_heights_of_long_slopes_keep_to_the_memory(tmp_path: Path) -> None:
    """60,000 energies of 66,000 bits each, half a gigabyte, from a file of one megabyte."""
    slope, jobs = "1" + "0" * 19_990, 60_000
    system = {"arrival_rate": "1/2", "service_rates": ["1"], "slopes": [slope], "offsets": ["0"]}
    mean = {"lo": "0", "hi": "1e19995"}
    claim = {"policy": "shortest-queue", "system": system, "mean_total_queue": mean}
    zeros = ["0"] * (jobs + 1)
    witness: dict[str, Any] = {"precision": 96, "eps": f"5{slope[2:]}", "shares": ["1/2"]}
    witness |= {"excess": "0", "slope": "1", "total": jobs, "upper": zeros, "lower": zeros}
    tree = {"claim": claim, "format": "certify/1", "kind": "softmax-stationary"}
    path = tmp_path / "heights.json"
    path.write_bytes(to_bytes(tree | {"witness": witness}))
    assert checked(path).returncode in (0, 6)


def test_consistent_files_that_keep_all_they_list(tmp_path: Path) -> None:
    """Lengths that agree, so that all is kept: these took 300 to 490 MiB."""
    count = 280_000
    atoms = [[str(Fraction(2 * k, count + 1)), f"1/{count}"] for k in range(1, count + 1)]
    wide = {"lo": "0", "hi": "1"}
    many: dict[str, Any] = {"law": {"atoms": atoms}, "load": "1/3", "saving": wide}
    many["values"] = [{"imbalance": "0", "value": wide}]
    gap = {"lo": "1e-420", "hi": "3e-420"}
    gaps = json.loads((ROOT / "certificates" / "rank-gaps-100.json").read_bytes())
    names = ("rho", "mean_gaps", "gap_variances", "mean_ranked_queues")
    length = 62_000
    gaps["claim"] |= {"servers": 10**6, "gaps": list(range(length))}
    gaps["claim"] |= dict.fromkeys(names, [gap] * length)
    gaps["witness"]["arithmetic"] = "enclosed"
    keys = {f"k{k}": "1" for k in range(800_000)}
    trees = [
        {"kind": "fluid-many-sizes", "claim": many, "witness": {"precision": 1000, "sectors": [0]}},
        gaps,
        {"kind": "some-kind", "claim": keys, "witness": {}},
    ]
    for number, tree in enumerate(trees):
        path = tmp_path / f"{number}.json"
        path.write_bytes(to_bytes({**tree, "format": "certify/1"}))
        assert checked(path).returncode == 6, f"number {number}"


def test_a_refusal_that_shows_a_long_list_cuts_it(tmp_path: Path) -> None:
    """Lines of 3 and of 9 megabytes."""
    tree = json.loads(shipped("sarsa-mean-field")[0].read_bytes())
    tree["witness"]["law"][0]["state"] = [123456789] * 200_000
    path = tmp_path / "state.json"
    path.write_bytes(to_bytes(tree))
    done = checked(path)
    assert done.returncode == 4
    assert len(done.stdout) < 1_000
