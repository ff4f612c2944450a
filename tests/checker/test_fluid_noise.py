"""The checker's kind fluid-noise: every condition, each with a forgery only it catches."""

import copy
import json
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from certify.fluid import JointLaw, LognormalNoise, enclose_noise, loss_from_noise
from proofs_checks.checker.cli import Report, check_bytes
from proofs_checks.checker.kinds import fluid_noise
from proofs_checks.checker.verdict import Outcome
from tests.mutation.engine import to_bytes
from tests.mutation.truth.fluid_noise import truth

ROOT = Path(__file__).parents[2] / "certificates"
SCHEMA = json.loads((ROOT / "schema" / "fluid-noise.json").read_bytes())
Tree = dict[str, Any]
F = Fraction


def shipped(name: str = "running") -> Tree:
    found: Tree = json.loads((ROOT / f"fluid-noise-{name}.json").read_bytes())
    return found


@cache
def made(sigma: str, noise: str, load: str, *imbalances: str) -> bytes:
    found = enclose_noise(LognormalNoise(F(sigma), F(noise)), load, imbalances, 6)
    return found.certificate().to_bytes()


def lognormal() -> Tree:
    """The conditional mean has sigma 16/25 exactly."""
    found: Tree = json.loads(made("4/5", "3/5", "3/4", "0"))
    return found


def between() -> Tree:
    """Sigma 1: the conditional mean has an irrational sigma, a root of 4/5."""
    found: Tree = json.loads(made("1", "1/2", "3/4", "0"))
    return found


def judged(tree: Tree) -> Report:
    return check_bytes(to_bytes(tree))


def condition(tree: Tree) -> str:
    """The condition that refuses a false claim."""
    assert truth(copy.deepcopy(tree["claim"])) is False
    return refused(tree)


def refused(tree: Tree) -> str:
    report = judged(tree)
    assert report.outcome is Outcome.REJECTED, report.line()
    assert report.refusal is not None
    return report.refusal.condition


def test_the_true_claims_are_verified() -> None:
    tested: set[str] = set()
    inside = json.loads(made("4/5", "3/5", "3/4", "1/2"))  # an imbalance with its own cutoff
    for tree, exact in ((shipped(), True), (shipped("unbiased"), True), (inside, False)):
        report = judged(tree)
        assert report.outcome is Outcome.VERIFIED, report.line()
        assert (report.digits is None) == exact
        jsonschema.validate(tree, SCHEMA)
        tested |= set(report.tested)
    assert tested == set(fluid_noise.CONDITIONS), "every condition was tested"


def set_at(*path: Any) -> Callable[[Tree], None]:
    def change(tree: Tree) -> None:
        node = tree["claim"]
        for step in path[:-2]:
            node = node[step]
        node[path[-2]] = path[-1]

    return change


@pytest.mark.parametrize(
    ("path", "code"),
    [
        (("load", "1"), "hypothesis"),
        (("load", "0"), "hypothesis"),
        (("scale", "0"), "hypothesis"),
        (("scale", "-1/2"), "hypothesis"),
        (("joint", 0, 0, "-1/2"), "hypothesis"),
        (("joint", 0, 0, "1/3"), "hypothesis"),
        (("joint", 0, 2, "0"), "hypothesis"),
        (("joint", 0, 2, "1/4"), "hypothesis"),
        (("joint", 1, 0, "1/2"), "joint"),
        (("joint", 3, 1, "0"), "joint"),
        (("estimate", "conditional-mean"), "consistent"),
        (("mean_error", "1/4"), "mean-error"),
        (("mean_error", "0"), "mean-error"),
        (("least_deviation", "1/8"), "least-deviation"),
        (("distance", "3/8"), "distance"),
        (("bound", "27/182"), "bound"),
        (("tie_bound", "27/182"), "tie-bound"),
        (("rows", 0, "imbalance", "-1/4"), "imbalance"),
        (("rows", 0, "imbalance", "5/4"), "imbalance"),
        (("rows", 0, "full", "69/52"), "full"),
        (("rows", 0, "seen", "33/28"), "seen"),
        (("rows", 0, "loss", "0"), "loss"),
        (("rows", 0, "loss", "-27/182"), "loss"),
        (("rows", 1, "imbalance", "0"), "full"),
    ],
)
def test_each_number_is_decided(path: tuple[Any, ...], code: str) -> None:
    tree = shipped()
    set_at(*path)(tree)
    assert condition(tree) == code


@pytest.mark.parametrize("z", ["-1/100", "101/100"])
def test_no_imbalance_outside(z: str) -> None:
    """Not even with the numbers that the forms of the outermost sectors have there."""
    tree, at = shipped(), F(z)
    row = {"imbalance": z}
    for name in ("full", "seen"):
        a, b, c = map(F, tree["witness"][name][0 if at < 0 else -1]["value"])
        row[name] = str(a + b * at + c * at * at)
    row["loss"] = str(F(row["seen"]) - F(row["full"]))
    tree["claim"]["rows"] = [row]
    assert condition(tree) == "imbalance"


def test_the_line_that_is_shown() -> None:
    assert judged(shipped()).text == (
        "exact loss through estimates at total work 1: 27/182 (cost 69/52) at imbalance 0, "
        "sizes 2, conditional means 2"
    )


def test_names_of_estimates_do_not_matter() -> None:
    """Other numbers in the same order are the same law of the conditional mean."""
    tree = shipped()
    for entry in tree["claim"]["joint"]:
        entry[1] = {"0": "-7", "1": "1000"}[entry[1]]
    assert judged(tree).outcome is Outcome.VERIFIED
    assert truth(copy.deepcopy(tree["claim"])) is True


def test_more_true_claims() -> None:
    """M constant; a scale below one; a size 0, and a median that is the second of three sizes."""
    scaled, sizes = shipped(), [["0", "0", "7/20"], ["1", "1", "3/10"], ["2", "2", "7/20"]]
    scaled["claim"]["scale"] = "1/2"
    entries = tuple((F(size), F(estimate), F(mass)) for size, estimate, mass in sizes)
    three = loss_from_noise(JointLaw(entries), "3/4").certificate()
    assert three.claim["least_deviation"] == "7/10"
    for tree in (shipped("blind"), scaled, json.loads(three.to_bytes())):
        assert truth(copy.deepcopy(tree["claim"])) is True
        assert judged(tree).outcome is Outcome.VERIFIED


def test_the_tie_bound_of_a_constant_mean() -> None:
    for text in ("9/28", "33/28", "75/28"):
        tree = shipped("blind")
        tree["claim"]["tie_bound"] = text
        assert (judged(tree).outcome is Outcome.VERIFIED) == (text == "9/28")


@pytest.mark.parametrize(
    "joint",
    [
        [["-1/2", "0", "3/8"], ["9/2", "0", "1/8"], ["1/2", "1", "1/8"], ["3/2", "1", "3/8"]],
        [["1/4", "0", "3/4"], ["3/4", "0", "1/4"], ["1/4", "1", "1/4"], ["3/4", "1", "3/4"]],
    ],
)
def test_mean_one_is_not_enough(joint: list[list[str]]) -> None:
    """A negative size, or jobs of twice the mass, that leave the mean at one."""
    assert sum(F(size) * F(mass) for size, _, mass in joint) == 1
    tree = shipped()
    tree["claim"]["joint"] = joint
    assert condition(tree) == "hypothesis"


def test_equal_conditional_means_are_one_size() -> None:
    """A third estimate with the conditional mean of another one changes nothing."""
    tree = shipped()
    split = []
    for size, estimate, mass in tree["claim"]["joint"]:
        half = str(F(mass) / 2)
        split += [[size, estimate, half], [size, str(F(estimate) + 5), half]]
    tree["claim"]["joint"] = sorted(split, key=lambda entry: (F(entry[1]), F(entry[0])))
    assert judged(tree).outcome is Outcome.VERIFIED
    assert truth(copy.deepcopy(tree["claim"])) is True


def test_an_entry_without_mass() -> None:
    """Alone with its estimate, or beside another: nothing is divided by it."""
    for estimate in ("9", None):
        tree = shipped()
        last = tree["claim"]["joint"][-1]
        size = str(Fraction(last[0]) + 1)
        tree["claim"]["joint"].append([size, estimate or last[1], "0"])
        assert condition(tree) == "hypothesis"


def test_the_sectors_of_the_wrong_law() -> None:
    tree = shipped()
    tree["witness"]["seen"] = tree["witness"]["full"]
    tree["claim"]["rows"] = [
        row | {"seen": row["full"], "loss": "0"} for row in tree["claim"]["rows"]
    ]
    assert condition(tree) == "split"


def moved(interval: dict[str, str], low: int, high: int) -> dict[str, str]:
    """The ends moved by so many parts in ten thousand."""
    scaled = [
        int(F(interval[end]) * (10**4 + step) * 10**40)
        for end, step in zip(("lo", "hi"), (low, high), strict=True)
    ]
    return {name: spelled(number, -44) for name, number in zip(("lo", "hi"), scaled, strict=True)}


def spelled(mantissa: int, power: int) -> str:
    while mantissa % 10 == 0:
        mantissa, power = mantissa // 10, power + 1
    return f"{mantissa}e{power}" if power else str(mantissa)


@pytest.mark.parametrize(
    ("path", "code", "step"),
    [
        (("mean_error",), "mean-error", (1, 2)),
        (("mean_error",), "mean-error", (-2, -1)),
        (("least_deviation",), "least-deviation", (1, 2)),
        (("least_deviation",), "least-deviation", (-2, -1)),
        (("distance",), "distance", (1, 2)),
        (("distance",), "distance", (-2, -1)),
        (("bound",), "bound", (1, 2)),
        (("bound",), "bound", (-2, -1)),
        (("tie_bound",), "tie-bound", (-2, -1)),
        (("rows", 0, "full"), "full", (1, 2)),
        (("rows", 0, "seen"), "seen", (-2, -1)),
        (("rows", 0, "loss"), "loss", (-9, -8)),
    ],
)
def test_each_interval_that_misses_is_caught(
    path: tuple[Any, ...], code: str, step: tuple[int, int]
) -> None:
    tree = lognormal()
    node = tree["claim"]
    for part in path[:-1]:
        node = node[part]
    node[path[-1]] = moved(node[path[-1]], *step)
    assert condition(tree) == code


@pytest.mark.parametrize(
    ("path", "code"),
    [
        (("load", "1"), "hypothesis"),
        (("noise", "0"), "hypothesis"),
        (("noise", "-1/2"), "hypothesis"),
        (("sizes", "sigma", "0"), "hypothesis"),
    ],
)
def test_lognormal_hypotheses(path: tuple[Any, ...], code: str) -> None:
    tree = lognormal()
    set_at(*path)(tree)
    assert condition(tree) == code


@pytest.mark.parametrize(
    ("path", "code"),
    [
        (("noise", "49/100"), "variance"),
        (("noise", "51/100"), "variance"),
        (("rows", 0, "imbalance", "1/2"), "imbalance"),
    ],
)
def test_proofs_of_another_noise_or_start(path: tuple[Any, ...], code: str) -> None:
    tree = between()
    set_at(*path)(tree)
    assert refused(tree) == code


def test_sigmas_that_do_not_enclose() -> None:
    """One law alone, or both in the wrong order, proves nothing of the one between them."""
    assert judged(between()).outcome is Outcome.VERIFIED
    for seen in ([0], [1], [1, 0], [0, 1, 1]):
        tree = between()
        both = tree["witness"]["seen"]
        tree["witness"]["seen"] = [both[index] for index in seen]
        assert refused(tree) == "variance"


def test_a_rational_root_needs_one_law() -> None:
    assert [each["sigma"] for each in lognormal()["witness"]["seen"]] == ["16/25"]


def test_a_false_proof_inside_the_witness() -> None:
    tree = lognormal()
    inner = tree["witness"]["full"]["claim"]
    inner["values"][0]["value"] = moved(inner["values"][0]["value"], 5, 9)
    assert refused(tree) == "value"
    tree = lognormal()
    tree["witness"]["full"] = {key: tree["witness"]["seen"][0][key] for key in ("claim", "witness")}
    assert refused(tree) in ("exit-below", "exit-above")


def test_limits() -> None:
    tree = lognormal()
    tree["claim"]["noise"] = "1/" + "3" * 41
    assert judged(tree).outcome is Outcome.DECLINED
    tree = lognormal()
    tree["witness"]["precision"] = 31
    assert judged(tree).outcome is Outcome.DECLINED


@pytest.mark.parametrize(
    "change",
    [
        lambda tree: tree["claim"].pop("estimate"),
        lambda tree: tree["claim"].update(estimate="guess"),
        lambda tree: tree["claim"]["joint"][0].pop(),
        lambda tree: tree["claim"].update(joint=[]),
        lambda tree: tree["claim"].update(rows=[]),
        lambda tree: tree["witness"].pop("seen"),
        lambda tree: tree["claim"].update(sizes={"family": "lognormal", "sigma": "1"}),
    ],
)
def test_malformed(change: Callable[[Tree], Any]) -> None:
    tree = shipped()
    change(tree)
    assert judged(tree).outcome is Outcome.MALFORMED


@pytest.mark.parametrize(
    "change",
    [
        lambda tree: tree["claim"]["sizes"].update(family="pareto"),
        lambda tree: tree["claim"].update(bound="1/2"),
        lambda tree: tree["witness"].update(seen=[]),
        lambda tree: tree["witness"]["full"].pop("witness"),
        lambda tree: tree["witness"]["full"]["claim"].update(load="3/4"),
    ],
)
def test_malformed_lognormal(change: Callable[[Tree], Any]) -> None:
    tree = lognormal()
    change(tree)
    assert judged(tree).outcome is Outcome.MALFORMED
