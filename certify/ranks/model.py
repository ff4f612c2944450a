"""The systems: n parallel queues whose rates depend on the rank of the queue.

Rank 1 is the shortest queue, rank n the longest; gap 0 is Q_(1), gap k is Q_(k+1) - Q_(k).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import TYPE_CHECKING, Any

from flint import arb

from certify.balls import ends, precision, rational
from certify.certificate import exact, listed
from certify.errors import InputError
from certify.problem import (
    Exact,
    Table,
    require_type,
    to_choice,
    to_count,
    to_list,
    to_rational,
    to_rationals,
)
from certify.ranks.elements import Element

MAX_SERVERS = 10**7
MAX_EXACT = 100  # servers up to which whole laws are computed exactly
TRIES = 4


@dataclass(frozen=True)
class Run:
    """Consecutive ranks with the same arrival and service rate."""

    ranks: int
    arrival: Element
    service: Fraction

    def ratio(self) -> Element:
        """arrival/service."""
        inverse = rational(1 / self.service)
        return Element(self.arrival.p * inverse, self.arrival.q * inverse, self.arrival.root)


@dataclass(frozen=True)
class RankRates:
    """Arbitrary positive arrival and service rates, from rank 1 (the shortest queue) up.

    The system with pauses is meant: at a tie only the highest rank of the tied block accepts and
    only the lowest serves. Raises InputError unless the rates are positive and every
    rho_k = prod_{j > k} lam_j/mu_j is below 1 (theorems/rank-gaps.md, Theorem 1).
    """

    arrival_rates: tuple[Fraction, ...]
    service_rates: tuple[Fraction, ...]

    if TYPE_CHECKING:

        def __init__(
            self, arrival_rates: Iterable[Exact], service_rates: Iterable[Exact]
        ) -> None: ...

    def __repr__(self) -> str:
        arrivals, services = listed(self.arrival_rates), listed(self.service_rates)
        return f"RankRates(arrival_rates={arrivals}, service_rates={services})"

    def __post_init__(self) -> None:
        for name in ("arrival_rates", "service_rates"):
            rates = to_rationals(getattr(self, name), name)
            for index, rate in enumerate(rates):
                if rate <= 0:
                    raise InputError(f"{name}[{index}]", "be positive", rate)
            object.__setattr__(self, name, rates)
        if len(self.arrival_rates) != len(self.service_rates):
            count = len(self.arrival_rates)
            raise InputError("service_rates", f"have {count} entries", len(self.service_rates))
        rho = Element.of(1, 0, 1)
        for run, gap in zip(self.runs(), reversed(range(self.servers)), strict=True):
            rho = rho * run.ratio()
            if rho.p >= 1:
                ranks = f"{gap + 1} to {self.servers}"
                raise InputError(
                    "arrival_rates",
                    f"have a product over ranks {ranks} below that of the service rates "
                    f"(rho_{gap} below 1; otherwise the system with pauses is unstable)",
                    f"rho_{gap} = {float(rho):.6g}",
                )

    @property
    def servers(self) -> int:
        """The number of queues."""
        return len(self.arrival_rates)

    @property
    def root(self) -> int:
        """The number whose square root the rates contain."""
        return 1

    def runs(self) -> list[Run]:
        """The rates from the highest rank down."""
        pairs = zip(reversed(self.arrival_rates), reversed(self.service_rates), strict=True)
        return [Run(1, Element.of(arrival, 0, 1), service) for arrival, service in pairs]

    def problem(self) -> dict[str, Any]:
        """The problem's fields of a claim."""
        return {
            "dynamics": "paused",
            "servers": self.servers,
            "arrival_rates": [exact(rate) for rate in self.arrival_rates],
            "service_rates": [exact(rate) for rate in self.service_rates],
        }


@dataclass(frozen=True)
class Marginal:
    """Marginal join-the-shortest-queue: n servers of rate n, arrivals n^2 - (a - b) sqrt(n).

    A stream of rate b sqrt(n) joins the shortest queue, the rest a uniformly chosen one.
    `dynamics` is "paused" or "original". Raises InputError unless 1 <= servers, a, b > 0,
    a < n^(3/2), and rho_0 < 1 (paused) or b < a (original). Source: arXiv 2605.17677, Section 1.
    """

    servers: int
    a: Fraction
    b: Fraction
    dynamics: str = "paused"

    if TYPE_CHECKING:

        def __init__(self, servers: int, a: Exact, b: Exact, dynamics: str = "paused") -> None: ...

    def __post_init__(self) -> None:
        object.__setattr__(self, "servers", to_count(self.servers, "servers", 1, MAX_SERVERS))
        to_choice(self.dynamics, "dynamics", ("paused", "original"))
        for name in ("a", "b"):
            object.__setattr__(self, name, to_rational(getattr(self, name), name))
            if getattr(self, name) <= 0:
                raise InputError(name, "be positive", getattr(self, name))
        if self.a**2 >= self.servers**3:
            root = isqrt(self.servers)
            most = f"= {root**3}" if root**2 == self.servers else f"(about {self.servers**1.5:.7g})"
            requirement = f"be less than servers^(3/2) {most}, so that the uniform stream has jobs"
            raise InputError("a", requirement, self.a)
        if self.b >= self.a and self.dynamics == "original":
            requirement = f"be less than a = {self.a} (the original dynamics is stable only then)"
            raise InputError("b", requirement, self.b)
        if self.b >= self.a and not self._stable():
            with precision(128):
                threshold = f"{float(self.threshold_ball()):.7g}"
            note = (
                "; b = a is still stable with pauses for two or more servers"
                if self.servers > 1
                else ""
            )
            requirement = (
                f"be less than the threshold {threshold} at which rho_0 = 1 "
                f"(the system with pauses is stable only below it{note})"
            )
            raise InputError("b", requirement, self.b)

    def __repr__(self) -> str:
        return f"MarginalJSQ(servers={self.servers}, a={self.a}, b={self.b}, {self.dynamics})"

    @property
    def root(self) -> int:
        """The number whose square root the rates contain."""
        return self.servers

    def number(self, p: Fraction | int, q: Fraction | int = 0) -> Element:
        """p + q sqrt(n)."""
        return Element.of(p, q, self.servers)

    @property
    def theta(self) -> Element:
        """The load 1 - a n^(-3/2) that every server has from the uniform stream."""
        return self.number(1, -self.a / self.servers**2)

    def runs(self) -> list[Run]:
        """The rates from the highest rank down."""
        n, service = self.servers, Fraction(self.servers)
        rest, lowest = self.number(n, -self.a / n), self.number(n, self.b - self.a / n)
        return [run for run in (Run(n - 1, rest, service), Run(1, lowest, service)) if run.ranks]

    def threshold(self) -> Element:
        """The b at which rho_0 = 1, sqrt(n) (theta^(1-n) - theta), exactly."""
        rest = self.number(1) / self.theta.power(self.servers - 1)
        return (rest - self.theta) * self.number(0, 1)

    def threshold_ball(self) -> arb:
        """A ball around the threshold at the current precision."""
        theta = self.theta.ball()
        return arb(self.servers).sqrt() * (theta ** (1 - self.servers) - theta)

    def _stable(self) -> bool:
        if self.servers <= MAX_EXACT:
            return (self.threshold() - self.number(self.b)).sign() > 0
        for attempt in range(TRIES):
            with precision(256 << attempt):
                surplus = ends(self.threshold_ball() - rational(self.b))
            if surplus[0] > 0 or surplus[1] < 0:
                return surplus[0] > 0
        return False

    def problem(self) -> dict[str, Any]:
        """The problem's fields of a claim."""
        return {
            "dynamics": self.dynamics,
            "servers": self.servers,
            "a": exact(self.a),
            "b": exact(self.b),
        }


System = Marginal | RankRates


def check_system(system: object, kind: type | tuple[type, ...] = (Marginal, RankRates)) -> None:
    """InputError unless it is a rank-based system of that kind."""
    require_type(system, kind, "system", "a rank-based system, such as MarginalJSQ(4, 2, 1)")


def read_marginal(table: Table, dynamics: str) -> Marginal:
    """The marginal system of a problem."""
    servers = table.integer("servers", 1, MAX_SERVERS)
    return Marginal(servers, table.rational("a"), table.rational("b"), dynamics)


def read_gaps(table: Table, servers: int) -> tuple[int, ...]:
    """The gaps that are reported singly, sorted: given by `gaps`, or a few from end to end."""
    given = table.get("gaps", None)
    if given is None:
        return spread_gaps(servers)
    return chosen_gaps(given, servers)


def chosen_gaps(given: Any, servers: int) -> tuple[int, ...]:
    """`given` as sorted gap indices without repetition."""
    return _chosen(given, "gaps", 0, servers - 1)


def spread_gaps(servers: int) -> tuple[int, ...]:
    """The first two gaps, the middle one and the last."""
    return tuple(sorted({0, min(1, servers - 1), servers // 2, servers - 1}))


def chosen_ranks(given: Any, servers: int) -> tuple[int, ...]:
    """`given` as sorted ranks below the highest, without repetition."""
    return _chosen(given, "ranks", 1, servers - 1)


def _chosen(given: Any, name: str, low: int, high: int) -> tuple[int, ...]:
    """Different whole numbers from low to high, sorted; InputError for all else."""
    requirement = f"be a list of different {name} from {low} to {high}"
    try:
        chosen = {to_count(each, name, low, high) for each in to_list(given, name)}
    except InputError:
        raise InputError(name, requirement, given) from None
    if not chosen or len(chosen) < len(given):
        raise InputError(name, requirement, given)
    return tuple(sorted(chosen))
