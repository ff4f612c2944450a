"""Costs of five dispatchers from one start, exact for finite laws and enclosed for others."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.errors import InputError
from certify.fluid import Comparison, FiniteLaw, compare
from certify.fluid.comparison import make, words
from certify.fluid.continuous import (
    BalancedHyperexponential,
    BoundedPareto,
    ContinuousLaw,
    Exponential,
    Gamma,
    Hyperexponential,
    Lognormal,
    Pareto,
    Uniform,
    Weibull,
)
from certify.fluid.mixtures import Component, Mixture
from certify.fluid.policies import exit_shares, half_of_the_work
from certify.kinds import make_file
from certify.problem import read
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome
from tests.certify.test_fluid_value import FOUR, GAP, LAWS, LOADS, POINT, RUNNING, laws, loads
from tests.mutation.truth.fluid_comparison import (
    balanced,
    exit_cost,
    most_work_left,
    size_interval,
    truth,
)
from tests.mutation.truth.fluid_heavy_traffic import half_work_share

PROBLEMS = Path(__file__).parents[2] / "certify" / "problems"
F = Fraction


def test_running_example() -> None:
    found = compare(RUNNING, "3/4", "1/2", "1/2")
    assert (found.optimal, found.balanced, found.most_work_left) == (F(33, 28), F(3, 2), F(21, 16))
    assert found.saving("optimal", "balanced") == F(3, 14)
    assert found.saving("optimal", "most_work_left") == F(5, 49)
    assert found.bin_policy == found.optimal, "bins of single sizes lose nothing"
    assert found.size_interval == found.balanced, "from a tie the split at the work median"


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("load", LOADS)
def test_policies_solve_their_transport_equations(law: FiniteLaw, load: Fraction) -> None:
    """A tie, unequal queues, a nearly empty queue (it idles at low load), an empty one."""
    for short, long in ((1, 1), (F(1, 3), 2), (F(1, 100), 3), (0, 2)):
        if short == 0 and load <= F(1, 2):
            continue
        found, x, delta = compare(law, load, short, long), F(short) + long, F(long) - short
        assert found.balanced == balanced(load, x, delta)
        assert found.most_work_left == most_work_left(law.atoms, load, x, delta)
        share, axis = half_work_share(law.atoms)[0], exit_cost(law.atoms, load)
        for rule in ("exactly-busy", "same-split"):
            other = compare(law, load, short, long, axis_rule=rule).size_interval
            assert other == size_interval(load, x, delta, rule, share, axis)
            assert other >= found.optimal
        costs = (found.balanced, found.most_work_left, found.size_interval, found.bin_policy)
        assert all(found.optimal <= cost for cost in costs)
        assert check_bytes(found.certificate().to_bytes()).outcome is Outcome.VERIFIED
        if law is POINT and load >= F(1, 2):
            assert found.optimal == found.balanced


@settings(max_examples=40, deadline=None)
@given(laws(), loads, st.fractions(F(1, 20), 5), st.fractions(F(1, 20), 5))
def test_random_starts(law: FiniteLaw, load: Fraction, u1: Fraction, u2: Fraction) -> None:
    found = compare(law, load, u1, u2)
    assert found == compare(law, load, u2, u1)
    certificate = found.certificate()
    assert truth(certificate.claim)
    assert check_bytes(certificate.to_bytes()).outcome is Outcome.VERIFIED


def test_from_a_tie_most_work_left_has_a_closed_form() -> None:
    for load in LOADS:
        if load > F(1, 2):
            jobs, work = exit_shares(FOUR, load)
            assert work == 1 / (2 * load)
            expected = load * (load + F(1, 2)) + load**3 * (1 - jobs) / (1 - load)
            assert compare(FOUR, load, "1/2", "1/2").most_work_left == expected


def test_exit_shares() -> None:
    assert exit_shares(RUNNING, F(3, 4)) == (F(1, 2) + F(5, 12) / F(3, 2), F(2, 3))
    assert exit_shares(GAP, F(5, 6)) == (F(4, 5), F(3, 5)), "no size needs to be split"
    assert exit_shares(FOUR, F(1, 4)) == (1, 1), "all jobs cannot keep the queue busy"


def test_certificate_and_words() -> None:
    found = compare(RUNNING, "3/4", "1/2", "1/2")
    certificate = found.certificate()
    assert certificate.claim == {
        "law": {"atoms": [["1/2", "1/2"], ["3/2", "1/2"]]},
        "load": "3/4",
        "start": {"short": "1/2", "long": "1/2"},
        "bins": ["1/2"],
        "axis_rule": "exactly-busy",
        "work_median": "3/2",
        "half_work_share": "1/3",
        "optimal": "33/28",
        "balanced": "3/2",
        "most_work_left": "21/16",
        "size_interval": "3/2",
        "bin_policy": "33/28",
        "savings": {
            "optimal": {"against_balanced": "3/14", "against_most_work_left": "5/49"},
            "size_interval": {"against_balanced": "0", "against_most_work_left": "-1/7"},
            "bin_policy": {"against_balanced": "3/14", "against_most_work_left": "5/49"},
        },
    }
    assert set(certificate.witness) == {"optimal", "bin_policy"}
    assert words(certificate.claim) == (
        "From workloads (1/2, 1/2) at load 3/4 the least cost is 33/28, against 3/2 for balanced "
        "routing, 21/16 for most work left, 3/2 for the split at the work median and 33/28 for the "
        "best routing by 2 bins of sizes."
    )
    assert isinstance(found, Comparison)
    assert repr(found) == (
        "Comparison(load=3/4, start=(1/2, 1/2), optimal=33/28, balanced=3/2, most_work_left=21/16, "
        "size_interval=3/2, bin_policy=33/28)"
    )


def test_the_half_of_the_work() -> None:
    assert half_of_the_work(RUNNING) == (F(3, 2), F(1, 3))
    assert half_of_the_work(POINT) == (1, F(1, 2))
    even = FiniteLaw((("1/2", "1/2"), (1, "1/4"), (2, "1/4")))
    assert half_of_the_work(even) == (2, F(1, 4)), "the largest work median"


DENSITIES: list[ContinuousLaw] = [
    Exponential(),
    Hyperexponential((F(1, 2), F(1, 2)), (F(1, 2), F(3, 2))),
    BalancedHyperexponential(F(10)),
    Uniform(F(1, 4)),
    Pareto(F(3, 2)),
    BoundedPareto(F(1), F(50)),
    Gamma(F(1, 2)),
    Weibull(F(1, 2)),
    Lognormal(F(1)),
]


@pytest.mark.parametrize("law", DENSITIES, ids=lambda law: str(law.family))
def test_every_family_with_a_density(law: ContinuousLaw) -> None:
    certificate = compare(law, "4/5", "1/3", "1/2", 3, digits=5).certificate()
    report = check_bytes(certificate.to_bytes())
    assert report.outcome is Outcome.VERIFIED, report.line()


@pytest.mark.parametrize(
    ("law", "load", "short", "rule"),
    [
        (Uniform(F(1, 4)), "1/4", "1/3", "same-split"),
        (Exponential(), "4/5", "1/2", "exactly-busy"),
        (Pareto(F(3, 2)), "4/5", "1/3", "exactly-busy"),
    ],
)
def test_densities_by_floating_quadrature(
    law: ContinuousLaw, load: str, short: str, rule: str
) -> None:
    certificate = compare(law, load, short, "1/2", 3, rule, 10).certificate()
    assert check_bytes(certificate.to_bytes()).outcome is Outcome.VERIFIED
    assert truth(certificate.claim) is True


@settings(max_examples=5, deadline=None)
@given(
    st.sampled_from([Exponential(), Uniform(F(1, 4)), Pareto(F(3, 2)), BoundedPareto(F(1), F(50))]),
    st.fractions(F(1, 10), F(95, 100), max_denominator=20),
    st.fractions(F(1, 20), 1, max_denominator=20),
    st.lists(st.fractions(F(1, 2), F(3, 2), max_denominator=6), max_size=3, unique=True),
)
def test_random_densities_loads_starts_and_bins(
    law: ContinuousLaw, load: Fraction, short: Fraction, bins: list[Fraction]
) -> None:
    found = compare(law, load, short, 1, sorted(bins), digits=6)
    report = check_bytes(found.certificate().to_bytes())
    assert report.outcome is Outcome.VERIFIED, report.line()
    low, _ = found.optimal
    for policy in ("balanced", "most_work_left", "size_interval", "bin_policy"):
        cost = getattr(found, policy)
        assert low <= (cost if isinstance(cost, Fraction) else cost[1])


def test_a_mixture_whose_atom_is_the_exit_cutoff_and_ends_a_bin() -> None:
    """Half Pareto sizes, half of size 1, which is the work median as well."""
    law = Mixture((Component(F(1, 2), F(1), Pareto(F(3, 2))),), ((F(1), F(1, 2)),))
    found = compare(law, "3/4", "1/4", "3/4", [1], "same-split", 8)
    assert found.work_median[0] < 1 < found.work_median[1]
    assert check_bytes(found.certificate().to_bytes()).outcome is Outcome.VERIFIED
    assert truth(found.certificate().claim) is True


@pytest.mark.parametrize(("mass", "ends"), [("1/2", [F(1)]), ("9/10", [F(1)]), ("1/10", None)])
def test_cuts_that_fall_into_one_atom_are_made_once(mass: str, ends: list[F] | None) -> None:
    """Jobs of size 1 and uniform ones; cuts of equal work that coincide leave fewer bins."""
    law = Mixture((Component(1 - F(mass), F(1), Uniform(F(1, 2))),), ((F(1), F(mass)),))
    certificate = compare(law, "3/4", 0, 1, digits=8).certificate()
    assert check_bytes(certificate.to_bytes()).outcome is Outcome.VERIFIED
    assert truth(certificate.claim) is not False
    found = [F(end) for end in certificate.claim["bins"]]
    assert found == ends if ends else len(found) == 3


def test_an_empty_queue_makes_three_policies_one() -> None:
    """Then most work left, and the split that keeps the empty queue busy, are optimal."""
    found = compare(Exponential(), "3/4", 0, 2, digits=8)
    assert found.optimal == found.most_work_left == found.size_interval
    assert found.saving("optimal", "most_work_left") == 0
    assert check_bytes(found.certificate().to_bytes()).digits >= 8
    kept = compare(Exponential(), "3/4", 0, 2, axis_rule="same-split", digits=8)
    assert kept.size_interval[0] > found.optimal[1]


@pytest.mark.parametrize("short", [F(1, 10), F(0)])
def test_a_bin_that_ends_exactly_at_the_exit_cutoff(short: Fraction) -> None:
    """The jobs up to 3 carry exactly 2/3 of the work of Pareto sizes of shape 3/2."""
    certificate = compare(Pareto(F(3, 2)), "3/4", short, 1, [1, 3], digits=10).certificate()
    assert check_bytes(certificate.to_bytes()).outcome is Outcome.VERIFIED
    assert truth(certificate.claim) is True


def test_more_bins_cost_less_and_one_bin_is_balanced_routing() -> None:
    found = [compare(Uniform(), "3/4", 1, 2, n, digits=6) for n in (1, 2, 4, 16)]
    costs = [each.bin_policy for each in found]
    assert costs[0] == found[0].balanced
    lows = [cost if isinstance(cost, Fraction) else cost[0] for cost in costs]
    assert lows == sorted(lows, reverse=True)
    optimal = found[0].optimal
    assert optimal[0] < lows[-1] < optimal[1] * F(1003, 1000)


def test_more_digits_lie_inside_fewer() -> None:
    coarse, fine = (compare(Exponential(), "2/3", 1, 2, digits=d).optimal for d in (8, 60))
    assert coarse[0] <= fine[0] <= fine[1] <= coarse[1]
    assert fine[1] - fine[0] < F(1, 10**60)


def test_bins_of_the_tool_are_short_numbers() -> None:
    found = compare(Pareto(F(3, 2)), "3/4", 1, 1, 4, digits=5)
    assert found.bins == (F("0.55102"), F("1.08"), F(3))


def said_by(call: Any, *arguments: Any) -> str:
    with pytest.raises(InputError) as caught:
        call(*arguments)
    return str(caught.value)


def test_bad_starts() -> None:
    negative = "start must have workloads of at least 0, but was -1."
    assert said_by(compare, RUNNING, "3/4", 1, -1) == negative
    empty = "start must have a positive total workload, but was empty."
    assert said_by(compare, RUNNING, "3/4", 0, 0) == empty
    costless = (
        "start.short must be positive at a load up to 1/2 (otherwise the least cost is 0), "
        "but was 0."
    )
    assert said_by(compare, RUNNING, "1/2", 0, 1) == costless
    assert said_by(compare, RUNNING, 1, 1, 1).startswith("load must be greater than 0")


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        ("", "start must be given, but was missing."),
        ("start = 1", "start must be a table, but was 1."),
        ("start = {short = 1}", "start.long must be given, but was missing."),
        ("start = {short = 2, long = 1}", "start.short must be at most start.long (1), but was 2."),
        (
            "start = {short = 1, long = 1, x = 2}",
            "start.x must be a known key (here: long, short), but was unknown.",
        ),
        (
            "imbalances = [0]\nstart = {short = 1, long = 1}",
            "imbalances must be a known key (here: axis_rule, bins, law, load, start), but was "
            "unknown.",
        ),
        (
            "start = {short = -1, long = 1}",
            "start must have workloads of at least 0, but was -1.",
        ),
    ],
)
def test_bad_problems(start: str, expected: str, tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text(f"load = 0.75\n{start}\n[law]\natoms = [[1, 1]]\n")
    assert said_by(make, read(path)) == expected


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("bins = 0", "bins must be a whole number from 1 to 200, or sizes, but was 0."),
        ("bins = [1, 1]", "bins[1] must end a bin with jobs above the last, but was 1."),
        ("bins = [3]", "bins[0] must end a bin with jobs above the last, but was 3."),
        ("bins = [-1]", "bins[0] must end a bin with jobs above the last, but was -1."),
        ("bins = [1, 2]", "bins must leave jobs for the last bin, but was 2."),
        ("bins = 'x'", "bins must be a whole number or a list of sizes, but was 'x'."),
        (
            "axis_rule = 'idle'",
            "axis_rule must be one of exactly-busy, same-split, but was idle.",
        ),
        ("digits = 0", "digits must be a whole number from 1 to 10000, but was 0."),
    ],
)
def test_bad_bins_rules_and_digits(more: str, expected: str, tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    head = f"load = 0.75\n{more}\nstart = {{short = 1, long = 1}}\n"
    path.write_text(f"{head}[law]\nfamily = 'uniform'\nlowest = 0\n")
    if more == "bins = [3]":
        expected = "bins must leave jobs for the last bin, but was 3."
    assert said_by(make, read(path)) == expected


def test_bad_bins_of_a_finite_law(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    head = "load = 0.75\nbins = [2]\nstart = {short = 1, long = 1}\n"
    path.write_text(head + "[law]\natoms = [[1, 1]]\n")
    assert said_by(make, read(path)) == "bins must leave jobs for the last bin, but was 2."
    path.write_text(head.replace("[2]", "4\ndigits = 9") + "[law]\natoms = [[1, 1]]\n")
    assert said_by(make, read(path)).startswith("digits must be a known key")


def test_bad_rules_of_the_api() -> None:
    sentence = "axis_rule must be one of exactly-busy, same-split, but was idle."
    assert said_by(compare, RUNNING, "3/4", 1, 1, 4, "idle") == sentence
    sentence = "law.shape must be greater than 1 (otherwise the mean is infinite), but was 1."
    assert said_by(lambda: compare(Pareto(F(1)), "3/4", 1, 1)) == sentence


@pytest.mark.parametrize(
    "path", sorted(PROBLEMS.glob("fluid-comparison-*.toml")), ids=lambda path: path.stem
)
def test_shipped_problems_of_finite_laws(path: Path) -> None:
    if "family" not in path.read_text():
        certificate = make_file(path)
        assert check_bytes(certificate.to_bytes()).outcome is Outcome.VERIFIED
        assert truth(certificate.claim)
