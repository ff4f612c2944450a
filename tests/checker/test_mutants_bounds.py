"""Borders of the bounds that the system keeps, in this process with a system of straw."""

import itertools
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

from proofs_checks.checker import cli
from proofs_checks.checker.bounds import hold_memory, within
from proofs_checks.checker.reader import DEFAULT
from proofs_checks.checker.verdict import Outcome, Refusal

GOOD = Path(__file__).parents[2] / "certificates" / "softmax-drift-three.json"
NONE, DATA = -1, 2


@pytest.mark.parametrize(
    ("now", "hard", "most", "expected"),
    [
        (NONE, NONE, 100, (100, NONE)),
        (101, NONE, 100, (100, NONE)),
        (NONE, 101, 100, (100, 101)),
        (100, NONE, 100, None),
        (99, NONE, 100, None),
        (99, 200, 100, None),
        (NONE, 100, 100, None),
        (NONE, 50, 100, None),
        (NONE, NONE, None, None),
    ],
)
def test_memory_is_bounded_where_the_bound_is_less(
    monkeypatch: pytest.MonkeyPatch,
    now: int,
    hard: int,
    most: int | None,
    expected: tuple[int, int] | None,
) -> None:
    made: list[tuple[int, tuple[int, int]]] = []
    straw = SimpleNamespace(
        RLIMIT_DATA=DATA,
        RLIM_INFINITY=NONE,
        getrlimit=lambda which: (now, hard) if which == DATA else None,
        setrlimit=lambda which, bounds: made.append((which, bounds)),
    )
    monkeypatch.setitem(sys.modules, "resource", straw)
    hold_memory(most)
    assert made == ([(DATA, expected)] if expected else [])


def test_a_system_without_such_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resource", None)
    hold_memory(100)
    monkeypatch.delattr(signal, "setitimer")
    before = signal.getsignal(signal.SIGVTALRM)
    with within(1):
        assert signal.getsignal(signal.SIGVTALRM) == before


def test_what_takes_too_long_is_declined() -> None:
    with pytest.raises(Refusal) as caught, within(1):
        all(number >= 0 for number in itertools.count())
    assert caught.value.outcome is Outcome.DECLINED
    assert caught.value.where == "time"
    assert caught.value.expected == "at most 1 s of CPU"
    assert signal.getitimer(signal.ITIMER_VIRTUAL)[0] == 0


def test_the_clock_is_stopped_and_the_old_handler_back_after_a_check() -> None:
    before = signal.getsignal(signal.SIGVTALRM)
    with within(1_000):
        assert 0 < signal.getitimer(signal.ITIMER_VIRTUAL)[0] <= 1_001
    assert signal.getitimer(signal.ITIMER_VIRTUAL)[0] == 0
    assert signal.getsignal(signal.SIGVTALRM) == before
    for seconds in (None, 0):
        with within(seconds):
            assert signal.getitimer(signal.ITIMER_VIRTUAL)[0] == 0
    with ThreadPoolExecutor(1) as threads:
        assert threads.submit(seconds_left).result() == 0


def seconds_left() -> float:
    with within(1_000):
        return signal.getitimer(signal.ITIMER_VIRTUAL)[0]


def test_only_a_process_of_its_own_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[int | None] = []
    monkeypatch.setattr(cli, "hold_memory", held.append)
    assert cli.main([str(GOOD)]) == 0
    assert held == []
    for options, expected in (
        ([], [DEFAULT.memory]),
        (["--limit", "large"], [None]),
        (["--arithmetic", "arb"], []),
    ):
        held.clear()
        monkeypatch.setattr(sys, "argv", ["proofs-check", *options, str(GOOD)])
        assert cli.main() == 0
        assert held == expected
