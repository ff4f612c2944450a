"""The only door to python-flint's balls: precision is set and rounding outward happens here."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from decimal import MAX_EMAX, MIN_EMIN, Decimal, localcontext
from fractions import Fraction

from flint import arb, ctx, fmpq, fmpz

from certify.certificate import number
from certify.errors import OutOfReach


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Run a block at `bits` bits of ball arithmetic and restore what was set before."""
    before = ctx.prec
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = before


def rational(value: Fraction | int) -> fmpq:
    """The same number as a FLINT rational."""
    return fmpq(value.numerator, value.denominator)


def fraction(value: fmpq) -> Fraction:
    """The same number as a Python fraction."""
    return Fraction(int(value.p), int(value.q))


def ball(value: Fraction | int) -> arb:
    """The ball of an exact number at the current precision."""
    return arb(rational(value))


def ends(value: arb) -> tuple[Fraction, Fraction]:
    """Exact rational ends of a finite ball (the interval contains every point of the ball)."""
    if not value.is_finite():
        raise OutOfReach("a ball that is not finite has no ends")
    middle, radius = _dyadic(value.mid()), _dyadic(value.rad())
    return middle - radius, middle + radius


def outward(value: arb, digits: int) -> tuple[Fraction, Fraction]:
    """The ends of a ball that excludes 0, rounded outward to `digits` significant digits."""
    low, high = ends(value)
    return below(low, digits), above(high, digits)


def below(low: Fraction, digits: int) -> Fraction:
    """A lower bound, not 0, of what balls enclose, rounded down to `digits` significant digits.

    At least 1/65536 of a unit in the last place is left, so that another arithmetic of about the
    same precision finds its own bound above, also where these balls happen to be exact.
    """
    return round_down(low - unit(low, digits) / 65536, digits)


def above(high: Fraction, digits: int) -> Fraction:
    """An upper bound, not 0, of what balls enclose, rounded up as `below` rounds down."""
    return -below(-high, digits)


def compare_total(values: Sequence[Fraction], bound: Fraction) -> int:
    """The sign of sum(values) - bound: by balls, exactly when these cannot tell."""
    with precision(192):
        difference = -ball(bound)
        for value in values:
            difference += ball(value)
        if difference != 0:
            return 1 if difference > 0 else -1
    terms = [rational(value) for value in (*values, -bound)]
    while len(terms) > 1:
        terms = [sum(terms[i : i + 2], fmpq(0)) for i in range(0, len(terms), 2)]
    return int(terms[0] > 0) - int(terms[0] < 0)


def round_down(value: Fraction, digits: int) -> Fraction:
    """The largest decimal with `digits` significant digits that is at most `value`."""
    if value == 0:
        return value
    step = unit(value, digits)
    return (value / step).__floor__() * step


def round_up(value: Fraction, digits: int) -> Fraction:
    """The smallest decimal with `digits` significant digits that is at least `value`."""
    return -round_down(-value, digits)


def at_least(value: Fraction | str, digits: int = 6) -> str:
    """A lower bound for people: rounded down to `digits` significant digits."""
    return _text(round_down(_number(value), digits), digits)


def at_most(value: Fraction | str, digits: int = 6) -> str:
    """An upper bound for people: rounded up to `digits` significant digits."""
    return _text(round_up(_number(value), digits), digits)


def nearest(value: Fraction | str, digits: int = 6) -> str:
    """A number for people: the nearest with `digits` significant digits, however large or small."""
    value = _number(value)
    if value == 0:
        return "0"
    step = unit(value, digits)
    return _text(round(value / step) * step, digits)


def brief(text: str, rounded: Callable[[Fraction], str]) -> str:
    """An exact number as a claim spells it if that is short, otherwise rounded."""
    return text if len(text) <= 20 else rounded(number(text))


def _number(value: Fraction | str) -> Fraction:
    """A number as it is, or as a claim spells it."""
    return number(value) if isinstance(value, str) else value


def _text(value: Fraction, digits: int) -> str:
    """A decimal of `digits` significant digits as floats are spelled, beyond their range too."""
    with localcontext(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN):
        number = (Decimal(value.numerator) / Decimal(value.denominator)).normalize()
        return f"{number:f}" if -5 < number.adjusted() < digits else f"{number:e}"


def unit(value: Fraction, digits: int) -> Fraction:
    """One unit in the last of `digits` significant decimal digits of `value` (not 0)."""
    size = abs(value)
    power = len(str(fmpz(size.numerator))) - len(str(fmpz(size.denominator)))
    if size < Fraction(10) ** power:
        power -= 1
    return Fraction(10) ** (power - digits + 1)


def _dyadic(point: arb) -> Fraction:
    mantissa, exponent = point.man_exp()
    shift = int(exponent)
    if shift >= 0:
        return Fraction(int(mantissa) << shift)
    return Fraction(int(mantissa), 1 << -shift)
