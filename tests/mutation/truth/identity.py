"""Whether an identity is true: sympy's expressions, evaluated exactly at random points.

Both sides become ordinary sympy expressions, derivations being sympy's own partial derivatives
combined by the chain rule. Exact values at three points of seeded random rationals decide
falsehood; where all of them agree sympy has to simplify the difference to zero.
"""

import json
import random
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import sympy

SHIPPED = Path(__file__).parents[3] / "proofs_checks" / "checker" / "statements.json"
FIELDS = {"name", "variables", "definitions", "derivations", "left", "right"}
SYMBOL = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
NUMBER = re.compile(r"(0|-?[1-9][0-9]*)(/([2-9]|[1-9][0-9]+))?")


def truth(claim: dict[str, Any]) -> bool | None:
    """True or False; None where the points agree and sympy does not simplify to zero."""
    try:
        if set(claim) != FIELDS:
            return False
        name = claim["name"]
        if name != "unnamed" and shipped().get(name) != {
            key: value for key, value in claim.items() if key != "name"
        }:
            return False  # under a known name only the known statement is true
        return _truth(json.dumps({**claim, "name": ""}, sort_keys=True))
    except (KeyError, TypeError, ValueError, IndexError, AttributeError):
        return False  # not a claim of this form


@lru_cache(maxsize=1)
def shipped() -> dict[str, Any]:
    known: dict[str, Any] = json.loads(SHIPPED.read_text())
    return known


@lru_cache(maxsize=64)
def _truth(text: str) -> bool | None:
    claim = json.loads(text)
    names = claim["variables"]
    if not names or len(set(names)) != len(names):
        return False
    variables = {_symbol(name): sympy.Symbol(f"s{place}") for place, name in enumerate(names)}
    meanings: dict[str, sympy.Expr] = dict(variables)
    rules: dict[str, dict[sympy.Symbol, sympy.Expr]] = {}
    try:
        for entry in claim["definitions"]:
            if set(entry) != {"name", "value"} or entry["name"] in meanings:
                return False
            meanings[_symbol(entry["name"])] = _value(entry["value"], meanings, {})
        for entry in claim["derivations"]:
            if set(entry) != {"derivation", "variable", "image"}:
                return False
            images = rules.setdefault(_symbol(entry["derivation"]), {})
            variable = variables[entry["variable"]]
            if variable in images or entry["derivation"] in meanings:
                return False
            images[variable] = _value(entry["image"], meanings, {})
        left = _value(claim["left"], meanings, rules)
        right = _value(claim["right"], meanings, rules)
    except ZeroDivisionError:
        return False
    chance = random.Random(20)
    for _ in range(3):
        point = {s: sympy.Rational(chance.randint(2, 10**6), 999_983) for s in variables.values()}
        if left.xreplace(point) != right.xreplace(point):
            return False
    return True if sympy.cancel(sympy.together(left - right)) == 0 else None


def _symbol(name: Any) -> str:
    if not SYMBOL.fullmatch(name):
        raise ValueError(name)
    return str(name)


def _value(
    tree: Any, meanings: dict[str, sympy.Expr], rules: dict[str, dict[sympy.Symbol, sympy.Expr]]
) -> sympy.Expr:
    if isinstance(tree, str):
        if tree in meanings:
            return meanings[tree]
        if NUMBER.fullmatch(tree):
            return sympy.Rational(tree)
        raise ValueError(tree)
    operation, *parts = tree
    if operation == "derive":
        derivation, part = parts
        inner, images = _value(part, meanings, rules), rules[derivation]
        return sum((sympy.diff(inner, s) * image for s, image in images.items()), sympy.Integer(0))
    if operation == "power":
        base, exponent = parts
        if type(exponent) is not int:
            raise ValueError(exponent)
        return _value(base, meanings, rules) ** exponent
    values = [_value(part, meanings, rules) for part in parts]
    if operation == "minus":
        (value,) = values
        return -value
    if operation == "quotient":
        top, bottom = values
        if sympy.cancel(sympy.together(bottom)) == 0:
            raise ZeroDivisionError
        return top / bottom
    if operation in ("sum", "product") and len(values) >= 2:
        return sum(values, sympy.Integer(0)) if operation == "sum" else sympy.prod(values)
    raise ValueError(operation)
