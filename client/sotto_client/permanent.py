"""Permanent coins: the same answer to the same question gets the same noise, and no answer is stored for it.

The coins are HMAC-SHA256 under a secret of the survey's own (RAPPOR's permanent stage without its memo), so asking
again tells nobody more than the mechanism's second stage lets through. The limit: whoever has the secret and a report
can try every answer and see which one fits. So the secret lives no longer than it is needed: it is forgotten when the
last report that needs it is delivered.
"""

import hmac
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sotto_protocol import Coins, hmac_bytes

SECRET_BYTES = 32
_RESPONSE = b"sottovoce-permanent-1"
_GROUP = b"sottovoce-group-1"
_SETTLING = b"sottovoce-settling-1"
_TAG = b"sottovoce-tag-1"
_DRAW = b"sottovoce-draw-1"
_WAVES = b"sottovoce-waves-1"
_WAVE = b"sottovoce-wave-1"


def permanent_coins(secret: bytes, fingerprint: str, question_id: str, encoded: NDArray[Any]) -> Coins:
    """Return the coins of one answer: same inputs, same coins; any other input, independent ones.

    `encoded` is what was settled (`Mechanism.settle`): a text is written in UTF-8, numbers as 16-bit big-endian
    integers. Each of the four parts (label, fingerprint, question id, answer) stands behind its length in 8 big-endian
    bytes, so no two contexts are written alike. Raises ValueError for numbers that are no integers in [0, 65535].
    """
    return Coins(hmac_bytes(secret, _context(_RESPONSE, fingerprint, question_id, _written(encoded))))


def group_coins(secret: bytes, fingerprint: str, question_id: str) -> Coins:
    """Return the coins of a device's group: written like an answer's, without the answer, which it outlives."""
    return Coins(hmac_bytes(secret, _context(_GROUP, fingerprint, question_id)))


def draw_coins(seed: bytes, fingerprint: str) -> Coins:
    """Return the coins by which a device draws its questions: written like a group's, without a question.

    `seed`: 32 random bytes, drawn for this survey; not the secret, which is forgotten earlier.
    """
    return Coins(hmac_bytes(seed, _context(_DRAW, fingerprint)))


def wave_coins(seed: bytes, fingerprint: str) -> Coins:
    """Return the coins by which a device draws the waves that it is asked in: the rest as `draw_coins`."""
    return Coins(hmac_bytes(seed, _context(_WAVES, fingerprint)))


def secret_of_wave(secret: bytes, fingerprint: str, wave: int) -> bytes:
    """Return the secret of one wave's noise, 32 bytes, where no noise lasts: an HMAC-SHA256 under the survey's secret.

    The wave is written as a 16-bit big-endian integer, where a question's id stands elsewhere.
    """
    return hmac.digest(secret, _context(_WAVE, fingerprint, None, wave.to_bytes(2, "big")), "sha256")


def settling_coins(secret: bytes, fingerprint: str, question_id: str) -> Coins:
    """Return the coins that a device settles with (`Mechanism.settle`): written like those of its group."""
    return Coins(hmac_bytes(secret, _context(_SETTLING, fingerprint, question_id)))


def tag_answer(secret: bytes, fingerprint: str, question_id: str, encoded: NDArray[Any]) -> bytes:
    """Return the 32 bytes by which one answer is known again over the waves: an HMAC-SHA256 of it.

    It is written as in `permanent_coins`, which says what raises ValueError. Whoever has the secret can try every
    answer against it.
    """
    return hmac.digest(secret, _context(_TAG, fingerprint, question_id, _written(encoded)), "sha256")


def _context(label: bytes, fingerprint: str, question_id: str | None = None, *answer: bytes) -> bytes:
    question = [] if question_id is None else [question_id.encode()]
    parts = [label, fingerprint.encode(), *question, *answer]
    return b"".join([b"%b%b" % (len(part).to_bytes(8, "big"), part) for part in parts])


def _written(encoded: NDArray[Any]) -> bytes:
    """Return an encoded answer in bytes. Raises ValueError, which quotes no answer, where two bytes hold no number."""
    if encoded.dtype.kind == "O":  # a text, in normal form
        text: str = encoded[0]
        return text.encode()
    # Numbers that are cut off would share their coins with others, and one answer's noise would tell of another.
    if encoded.dtype.kind not in "iub" or not np.array_equal(encoded, encoded.astype(np.uint16)):
        raise ValueError("an encoded answer must be a text, or integers in [0, 65535].")
    return encoded.astype(">u2").tobytes()
