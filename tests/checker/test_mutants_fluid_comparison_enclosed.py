"""Comparisons for laws with a density, at every load, against closed forms."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

import pytest

from certify.fluid import FiniteLaw, dispatch
from proofs_checks.checker.kinds.fluid_comparison_enclosed import (
    _bin_policy,
    enclosed,
    half_work_share,
    read_deviation,
)
from proofs_checks.checker.kinds.fluid_integral import Deviation
from proofs_checks.checker.kinds.fluid_policies import Start
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Refusal, Trial
from tests.comparison_helpers import PARETO, UNIFORM, Given, Law, Optimal, bin_means, comparison
from tests.drift_helpers import changed, condition
from tests.mutation.truth.fluid_value import least_cost

F = Fraction
TRIAL = Trial(10**10)
TWO, THREE = ("1",), ("3/4", "3/2")
HEAVY: Given = ("3/4", "1/2", "3/2")
LIGHT: Given = ("2/5", "1/2", "3/2")


def bent(tree: Any, name: str, factor: Fraction) -> Any:
    """The claimed interval moved by a factor."""
    ends = {end: F(value) * factor for end, value in tree["claim"][name].items()}
    return changed(tree, **{f"claim__{name}": {e: decimal(value) for e, value in ends.items()}})


def decimal(value: Fraction) -> str:
    """The one spelling, to nine places."""
    text = str(round(value * 10**9))
    digits = text.rstrip("0")
    power = len(text) - len(digits) - 9
    return f"{digits}e{power}" if power else digits


@pytest.mark.parametrize(
    ("law", "given", "bins"),
    [
        # below load 1/2 all jobs join the shorter queue from some imbalance on: before and behind
        (UNIFORM, ("1/5", "1", "1"), THREE),
        (UNIFORM, ("1/5", "1/2", "3/2"), THREE),
        (UNIFORM, ("1/3", "1", "4/3"), TWO),
        (UNIFORM, ("1/3", "1", "3"), THREE),
        (UNIFORM, ("2/5", "1/2", "3/2"), TWO),
        (UNIFORM, ("2/5", "1/10", "2"), ()),
        (UNIFORM, ("9/20", "1", "7/2"), THREE),
        (UNIFORM, ("9/20", "1", "7/2"), ("1", "19/10")),
        (PARETO, ("1/3", "1/2", "3/2"), THREE),
        # at load 1/2 the exit cutoff is the largest size, if there is one
        (UNIFORM, ("1/2", "1/2", "3/2"), TWO),
        (UNIFORM, ("1/2", "1/10", "2"), THREE),
        (PARETO, ("1/2", "1/2", "3/2"), ()),
        (PARETO, ("1/2", "1", "7/2"), TWO),
        # above it an empty queue is kept busy
        (UNIFORM, ("3/5", "1", "1"), TWO),
        (UNIFORM, ("3/5", "1", "7/2"), THREE),
        (UNIFORM, ("3/4", "1/10", "2"), ("7/5", "9/5")),
        (UNIFORM, ("9/10", "1/2", "1/2"), ("1/2", "1", "3/2")),
        (UNIFORM, ("9/10", "1", "2"), ()),
        (PARETO, ("3/4", "1", "3"), TWO),
    ],
)
def test_the_costs_of_a_density(law: Law, given: Given, bins: tuple[str, ...]) -> None:
    assert condition(comparison(law, given, bins)) == ""


@pytest.mark.parametrize("given", [HEAVY, LIGHT])
@pytest.mark.parametrize("name", ["optimal", "size_interval", "bin_policy", "half_work_share"])
def test_a_cost_a_little_off(given: Given, name: str) -> None:
    tree = comparison(UNIFORM, given, THREE)
    for factor in (F(999, 1000), F(1001, 1000)):
        assert condition(bent(tree, name, factor)) == name.replace("_", "-")


@pytest.mark.parametrize("rule", ["exactly-busy", "same-split"])
@pytest.mark.parametrize(
    ("given", "bins"),
    [
        (("3/5", "0", "2"), THREE),
        (("3/4", "0", "1"), ("9/5",)),  # the first bin has more work than the empty queue can do
        (("3/4", "0", "3"), ()),
    ],
)
def test_an_empty_queue(given: Given, bins: tuple[str, ...], rule: str) -> None:
    """The optimal policy, most work left and an exactly busy queue then save exactly nothing."""
    tree = comparison(UNIFORM, given, bins, rule)
    assert tree["claim"]["savings"]["optimal"]["against_most_work_left"] == "0"
    assert condition(tree) == ""


def test_the_exit_cutoff_is_finite_if_an_empty_queue_is_kept_busy() -> None:
    half: Given = ("1/2", "1/2", "3/2")
    for law, given in ((UNIFORM, HEAVY), (UNIFORM, half), (PARETO, HEAVY)):
        tree = comparison(law, given)
        assert condition(changed(tree, claim__exit_cutoff="infinity")) == "exit"
    largest = {"lo": "2", "hi": "2"}
    for law, given in ((UNIFORM, LIGHT), (PARETO, LIGHT), (PARETO, half)):
        tree = comparison(law, given)
        assert condition(changed(tree, claim__exit_cutoff=largest)) == "exit"


@pytest.mark.parametrize(
    ("low", "high", "code"),
    [
        ("-1", "1", ""),
        ("-1", "0", ""),
        ("-1", "-1e-3", "cutoff-above"),
        ("1e-3", "1", "cutoff-below"),
    ],
)
def test_a_tie_has_the_cutoff_zero(low: str, high: str, code: str) -> None:
    """Whatever wide interval holds it, X is taken at 0; two digits of X will do."""
    tree = changed(
        comparison(UNIFORM, ("1/3", "1", "1"), TWO), claim__cutoff={"lo": low, "hi": high}
    )
    hints = {"precision": 64, "knots": tree["witness"]["knots"], "terms": [0] * 16}
    fields = {name: Node(value, f"claim.{name}") for name, value in tree["claim"].items()}
    start = Start(F(1, 3), F(1), F(1))
    if code:
        with pytest.raises(Refusal, match=code):
            enclosed(fields, Node(hints, "witness"), start, TRIAL)
    else:
        least, most = cast(
            Any, enclosed(fields, Node(hints, "witness"), start, TRIAL)[0].optimal
        ).ends()
        right = F(4 * Optimal(UNIFORM, 1 / 3).cost(0))
        assert right - F(1, 10) < least < right < most < right + F(1, 10)


def test_the_partition_lies_within_the_sizes() -> None:
    """Beyond the largest size and below the smallest one E|S - h| is no longer the formula."""
    for law, knots in ((UNIFORM, ["0", "1/2", "21/10"]), (PARETO, ["49/100", "1/2", "3/2"])):
        tree = comparison(law, HEAVY)
        witness = {"knots": knots, "terms": [4, 4], "precision": 64}
        assert condition(changed(tree, witness=witness)) == "partition"


def deviation_of(law: dict[str, str], knots: list[str]) -> Deviation:
    hints = {"precision": 64, "knots": knots, "terms": [4] * (len(knots) - 1)}
    fields = {name: Node(value, name) for name, value in hints.items()}
    return read_deviation(Node(law, "claim.law"), fields, TRIAL)[0]


EVEN = deviation_of({"family": "uniform", "lowest": "0"}, ["0", "2"])
HEAVY_TAIL = deviation_of({"family": "pareto", "shape": "2"}, ["1/2", "2"])


@pytest.mark.parametrize(
    ("law", "median", "share"),
    [
        ({"family": "uniform", "lowest": "0"}, 2**0.5, 1 - 0.5**0.5),
        ({"family": "pareto", "shape": "2"}, 1.0, 0.25),
        ({"family": "pareto", "shape": "3"}, 2 / 3 * 2**0.5, 8**-0.5),  # below the mean
    ],
)
def test_the_ends_of_a_work_median(law: dict[str, str], median: float, share: float) -> None:
    deviation = deviation_of(law, ["2/3", "2"])
    for low, high in ((-1, 1), (-1, 2), (-2, 1)):
        ends = F(median) + F(low, 10**6), F(median) + F(high, 10**6)
        least, most = half_work_share(deviation, ends, TRIAL).ends()
        assert least < F(share) < most < least + F(1, 10**5)
        for wrong in ((ends[0], ends[0]), (ends[1], ends[1]), (F(0), ends[1]), (F(-1), ends[1])):
            with pytest.raises(Refusal, match="work-median"):
                half_work_share(deviation, wrong, TRIAL)


def seen(load: str, z: Fraction, bins: tuple[str, ...], deviation: Any, trial: Trial) -> Any:
    """The enclosure of the bin policy's cost at total work 1."""
    start = Start(F(load), (1 - z) / 2, (1 + z) / 2)
    return _bin_policy(deviation, start, Node([*bins], "claim.bins"), trial)


@pytest.mark.parametrize(
    ("deviation", "bins", "place"),
    [
        (EVEN, ("0", "1"), ".0"),
        (EVEN, ("-1", "1"), ".0"),
        (EVEN, ("1", "1"), ".1"),
        (EVEN, ("1", "1/2"), ".1"),
        (EVEN, ("1", "2"), ", the last bin"),
        (EVEN, ("3",), ", the last bin"),
        (HEAVY_TAIL, ("1/2", "1"), ".0"),
    ],
)
def test_bins_rise_from_zero_and_hold_jobs(
    deviation: Deviation, bins: tuple[str, ...], place: str
) -> None:
    with pytest.raises(Refusal) as error:
        seen("3/4", F(1, 2), bins, deviation, TRIAL)
    assert error.value.condition == "bins"
    assert error.value.where == f"claim.bins{place}"


def test_a_bin_with_just_the_work_that_keeps_an_empty_queue_busy() -> None:
    """9/16 of the work is in the sizes up to 3/2: which bin is split no arithmetic can tell."""
    right = least_cost(bin_means(UNIFORM, ("3/2",)), F(8, 9), F(1))
    low, high = seen("8/9", F(1), ("3/2",), EVEN, TRIAL).ends()
    assert low <= right <= high
    assert high - low < F(1, 10**12)


@pytest.mark.parametrize("load", ["1/5", "2/5", "1/2", "3/5", "3/4", "9/10"])
@pytest.mark.parametrize(
    "bins", [(), ("1",), ("7/5",), ("3/4", "3/2"), ("1/2", "1", "3/2", "19/10")]
)
def test_the_bins_at_every_imbalance(load: str, bins: tuple[str, ...]) -> None:
    """The least cost for the conditional means, by the optimal path followed backwards in time."""
    for k in range(0, 24, 2):
        z = F(k, 24)
        right = least_cost(bin_means(UNIFORM, bins), F(load), z)
        found = seen(load, z, bins, EVEN, TRIAL)
        low, high = (found, found) if isinstance(found, Fraction) else found.ends()
        assert low <= right <= high
        assert high - low < F(1, 10**12)


@pytest.mark.parametrize("load", ["3/5", "3/4", "9/10"])
def test_just_before_a_queue_is_empty(load: str) -> None:
    """So near to the axis that Z < 1 is not known, only the bins up to the exit cutoff count."""
    bins = ("1/2", "1", "6/5", "8/5", "9/5", "19/10")
    right = least_cost(bin_means(UNIFORM, bins), F(load), F(1))
    low, high = seen(load, 1 - F(1, 10**30), bins, EVEN, TRIAL).ends()
    assert low <= right <= high
    assert high - low < F(1, 10**12)


@dataclass(frozen=True)
class Unsure:
    """A rational number, or what lies between two, of which only the sign is ever known."""

    low: Fraction
    high: Fraction
    bits: int = 64

    def ends(self) -> tuple[Fraction, Fraction]:
        return self.low, self.high

    def above(self, other: Any) -> bool:
        return bool(other == 0 and self.low > 0)

    def _never(self, other: Any) -> bool:
        return False

    at_most = at_least = below = _never

    def hull(self, other: "Unsure") -> "Unsure":
        return Unsure(min(self.low, other.low), max(self.high, other.high))

    def _by(self, other: Any, operation: Any) -> "Unsure":
        ends = other.ends() if isinstance(other, Unsure) else (F(other), F(other))
        found = [operation(a, b) for a in self.ends() for b in ends]
        return Unsure(min(found), max(found))

    def __add__(self, other: Any) -> "Unsure":
        return self._by(other, lambda a, b: a + b)

    def __sub__(self, other: Any) -> "Unsure":
        return self._by(other, lambda a, b: a - b)

    def __mul__(self, other: Any) -> "Unsure":
        return self._by(other, lambda a, b: a * b)

    def __truediv__(self, other: Any) -> "Unsure":
        return self._by(other, lambda a, b: a / b)

    def __rsub__(self, other: Any) -> "Unsure":
        return self._by(other, lambda a, b: b - a)

    def __rtruediv__(self, other: Any) -> "Unsure":
        return self._by(other, lambda a, b: b / a)

    __radd__, __rmul__ = __add__, __mul__


class Vague:
    """The arithmetic of such numbers, and the shares of the uniform law in it."""

    bits = 64

    def enclose(self, value: Any, bits: int) -> Unsure:
        return Unsure(F(value), F(value))

    def shares(self, size: Fraction) -> tuple[Unsure, Unsure, Unsure]:
        jobs, work = 1 - UNIFORM.jobs(size), 1 - UNIFORM.work(size)
        return self.enclose(work - size * jobs, 64), self.enclose(jobs, 64), self.enclose(work, 64)


@pytest.mark.parametrize("load", ["1/5", "1/3", "2/5"])
@pytest.mark.parametrize("bins", [("1",), ("3/4", "3/2"), ("1/2", "1", "3/2")])
def test_the_hull_of_all_sectors_that_are_not_excluded(load: str, bins: tuple[str, ...]) -> None:
    """If no imbalance can be compared, the quadratic forms of all sectors are possible."""
    vague = Vague()
    right = dispatch(FiniteLaw(bin_means(UNIFORM, bins)), load)
    assert len(right.sectors) == len(bins) + 2
    for z in (F(1, 7), F(3, 7), F(5, 7), F(9, 10), F(99, 100)):
        forms = [a + b * z + c * z * z for a, b, c in (sector.form for sector in right.sectors)]
        found = seen(load, z, bins, vague, Trial(10**9, cast(Any, vague)))
        assert found.ends() == (min(forms), max(forms))


@pytest.mark.parametrize("bins", [("1",), ("3/4", "3/2")])
def test_the_hull_at_load_one_half(bins: tuple[str, ...]) -> None:
    """There all jobs join the shorter queue at imbalance 1 only: no form is added for that."""
    vague = Vague()
    right = dispatch(FiniteLaw(bin_means(UNIFORM, bins)), "1/2")
    for z in (F(1, 7), F(3, 7), F(5, 7), F(9, 10), F(99, 100)):
        forms = [a + b * z + c * z * z for a, b, c in (s.form for s in right.sectors)]
        found = seen("1/2", z, bins, vague, Trial(10**9, cast(Any, vague)))
        assert found.ends() == (min(forms), max(forms))
