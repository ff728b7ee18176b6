"""google/rappor's files are read strictly, and its columns are written."""

import csv
from pathlib import Path

import numpy as np
import pytest

from sotto_estimator.errors import DomainError, SourceError
from sotto_estimator.strings.candidates import CandidateMap
from sotto_estimator.strings.counts import BitRates
from sotto_estimator.strings.decode import Decoded, DecodedString, DecodeOptions
from sotto_estimator.strings.google import read_counts, read_map, read_params, write_rappor
from sotto_estimator.strings.remarks import GoodnessOfFit
from sotto_protocol.mechanisms.bloom.hash import BloomDesign, google_map

DESIGN = BloomDesign(4, 2, 3)
MAP = b"pear,1,4,5,8,9,12\nquince,2,2,6,7,10,9\n"


def write(folder: Path, text: str | bytes, name: str = "file.csv") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    ("row", "rates"),
    [
        ("8,2,128,0.25,0.75,0.5", (0.75, 0.25, 0.75, 0.25)),
        ("8,2,128,0,1,.5", (0.75, 0.25, 1, 0)),
        ("8,2,128,2.5e-1,0.75,0", (1, 0, 0.75, 0.25)),
    ],
)
@pytest.mark.parametrize("header", ["k,h,m,p,q,f\n", '"k","h","m","p","q","f"\r\n', "\ufeffk,h,m,p,q,f\n"])
def test_parameters_become_a_design_and_its_two_stages(
    tmp_path: Path, header: str, row: str, rates: tuple[float, ...]
) -> None:
    design, found = read_params(write(tmp_path, header + row))
    assert design == BloomDesign(8, 2, 128)
    assert found == BitRates(*rates)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must have the header k,h,m,p,q,f and one row"),
        ("k,h,m,p,q,f\n", "must have the header k,h,m,p,q,f and one row"),
        ("k,h,m,q,p,f\n8,2,128,.75,.25,.5", "must have the header k,h,m,p,q,f and one row"),
        ("k,h,m,p,q,f\n8,2,128,.25,.75", "must have the header"),
        ("k,h,m,p,q,f\n8,2,128,.25,.75,.5\n8,2,128,.25,.75,.5", "must have the header"),
        ("k,h,m,p,q,f\n8.5,2,128,.25,.75,.5", "k ('8.5') must be an integer."),
        ("k,h,m,p,q,f\n8,two,128,.25,.75,.5", "h ('two') must be an integer."),
        ("k,h,m,p,q,f\n1,1,128,.25,.75,.5", "n_bits (1) must be"),
        ("k,h,m,p,q,f\n8,9,128,.25,.75,.5", "n_hashes (9) must be"),
        ("k,h,m,p,q,f\n8,2,0,.25,.75,.5", "n_cohorts (0) must be"),
        ("k,h,m,p,q,f\n8,2,128,-.25,.75,.5", "p ('-.25') must be a decimal in [0, 1]."),
        ("k,h,m,p,q,f\n8,2,128,.25,1.75,.5", "q ('1.75') must be a decimal in [0, 1]."),
        ("k,h,m,p,q,f\n8,2,128,.25,.75,nan", "f ('nan') must be a decimal in [0, 1]."),
        ("k,h,m,p,q,f\n8,2,128,.25,.75,.", "f ('.') must be a decimal in [0, 1]."),
        ("k,h,m,p,q,f\n8,2,128,.25,.75,", "f ('') must be a decimal in [0, 1]."),
        ("k,h,m,p,q,f\n8,2,128,.75,.75,.5", "p (0.75) must be below q (0.75). Otherwise the reports have no signal."),
        ("k,h,m,p,q,f\n8,2,128,.75,.25,.5", "p (0.75) must be below q (0.25). Otherwise the reports have no signal."),
        ("k,h,m,p,q,f\n8,2,128,.25,.75,1", "f (1.0) must be below 1. Otherwise the reports have no signal."),
        (b"k,h,m,p,q,f\n8,2,128,.25,.75,\xff", "line 2: byte 17 is not UTF-8."),
    ],
)
def test_bad_parameters_are_refused_by_name(tmp_path: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(SourceError) as caught:
        read_params(write(tmp_path, text))
    assert message in str(caught.value)
    assert "file.csv" in str(caught.value)


def test_counts_are_a_row_a_cohort(tmp_path: Path) -> None:
    counts = read_counts(write(tmp_path, "9,1,2,3,9\n0,0,0,0,0\r\n5, 4,3,2,1"), DESIGN)
    assert counts.n_reports.tolist() == [9, 0, 5]
    assert counts.bit_counts.tolist() == [[1, 2, 3, 9], [0, 0, 0, 0], [4, 3, 2, 1]]
    assert counts.n_waves == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must have m = 3 rows, one for each cohort, not 0."),
        ("9,1,2,3,4\n9,1,2,3,4\n", "must have m = 3 rows, one for each cohort, not 2."),
        (4 * "9,1,2,3,4\n", "must have m = 3 rows, one for each cohort; it has more."),
        ("9,1,2,3\n", "row 1: must have k + 1 = 5 columns, not 4."),
        ("9,1,2,3,4\n9,1,2,3,4,5\n", "row 2: must have k + 1 = 5 columns, not 6."),
        ("9,1,2,3,4\n\n9,1,2,3,4\n", "row 2: must have k + 1 = 5 columns, not 0."),
        ("n,a,b,c,d\n9,1,2,3,4\n", "row 1, column 1: a count ('n') must be an integer; the file has no header."),
        ("9,1,2,3,4\n9,1,2.5,3,4\n", "row 2, column 3: a count ('2.5') must be an integer."),
        ("9,1,2,3,4\n9,1,2,3,\n", "row 2, column 5: a count ('') must be an integer."),
        ("9,1,2,3,4\n9,1,2,3,1e2\n", "row 2, column 5: a count ('1e2') must be an integer."),
        ("9,1,2,3,4\n9,1,2,3,-4\n", "row 2, column 5: a count (-4) must be at least 0"),
        ("-9,1,2,3,4\n", "row 1, column 1: a count (-9) must be at least 0."),
        ("9,1,2,10,4\n", "row 1, column 4: a count (10) must be at least 0 and at most the cohort's total (9)."),
        ("9,1,2,3," + 99 * "4", "row 1, column 5: a count ('4444"),
        (3 * "900000000000,1,2,3,4\n", "n_reports must be >= 0 and add up to at most"),
    ],
)
def test_bad_counts_are_refused_with_row_and_column(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(SourceError) as caught:
        read_counts(write(tmp_path, text), DESIGN)
    assert message in str(caught.value)
    assert "file.csv" in str(caught.value)


def test_a_map_says_which_bits_a_string_sets(tmp_path: Path) -> None:
    mapped = read_map(write(tmp_path, MAP), DESIGN)
    assert mapped.strings == ("pear", "quince")
    expected = [[[0, 3], [0, 3], [0, 3]], [[1, 1], [1, 2], [1, 0]]]
    assert mapped.bits(0, 2).tolist() == expected


def test_a_map_of_the_compatibility_hash_is_the_one_that_candidates_make(tmp_path: Path) -> None:
    design = BloomDesign(16, 2, 64)
    strings = ["plain", "with, comma", 'with "quotes"', "grüße", "🍐"]
    numbers = google_map(design, [text.encode() for text in strings]).reshape(5, -1).astype(int)
    numbers += 1 + 16 * np.repeat(np.arange(64), 2)
    path = tmp_path / "map.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([text, *row] for text, row in zip(strings, numbers.tolist(), strict=True))
    read, made = read_map(path, design), CandidateMap.of(strings, design, "google")
    assert read.strings == made.strings
    assert (read.bits(0, 5) == made.bits(0, 5)).all()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "holds no strings."),
        (MAP + b"pear,1,4,5,8,9,12\n", "row 3: 'pear' is already in row 1."),
        (b"pear,1,4,5,8,9\n", "row 1: has 6 columns, not 1 + m h = 7. Is it a map for other parameters?"),
        (MAP + b"fig,1,4,5,8,9,12,13\n", "row 3: has 8 columns, not 1 + m h = 7"),
        (b",1,4,5,8,9,12\n", "row 1: must begin with a string."),
        (MAP + b"\n" + MAP, "row 3: must begin with a string."),
        (b"pear,1,5,5,8,9,12\n", "row 1, column 3: 5 must be in [1, 4]. Is it a map for other parameters?"),
        (b"pear,1,4,5,8,9,13\n", "row 1, column 7: 13 must be in [9, 12]. Is it a map for other parameters?"),
        (b"pear,0,4,5,8,9,12\n", "row 1, column 2: 0 must be in [1, 4]"),
        (b"pear,-1,4,5,8,9,12\n", "row 1, column 2: -1 must be in [1, 4]"),
        (b"string,a,b,c,d,e,f\n", "row 1: every column after the string must be an integer."),
        (b"pear,1,4,5,8,9,1.5\n", "row 1: every column after the string must be an integer."),
        (b"pear,1,4,5,8,9," + 30 * b"9", "row 1: every column after the string must be an integer."),
        (b'"pear,1,4,5,8,9,12\n', "line 1 is not CSV"),
        (b"pe\xe4r,1,4,5,8,9,12\n", "line 1: byte 3 is not UTF-8."),
    ],
)
def test_a_bad_map_is_refused_with_its_row(tmp_path: Path, text: bytes, message: str) -> None:
    with pytest.raises(SourceError) as caught:
        read_map(write(tmp_path, text), DESIGN)
    assert message in str(caught.value)
    assert "file.csv" in str(caught.value)


def decoded(**changes: object) -> Decoded:
    rows = (
        DecodedString("v1", 0.04061, 0.00221, 0.0362784, 0.0449416, 0.00221, 1e-20, 18.4, 0.02, -0.02),
        DecodedString('a "b", ü', 0.0358, 0.00951, 0.0171604, 0.0544396, 0.00951, 1e-4, 3.7, 0.02, -0.02),
    )
    fields = {
        "n_reports": 100_000,
        "n_waves": 1,
        "n_candidates": 5,
        "design": {"n_bits": 8, "n_hashes": 2, "n_cohorts": 128},
        "options": DecodeOptions(),
        "rows": rows,
        "explained_mass": 0.07641,
        "other_share": 0.92359,
        "other_standard_error": 0.01,
        "fit": GoodnessOfFit(1000.0, 1010, 0.58),
        "warnings": (),
    }
    return Decoded(**(fields | changes))  # type: ignore[arg-type]


def test_results_have_the_columns_of_google_rappor(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    write_rappor(decoded(), path)
    assert path.read_text(encoding="utf-8") == (
        '"string","estimate","std_error","proportion","prop_std_error","prop_low_95","prop_high_95"\n'
        '"v1",4061,221,0.04061,0.00221,0.0362784,0.0449416\n'
        '"a ""b"", ü",3580,951,0.0358,0.00951,0.0171604,0.0544396\n'
    )
    write_rappor(decoded(rows=()), path)  # which may be replaced
    assert len(path.read_text().splitlines()) == 1


def test_results_replace_no_other_file_and_hold_at_no_other_level(tmp_path: Path) -> None:
    path = write(tmp_path, "precious\n")
    with pytest.raises(SourceError, match="has something else in it"):
        write_rappor(decoded(), path)
    assert path.read_text() == "precious\n"
    with pytest.raises(DomainError, match=r"level \(0\.9\) must be 0\.95"):
        write_rappor(decoded(options=DecodeOptions(level=0.9)), tmp_path / "new.csv")
    with pytest.raises(SourceError, match="cannot be written: No such file"):
        write_rappor(decoded(), tmp_path / "none" / "results.csv")
