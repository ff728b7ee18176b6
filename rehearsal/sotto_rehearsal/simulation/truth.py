"""The truth of made-up people: what they answer to each question, and what each question's trouble is.

A file in TOML says it, `truth.toml`; docs/simulate.md is its reference. Of a question that it leaves out every answer
is as likely.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sotto_estimator.inference.registry import figure_of
from sotto_estimator.results.rehearsed_figure import RehearsedFigure, rehearsed_figure
from sotto_protocol import AnswerError, Question, Survey
from sotto_protocol.documents import Fields, parse_decimal
from sotto_protocol.questions.any_of import AnyOf
from sotto_protocol.questions.number import Number
from sotto_protocol.questions.text import Text
from sotto_protocol.questions.yes_no import YesNo
from sotto_protocol.text import EXPECTED as TEXT_EXPECTED, is_answer, normalise
from sotto_rehearsal.simulation.answers import Answers, Choice, Encoded, Floats, Options, Selections, Strings
from sotto_rehearsal.simulation.errors import SimulationError, TruthError
from sotto_rehearsal.simulation.numbers import read_numbers, spread_evenly
from sotto_rehearsal.simulation.shares import check_sum, is_share, read_shares, take_share
from sotto_rehearsal.simulation.trouble import Trouble, read_trouble

_SAID_BY = {"yes-no": "share", "number": "mean", "text": "strings"}
"""The member that says what people answer, by the type of a question; of others it is `shares`."""
_ALSO = {"number": ("shares",)}


@dataclass(frozen=True)
class QuestionTruth:
    """What people answer to a question, and how it can go wrong.

    `later`: what they answer who think anew before a further wave. `at_random`: what they say who do not look at the
    truth. `desired`: the one answer, shape (1,) or (1, n_options),
    that people who do not tell the truth give instead, None where they say anything. `favoured`: the label that fakes
    are for, "" for their own. `leaving`: the probability that whom a label is true of sends no report.
    """

    question: Question
    answers: Answers
    later: Answers
    at_random: Answers
    desired: Encoded | None = None
    favoured: str = ""
    leaving: Mapping[str, float] | None = None

    @property
    def figure(self) -> RehearsedFigure:
        """What is estimated of the answers."""
        return rehearsed_figure(figure_of(self.question))

    @property
    def labels(self) -> tuple[str, ...]:
        """The answers that have a figure each, or the one figure of the question."""
        return (self.figure.answer,) if self.figure.answer else self.answers.labels

    def expected(self, wave: int, change: float) -> Floats:
        """Return `Answers.expected` of a population in a wave, of whom such a share thinks anew each time."""
        kept = (1 - change) ** (wave - 1)
        return kept * self.answers.expected + (1 - kept) * self.later.expected


@dataclass(frozen=True)
class Truth:
    """All questions' truth, in their order, the trouble there is, and the ids of questions of which nothing is said."""

    questions: tuple[QuestionTruth, ...]
    trouble: Trouble
    assumed: tuple[str, ...]


def read_truth(text: str, survey: Survey) -> Truth:
    """Return what a truth.toml says of a survey's people. Raises TruthError with the place."""
    try:
        document = tomllib.loads(text, parse_float=parse_decimal)
    except (ValueError, RecursionError) as fault:
        raise TruthError("$", f"must be TOML ({str(fault)[:120]}).") from None
    fields = Fields(document, "$", TruthError)
    trouble = read_trouble(fields.take("trouble", "a table", _is_table)) if fields.has("trouble") else Trouble()
    listed = fields.take("questions", "a table", _is_table) if fields.has("questions") else {}
    fields.finish()
    given = Fields(listed, "$.questions", TruthError)
    told = {question.id for question in survey.questions if given.has(question.id)}
    questions = tuple(
        _read_question(question, given.take(question.id, "a table", _is_table))
        if question.id in told
        else assume(question)
        for question in survey.questions
    )
    given.finish()
    return Truth(questions, trouble, tuple(of.question.id for of in questions if of.question.id not in told))


def read_people(path: Path | None, survey: Survey) -> Truth:
    """Return the truth in a file, or the one that is assumed. Raises SimulationError, which names the file."""
    if path is None:
        return assume_truth(survey)
    try:
        return read_truth(path.read_text("utf-8"), survey)
    except OSError as fault:
        raise SimulationError(f"{path}: {fault.strerror}") from fault
    except UnicodeDecodeError as fault:
        raise SimulationError(f"{path}: must be TOML in UTF-8.") from fault
    except TruthError as fault:
        raise SimulationError(f"{path}: {fault}") from fault


def assume_truth(survey: Survey) -> Truth:
    """Return people of whom nothing is known: every answer is as likely. Raises TruthError for a text question."""
    questions = tuple(assume(question) for question in survey.questions)
    return Truth(questions, Trouble(), tuple(question.id for question in survey.questions))


def assume(question: Question) -> QuestionTruth:
    """Return the truth of a question to which every answer is as likely. Raises TruthError for text."""
    if isinstance(question.kind, Text):
        problem = "must say which strings people answer, and their shares: `strings` in a file that --truth names."
        raise TruthError(f"$.questions.{question.id}", problem)
    answers = _at_random(question)
    return QuestionTruth(question, answers, answers, answers)


def _at_random(question: Question) -> Answers:
    kind = question.kind
    if isinstance(kind, Number):
        return spread_evenly(kind)
    if isinstance(kind, AnyOf):
        most = question.mechanism.max_selected
        return Options(kind.labels, np.full(len(kind.options), min(0.5, most / len(kind.options))), most)
    names = _names(question)
    return _choice(question, dict.fromkeys(names, 1 / len(names)))


def _read_question(question: Question, document: Any) -> QuestionTruth:
    fields = Fields(document, f"$.questions.{question.id}", TruthError)
    answers = _read_answers(fields, question)
    later = _read_later(fields, question, answers) if fields.has("then") else answers
    desired = _read_desired(fields, question) if fields.has("desired") else None
    favoured = _favourable(question, answers)
    fake = fields.one_of("fake", favoured) if fields.has("fake") else ""
    leaving = None
    if fields.has("leave"):
        if isinstance(question.kind, Number):
            raise fields.fail("leave", "does not go with a number: say it of another question.")
        names = _names(question) if isinstance(question.kind, YesNo) else answers.labels
        leaving = read_shares(fields, "leave", names, adds_up=False)
    fields.finish()
    at_random = _guess(answers) if isinstance(question.kind, Text) else _at_random(question)
    return QuestionTruth(question, answers, later, at_random, desired, fake, leaving)


def _read_later(fields: Fields, question: Question, answers: Answers) -> Answers:
    then = Fields(fields.take("then", "a table", _is_table), fields.at("then"), TruthError)
    later = _read_answers(then, question)
    then.finish()
    if later.labels != answers.labels:
        raise fields.fail("then", "must have the same strings, in the same order; one may have a share of 0.")
    return later


def _guess(strings: Answers) -> Answers:
    """Return what people type who do not look at the truth: one of the strings that there are."""
    return Strings(strings.labels, np.full(len(strings.labels), 1 / len(strings.labels)))


def _read_answers(fields: Fields, question: Question) -> Answers:
    kind = question.kind
    usual = _SAID_BY.get(question.type, "shares")
    for other in sorted({*_SAID_BY.values(), "shares"} - {usual, *_ALSO.get(question.type, ())}):
        if fields.has(other):
            raise fields.fail(other, f"does not go with a question of type {question.type}: say `{usual}`.")
    if isinstance(kind, Number):
        return read_numbers(fields, kind)
    if isinstance(kind, Text):
        return _read_strings(fields)
    if isinstance(kind, YesNo):
        share = take_share(fields, "share")
        return _choice(question, {"yes": share, "no": 1 - share})
    if not isinstance(kind, AnyOf):
        return _choice(question, read_shares(fields, "shares", kind.labels, adds_up=True))
    if fields.has("selections"):
        return _read_selections(fields, question)
    most, given = question.mechanism.max_selected, read_shares(fields, "shares", kind.labels, adds_up=False)
    if sum(given.values()) > most + 1e-9:
        raise fields.fail("shares", f"must add up to at most {most}: nobody may select more options than that.")
    return Options(kind.labels, np.array([given.get(label, 0.0) for label in kind.labels]), most)


def _read_strings(fields: Fields) -> Strings:
    given = read_shares(fields, "strings", None, adds_up=False)
    if not given:
        raise fields.fail("strings", "must have at least one string.")
    if not all(map(is_answer, given)):
        raise fields.fail("strings", f"must each be {TEXT_EXPECTED}.")
    strings = tuple(map(normalise, given))
    if len(set(strings)) < len(strings):
        raise fields.fail("strings", "must differ from one another, as answers count.")
    if sum(given.values()) > 1 + 1e-9:
        raise fields.fail("strings", f"must add up to at most 1, not to {sum(given.values()):g}.")
    return Strings(strings, np.array([*given.values()]))


def _read_selections(fields: Fields, question: Question) -> Selections:
    listed = fields.take("selections", "a list of selections", lambda v: isinstance(v, list) and len(v) > 0)
    rows, shares = [], []
    for index, document in enumerate(listed):
        of_row = Fields(document, f"{fields.at('selections')}[{index}]", TruthError)
        rows.append(_encode(of_row, "of", question, of_row.take("of", "a list of options", lambda v: True)))
        shares.append(of_row.take("share", "a share in [0, 1]", is_share))
        of_row.finish()
    check_sum(fields, "selections", shares)
    weights = np.array([float(share) for share in shares])
    return Selections(question.labels, np.concatenate(rows).astype(np.bool_), weights / weights.sum())


def _read_desired(fields: Fields, question: Question) -> Encoded:
    return _encode(fields, "desired", question, fields.take("desired", "an answer", lambda v: True))


def _encode(fields: Fields, key: str, question: Question, answer: Any) -> Encoded:
    try:
        return question.encode(answer)
    except AnswerError as fault:
        raise fields.fail(key, fault.problem.removeprefix("the answer ")) from None


def _favourable(question: Question, answers: Answers) -> tuple[str, ...]:
    if isinstance(question.kind, Number):
        return ("maximum", "minimum")
    return _names(question) if isinstance(question.kind, YesNo) else answers.labels


def _names(question: Question) -> tuple[str, ...]:
    return ("yes", "no") if isinstance(question.kind, YesNo) else question.labels


def _choice(question: Question, shares: Mapping[str, float]) -> Choice:
    names = _names(question)
    values = np.array([1, 0]) if isinstance(question.kind, YesNo) else np.arange(len(names))
    weights = np.array([shares.get(name, 0.0) for name in names])
    return Choice(names, values, weights / weights.sum(), question.labels)


def _is_table(value: Any) -> bool:
    return isinstance(value, dict)
