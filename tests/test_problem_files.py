"""The page on problem files names every kind and every key that a reader of problems asks for."""

import re
from dataclasses import fields
from pathlib import Path

from certify.fluid.continuous import FAMILIES
from certify.kinds import KINDS

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "problem-files.md").read_text()
ASKED = re.compile(r"\.(?:rational|rationals|integer|flag|choice|text|table|get)\(\s*\"([a-z_]+)\"")


def test_every_kind_has_its_part_and_no_other() -> None:
    assert sorted(re.findall(r"^### `(.*)`$", PAGE, re.MULTILINE)) == sorted(KINDS)


def test_every_key_that_is_asked_for_is_named() -> None:
    for kind, module in KINDS.items():
        source = Path(str(module.__file__)).read_text()
        own = source[source.index("def make(") :] if kind != "identity" else source
        asked = set(ASKED.findall(own)) - {"kind", "relation", "status"}
        named = set(re.findall(r"[a-z_]+", " ".join(re.findall(r"`([^`]*)`", PAGE))))
        assert asked <= named, (kind, asked - named)


def test_every_parameter_of_a_family_is_named() -> None:
    for family, law in FAMILIES.items():
        assert f'"{family}"' in PAGE
        for parameter in fields(law):
            assert f"`{parameter.name}`" in PAGE, (family, parameter.name)
