"""Kind `rank-gaps`: every condition has a forgery that it alone catches."""

import json
from fractions import Fraction
from math import isqrt
from typing import Any

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.kinds.rank_model import marginal, sweep
from proofs_checks.checker.kinds.rank_numbers import Element, element, square_root
from proofs_checks.checker.verdict import Outcome, Trial, brief
from tests.hostile.process import ROOT
from tests.mutation.engine import to_bytes
from tests.rank_helpers import Edit, certificate, changed, condition, spelled, verdict

FOUR = certificate(kind="rank-gaps", servers=4, a=2, b=1)
FIVE = certificate(kind="rank-gaps", servers=5, a=2, b=1)
RATES = certificate(
    kind="rank-gaps", arrival_rates=[2, 1, "1/2"], service_rates=[1, 2, "3/2"], servers=3
)
LARGE = certificate(kind="rank-gaps", servers=400, a=2, b=1, gaps=[0, 1, 397, 399], digits=20)
ORIGINAL = certificate(kind="rank-gaps", dynamics="original", servers=4, a=2, b=1)
ORIGINAL_LARGE = certificate(kind="rank-gaps", dynamics="original", servers=400, a=2, b=1)


def put(*path: str | int, value: Any) -> Edit:
    def edit(tree: dict[str, Any]) -> None:
        for step in path[:-1]:
            tree = tree[step]
        tree[path[-1]] = value

    return edit


@pytest.mark.parametrize("tree", [FOUR, FIVE, RATES, LARGE, ORIGINAL, ORIGINAL_LARGE])
def test_true_claims_are_verified(tree: dict[str, Any]) -> None:
    assert verdict(tree).outcome is Outcome.VERIFIED


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("rho.3", "4/3", "detailed-balance"),
        ("rho.0", "5/8", "detailed-balance"),
        ("mean_gaps.2", "10/7", "mean-gap"),
        ("gap_variances.1", "1", "gap-variance"),
        ("mean_ranked_queues.2", "3", "ranked-queue"),
        ("mean_total_queue", "12", "total-queue"),
        ("mean_total_queue", {"lo": "13", "hi": "14"}, "total-queue"),
        ("no_idle", "27/64", "no-idle"),
        ("no_idle", {"lo": "0", "hi": "1"}, "no-idle"),
        ("no_tie", "1/2", "no-tie"),
        ("no_tie", {"lo": "17e-2", "hi": "18e-2"}, ""),
        ("no_tie", {"lo": "18e-2", "hi": "2e-1"}, "no-tie"),
        ("throughput", "9", "throughput"),
        ("paused_fraction", "1/3", "paused-fraction"),
        ("stability_threshold", "3", "threshold"),
        ("stability_threshold", {"lo": "3", "hi": "4"}, "threshold"),
        ("gaps", [0, 1, 2], "shape"),
        ("gaps", [0, 1, 3, 2], "shape"),
        ("gaps", [0, 1, 2, 4], "shape"),
        ("rho.1", {"lo": "0", "hi": "1"}, "shape"),
        ("a", "8", "hypothesis"),
        ("a", "0", "hypothesis"),
        ("b", "0", "hypothesis"),
        ("servers", 0, "hypothesis"),
        ("dynamics", "original", "format"),
        ("b", "2", "detailed-balance"),
    ],
)
def test_exact(name: str, value: Any, expected: str) -> None:
    path = [int(step) if step.isdigit() else step for step in name.split(".")]
    assert condition(changed(FOUR, put("claim", *path, value=value))) == expected


def test_no_tie_leaves_the_wall_out() -> None:
    """rho_0 is no factor: P(no tie) is rho_1 rho_2 rho_3 = 729/4096."""
    assert FOUR["claim"]["no_tie"] == "729/4096"


def test_an_unstable_system_is_refused_whatever_else_is_consistent() -> None:
    """At b = 4 every equation can be satisfied, but rho_0 > 1 and there is no stationary law."""
    theta = Fraction(3, 4)
    rho = [(1 + Fraction(2) - Fraction(1, 4)) * theta**3, theta**3, theta**2, theta]
    means = [each / (1 - each) for each in rho]
    ranked = [sum(means[: k + 1], Fraction(0)) for k in range(4)]

    def edit(tree: dict[str, Any]) -> None:
        claim = tree["claim"]
        claim["b"] = "4"
        claim["rho"], claim["mean_gaps"] = [list(map(str, each)) for each in (rho, means)]
        claim["gap_variances"] = [str(m * (1 + m)) for m in means]
        claim["mean_ranked_queues"] = list(map(str, ranked))
        claim["mean_total_queue"] = str(sum(ranked))
        claim["no_idle"] = str(rho[0])
        served = 4 * sum(rho)
        claim["throughput"] = str(served)
        claim["paused_fraction"] = str(1 - served / (16 - Fraction(4) + 8))

    forged = changed(FOUR, edit)
    assert condition(forged) == "hypothesis"
    report = verdict(forged)
    assert report.refusal is not None
    assert report.refusal.where == "claim.rho.0"


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (put("claim", "arrival_rates", 0, value="0"), "hypothesis"),
        (put("claim", "service_rates", 0, value="0"), "hypothesis"),
        (put("claim", "service_rates", value=["1", "2"]), "shape"),
        (put("claim", "arrival_rates", 2, value="3/2"), "detailed-balance"),
        (put("claim", "rho", value=["2/3", "1/3"]), "shape"),
    ],
)
def test_rates(edit: Edit, expected: str) -> None:
    assert condition(changed(RATES, edit)) == expected


def test_rates_do_not_mix_with_a_and_b() -> None:
    assert condition(changed(RATES, put("claim", "a", value="1"))) == "format"


def test_swapped_ranks_are_another_system() -> None:
    def edit(tree: dict[str, Any]) -> None:
        for name in ("arrival_rates", "service_rates"):
            tree["claim"][name].reverse()

    assert condition(changed(RATES, edit)) != ""


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("rho.0", "detailed-balance"),
        ("mean_gaps.1", "mean-gap"),
        ("gap_variances.3", "gap-variance"),
        ("mean_ranked_queues.2", "ranked-queue"),
        ("mean_total_queue", "total-queue"),
        ("no_idle", "no-idle"),
        ("no_tie", "no-tie"),
        ("throughput", "throughput"),
        ("paused_fraction", "paused-fraction"),
        ("stability_threshold", "threshold"),
    ],
)
@pytest.mark.parametrize("end", ["lo", "hi"])
def test_enclosed(name: str, expected: str, end: str) -> None:
    """An interval shifted by its own width no longer contains the number."""
    path = [int(step) if step.isdigit() else step for step in name.split(".")]

    def edit(tree: dict[str, Any]) -> None:
        place = tree["claim"]
        for step in path:
            place = place[step]
        ends = {key: Fraction(value) for key, value in place.items()}
        width = (ends["hi"] - ends["lo"]) * (1 if end == "lo" else -1)
        place |= {key: spelled(value + width) for key, value in ends.items()}

    assert condition(changed(LARGE, edit)) == expected


def test_exact_ratio_in_a_large_system() -> None:
    """rho_397 = theta^3 and rho_399 = theta are written exactly and must be exact."""
    assert LARGE["claim"]["rho"][3] == "3999/4000"
    assert LARGE["claim"]["rho"][2] == str(Fraction(3999, 4000) ** 3)
    forged = changed(LARGE, put("claim", "rho", 3, value="3998/4000"))
    assert condition(forged) == "format"
    forged = changed(LARGE, put("claim", "rho", 3, value="1999/2000"))
    assert condition(forged) == "detailed-balance"
    forged = changed(LARGE, put("claim", "rho", 2, value=LARGE["claim"]["rho"][3]))
    assert condition(forged) == "detailed-balance"


def test_too_few_bits_never_help() -> None:
    for bits in (32, 40, 64):
        assert condition(changed(LARGE, put("witness", "precision", value=bits))) != ""
    assert condition(changed(LARGE, put("witness", "precision", value=31))) == "limit"


def test_enclosed_arithmetic_cannot_prove_exact_sums() -> None:
    assert condition(changed(FOUR, put("witness", "arithmetic", value="enclosed"))) != ""
    assert condition(changed(LARGE, put("witness", "arithmetic", value="exact"))) == "shape"


def test_unstable_system_is_refused_by_the_sweep() -> None:
    assert condition(changed(LARGE, put("claim", "b", value="3"))) == "hypothesis"


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        (("idle_servers",), "1/3", "idle"),
        (("throughput",), "12", "served"),
        (("identity", "constant"), "7/4", "identity"),
        (("identity", "slope"), "1", "identity"),
        (("drift", "slope"), "2", "drift"),
        (("drift", "constant"), "29", "drift"),
        (("shortest_queue", "at_least"), "1", "shortest-queue"),
        (("mean_queue", "at_least"), "4", "lower-bound"),
        (("mean_queue", "at_most"), "6", "upper-bound"),
        (("b",), "2", "hypothesis"),
        (("b",), "3", "hypothesis"),
        (("a",), "1", "hypothesis"),
    ],
)
def test_original(path: tuple[str, ...], value: str, expected: str) -> None:
    assert condition(changed(ORIGINAL, put("claim", *path, value=value))) == expected


def test_original_accepts_weaker_bounds() -> None:
    for path, value in (("shortest_queue.at_least", "0"), ("mean_queue.at_most", "8")):
        forged = changed(ORIGINAL, put("claim", *path.split("."), value=value))
        assert condition(forged) in ("", "lower-bound")


def test_original_bound_cannot_be_borrowed_from_a_larger_shortest_queue() -> None:
    """The lower bound of the mean follows from the proved bound of E Q_(1), not from a claim."""

    def edit(tree: dict[str, Any]) -> None:
        tree["claim"]["shortest_queue"]["at_least"] = "100"
        tree["claim"]["mean_queue"]["at_least"] = "40"

    assert condition(changed(ORIGINAL, edit)) == "shortest-queue"
    assert condition(changed(ORIGINAL_LARGE, edit)) == "shortest-queue"


def test_the_product_form_is_no_claim_about_the_original() -> None:
    forged = changed(FOUR, put("claim", "dynamics", value="original"))
    assert verdict(forged).outcome is Outcome.MALFORMED


@pytest.mark.parametrize(
    "number",
    [
        {"root": 5, "rational": "1", "coefficient": "0"},
        {"root": 20, "rational": "1", "coefficient": "1"},
        {"root": 4, "rational": "1", "coefficient": "1"},
    ],
)
def test_a_number_has_one_spelling(number: dict[str, Any]) -> None:
    assert condition(changed(FIVE, put("claim", "rho", 0, value=number))) == "format"
    assert condition(changed(FOUR, put("claim", "rho", 0, value=number))) == "format"


fractions = st.fractions(min_value=-50, max_value=50, max_denominator=60)
roots = st.integers(min_value=1, max_value=40)


@given(fractions, fractions, fractions, fractions, roots)
@settings(max_examples=80, deadline=None)
def test_elements_against_high_precision(
    p: Fraction, q: Fraction, r: Fraction, s: Fraction, root: int
) -> None:
    with mpmath.workdps(60):

        def real(x: Element) -> Any:
            q_part = mpmath.mpf(x.coefficient.numerator) / x.coefficient.denominator
            p_part = mpmath.mpf(x.rational.numerator) / x.rational.denominator
            return p_part + q_part * mpmath.sqrt(root)

        x, y = element(p, q, root), element(r, s, root)
        assert abs(real(x + y) - real(x) - real(y)) < mpmath.mpf(10) ** -50
        assert abs(real(x - y) - real(x) + real(y)) < mpmath.mpf(10) ** -50
        assert abs(real(x * y) - real(x) * real(y)) < mpmath.mpf(10) ** -50
        value = real(x)
        sign = 0 if abs(value) < mpmath.mpf(10) ** -40 else int(mpmath.sign(value))
        assert x.sign() == sign
        low, high = x.enclose(100, Trial(10**9)).ends()
        assert mpmath.mpf(low.numerator) / low.denominator <= value + mpmath.mpf(10) ** -50
        assert value <= mpmath.mpf(high.numerator) / high.denominator + mpmath.mpf(10) ** -50
        if isqrt(root) ** 2 == root:
            assert x.coefficient == 0


@given(st.integers(min_value=1, max_value=10**6), st.integers(min_value=8, max_value=200))
@settings(max_examples=100, deadline=None)
def test_square_root_encloses(root: int, bits: int) -> None:
    low, high = square_root(root, bits, Trial(10**9)).ends()
    assert low * low <= root <= high * high
    assert high - low <= Fraction(isqrt(root) + 1, 1 << (bits - 2))


@given(
    st.integers(min_value=2, max_value=8),
    st.fractions(min_value=Fraction(1, 10), max_value=2, max_denominator=20),
    st.integers(min_value=24, max_value=120),
)
@settings(max_examples=25, deadline=None)
def test_sweep_encloses_the_sums_of_the_definition(n: int, a: Fraction, bits: int) -> None:
    """Means, variances and sums, added up in exact arithmetic where sqrt(n) is replaced by n**2."""
    servers = n * n
    system = marginal(servers, a, a / 2)
    theta = 1 - a / n**3
    rho = [theta ** (servers - k) for k in range(servers)]
    rho[0] = rho[1] * (theta + a / (2 * n))
    means = [each / (1 - each) for each in rho]
    chosen = [0, servers // 3, servers - 1]
    found = sweep(system, chosen, bits + 40, Trial(10**9))
    for k in chosen:
        for enclosure, value in (
            (found.rho[k], rho[k]),
            (found.ranked[k], sum(means[: k + 1])),
            (found.variance[k], sum(m * (1 + m) for m in means[: k + 1])),
        ):
            low, high = enclosure.ends()
            assert low <= value <= high
            assert high - low < Fraction(servers**3 * 4000, 1 << bits)
    low, high = found.total.ends()
    assert low <= sum((servers - k) * m for k, m in enumerate(means)) <= high
    low, high = found.served.ends()
    assert low <= servers * sum(rho) <= high


def test_a_refusal_shows_the_right_number_and_the_claimed_one() -> None:
    tree = json.loads((ROOT / "certificates" / "rank-gaps-16.json").read_bytes())
    right = Fraction(tree["claim"]["mean_total_queue"])
    tree["claim"]["mean_total_queue"] = str(right + 1)
    refusal = check_bytes(to_bytes(tree)).refusal
    assert refusal is not None
    assert (refusal.condition, refusal.found) == ("total-queue", brief(right + 1))
    words, _, ends = refusal.expected.partition("[")
    assert words == "the sum over all ranks, "
    low, high = map(Fraction, ends.rstrip("]").split(", "))
    assert low <= right <= high < low + Fraction(1, 10**6)


def test_elements_for_people() -> None:
    assert str(element(Fraction(1, 2), 3, 5)) == "1/2 + 3 sqrt(5)"
    assert str(element(-1, Fraction(-2, 3), 2)) == "-1 + -2/3 sqrt(2)"
    assert str(element(Fraction(1, 2), 0, 5)) == "1/2"
    assert str(element(1, 2, 9)) == "7"
