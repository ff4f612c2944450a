"""Lognormal noise, its inner enclosures taken for granted: each number to the edge."""

import json
from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial
from typing import Any

import mpmath
import pytest

from certify.fluid.noise import LognormalNoise, enclose_noise
from proofs_checks.checker.kinds import fluid_enclosure
from proofs_checks.checker.reader import Node
from proofs_checks.checker.verdict import Outcome, Trial
from tests.drift_helpers import changed, condition, verdict
from tests.mutation.engine import Tree

F = Fraction
CASES = (  # sigma, noise, load; the conditional mean has a rational sigma in the first only
    ("4/5", "3/5", "3/4"),
    ("1", "1/2", "3/4"),
    ("1/2", "1/4", "1/3"),
)
STEP = F(1, 10**60)
HIDDEN = F(1, 10**15)  # far above the rounding of the 86 bits these certificates ask for


@pytest.fixture(autouse=True)
def inner(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The inner claims in the order in which their proofs are asked for; none is checked."""
    asked: list[Any] = []
    monkeypatch.setattr(
        fluid_enclosure, "check", lambda claim, witness, trial: asked.append(claim.value)
    )
    return asked


@cache
def made(sigma: str, noise: str, load: str) -> bytes:
    law = LognormalNoise(F(sigma), F(noise))
    return enclose_noise(law, load, ["0", "1/2"], 2).certificate().to_bytes()


def tree_of(case: tuple[str, str, str]) -> Tree:
    found: Tree = json.loads(made(*case))
    return found


def ends(value: Any) -> tuple[Fraction, Fraction]:
    """The ends of an interval of a claim; an exact number is both of them."""
    if isinstance(value, dict):
        return number(value["lo"]), number(value["hi"])
    return number(value), number(value)


def number(text: str) -> Fraction:
    mantissa, _, power = text.partition("e")
    return F(mantissa) * F(10) ** int(power or 0)


def decimal(value: Fraction) -> str:
    """An integer times a power of ten; the value has at most 70 places."""
    scaled, power = value * 10**70, -70
    assert scaled.denominator == 1
    mantissa = scaled.numerator
    while mantissa and mantissa % 10 == 0:
        mantissa, power = mantissa // 10, power + 1
    return f"{mantissa}e{power}" if mantissa and power else str(mantissa)


def interval(low: Fraction, high: Fraction) -> dict[str, str]:
    return {"lo": decimal(low), "hi": decimal(high)}


def at_edges(
    tree: Tree, low: Fraction, high: Fraction, put: Callable[[Any], Tree], code: str, step: Fraction
) -> None:
    """A claim around [low, high] is verified, one that leaves out an end of it is not."""
    assert condition(put(interval(low - step, high + step))) == ""
    for inside in ((low + step, high + step), (low - step, high - step), (high + step,) * 2):
        assert condition(put(interval(inside[0], max(inside)))) == code
    assert condition(put(interval(low - 2 * step, low - step))) == code


@pytest.mark.parametrize("case", CASES)
def test_the_proofs_inside_are_asked_for(case: tuple[str, str, str], inner: list[Any]) -> None:
    """One of the sizes' law, one or two of the conditional mean's, all at the claim's load."""
    tree = tree_of(case)
    assert condition(tree) == ""
    seen = [part["sigma"] for part in tree["witness"]["seen"]]
    assert [claim["law"]["sigma"] for claim in inner] == [case[0], *seen]
    assert {claim["law"]["family"] for claim in inner} == {"lognormal"}
    assert {claim["load"] for claim in inner} == {case[2]}
    variance = F(case[0]) ** 4 / (F(case[0]) ** 2 + F(case[1]) ** 2)
    assert F(seen[0]) ** 2 <= variance <= F(seen[-1]) ** 2
    assert len(seen) == (1 if case == CASES[0] else 2)


def rounded(value: Any) -> Fraction:
    """To 30 places."""
    return F(int(mpmath.nint(value * 10**30)), 10**30)


def put(tree: Tree, name: str, value: Any) -> Tree:
    return changed(tree, **{f"claim__{name}": value})


@pytest.mark.parametrize("case", CASES)
def test_the_bound_at_a_tie(case: tuple[str, str, str]) -> None:
    """((1 + E|S - M|/least E|M - h|)**2 - 1) kappa/2 times the saving of M, by its formula."""
    tree, (sigma, noise, load) = tree_of(case), map(F, case)
    parts = tree["witness"]["seen"]
    saving = ends(parts[0]["claim"]["saving"])[0], ends(parts[-1]["claim"]["saving"])[1]
    with mpmath.workdps(40):
        sd = mpmath.mpf(sigma.numerator) / sigma.denominator
        off = mpmath.mpf(noise.numerator) / noise.denominator
        root = sd**2 / mpmath.sqrt(sd**2 + off**2)
        # E|L - 1| = 2 (2 Phi(s/2) - 1) and least E|L - h| = E|L - e^(-s^2/2)| = 2 Phi(s) - 1
        error = 2 * mpmath.erf(root * off / sd / 2 / mpmath.sqrt(2))
        least = mpmath.erf(root / mpmath.sqrt(2))
        distance = 2 * mpmath.erf((sd - root) / 2 / mpmath.sqrt(2))
        growth = rounded((1 + error / least) ** 2 - 1)
    kappa, shift = load / (1 - load), rounded(distance)
    low, high = (F(round(growth * kappa / 2 * end * 10**30), 10**30) for end in saving)
    at_edges(tree, low, high, partial(put, tree, "tie_bound"), "tie-bound", HIDDEN)
    for name, value in (
        ("mean_error", rounded(error)),
        ("least_deviation", rounded(least)),
        ("distance", shift),
        ("bound", F(round(shift * kappa * load * 10**30), 10**30)),
    ):
        at_edges(tree, value, value, partial(put, tree, name), name.replace("_", "-"), HIDDEN)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("index", [0, 1])
def test_the_rows_to_the_last_digit(case: tuple[str, str, str], index: int) -> None:
    tree = tree_of(case)
    full = ends(tree["witness"]["full"]["claim"]["values"][index]["value"])
    parts = [part["claim"]["values"][index]["value"] for part in tree["witness"]["seen"]]
    seen = ends(parts[-1])[0], ends(parts[0])[1]  # more spread costs less

    def row(**edits: Any) -> Tree:
        rows = [dict(each) for each in tree["claim"]["rows"]]
        rows[index] |= {"full": interval(*full), "seen": interval(*seen), **edits}
        return changed(tree, claim__rows=rows)

    loss = max(F(0), seen[0] - full[1]), seen[1] - full[0]
    assert condition(row(loss=interval(*loss))) == ""
    wide = interval(loss[0] - 1, loss[1] + 1)
    at_edges(tree, *full, lambda v: row(full=v, loss=wide), "full", STEP)
    at_edges(tree, *seen, lambda v: row(seen=v, loss=wide), "seen", STEP)
    at_edges(tree, *loss, lambda v: row(loss=v), "loss", STEP)
    # the loss follows from what is claimed of the two costs, however wide
    looser = {"full": interval(full[0] - 1, full[1] + F(1, 100)), "seen": wide}
    looser["seen"] = interval(seen[0], seen[1] + 2)
    loss = max(F(0), seen[0] - full[1] - F(1, 100)), seen[1] + 3 - full[0]
    at_edges(tree, *loss, lambda v: row(loss=v, **looser), "loss", STEP)


def test_a_loss_is_never_negative() -> None:
    """With costs known to a unit only, the least loss that is proved is zero."""
    tree = tree_of(CASES[0])
    rows = [dict(each) for each in tree["claim"]["rows"]]
    full, seen = ends(rows[1]["full"]), ends(rows[1]["seen"])
    rows[1]["full"] = interval(full[0], full[1] + 1)
    most = seen[1] - full[0]
    for low, code in ((F(0), ""), (STEP, "loss"), (-STEP, "")):
        rows[1]["loss"] = interval(low, most)
        assert condition(changed(tree, claim__rows=rows)) == code


def test_digits_that_all_rows_share() -> None:
    """The verdict counts the digits of the widest claim, of the first row too."""
    tree = tree_of(CASES[0])
    before = verdict(tree).digits
    assert before is not None
    rows = [dict(each) for each in tree["claim"]["rows"]]
    rows[0]["loss"] = interval(ends(rows[0]["loss"])[0], ends(rows[0]["loss"])[1] + F(1, 500))
    after = verdict(changed(tree, claim__rows=rows)).digits
    assert after is not None
    assert after < before
    loose = verdict(changed(tree, claim__mean_error=interval(F(0), F(1)))).digits
    assert loose == 0


def test_other_families_have_another_theorem() -> None:
    tree = tree_of(CASES[0])
    for family in ("weibull", "pareto", "gamma"):
        forged = changed(tree, claim__sizes={"family": family, "sigma": "4/5"})
        assert verdict(forged).outcome is Outcome.MALFORMED


@pytest.mark.parametrize("field", ["noise", "sizes"])
def test_parameters_of_forty_digits(field: str) -> None:
    """10**40 is taken above and below the line, 10**40 + 1 is not."""
    tree, edge = tree_of(CASES[0]), 10**40
    for value, refused in (
        (F(edge, 3), Outcome.REJECTED),
        (F(3, edge), Outcome.REJECTED),
        (F(edge + 1, 2), Outcome.DECLINED),
        (F(3, edge + 1), Outcome.DECLINED),
    ):
        text: Any = str(value)
        text = {"family": "lognormal", "sigma": text} if field == "sizes" else text
        report = verdict(changed(tree, **{f"claim__{field}": text}))
        assert report.outcome is refused, report.line()


def test_costs_of_another_list_of_imbalances() -> None:
    """An inner claim speaks of the imbalances of the rows, in their order."""
    tree = tree_of(CASES[0])
    rows = tree["claim"]["rows"]
    for other in (rows[::-1], rows[:1], [*rows, rows[1]]):
        assert condition(changed(tree, claim__rows=other)) == "imbalance"


def test_a_trial_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the inner claim does not prove, the outer one does not take."""

    def refuse(claim: Node, witness: Node, trial: Trial) -> None:
        trial.require("value", "exit_cutoff" not in claim.value, "inner", "a proof", "none")

    monkeypatch.setattr(fluid_enclosure, "check", refuse)
    assert condition(tree_of(CASES[0])) == "value"
