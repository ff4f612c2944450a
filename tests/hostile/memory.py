"""`python -m tests.hostile.memory [KIND...]`: every list of every kind, as long as a file may be.

The elements of one list of a kind's smallest certificate are multiplied until the file has as many
values or bytes as are read: the same ones, ones that differ, and numbers that take much memory for
few bytes. Each file is checked in a process of its own, and its peak is printed; 1 if one is above
what a check may take.
"""

import copy
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from proofs_checks.checker.kinds import KINDS
from proofs_checks.checker.reader import DECIMAL, DEFAULT, EXACT
from tests.hostile.process import MEMORY, peak_of
from tests.mutation.engine import Tree, at, kind_of_place, paths, shipped, to_bytes

VALUES = DEFAULT.values - 2_000
LONG = {"fractions": "12345678901/12345678902", "decimals": "1e-336"}


def values(tree: Any) -> int:
    """How many commas and brackets a part has, as the reader counts them."""
    text = json.dumps(tree)
    return sum(map(text.count, ",[{"))


def longest(tree: Tree, path: tuple[Any, ...], elements: list[Any]) -> Tree:
    """The tree with these elements in turn at the path, as many as a file may have."""
    result = copy.deepcopy(tree)

    def with_(times: int) -> Tree:
        at(result, path[:-1])[path[-1]] = elements * times
        return result

    once, twice = (len(to_bytes(with_(times))) for times in (1, 2))
    many = (VALUES - values(with_(1))) // max(values(elements), 1)
    return with_(1 + max(0, min(many, (DEFAULT.file_bytes - once) // (twice - once))))


def risen(element: Any, step: int) -> Any:
    """An element whose numbers are larger by a step, so that it is none of those before."""
    if isinstance(element, dict):
        return {key: risen(value, step) for key, value in element.items()}
    if isinstance(element, list):
        return [risen(value, step) for value in element]
    if type(element) is int:
        return element + step
    if isinstance(element, str) and EXACT.fullmatch(element) and "/" not in element:
        return str(int(element) + step)
    if isinstance(element, str) and DECIMAL.fullmatch(element) and "e" in element:
        mantissa, _, power = element.partition("e")
        return f"{(int(mantissa) + step) * 10 + 1}e{power}"
    return element


def lengthened(tree: Tree) -> Iterator[tuple[str, Callable[[], Tree]]]:
    """One list of the tree after the other, made long in several ways, when asked for."""
    seen = set()
    for path in paths(tree):
        items = at(tree, path)
        where = kind_of_place(path)
        if not isinstance(items, list) or not items or where in seen:
            continue
        seen.add(where)
        name = ".".join(map(str, path))
        yield f"{name}: the same", partial(longest, tree, path, items)
        yield f"{name}: rising", partial(rising, tree, path)
        if isinstance(items[0], str):
            for words, text in LONG.items():
                yield f"{name}: {words}", partial(longest, tree, path, [text])


def rising(tree: Tree, path: tuple[Any, ...]) -> Tree:
    """The tree with half as many elements as a file may have, all different."""
    last = at(tree, path)[-1]
    count = 1 + VALUES // (2 * max(values(last), 1))
    return longest(tree, path, [risen(last, step) for step in range(1, count)])


def main(kinds: list[str]) -> int:
    """Check all files; 1 if one takes too much."""
    worst = 0
    for kind in kinds or KINDS:
        tree = json.loads(shipped(kind)[0].read_bytes())
        peaks: dict[str, tuple[int, str]] = {}
        with tempfile.TemporaryDirectory() as folder:
            for name, long in lengthened(tree):
                path = Path(folder) / "long.json"
                path.write_bytes(to_bytes(long()))
                peaks[name] = peak_of(path)
        for name, (peak, line) in sorted(peaks.items(), key=lambda each: -each[1][0])[:5]:
            print(f"{kind} {name}: {peak >> 20} MiB  {line[:90]}", flush=True)
            worst = max(worst, peak)
    print(f"at most {worst >> 20} MiB")
    return int(worst > MEMORY)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
