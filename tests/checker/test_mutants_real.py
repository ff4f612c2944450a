"""Which module an arithmetic is, by its name, and the ends of several numbers."""

from fractions import Fraction

import pytest

from proofs_checks.checker.kernel import own, real
from proofs_checks.checker.kernel.interval import Interval, enclose
from proofs_checks.checker.kernel.real import highest, lowest


def test_own_is_the_kernel_and_every_other_name_a_module_beside_the_checker() -> None:
    assert real.load("own") is own
    assert real.load("arb").__name__ == "proofs_checks.arithmetic.arb"
    with pytest.raises(ImportError, match=r"proofs_checks\.arithmetic\.interval"):
        real.load("interval")


def test_the_highest_and_the_lowest_of_several() -> None:
    values = [Interval(1, 5, 0, 64), Interval(-3, 7, -1, 64), Interval(2, 3, 0, 64)]
    for order in (values, values[::-1], [values[1], values[0], values[2]]):
        assert highest(order).ends() == (5, 5)
        assert lowest(order).ends() == (Fraction(-3, 2),) * 2
    third = enclose(Fraction(1, 3), 64)
    assert highest([third]).ends() == (third.ends()[1],) * 2
    assert lowest([third]).ends() == (third.ends()[0],) * 2
