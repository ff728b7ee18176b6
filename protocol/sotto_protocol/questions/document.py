"""A question as it is published, in canonical JSON: its mechanism's thresholds, and what they take."""

from decimal import Decimal
from typing import Any

from sotto_protocol.bounds import declare
from sotto_protocol.documents import MAX_DECIMALS, Fields, decimal_text, is_decimal
from sotto_protocol.errors import SurveyError
from sotto_protocol.mechanisms.registry import mechanism_document, read_mechanism
from sotto_protocol.members import LENGTHS, read_id
from sotto_protocol.questions.beside import read_section, read_skip, read_want
from sotto_protocol.questions.joint import Joint
from sotto_protocol.questions.question import Question
from sotto_protocol.questions.types import published_types

MAX_DECLARED_EPSILON = Decimal(10**6)  # above what any thresholds take, so that a sum of them stays exact
_EPSILON_DOMAIN = f"a number in [0, {MAX_DECLARED_EPSILON}] of at most {MAX_DECIMALS} decimals"


def question_document(question: Question) -> dict[str, Any]:
    """Return what is published of a question, for `canonical_json`."""
    document = {
        "epsilon": question.epsilon,
        "id": question.id,
        "mechanism": mechanism_document(question.mechanism),
        "type": question.type,
    }
    if not isinstance(question.kind, Joint):
        document["text"] = question.text
    if question.epsilon_forever != question.epsilon:
        document["epsilon_forever"] = question.epsilon_forever
    if question.skip is not None:
        document["skip"] = question.kind.write_skip(question.skip)
    if question.want is not None:
        document["want"] = question.want
    if question.section:
        document["section"] = question.section
    return document | question.kind.members()


def read_question(document: Any, where: str) -> Question:
    """Return a published question, its epsilons recomputed. Raises SurveyError where it takes more than it declares."""
    fields = Fields(document, where, SurveyError)
    question_id, types = read_id(fields), published_types()
    question_type = fields.one_of("type", types)
    kind = types[question_type].read(fields)
    text = kind.text if isinstance(kind, Joint) else fields.text("text", LENGTHS["text"])
    skip, want, section = read_skip(fields, kind), read_want(fields, kind), read_section(fields)
    epsilon = _read_epsilon(fields, "epsilon")
    epsilon_forever = _read_epsilon(fields, "epsilon_forever") if fields.has("epsilon_forever") else epsilon
    stated = fields.take("mechanism", "an object", lambda v: isinstance(v, dict))
    fields.finish()
    mechanism = read_mechanism(stated, f"{where}.mechanism", question_type, kind.n_options)
    _check_epsilon(fields, "epsilon", epsilon, mechanism.epsilon)
    _check_epsilon(fields, "epsilon_forever", epsilon_forever, mechanism.epsilon_forever)
    return Question(
        id=question_id,
        kind=kind,
        text=text,
        skip=skip,
        want=want,
        section=section,
        mechanism=mechanism,
        epsilon=epsilon,
        epsilon_forever=epsilon_forever,
    )


def _read_epsilon(fields: Fields, key: str) -> Decimal:
    return Decimal(fields.take(key, _EPSILON_DOMAIN, lambda v: is_decimal(v, Decimal(0), MAX_DECLARED_EPSILON)))


def _check_epsilon(fields: Fields, key: str, declared: Decimal, taken: Decimal) -> None:
    if taken > declared:
        raise fields.fail(
            key,
            f"declares {decimal_text(declared)} but the thresholds take {decimal_text(declare(taken))}.",
        )
