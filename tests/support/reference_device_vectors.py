"""The test vectors of a respondent's device, by the reference, for every language's client:

python tests/support/reference_device_vectors.py > tests/vectors/device.json
"""

import hashlib
import json
from typing import Any

from reference import Stream
from reference_asked_in import SURVEYS as ASKED_IN, asked_vectors
from reference_device import (
    answer_of,
    body_of,
    charge,
    group_of,
    invitation_of,
    marks_of,
    permanent_of,
    record_of,
    report_of,
    wire_of,
)
from reference_device_cases import CASES, EVERY, INVITATIONS, KEPT, REFUSED, SEQUENCES, SURVEYS, Case
from reference_draws import COINS, SURVEYS as DRAWN, coins_vector, report_vector
from reference_surveys import Document, canonical, n_values_of, written
from reference_together import JOINED


def draw(label: str, n_bytes: int) -> bytes:
    """Return bytes that look random, the same for the same label."""
    return hashlib.shake_256(label.encode()).digest(n_bytes)


def _coins(question: Document, seed: str) -> bytes:
    """Return the coins of a question's instantaneous stage, of which half of the bytes tie with a threshold's."""
    mechanism = question["mechanism"]
    limits = b"".join(mechanism[key].to_bytes(4, "big") for key in sorted(mechanism) if key.startswith("report_if"))
    plain = draw(f"{seed} {question['id']}", 12 * n_values_of(question) * 3 if limits else 0)
    return bytes(limits[byte % len(limits)] if byte < 128 else byte for byte in plain)


def _report(case: Case) -> dict[str, Any]:
    about, name, wave, given = case
    survey, seed = SURVEYS[name], f"{about} {wave}"
    secret, report_id = draw(about, 32), draw(f"id {seed}", 16)
    answers = [answer_of(question, given) for question in survey["questions"]]
    pairs = list(zip(survey["questions"], answers, strict=True))
    permanent = [permanent_of(survey, question, answer, secret) for question, answer in pairs]
    streams = [Stream(_coins(question, seed)) for question in survey["questions"]]
    columns = [
        report_of(question["mechanism"], n_values_of(question), response, stream)
        for question, response, stream in zip(survey["questions"], permanent, streams, strict=True)
    ]
    made = {
        "about": about,
        "survey": name,
        "secret": secret.hex(),
        "wave": wave,
        "answers": given,
        "coins": [stream.stream[: stream.used].hex() for stream in streams],
        "groups": {q["id"]: group_of(survey, q, secret) for q in survey["questions"] if q["type"] == "text"},
        "permanent": [response.hex() for response in permanent],
        "marks": marks_of(survey, answers, secret).hex(),
        "record": record_of(survey, wave, columns).hex(),
        "wire": wire_of(survey, columns),
        "id": report_id.hex(),
        "body": body_of(survey, report_id, wave, columns),
    }
    if not survey.get("invited"):
        return made
    code = draw(f"invitation {about}", 16)
    with_invitation = body_of(survey, report_id, wave, columns, invitation_of(code))
    return made | {"invitation": invitation_of(code), "body_with_invitation": with_invitation}


def _sequence(about: str, name: str, given: list[dict[str, Any]]) -> dict[str, Any]:
    survey, secret = SURVEYS[name], draw(about, 32)
    steps = [
        {
            "answers": answers,
            "marks": marks_of(survey, [answer_of(q, answers) for q in survey["questions"]], secret).hex(),
            "epsilon": written(charge(survey, answers, given[:index], secret)),
        }
        for index, answers in enumerate(given)
    ]
    return {"about": about, "survey": name, "secret": secret.hex(), "reports": steps}


_SIX = {f"q{index}": EVERY[f"q{index}"] for index in range(5)} | {"pot": True}
_PAIRED = {key: JOINED[key] for key in ("b", "c", "region")}
DRAWS: list[tuple[str, str, int, dict[str, Any], int]] = [
    *[(f"one of two, device {number}", "draw one of two", 1, {"a": True, "b": False}, 0) for number in range(4)],
    *[(f"every mechanism, device {number}", "draw four", 1, EVERY, 0) for number in range(9)],
    *[("in waves", "draw in waves", wave, _SIX, wave - 1) for wave in (1, 2, 3)],
    *[(f"a pair of three, device {number}", "draw a pair", 1, _PAIRED, 0) for number in range(6)],
    *[("a pair in waves", "draw a pair in waves", wave, _PAIRED, wave - 1) for wave in (1, 2)],
    ("nearly all", "draw nine", 1, {f"q{i:02}": i % 2 == 0 for i in range(11)}, 0),
]
_ONCE = {one["id"]: EVERY[one["id"]] for one in ASKED_IN["one wave of twelve"]["questions"]}
WAVES: list[tuple[str, str, dict[str, Any]]] = [
    *[(f"once, device {number}", "one wave of twelve", _ONCE) for number in range(4)],
    *[(f"one of many waves, device {number}", "one wave of 300", {"q0": EVERY["q0"]}) for number in range(3)],
    *[(f"twice, device {number}", "two waves of five", _ONCE) for number in range(3)],
    *[(f"lasting noise, device {number}", "all waves but one, with lasting noise", KEPT) for number in range(2)],
]
ABOUT = (
    "What a device makes of answers. reports: coins are those of the instantaneous stage, a string for every question "
    "in the survey's order, read one behind the other; groups are the cohorts (and pairs) of text questions; permanent "
    "and record are packed. charges: what each of a device's reports takes after the earlier ones, nats, exact. "
    "refused: answers, and where: a question's id, or $. invitations: what is typed, and its bytes, null where it is "
    "refused. draw_coins: which of so many questions given coins draw, all of them used. draws: which questions a "
    "device draws from its seed, and its report of those, of answers to all; coins are those of the questions drawn. "
    "asked_in: which waves a device draws from its seed, and its report of each, of the same answers. "
    "Bytes are in hexadecimal. Written by tests/support/reference_device_vectors.py."
)


def vectors_text() -> str:
    """Return the text of tests/vectors/device.json, a line per vector."""
    members: dict[str, list[Any]] = {
        "reports": list(map(_report, CASES)),
        "charges": [_sequence(*sequence) for sequence in SEQUENCES],
        "refused": [{"survey": name, "answers": given, "where": where} for name, given, where in REFUSED],
        "invitations": [{"text": text, "bytes": code and code.hex()} for text, code in INVITATIONS],
        "draw_coins": [coins_vector(*case) for case in COINS],
        "draws": [report_vector(*case) for case in DRAWS],
        "asked_in": [asked_vectors(*case) for case in WAVES],
    }
    surveys = ",\n".join(
        f"{json.dumps(name)}: {json.dumps(canonical(survey))}" for name, survey in (SURVEYS | DRAWN | ASKED_IN).items()
    )
    lists = [f'"{name}": [\n' + ",\n".join(map(json.dumps, listed)) + "\n]" for name, listed in members.items()]
    head = f'"format": "sottovoce-device-vectors-1", "about": {json.dumps(ABOUT)},\n"surveys": {{\n{surveys}\n}}'
    return "{" + ",\n".join([head, *lists]) + "}\n"


if __name__ == "__main__":
    print(vectors_text(), end="")
