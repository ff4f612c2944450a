"""Size laws: what they accept, what they keep, and one clear sentence for everything else."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from certify.errors import InputError
from certify.fluid import FiniteLaw
from certify.fluid.laws import read_law
from certify.problem import Table, read

HALF = Fraction(1, 2)


def sentence(call: Any, *arguments: Any) -> str:
    with pytest.raises(InputError) as caught:
        call(*arguments)
    return str(caught.value)


def law_of(text: str, folder: Path) -> FiniteLaw:
    path = folder / "problem.toml"
    path.write_text(text)
    return read_law(read(path))


def test_atoms_are_exact_and_sorted() -> None:
    law = FiniteLaw((("3/2", "0.5"), (HALF, "1/2")))
    assert law.atoms == ((HALF, HALF), (Fraction(3, 2), HALF))
    assert (law.scale, law.notes) == (1, ())
    assert law.to_claim() == {"atoms": [["1/2", "1/2"], ["3/2", "1/2"]]}


def test_equal_sizes_are_merged_with_a_note() -> None:
    law = FiniteLaw((("1/2", "1/4"), ("3/2", "1/2"), ("0.5", "1/4")))
    assert law.atoms == ((HALF, HALF), (Fraction(3, 2), HALF))
    assert law.notes == ("law.atoms[2] repeats the size 1/2: its mass is added.",)
    assert law == FiniteLaw((("1/2", "1/2"), ("3/2", "1/2"))), "notes are no part of the law"


def test_rescaling_keeps_the_scale() -> None:
    law = FiniteLaw.rescaled([(1, "1/2"), (4, "1/2")])
    assert law.atoms == ((Fraction(2, 5), HALF), (Fraction(8, 5), HALF))
    assert law.scale == Fraction(5, 2)
    assert law.to_claim()["scale"] == "5/2"


@pytest.mark.parametrize(
    ("atoms", "expected"),
    [
        ((), "law.atoms must have at least one size, but was an empty list."),
        ("1/2", "law.atoms must be a list of [size, mass] pairs, but was 1/2."),
        (7, "law.atoms must be a list of [size, mass] pairs, but was 7."),
        ([3], "law.atoms[0] must be a [size, mass] pair, but was 3."),
        ([(1, 1, 1)], "law.atoms[0] must be a [size, mass] pair, but was (1, 1, 1)."),
        (
            [(1, 0.5), (1, "1/2")],
            'law.atoms[0] must be an exact number such as 0.85 or "17/20", but was 0.5.',
        ),
        ([(1, "1/2"), (-1, "1/2")], "law.atoms[1] must have a size of at least 0, but was -1."),
        ([(1, 1), (2, 0)], "law.atoms[1] must have a positive mass, but was 0."),
        ([(1, 2), (2, "-1")], "law.atoms[1] must have a positive mass, but was -1."),
        ([(1, "9/10")], "law.atoms must have masses that sum to 1, but was a sum of 9/10."),
        (
            [(1, HALF), (2, HALF)],
            "law.atoms must have mean 1 (rescale = true measures sizes in units of their mean), "
            "but was a mean of 3/2.",
        ),
        (
            [(0, 1)],
            "law.atoms must have mean 1 (rescale = true measures sizes in units of their mean), "
            "but was a mean of 0.",
        ),
    ],
)
def test_bad_atoms(atoms: Any, expected: str) -> None:
    assert sentence(FiniteLaw, atoms) == expected


def test_bad_rescaling() -> None:
    zero = "law must have a positive mean, but was all sizes zero."
    assert sentence(FiniteLaw.rescaled, [(0, "1/3"), (0, "2/3")]) == zero
    short = "law.atoms must have masses that sum to 1, but was a sum of 1/2."
    assert sentence(FiniteLaw.rescaled, [(2, HALF)]) == short
    assert sentence(FiniteLaw, [(1, 1)], 0) == "law.scale must be positive, but was 0."


def test_problem_tables(tmp_path: Path) -> None:
    law = law_of("[law]\natoms = [[1, 0.5], [4, 0.5]]\nrescale = true\n", tmp_path)
    assert law == FiniteLaw.rescaled([(1, HALF), (4, HALF)])
    assert law_of('[law]\natoms = [["1/2", 0.5], [1.5, 0.5]]\n', tmp_path).scale == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "law must be given, but was missing."),
        ("law = 3", "law must be a table, but was 3."),
        ("[law]", "law.atoms must be given, but was missing."),
        ("[law]\natoms = 1", "law.atoms must be a list of [size, mass] pairs, but was 1."),
        (
            "[law]\natoms = [[1, 1]]\nsizes = 'x.csv'",
            "law must give either atoms or sizes, but was both.",
        ),
        (
            "[law]\natoms = [[1, 1]]\nscale = 2",
            "law.scale must be a known key (here: atoms, rescale), but was unknown.",
        ),
        (
            "[law]\nsizes = 'x.csv'\nrescale = true",
            "law.rescale must be a known key (here: sizes), but was unknown.",
        ),
        ("[law]\nsizes = 7", "law.sizes must be a string, but was 7."),
        (
            "[law]\natoms = [[1, 1]]\nrescale = 1",
            "law.rescale must be true or false, but was 1.",
        ),
    ],
)
def test_bad_tables(text: str, expected: str, tmp_path: Path) -> None:
    if not text:
        assert sentence(read_law, Table({})) == expected
    else:
        assert sentence(law_of, text, tmp_path) == expected


@pytest.mark.parametrize(
    "text",
    [
        "1\n4\n4\n1\n",
        "bytes\n4\n1\n",
        "size,count\n1,3\n4,3\n",
        "﻿size , jobs\r\n 4 , 2\r\n1.0,2\r\n\r\n",
        '"size"\n1e0\n4\n',
        "1,2\n8/2\n4\n",
    ],
)
def test_sizes_from_a_file(text: str, tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    path.write_text(text, encoding="utf-8")
    law = FiniteLaw.from_csv(path)
    assert law == FiniteLaw.rescaled([(1, HALF), (4, HALF)])
    first = text.split("\n")[0].removeprefix("\ufeff").strip()
    told = f"the first line of trace.csv is taken for names of columns: {first}"
    # repeated jobs in a trace are no mistake, a line that is left out is told
    assert law.notes == (() if first[0] in "1" else (told,))
    assert law_of("[law]\nsizes = 'trace.csv'\n", tmp_path) == law, "relative to the problem file"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", "law.sizes must have at least one size, but was t.csv, without any."),
        (b"\n \n", "law.sizes must have at least one size, but was t.csv, without any."),
        (b"bytes\n", "law.sizes must have at least one size, but was t.csv, without any."),
        (b"\x80\x81\xff", "law.sizes must be a text file, but was t.csv, binary data."),
        (b"1\n\x002\n", "law.sizes must be a text file, but was t.csv, binary data."),
        (
            b"bytes\n12\n\nabc\n13\n",
            "line 4 of t.csv must be an exact number such as 0.85 or \"17/20\", but was 'abc'.",
        ),
        (
            b"bytes\njobs\n13\n",
            "line 2 of t.csv must be an exact number such as 0.85 or \"17/20\", but was 'jobs'.",
        ),
        (
            b"12\nbytes\n",
            "line 2 of t.csv must be an exact number such as 0.85 or \"17/20\", but was 'bytes'.",
        ),
        *(
            (
                f"{word}\n12\n".encode(),
                'line 1 of t.csv must be an exact number such as 0.85 or "17/20", '
                f"but was {word!r}.",
            )
            for word in ("NaN", "inf", "-inf", "Infinity", "12a", "1e", "#12", "$3", "null", "N/A")
        ),
        (
            b"12,NaN\n",
            "line 1 of t.csv must have a whole number of jobs, at least 1, after the comma, "
            "but was 12,NaN.",
        ),
        (b"5\n-3\n", "line 2 of t.csv must have a size of at least 0, but was -3."),
        (b"1,2,3\n", "line 1 of t.csv must be a size, or a size and a count, but was 1,2,3."),
        (
            b"1,2\n2,0\n",
            "line 2 of t.csv must have a whole number of jobs, at least 1, after the comma, "
            "but was 2,0.",
        ),
        (
            b"1,1.5\n",
            "line 1 of t.csv must have a whole number of jobs, at least 1, after the comma, "
            "but was 1,1.5.",
        ),
        (b"0\n0\n", "law must have a positive mean, but was all sizes zero."),
    ],
)
def test_bad_files(
    data: bytes, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_bytes(data)
    assert sentence(FiniteLaw.from_csv, Path("t.csv")) == expected


def test_a_missing_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    expected = "law.sizes must be a readable file (No such file or directory), but was none.csv."
    assert sentence(FiniteLaw.from_csv, Path("none.csv")) == expected
    assert "Is a directory" in sentence(FiniteLaw.from_csv, Path())


def test_a_million_lines_take_seconds(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_text("size\n" + "1\n3\n" * 500_000)
    assert FiniteLaw.from_csv(path) == FiniteLaw(((HALF, HALF), ("3/2", HALF)), 2)
