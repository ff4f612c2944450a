"""Kind `rank-gaps`: the exact claims for the system with pauses become `gaps_claim`."""

from math import isqrt

from proofs_checks.checker.reader import Node
from proofs_checks.coq.text import Parts, Skipped, integer, many, rational

MAX_SERVERS = 100
BEYOND = "that no other law is stationary"
LISTS = {
    "ratios": "rho",
    "gap_means": "mean_gaps",
    "gap_variances": "gap_variances",
    "queue_means": "mean_ranked_queues",
}
NUMBERS = {
    "all_mean": "mean_total_queue",
    "not_idle": "no_idle",
    "not_tied": "no_tie",
    "flow": "throughput",
    "paused": "paused_fraction",
}


def export(claim: Node, witness: Node) -> Parts:
    """The statement and its proof; Skipped for other dynamics and for numbers not rational."""
    value = claim.value if isinstance(claim.value, dict) else {}
    if value.get("dynamics") == "original":
        raise Skipped("the bounds for the original dynamics are not formalised")
    by_rates = "arrival_rates" in value
    problem = "arrival_rates service_rates" if by_rates else "a b stability_threshold"
    names = " ".join([*LISTS.values(), *NUMBERS.values()])
    fields = claim.record(f"dynamics servers {problem} gaps {names}")
    witness.record("arithmetic precision")
    fields["dynamics"].name("paused")
    servers = fields["servers"].count()
    if servers > MAX_SERVERS:
        raise Skipped(f"{servers} servers, more than {MAX_SERVERS}")
    gaps = many(integer(node.count()) for node in fields["gaps"].items())
    figures = [f"listed := {gaps}%Z"]
    for name, field in LISTS.items():
        numbers = many(_number(node) for node in fields[field].items())
        figures.append(f"{name} := {numbers}%Q")
    figures += [f"{name} := {_number(fields[field])}" for name, field in NUMBERS.items()]
    definitions = [
        f"Definition n : nat := {servers}%nat.",
        "Definition x : figures := {|",
        *(f"  {line};" for line in figures[:-1]),
        f"  {figures[-1]} |}}.",
    ]
    if by_rates:
        return _by_rates(fields, definitions)
    a, b, critical = (_number(fields[name]) for name in problem.split())
    return Parts(
        library="RankModel RankGaps",
        definitions=[
            *definitions,
            f"Definition a : Q := {a}.",
            f"Definition b : Q := {b}.",
            f"Definition critical : Q := {critical}.",
        ],
        proposition="marginal_domain n a b /\\ gaps_claim n (marginal n a b) x "
        "/\\ threshold_claim n a critical",
        lemmas=[
            f"Lemma checked : check_marginal n {isqrt(servers)}%nat a b critical x = true.",
            "Proof. vm_cast_no_check (eq_refl true). Qed.",
        ],
        proof=["exact (certified_marginal n _ a b critical x checked)."],
        beyond=BEYOND,
    )


def _by_rates(fields: dict[str, Node], definitions: list[str]) -> Parts:
    """The statement for arbitrary rates."""
    offered, served = (
        [_number(node) for node in fields[name].items()]
        for name in ("arrival_rates", "service_rates")
    )
    if len(offered) != len(served):
        raise fields["service_rates"].bad(f"{len(offered)} rates")
    pairs = many(f"({lam}, {mu})" for lam, mu in zip(offered, served, strict=True))
    return Parts(
        library="RankModel RankGaps",
        definitions=[*definitions, f"Definition rates : list (Q * Q) := {pairs}%Q."],
        proposition="gaps_claim n (by_rates rates) x",
        lemmas=[
            "Lemma checked : check n rates x = true.",
            "Proof. vm_cast_no_check (eq_refl true). Qed.",
        ],
        proof=["exact (certified n rates x checked)."],
        beyond=BEYOND,
    )


def _number(node: Node) -> str:
    """A rational; Skipped for an interval and for p + q sqrt(n)."""
    if isinstance(node.value, dict):
        kind = "an interval" if "lo" in node.value else "a number p + q sqrt(n)"
        raise Skipped(f"{node.path} is {kind}: only rational numbers are covered")
    return rational(node.exact())
