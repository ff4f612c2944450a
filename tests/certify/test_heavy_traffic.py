"""Heavy traffic: the API, bad input, the bounds against the least cost."""

from fractions import Fraction
from pathlib import Path

import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.balls import ball, ends, precision
from certify.errors import InputError
from certify.fluid import FiniteLaw, dispatch
from certify.fluid.continuous import ContinuousLaw, Exponential, Pareto, Uniform
from certify.fluid.enclosure import enclose
from certify.fluid.heavy_traffic import enclose_heavy_traffic, in_heavy_traffic, make, words
from certify.fluid.mixtures import Component, Mixture
from certify.problem import read
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome
from tests.mutation.truth.fluid_heavy_traffic import truth

F = Fraction
RUNNING = FiniteLaw((("1/2", "1/2"), ("3/2", "1/2")))

LAWS = st.lists(
    st.tuples(st.fractions(0, 20, max_denominator=6), st.integers(1, 9)),
    min_size=2,
    max_size=7,
    unique_by=lambda pair: pair[0],
).map(
    lambda pairs: FiniteLaw.rescaled(
        (size, F(count, sum(each for _, each in pairs))) for size, count in pairs
    )
)


@settings(max_examples=60, deadline=None)
@given(LAWS, st.fractions(F(51, 100), F(999, 1000), max_denominator=1000))
def test_every_law_is_verified_and_true(law: FiniteLaw, load: Fraction) -> None:
    certificate = in_heavy_traffic(law).certificate([load, F(999_999, 1_000_000)])
    report = check_bytes(certificate.to_bytes())
    assert report.outcome is Outcome.VERIFIED, report.line()
    assert truth(certificate.claim) is True


@settings(max_examples=60, deadline=None)
@given(
    LAWS,
    st.fractions(F(51, 100), F(999, 1000), max_denominator=1000),
    st.fractions(0, 1, max_denominator=50),
)
def test_the_bounds_hold_at_every_imbalance(law: FiniteLaw, load: Fraction, z: Fraction) -> None:
    low, high = in_heavy_traffic(law).bound(load)
    assert low <= (1 - load) * dispatch(law, load).at(z) <= high


@settings(max_examples=30, deadline=None)
@given(LAWS)
def test_the_bounds_close_in_linearly(law: FiniteLaw) -> None:
    found = in_heavy_traffic(law)
    gaps = [high - low for low, high in map(found.bound, (F(9, 10), F(99, 100), F(999, 1000)))]
    assert gaps[0] == 10 * gaps[1] == 100 * gaps[2]
    middle = found.bound(1 - F(1, 10**30))
    assert all(abs(end - found.half_work_share) < F(1, 10**20) for end in middle)


def test_known_shares() -> None:
    assert in_heavy_traffic(RUNNING).half_work_share == F(1, 3)
    middle = FiniteLaw((("1/2", "1/4"), (1, "1/2"), ("3/2", "1/4")))
    assert in_heavy_traffic(middle).half_work_share == F(3, 8)


def test_the_largest_work_median_counts() -> None:
    """The sizes below 2 carry exactly half of the work: every size from 1 to 2 is a work median."""
    found = in_heavy_traffic(FiniteLaw((("1/2", "1/2"), (1, "1/4"), (2, "1/4"))))
    assert (found.work_median, found.half_work_share) == (2, F(1, 4))


def test_a_size_zero_is_no_work_median() -> None:
    found = in_heavy_traffic(FiniteLaw(((0, "1/2"), (2, "1/2"))))
    assert (found.work_median, found.half_work_share) == (2, F(1, 4))


def test_one_size_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        in_heavy_traffic(FiniteLaw(((1, 1),)))
    assert str(caught.value) == (
        "law.atoms must have at least two sizes (with one the bounds are infinitely far apart), "
        "but was 1."
    )


@pytest.mark.parametrize(
    ("loads", "sentence"),
    [
        ("[0.5]", "loads[0] must be greater than 1/2, but was 1/2."),
        ("[0.9, 0.25]", "loads[1] must be greater than 1/2, but was 1/4."),
        ("[1]", "loads[0] must be greater than 0 and less than 1, but was 1."),
        ("[]", "loads must be a non-empty list of numbers, but was []."),
        ("0.9", "loads must be a non-empty list of numbers, but was 9/10."),
    ],
)
def test_bad_loads(tmp_path: Path, loads: str, sentence: str) -> None:
    path = tmp_path / "problem.toml"
    path.write_text(f'loads = {loads}\n[law]\natoms = [["1/2", "1/2"], ["3/2", "1/2"]]\n')
    with pytest.raises(InputError) as caught:
        make(read(path))
    assert str(caught.value) == sentence


def test_words() -> None:
    assert words(in_heavy_traffic(RUNNING).certificate(["3/4"]).claim) == (
        "As the load tends to 1, (1 - load) times the least cost at total work 1 has the limit "
        "1/3 at every imbalance; at load 3/4 it lies between 1/6 and 25/72 and is 33/112 at a tie "
        "(1 load)."
    )


HALF_ONES = Mixture((Component(F(1, 2), F(1), Pareto(F(3, 2))),), ((F(1), F(1, 2)),))


def test_a_mixture_whose_atom_is_the_work_median() -> None:
    """One half of its work is all jobs below 1 and some of size 1."""
    found = enclose_heavy_traffic(HALF_ONES, ["9/10"], 4)
    assert found.work_median[0] < 1 < found.work_median[1]
    assert check_bytes(found.certificate().to_bytes()).outcome is Outcome.VERIFIED


@pytest.mark.parametrize("law", [Uniform(), Pareto(F(3, 2))])
def test_densities_by_floating_quadrature(law: ContinuousLaw) -> None:
    certificate = enclose_heavy_traffic(law, ["9/10"], 8).certificate()
    report = check_bytes(certificate.to_bytes())
    assert report.outcome is Outcome.VERIFIED, report.line()
    assert report.digits is not None
    assert report.digits >= 8
    assert truth(certificate.claim) is True


def test_the_bounds_of_a_density_hold_at_every_imbalance() -> None:
    """Uniform sizes: Pbar = 1 - 1/sqrt 2, and the integral of 1/D^2 is pi + 3."""
    found = enclose_heavy_traffic(Uniform(), ["3/5", "9/10"], 12)
    low, high = found.half_work_share
    assert 2 * (1 - high) ** 2 < 1 < 2 * (1 - low) ** 2
    with precision(100):
        share = 1 - 1 / arb(2).sqrt()
        high = ball(F(9, 10)) * share + (1 - 2 * share) ** 2 * (arb.pi() + 3) / 20
        assert found.rows[1].bound[1][0] < ends(high)[0] < found.rows[1].bound[1][1]
    for row in found.rows:
        values = enclose(Uniform(), row.load, [0, "1/2", 1], 12).rows
        scaled = [(1 - row.load) * end for each in values for end in each.value]
        assert row.bound[0][1] < min(scaled) < max(scaled) < row.bound[1][0]
        assert row.scaled_value[0] <= max(scaled)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("loads = [0.5]", "loads[0] must be greater than 1/2, but was 1/2."),
        ("loads = [0.9, 1]", "loads[1] must be greater than 0 and less than 1, but was 1."),
        ("loads = []", "loads must be a non-empty list of numbers, but was []."),
        ("loads = [0.9]\ndigits = 0", "digits must be a whole number from 1 to 10000, but was 0."),
        (
            "loads = [0.9]\nx = 1",
            "x must be a known key (here: digits, law, loads), but was unknown.",
        ),
    ],
)
def test_bad_problems_of_a_density(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "problem.toml"
    path.write_text(f'{text}\n[law]\nfamily = "exponential"\n')
    with pytest.raises(InputError) as caught:
        make(read(path))
    assert str(caught.value) == sentence
    with pytest.raises(InputError, match="loads must be a non-empty list"):
        enclose_heavy_traffic(Exponential(), [])


def test_words_of_a_density() -> None:
    assert words(enclose_heavy_traffic(Uniform(), ["3/4"], 12).certificate().claim) == (
        "As the load tends to 1, (1 - load) times the least cost at total work 1 has the limit "
        "about 0.292893218813 at every imbalance; at load 3/4 it lies between 0.131281566461 and "
        "0.351386252887 and is about 0.278004104716 at a tie (1 load)."
    )
