"""The system of rank-based routing for Python users: its laws, means, limits and certificates."""

from fractions import Fraction

from certify.certificate import Certificate
from certify.errors import InputError
from certify.problem import DEFAULT_DIGITS, to_count, to_digits
from certify.ranks import original
from certify.ranks.elements import Element
from certify.ranks.gaps import EnclosedGaps, ExactGaps, enclosed_gaps, exact_gaps
from certify.ranks.limits import Limits, limits_of
from certify.ranks.model import MAX_EXACT, Marginal, spread_gaps
from certify.ranks.original import OriginalFacts


class MarginalJSQ(Marginal):
    """Marginal join-the-shortest-queue: n servers of rate n, arrivals n^2 - (a - b) sqrt(n).

    `MarginalJSQ(servers, a, b)` is the system with pauses, whose gap law is a product;
    `MarginalJSQ(servers, a, b, "original")` the one without, of which only the facts of
    `OriginalFacts` are claimed. Numbers are exact (int, Fraction or strings such as "1/2").
    InputError as for `Marginal`. Source: arXiv 2605.17677; theorems/rank-gaps.md.
    """

    def gaps(self, *gaps: int, digits: int = DEFAULT_DIGITS) -> ExactGaps | EnclosedGaps:
        """The gap law: exactly and whole for at most 100 servers, else enclosed for some gaps.

        InputError for the original dynamics, which has no product form, and for digits outside 1
        to 10,000.
        """
        digits = to_digits(digits)
        self._check_paused("a gap law")
        if self.servers <= MAX_EXACT and not gaps:
            return exact_gaps(self)
        return enclosed_gaps(self, gaps or spread_gaps(self.servers), digits)

    def rho(self, gap: int) -> Element:
        """rho_gap of the system with pauses, exactly, for any number of servers.

        InputError for the original dynamics, whose gaps have other laws.
        """
        self._check_paused("a ratio of gaps")
        gap = to_count(gap, "gap", 0, self.servers - 1)
        power = self.theta.power(self.servers - max(1, gap))
        return power * self.runs()[-1].ratio() if gap == 0 else power

    def mean_queue(self, digits: int = DEFAULT_DIGITS) -> Element | tuple[Fraction, Fraction]:
        """The mean number of jobs per server: exact, or a pair (low, high) that encloses it.

        Without pauses the pair holds the bounds of theorems/rank-gaps.md, Theorem 5, rounded
        outward to `digits` digits.
        """
        digits = to_digits(digits)
        if self.dynamics == "original":
            return original.facts(self).mean_queue_bounds(digits)
        law = self.gaps(digits=digits)
        if isinstance(law, ExactGaps):
            return law.mean_total_queue / self.number(self.servers)
        low, high = law.mean_total_queue
        return low / self.servers, high / self.servers

    def facts(self) -> OriginalFacts:
        """Idle servers, identity and bounds of the original dynamics.

        InputError for the system with pauses.
        """
        return original.facts(self)

    def limits(self, digits: int = DEFAULT_DIGITS) -> Limits:
        """The distances to the heavy-traffic limits and the expansions with their remainders."""
        return limits_of(self, digits=to_digits(digits))

    def certificate(self, digits: int = DEFAULT_DIGITS) -> Certificate:
        """The certificate of kind `rank-gaps` of this system."""
        digits = to_digits(digits)
        if self.dynamics == "original":
            return original.facts(self).certificate(digits)
        law = self.gaps(digits=digits)
        return law.certificate(digits) if isinstance(law, ExactGaps) else law.certificate()

    def _check_paused(self, what: str) -> None:
        """InputError for the original dynamics."""
        if self.dynamics == "original":
            requirement = f"be paused for {what} (the original dynamics has no product form)"
            raise InputError("dynamics", requirement, self.dynamics)
