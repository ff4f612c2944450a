"""Facts that are no identities of rational functions: proved by sympy, not exported.

Each is the step from an exported identity to the statement of a page: a logarithm of an exported
ratio, a limit of an exported bound, a series.
"""

from collections.abc import Mapping
from fractions import Fraction

import sympy

from proofs_checks.identities.language import Calculus

PAPER = "arXiv 2607.28688v1"
RECORD = "doi 10.5281/zenodo.23586955"
RANKS = "arXiv 2605.17677"

Sides = tuple[sympy.Expr, sympy.Expr]


def _positive(names: str) -> list[sympy.Symbol]:
    return [sympy.Symbol(name, positive=True) for name in names.split()]


lam, alpha, mu, b, q, w, rest = _positive("lambda alpha mu b q w rest")
rho, m, r, tail = _positive("rho m r tail")
n, t, k = _positive("n t k")
half_share = (1 - r) / 2


def _increment(jump: int) -> Sides:
    """H(Q + jump e_i) - H(Q); w is the weight of the server, rest that of the others."""
    step = sympy.exp(-jump * alpha / b)
    before = mu * q / b + lam / alpha * sympy.log(w + rest)
    after = mu * (q + jump) / b + lam / alpha * sympy.log(w * step + rest)
    return after - before, _logarithm(jump, step)


def _logarithm(jump: int, step: sympy.Expr) -> sympy.Expr:
    return jump * mu / b + lam / alpha * sympy.log(1 - w / (w + rest) * (1 - step))


def _diagonal() -> Sides:
    """LH(k, k) of two servers of rate one, k >= 1, from the generator and from the formula."""
    first, second, offset = _positive("q_1 q_2 c")

    def potential(x: sympy.Expr, y: sympy.Expr) -> sympy.Expr:
        total = sympy.exp(-alpha * (x + offset)) + sympy.exp(-alpha * (y + offset))
        return x + y + lam / alpha * sympy.log(total)

    def jump(size: int) -> sympy.Expr:
        return sum(
            potential(first + size * own, second + size * (1 - own)) - potential(first, second)
            for own in (0, 1)
        )

    drift = (lam / 2 * jump(1) + jump(-1)).subs({first: k, second: k})
    return sympy.expand_log(drift.simplify(), force=True), _diagonal_formula(1)


def _diagonal_formula(services: int) -> sympy.Expr:
    up = 1 + lam / alpha * sympy.log((1 + sympy.exp(-alpha)) / 2)
    down = -1 + lam / alpha * sympy.log((1 + sympy.exp(alpha)) / 2)
    return lam * up + 2 * services * down


def _excess(others: sympy.Expr, distance: sympy.Expr) -> sympy.Expr:
    return others * distance * sympy.exp(-distance) / (1 + others * sympy.exp(-distance))


def _ends(part: int) -> sympy.Expr:
    """The lower and the upper end of (1 - rho) V/x^2 (pages of the heavy-traffic limit)."""
    corrections = (-(1 - rho) / (2 * m), (1 - rho) * r**2 * tail / 2)
    return rho * half_share + corrections[part]


def _geometric(power: int) -> sympy.Expr:
    """E G^power of a geometric G with P(G >= g) = r^g, from its generating function."""
    z = sympy.Symbol("z")
    moment = (1 - r) / (1 - r * z)
    for _ in range(power):
        moment = z * sympy.diff(moment, z)
    return moment.subs(z, 1)


def _limit(part: int, name: str) -> Calculus:
    return Calculus(
        f"fluid-heavy-traffic.{name}-limit",
        f"the {name} end tends to Pbar as the load tends to one",
        f"{RECORD}, Theorem 10",
        lambda: (sympy.limit(_ends(part), rho, 1, "-"), half_share),
        (
            ("twice Pbar, as Proposition 3 of arXiv 2509.21693v1 has it (inferred)", lambda: 1 - r),
            ("the complement", lambda: 1 - half_share),
            ("the ratio itself", lambda: r),
        ),
        {"r": Fraction(2, 7)},
    )


AT: Mapping[str, Fraction | int] = {
    "lambda": Fraction(3, 2),
    "alpha": 2,
    "mu": 3,
    "b": 5,
    "q": 1,
    "w": 2,
    "rest": 7,
    "k": 2,
}

FACTS = (
    Calculus(
        "softmax-potential.jump-up",
        "the potential after an arrival",
        f"{PAPER}, Section 5.2",
        lambda: _increment(1),
        (
            ("the factor of a departure", lambda: _logarithm(1, sympy.exp(alpha / b))),
            ("the sign of the linear part", lambda: _logarithm(-1, sympy.exp(-alpha / b))),
            ("alpha in the place of alpha/mu^beta", lambda: _logarithm(1, sympy.exp(-alpha))),
        ),
        AT,
    ),
    Calculus(
        "softmax-potential.jump-down",
        "the potential after a departure",
        f"{PAPER}, Section 5.2",
        lambda: _increment(-1),
        (
            ("the factor of an arrival", lambda: _logarithm(-1, sympy.exp(-alpha / b))),
            ("the sign of the linear part", lambda: _logarithm(1, sympy.exp(alpha / b))),
            ("alpha in the place of alpha/mu^beta", lambda: _logarithm(-1, sympy.exp(alpha))),
        ),
        AT,
    ),
    Calculus(
        "softmax-potential.diagonal",
        "the drift of the potential at (k, k) of two equal servers",
        "the obstruction without an empty queue; derived here",
        _diagonal,
        (
            ("one server served", lambda: _diagonal_formula(1) / 2),
            ("no service", lambda: _diagonal_formula(0)),
            ("the sign", lambda: -_diagonal_formula(1)),
        ),
        AT,
    ),
    Calculus(
        "softmax-drift.lambert",
        "the largest softmax excess is W(n/e): with n = k e^(1+k) it is k, at t = 1 + k",
        "the softmax lemma (Lambert W); derived here",
        lambda: (_excess(k * sympy.exp(1 + k), 1 + k), k),
        (
            ("the excess 1 + k", lambda: 1 + k),
            ("log(n + 1), the entropy bound", lambda: sympy.log(1 + k * sympy.exp(1 + k))),
            ("n/e", lambda: k * sympy.exp(k)),
        ),
        AT,
    ),
    _limit(0, "lower"),
    _limit(1, "upper"),
    Calculus(
        "rank-gaps.mean",
        "the mean of a gap is rho/(1 - rho)",
        f"{RANKS}, stationary gaps; derived here",
        lambda: (_geometric(1), r / (1 - r)),
        (
            ("from one on", lambda: 1 / (1 - r)),
            ("the complement", lambda: (1 - r) / r),
            ("the variance", lambda: r / (1 - r) ** 2),
        ),
        {"r": Fraction(2, 7)},
    ),
    Calculus(
        "rank-gaps.variance",
        "the variance of a gap is rho/(1 - rho)^2",
        f"{RANKS}, stationary gaps; derived here",
        lambda: (_geometric(2) - _geometric(1) ** 2, r / (1 - r) ** 2),
        (
            ("the second moment", lambda: r * (1 + r) / (1 - r) ** 2),
            ("the mean", lambda: r / (1 - r)),
            ("one numerator", lambda: 1 / (1 - r) ** 2),
        ),
        {"r": Fraction(2, 7)},
    ),
)
