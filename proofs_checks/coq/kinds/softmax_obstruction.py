"""Kind `softmax-obstruction`: the grid, the drift at a state, on the diagonal, and the origin."""

from math import comb

from proofs_checks.checker.reader import Node
from proofs_checks.coq.kinds.routing import (
    domain_proof,
    hypotheses,
    precision,
    rational_data,
    routing,
)
from proofs_checks.coq.text import Parts, Skipped, decimal, many, rational

MAX_SERVERS = 50
MAX_WORK = 10_000  # logarithms over the grid; Coq needs several milliseconds for each
PEAKS = {
    "max_term": "max_boundary_term",
    "max_edge_gap": "max_boundary_gap",
    "max_gap": "max_gap",
}
COUNTS = {
    "states": "states",
    "boundary_states": "boundary_states",
    "positive_states": "positive_boundary_states",
    "positive_coordinate_states": "positive_coordinate_states",
    "undecided": "undecided_states",
}


def export(claim: Node, witness: Node) -> Parts:
    """The statement and its proof; Skipped for grids above the limit."""
    peaks = " ".join(f"{name} {name}_state" for name in PEAKS.values())
    fields = claim.record(
        f"system radius {' '.join(COUNTS.values())} {peaks}",
        "interior_drift diagonal_drift origin_term",
    )
    bits = precision(witness.record("precision")["precision"])
    system = routing(fields["system"], MAX_SERVERS)
    radius = fields["radius"].count()
    if radius > 200 or comb(system.count + radius, radius) * 2 * system.count > MAX_WORK:
        raise Skipped(f"a grid of radius {radius} for {system.count} servers is too large")
    counts = "; ".join(f"{name} := {_count(fields[field])}" for name, field in COUNTS.items())
    names = " ".join(PEAKS)
    definitions = [
        *system.definitions,
        f"Definition radius : nat := {radius}%nat.",
        f"Definition c : counts := {{| {counts} |}}.",
        *(_peak(name, fields[field], fields[f"{field}_state"]) for name, field in PEAKS.items()),
    ]
    parts = [f"obstruction_claim S radius c {names}"]
    lemmas = [
        *hypotheses(system),
        f"Definition d : data := {rational_data(fields['system'])}.",
        "Lemma same : S = system_of d. Proof. same_system ltac:(unfold S, fleet, d) "
        "unfold_servers. Qed.",
        f"Lemma grid_checked : check_grid {bits} d {system.count} radius c {names} = true.",
        "Proof. vm_cast_no_check (eq_refl true). Qed.",
    ]
    proofs = [f"exact (grid_certified {bits} S d _ radius c {names} system_ok same grid_checked)."]
    if "interior_drift" in fields:
        inner = fields["interior_drift"].record("state value")
        definitions.append(f"Definition interior : list nat := {_state(inner['state'])}.")
        definitions += _ends("interior", inner["value"])
        parts.append("interior_claim S interior interior_low interior_high")
        lemmas += [
            f"Lemma interior_checked : check_interior {bits} d interior interior_low "
            "interior_high = true.",
            "Proof. vm_cast_no_check (eq_refl true). Qed.",
        ]
        proofs.append(
            f"exact (interior_certified {bits} S d interior _ _ system_ok same interior_checked)."
        )
    alike = f"S {system.count} server_0"
    if "diagonal_drift" in fields:
        definitions += _ends("diagonal", fields["diagonal_drift"])
        parts.append("diagonal_claim S diagonal_low diagonal_high")
        proofs.append(
            f"apply (diagonal_certified {alike} _ _ system_ok); [lia | reflexivity | "
            f"diagonal_between {system.count}%nat ltac:(unfold S, diagonal_low, diagonal_high) "
            f"server_0 {bits}]."
        )
    if "origin_term" in fields:
        definitions.append(f"Definition origin : Q := {rational(fields['origin_term'].exact())}.")
        parts.append("origin_claim S origin")
        proofs.append(
            f"apply (origin_certified {alike}); [lia | reflexivity | "
            f"origin_exact {system.count}%nat ltac:(unfold S, origin) server_0 "
            f"{system.power.split()[0]}]."
        )
    last = proofs.pop()
    return Parts(
        library="Enclose Obstruction ObstructionGrid ObstructionCheck",
        definitions=definitions,
        proposition=" /\\ ".join([system.domain, *parts]),
        lemmas=lemmas,
        proof=[
            f"split; [{domain_proof(system)[:-1]} |].",
            *(f"split; [{proof[:-1]} |]." for proof in proofs),
            last,
        ],
        beyond="that the drift is near this at infinitely many states"
        * ("interior_drift" in fields),
    )


def _peak(name: str, interval: Node, state: Node) -> str:
    """A claimed maximum with the state that reaches its lower end."""
    low, high = interval.interval()
    return (
        f"Definition {name} : peak := {{| peak_low := {decimal(low)}; "
        f"peak_high := {decimal(high)}; peak_at := {_state(state)} |}}."
    )


def _ends(name: str, node: Node) -> list[str]:
    """The ends of an interval."""
    ends = zip(("low", "high"), node.interval(), strict=True)
    return [f"Definition {name}_{side} : Q := {decimal(end)}." for side, end in ends]


def _state(node: Node) -> str:
    return many(_count(item) for item in node.items()) + "%nat"


def _count(node: Node) -> str:
    """A natural number, which Coq writes as so many successors of zero."""
    if node.count() > MAX_WORK:
        raise Skipped(f"{node.path} is {node.count()}, more than {MAX_WORK}")
    return str(node.count())
