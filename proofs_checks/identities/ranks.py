"""Identities of rank-based routing: Jackson network of gaps, original dynamics, Atlas process.

A product over ranks above k is one free symbol `above`, whatever the number of servers; a local
term touches a rank and its neighbours only, everything else enters as `rest`.
"""

import sympy

from proofs_checks.identities.language import (
    Derivation,
    Identity,
    Miss,
    Reading,
    Setting,
    Term,
    algebra,
    number,
    symbols,
)

PAPER = "arXiv 2605.17677"
HALF = number("1/2")

lam, mu, lam_next, mu_next, above, weight = symbols("lam mu lam-next mu-next above weight")
rho_k, rho_before, rho_next = symbols("rho-k rho-before rho-next")

PRODUCT = algebra(
    "lam mu lam-next mu-next above weight",
    {rho_next: above, rho_k: lam_next / mu_next * above, rho_before: lam / mu * rho_k},
)
# the slip: the product begins at j = k instead of j = k + 1
SHIFTED = algebra(
    "lam mu lam-next mu-next lam-before mu-before above weight",
    {
        rho_next: lam_next / mu_next * above,
        rho_k: lam / mu * rho_next,
        rho_before: Term("lam-before") / Term("mu-before") * rho_k,
    },
)

GAPS: tuple[Identity, ...] = (
    Identity(
        "rank-gaps.cut",
        "the cut between two gaps: lam_k rho_k = mu_k rho_(k-1)",
        f"{PAPER}, the open Jackson network; derived here",
        PRODUCT,
        lam * rho_k,
        mu * rho_before,
        (
            Miss("the product from j = k instead of k + 1", setting=SHIFTED),
            Miss("the rates exchanged", lam * rho_before, mu * rho_k),
            Miss("the next rank's service", mu_next * rho_before),
        ),
    ),
    Identity(
        "rank-gaps.reversible",
        "detailed balance of a customer moving from gap k to gap k - 1",
        f"{PAPER}, the open Jackson network; derived here",
        PRODUCT,
        weight * rho_k * lam,
        weight * rho_before * mu,
        (
            Miss("the product from j = k instead of k + 1", setting=SHIFTED),
            Miss("no customer moves", weight * rho_k * mu),
            Miss("the wrong gap", weight * rho_next * mu),
        ),
    ),
    Identity(
        "rank-gaps.traffic",
        "the traffic equation: what enters gap k leaves it",
        f"{PAPER}, the open Jackson network; derived here",
        PRODUCT,
        lam_next * rho_next + mu * rho_before,
        (lam + mu_next) * rho_k,
        (
            Miss("the product from j = k instead of k + 1", setting=SHIFTED),
            Miss("services of the same rank", (lam + mu) * rho_k),
            Miss("the inflow from below dropped", left=lam_next * rho_next),
        ),
    ),
)

root_n, a, b, q, shortest = symbols("root-n a b q shortest")
RATES = algebra("root-n a b q shortest", {Term("arrivals"): root_n**4 - (a - b) * root_n})
arrivals = Term("arrivals")
n = root_n**2
uniform = n - a / root_n

GAPS += (
    Identity(
        "rank-gaps.bottom-load",
        "the lowest rank's ratio of arrivals to service is 1 + u - v",
        f"{PAPER}, rates of the marginal policy",
        RATES,
        (uniform + b * root_n) / n,
        1 + b / root_n - a / root_n**3,
        (
            Miss("the sign of u", 1 - b / root_n - a / root_n**3),
            Miss("v of the wrong order", 1 + b / root_n - a / root_n),
            Miss("u forgotten", 1 - a / root_n**3),
        ),
    ),
)

ORIGINAL = (
    Identity(
        "rank-original.busy",
        "a busy server's part of L of the sum of squares, uniform stream and service",
        "the original dynamics; derived here",
        RATES,
        uniform * ((q + 1) ** 2 - q**2) + n * ((q - 1) ** 2 - q**2),
        -(2 * a / root_n * q) + 2 * n - a / root_n,
        (
            Miss("the service jump dropped", -(2 * a / root_n * q) + n - a / root_n),
            Miss("the sign of the drift", 2 * a / root_n * q + 2 * n - a / root_n),
            Miss("the factor two dropped", -(a / root_n * q) + 2 * n - a / root_n),
        ),
    ),
    Identity(
        "rank-original.idle",
        "an idle server's part: the uniform stream alone (at q = 0)",
        "the original dynamics; derived here",
        RATES,
        uniform * ((q + 1) ** 2 - q**2),
        uniform * (2 * q + 1),
        (
            Miss(
                "service at an empty queue",
                -(2 * a / root_n * q) + 2 * n - a / root_n,
            ),
            Miss("the one dropped", uniform * (2 * q)),
            Miss("the whole rate n", n * (2 * q + 1)),
        ),
    ),
    Identity(
        "rank-original.shortest",
        "the part of the stream that joins the shortest queue",
        "the original dynamics; derived here",
        RATES,
        b * root_n * ((shortest + 1) ** 2 - shortest**2),
        2 * b * root_n * shortest + b * root_n,
        (
            Miss("the jump dropped", 2 * b * root_n * shortest),
            Miss("a for b", 2 * a * root_n * shortest + a * root_n),
            Miss("the factor two dropped", b * root_n * shortest + b * root_n),
        ),
    ),
    Identity(
        "rank-original.mean-queue",
        "E Qbar = n^(3/2)/a - (a - b)/a + (b/a) E Q_(1), solved from the balance of squares",
        "the original dynamics; derived here",
        RATES,
        (2 * b * root_n * shortest + 2 * arrivals) / (2 * a / root_n * n),
        root_n**3 / a - (a - b) / a + b / a * shortest,
        (
            Miss("b/(a - b) for b/a", root_n**3 / a - (a - b) / a + b / (a - b) * shortest),
            Miss("the sign of the correction", root_n**3 / a + (a - b) / a + b / a * shortest),
            Miss("the order of the leading term", root_n**2 / a - (a - b) / a + b / a * shortest),
        ),
    ),
    Identity(
        "rank-original.idle-servers",
        "the mean number of idle servers is (a - b)/sqrt n",
        "flow balance; derived here",
        RATES,
        n - arrivals / n,
        (a - b) / root_n,
        (
            Miss("a alone", a / root_n),
            Miss("the sign", (b - a) / root_n),
            Miss("the order", (a - b) / n),
        ),
    ),
)

t_outer, t_before, t_own, t_after, t_beyond, rest, wall = symbols(
    "t-outer t-before t-own t-after t-beyond rest wall"
)
relation = Term("relation")
d_own = Derivation("d-own")


def _transforms() -> Reading:
    names = ("t-outer", "t-before", "t-own", "t-after", "t-beyond", "rest", "a", "b")
    values = {name: sympy.Symbol(name) for name in names}
    return Reading(values, {"d-own": lambda e: sympy.diff(e, values["t-own"])})


def _push(rate: Term, before: Term, own: Term, after: Term) -> Term:
    """The boundary term of an inner gap: l = 2 rate and D f = before/2 - own + after/2."""
    return 2 * (rate + own) * (before / 2 - own + after / 2)


def _adjoint(terms: Term, own_wall: Term) -> Setting:
    return Setting(
        "t-outer t-before t-own t-after t-beyond rest a b",
        _transforms,
        {wall: own_wall, relation: terms + rest},
        {d_own: {t_own: number(1)}},
    )


def _wall_terms(drift: Term) -> Term:
    """All terms that contain t_0: the gap to the wall, and the push of gap 1."""
    return (
        t_own**2
        - 2 * t_own * t_after
        - drift * t_own
        + (wall + t_own) * (t_after - t_own)
        + _push(a, t_own, t_after, t_beyond)
    )


def _second_terms(drift: Term) -> Term:
    """All terms that contain t_1: the push of the wall and of gaps 1 and 2."""
    return (
        2 * t_own**2
        - 2 * t_before * t_own
        - 2 * t_own * t_after
        + drift * t_own
        + (wall + t_before) * (t_own - t_before)
        + _push(a, t_before, t_own, t_after)
        + _push(a, t_own, t_after, t_beyond)
    )


def _inner_terms(own: Term, after: Term) -> Term:
    """All terms that contain t_k, k >= 2, with the rates of gaps k and k + 1."""
    return (
        2 * t_own**2
        - 2 * t_before * t_own
        - 2 * t_own * t_after
        + _push(a, t_outer, t_before, t_own)
        + _push(own, t_before, t_own, t_after)
        + _push(after, t_own, t_after, t_beyond)
    )


RATE_A = "the wall's rate a instead of a - b"
RATE_SUM = "the wall's rate a + b instead of a - b"
above_drift, d_upper, d_lower, variance = symbols("above-drift d-upper d-lower variance")
alpha_after, alpha_own, alpha_before = symbols("alpha-after alpha-own alpha-before")
FINITE = algebra(
    "above-drift d-upper d-lower variance",
    {
        alpha_after: -(2 / variance) * above_drift,
        alpha_own: -(2 / variance) * (above_drift + d_upper),
        alpha_before: -(2 / variance) * (above_drift + d_upper + d_lower),
    },
)

ATLAS = (
    Identity(
        "reflected-atlas.wall",
        "the adjoint relation does not depend on t_0",
        f"{PAPER}, stationary gaps of the reflected Atlas process; derived here",
        _adjoint(_wall_terms(b), a - b),
        d_own(relation),
        number(0),
        (
            Miss(RATE_A, setting=_adjoint(_wall_terms(b), a)),
            Miss(RATE_SUM, setting=_adjoint(_wall_terms(b), a + b)),
            Miss("the drift the other way", setting=_adjoint(_wall_terms(-b), a - b)),
        ),
    ),
    Identity(
        "reflected-atlas.second",
        "the adjoint relation does not depend on t_1",
        f"{PAPER}, stationary gaps of the reflected Atlas process; derived here",
        _adjoint(_second_terms(b), a - b),
        d_own(relation),
        number(0),
        (
            Miss(RATE_A, setting=_adjoint(_second_terms(b), a)),
            Miss(RATE_SUM, setting=_adjoint(_second_terms(b), a + b)),
            Miss("the drift the other way", setting=_adjoint(_second_terms(-b), a - b)),
        ),
    ),
    Identity(
        "reflected-atlas.inner",
        "the adjoint relation does not depend on t_k for any k >= 2",
        f"{PAPER}, stationary gaps of the reflected Atlas process; derived here",
        _adjoint(_inner_terms(a, a), a - b),
        d_own(relation),
        number(0),
        (
            Miss("the own rate a + b", setting=_adjoint(_inner_terms(a + b, a), a - b)),
            Miss("the next rate a + b", setting=_adjoint(_inner_terms(a, a + b), a - b)),
            Miss("the own rate doubled", setting=_adjoint(_inner_terms(2 * a, a), a - b)),
        ),
    ),
    Identity(
        "reflected-atlas.finite",
        "finitely many ranks with drifts d_j: the rates -(2/s^2) sum of d_j above k balance",
        "the skew-symmetric case of ranked diffusions; derived here",
        FINITE,
        variance * (alpha_before / 2 - alpha_own + alpha_after / 2),
        d_upper - d_lower,
        (
            Miss("the sign", d_lower - d_upper),
            Miss("the factor two of the rates", 2 * (d_upper - d_lower)),
            Miss("one drift only", d_upper),
        ),
    ),
    Identity(
        "reflected-atlas.finite-wall",
        "finitely many ranks: the wall's gap balances the lowest drift",
        "the skew-symmetric case of ranked diffusions; derived here",
        FINITE,
        variance / 2 * (alpha_after - alpha_own),
        d_upper,
        (
            Miss("the sign", -d_upper),
            Miss("the half dropped", left=variance * (alpha_after - alpha_own)),
            Miss("the gap of the next pair", left=variance / 2 * (alpha_own - alpha_before)),
        ),
    ),
)
