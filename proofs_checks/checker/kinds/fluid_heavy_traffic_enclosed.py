"""The least cost as the load tends to one, enclosed, for a size law with a density.

Proofs: proofs_checks/theorems/fluid-heavy-traffic.md, part "Laws with a density".
"""

from dataclasses import dataclass
from fractions import Fraction

from proofs_checks.checker.kernel.real import Real
from proofs_checks.checker.kinds.exact_lists import spelled
from proofs_checks.checker.kinds.fluid_comparison_enclosed import half_work_share, read_deviation
from proofs_checks.checker.kinds.fluid_enclosure import CONDITIONS as ENCLOSURE_CONDITIONS
from proofs_checks.checker.kinds.fluid_enclosure import claimed_ends, inside
from proofs_checks.checker.kinds.fluid_integral import Deviation
from proofs_checks.checker.kinds.fluid_law import cost
from proofs_checks.checker.kinds.fluid_path import Path, follow
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Summary, Trial, between, fewest_digits

NAMES = ("partition", "exit", "exit-below", "exit-above")
ENCLOSED = {name: ENCLOSURE_CONDITIONS[name] for name in NAMES}
FIELDS = "law work_median half_work_share rows"


@dataclass(frozen=True)
class Limit:
    """A work median, Pbar, and the integral of 1/E|S - u|^2 over all sizes u >= 0."""

    median: Real
    share: Real
    integral: Real

    def bound(self, rho: Fraction) -> tuple[Real, Real]:
        """The two ends at a load above 1/2."""
        centre, slack = self.share * rho, (1 - rho) / 2
        ratio = 1 - self.share * 2
        return centre - slack / self.median, centre + ratio * ratio * self.integral * slack


def check_enclosed(claim: Node, witness: Node, trial: Trial) -> Summary:
    """Prove the claim or raise a Refusal."""
    fields = claim.record(FIELDS)
    deviation, smooth = read_deviation(
        fields["law"], witness.record("precision knots terms"), trial
    )
    trial.require("partition", smooth, "witness.knots", "between the extreme sizes", "others")
    median = fields["work_median"].interval()
    share = half_work_share(deviation, median, trial)
    rows = [item.record("load exit_cutoff scaled_value bound") for item in fields["rows"].items()]
    paths = [_path(row, deviation, trial) for row in rows]
    known, integral = _integrals(deviation, [_low(path) for path in paths], trial)
    shown = [median, fields["half_work_share"].interval()]
    inside("half-work-share", "claim.half_work_share", share, shown[-1], trial)
    sizes = trial.real(median[0], deviation.bits).hull(trial.real(median[1], deviation.bits))
    limit = Limit(sizes, share, integral)
    for row, path in zip(rows, paths, strict=True):
        reach = path.beyond + known[spelled(_low(path))] / path.kappa
        value = (1 - 1 / reach) * (path.load / 2)
        shown += [path.exit or median, row["scaled_value"].interval()]
        inside("scaled-value", row["scaled_value"].path, value, shown[-1], trial)
        ends = row["bound"].items()
        if len(ends) != 2:
            raise row["bound"].bad("two intervals")
        for node, end in zip(ends, limit.bound(path.load), strict=True):
            shown.append(node.interval())
            inside("bound", node.path, end, shown[-1], trial)
    text = f"(1 - load) V/x^2 has the limit {between(*shown[1])} at every imbalance"
    return Summary(f"{text}, with bounds at loads {len(rows)}", fewest_digits(shown))


def _path(row: dict[str, Node], deviation: Deviation, trial: Trial) -> Path:
    """The exit cutoff at the load of a row, tested."""
    rho, where = row["load"].exact(), row["load"].path
    trial.require("hypothesis", 0 < rho < 1, where, "between 0 and 1", rho)
    trial.require("heavy", 2 * rho > 1, where, "above 1/2", rho)
    trial.spend(cost(rho))
    return follow(deviation, rho, claimed_ends(row["exit_cutoff"], trial), [], trial)


def _low(path: Path) -> Fraction:
    """The low end of the exit cutoff, which is finite at a load above 1/2."""
    return path.exit[0] if path.exit else Fraction(0)


def _integrals(
    deviation: Deviation, stops: list[Fraction], trial: Trial
) -> tuple[dict[str, Real], Real]:
    """The integrals of 1/E|S - u|^2 from 0 to each stop, by its spelling, and to infinity."""
    total, before = trial.real(0, deviation.bits), Fraction(0)
    known = {}
    for stop in sorted(stops):
        total = total + deviation.integral(before, stop)
        known[spelled(stop)], before = total, stop
    return known, total + deviation.integral(before, None)
