"""Whether a `rank-gaps` claim is true: traffic equations solved as a linear system in mpmath.

The system with pauses: throughput balance at every node of the network (not at every rank), solved
by elimination; the original dynamics: the drift identity evaluated on states, and its consequences.
"""

from fractions import Fraction
from math import isqrt
from typing import Any

import mpmath

DIGITS = 900
SAME = mpmath.mpf(10) ** -700
LISTS = ("rho", "mean_gaps", "gap_variances", "mean_ranked_queues")
NUMBERS = ("mean_total_queue", "no_idle", "no_tie", "throughput", "paused_fraction")


def truth(claim: dict[str, Any]) -> bool | None:
    """True or False; None where the claim is about more servers than are solved here."""
    try:
        with mpmath.workdps(DIGITS):
            if claim["dynamics"] == "original":
                return _original(claim)
            return _paused(claim)
    except (KeyError, TypeError, ValueError, ZeroDivisionError, IndexError):
        return False  # not a claim of this form


def real(value: Any) -> Any:
    """A claimed exact number or problem datum."""
    if isinstance(value, dict):
        if (
            set(value) != {"root", "rational", "coefficient"}
            or isqrt(value["root"]) ** 2 == value["root"]
        ):
            raise ValueError("not a number")
        return real(value["rational"]) + real(value["coefficient"]) * mpmath.sqrt(value["root"])
    if not isinstance(value, str):
        raise TypeError("not a number")
    number = Fraction(value)
    return mpmath.mpf(number.numerator) / number.denominator


def holds(claimed: Any, value: Any) -> bool:
    """Whether a claimed number or interval is right."""
    if isinstance(claimed, dict) and "lo" in claimed:
        if set(claimed) != {"lo", "hi"}:
            raise ValueError("not an interval")
        return bool(real(claimed["lo"]) <= value <= real(claimed["hi"]))
    return bool(abs(real(claimed) - value) <= SAME * (1 + abs(value)))


def marginal(claim: dict[str, Any]) -> tuple[int, Any, Any] | None:
    """(n, a, b) if the hypotheses of both dynamics hold."""
    n, a, b = claim["servers"], Fraction(claim["a"]), Fraction(claim["b"])
    if type(n) is not int or not 1 <= n <= 10**7 or a <= 0 or b <= 0 or a * a >= n**3:
        return None
    return n, real(claim["a"]), real(claim["b"])


def _paused(claim: dict[str, Any]) -> bool | None:
    by_rates = "arrival_rates" in claim
    problem = {"arrival_rates", "service_rates"} if by_rates else {"a", "b", "stability_threshold"}
    if set(claim) != {"dynamics", "servers", "gaps", *problem, *LISTS, *NUMBERS}:
        return False
    if claim["dynamics"] != "paused":
        return False
    n = claim["servers"]
    if by_rates:
        arrival, service = (
            [real(each) for each in claim[f"{s}_rates"]] for s in ("arrival", "service")
        )
        if not len(arrival) == len(service) == n or min([*arrival, *service]) <= 0:
            return False
    else:
        data = marginal(claim)
        if data is None:
            return False
        n, a, b = data
        if n > 40:
            return None
        root = mpmath.sqrt(n)
        arrival = [n - a / root + (b * root if k == 0 else 0) for k in range(n)]
        service = [mpmath.mpf(n)] * n
    gaps = claim["gaps"]
    if (
        gaps != sorted(set(gaps))
        or not gaps
        or not all(type(k) is int and 0 <= k < n for k in gaps)
    ):
        return False
    if any(len(claim[name]) != len(gaps) for name in LISTS):
        return False
    rho = traffic(arrival, service)
    if max(rho) >= 1:
        return False
    means = [each / (1 - each) for each in rho]
    ranked = [mpmath.fsum(means[: k + 1]) for k in range(n)]
    served = mpmath.fsum(mu * each for mu, each in zip(service, rho, strict=True))
    values = {
        "mean_total_queue": mpmath.fsum(ranked),
        "no_idle": rho[0],
        "no_tie": mpmath.fprod(rho[1:]),
        "throughput": served,
        "paused_fraction": 1 - served / mpmath.fsum(arrival),
    }
    if not by_rates:
        # rho_0 is proportional to the lowest rate, and that is linear in b
        needed = arrival[0] / rho[0]
        values["stability_threshold"] = (needed - arrival[0]) / mpmath.sqrt(n) + b
    lists = {
        "rho": rho,
        "mean_gaps": means,
        "gap_variances": [each / (1 - each) ** 2 for each in rho],
        "mean_ranked_queues": ranked,
    }
    return all(holds(claim[name], value) for name, value in values.items()) and all(
        holds(claimed, lists[name][k])
        for name in LISTS
        for k, claimed in zip(gaps, claim[name], strict=True)
    )


def traffic(arrival: list[Any], service: list[Any]) -> list[Any]:
    """Utilisations of the nodes: inflow = outflow at each, as a linear system."""
    n = len(arrival)
    matrix, right = mpmath.zeros(n, n), mpmath.zeros(n, 1)
    for k in range(n):
        matrix[k, k] = service[k] + (arrival[k - 1] if k else 0)
        if k:
            matrix[k, k - 1] = -service[k - 1]
        if k < n - 1:
            matrix[k, k + 1] = -arrival[k]
    right[n - 1] = arrival[n - 1]
    # the node above hands a customer down at the arrival rate of the rank between the two
    return list(mpmath.lu_solve(matrix, right))


def _original(claim: dict[str, Any]) -> bool | None:
    fields = "dynamics servers a b idle_servers throughput identity drift shortest_queue mean_queue"
    data = marginal(claim)
    if data is None or set(claim) != set(fields.split()):
        return False
    n, a, b = data
    if b >= a:
        return False
    root = mpmath.sqrt(n)
    offered = n * (n - a / root) + b * root
    idle = n - offered / n  # busy servers serve what arrives
    if not (holds(claim["idle_servers"], idle) and holds(claim["throughput"], offered)):
        return False
    identity, drift = claim["identity"], claim["drift"]
    if set(identity) != {"constant", "slope"} or set(drift) != {"constant", "slope"}:
        return False
    # 0 = E L sum q^2: every queue q contributes uniform (2q + 1) + busy n (1 - 2q)
    uniform = n - a / root
    loss = 2 * (n - uniform)  # coefficient of each q
    constant = (n * uniform + b * root + offered) / (loss * n)
    if not (
        holds(identity["constant"], constant)
        and holds(identity["slope"], 2 * b * root / (loss * n))
    ):
        return False
    slope, bound = real(drift["slope"]), real(drift["constant"])
    if slope > 2 * (a - b) / root + SAME * n:
        return False  # L V + slope sum q is unbounded along equal queues
    if abs(slope - 2 * (a - b) / root) > SAME * n:
        return None  # a weaker statement
    levels = [level * (2 * b * root - loss * n + slope * n) for level in (1, 2, 10)]
    largest = max(offered + n * n + each for each in levels)  # all queues equal and positive
    if bound < largest - SAME * n**3:
        return False
    if set(claim["shortest_queue"]) != {"at_least"}:
        return False
    if set(claim["mean_queue"]) != {"at_least", "at_most"}:
        return False
    least = real(claim["shortest_queue"]["at_least"])
    low, high = (real(claim["mean_queue"][name]) for name in ("at_least", "at_most"))
    floor = mpmath.exp(n * mpmath.log(1 - a / (n * root)))
    proved = floor / (1 - floor)
    ceiling = n * root / (a - b) - 1
    slack = SAME * (1 + abs(proved) * n * n)
    if least > proved + slack or low > constant + b / a * proved + slack or high < ceiling - slack:
        return None if least <= ceiling and low <= high else False
    return True
