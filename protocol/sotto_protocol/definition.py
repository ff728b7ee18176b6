"""What an author writes, in TOML or JSON, and how it becomes a survey. docs/survey-file.md is its reference."""

import re
import tomllib
from decimal import Decimal
from fractions import Fraction
from typing import Any

from sotto_protocol.bounds import declare
from sotto_protocol.designs import (
    MAX_EPSILON,
    MIN_EPSILON,
    ONE_OF_DESIGNS,
    best_one_of,
    bit_flips,
    forced_response,
    warner,
    warner_by_truth,
)
from sotto_protocol.documents import MAX_DECIMALS, Fields, is_decimal, load_json, parse_decimal
from sotto_protocol.errors import SurveyError
from sotto_protocol.mechanism import Mechanism
from sotto_protocol.question import TYPES, Question
from sotto_protocol.survey import MAX_SURVEY_BYTES, MAX_TEXT, Survey, read_id, read_options

_FRACTION = re.compile(r"([0-9]{1,9})/([1-9][0-9]{0,8})")


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
    try:
        document = tomllib.loads(text, parse_float=parse_decimal)
    except (ValueError, RecursionError) as fault:
        raise SurveyError("$", f"must be TOML ({str(fault)[:120]}).") from None
    return compile_survey(document)


def compile_json(text: str | bytes) -> Survey:
    """Compile an author's JSON, which has the same members as the TOML. Raises SurveyError."""
    return compile_survey(load_json(text, SurveyError))


def read_survey(content: bytes, *, is_json: bool) -> Survey:
    """Return the survey in a file's bytes: an author's TOML or JSON, or canonical JSON.

    White space may follow the canonical JSON, as an editor or a terminal leaves it.
    `is_json`: whether the file's name says JSON. Raises SurveyError.
    """
    if is_json:
        document = load_json(content, SurveyError)
        is_canonical = isinstance(document, dict) and "format" in document
        return Survey.from_canonical(content.rstrip()) if is_canonical else compile_survey(document)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        raise SurveyError("$", "must be TOML in UTF-8.") from None
    return compile_toml(text)


def compile_survey(document: Any) -> Survey:
    """Compile a definition that was parsed with exact decimals (`Decimal`, never float). Raises SurveyError."""
    fields = Fields(document, "$", SurveyError)
    survey_id = read_id(fields)
    title = fields.text("title", MAX_TEXT)
    listed = fields.take("questions", "a list of questions", lambda v: isinstance(v, list))
    fields.finish()
    questions = tuple(_compile_question(question, f"$.questions[{index}]") for index, question in enumerate(listed))
    survey = Survey(survey_id, title, questions)
    if len(survey.canonical) > MAX_SURVEY_BYTES:  # nobody could read it back
        raise SurveyError("$", f"must have at most {MAX_SURVEY_BYTES} bytes in canonical form.")
    return survey


def _compile_question(document: Any, where: str) -> Question:
    fields = Fields(document, where, SurveyError)
    question_id, question_type = read_id(fields), fields.one_of("type", TYPES)
    text, options = fields.text("text", MAX_TEXT), read_options(fields, question_type)
    asked = _read_epsilon(fields) if fields.has("epsilon") else None
    compile_mechanism = {"yes-no": _yes_no, "one-of": _one_of, "any-of": _any_of}[question_type]
    try:
        mechanism = compile_mechanism(fields, asked, len(options))
    except ValueError as fault:
        raise SurveyError(where, str(fault)) from None
    fields.finish()
    epsilon = declare(mechanism.epsilon) if asked is None else asked
    return Question(question_id, question_type, text, options, mechanism, epsilon)


def _yes_no(fields: Fields, epsilon: Decimal | None, _n_options: int) -> Mechanism:
    name = "warner"
    if fields.has("mechanism"):
        name = fields.one_of("mechanism", ["warner", "forced-response"])
    if name == "forced-response":
        if epsilon is not None:
            raise fields.fail("epsilon", "does not go with forced-response; give its probabilities.")
        prob_truth, prob_forced_yes = _read_probs(fields, "prob_truth", "prob_forced_yes")
        return forced_response(prob_truth, prob_forced_yes)
    if not fields.has("prob_truth"):
        if epsilon is None:
            raise ValueError("must have epsilon or prob_truth.")
        return warner(epsilon)
    if epsilon is not None:
        raise ValueError("must not have both epsilon and prob_truth.")
    return warner_by_truth(*_read_probs(fields, "prob_truth"))


def _one_of(fields: Fields, epsilon: Decimal | None, n_options: int) -> Mechanism:
    name = "auto"
    if fields.has("mechanism"):
        name = fields.one_of("mechanism", ["auto", *ONE_OF_DESIGNS])
    asked = _require(fields, epsilon)
    return best_one_of(n_options, asked) if name == "auto" else ONE_OF_DESIGNS[name](n_options, asked)


def _any_of(fields: Fields, epsilon: Decimal | None, n_options: int) -> Mechanism:
    if fields.has("mechanism"):
        fields.one_of("mechanism", ["bit-flips"])
    most = fields.integer("max_selected", 1, n_options) if fields.has("max_selected") else n_options
    return bit_flips(n_options, _require(fields, epsilon), most)


def _require(fields: Fields, epsilon: Decimal | None) -> Decimal:
    if epsilon is None:
        raise fields.fail("epsilon", f"is missing; expected {_EPSILON_DOMAIN}.")
    return epsilon


_EPSILON_DOMAIN = f"a number in [{MIN_EPSILON}, {MAX_EPSILON}] of at most {MAX_DECIMALS} decimals"


def _read_epsilon(fields: Fields) -> Decimal:
    value = fields.take("epsilon", _EPSILON_DOMAIN, lambda v: is_decimal(v, MIN_EPSILON, MAX_EPSILON))
    return Decimal(value)


def _read_probs(fields: Fields, *keys: str) -> list[Fraction]:
    expected = f'a probability: a decimal of at most {MAX_DECIMALS} places, or a fraction like "2/3"'
    return [Fraction(_as_fraction(fields.take(key, expected, _is_prob))) for key in keys]


def _is_prob(value: Any) -> bool:
    if isinstance(value, str):
        return _FRACTION.fullmatch(value) is not None and 0 <= Fraction(value) <= 1
    return is_decimal(value, Decimal(0), Decimal(1))


def _as_fraction(value: Any) -> Fraction:
    return Fraction(value)
