"""Identities of the fluid model for finite laws, of other policies, and of heavy traffic.

Between two neighbouring knots of a finite law the deviation transform is a line al h - be; the
knots, the slopes and the loads are free symbols, so each identity holds in every sector of every
finite law.
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

RECORD = "doi 10.5281/zenodo.23586955"
HALF = number("1/2")

kappa, s, t, al, be, reach_t = symbols("kappa s t al be reach-t")
dev_s, dev_t, reach_s, first_s, first_t, second_s, second_t = symbols(
    "dev-s dev-t reach-s first-s first-t second-s second-t"
)
d_t = Derivation("d-t")


def _knot() -> Reading:
    values = {name: sympy.Symbol(name) for name in ("s", "t", "al", "be")}
    return Reading(values, {"d-t": lambda e: sympy.diff(e, values["t"])})


LINE = Setting(
    "s t al be",
    _knot,
    {dev_s: al * s - be, dev_t: al * t - be},
    {d_t: {t: number(1)}},
)
STEP = algebra(
    "kappa s t al be reach-t",
    {
        dev_s: al * s - be,
        dev_t: al * t - be,
        reach_s: reach_t + (t - s) / (kappa * dev_s * dev_t),
        first_s: -be * reach_s + s / (kappa * dev_s),
        second_s: al * reach_s - 1 / (kappa * dev_s),
        first_t: -be * reach_t + t / (kappa * dev_t),
        second_t: al * reach_t - 1 / (kappa * dev_t),
    },
)

rho, first, second, total, imbalance, h, dev, value, slope_cost = symbols(
    "rho first second total imbalance h dev value slope-cost"
)
dx, dd = Derivation("dx"), Derivation("dd")


def _plane() -> Reading:
    names = ("rho", "be", "first", "second", "total", "imbalance")
    values = {name: sympy.Symbol(name) for name in names}
    return Reading(
        values,
        {
            "dx": lambda e: sympy.diff(e, values["total"]),
            "dd": lambda e: sympy.diff(e, values["imbalance"]),
        },
    )


SECTOR_VALUE = HALF * (
    kappa * (1 + be / first) * total**2
    - 2 / first * total * imbalance
    + second / first * imbalance**2
)
SECTOR = Setting(
    "rho be first second total imbalance",
    _plane,
    {
        kappa: rho / (1 - rho),
        al: (1 / kappa - be * second) / first,
        h: first * imbalance / (total - second * imbalance),
        dev: al * h - be,
        value: SECTOR_VALUE,
    },
    {dx: {total: number(1)}, dd: {imbalance: number(1)}},
)
SHORT = Setting(
    "rho total imbalance",
    _plane,
    {value: rho * (total - imbalance) ** 2 / (2 * (1 - 2 * rho))},
    {dx: {total: number(1)}, dd: {imbalance: number(1)}},
)
POINT_MASS = Setting(
    "rho total imbalance",
    _plane,
    {value: rho * total**2 / (2 * (1 - rho)) - imbalance**2 / 2},
    {dx: {total: number(1)}, dd: {imbalance: number(1)}},
)

SECTORS = (
    Identity(
        "fluid-sector.integral",
        "the integral of 1/D^2 from s to t, by its derivative in t (it vanishes at t = s)",
        f"{RECORD}, Theorem 11",
        LINE,
        d_t((t - s) / (dev_s * dev_t)),
        1 / dev_t**2,
        (
            Miss("the sign", -(1 / dev_t**2)),
            Miss("the wrong knot", 1 / dev_s**2),
            Miss("the slope left over", al / dev_t**2),
        ),
    ),
    Identity(
        "fluid-sector.normalisation",
        "kappa (al A + be B) = 1",
        f"{RECORD}, Theorem 11; this form derived here",
        STEP,
        kappa * (al * first_t + be * second_t),
        number(1),
        (
            Miss("the sign of be", left=kappa * (al * first_t - be * second_t)),
            Miss("kappa dropped", left=al * first_t + be * second_t),
            Miss("A and B exchanged", left=kappa * (al * second_t + be * first_t)),
        ),
    ),
    Identity(
        "fluid-sector.step-first",
        "A is the same from both ends of a sector",
        f"{RECORD}, Theorem 11; this form derived here",
        STEP,
        first_s,
        first_t,
        (
            Miss("B for A", second_t),
            Miss("the sign", -first_t),
            Miss(
                "a step that forgets D at one knot",
                setting=algebra(
                    STEP.variables,
                    {**STEP.definitions, reach_s: reach_t + (t - s) / (kappa * dev_t)},
                ),
            ),
        ),
    ),
    Identity(
        "fluid-sector.step-second",
        "B is the same from both ends of a sector",
        f"{RECORD}, Theorem 11; this form derived here",
        STEP,
        second_s,
        second_t,
        (
            Miss("A for B", first_t),
            Miss("the sign", -second_t),
            Miss(
                "a step in the wrong direction",
                setting=algebra(
                    STEP.variables,
                    {**STEP.definitions, reach_s: reach_t - (t - s) / (kappa * dev_s * dev_t)},
                ),
            ),
        ),
    ),
    Identity(
        "fluid-sector.cutoff",
        "D(h) X(h) = A + B h, so that h = A z/(1 - B z)",
        f"{RECORD}, Theorem 11; this form derived here",
        STEP,
        dev_s * reach_s,
        first_t + second_t * s,
        (
            Miss("the sign of B", first_t - second_t * s),
            Miss("the wrong knot", first_t + second_t * t),
            Miss("D dropped", left=reach_s),
        ),
    ),
    Identity(
        "fluid-sector.value",
        "the value is a quadratic form in a sector",
        f"{RECORD}, Theorem 11; this form derived here",
        SECTOR,
        HALF * (kappa * total**2 - kappa * total * imbalance * dev / h - imbalance**2 / h),
        value,
        (
            Miss(
                "the sign of the mixed term",
                HALF
                * (
                    kappa * (1 + be / first) * total**2
                    + 2 / first * total * imbalance
                    + second / first * imbalance**2
                ),
            ),
            Miss(
                "the factor two of the mixed term dropped",
                HALF
                * (
                    kappa * (1 + be / first) * total**2
                    - 1 / first * total * imbalance
                    + second / first * imbalance**2
                ),
            ),
            Miss(
                "the sign of be",
                HALF
                * (
                    kappa * (1 - be / first) * total**2
                    - 2 / first * total * imbalance
                    + second / first * imbalance**2
                ),
            ),
        ),
    ),
    Identity(
        "fluid-sector.hamilton-jacobi",
        "the quadratic form of a sector solves the Hamilton-Jacobi equation",
        f"{RECORD}, Theorem 11",
        SECTOR,
        (1 - rho) * dx(value) + rho * (al * imbalance + be * dd(value)),
        rho * total,
        (
            Miss(
                "the sign of be",
                left=(1 - rho) * dx(value) + rho * (al * imbalance - be * dd(value)),
            ),
            Miss(
                "al and be exchanged",
                left=(1 - rho) * dx(value) + rho * (be * imbalance + al * dd(value)),
            ),
            Miss("the load on the right dropped", total),
        ),
    ),
    Identity(
        "fluid-sector.all-short",
        "everything to the short queue (load below 1/2): the value solves the equation",
        "derived here",
        SHORT,
        (1 - rho) * dx(value) + rho * (imbalance + dd(value)),
        rho * total,
        (
            Miss("the sign", left=(1 - rho) * dx(value) + rho * (imbalance - dd(value))),
            Miss("the imbalance dropped", left=(1 - rho) * dx(value) + rho * dd(value)),
            Miss("the load on the right dropped", total),
        ),
    ),
    Identity(
        "fluid-point-mass.hamilton-jacobi",
        "equal sizes: the balanced value solves the equation with deviation term |g - delta|",
        f"{RECORD}, Section 7; derived here",
        POINT_MASS,
        (1 - rho) * dx(value) + rho * (-dd(value) - imbalance),
        rho * total,
        (
            Miss(
                "the sign of the slope", left=(1 - rho) * dx(value) + rho * (dd(value) - imbalance)
            ),
            Miss("the imbalance dropped", left=(1 - rho) * dx(value) + rho * -dd(value)),
            Miss("the load on the right dropped", total),
        ),
    ),
)

short, long, jobs, small_jobs = symbols("short long jobs small-jobs")
flow = Derivation("flow")


def _workloads() -> Reading:
    values = {name: sympy.Symbol(name) for name in ("rho", "short", "long", "jobs")}
    return Reading(
        values,
        {
            "flow": lambda e: (
                sympy.diff(e, values["short"]) * -sympy.Rational(1, 2)
                + sympy.diff(e, values["long"]) * (values["rho"] - sympy.Rational(1, 2))
            )
        },
    )


def _plane_flow(imbalance_speed: int) -> Reading:
    values = {name: sympy.Symbol(name) for name in ("rho", "jobs", "total", "imbalance")}
    speeds = {"total": values["rho"] - 1, "imbalance": imbalance_speed * values["rho"]}
    return Reading(
        values,
        {"flow": lambda e: sum(sympy.diff(e, values[n]) * speed for n, speed in speeds.items())},
    )


MOST_WORK = Setting(
    "rho short long jobs",
    _workloads,
    {
        kappa: rho / (1 - rho),
        value: 2 * rho * (2 * long * short + (2 * rho - 1) * short**2)
        + kappa * (1 - jobs) * (long + (2 * rho - 1) * short) ** 2,
    },
    {flow: {short: -HALF, long: rho - HALF}},
)
MOST_WORK_TIE = algebra(
    "rho jobs total",
    {
        kappa: rho / (1 - rho),
        short: total / 2,
        long: total / 2,
        value: 2 * rho * (2 * long * short + (2 * rho - 1) * short**2)
        + kappa * (1 - jobs) * (long + (2 * rho - 1) * short) ** 2,
    },
)
BALANCED = Setting(
    "rho total imbalance",
    lambda: _plane_flow(-1),
    {value: HALF * (rho / (1 - rho) * total**2 - imbalance**2)},
    {flow: {total: rho - 1, imbalance: -rho}},
)
BALANCED_LIGHT = Setting(
    "rho total imbalance",
    lambda: _plane_flow(-1),
    {value: rho * (total - imbalance) ** 2 / (2 * (1 - 2 * rho))},
    {flow: {total: rho - 1, imbalance: -rho}},
)
SIZE_INTERVAL = Setting(
    "rho jobs total imbalance",
    lambda: _plane_flow(0),
    {
        value: rho
        / (1 - rho)
        * ((total**2 - imbalance**2) / 2 - (1 - 2 * jobs) * imbalance * (total - imbalance))
    },
    {flow: {total: rho - 1}},
)

COMPARISON = (
    Identity(
        "fluid-comparison.most-work-left",
        "all work to the longer queue: the cost falls at the cost rate 2 rho (long)",
        f"{RECORD}, the policy most work left; derived here",
        MOST_WORK,
        flow(value),
        -(2 * rho * long),
        (
            Miss("the cost of the short queue", -(2 * rho * short)),
            Miss("the factor two dropped", -(rho * long)),
            Miss("the sign", 2 * rho * long),
        ),
    ),
    Identity(
        "fluid-comparison.most-work-left-tie",
        "most work left from a tie",
        f"{RECORD}, the policy most work left; derived here",
        MOST_WORK_TIE,
        value,
        total**2 * (rho * (rho + HALF) + rho**3 * (1 - jobs) / (1 - rho)),
        (
            Miss(
                "the half dropped",
                total**2 * (rho * rho + rho**3 * (1 - jobs) / (1 - rho)),
            ),
            Miss(
                "one power of the load too few on the axis",
                total**2 * (rho * (rho + HALF) + rho**2 * (1 - jobs) / (1 - rho)),
            ),
            Miss(
                "the extra factor 2 rho on the axis (inferred)",
                total**2 * (rho * (rho + HALF) + 2 * rho**4 * (1 - jobs) / (1 - rho)),
            ),
        ),
    ),
    Identity(
        "fluid-comparison.balanced",
        "join the shortest workload: the cost falls at the cost rate 2 rho (short)",
        f"{RECORD}, balanced routing; derived here",
        BALANCED,
        flow(value),
        -(rho * (total - imbalance)),
        (
            Miss("the cost of the long queue", -(rho * (total + imbalance))),
            Miss("the imbalance dropped", -(rho * total)),
            Miss("the sign", rho * (total - imbalance)),
        ),
    ),
    Identity(
        "fluid-comparison.balanced-light",
        "the same with an idle short queue (load below 1/2)",
        "balanced routing at low load; derived here",
        BALANCED_LIGHT,
        flow(value),
        -(rho * (total - imbalance)),
        (
            Miss("the cost of the long queue", -(rho * (total + imbalance))),
            Miss("the factor two", -(2 * rho * (total - imbalance))),
            Miss("the sign", rho * (total - imbalance)),
        ),
    ),
    Identity(
        "fluid-comparison.size-interval",
        "small jobs to the short queue, split at the work median: the cost falls at the cost rate",
        "size-interval routing; derived here",
        SIZE_INTERVAL,
        flow(value),
        -(rho * (total - (1 - 2 * jobs) * imbalance)),
        (
            Miss("the sign of the imbalance", -(rho * (total + (1 - 2 * jobs) * imbalance))),
            Miss("the factor two dropped", -(rho * (total - (1 - jobs) * imbalance))),
            Miss("the imbalance alone", -(rho * (total - imbalance))),
        ),
    ),
)

median, ratio, tail, half_share, k = symbols("median ratio tail half-share k")
ENDS = algebra(
    "rho median dev ratio tail",
    {
        k: (1 - rho) / rho,
        kappa: rho / (1 - rho),
        half_share: HALF * (1 - ratio),
    },
)
AT_MEDIAN = algebra(
    "rho median dev",
    {kappa: rho / (1 - rho), ratio: dev / median, half_share: HALF * (1 - ratio)},
)

HEAVY_TRAFFIC = (
    Identity(
        "fluid-heavy-traffic.lower-end",
        "(1 - rho) times the axis value at the work median is the lower end",
        f"{RECORD}, Theorem 10; explicit ends derived here",
        AT_MEDIAN,
        (1 - rho) * (HALF * (kappa * (1 - dev / median) - 1 / median)),
        rho * half_share - (1 - rho) / (2 * median),
        (
            Miss("the sign of the correction", rho * half_share + (1 - rho) / (2 * median)),
            Miss("the half of the correction dropped", rho * half_share - (1 - rho) / median),
            Miss(
                "the factor two of the printed Proposition 3 (inferred)",
                2 * rho * half_share - (1 - rho) / (2 * median),
            ),
        ),
    ),
    Identity(
        "fluid-heavy-traffic.upper-end",
        "the tie value with 1/X >= r - r^2 k J is the upper end",
        f"{RECORD}, Theorem 10; explicit ends derived here",
        ENDS,
        rho / 2 * (1 - (ratio - ratio**2 * k * tail)),
        rho * half_share + (1 - rho) * ratio**2 * tail / 2,
        (
            Miss("the sign", rho * half_share - (1 - rho) * ratio**2 * tail / 2),
            Miss("one power of the ratio", rho * half_share + (1 - rho) * ratio * tail / 2),
            Miss("the half dropped", rho * half_share + (1 - rho) * ratio**2 * tail),
        ),
    ),
    Identity(
        "fluid-heavy-traffic.reciprocal",
        "1/(1/r + k J) exceeds r - r^2 k J by a positive term",
        "the geometric series; derived here",
        ENDS,
        1 / (1 / ratio + k * tail),
        ratio - ratio**2 * k * tail + ratio**3 * k**2 * tail**2 / (1 + ratio * k * tail),
        (
            Miss("no remainder", ratio - ratio**2 * k * tail),
            Miss(
                "the sign of the remainder",
                ratio - ratio**2 * k * tail - ratio**3 * k**2 * tail**2 / (1 + ratio * k * tail),
            ),
            Miss(
                "one power too few",
                ratio - ratio**2 * k * tail + ratio**2 * k**2 * tail**2 / (1 + ratio * k * tail),
            ),
        ),
    ),
)
