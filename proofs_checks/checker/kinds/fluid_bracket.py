"""Kind `fluid-bracket`: two-sided bounds of the least cost, and the regret of routing by bins.

Proved: from the asked imbalance at total work 1 the least cost over all controls is at least
`lower`; the best control that sees only the bin of a size costs exactly `upper`; so it costs at
most `regret` more than the least. Not checked: that `lower` or the bins are the best possible.
"""

from fractions import Fraction
from itertools import chain

from proofs_checks.checker.kinds.fluid_bins import Bins, read_bins
from proofs_checks.checker.kinds.fluid_law import Law, cost
from proofs_checks.checker.kinds.fluid_value import VERIFIED, Sector, evaluate, read_sector, verify
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Summary, Trial, brief

THEOREM = "fluid-bracket"
PROBLEM = ("law", "load", "imbalance", "bins")
CONDITIONS = {
    **VERIFIED,
    "knots": "every root of a Pareto law is above 1, they rise, bins end at knots (Lemma 1)",
    "bins": "the bins rise, and each of them holds jobs (Hypotheses)",
    "imbalance": "the asked relative imbalance lies in [0, 1] (Hypotheses)",
    "below-tiling": "the sectors of the lower bound tile [0, 1] (condition L1)",
    "below-slope": "g >= 0 on every edge of theirs (condition L2)",
    "below-gradient": "equal gradients on their common edges (condition L3)",
    "below-inequality": "the Hamilton-Jacobi inequality on every edge of theirs (condition L4)",
    "below-axis": "V_x + g >= 0 on the axis (condition L5)",
    "lower": "at most the value of these sectors (part a)",
    "upper": "the cost of routing by bins (part b)",
    "regret": "upper - lower (part c)",
}

Edge = tuple[Fraction, Fraction, Fraction]  # (z, V_x, g) at total work 1


def check(claim: Node, witness: Node, trial: Trial) -> Summary:
    """Prove the claim or raise a Refusal."""
    fields = claim.record("law load imbalance bins lower upper regret")
    hints = witness.record("roots below above")
    bins = read_bins(fields["law"], fields["load"], hints["roots"], trial)
    load, z = fields["load"].exact(), fields["imbalance"].exact()
    trial.require("imbalance", 0 <= z <= 1, "claim.imbalance", "between 0 and 1", z)
    low, high, regret = (fields[name].exact() for name in ("lower", "upper", "regret"))

    below = _below(bins, load, hints["below"], trial)
    least = evaluate(below, Fraction(1), z, trial)
    trial.require("lower", low <= least, "claim.lower", ("at most", least), low)

    law = conditional_means(bins, load, fields["bins"], trial)
    sectors = verify(law, hints["above"], trial)
    trial.equal("upper", "claim.upper", evaluate(sectors, Fraction(1), z, trial), high)
    trial.equal("regret", "claim.regret", high - low, regret)
    count = f"{len(law.sizes)} bin{'s' * (len(law.sizes) > 1)}"
    ends = f"from {brief(low, False)} to {brief(high, True)} at imbalance {brief(z)}"
    text = f"least cost at total work 1 {ends}"
    return Summary(f"{text}, regret of {count} at most {brief(regret, True)}")


def conditional_means(bins: Bins, load: Fraction, node: Node, trial: Trial) -> Law:
    """The law of the conditional mean of the size, given its bin."""
    law = Law([], [Fraction(0)], [Fraction(0)], load)
    jobs, work = Fraction(1), Fraction(1)
    for item in chain(node.items(empty=True), [None]):
        where, rest = "claim.bins, the last bin", (Fraction(0), Fraction(0))
        if item is not None:
            where, rest = item.path, bins.above(item.exact(), item.path, trial)
        mass, share = jobs - rest[0], work - rest[1]
        trial.require("bins", mass > 0, where, "above the bin before, with jobs between", mass)
        trial.spend(1_000 + cost(mass, share, *rest))
        law.sizes.append(share / mass)
        law.jobs.append(1 - rest[0])
        law.work.append(1 - rest[1])
        jobs, work = rest
    return law


def _below(bins: Bins, load: Fraction, node: Node, trial: Trial) -> list[Sector]:
    """Sectors whose forms are at most the least cost (conditions L1 to L5)."""
    sectors: list[Sector] = []
    edges: list[Edge] = []
    for item in node.items():
        sector = read_sector(item)
        begin = edges[-1][0] if edges else Fraction(0)
        trial.equal("below-tiling", f"{item.path}.from", begin, sector.lower)
        rising = sector.lower < sector.upper <= 1
        trial.require("below-tiling", rising, f"{item.path}.to", "above from, to 1", sector.upper)
        first, last = (_edge(sector, z, trial) for z in (sector.lower, sector.upper))
        if edges:
            trial.equal("below-gradient", f"{item.path}, V_x", edges[-1][1], first[1])
            trial.equal("below-gradient", f"{item.path}, V_delta", -edges[-1][2], -first[2])
        else:
            _inequality(bins, load, first, f"{item.path}, from", trial)
        _inequality(bins, load, last, f"{item.path}, to", trial)
        sectors.append(sector)
        edges.append(last)
    z, by_work, g = edges[-1]
    trial.equal("below-tiling", f"the last {node.path}.to", Fraction(1), z)
    trial.require("below-axis", by_work + g >= 0, "the axis", "V_x + g at least 0", by_work + g)
    return sectors


def _edge(sector: Sector, z: Fraction, trial: Trial) -> Edge:
    a, b, c = sector.form
    trial.spend(cost(a, b, c, z))
    return z, 2 * a + b * z, -b - 2 * c * z


def _inequality(bins: Bins, load: Fraction, edge: Edge, where: str, trial: Trial) -> None:
    """(1 - load) V_x + load E|g S - z| <= load, by an upper bound of E|g S - z|."""
    z, by_work, g = edge
    trial.require("below-slope", g >= 0, where, "V_delta at most 0", -g)
    trial.spend(cost(z, by_work, g))
    spread = g * bins.deviation(z / g, trial) if g > 0 else z
    trial.spend(cost(by_work, spread, load))
    excess = (1 - load) * by_work + load * spread - load
    trial.require("below-inequality", excess <= 0, where, "at most 0", excess)
