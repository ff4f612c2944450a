"""Whether a `sarsa-mean-field` claim is true: state reduction, pairs of states, principal minors.

The stationary law of the chain in continuous time (generator on the whole box) is found by the
Grassmann-Taksar-Heyman reduction in rationals and weighted by the jump rates; the means are sums
over all jumps; definiteness is decided by determinants.
"""

import json
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, product
from typing import Any

State = tuple[int, ...]
MOST = 64  # states of a box that are reduced
NAMES = {"arrival_rate", "service_rates", "weights", "capacity"}
ALWAYS = {"system", "discount", "matrix"}


def truth(claim: dict[str, Any]) -> bool | None:
    """True or False; None for systems that are too large to be reduced here."""
    try:
        return _truth(claim)
    except (KeyError, TypeError, ValueError, ZeroDivisionError, IndexError):
        return False


def _truth(claim: dict[str, Any]) -> bool | None:
    gated = "gate" in claim
    if set(claim) != ALWAYS | ({"gate", "direction", "value"} if gated else {"second_moments"}):
        return False
    discount = number(claim["discount"])
    system = claim["system"]
    if set(system) != NAMES or not 0 < discount < 1 or type(system["capacity"]) is not int:
        return False
    data = [number(system["arrival_rate"])]
    data += [number(text) for name in ("service_rates", "weights") for text in system[name]]
    size = len(system["weights"])
    if min(data) <= 0 or len(system["service_rates"]) != size or system["capacity"] < 1:
        return False
    if (system["capacity"] + 1) ** size > MOST:
        return None
    if gated and (type(claim["gate"]) is not int or claim["gate"] < 0):
        return False
    jumps = jumps_of(json.dumps(system, sort_keys=True))
    matrix = [[Fraction(0)] * size for _ in range(size)]
    moments = [[Fraction(0)] * size for _ in range(size)]
    for x, now, later, chance in jumps:
        if gated and sum(x) > claim["gate"]:
            continue
        for i, j in product(range(size), repeat=2):
            matrix[i][j] += chance * now[i] * (discount * later[j] - now[j])
            moments[i][j] += chance * now[i] * now[j]
    if [[number(text) for text in row] for row in claim["matrix"]] != matrix:
        return False
    if gated:
        z = [number(text) for text in claim["direction"]]
        if len(z) != size:
            return False
        form = sum(z[i] * z[j] * matrix[i][j] for i, j in product(range(size), repeat=2))
        return bool(number(claim["value"]) == form > 0)
    if [[number(text) for text in row] for row in claim["second_moments"]] != moments:
        return False
    half = [[-(matrix[i][j] + matrix[j][i]) / 2 for j in range(size)] for i in range(size)]
    rest = [[half[i][j] - (1 - discount) * moments[i][j] for j in range(size)] for i in range(size)]
    subsets = [s for k in range(1, size + 1) for s in combinations(range(size), k)]
    semidefinite = all(determinant([[rest[i][j] for j in s] for i in s]) >= 0 for s in subsets)
    leading = [[[half[i][j] for j in range(k)] for i in range(k)] for k in range(1, size + 1)]
    return semidefinite and all(determinant(block) > 0 for block in leading)


@lru_cache(maxsize=256)
def jumps_of(text: str) -> list[tuple[State, list[int], list[int], Fraction]]:
    """(state, features, features after, probability) of every jump in steady state."""
    system = json.loads(text)
    arrival = number(system["arrival_rate"])
    rates = [number(each) for each in system["service_rates"]]
    weights = [number(each) for each in system["weights"]]
    capacity, size = system["capacity"], len(rates)

    def action(x: State) -> int:
        return min(range(size), key=lambda n: (weights[n] * (2 * x[n] + 1), n))

    def moved(x: State, n: int, step: int) -> State:
        return tuple(q + step * (k == n) for k, q in enumerate(x))

    def features(x: State) -> list[int]:
        return [(q + (n == action(x))) ** 2 for n, q in enumerate(x)]

    events: dict[State, list[tuple[State, Fraction]]] = {}
    for x in product(range(capacity + 1), repeat=size):
        a = action(x)
        events[x] = [(moved(x, a, 1) if x[a] < capacity else x, arrival)]
        events[x] += [(moved(x, n, -1), mu) for n, mu in enumerate(rates) if x[n]]
    law = reduced(events)
    jumps = [(x, features(x), features(y), law[x] * rate) for x in events for y, rate in events[x]]
    total = sum((chance for *_, chance in jumps), Fraction(0))
    return [(x, now, later, chance / total) for x, now, later, chance in jumps if chance]


def reduced(events: dict[State, list[tuple[State, Fraction]]]) -> dict[State, Fraction]:
    """The stationary law by state reduction, the empty state last to go."""
    order = sorted(events, key=lambda x: (sum(x), x))
    rate: dict[State, dict[State, Fraction]] = {x: {} for x in order}
    for x, moves in events.items():
        for y, r in moves:
            if y != x:
                rate[x][y] = rate[x].get(y, Fraction(0)) + r
    entering: list[tuple[State, dict[State, Fraction]]] = []
    for position in range(len(order) - 1, 0, -1):
        x = order[position]
        out = rate.pop(x)
        leaving = sum(out.values(), Fraction(0))
        into = {y: rate[y].pop(x) / leaving for y in order[:position] if x in rate[y]}
        for y, share in into.items():
            for z, r in out.items():
                if z != y:
                    rate[y][z] = rate[y].get(z, Fraction(0)) + share * r
        entering.append((x, into))
    law = {order[0]: Fraction(1)}
    for x, into in reversed(entering):
        law[x] = sum((law[y] * share for y, share in into.items()), Fraction(0))
    whole = sum(law.values(), Fraction(0))
    return {x: p / whole for x, p in law.items()}


def determinant(matrix: list[list[Fraction]]) -> Fraction:
    """By expansion along the first row."""
    if len(matrix) == 1:
        return matrix[0][0]
    minors = (
        (-1) ** j * entry * determinant([row[:j] + row[j + 1 :] for row in matrix[1:]])
        for j, entry in enumerate(matrix[0])
    )
    return sum(minors, Fraction(0))


def number(text: Any) -> Fraction:
    if not isinstance(text, str):
        raise TypeError("not a number")
    return Fraction(text)
