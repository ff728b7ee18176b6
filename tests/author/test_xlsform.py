"""Forms of ODK and KoboToolbox as surveys: what each row becomes, and everything that is refused."""

from decimal import Decimal
from typing import Any

import pytest

from sotto_author.errors import FormError
from sotto_author.forms.asking import ImportedForm, Terms
from sotto_author.forms.xlsform.form import read_form
from sotto_author.forms.xlsform.importing import import_xlsform
from sotto_protocol import compile_survey, compile_toml
from workbooks import CHOICES, form, workbook

NO_ANSWER = "No answer"
ASK = {"type": "text", "name": "z", "label": "Z?"}


def imported(content: bytes, **terms: Any) -> ImportedForm:
    return import_xlsform(read_form(content), "form", Terms(Decimal("0.5"), **terms))


def problems_of(content: bytes, **terms: Any) -> tuple[str, ...]:
    with pytest.raises(FormError) as refused:
        imported(content, **terms)
    return refused.value.problems


def number(minimum: str, maximum: str, step: str) -> dict[str, Any]:
    return {"type": "number", "minimum": Decimal(minimum), "maximum": Decimal(maximum), "step": Decimal(step)}


def one_of(*options: str, skip: str | None = None) -> dict[str, Any]:
    return {"type": "one-of", "options": list(options)} | ({} if skip is None else {"skip": skip})


@pytest.mark.parametrize(
    ("row", "question"),
    [
        ({"type": "select_one yn", "required": "yes"}, {"type": "yes-no"}),
        ({"type": "select_one yn"}, one_of("Yes", "No", NO_ANSWER, skip=NO_ANSWER)),
        ({"type": "select_one drink", "required": True}, one_of("Tea", "Coffee", "Water")),
        (
            {"type": "select one drink", "required": "1 = 1"},
            one_of("Tea", "Coffee", "Water", NO_ANSWER, skip=NO_ANSWER),
        ),
        ({"type": "select_one drink", "required": "TRUE", "relevant": "true()"}, one_of("Tea", "Coffee", "Water")),
        ({"type": "select_multiple drink"}, {"type": "any-of", "options": ["Tea", "Coffee", "Water"]}),
        (
            {"type": "select_multiple drink", "constraint": "(count-selected(.) < 3)"},
            {"type": "any-of", "options": ["Tea", "Coffee", "Water"], "max_selected": 2},
        ),
        (
            {"type": "select_multiple drink", "constraint": "count-selected(${q}) <= 2"},
            {"type": "any-of", "options": ["Tea", "Coffee", "Water"], "max_selected": 2},
        ),
        ({"type": "text", "required": "yes"}, {"type": "text"}),
        ({"type": "text"}, {"type": "text", "skip": "(no answer)"}),
        ({"type": "acknowledge"}, {"type": "yes-no", "skip": "no"}),
        ({"type": "trigger", "required": "yes"}, {"type": "yes-no"}),
    ],
)
def test_a_row_becomes_a_question_and_skipping_an_answer(row: dict[str, Any], question: dict[str, Any]) -> None:
    (asked,) = imported(form({"name": "q", "label": "Q?", **row})).definition["questions"]
    assert asked == {"id": "q", "text": "Q?", "epsilon": Decimal("0.5"), **question}


@pytest.mark.parametrize(
    ("row", "question"),
    [
        ({"type": "integer", "constraint": ". >= 0 and . <= 120"}, number("0", "120", "1")),
        ({"type": "integer", "constraint": "((.>0) and (100 > .))"}, number("1", "99", "1")),
        ({"type": "integer", "constraint": ". > 0.5 and . <= 9.5 and . < 9"}, number("1", "8", "1")),
        ({"type": "decimal", "constraint": ". >= -1 and . < 2.5"}, number("-1", "2.49", "0.01")),
        ({"type": "decimal", "constraint": "0.125 <= . and . <= 1"}, number("0.125", "1", "0.001")),
        ({"type": "range", "parameters": "start=10 end=0 step=2.5"}, number("0", "10", "2.5")),
        ({"type": "integer", "constraint": "${q} >= 0 and ${q} < 9"}, number("0", "8", "1")),
        ({"type": "range"}, number("1", "10", "1")),
        ({"type": "range", "constraint": ". <= 5"}, number("1", "5", "1")),
        (
            {"type": "range", "parameters": "start=1 end=11 step=2", "constraint": ". > 3 and . < 10.5 and . <= 20"},
            number("5", "9", "2"),
        ),
    ],
)
def test_a_number_has_the_range_that_its_constraint_lets_pass(row: dict[str, Any], question: dict[str, Any]) -> None:
    (asked,) = imported(form({"name": "q", "label": "Q?", "required": "yes", **row})).definition["questions"]
    assert asked == {"id": "q", "text": "Q?", "epsilon": Decimal("0.5"), **question}


@pytest.mark.parametrize("constraint", ["", ". > 0", ". > 0 or . < 9", ". > ${z} and . < 9", "not(. > 0)", "(" * 2000])
def test_a_number_without_both_ends_is_refused_and_the_constraint_that_it_needs_is_said(constraint: str) -> None:
    (problem,) = problems_of(
        form(ASK, {"type": "integer", "name": "q", "label": "Q?", "required": "yes", "constraint": constraint})
    )
    assert problem.startswith('survey, row 3 (integer "q"): ')
    assert "constraint" in problem


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (
            {"type": "integer", "constraint": ". > 0 and . < 9"},
            "cannot be skipped, for no number means no answer. Make it required",
        ),
        ({"type": "rank drink"}, "has no mechanism (ask for the first choice, with a select_one"),
        ({"type": "geopoint"}, "has no mechanism (ask for the district, with a select_one"),
        ({"type": "image"}, "has no mechanism (a file cannot be perturbed"),
        ({"type": "date"}, "has no mechanism (ask with a select_one of periods"),
        ({"type": "sing"}, "has no mechanism (it is no type that sottovoce knows"),
        ({"type": "select_one ${z}"}, "takes its choices from elsewhere: list them on the sheet choices"),
        ({"type": "select_one drink", "choice_filter": "name = ${z}"}, "shows other choices by an answer"),
        ({"type": "text", "constraint": "regex(., 'a')"}, "has a constraint, which a survey cannot check of it"),
        ({"type": "text", "calculation": "1 + 1"}, "is calculated"),
        ({"type": "text", "media::image": "a.png"}, "has an image or a sound"),
        ({"type": "text", "label": "Why ${z}?"}, "has an answer of another row in its text"),
        ({"type": "text", "label": None}, "has no label in the form's own language"),
        ({"type": "select_multiple drink", "constraint": "not(selected(., 'tea'))"}, "the constraint not(selected"),
    ],
)
def test_what_a_survey_has_no_place_for_is_refused_by_row_and_name(row: dict[str, Any], why: str) -> None:
    (problem,) = problems_of(form(ASK, {}, {"name": "q", "label": "Q?", **row}))
    assert problem.startswith("survey, row 4 (")
    assert f'"q"): {why}' in problem


def test_everything_is_refused_at_once_and_left_out_on_request() -> None:
    content = form(
        ASK,
        {"type": "geopoint", "name": "a"},
        {"type": "begin_repeat", "name": "r", "label": "R"},
        {"type": "text", "name": "b", "label": "B?"},
        {"type": "end_repeat"},
        {"type": "select_one drink or_other", "name": "c", "label": "C?", "required": "yes"},
    )
    named = ['row 3 (geopoint "a")', 'row 5 (text "b")', 'row 7 (text "c_other")']
    assert [problem.split(":")[0] for problem in problems_of(content)] == [f"survey, {each}" for each in named]
    found = imported(content, skip_unsupported=True)
    assert [(q["id"], q.get("options")) for q in found.definition["questions"]] == [
        ("z", None),
        ("c", ["Tea", "Coffee", "Water", "Other"]),
    ]
    assert list(found.notes) == [f"left out: survey, {each}" for each in named]


SOME = "is asked only of some, depending on {}. A report without it would give that away. Ask everybody, with an answer"


@pytest.mark.parametrize(
    ("relevant", "by"),
    [
        ("${z} = 'a'", '"z"'),
        ("selected(${z}, 'a') and ${y} > 1", '"z", "y"'),
        ("../z = 'a'", "what the device works out"),
        ("random() < 0.5", "what the device works out"),
    ],
)
def test_what_depends_on_an_answer_is_explained_and_asked_of_everybody_if_its_author_agrees(
    relevant: str, by: str
) -> None:
    rows = [ASK, {"type": "text", "name": "y", "label": "Y?"}]
    asked = {"type": "select_one yn", "name": "q", "label": "Q?", "required": "yes"}
    content = form(*rows, asked | {"relevant": relevant})
    in_group = form(*rows, {"type": "begin group", "name": "g", "relevant": relevant}, asked, {"type": "end group"})
    for given in (content, in_group):
        (problem,) = problems_of(given, skip_unsupported=True)
        assert f'"q"): {SOME.format(by)}' in problem
        found = imported(given, ask_everybody=True)
        assert found.definition["questions"][-1]["skip"] == NO_ANSWER
        assert f'now of everybody: else "{NO_ANSWER}"' in found.notes[0]


def test_what_depends_on_what_is_public_is_asked_of_everybody_with_an_answer_for_who_is_not_concerned() -> None:
    rows = [ASK, {"type": "select_one yn", "name": "q", "label": "Q?", "required": "yes", "relevant": "${y} = 'a'"}]
    content = form(*rows, {"type": "text", "name": "y", "label": "Y?"})
    found = imported(content, leave_out=frozenset({"y"}))
    assert [question["id"] for question in found.definition["questions"]] == ["z", "q"]
    assert found.definition["questions"][1]["skip"] == NO_ANSWER
    assert found.notes == (
        'q: is asked only of some, by what is no secret; now of everybody: else "No answer"',
        'left out: survey, row 4 (text "y")',
    )
    assert problems_of(content, leave_out=frozenset({"y", "x"})) == (
        '--leave-out names "x", and no row is called that.',
    )


def test_a_number_that_not_all_must_answer_is_not_asked_of_everybody() -> None:
    row = {"type": "integer", "name": "q", "label": "Q?", "required": "yes", "constraint": ". > 0 and . < 9"}
    (problem,) = problems_of(form(ASK, row | {"relevant": "${z} = 1"}), ask_everybody=True)
    assert "no number means no answer" in problem


def test_what_is_never_asked_is_left_out() -> None:
    never = {"type": "text", "name": "a", "label": "A?", "relevant": "false()"}
    fixed = {"type": "text", "name": "b", "label": "B?", "read_only": "yes"}
    assert imported(form(ASK, never, fixed)).notes == (
        'left out: survey, row 3 (text "a"), which nobody is asked',
        'left out: survey, row 4 (text "b"), which nobody is asked',
    )


def test_what_a_phone_records_by_itself_is_dropped_and_never_collected() -> None:
    kinds = ["start", "end", "deviceid", "phonenumber", "username", "audit", "start-geopoint"]
    rows = [{"type": kind, "name": f"m{index}" if kind != "audit" else None} for index, kind in enumerate(kinds)]
    found = imported(form(*rows, ASK, {"type": "calculate", "name": "sum", "calculation": "1 + 1"}))
    assert [question["id"] for question in found.definition["questions"]] == ["z"]
    said, calculated = found.notes
    assert said.startswith("dropped: ")
    assert said.endswith("; no such thing is ever collected")
    assert all(kind in said for kind in kinds)
    assert calculated == 'dropped, for a survey calculates nothing: "sum"'


def test_columns_that_no_question_has_stay_in_the_form_and_are_named() -> None:
    drink = {"type": "select_one drink", "name": "a", "label": "A?", "required": "yes", "required_message": "Please!"}
    drink |= {"appearance": "minimal", "parameters": "randomize=true", "image": None, "remark": "first"}
    level = {"type": "range", "name": "b", "label": "B?", "required": "yes", "parameters": "start=0 end=10 step=1"}
    level |= {"constraint": ". >= 0 and . <= 10", "constraint_message::French (fr)": "Non."}
    (*_, said) = imported(form(drink, level)).notes
    assert said == (
        "stays in the form, is no part of the survey: "
        "a (required_message, appearance, parameters: randomize, remark); b (constraint_message)"
    )


def test_groups_are_sections_and_the_notes_before_the_first_question_the_introduction() -> None:
    group = {"type": "begin_group", "name": "g", "label": "One"}
    inner = {"type": "begin_group", "name": "h"}
    found = imported(
        form(
            {"type": "note", "name": "n1", "label": "Hello."},
            {"type": "note", "name": "n2", "label": "It is short."},
            ASK,
            group,
            {"type": "text", "name": "a", "label": "A?"},
            inner,
            {"type": "text", "name": "b", "label": "B?"},
            {"type": "end_group"},
            {"type": "end_group"},
            {"type": "text", "name": "c", "label": "C?"},
            group | {"name": "i", "label": "Two"},
            {"type": "text", "name": "d", "label": "D?"},
            {"type": "end_group"},
            {"type": "note", "name": "n3", "label": "Bye."},
        )
    )
    survey = compile_toml(found.to_toml())
    assert survey.introduction == "Hello. It is short."
    assert [question.section for question in survey.questions] == ["", "One", "", "", "Two"]
    assert found.notes == (
        'c: stands in no group, and in the survey still in the section "One"',
        'dropped, for notes are shown before the first question alone: "n3"',
    )


SPOKEN = [
    (
        "list_name",
        "name",
        "label::English (en)",
        "label::Français (fr)",
        "label::العربية (ar)",
        "label::Kiswahili (sw)",
    ),
    ("shift", "early", "Early", "Matin", "صباحا", "Asubuhi"),
    ("shift", "late", "Late", "Soir", "مساء", None),
]


def test_the_languages_of_a_form_are_those_of_the_survey_and_what_they_lack_is_said() -> None:
    names = SPOKEN[0][2:]
    row = dict(zip(names, ("Which shift?", "Quelle équipe ?", "أي مناوبة؟", "Zamu gani?"), strict=True))
    group = dict(zip(names, ("Nights", "Nuits", "ليال", "Usiku"), strict=True))
    note = dict(zip(names, ("Hello.", "Bonjour.", "أهلا.", "Habari."), strict=True))
    rows = [
        {"type": "note", "name": "n"} | note,
        {"type": "begin_group", "name": "g"} | group,
        {"type": "select_one shift", "name": "Shift", "required": "yes"} | row,
        {"type": "end_group"},
    ]
    columns = ["type", "name", "required", *names]
    survey = [columns, *([row.get(column) for column in columns] for row in rows)]
    settings = [("form_title", "default_language"), ("Ward", "Français (fr)")]
    found = imported(workbook(survey=survey, choices=SPOKEN, settings=settings))
    compiled = compile_toml(found.to_toml())
    assert (compiled.lang, compiled.languages, compiled.title) == ("fr", ("fr", "ar", "en"), "Ward")
    arabic = compiled.words("ar")
    assert (arabic.title, arabic.introduction) == ("Ward", "أهلا.")
    assert (arabic.questions["shift"].section, arabic.questions["shift"].options) == ("ليال", ("صباحا", "مساء"))
    assert compiled.questions[0].options == ("Matin", "Soir")
    assert found.notes == (
        "sw is left out, for not every text has it: option 2 of shift",
        "the title is the same in all languages, for an XLSForm has but one: translate it",
    )
    assert compile_survey(found.definition) == compiled
    assert "# the form's element Shift\n[[questions]]" in found.to_toml()


def test_a_language_that_says_no_tag_is_refused() -> None:
    content = form({"type": "text", "name": "a", "label::Elvish": "A?", "label::French": "A ?", "label::fr": "A ?"})
    assert problems_of(content) == (
        'the language "Elvish" must say its tag, in brackets, as in label::Elvish (..), such as (fr) of French.',
        'the languages "French" and "fr" are one, fr: take the columns of one away.',
    )


def test_yes_and_no_in_other_words_are_said() -> None:
    choices = [*CHOICES[:1], ("yn", "no", "Never"), ("yn", "yes", "I do")]
    found = imported(form({"type": "select_one yn", "name": "a", "label": "A?", "required": "yes"}, choices=choices))
    assert found.definition["questions"][0]["type"] == "yes-no"
    assert found.notes == ("a: yes stands for 'I do', no for 'Never'",)


def test_a_language_column_that_nobody_filled_in_is_none() -> None:
    columns = ["type", "name", "label", "label::English (en)", "label::Elvish"]
    found = imported(workbook(survey=[columns, ["text", "a", None, "A?"]]))
    assert [str(question["text"]) for question in found.definition["questions"]] == ["A?"]


@pytest.mark.thorough
def test_a_condition_of_any_length_is_read_in_one_pass() -> None:
    long = [{"type": "text", "name": f"q{n}", "label": "Q?", "relevant": "a" * 30_000} for n in range(100)]
    assert len(imported(form(ASK, *long)).definition["questions"]) == 101
