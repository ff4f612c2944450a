"""Kind `identity`: both sides as expressions of the theory, proved equal as polynomials.

The statement lists every other expression that is written, since its divisors are excluded too.
"""

import json
import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from proofs_checks import checker
from proofs_checks.checker.reader import EXACT, Node
from proofs_checks.coq.text import Parts, Skipped, many, rational

SYMBOL = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", re.ASCII)
STATEMENTS = Path(checker.__file__).parent / "statements.json"
STATEMENT = "variables definitions derivations left right"
MAX_PARTS, MAX_POWER = 2_000, 20
POINTS = 6  # at one of them no divisor may be zero
PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71)


def export(claim: Node, witness: Node) -> Parts:
    """The statement and its proof; a named statement must be the one shipped under its name."""
    witness.record("")
    fields = claim.record(f"name {STATEMENT}")
    name = fields["name"].value
    if name != "unnamed":
        known = _statements().get(name) if isinstance(name, str) else None
        if known is None or any(fields[key].value != known[key] for key in STATEMENT.split()):
            raise fields["name"].bad("the name of this very statement, or unnamed")
    writer = _Writer()
    variables = [writer.new(node) for node in fields["variables"].items()]
    if len(variables) > len(PRIMES):
        raise Skipped(f"{len(variables)} variables, more than {len(PRIMES)}")
    lines = writer.lines
    for index, symbol in enumerate(variables):
        writer.known[symbol] = f"v_{_plain(symbol)}"
        lines.append(f"Definition v_{_plain(symbol)} := Var {index}.  (* a variable *)")
    for item in fields["definitions"].items(empty=True):
        parts = item.record("name value")
        text = writer.write(parts["value"])
        symbol = writer.new(parts["name"])
        writer.known[symbol] = writer.define(f"d_{_plain(symbol)}", text)
    rules: dict[str, dict[int, str]] = {}
    for item in fields["derivations"].items(empty=True):
        parts = item.record("derivation image variable")
        rule = rules.setdefault(writer.new(parts["derivation"]), {})
        index = variables.index(parts["variable"].name(*variables))
        if index in rule:
            raise parts["variable"].bad("one rule for each variable")
        symbol = _plain(parts["derivation"].value)
        rule[index] = writer.define(f"i_{symbol}_{index}", writer.write(parts["image"]))
    for symbol, rule in rules.items():
        cases = " ".join(f"| {index}%nat => {image}" for index, image in rule.items())
        lines.append(
            f"Definition r_{_plain(symbol)} (n : nat) : expression := "
            f"match n with {cases} | _ => Num 0 end."
        )
    writer.rules = {symbol: f"r_{_plain(symbol)}" for symbol in rules}
    lines += [f"Definition {side} := {writer.write(fields[side])}." for side in ("left", "right")]
    lines.append(f"Definition written : list expression := {many(writer.written)}.")
    points = many(_point(number, len(variables)) for number in range(POINTS))
    return Parts(
        library="Identity",
        definitions=lines,
        proposition="identity_claim written left right",
        lemmas=[f"Definition points : list (list Q) := {points}."],
        proof=[
            "apply (certified written left right points).",
            "- by_polynomials left right.",
            "- vm_cast_no_check (eq_refl true).",
        ],
    )


class _Writer:
    """Turns expressions into Coq terms; every symbol must have been given a meaning before."""

    def __init__(self) -> None:
        self.known: dict[str, str] = {}
        self.rules: dict[str, str] = {}
        self.lines: list[str] = []
        self.written: list[str] = []
        self._parts = 0

    def define(self, name: str, text: str) -> str:
        """The name, which now stands for an expression of the statement beside its two sides."""
        self.lines.append(f"Definition {name} := {text}.")
        self.written.append(name)
        return name

    def new(self, node: Node) -> str:
        """A symbol without a meaning yet."""
        symbol = node.value
        if not isinstance(symbol, str) or not SYMBOL.fullmatch(symbol) or len(symbol) > 40:
            raise node.bad("a symbol of at most 40 letters, digits and single hyphens")
        if symbol in self.known:
            raise node.bad("a symbol without a meaning yet")
        return symbol

    def write(self, node: Node) -> str:
        """The Coq term of an expression."""
        self._parts += 1
        if self._parts > MAX_PARTS:
            raise Skipped(f"expressions of more than {MAX_PARTS} parts")
        if isinstance(node.value, str):
            if node.value in self.known:
                return self.known[node.value]
            if not EXACT.fullmatch(node.value):
                raise node.bad("a number, or a symbol that has a meaning")
            return f"(Num {rational(node.exact())})"
        operation, *parts = node.items()
        match (operation.value, len(parts)):
            case ("sum", count) if count >= 2:
                return self._fold("Sum", parts)
            case ("product", count) if count >= 2:
                return self._fold("Product", parts)
            case ("minus", 1):
                return f"(Minus {self.write(parts[0])})"
            case ("quotient", 2):
                return f"(Quotient {self.write(parts[0])} {self.write(parts[1])})"
            case ("power", 2):
                if parts[1].count() > MAX_POWER:
                    raise Skipped(f"a power above {MAX_POWER}")
                return f"(Power {self.write(parts[0])} {parts[1].count()})"
            case ("derive", 2):
                rule = self.rules[parts[0].name(*self.rules)]
                derived = self.write(parts[1])
                if derived.startswith("("):
                    derived = self.define(f"e_{len(self.written)}", derived)
                return f"(derive {rule} {derived})"
        raise node.bad("sum, product, minus, quotient, power or derive, with its parts")

    def _fold(self, name: str, parts: list[Node]) -> str:
        texts = [self.write(part) for part in parts]
        result = texts[0]
        for text in texts[1:]:
            result = f"({name} {result} {text})"
        return result


def _point(number: int, length: int) -> str:
    """Rational values of the variables: primes, then ever further from them."""
    return many(f"({PRIMES[i] + number * (3 * i * i + 7)} # {number + 1})" for i in range(length))


def _plain(symbol: str) -> str:
    return symbol.replace("-", "_")


@lru_cache(maxsize=1)
def _statements() -> dict[str, dict[str, Any]]:
    loads: Callable[[str], dict[str, dict[str, Any]]] = json.loads
    return loads(STATEMENTS.read_text(encoding="ascii"))
