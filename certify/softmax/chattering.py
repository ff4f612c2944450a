"""Cycles of weights that are fitted to the policy of the weights before them.

Source: arXiv 2404.09188, Section II-C ("SARSA chatters when combined with linear function
approximation"); proofs_checks/theorems/sarsa-chattering.md.
"""

from dataclasses import dataclass, replace
from typing import Any

from flint import fmpq, fmpq_mat

from certify.balls import fraction, nearest, rational
from certify.certificate import Certificate, exact
from certify.errors import InputError
from certify.problem import Table, require_type
from certify.softmax.mean_field import SarsaMeanField, State, law_entries

MOST_FITS = 60
UNSETTLED = "lead to a policy that does not settle"


@dataclass(frozen=True)
class SarsaChattering:
    """SarsaChattering(model): fit the weights of `model` to its policy, again and again.

    Raises InputError unless it is a SarsaMeanField; `certificate()` raises it if the policy
    settles, if a weight becomes negative or 0, if the features become dependent, or if no policy
    comes again within 60 fits.
    """

    model: SarsaMeanField

    def __post_init__(self) -> None:
        require_type(self.model, SarsaMeanField, "model", "a SarsaMeanField")

    def fitted(self, model: SarsaMeanField) -> SarsaMeanField:
        """The model with the weights that solve A w + b = 0 under its policy."""
        size = len(model.weights)
        matrix = fmpq_mat([[rational(each) for each in row] for row in model.matrix])
        right = fmpq_mat(size, 1)
        for state, chance in model.law.items():
            cost = chance * sum(state) / model.rate(state)
            for i, feature in enumerate(model.features(state)):
                right[i, 0] -= rational(cost * feature)
        if matrix.det() == fmpq(0):
            requirement = "keep the features linearly independent"
            raise InputError("weights", requirement, [str(w) for w in model.weights])
        solved = matrix.solve(right)
        weights = tuple(fraction(solved[i, 0]) for i in range(size))
        if min(weights) <= 0:
            requirement = "lead to positive weights"
            raise InputError("weights", requirement, [nearest(w, 4) for w in weights])
        return replace(model, weights=weights)

    def cycle(self) -> list[SarsaMeanField]:
        """The models of the cycle, each fitted to the one before and the first to the last."""
        models = [self.model]
        policies: list[list[tuple[State, int]]] = []
        for _ in range(MOST_FITS):
            policy = [(state, models[-1].action(state)) for state in models[-1].law]
            if policy in policies:
                start = policies.index(policy)
                if len(policies) - start == 1:
                    first, last = (
                        ", ".join(nearest(w, 4) for w in model.weights)
                        for model in (self.model, models[-1])
                    )
                    found = f"[{first}], which settle at [{last}]"
                    raise InputError("weights", UNSETTLED, found)
                # the same policy has the same fit: the cycle starts one later
                return models[start + 1 :]
            policies.append(policy)
            models.append(self.fitted(models[-1]))
        raise InputError("weights", f"lead to a cycle within {MOST_FITS} fits", "no cycle yet")

    def certificate(self) -> Certificate:
        """The certificate of the cycle."""
        models = self.cycle()
        claim: dict[str, Any] = {
            "system": {
                "arrival_rate": exact(self.model.arrival_rate),
                "service_rates": [exact(rate) for rate in self.model.service_rates],
                "capacity": self.model.capacity,
            },
            "discount": exact(self.model.discount),
            "cycle": [[exact(weight) for weight in model.weights] for model in models],
        }
        return Certificate(
            "sarsa-chattering", claim, {"laws": [law_entries(model.law) for model in models]}
        )


def make(table: Table) -> Certificate:
    """The certificate of a problem of kind `sarsa-chattering`."""
    system = table.table("system")
    arrival, rates = system.rational("arrival_rate"), system.rationals("service_rates")
    capacity = system.get("capacity")
    system.done()
    discount = table.rational("discount")
    weights = table.rationals("weights", [1] * len(rates))
    table.done()
    model = SarsaMeanField(arrival, rates, weights, capacity, discount)
    try:
        return SarsaChattering(model).certificate()
    except InputError as error:
        if table.has("weights") or error.field != "weights":
            raise
        does = "settle" if error.requirement == UNSETTLED else f"do not {error.requirement}"
        requirement = f"be given (the default ones, 1 for every queue, {does})"
        raise InputError("weights", requirement, "missing") from None


def words(claim: dict[str, Any]) -> str:
    """What a claim of this kind states, in one sentence."""
    cycle = claim["cycle"]
    shown = ", ".join(nearest(weight, 4) for weight in cycle[0][:6])
    return (
        f"Fitting the weights of {len(cycle[0])} queues to their own greedy policy again and again "
        f"has a cycle of {len(cycle)} different weight vectors: started in it, for instance at "
        f"({shown}), it never settles."
    )
