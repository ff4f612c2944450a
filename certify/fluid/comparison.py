"""Exact costs of the optimal, the balanced and the most-work-left dispatcher from one start.

Source: proofs_checks/theorems/fluid-comparison.md; the running example of doi
10.5281/zenodo.23586955 compares the same three.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from certify.certificate import Certificate, exact
from certify.errors import InputError
from certify.fluid.laws import FiniteLaw, read_law
from certify.fluid.policies import balanced, most_work_left
from certify.fluid.value import Dispatch, note, shown, solve
from certify.problem import Table, to_rational


@dataclass(frozen=True)
class Comparison:
    """Costs of three policies from workloads short <= long (units of the mean size)."""

    dispatch: Dispatch
    short: Fraction
    long: Fraction
    optimal: Fraction
    balanced: Fraction
    most_work_left: Fraction

    @property
    def saving_balanced(self) -> Fraction:
        """The share of the balanced policy's cost that the optimum saves."""
        return 1 - self.optimal / self.balanced

    @property
    def saving_most_work_left(self) -> Fraction:
        """The share of the most-work-left policy's cost that the optimum saves."""
        return 1 - self.optimal / self.most_work_left

    def certificate(self) -> Certificate:
        """The certificate; its witness is the list of sectors that prove the optimum."""
        claim = {
            "law": self.dispatch.law.to_claim(),
            "load": exact(self.dispatch.load),
            "start": {"short": exact(self.short), "long": exact(self.long)},
        }
        names = "optimal balanced most_work_left saving_balanced saving_most_work_left"
        claim |= {name: exact(getattr(self, name)) for name in names.split()}
        sectors = [sector.to_claim() for sector in self.dispatch.sectors]
        return Certificate("fluid-comparison", claim, {"sectors": sectors})


def compare(law: FiniteLaw, load: Any, u1: Any, u2: Any) -> Comparison:
    """The costs from workloads u1 and u2.

    Raises InputError for a negative or empty start, and for an empty queue at a load up to 1/2,
    from where every one of the three policies costs nothing.
    """
    short, long = sorted((to_rational(u1, "start.short"), to_rational(u2, "start.long")))
    dispatch = solve(law, load)
    if short < 0:
        raise InputError("start", "have workloads of at least 0", exact(short))
    if long == 0:
        raise InputError("start", "have a positive total workload", "empty")
    if short == 0 and dispatch.load <= Fraction(1, 2):
        requirement = "be positive at a load up to 1/2 (otherwise every policy costs nothing)"
        raise InputError("start.short", requirement, exact(short))
    return Comparison(
        dispatch,
        short,
        long,
        dispatch.value(short, long),
        balanced(dispatch.load, short, long),
        most_work_left(law, dispatch.load, short, long),
    )


def make(table: Table) -> Certificate:
    """The certificate of a problem of kind `fluid-comparison`."""
    law, load, start = read_law(table), table.rational("load"), table.table("start")
    short, long = start.rational("short"), start.rational("long")
    start.done()
    table.done()
    if short > long:
        raise InputError("start.short", f"be at most start.long ({shown(long)})", exact(short))
    note(law)
    return compare(law, load, short, long).certificate()


def words(claim: dict[str, Any]) -> str:
    """What a claim of this kind states, in one sentence."""
    start = ", ".join(shown(claim["start"][name]) for name in ("short", "long"))
    names = ("optimal", "balanced", "most_work_left")
    optimal, balanced, most = (shown(claim[name]) for name in names)
    return (
        f"From workloads ({start}) at load {shown(claim['load'])} the least cost is {optimal}, "
        f"against {balanced} for balanced routing and {most} for most work left."
    )
