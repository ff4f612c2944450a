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
    low, high = fields["K"].interval()
    busy = [_busy(state, theta, low, high) for state, theta in zip(states, bounds[0], strict=True)]
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
            f"Definition low : Q := {decimal(low)}.",
            f"Definition high : Q := {decimal(high)}.",
            *entries,
            f"Definition entries := {many(system.names('entry'))}.",
        ],
        proposition=f"{system.domain} /\\ equilibrium_claim S low high entries",
        lemmas=[*hypotheses(system), *_placed(system, states, busy, bits)],
        proof=[
            f"split; [{domain_proof(system)[:-1]} |].",
            "apply (Equilibrium.certified S low high entries rows system_ok).",
            "- unfold low; numbers; lra.",
            "- unfold low, high; numbers; lra.",
            "- reflexivity.",
            "- reflexivity.",
            "- exact all_placed.",
            f"- unfold S. crossing rows low unfold_servers {bits}.",
            f"- unfold S. crossing rows high unfold_servers {bits}.",
        ],
    )


def _busy(
    state: str, theta: tuple[Fraction, Fraction], low: Fraction, high: Fraction
) -> tuple[str, str]:
    """Whether theta is at least low, and at least high: a hint, which Coq tests."""
    if state == "Active" or (state == "Undecided" and theta[0] > high):
        return "true", "true"
    if state == "Inactive" or theta[1] < low:
        return "false", "false"
    return "true", "false"


def _placed(
    system: Routing, states: list[str], busy: list[tuple[str, str]], bits: str
) -> list[str]:
    """One lemma per server, then all of them in one list."""
    rows = many(f"(server_{i}, entry_{i}, ({b}, {c}))" for i, (b, c) in enumerate(busy))
    lemmas = [f"Definition rows : list row := {rows}."]
    for i, state in enumerate(states):
        marks = " ".join(busy[i])
        lemmas += [
            f"Lemma placed_{i} : placed {system.alpha} low high server_{i} entry_{i} {marks}.",
            f"Proof. place_{state.lower()} server_{i} entry_{i} low high good_{i} {bits}. Qed.",
        ]
    return [
        *lemmas,
        "Lemma all_placed : Forall (fun r => placed (alpha S) low high",
        "  (fst (fst r)) (snd (fst r)) (fst (snd r)) (snd (snd r))) rows.",
        "Proof.",
        *(f"  apply Forall_cons; [exact placed_{i} |]." for i in range(system.count)),
        "  apply Forall_nil.",
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
