"""Proof and refutation of statements by sympy, independent of the checker's arithmetic."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import islice
from typing import Any

import sympy
from sympy.polys.fields import field

from proofs_checks.identities.language import Calculus, Identity, Reading, Statement, Tree

MUTATIONS = ("sign", "factor", "index")


@dataclass(frozen=True)
class Sides:
    """Both sides as elements of sympy's field of rational functions, and what was derived.

    `derived` holds (derivation, variable) for every variable of every expression that a derivation
    was applied to: the rules that a reading has to obey.
    """

    left: Any
    right: Any
    derived: frozenset[tuple[str, str]]


@lru_cache(maxsize=16)
def sides(statement: Statement) -> Sides:
    """Both sides of a statement, by sympy's arithmetic; ZeroDivisionError if it divides by zero."""
    _, *generators = field(statement.variables, sympy.QQ)
    names: dict[str, Any] = dict(zip(statement.variables, generators, strict=True))
    images: dict[str, dict[str, Any]] = {}
    derived: set[tuple[str, str]] = set()

    def derive(name: str, value: Any) -> Any:
        monomials = [*value.numer.monoms(), *value.denom.monoms()]
        occurring = [any(powers) for powers in zip(*monomials, strict=True)]
        result = 0 * value
        for variable, occurs in zip(statement.variables, occurring, strict=True):
            if occurs:
                derived.add((name, variable))
                result += value.diff(names[variable]) * images[name].get(variable, 0)
        return result

    def evaluate(tree: Tree) -> Any:
        return _evaluate(tree, names, lambda text: generators[0] ** 0 * _constant(text), derive)

    for name, tree in statement.definitions:
        names[name] = evaluate(tree)
    for name, variable, tree in statement.derivations:
        images.setdefault(name, {})[variable] = evaluate(tree)
    return Sides(evaluate(statement.left), evaluate(statement.right), frozenset(derived))


def holds(statement: Statement) -> bool:
    """Whether both sides are the same rational function (sympy's normal form, with its gcd)."""
    both = sides(statement)
    return bool(both.left == both.right)


def refute(statement: Statement) -> tuple[dict[str, Fraction], Fraction, Fraction]:
    """A rational point where the sides of a false statement differ, with their values there."""
    both = sides(statement)
    for shift in range(1, 1000):
        point = {
            variable: Fraction(3 * place * place + 2 * shift, 2 * place + shift + 1)
            for place, variable in enumerate(statement.variables)
        }
        try:
            left, right = (value_at(side, point) for side in (both.left, both.right))
        except ZeroDivisionError:
            continue
        if left != right:
            return point, left, right
    raise ArithmeticError("the sides agree at every point that was tried")


def value_at(side: Any, point: Mapping[str, Fraction]) -> Fraction:
    """The value of a rational function at a point; ZeroDivisionError at a pole."""
    values = [sympy.QQ(*value.as_integer_ratio()) for value in point.values()]
    top, bottom = (
        part.evaluate(list(zip(part.ring.gens, values, strict=True)))
        for part in (side.numer, side.denom)
    )
    return Fraction(int(top.numerator), int(top.denominator)) / Fraction(
        int(bottom.numerator), int(bottom.denominator)
    )


def broken_rules(statement: Statement, reading: Reading) -> list[str]:
    """The rules needed by a statement that differentiation of its reading does not obey."""
    values: dict[str, Any] = {name: reading.values[name] for name in statement.variables}

    def evaluate(tree: Tree) -> Any:
        return _evaluate(tree, values, _constant, lambda n, v: reading.derivations[n](v))

    for name, tree in statement.definitions:
        values[name] = evaluate(tree)
    rules = {(name, variable): tree for name, variable, tree in statement.derivations}
    return [
        f"{name}({variable})"
        for name, variable in sorted(sides(statement).derived)
        if _simplified(
            reading.derivations[name](values[variable]) - evaluate(rules.get((name, variable), "0"))
        )
        != 0
    ]


def proved(identity: Identity) -> bool:
    """Whether the identity holds and its reading obeys the rules it was derived from."""
    statement = identity.statement
    return holds(statement) and not broken_rules(statement, identity.setting.reading())


def calculus_proved(fact: Calculus) -> bool:
    """Whether sympy simplifies the difference of the sides to zero."""
    left, right = fact.sides()
    return bool(_simplified(left - right) == 0)


def calculus_refuted(fact: Calculus) -> list[tuple[str, str, str]]:
    """For each miss its words and the values of both sides at the point, to twenty digits."""
    left, _ = fact.sides()
    point = {sympy.Symbol(name, positive=True): value for name, value in fact.point.items()}
    found = []
    for words, false in fact.misses:
        values = [str(sympy.N(side.subs(point).doit(), 20)) for side in (left, false())]
        if values[0] == values[1]:
            raise ArithmeticError(f"{fact.name}: {words} is not refuted")
        found.append((words, values[0], values[1]))
    return found


def misses(identity: Identity) -> list[tuple[str, Statement]]:
    """The near misses: those written down, and the first false one of each kind of mutation."""
    found = [(miss.words, identity.missed(miss)) for miss in identity.misses]
    for kind in MUTATIONS:
        false = (each for each in mutations(identity.statement, kind) if not _true(each[1]))
        found.extend(islice(false, 1))
    return found


def mutations(statement: Statement, kind: str) -> Iterator[tuple[str, Statement]]:
    """Statements that differ in one place: a sign, a factor two, or one symbol for another."""
    mutate = {"sign": _sign, "factor": _factor, "index": _index}[kind]
    for where in ("right", "left"):
        tree = getattr(statement, where)
        for words, other in _everywhere(tree, lambda t: mutate(t, statement.variables)):
            yield f"{words} on the {where}", replace(statement, **{where: other})
    for place, (name, tree) in enumerate(statement.definitions):
        for words, other in _everywhere(tree, lambda t: mutate(t, statement.variables)):
            changed = list(statement.definitions)
            changed[place] = name, other
            yield f"{words} in {name}", replace(statement, definitions=tuple(changed))
    for place, (name, variable, tree) in enumerate(statement.derivations):
        for words, other in _everywhere(tree, lambda t: mutate(t, statement.variables)):
            rules = list(statement.derivations)
            rules[place] = name, variable, other
            yield f"{words} in {name}({variable})", replace(statement, derivations=tuple(rules))


def _true(statement: Statement) -> bool:
    try:
        return holds(statement)
    except ZeroDivisionError:
        return False


def _everywhere(
    tree: Tree, mutate: Callable[[Tree], Iterator[tuple[str, Tree]]]
) -> Iterator[tuple[str, Tree]]:
    yield from mutate(tree)
    if isinstance(tree, tuple):
        for place in range(2 if tree[0] == "derive" else 1, len(tree)):
            for words, other in _everywhere(tree[place], mutate):
                yield words, (*tree[:place], other, *tree[place + 1 :])


def _sign(tree: Tree, variables: tuple[str, ...]) -> Iterator[tuple[str, Tree]]:
    if isinstance(tree, tuple) and tree[0] == "minus":
        yield "a minus dropped", tree[1]
    elif isinstance(tree, tuple) and tree[0] == "sum":
        for place in range(1, len(tree)):
            part = tree[place]
            other = part[1] if isinstance(part, tuple) and part[0] == "minus" else ("minus", part)
            words = f"the sign of part {place} of a sum flipped"
            yield words, (*tree[:place], other, *tree[place + 1 :])
    elif isinstance(tree, tuple) and tree[0] in ("product", "quotient"):
        yield "a term negated", ("minus", tree)


def _factor(tree: Tree, variables: tuple[str, ...]) -> Iterator[tuple[str, Tree]]:
    if isinstance(tree, tuple) and tree[0] in ("product", "quotient", "power", "derive"):
        yield "a factor 2 too many", ("product", "2", tree)
    elif isinstance(tree, str) and tree[0].isalpha():
        yield f"a factor 2 before {tree}", ("product", "2", tree)


def _index(tree: Tree, variables: tuple[str, ...]) -> Iterator[tuple[str, Tree]]:
    if isinstance(tree, str) and tree in variables:
        place = variables.index(tree)
        other = variables[(place + 1) % len(variables)]
        yield f"{other} in the place of {tree}", other
    if isinstance(tree, tuple) and tree[0] == "power":
        yield "a power too high", (*tree[:2], tree[2] + 1)


def _evaluate(
    tree: Tree,
    names: Mapping[str, Any],
    constant: Callable[[str], Any],
    derive: Callable[[str, Any], Any],
) -> Any:
    if isinstance(tree, str):
        return names[tree] if tree in names else constant(tree)
    if tree[0] == "derive":
        return derive(tree[1], _evaluate(tree[2], names, constant, derive))
    if tree[0] == "power":
        return _evaluate(tree[1], names, constant, derive) ** tree[2]
    first, *rest = (_evaluate(part, names, constant, derive) for part in tree[1:])
    match tree[0]:
        case "minus":
            return -first
        case "quotient":
            return first / rest[0]
        case "sum":
            return sum(rest, first)
        case "product":
            for part in rest:
                first = first * part
            return first
    raise ValueError(f"unknown operation {tree[0]}")


def _constant(text: str) -> Any:
    return sympy.QQ(*Fraction(text).as_integer_ratio())


def _simplified(expression: sympy.Expr) -> sympy.Expr:
    """Zero if sympy can tell: as a rational function of its functions first, then by its rules."""
    quick = sympy.cancel(sympy.together(expression))
    return quick if quick == 0 else sympy.simplify(sympy.simplify(expression.doit()))
