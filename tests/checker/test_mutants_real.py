"""Which module an arithmetic is, by its name."""

import pytest

from proofs_checks.checker.kernel import own, real


def test_own_is_the_kernel_and_every_other_name_a_module_beside_the_checker() -> None:
    assert real.load("own") is own
    assert real.load("arb").__name__ == "proofs_checks.arithmetic.arb"
    with pytest.raises(ImportError, match=r"proofs_checks\.arithmetic\.interval"):
        real.load("interval")
