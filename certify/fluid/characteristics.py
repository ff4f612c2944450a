"""Optimal paths of a continuous size law in ball arithmetic: exit cutoff, X(h), Z(h), and the rest.

Along an optimal path the cutoff h rises; the total work is C X(h) and the imbalance C h/D(h) with
a constant level C, so that everything follows from X, one integral of 1/D**2. Source:
proofs_checks/theorems/fluid-enclosure.md.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TypeVar

from flint import arb, ctx

from certify.balls import at_most, ball, ends, outward, precision, unit
from certify.errors import InputError, OutOfReach
from certify.fluid.continuous import ContinuousLaw, powers_around
from certify.fluid.numbers import Ends, Unresolved
from certify.fluid.quadrature import Integral, Piece, partition

TRIES = 12
GUARD = 24  # bits by which the checker's working precision exceeds what the claim resolves
EXTRA = 10  # digits that cutoffs have beyond those of the values that are computed from them
SMALL_LOSS = 20  # digits lost near the axis that the tries make up for
LARGEST_LOSS = 500
HALF = Fraction(1, 2)

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Row:
    """At total work 1 and this imbalance: the least cost, the cutoff (None: infinity), the time.

    The time is that until the shorter queue is empty; all three are enclosures.
    """

    imbalance: Fraction
    value: Ends
    cutoff: Ends | None
    time: Ends


@dataclass(frozen=True)
class Passage:
    """Where the optimal path from total work 1 at an imbalance passes a larger one, and when."""

    imbalance: Fraction
    total: Ends
    time: Ends


@dataclass(frozen=True)
class Crossing:
    """Total work, imbalance and time where the optimal path from total work 1 has some cutoff."""

    cutoff: Fraction
    total: Ends
    imbalance: Ends
    time: Ends


def resolve(
    law: ContinuousLaw, load: Fraction, digits: int, ask: "Callable[[Paths], Answer]"
) -> Answer:
    """What `ask` finds on the optimal paths, at the first precision that settles it."""
    finer = digits + EXTRA
    bits = int(3.33 * finer) + 16 + GUARD
    for _ in range(TRIES):
        try:
            with precision(bits + 2 * GUARD):
                return ask(_solve(law, load, digits, finer, bits))
        except Unresolved as more:
            bits, finer = bits + more.bits, finer + more.digits
    if not law.breaks(bits):
        raise OutOfReach("the enclosure is not resolved at the last precision")
    raise InputError(
        "load",
        "not put the exit cutoff at the very edge of a gap between the sizes (move it a little)",
        load,
    )


@dataclass(frozen=True)
class Paths:
    """The optimal paths of a law at a load, known to `bits` bits; answers have `digits` digits.

    `exit_cutoff` (None: infinity) is the cutoff on the axis, `at_exit` X there, and `beyond` the
    part of X beyond the low end of the exit cutoff; cutoffs are rounded to `finer` digits.
    """

    law: ContinuousLaw
    load: Fraction
    exit_cutoff: Ends | None
    beyond: arb
    at_exit: arb
    integral: Integral
    digits: int
    finer: int
    bits: int

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The pieces on which 1/D**2 was integrated."""
        return self.integral.pieces

    @property
    def saving(self) -> Ends:
        """The share of the cost of balanced routing that is saved from equal queues: 1/X(0)."""
        return self._settled(1 / self._reach(Fraction(0)), arb(1))

    def row(self, z: Fraction) -> Row:
        """The answers at one imbalance."""
        zero: Ends = Fraction(0), Fraction(0)
        kappa = ball(self.load / (1 - self.load))
        cutoff, level = self._at(z)
        if z == 1 and self.load <= HALF:
            return Row(z, zero, cutoff, zero)
        if z == 0 or cutoff is None:
            value = kappa * (1 - level) / 2
        else:
            h = ball(cutoff[0]).union(ball(cutoff[1]))
            if z == 1:
                first, last = (self.law.excess_at(ball(end)) for end in cutoff)
                value = (kappa * (1 - 2 * first.union(last)) - 1) / (2 * h)
                return Row(z, self._settled(value, value * 4 + 1 / h), cutoff, zero)
            value = (kappa * (1 - level) - ball(z * z) / h) / 2
        found = self._settled(value, 1 + kappa)
        time = (1 - level * self.at_exit) / ball(1 - self.load)
        return Row(z, found, cutoff, self._settled(time, 2 / ball(1 - self.load)))

    def passage(self, start: Fraction, z: Fraction) -> Passage:
        """From total work 1 at the imbalance `start`: where the path passes z > start."""
        total = self._at(start)[1] / self._at(z)[1]
        return Passage(z, *self._passed(total))

    def crossing(self, start: Fraction, h: Fraction) -> Crossing | None:
        """From total work 1 at the imbalance `start`: where the cutoff is h.

        None if it is larger from the start on or smaller until one queue is empty.
        """
        begin, level = self._at(start)
        end = self.exit_cutoff
        if begin is None or h <= begin[1] or (end is not None and h >= end[0]):
            return None
        reach = self._reach(h)
        imbalance = self._settled(ball(h) / (self.law.deviation(ball(h)) * reach), arb(1))
        total, time = self._passed(level * reach)
        return Crossing(h, total, imbalance, time)

    def _passed(self, total: arb) -> tuple[Ends, Ends]:
        """The total and the time when so much of the work at the start is left."""
        scale = ball(2 / (1 - self.load))
        time = self._settled((1 - total) / ball(1 - self.load), scale)
        return self._settled(total, arb(1)), time

    def _at(self, z: Fraction) -> tuple[Ends | None, arb]:
        """The cutoff, and C at total work 1."""
        if z == 0:
            return (Fraction(0), Fraction(0)), 1 / self._reach(z)
        if z == 1:
            return self.exit_cutoff, 1 / self.at_exit
        self._require(z)
        cutoff = self._cutoff(z)
        h = ball(cutoff[0]).union(ball(cutoff[1]))
        return cutoff, ball(z) * _around(self.law, *cutoff) / h

    def _require(self, z: Fraction) -> None:
        """Unresolved if so many digits are lost near the axis that more tries would be wasted.

        The time until the shorter queue is empty vanishes there as 1 - z does, and up to load 1/2
        the value as its square. InputError where more than LARGEST_LOSS digits are lost.
        """
        rest = 1 - z
        lost = (rest.denominator // rest.numerator).bit_length() * 3 // 10
        loss = lost if self.load > HALF else 2 * lost
        if loss > LARGEST_LOSS:
            most = LARGEST_LOSS if self.load > HALF else LARGEST_LOSS // 2
            requirement = f"be 1 or at most 1 - 1e-{most} for a law with a density"
            raise InputError("imbalance", requirement, f"1 - {at_most(rest)}")
        missing = self.digits + EXTRA + loss - self.finer
        if lost > SMALL_LOSS and missing > 0:
            raise Unresolved(4 * missing + 2 * lost, missing)

    def _reach(self, h: Fraction) -> arb:
        """X(h)."""
        return self.beyond + ball((1 - self.load) / self.load) * self.integral.start(h)

    def _surplus(self, h: Fraction, z: Fraction) -> arb:
        """h/D(h) - z X(h), which has the sign of Z(h) - z."""
        return ball(h) / self.law.deviation(ball(h)) - ball(z) * self._reach(h)

    def _cutoff(self, z: Fraction) -> Ends:
        """The cutoff h with Z(h) = z, 0 < z < 1, certainly between the two ends."""
        h = self._root(z)
        found = outward(h, self.finer)
        for end, sign in zip(found, (-1, 1), strict=True):
            if self.exit_cutoff is not None and end >= self.exit_cutoff[0]:
                raise Unresolved(16, 5)
            point = ball(end)
            deviation = self.law.deviation(point)
            scale = ball(z) * self._reach(end) * (2 + (1 + point) / deviation)
            _resolved(sign * self._surplus(end, z), scale, self.bits)
        return found

    def _root(self, z: Fraction) -> arb:
        """A close approximation of the cutoff: bracketed by the knots, then Newton's method."""
        pieces, stop = self.integral.pieces, self.integral.stop
        ratio = (1 - self.load) / self.load
        low, high = Fraction(0), stop
        points = [point for point in knots(pieces) if stop is None or point < stop]
        totals = self.integral.totals
        first, last = 0, len(points)  # Z < z at the points before `first`, >= z from `last` on
        while first < last:
            middle = (first + last) // 2
            reach = self.beyond + ball(ratio) * totals[middle]
            point = ball(points[middle])
            if (point / self.law.deviation(point) - ball(z) * reach).mid() < 0:
                first, low = middle + 1, points[middle]
            else:
                last, high = middle, points[middle]
        while high is None:
            if self._surplus(2 * low, z).mid() < 0:
                low *= 2
            else:
                high = 2 * low
        h = (low + high) / 2
        if high == stop and (1 - z) * 10**SMALL_LOSS < 1:
            h = self._near_exit(h, stop, z)
        before = high
        for _ in range(2 * ctx.prec):
            surplus = self._surplus(h, z)
            if surplus.mid() < 0:
                low = h
            else:
                high = h
            deviation = self.law.deviation(ball(h))
            slope = 2 * self.law.work_above(ball(h)) - 1 + ball(z * ratio)
            step = ends((surplus * deviation**2 / slope).mid())[0]
            if abs(step) * 2 ** (ctx.prec - GUARD) < h:
                return ball(h - step)
            if before <= abs(step) < unit(h, self.finer) / 2**GUARD:
                return ball(h)  # rounding is all that is left: near the exit the slope is small
            before = abs(step)
            h -= step
            if not low < h < high:
                h = (low + high) / 2
            h = ends(ball(h).mid())[0]
        raise Unresolved()

    def _near_exit(self, h: Fraction, stop: Fraction, z: Fraction) -> Fraction:
        """A better start for Newton's method: the surplus falls as the square of stop - h."""
        top = self._surplus(stop, z)
        for _ in range(ctx.prec.bit_length()):
            part = (top / (top - self._surplus(h, z))).mid()
            if not 0 < part < 1:
                break
            h = stop - ends((ball(stop - h) * part.sqrt()).mid())[0]
        return h

    def _settled(self, value: arb, scale: arb) -> Ends:
        """The claimed interval around a positive number, if another arithmetic finds it as well."""
        if not value > 0:
            raise Unresolved(64, 8)
        claimed = outward(value, self.digits + 2)
        if claimed[1] - claimed[0] > 4 * unit(claimed[1], self.digits + 2):
            raise Unresolved(16, 4)
        low, high = ends(value)
        _resolved(ball(min(low - claimed[0], claimed[1] - high)), scale, self.bits)
        return claimed


@lru_cache(maxsize=8)
def _solve(law: ContinuousLaw, rho: Fraction, digits: int, finer: int, bits: int) -> Paths:
    """The paths at the current precision; Unresolved if `bits` or `finer` do not suffice."""
    exit_cutoff = _exit(law, rho, finer, bits)
    beyond = at_exit = arb(1)
    if exit_cutoff is not None:
        low, high = exit_cutoff
        at_exit = ball(low).union(ball(high)) / _around(law, low, high)
        rest = law.work_above(ball(low)) - ball(1 - 1 / (2 * rho))
        surplus = rest * ball(2 * (high - low)) / _around(law, low, high) ** 2
        beyond = ball(low) / law.deviation(ball(low)) + surplus.union(arb(0))
    stop = exit_cutoff[0] if exit_cutoff else None
    pieces = partition(law, stop, bits)
    integral = Integral.over(law, stop, pieces)
    return Paths(law, rho, exit_cutoff, beyond, at_exit, integral, digits, finer, bits)


def _exit(law: ContinuousLaw, rho: Fraction, finer: int, bits: int) -> Ends | None:
    """The exit cutoff: jobs up to it carry the work 1/(2 rho); None if no finite one does."""
    largest = law.high
    if rho < HALF or (rho == HALF and largest is None):
        return None
    if rho == HALF and largest is not None:
        # it may be an atom, on which the rest of the path depends to first order
        return outward(largest, finer + (EXTRA if law.breaks(bits) else 0))
    rest = ball(1 - 1 / (2 * rho))
    atom = law.jump(rest)
    if atom is not None:
        return outward(ball(atom), finer + EXTRA)
    low, high = powers_around(law, rest, "an exit cutoff")
    for _ in range(20):
        point = (low + high) / 2
        if law.work_above(ball(point)) > rest:
            low = point
        else:
            high = point
    h = _newton(law, rest, low, high)
    found = outward(h, finer)
    for end, sign in zip(found, (1, -1), strict=True):
        _resolved(sign * (law.work_above(ball(end)) - rest), arb(1), bits)
    return found


def _newton(law: ContinuousLaw, rest: arb, low: Fraction, high: Fraction) -> arb:
    """Where E[S; S > h] falls to `rest`: Newton's method for its logarithm over that of h.

    Where a step leaves [low, high], which brackets the point, it is halved instead.
    """
    h = (low + high) / 2
    for _ in range(2 * ctx.prec):
        point = ball(h)
        work = law.work_above(point)
        low, high = (h, high) if work > rest else (low, h)
        slope = point * law.log_density(point, point.log())
        step = point * ((work / rest).log() * work / slope).exp() - point
        if slope > 0 and step.is_finite():
            move = ends(step.mid())[0]
            if abs(move) * 2 ** (ctx.prec - GUARD) < h:
                return ball(h + move)
            if low < h + move < high:
                h = ends(ball(h + move).mid())[0]
                continue
        h = ends(ball((low + high) / 2).mid())[0]
        if (high - low) * 2 ** (ctx.prec - GUARD) < h:
            return ball(h)
    raise Unresolved()


def knots(pieces: tuple[Piece, ...]) -> list[Fraction]:
    """The ends of the pieces, rising."""
    return [pieces[0].start, *(piece.stop for piece in pieces)]


def _around(law: ContinuousLaw, low: Fraction, high: Fraction) -> arb:
    """D on [low, high], where it changes at most as fast as h."""
    return law.deviation(ball(low)) + arb(0, ball(high - low).upper())


def _resolved(gap: arb, scale: arb, bits: int) -> None:
    """Unresolved unless a gap is positive and seen at `bits` bits by numbers of size `scale`."""
    if not gap > 0:
        raise Unresolved()
    ratio = ends((scale / gap).upper())[1]
    needed = ratio.numerator.bit_length() - ratio.denominator.bit_length() + 1 + GUARD
    if needed > bits:
        raise Unresolved(needed - bits + 8)
