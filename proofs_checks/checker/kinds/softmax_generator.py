"""The generator of a softmax system, applied to V(Q) = 1/2 sum v_i Q_i**2 at one state."""

from collections.abc import Sequence
from fractions import Fraction

from proofs_checks.checker.kernel import real
from proofs_checks.checker.kernel.real import Real
from proofs_checks.checker.kinds.softmax_system import System, total
from proofs_checks.checker.verdict import Trial


def drift(
    system: System,
    servers: Sequence[tuple[Real, Real, Real]],
    state: Sequence[Fraction],
    bits: int,
    trial: Trial,
) -> Real:
    """The enclosure of (LV)(Q) from those of every (mu_i, v_i, kappa_i); softmax-drift.md, (1)."""
    loads = [v * queue for (_, v, _), queue in zip(servers, state, strict=True)]
    levels = [load + kappa for load, (_, _, kappa) in zip(loads, servers, strict=True)]
    lowest = real.lowest(levels)
    weights, routed, served = [], [], []
    for queue, load, level, (rate, v, _) in zip(state, loads, levels, servers, strict=True):
        trial.spend(300 + bits + bits * bits // 2000)
        gap, half = (level - lowest) * system.alpha, v * Fraction(1, 2)
        if gap.at_least(bits):  # then exp(-gap) lies between 0 and 2**-bits
            weight = trial.real(0, bits).hull(trial.real(Fraction(1, 1 << bits), bits))
        else:
            weight = (-gap).exp()
        weights.append(weight)
        routed.append(weight * (load + half))
        if queue:
            served.append(rate * (load - half))
    mean = total(routed, trial) / total(weights, trial)
    return mean * system.arrival_rate - total(served, trial)
