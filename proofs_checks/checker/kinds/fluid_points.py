"""The least cost at single imbalances, exactly, for a law with thousands of sizes.

Sums over the sizes are taken over one common denominator by halving, in integers; no number is
reduced. Proofs: proofs_checks/theorems/fluid-value.md, Proposition 3.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from proofs_checks.checker.kinds.fluid_law import Law, cost
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Summary, Trial, brief

Ratio = tuple[int, int]  # numerator and denominator > 0, not reduced


@dataclass(frozen=True)
class Ladder:
    """The knots from 0 to t_0: sizes `unit` * steps[i], with D = `unit` * heights[i]/`unit_jobs`.

    `steps` and `heights` are integers; `counts[i]` sizes are at most knot i; X(t_0) is `top`.
    """

    law: Law
    unit: Fraction
    unit_jobs: int
    steps: list[int]
    heights: list[int]
    counts: list[int]
    top: Fraction
    trial: Trial

    @property
    def k(self) -> Fraction:
        """(1 - load)/load."""
        return (1 - self.law.load) / self.law.load

    def size(self, i: int) -> Fraction:
        """Knot i."""
        return self.unit * self.steps[i]

    def deviation(self, i: int) -> Fraction:
        """D at knot i."""
        return self.unit * Fraction(self.heights[i], self.unit_jobs)

    def reach(self, i: int) -> Ratio:
        """X at knot i: `top` and k times the sum of (t - s)/(D(s) D(t)) from there on."""
        last = len(self.steps) - 1
        if i == last:
            return self.top.numerator, self.top.denominator
        bits = sum(height.bit_length() for height in self.heights[i:])
        self.trial.spend(20 * (last - i) + 4 * bits + bits * bits // 100_000)
        total, inner = self._sum(i, last)
        under = self.heights[i] * inner * self.heights[last]
        factor = self.k * self.unit_jobs**2 / self.unit
        above = self.top.numerator * factor.denominator * under
        above += factor.numerator * total * self.top.denominator
        return above, self.top.denominator * factor.denominator * under

    def _sum(self, first: int, last: int) -> tuple[int, int]:
        """N and T: the sum of (t - s)/(height height) over the steps is N/(height T height).

        T is the product of the heights strictly between knots `first` and `last`.
        """
        if last == first + 1:
            return self.steps[last] - self.steps[first], 1
        middle = (first + last) // 2
        (left, below), (right, above) = self._sum(first, middle), self._sum(middle, last)
        total = left * above * self.heights[last] + right * self.heights[first] * below
        return total, below * self.heights[middle] * above


def check_points(fields: dict[str, Node], witness: Node, law: Law, trial: Trial) -> Summary:
    """The values and the saving of a claim without sectors."""
    hints = witness.record("sectors")["sectors"].items()
    sizes, rows = len(law.sizes), fields["values"].items()
    trial.require("hypothesis", sizes > 1, "claim.law.atoms", "at least two sizes", sizes)
    if len(rows) != len(hints):
        raise witness.bad("one number for every value")
    ladder = _ladder(law, trial)
    saving, (above, under) = fields["saving"].exact(), ladder.reach(0)
    trial.spend(cost(saving, Fraction(above)))
    holds = saving.numerator * above == saving.denominator * under
    trial.require("saving", holds, "claim.saving", "1/X(0)", saving)
    for node, hint in zip(rows, hints, strict=True):
        row = node.record("imbalance value")
        z, value = row["imbalance"].exact(), row["value"].exact()
        trial.require("value", 0 <= z <= 1, row["imbalance"].path, "between 0 and 1", z)
        holds = _is_least(ladder, z, value, hint)
        trial.require("value", holds, row["value"].path, "the least cost", value)
    counts = f"imbalances {len(rows)}, sizes {sizes}"
    return Summary(f"exact least cost: saving {brief(saving)}, {counts}")


def _ladder(law: Law, trial: Trial) -> Ladder:
    """The knots of a law with at least two sizes."""
    rho, top = law.load, len(law.sizes) - 1
    if 2 * rho > 1:
        top = next(i for i, share in enumerate(law.work) if 2 * rho * share >= 1) - 1
    below = [n.denominator for n in (*law.sizes, *law.jobs)]
    trial.spend(len(below) * sum(each.bit_length() for each in below) // 1000)
    whole, parts = lcm(*below[: len(law.sizes)]), lcm(*below[len(law.sizes) :])
    trial.spend(len(law.sizes) * cost(Fraction(whole), Fraction(parts)))
    steps, heights, counts = [0], [parts * whole], [int(law.sizes[0] == 0)]
    for i in range(top + 1):
        size, jobs, work = law.sizes[i], law.jobs[i + 1], law.work[i + 1]
        if size > 0:
            steps.append(int(size * whole))
            heights.append(int(((2 * jobs - 1) * size - 2 * work + 1) * whole * parts))
            counts.append(i + 1)
    last, height = law.sizes[top], Fraction(heights[-1], whole * parts)
    start = last / height if 2 * rho > 1 else 1 + (1 - rho) / (rho * (last - 1))
    return Ladder(law, Fraction(1, whole), parts, steps, heights, counts, start, trial)


def _is_least(ladder: Ladder, z: Fraction, value: Fraction, hint: Node) -> bool:
    """Whether a value is the least cost at imbalance z, between knot number `hint` and the next."""
    law, trial, i, last = ladder.law, ladder.trial, hint.count(), len(ladder.steps) - 1
    rho, where = law.load, hint.path
    if z == 1 and 2 * rho <= 1:  # all jobs join the empty queue, and none of them waits
        return value == 0
    known = i <= last - (2 * rho >= 1)
    trial.require("sector", known, where, "the number of a knot", i)
    after = i == 0 or _behind(ladder, i, z) >= 0
    trial.require("sector", after, where, "a knot with Z at most the imbalance", i)
    if i == last:  # all jobs join the shorter queue
        return value == rho * (1 - z) * (1 - z) / (2 * (1 - 2 * rho))
    before = _behind(ladder, i + 1, z) <= 0
    trial.require("sector", before, where, "a next knot with Z at least the imbalance", i)
    count = ladder.counts[i]
    al, be = 2 * law.jobs[count] - 1, 2 * law.work[count] - 1
    k, size, per = ladder.k, ladder.size(i + 1), ladder.k / ladder.deviation(i + 1)
    above, under = ladder.reach(i + 1)
    trial.spend(cost(value, z, per, al, be, Fraction(above)))
    # with v the denominator of the value, v (2 value - kappa) A = v (kappa be - 2 z + B z^2)
    v, gain = value.denominator, 2 * value.numerator - value.denominator / k
    slope = be * gain + al * z * z * v
    rest = gain * size * per - v * (be / k - 2 * z - per * z * z)
    return rest * under == slope * above


def _behind(ladder: Ladder, i: int, z: Fraction) -> int:
    """A number with the sign of z D X - t at knot i, which is that of z - Z."""
    above, under = ladder.reach(i)
    factor, size = z * ladder.deviation(i), ladder.size(i)
    ladder.trial.spend(cost(factor, size, Fraction(above)))
    return factor.numerator * size.denominator * above - size.numerator * factor.denominator * under
