"""Arb in the place of the intervals: balls that enclose, comparisons that hold only if certain."""

import inspect
import json
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from flint import ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_checks.arithmetic import arb
from proofs_checks.checker.kernel import own, real, taylor
from proofs_checks.checker.kernel.interval import Interval, Undecided
from proofs_checks.checker.kernel.special import LARGEST

F = Fraction
ROOT = Path(__file__).parents[2]
CERTIFICATE = ROOT / "certificates" / "softmax-equilibrium-light-3.json"
rationals = st.fractions(-1000, 1000, max_denominator=10**6)
positive = st.fractions(F(1, 1000), 1000, max_denominator=10**6)
bits = st.sampled_from([40, 64, 200])


@settings(max_examples=60, deadline=None)
@given(rationals, rationals, bits)
def test_exact_operations_are_enclosed(x: Fraction, y: Fraction, bits: int) -> None:
    a, b = arb.enclose(x, bits), arb.enclose(y, bits)
    pairs = [(a, x), (a + b, x + y), (a - b, x - y), (a * b, x * y), (-a, -x)]
    pairs += [(a + y, x + y), (y + a, x + y), (y - a, y - x), (y * a, x * y)]
    pairs += [(a.least(y), min(x, y)), (a.power(F(3)), x**3)]
    pairs += [(a.hull(b), x), (a.hull(b), y), (a.hull(b), (x + y) / 2)]
    if y:
        pairs += [(a / b, x / y), (x / b, x / y), (b.reciprocal(), 1 / y), (b.power(F(-2)), y**-2)]
    for found, exact in pairs:
        low, high = found.ends()
        assert low <= exact <= high


@settings(max_examples=60, deadline=None)
@given(positive, st.fractions(-20, 20, max_denominator=50), bits)
def test_functions_meet_the_intervals(x: Fraction, y: Fraction, bits: int) -> None:
    """Two correct enclosures of one number have a point in common."""
    ball, interval = arb.enclose(x, bits), own.enclose(x, bits)
    meet(ball.log(), interval.log())
    meet((-ball).exp(), (-interval).exp())
    meet(ball.power(y), interval.power(y))
    meet(arb.gamma(x, bits), own.gamma(x, bits))
    meet(arb.upper_share(x, ball), own.upper_share(x, interval))
    meet(arb.upper_share(F(1, 2), ball), own.upper_share(F(1, 2), interval))


@settings(max_examples=30, deadline=None)
@given(positive, rationals, positive, st.sampled_from([1, 2, 9, 24]))
def test_series_meet_the_series(x: Fraction, slope: Fraction, wide: Fraction, terms: int) -> None:
    results = []
    for arithmetic in (arb, own):
        start = arithmetic.enclose(x, 100).hull(arithmetic.enclose(x + wide / 100, 100))
        line = arithmetic.line(start, arithmetic.enclose(slope / 1000, 100), terms)
        inverse, power = line.reciprocal(), (line.scaled(F(-1, 9)) + 1).exp()
        product = inverse * power + line
        all_series = [line, inverse, power, product, product.antiderivative(start)]
        all_series.append(product.with_constant(start))
        found = [each.coefficient(k) for each in all_series for k in range(terms + 2)]
        found += [product.square_coefficient(k) for k in range(terms)]
        results.append([*found, product.square_integral()])
        assert all((each.terms, each.bits) == (terms, 100) for each in all_series)
    for one, two in zip(*results, strict=True):
        meet(one, two)


def meet(one: arb.Ball, two: Interval) -> None:
    (low1, high1), (low2, high2) = one.ends(), two.ends()
    assert low1 <= high2
    assert low2 <= high1


def test_comparisons_are_certain_only_when_disjoint() -> None:
    third = arb.enclose(F(1, 3), 64)
    low, high = third.ends()
    assert low < F(1, 3) < high
    assert third.above(low - 1)
    assert not third.above(low)
    assert third.at_least(low)
    assert not third.at_least(F(1, 3))
    assert third.at_most(high)
    assert not third.at_most(F(1, 3))
    assert third.below(high + F(1, 2**200))
    assert not third.below(high)
    assert third.inside(low, high)
    assert not third.inside(low, F(1, 3))
    assert not third.inside(F(1, 3), high)
    assert not third.at_most(third)
    assert not third.below(third)
    exact = arb.enclose(F(3, 4), 64)
    assert exact.ends() == (F(3, 4), F(3, 4))
    assert exact.at_most(exact)
    assert not exact.below(exact)
    assert third.below(exact)


def test_what_has_no_enclosure_is_undecided() -> None:
    around = arb.enclose(-1, 64).hull(arb.enclose(1, 64))
    zero, one, huge = arb.enclose(0, 64), arb.enclose(1, 64), arb.enclose(2**22, 64)
    for operation in (
        around.reciprocal,
        zero.reciprocal,
        around.log,
        zero.log,
        (-one).log,
        huge.exp,
        lambda: one / around,
        lambda: 1 / zero,
        lambda: around.power(F(1, 2)),
        lambda: around.power(F(65)),
        lambda: around.power(F(-1)),
        lambda: arb.enclose(2, 64).power(F(2**60)).ends(),
        lambda: arb.gamma(F(0), 64),
        lambda: arb.gamma(F(LARGEST + 1), 64),
        lambda: arb.upper_share(F(1, 2), zero),
        lambda: arb.upper_share(F(1, 2), arb.enclose(LARGEST + 1, 64)),
        lambda: arb.line(zero, one, 3).reciprocal(),
        lambda: arb.line(-one, one, 3).reciprocal(),
    ):
        with pytest.raises(Undecided):
            operation()


def test_the_precision_of_others_is_left_alone() -> None:
    before = ctx.prec, ctx.cap
    arb.line(arb.enclose(F(1, 3), 500), arb.enclose(1, 500), 40).exp()
    with pytest.raises(Undecided):
        arb.enclose(0, 700).log()
    assert (ctx.prec, ctx.cap) == before


@pytest.mark.parametrize(
    ("interface", "implementations"),
    [
        (real.Real, (Interval, arb.Ball)),
        (real.Series, (taylor.Series, arb.BallSeries)),
        (real.Arithmetic, (own, arb)),
    ],
)
def test_both_have_the_whole_interface(interface: type, implementations: tuple[object]) -> None:
    names = [name for name, each in vars(interface).items() if inspect.isfunction(each)]
    for implementation in implementations:
        for name in names:
            if name not in ("__init__", "__subclasshook__", "_no_init_or_replace_init"):
                assert callable(getattr(implementation, name)), name


def run(code: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", code, str(CERTIFICATE)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


CHECK = "from proofs_checks.checker.cli import main\nstatus = main(['--arithmetic', 'arb', {!r}])\n"


def test_arb_is_named_in_the_summary() -> None:
    done = run(CHECK.format(str(CERTIFICATE)))
    assert done.stdout.splitlines()[0].startswith(f"VERIFIED  {CERTIFICATE}  softmax-equilibrium  ")
    assert done.stdout.splitlines()[1].endswith("  declined 0  arithmetic arb")
    assert done.stderr == ""


def test_the_json_report_names_it_as_well() -> None:
    done = run(CHECK.replace("'arb', ", "'arb', '--json', ").format(str(CERTIFICATE)))
    assert json.loads(done.stdout)["summary"]["arithmetic"] == "arb"


def test_arb_is_loaded_only_when_asked_for() -> None:
    default = (
        CHECK.replace("'--arithmetic', 'arb', ", "") + "import sys\nprint('flint' in sys.modules)"
    )
    done = run(default.format(str(CERTIFICATE)))
    assert done.stdout.splitlines()[-1] == "False"
    assert "arithmetic" not in done.stdout


def test_without_python_flint_it_says_so() -> None:
    block = "import sys\nsys.modules['flint'] = None\n"
    done = run(block + CHECK.format(str(CERTIFICATE)) + "sys.exit(status)")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("proofs-check: --arithmetic arb: python-flint 0.9 or later is ")


def test_a_version_with_known_errors_is_refused() -> None:
    old = "import flint, sys\nflint.__version__ = '0.8.0'\n"
    done = run(old + CHECK.format(str(CERTIFICATE)) + "sys.exit(status)")
    assert done.returncode == 2
    assert "0.8.0 has known errors" in done.stderr


def test_another_name_is_a_usage_error() -> None:
    done = run(
        "import sys\nfrom proofs_checks.checker.cli import main\nmain(['--arithmetic', 'os'])"
    )
    assert done.returncode == 2
    assert "invalid choice" in done.stderr
