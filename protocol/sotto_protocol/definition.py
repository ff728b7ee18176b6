"""What an author writes, in TOML or JSON, and how it becomes a survey. docs/survey-file.md is its reference."""

import re
import tomllib
from collections.abc import Mapping
from functools import partial
from typing import Any

from sotto_protocol.author_fields import AuthorFields
from sotto_protocol.documents import Fields, load_json, parse_decimal
from sotto_protocol.errors import SurveyError, together
from sotto_protocol.language_tag import USUAL_TAG
from sotto_protocol.members import (
    CROWD,
    ID_PATTERN,
    LENGTHS,
    Settings,
    is_crowd,
    read_id,
    read_settings,
    right_settings,
)
from sotto_protocol.questions.definition import compile_fields
from sotto_protocol.questions.question import Question
from sotto_protocol.survey import MAX_SURVEY_BYTES, Survey

_QUESTION = re.compile(r"\$\.questions\[([0-9]+)\]")


def compile_toml(text: str) -> Survey:
    """Compile an author's TOML. Raises SurveyError with the place and what was expected.

    >>> survey = compile_toml('''
    ... id = "lunch"
    ... title = "Lunch"
    ... [[questions]]
    ... id = "paid"
    ... type = "yes-no"
    ... text = "Did you pay?"
    ... prob_truth = "3/4"
    ... ''')
    >>> survey.questions[0].epsilon
    Decimal('1.098612288669')
    """
    return compile_survey(load_toml(text))


def load_toml(text: str) -> dict[str, Any]:
    """Parse TOML, decimals kept exact. Raises SurveyError."""
    try:
        document = tomllib.loads(text, parse_float=parse_decimal)
    except (ValueError, RecursionError) as fault:
        raise SurveyError("$", f"must be TOML ({str(fault)[:120]}).") from None
    closes: Any = document.get("closes")
    return document | ({"closes": closes.isoformat()} if hasattr(closes, "isoformat") else {})  # TOML has days


def compile_json(text: str | bytes) -> Survey:
    """Compile an author's JSON, which has the same members as the TOML. Raises SurveyError."""
    return compile_survey(load_json(text, SurveyError))


def read_survey(content: bytes, *, is_json: bool) -> Survey:
    """Return the survey in a file's bytes: an author's TOML or JSON, or canonical JSON.

    White space may follow the canonical JSON, as an editor or a terminal leaves it.
    `is_json`: whether the file's name says JSON. Raises SurveyError.
    """
    document = read_document(content, is_json=is_json)
    if is_json and is_published(document):
        return Survey.from_canonical(content.rstrip())
    return compile_survey(document)


def read_document(content: bytes, *, is_json: bool) -> Any:
    """Return what stands in a survey file, as it was written: for who changes it. Raises SurveyError."""
    if is_json:
        return load_json(content, SurveyError)
    try:
        return load_toml(content.decode("utf-8"))
    except UnicodeDecodeError:
        raise SurveyError("$", "must be TOML in UTF-8.") from None


def is_published(document: Any) -> bool:
    """Whether a JSON document is a survey as it is published, not as its author wrote it."""
    return isinstance(document, dict) and "format" in document


def compile_survey(document: Any) -> Survey:
    """Compile a definition that was parsed with exact decimals (`Decimal`, never float).

    Raises SurveyError of all that is wrong, each at its place.
    """
    try:
        return _compile_whole(document)
    except SurveyError as fault:
        first, *others = (_with_question(document, *found) for found in fault.faults)
        raise SurveyError(*first, *others) from None


def _compile_whole(document: Any) -> Survey:
    fields = AuthorFields(document, "$", right_settings(document).get("lang", USUAL_TAG))
    survey: Survey = together(partial(_compile, fields, said_to_questions(document)), fields.finish_rest)[0]
    together(partial(_check_kept, survey), survey.check_size, partial(_check_bytes, survey))
    return survey


def _with_question(document: Any, where: str, problem: str) -> tuple[str, str]:
    """Return a fault that says last whose it is: an author knows the question's id, not its place from 0."""
    found = _QUESTION.match(where)
    given = document["questions"][int(found[1])] if found else None
    question_id = given.get("id") if isinstance(given, dict) else None
    is_known = isinstance(question_id, str) and ID_PATTERN.fullmatch(question_id)
    return where, f"{problem} (question {question_id})" if is_known else problem


def said_to_questions(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return what questions depend on of the whole survey, for `compile_question`; what is wrong there is left out."""
    right = right_settings(document)
    of_survey: dict[str, Any] = {name: right[name] for name in ("waves", "min_reports") if name in right}
    people, listed = document.get("people"), document.get("questions")
    if is_crowd(people) and isinstance(listed, list) and listed:
        n_asked = people * right.get("draw", len(listed)) // len(listed)
        of_survey["people"] = n_asked // max(1, len(right.get("strata", ())))  # what is shown is shown of each stratum
    return of_survey


def _compile(fields: AuthorFields, of_survey: Mapping[str, Any]) -> Survey:
    survey_id, title, settings, people, questions, *_ = together(
        partial(read_id, fields),
        partial(fields.text, "title", LENGTHS["title"]),
        partial(_read_settings, fields),
        partial(_read_people, fields),
        partial(_compile_questions, fields, of_survey),
        fields.check_languages,
        fields.finish,
    )
    translations = tuple(
        fields.words_in(tag, [question.id for question in questions]) for tag in sorted(fields.languages)
    )
    return Survey(survey_id, title, questions, translations, people, **settings)


def _compile_questions(fields: AuthorFields, of_survey: Mapping[str, Any]) -> tuple[Question, ...]:
    listed = fields.take("questions", "a list of questions", lambda v: isinstance(v, list))
    steps = [
        partial(_compile_question, fields, question, f"$.questions[{index}]", of_survey)
        for index, question in enumerate(listed)
    ]
    *questions, _ = together(*steps, partial(_check_ids, listed))
    return tuple(questions)


def _check_ids(listed: list[Any]) -> None:
    ids = [question["id"] for question in listed if isinstance(question, dict) and isinstance(question.get("id"), str)]
    twice = [given for given in dict.fromkeys(ids) if ids.count(given) > 1 and ID_PATTERN.fullmatch(given)]
    if twice:
        raise SurveyError("$.questions", f"must not have two questions of the same id: {', '.join(twice)}.")


def _compile_question(survey: AuthorFields, document: Any, where: str, of_survey: Mapping[str, Any]) -> Question:
    return compile_fields(survey.below(document, where), **of_survey)


def _read_settings(fields: Fields) -> dict[str, Any]:
    return Settings(**read_settings(fields)).settings()


def _read_people(fields: Fields) -> int | None:
    return fields.take("people", CROWD, is_crowd) if fields.has("people") else None


def _check_bytes(survey: Survey) -> None:
    n_bytes = len(survey.canonical)
    if n_bytes > MAX_SURVEY_BYTES:  # nobody could read it back
        most = f"at most {MAX_SURVEY_BYTES} bytes in canonical form"
        raise SurveyError("$", f"must have {most}, not {n_bytes}: ask fewer questions, or in fewer words or languages.")


def _check_kept(survey: Survey) -> None:
    """Raise SurveyError where a question asks for what only kept reports can show."""
    for index, question in enumerate(survey.questions):
        if not survey.keeps_reports and question.mechanism.needs_records:
            where, why = (
                f"$.questions[{index}].unknown",
                "strings that nobody lists are found in the reports themselves",
            )
            raise SurveyError(where, f'does not go with keep = "{survey.keep}": {why}.')
