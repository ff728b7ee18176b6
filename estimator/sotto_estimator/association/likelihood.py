"""From packed reports to the likelihood of each under each value that may have been answered."""

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.errors import DomainError
from sotto_protocol.mechanisms.bits import BinaryResponse, BitFlips, UnaryEncoding
from sotto_protocol.mechanisms.kary import KaryResponse
from sotto_protocol.mechanisms.mechanism import Bytes, Mechanism


def report_likelihood(mechanism: Mechanism, reports: Bytes) -> NDArray[np.floating]:
    """Return P(report | value) but for a factor of the report, shape (n, n_values), or (n, 2) for yes and no.

    Raises DomainError for a mechanism that is not known here: one is never taken for another.
    """
    match mechanism:
        case KaryResponse():
            return _kary_likelihood(mechanism, reports)
        case UnaryEncoding():
            return _unary_likelihood(mechanism, reports)
        case BinaryResponse():
            return bit_likelihood(mechanism, reports)
    raise DomainError(
        f"mechanism ({mechanism.name!r}) must be one whose likelihood is known, or it cannot be associated."
    )


def bit_likelihood(mechanism: BinaryResponse | BitFlips, reports: Bytes) -> NDArray[np.floating]:
    """Return P(bit | yes) and P(bit | no) of one bit a report, shape (n, 2); `reports`: 0 or 1, shape (n, 1)."""
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
