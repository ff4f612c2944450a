"""The arguments of simulations and trajectories, as floats; InputError for what is none."""

from collections.abc import Callable, Iterable
from decimal import Decimal
from math import isfinite
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certify.errors import InputError
from certify.problem import require_type, to_list
from certify.softmax.system import ReflectedUAS, System, WeightedShortestQueue

__all__ = ["to_float", "to_queues", "to_row", "to_rows", "to_softmax"]
Floats = NDArray[np.float64]
Test = tuple[Callable[[float], bool], str]
POSITIVE: Test = (lambda value: value > 0, "be a positive number")
AT_LEAST_0: Test = (lambda value: value >= 0, "be a number of at least 0")
SHARE: Test = (lambda value: 0 <= value < 1, "be a number of at least 0 and less than 1")
ANY: Test = (lambda value: True, "be a number")


def to_float(value: Any, name: str, test: Test = ANY) -> float:
    """A finite number that passes the test, as a float."""
    accepts, requirement = test
    if isinstance(value, Real | Decimal) and not isinstance(value, bool):
        try:
            result = float(value)
        except (OverflowError, ValueError):  # beyond all floats, or a signalling NaN
            result = float("nan")
        if isfinite(result) and accepts(result):
            return result
    raise InputError(name, requirement, repr(value) if isinstance(value, str) else value)


def to_row(values: Iterable[Any], name: str, test: Test = ANY, length: int | None = None) -> Floats:
    """A list, tuple or array of numbers, of a length if that is known."""
    required = "a non-empty list of" if length is None else f"a list of {length}"
    try:
        items = to_list(values, name)
    except (InputError, TypeError):  # an array without dimensions cannot be gone through
        raise InputError(name, f"be {required} numbers", values) from None
    if not items or (length is not None and len(items) != length):
        raise InputError(name, f"be {required} numbers", items)
    return np.array([to_float(each, f"{name}[{i}]", test) for i, each in enumerate(items)])


def to_rows(values: Iterable[Iterable[Any]], name: str, test: Test, length: int) -> Floats:
    """A list of such lists, or an array of two dimensions."""
    try:
        rows = to_list(values, name)
    except (InputError, TypeError):
        rows = []
    if not rows:
        raise InputError(name, f"be a non-empty list of rows of {length} numbers", values)
    return np.array([to_row(row, f"{name}[{i}]", test, length) for i, row in enumerate(rows)])


def to_queues(queues: Any, servers: int) -> Floats:
    """An array of queues whose last dimension is that of the servers."""
    try:
        result = np.asarray(queues, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise InputError("queues", "be an array of numbers", queues) from None
    if result.ndim == 0 or result.shape[-1] != servers:
        found = f"an array of shape {result.shape}"
        raise InputError("queues", f"have {servers} numbers a row, one a server", found)
    return result


def to_softmax(system: System) -> System:
    """A system whose routing is by a softmax."""
    kinds, what = (ReflectedUAS, WeightedShortestQueue), "ReflectedUAS, UAS"
    require_type(system, kinds, "system", f"a {what} or WeightedShortestQueue")
    return system
