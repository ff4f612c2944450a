"""Fluid dispatching to two queues: exact values, cutoffs and costs of policies."""

from certify.fluid.brackets import Bracket, ParetoBins, UniformBins, bracket
from certify.fluid.comparison import Comparison, compare
from certify.fluid.heavy_traffic import HeavyTraffic, in_heavy_traffic
from certify.fluid.laws import FiniteLaw
from certify.fluid.many_sizes import EnclosedValue, enclose_value
from certify.fluid.value import Dispatch, Sector
from certify.fluid.value import solve as dispatch

__all__ = [
    "Bracket",
    "Comparison",
    "Dispatch",
    "EnclosedValue",
    "FiniteLaw",
    "HeavyTraffic",
    "ParetoBins",
    "Sector",
    "UniformBins",
    "bracket",
    "compare",
    "dispatch",
    "enclose_value",
    "in_heavy_traffic",
]
