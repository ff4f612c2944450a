"""Numbers of the fluid kinds, each moved a little: what is exact has one value, intervals contain.

The shipped certificates stand here with fewer terms and wider intervals, so that a check is quick.
"""

import copy
import json
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import mpmath
import pytest

from certify.fluid import FiniteLaw, dispatch
from proofs_checks.checker.kernel.interval import Undecided
from proofs_checks.checker.kinds.fluid_integral import Deviation
from proofs_checks.checker.kinds.size_mixture import read_law_of_sizes
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Outcome, Refusal, Trial
from tests.drift_helpers import changed, condition, verdict
from tests.mutation.engine import Tree

FOLDER = Path(__file__).parents[2] / "certificates"
Place = tuple[str | int, ...]


def shipped(name: str) -> Tree:
    tree: Tree = json.loads((FOLDER / f"fluid-{name}.json").read_bytes())
    return tree


def places(node: Any, path: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Every number, and every interval as one."""
    if isinstance(node, dict) and set(node) != {"lo", "hi"}:
        for key, value in node.items():
            yield from places(value, (*path, key))
    elif isinstance(node, list):
        for i, value in enumerate(node):
            yield from places(value, (*path, i))
    else:
        yield path, node


def put(tree: Tree, path: Place, value: Any) -> Tree:
    result = copy.deepcopy(tree)
    node: Any = result["claim"]
    for step in path[:-1]:
        node = node[step]
    node[path[-1]] = value
    return result


def names(path: Place) -> str:
    return ".".join(step for step in path if isinstance(step, str))


def is_number(value: Any) -> bool:
    return isinstance(value, str) and value.lstrip("-")[:1].isdigit() and "e" not in value


EXACT = {
    "noise-running": {
        "mean_error": "mean-error",
        "least_deviation": "least-deviation",
        "distance": "distance",
        "bound": "bound",
        "tie_bound": "tie-bound",
        "rows.full": "full",
        "rows.seen": "seen",
        "rows.loss": "loss",
    },
    "noise-light": {"tie_bound": "tie-bound", "rows.full": "full", "rows.loss": "loss"},
    "noise-blind": {"tie_bound": "tie-bound", "rows.seen": "seen", "rows.loss": "loss"},
    "wasserstein-three-sizes": {
        "distance": "distance",
        "deviation_distance": "deviation-distance",
        "bound": "bound",
        "rows.first": "first",
        "rows.second": "second",
        "rows.difference": "difference",
    },
    "wasserstein-equal-sizes": {"distance": "distance", "rows.difference": "difference"},
    "comparison-running": {},
    "comparison-running-light": {},
    "comparison-empty-queue": {},
    "comparison-five-sizes": {},
    "comparison-equal-sizes": {},
    "heavy-traffic-three-sizes": {},
    "value-running": {},
    "value-running-light": {},
    "value-running-half": {},
    "value-three-sizes-heavy": {},
    "value-empty-jobs": {},
    "value-exit-gap": {},
    "many-sizes-running": {},
    "many-sizes-running-light": {},
    "bracket-running": {},
    "bracket-uniform": {"upper": "upper", "regret": "regret"},
    "bracket-pareto": {"upper": "upper", "regret": "regret"},
}


@pytest.mark.parametrize("name", EXACT)
def test_an_exact_number_has_one_value(name: str) -> None:
    """Also problem data: the law, the load and the imbalances belong to the values beside them."""
    tree = shipped(name)
    assert condition(tree) == ""
    expected, seen = EXACT[name], set()
    for path, value in places(tree["claim"]):
        if is_number(value) and not {"scale", "bins", "shape"} & set(path):
            for step in (Fraction(1, 10**9), Fraction(-1, 10**9)):
                forged = put(tree, path, str(Fraction(value) + step))
                report = verdict(forged)
                assert report.outcome is Outcome.REJECTED, (path, report.line())
                assert report.refusal is not None
                wanted = expected.get(names(path))
                assert wanted in (None, report.refusal.condition), (path, report.line())
                seen.add(names(path))
    assert set(expected) <= seen


# --- intervals ---------------------------------------------------------------------------------


def spelled(value: Fraction, digits: int = 30) -> str:
    """A number in its one spelling, rounded to so many digits behind the point."""
    mantissa, power = round(value * 10**digits), -digits
    while mantissa and mantissa % 10 == 0 and power:
        mantissa, power = mantissa // 10, power + 1
    while mantissa and mantissa % 10 == 0:
        mantissa, power = mantissa // 10, power + 1
    return f"{mantissa}e{power}" if mantissa and power else str(mantissa)


WIDE = {"difference": 30, "loss": 30, "tie_bound": 30, "against_balanced": 9, "bound": 9}
WIDE |= {"against_most_work_left": 9}
KEPT = ("work_median", "half_work_share")


def coarse(node: Any, terms: int, bits: int | None, key: str = "") -> Any:
    """Fewer terms, and intervals wide enough for them."""
    if isinstance(node, dict) and set(node) == {"lo", "hi"}:
        low, high = Fraction(node["lo"]), Fraction(node["hi"])
        if key in KEPT or (key == "cutoff" and high == 0):
            return node
        step = Fraction(1, 10**7 if "cutoff" in key else 10**3) * WIDE.get(key, 1)
        return {"lo": spelled(low - step), "hi": spelled(high + step)}
    if isinstance(node, dict):
        return {name: coarse(value, terms, bits, name) for name, value in node.items()}
    if isinstance(node, list):
        few = key == "terms"
        return [min(each, terms) if few else coarse(each, terms, bits, key) for each in node]
    return bits if key == "precision" and bits else node


ENCLOSED = {
    "wasserstein-exponential": 80,
    "wasserstein-pareto": None,
    "comparison-pareto": None,
    "comparison-exponential-unequal": None,
    "comparison-mixture": None,
    "heavy-traffic-uniform": None,
    "enclosure-uniform-75": 80,
    "enclosure-uniform-50": 80,
    "enclosure-mixture-gap": None,
    "enclosure-path-exponential": 80,
    "enclosure-mixture-exit": None,
}
CONDITION = {
    "mean_error": "mean-error",
    "deviation_distance": "deviation-distance",
    "values.value": "value",
    "values.time": "time",
    "saving": "saving",
    "path.total": "path-total",
    "path.time": "path-time",
    "distance": "distance",
    "rows.difference": "difference",
}


PARTS = [
    (name, key)
    for name in ENCLOSED
    for key in shipped(name)["claim"]
    if (key == "path" or "path" not in name)
    and any(isinstance(value, dict) for _, value in places(shipped(name)["claim"][key], (key,)))
]


def beside(path: Place, value: dict[str, str]) -> Iterator[dict[str, str]]:
    """An interval above and one below the number in the middle."""
    low, high = Fraction(value["lo"]), Fraction(value["hi"])
    kept = path[0] in KEPT
    right = high + (high - low) if kept else (51 * high + 49 * low) / 100
    left = low - (high - low) if kept else (51 * low + 49 * high) / 100
    for ends in ((right, high + 1), (low - 1, left)):
        yield dict(zip(("lo", "hi"), (spelled(end, 80) for end in ends), strict=True))


@pytest.mark.parametrize("name", ENCLOSED)
def test_the_coarse_claims_are_proved(name: str) -> None:
    assert condition(coarse(shipped(name), 6, ENCLOSED[name])) == ""


@pytest.mark.parametrize(("name", "key"), PARTS)
def test_an_interval_beside_the_true_number(name: str, key: str) -> None:
    tree = coarse(shipped(name), 6, ENCLOSED[name])
    for path, value in places(tree["claim"][key], (key,)):
        if not isinstance(value, dict) or (path[-1] == "cutoff" and value["hi"] == "0"):
            continue
        for interval in beside(path, value):
            report = verdict(put(tree, path, interval))
            assert report.outcome is Outcome.REJECTED, (path, report.line())
            assert report.refusal is not None
            wanted = CONDITION.get(names(path))
            assert wanted in (None, report.refusal.condition), (path, report.line())


# --- lognormal noise and laws, by the formulas of the page ------------------------------------


def around(value: Any, low: int = -1, high: int = 1) -> dict[str, str]:
    """An interval about a number, in units of 1e-15."""
    near = Fraction(int(mpmath.nint(value * 10**30)), 10**30)
    ends = (near + Fraction(step, 10**15) for step in (low, high))
    return dict(zip(("lo", "hi"), map(spelled, ends), strict=True))


def deviation_of_lognormal(sigma: Any) -> Any:
    """E|L - 1| for a lognormal L of mean one."""
    return 2 * mpmath.erf(sigma / mpmath.sqrt(8))


def lognormal(sigma: str, noise: str, load: str) -> tuple[Tree, dict[str, Any]]:
    """A claim that is right up to the rows, whose imbalances the witness does not have."""
    s, n, rho = (
        mpmath.mpf(Fraction(x).numerator) / Fraction(x).denominator for x in (sigma, noise, load)
    )
    root = s * s / mpmath.sqrt(s * s + n * n)  # of log E[S | estimate]
    numbers = {
        "mean_error": deviation_of_lognormal(root * n / s),
        "least_deviation": mpmath.erf(root / mpmath.sqrt(2)),
        "distance": deviation_of_lognormal(s - root),
    }
    numbers["bound"] = rho * rho / (1 - rho) * numbers["distance"]
    tree = shipped("noise-lognormal-light")
    tree["claim"] |= {
        "sizes": {"family": "lognormal", "sigma": sigma},
        "noise": noise,
        "load": load,
    }
    tree["claim"] |= {name: around(value) for name, value in numbers.items()}
    tree["claim"]["rows"] = [tree["claim"]["rows"][0] | {"imbalance": "1/7"}]
    below, above = around(root, -2, -1)["hi"], around(root, 1, 2)["lo"]
    part = tree["witness"]["seen"][0]
    tree["witness"]["seen"] = [
        part | {"sigma": str(Fraction(end).limit_denominator(10**14) + step)}
        for end, step in ((below, -Fraction(1, 10**12)), (above, Fraction(1, 10**12)))
    ]
    return tree, numbers


@pytest.mark.parametrize(
    ("sigma", "noise", "load"), [("4/5", "3/5", "2/5"), ("3/2", "1/3", "9/10"), ("2", "3", "1/7")]
)
def test_numbers_of_lognormal_noise(sigma: str, noise: str, load: str) -> None:
    with mpmath.workdps(40):
        tree, numbers = lognormal(sigma, noise, load)
        assert condition(tree) == "imbalance"
        for name, value in numbers.items():
            for ends in ((1, 10**14), (-(10**14), -1)):
                forged = changed(tree, **{f"claim__{name}": around(value, *ends)})
                assert condition(forged) == name.replace("_", "-")


def test_sigmas_that_do_not_enclose_that_of_the_conditional_mean() -> None:
    with mpmath.workdps(40):
        tree, _ = lognormal("4/5", "3/5", "2/5")  # 16/25
    part = tree["witness"]["seen"][0]

    def seen(*sigmas: str) -> str:
        return condition(changed(tree, witness__seen=[part | {"sigma": each} for each in sigmas]))

    assert seen("16/25") == seen("3/5", "7/10") == seen("16/25", "16/25") == "imbalance"
    for sigmas in (
        ("639/1000",),
        ("641/1000",),
        ("641/1000", "7/10"),
        ("3/5", "639/1000"),
        ("7/10", "3/5"),
        ("0", "7/10"),
        ("-3/5", "7/10"),
        ("-3/5", "-7/10"),
        ("3/5", "16/25", "7/10"),
    ):
        assert seen(*sigmas) == "variance"


@pytest.mark.parametrize("load", ["0", "1", "-1/2", "3/2"])
def test_loads_that_are_none(load: str) -> None:
    for name in (
        "noise-lognormal-light",
        "noise-running",
        "wasserstein-three-sizes",
        "wasserstein-exponential",
        "comparison-running",
        "comparison-pareto",
        "value-running",
        "enclosure-uniform-coarse",
        "many-sizes-running",
        "bracket-running",
    ):
        assert condition(changed(shipped(name), claim__load=load)) == "hypothesis"


def test_noise_and_sigma_are_positive_and_of_forty_digits() -> None:
    tree = shipped("noise-lognormal-light")
    for field in ("claim__noise", "claim__sizes__sigma"):
        for value in ("0", "-1/2"):
            assert condition(changed(tree, **{field: value})) == "hypothesis"
        for value, outcome in (
            (f"1/{10**40}", Outcome.REJECTED),
            (f"1/{10**40 + 1}", Outcome.DECLINED),
            (f"{10**40 + 1}", Outcome.DECLINED),
        ):
            assert verdict(changed(tree, **{field: value})).outcome is outcome


# --- the families ------------------------------------------------------------------------------


def read(law: dict[str, Any]) -> Deviation:
    trial = Trial(10**10)
    return Deviation(read_law_of_sizes(Node(law, "law"), 120, trial), [], [], 120, trial)


def number(value: str) -> Any:
    return mpmath.mpf(Fraction(value).numerator) / Fraction(value).denominator


def upper(law: dict[str, Any], h: Any) -> Any:
    """P(S > h) by the definition of the family."""
    family = law["family"]
    if family == "mixture":
        parts = sum(
            number(p["weight"]) * upper(p["law"], h / number(p["mean"])) for p in law["components"]
        )
        return parts + sum(number(mass) for size, mass in law["atoms"] if number(size) > h)
    if family == "exponential":
        return mpmath.exp(-h)
    if family == "hyperexponential":
        phases = zip(map(number, law["weights"]), map(number, law["means"]), strict=True)
        return sum(w * mpmath.exp(-h / m) for w, m in phases)
    if family == "balanced-hyperexponential":
        c = number(law["squared_variation"])
        root = mpmath.sqrt((c - 1) / (c + 1))
        weights = (1 + root) / 2, (1 - root) / 2
        assert mpmath.almosteq(sum(w * 2 / (2 * w) ** 2 for w in weights) - 1, c)
        return sum(w * mpmath.exp(-h * 2 * w) for w in weights)
    if family == "uniform":
        low = number(law["lowest"])
        return min(1, max(0, (2 - low - h) / (2 - 2 * low)))
    if family == "pareto":
        a = number(law["shape"])
        return min(1, ((a - 1) / (a * h)) ** a)
    if family == "bounded-pareto":
        a, r, mean = bounded(law["shape"], law["ratio"])
        return min(1, max(0, ((h * mean) ** -a - r**-a) / (1 - r**-a)))
    if family == "gamma":
        k = number(law["shape"])
        return mpmath.gammainc(k, k * h, regularized=True)
    if family == "weibull":
        k = number(law["shape"])
        return mpmath.exp(-((mpmath.gamma(1 + 1 / k) * h) ** k))
    sigma = number(law["sigma"])
    return mpmath.erfc((mpmath.log(h) / sigma + sigma / 2) / mpmath.sqrt(2)) / 2


@cache
def bounded(shape: str, ratio: str) -> tuple[Any, Any, Any]:
    """Shape, ratio and mean of the law from 1 on."""
    a, r = number(shape), number(ratio)
    lost = r**-a
    return a, r, mpmath.quad(lambda u: (u**-a - lost) / (1 - lost), [1, r]) + 1


def kinks(law: dict[str, Any]) -> list[Any]:
    """The ends of the sizes, as far as there are any."""
    if law["family"] == "uniform":
        return [number(law["lowest"]), 2 - number(law["lowest"])]
    if law["family"] == "pareto":
        return [1 - 1 / number(law["shape"]), mpmath.inf]
    if law["family"] == "bounded-pareto":
        _, r, mean = bounded(law["shape"], law["ratio"])
        return [1 / mean, r / mean]
    if law["family"] == "mixture":
        parts = [number(p["mean"]) * k for p in law["components"] for k in kinks(p["law"])]
        return sorted({*parts, *(number(size) for size, _ in law["atoms"])})
    return [mpmath.mpf(4), mpmath.inf]


def excess(law: dict[str, Any], h: Any) -> Any:
    """E(S - h)+ as the integral of P(S > u)."""
    ends = [h, *(x for x in kinks(law) if x > h)]
    return mpmath.quad(lambda u: upper(law, u), ends) if len(ends) > 1 else mpmath.mpf(0)


PHASES = {"family": "hyperexponential", "weights": ["1/4", "3/4"], "means": ["2", "2/3"]}
MIXED = {
    "family": "mixture",
    "components": [
        {"weight": "1/4", "mean": "1/2", "law": {"family": "uniform", "lowest": "1/2"}},
        {"weight": "1/4", "mean": "3/2", "law": {"family": "exponential"}},
    ],
    "atoms": [["0", "1/8"], ["3/4", "1/8"], ["13/8", "1/4"]],
}
LAWS: list[tuple[dict[str, Any], list[str]]] = [
    ({"family": "exponential"}, ["1/3", "2"]),
    (PHASES, ["1/3", "2"]),
    ({"family": "balanced-hyperexponential", "squared_variation": "4"}, ["1/3", "3"]),
    ({"family": "uniform", "lowest": "1/3"}, ["1/5", "1/2", "3/2", "5/2"]),
    ({"family": "uniform", "lowest": "0"}, ["1/2", "7/4"]),
    ({"family": "pareto", "shape": "5/2"}, ["1/5", "7/10", "3"]),
    ({"family": "bounded-pareto", "shape": "3/2", "ratio": "10"}, ["1/7", "1/2", "2", "9"]),
    ({"family": "bounded-pareto", "shape": "1", "ratio": "10"}, ["1/7", "1/2", "2"]),
    ({"family": "bounded-pareto", "shape": "1/2", "ratio": "5"}, ["1/7", "1/2", "3/2"]),
    ({"family": "gamma", "shape": "3/2"}, ["1/3", "2"]),
    ({"family": "weibull", "shape": "3/4"}, ["1/3", "2"]),
    ({"family": "lognormal", "sigma": "2/3"}, ["1/3", "2"]),
    (MIXED, ["1/8", "2/3", "1", "3"]),
]


@pytest.mark.parametrize(("law", "points"), LAWS)
def test_the_shares_above_a_size_by_integration(law: dict[str, Any], points: list[str]) -> None:
    deviation = read(law)
    with mpmath.workdps(15):
        for text in points:
            h = number(text)
            jobs, tail = upper(law, h), excess(law, h)
            found = *deviation.shares(Fraction(text)), deviation.at(Fraction(text))
            expected = tail, jobs, tail + h * jobs, 2 * tail + h - 1
            for real, value in zip(found, expected, strict=True):
                low, high = (mpmath.mpf(e.numerator) / e.denominator for e in real.ends())
                assert high - low < mpmath.mpf(10) ** -14
                assert abs(low - value) < mpmath.mpf(10) ** -8


@pytest.mark.parametrize(
    ("knots", "terms", "width"),
    [
        (["7/8", "5/4"], [12], "1e-2"),
        (["7/8", "1", "5/4"], [8, 8], "1e-2"),
        (["7/8", "5/4"], [0], "30"),
        (["0", "7/8", "5/4"], [8, 8], "1e-1"),
        (["0", "5/4"], [30], "1e-2"),
        (["0", "2"], [0], "50"),
        (["1/2", "11/10", "8/5"], [8, 8], "1e-2"),
    ],
)
def test_the_integral_between_two_sizes(knots: list[str], terms: list[int], width: str) -> None:
    """A line, an exponential of one, or no terms at all: each encloses the same number."""
    uniform = read({"family": "uniform", "lowest": "0"})  # D = h**2/2 - h + 1
    low, high = Fraction(7, 8), Fraction(5, 4)
    deviation = Deviation(uniform.law, [Fraction(k) for k in knots], terms, 120, uniform.trial)
    found = deviation.integral(low, high)
    with mpmath.workdps(20):
        value = mpmath.quad(lambda h: (h * h / 2 - h + 1) ** -2, [number("7/8"), number("5/4")])
        first, last = (mpmath.mpf(e.numerator) / e.denominator for e in found.ends())
        assert first <= value <= last
        assert last - first < mpmath.mpf(width)


def test_the_integral_before_and_behind_all_knots() -> None:
    """1/D**2 lies between two rational functions there; D = 2 exp(-h) + h - 1."""
    sizes = read({"family": "exponential"})
    deviation = Deviation(sizes.law, [Fraction(1, 10), Fraction(20)], [0], 120, sizes.trial)
    with mpmath.workdps(20):
        for low, high in (
            ("0", "1/10"),
            ("1/50", "1/20"),
            ("20", "30"),
            ("25", "40"),
            ("20", None),
        ):
            end = mpmath.inf if high is None else number(high)
            value = mpmath.quad(lambda h: (2 * mpmath.exp(-h) + h - 1) ** -2, [number(low), end])
            found = deviation.integral(Fraction(low), Fraction(high) if high else None)
            first, last = (mpmath.mpf(e.numerator) / e.denominator for e in found.ends())
            assert first <= value <= last
            assert last - first < mpmath.mpf("2e-2")


RANGES = [
    ("balanced-hyperexponential", "squared_variation", ["1", "0"], ["1001/1000"]),
    ("uniform", "lowest", ["-1/1000", "1", "3/2"], ["0", "999/1000"]),
    ("pareto", "shape", ["1", "1/2"], ["1001/1000"]),
    ("bounded-pareto", "ratio", ["1", "1/2"], ["1001/1000"]),
    ("bounded-pareto", "shape", ["0", "-1"], ["1/1000", "1"]),
    ("gamma", "shape", ["0", "-1"], ["1/2", "3"]),
    ("weibull", "shape", ["0", "-1"], ["1/2", "3"]),
    ("lognormal", "sigma", ["0", "-1"], ["1/1000", "3"]),
]


@pytest.mark.parametrize(("family", "field", "outside", "inside"), RANGES)
def test_parameters_at_the_ends_of_their_ranges(
    family: str, field: str, outside: list[str], inside: list[str]
) -> None:
    for value in outside + inside:
        law = {"family": family, field: value}
        if family == "bounded-pareto":
            law = {"shape": "2", "ratio": "2"} | law
        if value in inside:
            read(law)
        else:
            with pytest.raises(Refusal) as refused:
                read(law)
            assert refused.value.condition == "hypothesis"


def mixture(components: list[tuple[str, str]], atoms: list[list[str]]) -> dict[str, Any]:
    parts = [{"weight": w, "mean": m, "law": {"family": "exponential"}} for w, m in components]
    return {"family": "mixture", "components": parts, "atoms": atoms}


@pytest.mark.parametrize(
    "law",
    [
        {"family": "hyperexponential", "weights": ["1/4", "1/4"], "means": ["2", "2"]},
        {"family": "hyperexponential", "weights": ["1/2", "1/2"], "means": ["1", "2"]},
        {"family": "hyperexponential", "weights": ["1", "0"], "means": ["1", "1"]},
        {"family": "hyperexponential", "weights": ["2", "-1"], "means": ["1", "1"]},
        {"family": "hyperexponential", "weights": ["1/2", "1/2"], "means": ["2", "0"]},
        {"family": "hyperexponential", "weights": ["1/2", "1/2"], "means": ["1"]},
        mixture([("1", "1"), ("0", "1")], []),
        mixture([("1/2", "2"), ("1/2", "0")], []),
        mixture([("2", "1"), ("-1", "1")], []),
        mixture([("1/2", "1")], [["1", "1/4"]]),
        mixture([("1/2", "1")], [["2", "1/2"]]),
        mixture([("1/2", "2")], [["0", "1/4"], ["0", "1/4"]]),
        mixture([("1/2", "1")], [["2", "1/4"], ["0", "1/4"]]),
        mixture([("1/2", "5/2")], [["-1/2", "1/2"]]),
        mixture([("1/2", "2")], [["0", "1/2"], ["1", "0"]]),
        mixture([("1/2", "2")], [["0", "1"], ["1/2", "-1/2"]]),
    ],
)
def test_weights_and_means_that_are_no_law_of_mean_one(law: dict[str, Any]) -> None:
    with pytest.raises(Refusal) as refused:
        read(law)
    assert refused.value.condition == "hypothesis"


def test_atoms_and_components_at_their_borders() -> None:
    for law in (
        mixture([("1", "1")], []),
        mixture([("1/2", "2")], [["0", "1/2"]]),
        mixture([("1/2", "1")], [["1/2", "1/4"], ["3/2", "1/4"]]),
    ):
        assert read(law).at(Fraction(0)).ends() == (1, 1)


def test_no_piece_goes_over_an_atom_or_the_end_of_a_component() -> None:
    """MIXED has an atom at 3/4 and a component from 1/4 to 3/4."""
    law = read(MIXED).law
    for low, high, word in (("1/2", "1", "atom"), ("1/8", "1/2", "component")):
        ends = Fraction(low), Fraction(high)
        deviation = Deviation(law, list(ends), [6], 120, Trial(10**10))
        with pytest.raises(Undecided, match=f"a knot is missing at an .*{word}"):
            deviation.integral(*ends)


def test_the_largest_size_of_a_mixture() -> None:
    def largest(law: dict[str, Any]) -> Fraction | None:
        high = read(law).law.high
        return None if high is None else high.ends()[1]

    uniform = {"family": "uniform", "lowest": "1/2"}  # up to 3/2
    both = [
        {"weight": "1/2", "mean": "1", "law": uniform},
        {"weight": "1/4", "mean": "1/2", "law": uniform},
    ]
    rest = [["1", "1/8"], ["2", "1/8"]]
    assert largest({"family": "mixture", "components": both, "atoms": rest}) == 2
    rest = [["1/10", "1/80"], ["299/190", "19/80"]]
    found = largest({"family": "mixture", "components": both, "atoms": rest})
    assert found is not None
    assert 0 <= found - Fraction(299, 190) < Fraction(1, 10**30)
    small = [{**both[0], "mean": "3/2"}, both[1]]
    rest = [["1/2", "1/4"]]
    assert largest({"family": "mixture", "components": small, "atoms": rest}) == Fraction(9, 4)
    small = small[::-1]
    assert largest({"family": "mixture", "components": small, "atoms": rest}) == Fraction(9, 4)
    assert largest(MIXED) is None


# --- hypotheses and ends ----------------------------------------------------------------------


@pytest.mark.parametrize("imbalance", ["-1/1000", "1001/1000"])
def test_imbalances_lie_between_none_and_all(imbalance: str) -> None:
    for name in ("wasserstein-three-sizes", "noise-running", "value-running"):
        tree = shipped(name)
        rows = "values" if "value" in name else "rows"
        for i in range(len(tree["claim"][rows])):
            forged = put(tree, (rows, i, "imbalance"), imbalance)
            assert condition(forged) == ("value" if "value" in name else "imbalance")
    for i in (0, 3):
        tree = coarse(shipped("enclosure-uniform-75"), 6, 80)
        assert condition(put(tree, ("values", i, "imbalance"), imbalance)) == "imbalance"
    assert condition(put(shipped("bracket-running"), ("imbalance",), imbalance)) == "imbalance"


def test_starts_of_a_comparison() -> None:
    tree = shipped("comparison-running")

    def start(short: str, long: str, load: str = "3/4") -> str:
        claim = {"start": {"short": short, "long": long}, "load": load}
        return condition({**tree, "claim": tree["claim"] | claim})

    assert start("3/5", "1/2") == start("-1/10", "1/2") == start("0", "0") == "start"
    assert start("0", "1", "1/2") == start("0", "1", "1/4") == "start"
    assert start("1/2", "1/2") == ""
    for short, long, load in (("0", "1", "501/1000"), ("1/2", "1/2", "1/2")):
        assert start(short, long, load) not in ("", "start")


def test_a_mass_of_zero_is_none() -> None:
    tree = shipped("noise-blind")
    joint = tree["claim"]["joint"]
    for mass in ("0", "-1/4"):
        forged = changed(tree, claim__joint=[joint[0], ["1", "0", mass], joint[1]])
        assert condition(forged) == "hypothesis"
    assert condition(changed(tree, claim__joint=joint[::-1])) == "joint"
    assert condition(changed(tree, claim__joint=[joint[0], joint[0], joint[1]])) == "joint"


def test_turning_points_lie_between_the_sizes() -> None:
    tree = coarse(shipped("wasserstein-exponential"), 6, 80)
    sizes = [Fraction(size) for size, _ in tree["claim"]["second"]["atoms"]]
    points = tree["witness"]["turning"]
    for i, (low, high) in enumerate(pairwise(sizes)):
        for point in (low - Fraction(1, 1000), high + Fraction(1, 1000), Fraction(0), Fraction(-1)):
            forged = [*points[:i], str(point), *points[i + 1 :]]
            assert condition(changed(tree, witness__turning=forged)) == "turning"
    for forged in (points[:-1], [*points, points[-1]], []):
        assert condition(changed(tree, witness__turning=forged)) == "turning"


def test_exponential_sizes_beside_equal_ones() -> None:
    """E|S - 1| = 2/e is both distances; the equal sizes need no turning point."""
    tree = coarse(shipped("wasserstein-exponential"), 6, 80)
    with mpmath.workdps(40):
        distance = 2 / mpmath.e
        wide = 10**12
        tree["claim"] |= {
            "second": {"atoms": [["1", "1"]]},
            "distance": around(distance, -wide, wide),
            "deviation_distance": around(distance, -wide, wide),
            "bound": around(distance * 9 / 4, -3 * wide, 3 * wide),
        }
    values = {"0": Fraction(3, 2), "1/2": Fraction(11, 8), "1": Fraction(1)}
    for row in tree["claim"]["rows"]:
        exact = values[row["imbalance"]]
        low, high = (Fraction(row["first"][end]) - exact for end in ("lo", "hi"))
        row |= {"second": str(exact), "difference": {"lo": spelled(low), "hi": spelled(high)}}
    form = ["3/2", "0", "-1/2"]
    tree["witness"] |= {"turning": [], "second": [{"from": "0", "to": "1", "value": form}]}
    assert condition(tree) == ""
    assert "laws 7.34e-1 to 7.37e-1 apart" in verdict(tree).line()
    for name in ("distance", "deviation_distance", "bound"):
        for interval in beside((name,), tree["claim"][name]):
            assert condition(put(tree, (name,), interval)) == name.replace("_", "-")
    assert condition(changed(tree, witness__turning=["1"])) == "turning"
    for i, row in enumerate(tree["claim"]["rows"]):
        off = str(Fraction(row["second"]) + Fraction(1, 10**9))
        assert condition(put(tree, ("rows", i, "second"), off)) == "second"


def test_the_axis_rule_matters_on_the_axis_only() -> None:
    """With an empty queue the split at the work median costs what it costs, or the least."""
    tree = shipped("comparison-empty-queue")
    other = {"exactly-busy": "same-split", "same-split": "exactly-busy"}[tree["claim"]["axis_rule"]]
    assert condition(changed(tree, claim__axis_rule=other)) == "size-interval"
    balanced_start = shipped("comparison-running")
    for rule in ("same-split", "exactly-busy"):
        assert condition(changed(balanced_start, claim__axis_rule=rule)) == ""


# --- comparisons for uniform sizes between 0 and 2, from the formulas of the pages -------------


def width(value: Any, step: str = "1e-3") -> dict[str, str]:
    near = Fraction(int(mpmath.nint(value * 10**40)), 10**40)
    return {"lo": spelled(near - Fraction(step), 60), "hi": spelled(near + Fraction(step), 60)}


def uniform_comparison(load: str, short: str, long: str, rule: str) -> Tree:
    """All numbers for D = h**2/2 - h + 1 up to 2 and h - 1 from there on; one cut, at 1."""
    rho, a, b = map(number, (load, short, long))
    kappa, x, delta = rho / (1 - rho), a + b, b - a
    z = delta / x

    def deviation(h: Any) -> Any:
        return h * h / 2 - h + 1 if h < 2 else h - 1

    def reach(h: Any) -> Any:
        stop = mpmath.inf if rho < 0.5 else cut
        ends = [h, *([2] if h < 2 < stop else []), stop]
        return top + mpmath.quad(lambda u: deviation(u) ** -2, ends) / kappa

    def on_axis(h: Any) -> Any:
        return ((1 - 2 * max(0, 2 - h) ** 2 / 4) * kappa - 1) / (2 * h)

    cut = mpmath.sqrt(2 / rho) if rho >= 0.5 else None
    top = mpmath.mpf(1) if cut is None else cut / deviation(cut)
    half = rho == 0.5
    cutoff: Any = {"lo": "0", "hi": "0"}
    axis = on_axis(cut) if cut is not None and not half else mpmath.mpf(0)
    if z == 0:
        best = (1 - 1 / reach(mpmath.mpf(0))) * kappa / 2
    elif z == 1:
        best, cutoff = axis, width(cut, "1e-9")
    else:
        h = mpmath.findroot(
            lambda h: h / deviation(h) - z * reach(h), (0.1, 1.5), solver="anderson"
        )
        best, cutoff = ((1 - deviation(h) / h * z) * kappa - z * z / h) / 2, width(h, "1e-4")
    median = mpmath.sqrt(2)
    share = 1 - median / 2
    even = (kappa * x * x - delta**2) / 2
    if delta > kappa * x:
        even = rho * 4 * a * a / (2 * (1 - 2 * rho))
    rest = b + (2 * rho - 1) * a
    most = x * x * best if a == 0 else 2 * rho * a * (b + rest) + rest * rest * axis
    split = kappa * (x * x - delta**2) / 2 - kappa * delta * (x - delta) * (1 - 2 * share)
    if rule == "same-split":
        split += 2 * kappa * delta**2 * share
    else:
        split = x * x * best if a == 0 else split + delta**2 * axis
    law = FiniteLaw((("1/2", "1/2"), ("3/2", "1/2")))
    binned = dispatch(law, load).at(
        (Fraction(long) - Fraction(short)) / (Fraction(short) + Fraction(long))
    )
    costs = {
        "optimal": x * x * best,
        "balanced": even,
        "most_work_left": most,
        "size_interval": split,
        "bin_policy": x * x * number(str(binned)),
    }
    tree = coarse(shipped("comparison-uniform"), 8, None)
    tree["witness"] = coarse(shipped("heavy-traffic-uniform"), 8, None)["witness"]  # up to 2
    tree["claim"] |= {
        "load": load,
        "start": {"short": short, "long": long},
        "axis_rule": rule,
        "bins": ["1"],
        "cutoff": cutoff,
        "exit_cutoff": "infinity" if cut is None else width(cut, "1e-9"),
        "work_median": width(median, "1e-9"),
        "half_work_share": width(share),
    }
    exact = {"balanced"}
    if z == 0 or delta == 0:
        exact.add("size_interval")
    if rho <= 0.5 and a > 0:
        exact.add("most_work_left")
    if rho < 0.5 and z > 3 / mpmath.mpf(7):
        exact.add("bin_policy")
    tree["claim"] |= {
        name: str(rational(value)) if name in exact else width(value)
        for name, value in costs.items()
    }
    savings: Any = {}
    for name in ("optimal", "size_interval", "bin_policy"):
        savings[name] = {}
        for other in ("balanced", "most_work_left"):
            saving = 1 - costs[name] / costs[other]
            both = {name, other} <= exact
            both |= (
                a == 0
                and other == "most_work_left"
                and name != "bin_policy"
                and (name == "optimal" or rule == "exactly-busy")
            )
            text = str(rational(saving)) if both else width(saving, "2e-2")
            savings[name][f"against_{other}"] = text
    tree["claim"]["savings"] = savings
    return tree


def rational(value: Any) -> Fraction:
    return Fraction(int(mpmath.nint(value * 10**25)), 10**25).limit_denominator(10**6)


@pytest.mark.parametrize(
    ("load", "short", "long", "rule"),
    [
        ("3/4", "0", "1", "same-split"),
        ("3/4", "0", "2", "exactly-busy"),
        ("3/4", "1/4", "3/4", "same-split"),
        ("3/4", "1/2", "1", "exactly-busy"),
        ("1/4", "1/2", "1/2", "exactly-busy"),
        ("1/4", "2/5", "3/5", "same-split"),
        ("1/4", "1/5", "4/5", "exactly-busy"),  # the bins join the shorter queue
        ("1/4", "2/7", "5/7", "exactly-busy"),  # just where they begin to
        ("1/2", "2/5", "4/5", "exactly-busy"),
    ],
)
def test_costs_of_policies_for_uniform_sizes(load: str, short: str, long: str, rule: str) -> None:
    with mpmath.workdps(40):
        tree = uniform_comparison(load, short, long, rule)
    assert condition(tree) == ""
    for name in ("optimal", "most_work_left", "size_interval", "bin_policy", "balanced"):
        value = tree["claim"][name]
        if isinstance(value, dict):
            for interval in beside((name,), value):
                assert condition(put(tree, (name,), interval)) == name.replace("_", "-")
        else:
            off = str(Fraction(value) + Fraction(1, 10**9))
            assert condition(put(tree, (name,), off)) == name.replace("_", "-")


@pytest.mark.parametrize("name", ["heavy-traffic-uniform", "heavy-traffic-running"])
def test_loads_of_heavy_traffic(name: str) -> None:
    tree = coarse(shipped(name), 6, None)
    for load, expected in (
        ("0", "hypothesis"),
        ("1", "hypothesis"),
        ("3/2", "hypothesis"),
        ("-3/4", "hypothesis"),
        ("1/2", "heavy"),
        ("1/4", "heavy"),
    ):
        assert condition(put(tree, ("rows", 0, "load"), load)) == expected
    ends = tree["claim"]["rows"][0]["bound"]
    for forged in (ends[:1], [*ends, ends[1]]):
        assert verdict(put(tree, ("rows", 0, "bound"), forged)).outcome is Outcome.MALFORMED


def test_a_wide_median_makes_a_wide_bound() -> None:
    """1/median counts at the end that makes the interval longer."""
    tree = coarse(shipped("heavy-traffic-uniform"), 6, None)
    rho, step = mpmath.mpf(3) / 4, mpmath.mpf("1e-3")
    with mpmath.workdps(40):
        low, high = mpmath.sqrt(2) - step, mpmath.sqrt(2) + step
        shares = [(1 - (2 - a) ** 2 / 2) / (2 * b) for a, b in ((low, high), (high, low))]
        ends = [shares[0] * rho - (1 - rho) / 2 / low, shares[1] * rho - (1 - rho) / 2 / high]
        tree["claim"]["rows"] = [tree["claim"]["rows"][0]]
        tree["claim"]["work_median"] = width(mpmath.sqrt(2), "1e-3")
        tree["claim"]["half_work_share"] = width(mpmath.sqrt(2) * 0, "1")
        second = {"lo": "-1", "hi": "1"}
        for inset, expected in ((Fraction(0), ""), (Fraction(1, 10**9), "bound")):
            for side in (1, -1):
                first = {
                    "lo": spelled(
                        Fraction(str(mpmath.nstr(ends[0], 30)))
                        + max(0, side) * inset
                        - Fraction(1, 10**20),
                        40,
                    ),
                    "hi": spelled(
                        Fraction(str(mpmath.nstr(ends[1], 30)))
                        + min(0, side) * inset
                        + Fraction(1, 10**20),
                        40,
                    ),
                }
                assert condition(put(tree, ("rows", 0, "bound"), [first, second])) == expected


def test_a_positive_exit_cutoff() -> None:
    tree = shipped("enclosure-uniform-coarse")
    for low in ("0", "-1"):
        forged = put(tree, ("exit_cutoff",), tree["claim"]["exit_cutoff"] | {"lo": low})
        assert condition(forged) == "exit"


# --- lower bounds by sectors that only satisfy an inequality ----------------------------------


@pytest.mark.parametrize(
    ("sectors", "lower", "expected"),
    [
        ([("0", "1", "3/2 0 -2")], "3/2", "below-inequality"),  # fails at the edge 1 only
        ([("0", "1", "2 -4 3/2")], "2", "below-inequality"),  # fails at the edge 0 only
        ([("0", "1", "1/10 -2/5 1/5")], "1/10", "below-axis"),
        ([("0", "1", "1/2 0 1/10")], "1/2", "below-slope"),
        ([("0", "1", "1 1/10 -1/10")], "1", "below-slope"),
        ([("0", "1/2", "1/2 0 0"), ("1/2", "1", "2/5 0 0")], "1/2", "below-gradient"),
        ([("0", "1/2", "1/2 0 0"), ("1/2", "1", "3/5 -1/5 0")], "1/2", "below-gradient"),
        ([("0", "1/2", "1/2 0 0")], "1/2", "below-tiling"),
        ([("0", "1/2", "1/2 0 0"), ("3/5", "1", "1/2 0 0")], "1/2", "below-tiling"),
        ([("1/10", "1", "1/2 0 0")], "1/2", "below-tiling"),
        ([("0", "11/10", "1/2 0 0")], "1/2", "below-tiling"),
        ([("0", "0", "1/2 0 0"), ("0", "1", "1/2 0 0")], "1/2", "below-tiling"),
        ([("0", "1/2", "1/2 0 0"), ("1/2", "1", "1/2 0 0")], "1/2", "below-inequality"),
        ([("0", "1", "0 0 0")], "0", ""),
        ([("0", "1", "0 0 0")], "-1", ""),
        ([("0", "1", "0 0 0")], "1/1000000000", "lower"),
    ],
)
def test_sectors_below_the_least_cost(
    sectors: list[tuple[str, str, str]], lower: str, expected: str
) -> None:
    """Load 3/4, sizes 1/2 and 3/2: a form V is a bound if V_x/4 + 3/4 E|g S - z| <= 3/4."""
    tree = shipped("bracket-running")
    tree["claim"] |= {"lower": lower, "regret": str(Fraction(3, 2) - Fraction(lower))}
    tree["witness"]["below"] = [
        {"from": start, "to": end, "value": form.split()} for start, end, form in sectors
    ]
    assert condition(tree) == expected
