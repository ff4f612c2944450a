"""Kind `softmax-drift`: the claim becomes `drift_claim`, and `attained` for a claimed state."""

from proofs_checks.checker.reader import Items, Node
from proofs_checks.coq.kinds.routing import Routing, domain_proof, hypotheses, precision, routing
from proofs_checks.coq.text import Parts, integer, many, real

MAX_SERVERS = 50


def export(claim: Node, witness: Node) -> Parts:
    """The statement and its proof; Skipped above the limits."""
    fields = claim.record("system eps R mean_queue_bound", "sharp_R attained")
    sharp = "sharp_R" in fields
    hints = witness.record("precision excess shares" + " point" * sharp, "sharp_shares" * sharp)
    system = routing(fields["system"], MAX_SERVERS)
    bits = precision(hints["precision"])
    excess = real(hints["excess"].exact())
    constants = ["crude", "sharp"] if sharp else ["crude"]
    values = [fields[name].exact() for name in ("R", "sharp_R")[: len(constants)]]
    definitions = [
        *system.definitions,
        f"Definition eps : R := {real(fields['eps'].exact())}.",
        *(
            f"Definition {name} : R := {real(value)}."
            for name, value in zip(constants, values, strict=True)
        ),
    ]
    smaller = values.index(min(values))
    definitions.append(f"Definition bound : R := {real(fields['mean_queue_bound'].exact())}.")
    proposition = [system.domain, f"drift_claim S eps {many(constants)} bound"]
    lemmas = [
        *hypotheses(system),
        *_shares("rows", hints["shares"], system, bits),
        "Lemma drift_crude : drift S eps crude.",
        "Proof.",
        f"  apply (DriftCertificate.certified S eps crude {excess} rows system_ok rows_ok).",
        "  - lra.",
        f"  - excess_allowed S {bits}.",
        f"  - constants_below rows ltac:(unfold base, S, eps, crude) unfold_servers {bits}.",
        "Qed.",
    ]
    if sharp:
        lemmas += _sharp(hints, system, bits)
    proof = [
        f"split; [{domain_proof(system)[:-1]} |].",
        *(["split."] if "attained" in fields else []),
        "{ split; [exact system_ok |]. split; [unfold eps; lra |]. split.",
        *(f"  - apply Forall_cons; [exact drift_{name} |]." for name in constants[:1]),
        *(f"    apply Forall_cons; [exact drift_{name} |]." for name in constants[1:]),
        "    apply Forall_nil.",
        "  - "
        + "apply Exists_cons_tl. " * smaller
        + f"apply Exists_cons_hd. unfold eps, bound, {constants[smaller]}; lra.",
        "}",
    ]
    if "attained" in fields:
        state = fields["attained"].record("state value")
        queues = [_queue(item) for item in _items(state["state"], system.count)]
        definitions += [
            f"Definition queues : list Z := {many(queues)}%Z.",
            f"Definition value : R := {real(state['value'].exact())}.",
        ]
        proposition.append("attained S eps queues value")
        places = many(f"(server_{i}, {queue}%Z)" for i, queue in enumerate(queues))
        lemmas.append(f"Definition places : list (server * Z) := {places}.")
        proof += [
            "apply (attained_value S eps value places).",
            "- cbn. lia.",
            "- reflexivity.",
            "- unfold places; each_row ltac:(cbn [snd]; lia).",
            f"- value_reached places ltac:(unfold S, eps, value) unfold_servers {bits}.",
        ]
    return Parts(
        library="Enclose",
        definitions=definitions,
        proposition=" /\\ ".join(proposition),
        lemmas=lemmas,
        proof=proof,
        part="all but that the bound is one of the mean queue",
    )


def _shares(name: str, node: Node, system: Routing, bits: str) -> list[str]:
    """The shares as rows and the lemma that they are feasible."""
    shares = [item.exact() for item in _items(node, system.count)]
    rows = many(f"(server_{i}, {real(share)})" for i, share in enumerate(shares))
    return [
        f"Definition {name} : list (server * R) := {rows}.",
        f"Lemma {name}_ok : feasible S eps {name}.",
        f"Proof. unfold eps, S. feasible_shares {name} unfold_servers {bits} {system.power}. Qed.",
    ]


def _sharp(hints: dict[str, Node], system: Routing, bits: str) -> list[str]:
    """The second constant: its own shares if there are any, and the point."""
    lemmas, rows = [], "rows"
    if "sharp_shares" in hints:
        rows = "sharp_rows"
        lemmas = _shares(rows, hints["sharp_shares"], system, bits)
    shares = [
        item.exact() for item in _items(hints.get("sharp_shares", hints["shares"]), system.count)
    ]
    point = [item.exact() for item in _items(hints["point"], system.count)]
    points = many(
        f"(server_{i}, {real(share)}, {real(p)})"
        for i, (share, p) in enumerate(zip(shares, point, strict=True))
    )
    return [
        *lemmas,
        f"Definition points : list (server * R * R) := {points}.",
        "Lemma drift_sharp : drift S eps sharp.",
        "Proof.",
        f"  apply (certified_sharp S eps sharp {rows} points system_ok {rows}_ok).",
        "  - reflexivity.",
        "  - unfold points; each_row ltac:(cbn [snd]; lra).",
        "  - constants_below points",
        f"      ltac:(unfold sharp_base, S, eps, sharp) unfold_servers {bits}.",
        "Qed.",
    ]


def _queue(node: Node) -> str:
    queue = node.exact()
    if queue.denominator != 1:
        raise node.bad("a whole number")
    return f"({integer(queue.numerator)})"


def _items(node: Node, count: int) -> Items:
    items = node.items()
    if len(items) != count:
        raise node.bad(f"{count} numbers")
    return items
