"""Kind `fluid-value`: the claim becomes `value_claim`, the proof one evaluation by the kernel."""

from proofs_checks.checker.reader import Items, Node
from proofs_checks.coq.text import Parts, Skipped, many, rational

MAX_ATOMS = 100
FORM = "cxx cxd cdd".split()


def export(claim: Node, witness: Node) -> Parts:
    """The statement and its proof; Skipped for laws that the theory does not cover."""
    fields = claim.record("law load values saving", "sectors")
    if "sectors" not in fields:
        raise Skipped("a claim without sectors: the theory has no recurrence over the sizes")
    witness.record("")
    described = fields["law"].record("atoms", "scale")
    atoms = [[number.exact() for number in _tuple(atom, 2)] for atom in described["atoms"].items()]
    if len(atoms) == 1:
        raise Skipped("a point mass has a closed form of its own, which the theory does not cover")
    if len(atoms) > MAX_ATOMS:
        raise Skipped(f"{len(atoms)} atoms, more than {MAX_ATOMS}")
    law = [f"{{| size := {rational(size)}; mass := {rational(mass)} |}}" for size, mass in atoms]
    sectors = []
    for sector in fields["sectors"].items():
        parts = sector.record("from to value")
        names = ["from", "to", *FORM]
        numbers = [parts["from"], parts["to"], *_tuple(parts["value"], 3)]
        pairs = zip(names, numbers, strict=True)
        body = "; ".join(f"{name} := {rational(number.exact())}" for name, number in pairs)
        sectors.append(f"{{| {body} |}}")
    values = []
    for item in fields["values"].items():
        pair = item.record("imbalance value")
        z, value = pair["imbalance"].exact(), pair["value"].exact()
        values.append(f"({rational(z)}, {rational(value)})")
    scale = described["scale"].exact() if "scale" in described else None
    given = [] if scale is None else [f"Definition scale : Q := {rational(scale)}."]
    return Parts(
        library="FluidModel FluidValue",
        definitions=[
            *given,
            f"Definition law : list atom := {_lines(law)}.",
            f"Definition load : Q := {rational(fields['load'].exact())}.",
            f"Definition sectors : list sector := {_lines(sectors)}.",
            f"Definition values : list (Q * Q) := {_lines(values)}%Q.",
            f"Definition saving : Q := {rational(fields['saving'].exact())}.",
        ],
        proposition="(0 < scale)%Q /\\ " * len(given)
        + "value_claim law load sectors values saving",
        lemmas=[
            "Lemma checked : check_value law load sectors values saving = true.",
            "Proof. vm_cast_no_check (eq_refl true). Qed.",
        ],
        proof=[
            *("split; [exact eq_refl |]." for _ in given),
            "exact (certified law load sectors values saving checked).",
        ],
        beyond="controls that are only measurable",
    )


def _tuple(node: Node, length: int) -> Items:
    items = node.items()
    if len(items) != length:
        raise node.bad(f"a list of {length}")
    return items


def _lines(items: list[str]) -> str:
    return many(["\n  " + item for item in items]) if items else "[]"
