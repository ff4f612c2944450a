"""The reader where one changed sign, bound or raise would show."""

import json
import os
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from proofs_checks.checker import reader
from proofs_checks.checker.reader import (
    DEFAULT,
    LARGE,
    Limits,
    Node,
    integer,
    parse,
    read_file,
)
from proofs_checks.checker.verdict import Outcome, Refusal, Trial

PAGE = (Path(__file__).parents[2] / "certificates" / "FORMAT.md").read_text()


def certificate(claim: Any, **other: Any) -> bytes:
    tree = {"claim": claim, "format": "certify/1", "kind": "some-kind", "witness": {}} | other
    return (json.dumps(tree, indent=2, sort_keys=True) + "\n").encode()


def refusal(data: bytes, limits: Limits = DEFAULT) -> Refusal:
    with pytest.raises(Refusal) as caught:
        parse(data, limits)
    return caught.value


def test_the_limits_are_those_of_the_format() -> None:
    rows = dict(re.findall(r"\| (.*?) \| (.*?) \|", PAGE))
    assert rows["file size"] == "32 MiB"
    default = (32 * 2**20, 850_000, 500_000, 20_000, 12, 10**11, 3 * 10**8, 240 * 2**20, 1_800)
    assert Limits(*default) == DEFAULT == Limits()
    assert Limits(2**30, 10**8, 10**8, 1_000_000, 12, 10**14, 5 * 10**10, None, None) == LARGE
    assert Trial.MAX_BITS == 40_000


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", Fraction(0)),
        ("7", Fraction(7)),
        ("-12", Fraction(-12)),
        ("3e2", Fraction(300)),
        ("-3e1", Fraction(-30)),
        ("15e-3", Fraction(15, 1000)),
        ("1e1", Fraction(10)),
    ],
)
def test_the_value_of_an_end(text: str, value: Fraction) -> None:
    assert Node(text, "claim").decimal() == value


def test_a_point_is_an_interval() -> None:
    assert Node({"lo": "5e-1", "hi": "5e-1"}, "claim").interval() == (Fraction(1, 2),) * 2


@pytest.mark.parametrize("method", ["exact", "decimal", "count", "name", "record", "items"])
@pytest.mark.parametrize("value", [[], {}, None, True, "no number", ["1"], {"a": 1}])
def test_a_value_of_the_wrong_form_is_malformed(method: str, value: Any) -> None:
    node = Node(value, "claim.x")
    fits = (method == "items" and value == ["1"]) or (method, value) == ("record", {})
    arguments = ("",) if method == "record" else ()
    if fits:
        getattr(node, method)(*arguments)
        return
    with pytest.raises(Refusal) as caught:
        getattr(node, method)(*arguments)
    assert caught.value.outcome is Outcome.MALFORMED
    assert caught.value.where == "claim.x"


def test_names_are_those_that_are_allowed() -> None:
    assert Node("paused", "x").name("original", "paused") == "paused"
    with pytest.raises(Refusal, match="original or paused"):
        Node("stopped", "x").name("original", "paused")


def test_only_regular_files_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").write_bytes(b"12345678")
    assert read_file(tmp_path / "file", Limits(file_bytes=8)) == b"12345678"
    with pytest.raises(Refusal) as caught:
        read_file(tmp_path / "file", Limits(file_bytes=7))
    assert caught.value.outcome is Outcome.DECLINED
    for name, found in (
        ("pipe", "something else"),
        ("/dev/zero", "something else"),
        ("none", "No such file or directory"),
    ):
        with pytest.raises(Refusal) as caught:
            read_file(tmp_path / name, DEFAULT)
        assert caught.value.outcome is Outcome.MALFORMED
        assert caught.value.found == found


def test_a_file_is_opened_for_reading_without_waiting_nor_leaking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_bytes(b"x")
    flags: list[int] = []
    opened = os.open

    def spy(path: Path, mode: int) -> int:
        flags.append(mode)
        return opened(path, mode)

    monkeypatch.setattr(reader.os, "open", spy)
    read_file(tmp_path / "file", DEFAULT)
    assert flags == [os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC]


def test_no_more_of_a_file_is_read_than_one_byte_too_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_bytes(b"x" * 100)
    sizes: list[int] = []

    class Opened:
        def __enter__(self) -> "Opened":
            return self

        def __exit__(self, *_: object) -> None:
            os.close(self.number)

        def __init__(self, number: int) -> None:
            self.number = number

        def fileno(self) -> int:
            return self.number

        def read(self, size: int) -> bytes:
            sizes.append(size)
            return os.read(self.number, size)

    monkeypatch.setattr(reader.os, "fdopen", lambda number, _: Opened(number))
    with pytest.raises(Refusal):
        read_file(tmp_path / "file", Limits(file_bytes=40))
    assert sizes == [41]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"{}\n", "fields format kind claim witness"),
        (b"[]\n", "an object"),
        (b'{\n  "a": null\n}\n', "strings, counts, lists and objects"),
        (b'{\n  "a": true\n}\n', "strings, counts, lists and objects"),
        (b'{\n  "a": 1.5\n}\n', "counts of at most nine digits"),
        (b'{\n  "a": 1e5\n}\n', "counts of at most nine digits"),
        (b'{\n  "a": NaN\n}\n', "counts of at most nine digits"),
        (b'{\n  "a": -Infinity\n}\n', "counts of at most nine digits"),
        (b'{\n  "a": -1\n}\n', "counts of at most nine digits"),
        (b'{\n  "a": 1234567890\n}\n', "counts of at most nine digits"),
        (b'{\n  "a": "1",\n  "a": "1"\n}\n', "every field once"),
        (b'{\n  "a b": "1"\n}\n', "field names that are plain words"),
        (b'{\n  "": "1"\n}\n', "field names that are plain words"),
        (b'{\n  "a": "1/0"\n}\n', "numbers in their one spelling, or names"),
        (b'{\n  "a": "VERIFIED"\n}\n', "numbers in their one spelling, or names"),
        (b'{\n  "a": "x y"\n}\n', "numbers in their one spelling, or names"),
        (b'{\n  "b": "1",\n  "a": "1"\n}\n', "canonical bytes"),
        (b"\xff", "ASCII"),
        (b"", "JSON"),
        (certificate({})[:-1], "canonical bytes"),
        (certificate({}, format="certify-2"), "certify/1"),
        (certificate({}, kind=["a"]), "a name"),
        (certificate({}, kind={"a": "1"}), "a name"),
        (certificate({}, kind="certify/1"), "a name"),
        (certificate({}, kind=1), "a name"),
    ],
)
def test_the_first_broken_rule_is_named(data: bytes, expected: str) -> None:
    caught = refusal(data)
    assert caught.outcome is Outcome.MALFORMED
    assert caught.expected == expected


def test_fields_that_are_missing_or_unknown_are_named() -> None:
    """Sorted, and only nine where a file has thousands of them."""
    caught = refusal(certificate({}, note="1", also="1"))
    assert caught.found == "missing [], unknown ['also', 'note']"
    tree = json.loads(certificate({}, note="1"))
    del tree["kind"], tree["format"]
    caught = refusal((json.dumps(tree, indent=2, sort_keys=True) + "\n").encode())
    assert caught.found == "missing ['format', 'kind'], unknown ['note']"
    many = {"a" * length: "1" for length in range(1, 40)}
    shown = [key for key in many if len(key) < 10]
    assert refusal(certificate({}, **many)).found == f"missing [], unknown {shown}"


def test_the_names_of_unknown_fields_are_cut() -> None:
    for length, shown in ((60, 60), (61, 60), (10_000, 60)):
        with pytest.raises(Refusal) as caught:
            Node({"x" * length: "1"}, "claim").record("")
        assert caught.value.found == f"missing [], unknown ['{'x' * shown}']"


def test_counts_have_at_most_nine_digits() -> None:
    _, claim, _ = parse(certificate(123456789), DEFAULT)
    assert claim.count() == 123456789
    assert refusal(certificate(1234567890)).expected == "counts of at most nine digits"


def test_the_weight_is_the_sum_of_the_squared_sizes() -> None:
    """ "12" weighs 4, "1e-7" 4 + 7 digits, that is 121, and a name as many letters as it has."""
    names = len("certify/1") ** 2 + len("some-kind") ** 2
    for claim, weight in ((["12"], 4), (["1e-7"], 121), (["1e7", "abc"], 100 + 9), ([], 0)):
        parse(certificate(claim), Limits(weight=names + weight))
        caught = refusal(certificate(claim), Limits(weight=names + weight - 1))
        assert caught.outcome is Outcome.DECLINED
        assert caught.found == str(names + weight)


@pytest.mark.parametrize("text", ["1e12", "1e-12"])
def test_an_exponent_may_be_as_large_as_the_digits_allowed(text: str) -> None:
    _, claim, _ = parse(certificate(text), Limits(digits=12))
    assert claim.decimal() == Fraction(text)
    assert refusal(certificate(text), Limits(digits=11)).where == "exponent"


def test_a_string_may_have_as_many_digits_as_allowed() -> None:
    text = "7" * 15
    assert parse(certificate(text), Limits(digits=15))[1].exact() == int(text)
    assert refusal(certificate(text), Limits(digits=14)).where == "digits"


def test_fractions_and_exponents_are_told_apart() -> None:
    """The exponent of a decimal counts; the digits of a fraction are its length alone."""
    assert parse(certificate("1/99999999"), Limits(digits=10))[1].exact() == Fraction(1, 99999999)


def test_every_level_counts() -> None:
    for depth, claim in ((2, "1"), (3, ["1"]), (3, {"a": "1"}), (4, [{"a": "1"}])):
        parse(certificate(claim), Limits(depth=depth))
        caught = refusal(certificate(claim), Limits(depth=depth - 1))
        assert (caught.outcome, caught.where) == (Outcome.DECLINED, "nesting")


@pytest.mark.parametrize("length", [1, 3999, 4000, 4001, 8000, 12001])
def test_long_integers(length: int) -> None:
    value = (10**length - 1) // 9 * 7
    for sign in (1, -1):
        text = ("-" if sign < 0 else "") + "7" * length
        assert integer(text) == sign * value


def test_the_parts_come_apart() -> None:
    kind, claim, witness = parse(certificate({"a": ["1"]}, witness={"b": "2"}), DEFAULT)
    assert (kind, claim.value, witness.value) == ("some-kind", {"a": ["1"]}, {"b": "2"})
    assert (claim.path, witness.path) == ("claim", "witness")
    assert claim.record("a")["a"].items()[0].path == "claim.a.0"


def test_so_many_fields_and_no_more() -> None:
    """They are counted before they are read: broken JSON with too many is declined as well."""
    data = certificate({"a": {"b": "1"}})
    count = data.count(b":")
    assert parse(data, Limits(fields=count))
    caught = refusal(data, Limits(fields=count - 1))
    assert (caught.where, caught.expected, caught.found) == (
        "fields",
        f"at most {count - 1}",
        "more",
    )
    assert refusal(data[:-2], Limits(fields=count - 1)).where == "fields"


def test_so_many_values_and_no_more() -> None:
    """A certificate of this claim has 6 commas and 5 opening brackets."""
    data = certificate(["1", "2", ["3", {"a": "4"}]])
    text = data.decode()
    count = sum(text.count(mark) for mark in (",", "[", "{"))
    assert count == 11
    assert parse(data, Limits(values=count))
    assert refusal(data, Limits(values=count - 1)).where == "values"
    # before the text is read as JSON
    assert refusal(data[:-2], Limits(values=count - 1)).where == "values"
