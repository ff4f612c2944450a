"""What dispatching policies with fixed shares cost in the fluid model, exactly or enclosed.

Proofs: proofs_checks/theorems/fluid-comparison.md, parts (b) to (d).
"""

from dataclasses import dataclass
from fractions import Fraction

from proofs_checks.checker.kernel.real import Real
from proofs_checks.checker.kinds.fluid_law import cost
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Trial

Number = Fraction | Real


@dataclass(frozen=True)
class Start:
    """The load, and workloads short <= long."""

    load: Fraction
    short: Fraction
    long: Fraction

    @property
    def total(self) -> Fraction:
        """x, the total work."""
        return self.short + self.long

    @property
    def difference(self) -> Fraction:
        """delta, the difference of the workloads."""
        return self.long - self.short

    @property
    def kappa(self) -> Fraction:
        """load/(1 - load)."""
        return self.load / (1 - self.load)

    @property
    def heavy(self) -> bool:
        """Whether all the work is more than one server can do."""
        return 2 * self.load > 1


@dataclass(frozen=True)
class Facts:
    """What the costs need to know of the law.

    `on_axis` is the least cost at total work 1 if one queue is empty (0 at a load up to 1/2),
    `half_work_share` the share of the jobs, largest first, with half of the work.
    """

    optimal: Number
    on_axis: Number
    half_work_share: Number
    bin_policy: Number


def read_start(node: Node, load: Node, trial: Trial) -> Start:
    """The start of a claim; from no queue at all nothing can be compared."""
    rho, fields = load.exact(), node.record("short long")
    trial.require("hypothesis", 0 < rho < 1, load.path, "between 0 and 1", rho)
    start = Start(rho, fields["short"].exact(), fields["long"].exact())
    trial.spend(4 * cost(rho, start.short, start.long))
    ordered = 0 <= start.short <= start.long and start.long > 0
    trial.require("start", ordered, node.path, "0 <= short <= long, 0 < long", start.short)
    costly = start.short > 0 or start.heavy
    trial.require("start", costly, f"{node.path}.short", "positive at a load up to 1/2", 0)
    return start


def balanced(start: Start) -> Fraction:
    """All work to the shorter queue, then half to each (part b)."""
    x, delta, kappa = start.total, start.difference, start.kappa
    if delta <= kappa * x:
        return (kappa * x * x - delta * delta) / 2
    return start.load * (2 * start.short) ** 2 / (2 * (1 - 2 * start.load))


def most_work_left(start: Start, facts: Facts) -> Number:
    """All work to the longer queue, then just enough small jobs to the empty one (part c)."""
    if start.short == 0:
        return facts.optimal  # the second phase costs the least already
    rest = start.long + (2 * start.load - 1) * start.short  # left when the shorter queue is empty
    first = 2 * start.load * start.short * (start.long + rest)
    return first + rest * rest * facts.on_axis


def size_interval(start: Start, axis_rule: str, facts: Facts) -> Number:
    """Small jobs with half of the work to the shorter queue, then by the axis rule (part d)."""
    x, delta, kappa = start.total, start.difference, start.kappa
    first = kappa * (x * x - delta * delta) / 2
    if delta == 0:
        return first
    if start.short == 0 and axis_rule == "exactly-busy":
        return facts.optimal
    both = first - kappa * delta * (x - delta) * (1 - 2 * facts.half_work_share)
    if axis_rule == "same-split":
        return both + 2 * kappa * delta * delta * facts.half_work_share
    return both + delta * delta * facts.on_axis
