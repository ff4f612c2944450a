"""Claims of kind fluid-value without sectors: exact values at single imbalances, many sizes."""

import copy
import json
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.errors import InputError
from certify.fluid import FiniteLaw, dispatch
from certify.fluid.many_sizes import exact_values
from certify.fluid.value import words
from certify.kinds import make_file
from certify.shipped import find
from proofs_checks.checker.cli import Report, check_bytes
from proofs_checks.checker.reader import Limits
from proofs_checks.checker.verdict import Outcome
from tests.certify.test_heavy_traffic import LAWS
from tests.mutation.engine import Tally, judge, several, single, to_bytes
from tests.mutation.truth.fluid_value import truth

F = Fraction
SCHEMA = Path(__file__).parents[2] / "certificates" / "schema" / "fluid-value.json"
RUNNING = FiniteLaw((("1/2", "1/2"), ("3/2", "1/2")))
FOUR = FiniteLaw(((0, "1/4"), ("1/2", "1/4"), (1, "1/4"), ("5/2", "1/4")))
Tree = dict[str, Any]


def tree(law: FiniteLaw = FOUR, load: str = "9/10", imbalances: Any = (0, "2/5", 1)) -> Tree:
    certificate = exact_values(law, load, imbalances).certificate()
    found: Tree = json.loads(certificate.to_bytes())
    return found


def judged(forged: Tree) -> Report:
    return check_bytes(to_bytes(forged))


def condition(forged: Tree) -> str:
    assert truth(copy.deepcopy(forged["claim"])) is False
    report = judged(forged)
    assert report.outcome is Outcome.REJECTED, report.line()
    assert report.refusal is not None
    return report.refusal.condition


@settings(max_examples=60, deadline=None)
@given(
    LAWS,
    st.fractions(F(1, 20), F(19, 20), max_denominator=20),
    st.fractions(0, 1, max_denominator=1000),
)
def test_the_values_are_those_of_the_sectors(law: FiniteLaw, load: Fraction, z: Fraction) -> None:
    solved = dispatch(law, load)
    try:
        found = exact_values(law, load, [0, z, 1])
    except InputError:
        assert z in [sector.lower for sector in solved.sectors]
        return
    assert found.values == tuple(solved.at(each) for each in (F(0), z, F(1)))
    assert found.saving == solved.saving
    certificate = found.certificate()
    assert check_bytes(certificate.to_bytes()).outcome is Outcome.VERIFIED
    jsonschema.validate(json.loads(certificate.to_bytes()), json.loads(SCHEMA.read_bytes()))
    assert truth(certificate.claim) is True


@pytest.mark.parametrize(
    ("law", "load"), [(FOUR, "9/10"), (FOUR, "1/2"), (RUNNING, "1/4"), (RUNNING, "3/4")]
)
def test_every_change_of_a_small_claim(law: FiniteLaw, load: str) -> None:
    forged, tally = tree(law, load), Tally()
    judge(single(forged), truth, tally)
    judge(islice(several(forged, 100, seed=1), 100), truth, tally)
    assert not tally.false_accepted
    assert tally.false_refused > 50


def test_every_condition_of_such_claims_is_tested() -> None:
    assert set(judged(tree()).tested) == {"hypothesis", "sector", "value", "saving"}


def test_the_exact_numbers_of_the_page() -> None:
    claim = tree(FOUR, "9/10", [0, "1/2", 1])["claim"]
    assert [row["value"] for row in claim["values"]] == ["360/161", "313/163", "8/5"]


@pytest.mark.parametrize("row", [0, 1, 2])
def test_a_value_that_is_off_by_very_little(row: int) -> None:
    forged = tree()
    value = F(forged["claim"]["values"][row]["value"])
    forged["claim"]["values"][row]["value"] = str(value + F(1, 10**60))
    assert condition(forged) == "value"


def test_a_saving_that_is_off_by_very_little() -> None:
    forged = tree()
    forged["claim"]["saving"] = str(F(forged["claim"]["saving"]) - F(1, 10**60))
    assert condition(forged) == "saving"


def test_the_value_of_the_form_next_door() -> None:
    """The equation of another sector, solved exactly: the place of the imbalance refuses it."""
    solved, forged = dispatch(FOUR, "9/10"), tree()
    a, b, c = solved.sectors[0].form
    z = F(2, 5)
    assert solved.sectors[0].upper < z
    forged["claim"]["values"][1]["value"] = str(a + b * z + c * z * z)
    forged["witness"]["sectors"][1] = 0
    assert condition(forged) == "sector"


@pytest.mark.parametrize(("place", "number"), [(0, 1), (1, 0), (1, 3), (2, 0), (2, 9)])
def test_another_knot_proves_nothing(place: int, number: int) -> None:
    forged = tree()
    assert forged["witness"]["sectors"][place] != number
    forged["witness"]["sectors"][place] = number
    report = judged(forged)
    assert report.outcome is Outcome.REJECTED
    assert report.refusal is not None
    assert report.refusal.condition == "sector"


def test_an_all_short_sector_only_at_small_loads() -> None:
    """Behind the last knot every job joins the shorter queue; at 3/4 that idles at a price."""
    forged = tree(RUNNING, "3/4", [0, "9/10"])
    forged["witness"]["sectors"][1] = 2
    assert judged(forged).refusal is not None
    assert judged(forged).outcome is Outcome.REJECTED


def test_one_size_is_refused() -> None:
    forged = tree()
    forged["claim"]["law"] = {"atoms": [["1", "1"]]}
    assert condition(forged) == "hypothesis"


def test_imbalances_outside() -> None:
    forged = tree()
    forged["claim"]["values"][1]["imbalance"] = "6/5"
    assert condition(forged) == "value"


def test_one_knot_for_every_value() -> None:
    forged = tree()
    forged["witness"]["sectors"].pop()
    assert judged(forged).outcome is Outcome.MALFORMED
    forged["witness"] = {}
    assert judged(forged).outcome is Outcome.MALFORMED


def test_a_thousand_sizes_as_shipped() -> None:
    certificate = make_file(find("fluid-value-1000-sizes"))
    report = check_bytes(certificate.to_bytes())
    assert report.outcome is Outcome.VERIFIED, report.line()
    value = certificate.claim["values"][0]["value"]
    assert 9_000 < len(value) < 20_000
    assert words(certificate.claim).startswith(
        "The least cost of emptying two queues at load 3/4 with 1000 job sizes, exactly at 2 "
        "imbalances (from a tie with total work 1: about 1.10"
    )
    changed = json.loads(certificate.to_bytes())
    numerator, _, denominator = value.partition("/")
    changed["claim"]["values"][0]["value"] = f"{numerator[:-1]}{(int(numerator[-1]) + 1) % 10}"
    changed["claim"]["values"][0]["value"] += f"/{denominator}"
    assert judged(changed).outcome in (Outcome.REJECTED, Outcome.MALFORMED)


def test_long_denominators_are_declined_before_the_work() -> None:
    """Sizes over many different primes have a common denominator that nobody should build."""
    primes = [p for p in range(10**4, 2 * 10**4) if all(p % d for d in range(2, 150))]
    atoms = [[f"{p + 1}/{p}", f"1/{len(primes)}"] for p in reversed(primes)]
    forged = tree()
    forged["claim"]["law"] = {"atoms": atoms}
    report = check_bytes(to_bytes(forged), limits=Limits(steps=10**6))
    assert report.outcome is not Outcome.VERIFIED


def test_answers_that_nobody_reads_are_refused() -> None:
    with pytest.raises(InputError) as refused:
        exact_values(FOUR, "9/10", digits=5)
    assert str(refused.value) == (
        "law must have exact answers of at most 5 digits (or ask kind fluid-many-sizes), but was "
        "about 9 digits."
    )
