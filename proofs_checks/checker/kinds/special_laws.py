"""Size laws whose excess needs the incomplete gamma function: gamma, Weibull, lognormal.

Every formula is proved in proofs_checks/theorems/fluid-enclosure.md, part "The families".
"""

from dataclasses import dataclass
from fractions import Fraction

from proofs_checks.checker.kernel.interval import Undecided
from proofs_checks.checker.kernel.real import Real, Series
from proofs_checks.checker.kernel.special import LARGEST
from proofs_checks.checker.verdict import Trial

HALF = Fraction(1, 2)

Between = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Sizes:
    """Sizes h(s): a line in s, or the exponential of a line, which is then `given` as `log`.

    All of them lie `between` two numbers.
    """

    h: Series
    given: Series | None
    between: Between
    trial: Trial

    @classmethod
    def straight(
        cls, centre: Real, radius: Real, terms: int, between: Between, trial: Trial
    ) -> "Sizes":
        """h = centre + radius s."""
        return cls(trial.arithmetic.line(centre, radius, terms), None, between, trial)

    @classmethod
    def geometric(
        cls, centre: Real, radius: Real, terms: int, between: Between, trial: Trial
    ) -> "Sizes":
        """h = exp(centre + radius s)."""
        log = trial.arithmetic.line(centre, radius, terms)
        return cls(log.exp(), log, between, trial)

    def divided(self, factor: Fraction) -> "Sizes":
        """The sizes h(s)/factor, factor > 0."""
        low, high = self.between
        log = self.given
        if log is not None:
            log = log + -self.trial.real(factor, log.bits).log()
        h, between = self.h.scaled(1 / factor), (low / factor, high / factor)
        return Sizes(h, log, between, self.trial)

    @property
    def log(self) -> Series:
        """log h; Undecided on a straight line, where no family that needs it is smooth."""
        if self.given is None:
            raise Undecided("this family needs knots above 0")
        return self.given

    @property
    def slope(self) -> Real:
        """The slope of log h."""
        return self.log.coefficient(1)


@dataclass(frozen=True)
class Gamma:
    """Density shape**shape h**(shape - 1) exp(-shape h)/Gamma(shape)."""

    low: Real
    shape: Fraction
    factor: Real
    trial: Trial
    high: Real | None = None

    @classmethod
    def new(cls, shape: Fraction, bits: int, trial: Trial) -> "Gamma":
        """The law of this shape."""
        trial.spend(gamma_cost(shape, bits))
        return cls(
            trial.real(0, bits), shape, trial.arithmetic.gamma(shape, bits).reciprocal(), trial
        )

    def excess(self, x: Sizes) -> Series:
        """(1 - h) Q(shape, y) + y**shape exp(-y)/Gamma(shape + 1) with y = shape h."""
        self.trial.spend(series_cost(x.h.terms, x.h.bits, 3))
        y = x.h.scaled(self.shape)
        log_y = x.log + self.trial.real(self.shape, y.bits).log()
        # y**shape exp(-y)/Gamma(shape), which is h times the density
        body = (log_y.scaled(self.shape) + y.scaled(-1)).exp().scaled(self.factor)
        share = _share(self.shape, y.coefficient(0), self.trial)
        falling = body.scaled(x.slope).antiderivative(-share)
        constant = (1 - x.h.coefficient(0)) * share + body.coefficient(0) / self.shape
        return (falling * x.h).scaled(x.slope).antiderivative(constant)


@dataclass(frozen=True)
class Weibull:
    """P(S > h) = exp(-(h/scale)**shape) with scale = 1/Gamma(1 + 1/shape)."""

    low: Real
    shape: Fraction
    log_rate: Real
    trial: Trial
    high: Real | None = None

    @classmethod
    def new(cls, shape: Fraction, bits: int, trial: Trial) -> "Weibull":
        """The law of this shape."""
        trial.spend(gamma_cost(1 + 1 / shape, bits))
        return cls(
            trial.real(0, bits), shape, trial.arithmetic.gamma(1 + 1 / shape, bits).log(), trial
        )

    def excess(self, x: Sizes) -> Series:
        """Q(1/shape, (h/scale)**shape), falling with slope -exp(-(h/scale)**shape)."""
        self.trial.spend(series_cost(x.h.terms, x.h.bits, 2))
        y = (x.log + self.log_rate).scaled(self.shape).exp()
        constant = _share(1 / self.shape, y.coefficient(0), self.trial)
        return (y.scaled(-1).exp() * x.h).scaled(-x.slope).antiderivative(constant)


@dataclass(frozen=True)
class Lognormal:
    """S = exp(sigma N - sigma**2/2) with a standard normal N."""

    low: Real
    sigma: Real
    factor: Real
    trial: Trial
    high: Real | None = None

    @classmethod
    def new(cls, sigma: Real, trial: Trial) -> "Lognormal":
        """The law with standard deviation sigma of log S."""
        trial.spend(gamma_cost(HALF, sigma.bits))
        root = trial.arithmetic.gamma(HALF, sigma.bits)  # the square root of pi
        factor = (sigma * root * trial.real(2, sigma.bits).power(HALF)).reciprocal()
        return cls(trial.real(0, sigma.bits), sigma, factor, trial)

    def excess(self, x: Sizes) -> Series:
        """P(N > y - sigma) - h P(N > y) with y = (log h + sigma**2/2)/sigma."""
        self.trial.spend(series_cost(x.h.terms, x.h.bits, 1))
        y = (x.log + self.sigma * self.sigma / 2).scaled(self.sigma.reciprocal())
        body = (y * y).scaled(-HALF).exp().scaled(self.factor)  # h times the density
        middle = y.coefficient(0)
        share = self._normal(middle)
        falling = body.scaled(x.slope).antiderivative(-share)
        constant = self._normal(middle - self.sigma) - x.h.coefficient(0) * share
        return (falling * x.h).scaled(x.slope).antiderivative(constant)

    def _normal(self, y: Real) -> Real:
        """P(N > y), which falls in y."""
        first, last = (self._normal_point(self.trial.real(end, y.bits)) for end in y.ends())
        return first.hull(last)

    def _normal_point(self, y: Real) -> Real:
        if y.inside(Fraction(0), Fraction(0)):
            return self.trial.real(HALF, y.bits)
        outside = _share(HALF, y * y / 2, self.trial) / 2
        return outside if y.above(0) else 1 - outside


def _share(order: Fraction, x: Real, trial: Trial) -> Real:
    """Q(order, x)."""
    if not x.at_most(LARGEST) and x.at_least(LARGEST // 2) and order <= LARGEST // 4:
        # far out a bound is enough
        trial.spend(gamma_cost(order, x.bits))
        bound = x.power(order - 1) * (-x).exp() * 2 / trial.arithmetic.gamma(order, x.bits)
        return bound.hull(trial.real(0, x.bits))
    size = int(x.ends()[1]) if x.at_most(LARGEST) else 0
    trial.spend(2 * share_cost(size, x.bits) + gamma_cost(order, x.bits))
    return trial.arithmetic.upper_share(order, x)


def share_cost(size: int, bits: int) -> int:
    """The steps of one incomplete gamma function at an argument up to `size`."""
    length = bits + 3 * size
    return 100 + length * (1 + length // 2000)


def gamma_cost(order: Fraction, bits: int) -> int:
    """The steps of one gamma function, by the series up to bits + 2 order."""
    return share_cost(bits + 2 * min(int(order), LARGEST), bits)


def series_cost(terms: int, bits: int, products: int) -> int:
    """The steps of that many products or recurrences of full series, and of a few scalings.

    Every series has constants of its own: a logarithm, an exponential.
    """
    constants = 200 + bits // 2 + bits * bits // 4_000
    linear = terms * (20 + bits * bits // 200_000)
    return constants + linear + products * terms * terms // 4 * (1 + bits // 400)
