"""Borders of the judgement on claims rows: the ends of a rounded number, files beside others."""

from fractions import Fraction
from pathlib import Path

import pytest

from proofs_checks.checker.claims import Judgement, _find, _relation, _same, judge
from tests.checker.test_claims import CERTIFICATE, proved, row

TINY = Fraction(1, 10**30)


@pytest.mark.parametrize(
    ("printed", "low", "high"),
    [
        ("1.07", "1.065", "1.075"),
        ("107e-2", "1.065", "1.075"),
        ("1.5e3", "1450", "1550"),
        ("15e2", "1450", "1550"),
        ("-2", "-2.5", "-1.5"),
        ("0.30", "0.295", "0.305"),
    ],
)
def test_a_printed_decimal_stands_for_half_a_unit_on_both_sides(
    printed: str, low: str, high: str
) -> None:
    a, b = Fraction(low), Fraction(high)
    assert _relation("rounds_to", a, b, printed)
    assert not _relation("rounds_to", a - TINY, b, printed)
    assert not _relation("rounds_to", a, b + TINY, printed)
    for inner in (a, b, (a + b) / 2):
        assert _relation("rounds_to", inner, inner, printed)
        assert not _relation("excludes", inner, inner, printed)
    for outer in (a - TINY, b + TINY):
        assert _relation("excludes", outer, outer, printed)
        assert not _relation("rounds_to", outer, outer, printed)


def test_a_fraction_excludes_all_but_itself() -> None:
    third = Fraction(1, 3)
    assert not _relation("excludes", third, third, "1/3")
    assert not _relation("excludes", third - TINY, third, "1/3")
    assert not _relation("excludes", third, third + TINY, "1/3")
    assert _relation("excludes", third + TINY, third + TINY, "1/3")
    assert _relation("excludes", third - TINY, third - TINY, "1/3")
    with pytest.raises(ValueError, match="not a printed decimal"):
        _relation("rounds_to", third, third, "1/3")


def test_numbers_and_words_that_are_the_same() -> None:
    for claimed, written in (
        ("1/2", "0.5"),
        ("1/2", "1/2"),
        ("abc", "abc"),
        ({"a": "1"}, {"a": 1}),
    ):
        assert _same(claimed, written)
    for claimed, written in (
        ("1/2", "0.6"),
        ("abc", "abd"),
        ("abc", 1),
        (1, True),
        (True, 1),
        (1, 2),
        ({"a": "1"}, {"b": 1}),
        ({"a": "1"}, {"a": 1, "b": 1}),
        (["1"], ["1", "2"]),
        (["1"], "1"),
    ):
        assert not _same(claimed, written)


def test_paths_that_lead_nowhere() -> None:
    claim = {"rows": [{"value": "1"}], "eps": "1/3"}
    assert _find(claim, "rows.0.value")[0] == "1"
    for path in ("eps.0", "eps.x", "rows.x", "rows.00", "rows.-1", "rows.0.value.0"):
        with pytest.raises((ValueError, LookupError)):
            _find(claim, path)


def test_a_broken_file_hides_none_beside_it(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text("row = 1")
    test = 'test = { field = "K", relation = "at_most", value = 2 }'
    (tmp_path / "b.toml").write_text(row(test))
    found = [each["judgement"] for each in judge(tmp_path, proved())]
    assert found == [Judgement.MALFORMED, Judgement.HOLDS]
    assert CERTIFICATE.is_file()


def test_a_folder_without_claims_is_malformed(tmp_path: Path) -> None:
    (only,) = judge(tmp_path, proved())
    assert only["judgement"] == Judgement.MALFORMED
