"""The classes of certify.softmax: positional parameters, answers, certificates, bad input."""

import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

import certify
from certify.certificate import Certificate
from certify.errors import InputError
from certify.kinds import make_file
from certify.shipped import find
from certify.softmax import UAS, ReflectedUAS, WeightedShortestQueue
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome

RATES = [Fraction(k, 10) for k in range(5, 25, 2)]
BENCHMARK = ReflectedUAS("11.2", RATES, 20, "0.85", "0.5", "0.5")
TWO = ReflectedUAS("1.6", [1, 1], 20, "0.85", "0.5", "0.5")
FOUR = ReflectedUAS("3.2", [1, 1, 1, 1], 20, "0.85", "0.5", "0.5")
WSQ = WeightedShortestQueue(2, [2, 1], [1, 2], 1)


def verified(certificate: Certificate) -> dict[str, Any]:
    report = check_bytes(certificate.to_bytes())
    assert report.outcome is Outcome.VERIFIED, report.line()
    return certificate.claim


def test_the_answers_are_those_of_the_shipped_problems() -> None:
    for name, certificate in {
        "softmax-equilibrium-benchmark": BENCHMARK.equilibrium(50).certificate(),
        "softmax-drift-benchmark": BENCHMARK.drift().certificate(),
        "softmax-drift-wsq-two": WSQ.drift().certificate(),
        "softmax-obstruction-two-symmetric": TWO.obstruction(15).certificate(),
        "softmax-convergence-symmetric-4": FOUR.convergence(100, "1e-16").certificate(),
    }.items():
        assert certificate.to_bytes() == make_file(find(name)).to_bytes(), name
        verified(certificate)


def test_positions_are_the_keywords_in_the_documented_order() -> None:
    by_name = ReflectedUAS(
        arrival_rate="11.2", service_rates=RATES, alpha=20, beta="17/20", gamma="0.5", offset="0.5"
    )
    assert by_name == BENCHMARK
    assert WeightedShortestQueue(2, [2, 1], weights=[1, 2], temperature=1) == WSQ


def test_uas_is_the_member_with_all_three_exponents_one() -> None:
    uas = UAS("11.2", RATES, 10)
    assert uas.to_claim() == ReflectedUAS("11.2", RATES, 10, 1, 1, 1).to_claim()
    with pytest.raises(TypeError):
        UAS("11.2", RATES, 10, 2)
    claim = verified(uas.equilibrium(20).certificate())
    assert claim["system"]["beta"] == "1"


def test_more_digits_are_nested() -> None:
    low, high = BENCHMARK.equilibrium(12).K
    finer = BENCHMARK.equilibrium(40).K
    assert low <= finer[0] < finer[1] <= high


@pytest.mark.parametrize("digits", [0, -3, 10_001, 2.5, True])
def test_digits_out_of_range(digits: Any) -> None:
    sentence = f"digits must be a whole number from 1 to 10000, but was {digits!r}."
    for ask in (TWO.equilibrium, TWO.drift, lambda digits: TWO.obstruction(2, digits)):
        with pytest.raises(InputError) as error:
            ask(digits)
        assert str(error.value) == sentence


def test_radius_out_of_range() -> None:
    with pytest.raises(InputError) as error:
        TWO.obstruction(-1)
    assert str(error.value) == "radius must be a whole number from 0 to 200000, but was -1."


@pytest.mark.parametrize("value", [0, -1])
def test_bounds_that_are_not_positive(value: int) -> None:
    with pytest.raises(InputError) as error:
        TWO.convergence(1, value)
    assert str(error.value) == f"tolerance must be positive, but was {value}."


def test_a_float_is_no_exact_number() -> None:
    with pytest.raises(InputError) as error:
        ReflectedUAS(11.2, RATES, 20, "0.85", "0.5", "0.5")
    assert str(error.value) == (
        'system.arrival_rate must be exact, for example "11.2" in quotes or a Fraction, '
        "but was the float 11.2."
    )


def test_a_system_too_large_for_the_audit_is_refused() -> None:
    with pytest.raises(InputError, match="at most 20 entries"):
        UAS(1, [1] * 21, 1).obstruction(1)


def test_domains_are_imported_when_they_are_asked_for() -> None:
    code = (
        "import sys, certify; assert 'certify.softmax' not in sys.modules; "
        "print(certify.softmax.UAS(1, [1, 1], 2).drift()); assert 'ranks' in dir(certify)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Drift(servers=2, ")
    with pytest.raises(AttributeError, match="module 'certify' has no attribute 'sofmax'"):
        certify.sofmax  # noqa: B018


def test_what_a_notebook_shows() -> None:
    assert repr(TWO) == (
        "ReflectedUAS(arrival_rate=8/5, service_rates=[1, 1], alpha=20, beta=17/20, gamma=1/2, "
        "offset=1/2)"
    )
    assert repr(UAS(2, [2, 1], 10)) == "UAS(arrival_rate=2, service_rates=[2, 1], alpha=10)"
    many = UAS(1, [1] * 20, 1)
    assert repr(many) == f"UAS(arrival_rate=1, service_rates=[{'1, ' * 12}...], alpha=1)"
    assert repr(WSQ.tail([100])) == (
        "QueueTail(servers=2, ratio=0.923077, threshold=10.8354, jobs=[100])"
    )
    assert repr(WSQ.drift_limit("1/100")) == (
        "Ray(eps=1.34333, slope=0.03, intercept=6, direction=(2, 1))"
    )
    shown = repr(FOUR.convergence(100, "1e-16"))
    assert shown.startswith("Convergence(servers=4, start_bound=100, tolerance=1e-16, time=")


def test_the_certificate_of_a_system_is_that_of_its_equilibrium() -> None:
    assert BENCHMARK.certificate() == BENCHMARK.equilibrium().certificate()


def test_wrong_types_are_told_in_one_sentence() -> None:
    system: Any = WeightedShortestQueue(1, (2, 3), (1, 1), 1)  # type: ignore[arg-type]
    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: system.mean_queue(3), "function must be a TestFunction, but was 3."),
        (lambda: system.tail(5), "jobs must be a list of whole numbers, but was 5."),
        (lambda: system.tail([5, 1]), "jobs[1] must be at least 5, where the bound starts, "),
        (lambda: system.drift(digits="20"), "digits must be a whole number from 1 to 10000, "),
    ]
    for ask, sentence in cases:
        with pytest.raises(InputError) as error:
            ask()
        assert str(error.value).startswith(sentence)
    assert str(error.value).endswith("but was '20'.")
