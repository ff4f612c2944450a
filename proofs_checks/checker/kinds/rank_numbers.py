"""Numbers p + q sqrt(n) with rational p and q: exact, in order, and enclosed."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

from proofs_checks.checker.kernel.real import Real
from proofs_checks.checker.kinds.exact_lists import entries, size
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Trial, between, brief, correct_digits


@dataclass(frozen=True, slots=True)
class Element:
    """rational + coefficient * sqrt(root); the coefficient is 0 when the root is a square."""

    rational: Fraction
    coefficient: Fraction
    root: int

    def __add__(self, other: "Element") -> "Element":
        coefficient = self.coefficient + other.coefficient
        return Element(self.rational + other.rational, coefficient, self.root)

    def __sub__(self, other: "Element") -> "Element":
        coefficient = self.coefficient - other.coefficient
        return Element(self.rational - other.rational, coefficient, self.root)

    def __mul__(self, other: "Element") -> "Element":
        if not (self.coefficient or other.coefficient):
            return Element(self.rational * other.rational, Fraction(0), self.root)
        rational = self.rational * other.rational
        rational += self.coefficient * other.coefficient * self.root
        coefficient = self.rational * other.coefficient + self.coefficient * other.rational
        return Element(rational, coefficient, self.root)

    def times(self, factor: Fraction | int) -> "Element":
        """The product with a rational."""
        return Element(self.rational * factor, self.coefficient * factor, self.root)

    def sign(self) -> int:
        """-1, 0 or 1: the larger of p**2 and q**2 root decides when p and q differ in sign."""
        parts = self.rational, self.coefficient
        signs = [(part > 0) - (part < 0) for part in parts]
        if signs[0] * signs[1] >= 0:
            return signs[0] or signs[1]
        larger = parts[0] ** 2 > parts[1] ** 2 * self.root
        return signs[0] if larger else signs[1]

    def enclose(self, bits: int, trial: Trial) -> Real:
        """The enclosure at `bits` bits."""
        rational = trial.real(self.rational, bits)
        if not self.coefficient:
            return rational
        return square_root(self.root, bits, trial) * self.coefficient + rational

    def __str__(self) -> str:
        """For people, as `brief` writes numbers."""
        more = f" + {brief(self.coefficient)} sqrt({self.root})" if self.coefficient else ""
        return brief(self.rational) + more

    def bit_length(self) -> int:
        """The length of its longest numerator or denominator."""
        parts = self.rational, self.coefficient
        return max(
            max(part.numerator.bit_length(), part.denominator.bit_length()) for part in parts
        )


Number = Element | tuple[Fraction, Fraction]


def element(rational: Fraction | int, coefficient: Fraction | int, root: int) -> Element:
    """rational + coefficient * sqrt(root), folded into the rationals when the root is a square."""
    whole = isqrt(root)
    if whole * whole == root:
        return Element(Fraction(rational + coefficient * whole), Fraction(0), root)
    return Element(Fraction(rational), Fraction(coefficient), root)


def square_root(root: int, bits: int, trial: Trial) -> Real:
    """The enclosure of sqrt(root): k <= sqrt(root) 2**bits <= k + 1 for k its integer part."""
    scaled = root << 2 * bits
    low = isqrt(scaled)
    high = low + (low * low != scaled)
    one = 1 << bits
    return trial.real(Fraction(low, one), bits).hull(trial.real(Fraction(high, one), bits))


def read_element(node: Node, root: int) -> Element:
    """An exact number: a rational, or {coefficient, rational, root} when that is no rational."""
    if not isinstance(node.value, dict):
        return Element(node.exact(), Fraction(0), root)
    fields = node.record("coefficient rational root")
    coefficient = fields["coefficient"].exact()
    if fields["root"].count() != root or isqrt(root) ** 2 == root or not coefficient:
        raise node.bad(f"p + q sqrt({root}) with q not 0, or a plain rational")
    return Element(fields["rational"].exact(), coefficient, root)


def read_number(node: Node, root: int) -> Number:
    """An exact number or an interval."""
    if isinstance(node.value, dict) and "lo" in node.value:
        return node.interval()
    return read_element(node, root)


def read_numbers(node: Node, length: int, root: int, trial: Trial) -> list[Number]:
    """The numbers of a list that must have this length, of two parts each."""
    return [kept(read_number(item, root), trial) for item in entries(node, length, trial)]


def kept(number: Number, trial: Trial) -> Number:
    """The number itself, once it is paid for: it stays in memory."""
    parts = number if isinstance(number, tuple) else (number.rational, number.coefficient)
    trial.spend(300 + sum(map(size, parts)) // 4)
    return number


def covers(claimed: Number, exact: Element | None, enclosure: Real | None) -> bool:
    """Whether the claim is the exact number, or an interval around the enclosure."""
    if isinstance(claimed, Element):
        return claimed == exact
    return enclosure is not None and enclosure.inside(*claimed)


def transcendental(bits: int) -> int:
    """The steps of one logarithm and one exponential; at many bits the constant log 2 leads."""
    return 60 + bits // 2 + bits * bits // 1000 + bits**3 // 4_000_000


def worded(number: Number, trial: Trial) -> str:
    """The number for people: exactly if it is a short rational, else the digits known, up to 12."""
    if isinstance(number, Element):
        exact = number.rational, number.rational
        number = number.enclose(64, trial).ends() if number.coefficient else exact
    return between(*number)


def precision_of(numbers: Iterable[Number]) -> str:
    """How precisely the claim names its numbers: exactly, or the digits of the widest interval."""
    digits = [
        correct_digits(low, high) if low < high else 10**6
        for low, high in (number for number in numbers if isinstance(number, tuple))
    ]
    return f"to {min(digits)} digits or exactly" if digits else "exactly"
