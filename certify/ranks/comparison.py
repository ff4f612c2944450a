"""Random routing, marginal and full join-the-shortest-queue at the same arrival rate.

Source: the comparison of arXiv 2605.17677 (abstract), here for finite n with proved means and
bounds; proofs_checks/theorems/rank-comparison.md.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from certify.balls import at_least, at_most, ball, outward, precision
from certify.certificate import Certificate, exact, interval, listed
from certify.errors import InputError
from certify.problem import DEFAULT_DIGITS, Exact, Table, to_digits, to_rational, to_rationals
from certify.ranks.elements import Element, enclosed, said, said_ends
from certify.ranks.model import MAX_SERVERS, Marginal
from certify.ranks.sweep import sweep, working_bits

Enclosure = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Row:
    """Marginal join-the-shortest-queue with a stream of b sqrt(n) (queues in jobs per server).

    `original_at_least` bounds the mean queue without pauses from below; `mean_queue`,
    `shortest_queue` and `throughput` enclose those of the system with pauses, which drops jobs.
    """

    b: Fraction
    lookups: Element
    original_at_least: Fraction
    mean_queue: Enclosure
    shortest_queue: Enclosure
    throughput: Enclosure


@dataclass(frozen=True)
class Comparison:
    """n servers of rate n with arrivals n^2 - slack sqrt(n), policy by policy.

    `random_mean` is the exact mean number of jobs per server with random routing and bounds every
    other policy here from above; full join-the-shortest-queue has at least 1/n of it.
    """

    servers: int
    slack: Fraction
    arrival_rate: Element
    random_mean: Element
    random_shortest: Enclosure
    rows: tuple[Row, ...]
    bits: int

    def __repr__(self) -> str:
        place = f"servers={self.servers}, slack={exact(self.slack)}"
        streams = listed([row.b for row in self.rows])
        return f"Comparison({place}, random_mean={self.random_mean}, b={streams})"

    def certificate(self) -> Certificate:
        """The certificate."""
        n, mean = self.servers, self.random_mean.spelled()
        nth, times_n = Element.of(Fraction(1, n), 0, n), Element.of(n, 0, n)
        claim = {
            "servers": n,
            "slack": exact(self.slack),
            "b": [exact(row.b) for row in self.rows],
            "arrival_rate": self.arrival_rate.spelled(),
            "random": {
                "lookups": "0",
                "mean_queue": mean,
                "shortest_queue": interval(*self.random_shortest),
            },
            "full": {
                "lookups": (self.arrival_rate * times_n).spelled(),
                "mean_queue": {
                    "at_least": (self.random_mean * nth).spelled(),
                    "at_most": mean,
                },
            },
            "rows": [
                {
                    "lookups": row.lookups.spelled(),
                    "original": {"at_least": exact(row.original_at_least), "at_most": mean},
                    "paused": {
                        "mean_queue": interval(*row.mean_queue),
                        "shortest_queue": interval(*row.shortest_queue),
                        "throughput": interval(*row.throughput),
                    },
                }
                for row in self.rows
            ],
        }
        return Certificate("rank-comparison", claim, {"precision": self.bits})


def make(table: Table) -> Certificate:
    """The certificate of a problem of kind `rank-comparison`."""
    digits = table.digits()
    servers = table.integer("servers", 1, MAX_SERVERS)
    slack, streams = table.rational("slack"), table.rationals("b")
    table.done()
    return compare(servers, slack, streams, digits).certificate()


def words(claim: dict[str, Any]) -> str:
    """What a claim of this kind states, in one sentence."""
    row, full = claim["rows"][-1], claim["full"]
    least, most = (said_ends(full["mean_queue"][end]) for end in ("at_least", "at_most"))
    return (
        f"With {claim['servers']} servers and the same arrivals the mean queue is "
        f"{said(claim['random']['mean_queue'])} with random routing, "
        f"{said(row['paused']['mean_queue'])} with marginal join-the-shortest-queue at b = "
        f"{said(claim['b'][-1])} with pauses, and from {at_least(least[0])} to "
        f"{at_most(most[1])} with the full one; look-ups per unit time: none, "
        f"{said(row['lookups'])} and {said(full['lookups'])}."
    )


def compare(
    servers: int, slack: Exact, streams: Iterable[Exact], digits: int = DEFAULT_DIGITS
) -> Comparison:
    """The comparison at the slack a - b for every b in `streams`, which must increase.

    InputError unless there is one, slack and every b are positive, b + slack < servers^(3/2), and
    digits are from 1 to 10,000.
    """
    slack, digits = to_rational(slack, "slack"), to_digits(digits)
    if slack <= 0:
        raise InputError("slack", "be positive", slack)
    streams = to_rationals(streams, "b")
    if any(low >= high for low, high in pairwise(streams)):
        raise InputError("b", "be increasing", ", ".join(map(str, streams)))
    systems = [_system(servers, slack, b, f"b[{i}]") for i, b in enumerate(streams)]
    servers, number = systems[0].servers, systems[0].number
    bits = max(working_bits(system, digits) for system in systems) + 32
    # the paused systems do not depend on a small slack, random routing does
    bits += max(0, slack.denominator.bit_length() - slack.numerator.bit_length() - 32)
    with precision(bits):
        power = (number(1, -slack / servers**2).ball().log() * servers).exp()
        return Comparison(
            servers,
            slack,
            arrival_rate=number(servers**2, -slack),
            random_mean=number(-1, servers / slack),
            random_shortest=enclosed(power / (1 - power), digits),
            rows=tuple(_row(system, digits) for system in systems),
            bits=bits,
        )


def _system(servers: int, slack: Fraction, b: Fraction, name: str) -> Marginal:
    """The system with pauses; what is wrong with its a is said of what was given."""
    try:
        return Marginal(servers, b + slack, b)
    except InputError as error:
        field = {"a": f"{name} + slack", "b": name}.get(error.field, error.field)
        raise InputError(field, error.requirement, error.value) from None


def _row(system: Marginal, digits: int) -> Row:
    n, a, b = system.servers, system.a, system.b
    found = sweep(system, [0])
    power = (system.theta.ball().log() * n).exp()
    least = system.number((b - a) / a, n / a).ball() + power / (1 - power) * ball(b / a)
    return Row(
        b,
        lookups=system.number(0, b * n),
        original_at_least=outward(least, digits)[0],
        mean_queue=enclosed(found.total / n, digits),
        shortest_queue=enclosed(found.ranked[0], digits),
        throughput=enclosed(found.served, digits),
    )
