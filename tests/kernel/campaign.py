"""`python -m tests.kernel.campaign N [SEED]`: the kernel's functions on N corner-biased arguments.

Every enclosure must contain Arb's value at 3000 bits and, where gmpy2 is installed, MPFR's. Its
width is divided by that of the best enclosure at its precision: the distance of two neighbouring
numbers of `bits` bits at the value (or at 1, for a function with an absolute error), more by the
length of the image if the argument is an interval. The quotient must stay below `WIDEST` times the
size of the exponent that the function hands to the exponential, if that is above 1: a power is
exp(e log x), whose error is that of e log x.
"""

import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from math import log
from typing import Any

from flint import arb, ctx, fmpq

from proofs_checks.checker.kernel.interval import Interval
from proofs_checks.checker.kernel.special import gamma, upper_share

try:
    import gmpy2
except ImportError:
    gmpy2 = None

BITS = 3000
PRECISIONS = (32, 53, 64, 65, 100, 128, 200, 233)
WIDEST = 5
HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Argument:
    """The interval [mantissa, mantissa + width] * 2**exponent at `bits` bits, and an order."""

    mantissa: int
    width: int
    exponent: int
    bits: int
    order: Fraction

    def interval(self) -> Interval:
        """The interval itself."""
        return Interval(self.mantissa, self.mantissa + self.width, self.exponent, self.bits)


@dataclass(frozen=True)
class Function:
    """One function of the kernel, and what it is to Arb and to MPFR.

    `exponent` is the size of what its method exponentiates, 1 if the method takes no power.
    """

    own: Callable[[Argument], Interval]
    arb: Callable[[arb, Fraction], arb]
    mpfr: Callable[[Any, Fraction], Any]  # None where MPFR has no such function
    absolute: bool = False
    exponent: Callable[[Argument], float] = lambda _: 1


def _fmpq(value: Fraction) -> fmpq:
    return fmpq(value.numerator, value.denominator)


def _half_logarithm(case: Argument) -> float:
    return abs(float(_arb(case.mantissa, case.exponent).log())) / 2


def _gamma_power(case: Argument) -> float:
    """order log N and N at the cut N = bits + 2 order (special-functions.md, Lemma 7)."""
    order = float(case.order)
    return (1 + order) * log(case.bits + 64 + 2 * order)


def _share_power(case: Argument) -> float:
    """The same, and order log x."""
    size = abs(float(_arb(case.mantissa + case.width, case.exponent).log()))
    return _gamma_power(case) + float(case.order) * size


FUNCTIONS = {
    "exponential": Function(
        lambda a: a.interval().exp(), lambda x, _: x.exp(), lambda x, _: gmpy2.exp(x)
    ),
    "logarithm": Function(
        lambda a: a.interval().log(),
        lambda x, _: x.log(),
        lambda x, _: gmpy2.log(x),
        absolute=True,
    ),
    "reciprocal": Function(
        lambda a: a.interval().reciprocal(), lambda x, _: 1 / x, lambda x, _: 1 / x
    ),
    "square root": Function(
        lambda a: a.interval().power(HALF),
        lambda x, _: x.sqrt(),
        lambda x, _: gmpy2.sqrt(x),
        exponent=_half_logarithm,
    ),
    "gamma": Function(
        lambda a: gamma(a.order, a.bits),
        lambda _, order: arb.gamma_fmpq(_fmpq(order)),
        lambda _, order: gmpy2.gamma(gmpy2.mpfr(gmpy2.mpq(order))),
        exponent=_gamma_power,
    ),
    "share above": Function(
        lambda a: upper_share(a.order, a.interval()),
        lambda x, order: x.gamma_upper(arb(_fmpq(order)), regularized=1),
        lambda x, order: gmpy2.erfc(gmpy2.sqrt(x)) if order == HALF else None,
        absolute=True,
        exponent=_share_power,
    ),
}
CHANCES = {  # per cent of the arguments
    "exponential": 40,
    "logarithm": 40,
    "reciprocal": 10,
    "square root": 9.4,
    "gamma": 0.3,
    "share above": 0.3,
}


@dataclass
class Count:
    """How many arguments were tried, which enclosures missed, and the widest of them."""

    tried: int = 0
    seconds: float = 0
    missed: list[Argument] = field(default_factory=list)
    widest: float = 0
    at: Argument | None = None
    allowed: float = 0  # the largest quotient of the width by what is allowed


def argument(name: str, chance: random.Random) -> Argument:
    """Near 0, near 1, huge, tiny, around a power of two, or where a reduction changes."""
    bits = chance.choice(PRECISIONS) if chance.random() < 0.99 else 1000
    shape = chance.choice(("plain", "near one", "near power", "huge", "tiny", "edge"))
    shift, sign, exponent = chance.randint(2, bits - 1), chance.choice((-1, 1)), 0
    mantissa = (1 << shift) + sign * chance.randint(0, 2)
    if shape == "near one":
        mantissa, exponent = (1 << shift) + sign, -shift
    elif shape == "near power":
        exponent = chance.randint(-500, 500)
    elif shape == "edge" and name == "exponential":  # beside a multiple of log 2
        exponent = -chance.randint(1, bits)
        multiple = chance.getrandbits(20) + 1
        with ctx.workprec(bits + 100):
            mantissa = int((arb(2).log() * multiple * arb(2) ** -exponent).floor().unique_fmpz())
        mantissa += chance.randint(-1, 1)
    elif shape == "edge":  # the mantissas at which the scaling of the logarithm changes
        mantissa, exponent = (3 << shift) + sign * chance.randint(0, 2), chance.randint(-300, 300)
    else:
        mantissa = chance.getrandbits(chance.randint(1, bits)) | 1
        centre = {"plain": 0, "huge": 300, "tiny": -900}[shape]
        exponent = chance.randint(-300, 300) + centre - mantissa.bit_length()
    width = 0 if chance.random() < 0.8 else chance.getrandbits(chance.randint(1, bits)) >> 1
    order = HALF
    if name in ("gamma", "share above"):
        if chance.random() < 0.7:
            order = Fraction(
                chance.getrandbits(chance.randint(1, 11)) + 1, 1 << chance.randint(0, 6)
            )
        exponent = min(exponent, 8 - (mantissa + width).bit_length())
    if name == "exponential":
        mantissa *= sign
        longest = max(abs(mantissa), abs(mantissa + width)).bit_length()
        exponent = min(exponent, 21 - longest)
    return Argument(mantissa, width, exponent, bits, order)


def inspect(function: Function, case: Argument) -> float | None:
    """How much wider than the best enclosure the kernel's is; None if it misses the value.

    A value that is not above an end for certain at 3000 bits is within a unit there.
    """
    found = function.own(case)
    points = [case.mantissa, case.mantissa + case.width][: 1 + bool(case.width)]
    low, high = _arb(found.low, found.exponent), _arb(found.high, found.exponent)
    values = [function.arb(_arb(point, case.exponent), case.order) for point in points]
    if any(value < low or value > high for value in values):
        return None
    if gmpy2 is not None:
        for point in points:
            value = function.mpfr(_mpfr(point, case.exponent), case.order)
            if value is not None and not (
                _mpfr(found.low, found.exponent) <= gmpy2.next_above(value)
                and gmpy2.next_below(value) <= _mpfr(found.high, found.exponent)
            ):
                return None
    size = max(_top(value) for value in values)
    spacing = (max(size, 1) if function.absolute else size) - case.bits
    if not all(value.rad() < arb(2) ** (spacing - case.bits) for value in values):
        raise ArithmeticError(f"Arb does not know the value well enough: {case}")
    width = arb(found.high - found.low) * arb(2) ** (found.exponent - spacing)
    image = abs(values[-1] - values[0]) * arb(2) ** -spacing
    return float((width / (image + 1)).mid())


def _top(value: arb) -> int:
    """The t with 2**(t - 1) <= |value| < 2**t; far below everything for 0."""
    mantissa, exponent = value.mid().man_exp()
    return int(exponent) + int(abs(mantissa)).bit_length() if mantissa else -(10**9)


def _arb(mantissa: int, exponent: int) -> arb:
    return arb(mantissa) * arb(2) ** exponent


def _mpfr(mantissa: int, exponent: int) -> Any:
    number = gmpy2.mpfr(mantissa)
    return gmpy2.mul_2exp(number, exponent) if exponent >= 0 else gmpy2.div_2exp(number, -exponent)


def campaign(count: int, seed: int, functions: dict[str, Function] = FUNCTIONS) -> dict[str, Count]:
    """Try `count` arguments, the functions drawn by their chances."""
    chance, counts = random.Random(seed), {name: Count() for name in functions}
    weights = [CHANCES[name] for name in functions]
    if gmpy2 is not None:
        gmpy2.get_context().precision = BITS
    with ctx.workprec(BITS):
        for name in chance.choices(list(functions), weights, k=count):
            case, tally = argument(name, chance), counts[name]
            start = time.perf_counter()
            ratio = inspect(functions[name], case)
            tally.tried += 1
            tally.seconds += time.perf_counter() - start
            if ratio is None:
                tally.missed.append(case)
                continue
            limit = WIDEST * max(1, functions[name].exponent(case))
            tally.allowed = max(tally.allowed, ratio / limit)
            if ratio > tally.widest:
                tally.widest, tally.at = ratio, case
    return counts


def main(count: int, seed: int) -> int:
    """Print what was found; 1 if an enclosure missed or was too wide."""
    failed = False
    print("Arb and MPFR" if gmpy2 is not None else "Arb alone: gmpy2 is not installed")
    for name, tally in campaign(count, seed).items():
        print(
            f"{name:12} {tally.tried:7} arguments, {len(tally.missed)} missed, at most "
            f"{tally.widest:.3f} times the best width and {tally.allowed:.3f} of what is allowed, "
            f"at {tally.at} ({tally.seconds:.0f} s)"
        )
        for case in tally.missed[:20]:
            print(f"    MISSED {case}")
        failed |= bool(tally.missed) or tally.allowed >= 1
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1))
