"""Published and derived numbers for continuous laws, and routes that share nothing with the value.

The tables of doi 10.5281/zenodo.23586955 cover six laws at load 3/4; the closed forms are
consequences of fluid-characteristics.md.
"""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from flint import arb
from mpmath import mp, mpf

from certify import shipped
from certify.fluid.continuous import (
    BalancedHyperexponential,
    ContinuousLaw,
    Exponential,
    Gamma,
    Lognormal,
    Pareto,
    Uniform,
)
from certify.fluid.enclosure import Ends, enclose
from certify.kinds import make_file
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome
from tests.mutation.truth.fluid_enclosure import truth

F = Fraction
SIX: list[tuple[ContinuousLaw, str]] = [
    (Uniform(), "1.112016"),
    (Exponential(), "0.914319"),
    (Gamma(F(4)), "1.164257"),
    (Lognormal(F(1)), "0.876359"),
    (Pareto(F(3, 2)), "0.853892"),
    (BalancedHyperexponential(F(10)), "0.673872563302"),
]


def rounds_to(ends: Ends, printed: str) -> bool:
    number = F(printed)
    half = F(1, 2) / 10 ** len(printed.partition(".")[2])
    return number - half <= ends[0] and ends[1] <= number + half


@pytest.mark.parametrize(("law", "printed"), SIX)
def test_the_values_of_the_tabulated_laws(law: ContinuousLaw, printed: str) -> None:
    assert rounds_to(enclose(law, F(3, 4), [0], 14).rows[0].value, printed)


def test_savings_against_balanced_routing_reach_43_percent() -> None:
    savings = [enclose(law, F(3, 4), [0], 6).saving for law, _ in SIX[:5]]
    assert rounds_to(max(savings), "0.43")


@pytest.mark.parametrize(
    ("shape", "load", "digits"),
    [
        (F(3, 2), "3/4", "0.85389176808017834959261881478506110775"),
        (F(101, 100), "3/4", "0.40187317844479063632994717824429596681"),
        (F(3, 2), "9/10", "1.74915269806299214991715620593893718931"),
        (F(101, 100), "9/10", "0.48926006643844771169300769010500626900"),
    ],
)
def test_pareto_values(shape: Fraction, load: str, digits: str) -> None:
    low, high = enclose(Pareto(shape), load, [0]).rows[0].value
    assert F(digits) <= low
    assert high <= F(digits) + F(1, 10**38)
    assert high - low < F(1, 10**50)


def test_exit_cutoffs_in_closed_form() -> None:
    low, high = enclose(Pareto(F(3, 2)), F(3, 4), [0]).exit_cutoff or (0, 0)
    assert low <= 3 <= high
    assert high - low < F(1, 10**50)
    for load in (F(3, 4), F(99, 100)):
        low, high = enclose(Uniform(), load, [0]).exit_cutoff or (0, 0)
        assert low * low <= 2 / load <= high * high
    low, high = enclose(Pareto(F(101, 100)), F(3, 4), [0]).exit_cutoff or (0, 0)
    with mp.workdps(80):
        exact = mpf(1) / 101 * mpf(3) ** 100
        assert mpf(low.numerator) / low.denominator <= exact
        assert exact <= mpf(high.numerator) / high.denominator


def test_uniform_and_pareto_2_share_pi_plus_4() -> None:
    with mp.workdps(80):
        exact = 1 / (mp.pi + 4)
        for law in (Uniform(), Pareto(F(2))):
            low, high = enclose(law, F(1, 2), [0], 60).saving
            assert mpf(low.numerator) / low.denominator < exact
            assert exact < mpf(high.numerator) / high.denominator


@pytest.mark.parametrize("load", [F(3, 10), F(1, 2), F(3, 4), F(99, 100)])
def test_uniform_in_closed_form(load: Fraction) -> None:
    """X(0) from the antiderivative 2 (t/(1 + t^2) + atan t), t = h - 1."""
    low, high = enclose(Uniform(), load, [0]).saving
    with mp.workdps(80):
        k = mpf((1 - load).numerator) / (1 - load).denominator
        k /= mpf(load.numerator) / load.denominator

        def primitive(t: Any) -> Any:
            return 2 * (t / (1 + t * t) + mp.atan(t))

        if load > F(1, 2):
            h = mp.sqrt(2 / (mpf(load.numerator) / load.denominator))
            reach = 2 * h / (1 + (h - 1) ** 2) + k * (primitive(h - 1) - primitive(mpf(-1)))
        else:
            reach = 1 + k * (1 + primitive(mpf(1)) - primitive(mpf(-1)))
        assert mpf(low.numerator) / low.denominator < 1 / reach
        assert 1 / reach < mpf(high.numerator) / high.denominator


@pytest.mark.parametrize(("law", "load"), [(Exponential(), F(4, 5)), (Pareto(F(3, 2)), F(2, 5))])
def test_the_closed_loop_costs_what_is_claimed(law: ContinuousLaw, load: Fraction) -> None:
    """Follow the claimed cutoffs by Euler's midpoint rule, from imbalance 1/10 to 9/10.

    The workloads' own equations are used, no value formula; between two listed imbalances the
    cutoff is interpolated.
    """
    found = enclose(law, load, [F(i, 40) for i in range(40)], 8)
    cutoffs = [float(row.cutoff[0]) if row.cutoff else 0.0 for row in found.rows]
    rho, start, end = float(load), found.rows[4], found.rows[36]

    def rates(short: float, long: float) -> tuple[float, float, float]:
        z = (long - short) / (short + long)
        place = min(int(z * 40), 38)
        share = z * 40 - place
        h = arb(cutoffs[place] * (1 - share) + cutoffs[place + 1] * share)
        jobs, work = 1 - float(law.share_above_at(h)), 1 - float(law.work_above(h))
        cost = 2 * rho * (jobs * short + (1 - jobs) * long)
        return rho * work - 0.5, rho * (1 - work) - 0.5, cost

    short, long, cost, elapsed = 0.45, 0.55, 0.0, 0.0
    step = float(start.time[0]) / 2000
    while (long - short) / (short + long) < 0.9:
        first = rates(short, long)
        middle = rates(short + step / 2 * first[0], long + step / 2 * first[1])
        short, long = short + step * middle[0], long + step * middle[1]
        cost, elapsed = cost + step * middle[2], elapsed + step
    left = short + long
    total = cost + left**2 * float(end.value[0])
    assert total == pytest.approx(float(start.value[0]), rel=2e-3)
    assert total >= float(start.value[0]) * (1 - 2e-3)
    assert elapsed + left * float(end.time[0]) == pytest.approx(float(start.time[0]), rel=2e-3)


FAST = [  # the others take mpmath longer
    "exponential-75", "uniform-30", "uniform-50", "uniform-99", "pareto-75", "pareto-heavy-75",
    "bounded-pareto", "phases",
]  # fmt: skip


@pytest.mark.parametrize("name", FAST)
def test_shipped_problems_against_80_digit_quadrature(name: str) -> None:
    certificate = make_file(shipped.find(f"fluid-enclosure-{name}"))
    report = check_bytes(certificate.to_bytes())
    assert report.outcome is Outcome.VERIFIED
    assert report.digits is not None
    assert report.digits >= 50
    assert truth(certificate.claim) is True


def test_every_problem_of_the_kind_asks_for_its_own_thing() -> None:
    names = sorted(Path(shipped.FOLDER).glob("fluid-enclosure-*.toml"))
    assert len(names) >= 24
    assert len({path.read_text() for path in names}) == len(names)
