"""The exact fluid value: closed forms, independent routes, properties, and its Python face."""

import math
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.errors import InputError
from certify.fluid import Dispatch, FiniteLaw, compare, dispatch
from certify.fluid.controller import read_controller
from certify.fluid.value import MAX_ATOMS, MAX_SECTORS, make, words
from certify.kinds import make_file
from certify.problem import Table, read
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome
from tests.mutation.truth.fluid_value import least_cost

PROBLEMS = Path(__file__).parents[2] / "certify" / "problems"
F = Fraction
RUNNING = FiniteLaw((("1/2", "1/2"), ("3/2", "1/2")))
THREE = FiniteLaw((("1/2", "1/4"), (1, "1/2"), ("3/2", "1/4")))
FOUR = FiniteLaw(((0, "1/4"), ("1/2", "1/4"), (1, "1/4"), ("5/2", "1/4")))
MEDIAN = FiniteLaw((("2/3", "3/4"), (2, "1/4")))
GAP = FiniteLaw((("3/4", "4/5"), (2, "1/5")))
POINT = FiniteLaw(((1, 1),))
LAWS = [RUNNING, THREE, FOUR, MEDIAN, GAP, POINT]
LOADS = [F(1, 10), F(3, 10), F(2, 5), F(1, 2), F(501, 1000), F(3, 4), F(5, 6), F(9, 10), F(99, 100)]
GRID = [F(i, 12) for i in range(13)]


@st.composite
def laws(draw: st.DrawFn, least: int = 1) -> FiniteLaw:
    """Laws with up to six sizes, size 0 included."""
    sizes = draw(st.lists(st.integers(0, 30), min_size=least, max_size=6, unique=True))
    if sizes == [0]:
        sizes = [1]
    weights = [draw(st.integers(1, 9)) for _ in sizes]
    return FiniteLaw.rescaled(
        [(s, F(w, sum(weights))) for s, w in zip(sizes, weights, strict=True)]
    )


loads = st.builds(lambda p, q: F(p, p + q), st.integers(1, 30), st.integers(1, 30))


def closed_form(law: FiniteLaw, load: Fraction) -> tuple[Fraction, Fraction, Fraction]:
    return tuple(dispatch(law, load).at(z) for z in (F(0), F(1, 2), F(1)))  # type: ignore[return-value]


# The closed form at a tie was derived by hand for every load.
@pytest.mark.parametrize("load", LOADS)
def test_running_law_at_a_tie(load: Fraction) -> None:
    if load >= F(1, 2):
        expected = load * (5 - 3 * load) / (2 * (1 - load) * (5 - 2 * load))
    else:
        expected = 7 * load / (2 * (7 - 6 * load))
    assert dispatch(RUNNING, load).at(F(0)) == expected


def test_values_worked_out_by_hand() -> None:
    sectors = dispatch(RUNNING, "3/4").sectors
    assert [(s.lower, s.upper) for s in sectors] == [(0, F(3, 13)), (F(3, 13), 1)]
    assert sectors[0].form == (F(33, 28), F(-3, 14), F(-15, 28))
    assert sectors[1].form == (F(6, 5), F(-2, 5), F(-2, 15))
    assert closed_form(FOUR, F(9, 10)) == (F(360, 161), F(313, 163), F(8, 5))
    assert closed_form(RUNNING, F(1, 4))[:2] == (F(7, 44), F(1, 16))
    at_a_tie = {"3/4": F(5, 4), "9/10": F(144, 41), "1/2": F(11, 24), "3/10": F(33, 160)}
    assert {load: dispatch(THREE, load).at(F(0)) for load in at_a_tie} == at_a_tie
    assert dispatch(MEDIAN, "3/4").at(F(0)) == F(9, 8)
    for load in LOADS:
        kappa = load / (1 - load)
        assert dispatch(POINT, load).at(F(0)) == kappa / 2
        assert dispatch(POINT, load).saving == 0


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("load", LOADS)
def test_backward_integration_agrees_exactly(law: FiniteLaw, load: Fraction) -> None:
    found = dispatch(law, load)
    assert [found.at(z) for z in GRID] == [least_cost(law.atoms, load, z) for z in GRID]


@settings(max_examples=60, deadline=None)
@given(laws(), loads)
def test_random_laws(law: FiniteLaw, load: Fraction) -> None:
    """The value agrees with backward integration, and its certificate is verified."""
    found = dispatch(law, load)
    for z in (F(0), F(1, 7), F(2, 3), F(1)):
        assert found.at(z) == least_cost(law.atoms, load, z)
    report = check_bytes(found.certificate([0, F(1, 3), 1]).to_bytes())
    assert report.outcome is Outcome.VERIFIED, report.line()


@settings(max_examples=40, deadline=None)
@given(laws(least=2), loads, st.data())
def test_value_falls_as_sizes_spread(law: FiniteLaw, load: Fraction, data: st.DataObject) -> None:
    """Replacing two sizes by their conditional mean is a contraction in convex order."""
    i, j = data.draw(st.lists(st.sampled_from(law.atoms), min_size=2, max_size=2, unique=True))
    mass = i[1] + j[1]
    rest = [atom for atom in law.atoms if atom not in (i, j)]
    merged = FiniteLaw((*rest, ((i[0] * i[1] + j[0] * j[1]) / mass, mass)))
    wide, narrow = dispatch(law, load), dispatch(merged, load)
    assert all(wide.at(z) <= narrow.at(z) for z in GRID)
    assert wide.saving >= narrow.saving


@settings(max_examples=40, deadline=None)
@given(laws(), loads, st.fractions(0, 5), st.fractions(0, 5), st.fractions(F(1, 9), 9))
def test_homogeneous_and_symmetric(
    law: FiniteLaw, load: Fraction, u1: Fraction, u2: Fraction, factor: Fraction
) -> None:
    found = dispatch(law, load)
    value = found.value(u1, u2)
    assert found.value(u2, u1) == value >= 0
    assert found.value(factor * u1, factor * u2) == factor**2 * value
    assert found.cutoff(u2, u1) == found.cutoff(u1, u2)


@pytest.mark.parametrize("law", [RUNNING, THREE, FOUR, POINT])
@pytest.mark.parametrize("z", [F(0), F(1, 5), F(9, 10)])
def test_continuous_at_half_load(law: FiniteLaw, z: Fraction) -> None:
    """From both sides the value approaches the one at load 1/2 in proportion to the distance."""
    middle = dispatch(law, F(1, 2)).at(z)
    for side in (-1, 1):
        near, nearer = (
            side * (dispatch(law, F(1, 2) + side * F(1, 10**n)).at(z) - middle) for n in (4, 7)
        )
        assert 0 < nearer < near
        assert F(999, 1000) < near / (1000 * nearer) < F(1001, 1000)


@pytest.mark.parametrize(
    ("law", "load"), [(RUNNING, F(3, 4)), (FOUR, F(9, 10)), (THREE, F(3, 10)), (MEDIAN, F(1, 2))]
)
def test_quadrature_at_sixty_digits(law: FiniteLaw, load: Fraction) -> None:
    """The integral formula, by numerical quadrature and a numerical inverse of Z."""
    with mpmath.workdps(70):
        rho = mpmath.mpf(load.numerator) / load.denominator
        atoms = [(mpmath.mpf(s.numerator) / s.denominator, m) for s, m in law.atoms]
        weights = [mpmath.mpf(m.numerator) / m.denominator for _, m in atoms]
        sizes, kappa = [s for s, _ in atoms], rho / (1 - rho)

        def deviation(h: Any) -> Any:
            return sum(w * abs(s - h) for s, w in zip(sizes, weights, strict=True))

        exit_cutoff, work = sizes[-1], mpmath.mpf(0)
        for size, weight in zip(sizes, weights, strict=True):
            work += size * weight
            if work * 2 * rho >= 1 - mpmath.mpf(10) ** -60:
                exit_cutoff = size
                break

        def total(h: Any) -> Any:
            """X(h)."""
            knots = sorted({h, exit_cutoff} | {s for s in sizes if h < s < exit_cutoff})
            integral = mpmath.quad(lambda u: deviation(u) ** -2, knots)
            if 2 * rho > 1:
                return exit_cutoff / deviation(exit_cutoff) + integral / kappa
            return 1 + integral / kappa + 1 / (kappa * (exit_cutoff - 1))

        found = dispatch(law, load)
        expected = kappa / 2 * (1 - 1 / total(mpmath.mpf(0)))
        exact = found.at(F(0))
        assert abs(expected - mpmath.mpf(exact.numerator) / exact.denominator) < mpmath.mpf("1e-60")
        z = F(1, 7)
        start = found.cutoff((1 - z) / 2, (1 + z) / 2)
        ratio = mpmath.mpf(1) / 7
        h = mpmath.findroot(
            lambda u: u / deviation(u) - ratio * total(u),
            (mpmath.mpf(float(start)) * 0.99, mpmath.mpf(float(start)) * 1.01),
            solver="anderson",
            tol=mpmath.mpf(10) ** -125,
        )
        expected = (kappa - kappa * ratio * deviation(h) / h - ratio**2 / h) / 2
        exact = found.at(z)
        assert abs(expected - mpmath.mpf(exact.numerator) / exact.denominator) < mpmath.mpf("1e-55")


@pytest.mark.parametrize(
    ("law", "load", "z"), [(RUNNING, 0.75, 0.0), (FOUR, 0.9, 0.2), (THREE, 0.3, 0.5)]
)
def test_the_closed_loop_costs_the_value(law: FiniteLaw, load: float, z: float) -> None:
    """Run the feedback of the cutoff through the queues in small steps and add up the waiting.

    One step lasts 1/4000 of the time scale; the cost of an explicit step is off by its length
    relative to the total, hence the tolerance of one in a thousand.
    """
    exact = dispatch(law, F(str(load)))
    rows = [(float(s.upper), *map(float, s.form)) for s in exact.sectors]
    atoms = [(float(s), float(m)) for s, m in law.atoms]
    u1, u2, cost, step = (1 - z) / 2, (1 + z) / 2, 0.0, 1 / 4000
    while u1 + u2 > 1e-3:
        short, long = sorted((u1, u2))
        x, delta = short + long, long - short
        _, _, linear, square = next(row for row in rows if delta / x <= row[0] + 1e-12)
        g = -linear * x - 2 * square * delta
        joined = [(s, m) for s, m in atoms if s * g <= delta * (1 + 1e-9)]
        jobs, work = sum(m for _, m in joined), sum(s * m for s, m in joined)
        time_step = step * x
        if short == 0 and load * work > 0.5:
            over = (work - 0.5 / load) / joined[-1][0]
            jobs, work = jobs - over, 0.5 / load
        cost += 2 * load * time_step * (jobs * short + (1 - jobs) * long)
        u1 = max(0.0, short + time_step * (load * work - 0.5))
        u2 = long + time_step * (load * (1 - work) - 0.5)
    assert cost == pytest.approx(float(exact.at(F(str(z)))), rel=1e-3)


def test_cutoff() -> None:
    found = dispatch(RUNNING, "3/4")
    assert found.cutoff(1, 1) == 0
    assert found.cutoff(0, 0) == 0
    assert found.cutoff("5/13", "8/13") == F(1, 2)
    assert found.cutoff(0, 7) == F(3, 2)
    light = dispatch(RUNNING, "1/4")
    assert light.cutoff(0, 1) == math.inf
    assert light.cutoff("1/100", 1) > F(3, 2)
    assert all(dispatch(POINT, "3/4").cutoff(1, u) == 1 for u in (2, 3))


@settings(max_examples=30, deadline=None)
@given(laws(least=2), loads)
def test_cutoff_rises_with_the_imbalance(law: FiniteLaw, load: Fraction) -> None:
    found = dispatch(law, load)
    cutoffs = [found.cutoff(1 - z, 1 + z) for z in GRID]
    assert cutoffs == sorted(cutoffs)
    assert len(set(cutoffs)) == len(cutoffs)


def test_repr_and_words() -> None:
    found = dispatch(RUNNING, "3/4")
    assert repr(found) == "Dispatch(sizes=2, load=3/4, sectors=2, saving=3/14)"
    assert repr(found.certificate()) == "Certificate(kind='fluid-value', 681 bytes)"
    said = words(found.certificate().claim)
    assert "33/28" in said
    assert "3/14" in said
    assert "2 sectors" in said
    one = words(dispatch(POINT, "3/4").certificate(["1/2"]).claim)
    assert "with 1 job size, quadratic in 1 sector; it saves 0 of" in one
    claim = found.certificate().claim | {
        "saving": f"{10**4000}{'0' * 2000}/{10**4000}{'0' * 1999}7"
    }
    assert "it saves about 1 of" in words(claim), "numbers longer than int() reads"


def test_claim_fields() -> None:
    claim = dispatch(RUNNING, "3/4").certificate([0, "3/13", 1]).claim
    assert claim == {
        "law": {"atoms": [["1/2", "1/2"], ["3/2", "1/2"]]},
        "load": "3/4",
        "sectors": [
            {"from": "0", "to": "3/13", "value": ["33/28", "-3/14", "-15/28"]},
            {"from": "3/13", "to": "1", "value": ["6/5", "-2/5", "-2/15"]},
        ],
        "values": [
            {"imbalance": "0", "value": "33/28"},
            {"imbalance": "3/13", "value": "186/169"},
            {"imbalance": "1", "value": "2/3"},
        ],
        "saving": "3/14",
    }
    scaled = dispatch(FiniteLaw.rescaled([(1, "1/2"), (3, "1/2")]), "3/4").certificate([0]).claim
    assert scaled["law"] == {"atoms": [["1/2", "1/2"], ["3/2", "1/2"]], "scale": "2"}


@pytest.mark.parametrize("load", [0, 1, "6/5", "-1/2", F(3, 2)])
def test_bad_load(load: Any) -> None:
    with pytest.raises(InputError) as caught:
        dispatch(RUNNING, load)
    said = f"load must be greater than 0 and less than 1, but was {F(load)}."
    assert str(caught.value) == said


def test_numbers_of_any_length_are_told() -> None:
    assert said_by(dispatch, RUNNING, "1e9999").endswith("but was about 1.000e+9999.")
    assert "of at least 0, but was about -1.000e+9999." in said_by(FiniteLaw, [("-1e9999", 1)])


def said_by(call: Any, *arguments: Any) -> str:
    with pytest.raises(InputError) as caught:
        call(*arguments)
    return str(caught.value)


def test_bad_arguments() -> None:
    found = dispatch(RUNNING, "3/4")
    assert said_by(found.value, -1, 2) == "u1 must be at least 0, but was -1."
    assert said_by(found.cutoff, 1, "-1/2") == "u2 must be at least 0, but was -1/2."
    exact = 'must be exact, for example "0.5" in quotes or a Fraction, but was the float 0.5.'
    assert said_by(found.value, 0.5, 1) == f"u1 {exact}"
    assert said_by(dispatch, RUNNING, 0.5) == f"load {exact}"
    between = "imbalances[1] must be between 0 and 1, but was 3/2."
    assert said_by(found.certificate, [0, "3/2"]) == between
    assert said_by(found.certificate, []).startswith("imbalances must be a non-empty list")
    long = f"1/{10**3999}"
    wide = dispatch(FiniteLaw.rescaled((i * i + 1, F(1, 99)) for i in range(99)), "3/4")
    said = said_by(wide.certificate, [0, F(1, 10**9000)])
    assert said == (
        "imbalances[1] must have a value of at most 20000 digits, but was about 1.000e-9000."
    )
    assert wide.certificate([long]).claim["values"][0]["imbalance"] == long


def problem(tmp_path: Path, text: str) -> Table:
    path = tmp_path / "p.toml"
    path.write_text(text)
    return read(path)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("load = 1.2", "load must be greater than 0 and less than 1, but was 6/5."),
        ("load = 0", "load must be greater than 0 and less than 1, but was 0."),
        ("load = 1", "load must be greater than 0 and less than 1, but was 1."),
        ("load = -0.5", "load must be greater than 0 and less than 1, but was -1/2."),
        ("load = true", 'load must be an exact number such as 0.85 or "17/20", but was True.'),
        ("", "load must be given, but was missing."),
        (
            "load = 0.5\nimbalances = 3",
            "imbalances must be a non-empty list of numbers, but was 3.",
        ),
        (
            "load = 0.5\nimbalances = [0, 1.5]",
            "imbalances[1] must be between 0 and 1, but was 3/2.",
        ),
        (
            "load = 0.5\ndigits = 50",
            "digits must be a known key (here: imbalances, large, law, load, sectors), "
            "but was unknown.",
        ),
    ],
)
def test_bad_problems(text: str, expected: str, tmp_path: Path) -> None:
    table = problem(tmp_path, f'{text}\n[law]\natoms = [["1/2", 0.5], [1.5, 0.5]]\n')
    assert said_by(make, table) == expected


def test_merged_sizes_are_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    table = problem(tmp_path, "load = 0.75\n[law]\natoms = [[0.5, 0.25], [0.5, 0.25], [1.5, 0.5]]")
    assert make(table).claim == dispatch(RUNNING, "3/4").certificate().claim
    assert "law.atoms[1] repeats the size 1/2" in caplog.text


def test_limits_are_told() -> None:
    many = FiniteLaw.rescaled((s, F(1, MAX_ATOMS + 1)) for s in range(MAX_ATOMS + 1))
    instead = "certify.fluid.enclose_value, or certify.fluid.bracket, which bins them"
    requirement = f"law must have at most 1,000 sizes (for more: {instead}), but was 1,001."
    assert said_by(dispatch, many, "3/4") == requirement
    many = FiniteLaw.rescaled((s, F(1, 500)) for s in range(500))
    most = f"at most {MAX_SECTORS} sizes up to the exit cutoff"
    assert f"{most} (for more: {instead})" in said_by(dispatch, many, "3/4")
    assert f"{most}, but was" in said_by(compare, many, "3/4", 0, 1), "no other function helps"
    # hundreds of unrelated denominators: the answer itself would have millions of digits
    weights = [F(1, p) for p in range(100_003, 100_303)]
    law = FiniteLaw.rescaled((i + 1, w / sum(weights)) for i, w in enumerate(weights))
    start = time.perf_counter()
    said = said_by(dispatch, law, "3/4")
    assert "numbers have at most 20000 digits" in said
    assert "for others: certify.fluid.enclose_value" in said
    assert time.perf_counter() - start < 5


def test_a_problem_is_told_what_a_problem_can_ask(tmp_path: Path) -> None:
    """Keys and kinds, not functions; and what is a policy's."""
    keys = "(for more: sectors = false, kind fluid-many-sizes, or kind fluid-bracket, which bins"
    policy = (
        "(for more: kind fluid-bracket, which bins them; a policy is made of sectors, also with "
        "sectors = false), but was"
    )
    for count, load in ((1001, "0.75"), (500, "0.75")):
        (tmp_path / "t.csv").write_text("\n".join(map(str, range(count))))
        text = f"load = {load}\n[law]\nsizes = 't.csv'\n"
        assert keys in said_by(make, problem(tmp_path, text))
        (tmp_path / "p.toml").write_text(f"kind = 'fluid-value'\nsectors = false\n{text}")
        assert policy in said_by(read_controller, tmp_path / "p.toml")


def test_long_exact_answers_are_asked_for_with_large(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("\n".join(str(n * n * 7919 % 999983) for n in range(2500)))
    text = "load = 0.75\nsectors = false\n[law]\nsizes = 't.csv'\n"
    assert said_by(make, problem(tmp_path, text)).startswith(
        "law must have exact answers of at most 20000 digits (large = true allows 1,000,000; or "
        "ask kind fluid-many-sizes), but was about "
    )
    assert make(problem(tmp_path, f"large = true\n{text}")).kind == "fluid-value"


def test_three_hundred_sizes_take_seconds() -> None:
    rows = (PROBLEMS / "fluid-value-300-sizes.csv").read_text().split()
    assert rows[0] == "size,count"
    rule = [f"{7919 * i * i % 999983},{104729 * i % 999983}" for i in range(1, 301)]
    assert rows[1:] == rule, "the rule stated in the problem file"
    start = time.perf_counter()
    data = make_file(PROBLEMS / "fluid-value-300-sizes.toml").to_bytes()
    made = time.perf_counter()
    report = check_bytes(data)
    checked = time.perf_counter()
    assert report.outcome is Outcome.VERIFIED
    assert "sizes 300" in report.text
    assert made - start < 10
    assert checked - made < 30


@pytest.mark.parametrize(
    "path", sorted(PROBLEMS.glob("fluid-value-*.toml")), ids=lambda path: path.stem
)
def test_shipped_problems(path: Path) -> None:
    certificate = make_file(path)
    if "300" in path.stem:
        return  # checked above
    assert check_bytes(certificate.to_bytes()).outcome is Outcome.VERIFIED
    assert certificate.to_bytes() == make_file(path).to_bytes()


def test_the_type_is_what_the_package_exports() -> None:
    assert isinstance(dispatch(RUNNING, "3/4"), Dispatch)
