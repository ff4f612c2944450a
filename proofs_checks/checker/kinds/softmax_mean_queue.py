"""Kind `softmax-mean-queue`: a bound on the mean number of jobs in a softmax system.

Proved: the queues have exactly one steady state, and E|Q|_1 is at most `mean_queue_bound` in it.
Not checked: that the bound is near E|Q|_1.
"""

from fractions import Fraction

from proofs_checks.checker.kernel.real import Real
from proofs_checks.checker.kinds.exact_lists import every, numbers
from proofs_checks.checker.kinds.softmax_cells import Cell, Server, cover, require_lowest, served
from proofs_checks.checker.kinds.softmax_shares import (
    Problem,
    read_problem,
    read_shares,
    tangent,
)
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Summary, Trial, decimal

THEOREM = "softmax-mean-queue"
PROBLEM = ("system",)
CONDITIONS = {
    "hypothesis": "rates, alpha, beta, eps > 0, offset >= 0, load below 1 (Hypotheses)",
    "shape": "one entry per server (Definitions)",
    "shares": "every c_i >= 0 and their sum is exactly the arrival rate (Lemma 1)",
    "slack": "(mu_i - c_i) v_i >= eps for every server (Lemma 1)",
    "point": "every coordinate of the point is positive (Lemma 3)",
    "lowest": "no state is below the lowest level (Theorem, part a)",
    "cover": "the cells are a whole tree (Lemma 2)",
    "cell": "each cell's bound is at most mean_queue_bound * eps at both ends (Lemma 2)",
    "table": "no listed increment is needed above the highest level (Lemma 3)",
    "far": "nor is the drift larger above the highest level (Lemma 3)",
}


def check(claim: Node, witness: Node, trial: Trial) -> Summary:
    """Prove the claim or raise a Refusal."""
    fields = claim.record("system mean_queue_bound")
    hints = witness.record("precision eps linear increments shares point", "levels")
    bits = trial.precision(hints["precision"].count())
    problem = read_problem(fields["system"], hints["eps"], bits, trial)
    servers = _servers(problem, hints["linear"], hints["increments"])
    shares, slacks = read_shares(problem, hints["shares"])
    mean = fields["mean_queue_bound"].exact()
    constant, leaves, fewest = mean * problem.eps, 0, [0] * len(servers)
    if "levels" in hints:
        inner = hints["levels"].record("low high cells")
        low, high = inner["low"].exact(), inner["high"].exact()
        require_lowest(problem, low, inner["low"].path)
        trial.require("cover", low < high, inner["high"].path, "above the lowest level", high)
        root = Cell(low, high, (0,) * len(servers), (None,) * len(servers))
        leaves = cover(problem, servers, root, inner["cells"], constant)
        fewest = [server.fewest(high, problem) for server in servers]
    for i, (server, queue) in enumerate(zip(servers, fewest, strict=True)):
        listed = len(server.increments)
        where = f"{hints['increments'].path}.{i}"
        trial.require("table", listed == 0 or listed < queue, where, ("fewer than", queue), listed)
    far = tangent(problem, shares, [_gain(each) for each in servers], hints["point"])
    far = far + served(problem, servers, slacks, fewest)
    trial.require("far", far.at_most(constant), "claim.mean_queue_bound", "at least far/eps", far)
    words = f"E|Q| <= {decimal(mean, 10, True)} in the steady state of {len(servers)} queues"
    return Summary(f"{words} (eps {decimal(problem.eps, 6)}, {leaves} cells)")


def _servers(problem: Problem, linear: Node, increments: Node) -> list[Server]:
    """The test function, server by server."""
    trial, bits, count = problem.trial, problem.bits, len(problem.servers)
    lists = increments.items()
    trial.require("shape", len(lists) == count, increments.path, f"{count} lists", len(lists))
    result = []
    for (rate, v, kappa), each, y in zip(
        problem.servers, lists, numbers(linear, count, trial), strict=True
    ):
        table = every(each, trial, empty=True)
        trial.keep(3 + len(table), bits)
        reals = [trial.real(value, bits) for value in table]
        result.append(Server(rate, v, kappa, reals, trial.real(y, bits)))
    return result


def _gain(server: Server) -> Real:
    """v_i/2 + y_i."""
    return server.slope * Fraction(1, 2) + server.linear
