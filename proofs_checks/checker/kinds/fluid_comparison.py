"""Kind `fluid-comparison`: what five dispatching policies cost from one start.

Proved: `optimal` is the least cost of emptying the two queues from the start; `balanced`,
`most_work_left` and `size_interval` are what these policies cost from there; `bin_policy` is the
least cost of a control that sees only the bins; and the savings. For a finite law all numbers are
exact, for a law with a density those that depend on it are enclosed. Not checked: anything about
other starts.
"""

from bisect import bisect_left, bisect_right
from fractions import Fraction

from proofs_checks.checker.kinds.fluid_bins import FiniteBins
from proofs_checks.checker.kinds.fluid_bracket import conditional_means
from proofs_checks.checker.kinds.fluid_comparison_enclosed import ENCLOSED, enclosed
from proofs_checks.checker.kinds.fluid_enclosure import inside
from proofs_checks.checker.kinds.fluid_law import cost, read_law
from proofs_checks.checker.kinds.fluid_path import Ends
from proofs_checks.checker.kinds.fluid_policies import (
    Facts,
    Number,
    Start,
    balanced,
    most_work_left,
    read_start,
    size_interval,
)
from proofs_checks.checker.kinds.fluid_value import VERIFIED, evaluate, verify
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Summary, Trial, brief, fewest_digits

THEOREM = "fluid-comparison"
PROBLEM = ("law", "load", "start", "bins", "axis_rule")
CONDITIONS = {
    **VERIFIED,
    **ENCLOSED,
    "exit": "an empty queue is kept busy, or idles at no cost; the exit cutoff is finite if it is",
    "start": "0 <= short <= long, 0 < long, and short > 0 or load > 1/2 (Hypotheses)",
    "bins": "the bins rise, and each of them holds jobs (Hypotheses)",
    "work-median": "the jobs below it carry at most half of the work, those up to it at least half",
    "half-work-share": "the share of the jobs, largest first, that carries half of the work",
    "optimal": "the least cost from the start (part a)",
    "balanced": "the cost of joining the shorter queue (part b)",
    "most-work-left": "the cost of feeding the longer queue first (part c)",
    "size-interval": "the cost of the split at the work median, then of the axis rule (part d)",
    "bin-policy": "the least cost of the controls that see only the bins (part e)",
    "saving": "one minus the ratio of a policy's cost to another's (part f)",
}
HALF = Fraction(1, 2)
POLICIES = ("optimal", "balanced", "most_work_left", "size_interval", "bin_policy")
SAVING, SAVED = ("optimal", "size_interval", "bin_policy"), ("balanced", "most_work_left")
FIELDS = f"{' '.join(PROBLEM)} work_median half_work_share {' '.join(POLICIES)} savings"


def check(claim: Node, witness: Node, trial: Trial) -> Summary:
    """Prove the claim or raise a Refusal."""
    law = claim.record(FIELDS, "exit_cutoff cutoff")["law"].value
    finite = not (isinstance(law, dict) and "family" in law)
    fields = claim.record(FIELDS if finite else f"{FIELDS} exit_cutoff cutoff")
    rule = fields["axis_rule"].name("exactly-busy", "same-split")
    start = read_start(fields["start"], fields["load"], trial)
    shown: list[Ends] = []
    if finite:
        facts = _exact(fields, witness, start, trial)
    else:
        facts, shown = enclosed(fields, witness, start, trial)
    shown.extend(_agree("half-work-share", fields["half_work_share"], facts.half_work_share, trial))
    found = (
        facts.optimal,
        balanced(start),
        most_work_left(start, facts),
        size_interval(start, rule, facts),
        facts.bin_policy,
    )
    costs: dict[str, Number] = dict(zip(POLICIES, found, strict=True))
    for name, value in costs.items():
        shown.extend(_agree(name.replace("_", "-"), fields[name], value, trial))
    savings = fields["savings"].record(" ".join(SAVING))
    for name in SAVING:
        row = savings[name].record(" ".join(f"against_{other}" for other in SAVED))
        for other in SAVED:
            # one and the same number saves exactly nothing, however wide its enclosure
            same = costs[name] is costs[other]
            saving = Fraction(0) if same else 1 - costs[name] / costs[other]
            shown.extend(_agree("saving", row[f"against_{other}"], saving, trial))
    text = ", ".join(f"{name.replace('_', ' ')} {brief(value)}" for name, value in costs.items())
    place = f"({brief(start.short)}, {brief(start.long)})"
    return Summary(f"costs from {place}: {text}", fewest_digits(shown))


def _exact(fields: dict[str, Node], witness: Node, start: Start, trial: Trial) -> Facts:
    """The facts of a law with finitely many sizes, after the conditions on their proofs."""
    law, hints = (
        read_law(fields["law"], fields["load"], trial),
        witness.record("optimal bin_policy"),
    )
    best = verify(law, hints["optimal"], trial)
    binned = conditional_means(FiniteBins(law), start.load, fields["bins"], trial)
    coarse = verify(binned, hints["bin_policy"], trial)
    median = fields["work_median"].exact()
    below, most = bisect_left(law.sizes, median), bisect_right(law.sizes, median)
    jobs, work = law.jobs[below], law.work[below]
    trial.spend(cost(median, jobs, work, start.short, start.long, start.load))
    halved = work <= HALF <= law.work[most]
    trial.require("work-median", halved, "claim.work_median", "a work median", median)
    return Facts(
        evaluate(best, start.total, start.difference, trial),
        evaluate(best, Fraction(1), Fraction(1), trial),
        1 - jobs - (HALF - work) / median,
        evaluate(coarse, start.total, start.difference, trial),
    )


def _agree(condition: str, node: Node, found: Number, trial: Trial) -> list[Ends]:
    """Require that a claimed number is the exact one found, or an interval around it."""
    if isinstance(found, Fraction):
        trial.spend(cost(found))
        trial.equal(condition, node.path, found, node.exact())
        return []
    claimed = node.interval()
    trial.spend(4 * cost(*claimed))
    inside(condition, node.path, found, claimed, trial)
    return [claimed]
