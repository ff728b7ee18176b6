"""Forms of SurveyJS as surveys: what each element becomes, and everything that is refused."""

import json
import re
import tomllib
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, strategies as st

from sotto_author.errors import FormError
from sotto_author.forms.asking import Terms
from sotto_author.forms.surveyjs import Imported, import_form
from sotto_author.survey_toml import to_toml
from sotto_protocol import SurveyError, compile_survey, compile_toml
from sotto_protocol.documents import is_text, load_json
from surveyjs_vectors import FORMS, VECTORS, vectors_text

REQUIRED = {"isRequired": True}
NO_ANSWER = "No answer"


def read_form(name: str) -> Any:
    return load_json((FORMS / name).read_bytes(), SurveyError)


def imported(form: Any, **settings: Any) -> Imported:
    return import_form(form, "form", Terms(Decimal("0.5"), **settings))


def question_of(element: dict[str, Any], **form: Any) -> dict[str, Any]:
    """Return what one element becomes, without what all questions have."""
    (asked,) = imported({"elements": [{"name": "q", **element}], **form}).asked
    assert (asked.question["id"], asked.question["epsilon"]) == ("q", Decimal("0.5"))
    return {key: value for key, value in asked.question.items() if key not in ("id", "text", "epsilon")}


def problems_of(form: Any, **settings: Any) -> tuple[str, ...]:
    with pytest.raises(FormError) as refused:
        imported(form, **settings)
    return refused.value.problems


def number(minimum: Any, maximum: Any, step: Any) -> dict[str, Any]:
    ends = {"minimum": minimum, "maximum": maximum, "step": step}
    return {"type": "number"} | {key: Decimal(value) for key, value in ends.items()}


def one_of(*options: str, skip: str | None = None) -> dict[str, Any]:
    return {"type": "one-of", "options": list(options)} | ({} if skip is None else {"skip": skip})


def likert(*options: str, skip: str | None = None) -> dict[str, Any]:
    return one_of(*options, skip=skip) | {"type": "likert"}


@pytest.mark.parametrize(
    ("element", "question"),
    [
        ({"type": "boolean", **REQUIRED}, {"type": "yes-no"}),
        ({"type": "boolean"}, one_of("Yes", "No", NO_ANSWER, skip=NO_ANSWER)),
        ({"type": "boolean", "labelTrue": "I do"}, one_of("I do", "No", NO_ANSWER, skip=NO_ANSWER)),
        ({"type": "radiogroup", "choices": ["a", "b"], **REQUIRED}, one_of("a", "b")),
        ({"type": "radiogroup", "choices": ["a"]}, one_of("a", NO_ANSWER, skip=NO_ANSWER)),
        ({"type": "radiogroup", "choices": ["a", "NO ANSWER"]}, one_of("a", "NO ANSWER", skip="NO ANSWER")),
        ({"type": "radiogroup", "choices": ["a"], "hasNone": True, **REQUIRED}, one_of("a", "None")),
        ({"type": "dropdown", "choices": [{"value": 1, "text": "one"}, 2.50], **REQUIRED}, one_of("one", "2.5")),
        ({"type": "dropdown", "choicesMin": 2, "choicesMax": 6, "choicesStep": 2, **REQUIRED}, one_of("2", "4", "6")),
        ({"type": "dropdown", "choices": ["a|b", {"text": "c"}], **REQUIRED}, one_of("b", "c")),
        ({"type": "rating", "rateMax": 3}, likert("1", "2", "3", NO_ANSWER, skip=NO_ANSWER)),
        ({"type": "slider", **REQUIRED}, number(0, 100, 1)),
        (
            {"type": "slider", "min": -2, "max": "2.5", "step": "0.5", **REQUIRED},
            number(-2, "2.5", "0.5"),
        ),
        ({"type": "text", "inputType": "number", "min": "0", "max": 9, **REQUIRED}, number(0, 9, 1)),
        ({"type": "text", "inputType": "range", "min": 0, "max": 9, "step": "3", **REQUIRED}, number(0, 9, 3)),
        ({"type": "text", "inputType": "number", "min": 0, "max": 9}, {"type": "text", "skip": "(no answer)"}),
        ({"type": "text", "inputType": "number", "min": 0, **REQUIRED}, {"type": "text"}),
        ({"type": "text", "min": 0, "max": 9, **REQUIRED}, {"type": "text"}),
        ({"type": "rating", "rateValues": ["x", "y"]}, one_of("x", "y", NO_ANSWER, skip=NO_ANSWER)),
        ({"type": "checkbox", "choices": ["a", "b"]}, {"type": "any-of", "options": ["a", "b"]}),
        ({"type": "tagbox", "choices": ["a", "b"], **REQUIRED}, {"type": "any-of", "options": ["a", "b"]}),
        (
            {"type": "checkbox", "choices": ["a", "b", "c"], "maxSelectedChoices": 2},
            {"type": "any-of", "options": ["a", "b", "c"], "max_selected": 2},
        ),
        ({"type": "text", **REQUIRED}, {"type": "text"}),
        ({"type": "text", "requiredIf": "{a} = 1", **REQUIRED}, {"type": "text", "skip": "(no answer)"}),
        ({"type": "comment"}, {"type": "text", "skip": "(no answer)"}),
    ],
)
def test_an_element_becomes_a_question_and_skipping_an_answer(
    element: dict[str, Any], question: dict[str, Any]
) -> None:
    assert question_of(load_json(json.dumps(element), SurveyError)) == question


@pytest.mark.parametrize(
    ("members", "question"),
    [
        ({}, number(1, 5, 1)),
        ({"rateMin": 0, "rateMax": 2, "rateStep": 0.3}, number(0, "1.8", "0.3")),
        ({"rateType": "smileys", "rateMax": 15}, number(1, 10, 1)),
        ({"rateValues": [10, "0", "5|5"]}, number(0, 10, 5)),
        ({"rateValues": [1, 2, 4]}, likert("1", "2", "4") | {"scores": [1, 2, 4]}),
        ({"rateValues": [1, "1.0"]}, one_of("1", "1.0")),
        ({"rateValues": [1, {"value": 2, "text": "so-so"}, 3]}, likert("1", "so-so", "3")),
        ({"rateValues": ["bad", "good"]}, one_of("bad", "good")),
        ({"rateMax": 2, "requiredIf": "{a} = 1"}, likert("1", "2", NO_ANSWER, skip=NO_ANSWER)),
    ],
)
def test_a_rating_that_must_be_given_is_a_number_unless_it_is_in_words(
    members: dict[str, Any], question: dict[str, Any]
) -> None:
    element = load_json(json.dumps({"type": "rating", **REQUIRED, **members}), SurveyError)
    is_number = question["type"] == "number"
    assert question_of(element) == question | ({"distribution": True} if is_number else {})


@pytest.mark.parametrize(
    ("members", "values"),
    [
        ({}, "1 2 3 4 5"),
        ({"rateCount": 7}, "1 2 3 4 5"),  # as SurveyJS shows it
        ({"rateMin": 0, "rateCount": 4}, "0 1 2 3"),
        ({"rateMax": 9, "rateCount": 3}, "7 8 9"),
        ({"rateMin": 0, "rateMax": 1, "rateStep": 0.25}, "0 0.25 0.5 0.75 1"),
        ({"rateMin": 0, "rateMax": 2, "rateStep": 0.3}, "0 0.3 0.6 0.9 1.2 1.5 1.8"),
        ({"rateType": "smileys", "rateMax": 15}, "1 2 3 4 5 6 7 8 9 10"),
        ({"rateValues": [1, 2], "autoGenerate": True}, "1 2 3 4 5"),
    ],
)
def test_a_scale_has_the_values_that_surveyjs_shows(members: dict[str, Any], values: str) -> None:
    element = load_json(json.dumps({"type": "rating", **members}), SurveyError)
    assert question_of(element)["options"] == [*values.split(), NO_ANSWER]


def test_elements_are_found_wherever_they_are_nested_and_what_asks_nothing_is_not_asked() -> None:
    text = {"type": "text"}
    inner = {"type": "panel", "elements": [{**text, "name": "b"}, {"type": "html", "name": "h"}]}
    page = {
        "elements": [{**text, "name": "a"}, {"type": "panel", "questions": [inner]}, {"type": "image", "name": "i"}]
    }
    form = {"pages": [page, {"questions": [{**text, "name": "c"}]}, {}], "elements": [{**text, "name": "d"}]}
    assert [asked.element.place for asked in imported(form).asked] == [
        "$.pages[0].elements[0]",
        "$.pages[0].elements[1].questions[0].elements[0]",
        "$.pages[1].questions[0]",
        "$.elements[0]",
    ]


SPOKEN = {
    "title": {"default": "Lunch", "de": "Mittag", "pt-br": "Almo\u00e7o", "x!": "?"},
    "elements": [
        {
            "type": "radiogroup",
            "name": "dish",
            "title": {"default": "Which\n dish?", "de": " Welches  Gericht?", "pt-br": "Qual prato?"},
            "choices": [{"value": 1, "text": {"default": "Soup", "de": "Suppe", "pt-br": "Sopa"}}, 2],
            **REQUIRED,
        },
        {"type": "boolean", "name": "again", "title": {"default": "Again?", "de": "Noch einmal?"}, **REQUIRED},
    ],
}


def test_languages_in_which_no_text_is_missing_are_taken_over_and_the_others_named() -> None:
    found = imported(SPOKEN)
    survey = compile_toml(found.to_toml())
    assert (survey.languages, survey.title, survey.words("de").title) == (("en", "de"), "Lunch", "Mittag")
    assert survey.words("de").questions["dish"].text == "Welches Gericht?"
    assert survey.questions[0].options == ("Soup", "2")
    assert survey.words("de").questions["dish"].options == ("Suppe", "2")
    assert found.notes == (
        "pt-BR is left out, for not every text has it: the text of again",
        '"x!" is left out, for it is no language tag',
    )
    assert compile_survey(found.definition) == survey
    assert 'title.en = "Lunch"\ntitle.de = "Mittag"\n' in found.to_toml()


def test_a_form_in_one_language_says_which_if_it_has_a_locale() -> None:
    german = {"locale": "de", "title": "Mittag", "elements": [{"type": "text", "name": "q", "title": "Was?"}]}
    survey = compile_survey(imported(german).definition)
    assert (survey.lang, survey.languages) == ("de", ("de",))
    both = {"locale": "de", "title": {"default": "Lunch", "de": "Mittag"}, "elements": [{"type": "text", "name": "7"}]}
    assert compile_survey(imported(both).definition).languages == ("en", "de")
    assert compile_survey(imported(german | {"locale": "x!"}).definition).lang == "en"


def paged(*pages: tuple[Any, list[str]], **form: Any) -> dict[str, Any]:
    """Return a form of pages, each of a title and the names of its texts."""
    return form | {
        "pages": [
            {"title": title, "elements": [{"type": "text", "name": name, "title": "?"} for name in names]}
            for title, names in pages
        ]
    }


def test_titles_of_pages_and_panels_are_sections_and_the_description_the_introduction() -> None:
    form = paged(("One", ["a", "b"]), ("One", ["c"]), (None, ["d"]), ("Two", ["e"]), ("x" * 201, ["f"]))
    form["pages"][3]["elements"] += [
        {"type": "panel", "title": "Two and {a}", "elements": [{"type": "text", "name": "g"}]},
        {"type": "panel", "elements": [{"type": "text", "name": "h"}]},
    ]
    found = imported(form | {"description": " Please\n answer. "})
    survey = compile_toml(found.to_toml())
    assert survey.introduction == "Please answer."
    sections = {question.id: question.section for question in survey.questions if question.section}
    assert sections == {"a": "One", "e": "Two", "g": "Two and {a}", "h": "Two"}
    assert found.notes == (
        'd: stands in no group, and in the survey still in the section "One"',
        "f: begins a group whose title is no section's, of at most 200 characters",
        "has braces in its text or section, which only the form fills in: g",
    )


def test_a_section_is_in_the_languages_of_its_title_and_a_language_that_lacks_it_is_named() -> None:
    spoken = paged(({"default": "One", "de": "Eins"}, []), title=SPOKEN["title"])
    spoken["pages"][0]["elements"] = SPOKEN["elements"]
    assert compile_survey(imported(spoken).definition).words("de").questions["dish"].section == "Eins"
    spoken["pages"][0]["title"] = "One"
    found = imported(spoken)
    assert "de is left out, for not every text has it: the section that dish begins" in found.notes
    assert problems_of(paged((7, ["a"]))) == ("$.pages[0].title must be a text, or an object of texts by language.",)


def test_every_member_that_is_no_part_of_the_survey_is_said() -> None:
    choices = ["x", {"value": "y", "visibleIf": "{n} > 1", "score": 2}, {"value": "z", "enableIf": "", "text": "Z"}]
    several = {"type": "checkbox", "choices": choices, "maxSelectedChoices": 2, "minSelectedChoices": 1}
    texts = [
        {"name": "n", "inputType": "number", "min": 0, "max": 9, **REQUIRED, "defaultValue": 3},
        {"name": "free", "inputType": "number"},
        {"name": "skipped", "inputType": "number", "min": 0, "max": 9, "step": 1},
        {"name": "mail", "inputType": "email", "maxLength": 9, "width": ""},
    ]
    form = {
        "logoPosition": "right",
        "pages": [
            {
                "name": "p",
                "description": "About you",
                "elements": [
                    {"name": "s", **several, "colCount": 2, "choicesVisibleIf": "{item} > 1"},
                    {"name": "t", "type": "radiogroup", "choices": ["a", "b"], "minSelectedChoices": 2, "colCount": 1},
                    *({"type": "text"} | text for text in texts),
                    {"type": "html", "name": "h", "html": "Hello"},
                ],
            }
        ],
    }
    assert imported(form).notes == (
        "n: takes steps of 1 alone, for the form says no step",
        "free: is a text, for a number must have min and max",
        "skipped: is a text, for a number cannot be skipped: make it required and never hidden, or say what no number "
        "counts as (--skip-number skipped=0)",
        "all choices are options, also those that the form may hide or disable: s (choicesVisibleIf), s (visibleIf of "
        "choices[1])",
        "takes any number of choices, also none, whatever its minSelectedChoices: s",
        "stays in the form, is no part of the survey: logoPosition of the form; description of page p; colCount of s, "
        "t; score of choices[1] of s; minSelectedChoices of t; defaultValue of n; inputType of mail; maxLength of "
        "mail; html h",
        "mail: asks for an e-mail address, it seems, which says who somebody is: leave it out (--leave-out mail)",
    )


def test_a_number_that_is_suggested_for_no_answer_is_in_the_range() -> None:
    slider = {"type": "slider", "name": "a", "min": 18, "max": 90}
    assert "(--skip-number a=18)" in problems_of({"elements": [slider]})[0]


def test_texts_are_those_of_the_default_language_on_one_line() -> None:
    title = {"default": "How\n  much? ", "de": "Wie viel?"}
    choices = [{"value": 1, "text": {"en": "a lot", "de": "viel"}}, {"value": 2, "text": {"de": "wenig"}}]
    form = {"title": title, "elements": [{"type": "radiogroup", "name": "Q 1", "title": title, "choices": choices[:1]}]}
    survey = compile_survey(imported(form).definition)
    assert (survey.title, survey.questions[0].text, survey.questions[0].options) == (
        "How much?",
        "How much?",
        ("a lot", NO_ANSWER),
    )
    form["elements"][0]["choices"] = choices
    place = '$.elements[0] (radiogroup "Q 1")'
    assert problems_of(form) == (f"{place}: choices[1].text must have a text under `default`.",)


def test_an_element_without_a_title_is_asked_by_its_name_and_a_form_by_its_id() -> None:
    definition = imported({"elements": [{"type": "text", "name": " #Your {age} "}]}).definition
    assert (definition["title"], definition["questions"][0]["text"]) == ("form", "Your age")


def test_everything_that_has_no_mechanism_is_refused_at_once_by_place_and_name() -> None:
    problems = problems_of(read_form("unsupported.json"))
    named = [re.match(r'\$\.pages\[\d].* \(([a-z-]+) "(\w+)"\): (.*)\.$', problem) for problem in problems]
    found = [(match[2], match[3]) for match in named if match]
    form = read_form("unsupported.json")
    unsupported = ["paneldynamic", "file", "signaturepad"]
    expected = [e["name"] for page in form["pages"] for e in page["elements"] if e["type"] != "panel"][1:]
    expected[4:4] = unsupported
    assert [name for name, _ in found] == expected
    for name, why in found[:12]:
        assert why.startswith(("has no mechanism (", "cannot be skipped, for no number")), name
    assert [why.split()[0] for _, why in found[12:]] == expected[12:]


def test_what_has_no_mechanism_is_left_out_on_request_and_said() -> None:
    form = imported(read_form("unsupported.json"), skip_unsupported=True)
    assert [question["id"] for question in form.definition["questions"]] == ["fine"]
    assert len(form.left_out) == 19
    assert form.notes[0] == "the adapter refuses this form: surveyPostId sends answers in clear"
    assert form.notes[1].startswith("the adapter refuses this form: partialSendEnabled")
    assert form.notes[2] == 'left out: $.pages[0].elements[1] (matrix "matrix")'


@pytest.mark.parametrize(
    ("hidden", "by"),
    [
        ({"members": {"visibleIf": "{a} = 1"}}, "visibleIf"),
        ({"members": {"enableIf": "{a} = 1"}}, "enableIf"),
        ({"members": {"visible": False}}, "visible"),
        ({"members": {"readOnly": True}}, "readOnly"),
        ({"panel": {"visibleIf": "{a} = 1"}}, "visibleIf of $.pages[0].elements[0]"),
        ({"page": {"visibleIf": "{a} = 1"}}, "visibleIf of $.pages[0]"),
        ({"page": {"timeLimit": 10}}, "timeLimit of $.pages[0]"),
        ({"form": {"maxTimeToFinish": 10}}, "maxTimeToFinish of the form"),
        ({"form": {"triggers": [{"type": "complete"}]}}, "a complete trigger"),
        ({"form": {"triggers": [{"type": "skiptrigger"}]}}, "a skip trigger"),
    ],
)
def test_a_required_question_that_may_be_hidden_is_refused_and_one_that_is_not_required_is_skipped(
    hidden: dict[str, dict[str, Any]], by: str
) -> None:
    def form(element: dict[str, Any]) -> dict[str, Any]:
        panel = {"type": "panel", **hidden.get("panel", {}), "elements": [element | hidden.get("members", {})]}
        return {"pages": [{"elements": [panel], **hidden.get("page", {})}], **hidden.get("form", {})}

    (problem,) = problems_of(form({"type": "boolean", "name": "q", **REQUIRED}))
    whose = ', depending on "a", which a report without it would give away' if "If" in by else ""
    assert f"is required, but {by} may hide it{whose}. Take isRequired away" in problem
    (asked,) = imported(form({"type": "boolean", "name": "q"})).asked
    assert asked.question["skip"] == NO_ANSWER
    (asked,) = imported(form({"type": "checkbox", "name": "q", "choices": ["a"], **REQUIRED})).asked
    assert "skip" not in asked.question  # an empty selection is an answer


@pytest.mark.parametrize(
    ("element", "problem"),
    [
        ({"name": "?"}, "must have a name with a letter or a digit"),
        ({"type": "radiogroup"}, None),  # "No answer" alone is no choice
        ({"type": "radiogroup", "choices": "a"}, "choices must be a list"),
        ({"type": "radiogroup", "choices": ["a", None]}, "choices[1] must have a value"),
        ({"type": "radiogroup", "choices": [{"value": {"a": 1}}]}, "choices[0] must have a value"),
        ({"type": "radiogroup", "choices": [{"value": 1, "text": 1}]}, "choices[0].text must be a text"),
        ({"type": "radiogroup", "choices": [{"value": 1, "elements": [1]}]}, "choices[0] asks something beside"),
        ({"type": "radiogroup", "choices": ["a|x", "b|x"]}, 'two choices have the text "x"'),
        ({"type": "radiogroup", "choices": [1, {"value": "1", "text": "one"}]}, 'two choices have the value "1"'),
        ({"type": "radiogroup", "choices": ["a" * 201, "b"]}, "options must be a list of 2 to 4096 different texts"),
        (
            {"type": "checkbox", "choices": ["a", "b"], "maxSelectedChoices": "2"},
            "maxSelectedChoices must be an integer",
        ),
        ({"type": "rating", "rateMin": 5}, "rateMin must be below rateMax"),
        ({"type": "rating", "rateMax": 30}, "rateStep gives more than 20 values"),
        ({"type": "rating", "rateMin": Decimal("0.5")}, "rateStep must be above 0, and have as many decimals"),
        ({"type": "rating", "rateStep": 0}, "rateStep must be above 0"),
        ({"type": "rating", "rateMax": "5"}, "rateMax must be a number"),
        (
            {"type": "slider"},
            "cannot be skipped, for no number means 'No answer'. Make it required, say what no number counts as (",
        ),
        ({"type": "slider", "sliderType": "range", **REQUIRED}, "sliderType range gives two numbers"),
        ({"type": "slider", "maxValueExpression": "{a}", **REQUIRED}, "maxValueExpression takes its range from an"),
        ({"type": "slider", "step": 7, **REQUIRED}, "step must go into maximum - minimum"),
        ({"type": "slider", "min": "x", **REQUIRED}, "min must be a number"),
        ({"type": "text", "inputType": "number", "min": 5, "max": 5, **REQUIRED}, "maximum must be above minimum"),
        ({"type": "dropdown", "choicesMax": 10**6}, "choicesStep gives more than 4096 values"),
        ({"title": "a\u202eb"}, "text must be a text of 1 to 2000 characters"),
        ({"title": ["a"]}, "title must be a text, or an object of texts by language"),
    ],
)
def test_what_cannot_be_asked_is_refused_by_its_place(element: dict[str, Any], problem: str | None) -> None:
    members = {"type": "text", "name": "q"} | element
    (said,) = problems_of({"elements": [members]})
    assert said.startswith(f'$.elements[0] ({members["type"]} "{members["name"]}"): {problem or "options must"}')


@pytest.mark.parametrize(
    ("form", "problem"),
    [
        ([], "$: must be an object"),
        ({"pages": {}}, "$.pages: must be a list"),
        ({"pages": [1]}, "$.pages[0]: must be an object"),
        ({"elements": [{"name": "q"}]}, "$.elements[0]: must have a `type`"),
        ({"elements": [{"type": "text", "name": 1}]}, "$.elements[0].name: must be a text"),
    ],
)
def test_what_is_no_form_is_refused(form: Any, problem: str) -> None:
    assert problems_of(form)[0].startswith(problem)


LEAVES = st.none() | st.booleans() | st.integers(-(10**50), 10**50) | st.decimals(-9, 9, places=2) | st.text(max_size=3)
TYPES = ["boolean", "radiogroup", "dropdown", "rating", "checkbox", "text", "panel", "matrix", "expression"]
MEMBERS = (
    "title name choices value text default rateValues rateMin rateMax rateStep rateCount choicesMax elements pages"
)
MEMBERS += " maxSelectedChoices hasNone noneText isRequired visibleIf triggers labelTrue valueTrue validators type"


def nested(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return lists and elements of these values; a function with a name, since Hypothesis reads its source."""
    typed = {"type": st.sampled_from(TYPES), "name": st.text(max_size=3)}
    return st.lists(values, max_size=3) | st.fixed_dictionaries(
        typed, optional=dict.fromkeys(MEMBERS.split()[2:-1], values)
    )


@given(st.recursive(LEAVES, nested, max_leaves=12))
def test_whatever_a_form_holds_it_becomes_a_survey_or_is_refused(members: Any) -> None:
    try:
        form = imported({"elements": members if isinstance(members, list) else [members]})
    except FormError as refused:
        assert refused.problems  # noqa: PT017  # either is fine, nothing else is
    else:
        compile_toml(form.to_toml())


def test_two_elements_of_one_id_are_refused() -> None:
    elements = [{"type": "text", "name": "My age"}, {"type": "text", "name": "my-age"}]
    said = '$.elements[1] (text "my-age"): its id my-age is that of $.elements[0] (text "My age") too. Rename one.'
    assert problems_of({"elements": elements}) == (said,)


def test_the_vectors_that_the_adapter_is_tested_with_are_what_the_import_makes() -> None:
    assert VECTORS.read_text() == vectors_text()


@given(st.text().filter(lambda text: is_text(text, 200)))
def test_any_text_survives_the_toml(text: str) -> None:
    definition = {"title": text, "questions": [{"options": [text], "epsilon": Decimal("0.125"), "flag": True}]}
    written = to_toml(definition, [text])
    assert tomllib.loads(written, parse_float=Decimal) == definition


def conditional(**members: Any) -> dict[str, Any]:
    asked = {"type": "radiogroup", "name": "q", "choices": ["a", "b"], **REQUIRED, **members}
    return {"elements": [{"type": "text", "name": "ward"}, {"type": "text", "name": "z"}, asked]}


def test_a_required_question_that_answers_hide_is_asked_of_everybody_if_its_author_agrees() -> None:
    form = conditional(visibleIf="{z.length} > 2 and {ward} = 'A'")
    (problem,) = problems_of(form, leave_out=frozenset({"ward"}))
    assert 'may hide it, depending on "z", which a report without it would give away' in problem
    found = imported(form, ask_everybody=True)
    assert found.asked[-1].question["skip"] == NO_ANSWER
    assert found.notes == ("may be hidden in the form, and is in every report, then as skipped: q (visibleIf)",)


@pytest.mark.parametrize("condition", ["{ward} = 'A'", "{ward[0].a} = 1", "{locale} = 'de'", "1 = 2"])
def test_what_only_public_conditions_hide_may_be_skipped_without_more_ado(condition: str) -> None:
    found = imported(conditional(visibleIf=condition), leave_out=frozenset({"ward"}))
    assert [one.question["id"] for one in found.asked] == ["z", "q"]
    assert found.asked[-1].question["skip"] == NO_ANSWER
    assert found.notes[-1] == 'tell the adapter, which then drops their answers: leaveOut: ["ward"]'


def test_a_name_to_leave_out_that_no_element_has_is_refused() -> None:
    assert problems_of(conditional(), leave_out=frozenset({"x"})) == (
        '--leave-out names "x", and no element that asks anything is called that.',
    )


MATRIX = {"type": "matrix", "name": "m", "columns": ["a", "b"], "rows": ["x", {"value": "y", "text": "Why"}]}


def test_a_matrix_becomes_questions_with_the_same_options_and_says_what_they_take() -> None:
    found = imported({"elements": [MATRIX | {"title": "<b>How</b>?", "eachRowRequired": True, "alternateRows": True}]})
    asked = [(each["id"], each["text"], each["options"]) for each in found.definition["questions"]]
    assert asked == [("m-x", "How? x", ["a", "b"]), ("m-y", "How? Why", ["a", "b"])]
    assert "stays in the form, is no part of the survey: alternateRows of m x, m y" in found.notes
    assert found.notes[-1].startswith('the matrix "m" is 2 questions with the same options, epsilon ')
    assert len(imported({"elements": [MATRIX]}).definition["questions"][0]["options"]) == len(["a", "b", "No answer"])


@pytest.mark.parametrize(
    ("members", "why"),
    [
        ({"rows": []}, "it has no rows: ask with a radiogroup"),
        ({"cellType": "checkbox"}, "its cells are no radio buttons"),
        ({"cells": {"x": {"a": "1"}}}, "it has texts in its cells"),
        ({"showCommentArea": True}, "showCommentArea takes free text beside the answer"),
        ({"rows": ["x", {"value": "y", "visibleIf": "{z} = 1"}], "eachRowRequired": True}, "visibleIf may hide it"),
        ({"rowsVisibleIf": "{z} = 1", "eachRowRequired": True}, "rowsVisibleIf may hide it"),
        ({"columns": 5}, "choices must be a list."),
        ({"rows": [{"text": 5}]}, "must be a text, or an object of texts by language"),
    ],
)
def test_a_matrix_whose_rows_are_no_questions_is_refused(members: dict[str, Any], why: str) -> None:
    form = {"elements": [MATRIX | members, {"type": "text", "name": "z"}]}
    assert any(why in problem for problem in problems_of(form))


def test_a_matrix_is_left_out_by_its_name_and_a_row_by_its_own() -> None:
    form = {"elements": [MATRIX, {"type": "text", "name": "z"}]}
    assert [each["id"] for each in imported(form, leave_out=frozenset(["m"])).definition["questions"]] == ["z"]
    assert [each["id"] for each in imported(form, leave_out=frozenset(["m y"])).definition["questions"]] == ["m-x", "z"]
