"""Kind `fluid-noise`: what a dispatcher loses that sees only estimates of the job sizes.

Proved, at total work 1 and each listed imbalance: the least cost over all controls that see the
sizes (`full`), that over all controls that see only the estimates (`seen`), and their difference
`loss`; from every start the loss is at most `bound` times the squared total work, from a tie at
most `tie_bound`. Not checked: anything about a controller that takes the estimate for the size,
except that it sees only the estimate and so costs at least `seen`.
"""

from fractions import Fraction

from proofs_checks.checker.kinds.fluid_enclosure import CONDITIONS as ENCLOSURE_CONDITIONS
from proofs_checks.checker.kinds.fluid_law import Law, cost
from proofs_checks.checker.kinds.fluid_value import CONDITIONS as VALUE_CONDITIONS
from proofs_checks.checker.kinds.fluid_value import evaluate, verify
from proofs_checks.checker.kinds.fluid_wasserstein import distances
from proofs_checks.checker.kinds.noise_costs import OF_ENCLOSURES, OF_SECTORS
from proofs_checks.checker.kinds.noise_lognormal import check_lognormal
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Summary, Trial, brief

THEOREM = "fluid-noise"
PROBLEM = ("joint", "scale", "estimate", "sizes", "noise", "load")
CONDITIONS = {
    **{name: VALUE_CONDITIONS[name] for name in OF_SECTORS},
    **{name: ENCLOSURE_CONDITIONS[name] for name in OF_ENCLOSURES},
    "hypothesis": "0 < load < 1; a joint law of mean one, or positive sigma and noise (Hypotheses)",
    "exit": "condition 7 of fluid-value, or the exit cutoff of fluid-enclosure (Hypotheses)",
    "joint": "the entries rise by estimate, then by size (Hypotheses)",
    "consistent": "an estimate declared the conditional mean size is that (Hypotheses)",
    "variance": "the sigmas of the witness enclose that of the conditional mean (part e)",
    "mean-error": "E|S - M| (part d, part e)",
    "least-deviation": "the least value of E|M - h| (part d, part e)",
    "distance": "the Wasserstein distance of the laws of S and M (part c, part e)",
    "bound": "load^2/(1 - load) times that distance (part c)",
    "tie-bound": "the explicit bound from a tie (part d)",
    "imbalance": "every listed imbalance lies in [0, 1], the same in the witness (Claim)",
    "full": "the least cost when the sizes are seen (part a)",
    "seen": "the least cost when only the estimates are seen (part a)",
    "loss": "the difference of the two (part b)",
}


def check(claim: Node, witness: Node, trial: Trial) -> Summary:
    """Prove the claim or raise a Refusal."""
    if not isinstance(claim.value, dict) or "joint" not in claim.value:
        return check_lognormal(claim, witness, trial)
    numbers = "mean_error least_deviation distance bound tie_bound"
    fields = claim.record(f"joint estimate load rows {numbers}", "scale")
    proofs = witness.record("full seen")
    law, mean_law, error = _read_joint(fields, trial)
    rho, kappa = law.load, law.load / (1 - law.load)
    full, seen = verify(law, proofs["full"], trial), verify(mean_law, proofs["seen"], trial)
    least = _least_deviation(mean_law, trial)
    tie, zero = Fraction(1), Fraction(0)
    if least == 0:
        tie_bound = kappa / 2 - evaluate(full, tie, zero, trial)
    else:
        kept = kappa / 2 - evaluate(seen, tie, zero, trial)
        trial.spend(4 * cost(error, least, kept))
        tie_bound = ((1 + error / least) ** 2 - 1) * kept
    trial.equal("mean-error", "claim.mean_error", error, fields["mean_error"].exact())
    found = fields["least_deviation"].exact()
    trial.equal("least-deviation", "claim.least_deviation", least, found)
    distance = distances(law, mean_law, trial)[0]
    trial.equal("distance", "claim.distance", distance, fields["distance"].exact())
    trial.equal("bound", "claim.bound", kappa * rho * distance, fields["bound"].exact())
    trial.equal("tie-bound", "claim.tie_bound", tie_bound, fields["tie_bound"].exact())
    shown = ""
    for node in fields["rows"].items():
        row = node.record("imbalance full seen loss")
        z, where = row["imbalance"].exact(), row["imbalance"].path
        trial.require("imbalance", 0 <= z <= 1, where, "between 0 and 1", z)
        values = [evaluate(sectors, tie, z, trial) for sectors in (full, seen)]
        for name, value in zip(("full", "seen"), values, strict=True):
            trial.equal(name, row[name].path, value, row[name].exact())
        loss = values[1] - values[0]
        trial.equal("loss", row["loss"].path, loss, row["loss"].exact())
        shown = shown or f"{brief(loss)} (cost {brief(values[1])}) at imbalance {brief(z)}"
    counts = f"sizes {len(law.sizes)}, conditional means {len(mean_law.sizes)}"
    return Summary(f"exact loss through estimates at total work 1: {shown}, {counts}")


def _read_joint(fields: dict[str, Node], trial: Trial) -> tuple[Law, Law, Fraction]:
    """The laws of the size S and of its conditional mean M, and E|S - M|, hypotheses tested."""
    rho = fields["load"].exact()
    trial.require("hypothesis", 0 < rho < 1, "claim.load", "between 0 and 1", rho)
    if "scale" in fields:
        scale = fields["scale"].exact()
        trial.require("hypothesis", scale > 0, "claim.scale", "positive", scale)
    groups: list[tuple[Fraction, list[tuple[Fraction, Fraction]]]] = []
    before: tuple[Fraction, Fraction] | None = None
    for entry in fields["joint"].items():
        items = entry.items()
        if len(items) != 3:
            raise entry.bad("a triple [size, estimate, mass]")
        size, estimate, mass = (item.exact() for item in items)
        trial.spend(2_500 + 4 * cost(size, estimate, mass))
        trial.require("hypothesis", size >= 0, items[0].path, "at least 0", size)
        trial.require("hypothesis", mass > 0, items[2].path, "a positive mass", mass)
        rising = before is None or before < (estimate, size)
        trial.require("joint", rising, entry.path, "estimates, then sizes, rising", estimate)
        if before is None or before[0] != estimate:
            groups.append((estimate, []))
        before = (estimate, size)
        groups[-1][1].append((size, mass))
    declared = fields["estimate"].name("signal", "conditional-mean") == "conditional-mean"
    atoms, means, error = [], [], Fraction(0)
    for estimate, group in groups:
        jobs = work = Fraction(0)
        for size, mass in group:
            trial.spend(2 * cost(size, mass, jobs, work))
            jobs, work = jobs + mass, work + size * mass
        mean = work / jobs
        if declared:
            trial.equal("consistent", f"E[S | estimate {brief(estimate)}]", mean, estimate)
        for size, mass in group:
            trial.spend(2 * cost(size, mass, mean, error))
            error += mass * abs(size - mean)
        atoms += group
        means.append((mean, jobs))
    return _law(atoms, rho, trial), _law(means, rho, trial), error


def _law(atoms: list[tuple[Fraction, Fraction]], rho: Fraction, trial: Trial) -> Law:
    """The law of these sizes and masses, equal sizes merged; total mass and mean are one."""
    trial.spend(sum(cost(*atom) for atom in atoms) * len(atoms).bit_length())
    law = Law([], [Fraction(0)], [Fraction(0)], rho)
    for size, mass in sorted(atoms):
        trial.spend(cost(size, mass, law.jobs[-1], law.work[-1]))
        jobs, work = law.jobs[-1] + mass, law.work[-1] + mass * size
        if law.sizes and law.sizes[-1] == size:
            law.jobs[-1], law.work[-1] = jobs, work
        else:
            law.sizes.append(size)
            law.jobs.append(jobs)
            law.work.append(work)
    trial.equal("hypothesis", "sum of the masses", Fraction(1), law.jobs[-1])
    trial.equal("hypothesis", "mean size", Fraction(1), law.work[-1])
    return law


def _least_deviation(law: Law, trial: Trial) -> Fraction:
    """The least E|M - h|: at the first size up to which half of the jobs lie."""
    median = next(i for i, share in enumerate(law.jobs) if 2 * share >= 1)
    size = law.sizes[median - 1]
    trial.spend(cost(size, law.jobs[median], law.work[median]))
    return (2 * law.jobs[median] - 1) * size - (2 * law.work[median] - 1)
