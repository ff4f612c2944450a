"""Kind `rank-comparison`: routing policies at the same arrival rate, with what they must look up.

Proved, for n servers of rate n and arrivals n^2 - slack sqrt(n): means of random routing; bounds
under marginal and under full join-the-shortest-queue, without pauses; means of the system with
pauses; queue-length look-ups per unit time. One row for each rate b sqrt(n) of the stream that
joins the shortest queue.
Not checked: that the bounds are as sharp as they could be.
"""

from fractions import Fraction
from itertools import pairwise

from proofs_checks.checker.kinds.exact_lists import every
from proofs_checks.checker.kinds.rank_model import marginal, sweep
from proofs_checks.checker.kinds.rank_numbers import (
    covers,
    precision_of,
    read_element,
    transcendental,
)
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Summary, Trial, between, brief

THEOREM = "rank-comparison"
PROBLEM = ("servers", "slack", "b")
MAX_SERVERS = 10**7
CONDITIONS = {
    "hypothesis": "slack, b > 0 and every b + slack < n^(3/2) (Hypotheses)",
    "shape": "one row for every b, which increase (Definitions)",
    "arrival-rate": "n^2 - slack sqrt(n), the same for every policy (Definitions)",
    "look-ups": "0, b n sqrt(n) and n (n^2 - slack sqrt(n)) per unit time (Definitions)",
    "random": "n independent M/M/1 queues (Theorem, part a)",
    "full": "the pooled server below, the drift of sum q^2 above (Theorem, part b)",
    "original": "identity and drift inequality of rank-gaps (Theorem, part c)",
    "paused": "the product form of rank-gaps with a = b + slack (Theorem, part d)",
}


def check(claim: Node, witness: Node, trial: Trial) -> Summary:
    """Prove the claim or raise a Refusal."""
    fields = claim.record("servers slack b arrival_rate random full rows")
    bits = trial.precision(witness.record("precision")["precision"].count())
    n, slack = fields["servers"].count(), fields["slack"].exact()
    trial.require("hypothesis", 1 <= n <= MAX_SERVERS, "claim.servers", "1 or more", n)
    streams = every(fields["b"], trial)
    rising = all(low < high for low, high in pairwise(streams))
    trial.require("shape", rising, "claim.b", "increasing", streams[0])
    positive = slack > 0 and streams[0] > 0
    trial.require("hypothesis", positive, "claim.slack", "positive, like every b", slack)
    largest = streams[-1] + slack
    trial.require("hypothesis", largest**2 < n**3, "claim.b", "b + slack < n^(3/2)", largest)
    rows = [node.record("lookups original paused") for node in fields["rows"].items()]
    trial.require("shape", len(rows) == len(streams), "claim.rows", f"{len(streams)}", len(rows))
    model, known = marginal(n, slack, Fraction(1)), []
    random_mean, rate = model.number(-1, n / slack), model.number(n * n, -slack)

    def exactly(condition: str, node: Node, value: object) -> None:
        found = read_element(node, n)
        trial.require(
            condition, found == value, node.path, "the exact value", found.enclose(64, trial)
        )

    exactly("arrival-rate", fields["arrival_rate"], rate)
    record = fields["random"].record("lookups mean_queue shortest_queue")
    exactly("look-ups", record["lookups"], model.number(0))
    exactly("random", record["mean_queue"], random_mean)
    trial.spend(transcendental(bits))
    load = model.number(1, -slack / n**2).enclose(bits, trial)
    power = (load.log() * n).exp()
    interval = record["shortest_queue"].interval()
    known.append(interval)
    shortest = power / (1 - power)
    holds, words = covers(interval, None, shortest), ("phi^n/(1 - phi^n),", shortest)
    trial.require("random", holds, "claim.random.shortest_queue", words, interval)
    record = fields["full"].record("lookups mean_queue")
    exactly("look-ups", record["lookups"], rate.times(n))
    bounds = record["mean_queue"].record("at_least at_most")
    exactly("full", bounds["at_least"], random_mean.times(Fraction(1, n)))
    exactly("full", bounds["at_most"], random_mean)

    for i, (b, row) in enumerate(zip(streams, rows, strict=True)):
        a = b + slack
        system = marginal(n, a, b)
        exactly("look-ups", row["lookups"], model.number(0, b * n))
        bounds = row["original"].record("at_least at_most")
        exactly("original", bounds["at_most"], random_mean)
        least = bounds["at_least"].exact()
        trial.spend(transcendental(bits))
        power = (model.number(1, -a / n**2).enclose(bits, trial).log() * n).exp()
        value = model.number(-slack / a, n / a).enclose(bits, trial) + power / (1 - power) * (b / a)
        holds = (value - least).at_least(0)
        where = f"claim.rows.{i}.original.at_least"
        trial.require("original", holds, where, ("at most", value), least)
        found = sweep(system, [0], bits, trial)
        values = {
            "mean_queue": found.total / n,
            "shortest_queue": found.ranked[0],
            "throughput": found.served,
        }
        listed = row["paused"].record(" ".join(values))
        for name, enclosure in values.items():
            interval = listed[name].interval()
            known.append(interval)
            holds = covers(interval, None, enclosure)
            where = f"claim.rows.{i}.paused.{name}"
            trial.require("paused", holds, where, ("the value", enclosure), interval)
    mean = between(*listed["mean_queue"].interval())
    text = f"{n} servers, {len(rows)} streams against random and full"
    paused = f"mean queue with pauses {mean} at b = {brief(streams[-1])}"
    return Summary(f"{text}: {paused}, {precision_of(known)}")
