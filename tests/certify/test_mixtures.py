"""Mixtures of families and atoms: what adds up, what is refused, atoms as limits of densities."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.balls import ball
from certify.errors import InputError
from certify.fluid import (
    Component,
    Exponential,
    FiniteLaw,
    Gamma,
    Hyperexponential,
    Mixture,
    Pareto,
    Uniform,
    dispatch,
)
from certify.fluid.continuous import ContinuousLaw
from certify.fluid.enclosure import enclose, make, words
from certify.problem import read
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome
from tests.mutation.truth.fluid_enclosure import truth

F = Fraction
HALF = F(1, 2)
EVEN = Mixture([(HALF, HALF, Exponential()), (HALF, "3/2", Exponential())])
PARTS: list[ContinuousLaw] = [Exponential(), Uniform("1/2"), Pareto("5/2"), Gamma(2)]


def sentence(components: Any, atoms: Any = ()) -> str:
    with pytest.raises(InputError) as refused:
        Mixture(components, atoms)
    return str(refused.value)


@pytest.mark.parametrize(
    ("components", "atoms", "expected"),
    [
        ([], [(1, 1)], "law.components must have 1 to 100 components, but was 0."),
        (7, [], "law.components must be a list, but was 7."),
        ([(1, 1)], [], "law.components[0] must be (weight, mean, law), but was (1, 1)."),
        (
            [(0, 1, Exponential())],
            [(1, 1)],
            "law.components[0].weight must be positive, but was 0.",
        ),
        ([(1, "-1", Exponential())], [], "law.components[0].mean must be positive, but was -1."),
        ([(1, 1, EVEN)], [], None),
        (
            [(1, 1, FiniteLaw(((1, 1),)))],
            [],
            "law.components[0].law must be a law of one family, but was FiniteLaw((1, 1)).",
        ),
        ([(HALF, 1, Exponential())], 3, "law.atoms must be a list, but was 3."),
        ([(HALF, 1, Exponential())], [3], "law.atoms[0] must be a [size, mass] pair, but was 3."),
        (
            [(HALF, 1, Exponential())],
            [(-1, HALF)],
            "law.atoms[0] must have a size of at least 0, but was -1.",
        ),
        (
            [(HALF, 1, Exponential())],
            [(1, 0)],
            "law.atoms[0] must have a positive mass, but was 0.",
        ),
        (
            [(HALF, 1, Exponential())],
            [(1, "1/3")],
            "law must have weights and masses that sum to 1, but was a sum of 5/6.",
        ),
        (
            [(HALF, 2, Exponential())],
            [(1, HALF)],
            "law must have mean 1 (the weights times the means, and the atoms, added up), "
            "but was a mean of 3/2.",
        ),
    ],
)
def test_bad_mixtures(components: Any, atoms: Any, expected: str | None) -> None:
    found = sentence(components, atoms)
    if expected:
        assert found == expected
    else:
        assert found.startswith("law.components[0].law must be a law of one family, but was")


PROBLEM = """
kind = "fluid-enclosure"
load = "3/4"
imbalances = [0, 0.5]
digits = 8
path = true
[law]
family = "mixture"
atoms = [[1, 0.5]]
[[law.components]]
weight = 0.5
mean = 1
family = "pareto"
shape = 1.5
"""


def problem(tmp_path: Path, old: str = "", new: str = "") -> Any:
    path = tmp_path / "problem.toml"
    path.write_text(PROBLEM.replace(old, new) if old else PROBLEM)
    table = read(path)
    table.get("kind")
    return table


def test_a_problem_becomes_a_certificate(tmp_path: Path) -> None:
    certificate = make(problem(tmp_path))
    report = check_bytes(certificate.to_bytes())
    assert report.outcome is Outcome.VERIFIED, report.line()
    assert words(certificate.claim).startswith(
        "Emptying two queues at load 3/4 with a mixture of job sizes (1/2 of mean 1 Pareto job "
        "sizes (shape 3/2), 1/2 of size 1): enclosures of the least cost at 2 imbalances, and the "
        "path of the optimum through them; starting from equal queues, the optimum saves about "
        "0.2656223"
    )


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "shape = 1.5",
            "shape = 1",
            "law.components[0].shape must be greater than 1 (otherwise the mean is infinite), "
            "but was 1.",
        ),
        ("shape = 1.5", "", "law.components[0].shape must be given, but was missing."),
        ("mean = 1", "", "law.components[0].mean must be given, but was missing."),
        (
            "shape = 1.5",
            "shape = 1.5\nsigma = 1",
            "law.components[0].sigma must be a known key (here: family, mean, shape, weight), "
            "but was unknown.",
        ),
        ("[[law.components]]", "[law.components]", None),
        (
            "[0, 0.5]",
            "[0.5]",
            "imbalances must have at least two different numbers (a path needs a start and an "
            "end), but was [1/2].",
        ),
    ],
)
def test_bad_problems(tmp_path: Path, old: str, new: str, expected: str | None) -> None:
    with pytest.raises(InputError) as refused:
        make(problem(tmp_path, old, new))
    if expected:
        assert str(refused.value) == expected
    else:
        assert str(refused.value).startswith("law.components must be a list of tables, but was {")


def test_equal_atoms_are_merged() -> None:
    law = Mixture([Component(HALF, F(1), Exponential())], [(1, "1/4"), (1, "1/4")])
    assert law.atoms == ((F(1), HALF),)


@pytest.mark.parametrize("load", [F(3, 10), HALF, F(4, 5)])
def test_a_mixture_of_phases_is_hyperexponential(load: Fraction) -> None:
    """Two spellings of one law: the enclosures meet."""
    named = Hyperexponential((HALF, HALF), (HALF, F(3, 2)))
    one, other = (enclose(law, load, [0, HALF], 12) for law in (EVEN, named))
    assert max(one.saving[0], other.saving[0]) <= min(one.saving[1], other.saving[1])
    for mine, known in zip(one.rows, other.rows, strict=True):
        assert max(mine.value[0], known.value[0]) <= min(mine.value[1], known.value[1])


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from(PARTS),
    st.sampled_from(PARTS),
    st.fractions(F(1, 10), F(9, 10), max_denominator=10),
    st.fractions(0, 4, max_denominator=12),
    st.fractions(F(1, 50), 4, max_denominator=50),
)
def test_shares_and_deviations_add_up(
    first: ContinuousLaw, second: ContinuousLaw, mean: Fraction, size: Fraction, h: Fraction
) -> None:
    """D, the jobs and the work above h are the weighted sums over the parts and the atom."""
    mass = F(1, 4) if size <= 1 else F(1, 20)
    weight = (1 - mass) / 2
    rest = (1 - mass * size - weight * mean) / weight
    law = Mixture([(weight, mean, first), (weight, rest, second)], [(size, mass)])
    parts = ((weight, mean, first), (weight, rest, second))
    jobs = ball(mass if size > h else F(0))
    work, deviation = jobs * ball(size), ball(mass * abs(size - h))
    for share, scale, part in parts:
        jobs += ball(share) * part.share_above_at(ball(h / scale))
        work += ball(share * scale) * part.work_above(ball(h / scale))
        deviation += ball(share * scale) * part.deviation(ball(h / scale))
    if size != h:
        for found, expected in (
            (law.share_above_at(ball(h)), jobs),
            (law.work_above(ball(h)), work),
        ):
            assert abs(found - expected) < arb("1e-12")
    assert abs(law.deviation(ball(h)) - deviation) < arb("1e-12")


@pytest.mark.parametrize("load", [F(3, 10), F(3, 4), F(9, 10)])
def test_atoms_are_limits_of_densities(load: Fraction) -> None:
    """Uniform sizes within e of 1/2 and of 3/2 spread the atoms: V is smaller, but by no more
    than 2 kappa load W1 with the Wasserstein distance W1 = e/2 (fluid-bracket's convex order)."""
    exact = dispatch(FiniteLaw(((HALF, HALF), (F(3, 2), HALF))), load).at(F(0))
    for e in (F(1, 10), F(1, 1000), F(1, 10**6)):
        spread = [
            (HALF, HALF, Uniform(1 - 2 * e)),
            (HALF, F(3, 2), Uniform(1 - e * F(2, 3))),
        ]
        low, high = enclose(Mixture(spread), load, [0], 20).rows[0].value
        assert low <= exact
        assert exact - high <= 2 * load * load / (1 - load) * e / 2


def test_a_little_density_is_nearly_the_finite_law() -> None:
    """A weight e of exponential sizes moves V by at most 2 kappa load W1, W1 <= 2 e."""
    for load in (F(1, 4), F(3, 4)):
        exact = dispatch(FiniteLaw(((HALF, HALF), (F(3, 2), HALF))), load).at(F(0))
        for e in (F(1, 10), F(1, 10**6)):
            mass = (1 - e) / 2
            law = Mixture([(e, 1, Exponential())], [(HALF, mass), (F(3, 2), mass)])
            found = enclose(law, load, [0, 1], 12)
            low, high = found.rows[0].value
            slack = 2 * load * load / (1 - load) * 2 * e
            assert exact - slack <= low <= high <= exact + slack
            if load == F(3, 4):  # the exit cutoff is the atom 3/2, whose jobs are split
                assert found.exit_cutoff is not None
                assert found.exit_cutoff[0] < F(3, 2) < found.exit_cutoff[1]


HARD: list[tuple[Mixture, str]] = [
    (Mixture([("1/2", 1, Pareto("3/2"))], [("1/3", "1/4"), ("5/3", "1/4")]), "3/4"),
    (Mixture([("1/100", 10, Gamma("1/2"))], [(0, "9/100"), (1, "9/10")]), "9/10"),
    (Mixture([("1/20", 10, Exponential()), ("19/20", "10/19", Gamma(3))]), "7/10"),
    (Mixture([("1/2", "1/1000", Uniform(0))], [("1999/1000", "1/2")]), "3/10"),
]


@pytest.mark.parametrize(("law", "load"), HARD)
def test_hard_mixtures_are_made_and_verified(law: Mixture, load: str) -> None:
    certificate = enclose(law, load, [0, "1/3", 1], 8).certificate()
    report = check_bytes(certificate.to_bytes())
    assert report.outcome is Outcome.VERIFIED, report.line()
    assert report.digits is not None
    assert report.digits >= 8


def test_an_independent_quadrature_agrees() -> None:
    law = Mixture([("1/2", 1, Uniform("1/2"))], [("1/3", "1/4"), ("5/3", "1/4")])
    claim = enclose(law, "3/4", [0, 1], 8).certificate().claim
    assert truth(claim) is True
    claim["saving"] = {"lo": "3e-1", "hi": "301e-3"}
    assert truth(claim) is False


def test_an_exit_at_the_edge_of_a_gap_is_told() -> None:
    """Half of the work in sizes up to 1/2, the rest beyond 5/4: load 1 - 0 has its exit in the gap
    only at load 1; at W(1/2) = 1/(2 load) the smallest cutoff is the edge itself."""
    law = Mixture([("1/5", "3/2", Uniform("5/6"))], [("7/8", "4/5")])
    with pytest.raises(InputError, match=r"^load must not put the exit cutoff at the very edge"):
        enclose(law, "5/7", [0], 5)
    assert enclose(law, "71/100", [0], 5).exit_cutoff != enclose(law, "72/100", [0], 5).exit_cutoff
