"""What dispatching policies cost in the fluid model, exactly, for a law with finitely many sizes.

Every policy here runs through a few legs with constant shares; along a leg both workloads are
linear, so the cost of a leg is its duration times the mean of the rates at its two ends. Source:
proofs_checks/theorems/fluid-comparison.md.
"""

from fractions import Fraction

from certify.fluid.laws import FiniteLaw

HALF = Fraction(1, 2)


def balanced(load: Fraction, short: Fraction, long: Fraction) -> Fraction:
    """The cost of joining the shorter queue (half of each size to either queue once they tie)."""
    until_tie = (long - short) / load
    if short + (load - HALF) * until_tie < 0:
        # the shorter queue empties before the tie; from then on no job waits
        return _leg(load, (short, long), 1, 1, short / (HALF - load))[0]
    cost, short, long = _leg(load, (short, long), 1, 1, until_tie)
    return cost + _leg(load, (short, long), HALF, HALF, (short + long) / (1 - load))[0]


def most_work_left(law: FiniteLaw, load: Fraction, short: Fraction, long: Fraction) -> Fraction:
    """The cost of sending all work to the longer queue until the other one is empty.

    From then on the empty queue is kept exactly busy with the smallest jobs, the largest of them
    split if need be; at a load up to 1/2 it takes all jobs and none of them waits.
    """
    cost, short, long = _leg(load, (short, long), 0, 0, 2 * short)
    if load <= HALF:
        return cost
    jobs, work = exit_shares(law, load)
    return cost + _leg(load, (short, long), work, jobs, long / (1 - load))[0]


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
