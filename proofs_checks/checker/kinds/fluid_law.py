"""The finite size law and the load that several kinds speak of, with every hypothesis tested."""

from dataclasses import dataclass
from fractions import Fraction

from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Trial


@dataclass(frozen=True)
class Law:
    """Sizes in increasing order; `jobs[i]` and `work[i]` are the shares of the first i sizes."""

    sizes: list[Fraction]
    jobs: list[Fraction]
    work: list[Fraction]
    load: Fraction


def read_law(node: Node, load: Node, trial: Trial) -> Law:
    """The law and the load of a claim: mean one, positive masses, 0 < load < 1."""
    fields = node.record("atoms", "scale")
    rho = load.exact()
    trial.require("hypothesis", 0 < rho < 1, load.path, "between 0 and 1", rho)
    if "scale" in fields:
        scale = fields["scale"].exact()
        trial.require("hypothesis", scale > 0, "claim.law.scale", "positive", scale)
    law = Law([], [Fraction(0)], [Fraction(0)], rho)
    for atom in fields["atoms"].items():
        pair = atom.items()
        if len(pair) != 2:
            raise atom.bad("a pair [size, mass]")
        size, mass = pair[0].exact(), pair[1].exact()
        least = "at least 0" if not law.sizes else "larger than the size before"
        rising = size > law.sizes[-1] if law.sizes else size >= 0
        trial.require("hypothesis", rising, pair[0].path, least, size)
        trial.require("hypothesis", mass > 0, pair[1].path, "a positive mass", mass)
        trial.spend(500 + cost(size, mass, law.jobs[-1], law.work[-1]))
        law.sizes.append(size)
        law.jobs.append(law.jobs[-1] + mass)
        law.work.append(law.work[-1] + mass * size)
    trial.equal("hypothesis", "sum of the masses", Fraction(1), law.jobs[-1])
    trial.equal("hypothesis", "mean size", Fraction(1), law.work[-1])
    return law


def cost(*numbers: Fraction) -> int:
    """The steps of a few additions, products and comparisons of exact numbers that long."""
    bits = sum(n.numerator.bit_length() + n.denominator.bit_length() for n in numbers)
    return 20 + bits * bits // 250_000
