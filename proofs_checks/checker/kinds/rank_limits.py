"""Kind `rank-limits`: how far the finite system with pauses is from its heavy-traffic limits.

Proved, for the given n: decay rates of the gap laws; exact Wasserstein-1 distances of the scaled
gaps to exponential laws; means and variances of scaled ranked queues beside the limit profile; the
mean queue and the imbalance, each with its expansion and the remainder.
Not checked: that the intervals are as narrow as they could be.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from proofs_checks.checker.kernel.real import Real
from proofs_checks.checker.kinds.rank_enclosed import products
from proofs_checks.checker.kinds.rank_exact import afford
from proofs_checks.checker.kinds.rank_model import Model, Sweep, read_marginal, sweep
from proofs_checks.checker.kinds.rank_numbers import (
    Element,
    covers,
    kept,
    precision_of,
    read_number,
    read_numbers,
    square_root,
    transcendental,
)
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Summary, Trial, between

THEOREM = "rank-limits"
PROBLEM = ("dynamics", "servers", "a", "b")
CONDITIONS = {
    "hypothesis": "a > b > 0, a < n^(3/2), n >= 2, hence every rho_k < 1 (Hypotheses)",
    "shape": "one entry per listed gap; gaps and ranks sorted, within range (Definitions)",
    "limit-rate": "a - b for gap 0, a (1 - k/n) for gap k (Theorem 1)",
    "decay-rate": "beta_k = -sqrt(n) log rho_k (Theorem 1, part a)",
    "distance": "W1(G_k/sqrt(n), Exp(limit rate)) = 1/rate - mean (Theorem 1, part b)",
    "limit-bound": "the distance to Exp(a) is at most k/(a (n - k)) more (Theorem 1, part c)",
    "profile-mean": "E Q_(k)/n^(3/2) (Theorem 2)",
    "profile-limit": "-log(1 - k/n)/a (Theorem 2)",
    "profile-variance": "Var Q_(k)/n^3 (Theorem 2)",
    "mean-queue": "the mean queue per server (Theorem 3)",
    "mean-expansion": "the five terms of its expansion, exactly (Theorem 3)",
    "mean-remainder": "sqrt(n) (mean queue - expansion) (Theorem 3)",
    "imbalance": "E[Q_(n) - Q_(1)] (Theorem 4)",
    "imbalance-expansion": "H_(n-1)/L - (n-1)/2 with L = -log theta (Theorem 4)",
    "imbalance-remainder": "imbalance - expansion (Theorem 4)",
}
LISTS = "limit_rates decay_rates distances limit_bounds"
NUMBERS = "value expansion remainder"


def check(claim: Node, witness: Node, trial: Trial) -> Summary:
    """Prove the claim or raise a Refusal."""
    fields = claim.record(f"dynamics servers a b gaps {LISTS} profile mean_queue imbalance")
    fields["dynamics"].name("paused")
    bits = trial.precision(witness.record("precision")["precision"].count())
    model = read_marginal(fields, trial)
    n = model.servers
    trial.require("hypothesis", n >= 2, "claim.servers", "at least 2", n)
    trial.require("hypothesis", model.b < model.a, "claim.b", "less than a", model.b)
    gaps = _indices(fields["gaps"].items(), 0, n - 1, "gaps", trial)
    trial.spend(2_000 * len(fields["profile"].items()))
    profile = [node.record("rank mean limit variance") for node in fields["profile"].items()]
    ranks = _indices([each["rank"] for each in profile], 1, n - 1, "profile", trial)
    found = sweep(model, [*gaps, *(rank - 1 for rank in ranks), n - 1], bits, trial)
    root = square_root(n, bits, trial)
    known = [*_gaps(model, fields, gaps, found, root, trial)]

    def require(condition: str, node: Node, value: Real) -> None:
        claimed = node.interval()
        known.append(kept(claimed, trial))
        holds = covers(claimed, None, value)
        trial.require(condition, holds, node.path, ("the value", value), claimed)

    for rank, row in zip(ranks, profile, strict=True):
        trial.spend(transcendental(bits))
        require("profile-mean", row["mean"], found.ranked[rank - 1] / (root * n))
        limit = trial.real(1 - Fraction(rank, n), bits).log() / -model.a
        require("profile-limit", row["limit"], limit)
        require("profile-variance", row["variance"], found.variance[rank - 1] / n**3)

    mean = fields["mean_queue"].record(NUMBERS)
    value = found.total / n
    require("mean-queue", mean["value"], value)
    expansion = _mean_expansion(model)
    holds = read_number(mean["expansion"], model.root) == expansion
    trial.require("mean-expansion", holds, mean["expansion"].path, "the five terms", "another")
    remainder = (value - expansion.enclose(bits, trial)) * root
    require("mean-remainder", mean["remainder"], remainder)

    imbalance = fields["imbalance"].record(NUMBERS)
    value = found.ranked[n - 1] - found.ranked[0]
    require("imbalance", imbalance["value"], value)
    loss = -model.number(1, -model.a / n**2).enclose(bits, trial).log()
    enclosed = _harmonic(n - 1, bits, trial) / loss - Fraction(n - 1, 2)
    require("imbalance-expansion", imbalance["expansion"], enclosed)
    require("imbalance-remainder", imbalance["remainder"], value - enclosed)
    text = f"mean queue {between(*mean['value'].interval())}"
    text += f", imbalance {between(*imbalance['value'].interval())}"
    words = f"{n} servers: {text}; distances, profile and expansions {precision_of(known)}"
    return Summary(words)


def _indices(nodes: Sequence[Node], low: int, high: int, name: str, trial: Trial) -> list[int]:
    indices = [node.count() for node in nodes]
    rising = all(one < two for one, two in pairwise(indices))
    within = rising and low <= indices[0] and indices[-1] <= high
    trial.require("shape", within, f"claim.{name}", f"sorted, {low} to {high}", indices[:10])
    return indices


def _gaps(
    model: Model,
    fields: dict[str, Node],
    gaps: list[int],
    found: Sweep,
    root: Real,
    trial: Trial,
) -> list[Element | tuple[Fraction, Fraction]]:
    """Limit rates, decay rates, distances and bounds, gap by gap."""
    n, lists = model.servers, {}
    for name in LISTS.split():
        lists[name] = read_numbers(fields[name], len(gaps), model.root, trial)
    exact = {k for k, d in zip(gaps, lists["distances"], strict=True) if isinstance(d, Element)}
    rho_exactly = products(model, exact, trial) if exact else {}
    for i, k in enumerate(gaps):
        rate = model.a * (1 - Fraction(k, n)) if k else model.a - model.b
        holds = lists["limit_rates"][i] == model.number(rate)
        trial.require("limit-rate", holds, f"claim.limit_rates.{i}", rate, "another")
        rho = found.rho[k]
        trial.spend(transcendental(rho.bits))
        decay, where = -rho.log() * root, f"claim.decay_rates.{i}"
        holds, words = covers(lists["decay_rates"][i], None, decay), ("-sqrt(n) log rho,", decay)
        trial.require("decay-rate", holds, where, words, lists["decay_rates"][i])
        distance, claimed = 1 / rate - rho / ((1 - rho) * root), lists["distances"][i]
        if isinstance(claimed, Element):
            mean = model.number(1 / rate) - claimed
            afford(trial, mean, rho_exactly[k])
            scaled = mean * model.number(0, 1) * (model.number(1) - rho_exactly[k])
            holds = scaled == rho_exactly[k]
        else:
            holds = covers(claimed, None, distance)
        words = "1/rate - mean,", distance
        trial.require("distance", holds, f"claim.distances.{i}", words, claimed)
        bound, more = lists["limit_bounds"][i], Fraction(k, n - k) / model.a
        exact_bound = bound.rational if isinstance(bound, Element) else bound[0]
        plain = bound == model.number(exact_bound)
        holds, words = plain and (distance + more).at_most(exact_bound), ("from", distance + more)
        trial.require("limit-bound", holds, f"claim.limit_bounds.{i}", words, bound)
    return [*lists["decay_rates"], *lists["distances"]]


def _mean_expansion(model: Model) -> Element:
    """n^(3/2)/a - n/4 + sqrt(n)(1/(a-b) - 1/a + a/36) - 3/4 - b^2/(2(a-b)^2)."""
    a, b, n = model.a, model.b, model.servers
    rational = -Fraction(n, 4) - Fraction(3, 4) - b * b / (2 * (a - b) ** 2)
    return model.number(rational, n / a + 1 / (a - b) - 1 / a + a / 36)


def _harmonic(count: int, bits: int, trial: Trial) -> Real:
    """1 + 1/2 + ... + 1/count, every quotient rounded down and then up by one unit."""
    trial.spend(count * (1 + bits // 200))
    one = 1 << bits
    low = sum(one // m for m in range(1, count + 1))
    return trial.real(Fraction(low, one), bits).hull(trial.real(Fraction(low + count, one), bits))
