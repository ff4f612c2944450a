"""Fluid dispatching to two queues: exact values, cutoffs and costs of policies."""

from certify.fluid.comparison import Comparison, compare
from certify.fluid.laws import FiniteLaw
from certify.fluid.value import Dispatch, Sector
from certify.fluid.value import solve as dispatch

__all__ = ["Comparison", "Dispatch", "FiniteLaw", "Sector", "compare", "dispatch"]
