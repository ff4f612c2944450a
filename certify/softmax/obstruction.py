"""How far the potential H of the reflected equation is from a Lyapunov function of the chain.

On the grid of all states with at most `radius` jobs: where the boundary term is positive, and the
largest excess of (LH)(Q) over dH/dt of the reflected equation. Beyond any grid: a state without an
empty queue at which LH is positive, which repeats itself arbitrarily far out. Source: arXiv
2607.28688v1, Section 5; proofs_checks/theorems/softmax-obstruction.md.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any

from flint import arb

from certify.balls import ball, ends, nearest, outward, precision, unit
from certify.certificate import Certificate, exact, interval
from certify.errors import InputError, OutOfReach
from certify.problem import MAX_DIGITS, Table
from certify.softmax.potential import MOST_ENERGY, AtState, Potential, require_moderate_energies
from certify.softmax.system import ReflectedUAS, System, WeightedShortestQueue, read_system

DIGITS = 20  # significant digits of the enclosures when nothing else is asked for
MOST_STATES = 200_000
MOST_SERVERS = 20
TRIES = 4  # precisions tried, each twice the last
DECIDED = 24  # correct bits of a number whose sign is called decided
MOST_STEPS = 100  # of one ascent in the search for a large drift
LONGEST = 10**6  # the largest queue it looks at
RAYS = 64  # levels v_i Q_i = t from which the search for a large drift starts
NOTICED = Fraction(1, 1 << 16)  # the least growth of the drift that the search goes after
LARGEST_POWER = 64

State = tuple[int, ...]
Enclosure = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Peak:
    """The largest value of something over some states, enclosed, and a state that has it."""

    state: State
    value: Enclosure


@dataclass(frozen=True)
class Obstruction:
    """The audit of H on the grid {|Q|_1 <= radius} and its drift at states far away.

    The counts of positive states are certain; up to `undecided_states` more may be positive.
    `interior_drift` is (LH)(Q) > 0 at a state Q without an empty queue; `diagonal_drift` is
    (LH)(k, ..., k) for every k >= 1 and `origin_term` the exact boundary term at the origin, both
    for servers that are all alike. None stands for what does not exist or was not found.
    """

    system: System
    radius: int
    states: int
    boundary_states: int
    positive_boundary_states: int
    positive_coordinate_states: int
    undecided_states: int
    max_boundary_term: Peak
    max_boundary_gap: Peak
    max_gap: Peak
    interior_drift: Peak | None
    diagonal_drift: Enclosure | None
    origin_term: Fraction | None
    bits: int

    def __repr__(self) -> str:
        return (
            f"Obstruction(radius={self.radius}, states={self.states}, "
            f"boundary={self.boundary_states}, positive={self.positive_boundary_states}, "
            f"max_boundary_gap={nearest(self.max_boundary_gap.value[0])}, "
            f"max_gap={nearest(self.max_gap.value[0])})"
        )

    def certificate(self) -> Certificate:
        """The certificate of everything found."""
        counts = "boundary_states positive_boundary_states positive_coordinate_states"
        names = f"radius states {counts} undecided_states".split()
        claim: dict[str, Any] = {name: getattr(self, name) for name in names}
        claim["system"] = self.system.to_claim()
        for name in ("max_boundary_term", "max_boundary_gap", "max_gap"):
            peak = getattr(self, name)
            claim[name], claim[f"{name}_state"] = interval(*peak.value), list(peak.state)
        if self.interior_drift is not None:
            state, value = self.interior_drift.state, self.interior_drift.value
            claim["interior_drift"] = {"state": list(state), "value": interval(*value)}
        if self.diagonal_drift is not None:
            claim["diagonal_drift"] = interval(*self.diagonal_drift)
        if self.origin_term is not None:
            claim["origin_term"] = exact(self.origin_term)
        return Certificate("softmax-obstruction", claim, {"precision": self.bits})


def make(table: Table) -> Certificate:
    """The certificate of a problem of kind `softmax-obstruction`."""
    digits = table.integer("digits", 1, MAX_DIGITS, DIGITS)
    radius = table.integer("radius", 0, MOST_STATES)
    system = read_system(table)
    table.done()
    return certify_obstruction(system, radius, digits).certificate()


def words(claim: dict[str, Any]) -> str:
    """What a claim of this kind states, in one sentence."""
    positive, boundary = claim["positive_boundary_states"], claim["boundary_states"]
    gap, largest = (nearest(claim[name]["lo"]) for name in ("max_boundary_gap", "max_gap"))
    have = "has" if positive == 1 else "have"
    text = (
        f"Of the {boundary} boundary states with at most {claim['radius']} jobs {positive} {have} "
        "a positive boundary term; the generator exceeds the reflected equation up to about "
        f"{gap} there and up to about {largest} on the grid"
    )
    if "interior_drift" in claim:
        drift = nearest(claim["interior_drift"]["value"]["lo"])
        text += f"; LH comes near {drift} at infinitely many states with no empty queue"
    return text + "."


def certify_obstruction(system: System, radius: int, digits: int = DIGITS) -> Obstruction:
    """The audit of the potential on the grid of states with at most `radius` jobs.

    Raises InputError for more than 20 servers or 200,000 states and for energies that are too
    large to be written down, OutOfReach if the numbers are beyond every precision tried.
    """
    servers = len(system.service_rates)
    if servers > MOST_SERVERS:
        raise InputError("system.service_rates", f"have at most {MOST_SERVERS} entries", servers)
    if comb(servers + radius, servers) > MOST_STATES:
        raise InputError(
            "radius", f"leave at most {MOST_STATES} states of {servers} queues", radius
        )
    require_moderate_energies(system, radius + 2)
    highest = _highest(system)
    longest = max(radius, *highest) if highest else radius
    bits = int(3.33 * digits) + 64 + _lost_bits(system, longest)
    for attempt in range(TRIES):
        with precision(bits << attempt):
            found = _attempt(system, radius, highest, digits, bits << attempt)
        if found is not None:
            return found
    raise OutOfReach("the obstruction is not resolved at the last precision")


def _lost_bits(system: System, longest: int) -> int:
    """The bits that exponents and sums with queues of at most this length can lose."""
    with precision(64):
        H = Potential.of(system)
        largest = arb(1)
        for v, kappa in zip(H.slopes, H.shifts, strict=True):
            largest = largest.max(H.alpha * (v * (longest + 2) + abs(kappa)))
        scale = largest + sum(H.rates, H.arrival_rate) * (1 + H.arrival_rate)
        return 2 * ends(scale)[1].__ceil__().bit_length()


def _attempt(
    system: System, radius: int, highest: State | None, digits: int, bits: int
) -> Obstruction | None:
    """The audit at the current precision, or None if a digit stays open."""
    H = Potential.of(system)
    grid = [(state, H.at(state)) for state in _grid(len(system.service_rates), radius)]
    boundary = [(state, found) for state, found in grid if not min(state)]
    sums, coordinates = [], []
    for state, found in boundary:
        sums.append(_sign(found.boundary_term))
        signs = [
            _sign(slope) for queue, slope in zip(state, found.gradient, strict=True) if not queue
        ]
        coordinates.append(1 if 1 in signs else None if None in signs else -1)
    open_signs = sum(None in pair for pair in zip(sums, coordinates, strict=True))
    peaks = (
        _peak(boundary, lambda found: found.boundary_term, digits),
        _peak(boundary, lambda found: found.gap, digits),
        _peak(grid, lambda found: found.gap, digits),
    )
    rise = diagonal = None
    if highest and _sign(H.at(highest).drift) == 1:
        rise = _peak([(highest, H.at(highest))], lambda found: found.drift, digits)
    if _alike(system):
        diagonal = _rounded(H.diagonal_drift(), digits)
        if diagonal is None:
            return None
    if None in peaks:
        return None
    term, boundary_gap, gap = (peak for peak in peaks if peak is not None)
    return Obstruction(
        system,
        radius,
        len(grid),
        len(boundary),
        sums.count(1),
        coordinates.count(1),
        open_signs,
        term,
        boundary_gap,
        gap,
        rise,
        diagonal,
        _origin_term(system),
        bits + 32,
    )


def _grid(servers: int, radius: int) -> Iterator[State]:
    """Every state with at most `radius` jobs, in lexicographic order."""
    if servers == 0:
        yield ()
        return
    for queue in range(radius + 1):
        for rest in _grid(servers - 1, radius - queue):
            yield (queue, *rest)


def _sign(value: arb | None) -> int | None:
    """1 or -1 if the checker will certainly see the sign too, None otherwise."""
    if value is None or value.rel_accuracy_bits() < DECIDED:
        return None
    return 1 if value > 0 else -1


def _peak(
    states: list[tuple[State, AtState]], measure: Callable[[AtState], Any], digits: int
) -> Peak | None:
    """The largest value; among states that balls cannot tell apart, one with the fewest jobs."""
    values = [measure(found) for _, found in states]
    best = max(values, key=lambda value: value.mid())
    near = [
        (sum(state), state, value)
        for (state, _), value in zip(states, values, strict=True)
        if not value < best
    ]
    _, state, value = min(near, key=lambda each: each[:2])
    for _, _, other in near:
        value = value.union(other)
    rounded = _rounded(value, digits)
    return None if rounded is None else Peak(state, rounded)


def _rounded(value: arb, digits: int) -> Enclosure | None:
    """The ball rounded outward; around 0 to `digits` decimal places; None if it is too wide."""
    if value.contains(0):
        end = Fraction(1, 10**digits)
        return (-end, end) if abs(value) < ball(end / 2) else None
    low, high = outward(value, digits)
    return (low, high) if high - low <= 4 * unit(max(high, -low), digits) else None


def _alike(system: System) -> bool:
    """Whether all servers are the same."""
    weights = system.weights if isinstance(system, WeightedShortestQueue) else ()
    return len(set(system.service_rates)) == 1 and len(set(weights)) <= 1


def _origin_term(system: System) -> Fraction | None:
    """The sum of lambda p_i dH/dq_i at the origin, for alike servers with a plainly rational v."""
    if not _alike(system):
        return None
    rate, servers = system.service_rates[0], len(system.service_rates)
    if isinstance(system, WeightedShortestQueue):
        slope = 2 * system.weights[0]
    elif isinstance(system, ReflectedUAS) and (
        rate == 1 or (system.beta.denominator == 1 and system.beta <= LARGEST_POWER)
    ):
        slope = Fraction(1) if rate == 1 else rate ** -int(system.beta)
    else:
        return None
    return system.arrival_rate * (rate - system.arrival_rate / servers) * slope


def _highest(system: System) -> State | None:
    """A state without an empty queue at which H rises as much as a local search can find.

    The search climbs from states near v_i Q_i = t for many levels t, and is deterministic; of
    states that differ by nothing noticeable the one with the fewest jobs is taken.
    """
    with precision(64):
        H = Potential.of(system)
        found = [_climb(H, start) for start in _starts(H)]
        if not found:
            return None
        top = max((value for _, value in found), key=lambda value: value.mid())
        near = [state for state, value in found if not value < top - ball(NOTICED)]
    return min(near, key=lambda state: (sum(state), state))


def _starts(H: Potential) -> list[State]:
    """States near the rays v_i Q_i = t, without repetition, from the fewest jobs on."""
    steepest, flattest = H.slopes[0], H.slopes[0]
    for v in H.slopes:
        steepest, flattest = steepest.max(v), flattest.min(v)
    half, states = Fraction(1, 2), set()
    for step in range(4, RAYS + 4):
        level = steepest * step / 4
        if not (level < LONGEST * flattest and 2 * H.alpha * level < MOST_ENERGY):
            break
        queues = (max(1, (ends(level / v)[0] + half).__floor__()) for v in H.slopes)
        states.add(tuple(queues))
    return sorted(states, key=lambda state: (sum(state), state))


def _climb(H: Potential, state: State) -> tuple[State, arb]:
    """Steps of one job in one queue, the best first, as long as the drift grows noticeably."""
    value = H.at(state).drift
    for _ in range(MOST_STEPS):
        neighbours = [
            (*state[:server], queue, *state[server + 1 :])
            for server in range(len(state))
            for queue in (state[server] - 1, state[server] + 1)
            if queue
        ]
        drifts = [H.at(each).drift for each in neighbours]
        top = max(range(len(drifts)), key=lambda index: drifts[index].mid())
        if not drifts[top] > value + ball(NOTICED):
            break
        state, value = neighbours[top], drifts[top]
    return state, value
