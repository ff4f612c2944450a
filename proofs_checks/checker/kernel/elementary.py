"""Exponential and logarithm of dyadic numbers, enclosed, on Python integers.

Every function returns integers that bound the true value from both sides. The only ideas are
truncated series with all roundings downwards and a counted remainder; each bound is derived in
proofs_checks/theorems/kernel.md.
"""

from functools import lru_cache
from math import isqrt


def log2(bits: int) -> tuple[int, int]:
    """Integers low <= log(2) * 2**bits <= high (kernel.md, Lemma 2)."""
    # few precisions, so that the cache serves most calls
    wide = -(-bits // 64) * 64 + 32
    low, high = _log2(wide)
    return low >> wide - bits, (high >> wide - bits) + 1


@lru_cache(maxsize=128)
def _log2(bits: int) -> tuple[int, int]:
    """The same from 2 artanh(1/3): nested floors are floors, so each term misses less than 1."""
    power, terms = (1 << bits) // 3, 0
    total = power
    while power:
        terms += 1
        power //= 9
        total += power // (2 * terms + 1)
    return 2 * total, 2 * (total + terms + 2)


def exp_dyadic(mantissa: int, exponent: int, bits: int) -> tuple[int, int, int]:
    """(low, high, e) with low * 2**e <= exp(mantissa * 2**exponent) <= high * 2**e.

    The relative width is below 2**-bits. Kernel.md, Lemma 3: subtract a multiple of log 2, halve
    `halvings` times, sum the Taylor series with downward rounding, square back.
    """
    halvings = isqrt(bits) // 2 + 4
    size = max(0, mantissa.bit_length() + exponent)
    work = bits + size + 2 * halvings + 16
    x = _shifted(mantissa, exponent + work)
    log_low, log_high = log2(work)
    twos, low = divmod(x, log_high if x >= 0 else log_low)
    high = low + abs(twos) * (log_high - log_low)
    low, high = low >> halvings, (high >> halvings) + 1
    one = 1 << work
    term, total, terms = one, one, 0
    while term:
        terms += 1
        term = (term * low >> work) // terms
        total += term
    upper = total + 2 * (terms + high - low)
    for _ in range(halvings):
        total, upper = total * total >> work, upper * upper >> work
    return total, upper, twos - work


def log_dyadic(mantissa: int, exponent: int, bits: int) -> tuple[int, int, int]:
    """(low, high, e) with low * 2**e <= log(mantissa * 2**exponent) <= high * 2**e, mantissa > 0.

    The width is below 2**-bits (absolute). Kernel.md, Lemma 4: scale into [1, 2), take `roots`
    square roots, and use log y = 2 artanh((y - 1)/(y + 1)).
    """
    roots = isqrt(bits) // 4 + 3
    length = mantissa.bit_length()
    twos = exponent + length - 1
    work = bits + roots + abs(twos).bit_length() + 16
    root = _shifted(mantissa, work + 1 - length)
    for _ in range(roots):
        root = isqrt(root << work)  # the true root is above this by less than 2
    one = 1 << work
    below, above = _atanh(((root - one) << work) // (root + one), work)
    log_low, log_high = log2(work)
    if twos < 0:
        log_low, log_high = log_high, log_low
    below = (2 * below << roots) + twos * log_low
    above = (2 * above << roots) + twos * log_high
    return below, above, -work


def _atanh(low: int, bits: int) -> tuple[int, int]:
    """Bounds of artanh on [low, low + 2] * 2**-bits, where 0 <= low <= 2**(bits - 3).

    Kernel.md, Lemma 1: every term of the series at `low` is rounded down by less than two units.
    """
    square = low * low >> bits
    power, total, terms = low, low, 0
    while power:
        terms += 1
        power = power * square >> bits
        total += power // (2 * terms + 1)
    return total, total + 2 * terms + 3


def _shifted(value: int, places: int) -> int:
    return value << places if places >= 0 else value >> -places
