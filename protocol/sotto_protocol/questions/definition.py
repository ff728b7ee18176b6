"""One question as an author writes it, and the mechanism that it becomes. docs/survey-file.md is its reference."""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any

from sotto_protocol.bounds import declare
from sotto_protocol.errors import SurveyError, together
from sotto_protocol.language_tag import USUAL_TAG
from sotto_protocol.mechanisms.asked import Asked, read_epsilon
from sotto_protocol.mechanisms.mechanism import Mechanism
from sotto_protocol.mechanisms.registry import CHOSEN, best_of, default_name, entries_of, names_of
from sotto_protocol.members import LENGTHS, read_id
from sotto_protocol.questions.any_of import AnyOf
from sotto_protocol.questions.author_fields import AuthorFields
from sotto_protocol.questions.beside import read_section, read_skip, read_want
from sotto_protocol.questions.item import Item
from sotto_protocol.questions.joint import CLOSED, Joint
from sotto_protocol.questions.question import Question
from sotto_protocol.questions.question_type import QuestionType
from sotto_protocol.questions.scales import SCALES, read_scale
from sotto_protocol.questions.types import TYPES
from sotto_protocol.synonyms import say_type
from sotto_protocol.words import epsilon_above

OF_GROUP = ("epsilon", "epsilon_forever", "mechanism", "weight")
"""What is said once of all questions that are asked together."""


def compile_question(document: Any, where: str, lang: str = USUAL_TAG, **of_survey: Any) -> Question:
    """Compile one question of an author's definition. Raises SurveyError of all that is wrong, each at its place.

    `lang`: the survey's own language. `of_survey`: its `waves`, `min_reports` and `people`, where they are not usual:
    on them it depends what is taken where the author leaves the choice.
    """
    return compile_fields(AuthorFields(document, where, lang), **of_survey)


def compile_fields(fields: AuthorFields, **of_survey: Any) -> Question:
    """Compile the question whose members these are. The rest as `compile_question`."""
    return Question(**together(partial(_take_members, fields, of_survey), fields.finish_rest)[0])


def _take_members(fields: AuthorFields, of_survey: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members of the Question."""
    question_id, text, section, answered = together(
        partial(read_id, fields),
        partial(fields.text, "text", LENGTHS["text"]),
        partial(read_section, fields),
        partial(_take_answered, fields, of_survey),
    )
    fields.finish()
    return {"id": question_id, "text": text, "section": section, **answered}


def _take_answered(fields: AuthorFields, of_survey: Mapping[str, Any]) -> dict[str, Any]:
    """Return what may be answered, and what becomes of it, as members of the Question."""
    kind, epsilon = together(partial(_read_kind, fields), partial(read_epsilon, fields, "epsilon"))
    skip, want, design = together(
        partial(read_skip, fields, kind),
        partial(read_want, fields, kind),
        partial(_design, fields, kind, epsilon, of_survey),
    )
    return {"kind": kind, "skip": skip, "want": want, **design}


def compile_item(fields: AuthorFields, *, is_paired: bool = False) -> Item:
    """Compile a question that is asked together with others, as `compile_fields`.

    `is_paired`: it says itself what becomes of its answers, as all others do. Else its group says it.
    """
    return Item(**together(partial(_take_item, fields, is_paired=is_paired), fields.finish_rest)[0])


def compile_joint(fields: AuthorFields, kind: Joint, joint_id: str, **of_survey: Any) -> Question:
    """Compile what becomes of the answers to a joint question: `fields` may have members of a one-of's mechanism.

    The rest as `compile_question`.
    """
    design, *_ = together(
        lambda: _design(fields, kind, read_epsilon(fields, "epsilon"), of_survey), fields.finish, fields.finish_rest
    )
    return Question(id=joint_id, kind=kind, text=kind.text, section=kind.items[0].section, **design)


def _take_item(fields: AuthorFields, *, is_paired: bool) -> dict[str, Any]:
    question_id, text, section, (kind, skip, want) = together(
        partial(read_id, fields),
        partial(fields.text, "text", LENGTHS["text"]),
        partial(read_section, fields),
        partial(_take_closed, fields, is_paired=is_paired),
    )
    fields.finish()
    return {"id": question_id, "text": text, "section": section, "kind": kind, "skip": skip, "want": want}


def _take_closed(fields: AuthorFields, *, is_paired: bool) -> tuple[QuestionType, Any, Decimal | None]:
    """Return what may be answered, its skip and its aim, of a question that can be asked together with others."""
    kind = _read_kind(fields)
    if kind.name not in CLOSED:
        why = "in a question that is asked together with others"
        raise fields.fail("type", f"must be one of {', '.join(CLOSED)} {why}.")
    if "scores" in kind.members():
        raise fields.fail("scores", "does not go with questions that are asked together: their mean is not estimated.")
    given = [name for name in OF_GROUP if fields.has(name)]
    if given and not is_paired:
        raise fields.fail(given[0], "belongs to [[together]], not to one of its questions: they are answered as one.")
    for name in given:  # they were read with the pairs
        fields.take(name, "", lambda _: True)
    skip, want = together(partial(read_skip, fields, kind), partial(read_want, fields, kind))
    return kind, skip, want


def _read_kind(fields: AuthorFields) -> QuestionType:
    name = fields.one_of("type", [*TYPES, *SCALES], say_type)
    if name in SCALES:
        return read_scale(fields, name)
    kind = TYPES[name]
    fields.fill(kind.usual)
    return kind.read(fields)


def _design(
    fields: AuthorFields, kind: QuestionType, epsilon: Decimal | None, of_survey: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the mechanism and its epsilons."""
    asked = Asked(fields, kind.n_options, epsilon, **{name: of_survey[name] for name in of_survey if name != "waves"})
    try:
        mechanism, asked = _compile_mechanism(asked, kind.name, of_survey.get("waves", 1))
    except ValueError as fault:
        raise SurveyError(fields.where, str(fault)) from None
    epsilon = _declared(asked.epsilon, mechanism.epsilon)
    forever = epsilon
    if mechanism.has_two_stages:
        forever = _declared(asked.epsilon_forever, mechanism.epsilon_forever)
    return {"mechanism": mechanism, "epsilon": epsilon, "epsilon_forever": forever}


def _declared(asked: Decimal | None, taken: Decimal) -> Decimal:
    """Return the epsilon that is published: what is asked for, unless the thresholds take less to be read.

    Thresholds out of 2^32 cannot take 20: they take 19.98, or less. What is asked for stays where it reads alike, so
    that surveys keep the fingerprints that they have.
    """
    if asked is None or epsilon_above(taken) != epsilon_above(asked):
        return declare(taken)
    return asked


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
    if entry is None and question_type in CHOSEN:
        return CHOSEN[question_type](asked, waves > 1), asked
    if entry is None:
        most = [asked.most_selected()] if question_type == AnyOf.name else []
        best = best_of(question_type, asked.n_options, asked.require_epsilon(), asked.epsilon_forever, *most)
        return best, asked
    return entry.ask(asked), asked
