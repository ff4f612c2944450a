"""What five dispatching policies cost from one start, and what they save.

Exact for a law with finitely many sizes; for a law with a density every number that depends on it
is enclosed. Source: proofs_checks/theorems/fluid-comparison.md; the running example of doi
10.5281/zenodo.23586955 compares three of the policies, its table six laws.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from flint import arb

from certify.balls import ball, ends, precision, round_down, unit
from certify.certificate import Certificate, exact, interval
from certify.errors import InputError, OutOfReach
from certify.fluid.brackets import bracket, tell_bins, to_bins
from certify.fluid.continuous import ContinuousLaw
from certify.fluid.enclosure import enclose
from certify.fluid.laws import FiniteLaw, check_load, read_law
from certify.fluid.mixtures import Mixture, read_sizes
from certify.fluid.numbers import (
    Cost,
    Ends,
    Number,
    Unresolved,
    about,
    as_ball,
    between,
    settled,
    spelled,
)
from certify.fluid.policies import (
    AXIS_RULES,
    HALF,
    balanced,
    cost_on_axis,
    half_of_the_work,
    half_work_share,
    most_work_left,
    size_at,
    size_interval,
    work_median,
)
from certify.fluid.value import note, shown, solve
from certify.problem import (
    DEFAULT_DIGITS,
    Exact,
    Table,
    require_type,
    to_choice,
    to_digits,
    to_rational,
)

POLICIES = ("optimal", "balanced", "most_work_left", "size_interval", "bin_policy")
SAVING, SAVED = ("optimal", "size_interval", "bin_policy"), ("balanced", "most_work_left")
SAME = ("most_work_left", "size_interval")  # which may cost the least from an empty queue
BINS = 4
TRIES = 12
FEWEST_JOBS = Fraction(1, 10**50)  # the share of the last bin that is still resolved
EXTRA = 12  # digits that the parts have beyond those of the costs, at first


@dataclass(frozen=True)
class Comparison:
    """Costs of five policies from workloads short <= long (units of the mean size).

    `bins` are the ends of all bins but the last, `axis_rule` is what the split at the work median
    does with an empty queue. Numbers are exact, or the two ends of an interval where they depend
    on a law with a density; `cutoff` and `exit_cutoff` (None: infinity) are the optimal policy's at
    the start and once a queue is empty, and given for such a law only.
    """

    law: FiniteLaw | ContinuousLaw
    load: Fraction
    short: Fraction
    long: Fraction
    bins: tuple[Fraction, ...]
    axis_rule: str
    work_median: Number
    half_work_share: Number
    optimal: Number
    balanced: Fraction
    most_work_left: Number
    size_interval: Number
    bin_policy: Number
    savings: dict[str, dict[str, Number]]
    witness: dict[str, Any]
    cutoff: Ends | None = None
    exit_cutoff: Ends | None = None

    def __repr__(self) -> str:
        costs = ", ".join(f"{name}={_said(spelled(getattr(self, name)))}" for name in POLICIES)
        place = f"({exact(self.short)}, {exact(self.long)})"
        return f"Comparison(load={exact(self.load)}, start={place}, {costs})"

    def saving(self, policy: str, against: str) -> Number:
        """The share of the cost of `against` that `policy` saves: names as the attributes.

        InputError unless `policy` is optimal, size_interval or bin_policy, and `against` balanced
        or most_work_left.
        """
        policy = to_choice(policy, "policy", SAVING)
        return self.savings[policy][f"against_{to_choice(against, 'against', SAVED)}"]

    def certificate(self) -> Certificate:
        """The certificate; its witness holds the sectors, or the partition of the integral."""
        claim: dict[str, Any] = {
            "law": self.law.to_claim(),
            "load": exact(self.load),
            "start": {"short": exact(self.short), "long": exact(self.long)},
            "bins": [exact(end) for end in self.bins],
            "axis_rule": self.axis_rule,
        }
        names = ("work_median", "half_work_share", *POLICIES)
        claim |= {name: spelled(getattr(self, name)) for name in names}
        claim["savings"] = {
            policy: {name: spelled(value) for name, value in row.items()}
            for policy, row in self.savings.items()
        }
        if isinstance(self.law, ContinuousLaw):
            for name in ("cutoff", "exit_cutoff"):
                value = getattr(self, name)
                claim[name] = "infinity" if value is None else interval(*value)
        return Certificate("fluid-comparison", claim, self.witness)


def compare(
    law: FiniteLaw | ContinuousLaw,
    load: Exact,
    u1: Exact,
    u2: Exact,
    bins: int | Iterable[Exact] = BINS,
    axis_rule: str = AXIS_RULES[0],
    digits: int = DEFAULT_DIGITS,
) -> Comparison:
    """The costs from workloads u1 and u2.

    `bins` is a number of bins with about equal work, or the sizes at which all but the last end;
    `digits` matters for laws with a density only. Raises InputError for a negative or empty start,
    for an empty queue at a load up to 1/2, from where routing well costs nothing, and for bins
    without jobs.
    """
    laws = (FiniteLaw, ContinuousLaw)
    require_type(law, laws, "law", "a size law, such as Exponential() or a FiniteLaw")
    short, long = sorted((to_rational(u1, "start.short"), to_rational(u2, "start.long")))
    rho = check_load(load)
    if short < 0:
        raise InputError("start", "have workloads of at least 0", short)
    if long == 0:
        raise InputError("start", "have a positive total workload", "empty")
    if short == 0 and rho <= HALF:
        requirement = "be positive at a load up to 1/2 (otherwise the least cost is 0)"
        raise InputError("start.short", requirement, short)
    axis_rule, digits = to_choice(axis_rule, "axis_rule", AXIS_RULES), to_digits(digits)
    if isinstance(law, FiniteLaw):
        return _exact(law, rho, short, long, bins, axis_rule)
    cuts = _bin_ends(law, rho, bins)
    slack = EXTRA
    for _ in range(TRIES):
        try:
            return _enclosed(law, rho, (short, long), cuts, axis_rule, digits, slack)
        except Unresolved:
            slack += 6
    raise OutOfReach("the comparison is not resolved at the last precision")


def make(table: Table) -> Certificate:
    """The certificate of a problem of kind `fluid-comparison`."""
    continuous = table.table("law").has("family")
    law = read_sizes(table) if continuous else read_law(table)
    load, start = table.rational("load"), table.table("start")
    short, long = start.rational("short"), start.rational("long")
    start.done()
    given = table.get("bins", BINS)
    bins = table.rationals("bins") if isinstance(given, list) and given else given
    rule = table.choice("axis_rule", AXIS_RULES, AXIS_RULES[0])
    digits = table.digits() if continuous else DEFAULT_DIGITS
    table.done()
    if short > long:
        raise InputError("start.short", f"be at most start.long ({shown(long)})", short)
    if isinstance(law, FiniteLaw):
        note(law)
    certificate = compare(law, load, short, long, bins, rule, digits).certificate()
    if table.has("bins"):
        tell_bins(given, len(certificate.claim["bins"]) + 1)
    return certificate


def words(claim: dict[str, Any]) -> str:
    """What a claim of this kind states, in one sentence."""
    start = ", ".join(shown(claim["start"][name]) for name in ("short", "long"))
    costs = [_said(claim[name]) for name in POLICIES]
    bins = len(claim["bins"]) + 1
    return (
        f"From workloads ({start}) at load {shown(claim['load'])} the least cost is {costs[0]}, "
        f"against {costs[1]} for balanced routing, {costs[2]} for most work left, {costs[3]} for "
        f"the split at the work median and {costs[4]} for the best routing by {bins} "
        f"bin{'s' * (bins > 1)} of sizes."
    )


def _exact(
    law: FiniteLaw,
    load: Fraction,
    short: Fraction,
    long: Fraction,
    bins: Any,
    rule: str,
) -> Comparison:
    """The comparison for a finite law."""
    optimum = solve(law, load)
    binned = bracket(law, load, bins)
    median, share = half_of_the_work(law)
    on_axis = cost_on_axis(law, load)
    costs: dict[str, Cost] = {
        "optimal": optimum.value(short, long),
        "balanced": balanced(load, short, long),
        "most_work_left": most_work_left(load, short, long, on_axis),
        "size_interval": size_interval(load, short, long, rule, share, on_axis),
        "bin_policy": binned.policy.value(short, long),
    }
    savings = {
        policy: {f"against_{other}": 1 - costs[policy] / costs[other] for other in SAVED}
        for policy in SAVING
    }
    witness = {
        "optimal": [sector.to_claim() for sector in optimum.sectors],
        "bin_policy": [sector.to_claim() for sector in binned.policy.sectors],
    }
    data = law, load, short, long, binned.bins, rule, median, share
    return Comparison(*data, **costs, savings=savings, witness=witness)


def _enclosed(
    law: ContinuousLaw,
    load: Fraction,
    start: tuple[Fraction, Fraction],
    bins: tuple[Fraction, ...],
    rule: str,
    digits: int,
    slack: int,
) -> Comparison:
    """The comparison for a law with a density; Unresolved if the slack does not suffice.

    Everything is computed at the precision that the checker will use.
    """
    short, long = start
    total = short + long
    z = (long - short) / total
    found = enclose(law, load, [z, 1], digits + slack)
    (row, empty), bits = found.rows, found.bits
    median = work_median(law, digits + slack, bits)
    with precision(bits):
        share = half_work_share(law, median)
        on_axis = between(empty.value) if load > HALF else Fraction(0)
        costs: dict[str, Cost] = {
            "optimal": between(row.value) * ball(total * total),
            "balanced": balanced(load, short, long),
            "most_work_left": most_work_left(load, short, long, on_axis),
            "size_interval": size_interval(load, short, long, rule, share, on_axis),
            "bin_policy": _bin_policy(law, load, start, bins),
        }
        if short == 0:  # there the optimal policy, most work left and an exactly busy queue agree
            same = SAME if rule == "exactly-busy" else SAME[:1]
            costs |= dict.fromkeys(same, costs["optimal"])
        claimed = {name: settled(value, digits) for name, value in costs.items()}
        savings = {
            policy: {
                f"against_{other}": settled(_saving(costs[policy], costs[other]), digits)
                for other in SAVED
            }
            for policy in SAVING
        }
        data = law, load, short, long, bins, rule, median, settled(share, digits)
    return Comparison(
        *data,
        **claimed,  # type: ignore[arg-type]
        savings=savings,
        witness=found.certificate().witness,
        cutoff=row.cutoff,
        exit_cutoff=found.exit_cutoff,
    )


@dataclass(frozen=True)
class _Knot:
    """A mean size t of a bin with E|T - t|, and the shares of jobs and work in the bins up to it.

    T is the conditional mean of the size, given its bin.
    """

    size: arb
    deviation: arb
    jobs: arb
    work: arb


def _bin_policy(
    law: ContinuousLaw,
    load: Fraction,
    start: tuple[Fraction, Fraction],
    bins: tuple[Fraction, ...],
) -> Cost:
    """The least cost of the controls that see only the bins (fluid-comparison.md, Lemma 3)."""
    short, long = start
    if not bins:
        return balanced(load, short, long)  # nothing is seen of a job
    knots = _knots(law, bins)
    x, kappa, heavy = ball(short + long), ball(load / (1 - load)), load > HALF
    z = ball((long - short) / (short + long))
    if short == 0:  # then the load is above 1/2
        ends_on_axis = [(kappa * (1 - t.deviation / t.size) - 1 / t.size) / 2 for t in knots[1:]]
        return _largest(ends_on_axis) * x**2
    last = knots[-1]
    reach = last.size / last.deviation if heavy else 1 + 1 / (kappa * (last.size - 1))
    values = []
    top = last.size / (last.deviation * reach)
    if load < HALF and top <= z:
        return balanced(load, short, long)  # all jobs join the shorter queue
    if load < HALF and not top > z:
        values.append(ball(load / (2 * (1 - 2 * load))) * (1 - z) ** 2)
    for below, above in zip(knots[-2::-1], knots[:0:-1], strict=True):
        speed = 1 / (kappa * above.deviation)
        first = above.size * speed - (2 * below.work - 1) * reach
        second = (2 * below.jobs - 1) * reach - speed
        late = above.size / (above.deviation * reach) < z
        reach += (above.size - below.size) * speed / below.deviation
        if heavy:
            reach = _largest([reach, below.size / below.deviation])
        early = below.size / (below.deviation * reach) > z
        if not (late or early or below.work >= ball(1 / (2 * load))):
            form = (kappa * (2 * below.work - 1) - 2 * z + second * z**2) / first
            values.append((kappa + form) / 2)
    value = values[0]
    for other in values[1:]:
        value = value.union(other)
    return value * x**2


def _knots(law: ContinuousLaw, bins: tuple[Fraction, ...]) -> list[_Knot]:
    """0 and the conditional means of the bins."""
    knots, jobs, work = [_Knot(arb(0), arb(1), arb(0), arb(0))], arb(1), arb(1)
    for end in [*bins, None]:
        rest = arb(0), arb(0)
        if end is not None:
            rest = _from_on(law, end)
        size = (work - rest[1]) / (jobs - rest[0])
        jobs, work = rest
        spread = (1 - 2 * jobs) * size - (1 - 2 * work)
        knots.append(_Knot(size, spread, 1 - jobs, 1 - work))
    return knots


def _from_on(law: ContinuousLaw, size: Fraction) -> tuple[arb, arb]:
    """The shares of the jobs and of the work in the jobs from a size on."""
    mass = dict(law.atoms).get(size, Fraction(0)) if isinstance(law, Mixture) else Fraction(0)
    jobs, work = law.share_above_at(ball(size)), law.work_above(ball(size))
    return jobs + ball(mass), work + ball(mass * size)


def _bin_ends(
    law: ContinuousLaw, load: Fraction, bins: int | Iterable[Any]
) -> tuple[Fraction, ...]:
    """The sizes at which all bins but the last end.

    Those of a number of bins have six digits, and are fewer if an atom has the work of several.
    """
    with precision(256):
        cuts = to_bins(bins)
        if isinstance(cuts, int):
            # beyond the exit cutoff all jobs join the longer queue: one bin is enough for them
            count, most = (cuts - 1, 1 / (2 * load)) if load > HALF else (cuts, Fraction(1))
            shares = [1 - most * Fraction(i, count) for i in range(1, cuts)]
            sizes = sorted({_rounded(ends(size_at(law, share))[0]) for share in shares})
            larger = [arb(1), *(_from_on(law, size)[0] for size in sizes)]
            ended = zip(sizes, pairwise(larger), strict=True)
            return tuple(size for size, (some, fewer) in ended if 0 < fewer < some)
        jobs, before = arb(1), Fraction(0)
        for index, size in enumerate(cuts):
            rest = _from_on(law, size)[0] if size > before else jobs
            if not rest < jobs:
                raise InputError(f"bins[{index}]", "end a bin with jobs above the last", size)
            jobs, before = rest, size
        if not jobs > 0:
            raise InputError("bins", "leave jobs for the last bin", cuts[-1])
        if not jobs > ball(FEWEST_JOBS):
            requirement = "leave jobs for the last bin (a share of at least 1e-50)"
            raise InputError("bins", requirement, cuts[-1])
        return cuts


def _saving(cost: Cost, other: Cost) -> Cost:
    if cost is other:
        return Fraction(0)  # however wide its enclosure
    if isinstance(cost, Fraction) and isinstance(other, Fraction):
        return 1 - cost / other
    return 1 - as_ball(cost) / as_ball(other)


def _rounded(value: Fraction) -> Fraction:
    """The nearest decimal with six digits."""
    nearest: Fraction = round_down(value + unit(value, 6) / 2, 6)
    return nearest


def _largest(values: list[arb]) -> arb:
    most = values[0]
    for value in values[1:]:
        most = most.max(value)
    return most


def _said(value: Any) -> str:
    return shown(value) if isinstance(value, str) else about(value)
