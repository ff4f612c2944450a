"""`python benchmarks/fluid_laws.py`: how narrow and how fast the fluid enclosures are, law by law.

For every family and five loads: the widest interval of the least cost (at imbalances 0 and 1/2,
total work 1) and the processor seconds to make the certificate and to check it. With `--sizes`:
the exact value of laws with many sizes instead. `--digits N` asks for other than 50 digits.
"""

import argparse
import time
from collections.abc import Callable
from fractions import Fraction
from typing import TypeVar

from certify import fluid
from certify.certificate import Certificate
from certify.fluid.continuous import ContinuousLaw
from certify.fluid.enclosure import enclose
from certify.fluid.many_sizes import exact_values
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.reader import LARGE

F = Fraction
LOADS = ("3/10", "1/2", "3/4", "9/10", "99/100")
LAWS: dict[str, ContinuousLaw] = {
    "exponential": fluid.Exponential(),
    "uniform [0, 2]": fluid.Uniform(F(0)),
    "uniform [1/2, 3/2]": fluid.Uniform(F(1, 2)),
    "Pareto 3/2": fluid.Pareto(F(3, 2)),
    "Pareto 101/100": fluid.Pareto(F(101, 100)),
    "bounded Pareto 3/2, ratio 1000": fluid.BoundedPareto(F(3, 2), F(1000)),
    "Erlang 4": fluid.Gamma(F(4)),
    "gamma 1/2": fluid.Gamma(F(1, 2)),
    "Weibull 1/2": fluid.Weibull(F(1, 2)),
    "lognormal 1": fluid.Lognormal(F(1)),
    "two phases (2, 4/7)": fluid.Hyperexponential((F(3, 10), F(7, 10)), (F(2), F(4, 7))),
    "balanced phases, variation 10": fluid.BalancedHyperexponential(F(10)),
    "half Pareto 3/2, half of size 1": fluid.Mixture(
        (fluid.Component(F(1, 2), F(1), fluid.Pareto(F(3, 2))),), ((F(1), F(1, 2)),)
    ),
}
COUNTS = (100, 300, 1000, 3000, 10_000)
Found = TypeVar("Found")


def timed(action: Callable[[], Found]) -> tuple[Found, float]:
    """What an action returns and the processor seconds it took."""
    start = time.process_time()
    found = action()
    return found, time.process_time() - start


def checked(certificate: Certificate) -> float:
    """The processor seconds of checking a certificate, which must be verified."""
    data = certificate.to_bytes()
    report, seconds = timed(lambda: check_bytes(data, limits=LARGE))
    if report.outcome.name != "VERIFIED":
        raise SystemExit(report.line())
    return seconds


def laws(digits: int) -> None:
    """One row a law, one column a load: width, make, check."""
    print("| law | " + " | ".join(f"load {load}" for load in LOADS) + " |")
    print("|---" * (len(LOADS) + 1) + "|")
    for name, law in LAWS.items():
        cells = []
        for load in LOADS:
            enclosure, make = timed(
                lambda law=law, load=load: enclose(law, load, [0, "1/2"], digits)
            )
            width = max(float(row.value[1] - row.value[0]) for row in enclosure.rows)
            check = checked(enclosure.certificate())
            cells.append(f"{width:.0e}, {make:.1f} s, {check:.1f} s")
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def sizes() -> None:
    """Exact values of many equally likely six-digit sizes at load 3/4."""
    print("| sizes | digits of the value | certificate | make | check |")
    print("|---" * 5 + "|")
    for count in COUNTS:
        listed = sorted(1 + (k * 48_271) % 10**6 for k in range(count))
        law = fluid.FiniteLaw.rescaled((size, F(1, count)) for size in listed)
        found, make = timed(lambda law=law: exact_values(law, "3/4"))
        certificate = found.certificate()
        length = len(certificate.claim["values"][0]["value"])
        bulk = len(certificate.to_bytes()) // 1000
        check = checked(certificate)
        print(f"| {count} | {length} | {bulk} kB | {make:.2f} s | {check:.2f} s |", flush=True)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--digits", type=int, default=50)
    parser.add_argument("--sizes", action="store_true")
    chosen = parser.parse_args()
    if chosen.sizes:
        sizes()
    else:
        laws(chosen.digits)


if __name__ == "__main__":
    main()
