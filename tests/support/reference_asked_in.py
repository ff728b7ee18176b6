"""In which waves a device is asked, and what it then sends, once more; no code of the packages.

reference_device_vectors.py writes its results down.
"""

import hashlib
import hmac
from typing import Any

from reference import Stream
from reference_device import (
    KeyStream,
    answer_of,
    body_of,
    charge,
    marks_of,
    permanent_of,
    record_of,
    report_of,
    wire_of,
)
from reference_draws import draw_questions
from reference_survey_cases import ALL, MEMOS, ONE_STAGE, of_shape
from reference_surveys import Document, canonical, epsilon_of, fingerprint, n_values_of, survey, written

SURVEYS: dict[str, Document] = {
    "one wave of twelve": survey(*ONE_STAGE, waves=12, asked_in=1),
    "one wave of 300": survey(*ALL[:1], waves=300, asked_in=1),
    "two waves of five": survey(*ONE_STAGE, waves=5, asked_in=2),
    "all waves but one, with lasting noise": survey(
        *[of_shape(f"m{i}", *shape) for i, shape in enumerate(MEMOS.values())], waves=4, asked_in=3
    ),
}


def asked_vectors(about: str, name: str, given: dict[str, Any]) -> dict[str, Any]:
    """Return the waves that a device draws from its seed, and its report of each, of the same answers."""
    document = SURVEYS[name]
    secret, seed = (_bytes(f"{label} {about}") for label in ("secret", "seed"))
    stream = KeyStream(seed, _context(document, b"sottovoce-waves-1"))
    waves = [place + 1 for place in draw_questions(document["waves"], document["asked_in"], stream)]
    reports = [_report(document, secret, about, wave, given, n_before) for n_before, wave in enumerate(waves)]
    return {
        "about": about,
        "survey": name,
        "seed": seed.hex(),
        "secret": secret.hex(),
        "answers": given,
        "waves": waves,
        "reports": reports,
    }


def has_lasting_noise(document: Document) -> bool:
    """Whether reports of one answer share permanent noise."""
    return all(any(key.startswith("report_if") for key in one["mechanism"]) for one in document["questions"])


def _report(
    document: Document, secret: bytes, about: str, wave: int, given: dict[str, Any], n_before: int
) -> dict[str, Any]:
    questions, lasts = document["questions"], has_lasting_noise(document)
    context = _context(document, b"sottovoce-wave-1", wave.to_bytes(2, "big"))
    noise = secret if lasts else hmac.new(secret, context, "sha256").digest()
    answers = [answer_of(question, given) for question in questions]
    streams = [Stream(_bytes(f"{about} {wave} {question['id']}", 4000)) for question in questions]
    responses = [permanent_of(document, *pair, noise) for pair in zip(questions, answers, strict=True)]
    columns = [
        report_of(question["mechanism"], n_values_of(question), response, stream)
        for question, response, stream in zip(questions, responses, streams, strict=True)
    ]
    report_id = _bytes(f"id {about} {wave}", 16)
    units = sum(epsilon_of(question, 1) for question in questions)
    return {
        "wave": wave,
        "coins": [stream.stream[: stream.used].hex() for stream in streams],
        "marks": (marks_of(document, answers, noise) if lasts else b"".join(responses)).hex(),
        "record": record_of(document, wave, columns).hex(),
        "wire": wire_of(document, columns),
        "id": report_id.hex(),
        "body": body_of(document, report_id, wave, columns),
        "epsilon": written(charge(document, given, [given] * n_before, secret) if lasts else units),
    }


def _context(document: Document, label: bytes, *more: bytes) -> bytes:
    parts = [label, fingerprint(canonical(document)).encode(), *more]
    return b"".join(len(part).to_bytes(8, "big") + part for part in parts)


def _bytes(label: str, n_bytes: int = 32) -> bytes:
    return hashlib.shake_256(label.encode()).digest(n_bytes)
