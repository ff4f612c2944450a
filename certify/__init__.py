"""Exact, machine-checked facts about queues: find an object, write its certificate.

`certify.fluid`, `certify.ranks` and `certify.softmax` are imported when they are first used.
"""

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from certify.certificate import Certificate
from certify.errors import InputError, OutOfReach
from certify.problem import Exact

if TYPE_CHECKING:
    from certify import fluid as fluid
    from certify import ranks as ranks
    from certify import softmax as softmax

__all__ = ["Certificate", "Exact", "InputError", "OutOfReach", "__version__"]
__version__: str
DOMAINS = ("fluid", "ranks", "softmax")


def __getattr__(name: str) -> Any:
    if name in DOMAINS:
        return import_module(f"certify.{name}")
    if name == "__version__":
        return version("certify-queues")
    raise AttributeError(f"module 'certify' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *DOMAINS, "__version__"})
