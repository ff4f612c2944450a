"""Whether a `rank-limits` claim is true: sums over gaps and integrals of tails in mpmath."""

from typing import Any

import mpmath

from tests.mutation.truth.rank_gaps import SAME, holds, marginal, real

FIELDS = (
    "dynamics servers a b gaps limit_rates decay_rates distances limit_bounds profile mean_queue "
    "imbalance"
)
MAX_SERVERS = 400


def truth(claim: dict[str, Any]) -> bool | None:
    """True or False; None for more servers than are summed here."""
    try:
        with mpmath.workdps(900):
            return _truth(claim)
    except (KeyError, TypeError, ValueError, ZeroDivisionError, IndexError):
        return False


def _truth(claim: dict[str, Any]) -> bool | None:
    data = marginal(claim)
    if set(claim) != set(FIELDS.split()) or claim["dynamics"] != "paused" or data is None:
        return False
    n, a, b = data
    if n < 2 or b >= a:
        return False
    if n > MAX_SERVERS:
        return None
    gaps, ranks = claim["gaps"], [row["rank"] for row in claim["profile"]]
    for indices, low, high in ((gaps, 0, n - 1), (ranks, 1, n - 1)):
        if not indices or indices != sorted(set(indices)):
            return False
        if not all(type(k) is int and low <= k <= high for k in indices):
            return False
    root = mpmath.sqrt(n)
    theta = 1 - a / (n * root)
    rho = [theta + b / root, *[theta] * (n - 1)]
    for k in reversed(range(n - 1)):  # cumulative products from the top
        rho[k] *= rho[k + 1]
    mean = [each / (1 - each) for each in rho]
    for name in ("limit_rates", "decay_rates", "distances", "limit_bounds"):
        if len(claim[name]) != len(gaps):
            return False
    for i, k in enumerate(gaps):
        rate = a * (n - k) / n if k else a - b
        if isinstance(claim["limit_rates"][i], dict) or isinstance(claim["limit_bounds"][i], dict):
            return False
        if abs(real(claim["limit_rates"][i]) - rate) > SAME:
            return False
        if not holds(claim["decay_rates"][i], root * mpmath.log(1 / rho[k])):
            return False
        distance = _wasserstein(rho[k], rate, root)
        if not holds(claim["distances"][i], distance):
            return False
        more = mpmath.mpf(k) / (a * (n - k))
        if real(claim["limit_bounds"][i]) < distance + more:
            return False
    for row in claim["profile"]:
        if set(row) != {"rank", "mean", "limit", "variance"}:
            return False
        below = range(row["rank"])
        values = {
            "mean": mpmath.fsum(mean[k] for k in below) / n / root,
            "limit": mpmath.log(mpmath.mpf(n) / (n - row["rank"])) / a,
            "variance": mpmath.fsum(rho[k] / (1 - rho[k]) ** 2 for k in below) / n**3,
        }
        if not all(holds(row[name], value) for name, value in values.items()):
            return False
    average = mpmath.fsum((n - k) * mean[k] for k in range(n)) / n
    expansion = n * root / a - mpmath.mpf(n) / 4 - mpmath.mpf(3) / 4 - (b / (a - b)) ** 2 / 2
    expansion += root * (1 / (a - b) - 1 / a + a / 36)
    top = mpmath.fsum(mean[1:])
    harmonic = mpmath.fsum(mpmath.mpf(1) / m for m in range(1, n))
    first = -harmonic / mpmath.log(theta) - mpmath.mpf(n - 1) / 2
    for name, values in (
        ("mean_queue", (average, expansion, root * (average - expansion))),
        ("imbalance", (top, first, top - first)),
    ):
        if set(claim[name]) != {"value", "expansion", "remainder"}:
            return False
        for field, value in zip(("value", "expansion", "remainder"), values, strict=True):
            if not holds(claim[name][field], value):
                return False
    return "lo" not in claim["mean_queue"]["expansion"]


def _wasserstein(rho: Any, rate: Any, root: Any) -> Any:
    """The integral of the gap between the tails, cell by cell in closed geometric sums.

    The exponential's tail lies above where exp(-rate (m+1)/root) >= rho^(m+1) for every m, that is
    where exp(-rate/root) >= rho; else the claim's limit law is not the right one.
    """
    step = mpmath.exp(-rate / root)
    if step < rho:
        raise ValueError("not ordered")
    exponential = (1 - step) / rate / (1 - step)  # sum over cells of step^m (1 - step)/rate
    geometric = rho / root / (1 - rho)  # sum over cells of rho^(m+1)/root
    return exponential - geometric
