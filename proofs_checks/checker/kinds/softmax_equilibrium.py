"""Kind `softmax-equilibrium`: the equilibrium of the reflected routing equation.

Proved: for the given system the consistency equation G(K) = arrival_rate has exactly one root and
it lies in `K`; every theta_i and every equilibrium queue lies in its interval; exactly the servers
in `active` have a positive queue, up to those in `undecided`. In the summary form the number of
active servers and the extreme queues instead.
Not checked: that the intervals are as narrow as they could be.
"""

from fractions import Fraction

from proofs_checks.checker.kernel.interval import Interval
from proofs_checks.checker.kinds.softmax_system import System, energies, read_system, total
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Summary, Trial, fewest_digits

Bounds = tuple[Fraction, Fraction]

THEOREM = "softmax-equilibrium"
PROBLEM = ("system",)
CONDITIONS = {
    "hypothesis": "rates, alpha, beta > 0, offset >= 0, arrival rate below capacity (Hypotheses)",
    "shape": "one entry per server; index lists sorted, disjoint, within range (Definitions)",
    "theta": "the enclosure of theta_i lies in the claimed interval (Lemma 1)",
    "root-above": "K.lo > 0 and G(K.lo) >= arrival rate, so K* >= K.lo (Theorem, part b)",
    "root-below": "G(K.hi) <= arrival rate, so K* <= K.hi (Theorem, part b)",
    "active": "K.hi < theta_i, so the queue is positive (Theorem, part c)",
    "inactive": "theta_i <= K.lo, so the queue is empty (Theorem, part c)",
    "queue": "the enclosure of max(0, log(theta_i/K*)/(alpha v_i)) lies in the claim (part c)",
    "count": "the number of active and undecided servers is as claimed (part c)",
    "extreme": "the largest and the smallest active queue lie in their intervals (part c)",
}


def check(claim: Node, witness: Node, trial: Trial) -> Summary:
    """Prove the claim or raise a Refusal."""
    summary = isinstance(claim.value, dict) and "servers" in claim.value
    fields = (
        claim.record(
            "system servers K active_count undecided_count largest_queue", "smallest_active_queue"
        )
        if summary
        else claim.record("system K theta queue active undecided")
    )
    bits = trial.precision(witness.record("precision")["precision"].count())
    system = read_system(fields["system"], bits, trial)
    low, high = fields["K"].interval()
    trial.require("root-above", low > 0, "claim.K.lo", "positive", low)
    servers = _servers(system, bits, trial)
    thetas = [theta for theta, _, _ in servers]
    active = [theta.above(high) for theta in thetas]
    inactive = [theta.at_most(low) for theta in thetas]
    _root(system, thetas, active, inactive, low, high, bits, trial)
    log_root = trial.real(low, bits).log().hull(trial.real(high, bits).log())
    queues = [
        (Fraction(0), Fraction(0)) if empty else _queue(log_theta - log_root, slope, positive)
        for (_, log_theta, slope), positive, empty in zip(servers, active, inactive, strict=True)
    ]
    if summary:
        fields["servers"].name("summary")
        shown, undecided = _summarised(fields, active, inactive, queues, trial)
    else:
        shown, undecided = _listed(fields, thetas, active, inactive, queues, trial)
    root, rest = fewest_digits([(low, high)]), fewest_digits(shown)
    text = f"one equilibrium of {len(servers)} servers, {undecided} undecided: K* to {root} digits"
    return Summary(f"{text}, the rest to {rest} or more", fewest_digits([(low, high), *shown]))


def _servers(system: System, bits: int, trial: Trial) -> list[tuple[Interval, Interval, Interval]]:
    """Enclosures of theta_i = exp(-alpha kappa_i)/mu_i, log theta_i and alpha v_i (Lemma 1)."""
    alpha, result = trial.real(system.alpha, bits), []
    for log_rate, slope, shift in energies(system, bits, trial):
        trial.spend(100 + bits // 4 + bits * bits // 4000)
        log_theta = -(shift * alpha) - log_rate
        result.append((log_theta.exp(), log_theta, slope * alpha))
    return result


def _root(
    system: System,
    thetas: list[Interval],
    active: list[bool],
    inactive: list[bool],
    low: Fraction,
    high: Fraction,
    bits: int,
    trial: Trial,
) -> None:
    """G(low) >= arrival_rate >= G(high), where G(K) = sum of mu_i min(1, theta_i/K).

    On [low, high] the minimum is 1 for active servers and theta_i/K for inactive ones.
    """
    rate_in = system.arrival_rate
    rates = [trial.real(rate, bits) for rate in system.service_rates]
    full = total((r for r, is_active in zip(rates, active, strict=True) if is_active), trial)
    shared = [r * t for r, t, empty in zip(rates, thetas, inactive, strict=True) if empty]
    spread = total(shared, trial)
    for name, root in (("root-above", low), ("root-below", high)):
        value = full + spread / root
        for server, rate in enumerate(rates):
            if not (active[server] or inactive[server]):
                share = thetas[server] / root
                value = value + rate * share.least(1)
        above = name == "root-above"
        holds = value.at_least(rate_in) if above else value.at_most(rate_in)
        trial.require(name, holds, "claim.K", f"G(K) {'>=' if above else '<='} {rate_in}", value)


def _queue(log_ratio: Interval, slope: Interval, active: bool) -> Bounds:
    """Bounds of max(0, log(theta_i/K*)/(alpha v_i)) for a server that is not certainly inactive."""
    bottom, top = (log_ratio / slope).ends()
    return (bottom, top) if active else (max(bottom, Fraction(0)), max(top, Fraction(0)))


def _listed(
    fields: dict[str, Node],
    thetas: list[Interval],
    active: list[bool],
    inactive: list[bool],
    queues: list[Bounds],
    trial: Trial,
) -> tuple[list[Bounds], int]:
    """The per-server form: one interval each for theta and queue, and the index lists."""
    servers = range(len(thetas))
    claimed = {}
    for name in ("active", "undecided"):
        indices = [node.count() for node in fields[name].items(empty=True)]
        rising = all(a < b for a, b in zip(indices, indices[1:], strict=False))
        within = not indices or indices[-1] < len(thetas)
        trial.require("shape", rising and within, f"claim.{name}", "sorted server indices", indices)
        claimed[name] = set(indices)
    both = claimed["active"] & claimed["undecided"]
    trial.require("shape", not both, "claim.undecided", "disjoint from active", sorted(both))
    intervals = {}
    for name in ("theta", "queue"):
        intervals[name] = [node.interval() for node in fields[name].items()]
        length = len(intervals[name])
        trial.require(
            "shape", length == len(thetas), f"claim.{name}", f"{len(thetas)} entries", length
        )
    for i in servers:
        bounds = intervals["theta"][i]
        trial.require("theta", thetas[i].inside(*bounds), f"claim.theta.{i}", "theta_i", thetas[i])
        if i in claimed["active"]:
            trial.require("active", active[i], "claim.active", f"theta_{i} > K.hi", thetas[i])
        elif i not in claimed["undecided"]:
            trial.require("inactive", inactive[i], "claim.active", f"theta_{i} <= K.lo", thetas[i])
        low, high = intervals["queue"][i]
        holds = low <= queues[i][0] and queues[i][1] <= high
        trial.require("queue", holds, f"claim.queue.{i}", "the equilibrium queue", queues[i][1])
    open_queues = (intervals["queue"][i] for i in servers if i not in claimed["undecided"])
    return [*intervals["theta"], *open_queues], len(claimed["undecided"])


def _summarised(
    fields: dict[str, Node],
    active: list[bool],
    inactive: list[bool],
    queues: list[Bounds],
    trial: Trial,
) -> tuple[list[Bounds], int]:
    """The summary form: at least active_count servers are active, at most undecided_count more."""
    count, undecided = fields["active_count"].count(), fields["undecided_count"].count()
    found = sum(active)
    trial.require("count", found >= count, "claim.active_count", "active servers", found)
    rest = len(active) - count - undecided
    found = sum(inactive)
    trial.require("count", found >= rest, "claim.undecided_count", f"{rest} inactive", found)
    extremes = {"largest_queue": (max(low for low, _ in queues), max(high for _, high in queues))}
    decided = count > 0 and undecided == 0
    given = "smallest_active_queue" in fields
    trial.require(
        "shape", given == decided, "claim.smallest_active_queue", f"present: {decided}", given
    )
    if decided:
        positive = [each for each, is_active in zip(queues, active, strict=True) if is_active]
        extremes["smallest_active_queue"] = (
            min(low for low, _ in positive),
            min(high for _, high in positive),
        )
    shown = []
    for name, (bottom, top) in extremes.items():
        low, high = fields[name].interval()
        holds = low <= bottom and top <= high
        trial.require("extreme", holds, f"claim.{name}", "the extreme queue", top)
        shown.append((low, high))
    return shown, undecided
