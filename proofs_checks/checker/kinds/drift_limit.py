"""Kind `drift-limit`: a drift that no routing rule has, shown along a ray of states.

Proved: for V(Q) = 1/2 sum v_i Q_i**2 and EVERY rule that routes an arrival by looking at the queues
(LV)(k d) + eps |k d|_1 >= intercept + slope k for k = 1, 2, ... with slope > 0 and d = `direction`;
so no constant R gives (LV)(Q) <= -eps |Q|_1 + R. For weights s v_i the same holds with s eps, hence
no eps > 0 and R serve all positive weights. And eps is at most `margin` above the largest eps that
the formula min((Lambda - lambda)/sum(1/v_i), min mu_i v_i) gives.
Not checked: that slope and intercept are the largest.
"""

from fractions import Fraction

from proofs_checks.checker.kinds.exact_lists import numbers, positive, size, total
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Summary, Trial, brief, decimal

THEOREM = "drift-limit"
PROBLEM = ("system", "margin")
CONDITIONS = {
    "hypothesis": "rates, slopes or beta, eps and margin > 0, load below 1 (Hypotheses)",
    "shape": "one entry per server; the direction is of whole numbers (Definitions)",
    "margin": "eps is at most `margin` above the formula's eps* (Theorem, part a)",
    "slope": "0 < slope <= the growth per step along the direction (Theorem, part b)",
    "intercept": "the intercept is at most the constant of the lower bound (Theorem, part b)",
}


def check(claim: Node, witness: Node, trial: Trial) -> Summary:
    """Prove the claim or raise a Refusal."""
    fields = claim.record("system margin eps direction slope intercept")
    bits = trial.precision(witness.record("precision")["precision"].count())
    arrival, rates, slopes = _system(fields["system"], bits, trial)
    servers = len(rates)
    eps, margin = fields["eps"].exact(), fields["margin"].exact()
    for name, value in (("eps", eps), ("margin", margin)):
        trial.require("hypothesis", value > 0, f"claim.{name}", "positive", value)
    surplus = total(rates, trial) - arrival
    trial.require("hypothesis", surplus > 0, "system.arrival_rate", "less than capacity", arrival)
    # v_i lies in [low, high]: low ends for what grows with v_i, high ends for what falls
    trial.spend(sum(20 + size(low) * size(mu) // 2_000 for mu, (low, _) in _pairs(rates, slopes)))
    first = surplus / total((1 / low for low, _ in slopes), trial)
    largest = min(first, *(mu * low for mu, (low, _) in _pairs(rates, slopes)))
    trial.require("margin", eps <= largest + margin, "claim.eps", largest + margin, eps)
    direction = numbers(fields["direction"], servers, trial)
    whole = all(d >= 0 and d.denominator == 1 for d in direction) and max(direction) > 0
    trial.require("shape", whole, "claim.direction", "whole numbers, not all 0", "others")
    levels, served, fixed = [], [], []
    for mu, (low, high), d in zip(rates, slopes, direction, strict=True):
        trial.spend(400 + (size(d) + size(mu)) * size(high) // 1_000)
        levels.append(low * d)
        served.append(mu * high * d)
        if d:
            fixed.append(mu * low / 2)
    growth = arrival * min(levels) - total(served, trial) + eps * total(direction, trial)
    slope, intercept = fields["slope"].exact(), fields["intercept"].exact()
    trial.require("slope", 0 < slope <= growth, "claim.slope", ("0 to", growth), slope)
    constant = arrival * min(low for low, _ in slopes) / 2 + total(fixed, trial)
    trial.require("intercept", intercept <= constant, "claim.intercept", constant, intercept)
    rate = decimal(eps, 10, True)
    words = f"no routing rule to {servers} queues has drift -{rate} |Q| + constant"
    least = f"{brief(intercept, False)} + {brief(slope, False)} k"
    return Summary(f"{words}: drift + {rate} |Q| is at least {least} at k times a direction")


def _pairs(
    rates: list[Fraction], slopes: list[tuple[Fraction, Fraction]]
) -> list[tuple[Fraction, tuple[Fraction, Fraction]]]:
    return list(zip(rates, slopes, strict=True))


def _system(
    node: Node, bits: int, trial: Trial
) -> tuple[Fraction, list[Fraction], list[tuple[Fraction, Fraction]]]:
    """Arrival rate, service rates, and the two ends between which each slope lies."""
    weighted = isinstance(node.value, dict) and "slopes" in node.value
    fields = node.record(f"arrival_rate service_rates {'slopes' if weighted else 'beta'}")
    arrival = fields["arrival_rate"].exact()
    trial.require("hypothesis", arrival > 0, "system.arrival_rate", "positive", arrival)
    count = len(fields["service_rates"].items())
    trial.spend(400 * count)  # the pairs that are made of rates and slopes
    rates = positive(fields["service_rates"], count, trial)
    if weighted:
        return arrival, rates, [(v, v) for v in positive(fields["slopes"], count, trial)]
    beta = fields["beta"].exact()
    trial.require("hypothesis", beta > 0, "system.beta", "positive", beta)
    slopes = []
    for rate in rates:
        trial.spend(200 + bits + bits * bits // 1_000)
        slope = (trial.real(rate, bits).log() * -beta).exp()
        trial.require("hypothesis", slope.above(0), "system.beta", "mu_i^-beta above 0", slope)
        slopes.append(slope.ends())
        trial.spend(sum(map(size, slopes[-1])))  # beyond the precision where beta is large
    return arrival, rates, slopes
