"""Size laws with rational bin data: shares of jobs and work above a size, and bounds of E|S - h|.

Proofs: proofs_checks/theorems/fluid-bracket.md, Lemmas 1 and 2.
"""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from fractions import Fraction

from proofs_checks.checker.kinds.exact_lists import every, size
from proofs_checks.checker.kinds.fluid_law import Law, cost, read_law
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Trial

Shares = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class FiniteBins:
    """A law with finitely many sizes: everything is exact at every size."""

    law: Law

    def above(self, h: Fraction, where: str, trial: Trial) -> Shares:
        """(P(S > h), E[S; S > h])."""
        most = bisect_right(self.law.sizes, h)
        trial.spend(cost(h, self.law.jobs[most], self.law.work[most]))
        return 1 - self.law.jobs[most], 1 - self.law.work[most]

    def deviation(self, h: Fraction, trial: Trial) -> Fraction:
        """E|S - h| for h >= 0."""
        jobs, work = self.above(h, "", trial)
        return h - 1 + 2 * (work - h * jobs)


@dataclass(frozen=True)
class UniformBins:
    """Uniform sizes from `lowest` to 2 - lowest: everything is exact at every size."""

    lowest: Fraction

    def above(self, h: Fraction, where: str, trial: Trial) -> Shares:
        """(P(S > h), E[S; S > h])."""
        trial.spend(cost(h, h, self.lowest))
        inside = min(max(h, self.lowest), 2 - self.lowest)
        jobs = (2 - self.lowest - inside) / (2 - 2 * self.lowest)
        return jobs, jobs * (2 - self.lowest + inside) / 2

    def deviation(self, h: Fraction, trial: Trial) -> Fraction:
        """E|S - h| for h >= 0."""
        jobs, work = self.above(h, "", trial)
        return h - 1 + 2 * (work - h * jobs)


@dataclass(frozen=True)
class ParetoBins:
    """P(S > h) = (lowest/h)**shape from lowest = (shape - 1)/shape on, rational at the knots.

    The knots are lowest * root**q, shape = p/q in lowest terms, for given rational roots >= 1.
    """

    knots: list[Fraction]
    shares: list[Shares]

    def above(self, h: Fraction, where: str, trial: Trial) -> Shares:
        """(P(S > h), E[S; S > h]) at a knot."""
        trial.spend(cost(h))
        index = min(bisect_left(self.knots, h), len(self.knots) - 1)
        trial.equal("knots", where, self.knots[index], h)
        return self.shares[index]

    def deviation(self, h: Fraction, trial: Trial) -> Fraction:
        """At least E|S - h| for h >= 0: the chord between knots, the last excess beyond them."""
        right = bisect_left(self.knots, h)
        if right == 0:
            return 1 - h  # not above the smallest size
        low, (jobs, work) = self.knots[right - 1], self.shares[right - 1]
        trial.spend(cost(h, low, jobs, work))
        excess = work - low * jobs
        if right < len(self.knots):
            high, (jobs, work) = self.knots[right], self.shares[right]
            trial.spend(cost(h, low, excess, high, jobs, work))
            excess += (h - low) / (high - low) * (work - high * jobs - excess)
        return h - 1 + 2 * excess


Bins = FiniteBins | UniformBins | ParetoBins


def read_bins(node: Node, load: Node, roots: Node, trial: Trial) -> Bins:
    """The law of a claim with its load; `roots` are the witness's, empty unless Pareto."""
    given = every(roots, trial, empty=True)
    if not isinstance(node.value, dict) or "family" not in node.value:
        law = read_law(node, load, trial)
        return FiniteBins(law)
    rho = load.exact()
    trial.require("hypothesis", 0 < rho < 1, load.path, "between 0 and 1", rho)
    family = node.record("family", "lowest shape")
    if family["family"].name("pareto", "uniform") == "uniform":
        lowest = node.record("family lowest")["lowest"].exact()
        trial.require("hypothesis", 0 <= lowest < 1, "claim.law.lowest", "from 0 below 1", lowest)
        return UniformBins(lowest)
    shape = node.record("family shape")["shape"].exact()
    trial.require("hypothesis", shape > 1, "claim.law.shape", "above 1", shape)
    p, q = shape.numerator, shape.denominator
    lowest, before = 1 - 1 / shape, Fraction(1)
    knots, shares = [lowest], [(Fraction(1), Fraction(1))]
    for index, root in enumerate(given):
        rising = root > before
        trial.require("knots", rising, f"witness.roots.{index}", "above 1 and rising", root)
        bits = size(root)
        trial.spend(100 + p * bits + (p * bits) ** 2 // 50_000)
        jobs, work = 1 / root**p, 1 / root ** (p - q)
        knots.append(lowest * root**q)
        shares.append((jobs, work))
        before = root
    return ParetoBins(knots, shares)
