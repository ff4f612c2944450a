"""Times of convergence under attack: every single change, and lies an attacker would try."""

import copy
import json
from fractions import Fraction
from typing import Any

import pytest

from certify.softmax import ReflectedUAS, System
from certify.softmax.convergence import certify_convergence
from proofs_checks.checker.cli import check_bytes
from proofs_checks.checker.verdict import Outcome
from tests.mutation.engine import Tally, judge, several, shipped, single, to_bytes, truth_of

COMMON: dict[str, Any] = {"alpha": 20, "beta": "0.85", "gamma": "0.5", "offset": "0.5"}
UNEQUAL = ReflectedUAS("2.4", [1, 2], **COMMON)


def tree(system: System, start_bound: int = 4, shrink: str = "2/5") -> dict[str, Any]:
    tolerance = Fraction(1, 10**9)
    found = certify_convergence(system, Fraction(start_bound), tolerance, Fraction(shrink))
    made = found.certificate()
    return {"format": "certify/1", "kind": made.kind, "claim": made.claim, "witness": made.witness}


HONEST = tree(UNEQUAL)


def refused(**changes: Any) -> str:
    """The condition that refuses the honest certificate with some claim fields changed."""
    forged = copy.deepcopy(HONEST)
    forged["witness"]["phases"] = changes.pop("phases", forged["witness"]["phases"])
    forged["claim"].update(changes)
    report = check_bytes(to_bytes(forged))
    assert report.outcome is Outcome.REJECTED, report.line()
    assert report.refusal
    return report.refusal.condition


def test_every_change() -> None:
    truth, tally = truth_of(HONEST["kind"]), Tally()
    assert check_bytes(to_bytes(HONEST)).outcome is Outcome.VERIFIED
    assert truth(copy.deepcopy(HONEST["claim"])) is True
    judge(single(HONEST), truth, tally)
    judge(several(HONEST, 60, seed=3), truth, tally)
    assert not tally.false_accepted
    assert tally.false_refused > 80
    assert tally.true_accepted > 50


def test_a_time_in_which_the_queues_cannot_empty() -> None:
    """From (4, 4) the total falls by at most 3 - 2.4 = 0.6 per unit of time."""
    assert refused(time="13") == "time"


def test_more_starts_in_the_same_time() -> None:
    assert refused(start_bound="5") == "time"


def test_a_finer_tolerance_in_the_same_time() -> None:
    assert refused(tolerance=str(Fraction(1, 10**20))) == "time"


def test_a_rate_beyond_the_curvature_at_the_equilibrium() -> None:
    """Near q* the active queue alone relaxes at rate alpha mu v (1 - p*) or less."""
    assert refused(final_rate="40") == "curvature"
    assert refused(final_rate="37/10") == "curvature"  # the true one is 3.68


def test_one_huge_ball_with_the_local_rate() -> None:
    """Exponential decay from everywhere would give a time of a few units."""
    assert refused(phases=[], final_radius="100", time="20") == "curvature"


def test_no_rate_at_all() -> None:
    """Without a rate there is no speed near q*; far from it there is, but no end."""
    assert refused(final_rate="0") == "speed"
    assert refused(phases=[], final_radius="3", final_rate="0") == "shape"
    assert refused(final_rate="-1") == "shape"


def test_distances_that_rise_again() -> None:
    assert refused(phases=HONEST["witness"]["phases"][::-1]) == "shape"
    twice = [HONEST["witness"]["phases"][0]] * 2
    assert refused(phases=twice) == "shape"


def test_a_phase_without_a_speed() -> None:
    """Near the equilibrium the far bound says nothing; rate 0 claims nothing."""
    phases = copy.deepcopy(HONEST["witness"]["phases"])
    phases[-1]["rate"] = "0"
    assert refused(phases=phases) == "speed"


def test_another_equilibrium() -> None:
    K = HONEST["claim"]["K"]
    low, high = Fraction(K["lo"]), Fraction(K["hi"])
    shifted = {"lo": _decimal(low * 2), "hi": _decimal(high * 2)}
    assert refused(K=shifted) == "root-above"
    assert refused(K={"lo": _decimal(low / 2), "hi": _decimal(high / 2)}) == "root-below"
    assert refused(K={"lo": "0", "hi": K["hi"]}) == "root-above"


def _decimal(value: Fraction) -> str:
    power = 0
    while value.denominator != 1:
        value, power = value * 10, power - 1
    text = str(value.numerator)
    zeros = len(text) - len(text.rstrip("0"))
    return f"{text[: len(text) - zeros]}e{power + zeros}"


def test_trajectories_closer_than_their_bound() -> None:
    assert refused(diameter=HONEST["claim"]["tolerance"]) == "diameter"
    assert refused(diameter="-1") == "diameter"


def test_an_overloaded_system_has_no_equilibrium() -> None:
    system = {**HONEST["claim"]["system"], "arrival_rate": "3"}
    assert refused(system=system) == "hypothesis"
    assert refused(tolerance="0") == "hypothesis"
    assert refused(start_bound="-4") == "hypothesis"


def test_the_certificate_of_a_lighter_system() -> None:
    """A heavier load takes longer; the time of load 0.8 does not do for load 0.9."""
    other = tree(ReflectedUAS("2.7", [1, 2], **COMMON))
    for name in ("time", "diameter"):
        other["claim"][name] = HONEST["claim"][name]
    report = check_bytes(to_bytes(other))
    assert report.refusal
    assert report.refusal.condition == "time"


@pytest.mark.parametrize("count", [2_000])
def test_many_phases_end_with_a_verdict(count: int) -> None:
    forged = copy.deepcopy(HONEST)
    last = Fraction(forged["claim"]["final_radius"])
    forged["witness"]["phases"] = [
        {"radius": str(last + count - k), "rate": "0"} for k in range(count)
    ]
    assert check_bytes(to_bytes(forged)).outcome is Outcome.REJECTED


def test_no_shipped_claim_is_called_false() -> None:
    """Starts of a hundred jobs a queue arrive after the simulation has ended: it cannot tell."""
    truth = truth_of("softmax-convergence")
    said = [truth(json.loads(path.read_bytes())["claim"]) for path in shipped(HONEST["kind"])]
    assert False not in said
    assert {True, None} == set(said)


def test_a_time_too_short_is_called_false() -> None:
    """45 units of time are simulated, and no queue of a hundred jobs empties in a tenth of them."""
    path = next(p for p in shipped(HONEST["kind"]) if "symmetric" in p.name)
    claim = json.loads(path.read_bytes())["claim"]
    assert truth_of("softmax-convergence")({**claim, "time": "4"}) is False
