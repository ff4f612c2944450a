"""What a file may cost: memory and time follow the steps charged, and one fault stops nothing."""

import json
import re
import subprocess
import sys
import time
import tracemalloc
import weakref
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from proofs_checks.checker import cli
from proofs_checks.checker.kernel.interval import Interval, Undecided, enclose
from proofs_checks.checker.kernel.real import highest, lowest
from proofs_checks.checker.kinds import KINDS
from proofs_checks.checker.reader import Limits, Node
from proofs_checks.checker.verdict import Outcome, Refusal, Trial, decimal
from tests.hostile.process import ROOT

CERTIFICATES = Path(__file__).parents[2] / "certificates"
GOOD = CERTIFICATES / "softmax-drift-three.json"
HUGE = 4_000_000  # an exponent that intervals may have


def report(kind: str, claim: Any, witness: Any, steps: int = 300_000_000) -> cli.Report:
    tree = {"claim": claim, "format": "certify/1", "kind": kind, "witness": witness}
    data = (json.dumps(tree, indent=2, sort_keys=True) + "\n").encode()
    return cli.check_bytes(data, limits=Limits(steps=steps))


def system(arrival: str, rates: list[str], **others: str) -> dict[str, Any]:
    plain = {"alpha": "1", "beta": "1", "gamma": "0", "offset": "0"} | others
    return plain | {"arrival_rate": arrival, "service_rates": rates}


def out_of_steps(found: cli.Report) -> bool:
    return found.outcome is Outcome.DECLINED and "work budget" in found.text


# --- a fault of the checker ---------------------------------------------------------------------


FAULTS = [ValueError, OverflowError, RecursionError, ZeroDivisionError, KeyError]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_reported_for_its_file_and_the_others_are_checked(
    fault: type[Exception],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    def fails(claim: Node, witness: Node, trial: Trial) -> None:
        raise fault("no such thing")

    monkeypatch.setattr(KINDS["softmax-equilibrium"], "check", fails)
    bad = CERTIFICATES / "softmax-equilibrium-light-3.json"
    rejected = tmp_path / "rejected.json"
    tree = json.loads(GOOD.read_text())
    tree["claim"]["eps"] = "1"
    rejected.write_text(json.dumps(tree, indent=2, sort_keys=True) + "\n")
    assert cli.main([str(bad), str(rejected), str(GOOD)]) == 1
    first, second, third, summary = capsys.readouterr().out.splitlines()
    assert first.startswith(f"DECLINED  {bad}  internal error: {fault.__name__}: ")
    assert "no such thing" in first
    assert second.startswith("REJECTED")
    assert third.startswith("VERIFIED")
    assert summary.startswith("SUMMARY  seen 3  skipped 0  verified 1  rejected 1")
    assert cli.main(["--json", str(bad), str(GOOD)]) == 1
    found = json.loads(capsys.readouterr().out)["certificates"]
    assert found[0]["refusal"]["condition"] == cli.INTERNAL
    assert found[1]["verdict"] == "VERIFIED"


def test_an_interrupt_stops_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(claim: Node, witness: Node, trial: Trial) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(KINDS["softmax-drift"], "check", stopped)
    with pytest.raises(KeyboardInterrupt):
        cli.check_file(GOOD)


# --- numbers without bound ----------------------------------------------------------------------


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(value, dict):
        return [leaf for key in value for leaf in leaves(value[key], (*path, key))]
    if isinstance(value, list):
        return [leaf for k, each in enumerate(value[:2]) for leaf in leaves(each, (*path, k))]
    return [path] if isinstance(value, str) and value[-1:].isdigit() else []


SMALLEST: dict[str, Path] = {}
for file in sorted(CERTIFICATES.glob("*.json"), key=lambda path: path.stat().st_size):
    SMALLEST.setdefault(re.findall(r'"kind": "([^"]*)"', file.read_text())[0], file)


@pytest.mark.parametrize("kind", KINDS)
def test_long_numbers_are_no_fault(kind: str) -> None:
    tree = json.loads(SMALLEST[kind].read_text())
    nines, start = "9" * 5000, time.process_time()
    for *path, last in leaves(tree["claim"], ("claim",)) + leaves(tree["witness"], ("witness",)):
        place = tree
        for key in path:
            place = place[key]
        value = place[last]
        ends = ("1e5000", "-1e-5000") if last in ("lo", "hi") else (nines, f"1/{nines}")
        for place[last] in ends:
            found = report(kind, tree["claim"], tree["witness"])
            assert found.refusal is None or found.refusal.condition != cli.INTERNAL, found.text
            assert len(found.text) < 2_000
        place[last] = value
        if time.process_time() - start > 0.3:
            break


def test_the_count_that_was_written_out() -> None:
    huge = "1" + "0" * 5000
    cells = {"low": f"-{huge}", "high": huge, "cells": [{"multiplier": "0"}]}
    witness = {
        "precision": 64,
        "eps": "1/2",
        "linear": ["0", "0"],
        "increments": [[], []],
        "shares": ["1/2", "1/2"],
        "point": ["1/2", "1/2"],
        "levels": cells,
    }
    claim = {
        "system": system("1", ["1", "1"], alpha=f"1/{huge}"),
        "mean_queue_bound": "1" + "0" * 11000,
    }
    found = report("softmax-mean-queue", claim, witness)
    assert found.refusal is not None
    assert found.refusal.condition != cli.INTERNAL


def test_nothing_is_written_out_before_it_fails() -> None:
    class Number(Fraction):
        def __str__(self) -> str:
            raise AssertionError

    trial = Trial(100)
    trial.require("c", True, "w", ("more than", Number(1)), Number(1))
    with pytest.raises(Refusal, match=r"c: w expected more than 1/3 \[1, 2\], found 2$"):
        trial.require("c", False, "w", ("more than", Fraction(1, 3), [1, 2]), 2)


@pytest.mark.parametrize("exponent", [200_001, -200_001])
@pytest.mark.parametrize("scale", [Fraction(1), Fraction(3, 4), Fraction(4, 5), Fraction(5, 4)])
@pytest.mark.parametrize("sign", [1, -1])
def test_powers_of_two_lie_on_the_side_asked_for(exponent: int, scale: Fraction, sign: int) -> None:
    value = sign * scale * Fraction(2) ** exponent
    for up in (True, False):
        text = decimal(value, 10, up)
        assert text.startswith("-2**" if sign < 0 else "2**")
        shown = sign * Fraction(2) ** int(text.removeprefix("-").removeprefix("2**"))
        assert shown >= value if up else shown <= value
        assert Fraction(1, 4) <= shown / value <= 4
    assert "about 2**" in decimal(value, 10)


# --- the bounds of the system -------------------------------------------------------------------

GREEDY = {
    "one block": "bytearray(10**9)",
    "many small ones": "[[n] for n in range(10**9)]",
    "a long number": "1 << 10**11",
    "time": "all(n >= 0 for n in itertools.count())",
}
BOUNDED = (
    "import itertools, sys\n"
    "from dataclasses import replace\n"
    "from proofs_checks.checker import cli\n"
    "cli.DEFAULT = replace(cli.DEFAULT, seconds=4)\n"
    "cli.KINDS['drift-limit'].check = lambda claim, witness, trial: {}\n"
    "sys.exit(cli.main())\n"
)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems bound no data")
@pytest.mark.parametrize("name", GREEDY)
def test_what_no_charge_foresees_is_declined_and_the_others_are_checked(name: str) -> None:
    greedy = CERTIFICATES / "drift-limit-benchmark.json"
    command = [sys.executable, "-c", BOUNDED.format(GREEDY[name]), str(greedy), str(GOOD)]
    done = subprocess.run(command, capture_output=True, cwd=ROOT, check=False, timeout=600)
    assert (done.returncode, done.stderr) == (6, b"")
    first, second, _ = done.stdout.decode().splitlines()
    expected = {
        "time": "time expected at most 4 s of CPU, found more (try --limit large)",
    }.get(name, "memory expected less to keep, found more (try --limit large)")
    assert first == f"DECLINED  {greedy}  limit: {expected}"
    assert second.startswith("VERIFIED")


@pytest.mark.parametrize("data", [b"[1", b"\xff", b"{}", GOOD.read_bytes().replace(b"1", b"2")])
def test_a_refusal_keeps_nothing_of_the_check(data: bytes) -> None:
    refusal = cli.check_bytes(data).refusal
    assert refusal is not None
    assert (refusal.__traceback__, refusal.__context__) == (None, None)


def test_the_claim_of_a_file_is_let_go_before_the_next_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before: list[weakref.ref[cli.Report]] = []

    def checked(*arguments: Any) -> cli.Report:
        assert not any(each() for each in before)
        found = check(*arguments)
        before.append(weakref.ref(found))
        return found

    check = cli.check_file
    monkeypatch.setattr(cli, "check_file", checked)
    assert cli.main(["--explain", str(GOOD), str(GOOD)]) == 0
    assert len(before) == 2


def test_a_check_without_memory_is_declined(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(claim: Node, witness: Node, trial: Trial) -> None:
        raise MemoryError

    tree = json.loads(GOOD.read_text())
    monkeypatch.setattr(KINDS[tree["kind"]], "check", fails)
    report = cli.check_bytes(GOOD.read_bytes())
    assert report.outcome is Outcome.DECLINED
    assert report.text == "limit: memory expected less to keep, found more (try --limit large)"


# --- memory and time ----------------------------------------------------------------------------


def grid(count: int, **others: Any) -> cli.Report:
    axes = {name: [str(k + 1) for k in range(count)] for name in ("beta", "gamma", "offset")}
    claim = {
        "system": {"alpha": "1", "arrival_rate": "1", "service_rates": ["2"]},
        "grid": axes | others,
        "eps": ["1"],
        "R": ["1"],
        "mean_queue_bound": ["1"],
    }
    return report("softmax-sweep", claim, {"precision": 64, "excess": "0", "shares": [["1"]]})


def test_a_grid_is_not_written_out_before_its_length_is_known() -> None:
    tracemalloc.start()
    try:
        found = grid(600)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found.refusal is not None
    assert found.refusal.condition == "points"
    assert peak < 4_000_000
    assert not any(found.tested[name] for name in found.tested if name != "points")


@pytest.mark.parametrize("axis", ["beta", "gamma", "offset"])
def test_a_point_of_a_grid_counts_once(axis: str) -> None:
    found = grid(1, **{axis: ["1", "1"]})
    assert found.refusal is not None
    assert found.refusal.condition == "points"
    assert found.refusal.where == f"claim.grid.{axis}"


def tree_of_cells(count: int, cuts: int, cut: dict[str, Any], steps: int) -> cli.Report:
    servers = range(count)
    cells = [cut] * cuts + [{"multiplier": "0"}] * (cuts + 1)
    witness = {
        "precision": 64,
        "eps": f"1/{2 * count}",
        "linear": ["0" for _ in servers],
        "increments": [[] for _ in servers],
        "shares": [f"1/{count}" for _ in servers],
        "point": [f"1/{count}" for _ in servers],
        "levels": {"low": "-100", "high": "10", "cells": cells},
    }
    claim = {"system": system("1", ["1" for _ in servers]), "mean_queue_bound": "1000"}
    return report("softmax-mean-queue", claim, witness, steps)


def test_open_cells_are_paid_for() -> None:
    # 8 bytes for every server and open cell, far more than the steps allowed
    tracemalloc.start()
    try:
        found = tree_of_cells(300, 500, {"server": 0, "queue": 10}, 2_400_000)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert out_of_steps(found)
    assert found.tested["cover"] > 100
    assert peak < 2_400_000


@pytest.mark.parametrize(("count", "bits"), [(400, 64), (20, 40_000)])
def test_enclosures_of_many_servers_are_paid_for(count: int, bits: int) -> None:
    rates, shares = ["1/3"] * count, [f"1/{count}"] * count
    claim = {"system": system("1", rates), "eps": f"1/{9 * count}", "R": "1000"}
    claim |= {"mean_queue_bound": "100000000"}
    witness = {"precision": bits, "excess": "20", "shares": shares}
    needed = count * 20 * (200 + bits // 3)  # about the bytes of 20 enclosures for each
    start = time.process_time()
    assert report("softmax-drift", claim, witness, 6 * needed).outcome is Outcome.VERIFIED
    assert time.process_time() - start < 6 * needed / 1e6 + 1
    assert out_of_steps(report("softmax-drift", claim, witness, needed))


def test_levels_far_apart_cost_no_more_than_they_are_charged() -> None:
    offset, length, levels = 2_000_000, 100, 20
    increments = [str(Fraction(queue + 1, 2)) for queue in range(length)]
    cells: list[dict[str, Any]] = []
    for level in range(1, levels + 1):
        cells += [{"level": str(level)}, {"multiplier": "0"}]
    cells.append({"multiplier": "0"})
    witness = {
        "precision": 64,
        "eps": "1/2",
        "linear": ["0"],
        "increments": [increments],
        "shares": ["1/2"],
        "point": ["1"],
        "levels": {"low": "0", "high": str(offset + length + 5), "cells": cells},
    }
    claim = {
        "system": system("1/2", ["1"], offset=str(offset)),
        "mean_queue_bound": "1" + "0" * 80,
    }
    start = time.process_time()
    found = report("softmax-mean-queue", claim, witness, 1_000_000)
    assert found.outcome is Outcome.VERIFIED
    assert time.process_time() - start < 3


def test_slopes_of_a_large_beta_are_paid_for() -> None:
    rates, beta = ["1/2"] * 100, "2000000"
    claim = {
        "system": {"arrival_rate": "1", "service_rates": rates, "beta": beta},
        "eps": "1",
        "margin": "1",
        "slope": "1",
        "intercept": "1",
        "direction": ["1"] * 100,
    }
    tracemalloc.start()
    try:
        found = report("drift-limit", claim, {"precision": 64}, 20_000_000)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert out_of_steps(found)
    assert peak < 10_000_000


def test_tails_that_hold_are_not_written_out() -> None:
    tree = json.loads((CERTIFICATES / "queue-tail-wsq-two.json").read_text())
    claim, witness, count = tree["claim"], tree["witness"], 1000
    witness |= {"excess": "1", "precision": 64, "steps": [700_000] * count}
    claim |= {"R": "100", "threshold": "150"}
    claim["tails"] = [{"jobs": 999_999_999, "probability": "1"}] * count
    start = time.process_time()
    found = report("queue-tail", claim, witness, 1_000_000)
    assert found.outcome is Outcome.VERIFIED
    assert "P(|Q| >= 999999999) <= 1" in found.text
    assert time.process_time() - start < 1.5


# --- intervals of very different sizes ----------------------------------------------------------


def test_comparisons_of_sizes_far_apart_look_at_the_sizes() -> None:
    big, small = Interval(3, 3, HUGE, 64), Interval(3, 3, -HUGE, 64)
    third, start = Fraction(1, 3), time.process_time()
    for _ in range(2000):
        assert small.at_most(big)
        assert not big.at_most(small)
        assert small.below(third)
        assert big.above(third)
        assert (-big).below(-third)
        assert not (-big).at_least(third)
        assert big.hull(small).at_least(0)
        assert highest([small, big]) == big
        assert lowest([big, small]) == small
        assert small.floor() == 0
        assert (-small).floor() == -1
    assert time.process_time() - start < 2
    with pytest.raises(Undecided):
        big.floor()


def test_comparisons_agree_with_the_exact_ones() -> None:
    numbers = [Interval(m, m, e, 32) for m in (-5, -4, -1, 0, 1, 3, 4, 7) for e in (-3, -1, 0, 2)]
    for one in numbers:
        low = one.ends()[0]
        assert one.floor() == low // 1
        for other in numbers:
            found = other.ends()[0]
            for mate in (other, found):
                assert one.at_most(mate) == (low <= found)
                assert one.below(mate) == (low < found)
            assert one.at_least(found) == (low >= found)
            assert one.above(found) == (low > found)
            assert highest([one, other]).ends()[1] == max(low, found)
            assert lowest([one, other]).ends()[0] == min(low, found)
            hull = one.hull(other).ends()
            assert hull == (min(low, found), max(low, found))
    wide = enclose(Fraction(1, 3), 32).hull(enclose(5, 32))
    assert wide.upper().ends() == (Fraction(5), Fraction(5))
