"""The least cost of emptying two fluid queues, exactly, for a law with finitely many sizes.

The value is quadratic on sectors of the relative imbalance z = |u2 - u1|/(u1 + u2). One pass over
the sizes below the exit cutoff, from the largest down, gives every sector. Source:
proofs_checks/theorems/fluid-value.md, part "Finding the sectors".
"""

import logging
import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import fmpq

from certify.balls import fraction, nearest, rational
from certify.certificate import Certificate, exact
from certify.errors import InputError
from certify.fluid.laws import FiniteLaw, check_count, check_finite, check_load, read_law
from certify.fluid.path import WorkloadPath, optimal_path
from certify.problem import Exact, Table, to_list, to_rational

MAX_ATOMS = 1000
MAX_SECTORS = 400
MAX_SIZES = 100_000  # without sectors
BINS = "kind fluid-bracket, which bins them"
INSTEAD = f"sectors = false, kind fluid-many-sizes, or {BINS}"
IN_PYTHON = "certify.fluid.enclose_value, or certify.fluid.bracket, which bins them"
MAX_DIGITS = 20_000  # in one number: what the checker reads by default
LARGE_DIGITS = 1_000_000  # and with --limit large

Form = tuple[Fraction, Fraction, Fraction]


@dataclass(frozen=True)
class Sector:
    """The value A x^2 + B x delta + C delta^2, `form` = (A, B, C), for lower <= delta/x <= upper.

    x = u1 + u2 is the total work and delta = |u2 - u1| the difference of the workloads.
    """

    lower: Fraction
    upper: Fraction
    form: Form

    def to_claim(self) -> dict[str, Any]:
        """One entry of the `sectors` field of a claim."""
        value = [exact(each) for each in self.form]
        return {"from": exact(self.lower), "to": exact(self.upper), "value": value}


@dataclass(frozen=True)
class Dispatch:
    """The optimal dispatcher of a finite law at a load: its value, its cutoff, its saving.

    Workloads are in units of the mean size (law.scale in the units of a file), costs are exact.
    """

    law: FiniteLaw
    load: Fraction
    sectors: tuple[Sector, ...]

    def __repr__(self) -> str:
        return (
            f"Dispatch(sizes={len(self.law.atoms)}, load={shown(self.load)}, "
            f"sectors={len(self.sectors)}, saving={shown(self.saving)})"
        )

    @property
    def saving(self) -> Fraction:
        """The share of the cost of balanced routing that is saved, starting from equal queues."""
        return 1 - self.at(Fraction(0)) * 2 * (1 - self.load) / self.load

    def value(self, u1: Exact, u2: Exact) -> Fraction:
        """The least cost from workloads u1 and u2; InputError if one is negative."""
        work, imbalance = state(u1, u2)
        return work * work * self.at(imbalance)

    def cutoff(self, u1: Exact, u2: Exact) -> Fraction | float:
        """The cutoff at workloads u1, u2: jobs below it join the shorter queue, jobs above it not.

        `math.inf` where every job joins the shorter queue, whatever its size; 0 at a tie.
        """
        _, imbalance = state(u1, u2)
        _, linear, quadratic = self._sector(imbalance).form
        slope = -linear - 2 * quadratic * imbalance
        if slope == 0:
            return math.inf if imbalance else Fraction(0)
        return imbalance / slope

    def path(self, u1: Exact, u2: Exact) -> WorkloadPath:
        """The optimal path of the workloads from u1 and u2 until both queues are empty."""
        return optimal_path(self.law, self.load, self.sectors, u1, u2)

    def at(self, imbalance: Exact) -> Fraction:
        """The value at total work 1 and a relative imbalance; InputError unless it is in [0, 1]."""
        z = to_imbalance(imbalance, "imbalance")
        square, linear, quadratic = self._sector(z).form
        return square + z * (linear + z * quadratic)

    def certificate(self, imbalances: Iterable[Exact] = (0,)) -> Certificate:
        """The certificate with every sector and the values at the asked relative imbalances.

        InputError unless there is one and each is an exact number from 0 to 1.
        """
        asked = to_imbalances(imbalances)
        values = [self.at(z) for z in asked]
        for index, value in enumerate(values):
            if digits_of(value) > MAX_DIGITS:
                requirement = f"have a value of at most {MAX_DIGITS} digits"
                raise InputError(f"imbalances[{index}]", requirement, asked[index])
        claim = {
            "law": self.law.to_claim(),
            "load": exact(self.load),
            "sectors": [sector.to_claim() for sector in self.sectors],
            "values": [
                {"imbalance": exact(z), "value": exact(value)}
                for z, value in zip(asked, values, strict=True)
            ],
            "saving": exact(self.saving),
        }
        return Certificate("fluid-value", claim, {})

    def _sector(self, imbalance: Fraction) -> Sector:
        index = bisect_right(self.sectors, imbalance, key=lambda sector: sector.lower)
        return self.sectors[index - 1]


def make(table: Table) -> Certificate:
    """The certificate of a problem of kind `fluid-value`."""
    sectors = table.flag("sectors", True)
    law = read_law(table, MAX_ATOMS, INSTEAD) if sectors else read_law(table, MAX_SIZES, BINS)
    load, imbalances = table.rational("load"), table.rationals("imbalances", (0,))
    large = table.flag("large")
    table.done()
    note(law)
    if sectors:
        return solve(law, load, INSTEAD).certificate(imbalances)
    from certify.fluid.many_sizes import exact_values  # which needs this module

    if large:
        return exact_values(law, load, imbalances).certificate()
    instead = f"large = true allows {LARGE_DIGITS:,}; or ask kind fluid-many-sizes"
    return exact_values(law, load, imbalances, MAX_DIGITS, instead).certificate()


def words(claim: dict[str, Any]) -> str:
    """What a claim of this kind states, in one sentence."""
    tie = [each["value"] for each in claim["values"] if each["imbalance"] == "0"]
    value = f" (from a tie with total work 1: {shown(tie[0])})" if tie else ""
    sizes, sectors = len(claim["law"]["atoms"]), len(claim.get("sectors", ()))
    form = f"quadratic in {sectors} sector{'s' * (sectors > 1)}"
    if not sectors:
        form = f"exactly at {len(claim['values'])} imbalance{'s' * (len(claim['values']) > 1)}"
    return (
        f"The least cost of emptying two queues at load {shown(claim['load'])} with {sizes} "
        f"job size{'s' * (sizes > 1)}, {form}{value}; it saves "
        f"{shown(claim['saving'])} of what balanced routing costs."
    )


def note(law: FiniteLaw) -> None:
    """Tell what was changed in a law on the way (on stderr unless logging is configured)."""
    for line in law.notes:
        logging.getLogger("certify").warning(line)


def state(u1: Exact, u2: Exact) -> tuple[Fraction, Fraction]:
    """The total work and the relative imbalance (0 for an empty system).

    InputError if a workload is negative.
    """
    loads = [to_rational(u, name) for u, name in ((u1, "u1"), (u2, "u2"))]
    for workload, name in zip(loads, ("u1", "u2"), strict=True):
        if workload < 0:
            raise InputError(name, "be at least 0", workload)
    work = sum(loads, Fraction(0))
    return work, abs(loads[1] - loads[0]) / work if work else Fraction(0)


def to_imbalance(value: Exact, name: str) -> Fraction:
    """A relative imbalance; InputError unless it lies between 0 and 1."""
    imbalance = to_rational(value, name)
    if not 0 <= imbalance <= 1:
        raise InputError(name, "be between 0 and 1", imbalance)
    return imbalance


def to_imbalances(values: Iterable[Exact]) -> list[Fraction]:
    """The asked relative imbalances; InputError unless there is one and each is from 0 to 1."""
    listed = to_list(values, "imbalances")
    if not listed:
        raise InputError("imbalances", "be a non-empty list of numbers", listed)
    return [to_imbalance(z, f"imbalances[{i}]") for i, z in enumerate(listed)]


def solve(law: FiniteLaw, load: Exact, instead: str = "") -> Dispatch:
    """The value of a finite law at a load in (0, 1), with all its sectors.

    Raises InputError for a load outside (0, 1), for more than 1000 sizes or 400 sectors, and when
    a number of the answer has more than 20,000 digits; `instead` names what can be asked then.
    """
    check_finite(law)
    rho = check_load(load)
    check_count(len(law.atoms), MAX_ATOMS, instead)
    if len(law.atoms) == 1:
        return Dispatch(law, rho, _point_mass(rho))
    return Dispatch(law, rho, _sectors(law, rho, instead))


def _point_mass(rho: Fraction) -> tuple[Sector, ...]:
    """The sectors when all jobs have size 1 (fluid-value.md, Proposition 2)."""
    kappa = rho / (1 - rho)
    free = kappa / 2, Fraction(0), Fraction(-1, 2)
    if kappa >= 1:
        return (Sector(Fraction(0), Fraction(1), free),)
    return Sector(Fraction(0), kappa, free), Sector(kappa, Fraction(1), _all_to_short(rho))


def _all_to_short(rho: Fraction) -> Form:
    """The value rho (x - delta)^2/(2 (1 - 2 rho)) where every job joins the shorter queue."""
    half = rho / (2 * (1 - 2 * rho))
    return half, -2 * half, half


def _sectors(law: FiniteLaw, rho: Fraction, instead: str) -> tuple[Sector, ...]:
    """The sectors of a law with at least two sizes (fluid-value.md, Proposition 1)."""
    sizes = [rational(size) for size, _ in law.atoms]
    masses = [rational(mass) for _, mass in law.atoms]
    jobs, work = [fmpq(0)], [fmpq(0)]  # shares of the first i sizes
    for size, mass in zip(sizes, masses, strict=True):
        jobs.append(jobs[-1] + mass)
        work.append(work[-1] + mass * size)
    kappa = rational(rho / (1 - rho))
    top = len(sizes)  # sizes up to the exit cutoff, or all of them
    if 2 * rho > 1:
        half = rational(1 / (2 * rho))
        top = next(count for count, share in enumerate(work) if share >= half)
    if top > MAX_SECTORS:
        hint = f" (for more: {instead})" if instead else ""
        raise InputError(
            "law", f"have at most {MAX_SECTORS} sizes up to the exit cutoff{hint}", top
        )

    def deviation(count: int, size: fmpq) -> fmpq:
        """E|S - size| when `count` sizes are at most `size`."""
        return (2 * jobs[count] - 1) * size - (2 * work[count] - 1)

    upper = sizes[top - 1]
    upper_deviation = deviation(top, upper)
    # X = (total work)/(g E|S - h|), followed along the optimal path backwards in time
    X = upper / upper_deviation if 2 * rho > 1 else 1 + 1 / (kappa * (upper - 1))
    edge = upper / (upper_deviation * X)
    found = []
    if edge != 1:
        found.append(Sector(fraction(edge), Fraction(1), _all_to_short(rho)))
    for count in reversed(range(top)):
        size = sizes[count - 1] if count else fmpq(0)
        if count == 0 and upper == 0:
            break  # the smallest size is 0: no sector lies below it
        slope, offset = 2 * jobs[count] - 1, 2 * work[count] - 1
        A = upper / (kappa * upper_deviation) - offset * X
        B = slope * X - 1 / (kappa * upper_deviation)
        size_deviation = deviation(count, size)
        X += (upper - size) / (kappa * size_deviation * upper_deviation)
        lower_edge = size / (size_deviation * X)
        form = (
            fraction(kappa * (1 + offset / A) / 2),
            fraction(-1 / A),
            fraction(B / (2 * A)),
        )
        found.append(Sector(fraction(lower_edge), fraction(edge), form))
        _bounded((found[-1].lower, *form), len(found), top, instead)
        upper, upper_deviation, edge = size, size_deviation, lower_edge
    return tuple(reversed(found))


def _bounded(numbers: Sequence[Fraction], done: int, count: int, instead: str) -> None:
    """InputError if a number is longer than the checker reads."""
    if max(map(digits_of, numbers)) > MAX_DIGITS:
        hint = f"; for others: {instead}" if instead else ""
        raise InputError(
            "law.atoms",
            f"have an exact value whose numbers have at most {MAX_DIGITS} digits (hundreds of "
            f"sizes and masses do if they share their denominators{hint})",
            f"beyond that after {done} of {count} sectors",
        )


def digits_of(value: Fraction) -> int:
    """At least the number of characters of `value` written as p/q."""
    bits = value.numerator.bit_length() + value.denominator.bit_length()
    return int(bits * math.log10(2)) + 4


def shown(value: Fraction | str) -> str:
    """A short text of an exact number, given or already spelled: itself or its first digits."""
    text = value if isinstance(value, str) else exact(value)
    if len(text) <= 24:
        return text
    return f"about {nearest(text, 12)}"
