"""Whether a `rank-comparison` claim is true: every queue's law summed in mpmath."""

from fractions import Fraction
from typing import Any

import mpmath

from tests.mutation.truth.rank_gaps import holds, real

MAX_SERVERS = 400


def truth(claim: dict[str, Any]) -> bool | None:
    """True or False; None for more servers than are summed here."""
    try:
        with mpmath.workdps(900):
            return _truth(claim)
    except (KeyError, TypeError, ValueError, ZeroDivisionError, IndexError):
        return False


def _truth(claim: dict[str, Any]) -> bool | None:
    if set(claim) != set("servers slack b arrival_rate random full rows".split()):
        return False
    n, slack = claim["servers"], real(claim["slack"])
    streams = [Fraction(text) for text in claim["b"]]
    if type(n) is not int or not 1 <= n <= 10**7 or streams != sorted(set(streams)) or not streams:
        return False
    largest = streams[-1] + Fraction(claim["slack"])
    if slack <= 0 or streams[0] <= 0 or largest**2 >= n**3:
        return False
    if len(claim["rows"]) != len(streams):
        return False
    if n > MAX_SERVERS:
        return None
    root = mpmath.sqrt(n)
    offered = n * n - slack * root
    load = offered / n**2
    mean = load / (1 - load)
    facts = [
        (claim["arrival_rate"], offered),
        (claim["random"]["lookups"], mpmath.mpf(0)),
        (claim["random"]["mean_queue"], mean),
        (claim["random"]["shortest_queue"], load**n / (1 - load**n)),
        (claim["full"]["lookups"], n * offered),
    ]
    if set(claim["random"]) != {"lookups", "mean_queue", "shortest_queue"}:
        return False
    if set(claim["full"]) != {"lookups", "mean_queue"}:
        return False
    full = claim["full"]["mean_queue"]
    if set(full) != {"at_least", "at_most"}:
        return False
    facts += [(full["at_least"], mean / n), (full["at_most"], mean)]
    for text, row in zip(claim["b"], claim["rows"], strict=True):
        if set(row) != {"lookups", "original", "paused"}:
            return False
        if set(row["original"]) != {"at_least", "at_most"}:
            return False
        if set(row["paused"]) != {"mean_queue", "shortest_queue", "throughput"}:
            return False
        b = real(text)
        theta = 1 - (b + slack) / (n * root)
        rho = [theta + b / root, *[theta] * (n - 1)]
        for k in reversed(range(n - 1)):
            rho[k] *= rho[k + 1]
        gaps = [each / (1 - each) for each in rho]
        facts += [
            (row["lookups"], b * root * n),
            (row["original"]["at_most"], mean),
            (row["paused"]["mean_queue"], sum((n - k) * g for k, g in enumerate(gaps)) / n),
            (row["paused"]["shortest_queue"], gaps[0]),
            (row["paused"]["throughput"], n * sum(rho)),
        ]
        power = theta**n
        least = n * root / (b + slack) - slack / (b + slack)
        least += b / (b + slack) * power / (1 - power)
        if real(row["original"]["at_least"]) > mean:
            return False
        if real(row["original"]["at_least"]) > least:
            return None  # above the proved bound: not known here
    return all(holds(claimed, value) for claimed, value in facts)
