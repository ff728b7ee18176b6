"""What is wrong with a survey file is said with its line, and in the words of who wrote it."""

from decimal import Decimal
from typing import Any

import pytest

from sotto_protocol import SurveyError, compile_json, compile_survey, compile_toml, read_survey
from sotto_protocol.survey_source import MAX_FILE_BYTES, SurveySource
from sotto_protocol.synonyms import INSTEAD, OF_QUESTION, OF_SURVEY, TYPES

HEAD = 'id = "s"\ntitle = "T"\n'
QUESTION = '[[questions]]\nid = "q"\ntype = "yes-no"\ntext = "Well?"\nepsilon = 1\n'
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def faults_of(text: str | bytes, *, is_json: bool = False) -> list[str]:
    with pytest.raises(SurveyError) as caught:
        read_survey(text if isinstance(text, bytes) else text.encode(), is_json=is_json)
    assert str(caught.value) == "\n  ".join(map(str, caught.value.faults))
    return [str(fault) for fault in caught.value.faults]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            HEAD + QUESTION + QUESTION.replace('"q"', '"r"').replace("= 1", "= 99"),
            "line 12, $.questions[1].epsilon: must",
        ),
        (HEAD + "wavse = 2\n" + QUESTION, "line 3, $.wavse: is unknown; is it 'waves'?"),
        (HEAD + QUESTION + "epsilno = 1\n", "line 8, $.questions[0].epsilno: is unknown"),
        (HEAD + QUESTION.replace("epsilon = 1\n", ""), "line 3, $.questions[0]: must have epsilon or prob_truth."),
        (HEAD + QUESTION.replace('text = "Well?"\n', ""), "line 3, $.questions[0].text: is missing"),
        ("# a\n" + QUESTION, "$.id: is missing"),
        (HEAD + QUESTION.replace("text =", "text.en ="), ""),
        (
            HEAD + QUESTION.replace('text = "Well?"', 'text.en = "a"\ntext.fr = 7'),
            "line 7, $.questions[0].text.fr: must",
        ),
        ('id = "s"\n[title]\nen = "T"\nxx-yy-zz-1 = "T"\n' + QUESTION, "line 2, $.title: has 'xx-yy-zz-1'"),
    ],
)
def test_a_fault_of_a_toml_file_has_its_line(text: str, said: str) -> None:
    if said:
        assert any(fault.startswith(said) for fault in faults_of(text)), faults_of(text)
    else:
        assert read_survey(text.encode(), is_json=False)


def test_a_fault_of_a_json_file_has_its_line() -> None:
    text = '{"id": "s",\n "title": "T",\n "questions": [\n  {"id": "q",\n   "epsilon": 99}]}'
    faults = faults_of(text, is_json=True)
    assert [fault.split(":")[0] for fault in faults] == [
        "line 4, $.questions[0].text",
        "line 4, $.questions[0].type",
        "line 5, $.questions[0].epsilon",
    ]
    with pytest.raises(SurveyError, match="line 5, "):
        compile_json(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id = “s”", "line 1, $: must be TOML: “ is a typographic quotation mark. Put texts between straight ones"),
        ('id = "s"\ntitle = "T”\n', "line 2, $: must be TOML: ” is a typographic quotation mark"),
        ('x = ["a",\n«b»]', "line 2, $: must be TOML: « is a typographic quotation mark"),
        ("a = 1\nepsilon = 0,5 # half", "line 2, $: must be TOML: 0,5 has a comma; decimals have a point, as in 0.5"),
        ("epsilon = .5", "line 1, $: must be TOML: a number begins with a digit: 0.5"),
        (
            "closes = 2026-12-31 at noon",
            "line 1, $: must be TOML: 2026-12-31 is a day, and nothing may follow it in its line.",
        ),
        ("\ncloses = 2026-13-45", "line 2, $: must be TOML: 2026-13-45 is no day of the calendar"),
        (
            "closes = 31.12.2026",
            "line 1, $: must be TOML: 31.12.2026 is not the way to write a day; days are written like 20",
        ),
        ('id = "a"\ntitle = "T"\nid = "b"\n', "line 3, $.id: is given twice, first in line 1: take one away."),
        (HEAD + QUESTION + "epsilon = [\n2]", "line 8, $.questions[0].epsilon: is given twice, first in line 7"),
        ("a = {b = 1, b = 2}", "line 1, $.a.b: is given twice, first in the same line"),
        ("type = yes-no", 'line 1, $: must be TOML: texts stand between quotation marks: "yes-no".'),
        ("invited = True", "line 1, $: must be TOML: True is written true here"),
        ('id: "a"', 'line 1, $: must be TOML: put "=" between a name and its value, not ":": id = ..'),
        ("[questions]\na = 1\n[questions]", "line 3, $: must be TOML: write [[questions]], with two brackets"),
        ("id = " + "[" * 100_000, "$: must be TOML, not nested this deep: a survey has questions"),
        ("a = 1\nid = " + "1" * 5000, "line 2, $: must not have a number of 5,000 digits."),
        ("[[questions]", "line 1, $: must be TOML (Expected ']]' at the end"),
        (b'id = "a"\ntitle = "\xe9"', "$: must be TOML in UTF-8. Line 2 has the byte 0xE9"),
        ("id = 1".encode("utf-16"), "$: must be TOML in UTF-8. It is UTF-16: save it as UTF-8"),
    ],
)
def test_what_is_no_toml_is_said_in_plain_words(text: str | bytes, said: str) -> None:
    (fault,) = faults_of(text)
    assert fault.startswith(said)
    assert "set_int_max_str_digits" not in fault


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"id": “s”}', "line 1, $: must be JSON: “ is a typographic quotation mark"),
        ('{"id": "a",\n"id": "b"}', "line 2, $.id: is given twice, first in line 1: take one away."),
        ('{"id": ' + "1" * 5000 + "}", "line 1, $: must not have a number of 5,000 digits."),
        ("[" * 100_000, "$: must be JSON in UTF-8 (nested too deeply)."),
        (b'{"id":\n"\xe9"}', "$: must be JSON in UTF-8. Line 2 has the byte 0xE9"),
    ],
)
def test_what_is_no_json_is_said_in_plain_words(text: str | bytes, said: str) -> None:
    assert faults_of(text, is_json=True)[0].startswith(said)


def test_a_byte_order_mark_is_read_over() -> None:
    plain = compile_toml(HEAD + QUESTION)
    assert read_survey(BYTE_ORDER_MARK + (HEAD + QUESTION).encode(), is_json=False) == plain
    assert compile_toml("\ufeff" + HEAD + QUESTION) == plain
    assert read_survey(BYTE_ORDER_MARK + plain.canonical, is_json=True) == plain
    asked = b'{"id":"s","title":"T","questions":[{"id":"q","type":"yes-no","text":"Well?","epsilon":1}]}'
    assert compile_json(BYTE_ORDER_MARK + asked) == plain


def test_one_table_of_questions_is_said_to_take_two_brackets() -> None:
    (fault,) = faults_of(HEAD + QUESTION.replace("[[questions]]", "[questions]"))
    assert fault == (
        "line 3, $.questions: must be a list of questions. In TOML write [[questions]], with two brackets, above each "
        "of them."
    )


def test_too_many_questions_or_bytes_are_refused_before_any_is_looked_at() -> None:
    class Untouched(dict[str, Any]):
        def get(self, *_: Any) -> Any:
            raise AssertionError

    with pytest.raises(SurveyError, match=r"must be 1 to 200 questions, not 300,000\."):
        compile_survey({"id": "s", "title": "T", "questions": [Untouched()] * 300_000})
    (fault,) = faults_of(b"#" * (MAX_FILE_BYTES + 1))
    assert fault.startswith("$: must have at most 4,194,304 bytes")
    assert SurveySource.read(b"#" * MAX_FILE_BYTES, is_json=False).document == {}


def asking(**members: Any) -> dict[str, Any]:
    question = {"id": "q", "type": "yes-no", "text": "Well?", "epsilon": 1} | members
    given = {key: value for key, value in question.items() if value is not None}
    return {"id": "s", "title": "T", "questions": [given]}


def only_fault(document: dict[str, Any]) -> str:
    with pytest.raises(SurveyError) as caught:
        compile_survey(document)
    assert len(caught.value.faults) == 1
    return str(caught.value)


def test_words_that_people_were_seen_to_bring_are_among_those_that_are_known() -> None:
    assert {"choices": "options", "kind": "type", "name": "id"}.items() <= OF_QUESTION.items()
    assert {"name": "title", "intro": "introduction", "deadline": "closes"}.items() <= OF_SURVEY.items()
    assert {"required", "anonymous"} <= INSTEAD.keys()
    assert {"radio": "one-of", "checkbox": "any-of", "boolean": "yes-no", "integer": "number"}.items() <= TYPES.items()


@pytest.mark.parametrize(("theirs", "ours"), OF_QUESTION.items())
def test_a_word_for_a_member_of_a_question_is_told_ours(theirs: str, ours: str) -> None:
    ranged = {"type": "number", "minimum": 0, "maximum": 9} if ours in ("minimum", "maximum", "unit") else {}
    with pytest.raises(SurveyError) as caught:
        compile_survey(asking(**ranged | {ours: None, theirs: "?"}))
    said = [str(fault) for fault in caught.value.faults if fault.where == f"$.questions[0].{theirs}"]
    whose = "" if ours == "id" else " (question q)"
    assert said == [f"$.questions[0].{theirs}: `{theirs}` is called `{ours}` here.{whose}"]
    assert len(caught.value.faults) == 1 + (ours == "epsilon")


@pytest.mark.parametrize(("theirs", "ours"), OF_SURVEY.items())
def test_a_word_for_a_member_of_the_survey_is_told_ours(theirs: str, ours: str) -> None:
    document = {key: value for key, value in asking().items() if key != ours} | {theirs: "?"}
    assert only_fault(document) == f"$.{theirs}: `{theirs}` is called `{ours}` here."


@pytest.mark.parametrize("name", INSTEAD)
def test_a_word_for_what_no_member_is_says_what_to_do(name: str) -> None:
    assert f"{name}: is no member of a survey file: {INSTEAD[name]}." in only_fault(asking(**{name: True}))
    if name not in OF_SURVEY:
        assert f"$.{name}: is no member" in only_fault(asking() | {name: True})


@pytest.mark.parametrize(
    ("kind", "theirs", "said"),
    [
        ("any-of", "max", "max: `max` is called `max_selected` here."),
        ("any-of", "maximum", "maximum: `maximum` is called `max_selected` here."),
        ("any-of", "min", "min: belongs to questions for a number."),
        ("one-of", "max", "max: belongs to questions for a number."),
        ("yes-no", "units", "units: belongs to questions for a number."),
    ],
)
def test_a_word_is_told_ours_by_the_type_of_its_question(kind: str, theirs: str, said: str) -> None:
    options = {} if kind == "yes-no" else {"options": ["a", "b"]}
    assert only_fault(asking(type=kind, **options, **{theirs: 2})).startswith(f"$.questions[0].{said}")


@pytest.mark.parametrize(("theirs", "ours"), [("ID", "id"), ("Text", "text"), ("Epsilon", "epsilon")])
def test_a_member_in_capital_letters_is_told_its_own_name(theirs: str, ours: str) -> None:
    with pytest.raises(SurveyError) as caught:
        compile_survey(asking(**{ours: None, theirs: "a"}))
    assert f"$.questions[0].{theirs}: is unknown; is it {ours!r}?" in str(caught.value)
    document = asking() | {"ID": "s"}
    del document["id"]
    assert only_fault(document) == "$.ID: is unknown; is it 'id'?"


def test_a_word_beside_ours_is_too_much() -> None:
    asked = {"type": "one-of", "options": ["a", "b"], "choices": ["a"]}
    assert "is called `options` here, which is there already" in only_fault(asking(**asked))
    assert "belongs to the survey" in only_fault(asking(title="T")), "a title below the questions is the survey's"


@pytest.mark.parametrize(("theirs", "ours"), TYPES.items())
def test_a_word_for_a_type_is_told_ours(theirs: str, ours: str) -> None:
    assert f"`{theirs}` is called `{ours}` here." in only_fault(asking(type=theirs))


def test_two_coins_without_a_mechanism_are_told_its_name() -> None:
    half = Decimal("0.5")
    said = only_fault(asking(epsilon=None, prob_truth=half, prob_forced_yes=half))
    assert said.startswith('$.questions[0].prob_forced_yes: belongs to mechanism = "forced-response"')
    assert 'mechanism = "forced-response"' in only_fault(asking(epsilon=None, prob_truth=half))
    named = asking(epsilon=None, prob_truth=half, prob_forced_yes=half, mechanism="forced-response")
    assert compile_survey(named).questions[0].mechanism.name == "forced-response"
