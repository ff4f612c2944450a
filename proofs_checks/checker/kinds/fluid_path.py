"""The optimal paths of a continuous size law: exit cutoff, and X(h) at the claimed cutoffs.

Proofs: proofs_checks/theorems/fluid-enclosure.md, Lemmas 3 to 5.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from proofs_checks.checker.kernel.real import Real
from proofs_checks.checker.kinds.exact_lists import spelled
from proofs_checks.checker.kinds.fluid_integral import Deviation
from proofs_checks.checker.verdict import Trial

HALF = Fraction(1, 2)

Ends = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Path:
    """The exit cutoff's claimed ends (None: infinity), X from its low end on, X at the exit.

    `known` holds the integral of 1/D**2 up to the low end of the exit cutoff, from some points on,
    by their spelling.
    """

    deviation: Deviation
    load: Fraction
    exit: Ends | None
    beyond: Real
    at_exit: Real
    known: dict[str, Real]

    @cached_property
    def kappa(self) -> Fraction:
        """load/(1 - load)."""
        return self.load / (1 - self.load)

    def reach(self, h: Fraction) -> Real:
        """X(h) for one of the known points."""
        return self.beyond + self.known[spelled(h)] / self.kappa

    def surplus(self, h: Fraction, z: Fraction) -> Real:
        """h/D(h) - z X(h), which has the sign of Z(h) - z, for one of the known points."""
        return h / self.deviation.at(h) - self.reach(h) * z


def follow(
    deviation: Deviation, load: Fraction, exit: Ends | None, points: list[Fraction], trial: Trial
) -> Path:
    """The paths, after the conditions on the exit cutoff; X will be known at the points up to it.

    Points below 0 or above the low end of the exit cutoff are left out.
    """
    finite = load > HALF or (load == HALF and deviation.law.high is not None)
    where = "claim.exit_cutoff"
    trial.require("exit", finite == (exit is not None), where, f"finite: {finite}", exit)
    beyond = at_exit = trial.real(1, deviation.bits)
    if exit is not None:
        low, high = exit
        trial.require("exit", low > 0, f"{where}.lo", "positive", low)
        _test(deviation, load, exit, trial)
        around = deviation.around(low, high)
        at_exit = trial.real(low, deviation.bits).hull(trial.real(high, deviation.bits)) / around
        rest = deviation.work_above(low) - _rest(load)
        surplus = rest * (2 * (high - low)) / (around * around)
        beyond = low / deviation.at(low) + surplus.hull(trial.real(0, deviation.bits))
    known, total = {}, trial.real(0, deviation.bits)
    stop = end = exit[0] if exit else None
    for point in sorted(points, reverse=True):
        if point >= 0 and (stop is None or point <= stop):
            if end is None or point < end:
                total = total + deviation.integral(point, end)
            known[spelled(point)], end = total, point
    return Path(deviation, load, exit, beyond, at_exit, known)


def _test(deviation: Deviation, load: Fraction, exit: Ends, trial: Trial) -> None:
    """The smallest h with the work share 1/(2 load) in the jobs up to h is within the ends."""
    (low, high), most, where = exit, deviation.law.high, "claim.exit_cutoff"
    if load == HALF and most is not None:
        below, above = most.at_least(low), most.at_most(high)
        found: object = most
    else:
        # the share above h falls to 1 - 1/(2 load) at the exit cutoff
        first, last = deviation.work_above(low), deviation.work_above(high)
        below, above = first.above(_rest(load)), last.at_most(_rest(load))
        found = [first, last]
    trial.require("exit-below", below, f"{where}.lo", _rest(load), found)
    trial.require("exit-above", above, f"{where}.hi", _rest(load), found)


def _rest(load: Fraction) -> Fraction:
    return 1 - 1 / (2 * load)
