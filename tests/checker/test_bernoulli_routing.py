"""The checker on routing by fixed probabilities: exact boundaries, all members of the regimes."""

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from certify.softmax import Bernoulli
from proofs_checks.checker.cli import Report, check_bytes
from proofs_checks.checker.kinds import bernoulli_routing
from proofs_checks.checker.verdict import Outcome
from tests.mutation.truth.bernoulli_routing import truth

TINY = Fraction(1, 10**40)

parts = st.lists(st.integers(0, 9), min_size=1, max_size=6).filter(any)


@st.composite
def models(draw: st.DrawFn) -> Bernoulli:
    counts = draw(parts)
    rates = [draw(st.fractions(Fraction(1, 9), 9, max_denominator=9)) for _ in counts]
    arrival = draw(st.fractions(Fraction(1, 9), 9, max_denominator=9))
    return Bernoulli(arrival, rates, [Fraction(c, sum(counts)) for c in counts])


def report_of(model: Bernoulli) -> Report:
    return check_bytes(model.certificate().to_bytes())


@settings(max_examples=150, deadline=None)
@given(models())
def test_what_is_made_is_verified_and_true(model: Bernoulli) -> None:
    assert report_of(model).outcome is Outcome.VERIFIED
    assert truth(model.certificate().claim) is True


def test_the_border_between_the_regimes_is_exact() -> None:
    """lambda p_1 within 1e-40 of mu_1 on either side, and equal to it."""
    for p, regime in ((Fraction(1, 2) - TINY, "stable"), (Fraction(1, 2), "unstable")):
        model = Bernoulli(2, [1, 3], [p, 1 - p])
        assert model.certificate().claim["regime"] == regime
        assert report_of(model).outcome is Outcome.VERIFIED
    over = Bernoulli(2, [1, 3], [Fraction(1, 2) + TINY, Fraction(1, 2) - TINY]).certificate().claim
    assert over["overloaded"] == [0]
    assert over["growth_rate"] == str(2 * TINY)


def test_every_condition_is_tested_by_some_certificate() -> None:
    tested: set[str] = set()
    for model in (Bernoulli(2, [2, 1], ["1/2", "1/2"]), Bernoulli(1, [2, 1], ["1/2", "1/2"])):
        tested |= set(report_of(model).tested)
    assert tested == set(bernoulli_routing.CONDITIONS)


def test_ten_thousand_servers_are_within_the_default_limit() -> None:
    model = Bernoulli(8_000, [1] * 10_000, "uniform")
    report = report_of(model)
    assert report.outcome is Outcome.VERIFIED
    assert "E|Q| = 40000" in report.text
