"""Notes on what was changed or missed on the way, told with the problem that they belong to."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager


class _Kept(logging.Handler):
    """Keeps the words of every note."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


@contextmanager
def kept_notes() -> Iterator[list[str]]:
    """The notes that come up in this block, which are not printed meanwhile."""
    logger, handler = logging.getLogger("certify"), _Kept()
    logger.addHandler(handler)
    propagate, logger.propagate = logger.propagate, False
    try:
        yield handler.lines
    finally:
        logger.propagate = propagate
        logger.removeHandler(handler)
