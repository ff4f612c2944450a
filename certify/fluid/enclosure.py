"""The least cost of emptying two fluid queues, enclosed, for continuous size laws.

Along an optimal path the cutoff h rises; the total work is C X(h) and the imbalance C h/D(h) with
a constant level C, so that everything follows from X, one integral of 1/D**2. Source:
proofs_checks/theorems/fluid-enclosure.md.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb, ctx

from certify.balls import ball, ends, outward, precision, unit
from certify.certificate import Certificate, exact, interval
from certify.errors import InputError
from certify.fluid.continuous import ContinuousLaw, read_continuous
from certify.fluid.laws import check_load
from certify.fluid.quadrature import Integral, Piece, partition
from certify.fluid.value import to_imbalance
from certify.problem import DEFAULT_DIGITS, Table

TRIES = 12
GUARD = 24  # bits by which the checker's working precision exceeds what the claim resolves
EXTRA = 10  # digits that cutoffs have beyond those of the values that are computed from them
HALF = Fraction(1, 2)
MOST_DOUBLINGS = 1 << 15  # beyond, the checker does not read the exit cutoff

Ends = tuple[Fraction, Fraction]


class _Unresolved(ArithmeticError):
    """The precision does not settle a claim; `bits` more or `digits` more will."""

    def __init__(self, bits: int = 64, digits: int = 0) -> None:
        super().__init__("not resolved at this precision")
        self.bits, self.digits = bits, digits


@dataclass(frozen=True)
class Row:
    """At total work 1 and this imbalance: the least cost, the cutoff (None: infinity), the time.

    The time is that until the shorter queue is empty; all three are enclosures.
    """

    imbalance: Fraction
    value: Ends
    cutoff: Ends | None
    time: Ends

    def to_claim(self) -> dict[str, Any]:
        """One entry of the `values` field of a claim."""
        return {
            "imbalance": exact(self.imbalance),
            "value": interval(*self.value),
            "cutoff": _spelled(self.cutoff),
            "time": interval(*self.time),
        }


@dataclass(frozen=True)
class Enclosure:
    """The optimal dispatcher of a continuous law at a load, enclosed.

    `exit_cutoff` (None: infinity) is the cutoff once the shorter queue is empty, `saving` the share
    of the cost of balanced routing that is saved from equal queues; `bits` and `pieces` are what
    the checker needs.
    """

    law: ContinuousLaw
    load: Fraction
    exit_cutoff: Ends | None
    saving: Ends
    rows: tuple[Row, ...]
    bits: int
    pieces: tuple[Piece, ...]

    def __repr__(self) -> str:
        low = float(self.saving[0])
        return f"Enclosure(law={self.law!r}, load={exact(self.load)}, saving={low:.12g})"

    def certificate(self) -> Certificate:
        """The certificate."""
        claim = {
            "law": self.law.to_claim(),
            "load": exact(self.load),
            "exit_cutoff": _spelled(self.exit_cutoff),
            "saving": interval(*self.saving),
            "values": [row.to_claim() for row in self.rows],
        }
        witness = {
            "precision": self.bits,
            "knots": [exact(knot) for knot in _knots(self.pieces)],
            "terms": [piece.terms(self.bits) for piece in self.pieces],
        }
        return Certificate("fluid-enclosure", claim, witness)


def make(table: Table) -> Certificate:
    """The certificate of a problem of kind `fluid-enclosure`."""
    law, load = read_continuous(table), table.rational("load")
    imbalances, digits = table.rationals("imbalances", (0,)), table.digits()
    table.done()
    return enclose(law, load, imbalances, digits).certificate()


def words(claim: dict[str, Any]) -> str:
    """What a claim of this kind states, in one sentence."""
    law, saving = claim["law"], claim["saving"]
    parameters = ", ".join(f"{k} {_listed(v)}" for k, v in law.items() if k != "family")
    sizes = f"{law['family']} job sizes" + (f" ({parameters})" if parameters else "")
    share = float((Fraction(saving["lo"]) + Fraction(saving["hi"])) / 2)
    count = len(claim["values"])
    return (
        f"Emptying two queues at load {claim['load']} with {sizes}: enclosures of the least cost "
        f"at {count} imbalance{'s' * (count > 1)}; starting from equal queues, the optimum saves "
        f"about {share:.12g} of what balanced routing costs."
    )


def enclose(
    law: ContinuousLaw, load: Any, imbalances: Iterable[Any] = (0,), digits: int = DEFAULT_DIGITS
) -> Enclosure:
    """The optimal dispatcher at the asked relative imbalances, with `digits` correct digits.

    Raises InputError for a load outside (0, 1) or an imbalance outside [0, 1].
    """
    rho = check_load(load)
    asked = [to_imbalance(z, f"imbalances[{i}]") for i, z in enumerate(imbalances)]
    if not asked:
        raise InputError("imbalances", "be a non-empty list of numbers", asked)
    finer = digits + EXTRA
    bits = int(3.33 * finer) + 16 + GUARD
    for _ in range(TRIES):
        try:
            with precision(bits + 2 * GUARD):
                return _attempt(law, rho, asked, digits, finer, bits)
        except _Unresolved as more:
            bits, finer = bits + more.bits, finer + more.digits
    raise ArithmeticError("the enclosure is not resolved at the last precision")


@dataclass(frozen=True)
class _Path:
    """The optimal paths; `beyond` is the part of X beyond the low end of the exit cutoff."""

    law: ContinuousLaw
    load: Fraction
    exit_cutoff: Ends | None
    beyond: arb
    at_exit: arb
    integral: Integral

    def reach(self, h: Fraction) -> arb:
        """X(h)."""
        return self.beyond + ball((1 - self.load) / self.load) * self.integral.start(h)

    def surplus(self, h: Fraction, z: Fraction) -> arb:
        """h/D(h) - z X(h), which has the sign of Z(h) - z."""
        return ball(h) / self.law.deviation(ball(h)) - ball(z) * self.reach(h)


def _attempt(
    law: ContinuousLaw, rho: Fraction, asked: list[Fraction], digits: int, finer: int, bits: int
) -> Enclosure:
    """The enclosure at the current precision; _Unresolved if `bits` or `finer` do not suffice."""
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
    path = _Path(law, rho, exit_cutoff, beyond, at_exit, integral)
    saving = _settled(1 / path.reach(Fraction(0)), digits, arb(1), bits)
    rows = tuple(_row(path, z, digits, finer, bits) for z in asked)
    return Enclosure(law, rho, exit_cutoff, saving, rows, bits, pieces)


def _exit(law: ContinuousLaw, rho: Fraction, finer: int, bits: int) -> Ends | None:
    """The exit cutoff: jobs up to it carry the work 1/(2 rho); None if no finite one does."""
    largest = law.high
    if rho < HALF or (rho == HALF and largest is None):
        return None
    if rho == HALF and largest is not None:
        return outward(largest, finer)
    rest = ball(1 - 1 / (2 * rho))
    # the exit cutoff lies between two powers of two, found by doubling and halving the exponent
    far = 1
    while not law.work_above(ball(Fraction(2) ** far)) < rest:
        far *= 2
        if far > MOST_DOUBLINGS:
            raise InputError("law", f"have an exit cutoff below 2**{MOST_DOUBLINGS}", law)
    near = -1
    while not law.work_above(ball(Fraction(2) ** near)) > rest:
        near *= 2
    while far - near > 1:
        middle = (far + near) // 2
        if law.work_above(ball(Fraction(2) ** middle)) > rest:
            near = middle
        else:
            far = middle
    low, high = Fraction(2) ** near, Fraction(2) ** far
    for _ in range(20):
        point = (low + high) / 2
        if law.work_above(ball(point)) > rest:
            low = point
        else:
            high = point
    h = ball((low + high) / 2)
    for _ in range(ctx.prec.bit_length()):
        # Newton's method for log E[S; S > h] as a function of log h
        work = law.work_above(h)
        h = (h * ((work / rest).log() * work / (h * law.log_density(h, h.log()))).exp()).mid()
        if not low <= ends(h)[0] <= high:
            raise _Unresolved()
    found = outward(h, finer)
    for end, sign in zip(found, (1, -1), strict=True):
        _resolved(sign * (law.work_above(ball(end)) - rest), arb(1), bits)
    return found


def _row(path: _Path, z: Fraction, digits: int, finer: int, bits: int) -> Row:
    """The row of one imbalance."""
    zero: Ends = Fraction(0), Fraction(0)
    cutoff: Ends | None
    kappa = ball(path.load / (1 - path.load))
    if z == 1 and path.load <= HALF:
        return Row(z, zero, path.exit_cutoff, zero)
    if z == 0:
        level = 1 / path.reach(z)
        value, cutoff = kappa * (1 - level) / 2, zero
    else:
        cutoff = path.exit_cutoff if z == 1 else _cutoff(path, z, finer, bits)
        if cutoff is None:
            raise ValueError("an exit cutoff is needed here")
        h = ball(cutoff[0]).union(ball(cutoff[1]))
        level = ball(z) * _around(path.law, *cutoff) / h
        if z == 1:
            first, last = (path.law.share_above_at(ball(end)) for end in cutoff)
            value = kappa * first.union(last)
            return Row(z, _settled(value, digits, value * 4, bits), cutoff, zero)
        value = (kappa * (1 - level) - ball(z * z) / h) / 2
    found = _settled(value, digits, 1 + kappa, bits)
    time = (1 - level * path.at_exit) / ball(1 - path.load)
    return Row(z, found, cutoff, _settled(time, digits, 2 / ball(1 - path.load), bits))


def _cutoff(path: _Path, z: Fraction, finer: int, bits: int) -> Ends:
    """The cutoff h with Z(h) = z, 0 < z < 1, certainly between the two ends."""
    h = _root(path, z)
    found = outward(h, finer)
    for end, sign in zip(found, (-1, 1), strict=True):
        if path.exit_cutoff is not None and end >= path.exit_cutoff[0]:
            raise _Unresolved(16, 5)
        point = ball(end)
        deviation = path.law.deviation(point)
        scale = ball(z) * path.reach(end) * (2 + (1 + point) / deviation)
        _resolved(sign * path.surplus(end, z), scale, bits)
    return found


def _root(path: _Path, z: Fraction) -> arb:
    """A close approximation of the cutoff: bracketed by the knots, then Newton's method."""
    pieces, stop = path.integral.pieces, path.integral.stop
    ratio = (1 - path.load) / path.load
    low, high = Fraction(0), stop
    points = [point for point in _knots(pieces) if stop is None or point < stop]
    totals = path.integral.totals
    first, last = 0, len(points)  # Z < z at the points before `first`, >= z from `last` on
    while first < last:
        middle = (first + last) // 2
        reach = path.beyond + ball(ratio) * totals[middle]
        point = ball(points[middle])
        if (point / path.law.deviation(point) - ball(z) * reach).mid() < 0:
            first, low = middle + 1, points[middle]
        else:
            last, high = middle, points[middle]
    while high is None:
        if path.surplus(2 * low, z).mid() < 0:
            low *= 2
        else:
            high = 2 * low
    h = (low + high) / 2
    for _ in range(4 * ctx.prec.bit_length() + 40):
        surplus = path.surplus(h, z)
        if surplus.mid() < 0:
            low = h
        else:
            high = h
        deviation = path.law.deviation(ball(h))
        slope = 2 * path.law.work_above(ball(h)) - 1 + ball(z * ratio)
        step = ends((surplus * deviation**2 / slope).mid())[0]
        if abs(step) * 2 ** (ctx.prec - GUARD) < h:
            return ball(h - step)
        h -= step
        if not low < h < high:
            h = (low + high) / 2
        h = ends(ball(h).mid())[0]
    raise _Unresolved()


def _knots(pieces: tuple[Piece, ...]) -> list[Fraction]:
    return [pieces[0].start, *(piece.stop for piece in pieces)]


def _around(law: ContinuousLaw, low: Fraction, high: Fraction) -> arb:
    """D on [low, high], where it changes at most as fast as h."""
    return law.deviation(ball(low)) + arb(0, ball(high - low).upper())


def _settled(value: arb, digits: int, scale: arb, bits: int) -> Ends:
    """The claimed interval around a positive number, if another arithmetic can find it as well."""
    if not value > 0:
        raise _Unresolved(64, 8)
    claimed = outward(value, digits + 2)
    if claimed[1] - claimed[0] > 4 * unit(claimed[1], digits + 2):
        raise _Unresolved(16, 4)
    low, high = ends(value)
    _resolved(ball(min(low - claimed[0], claimed[1] - high)), scale, bits)
    return claimed


def _resolved(gap: arb, scale: arb, bits: int) -> None:
    """_Unresolved unless a gap is positive and seen at `bits` bits by numbers of size `scale`."""
    if not gap > 0:
        raise _Unresolved()
    ratio = ends((scale / gap).upper())[1]
    needed = ratio.numerator.bit_length() - ratio.denominator.bit_length() + 1 + GUARD
    if needed > bits:
        raise _Unresolved(needed - bits + 8)


def _spelled(cutoff: Ends | None) -> dict[str, str] | str:
    return "infinity" if cutoff is None else interval(*cutoff)


def _listed(value: str | list[str]) -> str:
    return value if isinstance(value, str) else ", ".join(value)
