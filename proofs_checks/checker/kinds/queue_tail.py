"""Kind `queue-tail`: geometric tails of the queues under softmax or shortest-queue routing.

An arrival joins queue i with probability proportional to exp(-(v_i Q_i + kappa_i)/temperature), or
a queue of least energy if the temperature is 0, ties broken by any rule that looks at Q only.
Proved: V(Q) = 1/2 sum v_i Q_i**2 has (LV)(Q) <= -eps |Q|_1 + R at every state; there is exactly one
stationary law; in it P(sqrt(2 V/max v_i) > threshold + 2 m) <= ratio**(m + 1) for m = 0, 1, ...,
and |Q|_1 >= n has at most the probability claimed for each n of `tails`.
Not checked: that any of the numbers is the best possible.
"""

from fractions import Fraction

from proofs_checks.checker.kinds.exact_lists import (
    numbers,
    positive,
    require_excess,
    size,
    total,
)
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Summary, Trial, brief, decimal

THEOREM = "queue-tail"
PROBLEM = ("system", "split")
CONDITIONS = {
    "hypothesis": "rates, slopes, eps > 0, temperature >= 0, 0 < split < 1, load < 1 (Hypotheses)",
    "shape": "one entry per server, one step count per tail (Definitions)",
    "excess": "k exp(1 + k) >= N - 1 (Lemma 1)",
    "shares": "every c_i >= 0 and their sum is exactly the arrival rate (Lemma 1)",
    "slack": "(mu_i - c_i) v_i >= eps for every server (Lemma 1)",
    "constant": "R is at least the constant of the drift inequality (Lemma 1)",
    "threshold": "threshold split eps >= R (Theorem, part b)",
    "ratio": "ratio < 1 is at least lambda/(lambda + (1 - split) eps/max v_i) (Theorem, part b)",
    "steps": "n jobs are certainly above threshold + 2 m (Theorem, part c)",
    "probability": "the probability is at least ratio^(m + 1) (Theorem, part c)",
}


def check(claim: Node, witness: Node, trial: Trial) -> Summary:
    """Prove the claim or raise a Refusal."""
    fields = claim.record("system split eps R threshold ratio tails")
    hints = witness.record("precision excess shares steps")
    bits = trial.precision(hints["precision"].count())
    system = fields["system"].record("arrival_rate service_rates slopes offsets temperature")
    arrival, temperature = system["arrival_rate"].exact(), system["temperature"].exact()
    servers = len(system["service_rates"].items())
    rates = positive(system["service_rates"], servers, trial)
    slopes = positive(system["slopes"], servers, trial)
    offsets = numbers(system["offsets"], servers, trial)
    split, eps = fields["split"].exact(), fields["eps"].exact()
    trial.require("hypothesis", arrival > 0, "system.arrival_rate", "positive", arrival)
    trial.require("hypothesis", temperature >= 0, "system.temperature", ">= 0", temperature)
    trial.require("hypothesis", 0 < split < 1, "claim.split", "between 0 and 1", split)
    trial.require("hypothesis", eps > 0, "claim.eps", "positive", eps)
    capacity = total(rates, trial)
    trial.require("hypothesis", arrival < capacity, "system.arrival_rate", "less", arrival)
    k = hints["excess"].exact()
    require_excess(k, servers, bits, hints["excess"], trial)
    shares = numbers(hints["shares"], servers, trial)
    trial.require("shares", min(shares) >= 0, "witness.shares", "none negative", min(shares))
    trial.equal("shares", "sum of witness.shares", arrival, total(shares, trial))
    terms = [arrival * (k * temperature + max(v / 2 - o for v, o in _pairs(slopes, offsets)))]
    for i, (mu, v, offset, c) in enumerate(zip(rates, slopes, offsets, shares, strict=True)):
        trial.spend(100 + (size(c) + size(eps) + size(offset)) * (size(v) + size(mu)) // 2_000)
        slack = (mu - c) * v - eps
        trial.require("slack", slack >= 0, f"witness.shares.{i}", "(mu_i - c_i) v_i >= eps", slack)
        terms.append(c * offset + max(Fraction(0), mu * v / 2 - slack))
    R, threshold, ratio = (fields[name].exact() for name in ("R", "threshold", "ratio"))
    constant = total(terms, trial)
    trial.require("constant", constant <= R, "claim.R", constant, R)
    trial.spend(100 + size(threshold) * size(eps) // 1_000)
    reached = threshold * split * eps
    trial.require("threshold", reached >= R, "claim.threshold", R / (split * eps), threshold)
    least = arrival / (arrival + (1 - split) * eps / max(slopes))
    trial.require("ratio", least <= ratio < 1, "claim.ratio", (least, "to 1"), ratio)
    # |Q|_1 >= n makes 2 V/max v_i at least n**2 / scale
    scale = max(slopes) * total((1 / v for v in slopes), trial)
    tails = fields["tails"].items(empty=True)
    steps = [item.count() for item in hints["steps"].items(empty=True)]
    trial.require("shape", len(steps) == len(tails), "witness.steps", f"{len(tails)}", len(steps))
    logarithm = trial.real(ratio, bits).log()
    for tail, m in zip(tails, steps, strict=True):
        trial.spend(200 + bits + bits * bits // 1_000 + size(scale) * size(threshold) // 500)
        parts = tail.record("jobs probability")
        jobs, probability = parts["jobs"].count(), parts["probability"].exact()
        above = scale * (threshold + 2 * m) ** 2 < jobs**2
        trial.require("steps", above, parts["jobs"].path, f"more than {2 * m} + threshold", jobs)
        power = (logarithm * (m + 1)).exp()
        trial.require("probability", power.at_most(probability), tail.path, power, probability)
    words = f"{servers} queues: tail ratio at most {brief(ratio, True)}"
    words += f" from {brief(threshold, True)} on, in steps of 2"
    if tails:
        words += f"; P(|Q| >= {jobs}) <= {decimal(probability, 6, True)}"
    return Summary(words)


def _pairs(one: list[Fraction], other: list[Fraction]) -> list[tuple[Fraction, Fraction]]:
    return list(zip(one, other, strict=True))
