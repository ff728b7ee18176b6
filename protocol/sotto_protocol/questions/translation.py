"""What respondents read of a survey, in each of its languages. Answers are the default language's, whatever is read."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from sotto_protocol.documents import Fields
from sotto_protocol.errors import SurveyError
from sotto_protocol.language_tag import is_tag
from sotto_protocol.members import LENGTHS
from sotto_protocol.questions.question_type import take_options


@dataclass(frozen=True, slots=True)
class QuestionWords:
    """What is read of a question, "" or () where there is none.

    `options` stand in the order of the question's. `section`: the title of the section that begins with the question.
    `unit`: in what a number is counted.
    """

    text: str
    options: tuple[str, ...] = ()
    section: str = ""
    unit: str = ""


@dataclass(frozen=True, slots=True)
class SurveyWords:
    """What is read of a survey in one language, "" where there is none; `questions` by id, in the survey's order."""

    lang: str
    title: str
    introduction: str
    controller: str
    contact: str
    questions: Mapping[str, QuestionWords] = field(hash=False)


SURVEY_TEXTS = ("title", "introduction", "controller", "contact")
QUESTION_TEXTS = tuple(row.name for row in fields(QuestionWords))


def translation_document(words: SurveyWords) -> dict[str, Any]:
    """Return what is published of a survey in another language than its own, for `canonical_json`."""
    questions = {question_id: _given(of, QUESTION_TEXTS) for question_id, of in words.questions.items()}
    return _given(words, SURVEY_TEXTS) | {"questions": questions}


def read_translations(document: Fields, default: SurveyWords) -> tuple[SurveyWords, ...]:
    """Take the published member `translations`, where it is there: each complete, by `default`. Raises SurveyError."""
    if not document.has("translations"):
        return ()
    listed = document.take(
        "translations",
        f"an object, by language tags (BCP 47), {default.lang} not among them",
        lambda v: isinstance(v, dict) and v != {} and default.lang not in v and all(map(is_tag, v)),
    )
    return tuple(
        _read_words(listed[tag], f"{document.at('translations')}.{tag}", tag, default) for tag in sorted(listed)
    )


def _given(words: SurveyWords | QuestionWords, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: given for name in names if (given := getattr(words, name))}


def _read_words(document: Any, where: str, tag: str, default: SurveyWords) -> SurveyWords:
    words = Fields(document, where, SurveyError)
    texts = _take_texts(words, default, SURVEY_TEXTS)
    by_id = Fields(_take_object(words, "questions"), words.at("questions"), SurveyError)
    words.finish()
    questions = {}
    for question_id, of in default.questions.items():
        stated = Fields(_take_object(by_id, question_id), by_id.at(question_id), SurveyError)
        options = take_options(stated, len(of.options), len(of.options)) if of.options else ()
        rest = _take_texts(stated, of, ("text", "section", "unit"))
        stated.finish()
        questions[question_id] = QuestionWords(options=options, **rest)
    by_id.finish()
    return SurveyWords(tag, **texts, questions=questions)


def _take_object(document: Fields, key: str) -> Any:
    return document.take(key, "an object", lambda v: isinstance(v, dict))


def _take_texts(document: Fields, default: SurveyWords | QuestionWords, names: tuple[str, ...]) -> dict[str, str]:
    """Take the texts that the default language has."""
    return {name: document.text(name, LENGTHS[name]) if getattr(default, name) else "" for name in names}
