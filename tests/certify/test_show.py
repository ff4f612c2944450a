"""`certify show`: what it says of a file that is no certificate, and of any claim it can read."""

import json
import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from certify.certificate import Certificate, decimal, exact, load, number
from certify.errors import InputError
from certify.kinds import KINDS, make_file
from certify.shipped import find, problems
from certify.show import read, title

ROOT = Path(__file__).parents[2]
GOOD = (ROOT / "certificates" / "rank-gaps-5.json").read_bytes()
NUMBER = re.compile(r"-?[0-9]+(/[0-9]+|e-[0-9]+)")


@cache
def smallest(kind: str) -> Certificate:
    """The smallest shipped certificate of a kind."""
    files = [ROOT / "certificates" / f"{path.stem}.json" for path in problems()]
    named = [path for path in files if path.name.startswith(kind)]
    return next(
        found
        for found in map(load, sorted(named, key=lambda path: path.stat().st_size))
        if found.kind == kind
    )


def changed(**fields: Any) -> bytes:
    tree = json.loads(GOOD) | fields
    return (json.dumps(tree, indent=2, sort_keys=True) + "\n").encode()


def without(field: str) -> bytes:
    tree = json.loads(GOOD)
    del tree[field]
    return json.dumps(tree).encode()


FAULTS = {
    "empty": (b" \n", "an empty file"),
    "cut off": (GOOD[:-3], "no JSON (Expecting ',' delimiter: line "),
    "not UTF-8": (b'{\n"kind": "\xff"}', "not UTF-8 at byte 12 (line 2)"),
    "UTF-16": (GOOD.decode().encode("utf-16"), "not UTF-8 at byte 1 (line 1)"),
    "zeros": (GOOD.decode().encode("utf-16-le"), "text with a zero at byte 2 (line 1)"),
    "deep": (b"[" * 100_000, "JSON that is nested too deeply"),
    "a list": (b"[]", "JSON, but a list and no object"),
    "a word": (b"true", "JSON, but true and no object"),
    "no witness": (without("witness"), "an object without the field witness"),
    "no format": (without("format"), "an object without the field format"),
    "another format": (changed(format="certify/2"), "of format certify/2"),
    "a kind that is a number": (changed(kind=3), "one whose kind is 3"),
    "a claim that is a list": (changed(claim=[]), "one whose claim is a list"),
    "another field": (changed(date="today"), "one with the unknown field date"),
    "twice": (
        GOOD.replace(b'  "format"', b'  "kind": "x",\n  "format"'),
        "one with the field kind given twice",
    ),
    "a decimal": (changed(claim={"a": 0.5}), "one with the number 0.5, which is no count of"),
    "no number": (changed(claim={"a": float("nan")}), "one with the number NaN, which is no count"),
    "long": (b'{"a": 1' + b"0" * 5000 + b"}", "one with the number 1000"),
    "other bytes": (
        GOOD.replace(b'  "format"', b'   "format"'),
        "the data of one, but not its bytes (sorted, indented), from line ",
    ),
    "no newline": (GOOD[:-1], "the data of one, but not its bytes (sorted, indented), from line "),
}


@pytest.mark.parametrize("case", FAULTS)
def test_what_is_wrong_with_the_file(case: str, tmp_path: Path) -> None:
    data, found = FAULTS[case]
    path = tmp_path / "c.json"
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        read(path)
    sentence = f"{path} must be a certificate of format certify/1, but was {found}"
    assert str(caught.value).startswith(sentence)


def test_the_line_of_the_first_other_byte(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    lines = GOOD.split(b"\n")
    lines[7] += b" "
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(InputError, match=r"from line 8\.$"):
        read(path)


@pytest.mark.parametrize("kind", KINDS)
def test_a_claim_of_another_form_is_no_bug(kind: str, tmp_path: Path) -> None:
    """Every field of the claim left out, or replaced by something else, is shown or refused."""
    good, path, refused = smallest(kind), tmp_path / "c.json", 0
    for field in good.claim:
        rest = {key: value for key, value in good.claim.items() if key != field}
        for claim in (rest, *(rest | {field: other} for other in ([], {}, 3, "1/0"))):
            Certificate(kind, claim, {}).write(path)
            refused += not is_shown(path, kind)
    assert refused


def is_shown(path: Path, kind: str) -> bool:
    """Whether the claim is shown; if not, in one sentence why, and nothing else is raised."""
    try:
        read(path)
    except InputError as error:
        return not str(error).startswith(f"{path} must hold a claim of kind {kind}, but was one ")
    return True


def lengthened(value: Any) -> Any:
    """A claim with nearly the same numbers, many of them with five thousand digits."""
    if isinstance(value, dict):
        return {key: lengthened(each) for key, each in value.items()}
    if isinstance(value, list):
        return [*map(lengthened, value[:2]), *value[2:]]
    if isinstance(value, str) and NUMBER.fullmatch(value):
        longer = number(value) + Fraction(1, 10**5000)
        return exact(longer) if "/" in value else decimal(longer)
    return value


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from strings(each)


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_of_any_length_are_shown(kind: str, tmp_path: Path) -> None:
    """Python alone converts at most 4,300 digits; 10,000 may be asked for."""
    claim, path = lengthened(smallest(kind).claim), tmp_path / "c.json"
    Certificate(kind, claim, {}).write(path)
    assert kind == "identity" or "fluid" not in kind or max(map(len, strings(claim))) > 5000
    read(path)


def test_a_long_number_is_read_as_it_is_spelled() -> None:
    for value in (Fraction(-1, 10**5000), Fraction(10**5000), Fraction(17, 20), Fraction(0)):
        assert number(exact(value)) == value == number(decimal(value))
    for text in ("1e9999999", "x", "", "1/0"):
        with pytest.raises((ValueError, ZeroDivisionError)):
            number(text)


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("rank-gaps-4", "; the mean number of jobs is 383070/31339, and"),
        ("rank-gaps-5", "; the mean number of jobs is about 22.5921670907, and"),
        ("rank-gaps-10000", "; the mean number of jobs is about 4975543113.54, and"),
        (
            "rank-gaps-original-4",
            "have 1/2 idle ones in the mean, and a mean queue from 3.73142 to 7",
        ),
        ("rank-limits-4", "gap 0 has Wasserstein-1 distance 107/242 to its exponential limit"),
        ("rank-limits-4", "the mean queue is about 3.05585691949, by its expansion 103/36."),
        (
            "rank-comparison-3",
            "the mean queue is about 9.39230484541 with random routing, about 1.42",
        ),
        (
            "rank-comparison-3",
            "look-ups per unit time: none, about 10.3923048454 and about 24.4019",
        ),
        (
            "rank-difference-3",
            "mean queue is between 2.72078 and 2.72512 without pauses and about 1.76",
        ),
        ("rank-difference-2-no-idle", "probability that nobody is idle is between 0.695684 and"),
        ("softmax-equilibrium-benchmark", "between 0.000296322968855 and 0.000296322968856."),
        (
            "bernoulli-routing-critical",
            "is unstable (overloaded: 0, critical: 1), and no rate of growth",
        ),
        ("bernoulli-routing-hot", "and E|Q(t)|_1 >= 1/2 t."),
        ("adaptive-weights-two-factor-1.4", "V = sum (Q_n + 1/2)^2 is negative"),
        ("adaptive-weights-three", "V = sum (Q_n + 1/2)^(5/4) is negative"),
        ("softmax-obstruction-two-symmetric", "15 jobs 1 has a positive boundary term;"),
        ("softmax-obstruction-wsq-three", "10 jobs 11 have a positive boundary term;"),
    ],
)
def test_a_sentence_has_its_main_numbers(name: str, part: str) -> None:
    assert part in title(load(ROOT / "certificates" / f"{name}.json"))


def test_a_path_may_be_a_string() -> None:
    problem, file = find("rank-gaps-4"), ROOT / "certificates" / "rank-gaps-4.json"
    assert make_file(str(problem)) == make_file(problem) == load(str(file)) == load(file)
    for read_file in (make_file, load):
        with pytest.raises(InputError, match=r"^path must be the path of a file, but was 3\.$"):
            read_file(3)
