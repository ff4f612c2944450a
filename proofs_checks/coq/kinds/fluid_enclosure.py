"""Kind `fluid-enclosure`, as a sample: laws uniform on an interval, by closed forms."""

from fractions import Fraction

from proofs_checks.checker.reader import Node
from proofs_checks.coq.kinds.routing import precision
from proofs_checks.coq.text import Parts, Skipped, decimal, many, rational, real


def export(claim: Node, witness: Node) -> Parts:
    """The statement and its proof; Skipped for other laws and for a load below 1/2."""
    fields = claim.record("law load exit_cutoff saving values", "path")
    law = fields["law"].value
    if not isinstance(law, dict) or law.get("family") != "uniform":
        raise Skipped("only laws that are uniform on an interval are formalised, as a sample")
    lowest, load = fields["law"].record("family lowest")["lowest"].exact(), fields["load"].exact()
    if fields["exit_cutoff"].value == "infinity":
        raise Skipped("an infinite exit cutoff")
    bits = precision(witness.record("precision knots terms")["precision"])
    definitions = [
        f"Definition a : R := {real(lowest)}.",
        f"Definition load : R := {real(load)}.",
        f"Definition exit_in : Q * Q := {_ends(fields['exit_cutoff'])}.",
        f"Definition saving_in : Q * Q := {_ends(fields['saving'])}.",
    ]
    lemmas = [
        "Lemma a_range : 0 <= a < 1. Proof. unfold a; lra. Qed.",
        "Lemma load_range : 1 / 2 <= load < 1. Proof. unfold load; lra. Qed.",
        "Lemma exit_right : between exit_in (exit_at a load).",
        f"Proof. enclosed ltac:(unfold a, load, exit_in) {bits}. Qed.",
        "Lemma saving_right : between saving_in (/ reach_lower a load 0).",
        f"Proof. enclosed ltac:(unfold a, load, saving_in) {bits}. Qed.",
    ]
    rows = []
    for index, item in enumerate(fields["values"].items()):
        parts = item.record("imbalance value cutoff time")
        z = parts["imbalance"].exact()
        rows.append(f"row_{index}")
        definitions.append(
            f"Definition row_{index} := {{| imbalance := {rational(z)}; "
            f"cutoff_in := {_ends(parts['cutoff'])}; value_in := {_ends(parts['value'])}; "
            f"time_in := {_ends(parts['time'])} |}}."
        )
        tactic = _tactic(z, parts["cutoff"].interval(), lowest)
        lemmas += [
            f"Lemma row_{index}_right : row_claim a load (exit_at a load) row_{index}.",
            f"Proof. {tactic} a_range load_range ltac:(unfold a, load, row_{index}) {bits}. Qed.",
        ]
    definitions.append(f"Definition rows := {many(rows)}.")
    return Parts(
        library="FluidUniform",
        definitions=definitions,
        proposition="uniform_claim a load exit_in saving_in rows",
        lemmas=lemmas,
        proof=[
            "apply (uniform_certified a load exit_in saving_in rows a_range load_range).",
            "- exact exit_right.",
            "- exact saving_right.",
            *(f"- apply Forall_cons; [exact {row}_right |]." for row in rows[:1]),
            *(f"  apply Forall_cons; [exact {row}_right |]." for row in rows[1:]),
            "  apply Forall_nil.",
        ],
        part="only the formulas of the page, not that they are least costs"
        + ", and nothing of the path" * ("path" in fields),
    )


def _tactic(z: Fraction, cutoff: tuple[Fraction, Fraction], lowest: Fraction) -> str:
    """Which lemma proves a row: a hint, whose conditions Coq tests."""
    if z == 0:
        return "tied_row"
    if z == 1:
        return "axis_row"
    return "row_by row_lower" if cutoff[1] <= lowest else "row_by row_upper"


def _ends(node: Node) -> str:
    """The ends of an interval."""
    low, high = node.interval()
    return f"({decimal(low)}, {decimal(high)})"
