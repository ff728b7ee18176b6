"""REDCap's data dictionary as a survey: what each field becomes, and everything that is refused or left out."""

from decimal import Decimal
from typing import Any

import pytest

from form_files import asked, imported, notes_of, problems_of, redcap

NO_ANSWER = "No answer"
RADIO = {"field_type": "radio", "choices": "1, Tea | 2, Coffee, black"}
NUMBER = {"field_type": "text", "validation": "integer", "min": "0", "max": "9"}


def one_of(*options: str) -> dict[str, Any]:
    return {"type": "one-of", "options": list(options)}


def number(minimum: str, maximum: str, step: str) -> dict[str, Any]:
    return {"type": "number", "minimum": Decimal(minimum), "maximum": Decimal(maximum), "step": Decimal(step)}


@pytest.mark.parametrize(
    ("field", "question"),
    [
        ({"field_type": "yesno", "required": "y"}, {"type": "yes-no"}),
        ({"field_type": "yesno"}, one_of("Yes", "No", NO_ANSWER) | {"skip": NO_ANSWER}),
        ({"field_type": "truefalse", "required": "y"}, one_of("True", "False")),
        ({"field_type": "radio", "choices": "0, No | 1, Yes", "required": "y"}, {"type": "yes-no"}),
        (RADIO | {"required": "y"}, one_of("Tea", "Coffee, black")),
        ({"field_type": "dropdown", "choices": "a | b"}, one_of("a", "b", NO_ANSWER) | {"skip": NO_ANSWER}),
        (RADIO | {"field_type": "checkbox"}, {"type": "any-of", "options": ["Tea", "Coffee, black"]}),
        (
            RADIO | {"field_type": "checkbox", "annotation": "@MAXCHECKED=1"},
            {"type": "any-of", "options": ["Tea", "Coffee, black"], "max_selected": 1},
        ),
        ({"field_type": "notes"}, {"type": "text", "skip": "(no answer)"}),
        ({"field_type": "text", "required": "y"}, {"type": "text"}),
        (NUMBER | {"required": "y"}, number("0", "9", "1")),
        (NUMBER | {"validation": "number_1dp_comma_decimal", "max": "2,5", "required": "y"}, number("0", "2.5", "0.1")),
        (NUMBER | {"validation": "number", "required": "y"}, number("0", "9", "0.01")),
        ({"field_type": "slider", "required": "y"}, number("0", "100", "1")),
    ],
)
def test_a_field_becomes_a_question_and_skipping_an_answer(field: dict[str, str], question: dict[str, Any]) -> None:
    (found,) = asked(redcap({"name": "q", "label": "Q?", **field}))
    assert found == {"id": "q", "text": "Q?", "epsilon": Decimal("0.5"), **question}


@pytest.mark.parametrize(
    ("field", "why"),
    [
        ({"field_type": "file"}, "has no mechanism (a file cannot be perturbed)."),
        ({"field_type": "sql", "choices": "select 1"}, "has no mechanism (it takes its choices from a database"),
        ({"field_type": "sing"}, "has no mechanism (it is no type that sottovoce knows)."),
        ({"field_type": ""}, "has no mechanism (it is no type that sottovoce knows)."),
        ({"field_type": "text", "validation": "date_ymd"}, "has no mechanism (ask with a dropdown of periods"),
        ({"field_type": "text", "validation": "ssn"}, "has the validation ssn, which a survey cannot check"),
        (NUMBER | {"max": ""}, "must say from which number to which: write numbers into Text Validation Min and"),
        (NUMBER, "cannot be skipped, for no number means no answer. Require it of everybody"),
        ({"field_type": "radio"}, "has no choices: list them, as in  1, Tea | 2, Coffee"),
        (RADIO | {"choices": "1, Tea | 2, Tea"}, "options"),
        (RADIO | {"identifier": "y"}, "is marked as an identifier, and a survey asks for none"),
        (RADIO | {"label": "Why [z]?"}, "has an answer of another field in its text ([z]): write it without."),
        (RADIO | {"choices": "1, [z] | 2, Tea"}, "has an answer of another field in its text ([z])"),
        (RADIO | {"label": "Since [event-label]?"}, "has an answer of another field in its text ([event-label])"),
        (RADIO | {"ranking": "y", "matrix": "m"}, "is a row of a ranking"),
        (RADIO | {"label": "<br>"}, "has no text that can be read."),
        (RADIO | {"logic": "[z] = '1'"}, 'is asked only of some, depending on "z". A report without it would give'),
        (RADIO | {"logic": "[visit_1][z(2)] <> '' and [user-role] = '1'"}, 'depending on "z".'),
        (RADIO | {"logic": "datediff('today')"}, "depending on what the device works out."),
        (RADIO | {"annotation": "@IF([z] = '1', @HIDDEN, '')"}, 'is asked only of some, depending on "z".'),
    ],
)
def test_what_a_survey_has_no_place_for_is_refused_by_line_and_name(field: dict[str, str], why: str) -> None:
    (problem,) = problems_of(redcap({"name": "z", "field_type": "notes"}, {"name": "q", "label": "Q?", **field}))
    assert problem.startswith("line 3 (")
    assert why in problem.partition('"q"): ')[2]


def test_branching_is_named_where_everybody_is_asked_or_the_deciding_field_is_left_out() -> None:
    content = redcap({"name": "z", **RADIO}, {"name": "q", **RADIO, "logic": "[z(1)] = '1'", "required": "y"})
    said = 'q: is asked only of some, by z; now of everybody: else "No answer"'
    assert said in imported(content, ask_everybody=True).notes
    alone = imported(content, leave_out=frozenset(["z"]))
    assert [question["id"] for question in alone.definition["questions"]] == ["q"]
    assert alone.definition["questions"][0]["skip"] == NO_ANSWER
    assert 'q: is asked only of some, by what is no secret; now of everybody: else "No answer"' in alone.notes


def test_everything_that_is_no_question_is_named() -> None:
    notes = notes_of(
        redcap(
            {"name": "record_id"},
            {"name": "hello", "field_type": "descriptive", "label": "<b>Welcome</b>"},
            {"name": "sum", "field_type": "calc"},
            {"name": "when", "annotation": "@NOW"},
            {"name": "secret", "annotation": "@HIDDEN-SURVEY"},
            {"name": "q", **RADIO, "note": "in cups", "annotation": "@DEFAULT='1'", "label": "<i>Q?</i>"},
            {"name": "s", "field_type": "slider", "choices": "low | high", "required": "y"},
            {"name": "o", "choices": "BIOPORTAL:TEA"},
            {"name": "bye", "field_type": "descriptive", "label": "Thank you"},
        )
    )
    assert notes == (
        'dropped; no such thing is ever collected: "record_id"',
        'dropped, for a survey calculates nothing: "sum"',
        'dropped, for REDCap fills it in, and people see it, or may change it: "when"',
        'left out, for nobody is asked: "secret"',
        'dropped, for only texts before the first question are shown, of 2,000 characters at most: "bye"',
        's: the labels of its scale are dropped ("low", "high"): write into the text what its ends mean',
        'without their HTML, which a survey would show as it is written: "q"',
        "stays in the form, is no part of the survey: q (field note, @DEFAULT); o (choices of an ontology)",
    )


def test_what_no_number_counts_as_is_suggested_within_the_range_and_a_way_out_is_named() -> None:
    field = {"name": "q", **NUMBER, "min": "10", "max": "99"}
    assert "(--skip-number q=10)" in problems_of(redcap(field))[0]
    (why,) = problems_of(redcap(field), skip_numbers=(("q", 0),))
    assert why == 'line 2 (text "q"): skip must be an integer in [10, 99]. Else leave it out (--leave-out q).'


def test_headers_and_instruments_are_sections_and_texts_before_the_first_question_the_introduction() -> None:
    found = imported(
        redcap(
            {"name": "hello", "field_type": "descriptive", "label": "<p>Wel&shy;come&nbsp;!</p>"},
            {"name": "a", **RADIO, "form": "day_one"},
            {"name": "b", **RADIO, "form": "day_one", "header": "<b>Night</b>"},
            {"name": "c", **RADIO, "form": "day_two"},
            {"name": "d", **RADIO, "form": "day_two"},
        )
    ).definition
    assert found["introduction"] == "Wel\xadcome!"
    assert [question.get("section") for question in found["questions"]] == ["Day one", "Night", "Day two", None]


def test_a_long_header_is_cut_and_no_question_stays_in_the_section_before() -> None:
    found = imported(
        redcap({"name": "a", **RADIO, "header": "Day"}, {"name": "b", **RADIO, "header": "At night, " + "tea " * 60})
    )
    day, night = (question["section"] for question in found.definition["questions"])
    assert (day, night[:13], night[-4:]) == ("Day", "At night, tea", "tea\u2026")
    assert len(night) <= 200
    assert found.notes == ("b: begins a section whose title is cut at 200 characters",)


def test_a_matrix_says_what_it_takes_and_how_to_take_less() -> None:
    rows = [{"name": name, **RADIO, "matrix": "drinks"} for name in "abcd"]
    (note,) = notes_of(redcap(*rows))
    assert note == (
        'the matrix "drinks" is 4 questions with the same options, epsilon 2 in total. To take less, keep fewer '
        "rows, or let each device answer some of them (draw; then give each more epsilon), or protect two or three of "
        "them as one answer ([[together]]). `sotto check` says what each way is worth"
    )
    (note,) = notes_of(redcap(*rows[:2]))
    assert note.endswith(", or protect them as one answer ([[together]]). `sotto check` says what each way is worth")


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_any_separator_and_the_names_of_the_api_are_read(separator: str) -> None:
    rows = [["field_name", "field_type", "field_label", "select_choices_or_calculations", "identifier"]]
    rows += [["q", "radio", "Q?", "1, Tea | 2, Coffee", "NA"]]
    text = "\r\n".join(separator.join(f'"{cell}"' for cell in row) for row in rows)
    (question,) = asked(b"\xef\xbb\xbf" + text.encode())
    assert question["options"] == ["Tea", "Coffee", NO_ANSWER]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (
            redcap({"name": "q"}).replace(b"Field Label", b"Label"),
            "is no data dictionary, for it has no column field_label (Field Label).",
        ),
        (
            redcap({"name": "q"}).replace(b"Variable / Field Name", b"1"),
            "line 1: is no data dictionary, for it has no column field_name (Variable / Field Name).",
        ),
        (redcap({"name": "q", "label": "Gr\u00fc\u00dfe"}).decode().encode("latin-1"), "must be UTF-8"),
        (redcap({"name": "q"}) + b'"open', "is no row of a table"),
        (redcap({"name": "q"}) + b"a," * 30 + b"b", "has 31 cells, and the first line names 18 columns."),
        (redcap({"name": "q"}) + b"a\n" * 5000, "has more than 5,000 rows."),
        (redcap({"name": "q", "label": "a" * 32_768}), "has a cell of more than 32,767 characters."),
        (redcap({"name": "q"}, {"name": "q"}), 'has the same id as line 2 (text "q"), q; rename one.'),
        (redcap(), "has no question that can be asked."),
        (b"field_name,field_type,Field Type,field_label\nq,text,text,Q", "has two columns field_type"),
        (b"hello, world", "is no form that can be read: "),
    ],
)
def test_what_is_no_dictionary_is_named_with_its_line(content: bytes, why: str) -> None:
    assert any(why in problem for problem in problems_of(content))
