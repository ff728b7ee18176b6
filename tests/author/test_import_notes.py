"""What real forms have beside questions: markup, conditions that no survey checks, numbers that may be left out."""

from decimal import Decimal
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from openpyxl import Workbook

from sotto_author.errors import FormError
from sotto_author.forms.asking import ImportedForm, Terms, or_no_answer
from sotto_author.forms.markup import plain
from sotto_author.forms.surveyjs import Imported, import_form
from sotto_author.forms.xlsform.form import read_form
from sotto_author.forms.xlsform.importing import import_xlsform
from sotto_author.forms.xlsform.workbook import MAX_ROWS
from sotto_client.cli import main
from sotto_protocol import compile_survey, compile_toml
from workbooks import CHOICES, form

ASK = {"type": "select_one yn", "name": "q", "label": "Q?", "required": "yes"}
DRINKS = {"type": "select_multiple drink", "name": "d", "label": "D?"}
NUMBER = {"type": "integer", "name": "n", "label": "N?", "constraint": ". >= 0 and . <= 9"}


def xlsform(content: bytes, **terms: Any) -> ImportedForm:
    agreed = Terms(Decimal(1), **terms)
    imported = import_xlsform(read_form(content, skip_unsupported=agreed.skip_unsupported), "form", agreed)
    compile_survey(imported.definition)
    return imported


def problems_of(content: bytes, **terms: Any) -> tuple[str, ...]:
    with pytest.raises(FormError) as refused:
        xlsform(content, **terms)
    return refused.value.problems


def surveyjs(*elements: dict[str, Any], form: dict[str, Any] | None = None, **terms: Any) -> Imported:
    imported = import_form({"elements": [*elements]} | (form or {}), "form", Terms(Decimal(1), **terms))
    compile_toml(imported.to_toml())
    return imported


def far_below(*, is_filled: bool = False, row: int = 1_048_576) -> bytes:
    """Return a workbook whose last row is formatted, and empty unless it is filled."""
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "survey"
    for line in (["type", "name", "label", "required"], ["text", "q", "Q?", "yes"]):
        sheet.append(line)
    sheet.cell(row, 1, "text" if is_filled else None).number_format = "0.00"
    file = BytesIO()
    book.save(file)
    return file.getvalue()


def test_an_empty_row_that_is_formatted_is_no_row() -> None:
    assert [question["id"] for question in xlsform(far_below()).definition["questions"]] == ["q"]


def test_a_form_of_blank_rows_alone_has_none() -> None:
    book = Workbook()
    assert book.active is not None
    book.active.title = "survey"
    for line in (["type", "name", "label"], [" ", " ", " "]):
        book.active.append(line)
    file = BytesIO()
    book.save(file)
    assert problems_of(file.getvalue()) == ("has no sheet named survey with rows in it, as XLSForms have.",)


def test_a_row_far_below_the_others_is_refused_by_its_number() -> None:
    (problem,) = problems_of(far_below(is_filled=True, row=MAX_ROWS + 4))
    assert problem == "survey, row 5004: there are 5,001 empty rows above it, take them away."


@pytest.mark.parametrize(
    ("required", "kind"), [("=TRUE()", "yes-no"), ("=true()", "yes-no"), ("=FALSE()", "one-of"), ("= TRUE", "yes-no")]
)
def test_true_as_spreadsheets_write_it_is_no_formula(required: str, kind: str) -> None:
    (question,) = xlsform(form(ASK | {"required": required})).definition["questions"]
    assert question["type"] == kind
    assert problems_of(form(ASK | {"required": "=1=1"}))[0].startswith("survey, row 2, required: is a formula")


@pytest.mark.parametrize(
    ("name", "tag"),
    [("French", "fr"), ("chinese", "zh"), ("Chinese (Simplified)", "zh-Hans"), ("Swahili", "sw"), ("Burmese", "my")],
)
def test_a_language_may_have_its_english_name(name: str, tag: str) -> None:
    row = ASK | {"label": None, "label::English": "Paid?", f"label::{name}": "Payé ?"}
    choices = [
        ("list_name", "name", "label::English", f"label::{name}"),
        ("yn", "yes", "Yes", "O"),
        ("yn", "no", "No", "N"),
    ]
    definition = xlsform(form(row, choices=choices)).definition
    assert definition["questions"][0]["text"] == {"en": "Paid?", tag: "Payé ?"}


@pytest.mark.parametrize(
    ("name", "proposed"),
    [
        ("Frnech", "as in label::Frnech (fr)."),
        ("Chinese HK", "as in label::Chinese HK (zh)."),
        ("Elvish", "in brackets, as in label::Elvish (..), such as (fr) of French."),
    ],
)
def test_of_a_language_without_a_tag_the_one_that_is_meant_is_proposed(name: str, proposed: str) -> None:
    (problem,) = problems_of(form(ASK | {f"label::{name}": "?"}))
    assert problem == f'the language "{name}" must say its tag, {proposed}'


@pytest.mark.parametrize(
    "constraint",
    [
        "not(selected(., 'none') and count-selected(.) > 1)",
        'not (selected(.,"none") and count-selected(.)>1)',
        "not(count-selected(.) >= 2 and selected(., 'none'))",
        "if(selected(., 'none'), count-selected(.) = 1, true())",
        "not(selected(., 'none')) or count-selected(.) = 1",
        "not(selected(., 'tea') and selected(., 'coffee'))",
        "count-selected(.) >= 1",
    ],
)
def test_a_condition_on_which_choices_go_together_is_dropped_and_said(constraint: str) -> None:
    imported = xlsform(form(ASK, DRINKS | {"constraint": constraint}))
    assert imported.definition["questions"][1]["options"] == ["Tea", "Coffee", "Water"]
    assert f"d: any choices may be selected, for no survey checks {constraint}" in imported.notes


def test_how_many_choices_there_may_be_is_kept_beside_what_is_dropped() -> None:
    said = "not(selected(., 'no and') and count-selected(.) > 1) and (count-selected(.) <= 2)"
    imported = xlsform(form(DRINKS | {"constraint": said}))
    assert imported.definition["questions"][0]["max_selected"] == 2
    assert [note for note in imported.notes if "no survey checks" in note]


@pytest.mark.parametrize(
    "constraint", ["not(selected(., 'tea'))", ". != 'tea'", "selected(., ${q}) and count-selected(.) > 1"]
)
def test_another_condition_on_choices_is_refused_and_says_how_to_go_on(constraint: str) -> None:
    content = form(ASK, DRINKS | {"constraint": constraint})
    (problem,) = problems_of(content)
    assert "is none that a survey checks" in problem
    assert problem.endswith("take it away, or leave the row out (--leave-out d).")
    assert [one["id"] for one in xlsform(content, skip_unsupported=True).definition["questions"]] == ["q"]


def test_a_condition_by_which_a_row_is_required_is_said() -> None:
    imported = xlsform(form(ASK, ASK | {"name": "r", "required": "${q} = 'yes'"}))
    assert imported.definition["questions"][1]["skip"] == "No answer"
    assert "r: is required in the form where ${q} = 'yes'; now nobody must answer it" in imported.notes
    assert not [note for note in xlsform(form(ASK | {"required": "no"})).notes if "is required" in note]
    element = {"type": "boolean", "name": "b", "requiredIf": "{a} = 1"}
    assert "b: is required in the form where {a} = 1; now nobody must answer it" in surveyjs(element).notes


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ('**Bold** <span style="color:red">red</span>', "Bold red"),
        ("# Head", "Head"),
        ("*one* and _two_ and __three__", "one and two and three"),
        ("See [this](https://example.org/a)", "See this (https://example.org/a)"),
        ("a<br>b &amp; c", "a b & c"),
        ("5 < 6 and 7 > 6", "5 < 6 and 7 > 6"),
        ("2 * 3 * 4", "2 * 3 * 4"),
        ("a_b_c and ____", "a_b_c and ____"),
        ("<p></p>", "<p></p>"),
        ("a &amp; b", "a &amp; b"),
    ],
)
def test_a_text_loses_its_markup_and_nothing_else(text: str, bare: str) -> None:
    assert plain(text) == bare


def test_markup_in_labels_is_taken_off_and_said() -> None:
    choices = [*CHOICES[:1], ("yn", "yes", "**Yes**"), ("yn", "no", "<b>No</b>")]
    imported = xlsform(form(ASK | {"label": "**Paid** <i>it</i>?", "required": "no"}, choices=choices))
    (question,) = imported.definition["questions"]
    assert (question["text"], question["options"][:2]) == ("Paid it?", ["Yes", "No"])
    assert 'without their Markdown and HTML, which a survey would show as it is written: "q"' in imported.notes


def test_a_title_loses_its_markup_and_a_marked_section_is_named_once_in_place_of_its_questions() -> None:
    rows = [
        {"type": "begin_group", "name": "g", "label": "**Paid** work"},
        ASK,
        ASK | {"name": "r"},
        {"type": "end_group", "name": "g"},
    ]
    imported = xlsform(form(*rows, settings=[("form_title",), ("**Form** <b>A</b>",)]))
    assert imported.definition["title"] == "Form A"
    assert imported.definition["questions"][0]["section"] == "Paid work"
    said = "without their Markdown and HTML, which a survey would show as it is written: "
    assert f'{said}the form\'s title, the section "Paid work"' in imported.notes
    page = {"elements": [{"type": "boolean", "name": name, "isRequired": True} for name in "ab"]}
    of_page = surveyjs(form={"pages": [page | {"title": "**Paid** work"}], "elements": []})
    assert f'{said}the section "Paid work"' in of_page.notes


def test_choices_of_surveyjs_keep_their_markup_since_the_adapter_finds_them_by_it() -> None:
    element = {
        "type": "radiogroup",
        "name": "q",
        "title": "<b>Which</b>?",
        "choices": ["**a**", "b"],
        "isRequired": True,
    }
    imported = surveyjs(element, form={"title": "**Form**"})
    (question,) = imported.definition["questions"]
    assert (imported.definition["title"], question["text"], question["options"]) == ("Form", "Which?", ["**a**", "b"])
    assert (
        "without their Markdown and HTML, which a survey would show as it is written: the form's title, q"
        in imported.notes
    )
    assert [note for note in imported.notes if note.startswith("has Markdown or HTML in its choices") and ": q" in note]


@pytest.mark.parametrize(
    "changes", [{}, {"relevant": "${q} = 'yes'", "required": "yes"}], ids=["optional", "conditional"]
)
def test_a_number_that_may_be_left_out_is_one_on_request(changes: dict[str, str]) -> None:
    content = form(ASK, NUMBER | changes)
    refused = problems_of(content, ask_everybody=True)
    assert "--skip-number n=0" in refused[0]
    for given in ("n", ""):
        imported = xlsform(content, ask_everybody=True, skip_numbers=((given, 3),))
        question = imported.definition["questions"][1]
        assert (question["type"], question["skip"]) == ("number", 3)
        assert "n: no number counts as 3, in the mean too" in imported.notes
    assert "skip must be an integer in [0, 9]" in problems_of(content, ask_everybody=True, skip_numbers=(("n", 11),))[0]
    assert '--skip-number names "x", and no row is called that.' in problems_of(content, skip_numbers=(("x", 1),))


def test_a_number_that_must_be_given_is_not_left_out_on_request() -> None:
    for given in ("n", ""):
        imported = xlsform(form(NUMBER | {"required": "yes"}), skip_numbers=((given, 0),))
        assert "skip" not in imported.definition["questions"][0]
        said = "--skip-number n=0 is not used: the form requires an answer to it"
        assert [note for note in imported.notes if "is not used" in note] == [said] * bool(given)


def test_a_name_of_what_is_no_number_or_left_out_is_said_not_to_be_used() -> None:
    skips = (("q", 0), ("n", Decimal("1.5")))
    imported = xlsform(form(ASK, NUMBER), skip_numbers=skips, leave_out=frozenset(["n"]))
    said = [note for note in imported.notes if "is not used" in note]
    assert said[0].startswith("--skip-number q=0 is not used: its question is ")
    assert said[1:] == ["--skip-number n=1.5 is not used: it is left out"]
    element = {"type": "slider", "name": "n", "min": 0, "max": 9, "isRequired": True}
    required = surveyjs(element, skip_numbers=(("n", 0),))
    assert "--skip-number n=0 is not used: the form requires an answer to it" in required.notes


@pytest.mark.parametrize(
    "element",
    [
        {"type": "slider", "name": "n", "min": 0, "max": 9},
        {"type": "text", "inputType": "number", "name": "n", "min": 0, "max": 9, "step": 1},
    ],
)
def test_a_number_of_surveyjs_may_be_left_out_on_request(element: dict[str, Any]) -> None:
    imported = surveyjs(element, skip_numbers=(("n", Decimal(0)),))
    (question,) = imported.definition["questions"]
    assert (question["type"], question["skip"]) == ("number", 0)
    assert "n: no number counts as 0, in the mean too" in imported.notes


KOBO = [
    {"type": "begin_kobomatrix", "name": "m", "label": "M"},
    {"type": "select_one yn", "label": "no name"},
    {"type": "end_kobomatrix"},
]


def test_a_matrix_of_kobotoolbox_is_named_and_left_out_on_request() -> None:
    (problem,) = problems_of(form(ASK, *KOBO))
    assert problem.startswith(
        'survey, row 3 (begin_kobomatrix "m"): is of KoboToolbox\'s own and no XLSForm: ask every row'
    )
    imported = xlsform(form(ASK, *KOBO, ASK | {"name": "r"}), skip_unsupported=True)
    assert [question["id"] for question in imported.definition["questions"]] == ["q", "r"]
    assert 'left out: survey, row 3 (begin_kobomatrix "m")' in imported.notes


def run(folder: Path, *arguments: object) -> Result:
    (folder / "ward.xlsx").write_bytes(form(ASK, NUMBER))
    return CliRunner().invoke(main, ["survey", "import", str(folder / "ward.xlsx"), *map(str, arguments)])


def test_the_command_takes_what_no_number_counts_as(tmp_path: Path) -> None:
    assert run(tmp_path).exit_code == 1
    for given in ("5", "n=5", "n=5.0"):
        done = run(tmp_path, "--skip-number", given)
        assert (done.exit_code, compile_toml(done.stdout).questions[1].skip) == (0, 5)
    for wrong in ("", "n=", "n=x", "1e3"):
        refused = run(tmp_path, "--skip-number", wrong)
        assert (refused.exit_code, "must be a number such as 0, or NAME=0" in refused.stderr) == (2, True)


@pytest.mark.parametrize("own", ["No answer", "NO ANSWER", "Keine Antwort"])
def test_a_no_answer_that_a_form_has_in_any_language_is_not_added_again(own: str) -> None:
    assert or_no_answer(["Ja", own]) == {"type": "one-of", "options": ["Ja", own], "skip": own}
