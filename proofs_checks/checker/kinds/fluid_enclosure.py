"""Kind `fluid-enclosure`: the least cost of emptying two fluid queues, for a continuous size law.

Proved: the exit cutoff, the saving, and at each listed imbalance the least cost at total work 1,
the optimal cutoff and the time until the shorter queue is empty lie in their intervals; so do the
work that is left and the time where the optimal path from the first imbalance passes others.
Not checked: that the intervals are as narrow as they could be.
"""

from fractions import Fraction
from itertools import pairwise

from proofs_checks.checker.kernel.real import Real
from proofs_checks.checker.kinds.exact_lists import every, spelled
from proofs_checks.checker.kinds.fluid_integral import Deviation
from proofs_checks.checker.kinds.fluid_law import cost
from proofs_checks.checker.kinds.fluid_path import HALF, Ends, Path, follow
from proofs_checks.checker.kinds.size_mixture import read_law_of_sizes
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Summary, Trial, between, declined, fewest_digits

THEOREM = "fluid-enclosure"
PROBLEM = ("law", "load")
CONDITIONS = {
    "hypothesis": "0 < load < 1, and parameters within the ranges of the family (Hypotheses)",
    "partition": "knots rise within the range of the sizes, with 1 between them (Lemma 7)",
    "exit": "the exit cutoff is claimed to be finite exactly if it is (Definitions)",
    "exit-below": "the jobs below exit_cutoff.lo carry less work than 1/(2 load) (Lemma 4)",
    "exit-above": "the jobs below exit_cutoff.hi carry at least the work 1/(2 load) (Lemma 4)",
    "saving": "the enclosure of 1/X(0) lies in the claimed interval (Corollary)",
    "imbalance": "every listed imbalance is between 0 and 1 (Definitions)",
    "cutoff-below": "Z(cutoff.lo) <= imbalance, or cutoff.lo is below 0 or the exit (Lemma 5)",
    "cutoff-above": "Z(cutoff.hi) >= imbalance, or cutoff.hi is above 0 or the exit (Lemma 5)",
    "value": "the enclosure of the least cost lies in the claimed interval (Corollary)",
    "time": "the enclosure of the time to an empty queue lies in the claimed interval (Corollary)",
    "path": "the imbalances of the path are listed, and rise from the first one (Corollary 2)",
    "path-total": "the enclosure of the work that is left lies in the claimed one (Corollary 2)",
    "path-time": "the enclosure of the time since the start lies in the claimed one (Corollary 2)",
}
MOST_TERMS = 20_000


def check(claim: Node, witness: Node, trial: Trial) -> Summary:
    """Prove the claim or raise a Refusal."""
    fields = claim.record("law load exit_cutoff saving values", "path")
    hints = witness.record("precision knots terms")
    bits = trial.precision(hints["precision"].count())
    load = fields["load"].exact()
    trial.require("hypothesis", 0 < load < 1, "claim.load", "between 0 and 1", load)
    trial.spend(cost(load))
    law = read_law_of_sizes(fields["law"], bits, trial)
    deviation = Deviation(law, *read_partition(hints, trial), bits, trial)
    smooth = deviation.smooth()
    trial.require("partition", smooth, "witness.knots", "between the extreme sizes", "others")
    rows = [item.record("imbalance value cutoff time") for item in fields["values"].items()]
    cutoffs = [claimed_ends(row["cutoff"], trial) for row in rows]
    points = [Fraction(0), *(end for cutoff in cutoffs if cutoff for end in cutoff)]
    path = follow(deviation, load, claimed_ends(fields["exit_cutoff"], trial), points, trial)
    saving = fields["saving"].interval()
    inside("saving", "claim.saving", 1 / path.reach(Fraction(0)), saving, trial)
    shown = [saving, *([path.exit] if path.exit else [])]
    levels: dict[str, Real] = {}
    for row, cutoff in zip(rows, cutoffs, strict=True):
        z = row["imbalance"].exact()
        trial.spend(cost(z, load))
        trial.require("imbalance", 0 <= z <= 1, row["imbalance"].path, "between 0 and 1", z)
        value, time, level = least_cost(path, z, cutoff, row["cutoff"].path, trial)
        levels[spelled(z)] = level
        for name, found in (("value", value), ("time", time)):
            shown.append(row[name].interval())
            inside(name, row[name].path, found, shown[-1], trial)
        shown += [cutoff] if cutoff else []
    if "path" in fields:
        shown += _passed(fields["path"], rows[0]["imbalance"].exact(), levels, load, trial)
    digits = fewest_digits(shown)
    counts = f"imbalances {len(rows)}, pieces {len(deviation.terms)}"
    return Summary(f"least costs enclosed: saving {between(*saving)}, {counts}", digits)


def read_partition(hints: dict[str, Node], trial: Trial) -> tuple[list[Fraction], list[int]]:
    """The knots and the even numbers of terms between them."""
    knots = every(hints["knots"], trial)
    terms = [item.count() for item in hints["terms"].items()]
    trial.spend(sum(cost(knot) for knot in knots))
    rising = all(a < b for a, b in pairwise(knots)) and 0 <= knots[0] < 1 < knots[-1]
    trial.require("partition", rising, "witness.knots", "rising, 1 between the ends", "others")
    count = len(knots) - 1
    trial.require("partition", len(terms) == count, "witness.terms", str(count), len(terms))
    even = all(each >= 0 and each % 2 == 0 for each in terms)
    trial.require("partition", even, "witness.terms", "even numbers", "others")
    if max(terms) > MOST_TERMS:
        raise declined("witness.terms", f"at most {MOST_TERMS} terms", str(max(terms)))
    return knots, terms


def least_cost(
    path: Path, z: Fraction, cutoff: Ends | None, where: str, trial: Trial
) -> tuple[Real, Real, Real]:
    """Enclosures of the least cost, the time and C, after the conditions on the cutoff."""
    deviation, zero = path.deviation, trial.real(0, path.deviation.bits)
    infinite = z == 1 and path.exit is None
    trial.require("cutoff-above", infinite == (cutoff is None), where, f"infinite: {infinite}", z)
    if cutoff is None:
        return zero, zero, path.at_exit  # C = 1/X = 1
    low, high = cutoff
    end = path.exit if z == 1 else (Fraction(0), Fraction(0)) if z == 0 else None
    if end is not None:
        trial.require("cutoff-below", low <= end[0], f"{where}.lo", ("at most", end[0]), low)
        trial.require("cutoff-above", end[1] <= high, f"{where}.hi", end[1], high)
    else:
        below = spelled(low) in path.known and path.surplus(low, z).at_most(0)
        trial.require("cutoff-below", below, f"{where}.lo", "Z(cutoff.lo) <= imbalance", low)
        above = path.exit is not None and path.exit[1] <= high
        above = above or (spelled(high) in path.known and path.surplus(high, z).at_least(0))
        trial.require("cutoff-above", above, f"{where}.hi", "Z(cutoff.hi) >= imbalance", high)
    if z == 1 and path.load <= HALF:
        return zero, zero, 1 / path.at_exit
    if z == 1:
        low, high = path.exit or cutoff
        h = trial.real(low, deviation.bits).hull(trial.real(high, deviation.bits))
        excess = deviation.excess(low).hull(deviation.excess(high))
        return ((1 - excess * 2) * path.kappa - 1) / (h * 2), zero, 1 / path.at_exit
    if z == 0:
        level = 1 / path.reach(z)
        value = (1 - level) * (path.kappa / 2)
    else:
        h = trial.real(low, deviation.bits).hull(trial.real(high, deviation.bits))
        level = deviation.around(low, high) / h * z
        value = ((1 - level) * path.kappa - z * z / h) / 2
    return value, (1 - level * path.at_exit) / (1 - path.load), level


def _passed(
    node: Node, start: Fraction, levels: dict[str, Real], load: Fraction, trial: Trial
) -> list[Ends]:
    """The claimed enclosures of a path from total work 1 at the first listed imbalance."""
    last, claimed = start, []
    for item in node.items():
        row = item.record("imbalance total time")
        z = row["imbalance"].exact()
        rising = last < z and spelled(z) in levels
        trial.spend(cost(z, load))
        trial.require("path", rising, row["imbalance"].path, "a larger one that is listed", z)
        total, last = levels[spelled(start)] / levels[spelled(z)], z
        for name, found in (("total", total), ("time", (1 - total) / (1 - load))):
            claimed.append(row[name].interval())
            inside(f"path-{name}", row[name].path, found, claimed[-1], trial)
    return claimed


def claimed_ends(node: Node, trial: Trial) -> Ends | None:
    """A claimed cutoff: an interval or infinity."""
    if node.value == "infinity":
        return None
    low, high = node.interval()
    trial.spend(4 * cost(low, high))
    return low, high


def inside(condition: str, where: str, found: Real, claimed: Ends, trial: Trial) -> None:
    """Require that the claimed interval contains the enclosure found."""
    holds, (low, high) = found.inside(*claimed), claimed
    trial.require(condition, holds, where, ("an interval around", found), (low, high))
