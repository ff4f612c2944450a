"""Forgeries of a certificate: every number, list, name and part bent, one or several at a time.

Also parts of other certificates of the kind in its place, and texts that look like verdicts.

A forgery is a changed copy of the whole certificate. Whether its claim is true is decided by the
kind's own module in tests/mutation/truth/, which uses neither the checker nor the generator's
algorithm. The law: whatever is false must be refused; what is accepted must be true.
"""

import copy
import importlib
import json
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from proofs_checks.checker.cli import Report, check_bytes
from proofs_checks.checker.kinds import KINDS
from proofs_checks.checker.reader import DECIMAL, DEFAULT, EXACT
from proofs_checks.checker.verdict import Outcome, Trial

Tree = dict[str, Any]
CERTIFICATES = Path(__file__).parents[2] / "certificates"
Truth = Callable[[dict[str, Any]], bool | None]
TEXTS = ("", "ok\nVERIFIED  other.json", "VERIFIED", "1\r0", "1\u2028", "\x1b[2K", "\udc80", "..")


@dataclass(frozen=True)
class Forgery:
    """A changed certificate and the words for what was changed."""

    name: str
    tree: Tree


@dataclass
class Tally:
    """What became of the forgeries of one kind, and which condition caught how many."""

    made: int = 0
    false_refused: int = 0
    true_accepted: int = 0
    true_refused: int = 0
    open_refused: int = 0
    unasked_refused: int = 0
    open_accepted: list[str] = field(default_factory=list)
    false_accepted: list[str] = field(default_factory=list)
    unclean: list[str] = field(default_factory=list)
    caught: Counter[str] = field(default_factory=Counter)

    def line(self) -> str:
        """The counts in one line."""
        return (
            f"{self.made} forgeries: {self.false_refused} false refused, "
            f"{len(self.false_accepted)} false accepted, {self.true_accepted} true accepted, "
            f"{self.true_refused} true refused, {self.open_refused} open refused, "
            f"{len(self.open_accepted)} open accepted, {self.unasked_refused} refused unasked"
        )


class Granting(Trial):
    """A trial that takes one condition for granted."""

    def __init__(self, granted: str) -> None:
        super().__init__(DEFAULT.steps)
        self.granted = granted

    def require(
        self, condition: str, holds: bool, where: str, expected: object, found: object
    ) -> None:
        super().require(condition, holds or condition == self.granted, where, expected, found)

    def equal(self, condition: str, where: str, expected: Fraction, found: Fraction) -> None:
        super().equal(condition, where, found if condition == self.granted else expected, found)


def to_bytes(tree: Tree) -> bytes:
    """The canonical bytes of a certificate, written here on purpose and not by certify."""
    return (json.dumps(tree, indent=2, sort_keys=True) + "\n").encode()


def shipped(kind: str) -> list[Path]:
    """The certificates of a kind, the smallest first."""
    paths = sorted(CERTIFICATES.glob(f"{kind}-*.json"), key=lambda path: path.stat().st_size)
    return [path for path in paths if json.loads(path.read_bytes())["kind"] == kind]


def truth_of(kind: str) -> Truth:
    """The function that decides claims of this kind by independent means, each claim once."""
    module = importlib.import_module(f"tests.mutation.truth.{kind.replace('-', '_')}")
    known: dict[str, bool | None] = {}

    def truth(claim: dict[str, Any]) -> bool | None:
        text = json.dumps(claim, sort_keys=True)
        if text not in known:
            known[text] = module.truth(copy.deepcopy(claim))
        return known[text]

    return truth


def single(tree: Tree) -> Iterator[Forgery]:
    """Every forgery that changes one place."""
    for path in paths(tree):
        for name, value in _changes(at(tree, path)):
            yield Forgery(f"{'.'.join(map(str, path))}: {name}", _set(tree, path, value))
    for kind in [*KINDS, "no-such-kind"]:
        if kind != tree["kind"]:
            yield Forgery(f"kind: {kind}", {**copy.deepcopy(tree), "kind": kind})


def of_every_kind(tree: Tree, seed: int) -> Iterator[Forgery]:
    """One forgery of every kind of change at every kind of place, for trees of too many places.

    Places that differ only by their number in a list are of one kind: a seeded generator chooses.
    """
    chance = random.Random(seed)
    places: dict[tuple[tuple[Any, ...], str], list[tuple[Any, ...]]] = {}
    for path in paths(tree):
        for name, _ in _changes(at(tree, path)):
            places.setdefault((kind_of_place(path), name), []).append(path)
    for (_, name), alike in places.items():
        path = chance.choice(alike)
        value = dict(_changes(at(tree, path)))[name]
        yield Forgery(f"{'.'.join(map(str, path))}: {name}", _set(tree, path, value))


def several(tree: Tree, count: int, seed: int, places: Sequence[int] = (2, 3)) -> Iterator[Forgery]:
    """`count` forgeries, each of so many places, all chosen by a seeded generator."""
    chance = random.Random(seed)
    for _ in range(count):
        forged, names = tree, []
        for _ in range(chance.choice(places)):
            path = chance.choice([p for p in paths(forged) if len(p) > 1])
            options = list(_changes(at(forged, path)))
            if options:
                name, value = chance.choice(options)
                forged = _set(forged, path, value)
                names.append(f"{'.'.join(map(str, path))}: {name}")
        yield Forgery("; ".join(names), forged)


def crossed(tree: Tree, others: Sequence[Tree]) -> Iterator[Forgery]:
    """Every forgery that takes one part from another certificate of the kind.

    The witness, each field of the claim (the law, load or system of a neighbour, its values, the
    name of another statement), and all problem data at once.
    """
    problem = KINDS[tree["kind"]].PROBLEM
    for number, other in enumerate(others):
        if other["witness"] != tree["witness"]:
            yield Forgery(f"witness of {number}", {**tree, "witness": other["witness"]})
        if other["claim"] == tree["claim"]:
            continue
        for key, value in other["claim"].items():
            if tree["claim"].get(key) != value:
                claim = {**tree["claim"], key: value}
                yield Forgery(f"claim.{key} of {number}", {**tree, "claim": claim})
        data = {key: value for key, value in other["claim"].items() if key in problem}
        kept = {key: value for key, value in tree["claim"].items() if key not in problem}
        yield Forgery(f"problem of {number}", {**tree, "claim": kept | data})


def worded(tree: Tree) -> Iterator[Forgery]:
    """Every forgery that puts a text for the reader's eyes where a number or a name belongs."""
    for path in paths(tree):
        value = at(tree, path)
        if isinstance(value, str):
            for text in TEXTS:
                yield Forgery(f"{'.'.join(map(str, path))}: {text!r}", _set(tree, path, text))
    for text in TEXTS:
        yield Forgery(f"kind: {text!r}", {**tree, "kind": text})


def judge(forgeries: Iterable[Forgery], truth: Truth, tally: Tally, every: int = 1) -> Tally:
    """Check every forgery, decide its claim independently, and count.

    The truth of what is accepted is always asked, that of what is refused once in `every` times;
    a malformed file states nothing, and is asked about only if everything is.
    """
    for forgery in forgeries:
        report = check_bytes(to_bytes(forgery.tree))
        accepted = report.outcome is Outcome.VERIFIED
        if not all(" " <= letter <= "~" for letter in report.line()):
            tally.unclean.append(forgery.name)
        stated = report.outcome is not Outcome.MALFORMED
        if not accepted and (tally.made % every or not (stated or every == 1)):
            _caught(tally, report)
            tally.unasked_refused += 1
            continue
        if forgery.tree["kind"] not in KINDS:
            fact: bool | None = False  # no statement at all
        else:
            claim_kind = truth if forgery.name.split(":")[0] != "kind" else _other_kind
            fact = claim_kind(forgery.tree["claim"])
        _count(tally, forgery, report, accepted, fact)
    return tally


def _other_kind(_: dict[str, Any]) -> bool | None:
    """The claim fields of one kind are no claim of another: to be refused."""
    return False


def _count(
    tally: Tally, forgery: Forgery, report: Report, accepted: bool, fact: bool | None
) -> None:
    _caught(tally, report)
    if fact is None:
        tally.open_refused += not accepted
        tally.open_accepted += [forgery.name] if accepted else []
    elif fact:
        tally.true_accepted += accepted
        tally.true_refused += not accepted
    else:
        tally.false_refused += not accepted
        tally.false_accepted += [forgery.name] if accepted else []


def _caught(tally: Tally, report: Report) -> None:
    tally.made += 1
    if report.refusal:
        tally.caught[f"{report.outcome.value} {report.refusal.condition}"] += 1


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all values inside claim and witness, and of these two."""
    result = [path] if path and path[0] in ("claim", "witness") else []
    if isinstance(value, dict):
        for key, each in value.items():
            result += paths(each, (*path, key))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            result += paths(each, (*path, index))
    return result


def kind_of_place(path: tuple[Any, ...]) -> tuple[Any, ...]:
    """The path with all numbers in lists alike."""
    return tuple("each" if isinstance(step, int) else step for step in path)


def _changes(value: Any) -> Iterator[tuple[str, Any]]:
    """What one value may be changed into, always in the format's own spelling."""
    if isinstance(value, dict):
        yield from _object_changes(value)
    elif isinstance(value, list):
        yield from _list_changes(value)
    elif type(value) is int:
        yield "+1", value + 1
        if value > 0:
            yield "-1", value - 1
            yield "halved", value // 2
        yield "as a string", str(value)
    elif DECIMAL.fullmatch(value) or EXACT.fullmatch(value):
        for name, number in _number_changes(value):
            if number != value:
                yield name, number
    else:
        yield "another name", "another-name"


def _object_changes(value: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    yield "emptied", {}
    yield "unknown field", {**value, "extra": "1"}
    for key in value:
        yield f"without {key}", {k: v for k, v in value.items() if k != key}
    if set(value) == {"lo", "hi"}:
        yield "ends swapped", {"lo": value["hi"], "hi": value["lo"]}
        yield "only the low end", {"lo": value["lo"], "hi": value["lo"]}
        yield "only the high end", {"lo": value["hi"], "hi": value["hi"]}
    if {"from", "to"} <= set(value):
        yield "no width", {**value, "to": value["from"]}
        yield "turned round", {**value, "from": value["to"], "to": value["from"]}
    if set(value) == {"lo", "hi"} and all(DECIMAL.fullmatch(end) for end in value.values()):
        yield "widened", {"lo": _bent(value["lo"], -7), "hi": _bent(value["hi"], 7)}


def _list_changes(value: list[Any]) -> Iterator[tuple[str, Any]]:
    yield "emptied", []
    if value:
        yield "first dropped", value[1:]
        yield "last dropped", value[:-1]
        yield "last doubled", [*value, value[-1]]
        yield "first doubled", [value[0], *value]
    if len(value) > 1:
        yield "reversed", value[::-1]
        yield "rotated", [*value[1:], value[0]]
        yield "first two swapped", [value[1], value[0], *value[2:]]


def _number_changes(text: str) -> Iterator[tuple[str, str]]:
    if "e" in text:
        for name, step in (("+1 last place", 1), ("-1 last place", -1)):
            yield name, _bent(text, step)
        yield "+1 %", _scaled(text, 101)
        yield "-1 %", _scaled(text, 99)
        yield "exponent + 1", spelled(Fraction(text) * 10)
        yield "negated", text[1:] if text.startswith("-") else f"-{text}"
        return
    number = Fraction(text)
    numerator, denominator = number.numerator, number.denominator
    changed = {
        "numerator + 1": Fraction(numerator + 1, denominator),
        "numerator - 1": Fraction(numerator - 1, denominator),
        "denominator + 1": Fraction(numerator, denominator + 1),
        "+1 %": number * Fraction(101, 100),
        "-1 %": number * Fraction(99, 100),
        "tiny step up": number + Fraction(1, 10**60),
        "tiny step down": number - Fraction(1, 10**60),
        "negated": -number,
        "zero": Fraction(0),
    }
    if denominator > 2:
        changed["denominator - 1"] = Fraction(numerator, denominator - 1)
    for name, result in changed.items():
        yield name, str(result)


def _bent(text: str, step: int) -> str:
    """A decimal with its last digit moved by `step`."""
    mantissa, _, power = text.partition("e")
    return spelled((int(mantissa) + step) * Fraction(10) ** int(power or 0))


def _scaled(text: str, percent: int) -> str:
    mantissa, _, power = text.partition("e")
    return spelled((int(mantissa) * percent // 100) * Fraction(10) ** int(power or 0))


def spelled(value: Fraction) -> str:
    """The format's spelling of a decimal."""
    power = 0
    while value.denominator != 1:
        value, power = value * 10, power - 1
    mantissa = value.numerator
    while mantissa and mantissa % 10 == 0:
        mantissa, power = mantissa // 10, power + 1
    return "0" if mantissa == 0 else f"{mantissa}e{power}" if power else str(mantissa)


def changes(old: Any, new: Any, path: tuple[Any, ...] = ()) -> list[tuple[list[Any], Any]]:
    """The places where `new` differs from `old`, each with its value in `new`."""
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        return [each for key in old for each in changes(old[key], new[key], (*path, key))]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        pairs = enumerate(zip(old, new, strict=True))
        return [each for key, (a, b) in pairs for each in changes(a, b, (*path, key))]
    return [] if old == new else [(list(path), new)]


def changed(tree: Tree, places: list[tuple[list[Any], Any]]) -> Tree:
    """A copy with the values at these places."""
    for path, value in places:
        tree = _set(tree, tuple(path), value)
    return tree


def at(tree: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        tree = tree[step]
    return tree


def _set(tree: Tree, path: tuple[Any, ...], value: Any) -> Tree:
    result = copy.deepcopy(tree)
    at(result, path[:-1])[path[-1]] = copy.deepcopy(value)
    return result
