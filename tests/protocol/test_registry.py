"""The contract of mechanisms, over the registry: who adds one adds a file and a row, and is told what is missing."""

from collections.abc import Callable
from typing import Any

import pytest

from contract import CHECKS, cases
from sotto_protocol import Question
from sotto_protocol.mechanisms.mechanism import ChoiceMechanism, Mechanism
from sotto_protocol.mechanisms.registry import ENTRIES, names_of
from sotto_protocol.questions.types import TYPES


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("question", [*cases()])
def test_every_mechanism_keeps_the_contract(question: Question, check: Callable[[Question], None]) -> None:
    check(question)


def test_every_question_type_has_a_mechanism_and_no_name_stands_twice() -> None:
    assert {entry.question_type for entry in ENTRIES} == {*TYPES}
    assert len({(entry.question_type, entry.name) for entry in ENTRIES}) == len(ENTRIES)
    assert all(len({*names_of(kind)}) == len(names_of(kind)) for kind in TYPES)


@pytest.mark.parametrize(
    ("kind", "name"),
    [(Mechanism, name) for name in ("check_counts", "check_design", "parts", "what_happens", "in_short", "decode")]
    + [(ChoiceMechanism, "likelihood")],
)
def test_what_a_mechanism_must_say_of_itself_has_no_default(kind: Any, name: str) -> None:
    assert name in kind.__abstractmethods__
