"""Mixtures: job sizes drawn from several families, each with a mean of its own, and from atoms.

Between two neighbouring breaks (an atom, or an end of the sizes of a component) the excess is one
formula; across a break it is continuous with another slope. Source:
proofs_checks/theorems/fluid-enclosure.md, part "The families".
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import MISSING, dataclass, fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from flint import arb

from certify.balls import ball, ends
from certify.certificate import exact
from certify.errors import InputError
from certify.fluid.continuous import FAMILIES, Ball, ContinuousLaw, Gap, parameter
from certify.fluid.laws import law_form
from certify.problem import Exact, Table

MOST_COMPONENTS = 100
MOST_ATOMS = 1000

Atom = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Component:
    """With probability `weight` the size is `mean` times a size of the law (whose mean is one).

    Raises InputError unless weight and mean are positive and the law is one of a family.
    """

    weight: Fraction
    mean: Fraction
    law: ContinuousLaw

    if TYPE_CHECKING:

        def __init__(self, weight: Exact, mean: Exact, law: ContinuousLaw) -> None: ...

    def __post_init__(self) -> None:
        for field in ("weight", "mean"):
            number = parameter(getattr(self, field), f"component.{field}")
            if number <= 0:
                raise InputError(f"component.{field}", "be positive", number)
            object.__setattr__(self, field, number)
        if not isinstance(self.law, ContinuousLaw) or self.law.family == "mixture":
            raise InputError("component.law", "be a law of one family", self.law)


@dataclass(frozen=True)
class Mixture(ContinuousLaw):
    """Components (weight, mean, law) and atoms (size, mass); equal atoms are merged.

    Weights, means and masses are positive, sizes of atoms at least 0; weights and masses sum to 1
    and the mean of the whole is 1. Raises InputError otherwise.
    """

    components: tuple[Component, ...]
    atoms: tuple[Atom, ...] = ()
    family: ClassVar[str] = "mixture"

    if TYPE_CHECKING:

        def __init__(
            self,
            components: Sequence[Component | tuple[Exact, Exact, ContinuousLaw]],
            atoms: Sequence[tuple[Exact, Exact]] = (),
        ) -> None: ...

    def __post_init__(self) -> None:
        components = tuple(_component(each, i) for i, each in enumerate(_list(self.components)))
        if not 1 <= len(components) <= MOST_COMPONENTS:
            requirement = f"have 1 to {MOST_COMPONENTS} components"
            raise InputError("law.components", requirement, len(components))
        masses: dict[Fraction, Fraction] = {}
        for index, pair in enumerate(_list(self.atoms, "atoms")):
            size, mass = _atom(pair, f"law.atoms[{index}]")
            masses[size] = masses.get(size, Fraction(0)) + mass
        if len(masses) > MOST_ATOMS:
            raise InputError("law.atoms", f"have at most {MOST_ATOMS} sizes", len(masses))
        total = sum((each.weight for each in components), sum(masses.values(), Fraction(0)))
        if total != 1:
            requirement = "have weights and masses that sum to 1"
            raise InputError("law", requirement, f"a sum of {exact(total)}")
        mean = sum((size * mass for size, mass in masses.items()), Fraction(0))
        mean += sum((each.weight * each.mean for each in components), Fraction(0))
        if mean != 1:
            requirement = "have mean 1 (the weights times the means, and the atoms, added up)"
            raise InputError("law", requirement, f"a mean of {exact(mean)}")
        object.__setattr__(self, "components", components)
        object.__setattr__(self, "atoms", tuple(sorted(masses.items())))

    @property
    def high(self) -> arb | None:
        """The largest size at the current precision, None if there is none."""
        largest = arb(0)
        for each in self.components:
            top = each.law.high
            if top is None:
                return None
            largest = largest.max(top * ball(each.mean))
        return largest.max(ball(self.atoms[-1][0])) if self.atoms else largest

    @property
    def smooth_at_zero(self) -> bool:
        """Whether no component has a singularity at size 0."""
        return all(each.law.low > 0 or each.law.smooth_at_zero for each in self.components)

    def excess(self, h: Ball, log: Ball) -> Ball:
        """The weighted sum of the excesses; h may lie anywhere, but not be complex."""
        return self.excess_at(h)

    def share_above(self, h: Ball, log: Ball) -> Ball:
        """The weighted sum of the shares; h may lie anywhere, but not be complex."""
        return self.share_above_at(h)

    def log_density(self, h: Ball, log: Ball) -> Ball:
        """h times the density of the components at h."""
        total = arb(0)
        for each in self.components:
            size = h / ball(each.mean)
            inside = size > each.law.low and not (
                each.law.high is not None and size > each.law.high
            )
            if inside:
                total += ball(each.weight) * each.law.log_density(size, size.log())
        return total

    def excess_at(self, h: arb) -> arb:
        """E(S - h)+ for any h >= 0."""
        total = arb(0)
        for each in self.components:
            total += ball(each.weight * each.mean) * each.law.excess_at(h / ball(each.mean))
        for size, mass in self.atoms:
            total += ball(mass) * (ball(size) - h).max(arb(0))
        return total

    def share_above_at(self, h: arb) -> arb:
        """P(S > h) for any h >= 0."""
        total = arb(0)
        for each in self.components:
            total += ball(each.weight) * each.law.share_above_at(h / ball(each.mean))
        for size, mass in self.atoms:
            if h < ball(size):
                total += ball(mass)
            elif not h >= ball(size):
                total += ball(mass).union(arb(0))
        return total

    def breaks(self, bits: int) -> list[Gap]:
        """The atoms, and narrow gaps around the ends of the sizes of the components."""
        found = [(size, size) for size, _ in self.atoms if size > 0]
        for each in self.components:
            for end in (each.law.low, each.law.high):
                if end is not None and end > 0:
                    found.append(_around(end * ball(each.mean), bits))
        merged: list[Gap] = []
        for low, high in sorted(found):
            if merged and low <= merged[-1][1]:
                low, high = merged[-1][0], max(high, merged[-1][1])
                merged.pop()
            merged.append((low, high))
        return merged

    def between(self, low: Fraction, high: Fraction) -> ContinuousLaw:
        """The formula that holds from low to high, which no break separates."""
        parts, level, slope = [], Fraction(0), Fraction(0)
        middle = ball((low + high) / 2)
        for each in self.components:
            size = middle / ball(each.mean)
            if size < each.law.low:
                level, slope = level + each.weight * each.mean, slope + each.weight
            elif each.law.high is None or size < each.law.high:
                parts.append(each)
        for place, mass in self.atoms:
            if place >= high:
                level, slope = level + mass * place, slope + mass
        return _Stretch(tuple(parts), level, slope)

    def jump(self, rest: arb) -> Fraction | None:
        """The atom at which E[S; S > h] falls from above `rest` to at most that, if one does."""
        larger = Fraction(0)  # the work of the larger atoms
        for size, mass in reversed(self.atoms):
            above = ball(larger)
            for each in self.components:
                share = each.law.work_above(ball(size / each.mean))
                above += ball(each.weight * each.mean) * share
            larger += mass * size
            if above < rest < above + ball(mass * size):
                return size
        return None

    def to_claim(self) -> dict[str, Any]:
        """The `law` field of a claim."""
        return {
            "family": self.family,
            "components": [
                {"weight": exact(each.weight), "mean": exact(each.mean), "law": each.law.to_claim()}
                for each in self.components
            ],
            "atoms": [[exact(size), exact(mass)] for size, mass in self.atoms],
        }


@dataclass(frozen=True)
class _Stretch(ContinuousLaw):
    """The excess of a mixture between two breaks: `parts`, and `level` - `slope` h for the rest."""

    parts: tuple[Component, ...]
    level: Fraction
    slope: Fraction

    def __post_init__(self) -> None:
        return

    def excess(self, h: Ball, log: Ball) -> Ball:
        """E(S - h)+."""
        total = ball(self.level) - h * ball(self.slope)
        for each in self.parts:
            mean = ball(each.mean)
            part = each.law.excess(h / mean, log - mean.log())
            total = total + part * ball(each.weight * each.mean)
        return total

    def share_above(self, h: Ball, log: Ball) -> Ball:
        """P(S > h)."""
        total: Ball = ball(self.slope)
        for each in self.parts:
            mean = ball(each.mean)
            total = each.law.share_above(h / mean, log - mean.log()) * ball(each.weight) + total
        return total

    def log_density(self, h: Ball, log: Ball) -> Ball:
        """h times the density at h."""
        total: Ball = arb(0)
        for each in self.parts:
            mean = ball(each.mean)
            total = each.law.log_density(h / mean, log - mean.log()) * ball(each.weight) + total
        return total


def read_sizes(table: Table) -> ContinuousLaw:
    """The law of a problem: its `family` and parameters, or components and atoms of a mixture."""
    inner = table.table("law")
    form = law_form(inner)
    if form in ("atoms", "sizes"):
        requirement = "be given by its family (atoms and sizes go with kind fluid-value)"
        raise InputError("law", requirement, f"given by {form}")
    family = inner.choice("family", (*FAMILIES, Mixture.family))
    if family == Mixture.family:
        listed = inner.get("components")
        if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
            raise InputError("law.components", "be a list of tables", listed)
        atoms = inner.get("atoms", ())
        inner.done()
        parts = [Table(each, f"law.components[{i}]") for i, each in enumerate(listed)]
        return Mixture(tuple(_read_component(part) for part in parts), atoms)
    return _read_family(inner, family)


def _read_component(table: Table) -> Component:
    weight, mean = table.get("weight"), table.get("mean")
    family = table.choice("family", tuple(FAMILIES))
    try:
        return Component(weight, mean, _read_family(table, family))
    except InputError as error:
        if error.field.startswith(table.name):
            raise
        field = error.field.replace("law", table.name, 1)
        raise InputError(field, error.requirement, error.value) from None


def _read_family(table: Table, family: str) -> ContinuousLaw:
    law = FAMILIES[family]
    parameters = read_parameters(table, law)
    table.done()
    return law(**parameters)


def read_parameters(table: Table, law: type[ContinuousLaw]) -> dict[str, Any]:
    """The parameters of a family; those that have a default may be left out."""
    return {
        each.name: table.get(each.name, *(() if each.default is MISSING else (each.default,)))
        for each in fields(law)
    }


def _list(values: Any, name: str = "components") -> Iterable[Any]:
    if isinstance(values, list | tuple):
        return values
    raise InputError(f"law.{name}", "be a list", values)


def _component(value: Any, index: int) -> Component:
    """A component from itself or from (weight, mean, law)."""
    if isinstance(value, Component):
        return value
    name = f"law.components[{index}]"
    if not isinstance(value, list | tuple) or len(value) != 3:
        raise InputError(name, "be (weight, mean, law)", value)
    try:
        return Component(*value)
    except InputError as error:
        field = error.field.replace("component", name, 1)
        raise InputError(field, error.requirement, error.value) from None


def _atom(pair: Any, name: str) -> Atom:
    if not isinstance(pair, list | tuple) or len(pair) != 2:
        raise InputError(name, "be a [size, mass] pair", pair)
    size, mass = (parameter(value, name) for value in pair)
    if size < 0:
        raise InputError(name, "have a size of at least 0", size)
    if mass <= 0:
        raise InputError(name, "have a positive mass", mass)
    return size, mass


def _around(point: arb, bits: int) -> Gap:
    """A gap around a point whose square is too small to matter at `bits` bits."""
    low, high = ends(point)
    length = high.numerator.bit_length() - high.denominator.bit_length()
    unit = Fraction(1, 2) ** (bits // 2 + 16 - length)
    return (math.floor(low / unit) - 1) * unit, (math.ceil(high / unit) + 1) * unit
