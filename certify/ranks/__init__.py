"""Rank-based routing (marginal join-the-shortest-queue): exact laws, limits, comparisons."""

from certify.ranks.comparison import Comparison, compare
from certify.ranks.difference import Difference, difference_of
from certify.ranks.gaps import EnclosedGaps, ExactGaps, enclosed_gaps, exact_gaps
from certify.ranks.limits import Limits, limits_of
from certify.ranks.marginal import MarginalJSQ
from certify.ranks.model import RankRates
from certify.ranks.original import OriginalFacts

__all__ = [
    "Comparison",
    "Difference",
    "EnclosedGaps",
    "ExactGaps",
    "Limits",
    "MarginalJSQ",
    "OriginalFacts",
    "RankRates",
    "compare",
    "difference_of",
    "enclosed_gaps",
    "exact_gaps",
    "limits_of",
]
