"""Size laws: what they accept, what they keep, and one clear sentence for everything else."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from certify.errors import InputError
from certify.fluid import FiniteLaw, JointLaw
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
        ("1/2", "law.atoms must be a list of [size, mass] pairs, but was '1/2'."),
        (7, "law.atoms must be a list of [size, mass] pairs, but was 7."),
        ([3], "law.atoms[0] must be a [size, mass] pair, but was 3."),
        ([(1, 1, 1)], "law.atoms[0] must be a [size, mass] pair, but was (1, 1, 1)."),
        (
            [(1, 0.5), (1, "1/2")],
            'law.atoms[0] must be exact, for example "0.5" in quotes or a Fraction, '
            "but was the float 0.5.",
        ),
        ([(1, "1/2"), (-1, "1/2")], "law.atoms[1] must have a size of at least 0, but was -1."),
        ([(1, 1), (2, 0)], "law.atoms[1] must have a positive mass, but was 0."),
        ([(1, 2), (2, "-1")], "law.atoms[1] must have a positive mass, but was -1."),
        ([(1, "9/10")], "law.atoms must have masses that sum to 1, but was a sum of 9/10."),
        (
            [(1, HALF), (2, HALF)],
            "law.atoms must have mean 1 (FiniteLaw.rescaled, in a problem rescale = true, "
            "divides sizes by their mean), "
            "but was a mean of 3/2.",
        ),
        (
            [(0, 1)],
            "law.atoms must have mean 1 (FiniteLaw.rescaled, in a problem rescale = true, "
            "divides sizes by their mean), "
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
        ("[law]", "law must be given by atoms or sizes, but was an empty table."),
        (
            "[law]\natom = [[1, 1]]",
            "law.atoms must be given, but was missing (is atom a misspelling of it?).",
        ),
        ("[law]\natoms = 1", "law.atoms must be a list of [size, mass] pairs, but was 1."),
        (
            "[law]\natoms = [[1, 1]]\nsizes = 'x.csv'",
            'law must be given by one of atoms, sizes and family (or by family = "mixture"), '
            "but was given by atoms and sizes.",
        ),
        (
            "[law]\natoms = [[1, 1]]\nfamily = 'weibull'",
            'law must be given by one of atoms, sizes and family (or by family = "mixture"), '
            "but was given by atoms and family.",
        ),
        (
            "kind = 'fluid-value'\n[law]\nfamily = 'exponential'",
            "law must be given by atoms or sizes (a family goes with kind fluid-enclosure), "
            "but was of family exponential.",
        ),
        (
            "[law]\natoms = [[1, 1]]\nscale = 2",
            "law.scale must be a known key (here: atoms, rescale), but was unknown "
            "(did you mean rescale?).",
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
    ("text", "told"),
    [
        ("1\n4\n4\n1\n", None),
        ("bytes\n4\n1\n", "column 1 (bytes) = size (2 jobs in all)"),
        ("response\n4\n1\n", "column 1 (response) = size (2 jobs in all)"),
        (
            "size,count\n1,3\n4,3\n",
            "column 1 (size) = size, column 2 (count) = count (6 jobs in all)",
        ),
        (
            "\ufeffsize , jobs\r\n 4 , 2\r\n1.0,2\r\n\r\n",
            "column 1 (size) = size, column 2 (jobs) = count (4 jobs in all)",
        ),
        (
            '"jobSize [bytes]","number of jobs"\n1,1\n4,1\n',
            "column 1 (jobSize [bytes]) = size, column 2 (number of jobs) = count (2 jobs in all)",
        ),
        ('"size"\n1e0\n4\n', "column 1 (size) = size (2 jobs in all)"),
        ("1\n8/2\n4\n1.0\n", None),
        ("1\r4\r", None),
        ("size,n\r1,1\r4,1", "column 1 (size) = size, column 2 (n) = count (2 jobs in all)"),
    ],
)
def test_sizes_from_a_file(text: str, told: str | None, tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    path.write_bytes(text.encode())
    law = FiniteLaw.from_csv(path)
    assert law == FiniteLaw.rescaled([(1, HALF), (4, HALF)])
    # repeated jobs in a trace are no mistake; as what columns are read is told
    assert law.notes == (() if told is None else (f"trace.csv: {told}",))
    assert law_of("[law]\nsizes = 'trace.csv'\n", tmp_path) == law, "relative to the problem file"


NAMES = "must name one column size, or two columns size,count in this order"
FORM = "must be a size, or a size and a count with a comma between them (no quotes)"
ONE = (
    "must be one size (a count after a comma needs a first line of names, size,count; "
    "decimals have a point)"
)
COMMAS = "must have commas between the names of columns"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("id,size\n1,100\n2,2000\n", f"line 1 of t.csv {NAMES}, but was id,size."),
        ("size,user\n1,100\n", f"line 1 of t.csv {NAMES}, but was size,user."),
        ("count,size\n1,100\n", f"line 1 of t.csv {NAMES}, but was count,size."),
        ("id,count\n1,100\n", f"line 1 of t.csv {NAMES}, but was id,count."),
        ("size,bytes\n1,100\n", f"line 1 of t.csv {NAMES}, but was size,bytes."),
        ("size,7\n1,100\n", f"line 1 of t.csv {NAMES}, but was size,7."),
        ("id,size,n\n1,1,1\n", f"line 1 of t.csv {NAMES}, but was id,size,n."),
        ("\n\njobs\n100\n", f"line 3 of t.csv {NAMES}, but was jobs."),
        ("size;count\n1;2\n", f"line 1 of t.csv {COMMAS}, but was 'size;count'."),
        ("size\tcount\n1\t2\n", f"line 1 of t.csv {COMMAS}, but was 'size\\tcount'."),
        ("1\n2\n3,4\n", f"line 3 of t.csv {ONE}, but was '3,4'."),
        ("1,5\n2,25\n0,5\n", f"line 1 of t.csv {ONE}, but was '1,5'."),
        ("1,3\n4\n", f"line 1 of t.csv {ONE}, but was '1,3'."),
        ("1;2\n", f"line 1 of t.csv {FORM}, but was '1;2'."),
        ("1\t2\n", f"line 1 of t.csv {FORM}, but was '1\\t2'."),
        ("size\n1 2\n", f"line 2 of t.csv {FORM}, but was '1 2'."),
        ('3\n"1","2"\n', f'line 2 of t.csv {FORM}, but was \'"1","2"\'.'),
        (
            "size\n1,5\n2,5\n",
            "line 2 of t.csv must have one cell as the names of columns do, but was '1,5'.",
        ),
        (
            "size,count\n1,5\n2\n",
            "line 3 of t.csv must have two cells as the names of columns do, but was '2'.",
        ),
    ],
)
def test_columns_are_not_guessed(
    text: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(text)
    assert sentence(FiniteLaw.from_csv, Path("t.csv")) == expected


def test_too_many_sizes_are_refused_before_any_work(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("\n".join(map(str, range(1001))))
    (tmp_path / "p.toml").write_text("[law]\nsizes = 't.csv'\n")
    assert sentence(read_law, read(tmp_path / "p.toml"), 1000, "kind x") == (
        "law must have at most 1,000 sizes (for more: kind x), but was 1,001."
    )
    assert len(read_law(read(tmp_path / "p.toml"), 1001).atoms) == 1001


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", "law.sizes must have at least one size, but was t.csv, without any."),
        (b"\n \n", "law.sizes must have at least one size, but was t.csv, without any."),
        (b"bytes\n", "law.sizes must have at least one size, but was t.csv, without any."),
        *(
            (data, f"law.sizes must be a text file in UTF-8, but was t.csv, {place}.")
            for data, place in (
                (b"\x80\x81\xff", "not UTF-8 at byte 1 (line 1)"),
                (b"1\n\x002\n", "text with a zero at byte 3 (line 2)"),
                ("Größe\n1\n".encode("latin-1"), "not UTF-8 at byte 3 (line 1)"),
                (b"\xef\xbb\xbf1\n\xff\n", "not UTF-8 at byte 6 (line 2)"),
            )
        ),
        (
            b"bytes\n12\n\nabc\n13\n",
            "line 4 of t.csv must be an exact number such as 0.85 or \"17/20\", but was 'abc'.",
        ),
        (
            b"bytes\njobs\n13\n",
            "line 2 of t.csv must be an exact number such as 0.85 or \"17/20\", but was 'jobs'.",
        ),
        *(
            (
                f"{name}\n12\n13\n".encode(),
                "line 1 of t.csv must name one column size, or two columns size,count in this "
                f"order, but was {name}.",
            )
            for name in ("job_id", "ID", "jobId", "timestamp", "count", "num jobs")
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
            b"size,n\n12,NaN\n",
            "line 2 of t.csv must have a whole number of jobs, at least 1, after the comma, "
            "but was 12,NaN.",
        ),
        (b"5\n-3\n", "line 2 of t.csv must have a size of at least 0, but was -3."),
        (
            b"1,2,3\n",
            "line 1 of t.csv must be a size, or a size and a count with a comma between them "
            "(no quotes), but was '1,2,3'.",
        ),
        (
            b"size,n\n1,2\n2,0\n",
            "line 3 of t.csv must have a whole number of jobs, at least 1, after the comma, "
            "but was 2,0.",
        ),
        (
            b"size,n\n1,1.5\n",
            "line 2 of t.csv must have a whole number of jobs, at least 1, after the comma, "
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


def test_a_law_is_shown_in_short() -> None:
    assert repr(FiniteLaw((("1/2", HALF), ("3/2", HALF)))) == "FiniteLaw((1/2, 1/2), (3/2, 1/2))"
    many = FiniteLaw.rescaled([(size, Fraction(1, 5000)) for size in range(5000)])
    assert repr(many).startswith("FiniteLaw((0, 1/5000), (2/4999, 1/5000), ")
    assert repr(many).endswith(", ..., 5,000 sizes, scale=4999/2)")
    joint = JointLaw.rescaled([(size, size, Fraction(1, 5000)) for size in range(5000)])
    assert repr(joint) == "JointLaw(5,000 entries, estimate='signal', scale=4999/2)"
