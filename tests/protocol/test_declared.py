"""A survey declares what its thresholds take: where they cannot take what is asked for, less is declared."""

from decimal import Decimal
from typing import Any

import pytest

from contract import OF_NAMES, OF_TYPES
from sotto_protocol import Question, Survey, compile_survey
from sotto_protocol.mechanisms.registry import ENTRIES
from sotto_protocol.questions.definition import compile_question
from sotto_protocol.words import epsilon_above

KINDS: dict[str, dict[str, Any]] = {
    f"{entry.question_type}-{entry.name}": {"type": entry.question_type, "mechanism": entry.name}
    | OF_TYPES[entry.question_type]
    | OF_NAMES.get(entry.name, {})
    for entry in ENTRIES
    if "epsilon" not in OF_NAMES.get(entry.name, {})
}
"""Every mechanism of the registry of which an author asks for an epsilon."""
GEOMETRY: dict[str, Any] = {"type": "one-of", "options": list("abcdefg"), "mechanism": "geometry", "field": 2}


def ask(members: dict[str, Any], epsilon: str) -> Question:
    return compile_question({"id": "q", "text": "So?", "epsilon": Decimal(epsilon)} | members, "$")


def test_only_forced_response_is_asked_for_without_an_epsilon() -> None:
    names = {f"{entry.question_type}-{entry.name}" for entry in ENTRIES}
    assert names - KINDS.keys() == {"yes-no-forced-response"}


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_declared_reads_as_what_is_taken(kind: str) -> None:
    for epsilon in ("0.001", "0.5", "1", "2", "4", "8", "12", "14", "16", "18", "19.5", "20"):
        question = ask(KINDS[kind], epsilon)
        taken = question.mechanism.epsilon
        assert taken <= question.epsilon <= Decimal(epsilon)
        assert epsilon_above(question.epsilon) == epsilon_above(taken)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("epsilon", ["0.001", "1", "2.5", "8"])
def test_an_epsilon_that_thresholds_can_take_is_declared_as_it_is_asked(kind: str, epsilon: str) -> None:
    assert ask(KINDS[kind], epsilon).epsilon == Decimal(epsilon)


def test_twenty_is_declared_as_less_and_what_was_published_as_twenty_stays() -> None:
    question = ask(GEOMETRY, "20")
    assert Decimal("19.9") < question.epsilon < Decimal("19.99")
    asked = {"id": "s", "title": "S", "questions": [{"id": "q", "text": "So?", "epsilon": 20} | GEOMETRY]}
    survey = compile_survey(asked)
    before = survey.canonical.replace(str(question.epsilon).encode(), b"20")
    assert before != survey.canonical
    published = Survey.from_canonical(before)
    assert (published.epsilon, published.canonical) == (20, before)


def test_both_epsilons_of_two_stages_are_what_they_take() -> None:
    asked = {"epsilon": Decimal(19), "epsilon_forever": Decimal(20), "mechanism": "k-ary"}
    question = compile_question({"id": "q", "text": "So?", "type": "one-of", "options": list("abc")} | asked, "$")
    assert epsilon_above(question.epsilon) == epsilon_above(question.mechanism.epsilon)
    assert epsilon_above(question.epsilon_forever) == epsilon_above(question.mechanism.epsilon_forever)
    assert question.epsilon_forever < 20
