"""Whether a `rank-difference` claim is true: the original chain solved on a much larger box.

Sparse elimination in floating point for the original dynamics, so None when the answer is within
10^-9 of a claimed end; traffic equations at high precision for the system with pauses.
"""

from collections import defaultdict
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement
from typing import Any

import mpmath
import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.linalg import spsolve

from tests.mutation.truth.rank_gaps import holds, traffic

NEAR = 1e-9
TOPS = {1: 400, 2: 70, 3: 24}
QUANTITIES = ("shortest-queue", "mean-queue", "no-idle")


def truth(claim: dict[str, Any]) -> bool | None:
    """True or False; None near an end or for more servers than are solved here."""
    try:
        return _truth(claim)
    except (KeyError, TypeError, ValueError, ZeroDivisionError, IndexError):
        return False


def _truth(claim: dict[str, Any]) -> bool | None:
    fields = {"servers", "a", "b", "quantity", "original", "paused", "difference"}
    if set(claim) != fields or claim["quantity"] not in QUANTITIES:
        return False
    n, a, b = claim["servers"], Fraction(claim["a"]), Fraction(claim["b"])
    if type(n) is not int or n < 1 or not 0 < b < a or a * a >= n**3:
        return False
    if n not in TOPS:
        return None
    with mpmath.workdps(60):
        paused = _paused(n, a, b, claim["quantity"])
        if not holds(claim["paused"], paused) or "lo" not in claim["paused"]:
            return False
    original = _mean(n, a, b, claim["quantity"])
    if original is None:
        return None
    answers = [
        _inside(original, claim["original"]),
        _inside(original - float(paused), claim["difference"]),
    ]
    if False in answers:
        return False
    return None if None in answers else True


def _inside(value: float, interval: dict[str, str]) -> bool | None:
    if set(interval) != {"lo", "hi"}:
        return False
    low, high = (Fraction(interval[end]) for end in ("lo", "hi"))
    if low > high or value < low - Fraction(NEAR) or value > high + Fraction(NEAR):
        return False
    return True if low + Fraction(NEAR) <= value <= high - Fraction(NEAR) else None


def _paused(n: int, a: Fraction, b: Fraction, quantity: str) -> Any:
    with mpmath.workdps(60):
        root = mpmath.sqrt(n)
        first, second = (mpmath.mpf(each.numerator) / each.denominator for each in (a, b))
        arrival = [n - first / root + (second * root if k == 0 else 0) for k in range(n)]
        rho = traffic(arrival, [mpmath.mpf(n)] * n)
        gaps = [each / (1 - each) for each in rho]
        return {
            "shortest-queue": gaps[0],
            "mean-queue": mpmath.fsum((n - k) * gap for k, gap in enumerate(gaps)) / n,
            "no-idle": rho[0],
        }[quantity]


@lru_cache(maxsize=64)
def _mean(n: int, a: Fraction, b: Fraction, quantity: str) -> float | None:
    """The stationary mean on queues up to TOPS[n]; None if too much mass lies at the edge."""
    top, root = TOPS[n], float(n) ** 0.5
    uniform, stream = n - float(a) / root, float(b) * root
    states = list(combinations_with_replacement(range(top + 1), n))
    index = {state: i for i, state in enumerate(states)}
    rates: dict[tuple[int, int], float] = defaultdict(float)
    for state, i in index.items():
        for queue in set(state):
            first = state.index(queue)
            last = first + state.count(queue) - 1
            size = last - first + 1
            up = uniform * size + (stream if first == 0 else 0)
            if queue < top:
                rates[i, index[(*state[:last], queue + 1, *state[last + 1 :])]] += up
            if queue:
                rates[i, index[(*state[:first], queue - 1, *state[first + 1 :])]] += n * size
    size = len(states)
    rows = [j for _, j in rates] + [i for i, _ in rates]
    columns = [i for i, _ in rates] * 2
    values = [*rates.values(), *(-rate for rate in rates.values())]
    keep = [k for k, row in enumerate(rows) if row]
    entries = [values[k] for k in keep] + [1.0] * size
    places = (
        [rows[k] for k in keep] + [0] * size,
        [columns[k] for k in keep] + list(range(size)),
    )
    matrix = coo_matrix((entries, places), shape=(size, size)).tocsc()
    right = np.zeros(size)
    right[0] = 1.0
    law = spsolve(matrix, right)
    if sum(law[index[state]] for state in states if state[-1] == top) * top > NEAR / 100:
        return None
    goal = {
        "shortest-queue": lambda state: state[0],
        "mean-queue": lambda state: sum(state) / n,
        "no-idle": lambda state: float(state[0] > 0),
    }[quantity]
    return float(sum(law[i] * goal(state) for state, i in index.items()))
