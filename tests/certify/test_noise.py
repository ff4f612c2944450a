"""Noisy size estimates: the API, bad input, and properties against other routes."""

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.errors import InputError
from certify.fluid import (
    FiniteLaw,
    JointLaw,
    LognormalNoise,
    dispatch,
    enclose_noise,
    loss_from_noise,
)
from certify.fluid.noise import make, words
from certify.problem import read
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome
from tests.certify.test_fluid_dynamic_program import least_cost as grid_cost
from tests.mutation.truth.fluid_noise import truth

F = Fraction
RIGHT, WRONG = "3/8", "1/8"
RUNNING = JointLaw((("1/2", 0, RIGHT), ("1/2", 1, WRONG), ("3/2", 0, WRONG), ("3/2", 1, RIGHT)))

LOADS = st.fractions(F(1, 20), F(19, 20), max_denominator=20)
IMBALANCES = st.fractions(0, 1, max_denominator=12)
JOINTS = (
    st.lists(
        st.tuples(st.fractions(0, 12, max_denominator=4), st.integers(0, 3), st.integers(1, 9)),
        min_size=1,
        max_size=7,
        unique_by=lambda triple: triple[:2],
    )
    .filter(lambda triples: any(size for size, _, _ in triples))
    .map(
        lambda triples: JointLaw.rescaled(
            (size, estimate, F(count, sum(each for _, _, each in triples)))
            for size, estimate, count in triples
        )
    )
)


@settings(max_examples=25, deadline=None)
@given(JOINTS, LOADS, IMBALANCES)
def test_every_claim_is_verified_true_and_within_its_bounds(
    joint: JointLaw, load: Fraction, z: Fraction
) -> None:
    found = loss_from_noise(joint, load)
    certificate = found.certificate(sorted({F(0), z, F(1)}))
    report = check_bytes(certificate.to_bytes())
    assert report.outcome is Outcome.VERIFIED, report.line()
    assert truth(certificate.claim) is True
    for each in (F(0), z, F(1)):
        assert 0 <= found.at(each) <= found.bound
    assert found.at(F(0)) <= found.tie_bound
    assert found.distance <= joint.mean_error


@settings(max_examples=20, deadline=None)
@given(JOINTS, LOADS, IMBALANCES)
def test_noise_free_and_useless_estimates(joint: JointLaw, load: Fraction, z: Fraction) -> None:
    """The size as the estimate loses nothing; one estimate for all loses all that routing saves."""
    exact = JointLaw(tuple((s, s, m) for s, m in joint.full.atoms), "conditional-mean")
    assert loss_from_noise(exact, load).at(z) == 0
    assert loss_from_noise(exact, load).bound == 0
    blind = loss_from_noise(JointLaw(tuple((s, F(0), m) for s, m in joint.full.atoms)), load)
    assert blind.at(F(0)) == blind.tie_bound
    assert blind.at(F(0)) == load / (2 * (1 - load)) * dispatch(joint.full, load).saving
    assert blind.at(z) >= loss_from_noise(joint, load).at(z)


@settings(max_examples=20, deadline=None)
@given(JOINTS, LOADS, IMBALANCES)
def test_more_noise_loses_more(joint: JointLaw, load: Fraction, z: Fraction) -> None:
    """A coarser estimate, here the estimate halved and rounded, is worth no more."""
    coarse = JointLaw.rescaled((s, y // 2, m) for s, y, m in _as_given(joint))
    assert loss_from_noise(coarse, load).at(z) >= loss_from_noise(joint, load).at(z)


def _as_given(joint: JointLaw) -> list[tuple[Fraction, Fraction, Fraction]]:
    return [(s * joint.scale, y * joint.scale, m) for s, y, m in joint.entries]


def test_the_running_example_by_hand() -> None:
    """M is 3/4 or 5/4: by the running law's formula with spread 1/4 in the place of 1/2."""
    found = loss_from_noise(RUNNING, "3/4")
    assert RUNNING.seen == FiniteLaw((("3/4", "1/2"), ("5/4", "1/2")))
    assert (found.full.at(F(0)), found.seen.at(F(0)), found.at(F(0))) == (
        F(33, 28),
        F(69, 52),
        F(27, 182),
    )
    assert (RUNNING.mean_error, found.distance, found.least_deviation) == (
        F(3, 8),
        F(1, 4),
        F(1, 4),
    )
    assert found.bound == F(9, 16)
    assert found.tie_bound == ((1 + F(3, 2)) ** 2 - 1) * (F(3, 2) - F(69, 52))
    assert repr(found) == "NoiseLoss(load=3/4, from a tie 27/182)"


def test_a_dispatcher_that_sees_the_estimates_by_value_iteration() -> None:
    """The dynamic program over shares of estimates, each with its jobs and its own mean size."""
    groups = FiniteLaw(tuple((mean, mass) for _, mean, mass in RUNNING.means))
    grid = grid_cost(groups, 0.75, 10)
    found = loss_from_noise(RUNNING, "3/4")
    assert abs(grid[0] - float(found.seen.at(F(0)))) < 1e-3 * grid[0]
    assert abs(grid[300] - float(found.seen.at(F(1, 2)))) < 1e-3 * grid[0]


def test_equal_entries_are_merged_and_scales_kept() -> None:
    joint = JointLaw.rescaled(((10, 7, "1/4"), (10, 7, "1/4"), (30, 8, "1/2")))
    assert joint.notes == ("joint[1] repeats a size and estimate: its mass is added.",)
    assert joint.entries == ((F(1, 2), F(7, 20), F(1, 2)), (F(3, 2), F(2, 5), F(1, 2)))
    assert joint.scale == 20
    assert loss_from_noise(joint, "3/4").certificate().claim["scale"] == "20"


def test_declared_means_scale_with_the_sizes() -> None:
    joint = JointLaw.rescaled(
        ((10, 20, "1/4"), (30, 20, "1/4"), (40, 40, "1/2")), "conditional-mean"
    )
    assert joint.means == ((F(2, 3), F(2, 3), F(1, 2)), (F(4, 3), F(4, 3), F(1, 2)))


def test_lognormal_variances() -> None:
    law = LognormalNoise(F(4, 5), F(3, 5))
    assert (law.seen_variance, law.hidden_variance) == (F(16, 25) ** 2, F(12, 25) ** 2)


def test_lognormal_noise_between_none_and_all() -> None:
    found = enclose_noise(LognormalNoise(F(1), F(1, 2)), "3/4", (0,), 8)
    (row,) = found.certificate().claim["rows"]
    low, high = F(row["loss"]["lo"]), F(row["loss"]["hi"])
    assert 0 < low < high < found.bound[0]
    assert high < found.tie_bound[0]
    assert high - low < F(1, 10**7)
    # the conditional mean has a sigma of sqrt(4/5): one law on either side
    assert len(found.seen) == 2
    assert found.losses == ((low, high),)
    assert repr(found).startswith("EnclosedNoiseLoss(load=3/4, imbalance 0: 0.0522164")


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (
            'estimate = "conditional-mean"\njoint = [["1/2", "1/2", "3/8"], ["1/2", "3/2", "1/8"], '
            '["3/2", "1/2", "1/8"], ["3/2", "3/2", "3/8"]]',
            "joint must have estimates that are the mean size of the jobs with that estimate (as "
            'estimate = "conditional-mean" declares; "signal" makes no such claim), but was a mean '
            "size of 3/4 at the estimate 1/2.",
        ),
        (
            'estimate = "size"\njoint = [[1, 1, 1]]',
            "estimate must be one of signal, conditional-mean, but was size.",
        ),
        ("joint = []", "joint must have at least one entry, but was an empty list."),
        ("joint = 3", "joint must be a list of [size, estimate, mass] triples, but was 3."),
        (
            "joint = [[1, 1]]",
            "joint[0] must be a [size, estimate, mass] triple, but was [1, 1].",
        ),
        ("joint = [[-1, 1, 1]]", "joint[0] must have a size of at least 0, but was -1."),
        ("joint = [[1, 1, 0]]", "joint[0] must have a positive mass, but was 0."),
        (
            "joint = [[1, 1, 0.5]]",
            "joint must have masses that sum to 1, but was a sum of 1/2.",
        ),
        (
            "joint = [[2, 1, 1]]",
            "joint must have mean size 1 (JointLaw.rescaled, in a problem rescale = true, divides "
            "sizes by their mean), "
            "but was a mean of 2.",
        ),
        (
            "rescale = true\njoint = [[0, 1, 1]]",
            "joint must have a positive mean size, but was all sizes zero.",
        ),
        (
            'joint = [["a", 1, 1]]',
            'joint[0] must be an exact number such as 2, "0.85" or "17/20", but was \'a\'.',
        ),
        ("", "joint must be given, or else sizes and noise, but was neither."),
        (
            'joint = [[1, 1, 1]]\nsizes = { family = "lognormal", sigma = 1 }',
            "joint must be given, or else sizes and noise, but was both.",
        ),
        (
            'sizes = { family = "pareto", shape = 2 }\nnoise = 1',
            "sizes.family must be one of lognormal, but was pareto.",
        ),
        (
            'sizes = { family = "lognormal", sigma = 0 }\nnoise = 1',
            "sizes.sigma must be greater than 0, but was 0.",
        ),
        (
            'sizes = { family = "lognormal", sigma = 1 }\nnoise = "-1/2"',
            "noise must be greater than 0, but was -1/2.",
        ),
        (
            'sizes = { family = "lognormal", sigma = 1 }\nnoise = 1\ndigits = 61',
            "digits must be at most 60 for lognormal noise, but was 61.",
        ),
        (
            "imbalances = [2]\njoint = [[1, 1, 1]]",
            "imbalances[0] must be between 0 and 1, but was 2.",
        ),
    ],
)
def test_bad_input(tmp_path: Path, body: str, sentence: str) -> None:
    path = tmp_path / "problem.toml"
    path.write_text(f'load = "3/4"\n{body}\n')
    with pytest.raises(InputError) as caught:
        make(read(path))
    assert str(caught.value) == sentence


def test_bad_load() -> None:
    with pytest.raises(InputError, match="load must be greater than 0 and less than 1"):
        loss_from_noise(RUNNING, 1)


def test_words() -> None:
    assert words(loss_from_noise(RUNNING, "3/4").certificate().claim) == (
        "A dispatcher of two queues at load 3/4 that sees only estimates of the sizes in a joint "
        "law of 4 entries loses 27/182 at total work 1 and imbalance 0 (least cost 33/28 with "
        "sizes seen, 69/52 without), and at most 9/16 from any start of "
        "total work 1."
    )
