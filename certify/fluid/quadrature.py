"""The integral of 1/D**2 for a continuous law, D(h) = E|S - h|: partition, Gauss sums, ends.

Sizes are measured by their logarithm t. The range is cut into pieces around which, in the complex
plane, h/D**2 stays bounded; there Gauss-Legendre sums converge fast with a known error, and Taylor
series (which the checker uses) do too. Only a piece that starts at size 0 is a piece in h itself.
Below the first and above the last knot D lies between two straight lines, and in a narrow gap
around a break that no short number names it changes little. Source:
proofs_checks/theorems/fluid-enclosure.md, part "Finding the witness".
"""

import math
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from flint import acb, arb, ctx

from certify.balls import ball, ends, precision, round_down
from certify.errors import OutOfReach
from certify.fluid.continuous import ContinuousLaw

SEARCH_BITS = 64
REACH = 9  # a piece of radius r is surrounded by a disc of radius REACH * r
ROOM = Fraction(1, 16)  # of its size at the centre is what D keeps in that disc, at least
SHARPEST = 1 << 40  # pieces per unit of t, at most


@dataclass(frozen=True)
class Piece:
    """[start, stop] with a bound of h/D**2 (1/D**2 if start = 0) on the disc around it.

    The bound is None in a gap, where D is only known to change at most as fast as h.
    """

    start: Fraction
    stop: Fraction
    bound: Fraction | None

    def terms(self, bits: int) -> int:
        """An even number of Taylor terms with a remainder below about 2**-bits; 0 in a gap."""
        if self.bound is None:
            return 0
        # neighbouring points have discs of radius REACH - 1, so a term gains three bits
        wanted = max(2, -(-(bits + _log2(self.bound) + 4) // 3))
        return wanted + wanted % 2


@dataclass(frozen=True)
class Integral:
    """The integral of 1/D**2 from any h >= 0 to `stop` (None: infinity) at the current precision.

    `totals` are the integrals from the start of every piece, and last from the last knot.
    """

    law: ContinuousLaw
    stop: Fraction | None
    pieces: tuple[Piece, ...]
    totals: tuple[arb, ...]

    @classmethod
    def over(
        cls, law: ContinuousLaw, stop: Fraction | None, pieces: tuple[Piece, ...]
    ) -> "Integral":
        """With the totals computed."""
        last = pieces[-1].stop
        totals = [tail(law, last, stop) if stop is None or stop > last else arb(0)]
        for piece in reversed(pieces):
            high = piece.stop if stop is None else min(piece.stop, stop)
            part = _gauss(law, piece, piece.start, high) if piece.start < high else arb(0)
            totals.append(part + totals[-1])
        return cls(law, stop, pieces, tuple(reversed(totals)))

    def start(self, h: Fraction) -> arb:
        """The integral from h to `stop`, for h <= stop."""
        first, last = self.pieces[0].start, self.pieces[-1].stop
        if h < first:
            return head(self.law, h, first) + self.totals[0]
        if h >= last:
            return tail(self.law, h, self.stop)
        index = bisect_right(self.pieces, h, key=lambda piece: piece.start) - 1
        piece = self.pieces[index]
        high = piece.stop if self.stop is None else min(piece.stop, self.stop)
        return _gauss(self.law, piece, h, high) + self.totals[index + 1]


def partition(law: ContinuousLaw, stop: Fraction | None, bits: int) -> tuple[Piece, ...]:
    """Pieces that leave less than about 2**-bits unknown below and above them."""
    start, last = _first(law, bits), _last(law, stop, bits)
    pieces: list[Piece] = []
    for low, high in [*law.breaks(bits), (last, last)]:
        if start < min(low, last):
            pieces += _cut(law.between(start, min(low, last)), start, min(low, last))
            start = min(low, last)
        if start < min(high, last):
            pieces.append(Piece(start, min(high, last), None))
            start = min(high, last)
    return tuple(pieces)


def _cut(law: ContinuousLaw, start: Fraction, last: Fraction) -> Iterator[Piece]:
    """Pieces from start to last, where one formula holds."""
    unit, count = Fraction(1), 7  # a step is 7, 6, 5 or 4 units, a unit a power of two
    while start < last:
        if count == 7:
            unit *= 2
        count = 7
        while (bound := _bound(law, start, count * unit)) is None:
            count -= 1
            if count < 4:
                unit, count = unit / 2, 7
            if unit * SHARPEST < 1:
                raise OutOfReach("no piece is small enough")
        # steps are in t, the logarithm of the size, or in the size itself at 0
        end = min(last, _end(start, count * unit))
        yield Piece(start, end, bound)
        start = end


def head(law: ContinuousLaw, low: Fraction, high: Fraction) -> arb:
    """Between low < high < 1, where 1 - u <= D(u) <= D(high) + high - u."""
    top = law.deviation(ball(high))
    least = 1 / top - 1 / (top + ball(high - low))
    return least.union(ball(1 / (1 - high) - 1 / (1 - low)))


def tail(law: ContinuousLaw, low: Fraction, high: Fraction | None) -> arb:
    """Between 1 < low < high, where u - 1 <= D(u) <= D(low) + u - low."""
    top = law.deviation(ball(low))
    if high is None:
        return (1 / top).union(ball(1 / (low - 1)))
    least = 1 / top - 1 / (top + ball(high - low))
    return least.union(ball(1 / (low - 1) - 1 / (high - 1)))


def _end(start: Fraction, step: Fraction) -> Fraction:
    """A short number a little below start exp(step), or the step itself at 0."""
    if start == 0:
        return step
    with precision(SEARCH_BITS):
        reached = ends((ball(start) * ball(step).exp()).lower())[0]
    for digits in (2, 3, 4, 8, 16):
        end: Fraction = round_down(reached, digits)
        if (end - start) * 8 >= (reached - start) * 7:
            return end
    return reached


def _first(law: ContinuousLaw, bits: int) -> Fraction:
    """The first knot: as near to the smallest size as the precision asks for."""
    low = law.low
    if low > 0:
        shift = bits // 2 + 16 - _log2(ends(low)[1])
        unit: Fraction = Fraction(1, 2) ** shift
        return (math.ceil(ends(low)[1] / unit) + 1) * unit
    if law.smooth_at_zero:
        return Fraction(0)
    knot = Fraction(1, 2)
    while True:
        below = ball(knot) - 1 + law.excess_at(ball(knot))  # E(knot - S)+
        if 2 * below * ball(knot) * ball(2) ** (bits + 4) < 1:
            return knot
        knot /= 2


def _last(law: ContinuousLaw, stop: Fraction | None, bits: int) -> Fraction:
    """The last knot, above 1: the end of the integral, or where the tail is known well enough."""
    high = law.high
    if high is None:
        largest = _tail_start(law, bits)
    else:
        shift = bits // 2 + 16 - _log2(ends(high - 1)[0])
        unit: Fraction = Fraction(1, 2) ** shift
        largest = (math.floor(ends(high)[0] / unit) - 1) * unit
    if stop is None or stop >= largest:
        return largest
    return max(stop, min(Fraction(2), (1 + largest) / 2))


def _tail_start(law: ContinuousLaw, bits: int) -> Fraction:
    """A knot above which the bounds of the tail are about 2**-bits apart."""

    def known(knot: Fraction) -> bool:
        width = ball(1 / (knot - 1)) - 1 / law.deviation(ball(knot))
        return bool(width * ball(2) ** (bits + 4) < 1)

    knot = Fraction(2)
    while not known(knot):
        knot *= 2
    low = max(knot / 2, Fraction(1))
    for _ in range(6):
        middle = (low + knot) / 2
        low, knot = (low, middle) if known(middle) else (middle, knot)
    return knot


def _bound(law: ContinuousLaw, start: Fraction, step: Fraction) -> Fraction | None:
    """The bound of a piece of that length in t (in h if start = 0), None if it is too long."""
    with precision(SEARCH_BITS):
        bound = _bound_at_zero(law, step) if start == 0 else _bound_above(law, start, step)
        if bound is None:
            return None
        power: Fraction = Fraction(2) ** _log2(2 * ends(bound)[1])
        return power


def _bound_at_zero(law: ContinuousLaw, step: Fraction) -> arb | None:
    """|D(c + w) - D(c) - w D'(c)| <= |w|**2 sup |density|, for D'' is twice the density.

    The families without a singularity at 0 have their largest density at the left of the disc.
    """
    centre, reach = ball(step / 2), ball(REACH * step / 2)
    edge = centre - reach
    density = abs(law.log_density(edge, arb("nan")) / edge)
    slope = abs(1 - 2 * law.share_above_at(centre))
    left = law.deviation(centre) - reach * slope - reach * reach * density
    least = ball(ROOM) * law.deviation(centre)
    return (1 / least**2).upper() if left > least else None


def _bound_above(law: ContinuousLaw, start: Fraction, step: Fraction) -> arb | None:
    """A bound of |h/D**2| where log h is in the disc around the middle of the piece.

    There D, as a function of log h, differs from its value at the centre by at most its largest
    slope times the radius, and from its tangent by at most half its largest second derivative times
    the radius squared; and |D/h| >= 1 - |1 - 2 excess|/|h|. Any of these may be the best.
    """
    log = ball(start).log() + ball(step / 2)
    h, reach = log.exp(), ball(REACH * step / 2)
    disc = acb(arb(log.mid(), (reach + log.rad()).upper()), arb(0, reach.upper()))
    sizes = disc.exp()
    smallest, largest = (log - reach).exp().lower(), (log + reach).exp().upper()
    density = abs(law.log_density(sizes, disc)).upper()
    share = abs(law.share_above_at(h)) + reach * density
    direct = abs(law.share_above(sizes, disc)).upper()
    if direct < share:
        share = direct
    excess = law.excess_at(h) + reach * largest * share
    direct = abs(law.excess(sizes, disc)).upper()
    if direct < excess:
        excess = direct
    deviation = law.deviation(h)
    found = []
    slope = abs(1 - 2 * law.share_above_at(h))
    slopes = slope + 2 * reach * density  # bounds D' in the disc
    if 1 + 2 * share < slopes:
        slopes = 1 + 2 * share
    for change in (
        reach * largest * slopes,
        reach * h * slope + reach**2 / 2 * largest * (slopes + 2 * density),
    ):
        if change < ball(1 - ROOM) * deviation:
            found.append((largest / (deviation - change) ** 2).upper())
    rest = 1 - (1 + 2 * excess) / smallest
    if rest > ball(ROOM):
        found.append((1 / (smallest * rest**2)).upper())
    return min(found, key=lambda bound: ends(bound)[1], default=None)


def _gauss(law: ContinuousLaw, piece: Piece, low: Fraction, high: Fraction) -> arb:
    """The integral over [low, high] in a piece, by a Gauss-Legendre sum (in a gap by its length).

    The integrand in t (in h if the piece starts at 0) is analytic and bounded by piece.bound in the
    ellipse with foci at the ends whose half axes sum to at least 17 half lengths, so n nodes err by
    at most 5 bound length 17**(2 - 2 n).
    """
    if piece.bound is None:
        width = ball(high - low)
        return width / (law.deviation(ball(low)) + arb(0, width.upper())) ** 2
    law, at_zero = law.between(piece.start, piece.stop), piece.start == 0
    first, last = (ball(low), ball(high)) if at_zero else (ball(low).log(), ball(high).log())
    centre, radius = (first + last) / 2, (last - first) / 2
    count = max(4, (ctx.prec + _log2(piece.bound) + 4) // 8 + 2)
    total = arb(0)
    for node, weight in _nodes(count, ctx.prec):
        point = centre + radius * node
        if at_zero:
            total += weight / law.deviation(point) ** 2
        else:
            h = point.exp()
            total += weight * h / (h - 1 + 2 * law.excess(h, point)) ** 2
    error = ball(5 * piece.bound / Fraction(17) ** (2 * count - 2))
    return total * radius + arb(0, error.upper())


@lru_cache(maxsize=64)
def _nodes(count: int, bits: int) -> tuple[tuple[arb, arb], ...]:
    """The nodes and weights of the Gauss-Legendre sum at `bits` bits."""
    with precision(bits):
        return tuple(arb.legendre_p_root(count, k, weight=True) for k in range(count))


def _log2(value: Fraction) -> int:
    """The binary logarithm of a positive number, rounded up or down."""
    return value.numerator.bit_length() - value.denominator.bit_length()
