"""Rational expressions: the text of problem files to trees, trees to text and to LaTeX.

A tree is a number or a symbol (str) or a list [operation, part, ...] with the operations sum,
product, minus, quotient, power (of a base, by an int) and derive (by a derivation, of a tree).
Problem files write symbols with underscores, certificates with hyphens.
"""

import re
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeAlias

from certify.errors import InputError

Tree: TypeAlias = Any
SYMBOL = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*", re.ASCII)
_TOKEN = re.compile(r"\s*([a-z][a-z0-9_]*|[0-9]+|[-+*/^()])", re.ASCII)
GREEK = set(
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau "
    "upsilon phi chi psi omega".split()
)
SUM, PRODUCT, POWER, ATOM = range(4)
MAX_POWER, MAX_DIGITS, MAX_LENGTH, MAX_NESTING = 500, 1_000, 20_000, 50


def parse(text: str, field_name: str) -> Tree:
    """The tree of an expression such as `(mu_i - lambda*p_i)/b_i`; InputError if it has no form.

    `^` takes a count and binds most tightly, then a sign, then `*` and `/`, then `+` and `-`;
    `d(x)` applies the derivation d.
    """
    if len(text) > MAX_LENGTH:
        raise InputError(field_name, f"have at most {MAX_LENGTH} characters", len(text))
    parser = _Parser(_tokens(text, field_name), text, field_name)
    tree = parser.sum()
    if parser.token:
        raise parser.error(f"end before {parser.token!r}")
    return tree


def symbol(text: str, field_name: str) -> str:
    """A symbol in the certificate's spelling; InputError if it has another form."""
    if not SYMBOL.fullmatch(text) or len(text) > 40:
        raise InputError(
            field_name, "be a symbol: at most 40 small letters, digits and single underscores", text
        )
    return text.replace("_", "-")


def symbols(tree: Tree) -> set[str]:
    """Every symbol of a tree, derivations included."""
    if isinstance(tree, list):
        return set[str]().union(*(symbols(part) for part in tree[1:]))
    return {tree} if isinstance(tree, str) and tree[0].isalpha() else set()


def plain(tree: Tree, bond: int = SUM) -> str:
    """The expression as text that `parse` reads back; ValueError if it is none."""
    match tree:
        case str() | int():
            text = str(tree)
            atom = text.isdigit() or text[0].isalpha()
            own = ATOM if atom else SUM if text.startswith("-") else PRODUCT
            text = text.replace("-", "_") if text[0].isalpha() else text
        case ["sum", first, *rest]:
            own, text = (
                SUM,
                plain(first, PRODUCT)
                + "".join(
                    f" - {plain(part[1], PRODUCT)}"
                    if _negative(part)
                    else f" + {plain(part, PRODUCT)}"
                    for part in rest
                ),
            )
        case ["product", first, *rest]:
            own = PRODUCT
            text = "*".join([plain(first, PRODUCT), *(plain(part, POWER) for part in rest)])
        case ["minus", part]:
            own, text = PRODUCT, f"-{plain(part, POWER)}"
        case ["quotient", top, bottom]:
            own, text = PRODUCT, f"{plain(top, PRODUCT)}/{plain(bottom, POWER)}"
        case ["power", base, exponent]:
            own, text = POWER, f"{plain(base, ATOM)}^{exponent}"
        case [_, name, part]:
            own, text = ATOM, f"{plain(name)}({plain(part)})"
        case _:
            raise ValueError(f"{str(tree)[:40]} is no expression")
    return f"({text})" if own < bond else text


def latex(tree: Tree, notation: dict[str, str], bond: int = SUM) -> str:
    """The expression in LaTeX; `notation` says how symbols are written that need a special sign."""
    match tree:
        case str() if tree[0].isalpha():
            return notation.get(tree) or _letter(tree)
        case str() | int():
            value = Fraction(tree)
            own = ATOM if value >= 0 else SUM
            top, bottom = abs(value.numerator), value.denominator
            text = str(top) if bottom == 1 else rf"\tfrac{{{top}}}{{{bottom}}}"
            text = text if value >= 0 else "-" + text
        case ["sum", first, *rest]:
            own, text = (
                SUM,
                latex(first, notation, SUM)
                + "".join(
                    f" - {latex(part[1], notation, PRODUCT)}"
                    if _negative(part)
                    else f" + {latex(part, notation, PRODUCT)}"
                    for part in rest
                ),
            )
        case ["product", *parts]:
            own, text = PRODUCT, r" \, ".join(latex(part, notation, POWER) for part in parts)
        case ["minus", part]:
            own, text = SUM, f"-{latex(part, notation, PRODUCT)}"
        case ["quotient", top, bottom]:
            own, text = ATOM, rf"\frac{{{latex(top, notation)}}}{{{latex(bottom, notation)}}}"
        case ["power", base, exponent]:
            inner = latex(base, notation, ATOM)
            if "^" in inner or inner.startswith(r"\frac"):
                inner = rf"\left({inner}\right)"
            own, text = POWER, f"{inner}^{{{exponent}}}"
        case [_, name, part]:
            inner = latex(part, notation, ATOM)
            if inner.startswith(r"\frac"):
                inner = rf"\left({inner}\right)"
            own, text = POWER, f"{latex(name, notation)} {inner}"
    return rf"\left({text}\right)" if own < bond else text


def _negative(part: Tree) -> bool:
    return isinstance(part, list) and part[0] == "minus"


def _letter(name: str) -> str:
    head, *index = name.split("-")
    letter = rf"\{head}" if head in GREEK else head if len(head) == 1 else rf"\mathrm{{{head}}}"
    match = re.fullmatch("([a-z]+)([0-9]+)", head)
    if match:
        letter, index = _letter(match[1]), [match[2], *index]
    below = ",".join(part if len(part) == 1 or part.isdigit() else _letter(part) for part in index)
    return f"{letter}_{{{below}}}" if below else letter


def _tokens(text: str, field_name: str) -> list[str]:
    tokens, place = [], 0
    while place < len(text.rstrip()):
        match = _TOKEN.match(text, place)
        if not match:
            raise InputError(
                field_name, f"be an expression without {text[place:].lstrip()[0]!r}", text
            )
        tokens.append(match[1])
        place = match.end()
    return tokens


@dataclass
class _Parser:
    """Recursive descent over the tokens; every method returns the tree it read."""

    tokens: list[str]
    text: str
    name: str
    place: int = field(default=0)
    nesting: int = field(default=0)

    @property
    def token(self) -> str:
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def take(self) -> str:
        token = self.token
        self.place += 1
        return token

    def error(self, requirement: str) -> InputError:
        return InputError(self.name, f"be an expression; it should {requirement}", self.text)

    def sum(self) -> Tree:
        tree = self.product()
        while self.token in ("+", "-"):
            sign, part = self.take(), self.product()
            tree = _chain("sum", tree, part if sign == "+" else ["minus", part])
        return tree

    def product(self) -> Tree:
        tree = self.signed()
        while self.token in ("*", "/"):
            if self.take() == "*":
                tree = _chain("product", tree, self.signed())
            else:
                bottom = self.signed()
                tree = _ratio(tree, bottom) or ["quotient", tree, bottom]
        return tree

    def signed(self) -> Tree:
        self.nesting += 1
        if self.nesting > MAX_NESTING:
            raise self.error(f"nest at most {MAX_NESTING} deep")
        if self.token == "-":
            self.take()
            tree: Tree = ["minus", self.signed()]
        else:
            tree = self.power()
        self.nesting -= 1
        return tree

    def power(self) -> Tree:
        base = self.atom()
        if self.token != "^":
            return base
        self.take()
        exponent = self.take()
        if not exponent.isdigit() or len(exponent) > 3 or int(exponent) > MAX_POWER:
            raise self.error(f"have a count up to {MAX_POWER} after ^")
        return ["power", base, int(exponent)]

    def atom(self) -> Tree:
        token = self.take()
        if token.isdigit():
            if len(token) > MAX_DIGITS:
                raise self.error(f"have numbers of at most {MAX_DIGITS} digits")
            return str(int(token))
        if token == "(":
            tree = self.sum()
        elif token and token[0].isalpha():
            name = symbol(token, self.name)
            if self.token != "(":
                return name
            self.take()
            tree = ["derive", name, self.sum()]
        else:
            raise self.error(f"have a number, a symbol or a parenthesis before {token!r}")
        if self.take() != ")":
            raise self.error("close its parentheses")
        return tree


def _chain(operation: str, first: Tree, second: Tree) -> Tree:
    if isinstance(first, list) and first[0] == operation:
        return [*first, second]
    return [operation, first, second]


def _ratio(top: Tree, bottom: Tree) -> str | None:
    """A quotient of two plain whole numbers is one number."""
    if isinstance(top, str) and isinstance(bottom, str) and (top + bottom).isdigit():
        return str(Fraction(int(top), int(bottom))) if int(bottom) else None
    return None
