"""The theorem pages: what a verdict took from them, and which identities each of them uses."""

import re
from pathlib import Path

from proofs_checks.checker.kinds import KINDS
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Refusal

PAGES = Path(__file__).parent.parent / "theorems"
SECTION = "## Identities used"
ENTRY = re.compile(r"- `([a-z0-9][a-z0-9.-]*)`: ")


def explain(kind: str, tested: dict[str, int], refusal: Refusal | None, claim: Node | None) -> str:
    """The conditions of a kind, each with the part of the theorem it instantiates and its fate."""
    if kind not in KINDS:
        return "    no theorem: the file did not get as far as a known kind"
    module = KINDS[kind]
    lines = [f"    theorem: proofs_checks/theorems/{module.THEOREM}.md"]
    for name, meaning in module.CONDITIONS.items():
        failed = refusal is not None and refusal.condition == name
        state = "FAILED" if failed else "held" if tested.get(name) else "not reached"
        lines.append(f"    {state:11}  {tested.get(name, 0):6}x  {name}: {meaning}")
    lines += [f"    uses identity  {name}" for name in identities_used(module.THEOREM)]
    if kind == "identity" and claim is not None:
        pages = pages_that_use(claim.value["name"])
        lines += [f"    used by  proofs_checks/theorems/{page}.md" for page in pages]
    return "\n".join(lines)


def identities_used(page: str) -> list[str]:
    """The names of the identities that a page lists under its heading, in its order."""
    path = PAGES / f"{page}.md"
    if not path.is_file():
        return []
    section = path.read_text(encoding="utf-8").partition(f"\n{SECTION}\n")[2].partition("\n## ")[0]
    return [found[1] for found in map(ENTRY.match, section.splitlines()) if found]


def pages_that_use(identity: str) -> list[str]:
    """The pages that list an identity."""
    return [p for p in sorted(f.stem for f in PAGES.glob("*.md")) if identity in identities_used(p)]
