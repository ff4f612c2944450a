"""Mixtures of size laws, each stretched to a mean of its own, and of atoms.

Every formula is proved in proofs_checks/theorems/fluid-enclosure.md, part "The families".
"""

from dataclasses import dataclass
from fractions import Fraction

from proofs_checks.checker.kernel.interval import Undecided
from proofs_checks.checker.kernel.real import Real, Series
from proofs_checks.checker.kinds.size_laws import SizeLaw, read_size_law, short
from proofs_checks.checker.kinds.special_laws import Between, Sizes, series_cost
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Trial, declined

MOST_PARTS = 1000


@dataclass(frozen=True)
class Part:
    """With probability `weight` the size is `mean` times a size of the law."""

    weight: Fraction
    mean: Fraction
    law: SizeLaw

    def above(self, between: Between) -> bool:
        """Whether all sizes are at least the larger of two numbers."""
        return self.law.low.at_least(between[1] / self.mean)

    def excess(self, x: Sizes) -> Series | None:
        """E(mean S - h)+ where some sizes are smaller than the largest h; None if it is 0."""
        low, high = (end / self.mean for end in x.between)
        most = self.law.high
        if most is not None and most.at_most(low):
            return None
        if not self.law.low.at_most(low) or (most is not None and not most.at_least(high)):
            raise Undecided("a knot is missing at an extreme size of a component")
        return self.law.excess(x.divided(self.mean)).scaled(self.mean)


@dataclass(frozen=True)
class Mixture:
    """Parts and atoms (size, mass); sizes lie between 0 and `high`."""

    low: Real
    high: Real | None
    parts: list[Part]
    atoms: list[tuple[Fraction, Fraction]]
    trial: Trial

    def excess(self, x: Sizes) -> Series:
        """E(S - h)+, by one formula between the ends of x."""
        jobs, work = self.line(x.between)
        return self.curve(x) + (x.h.scaled(-jobs) + work)

    def line(self, between: Between) -> tuple[Fraction, Fraction]:
        """The shares of the jobs and the work in all that is larger than the h between two numbers.

        Its excess is the straight line work - jobs * h.
        """
        self.trial.spend(50 * (len(self.parts) + len(self.atoms)))
        self.trial.spend((len(self.parts) + len(self.atoms)) ** 2)
        if any(between[0] < size < between[1] for size, _ in self.atoms):
            raise Undecided("a knot is missing at an atom")
        larger = [(part.weight, part.mean) for part in self.parts if part.above(between)]
        larger += [(mass, size) for size, mass in self.atoms if size >= between[1]]
        jobs = sum((share for share, _ in larger), Fraction(0))
        return jobs, sum((share * size for share, size in larger), Fraction(0))

    def curve(self, x: Sizes) -> Series:
        """The excess of the other components."""
        total = x.h.scaled(0)
        for part in self.parts:
            if not part.above(x.between):
                self.trial.spend(series_cost(x.h.terms, x.h.bits, 0))
                found = part.excess(x)
                total = total if found is None else total + found.scaled(part.weight)
        return total


def straight_and_curved(law: SizeLaw, x: Sizes) -> tuple[Fraction, Series]:
    """A number c and a series with E|S - h| = c h + series."""
    if isinstance(law, Mixture):
        jobs, work = law.line(x.between)
        return 1 - 2 * jobs, law.curve(x).scaled(2) + (2 * work - 1)
    return Fraction(1), law.excess(x).scaled(2) + -1


def read_law_of_sizes(node: Node, bits: int, trial: Trial) -> SizeLaw:
    """The law of a claim, a family or a mixture, with every hypothesis tested."""
    if not isinstance(node.value, dict) or node.value.get("family") != "mixture":
        return read_size_law(node, bits, trial)
    fields = node.record("family components atoms")
    parts: list[Part] = []
    atoms: list[tuple[Fraction, Fraction]] = []
    where = node.path
    for item in fields["components"].items():
        part = item.record("weight mean law")
        weight, mean = short(part["weight"].exact()), short(part["mean"].exact())
        trial.require("hypothesis", weight > 0, part["weight"].path, "positive", weight)
        trial.require("hypothesis", mean > 0, part["mean"].path, "positive", mean)
        parts.append(Part(weight, mean, read_size_law(part["law"], bits, trial)))
    for item in fields["atoms"].items(empty=True):
        pair = [short(each.exact()) for each in item.items()]
        if len(pair) != 2:
            raise item.bad("a pair [size, mass]")
        rising = pair[0] > atoms[-1][0] if atoms else pair[0] >= 0
        trial.require("hypothesis", rising, item.path, "sizes >= 0, rising", pair[0])
        trial.require("hypothesis", pair[1] > 0, item.path, "a positive mass", pair[1])
        atoms.append((pair[0], pair[1]))
    if len(parts) + len(atoms) > MOST_PARTS:
        raise declined(where, f"at most {MOST_PARTS} components and atoms", "more")
    weights = [*((part.weight, part.mean) for part in parts), *((m, s) for s, m in atoms)]
    trial.spend(2 * len(weights) * len(weights))
    total = sum((weight for weight, _ in weights), Fraction(0))
    trial.equal("hypothesis", f"{where}, weights and masses", Fraction(1), total)
    whole = sum((weight * mean for weight, mean in weights), Fraction(0))
    trial.equal("hypothesis", f"{where}, mean size", Fraction(1), whole)
    high = _largest(parts, [size for size, _ in atoms[-1:]], bits, trial)
    return Mixture(trial.real(0, bits), high, parts, atoms, trial)


def _largest(parts: list[Part], sizes: list[Fraction], bits: int, trial: Trial) -> Real | None:
    """An enclosure of the largest size; None if there is none."""
    most = trial.real(sizes[0] if sizes else 0, bits)
    for part in parts:
        if part.law.high is None:
            return None
        high = part.law.high * part.mean
        if not high.at_most(most):
            most = high if most.at_most(high) else most.hull(high)
    return most
