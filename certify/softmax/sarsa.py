"""One step of SARSA(0) for the weights of a shortest-queue rule, in exact rationals.

Source: arXiv 2404.09188, Section II; proofs_checks/theorems/sarsa-step.md.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from certify.certificate import Certificate, exact
from certify.errors import InputError
from certify.problem import Exact, Table, to_count, to_rational, to_rationals
from certify.softmax.system import to_server

MOST_JOBS = 999_999_999


@dataclass(frozen=True)
class SarsaStep:
    """A step from (state, action) to (next_state, next_action) after `holding_time`.

    States are tuples of queue lengths (jobs), actions are indices of queues from 0. Raises
    InputError unless weights, step size and holding time are positive, the discount lies between 0
    and 1, and the next state is an arrival at queue `action` or a departure away.
    """

    weights: tuple[Fraction, ...]
    discount: Fraction
    step_size: Fraction
    state: tuple[int, ...]
    action: int
    holding_time: Fraction
    next_state: tuple[int, ...]
    next_action: int

    if TYPE_CHECKING:

        def __init__(
            self,
            weights: Iterable[Exact],
            discount: Exact,
            step_size: Exact,
            state: Sequence[int],
            action: int,
            holding_time: Exact,
            next_state: Sequence[int],
            next_action: int,
        ) -> None: ...

    def __post_init__(self) -> None:
        weights = to_rationals(self.weights, "weights")
        object.__setattr__(self, "weights", weights)
        for name in ("discount", "step_size", "holding_time"):
            object.__setattr__(self, name, to_rational(getattr(self, name), name))
        positive = [(f"weights[{i}]", weight) for i, weight in enumerate(weights)]
        positive += [(name, getattr(self, name)) for name in ("step_size", "holding_time")]
        for name, value in positive:
            if value <= 0:
                raise InputError(name, "be positive", value)
        if not 0 < self.discount < 1:
            raise InputError("discount", "lie between 0 and 1", self.discount)
        for name in ("state", "next_state"):
            object.__setattr__(self, name, _queues(name, getattr(self, name), len(weights)))
        for name in ("action", "next_action"):
            chosen = to_server(getattr(self, name), name, len(weights))
            object.__setattr__(self, name, chosen)
        pairs = enumerate(zip(self.state, self.next_state, strict=True))
        moves = [(i, after - before) for i, (before, after) in pairs if before != after]
        if len(moves) != 1 or not (moves[0] == (self.action, 1) or moves[0][1] == -1):
            requirement = f"be one arrival at queue {self.action} or one departure away"
            raise InputError("next_state", requirement, list(self.next_state))

    @property
    def features(self) -> tuple[int, ...]:
        """phi_n(x, a) = (x_n + 1{n = a})^2, also the gradient of the value."""
        return tuple((q + (i == self.action)) ** 2 for i, q in enumerate(self.state))

    @property
    def td_error(self) -> Fraction:
        """Cost of the holding time + discount times the next value - the value."""
        following = ((q + (i == self.next_action)) ** 2 for i, q in enumerate(self.next_state))
        value = sum(w * f for w, f in zip(self.weights, self.features, strict=True))
        next_value = sum(w * f for w, f in zip(self.weights, following, strict=True))
        return sum(self.state) * self.holding_time + self.discount * next_value - value

    @property
    def updated_weights(self) -> tuple[Fraction, ...]:
        """The weights after the step, before any projection."""
        change = self.step_size * self.td_error
        return tuple(w + change * f for w, f in zip(self.weights, self.features, strict=True))

    def certificate(self) -> Certificate:
        """The certificate of the step."""
        updated = self.updated_weights
        claim: dict[str, Any] = {
            "weights": [exact(weight) for weight in self.weights],
            "state": list(self.state),
            "action": self.action,
            "next_state": list(self.next_state),
            "next_action": self.next_action,
            "updated_weights": [exact(weight) for weight in updated],
            "negative": [i for i, weight in enumerate(updated) if weight < 0],
        }
        for name in ("discount", "step_size", "holding_time", "td_error"):
            claim[name] = exact(getattr(self, name))
        return Certificate("sarsa-step", claim, {})


def make(table: Table) -> Certificate:
    """The certificate of a problem of kind `sarsa-step`."""
    step = SarsaStep(
        table.rationals("weights"),
        table.rational("discount"),
        table.rational("step_size"),
        table.get("state"),
        table.get("action"),
        table.rational("holding_time"),
        table.get("next_state"),
        table.get("next_action"),
    )
    table.done()
    return step.certificate()


def words(claim: dict[str, Any]) -> str:
    """What a claim of this kind states, in one sentence."""
    after = ", ".join(claim["updated_weights"][:6])
    count = len(claim["negative"])
    return (
        f"A step of SARSA(0) of positive probability takes the weights "
        f"({', '.join(claim['weights'][:6])}) to ({after}), "
        f"{count} weight{'s' * (count != 1)} negative."
    )


def _queues(name: str, values: Any, size: int) -> tuple[int, ...]:
    if not isinstance(values, list | tuple) or len(values) != size:
        raise InputError(name, f"be a list of {size} queues", values)
    return tuple(to_count(n, f"{name}[{i}]", 0, MOST_JOBS) for i, n in enumerate(values))
