"""The least cost as the load tends to one: its limit and explicit two-sided bounds, exactly.

Source: proofs_checks/theorems/fluid-heavy-traffic.md; the limit is announced in doi
10.5281/zenodo.23586955 (key result 5).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from flint import fmpq

from certify.balls import fraction, rational
from certify.certificate import Certificate, exact
from certify.errors import InputError
from certify.fluid.laws import FiniteLaw, read_law
from certify.fluid.value import Dispatch, note, shown, solve
from certify.problem import Table


@dataclass(frozen=True)
class HeavyTraffic:
    """What (1 - load) V/x^2 tends to, and how far from it it can be at a load above 1/2.

    `work_median` is the largest work median (units of the mean size), `half_work_share` the share
    of the jobs, largest first, that carries half of the work, `integral` that of 1/E|S - u|^2 over
    all sizes u >= 0.
    """

    law: FiniteLaw
    work_median: Fraction
    half_work_share: Fraction
    integral: Fraction

    def bound(self, load: Fraction) -> tuple[Fraction, Fraction]:
        """The two ends between which (1 - load) V/x^2 lies at every imbalance, load above 1/2."""
        centre, slack = load * self.half_work_share, (1 - load) / 2
        ratio = 1 - 2 * self.half_work_share
        return centre - slack / self.work_median, centre + slack * ratio**2 * self.integral

    def certificate(self, loads: Iterable[Any]) -> Certificate:
        """The table of the loads; InputError unless each is above 1/2 and below 1."""
        dispatches = [self._dispatch(load, f"loads[{i}]") for i, load in enumerate(loads)]
        if not dispatches:
            raise InputError("loads", "be a non-empty list of numbers", [])
        rows = [
            {
                "load": exact(each.load),
                "scaled_value": exact((1 - each.load) * each.at(Fraction(0))),
                "bound": [exact(end) for end in self.bound(each.load)],
            }
            for each in dispatches
        ]
        claim = {
            "law": self.law.to_claim(),
            "half_work_share": exact(self.half_work_share),
            "rows": rows,
        }
        sectors = [[sector.to_claim() for sector in each.sectors] for each in dispatches]
        return Certificate("fluid-heavy-traffic", claim, {"sectors": sectors})

    def _dispatch(self, load: Any, name: str) -> Dispatch:
        dispatch = solve(self.law, load)
        if 2 * dispatch.load <= 1:
            raise InputError(name, "be greater than 1/2", exact(dispatch.load))
        return dispatch


def in_heavy_traffic(law: FiniteLaw) -> HeavyTraffic:
    """The heavy-traffic limit of a law; InputError if all jobs have one size."""
    if len(law.atoms) == 1:
        requirement = "have at least two sizes (with one the bounds are infinitely far apart)"
        raise InputError("law.atoms", requirement, 1)
    jobs, work = fmpq(0), fmpq(0)
    knots = [(fmpq(0), fmpq(1))]  # sizes u with E|S - u|
    medians = []  # sizes whose jobs and all smaller ones have more than half of the work
    for size, mass in ((rational(size), rational(mass)) for size, mass in law.atoms):
        knots.append((size, (2 * jobs - 1) * size - (2 * work - 1)))
        if 2 * (work + mass * size) > 1:
            medians.append((size, 1 - jobs - (fmpq(1, 2) - work) / size))
        jobs, work = jobs + mass, work + mass * size
    median, share = medians[0]
    pieces = ((end - start) / (first * last) for (start, first), (end, last) in pairwise(knots))
    integral = sum(pieces, 1 / knots[-1][1])
    return HeavyTraffic(law, fraction(median), fraction(share), fraction(integral))


def make(table: Table) -> Certificate:
    """The certificate of a problem of kind `fluid-heavy-traffic`."""
    law, loads = read_law(table), table.rationals("loads")
    table.done()
    note(law)
    return in_heavy_traffic(law).certificate(loads)


def words(claim: dict[str, Any]) -> str:
    """What a claim of this kind states, in one sentence."""
    rows = claim["rows"]
    last = max(rows, key=lambda row: Fraction(row["load"]))
    ends = " and ".join(shown(end) for end in last["bound"])
    return (
        f"As the load tends to 1, (1 - load) times the least cost at total work 1 tends to "
        f"{shown(claim['half_work_share'])} at every imbalance; at load {shown(last['load'])} it "
        f"lies between {ends} and is {shown(last['scaled_value'])} at a tie ({len(rows)} "
        f"load{'s' * (len(rows) > 1)})."
    )
