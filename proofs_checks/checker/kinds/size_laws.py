"""Continuous size laws with mean one: families, hypotheses and the excess E(S - h)+ as a series.

Every formula is proved in proofs_checks/theorems/fluid-enclosure.md, part "The families".
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from proofs_checks.checker.kernel.real import Real, Series
from proofs_checks.checker.kinds.special_laws import Gamma, Lognormal, Sizes, Weibull, series_cost
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Trial, declined

LONGEST = 10**40  # of numerators and denominators of parameters
MOST_PHASES = 100


class SizeLaw(Protocol):
    """A law whose sizes lie between `low` and `high` (None: no largest size)."""

    @property
    def low(self) -> Real:
        """A bound that no size is below."""

    @property
    def high(self) -> Real | None:
        """A bound that no size is above."""

    def excess(self, x: Sizes) -> Series:
        """E(S - h)+ as a series in s, for sizes with low <= h <= high."""


@dataclass(frozen=True)
class Hyperexponential:
    """Exponential phases with weights and means; the exponential law is the one with one phase."""

    low: Real
    phases: list[tuple[Real, Real]]
    trial: Trial
    high: Real | None = None

    def excess(self, x: Sizes) -> Series:
        """The sum of weight * mean * exp(-h/mean)."""
        total = x.h.scaled(0)
        for weight, mean in self.phases:
            self.trial.spend(series_cost(x.h.terms, x.h.bits, 1))
            total = total + x.h.scaled(-mean.reciprocal()).exp().scaled(weight * mean)
        return total


@dataclass(frozen=True)
class Uniform:
    """Uniform sizes between `low` and 2 - low."""

    low: Real
    high: Real

    def excess(self, x: Sizes) -> Series:
        """(2 - low - h)**2/(4 (1 - low))."""
        rest = x.h.scaled(-1) + self.high
        return (rest * rest).scaled((self.high - self.low).reciprocal() / 2)


@dataclass(frozen=True)
class Pareto:
    """P(S > h) = (low/h)**shape from low = (shape - 1)/shape on."""

    low: Real
    shape: Fraction
    trial: Trial
    high: Real | None = None

    def excess(self, x: Sizes) -> Series:
        """(h/low)**(1 - shape)/shape."""
        self.trial.spend(series_cost(x.h.terms, x.h.bits, 0))
        log = x.log + -self.low.log()
        return log.scaled(1 - self.shape).exp().scaled(1 / self.shape)


@dataclass(frozen=True)
class BoundedPareto:
    """The Pareto law of this shape, low and mean free, given S <= ratio * low; then mean one."""

    low: Real
    high: Real
    shape: Fraction
    ratio: Real
    lost: Real
    trial: Trial

    @classmethod
    def new(cls, shape: Fraction, ratio: Real, trial: Trial) -> "BoundedPareto":
        """The law whose largest size is `ratio` times its smallest one."""
        lost = ratio.power(-shape)
        head = _power_integral(ratio, shape) - lost * (ratio - 1)
        low = (1 + head / (1 - lost)).reciprocal()
        return cls(low, low * ratio, shape, ratio, lost, trial)

    def excess(self, x: Sizes) -> Series:
        """low ((integral of u**-shape from h/low to ratio) - lost (ratio - h/low))/(1 - lost)."""
        self.trial.spend(series_cost(x.h.terms, x.h.bits, 0))
        log = x.log + -self.low.log()
        if self.shape == 1:
            body = log.scaled(-1) + self.ratio.log()
        else:
            power = log.scaled(1 - self.shape).exp() + -self.ratio.power(1 - self.shape)
            body = power.scaled(1 / (self.shape - 1))
        rest = (x.h.scaled(self.low.reciprocal()) + -self.ratio).scaled(self.lost)
        return (body + rest).scaled(self.low / (1 - self.lost))


def _power_integral(ratio: Real, shape: Fraction) -> Real:
    """The integral of u**-shape from 1 to ratio."""
    if shape == 1:
        return ratio.log()
    return (1 - ratio.power(1 - shape)) / (shape - 1)


def read_size_law(node: Node, bits: int, trial: Trial) -> SizeLaw:
    """The law of a claim, with every hypothesis on its parameters tested."""
    family = node.value.get("family") if isinstance(node.value, dict) else None

    def parameter(name: str, least: int, strict: bool = True, most: int | None = None) -> Fraction:
        value = short(fields[name].exact())
        fine = (least < value or (least == value and not strict)) and (most is None or value < most)
        trial.require("hypothesis", fine, f"{node.path}.{name}", "within its range", value)
        return value

    if family == "exponential":
        fields = node.record("family")
        one = trial.real(1, bits)
        return Hyperexponential(trial.real(0, bits), [(one, one)], trial)
    if family == "hyperexponential":
        fields = node.record("family weights means")
        return _phases(node, fields, bits, trial)
    if family == "balanced-hyperexponential":
        fields = node.record("family squared_variation")
        return _balanced(parameter("squared_variation", 1), bits, trial)
    if family == "uniform":
        fields = node.record("family lowest")
        low = parameter("lowest", 0, strict=False, most=1)
        return Uniform(trial.real(low, bits), trial.real(2 - low, bits))
    if family == "pareto":
        fields = node.record("family shape")
        shape = parameter("shape", 1)
        return Pareto(trial.real((shape - 1) / shape, bits), shape, trial)
    if family == "bounded-pareto":
        fields = node.record("family shape ratio")
        ratio = trial.real(parameter("ratio", 1), bits)
        return BoundedPareto.new(parameter("shape", 0), ratio, trial)
    if family == "gamma":
        fields = node.record("family shape")
        return Gamma.new(parameter("shape", 0), bits, trial)
    if family == "weibull":
        fields = node.record("family shape")
        return Weibull.new(parameter("shape", 0), bits, trial)
    if family == "lognormal":
        fields = node.record("family sigma")
        return Lognormal.new(trial.real(parameter("sigma", 0), bits), trial)
    raise node.bad("a known family")


def _phases(node: Node, fields: dict[str, Node], bits: int, trial: Trial) -> Hyperexponential:
    lists = [[short(item.exact()) for item in fields[k].items()] for k in ("weights", "means")]
    weights, means = lists
    size = len(weights)
    trial.require("hypothesis", len(means) == size, f"{node.path}.means", str(size), len(means))
    if size > MOST_PHASES:
        raise declined("law.weights", f"at most {MOST_PHASES} phases", str(size))
    for name, values in (("weights", weights), ("means", means)):
        trial.require("hypothesis", min(values) > 0, f"{node.path}.{name}", "> 0", min(values))
    mean = sum((w * m for w, m in zip(weights, means, strict=True)), Fraction(0))
    trial.equal("hypothesis", "sum of the weights", Fraction(1), sum(weights, Fraction(0)))
    trial.equal("hypothesis", "mean size", Fraction(1), mean)
    phases = [(trial.real(w, bits), trial.real(m, bits)) for w, m in zip(*lists, strict=True)]
    return Hyperexponential(trial.real(0, bits), phases, trial)


def _balanced(variation: Fraction, bits: int, trial: Trial) -> Hyperexponential:
    """Two phases with half of the work each."""
    root = trial.real((variation - 1) / (variation + 1), bits).power(Fraction(1, 2))
    weights = (1 + root) / 2, (1 - root) / 2
    phases = [(weight, (2 * weight).reciprocal()) for weight in weights]
    return Hyperexponential(trial.real(0, bits), phases, trial)


def short(value: Fraction) -> Fraction:
    """A parameter, if it is one of at most 40 digits."""
    if max(abs(value.numerator), value.denominator) > LONGEST:
        raise declined("law parameters", "numbers of at most 40 digits", "more")
    return value
