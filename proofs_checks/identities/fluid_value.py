"""Identities of the fluid value: transform, Hamilton-Jacobi equation, exit; for every size law.

The law enters through the free symbols dev = D(h), slope = D'(h), bend = D''(h): they are read as
an arbitrary function and its derivatives. Values are functions of the characteristic coordinates
(c, h); the two rules dx and dd are the partial derivatives in total work and imbalance, obtained by
inverting the Jacobian of (total, imbalance) in (c, h).
"""

from collections.abc import Callable
from functools import cache

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

RECORD = "doi 10.5281/zenodo.23586955"
SOURCE = "arXiv 2509.21693v1"
HALF = number("1/2")

h, f, w, density, transform, dev, slope = symbols("h f w density transform dev slope")
d_h = Derivation("d-h")


def _law() -> Reading:
    """A law with a density g: f = P(S < h), w = E[S; S < h]."""
    cutoff, size = sympy.Symbol("h", positive=True), sympy.Symbol("u", positive=True)
    g = sympy.Function("g")
    return Reading(
        {
            "h": cutoff,
            "density": g(cutoff),
            "f": sympy.Integral(g(size), (size, 0, cutoff)),
            "w": sympy.Integral(size * g(size), (size, 0, cutoff)),
        },
        {"d-h": lambda e: sympy.diff(e, cutoff)},
    )


LAW = Setting(
    "h f w density",
    _law,
    {transform: 1 - w - w + h * (2 * f - 1)},
    {d_h: {h: number(1), f: density, w: h * density}},
)


def _curve() -> Reading:
    cutoff, end = sympy.Symbol("h", positive=True), sympy.Symbol("h_1", positive=True)
    size = sympy.Symbol("u", positive=True)
    deviation = sympy.Function("D")
    free = {n: sympy.Symbol(n, positive=True) for n in ("kappa", "k")}
    return Reading(
        {
            **free,
            "h": cutoff,
            "dev": deviation(cutoff),
            "slope": sympy.diff(deviation(cutoff), cutoff),
            "tail": sympy.Integral(1 / deviation(size) ** 2, (size, end, cutoff)),
        },
        {"d-h": lambda e: sympy.diff(e, cutoff)},
    )


kappa, k, tail = symbols("kappa k tail")
CURVE = Setting(
    "kappa k h dev slope tail",
    _curve,
    derivations={d_h: {h: number(1), dev: slope, tail: 1 / dev**2}},
)

TRANSFORM = (
    Identity(
        "fluid-transform.slope",
        "the slope of the deviation transform is P(S < h) - P(S > h)",
        f"{RECORD}, the transform D(h) = E|S - h|",
        LAW,
        d_h(transform),
        2 * f - 1,
        (
            Miss("the half line below twice", 2 * f),
            Miss("the sign", 1 - 2 * f),
            Miss("the density left over", 2 * f - 1 + h * density),
        ),
    ),
    Identity(
        "fluid-transform.split",
        "D - h D' = 1 - 2 w: the work above the cutoff less the work below",
        f"{RECORD}, the transform D(h) = E|S - h|",
        LAW,
        transform - h * d_h(transform),
        1 - 2 * w,
        (
            Miss("the sign of the share", 1 + 2 * w),
            Miss("the factor two dropped", 1 - w),
            Miss("the share of jobs for the share of work", 1 - 2 * f),
        ),
    ),
    Identity(
        "fluid-transform.excess",
        "D(h) = h - 1 + 2 E(S - h)+",
        f"{RECORD}, the transform D(h) = E|S - h|",
        LAW,
        transform,
        h - 1 + 2 * (1 - w - h * (1 - f)),
        (
            Miss("the factor two dropped", h - 1 + (1 - w - h * (1 - f))),
            Miss("the sign of the mean", h + 1 + 2 * (1 - w - h * (1 - f))),
            Miss("the part below the cutoff", h - 1 + 2 * (w - h * f)),
        ),
    ),
    Identity(
        "fluid-transform.ratio",
        "the slope of h/D is (D - h D')/D^2",
        f"{RECORD}, proof of Lemma 2",
        CURVE,
        d_h(h / dev),
        (dev - h * slope) / dev**2,
        (
            Miss("the sign", (dev + h * slope) / dev**2),
            Miss("one power of D", (dev - h * slope) / dev),
            Miss("D in the place of D - h D'", 1 / dev),
        ),
    ),
)

rho, bend, reach, total, imbalance, gap = symbols("rho bend reach total imbalance gap")
c, jacobian, c_x, c_d, h_x, h_d, value = symbols("c jacobian c-x c-d h-x h-d value")
dx, dd = Derivation("dx"), Derivation("dd")


@cache
def _characteristics() -> Reading:
    """x = c X(h), delta = c h/D(h) with X' = -k/D^2: d/dx and d/d delta by the chain rule."""
    level, cutoff = sympy.Symbol("c", positive=True), sympy.Symbol("h", positive=True)
    load, start = sympy.Symbol("rho", positive=True), sympy.Symbol("X_1", positive=True)
    size, end = sympy.Symbol("u", positive=True), sympy.Symbol("h_1", positive=True)
    deviation = sympy.Function("D")
    integral = sympy.Integral(1 / deviation(size) ** 2, (size, end, cutoff))
    reach_ = start - (1 - load) / load * integral
    work, difference = level * reach_, level * cutoff / deviation(cutoff)
    jacobi = sympy.Matrix([work, difference]).jacobian([level, cutoff])
    matrix = jacobi.adjugate() / jacobi.det()

    def partial(column: int) -> Callable[[sympy.Expr], sympy.Expr]:
        return lambda e: (
            sympy.diff(e, level) * matrix[0, column] + sympy.diff(e, cutoff) * matrix[1, column]
        )

    return Reading(
        {
            "rho": load,
            "c": level,
            "h": cutoff,
            "dev": deviation(cutoff),
            "slope": sympy.diff(deviation(cutoff), cutoff),
            "bend": sympy.diff(deviation(cutoff), cutoff, 2),
            "reach": reach_,
        },
        {"dx": partial(0), "dd": partial(1)},
    )


def _rules(by_level: Term, by_cutoff: Term) -> dict[Term, Term]:
    return {
        c: by_level,
        h: by_cutoff,
        dev: slope * by_cutoff,
        slope: bend * by_cutoff,
        reach: -k / dev**2 * by_cutoff,
    }


CHARACTERISTICS = Setting(
    "rho c h dev slope bend reach",
    _characteristics,
    {
        k: (1 - rho) / rho,
        kappa: rho / (1 - rho),
        gap: dev - h * slope,
        total: c * reach,
        imbalance: c * h / dev,
        jacobian: c * (gap * reach + k * h / dev) / dev**2,
        c_x: c * gap / dev**2 / jacobian,
        c_d: c * k / dev**2 / jacobian,
        h_x: -(h / dev) / jacobian,
        h_d: reach / jacobian,
        value: HALF * (rho * total * (total - c) / (1 - rho) - h * c**2 / dev**2),
    },
    {dx: _rules(c_x, h_x), dd: _rules(c_d, h_d)},
)


def along(e: Term) -> Term:
    """The rate of change along the optimal path: x' = rho - 1, delta' = rho (D - h D')."""
    return (rho - 1) * dx(e) + rho * gap * dd(e)


VALUE = (
    Identity(
        "fluid-value.total-by-total",
        "the rule dx differentiates the total work to 1",
        f"{RECORD}, Theorem 3 (coordinates of its proof)",
        CHARACTERISTICS,
        dx(total),
        number(1),
    ),
    Identity(
        "fluid-value.imbalance-by-total",
        "the rule dx differentiates the imbalance to 0",
        f"{RECORD}, Theorem 3 (coordinates of its proof)",
        CHARACTERISTICS,
        dx(imbalance),
        number(0),
    ),
    Identity(
        "fluid-value.total-by-imbalance",
        "the rule dd differentiates the total work to 0",
        f"{RECORD}, Theorem 3 (coordinates of its proof)",
        CHARACTERISTICS,
        dd(total),
        number(0),
    ),
    Identity(
        "fluid-value.imbalance-by-imbalance",
        "the rule dd differentiates the imbalance to 1",
        f"{RECORD}, Theorem 3 (coordinates of its proof)",
        CHARACTERISTICS,
        dd(imbalance),
        number(1),
    ),
    Identity(
        "fluid-value.slope-total",
        "V_x = rho (x - C)/(1 - rho)",
        f"{RECORD}, Theorem 3",
        CHARACTERISTICS,
        dx(value),
        rho * (total - c) / (1 - rho),
        (
            Miss("the level forgotten", rho * total / (1 - rho)),
            Miss("the half kept", rho * (total - c) / (2 * (1 - rho))),
            Miss("the load above dropped", (total - c) / (1 - rho)),
        ),
    ),
    Identity(
        "fluid-value.slope-imbalance",
        "V_delta = -C/D(h)",
        f"{RECORD}, Theorem 3",
        CHARACTERISTICS,
        dd(value),
        -(c / dev),
        (
            Miss("the sign", c / dev),
            Miss("h C/D, the imbalance itself", -(c * h / dev)),
            Miss("a half", -(c / (2 * dev))),
        ),
    ),
    Identity(
        "fluid-value.hamilton-jacobi",
        "the Hamilton-Jacobi equation along characteristics: (1 - rho) V_x + rho g D(h) = rho x",
        f"{RECORD}, Theorem 3",
        CHARACTERISTICS,
        (1 - rho) * dx(value) + rho * -dd(value) * dev,
        rho * total,
        (
            Miss("the right side without the load", total),
            Miss(
                "the sign of the deviation term", left=(1 - rho) * dx(value) + rho * dd(value) * dev
            ),
            Miss("h in the place of D(h)", left=(1 - rho) * dx(value) + rho * -dd(value) * h),
        ),
    ),
    Identity(
        "fluid-value.cutoff",
        "the minimiser's cutoff delta/g is the characteristic coordinate h",
        f"{RECORD}, Theorem 3",
        CHARACTERISTICS,
        imbalance / -dd(value),
        h,
        (
            Miss("the sign", left=imbalance / dd(value)),
            Miss("the total work in the place of the imbalance", left=total / -dd(value)),
            Miss("the slope in x", left=imbalance / dx(value)),
        ),
    ),
    Identity(
        "fluid-value.symmetry",
        "the mixed second derivatives agree",
        f"{RECORD}, Theorem 3",
        CHARACTERISTICS,
        dx(dd(value)),
        dd(dx(value)),
        (
            Miss("the sign", -dd(dx(value))),
            Miss("a pure second derivative", dd(dd(value))),
            Miss("the other pure second derivative", dx(dx(value))),
        ),
    ),
    Identity(
        "fluid-value.euler",
        "the value is homogeneous of degree two",
        f"{RECORD}, Theorem 3",
        CHARACTERISTICS,
        total * dx(value) + imbalance * dd(value),
        2 * value,
        (
            Miss("degree one", value),
            Miss("degree three", 3 * value),
            Miss("the sign of the imbalance", left=total * dx(value) - imbalance * dd(value)),
        ),
    ),
    Identity(
        "fluid-value.closed-form",
        "V = (kappa x^2 - kappa x delta D/h - delta^2/h)/2",
        f"{RECORD}, Theorem 3; this form derived here",
        CHARACTERISTICS,
        value,
        HALF * (kappa * total**2 - kappa * total * imbalance * dev / h - imbalance**2 / h),
        (
            Miss(
                "the sign of the last term",
                HALF * (kappa * total**2 - kappa * total * imbalance * dev / h + imbalance**2 / h),
            ),
            Miss(
                "D/h inverted",
                HALF * (kappa * total**2 - kappa * total * imbalance * h / dev - imbalance**2 / h),
            ),
            Miss(
                "kappa dropped in the middle",
                HALF * (kappa * total**2 - total * imbalance * dev / h - imbalance**2 / h),
            ),
        ),
    ),
    Identity(
        "fluid-value.level-constant",
        "C is constant along an optimal path",
        f"{RECORD}, Theorem 3",
        CHARACTERISTICS,
        along(c),
        number(0),
        (
            Miss("the imbalance frozen", left=(rho - 1) * dx(c)),
            Miss("the sign of the imbalance", left=(rho - 1) * dx(c) - rho * gap * dd(c)),
            Miss("the load dropped", left=(rho - 1) * dx(c) + gap * dd(c)),
        ),
    ),
    Identity(
        "fluid-value.cutoff-speed",
        "along an optimal path the cutoff rises at rate rho D^2/C",
        f"{RECORD}, Theorem 3",
        CHARACTERISTICS,
        along(h),
        rho * dev**2 / c,
        (
            Miss("the sign", -(rho * dev**2 / c)),
            Miss("one power of D", rho * dev / c),
            Miss("the load dropped", dev**2 / c),
        ),
    ),
    Identity(
        "fluid-value.cost-rate",
        "along an optimal path the value falls at the cost rate rho (x - delta D')",
        f"{RECORD}, Theorem 3",
        CHARACTERISTICS,
        along(value),
        -(rho * (total - imbalance * slope)),
        (
            Miss("the sign of the slope", -(rho * (total + imbalance * slope))),
            Miss("twice the cost", -(2 * rho * (total - imbalance * slope))),
            Miss("the imbalance dropped", -(rho * total)),
        ),
    ),
)

jobs, exit_value = symbols("jobs exit-value")
EXIT = algebra(
    "rho h jobs total dev",
    {
        k: (1 - rho) / rho,
        kappa: rho / (1 - rho),
        c: total * dev / h,
        exit_value: HALF * (rho * total * (total - c) / (1 - rho) - h * c**2 / dev**2),
    },
)
AXIS = algebra(
    "rho h jobs total",
    {
        k: (1 - rho) / rho,
        dev: h * (2 * jobs - 1) - k,
        c: total * dev / h,
        exit_value: HALF * (rho * total * (total - c) / (1 - rho) - h * c**2 / dev**2),
    },
)

EXIT_VALUE = (
    Identity(
        "fluid-value.exit",
        "the value with an empty short queue kept exactly busy by the jobs below the cutoff",
        f"{RECORD}, Theorem 3",
        AXIS,
        exit_value,
        rho * (1 - jobs) * total**2 / (1 - rho),
        (
            Miss(
                f"the extra factor 2 rho of Proposition 3 of {SOURCE} (inferred)",
                2 * rho**2 * (1 - jobs) * total**2 / (1 - rho),
            ),
            Miss("the jobs of the short queue", rho * jobs * total**2 / (1 - rho)),
            Miss("a half", rho * (1 - jobs) * total**2 / (2 * (1 - rho))),
        ),
    ),
    Identity(
        "fluid-value.exit-cutoff",
        "the same value as a function of the cutoff alone",
        f"{RECORD}, Theorem 3; this form derived here",
        EXIT,
        exit_value,
        HALF * total**2 * (kappa * (1 - dev / h) - 1 / h),
        (
            Miss("the sign of 1/h", HALF * total**2 * (kappa * (1 - dev / h) + 1 / h)),
            Miss("D/h inverted", HALF * total**2 * (kappa * (1 - h / dev) - 1 / h)),
            Miss("the half dropped", total**2 * (kappa * (1 - dev / h) - 1 / h)),
        ),
    ),
    Identity(
        "fluid-value.exit-best",
        "the exit value is stationary where D - h D' = -1/kappa, that is at the exit cutoff",
        "the exit value as a supremum; derived here",
        CURVE,
        d_h(kappa * (1 - dev / h) - 1 / h),
        (kappa * (dev - h * slope) + 1) / h**2,
        (
            Miss("the sign of the one", (kappa * (dev - h * slope) - 1) / h**2),
            Miss("one power of h", (kappa * (dev - h * slope) + 1) / h),
            Miss("kappa dropped", (dev - h * slope + 1) / h**2),
        ),
    ),
    Identity(
        "fluid-value.cutoff-best",
        "H/D(H) + k (integral of 1/D^2 up to H) is stationary where D - h D' = -k",
        "X as a supremum; derived here",
        CURVE,
        d_h(h / dev + k * tail),
        (dev - h * slope + k) / dev**2,
        (
            Miss("the sign of k", (dev - h * slope - k) / dev**2),
            Miss("k dropped", (dev - h * slope) / dev**2),
            Miss("one power of D", (dev - h * slope + k) / dev),
        ),
    ),
)

angle = Term("angle")
d_shift = Derivation("d-t")


def _uniform() -> Reading:
    shift = sympy.Symbol("t", real=True)
    return Reading(
        {"t": shift, "angle": sympy.atan(shift)}, {"d-t": lambda e: sympy.diff(e, shift)}
    )


shift = Term("t")
UNIFORM = Setting(
    "t angle",
    _uniform,
    {dev: (1 + shift**2) / 2},
    {d_shift: {shift: number(1), angle: 1 / (1 + shift**2)}},
)

ENCLOSURE = (
    Identity(
        "fluid-enclosure.uniform",
        "the integral of 1/D^2 for sizes uniform on [0, 2], t = h - 1 and angle = atan t",
        "closed form for the uniform law; derived here",
        UNIFORM,
        d_shift(2 * (shift / (1 + shift**2) + angle)),
        1 / dev**2,
        (
            Miss("the factor two dropped", left=d_shift(shift / (1 + shift**2) + angle)),
            Miss("the sign", left=d_shift(2 * (shift / (1 + shift**2) - angle))),
            Miss("one power of D", 1 / dev),
        ),
    ),
)
