"""Kind `softmax-obstruction`: of the claim, the drift on the diagonal becomes `diagonal_claim`."""

from proofs_checks.checker.reader import Node
from proofs_checks.coq.kinds.routing import domain_proof, hypotheses, precision, routing
from proofs_checks.coq.text import Parts, Skipped, decimal

MAX_SERVERS = 50
PEAKS = ("max_boundary_term", "max_boundary_gap", "max_gap")
COUNTS = (
    "radius states boundary_states positive_boundary_states positive_coordinate_states "
    "undecided_states"
)


def export(claim: Node, witness: Node) -> Parts:
    """The statement and its proof; Skipped where nothing is claimed of the diagonal."""
    peaks = " ".join(f"{name} {name}_state" for name in PEAKS)
    fields = claim.record(f"system {COUNTS} {peaks}", "interior_drift diagonal_drift origin_term")
    bits = precision(witness.record("precision")["precision"])
    if "diagonal_drift" not in fields:
        raise Skipped("no claim about the diagonal, the only part of this kind that is formalised")
    system = routing(fields["system"], MAX_SERVERS)
    low, high = fields["diagonal_drift"].interval()
    return Parts(
        library="Enclose Obstruction",
        definitions=[
            *system.definitions,
            f"Definition low : Q := {decimal(low)}.",
            f"Definition high : Q := {decimal(high)}.",
        ],
        proposition=f"{system.domain} /\\ diagonal_claim S low high",
        lemmas=hypotheses(system),
        proof=[
            f"split; [{domain_proof(system)[:-1]} |].",
            f"apply (diagonal_certified S {system.count} server_0 low high system_ok).",
            "- lia.",
            "- reflexivity.",
            f"- diagonal_between {system.count}%nat ltac:(unfold S, low, high) server_0 {bits}.",
        ],
        only="diagonal_drift",
    )
