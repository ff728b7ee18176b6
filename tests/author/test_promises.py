"""A survey that promises more than it holds is warned of, in the languages of the pages."""

from datetime import date

import pytest

from sotto_author.promises import find_promises
from sotto_protocol import Survey, compile_toml

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


def survey_of(title: str, text: str, *, invited: bool = True, kind: str = "yes-no") -> Survey:
    head = f'id = "s"\ntitle = "{title}"\ninvited = {"true" if invited else "false"}\n'
    return compile_toml(f'{head}[[questions]]\nid = "q"\ntype = "{kind}"\ntext = "{text}"\nepsilon = 1\n')


@pytest.mark.parametrize("words", ANONYMOUS.values(), ids=ANONYMOUS)
def test_an_invited_survey_that_says_anonymous_is_warned_of(words: str) -> None:
    for place, survey in (("title", survey_of(words, "Paid?")), ("q", survey_of("Lunch", words))):
        (said,) = find_promises(survey, TODAY)
        assert said.startswith(f"{place} promises to be anonymous")
    assert find_promises(survey_of(words, "Paid?", invited=False), TODAY) == []


@pytest.mark.parametrize("words", ["How we work", "Wer zahlt?", "कौन?", "谁?", "من؟", "A unanimous vote"])
def test_other_words_are_none(words: str) -> None:
    assert find_promises(survey_of(words, words), TODAY) == []


def test_of_a_text_question_it_is_said_what_it_cannot_do() -> None:
    (said,) = find_promises(survey_of("Lunch", "Where?", kind="text"), TODAY)
    assert said.startswith("q: nobody will read what is written.")
