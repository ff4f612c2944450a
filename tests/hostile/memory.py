"""`python -m tests.hostile.memory [KIND...]`: every list of every kind, as long as a file may be.

The elements of one list of a certificate are multiplied until the file has as many values or bytes
as are read: the same ones, ones that differ, and numbers that take much memory for few bytes. So
are those of all lists of one length together, which then agree, if the certificate is a kind's
smallest or has several lists that none before it has. Each file is checked in a process of its own,
and its peak is printed; 1 if one is above what a check may take.
"""

import copy
import json
import sys
import tempfile
from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from itertools import count as count_from
from pathlib import Path
from typing import Any

from proofs_checks.checker.kinds import KINDS
from proofs_checks.checker.reader import DECIMAL, DEFAULT, EXACT
from tests.hostile.process import MEMORY, peak_of
from tests.mutation.engine import Tree, at, kind_of_place, paths, shipped, to_bytes

Place = tuple[Any, ...]  # the path of a value in a tree

VALUES, FIELDS = DEFAULT.values - 2_000, DEFAULT.fields - 100
INDENT = 9  # bytes that the indentation of a value takes, about
LONG = {"fractions": "12345678901/12345678902", "decimals": "1e-336"}


def values(tree: Any) -> int:
    """How many commas and brackets a part has, as the reader counts them."""
    text = json.dumps(tree)
    return sum(map(text.count, ",[{"))


def longest(tree: Tree, path: Place, elements: list[Any]) -> Tree:
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


def telling(kind: str) -> Iterator[tuple[Tree, list[Place]]]:
    """The smallest certificates that have all the kinds of lists, each with its new lists."""
    seen = set()
    for file in shipped(kind):
        tree, new = json.loads(file.read_bytes()), []
        for path in paths(tree):
            items, where = at(tree, path), kind_of_place(path)
            if isinstance(items, list) and items and where not in seen:
                seen.add(where)
                new.append(path)
        if new:
            yield tree, new


def lengthened(tree: Tree, lists: list[Place]) -> Iterator[tuple[str, Callable[[], Tree]]]:
    """One of these lists after the other, made long in several ways, when asked for."""
    for path in lists:
        items, name = at(tree, path), ".".join(map(str, path))
        yield f"{name}: the same", partial(longest, tree, path, items)
        yield f"{name}: rising", partial(rising, tree, path)
        if isinstance(items[0], str):
            for words, text in LONG.items():
                yield f"{name}: {words}", partial(longest, tree, path, [text])


def rising(tree: Tree, path: Place) -> Tree:
    """The tree with half as many elements as a file may have, all different."""
    last = at(tree, path)[-1]
    count = 1 + VALUES // (2 * max(values(last), 1))
    return longest(tree, path, [risen(last, step) for step in range(1, count)])


def grown(part: Any, length: int, count: int, text: str | None) -> Any:
    """The part with `count` elements in its lists of this length, and in whole numbers that say it.

    With a text, the texts in these lists become that one.
    """
    if isinstance(part, dict):
        return {key: grown(value, length, count, text) for key, value in part.items()}
    if isinstance(part, list):
        items = [grown(each, length, count, text) for each in part]
        if len(items) != length:
            return items
        items = [text if text and isinstance(each, str) else each for each in items]
        return (items * (count // length + 1))[:count]
    return count if type(part) is int and part == length else part


def together(tree: Tree, length: int, text: str | None) -> Tree:
    """The tree with its lists of this length as long as a file may have them all."""

    def with_(count: int) -> Tree:
        parts = {key: grown(tree[key], length, count, text) for key in ("claim", "witness")}
        return {**tree, **parts}

    def fits(count: int) -> bool:
        written = json.dumps(with_(count))
        many = sum(map(written.count, ",[{"))
        size = len(written) + INDENT * many
        return many <= VALUES and written.count(":") <= FIELDS and size <= DEFAULT.file_bytes

    most = next(power for power in count_from(length.bit_length()) if not fits(2**power))
    fewest, most = 2 ** (most - 1), 2**most
    return with_(bisect_left(range(most), True, fewest, key=lambda count: not fits(count)) - 1)


def all_together(tree: Tree) -> Iterator[tuple[str, Callable[[], Tree]]]:
    """The lists of one length after those of another, made long together in several ways."""
    lists = [items for path in paths(tree) if isinstance(items := at(tree, path), list)]
    for length in sorted({len(items) for items in lists} - {0}):
        for words, text in {"the same": None, **LONG}.items():
            yield f"lists of {length} together: {words}", partial(together, tree, length, text)


def main(kinds: list[str]) -> int:
    """Check all files; 1 if one takes too much."""
    worst = 0
    for kind in kinds or KINDS:
        peaks: dict[str, tuple[int, str]] = {}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "long.json"
            for number, (tree, lists) in enumerate(telling(kind)):
                several = all_together(tree) if not number or len(lists) > 1 else ()
                for name, long in chain(lengthened(tree, lists), several):
                    path.write_bytes(to_bytes(long()))
                    peaks[f"{number} {name}"] = peak_of(path)
        for name, (peak, line) in sorted(peaks.items(), key=lambda each: -each[1][0])[:5]:
            print(f"{kind} {name}: {peak >> 20} MiB  {line.partition(chr(10))[0][:90]}", flush=True)
            worst = max(worst, peak)
    print(f"at most {worst >> 20} MiB")
    return int(worst > MEMORY)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
