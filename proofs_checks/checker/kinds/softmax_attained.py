"""A state at which (LV)(Q) + eps |Q|_1 is large, so that no smaller constant is true."""

from fractions import Fraction

from proofs_checks.checker.kinds.exact_lists import numbers
from proofs_checks.checker.kinds.softmax_generator import drift
from proofs_checks.checker.kinds.softmax_shares import Problem
from proofs_checks.checker.reader import Node


def require_attained(problem: Problem, node: Node) -> Fraction:
    """The value claimed, once it is at most (LV)(Q) + eps |Q|_1 at the state."""
    fields, trial = node.record("state value"), problem.trial
    state = numbers(fields["state"], len(problem.servers), trial)
    value = fields["value"].exact()
    whole = min(state) >= 0 and all(queue.denominator == 1 for queue in state)
    trial.require("shape", whole, fields["state"].path, "whole numbers >= 0", "another")
    found = drift(problem.system, problem.servers, state, problem.bits, trial)
    found = found + problem.eps * sum(state)
    trial.require("attained", found.at_least(value), fields["value"].path, "at most this", found)
    return value
