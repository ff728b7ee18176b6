"""The surveys that the test vectors are made of: every type by every mechanism, and the edges of what is allowed."""

from decimal import Decimal
from typing import Any

from reference import SCALE, Published
from reference_surveys import Document, Part, canonical, question, survey
from segment_tables import FOUR, OF_MEANS, TABLES

HALF = SCALE // 2
Thresholds = tuple[str, Published, int]


def symmetric(name: str, true: int, **more: int) -> Published:
    """Return a mechanism whose thresholds add up to 2**32."""
    return {"name": name, "threshold_if_true": true, "threshold_if_other": SCALE - true} | more


def text_shape(n_bits: int, n_hashes: int, n_cohorts: int, **more: int) -> dict[str, int]:
    """Return what is published of a text's filters but the thresholds."""
    return {"n_bits": n_bits, "n_hashes": n_hashes, "n_cohorts": n_cohorts} | more


STAGES = {"report_if_one": 0xB3A29180, "report_if_zero": 0x00FF1234}
GRAMS = {"max_length": 8, "gram_length": 2}
FORCED = {"name": "forced-response", "threshold_if_true": 0xD5555555, "threshold_if_other": 0x15555556}
SHAPES: dict[str, Thresholds] = {
    "warner": ("yes-no", symmetric("warner", 0xBB2715CE), 0),
    "forced-response": ("yes-no", FORCED, 0),
    "yes-no": ("yes-no", symmetric("basic-rappor", 0xC0000000), 0),
    "yes-no, two stages": ("yes-no", symmetric("basic-rappor", 0xC0000000, **STAGES), 0),
    "k-ary": ("one-of", {"name": "k-ary", "threshold_if_true": 0x61C8864F}, 6),
    "sue": ("one-of", symmetric("sue", 0x9F597E53), 9),
    "oue": ("one-of", {"name": "oue", "threshold_if_true": HALF, "threshold_if_other": 0x44D8EA32}, 3),
    "one-of": ("one-of", symmetric("basic-rappor", 0x9F597E53), 2),
    "one-of, two stages": ("one-of", symmetric("basic-rappor", 0x9F597E53, **STAGES), 9),
    "bit-flips": ("any-of", symmetric("bit-flips", 0x90000000, max_selected=2), 9),
    "bit-flips of all": ("any-of", symmetric("bit-flips", 0x90000000, max_selected=9), 9),
    "any-of": ("any-of", symmetric("basic-rappor", 0xE0C0A080, max_selected=1), 1),
    "any-of, two stages": ("any-of", symmetric("basic-rappor", 0xE0C0A080, max_selected=3, **STAGES), 4),
    "text": ("text", symmetric("rappor", 0xC0000000, **text_shape(128, 2, 64)), 0),
    "text, two stages": ("text", symmetric("rappor", 0xE0C0A080, **text_shape(20, 3, 300), **STAGES), 0),
    "unknown": ("text", symmetric("rappor", 0xA0000000, **text_shape(9, 1, 1024), **GRAMS), 0),
    "unknown, two stages": (
        "text",
        symmetric("rappor", 0xE0C0A080, **text_shape(2, 2, 1, max_length=64, gram_length=4), **STAGES),
        0,
    ),
}
"""Every type by every mechanism: question type, published mechanism, number of options."""
ASKED: list[Thresholds] = [
    ("any-of", symmetric("asked-option", true, max_selected=most), n_options)
    for true, most, n_options in ((0xBB2715CE, 3, 9), (0xC0000000, 1, 1), (0x88000000, 257, 257), (SCALE - 1, 1, 256))
]
SOME_ASKED: list[Thresholds] = [
    ("any-of", symmetric("asked-option", true, max_selected=most, asked=n_asked), n_options)
    for true, most, n_asked, n_options in (
        (0xBB2715CE, 3, 2, 9),
        (0xC0000000, 1, 3, 3),
        (0x88000000, 257, 100, 257),
        (SCALE - 1, 2, 9, 256),
    )
]
PADDED: list[Thresholds] = [
    ("any-of", {"name": "subset", "threshold_if_true": true, "max_selected": most, "weight": weight}, n_options)
    for true, most, weight, n_options in (
        (0xA616F194, 2, 1, 8),
        (0x90000000, 1, 1, 1),
        (0x893FD9B1, 3, 2, 16),
        (SCALE - 1, 4, 1, 4),
        (0xA0000000, 1, 9, 17),
        (0xA0000000, 20, 6, 200),
        (0xA0000000, 3, 100, 600),
    )
]
MEMO = {"report_if_one": 0xD0000001, "report_if_zero": 0x2FFFFFFF}
MEMOS: dict[str, Thresholds] = {
    "k-ary": ("one-of", {"name": "k-ary", "threshold_if_true": 0x91C8864F, "report_if_true": 0x70000001}, 6),
    "k-ary, 2 options": ("one-of", {"name": "k-ary", "threshold_if_true": 0xE1C8864F, "report_if_true": 0xB0000001}, 2),
    "k-ary, 257 options": (
        "one-of",
        {"name": "k-ary", "threshold_if_true": 0x41C8864F, "report_if_true": 0x30000001},
        257,
    ),
    "oue": ("one-of", {"name": "oue", "threshold_if_true": HALF, "threshold_if_other": 0x24D8EA32} | MEMO, 9),
    "oue, odd": ("one-of", {"name": "oue", "threshold_if_true": HALF, "threshold_if_other": 0x14D8EA32} | STAGES, 3),
}
"""One-of mechanisms of two stages whose epsilons do not add up."""


def of_shape(question_id: str, kind: str, published: Published, n_options: int, **more: Any) -> Document:
    """Return a question of one of the shapes."""
    options = [f"option {number}" for number in range(n_options)]
    return question(question_id, kind, published, options, **more)


def window(threshold: int, levels: int, width: int, **more: int) -> Published:
    """Return what is published of a number's window."""
    return {"name": "window", "threshold_if_true": threshold, "levels": levels, "width": width} | more


def number(question_id: str, published: Published, *ends: Any, **more: Any) -> Document:
    """Return a question for a number, of a minimum, a maximum and a step."""
    return question(
        question_id, "number", published, **dict(zip(("minimum", "maximum", "step"), ends, strict=True)), **more
    )


def sketch(threshold: int, field: int, dimension: int, n_cohorts: int, *prefix_lengths: int) -> Published:
    """Return what is published of a text's sketch."""
    shape = {"field": field, "dimension": dimension, "n_cohorts": n_cohorts}
    prefixes = {"prefix_lengths": [*prefix_lengths]} if prefix_lengths else {}
    return {"name": "sketch", "threshold_if_true": threshold} | shape | prefixes


OPEN_ONCE = [
    question("wish", "text", sketch(0x92492493, 3, 6, 720)),
    question("street", "text", sketch(0xFEDCBA98, 11, 3, 1000, 1, 3, 5, 7, 200), skip="(keine Angabe)"),
]
NUMBERS = [
    number("age", window(0xBB2715CE, 2, 1), 0, 120, 1, unit="years"),
    number(
        "degrees", window(0xE7654321, 10, 3), Decimal("-12.5"), Decimal("12.5"), Decimal("0.25"), skip=Decimal("0.5")
    ),
    number("pulse", window(0xBB2715CE, 2, 1, report_if_true=0xCDABCDEF), 30, 230, 10, unit="\u00e9 / min", skip=30),
    number("fine", window(0xFEDCBA98, 1024, 500), 0, Decimal("0.004294967295"), Decimal("0.000000000001")),
    number("far", window(0xC0000000, 2, 2), -5 * 10**14, 5 * 10**14, 10**15),
]
BY_SEGMENTS = [number("hours", OF_MEANS, 0, 40, Decimal("0.5"), skip=8), number("stars", FOUR, 1, 5, 1)]
WARNER = symmetric("warner", 0xC0000000)
PLAIN = question("a", "yes-no", WARNER)
ALL = [of_shape(f"q{index}", *shape) for index, shape in enumerate(SHAPES.values())]
TWO_STAGES = of_shape("two", *SHAPES["yes-no, two stages"])
# What stands beside forbidden characters is allowed: joiners, a byte order mark inside, what was never assigned.
NEIGHBOURS = "\ufeff \u00a0\u00ad\u061b\u061d\u200b\u200c\u200d\u2010\u2027\u202f\u2065\u206a\ufffe\U0010ffff"
ESCAPED = 'say "so" \\ / \u007e < > & \' \u00e9 e\u0301 \U0001f600'

ONE_STAGE = [one for one in ALL if not any(key.startswith("report_if") for key in one["mechanism"])]
_MEMBERS = [of_shape(f"q{i}", *shape) for i, shape in enumerate([*PADDED[:3], *SOME_ASKED[:2]])]
SURVEYS: list[tuple[str, Document]] = [
    *[(about, survey(of_shape("a", *shape))) for about, shape in SHAPES.items()],
    ("every mechanism, every setting", survey(*ALL, waves=12, invited=True, min_reports=50, public_results=True)),
    (
        "a skip of either kind",
        survey(
            question(
                "one",
                "one-of",
                {"name": "k-ary", "threshold_if_true": 0x80000001},
                ["yes", "no", "say nothing"],
                skip="say nothing",
            ),
            of_shape("open", *SHAPES["text"], skip="(keine Angabe)"),
        ),
    ),
    (
        "ids like numbers, and one that every object has",
        survey(*[question(i, "yes-no", WARNER) for i in ("10", "9", "1", "constructor", "a-b", "a_b", "0" * 64)]),
    ),
    (
        "quotes, escapes and accents",
        survey(
            question(
                "a",
                "one-of",
                {"name": "k-ary", "threshold_if_true": 0x80000001},
                [ESCAPED, "\u00e9", "e\u0301"],
                text=ESCAPED,
            ),
            title=ESCAPED,
        ),
    ),
    ("what stands beside forbidden characters", survey(PLAIN | {"text": NEIGHBOURS}, title=NEIGHBOURS)),
    (
        "characters outside the first plane count once",
        survey(
            question("a", "any-of", symmetric("bit-flips", 0x90000000, max_selected=1), ["\U0001f600" * 200]),
            title="\U0001f600" * 2000,
        ),
    ),
    ("256 options", survey(of_shape("a", "one-of", {"name": "k-ary", "threshold_if_true": 0x20000000}, 256))),
    ("257 options", survey(of_shape("a", "one-of", {"name": "k-ary", "threshold_if_true": 0x20000000}, 257))),
    (
        "300 options, two stages",
        survey(of_shape("a", "any-of", symmetric("basic-rappor", 0x88000000, max_selected=300, **STAGES), 300)),
    ),
    (
        "as many bits in all cohorts as may be",
        survey(of_shape("a", "text", symmetric("rappor", 0xC0000000, **text_shape(4096, 8, 64)), 0)),
    ),
    ("the most waves, the largest minimum", survey(TWO_STAGES, waves=1000, min_reports=1_000_000)),
    ("counts alone are kept", survey(PLAIN, keep="counts")),
    (
        "counts alone are kept, and everything else is set",
        survey(TWO_STAGES, waves=3, invited=True, min_reports=2, public_results=True, keep="counts"),
    ),
    (
        "declares more than it takes",
        survey(PLAIN | {"epsilon": 1_000_000}, TWO_STAGES | {"epsilon": 3, "epsilon_forever": 4}),
    ),
    ("declares less for ever than for a report", survey(TWO_STAGES | {"epsilon": 5, "epsilon_forever": 2}, waves=2)),
    *[(f"{kind}, two stages, in waves", survey(of_shape("a", *MEMOS[kind]), waves=7)) for kind in MEMOS],
    ("an option that is asked", survey(*[of_shape(f"q{i}", *shape) for i, shape in enumerate(ASKED)])),
    ("an option that is asked, in waves", survey(of_shape("a", *ASKED[0]), waves=4)),
    ("options that are asked", survey(*[of_shape(f"q{i}", *shape) for i, shape in enumerate(SOME_ASKED)])),
    ("padded sets", survey(*[of_shape(f"q{i}", *shape) for i, shape in enumerate(PADDED)])),
    ("padded sets and options that are asked, in waves", survey(*_MEMBERS, waves=3, draw=4)),
    ("a few waves of few options", survey(*[of_shape(f"q{i}", *MEMOS[kind]) for i, kind in enumerate(MEMOS)], waves=3)),
    ("one question of two is drawn", survey(PLAIN, PLAIN | {"id": "b", "epsilon": 3}, draw=1)),
    ("all but one are drawn", survey(*ALL, draw=len(ALL) - 1)),
    (
        "what is drawn takes most in one report or in all",
        survey(
            TWO_STAGES | {"epsilon": 3, "epsilon_forever": 4},
            PLAIN | {"epsilon": Decimal("3.5")},
            TWO_STAGES | {"id": "long", "epsilon": 2, "epsilon_forever": 9},
            draw=2,
            waves=7,
        ),
    ),
    ("asked in one wave of two", survey(PLAIN, waves=2, asked_in=1)),
    ("asked in all waves but one", survey(*ONE_STAGE, waves=1000, asked_in=999)),
    ("asked in some waves, with lasting noise", survey(of_shape("a", *MEMOS["oue"]), waves=9, asked_in=4)),
    ("drawn questions in drawn waves", survey(*ONE_STAGE, draw=3, waves=7, asked_in=2)),
    ("two strata", survey(PLAIN, invited=True, strata=["north", "south"])),
    ("a tree of strata, and names that are none", survey(PLAIN, invited=True, strata=["north/it", "/", "north"])),
    (
        "the most strata, of names as they may be",
        survey(
            *ALL,
            waves=9,
            invited=True,
            strata=[f"{place:2}".replace(" ", "x") + "\U0001f600" * 38 for place in range(64)],
        ),
    ),
    ("numbers", survey(*NUMBERS)),
    ("numbers in waves", survey(*NUMBERS, waves=6)),
    ("numbers by segments", survey(*BY_SEGMENTS)),
    ("numbers by segments in waves", survey(*BY_SEGMENTS, waves=3)),
    ("sketches", survey(*OPEN_ONCE)),
    ("a sketch and others are drawn", survey(*OPEN_ONCE, *NUMBERS, draw=3, min_reports=9)),
    ("results are about those who answer", survey(PLAIN, about="respondents")),
    (
        "options have scores",
        survey(
            question("b", "one-of", {"name": "k-ary", "threshold_if_true": 0x80000001}, ["a", "b", "c"], skip="c")
            | {"scores": [-1000, 1000, "none"]}
        ),
    ),
    ("reports are erased the day after the last", survey(PLAIN, closes="2028-02-28", erase_after=1)),
    ("reports are kept as long as may be", survey(PLAIN, waves=2, closes="9989-12-30", erase_after=3653)),
]


TEXTS = {"introduction": "We ask.", "controller": "The canteen", "contact": "lunch@example.org"}
SPOKEN = survey(
    PLAIN | {"section": "At work", "skip": "no", "want": Decimal("0.05")},
    question("b", "one-of", {"name": "k-ary", "threshold_if_true": 0x80000001}, ["one", "two", "none"], skip="none"),
    NUMBERS[0] | {"id": "constructor", "section": "At home", "want": 60},
    lang="de-x-easy",
    closes="2028-02-29",
    translations={
        "ar": {
            "title": "\u0627\u0633\u062a\u0628\u064a\u0627\u0646",
            "introduction": "\u0646\u0633\u0623\u0644.",
            "controller": "The canteen",
            "contact": "lunch@example.org",
            "questions": {
                "a": {"section": "\u0641\u064a \u0627\u0644\u0639\u0645\u0644", "text": "\u0647\u0644\u061f"},
                "b": {"options": ["1", "2", "0"], "text": "\u0643\u0645\u061f"},
                "constructor": {
                    "section": "x",
                    "text": "\u0627\u0644\u0639\u0645\u0631\u061f",
                    "unit": "\u0633\u0646\u0629",
                },
            },
        },
        "zh-Hant-TW": TEXTS
        | {
            "title": "\u8abf\u67e5",
            "questions": {
                "a": {"section": "y", "text": "\u55ce"},
                "b": {"options": ["\u4e00", "\u4e8c", "none"], "text": "\u5e7e"},
                "constructor": {"section": "z", "text": "\u6b72", "unit": "\u6b72"},
            },
        },
    },
    **TEXTS,
)
"""Everything that respondents read, in three languages."""
SURVEYS += [
    ("three languages, and every text", SPOKEN),
    ("another language than English alone", survey(PLAIN, lang="pt-BR")),
    ("variants, one of them for private use as well", survey(PLAIN, lang="sl-rozaj-1994-x-a-1994-a")),
    ("who leaves it out said yes", survey(PLAIN | {"skip": "yes"})),
    (
        "the smallest aim, and the largest",
        survey(
            PLAIN | {"want": Decimal("0.000000000001")},
            NUMBERS[3] | {"want": Decimal("0.002147483647")},
            NUMBERS[4] | {"want": 5 * 10**14},
        ),
    ),
]


def _put(document: Document, run: list[Part]) -> list[Part]:
    """Return a text in parts: the run stands wherever the document has the text @."""
    *heads, tail = canonical(document).split('"@"')
    return [part for head in heads for part in [(head, 1), *run]] + [(tail, 1)]


_LONG_OPTIONS = ["x" * 196 + str(number) for number in range(2585)]
_LONG = [question(i, "one-of", {"name": "k-ary", "threshold_if_true": HALF}, _LONG_OPTIONS) for i in "ab"]


def _run(text: str, times: int) -> list[Part]:
    """Return so many numbered texts with commas between them."""
    return [(text + ",", times - 1), (text.replace("#", str(times - 1)), 1)]


def full(n_bytes: int) -> tuple[Document, list[Part]]:
    """Return a survey whose text has so many bytes, a little over a million, and its parts."""
    document = survey(*_LONG)
    document["title"] = "t" * (n_bytes - len(canonical(document)) + len(document["title"]))
    short = document | {"questions": [question | {"options": ["@"]} for question in _LONG]}
    return document, _put(short, _run('"' + "x" * 196 + '#"', 2585))


_WIDE = of_shape("a", "one-of", {"name": "k-ary", "threshold_if_true": HALF}, 4096)
_MANY = survey(*[PLAIN | {"id": f"q{number}"} for number in range(200)])
LARGE: list[tuple[str, Document, list[Part]]] = [
    ("4096 options", survey(_WIDE), _put(survey(_WIDE | {"options": ["@"]}), _run('"option #"', 4096))),
    ("200 questions", _MANY, _put(_MANY | {"questions": ["@"]}, _run(canonical(PLAIN | {"id": "q#"}), 200))),
    ("a mebibyte", *full(2**20)),
]

TRUES = [HALF + 1, 0x80000100, 0x88888888, 0xA5A5A5A5, 0xC0000000, 0xDEADBEEF, 0xFFFFFF00, SCALE - 1]
_STAGES = [(SCALE - 1, 1), (0xC0000000, 0x40000000), (HALF + 1, HALF), (2, 1), (SCALE - 1, SCALE - 2), (0xFEDCBA98, 7)]


def thresholds_of(kind: str, published: Published, n_options: int) -> list[Thresholds]:
    """Return a shape with other thresholds: from the smallest epsilon to the largest, and what is between."""
    varied = []
    for index, true in enumerate(TRUES):
        other = SCALE - true
        if published["name"] == "oue":
            true = HALF
        if published["name"] == "forced-response":
            other = [1, true - 1, HALF, 0x00FFFF01][index % 4]
        more = {"threshold_if_true": true} | ({} if published["name"] == "k-ary" else {"threshold_if_other": other})
        if "report_if_one" in published:
            more |= dict(zip(("report_if_one", "report_if_zero"), _STAGES[index % len(_STAGES)], strict=True))
        varied.append((kind, published | more, n_options))
    return varied


def _two(true: int, one: int, zero: int) -> Published:
    return symmetric("basic-rappor", true, report_if_one=one, report_if_zero=zero)


def _forced(true: int, other: int) -> Published:
    return {"name": "forced-response", "threshold_if_true": true, "threshold_if_other": other}


def _k_ary(true: int) -> Published:
    return {"name": "k-ary", "threshold_if_true": true}


NEARLY: list[Thresholds] = [
    ("yes-no", symmetric("warner", 3175878615), 0),
    ("yes-no", symmetric("warner", 2753840293), 0),
    ("yes-no", _forced(2214193542, 1697249503), 0),
    ("yes-no", _forced(1879843191, 166410785), 0),
    ("yes-no", _two(3267155619, 3613056165, 509318834), 0),
    ("yes-no", _two(2345773462, 3737067807, 158810567), 0),
    ("one-of", _k_ary(3219371744), 3),
    ("one-of", _k_ary(2249199049), 3),
    ("one-of", _k_ary(3007518280), 4096),
    ("one-of", _k_ary(2920036889), 4096),
    ("one-of", symmetric("sue", 2472819974), 5),
    ("any-of", symmetric("bit-flips", 3819490163, max_selected=3), 7),
    ("any-of", symmetric("bit-flips", 3577399255, max_selected=9), 9),
    ("text", symmetric("rappor", 2299940166, **text_shape(128, 2, 64)), 0),
    ("text", symmetric("rappor", 2265723902, **text_shape(128, 2, 64, **GRAMS)), 0),
]
"""Thresholds whose epsilon is within 1e-18 of a number of twelve decimals, above it or below, found by a search.

Those of forced-response are convergents of the continued fraction of e^g, for g of twelve decimals, within 1e-22; those
of basic-rappor convergents of tanh(g/2) with a numerator that factors, within 1e-30.
"""
EDGES: list[Thresholds] = [
    ("any-of", symmetric("bit-flips", SCALE - 1, max_selected=300), 300),
    ("any-of", symmetric("bit-flips", SCALE - 1, max_selected=150), 300),
    ("any-of", symmetric("bit-flips", 0xC0000000, max_selected=200), 300),
    ("one-of", _k_ary(SCALE // 4096 + 1), 4096),
    ("one-of", _k_ary(SCALE - 1), 4096),
    ("one-of", _k_ary(SCALE // 3 + 1), 3),
    *[
        ("text", symmetric("rappor", 0xC0000000, **text_shape(*shape)), 0)
        for shape in ((2, 2, 1), (3, 2, 1), (3, 3, 1), (5, 3, 1), (4096, 8, 64))
    ],
    ("text", symmetric("rappor", SCALE - 1, **text_shape(4096, 8, 64, max_length=64, gram_length=4)), 0),
]
WINDOWS: list[Thresholds] = [
    *[("number", window(true, 2, 1), 121) for true in TRUES],
    *[("number", window(true, 2, 1, report_if_true=again), 121) for true in TRUES for again in TRUES[::3]],
    *[("number", window(true, *shape), 2**32) for true in TRUES for shape in ((3, 2), (10, 3), (64, 20), (1024, 999))],
]
SEGMENTS: list[Thresholds] = [("number", table, n_numbers) for table in TABLES for n_numbers in (2, 121, 2**32)]
SKETCHES: list[Thresholds] = [
    ("text", sketch(true, *shape), 0)
    for true in TRUES
    for shape in ((2, 2, 1024), (3, 5, 1024), (491, 2, 532), (61, 3, 66, 3, 6), (22_013, 2, 11))
]
STAGES_OF_K_ARY = [
    ("one-of", {"name": "k-ary", "threshold_if_true": true, "report_if_true": kept}, n_options)
    for true, kept, n_options in (
        (0x80000001, 0x80000001, 2),
        (SCALE - 1, HALF + 1, 2),
        (0x60000000, SCALE - 1, 3),
        (SCALE - 1, SCALE - 1, 4096),
        (SCALE // 4096 + 1, SCALE // 4096 + 1, 4096),
        (0xDEADBEEF, 0x12345678, 300),
    )
]
OF_TWO_STAGES = [*MEMOS.values(), *thresholds_of(*MEMOS["oue"]), *STAGES_OF_K_ARY]
EPSILONS = [varied for shape in SHAPES.values() for varied in thresholds_of(*shape)] + NEARLY + EDGES + OF_TWO_STAGES
EPSILONS += [*WINDOWS, *SEGMENTS, *SKETCHES, *ASKED, *thresholds_of(*ASKED[0])]
EPSILONS += [*SOME_ASKED, *thresholds_of(*SOME_ASKED[0]), *PADDED]
