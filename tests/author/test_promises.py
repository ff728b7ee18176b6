"""A survey that promises more than it holds is warned of, in the languages of the pages."""

from dataclasses import replace
from datetime import date

import pytest

from sotto_author.promises import find_promises, say_past
from sotto_protocol import Survey, compile_survey, compile_toml

TODAY = date(2026, 11, 22)
ANONYMOUS = {
    "en": "This survey is Anonymous.",
    "de": "Die Umfrage ist anonym.",
    "fr": "Cette enquête est anonyme.",
    "es": "La encuesta es ANÓNIMA.",
    "pt": "O inquérito é anônimo.",
    "ar": "هذا الاستطلاع مَجهول الهوية.",
    "hi": "यह सर्वेक्षण गुमनाम है।",
    "zh": "本调查是匿名的。",
}


WHO = 'controller = "The works council"\ncontact = "council@example.org"\n'


def survey_of(title: str, text: str, head: str = "invited = true\n", kind: str = "yes-no") -> Survey:
    question = f'[[questions]]\nid = "q"\ntype = "{kind}"\ntext = "{text}"\nepsilon = 1\n'
    return compile_toml(f'id = "s"\ntitle = "{title}"\n{WHO}{head}{question}')


@pytest.mark.parametrize("words", ANONYMOUS.values(), ids=ANONYMOUS)
def test_an_invited_survey_that_says_anonymous_is_warned_of(words: str) -> None:
    for place, survey in (("title", survey_of(words, "Paid?")), ("q", survey_of("Lunch", words))):
        (said,) = find_promises(survey)
        assert said.startswith(f"{place} promises anonymity")
    assert find_promises(survey_of(words, "Paid?", "")) == []


@pytest.mark.parametrize("words", ["How we work", "Wer zahlt?", "कौन?", "谁?", "من؟", "A unanimous vote"])
def test_other_words_are_none(words: str) -> None:
    assert find_promises(survey_of(words, words)) == []


def test_of_a_text_question_it_is_said_what_it_cannot_do() -> None:
    (said,) = find_promises(survey_of("Lunch", "Where?", kind="text"))
    assert said.startswith("q: nobody will read what is written.")


def test_every_language_of_a_survey_is_looked_at() -> None:
    survey = compile_toml(
        f'id = "s"\nlang = "en"\ntitle.en = "Lunch"\ntitle.de = "Essen"\n{WHO}invited = true\n'
        'introduction.en = "Two questions."\nintroduction.de = "Zwei Fragen, ganz anonym."\n'
        '[[questions]]\nid = "q"\ntype = "yes-no"\ntext.en = "Paid?"\ntext.de = "Bezahlt?"\nepsilon = 1\n'
    )
    (said,) = find_promises(survey)
    assert said.startswith("introduction.de promises anonymity")


@pytest.mark.parametrize(
    ("kept", "said"),
    [
        ("controller", "nothing says whom respondents can ask: give contact in the file."),
        ("contact", "nothing says who asks: give controller in the file."),
        ("none", "nothing says who asks and whom respondents can ask: give controller and contact in the file."),
    ],
)
def test_who_asks_and_whom_to_ask_is_missed(kept: str, said: str) -> None:
    whole = survey_of("Lunch", "Paid?")
    left = {name: "" for name in ("controller", "contact") if name != kept}
    assert find_promises(replace(whole, **left)) == [said]


@pytest.mark.parametrize(("closes", "is_past"), [("2026-11-21", True), ("2026-11-22", False), ("2027-01-01", False)])
def test_a_last_day_that_is_past_is_said(closes: str, is_past: bool) -> None:
    said = say_past(survey_of("Lunch", "Paid?", f"closes = {closes}\n"), TODAY)
    assert said == (f"closes ({closes}) is past: the survey would accept no reports." if is_past else "")


@pytest.mark.parametrize(("options", "is_swapped"), [('["No", "Yes"]', True), ('["Yes", "Nein"]', False)])
def test_options_in_another_order_in_another_language_are_warned_of(options: str, is_swapped: bool) -> None:
    survey = compile_toml(
        f'id = "s"\nlang = "en"\ntitle.en = "Lunch"\ntitle.de = "Essen"\n{WHO}'
        '[[questions]]\nid = "q"\ntype = "one-of"\ntext.en = "Paid?"\ntext.de = "Bezahlt?"\nepsilon = 1\n'
        f'options.en = ["Yes", "No"]\noptions.de = {options}\n'
    )
    swapped = "Give options in the same order in all languages."
    assert find_promises(survey) == [
        f"q.de: {said} translates {option}. {swapped}"
        for said, option in ([("'No'", "'Yes'"), ("'Yes'", "'No'")] if is_swapped else [])
    ]


def choosing(*options: str) -> Survey:
    return compile_survey(
        {
            "id": "s",
            "title": "T",
            "controller": "The works council",
            "contact": "council@example.org",
            "questions": [{"id": "q", "type": "one-of", "text": "?", "options": [*options], "epsilon": 1}],
        }
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["a", "\u0430"], 'q: the options "a" and "\u0430" look alike but differ (U+0061 is not U+0430).'),
        (["No", "N\u043e"], 'q: the options "No" and "N\u043e" look alike but differ (U+006F is not U+043E).'),
        (["TAXI", "\u03a4\u0391\u03a7\u0399"], "look alike but differ (U+0054 is not U+03A4)."),
        (["l0", "IO"], "look alike but differ (U+006C is not U+0049)."),
        (
            ["Yes", "N\u043e"],
            'q: in "N\u043e" the letter \u043e is U+043E, of another script, and looks like the Latin o.',
        ),
        (["a ", "b"], 'q: the option "a<U+0020>" has blanks around it'),
        (["\ufeff a", "b"], 'q: the option "<U+FEFF> a" has blanks around it'),
        (["1\u20132", "1-2"], 'q: the options "1\u20132" and "1-2" look alike but differ (U+2013 is not U+002D).'),
        (["s\u0131k", "sik"], 'q: the options "s\u0131k" and "sik" look alike but differ (U+0131 is not U+0069).'),
    ],
)
def test_options_that_look_alike_in_two_scripts_are_warned_of(options: list[str], said: str) -> None:
    assert any(said in warning for warning in find_promises(choosing(*options)))


@pytest.mark.parametrize(("section", "is_told"), [("", True), ("Tea", True), ("Coffee", False)])
def test_two_questions_of_one_text_are_warned_of_unless_each_has_a_section(section: str, is_told: bool) -> None:
    asked = {"type": "yes-no", "text": "How often?", "epsilon": 1}
    begins = {"section": section} if section else {}
    first = asked | {"id": "q", "section": "Tea"}
    survey = compile_survey(
        {"id": "s", "title": "T", "questions": [first, asked | begins | {"id": "r", "text": "How  often?"}]}
    )
    said = 'r: its text is that of q, "How  often?". People cannot tell which of the two they answer'
    assert any(said in warning for warning in find_promises(survey)) is is_told


def test_options_that_look_alike_in_another_language_are_warned_of() -> None:
    texts = {"title": {"en": "T", "ru": "T"}, "text": {"en": "?", "ru": "?"}}
    options = {"en": ["a", "b"], "ru": ["a", "\u0430"]}
    question = {"id": "q", "type": "one-of", "text": texts["text"], "options": options, "epsilon": 1}
    survey = compile_survey({"id": "s", "title": texts["title"], "questions": [question]})
    assert any('q.ru: the options "a" and "\u0430" look alike' in warning for warning in find_promises(survey))


@pytest.mark.parametrize(
    "options", [["Да", "Нет"], ["Ναι", "Όχι"], ["a", "A"], ["5 μm", "9 μm"], ["是", "否"], ["1", "2"]]
)
def test_options_of_any_one_script_are_fine(options: list[str]) -> None:
    assert find_promises(choosing(*options)) == []
