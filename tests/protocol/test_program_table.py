"""Columns for Stata, SPSS and Excel: what such a file cannot hold is renamed, coded or cut and said, or refused."""

import re
from typing import Any

import numpy as np
import pytest

from sotto_protocol.program_table import ProgramColumn, ProgramTable, excel_rows, program_names, program_table

RESERVED = (
    *("_all", "_b", "byte", "_coef", "_cons", "double", "float", "if", "in", "int", "long", "_n", "_N"),
    *("_pi", "_pred", "_rc", "_skip", "str5", "using", "with"),
)
"""Of Stata's manual (User's Guide, 11.3); SPSS has more."""


def column(
    values: Any, has: Any = None, name: str = "a", labels: tuple[str, ...] = (), about: str = ""
) -> ProgramColumn:
    values = np.array(values)
    return ProgramColumn(name, values, np.ones(len(values), bool) if has is None else np.array(has), labels, about)


def texts(*values: str | None) -> ProgramColumn:
    return column(np.array(values, object), [value is not None for value in values])


def stata(*columns: ProgramColumn) -> ProgramTable:
    return program_table(columns, ".dta")


def test_names_are_those_that_both_programs_take_and_none_is_another() -> None:
    long = "reported_" + "x" * 40
    names = [*RESERVED, "ALL", "set:a", "set.a", "set_a", "Set_A", "米", "飯", "1a", "", "a b", long, long + "y", "ﬁ"]
    found = program_names(names)
    assert [*found] == names
    assert all(re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,31}", name) for name in found.values())
    assert len({name.lower() for name in found.values()}) == len(names)
    assert not {name.lower() for name in found.values()} & {name.lower() for name in (*RESERVED, "all", "not")}
    assert (found["set_a"], found["a b"]) == ("set_a", "a_b")


def test_every_new_name_is_said_and_begins_the_label() -> None:
    table = stata(column([1.5], name="set:a", about="Which?"), column([2], name="b", about="How many?"))
    assert table.notes == (
        "Stata allows no such names of columns: set:a is set_a. Their labels begin with the whole names.",
    )
    assert table.column_labels == {"set_a": "set:a: Which?", "b": "How many?"}


def test_options_are_numbers_with_labels_and_a_missing_one_is_missing() -> None:
    table = stata(
        column([1, 0, 0], [True, True, False], "paid", ("no", "yes")),
        column([2, 0, 1], name="dish", labels=("a", "b", "c")),
        column([True, False, True], name="set"),
    )
    assert table.value_labels == {
        "paid": {0: "no", 1: "yes"},
        "dish": {1: "a", 2: "b", 3: "c"},
        "set": {0: "no", 1: "yes"},
    }
    np.testing.assert_array_equal(table.columns["paid"], [1, 0, np.nan])
    assert (table.columns["dish"].tolist(), table.columns["dish"].dtype) == ([3, 1, 2], np.int32)
    assert table.columns["set"].tolist() == [1, 0, 1]
    assert table.notes == ()


@pytest.mark.parametrize(
    ("most", "kind"), [(2_147_483_620, np.int32), (2_147_483_621, np.float64), (2**53, np.float64)]
)
def test_whole_numbers_are_exact(most: int, kind: type) -> None:
    for sign in (1, -1):
        (values,) = stata(column([sign * most, 0])).columns.values()
        assert (values.dtype, [int(value) for value in values]) == (kind, [sign * most, 0])


def test_infinite_numbers_are_missing_and_counted() -> None:
    numbers = column([0.1, np.inf, -np.inf, 1e308, np.nan], [True, True, True, True, False])
    table = stata(numbers)
    np.testing.assert_array_equal(table.columns["a"], [0.1, np.nan, np.nan, np.nan, np.nan])
    assert table.notes == ("a: 3 infinite numbers are missing values.",)
    rows, notes = excel_rows([numbers])
    assert [*rows] == [[0.1], [None], [None], [1e308], [None]]
    assert notes == ("a: 2 infinite numbers are empty cells.",)


def test_long_texts_are_cut_to_different_ones_or_refused() -> None:
    options = ("é" * 100 + "1", "é" * 100 + "2", "short")
    table = program_table([column([0, 1, 2], labels=options, about="米" * 81)], ".sav")
    words = table.value_labels["a"]
    assert (words[3], len({*words.values()})) == ("short", 3)
    assert all(len(word.encode()) <= 120 for word in words.values())
    assert words[1].endswith(".. (1)")
    assert table.column_labels["a"] == "米" * 78 + ".."
    assert table.notes == (
        "a: 2 texts of options are cut to 120 bytes.",
        "Labels of columns are cut to 80 characters: a.",
    )
    assert stata(column([0], labels=options)).value_labels["a"][1] == options[0]


@pytest.mark.parametrize(
    ("write", "of", "problem"),
    [
        (stata, column([2**53 + 1]), f"column a has the whole number {2**53 + 1}, and"),
        (excel_rows, [column([-(2**53) - 1])], "and this file holds them exactly up to 9007199254740992"),
        (stata, texts("a\0b"), "column a has a text that a file of Stata cannot hold"),
        (excel_rows, [texts("a\x07")], "column a has a text that a cell of Excel cannot hold"),
        (excel_rows, [texts("a" * 32_768)], "at most 32,767 characters"),
        (
            excel_rows,
            [column(np.zeros(2**20, bool))],
            "at most 1,048,575 rows below its header, and these are 1,048,576",
        ),
        (excel_rows, [column([1])] * 16_385, "at most 16,384 columns"),
    ],
)
def test_what_a_file_cannot_hold_is_refused(write: Any, of: Any, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        write(of)


def test_spss_has_no_longer_texts_than_its_own() -> None:
    with pytest.raises(ValueError, match="at most 32,767 bytes"):
        program_table([texts("é" * 16_384)], ".sav")
    assert stata(texts("é" * 16_384, None)).columns["a"].tolist() == ["é" * 16_384, ""]
