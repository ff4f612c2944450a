"""`python -m tests.hostile.fuzz [SECONDS] [SEED]`: bytes for the checker, guided by coverage.

With atheris (`pip install atheris`) the changes follow the branches of the checker that they
reach; without it they are random changes of shipped certificates. Either way every input must get
one of the four verdicts, on one printable line, without an exception and within the work budget.
The number of executions and the verdicts are printed at the end; status 1 if an input broke a
promise, which is then printed as a Python literal.
"""

import random
import sys
import time
from collections import Counter
from typing import Any

from tests.mutation.engine import shipped

try:
    import atheris
except ImportError:
    atheris = None

if atheris:
    with atheris.instrument_imports(include=["proofs_checks"]):
        from proofs_checks.checker.cli import check_bytes
        from proofs_checks.checker.kinds import KINDS
        from proofs_checks.checker.reader import Limits
else:
    from proofs_checks.checker.cli import check_bytes
    from proofs_checks.checker.kinds import KINDS
    from proofs_checks.checker.reader import Limits

LIMITS = Limits(steps=1_000_000)  # about a second
SLOW = 20.0  # CPU seconds for those steps, on the slowest machine
TOKENS = [b"{", b"}", b"[", b"]", b'"', b",", b":", b"\n", b"  ", b"0", b"1", b"-", b"/", b"e"]
TOKENS += [b"e20000", b"9" * 4301, b"9" * 20_001, b"null", b"NaN", b"1.0", b"\\ud800", b"\xff"]
LARGEST = 6_000  # bytes of a certificate to start from


class Campaign:
    """The counts of a run."""

    def __init__(self, seconds: float) -> None:
        self.end = time.monotonic() + seconds
        self.verdicts: Counter[str] = Counter()
        self.slowest = 0.0

    def one(self, data: bytes) -> None:
        """Check one input and hold the report to the promises."""
        if time.monotonic() > self.end:
            self.finish(0)
        start = time.process_time()
        try:
            report = check_bytes(data, "x.json", LIMITS)
            taken = time.process_time() - start
            if taken > SLOW or not all(" " <= letter <= "~" for letter in report.line()):
                raise RuntimeError(f"{taken:.1f} s, {report.line()!r}")
        except Exception as error:
            print(f"BROKEN {type(error).__name__}: {error}\n{data!r}")
            self.finish(1)
        self.slowest = max(self.slowest, taken)
        condition = report.refusal.condition if report.refusal else ""
        self.verdicts[f"{report.outcome.value} {condition}".strip()] += 1

    def finish(self, status: int) -> None:
        """Print the counts and end the process."""
        import os

        total = self.verdicts.total()
        print(f"{total} executions, slowest {self.slowest:.2f} s of CPU")
        for name, count in self.verdicts.most_common():
            print(f"    {count:8}  {name}")
        sys.stdout.flush()
        os._exit(status)  # atheris leaves its loop in no other way


def seeds() -> list[bytes]:
    """The smallest certificates of every kind."""
    paths = [path for kind in KINDS for path in shipped(kind)[:2]]
    return [path.read_bytes() for path in paths if path.stat().st_size < LARGEST]


def changed(data: bytes, others: list[bytes], chance: random.Random) -> bytes:
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
            other = chance.choice(others)
            begin = chance.randrange(len(other))
            piece = other[begin : begin + length]
        else:
            piece = bytes([chance.randrange(256)])
        data = data[:at] + piece + data[at + length :]
    return data


def main(seconds: float, seed: int) -> None:
    """Run until the time is over."""
    campaign, corpus, chance = Campaign(seconds), seeds(), random.Random(seed)
    for data in corpus:
        campaign.one(data)

    def mutate(data: bytes, size: int, number: int) -> bytes:
        own = random.Random(number)
        if own.random() < 0.2:
            return bytes(atheris.Mutate(data, size))
        return changed(data if own.random() < 0.5 else own.choice(corpus), corpus, own)[:size]

    if atheris:
        options: list[Any] = ["fuzz", f"-seed={seed + 1}", "-max_len=20000", "-rss_limit_mb=2048"]
        atheris.Setup(options, campaign.one, custom_mutator=mutate)
        atheris.Fuzz()
    while True:
        campaign.one(changed(chance.choice(corpus), corpus, chance))


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    main(numbers[0] if numbers else 300, numbers[1] if len(numbers) > 1 else 0)
