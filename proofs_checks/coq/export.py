"""A certificate becomes a Coq file: its claim the statement, its witness the hints of the proof.

Nothing that decides is computed here. A wrong exporter can make a proof fail; it cannot make Coq
accept a false statement, and a reader compares the printed statement with the certificate.
"""

from dataclasses import dataclass

from proofs_checks.checker.reader import Limits, parse
from proofs_checks.coq.kinds import KINDS
from proofs_checks.coq.text import Skipped, identifier

LIMITS = Limits(file_bytes=4 << 20, digits=8_000)
MAX_SOURCE = 150_000  # characters; a law of 100 sizes has 60,000 and takes Coq half a minute


@dataclass(frozen=True)
class Export:
    """A generated file: the kind, the theorem's name, what it states, and the whole source.

    `part` says which part of the claim is stated, where it is not all of it, and `beyond` what the
    kind's theorem says of the same numbers beyond the statement.
    """

    kind: str
    theorem: str
    statement: str
    source: str
    part: str = ""
    beyond: str = ""


def export(data: bytes, stem: str) -> Export:
    """The Coq file of the certificate in `data`; `stem` is its file name without the suffix.

    Raises Refusal when the bytes are no certificate or a field has the wrong form, and Skipped
    when the kind, or this instance of it, is not attempted.
    """
    kind, claim, witness = parse(data, LIMITS)
    try:
        if kind not in KINDS:
            raise Skipped("no Coq theorem for this kind")
        parts = KINDS[kind](claim, witness)
    except Skipped as reason:
        reason.kind = kind
        raise
    theorem = identifier(kind, stem)
    imported = f"From Queues Require Import {parts.library}."
    statement = [*parts.definitions, "", f"Definition claim : Prop := {parts.proposition}."]
    source = [
        f"(** Generated from a certificate of the kind {kind}. *)",
        "From Coq Require Import Reals Lra List QArith Qreals.",
        imported,
        "Import ListNotations.",
        "Open Scope R_scope.",
        "",
        "(** * Statement: from the claim alone *)",
        *statement,
        "",
        "(** * Proof: with the hints of the witness *)",
        *parts.lemmas,
        "",
        f"Theorem {theorem} : claim.",
        "Proof.",
        "  unfold claim.",
        *(f"  {line}" for line in parts.proof),
        "Qed.",
        "",
        "(** * What was proved, and on which axioms it rests *)",
        f"Check ({theorem} : claim).",
        f"Print Assumptions {theorem}.",
        "",
    ]
    text = "\n".join(source)
    if len(text) > MAX_SOURCE:
        large = Skipped(f"a Coq file of {len(text)} characters, more than {MAX_SOURCE}")
        large.kind = kind
        raise large
    shown = "\n".join([imported, *statement, f"Theorem {theorem} : claim."])
    return Export(kind, theorem, shown, text, parts.part, parts.beyond)
