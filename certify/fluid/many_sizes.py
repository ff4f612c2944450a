"""The least cost for laws with very many sizes: a trace as it is, without bins.

The exact value of thousands of sizes has tens of thousands of digits; `enclose_value` gives as many
as are asked for, in one pass over the sizes, `exact_values` all of them, by sums that are taken
pairwise. Source: proofs_checks/theorems/fluid-many-sizes.md and fluid-value.md, Proposition 3.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from flint import arb, fmpq

from certify.balls import ball, ends, fraction, nearest, outward, precision, rational
from certify.certificate import Certificate, exact, interval
from certify.errors import InputError
from certify.fluid.laws import FiniteLaw, check_count, check_finite, check_load, read_law
from certify.fluid.numbers import Ends, about
from certify.fluid.value import (
    BINS,
    LARGE_DIGITS,
    MAX_SIZES,
    digits_of,
    note,
    shown,
    to_imbalances,
)
from certify.problem import DEFAULT_DIGITS, Exact, Table, to_digits


@dataclass(frozen=True)
class EnclosedValue:
    """Enclosures of the least cost at total work 1 and of the saving from a tie, as (low, high).

    `sectors[i]` tells between which knots the cutoff at `imbalances[i]` lies.
    """

    law: FiniteLaw
    load: Fraction
    imbalances: tuple[Fraction, ...]
    values: tuple[Ends, ...]
    saving: Ends
    sectors: tuple[int, ...]
    bits: int

    def __repr__(self) -> str:
        saving = nearest((self.saving[0] + self.saving[1]) / 2, 12)
        return (
            f"EnclosedValue(sizes={len(self.law.atoms)}, load={shown(self.load)}, saving={saving})"
        )

    def certificate(self) -> Certificate:
        """The certificate; its witness holds the precision and the numbers of the knots."""
        rows = zip(self.imbalances, self.values, strict=True)
        claim = {
            "law": self.law.to_claim(),
            "load": exact(self.load),
            "values": [{"imbalance": exact(z), "value": interval(*value)} for z, value in rows],
            "saving": interval(*self.saving),
        }
        witness = {"precision": self.bits, "sectors": list(self.sectors)}
        return Certificate("fluid-many-sizes", claim, witness)


@dataclass(frozen=True)
class _Knots:
    """Sizes from 0 to the exit cutoff with E|S - t|, X(t) and the (slope, offset) after each."""

    sizes: list[fmpq]
    deviations: list[arb]
    reaches: list[arb]
    pieces: list[tuple[fmpq, fmpq]]


def enclose_value(
    law: FiniteLaw, load: Exact, imbalances: Iterable[Exact] = (0,), digits: int = DEFAULT_DIGITS
) -> EnclosedValue:
    """The least cost at the asked imbalances to that many digits.

    Raises InputError for a single size, for more than 100,000 sizes, and for an imbalance that
    cannot be told from an edge between two sectors.
    """
    check_finite(law)
    rho, digits = check_load(load), to_digits(digits)
    asked = tuple(to_imbalances(imbalances))
    if len(law.atoms) == 1:
        requirement = "have at least 2 sizes (certify.fluid.dispatch, kind fluid-value, takes one)"
        raise InputError("law", requirement, 1)
    check_count(len(law.atoms), MAX_SIZES, "certify.fluid.bracket, which bins them")
    bits = 64 + 2 * len(law.atoms).bit_length() + digits * 10 // 3
    while True:
        with precision(bits):
            knots = _knots(law, rho)
            sectors = tuple(_sector(knots, rho, z, f"imbalances[{i}]") for i, z in enumerate(asked))
            balls = [_value(knots, rho, z, index) for z, index in zip(asked, sectors, strict=True)]
            saving = 1 / knots.reaches[0]
            if all(_sharp(value, digits) for value in (saving, *balls)):
                values = tuple(_outward(value, digits) for value in balls)
                found = outward(saving, digits + 1)
                return EnclosedValue(law, rho, asked, values, found, sectors, bits)
        bits += bits // 2


@dataclass(frozen=True)
class ExactValues:
    """The least cost at total work 1 and the saving from a tie, exactly; as in EnclosedValue."""

    law: FiniteLaw
    load: Fraction
    imbalances: tuple[Fraction, ...]
    values: tuple[Fraction, ...]
    saving: Fraction
    sectors: tuple[int, ...]

    def __repr__(self) -> str:
        return (
            f"ExactValues(sizes={len(self.law.atoms)}, load={shown(self.load)}, "
            f"saving={shown(self.saving)})"
        )

    def certificate(self) -> Certificate:
        """The certificate, of kind `fluid-value` without sectors."""
        rows = zip(self.imbalances, self.values, strict=True)
        claim = {
            "law": self.law.to_claim(),
            "load": exact(self.load),
            "values": [{"imbalance": exact(z), "value": exact(value)} for z, value in rows],
            "saving": exact(self.saving),
        }
        return Certificate("fluid-value", claim, {"sectors": list(self.sectors)})


def exact_values(
    law: FiniteLaw,
    load: Exact,
    imbalances: Iterable[Exact] = (0,),
    digits: int = LARGE_DIGITS,
    instead: str = "or ask kind fluid-many-sizes",
) -> ExactValues:
    """The least cost at the asked imbalances exactly, for 2 to 100,000 sizes.

    Raises InputError as enclose_value does, and if an answer has more than `digits` digits;
    `instead` says what can be done then.
    """
    found = enclose_value(law, load, imbalances, 1)
    rho, sectors = found.load, found.sectors
    sizes, heights, pieces, start = _exact_knots(law, rho)
    k = rational((1 - rho) / rho)

    def reach(index: int) -> fmpq:
        """X at a knot."""
        knots = pairwise(zip(sizes[index:], heights[index:], strict=True))
        terms = [(t - s) / (below * above) for (s, below), (t, above) in knots]
        return start + k * _pairwise(terms)

    def value(z: Fraction, index: int) -> Fraction:
        if z == 1 and 2 * rho <= 1:
            return Fraction(0)
        if index == len(sizes) - 1:
            return rho * (1 - z) ** 2 / (2 * (1 - 2 * rho))
        (slope, offset), X, per = pieces[index], reach(index + 1), k / heights[index + 1]
        A, B, at = sizes[index + 1] * per - offset * X, slope * X - per, rational(z)
        return fraction((1 / k + (offset / k - 2 * at + B * at * at) / A) / 2)

    saving = fraction(1 / reach(0))
    values = tuple(value(z, i) for z, i in zip(found.imbalances, sectors, strict=True))
    longest = max(map(digits_of, (saving, *values)))
    if longest > digits:
        requirement = f"have exact answers of at most {digits} digits ({instead})"
        raise InputError("law", requirement, f"about {longest} digits")
    return ExactValues(law, rho, found.imbalances, values, saving, sectors)


def make(table: Table) -> Certificate:
    """The certificate of a problem of kind `fluid-many-sizes`."""
    law, load = read_law(table, MAX_SIZES, BINS), table.rational("load")
    imbalances, digits = table.rationals("imbalances", (0,)), table.digits()
    table.done()
    note(law)
    return enclose_value(law, load, imbalances, digits).certificate()


def words(claim: dict[str, Any]) -> str:
    """What a claim of this kind states, in one sentence."""
    row = claim["values"][0]
    return (
        f"The least cost of emptying two queues at load {shown(claim['load'])} with "
        f"{len(claim['law']['atoms'])} job sizes is {about(row['value'])} at total work 1 and "
        f"imbalance {shown(row['imbalance'])}; from a tie it saves {about(claim['saving'])} of "
        "what balanced routing costs."
    )


def _exact_knots(
    law: FiniteLaw, rho: Fraction
) -> tuple[list[fmpq], list[fmpq], list[tuple[fmpq, fmpq]], fmpq]:
    """Sizes from 0 to the exit cutoff, E|S - t| and (slope, offset) after each, X at the end."""
    jobs, work, enough = fmpq(0), fmpq(0), rational(1 / (2 * rho))
    sizes, deviations, pieces = [fmpq(0)], [fmpq(1)], [(fmpq(-1), fmpq(-1))]
    for size, mass in ((rational(size), rational(mass)) for size, mass in law.atoms):
        deviation = (2 * jobs - 1) * size - (2 * work - 1)
        jobs, work = jobs + mass, work + mass * size
        if size == 0:
            pieces = [(2 * jobs - 1, fmpq(-1))]
            continue
        sizes.append(size)
        deviations.append(deviation)
        pieces.append((2 * jobs - 1, 2 * work - 1))
        if 2 * rho > 1 and work >= enough:
            break
    top = sizes[-1]
    start = top / deviations[-1] if 2 * rho > 1 else 1 + rational((1 - rho) / rho) / (top - 1)
    return sizes, deviations, pieces, start


def _knots(law: FiniteLaw, rho: Fraction) -> _Knots:
    """The knots with X at each, in one pass down."""
    sizes, exactly, pieces, start = _exact_knots(law, rho)
    deviations, k = [arb(each) for each in exactly], ball((1 - rho) / rho)
    reaches = [arb(start)]
    for index in reversed(range(1, len(sizes))):
        step = arb(sizes[index] - sizes[index - 1])
        reaches.append(reaches[-1] + k * step / (deviations[index - 1] * deviations[index]))
    return _Knots(sizes, deviations, reaches[::-1], pieces)


def _pairwise(terms: list[fmpq]) -> fmpq:
    """The sum, by halves, so that few additions are between long numbers."""
    while len(terms) > 1:
        terms = [sum(terms[i : i + 2], fmpq(0)) for i in range(0, len(terms), 2)]
    return terms[0] if terms else fmpq(0)


def _sector(knots: _Knots, rho: Fraction, z: Fraction, name: str) -> int:
    """The number of the last knot whose imbalance is at most z, found by bisection."""
    last = len(knots.sizes) - 1 if 2 * rho < 1 else len(knots.sizes) - 2
    low, high = 0, last + 1  # Z(low) <= z, and z <= Z(high) or there is no sector `high`
    while high - low > 1:
        middle = (low + high) // 2
        distance = ball(z) * knots.deviations[middle] * knots.reaches[middle]
        distance -= arb(knots.sizes[middle])
        if distance >= 0:
            low = middle
        elif distance <= 0:
            high = middle
        else:
            requirement = "be told from an edge between two sectors (move it a little)"
            raise InputError(name, requirement, z)
    return low


def _value(knots: _Knots, rho: Fraction, z: Fraction, index: int) -> arb:
    """The least cost at total work 1 and imbalance z after knot number `index`."""
    if z == 1 and 2 * rho <= 1:
        return arb(0)  # all jobs join the empty queue, and none of them waits
    if index == len(knots.sizes) - 1:
        return ball(rho * (1 - z) ** 2 / (2 * (1 - 2 * rho)))
    (slope, offset), kappa = knots.pieces[index], ball(rho / (1 - rho))
    size, deviation = arb(knots.sizes[index + 1]), knots.deviations[index + 1]
    reach = knots.reaches[index + 1]
    first = size / (kappa * deviation) - offset * reach
    second = slope * reach - 1 / (kappa * deviation)
    return (kappa + (kappa * offset - 2 * ball(z) + second * ball(z * z)) / first) / 2


def _sharp(value: arb, digits: int) -> bool:
    """Whether a ball is narrow enough for ends that share that many digits."""
    low, high = ends(value)
    return low == high == 0 or (high - low) * 10 ** (digits + 8) < abs(low)


def _outward(value: arb, digits: int) -> Ends:
    """The ends, rounded to one digit more: they share so many. A cost of exactly 0 stays 0."""
    return (Fraction(0), Fraction(0)) if value == 0 else outward(value, digits + 1)
