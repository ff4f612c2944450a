"""Kind `fluid-value`: the least cost of emptying two fluid queues when sizes have a finite law.

Proved: in every sector of the relative imbalance the claimed quadratic form is the least cost over
all admissible controls, and some control attains it; the listed values and the saving follow.
Without sectors: the listed values and the saving only.
Not checked: how the sectors were found, or that they are as few as possible.
"""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from fractions import Fraction

from proofs_checks.checker.kinds.fluid_law import Law, cost, read_law
from proofs_checks.checker.kinds.fluid_points import check_points
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Summary, Trial, brief

THEOREM = "fluid-value"
PROBLEM = ("law", "load")
VERIFIED = {  # what `verify` tests
    "hypothesis": "0 < load < 1; sizes >= 0 rising, masses > 0, sum and mean one (Hypotheses)",
    "tiling": "from < to in every sector, and the sectors tile [0, 1] (condition 1)",
    "slope": "g = -V_delta >= 0 on every edge ray (condition 2)",
    "gradient": "two neighbours have the same gradient on their common ray (condition 3)",
    "split": "no size changes the queue it prefers inside a sector (condition 4)",
    "rise": "the imbalance does not fall inside a sector (condition 5)",
    "hamilton-jacobi": "the Hamilton-Jacobi equation holds on every edge ray (condition 6)",
    "exit": "an empty queue can be kept exactly busy, or idles at no cost (condition 7)",
}
CONDITIONS = {
    **VERIFIED,
    "sector": "without sectors: the sizes between which the cutoff lies (Proposition 3)",
    "value": "the value at total work 1 and the given imbalance (Corollary 1)",
    "saving": "one minus the value at a tie over the cost of balanced routing (Corollary 1)",
}


@dataclass(frozen=True)
class Sector:
    """V = A x^2 + B x delta + C delta^2 for lower <= delta/x <= upper, `form` = (A, B, C)."""

    lower: Fraction
    upper: Fraction
    form: tuple[Fraction, Fraction, Fraction]


@dataclass(frozen=True)
class Edge:
    """The ray delta = z x at x = 1: V_x, g = -V_delta, and the sizes each queue prefers.

    The first `below` sizes have g s < z, the first `most` sizes have g s <= z.
    """

    z: Fraction
    by_work: Fraction
    g: Fraction
    below: int
    most: int


def check(claim: Node, witness: Node, trial: Trial) -> Summary:
    """Prove the claim or raise a Refusal."""
    fields = claim.record("law load values saving", "sectors")
    law = read_law(fields["law"], fields["load"], trial)
    if "sectors" not in fields:
        return check_points(fields, witness, law, trial)
    witness.record("")
    sectors = verify(law, fields["sectors"], trial)
    for node in fields["values"].items():
        row = node.record("imbalance value")
        z, value = row["imbalance"].exact(), row["value"].exact()
        trial.require("value", 0 <= z <= 1, row["imbalance"].path, "between 0 and 1", z)
        trial.equal("value", node.path, evaluate(sectors, Fraction(1), z, trial), value)
    tie = evaluate(sectors, Fraction(1), Fraction(0), trial)
    saving = 1 - tie * 2 * (1 - law.load) / law.load
    trial.equal("saving", "claim.saving", saving, fields["saving"].exact())
    counts = f"sizes {len(law.sizes)}, sectors {len(sectors)}"
    return Summary(
        f"exact least cost at total work 1: {brief(tie)} at a tie, saving {brief(saving)}, {counts}"
    )


def verify(law: Law, node: Node, trial: Trial) -> list[Sector]:
    """The sectors, after conditions 1 to 7: their forms are the least cost (Theorem)."""
    sectors: list[Sector] = []
    edges: list[Edge] = []
    for item in node.items():
        sector = read_sector(item)
        start = edges[-1].z if edges else Fraction(0)
        trial.equal("tiling", f"{item.path}.from", start, sector.lower)
        rising = sector.lower < sector.upper <= 1
        trial.require("tiling", rising, f"{item.path}.to", "above from, up to 1", sector.upper)
        lower, upper = (_edge(law, sector, z, item.path, trial) for z in (start, sector.upper))
        if edges:
            trial.equal("gradient", f"{item.path}, V_x", edges[-1].by_work, lower.by_work)
            trial.equal("gradient", f"{item.path}, V_delta", -edges[-1].g, -lower.g)
        else:
            edges.append(lower)
        split, most = max(lower.below, upper.below), min(lower.most, upper.most)
        trial.require("split", split <= most, item.path, f"at most {most} sizes", split)
        trial.spend(cost(law.load, law.work[split], sector.lower))
        rise = law.load * (1 - 2 * law.work[split]) + (1 - law.load) * sector.lower
        trial.require("rise", rise >= 0, item.path, "a rate of at least 0", rise)
        sectors.append(sector)
        edges.append(upper)
    trial.equal("tiling", f"the last {node.path}.to", Fraction(1), edges[-1].z)
    for index, edge in enumerate(edges):
        _hamilton_jacobi(law, edge, f"{node.path}, edge {index}", trial)
    _exit(law, edges[-1], trial)
    return sectors


def evaluate(sectors: list[Sector], x: Fraction, delta: Fraction, trial: Trial) -> Fraction:
    """The verified value at total work x > 0 and difference 0 <= delta <= x."""
    trial.spend(cost(x, delta))
    index = bisect_right(sectors, delta / x, key=lambda sector: sector.lower) - 1
    a, b, c = sectors[index].form
    trial.spend(cost(x, delta, a, b, c))
    return a * x * x + b * x * delta + c * delta * delta


def read_sector(node: Node) -> Sector:
    """One sector of a list: its edges and the three coefficients of its form."""
    fields = node.record("from to value")
    form = fields["value"].items()
    if len(form) != 3:
        raise fields["value"].bad("the coefficients of x^2, x delta and delta^2")
    a, b, c = (coefficient.exact() for coefficient in form)
    return Sector(fields["from"].exact(), fields["to"].exact(), (a, b, c))


def _edge(law: Law, sector: Sector, z: Fraction, where: str, trial: Trial) -> Edge:
    """The gradient of a sector's form on the ray z and the split it asks for."""
    trial.spend(cost(z, *sector.form))
    a, b, c = sector.form
    by_work, g = 2 * a + b * z, -b - 2 * c * z
    trial.require("slope", g >= 0, f"{where}, an edge", "V_delta at most 0", -g)
    if g == 0:  # then g s - z is -z for every size
        return Edge(z, by_work, g, len(law.sizes) if z > 0 else 0, len(law.sizes))
    cutoff = z / g
    below, most = bisect_left(law.sizes, cutoff), bisect_right(law.sizes, cutoff)
    return Edge(z, by_work, g, below, most)


def _hamilton_jacobi(law: Law, edge: Edge, where: str, trial: Trial) -> None:
    """(1 - load) V_x + load E|g S - delta| = load x; the first `below` sizes have g s < delta."""
    jobs, work = law.jobs[edge.below], law.work[edge.below]
    trial.spend(cost(edge.z, edge.by_work, edge.g, jobs, work))
    deviation = edge.z * (2 * jobs - 1) - edge.g * (2 * work - 1)
    found = (1 - law.load) * edge.by_work + law.load * deviation
    trial.equal("hamilton-jacobi", where, law.load, found)


def _exit(law: Law, axis: Edge, trial: Trial) -> None:
    """On the axis some optimal split gives the empty queue just the work 1/2, or idling is free."""
    half = 1 / (2 * law.load)
    least, largest = law.work[axis.below], law.work[axis.most]
    holds = least <= half <= largest or (axis.g == 0 and half >= 1)
    expected = ("a work share of", half, "or g = 0 and a load of at most 1/2")
    trial.require("exit", holds, "the axis", expected, [least, largest])
