"""The systems as a user of the package meets them: parameters in, proved answers out.

The classes are those of certify.softmax.system together with the questions that can be asked about
them; every answer has a `certificate()`. Numbers are exact (`Exact`): a Fraction, an int, or a
string such as "17/20", "0.85" or "1e-3"; a float is refused.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from certify.certificate import Certificate
from certify.problem import DEFAULT_DIGITS, Exact, to_count, to_digits, to_list, to_rational
from certify.softmax import (
    convergence,
    drift,
    equilibrium,
    limit,
    mean_queue,
    obstruction,
    stationary,
    system,
)
from certify.softmax.shortest import ShortestQueue
from certify.softmax.tail import QueueTail


class Questions(system.System):
    """What can be asked about a softmax system; every answer has a `certificate()`."""

    def certificate(self, digits: int = DEFAULT_DIGITS) -> Certificate:
        """The certificate of the equilibrium, the first question of all."""
        return self.equilibrium(digits).certificate()

    def equilibrium(self, digits: int = DEFAULT_DIGITS) -> equilibrium.Equilibrium:
        """K*, theta and the queues at rest of the reflected equation, to `digits` digits.

        Raises InputError for digits outside 1 to 10,000.
        """
        return equilibrium.solve(self, to_digits(digits))

    def drift(self, digits: int = drift.DIGITS) -> drift.Drift:
        """The drift on the whole lattice with its constants rounded to `digits` digits.

        Raises InputError for digits outside 1 to 10,000.
        """
        return drift.certify_drift(self, to_digits(digits))

    def mean_queue(
        self,
        function: mean_queue.TestFunction | None = None,
        cells: int = mean_queue.CELLS,
        digits: int = mean_queue.DIGITS,
    ) -> mean_queue.MeanQueue:
        """A bound on E|Q|_1 in steady state, by a test function or the best standard one.

        Raises InputError for a test function of another size, an eps that is not positive and
        below the largest one, cells outside 0 to 20,000 or digits outside 1 to 10,000.
        """
        cells = to_count(cells, "cells", 0, mean_queue.MOST_CELLS)
        digits = to_digits(digits)
        return mean_queue.certify_mean_queue(self, function, cells, digits)

    def stationary_mean(self, width: Exact = stationary.WIDTH) -> stationary.StationaryMean:
        """E|Q|_1 in steady state, in an interval of at most this width (jobs).

        Raises InputError for a width outside 1e-30 to 1 or rates outside 1e-12 to 1e12, OutOfReach
        for many servers or a load near 1, where the tables would have more than 40,000 states.
        """
        return stationary.stationary_mean(self, width)

    def obstruction(self, radius: int, digits: int = obstruction.DIGITS) -> obstruction.Obstruction:
        """The audit of the potential on the states with at most `radius` jobs.

        Raises InputError for more than 20 servers, more than 200,000 states, a negative radius or
        digits outside 1 to 10,000.
        """
        radius = to_count(radius, "radius", 0, obstruction.MOST_STATES)
        digits = to_digits(digits)
        return obstruction.certify_obstruction(self, radius, digits)

    def convergence(self, start_bound: Exact, tolerance: Exact) -> convergence.Convergence:
        """The time after which every start with queues <= `start_bound` is at rest to `tolerance`.

        Both in jobs; raises InputError unless they are exact numbers and positive.
        """
        bound = to_rational(start_bound, "start_bound")
        near = to_rational(tolerance, "tolerance")
        return convergence.certify_convergence(self, bound, near)


@dataclass(frozen=True, repr=False)
class ReflectedUAS(Questions, system.ReflectedUAS):
    """Reflected UAS(arrival_rate, service_rates, alpha, beta, gamma, offset).

    Rates in jobs per unit time; numbers are exact: an int, a Fraction, "0.85" or "17/20". Raises
    InputError unless rates, alpha, beta > 0, offset >= 0 and the load is below 1. Source: arXiv
    2607.28688v1, equation (1).
    """

    if TYPE_CHECKING:

        def __init__(
            self,
            arrival_rate: Exact,
            service_rates: Iterable[Exact],
            alpha: Exact,
            beta: Exact,
            gamma: Exact,
            offset: Exact,
        ) -> None: ...

    def drift_limit(self, margin: Exact) -> limit.Ray:
        """A ray of states along which eps* + `margin` is refuted, for every routing rule.

        Raises InputError unless the margin is an exact number and positive.
        """
        rates, excess = self.service_rates, to_rational(margin, "margin")
        return limit.DriftLimit(self.arrival_rate, rates, excess, beta=self.beta).ray()


@dataclass(frozen=True, repr=False)
class UAS(ReflectedUAS):
    """UAS(arrival_rate, service_rates, alpha): Reflected UAS with beta = gamma = offset = 1.

    Raises InputError as Reflected UAS does.
    """

    beta: Fraction = field(default=Fraction(1), init=False)
    gamma: Fraction = field(default=Fraction(1), init=False)
    offset: Fraction = field(default=Fraction(1), init=False)

    if TYPE_CHECKING:

        def __init__(
            self, arrival_rate: Exact, service_rates: Iterable[Exact], alpha: Exact
        ) -> None: ...


@dataclass(frozen=True, repr=False)
class WeightedShortestQueue(Questions, system.WeightedShortestQueue):
    """WeightedShortestQueue(arrival_rate, service_rates, weights, temperature).

    Raises InputError unless rates, weights and temperature are positive, there is one weight per
    server and the load is below 1. Source: arXiv 2404.09188, Section II.
    """

    if TYPE_CHECKING:

        def __init__(
            self,
            arrival_rate: Exact,
            service_rates: Iterable[Exact],
            weights: Iterable[Exact],
            temperature: Exact,
        ) -> None: ...

    def drift_limit(self, margin: Exact) -> limit.Ray:
        """A ray of states along which eps* + `margin` is refuted, for every routing rule.

        Raises InputError unless the margin is an exact number and positive.
        """
        slopes, excess = tuple(2 * each for each in self.weights), to_rational(margin, "margin")
        return limit.DriftLimit(self.arrival_rate, self.service_rates, excess, slopes).ray()

    def tail(self, jobs: Iterable[int] = (), split: Exact = Fraction(1, 2)) -> QueueTail:
        """Geometric bounds of P(|Q|_1 >= n) in steady state for every n of `jobs`.

        `split` moves the bound between threshold and ratio. Raises InputError for numbers of jobs
        that are not whole or too small to say anything of, or a split outside (0, 1).
        """
        greedy = ShortestQueue.weighted(self.arrival_rate, self.service_rates, self.weights)
        counts = tuple(to_list(jobs, "jobs", "whole numbers"))
        return QueueTail(greedy, self.temperature, counts, to_rational(split, "split"))
