"""The claims of kind `rank-gaps` for every gap, decided by exact equations between the claims.

No formula is solved here: the claimed numbers are put into the equations that determine them.
"""

from fractions import Fraction

from proofs_checks.checker.kinds.rank_model import Model
from proofs_checks.checker.kinds.rank_numbers import Element, Number, covers
from proofs_checks.checker.verdict import Trial


def prove(
    model: Model,
    lists: dict[str, list[Number]],
    numbers: dict[str, Number],
    bits: int,
    trial: Trial,
) -> None:
    """Prove every number of a `rank-gaps` claim with dynamics "paused"."""
    one = model.number(1)
    ranks = [run for run in model.runs for _ in range(run.ranks)][::-1]  # from rank 1 up
    rho = _elements(lists, "rho", trial)
    means = _elements(lists, "mean_gaps", trial)
    variances = _elements(lists, "gap_variances", trial)
    offered, served = model.number(0), model.number(0)
    for k, rank in enumerate(ranks):
        afford(trial, rho[k], means[k], variances[k], rank.arrival)
        above = rho[k + 1] if k + 1 < model.servers else one
        balanced = rank.arrival * above == rho[k].times(rank.service)
        trial.require(
            "detailed-balance", balanced, f"claim.rho.{k}", f"balance at rank {k + 1}", "none"
        )
        stable = (one - rho[k]).sign() > 0
        trial.require("hypothesis", stable, f"claim.rho.{k}", "rho_k below 1", "at least 1")
        holds = means[k] * (one - rho[k]) == rho[k]
        trial.require("mean-gap", holds, f"claim.mean_gaps.{k}", "m (1 - rho) = rho", "another")
        holds = variances[k] == means[k] * (one + means[k])
        trial.require("gap-variance", holds, f"claim.gap_variances.{k}", "m (1 + m)", "another")
        afford(trial, offered, served, rank.arrival)
        offered, served = offered + rank.arrival, served + rho[k].times(rank.service)
    _ranked(lists["mean_ranked_queues"], means, numbers["mean_total_queue"], bits, trial)
    _no_tie(numbers["no_tie"], rho[1:], one, bits, trial)
    trial.require("no-idle", numbers["no_idle"] == rho[0], "claim.no_idle", "rho_0", "another")
    holds = numbers["throughput"] == served
    trial.require("throughput", holds, "claim.throughput", "sum of mu_k rho_{k-1}", "another")
    share = numbers["paused_fraction"]
    holds = isinstance(share, Element) and _product(share, offered, trial) == offered - served
    trial.require("paused-fraction", holds, "claim.paused_fraction", "1 - served/offered", "not")
    if "stability_threshold" in numbers:
        threshold, holds = numbers["stability_threshold"], False
        if isinstance(threshold, Element):
            extra = (threshold - model.number(model.b)) * model.number(0, 1)
            above = rho[1] if model.servers > 1 else one
            arrival = ranks[0].arrival + extra
            holds = _product(arrival, above, trial) == model.number(ranks[0].service)
        trial.require("threshold", holds, "claim.stability_threshold", "rho_0 = 1", "another")


def afford(trial: Trial, *numbers: Element) -> None:
    """Spend the steps of a few operations on numbers of this size before doing them."""
    size = max(number.bit_length() for number in numbers)
    trial.spend(20 * (10 + size // 40 + (size // 400) ** 2))


def _product(first: Element, second: Element, trial: Trial) -> Element:
    afford(trial, first, second)
    return first * second


def _elements(lists: dict[str, list[Number]], name: str, trial: Trial) -> list[Element]:
    exact = [number for number in lists[name] if isinstance(number, Element)]
    complete = len(exact) == len(lists[name])
    trial.require("shape", complete, f"claim.{name}", "exact numbers", "an interval")
    return exact


def _no_tie(claimed: Number, rho: list[Element], one: Element, bits: int, trial: Trial) -> None:
    """The product of rho_1, ..., rho_{n-1}, exactly if it is claimed exactly."""
    product, enclosure = one, trial.real(1, bits)
    for each in rho:
        enclosure = enclosure * each.enclose(bits, trial)
        if isinstance(claimed, Element):
            product = _product(product, each, trial)
    holds = covers(claimed, product, enclosure)
    trial.require("no-tie", holds, "claim.no_tie", ("rho_1 ... rho_{n-1},", enclosure), claimed)


def _ranked(
    ranked: list[Number], means: list[Element], total: Number, bits: int, trial: Trial
) -> None:
    """Partial sums of the means, exact for as long as the claims are, and the sum of the sums."""
    zero = Element(Fraction(0), Fraction(0), means[0].root)
    partial, whole = trial.real(0, bits), trial.real(0, bits)
    exact_partial: Element | None = zero
    exact_whole: Element | None = zero if isinstance(total, Element) else None
    for k, mean in enumerate(means):
        partial = partial + mean.enclose(bits, trial)
        whole = whole + partial
        if exact_partial is not None and isinstance(ranked[k], Element):
            afford(trial, exact_partial, mean)
            exact_partial = exact_partial + mean
        else:
            exact_partial = exact_whole = None
        holds = covers(ranked[k], exact_partial, partial)
        where = f"claim.mean_ranked_queues.{k}"
        trial.require("ranked-queue", holds, where, ("the sum of means,", partial), ranked[k])
        if exact_whole is not None and exact_partial is not None:
            afford(trial, exact_whole, exact_partial)
            exact_whole = exact_whole + exact_partial
    holds = covers(total, exact_whole, whole)
    words = "the sum over all ranks,", whole
    trial.require("total-queue", holds, "claim.mean_total_queue", words, total)
