"""Kind `softmax-obstruction`: where the potential H of the reflected equation fails for the chain.

Proved, for all states with at most `radius` jobs: how many have an empty queue, how many of these
certainly have a positive boundary term (the sum over empty queues, and one of its summands), and
the largest values of that sum and of the gap (LH)(Q) - dH/dt. At infinitely many states without
an empty queue (LH)(Q) > 0 if `interior_drift` is claimed, at every (k, ..., k) with k >= 1 it is
`diagonal_drift`; `origin_term` is the exact boundary term at the origin.
Not checked: that `interior_drift` is the largest.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb

from proofs_checks.checker.kinds.softmax_potential import Potential
from proofs_checks.checker.kinds.softmax_system import energies, read_system
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Summary, Trial, between, fewest_digits

THEOREM = "softmax-obstruction"
PROBLEM = ("system", "radius")
CONDITIONS = {
    "hypothesis": "rates, alpha, beta > 0, offset >= 0, arrival rate below capacity (Hypotheses)",
    "shape": "a state has one queue per server and lies where its field says (Definitions)",
    "states": "the grid has so many states, and so many with an empty queue (Definitions)",
    "positive": "so many states certainly have a positive boundary term (Theorem, part a)",
    "not-positive": "all others but `undecided_states` certainly have none (Theorem, part a)",
    "maximum": "no state's value is above the claimed interval (Theorem, part b)",
    "attained": "the value at the named state is not below the interval (Theorem, part b)",
    "interior-drift": "0 < lo, and (LH)(Q) lies in the interval (Theorem, part c)",
    "diagonal": "all servers are alike; (LH)(k, ..., k) lies in the interval (Theorem, part d)",
    "origin": "all servers are alike; the boundary term at the origin, exactly (Theorem, part e)",
}
COUNTS = "radius states boundary_states positive_boundary_states positive_coordinate_states"
PEAKS = ("max_boundary_term", "max_boundary_gap", "max_gap")
LARGEST_POWER = 64


def check(claim: Node, witness: Node, trial: Trial) -> Summary:
    """Prove the claim or raise a Refusal."""
    named = " ".join(f"{name} {name}_state" for name in PEAKS)
    optional = "interior_drift diagonal_drift origin_term"
    fields = claim.record(f"system {COUNTS} undecided_states {named}", optional)
    bits = trial.precision(witness.record("precision")["precision"].count())
    system = read_system(fields["system"], bits, trial)
    parts = zip(system.service_rates, energies(system, bits, trial), strict=True)
    servers = [(trial.real(rate, bits), v, kappa) for rate, (_, v, kappa) in parts]
    potential = Potential(system, servers, {}, bits, trial)
    shown = _grid(potential, fields)
    text = (
        f"{fields['positive_boundary_states'].count()} of {fields['boundary_states'].count()} "
        f"boundary terms positive, {fields['undecided_states'].count()} undecided, among states of "
        f"at most {fields['radius'].count()} jobs; largest gap {between(*shown[1])} at their "
        f"boundary, {between(*shown[2])} among all of them"
    )
    if "interior_drift" in fields:
        shown.append(_interior(potential, fields["interior_drift"]))
        text += f"; LH near {between(*shown[-1])} at infinitely many states with no empty queue"
    if "diagonal_drift" in fields:
        shown.append(_diagonal(potential, fields["diagonal_drift"]))
    if "origin_term" in fields:
        _origin(potential, fields["origin_term"])
    return Summary(text, fewest_digits(shown))


def _alike(potential: Potential, condition: str) -> None:
    """Require that all servers have the same rate, and the same weight if they have one."""
    rates = potential.system.service_rates
    weights = potential.system.weights or rates
    alike = all(rate == rates[0] for rate in rates) and all(w == weights[0] for w in weights)
    potential.trial.require(condition, alike, "claim.system", "servers alike", "different ones")


def _states(potential: Potential, radius: int) -> Iterator[tuple[int, ...]]:
    """Every state with at most `radius` jobs, once the work for all of them is set aside."""
    size, trial = len(potential.servers), potential.trial
    huge = min(size, radius) > 40
    trial.spend(1 << 40 if huge else comb(size + radius, size) * (radius + size))
    for chosen in combinations_with_replacement(range(size + 1), radius):
        # each of `radius` jobs waits at a server or, under the number `size`, nowhere
        yield tuple(chosen.count(server) for server in range(size))


def _grid(potential: Potential, fields: dict[str, Node]) -> list[tuple[Fraction, Fraction]]:
    """Parts a and b: the counts, and the three largest values with their states."""
    trial = potential.trial
    counts = [fields[name].count() for name in (*COUNTS.split(), "undecided_states")]
    radius, states, boundary_states, *positive, undecided = counts
    claimed = {name: fields[name].interval() for name in PEAKS}
    found, boundary, certain, never = 0, 0, [0, 0], [0, 0]
    for state in _states(potential, radius):
        local, edge = potential.at(state), not all(state)
        found, boundary = found + 1, boundary + edge
        for name, value in zip(PEAKS, (local.term, local.gap, local.gap), strict=True):
            if edge or name == "max_gap":
                below = value.at_most(claimed[name][1])
                trial.require("maximum", below, f"claim.{name}", f"a bound at {state}", value)
        if edge:
            signs = [[local.term], local.summands]
            for i, terms in enumerate(signs):
                certain[i] += any(term.above(0) for term in terms)
                never[i] += all(term.at_most(0) for term in terms)
    for name, number, claimed_number in (
        ("states", found, states),
        ("boundary_states", boundary, boundary_states),
    ):
        right = number == claimed_number
        trial.require("states", right, f"claim.{name}", str(number), claimed_number)
    for name, count, yes, no in zip(COUNTS.split()[3:], positive, certain, never, strict=True):
        trial.require("positive", yes >= count, f"claim.{name}", f"at most {yes}", count)
        enough = no >= boundary - count - undecided
        trial.require("not-positive", enough, f"claim.{name}", f"all but {no} states", count)
    for name, (low, _) in claimed.items():
        state = tuple(_state(potential, fields[f"{name}_state"]))
        lies = sum(state) <= radius and (name == "max_gap" or not all(state))
        trial.require("shape", lies, f"claim.{name}_state", "a state of the field's part", state)
        local = potential.at(state)
        value = local.term if name == "max_boundary_term" else local.gap
        trial.require("attained", value.at_least(low), f"claim.{name}", ("at most", low), value)
    return list(claimed.values())


def _state(potential: Potential, node: Node) -> list[int]:
    """A state: one queue per server."""
    state = [item.count() for item in node.items()]
    size = len(potential.servers)
    potential.trial.require("shape", len(state) == size, node.path, f"{size} queues", len(state))
    return state


def _interior(potential: Potential, node: Node) -> tuple[Fraction, Fraction]:
    """Part c: a state without an empty queue at which H rises."""
    fields, require = node.record("state value"), potential.trial.require
    low, high = fields["value"].interval()
    state = _state(potential, fields["state"])
    require("shape", all(state), fields["state"].path, "no empty queue", state)
    require("interior-drift", low > 0, node.path, "positive", low)
    drift = potential.at(state).drift
    require("interior-drift", drift.inside(low, high), node.path, "LH inside", drift)
    return low, high


def _diagonal(potential: Potential, node: Node) -> tuple[Fraction, Fraction]:
    """Part d: (LH)(k, ..., k) of servers that are alike."""
    _alike(potential, "diagonal")
    low, high = node.interval()
    (mu, v, _), size = potential.servers[0], len(potential.servers)
    arrivals, alpha = potential.system.arrival_rate, potential.system.alpha
    factor, scale = (v * alpha).exp(), arrivals / alpha
    up = ((factor.reciprocal() + (size - 1)) / size).log() * scale
    down = ((factor + (size - 1)) / size).log() * scale
    drift = (mu * v + up) * arrivals + (down - mu * v) * mu * size
    potential.trial.require("diagonal", drift.inside(low, high), node.path, "LH inside", drift)
    return low, high


def _origin(potential: Potential, node: Node) -> None:
    """Part e: lambda (mu - lambda/N) v at the origin, where v is rational."""
    _alike(potential, "origin")
    system, size, trial = potential.system, len(potential.servers), potential.trial
    rate, slope = system.service_rates[0], Fraction(1)
    if system.weights:
        slope = 2 * system.weights[0]
    elif rate != 1:
        plain = system.beta.denominator == 1 and system.beta <= LARGEST_POWER
        trial.require("origin", plain, node.path, "a whole beta, or rate 1", system.beta)
        slope = rate ** -int(system.beta)
    exact = system.arrival_rate * (rate - system.arrival_rate / size) * slope
    trial.equal("origin", node.path, exact, node.exact())
