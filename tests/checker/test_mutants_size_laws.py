"""Limits of size laws, shares far out, sizes between two numbers, mixtures at their borders."""

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import mpmath
import pytest

from proofs_checks.checker.kernel.interval import Undecided
from proofs_checks.checker.kernel.real import Real
from proofs_checks.checker.kernel.special import LARGEST
from proofs_checks.checker.kinds.size_mixture import Part, _largest, read_law_of_sizes
from proofs_checks.checker.kinds.special_laws import Lognormal, Sizes, _share
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Outcome, Refusal, Trial

F = Fraction
BITS = 100
EXPONENTIAL = {"family": "exponential"}


def trial() -> Trial:
    return Trial(10**8)


def read(law: Any) -> Any:
    return read_law_of_sizes(Node(law, "claim.law"), BITS, trial())


def refused(law: Any) -> Refusal:
    with pytest.raises(Refusal) as error:
        read(law)
    return error.value


def phases(count: int) -> Any:
    """So many phases of equal weight and mean."""
    return {
        "family": "hyperexponential",
        "weights": [str(F(1, count))] * count,
        "means": ["1"] * count,
    }


def test_a_hundred_phases_are_the_most() -> None:
    assert len(read(phases(100)).phases) == 100
    assert refused(phases(101)).outcome is Outcome.DECLINED


def test_parameters_of_forty_digits() -> None:
    edge = 10**40
    for family, field in (("gamma", "shape"), ("lognormal", "sigma")):
        for value in (F(edge - 1, edge), F(1, edge)):
            read({"family": family, field: str(value)})
        for value in (F(edge, edge + 1), F(1, edge + 1)):
            report = refused({"family": family, field: str(value)})
            assert report.outcome is Outcome.DECLINED
    assert read({"family": "pareto", "shape": str(edge)})
    assert refused({"family": "pareto", "shape": str(edge + 1)}).outcome is Outcome.DECLINED


def mixture(components: int, atoms: int) -> Any:
    """Exponential components of mean one, and atoms at 1 - c, ..., 1 + c of one mass."""
    share = F(1, components + atoms)
    parts = [{"weight": str(share), "mean": "1", "law": EXPONENTIAL} for _ in range(components)]
    sizes = [F(atoms - 1 + 2 * (k - (atoms - 1)), atoms) / 2 + 1 for k in range(atoms)]
    middle = sum(sizes, F(0)) / atoms if atoms else F(0)
    return {
        "family": "mixture",
        "components": parts,
        "atoms": [[str(size - middle + 1), str(share)] for size in sizes],
    }


def test_a_thousand_parts_can_be_had() -> None:
    assert len(read(mixture(1, 999)).atoms) == 999


@pytest.mark.parametrize(("components", "atoms"), [(2, 999), (1, 1000)])
def test_more_than_a_thousand_parts_cannot(components: int, atoms: int) -> None:
    assert refused(mixture(components, atoms)).outcome is Outcome.DECLINED


def changed(**edits: Any) -> Any:
    """Half exponential, a quarter each of the sizes 1/2 and 3/2."""
    law = {
        "family": "mixture",
        "components": [{"weight": "1/2", "mean": "1", "law": EXPONENTIAL}],
        "atoms": [["1/2", "1/4"], ["3/2", "1/4"]],
    }
    return law | edits


def test_atoms_are_pairs_of_rising_sizes() -> None:
    read(changed())
    for pair in (["3/2"], ["3/2", "1/4", "1"], []):
        assert refused(changed(atoms=[["1/2", "1/4"], pair])).outcome is Outcome.MALFORMED
    # the size, and not its mass, is what rises
    falling = [["3/2", "1/8"], ["1/2", "1/8"], ["1", "1/4"]]
    assert refused(changed(atoms=falling)).condition == "hypothesis"
    read(changed(atoms=[["1/4", "1/8"], ["5/6", "1/8"], ["35/24", "1/4"]]))


def test_masses_sum_to_one_even_where_the_mean_is_one() -> None:
    """Half of the jobs with mean 3/2 and a quarter with size 1 are only three quarters of them."""
    half = [{"weight": "1/2", "mean": "3/2", "law": EXPONENTIAL}]
    short = changed(components=half, atoms=[["1", "1/4"]])
    assert refused(short).condition == "hypothesis"
    read(changed(components=half, atoms=[["1/2", "1/2"]]))


def test_the_larger_jobs_of_a_mixture_from_an_atom_on() -> None:
    """Just below an atom it is among the larger jobs, from the atom on it is not."""
    law = read(
        changed(
            components=[
                {"weight": "1/2", "mean": "1", "law": {"family": "uniform", "lowest": "1/2"}}
            ]
        )
    )
    assert law.line((F(1, 4), F(1, 2))) == (1, 1)  # the component's smallest size is 1/2
    assert law.line((F(1, 2), F(3, 4))) == (F(1, 4), F(3, 8))
    assert law.line((F(5, 4), F(3, 2))) == (F(1, 4), F(3, 8))
    assert law.line((F(3, 2), F(2))) == (0, 0)


def test_the_largest_size_is_the_last_atom() -> None:
    uniform = [{"weight": "1/2", "mean": "1", "law": {"family": "uniform", "lowest": "1/2"}}]
    law = changed(components=uniform, atoms=[["1/8", "1/4"], ["15/8", "1/4"]])
    assert read(law).high.ends() == (F(15, 8), F(15, 8))
    law = changed(components=uniform, atoms=[["1", "1/2"]])
    assert read(law).high.ends() == (F(3, 2), F(3, 2))


def test_the_largest_of_three_atoms() -> None:
    uniform = [{"weight": "1/4", "mean": "1", "law": {"family": "uniform", "lowest": "1/2"}}]
    law = changed(components=uniform, atoms=[["1/2", "1/4"], ["3/4", "1/4"], ["7/4", "1/4"]])
    assert read(law).high.ends() == (F(7, 4), F(7, 4))


def test_largest_sizes_that_cannot_be_compared() -> None:
    """One of them lies in [1, 3], the other in [2, 5/2]."""
    run = trial()
    highs = [
        run.real(1, BITS).hull(run.real(3, BITS)),
        run.real(2, BITS).hull(run.real(F(5, 2), BITS)),
    ]
    for pair in (highs, highs[::-1]):
        parts: Any = [SimpleNamespace(mean=F(1), law=SimpleNamespace(high=high)) for high in pair]
        found = _largest(parts, [], BITS, run)
        assert found is not None
        assert found.ends()[1] == 3
        assert found.ends()[0] <= 2


def test_sizes_of_a_component_lie_between_two_numbers() -> None:
    """In units of the component's mean."""
    run = trial()
    sizes = Sizes.straight(run.real(2, BITS), run.real(1, BITS), 3, (F(1), F(3)), run)
    for factor in (F(1, 3), F(2)):
        found = sizes.divided(factor)
        assert found.between == (1 / factor, 3 / factor)
        assert found.h.coefficient(0).inside(2 / factor - F(1, 10**20), 2 / factor + F(1, 10**20))
    with pytest.raises(Undecided, match="knots above 0"):
        _ = sizes.log


def test_half_of_a_symmetric_law_is_exact() -> None:
    run = trial()
    law = Lognormal.new(run.real(1, BITS), run)
    assert law._normal(run.real(0, BITS)).ends() == (F(1, 2), F(1, 2))


@pytest.mark.parametrize("order", [F(1, 2), F(3, 2), F(4), F(LARGEST // 4)])
def test_shares_far_out_from_a_bound(order: Fraction) -> None:
    """Q(a, x) from zero up to 2 x**(a - 1) exp(-x)/Gamma(a), nearly twice as large."""
    run = trial()
    found = _share(order, run.real(2 * LARGEST, BITS), run)
    with mpmath.workdps(20):
        a = mpmath.mpf(order.numerator) / order.denominator
        right = mpmath.exp((a - 1) * mpmath.log(2 * LARGEST) - 2 * LARGEST) / mpmath.gamma(a)
        low, high = (mpmath.mpf(end.numerator) / end.denominator for end in found.ends())
        assert low == 0
        assert mpmath.mpf("1.99") < high / right < mpmath.mpf("2.01")


@pytest.mark.parametrize(
    ("order", "low"),
    [
        (F(1, 2), F(1)),  # some arguments are not far out
        (F(1, 2), F(LARGEST // 3)),
        (F(LARGEST // 4 + 1), F(2 * LARGEST)),
    ],
)
def test_shares_to_which_the_bound_does_not_apply(order: Fraction, low: Fraction) -> None:
    run = trial()
    x: Real = run.real(low, BITS).hull(run.real(2 * LARGEST, BITS))
    with pytest.raises(Undecided):
        _share(order, x, run)


@pytest.mark.parametrize(("low", "high"), [("1/4", "3/4"), ("5/4", "7/4"), ("1/4", "7/4")])
def test_an_extreme_size_of_a_component_needs_a_knot(low: str, high: str) -> None:
    """Uniform sizes from 1/2 to 3/2: no series holds on both sides of one of these."""
    law = read({"family": "uniform", "lowest": "1/2"})
    middle, radius = (F(low) + F(high)) / 2, (F(high) - F(low)) / 2
    ends = trial().real(middle, BITS), trial().real(radius, BITS)
    sizes = Sizes.straight(*ends, 2, (F(low), F(high)), trial())
    with pytest.raises(Undecided, match="a knot is missing"):
        Part(F(1), F(1), law).excess(sizes)
