"""Softmax routing: Reflected UAS, UAS and the weighted shortest queue are one family."""

from certify.softmax.adaptive import AdaptiveBounds, AdaptiveWeights
from certify.softmax.api import UAS, ReflectedUAS, WeightedShortestQueue
from certify.softmax.bernoulli import Bernoulli, BernoulliDrift
from certify.softmax.chattering import SarsaChattering
from certify.softmax.convergence import Convergence
from certify.softmax.drift import Drift
from certify.softmax.equilibrium import Equilibrium
from certify.softmax.gate import SarsaGate
from certify.softmax.limit import DriftLimit, Ray
from certify.softmax.mean_field import SarsaMeanField
from certify.softmax.mean_queue import MeanQueue, TestFunction
from certify.softmax.obstruction import Obstruction
from certify.softmax.sarsa import SarsaStep
from certify.softmax.shortest import ShortestQueue, ShortestQueueDrift
from certify.softmax.stationary import StationaryMean, stationary_mean
from certify.softmax.steps import SarsaStepSizes
from certify.softmax.system import System
from certify.softmax.tail import QueueTail

__all__ = [
    "UAS",
    "AdaptiveBounds",
    "AdaptiveWeights",
    "Bernoulli",
    "BernoulliDrift",
    "Convergence",
    "Drift",
    "DriftLimit",
    "Equilibrium",
    "MeanQueue",
    "Obstruction",
    "QueueTail",
    "Ray",
    "ReflectedUAS",
    "SarsaChattering",
    "SarsaGate",
    "SarsaMeanField",
    "SarsaStep",
    "SarsaStepSizes",
    "ShortestQueue",
    "ShortestQueueDrift",
    "StationaryMean",
    "System",
    "TestFunction",
    "WeightedShortestQueue",
    "stationary_mean",
]
