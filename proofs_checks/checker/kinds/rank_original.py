"""The claims of kind `rank-gaps` about the original dynamics, where nobody pauses.

Proved: mean number of idle servers, throughput, the identity between the mean queue and the mean
shortest queue, the drift inequality of the sum of squares, and bounds of both means.
Not checked: that the bounds are as sharp as they could be. No law of the gaps is claimed.
"""

from proofs_checks.checker.kinds.rank_exact import afford
from proofs_checks.checker.kinds.rank_model import Model, read_marginal
from proofs_checks.checker.kinds.rank_numbers import Element, read_element, transcendental
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Summary, Trial, brief

CONDITIONS = {
    "idle": "E[number of idle servers] = (a - b)/sqrt(n) (Theorem 4, part a)",
    "served": "throughput = n^2 - (a - b) sqrt(n) (Theorem 4, part a)",
    "identity": "E[mean queue] = constant + slope E Q_(1) (Theorem 4, part b)",
    "drift": "L sum q^2 <= -slope sum q + constant on the whole lattice (Theorem 3)",
    "shortest-queue": "E Q_(1) >= the shortest of n independent queues (Theorem 5, part a)",
    "lower-bound": "the identity at the lower bound of E Q_(1) (Theorem 5, part b)",
    "upper-bound": "the drift inequality: the mean of random routing (Theorem 5, part c)",
}
EXACT_SERVERS = 400


def check(claim: Node, witness: Node, trial: Trial) -> Summary:
    """Prove the claim or raise a Refusal."""
    values = "idle_servers throughput identity drift shortest_queue mean_queue"
    fields = claim.record(f"dynamics servers a b {values}")
    hints = witness.record("arithmetic precision")
    bits = trial.precision(hints["precision"].count())
    model = read_marginal(fields, trial)
    a, b, n = model.a, model.b, model.servers
    trial.require("hypothesis", b < a, "claim.b", "less than a", b)

    def equal(condition: str, where: Node, value: Element) -> Element:
        found = read_element(where, model.root)
        trial.require(
            condition, found == value, where.path, "the exact value", found.enclose(64, trial)
        )
        return found

    equal("idle", fields["idle_servers"], model.number(0, (a - b) / n))
    equal("served", fields["throughput"], model.number(n * n, b - a))
    identity = fields["identity"].record("constant slope")
    constant = equal("identity", identity["constant"], model.number(-(a - b) / a, n / a))
    equal("identity", identity["slope"], model.number(b / a))
    drift = fields["drift"].record("constant slope")
    equal("drift", drift["slope"], model.number(0, 2 * (a - b) / n))
    equal("drift", drift["constant"], model.number(2 * n * n, b - a))

    exact = hints["arithmetic"].name("exact", "enclosed") == "exact"
    shortest = fields["shortest_queue"].record("at_least")["at_least"]
    least = read_element(shortest, model.root)
    holds = (_least_exactly if exact else _least_enclosed)(model, least, bits, trial)
    trial.require(
        "shortest-queue", holds, shortest.path, "at most t/(1 - t)", least.enclose(64, trial)
    )
    mean = fields["mean_queue"].record("at_least at_most")
    low, high = (read_element(mean[name], model.root) for name in ("at_least", "at_most"))
    afford(trial, least, low)
    holds = (constant + least.times(b / a) - low).sign() >= 0
    trial.require(
        "lower-bound", holds, mean["at_least"].path, "from the identity", low.enclose(64, trial)
    )
    holds = (high - model.number(-1, n / (a - b))).sign() >= 0
    trial.require(
        "upper-bound", holds, mean["at_most"].path, "of random routing", high.enclose(64, trial)
    )
    ends = low.enclose(bits, trial).ends()[0], high.enclose(bits, trial).ends()[1]
    words = f"from {brief(ends[0], False)} to {brief(ends[1], True)}"
    return Summary(f"{n} servers, original: mean queue {words}")


def _least_exactly(model: Model, least: Element, bits: int, trial: Trial) -> bool:
    """least (1 - t) <= t for t = theta**n, in exact arithmetic."""
    trial.require(
        "shape", model.servers <= EXACT_SERVERS, "witness.arithmetic", "enclosed", "exact"
    )
    theta = model.number(1, -model.a / model.servers**2)
    power = model.number(1)
    for _ in range(model.servers):
        afford(trial, power, theta)
        power = power * theta
    afford(trial, power, least)
    return (power - least * (model.number(1) - power)).sign() >= 0


def _least_enclosed(model: Model, least: Element, bits: int, trial: Trial) -> bool:
    """The same with an enclosure of t."""
    trial.spend(transcendental(bits))
    theta = model.number(1, -model.a / model.servers**2).enclose(bits, trial)
    power = (theta.log() * model.servers).exp()
    return (power / (1 - power) - least.enclose(bits, trial)).at_least(0)
