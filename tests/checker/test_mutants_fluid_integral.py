"""E|S - h| and the integral of its inverse square, for sizes with closed forms: inside and narrow.

For uniform sizes on [0, 2], with t = h - 1, E|S - h| is (t**2 + 1)/2 up to 2 and t beyond, and the
integral of its inverse square is 2 t/(t**2 + 1) + 2 atan t.
"""

from fractions import Fraction
from itertools import pairwise
from typing import Any

import mpmath
import pytest

from proofs_checks.checker.kernel.interval import Undecided
from proofs_checks.checker.kernel.real import Real
from proofs_checks.checker.kinds.fluid_integral import Deviation
from proofs_checks.checker.kinds.size_mixture import read_law_of_sizes
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Trial

F = Fraction
BITS = 100
UNIFORM = {"family": "uniform", "lowest": "0"}
APART = {"family": "uniform", "lowest": "1/2"}  # between 1/2 and 3/2
THIRDS = {"family": "uniform", "lowest": "1/3"}  # between two numbers that no binary ends meet
EXPONENTIAL = {"family": "exponential"}
PARETO = {"family": "pareto", "shape": "2"}  # from 1/2 on, with E|S - h| = 1/(2 h) + h - 1
STRAIGHT = {  # a tenth of the jobs empty, the others larger than 1: E|S - h| = 1 - 4/5 h up to 1
    "family": "mixture",
    "atoms": [["0", "1/10"]],
    "components": [
        {"weight": "9/10", "mean": "10/9", "law": {"family": "uniform", "lowest": "19/20"}}
    ],
}
LAWS: dict[str, dict[str, Any]] = {
    "uniform": UNIFORM,
    "exponential": EXPONENTIAL,
    "pareto": PARETO,
    "straight": STRAIGHT,
}


def deviation(law: dict[str, Any], knots: str = "", terms: str = "") -> Deviation:
    trial = Trial(10**9)
    sizes = read_law_of_sizes(Node(law, "law"), BITS, trial)
    counts = [int(count) for count in terms.split()]
    return Deviation(sizes, [F(knot) for knot in knots.split()], counts, BITS, trial)


def real(value: Fraction) -> Any:
    return mpmath.mpf(value.numerator) / value.denominator


def primitive(name: str, h: Fraction) -> Any:
    """A primitive of 1/D**2."""
    t = real(h) - 1
    if name == "uniform" and h > 2:
        return primitive(name, F(2)) + 1 - 1 / t
    if name == "uniform":
        return 2 * t / (t * t + 1) + 2 * mpmath.atan(t)
    if name == "pareto":
        t = 2 * real(h) - 1
        return 2 * mpmath.atan(t) - 2 / (t * t + 1)
    if name == "straight":
        return mpmath.mpf(5) / 4 / (1 - real(h) * 4 / 5)
    return mpmath.quad(lambda u: (2 * mpmath.exp(-u) + u - 1) ** -2, [1, real(h)])


def encloses(found: Real, value: Any, width: str) -> bool:
    """Whether the number is inside, and the enclosure no wider than that."""
    low, high = map(real, found.ends())
    return bool(low <= value <= high and high - low < mpmath.mpf(width))


@pytest.mark.parametrize(
    ("law", "low", "high", "terms", "width"),
    [
        ("uniform", "1/2", "17/32", 2, "3.34e-5"),
        ("uniform", "5/4", "41/32", 2, "1.01e-5"),
        ("uniform", "3/2", "25/16", 2, "7.1e-5"),
        ("uniform", "1/4", "1/2", 2, "1.02"),
        ("uniform", "1", "3/2", 2, "66.8"),
        ("uniform", "3/2", "2", 4, "0.354"),
        ("uniform", "0", "1/32", 2, "1.57e-6"),
        ("uniform", "0", "1/8", 2, "0.00055"),
        ("uniform", "0", "1/2", 2, "0.718"),
        ("exponential", "2", "4", 2, "1.45"),
        ("exponential", "10", "40", 4, "0.0502"),
        ("exponential", "0", "1/32", 4, "1.23e-9"),
        ("pareto", "10", "11", 2, "1.23e-6"),
        ("pareto", "10", "11", 4, "7.49e-10"),
        ("pareto", "2", "9/4", 2, "0.000242"),
        ("straight", "0", "1", 2, "207.0"),
        ("straight", "0", "1/2", 4, "0.0296"),
        ("straight", "1/2", "1", 4, "211.0"),
    ],
)
def test_a_piece_of_few_terms(law: str, low: str, high: str, terms: int, width: str) -> None:
    """So few that the remainder, its width, and the narrowing by the mean value are seen."""
    found = deviation(LAWS[law], f"{low} {high}", str(terms)).integral(F(low), F(high))
    with mpmath.workdps(30):
        assert encloses(found, primitive(law, F(high)) - primitive(law, F(low)), width)


def same(found: Real, low: Fraction, high: Fraction) -> bool:
    """Whether these are the ends, up to rounding."""
    return all(abs(x - y) < F(1, 2**90) for x, y in zip(found.ends(), (low, high), strict=True))


def uniform(h: Fraction) -> Fraction:
    """E|S - h| for sizes on [0, 2]."""
    return ((h - 1) * (h - 1) + 1) / 2 if h < 2 else h - 1


POINTS = ["1/8", "1/2", "1", "7/4", "2", "3"]


@pytest.mark.parametrize("text", POINTS)
def test_the_deviation_and_the_shares_above(text: str) -> None:
    """Of the sizes from h on: E(S - h)+, jobs and work."""
    h, sizes = F(text), deviation(UNIFORM)
    rest = max(F(0), 2 - h)
    expected = rest**2 / 4, rest / 2, rest * (2 + h) / 4
    for found, value in zip(sizes.shares(h), expected, strict=True):
        assert same(found, value, value)
    assert same(sizes.at(h), uniform(h), uniform(h))
    assert same(sizes.excess(h), expected[0], expected[0])
    assert same(sizes.work_above(h), expected[2], expected[2])


def test_below_the_smallest_size_and_above_the_largest() -> None:
    sizes = deviation(APART)
    for h, expected in (
        (F(1, 4), (F(3, 4), F(1), F(1))),
        (F(1, 2), (F(1, 2), F(1), F(1))),
        (F(3, 2), (F(0), F(0), F(0))),
        (F(9, 4), (F(0), F(0), F(0))),
    ):
        for found, value in zip(sizes.shares(h), expected, strict=True):
            assert found.ends() == (value, value)
        assert sizes.at(h).ends() == (abs(h - 1), abs(h - 1))
        assert sizes.work_above(h).ends() == (expected[2], expected[2])
    assert sizes.at(F(0)).ends() == (F(1), F(1))


def test_the_very_ends_of_the_sizes_are_not_decided() -> None:
    """Where a smallest or a largest size is only enclosed, neither formula is sure to hold."""
    sizes = deviation(THIRDS)
    for end in (F(1, 3), F(5, 3)):
        with pytest.raises(Undecided):
            sizes.at(end)
    for near in (F(333, 1000), F(1667, 1000)):
        assert same(sizes.at(near), abs(near - 1), abs(near - 1))


def test_the_deviation_between_two_sizes() -> None:
    """It changes at most as fast as the size."""
    for low, high in (("1/2", "5/8"), ("0", "1/4"), ("7/4", "9/4")):
        a, b = F(low), F(high)
        found = deviation(UNIFORM).around(a, b)
        assert same(found, uniform(a) - (b - a), uniform(a) + (b - a))


def test_pieces_without_terms() -> None:
    """Length times the inverse square of what is known of the deviation."""
    sizes = deviation(UNIFORM, "1/2 5/8 3/4", "0 0")
    for points in (["1/2", "5/8"], ["1/2", "5/8", "3/4"], ["9/16", "5/8", "21/32"]):
        low, high = F(0), F(0)
        for a, b in pairwise(map(F, points)):
            low += (b - a) / (uniform(a) + (b - a)) ** 2
            high += (b - a) / (uniform(a) - (b - a)) ** 2
        assert same(sizes.integral(F(points[0]), F(points[-1])), low, high)


def before(low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
    """Bounds of the integral where the sizes are below 1."""
    top = uniform(high)
    return 1 / top - 1 / (top + high - low), 1 / (1 - high) - 1 / (1 - low)


def behind(low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
    """Bounds of the integral where the sizes are above 1."""
    top = uniform(low)
    return 1 / top - 1 / (top + high - low), 1 / (low - 1) - 1 / (high - 1)


def test_before_and_behind_all_knots() -> None:
    sizes = deviation(UNIFORM, "1/4 7/4", "30")
    for low, high in (("0", "1/4"), ("1/8", "1/4"), ("1/8", "3/16"), ("0", "1/32")):
        found, ends = sizes.integral(F(low), F(high)), before(F(low), F(high))
        assert same(found, min(ends), max(ends))
    for low, high in (("7/4", "2"), ("2", "3"), ("5/2", "100")):
        found, ends = sizes.integral(F(low), F(high)), behind(F(low), F(high))
        assert same(found, min(ends), max(ends))
    for start in map(F, ("7/4", "2", "11")):
        least, most = 1 / uniform(start), 1 / (start - 1)
        assert same(sizes.integral(start, None), least, most)


SOME = "1/4 1/2 3/4 1 5/4 3/2"


@pytest.mark.parametrize(
    ("low", "high"),
    [
        ("1/8", "9/4"),
        ("0", None),
        ("1/8", "1/4"),
        ("1/8", "1"),
        ("1/4", "3/2"),
        ("1/4", "1/2"),
        ("3/8", "5/8"),
        ("3/8", "3/2"),
        ("1/2", None),
        ("5/4", "3/2"),
        ("5/4", "9/4"),
        ("3/2", None),
    ],
)
def test_the_parts_of_an_integral_and_no_others(low: str, high: str | None) -> None:
    """Before the knots, between them one by one, and behind them; what has no length is nothing."""
    start, end = F(low), None if high is None else F(high)
    sizes = deviation(UNIFORM, SOME, "12 12 12 12 12")
    inner = [knot for knot in sizes.knots if start < knot and (end is None or knot < end)]
    total = sizes.trial.real(0, BITS)
    for a, b in pairwise([start, *inner, end]):
        assert a is not None
        total = total + sizes.integral(a, b)
    assert sizes.integral(start, end).ends() == total.ends()
    with mpmath.workdps(30):
        last = primitive("uniform", F(2)) + 1 if end is None else primitive("uniform", end)
        assert encloses(total, last - primitive("uniform", start), "0.45")


def test_knots_beyond_the_ends_do_not_matter() -> None:
    more = deviation(UNIFORM, f"1/8 {SOME} 2", "12 12 12 12 12 12 12")
    less = deviation(UNIFORM, "1/2 3/4 1 5/4", "12 12 12")
    for low, high in (("1/2", "5/4"), ("3/4", "5/4"), ("5/8", "9/8"), ("1/2", "1")):
        assert more.integral(F(low), F(high)).ends() == less.integral(F(low), F(high)).ends()
