"""`python -m tests.hostile.fuzz [SECONDS] [SEED] [STEPS]`: hostile files for every kind.

Most inputs are shipped certificates in which a few numbers, lists, names and fields were replaced
by hostile ones in the format's own spelling, so that the file is read and the kind's own code meets
them; the others are changed byte by byte. With atheris (`pip install atheris`) the bytes follow the
branches of the checker that they reach. Every input must get one of the four verdicts, on one
printable line, without an exception, within the work budget and within the memory.

At the end the number of executions, the verdicts by kind, the slowest and the largest are printed;
status 1 if an input broke a promise, which is then written to build/hostile.json.
"""

import json
import random
import sys
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd
from pathlib import Path
from typing import Any

from tests.mutation.engine import Tree, shipped, spelled, to_bytes

try:
    import atheris
except ImportError:
    atheris = None

if atheris:
    with atheris.instrument_imports(include=["proofs_checks"]):
        from proofs_checks.checker.cli import check_bytes
        from proofs_checks.checker.kinds import KINDS
        from proofs_checks.checker.reader import DECIMAL, EXACT, Limits
else:
    from proofs_checks.checker.cli import check_bytes
    from proofs_checks.checker.kinds import KINDS
    from proofs_checks.checker.reader import DECIMAL, EXACT, Limits

STEPS = 1_000_000  # about a second
SLOW = 10.0  # CPU seconds for as many steps, on the slowest machine
MEMORY = 224 << 20  # bytes of resident memory that a check may add to those of the program
BROKEN = Path(__file__).parents[2] / "build" / "hostile.json"
TOKENS = [b"{", b"}", b"[", b"]", b'"', b",", b":", b"\n", b"  ", b"0", b"1", b"-", b"/", b"e"]
TOKENS += [b"e20000", b"9" * 4301, b"9" * 20_001, b"null", b"NaN", b"1.0", b"\\ud800", b"\xff"]
LARGEST = 40_000  # bytes of a certificate to start from
BYTEWISE = 0.1  # share of the inputs that are changed byte by byte


@dataclass
class Row:
    """What became of the inputs of one kind."""

    verdicts: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0
    largest: int = 0


class Campaign:
    """The counts of a run, and the promises that every input is held to."""

    def __init__(self, steps: int = STEPS) -> None:
        self.rows: defaultdict[str, Row] = defaultdict(Row)
        self.limits = Limits(steps=steps)
        self.base = _memory("VmRSS")

    def one(self, data: bytes) -> None:
        """Check one input; RuntimeError if a promise is broken."""
        Path("/proc/self/clear_refs").write_text("5")  # the peak is counted from now on
        start = time.process_time()
        report = check_bytes(data, "x.json", self.limits)
        taken, memory = time.process_time() - start, _memory("VmHWM") - self.base
        if not all(" " <= letter <= "~" for letter in report.line()):
            raise RuntimeError(f"not one printable line: {report.line()!r}")
        if taken > SLOW * max(1, self.limits.steps / STEPS) or memory > MEMORY:
            raise RuntimeError(f"{taken:.1f} s, {memory >> 20} MiB: {report.line()!r}")
        if report.refusal and report.kind in KINDS:
            known = {"format", "limit", "undecided", *KINDS[report.kind].CONDITIONS}
            if report.refusal.condition not in known:  # a fault that was caught at the last moment
                raise RuntimeError(report.line())
        row = self.rows[report.kind if report.kind in KINDS else "(not read)"]
        row.verdicts[report.outcome.value] += 1
        row.slowest, row.largest = max(row.slowest, taken), max(row.largest, memory)

    def reached(self) -> float:
        """The share of the inputs that a kind's own code has met."""
        counts = {kind: row.verdicts.total() for kind, row in self.rows.items()}
        return 1 - counts.get("(not read)", 0) / sum(counts.values())

    def text(self) -> str:
        """The table of the counts."""
        total: Counter[str] = Counter()
        lines = []
        for kind, row in sorted(self.rows.items()):
            total += row.verdicts
            lines.append(_line(kind, row.verdicts, row.slowest, row.largest))
        slowest = max(row.slowest for row in self.rows.values())
        largest = max(row.largest for row in self.rows.values())
        return "\n".join([*lines, _line(f"{self.reached():.1%} read", total, slowest, largest)])


def _line(name: str, verdicts: Counter[str], slowest: float, largest: int) -> str:
    counts = "  ".join(f"{word} {count:6}" for word, count in sorted(verdicts.items()))
    return f"{name:22} {slowest:6.2f} s  {largest >> 20:4} MiB  {verdicts.total():7}: {counts}"


def _memory(name: str) -> int:
    """The resident memory, now or at its peak, in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith(name))


class Corpus:
    """Shipped certificates of every kind, and what stands in each field of them."""

    def __init__(self) -> None:
        paths = {kind: [p for p in shipped(kind) if size(p) < LARGEST] for kind in KINDS}
        self.trees = {
            kind: [json.loads(p.read_bytes()) for p in each] for kind, each in paths.items()
        }
        self.values: defaultdict[str, list[Any]] = defaultdict(list)
        for trees in self.trees.values():
            for tree in trees:
                self._collect("claim", tree["claim"])
                self._collect("witness", tree["witness"])

    def _collect(self, key: str, value: Any) -> None:
        self.values[key].append(value)
        if isinstance(value, dict):
            for name, each in value.items():
                self._collect(name, each)
        elif isinstance(value, list):
            for each in value:
                self._collect(key, each)

    def input(self, chance: random.Random) -> bytes:
        """One hostile file."""
        trees = self.trees[chance.choice(list(KINDS))]
        tree: Tree = json.loads(json.dumps(chance.choice(trees)))
        if chance.random() < BYTEWISE:
            return spoiled(to_bytes(tree), to_bytes(chance.choice(trees)), chance)
        for _ in range(chance.choice((1, 1, 1, 2, 3))):
            part = chance.choice(("claim", "claim", "witness"))
            tree[part] = self.changed(tree[part], part, chance)
        return to_bytes(tree)

    def changed(self, value: Any, key: str, chance: random.Random) -> Any:
        """A value with one place in it replaced; `key` is the name of the field it is in."""
        inner = isinstance(value, dict | list) and value and chance.random() < 0.8
        if inner and isinstance(value, dict):
            name = chance.choice(sorted(value))
            return {**value, name: self.changed(value[name], name, chance)}
        if inner and isinstance(value, list):
            at = chance.randrange(len(value))
            return [*value[:at], self.changed(value[at], key, chance), *value[at + 1 :]]
        if chance.random() < 0.1 and self.values[key]:
            return chance.choice(self.values[key])
        if isinstance(value, dict):
            return self._record(value, chance)
        if isinstance(value, list):
            return self._list(value, chance)
        if type(value) is int:
            return _count(value, chance)
        if not (DECIMAL.fullmatch(value) or EXACT.fullmatch(value)):
            names = [each for each in self.values[key] if isinstance(each, str)]
            return chance.choice(names or [value])
        return _decimal(value, chance) if key in ("lo", "hi") else _exact(value, chance)

    def _record(self, value: dict[str, Any], chance: random.Random) -> dict[str, Any]:
        """An object with a field less, more, or taken from another certificate."""
        name = chance.choice(sorted(value) or ["claim"])
        if chance.random() < 0.3:
            return {key: each for key, each in value.items() if key != name}
        if chance.random() < 0.3:
            name = chance.choice(sorted(self.values))
        return {**value, name: chance.choice(self.values[name] or [value])}

    def _list(self, value: list[Any], chance: random.Random) -> list[Any]:
        """A list that is empty, short, turned round, repeated or very long."""
        if not value:
            return [chance.choice(self.values["value"])]
        at, long = chance.randrange(len(value)), chance.choice((10, 1000, 100_000))
        each = value[at]
        weight = 1 + len(json.dumps(each, indent=2))
        options = [
            [],
            [each],
            value[:at] + value[at + 1 :],
            value[::-1],
            [*value, *value],
            [*value, each],
            [each] * min(long, Limits.file_bytes // weight // 4),
            sorted(value, key=str),
        ]
        if isinstance(each, str):
            options.append([str(Fraction(k + 1, long)) for k in range(long)])
            options.append([str(k) for k in range(long)])
        return chance.choice(options)


def size(path: Path) -> int:
    """The bytes of a file."""
    return path.stat().st_size


def _count(value: int, chance: random.Random) -> int:
    near = (max(0, value - 1), value + 1, 2 * value, value // 2)
    return min(chance.choice((*near, 0, 1, 2, 3, 32, 1000, 40_000, 10**6, 10**9 - 1)), 10**9 - 1)


def _exact(text: str, chance: random.Random) -> str:
    """An exact number: near the old one, simple, or of up to ten thousand digits."""
    digits = chance.choice((1, 5, 39, 40, 41, 300, 1000, 10_000))
    power, old = 10**digits, _short(text)
    if chance.random() < 0.4:
        return _ratio(
            *chance.choice(
                ((old + Fraction(1, power)), (old * 2), -old, old + 1, old / 2)
            ).as_integer_ratio()
        )
    long = chance.randrange(power // 10, power), chance.randrange(power // 10, power) + 1
    options = [(0, 1), (1, 1), (-1, 1), (1, 2), (99, 100), (power, 1), (-power, 1), (1, power)]
    options += [(power - 1, power), (power + 1, power), long, (long[0], 1), (1, long[0] + 1)]
    return _ratio(*chance.choice(options))


def _short(text: str) -> Fraction:
    """The number, or 1 in the place of a very long one."""
    return Fraction(text) if len(text) < 1000 and "0000" not in text[-5:] else Fraction(1)


def _ratio(numerator: int, denominator: int) -> str:
    common = gcd(numerator, denominator)
    above, below = numerator // common, denominator // common
    return _digits(above) if below == 1 else f"{_digits(above)}/{_digits(below)}"


def _digits(number: int) -> str:
    """Decimal digits of any length (str() alone stops at 4,300)."""
    sign, number, blocks = "-" if number < 0 else "", abs(number), []
    while number >= 10**4000:
        number, rest = divmod(number, 10**4000)
        blocks.append(f"{rest:04000}")
    return sign + "".join([str(number), *reversed(blocks)])


def _decimal(text: str, chance: random.Random) -> str:
    """An end of an interval: near the old one, simple, or with a huge exponent."""
    old = _short(text)
    step = Fraction(10) ** -chance.choice((1, 10, 30, 300))
    near = [text]
    if max(abs(old.numerator), old.denominator) < 10**3000:  # str() stops at 4,300 digits
        near = [spelled(each) for each in (old + step, old - step, -old, old * 10, old / 10)]
    far = ["0", "1", "-1", "1e20000", "-1e20000", "1e-20000", "9" * 10_000, "1e20001", "5e-324"]
    return chance.choice(near if chance.random() < 0.5 else far)


def spoiled(data: bytes, other: bytes, chance: random.Random) -> bytes:
    """A few places of a certificate replaced by tokens, numbers or pieces of another one."""
    for _ in range(chance.choice((1, 1, 1, 2, 3, 8))):
        at = chance.randrange(len(data) + 1)
        length = chance.choice((0, 1, 1, 2, 10, 100))
        kind = chance.randrange(4)
        if kind == 0:
            piece = chance.choice(TOKENS)
        elif kind == 1:
            piece = str(chance.randrange(10 ** chance.choice((1, 2, 9)))).encode()
            while at < len(data) and not data[at : at + 1].isdigit():
                at += 1
        elif kind == 2:
            begin = chance.randrange(len(other))
            piece = other[begin : begin + length]
        else:
            piece = bytes([chance.randrange(256)])
        data = data[:at] + piece + data[at + length :]
    return data


def main(seconds: float = 300, seed: int = 0, steps: int = STEPS) -> None:
    """Run until the time is over."""
    corpus, campaign, chance = Corpus(), Campaign(steps), random.Random(seed)
    end = time.monotonic() + seconds

    def one(data: bytes) -> None:
        if time.monotonic() > end:
            finish(campaign, 0)
        try:
            campaign.one(data)
        except Exception as error:
            BROKEN.parent.mkdir(exist_ok=True)
            BROKEN.write_bytes(data)
            print(f"BROKEN {type(error).__name__}: {error}\nthe file is {BROKEN}")
            finish(campaign, 1)

    def mutate(data: bytes, size: int, number: int) -> bytes:
        own = random.Random(number)
        return bytes(atheris.Mutate(data, size)) if own.random() < 0.2 else corpus.input(own)[:size]

    if atheris:
        options = ["fuzz", f"-seed={seed + 1}", "-max_len=20000", "-rss_limit_mb=2048"]
        atheris.Setup(options, one, custom_mutator=mutate)
        atheris.Fuzz()
    while True:
        one(corpus.input(chance))


def finish(campaign: Campaign, status: int) -> None:
    """Print the counts and end the process."""
    import os

    print(campaign.text() if campaign.rows else "no executions")
    sys.stdout.flush()
    os._exit(status)  # atheris leaves its loop in no other way


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
