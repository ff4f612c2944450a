"""Sectors, knots and borders of kind fluid-many-sizes, beside the exact sectors of the value."""

from fractions import Fraction

import pytest

from certify.fluid import FiniteLaw, dispatch
from proofs_checks.checker.verdict import Outcome
from tests.drift_helpers import condition, verdict
from tests.mutation.engine import Tree

F = Fraction
Atoms = tuple[tuple[str, str], ...]
TWO: Atoms = (("1/2", "1/2"), ("3/2", "1/2"))
THREE: Atoms = (("1/2", "1/2"), ("1", "1/4"), ("2", "1/4"))  # work 1/4, 1/4, 1/2
EMPTY_JOBS: Atoms = (("0", "1/4"), ("1/2", "1/4"), ("1", "1/4"), ("5/2", "1/4"))
FREE_OR_THREE: Atoms = (("0", "2/3"), ("3", "1/3"))
WIDE = {"lo": "-1e3", "hi": "1e3"}
EPS = F(1, 10**12)


def ends(value: Fraction, step: Fraction = EPS) -> dict[str, str]:
    """An interval from one step below a number to one above, in units of 1e-15."""
    unit = F(1, 10**15)
    near = round(value / unit)
    result = {}
    for name, mantissa in (("lo", near - round(step / unit)), ("hi", near + round(step / unit))):
        digits, power = mantissa, -15
        while digits and digits % 10 == 0 and power:
            digits, power = digits // 10, power + 1
        result[name] = f"{digits}e{power}" if digits and power else str(digits)
    return result


def tree(atoms: Atoms, load: str, rows: list[tuple[Fraction, dict[str, str], int]]) -> Tree:
    saving = dispatch(FiniteLaw(atoms), load).saving
    return {
        "format": "certify/1",
        "kind": "fluid-many-sizes",
        "claim": {
            "law": {"atoms": [list(atom) for atom in atoms]},
            "load": load,
            "values": [{"imbalance": str(z), "value": value} for z, value, _ in rows],
            "saving": ends(saving),
        },
        "witness": {"precision": 120, "sectors": [sector for _, _, sector in rows]},
    }


@pytest.mark.parametrize(
    ("atoms", "load", "count"),
    [
        (TWO, "1/4", 3),
        (TWO, "2/5", 3),
        (TWO, "1/2", 2),
        (TWO, "3/4", 2),
        (THREE, "1/3", 4),
        (THREE, "1/2", 3),
        (THREE, "51/100", 3),
        (THREE, "9/10", 3),
        (THREE, "99/100", 3),
        (EMPTY_JOBS, "2/5", 4),
        (EMPTY_JOBS, "1/2", 3),
        (EMPTY_JOBS, "9/10", 3),
    ],
)
def test_an_imbalance_lies_in_one_sector(atoms: Atoms, load: str, count: int) -> None:
    """Next to both edges of every sector its number proves the value, and no other number does."""
    solved = dispatch(FiniteLaw(atoms), load)
    assert len(solved.sectors) == count
    for index, sector in enumerate(solved.sectors):
        places = {sector.lower + EPS, (sector.lower + sector.upper) / 2, sector.upper - EPS}
        places |= {F(0)} if index == 0 else set()
        if F(load) > F(1, 2) and sector.upper == 1:
            places.add(F(1))
        rows = [(z, ends(solved.at(z)), index) for z in sorted(places)]
        assert condition(tree(atoms, load, rows)) == ""
        for z in places:
            for other in {*range(count + 2)} - {index}:
                assert condition(tree(atoms, load, [(z, WIDE, other)])) == "sector"
            for off in (3 * EPS, -3 * EPS):
                forged = tree(atoms, load, [(z, ends(solved.at(z) + off), index)])
                assert condition(forged) == "value"


def test_no_job_waits_when_one_queue_is_empty() -> None:
    """Up to load 1/2, at imbalance 1: the least cost is 0, and just before it is not."""
    for atoms in (TWO, THREE, EMPTY_JOBS):
        for load in ("1/4", "1/2"):
            for sector in range(3):
                row = (F(1), {"lo": "0", "hi": "0"}, sector)
                assert condition(tree(atoms, load, [row])) == ""
                row = (F(1), {"lo": "1e-9", "hi": "1"}, sector)
                assert condition(tree(atoms, load, [row])) == "value"
        row = (F(999, 1000), {"lo": "0", "hi": "0"}, 2)
        assert condition(tree(atoms, "1/4", [row])) != ""
        row = (F(1), {"lo": "0", "hi": "0"}, 1)
        assert condition(tree(atoms, "501/1000", [row])) != ""


@pytest.mark.parametrize("z", ["1001/1000", "2", "-1/1000", "-1"])
@pytest.mark.parametrize("load", ["1/4", "1/2", "3/4"])
def test_imbalances_outside_whatever_the_form_says_there(load: str, z: str) -> None:
    for sector in range(3):
        assert condition(tree(TWO, load, [(F(z), WIDE, sector)])) == "imbalance"


def test_the_exit_cutoff_is_the_first_size_with_enough_work() -> None:
    """For these sizes it is 1 from load 5/7 on, since 7/10 of the work lies up to 1."""
    atoms: Atoms = (("1/2", "2/5"), ("1", "1/2"), ("3", "1/10"))  # work 1/5, 1/2, 3/10
    for load, count in (("71/100", 3), ("5/7", 2), ("18/25", 2), ("9/10", 2)):
        solved = dispatch(FiniteLaw(atoms), load)
        assert len(solved.sectors) == count
        row = (F(1), ends(solved.at(F(1))), count - 1)
        assert condition(tree(atoms, load, [row])) == ""
        for sector in {*range(5)} - {count - 1}:
            assert condition(tree(atoms, load, [(F(1), WIDE, sector)])) == "sector"


def test_the_common_edge_belongs_to_both_sectors() -> None:
    """Sizes 0 and 3, load 1/5: D(3) = 2 and X(3) = 1 + 4/2 = 3, so Z(3) = 3/6."""
    solved = dispatch(FiniteLaw(FREE_OR_THREE), "1/5")
    assert [sector.upper for sector in solved.sectors] == [F(1, 2), 1]
    assert solved.at(F(1, 2)) == F(1, 24)
    for sector in (0, 1):
        assert condition(tree(FREE_OR_THREE, "1/5", [(F(1, 2), ends(F(1, 24)), sector)])) == ""


def test_two_sizes_are_enough_and_one_is_not() -> None:
    assert condition(tree(FREE_OR_THREE, "3/4", [(F(0), WIDE, 0)])) == ""
    one = tree(TWO, "3/4", [(F(0), WIDE, 0)])
    one["claim"]["law"]["atoms"] = [["1", "1"]]
    assert condition(one) == "spread"


def test_the_summary_tells_the_first_value() -> None:
    rows = [(F(0), WIDE, 0), (F(1), WIDE, 1)]
    line = verdict(tree(TWO, "3/4", rows)).line()
    assert "least cost at total work 1 in [1.1785" in line
    assert "at imbalance 0" in line
    assert "sizes 2" in line


def test_next_to_an_empty_queue_at_load_one_half() -> None:
    """Z is 1 at the last knot, which no interval can tell from 1 - 1e-80: nothing is tested."""
    thirds: Atoms = (("1/3", "1/2"), ("5/3", "1/2"))
    for load, value in (("1/2", F(0)), ("3/4", dispatch(FiniteLaw(thirds), "3/4").at(1))):
        row = (1 - F(1, 10**80), ends(value), 1)
        assert condition(tree(thirds, load, [row])) == ""


def test_savings_digits_and_one_number_for_every_value() -> None:
    right = tree(TWO, "3/4", [(F(0), WIDE, 0), (F(1), WIDE, 1)])
    for off in (3 * EPS, -3 * EPS):
        forged = tree(TWO, "3/4", [(F(0), WIDE, 0)])
        forged["claim"]["saving"] = ends(F(3, 14) + off)
        assert condition(forged) == "saving"
    near = verdict(tree(TWO, "3/4", [(F(0), ends(F(33, 28)), 0)])).digits
    wide = verdict(right).digits
    assert near is not None
    assert wide is None or wide < near
    right["witness"]["sectors"].append(1)
    assert verdict(right).outcome is Outcome.MALFORMED
