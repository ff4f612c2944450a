"""Kind `softmax-equilibrium`: the equilibrium of the reflected routing equation.

Proved: for the given system the consistency equation G(K) = arrival_rate has exactly one root and
it lies in `K`; every theta_i and every equilibrium queue lies in its interval; exactly the servers
in `active` have a positive queue, up to those in `undecided`. In the summary form the number of
active servers and the extreme queues instead.
Not checked: that the intervals are as narrow as they could be.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from proofs_checks.checker.kernel.real import Real, highest, lowest
from proofs_checks.checker.kinds.exact_lists import entries, kept
from proofs_checks.checker.kinds.softmax_system import System, energies, read_system, total
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Summary, Trial, fewest_digits

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
LISTED = "system K theta queue active undecided"
SUMMARY = "system servers K active_count undecided_count largest_queue"

Bounds = tuple[Fraction, Fraction]
Ends = tuple[Real, Real]


@dataclass(frozen=True)
class Server:
    """Enclosures of theta_i, log theta_i and alpha v_i; whether theta_i > K.hi, or <= K.lo."""

    rate: Real
    theta: Real
    log_theta: Real
    slope: Real
    active: bool
    inactive: bool

    def queue(self, log_root: Real, zero: Real) -> Ends:
        """Bounds of max(0, log(theta_i/K*)/(alpha v_i))."""
        if self.inactive:
            return zero, zero
        found = (self.log_theta - log_root) / self.slope
        bottom, top = lowest([found]), found.upper()
        return (bottom, top) if self.active else (highest([bottom, zero]), highest([top, zero]))


def check(claim: Node, witness: Node, trial: Trial) -> Summary:
    """Prove the claim or raise a Refusal."""
    summary = isinstance(claim.value, dict) and "servers" in claim.value
    fields = claim.record(SUMMARY, "smallest_active_queue") if summary else claim.record(LISTED)
    bits = trial.precision(witness.record("precision")["precision"].count())
    system = read_system(fields["system"], bits, trial)
    low, high = fields["K"].interval()
    trial.require("root-above", low > 0, "claim.K.lo", "positive", low)
    servers = _servers(system, low, high, bits, trial)
    log_root = _root(system.arrival_rate, servers, low, high, bits, trial).log()
    queues = [server.queue(log_root, trial.real(0, bits)) for server in servers]
    form = _summarised if summary else _listed
    shown, undecided = form(fields, servers, queues, trial)
    root, rest = fewest_digits([(low, high)]), fewest_digits(shown)
    text = f"one equilibrium of {len(servers)} servers, {undecided} undecided: K* to {root} digits"
    more = "exact" if rest is None else f"to {rest} or more"
    return Summary(f"{text}, the rest {more}", fewest_digits([(low, high), *shown]))


def _servers(
    system: System, low: Fraction, high: Fraction, bits: int, trial: Trial
) -> list[Server]:
    """Every server with theta_i = exp(-alpha kappa_i)/mu_i (Lemma 1) held against [low, high]."""
    alpha, result = trial.real(system.alpha, bits), []
    known = energies(system, bits, trial)
    for rate, (log_rate, slope, shift) in zip(system.service_rates, known, strict=True):
        trial.spend(100 + bits // 4 + bits * bits // 2000)
        trial.keep(8, bits)
        log_theta = -(shift * alpha) - log_rate
        theta = log_theta.exp()
        states = theta.above(high), theta.at_most(low)
        result.append(Server(trial.real(rate, bits), theta, log_theta, slope * alpha, *states))
    return result


def _root(
    arrival: Fraction, servers: list[Server], low: Fraction, high: Fraction, bits: int, trial: Trial
) -> Real:
    """An enclosure of K*, once G(low) >= arrival >= G(high), G(K) = sum mu_i min(1, theta_i/K).

    On [low, high] the minimum is 1 for active servers and theta_i/K for inactive ones; if every
    server is one or the other, G(K) = arrival is solved by K* itself.
    """
    full = total((each.rate for each in servers if each.active), trial)
    spread = total((each.rate * each.theta for each in servers if each.inactive), trial)
    doubtful = [each for each in servers if not (each.active or each.inactive)]

    def capacity(root: Fraction) -> Real:
        return (
            full
            + spread / root
            + total((each.rate * (each.theta / root).least(1) for each in doubtful), trial)
        )

    above, below = capacity(low), capacity(high)
    least, most = ("G(K) at least", arrival), ("G(K) at most", arrival)
    trial.require("root-above", above.at_least(arrival), "claim.K.lo", least, above)
    trial.require("root-below", below.at_most(arrival), "claim.K.hi", most, below)
    if doubtful:
        return trial.real(low, bits).hull(trial.real(high, bits))
    return spread / (arrival - full)


def _listed(
    fields: dict[str, Node], servers: list[Server], queues: list[Ends], trial: Trial
) -> tuple[list[Bounds], int]:
    """The per-server form: one interval each for theta and queue, and the index lists."""
    size = len(servers)
    indices = {}
    for name in ("active", "undecided"):
        indices[name] = [node.count() for node in fields[name].items(empty=True)]
        rising = all(a < b for a, b in pairwise(indices[name]))
        within = not indices[name] or indices[name][-1] < size
        trial.require("shape", rising and within, f"claim.{name}", "sorted indices", "others")
    active, undecided = set(indices["active"]), set(indices["undecided"])
    trial.require("shape", not active & undecided, "claim.undecided", "disjoint from active", "not")
    intervals = {}
    for name in ("theta", "queue"):
        items = entries(fields[name], size, trial)
        intervals[name] = [
            (kept(low, trial), kept(high, trial)) for low, high in map(Node.interval, items)
        ]
    for i, server in enumerate(servers):
        theta, known = server.theta, f"theta_{i}"
        inside = theta.inside(*intervals["theta"][i])
        trial.require("theta", inside, f"claim.theta.{i}", known, theta)
        if i in active:
            trial.require("active", server.active, "claim.active", f"{known} > K.hi", theta)
        elif i not in undecided:
            trial.require("inactive", server.inactive, "claim.active", f"{known} <= K.lo", theta)
        _contains("queue", f"claim.queue.{i}", intervals["queue"][i], queues[i], trial)
    decided = [each for i, each in enumerate(intervals["queue"]) if i not in undecided]
    return [*intervals["theta"], *decided], len(undecided)


def _summarised(
    fields: dict[str, Node], servers: list[Server], queues: list[Ends], trial: Trial
) -> tuple[list[Bounds], int]:
    """The summary form: at least active_count servers are active, at most undecided_count more."""
    fields["servers"].name("summary")
    count, undecided = fields["active_count"].count(), fields["undecided_count"].count()
    found = sum(server.active for server in servers)
    trial.require("count", found >= count, "claim.active_count", "active servers", found)
    empty, rest = sum(server.inactive for server in servers), len(servers) - count - undecided
    trial.require("count", empty >= rest, "claim.undecided_count", f"{rest} inactive", empty)
    chosen = {"largest_queue": (highest, queues)}
    defined = count > 0 and undecided == 0
    given = "smallest_active_queue" in fields
    trial.require("shape", given == defined, "claim.smallest_active_queue", str(defined), given)
    if defined:
        active = [queue for server, queue in zip(servers, queues, strict=True) if server.active]
        chosen["smallest_active_queue"] = (lowest, active)
    shown = []
    for name, (extreme, values) in chosen.items():
        ends = extreme(low for low, _ in values), extreme(high for _, high in values)
        shown.append(fields[name].interval())
        _contains("extreme", f"claim.{name}", shown[-1], ends, trial)
    return shown, undecided


def _contains(condition: str, where: str, claimed: Bounds, found: Ends, trial: Trial) -> None:
    """Require that the claimed interval contains the enclosure found."""
    holds = found[0].at_least(claimed[0]) and found[1].at_most(claimed[1])
    trial.require(condition, holds, where, "an interval around the queue", found[1])
