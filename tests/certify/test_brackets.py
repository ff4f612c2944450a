"""Brackets: laws with rational bin data, known values inside, orders, and bad input."""

from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.errors import InputError
from certify.fluid import FiniteLaw, dispatch
from certify.fluid.brackets import Bracket, ParetoBins, UniformBins, bracket, make, words
from certify.kinds import make as make_problem
from certify.problem import Table, read
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome
from tests.mutation.truth.fluid_bracket import truth

F = Fraction
RUNNING = FiniteLaw((("1/2", "1/2"), ("3/2", "1/2")))
FOUR = FiniteLaw(((0, "1/4"), ("1/2", "1/4"), (1, "1/4"), ("5/2", "1/4")))
PARETO = ParetoBins(F(3, 2))


def many(count: int) -> FiniteLaw:
    """A heavy-tailed law with many sizes."""
    return FiniteLaw.rescaled((F(i**3 + i, 7), F(1, count)) for i in range(count))


def verified(found: Bracket) -> Bracket:
    report = check_bytes(found.certificate().to_bytes())
    assert report.outcome is Outcome.VERIFIED, report.line()
    return found


def test_one_bin_is_balanced_routing() -> None:
    found = verified(bracket(RUNNING, "3/4", 1))
    assert (found.lower, found.upper, found.regret) == (F(33, 28), F(3, 2), F(9, 28))


def test_a_bin_for_every_size_costs_nothing() -> None:
    found = verified(bracket(FOUR, "9/10", [0, "1/2", 1], "1/2"))
    assert (found.lower, found.upper, found.regret) == (F(313, 163), F(313, 163), 0)


LAWS = st.one_of(
    st.just(FOUR),
    st.integers(61, 90).map(many),
    st.fractions(F(6, 5), 3, max_denominator=5).map(ParetoBins),
    st.fractions(0, F(8, 9), max_denominator=9).map(UniformBins),
)


@settings(max_examples=40, deadline=None)
@given(
    LAWS,
    st.fractions(F(1, 10), F(19, 20), max_denominator=20),
    st.integers(1, 6),
    st.fractions(0, 1, max_denominator=8),
    st.integers(2, 12),
)
def test_every_bracket_is_verified(
    law: Any, load: Fraction, bins: int, z: Fraction, knots: int
) -> None:
    found = verified(bracket(law, load, bins, z, knots))
    assert found.lower <= found.upper
    if isinstance(law, FiniteLaw) and len(law.atoms) < 80:
        assert truth(found.certificate().claim) is True
        assert found.lower <= dispatch(law, load).at(z)


@pytest.mark.parametrize("law", [PARETO, ParetoBins(F(7, 3)), UniformBins(), UniformBins(F(1, 3))])
@pytest.mark.parametrize(("load", "z"), [("3/4", 0), ("3/10", "1/4"), ("9/10", 1), ("1/2", 0)])
def test_against_quadrature(law: Any, load: str, z: Any) -> None:
    """mpmath's value lies inside; the ends are close to it."""
    found = verified(bracket(law, load, 12, z, 20))
    assert truth(found.certificate().claim) is True
    assert found.regret < F(1, 100)


def test_the_width_falls_with_the_square_of_the_number_of_bins() -> None:
    widths = [verified(bracket(PARETO, "3/4", bins)).regret for bins in (9, 17, 33, 65)]
    ratios = [first / second for first, second in pairwise(widths)]
    assert all(F(7, 2) < ratio < 5 for ratio in ratios), [float(r) for r in ratios]


def test_more_knots_give_a_larger_lower_end() -> None:
    lows = [bracket(PARETO, "3/4", 2, knots=knots).lower for knots in (5, 9, 17, 33)]
    assert lows == sorted(lows)
    assert bracket(PARETO, "3/4", 2, knots=33).lower < F("0.853891768080178350")


def test_finer_bins_cost_less() -> None:
    """Convex order: the conditional means of finer bins are more variable."""
    coarse, fine = ("1/2", "1"), ("1/4", "1/2", "3/4", "1", "3/2")
    law = UniformBins()
    assert bracket(law, "3/4", fine).upper < bracket(law, "3/4", coarse).upper


def test_the_rounded_lower_end_is_close_to_the_least_cost() -> None:
    law = many(70)  # too many sizes for the exact route, few enough to know the least cost
    least = dispatch(law, "7/10").at(F(1, 3))
    found = verified(bracket(law, "7/10", 5, "1/3", 70))
    assert 0 <= least - found.lower < F(1, 10**18)


def test_a_heavy_tail_with_an_astronomic_exit_cutoff() -> None:
    found = verified(bracket(ParetoBins(F(101, 100)), "3/4", 8, 0, 60))
    assert found.bins[-1] > 10**45
    assert found.lower < F("0.401873178444790639") < found.upper


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("bins = 0", "bins must be a whole number from 1 to 200, or sizes, but was 0."),
        ("bins = 201", "bins must be a whole number from 1 to 200, or sizes, but was 201."),
        ('bins = "many"', "bins must be a whole number or a list of sizes, but was 'many'."),
        ("bins = [1, 1]", "bins[1] must end a bin with jobs above the last, but was 1."),
        ("bins = [0.25]", "bins[0] must end a bin with jobs above the last, but was 1/4."),
        ('bins = ["3/2"]', "bins must leave jobs for the last bin, but was 3/2."),
        ("bins = 2\nknots = 1", "knots must be a whole number from 2 to 2000, but was 1."),
        ("bins = 2\nimbalance = 2", "imbalance must be between 0 and 1, but was 2."),
    ],
)
def test_bad_bins(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "problem.toml"
    path.write_text(f'load = 0.75\n{text}\n[law]\natoms = [["1/2", "1/2"], ["3/2", "1/2"]]\n')
    with pytest.raises(InputError) as caught:
        make(read(path))
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            'family = "pareto"\nshape = 1',
            "law.shape must be greater than 1 (otherwise the mean is infinite), but was 1.",
        ),
        (
            'family = "pareto"\nshape = 1.0001',
            "law.shape must be a fraction of numbers up to 1000, but was 10001/10000.",
        ),
        (
            'family = "uniform"\nlowest = 1',
            "law.lowest must be at least 0 and less than 1, but was 1.",
        ),
        ('family = "gamma"', "law.family must be one of pareto, uniform, but was gamma."),
    ],
)
def test_bad_laws(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "problem.toml"
    path.write_text(f"load = 0.75\nbins = 3\n[law]\n{text}\n")
    with pytest.raises(InputError) as caught:
        make(read(path))
    assert str(caught.value) == sentence


def test_a_pareto_bin_without_a_rational_root() -> None:
    with pytest.raises(InputError) as caught:
        bracket(PARETO, "3/4", ["2/3"])
    assert str(caught.value) == (
        "bins must hold sizes (shape - 1)/shape t^2 with a rational t of at least 1, but was 2/3."
    )


def test_words() -> None:
    assert words(bracket(RUNNING, "3/4", 1).certificate().claim) == (
        "At load 3/4 and imbalance 0 the least cost at total work 1 is at least 33/28; routing by "
        "1 bin of sizes costs 3/2, at most 9/28 more."
    )


@pytest.mark.parametrize("kind", ["fluid-bracket", "fluid-comparison"])
def test_fewer_bins_than_asked_for_are_told(kind: str, caplog: pytest.LogCaptureFixture) -> None:
    values: dict[str, Any] = {"kind": kind, "load": "3/4", "bins": 4}
    values["law"] = {"atoms": [["1/2", "1/2"], ["3/2", "1/2"]]}
    if kind == "fluid-comparison":
        values["start"] = {"short": 0, "long": 1}
    make_problem(Table(values))
    told = "bins = 4 gives 2: no size is cut in two, and cuts that coincide are made once"
    assert [record.getMessage() for record in caplog.records] == [told]
    caplog.clear()
    make_problem(Table(values | {"bins": 1}))
    assert not caplog.records
