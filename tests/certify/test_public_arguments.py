"""Every parameter of every public function, given what it cannot be: one sentence, no other error.

`CALLS` holds one good call of each; one argument at a time is replaced by what is of another type
or out of range.
"""

import inspect
import re
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from certify import fluid, ranks, softmax
from certify.errors import InputError
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome

ROOT = Path(__file__).parents[2]
MODULES = {"fluid": fluid, "ranks": ranks, "softmax": softmax}
Call = tuple[Callable[..., Any], dict[str, Any]]

# no parameter can be one of these
IMPOSSIBLE: list[Any] = [0.5, float("nan"), object(), int, b"x", "x y", {"a": 1}]
# these are for some parameters what they should be
WRONG: list[Any] = [
    *IMPOSSIBLE,
    *(None, True, "", "1/0", "3", [], [None], [0.5], [True], ["x"], [[1]], [-1], [0, 0], [10**30]),
    *(-1, 0, 2, 10**30, Fraction(-1, 3), Fraction(1, 3), Fraction(3), ()),
]
ILLEGAL: list[Any] = [None, True, "", "1/0", [None], ["x"], -1, Fraction(-1, 3)]
DIGITS: list[Any] = [0, -1, 10**30, 2.5, float("inf"), True, "20", None, [20], Fraction(20)]

SENTENCE = re.compile(r"\S.* must \S.*, but was .*\.", re.DOTALL)
# what is legal there takes long: only what is not
SLOW = {
    ("fluid.compare of a law with a density", "u1"),
    ("fluid.compare of a law with a density", "u2"),
    ("fluid.enclose_noise", "load"),
    ("fluid.enclose_noise", "imbalances"),
    ("fluid.enclose_noise", "digits"),
    ("softmax.System.mean_queue", "cells"),
    ("softmax.System.convergence", "start_bound"),
    ("softmax.System.convergence", "tolerance"),
}

ATOMS = [("1/2", "1/2"), ("3/2", "1/2")]
TWO = [2, 1]


@cache
def good() -> dict[str, Any]:
    """Objects to ask, each made by a good call."""
    law = fluid.FiniteLaw.rescaled(ATOMS)
    exponential = fluid.Exponential()
    system = softmax.ReflectedUAS("1.6", TWO, 2, "0.85", "0.5", "0.5")
    weighted = softmax.WeightedShortestQueue(2, TWO, [1, 2], 1)
    marginal = ranks.MarginalJSQ(4, 2, 1)
    original = ranks.MarginalJSQ(2, 2, 1, "original")
    return {
        "law": law,
        "exponential": exponential,
        "joint": fluid.JointLaw.rescaled([(1, 1, "1/2"), (3, 2, "1/2")]),
        "dispatch": fluid.dispatch(law, "3/4"),
        "enclosed": fluid.dispatch(exponential, "3/4", 5),
        "path": fluid.dispatch(exponential, "3/4", 5).path(1, 2),
        "number": fluid.Enclosed(Fraction(1), Fraction(2)),
        "loss": fluid.loss_from_noise(
            fluid.JointLaw.rescaled([(1, 1, "1/2"), (3, 2, "1/2")]), "3/4"
        ),
        "laws": fluid.compare_laws(law, fluid.FiniteLaw.rescaled([(1, 1)]), "3/4"),
        "comparison": fluid.compare(law, "3/4", 1, 2),
        "traffic": fluid.in_heavy_traffic(law),
        "system": system,
        "equilibrium": system.equilibrium(5),
        "weighted": weighted,
        "tail": weighted.tail([100]),
        "greedy": softmax.ShortestQueue.jsq(2, TWO),
        "bernoulli": softmax.Bernoulli("1.5", TWO, ["2/3", "1/3"]),
        "field": softmax.SarsaMeanField(1, TWO, [1, 1], 2, "1/2"),
        "gate": softmax.SarsaGate([1, 2], 1, "99/100", 0),
        "marginal": marginal,
        "original": original,
        "exact": ranks.exact_gaps(marginal),
        "facts": original.facts(),
    }


SYSTEM = {"arrival_rate": "1.6", "service_rates": TWO}
UAS = SYSTEM | {"alpha": 2}
CALLS: dict[str, Callable[[dict[str, Any]], Call]] = {
    "fluid.BalancedHyperexponential": lambda _: (
        fluid.BalancedHyperexponential,
        {"squared_variation": 2},
    ),
    "fluid.BoundedPareto": lambda _: (fluid.BoundedPareto, {"shape": 2, "ratio": 3}),
    "fluid.Component": lambda g: (
        fluid.Component,
        {"weight": "1/2", "mean": 1, "law": g["exponential"]},
    ),
    "fluid.Enclosed": lambda _: (fluid.Enclosed, {"low": Fraction(1), "high": Fraction(2)}),
    "fluid.Enclosed.times": lambda g: (g["number"].times, {"factor": 2}),
    "fluid.Exponential": lambda _: (fluid.Exponential, {}),
    "fluid.FiniteLaw": lambda _: (fluid.FiniteLaw, {"atoms": ATOMS, "scale": 1}),
    "fluid.FiniteLaw.rescaled": lambda _: (fluid.FiniteLaw.rescaled, {"atoms": ATOMS}),
    "fluid.FiniteLaw.from_csv": lambda _: (
        fluid.FiniteLaw.from_csv,
        {"path": ROOT / "certify" / "problems" / "fluid-value-trace.csv"},
    ),
    "fluid.Gamma": lambda _: (fluid.Gamma, {"shape": 2}),
    "fluid.Hyperexponential": lambda _: (
        fluid.Hyperexponential,
        {"weights": ["3/10", "7/10"], "means": ["2", "4/7"]},
    ),
    "fluid.JointLaw": lambda _: (
        fluid.JointLaw,
        {"entries": [("1/2", 1, "1/2"), ("3/2", 2, "1/2")], "estimate": "signal", "scale": 1},
    ),
    "fluid.JointLaw.rescaled": lambda _: (
        fluid.JointLaw.rescaled,
        {"entries": [(1, 1, "1/2"), (3, 2, "1/2")], "estimate": "signal"},
    ),
    "fluid.Lognormal": lambda _: (fluid.Lognormal, {"sigma": 1}),
    "fluid.LognormalNoise": lambda _: (fluid.LognormalNoise, {"sigma": 1, "noise": "1/2"}),
    "fluid.Mixture": lambda g: (
        fluid.Mixture,
        {"components": [("3/4", "4/3", g["exponential"])], "atoms": [(0, "1/4")]},
    ),
    "fluid.Pareto": lambda _: (fluid.Pareto, {"shape": 2}),
    "fluid.ParetoBins": lambda _: (fluid.ParetoBins, {"shape": "3/2"}),
    "fluid.Uniform": lambda _: (fluid.Uniform, {"lowest": "1/2"}),
    "fluid.UniformBins": lambda _: (fluid.UniformBins, {"lowest": "1/2"}),
    "fluid.Weibull": lambda _: (fluid.Weibull, {"shape": 2}),
    "fluid.bracket": lambda g: (
        fluid.bracket,
        {"law": g["law"], "load": "3/4", "bins": 2, "imbalance": 0, "knots": 2},
    ),
    "fluid.bracket of a law with a density": lambda g: (
        fluid.bracket,
        {
            "law": fluid.ParetoBins("3/2"),
            "load": "3/4",
            "bins": ["4/3", 3],
            "imbalance": 0,
            "knots": 3,
        },
    ),
    "fluid.compare": lambda g: (
        fluid.compare,
        {"law": g["law"], "load": "3/4", "u1": 1, "u2": 2, "bins": 2, "axis_rule": "same-split"}
        | {"digits": 5},
    ),
    "fluid.compare of a law with a density": lambda g: (
        fluid.compare,
        {"law": g["exponential"], "load": "3/4", "u1": 1, "u2": 2, "bins": ["1/2"]}
        | {"axis_rule": "same-split", "digits": 5},
    ),
    "fluid.Comparison.saving": lambda g: (
        g["comparison"].saving,
        {"policy": "optimal", "against": "balanced"},
    ),
    "fluid.compare_laws": lambda g: (
        fluid.compare_laws,
        {"first": g["law"], "second": g["law"], "load": "3/4"},
    ),
    "fluid.LawComparison.certificate": lambda g: (g["laws"].certificate, {"imbalances": [0, 1]}),
    "fluid.LawComparison.difference": lambda g: (g["laws"].difference, {"imbalance": "1/2"}),
    "fluid.dispatch": lambda g: (fluid.dispatch, {"law": g["law"], "load": "3/4", "digits": 5}),
    "fluid.dispatch of a law with a density": lambda g: (
        fluid.dispatch,
        {"law": g["exponential"], "load": "3/4", "digits": 5},
    ),
    **{
        f"fluid.{kind}.{name}": lambda g, name=name, attribute=attribute, arguments=arguments: (
            getattr(g[attribute], name),
            arguments,
        )
        for (kind, attribute), (name, arguments) in product(
            (("Dispatch", "dispatch"), ("EnclosedDispatch", "enclosed")),
            (
                ("at", {"imbalance": "1/2"}),
                ("value", {"u1": 1, "u2": 2}),
                ("cutoff", {"u1": 1, "u2": 2}),
                ("path", {"u1": 1, "u2": 2}),
            ),
        )
    },
    "fluid.Dispatch.certificate": lambda g: (g["dispatch"].certificate, {"imbalances": [0, 1]}),
    "fluid.EnclosedDispatch.certificate": lambda g: (
        g["enclosed"].certificate,
        {"imbalances": [0, 1], "path": True},
    ),
    "fluid.EnclosedPath.at_imbalance": lambda g: (g["path"].at_imbalance, {"imbalance": "1/2"}),
    "fluid.EnclosedPath.at_cutoff": lambda g: (g["path"].at_cutoff, {"cutoff": 1}),
    "fluid.enclose_comparison": lambda g: (
        fluid.enclose_comparison,
        {"first": g["exponential"], "second": g["law"], "load": "3/4", "imbalances": [0]}
        | {"digits": 5},
    ),
    "fluid.enclose_noise": lambda _: (
        fluid.enclose_noise,
        {"law": fluid.LognormalNoise(1, "1/2"), "load": "3/4", "imbalances": [0], "digits": 4},
    ),
    "fluid.enclose_value": lambda g: (
        fluid.enclose_value,
        {"law": g["law"], "load": "3/4", "imbalances": [0], "digits": 5},
    ),
    "fluid.enclose_heavy_traffic": lambda g: (
        fluid.enclose_heavy_traffic,
        {"law": g["exponential"], "loads": ["9/10"], "digits": 5},
    ),
    "fluid.in_heavy_traffic": lambda g: (fluid.in_heavy_traffic, {"law": g["law"]}),
    "fluid.HeavyTraffic.bound": lambda g: (g["traffic"].bound, {"load": "3/4"}),
    "fluid.HeavyTraffic.certificate": lambda g: (g["traffic"].certificate, {"loads": ["3/4"]}),
    "fluid.loss_from_noise": lambda g: (
        fluid.loss_from_noise,
        {"joint": g["joint"], "load": "3/4"},
    ),
    "fluid.NoiseLoss.at": lambda g: (g["loss"].at, {"imbalance": 0}),
    "fluid.NoiseLoss.certificate": lambda g: (g["loss"].certificate, {"imbalances": [0]}),
    "fluid.wasserstein_distance": lambda g: (
        fluid.wasserstein_distance,
        {"first": g["law"], "second": g["law"]},
    ),
    "softmax.UAS": lambda _: (softmax.UAS, UAS),
    "softmax.ReflectedUAS": lambda _: (
        softmax.ReflectedUAS,
        UAS | {"beta": "0.85", "gamma": "0.5", "offset": "0.5"},
    ),
    "softmax.WeightedShortestQueue": lambda _: (
        softmax.WeightedShortestQueue,
        SYSTEM | {"weights": [1, 2], "temperature": 1},
    ),
    "softmax.System.certificate": lambda g: (g["system"].certificate, {"digits": 5}),
    "softmax.System.equilibrium": lambda g: (g["system"].equilibrium, {"digits": 5}),
    "softmax.System.drift": lambda g: (g["system"].drift, {"digits": 5}),
    "softmax.System.mean_queue": lambda g: (
        g["system"].mean_queue,
        {"function": None, "cells": 0, "digits": 5},
    ),
    "softmax.System.obstruction": lambda g: (g["system"].obstruction, {"radius": 2, "digits": 5}),
    "softmax.System.convergence": lambda g: (
        g["system"].convergence,
        {"start_bound": 10, "tolerance": "1/10"},
    ),
    "softmax.System.stationary_mean": lambda g: (g["system"].stationary_mean, {"width": "1/2"}),
    "softmax.stationary_mean": lambda g: (
        softmax.stationary_mean,
        {"system": g["greedy"], "width": "1/2"},
    ),
    "softmax.System.drift_limit": lambda g: (g["system"].drift_limit, {"margin": "1/10"}),
    "softmax.WeightedShortestQueue.drift_limit": lambda g: (
        g["weighted"].drift_limit,
        {"margin": "1/10"},
    ),
    "softmax.WeightedShortestQueue.tail": lambda g: (
        g["weighted"].tail,
        {"jobs": [100], "split": "1/2"},
    ),
    "softmax.Equilibrium.certificate": lambda g: (
        g["equilibrium"].certificate,
        {"summary": True},
    ),
    "softmax.AdaptiveWeights": lambda _: (
        softmax.AdaptiveWeights,
        SYSTEM | {"temperature": 1, "lowest": 1, "highest": "1.01", "power": None},
    ),
    "softmax.Bernoulli": lambda _: (softmax.Bernoulli, SYSTEM | {"routing": ["2/3", "1/3"]}),
    "softmax.Bernoulli.drift": lambda g: (g["bernoulli"].drift, {"weights": [1, 2]}),
    "softmax.DriftLimit": lambda _: (
        softmax.DriftLimit,
        SYSTEM | {"margin": "1/10", "slopes": [1, 2], "beta": None},
    ),
    "softmax.DriftLimit with beta": lambda _: (
        softmax.DriftLimit,
        SYSTEM | {"margin": "1/10", "slopes": None, "beta": "1/2"},
    ),
    "softmax.QueueTail": lambda g: (
        softmax.QueueTail,
        {"system": g["greedy"], "temperature": 0, "jobs": [100], "split": "1/2"},
    ),
    "softmax.QueueTail.probability": lambda g: (g["tail"].probability, {"jobs": 100}),
    "softmax.QueueTail.steps": lambda g: (g["tail"].steps, {"jobs": 100}),
    "softmax.SarsaGate": lambda _: (
        softmax.SarsaGate,
        {"weights": [1, 2], "temperature": 1, "discount": "1/2", "queue": 0},
    ),
    "softmax.SarsaGate.certificate": lambda g: (g["gate"].certificate, {"digits": 5}),
    "softmax.SarsaMeanField": lambda _: (
        softmax.SarsaMeanField,
        SYSTEM | {"weights": [1, 1], "capacity": 2, "discount": "1/2", "gate": 1},
    ),
    "softmax.SarsaChattering": lambda g: (softmax.SarsaChattering, {"model": g["field"]}),
    "softmax.SarsaStep": lambda _: (
        softmax.SarsaStep,
        {"weights": [1, 2], "discount": "1/2", "step_size": "1/10", "state": [0, 1], "action": 0}
        | {"holding_time": 1, "next_state": [1, 1], "next_action": 1},
    ),
    "softmax.SarsaStepSizes": lambda _: (
        softmax.SarsaStepSizes,
        {"sizes": [1, "1/2"], "held": [True, False, True]},
    ),
    "softmax.ShortestQueue": lambda _: (
        softmax.ShortestQueue,
        SYSTEM | {"slopes": [1, 1], "offsets": [0, 0]},
    ),
    "softmax.ShortestQueue.jsq": lambda _: (softmax.ShortestQueue.jsq, SYSTEM),
    "softmax.ShortestQueue.jssq": lambda _: (softmax.ShortestQueue.jssq, SYSTEM),
    "softmax.ShortestQueue.weighted": lambda _: (
        softmax.ShortestQueue.weighted,
        SYSTEM | {"weights": [1, 2]},
    ),
    "softmax.TestFunction": lambda _: (
        softmax.TestFunction,
        {"eps": "1/10", "linear": [0, 0], "increments": [[], []]},
    ),
    "ranks.MarginalJSQ": lambda _: (
        ranks.MarginalJSQ,
        {"servers": 4, "a": 2, "b": 1, "dynamics": "paused"},
    ),
    "ranks.MarginalJSQ.gaps": lambda g: (g["marginal"].gaps, {"digits": 5}),
    "ranks.MarginalJSQ.gaps of one": lambda g: (
        lambda gap, digits: g["marginal"].gaps(gap, digits=digits),
        {"gap": 0, "digits": 5},
    ),
    "ranks.MarginalJSQ.rho": lambda g: (g["marginal"].rho, {"gap": 0}),
    "ranks.MarginalJSQ.mean_queue": lambda g: (g["marginal"].mean_queue, {"digits": 5}),
    "ranks.MarginalJSQ.limits": lambda g: (g["marginal"].limits, {"digits": 5}),
    "ranks.MarginalJSQ.certificate": lambda g: (g["marginal"].certificate, {"digits": 5}),
    "ranks.MarginalJSQ.mean_queue without pauses": lambda g: (
        g["original"].mean_queue,
        {"digits": 5},
    ),
    "ranks.ExactGaps.certificate": lambda g: (g["exact"].certificate, {"digits": 5}),
    "ranks.OriginalFacts.certificate": lambda g: (g["facts"].certificate, {"digits": 5}),
    "ranks.OriginalFacts.mean_queue_bounds": lambda g: (
        g["facts"].mean_queue_bounds,
        {"digits": 5},
    ),
    "ranks.RankRates": lambda _: (
        ranks.RankRates,
        {"arrival_rates": [1, 1], "service_rates": [2, 2]},
    ),
    "ranks.compare": lambda _: (
        ranks.compare,
        {"servers": 4, "slack": 1, "streams": [1, 2], "digits": 5},
    ),
    "ranks.difference_of": lambda g: (
        ranks.difference_of,
        {"system": g["original"], "quantity": "mean-queue", "box": 4, "digits": 3},
    ),
    "ranks.enclosed_gaps": lambda g: (
        ranks.enclosed_gaps,
        {"system": g["marginal"], "gaps": [0], "digits": 5},
    ),
    "ranks.exact_gaps": lambda g: (ranks.exact_gaps, {"system": g["marginal"]}),
    "ranks.limits_of": lambda g: (
        ranks.limits_of,
        {"system": g["marginal"], "gaps": [0], "ranks": [1], "digits": 5},
    ),
}

# what the engine asks of laws and systems with numbers that are checked already
ENGINE = {
    *("above", "action", "between", "breaks", "deviation", "energy", "excess", "excess_at"),
    *("features", "fitted", "jump", "level", "log_density", "moves", "near", "number", "rate"),
    *("root", "share_above", "share_above_at", "size", "work_above"),
}
# answers, which nobody but the package makes
ANSWERS = {
    "fluid": "Bracket Comparison Dispatch EnclosedComparison EnclosedDispatch "
    "EnclosedHeavyTraffic EnclosedNoiseLoss EnclosedPath EnclosedValue HeavyTraffic LawComparison "
    "NoiseLoss PathPoint Sector",
    "softmax": "AdaptiveBounds BernoulliDrift Convergence Drift Equilibrium MeanQueue Obstruction "
    "Ray ShortestQueueDrift StationaryMean System",
    "ranks": "Comparison Difference EnclosedGaps ExactGaps Limits OriginalFacts",
}


def parameters(asked: Callable[..., Any]) -> list[str]:
    """The names of the parameters that a caller gives."""
    known = inspect.signature(asked).parameters
    return [n for n, each in known.items() if n != "self" and each.kind != each.VAR_POSITIONAL]


def public() -> dict[str, list[str]]:
    """Every public function, constructor and method, with its parameters."""
    found: dict[str, list[str]] = {}
    for module, names in ((module, sorted(MODULES[module].__all__)) for module in MODULES):
        for name in names:
            each = getattr(MODULES[module], name)
            if not inspect.isclass(each):
                found[f"{module}.{name}"] = parameters(each)
                continue
            if name not in ANSWERS[module].split():
                found[f"{module}.{name}"] = parameters(each)
            for method in set(dir(each)) - ENGINE:
                known = inspect.getattr_static(each, method)
                if method.startswith("_") or not isinstance(
                    known, staticmethod | classmethod | type(public)
                ):
                    continue
                if asked := parameters(getattr(each, method)):
                    found[f"{module}.{name}.{method}"] = asked
    return found


def test_every_public_function_is_among_the_calls() -> None:
    """All its parameters are; questions to a softmax system stand once for all of them."""
    asked: dict[str, set[str]] = {}
    for name, make in CALLS.items():
        function = name.partition(" ")[0]
        asked.setdefault(function, set()).update(make(good())[1])
    shared = {"UAS", "ReflectedUAS", "WeightedShortestQueue"}
    for name, names in public().items():
        _, kind, *method = name.split(".")
        one = f"softmax.System.{method[0]}" if method and kind in shared else name
        missing = set(names) - asked.get(name, set()) - asked.get(one, set())
        assert not missing, (name, missing)
    classes = {module: set(MODULES[module].__all__) for module in MODULES}
    assert all(set(ANSWERS[module].split()) <= classes[module] for module in MODULES)


def refusal(function: Callable[..., Any], arguments: dict[str, Any]) -> str:
    """The sentence with which a call is refused, or "" if it is not; another error is raised."""
    try:
        function(**arguments)
    except InputError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", CALLS)
def test_a_wrong_argument_is_told_in_one_sentence(name: str) -> None:
    function, arguments = CALLS[name](good())
    function(**arguments)
    for parameter, value in product(arguments, WRONG):
        if (name, parameter) in SLOW and value not in (*IMPOSSIBLE, *ILLEGAL):
            continue
        refused = refusal(function, arguments | {parameter: value})
        if any(value is each for each in IMPOSSIBLE):
            assert refused, (parameter, value)
        assert not refused or SENTENCE.fullmatch(refused)


def as_numpy(value: Any) -> Any:
    """The same, with NumPy's whole numbers for those of Python."""
    if isinstance(value, list | tuple):
        return type(value)(map(as_numpy, value))
    return np.int64(value) if type(value) is int else value


def certificate_of(answer: Any) -> bytes | None:
    """The certificate of an answer, if it can be made without further arguments."""
    try:
        return bytes(answer.certificate().to_bytes())
    except (AttributeError, InputError, TypeError):
        return None


@pytest.mark.parametrize("name", CALLS)
def test_whole_numbers_may_be_those_of_numpy(name: str) -> None:
    function, arguments = CALLS[name](good())
    known, found = function(**arguments), function(**as_numpy(arguments))
    assert repr(found) == repr(known)
    assert certificate_of(found) == certificate_of(known)


@pytest.mark.parametrize("name", [name for name in CALLS if "digits" in CALLS[name](good())[1]])
@pytest.mark.parametrize("value", DIGITS, ids=repr)
def test_digits_that_are_none(name: str, value: Any) -> None:
    function, arguments = CALLS[name](good())
    with pytest.raises(InputError, match=r"^digits must be a whole number from 1 to [1-9]"):
        function(**arguments | {"digits": value})


SENTENCES: dict[str, Callable[[], Any]] = {
    "loads must be a non-empty list of numbers, but was 3.": lambda: fluid.in_heavy_traffic(
        good()["law"]
    ).certificate(3),
    "loads[1] must be greater than 1/2, but was 1/2.": lambda: fluid.in_heavy_traffic(
        good()["law"]
    ).certificate(["3/4", "1/2"]),
    "loads[0] must be greater than 0 and less than 1, but was 2.": lambda: fluid.in_heavy_traffic(
        good()["law"]
    ).certificate([2]),
    "law must be a FiniteLaw, but was Exponential().": lambda: fluid.in_heavy_traffic(
        good()["exponential"]
    ),
    "first must be a law with a density, such as Exponential(), but was 'x'.": lambda: (
        fluid.enclose_comparison("x", good()["law"], "3/4")
    ),
    "b must be a non-empty list of numbers, but was 2.": lambda: ranks.compare(4, 1, 2),
    "box must be a whole number from 1 to 20000, but was 0.": lambda: ranks.difference_of(
        good()["original"], "mean-queue", 0
    ),
    "box must leave at most 20000 sorted states (1000000 servers), but was 2000 (over 10^12 "
    "states).": lambda: ranks.difference_of(
        ranks.MarginalJSQ(10**6, 2, 1, "original"), "mean-queue", 2000
    ),
    "quantity must be one of shortest-queue, mean-queue, no-idle, but was mean-queues (did you "
    "mean mean-queue?).": lambda: ranks.difference_of(good()["original"], "mean-queues"),
    "policy must be one of optimal, size_interval, bin_policy, but was best.": lambda: good()[
        "comparison"
    ].saving("best", "balanced"),
    "path must be true or false, but was 1.": lambda: good()["enclosed"].certificate([0, 1], 1),
    "path must be the path of a file, but was None.": lambda: (
        good()["dispatch"].certificate().write(None)
    ),
    "bins must leave jobs for the last bin (a share of at least 1e-50), but was 150.": lambda: (
        fluid.compare(good()["exponential"], "3/4", 1, 2, [150])
    ),
    "low must be at most 1, the other end, but was 2.": lambda: fluid.Enclosed(2, 1),
    "law.components[0].mean must be positive, but was 0.": lambda: fluid.Mixture(
        [(1, 0, fluid.Exponential())]
    ),
    "system.weights[1] must be positive, but was 0.": lambda: softmax.ShortestQueue.weighted(
        1, [1, 1], [1, 0]
    ),
    "margin must be larger: no ray that starts within 2^200 jobs refutes so little more, but was "
    "1/1": lambda: good()["system"].drift_limit("1e-99"),
}


@pytest.mark.parametrize("sentence", SENTENCES)
def test_the_sentence(sentence: str) -> None:
    with pytest.raises(InputError) as refused:
        SENTENCES[sentence]()
    assert str(refused.value).startswith(sentence)


def test_a_file_is_named_by_a_string_or_a_path(tmp_path: Path) -> None:
    (tmp_path / "sizes.csv").write_text("1\n3\n")
    by_string = fluid.FiniteLaw.from_csv(str(tmp_path / "sizes.csv"))
    assert by_string == fluid.FiniteLaw.from_csv(tmp_path / "sizes.csv")
    certificate = good()["dispatch"].certificate()
    certificate.write(str(tmp_path / "c.json"))
    assert (tmp_path / "c.json").read_bytes() == certificate.to_bytes()


def test_a_small_slack_needs_more_bits() -> None:
    certificate = ranks.compare(4, "1e-100", [1], 5).certificate()  # type: ignore[arg-type, list-item]
    report = check_bytes(certificate.to_bytes())
    assert report.outcome is Outcome.VERIFIED, report.line()
