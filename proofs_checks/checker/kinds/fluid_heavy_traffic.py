"""Kind `fluid-heavy-traffic`: the least cost as the load tends to one, exact or enclosed.

Proved: `half_work_share` is the limit of (1 - load) V/x^2, uniformly in the relative imbalance; at
every listed load above 1/2 each imbalance has (1 - load) V/x^2 within `bound`, and a tie has
exactly `scaled_value`. Not checked: anything at other loads, and that the bounds are the best.
"""

from fractions import Fraction
from itertools import pairwise

from proofs_checks.checker.kinds.fluid_heavy_traffic_enclosed import ENCLOSED, check_enclosed
from proofs_checks.checker.kinds.fluid_law import Law, cost, read_law
from proofs_checks.checker.kinds.fluid_value import VERIFIED, evaluate, verify
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Summary, Trial, brief

THEOREM = "fluid-heavy-traffic"
PROBLEM = ("law",)
CONDITIONS = {
    **VERIFIED,
    **ENCLOSED,
    "exit": "an empty queue is kept busy; the exit cutoff is finite",
    "work-median": "the jobs below it carry at most half of the work, those up to it at least half",
    "spread": "at least two sizes (Hypotheses)",
    "heavy": "every load above 1/2 (Hypotheses)",
    "half-work-share": "the share of the jobs, largest first, with half of the work (part a)",
    "bound": "the two ends that hold at every imbalance (part b)",
    "scaled-value": "(1 - load) times the least cost at a tie of total work 1 (part c)",
}


def check(claim: Node, witness: Node, trial: Trial) -> Summary:
    """Prove the claim or raise a Refusal."""
    fields = claim.record("law half_work_share rows", "work_median")
    if isinstance(fields["law"].value, dict) and "family" in fields["law"].value:
        return check_enclosed(claim, witness, trial)
    fields = claim.record("law half_work_share rows")
    rows = [row.record("load scaled_value bound") for row in fields["rows"].items()]
    proofs = witness.record("sectors")["sectors"].items()
    if len(proofs) != len(rows):
        raise witness.bad("one list of sectors for every row")
    law = read_law(fields["law"], rows[0]["load"], trial)
    sizes = len(law.sizes)
    trial.require("spread", sizes > 1, "claim.law.atoms", "at least two sizes", sizes)
    median, ratio = _work_median(law)
    share = (1 - ratio) / 2
    found = fields["half_work_share"].exact()
    trial.equal("half-work-share", "claim.half_work_share", share, found)
    integral = _integral(law, trial)
    for row, proof in zip(rows, proofs, strict=True):
        law = read_law(fields["law"], row["load"], trial)
        rho, path = law.load, row["bound"].path
        trial.require("heavy", 2 * rho > 1, row["load"].path, "above 1/2", rho)
        bound = row["bound"].items()
        if len(bound) != 2:
            raise row["bound"].bad("two numbers")
        trial.spend(cost(rho, share, median, ratio, integral))
        low = rho * share - (1 - rho) / (2 * median)
        high = rho * share + (1 - rho) * ratio * ratio * integral / 2
        trial.equal("bound", f"{path}.0", low, bound[0].exact())
        trial.equal("bound", f"{path}.1", high, bound[1].exact())
        tie = evaluate(verify(law, proof, trial), Fraction(1), Fraction(0), trial)
        found = row["scaled_value"].exact()
        trial.equal("scaled-value", row["scaled_value"].path, (1 - rho) * tie, found)
    text = f"(1 - load) V/x^2 has the limit {brief(share)} at every imbalance, with exact bounds"
    return Summary(f"{text} at loads {len(rows)}, sizes {sizes}")


def _work_median(law: Law) -> tuple[Fraction, Fraction]:
    """The smallest size m with E[S; S <= m] > 1/2, and E|S - m|/m."""
    below = next(i for i, share in enumerate(law.work) if 2 * share > 1) - 1
    median = law.sizes[below]
    return median, 2 * law.jobs[below] - 1 - (2 * law.work[below] - 1) / median


def _integral(law: Law, trial: Trial) -> Fraction:
    """The integral of 1/E|S - u|^2 over u >= 0: E|S - u| is linear between neighbouring sizes."""
    knots = [(Fraction(0), Fraction(1))]
    for i, size in enumerate(law.sizes):
        trial.spend(cost(size, law.jobs[i], law.work[i]))
        knots.append((size, (2 * law.jobs[i] - 1) * size - (2 * law.work[i] - 1)))
    total = 1 / knots[-1][1]  # beyond the largest size E|S - u| is u - 1
    for (start, first), (end, last) in pairwise(knots):
        trial.spend(cost(total, start, end, first, last))
        total += (end - start) / (first * last)
    return total
