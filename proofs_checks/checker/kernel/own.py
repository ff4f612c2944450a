"""The checker's own arithmetic: dyadic intervals on Python integers."""

from proofs_checks.checker.kernel.interval import enclose
from proofs_checks.checker.kernel.special import gamma, upper_share
from proofs_checks.checker.kernel.taylor import line

__all__ = ["enclose", "gamma", "line", "upper_share"]
