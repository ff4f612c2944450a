"""The theorem pages: which identities each of them uses."""

import re
from pathlib import Path

PAGES = Path(__file__).parent.parent / "theorems"
SECTION = "## Identities used"
ENTRY = re.compile(r"- `([a-z0-9][a-z0-9.-]*)`: ")


def identities_used(page: str) -> list[str]:
    """The names of the identities that a page lists under its heading, in its order."""
    path = PAGES / f"{page}.md"
    if not path.is_file():
        return []
    _, _, section = path.read_text(encoding="utf-8").partition(f"\n{SECTION}\n")
    entries = section.partition("\n## ")[0].splitlines()
    return [found[1] for found in map(ENTRY.match, entries) if found]


def pages_that_use(identity: str) -> list[str]:
    """The pages that list an identity."""
    names = sorted(path.stem for path in PAGES.glob("*.md"))
    return [name for name in names if identity in identities_used(name)]
