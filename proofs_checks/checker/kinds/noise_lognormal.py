"""Kind `fluid-noise` for lognormal sizes seen through lognormal noise: all numbers enclosed."""

from fractions import Fraction

from proofs_checks.checker.kernel.real import Real
from proofs_checks.checker.kinds.fluid_integral import Deviation
from proofs_checks.checker.kinds.fluid_law import cost
from proofs_checks.checker.kinds.noise_costs import Ends, contained, enclosed_costs
from proofs_checks.checker.kinds.special_laws import Lognormal
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Summary, Trial, brief, decimal, declined, fewest_digits

HALF = Fraction(1, 2)
LONGEST = 10**40  # of the numerators and denominators of sigma and noise


def check_lognormal(claim: Node, witness: Node, trial: Trial) -> Summary:
    """Prove the claim or raise a Refusal (fluid-noise.md, part e)."""
    numbers = "mean_error least_deviation distance bound tie_bound"
    fields = claim.record(f"sizes noise load rows {numbers}")
    hints = witness.record("precision full seen")
    bits = trial.precision(hints["precision"].count())
    rho, spread = fields["load"].exact(), fields["sizes"].record("family sigma")
    spread["family"].name("lognormal")
    sigma, noise = spread["sigma"].exact(), fields["noise"].exact()
    trial.require("hypothesis", 0 < rho < 1, "claim.load", "between 0 and 1", rho)
    for node, value in ((spread["sigma"], sigma), (fields["noise"], noise)):
        trial.require("hypothesis", value > 0, node.path, "positive", value)
        if max(value.numerator, value.denominator) > LONGEST:
            raise declined(node.path, "a number of at most 40 digits", "more")
    variance = sigma**4 / (sigma**2 + noise**2)  # of log M
    root, kappa = trial.real(variance, bits).power(HALF), rho / (1 - rho)
    parts = _sigmas(variance, hints["seen"], trial)
    error = _deviation_at_one(root * noise / sigma, trial)
    least = _deviation_at_one(root * 2, trial) / 2
    distance = _deviation_at_one(-root + sigma, trial)
    shown: list[Ends] = []

    def show(name: str, real: Real) -> None:
        trial.spend(1000 + bits + cost(*real.ends(), rho))
        shown.append(contained(real.ends(), fields[name], name.replace("_", "-"), trial))

    show("mean_error", error)
    show("least_deviation", least)
    show("distance", distance)
    show("bound", distance * (kappa * rho))
    rows = [row.record("imbalance full seen loss") for row in fields["rows"].items()]
    asked = [row["imbalance"].exact() for row in rows]
    load, sizes = fields["load"], fields["sizes"].value
    full = enclosed_costs(sizes, load, asked, hints["full"], trial)[1]
    saving, seen = _conditional_mean(load, asked, parts, trial)
    kept = trial.real(saving[0], bits).hull(trial.real(saving[1], bits)) * (kappa / 2)
    growth = error / least + 1
    show("tie_bound", (growth * growth - 1) * kept)
    for row, known, guessed in zip(rows, full, seen, strict=True):
        known = contained(known, row["full"], "full", trial)
        guessed = contained(guessed, row["seen"], "seen", trial)
        loss = max(Fraction(0), guessed[0] - known[1]), guessed[1] - known[0]
        shown += [known, guessed, contained(loss, row["loss"], "loss", trial)]
    text = f"loss through lognormal noise at total work 1: at most {decimal(loss[1], 12, True)}"
    return Summary(f"{text} at imbalance {brief(asked[-1])}", fewest_digits(shown))


def _sigmas(variance: Fraction, node: Node, trial: Trial) -> list[dict[str, Node]]:
    """The one or two laws of the witness, with the law of M between them in the convex order."""
    parts = [part.record("sigma claim witness") for part in node.items()]
    sigmas = [part["sigma"].exact() for part in parts]
    trial.spend(4 * cost(*sigmas))
    around = len(parts) <= 2 and sigmas[0] > 0 and sigmas[0] ** 2 <= variance <= sigmas[-1] ** 2
    expected = ("one or two numbers around the root of", variance)
    trial.require("variance", around, node.path, expected, sigmas)
    return parts


def _conditional_mean(
    load: Node, asked: list[Fraction], parts: list[dict[str, Node]], trial: Trial
) -> tuple[Ends, list[Ends]]:
    """The saving and the least costs for M, from the laws around it."""
    savings, values = [], []
    for part in parts:
        law = {"family": "lognormal", "sigma": part["sigma"].value}
        proof = {"claim": part["claim"].value, "witness": part["witness"].value}
        node = Node(proof, part["claim"].path.removesuffix(".claim"))
        saving, costs = enclosed_costs(law, load, asked, node, trial)
        savings.append(saving)
        values.append(costs)
    # more spread costs less and saves more (part b)
    ends = [(last[0], first[1]) for first, last in zip(values[0], values[-1], strict=True)]
    return (savings[0][0], savings[-1][1]), ends


def _deviation_at_one(sigma: Real, trial: Trial) -> Real:
    """E|L - 1| for a lognormal L with mean one and this standard deviation of log L."""
    return Deviation(Lognormal.new(sigma, trial), [], [], sigma.bits, trial).at(Fraction(1))
