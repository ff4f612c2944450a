"""Kind `fluid-comparison`: exact costs of three policies from one start, for a finite size law.

Proved: `optimal` is the least cost of emptying the two queues from the start, `balanced` and
`most_work_left` are what these policies cost from there, and the savings are the optimum's.
Not checked: anything about other starts.
"""

from fractions import Fraction

from proofs_checks.checker.kinds.fluid_law import Law, cost, read_law
from proofs_checks.checker.kinds.fluid_value import CONDITIONS as VALUE_CONDITIONS
from proofs_checks.checker.kinds.fluid_value import evaluate, verify
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Summary, Trial, brief

THEOREM = "fluid-comparison"
PROBLEM = ("law", "load", "start")
CONDITIONS = {
    **{name: text for name, text in VALUE_CONDITIONS.items() if name not in ("value", "saving")},
    "start": "0 <= short <= long, 0 < long, and short > 0 or load > 1/2 (Hypotheses)",
    "optimal": "the least cost from the start, by the theorem of fluid-value (part a)",
    "balanced": "the cost of joining the shorter queue (part b)",
    "most-work-left": "the cost of feeding the longer queue first (part c)",
    "saving": "one minus the ratio of the least cost to the policy's (part d)",
}


def check(claim: Node, witness: Node, trial: Trial) -> Summary:
    """Prove the claim or raise a Refusal."""
    policies = ("optimal", "balanced", "most_work_left")
    savings = tuple(f"saving_{name}" for name in policies[1:])
    fields = claim.record(" ".join(("law load start", *policies, *savings)))
    law = read_law(fields["law"], fields["load"], trial)
    start = fields["start"].record("short long")
    short, long = start["short"].exact(), start["long"].exact()
    ordered = 0 <= short <= long and long > 0
    trial.require("start", ordered, "claim.start", "0 <= short <= long, 0 < long", short)
    costly = short > 0 or 2 * law.load > 1
    trial.require("start", costly, "claim.start.short", "positive at a load up to 1/2", short)
    sectors = verify(law, witness.record("sectors")["sectors"], trial)
    trial.spend(len(law.sizes) + cost(short, long, law.load))
    costs = {
        "optimal": evaluate(sectors, short + long, long - short, trial),
        "balanced": _balanced(law.load, short, long),
        "most_work_left": _most_work_left(law, short, long),
    }
    for name, value in costs.items():
        trial.equal(name.replace("_", "-"), f"claim.{name}", value, fields[name].exact())
    for name, policy in zip(savings, policies[1:], strict=True):
        saving = 1 - costs["optimal"] / costs[policy]
        trial.equal("saving", f"claim.{name}", saving, fields[name].exact())
    text = ", ".join(f"{name.replace('_', ' ')} {brief(value)}" for name, value in costs.items())
    return Summary(f"exact costs from ({brief(short)}, {brief(long)}): {text}")


def _balanced(load: Fraction, short: Fraction, long: Fraction) -> Fraction:
    """All work to the shorter queue, then half to each (part b)."""
    x, delta, kappa = short + long, long - short, load / (1 - load)
    if delta <= kappa * x:
        return (kappa * x * x - delta * delta) / 2
    return load * (2 * short) ** 2 / (2 * (1 - 2 * load))


def _most_work_left(law: Law, short: Fraction, long: Fraction) -> Fraction:
    """All work to the longer queue, then just enough small jobs to the empty one (part c)."""
    rest = long + (2 * law.load - 1) * short  # work left when the shorter queue is empty
    first = 2 * law.load * short * (long + rest)
    if 2 * law.load <= 1:
        return first
    half = 1 / (2 * law.load)
    whole = next(count for count, share in enumerate(law.work) if share >= half) - 1
    jobs = law.jobs[whole] + (half - law.work[whole]) / law.sizes[whole]
    return first + law.load / (1 - law.load) * (1 - jobs) * rest * rest
