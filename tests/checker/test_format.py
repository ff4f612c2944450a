"""Every rule of certificates/FORMAT.md, by the examples printed there."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from proofs_checks.checker.reader import DEFAULT, Limits, Node, integer, parse
from proofs_checks.checker.verdict import Outcome, Refusal

PAGE = (Path(__file__).parents[2] / "certificates" / "FORMAT.md").read_text()
EXAMPLES = re.findall(r"```(accept|reject) (\w+)\n(.*?)```", PAGE, re.DOTALL)


def read(shape: str, text: str, limits: Limits = DEFAULT) -> Any:
    """Read an example of FORMAT.md, inside a whole certificate where it is only a value."""
    if shape == "file":
        return parse(text.encode(), limits)
    raw = text.strip()
    if shape == "interval":
        raw = json.dumps(json.loads(raw), indent=2, sort_keys=True).replace("\n", "\n    ")
    data = (
        f'{{\n  "claim": {{\n    "x": {raw}\n  }},\n  "format": "certify/1",\n'
        f'  "kind": "some-kind",\n  "witness": {{}}\n}}\n'
    )
    _, claim, _ = parse(data.encode(), limits)
    node = claim.record("x")["x"]
    return node.name("summary") if shape == "name" else getattr(node, shape)()


def test_the_page_has_examples_of_every_shape() -> None:
    shapes = {(verdict, shape) for verdict, shape, _ in EXAMPLES}
    for shape in ("file", "exact", "interval", "count", "name"):
        assert ("accept", shape) in shapes
        assert sum(1 for v, s, _ in EXAMPLES if (v, s) == ("reject", shape)) >= 2


@pytest.mark.parametrize(("verdict", "shape", "text"), EXAMPLES)
def test_example(verdict: str, shape: str, text: str) -> None:
    if verdict == "accept":
        read(shape, text)
        return
    with pytest.raises(Refusal) as caught:
        read(shape, text)
    assert caught.value.outcome is Outcome.MALFORMED


@pytest.mark.parametrize(
    "text",
    ["01", "+1", "1/0", "1/1", "0/2", "1_0", " 1", "1 ", "\\u0661", "1/-2", "--1", "1e3", "", "½"],
)
def test_other_spellings_of_exact_numbers_are_malformed(text: str) -> None:
    with pytest.raises(Refusal) as caught:
        read("exact", json.dumps(text) if "\\" not in text else f'"{text}"')
    assert caught.value.outcome is Outcome.MALFORMED


@pytest.mark.parametrize(
    "text", ["1e-0", "1e01", "1e+3", "0e1", "-0", "1.5", "10", "inf", "1e9999999"]
)
def test_other_spellings_of_ends_are_malformed(text: str) -> None:
    with pytest.raises(Refusal) as caught:
        read("interval", json.dumps({"lo": text, "hi": "9e9"}))
    assert caught.value.outcome is Outcome.MALFORMED


@pytest.mark.parametrize(
    ("text", "power", "offset"),
    [("6", 0, 5), ("-" + "9" * 5000, 5000, 1), ("1" + "0" * 8001, 8001, 0)],
)
def test_integers_of_any_length(text: str, power: int, offset: int) -> None:
    sign = -1 if text.startswith("-") else 1
    assert sign * integer(text) + (-offset if power == 0 else offset) == 10**power


def test_limits_decline() -> None:
    small = Limits(digits=20, depth=4)
    for shape, text in (
        ("exact", json.dumps("1" * 21)),
        ("interval", json.dumps({"lo": "1", "hi": "1e21"})),
        ("interval", json.dumps({"lo": "1e-21", "hi": "1"})),
    ):
        with pytest.raises(Refusal) as caught:
            read(shape, text, small)
        assert caught.value.outcome is Outcome.DECLINED
    assert read("exact", json.dumps("1" * 20), small) == int("1" * 20)


def test_the_weight_of_all_numbers_is_limited() -> None:
    """A few bytes can stand for many digits: 1e20000 costs what 20,000 digits cost."""
    for count, outcome in ((249, None), (260, Outcome.DECLINED)):
        tree = {
            "claim": ["1e19900"] * count,
            "format": "certify/1",
            "kind": "some-kind",
            "witness": {},
        }
        data = (json.dumps(tree, indent=2, sort_keys=True) + "\n").encode()
        if outcome is None:
            parse(data, DEFAULT)
            continue
        with pytest.raises(Refusal) as caught:
            parse(data, DEFAULT)
        assert caught.value.outcome is outcome


def nested(depth: int) -> bytes:
    inner: Any = "1"
    for _ in range(depth):
        inner = [inner]
    tree = {"claim": inner, "format": "certify/1", "kind": "some-kind", "witness": {}}
    return (json.dumps(tree, indent=2, sort_keys=True) + "\n").encode()


def test_nesting_has_a_limit() -> None:
    parse(nested(DEFAULT.depth - 2), DEFAULT)
    with pytest.raises(Refusal) as caught:
        parse(nested(DEFAULT.depth - 1), DEFAULT)
    assert caught.value.outcome is Outcome.DECLINED


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x00\xff\xfe",
        b"[" * 200_000,
        b'{"a":' * 100_000,
        b"NaN\n",
        b"[Infinity]\n",
        b'"\\ud800"\n',
        b"null\n",
        b"[true]\n",
        b"1" * 5000,
        b'{"claim": {}, "format": "certify/1"',
        '{"claim": "é"}\n'.encode(),
    ],
)
def test_hostile_bytes_get_a_verdict(data: bytes) -> None:
    with pytest.raises(Refusal) as caught:
        parse(data, DEFAULT)
    assert caught.value.outcome in (Outcome.MALFORMED, Outcome.DECLINED)


def test_records_want_exactly_their_fields() -> None:
    node = Node({"a": "1", "b": "2"}, "claim")
    assert set(node.record("a", "b c")) == {"a", "b"}
    for required, optional in (("a", ""), ("a b c", ""), ("a b", "c")):
        if (required, optional) == ("a b", "c"):
            node.record(required, optional)
            continue
        with pytest.raises(Refusal):
            node.record(required, optional)
    with pytest.raises(Refusal):
        Node([], "claim").record("a")
    with pytest.raises(Refusal):
        Node([], "claim").items()
    assert len(Node([], "claim").items(empty=True)) == 0
    with pytest.raises(Refusal):
        Node({}, "claim").items(empty=True)
