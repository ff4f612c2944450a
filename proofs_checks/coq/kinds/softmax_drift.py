"""Kind `softmax-drift`: the claim becomes `drift_claim`, and a second drift for `sharp_R`."""

from fractions import Fraction

from proofs_checks.checker.reader import Node
from proofs_checks.coq.kinds.routing import domain_proof, hypotheses, precision, routing
from proofs_checks.coq.text import Parts, many, real

MAX_SERVERS = 50


def export(claim: Node, witness: Node) -> Parts:
    """The statement and its proof; Skipped above the limits."""
    fields = claim.record("system eps R mean_queue_bound", "sharp_R")
    sharp = "sharp_R" in fields
    hints = witness.record("precision excess shares" + (" point" if sharp else ""))
    system = routing(fields["system"], MAX_SERVERS)
    bits = precision(hints["precision"])
    shares = _numbers(hints["shares"], system.count)
    rows = [f"(server_{i}, {real(share)})" for i, share in enumerate(shares)]
    eps, constant = fields["eps"].exact(), fields["R"].exact()
    definitions = [
        *system.definitions,
        f"Definition eps : R := {real(eps)}.",
        f"Definition constant : R := {real(constant)}.",
        f"Definition bound : R := {real(fields['mean_queue_bound'].exact())}.",
    ]
    lemmas = [
        *hypotheses(system),
        f"Definition rows := {many(rows)}.",
        "Lemma shares_ok : feasible S eps rows.",
        f"Proof. unfold eps, S. feasible_shares rows unfold_servers {bits}. Qed.",
        "Lemma lambert : drift_claim S eps constant bound.",
        "Proof.",
        f"  apply (DriftCertificate.certified S eps constant bound {real(hints['excess'].exact())} rows).",
        "  - exact system_ok.",
        "  - exact shares_ok.",
        "  - unfold eps; lra.",
        "  - unfold eps, constant, bound; lra.",
        "  - lra.",
        f"  - excess_allowed S {bits}.",
        f"  - constants_below rows ltac:(unfold base, S, constant) unfold_servers {bits}.",
        "Qed.",
    ]
    proposition = f"{system.domain} /\\ drift_claim S eps constant bound"
    proof = [f"split; [{domain_proof(system)[:-1]} |]."]
    if not sharp:
        return Parts("Enclose", definitions, proposition, lemmas, [*proof, "exact lambert."])
    definitions.append(f"Definition sharp : R := {real(fields['sharp_R'].exact())}.")
    points = [
        f"({row}, {real(number)})"
        for row, number in zip(rows, _numbers(hints["point"], system.count), strict=True)
    ]
    lemmas += [
        f"Definition points := {many(points)}.",
        "Lemma tangent : drift S eps sharp.",
        "Proof.",
        "  apply (DriftCertificate.certified_sharp S eps sharp rows points).",
        "  - exact system_ok.",
        "  - exact shares_ok.",
        "  - reflexivity.",
        "  - unfold points; each_row ltac:(cbn [snd]; lra).",
        f"  - constants_below points ltac:(unfold sharp_base, S, sharp) unfold_servers {bits}.",
        "Qed.",
    ]
    proposition += " /\\ drift S eps sharp"
    proof.append("split; [exact lambert | exact tangent].")
    return Parts("Enclose", definitions, proposition, lemmas, proof)


def _numbers(node: Node, count: int) -> list[Fraction]:
    numbers = [item.exact() for item in node.items()]
    if len(numbers) != count:
        raise node.bad(f"{count} numbers")
    return numbers
