"""One word per idea: in the collector an answer is a respondent's, and a question is what a survey asks."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

COLLECTOR = Path(__file__).parents[2] / "collector" / "sotto_collector"
ALLOWED = {
    "api/openapi_schemas.py": ['answers={"type"'],
    "commands/surveys.py": ["nobody can look up your answers"],
    "intake/parsing.py": ["answers: dict[str, Any]", "report.answers", "and answers, an object"],
    "pages/asked.py": ["the answer that it stands for", "for answer, label in", "if answer == skip"],
    "pages/problems.py": ["No answer was sent."],
    "pages/survey.py": ["What is answered is perturbed in the browser", "who has answered it"],
}
"""Where the word stands for what a respondent says: the member of a report, and texts about people who answer."""


def find_answers(source: str, allowed: list[str]) -> list[str]:
    """Return the lines of a source that say answer, but for the phrases that are allowed."""
    for phrase in allowed:
        source = source.replace(phrase, "")
    return [line for line in source.splitlines() if re.search("answer", line, re.IGNORECASE)]


def names_of(source: str) -> Iterator[str]:
    """Yield the names of variables and parameters."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg


@pytest.mark.parametrize("path", sorted(COLLECTOR.rglob("*.py")), ids=lambda path: str(path.relative_to(COLLECTOR)))
def test_nothing_but_a_respondents_is_an_answer_in_the_collector(path: Path) -> None:
    assert find_answers(path.read_text(), ALLOWED.get(path.relative_to(COLLECTOR).as_posix(), [])) == []


@pytest.mark.parametrize("name", ALLOWED)
def test_every_phrase_that_is_allowed_is_said(name: str) -> None:
    source = (COLLECTOR / name).read_text()
    assert [phrase for phrase in ALLOWED[name] if phrase not in source] == []


@pytest.mark.parametrize("path", sorted((COLLECTOR / "store").rglob("*.py")), ids=lambda path: path.name)
def test_no_statement_of_the_store_is_called_a_question(path: Path) -> None:
    assert "question" not in names_of(path.read_text())


@pytest.mark.parametrize("line", ["MAX_ANSWER_BYTES = 1", "self._is_answered = 2", "# the server answers", '"answers"'])
def test_the_word_is_found_wherever_it_stands(line: str) -> None:
    assert find_answers(f"report.answers\n{line}\n", ["report.answers"]) == [line]
    assert [*names_of("def f(question): return question")] == ["question", "question"]
