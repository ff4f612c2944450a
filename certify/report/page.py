"""One static page: every certificate with its claim and verdict, every published claim decided."""

from collections.abc import Mapping, Sequence
from typing import Any


def render(rows: Sequence[Any], claims: Sequence[Mapping[str, str]]) -> str:
    """The HTML of the report; needs the extra `report` (jinja2).

    `rows` are the rows of `certify reproduce`, `claims` the judged rows of the claims files.
    """
    from jinja2 import Environment, PackageLoader

    environment = Environment(loader=PackageLoader("certify.report", "."), autoescape=True)
    return environment.get_template("report.html").render(rows=rows, claims=claims)
