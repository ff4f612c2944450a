"""Fluid dispatching to two queues: values, cutoffs, paths and costs of policies."""

from certify.fluid.api import EnclosedDispatch, EnclosedPath, PathPoint, dispatch
from certify.fluid.brackets import Bracket, ParetoBins, UniformBins, bracket
from certify.fluid.comparison import Comparison, compare
from certify.fluid.continuous import (
    BalancedHyperexponential,
    BoundedPareto,
    Exponential,
    Gamma,
    Hyperexponential,
    Lognormal,
    Pareto,
    Uniform,
    Weibull,
)
from certify.fluid.enclosed import Enclosed
from certify.fluid.heavy_traffic import (
    EnclosedHeavyTraffic,
    HeavyTraffic,
    enclose_heavy_traffic,
    in_heavy_traffic,
)
from certify.fluid.laws import FiniteLaw
from certify.fluid.many_sizes import EnclosedValue, enclose_value
from certify.fluid.mixtures import Component, Mixture
from certify.fluid.noise import (
    EnclosedNoiseLoss,
    JointLaw,
    LognormalNoise,
    NoiseLoss,
    enclose_noise,
    loss_from_noise,
)
from certify.fluid.value import Dispatch, Sector
from certify.fluid.wasserstein import (
    EnclosedComparison,
    LawComparison,
    compare_laws,
    enclose_comparison,
    wasserstein_distance,
)

__all__ = [
    "BalancedHyperexponential",
    "BoundedPareto",
    "Bracket",
    "Comparison",
    "Component",
    "Dispatch",
    "Enclosed",
    "EnclosedComparison",
    "EnclosedDispatch",
    "EnclosedHeavyTraffic",
    "EnclosedNoiseLoss",
    "EnclosedPath",
    "EnclosedValue",
    "Exponential",
    "FiniteLaw",
    "Gamma",
    "HeavyTraffic",
    "Hyperexponential",
    "JointLaw",
    "LawComparison",
    "Lognormal",
    "LognormalNoise",
    "Mixture",
    "NoiseLoss",
    "Pareto",
    "ParetoBins",
    "PathPoint",
    "Sector",
    "Uniform",
    "UniformBins",
    "Weibull",
    "bracket",
    "compare",
    "compare_laws",
    "dispatch",
    "enclose_comparison",
    "enclose_heavy_traffic",
    "enclose_noise",
    "enclose_value",
    "in_heavy_traffic",
    "loss_from_noise",
    "wasserstein_distance",
]
