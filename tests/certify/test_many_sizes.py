"""Laws with many sizes: enclosures around the exact value, the trace, bad input."""

import time
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.errors import InputError
from certify.fluid import FiniteLaw, dispatch, enclose_value
from certify.fluid.many_sizes import make, words
from certify.kinds import make_file
from certify.problem import read
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome
from tests.certify.test_heavy_traffic import LAWS
from tests.mutation.truth.fluid_many_sizes import truth

F = Fraction
RUNNING = FiniteLaw((("1/2", "1/2"), ("3/2", "1/2")))
PROBLEMS = Path(__file__).parents[2] / "certify" / "problems"


@settings(max_examples=80, deadline=None)
@given(
    LAWS,
    st.fractions(F(1, 20), F(19, 20), max_denominator=20),
    st.fractions(0, 1, max_denominator=1000),
    st.integers(1, 40),
)
def test_the_exact_value_lies_inside(
    law: FiniteLaw, load: Fraction, z: Fraction, digits: int
) -> None:
    solved = dispatch(law, load)
    try:
        found = enclose_value(law, load, sorted({F(0), z, F(1)}), digits)
    except InputError:
        assert z in [sector.lower for sector in solved.sectors]
        return
    for imbalance, (low, high) in zip(found.imbalances, found.values, strict=True):
        value = solved.at(imbalance)
        assert low <= value <= high
        assert high - low <= abs(value) * F(3, 10 ** (digits - 1))
    certificate = found.certificate()
    report = check_bytes(certificate.to_bytes())
    assert report.outcome is Outcome.VERIFIED, report.line()
    assert truth(certificate.claim) is True


def test_the_trace_to_fifty_digits() -> None:
    """V(1, 0) = 0.407432840399331147... and the saving 0.650771851086..., computed elsewhere."""
    certificate = make_file(PROBLEMS / "fluid-many-sizes-trace.toml")
    report = check_bytes(certificate.to_bytes())
    assert report.outcome is Outcome.VERIFIED, report.line()
    assert report.digits is not None
    assert report.digits >= 49
    value = certificate.claim["values"][0]["value"]
    assert value["lo"].startswith("407432840399331147")
    assert certificate.claim["saving"]["lo"].startswith("650771851086")


def test_a_hundred_digits_on_request() -> None:
    (low, high), *_ = enclose_value(RUNNING, "3/4", digits=100).values
    assert low < F(33, 28) < high
    assert high - low < F(1, 10**98)


@pytest.mark.slow
def test_a_hundred_thousand_sizes() -> None:
    law = FiniteLaw.rescaled((i + 1, F(1, 100_000)) for i in range(100_000))
    start = time.perf_counter()
    report = check_bytes(enclose_value(law, "3/4").certificate().to_bytes())
    assert report.outcome is Outcome.VERIFIED, report.line()
    assert time.perf_counter() - start < 200


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("load = 0.75\nimbalances = [2]", "imbalances[0] must be between 0 and 1, but was 2."),
        ("load = 1", "load must be greater than 0 and less than 1, but was 1."),
        ("load = 0.75\ndigits = 0", "digits must be a whole number from 1 to 10000, but was 0."),
        (
            'load = 0.75\nimbalances = [0, "3/13"]',
            "imbalances[1] must be told from an edge between two sectors (move it a little), "
            "but was 3/13.",
        ),
    ],
)
def test_bad_input(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "problem.toml"
    path.write_text(f'{text}\n[law]\natoms = [["1/2", "1/2"], ["3/2", "1/2"]]\n')
    with pytest.raises(InputError) as caught:
        make(read(path))
    assert str(caught.value) == sentence


def test_one_size_is_refused() -> None:
    with pytest.raises(InputError, match=r"^law must have at least 2 sizes .*, but was 1\.$"):
        enclose_value(FiniteLaw(((1, 1),)), "3/4")


def test_words() -> None:
    assert words(enclose_value(RUNNING, "3/4").certificate().claim) == (
        "The least cost of emptying two queues at load 3/4 with 2 job sizes is about "
        "1.17857142857 at total work 1 and imbalance 0; from a tie it saves about 0.214285714286 "
        "of what balanced routing costs."
    )
