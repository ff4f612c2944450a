"""Identities of the drift of weighted quadratics: one server's part, the others left free."""

import sympy

from proofs_checks.identities.language import (
    Derivation,
    Identity,
    Miss,
    Reading,
    Setting,
    algebra,
    number,
    symbols,
)

PAPER = "arXiv 2607.28688v1"
LEARNING = "arXiv 2404.09188"

lam, alpha, others = symbols("lambda alpha others")
mu, v, q, p, multiplier, eps, kappa, shift = symbols("mu v q p multiplier eps kappa shift")
c, log_p, objective, excess, t, e, s, r, n, k = symbols("c log-p objective excess t e s r n k")
w, x, share = symbols("w x share")
d_t, d_p = Derivation("d-t"), Derivation("d-p")

QUADRATIC = algebra("lambda mu v q p others multiplier")
rise_up = v * (q + 1) ** 2 / 2 - v * q**2 / 2
rise_down = v * (q - 1) ** 2 / 2 - v * q**2 / 2


def _excess_one() -> Reading:
    variable = sympy.Symbol("t", real=True)
    return Reading(
        {"t": variable, "e": sympy.exp(-variable), **{n: sympy.Symbol(n) for n in ("s", "r", "k")}},
        {"d-t": lambda f: sympy.diff(f, variable)},
    )


def _excess_equal() -> Reading:
    one = _excess_one()
    return Reading({**one.values, "n": sympy.Symbol("n", positive=True)}, one.derivations)


EXCESS = Setting(
    "t e s r k", _excess_one, {excess: (t * e + s) / (e + r)}, {d_t: {t: number(1), e: -e}}
)
EQUAL_EXCESS = Setting(
    "n t e", _excess_equal, {excess: n * t * e / (1 + n * e)}, {d_t: {t: number(1), e: -e}}
)


def _simplex() -> Reading:
    variable = sympy.Symbol("p", positive=True)
    free = {n: sympy.Symbol(n) for n in ("lambda", "alpha", "v", "kappa", "c")}
    return Reading(
        {**free, "p": variable, "log-p": sympy.log(variable)},
        {"d-p": lambda f: sympy.diff(f, variable)},
    )


SIMPLEX = Setting(
    "lambda alpha v kappa c p log-p",
    _simplex,
    {objective: (c - lam * p) * (log_p / alpha + kappa) + lam * v * p / 2},
    {d_p: {p: number(1), log_p: 1 / p}},
)
ELIMINATION = algebra(
    "lambda alpha mu v p log-p kappa shift eps",
    {q: (-log_p / alpha - kappa - shift) / v, c: mu - eps / v},
)

DRIFT = (
    Identity(
        "softmax-drift.increment-up",
        "the quadratic after an arrival",
        f"{PAPER}, Section 6.1",
        QUADRATIC,
        v * (q + 1) ** 2 / 2 + others - (v * q**2 / 2 + others),
        v * (q + number("1/2")),
        (
            Miss("the half dropped", v * q),
            Miss("the sign of the half", v * (q - number("1/2"))),
            Miss("one for the half", v * (q + 1)),
        ),
    ),
    Identity(
        "softmax-drift.increment-down",
        "the quadratic after a departure",
        f"{PAPER}, Section 6.1",
        QUADRATIC,
        v * (q - 1) ** 2 / 2 + others - (v * q**2 / 2 + others),
        -(v * (q - number("1/2"))),
        (
            Miss("the half dropped", -(v * q)),
            Miss("the sign of the half", -(v * (q + number("1/2")))),
            Miss("the sign", v * (q - number("1/2"))),
        ),
    ),
    Identity(
        "softmax-drift.generator-busy",
        "a busy server's part of LV",
        f"{PAPER}, Section 6.1",
        QUADRATIC,
        lam * p * rise_up + mu * rise_down,
        (lam * p - mu) * v * q + v * (lam * p + mu) / 2,
        (
            Miss("the jump sizes dropped", (lam * p - mu) * v * q),
            Miss("arrivals alone jump", (lam * p - mu) * v * q + v * (lam * p) / 2),
            Miss("the half dropped", (lam * p - mu) * v * q + v * (lam * p + mu)),
        ),
    ),
    Identity(
        "softmax-drift.generator-idle",
        "an idle server's part of LV: no service, so no service jump (at q = 0)",
        f"{PAPER}, Section 6.1",
        QUADRATIC,
        lam * p * rise_up,
        lam * p * v * q + v * (lam * p) / 2,
        (
            Miss(
                "the boundary indicator dropped: service jumps at an empty queue",
                lam * p * v * q + v * (lam * p + mu) / 2,
            ),
            Miss("the jump size dropped", lam * p * v * q),
            Miss("the half dropped", lam * p * v * q + v * (lam * p)),
        ),
    ),
    Identity(
        "softmax-drift.rate-conservation",
        "a busy server's part of L(V + y Q)",
        "multipliers of the rate conservation law; derived here",
        QUADRATIC,
        lam * p * (rise_up + multiplier) + mu * (rise_down - multiplier),
        (lam * p - mu) * v * q + lam * p * (v / 2 + multiplier) + mu * (v / 2 - multiplier),
        (
            Miss(
                "the multiplier on arrivals alone",
                (lam * p - mu) * v * q + lam * p * (v / 2 + multiplier) + mu * (v / 2),
            ),
            Miss(
                "the same sign for departures",
                (lam * p - mu) * v * q + lam * p * (v / 2 + multiplier) + mu * (v / 2 + multiplier),
            ),
            Miss(
                "a factor two",
                (lam * p - mu) * v * q + lam * p * (v + multiplier) + mu * (v - multiplier),
            ),
        ),
    ),
    Identity(
        "softmax-drift.stationary-excess",
        "the softmax excess is stationary in t only where t = 1 + excess, any number of servers",
        "the softmax lemma; derived here",
        EXCESS,
        d_t(excess),
        e * (1 - t + excess) / (e + r),
        (
            Miss("the one dropped", e * (excess - t) / (e + r)),
            Miss("the sign", e * (t - 1 - excess) / (e + r)),
            Miss("the normaliser squared", e * (1 - t + excess) / (e + r) ** 2),
        ),
    ),
    Identity(
        "softmax-drift.equal-excess",
        "the slope of the excess when all n other servers lie t above the minimum",
        "the softmax lemma (Lambert W); derived here",
        EQUAL_EXCESS,
        d_t(excess),
        n * e * (1 - t + n * e) / (1 + n * e) ** 2,
        (
            Miss("the count dropped", n * e * (1 - t + e) / (1 + n * e) ** 2),
            Miss("the one dropped", n * e * (n * e - t) / (1 + n * e) ** 2),
            Miss("the sign of t", n * e * (1 + t + n * e) / (1 + n * e) ** 2),
        ),
    ),
    Identity(
        "softmax-drift.excess-value",
        "at the stationary point the excess is t - 1",
        "the softmax lemma (Lambert W); derived here",
        EQUAL_EXCESS,
        excess - (t - 1),
        (1 - t + n * e) / (1 + n * e),
        (
            Miss("t itself", left=excess - t),
            Miss("the sign", (t - 1 - n * e) / (1 + n * e)),
            Miss("the count dropped", (1 - t + e) / (1 + n * e)),
        ),
    ),
    Identity(
        "softmax-drift.peak",
        "(t - k) exp(-t) has its one peak at t = 1 + k",
        "the softmax lemma, short proof; derived here",
        EXCESS,
        d_t((t - k) * e),
        (1 + k - t) * e,
        (
            Miss("the peak at k", (k - t) * e),
            Miss("the sign", (t - k - 1) * e),
            Miss("the sign of k", (1 - k - t) * e),
        ),
    ),
    Identity(
        "softmax-drift.elimination",
        "queues eliminated in favour of routing shares: one server's part of LV + eps |Q|",
        "the sharp constant R#; derived here",
        ELIMINATION,
        (lam * p - mu) * v * q + v * (lam * p + mu) / 2 + eps * q,
        (c - lam * p) * (log_p / alpha + kappa)
        + (c - lam * p) * shift
        + lam * v * p / 2
        + mu * v / 2,
        (
            Miss(
                "the sign of the logarithm",
                (c - lam * p) * (kappa - log_p / alpha)
                + (c - lam * p) * shift
                + lam * v * p / 2
                + mu * v / 2,
            ),
            Miss(
                "the common shift dropped (the c need not add up to lambda)",
                (c - lam * p) * (log_p / alpha + kappa) + lam * v * p / 2 + mu * v / 2,
            ),
            Miss(
                "mu in the place of c",
                (mu - lam * p) * (log_p / alpha + kappa)
                + (mu - lam * p) * shift
                + lam * v * p / 2
                + mu * v / 2,
            ),
        ),
    ),
    Identity(
        "softmax-drift.tangent",
        "the slope of the concave objective in one routing share",
        "the sharp constant R#; derived here",
        SIMPLEX,
        d_p(objective),
        c / (alpha * p) - lam / alpha * (log_p + 1) - lam * kappa + lam * v / 2,
        (
            Miss(
                "the one beside the logarithm dropped",
                c / (alpha * p) - lam / alpha * log_p - lam * kappa + lam * v / 2,
            ),
            Miss(
                "the sign of kappa",
                c / (alpha * p) - lam / alpha * (log_p + 1) + lam * kappa + lam * v / 2,
            ),
            Miss(
                "the half dropped",
                c / (alpha * p) - lam / alpha * (log_p + 1) - lam * kappa + lam * v,
            ),
        ),
    ),
    Identity(
        "softmax-drift.concavity",
        "the objective is strictly concave in each routing share",
        "the sharp constant R#; derived here",
        SIMPLEX,
        d_p(d_p(objective)),
        -((c + lam * p) / (alpha * p**2)),
        (
            Miss("the sign", (c + lam * p) / (alpha * p**2)),
            Miss("the sign of the routing term", -((c - lam * p) / (alpha * p**2))),
            Miss("one power of p too few", -((c + lam * p) / (alpha * p))),
        ),
    ),
)

WEIGHTED = algebra("lambda mu w x share others eps")
SHARES = algebra("mu w x eps", {share: mu - eps / (2 * w)})

WEIGHTED_QUEUE = (
    Identity(
        "wsq-drift.energy",
        "what is common to all actions cancels in the softmax of quadratic values",
        f"{LEARNING}, equations (1), (2) (reconstructed)",
        WEIGHTED,
        w * (x + 1) ** 2 + others - (w * x**2 + others),
        w * (2 * x + 1),
        (
            Miss("the one dropped", w * (2 * x)),
            Miss("the factor two dropped", w * (x + 1)),
            Miss("the sign of the one", w * (2 * x - 1)),
        ),
    ),
    Identity(
        "wsq-drift.generator-busy",
        "a busy server's part of LV for V = sum of w x^2",
        f"{LEARNING}, inequality (9) (reconstructed)",
        WEIGHTED,
        lam * share * (w * (x + 1) ** 2 - w * x**2) + mu * (w * (x - 1) ** 2 - w * x**2),
        lam * share * (w * (2 * x + 1)) - mu * w * (2 * x - 1),
        (
            Miss(
                "the boundary indicator dropped",
                lam * share * (w * (2 * x + 1)) - mu * w * (2 * x),
            ),
            Miss(
                "the sign of the indicator",
                lam * share * (w * (2 * x + 1)) - mu * w * (2 * x + 1),
            ),
            Miss("half the quadratic", lam * share * (w * (x + 1)) - mu * w * (x - 1)),
        ),
    ),
    Identity(
        "wsq-drift.generator-idle",
        "an idle server's part of LV for V = sum of w x^2 (at x = 0)",
        f"{LEARNING}, inequality (9) (reconstructed)",
        WEIGHTED,
        lam * share * (w * (x + 1) ** 2 - w * x**2),
        lam * share * (w * (2 * x + 1)),
        (
            Miss(
                "service at an empty queue",
                lam * share * (w * (2 * x + 1)) - mu * w * (2 * x - 1),
            ),
            Miss("the one dropped", lam * share * (w * (2 * x))),
            Miss("the share dropped", lam * (w * (2 * x + 1))),
        ),
    ),
    Identity(
        "wsq-drift.coefficient",
        "with arrivals mu - eps/(2 w) the queue length cancels",
        "the sharp drift of the weighted shortest queue; derived here",
        SHARES,
        share * (w * (2 * x + 1)) - mu * w * (2 * x - 1) + eps * x,
        w * (share + mu),
        (
            Miss("eps twice", left=share * (w * (2 * x + 1)) - mu * w * (2 * x - 1) + 2 * eps * x),
            Miss("eps over w", setting=algebra("mu w x eps", {share: mu - eps / w})),
            Miss("the jump of services dropped", w * share),
        ),
    ),
    Identity(
        "wsq-drift.constant",
        "the constant B of the sharp drift, one server's part",
        "the sharp drift of the weighted shortest queue; derived here",
        SHARES,
        w * (share + mu),
        2 * mu * w - eps / 2,
        (
            Miss("eps itself", 2 * mu * w - eps),
            Miss("the factor two dropped", mu * w - eps / 2),
            Miss("the sign", 2 * mu * w + eps / 2),
        ),
    ),
)
