"""What a dispatcher loses that sees only an estimate of the size of every job.

Optimal routing on an estimate is optimal routing for the conditional mean of the size given the
estimate. Finite joint laws of size and estimate are answered exactly, lognormal sizes seen through
lognormal noise by enclosures. Source: proofs_checks/theorems/fluid-noise.md.
"""

import logging
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, groupby
from typing import TYPE_CHECKING, Any

from flint import arb

from certify.balls import ball, ends, nearest, outward, precision
from certify.certificate import Certificate, exact, interval
from certify.errors import InputError
from certify.fluid.continuous import LONGEST, Lognormal
from certify.fluid.enclosure import Enclosure, enclose
from certify.fluid.laws import FiniteLaw, check_load
from certify.fluid.numbers import Ends, about, upper
from certify.fluid.value import Dispatch, shown, solve, to_imbalances
from certify.fluid.wasserstein import embedded, wasserstein_distance
from certify.problem import DEFAULT_DIGITS, Exact, Table, require_type, to_digits, to_rational

MEANINGS = ("signal", "conditional-mean")
ROOT_BITS = 400
MOST_DIGITS = 60  # what parameters of 40 digits leave room for

Entry = tuple[Fraction, Fraction, Fraction]


@dataclass(frozen=True)
class JointLaw:
    """A finite joint law of job size and estimate: `entries` are (size, estimate, mass) triples.

    Sizes are at least 0 with mean exactly 1, masses positive with sum 1; entries may come in any
    order, and equal ones are merged. An `estimate` is a "signal", any number that goes with the
    size, or declared to be the "conditional-mean" size of the jobs that have it, which is then
    tested. `scale` is the mean size in the units in which sizes and estimates were given. Raises
    InputError. Source: proofs_checks/theorems/fluid-noise.md, Hypotheses.
    """

    entries: tuple[Entry, ...]
    estimate: str = "signal"
    scale: Fraction = Fraction(1)
    notes: tuple[str, ...] = field(init=False, compare=False, repr=False, default=())

    if TYPE_CHECKING:

        def __init__(
            self,
            entries: Iterable[tuple[Exact, Exact, Exact]],
            estimate: str = "signal",
            scale: Exact = 1,
        ) -> None: ...

    def __repr__(self) -> str:
        count, scale = len(self.entries), exact(self.scale)
        return f"JointLaw({count:,} entries, estimate={self.estimate!r}, scale={scale})"

    def __post_init__(self) -> None:
        masses: dict[tuple[Fraction, Fraction], Fraction] = {}
        notes = []
        for index, (size, estimate, mass) in enumerate(_entries(self.entries)):
            key = estimate, size
            if key in masses:
                notes.append(f"joint[{index}] repeats a size and estimate: its mass is added.")
            masses[key] = masses.get(key, Fraction(0)) + mass
        scale = to_rational(self.scale, "scale")
        if scale <= 0:
            raise InputError("scale", "be positive", scale)
        if self.estimate not in MEANINGS:
            raise InputError("estimate", "be one of " + ", ".join(MEANINGS), self.estimate)
        total = sum(masses.values(), Fraction(0))
        if total != 1:
            raise InputError("joint", "have masses that sum to 1", f"a sum of {exact(total)}")
        mean = sum((size * mass for (_, size), mass in masses.items()), Fraction(0))
        if mean != 1:
            raise InputError(
                "joint",
                "have mean size 1 (JointLaw.rescaled, in a problem rescale = true, divides sizes "
                "by their mean)",
                f"a mean of {exact(mean)}",
            )
        entries = tuple(
            (size, estimate, masses[estimate, size]) for estimate, size in sorted(masses)
        )
        object.__setattr__(self, "entries", entries)
        object.__setattr__(self, "scale", scale)
        object.__setattr__(self, "notes", tuple(notes))
        if self.estimate == "conditional-mean":
            self._test_means()

    @classmethod
    def rescaled(
        cls, entries: Iterable[tuple[Exact, Exact, Exact]], estimate: str = "signal"
    ) -> "JointLaw":
        """The joint law with sizes and estimates in units of the mean size, which is `scale`."""
        given = _entries(entries)
        mean = sum((size * mass for size, _, mass in given), Fraction(0))
        if mean == 0:
            raise InputError("joint", "have a positive mean size", "all sizes zero")
        return cls(tuple((s / mean, y / mean, mass) for s, y, mass in given), estimate, mean)

    @cached_property
    def means(self) -> tuple[tuple[Fraction, Fraction, Fraction], ...]:
        """(estimate, conditional mean size, mass) for every estimate, rising."""
        found = []
        for estimate, group in groupby(self.entries, key=lambda entry: entry[1]):
            members = list(group)
            jobs = sum((mass for _, _, mass in members), Fraction(0))
            work = sum((size * mass for size, _, mass in members), Fraction(0))
            found.append((estimate, work / jobs, jobs))
        return tuple(found)

    @cached_property
    def full(self) -> FiniteLaw:
        """The law of the size."""
        return _merged((size, mass) for size, _, mass in self.entries)

    @cached_property
    def seen(self) -> FiniteLaw:
        """The law of the conditional mean of the size given the estimate."""
        return _merged((mean, mass) for _, mean, mass in self.means)

    @property
    def mean_error(self) -> Fraction:
        """The mean distance of the size from its conditional mean."""
        mean = {estimate: each for estimate, each, _ in self.means}
        return sum((mass * abs(s - mean[y]) for s, y, mass in self.entries), Fraction(0))

    def _test_means(self) -> None:
        for estimate, mean, _ in self.means:
            if estimate != mean:
                requirement = (
                    "have estimates that are the mean size of the jobs with that estimate (as "
                    'estimate = "conditional-mean" declares; "signal" makes no such claim)'
                )
                found = f"a mean size of {exact(mean)} at the estimate {exact(estimate)}"
                raise InputError("joint", requirement, found)


@dataclass(frozen=True)
class NoiseLoss:
    """The least costs with sizes seen (`full`) and with estimates seen (`seen`), exactly."""

    joint: JointLaw
    full: Dispatch
    seen: Dispatch

    def __repr__(self) -> str:
        tie = shown(self.at(Fraction(0)))
        return f"NoiseLoss(load={shown(self.full.load)}, from a tie {tie})"

    def at(self, imbalance: Exact) -> Fraction:
        """What not seeing the sizes costs at total work 1 and an imbalance from 0 to 1."""
        return self.seen.at(imbalance) - self.full.at(imbalance)

    @property
    def least_deviation(self) -> Fraction:
        """The least E|M - h|, M the conditional mean of the size; 0 if M is constant."""
        atoms = self.joint.seen.atoms
        shares = list(accumulate(mass for _, mass in atoms))
        median = atoms[bisect_left(shares, Fraction(1, 2))][0]
        return sum((mass * abs(size - median) for size, mass in atoms), Fraction(0))

    @cached_property
    def distance(self) -> Fraction:
        """The Wasserstein distance of the laws of the size and of its conditional mean."""
        return wasserstein_distance(self.joint.full, self.joint.seen)

    @property
    def bound(self) -> Fraction:
        """At most so much is lost from every start of total work 1."""
        load = self.full.load
        return load * load / (1 - load) * self.distance

    @property
    def tie_bound(self) -> Fraction:
        """At most so much is lost from a tie of total work 1; exactly that if M is constant."""
        half = self.full.load / (2 * (1 - self.full.load))
        least = self.least_deviation
        if least == 0:
            return half * self.full.saving
        return ((1 + self.joint.mean_error / least) ** 2 - 1) * half * self.seen.saving

    def certificate(self, imbalances: Iterable[Exact] = (0,)) -> Certificate:
        """The certificate with the loss at the asked relative imbalances."""
        asked = to_imbalances(imbalances)
        joint = self.joint
        rows = [
            {
                "imbalance": exact(z),
                "full": exact(self.full.at(z)),
                "seen": exact(self.seen.at(z)),
                "loss": exact(self.at(z)),
            }
            for z in asked
        ]
        claim: dict[str, Any] = {
            "joint": [[exact(number) for number in entry] for entry in joint.entries],
            "estimate": joint.estimate,
            "load": exact(self.full.load),
            "mean_error": exact(joint.mean_error),
            "least_deviation": exact(self.least_deviation),
            "distance": exact(self.distance),
            "bound": exact(self.bound),
            "tie_bound": exact(self.tie_bound),
            "rows": rows,
        }
        if joint.scale != 1:
            claim["scale"] = exact(joint.scale)
        witness = {
            name: [sector.to_claim() for sector in dispatch.sectors]
            for name, dispatch in (("full", self.full), ("seen", self.seen))
        }
        return Certificate("fluid-noise", claim, witness)


@dataclass(frozen=True)
class LognormalNoise:
    """Lognormal sizes with mean one seen through independent lognormal noise.

    `sigma` is the standard deviation of the logarithm of the size, `noise` that of the logarithm of
    estimate over size; InputError unless both are positive, with at most 40 digits.
    """

    sigma: Fraction
    noise: Fraction

    if TYPE_CHECKING:

        def __init__(self, sigma: Exact, noise: Exact) -> None: ...

    def __post_init__(self) -> None:
        for name, label in (("sigma", "sizes.sigma"), ("noise", "noise")):
            value = to_rational(getattr(self, name), label)
            if value <= 0:
                raise InputError(label, "be greater than 0", value)
            if max(value.numerator, value.denominator) > LONGEST:
                raise InputError(label, "have at most 40 digits above and below the line", value)
            object.__setattr__(self, name, value)

    @property
    def seen_variance(self) -> Fraction:
        """The variance of the logarithm of the conditional mean size."""
        return self.sigma**4 / (self.sigma**2 + self.noise**2)

    @property
    def hidden_variance(self) -> Fraction:
        """The variance of the logarithm of the size given the estimate."""
        return self.sigma**2 - self.seen_variance


@dataclass(frozen=True)
class EnclosedNoiseLoss:
    """Enclosures at the asked imbalances of the least costs with sizes seen and estimates seen.

    `seen` are the optimal dispatchers for one or two lognormal laws between which the conditional
    mean lies in the convex order, the less spread one first.
    """

    law: LognormalNoise
    full: Enclosure
    seen: tuple[Enclosure, ...]
    mean_error: Ends
    least_deviation: Ends
    distance: Ends
    bound: Ends
    tie_bound: Ends
    bits: int

    def __repr__(self) -> str:
        (low, high), (row, *_) = self.losses[0], self.full.rows
        at, loss = exact(row.imbalance), nearest((low + high) / 2, 12)
        return f"EnclosedNoiseLoss(load={exact(self.full.load)}, imbalance {at}: {loss})"

    @property
    def costs(self) -> tuple[Ends, ...]:
        """The least cost with estimates seen, at every asked imbalance."""
        pairs = zip(self.seen[0].rows, self.seen[-1].rows, strict=True)
        return tuple((last.value[0], first.value[1]) for first, last in pairs)

    @property
    def losses(self) -> tuple[Ends, ...]:
        """What not seeing the sizes costs, at every asked imbalance."""
        pairs = zip(self.full.rows, self.costs, strict=True)
        return tuple(
            (max(Fraction(0), seen[0] - full.value[1]), seen[1] - full.value[0])
            for full, seen in pairs
        )

    def certificate(self) -> Certificate:
        """The certificate; its witness holds certificates of the least costs."""
        rows = [
            {
                "imbalance": exact(full.imbalance),
                "full": interval(*full.value),
                "seen": interval(*seen),
                "loss": interval(*loss),
            }
            for full, seen, loss in zip(self.full.rows, self.costs, self.losses, strict=True)
        ]
        numbers = {
            "mean_error": self.mean_error,
            "least_deviation": self.least_deviation,
            "distance": self.distance,
            "bound": self.bound,
            "tie_bound": self.tie_bound,
        }
        claim = {
            "sizes": {"family": "lognormal", "sigma": exact(self.law.sigma)},
            "noise": exact(self.law.noise),
            "load": exact(self.full.load),
            "rows": rows,
        } | {name: interval(*ends) for name, ends in numbers.items()}
        witness = {
            "precision": self.bits,
            "full": embedded(self.full),
            "seen": [embedded(each) | {"sigma": _sigma(each)} for each in self.seen],
        }
        return Certificate("fluid-noise", claim, witness)


def loss_from_noise(joint: JointLaw, load: Exact) -> NoiseLoss:
    """The loss of a dispatcher that sees only the estimates of a finite joint law.

    Raises InputError for a load outside (0, 1) and for laws that are too long for exact values.
    """
    require_type(joint, JointLaw, "joint", "a JointLaw")
    return NoiseLoss(joint, solve(joint.full, load), solve(joint.seen, load))


def enclose_noise(
    law: LognormalNoise,
    load: Exact,
    imbalances: Iterable[Exact] = (0,),
    digits: int = DEFAULT_DIGITS,
) -> EnclosedNoiseLoss:
    """The loss through lognormal noise, every least cost with at least `digits` digits.

    Raises InputError for a load outside (0, 1), an imbalance outside [0, 1], or more than 60
    digits.
    """
    require_type(law, LognormalNoise, "law", "LognormalNoise(...)")
    rho, asked, digits = check_load(load), to_imbalances(imbalances), to_digits(digits)
    if digits > MOST_DIGITS:
        raise InputError("digits", f"be at most {MOST_DIGITS} for lognormal noise", digits)
    full = enclose(Lognormal(law.sigma), rho, asked, digits)
    finer = digits + 2  # the two laws around the conditional mean leave a little open
    seen = tuple(
        enclose(Lognormal(sigma), rho, asked, finer) for sigma in _around_root(law.seen_variance)
    )
    bits = max(each.bits for each in (full, *seen))
    with precision(bits + 32):
        error = _deviation_at_one(ball(law.hidden_variance).sqrt())
        least = _deviation_at_one(2 * ball(law.seen_variance).sqrt()) / 2
        distance = _deviation_at_one(ball(law.sigma) - ball(law.seen_variance).sqrt())
        kappa = ball(rho / (1 - rho))
        saving = ball(seen[0].saving[0]).union(ball(seen[-1].saving[1]))
        tie = kappa / 2 * ((1 + error / least) ** 2 - 1) * saving
        bound = kappa * ball(rho) * distance
        return EnclosedNoiseLoss(
            law,
            full,
            seen,
            outward(error, digits + 2),
            outward(least, digits + 2),
            outward(distance, digits + 2),
            outward(bound, digits + 2),
            outward(tie, digits + 2),
            bits,
        )


def make(table: Table) -> Certificate:
    """The certificate of a problem of kind `fluid-noise`."""
    if table.has("joint") == table.has("sizes"):
        found = "both" if table.has("joint") else "neither"
        raise InputError("joint", "be given, or else sizes and noise", found)
    load, imbalances = table.rational("load"), table.rationals("imbalances", (0,))
    if table.has("joint"):
        entries, rescale = table.get("joint"), table.flag("rescale")
        estimate = table.choice("estimate", MEANINGS, "signal")
        table.done()
        joint = (JointLaw.rescaled if rescale else JointLaw)(entries, estimate)
        for line in joint.notes:
            logging.getLogger("certify").warning(line)
        return loss_from_noise(joint, load).certificate(imbalances)
    inner = table.table("sizes")
    inner.choice("family", ("lognormal",))
    law = LognormalNoise(inner.rational("sigma"), table.rational("noise"))
    inner.done()
    digits = table.digits()
    table.done()
    return enclose_noise(law, load, imbalances, digits).certificate()


def words(claim: dict[str, Any]) -> str:
    """What a claim of this kind states, in one sentence."""
    row = claim["rows"][0]
    if "joint" in claim:
        sizes = f"estimates of the sizes in a joint law of {len(claim['joint'])} entries"
        values = [shown(row[name]) for name in ("loss", "full", "seen")]
    else:
        sigma, noise = shown(claim["sizes"]["sigma"]), shown(claim["noise"])
        sizes = f"lognormal sizes (sigma {sigma}) through lognormal noise (sigma {noise})"
        values = [about(row[name]) for name in ("loss", "full", "seen")]
    return (
        f"A dispatcher of two queues at load {shown(claim['load'])} that sees only {sizes} loses "
        f"{values[0]} at total work 1 and imbalance {shown(row['imbalance'])} (least cost "
        f"{values[1]} with sizes seen, {values[2]} without), and at most {upper(claim['bound'])} "
        "from any start of total work 1."
    )


def _entries(values: Any) -> list[Entry]:
    """(size, estimate, mass) triples of exact numbers, sizes at least 0 and masses positive."""
    if isinstance(values, str | dict) or not isinstance(values, Iterable):
        raise InputError("joint", "be a list of [size, estimate, mass] triples", values)
    entries = []
    for index, triple in enumerate(values):
        name = f"joint[{index}]"
        if not isinstance(triple, list | tuple) or len(triple) != 3:
            raise InputError(name, "be a [size, estimate, mass] triple", triple)
        size, estimate, mass = (to_rational(value, name) for value in triple)
        if size < 0:
            raise InputError(name, "have a size of at least 0", size)
        if mass <= 0:
            raise InputError(name, "have a positive mass", mass)
        entries.append((size, estimate, mass))
    if not entries:
        raise InputError("joint", "have at least one entry", "an empty list")
    return entries


def _merged(atoms: Iterable[tuple[Fraction, Fraction]]) -> FiniteLaw:
    masses: dict[Fraction, Fraction] = {}
    for size, mass in atoms:
        masses[size] = masses.get(size, Fraction(0)) + mass
    return FiniteLaw(tuple(masses.items()))


def _around_root(square: Fraction) -> tuple[Fraction, ...]:
    """The root if it is rational, else two rationals close below and above it.

    They are convergents of the root's continued fraction, which lie on either side of it in turn.
    """
    low, high = Fraction(0), Fraction(0)
    p0, p1, q0, q1 = 0, 1, 1, 0
    with precision(ROOT_BITS):
        rest = ball(square).sqrt()
        while True:
            whole = int(ends(rest.mid())[0].__floor__())
            p0, p1, q0, q1 = p1, whole * p1 + p0, q1, whole * q1 + q0
            if max(p1, q1) > LONGEST:
                break
            found = Fraction(p1, q1)
            if found * found == square:
                return (found,)
            if found * found < square:
                low = found
            else:
                high = found
            rest = 1 / (rest - whole)
    if low == 0 or high == 0:
        raise InputError("noise", "leave a conditional mean with a sigma near 1", square)
    return low, high


def _sigma(found: Enclosure) -> str:
    return str(found.law.to_claim()["sigma"])


def _deviation_at_one(sigma: arb) -> arb:
    """E|L - 1| for a lognormal L with mean one: 2 (1 - 2 P(N > sigma/2))."""
    return 2 * (sigma / arb(8).sqrt()).erf()
