"""The least cost as the load tends to one: its limit and explicit two-sided bounds.

Exact for a law with finitely many sizes, enclosed for a law with a density.

Source: proofs_checks/theorems/fluid-heavy-traffic.md; the limit is announced in doi
10.5281/zenodo.23586955 (key result 5).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from flint import arb, fmpq

from certify.balls import ball, fraction, precision, rational
from certify.certificate import Certificate, exact, number
from certify.errors import InputError, OutOfReach
from certify.fluid.continuous import ContinuousLaw, check_density
from certify.fluid.enclosure import Enclosure, enclose
from certify.fluid.laws import FiniteLaw, check_finite, check_load, read_law
from certify.fluid.mixtures import read_sizes
from certify.fluid.numbers import (
    GUARD,
    Ends,
    Number,
    Unresolved,
    about,
    between,
    lower,
    settled,
    spelled,
    upper,
)
from certify.fluid.policies import half_of_the_work, half_work_share, work_median
from certify.fluid.quadrature import Integral, Piece, partition
from certify.fluid.value import note, shown, solve
from certify.problem import DEFAULT_DIGITS, Exact, Table, to_digits, to_rationals

TRIES = 12
EXTRA = 12  # digits that the parts have beyond those of the claim, at first


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

    def bound(self, load: Exact) -> tuple[Fraction, Fraction]:
        """The two ends between which (1 - load) V/x^2 lies at every imbalance.

        InputError unless the load is above 1/2 and below 1.
        """
        rho = _heavy(load, "load")
        centre, slack = rho * self.half_work_share, (1 - rho) / 2
        ratio = 1 - 2 * self.half_work_share
        return centre - slack / self.work_median, centre + slack * ratio**2 * self.integral

    def certificate(self, loads: Iterable[Exact]) -> Certificate:
        """The table of the loads; InputError unless each is above 1/2 and below 1."""
        dispatches = [solve(self.law, load) for load in _loads(loads)]
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


@dataclass(frozen=True)
class Row:
    """At a load above 1/2: the exit cutoff, (1 - load) V/x^2 at a tie, and its two bounds."""

    load: Fraction
    exit_cutoff: Ends
    scaled_value: Number
    bound: tuple[Number, Number]


@dataclass(frozen=True)
class EnclosedHeavyTraffic:
    """The same for a law with a density; every number but the loads is the ends of an interval.

    `bits` and `pieces` are what the checker needs.
    """

    law: ContinuousLaw
    work_median: Ends
    half_work_share: Number
    rows: tuple[Row, ...]
    bits: int
    pieces: tuple[Piece, ...]

    def __repr__(self) -> str:
        return f"EnclosedHeavyTraffic(law={self.law!r}, rows={len(self.rows)})"

    def certificate(self) -> Certificate:
        """The certificate."""
        claim = {
            "law": self.law.to_claim(),
            "work_median": spelled(self.work_median),
            "half_work_share": spelled(self.half_work_share),
            "rows": [
                {
                    "load": exact(row.load),
                    "exit_cutoff": spelled(row.exit_cutoff),
                    "scaled_value": spelled(row.scaled_value),
                    "bound": [spelled(end) for end in row.bound],
                }
                for row in self.rows
            ],
        }
        knots = [self.pieces[0].start, *(piece.stop for piece in self.pieces)]
        witness = {
            "precision": self.bits,
            "knots": [exact(knot) for knot in knots],
            "terms": [piece.terms(self.bits) for piece in self.pieces],
        }
        return Certificate("fluid-heavy-traffic", claim, witness)


def enclose_heavy_traffic(
    law: ContinuousLaw, loads: Iterable[Exact], digits: int = DEFAULT_DIGITS
) -> EnclosedHeavyTraffic:
    """The limit of a law with a density and its bounds at some loads, with `digits` digits.

    Raises InputError unless each load is above 1/2 and below 1.
    """
    check_density(law)
    rhos, digits = _loads(loads), to_digits(digits)
    extra = EXTRA
    for _ in range(TRIES):
        found = [enclose(law, rho, (0,), digits + extra) for rho in rhos]
        try:
            return _enclosed(law, found, digits, extra)
        except Unresolved:
            extra += 6
    raise OutOfReach("the limit is not resolved at the last precision")


def _enclosed(
    law: ContinuousLaw, found: list[Enclosure], digits: int, extra: int
) -> EnclosedHeavyTraffic:
    """The table of some enclosures; Unresolved if the extra digits do not suffice."""
    bits = max(each.bits for each in found)
    median = work_median(law, digits + extra, bits)
    with precision(bits + 2 * GUARD):
        pieces = partition(law, None, bits)
        integral = Integral.over(law, None, pieces).start(Fraction(0))
    with precision(bits):
        share = half_work_share(law, median)
        rows = tuple(_row(each, between(median), share, integral, digits) for each in found)
        return EnclosedHeavyTraffic(law, median, settled(share, digits), rows, bits, pieces)


def _row(found: Enclosure, median: arb, share: arb, integral: arb, digits: int) -> Row:
    """One row of the table."""
    load, ratio = found.load, 1 - 2 * share
    centre, slack = share * ball(load), ball((1 - load) / 2)
    bound = centre - slack / median, centre + slack * ratio**2 * integral
    scaled = between(found.rows[0].value) * ball(1 - load)
    if found.exit_cutoff is None:
        raise ValueError("above load 1/2 the exit cutoff is finite")
    low, high = (settled(end, digits) for end in bound)
    return Row(load, found.exit_cutoff, settled(scaled, digits), (low, high))


def _loads(loads: Any) -> list[Fraction]:
    """The asked loads; InputError unless there is one and each is above 1/2 and below 1."""
    return [_heavy(load, f"loads[{i}]") for i, load in enumerate(to_rationals(loads, "loads"))]


def _heavy(load: Any, name: str) -> Fraction:
    rho = check_load(load, name)
    if 2 * rho <= 1:
        raise InputError(name, "be greater than 1/2", rho)
    return rho


def in_heavy_traffic(law: FiniteLaw) -> HeavyTraffic:
    """The heavy-traffic limit of a finite law; InputError if all jobs have one size."""
    check_finite(law)
    if len(law.atoms) == 1:
        requirement = "have at least two sizes (with one the bounds are infinitely far apart)"
        raise InputError("law.atoms", requirement, 1)
    jobs, work = fmpq(0), fmpq(0)
    knots = [(fmpq(0), fmpq(1))]  # sizes u with E|S - u|
    for size, mass in ((rational(size), rational(mass)) for size, mass in law.atoms):
        knots.append((size, (2 * jobs - 1) * size - (2 * work - 1)))
        jobs, work = jobs + mass, work + mass * size
    pieces = ((end - start) / (first * last) for (start, first), (end, last) in pairwise(knots))
    integral = sum(pieces, 1 / knots[-1][1])
    return HeavyTraffic(law, *half_of_the_work(law), fraction(integral))


def make(table: Table) -> Certificate:
    """The certificate of a problem of kind `fluid-heavy-traffic`."""
    loads = table.rationals("loads")
    if table.table("law").has("family"):
        law, digits = read_sizes(table), table.digits()
        table.done()
        return enclose_heavy_traffic(law, loads, digits).certificate()
    finite = read_law(table)
    table.done()
    note(finite)
    return in_heavy_traffic(finite).certificate(loads)


def words(claim: dict[str, Any]) -> str:
    """What a claim of this kind states, in one sentence."""
    rows = claim["rows"]
    last = max(rows, key=lambda row: number(row["load"]))
    ends = f"{lower(last['bound'][0])} and {upper(last['bound'][1])}"
    return (
        f"As the load tends to 1, (1 - load) times the least cost at total work 1 has the limit "
        f"{_said(claim['half_work_share'])} at every imbalance; at load {shown(last['load'])} it "
        f"lies between {ends} and is {_said(last['scaled_value'])} at a tie ({len(rows)} "
        f"load{'s' * (len(rows) > 1)})."
    )


def _said(value: Any) -> str:
    return shown(value) if isinstance(value, str) else about(value)
