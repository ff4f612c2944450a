"""Kind `softmax-equilibrium`: the claim becomes `equilibrium_claim`, one lemma per server."""

from fractions import Fraction

from proofs_checks.checker.reader import Node
from proofs_checks.coq.kinds.routing import Routing, domain_proof, hypotheses, precision, routing
from proofs_checks.coq.text import Parts, Skipped, many, rational

MAX_SERVERS = 100


def export(claim: Node, witness: Node) -> Parts:
    """The statement and its proof; Skipped for the summary form and undecided servers."""
    if isinstance(claim.value, dict) and "servers" in claim.value:
        raise Skipped("the summary form lists no servers")
    fields = claim.record("system K theta queue active undecided")
    if fields["undecided"].items(empty=True):
        raise Skipped("undecided servers have no statement in the theory")
    system = routing(fields["system"], MAX_SERVERS)
    bits = precision(witness.record("precision")["precision"])
    active = _indices(fields["active"], system.count)
    bounds = [_intervals(fields[name], system.count) for name in ("theta", "queue")]
    low, high = fields["K"].interval()
    marks = ["true" if index in active else "false" for index in range(system.count)]
    entries = [
        f"Definition entry_{i} := {{| theta_low := {rational(theta[0])}; "
        f"theta_high := {rational(theta[1])}; queue_low := {rational(queue[0])}; "
        f"queue_high := {rational(queue[1])}; active := {mark} |}}."
        for i, (theta, queue, mark) in enumerate(zip(*bounds, marks, strict=True))
    ]
    return Parts(
        library="Enclose",
        definitions=[
            *system.definitions,
            f"Definition low : Q := {rational(low)}.",
            f"Definition high : Q := {rational(high)}.",
            *entries,
            f"Definition entries := {many(system.names('entry'))}.",
        ],
        proposition=f"{system.domain} /\\ equilibrium_claim S low high entries",
        lemmas=[*hypotheses(system), *_located(system, marks, bits)],
        proof=[
            f"split; [{domain_proof(system)[:-1]} |].",
            "apply (Equilibrium.certified S low high entries marks system_ok).",
            "- unfold low; numbers; lra.",
            "- exact all_located.",
            "- reflexivity.",
            "- unfold S, marks; cbn [busy lambda]; unfold_servers; functions; lra.",
            f"- root_between S marks low unfold_servers {bits}.",
            f"- root_between S marks high unfold_servers {bits}.",
        ],
    )


def _located(system: Routing, marks: list[str], bits: str) -> list[str]:
    """One lemma per server, then all of them in one list."""
    pairs = [f"(server_{i}, {mark})" for i, mark in enumerate(marks)]
    lemmas = [f"Definition marks := {many(pairs)}."]
    for i, mark in enumerate(marks):
        tactic = "locate_active" if mark == "true" else "locate_inactive"
        lemmas += [
            f"Lemma located_{i} K : Q2R low <= K <= Q2R high -> "
            f"located {system.alpha} K server_{i} entry_{i}.",
            f"Proof. {tactic} server_{i} entry_{i} low high good_{i} {bits}. Qed.",
        ]
    return [
        *lemmas,
        "Lemma all_located K : Q2R low <= K <= Q2R high ->",
        "  Forall2 (located (alpha S) K) (servers S) entries.",
        "Proof.",
        "  intros H.",
        *(f"  apply Forall2_cons; [exact (located_{i} K H) |]." for i in range(system.count)),
        "  apply Forall2_nil.",
        "Qed.",
    ]


def _indices(node: Node, count: int) -> list[int]:
    indices = [item.count() for item in node.items(empty=True)]
    if indices != sorted(set(indices)) or (indices and indices[-1] >= count):
        raise node.bad("sorted server indices")
    return indices


def _intervals(node: Node, count: int) -> list[tuple[Fraction, Fraction]]:
    intervals = [item.interval() for item in node.items()]
    if len(intervals) != count:
        raise node.bad(f"{count} intervals")
    return intervals
