"""Processes that work side by side and all end when the command is interrupted."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import active_children
from multiprocessing.process import BaseProcess
from types import FrameType
from typing import NoReturn

GRACE = 2.0  # seconds a process has to end by itself before it is killed


class _State:
    """What a process of the pool runs, and whether it was told to end meanwhile."""

    running: subprocess.Popen[str] | None = None
    held = False
    told = False


@contextmanager
def whole() -> Iterator[None]:
    """What is begun in this block is ended before the process leaves, if it is told to."""
    _State.held = True
    try:
        yield
    finally:
        _State.held = False
        if _State.told:
            _leave()


@contextmanager
def workers(jobs: int | None) -> Iterator[ProcessPoolExecutor]:
    """A pool of `jobs` processes, one per core if None.

    An interrupt ends its processes at once, with the programs that they `run`; the pool is broken
    then, and the command is to `leave` without waiting for it.
    """
    others = set(active_children())
    pool = ProcessPoolExecutor(jobs, initializer=_obey)
    try:
        yield pool
    except KeyboardInterrupt:
        _end([child for child in active_children() if child not in others])
        raise
    except BaseException:
        pool.shutdown(cancel_futures=True)
        raise
    pool.shutdown()


def leave(status: int) -> NoReturn:
    """End this process without waiting for the threads of a broken pool."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):
            stream.flush()
    os._exit(status)


def run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run a program to its end and keep what it prints; it ends if this process is told to."""
    pipe = subprocess.PIPE
    with whole():
        _State.running = subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True)
    with _State.running as process:
        try:
            printed = process.communicate()
        except BaseException:
            process.kill()
            raise
        finally:
            _State.running = None
    return subprocess.CompletedProcess(command, process.returncode, *printed)


def _obey() -> None:
    """In a process of the pool: leave interrupts to the command, which says when to end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)


def _leave(_signal: int = signal.SIGTERM, _frame: FrameType | None = None) -> None:
    """End this process with the program that it runs, or at the end of what is `whole`."""
    _State.told = True
    if _State.held:
        return
    if _State.running is not None:
        _State.running.kill()
        _State.running.wait()
    os._exit(1)


def _end(processes: Sequence[BaseProcess]) -> None:
    for process in processes:
        process.terminate()
    for process in processes:
        process.join(GRACE)
        if process.is_alive():  # it is deep in one long computation, and runs no program
            process.kill()
