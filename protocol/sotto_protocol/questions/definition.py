"""One question as an author writes it, and the mechanism that it becomes. docs/survey-file.md is its reference."""

import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from sotto_protocol.bounds import declare
from sotto_protocol.documents import MAX_DECIMALS, Fields, is_decimal
from sotto_protocol.errors import SurveyError
from sotto_protocol.mechanisms.bits import BitMechanism
from sotto_protocol.mechanisms.bloom.design import BloomShape, Stages, basic_any_of, basic_one_of, basic_yes_no, bloom
from sotto_protocol.mechanisms.bloom.hash import MAX_BITS, MAX_COHORTS, MAX_HASHES
from sotto_protocol.mechanisms.bloom.response import MAX_GRAM_LENGTH, MAX_POSITIONS
from sotto_protocol.mechanisms.designs import (
    MAX_EPSILON,
    MIN_EPSILON,
    ONE_OF_DESIGNS,
    best_one_of,
    bit_flips,
    forced_response,
    warner,
    warner_by_truth,
)
from sotto_protocol.mechanisms.mechanism import Mechanism
from sotto_protocol.members import MAX_TEXT, read_id, read_options, read_skip
from sotto_protocol.questions.question import TYPES, Question

_FRACTION = re.compile(r"([0-9]{1,9})/([1-9][0-9]{0,8})")
_DECIMAL = re.compile(rf"[01]?\.[0-9]{{1,{MAX_DECIMALS}}}")
_EPSILON_DOMAIN = f"a number in [{MIN_EPSILON}, {MAX_EPSILON}] of at most {MAX_DECIMALS} decimals"


@dataclass(frozen=True, slots=True)
class _Asked:
    """What the author says of epsilon: of one report, and of all reports of one answer."""

    epsilon: Decimal | None
    epsilon_forever: Decimal | None


def compile_question(document: Any, where: str) -> Question:
    """Compile one question of an author's definition. Raises SurveyError at its place."""
    fields = Fields(document, where, SurveyError)
    question_id, question_type = read_id(fields), fields.one_of("type", TYPES)
    text, options = fields.text("text", MAX_TEXT), read_options(fields, question_type)
    skip = read_skip(fields, question_type, options)
    asked = _Asked(_read_epsilon(fields, "epsilon"), None)
    compile_mechanism = {"yes-no": _yes_no, "one-of": _one_of, "any-of": _any_of, "text": _text}[question_type]
    name = ""
    if fields.has("mechanism"):
        name = fields.one_of("mechanism", _NAMES[question_type])
    if name == "basic-rappor" or question_type == "text":
        asked = _Asked(asked.epsilon, _read_epsilon(fields, "epsilon_forever"))
    try:
        mechanism = compile_mechanism(name, fields, asked, len(options))
    except ValueError as fault:
        raise SurveyError(where, str(fault)) from None
    fields.finish()
    epsilon = asked.epsilon or declare(mechanism.epsilon)
    forever = epsilon
    if isinstance(mechanism, BitMechanism) and mechanism.has_two_stages:
        forever = asked.epsilon_forever or declare(mechanism.epsilon_forever)
    return Question(question_id, question_type, text, options, mechanism, epsilon, forever, skip)


_NAMES = {
    "yes-no": ["warner", "forced-response", "basic-rappor"],
    "one-of": ["auto", *ONE_OF_DESIGNS, "basic-rappor"],
    "any-of": ["bit-flips", "basic-rappor"],
    "text": ["rappor"],
}


def _yes_no(name: str, fields: Fields, asked: _Asked, _n_options: int) -> Mechanism:
    if name == "basic-rappor":
        return basic_yes_no(_stages(fields, asked, 1))
    if name == "forced-response":
        if asked.epsilon is not None:
            raise fields.fail("epsilon", "does not go with forced-response; give its probabilities.")
        prob_truth, prob_forced_yes = _read_probs(fields, "prob_truth", "prob_forced_yes")
        return forced_response(prob_truth, prob_forced_yes)
    if not fields.has("prob_truth"):
        if asked.epsilon is None:
            raise ValueError("must have epsilon or prob_truth.")
        return warner(asked.epsilon)
    if asked.epsilon is not None:
        raise ValueError("must not have both epsilon and prob_truth.")
    return warner_by_truth(*_read_probs(fields, "prob_truth"))


def _one_of(name: str, fields: Fields, asked: _Asked, n_options: int) -> Mechanism:
    if name == "basic-rappor":
        return basic_one_of(n_options, _stages(fields, asked, 2))
    epsilon = _require(fields, asked.epsilon)
    if name in ONE_OF_DESIGNS:
        return ONE_OF_DESIGNS[name](n_options, epsilon)
    return best_one_of(n_options, epsilon)


def _any_of(name: str, fields: Fields, asked: _Asked, n_options: int) -> Mechanism:
    most = fields.integer("max_selected", 1, n_options) if fields.has("max_selected") else n_options
    if name == "basic-rappor":
        return basic_any_of(n_options, most, _stages(fields, asked, min(2 * most, n_options)))
    return bit_flips(n_options, _require(fields, asked.epsilon), most)


def _text(_name: str, fields: Fields, asked: _Asked, _n_options: int) -> Mechanism:
    shape = BloomShape()
    shape = BloomShape(
        _read_integer(fields, "n_bits", 2, MAX_BITS, shape.n_bits),
        _read_integer(fields, "n_hashes", 1, MAX_HASHES, shape.n_hashes),
        _read_integer(fields, "n_cohorts", 1, MAX_COHORTS, shape.n_cohorts),
        *_read_grams(fields),
    )
    return bloom(shape, _stages(fields, asked, shape.n_differences))


def _read_grams(fields: Fields) -> tuple[int, int]:
    """Return max_length and gram_length, 0 and 0 where strings are all known."""
    if not fields.has("unknown") or not fields.take("unknown", "true or false", lambda v: isinstance(v, bool)):
        return 0, 0
    length = _read_integer(fields, "gram_length", 1, MAX_GRAM_LENGTH, 2)
    return _read_integer(fields, "max_length", 2 * length, MAX_POSITIONS * length, 4 * length), length


def _stages(fields: Fields, asked: _Asked, n_differences: int) -> Stages:
    """Return RAPPOR's stages: by epsilon and epsilon_forever, or by its probabilities f, q and p."""
    if not fields.has("prob_noise"):
        return Stages.of_epsilons(n_differences, _require(fields, asked.epsilon), asked.epsilon_forever)
    if asked != _Asked(None, None):
        raise ValueError("must not have both epsilons and prob_noise.")
    if fields.has("prob_if_one") or fields.has("prob_if_zero"):
        return Stages.of_probs(*_read_probs(fields, "prob_noise", "prob_if_one", "prob_if_zero"))
    return Stages.of_probs(*_read_probs(fields, "prob_noise"))


def _require(fields: Fields, epsilon: Decimal | None) -> Decimal:
    if epsilon is None:
        raise fields.fail("epsilon", f"is missing; expected {_EPSILON_DOMAIN}.")
    return epsilon


def _read_epsilon(fields: Fields, key: str) -> Decimal | None:
    if not fields.has(key):
        return None
    return Decimal(fields.take(key, _EPSILON_DOMAIN, lambda v: is_decimal(v, MIN_EPSILON, MAX_EPSILON)))


def _read_integer(fields: Fields, key: str, low: int, high: int, default: int) -> int:
    return fields.integer(key, low, high) if fields.has(key) else default


def _read_probs(fields: Fields, *keys: str) -> list[Fraction]:
    expected = f'a probability: a decimal of at most {MAX_DECIMALS} places, or a fraction like "2/3"'
    return [Fraction(_as_fraction(fields.take(key, expected, _is_prob))) for key in keys]


def _is_prob(value: Any) -> bool:
    if isinstance(value, str):
        return any(form.fullmatch(value) for form in (_FRACTION, _DECIMAL)) and 0 <= Fraction(value) <= 1
    return is_decimal(value, Decimal(0), Decimal(1))


def _as_fraction(value: Any) -> Fraction:
    return Fraction(value)
