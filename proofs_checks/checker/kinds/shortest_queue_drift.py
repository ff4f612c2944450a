"""Kind `shortest-queue-drift`: the drift of deterministic shortest-queue routing, in exact numbers.

A job joins a queue i with the least slopes_i Q_i + offsets_i, ties broken by any rule that looks at
Q only. Proved: V(Q) = 1/2 sum slopes_i Q_i**2 satisfies (LV)(Q) <= -eps |Q|_1 + R at every state Q,
with the largest eps that any constant admits; there is exactly one stationary law and E|Q|_1 is at
most `mean_queue_bound` in it; at `attained.state` (LV)(Q) + eps |Q|_1 is at least `attained.value`.
Not checked: that R is the smallest constant.
"""

from dataclasses import dataclass
from fractions import Fraction

from proofs_checks.checker.kinds.exact_lists import every, numbers, size, total
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Summary, Trial, brief

THEOREM = "shortest-queue-drift"
PROBLEM = ("system",)
CONDITIONS = {
    "hypothesis": "rates and slopes are positive, the load is below 1 (Hypotheses)",
    "shape": "one entry per server; queues are integers >= 0 (Definitions)",
    "eps": "eps is the largest one (Theorem, part a)",
    "shares": "every c_i >= 0 and their sum is exactly the arrival rate (Lemma)",
    "slack": "(mu_i - c_i) v_i >= eps for every server (Lemma)",
    "constant": "R is at least the constant of the lemma (Theorem, part a)",
    "mean-queue": "mean_queue_bound eps is at least the rate-conserving constant (part b)",
    "attained": "the value is at most (LV)(Q) + eps |Q|_1 at the state (part c)",
}


@dataclass(frozen=True)
class Server:
    """Service rate mu_i, slope v_i and offset kappa_i."""

    rate: Fraction
    slope: Fraction
    offset: Fraction


def check(claim: Node, witness: Node, trial: Trial) -> Summary:
    """Prove the claim or raise a Refusal."""
    fields = claim.record("system eps R mean_queue_bound", "attained")
    arrival, servers = _system(fields["system"], trial)
    eps, R, mean = (fields[name].exact() for name in ("eps", "R", "mean_queue_bound"))
    _largest(arrival, servers, eps, trial)
    shares = numbers(witness.record("shares")["shares"], len(servers), trial)
    trial.require("shares", min(shares) >= 0, "witness.shares", "none negative", min(shares))
    trial.equal("shares", "sum of witness.shares", arrival, total(shares, trial))
    costs, gains = [], []
    for i, (server, share) in enumerate(zip(servers, shares, strict=True)):
        trial.spend(100 + (size(share) + size(eps)) * size(server.slope) // 2_000)
        slack = (server.rate - share) * server.slope - eps
        trial.require("slack", slack >= 0, f"witness.shares.{i}", "(mu_i - c_i) v_i >= eps", slack)
        costs.append(share * server.offset)
        gains.append(max(Fraction(0), server.slope / 2 - slack / server.rate))
    routing = arrival * max(each.slope / 2 - each.offset for each in servers)
    fixed = total(costs, trial) + routing
    pairs = list(zip(gains, servers, strict=True))
    bound = fixed + total((gain * server.rate for gain, server in pairs), trial)
    trial.require("constant", bound <= R, "claim.R", bound, R)
    least = fixed + _busiest(arrival, pairs, trial)
    trial.require("mean-queue", mean * eps >= least, "claim.mean_queue_bound", least, mean)
    words = f"drift <= -eps |Q| + R at every state of {len(servers)} queues: eps {brief(eps)}"
    text = f"{words} (the largest), R {brief(R, True)}"
    if "attained" in fields:
        value = _attained(arrival, servers, eps, fields["attained"], trial)
        text += f" (at least {brief(value, False)})"
    return Summary(f"{text}; E|Q| <= {brief(mean, True)}")


def _system(node: Node, trial: Trial) -> tuple[Fraction, list[Server]]:
    """The arrival rate and the servers, with every hypothesis tested."""
    fields = node.record("arrival_rate service_rates slopes offsets")
    arrival = fields["arrival_rate"].exact()
    rates = every(fields["service_rates"], trial)
    slopes, offsets = (numbers(fields[name], len(rates), trial) for name in ("slopes", "offsets"))
    for name, least in (("service_rates", min(rates)), ("slopes", min(slopes))):
        trial.require("hypothesis", least > 0, f"system.{name}", "positive", least)
    trial.require("hypothesis", arrival > 0, "system.arrival_rate", "positive", arrival)
    capacity = total(rates, trial)
    trial.require("hypothesis", arrival < capacity, "system.arrival_rate", "less", arrival)
    return arrival, [Server(*each) for each in zip(rates, slopes, offsets, strict=True)]


def _largest(arrival: Fraction, servers: list[Server], eps: Fraction, trial: Trial) -> None:
    """Require that eps is min((Lambda - lambda)/sum(1/v_i), min mu_i v_i)."""
    surplus = total((each.rate for each in servers), trial) - arrival
    first = surplus / total((1 / each.slope for each in servers), trial)
    second = min(each.rate * each.slope for each in servers)
    trial.equal("eps", "claim.eps", min(first, second), eps)


def _busiest(arrival: Fraction, pairs: list[tuple[Fraction, Server]], trial: Trial) -> Fraction:
    """The most that sum gain_i theta_i can be if 0 <= theta_i <= mu_i and sum theta_i = lambda."""
    left, terms = arrival, []
    for gain, server in sorted(pairs, key=lambda pair: pair[0], reverse=True):
        trial.spend(50 + size(left) * size(server.rate) // 2_000)
        used = min(left, server.rate)
        left -= used
        terms.append(gain * used)
    return total(terms, trial)


def _attained(
    arrival: Fraction, servers: list[Server], eps: Fraction, node: Node, trial: Trial
) -> Fraction:
    """The value claimed, once it is at most (LV)(Q) + eps |Q|_1 whichever way ties are broken."""
    fields = node.record("state value")
    state = numbers(fields["state"], len(servers), trial)
    whole = all(queue >= 0 and queue.denominator == 1 for queue in state)
    trial.require("shape", whole, "claim.attained.state", "integers >= 0", "others")
    pairs = list(zip(servers, state, strict=True))
    trial.spend(sum(100 + size(queue) * size(each.slope) // 1_000 for each, queue in pairs))
    energies = [each.slope * queue + each.offset for each, queue in pairs]
    lowest = min(energies)
    joined = [
        each.slope * queue + each.slope / 2
        for energy, (each, queue) in zip(energies, pairs, strict=True)
        if energy == lowest
    ]
    served = (each.rate * each.slope * (queue - Fraction(1, 2)) for each, queue in pairs if queue)
    found = arrival * min(joined) - total(served, trial) + eps * total(state, trial)
    value = fields["value"].exact()
    trial.require("attained", value <= found, "claim.attained.value", found, value)
    return value
