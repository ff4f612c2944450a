"""The step sizes that a gated SARSA(0) takes out of a given sequence.

Source: arXiv 2404.09188, Section II-C; proofs_checks/theorems/sarsa-step-sizes.md.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from certify.balls import nearest
from certify.certificate import Certificate, exact
from certify.errors import InputError
from certify.problem import Exact, Table, to_rationals


@dataclass(frozen=True)
class SarsaStepSizes:
    """SarsaStepSizes(sizes, held): the next size is used at each epoch where `held` is true.

    Raises InputError unless sizes are positive, `held` is a list of truth values, and there are
    sizes enough.
    """

    sizes: tuple[Fraction, ...]
    held: tuple[bool, ...]

    if TYPE_CHECKING:

        def __init__(self, sizes: Iterable[Exact], held: Sequence[bool]) -> None: ...

    def __post_init__(self) -> None:
        sizes = to_rationals(self.sizes, "sizes")
        for i, value in enumerate(sizes):
            if value <= 0:
                raise InputError(f"sizes[{i}]", "be positive", value)
        if not isinstance(self.held, list | tuple) or not self.held:
            raise InputError("held", "be a non-empty list of true and false", self.held)
        for i, flag in enumerate(self.held):
            if type(flag) is not bool:
                raise InputError(f"held[{i}]", "be true or false", flag)
        if sum(self.held) > len(sizes):
            raise InputError("sizes", f"have at least {sum(self.held)} entries", len(sizes))
        object.__setattr__(self, "sizes", sizes)
        object.__setattr__(self, "held", tuple(self.held))

    @property
    def steps(self) -> tuple[Fraction, ...]:
        """The step of every epoch."""
        unused = iter(self.sizes)
        return tuple(next(unused) if flag else Fraction(0) for flag in self.held)

    def certificate(self) -> Certificate:
        """The certificate of the steps and their sums."""
        steps = self.steps
        claim: dict[str, Any] = {
            "sizes": [exact(value) for value in self.sizes],
            "held": [int(flag) for flag in self.held],
            "steps": [exact(step) for step in steps],
            "used": sum(self.held),
            "total": exact(sum(steps, Fraction(0))),
            "squares": exact(sum((step * step for step in steps), Fraction(0))),
        }
        return Certificate("sarsa-step-sizes", claim, {})


def make(table: Table) -> Certificate:
    """The certificate of a problem of kind `sarsa-step-sizes`."""
    sizes = SarsaStepSizes(table.rationals("sizes"), table.get("held"))
    table.done()
    return sizes.certificate()


def words(claim: dict[str, Any]) -> str:
    """What a claim of this kind states, in one sentence."""
    return (
        f"Of {len(claim['held'])} epochs {claim['used']} learn, with the first {claim['used']} "
        f"step sizes in order: the steps add up to {nearest(claim['total'])}."
    )
