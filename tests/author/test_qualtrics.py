"""Qualtrics surveys (QSF): what each question becomes, on what it depends, and everything that is refused."""

import json
from decimal import Decimal
from typing import Any

import pytest

from form_files import asked, imported, multiple_choice, notes_of, problems_of, qsf

NO_ANSWER = "No answer"
ALL_ASKED = 'is asked only of some, by {}; now of everybody: else "No answer"'
LOGIC = {"0": {"0": {"LogicType": "Question", "LeftOperand": "q://QID1/SelectableChoice/1", "Type": "Expression"}}}
DEVICE = {"0": {"0": {"LogicType": "DeviceType", "LeftOperand": "mobile", "Type": "Expression"}}}
SKIP = {"ChoiceLocator": "q://QID1/SelectableChoice/1", "QuestionID": "QID1"}


def text_entry(tag: str, **settings: Any) -> dict[str, Any]:
    return multiple_choice(
        tag,
        QuestionType="TE",
        Selector="SL",
        Choices=[],
        Validation={"Settings": {"ForceResponse": "ON", "Type": "None"} | settings},
    )


def matrix(tag: str, **members: Any) -> dict[str, Any]:
    return multiple_choice(
        tag,
        "Tea",
        "Coffee",
        QuestionText="<p>How good is</p>",
        QuestionType="Matrix",
        Selector="Likert",
        SubSelector="SingleAnswer",
        Answers={"1": {"Display": "bad"}, "2": {"Display": "good"}},
        **members,
    )


def slider(tag: str, **configuration: Any) -> dict[str, Any]:
    return multiple_choice(
        tag, "Tea", QuestionType="Slider", Selector="HSLIDER", Configuration=configuration, required=True
    )


def one_of(*options: str) -> dict[str, Any]:
    return {"type": "one-of", "options": list(options)}


def number(minimum: str, maximum: str, step: str) -> dict[str, Any]:
    return {"type": "number", "minimum": Decimal(minimum), "maximum": Decimal(maximum), "step": Decimal(step)}


@pytest.mark.parametrize(
    ("question", "becomes"),
    [
        (multiple_choice("q", required=True), one_of("Tea", "Coffee")),
        (multiple_choice("q", "Yes", "No", required=True), {"type": "yes-no"}),
        (multiple_choice("q", Selector="DL"), one_of("Tea", "Coffee", NO_ANSWER) | {"skip": NO_ANSWER}),
        (multiple_choice("q", ChoiceOrder=[2, "1"], required=True), one_of("Coffee", "Tea")),
        (multiple_choice("q", Choices=[{"Display": "a"}, {"Display": "b"}], required=True), one_of("a", "b")),
        (multiple_choice("q", Selector="MAVR"), {"type": "any-of", "options": ["Tea", "Coffee"]}),
        (
            multiple_choice("q", Selector="MAVR", Validation={"Settings": {"Type": "MaxChoices", "MaxChoices": "1"}}),
            {"type": "any-of", "options": ["Tea", "Coffee"], "max_selected": 1},
        ),
        (text_entry("q"), {"type": "text"}),
        (text_entry("q", ForceResponse="OFF"), {"type": "text", "skip": "(no answer)"}),
        (
            text_entry("q", Type="ContentType", ContentType="ValidNumber", ValidNumber={"Min": "0", "Max": 9}),
            number("0", "9", "1"),
        ),
        (
            text_entry("q", Type="ContentType", ContentType="ValidNumber", Min="0.5", Max="2", NumDecimals="2"),
            number("0.5", "2", "0.01"),
        ),
    ],
)
def test_a_question_becomes_one_and_skipping_an_answer(question: dict[str, Any], becomes: dict[str, Any]) -> None:
    (found,) = asked(qsf(question))
    assert found == {"id": "q", "text": "Q?", "epsilon": Decimal("0.5"), **becomes}


def test_a_matrix_becomes_questions_with_the_same_options() -> None:
    content = qsf(matrix("drinks", required=True, ChoiceDataExportTags={"1": "tea"}))
    found = imported(content)
    assert [(q["id"], q["text"], q["options"]) for q in found.definition["questions"]] == [
        ("tea", "How good is: Tea", ["bad", "good"]),
        ("drinks_2", "How good is: Coffee", ["bad", "good"]),
    ]
    assert found.notes[-1] == (
        'the matrix "drinks" is 2 questions with the same options, epsilon 1 in total. To take less, keep fewer '
        "rows, or let each device answer some of them (draw; then give each more epsilon), or protect them "
        "as one answer ([[together]]). `sotto check` says what each way is worth"
    )
    any_of = asked(qsf(matrix("drinks") | {"SubSelector": "MultipleAnswer"}))
    assert [question["type"] for question in any_of] == ["any-of", "any-of"]
    (alone,) = asked(qsf(matrix("drinks"), multiple_choice("q")), leave_out=frozenset(["drinks"]))
    assert alone["id"] == "q"


def test_a_row_that_is_shown_to_some_is_no_row_of_everybody() -> None:
    rows = {"1": {"Display": "Tea"}, "2": {"Display": "Coffee", "DisplayLogic": LOGIC}}
    content = qsf(multiple_choice("z"), matrix("m", required=True) | {"Choices": rows})
    (problem,) = problems_of(content)
    assert problem.startswith('QID2 (Matrix "m"), "m_2": is asked only of some, depending on "z".')
    assert (
        'm_2: is asked only of some, by z; now of everybody: else "No answer"'
        in imported(content, ask_everybody=True).notes
    )


@pytest.mark.parametrize(
    ("configuration", "becomes"),
    [
        ({}, number("0", "100", "1")),
        ({"CSSliderMin": -5, "CSSliderMax": "5", "NumDecimals": "1"}, number("-5", "5", "0.1")),
    ],
)
def test_each_row_of_a_slider_is_a_number(configuration: dict[str, Any], becomes: dict[str, Any]) -> None:
    (found,) = asked(qsf(slider("s", **configuration)))
    assert found == {"id": "s_1", "text": "Q? Tea", "epsilon": Decimal("0.5"), **becomes}


@pytest.mark.parametrize(
    ("question", "why"),
    [
        (multiple_choice("q", QuestionType="RO", Selector="DND"), "has no mechanism (ask for the first choice"),
        (multiple_choice("q", QuestionType="SBS"), "has no mechanism (ask every column as a matrix of its own"),
        (multiple_choice("q", QuestionType="New"), "has no mechanism (it is no type that sottovoce knows"),
        (matrix("q", required=True) | {"Selector": "CS"}, "has no mechanism (ask every row as multiple choice"),
        (text_entry("q") | {"Selector": "PW"}, "has no mechanism (a password says who somebody is"),
        (text_entry("q", Type="ContentType", ContentType="ValidDate"), "has no mechanism (ask with choices of periods"),
        (
            text_entry("q", Type="ContentType", ContentType="ValidZip"),
            "has a validation (ValidZip), which a survey can",
        ),
        (text_entry("q", Type="CustomValidation"), "has a validation (of its own), which a survey cannot check"),
        (text_entry("q", Type="ContentType", ContentType="ValidNumber"), "must say from which number to which"),
        (
            multiple_choice("q", QuestionText="Why ${q://QID1/ChoiceGroup}?"),
            "has an answer or other data in its text (",
        ),
        (multiple_choice("q", "${e://Field/a}", "b"), "has an answer or other data in its text (${e://Field/a})"),
        (multiple_choice("q", DynamicChoices={"Locator": "q://QID1"}), "takes choices over from another question"),
        (multiple_choice("q", QuestionText=" "), "has no text that can be read."),
        (multiple_choice("q", DisplayLogic=LOGIC), 'is asked only of some, depending on "z".'),
        (multiple_choice("q", DisplayLogic=DEVICE), "is asked only of some, depending on what the device works out."),
        (multiple_choice("q", Choices=7), "has no choices: list them."),
        (multiple_choice("q", Choices={"1": {"Display": "Tea"}, "2": 5}), "has a choice without words"),
        (matrix("q") | {"Choices": {"1": {"Display": "Else", "TextEntry": "true"}}}, "has a label that respondents"),
    ],
)
def test_what_a_survey_has_no_place_for_is_refused_by_id_and_tag(question: dict[str, Any], why: str) -> None:
    (problem,) = problems_of(qsf(text_entry("z"), question))
    assert problem.startswith("QID2 (")
    assert f": {why}" in problem


def test_choices_and_rows_without_words_are_refused_or_left_out_and_a_lone_row_needs_none() -> None:
    images = multiple_choice("q", '<img src="tea.png">', '<img src="coffee.png">')
    empty = multiple_choice("r", Choices=[])
    content = qsf(images, empty, matrix("m") | {"Choices": {"1": {"Display": "Tea"}, "2": {"Display": " "}}})
    assert problems_of(content) == (
        'QID1 (MC "q"): has a choice without words, such as an image: write what it shows.',
        'QID2 (MC "r"): has no choices: list them.',
        'QID3 (Matrix "m"), "m_2": is a row without words: write what it asks, or leave it out.',
    )
    assert [question["id"] for question in asked(content, skip_unsupported=True)] == ["m_1"]
    (lone,) = asked(qsf(slider("s") | {"QuestionText": "How <b>warm</b>", "Choices": {"1": {"Display": ""}}}))
    assert (lone["id"], lone["text"]) == ("s_1", "How warm")


def test_text_beside_a_choice_is_left_out_and_the_choice_stays() -> None:
    question = multiple_choice("q", Choices={"1": {"Display": "Tea"}, "4": {"Display": "Else", "TextEntry": "true"}})
    (problem,) = problems_of(qsf(question))
    assert problem.startswith('QID1 (MC "q"), "q_4_TEXT": asks for text beside a choice: leave it out')
    found = imported(qsf(question), skip_unsupported=True)
    assert found.definition["questions"][0]["options"] == ["Tea", "Else", NO_ANSWER]
    assert found.notes == ('left out: QID1 (MC "q"), "q_4_TEXT"',)


@pytest.mark.parametrize(
    ("second", "flow", "elements", "by"),
    [
        ({"DisplayLogic": LOGIC}, None, None, "a"),
        ({"InPageDisplayLogic": DEVICE}, None, None, "what the device works out"),
        ({}, None, [{"QuestionID": "QID1", "SkipLogic": [SKIP | {"SkipToDestination": "ENDOFBLOCK"}]}], "a"),
        ({}, None, [{"QuestionID": "QID1", "SkipLogic": {"7": SKIP | {"SkipToDestination": "ENDOFSURVEY"}}}], "a"),
        ({}, [{"Type": "Branch", "BranchLogic": LOGIC, "Flow": [{"Type": "Standard", "ID": "BL_1"}]}], [], "a"),
        ({}, [{"Type": "Group", "Flow": [{"Type": "Branch", "Flow": [{"Type": "Block", "ID": "BL_1"}]}]}], [], "what"),
        (
            {},
            [
                {"Type": "Branch", "BranchLogic": LOGIC, "Flow": [{"Type": "EndSurvey"}]},
                {"Type": "Block", "ID": "BL_1"},
            ],
            [],
            "a",
        ),
        (
            {},
            [{"Type": "BlockRandomizer", "SubSet": 1, "Flow": [{"Type": "Block", "ID": "BL_1"}, {"Type": "Group"}]}],
            [],
            "what is no secret",
        ),
    ],
)
def test_what_is_asked_of_some_is_asked_of_everybody_on_request_and_named(
    second: dict[str, Any], flow: Any, elements: Any, by: str
) -> None:
    listed = [*(elements or [{"QuestionID": "QID1"}]), {"Type": "Page Break"}, {"QuestionID": "QID2"}]
    content = qsf(multiple_choice("a"), multiple_choice("b", required=True) | second, flow=flow, elements=listed)
    if by != "what is no secret":
        assert any("is asked only of some" in problem for problem in problems_of(content))
    found = imported(content, ask_everybody=True)
    assert any(note.startswith(f"b: is asked only of some, by {by}") for note in found.notes)
    assert found.definition["questions"][1]["skip"] == NO_ANSWER


def test_a_skip_ends_at_its_destination_and_a_loop_is_refused() -> None:
    listed = [{"QuestionID": "QID1", "SkipLogic": [SKIP | {"SkipToDestination": "QID3"}]}]
    listed += [{"QuestionID": "QID2"}, {"QuestionID": "QID3"}]
    content = qsf(*(multiple_choice(tag, required=True) for tag in "abc"), elements=listed)
    assert [problem[:14] for problem in problems_of(content)] == ['QID2 (MC "b"):']
    document = json.loads(qsf(multiple_choice("a")))
    document["SurveyElements"][0]["Payload"][0]["Options"] = {"Looping": "Static"}
    assert 'stands in the loop "Default": ask a fixed number' in problems_of(json.dumps(document).encode())[0]


def chance_in_block(*tags: str, **options: Any) -> tuple[dict[str, Any], tuple[str, ...]]:
    document = json.loads(qsf(*(multiple_choice(tag, required=True) for tag in tags)))
    document["SurveyElements"][0]["Payload"][0]["Options"] = options
    found = imported(json.dumps(document).encode())
    return {question["id"]: question for question in found.definition["questions"]}, found.notes


def test_questions_that_chance_draws_from_a_block_can_be_skipped_and_its_order_is_named() -> None:
    order = {"RandomizeQuestions": "RandomWithXPerPage", "Randomization": {"Advanced": {"QuestionsPerPage": "1"}}}
    questions, notes = chance_in_block("a", "b", **order)
    assert ["skip" in question for question in questions.values()] == [False, False]
    assert notes == ('random order becomes that of the file: "Default"',)
    drawn = {"RandomizeQuestions": "RandomWithOnlyX", "Randomization": {"Advanced": {"TotalRandSubset": "1"}}}
    questions, notes = chance_in_block("a", "b", **drawn)
    assert [question["skip"] for question in questions.values()] == [NO_ANSWER, NO_ANSWER]
    assert notes[0].startswith(
        'chance shows some blocks or questions (1 of 2 questions of "Default"), and the survey all of them'
    )
    some = {"RandomSubSet": ["QID1", "QID2"], "TotalRandSubset": 1, "Undisplayed": ["QID4"]}
    questions, notes = chance_in_block(*"abcd", RandomizeQuestions="Advanced", Randomization={"Advanced": some})
    assert {name: "skip" in question for name, question in questions.items()} == {"a": True, "b": True, "c": False}
    assert 'left out, for nobody is asked what is in the trash, in no block, or never displayed: "d"' in notes


def test_an_advanced_order_of_choices_is_kept_without_those_that_nobody_is_shown() -> None:
    order = {"FixedOrder": ["3", "{~Randomized~}", "{~Randomized~}"], "Undisplayed": ["4"]}
    question = multiple_choice("q", *"abcd", Randomization={"Type": "Advanced", "Advanced": order}, required=True)
    found = imported(qsf(question))
    assert found.definition["questions"][0]["options"] == ["c", "a", "b"]
    assert found.notes == (
        "stays in the form, is no part of the survey: q (random order, choices that nobody is shown)",
    )
    unclear = multiple_choice("q", *"abc", Randomization={"Type": "Advanced", "Advanced": {"FixedOrder": ["3"]}})
    assert asked(qsf(unclear))[0]["options"] == ["a", "b", "c", NO_ANSWER]


def test_labels_of_columns_and_logic_of_columns_are_named() -> None:
    ends = [{"Display": "never"}, {"Display": "always"}]
    scale = multiple_choice("q", "0", "1", Selector="NPS", ColumnLabels=ends)
    plain = multiple_choice("r", ColumnLabels=[{"Display": "", "IsLabelDefault": True}])
    logic = matrix("m") | {"Answers": {"1": {"Display": "bad"}, "2": {"Display": "good", "DisplayLogic": LOGIC}}}
    labels, *_, others, _ = notes_of(qsf(scale, plain, logic))
    assert (
        labels == 'q: the labels of its scale are dropped ("never", "always"): write into the text what its ends mean'
    )
    assert others == (
        "stays in the form, is no part of the survey: m_1 (logic that hides choices); m_2 (logic that hides choices)"
    )


def test_everything_that_is_no_question_is_named() -> None:
    content = qsf(
        multiple_choice("hi", QuestionType="DB", QuestionText="<b>Welcome</b>"),
        multiple_choice("clock", QuestionType="Timing"),
        multiple_choice(
            "q",
            QuestionJS="alert()",
            Randomization={"Type": "All"},
            RecodeValues={"1": "7"},
            Whatever=1,
            Choices={"1": {"Display": "Tea", "DisplayLogic": DEVICE}, "2": {"Display": "C", "ExclusiveAnswer": True}},
        ),
        multiple_choice("gone"),
        flow=[{"Type": "EmbeddedData"}, {"Type": "Block", "ID": "BL_1"}, {"Type": "Block", "ID": "BL_1"}],
        elements=[{"QuestionID": f"QID{number}"} for number in (1, 2, 3)],
    )
    found = imported(content)
    assert (found.definition["title"], found.definition["introduction"]) == ("Tea time", "Welcome")
    assert found.notes == (
        "stays in Qualtrics, is no part of the survey: EmbeddedData",
        'the blocks "Default" stand more than once in the flow, and their questions are asked once',
        'dropped; no such thing is ever collected: "clock"',
        'left out, for nobody is asked what is in the trash, in no block, or never displayed: "gone"',
        "stays in the form, is no part of the survey: q (JavaScript, random order, recode values, Whatever, logic that "
        "hides choices, choices that exclude others)",
    )


def test_languages_are_kept_that_have_every_text() -> None:
    german = {"QuestionText": "Was?", "Choices": {"1": {"Display": "Tee"}, "2": {"Display": "Kaffee"}}}
    base = {"EN": {"QuestionText": "ignored"}}
    content = qsf(multiple_choice("q", Language=base | {"DE": german, "ZH-S": {"QuestionText": "?"}}))
    found = imported(content)
    assert found.definition["questions"][0]["text"] == {"en": "Q?", "de": "Was?"}
    assert found.definition["questions"][0]["options"]["de"] == ["Tee", "Kaffee", "Keine Antwort"]
    assert found.notes[0].startswith("zh-Hans is left out, for not every text has it: option 1 of q")
    assert "the title is the same in all languages, for a QSF has but one: translate it" in found.notes


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b'{"SurveyEntry": {}}', "$.SurveyElements: has no question (SQ)"),
        (b'{"SurveyElements": 5}', "$.SurveyElements: has no question (SQ)"),
        (qsf(multiple_choice("q"), elements=[]), "has no question that can be asked."),
        (qsf(multiple_choice("q"), flow=[{"Type": "EndSurvey"}, {"Type": "Block", "ID": "BL_1"}]), "has no question"),
        (qsf(multiple_choice("q"), flow=[{"Type": "Block", "ID": "BL_1"}] * 5001), "has a flow of more than 5,000 ele"),
    ],
)
def test_what_has_nothing_to_ask_is_refused(content: bytes, why: str) -> None:
    assert why in problems_of(content)[0]
