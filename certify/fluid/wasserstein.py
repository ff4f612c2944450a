"""How far two size laws lie apart, and how far their least costs can.

For two finite laws everything is exact; a first law with a density is compared with a finite one
by enclosures. Source: proofs_checks/theorems/fluid-wasserstein.md.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import Any, TypeVar

from flint import arb

from certify.balls import ball, ends, nearest, outward, precision, round_down, round_up
from certify.certificate import Certificate, exact, interval
from certify.errors import InputError
from certify.fluid.continuous import FAMILIES, ContinuousLaw, check_density
from certify.fluid.enclosure import Enclosure, enclose
from certify.fluid.laws import FiniteLaw, check_finite, check_load, law_form, read_law
from certify.fluid.mixtures import read_parameters
from certify.fluid.numbers import Ends, about, upper
from certify.fluid.value import Dispatch, note, shown, solve, to_imbalances
from certify.problem import DEFAULT_DIGITS, Exact, Table, to_digits

L = TypeVar("L")


@dataclass(frozen=True)
class LawComparison:
    """Two finite laws at a load: `distance` is their Wasserstein distance.

    `deviation_distance` is the largest difference of the mean absolute deviations E|S - h|, `bound`
    what the least costs from any start of total work 1 can differ by at most. All exact.
    """

    first: Dispatch
    second: Dispatch
    distance: Fraction
    deviation_distance: Fraction

    def __repr__(self) -> str:
        return f"LawComparison(distance={shown(self.distance)}, bound={shown(self.bound)})"

    @property
    def bound(self) -> Fraction:
        """load^2/(1 - load) times the distance."""
        load = self.first.load
        return load * load / (1 - load) * self.distance

    def difference(self, imbalance: Exact) -> Fraction:
        """The first least cost less the second, at total work 1 and an imbalance in [0, 1]."""
        return self.first.at(imbalance) - self.second.at(imbalance)

    def certificate(self, imbalances: Iterable[Exact] = (0, 1)) -> Certificate:
        """The certificate with the least costs at the asked relative imbalances."""
        rows = [
            {
                "imbalance": exact(z),
                "first": exact(self.first.at(z)),
                "second": exact(self.second.at(z)),
                "difference": exact(self.difference(z)),
            }
            for z in to_imbalances(imbalances)
        ]
        claim = {
            "first": self.first.law.to_claim(),
            "second": self.second.law.to_claim(),
            "load": exact(self.first.load),
            "distance": exact(self.distance),
            "deviation_distance": exact(self.deviation_distance),
            "bound": exact(self.bound),
            "rows": rows,
        }
        witness = {
            name: [sector.to_claim() for sector in dispatch.sectors]
            for name, dispatch in (("first", self.first), ("second", self.second))
        }
        return Certificate("fluid-wasserstein", claim, witness)


@dataclass(frozen=True)
class EnclosedComparison:
    """A law with a density and a finite one: enclosures of what LawComparison has exactly.

    `turning[i]` is where E|S - h| - E|T - h| is least between the sizes i and i + 1 of T, nearly.
    """

    first: Enclosure
    second: Dispatch
    distance: Ends
    deviation_distance: Ends
    bound: Ends
    turning: tuple[Fraction, ...]
    bits: int
    digits: int

    def __repr__(self) -> str:
        distance, bound = (
            nearest((low + high) / 2, 12) for low, high in (self.distance, self.bound)
        )
        return f"EnclosedComparison(distance={distance}, bound={bound})"

    def certificate(self) -> Certificate:
        """The certificate; its witness holds a certificate of the first law's least costs."""
        rows = []
        for row in self.first.rows:
            exactly = self.second.at(row.imbalance)
            low, high = (end - exactly for end in row.value)
            digits = self.digits + 2
            rows.append(
                {
                    "imbalance": exact(row.imbalance),
                    "first": interval(*row.value),
                    "second": exact(exactly),
                    "difference": interval(round_down(low, digits), round_up(high, digits)),
                }
            )
        claim = {
            "first": self.first.law.to_claim(),
            "second": self.second.law.to_claim(),
            "load": exact(self.second.load),
            "distance": interval(*self.distance),
            "deviation_distance": interval(*self.deviation_distance),
            "bound": interval(*self.bound),
            "rows": rows,
        }
        witness = {
            "precision": self.bits,
            "turning": [exact(point) for point in self.turning],
            "first": embedded(self.first),
            "second": [sector.to_claim() for sector in self.second.sectors],
        }
        return Certificate("fluid-wasserstein", claim, witness)


def wasserstein_distance(first: FiniteLaw, second: FiniteLaw) -> Fraction:
    """The area between the distribution functions of two finite laws."""
    check_finite(first, "first")
    check_finite(second, "second")
    gaps = _gaps(first, second)
    return sum((abs(after - before) for before, after in pairwise(gaps)), Fraction(0)) / 2


def compare_laws(first: FiniteLaw, second: FiniteLaw, load: Exact) -> LawComparison:
    """Two finite laws at a load; InputError for a load outside (0, 1)."""
    distance = wasserstein_distance(first, second)
    farthest = max(map(abs, _gaps(first, second)))
    return LawComparison(solve(first, load), solve(second, load), distance, farthest)


def enclose_comparison(
    first: ContinuousLaw,
    second: FiniteLaw,
    load: Exact,
    imbalances: Iterable[Exact] = (0, 1),
    digits: int = DEFAULT_DIGITS,
) -> EnclosedComparison:
    """A law with a density against a finite one, every number with about `digits` digits.

    Raises InputError for a load outside (0, 1) or an imbalance outside [0, 1].
    """
    check_density(first, "first")
    check_finite(second, "second")
    rho, digits = check_load(load), to_digits(digits)
    found = enclose(first, rho, to_imbalances(imbalances), digits)
    other = solve(second, rho)
    bits = found.bits
    with precision(bits + 48):
        sizes = [size for size, _ in second.atoms]
        shares = list(accumulate(mass for _, mass in second.atoms))
        turning = tuple(
            _turning(first, share, low, high, bits)
            for (low, high), share in zip(pairwise(sizes), shares, strict=False)
        )
        points = [*sizes, *turning]
        gaps = [first.deviation(ball(h)) - ball(_deviation(second, h)) for h in points]
        distance = arb(0)
        for index, gap in enumerate(gaps):
            distance = distance + gap if index < len(sizes) else distance - gap
        farthest = max((abs(gap) for gap in gaps), key=lambda gap: ends(gap)[1])
        numbers = [outward(each, digits + 2) for each in (distance, farthest)]
        bound = outward(distance * ball(rho * rho / (1 - rho)), digits + 2)
    return EnclosedComparison(found, other, numbers[0], numbers[1], bound, turning, bits, digits)


def embedded(found: Enclosure) -> dict[str, Any]:
    """The certificate of an enclosure as part of a witness: law and load are told elsewhere."""
    certificate = found.certificate()
    claim = {k: v for k, v in certificate.claim.items() if k not in ("law", "load")}
    return {"claim": claim, "witness": certificate.witness}


def make(table: Table) -> Certificate:
    """The certificate of a problem of kind `fluid-wasserstein`."""
    first = table.table("first")
    named = first.has("family")
    other = _read(table, "second", read_law)
    note(other)
    load, imbalances = table.rational("load"), table.rationals("imbalances", (0, 1))
    if named:
        law = _read(table, "first", _read_family)
        digits = table.digits()
        table.done()
        return enclose_comparison(law, other, load, imbalances, digits).certificate()
    one = _read(table, "first", read_law)
    note(one)
    table.done()
    return compare_laws(one, other, load).certificate(imbalances)


def words(claim: dict[str, Any]) -> str:
    """What a claim of this kind states, in one sentence."""
    row = claim["rows"][0]
    distance, difference = (
        shown(each) if isinstance(each, str) else about(each)
        for each in (claim["distance"], row["difference"])
    )
    return (
        f"Two size laws lie {distance} apart (Wasserstein), so at load {shown(claim['load'])} "
        f"their least costs from any start of total work 1 differ by at most "
        f"{upper(claim['bound'])}; at "
        f"imbalance {shown(row['imbalance'])} the first less the second is {difference}."
    )


def _deviation(law: FiniteLaw, h: Fraction) -> Fraction:
    """E|S - h| of a finite law."""
    return sum((mass * abs(size - h) for size, mass in law.atoms), Fraction(0))


def _gaps(first: FiniteLaw, second: FiniteLaw) -> list[Fraction]:
    """E|S - h| - E|T - h| at 0 and at all sizes, between which it is linear."""
    points = sorted({Fraction(0), *(size for law in (first, second) for size, _ in law.atoms)})
    result = [Fraction(0)] * len(points)
    for law, sign in ((first, 1), (second, -1)):
        sizes = [size for size, _ in law.atoms]
        jobs = list(accumulate((mass for _, mass in law.atoms), initial=Fraction(0)))
        work = list(accumulate((s * mass for s, mass in law.atoms), initial=Fraction(0)))
        for index, h in enumerate(points):
            count = bisect_right(sizes, h)
            result[index] += sign * ((2 * jobs[count] - 1) * h - (2 * work[count] - 1))
    return result


def _turning(
    law: ContinuousLaw, share: Fraction, low: Fraction, high: Fraction, bits: int
) -> Fraction:
    """A point of [low, high] as near as can be told to where the share of the jobs is `share`."""
    rest = ball(1 - share)
    if low > 0 and law.share_above_at(ball(low)) <= rest:
        return low
    if law.share_above_at(ball(high)) >= rest:
        return high
    for _ in range(bits + 16):
        middle = (low + high) / 2
        above = law.share_above_at(ball(middle))
        if above > rest:
            low = middle
        elif above < rest:
            high = middle
        else:
            return middle
    return (low + high) / 2


def _read(table: Table, key: str, reader: Callable[[Table], L]) -> L:
    """One of the two laws, read as the field `law` is; messages name the field it stands in."""
    try:
        return reader(Table({"law": table.get(key)}, table.name, table.folder))
    except InputError as error:
        name = error.field.replace("law", key, 1)
        raise InputError(name, error.requirement, error.value) from None


def _read_family(table: Table) -> ContinuousLaw:
    """A law with a density: its family and that family's parameters."""
    inner = table.table("law")
    law_form(inner)
    law = FAMILIES[inner.choice("family", tuple(FAMILIES))]
    parameters = read_parameters(inner, law)
    inner.done()
    return law(**parameters)
