"""The deviation transform D(h) = E|S - h| of a size law and the integral of 1/D**2, enclosed.

Proofs: proofs_checks/theorems/fluid-enclosure.md, Lemmas 6 and 7.
"""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from proofs_checks.checker.kernel.interval import Undecided
from proofs_checks.checker.kernel.real import Real, Series
from proofs_checks.checker.kinds.size_laws import SizeLaw
from proofs_checks.checker.kinds.size_mixture import straight_and_curved
from proofs_checks.checker.kinds.special_laws import HALF, Sizes, series_cost
from proofs_checks.checker.verdict import Trial


@dataclass(frozen=True)
class Deviation:
    """D of a law; 1/D**2 is expanded between neighbouring `knots`, to `terms` terms each.

    Where the terms are 0 it is only known that D changes at most as fast as the size.
    """

    law: SizeLaw
    knots: list[Fraction]
    terms: list[int]
    bits: int
    trial: Trial

    def at(self, h: Fraction) -> Real:
        """D(h) for h >= 0."""
        return self._excess(h)[0] * 2 + (h - 1)

    def around(self, low: Fraction, high: Fraction) -> Real:
        """D on [low, high], low >= 0, where it changes at most as fast as h."""
        return self.at(low) + self._interval(low - high, high - low)

    def work_above(self, h: Fraction) -> Real:
        """E[S; S >= h], the share of the work in the jobs from h on."""
        excess, slope = self._excess(h)
        return excess - slope

    def excess(self, h: Fraction) -> Real:
        """E(S - h)+ for h >= 0."""
        return self._excess(h)[0]

    def shares(self, h: Fraction) -> tuple[Real, Real, Real]:
        """E(S - h)+, and the shares of the jobs and of the work in the jobs from h > 0 on."""
        excess, slope = self._excess(h)
        return excess, -slope / h, excess - slope

    def integral(self, low: Fraction, high: Fraction | None) -> Real:
        """The integral of 1/D**2 from low >= 0 to high, or to infinity (None)."""
        first, last = self.knots[0], self.knots[-1]
        total = self.trial.real(0, self.bits)
        if low < first:
            stop = first if high is None else min(first, high)
            total = total + self._head(low, stop)
        start = max(low, first)
        stop = last if high is None else min(last, high)
        if start < stop:
            inner = self.knots[bisect_right(self.knots, start) : bisect_left(self.knots, stop)]
            for a, b in pairwise([start, *inner, stop]):
                index = bisect_right(self.knots, a) - 1
                if self.terms[index] == 0:
                    around = self.around(a, b)
                    total = total + (b - a) / (around * around)
                else:
                    geometric = self.knots[index] > 0
                    total = total + self._piece(a, b, self.terms[index], geometric)
        start = max(low, last)
        if high is None or start < high:
            total = total + self._tail(start, high)
        return total

    def smooth(self) -> bool:
        """Whether all knots lie between the smallest and the largest size."""
        return self._within(self.knots[0], self.knots[-1])

    def _within(self, low: Fraction, high: Fraction) -> bool:
        most = self.law.high
        return self.law.low.at_most(low) and (most is None or most.at_least(high))

    def _excess(self, h: Fraction) -> tuple[Real, Real]:
        """E(S - h)+ and h times its slope -P(S >= h) from the left."""
        self.trial.spend(100 + self.bits // 2 + self.bits * self.bits // 1000)
        if self.law.low.at_least(h):
            return self.trial.real(1 - h, self.bits), self.trial.real(-h, self.bits)
        if self.law.high is not None and self.law.high.at_most(h):
            return self.trial.real(0, self.bits), self.trial.real(0, self.bits)
        if not self._within(h, h):
            raise Undecided("a cutoff at the very end of the sizes")
        one, log = self.trial.real(1, self.bits), self.trial.real(h, self.bits).log()
        series = self.law.excess(Sizes.geometric(log, one, 2, (h, h), self.trial))
        return series.coefficient(0), series.coefficient(1)

    def _piece(self, a: Fraction, b: Fraction, terms: int, geometric: bool) -> Real:
        """The integral from a to b in the smooth range, by an even number of terms.

        In the variable s the sizes are a line, or `geometric`: the exponential of a line.
        """
        self.trial.spend(self.bits + self.bits * self.bits // 300)
        self.trial.spend(2 * series_cost(terms, self.bits, 5))
        ends = self.trial.real(a, self.bits), self.trial.real(b, self.bits)
        if geometric:
            ends = ends[0].log(), ends[1].log()
        radius = (ends[1] - ends[0]) / 2
        sizes = Sizes.geometric if geometric else Sizes.straight
        near = sizes((ends[0] + ends[1]) / 2, radius, terms, (a, b), self.trial)
        large = a >= 1
        near_base, near_factor = self._split(near, large)
        over = sizes(ends[0].hull(ends[1]), radius, terms + 1, (a, b), self.trial)
        base, factor = self._split(over, large)
        # two enclosures of the base on the piece: as computed, and by the mean value theorem
        swing = base.coefficient(1) * self._interval(Fraction(-1), Fraction(1))
        mean = near_base.coefficient(0) + swing
        if mean.above(base.coefficient(0).ends()[0]):
            base = base.with_constant(mean)
        rest = (factor * base.reciprocal()).square_coefficient(terms)
        main = (near_factor * near_base.reciprocal()).square_integral()
        return (main + rest * Fraction(2, terms + 1)) * radius

    def _split(self, x: Sizes, large: bool) -> tuple[Series, Series]:
        """A base B and a factor F with (speed of h)/D**2 = radius (F/B)**2.

        B = D and F = sqrt(h) or, for large sizes, B = D/h and F = 1/sqrt(h); F = 1 on a line.
        """
        slope, rest = straight_and_curved(self.law, x)
        if x.given is None:
            return rest + x.h.scaled(slope), x.h.scaled(0) + 1
        if large:
            return rest * x.given.scaled(-1).exp() + slope, x.given.scaled(-HALF).exp()
        return rest + x.h.scaled(slope), x.given.scaled(HALF).exp()

    def _head(self, low: Fraction, high: Fraction) -> Real:
        """Between 0 <= low < high < 1: 1 - u <= D(u) <= D(high) + high - u."""
        top = self.at(high)
        least = 1 / top - 1 / (top + (high - low))
        return least.hull(self._interval(1 / (1 - high) - 1 / (1 - low)))

    def _tail(self, low: Fraction, high: Fraction | None) -> Real:
        """Between 1 < low < high: u - 1 <= D(u) <= D(low) + u - low."""
        top = self.at(low)
        if high is None:
            return (1 / top).hull(self._interval(1 / (low - 1)))
        least = 1 / top - 1 / (top + (high - low))
        return least.hull(self._interval(1 / (low - 1) - 1 / (high - 1)))

    def _interval(self, *ends: Fraction) -> Real:
        low, high = (self.trial.real(end, self.bits) for end in (ends[0], ends[-1]))
        return low.hull(high)
