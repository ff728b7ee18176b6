"""From a question's packed reports to the likelihood of each report under each category of answers."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.association.text import OTHER, text_likelihood
from sotto_estimator.strings.candidates import CandidateMap
from sotto_protocol import Question
from sotto_protocol.bits import UnaryEncoding
from sotto_protocol.kary import KaryResponse
from sotto_protocol.mechanism import Bytes, Mechanism
from sotto_protocol.rappor import BloomResponse

YES_NO = ("yes", "no")


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a joint table: a question, or one option of an any-of question, and its categories.

    `option`: the number of the any-of question's option. `candidates`: the strings of a text question; what is none of
    them is `OTHER`.
    """

    name: str
    question: Question
    option: int | None = None
    candidates: CandidateMap | None = None

    @property
    def labels(self) -> tuple[str, ...]:
        """The categories."""
        if self.question.type == "one-of":
            return self.question.options
        return YES_NO if self.candidates is None else (*self.candidates.strings, OTHER)

    def narrow(self, column: Bytes) -> Bytes:
        """Return the part of the question's packed reports that speaks of the side, shape (n, n_bytes)."""
        if self.option is None:
            return column
        byte, bit = divmod(self.option, 8)
        chosen: Bytes = column[:, byte : byte + 1] >> np.uint8(bit) & np.uint8(1)
        return chosen

    def likelihood(self, reports: Bytes) -> NDArray[np.floating]:
        """Return P(report | category) but for a factor of the report, shape (n, n_categories); reports of `narrow`."""
        mechanism = self.question.mechanism
        if self.candidates is not None and isinstance(mechanism, BloomResponse):
            return text_likelihood(mechanism, reports, self.candidates)
        if isinstance(mechanism, KaryResponse):
            return _kary_likelihood(mechanism, reports)
        if isinstance(mechanism, UnaryEncoding):
            return _unary_likelihood(mechanism, reports)
        return _yes_no_likelihood(mechanism, reports)


def _yes_no_likelihood(mechanism: Mechanism, reports: Bytes) -> NDArray[np.floating]:
    true, other = mechanism.prob_support_if_true, mechanism.prob_support_if_other
    return np.array([[1 - true, 1 - other], [true, other]])[reports[:, 0]]


def _kary_likelihood(mechanism: KaryResponse, reports: Bytes) -> NDArray[np.floating]:
    reported = reports[:, 0].astype(np.intp)
    for byte in range(1, mechanism.n_bytes):
        reported = (reported << 8) + reports[:, byte]
    likelihood = np.full((len(reports), mechanism.n_values), mechanism.prob_support_if_other)
    likelihood[np.arange(len(reports)), reported] = mechanism.prob_support_if_true
    return likelihood


def _unary_likelihood(mechanism: UnaryEncoding, reports: Bytes) -> NDArray[np.floating]:
    """Options differ in one bit each: as against no bit at all, by the bit's odds."""
    bits = np.unpackbits(reports, axis=1, count=mechanism.n_values, bitorder="little")
    true, other = mechanism.prob_support_if_true, mechanism.prob_support_if_other
    return np.array([(1 - true) / (1 - other), true / other])[bits]
