"""Kind `softmax-equilibrium`: the claim becomes `equilibrium_claim`, one lemma per server."""

from fractions import Fraction

from proofs_checks.checker.reader import Node
from proofs_checks.coq.kinds.routing import Routing, domain_proof, hypotheses, precision, routing
from proofs_checks.coq.text import Parts, Skipped, decimal, many

MAX_SERVERS = 100


def export(claim: Node, witness: Node) -> Parts:
    """The statement and its proof; Skipped for the summary form, which lists no servers."""
    if isinstance(claim.value, dict) and "servers" in claim.value:
        raise Skipped("the summary form lists no servers")
    fields = claim.record("system K theta queue active undecided")
    system = routing(fields["system"], MAX_SERVERS)
    bits = precision(witness.record("precision")["precision"])
    states = ["Inactive"] * system.count
    for name in ("active", "undecided"):
        for index in _indices(fields[name], system.count):
            if states[index] != "Inactive":
                raise fields[name].bad("indices disjoint from active")
            states[index] = name.capitalize()
    bounds = [_intervals(fields[name], system.count) for name in ("theta", "queue")]
    low, high = (decimal(end) for end in fields["K"].interval())
    entries = [
        f"Definition entry_{i} := {{| theta_low := {decimal(theta[0])}; "
        f"theta_high := {decimal(theta[1])}; queue_low := {decimal(queue[0])}; "
        f"queue_high := {decimal(queue[1])}; state_of := {state} |}}."
        for i, (theta, queue, state) in enumerate(zip(*bounds, states, strict=True))
    ]
    return Parts(
        library="Enclose",
        definitions=[
            *system.definitions,
            f"Definition low : Q := {low}.",
            f"Definition high : Q := {high}.",
            *entries,
            f"Definition entries := {many(system.names('entry'))}.",
        ],
        proposition=f"{system.domain} /\\ equilibrium_claim S low high entries",
        lemmas=[*hypotheses(system), *_placed(system, states, bits)],
        proof=[
            f"split; [{domain_proof(system)[:-1]} |].",
            "apply (Equilibrium.certified S low high entries marks_low marks_high system_ok).",
            "- unfold low; numbers; lra.",
            "- unfold low, high; numbers; lra.",
            "- exact all_placed.",
            "- reflexivity.",
            "- reflexivity.",
            f"- unfold S. crossing marks_low low unfold_servers {bits}.",
            f"- unfold S. crossing marks_high high unfold_servers {bits}.",
        ],
    )


def _placed(system: Routing, states: list[str], bits: str) -> list[str]:
    """One lemma per server, then all of them in one list."""
    lemmas = []
    for name, busy in (("marks_low", {"Active", "Undecided"}), ("marks_high", {"Active"})):
        marks = ["true" if state in busy else "false" for state in states]
        pairs = many(f"(server_{i}, {mark})" for i, mark in enumerate(marks))
        lemmas.append(f"Definition {name} := {pairs}.")
    for i, state in enumerate(states):
        lemmas += [
            f"Lemma placed_{i} : placed {system.alpha} low high server_{i} entry_{i}.",
            f"Proof. place_{state.lower()} server_{i} entry_{i} low high good_{i} {bits}. Qed.",
        ]
    return [
        *lemmas,
        "Lemma all_placed : Forall2 (placed (alpha S) low high) (servers S) entries.",
        "Proof.",
        *(f"  apply Forall2_cons; [exact placed_{i} |]." for i in range(system.count)),
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
