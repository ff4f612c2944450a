"""The kinds of certificates `certify` makes: each name with the function that makes it.

A maker takes the problem's table, asks it for its fields and returns the certificate; it raises
InputError for bad input and reports its progress through the `Progress` it is given.
"""

from collections.abc import Callable
from pathlib import Path

from certify.certificate import Certificate
from certify.errors import InputError
from certify.problem import Table, read
from certify.softmax import equilibrium

Maker = Callable[[Table], Certificate]

MAKERS: dict[str, Maker] = {
    "softmax-equilibrium": equilibrium.make,
}


def make(table: Table) -> Certificate:
    """The certificate of a problem; InputError for bad input."""
    kind = table.choice("kind", tuple(MAKERS))
    return MAKERS[kind](table)


def make_file(path: Path) -> Certificate:
    """The certificate of a problem file."""
    return make(read(path))
