"""Hypotheses and borders of kinds that mutants of the checker had survived."""

import copy
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import pytest

from certify.softmax import Bernoulli
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome
from tests.mutation.engine import to_bytes

CERTIFICATES = Path(__file__).parents[2] / "certificates"


def condition(tree: dict[str, Any], **claim: Any) -> str:
    """The condition that refuses the certificate with these claim fields; empty if none does."""
    report = check_bytes(to_bytes({**tree, "claim": tree["claim"] | claim}))
    assert report.outcome in (Outcome.VERIFIED, Outcome.REJECTED)
    return report.refusal.condition if report.refusal else ""


def routed(arrival: int, rates: list[int]) -> dict[str, Any]:
    model = Bernoulli(arrival, rates, ["1/2", "1/2"])
    tree: dict[str, Any] = json.loads(model.certificate().to_bytes())
    return tree


def test_the_constant_of_fixed_routing_for_weights_of_ones_own() -> None:
    """Speeds 1/2 and 5/2 beside eps 1/2: R = 1/4 + 1/2 + 1/4 + max(0, 3/2 - 2) = 1."""
    tree = routed(1, [1, 3])
    own = {"weights": ["1", "1"], "eps": "1/2", "R": "1"}
    assert condition(tree, **own) == ""
    for R in ("999/1000", "5/2", "2"):
        assert condition(tree, **own | {"R": R}) == "constant"
    assert condition(tree, weights=["0", "0"], eps="0", R="0") == "hypothesis"
    assert condition(tree, weights=["0", "1"], eps="0", R="0") == "hypothesis"


def test_a_queue_that_is_exactly_full_is_not_stable() -> None:
    tree = routed(1, [1, 3])
    assert condition(tree, arrival_rate="2") if "arrival_rate" in tree["claim"] else True
    full = copy.deepcopy(tree)
    full["claim"]["system"]["arrival_rate"] = "2"
    assert condition(full) == "stable"


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("softmax-equilibrium-light-3", "arrival_rate"),
        ("softmax-equilibrium-light-3", "alpha"),
        ("softmax-equilibrium-light-3", "beta"),
        ("softmax-obstruction-wsq-three", "arrival_rate"),
        ("softmax-obstruction-wsq-three", "temperature"),
    ],
)
@pytest.mark.parametrize("value", ["0", "-1", "-1/1000"])
def test_parameters_that_are_not_positive(name: str, field: str, value: str) -> None:
    tree = json.loads((CERTIFICATES / f"{name}.json").read_bytes())
    tree["claim"]["system"][field] = value
    assert condition(tree) == "hypothesis"


@pytest.mark.parametrize("name", ["softmax-equilibrium-light-3", "softmax-obstruction-wsq-three"])
def test_rates_and_weights_that_are_not_positive(name: str) -> None:
    tree = json.loads((CERTIFICATES / f"{name}.json").read_bytes())
    for field in ("service_rates", "weights"):
        if field in tree["claim"]["system"]:
            for value in ("0", "-1"):
                bad = copy.deepcopy(tree)
                bad["claim"]["system"][field][-1] = value
                bad["claim"]["system"]["arrival_rate"] = "1/100"
                assert condition(bad) == "hypothesis"


def test_the_offset_may_be_zero_but_not_below() -> None:
    tree = json.loads((CERTIFICATES / "softmax-equilibrium-light-3.json").read_bytes())
    tree["claim"]["system"]["offset"] = "-1/1000000"
    assert condition(tree) == "hypothesis"
    tree["claim"]["system"]["offset"] = "0"
    assert condition(tree) != "hypothesis"


def test_an_arrival_rate_equal_to_the_capacity() -> None:
    tree = json.loads((CERTIFICATES / "softmax-equilibrium-light-3.json").read_bytes())
    tree["claim"]["system"]["service_rates"] = ["1", "1", "1"]
    tree["claim"]["system"]["arrival_rate"] = "3"
    assert condition(tree) == "hypothesis"


# --- tails of queues and weights that move: each bound at its border --------------------------


def _tree(kind: str, claim: dict[str, Any], witness: dict[str, Any]) -> dict[str, Any]:
    return {"format": "certify/1", "kind": kind, "claim": claim, "witness": witness}


def _lone_tail(jobs: int, steps: int) -> dict[str, Any]:
    """One server, lambda = 1, mu = 2, v = 1: R = 3/2, threshold 3 and ratio 2/3 for split 1/2."""
    system = {"arrival_rate": "1", "service_rates": ["2"], "slopes": ["1"], "offsets": ["0"]}
    claim = {
        "system": system | {"temperature": "0"},
        "split": "1/2",
        "eps": "1",
        "R": "3/2",
        "threshold": "3",
        "ratio": "2/3",
        "tails": [
            {"jobs": jobs, "probability": str(Fraction(2, 3) ** (steps + 1) + Fraction(1, 10**9))}
        ],
    }
    witness = {"precision": 64, "excess": "0", "shares": ["1"], "steps": [steps]}
    return _tree("queue-tail", claim, witness)


def test_a_tail_starts_above_the_last_step() -> None:
    """P(Phi > 3 + 2 m) says nothing of 3 + 2 m jobs, but of one more."""
    for m in (0, 1, 2, 10):
        assert condition(_lone_tail(3 + 2 * m, m)) == "steps"
        assert condition(_lone_tail(4 + 2 * m, m)) == ""
    none = _lone_tail(4, 0)
    none["claim"]["tails"], none["witness"]["steps"] = [], []
    assert condition(none) == ""
    assert condition(none, R="1499/1000") == "constant"
    assert condition(none, threshold="2999/1000") == "threshold"
    assert condition(none, ratio="333/500") == "ratio"


@pytest.mark.parametrize("arrival", ["0", "-1"])
def test_without_arrivals_there_is_no_tail_kind(arrival: str) -> None:
    tree = _lone_tail(4, 0)
    tree["claim"]["system"]["arrival_rate"] = arrival
    tree["witness"]["shares"] = ["0"]
    assert condition(tree) == "hypothesis"


@pytest.mark.parametrize("offsets", [["1/3", "-2/5", "7/4"], ["-3", "5", "1/9"], ["2", "2", "2"]])
@pytest.mark.parametrize("eps", ["1/10", "1/3"])
def test_the_constant_of_a_tail_at_its_border(offsets: list[str], eps: str) -> None:
    """Lemma 1 of queue-tail.md for three unequal servers, of which one gets no share."""
    rates, slopes, shares = (
        [Fraction(each) for each in words]
        for words in (["2/3", "5/4", "3/5"], ["3/2", "4/5", "2"], ["1/4", "1/2", "0"])
    )
    arrival, temperature, k = Fraction(3, 4), Fraction(3, 2), Fraction(1, 2)
    kappas = [Fraction(each) for each in offsets]
    least = arrival * (
        k * temperature + max(v / 2 - o for v, o in zip(slopes, kappas, strict=True))
    )
    for mu, v, c, o in zip(rates, slopes, shares, kappas, strict=True):
        slack = (mu - c) * v - Fraction(eps)
        assert slack > 0
        least += c * o + max(Fraction(0), mu * v / 2 - slack)
    split, step = Fraction(1, 3), Fraction(1, 10**12)
    threshold = (least + step) / (split * Fraction(eps))
    ratio = arrival / (arrival + (1 - split) * Fraction(eps) / max(slopes))
    claim: dict[str, Any] = {
        "system": {
            "arrival_rate": str(arrival),
            "service_rates": [str(each) for each in rates],
            "slopes": [str(each) for each in slopes],
            "offsets": offsets,
            "temperature": str(temperature),
        },
        "split": str(split),
        "eps": eps,
        "R": str(least),
        "threshold": str(threshold),
        "ratio": str(ratio),
        "tails": [],
    }
    witness = {"precision": 64, "excess": str(k), "shares": [str(c) for c in shares], "steps": []}
    tree = _tree("queue-tail", claim, witness)
    assert condition(tree) == ""
    assert condition(tree, R=str(least - step)) == "constant"
    assert condition(tree, R=str(least + 2 * step)) == "threshold"
    assert condition(tree, ratio=str(ratio - step)) == "ratio"
    tree["claim"]["R"] = str(least + step)
    assert condition(tree) == ""
    assert condition(tree, threshold=str(threshold - step)) == "threshold"


class Moving:
    """The formulas of adaptive-weights.md for one problem, by mpmath."""

    def __init__(self, p: str, z: str, lowest: str = "3/4", highest: str = "5/4") -> None:
        self.p, self.z = mpmath.mpf(Fraction(p).numerator) / Fraction(p).denominator, z
        self.words: dict[str, Any] = {"lowest": lowest, "highest": highest, "power": p}
        self.words["system"] = {
            "arrival_rate": "1/2",
            "service_rates": ["3/4", "4/3", "2/3"],
            "temperature": "2/3",
        }
        capacity, low, high = map(self._number, ("11/4", lowest, highest))
        self.room = 1 - self._number("1/2") / capacity * (high / low) ** self.p
        blur = (self._number("2/3") * self._number("1/2") / (2 * low)) ** self.p
        self.least = (1 / (1 + self.p) + blur) / 2 + capacity * mpmath.mpf(2) ** -self.p
        self.capacity = capacity

    @staticmethod
    def _number(text: str) -> Any:
        value = Fraction(text)
        return mpmath.mpf(value.numerator) / value.denominator

    def mean(self, rate: str, constant: str) -> Any:
        """The least bound on E|Q|_1 that parts (b) and (c) give."""
        slowest, C = self._number(rate) * 2 / 3, self._number(constant)
        if self.p == 1:
            return C / slowest - mpmath.mpf(3) / 2
        z = self._number(self.z)
        left = slowest - C * (1 - self.p) * z**-self.p
        above = (mpmath.mpf(1) / 2 + self.capacity) / 2 + C * self.p * z ** (1 - self.p)
        return mpmath.mpf(3) ** (self.p / (1 + self.p)) * above / left - mpmath.mpf(3) / 2

    def tree(self, rate: str, constant: str, mean: str, precision: int = 200) -> dict[str, Any]:
        moment = str(Fraction(constant) / Fraction(rate))
        claim = {
            "rate": rate,
            "constant": constant,
            "moment_bound": moment,
            "mean_jobs_bound": mean,
        }
        witness = {"precision": precision, "excess": "1/2", "point": self.z}
        return _tree("adaptive-weights", self.words | claim, witness)


def _just(value: Any, above: bool) -> str:
    near = Fraction(int(mpmath.floor(value * 10**20)), 10**20)
    return str(near + Fraction(2 if above else -1, 10**20))


@pytest.mark.parametrize(
    ("power", "point"),
    [("1", "1"), ("1/2", "900"), ("1/3", "90000"), ("9/10", "50"), ("1/2", "2000")],
)
@pytest.mark.parametrize("ends", [("3/4", "5/4"), ("1/5", "2/9"), ("3", "3")])
def test_every_bound_for_moving_weights_at_its_border(
    power: str, point: str, ends: tuple[str, str]
) -> None:
    with mpmath.workdps(40):
        model = Moving(power, point, *ends)
        rate, constant = _just(model.room, False), _just(model.least, True)
        mean = model.mean(rate, constant)
        good = model.tree(rate, constant, _just(mean, True))
        assert condition(good) == ""
        assert condition(good, rate=_just(model.room, True)) == "rate"
        assert condition(good, constant=_just(model.least, False)) == "constant"
        moment = Fraction(constant) / Fraction(rate)
        assert condition(good, moment_bound=str(moment - Fraction(1, 10**20))) == "moment"
        assert condition(good, mean_jobs_bound=_just(mean, False)) == "mean-jobs"
        slow = model.tree("1/5", "7", _just(model.mean("1/5", "7"), True))
        if Fraction(power) == 1 or Fraction(point) >= 2000:
            assert condition(slow) == ""
            less = _just(model.mean("1/5", "7"), False)
            assert condition(slow, mean_jobs_bound=less) == "mean-jobs"


def test_few_bits_never_help_a_bound_on_the_mean() -> None:
    """Where `left` is nearly 0 what z**-p is rounded to decides, and it must be rounded up."""
    with mpmath.workdps(40):
        for power in ("1/2", "1/3"):
            p = Fraction(power)
            rate, constant = "1/5", "7"
            z = ((7 * (1 - float(p))) / (2 / 15)) ** float(1 / p)
            model = Moving(power, str(Fraction(int(z) + 1)))
            above = model.mean(rate, constant) * (1 + mpmath.mpf(10) ** -7)
            assert above > 0
            assert condition(model.tree(rate, constant, _just(above, True))) == ""
            assert condition(model.tree(rate, constant, _just(above, True), 32)) != ""


def test_a_point_that_leaves_exactly_nothing() -> None:
    """z = 1: left = rate min mu - constant (1 - p), which is 0 for these numbers."""
    model = Moving("99/100", "1")
    rate, constant = "3/5", "40"
    for mean in ("1", "10000000000"):
        assert condition(model.tree(rate, constant, mean)) == "point"
    assert condition(model.tree(rate, "39", "10000000000")) == ""
    small = Moving("99/100", "1/2")
    assert condition(small.tree(rate, "10", "10000000000")) == ""
    assert condition(small.tree(rate, "10", "1")) == "mean-jobs"


def test_no_arrivals_and_reversed_ends_are_outside_the_hypotheses() -> None:
    tree = Moving("1", "1").tree("1/5", "7", "100")
    assert condition(tree) == ""
    for arrival in ("0", "-1/2", "11/4"):
        forged = copy.deepcopy(tree)
        forged["claim"]["system"]["arrival_rate"] = arrival
        assert condition(forged) == "hypothesis"
    assert condition(tree, lowest="2", highest="1") == "hypothesis"
    for point in ("0", "-1"):
        half = Moving("1/2", point).tree("1/5", "7", "100000")
        assert condition(half) == "point"


def test_the_excess_goes_up_to_the_number_of_servers() -> None:
    tree = _lone_tail(4, 0)
    for excess, expected in (("0", ""), ("1", ""), ("1001/1000", "excess"), ("-1/1000", "excess")):
        tree["witness"]["excess"] = excess
        assert condition(tree) == expected


# the side on which a claimed bound is weaker, and as true
WEAKER = {
    "shortest-queue-drift": {"R": 1, "mean_queue_bound": 1, "value": -1},
    "drift-limit": {"margin": 1, "slope": -1, "intercept": -1},
    "bernoulli-routing": {},
}


@pytest.mark.parametrize(
    "name",
    [
        "shortest-queue-drift-wsq-two",
        "shortest-queue-drift-wsq-three",
        "shortest-queue-drift-jsq-two-symmetric",
        "drift-limit-wsq-two",
        "drift-limit-wsq-three",
        "bernoulli-routing-two",
        "bernoulli-routing-proportional",
    ],
)
def test_bounds_have_one_side_and_exact_numbers_none(name: str) -> None:
    tree = json.loads((CERTIFICATES / f"{name}.json").read_bytes())
    weaker = WEAKER[tree["kind"]]

    def walk(node: Any, change: Any) -> None:
        for key, value in node.items() if isinstance(node, dict) else enumerate(node):
            if isinstance(value, dict | list):
                walk(value, change)
            elif isinstance(value, str) and value.lstrip("-")[:1].isdigit():
                for side in (-1, 1):
                    node[key] = str(Fraction(value) + Fraction(side, 10**9))
                    assert (condition(tree) == "") is (weaker.get(key) == side), (key, side)
                node[key] = value

    walk(tree["claim"], tree)
    assert condition(tree) == ""
