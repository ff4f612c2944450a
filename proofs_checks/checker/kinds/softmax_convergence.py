"""Kind `softmax-convergence`: when every solution of the reflected equation is at its equilibrium.

Proved, with |x|^2 = sum v_i x_i^2: the equation has exactly one equilibrium q*, given by the K* in
`K`; H and |q - q*| never increase along a solution; for every start with 0 <= q_i <= `start_bound`
|q - q*| <= `tolerance` from `time` on, and any two such solutions then differ by at most `diameter`
in every queue; within `final_radius` of q* the distance falls at least like exp(-`final_rate` t).
Not checked: that `time` is the shortest and `final_rate` the largest.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain

from proofs_checks.checker.kernel.real import Real, highest, lowest
from proofs_checks.checker.kinds.softmax_system import System, energies, read_system, total
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Summary, Trial, correct_digits, decimal

THEOREM = "softmax-convergence"
PROBLEM = ("system", "start_bound", "tolerance")
CONDITIONS = {
    "hypothesis": "rates, alpha, beta, tolerance > 0, offset >= 0, load below 1 (Hypotheses)",
    "root-above": "K.lo > 0 and G(K.lo) >= arrival rate, so K* >= K.lo (softmax-equilibrium, b)",
    "root-below": "G(K.hi) <= arrival rate, so K* <= K.hi (softmax-equilibrium, b)",
    "shape": "distances positive, strictly falling; rates not negative (Definitions)",
    "curvature": "Phi >= rate |q - q*|^2 up to the distance (Lemma 2)",
    "speed": "the speed at the distance is positive (Lemmas 1, 3)",
    "time": "the times of all phases add up to at most `time` (Theorem, part c)",
    "diameter": "diameter^2 min v >= 4 tolerance^2 (Theorem, part d)",
}
HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Server:
    """Enclosures of mu, v, sqrt v, p*, c = mu - lambda p*, l = -log(p*)/alpha and d = v q*."""

    rate: Real
    slope: Real
    root: Real
    share: Real
    surplus: Real
    shift: Real
    level: Real


def check(claim: Node, witness: Node, trial: Trial) -> Summary:
    """Prove the claim or raise a Refusal."""
    names = "start_bound tolerance time diameter final_radius final_rate"
    fields = claim.record(f"system K {names}")
    hints = witness.record("precision phases")
    bits = trial.precision(hints["precision"].count())
    system = read_system(fields["system"], bits, trial)
    bound, tolerance, time, diameter, radius, rate = (fields[n].exact() for n in names.split())
    for name, value in (("start_bound", bound), ("tolerance", tolerance)):
        trial.require("hypothesis", value > 0, f"claim.{name}", "positive", value)
    low, high = fields["K"].interval()
    servers = _servers(system, low, high, bits, trial)
    phases = (each.record("radius rate") for each in hints["phases"].items(empty=True))
    pairs = ((each["radius"].exact(), each["rate"].exact()) for each in phases)
    spent = _time(system, servers, bound, chain(pairs, [(radius, rate)]), bits, trial)
    if tolerance < radius:
        trial.require("shape", rate > 0, "claim.final_rate", "positive", rate)
        spent = spent + (trial.real(radius, bits) / tolerance).log() / rate
    trial.require("time", spent.at_most(time), "claim.time", "at least the sum", spent)
    slope = lowest(server.slope for server in servers).ends()[0]
    wide = diameter > 0 and diameter * diameter * slope >= 4 * tolerance * tolerance
    trial.require("diameter", wide, "claim.diameter", "2 tolerance/sqrt(min v)", diameter)
    text = (
        f"one equilibrium of {len(servers)} servers; from every start with queues up to "
        f"{decimal(bound, 6)} the distance is at most {decimal(tolerance, 3, True)} from time "
        f"{decimal(time, 12, True)} on, falling at rate {decimal(rate, 4)} in the end"
    )
    return Summary(text, correct_digits(low, high) if low < high else None)


def _servers(
    system: System, low: Fraction, high: Fraction, bits: int, trial: Trial
) -> list[Server]:
    """Every server's constants, once K* is known to lie in [low, high]."""
    trial.require("root-above", low > 0, "claim.K.lo", "positive", low)
    arrivals, alpha = trial.real(system.arrival_rate, bits), trial.real(system.alpha, bits)
    ends = [trial.real(end, bits).log() for end in (low, high)]
    both, servers = ends[0].hull(ends[1]), []
    capacity: tuple[list[Real], list[Real]] = [], []
    for rate, (log_rate, v, kappa) in zip(
        system.service_rates, energies(system, bits, trial), strict=True
    ):
        trial.spend(4000 + 8 * bits + bits * bits // 400)
        mu, log_theta = trial.real(rate, bits), -(kappa * alpha) - log_rate
        for at_end, log_root in zip(capacity, ends, strict=True):
            at_end.append(mu * (log_theta - log_root).least(0).exp())
        missing, excess = (log_theta - both).least(0), -(both - log_theta).least(0)
        fill = missing.exp()
        shift = (arrivals.log() - log_rate - missing) / alpha
        servers.append(
            Server(
                mu, v, v.power(HALF), mu * fill / arrivals, mu * (1 - fill), shift, excess / alpha
            )
        )
    above, below = (total(parts, trial) for parts in capacity)
    arrival = system.arrival_rate
    least, most = ("G(K) at least", arrival), ("G(K) at most", arrival)
    trial.require("root-above", above.at_least(arrival), "claim.K.lo", least, above)
    trial.require("root-below", below.at_most(arrival), "claim.K.hi", most, below)
    return servers


def _time(
    system: System,
    servers: list[Server],
    bound: Fraction,
    pairs: Iterable[tuple[Fraction, Fraction]],
    bits: int,
    trial: Trial,
) -> Real:
    """An upper bound of the time until the last of the distances is reached (Theorem, part c)."""
    squares = []
    for server in servers:
        queue = server.level / server.slope
        farthest = highest([queue, bound - queue])
        squares.append(server.slope * farthest * farthest)
    reached = total(squares, trial).power(HALF).upper()
    speed, loss = _far(system, servers, bits, trial)
    last, spent, zero = None, trial.real(0, bits), trial.real(0, bits)
    for radius, rate in pairs:
        trial.keep(8, bits)
        falls = radius > 0 and (last is None or radius < last) and rate >= 0
        trial.require("shape", falls, "witness.phases", "falling distances", radius)
        near = _curvature(system, servers, radius, rate, bits, trial) if rate else zero
        last, at_least = radius, highest([lowest([near]), lowest([speed - loss / radius])])
        trial.require("speed", at_least.above(0), "witness.phases", "positive", at_least)
        if reached.above(radius):
            spent = spent + (reached - radius) / at_least
            reached = trial.real(radius, bits).upper()
    return spent


def _far(system: System, servers: list[Server], bits: int, trial: Trial) -> tuple[Real, Real]:
    """sigma, rounded down, and an upper bound of C in Lemma 3: Phi >= sigma |q - q*| - C."""
    spare = total((server.rate for server in servers), trial) - system.arrival_rate
    norm = total((server.slope.reciprocal() for server in servers), trial).power(HALF)
    candidates = [spare / norm, *(server.rate * server.root for server in servers)]
    speed = lowest(candidates)
    shifts = total((server.shift * server.shift / server.slope for server in servers), trial)
    costs = total((server.rate * server.shift for server in servers), trial)
    least = highest([trial.real(0, bits), *(each.level - each.shift for each in servers)])
    return speed, speed * shifts.upper().power(HALF) + costs + spare * least * 2


def _curvature(
    system: System,
    servers: list[Server],
    radius: Fraction,
    rate: Fraction,
    bits: int,
    trial: Trial,
) -> Real:
    """rate * radius, once Phi >= rate |q - q*|^2 is proved for |q - q*| <= radius (Lemma 2)."""
    trial.spend((len(servers) + 1) * (400 + bits + bits * bits // 1000))
    first = second = trial.real(0, bits)
    for server in servers:
        top = server.slope.upper()
        first, second = highest([first, top]), highest([second, lowest([first, top])])
    width = (first + second).power(HALF) * radius
    steep, tiny = width * system.alpha, trial.real(Fraction(1, 1 << bits), bits)
    rest = tiny.hull(trial.real(0, bits)) if steep.at_least(bits) else (-steep).exp()
    factor = (1 - rest) / width * system.arrival_rate
    terms = []
    for server in servers:
        pull = server.surplus / (server.root * radius)
        height = factor * server.share + pull - rate / server.slope
        trial.require("curvature", height.above(0), "witness.phases", "A_i > 0", height)
        terms.append(server.share * server.share / height)
    value = factor * total(terms, trial)
    trial.require("curvature", value.at_most(1), "witness.phases", "at most 1", value)
    return trial.real(rate, bits) * radius
