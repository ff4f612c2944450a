"""What callers may write is what type checkers accept: mypy --strict over calls, right and wrong.

The same calls are made as well, so that types and behaviour agree.
"""

import ast
import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from mypy import api

from certify import InputError, fluid, ranks, softmax

ROOT = Path(__file__).parents[2]

NAMES = """
import numbers
from decimal import Decimal
from fractions import Fraction
from typing import assert_type

import certify
from certify import Certificate, Exact
from certify.fluid import *
from certify.fluid import compare
from certify.ranks import MarginalJSQ, RankRates
from certify.ranks import compare as compare_routing
from certify.softmax import *
"""

ACCEPTED = """
half: Exact = "1/2"
third: numbers.Rational = Fraction(1, 3)
rates: list[Fraction] = [Fraction(2), Fraction(1)]
words: tuple[str, ...] = ("2", "1")
atoms: list[tuple[str, str]] = [("1/2", "1/2"), ("3/2", "1/2")]

assert_type(Pareto("3/2").shape, Fraction)
assert_type(Pareto(2).shape, Fraction)
assert_type(Pareto(Decimal("1.5")).shape, Fraction)
assert_type(Enclosed(1, 2) - Decimal("0.5"), Enclosed)
assert_type(Pareto(Fraction(3, 2)).shape, Fraction)
assert_type(Lognormal(third).sigma, Fraction)
assert_type(BoundedPareto("3/2", 10).ratio, Fraction)
assert_type(BalancedHyperexponential("2.5").squared_variation, Fraction)
assert_type(Uniform().lowest, Fraction)
assert_type(Gamma(third).shape, Fraction)
assert_type(Weibull(half).shape, Fraction)
assert_type(Hyperexponential(["3/10", "7/10"], (2, "4/7")).means, tuple[Fraction, ...])
assert_type(FiniteLaw(atoms).atoms, tuple[tuple[Fraction, Fraction], ...])
assert_type(FiniteLaw.rescaled([(1, half), (3, third), (4, "1/6")]).scale, Fraction)
assert_type(Component("3/4", "4/3", Exponential()).mean, Fraction)
assert_type(Mixture([("3/4", "4/3", Exponential())], [(0, "1/4")]).components[0].law.family, str)
assert_type(Enclosed(1, "3/2").low, Fraction)
assert_type(1 + Enclosed(1, 2) - half, Enclosed)
assert_type(JointLaw([("1/2", 1, half), ("3/2", 2, "1/2")]).scale, Fraction)
assert_type(LognormalNoise(1, "1/2").noise, Fraction)
assert_type(UniformBins("1/2").lowest, Fraction)
assert_type(ParetoBins("3/2").shape, Fraction)

exact = dispatch(atoms, "3/4")
assert_type(exact, Dispatch)
assert_type(exact.value(1, half), Fraction)
assert_type(exact.path("1/4", "3/4").at("0.1"), tuple[Fraction, Fraction])
enclosed = dispatch(Exponential(), Fraction(3, 4), digits=6)
assert_type(enclosed, EnclosedDispatch)
assert_type(enclosed.value(third, 1), Enclosed)
assert_type(enclosed.certificate(["0", third]), Certificate)
assert_type(bracket(FiniteLaw(atoms), "3/4", 2, half).lower, Fraction)
assert_type(bracket(UniformBins(), "3/4", ["1/2", 1]).regret, Fraction)
assert_type(compare(FiniteLaw(atoms), "3/4", 1, "2").balanced, Fraction)
assert_type(compare_laws(FiniteLaw(atoms), FiniteLaw([(1, 1)]), "3/4").bound, Fraction)
assert_type(enclose_value(FiniteLaw(atoms), "3/4", [0, half]).load, Fraction)
assert_type(in_heavy_traffic(FiniteLaw(atoms)).bound("0.9"), tuple[Fraction, Fraction])

system = ReflectedUAS("1.3", ["0.4", "0.8", "1.1"], alpha=2, beta="0.85", gamma="0.5", offset=half)
assert_type(system.alpha, Fraction)
assert_type(system.service_rates, tuple[Fraction, ...])
assert_type(system.convergence(10, "1/100").time, Fraction)
assert_type(UAS(2, rates, 1).beta, Fraction)
assert_type(WeightedShortestQueue("1.5", words, [1, half], third).temperature, Fraction)
assert_type(WeightedShortestQueue(2, rates, [1, 2], 1).tail([100]).ratio, Fraction)
assert_type(ShortestQueue.jsq("1.5", words).slopes, tuple[Fraction, ...])
assert_type(stationary_mean(ShortestQueue.jssq(1, rates), "1/10").low, Fraction)
assert_type(Bernoulli("1.5", words, "uniform").routing, tuple[Fraction, ...])
assert_type(Bernoulli("1.5", words, ["2/3", third]).drift([1, 1]).eps, Fraction)
assert_type(AdaptiveWeights(1, words, "1/2", 1, "1.1").power, Fraction | None)
assert_type(DriftLimit(1, words, "1/100", beta=half).margin, Fraction)
assert_type(SarsaStep(words, "0.9", "0.01", [1, 0], 0, third, (2, 0), 1).td_error, Fraction)
assert_type(SarsaGate([1, 2], 1, "99/100", 0).discount, Fraction)
assert_type(SarsaMeanField(1, words, [1, 1], 2, half).arrival_rate, Fraction)
assert_type(SarsaStepSizes([1, half], [True, False]).steps, tuple[Fraction, ...])
assert_type(TestFunction(half, [1, 0], [[1, "2"], []]).eps, Fraction)

assert_type(MarginalJSQ(4, 2, "1").a, Fraction)
assert_type(RankRates([half, "1"], [1, 3]).service_rates, tuple[Fraction, ...])
assert_type(compare_routing(4, 1, [third, half]).slack, Fraction)
assert_type(certify.ranks.MarginalJSQ(4, 2, third).b, Fraction)
assert_type(certify.__version__, str)
"""

# each is refused by mypy, and with an InputError where it is made
REFUSED = """
Pareto([1.5])
Pareto(1.5)
FiniteLaw("1/2")
FiniteLaw([1, 2])
Hyperexponential("3/10", None)
Component("3/4", "4/3", "exponential")
Enclosed(0.5, 1)
JointLaw([(1, 1)])
LognormalNoise(1, None)
UniformBins([0])
dispatch([("1/2", "1/2"), ("3/2", "1/2")], ["3/4"])
dispatch([("1/2", "1/2"), ("3/2", "1/2")], 0.75)
dispatch(Exponential(), "3/4").value([1], 2)
bracket(UniformBins(), None, 4)
compare(Exponential(), "3/4", 1, [2])
compare_laws(Exponential(), Exponential(), "3/4")
enclose_value(FiniteLaw([(1, 1)]), [], [0])
ReflectedUAS(["1.3"], ["0.4", "1.1"], alpha=2, beta=1, gamma=1, offset=1)
UAS(1, 2, 1)
WeightedShortestQueue(1, [1, 1], 1, 1)
ShortestQueue.jsq([1], [1, 1])
stationary_mean(MarginalJSQ(4, 2, 1))
AdaptiveWeights(1, [1, 1], 1, 1, 0.5)
SarsaGate([1, 2], 1, "99/100", "0")
MarginalJSQ("4", 2, 1)
MarginalJSQ(4, [2], 1)
RankRates(1, 1)
compare_routing(4, 1, 2)
"""


def blocks(page: str) -> list[str]:
    """The Python blocks of a page."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def test_type_checkers_accept_what_is_accepted_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    texts = {"accepted": NAMES + ACCEPTED, "refused": NAMES + REFUSED}
    pages = [*blocks("README.md"), *blocks("docs/python.md")]
    assert len(pages) >= 8
    texts |= {f"page_{number}": text for number, text in enumerate(pages)}
    for name, text in texts.items():
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    files = [str(tmp_path / f"{name}.py") for name in texts]
    config = ["--config-file", str(ROOT / "pyproject.toml"), "--no-error-summary"]
    told, failed, _ = api.run([*config, "--cache-dir", str(ROOT / ".mypy_cache"), *files])
    assert not failed, failed
    errors = re.findall(r"^(.*?):([0-9]+): error: (.*)$", told, re.MULTILINE)
    assert errors, told
    assert {Path(name).stem for name, _, _ in errors} == {"refused"}, told
    lines = enumerate(texts["refused"].splitlines(), start=1)
    calls = {number for number, line in lines if "(" in line and "import" not in line}
    assert {int(number) for _, number, _ in errors} == calls, told


def namespace() -> dict[str, Any]:
    """The names that the calls use."""
    names: dict[str, Any] = {}
    exec(NAMES, names)
    return names


def test_the_accepted_calls_are_made() -> None:
    exec(ACCEPTED, namespace())


@pytest.mark.parametrize("call", REFUSED.split("\n")[1:-1])
def test_the_refused_calls_are_refused(call: str) -> None:
    with pytest.raises(InputError):
        eval(call, namespace())


def declared(node: ast.ClassDef) -> list[ast.FunctionDef]:
    """The `__init__` that a class declares for type checkers."""
    tests = [each for each in node.body if isinstance(each, ast.If)]
    return [each for test in tests for each in test.body if isinstance(each, ast.FunctionDef)]


@pytest.mark.parametrize("module", [fluid, ranks, softmax], ids=lambda module: module.__name__)
def test_what_is_declared_is_what_there_is(module: Any) -> None:
    seen = 0
    for path in sorted(Path(module.__file__).parent.glob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            for function in declared(node) if isinstance(node, ast.ClassDef) else []:
                assert isinstance(node, ast.ClassDef)
                made = getattr(import_module(f"{module.__name__}.{path.stem}"), node.name)
                known = inspect.signature(made).parameters.values()
                assert [each.arg for each in function.args.args[1:]] == [p.name for p in known]
                names = vars(import_module(made.__module__))
                defaults = [eval(ast.unparse(each), names) for each in function.args.defaults]
                assert defaults == [p.default for p in known if p.default is not p.empty]
                seen += 1
    assert seen >= 2
