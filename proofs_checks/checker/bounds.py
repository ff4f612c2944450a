"""What a check may take of the machine, kept by the system where it can: beside all charges."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from proofs_checks.checker.verdict import declined


def hold_memory(most: int | None) -> None:
    """Let what would take more than `most` bytes of data fail with a MemoryError from now on.

    This is for good, and for the whole process. Where the system knows no such bound (Windows), or
    does not count all data (macOS), what the kinds charge for what they keep is all there is.
    """
    try:
        import resource
    except ImportError:
        return
    now, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if most and all(each == resource.RLIM_INFINITY or each > most for each in (now, hard)):
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


@contextmanager
def within(seconds: int | None) -> Iterator[None]:
    """Refuse what is not done after so many seconds of CPU.

    Only the main thread of a process has such a clock, and none has on Windows. It counts the time
    in the program itself, and is another one than profilers use.
    """
    main = threading.current_thread() is threading.main_thread()
    if not seconds or not main or not hasattr(signal, "setitimer"):
        yield
        return

    def late(_: int, __: FrameType | None) -> None:
        raise declined("time", f"at most {seconds} s of CPU", "more (try --limit large)")

    before = signal.signal(signal.SIGVTALRM, late)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
