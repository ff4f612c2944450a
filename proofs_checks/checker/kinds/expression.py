"""The expressions of kind `identity`: their values in a field of rational functions, their text.

An expression is a number, a symbol, or a list [operation, part, ...] with the operations sum and
product (two parts or more), minus, quotient, power (of a base, by a count) and derive (by a
derivation, of an expression). Nothing else has a meaning.
"""

import re
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from typing import Any

from proofs_checks.checker.kernel.polynomial import Field, Quotient
from proofs_checks.checker.reader import EXACT, Node
from proofs_checks.checker.verdict import Trial, declined

SYMBOL = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", re.ASCII)
PARTS, LETTERS = 5_000, 40
SUM, PRODUCT, POWER, ATOM = range(4)  # how tightly the parts of a printed expression hold together


@dataclass
class Calculation:
    """What the symbols of a claim mean, and what its expressions divide by."""

    ring: Field
    trial: Trial
    values: dict[str, Quotient] = field(default_factory=dict)
    rules: dict[str, dict[int, Quotient]] = field(default_factory=dict)
    divisors: dict[str, None] = field(default_factory=dict)
    parts: int = 0

    def symbol(self, node: Node) -> str:
        """A symbol that has no meaning yet."""
        name = node.value
        if not isinstance(name, str) or not SYMBOL.fullmatch(name) or len(name) > LETTERS:
            raise node.bad(f"a symbol of at most {LETTERS} letters, digits and single hyphens")
        if name in self.values:
            raise node.bad("a symbol without a meaning yet")
        return name

    def evaluate(self, node: Node) -> Quotient:
        """The value of an expression, a tree of operations over symbols and numbers."""
        self.parts += 1
        if self.parts > PARTS:
            raise declined("claim", f"expressions of at most {PARTS} parts", "more")
        self.trial.spend(20)
        if isinstance(node.value, str):
            if node.value not in self.values and not EXACT.fullmatch(node.value):
                raise node.bad("a number, or a symbol that has a meaning")
            known = self.values.get(node.value)
            return self.ring.number(node.exact()) if known is None else known
        operation, *parts = node.items()
        match (operation.value, len(parts)):
            case ("sum", count) if count >= 2:
                return reduce(self.ring.add, map(self.evaluate, parts))
            case ("product", count) if count >= 2:
                return reduce(self.ring.multiply, map(self.evaluate, parts))
            case ("minus", 1):
                return self.ring.subtract(self.ring.number(Fraction(0)), self.evaluate(parts[0]))
            case ("power", 2):
                return self.ring.power(self.evaluate(parts[0]), parts[1].count())
            case ("derive", 2):
                rule = self.rules[parts[0].name(*self.rules)]
                return self.ring.derive(self.evaluate(parts[1]), rule)
            case ("quotient", 2):
                top, bottom = map(self.evaluate, parts)
                return self.ring.divide(top, self._divisor(parts[1], bottom))
        raise node.bad("sum, product, minus, quotient, power or derive, with its parts")

    def _divisor(self, node: Node, value: Quotient) -> Quotient:
        text = words(node.value)
        self.trial.require("denominator", bool(value.top), node.path, "not identically 0", text)
        if not isinstance(node.value, str) or node.value in self.values:
            self.divisors[text] = None
        return value


def words(tree: Any, bond: int = SUM) -> str:
    """An expression in the usual notation, in parentheses if its parts hold less than `bond`."""
    if not isinstance(tree, list):
        symbol = isinstance(tree, str) and SYMBOL.fullmatch(tree)
        own, text = ATOM, str(tree).replace("-", "_") if symbol else str(tree)
        if not (symbol or text.isdigit()):
            own = SUM if text.startswith("-") else PRODUCT
    elif tree[0] == "sum":
        own, text = SUM, words(tree[1], PRODUCT)
        for part in tree[2:]:
            negative = isinstance(part, list) and part[0] == "minus"
            text += f" - {words(part[1], PRODUCT)}" if negative else f" + {words(part, PRODUCT)}"
    elif tree[0] == "product":
        own, text = PRODUCT, "*".join(words(part, POWER) for part in tree[1:])
    elif tree[0] == "minus":
        own, text = PRODUCT, "-" + words(tree[1], POWER)
    elif tree[0] == "quotient":
        own, text = PRODUCT, f"{words(tree[1], PRODUCT)}/{words(tree[2], POWER)}"
    elif tree[0] == "power":
        own, text = POWER, f"{words(tree[1], ATOM)}^{tree[2]}"
    else:
        own, text = ATOM, f"{words(tree[1])}({words(tree[2])})"
    return f"({text})" if own < bond else text
