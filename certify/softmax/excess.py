"""How far the softmax mean of energies can exceed the least energy, in units of the temperature."""

from fractions import Fraction

from flint import arb

from certify.balls import ball, outward, precision


def softmax_excess(servers: int, digits: int = 20) -> Fraction:
    """A rational k >= W((servers - 1)/e), so that k exp(1 + k) >= servers - 1.

    Rounded up to `digits` significant digits; 0 for one server. Source: theorem page softmax-drift,
    Lemma 2.
    """
    if servers == 1:
        return Fraction(0)
    with precision(int(3.33 * digits) + 64):
        return outward((ball(servers - 1) / arb(1).exp()).lambertw(), digits)[1]
