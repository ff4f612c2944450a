"""What a check can end with, and the ledger of conditions it tests on the way."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from proofs_checks.checker.kernel import own
from proofs_checks.checker.kernel.interval import Interval
from proofs_checks.checker.kernel.real import Arithmetic, Real


class Outcome(Enum):
    """The four verdicts."""

    VERIFIED = "VERIFIED"
    REJECTED = "REJECTED"
    MALFORMED = "MALFORMED"
    DECLINED = "DECLINED"


class Refusal(Exception):
    """Why a certificate is not accepted: a condition that failed, a broken rule or a limit.

    `condition` is the machine-readable code; `where` names the field; `expected`, `found` and
    `difference` are for people.
    """

    def __init__(
        self,
        outcome: Outcome,
        condition: str,
        where: str = "",
        expected: str = "",
        found: str = "",
        difference: str = "",
    ) -> None:
        super().__init__(condition)
        self.outcome = outcome
        self.condition = condition
        self.where = where
        self.expected = expected
        self.found = found
        self.difference = difference

    def __str__(self) -> str:
        text = f"{self.condition}: {self.where} expected {self.expected}, found {self.found}"
        return text + (f", difference {self.difference}" if self.difference else "")


def malformed(where: str, expected: str, found: str) -> Refusal:
    """A file that breaks a rule of the format."""
    return Refusal(Outcome.MALFORMED, "format", where, expected, found)


def declined(limit: str, expected: str, found: str) -> Refusal:
    """A file that asks for more than this run is willing to spend."""
    return Refusal(Outcome.DECLINED, "limit", limit, expected, found)


@dataclass(frozen=True)
class Summary:
    """What a kind reports about a claim it proved.

    `text` is one line of words with the digits; `digits` is the number of correct digits of the
    widest interval, None if everything claimed is exact.
    """

    text: str
    digits: int | None = None


class Trial:
    """One check under way: counts the conditions that were tested and the work that is left.

    `arithmetic` encloses every number that is not exact.
    """

    MAX_BITS = 40_000

    def __init__(self, steps: int, arithmetic: Arithmetic = own) -> None:
        self.tested: Counter[str] = Counter()
        self.arithmetic = arithmetic
        self._steps = steps

    def require(
        self, condition: str, holds: bool, where: str, expected: object, found: object
    ) -> None:
        """Record that `condition` was tested at `where`; refuse the certificate if it fails.

        Only then are the numbers written out: `expected` may be one, or a tuple of words and them.
        Of two exact ones their difference is given, for they may differ in digits left out.
        """
        self.tested[condition] += 1
        if not holds:
            parts = expected if isinstance(expected, tuple) else (expected,)
            words, last = " ".join(map(brief, parts)), ("", *parts)[-1]
            exact = isinstance(last, Fraction) and isinstance(found, Fraction)
            difference = brief(found - last) if exact else ""
            raise Refusal(Outcome.REJECTED, condition, where, words, brief(found), difference)

    def equal(self, condition: str, where: str, expected: Fraction, found: Fraction) -> None:
        """Require two numbers to be the same."""
        self.require(condition, found == expected, where, expected, found)

    def spend(self, steps: int) -> None:
        """Take `steps` elementary steps (about a microsecond each) from the budget."""
        self._steps -= steps
        if self._steps < 0:
            raise declined("work budget", "fewer steps", "more (try --limit large)")

    def keep(self, reals: int, bits: int) -> None:
        """Pay for enclosures that are computed and kept: about a byte of memory a step."""
        self.spend(reals * (200 + bits // 3 + bits * bits // 500_000))

    def precision(self, bits: int) -> int:
        """The working precision a witness asks for, if it is within bounds."""
        if not 32 <= bits <= self.MAX_BITS:
            raise declined("witness.precision", f"32 to {self.MAX_BITS} bits", str(bits))
        return bits

    def real(self, value: Fraction | int, bits: int) -> Real:
        """The enclosure of an exact number with which a kind starts its interval arithmetic."""
        return self.arithmetic.enclose(value, bits)


def brief(value: object, up: bool | None = None) -> str:
    """A short text of a number or of anything else.

    An exact number is written out if that takes at most 16 digits. A longer one, a terminating
    decimal as well, is rounded to 12 digits as asked (see `decimal`), or cut there and dotted.
    """
    if isinstance(value, int | Fraction):
        if _digits(value.numerator) + _digits(value.denominator) <= 16:
            return str(value)
        number = Fraction(value)
        text = decimal(number, 12, up)
        cut = up is None and decimal(number, 12, False) != decimal(number, 12, True)
        return _dotted(text) if cut else text
    if isinstance(value, Interval):
        low, high = value.ends()
        return f"[{decimal(low, 12, False)}, {decimal(high, 12, True)}]"
    if isinstance(value, tuple | list):
        shown = [brief(each) for each in value[:10]] + ["..."] * (len(value) > 10)
        return f"[{', '.join(shown)}]"
    return str(value)


def between(low: Fraction, high: Fraction) -> str:
    """A number of which [low, high] is known: the digits that both ends share, up to 12."""
    if low == high:
        return brief(low)
    for digits in range(12, 2, -1):
        text = decimal(low, digits)
        if text == decimal(high, digits):
            return _dotted(text)
    return f"{decimal(low, 3, False)} to {decimal(high, 3, True)}"


def _dotted(text: str) -> str:
    """The text of a decimal that goes on."""
    if "**" in text:
        return text
    mantissa, e, power = text.partition("e")
    return f"{mantissa}...{e}{power}"


def decimal(value: Fraction, digits: int, up: bool | None = None) -> str:
    """`value` to `digits` significant digits, in scientific notation.

    Rounded towards zero; up if `up` is True, as an upper bound must be; down if it is False.
    """
    if value == 0:
        return "0"
    numerator, denominator = abs(value.numerator), value.denominator
    scale = numerator.bit_length() - denominator.bit_length()
    if abs(scale) > 100_000:
        return _power_of_two(value, scale, up)
    power = _digits(numerator) - _digits(denominator)
    power -= numerator * 10 ** max(-power, 0) < denominator * 10 ** max(power, 0)
    shift = digits - 1 - power
    quotient, rest = divmod(numerator * 10 ** max(shift, 0), denominator * 10 ** max(-shift, 0))
    mantissa = str(quotient + (rest > 0 and up is (value > 0)))
    power += len(mantissa) - digits  # 9.99 may become 10.0
    text = f"{mantissa[0]}.{mantissa[1:]}".rstrip("0").rstrip(".")
    return ("-" if value < 0 else "") + text + (f"e{power}" if power else "")


def _power_of_two(value: Fraction, scale: int, up: bool | None) -> str:
    """The power of two on the side asked for, 2**(scale - 1) < |value| < 2**(scale + 1)."""
    sign = "-" if value < 0 else ""
    if up is None:
        return f"{sign}about 2**{scale}"
    return f"{sign}2**{scale + 1 if up is (value > 0) else scale - 1}"


def fewest_digits(intervals: Iterable[tuple[Fraction, Fraction]]) -> int | None:
    """The fewest correct digits among the intervals that are not points, None if all are."""
    return min((correct_digits(*each) for each in intervals if each[0] < each[1]), default=None)


def correct_digits(low: Fraction, high: Fraction) -> int:
    """The largest d >= 0 with high - low <= 10**-d * max(|low|, |high|), for low < high."""
    size, width = max(abs(low), abs(high)), high - low
    ratio = size.numerator * width.denominator // (size.denominator * width.numerator)
    return max(0, _digits(ratio) - 1)


def _digits(number: int) -> int:
    """The number of decimal digits of |number|, without converting large numbers to text."""
    number = abs(number)
    guess = max(1, number.bit_length() * 30103 // 100000)
    return guess + 1 if number >= 10**guess else guess
