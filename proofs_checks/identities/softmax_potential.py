"""Identities of the potential of softmax routing, each for any number of servers.

The free-rest device: a derivative or a jump in coordinate i touches w_i alone, so the weights of
all other servers enter as one symbol `rest` that stands for their sum, however many they are; the
linear terms of the other servers enter as `others`. Sums over all servers enter as moments, read
as sums over a symbolic number N of servers.
"""

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

lam, alpha, rest, others, linear, log_total = symbols("lambda alpha rest others linear log-total")
mu_i, b_i, q_i, w_i, mu_j, b_j, q_j, w_j = symbols("mu-i b-i q-i w-i mu-j b-j q-j w-j")
total, p_i, p_j, potential = symbols("total p-i p-j potential")
d_i, d_j = Derivation("d-i"), Derivation("d-j")


def _positive(names: str) -> list[sympy.Symbol]:
    return [sympy.Symbol(name, positive=True) for name in names.split()]


def _weight(index: str) -> tuple[dict[str, sympy.Expr], sympy.Symbol]:
    """The weight of server `index` with its parameters, and its queue."""
    rate, beta, gamma, offset, scale = _positive(f"mu_{index} beta gamma c alpha")
    queue = sympy.Symbol(f"q_{index}", real=True)
    weight = rate**gamma * sympy.exp(-scale * (queue + offset) / rate**beta)
    return {
        "alpha": scale,
        f"mu-{index}": rate,
        f"b-{index}": rate**beta,
        f"q-{index}": queue,
        f"w-{index}": weight,
    }, queue


def _one_server() -> Reading:
    values, queue = _weight("i")
    (rest,) = _positive("rest")
    free = {"lambda": sympy.Symbol("lambda"), "rest": rest, "others": sympy.Symbol("others")}
    logarithm = sympy.log(values["w-i"] + rest)
    return Reading(
        values | free | {"log-total": logarithm}, {"d-i": lambda e: sympy.diff(e, queue)}
    )


def _two_servers() -> Reading:
    first, queue_i = _weight("i")
    second, queue_j = _weight("j")
    (rest,) = _positive("rest")
    free = {"lambda": sympy.Symbol("lambda"), "rest": rest, "others": sympy.Symbol("others")}
    logarithm = sympy.log(first["w-i"] + second["w-j"] + rest)
    return Reading(
        first | second | free | {"log-total": logarithm},
        {"d-i": lambda e: sympy.diff(e, queue_i), "d-j": lambda e: sympy.diff(e, queue_j)},
    )


ONE = Setting(
    "lambda alpha mu-i b-i q-i w-i rest others log-total",
    _one_server,
    {
        total: w_i + rest,
        p_i: w_i / total,
        potential: mu_i * q_i / b_i + others + lam / alpha * log_total,
    },
    {
        d_i: {
            q_i: number(1),
            w_i: -alpha / b_i * w_i,
            log_total: -alpha / b_i * w_i / total,
        }
    },
)

TWO = Setting(
    "lambda alpha mu-i b-i q-i w-i mu-j b-j q-j w-j rest others log-total",
    _two_servers,
    {
        total: w_i + w_j + rest,
        p_i: w_i / total,
        p_j: w_j / total,
        potential: mu_i * q_i / b_i + mu_j * q_j / b_j + others + lam / alpha * log_total,
    },
    {
        d_i: {
            q_i: number(1),
            w_i: -alpha / b_i * w_i,
            log_total: -alpha / b_i * w_i / total,
        },
        d_j: {
            q_j: number(1),
            w_j: -alpha / b_j * w_j,
            log_total: -alpha / b_j * w_j / total,
        },
    },
)

gradient_i = (mu_i - lam * p_i) / b_i

POTENTIAL: tuple[Identity, ...] = (
    Identity(
        "softmax-potential.gradient",
        "the gradient of the potential",
        f"{PAPER}, Proposition 3.4",
        ONE,
        d_i(potential),
        gradient_i,
        (
            Miss("the sign of the routing term", (mu_i + lam * p_i) / b_i),
            Miss("the weight mu^beta forgotten", mu_i - lam * p_i),
            Miss("divided by mu instead of mu^beta", (mu_i - lam * p_i) / mu_i),
        ),
    ),
    Identity(
        "softmax-potential.drift",
        "the unconstrained drift is minus D times the gradient",
        f"{PAPER}, Proposition 3.4",
        ONE,
        lam * p_i - mu_i,
        -(b_i * d_i(potential)),
        (
            Miss("the sign", b_i * d_i(potential)),
            Miss("D inverted", -(d_i(potential) / b_i)),
            Miss("D left out", -d_i(potential)),
        ),
    ),
    Identity(
        "softmax-potential.share-own",
        "how a routing share falls with its own queue",
        f"{PAPER}, proof of Proposition 3.5",
        ONE,
        d_i(p_i),
        -(alpha / b_i * p_i * (1 - p_i)),
        (
            Miss("the factor 1 - p dropped", -(alpha / b_i * p_i)),
            Miss("the sign", alpha / b_i * p_i * (1 - p_i)),
            Miss("p squared for p (1 - p)", -(alpha / b_i * p_i**2)),
        ),
    ),
    Identity(
        "softmax-potential.share-other",
        "how a routing share rises with another queue",
        f"{PAPER}, proof of Proposition 3.5",
        TWO,
        d_j(p_i),
        alpha / b_j * p_i * p_j,
        (
            Miss("the sign", -(alpha / b_j * p_i * p_j)),
            Miss("the weight of the wrong server", alpha / b_i * p_i * p_j),
            Miss("the share of the wrong server", alpha / b_j * p_i**2),
        ),
    ),
    Identity(
        "softmax-potential.curvature",
        "the diagonal of the Hessian",
        f"{PAPER}, proof of Proposition 3.5",
        ONE,
        d_i(d_i(potential)),
        lam * alpha * p_i * (1 - p_i) / b_i**2,
        (
            Miss("only one factor mu^beta below", lam * alpha * p_i * (1 - p_i) / b_i),
            Miss("the square of the mean dropped", lam * alpha * p_i / b_i**2),
            Miss("the sign", -(lam * alpha * p_i * (1 - p_i) / b_i**2)),
        ),
    ),
    Identity(
        "softmax-potential.mixed-curvature",
        "the off-diagonal of the Hessian",
        f"{PAPER}, proof of Proposition 3.5",
        TWO,
        d_j(d_i(potential)),
        -(lam * alpha * p_i * p_j / (b_i * b_j)),
        (
            Miss("the sign", lam * alpha * p_i * p_j / (b_i * b_j)),
            Miss("twice the wrong weight", -(lam * alpha * p_i * p_j / b_i**2)),
            Miss("a factor two", -(2 * lam * alpha * p_i * p_j / (b_i * b_j))),
        ),
    ),
)

slope, speed_rest, speed_others = symbols("slope speed-rest speed-others")
m0, m1, m2, weight, y = symbols("m0 m1 m2 weight y")
factor, up_i, down_i, capacity, gradient = symbols("factor up-i down-i capacity gradient")
along, flow, stopped = Derivation("along"), Derivation("flow"), Derivation("stopped")


def _moments() -> Reading:
    """All N servers at once, N symbolic: queues q_k + t v_k, and y_k = v_k/b_k."""
    t, count, k = sympy.Symbol("t"), sympy.Symbol("N", positive=True, integer=True), sympy.Dummy()
    rates, ratios, sizes = (sympy.IndexedBase(name) for name in ("mu", "y", "c"))
    scale = sympy.Symbol("alpha", positive=True)

    def moment(order: int) -> sympy.Expr:
        term = ratios[k] ** order * sizes[k] * sympy.exp(-scale * ratios[k] * t)
        return sympy.Sum(term, (k, 1, count))

    values = {f"m{order}": moment(order) for order in range(3)}
    rise = sympy.Sum(rates[k] * ratios[k], (k, 1, count))
    return Reading(
        values
        | {
            "lambda": sympy.Symbol("lambda"),
            "alpha": scale,
            "slope": rise,
            "linear": t * rise,
            "log-total": sympy.log(values["m0"]),
        },
        {"along": lambda e: sympy.diff(e, t)},
    )


MOMENTS = Setting(
    "lambda alpha m0 m1 m2 slope linear log-total",
    _moments,
    {potential: linear + lam / alpha * log_total},
    {along: {m0: -alpha * m1, m1: -alpha * m2, linear: slope, log_total: -alpha * m1 / m0}},
)

speed_i = lam * p_i - mu_i


def _flow() -> Reading:
    """Time derivatives as directional ones: server i moves, or stands; the others move on."""
    one = _one_server()
    queue, rest_ = one.values["q-i"], one.values["rest"]
    speeds = {name: sympy.Symbol(name) for name in ("speed-rest", "speed-others")}
    share = one.values["w-i"] / (one.values["w-i"] + rest_)
    own = one.values["lambda"] * share - one.values["mu-i"]

    def standing(e: sympy.Expr) -> sympy.Expr:
        return (
            sympy.diff(e, rest_) * speeds["speed-rest"]
            + sympy.diff(e, one.values["others"]) * speeds["speed-others"]
        )

    return Reading(
        {**one.values, **speeds},
        {"stopped": standing, "flow": lambda e: standing(e) + sympy.diff(e, queue) * own},
    )


FLOW = Setting(
    "lambda alpha mu-i b-i q-i w-i rest others log-total speed-rest speed-others",
    _flow,
    {
        total: w_i + rest,
        p_i: w_i / total,
        potential: mu_i * q_i / b_i + others + lam / alpha * log_total,
        gradient: (mu_i - lam * p_i) / b_i,
    },
    {
        flow: {
            q_i: speed_i,
            w_i: -alpha / b_i * w_i * speed_i,
            rest: speed_rest,
            others: speed_others,
            log_total: (-alpha / b_i * w_i * speed_i + speed_rest) / total,
        },
        stopped: {rest: speed_rest, others: speed_others, log_total: speed_rest / total},
    },
)

JUMP = algebra("w-i rest factor", {total: w_i + rest, p_i: w_i / total})
GENERATOR = algebra("lambda mu-i b-i p-i up-i down-i", {gradient: (mu_i - lam * p_i) / b_i})
MOMENT_STEP = algebra("m0 m1 m2 weight y")
SHARE = algebra("p-i")
LINEAR = algebra("lambda alpha mu-i b-i q-i capacity")

POTENTIAL += (
    Identity(
        "softmax-potential.first-variation",
        "the slope of the potential along a line, all N servers at once",
        f"{PAPER}, Proposition 3.4",
        MOMENTS,
        along(potential),
        slope - lam * (m1 / m0),
        (
            Miss("the sign of the routing term", slope + lam * (m1 / m0)),
            Miss("the second moment for the first", slope - lam * (m2 / m0)),
            Miss("a factor alpha", slope - lam * alpha * (m1 / m0)),
        ),
    ),
    Identity(
        "softmax-potential.variance",
        "the Hessian along a line is a variance, all N servers at once",
        f"{PAPER}, Proposition 3.5",
        MOMENTS,
        along(along(potential)),
        lam * alpha * (m2 / m0 - (m1 / m0) ** 2),
        (
            Miss("the square of the mean dropped", lam * alpha * (m2 / m0)),
            Miss("the sign of the square of the mean", lam * alpha * (m2 / m0 + (m1 / m0) ** 2)),
            Miss("lambda over alpha", lam / alpha * (m2 / m0 - (m1 / m0) ** 2)),
        ),
    ),
    Identity(
        "softmax-potential.variance-step",
        "one server more adds a sum of weighted squares to m2 m0 - m1^2",
        f"{PAPER}, Proposition 3.5 (nonnegativity, by induction on N)",
        MOMENT_STEP,
        (m2 + y**2 * weight) * (m0 + weight) - (m1 + y * weight) ** 2,
        m2 * m0 - m1**2 + weight * (m2 - 2 * y * m1 + y**2 * m0),
        (
            Miss("no factor two", m2 * m0 - m1**2 + weight * (m2 - y * m1 + y**2 * m0)),
            Miss("the sign", m2 * m0 - m1**2 + weight * (m2 + 2 * y * m1 + y**2 * m0)),
            Miss("y for its square", m2 * m0 - m1**2 + weight * (m2 - 2 * y * m1 + y * m0)),
        ),
    ),
    Identity(
        "softmax-potential.variance-bound",
        "p (1 - p) is at most 1/4",
        "the remainder bound of Proposition 5.1 made explicit",
        SHARE,
        p_i * (1 - p_i),
        number("1/4") - (p_i - number("1/2")) ** 2,
        (
            Miss("the sign of the square", number("1/4") + (p_i - number("1/2")) ** 2),
            Miss("one half for one quarter", number("1/2") - (p_i - number("1/2")) ** 2),
            Miss("the centre elsewhere", number("1/4") - (p_i - number("1/4")) ** 2),
        ),
    ),
    Identity(
        "softmax-potential.increment-up",
        "the normaliser after an arrival; factor is exp(-alpha/mu^beta)",
        f"{PAPER}, Section 5.2",
        JUMP,
        (w_i * factor + rest) / total,
        1 - p_i * (1 - factor),
        (
            Miss("the sign", 1 + p_i * (1 - factor)),
            Miss("the factor itself for its complement", 1 - p_i * factor),
            Miss("the other servers' share", 1 - (1 - p_i) * (1 - factor)),
        ),
    ),
    Identity(
        "softmax-potential.increment-down",
        "the normaliser after a departure; factor is exp(-alpha/mu^beta)",
        f"{PAPER}, Section 5.2",
        JUMP,
        (w_i / factor + rest) / total,
        1 + p_i * (1 / factor - 1),
        (
            Miss("the factor of an arrival", 1 + p_i * (factor - 1)),
            Miss("the sign", 1 - p_i * (1 / factor - 1)),
            Miss("nothing subtracted", 1 + p_i * (1 / factor)),
        ),
    ),
    Identity(
        "softmax-potential.generator-busy",
        "a busy server's part of LH: a negative square and Taylor remainders",
        f"{PAPER}, Proposition 5.1",
        GENERATOR,
        lam * p_i * up_i + mu_i * down_i,
        -(b_i * gradient**2) + lam * p_i * (up_i - gradient) + mu_i * (down_i + gradient),
        (
            Miss(
                "the sign of the square",
                b_i * gradient**2 + lam * p_i * (up_i - gradient) + mu_i * (down_i + gradient),
            ),
            Miss(
                "the square without its weight",
                -(gradient**2) + lam * p_i * (up_i - gradient) + mu_i * (down_i + gradient),
            ),
            Miss(
                "the departure expanded upwards",
                -(b_i * gradient**2) + lam * p_i * (up_i - gradient) + mu_i * (down_i - gradient),
            ),
        ),
    ),
    Identity(
        "softmax-potential.generator-idle",
        "an idle server's part of LH: the boundary term and a Taylor remainder",
        f"{PAPER}, Proposition 5.1",
        GENERATOR,
        lam * p_i * up_i,
        lam * p_i * gradient + lam * p_i * (up_i - gradient),
        (
            Miss("the boundary term dropped", lam * p_i * (up_i - gradient)),
            Miss(
                "the boundary indicator dropped: service at an empty queue",
                -(b_i * gradient**2) + lam * p_i * (up_i - gradient),
            ),
            Miss("the sign", lam * p_i * (up_i - gradient) - lam * p_i * gradient),
        ),
    ),
    Identity(
        "softmax-potential.descent",
        "what one moving queue takes from the potential along a reflected path",
        f"{PAPER}, Section 3.4",
        FLOW,
        flow(potential) - stopped(potential),
        -(b_i * gradient**2),
        (
            Miss("the sign", b_i * gradient**2),
            Miss("the weight mu^beta dropped", -(gradient**2)),
            Miss("the weight inverted", -(gradient**2 / b_i)),
        ),
    ),
    Identity(
        "softmax-potential.coercivity",
        "one server's linear part of the lower bound of the potential",
        f"{PAPER}, proof of Proposition 3.5",
        LINEAR,
        mu_i * q_i / b_i + lam / alpha * (mu_i / capacity) * (-alpha * q_i / b_i),
        (1 - lam / capacity) * (mu_i * q_i / b_i),
        (
            Miss("the sign of the load", (1 + lam / capacity) * (mu_i * q_i / b_i)),
            Miss("the load inverted", (1 - capacity / lam) * (mu_i * q_i / b_i)),
            Miss("the weight dropped", (1 - lam / capacity) * (mu_i * q_i)),
        ),
    ),
)
