"""The optimal path of the two workloads from any start, exactly, sector by sector.

In a sector of the value the same jobs join the shorter queue all the time, so both workloads are
linear until the imbalance reaches the upper edge. Source: proofs_checks/theorems/fluid-value.md,
the legs (i) to (iii) of its attainment proof.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from certify.errors import InputError
from certify.fluid.laws import FiniteLaw
from certify.fluid.policies import exit_shares
from certify.problem import Exact, to_rational

if TYPE_CHECKING:
    from certify.fluid.value import Sector

Workloads = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Leg:
    """A stretch of time in which both workloads are linear.

    `jobs` and `work` are the shares that join the queue that was shorter at the start; `start` and
    `end` are (that queue's, the other's) workloads, `begin` and `duration` times.
    """

    begin: Fraction
    duration: Fraction
    start: Workloads
    end: Workloads
    jobs: Fraction
    work: Fraction
    cost: Fraction

    @property
    def imbalance(self) -> Fraction:
        """The relative imbalance at the start of the leg, from where on it does not fall."""
        short, long = self.start
        return (long - short) / (long + short)


@dataclass(frozen=True)
class WorkloadPath:
    """The optimal path: legs in order of time, until both queues are empty.

    `mirrored` tells that queue 2 was the shorter one; from a tie there are two optimal paths, and
    this is the one that keeps queue 1 the shorter.
    """

    legs: tuple[Leg, ...]
    mirrored: bool

    def __repr__(self) -> str:
        return f"WorkloadPath(legs={len(self.legs)}, emptying_time={self.emptying_time})"

    @property
    def emptying_time(self) -> Fraction:
        """When both queues are empty."""
        return self.legs[-1].begin + self.legs[-1].duration if self.legs else Fraction(0)

    @property
    def cost(self) -> Fraction:
        """The cost along the path, leg by leg; it is the least cost from its start."""
        return sum((leg.cost for leg in self.legs), Fraction(0))

    @property
    def imbalances(self) -> tuple[Fraction, ...]:
        """The relative imbalance at the start of each leg; it never falls in between."""
        return tuple(leg.imbalance for leg in self.legs)

    def at(self, time: Exact) -> Workloads:
        """The workloads (u1, u2) at a time of at least 0."""
        when = to_rational(time, "time")
        if when < 0:
            raise InputError("time", "be at least 0", when)
        if when >= self.emptying_time:
            return Fraction(0), Fraction(0)
        leg = self.legs[bisect_right(self.legs, when, key=lambda each: each.begin) - 1]
        done = (when - leg.begin) / leg.duration
        short, long = (a + done * (b - a) for a, b in zip(leg.start, leg.end, strict=True))
        return (long, short) if self.mirrored else (short, long)


def splits(law: FiniteLaw, sectors: Sequence["Sector"]) -> tuple[int, ...]:
    """For every sector, how many of the sizes, smallest first, join the shorter queue in it."""
    sizes = [size for size, _ in law.atoms]

    def below(sector: "Sector", z: Fraction) -> int:
        _, linear, quadratic = sector.form
        slope = -linear - 2 * quadratic * z
        if slope == 0:
            return len(sizes) if z > 0 else 0
        return bisect_left(sizes, z / slope)

    return tuple(max(below(each, each.lower), below(each, each.upper)) for each in sectors)


def follow(
    law: FiniteLaw,
    load: Fraction,
    steps: Sequence[tuple[Fraction, int]],
    short: Fraction,
    long: Fraction,
    exit_to: tuple[Fraction, Fraction] | None = None,
) -> tuple[Leg, ...]:
    """The legs from workloads short <= long under a table of steps until both are empty.

    A step (upper, count) says that the smallest `count` sizes join the shorter queue while the
    imbalance is below `upper`; the last `upper` is 1. On the axis the shares (jobs, work) of
    `exit_to` join the empty queue, by default those that keep it exactly busy (or all at a load up
    to 1/2); a larger share of the work than that is not followed.
    """
    legs: list[Leg] = []
    time = Fraction(0)

    def go(jobs: Fraction, work: Fraction, duration: Fraction, idle: bool = False) -> None:
        nonlocal short, long, time
        half = Fraction(1, 2)
        end_short = Fraction(0) if idle else short + duration * (load * work - half)
        end_long = long + duration * (load * (1 - work) - half)
        waiting = jobs * (short + end_short) + (1 - jobs) * (long + end_long)
        cost = load * duration * waiting
        ends = (short, long), (end_short, end_long)
        legs.append(Leg(time, duration, *ends, jobs, work, cost))
        short, long, time = end_short, end_long, time + duration

    for upper, count in steps:
        x, delta = short + long, long - short
        if x == 0 or delta >= upper * x:
            continue
        jobs = sum((mass for _, mass in law.atoms[:count]), Fraction(0))
        work = sum((size * mass for size, mass in law.atoms[:count]), Fraction(0))
        speed = load * (1 - 2 * work) + (1 - load) * upper
        go(jobs, work, (upper * x - delta) / speed)
    if long > 0:
        jobs, work = exit_to or exit_shares(law, load)
        go(jobs, work, long / (Fraction(1, 2) - load * (1 - work)), idle=True)
    return tuple(legs)


def optimal_path(
    law: FiniteLaw, load: Fraction, sectors: Sequence["Sector"], u1: Exact, u2: Exact
) -> WorkloadPath:
    """The optimal path from workloads u1 and u2; InputError if one is negative."""
    loads = [to_rational(u, name) for u, name in ((u1, "u1"), (u2, "u2"))]
    for workload, name in zip(loads, ("u1", "u2"), strict=True):
        if workload < 0:
            raise InputError(name, "be at least 0", workload)
    counts = splits(law, sectors)
    steps = [(sector.upper, count) for sector, count in zip(sectors, counts, strict=True)]
    legs = follow(law, load, steps, min(loads), max(loads))
    return WorkloadPath(legs, loads[1] < loads[0])
