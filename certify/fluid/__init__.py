"""Fluid dispatching to two queues: exact values, cutoffs and costs of policies."""

from certify.fluid.brackets import Bracket, ParetoBins, UniformBins, bracket
from certify.fluid.comparison import Comparison, compare
from certify.fluid.heavy_traffic import HeavyTraffic, in_heavy_traffic
from certify.fluid.laws import FiniteLaw
from certify.fluid.many_sizes import EnclosedValue, enclose_value
from certify.fluid.noise import (
    EnclosedNoiseLoss,
    JointLaw,
    LognormalNoise,
    NoiseLoss,
    enclose_noise,
    loss_from_noise,
)
from certify.fluid.value import Dispatch, Sector
from certify.fluid.value import solve as dispatch
from certify.fluid.wasserstein import (
    EnclosedComparison,
    LawComparison,
    compare_laws,
    enclose_comparison,
    wasserstein_distance,
)

__all__ = [
    "Bracket",
    "Comparison",
    "Dispatch",
    "EnclosedComparison",
    "EnclosedNoiseLoss",
    "EnclosedValue",
    "FiniteLaw",
    "HeavyTraffic",
    "JointLaw",
    "LawComparison",
    "LognormalNoise",
    "NoiseLoss",
    "ParetoBins",
    "Sector",
    "UniformBins",
    "bracket",
    "compare",
    "compare_laws",
    "dispatch",
    "enclose_comparison",
    "enclose_noise",
    "enclose_value",
    "in_heavy_traffic",
    "loss_from_noise",
    "wasserstein_distance",
]
