"""Numbers of the rank kinds, each moved a little: exact ones have one value, bounds one side."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from proofs_checks.checker.kinds.rank_model import Model, Run, marginal, sweep
from proofs_checks.checker.kinds.rank_numbers import element, precision_of, square_root, worded
from proofs_checks.checker.verdict import Outcome, Refusal, Trial
from tests.checker.test_mutants_fluid import is_number, names, places, put, spelled
from tests.drift_helpers import changed, condition, verdict
from tests.mutation.engine import Tree
from tests.rank_helpers import certificate

FOLDER = Path(__file__).parents[2] / "certificates"
# bounds: the side on which a number is weaker, and as true; 0 for rounded ones with room
WEAKER = {
    "rows.original.at_least": -1,
    "mean_queue.at_least": -1,
    "mean_queue.at_most": 1,
    "limit_bounds": 0,
}
CONDITION = {
    "mean_gaps": "mean-gap",
    "gap_variances": "gap-variance",
    "mean_ranked_queues": "ranked-queue",
    "mean_total_queue": "total-queue",
    "no_idle": "no-idle",
    "no_tie": "no-tie",
    "paused_fraction": "paused-fraction",
    "stability_threshold": "threshold",
    "throughput": "throughput",
    "limit_rates": "limit-rate",
    "mean_queue.expansion": "mean-expansion",
    "drift.slope": "drift",
    "drift.constant": "drift",
    "identity.slope": "identity",
    "identity.constant": "identity",
    "idle_servers": "idle",
    "full.mean_queue.at_least.rational": "full",
    "full.mean_queue.at_most.coefficient": "full",
}
TOTAL = ("mean_total_queue",)
NAMES = [
    "comparison-3",
    "comparison-16",
    "difference-2-light",
    "difference-2-light-no-idle",
    "gaps-4",
    "gaps-5",
    "gaps-critical-4",
    "gaps-rates-5",
    "gaps-original-4",
    "limits-4",
    "limits-16",
]


def shipped(name: str) -> Tree:
    tree: Tree = json.loads((FOLDER / f"rank-{name}.json").read_bytes())
    return tree


@pytest.mark.parametrize("name", NAMES)
def test_a_number_that_is_off_by_very_little(name: str) -> None:
    tree, seen = shipped(name), dict[str, int]()
    assert condition(tree) == ""
    for path, value in places(tree["claim"]):
        field, whole = names(path), isinstance(value, int)
        seen[field] = seen.get(field, 0) + 1
        if seen[field] > 3 or isinstance(value, dict) or not (whole or is_number(value)):
            continue
        for side in (-1, 1):
            if WEAKER.get(field, side + 1) in (0, side):
                continue
            step = Fraction(side, 1 if whole else 10**9)
            moved = value + side if whole else str(Fraction(value) + step)
            report = verdict(put(tree, path, moved))
            if field.endswith("root") or whole:
                assert report.outcome in (Outcome.MALFORMED, Outcome.REJECTED)
                continue
            assert report.outcome is Outcome.REJECTED, (path, report.line())
            assert report.refusal is not None
            wanted = "throughput" if field == "throughput" and "original" not in name else None
            wanted = CONDITION.get(field) if field != "throughput" else wanted
            assert wanted in (None, report.refusal.condition), (path, report.line())


@pytest.mark.parametrize("name", NAMES)
def test_an_interval_that_ends_beside_the_number(name: str) -> None:
    tree, seen = shipped(name), dict[str, int]()
    for path, value in places(tree["claim"]):
        field = names(path)
        seen[field] = seen.get(field, 0) + 1
        if not isinstance(value, dict) or seen[field] > 3:
            continue
        low, high = Fraction(value["lo"]), Fraction(value["hi"])
        step = max(high - low, Fraction(1, 10**9))
        for ends in ((high + step, high + 1), (low - 1, low - step)):
            texts = dict(zip(("lo", "hi"), (spelled(end, 60) for end in ends), strict=True))
            report = verdict(put(tree, path, texts))
            assert report.outcome is Outcome.REJECTED, (path, report.line())


# --- arithmetic of the ranks -------------------------------------------------------------------


@pytest.mark.parametrize("root", [1, 2, 3, 4, 5, 99, 100, 101, 10**6, 10**6 + 1])
@pytest.mark.parametrize("bits", [32, 33, 64])
def test_square_roots_are_enclosed(root: int, bits: int) -> None:
    low, high = square_root(root, bits, Trial(10**9)).ends()
    assert low**2 <= root <= high**2
    assert high - low <= Fraction(4 * root, 1 << bits)


@pytest.mark.parametrize("root", [2, 7])
def test_signs_of_rationals_and_a_root(root: int) -> None:
    for p in range(-6, 7):
        for q in range(-3, 4):
            exact = p + q * root**0.5  # never within 1/100 of 0 but for p = q = 0
            expected = 0 if p == q == 0 else (1 if exact > 0 else -1)
            assert element(p, q, root).sign() == expected


def model(arrivals: list[Fraction], services: list[Fraction]) -> Model:
    """The rates from rank 1 up."""
    runs = [Run(1, element(a, 0, 1), s) for a, s in zip(arrivals, services, strict=True)]
    return Model(len(runs), 1, runs[::-1])


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("chosen", [[0], [0, 1, 2, 3, 4, 5], [0, 2, 5]])
def test_a_sweep_at_few_bits_encloses_the_exact_numbers(seed: int, chosen: list[int]) -> None:
    count = 6
    arrivals = [Fraction(3 * k + seed + 2, 7 * k + seed + 5) for k in range(count)]
    services = [Fraction(11 * k + seed + 9, 9 * k + 7) for k in range(count)]
    found = sweep(model(arrivals, services), chosen, 32, Trial(10**9))
    rho = [Fraction(1)] * (count + 1)
    for k in range(count - 1, -1, -1):
        rho[k] = rho[k + 1] * arrivals[k] / services[k]
    means = [each / (1 - each) for each in rho[:count]]
    exact = {f"rho {k}": (found.rho[k], rho[k]) for k in chosen}
    for k in chosen:
        exact[f"mean {k}"] = found.ranked[k], sum(means[: k + 1], Fraction(0))
        squares = [mean * (1 + mean) for mean in means[: k + 1]]
        exact[f"variance {k}"] = found.variance[k], sum(squares, Fraction(0))
    # gap k counts in the queues of the ranks from k + 1 on
    total = sum((mean * (count - k) for k, mean in enumerate(means)), Fraction(0))
    exact["total"] = found.total, total
    served = sum((r * s for r, s in zip(rho[:count], services, strict=True)), Fraction(0))
    exact["served"] = found.served, served
    for name, (real, value) in exact.items():
        low, high = real.ends()
        assert low <= value <= high, name
        assert high - low < Fraction(1, 10**6), name


def test_a_load_of_one_is_not_stable() -> None:
    tree = shipped("gaps-rates-5")
    for load in (1, 2):
        forged = put(tree, ("arrival_rates",), [str(load), "1", "1", "1", "1"])
        forged["claim"]["service_rates"] = ["1"] * 5
        forged["claim"]["rho"] = [str(load), "1", "1", "1", "1"]
        assert condition(forged) == "hypothesis"
    slack = put(tree, ("arrival_rates",), ["1"] * 5)
    with pytest.raises(Refusal, match="certainly below 1"):
        sweep(model([Fraction(1)] * 3, [Fraction(1)] * 3), [0], 64, Trial(10**9))
    assert condition(slack) == "detailed-balance"


def test_streams_of_a_comparison_rise_and_leave_work() -> None:
    """b + slack < n^(3/2): at n = 3 a b of 5.2 is too large already beside a small slack."""
    tree = shipped("comparison-3")
    streams, rows = tree["claim"]["b"], tree["claim"]["rows"]
    twice = put(tree, ("b",), [*streams, streams[-1]])
    twice["claim"]["rows"] = [*rows, rows[-1]]
    assert condition(twice) == "shape"
    for last in ("6", "26/5", "1000"):
        assert condition(put(tree, ("b", len(streams) - 1), last)) == "hypothesis"
    for slack in ("0", "-1"):
        assert condition(put(tree, ("slack",), slack)) == "hypothesis"


def test_at_most_ten_million_servers() -> None:
    for name in ("gaps-original-4", "comparison-3", "limits-4"):
        for servers in (0, 10**7 + 1):
            assert condition(put(shipped(name), ("servers",), servers)) == "hypothesis"


@pytest.mark.parametrize("name", ["gaps-4", "limits-4", "gaps-original-4"])
@pytest.mark.parametrize("dynamics", ["free", "", "pause"])
def test_dynamics_of_no_kind(name: str, dynamics: str) -> None:
    forged = put(shipped(name), ("dynamics",), dynamics)
    assert verdict(forged).outcome is Outcome.MALFORMED


def test_powers_of_two_are_swept_exactly() -> None:
    """rho = 1/2, 1/4, 1/8 and the means 1, 1/3, 1/7: no lower end is above them."""
    found = sweep(model([Fraction(1)] * 3, [Fraction(2)] * 3), [0, 1, 2], 32, Trial(10**9))
    means = [Fraction(1, 7), Fraction(1, 3), Fraction(1)]
    for k in range(3):
        for real, value in (
            (found.rho[k], Fraction(1, 2 ** (3 - k))),
            (found.ranked[k], sum(means[: k + 1], Fraction(0))),
            (found.variance[k], sum((m * (1 + m) for m in means[: k + 1]), Fraction(0))),
        ):
            low, high = real.ends()
            assert low <= value <= high


def test_every_rank_counts_as_a_test_of_its_hypothesis() -> None:
    for name, ranks in (("limits-4", 4), ("limits-16", 16)):
        assert verdict(shipped(name)).tested["hypothesis"] >= ranks


def test_ranks_begin_with_the_first() -> None:
    tree = shipped("limits-4")
    for i, rank in ((0, 0), (2, 4), (1, 1), (1, 3)):
        assert condition(put(tree, ("profile", i, "rank"), rank)) == "shape"


def test_the_widest_interval_gives_the_digits() -> None:
    tree = shipped("comparison-3")
    shown = verdict(tree).line()
    for path in (("random", "shortest_queue"), ("rows", 0, "paused", "mean_queue")):
        interval = dict(places(tree["claim"]))[path]
        high = spelled(Fraction(interval["hi"]) * (1 + Fraction(1, 1000)), 60)
        wide = verdict(put(tree, path, interval | {"hi": high}))
        assert wide.outcome is Outcome.VERIFIED
        assert wide.line() != shown


def test_one_server_has_the_threshold_of_its_own_queue() -> None:
    """Nothing is above rank 1 then: 1 - a + b < 1 for every b < a = 1/2."""
    tree = certificate(kind="rank-gaps", servers=1, a="1/2", b="1/4")
    assert condition(tree) == ""
    assert tree["claim"]["stability_threshold"] == "1/2"
    assert condition(put(tree, ("stability_threshold",), "3/5")) == "threshold"


def test_ranked_queues_by_intervals_among_exact_gaps() -> None:
    """Exact sums end where the claims stop being exact; the total may then be an interval only."""
    tree = shipped("gaps-4")
    exact = [Fraction(value) for value in tree["claim"]["mean_ranked_queues"]]
    total, tiny = Fraction(tree["claim"]["mean_total_queue"]), Fraction(1, 10**12)

    def around(value: Fraction, shift: int = 0) -> dict[str, str]:
        middle = Fraction(int(value * 10**15), 10**15) + shift * 2 * tiny
        return {"lo": spelled(middle - tiny, 60), "hi": spelled(middle + tiny, 60)}

    wide = around(total)
    for first in range(4):  # exact below this rank
        for shift in (-1, 0, 1):
            ranked = [*map(str, exact[:first]), *(around(each) for each in exact[first:])]
            ranked[-1] = around(exact[-1], shift)
            forged = put(put(tree, ("mean_ranked_queues",), ranked), TOTAL, wide)
            assert condition(forged) == ("ranked-queue" if shift else "")
            if not shift:
                assert condition(put(forged, TOTAL, around(total, 1))) == "total-queue"
                assert condition(put(forged, TOTAL, str(total))) == "total-queue"
    ranked = [around(exact[0]), *map(str, exact[1:])]
    forged = put(put(tree, ("mean_ranked_queues",), ranked), TOTAL, wide)
    assert condition(forged) == "ranked-queue"


def test_a_single_point_is_as_good_as_exact() -> None:
    low = Fraction(1) - Fraction(1, 10**100)
    assert precision_of([(Fraction(0), Fraction(0)), (low, Fraction(1))]) == (
        "to 100 digits or exactly"
    )


def test_a_is_less_than_the_power_three_halves_of_the_servers() -> None:
    """With a = n^(3/2) the arrival rate of the other ranks would be 0."""
    tree = certificate(kind="rank-gaps", dynamics="paused", servers=4, a="79/10", b="1")
    assert condition(tree) == ""
    assert condition(put(tree, ("a",), "8")) == "hypothesis"
    single = certificate(kind="rank-gaps", dynamics="paused", servers=1, a="9/10", b="1/2")
    assert condition(single) == ""
    assert condition(put(single, ("a",), "1")) == "hypothesis"


def test_rates_served_are_enclosed_where_nothing_is_rounded() -> None:
    """Four servers with ratios 1/2 and, for the shortest queue, 3/4."""
    low, high = sweep(marginal(4, Fraction(4), Fraction(1, 2)), [0], 32, Trial(10**9)).served.ends()
    assert low <= 4 * (Fraction(7, 8) + Fraction(3, 32)) <= high


def test_an_enclosed_server_alone() -> None:
    """An M/M/1 queue with a load of 1 - a + b: it is stable for b < a."""
    tree = certificate(
        kind="rank-gaps", dynamics="paused", servers=1, a="1/2", b="1/4", numbers="enclosed"
    )
    assert tree["witness"]["arithmetic"] == "enclosed"
    assert condition(tree) == ""
    threshold = tree["claim"]["stability_threshold"]
    assert Fraction(threshold["lo"]) <= Fraction(1, 2) <= Fraction(threshold["hi"])


@pytest.mark.parametrize("bits", [32, 40, 64])
def test_the_printed_bounds_of_the_original_dynamics_are_rounded_outward(bits: int) -> None:
    """They are -10319/12506 + (44403/25012) sqrt(3) and -1 + 3 sqrt(3)."""
    tree = certificate(kind="rank-gaps", dynamics="original", servers=3, a=2, b=1)
    ends = [tree["claim"]["mean_queue"][name] for name in ("at_least", "at_most")]
    line = verdict(changed(tree, witness__precision=bits)).line()
    low, high = map(Fraction, line.split(" from ")[1].split(" to "))
    parts = [(Fraction(end["rational"]), Fraction(end["coefficient"])) for end in ends]
    (plain, rooted), (plain_above, rooted_above) = parts
    assert (low - plain) ** 2 < 3 * rooted**2  # both sides are positive
    assert (high - plain_above) ** 2 > 3 * rooted_above**2


def test_numbers_in_words() -> None:
    run = Trial(10**6)
    assert worded(element(Fraction(7, 2), 0, 3), run) == "7/2"
    assert worded(element(-1, 3, 3), run) == "4.1961524227..."  # -1 + 3 sqrt(3)
    assert worded(element(-1, 3, 4), run) == "5"
    assert worded((Fraction(1, 3), Fraction(33_333_334, 10**8)), run) == "3.333333...e-1"


def test_the_verdicts_name_the_mean_queues() -> None:
    tree = shipped("comparison-3")
    low = Fraction(tree["claim"]["rows"][-1]["paused"]["mean_queue"]["lo"])
    assert f"mean queue with pauses {float(low):.9f}" in verdict(tree).line()
    tree = shipped("limits-4")
    for name, words in (("mean_queue", "mean queue"), ("imbalance", "imbalance")):
        low = Fraction(tree["claim"][name]["value"]["lo"])
        assert f"{words} {float(low):.9f}" in verdict(tree).line()
    assert "mean total queue 383070/31339," in verdict(shipped("gaps-4")).line()
