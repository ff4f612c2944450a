"""What a comparison of policies needs to know of a law with a density, enclosed.

Proofs: proofs_checks/theorems/fluid-comparison.md, part "Laws with a density".
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import chain

from proofs_checks.checker.kernel.real import Real
from proofs_checks.checker.kinds.fluid_enclosure import CONDITIONS as ENCLOSURE_CONDITIONS
from proofs_checks.checker.kinds.fluid_enclosure import claimed_ends, least_cost, read_partition
from proofs_checks.checker.kinds.fluid_integral import Deviation
from proofs_checks.checker.kinds.fluid_law import cost
from proofs_checks.checker.kinds.fluid_path import HALF, Ends, follow
from proofs_checks.checker.kinds.fluid_policies import Facts, Number, Start, balanced
from proofs_checks.checker.kinds.size_mixture import read_law_of_sizes
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Trial

NAMES = ("partition", "exit-below", "exit-above", "cutoff-below", "cutoff-above")
ENCLOSED = {name: ENCLOSURE_CONDITIONS[name] for name in NAMES}


@dataclass(frozen=True)
class Knot:
    """A mean size t of a bin with D(t), and the shares of jobs and work in the bins up to it."""

    size: Real
    deviation: Real
    jobs: Real
    work: Real


def enclosed(
    fields: dict[str, Node], witness: Node, start: Start, trial: Trial
) -> tuple[Facts, list[Ends]]:
    """The facts, and the claimed intervals of what they rest on."""
    hints = witness.record("precision knots terms")
    deviation, smooth = read_deviation(fields["law"], hints, trial)
    trial.require("partition", smooth, "witness.knots", "between the extreme sizes", "others")
    exit, cutoff = (claimed_ends(fields[name], trial) for name in ("exit_cutoff", "cutoff"))
    z = start.difference / start.total
    path = follow(deviation, start.load, exit, [Fraction(0), *(cutoff or ())], trial)
    value = least_cost(path, z, cutoff, "claim.cutoff", trial)[0]
    on_axis: Number = Fraction(0)
    if start.heavy:
        on_axis = least_cost(path, Fraction(1), exit, "claim.exit_cutoff", trial)[0]
    median = fields["work_median"].interval()
    share = half_work_share(deviation, median, trial)
    policy = _bin_policy(deviation, start, fields["bins"], trial)
    shown = [ends for ends in (exit, cutoff, median) if ends]
    return Facts(value * start.total**2, on_axis, share, policy), shown


def read_deviation(law: Node, hints: dict[str, Node], trial: Trial) -> tuple[Deviation, bool]:
    """E|S - h| of a claimed law with the partition of a witness, and whether the two match."""
    bits = trial.precision(hints["precision"].count())
    sizes = read_law_of_sizes(law, bits, trial)
    deviation = Deviation(sizes, *read_partition(hints, trial), bits, trial)
    return deviation, deviation.smooth()


def half_work_share(deviation: Deviation, median: Ends, trial: Trial) -> Real:
    """The share of the jobs, largest first, with half of the work; a median within its ends."""
    (low, high), where = median, "claim.work_median"
    trial.spend(4 * cost(low, high))
    trial.require("work-median", low > 0, f"{where}.lo", "positive", low)
    (more, _, first), (less, _, last) = (deviation.shares(end) for end in median)
    trial.require("work-median", first.at_least(HALF), f"{where}.lo", "half above", first)
    trial.require("work-median", last.at_most(HALF), f"{where}.hi", "half up to it", last)
    sizes = trial.real(low, deviation.bits).hull(trial.real(high, deviation.bits))
    return (1 - more.hull(less) * 2) / (sizes * 2)  # E(S - h)+ falls


def _bin_policy(deviation: Deviation, start: Start, node: Node, trial: Trial) -> Number:
    """The least cost of the controls that see only the bins (Lemmas 2 and 3)."""
    knots = _knots(deviation, node, trial)
    if len(knots) == 2:
        return balanced(start)  # one bin: nothing is seen of a job
    rho, kappa, z = start.load, start.kappa, start.difference / start.total
    if z == 1:  # then the load is above 1/2
        return _axis(knots, kappa, trial) * start.total**2
    last = knots[-1]
    reach = last.size / last.deviation if start.heavy else 1 / ((last.size - 1) * kappa) + 1
    values: list[Real] = []
    top = last.size / (last.deviation * reach)
    if top.at_most(z):
        return balanced(start)  # all jobs join the shorter queue; the load is below 1/2
    if rho < HALF and not top.above(z):
        values.append(trial.real(rho * (1 - z) ** 2 / (2 * (1 - 2 * rho)), deviation.bits))
    for below, above in zip(knots[-2::-1], knots[:0:-1], strict=True):
        trial.spend(20 * (20 + deviation.bits // 4))
        speed = 1 / (above.deviation * kappa)
        first = above.size * speed - (2 * below.work - 1) * reach
        second = (2 * below.jobs - 1) * reach - speed
        late = (above.size / (above.deviation * reach)).below(z)
        reach = reach + (above.size - below.size) * speed / below.deviation
        if start.heavy:
            reach = _larger(reach, below.size / below.deviation, trial)
        early = (below.size / (below.deviation * reach)).above(z)
        if not (late or early or below.work.at_least(1 / (2 * rho))):
            form = (2 * below.work - 1) * kappa - 2 * z + second * (z * z)
            values.append((form / first + kappa) / 2)
    total = values[0]
    for value in values[1:]:
        total = total.hull(value)
    return total * start.total**2


def _knots(deviation: Deviation, node: Node, trial: Trial) -> list[Knot]:
    """0 and the conditional means of the bins, rising."""
    one, zero = trial.real(1, deviation.bits), trial.real(0, deviation.bits)
    knots = [Knot(zero, one, zero, zero)]
    jobs, work = one, one  # in the bins above
    for item in chain(node.items(empty=True), [None]):
        where = "claim.bins, the last bin" if item is None else item.path
        rest = zero, zero
        if item is not None:
            end = item.exact()
            trial.spend(cost(end))
            trial.require("bins", end > 0, where, "above 0", end)
            rest = deviation.shares(end)[1:]
        trial.keep(8, deviation.bits)
        mass = jobs - rest[0]
        # then it ends above the bin before
        trial.require("bins", mass.above(0), where, "a bin with jobs", mass)
        size = (work - rest[1]) / mass
        jobs, work = rest
        spread = size * (1 - 2 * jobs) - (1 - 2 * work)
        knots.append(Knot(size, spread, 1 - jobs, 1 - work))
    return knots


def _axis(knots: list[Knot], kappa: Fraction, trial: Trial) -> Real:
    """The least cost at total work 1 with one queue empty, load above 1/2 (Lemma 3)."""
    found = [((1 - t.deviation / t.size) * kappa - 1 / t.size) / 2 for t in knots[1:]]
    most = found[0]
    for each in found[1:]:
        most = _larger(most, each, trial)
    return most


def _larger(one: Real, other: Real, trial: Trial) -> Real:
    """The larger of two numbers."""
    low, high = (max(ends) for ends in zip(one.ends(), other.ends(), strict=True))
    return trial.real(low, one.bits).hull(trial.real(high, one.bits))
