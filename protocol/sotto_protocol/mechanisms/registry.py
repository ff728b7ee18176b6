"""A mechanism as a survey publishes it: its name, and the integers that every side computes with."""

from typing import Any

from sotto_protocol.coins import COIN_SCALE
from sotto_protocol.documents import Fields
from sotto_protocol.errors import SurveyError
from sotto_protocol.mechanisms.bits import BinaryResponse, BitFlips, UnaryEncoding
from sotto_protocol.mechanisms.bloom.hash import MAX_BITS, MAX_COHORTS, MAX_HASHES
from sotto_protocol.mechanisms.bloom.response import MAX_GRAM_LENGTH, MAX_POSITIONS, BloomResponse
from sotto_protocol.mechanisms.designs import check_design
from sotto_protocol.mechanisms.kary import KaryResponse
from sotto_protocol.mechanisms.mechanism import Mechanism

MECHANISM_CLASSES: dict[str, dict[str, type[Mechanism]]] = {
    "yes-no": {"warner": BinaryResponse, "forced-response": BinaryResponse, "basic-rappor": BinaryResponse},
    "one-of": {"k-ary": KaryResponse, "sue": UnaryEncoding, "oue": UnaryEncoding, "basic-rappor": UnaryEncoding},
    "any-of": {"bit-flips": BitFlips, "basic-rappor": BitFlips},
    "text": {"rappor": BloomResponse},
}
"""Question type -> mechanism name -> the class whose parameters it is published with."""

_RAPPOR = ("basic-rappor", "rappor")


def mechanism_document(mechanism: Mechanism) -> dict[str, Any]:
    """Return what is published of a mechanism."""
    return {"name": mechanism.name} | mechanism.parameters()


def read_mechanism(document: Any, where: str, question_type: str, n_options: int) -> Mechanism:
    """Return a published mechanism, trusting nothing. Raises SurveyError."""
    fields = Fields(document, where, SurveyError)
    classes = MECHANISM_CLASSES[question_type]
    name = fields.one_of("name", classes)
    numbers = _read_thresholds(fields, name)
    if question_type == "any-of":
        numbers["max_selected"] = fields.integer("max_selected", 1, n_options)
    n_values = max(1, n_options)
    if question_type == "text":
        n_values = fields.integer("n_bits", 2, MAX_BITS)
        numbers |= _read_bloom(fields)
    fields.finish()
    try:
        mechanism = classes[name](name, n_values, **numbers)  # type: ignore[call-arg]  # by name
        check_design(mechanism)
    except ValueError as fault:
        raise SurveyError(where, str(fault)) from None
    return mechanism


def _read_thresholds(fields: Fields, name: str) -> dict[str, int]:
    keys = ["threshold_if_true"]
    keys += [] if name == "k-ary" else ["threshold_if_other"]
    if name in _RAPPOR and (fields.has("report_if_one") or fields.has("report_if_zero")):
        keys += ["report_if_one", "report_if_zero"]
    return {key: fields.integer(key, 1, COIN_SCALE - 1) for key in keys}


def _read_bloom(fields: Fields) -> dict[str, int]:
    numbers = {
        "n_hashes": fields.integer("n_hashes", 1, MAX_HASHES),
        "n_cohorts": fields.integer("n_cohorts", 1, MAX_COHORTS),
    }
    if fields.has("max_length") or fields.has("gram_length"):
        numbers["gram_length"] = fields.integer("gram_length", 1, MAX_GRAM_LENGTH)
        numbers["max_length"] = fields.integer("max_length", 2, MAX_POSITIONS * MAX_GRAM_LENGTH)
    return numbers
