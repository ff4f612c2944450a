"""Lists of exact numbers that several kinds read and add up, and the softmax excess."""

from collections.abc import Iterable
from fractions import Fraction
from math import lcm

from proofs_checks.checker.reader import Items, Node
from proofs_checks.checker.verdict import Trial


def every(node: Node, trial: Trial, empty: bool = False) -> list[Fraction]:
    """The exact numbers of a list."""
    items = node.items(empty)
    trial.spend(350 * len(items))
    return [kept(item.exact(), trial) for item in items]


def entries(node: Node, length: int, trial: Trial) -> Items:
    """The elements of a list that must have this length, paid for since they will be kept."""
    items = node.items()
    trial.require("shape", len(items) == length, node.path, f"{length} entries", len(items))
    trial.spend(350 * length)
    return items


def numbers(node: Node, length: int, trial: Trial) -> list[Fraction]:
    """The exact numbers of a list that must have this length."""
    return [kept(item.exact(), trial) for item in entries(node, length, trial)]


def decimals(node: Node, length: int, trial: Trial) -> list[Fraction]:
    """The decimals of a list that must have this length."""
    return [kept(item.decimal(), trial) for item in entries(node, length, trial)]


def kept(value: Fraction, trial: Trial) -> Fraction:
    """The number itself, once its digits are paid for: they stay in memory."""
    trial.spend(size(value) // 4)
    return value


def positive(node: Node, length: int, trial: Trial) -> list[Fraction]:
    """The same, all of them positive."""
    values = numbers(node, length, trial)
    trial.require("hypothesis", min(values) > 0, node.path, "positive", min(values))
    return values


def total(values: Iterable[Fraction], trial: Trial) -> Fraction:
    """The exact sum; dear on purpose, since denominators can grow with every term."""
    result = Fraction(0)
    for value in values:
        trial.spend(30 + size(result) * size(value) // 2_000)
        result += value
    return result


def size(value: Fraction) -> int:
    """The number of bits of numerator and denominator together."""
    return value.numerator.bit_length() + value.denominator.bit_length()


def unit(values: Iterable[Fraction], trial: Trial) -> int:
    """The least whole number of which every value is a multiple of the reciprocal."""
    result = 1
    for value in values:
        trial.spend(5 + result.bit_length() * value.denominator.bit_length() // 2_000)
        result = lcm(result, value.denominator)
    return result


def spelled(value: Fraction) -> str:
    """What to find a number by in a table: the hash of a text cannot be foreseen, a number's can.

    In base 16, which takes time in proportion to the length.
    """
    return f"{value.numerator:x}/{value.denominator:x}"


def require_excess(k: Fraction, servers: int, bits: int, node: Node, trial: Trial) -> None:
    """Require k >= 0 and k exp(1 + k) >= servers - 1 (softmax-drift.md, Lemma 2)."""
    trial.require("excess", 0 <= k <= servers, node.path, "0 to the number of servers", k)
    trial.spend(100 + bits + bits * bits // 2_000)
    reached = trial.real(1 + k, bits).exp() * k
    trial.require(
        "excess", reached.at_least(servers - 1), node.path, f"{servers - 1} or more", reached
    )
