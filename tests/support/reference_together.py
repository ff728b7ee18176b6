"""Questions that are asked together, as they are published, and what no collector may publish of them:

python tests/support/reference_together.py > tests/vectors/together.json
"""

import json
from collections.abc import Iterator
from decimal import Decimal
from itertools import product
from typing import Any

from reference_refused_members import FORBIDDEN, NO_IDS, NO_OBJECTS, NO_TEXTS, leave_out, put
from reference_survey_cases import HALF, MEMO, PLAIN
from reference_surveys import Document, canonical, epsilon_of, fingerprint, joint, survey, units_of, written

SMOKES: Document = {"id": "smokes", "type": "yes-no", "text": "Do you smoke?"}
REGION: Document = {
    "id": "region",
    "type": "one-of",
    "text": "Where?",
    "options": ["north", "\u00e9", "say nothing"],
    "skip": "say nothing",
}
FASTS: Document = {"id": "fasts", "type": "yes-no", "text": "Do you fast?", "skip": "yes", "section": "Food"}
B, C = ({"id": one, "type": "yes-no", "text": f"{one}?"} for one in "bc")
K_ARY = {"name": "k-ary", "threshold_if_true": 0x61C8864F}
OUE = {"name": "oue", "threshold_if_true": HALF, "threshold_if_other": 0x44D8EA32}
K_TWICE = {"name": "k-ary", "threshold_if_true": 0x91C8864F, "report_if_true": 0x70000001}
OUE_TWICE = OUE | {"threshold_if_other": 0x24D8EA32} | MEMO

BOTH = joint("both", K_ARY, SMOKES, REGION)
THREE = joint("three", OUE, FASTS, B, C)
BOTH_IN_WAVES = [joint("both", K_TWICE, SMOKES, REGION), joint("three", OUE_TWICE, FASTS, B, C)]
_PAIRS = (("b-c", B, C), ("b-region", B, REGION), ("c-region", C, REGION))
PAIRS = [joint(name, K_ARY, *items) for name, *items in _PAIRS]
PAIRS_IN_WAVES = [joint(name, K_TWICE, *items) for name, *items in _PAIRS]
JOINED: dict[str, Any] = {"smokes": False, "region": "north", "fasts": None, "b": False, "c": True}
"""Answers by item to all of these."""

SPOKEN = survey(
    joint("both", K_ARY, SMOKES | {"section": "Habits"}, REGION),
    translations={
        "de": {
            "title": "Eine Umfrage",
            "questions": {
                "smokes": {"text": "Rauchen Sie?", "section": "Gewohnheiten"},
                "region": {"text": "Wo?", "options": ["N", "E", "keine Angabe"]},
            },
        }
    },
)
SURVEYS: list[tuple[str, Document]] = [
    ("two questions and three, and one alone", survey(BOTH, PLAIN, THREE)),
    ("over waves", survey(*BOTH_IN_WAVES, waves=4)),
    ("pairs, of which one is drawn", survey(*PAIRS, draw=1)),
    ("pairs over waves", survey(*PAIRS_IN_WAVES, draw=1, waves=3)),
    ("two languages", SPOKEN),
    (
        "as many combinations as may be",
        survey(joint("a", K_ARY, B, REGION | {"options": [f"{n}" for n in range(2047)] + ["say nothing"]})),
    ),
]
J, Q = survey(BOTH, PLAIN), "$.questions[0]"
ONE, OTHER = f"{Q}.questions[0]", f"{Q}.questions[1]"
_ITEMS = [canonical(item) for item in (SMOKES, REGION, B, C)]
_MANY = canonical(REGION | {"options": [f"{n}" for n in range(2048)] + ["say nothing"]})
_COMMAS = [
    {"id": one, "type": "one-of", "text": "X?", "options": options}
    for one, options in (("x", ["a, b", "a"]), ("y", ["c", "b, c"]))
]

MEMBERS: list[tuple[Document, str, list[str]]] = [
    (J, f"{Q}.questions", ["null", "{}", '"smokes"', "2", "[]", f"[{_ITEMS[0]}]", f"[{','.join(_ITEMS)}]"]),
    (J, f"{Q}.questions", [f"[{_ITEMS[0]},{_MANY}]", canonical(_COMMAS)]),
    (J, f"{Q}.questions", [canonical([B, B]), canonical([B, REGION, B]), canonical([B, C | {"id": "b"}])]),
    *[(J, item, NO_OBJECTS) for item in (ONE, OTHER)],
    *[(J, f"{item}.id", NO_IDS) for item in (ONE, OTHER)],
    (J, f"{ONE}.text", NO_TEXTS),
    (J, f"{ONE}.section", NO_TEXTS),
    (J, f"{ONE}.type", ['"any-of"', '"number"', '"text"', '"joint"', '"constructor"', "null", '["yes-no"]']),
    (J, f"{ONE}.skip", ['"maybe"', "true", "null"]),
    (J, f"{ONE}.want", ["0", "0.6", '"0.1"', "null"]),
    (J, f"{OTHER}.skip", ['"North"', '""', "0", "null", '["north"]']),
    (J, f"{OTHER}.options", ["null", "[]", '["a"]', '["a","a"]', '["a",""]', '["a",1]', f'["a","b{FORBIDDEN[0]}"]']),
    (J, f"{Q}.type", ['"one-off"', '"pairs"']),
    (J, f"{Q}.epsilon", [written(units_of(BOTH["epsilon"]) - 1), "0", "null"]),
    (J, f"{Q}.skip", ['"no, north"', "null"]),
    (J, f"{Q}.mechanism.name", ['"warner"', '"sue"', '"basic-rappor"', '"bit-flips"', '"asked-option"', '"joint"']),
    (SPOKEN, "$.translations.de.questions.region.options", ['["N","E"]', '["N","E","F","G"]', "null"]),
]
"""JSON that is refused at the place where it stands."""
MISSING: list[tuple[Document, str, list[str]]] = [
    (J, Q, ["questions", "epsilon", "mechanism"]),
    (J, ONE, ["id", "type", "text"]),
    (J, OTHER, ["options"]),
    (SPOKEN, "$.translations.de.questions", ["smokes", "region"]),
]
UNKNOWN: list[tuple[Document, str, list[str]]] = [
    (J, Q, ["text", "options", "items", "draw", "__proto__"]),
    (J, ONE, ["epsilon", "mechanism", "options", "epsilon_forever", "questions", "draw", "__proto__"]),
    (SPOKEN, "$.translations.de.questions", ["both"]),
]
ALONE = {key: PLAIN[key] for key in ("id", "type", "text")}
IDS: list[tuple[str, Document]] = [
    ("a question alone and in a group", survey(joint("both", K_ARY, SMOKES, ALONE), PLAIN)),
    *[
        (
            f"a question that has another {key} in another pair",
            survey(PAIRS[0], joint("c-b", K_ARY, C, B | {key: value})),
        )
        for key, value in {"text": "B?", "skip": "yes", "section": "S", "want": Decimal("0.1")}.items()
    ],
    ("a group that is named as its question", survey(BOTH | {"id": "smokes"}, PLAIN)),
    ("a group that is named as a question alone", survey(BOTH | {"id": "a"}, PLAIN)),
    ("a group that is named as a question of another", survey(BOTH | {"id": "b"}, THREE)),
    ("two groups of one name", survey(BOTH, THREE | {"id": "both"})),
]
"""Ids that stand for two things: refused at $.questions."""
TWICE = [("pairs, of which all are asked", survey(*PAIRS)), ("pairs, of which two are drawn", survey(*PAIRS, draw=2))]
"""Devices that would report a question twice: refused at $.draw."""

ABOUT = (
    "Published surveys with questions that are asked together. surveys: texts that are accepted, their fingerprint, "
    "what they take over all waves (nats, exact), what stands on a form, in order, and the options of each question of "
    "several. refused: texts that are not, and the place where. What devices make of answers is in device.json. "
    "Written by tests/support/reference_together.py."
)


def options_of(question: Document) -> list[str]:
    """Return the combinations, the last answer's fastest."""
    return [
        ", ".join(cell) for cell in product(*[item.get("options", ["no", "yes"]) for item in question["questions"]])
    ]


def _survey(about: str, document: Document) -> dict[str, Any]:
    text, n_drawn = canonical(document), document.get("draw", len(document["questions"]))
    items = [item["id"] for question in document["questions"] for item in question.get("questions", [question])]
    asked = [question for question in document["questions"] if question["type"] == "joint"]
    taken = sorted(epsilon_of(question, document.get("waves", 1)) for question in document["questions"])
    return {
        "about": about,
        "text": text,
        "fingerprint": fingerprint(text),
        "epsilon_forever": written(sum(taken[-n_drawn:])),
        "items": list(dict.fromkeys(items)),
        "options": {question["id"]: options_of(question) for question in asked if len(text) < 10_000},
    }


def refused() -> Iterator[tuple[str, str, str]]:
    """Yield why a text is refused, where, and the text."""
    for document, path, tokens in MEMBERS:
        yield from ((f"{path} is {ascii(token)[1:-1]:.60}", path, put(document, path, token)) for token in tokens)
    for document, path, keys in MISSING:
        yield from ((f"no {key}", f"{path}.{key}", leave_out(document, f"{path}.{key}")) for key in keys)
    for document, path, keys in UNKNOWN:
        yield from ((f"unknown: {key}", path, put(document, f"{path}.{key}", "1")) for key in keys)
    for where, cases in (("$.questions", IDS), ("$.draw", TWICE)):
        yield from ((why, where, canonical(document)) for why, document in cases)


def vectors_text() -> str:
    """Return the text of tests/vectors/together.json, a line per vector."""
    members = {
        "surveys": [_survey(*case) for case in SURVEYS],
        "refused": [{"why": why, "where": where, "text": text} for why, where, text in refused()],
    }
    lists = [f'"{name}": [\n' + ",\n".join(map(json.dumps, listed)) + "\n]" for name, listed in members.items()]
    return f'{{"format": "sottovoce-together-vectors-1", "about": {json.dumps(ABOUT)},\n' + ",\n".join(lists) + "}\n"


if __name__ == "__main__":
    print(vectors_text(), end="")
