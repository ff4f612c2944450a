"""Kind `fluid-wasserstein`: two size laws, their distance, and how far their least costs differ.

Proved: the Wasserstein distance of the laws, the largest difference of their E|S - h|, the least
costs at total work 1 at each listed imbalance with their difference, and that from every start the
least costs differ by at most `bound` times the squared total work. Not checked: that no smaller
bound holds.
"""

from bisect import bisect_right
from fractions import Fraction
from itertools import groupby, pairwise

from proofs_checks.checker.kinds.fluid_enclosure import CONDITIONS as ENCLOSURE_CONDITIONS
from proofs_checks.checker.kinds.fluid_law import Law, cost, read_law
from proofs_checks.checker.kinds.fluid_value import CONDITIONS as VALUE_CONDITIONS
from proofs_checks.checker.kinds.fluid_value import evaluate, verify
from proofs_checks.checker.kinds.noise_costs import OF_ENCLOSURES, OF_SECTORS
from proofs_checks.checker.kinds.wasserstein_enclosed import check_enclosed
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Summary, Trial, brief

THEOREM = "fluid-wasserstein"
PROBLEM = ("first", "second", "load")
CONDITIONS = {
    **{name: VALUE_CONDITIONS[name] for name in OF_SECTORS},
    **{name: ENCLOSURE_CONDITIONS[name] for name in OF_ENCLOSURES},
    "hypothesis": "0 < load < 1; two laws of mean one (Hypotheses)",
    "exit": "condition 7 of fluid-value, or the exit cutoff of fluid-enclosure (Hypotheses)",
    "turning": "one point between every two neighbouring sizes (part b)",
    "distance": "the Wasserstein distance (part a, part b)",
    "deviation-distance": "the largest difference of E|S - h| and E|T - h| (part a, part b)",
    "bound": "load^2/(1 - load) times the distance (part c)",
    "imbalance": "every listed imbalance lies in [0, 1], the same in the witness (Claim)",
    "first": "the least cost for the first law (Claim)",
    "second": "the least cost for the second law (Claim)",
    "difference": "the first least cost less the second (Claim)",
}


def check(claim: Node, witness: Node, trial: Trial) -> Summary:
    """Prove the claim or raise a Refusal."""
    fields = claim.record("first second load distance deviation_distance bound rows")
    if isinstance(fields["first"].value, dict) and "atoms" not in fields["first"].value:
        return check_enclosed(fields, witness, trial)
    proofs = witness.record("first second")
    laws = [read_law(fields[name], fields["load"], trial) for name in ("first", "second")]
    rho = laws[0].load
    distance, farthest = distances(laws[0], laws[1], trial)
    trial.equal("distance", "claim.distance", distance, fields["distance"].exact())
    found = fields["deviation_distance"].exact()
    trial.equal("deviation-distance", "claim.deviation_distance", farthest, found)
    bound = rho * rho / (1 - rho) * distance
    trial.equal("bound", "claim.bound", bound, fields["bound"].exact())
    names = ("first", "second")
    both = [verify(law, proofs[name], trial) for law, name in zip(laws, names, strict=True)]
    shown = ""
    for node in fields["rows"].items():
        row = node.record("imbalance first second difference")
        z, where = row["imbalance"].exact(), row["imbalance"].path
        trial.require("imbalance", 0 <= z <= 1, where, "between 0 and 1", z)
        values = [evaluate(sectors, Fraction(1), z, trial) for sectors in both]
        for name, value in zip(names, values, strict=True):
            trial.equal(name, row[name].path, value, row[name].exact())
        apart, found = values[0] - values[1], row["difference"].exact()
        trial.equal("difference", row["difference"].path, apart, found)
        shown = shown or f"exactly {brief(apart)} at imbalance {brief(z)}"
    text = f"laws {brief(distance)} apart, least costs at total work 1 at most {brief(bound, True)}"
    return Summary(f"{text} apart, {shown}")


def distances(first: Law, second: Law, trial: Trial) -> tuple[Fraction, Fraction]:
    """The Wasserstein distance and the largest difference of E|S - h| and E|T - h| (part a)."""
    trial.spend(sum(400 + cost(size) * 20 for law in (first, second) for size in law.sizes))
    sizes = [size for size, _ in groupby(sorted([*first.sizes, *second.sizes]))]
    # half of E|S - h| - E|T - h|, which is linear between sizes and 0 below and above all of them
    gaps = [_shortfall(first, h, trial) - _shortfall(second, h, trial) for h in sizes]
    total = Fraction(0)
    for before, after in pairwise(gaps):
        trial.spend(cost(before, after, total))
        total += abs(after - before)
    return total, 2 * max(map(abs, gaps))


def _shortfall(law: Law, h: Fraction, trial: Trial) -> Fraction:
    """E(h - S)+."""
    count = bisect_right(law.sizes, h)
    trial.spend(20 + 2 * cost(h, law.jobs[count], law.work[count]))
    return law.jobs[count] * h - law.work[count]
