"""The optimal dispatcher as a user of the package meets it, for size laws of every form.

A law with up to 1,000 sizes is answered exactly, any other by enclosures that print only digits
that are known; workloads are exact numbers in units of the mean size (`Exact`: a Fraction, an int,
or a string such as "17/20", "0.85" or "1e-3"; a float is refused).
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import overload

from certify.certificate import Certificate, exact
from certify.errors import InputError
from certify.fluid import value
from certify.fluid.characteristics import Crossing, Passage, Row, resolve
from certify.fluid.continuous import ContinuousLaw
from certify.fluid.enclosed import Enclosed
from certify.fluid.enclosure import enclose
from certify.fluid.laws import FiniteLaw, check_load
from certify.fluid.numbers import Ends
from certify.problem import DEFAULT_DIGITS, Exact, to_digits, to_rational

HALF = Fraction(1, 2)


@overload
def dispatch(
    law: FiniteLaw | Sequence[tuple[Exact, Exact]], load: Exact, digits: int = DEFAULT_DIGITS
) -> value.Dispatch: ...


@overload
def dispatch(
    law: ContinuousLaw, load: Exact, digits: int = DEFAULT_DIGITS
) -> "EnclosedDispatch": ...


def dispatch(
    law: FiniteLaw | ContinuousLaw | Sequence[tuple[Exact, Exact]],
    load: Exact,
    digits: int = DEFAULT_DIGITS,
) -> "value.Dispatch | EnclosedDispatch":
    """The optimal dispatcher of a law at a load in (0, 1).

    `load` is an exact number (Exact): a Fraction, an int, or a string such as "17/20", "0.85" or
    "1e-3"; so are all numbers that are asked for later. Floats are refused: 0.85 is not 17/20 then.
    `law` is a FiniteLaw or a list of (size, mass) pairs, then everything is exact; or a law with a
    density (Exponential(), Pareto("3/2"), Mixture(...), ...), then everything is enclosed to
    `digits` digits. Raises InputError for anything else, and for more than 1,000 sizes, of which
    400 up to the exit cutoff: `enclose_value` takes more.
    """
    digits = to_digits(digits)
    if isinstance(law, ContinuousLaw):
        return EnclosedDispatch(law, check_load(load), digits)
    if isinstance(law, list | tuple):
        law = FiniteLaw(tuple(law))
    if not isinstance(law, FiniteLaw):
        requirement = "be a size law, such as Exponential(), or a list of (size, mass) pairs"
        raise InputError("law", requirement, repr(law) if isinstance(law, str) else law)
    return value.solve(law, load, value.IN_PYTHON)


@dataclass(frozen=True)
class EnclosedDispatch:
    """The optimal dispatcher of a law with a density at a load.

    Workloads are in units of the mean size, costs and times follow; every answer is an Enclosed
    number with about `digits` known digits.
    """

    law: ContinuousLaw
    load: Fraction
    digits: int = DEFAULT_DIGITS

    def __repr__(self) -> str:
        return f"EnclosedDispatch(law={self.law!r}, load={exact(self.load)}, saving={self.saving})"

    @cached_property
    def saving(self) -> Enclosed:
        """The share of the cost of balanced routing that is saved, starting from equal queues."""
        return Enclosed(*resolve(self.law, self.load, self.digits, lambda paths: paths.saving))

    @cached_property
    def exit_cutoff(self) -> Enclosed | float:
        """The cutoff once the shorter queue is empty; math.inf if every job joins it then."""
        return _cutoff(resolve(self.law, self.load, self.digits, lambda p: p.exit_cutoff))

    def value(self, u1: Exact, u2: Exact) -> Enclosed:
        """The least cost from workloads u1 and u2; InputError if one is negative."""
        work, imbalance = value.state(u1, u2)
        return Enclosed(*self._row(imbalance).value).times(work * work)

    def at(self, imbalance: Exact) -> Enclosed:
        """The value at total work 1 and a relative imbalance; InputError unless it is in [0, 1]."""
        return Enclosed(*self._row(value.to_imbalance(imbalance, "imbalance")).value)

    def cutoff(self, u1: Exact, u2: Exact) -> Enclosed | float:
        """The cutoff at workloads u1, u2: jobs below it join the shorter queue, jobs above it not.

        `math.inf` where every job joins the shorter queue, whatever its size; exactly 0 at a tie.
        """
        return _cutoff(self._row(value.state(u1, u2)[1]).cutoff)

    def path(self, u1: Exact, u2: Exact) -> "EnclosedPath":
        """The optimal path from u1 and u2; InputError if one is negative or both are 0."""
        work, imbalance = value.state(u1, u2)
        if work == 0:
            raise InputError("u1, u2", "not both be 0 (the system is empty)", "0 and 0")
        return EnclosedPath(self, work, imbalance, to_rational(u2, "u2") < to_rational(u1, "u1"))

    def certificate(self, imbalances: Iterable[Exact] = (0,), path: bool = False) -> Certificate:
        """The certificate of the answers at the asked relative imbalances and total work 1.

        InputError unless there is one and each is an exact number from 0 to 1.
        With `path` also of the optimal path from the smallest of them through the others.
        """
        return enclose(self.law, self.load, imbalances, self.digits, path).certificate()

    def _row(self, imbalance: Fraction) -> Row:
        """The answers at total work 1 and a relative imbalance from 0 to 1."""
        return resolve(self.law, self.load, self.digits, lambda paths: paths.row(imbalance))


@dataclass(frozen=True)
class PathPoint:
    """A point of an optimal path: time since the start, x = u1 + u2, delta = |u2 - u1|, cutoff.

    `imbalance` is delta/x.
    """

    time: Enclosed
    total: Enclosed
    difference: Enclosed
    imbalance: Enclosed
    cutoff: Enclosed | float

    @property
    def short(self) -> Enclosed:
        """The workload of the shorter queue, (x - delta)/2."""
        return Enclosed(
            max(Fraction(0), (self.total.low - self.difference.high) / 2),
            max(Fraction(0), (self.total.high - self.difference.low) / 2),
        )

    @property
    def long(self) -> Enclosed:
        """The workload of the longer queue, (x + delta)/2."""
        return (self.total + self.difference).times(HALF)


@dataclass(frozen=True)
class EnclosedPath:
    """The optimal path of the workloads from total work `work` and relative imbalance `start`.

    The imbalance rises strictly until the shorter queue is empty, and stays 1 from then on; the
    cutoff rises with it (fluid-enclosure.md, Lemma 2 and Corollary 2). `mirrored`: queue 2 is the
    shorter one.
    """

    dispatch: EnclosedDispatch
    work: Fraction
    start: Fraction
    mirrored: bool

    def __repr__(self) -> str:
        return f"EnclosedPath(work={self.work}, start={self.start}, time={self.emptying_time})"

    @property
    def cost(self) -> Enclosed:
        """The cost along the path, the least one from its start."""
        return Enclosed(*self.dispatch._row(self.start).value).times(self.work**2)

    @property
    def emptying_time(self) -> Enclosed:
        """When both queues are empty."""
        axis = self.axis
        # with one queue empty the other falls at the rate 1 - load, but at most at 1/2
        rest = axis.total.times(1 / min(HALF, 1 - self.dispatch.load))
        return axis.time + rest

    @property
    def axis(self) -> PathPoint:
        """The point where the shorter queue becomes empty."""
        return self.at_imbalance(1)

    def at_imbalance(self, imbalance: Exact) -> PathPoint:
        """The point with this relative imbalance; InputError unless it is from the start's to 1."""
        z, law, load = value.to_imbalance(imbalance, "imbalance"), *self._key
        if z < self.start:
            requirement = f"be at least {exact(self.start)} (the imbalance never falls)"
            raise InputError("imbalance", requirement, z)
        cutoff = _cutoff(self.dispatch._row(z).cutoff)
        one = Fraction(1), Fraction(1)
        zero = Fraction(0), Fraction(0)
        found = Passage(z, one, zero)
        if z > self.start:
            found = resolve(law, load, self.dispatch.digits, lambda p: p.passage(self.start, z))
        return self._point(found.time, found.total, (z, z), cutoff)

    def at_cutoff(self, cutoff: Exact) -> PathPoint:
        """The point with this cutoff; InputError unless it lies between the start's and the exit's.

        Cutoffs are in units of the mean size.
        """
        h, law, load = to_rational(cutoff, "cutoff"), *self._key
        found: Crossing | None = None
        if h > 0:
            digits = self.dispatch.digits
            found = resolve(law, load, digits, lambda p: p.crossing(self.start, h))
        if found is None:
            first, last = self.at_imbalance(self.start).cutoff, self.dispatch.exit_cutoff
            raise InputError("cutoff", f"lie between {first!r} and {last!r}", h)
        return self._point(found.time, found.total, found.imbalance, Enclosed(h, h))

    @property
    def _key(self) -> tuple[ContinuousLaw, Fraction]:
        return self.dispatch.law, self.dispatch.load

    def _point(self, time: Ends, total: Ends, z: Ends, cutoff: Enclosed | float) -> PathPoint:
        work = Enclosed(*total).times(self.work)
        difference = Enclosed(work.low * z[0], work.high * z[1])
        elapsed = Enclosed(*time).times(self.work)
        return PathPoint(elapsed, work, difference, Enclosed(*z), cutoff)


def _cutoff(ends: Ends | None) -> Enclosed | float:
    return math.inf if ends is None else Enclosed(*ends)
