"""The checker's kind fluid-enclosure: every condition, alone, refuses something false."""

import copy
import json
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from certify.fluid import BoundedPareto, Mixture, Uniform
from certify.fluid.continuous import FAMILIES, ContinuousLaw
from certify.fluid.enclosure import enclose
from proofs_checks.checker.cli import Report, check_bytes
from proofs_checks.checker.kinds import fluid_enclosure
from proofs_checks.checker.kinds.size_laws import read_size_law
from proofs_checks.checker.kinds.special_laws import Sizes
from proofs_checks.checker.reader import Limits, Node
from proofs_checks.checker.verdict import Outcome, Refusal, Trial
from tests.mutation.engine import to_bytes
from tests.mutation.truth.fluid_enclosure import truth

SCHEMA = Path(__file__).parents[2] / "certificates" / "schema" / "fluid-enclosure.json"
F = Fraction
LAWS: dict[str, dict[str, Any]] = {
    "exponential": {},
    "hyperexponential": {"weights": ["1/3", "2/3"], "means": ["2", "1/2"]},
    "balanced-hyperexponential": {"squared_variation": "10"},
    "uniform": {"lowest": "1/4"},
    "pareto": {"shape": "5/2"},
    "bounded-pareto": {"shape": "1", "ratio": "50"},
    "gamma": {"shape": "7/3"},
    "weibull": {"shape": "3/4"},
    "lognormal": {"sigma": "1/2"},
}
MIXED = Mixture(
    [("1/5", "5/4", Uniform("1/4")), ("1/5", "9/4", BoundedPareto(1, 3))], [("1/2", "3/5")]
)
DIGITS = 6


def law(family: str) -> ContinuousLaw:
    return MIXED if family == "mixture" else FAMILIES[family](**LAWS[family])


@cache
def made(family: str, load: str, imbalances: tuple[str, ...] = ("0", "1/2", "1")) -> str:
    certificate = enclose(law(family), load, imbalances, DIGITS, path=True).certificate()
    return certificate.to_bytes().decode()


def tree(family: str = "uniform", load: str = "3/4") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(made(family, load))
    return found


def judged(forged: dict[str, Any]) -> Report:
    return check_bytes(to_bytes(forged))


def condition(forged: dict[str, Any]) -> str:
    report = judged(forged)
    assert report.outcome is Outcome.REJECTED, report.line()
    assert report.refusal is not None
    return report.refusal.condition


class Lenient(Trial):
    """A trial that overlooks one condition."""

    def __init__(self, overlooked: str) -> None:
        super().__init__(10**10)
        self.overlooked = overlooked

    def require(
        self, condition: str, holds: bool, where: str, expected: str, found: object
    ) -> None:
        super().require(condition, holds or condition == self.overlooked, where, expected, found)


def overlooking(name: str, forged: dict[str, Any]) -> None:
    claim, witness = Node(forged["claim"], "claim"), Node(forged["witness"], "witness")
    fluid_enclosure.check(claim, witness, Lenient(name))


@pytest.mark.parametrize("family", [*LAWS, "mixture"])
@pytest.mark.parametrize("load", ["1/4", "1/2", "4/5"])
def test_true_claims_are_verified(family: str, load: str) -> None:
    certificate = tree(family, load)
    report = judged(certificate)
    assert report.outcome is Outcome.VERIFIED, report.line()
    assert report.digits is not None
    assert report.digits >= DIGITS
    jsonschema.validate(certificate, json.loads(SCHEMA.read_bytes()))


def test_every_condition_is_tested() -> None:
    assert set(judged(tree()).tested) == set(fluid_enclosure.CONDITIONS)


def moved(interval: dict[str, str], low: int, high: int) -> dict[str, str]:
    """The ends moved by so many parts in ten thousand."""
    ends = [F(interval[name]) * (1 + F(step, 10**4)) for name, step in (("lo", low), ("hi", high))]
    scaled = [end * 10**80 for end in ends]
    return {name: _spelled(int(end)) for name, end in zip(("lo", "hi"), scaled, strict=True)}


def _spelled(mantissa: int) -> str:
    power = -80
    while mantissa and mantissa % 10 == 0:
        mantissa, power = mantissa // 10, power + 1
    return f"{mantissa}e{power}"


@pytest.mark.parametrize(
    ("name", "field", "low", "high"),
    [
        ("exit-below", "exit_cutoff", 1, 2),
        ("exit-above", "exit_cutoff", -2, -1),
        ("saving", "saving", 1, 2),
        ("saving", "saving", -2, -1),
        ("value", "value", 1, 2),
        ("value", "value", -2, -1),
        ("time", "time", 1, 2),
        ("time", "time", -2, -1),
        ("cutoff-below", "cutoff", 1, 2),
        ("cutoff-above", "cutoff", -2, -1),
    ],
)
def test_each_interval_that_misses_is_caught_by_its_own_condition(
    name: str, field: str, low: int, high: int
) -> None:
    forged = tree()
    where = forged["claim"] if field in forged["claim"] else forged["claim"]["values"][1]
    where[field] = moved(where[field], low, high)
    if field == "exit_cutoff":
        forged["claim"]["values"] = forged["claim"]["values"][:2]
        forged["claim"]["path"] = forged["claim"]["path"][:1]
    assert truth(copy.deepcopy(forged["claim"])) is False
    assert condition(forged) == name
    if field in ("saving", "value", "time"):
        overlooking(name, forged)


def test_imbalances_lie_between_empty_and_full() -> None:
    for z in ("-1/2", "3/2"):
        forged = tree()
        forged["claim"]["values"][1]["imbalance"] = z
        assert condition(forged) == "imbalance"


@pytest.mark.parametrize(
    ("load", "cutoff"), [("1/4", {"lo": "1", "hi": "2"}), ("4/5", "infinity"), ("1/2", "infinity")]
)
def test_a_finite_exit_exactly_where_there_is_one(load: str, cutoff: Any) -> None:
    forged = tree("uniform", load)
    forged["claim"]["exit_cutoff"] = cutoff
    assert truth(copy.deepcopy(forged["claim"])) is False
    assert condition(forged) == "exit"


def test_the_exit_at_half_load_is_the_largest_size() -> None:
    for ends, name in ((("1", "17e-1"), "exit-above"), (("18e-1", "19e-1"), "exit-below")):
        forged = tree("uniform", "1/2")
        forged["claim"]["exit_cutoff"] = dict(zip(("lo", "hi"), ends, strict=True))
        assert condition(forged) == name


def test_an_infinite_cutoff_only_on_the_axis() -> None:
    forged = tree()
    forged["claim"]["values"][1]["cutoff"] = "infinity"
    assert condition(forged) == "cutoff-above"
    forged = tree("exponential", "1/4")
    forged["claim"]["values"][2]["cutoff"] = {"lo": "1", "hi": "2"}
    assert condition(forged) == "cutoff-above"


def test_the_cutoff_at_a_tie_is_zero() -> None:
    forged = tree()
    forged["claim"]["values"][0]["cutoff"] = {"lo": "1e-9", "hi": "1"}
    assert condition(forged) == "cutoff-below"
    forged["claim"]["values"][0]["cutoff"] = {"lo": "-1", "hi": "-1e-9"}
    assert condition(forged) == "cutoff-above"


@pytest.mark.parametrize(
    ("family", "field", "value"),
    [
        ("uniform", "lowest", "-1/9"),
        ("uniform", "lowest", "1"),
        ("pareto", "shape", "1"),
        ("bounded-pareto", "shape", "0"),
        ("bounded-pareto", "ratio", "1"),
        ("gamma", "shape", "0"),
        ("weibull", "shape", "-1"),
        ("lognormal", "sigma", "0"),
        ("mixture", "atoms", []),
        ("mixture", "atoms", [["1/2", "3/5"], ["1/2", "1/5"]]),
        ("mixture", "atoms", [["-1/2", "3/5"]]),
        ("mixture", "atoms", [["1/2", "3/5"], ["1", "0"]]),
        ("mixture", "atoms", [["2/3", "3/5"]]),
        ("balanced-hyperexponential", "squared_variation", "1"),
        ("hyperexponential", "weights", ["1/3", "1/3"]),
        ("hyperexponential", "weights", ["1"]),
        ("hyperexponential", "means", ["2", "1"]),
        ("hyperexponential", "means", ["-2", "5/2"]),
    ],
)
def test_parameters_outside_the_hypotheses(family: str, field: str, value: Any) -> None:
    forged = tree(family)
    forged["claim"]["law"][field] = value
    assert truth(copy.deepcopy(forged["claim"])) is False
    assert condition(forged) == "hypothesis"


@pytest.mark.parametrize(
    ("name", "field", "low", "high"),
    [
        ("path-total", "total", 1, 2),
        ("path-total", "total", -2, -1),
        ("path-time", "time", 1, 2),
        ("path-time", "time", -2, -1),
    ],
)
def test_a_path_that_misses_is_caught(name: str, field: str, low: int, high: int) -> None:
    for index in (0, 1):
        forged = tree()
        row = forged["claim"]["path"][index]
        row[field] = moved(row[field], low, high)
        assert truth(copy.deepcopy(forged["claim"])) is False
        assert condition(forged) == name
        overlooking(name, forged)


@pytest.mark.parametrize("changes", [["1/2", "1/2"], ["0", "1/2"], ["1/3", "1"]])
def test_the_imbalance_of_a_path_rises_through_listed_ones(changes: list[str]) -> None:
    forged = tree()
    rows = forged["claim"]["path"]
    forged["claim"]["path"] = [row | {"imbalance": z} for row, z in zip(rows, changes, strict=True)]
    assert truth(copy.deepcopy(forged["claim"])) is False
    assert condition(forged) == "path"


def test_an_exit_inside_an_atom() -> None:
    """Neither end of the claim may pass by the atom, and its jobs wait in part."""
    law = Mixture([("1/4", "2", Uniform("1/2"))], [("1/5", "1/2"), ("8/5", "1/4")])
    certificate = json.loads(enclose(law, "9/10", [0, 1], DIGITS).certificate().to_bytes())
    cutoff = certificate["claim"]["exit_cutoff"]
    assert F(cutoff["lo"]) < F(8, 5) < F(cutoff["hi"])
    assert judged(certificate).outcome is Outcome.VERIFIED
    assert truth(copy.deepcopy(certificate["claim"])) is True
    for ends, name in ((("1", "15e-1"), "exit-above"), (("17e-1", "18e-1"), "exit-below")):
        forged = copy.deepcopy(certificate)
        forged["claim"]["exit_cutoff"] = dict(zip(("lo", "hi"), ends, strict=True))
        assert condition(forged) == name
    forged = copy.deepcopy(certificate)
    # all jobs of that size to the empty queue, which would not stay empty
    forged["claim"]["values"][1]["value"] = {"lo": "157e-2", "hi": "158e-2"}
    assert condition(forged) == "value"


def test_the_share_of_a_component_stands_for_its_jobs() -> None:
    for field, value in (("weight", "-1/5"), ("mean", "0"), ("weight", "1/4"), ("mean", "1")):
        forged = tree("mixture")
        forged["claim"]["law"]["components"][0][field] = value
        assert truth(copy.deepcopy(forged["claim"])) is False
        assert condition(forged) == "hypothesis"


@pytest.mark.parametrize("h", [F(10**4), F(10**5)])
@pytest.mark.parametrize(
    "law", [{"family": "gamma", "shape": "3"}, {"family": "weibull", "shape": "1"}]
)
def test_far_beyond_its_sizes_a_component_is_nearly_nothing(law: Any, h: Fraction) -> None:
    trial = Trial(10**9)
    known = read_size_law(Node(law, "law"), 64, trial)
    one, log = trial.real(1, 64), trial.real(h, 64).log()
    found = known.excess(Sizes.geometric(log, one, 2, (h, h), trial)).coefficient(0)
    assert found.inside(F(-1, 2**30), F(1, 2**30))


def test_mixtures_do_not_nest() -> None:
    forged = tree("mixture")
    forged["claim"]["law"]["components"][0]["law"] = copy.deepcopy(forged["claim"]["law"])
    assert judged(forged).outcome is Outcome.MALFORMED


@pytest.mark.parametrize("load", ["0", "1", "-1/2", "3/2"])
def test_loads_outside_the_hypotheses(load: str) -> None:
    forged = tree()
    forged["claim"]["load"] = load
    assert condition(forged) == "hypothesis"


def test_a_law_of_no_family_is_malformed() -> None:
    for value in ({"family": "cauchy"}, {"family": "exponential", "mean": "1"}, "exponential", {}):
        forged = tree()
        forged["claim"]["law"] = value
        assert judged(forged).outcome is Outcome.MALFORMED


def test_the_witness_must_be_a_partition() -> None:
    def forged(**changes: Any) -> dict[str, Any]:
        certificate = tree()
        certificate["witness"] |= changes
        return certificate

    knots, terms = tree()["witness"]["knots"], tree()["witness"]["terms"]
    for changes in (
        {"knots": knots[::-1]},
        {"knots": ["0", *knots], "terms": [2, *terms]},  # below the smallest size
        {"knots": [*knots, "9"], "terms": [*terms, 2]},  # above the largest size
        {"knots": knots[-2:], "terms": terms[-1:]},  # 1 is not between them
        {"terms": terms[1:]},
        {"terms": [each + 1 for each in terms]},
    ):
        assert condition(forged(**changes)) == "partition"


def test_other_witnesses_for_a_true_claim() -> None:
    """More precision, more terms, more or fewer knots: verified, or refused for want of width."""
    certificate = tree()
    knots, terms = certificate["witness"]["knots"], certificate["witness"]["terms"]
    middle = str((F(knots[3]) + F(knots[4])) / 2)
    finer = {
        "precision": 200,
        "knots": [*knots[:4], middle, *knots[4:]],
        "terms": [*terms[:4], terms[3], *terms[4:]],
    }
    for changes, outcome in (
        ({"precision": 200}, Outcome.VERIFIED),
        ({"terms": [each + 20 for each in terms]}, Outcome.VERIFIED),
        (finer, Outcome.VERIFIED),
        ({"precision": 40}, Outcome.REJECTED),
        ({"terms": [2 for _ in terms]}, Outcome.REJECTED),
        ({"terms": [0 for _ in terms]}, Outcome.REJECTED),
        ({"knots": [knots[0], knots[-1]], "terms": [40]}, Outcome.REJECTED),
    ):
        changed = copy.deepcopy(certificate)
        changed["witness"] |= changes
        assert judged(changed).outcome is outcome, changes


def test_wider_claims_are_true_too() -> None:
    certificate = tree()
    for row in certificate["claim"]["values"]:
        row["value"] = moved(row["value"], -1, 1)
    assert judged(certificate).outcome is Outcome.VERIFIED
    assert judged(certificate).digits == 3


@pytest.mark.parametrize(
    "changes",
    [
        {"precision": 40_001},
        {"precision": 31},
        {"terms": [20_002] * 16},
        {"terms": [20_000] * 16, "precision": 40_000},
    ],
)
def test_costly_witnesses_are_declined_at_once(changes: dict[str, Any]) -> None:
    forged = tree()
    count = len(forged["witness"]["terms"])
    if "terms" in changes:
        changes = changes | {"terms": changes["terms"][:1] * count}
    forged["witness"] |= changes
    assert judged(forged).outcome is Outcome.DECLINED


def test_the_work_budget_is_taken_before_the_work() -> None:
    forged = tree("gamma", "4/5")
    claim, witness = Node(forged["claim"], "claim"), Node(forged["witness"], "witness")
    trial = Trial(10**12)
    fluid_enclosure.check(claim, witness, trial)
    steps = 10**12 - trial._steps
    assert 10**5 < steps < 5 * 10**7
    with pytest.raises(Refusal) as refused:
        fluid_enclosure.check(claim, witness, Trial(steps // 2))
    assert refused.value.outcome is Outcome.DECLINED


def test_long_parameters_are_declined() -> None:
    forged = tree("pareto")
    forged["claim"]["law"]["shape"] = f"{10**41 + 1}/{10**40}"
    assert judged(forged).outcome is Outcome.DECLINED


@pytest.mark.parametrize("text", ["1e19999", "1e-19999", "-1e19999"])
def test_extreme_cutoffs_end_quickly(text: str) -> None:
    for end in ("lo", "hi"):
        forged = tree("exponential", "4/5")
        cutoff = forged["claim"]["values"][1]["cutoff"]
        cutoff[end] = text
        if F(cutoff["lo"]) <= F(cutoff["hi"]):
            limits = Limits(steps=10**9)
            report = check_bytes(to_bytes(forged), limits=limits)
            assert report.outcome in (Outcome.REJECTED, Outcome.DECLINED)
