"""Rows of text: in columns, left or right, of what width a terminal gives them."""

import pytest

from sotto_protocol.tables import align

ROWS = [["question", "n"], ["paid", "1,200"]]


@pytest.mark.parametrize(
    ("n_left", "lines"),
    [
        (None, ["question  n", "paid      1,200"]),
        (2, ["question  n", "paid      1,200"]),
        (1, ["question      n", "paid      1,200"]),
        (0, ["question      n", "    paid  1,200"]),
    ],
)
def test_columns_stand_to_the_left_or_the_right(n_left: int | None, lines: list[str]) -> None:
    assert align(ROWS, n_left=n_left).split("\n") == lines


def test_no_line_ends_in_blanks() -> None:
    assert align([["a", "long"], ["b", ""]]) == "a  long\nb"


def test_a_wide_letter_takes_two_columns() -> None:
    assert align([["語", "1"], ["abc", "2"]], n_left=1) == ("語   1\nabc  2")


def test_rows_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="argument 2 is"):
        align([["a", "b"], ["c"]])
