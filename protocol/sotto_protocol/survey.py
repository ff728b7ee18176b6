"""A survey: compiled questions, one canonical text, one fingerprint. Nobody edits it; every side agrees on it."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sotto_protocol.bits import BinaryResponse, BitFlips, UnaryEncoding
from sotto_protocol.bounds import add_above, declare
from sotto_protocol.coins import COIN_SCALE, Coins
from sotto_protocol.designs import check_design
from sotto_protocol.documents import MAX_DECIMALS, Fields, canonical_json, decimal_text, is_decimal, is_text, load_json
from sotto_protocol.errors import AnswerError, ReportError, SurveyError
from sotto_protocol.kary import KaryResponse
from sotto_protocol.mechanism import BadValueError, Bytes, Mechanism
from sotto_protocol.question import TYPES, Question

FORMAT = "sottovoce-survey-1"
ID_PATTERN = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
MAX_QUESTIONS = 200
MAX_OPTIONS = 4096
MAX_SURVEY_BYTES = 2**20
MAX_TEXT = 2000
MAX_OPTION_TEXT = 200
_N_SURVEYS_KEPT = 16  # read ones, by their text: reading is pure, and every report needs its survey
MAX_DECLARED_EPSILON = Decimal(10**6)  # above what any thresholds take, so that a sum of them stays exact

MECHANISM_CLASSES: dict[str, dict[str, type[Mechanism]]] = {
    "yes-no": {"warner": BinaryResponse, "forced-response": BinaryResponse},
    "one-of": {"k-ary": KaryResponse, "sue": UnaryEncoding, "oue": UnaryEncoding},
    "any-of": {"bit-flips": BitFlips},
}
"""Question type -> mechanism name -> the class whose thresholds it is published with."""


@dataclass(frozen=True)
class Survey:
    """A compiled survey. Make one with `compile_survey` (an author's definition) or `Survey.from_canonical`."""

    id: str
    title: str
    questions: tuple[Question, ...]

    def __post_init__(self) -> None:
        if not 1 <= len(self.questions) <= MAX_QUESTIONS:
            raise SurveyError("$.questions", f"must be 1 to {MAX_QUESTIONS} questions.")
        if len({question.id for question in self.questions}) < len(self.questions):
            raise SurveyError("$.questions", "must not have two questions of the same id.")

    @cached_property
    def epsilon(self) -> Decimal:
        """What one report of all questions takes: the sum of the declared epsilons (basic composition)."""
        return add_above(*(question.epsilon for question in self.questions))

    @cached_property
    def canonical(self) -> bytes:
        """The canonical JSON that is published."""
        document = {
            "epsilon": self.epsilon,
            "format": FORMAT,
            "id": self.id,
            "questions": [_question_document(question) for question in self.questions],
            "title": self.title,
        }
        return canonical_json(document)

    @cached_property
    def fingerprint(self) -> str:
        """The SHA-256 of the canonical JSON, 64 hexadecimal digits."""
        return hashlib.sha256(self.canonical).hexdigest()

    @cached_property
    def record_bytes(self) -> int:
        """The width of a packed report: every question's, one behind the other, each from a whole byte."""
        return sum(question.mechanism.n_bytes for question in self.questions)

    @staticmethod
    def from_canonical(text: bytes) -> "Survey":
        """Read a published survey, trusting nothing: thresholds, epsilons and the text's form are checked.

        Raises SurveyError where a question takes more epsilon than it declares.
        """
        return _read_canonical(text)

    def perturb(self, answers: Mapping[str, ArrayLike], coins: Coins) -> Bytes:
        """Perturb n people's answers, shape (n, record_bytes), by question id as the mechanisms take them.

        For simulations; a device perturbs each question with coins of its own. Raises AnswerError.
        """
        if answers.keys() != self._ids:
            raise AnswerError("$", f"answers must have {self._members}.")
        columns = [_perturb_column(question, answers[question.id], coins) for question in self.questions]
        if len({len(column) for column in columns}) > 1:
            raise AnswerError("$", "answers must be for the same number of people in every question.")
        return np.concatenate(columns, axis=1)

    def columns(self, records: Bytes) -> list[tuple[Question, Bytes]]:
        """Cut packed reports, shape (n, record_bytes), into each question's, shape (n, n_bytes).

        Raises ReportError where they are of another width, unless there are none.
        """
        if not len(records):
            records = np.empty((0, self.record_bytes), np.uint8)
        if records.shape[1:] != (self.record_bytes,) or records.dtype != np.uint8:
            raise ReportError("$", f"packed reports must be bytes, shape (n, {self.record_bytes}).")
        ends = np.cumsum([question.mechanism.n_bytes for question in self.questions])
        return list(zip(self.questions, np.split(records, ends[:-1], axis=1), strict=True))

    def to_wire(self, record: Bytes) -> dict[str, Any]:
        """Return one packed report, shape (record_bytes,), as the JSON object that is sent."""
        columns = self.columns(record.reshape(1, -1))
        return {question.id: question.mechanism.to_wire(part[0]) for question, part in columns}

    def from_wire(self, answers: Sequence[Mapping[str, Any]], where: str = "$") -> Bytes:
        """Pack n sent answers, shape (n, record_bytes). Raises ReportError at `where[i].answers.question`."""
        for index, sent in enumerate(answers):
            if sent.keys() != self._ids:
                raise ReportError(
                    f"{where}[{index}].answers",
                    f"must have {self._members}.",
                )
        columns = []
        for question in self.questions:
            try:
                columns.append(question.mechanism.from_wire([sent[question.id] for sent in answers]))
            except BadValueError as bad:
                path = f"{where}[{bad.index}].answers.{question.id}"
                raise ReportError(path, f"must be {bad.expected}.") from None
        return np.concatenate(columns, axis=1)

    @cached_property
    def _ids(self) -> frozenset[str]:
        return frozenset(question.id for question in self.questions)

    @property
    def _members(self) -> str:
        return "exactly the members " + ", ".join(question.id for question in self.questions)


def _perturb_column(question: Question, answers: ArrayLike, coins: Coins) -> Bytes:
    try:
        return question.mechanism.perturb(answers, coins)
    except AnswerError as bad:
        raise AnswerError(question.id, bad.problem) from None


def _question_document(question: Question) -> dict[str, Any]:
    mechanism: dict[str, Any] = {"name": question.mechanism.name}
    mechanism |= question.mechanism.parameters()
    document = {
        "epsilon": question.epsilon,
        "id": question.id,
        "mechanism": mechanism,
        "text": question.text,
        "type": question.type,
    }
    return document | ({"options": list(question.options)} if question.options else {})


@lru_cache(maxsize=_N_SURVEYS_KEPT)
def _read_canonical(text: bytes) -> Survey:
    if len(text) > MAX_SURVEY_BYTES:
        raise SurveyError("$", f"must have at most {MAX_SURVEY_BYTES} bytes.")
    survey = _read_survey(load_json(text, SurveyError))
    if survey.canonical != text:
        raise SurveyError("$", "must be in canonical form, its epsilon the sum of its questions'.")
    return survey


def _read_survey(document: Any) -> Survey:
    fields = Fields(document, "$", SurveyError)
    fields.one_of("format", [FORMAT])
    survey_id = read_id(fields)
    title = fields.text("title", MAX_TEXT)
    fields.take("epsilon", "a number", lambda v: isinstance(v, Decimal | int))
    listed = fields.take("questions", "a list", lambda v: isinstance(v, list))
    fields.finish()
    questions = tuple(_read_question(question, f"$.questions[{index}]") for index, question in enumerate(listed))
    return Survey(survey_id, title, questions)


_EPSILON_DOMAIN = f"a number in [0, {MAX_DECLARED_EPSILON}] of at most {MAX_DECIMALS} decimals"


def _read_question(document: Any, where: str) -> Question:
    fields = Fields(document, where, SurveyError)
    question_id, question_type = read_id(fields), fields.one_of("type", TYPES)
    text, options = fields.text("text", MAX_TEXT), read_options(fields, question_type)
    epsilon = fields.take("epsilon", _EPSILON_DOMAIN, lambda v: is_decimal(v, Decimal(0), MAX_DECLARED_EPSILON))
    stated = fields.take("mechanism", "an object", lambda v: isinstance(v, dict))
    fields.finish()
    mechanism = _read_mechanism(stated, f"{where}.mechanism", question_type, max(1, len(options)))
    if mechanism.epsilon > epsilon:
        raise fields.fail(
            "epsilon",
            f"declares {decimal_text(Decimal(epsilon))} but the thresholds take "
            f"{decimal_text(declare(mechanism.epsilon))}.",
        )
    return Question(question_id, question_type, text, options, mechanism, Decimal(epsilon))


def _read_mechanism(document: Any, where: str, question_type: str, n_values: int) -> Mechanism:
    fields = Fields(document, where, SurveyError)
    classes = MECHANISM_CLASSES[question_type]
    name = fields.one_of("name", classes)
    numbers = {"threshold_if_true": fields.integer("threshold_if_true", 1, COIN_SCALE - 1)}
    if name != "k-ary":
        numbers["threshold_if_other"] = fields.integer("threshold_if_other", 1, COIN_SCALE - 1)
    if question_type == "any-of":
        numbers["max_selected"] = fields.integer("max_selected", 1, n_values)
    fields.finish()
    try:
        mechanism = classes[name](name, n_values, **numbers)  # type: ignore[call-arg]  # by name
        check_design(mechanism)
    except ValueError as fault:
        raise SurveyError(where, str(fault)) from None
    return mechanism


def read_id(fields: Fields) -> str:
    """Take the member `id`: of a survey or of a question."""
    value: str = fields.take(
        "id",
        "1 to 64 lower-case letters, digits, - or _, the first a letter or digit",
        lambda v: isinstance(v, str) and ID_PATTERN.fullmatch(v) is not None,
    )
    return value


def read_options(fields: Fields, question_type: str) -> tuple[str, ...]:
    """Take the member `options`: distinct texts, at least two (any-of: one); yes-no has none."""
    if question_type == "yes-no":
        return ()
    fewest = 2 if question_type == "one-of" else 1
    options = fields.take(
        "options",
        f"a list of {fewest} to {MAX_OPTIONS} different texts of 1 to {MAX_OPTION_TEXT} characters",
        lambda v: (
            isinstance(v, list)
            and fewest <= len(v) <= MAX_OPTIONS
            and all(is_text(option, MAX_OPTION_TEXT) for option in v)
            and len(set(v)) == len(v)
        ),
    )
    return tuple(options)
