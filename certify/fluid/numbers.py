"""Numbers as claims hold them: exact, or the decimal ends of an interval around a ball."""

from fractions import Fraction
from typing import Any

from flint import arb

from certify.balls import at_least, at_most, ball, brief, nearest, outward, unit
from certify.certificate import exact, interval, number

GUARD = 20  # bits between what is compared and what the checker's precision resolves
SPARE = 8  # bits by which the checker's enclosures may be wider than ours

Ends = tuple[Fraction, Fraction]
Number = Fraction | Ends
Cost = Any  # a Fraction, or an arb at the current precision


class Unresolved(ArithmeticError):
    """The precision does not settle a claim; `bits` more or `digits` more will."""

    def __init__(self, bits: int = 64, digits: int = 0) -> None:
        super().__init__("not resolved at this precision")
        self.bits, self.digits = bits, digits


def settled(value: Cost, digits: int) -> Number:
    """The claimed number: exact as it is, or an interval that another arithmetic can find too.

    Of a ball around 0 the claim is that it is 0 to that many digits. Raises Unresolved.
    """
    if isinstance(value, Fraction):
        return value
    if value.contains(0):
        nothing = Fraction(1, 10**digits)
        if not abs(value) * ball(2) ** SPARE < ball(nothing):
            raise Unresolved
        return -nothing, nothing
    claimed = outward(value, digits + 2)
    step = unit(claimed[1] or claimed[0], digits + 2)
    wide = claimed[1] - claimed[0] > 4 * step
    if wide or not value.rad() * ball(2) ** SPARE < ball(step / 65536):
        raise Unresolved
    return claimed


def between(interval: Ends) -> arb:
    """The ball around an interval."""
    return ball(interval[0]).union(ball(interval[1]))


def as_ball(value: Cost) -> arb:
    """The ball of an exact number at the current precision; a ball as it is."""
    return ball(value) if isinstance(value, Fraction) else value


def spelled(value: Number) -> Any:
    """A number as a claim spells it."""
    return exact(value) if isinstance(value, Fraction) else interval(*value)


def lower(value: Any) -> str:
    """A lower bound that a claim spells exactly or as an interval, for people."""
    if isinstance(value, str):
        return brief(value, lambda bound: at_least(bound, 12))
    return at_least(value["lo"], 12)


def upper(value: Any) -> str:
    """An upper bound that a claim spells exactly or as an interval, for people."""
    if isinstance(value, str):
        return brief(value, lambda bound: at_most(bound, 12))
    return at_most(value["hi"], 12)


def about(value: dict[str, str]) -> str:
    """The digits that the ends of an interval share, at most 12, or the ends if under three."""
    low, high = number(value["lo"]), number(value["hi"])
    for digits in range(12, 2, -1):
        if nearest(low, digits) == nearest(high, digits):
            return f"about {nearest(low, digits)}"
    return f"between {at_least(low, 12)} and {at_most(high, 12)}"
