"""All identities in one list, and the checker's statements made from it."""

import json
from pathlib import Path

from proofs_checks.identities import (
    calculus,
    fluid_sectors,
    fluid_value,
    ranks,
    softmax_drift,
    softmax_equilibrium,
    softmax_potential,
)
from proofs_checks.identities.language import Calculus, Identity

STATEMENTS = Path(__file__).parent.parent / "checker" / "statements.json"

EXPORTED: tuple[Identity, ...] = (
    *softmax_equilibrium.EQUILIBRIUM,
    *softmax_potential.POTENTIAL,
    *softmax_drift.DRIFT,
    *softmax_drift.WEIGHTED_QUEUE,
    *fluid_value.TRANSFORM,
    *fluid_value.VALUE,
    *fluid_value.EXIT_VALUE,
    *fluid_value.ENCLOSURE,
    *fluid_sectors.SECTORS,
    *fluid_sectors.COMPARISON,
    *fluid_sectors.HEAVY_TRAFFIC,
    *ranks.GAPS,
    *ranks.ORIGINAL,
    *ranks.ATLAS,
)
SYMPY_ONLY: tuple[Calculus, ...] = calculus.FACTS


def names() -> list[str]:
    """Every name a page may cite."""
    return [each.name for each in EXPORTED] + [each.name for each in SYMPY_ONLY]


def statements() -> str:
    """The text of statements.json: an object that maps each exported name to its statement."""
    ordered = sorted(EXPORTED, key=lambda identity: identity.name)
    return "{\n" + ",\n".join(map(_entry, ordered)) + "\n}\n"


def _entry(identity: Identity) -> str:
    """One statement: one line for each variable list, definition, rule and side."""
    lines = []
    for key, value in identity.statement.claim().items():
        text = json.dumps(value)
        if value and isinstance(value[0], dict):
            text = "[\n" + ",\n".join(f"   {json.dumps(each)}" for each in value) + "\n  ]"
        lines.append(f"  {json.dumps(key)}: {text}")
    return f" {json.dumps(identity.name)}: {{\n" + ",\n".join(lines) + "\n }"
