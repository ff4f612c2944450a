"""Exact facts and bounds of the original dynamics, where nobody pauses and no product form holds.

Source: own derivations; proofs_checks/theorems/rank-gaps.md, Theorems 3 to 5. The system is that
of arXiv 2605.17677, Section 1.
"""

from dataclasses import dataclass
from fractions import Fraction

from certify.balls import outward, precision
from certify.certificate import Certificate
from certify.errors import InputError
from certify.problem import DEFAULT_DIGITS, to_digits
from certify.ranks.elements import MAX_NUMERAL, Element
from certify.ranks.model import MAX_EXACT, Marginal


@dataclass(frozen=True)
class OriginalFacts:
    """Stationary facts of the original dynamics (queues in jobs, rates in jobs per unit time).

    The mean queue per server is `identity_constant` + `identity_slope` E Q_(1), exactly; the sum
    of squares V obeys L V <= -`drift_slope` sum q + `drift_constant`; `theta` is the load of the
    uniform stream alone. `mean_queue_at_most` bounds the mean queue per server.
    """

    system: Marginal
    idle_servers: Element
    throughput: Element
    identity_constant: Element
    identity_slope: Element
    drift_slope: Element
    drift_constant: Element
    mean_queue_at_most: Element

    def shortest_queue_at_least(self) -> Element:
        """The mean shortest of n independent queues of load theta, exactly."""
        power = self.system.theta.power(self.system.servers)
        return power / (self.system.number(1) - power)

    def mean_queue_at_least(self) -> Element:
        """The mean queue per server is at least this: the identity at the bound of E Q_(1)."""
        return self.identity_constant + self.identity_slope * self.shortest_queue_at_least()

    def mean_queue_bounds(self, digits: int = DEFAULT_DIGITS) -> tuple[Fraction, Fraction]:
        """Decimals with `digits` digits that bound the mean queue per server from both sides.

        InputError for digits outside 1 to 10,000.
        """
        digits = to_digits(digits)
        least = self.system.number(self._shortest_below(digits + 2))
        mean = self.identity_constant + self.identity_slope * least
        return mean.below(digits), self.mean_queue_at_most.above(digits)

    def certificate(self, digits: int = DEFAULT_DIGITS) -> Certificate:
        """The certificate; for more than 100 servers the lower bounds are rounded down.

        InputError for digits outside 1 to 10,000.
        """
        digits = to_digits(digits)
        few = self.system.servers <= MAX_EXACT
        if few:
            least, mean = self.shortest_queue_at_least(), self.mean_queue_at_least()
            few = len(str(mean.p)) + len(str(mean.q)) <= MAX_NUMERAL
        if not few:
            least = self.system.number(self._shortest_below(digits))
            mean = self.identity_constant + self.identity_slope * least
        claim = self.system.problem() | {
            "idle_servers": self.idle_servers.spelled(),
            "throughput": self.throughput.spelled(),
            "identity": {
                "constant": self.identity_constant.spelled(),
                "slope": self.identity_slope.spelled(),
            },
            "drift": {
                "constant": self.drift_constant.spelled(),
                "slope": self.drift_slope.spelled(),
            },
            "shortest_queue": {"at_least": least.spelled()},
            "mean_queue": {
                "at_least": mean.spelled(),
                "at_most": self.mean_queue_at_most.spelled(),
            },
        }
        arithmetic = "exact" if few else "enclosed"
        bits = 4 * digits + 160
        return Certificate("rank-gaps", claim, {"arithmetic": arithmetic, "precision": bits})

    def _shortest_below(self, digits: int) -> Fraction:
        with precision(4 * digits + 128):
            power = (self.system.theta.ball().log() * self.system.servers).exp()
            return outward(power / (1 - power), digits)[0]


def facts(system: Marginal) -> OriginalFacts:
    """The facts of a system; InputError unless it is of the original dynamics."""
    if system.dynamics != "original":
        requirement = "be original for these facts (gaps() and mean_queue() tell those with pauses)"
        raise InputError("dynamics", requirement, system.dynamics)
    a, b, n, number = system.a, system.b, system.servers, system.number
    return OriginalFacts(
        system,
        idle_servers=number(0, (a - b) / n),
        throughput=number(n * n, b - a),
        identity_constant=number(-(a - b) / a, n / a),
        identity_slope=number(b / a),
        drift_slope=number(0, 2 * (a - b) / n),
        drift_constant=number(2 * n * n, b - a),
        mean_queue_at_most=number(-1, n / (a - b)),
    )
