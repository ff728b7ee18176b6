"""The truth of made-up people: what they answer to each question, and what each question's trouble is.

A file in TOML says it, `truth.toml`; docs/simulate.md is its reference. Of a question that it leaves out every answer
is as likely.
"""

import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sotto_estimator.inference.marginal import Marginal, marginals_of
from sotto_estimator.inference.registry import scores_of
from sotto_protocol import AnswerError, Question, Survey
from sotto_protocol.documents import Fields, parse_decimal
from sotto_protocol.questions.any_of import AnyOf
from sotto_protocol.questions.joint import Joint
from sotto_protocol.questions.number import Number
from sotto_protocol.questions.text import Text
from sotto_protocol.questions.yes_no import YesNo
from sotto_protocol.text import EXPECTED as TEXT_EXPECTED, is_answer, normalise
from sotto_rehearsal.simulation.answers import Answers, Encoded, Options, Selections, Strings
from sotto_rehearsal.simulation.errors import SimulationError, TruthError
from sotto_rehearsal.simulation.numbers import read_numbers, spread_evenly
from sotto_rehearsal.simulation.question_truth import QuestionTruth, choice, names_of
from sotto_rehearsal.simulation.shares import check_sum, is_share, read_shares, take_share
from sotto_rehearsal.simulation.together import items_of, of_items
from sotto_rehearsal.simulation.trouble import Trouble, read_trouble

_SAID_BY = {"yes-no": "share", "number": "mean", "text": "strings"}
"""The member that says what people answer, by the type of a question; of others it is `shares`."""
_ALSO = {"number": ("shares",)}


@dataclass(frozen=True)
class Truth:
    """All questions' truth, in their order, the trouble there is, and the ids of questions of which nothing is said.

    `items`: what is true of each question that is asked together with others.
    """

    questions: tuple[QuestionTruth, ...]
    trouble: Trouble
    assumed: tuple[str, ...]
    items: tuple[QuestionTruth, ...] = ()

    @property
    def figures(self) -> tuple[QuestionTruth, ...]:
        """All of which figures are estimated, in the order of estimates, without mean scores."""
        items, told = {of.question.id: of for of in self.items}, []
        for of in self.questions:
            told.append(of)
            told += [items.pop(item.id) for item in of.question.items if item.id in items]
        return tuple(told)

    @property
    def rehearsed(self) -> tuple[QuestionTruth, ...]:
        """The `figures`, and behind those of a question whose options have scores their mean."""
        means = {of.question.id: replace(of, kind="score") for of in self.figures if scores_of(of.question)}
        return tuple(
            one for of in self.figures for one in (of, *([means[of.question.id]] if of.question.id in means else []))
        )


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
    return _told(survey, Fields(listed, "$.questions", TruthError), trouble)


def _told(survey: Survey, given: Fields, trouble: Trouble) -> Truth:
    """Return what a table by question says: of questions that are asked together, of their combinations or of each."""
    asked = {one.id: one for one in (*survey.questions, *marginals_of(survey))}
    told = {
        name: _read_question(one, given.take(name, "a table", _is_table))
        for name, one in asked.items()
        if given.has(name)
    }
    given.finish()
    used, questions = set[str](), []
    for question in survey.questions:
        names = [question.id]
        if isinstance(question.kind, Joint) and question.id not in told:
            names = [item.id for item in question.items]
            questions.append(of_items(question, [told.get(name) or assume(asked[name]) for name in names]))
        else:
            questions.append(told.get(question.id) or assume(question))
        used |= {*names}
    if unused := told.keys() - used:
        name = min(unused)
        raise TruthError(
            f"$.questions.{name}", "is said by the combinations that it is asked in: leave out one of both."
        )
    assumed = tuple(name for name in asked if name in used - told.keys())
    return Truth(tuple(questions), trouble, assumed, items_of(survey, questions))


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
    return _told(survey, Fields({}, "$.questions", TruthError), Trouble())


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
    names = names_of(question)
    return choice(question, dict.fromkeys(names, 1 / len(names)))


def _read_question(question: Question, document: Any) -> QuestionTruth:
    fields = Fields(document, f"$.questions.{question.id}", TruthError)
    answers = _read_answers(fields, question)
    later = _read_later(fields, question, answers) if fields.has("then") else answers
    desired = _read_desired(fields, question) if fields.has("desired") else None
    favoured = _favourable(question, answers)
    if isinstance(question, Marginal) and fields.has("fake"):
        raise fields.fail("fake", f"belongs to a combination of answers: say it of {question.places[0][0].id}.")
    fake = fields.one_of("fake", favoured) if fields.has("fake") else ""
    leaving = None
    if fields.has("leave"):
        if isinstance(question.kind, Number):
            raise fields.fail("leave", "does not go with a number: say it of another question.")
        names = names_of(question) if isinstance(question.kind, YesNo) else answers.labels
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
        return choice(question, {"yes": share, "no": 1 - share})
    if not isinstance(kind, AnyOf):
        return choice(question, read_shares(fields, "shares", kind.labels, adds_up=True))
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
    return names_of(question) if isinstance(question.kind, YesNo) else answers.labels


def _is_table(value: Any) -> bool:
    return isinstance(value, dict)
