"""The claims of kind `rank-gaps` for chosen gaps, decided by one interval sweep over all ranks."""

from fractions import Fraction

from proofs_checks.checker.kernel.real import Real
from proofs_checks.checker.kinds.rank_exact import afford
from proofs_checks.checker.kinds.rank_model import Model, sweep
from proofs_checks.checker.kinds.rank_numbers import (
    Element,
    Number,
    covers,
    square_root,
    transcendental,
)
from proofs_checks.checker.verdict import Trial


def prove(
    model: Model,
    gaps: list[int],
    lists: dict[str, list[Number]],
    numbers: dict[str, Number],
    bits: int,
    trial: Trial,
) -> None:
    """Prove every number of a `rank-gaps` claim with dynamics "paused"."""
    found = sweep(model, gaps, bits, trial)
    exact = {k for k, rho in zip(gaps, lists["rho"], strict=True) if isinstance(rho, Element)}
    exactly = products(model, exact, trial) if exact else {}
    for i, k in enumerate(gaps):
        rho = found.rho[k]
        mean = rho / (1 - rho)

        def require(
            condition: str, name: str, value: Real, exactly: Element | None = None, i: int = i
        ) -> None:
            holds = covers(lists[name][i], exactly, value)
            claimed = lists[name][i]
            trial.require(condition, holds, f"claim.{name}.{i}", ("the value", value), claimed)

        require("detailed-balance", "rho", rho, exactly.get(k))
        require("mean-gap", "mean_gaps", mean)
        require("gap-variance", "gap_variances", mean * (1 + mean))
        require("ranked-queue", "mean_ranked_queues", found.ranked[k])
    offered, tie_free = trial.real(0, bits), trial.real(1, bits)
    rank = model.servers
    for run in model.runs:
        arrival = run.arrival.enclose(bits, trial)
        offered = offered + arrival * run.ranks
        # rank j is a factor of rho_1, ..., rho_{j-1}
        count = (rank - 1 + rank - run.ranks) * run.ranks // 2
        trial.spend(transcendental(bits))
        tie_free = tie_free * (arrival / run.service).power(Fraction(count))
        rank -= run.ranks
    values = {
        "total-queue": ("mean_total_queue", found.total),
        "no-idle": ("no_idle", found.rho[0]),
        "no-tie": ("no_tie", tie_free),
        "throughput": ("throughput", found.served),
        "paused-fraction": ("paused_fraction", 1 - found.served / offered),
    }
    if "stability_threshold" in numbers:
        lowest = model.runs[-1]
        factor = found.rho[0] * lowest.service / lowest.arrival.enclose(bits, trial)  # rho_1
        surplus = lowest.service / factor - lowest.arrival.enclose(bits, trial)
        threshold = surplus / square_root(model.servers, bits, trial) + model.b
        values["threshold"] = ("stability_threshold", threshold)
    for condition, (name, value) in values.items():
        holds = covers(numbers[name], None, value)
        trial.require(condition, holds, f"claim.{name}", ("the value", value), numbers[name])


def products(model: Model, wanted: set[int], trial: Trial) -> dict[int, Element]:
    """rho_k exactly for the wanted k, by detailed balance from rank n downwards."""
    products: dict[int, Element] = {}
    rho, k = model.number(1), model.servers
    for run in model.runs:
        ratio = run.arrival.times(1 / run.service)
        for _ in range(run.ranks):
            if k <= min(wanted):
                return products
            trial.spend(rho.bit_length() // 20)
            afford(trial, rho if ratio.coefficient else ratio)
            rho, k = rho * ratio, k - 1
            if k in wanted:
                products[k] = rho
    return products
