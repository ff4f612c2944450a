"""Costs of the optimal, the balanced and the most-work-left dispatcher from one start."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.errors import InputError
from certify.fluid import Comparison, FiniteLaw, compare
from certify.fluid.comparison import make, words
from certify.fluid.policies import exit_shares
from certify.kinds import make_file
from certify.problem import read
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome
from tests.certify.test_fluid_value import FOUR, GAP, LAWS, LOADS, POINT, RUNNING, laws, loads
from tests.mutation.truth.fluid_comparison import balanced, most_work_left, truth

PROBLEMS = Path(__file__).parents[2] / "certify" / "problems"
F = Fraction


def test_running_example() -> None:
    found = compare(RUNNING, "3/4", "1/2", "1/2")
    assert (found.optimal, found.balanced, found.most_work_left) == (F(33, 28), F(3, 2), F(21, 16))
    assert (found.saving_balanced, found.saving_most_work_left) == (F(3, 14), F(5, 49))


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("load", LOADS)
def test_policies_solve_their_transport_equations(law: FiniteLaw, load: Fraction) -> None:
    """A tie, unequal queues, a nearly empty queue (it idles at low load), an empty one."""
    for short, long in ((1, 1), (F(1, 3), 2), (F(1, 100), 3), (0, 2)):
        if short == 0 and load <= F(1, 2):
            continue
        found, x, delta = compare(law, load, short, long), F(short) + long, F(long) - short
        assert found.balanced == balanced(load, x, delta)
        assert found.most_work_left == most_work_left(law.atoms, load, x, delta)
        assert found.optimal <= min(found.balanced, found.most_work_left)
        assert check_bytes(found.certificate().to_bytes()).outcome is Outcome.VERIFIED
        if law is POINT and load >= F(1, 2):
            assert found.optimal == found.balanced


@settings(max_examples=40, deadline=None)
@given(laws(), loads, st.fractions(F(1, 20), 5), st.fractions(F(1, 20), 5))
def test_random_starts(law: FiniteLaw, load: Fraction, u1: Fraction, u2: Fraction) -> None:
    found = compare(law, load, u1, u2)
    assert found == compare(law, load, u2, u1)
    certificate = found.certificate()
    assert truth(certificate.claim)
    assert check_bytes(certificate.to_bytes()).outcome is Outcome.VERIFIED


def test_from_a_tie_most_work_left_has_a_closed_form() -> None:
    for load in LOADS:
        if load > F(1, 2):
            jobs, work = exit_shares(FOUR, load)
            assert work == 1 / (2 * load)
            expected = load * (load + F(1, 2)) + load**3 * (1 - jobs) / (1 - load)
            assert compare(FOUR, load, "1/2", "1/2").most_work_left == expected


def test_exit_shares() -> None:
    assert exit_shares(RUNNING, F(3, 4)) == (F(1, 2) + F(5, 12) / F(3, 2), F(2, 3))
    assert exit_shares(GAP, F(5, 6)) == (F(4, 5), F(3, 5)), "no size needs to be split"
    assert exit_shares(FOUR, F(1, 4)) == (1, 1), "all jobs cannot keep the queue busy"


def test_certificate_and_words() -> None:
    found = compare(RUNNING, "3/4", "1/2", "1/2")
    certificate = found.certificate()
    assert certificate.claim == {
        "law": {"atoms": [["1/2", "1/2"], ["3/2", "1/2"]]},
        "load": "3/4",
        "start": {"short": "1/2", "long": "1/2"},
        "optimal": "33/28",
        "balanced": "3/2",
        "most_work_left": "21/16",
        "saving_balanced": "3/14",
        "saving_most_work_left": "5/49",
    }
    assert set(certificate.witness) == {"sectors"}
    assert words(certificate.claim) == (
        "From workloads (1/2, 1/2) at load 3/4 the least cost is 33/28, against 3/2 for balanced "
        "routing and 21/16 for most work left."
    )
    assert isinstance(found, Comparison)


def said_by(call: Any, *arguments: Any) -> str:
    with pytest.raises(InputError) as caught:
        call(*arguments)
    return str(caught.value)


def test_bad_starts() -> None:
    negative = "start must have workloads of at least 0, but was -1."
    assert said_by(compare, RUNNING, "3/4", 1, -1) == negative
    empty = "start must have a positive total workload, but was empty."
    assert said_by(compare, RUNNING, "3/4", 0, 0) == empty
    costless = (
        "start.short must be positive at a load up to 1/2 (otherwise every policy costs nothing), "
        "but was 0."
    )
    assert said_by(compare, RUNNING, "1/2", 0, 1) == costless
    assert said_by(compare, RUNNING, 1, 1, 1).startswith("load must be greater than 0")


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        ("", "start must be given, but was missing."),
        ("start = 1", "start must be a table, but was 1."),
        ("start = {short = 1}", "start.long must be given, but was missing."),
        ("start = {short = 2, long = 1}", "start.short must be at most start.long (1), but was 2."),
        (
            "start = {short = 1, long = 1, x = 2}",
            "start.x must be a known key (here: long, short), but was unknown.",
        ),
        (
            "imbalances = [0]\nstart = {short = 1, long = 1}",
            "imbalances must be a known key (here: law, load, start), but was unknown.",
        ),
        (
            "start = {short = -1, long = 1}",
            "start must have workloads of at least 0, but was -1.",
        ),
    ],
)
def test_bad_problems(start: str, expected: str, tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text(f"load = 0.75\n{start}\n[law]\natoms = [[1, 1]]\n")
    assert said_by(make, read(path)) == expected


@pytest.mark.parametrize(
    "path", sorted(PROBLEMS.glob("fluid-comparison-*.toml")), ids=lambda path: path.stem
)
def test_shipped_problems(path: Path) -> None:
    certificate = make_file(path)
    assert check_bytes(certificate.to_bytes()).outcome is Outcome.VERIFIED
    assert truth(certificate.claim)
