"""Which questions a device draws, and what it then sends, once more; no code of the packages.

reference_device_vectors.py writes its results down.
"""

import hashlib
import hmac
from typing import Any

from reference import Stream, uniform
from reference_device import (
    KeyStream,
    answer_of,
    blanks_after,
    charge,
    context_of,
    permanent_of,
    report_of,
    wire_of,
)
from reference_survey_cases import ALL, STAGES, WARNER, of_shape, symmetric
from reference_surveys import Document, canonical, fingerprint, n_values_of, question, survey, written
from reference_together import PAIRS, PAIRS_IN_WAVES

SURVEYS: dict[str, Document] = {
    "draw one of two": survey(*[question(i, "yes-no", WARNER) for i in ("b", "a")], draw=1),
    "draw four": survey(*ALL, draw=4),
    "draw in waves": survey(
        *ALL[:5],
        of_shape("pot", "yes-no", symmetric("basic-rappor", 0x90000000, **STAGES), 0, epsilon=1, epsilon_forever=2),
        draw=3,
        waves=3,
        invited=True,
    ),
    "draw a pair": survey(*PAIRS, draw=1),
    "draw a pair in waves": survey(*PAIRS_IN_WAVES, draw=1, waves=3),
    "draw nine": survey(*[question(f"q{i:02}", "yes-no", WARNER) for i in range(11)], draw=9),
}
COINS: list[tuple[int, int, str]] = [
    (2, 1, "7fff"),
    (2, 1, "8000"),
    (3, 1, "5556"),
    (3, 1, "0000aaab"),  # 0 of 3 is rejected, and drawn again
    (3, 2, "80005556"),
    (3, 2, "7fff5555"),
    (3, 2, "00000000" + "5556"),  # the second is rejected, the next is 1 of 3
    (7, 3, "0001" * 3),
    (200, 5, "0000" * 5 + "0101" * 5),
    (200, 199, "ffff" * 199),
    (9, 8, "0001" * 8),
]
"""How many questions, how many are drawn, and the coins; what is left of them is not used."""


def draw_questions(n_questions: int, n_drawn: int, stream: Stream) -> list[int]:
    """Return the places of n_drawn questions, ascending: of those up to t one, or t; t is each of the last n_drawn."""
    chosen: set[int] = set()
    for last in range(n_questions - n_drawn, n_questions):
        [one] = uniform(stream, last + 1, 1)
        chosen |= {last} if one in chosen else {one}
    return sorted(chosen)


def coins_vector(n_questions: int, n_drawn: int, coins: str) -> dict[str, Any]:
    """Return what given coins draw."""
    stream = Stream(bytes.fromhex(coins))
    drawn = draw_questions(n_questions, n_drawn, stream)
    used = stream.stream[: stream.used].hex()
    return {"n_questions": n_questions, "n_drawn": n_drawn, "coins": used, "drawn": drawn}


def report_vector(about: str, name: str, wave: int, given: dict[str, Any], earlier: int = 0) -> dict[str, Any]:
    """Return what a device draws from its seed, and its report; `earlier`: so often it gave these answers before."""
    document = SURVEYS[name]
    secret, seed, report_id = (_bytes(f"{label} {about}") for label in ("secret", "seed", "id"))
    parts = [b"sottovoce-draw-1", fingerprint(canonical(document)).encode()]
    context = b"".join(len(part).to_bytes(8, "big") + part for part in parts)
    drawn = draw_questions(len(document["questions"]), document["draw"], KeyStream(seed, context))
    asked = [document["questions"][place] for place in drawn]
    columns, coins, marks = [], [], b""
    for one in document["questions"]:
        answer = answer_of(one, given)
        permanent, stream = permanent_of(document, one, answer, secret), Stream(_bytes(f"{about} {one['id']}", 4000))
        columns.append(report_of(one["mechanism"], n_values_of(one), permanent, stream))
        if one in asked:
            coins.append(stream.stream[: stream.used].hex())
            tag = hmac.new(secret, context_of(document, one, "sottovoce-tag-1", answer), "sha256").digest()
            marks += tag if "waves" in document else permanent
    head = wave.to_bytes(2, "big") if "waves" in document else b""
    bits = sum(1 << place for place in drawn).to_bytes(-(-len(columns) // 8), "little")
    kept = [part if place in drawn else bytes(len(part)) for place, part in enumerate(columns)]
    of_all = wire_of(document, columns)
    wire = {one["id"]: of_all[one["id"]] for one in asked}
    units = charge(document | {"questions": asked}, given, [given] * earlier, secret)
    return {
        "about": about,
        "survey": name,
        "seed": seed.hex(),
        "secret": secret.hex(),
        "wave": wave,
        "answers": given,
        "drawn": [one["id"] for one in asked],
        "coins": coins,
        "marks": marks.hex(),
        "record": (head + bits + b"".join(kept)).hex(),
        "wire": wire,
        "id": report_id[:16].hex(),
        "n_earlier": earlier,
        "epsilon": written(units),
        "body": _body(document, report_id[:16], wave, wire, of_all),
    }


def _body(document: Document, report_id: bytes, wave: int, wire: dict[str, Any], of_all: dict[str, Any]) -> str:
    report = {"id": report_id.hex(), "answers": wire} | ({"wave": wave} if "waves" in document else {})
    text = canonical({"fingerprint": fingerprint(canonical(document)), "reports": [report]})
    by_id = {one["id"]: one for one in document["questions"]}
    longest = sorted(len(canonical({key: sent})) + blanks_after(by_id[key], sent) for key, sent in of_all.items())[
        -document["draw"] :
    ]
    n_blanks = sum(longest) - sum(len(canonical({key: sent})) for key, sent in wire.items())
    n_blanks += len(str(document["waves"])) - len(str(wave)) if "waves" in document else 0
    return text + " " * n_blanks


def _bytes(label: str, n_bytes: int = 32) -> bytes:
    return hashlib.shake_256(label.encode()).digest(n_bytes)
