"""The distance of laws and of their least costs: the API, bad input, properties, other routes."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance as scipy_distance

from certify.errors import InputError
from certify.fluid import FiniteLaw, compare_laws, enclose_comparison, wasserstein_distance
from certify.fluid.continuous import Uniform
from certify.fluid.wasserstein import make, words
from certify.problem import read
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome
from tests.mutation.truth.fluid_wasserstein import truth

F = Fraction
RUNNING = FiniteLaw((("1/2", "1/2"), ("3/2", "1/2")))
NEAR = FiniteLaw((("2/5", "1/2"), ("8/5", "1/2")))

LOADS = st.fractions(F(1, 20), F(19, 20), max_denominator=20)
LAWS = (
    st.lists(
        st.tuples(st.fractions(0, 12, max_denominator=4), st.integers(1, 9)),
        min_size=1,
        max_size=5,
        unique_by=lambda pair: pair[0],
    )
    .filter(lambda pairs: any(size for size, _ in pairs))
    .map(
        lambda pairs: FiniteLaw.rescaled(
            (size, F(count, sum(each for _, each in pairs))) for size, count in pairs
        )
    )
)


@settings(max_examples=25, deadline=None)
@given(LAWS, LAWS, LOADS, st.fractions(0, 1, max_denominator=12))
def test_every_claim_is_verified_true_and_within_its_bound(
    first: FiniteLaw, second: FiniteLaw, load: Fraction, z: Fraction
) -> None:
    found = compare_laws(first, second, load)
    certificate = found.certificate(sorted({F(0), z, F(1)}))
    report = check_bytes(certificate.to_bytes())
    assert report.outcome is Outcome.VERIFIED, report.line()
    assert truth(certificate.claim) is True
    sharper = load * load / (1 - load) * found.deviation_distance
    for each in (F(0), z, F(1)):
        assert abs(found.difference(each)) <= sharper <= found.bound


@settings(max_examples=40, deadline=None)
@given(LAWS, LAWS, LAWS)
def test_the_distance_is_one(first: FiniteLaw, second: FiniteLaw, third: FiniteLaw) -> None:
    """Symmetric, zero only for equal laws, and no way round is shorter."""
    distance = wasserstein_distance(first, second)
    assert distance == wasserstein_distance(second, first)
    assert (distance == 0) == (first.atoms == second.atoms)
    assert distance <= wasserstein_distance(first, third) + wasserstein_distance(third, second)


@settings(max_examples=20, deadline=None)
@given(LAWS, LAWS)
def test_the_distance_by_another_library(first: FiniteLaw, second: FiniteLaw) -> None:
    columns = [
        np.array([[float(n) for n in atom] for atom in law.atoms]) for law in (first, second)
    ]
    (a, b), (c, d) = ((each[:, 0], each[:, 1]) for each in columns)
    assert scipy_distance(a, c, b, d) == pytest.approx(float(wasserstein_distance(first, second)))


@settings(max_examples=20, deadline=None)
@given(LAWS, LAWS, LOADS)
def test_exchanging_the_laws_turns_the_differences(
    first: FiniteLaw, second: FiniteLaw, load: Fraction
) -> None:
    one, two = compare_laws(first, second, load), compare_laws(second, first, load)
    assert (one.distance, one.bound) == (two.distance, two.bound)
    assert one.deviation_distance == two.deviation_distance
    assert one.difference(F(1, 3)) == -two.difference(F(1, 3))


def test_a_law_near_by_may_cost_less() -> None:
    found = compare_laws(NEAR, RUNNING, "3/4")
    assert (found.distance, found.difference(F(0))) == (F(1, 10), F(-3, 56))
    assert repr(found) == "LawComparison(distance=1/10, bound=9/40)"


def test_uniform_against_its_means_by_hand() -> None:
    """[0, 2] against 1/2 and 3/2: four triangles of area 1/16, and they turn at 1."""
    found = enclose_comparison(Uniform(F(0)), RUNNING, "3/4", (0,), 12)
    assert found.distance[0] < F(1, 4) < found.distance[1]
    assert found.deviation_distance[0] < F(1, 8) < found.deviation_distance[1]
    assert repr(found) == "EnclosedComparison(distance=0.25, bound=0.5625)"
    (turning,) = found.turning
    assert abs(turning - 1) < F(1, 10**20)
    assert check_bytes(found.certificate().to_bytes()).outcome is Outcome.VERIFIED


def test_turning_points_at_an_end() -> None:
    """All of [3/4, 5/4] lies between the sizes 1/2 and 3/2; and a size below all of a law."""
    found = enclose_comparison(Uniform(F(3, 4)), RUNNING, "3/4", (0,), 6)
    assert found.distance[0] < F(3, 8) < found.distance[1]
    assert check_bytes(found.certificate().to_bytes()).outcome is Outcome.VERIFIED
    other = FiniteLaw(((0, "1/4"), ("1/2", "1/4"), ("7/4", "1/2")))
    found = enclose_comparison(Uniform(F(3, 4)), other, "3/4", (0,), 6)
    assert found.turning[0] == F(1, 2)
    assert check_bytes(found.certificate().to_bytes()).outcome is Outcome.VERIFIED


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("", "first must be given, but was missing."),
        (
            "first = { atoms = [[1, 1]] }",
            "second must be given, but was missing.",
        ),
        (
            'first = { atoms = [[1, 1]] }\nsecond = { family = "exponential" }',
            "second must be given by atoms or sizes, but was of family exponential.",
        ),
        (
            "first = { atoms = [[2, 1]] }\nsecond = { atoms = [[1, 1]] }",
            "first.atoms must have mean 1 (FiniteLaw.rescaled, in a problem rescale = true, "
            "divides sizes by their mean), "
            "but was a mean of 2.",
        ),
        (
            'first = { family = "pareto", shape = 1 }\nsecond = { atoms = [[1, 1]] }',
            "first.shape must be greater than 1 (otherwise the mean is infinite), but was 1.",
        ),
        (
            'first = { family = "mixture" }\nsecond = { atoms = [[1, 1]] }',
            "first.family must be one of exponential, hyperexponential, balanced-hyperexponential, "
            "uniform, pareto, bounded-pareto, gamma, weibull, lognormal, but was mixture.",
        ),
        (
            "imbalances = []\nfirst = { atoms = [[1, 1]] }\nsecond = { atoms = [[1, 1]] }",
            "imbalances must be a non-empty list of numbers, but was [].",
        ),
    ],
)
def test_bad_input(tmp_path: Path, body: str, sentence: str) -> None:
    path = tmp_path / "problem.toml"
    path.write_text(f'load = "3/4"\n{body}\n')
    with pytest.raises(InputError) as caught:
        make(read(path))
    assert str(caught.value) == sentence


def test_words() -> None:
    assert words(compare_laws(NEAR, RUNNING, "3/4").certificate().claim) == (
        "Two size laws lie 1/10 apart (Wasserstein), so at load 3/4 their least costs from any "
        "start of total work 1 differ by at most 9/40; at imbalance 0 the first less the second "
        "is -3/56."
    )
