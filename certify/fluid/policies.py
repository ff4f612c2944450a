"""What dispatching policies with fixed shares cost in the fluid model.

Every policy here runs through a few legs with constant shares; along a leg both workloads are
linear, so the cost of a leg is its duration times the mean of the rates at its two ends. Only two
numbers of the law enter: what an empty queue costs at best, and the share of the jobs with half of
the work. They are exact for a finite law and balls otherwise. Source:
proofs_checks/theorems/fluid-comparison.md.
"""

from collections.abc import Callable
from fractions import Fraction

from flint import arb, ctx, fmpq

from certify.balls import ball, fraction, outward, precision, rational
from certify.fluid.continuous import ContinuousLaw, powers_around
from certify.fluid.laws import FiniteLaw
from certify.fluid.numbers import GUARD, Cost, Ends, Unresolved, as_ball, between

HALF = Fraction(1, 2)
AXIS_RULES = ("exactly-busy", "same-split")


def balanced(load: Fraction, short: Fraction, long: Fraction) -> Fraction:
    """The cost of joining the shorter queue (half of each size to either queue once they tie)."""
    until_tie = (long - short) / load
    if short + (load - HALF) * until_tie < 0:
        # the shorter queue empties before the tie; from then on no job waits
        return _leg(load, (short, long), 1, 1, short / (HALF - load))[0]
    cost, short, long = _leg(load, (short, long), 1, 1, until_tie)
    return cost + _leg(load, (short, long), HALF, HALF, (short + long) / (1 - load))[0]


def most_work_left(load: Fraction, short: Fraction, long: Fraction, on_axis: Cost) -> Cost:
    """The cost of sending all work to the longer queue until the other one is empty.

    From then on the empty queue is kept exactly busy with the smallest jobs, the largest of them
    split if need be, which costs `on_axis` at total work 1; at a load up to 1/2 it takes all jobs
    and none of them waits.
    """
    cost, _, rest = _leg(load, (short, long), 0, 0, 2 * short)
    return _total(cost, (rest * rest, on_axis))


def size_interval(
    load: Fraction, short: Fraction, long: Fraction, rule: str, share: Cost, on_axis: Cost
) -> Cost:
    """The cost of the split at the work median: `share` of the jobs, the largest, to the longer.

    Once the shorter queue is empty it is kept `exactly-busy` as in `most_work_left`, or gets the
    jobs of the `same-split` for ever and idles.
    """
    start, until_empty = (short, long), 2 * short / (1 - load)
    small = _leg(load, start, HALF, 1, until_empty)[0]  # as if all jobs joined the shorter queue
    large, _, rest = _leg(load, start, HALF, 0, until_empty)
    parts = [(large - small, share)]
    if rule == "exactly-busy":
        parts.append((rest * rest, on_axis))
    else:
        # the longer queue gets half of the work and falls at (1 - load)/2
        alone = (load * rest * rest) / ((1 - load) / 2)
        parts.append((alone, share))
    return _total(small, *parts)


def cost_on_axis(law: FiniteLaw, load: Fraction) -> Fraction:
    """What keeping an empty queue exactly busy costs at total work 1, 0 at a load up to 1/2."""
    if load <= HALF:
        return Fraction(0)
    return load / (1 - load) * (1 - exit_shares(law, load)[0])


def exit_shares(law: FiniteLaw, load: Fraction) -> tuple[Fraction, Fraction]:
    """Shares of the jobs and of the work that keep a queue exactly busy, smallest jobs first.

    All jobs at a load up to 1/2, when they cannot keep it busy.
    """
    jobs, work, needed = Fraction(0), Fraction(0), 1 / (2 * load)
    for size, mass in law.atoms:
        taken = mass if work + mass * size <= needed else (needed - work) / size
        jobs, work = jobs + taken, work + taken * size
        if work == needed and size > 0:
            break
    return jobs, work


def half_of_the_work(law: FiniteLaw) -> tuple[Fraction, Fraction]:
    """The largest work median, and the share of the jobs, largest first, with half of the work."""
    jobs, work = fmpq(0), fmpq(0)
    for size, mass in ((rational(size), rational(mass)) for size, mass in law.atoms):
        if 2 * (work + mass * size) > 1:
            share = 1 - jobs - (fmpq(1, 2) - work) / size
            return fraction(size), fraction(share)
        jobs, work = jobs + mass, work + mass * size
    raise ValueError("the mean is not 1")


def work_median(law: ContinuousLaw, digits: int, bits: int) -> Ends:
    """The ends of an interval around a work median, certain at `bits` bits; or Unresolved."""
    with precision(bits + 2 * GUARD):
        found = outward(size_at(law, HALF), digits)
        for end, sign in zip(found, (1, -1), strict=True):
            gap = sign * (law.work_above(ball(end)) - ball(HALF))
            if not gap * ball(2) ** (bits - GUARD) > 1:
                raise Unresolved
    return found


def half_work_share(law: ContinuousLaw, median: Ends) -> arb:
    """The share of the jobs, largest first, with half of the work: (1 - 2 E(S - m)+)/(2 m).

    `median` are the ends of an interval around a work median m.
    """
    low, high = (law.excess_at(ball(end)) for end in median)
    return (1 - 2 * low.union(high)) / (2 * between(median))


def size_at(law: ContinuousLaw, work_above: Fraction) -> arb:
    """A size above which jobs carry that share of the work, within a ball as narrow as it can be.

    Raises InputError if it is beyond 2**32768.
    """
    wanted = ball(work_above)
    ends = powers_around(law, wanted, "half of its work")
    low, _ = _bisected(lambda h: bool(law.work_above(ball(h)) > wanted), *ends)
    _, high = _bisected(lambda h: not law.work_above(ball(h)) < wanted, *ends)
    return ball(low).union(ball(high))


def _bisected(
    test: Callable[[Fraction], bool], low: Fraction, high: Fraction
) -> tuple[Fraction, Fraction]:
    """Two points as near as the precision asks: the test holds at the first, not at the second."""
    for _ in range(ctx.prec):
        point = (low + high) / 2
        low, high = (point, high) if test(point) else (low, point)
    return low, high


def _total(constant: Fraction, *parts: tuple[Fraction, Cost]) -> Cost:
    """The constant plus each factor times its number: exact if all numbers that count are."""
    total: Cost = constant
    for factor, value in parts:
        if factor == 0:
            continue
        if isinstance(value, Fraction) and isinstance(total, Fraction):
            total += factor * value
        else:
            total = as_ball(total) + ball(factor) * as_ball(value)
    return total


def _leg(
    load: Fraction,
    start: tuple[Fraction, Fraction],
    work: Fraction | int,
    jobs: Fraction | int,
    duration: Fraction,
) -> tuple[Fraction, Fraction, Fraction]:
    """(cost, short, long) after `duration`; the shares are those of the shorter queue."""
    short, long = start
    end_short = short + duration * (load * work - HALF)
    end_long = long + duration * (load * (1 - work) - HALF)
    waiting = jobs * (short + end_short) + (1 - jobs) * (long + end_long)
    return load * duration * waiting, end_short, end_long
