"""What an import drops or adds and a form's author would miss: labels, steps, a title, e-mail addresses, a limit."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from form_files import imported, lime_rows, lime_tsv, lss, multiple_choice, notes_of, qsf, redcap
from sotto_author.forms.asking import Terms
from sotto_author.forms.surveyjs import import_form
from sotto_author.forms.xlsform.form import read_form
from sotto_author.forms.xlsform.importing import import_xlsform
from sotto_client import ledger
from sotto_client.cli import main
from sotto_protocol import compile_toml
from workbooks import form

NO_TITLE = 'the title is "ward", from the file\'s name or --id, for the form has none: write one'
MANY = redcap(*({"name": f"q{number}", "required": "y"} for number in range(12)))


def run(folder: Path, content: bytes, *arguments: str, name: str = "ward.csv") -> tuple[str, list[str]]:
    (folder / name).write_bytes(content)
    done = CliRunner().invoke(main, ["survey", "import", str(folder / name), *arguments])
    assert done.exit_code == 0, done.stderr
    return done.stdout, done.stderr.splitlines()


def surveyjs(**element: Any) -> tuple[str, ...]:
    return import_form({"elements": [{"name": "q", **element}]}, "form", Terms(Decimal(1))).notes


def test_more_than_devices_give_by_default_is_said_with_ways_that_lead_below_it(tmp_path: Path) -> None:
    toml, (total, said, *_) = run(tmp_path, MANY)
    assert total == "12 questions, epsilon 1 each, 12 in total"
    assert said == (
        "more than 8 in total is refused by default, so no device would answer: let each device answer only some "
        "(draw = 8), or import with --epsilon 0.6666 or less, or leave questions out (--leave-out NAME)"
    )
    assert compile_toml(f"draw = 8\n{toml}").epsilon <= ledger.MAX_EPSILON
    less, lines = run(tmp_path, MANY, "--epsilon", "0.6666")
    assert compile_toml(less).epsilon <= ledger.MAX_EPSILON
    assert not [line for line in lines if "by default" in line]


def test_the_limit_itself_is_no_more_than_devices_give(tmp_path: Path) -> None:
    assert not [line for line in run(tmp_path, redcap({"name": "q"}), "--epsilon", "8")[1] if "by default" in line]


def test_where_one_question_takes_too_much_nothing_is_said_of_drawing(tmp_path: Path) -> None:
    (said,) = [line for line in run(tmp_path, redcap({"name": "q"}), "--epsilon", "9")[1] if "by default" in line]
    assert said.endswith(
        "so no device would answer: import with --epsilon 8 or less, or leave questions out (--leave-out NAME)"
    )


@pytest.mark.parametrize(
    ("name", "without", "titled"),
    [
        ("ward.csv", redcap({"name": "q"}), None),
        ("ward.qsf", qsf(multiple_choice("q"), SurveyName=" "), qsf(multiple_choice("q"))),
        (
            "ward.json",
            b'{"elements": [{"type": "comment", "name": "q"}]}',
            b'{"title": "T", "elements": [{"type": "comment", "name": "q"}]}',
        ),
        (
            "ward.xlsx",
            form({"type": "text", "name": "q", "label": "Q?"}),
            form({"type": "text", "name": "q", "label": "Q?"}, settings=[("form_title",), ("T",)]),
        ),
    ],
)
def test_a_title_that_is_the_name_of_the_file_is_said(
    tmp_path: Path, name: str, without: bytes, titled: bytes | None
) -> None:
    toml, lines = run(tmp_path, without, name=name)
    assert 'title = "ward"' in toml
    assert NO_TITLE in lines
    if titled:
        toml, lines = run(tmp_path, titled, name=name)
        assert 'title = "ward"' not in toml
        assert NO_TITLE not in lines


def test_what_redcap_fills_in_and_shows_is_not_said_to_be_collected_never() -> None:
    notes = notes_of(
        redcap(
            {"name": "q"},
            {"name": "today", "annotation": "@TODAY"},
            {"name": "seen", "annotation": "@NOW @READONLY"},
            {"name": "unseen", "annotation": "@TODAY @HIDDEN"},
            {"name": "user", "annotation": "@HIDDEN-SURVEY @USERNAME"},
        )
    )
    assert notes == (
        'dropped, for REDCap fills it in, and people see it, or may change it: "today", "seen"',
        'dropped; no such thing is ever collected: "unseen", "user"',
    )


@pytest.mark.parametrize(
    ("tag", "named"),
    [
        ("@NONEOFTHEABOVE='8,9'", '"None", "Refused"'),
        ("@NONEOFTHEABOVE=9", '"Refused"'),
        ("@NONEOFTHEABOVE", '"none of the above"'),
    ],
)
def test_a_choice_that_excludes_others_in_redcap_is_named(tag: str, named: str) -> None:
    field = {"name": "q", "field_type": "checkbox", "choices": "1, Tea | 8, None | 9, Refused", "annotation": tag}
    said = f"q: any choices may be selected together, also {named} with others, for no survey checks @NONEOFTHEABOVE"
    assert notes_of(redcap(field)) == (said,)
    alone = {"name": "q", "field_type": "radio", "choices": "1, Tea | 2, Milk", "annotation": tag}
    assert notes_of(redcap(alone)) == ("stays in the form, is no part of the survey: q (@NONEOFTHEABOVE)",)


def test_a_choice_that_excludes_others_in_surveyjs_is_named() -> None:
    said = 'q: any choices may be selected together, also "Nothing" with others, for no survey checks showNoneItem'
    members = {"choices": ["a", "b"], "showNoneItem": True, "noneText": "Nothing"}
    assert surveyjs(type="checkbox", **members) == (said,)
    assert surveyjs(type="radiogroup", **members) == ()


@pytest.mark.parametrize(
    ("configuration", "said"),
    [
        ({"SnapToGrid": True, "GridLines": 10}, ("s: takes steps of 1, and not those of its slider: write step = 10",)),
        ({"SnapToGrid": True, "GridLines": 100}, ()),
        ({"SnapToGrid": True, "GridLines": 999999999}, ()),
        ({"SnapToGrid": False, "GridLines": 10}, ()),
        ({"GridLines": 10}, ()),
    ],
)
def test_steps_of_a_qualtrics_slider_are_said_once(configuration: dict[str, Any], said: tuple[str, ...]) -> None:
    members = {"QuestionType": "Slider", "Selector": "HSLIDER", "Configuration": configuration}
    found = imported(qsf(multiple_choice("s", "a", "b", required=True, **members)))
    assert tuple(note for note in found.notes if "steps" in note) == said
    labels = [{"Display": "bad"}, {"Display": "good"}]
    notes = notes_of(qsf(multiple_choice("s", "a", "b", required=True, Labels=labels, **members)))
    assert [note for note in notes if "labels" in note] == [
        's: the labels of its scale are dropped ("bad", "good"): write into the text what its ends mean'
    ]


def test_steps_that_a_form_does_not_say_are_said() -> None:
    ends = {"min_num_value_n": "0", "max_num_value_n": "10", "mandatory": "Y"}
    question = {"class": "Q", "type/scale": "N", "name": "q", "text": "Q?", **ends}
    said = "q: takes steps of {}, for the form says no step"
    for cells, note in (
        ({}, said.format("0.01 alone")),
        ({"num_value_int_only": "1"}, None),
        (
            {"slider_layout": "1", "slider_accuracy": "5"},
            "q: takes steps of 0.01, and not those of its slider: write step = 5",
        ),
        ({"slider_layout": "1", "slider_accuracy": "1", "num_value_int_only": "1"}, None),
    ):
        for content in (lime_tsv(lime_rows(question | cells)), lss(lime_rows(question | cells))):
            assert notes_of(content) == ((note,) if note else ())
    field = {"name": "q", "min": "0", "max": "9", "required": "y"}
    assert notes_of(redcap(field | {"validation": "number"})) == (said.format("0.01 alone"),)
    assert notes_of(redcap(field | {"validation": "number_1dp"})) == ()
    row = {"type": "decimal", "name": "q", "label": "Q?", "constraint": ". >= 0 and . <= 9", "required": "yes"}
    found = import_xlsform(read_form(form(row)), "form", Terms(Decimal(1)))
    assert found.notes == (said.format("0.01 alone"),)
    validation = {"ForceResponse": "ON", "Type": "ContentType", "ContentType": "ValidNumber", "Min": "0", "Max": "9"}
    for more, notes in (({}, (said.format("1 alone"),)), ({"NumDecimals": "0"}, ())):
        entry = multiple_choice(
            "q", QuestionType="TE", Selector="SL", Choices=[], Validation={"Settings": validation | more}
        )
        assert notes_of(qsf(entry)) == notes


def test_a_step_that_is_proposed_for_a_slider_compiles() -> None:
    members = {"QuestionType": "Slider", "Selector": "HSLIDER", "Configuration": {"SnapToGrid": True, "GridLines": 4}}
    found = imported(qsf(multiple_choice("s", "a", required=True, **members)))
    (note,) = found.notes
    compile_toml(found.to_toml().replace("step = 1\n", f"{note.rpartition('write ')[2]}\n"))


def test_an_e_mail_address_is_named_also_where_it_is_asked_twice() -> None:
    once = "email: asks for an e-mail address, it seems, which says who somebody is: leave it out (--leave-out email)"
    assert notes_of(redcap({"name": "email"})) == (once,)
    assert notes_of(redcap({"name": "email"}, {"name": "again", "label": "Your E-Mail once more"})) == (
        "email, again: ask 2 times for an e-mail address, it seems, which says who somebody is: leave it out "
        "(--leave-out email --leave-out again)",
    )
    for name, label in (("email1", "Your address"), ("q", "Enter emails here"), ("work_email_2", "Where?")):
        assert "asks for an e-mail address" in notes_of(redcap({"name": name, "label": label}))[0]
    assert "q: asks for an e-mail address" in surveyjs(type="text", inputType="email")[-1]
    assert notes_of(redcap({"name": "remailed"}, {"name": "q", "label": "Which mail do you read?"})) == ()
    yes_no = {"name": "email", "field_type": "yesno", "label": "Do you read e-mail?", "required": "y"}
    assert notes_of(redcap(yes_no)) == ()
