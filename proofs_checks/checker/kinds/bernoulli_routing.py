"""Kind `bernoulli-routing`: routing by fixed probabilities, stable or not, in exact numbers.

Proved, regime `stable`: the chain has exactly one stationary law, with the mean queues claimed;
and V(Q) = 1/2 sum weights_i Q_i**2 satisfies (LV)(Q) <= -eps |Q|_1 + R at every state, with the
largest eps that any constant admits and the smallest R for it. Regime `unstable`: exactly the
listed servers get more work than they can do, or as much; there is no stationary law, and E|Q(t)|_1
is at least growth_rate t from every start.
"""

from dataclasses import dataclass
from fractions import Fraction

from proofs_checks.checker.kinds.exact_lists import every, numbers, size, total
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Summary, Trial, brief

THEOREM = "bernoulli-routing"
PROBLEM = ("system", "routing", "weights")
CONDITIONS = {
    "hypothesis": "arrival rate, service rates and weights are positive (Hypotheses)",
    "shape": "one entry per server (Definitions)",
    "routing": "every p_i >= 0 and their sum is exactly 1 (Hypotheses)",
    "stable": "lambda p_i < mu_i for every server (Theorem 1)",
    "mean-queue": "m_i (mu_i - lambda p_i) = lambda p_i for every server (Theorem 1, part a)",
    "mean-total": "the total is the sum of the mean queues (Theorem 1, part a)",
    "eps": "eps = min weights_i (mu_i - lambda p_i) (Theorem 1, part b)",
    "constant": "R is the maximum of LV + eps |Q|_1 (Theorem 1, part b)",
    "unstable": "lambda p_i >= mu_i for some server (Theorem 2)",
    "overloaded": "exactly the listed servers have lambda p_i > mu_i (Theorem 2)",
    "critical": "exactly the listed servers have lambda p_i = mu_i (Theorem 2)",
    "growth": "the growth rate is the sum of lambda p_i - mu_i over the overloaded (Theorem 2)",
}
STABLE = "system routing regime weights eps R mean_queues mean_total_queue"
UNSTABLE = "system routing regime overloaded critical growth_rate"


@dataclass(frozen=True)
class Server:
    """Offered rate lambda p_i and service rate mu_i."""

    offered: Fraction
    rate: Fraction


def check(claim: Node, witness: Node, trial: Trial) -> Summary:
    """Prove the claim or raise a Refusal."""
    witness.record("")
    stable = isinstance(claim.value, dict) and claim.value.get("regime") != "unstable"
    fields = claim.record(STABLE if stable else UNSTABLE)
    fields["regime"].name("stable", "unstable")
    servers = _servers(fields, trial)
    return (_stable if stable else _unstable)(fields, servers, trial)


def _servers(fields: dict[str, Node], trial: Trial) -> list[Server]:
    """Every server's rates, once the hypotheses hold."""
    system = fields["system"].record("arrival_rate service_rates")
    arrival = system["arrival_rate"].exact()
    trial.require("hypothesis", arrival > 0, "system.arrival_rate", "positive", arrival)
    rates = every(system["service_rates"], trial)
    trial.require("hypothesis", min(rates) > 0, "system.service_rates", "positive", min(rates))
    routing = numbers(fields["routing"], len(rates), trial)
    trial.require("routing", min(routing) >= 0, "claim.routing", "no negative one", min(routing))
    trial.equal("routing", "sum of claim.routing", Fraction(1), total(routing, trial))
    servers = []
    for p, rate in zip(routing, rates, strict=True):
        trial.spend(20 + (size(p) + size(rate)) * size(arrival) // 10_000)
        servers.append(Server(arrival * p, rate))
    return servers


def _stable(fields: dict[str, Node], servers: list[Server], trial: Trial) -> Summary:
    """Theorem 1: the means, and the drift with the largest eps and the smallest constant."""
    count = len(servers)
    spare = [server.rate - server.offered for server in servers]
    trial.require("stable", min(spare) > 0, "claim.routing", "lambda p_i < mu_i", min(spare))
    means = numbers(fields["mean_queues"], count, trial)
    for i, (mean, room) in enumerate(zip(means, spare, strict=True)):
        trial.spend(20 + size(mean) * size(room) // 10_000)
        trial.equal("mean-queue", f"claim.mean_queues.{i}", servers[i].offered, mean * room)
    mean = fields["mean_total_queue"].exact()
    trial.equal("mean-total", "claim.mean_total_queue", total(means, trial), mean)
    weights = numbers(fields["weights"], count, trial)
    trial.require("hypothesis", min(weights) > 0, "claim.weights", "positive", min(weights))
    speeds = []
    for weight, room in zip(weights, spare, strict=True):
        trial.spend(20 + size(weight) * size(room) // 10_000)
        speeds.append(weight * room)
    eps, terms = fields["eps"].exact(), []
    trial.equal("eps", "claim.eps", min(speeds), eps)
    for server, weight, speed in zip(servers, weights, speeds, strict=True):
        trial.spend(50 + (size(weight) + size(eps)) * size(speed) // 5_000)
        service = weight * server.rate / 2 - (speed - eps)
        terms.append(weight * server.offered / 2 + max(Fraction(0), service))
    R = fields["R"].exact()
    trial.equal("constant", "claim.R", total(terms, trial), R)
    words = f"{count} queues stable under fixed routing: E|Q| = {brief(mean)}"
    return Summary(f"{words}; drift <= -{brief(eps)} |Q| + {brief(R, True)}, neither can be better")


def _unstable(fields: dict[str, Node], servers: list[Server], trial: Trial) -> Summary:
    """Theorem 2: which servers make it unstable, and how fast the queues grow."""
    listed = {}
    for name in ("overloaded", "critical"):
        listed[name] = [node.count() for node in fields[name].items(empty=True)]
    excess = [server.offered - server.rate for server in servers]
    least = max(excess)
    trial.require("unstable", least >= 0, "claim.regime", "some lambda p_i >= mu_i", least)
    above = [i for i, each in enumerate(excess) if each > 0]
    equal = [i for i, each in enumerate(excess) if each == 0]
    trial.require(
        "overloaded", listed["overloaded"] == above, "claim.overloaded", _few(above), "others"
    )
    trial.require("critical", listed["critical"] == equal, "claim.critical", _few(equal), "others")
    growth = fields["growth_rate"].exact()
    expected = total((excess[i] for i in above), trial)
    trial.equal("growth", "claim.growth_rate", expected, growth)
    words = f"{len(servers)} queues unstable under fixed routing: {len(above)} overloaded"
    return Summary(f"{words}, {len(equal)} critical; E|Q(t)| >= {brief(growth)} t")


def _few(indices: list[int]) -> str:
    return f"{indices[:20]}" + ("" if len(indices) <= 20 else f" and {len(indices) - 20} more")
