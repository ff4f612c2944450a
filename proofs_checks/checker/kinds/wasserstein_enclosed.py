"""Kind `fluid-wasserstein` for a first law with a density and a finite second one: enclosures."""

from fractions import Fraction
from itertools import pairwise

from proofs_checks.checker.kernel.real import Real
from proofs_checks.checker.kinds.exact_lists import every
from proofs_checks.checker.kinds.fluid_integral import Deviation
from proofs_checks.checker.kinds.fluid_law import Law, cost, read_law
from proofs_checks.checker.kinds.fluid_value import evaluate, verify
from proofs_checks.checker.kinds.noise_costs import Ends, contained, enclosed_costs
from proofs_checks.checker.kinds.size_laws import read_size_law
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Summary, Trial, between, decimal, fewest_digits


def check_enclosed(fields: dict[str, Node], witness: Node, trial: Trial) -> Summary:
    """Prove the claim or raise a Refusal (fluid-wasserstein.md, part b)."""
    hints = witness.record("precision turning first second")
    bits = trial.precision(hints["precision"].count())
    second, rho = read_law(fields["second"], fields["load"], trial), fields["load"].exact()
    law = read_size_law(fields["first"], bits, trial)
    gaps, lowest = _gaps(Deviation(law, [], [], bits, trial), second, hints["turning"], trial)
    distance = trial.real(0, bits)
    for gap in [*gaps, *(-least for least in lowest)]:
        distance = distance + gap
    bound = distance * (rho * rho / (1 - rho))
    shown = [
        contained(distance.ends(), fields["distance"], "distance", trial),
        contained(bound.ends(), fields["bound"], "bound", trial),
        _farthest([*gaps, *(-least for least in lowest)], fields["deviation_distance"], trial),
    ]
    rows = [row.record("imbalance first second difference") for row in fields["rows"].items()]
    asked = [row["imbalance"].exact() for row in rows]
    law_value = fields["first"].value
    costs = enclosed_costs(law_value, fields["load"], asked, hints["first"], trial)[1]
    sectors = verify(second, hints["second"], trial)
    for row, z, enclosure in zip(rows, asked, costs, strict=True):
        exact = evaluate(sectors, Fraction(1), z, trial)
        trial.equal("second", row["second"].path, exact, row["second"].exact())
        low, high = contained(enclosure, row["first"], "first", trial)
        trial.spend(cost(low, high, exact))
        ends = low - exact, high - exact
        shown += [(low, high), contained(ends, row["difference"], "difference", trial)]
    apart, most = between(*shown[0]), decimal(shown[1][1], 12, True)
    text = f"laws {apart} apart, least costs at total work 1 at most {most} apart"
    text += f", imbalances {len(rows)}"
    return Summary(text, fewest_digits(shown))


def _gaps(
    deviation: Deviation, law: Law, node: Node, trial: Trial
) -> tuple[list[Real], list[Real]]:
    """E|S - h| - E|T - h| at the sizes of T, and its least value between neighbouring ones.

    Between two sizes it is convex, so a tangent bounds it from below.
    """
    points = every(node, trial, empty=True)
    fits = len(points) == len(law.sizes) - 1
    trial.require("turning", fits, node.path, f"{len(law.sizes) - 1} points", len(points))
    gaps, lowest = [], []
    for index, size in enumerate(law.sizes):
        gaps.append(_gap(deviation, law, index, size, trial))
    for index, (low, high) in enumerate(pairwise(law.sizes), 1):
        point = points[index - 1]
        trial.spend(cost(point, low, high))
        inside = low <= point <= high and point > 0
        trial.require("turning", inside, node.path, "between two sizes, above 0", point)
        excess = (deviation.at(point) - (point - 1)) / 2
        above = (deviation.work_above(point) - excess) / point  # the share of larger jobs
        slope = (1 - law.jobs[index] - above) * 2
        fall = trial.real(0, deviation.bits)
        for change in (slope * (low - point), slope * (high - point)):
            fall = fall.hull(change.least(0))  # along the tangent, to either end
        lowest.append(_gap(deviation, law, index, point, trial) + fall)
    return gaps, lowest


def _gap(deviation: Deviation, law: Law, count: int, h: Fraction, trial: Trial) -> Real:
    """E|S - h| - E|T - h| where `count` sizes of T are at most h (or below it)."""
    trial.spend(2 * cost(h, law.jobs[count], law.work[count]))
    return deviation.at(h) - ((2 * law.jobs[count] - 1) * h - (2 * law.work[count] - 1))


def _farthest(gaps: list[Real], node: Node, trial: Trial) -> Ends:
    """The claimed interval, if the largest number in absolute value certainly lies in it."""
    low, high = node.interval()
    trial.spend(len(gaps) * cost(low, high))
    sizes = [gap for each in gaps for gap in (each, -each)]
    holds = all(gap.at_most(high) for gap in sizes) and any(gap.at_least(low) for gap in sizes)
    expected = ("the largest of", gaps[:4], "in absolute value")
    trial.require("deviation-distance", holds, node.path, expected, (low, high))
    return low, high
