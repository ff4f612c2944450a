"""Kind `fluid-many-sizes`: enclosures of the least cost for a law with any number of sizes.

Proved: at total work 1 and each listed imbalance the least cost over all controls lies in `value`,
and what it saves from a tie against balanced routing lies in `saving`. One pass over the sizes up
to the exit cutoff, in interval arithmetic. Not checked: how wide the intervals are.
"""

from dataclasses import dataclass
from fractions import Fraction

from proofs_checks.checker.kernel.real import Real
from proofs_checks.checker.kinds.fluid_law import Law, cost, read_law
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Summary, Trial, brief, fewest_digits

THEOREM = "fluid-many-sizes"
PROBLEM = ("law", "load")
CONDITIONS = {
    "hypothesis": "0 < load < 1; sizes >= 0 rising, masses > 0, sum and mean one (Hypotheses)",
    "spread": "at least two sizes (Hypotheses)",
    "imbalance": "every asked imbalance lies in [0, 1] (Hypotheses)",
    "sector": "the sizes between which the cutoff at that imbalance lies (condition 1)",
    "value": "the least cost at that imbalance (part a)",
    "saving": "1/X(0) (part b)",
}


@dataclass(frozen=True)
class Knot:
    """A size t <= exit cutoff with D(t) = E|S - t| and X(t), enclosed."""

    size: Fraction
    deviation: Real
    reach: Real

    def behind(self, z: Fraction) -> Real:
        """z D(t) X(t) - t: at most 0 if and only if z <= Z(t)."""
        return self.deviation * self.reach * z - self.size


def check(claim: Node, witness: Node, trial: Trial) -> Summary:
    """Prove the claim or raise a Refusal."""
    fields = claim.record("law load values saving")
    hints = witness.record("precision sectors")
    bits = trial.precision(hints["precision"].count())
    law = read_law(fields["law"], fields["load"], trial)
    sizes = len(law.sizes)
    trial.require("spread", sizes > 1, "claim.law.atoms", "at least two sizes", sizes)
    knots = _knots(law, bits, trial)
    saving = 1 / knots[0].reach
    claimed = fields["saving"].interval()
    _inside("saving", "claim.saving", saving, claimed, trial)
    intervals, first = [claimed], None
    rows, sectors = fields["values"].items(), hints["sectors"].items()
    if len(rows) != len(sectors):
        raise hints["sectors"].bad("one number for every value")
    for node, sector in zip(rows, sectors, strict=True):
        row = node.record("imbalance value")
        z, claimed = row["imbalance"].exact(), row["value"].interval()
        trial.require("imbalance", 0 <= z <= 1, row["imbalance"].path, "between 0 and 1", z)
        found = _value(law, knots, z, sector, bits, trial)
        _inside("value", row["value"].path, found, claimed, trial)
        intervals.append(claimed)
        first = first or f"{brief(found)} at imbalance {brief(z)}"
    text = f"least cost at total work 1 in {first}, saving in {brief(saving)}, sizes {sizes}"
    return Summary(text, fewest_digits(intervals))


def _knots(law: Law, bits: int, trial: Trial) -> list[Knot]:
    """The knots from 0 to the exit cutoff, rising; the first is 0."""
    rho, top = law.load, len(law.sizes) - 1
    if 2 * rho > 1:
        top = next(i for i, share in enumerate(law.work) if 2 * rho * share >= 1) - 1
    indices = [i for i in range(top + 1) if law.sizes[i] > 0]
    points = [(Fraction(0), trial.real(1, bits))]
    for i in indices:
        size, jobs, work = law.sizes[i], law.jobs[i], law.work[i]
        trial.spend(cost(size, jobs, work))
        trial.keep(5, bits)
        points.append((size, trial.real((2 * jobs - 1) * size - (2 * work - 1), bits)))
    size, deviation = points[-1]
    k = trial.real((1 - rho) / rho, bits)
    reach = trial.real(size, bits) / deviation if 2 * rho > 1 else k / (size - 1) + 1
    knots = [Knot(size, deviation, reach)]
    for below, less in reversed(points[:-1]):
        trial.keep(1, bits)
        reach = reach + k * (size - below) / (less * deviation)
        knots.append(Knot(below, less, reach))
        size, deviation = below, less
    return knots[::-1]


def _value(law: Law, knots: list[Knot], z: Fraction, node: Node, bits: int, trial: Trial) -> Real:
    """The least cost at total work 1 and imbalance z, between knots number `node` and the next."""
    rho, index, where = law.load, node.count(), node.path
    trial.spend(200 + cost(z) + bits)
    if z == 1 and 2 * rho <= 1:  # all jobs join the empty queue, and none of them waits
        return trial.real(0, bits)
    known = index < len(knots) - (2 * rho >= 1)
    trial.require("sector", known, where, "the number of a knot", index)
    after = knots[index].behind(z).at_least(0) or index == 0
    trial.require("sector", after, where, "a knot with Z at most the imbalance", index)
    if index == len(knots) - 1:  # all jobs join the shorter queue
        return trial.real(rho * (1 - z) * (1 - z) / (2 * (1 - 2 * rho)), bits)
    knot = knots[index + 1]
    at_exit = 2 * rho >= 1 and index == len(knots) - 2
    before = at_exit or knot.behind(z).at_most(0)
    trial.require("sector", before, where, "a next knot with Z at least the imbalance", index)
    count = index + (law.sizes[0] == 0)  # sizes up to the knot `index`
    slope, offset = 2 * law.jobs[count] - 1, 2 * law.work[count] - 1
    kappa = trial.real(rho / (1 - rho), bits)
    first = knot.size / (kappa * knot.deviation) - knot.reach * offset
    second = knot.reach * slope - 1 / (kappa * knot.deviation)
    return (kappa + (kappa * offset - 2 * z + second * (z * z)) / first) / 2


def _inside(
    condition: str, where: str, found: Real, ends: tuple[Fraction, Fraction], trial: Trial
) -> None:
    trial.spend(4 * cost(*ends))
    trial.require(condition, found.inside(*ends), where, ("around", found), ends)
