"""Files whose lists or powers are long: out of steps before they take much memory or time."""

import json
import os
import subprocess
import sys
import time
import tracemalloc
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from proofs_checks.checker import cli
from proofs_checks.checker.reader import Limits
from proofs_checks.checker.verdict import Outcome
from tests.hostile.process import ROOT
from tests.mutation.engine import Tree, to_bytes

READ = 12_000_000  # bytes for the file itself and its values, at most


def shipped(name: str) -> Tree:
    tree: Tree = json.loads((ROOT / "certificates" / f"{name}.json").read_bytes())
    return tree


def gaps_of_limits() -> Tree:
    tree = shipped("rank-limits-4")
    tree["claim"] |= {"servers": 10**5, "gaps": list(range(20_000))}
    return tree


def gaps_at_high_precision() -> Tree:
    tree, count, wide = shipped("rank-gaps-10000"), 3_000, {"lo": "0", "hi": "1e30"}
    tree["claim"] |= {"servers": count, "gaps": list(range(count))}
    for name, value in tree["claim"].items():
        if isinstance(value, list) and name != "gaps":
            tree["claim"][name] = [wide] * count
    tree["witness"] = {"arithmetic": "enclosed", "precision": 7_000}
    return tree


def bins() -> Tree:
    tree = shipped("fluid-bracket-uniform")
    tree["claim"]["law"] = {"family": "uniform", "lowest": "0"}
    tree["claim"]["bins"] = [f"{k}/1000003" for k in range(1, 20_000)]
    return tree


def phases() -> Tree:
    tree = shipped("softmax-convergence-symmetric-4")
    falling = (f"{10**18 - k}/1000000000000000003" for k in range(20_000))
    tree["witness"]["phases"] = [{"radius": radius, "rate": "0"} for radius in falling]
    return tree


def components() -> Tree:
    """A hundred components, each with a logarithm and powers of its own."""
    tree = shipped("fluid-enclosure-path-exponential")
    law = {"family": "bounded-pareto", "shape": "3/2", "ratio": "100"}
    part = {"weight": "1/100", "mean": "1", "law": law}
    wide = {"lo": "-1", "hi": "2"}
    tree["claim"]["law"] = {"family": "mixture", "atoms": [], "components": [part] * 100}
    tree["claim"] |= {"load": "1/4", "exit_cutoff": "infinity", "saving": wide}
    tree["claim"].pop("path", None)
    none = {"lo": "0", "hi": "0"}
    tree["claim"]["values"] = [{"imbalance": "0", "value": wide, "cutoff": none, "time": wide}]
    knots = [str(Fraction(k, 100_003)) for k in range(90_000, 90_020)] + ["1", "2"]
    tree["witness"] = {"precision": 2_000, "knots": knots, "terms": [0] * 21}
    return tree


def powers() -> Tree:
    """Two sides that differ, whose values at a point have millions of bits."""
    tree = shipped("identity-fluid-value-euler")
    primes: list[Any] = []
    for k in range(8):
        linear = ["sum", ["product", str(2**4085 + 2 * k + 1), "y"], str(2**4085 - 2 * k - 1)]
        inverse = ["quotient", "1", linear]
        turned = ["quotient", "1", inverse] if k % 2 else inverse
        primes.append(["power", turned, 200])
    tree["claim"] |= {"name": "unnamed", "variables": ["y"], "derivations": []}
    tree["claim"]["definitions"] = [{"name": "a", "value": ["product", *primes]}]
    tree["claim"] |= {"left": "a", "right": ["product", "2", "a"]}
    return tree


FILES = {
    gaps_of_limits: 10_000_000,
    gaps_at_high_precision: 20_000_000,
    bins: 10_000_000,
    phases: 7_000_000,
    components: 3_000_000,
    powers: 5_000_000,
}


@pytest.mark.parametrize("make", FILES, ids=lambda make: make.__name__)
def test_what_is_long_is_out_of_steps_first(make: Any) -> None:
    data, steps = to_bytes(make()), FILES[make]
    start = time.process_time()
    tracemalloc.start()
    try:
        found = cli.check_bytes(data, limits=Limits(steps=steps))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found.outcome is Outcome.DECLINED, found.line()
    assert "work budget" in found.text
    assert peak < steps + READ
    assert time.process_time() - start < 10 + Fraction(steps, 10**6)


def test_intervals_are_counted_before_they_are_read() -> None:
    tree = shipped("softmax-equilibrium-wsq-2")
    tree["claim"]["theta"] = [{"lo": "1e-440", "hi": "1e-440"}] * 20_000
    tracemalloc.start()
    try:
        found = cli.check_bytes(to_bytes(tree))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found.refusal is not None
    assert (found.refusal.condition, found.refusal.where) == ("shape", "claim.theta")
    assert peak < READ


def test_files_that_are_too_long_keep_nothing_and_the_next_is_checked(tmp_path: Path) -> None:
    """Of nine files of 33 MiB each refusal kept its own; so did the report of a claim before."""
    good = ROOT / "certificates" / "fluid-value-running-light.json"
    for k in range(9):
        os.truncate(os.open(tmp_path / f"a{k}.json", os.O_CREAT | os.O_WRONLY), (32 << 20) + 1)
    command = [sys.executable, "-m", "proofs_checks", str(tmp_path), str(good)]
    done = subprocess.run(command, capture_output=True, cwd=ROOT, check=False, text=True)
    assert (done.returncode, done.stderr) == (6, "")
    words = [line.split()[0] for line in done.stdout.splitlines()]
    assert words == ["DECLINED"] * 9 + ["VERIFIED", "SUMMARY"]


def test_a_statement_of_millions_of_characters_is_declined() -> None:
    tree = shipped("identity-fluid-value-euler")
    long: Any = ["sum", *(f"{10**300 + k}/7" for k in range(1, 900) if (10**300 + k) % 7)]
    for _ in range(5):
        long = ["quotient", "1", long]
    tree["claim"] |= {"name": "unnamed", "variables": ["y"], "derivations": []}
    tree["claim"] |= {"definitions": [], "left": long, "right": long}
    found = cli.check_bytes(to_bytes(tree))
    assert found.outcome is Outcome.DECLINED
    assert "the statement expected at most 1000000 characters" in found.text


def test_long_parameters_of_ranks_are_paid_for() -> None:
    tree = shipped("rank-difference-2-light")
    zeros = "0" * 8_999
    tree["claim"] |= {"a": f"1{zeros}1/1{zeros}0", "b": f"1/1{zeros}3"}
    report = cli.check_bytes(to_bytes(tree), limits=Limits(steps=1_000_000))
    assert report.outcome is Outcome.DECLINED
    assert "work budget" in report.text
