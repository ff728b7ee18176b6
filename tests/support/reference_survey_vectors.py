"""The test vectors of published surveys, by the reference, for every language's client:

python tests/support/reference_survey_vectors.py > tests/vectors/surveys.json
"""

import json
from collections.abc import Sequence
from typing import Any

from reference_asked_in import has_lasting_noise
from reference_refused import make_refused
from reference_survey_cases import EPSILONS, LARGE, SURVEYS, Thresholds
from reference_surveys import (
    Document,
    Part,
    canonical,
    epsilon_of,
    expand,
    fingerprint,
    n_bytes_of,
    taken,
    units_of,
    written,
)


def _survey(about: str, document: Document, parts: Sequence[Part] = ()) -> dict[str, Any]:
    text, waves = canonical(document), document.get("waves", 1)
    assert not parts or expand(parts) == text
    listed = {"questions": list(map(_question, document["questions"]))} if not parts else {}
    return {
        "about": about,
        **_given(parts or text),
        "fingerprint": fingerprint(text),
        "record_bytes": 2 * (waves > 1)
        + 2 * ("strata" in document)
        + _drawn_bytes(document)
        + sum(map(n_bytes_of, document["questions"])),
        "epsilon": written(units_of(document["epsilon"])),
        "epsilon_forever": written(_forever(document, waves)),
        **listed,
    }


def _drawn_bytes(document: Document) -> int:
    return (len(document["questions"]) + 7) // 8 if "draw" in document else 0


def _forever(document: Document, waves: int) -> int:
    n_reports = document.get("asked_in", waves)
    if "asked_in" in document and not has_lasting_noise(document):  # each report has noise of its own
        taken = sorted(n_reports * epsilon_of(question, 1) for question in document["questions"])
    else:
        taken = sorted(epsilon_of(question, n_reports) for question in document["questions"])
    return sum(taken[-document.get("draw", len(taken)) :])


def _question(question: Document) -> dict[str, str]:
    forever = question.get("epsilon_forever", question["epsilon"])
    declared = {"epsilon": written(units_of(question["epsilon"])), "epsilon_forever": written(units_of(forever))}
    return {"id": question["id"]} | declared


def _given(given: str | bytes | Sequence[Part]) -> dict[str, Any]:
    """Return a text as it stands in the vectors; bytes in hexadecimal."""
    if isinstance(given, str):
        return {"text": given}
    return {"hex": given.hex()} if isinstance(given, bytes) else {"parts": given}


def _epsilon(thresholds: Thresholds) -> dict[str, Any]:
    kind, mechanism, n_options = thresholds
    report, forever = taken(kind, mechanism, mechanism.get("n_bits", max(n_options, 1)))
    stated = {"type": kind, "n_options": n_options, "mechanism": mechanism}
    return stated | {"epsilon": written(report), "epsilon_forever": written(forever)}


ABOUT = (
    "Published surveys. surveys: texts that are accepted, what they declare (nats, exact), their fingerprint and the "
    "width of a packed report. refused: texts that are not, and the place where (or: one that is as right, since it is "
    "nearer to the fault). epsilons: what the thresholds of a mechanism take, rounded up to 12 decimals: a question "
    "that declares 1e-12 less is refused. A text stands there itself, or as hex (bytes), or as parts: [text, times], # "
    "in a part being the number of the repetition from 0. Written by tests/support/reference_survey_vectors.py."
)


def vectors_text() -> str:
    """Return the text of tests/vectors/surveys.json, a line per vector."""
    surveys = [_survey(*case) for case in SURVEYS] + [_survey(*case) for case in LARGE]
    refused = [
        {"why": why, "where": where} | ({"or": nearer} if nearer else {}) | _given(given)
        for why, where, given, nearer in make_refused()
    ]
    members = {"surveys": surveys, "refused": refused, "epsilons": list(map(_epsilon, EPSILONS))}
    lists = [f'"{name}": [\n' + ",\n".join(map(json.dumps, listed)) + "\n]" for name, listed in members.items()]
    return f'{{"format": "sottovoce-survey-vectors-1", "about": {json.dumps(ABOUT)},\n' + ",\n".join(lists) + "}\n"


if __name__ == "__main__":
    print(vectors_text(), end="")
