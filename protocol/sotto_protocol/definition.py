"""What an author writes, in TOML or JSON, and how it becomes a survey. docs/survey-file.md is its reference."""

import re
from collections import Counter
from collections.abc import Mapping
from functools import partial
from typing import Any

from sotto_protocol.documents import Fields
from sotto_protocol.errors import SurveyError, together
from sotto_protocol.language_tag import USUAL_TAG
from sotto_protocol.members import (
    CROWD,
    ID_PATTERN,
    LENGTHS,
    MAX_QUESTIONS,
    Settings,
    is_crowd,
    read_id,
    read_settings,
    right_settings,
)
from sotto_protocol.questions.author_fields import AuthorFields
from sotto_protocol.questions.definition import compile_fields, compile_item
from sotto_protocol.questions.item import Item
from sotto_protocol.questions.together import PAIRS, Groups, read_groups
from sotto_protocol.strata import tree_fault
from sotto_protocol.survey import MAX_SURVEY_BYTES, Survey
from sotto_protocol.survey_source import SurveySource
from sotto_protocol.synonyms import OF_SURVEY
from sotto_protocol.syntax_faults import WRITE_LESS

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
    return compile_source(SurveySource.of(text, is_json=False))


def compile_json(text: str | bytes) -> Survey:
    """Compile an author's JSON, which has the same members as the TOML. Raises SurveyError."""
    if isinstance(text, bytes):
        return compile_source(SurveySource.read(text, is_json=True))
    return compile_source(SurveySource.of(text, is_json=True))


def read_survey(content: bytes, *, is_json: bool) -> Survey:
    """Return the survey in a file's bytes: an author's TOML or JSON, or canonical JSON.

    White space may follow the canonical JSON, as an editor or a terminal leaves it.
    `is_json`: whether the file's name says JSON. Raises SurveyError, each fault with its line.
    """
    return compile_source(SurveySource.read(content, is_json=is_json))


def compile_source(source: SurveySource) -> Survey:
    """Return the survey in a file that was read. Raises as `read_survey`."""
    if source.is_json and is_published(source.document):
        return Survey.from_canonical(source.text.rstrip().encode("utf-8"))
    with source.located():
        return compile_survey(source.document)


def read_document(content: bytes, *, is_json: bool) -> Any:
    """Return what stands in a survey file, as it was written: for who changes it. Raises SurveyError."""
    return SurveySource.read(content, is_json=is_json).document


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
        first, *others = (_with_question(document, found.where, found.problem) for found in fault.faults)
        raise SurveyError(*first, *others) from None


def _compile_whole(document: Any) -> Survey:
    fields = AuthorFields(document, "$", right_settings(document).get("lang", USUAL_TAG), OF_SURVEY)
    survey: Survey = together(partial(_compile, fields, said_to_questions(document)), fields.finish_rest)[0]
    together(
        partial(_check_kept, survey), partial(_check_tree, survey), survey.check_size, partial(_check_bytes, survey)
    )
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
    n_waves, asked_in = right.get("waves", 1), right.get("asked_in", 0)
    if asked_in:  # each report has noise of its own, as in a survey of one wave
        of_survey.pop("waves", None)
    people, listed = document.get("people"), document.get("questions")
    if is_crowd(people) and isinstance(listed, list) and listed:
        n_units = max(1, len(listed) - _n_joined(document.get("together")))
        n_asked = people * min(right.get("draw", n_units), n_units) // n_units
        n_asked = n_asked * min(asked_in or n_waves, n_waves) // n_waves
        of_survey["people"] = n_asked // max(1, len(right.get("strata", ())))  # what is shown is shown of each stratum
    return of_survey


def _n_joined(groups: Any) -> int:
    """Return how many answers fewer there are where questions are asked together, as far as that can be read."""
    listed = groups if isinstance(groups, list) else []
    named = [one["questions"] for one in listed if isinstance(one, dict) and isinstance(one.get("questions"), list)]
    return sum(len(ids) - 1 for ids in named if ids)


def _compile(fields: AuthorFields, of_survey: Mapping[str, Any]) -> Survey:
    survey_id, title, settings, people, (asked, groups), *_ = together(
        partial(read_id, fields),
        partial(fields.text, "title", LENGTHS["title"]),
        partial(_read_settings, fields),
        partial(_read_people, fields),
        partial(_compile_asked, fields, of_survey),
        fields.check_languages,
        fields.finish,
    )
    if groups.draw:
        if settings["draw"]:
            raise SurveyError("$.draw", f'does not go with together = "{PAIRS}": every device draws one pair.')
        settings["draw"] = groups.draw
    questions = groups.joined(asked, **of_survey)
    translations = tuple(fields.words_in(tag, [item.id for item in asked]) for tag in sorted(fields.languages))
    return Survey(
        survey_id, title, questions, translations, people, **settings | {"draw": settings["draw"] or groups.draw}
    )


def _compile_asked(fields: AuthorFields, of_survey: Mapping[str, Any]) -> tuple[list[Item], Groups]:
    """Return what is asked, in the file's order: items of what is asked together, else questions; and the groups."""
    listed = fields.take("questions", "a list of questions", lambda v: isinstance(v, list), _say_brackets)
    if not 1 <= len(listed) <= MAX_QUESTIONS:  # before they are looked at: there may be hundreds of thousands
        raise SurveyError("$.questions", f"must be 1 to {MAX_QUESTIONS} questions, not {len(listed):,}.")
    groups = read_groups(fields, listed)
    steps = [
        partial(_compile_one, fields, question, f"$.questions[{index}]", groups, of_survey)
        for index, question in enumerate(listed)
    ]
    *asked, _ = together(*steps, partial(_check_ids, listed))
    return asked, groups


def _say_brackets(given: Any) -> str:
    return " In TOML write [[questions]], with two brackets, above each of them." if isinstance(given, dict) else ""


def _check_ids(listed: list[Any]) -> None:
    ids = [question["id"] for question in listed if isinstance(question, dict) and isinstance(question.get("id"), str)]
    twice = [given for given, n in Counter(ids).items() if n > 1 and ID_PATTERN.fullmatch(given)]
    if twice:
        raise SurveyError("$.questions", f"must not have two questions of the same id: {', '.join(twice)}.")


def _compile_one(survey: AuthorFields, document: Any, where: str, groups: Groups, of_survey: Mapping[str, Any]) -> Item:
    fields = survey.below(document, where)
    question_id = document.get("id") if isinstance(document, dict) else None
    if isinstance(question_id, str) and question_id in groups.question_ids:
        return compile_item(fields, is_paired=groups.are_pairs)
    return compile_fields(fields, **of_survey)


def _read_settings(fields: Fields) -> dict[str, Any]:
    return Settings(**read_settings(fields)).settings()


def _read_people(fields: Fields) -> int | None:
    return fields.take("people", CROWD, is_crowd) if fields.has("people") else None


def _check_bytes(survey: Survey) -> None:
    n_bytes = len(survey.canonical)
    if n_bytes > MAX_SURVEY_BYTES:  # nobody could read it back
        most = f"at most {MAX_SURVEY_BYTES} bytes in canonical form"
        raise SurveyError("$", f"must have {most}, not {n_bytes}: {WRITE_LESS}")


def _check_kept(survey: Survey) -> None:
    """Raise SurveyError where a question asks for what only kept reports can show."""
    for index, question in enumerate(survey.questions):
        if not survey.keeps_reports and question.mechanism.needs_records:
            where, why = (
                f"$.questions[{index}].unknown",
                "strings that nobody lists are found in the reports themselves",
            )
            raise SurveyError(where, f'does not go with keep = "{survey.keep}": {why}.')


def _check_tree(survey: Survey) -> None:
    """Raise SurveyError where names of strata with a / are no tree. A published survey stays valid, without parents."""
    if fault := tree_fault(survey.strata):
        raise SurveyError("$.strata", fault)
