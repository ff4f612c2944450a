"""The optimal paths of a law with a density: the exit cutoff at load 1/2, X where it is known."""

import json
from fractions import Fraction

import pytest

from proofs_checks.checker.kinds.exact_lists import spelled
from proofs_checks.checker.kinds.fluid_comparison_enclosed import read_deviation
from proofs_checks.checker.kinds.fluid_integral import Deviation
from proofs_checks.checker.kinds.fluid_path import Ends, follow
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Refusal, Trial
from tests.comparison_helpers import PARETO, UNIFORM, Law, Optimal

F = Fraction
TRIAL = Trial(10**10)


def deviation_of(law: Law) -> Deviation:
    knots = [str(knot) for knot in law.knots]
    hints = {"precision": 64, "knots": knots, "terms": [12] * (len(knots) - 1)}
    fields = {name: Node(value, name) for name, value in hints.items()}
    return read_deviation(Node(json.loads(law.claim), "claim.law"), fields, TRIAL)[0]


EVEN, HEAVY_TAIL = deviation_of(UNIFORM), deviation_of(PARETO)


def refused(deviation: Deviation, load: Fraction, exit: Ends | None) -> str:
    with pytest.raises(Refusal) as error:
        follow(deviation, load, exit, [F(0)], TRIAL)
    return error.value.condition


@pytest.mark.parametrize("load", [F(1, 5), F(2, 5), F(1, 2), F(3, 5), F(9, 10)])
@pytest.mark.parametrize(("law", "deviation"), [(UNIFORM, EVEN), (PARETO, HEAVY_TAIL)])
def test_x_by_the_antiderivative(law: Law, deviation: Deviation, load: Fraction) -> None:
    """X(h) for points up to the low end of the exit cutoff, that end among them, and no others."""
    right = Optimal(law, float(load))
    end = right.exit
    exact = end is None or end == law.high
    ends = None if end is None else (F(end), F(end)) if exact else around(end)
    inner, outer = {F(0), F(1, 3), F(3, 4)}, {F(-1, 9)}
    if ends is None:
        inner.add(F(40))
    else:
        inner.add(ends[0])
        outer.add(ends[0] + F(1, 10**12))
    path = follow(deviation, load, ends, [*inner, *outer], TRIAL)
    assert set(path.known) == set(map(spelled, inner))
    for h in inner:
        low, high = path.reach(h).ends()
        assert low - F(1, 10**9) <= F(right.reach(float(h))) <= high + F(1, 10**9)
        assert high - low < F(1, 10**4)
    low, high = path.at_exit.ends()
    last = end / law.deviation(end) if end else 1.0
    assert low - F(1, 10**12) <= F(last) <= high + F(1, 10**12)


def around(value: float) -> Ends:
    return F(value) - F(1, 10**6), F(value) + F(1, 10**6)


def test_the_exit_cutoff_is_finite_if_an_empty_queue_is_kept_busy() -> None:
    one = F(1), F(2)
    for load in (F(1, 5), F(2, 5), F(499, 1000)):
        assert refused(EVEN, load, one) == refused(HEAVY_TAIL, load, one) == "exit"
    for load in (F(501, 1000), F(3, 4)):
        assert refused(EVEN, load, None) == refused(HEAVY_TAIL, load, None) == "exit"
    assert refused(EVEN, F(1, 2), None) == "exit"
    assert refused(HEAVY_TAIL, F(1, 2), one) == "exit"


def test_the_exit_cutoff_at_load_one_half_is_the_largest_size() -> None:
    load, near = F(1, 2), F(1, 10**15)
    for exit in ((F(2), F(2)), (2 - near, F(2)), (F(2), 2 + near)):
        follow(EVEN, load, exit, [F(0)], TRIAL)
    assert refused(EVEN, load, (2 + near, 2 + near)) == "exit-below"
    assert refused(EVEN, load, (2 - near, 2 - near)) == "exit-above"


def test_an_exit_cutoff_that_is_not_positive() -> None:
    for low in (F(0), F(-1)):
        assert refused(EVEN, F(3, 4), (low, F(2))) == "exit"


def test_x_between_the_ends_of_the_exit_cutoff() -> None:
    """X at the low end is more than h/D there; the exit cutoff is sqrt(2/rho)."""
    load, width = F(9, 10), F(1, 100)
    end = F((20 / 9) ** 0.5)
    for low, high in ((end - width, end + F(1, 10**9)), (end - width, end + width)):
        path = follow(EVEN, load, (low, high), [low], TRIAL)
        least, most = path.beyond.ends()
        right = F(Optimal(UNIFORM, float(load)).reach(float(low)))
        assert least < right < most < right + F(1, 1000)
        assert path.reach(low) == path.beyond
