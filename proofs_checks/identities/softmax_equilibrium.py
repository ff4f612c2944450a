"""Identities of the equilibrium of reflected softmax routing; busy and idle are sums over any N."""

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

lam, mu_i, total = symbols("lambda mu-i total")
busy, idle, theta_i, level, other_level, root = symbols("busy idle theta-i level other-level root")
d_level = Derivation("d-level")


def _consistency() -> Reading:
    values = {n: sympy.Symbol(n, positive=True) for n in ("busy", "idle", "level")}
    return Reading(values, {"d-level": lambda e: sympy.diff(e, values["level"])})


CONSISTENCY = Setting("busy idle level", _consistency, derivations={d_level: {level: number(1)}})
LEVELS = algebra("busy idle level other-level")
BALANCE = algebra(
    "lambda busy idle mu-i theta-i", {root: idle / (lam - busy), total: busy * root + idle}
)

EQUILIBRIUM = (
    Identity(
        "softmax-equilibrium.root",
        "the closed form solves the consistency equation",
        f"{PAPER}, equation (4) and Theorem 3.3",
        BALANCE,
        busy + idle / root,
        lam,
        (
            Miss("the idle part twice", left=busy + 2 * idle / root),
            Miss("the root inverted", left=busy + idle * root),
            Miss(
                "a root that adds the busy rates",
                setting=algebra("lambda busy idle", {root: idle / (lam + busy)}),
            ),
        ),
    ),
    Identity(
        "softmax-equilibrium.active-share",
        "a positive queue's arrival rate equals its service rate",
        f"{PAPER}, Section 3.2",
        BALANCE,
        lam * (mu_i * root) / total,
        mu_i,
        (
            Miss("the rate times theta", mu_i * theta_i),
            Miss("the arrival rate forgotten", mu_i / lam),
            Miss(
                "the idle part dropped from the normaliser",
                setting=algebra(
                    "lambda busy idle mu-i", {root: idle / (lam - busy), total: busy * root}
                ),
            ),
        ),
    ),
    Identity(
        "softmax-equilibrium.inactive-share",
        "an empty queue's arrival rate is mu theta/K",
        f"{PAPER}, Section 3.2",
        BALANCE,
        lam * (mu_i * theta_i) / total,
        mu_i * theta_i / root,
        (
            Miss("the service rate itself", mu_i),
            Miss("the root inverted", mu_i * theta_i * root),
            Miss("theta dropped", mu_i / root),
        ),
    ),
    Identity(
        "softmax-equilibrium.monotone",
        "the consistency function falls from one level to a higher one",
        f"{PAPER}, Theorem 3.3",
        LEVELS,
        busy + idle / level - (busy + idle / other_level),
        idle * (other_level - level) / (level * other_level),
        (
            Miss("the sign", idle * (level - other_level) / (level * other_level)),
            Miss("one level below", idle * (other_level - level) / level),
            Miss(
                "the busy rates too", (busy + idle) * (other_level - level) / (level * other_level)
            ),
        ),
    ),
    Identity(
        "softmax-equilibrium.slope",
        "the slope of the consistency function between two thresholds",
        f"{PAPER}, Theorem 3.3",
        CONSISTENCY,
        d_level(busy + idle / level),
        -(idle / level**2),
        (
            Miss("the sign", idle / level**2),
            Miss("one power too few", -(idle / level)),
            Miss("the busy rates too", -((busy + idle) / level**2)),
        ),
    ),
)
