"""The incomplete gamma function and the gamma function at rational orders, enclosed.

One series with positive terms serves both; the error function is the order 1/2. Every bound is
derived in proofs_checks/theorems/special-functions.md.
"""

from fractions import Fraction
from functools import lru_cache

from proofs_checks.checker.kernel.interval import Interval, Undecided, enclose

LARGEST = 1 << 14  # arguments and orders beyond this are left undecided


def upper_share(order: Fraction, x: Interval) -> Interval:
    """The share of the gamma integral of this order that lies above x > 0 (Lemma 8)."""
    return 1 - lower_gamma(order, x) / gamma(order, x.bits)


def lower_gamma(order: Fraction, x: Interval) -> Interval:
    """The integral of u**(order - 1) exp(-u) from 0 to x, for x > 0 in the interval (Lemma 6)."""
    if not 0 < order <= LARGEST or not x.above(0) or not x.at_most(LARGEST):
        raise Undecided("incomplete gamma function of an argument or order out of range")
    if x.low < x.high:
        low, high = (Interval(end, end, x.exponent, x.bits) for end in (x.low, x.high))
        return lower_gamma(order, low).hull(lower_gamma(order, high))
    below, above = _series(order, x.ends()[0], x.bits)
    return Interval(below, above, -x.bits, x.bits) * x.power(order) * (-x).exp()


def gamma(order: Fraction, bits: int) -> Interval:
    """The gamma function at a rational order > 0 (Lemma 7)."""
    return _gamma(order, -(-bits // 64) * 64)


@lru_cache(maxsize=256)
def _gamma(order: Fraction, bits: int) -> Interval:
    return _cut_off(order, enclose(bits + 2 * int(order), bits))


def _cut_off(order: Fraction, cut: Interval) -> Interval:
    """The same by the integral up to a point cut >= 2 order - 2 and a bound of the rest."""
    rest = (-cut).exp() * cut.power(order - 1) * 2
    return lower_gamma(order, cut) + rest.hull(enclose(0, cut.bits))


def _series(order: Fraction, x: Fraction, bits: int) -> tuple[int, int]:
    """Bounds of the sum of x**k/(order (order + 1) ... (order + k)) in units of 2**-bits (Lemma 5).

    Each term is the one before times x/(order + k), rounded down; the loop ends with a term 0,
    whose successors at least halve. 2**amplified is above e**x.
    """
    amplified = 3 * int(x) // 2 + 2
    guard = amplified + 32
    p, q = order.numerator, order.denominator
    step = x.numerator * q
    term = (q << bits + guard) // p
    total, count = term, 1
    while term:
        term = term * step // ((p + count * q) * x.denominator)
        total += term
        count += 1
    return total >> guard, (total + (2 * count << amplified) >> guard) + 1
