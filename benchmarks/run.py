"""`python benchmarks/run.py`: what a certified number costs against what one would use instead.

Every line times both sides several times in this one run and prints the medians and their ratio.
Nothing here is a test; the figures vary with the machine, the ratios less.
"""

import statistics
import time
from collections.abc import Callable
from fractions import Fraction
from math import exp, log

import mpmath
from rich.console import Console
from rich.table import Table
from scipy.optimize import brentq

from certify import fluid
from certify.fluid.laws import FiniteLaw
from certify.softmax import ReflectedUAS
from certify.softmax.equilibrium import solve
from proofs_checks.checker.cli import check_bytes

RUNS = 3


def median(action: Callable[[], object]) -> float:
    """The median wall time of a few runs, in seconds."""
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def many_servers(count: int) -> ReflectedUAS:
    """A system of `count` different servers at load 0.8."""
    rates = [Fraction(500_000 + (k * 7_919_993) % 2_500_000, 10**6) for k in range(count)]
    parameters = {"alpha": 20, "beta": "0.85", "gamma": "0.5", "offset": "0.5"}
    return ReflectedUAS(sum(rates) * Fraction(4, 5), rates, **parameters)  # type: ignore[arg-type]


def root_in_floats(system: ReflectedUAS) -> float:
    """The consistency equation solved by a bracketing root finder in floating point."""
    alpha, beta, gamma, offset = map(
        float, (system.alpha, system.beta, system.gamma, system.offset)
    )
    rates = [float(rate) for rate in system.service_rates]
    theta = [mu ** (gamma - 1) * exp(-alpha * offset / mu**beta) for mu in rates]
    arrival = float(system.arrival_rate)

    def surplus(log_root: float) -> float:
        root = exp(log_root)
        return sum(mu * min(1, t / root) for mu, t in zip(rates, theta, strict=True)) - arrival

    return exp(brentq(surplus, log(min(theta)), log(max(theta)) + 1, xtol=1e-14))


def many_sizes(count: int) -> FiniteLaw:
    """A law of `count` equally likely sizes with six-digit rational entries and mean one."""
    sizes = [Fraction(1 + (k * 48_271) % 10**6, 10**6) for k in range(count)]
    mean = sum(sizes) / count
    return FiniteLaw([(size / mean, Fraction(1, count)) for size in sorted(sizes)])


def value_by_quadrature(law: FiniteLaw, load: Fraction, digits: int) -> mpmath.mpf:
    """V at a tie from the integral of 1/D^2, piece by piece, in mpmath."""
    with mpmath.workdps(digits):
        atoms = [tuple(mpmath.mpf(x.numerator) / x.denominator for x in atom) for atom in law.atoms]
        rho = mpmath.mpf(load.numerator) / load.denominator

        def deviation(h: mpmath.mpf) -> mpmath.mpf:
            return mpmath.fsum(mass * abs(size - h) for size, mass in atoms)

        share, last = mpmath.mpf(0), 0
        while share < 1 / (2 * rho):
            share += atoms[last][0] * atoms[last][1]
            last += 1
        knots = [mpmath.mpf(0), *(size for size, _ in atoms[:last])]
        integral = mpmath.quad(lambda u: 1 / deviation(u) ** 2, knots)
        level = knots[-1] / deviation(knots[-1]) + (1 - rho) / rho * integral
        return rho / (2 * (1 - rho)) * (1 - 1 / level)


def main() -> None:
    """Print the table."""
    grid = Table("what", "certified s", "instead", "instead s", "ratio", box=None)

    def line(what: str, ours: float, instead: str, theirs: float) -> None:
        grid.add_row(what, f"{ours:.4f}", instead, f"{theirs:.4f}", f"{ours / theirs:.2f}")

    for count in (100, 10_000):
        system = many_servers(count)
        found = solve(system)
        make = median(lambda system=system: solve(system))
        data = found.certificate(summary=True).to_bytes()
        check = median(lambda data=data: check_bytes(data))
        floats = median(lambda system=system: root_in_floats(system))
        line(f"K*, {count} servers, 50 digits: make", make, "scipy brentq, floats", floats)
        line(f"K*, {count} servers, 50 digits: check", check, "making it", make)
    for count in (20, 100, 300):
        law, load = many_sizes(count), Fraction(3, 4)
        policy = fluid.dispatch(law, load)
        make = median(lambda law=law, load=load: fluid.dispatch(law, load).certificate([0]))
        data = policy.certificate([0]).to_bytes()
        check = median(lambda data=data: check_bytes(data))
        line(f"V exactly, {count} sizes: check", check, "making it", make)
        if count <= 20:
            quad = median(lambda law=law, load=load: value_by_quadrature(law, load, 30))
            line(f"V exactly, {count} sizes: make", make, "mpmath quad, 30 digits", quad)
    Console().print(grid)


if __name__ == "__main__":
    main()
