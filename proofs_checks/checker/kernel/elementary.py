"""Exponential and logarithm of dyadic numbers, enclosed, on Python integers.

Every function returns integers that bound the true value from both sides. The only ideas are
truncated series with all roundings downwards and a counted remainder; each bound is derived in
proofs_checks/theorems/kernel.md.
"""

from functools import lru_cache
from math import isqrt


def log2(bits: int) -> tuple[int, int]:
    """Integers low <= log(2) * 2**bits <= high (kernel.md, Lemma 2)."""
    rounded = -(-bits // 64) * 64
    low, high = _log2(rounded)
    return low >> rounded - bits, (high >> rounded - bits) + 1


@lru_cache(maxsize=128)
def _log2(bits: int) -> tuple[int, int]:
    """The same from 2 artanh(1/3): nested floors are floors, so each term misses less than 1."""
    power, terms = (1 << bits + 32) // 3, 0
    total = power
    while power:
        terms += 1
        power //= 9
        total += power // (2 * terms + 1)
    return (2 * total) >> 32, (2 * (total + terms + 2) >> 32) + 1


def exp_dyadic(mantissa: int, exponent: int, bits: int) -> tuple[int, int, int]:
    """(low, high, e) with low * 2**e <= exp(mantissa * 2**exponent) <= high * 2**e.

    The relative width is below 2**-bits. Kernel.md, Lemma 3: subtract a multiple of log 2, halve
    `halvings` times, sum the Taylor series with downward rounding, square back.
    """
    halvings = isqrt(bits) // 2 + 4
    size = max(0, mantissa.bit_length() + exponent)
    work = bits + size + 2 * halvings + 16
    shift = exponent + work
    x = mantissa << shift if shift >= 0 else mantissa >> -shift
    log_low, log_high = log2(work)
    twos = x // log_low
    low = x - twos * (log_high if twos >= 0 else log_low)
    high = x + 1 - twos * (log_low if twos >= 0 else log_high)
    if low < 0:
        twos, low, high = twos - 1, low + log_low, high + log_high
    low, high = low >> halvings, (high >> halvings) + 1
    one = 1 << work
    term, total, terms = one, one, 0
    while term:
        terms += 1
        term = (term * low >> work) // terms
        total += term
    upper = total + 2 * terms + 4
    upper += (2 * (high - low) * upper >> work) + 1
    for _ in range(halvings):
        total = total * total >> work
        upper = (upper * upper >> work) + 1
    return total, upper, twos - work


def log_dyadic(mantissa: int, exponent: int, bits: int) -> tuple[int, int, int]:
    """(low, high, e) with low * 2**e <= log(mantissa * 2**exponent) <= high * 2**e, mantissa > 0.

    The width is below 2**-bits (absolute). Kernel.md, Lemma 4: scale into [3/4, 3/2), take
    `roots` square roots, and use log y = 2 artanh((y - 1)/(y + 1)).
    """
    roots = isqrt(bits) // 4 + 3
    length = mantissa.bit_length()
    if mantissa >= 3 << (length - 2) if length >= 2 else False:
        twos = exponent + length
    else:
        twos = exponent + length - 1
    work = bits + roots + max(1, abs(twos)).bit_length() + 16
    shift = work + exponent - twos
    low, excess = (mantissa << shift, 0) if shift >= 0 else (mantissa >> -shift, 1)
    for _ in range(roots):
        low, excess = isqrt(low << work), excess * 3 // 5 + 2
    one = 1 << work
    z = ((low - one) << work) // (low + one)
    if z >= 0:
        below, above = _atanh(z, z + 1, work)
    else:
        small, large = _atanh(-z - 1, -z, work)
        below, above = -large, -small
    above += excess
    log_low, log_high = log2(work)
    if twos < 0:
        log_low, log_high = log_high, log_low
    below = (2 * below << roots) + twos * log_low
    above = (2 * above << roots) + twos * log_high
    return below, above, -work


def _atanh(low: int, high: int, bits: int) -> tuple[int, int]:
    """Bounds of artanh on [low, high] * 2**-bits, where 0 <= low <= high <= 2**(bits - 1).

    Kernel.md, Lemma 1: every term of the series at `low` is rounded down by less than two units;
    the slope of artanh on [0, 1/2] is at most 4/3 < 2.
    """
    square = low * low >> bits
    power, total, terms = low, low, 0
    while power:
        terms += 1
        power = power * square >> bits
        total += power // (2 * terms + 1)
    return total, total + 2 * terms + 4 + 2 * (high - low)
