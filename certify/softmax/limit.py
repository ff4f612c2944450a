"""Drift that no routing rule has: why the eps of the drift theorems cannot be larger.

Along the ray v_i Q_i = const, or along one axis, V = 1/2 sum v_i Q_i^2 falls at most at the rate
eps* per job whatever the routing rule does. Source: proofs_checks/theorems/drift-limit.md.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import TYPE_CHECKING, Any

from flint import arb

from certify.balls import at_least, at_most, ball, below, ends, nearest, precision
from certify.certificate import Certificate, exact
from certify.errors import InputError
from certify.problem import Exact, Table, to_rational
from certify.softmax.system import System

DIGITS = 20  # significant digits of eps, slope and intercept where a v_i is irrational
BITS = 256
DOUBLINGS = 200  # lengths of the ray's first state that are tried, each twice the last
MOST_POWER = 500  # |beta log mu| beyond which a slope is out of reach


@dataclass(frozen=True, repr=False)
class DriftLimit(System):
    """DriftLimit(arrival_rate, service_rates, margin, slopes or beta): eps = eps* + margin fails.

    The slopes v_i are given (v_i = 2 w_i for a weighted shortest queue) or are mu_i^-beta. Raises
    InputError unless rates, slopes or beta, and the margin are positive and the load is below 1.
    """

    margin: Fraction
    slopes: tuple[Fraction, ...] | None = None
    beta: Fraction | None = None

    if TYPE_CHECKING:

        def __init__(
            self,
            arrival_rate: Exact,
            service_rates: Iterable[Exact],
            margin: Exact,
            slopes: Iterable[Exact] | None = None,
            beta: Exact | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "margin", to_rational(self.margin, "margin"))
        if self.margin <= 0:
            raise InputError("margin", "be positive", self.margin)
        if (self.slopes is None) == (self.beta is None):
            raise InputError("system", "have either slopes or beta", "both or neither")
        if self.slopes is not None:
            slopes = self._convert_all("slopes")
            for index, slope in enumerate(slopes):
                self._positive(f"slopes[{index}]", slope)
            if len(slopes) != len(self.service_rates):
                requirement = f"have {len(self.service_rates)} entries"
                raise InputError("system.slopes", requirement, len(slopes))
            return
        self._convert("beta")
        assert self.beta is not None
        self._positive("beta", self.beta)
        with precision(64):
            if any(abs(ball(mu).log() * ball(self.beta)) > MOST_POWER for mu in self.service_rates):
                requirement = f"be so small that |beta log mu_i| is at most {MOST_POWER}"
                raise InputError("system.beta", requirement, self.beta)

    def to_claim(self) -> dict[str, Any]:
        """The `system` field of a claim."""
        if self.slopes is not None:
            return super().to_claim() | {"slopes": [exact(slope) for slope in self.slopes]}
        assert self.beta is not None
        return super().to_claim() | {"beta": exact(self.beta)}

    @property
    def largest_eps(self) -> Fraction:
        """eps* itself for given slopes, otherwise a lower bound with twenty correct digits."""
        if self.slopes is not None:
            return self._formula(self.slopes)
        lower = tuple(low for low, _ in self._enclosures())
        return below(self._formula(lower), DIGITS)

    def ray(self) -> "Ray":
        """A direction along which eps* + margin fails, with the growth along it.

        Raises InputError if the ray would have to start farther out than 2**200 jobs.
        """
        slopes = self._enclosures()
        eps = self.largest_eps + self.margin
        if self._formula(tuple(low for low, _ in slopes)) < self._first([v for v, _ in slopes]):
            axis = min(range(len(slopes)), key=lambda i: (self.service_rates[i] * slopes[i][0], i))
            direction = tuple(int(i == axis) for i in range(len(slopes)))
            return self._along(direction, eps, slopes)
        if self.slopes is not None:
            scale = lcm(*(slope.numerator for slope in self.slopes))
            steps = [int(scale / slope) for slope in self.slopes]
            shared = gcd(*steps)
            return self._along(tuple(step // shared for step in steps), eps, slopes)
        for power in range(DOUBLINGS):
            steps = [round(2**power / low) for low, _ in slopes]
            if min(steps) > 0:
                found = self._along(tuple(steps), eps, slopes)
                if found.slope > 0:
                    return found
        requirement = "be larger: no ray that starts within 2^200 jobs refutes so little more"
        raise InputError("margin", requirement, self.margin)

    def certificate(self) -> Certificate:
        """The certificate that eps* + margin is refuted along a ray."""
        return self.ray().certificate()

    def _along(
        self, direction: tuple[int, ...], eps: Fraction, slopes: list[tuple[Fraction, Fraction]]
    ) -> "Ray":
        level = min(low * d for (low, _), d in zip(slopes, direction, strict=True))
        triples = list(zip(self.service_rates, slopes, direction, strict=True))
        served = sum((mu * high * d for mu, (_, high), d in triples), Fraction(0))
        growth = self.arrival_rate * level - served + eps * sum(direction)
        fixed = sum((mu * low / 2 for mu, (low, _), d in triples if d), Fraction(0))
        fixed += self.arrival_rate * min(low for low, _ in slopes) / 2
        if self.slopes is None:
            growth, fixed = below(growth, DIGITS) if growth else growth, below(fixed, DIGITS)
        return Ray(self, eps, direction, growth, fixed)

    def _first(self, slopes: list[Fraction]) -> Fraction:
        surplus = sum(self.service_rates, Fraction(0)) - self.arrival_rate
        return surplus / sum((1 / slope for slope in slopes), Fraction(0))

    def _formula(self, slopes: tuple[Fraction, ...]) -> Fraction:
        pairs = zip(self.service_rates, slopes, strict=True)
        return min(self._first(list(slopes)), *(mu * v for mu, v in pairs))

    def _enclosures(self) -> list[tuple[Fraction, Fraction]]:
        """The ends between which every slope lies."""
        if self.slopes is not None:
            return [(slope, slope) for slope in self.slopes]
        assert self.beta is not None
        with precision(BITS):
            powers: list[arb] = [
                (-ball(self.beta) * ball(mu).log()).exp() for mu in self.service_rates
            ]
            return [ends(power) for power in powers]


@dataclass(frozen=True)
class Ray:
    """(LV)(k d) + eps |k d|_1 >= intercept + slope k for k = 1, 2, ... under every routing rule.

    d is `direction` (jobs in each queue), slope > 0.
    """

    limit: DriftLimit
    eps: Fraction
    direction: tuple[int, ...]
    slope: Fraction
    intercept: Fraction

    def __repr__(self) -> str:
        names = ("eps", "slope", "intercept")
        numbers = ", ".join(f"{name}={nearest(getattr(self, name))}" for name in names)
        return f"Ray({numbers}, direction={self.direction})"

    def certificate(self) -> Certificate:
        """The certificate of the lower bound."""
        claim: dict[str, Any] = {
            name: exact(getattr(self, name)) for name in ("eps", "slope", "intercept")
        }
        claim["system"] = self.limit.to_claim()
        claim["margin"] = exact(self.limit.margin)
        claim["direction"] = [exact(d) for d in self.direction]
        return Certificate("drift-limit", claim, {"precision": BITS})


def make(table: Table) -> Certificate:
    """The certificate of a problem of kind `drift-limit`."""
    system = table.table("system")
    arrival, rates = system.rational("arrival_rate"), system.rationals("service_rates")
    slopes: tuple[Fraction, ...] | None = None
    beta: Fraction | None = None
    if system.has("weights"):
        slopes = tuple(2 * weight for weight in system.rationals("weights"))
    elif system.has("slopes"):
        slopes = system.rationals("slopes")
    else:
        beta = system.rational("beta")
    margin = table.rational("margin", Fraction(1, 100))
    system.done()
    table.done()
    return DriftLimit(arrival, rates, margin, slopes, beta).certificate()


def words(claim: dict[str, Any]) -> str:
    """What a claim of this kind states, in one sentence."""
    eps = at_most(claim["eps"])
    slope, intercept = (at_least(claim[name]) for name in ("slope", "intercept"))
    return (
        f"No rule of routing to these {len(claim['direction'])} queues has a drift of V = 1/2 sum "
        f"v_i Q_i^2 of at most -{eps} |Q|_1 + R, for any R: along a ray it exceeds "
        f"-{eps} |Q|_1 by {intercept} + {slope} k."
    )
