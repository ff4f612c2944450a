"""Kind `rank-difference`: the original dynamics and the system with pauses differ, by how much.

Proved: a stationary mean of the original dynamics (of Q_(1), of the queues' average, or of the
indicator that nobody is idle) lies in `original`, the same mean with pauses in `paused`, and their
difference in `difference`.
Not checked: that the intervals are as narrow as they could be. The witness holds two test
functions, one table each on a box of states; nothing is assumed about where they come from.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb

from proofs_checks.checker.kinds.exact_lists import decimals, size
from proofs_checks.checker.kinds.rank_model import Model, read_marginal, sweep
from proofs_checks.checker.kinds.rank_numbers import Element, covers
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Summary, Trial, decimal

THEOREM = "rank-difference"
PROBLEM = ("servers", "a", "b", "quantity")
CONDITIONS = {
    "hypothesis": "a > b > 0 and a < n^(3/2) (Hypotheses)",
    "shape": "one table entry for every sorted state of the box; slopes >= 0 (Definitions)",
    "tail": "2 slope sqrt(n) (a - b) is at least the growth of g in Q_(1) (Theorem, part b)",
    "upper": "g + L h <= original.hi at every pattern of the clipped state (Theorem, part a)",
    "lower": "g + L h >= original.lo at every pattern of the clipped state (Theorem, part a)",
    "paused": "the mean of the system with pauses (rank-gaps, Theorem 1)",
    "difference": "original minus paused (arithmetic)",
}
State = tuple[int, ...]


@dataclass(frozen=True)
class DriftFunction:
    """h(q) = table(min(q, box)) + slope sum q_i^2."""

    table: dict[State, Fraction]
    slope: Fraction
    box: int


def check(claim: Node, witness: Node, trial: Trial) -> Summary:
    """Prove the claim or raise a Refusal."""
    fields = claim.record("servers a b quantity original paused difference")
    model = read_marginal(fields, trial)
    n = model.servers
    trial.require("hypothesis", model.b < model.a, "claim.b", "less than a", model.b)
    quantity = fields["quantity"].name("shortest-queue", "mean-queue", "no-idle")
    low, high = fields["original"].interval()
    hints = witness.record("precision box upper lower")
    box = hints["box"].count()
    states = comb(min(box, 10**6) + n, n) if n <= 64 else 10**12
    trial.spend(states * (n + 2) * (n + 1) * 40)
    trial.spend(states * (n + 2) * (n + 1) * ((size(model.a) + size(model.b)) ** 2 // 1_000_000))
    trial.require("shape", box >= 1, "witness.box", "at least 1", box)
    growth = {"shortest-queue": Fraction(1), "mean-queue": model.b / model.a}.get(quantity)
    for name in ("upper", "lower"):
        test = _test(hints[name], n, box, trial)
        if name == "upper" and growth is not None:
            steep = model.number(-growth, 2 * test.slope * (model.a - model.b))
            trial.require("tail", steep.sign() >= 0, "witness.upper.slope", "steeper", test.slope)
        sign = 1 if name == "upper" else -1
        end = model.number(high if name == "upper" else low)
        for state, beyond, value in values_of_patterns(model, quantity, test, sign):
            holds = (end - value).sign() * sign >= 0
            where = f"{'-'.join(map(str, state))} with {beyond} beyond"
            found = "" if holds else value.enclose(64, trial)
            trial.require(name, holds, where, f"original.{name}", found)
    bits = trial.precision(hints["precision"].count())
    swept = sweep(model, [0], bits, trial)
    paused = {
        "shortest-queue": swept.ranked[0],
        "mean-queue": swept.total / n,
        "no-idle": swept.rho[0],
    }[quantity]
    claimed = fields["paused"].interval()
    holds = covers(claimed, None, paused)
    trial.require("paused", holds, "claim.paused", ("the mean", paused), claimed)
    bottom, top = fields["difference"].interval()
    least, most = low - claimed[1], high - claimed[0]
    holds = bottom <= least and most <= top
    trial.require("difference", holds, "claim.difference", [least, most], [bottom, top])
    ends = f"{decimal(bottom, 12, False)} to {decimal(top, 12, True)}"
    return Summary(f"{n} servers: {quantity}, original - paused from {ends}")


def _test(node: Node, servers: int, box: int, trial: Trial) -> DriftFunction:
    fields = node.record("slope table")
    slope = fields["slope"].exact()
    trial.require("shape", slope >= 0, fields["slope"].path, "at least 0", slope)
    states = comb(box + servers, servers)
    trial.spend(states * (size(slope) ** 2 // 500_000))
    values = decimals(fields["table"], states, trial)
    order = combinations_with_replacement(range(box + 1), servers)
    return DriftFunction(dict(zip(order, values, strict=True)), slope, box)


def values_of_patterns(
    model: Model, quantity: str, test: DriftFunction, sign: int
) -> Iterator[tuple[State, int, Element]]:
    """g + L h at every clipped state, for every number of queues beyond the box.

    Of the m queues that equal the box, `beyond` are really longer, by one: the extreme case.
    `sign` is that of the quadratic part. The generator applied to h is
    n theta (sum over arrivals) + b sqrt(n) (arrival to the shortest) + n (sum over services).
    """
    n, a, b, box = model.servers, model.a, model.b, test.box
    for state, here in test.table.items():
        arrivals = services = shortest = Fraction(0)
        for i, queue in enumerate(state):
            if queue < box:
                last = max(j for j in range(n) if state[j] == queue)
                change = test.table[_moved(state, last, 1)] - here
                arrivals += change
                shortest = change if i == 0 else shortest
            if 0 < queue < box:
                services += test.table[_moved(state, state.index(queue), -1)] - here
        at_box = state.count(box)
        down = test.table[_moved(state, n - at_box, -1)] - here if at_box else Fraction(0)
        busy = n - state.count(0)
        for beyond in range(at_box + 1):
            lowest, jobs = state[0] + (beyond == n), sum(state) + beyond
            total = services + (at_box - beyond) * down
            # L h without the quadratic part, from n theta = n - (a/n) sqrt(n)
            plain = n * (arrivals + total)
            rooted = b * shortest - a / n * arrivals
            # L sum q^2 = 2 b sqrt(n) q_(1) - 2 (a/n) sqrt(n) sum q + n^2 - (a-b) sqrt(n) + n busy
            plain += sign * test.slope * (n * n + n * busy)
            rooted += sign * test.slope * (2 * b * lowest - 2 * a / n * jobs - (a - b))
            if quantity == "no-idle":
                plain += lowest > 0
            elif quantity == "shortest-queue":
                plain += lowest
            else:  # E[mean queue] = n sqrt(n)/a - (a - b)/a + (b/a) E Q_(1)
                plain += b / a * lowest - (a - b) / a
                rooted += n / a
            yield state, beyond, model.number(plain, rooted)


def _moved(state: State, index: int, step: int) -> State:
    return (*state[:index], state[index] + step, *state[index + 1 :])
