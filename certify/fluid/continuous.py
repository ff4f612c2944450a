"""Continuous size laws with mean one: parameters, hypotheses, and their excess in ball arithmetic.

For every family E(S - h)+, P(S > h) and the density are given by formulas that hold from the
smallest to the largest size (proofs_checks/theorems/fluid-enclosure.md, part "The families") and
on complex balls as well. They take h and log h, and use the one that suits them.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from flint import acb, arb

from certify.balls import ball
from certify.certificate import exact
from certify.errors import InputError
from certify.problem import Exact, require_type, to_rational, to_rationals

MOST_DOUBLINGS = 1 << 15
LONGEST = 10**40  # of numerators and denominators of parameters: what the checker takes
MOST_PHASES = 100

Ball = Any  # arb or acb: the formulas are the same
Gap = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class ContinuousLaw(ABC):
    """A law with mean one that has a density; parameters are exact rationals.

    Raises InputError for a parameter out of its range.
    """

    family: ClassVar[str]

    def __post_init__(self) -> None:
        for each in fields(self):
            given, name = getattr(self, each.name), f"law.{each.name}"
            if each.type is Fraction:
                object.__setattr__(self, each.name, parameter(given, name))
            else:
                listed = enumerate(to_rationals(given, name))
                numbers = tuple(parameter(v, f"{name}[{i}]") for i, v in listed)
                object.__setattr__(self, each.name, numbers)
        self.validate()

    def validate(self) -> None:
        """Raise InputError unless the parameters lie in their ranges."""
        return

    @property
    def low(self) -> arb:
        """The smallest size, at the current precision."""
        return arb(0)

    @property
    def high(self) -> arb | None:
        """The largest size at the current precision, None if there is none."""
        return None

    @property
    def smooth_at_zero(self) -> bool:
        """Whether the excess is analytic at size 0."""
        return False

    @abstractmethod
    def excess(self, h: Ball, log: Ball) -> Ball:
        """E(S - h)+."""

    @abstractmethod
    def share_above(self, h: Ball, log: Ball) -> Ball:
        """P(S > h)."""

    @abstractmethod
    def log_density(self, h: Ball, log: Ball) -> Ball:
        """h times the density at h, the density of log S at log h."""

    def excess_at(self, h: arb) -> arb:
        """E(S - h)+ for any h >= 0, inside the range of the sizes or not."""
        if h <= self.low:
            return 1 - h
        if self.high is not None and h >= self.high:
            return arb(0)
        excess: arb = self.excess(h, h.log())
        return excess

    def share_above_at(self, h: arb) -> arb:
        """P(S > h) for any h >= 0."""
        if h <= self.low:
            return arb(1)
        if self.high is not None and h >= self.high:
            return arb(0)
        share: arb = self.share_above(h, h.log())
        return share

    def deviation(self, h: arb) -> arb:
        """D(h) = E|S - h| for any h >= 0."""
        return h - 1 + 2 * self.excess_at(h)

    def work_above(self, h: arb) -> arb:
        """E[S; S > h] for any h >= 0."""
        return self.excess_at(h) + h * self.share_above_at(h)

    def breaks(self, bits: int) -> list[Gap]:
        """Where the formulas change between the extreme sizes: points, or gaps around them."""
        return []

    def between(self, low: Fraction, high: Fraction) -> "ContinuousLaw":
        """The formulas that hold from low to high, which no break separates."""
        return self

    def jump(self, rest: arb) -> Fraction | None:
        """The atom at which E[S; S > h] falls from above `rest` to at most that, if one does."""
        return None

    def to_claim(self) -> dict[str, Any]:
        """The `law` field of a claim."""
        claim: dict[str, Any] = {"family": self.family}
        for each in fields(self):
            value = getattr(self, each.name)
            many = isinstance(value, tuple)
            claim[each.name] = [exact(v) for v in value] if many else exact(value)
        return claim


class _Phases(ContinuousLaw):
    """A mixture of exponential laws; `phases` gives weights and means at the current precision."""

    @property
    @abstractmethod
    def phases(self) -> list[tuple[arb, arb]]:
        """Weights and means."""

    @property
    def smooth_at_zero(self) -> bool:
        """Always."""
        return True

    def excess(self, h: Ball, log: Ball) -> Ball:
        """The sum of weight * mean * exp(-h/mean)."""
        return _total(w * m * (-h / m).exp() for w, m in self.phases)

    def share_above(self, h: Ball, log: Ball) -> Ball:
        """The sum of weight * exp(-h/mean)."""
        return _total(w * (-h / m).exp() for w, m in self.phases)

    def log_density(self, h: Ball, log: Ball) -> Ball:
        """The sum of weight * h/mean * exp(-h/mean)."""
        return _total(w * h / m * (-h / m).exp() for w, m in self.phases)


@dataclass(frozen=True)
class Exponential(_Phases):
    """Exponential sizes."""

    family: ClassVar[str] = "exponential"

    @property
    def phases(self) -> list[tuple[arb, arb]]:
        """One phase."""
        return [(arb(1), arb(1))]


@dataclass(frozen=True)
class Hyperexponential(_Phases):
    """Exponential phases: positive `weights` with sum 1, positive `means`, overall mean 1."""

    weights: tuple[Fraction, ...]
    means: tuple[Fraction, ...]
    family: ClassVar[str] = "hyperexponential"

    if TYPE_CHECKING:

        def __init__(self, weights: Iterable[Exact], means: Iterable[Exact]) -> None: ...

    def validate(self) -> None:
        """Positive weights and means, a mean for every weight, total weight and mean one."""
        if len(self.weights) > MOST_PHASES:
            requirement = f"have at most {MOST_PHASES} entries"
            raise InputError("law.weights", requirement, len(self.weights))
        if len(self.means) != len(self.weights):
            requirement = f"have {len(self.weights)} entries, one for each weight"
            raise InputError("law.means", requirement, len(self.means))
        for name, values in (("weights", self.weights), ("means", self.means)):
            for index, value in enumerate(values):
                if value <= 0:
                    raise InputError(f"law.{name}[{index}]", "be positive", value)
        total = sum(self.weights, Fraction(0))
        if total != 1:
            raise InputError("law.weights", "sum to 1", f"a sum of {exact(total)}")
        mean = sum((w * m for w, m in zip(self.weights, self.means, strict=True)), Fraction(0))
        if mean != 1:
            raise InputError("law.means", "give an overall mean of 1", f"a mean of {exact(mean)}")

    @property
    def phases(self) -> list[tuple[arb, arb]]:
        """As given."""
        return [(ball(w), ball(m)) for w, m in zip(self.weights, self.means, strict=True)]


@dataclass(frozen=True)
class BalancedHyperexponential(_Phases):
    """Two exponential phases that carry half of the work each.

    `squared_variation` > 1 is the squared coefficient of variation of the sizes.
    """

    squared_variation: Fraction
    family: ClassVar[str] = "balanced-hyperexponential"

    if TYPE_CHECKING:

        def __init__(self, squared_variation: Exact) -> None: ...

    def validate(self) -> None:
        """More variable than exponential sizes."""
        _above("squared_variation", self.squared_variation, 1)

    @property
    def phases(self) -> list[tuple[arb, arb]]:
        """Weights (1 +- root)/2 with root = sqrt((v - 1)/(v + 1)), v the squared variation."""
        root = ball((self.squared_variation - 1) / (self.squared_variation + 1)).sqrt()
        return [(weight, 1 / (2 * weight)) for weight in ((1 + root) / 2, (1 - root) / 2)]


@dataclass(frozen=True)
class Uniform(ContinuousLaw):
    """Uniform sizes from `lowest` (0 <= lowest < 1) to 2 - lowest."""

    lowest: Fraction = Fraction(0)
    family: ClassVar[str] = "uniform"

    if TYPE_CHECKING:

        def __init__(self, lowest: Exact = 0) -> None: ...

    def validate(self) -> None:
        """A smallest size below the mean."""
        if not 0 <= self.lowest < 1:
            requirement = "be at least 0 and less than 1"
            raise InputError("law.lowest", requirement, self.lowest)

    @property
    def low(self) -> arb:
        """The smallest size."""
        return ball(self.lowest)

    @property
    def high(self) -> arb:
        """The largest size."""
        return ball(2 - self.lowest)

    @property
    def smooth_at_zero(self) -> bool:
        """Always."""
        return True

    def excess(self, h: Ball, log: Ball) -> Ball:
        """(high - h)**2/(2 (high - low))."""
        return (self.high - h) ** 2 / ball(4 * (1 - self.lowest))

    def share_above(self, h: Ball, log: Ball) -> Ball:
        """(high - h)/(high - low)."""
        return (self.high - h) / ball(2 * (1 - self.lowest))

    def log_density(self, h: Ball, log: Ball) -> Ball:
        """h/(high - low)."""
        return h / ball(2 * (1 - self.lowest))


@dataclass(frozen=True)
class Pareto(ContinuousLaw):
    """P(S > h) = (low/h)**shape from low = (shape - 1)/shape on, `shape` > 1."""

    shape: Fraction
    family: ClassVar[str] = "pareto"

    if TYPE_CHECKING:

        def __init__(self, shape: Exact) -> None: ...

    def validate(self) -> None:
        """A finite mean."""
        if self.shape <= 1:
            requirement = "be greater than 1 (otherwise the mean is infinite)"
            raise InputError("law.shape", requirement, self.shape)

    @property
    def low(self) -> arb:
        """The smallest size."""
        return ball((self.shape - 1) / self.shape)

    def excess(self, h: Ball, log: Ball) -> Ball:
        """(h/low)**(1 - shape)/shape."""
        return (ball(1 - self.shape) * (log - self.low.log())).exp() / ball(self.shape)

    def share_above(self, h: Ball, log: Ball) -> Ball:
        """(h/low)**-shape."""
        return (ball(-self.shape) * (log - self.low.log())).exp()

    def log_density(self, h: Ball, log: Ball) -> Ball:
        """shape (h/low)**-shape."""
        return ball(self.shape) * self.share_above(h, log)


@dataclass(frozen=True)
class BoundedPareto(ContinuousLaw):
    """A Pareto law of `shape` > 0 given that S is at most `ratio` > 1 times its least size."""

    shape: Fraction
    ratio: Fraction
    family: ClassVar[str] = "bounded-pareto"

    if TYPE_CHECKING:

        def __init__(self, shape: Exact, ratio: Exact) -> None: ...

    def validate(self) -> None:
        """A positive shape and a ratio above one."""
        _above("shape", self.shape, 0)
        _above("ratio", self.ratio, 1)

    @property
    def low(self) -> arb:
        """The smallest size, which makes the mean one."""
        lost, ratio = self._lost(), ball(self.ratio)
        smallest: arb = 1 / (1 + (self._power_integral(arb(0)) - lost * (ratio - 1)) / (1 - lost))
        return smallest

    @property
    def high(self) -> arb:
        """The largest size."""
        return self.low * ball(self.ratio)

    def _lost(self) -> arb:
        """The share that the Pareto law has beyond the largest size."""
        lost: arb = ball(self.ratio) ** ball(-self.shape)
        return lost

    def _power_integral(self, log: Ball) -> Ball:
        """The integral of u**-shape from exp(log) to ratio."""
        end = ball(self.ratio).log()
        if self.shape == 1:
            return end - log
        power = ball(1 - self.shape)
        return ((power * log).exp() - (power * end).exp()) / ball(self.shape - 1)

    def excess(self, h: Ball, log: Ball) -> Ball:
        """low ((integral of u**-shape from h/low to ratio) - lost (ratio - h/low))/(1 - lost)."""
        low, lost = self.low, self._lost()
        body = self._power_integral(log - low.log())
        return low * (body - lost * (ball(self.ratio) - h / low)) / (1 - lost)

    def share_above(self, h: Ball, log: Ball) -> Ball:
        """((h/low)**-shape - lost)/(1 - lost)."""
        lost = self._lost()
        return ((ball(-self.shape) * (log - self.low.log())).exp() - lost) / (1 - lost)

    def log_density(self, h: Ball, log: Ball) -> Ball:
        """shape (h/low)**-shape/(1 - lost)."""
        tail = (ball(-self.shape) * (log - self.low.log())).exp()
        return ball(self.shape) * tail / (1 - self._lost())


@dataclass(frozen=True)
class Gamma(ContinuousLaw):
    """Gamma sizes of shape `shape` > 0; a whole shape n is Erlang's law of n stages."""

    shape: Fraction
    family: ClassVar[str] = "gamma"

    if TYPE_CHECKING:

        def __init__(self, shape: Exact) -> None: ...

    def validate(self) -> None:
        """A positive shape."""
        _above("shape", self.shape, 0)
        _at_most("shape", self.shape, 1000)

    def excess(self, h: Ball, log: Ball) -> Ball:
        """Q(shape + 1, shape h) - h Q(shape, shape h)."""
        shape, y = ball(self.shape), h * ball(self.shape)
        return _upper(y, shape + 1) - h * _upper(y, shape)

    def share_above(self, h: Ball, log: Ball) -> Ball:
        """Q(shape, shape h)."""
        return _upper(h * ball(self.shape), ball(self.shape))

    def log_density(self, h: Ball, log: Ball) -> Ball:
        """(shape h)**shape exp(-shape h)/Gamma(shape)."""
        shape = ball(self.shape)
        return (shape * (log + shape.log()) - shape * h).exp() / shape.gamma()


@dataclass(frozen=True)
class Weibull(ContinuousLaw):
    """P(S > h) = exp(-(h/scale)**shape), `shape` > 0, with the scale that makes the mean one."""

    shape: Fraction
    family: ClassVar[str] = "weibull"

    if TYPE_CHECKING:

        def __init__(self, shape: Exact) -> None: ...

    def validate(self) -> None:
        """A shape from 1/100 to 1000."""
        _above("shape", self.shape, 0)
        _at_most("shape", self.shape, 1000)
        if self.shape < Fraction(1, 100):
            raise InputError("law.shape", "be at least 1/100", self.shape)

    def _scaled(self, log: Ball) -> Ball:
        """(h/scale)**shape."""
        shape = ball(self.shape)
        return (shape * (log + (1 + 1 / shape).lgamma())).exp()

    def excess(self, h: Ball, log: Ball) -> Ball:
        """Q(1/shape, (h/scale)**shape)."""
        return _upper(self._scaled(log), ball(1 / self.shape))

    def share_above(self, h: Ball, log: Ball) -> Ball:
        """exp(-(h/scale)**shape)."""
        return (-self._scaled(log)).exp()

    def log_density(self, h: Ball, log: Ball) -> Ball:
        """shape (h/scale)**shape exp(-(h/scale)**shape)."""
        y = self._scaled(log)
        return ball(self.shape) * y * (-y).exp()


@dataclass(frozen=True)
class Lognormal(ContinuousLaw):
    """S = exp(sigma N - sigma**2/2) with a standard normal N, `sigma` > 0."""

    sigma: Fraction
    family: ClassVar[str] = "lognormal"

    if TYPE_CHECKING:

        def __init__(self, sigma: Exact) -> None: ...

    def validate(self) -> None:
        """A positive standard deviation of log S."""
        _above("sigma", self.sigma, 0)

    def _standard(self, log: Ball) -> Ball:
        """(log h + sigma**2/2)/sigma."""
        return (log + ball(self.sigma**2 / 2)) / ball(self.sigma)

    def excess(self, h: Ball, log: Ball) -> Ball:
        """P(N > y - sigma) - h P(N > y)."""
        y = self._standard(log)
        return _normal_above(y - ball(self.sigma)) - h * _normal_above(y)

    def share_above(self, h: Ball, log: Ball) -> Ball:
        """P(N > y)."""
        return _normal_above(self._standard(log))

    def log_density(self, h: Ball, log: Ball) -> Ball:
        """exp(-y**2/2)/(sigma sqrt(2 pi))."""
        y = self._standard(log)
        return (-y * y / 2).exp() / (ball(self.sigma) * (2 * arb.pi()).sqrt())


FAMILIES: dict[str, type[ContinuousLaw]] = {
    law.family: law
    for law in (
        Exponential,
        Hyperexponential,
        BalancedHyperexponential,
        Uniform,
        Pareto,
        BoundedPareto,
        Gamma,
        Weibull,
        Lognormal,
    )
}


def check_density(law: object, name: str = "law") -> None:
    """InputError unless the law is one with a density."""
    require_type(law, ContinuousLaw, name, "a law with a density, such as Exponential()")


def parameter(value: Any, name: str) -> Fraction:
    """A parameter of a law: an exact number that the checker reads; InputError otherwise."""
    number = to_rational(value, name)
    if max(abs(number.numerator), number.denominator) > LONGEST:
        raise InputError(name, "have a numerator and denominator of at most 40 digits", number)
    return number


def powers_around(law: ContinuousLaw, work_above: arb, what: str) -> tuple[Fraction, Fraction]:
    """Powers of two around the size above which jobs carry that share of the work.

    Found by doubling and halving the exponent. Raises InputError, which names `what` is sought, if
    it is not within 2**-32768 and 2**32768: a checker does not read such sizes.
    """
    far, near = 1, -1
    while not law.work_above(ball(Fraction(2) ** far)) < work_above:
        far *= 2
        if far > MOST_DOUBLINGS:
            raise InputError("law", f"have {what} below 2**{MOST_DOUBLINGS}", law)
    while not law.work_above(ball(Fraction(2) ** near)) > work_above:
        near *= 2
        if near < -MOST_DOUBLINGS:
            raise InputError("law", f"have {what} above 2**-{MOST_DOUBLINGS}", law)
    while far - near > 1:
        middle = (far + near) // 2
        if law.work_above(ball(Fraction(2) ** middle)) > work_above:
            near = middle
        else:
            far = middle
    return Fraction(2) ** near, Fraction(2) ** far


def _above(name: str, value: Fraction, bound: int) -> None:
    if value <= bound:
        raise InputError(f"law.{name}", f"be greater than {bound}", value)


def _at_most(name: str, value: Fraction, bound: int) -> None:
    if value > bound:
        raise InputError(f"law.{name}", f"be at most {bound}", value)


def _total(terms: Any) -> Ball:
    result: Ball = arb(0)
    for term in terms:
        result = term + result
    return result


def _upper(y: Ball, order: arb) -> Ball:
    """The regularised upper incomplete gamma function Q(order, y)."""
    if isinstance(y, acb):
        return y.gamma_upper(acb(order), regularized=1)
    return y.gamma_upper(order, regularized=1)


def _normal_above(y: Ball) -> Ball:
    """P(N > y) for a standard normal N."""
    return (y / arb(2).sqrt()).erfc() / 2
