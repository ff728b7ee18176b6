"""One question as an author writes it, and the mechanism that it becomes. docs/survey-file.md is its reference."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

from sotto_protocol.bounds import declare
from sotto_protocol.documents import MAX_DECIMALS, Fields, decimal_text, is_decimal
from sotto_protocol.errors import SurveyError
from sotto_protocol.mechanisms.asked import Asked, read_epsilon
from sotto_protocol.mechanisms.mechanism import Mechanism
from sotto_protocol.mechanisms.registry import best_of, default_name, entries_of, names_of
from sotto_protocol.members import MAX_TEXT, read_id
from sotto_protocol.places import PLACES
from sotto_protocol.questions.any_of import AnyOf
from sotto_protocol.questions.question import Question
from sotto_protocol.questions.types import TYPES


def compile_question(document: Any, where: str, *, waves: int = 1, min_reports: int = 1) -> Question:
    """Compile one question of an author's definition. Raises SurveyError at its place.

    `waves`, `min_reports`: the survey's, on which it depends what is taken where the author leaves the choice.
    """
    fields = Fields(document, where, SurveyError, PLACES)
    question_id, question_type = read_id(fields), fields.one_of("type", TYPES)
    text = fields.text("text", MAX_TEXT)
    fields.fill(TYPES[question_type].usual)
    kind = TYPES[question_type].read(fields)
    skip = kind.read_skip(fields) if fields.has("skip") else None
    want = _read_want(fields, kind.most_wanted)
    asked = Asked(fields, kind.n_options, read_epsilon(fields, "epsilon"), min_reports=min_reports)
    try:
        mechanism, asked = _compile_mechanism(asked, question_type, waves)
    except ValueError as fault:
        raise SurveyError(where, str(fault)) from None
    fields.finish()
    epsilon = asked.epsilon or declare(mechanism.epsilon)
    forever = epsilon
    if mechanism.has_two_stages:
        forever = asked.epsilon_forever or declare(mechanism.epsilon_forever)
    return Question(question_id, kind, text, mechanism, epsilon, forever, skip, want)


def _read_want(fields: Fields, most: Decimal) -> Decimal | None:
    """Return the half-width that a plan is to reach, above 0; None where it is left out."""
    if not fields.has("want"):
        return None
    expected = f"a number above 0, at most {decimal_text(most)}, of at most {MAX_DECIMALS} decimals"
    return Decimal(fields.take("want", expected, lambda v: is_decimal(v, Decimal(0), most) and v > 0))


def _compile_mechanism(asked: Asked, question_type: str, waves: int) -> tuple[Mechanism, Asked]:
    """Return the mechanism that an author asks for, and all that was asked."""
    if asked.has("mechanism"):
        name = asked.fields.one_of("mechanism", names_of(question_type))
    else:
        name = default_name(question_type, is_repeated=waves > 1 or asked.has("epsilon_forever"))
    entry = entries_of(question_type).get(name)
    if entry is not None and not entry.may_repeat and asked.has("epsilon_forever"):
        raise asked.fail("epsilon_forever", f"does not go with {name}: {entry.why_once}")
    asked = replace(asked, epsilon_forever=read_epsilon(asked.fields, "epsilon_forever"))
    if entry is None:
        most = [asked.most_selected()] if question_type == AnyOf.name else []
        best = best_of(question_type, asked.n_options, asked.require_epsilon(), asked.epsilon_forever, *most)
        return best, asked
    return entry.ask(asked), asked
