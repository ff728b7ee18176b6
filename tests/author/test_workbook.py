"""`sotto survey import` of a workbook: what it makes of a good one, and that a bad one is said, within bounds."""

import tracemalloc
from contextlib import suppress
from decimal import Decimal
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, strategies as st

from sotto_author.errors import FormError
from sotto_author.forms.asking import Terms
from sotto_author.forms.xlsform.form import read_form
from sotto_author.forms.xlsform.importing import import_xlsform
from sotto_client.cli import main
from sotto_protocol import compile_toml
from workbooks import CHOICES, form, with_part, workbook

ROW = {"type": "select_one yn", "name": "q", "label": "Q?", "required": "yes"}
GOOD = form(ROW)
SHEET = "xl/worksheets/sheet1.xml"
OLD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)


def sheet(*cells: tuple[str, int, str]) -> bytes:
    """Return a sheet's XML: of each cell column, row and text."""
    rows = "".join(f'<row r="{r}"><c r="{c}{r}" t="inlineStr"><is><t>{text}</t></is></c></row>' for c, r, text in cells)
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    return f'<worksheet xmlns="{space}"><sheetData>{rows}</sheetData></worksheet>'.encode()


NESTED = [{"type": "begin_group", "name": f"g{n}"} for n in range(21)] + [{"type": "end_group"}] * 21
MANY = [{"type": "text", "name": f"q{n}", "label": "Q?"} for n in range(10_000)]
LONG = [{"type": "note", "name": f"n{n}", "label": "x" * 30_000} for n in range(150)]


def run(folder: Path, content: bytes, *arguments: object, name: str = "ward.xlsx") -> Result:
    (folder / name).write_bytes(content)
    return CliRunner().invoke(main, ["survey", "import", str(folder / name), *map(str, arguments)])


def test_an_xlsform_becomes_a_survey_that_check_passes(tmp_path: Path) -> None:
    result = run(tmp_path, form({"type": "start", "name": "s"}, ROW), "--epsilon", 2, "--to", tmp_path / "ward.toml")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == (
        "1 question, epsilon 2 each, 2 in total\n"
        'the title is "ward", from the file\'s name or --id, for the form has none: write one\n'
        "dropped: start; no such thing is ever collected\n"
    )
    assert compile_toml((tmp_path / "ward.toml").read_text()).questions[0].type == "yes-no"
    checked = CliRunner().invoke(main, ["check", str(tmp_path / "ward.toml")])
    assert checked.exit_code == 0, checked.stderr


@pytest.mark.few(10)
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (OLD, "is an old workbook (.xls), or one with a password"),
        (b"type,name\ntext,a\n", "is no .xlsx workbook: it must be a zip archive"),
        (b"PK\x03\x04" + bytes(100), "is no .xlsx workbook: it must be a zip archive"),
        (GOOD[:-30], "is no .xlsx workbook: it must be a zip archive"),
        (b"", "is no .xlsx workbook: it must be a zip archive"),
        (with_part(GOOD, "xl/vbaProject.bin", b"x"), "has macros, which are never run: save it as .xlsx."),
        (with_part(GOOD, "xl/externalLinks/externalLink1.xml", b"<a/>"), "has links to other workbooks, which"),
        (with_part(GOOD, "content.xml", b"<a/>"), "is a workbook of another kind"),
        (with_part(GOOD, SHEET, b"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"), "its XML must be UTF-8, and define no"),
        (with_part(GOOD, SHEET, b"<broken"), "is no workbook that can be read (ParseError)"),
        (with_part(GOOD, "xl/workbook.xml", b"<a/>"), "has no sheet named survey"),
        (workbook(questions=[("type",)]), "has no sheet named survey with rows in it"),
        (workbook(survey=[("type", "name", "label")]), "has no sheet named survey with rows in it"),
        (workbook(survey=[("kind", "name"), ("text", "a")]), "is no XLSForm: "),
        (workbook(survey=[("type", "name", "name"), ("text", "a", "b")]), "survey, row 1: has two columns name."),
        (workbook(survey=[("type", "name", "label"), ("select_one yn", "a", "A")]), "is no XLSForm: There should be"),
        (form(ROW | {"type": "select_one nn"}), "is no XLSForm: [row : 2] List name not in choices sheet: nn"),
        (form(ROW, choices=[*CHOICES, CHOICES[1]]), "is no XLSForm: [row : 7] On the 'choices' sheet"),
        (form(ROW, ROW), "is no XLSForm: [row : 3] On the 'survey' sheet, the 'name' value 'q' is invalid"),
        (form({"type": "begin_group", "name": "g"}, ROW), "is no XLSForm: [row : 2] Unmatched"),
        (form(ROW, {"type": "end_group"}), "is no XLSForm: [row : 3]"),
        (form(*NESTED), "survey, row 22: groups may stand in 20 others at most."),
        (form({"label::en::fr": "a", **ROW}), 'the language "en::fr" must say its tag'),
        (form(ROW | {"name": "=1+1"}), "survey, row 2, name: is a formula, and formulas are not calculated"),
        (form(ROW | {"label": "=[1]other!A1"}), "survey, row 2, label: is a formula"),
        (with_part(GOOD, SHEET, sheet(("A", 1, "type"), ("A", 2, "x" * 32_768))), "survey, row 2, type: has more"),
        (form(*MANY), "survey: has more than 5,000 rows."),
        (workbook(survey=[["type", *map(str, range(300))], ["text"]]), "survey: has more than 200 columns."),
        (form(*LONG), "has more than 4,194,304 characters"),
    ],
    ids=lambda value: value if isinstance(value, str) else "workbook",  # not its bytes, which tell the time
)
def test_a_workbook_that_is_no_form_is_said(tmp_path: Path, content: bytes, said: str) -> None:
    result = run(tmp_path, content)
    assert (result.exit_code, result.stdout) == (1, "")
    first, second = result.stderr.splitlines()[:2]
    assert first == f"Error: {tmp_path / 'ward.xlsx'}:"
    assert said in second


@pytest.mark.parametrize("name", ["ward.xls", "ward.xlsm", "ward.XLSX", "ward.json", "ward"])
def test_a_workbook_is_known_by_what_is_in_it_and_by_its_name(tmp_path: Path, name: str) -> None:
    assert run(tmp_path, GOOD, name=name).exit_code == 0
    told = run(tmp_path, b"no zip", name=name).stderr
    assert ("zip archive" in told) == (Path(name).suffix.lower().startswith(".xls"))


def test_a_file_of_any_kind_is_read_only_so_far(tmp_path: Path) -> None:
    for name in ("form.json", "form.xlsx"):
        assert "is larger than 8,388,608 bytes." in run(tmp_path, bytes(2**23 + 1), name=name).stderr


def bomb(size: int) -> bytes:
    """Return a workbook one of whose parts unpacks to so many bytes."""
    return with_part(GOOD, "xl/sharedStrings.xml", bytes(size))


def test_a_zip_bomb_is_refused_before_it_unpacks() -> None:
    content = bomb(2**27)
    assert len(content) < 2**18
    tracemalloc.start()
    try:
        with pytest.raises(FormError, match="unpacks to more than 16,777,216 bytes"):
            read_form(content)
        assert tracemalloc.get_traced_memory()[1] < 2**22
    finally:
        tracemalloc.stop()


def test_a_zip_bomb_that_says_a_smaller_size_unpacks_to_no_more_than_it_says() -> None:
    content = bytearray(bomb(2**26))
    true, told = (2**26).to_bytes(4, "little"), (2**10).to_bytes(4, "little")
    assert content.count(true) == 2  # before the part, and in the list at the end
    tracemalloc.start()
    try:
        with pytest.raises(FormError, match=r"is no \.xlsx workbook"):
            read_form(bytes(content.replace(true, told)))
        assert tracemalloc.get_traced_memory()[1] < 2**22
    finally:
        tracemalloc.stop()


def test_a_workbook_of_more_tags_than_a_form_has_is_refused() -> None:
    with pytest.raises(FormError, match="is too large: "):
        read_form(with_part(GOOD, SHEET, b"<a/>" * 600_001))


@pytest.mark.parametrize(("row", "column"), [(2**40, "A"), (2, "XFD"), (2, "ZZZZZZ")])
def test_rows_far_below_and_columns_far_right_are_not_counted_up_to(row: int, column: str) -> None:
    with pytest.raises(FormError):
        read_form(with_part(GOOD, SHEET, sheet(("A", 1, "type"), (column, row, "text"))))


@pytest.mark.thorough
@given(st.data())
def test_a_damaged_workbook_is_a_form_error_or_a_form(data: st.DataObject) -> None:
    content = bytearray(GOOD)
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    with suppress(FormError):
        read_form(bytes(content))


CELLS = [
    *("type", "name", "label", "label::en", "label::en::fr", "bind", "bind::relevant", "media::image", "list_name"),
    *("text", "select_one a", "begin_group", "end_group", "begin_repeat", "end repeat", "range", "start=NaN", "a", ""),
    *("parameters", "${a}", "yes", "relevant", "required", "constraint", "calculate", "control", "choices", "children"),
    "sotto_row",
]


@pytest.mark.thorough
@given(st.lists(st.lists(st.sampled_from(CELLS), max_size=6), max_size=6), st.booleans())
def test_a_sheet_of_any_shape_is_a_form_error_or_a_form(rows: list[list[str]], is_usual: bool) -> None:
    head = [["type", "name", "label"]] if is_usual else []
    content = workbook(survey=[*head, *rows], choices=[("list_name", "name", "label"), ("a", "b", "c")])
    with suppress(FormError):
        import_xlsform(read_form(content), "form", Terms(Decimal(1)))
