"""The deployable dispatcher of a problem: a table of cutoffs and a short Python function.

The table says, for every relative imbalance, up to which size jobs join the shorter queue. It is
the optimal one of a law with few sizes, the best one that sees only bins of sizes, or for a law
with a density one cutoff for each of many short ranges of the imbalance; what its rounding costs is
computed along its own path, exactly or in ball arithmetic. Source:
proofs_checks/theorems/fluid-value.md (attainment), fluid-bracket.md, part (b), and
fluid-enclosure.md, Corollary 2.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

from flint import arb

from certify.balls import at_most, ball, ends, nearest, precision, round_up
from certify.certificate import Certificate
from certify.errors import InputError, OutOfReach
from certify.files import write_whole
from certify.fluid import brackets
from certify.fluid.continuous import ContinuousLaw
from certify.fluid.enclosure import enclose
from certify.fluid.laws import FiniteLaw, check_load, read_law
from certify.fluid.mixtures import read_sizes
from certify.fluid.path import follow, splits
from certify.fluid.value import BINS, MAX_ATOMS, Dispatch, note, shown, solve
from certify.problem import read

PLACES = 15  # decimal places of the imbalances in the table
LEAST_PERCENT = Fraction(1, 100)  # what is less is called less than that
NO_SECTORS = f"{BINS}; a policy is made of sectors, also with sectors = false"
DIGITS = 17  # of a size that is not a whole number
RANGES = 64  # of the imbalance, in the table of a law with a density
RANGE_DIGITS = 15  # of the enclosures from which such a table is made

RANDOM_ARRIVALS = [
    "Warning: nothing is proved for random arrivals, where this rule alone may be many times worse",
    "than joining the queue with less work. It is a rule of the fluid, made to empty large",
    "backlogs. Combine it with a rule for small ones: let a job join the queue with less work",
    "whenever that queue holds less than a few mean sizes, ask this rule only otherwise, and",
    "compare both by simulation with your arrivals before use.",
]

SOURCE = '''\
"""Which of two queues a job joins: {name}.

{facts}
"""

import random
from bisect import bisect_right

{table}

def joins_shorter(size, short, long, chance=random.random):
    """Whether a job of this size joins the queue with less work, `short` <= `long`."""
    if not (0 <= short <= long < float("inf") and size >= 0):
        raise ValueError("size must be at least 0, and 0 <= short <= long finite")
    if short <= 0 < long:  # keep the empty queue exactly busy
        return size <= EXIT_ALL or (size <= EXIT_SOME and chance() < EXIT_SHARE)
    imbalance = (long - short) / (long + short) if long > 0 else 1.0
    return size <= LARGEST[bisect_right(FROM, imbalance) - 1]
'''


@dataclass(frozen=True)
class Controller:
    """A table of steps: at an imbalance from `edges[i]` on, sizes up to `largest[i]` join.

    They join the shorter queue; `None` is any size. Sizes are in the problem's units. On the axis
    (one queue empty) all sizes up to `exit_all` join the empty queue and, of those up to
    `exit_some`, the share `exit_share`. `cost` is what the table costs from the imbalance `start`
    at total work 1 (units of the mean size), `least` a lower bound of what any control costs.
    `error` is given if the table has one cutoff for a range of the imbalance: the largest distance
    from the optimal cutoff, but for the last range.
    """

    name: str
    load: Fraction
    scale: Fraction
    start: Fraction
    edges: tuple[Fraction, ...]
    largest: tuple[Fraction | None, ...]
    exit_all: Fraction | None
    exit_some: Fraction | None
    exit_share: Fraction
    cost: Fraction
    least: Fraction
    error: Fraction | None = None

    @property
    def regret(self) -> Fraction:
        """At most so much more than the least cost is what this table costs from its start."""
        return self.cost - self.least

    def source(self) -> str:
        """The text of a Python module with the function `joins_shorter`."""
        froms = _wrapped([_decimal(edge) for edge in self.edges])
        sizes = _wrapped([_size(size) for size in self.largest])
        table = f"FROM = [  # from this relative imbalance on\n{froms}\n]\n"
        table += f"LARGEST = [  # sizes up to this join the shorter queue; -1: none\n{sizes}\n]\n"
        table += f"EXIT_ALL, EXIT_SOME = {_size(self.exit_all)}, {_size(self.exit_some)}\n"
        table += f"EXIT_SHARE = {_decimal(self.exit_share)}\n"
        return SOURCE.format(name=self.name, facts="\n".join(self.facts()), table=table)

    def table(self) -> str:
        """The table as CSV: an imbalance and the largest size that joins the shorter queue."""
        lines = ["imbalance_from,largest_size_to_the_shorter_queue"]
        for edge, size in zip(self.edges, self.largest, strict=True):
            largest = "all" if size is None else "none" if size < 0 else _size(size)
            lines.append(f"{_decimal(edge)},{largest}")
        return "\n".join(lines) + "\n"

    def facts(self) -> list[str]:
        """What is known about the table, in lines."""
        unit = "units of the mean size"
        if self.scale != 1:
            unit = f"the units of the sizes given (their mean is about {nearest(self.scale)})"
        lines = [
            f"Load {shown(self.load)}. Sizes and workloads are in {unit}.",
            "In the fluid model, from total work of one mean size and relative imbalance "
            f"{shown(self.start)},",
        ]
        cost = f"this table costs {at_most(self.cost, 10)}"
        if self.regret:
            percent = 100 * self.regret / self.least if self.least > 0 else Fraction(0)
            share = f" ({_percent(percent)} %)" if percent else ""
            lines.append(f"{cost}, at most {at_most(self.regret, 3)}{share} more than any control.")
        else:
            lines.append(f"{cost}, and no control costs less.")
        if self.error is None:
            lines += [
                f"This counts the rounding of the table to {PLACES} places: "
                "each imbalance in it is within",
                f"5e-{PLACES + 1} of the exact one.",
            ]
        else:
            lines += [
                f"This counts the steps of the table: below imbalance {_decimal(self.edges[-1])} "
                "each cutoff is within",
                f"{at_most(self.error, 3)} of the optimal one.",
            ]
        if any(size and Fraction(float(size)) != size for size in self.largest):
            lines.append(f"It does not count the rounding of the sizes up to {DIGITS} digits.")
        return lines + RANDOM_ARRIVALS

    def write(self, folder: Path, stem: str) -> tuple[Path, Path]:
        """Write STEM-controller.py and STEM-cutoffs.csv; InputError if that is not possible."""
        paths = controller_files(folder, stem)
        for path, text in zip(paths, (self.source(), self.table()), strict=True):
            write_whole(path, text.encode("ascii"), "--out")
        return paths


def controller_files(folder: Path, stem: str) -> tuple[Path, Path]:
    """The files that a controller is written to."""
    return folder / f"{stem}-controller.py", folder / f"{stem}-cutoffs.csv"


def optimal_controller(dispatch: Dispatch, name: str) -> Controller:
    """The optimal table of a law with few sizes, for the start from equal queues."""
    scale = dispatch.law.scale
    ends = [size * scale for size, _ in dispatch.law.atoms]
    return _controller(name, dispatch, [*ends[:-1], None], scale, Fraction(0), None)


def bin_controller(found: brackets.Bracket, name: str) -> Controller:
    """The best table that sees only the bins, for the start of the bracket."""
    law = found.law
    scale = law.law.scale if isinstance(law, brackets.FiniteBins) else Fraction(1)
    ends = [size * scale for size in found.bins]
    return _controller(name, found.policy, [*ends, None], scale, found.imbalance, found.lower)


def read_controller(path: Path) -> tuple[Controller, Certificate]:
    """The controller of a problem file and the certificate that proves its facts."""
    table = read(path)
    table.flag("large")
    name = path.stem
    if table.has("grid"):
        raise InputError("grid", "be left out (a policy is made of one problem)", table.get("grid"))
    kind = table.choice("kind", ("fluid-bracket", "fluid-enclosure", "fluid-value"))
    if kind == "fluid-bracket":
        found = brackets.read_bracket(table)
        return bin_controller(found, name), found.certificate()
    if kind == "fluid-enclosure":
        sizes, load = read_sizes(table), table.rational("load")
        for asked in ("imbalances", "digits", "path"):
            table.get(asked, None)  # the table has its own
        table.done()
        return range_controller(sizes, check_load(load), name)
    law, load = read_law(table, MAX_ATOMS, NO_SECTORS), table.rational("load")
    imbalances = table.rationals("imbalances", (0,))
    table.flag("sectors")
    table.done()
    note(law)
    solved = solve(law, load, NO_SECTORS)
    return optimal_controller(solved, name), solved.certificate(imbalances)


def range_controller(
    law: ContinuousLaw, load: Fraction, name: str
) -> tuple[Controller, Certificate]:
    """A table of one cutoff for each of RANGES ranges of the imbalance, for a law with a density.

    The cutoff is that in the middle of the range; the certificate encloses those at all edges.
    """
    edges = [Fraction(i, RANGES) for i in range(RANGES + 1)]
    middles = [(a + b) / 2 for a, b in pairwise(edges)]
    known = enclose(law, load, edges, RANGE_DIGITS)
    cutoffs = [row.cutoff for row in enclose(law, load, middles, RANGE_DIGITS).rows]
    table = [_short(cutoff[0]) for cutoff in cutoffs if cutoff is not None]
    bounds = [row.cutoff for row in known.rows[:-1] if row.cutoff is not None]
    error = max(
        max(size - below[0], above[1] - size)
        for size, (below, above) in zip(table, pairwise(bounds), strict=False)
    )
    exit_all, exit_some, share = _enclosed_exit(law, load, known.exit_cutoff)
    with precision(4 * RANGE_DIGITS + 64):
        cost = _table_cost(
            law, load, zip(edges[1:], table, strict=True), exit_all, exit_some, share
        )
        most = ends(cost.upper())[1]
    controller = Controller(
        name=name,
        load=load,
        scale=Fraction(1),
        start=Fraction(0),
        edges=tuple(edges[:-1]),
        largest=tuple(table),
        exit_all=exit_all,
        exit_some=exit_some,
        exit_share=share,
        cost=most,
        least=known.rows[0].value[0],
        error=error,
    )
    return controller, known.certificate()


def _enclosed_exit(
    law: ContinuousLaw, load: Fraction, cutoff: tuple[Fraction, Fraction] | None
) -> tuple[Fraction | None, Fraction | None, Fraction]:
    """On the axis: sizes up to which all jobs join, and some, and their share, rounded down."""
    if cutoff is None or 2 * load <= 1:
        return None, None, Fraction(0)
    low = _short(cutoff[0])
    atom = next((s for s, _ in getattr(law, "atoms", ()) if cutoff[0] < s < cutoff[1]), None)
    if atom is None:
        return low, low, Fraction(0)
    mass = dict(getattr(law, "atoms", ()))[atom]
    below = 1 - law.work_above(ball(low))
    share = (ball(1 / (2 * load)) - below) / ball(atom * mass)
    least = max(Fraction(0), ends(share.lower())[0])
    return low, atom, Fraction(math.floor(least * 10**PLACES), 10**PLACES)


def _table_cost(
    law: ContinuousLaw,
    load: Fraction,
    steps: Iterable[tuple[Fraction, Fraction]],
    exit_all: Fraction | None,
    exit_some: Fraction | None,
    share: Fraction,
) -> arb:
    """The cost from a tie at total work 1: legs with constant shares, then the axis.

    A step (upper, size) says that sizes up to `size` join the shorter queue below `upper`.
    """
    rho, half = ball(load), ball(Fraction(1, 2))
    x, delta, cost = arb(1), arb(0), arb(0)
    for upper, size in steps:
        jobs, work = 1 - law.share_above_at(ball(size)), 1 - law.work_above(ball(size))
        edge = ball(upper)
        speed = rho * (1 - 2 * work) + (1 - rho) * edge
        if not speed > 0:
            raise OutOfReach("with this table of cutoffs the imbalance is not seen to rise")
        duration = (edge * x - delta) / speed
        ahead, gap = x - (1 - rho) * duration, delta + rho * (1 - 2 * work) * duration
        # the cost rate is load (x + (1 - 2 jobs) delta), linear on the leg
        cost += rho * duration * (x + ahead + (1 - 2 * jobs) * (delta + gap)) / 2
        x, delta = ahead, gap
    if exit_all is None or exit_some is None:
        return cost
    jobs, work = 1 - law.share_above_at(ball(exit_all)), 1 - law.work_above(ball(exit_all))
    if exit_some > exit_all:
        part = dict(getattr(law, "atoms", ()))[exit_some] * share
        jobs, work = jobs + ball(part), work + ball(part * exit_some)
    duration = x / (half - rho * (1 - work))
    return cost + rho * (1 - jobs) * x * duration


def _short(size: Fraction) -> Fraction:
    """The largest number of 40 bits that is at most a size: every machine has it exactly."""
    shift = 40 - size.numerator.bit_length() + size.denominator.bit_length()
    unit = Fraction(1, 2) ** shift
    return math.floor(size / unit) * unit


def _controller(
    name: str,
    dispatch: Dispatch,
    ends: Sequence[Fraction | None],
    scale: Fraction,
    start: Fraction,
    least: Fraction | None,
) -> Controller:
    """The table of a solved law whose i-th size stands for the sizes up to ends[i]."""
    law, load = dispatch.law, dispatch.load
    steps: list[tuple[Fraction, int]] = []  # (rounded lower edge, how many sizes join)
    for sector, count in zip(dispatch.sectors, splits(law, dispatch.sectors), strict=True):
        edge = Fraction(round(sector.lower * 10**PLACES), 10**PLACES)
        if steps and steps[-1][0] == edge:
            steps.pop()
        if not steps or steps[-1][1] != count:
            steps.append((edge, count))
    uppers = [*(edge for edge, _ in steps[1:]), Fraction(1)]
    rows = [(upper, count) for upper, (_, count) in zip(uppers, steps, strict=True)]
    whole, some, share = _exit(law, load)
    exit_to = _shares(law, whole, some, share)
    legs = follow(law, load, rows, (1 - start) / 2, (1 + start) / 2, exit_to)
    cost = sum((leg.cost for leg in legs), Fraction(0))

    def size(count: int) -> Fraction | None:
        return ends[count - 1] if count else Fraction(-1)

    return Controller(
        name=name,
        load=load,
        scale=scale,
        start=start,
        edges=tuple(edge for edge, _ in steps),
        largest=tuple(size(count) for _, count in steps),
        exit_all=size(whole),
        exit_some=size(some),
        exit_share=share,
        cost=cost,
        least=dispatch.at(start) if least is None else least,
    )


def _exit(law: FiniteLaw, load: Fraction) -> tuple[int, int, Fraction]:
    """On the axis: how many sizes join the empty queue, up to which a share does, rounded down.

    Rounded down the empty queue idles a little; rounded up it would fill again.
    """
    count = len(law.atoms)
    if 2 * load <= 1:
        return count, count, Fraction(0)
    needed, work = 1 / (2 * load), Fraction(0)
    for index, (size, mass) in enumerate(law.atoms):
        if work + size * mass >= needed:
            share = (needed - work) / (size * mass)
            return index, index + 1, Fraction(math.floor(share * 10**PLACES), 10**PLACES)
        work += size * mass
    return count, count, Fraction(0)


def _shares(law: FiniteLaw, whole: int, some: int, share: Fraction) -> tuple[Fraction, Fraction]:
    """The shares of jobs and work that join the empty queue."""
    parts = [(atom, Fraction(1)) for atom in law.atoms[:whole]]
    parts += [(atom, share) for atom in law.atoms[whole:some]]
    jobs = sum((mass * part for (_, mass), part in parts), Fraction(0))
    return jobs, sum((size * mass * part for (size, mass), part in parts), Fraction(0))


def _percent(value: Fraction) -> str:
    """A positive number of percent as a reader wants it, rounded up: no powers of ten."""
    if value < LEAST_PERCENT:
        return f"less than {float(LEAST_PERCENT)}"
    return at_most(value, 3) if value < 100 else f"{math.ceil(value):,}"


def _decimal(value: Fraction) -> str:
    return f"{float(value):.{PLACES}f}".rstrip("0").rstrip(".")


def _size(value: Fraction | None) -> str:
    """A literal that is at least the size: whole numbers as they are, others rounded up."""
    if value is None:
        return 'float("inf")'
    if value.denominator == 1:
        return str(value)
    if Fraction(float(value)) == value:
        return repr(float(value))
    return repr(float(round_up(value, DIGITS)))


def _wrapped(items: Sequence[str]) -> str:
    lines, line = [], "   "
    for item in items:
        if len(line) + len(item) + 2 > 96:
            lines.append(line)
            line = "   "
        line += f" {item},"
    return "\n".join([*lines, line])
