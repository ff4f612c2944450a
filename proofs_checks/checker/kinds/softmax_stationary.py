"""Kind `softmax-stationary`: the mean number of jobs in steady state, from both sides.

An arrival joins queue i by the softmax of the energies s_i = v_i Q_i + kappa_i ("softmax"), or a
queue of least energy, each of several with equal probability ("shortest-queue"). Proved: there is
exactly one stationary law, and E|Q|_1 lies in `mean_total_queue` in it.
Not checked: that the interval is as narrow as it could be. The witness holds two test functions,
one table each over the states of at most `total` jobs; nothing is assumed about where they come
from.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb

from proofs_checks.checker.kernel.real import Real
from proofs_checks.checker.kinds import exact_lists
from proofs_checks.checker.kinds.softmax_routing import Routing, read_routed
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Summary, Trial, correct_digits, decimal

THEOREM = "softmax-stationary"
PROBLEM = ("policy", "system")
CONDITIONS = {
    "hypothesis": "rates, slopes, alpha, beta, eps > 0, offset >= 0, load below 1 (Hypotheses)",
    "shape": "one entry per server; one table entry per state (Definitions)",
    "excess": "k exp(1 + k) >= N - 1 (Lemma 1)",
    "shares": "every c_i >= 0 and their sum is exactly the arrival rate (Lemma 1)",
    "slack": "(mu_i - c_i) v_i >= eps for every server (Lemma 1)",
    "steep": "slope eps >= 1 (Theorem, part a)",
    "far": "|q|_1 + L h <= hi at every state of more than total + 1 jobs (Theorem, part a)",
    "upper": "|q|_1 + L h <= hi at every state of at most total + 1 jobs (Theorem, part a)",
    "lower": "|q|_1 + L g >= lo at every state of at most total + 1 jobs (Theorem, part b)",
}
State = tuple[int, ...]
MANY = 64  # with more servers and more jobs than this there are over 10**37 states


@dataclass(frozen=True)
class Function:
    """table(q), and the sum of beyond_i(q_i) over q_i > 0 where the table has no entry.

    In a unit in which the table is of whole numbers, and so is `end`, which is to be compared.
    """

    table: dict[State, int]
    beyond: Sequence[Sequence[Real | int]]
    end: int

    def at(self, state: State) -> Real | int:
        """The value at a state."""
        if state in self.table:
            return self.table[state]
        value: Real | int = 0
        for values, queue in zip(self.beyond, state, strict=True):
            if queue:
                value = values[queue] + value
        return value


@dataclass(frozen=True)
class Chain:
    """The routing, and the rates in a unit in which they are whole numbers; `job` is one job."""

    routing: Routing
    arrival_rate: int
    service_rates: list[int]
    job: int

    def weighted(self, test: Function, state: State) -> Real:
        """(|q|_1 + L h - end) W at a state, W > 0 the sum of its weights."""
        here = test.at(state)
        rest: Real | int = sum(state) * self.job - test.end
        for i, rate in enumerate(self.service_rates):
            if state[i]:
                rest = (test.at(_moved(state, i, -1)) - here) * rate + rest
        first, *others = (
            weight * ((test.at(_moved(state, i, 1)) - here) * self.arrival_rate + rest)
            for i, weight in self.routing.at(state)
        )
        return sum(others, first)


def check(claim: Node, witness: Node, trial: Trial) -> Summary:
    """Prove the claim or raise a Refusal."""
    fields = claim.record("policy system mean_total_queue")
    hints = witness.record("precision eps shares excess slope total upper lower")
    bits = trial.precision(hints["precision"].count())
    policy = fields["policy"].name("softmax", "shortest-queue")
    low, high = fields["mean_total_queue"].interval()
    routed = read_routed(policy, fields["system"], hints["eps"], bits, trial)
    problem, R = routed.problem, routed.constant(hints["excess"], hints["shares"])
    slope, jobs, count = hints["slope"].exact(), hints["total"].count(), len(problem.servers)
    trial.spend(100 + exact_lists.size(slope) * exact_lists.size(problem.eps) // 1_000)
    growth = slope * problem.eps
    trial.require("steep", growth >= 1, "witness.slope", "at least 1/eps", slope)
    far = R * slope - (growth - 1) * (jobs + 2)
    trial.require("far", far.at_most(high), "claim.mean_total_queue.hi", "L h far out", far)
    number = comb(jobs + count, count) if min(jobs, count) <= MANY else 10**37
    tables = [exact_lists.decimals(hints[name], number, trial) for name in ("upper", "lower")]
    rates = [problem.system.arrival_rate, *problem.system.service_rates]
    unit, pace = (
        exact_lists.unit((low, high, *tables[0], *tables[1]), trial),
        exact_lists.unit(rates, trial),
    )
    trial.spend(cost(jobs, count, bits, _size((*tables[0], *tables[1], low, high), unit, pace)))
    trial.keep(2 * count * (jobs + 3), bits)
    queues, half = range(jobs + 3), trial.real(slope * unit / 2, bits)
    squares = [[v * half * (q * q) for q in queues] for _, v, _ in problem.servers]
    beyond: list[Sequence[Sequence[Real | int]]] = [squares, [[0] * len(queues)] * count]
    order = list(_states(count, jobs))
    h, g = (
        Function(
            {state: int(value * unit) for state, value in zip(order, table, strict=True)},
            outside,
            int(end * unit * pace),
        )
        for table, outside, end in zip(tables, beyond, (high, low), strict=True)
    )
    paces = [int(rate * pace) for rate in rates]
    chain = Chain(routed.routing(len(queues)), paces[0], paces[1:], unit * pace)
    for state in _states(count, jobs + 1):
        where = f"queues {'-'.join(map(str, state))}"
        value = chain.weighted(h, state)
        trial.require("upper", value.at_most(0), where, "(|q| + L h - hi) W <= 0", value)
        value = chain.weighted(g, state)
        trial.require("lower", value.at_least(0), where, "(|q| + L g - lo) W >= 0", value)
    ends = f"{decimal(low, 15, False)} to {decimal(high, 15, True)}"
    text = f"{policy} routing, N = {count}: E|Q| from {ends} in steady state"
    return Summary(text, correct_digits(low, high) if low < high else None)


def _size(values: Iterable[Fraction], unit: int, pace: int) -> int:
    """The bits of the largest whole number that is made of these values and the rates."""
    largest = max(map(abs, values))
    return exact_lists.size(largest) + 2 * (unit.bit_length() + pace.bit_length())


def cost(jobs: int, servers: int, bits: int, size: int) -> int:
    """What the check of all states costs in time, and what it keeps."""
    each = 40 + servers + bits // 10 + bits * bits // 50_000
    each += size // 20 + size * size // 500_000
    states = comb(jobs + 1 + servers, servers)
    return states * ((servers + 1) * each + 400 + 16 * servers + size // 4)


def _states(servers: int, most: int) -> Iterator[State]:
    """The states of at most so many jobs: by the number of jobs, then in lexicographic order."""
    for jobs in range(most + 1):
        state = [*[0] * (servers - 1), jobs]
        yield tuple(state)
        while state[0] < jobs:
            last = max(i for i, queue in enumerate(state) if queue)
            state[last - 1], state[last], state[-1] = state[last - 1] + 1, 0, state[last] - 1
            yield tuple(state)


def _moved(state: State, server: int, step: int) -> State:
    return (*state[:server], state[server] + step, *state[server + 1 :])
