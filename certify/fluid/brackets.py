"""Bounds of the least cost from rational bin data, and the certified regret of routing by bins.

The upper end is the exact cost of the best control that sees only the bin of a job's size. The
lower end is the value of a law more variable than the given one, through upper bounds of
E|S - h| at finitely many knots. Source: proofs_checks/theorems/fluid-bracket.md; the idea is
announced in doi 10.5281/zenodo.23586955 (key result 6).
"""

import logging
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate, pairwise
from numbers import Integral
from typing import TYPE_CHECKING, Any, Protocol

from flint import fmpz

from certify.balls import at_least, at_most, ball, ends, precision, round_down, round_up
from certify.certificate import Certificate, exact
from certify.errors import InputError
from certify.fluid.laws import FiniteLaw, check_load, law_form, read_law
from certify.fluid.value import Dispatch, Sector, note, shown, solve, to_imbalance
from certify.problem import Exact, Table, require_type, to_count, to_rational

EXACT_SIZES = 60  # up to so many sizes the lower end is the least cost itself
DIGITS = 40  # to which the sectors of the lower end are rounded
MAX_BINS = 200
MAX_KNOTS = 2000
NEARLY_ZERO = Fraction(1, 10**20)
MAX_POWER = 1000  # of the numerator and the denominator of a Pareto law's shape

Shares = tuple[Fraction, Fraction]


class BinLaw(Protocol):
    """What a law must tell about its bins, in exact rationals."""

    @property
    def lowest(self) -> Fraction:
        """The smallest size."""

    def above(self, size: Fraction) -> Shares:
        """The shares of the jobs and of the work above a size at which they are rational."""

    def near(self, work: Fraction) -> Fraction:
        """A size at which `above` is rational and below which about that share of the work lies."""

    def root(self, size: Fraction) -> Fraction | None:
        """What the checker needs to see that the shares above a size are rational, if anything."""

    def to_claim(self) -> dict[str, Any]:
        """The `law` field of a claim."""


@dataclass(frozen=True)
class FiniteBins:
    """The bins of a finite law: each ends with one of the sizes."""

    law: FiniteLaw
    jobs: list[Fraction] = field(init=False, repr=False)
    work: list[Fraction] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        masses = [mass for _, mass in self.law.atoms]
        works = [size * mass for size, mass in self.law.atoms]
        object.__setattr__(self, "jobs", [Fraction(0), *accumulate(masses)])
        object.__setattr__(self, "work", [Fraction(0), *accumulate(works)])

    @property
    def lowest(self) -> Fraction:
        """The smallest size."""
        return self.law.atoms[0][0]

    def above(self, size: Fraction) -> Shares:
        """See `BinLaw`: rational everywhere."""
        most = bisect_right(self.law.atoms, size, key=lambda atom: atom[0])
        return 1 - self.jobs[most], 1 - self.work[most]

    def near(self, work: Fraction) -> Fraction:
        """See `BinLaw`: the smallest size with at least that share of the work up to it."""
        return self.law.atoms[max(bisect_left(self.work, work), 1) - 1][0]

    def root(self, size: Fraction) -> None:
        """Nothing is needed."""

    def to_claim(self) -> dict[str, Any]:
        """See `BinLaw`."""
        return self.law.to_claim()


@dataclass(frozen=True)
class UniformBins:
    """The bins of uniform sizes from `lowest` to 2 - lowest, 0 <= lowest < 1."""

    lowest: Fraction = Fraction(0)

    if TYPE_CHECKING:

        def __init__(self, lowest: Exact = 0) -> None: ...

    def __post_init__(self) -> None:
        lowest = to_rational(self.lowest, "law.lowest")
        if not 0 <= lowest < 1:
            raise InputError("law.lowest", "be at least 0 and less than 1", lowest)
        object.__setattr__(self, "lowest", lowest)

    def above(self, size: Fraction) -> Shares:
        """See `BinLaw`: rational everywhere."""
        high = 2 - self.lowest
        size = min(max(size, self.lowest), high)
        jobs = (high - size) / (high - self.lowest)
        return jobs, jobs * (high + size) / 2

    def near(self, work: Fraction) -> Fraction:
        """See `BinLaw`: to six digits."""
        return _rounded(self.lowest**2 + 4 * (1 - self.lowest) * work, Fraction(1, 2))

    def root(self, size: Fraction) -> None:
        """Nothing is needed."""

    def to_claim(self) -> dict[str, Any]:
        """See `BinLaw`."""
        return {"family": "uniform", "lowest": exact(self.lowest)}


@dataclass(frozen=True)
class ParetoBins:
    """The bins of a Pareto law: P(S > h) = (low/h)**shape from low = (shape - 1)/shape on.

    With shape = p/q in lowest terms the shares are rational at the sizes low t**q, t rational.
    """

    shape: Fraction

    if TYPE_CHECKING:

        def __init__(self, shape: Exact) -> None: ...

    def __post_init__(self) -> None:
        shape = to_rational(self.shape, "law.shape")
        if shape <= 1:
            requirement = "be greater than 1 (otherwise the mean is infinite)"
            raise InputError("law.shape", requirement, shape)
        if max(shape.numerator, shape.denominator) > MAX_POWER:
            requirement = f"be a fraction of numbers up to {MAX_POWER}"
            raise InputError("law.shape", requirement, shape)
        object.__setattr__(self, "shape", shape)

    @property
    def lowest(self) -> Fraction:
        """The smallest size."""
        return 1 - 1 / self.shape

    def size(self, root: Fraction) -> Fraction:
        """The size low t**q of a root t >= 1."""
        return self.lowest * root**self.shape.denominator

    def above(self, size: Fraction) -> Shares:
        """See `BinLaw`; the size must have a rational root."""
        root = self.root(size)
        p, q = self.shape.numerator, self.shape.denominator
        return 1 / root**p, 1 / root ** (p - q)

    def near(self, work: Fraction) -> Fraction:
        """See `BinLaw`: exact if the root (1 - work)**(-1/(p - q)) is 1/(1 - work)."""
        power = self.shape.numerator - self.shape.denominator
        root = 1 / (1 - work)
        return self.size(root if power == 1 else _rounded(root, Fraction(1, power)))

    def root(self, size: Fraction) -> Fraction:
        """The t >= 1 with low t**q = size; InputError if it is not rational."""
        power = size / self.lowest
        q = self.shape.denominator
        root = Fraction(0)
        if power > 0:
            root = Fraction(_integer_root(power.numerator, q), _integer_root(power.denominator, q))
        if root**q != power or root < 1:
            requirement = f"hold sizes (shape - 1)/shape t^{q} with a rational t of at least 1"
            raise InputError("bins", requirement, size)
        return root

    def to_claim(self) -> dict[str, Any]:
        """See `BinLaw`."""
        return {"family": "pareto", "shape": exact(self.shape)}


LAWS = (FiniteLaw, FiniteBins, ParetoBins, UniformBins)


@dataclass(frozen=True)
class Bracket:
    """Two-sided bounds of the least cost from one imbalance at total work 1.

    `policy` is the best control that sees only the bins (its sizes are their conditional means)
    and costs exactly `upper`; `below` are sectors whose forms are at most the least cost.
    """

    law: BinLaw
    load: Fraction
    imbalance: Fraction
    bins: tuple[Fraction, ...]
    knots: tuple[Fraction, ...]
    below: tuple[Sector, ...]
    policy: Dispatch
    lower: Fraction

    def __repr__(self) -> str:
        ends = f"lower={at_least(self.lower, 12)}, upper={at_most(self.upper, 12)}"
        place = f"load={shown(self.load)}, imbalance={shown(self.imbalance)}"
        return f"Bracket({place}, bins={len(self.bins) + 1}, {ends})"

    @property
    def upper(self) -> Fraction:
        """The exact cost of routing by bins."""
        return self.policy.at(self.imbalance)

    @property
    def regret(self) -> Fraction:
        """At most so much more than the least cost is what routing by bins costs."""
        return self.upper - self.lower

    def certificate(self) -> Certificate:
        """The certificate; its witness holds the sectors of both ends."""
        claim = {"law": self.law.to_claim(), "bins": [exact(end) for end in self.bins]}
        names = "load imbalance lower upper regret"
        claim |= {name: exact(getattr(self, name)) for name in names.split()}
        sizes = sorted({*self.knots, *self.bins})
        roots = (self.law.root(size) for size in sizes)
        witness = {
            "roots": [exact(root) for root in roots if root is not None and root > 1],
            "below": [sector.to_claim() for sector in self.below],
            "above": [sector.to_claim() for sector in self.policy.sectors],
        }
        return Certificate("fluid-bracket", claim, witness)


def bracket(
    law: FiniteLaw | BinLaw,
    load: Exact,
    bins: int | Iterable[Exact],
    imbalance: Exact = 0,
    knots: int | None = None,
) -> Bracket:
    """Bounds from a number of bins (of about equal work), or from the ends of all but the last.

    The lower end uses `knots` sizes where it is not the least cost itself, about as many as there
    are bins by default. Raises InputError for what the certificate cannot state.
    """
    require_type(law, LAWS, "law", "a FiniteLaw, ParetoBins(...) or UniformBins(...)")
    rho, z = check_load(load), to_imbalance(imbalance, "imbalance")
    if knots is not None:
        knots = to_count(knots, "knots", 2, MAX_KNOTS)
    known: BinLaw = FiniteBins(law) if isinstance(law, FiniteLaw) else law
    cuts = _bin_ends(known, rho, bins)
    policy = solve(_conditional_means(known, cuts), rho)
    if isinstance(law, FiniteLaw) and len(law.atoms) <= EXACT_SIZES:
        points: tuple[Fraction, ...] = ()
        below = solve(law, rho).sectors
    else:
        count = max(len(cuts) + 1, 2) if knots is None else knots
        points = tuple(sorted({*cuts, *_equal_work(known, rho, count)}))
        below = _lower_sectors(known, rho, points)
    square, linear, quadratic = next(s.form for s in below if s.lower <= z <= s.upper)
    lower = square + z * (linear + z * quadratic)
    if points:
        lower = round_down(lower, DIGITS // 2)
    return Bracket(known, rho, z, cuts, points, below, policy, lower)


def make(table: Table) -> Certificate:
    """The certificate of a problem of kind `fluid-bracket`."""
    return read_bracket(table).certificate()


def read_bracket(table: Table) -> Bracket:
    """The bracket that a problem of kind `fluid-bracket` asks for."""
    law, load = _read_law(table), table.rational("load")
    imbalance = table.rational("imbalance", 0)
    given = table.get("bins")
    bins: Any = table.rationals("bins") if isinstance(given, list) else given
    knots = table.integer("knots", 2, MAX_KNOTS) if table.has("knots") else None
    table.done()
    if isinstance(law, FiniteLaw):
        note(law)
    found = bracket(law, load, bins, imbalance, knots)
    tell_bins(given, len(found.bins) + 1)
    return found


def tell_bins(asked: Any, made: int) -> None:
    """Say why there are fewer bins than a problem asks for (on stderr unless logging is set)."""
    if isinstance(asked, int) and made < asked:
        logging.getLogger("certify").warning(
            "bins = %s gives %s: no size is cut in two, and cuts that coincide are made once",
            asked,
            made,
        )


def words(claim: dict[str, Any]) -> str:
    """What a claim of this kind states, in one sentence."""
    bins = len(claim["bins"]) + 1
    return (
        f"At load {shown(claim['load'])} and imbalance {shown(claim['imbalance'])} the least cost "
        f"at total work 1 is at least {_bound(claim['lower'], at_least)}; routing by {bins} "
        f"bin{'s' * (bins > 1)} of sizes costs {shown(claim['upper'])}, at most "
        f"{_bound(claim['regret'], at_most)} more."
    )


def _bound(text: str, rounded: Callable[[str, int], str]) -> str:
    return text if len(text) <= 24 else rounded(text, 12)


def _read_law(table: Table) -> FiniteLaw | BinLaw:
    inner = table.table("law")
    if law_form(inner) != "family":
        return read_law(table)
    if inner.choice("family", ("pareto", "uniform")) == "uniform":
        lowest = inner.rational("lowest", 0)
        inner.done()
        return UniformBins(lowest)
    shape = inner.rational("shape")
    inner.done()
    return ParetoBins(shape)


def to_bins(bins: Any) -> int | tuple[Fraction, ...]:
    """A number of bins, or the sizes at which all but the last end; InputError for all else."""
    if isinstance(bins, Integral) and not isinstance(bins, bool):
        count = int(bins)
        if not 1 <= count <= MAX_BINS:
            raise InputError("bins", f"be a whole number from 1 to {MAX_BINS}, or sizes", count)
        return count
    if isinstance(bins, str | bytes | Mapping) or not isinstance(bins, Iterable):
        shown = repr(bins) if isinstance(bins, str) else bins
        raise InputError("bins", "be a whole number or a list of sizes", shown)
    cuts = tuple(to_rational(size, f"bins[{i}]") for i, size in enumerate(bins))
    if len(cuts) >= MAX_BINS:
        raise InputError("bins", f"be at most {MAX_BINS - 1} sizes", len(cuts))
    return cuts


def _bin_ends(law: BinLaw, load: Fraction, bins: int | Iterable[Any]) -> tuple[Fraction, ...]:
    """The sizes at which all bins but the last end."""
    cuts = to_bins(bins)
    if isinstance(cuts, int):
        return _equal_work(law, load, cuts)
    jobs = Fraction(1)
    for index, size in enumerate(cuts):
        rest = law.above(size)[0]
        if rest >= jobs or (index and size <= cuts[index - 1]):
            raise InputError(f"bins[{index}]", "end a bin with jobs above the last", size)
        jobs = rest
    if jobs == 0:
        raise InputError("bins", "leave jobs for the last bin", cuts[-1])
    return cuts


def _equal_work(law: BinLaw, load: Fraction, count: int) -> tuple[Fraction, ...]:
    """At most count - 1 sizes that cut the work up to the exit cutoff into about equal shares.

    Beyond the exit cutoff all jobs join the longer queue: one bin is enough for them.
    """
    if 2 * load > 1:
        shares = [Fraction(i, count - 1) / (2 * load) for i in range(1, count)]
    else:
        shares = [Fraction(i, count) for i in range(1, count)]
    cuts: list[Fraction] = []
    jobs = Fraction(1)
    for share in shares:
        size = law.near(share)
        rest = law.above(size)[0]
        if 0 < rest < jobs:
            cuts.append(size)
            jobs = rest
    return tuple(cuts)


def _conditional_means(law: BinLaw, cuts: Sequence[Fraction]) -> FiniteLaw:
    """The law of the conditional mean of the size, given its bin."""
    rests = [(Fraction(1), Fraction(1)), *map(law.above, cuts), (Fraction(0), Fraction(0))]
    atoms = []
    for (jobs, work), (jobs_left, work_left) in pairwise(rests):
        atoms.append(((work - work_left) / (jobs - jobs_left), jobs - jobs_left))
    return FiniteLaw(tuple(atoms))


def _lower_sectors(law: BinLaw, load: Fraction, knots: Sequence[Fraction]) -> tuple[Sector, ...]:
    """Sectors below the least cost, from E|S - h| at the knots (fluid-bracket.md, Finding them).

    Every number is rounded to 40 digits; then one constant is taken off V_x so that the
    Hamilton-Jacobi inequality holds exactly on every edge.
    """
    shares = {size: law.above(size) for size in knots if size > law.lowest}
    excess = {Fraction(0): Fraction(1), law.lowest: 1 - law.lowest}  # E(S - h)+ at the knots
    excess |= {size: work - size * jobs for size, (jobs, work) in shares.items()}
    deviation = Chords(sorted(excess), [size - 1 + 2 * excess[size] for size in sorted(excess)])
    edges = _edges(load, deviation)
    # V_x on every edge: exact on the axis, then as the gradient of one form on every sector
    top, g = edges[-1]
    slopes = [load * (1 - g * deviation.at(top / g)) / (1 - load)]
    for (z0, g0), (z1, g1) in reversed(list(pairwise(edges))):
        slopes.append(slopes[-1] + g0 * z1 - g1 * z0)
    slopes.reverse()
    too_much = max(
        slope - load * (1 - g * deviation.at(z / g)) / (1 - load)
        for (z, g), slope in zip(edges, slopes, strict=True)
    )
    shift = round_up(too_much, DIGITS)
    sectors = []
    for (z0, g0), (z1, g1), slope in zip(edges, edges[1:], slopes[1:], strict=False):
        linear, quadratic = (g1 * z0 - g0 * z1) / (z1 - z0), (g0 - g1) / (z1 - z0) / 2
        sectors.append(Sector(z0, z1, ((slope - shift - linear * z1) / 2, linear, quadratic)))
    return tuple(sectors)


@dataclass(frozen=True)
class Chords:
    """An upper bound of E|S - h|: chords between knots, slope 1 beyond the last."""

    knots: list[Fraction]
    values: list[Fraction]

    def at(self, h: Fraction) -> Fraction:
        """The bound at h >= 0."""
        right = bisect_right(self.knots, h)
        low, value = self.knots[right - 1], self.values[right - 1]
        if right == len(self.knots):
            return value + h - low
        slope = (self.values[right] - value) / (self.knots[right] - low)
        return value + slope * (h - low)


def _edges(load: Fraction, deviation: Chords) -> list[tuple[Fraction, Fraction]]:
    """(z, g) of the optimal path of the law with that E|S - h|, rounded, from a tie to the axis."""
    k = (1 - load) / load
    points = list(zip(deviation.knots, deviation.values, strict=True))
    rises = [
        value - low * (after - value) / (high - low)
        for (low, value), (high, after) in pairwise(points)
    ]
    last, value = points[-1]
    rises.append(value - last)  # D - h D', which does not rise
    exit_at = next((i for i, rise in enumerate(rises) if rise + k <= 0), None)
    if exit_at is None:
        # the cutoff is infinite on the axis: g = 0 there, here a little more
        X = 1 + k / value
        edges = [(Fraction(1), NEARLY_ZERO)]
    else:
        points = points[: exit_at + 1]
        last, value = points[-1]
        X, edges = last / value, [(Fraction(1), 1 / last)]
    for index in reversed(range(len(points))):
        size, value = points[index]
        if index + 1 < len(points):
            high, after = points[index + 1]
            X = round_down(X + k * (high - size) / (value * after), DIGITS + 10)
        g = 1 / (value * X)
        z = round_down(size * g, DIGITS)
        if z < edges[-1][0]:
            edges.append((z, round_down(g, DIGITS)))
    return edges[::-1]


def _rounded(base: Fraction, power: Fraction) -> Fraction:
    """base**power to six significant digits, base >= 1 or power > 0."""
    with precision(256):
        low, _ = ends(ball(base) ** ball(power))
    return round_down(low, 6)


def _integer_root(number: int, degree: int) -> int:
    """The largest integer whose power of that degree is at most `number`."""
    return int(fmpz(number).root(degree))
