"""Continuous laws and their enclosures: what is refused, what is promised, what varies smoothly."""

from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.errors import InputError
from certify.fluid.continuous import (
    FAMILIES,
    BoundedPareto,
    ContinuousLaw,
    Exponential,
    Gamma,
    Hyperexponential,
    Lognormal,
    Pareto,
    Uniform,
    Weibull,
)
from certify.fluid.enclosure import enclose, make, words
from certify.fluid.mixtures import read_sizes
from certify.problem import Table, read
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome

F = Fraction


@pytest.mark.parametrize(
    ("family", "parameters", "sentence"),
    [
        (
            "pareto",
            {"shape": 1},
            "law.shape must be greater than 1 (otherwise the mean is infinite), but was 1.",
        ),
        ("pareto", {"shape": 1.5}, None),
        ("uniform", {"lowest": 1}, "law.lowest must be at least 0 and less than 1, but was 1."),
        ("lognormal", {"sigma": 0}, "law.sigma must be greater than 0, but was 0."),
        ("gamma", {"shape": "-1/2"}, "law.shape must be greater than 0, but was -1/2."),
        ("gamma", {"shape": 1001}, "law.shape must be at most 1000, but was 1001."),
        ("weibull", {"shape": 0}, "law.shape must be greater than 0, but was 0."),
        ("weibull", {"shape": "1/101"}, "law.shape must be at least 1/100, but was 1/101."),
        (
            "bounded-pareto",
            {"shape": 1, "ratio": 1},
            "law.ratio must be greater than 1, but was 1.",
        ),
        (
            "balanced-hyperexponential",
            {"squared_variation": 1},
            "law.squared_variation must be greater than 1, but was 1.",
        ),
        (
            "hyperexponential",
            {"weights": ["1/2", "1/2"], "means": [1]},
            "law.means must have 2 entries, one for each weight, but was 1.",
        ),
        (
            "hyperexponential",
            {"weights": ["1/2", "1/3"], "means": [1, 1]},
            "law.weights must sum to 1, but was a sum of 5/6.",
        ),
        (
            "hyperexponential",
            {"weights": ["1/2", "1/2"], "means": [1, 2]},
            "law.means must give an overall mean of 1, but was a mean of 3/2.",
        ),
        (
            "hyperexponential",
            {"weights": ["1/2", "1/2"], "means": [-1, 3]},
            "law.means[0] must be positive, but was -1.",
        ),
        (
            "hyperexponential",
            {"weights": [], "means": []},
            "law.weights must be a non-empty list of numbers, but was [].",
        ),
        (
            "pareto",
            {"shape": F(10**41 + 1, 10**41)},
            "law.shape must have a numerator and denominator of at most 40 digits, but was "
            f"{10**41 + 1}/{10**41}.",
        ),
    ],
)
def test_bad_parameters(family: str, parameters: dict[str, Any], sentence: str | None) -> None:
    with pytest.raises(InputError) as refused:
        FAMILIES[family](**parameters)
    if sentence is not None:
        assert str(refused.value) == sentence


PROBLEM = """
kind = "fluid-enclosure"
load = "3/4"
imbalances = [0, 0.5]
digits = 8
[law]
family = "pareto"
shape = 2.5
"""


def problem(tmp_path: Path, old: str = "", new: str = "") -> Any:
    path = tmp_path / "problem.toml"
    path.write_text(PROBLEM.replace(old, new) if old else PROBLEM)
    table = read(path)
    table.get("kind")
    return table


def test_a_problem_becomes_a_certificate(tmp_path: Path) -> None:
    certificate = make(problem(tmp_path))
    assert certificate.claim["law"] == {"family": "pareto", "shape": "5/2"}
    assert check_bytes(certificate.to_bytes()).outcome is Outcome.VERIFIED
    assert certificate.to_bytes() == make(problem(tmp_path)).to_bytes()
    assert (
        words(certificate.claim)
        == (
            "Emptying two queues at load 3/4 with Pareto job sizes (shape 5/2): enclosures of the "
            "least cost at 2 imbalances; starting from equal queues, the optimum saves about "
            f"{float(enclose(Pareto(F(5, 2)), '3/4', [0], 14).saving[0]):.8f}"
        )
        + words(certificate.claim).partition("saves about ")[2][10:]
    )


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('"3/4"', '"1"', "load must be greater than 0 and less than 1, but was 1."),
        ("[0, 0.5]", "[0, 1.5]", "imbalances[1] must be between 0 and 1, but was 3/2."),
        ("[0, 0.5]", "[]", "imbalances must be a non-empty list of numbers, but was []."),
        ("digits = 8", "digits = 0", "digits must be a whole number from 1 to 10000, but was 0."),
        ("shape = 2.5", "", "law.shape must be given, but was missing."),
        (
            "shape = 2.5",
            "shape = 2.5\nscale = 2",
            "law.scale must be a known key (here: family, shape), but was unknown.",
        ),
        (
            '"pareto"',
            '"cauchy"',
            f"law.family must be one of {', '.join(FAMILIES)}, mixture, but was cauchy.",
        ),
    ],
)
def test_bad_problems(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    with pytest.raises(InputError) as refused:
        make(problem(tmp_path, old, new))
    assert str(refused.value) == sentence


def test_an_exit_cutoff_beyond_reading_is_told() -> None:
    with pytest.raises(InputError, match="have an exit cutoff below"):
        enclose(Pareto(F(10**6 + 1, 10**6)), "3/4")
    assert enclose(Pareto(F(10**6 + 1, 10**6)), "1/2", [0], 6).exit_cutoff is None


HARD: list[tuple[ContinuousLaw, str, list[str]]] = [
    (Exponential(), "3/4", ["1/1000000000000", "999999999999/1000000000000"]),
    (Pareto(F(101, 100)), "51/100", ["0", "1/2"]),
    (Uniform(F(999, 1000)), "3/4", ["0", "1/2", "1"]),
    (Weibull(F(1, 5)), "1/100", ["0", "1/3"]),
    (Weibull(F(30)), "99/100", ["1/3"]),
    (Lognormal(F(3)), "99/100", ["1/3"]),
    (Gamma(F(1, 9)), "3/4", ["1"]),
    (BoundedPareto(F(1, 3), F(10**9)), "1/2", ["1/3", "1"]),
    (Hyperexponential((F(999, 1000), F(1, 1000)), (F(500, 999), F(500))), "501/1000", ["9/10"]),
]


@pytest.mark.parametrize(("law", "load", "imbalances"), HARD)
def test_hard_cases_are_made_and_verified(
    law: ContinuousLaw, load: str, imbalances: list[str]
) -> None:
    certificate = enclose(law, load, imbalances, 8).certificate()
    report = check_bytes(certificate.to_bytes())
    assert report.outcome is Outcome.VERIFIED, report.line()
    assert report.digits is not None
    assert report.digits >= 8


def test_a_hundred_digits() -> None:
    certificate = enclose(Pareto(F(3, 2)), "3/4", [0, "1/2"], 100).certificate()
    report = check_bytes(certificate.to_bytes())
    assert report.outcome is Outcome.VERIFIED, report.line()
    assert report.digits is not None
    assert report.digits >= 100


def test_more_digits_lie_inside_fewer() -> None:
    coarse, fine = (enclose(Lognormal(F(1)), "2/3", ["1/4"], d).rows[0] for d in (5, 15))
    for name in ("value", "cutoff", "time"):
        (low, high), (inner_low, inner_high) = getattr(coarse, name), getattr(fine, name)
        assert low <= inner_low <= inner_high <= high


def test_the_lowest_size_of_a_uniform_law_is_0_unless_given() -> None:
    assert read_sizes(Table({"law": {"family": "uniform"}})) == Uniform()


@settings(max_examples=12, deadline=None)
@given(
    st.sampled_from(["pareto", "gamma", "weibull"]),
    st.fractions(min_value=F(3, 2), max_value=6, max_denominator=20),
    st.fractions(min_value=F(1, 10), max_value=F(19, 20), max_denominator=30),
    st.fractions(min_value=0, max_value=1, max_denominator=30),
)
def test_random_claims_are_verified(
    family: str, shape: Fraction, load: Fraction, z: Fraction
) -> None:
    law = FAMILIES[family](shape=shape)  # type: ignore[call-arg]
    found = enclose(law, load, [z], 5)
    report = check_bytes(found.certificate().to_bytes())
    assert report.outcome is Outcome.VERIFIED, report.line()
    row = found.rows[0]
    assert F(0) <= row.value[0] <= load / (2 * (1 - load)), "balanced routing costs more"
    assert row.time[1] <= 1 / (1 - load)


def test_more_variable_sizes_cost_less() -> None:
    """Gamma laws decrease in convex order as the shape grows, and cost more."""
    values = [enclose(Gamma(F(n)), "3/4", ["1/5"], 6).rows[0].value for n in (1, 2, 4, 8)]
    assert all(a[1] < b[0] for a, b in pairwise(values))


def test_exponential_sizes_are_gamma_weibull_and_one_phase() -> None:
    laws = [Exponential(), Gamma(F(1)), Weibull(F(1)), Hyperexponential((F(1),), (F(1),))]
    rows = [enclose(law, "5/8", ["2/3"], 20).rows[0] for law in laws]
    for row in rows[1:]:
        assert row.value[0] <= rows[0].value[1]
        assert rows[0].value[0] <= row.value[1]


def test_both_sides_of_half_load_meet() -> None:
    """The exit cutoff is infinite up to load 1/2 and finite above it; the value does not jump."""
    step = F(1, 10**9)
    values = [
        enclose(Exponential(), F(1, 2) + d, ["1/2"], 12).rows[0].value for d in (-step, 0, step)
    ]
    assert values[0][1] < values[1][0] < values[1][1] < values[2][0]
    assert values[2][1] - values[0][0] < 10 * step


def test_repr_says_what_it_is() -> None:
    text = repr(enclose(Exponential(), "3/4", [0], 5))
    assert text == "Enclosure(law=Exponential(), load=3/4, saving=0.390454)"
