"""Claims files: what a publication printed, held against what the certificates prove.

A claims file is TOML with one `[[row]]` per printed number or sentence (certificates/FORMAT.md).
`confirmed`, `improved` and `corrected` rows are decided here, from a VERIFIED certificate alone;
`theorem` (a page proves it), `evidence`, `unseen` and `open` rows are only listed. A printed number
is compared; a printed sentence is not read, and the judgement says so.
"""

import os
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from proofs_checks.checker.kinds import KINDS
from proofs_checks.checker.reader import DECIMAL, DEFAULT, EXACT, NAME, Node, read_file
from proofs_checks.checker.results import RESULTS
from proofs_checks.checker.verdict import Refusal

PRINTED = re.compile(r"-?[0-9]{1,400}(?:\.([0-9]{1,400}))?(?:[eE](-?[0-9]{1,3}))?", re.ASCII)
DECIDED = ("confirmed", "improved", "corrected")
LISTED = ("theorem", "evidence", "unseen", "open")
BOUNDS = ("at_most", "below", "at_least", "above")
RELATIONS = (*BOUNDS, "rounds_to", "equals", "excludes")
FIELDS = "certificate problem test where condition page erratum note"
# what comes of a row that holds something else than it should
WRONG = (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, RecursionError)


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
    folder = os.path.isdir(path)  # unlike Path.is_dir this never raises  # noqa: PTH112
    files = sorted(path.glob("*.toml")) if folder else [path]
    result: list[dict[str, str]] = []
    seen: set[str] = set()
    for file in files:
        try:
            rows = _rows(file)
        except (*WRONG, Refusal) as error:
            result.append(_row(Judgement.MALFORMED, str(file), f"no claims file: {error}"))
            continue
        for number, row in enumerate(rows, 1):
            place = f"row {number} of {file}"
            judged = _judge_row(row, proved, place)
            if judged["id"] in seen:
                text = f"{place}: an id that was used before"
                judged = _row(Judgement.MALFORMED, judged["id"], text)
            if judged["id"] != "?":
                seen.add(judged["id"])
            result.append(judged)
    if not files:
        result.append(_row(Judgement.MALFORMED, str(path), "no claims file there"))
    return result


def _rows(file: Path) -> list[Any]:
    """The rows of a claims file."""
    tree = tomllib.loads(read_file(file, DEFAULT).decode("utf-8"), parse_float=str)
    _require_fields("the file", tree, "row", "publication")
    if not isinstance(tree["row"], list) or not tree["row"]:
        raise ValueError("`row` should be tables, each begun by [[row]]")
    return tree["row"]


def _judge_row(row: Any, proved: Sequence[Proved], place: str) -> dict[str, str]:
    name = row.get("id") if isinstance(row, dict) else None
    if not isinstance(name, str) or not NAME.fullmatch(name):
        text = f"{place} should be a table with an `id` of a to z, digits, points and hyphens"
        return _row(Judgement.MALFORMED, "?", text)
    try:
        _require_form(row)
        said = f"{row['source']}: {row['printed']}"
        if row["verdict"] in LISTED:
            return _row(Judgement.LISTED, name, f"{row['verdict']}; {said}")
        found = [each for each in proved if each.name == row["certificate"]]
        if not found:
            return _row(Judgement.MISSING, name, f"{row['certificate']} for {said}")
        basis, why = _basis(row), _difference(row, found)
    except (*WRONG, Refusal) as error:
        return _row(Judgement.MALFORMED, name, f"{place}: {error}")
    if why:
        return _row(Judgement.DIFFERS, name, f"{said}: {why}")
    return _row(Judgement.HOLDS, name, f"{row['verdict']} by {basis}; {said}")


def _require_fields(name: str, table: dict[str, Any], required: str, optional: str) -> None:
    """Refuse a table without the required fields or with others than these."""
    missing = [field for field in required.split() if field not in table]
    strange = sorted(set(table) - set(required.split()) - set(optional.split()))
    if missing or strange:
        words = f"no `{missing[0]}`" if missing else f"fields that mean nothing here: {strange}"
        raise ValueError(f"{name} has {words[:200]}")


def _require_form(row: dict[str, Any]) -> None:
    """The fields of a row: texts where texts belong, one way to decide it, nothing unknown."""
    decided, proved = row.get("verdict") in DECIDED, row.get("verdict") == "theorem"
    if not decided and row.get("verdict") not in LISTED:
        raise ValueError(f"`verdict` should be one of {', '.join(DECIDED + LISTED)}")
    required = "id source printed verdict" + " certificate problem" * decided + " page" * proved
    _require_fields("the row", row, required, FIELDS)
    test = row.get("test", {"field": "none", "relation": "equals"})
    for field, value in row.items():
        if field in ("problem", "where", "test"):
            _require(isinstance(value, dict), field, "a table")
        elif field == "erratum":
            _require(isinstance(value, bool), field, "true or false")
        else:
            _require_text(field, value)
    if ("test" in row) + ("condition" in row) != decided:
        raise ValueError("a `test` or a `condition`, not both, decides a row with a certificate")
    if "where" in row and "test" not in row:
        raise ValueError("`where` means nothing without a `test`")
    _require_fields("`test`", test, "field relation", "value")
    _require_text("test.field", test["field"])
    _require(test["relation"] in RELATIONS, "test.relation", f"one of {', '.join(RELATIONS)}")
    plain = type(test.get("value", "")) in (str, int, list)
    _require(plain, "test.value", "a number, a text or a list")


def _require_text(field: str, value: Any) -> None:
    plain = isinstance(value, str) and value and value == value.strip()
    _require(bool(plain), field, "a text without blanks at its ends")


def _require(holds: bool, field: str, expected: str) -> None:
    if not holds:
        raise ValueError(f"`{field}` should be {expected}")


def _basis(row: dict[str, Any]) -> str:
    """What the judgement rests on."""
    if "test" in row:
        test = row["test"]
        text = f"{test['field']} {test['relation']} {test.get('value', row['printed'])}"
    else:
        text = f"condition {row['condition']}"
    return text if _is_number(row["printed"]) else f"{text}, words not checked"


def _difference(row: dict[str, Any], found: list[Proved]) -> str:
    """Why the row does not follow from its certificate; empty if it does."""
    certificate = found[0]
    if len(found) > 1:
        return "several certificates of that name"
    if not certificate.verified or certificate.claim is None:
        return "the certificate is not verified"
    claim, problem = certificate.claim.value, KINDS[certificate.kind].PROBLEM
    data = {field: claim[field] for field in problem if field in claim}
    if not _same(data, row["problem"]):
        return "the problem is another one than the certificate's"
    if data.get("name") == "unnamed":
        raise ValueError("an unnamed statement decides no row")
    if "condition" in row:
        condition = row["condition"]
        if condition not in RESULTS.get(certificate.kind, "").split():
            raise ValueError(f"the condition {condition} says nothing that is claimed")
        if _is_number(row["printed"]):
            raise ValueError("a printed number needs a test")
        tested = certificate.tested.get(condition, 0)
        return "" if tested else f"the condition {condition} was not tested"
    test, pinned = row["test"], row.get("where", {})
    field = test["field"]
    for path, wanted in pinned.items():
        if not _same(_find(claim, path)[0], wanted):
            return f"{path} is another"
    value, entries = _find(claim, field)
    if field.split(".")[0] in problem:
        raise ValueError(f"{field} is given, not claimed")
    for entry, siblings in entries:
        names = [path for path in pinned if path.startswith(f"{entry}.") and _apart(path, field)]
        steps = [(path.removeprefix(f"{entry}."), pinned[path]) for path in names]
        alike = [all(_same(_find(each, path)[0], w) for path, w in steps) for each in siblings]
        if sum(alike) != 1 or not names:
            raise ValueError(f"`where` must say which entry {entry} is")
    holds = _holds(row, value)
    return "" if holds else f"{field} is {str(value)[:80]}, not {test['relation']} that"


def _find(claim: Any, path: str) -> tuple[Any, list[tuple[str, list[Any]]]]:
    """The value at a dotted path; the list entries with fields on the way, each with its list."""
    value, entries, steps = claim, [], path.split(".")
    nowhere = ValueError(f"{path[:200]} does not lead to a value of the claim")
    for depth, step in enumerate(steps):
        if isinstance(value, list):
            if step not in map(str, range(len(value))):
                raise nowhere
            siblings, value = value, value[int(step)]
            if isinstance(value, dict) and set(value) != {"lo", "hi"}:
                entries.append((".".join(steps[: depth + 1]), siblings))
        elif isinstance(value, dict) and step in value and set(value) != {"lo", "hi"}:
            value = value[step]  # of an interval an end is not the number
        else:
            raise nowhere
    return value, entries


def _apart(path: str, field: str) -> bool:
    """Whether neither of the two leads to or through the other."""
    return not (f"{path}.".startswith(f"{field}.") or f"{field}.".startswith(f"{path}."))


def _holds(row: dict[str, Any], value: Any) -> bool:
    """Whether the claimed value bears the verdict out."""
    verdict, printed, relation = row["verdict"], row["printed"], row["test"]["relation"]
    wanted = row["test"].get("value", printed)
    if relation == "excludes" and verdict != "corrected":
        raise ValueError("only a corrected row excludes a number")
    if isinstance(value, list):
        if _is_number(printed):
            raise ValueError("a list is not a printed number")
        return relation == "equals" and _same(value, wanted)
    ends, wanted = _ends(value), str(wanted)
    if _is_number(printed):
        number, bound = _number(printed), _number(wanted)
        if verdict == "confirmed":
            if bound != number:
                raise ValueError("a confirmed row has no other number than the printed one")
            wanted = printed
        elif verdict == "corrected" and not _relation("excludes", *ends, printed):
            return False
        elif verdict == "improved" and not (
            relation in BOUNDS
            and _relation(relation, bound, bound, printed)
            and _relation("excludes", bound, bound, printed)
        ):
            raise ValueError("an improved row needs a bound beyond the printed one")
    return _relation(relation, *ends, wanted)


def _relation(relation: str, low: Fraction, high: Fraction, text: str) -> bool:
    number, half, match = _number(text), Fraction(0), PRINTED.fullmatch(text)
    if match:
        half = Fraction(1, 2) * Fraction(10) ** (int(match[2] or 0) - len(match[1] or ""))
    elif relation == "rounds_to":
        raise ValueError(f"not a printed decimal: {text[:60]}")
    holds = {
        "rounds_to": number - half <= low and high <= number + half,
        "at_most": high <= number,
        "below": high < number,
        "at_least": low >= number,
        "above": low > number,
        "equals": low == high == number,
        "excludes": high < number - half or number + half < low,
    }
    return holds[relation]


def _ends(value: Any) -> tuple[Fraction, Fraction]:
    """The interval of a claimed number; a single number or a count is its own interval."""
    if isinstance(value, dict):
        return Node(value, "claim").interval()
    try:
        number = Fraction(value) if type(value) is int else Node(value, "claim").exact()
    except Refusal:
        raise ValueError(f"no number is claimed there: {str(value)[:60]}") from None
    return number, number


def _is_number(text: str) -> bool:
    return bool(PRINTED.fullmatch(text) or EXACT.fullmatch(text))


def _number(text: str) -> Fraction:
    if not _is_number(text):
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
        node = Node(claimed, "claim")
        number = node.exact() if EXACT.fullmatch(claimed) else node.decimal()
        return not isinstance(written, bool) and number == _number(str(written))
    return type(claimed) is type(written) and bool(claimed == written)


def _row(judgement: str, name: str, text: str) -> dict[str, str]:
    return {"judgement": judgement, "id": name, "text": text}
