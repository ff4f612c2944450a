"""Geometric tails of the queues under softmax and shortest-queue routing, at every temperature.

The square root of V = 1/2 sum v_i Q_i^2 drifts downwards at a constant rate where it is large, and
its jumps are bounded; so in steady state it has a geometric tail with explicit ratio. Source:
proofs_checks/theorems/queue-tail.md (after Bertsimas, Gamarnik and Tsitsiklis, 2001).
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from certify.balls import above, at_most, ball, ends, nearest, precision, round_up
from certify.certificate import Certificate, exact
from certify.errors import InputError
from certify.problem import Exact, Table, require_type, to_count, to_list, to_rational
from certify.softmax.excess import softmax_excess
from certify.softmax.shortest import ShortestQueue, ShortestQueueDrift

DIGITS = 6  # significant digits of the probabilities
BITS = 192
LONGEST = 120  # characters beyond which threshold and ratio are rounded up to
ROUNDED = 30  # so many digits
MOST_JOBS = 10**9


@dataclass(frozen=True)
class QueueTail:
    """QueueTail(system, temperature, jobs, split): P(|Q|_1 >= n) in steady state, n in `jobs`.

    `system` gives rates, slopes v_i and offsets; an arrival joins queue i with probability
    proportional to exp(-(v_i Q_i + kappa_i)/temperature), or a least one if the temperature is 0.
    `split` in (0, 1) is the part of the drift that pays for the constant R: a large one brings the
    threshold down, a small one the ratio. Raises InputError for numbers out of these ranges and
    for numbers of jobs below `fewest_jobs`.
    """

    system: ShortestQueue
    temperature: Fraction
    jobs: tuple[int, ...] = ()
    split: Fraction = Fraction(1, 2)

    if TYPE_CHECKING:

        def __init__(
            self,
            system: ShortestQueue,
            temperature: Exact,
            jobs: Iterable[int] = (),
            split: Exact = Fraction(1, 2),
        ) -> None: ...

    def __post_init__(self) -> None:
        require_type(self.system, ShortestQueue, "system", "a ShortestQueue")
        temperature = to_rational(self.temperature, "system.temperature")
        split = to_rational(self.split, "split")
        object.__setattr__(self, "temperature", temperature)
        object.__setattr__(self, "split", split)
        if temperature < 0:
            raise InputError("system.temperature", "be at least 0", temperature)
        if not 0 < split < 1:
            raise InputError("split", "lie between 0 and 1", split)
        listed = enumerate(to_list(self.jobs, "jobs", "whole numbers"))
        counts = tuple(to_count(jobs, f"jobs[{i}]", 1, MOST_JOBS) for i, jobs in listed)
        object.__setattr__(self, "jobs", counts)
        for i, jobs in enumerate(counts):
            if self.steps(jobs) is None:
                requirement = f"be at least {self.fewest_jobs}, where the bound starts"
                raise InputError(f"jobs[{i}]", requirement, jobs)

    def __repr__(self) -> str:
        numbers = f"ratio={nearest(self.ratio)}, threshold={nearest(self.threshold)}"
        return f"QueueTail(servers={len(self.system.slopes)}, {numbers}, jobs={list(self.jobs)})"

    @property
    def excess(self) -> Fraction:
        """The k of the softmax lemma, rounded up."""
        return softmax_excess(len(self.system.slopes))

    @property
    def R(self) -> Fraction:  # noqa: N802
        """The constant of the drift inequality at this temperature."""
        return self._drift.R + self.system.arrival_rate * self.excess * self.temperature

    @property
    def threshold(self) -> Fraction:
        """R/(split eps): above it sqrt(2 V/max v_i) falls at a constant rate."""
        return self.R / (self.split * self._drift.eps)

    @property
    def ratio(self) -> Fraction:
        """The factor by which the tail falls when sqrt(2 V/max v_i) grows by 2."""
        up = self.system.arrival_rate
        fall = (1 - self.split) * self._drift.eps / max(self.system.slopes)
        return up / (up + fall)

    @cached_property
    def _drift(self) -> ShortestQueueDrift:
        return self.system.drift()

    @property
    def fewest_jobs(self) -> int:
        """The smallest number of jobs of which the bound says anything."""
        # the smallest n with n^2 > scale threshold^2
        square = self._scale * _short(self.threshold) ** 2
        return math.isqrt(math.floor(square)) + 1

    @property
    def _scale(self) -> Fraction:
        """max v_i sum 1/v_i: |Q|_1^2 is at most this times 2 V/max v_i."""
        slopes = self.system.slopes
        return max(slopes) * sum((1 / v for v in slopes), Fraction(0))

    def steps(self, jobs: int) -> int | None:
        """The largest m with P(|Q|_1 >= jobs) <= ratio^(m + 1); None if there is none."""
        jobs, scale = to_count(jobs, "jobs", 0, MOST_JOBS), self._scale
        # (t + 2 m)^2 < n^2/scale: the largest m, from an integer square root rounded down
        square, bits = Fraction(jobs**2) / scale, 64
        root = Fraction(math.isqrt((square.numerator << 2 * bits) // square.denominator), 1 << bits)
        steps = math.floor((root - _short(self.threshold)) / 2)
        while steps >= 0 and scale * (_short(self.threshold) + 2 * steps) ** 2 >= jobs**2:
            steps -= 1
        return steps if steps >= 0 else None

    def probability(self, jobs: int) -> Fraction:
        """An upper bound of P(|Q|_1 >= jobs) in steady state, rounded up; 1 if none is known."""
        steps = self.steps(jobs)
        if steps is None:
            return Fraction(1)
        with precision(BITS):
            power = ball(_short(self.ratio)).log() * (steps + 1)
            return above(ends(power.exp())[1], DIGITS)

    def certificate(self) -> Certificate:
        """The certificate of the bound, with the tail at every number of jobs asked for."""
        steps = [self.steps(jobs) for jobs in self.jobs]
        tails = [{"jobs": jobs, "probability": exact(self.probability(jobs))} for jobs in self.jobs]
        drift = self._drift
        claim: dict[str, Any] = {
            "system": self.system.to_claim() | {"temperature": exact(self.temperature)},
            "split": exact(self.split),
            "eps": exact(drift.eps),
            "R": exact(self.R),
            "threshold": exact(_short(self.threshold)),
            "ratio": exact(_short(self.ratio)),
            "tails": tails,
        }
        witness = {
            "precision": BITS,
            "excess": exact(self.excess),
            "shares": [exact(share) for share in drift.shares],
            "steps": steps,
        }
        return Certificate("queue-tail", claim, witness)


def make(table: Table) -> Certificate:
    """The certificate of a problem of kind `queue-tail`."""
    inner = table.table("system")
    arrival, rates = inner.rational("arrival_rate"), inner.rationals("service_rates")
    temperature = inner.rational("temperature", Fraction(0))
    if inner.has("weights"):
        system = ShortestQueue.weighted(arrival, rates, inner.rationals("weights"))
    else:
        slopes, offsets = inner.rationals("slopes"), inner.rationals("offsets")
        system = ShortestQueue(arrival, rates, slopes, offsets)
    inner.done()
    jobs, split = table.get("jobs", ()), table.rational("split", Fraction(1, 2))
    tail = QueueTail(system, temperature, jobs, split)
    table.done()
    return tail.certificate()


def words(claim: dict[str, Any]) -> str:
    """What a claim of this kind states, in one sentence."""
    ratio, threshold = (at_most(claim[name]) for name in ("ratio", "threshold"))
    text = (
        f"In steady state P(sqrt(2 V/max v_i) > {threshold} + 2 m) <= {ratio}^(m + 1) for "
        f"m = 0, 1, 2, ..., V = 1/2 sum v_i Q_i^2"
    )
    if claim["tails"]:
        last = claim["tails"][-1]
        bound = at_most(last["probability"], 4)
        text += f"; P(|Q|_1 >= {last['jobs']}) <= {bound}"
    return f"{text}."


def _short(value: Fraction) -> Fraction:
    """The number itself, or rounded up if it takes many characters to write."""
    return value if len(exact(value)) <= LONGEST else round_up(value, ROUNDED)
