"""Kind `rank-gaps`: the stationary law of the gaps between ranked queues, for finite n.

Proved, `dynamics` "paused": the gaps are independent and geometric with the ratios `rho`, and the
means, variances, probabilities and rates listed are those of this law. Proved, `dynamics`
"original": the statements of rank_original.py, which are no product form.
Not checked: that the intervals are as narrow as they could be.
"""

from itertools import pairwise

from proofs_checks.checker.kinds import rank_enclosed, rank_exact, rank_original
from proofs_checks.checker.kinds.rank_model import read_marginal, read_rates
from proofs_checks.checker.kinds.rank_numbers import precision_of, read_number, read_numbers, worded
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Summary, Trial

THEOREM = "rank-gaps"
PROBLEM = ("dynamics", "servers", "a", "b", "arrival_rates", "service_rates")
CONDITIONS = {
    "hypothesis": "positive rates, a < n^(3/2), every rho_k < 1; original: a > b (Hypotheses)",
    "shape": "one entry per listed gap; gaps sorted, within range (Definitions)",
    "detailed-balance": "lam_k rho_k = mu_k rho_{k-1} with rho_n = 1 (Theorem 1, part a)",
    "mean-gap": "m (1 - rho_k) = rho_k (Theorem 1, part b)",
    "gap-variance": "variance = m (1 + m) (Theorem 1, part b)",
    "ranked-queue": "E Q_(k+1) is the sum of the means of the gaps 0 to k (Theorem 1, part c)",
    "total-queue": "the mean total queue is the sum over all ranks (Theorem 1, part c)",
    "no-idle": "P(no idle server) = rho_0 (Theorem 1, part d)",
    "no-tie": "P(no two queues equal) = rho_1 ... rho_{n-1} (Theorem 1, part d)",
    "throughput": "accepted rate = served rate = sum of mu_k rho_{k-1} (Theorem 1, part e)",
    "paused-fraction": "the share of offered arrivals that is dropped (Theorem 1, part e)",
    "threshold": "the b at which rho_0 = 1 (Theorem 2)",
} | rank_original.CONDITIONS
LISTS = "rho mean_gaps gap_variances mean_ranked_queues"
NUMBERS = "mean_total_queue no_idle no_tie throughput paused_fraction"


def check(claim: Node, witness: Node, trial: Trial) -> Summary:
    """Prove the claim or raise a Refusal."""
    value = claim.value if isinstance(claim.value, dict) else {}
    if value.get("dynamics") == "original":
        return rank_original.check(claim, witness, trial)
    by_rates = "arrival_rates" in value
    problem = "arrival_rates service_rates" if by_rates else "a b stability_threshold"
    fields = claim.record(f"dynamics servers {problem} gaps {LISTS} {NUMBERS}")
    hints = witness.record("arithmetic precision")
    fields["dynamics"].name("paused")
    bits = trial.precision(hints["precision"].count())
    model = read_rates(fields, trial) if by_rates else read_marginal(fields, trial)
    gaps = [node.count() for node in fields["gaps"].items()]
    rising = all(low < high for low, high in pairwise(gaps))
    within = rising and gaps[-1] < model.servers
    trial.require("shape", within, "claim.gaps", "sorted gap indices", gaps[:10])
    lists = {}
    for name in LISTS.split():
        lists[name] = read_numbers(fields[name], len(gaps), model.root, trial)
    names = [*NUMBERS.split(), *([] if by_rates else ["stability_threshold"])]
    numbers = {name: read_number(fields[name], model.root) for name in names}
    if hints["arithmetic"].name("exact", "enclosed") == "exact":
        trial.require("shape", len(gaps) == model.servers, "claim.gaps", "every gap", len(gaps))
        rank_exact.prove(model, lists, numbers, bits, trial)
    else:
        rank_enclosed.prove(model, gaps, lists, numbers, bits, trial)
    everything = [*numbers.values(), *(number for each in lists.values() for number in each)]
    known = precision_of(everything)
    mean = worded(numbers["mean_total_queue"], trial)
    text = f"{model.servers} servers, paused: mean total queue {mean}, laws of {len(gaps)} gaps"
    return Summary(f"{text}, {known}")
