"""Numbers of rank-based routing (model of arXiv 2605.17677), each from its defining formula.

Only the abstract of the paper is public; the numbers are those of our own notes, written here with
the digits to which they were computed by other means (long division, 40-digit floating point).
"""

from fractions import Fraction

import mpmath
import pytest

from certify.ranks import MarginalJSQ, compare, enclosed_gaps, exact_gaps, limits_of


def inside(enclosure: tuple[Fraction, Fraction], text: str) -> bool:
    """Whether the whole enclosure rounds to the printed decimal."""
    digits = len(text.partition(".")[2])
    half = Fraction(1, 2 * 10**digits)
    return Fraction(text) - half <= enclosure[0] and enclosure[1] <= Fraction(text) + half


def test_four_servers() -> None:
    law = exact_gaps(MarginalJSQ(4, 2, 1))
    assert [str(each) for each in law.rho] == ["135/256", "27/64", "9/16", "3/4"]
    assert [str(each) for each in law.mean_gaps] == ["135/121", "27/37", "9/7", "3"]
    assert str(law.mean_total_queue) == "383070/31339"
    assert str(MarginalJSQ(4, 2, 1).threshold()) == "175/54"


@pytest.mark.parametrize(
    ("n", "mean"),
    [(3, "1.760464"), (4, "3.055857"), (16, "29.09838"), (36, "101.1729"), (64, "243.2634")],
)
def test_average_queue_with_pauses(n: int, mean: str) -> None:
    value = MarginalJSQ(n, 2, 1).mean_queue()
    assert inside((value.below(20), value.above(20)), mean)


@pytest.mark.parametrize(
    ("n", "shortest", "gap"),
    [
        (3, "0.822027", "0.608616"),
        (4, "1.115702", "0.729730"),
        (16, "3.115063", "1.639360"),
        (36, "5.0890", "2.5985"),
        (64, "7.0713", "3.5761"),
    ],
)
def test_shortest_queue_and_first_gap_with_pauses(n: int, shortest: str, gap: str) -> None:
    law = exact_gaps(MarginalJSQ(n, 2, 1))
    for value, text in zip(law.mean_gaps, (shortest, gap), strict=False):
        assert inside((value.below(20), value.above(20)), text)


@pytest.mark.parametrize(
    ("n", "threshold"), [(4, "3.240741"), (16, "2.564976"), (100, "2.212041"), (10**4, "2.020132")]
)
def test_threshold(n: int, threshold: str) -> None:
    found = enclosed_gaps(MarginalJSQ(n, 2, 1), [0], 12).stability_threshold
    assert found is not None
    assert inside(found, threshold)


def test_paused_fraction() -> None:
    """About a/(2 sqrt(n)) of the arrivals is dropped: exactly 0.092921... for n = 100."""
    value = exact_gaps(MarginalJSQ(100, 2, 1)).paused_fraction
    assert inside((value.below(20), value.above(20)), "0.092921")


@pytest.mark.parametrize(
    ("n", "distance"), [(4, "0.442149"), (16, "0.221234"), (100, "0.094090"), (10**4, "0.009934")]
)
def test_distance_of_the_shortest_queue(n: int, distance: str) -> None:
    assert inside(limits_of(MarginalJSQ(n, 2, 1), digits=12).gaps[0].distance, distance)


@pytest.mark.parametrize("n", [4, 9])
def test_distances_by_integration(n: int) -> None:
    """W1 as the integral of the difference of two distribution functions, cell by cell."""
    system = MarginalJSQ(n, 2, 1)
    with mpmath.workdps(40):
        for each in limits_of(system, digits=20).gaps:
            rho = _real(system.rho(each.gap).rational)
            rate, root = _real(each.limit_rate), mpmath.sqrt(n)
            total, m = mpmath.mpf(0), 0
            while rho**m > mpmath.mpf(10) ** -30 or mpmath.exp(-rate * m / root) > 1e-30:
                left, right = m / root, (m + 1) / root
                height = rho ** (m + 1)  # P(G > m) on the cell; the exponential tail lies above
                assert mpmath.exp(-rate * right) >= height
                total += (mpmath.exp(-rate * left) - mpmath.exp(-rate * right)) / rate
                total -= height / root
                m += 1
            low, high = map(_real, each.distance)
            assert low - mpmath.mpf(10) ** -18 < total < high + mpmath.mpf(10) ** -18


@pytest.mark.parametrize(
    ("n", "a", "exact", "first_three"),
    [
        (100, 2, "479.3615", "480.5556"),
        (10**4, 2, "497554.3114", "497555.5556"),
        (4 * 10**4, 2, "3990109.8640", "3990111.1111"),
    ],
)
def test_expansion_of_the_mean_queue(n: int, a: int, exact: str, first_three: str) -> None:
    found = limits_of(MarginalJSQ(n, a, 1), digits=25)
    assert inside(found.mean_queue, exact)
    terms = found.mean_expansion.rational + Fraction(3, 4) + Fraction(1, 2 * (a - 1) ** 2)
    assert inside((terms, terms), first_three)


def test_constants_of_the_expansion() -> None:
    """-5/4 for (2, 1) and -7/8 for (3, 1): the remainder shrinks like 1/sqrt(n)."""
    for a in (2, 3):
        sizes = [limits_of(MarginalJSQ(n, a, 1), digits=25).mean_remainder for n in (400, 10**4)]
        for low, high in sizes:
            assert 0 < low < high < Fraction(3, 5)
        assert abs(sizes[0][0] - sizes[1][0]) < Fraction(1, 20)


@pytest.mark.parametrize(("n", "a", "b"), [(4, 2, 1), (50, 2, 1), (1000, 3, "1/2"), (9, 20, 19)])
def test_brackets_hold(n: int, a: int, b: int | str) -> None:
    """The proved two-sided bounds of theorems/rank-limits.md contain the enclosed numbers."""
    system = MarginalJSQ(n, a, b)
    found = limits_of(system, digits=20)
    with mpmath.workdps(40):
        real_a, real_b = _real(system.a), _real(system.b)
        v = real_a / mpmath.mpf(n) ** 1.5
        loss = -mpmath.log1p(-v)
        low, high = map(_real, found.gaps[0].decay_rate)
        assert real_a - real_b <= low
        extra = real_b**2 / (2 * mpmath.sqrt(n)) + real_a**2 / mpmath.mpf(n) ** 1.5 / (1 - v)
        assert high <= real_a - real_b + extra
        for each in found.gaps[1:]:
            low, high = map(_real, each.decay_rate)
            rate = _real(each.limit_rate)
            assert rate <= high
            assert low <= rate / (1 - v)
        remainder = [_real(end) for end in found.imbalance_remainder]
        assert remainder[0] >= 0
        assert remainder[1] <= loss * n * (n - 1) / 24
        rho = mpmath.exp(-_real(found.gaps[0].decay_rate[0]) / mpmath.sqrt(n))
        centre = (n - 1) / (n * loss) - mpmath.mpf(n - 1) / 4 + loss * (n - 1) * (2 * n - 1) / 72
        rest = centre + rho / (1 - rho) - _real(found.mean_queue[0])
        assert -(mpmath.mpf(10) ** -10) < rest < loss**3 * mpmath.mpf(n) ** 4 / 3600


def test_imbalance_against_its_expansion() -> None:
    """The sum over gaps and the harmonic number, term by term in rationals."""
    found = limits_of(MarginalJSQ(100, 2, 1), digits=20)
    theta = Fraction(499, 500)
    imbalance = sum(theta**m / (1 - theta**m) for m in range(1, 100))
    assert found.imbalance[0] < imbalance < found.imbalance[1]
    harmonic = sum(Fraction(1, m) for m in range(1, 100))
    with mpmath.workdps(40):
        expansion = -_real(harmonic) / mpmath.log(_real(theta)) - mpmath.mpf(99) / 2
        low, high = map(_real, found.imbalance_expansion)
        assert low < expansion < high


def test_comparison_formulas() -> None:
    table = compare(16, Fraction(1), (Fraction(1),), 15)
    assert str(table.random_mean) == "63"
    assert str(table.arrival_rate) == "252"
    row = table.rows[0]
    assert str(row.lookups) == "64"
    assert inside(row.mean_queue, "29.09838")
    # the stream to the shortest queue at least halves the lower bound of the mean
    assert row.original_at_least < 63
    # heavier streams shorten queues, at the price of more dropped jobs
    rows = compare(10**4, Fraction(1), tuple(Fraction(b) for b in (1, 2, 4, 8)), 15).rows
    means = [each.mean_queue[0] for each in rows]
    assert means == sorted(means, reverse=True)
    # the leading term is (a - b)/a of random routing
    random_mean = 10**6 - 1
    for each, mean in zip(rows, means, strict=True):
        assert abs(mean / random_mean - 1 / (1 + each.b)) < Fraction(3, 100)


def _real(value: Fraction) -> mpmath.mpf:
    return mpmath.mpf(value.numerator) / value.denominator
