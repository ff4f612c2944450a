"""Routing by shortest queues and by fixed probabilities: bounds at their borders, by enumeration.

The constants of the pages are computed a second time here, from the definitions, for systems with
no two equal parameters; a claim one billionth below is refused.
"""

from fractions import Fraction
from itertools import product

import pytest

from certify.softmax import Bernoulli
from proofs_checks.checker.verdict import Outcome
from tests.drift_helpers import changed, condition, verdict
from tests.mutation.engine import Tree

HAIR = Fraction(1, 10**9)


def numbers(*words: str) -> list[Fraction]:
    return [Fraction(word) for word in words]


def texts(values: list[Fraction]) -> list[str]:
    return [str(value) for value in values]


class Shortest:
    """The lemma and the theorem of shortest-queue-drift.md."""

    def __init__(self, arrival: str, *lists: list[Fraction]) -> None:
        self.arrival = Fraction(arrival)
        self.rates, self.slopes, self.offsets = lists
        self.servers = range(len(self.rates))
        spread = sum(1 / v for v in self.slopes)
        self.eps = min(
            (sum(self.rates) - self.arrival) / spread,
            min(mu * v for mu, v in zip(self.rates, self.slopes, strict=True)),
        )

    def bounds(self, shares: list[Fraction]) -> tuple[Fraction, Fraction]:
        """R and the bound of the mean for these shares; the best vertex of theta by enumeration."""
        gains = []
        for mu, v, c in zip(self.rates, self.slopes, shares, strict=True):
            slack = (mu - c) * v - self.eps
            assert slack >= 0
            gains.append(max(Fraction(0), v / 2 - slack / mu))
        fixed = sum(c * k for c, k in zip(shares, self.offsets, strict=True))
        fixed += self.arrival * max(
            v / 2 - k for v, k in zip(self.slopes, self.offsets, strict=True)
        )
        every = sum(mu * g for mu, g in zip(self.rates, gains, strict=True))
        best = Fraction(0)
        for full in product((False, True), repeat=len(gains)):
            for last in self.servers:  # a vertex: all but one coordinate are 0 or mu_i
                theta = [mu if on else Fraction(0) for mu, on in zip(self.rates, full, strict=True)]
                theta[last] = Fraction(0)
                theta[last] = self.arrival - sum(theta)
                if 0 <= theta[last] <= self.rates[last]:
                    best = max(best, sum(t * g for t, g in zip(theta, gains, strict=True)))
        return fixed + every, (fixed + best) / self.eps

    def excess(self, state: tuple[int, ...]) -> Fraction:
        """(LV)(Q) + eps |Q|_1, for the tie rule that makes it least."""
        levels = [v * q + k for v, q, k in zip(self.slopes, state, self.offsets, strict=True)]
        joined = min(
            v * ((q + 1) ** 2 - q**2) / 2
            for v, q, level in zip(self.slopes, state, levels, strict=True)
            if level == min(levels)
        )
        served = sum(
            mu * v * ((q - 1) ** 2 - q**2) / 2
            for mu, v, q in zip(self.rates, self.slopes, state, strict=True)
            if q
        )
        return self.arrival * joined + served + self.eps * sum(state)

    def tree(self, shares: list[Fraction], state: tuple[int, ...]) -> Tree:
        R, mean = self.bounds(shares)
        system = {
            "arrival_rate": str(self.arrival),
            "service_rates": texts(self.rates),
            "slopes": texts(self.slopes),
            "offsets": texts(self.offsets),
        }
        attained = {"state": [str(q) for q in state], "value": str(self.excess(state))}
        claim = {
            "system": system,
            "eps": str(self.eps),
            "R": str(R),
            "mean_queue_bound": str(mean),
            "attained": attained,
        }
        witness = {"shares": texts(shares)}
        return {
            "format": "certify/1",
            "kind": "shortest-queue-drift",
            "claim": claim,
            "witness": witness,
        }


THREE = Shortest(
    "13/4",
    numbers("3", "3/2", "5/7"),
    numbers("4/3", "1/5", "7/2"),
    numbers("1/4", "-1/3", "2"),
)
EVEN = Shortest("13/4", THREE.rates, numbers("4/3", "2/5", "7/2"), THREE.offsets)
ROOMY = Shortest("1/2", numbers("4", "1/3"), numbers("3/2", "1/4"), numbers("-2", "1"))


def spread(system: Shortest, extra: list[Fraction]) -> list[Fraction]:
    """Shares with a slack that is in proportion to `extra`."""
    most = [mu - system.eps / v for mu, v in zip(system.rates, system.slopes, strict=True)]
    room = sum(most) - system.arrival
    return [c - room * e / sum(extra) for c, e in zip(most, extra, strict=True)]


@pytest.mark.parametrize(
    ("system", "shares", "state"),
    [
        (ROOMY, numbers("1/2", "0"), (3, 5)),
        (ROOMY, numbers("1/2", "0"), (0, 2)),
        (THREE, spread(THREE, numbers("1", "0", "1")), (2, 9, 3)),
        (THREE, spread(THREE, numbers("3", "0", "1")), (4, 0, 1)),
        (EVEN, spread(EVEN, numbers("1", "1", "1")), (1, 5, 0)),
    ],
)
def test_constants_of_shortest_queues(
    system: Shortest, shares: list[Fraction], state: tuple[int, ...]
) -> None:
    tree = system.tree(shares, state)
    assert condition(tree) == ""
    claim = tree["claim"]
    for changes, refusal in (
        ({"claim__R": str(Fraction(claim["R"]) - HAIR)}, "constant"),
        (
            {"claim__mean_queue_bound": str(Fraction(claim["mean_queue_bound"]) - HAIR)},
            "mean-queue",
        ),
        (
            {"claim__attained__value": str(Fraction(claim["attained"]["value"]) + HAIR)},
            "attained",
        ),
        ({"claim__eps": str(system.eps - HAIR)}, "eps"),
        ({"claim__eps": str(system.eps + HAIR)}, "eps"),
        ({"witness__shares__0": str(shares[0] - HAIR)}, "shares"),
        ({"witness__shares": texts([-HAIR, shares[0] + shares[1] + HAIR, *shares[2:]])}, "shares"),
        ({"witness__shares": texts([*(shares[0] * 0 for _ in shares[1:]), sum(shares)])}, "slack"),
        ({"claim__system__arrival_rate": "0"}, "hypothesis"),
        ({"claim__system__service_rates__0": "0"}, "hypothesis"),
        ({"claim__system__slopes__0": "0"}, "hypothesis"),
        ({"claim__system__arrival_rate": str(sum(system.rates))}, "hypothesis"),
    ):
        assert condition(changed(tree, **changes)) == refusal


def fixed(model: Bernoulli) -> Tree:
    made = model.certificate()
    return {"format": "certify/1", "kind": made.kind, "claim": made.claim, "witness": made.witness}


def test_the_regime_has_one_of_two_names() -> None:
    for model in (Bernoulli(2, [2, 1], ["1/2", "1/2"]), Bernoulli(1, [2, 1], ["1/2", "1/2"])):
        tree = fixed(model)
        assert condition(tree) == ""
        tree["claim"]["regime"] = "steady"
        assert verdict(tree).outcome is Outcome.MALFORMED


def test_constants_of_fixed_probabilities() -> None:
    """eps and R by the largest of LV + eps |Q| over the queues 0 to 60, one server at a time."""
    model = Bernoulli("2", ["9/5", "1/3", "4"], ["3/10", "1/8", "23/40"])
    made = model.drift(["3/2", "7/3", "1/2"]).certificate()
    claim = made.claim
    weights, rates, routing = (
        numbers(*claim[name] if name in claim else claim["system"][name])
        for name in ("weights", "service_rates", "routing")
    )
    spare = [mu - 2 * p for mu, p in zip(rates, routing, strict=True)]
    eps = min(w * room for w, room in zip(weights, spare, strict=True))
    most = Fraction(0)
    for w, mu, p in zip(weights, rates, routing, strict=True):
        most += max(
            2 * p * w * (2 * q + 1) / 2 + (mu * w * (1 - 2 * q) / 2 if q else 0) + eps * q
            for q in range(61)
        )
    tree = fixed(model) | {"claim": claim}
    assert condition(changed(tree, claim__eps=str(eps), claim__R=str(most))) == ""
    for step in (-HAIR, HAIR):
        assert condition(changed(tree, claim__R=str(most + step))) == "constant"
        assert condition(changed(tree, claim__eps=str(eps + step))) == "eps"


@pytest.mark.parametrize(
    ("count", "shown"), [(20, "19]"), (21, "19] and 1 more"), (25, "and 5 more")]
)
@pytest.mark.parametrize("name", ["overloaded", "critical"])
def test_a_refusal_shows_twenty_servers(count: int, shown: str, name: str) -> None:
    arrival = count + (count if name == "overloaded" else 0)
    tree = fixed(Bernoulli(arrival, [1] * count, "uniform"))
    assert condition(tree) == ""
    tree["claim"][name] = tree["claim"][name][:-1]
    text = verdict(tree).text
    assert shown in text
    assert ("more" in text) is (count > 20)
