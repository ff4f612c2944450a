"""Softmax routing: Reflected UAS, UAS and the weighted shortest queue are one family."""

from certify.softmax.equilibrium import Equilibrium, solve
from certify.softmax.system import ReflectedUAS, System, WeightedShortestQueue

__all__ = ["Equilibrium", "ReflectedUAS", "System", "WeightedShortestQueue", "solve"]
