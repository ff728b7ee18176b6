"""What the test vectors of a device are made of: surveys, answers to them, and texts that are no answers."""

from typing import Any

from reference_bloom import FAMILY
from reference_survey_cases import (
    ALL,
    ASKED,
    GRAMS,
    HALF,
    MEMOS,
    NUMBERS,
    PADDED,
    PLAIN,
    SOME_ASKED,
    SPOKEN,
    STAGES,
    WARNER,
    of_shape,
    symmetric,
    text_shape,
)
from reference_surveys import Document, question, survey
from reference_together import BOTH, BOTH_IN_WAVES, JOINED, THREE

GRINNING = "\U0001f600"
K_ARY = {"name": "k-ary", "threshold_if_true": 0x90000001}
OPTIONS = ["tea", "\u00e9", "e\u0301", 'a "b" \\ c', "say nothing"]
PULSE = {"epsilon": 1, "epsilon_forever": 2}  # by answer: 1, 1, and then nothing

SURVEYS: dict[str, Document] = {
    "every": survey(*ALL),
    "waves": survey(*ALL, waves=1000),
    "invited": survey(ALL[0], ALL[3], ALL[14], waves=3, invited=True),
    "strata": survey(ALL[0], ALL[3], waves=3, invited=True, strata=["north", "south"]),
    "ids": survey(*[question(i, "yes-no", WARNER) for i in ("b_1", "10", "9", "constructor", "b-1", "1")]),
    "options": survey(
        question("one", "one-of", symmetric("sue", 0xA0000000), OPTIONS),
        question("any", "any-of", symmetric("basic-rappor", 0xC0000000, max_selected=3, **STAGES), OPTIONS),
    ),
    "skips": survey(
        question("one", "one-of", K_ARY, OPTIONS, skip="say nothing"),
        of_shape("open", "text", symmetric("rappor", 0xC0000000, **text_shape(64, 2, 32)), 0, skip="(keine \u00e4)"),
        question("constructor", "one-of", K_ARY, ["yes", "no"], skip="no"),
    ),
    "wide": survey(
        of_shape("k", "one-of", {"name": "k-ary", "threshold_if_true": 0x20000000}, 300),
        of_shape("o", "one-of", {"name": "oue", "threshold_if_true": HALF, "threshold_if_other": 0x10000001}, 257),
        of_shape("f", "any-of", symmetric("basic-rappor", 0xC0000000, max_selected=300, **STAGES), 300),
    ),
    "long": survey(
        of_shape("filter", "text", symmetric("rappor", 0xB0000001, **text_shape(4096, 8, 64), **STAGES), 0),
        of_shape("grams", "text", symmetric("rappor", 0xB0000001, **text_shape(512, 3, 16), **STAGES, **GRAMS), 0),
        waves=2,
    ),
    "open": survey(
        of_shape("word", "text", symmetric("rappor", 0xD0000000, **text_shape(17, 2, 8), **GRAMS), 0),
        waves=2,
        public_results=True,
        min_reports=10,
    ),
    "pulse": survey(
        of_shape("yes", "yes-no", symmetric("basic-rappor", 0x90000000, **STAGES), 0, **PULSE),
        of_shape("any", "any-of", symmetric("basic-rappor", 0x90000000, max_selected=1, **STAGES), 3, **PULSE),
        of_shape("once", "yes-no", symmetric("warner", 0x90000000), 0),
        of_shape("word", "text", symmetric("rappor", 0x88000000, **text_shape(32, 1, 4), **STAGES), 0, skip="nothing"),
        waves=9,
    ),
    "numbers": survey(*NUMBERS),
    "spoken": SPOKEN,
    "numbers in waves": survey(*NUMBERS, waves=9),
    "low": survey(
        of_shape("low", "yes-no", symmetric("basic-rappor", 0x90000000), 0, epsilon=5, epsilon_forever=2),
        waves=2,
    ),
    "asked": survey(*[of_shape(f"a{index}", *shape) for index, shape in enumerate(ASKED[:3])], waves=3),
    "together": survey(BOTH, PLAIN, THREE),
    "together in waves": survey(*BOTH_IN_WAVES, waves=4),
    "members": survey(
        *[of_shape(f"p{index}", *shape) for index, shape in enumerate(PADDED[:6])],
        *[of_shape(f"s{index}", *shape) for index, shape in enumerate(SOME_ASKED)],
        waves=3,
    ),
    "memos": survey(*[of_shape(f"m{index}", *shape) for index, shape in enumerate(MEMOS.values())], waves=5),
}
EVERY: dict[str, Any] = {
    **{"q0": True, "q1": False, "q2": True, "q3": False},
    **{"q4": "option 5", "q5": "option 0", "q6": "option 2", "q7": "option 1", "q8": "option 8"},
    **{"q9": ["option 0", "option 8"], "q10": [f"option {n}" for n in range(9)], "q11": [], "q12": ["option 3"]},
    **{"q13": "www.google.com", "q14": "caf\u00e9", "q15": FAMILY, "q16": "x" * 200},
}
OTHERS: dict[str, Any] = EVERY | {"q0": False, "q3": True, "q4": "option 0", "q12": [], "q14": "cafe", "q16": GRINNING}
TYPED = ["a", "voce", "sottovoce", GRINNING * 3, GRINNING * 200, "caf\u00e9s", "cafe\u0301s", "\u0958" * 100, FAMILY]
TYPED += ["\u00e9" * 200, "a\u0323\u0307", "\ud55c\uae00", "\u1112\u1161\u11ab", "\ufeffx", " x ", "A", '"\\']
IDS = {"b_1": True, "10": False, "9": True, "constructor": False, "b-1": True, "1": False}
KEPT = {"m0": "option 5", "m1": "option 0", "m2": "option 256", "m3": "option 8", "m4": "option 1"}
MOVED = KEPT | {"m0": "option 0", "m2": "option 0", "m4": "option 2"}
SELECTED = {"a0": ["option 0", "option 8"], "a1": ["option 0"], "a2": [f"option {n}" for n in range(257)]}
ALL_JOINED = JOINED | {"a": True}
MEMBERS: dict[str, Any] = {
    **{
        "p0": ["option 7", "option 0"],
        "p1": ["option 0"],
        "p2": ["option 15"],
        "p3": [f"option {n}" for n in range(4)],
    },
    **{"p4": [], "p5": [f"option {10 * n}" for n in range(20)], "s0": ["option 0", "option 8", "option 4"]},
    **{"s1": ["option 1"], "s2": [f"option {n}" for n in range(0, 257, 2)], "s3": ["option 255"]},
}
LEFT = MEMBERS | {"p0": [], "p1": [], "p4": ["option 16"], "s0": [], "s3": ["option 0"]}
PULSED = {"yes": True, "any": ["option 1"], "once": True, "word": "calm"}

COUNTED = {"age": 33, "degrees": -0.25, "pulse": 60, "fine": 1e-12, "far": 5 * 10**14}
GROWN = {"age": 34, "degrees": 12.5, "pulse": 230, "fine": 0.004294967295, "far": -5 * 10**14}

Case = tuple[str, str, int, dict[str, Any]]
"""What about, the survey's name, the wave, the answers."""
CASES: list[Case] = [
    *[(f"every mechanism, device {number}", "every", 1, answers) for number in range(3) for answers in (EVERY, OTHERS)],
    *[("several waves", "waves", wave, answers) for wave, answers in ((1, EVERY), (2, EVERY), (1000, OTHERS))],
    *[("an invitation", "invited", wave, {"q0": True, "q3": True, "q14": "so"}) for wave in (1, 3)],
    *[("strata, of which nothing is sent", "strata", wave, {"q0": True, "q3": False}) for wave in (1, 3)],
    ("ids in the order of their letters, not of their numbers", "ids", 1, IDS),
    *[(f"options that look alike: {at}", "options", 1, {"one": OPTIONS[at], "any": [OPTIONS[at]]}) for at in (1, 2)],
    ("a selection in another order", "options", 1, {"one": "tea", "any": [OPTIONS[3], OPTIONS[0], OPTIONS[2]]}),
    ("skipped: null", "skips", 1, {"one": None, "open": None}),
    ("skipped: left out", "skips", 1, {}),
    ("skipped in words", "skips", 1, {"one": "say nothing", "open": "(keine a\u0308)"}),
    ("not skipped", "skips", 1, {"one": "tea", "open": " .\u200e\t"}),
    *[
        ("a survey in three languages, and a no that may be left out", "spoken", 1, {"b": "two", "constructor": 33} | a)
        for a in ({}, {"a": None}, {"a": False}, {"a": True})
    ],
    ("many options", "wide", 1, {"k": "option 299", "o": "option 256", "f": ["option 299", "option 0"]}),
    ("many options, all", "wide", 1, {"k": "option 0", "o": "option 0", "f": [f"option {n}" for n in range(300)]}),
    *[("long filters", "long", wave, {"filter": "so long", "grams": "a\u0301" * 9}) for wave in (1, 2)],
    *[("texts", "open", 1, {"word": text}) for text in TYPED],
    ("pots", "pulse", 9, PULSED),
    *[(f"an option, device {number}", "asked", 1, SELECTED) for number in range(4)],
    *[("an option, wave by wave", "asked", wave, SELECTED | {"a0": []}) for wave in (1, 3)],
    *[
        (f"asked together, device {device}", "together", 1, ALL_JOINED | other)
        for device in range(2)
        for other in ({}, {"smokes": True, "region": None}, {"region": "say nothing", "fasts": False}, {"b": True})
    ],
    *[("asked together, wave by wave", "together in waves", wave, JOINED) for wave in (1, 2)],
    ("asked together, another answer", "together in waves", 3, JOINED | {"c": False}),
    *[(f"sets and options, device {n}", "members", 1, given) for n in range(2) for given in (MEMBERS, LEFT)],
    *[("sets and options, wave by wave", "members", wave, given) for wave, given in ((2, MEMBERS), (3, LEFT))],
    *[("options that are kept", "memos", wave, answers) for wave, answers in ((1, KEPT), (2, KEPT), (5, MOVED))],
    *[
        (f"numbers, device {device}", "numbers", 1, given)
        for device, given in enumerate((COUNTED, GROWN, COUNTED | {"degrees": None, "pulse": None}))
    ],
    *[(f"numbers in wave {wave}", "numbers in waves", wave, given) for wave, given in ((1, COUNTED), (9, GROWN))],
]

SEQUENCES: list[tuple[str, str, list[dict[str, Any]]]] = [
    ("the same answers in every wave", "pulse", [PULSED] * 9),
    ("changed, and back again", "pulse", [PULSED | {"yes": wave % 2 == 0} for wave in range(9)]),
    ("another answer each time", "pulse", [PULSED | {"word": f"word {wave}"} for wave in range(4)]),
    ("skipped and said", "pulse", [PULSED | {"word": word} for word in (None, "nothing", "calm", None, "calm")]),
    ("one text in two forms", "pulse", [PULSED | {"word": word} for word in ("\u00e9", "e\u0301", "e", "\u00e9")]),
    ("a selection comes and goes", "pulse", [PULSED | {"any": any_of} for any_of in ([], ["option 0"], [], [], [])]),
    ("less is declared for ever than for a report", "low", [{"low": True}] * 2),
    ("one wave", "every", [EVERY]),
    ("all mechanisms over waves", "waves", [EVERY, OTHERS, EVERY, EVERY, OTHERS]),
    ("an option that is asked again", "asked", [SELECTED, SELECTED, SELECTED | {"a0": []}]),
    ("sets and options that are asked again", "members", [MEMBERS, MEMBERS, LEFT]),
    ("epsilons that do not add up", "memos", [KEPT] * 5),
    ("epsilons that do not add up, by answer", "memos", [KEPT, MOVED, KEPT, KEPT, MOVED]),
    ("answers to questions that are asked together stay", "together in waves", [JOINED] * 4),
    (
        "one of those asked together changes",
        "together in waves",
        [JOINED | {"region": region} for region in ("north", "\u00e9", "north", None)],
    ),
    ("a number that grows", "numbers in waves", [COUNTED | {"pulse": 30 + 20 * wave} for wave in range(9)]),
    ("numbers, back and forth", "numbers in waves", [(COUNTED, GROWN)[wave % 2] for wave in range(6)]),
]
"""Answers, wave after wave, and what each report takes."""

_NO_TEXTS: list[Any] = [
    "",
    "x" * 201,
    GRINNING * 201,
    "\u0958" * 101,
    "a\nb",
    "\0",
    "\x85",
    "\u2028",
    "\u202e",
    "\ud83d",
]
_BAD: dict[str, list[Any]] = {
    "q0": [None, 1, 0, "true", "yes", [], [True], {}],
    "q4": [None, "", "Option 0", "option 6", "option", 0, True, ["option 0"], {"option 0": True}],
    "q5": [None, "constructor", "length", "0"],
    "q9": [None, "option 0", "", 0, True, {"option 0": True}, ["option 0", "option 0"], ["option 9"], [0], [None]],
    "q10": [["option 0"] * 9, [["option 0"]], ["option 0", None]],
    "q13": [None, 5, True, ["a"], {}, *_NO_TEXTS],
}
_NO_ANSWERS: list[Any] = [None, True, 5, "b_1", [], [True] * 6, {}]
REFUSED: list[tuple[str, Any, str]] = [
    *[("every", EVERY | {key: given}, key) for key, listed in _BAD.items() for given in listed],
    ("every", EVERY | {"q9": ["option 0", "option 1", "option 2"]}, "q9"),
    ("every", EVERY | {"q12": [f"option {n}" for n in range(4)]}, "q12"),
    *[("options", {"one": text, "any": []}, "one") for text in ("E\u0301", "\u00e8", 'a "b" \\\\ c')],
    *[("skips", {"one": "tea", "open": text}, "open") for text in ("", 5, False)],
    ("skips", {"one": "", "open": None}, "one"),
    *[("spoken", {"a": given, "b": "two", "constructor": 33}, "a") for given in ("no", "", 0, [])],
    *[("spoken", {"b": given, "constructor": 33}, "b") for given in ("1", "2", "0", "\u4e8c")],
    *[("every", {key: given for key, given in EVERY.items() if key != left_out}, "$") for left_out in ("q0", "q13")],
    ("ids", {key: given for key, given in IDS.items() if key != "constructor"}, "$"),
    *[("ids", IDS | {unknown: True}, "$") for unknown in ("2", "B_1", "__proto__", "")],
    ("skips", {"ones": "tea"}, "$"),
    *[("ids", given, "$") for given in _NO_ANSWERS],
    *[("together", ALL_JOINED | {"smokes": given}, "smokes") for given in (None, 1, "yes", [], {})],
    *[("together", ALL_JOINED | {"region": given}, "region") for given in ("", "North", "e\u0301", 0, True, ["north"])],
    *[("together", ALL_JOINED | {unknown: {"smokes": True}}, "$") for unknown in ("both", "three", "d")],
    *[("together", {key: given for key, given in ALL_JOINED.items() if key != left_out}, "$") for left_out in "bc"],
    *[
        ("numbers", COUNTED | {"age": given}, "age")
        for given in (-1, 121, 120.5, "12", True, None, [12], 2**53 + 1, 1e300)
    ],
    *[("numbers", COUNTED | {"degrees": given}, "degrees") for given in (0.1 + 0.2, 13, -12.75, 0.3, "0.5", False, {})],
    *[("numbers", COUNTED | {"pulse": given}, "pulse") for given in (35, 20, 240)],
    *[("numbers", COUNTED | {"far": given}, "far") for given in (0, 10**15, 5 * 10**14 - 1)],
]
"""Survey, answers, and where they are refused: at a question's id, or $."""

CODE = bytes(range(16))
_TYPED = "aaaqeayeaudaocajbifqydiob4"
_WITH_S = "s" + _TYPED[1:]
INVITATIONS: list[tuple[Any, bytes | None]] = [
    *[(text, CODE) for text in (_TYPED, _TYPED.upper(), "AAAQ-EAYE AUDA OCAJ BIFQ YDIO B4", f"\t{_TYPED}\r\n")],
    *[(text, CODE) for text in ("-" * 174 + _TYPED, "\u00a0".join(_TYPED), "\u3000\u2003" + _TYPED + "\u2028")],
    ("7" * 25 + "4", b"\xff" * 16),
    ("a" * 26, bytes(16)),
    *[(text, None) for text in ("", "-" * 26, _TYPED[1:], _TYPED + "a", _TYPED + "======", "-" * 175 + _TYPED)],
    *[(first + _TYPED[1:], None) for first in "018_.+=\x00\u0131\uff41\u200b\ufeff"],
    *[(_WITH_S.replace("s", other), None) for other in ("\u017f", "\ud800")],
    *[("k" * 25 + "\u212a", None), ("\u200b" + _TYPED, None), ("\ufeff" + _TYPED, None), (_TYPED[:-1] + "5", None)],
    *[(_TYPED[:-1] + last, None) for last in "bcd7z"],
    *[(given, None) for given in (None, True, 5, [_TYPED], {"text": _TYPED})],
]
"""What is typed, and the 16 bytes that it stands for; None where it is refused."""
