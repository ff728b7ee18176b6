"""No text of a survey, and no decoded string, is a formula to a spreadsheet that opens a CSV; numbers stay numbers."""

import csv
import io
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

import sotto_estimator
from decoded_strings import ROWS, SUBJECT, decoded
from house import open_house
from sotto_estimator.association.associate import associate
from sotto_estimator.results.encode import csv_text
from sotto_estimator.strings.google import write_rappor
from sotto_protocol import Coins, Report, compile_survey
from sotto_protocol.cells import without_formulas

FORMULAS = ["=HYPERLINK(1)", "+1+1", "-1-1", "@SUM(1)", "\t=1", "\r=1", "＝1+1"]
HIDDEN = ["a\r=1", "a\n=1", "a\r\n=1", 'a",=1']
"""Texts that would be more than one cell, were they not quoted."""
NUMBERS = ["-0.5", "+3", "-12"]
RISKY = re.compile(r"[=+\-@\t\r\n＝＋－＠]")
SURVEY = compile_survey(
    {
        "id": "formulas",
        "title": "=1+1",
        "questions": [
            {"id": name, "type": "one-of", "text": "@x", "options": ["=HYPERLINK(1)", "-1", "@SUM(1)"], "epsilon": 3}
            for name in ("a", "b")
        ],
    }
)


def cells(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


def check_harmless(text: str) -> None:
    """Hold that no cell begins like a formula, unless it is a number."""
    found = [cell for row in cells(text) for cell in row if RISKY.match(cell)]
    assert all(re.fullmatch(r"[+-]?[\d.]+(e-?\d+)?", cell) for cell in found), found


@pytest.mark.parametrize("text", FORMULAS)
def test_text_that_begins_like_a_formula_is_guarded(text: str) -> None:
    assert without_formulas([text]) == [f"'{text}"]
    assert cells(csv_text([{text: text}])) == [[f"'{text}"]] * 2


@pytest.mark.parametrize("cell", [*NUMBERS, -0.5, 7, None, True, "a=b", "plain", "", "'=1"])
def test_what_is_a_number_or_begins_otherwise_is_left_alone(cell: object) -> None:
    assert without_formulas([cell]) == [cell]


@pytest.mark.parametrize("text", HIDDEN)
def test_text_stays_in_its_cell(text: str) -> None:
    assert cells(csv_text([{"string": text}])) == [["string"], [text]]


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_number_can_be_read_back(number: float) -> None:
    assert float(cells(csv_text([{"share": number}]))[1][0]) == number


@given(st.lists(st.text(), min_size=1, max_size=4))
def test_no_row_of_texts_can_compute_and_each_is_there(texts: list[str]) -> None:
    for cell, text in zip(without_formulas(texts), texts, strict=True):
        assert cell in (text, f"'{text}")
        assert not RISKY.match(str(cell)) or re.fullmatch(r"[+-]\d+(\.\d+)?", str(cell))


def answers() -> np.ndarray:
    people = np.random.default_rng(1).integers(0, 3, 400)
    return SURVEY.perturb({"a": people, "b": people}, Coins(np.random.default_rng(2).bytes))


def test_the_served_results_hold_no_formula(tmp_path: Path) -> None:
    with open_house(tmp_path / "survey.db", SURVEY) as house:
        records = answers()
        reports = [
            Report(bytes([number % 256, number // 256] * 8), row.tobytes()) for number, row in enumerate(records)
        ]
        assert house.send(SURVEY, reports).status_code == 200
        text = house.http.get("/s/formulas/results.csv", headers=house.analyst).text
    check_harmless(text)
    assert {row[1] for row in cells(text)[1:]} == {"'=HYPERLINK(1)", "-1", "'@SUM(1)"}


def test_decoded_strings_and_joint_tables_hold_no_formula(tmp_path: Path) -> None:
    strings = tuple(replace(ROWS[0], string=text) for text in [*FORMULAS, *NUMBERS])
    expected = [*(f"'{text}" for text in FORMULAS), *NUMBERS]
    printed = replace(decoded(rows=strings), subject=SUBJECT).as_csv()
    assert [row[0] for row in cells(printed)[1:]] == expected
    write_rappor(decoded(rows=strings), tmp_path / "results.csv")
    with (tmp_path / "results.csv").open(newline="", encoding="utf-8") as file:
        assert [row[0] for row in list(csv.reader(file))[1:]] == expected
    check_harmless(associate(SURVEY, answers(), ["a", "b"]).as_csv())


def test_whoever_writes_csv_guards_it() -> None:
    """Every file of the estimator that makes a writer names the guard."""
    folder = Path(sotto_estimator.__file__).parent
    writing = [
        path for path in folder.rglob("*.py") if "csv.writer" in path.read_text() or "DictWriter" in path.read_text()
    ]
    assert writing
    assert all("writerow" in path.read_text() and "without_formulas(" in path.read_text() for path in writing)
