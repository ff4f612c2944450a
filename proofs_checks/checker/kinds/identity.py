"""Kind `identity`: two rational expressions are equal, by polynomial arithmetic alone.

Proved: as elements of the field of rational functions over Q in the given variables, with the
derivations that the rules define, both sides are the same; hence they are equal in every reading
of the variables that obeys the rules, wherever the listed divisors are not zero.
A statement under a name is the one the checker ships in statements.json; any other is called
`unnamed` and is printed in full. Not checked: that a reading obeys the rules (the pages prove it).
"""

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from proofs_checks.checker.kernel.polynomial import Field, Quotient, TooLarge
from proofs_checks.checker.kinds.expression import Calculation, words
from proofs_checks.checker.reader import Items, Node
from proofs_checks.checker.verdict import Summary, Trial, brief, declined

THEOREM = "identity"
PROBLEM = ("name",)
CONDITIONS = {
    "name": "the name is one of statements.json, or `unnamed` (Definitions)",
    "statement": "a named statement is that of statements.json, field by field (Definitions)",
    "denominator": "no divisor is identically zero (Definitions)",
    "identity": "left - right is zero over a common denominator (Theorem)",
}
STATEMENT = "variables definitions derivations left right"
UNNAMED = "unnamed"
STATEMENTS = Path(__file__).parent.parent / "statements.json"
VARIABLES, DEFINITIONS, RULES = 40, 40, 200
CHARACTERS = 1_000_000  # of the statement in words


def check(claim: Node, witness: Node, trial: Trial) -> Summary:
    """Prove the claim or raise a Refusal."""
    witness.record("")
    fields = claim.record(f"name {STATEMENT}")
    name = fields["name"].value
    if not isinstance(name, str):
        raise fields["name"].bad("a name")
    if name != UNNAMED:
        known = statements().get(name, {})
        trial.require("name", bool(known), "claim.name", f"a shipped name or {UNNAMED}", name[:60])
        for key in STATEMENT.split():
            same = fields[key].value == known[key]
            where, expected = f"claim.{key}", f"what statements.json says under {name}"
            trial.require("statement", same, where, expected, "another statement")
    try:
        return Summary(f"{name}: {_prove(fields, trial)}")
    except TooLarge as limit:
        raise declined("claim", str(limit.args[0]), str(limit.args[1])) from None


@lru_cache(maxsize=1)
def statements() -> dict[str, dict[str, Any]]:
    """The statements that ship with the checker, by name."""
    known: dict[str, dict[str, Any]] = json.loads(STATEMENTS.read_text(encoding="ascii"))
    return known


def _prove(fields: dict[str, Node], trial: Trial) -> str:
    """The statement in words if its sides are equal; a Refusal if they are not."""
    variables = _list(fields["variables"], VARIABLES)
    if not variables:
        raise fields["variables"].bad("a non-empty list")
    run = Calculation(Field(len(variables), trial.spend), trial)
    indices: dict[str, int] = {}
    for index, node in enumerate(variables):
        indices[run.symbol(node)] = index
        run.values[node.value] = run.ring.variable(index)
    text: dict[str, list[str]] = {
        "where ": [],
        "with ": [],
        "for all values of ": [words(name) for name in indices],
    }
    for item in _list(fields["definitions"], DEFINITIONS):
        parts = item.record("name value")
        run.values[run.symbol(parts["name"])] = run.evaluate(parts["value"])
        text["where "].append(f"{words(parts['name'].value)} = {words(parts['value'].value)}")
    rules: dict[str, dict[int, Quotient]] = {}
    for item in _list(fields["derivations"], RULES):
        parts = item.record("derivation image variable")
        rule = rules.setdefault(run.symbol(parts["derivation"]), {})
        index = indices[parts["variable"].name(*indices)]
        if index in rule:
            raise parts["variable"].bad("one rule for each variable")
        rule[index] = run.evaluate(parts["image"])
        call = words(["derive", parts["derivation"].value, parts["variable"].value])
        text["with "].append(f"{call} = {words(parts['image'].value)}")
    run.rules = rules
    for derivation, rule in rules.items():
        constant = [words(name) for name, index in indices.items() if index not in rule]
        if constant:
            text["with "].append(f"{words(derivation)} of {', '.join(constant)} = 0")
    left, right = run.evaluate(fields["left"]), run.evaluate(fields["right"])
    difference = run.ring.subtract(left, right)
    where, expected, found = "claim.left", "the right side", "the same"
    if difference.top:
        point = run.ring.point(difference)
        expected, found = (brief(run.ring.value(side, point)) for side in (right, left))
        where += " at " + ", ".join(f"{words(n)} = {point[i]}" for n, i in indices.items())
    trial.require("identity", not difference.top, where, expected, found)
    text["wherever these are not 0: "] = list(run.divisors)
    statement = f"{words(fields['left'].value)} = {words(fields['right'].value)}"
    pieces = [statement, *(key + ", ".join(each) for key, each in text.items() if each)]
    if (length := sum(map(len, pieces))) > CHARACTERS:
        raise declined("the statement", f"at most {CHARACTERS} characters", str(length))
    return "; ".join(pieces)


def _list(node: Node, most: int) -> Items:
    items = node.items(empty=True)
    if len(items) > most:
        raise declined(node.path, f"at most {most} entries", str(len(items)))
    return items
