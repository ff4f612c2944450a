"""Claims files: what a publication printed, held against what the certificates prove.

A claims file is TOML with one `[[row]]` per printed number or sentence (certificates/FORMAT.md).
`confirmed` and `corrected` rows are decided here, from a VERIFIED certificate alone; `theorem` (a
page proves it), `evidence`, `unseen` and `open` rows are only listed.
"""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from proofs_checks.checker.kinds import KINDS
from proofs_checks.checker.reader import DECIMAL, DEFAULT, EXACT, Node, read_file
from proofs_checks.checker.verdict import Refusal

PRINTED = re.compile(r"-?[0-9]{1,400}(?:\.([0-9]{1,400}))?(?:[eE](-?[0-9]{1,3}))?", re.ASCII)
LISTED = ("theorem", "evidence", "unseen", "open")
FORMAL = ("hypothesis", "shape", "precision", "name")  # conditions of form, not of substance


class Judgement:
    """How a row fares: it holds, differs, has no certificate, is only listed, or is malformed."""

    HOLDS = "HOLDS"
    DIFFERS = "DIFFERS"
    MISSING = "MISSING"
    LISTED = "LISTED"
    MALFORMED = "MALFORMED"


@dataclass(frozen=True)
class Proved:
    """What the rows need of a verified certificate."""

    name: str
    verified: bool
    kind: str
    claim: Node | None
    tested: dict[str, int]


def judge(path: Path, proved: Sequence[Proved]) -> list[dict[str, str]]:
    """Judge every row of the claims file, or of every *.toml in the folder, in order."""
    files = sorted(path.glob("*.toml")) if path.is_dir() else [path]
    result: list[dict[str, str]] = []
    seen: set[str] = set()
    for file in files:
        try:
            data = read_file(file, DEFAULT)
            tree = tomllib.loads(data.decode("utf-8"), parse_float=_number)
            rows = tree["row"]
            if not isinstance(rows, list) or not rows or not all(isinstance(r, dict) for r in rows):
                raise TypeError("row")
        except (Refusal, ValueError, KeyError, TypeError, RecursionError) as error:
            text = f"a claims file with [[row]] tables was expected: {error}"
            result.append(_row(Judgement.MALFORMED, str(file), text))
            continue
        for row in rows:
            judged = _judge_row(row, proved)
            if judged["id"] in seen:
                judged = _row(Judgement.MALFORMED, judged["id"], "an id that was used before")
            seen.add(judged["id"])
            result.append(judged)
    if not files:
        result.append(_row(Judgement.MALFORMED, str(path), "no claims file there"))
    return result


def _judge_row(row: dict[str, Any], proved: Sequence[Proved]) -> dict[str, str]:
    name = str(row.get("id", "?"))
    try:
        source, printed, verdict = (str(row[key]) for key in ("source", "printed", "verdict"))
        said = f"{source}: {printed}"
        if verdict in LISTED:
            return _row(Judgement.LISTED, name, f"{verdict}; {said}")
        if verdict not in ("confirmed", "corrected"):
            raise ValueError(f"verdict {verdict}")
        found = [each for each in proved if each.name == row["certificate"]]
        if not found:
            return _row(Judgement.MISSING, name, f"{row['certificate']} for {said}")
        why = _difference(row, printed, found)
    except (
        KeyError,
        TypeError,
        ValueError,
        IndexError,
        ZeroDivisionError,
        AttributeError,
        Refusal,
    ) as error:
        return _row(Judgement.MALFORMED, name, f"{type(error).__name__}: {error}")
    if why:
        return _row(Judgement.DIFFERS, name, f"{said}: {why}")
    return _row(Judgement.HOLDS, name, f"{verdict}; {said}")


def _difference(row: dict[str, Any], printed: str, found: list[Proved]) -> str:
    """Why the row does not follow from its certificate; empty if it does."""
    certificate = found[0]
    if len(found) > 1:
        return "several certificates of that name"
    if not certificate.verified or certificate.claim is None:
        return "the certificate is not verified"
    claim = certificate.claim.value
    data = {field: claim[field] for field in KINDS[certificate.kind].PROBLEM if field in claim}
    if not _same(data, row["problem"]):
        return "the problem is another one than the certificate's"
    if data.get("name") == "unnamed":
        raise ValueError("an unnamed statement decides no row")
    if "test" not in row:
        condition = row["condition"]
        if condition in FORMAL:
            raise ValueError(f"the condition {condition} says nothing about the claim")
        tested = certificate.tested.get(condition, 0)
        return "" if tested else f"the condition {condition} was not tested"
    test, pinned = row["test"], row.get("where", {})
    for path, wanted in pinned.items():
        if not _same(_find(claim, path)[0], wanted):
            return f"{path} is another"
    if row["verdict"] == "confirmed" and test["relation"] == "excludes":
        raise ValueError("a confirmed row cannot exclude its number")
    value, entries = _find(claim, test["field"])
    for entry in entries:
        if not any(path.startswith(f"{entry}.") for path in pinned):
            raise ValueError(f"`where` must say which entry {entry} is")
    if isinstance(value, list) or type(value) is int:
        holds = test["relation"] == "equals" and _same(value, test["value"])
    else:
        holds = _relation(test["relation"], *_ends(value), str(test.get("value", printed)))
    return "" if holds else f"{test['field']} is {str(value)[:80]}, not {test['relation']} that"


def _find(claim: Any, path: str) -> tuple[Any, list[str]]:
    """The value at a dotted path, and the paths of the list entries with fields on the way."""
    value, entries, steps = claim, [], path.split(".")
    for depth, step in enumerate(steps):
        if isinstance(value, list):
            if not step.isdigit():
                raise ValueError(f"{path} does not lead to a value")
            value = value[int(step)]
            if isinstance(value, dict) and set(value) != {"lo", "hi"}:
                entries.append(".".join(steps[: depth + 1]))
        elif isinstance(value, dict):
            value = value[step]
        else:
            raise ValueError(f"{path} does not lead to a value")
    return value, entries


def _relation(relation: str, low: Fraction, high: Fraction, text: str) -> bool:
    number = _number(text)
    if relation == "rounds_to":
        match = PRINTED.fullmatch(text)
        if not match:
            raise ValueError(f"not a printed decimal: {text[:60]}")
        half = Fraction(1, 2) * Fraction(10) ** (int(match[2] or 0) - len(match[1] or ""))
        return number - half <= low and high <= number + half
    holds = {
        "at_most": high <= number,
        "at_least": low >= number,
        "equals": low == high == number,
        "excludes": number < low or high < number,
    }
    return holds[relation]


def _ends(value: Any) -> tuple[Fraction, Fraction]:
    """The interval of a claimed number; a single number is its own interval."""
    if isinstance(value, dict):
        return Node(value, "claim").interval()
    number = Node(value, "claim").exact()
    return number, number


def _number(text: str) -> Fraction:
    if not (PRINTED.fullmatch(text) or EXACT.fullmatch(text)):
        raise ValueError(f"not a number: {text[:60]}")
    return Fraction(text)


def _same(claimed: Any, written: Any) -> bool:
    """Whether hand-written problem data equals the claim's, number by number."""
    if isinstance(claimed, dict):
        return (
            isinstance(written, dict)
            and claimed.keys() == written.keys()
            and all(_same(value, written[key]) for key, value in claimed.items())
        )
    if isinstance(claimed, list):
        return (
            isinstance(written, list)
            and len(claimed) == len(written)
            and all(map(_same, claimed, written))
        )
    if isinstance(claimed, str) and (EXACT.fullmatch(claimed) or DECIMAL.fullmatch(claimed)):
        claimed_number = (
            _ends(claimed)[0] if EXACT.fullmatch(claimed) else Node(claimed, "").decimal()
        )
        return not isinstance(written, bool) and claimed_number == _number(str(written))
    return type(claimed) is type(written) and bool(claimed == written)


def _row(judgement: str, name: str, text: str) -> dict[str, str]:
    return {"judgement": judgement, "id": name, "text": text}
