"""Coq for the tests that need it: compiled theory below build/coq, or a reason to skip."""

from collections.abc import Callable
from pathlib import Path

import pytest

from proofs_checks.coq.prover import Prover, Unavailable, prover
from proofs_checks.coq.run import Result, prove_bytes

BUILD = Path(__file__).parents[2] / "build" / "coq"
SECONDS = 300


@pytest.fixture(scope="session")
def coq() -> Prover:
    try:
        return prover(BUILD)
    except Unavailable as reason:
        pytest.skip(f"Coq: {reason}")


@pytest.fixture(scope="session")
def prove(coq: Prover) -> Callable[[bytes, str], Result]:
    return lambda data, name: prove_bytes(data, f"{name}.json", coq, BUILD, SECONDS)
