"""Bins and brackets: E|S - h| by its definition, and the borders of what a claim may ask."""

import json
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest

from certify.fluid import FiniteLaw
from certify.fluid.brackets import FiniteBins, ParetoBins, UniformBins, bracket
from proofs_checks.checker.kinds.fluid_bins import Bins, read_bins
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Outcome, Refusal, Trial
from tests.drift_helpers import changed, condition, verdict
from tests.mutation.engine import Tree

F = Fraction
TRIAL = Trial(10**10)
ATOMS = [["0", "1/4"], ["1/2", "1/4"], ["1", "1/4"], ["5/2", "1/4"]]
GRID = [F(k, 8) for k in range(29)]


def read(law: Any, roots: tuple[str, ...] = (), load: str = "3/4") -> Bins:
    return read_bins(Node(law, "claim.law"), Node(load, "claim.load"), Node([*roots], "r"), TRIAL)


def refused(law: Any, roots: tuple[str, ...] = (), load: str = "3/4") -> str:
    with pytest.raises(Refusal) as error:
        read(law, roots, load)
    return error.value.condition


def test_a_finite_law_by_its_sizes() -> None:
    law = read({"atoms": ATOMS})
    atoms = [(F(size), F(mass)) for size, mass in ATOMS]
    for h in GRID:
        assert law.deviation(h, TRIAL) == sum(mass * abs(size - h) for size, mass in atoms)
        jobs, work = law.above(h, "", TRIAL)
        assert jobs == sum(mass for size, mass in atoms if size > h)
        assert work == sum(mass * size for size, mass in atoms if size > h)


@pytest.mark.parametrize("lowest", ["0", "1/4", "3/4"])
def test_a_uniform_law_by_integration(lowest: str) -> None:
    """Above h lie the sizes from h to b; E|S - h| is (h - a)**2 and (b - h)**2 over 2 (b - a)."""
    law, a = read({"family": "uniform", "lowest": lowest}), F(lowest)
    b = 2 - a
    for h in GRID:
        inside = min(max(h, a), b)
        jobs = (b - inside) / (b - a)
        assert law.above(h, "", TRIAL) == (jobs, (b * b - inside * inside) / (2 * (b - a)))
        if a <= h <= b:
            assert law.deviation(h, TRIAL) == ((h - a) ** 2 + (b - h) ** 2) / (2 * (b - a))
        else:
            assert law.deviation(h, TRIAL) == abs(h - 1)


@pytest.mark.parametrize(
    ("shape", "roots"),
    [("2", ("3/2", "2", "5")), ("3", ("2",)), ("3/2", ("6/5", "7/4")), ("2", ())],
)
def test_a_pareto_law_at_its_knots(shape: str, roots: tuple[str, ...]) -> None:
    """E(S - h)+ is h P(S > h)/(a - 1) from the smallest size l on; chords between the knots."""
    law, a = read({"family": "pareto", "shape": shape}, roots), F(shape)
    low = (a - 1) / a
    knots = [low * F(root) ** a.denominator for root in ("1", *roots)]
    jobs = [1 / F(root) ** a.numerator for root in ("1", *roots)]
    exact = [h - 1 + 2 * h * share / (a - 1) for h, share in zip(knots, jobs, strict=True)]
    assert exact[0] == 1 - low
    for h, share, deviation in zip(knots, jobs, exact, strict=True):
        assert law.above(h, "", TRIAL) == (share, h * share * a / (a - 1))
        assert law.deviation(h, TRIAL) == deviation
        for near in (h - F(1, 1000), h + F(1, 1000)):
            with pytest.raises(Refusal) as error:
                law.above(near, "claim.bins.0", TRIAL)
            assert error.value.condition == "knots"
    for h in (F(0), low / 2):
        assert law.deviation(h, TRIAL) == 1 - h
    for (left, first), (right, last) in pairwise(zip(knots, exact, strict=True)):
        assert law.deviation((left + right) / 2, TRIAL) == (first + last) / 2
        assert law.deviation((3 * left + right) / 4, TRIAL) == (3 * first + last) / 4
    beyond = knots[-1] + 3
    assert law.deviation(beyond, TRIAL) == exact[-1] + 3


def test_laws_at_the_ends_of_their_ranges() -> None:
    for lowest in ("0", "999/1000"):
        read({"family": "uniform", "lowest": lowest})
    for lowest in ("1", "3/2", "-1/1000"):
        assert refused({"family": "uniform", "lowest": lowest}) == "hypothesis"
    read({"family": "pareto", "shape": "1001/1000"})
    for shape in ("1", "1/2", "-2"):
        assert refused({"family": "pareto", "shape": shape}) == "hypothesis"
    for law in (
        {"family": "uniform", "lowest": "0"},
        {"family": "pareto", "shape": "2"},
        {"atoms": ATOMS},
    ):
        for load in ("1/1000", "999/1000"):
            read(law, load=load)
        for load in ("0", "1", "2", "-1/2"):
            assert refused(law, load=load) == "hypothesis"


def test_roots_rise_from_above_one() -> None:
    law = {"family": "pareto", "shape": "2"}
    read(law, ("1001/1000", "501/500"))
    for roots in (("1",), ("999/1000",), ("2", "2"), ("2", "3/2"), ("-2",)):
        assert refused(law, roots) == "knots"


def test_brackets_of_every_law() -> None:
    for law in (FiniteBins(FiniteLaw(tuple(map(tuple, ATOMS)))), UniformBins(0), ParetoBins(2)):
        for z in ("0", "1/3", "1"):
            tree: Tree = json.loads(bracket(law, "3/4", 3, z).certificate().to_bytes())
            assert condition(tree) == ""
            for name, code in (("lower", "lower"), ("upper", "upper"), ("regret", "regret")):
                off = {f"claim__{name}": str(F(tree["claim"][name]) + F(1, 10**9))}
                assert condition(changed(tree, **off)) == code or name == "lower"


def running(z: str, lower: str, upper: str) -> Tree:
    """Sizes 1/2 and 3/2 at load 3/4, in one bin."""
    low = ["33/28", "-3/14", "-15/28"], ["6/5", "-2/5", "-2/15"]
    return {
        "format": "certify/1",
        "kind": "fluid-bracket",
        "claim": {
            "law": {"atoms": [["1/2", "1/2"], ["3/2", "1/2"]]},
            "load": "3/4",
            "imbalance": z,
            "bins": [],
            "lower": lower,
            "upper": upper,
            "regret": str(F(upper) - F(lower)),
        },
        "witness": {
            "roots": [],
            "below": [
                {"from": "0", "to": "3/13", "value": low[0]},
                {"from": "3/13", "to": "1", "value": low[1]},
            ],
            "above": [{"from": "0", "to": "1", "value": ["3/2", "0", "-1/2"]}],
        },
    }


def test_imbalances_from_a_tie_to_an_empty_queue() -> None:
    for z, lower, upper in (("0", "33/28", "3/2"), ("1/2", "29/30", "11/8"), ("1", "2/3", "1")):
        assert condition(running(z, lower, upper)) == ""
        assert condition(running(z, str(F(lower) + F(1, 10**9)), upper)) == "lower"
        assert condition(running(z, lower, str(F(upper) - F(1, 10**9)))) == "upper"
    assert condition(running("1001/1000", "0", "1")) == "imbalance"
    assert condition(running("2", "-2/15", "-1/2")) == "imbalance"
    assert condition(running("-1/1000", "0", "1")) == "imbalance"


def test_bins_hold_jobs_and_rise_from_zero() -> None:
    tree = running("0", "33/28", "3/2")
    tree["claim"]["law"]["atoms"] = [["0", "1/2"], ["2", "1/2"]]
    last = "claim.bins, the last bin"
    for bins, where in (
        (["-1"], "claim.bins.0"),
        (["-1/2"], "claim.bins.0"),
        (["2"], last),
        (["0", "0"], "claim.bins.1"),
        (["0", "1"], "claim.bins.1"),
        (["1", "0"], "claim.bins.1"),
    ):
        tree["witness"]["below"] = [{"from": "0", "to": "1", "value": ["0", "0", "0"]}]
        forged = changed(tree, claim__bins=bins, claim__lower="0", claim__regret="3/2")
        refusal = verdict(forged).refusal
        assert refusal
        assert refusal.condition == "bins"
        assert refusal.where == where
    # the size 0 alone in a bin: what is seen is the law itself
    forged = changed(tree, claim__bins=["0"], claim__lower="0", claim__regret="3/2")
    assert verdict(forged).outcome is Outcome.REJECTED
    assert condition(forged) == "hamilton-jacobi"
