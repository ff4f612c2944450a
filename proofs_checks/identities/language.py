"""The language in which the identities are stated: terms, derivations, settings, identities.

A term is written with Python's operators and kept as the tree that was written; nothing is
simplified, so what is exported to the checker is what stands in the source.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeAlias

import sympy

Tree: TypeAlias = Any  # a number or symbol (str), a count (int), or a tuple (operation, part, ...)


@dataclass(frozen=True)
class Term:
    """An expression: a number, a symbol, or an operation on terms."""

    tree: Tree

    def __add__(self, other: "Term | Fraction | int") -> "Term":
        return Term(_chain("sum", self, _term(other)))

    def __radd__(self, other: Fraction | int) -> "Term":
        return _term(other) + self

    def __sub__(self, other: "Term | Fraction | int") -> "Term":
        return self + (-_term(other))

    def __rsub__(self, other: Fraction | int) -> "Term":
        return _term(other) - self

    def __mul__(self, other: "Term | Fraction | int") -> "Term":
        return Term(_chain("product", self, _term(other)))

    def __rmul__(self, other: Fraction | int) -> "Term":
        return _term(other) * self

    def __truediv__(self, other: "Term | Fraction | int") -> "Term":
        return Term(("quotient", self.tree, _term(other).tree))

    def __rtruediv__(self, other: Fraction | int) -> "Term":
        return _term(other) / self

    def __pow__(self, exponent: int) -> "Term":
        return Term(("power", self.tree, exponent))

    def __neg__(self) -> "Term":
        return Term(("minus", self.tree))


@dataclass(frozen=True)
class Derivation:
    """A derivation by its name; applied to a term like a function."""

    name: str

    def __call__(self, term: Term) -> Term:
        """The derivative of a term."""
        return Term(("derive", self.name, term.tree))


def symbols(names: str) -> Iterator[Term]:
    """One term for each of the names."""
    return (Term(name) for name in names.split())


def number(value: Fraction | int | str) -> Term:
    """A constant."""
    return Term(str(Fraction(value)))


@dataclass(frozen=True)
class Statement:
    """Two sides with all that is needed to understand them; the checker's form of an identity."""

    variables: tuple[str, ...]
    definitions: tuple[tuple[str, Tree], ...]
    derivations: tuple[tuple[str, str, Tree], ...]
    left: Tree
    right: Tree

    def claim(self) -> dict[str, Any]:
        """The fields of a certificate's claim."""
        return {
            "variables": list(self.variables),
            "definitions": [{"name": n, "value": _plain(tree)} for n, tree in self.definitions],
            "derivations": [
                {"derivation": name, "variable": variable, "image": _plain(image)}
                for name, variable, image in self.derivations
            ],
            "left": _plain(self.left),
            "right": _plain(self.right),
        }


@dataclass(frozen=True)
class Reading:
    """What the symbols stand for: real functions, with differentiation for each derivation."""

    values: Mapping[str, sympy.Expr]
    derivations: Mapping[str, Callable[[sympy.Expr], sympy.Expr]] = field(default_factory=dict)


@dataclass(frozen=True)
class Setting:
    """Symbols that several identities share, in the order in which they are exported."""

    variables: str
    reading: Callable[[], Reading]
    definitions: Mapping[Term, Term] = field(default_factory=dict)
    derivations: Mapping[Derivation, Mapping[Term, Term]] = field(default_factory=dict)

    def statement(self, left: Term, right: Term) -> Statement:
        """The two sides with just the variables, definitions and rules that they need."""
        meanings = {name.tree: value.tree for name, value in self.definitions.items()}
        rules = {
            d.name: {v.tree: image.tree for v, image in images.items()}
            for d, images in self.derivations.items()
        }
        used: set[str] = set()
        fresh = _names(left.tree) | _names(right.tree)
        while fresh:
            used |= fresh
            reached: set[str] = set()
            for name in used:
                reached |= _names(meanings[name]) if name in meanings else set()
            for images in (rules[name] for name in used if name in rules):
                for variable in used & images.keys():
                    reached |= _names(images[variable])
            fresh = reached - used
        unknown = used - set(self.variables.split()) - meanings.keys() - rules.keys()
        if unknown:
            raise ValueError(f"no meaning for {sorted(unknown)}")
        return Statement(
            tuple(name for name in self.variables.split() if name in used),
            tuple((name, tree) for name, tree in meanings.items() if name in used),
            tuple(
                (name, variable, images[variable])
                for name, images in rules.items()
                if name in used
                for variable in self.variables.split()
                if variable in used & images.keys()
            ),
            left.tree,
            right.tree,
        )


def algebra(variables: str, definitions: Mapping[Term, Term] | None = None) -> Setting:
    """A setting without derivations: the symbols stand for any numbers."""
    names = variables.split()
    return Setting(
        variables, lambda: Reading({n: sympy.Symbol(n) for n in names}), definitions or {}
    )


@dataclass(frozen=True)
class Miss:
    """A false neighbour of an identity, such as a slip in print: another side or setting."""

    words: str
    right: Term | None = None
    left: Term | None = None
    setting: Setting | None = None


@dataclass(frozen=True)
class Identity:
    """A statement under a name, with its source, its reading and its near misses."""

    name: str
    words: str
    source: str
    setting: Setting
    left: Term
    right: Term
    misses: tuple[Miss, ...] = ()

    @property
    def statement(self) -> Statement:
        """The statement that is proved and exported."""
        return self.setting.statement(self.left, self.right)

    def missed(self, miss: Miss) -> Statement:
        """The statement of a near miss."""
        setting = miss.setting or self.setting
        return setting.statement(miss.left or self.left, miss.right or self.right)


@dataclass(frozen=True)
class Calculus:
    """A fact that is no identity of rational functions (a limit, a sum, a logarithm): sympy only.

    `sides` returns both sides; each miss returns a false right side. Both sides of a miss are
    evaluated at `point`, where they must differ.
    """

    name: str
    words: str
    source: str
    sides: Callable[[], tuple[sympy.Expr, sympy.Expr]]
    misses: tuple[tuple[str, Callable[[], sympy.Expr]], ...]
    point: Mapping[str, Fraction | int]


def _term(value: "Term | Fraction | int") -> Term:
    return value if isinstance(value, Term) else number(value)


def _chain(operation: str, first: Term, second: Term) -> Tree:
    head = first.tree
    if isinstance(head, tuple) and head[0] == operation:
        return (*head, second.tree)
    return (operation, head, second.tree)


def _names(tree: Tree) -> set[str]:
    """The symbols of a tree, derivations included."""
    if isinstance(tree, str):
        return {tree} if tree[0].isalpha() else set()
    if isinstance(tree, int):
        return set()
    return set().union(*(_names(part) for part in tree[1:]))


def _plain(tree: Tree) -> Any:
    return [_plain(part) for part in tree] if isinstance(tree, tuple) else tree
