"""What a survey gives away is told in the reader's language: whole sentences, its numbers, the survey's own words."""

from dataclasses import replace
from decimal import Decimal

import pytest

from contract import cases
from devices import INVITED_PULSE, LUNCH, MONTHLY, PULSE
from sotto_protocol import Question, Survey, compile_toml
from sotto_protocol.explain import explain
from sotto_protocol.language import LANGUAGES, Language, language
from sotto_protocol.promises import say_changes, say_drawing, say_moves, say_promises, say_waves
from sotto_protocol.words import (
    epsilon_above,
    people_above,
    percent_above,
    percent_below,
    times_above,
    times_below,
    whole_percent_above,
)

TOML = """
id = "lunch"
title.en = "Lunch"
title.ar = "الغداء"
title.sw = "Chakula"
[[questions]]
id = "paid"
type = "one-of"
text.en = "Did you pay?"
text.ar = "هل دفعت؟"
text.sw = "Ulilipa?"
options.en = ["yes", "no", "no answer"]
options.ar = ["نعم", "لا", "بلا جواب"]
options.sw = ["ndiyo", "hapana", "sina jibu"]
skip = "no answer"
epsilon = 1
"""


class Marked(Language):
    """English, each sentence of which stands in brackets: what stands outside was not translated."""

    def translation(self, message: str) -> str:
        return f"[{message}]"

    def plural_translation(self, one: str, many: str, n: int) -> str:
        return f"[{one if n == 1 else many}]"


MARKED = Marked("en", "Marked")


def outside(text: str) -> str:
    """Return what stands outside of all brackets."""
    depth, found = 0, ""
    for character in text:
        depth += {"[": 1, "]": -1}.get(character, 0)
        found += character if depth == 0 and character != "]" else ""
    assert depth == 0
    return found.strip()


@pytest.mark.parametrize("question", [*cases()])
def test_no_word_on_a_mechanism_is_left_untranslated(question: Question) -> None:
    mechanism = question.mechanism
    said = [mechanism.what_happens(MARKED), mechanism.in_short(MARKED), question.kind.say_others(26, 100, MARKED)]
    said += filter(None, [say_moves(question, "So?", MARKED)])
    for text in said:
        assert text.startswith("[")
        assert outside(text) == ""


@pytest.mark.parametrize("survey", [LUNCH, PULSE, INVITED_PULSE, MONTHLY])
def test_no_word_on_a_survey_is_left_untranslated(survey: Survey) -> None:
    promised = [text for is_little in (False, True) for text in say_promises(survey, MARKED, is_little=is_little)]
    said = [
        *promised,
        say_changes(survey, MARKED, []),
        say_drawing(survey.draw, 3, MARKED),
        say_waves(survey, MARKED),
    ]
    assert [outside(text) for text in said] == [""] * len(said)


def test_texts_are_those_of_the_language_that_is_asked_for() -> None:
    survey = compile_toml(TOML)
    arabic = explain(survey, LANGUAGES["ar"], "ar")
    assert (arabic.title, arabic.questions[0].text, arabic.spoken) == ("الغداء", "هل دفعت؟", "ar")
    assert "بلا جواب" in arabic.questions[0].what_happens
    assert (arabic.epsilon, arabic.fingerprint) == (survey.epsilon, survey.fingerprint)
    swahili = explain(survey, LANGUAGES["en"], "sw")
    assert (swahili.title, swahili.questions[0].in_short) == ("Chakula", explain(survey).questions[0].in_short)
    assert "If you skip it, that counts as “sina jibu”." in swahili.questions[0].what_happens
    with pytest.raises(ValueError, match="lang"):
        explain(survey, LANGUAGES["fr"], "fr")


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ("en", ["26.9 %", "26.8 %", "1.0987"]),
        ("de", ["26,9\u00a0%", "26,8\u00a0%", "1,0987"]),
        ("fr", ["26,9\u00a0%", "26,8\u00a0%", "1,0987"]),
        ("pt", ["26,9%", "26,8%", "1,0987"]),
        ("ar", ["26.9\u200e%\u200e", "26.8\u200e%\u200e", "1.0987"]),
        ("zh", ["26.9%", "26.8%", "1.0987"]),
    ],
)
def test_numbers_are_rounded_to_their_side_in_every_language(tag: str, expected: list[str]) -> None:
    spoken, epsilon = LANGUAGES[tag], Decimal("1.098612288669")
    said = [percent_above(0.26894, spoken), percent_below(0.26894, spoken), epsilon_above(epsilon, spoken)]
    assert said == expected


@pytest.mark.parametrize("spoken", LANGUAGES.values(), ids=LANGUAGES)
def test_a_reading_is_a_sentence_without_an_epsilon(spoken: Language) -> None:
    for survey in (LUNCH, PULSE):
        for question in explain(survey, spoken).questions:
            suspicion, crowd, accusation = question.readings()
            assert "psilon" not in f"{suspicion}{crowd}{accusation}{question.in_short}"
            assert whole_percent_above(question.suspicions[-1].highest, spoken) in suspicion
            assert spoken.number(people_above(question.accusations[1].power)[0]) in accusation
            assert crowd == question.crowd.said
            assert all(sentence[-1] in ".।。" for sentence in (suspicion, crowd, accusation))


def test_one_figure_stands_for_one_chance_in_all_that_is_said_of_it() -> None:
    """At epsilon 1 a no is sent as a yes with 0.26894: 26 in 100 wherever it is said, and a truth is the other 74."""
    yes_no = TOML.replace("one-of", "yes-no").partition("options.en")[0]
    [question] = explain(compile_toml(f"{yes_no}epsilon = 1")).questions
    assert "at least 26 times in 100" in question.in_short
    assert "at most 74 times in 100" in question.what_happens
    assert "at least 26 times in 100" in question.what_happens
    assert question.crowd.said == "By chance, 26 of every 100 people who say no also send yes."


def test_a_frequency_has_its_plural_form() -> None:
    assert (times_below(0.05), times_below(0.1)) == ("1 time in 20", "1 time in 10")
    assert (times_above(0.95), times_below(0.3)) == ("19 times in 20", "3 times in 10")


@pytest.mark.parametrize("tag", LANGUAGES)
def test_the_day_on_which_reports_go_is_said_in_every_language_where_there_is_one(tag: str) -> None:
    ends = replace(LUNCH, closes="2026-12-31")
    spoken = language(tag)
    said = explain(replace(ends, erase_after=30), spoken).promises()
    assert explain(ends, spoken).promises() == []
    assert len(said) == 1
    assert "2027-01-30" in said[0]
    assert ("no report is kept" in said[0]) is (tag == "en")
