"""Whether a `sarsa-chattering` claim is true: laws by state reduction, fits by Cramer's rule."""

import json
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any

from tests.mutation.truth.sarsa_mean_field import MOST, determinant, jumps_of, number


def truth(claim: dict[str, Any]) -> bool | None:
    """True or False; None for systems that are too large to be reduced here."""
    try:
        return _truth(claim)
    except (KeyError, TypeError, ValueError, ZeroDivisionError, IndexError):
        return False


def _truth(claim: dict[str, Any]) -> bool | None:
    system = claim["system"]
    if set(claim) != {"system", "discount", "cycle"}:
        return False
    if set(system) != {"arrival_rate", "service_rates", "capacity"}:
        return False
    discount, cycle = number(claim["discount"]), claim["cycle"]
    vectors = [[number(text) for text in vector] for vector in cycle]
    size = len(system["service_rates"])
    data = [number(system["arrival_rate"]), *(number(text) for text in system["service_rates"])]
    if min(data) <= 0 or not 0 < discount < 1 or type(system["capacity"]) is not int:
        return False
    if system["capacity"] < 1 or len(vectors) < 2 or any(len(each) != size for each in vectors):
        return False
    if min(min(each) for each in vectors) <= 0 or len(set(map(tuple, vectors))) < len(vectors):
        return False
    if (system["capacity"] + 1) ** size > MOST:
        return None
    for k, vector in enumerate(cycle):
        text = json.dumps(system | {"weights": vector}, sort_keys=True)
        if fit(text, discount) != vectors[(k + 1) % len(vectors)]:
            return False
    return True


@lru_cache(maxsize=256)
def fit(text: str, discount: Fraction) -> list[Fraction] | None:
    """The only solution of A u + b = 0; None if there is none or more than one."""
    system = json.loads(text)
    arrival = number(system["arrival_rate"])
    rates = [number(each) for each in system["service_rates"]]
    size = len(rates)
    matrix = [[Fraction(0)] * size for _ in range(size)]
    costs = [Fraction(0)] * size
    for x, now, later, chance in jumps_of(text):
        leaving = arrival + sum(mu for mu, q in zip(rates, x, strict=True) if q)
        for i in range(size):
            costs[i] += chance * now[i] * sum(x) / leaving
        for i, j in product(range(size), repeat=2):
            matrix[i][j] += chance * now[i] * (discount * later[j] - now[j])
    whole = determinant(matrix)
    if whole == 0:
        return None
    swapped = (
        [[-costs[i] if j == k else matrix[i][j] for j in range(size)] for i in range(size)]
        for k in range(size)
    )
    return [determinant(each) / whole for each in swapped]
