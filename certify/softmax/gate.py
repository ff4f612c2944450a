"""The mean field of SARSA(0) when steps are taken in the empty system only.

Source: arXiv 2404.09188, Sections II and III-C; proofs_checks/theorems/sarsa-gate.md.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from flint import arb

from certify.balls import at_least, ball, outward, precision
from certify.certificate import Certificate, exact, interval
from certify.errors import InputError, OutOfReach
from certify.problem import Exact, Table, to_digits, to_rational, to_rationals
from certify.softmax.system import to_server

TRIES = 6  # precisions tried, each twice the last
MOST_ENERGY = 40_000  # largest |3 w_n - w_i|/temperature whose exponential is written down


@dataclass(frozen=True)
class SarsaGate:
    """Weights, temperature and discount of a learning weighted shortest queue, and one queue.

    Raises InputError unless weights and temperature are positive, no |3 w_n - w_i|/temperature is
    above 40,000, the discount lies between 0 and 1 and `queue` is an index from 0 on.
    """

    weights: tuple[Fraction, ...]
    temperature: Fraction
    discount: Fraction
    queue: int

    if TYPE_CHECKING:

        def __init__(
            self, weights: Iterable[Exact], temperature: Exact, discount: Exact, queue: int
        ) -> None: ...

    def __post_init__(self) -> None:
        weights = to_rationals(self.weights, "weights")
        object.__setattr__(self, "weights", weights)
        for name in ("temperature", "discount"):
            object.__setattr__(self, name, to_rational(getattr(self, name), name))
        positive = [(f"weights[{i}]", weight) for i, weight in enumerate(weights)]
        for name, value in [*positive, ("temperature", self.temperature)]:
            if value <= 0:
                raise InputError(name, "be positive", value)
        if not 0 < self.discount < 1:
            raise InputError("discount", "lie between 0 and 1", self.discount)
        object.__setattr__(self, "queue", to_server(self.queue, "queue", len(weights)))
        largest = max(abs(3 * weights[self.queue] - weight) for weight in weights)
        if largest > MOST_ENERGY * self.temperature:
            requirement = f"be at least {largest / MOST_ENERGY} for these weights"
            raise InputError("temperature", requirement, self.temperature)

    def certificate(self, digits: int = 20) -> Certificate:
        """The certificate that the diagonal entry of this queue is positive.

        Raises InputError if it is not, or for digits outside 1 to 10,000; OutOfReach if no
        precision tried tells.
        """
        digits = to_digits(digits)
        bits = int(3.33 * digits) + 96
        for attempt in range(TRIES):
            with precision(bits << attempt):
                found = self._diagonal()
                if found < 0:
                    requirement = "be so large that the diagonal entry is positive"
                    raise InputError("discount", requirement, self.discount)
                if found > 0 and found.rel_accuracy_bits() > int(3.33 * digits) + 32:
                    return self._certificate(outward(found, digits), bits << attempt)
        raise OutOfReach("the sign of the diagonal entry is not resolved")

    def _diagonal(self) -> arb:
        """discount (1 + 3 p) - 1, p the chance that the next job joins the only busy queue."""
        others = arb(1)
        for i, weight in enumerate(self.weights):
            if i != self.queue:
                energy = 3 * self.weights[self.queue] - weight
                others += ball(energy / self.temperature).exp()
        return ball(self.discount) * (1 + 3 / others) - 1

    def _certificate(self, diagonal: tuple[Fraction, Fraction], bits: int) -> Certificate:
        claim: dict[str, Any] = {
            "weights": [exact(weight) for weight in self.weights],
            "temperature": exact(self.temperature),
            "discount": exact(self.discount),
            "queue": self.queue,
            "diagonal": interval(*diagonal),
        }
        return Certificate("sarsa-gate", claim, {"precision": bits})


def make(table: Table) -> Certificate:
    """The certificate of a problem of kind `sarsa-gate`."""
    digits = table.integer("digits", 1, 10_000, 20)
    gate = SarsaGate(
        table.rationals("weights"),
        table.rational("temperature"),
        table.rational("discount"),
        table.get("queue"),
    )
    table.done()
    return gate.certificate(digits)


def words(claim: dict[str, Any]) -> str:
    """What a claim of this kind states, in one sentence."""
    low, queues = at_least(claim["diagonal"]["lo"]), len(claim["weights"])
    return (
        f"SARSA(0) with steps in the empty system only, {queues} queue{'s' * (queues > 1)}: the "
        f"matrix of its mean field has a positive diagonal entry ({low} or more relative to its "
        f"probability), so it is not negative definite."
    )
