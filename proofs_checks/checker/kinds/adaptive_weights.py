"""Kind `adaptive-weights`: the weighted shortest queue with weights that move as they please.

The weights at each arrival lie in [lowest, highest] and may depend on everything that has happened.
Proved, with y_n = Q_n + 1/2, V = sum y_n**(1 + p), p = `power`: whatever the weights are at the
moment, LV <= (1 + p) (constant - rate sum mu_n y_n**p) at every state; so from every start the time
average of E sum mu_n y_n**p is at most `moment_bound` in the limit, and that of E|Q|_1 at most
`mean_jobs_bound`. Temperature 0 is the least w_n (2 Q_n + 1), ties broken anyhow.
Not checked: that any bound is near the truth.
"""

from fractions import Fraction

from proofs_checks.checker.kinds.exact_lists import every, require_excess, size, total
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Summary, Trial, brief, decimal

THEOREM = "adaptive-weights"
PROBLEM = ("system", "lowest", "highest", "power")
CONDITIONS = {
    "hypothesis": "rates > 0, load < 1, temperature >= 0, 0 < lowest <= highest (Hypotheses)",
    "power": "0 < power <= 1 (Hypotheses)",
    "excess": "k exp(1 + k) >= N - 1 (Lemma 1)",
    "rate": "0 < rate <= 1 - load (highest/lowest)^power (Lemma 2)",
    "constant": "the constant is at least that of the drift inequality (Lemma 2)",
    "moment": "moment_bound rate >= constant (Theorem, part a)",
    "point": "the tangent point is positive and leaves a positive rate (Theorem, part c)",
    "mean-jobs": "mean_jobs_bound is at least the bound for E|Q|_1 (Theorem, parts b and c)",
}
FIELDS = "system lowest highest power rate constant moment_bound mean_jobs_bound"


def check(claim: Node, witness: Node, trial: Trial) -> Summary:
    """Prove the claim or raise a Refusal."""
    fields = claim.record(FIELDS)
    hints = witness.record("precision excess point")
    bits = trial.precision(hints["precision"].count())
    system = fields["system"].record("arrival_rate service_rates temperature")
    arrival, temperature = system["arrival_rate"].exact(), system["temperature"].exact()
    rates = every(system["service_rates"], trial)
    servers = len(rates)
    trial.require("hypothesis", min(rates) > 0, "system.service_rates", "positive", min(rates))
    capacity = total(rates, trial)
    lowest, highest = fields["lowest"].exact(), fields["highest"].exact()
    trial.require(
        "hypothesis", 0 < arrival < capacity, "system.arrival_rate", "below capacity", arrival
    )
    trial.require("hypothesis", temperature >= 0, "system.temperature", ">= 0", temperature)
    trial.require("hypothesis", 0 < lowest <= highest, "claim.lowest", "0 to highest", lowest)
    p = fields["power"].exact()
    trial.require("power", 0 < p <= 1, "claim.power", "above 0, at most 1", p)
    k = hints["excess"].exact()
    require_excess(k, servers, bits, hints["excess"], trial)
    rate, constant = fields["rate"].exact(), fields["constant"].exact()
    moment, mean = fields["moment_bound"].exact(), fields["mean_jobs_bound"].exact()
    parts = (rate, constant, moment, mean, lowest, highest, temperature, k)
    trial.spend(1_000 + sum(map(size, parts)) ** 2 // 1_000)
    spread = _power(highest / lowest, p, bits, trial)[1]
    room = 1 - arrival / capacity * spread
    trial.require("rate", 0 < rate <= room, "claim.rate", ("0 to", room), rate)
    blur = _power(temperature * k / (2 * lowest), p, bits, trial)[1]
    half = _power(Fraction(1, 2), p, bits, trial)[1]
    least = arrival * (1 / (1 + p) + blur) + capacity * half
    trial.require("constant", constant >= least, "claim.constant", least, constant)
    trial.require(
        "moment", moment * rate >= constant, "claim.moment_bound", constant / rate, moment
    )
    slowest = rate * min(rates)
    if p == 1:
        bound = constant / slowest
    else:
        z = hints["point"].exact()
        trial.require("point", z > 0, "witness.point", "positive", z)
        trial.spend(1_000 + size(z) ** 2 // 1_000)
        steep = (1 - p) * _power(1 / z, p, bits, trial)[1]
        left = slowest - constant * steep
        trial.require("point", left > 0, "witness.point", "larger", z)
        above = (arrival + capacity) / 2 + constant * p * _power(z, 1 - p, bits, trial)[1]
        bound = above / left * _power(Fraction(servers), p / (1 + p), bits, trial)[1]
    bound -= Fraction(servers, 2)
    trial.require("mean-jobs", mean >= bound, "claim.mean_jobs_bound", bound, mean)
    words = f"{servers} queues, weights that vary from {brief(lowest)} to {brief(highest)}: stable"
    return Summary(f"{words}, E|Q| <= {decimal(mean, 10, True)} on average over a long time")


def _power(
    base: Fraction, exponent: Fraction, bits: int, trial: Trial
) -> tuple[Fraction, Fraction]:
    """Two numbers between which base**exponent lies, for base >= 0 and exponent > 0."""
    if base == 0 or exponent == 1:
        return base, base
    trial.spend(300 + 2 * bits + bits * bits // 500)
    return (trial.real(base, bits).log() * exponent).exp().ends()
