"""Identities of rational functions with derivations: read, tried by FLINT, written as certificates.

A shipped problem file `identity-*.toml` holds each identity of the theorem pages. The claim repeats
the whole statement; the checker compares a named one with its own copy and proves it anew.
"""

from collections.abc import Set
from dataclasses import dataclass
from functools import reduce
from typing import Any

from flint import Ordering, fmpq, fmpq_mpoly, fmpq_mpoly_ctx

from certify import shipped
from certify.certificate import Certificate
from certify.errors import InputError
from certify.expressions import Tree, latex, parse, plain, symbol, symbols
from certify.problem import Table, read

__all__ = ["Statement", "listing", "render"]
UNNAMED = "unnamed"
MOST_VARIABLES, MOST_TERMS = 40, 1_000_000

# what sympy proves and the checker cannot: name, statement, LaTeX, source
SYMPY_ONLY = (
    (
        "softmax-potential.jump-up",
        "H(Q + e_i) - H(Q) = mu_i/b_i + (lambda/alpha) log(1 - p_i (1 - exp(-alpha/b_i)))",
        r"H(Q + e_i) - H(Q) = \frac{\mu_i}{b_i} + \frac{\lambda}{\alpha} "
        r"\log\left(1 - p_i \left(1 - e^{-\alpha/b_i}\right)\right)",
        "arXiv 2607.28688v1, Section 5.2",
    ),
    (
        "softmax-potential.jump-down",
        "H(Q - e_i) - H(Q) = -mu_i/b_i + (lambda/alpha) log(1 + p_i (exp(alpha/b_i) - 1))",
        r"H(Q - e_i) - H(Q) = -\frac{\mu_i}{b_i} + \frac{\lambda}{\alpha} "
        r"\log\left(1 + p_i \left(e^{\alpha/b_i} - 1\right)\right)",
        "arXiv 2607.28688v1, Section 5.2",
    ),
    (
        "softmax-potential.diagonal",
        "LH(k, k) = lambda (1 + (lambda/alpha) log((1 + exp(-alpha))/2))"
        " + 2 (-1 + (lambda/alpha) log((1 + exp(alpha))/2)), two servers of rate 1, k >= 1",
        r"LH(k, k) = \lambda \left(1 + \frac{\lambda}{\alpha} \log\frac{1 + e^{-\alpha}}{2}\right)"
        r" + 2 \left(-1 + \frac{\lambda}{\alpha} \log\frac{1 + e^{\alpha}}{2}\right)",
        "derived here",
    ),
    (
        "softmax-drift.lambert",
        "n t exp(-t)/(1 + n exp(-t)) = k at t = 1 + k, where n = k exp(1 + k)",
        r"\frac{n t e^{-t}}{1 + n e^{-t}} = k \text{ at } t = 1 + k, \; n = k e^{1 + k}",
        "derived here",
    ),
    (
        "fluid-heavy-traffic.lower-limit",
        "rho Pbar - (1 - rho)/(2 m) -> Pbar as rho -> 1",
        r"\rho \bar P - \frac{1 - \rho}{2 m} \to \bar P \text{ as } \rho \to 1",
        "doi 10.5281/zenodo.23586955, Theorem 10",
    ),
    (
        "fluid-heavy-traffic.upper-limit",
        "rho Pbar + (1 - rho) r^2 J/2 -> Pbar as rho -> 1",
        r"\rho \bar P + \frac{(1 - \rho) r^2 J}{2} \to \bar P \text{ as } \rho \to 1",
        "doi 10.5281/zenodo.23586955, Theorem 10",
    ),
    (
        "rank-gaps.mean",
        "sum over g of g (1 - rho) rho^g = rho/(1 - rho)",
        r"\sum_g g (1 - \rho) \rho^g = \frac{\rho}{1 - \rho}",
        "arXiv 2605.17677; derived here",
    ),
    (
        "rank-gaps.variance",
        "the variance of the law (1 - rho) rho^g is rho/(1 - rho)^2",
        r"\operatorname{Var} G = \frac{\rho}{(1 - \rho)^2}",
        "arXiv 2605.17677; derived here",
    ),
)


@dataclass(frozen=True)
class Statement:
    """Two sides, with the definitions and the rules of derivation that give them a meaning.

    Symbols are spelled as in certificates; `definitions` in the order in which they may refer to
    one another; a rule is (derivation, variable, image), and where there is none the image is 0.
    """

    name: str
    variables: tuple[str, ...]
    definitions: tuple[tuple[str, Tree], ...]
    rules: tuple[tuple[str, str, Tree], ...]
    left: Tree
    right: Tree

    def __post_init__(self) -> None:
        """InputError unless both sides are the same rational function."""
        calculation = _Calculation(self)
        left, right = calculation.value(self.left, "left"), calculation.value(self.right, "right")
        if left != right:
            where, values = calculation.difference(left, right)
            raise InputError("right", "equal left", f"different: at {where} they are {values}")

    def certificate(self) -> Certificate:
        """The certificate; its witness is empty."""
        claim = {
            "name": self.name,
            "variables": list(self.variables),
            "definitions": [{"name": name, "value": tree} for name, tree in self.definitions],
            "derivations": [
                {"derivation": name, "variable": variable, "image": image}
                for name, variable, image in self.rules
            ],
            "left": self.left,
            "right": self.right,
        }
        return Certificate("identity", claim, {})

    def latex(self, notation: dict[str, str]) -> str:
        """The statement as one line of LaTeX mathematics."""

        def write(tree: Tree) -> str:
            return latex(tree, notation)

        meanings = [f"{write(name)} = {write(tree)}" for name, tree in self.definitions]
        rules = [f"{write(['derive', d, v])} = {write(tree)}" for d, v, tree in self.rules]
        sides = f"{write(self.left)} = {write(self.right)}"
        return (
            sides
            + _listed(r" \quad\text{where } ", meanings)
            + _listed(r" \quad\text{with } ", rules)
        )


def make(table: Table) -> Certificate:
    """The certificate of a problem of kind `identity`."""
    statement = _statement(table)
    for key in ("source", "notation"):  # for the list of identities only
        table.get(key, None)
    table.done()
    return statement.certificate()


def words(claim: dict[str, Any]) -> str:
    """What a claim of this kind states: the whole statement on one line."""
    meanings = [f"{plain(each['name'])} = {plain(each['value'])}" for each in claim["definitions"]]
    rules = [
        f"{plain(each['derivation'])}({plain(each['variable'])}) = {plain(each['image'])}"
        for each in claim["derivations"]
    ]
    sides = f"{plain(claim['left'])} = {plain(claim['right'])}"
    return sides + _listed("; where ", meanings) + _listed("; with ", rules)


def listing() -> list[dict[str, str]]:
    """Every identity of the theorem pages: `name`, `text`, `latex`, `status`, `source`.

    The exported ones are recomputed here; the status of the others says who proved them.
    """
    rows = []
    for path in shipped.problems():
        table = read(path)
        if table.get("kind", "") == "identity":
            statement, notation = _statement(table), table.get("notation", {})
            signs = {key.replace("_", "-"): str(sign) for key, sign in notation.items()}
            texts = {"text": words(statement.certificate().claim), "latex": statement.latex(signs)}
            texts |= {"status": "holds", "source": table.text("source", "")}
            rows.append({"name": statement.name, **texts})
    for name, text, formula, source in SYMPY_ONLY:
        texts = {"text": text, "latex": formula, "status": "sympy only", "source": source}
        rows.append({"name": name, **texts})
    return rows


def render(as_latex: bool = False) -> str:
    """The listing, one line for each identity: its name, the mathematics, its status and source."""
    rows = listing()
    if as_latex:
        return "\n".join(
            rf"\[ {row['latex']} \] % {row['name']}: {row['status']}; {row['source']}"
            for row in rows
        )
    width = max(len(row["name"]) for row in rows)
    return "\n".join(
        f"{row['name']:{width}}  {row['text']}  [{row['status']}; {row['source']}]" for row in rows
    )


def _statement(table: Table) -> Statement:
    """The statement of a problem file."""
    name = table.text("name", UNNAMED)
    if name != UNNAMED and _file(name) not in {path.stem for path in shipped.problems()}:
        raise InputError("name", "be left out, or be that of a shipped identity", name)
    variables = tuple(symbol(each, "variables") for each in table.text("variables").split())
    if not 0 < len(set(variables)) == len(variables) <= MOST_VARIABLES:
        raise InputError(
            "variables", f"be 1 to {MOST_VARIABLES} distinct symbols", table.text("variables")
        )
    known = set(variables)
    definitions = []
    for key, text in _table(table, "definitions"):
        new = symbol(key, f"definitions.{key}")
        if new in known:
            raise InputError(f"definitions.{key}", "be a symbol without a meaning yet", key)
        definitions.append((new, _expression(text, f"definitions.{key}", known)))
        known.add(new)
    rules = []
    derivations = set()
    for key, images in _table(table, "derivations"):
        new = symbol(key, f"derivations.{key}")
        if new in known or not isinstance(images, dict):
            raise InputError(f"derivations.{key}", "be a new symbol with a table of images", images)
        derivations.add(new)
        for variable, text in images.items():
            where = f"derivations.{key}.{variable}"
            place = symbol(variable, where)
            if place not in variables:
                raise InputError(where, "be the image of one of the variables", variable)
            rules.append((new, place, _expression(text, where, known)))
    sides = [
        _expression(table.text(key), key, known | derivations, derivations)
        for key in ("left", "right")
    ]
    return Statement(name, variables, tuple(definitions), tuple(rules), *sides)


def _file(name: str) -> str:
    return "identity-" + name.replace(".", "-")


def _table(table: Table, key: str) -> list[tuple[str, Any]]:
    entries = table.get(key, {})
    if not isinstance(entries, dict):
        raise InputError(key, "be a table", entries)
    return list(entries.items())


def _expression(text: Any, name: str, known: Set[str], derivations: Set[str] = frozenset()) -> Tree:
    """The tree of an expression whose symbols all have a meaning."""
    if not isinstance(text, str):
        raise InputError(name, "be an expression in quotation marks", text)
    tree = parse(text, name)
    unknown = symbols(tree) - known
    if unknown:
        unknown_text = ", ".join(sorted(map(plain, unknown)))
        raise InputError(name, "use only symbols that have a meaning", unknown_text)
    _calls(tree, name, derivations)
    return tree


def _calls(tree: Tree, name: str, derivations: Set[str]) -> None:
    """InputError where a derivation is used as a number or a number as a derivation."""
    if isinstance(tree, list):
        if tree[0] == "derive" and tree[1] not in derivations:
            raise InputError(name, "apply only derivations to expressions", plain(tree))
        for part in tree[2:] if tree[0] == "derive" else tree[1:]:
            _calls(part, name, derivations)
    elif tree in derivations:
        raise InputError(name, "apply each derivation to an expression", plain(tree))


def _listed(before: str, parts: list[str]) -> str:
    return before + ", ".join(parts) if parts else ""


@dataclass(frozen=True)
class _Ratio:
    """A rational function in lowest terms; equal functions have proportional tops and bottoms."""

    top: fmpq_mpoly
    bottom: fmpq_mpoly

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Ratio) and self.top * other.bottom == other.top * self.bottom

    def __hash__(self) -> int:
        raise TypeError("not hashable")


class _Calculation:
    """The arithmetic of one statement: FLINT's polynomials, greatest common divisors removed."""

    def __init__(self, statement: Statement) -> None:
        self.context = fmpq_mpoly_ctx.get(statement.variables, Ordering.degrevlex)
        self.variables = statement.variables
        one = self.context.constant(1)
        self.known = {
            name: _Ratio(generator, one)
            for name, generator in zip(statement.variables, self.context.gens(), strict=True)
        }
        self.rules: dict[str, dict[int, _Ratio]] = {}
        for name, tree in statement.definitions:
            self.known[name] = self.value(tree, f"definitions.{plain(name)}")
        for derivation, variable, tree in statement.rules:
            place = statement.variables.index(variable)
            where = f"derivations.{plain(derivation)}.{plain(variable)}"
            self.rules.setdefault(derivation, {})[place] = self.value(tree, where)

    def value(self, tree: Tree, name: str) -> _Ratio:
        """The value of a tree; InputError if it divides by zero or grows beyond all bounds."""
        match tree:
            case str():
                return self.known.get(tree) or _Ratio(
                    self.context.constant(fmpq(*_ends(tree))), self.context.constant(1)
                )
            case ["power", base, exponent]:
                one = _Ratio(self.context.constant(1), self.context.constant(1))
                return reduce(self._product, [self.value(base, name)] * exponent, one)
            case ["derive", derivation, part]:
                return self._derived(self.rules.get(derivation, {}), self.value(part, name))
            case ["minus", part]:
                inner = self.value(part, name)
                return _Ratio(-inner.top, inner.bottom)
            case ["quotient", top, bottom]:
                a, b = self.value(top, name), self.value(bottom, name)
                if not b.top:
                    raise InputError(name, "not divide by what is identically zero", plain(bottom))
                return self._product(a, _Ratio(b.bottom, b.top))
            case ["product", *parts]:
                return reduce(self._product, (self.value(part, name) for part in parts))
            case ["sum", *parts]:
                return reduce(self._sum, (self.value(part, name) for part in parts))
        raise TypeError(tree)

    def difference(self, left: _Ratio, right: _Ratio) -> tuple[str, str]:
        """A point of whole numbers where two ratios differ, and their two values there."""
        for shift in range(1, 10_000):
            point = [
                1 + (shift * (3 * place + 1)) % (shift + 2) for place in range(len(self.variables))
            ]
            bottoms = [side.bottom(*point) for side in (left, right)]
            if all(bottoms):
                a, b = (
                    side.top(*point) / bottom
                    for side, bottom in zip((left, right), bottoms, strict=True)
                )
                if a != b:
                    named = zip(self.variables, point, strict=True)
                    return ", ".join(f"{plain(n)} = {v}" for n, v in named), f"{a} and {b}"
        return "nearly every point", "different"

    def _product(self, a: _Ratio, b: _Ratio) -> _Ratio:
        _bounded(len(a.top) * len(b.top) + len(a.bottom) * len(b.bottom))
        return _lowest(a.top * b.top, a.bottom * b.bottom)

    def _sum(self, a: _Ratio, b: _Ratio) -> _Ratio:
        _bounded(len(a.top) * len(b.bottom) + len(b.top) * len(a.bottom))
        return _lowest(a.top * b.bottom + b.top * a.bottom, a.bottom * b.bottom)

    def _derived(self, images: dict[int, _Ratio], a: _Ratio) -> _Ratio:
        """The sum over all variables of the partial derivative of a times the variable's image."""
        result = _Ratio(self.context.constant(0), self.context.constant(1))
        for place, image in images.items():
            _bounded(2 * len(a.top) * len(a.bottom) + len(a.bottom) ** 2)
            top = a.top.derivative(place) * a.bottom - a.top * a.bottom.derivative(place)
            result = self._sum(result, self._product(_lowest(top, a.bottom**2), image))
        return result


def _bounded(terms: int) -> None:
    if terms > MOST_TERMS:
        raise InputError(
            "the identity", f"stay below {MOST_TERMS} terms when multiplied out", terms
        )


def _lowest(top: fmpq_mpoly, bottom: fmpq_mpoly) -> _Ratio:
    common = top.gcd(bottom)
    return _Ratio(top / common, bottom / common)


def _ends(number: str) -> tuple[int, int]:
    top, _, bottom = number.partition("/")
    return int(top), int(bottom or 1)
