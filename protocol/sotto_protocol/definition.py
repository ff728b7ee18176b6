"""What an author writes, in TOML or JSON, and how it becomes a survey. docs/survey-file.md is its reference."""

import tomllib
from typing import Any

from sotto_protocol.documents import Fields, load_json, parse_decimal
from sotto_protocol.errors import SurveyError
from sotto_protocol.members import MAX_TEXT, read_id, read_settings
from sotto_protocol.places import PLACES
from sotto_protocol.questions.definition import compile_question
from sotto_protocol.survey import MAX_SURVEY_BYTES, Survey


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
        return tomllib.loads(text, parse_float=parse_decimal)
    except (ValueError, RecursionError) as fault:
        raise SurveyError("$", f"must be TOML ({str(fault)[:120]}).") from None


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
    """Compile a definition that was parsed with exact decimals (`Decimal`, never float). Raises SurveyError."""
    fields = Fields(document, "$", SurveyError, PLACES)
    survey_id = read_id(fields)
    title = fields.text("title", MAX_TEXT)
    listed = fields.take("questions", "a list of questions", lambda v: isinstance(v, list))
    settings = read_settings(fields)
    fields.finish()
    of_survey = {name: settings[name] for name in ("waves", "min_reports") if name in settings}
    questions = tuple(
        compile_question(question, f"$.questions[{index}]", **of_survey) for index, question in enumerate(listed)
    )
    survey = Survey(survey_id, title, questions, **settings)
    _check_kept(survey)
    survey.check_size()
    if len(survey.canonical) > MAX_SURVEY_BYTES:  # nobody could read it back
        raise SurveyError("$", f"must have at most {MAX_SURVEY_BYTES} bytes in canonical form.")
    return survey


def _check_kept(survey: Survey) -> None:
    """Raise SurveyError where a question asks for what only kept reports can show."""
    for index, question in enumerate(survey.questions):
        if not survey.keeps_reports and question.mechanism.needs_records:
            where, why = (
                f"$.questions[{index}].unknown",
                "strings that nobody lists are found in the reports themselves",
            )
            raise SurveyError(where, f'does not go with keep = "{survey.keep}": {why}.')
