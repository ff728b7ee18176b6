"""Members that no published survey has: what is put in the place of a good one, and where it is refused."""

import json
import re
from decimal import Decimal
from typing import Any

from reference import SCALE
from reference_survey_cases import (
    ASKED,
    HALF,
    MEMOS,
    NUMBERS,
    OPEN_ONCE,
    PADDED,
    PLAIN,
    SHAPES,
    SOME_ASKED,
    SPOKEN,
    STAGES,
    TWO_STAGES as LASTING,
    of_shape,
    symmetric,
    text_shape,
)
from reference_surveys import Document, canonical, survey


def put(document: Document, path: str, token: str) -> str:
    """Return a document's text with this JSON in the place of what stands at a path such as $.questions[0].id."""
    return mark(document, path).replace('"@"', token)


def mark(document: Document, path: str) -> str:
    """Return a document's text with the text @ at a path, which may be new."""
    copy: Any = json.loads(canonical(document), parse_float=Decimal)
    place = copy
    *outer, last = [int(number) if number else name for name, number in re.findall(r"\.(\w+)|\[(\d+)\]", path)]
    for key in outer:
        place = place[key]
    place[last] = "@"
    return canonical(copy)


def leave_out(document: Document, path: str) -> str:
    """Return a document's text without what stands at a path."""
    return re.sub(r'"[a-z_]+":"@",?', "", mark(document, path)).replace(",}", "}")


def one(name: str, **more: Any) -> Document:
    """Return a survey of one question, of a shape by its name."""
    return survey(of_shape("a", *SHAPES[name], **more))


def _text(*shape: int) -> Document:
    return survey(of_shape("a", "text", symmetric("rappor", 0xC0000000, **text_shape(*shape)), 0))


P = survey(PLAIN)
ASKED_OPTION = survey(of_shape("a", *ASKED[0]))
SOME_OPTIONS, PADDED_SET = (survey(of_shape("a", *shape)) for shape in (SOME_ASKED[0], PADDED[2]))
K_TWICE, OUE_TWICE = (survey(of_shape("a", *MEMOS[name])) for name in ("k-ary", "oue"))
TWO = survey(PLAIN, PLAIN | {"id": "b"})
Q, M = "$.questions[0]", "$.questions[0].mechanism"
STRATA = P | {"invited": True, "strata": ["north", "south"]}
ENDS = P | {"closes": "2028-02-29", "erase_after": 30}
TRUE, OTHER = f"{M}.threshold_if_true", f"{M}.threshold_if_other"
ONE_OF, ANY_OF, OPEN, GRAMS, SPLIT = map(one, ("k-ary", "bit-flips", "text", "unknown", "yes-no, two stages"))
AGE, DEGREES, PULSE, FINE, FAR = map(survey, NUMBERS)
WISH, STREET = map(survey, OPEN_ONCE)
TWO_STAGES = [name for name in SHAPES if "two stages" in name]
SYMMETRIC = [name for name in SHAPES if name not in ("forced-response", "k-ary", "oue")]

FORBIDDEN = "\x7f\x85\x9f\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069"
NO_TEXTS = ['""', "5", "null", "true", "[]", '["a"]', '"\\u0000"', '"a\\nb"', '"\\u001f"']
NO_TEXTS += [f'"a{character}"' for character in FORBIDDEN]
NO_IDS = [
    '""',
    '"A"',
    '"a b"',
    '"-a"',
    '"_a"',
    f'"{"a" * 65}"',
    '"\u00e9"',
    '"a\\n"',
    '"a\u0131"',
    "5",
    "null",
    '["a"]',
]
TWICE_AS_LONG = '"' + "\u0958" * 101 + '"'  # of these each is two characters in normal form C
NO_OBJECTS = ["null", "5", "true", '"a"', "[]"]
NO_THRESHOLDS = ["0", "-1", "-0", "4294967296", "7516192768", "9" * 100, "1.5", "3221225472.0", "3e9", '"3221225472"']
NO_THRESHOLDS += ["true", "null", "[3221225472]", "{}"]
NO_FLAGS = ['"true"', "1", "null", "[]", "{}"]
NO_EPSILONS = ['"1"', "null", "[]", "{}", "-1", "1000001", "1000000.000000000001", "9" * 100, "1e40"]
NO_EPSILONS += ["1.0986122886690", "2.0000000000001", "2." + "0" * 40]
NO_TAGS = ['""', '"EN"', '"english"', '"pt-br"', '"zh-hant"', '"en_GB"', '"en-"', '"-en"', '"e"', '"en\\n"']
NO_TAGS += [f'"en-x-{"a" * 9}"', f'"en{"-abcdefgh" * 4}"', '"\u0435n"', '"__proto__"']
NO_TAGS += ['"sl-rozaj-rozaj"', '"de-1901-1996-1901"', '"de-1996-1996-x-easy"']
NO_DAYS = ["2026-02-29", "2026-13-01", "2026-00-10", "2026-04-31", "0000-01-01", "26-12-31", "2026-1-1", "2026-12-31Z"]
NO_DAYS += ["tomorrow", "", " 2026-12-31", "2026-12-31\\n", "\u0662\u0660\u0662\u0666-12-31", "+2026-12-31"]
AR = "$.translations.ar"


def _not_in(low: int, high: int) -> list[str]:
    """Return JSON that is no integer in [low, high]."""
    return [str(low - 1), str(high + 1), f"{low}.0", f"{low}e0", f'"{low}"', "null", "true", "[]"]


MEMBERS: list[tuple[Document, str, list[str]]] = [
    (P, "$.format", ['"sottovoce-survey-2"', '""', "1", "null"]),
    (P, "$.id", NO_IDS),
    (P, "$.title", [*NO_TEXTS, "[" * 32 + "]" * 32]),
    (P, "$.epsilon", ['"1"', "null", "[]", "{}"]),
    (P, "$.questions", ["null", "{}", '"a"', "1", "[]"]),
    (P, "$.waves", _not_in(2, 1000)),
    (P, "$.invited", NO_FLAGS),
    (P, "$.public_results", NO_FLAGS),
    (P, "$.min_reports", [*_not_in(1, 1_000_000), "-5"]),
    (P, "$.keep", ['"count"', '"Counts"', '"counts "', '"tallies"', '""', "null", "true", "1", '["counts"]', "{}"]),
    (P, "$.about", ['"people"', '"Respondents"', '"respondents "', '""', "null", "true", "1", '["respondents"]', "{}"]),
    (TWO, "$.draw", [*_not_in(1, 1), "199", "200", "-1", "{}"]),
    (P, "$.draw", ["1", "0", "2"]),
    (P, "$.asked_in", ["1", "0", "2"]),
    (P | {"waves": 3}, "$.asked_in", [*_not_in(1, 2), "999", "1000", "-1", "{}"]),
    (survey(LASTING, waves=3), "$.asked_in", ["1"]),
    (survey(PLAIN, LASTING, waves=3), "$.asked_in", ["1", "2"]),
    (STRATA, "$.strata", ["null", "2", '"north"', "{}", "[]", '["north"]', '["north","north"]', '["north",1]']),
    (STRATA, "$.strata", ['["north",null]', '["north",["south"]]', '[" north","south"]', '["north","south "]']),
    (STRATA, "$.strata", [f'["north",{text}]' for text in [*NO_TEXTS, f'"{"x" * 41}"']]),
    (STRATA, "$.strata", ["[" + ",".join(f'"{place}"' for place in range(65)) + "]"]),
    (STRATA, "$.invited", NO_FLAGS),
    (P, "$.strata", ['["north","south"]']),
    (P, Q, NO_OBJECTS),
    (TWO, "$.questions[1]", NO_OBJECTS[:2]),
    (TWO, "$.questions[1].mechanism.threshold_if_true", NO_THRESHOLDS[:2]),
    (P, f"{Q}.id", NO_IDS),
    (P, f"{Q}.type", ['"numbers"', '"constructor"', '"__proto__"', '""', "null", "1", '["yes-no"]']),
    (P, f"{Q}.text", NO_TEXTS),
    (P, f"{Q}.epsilon", [*NO_EPSILONS, "0", "1"]),
    (SPLIT, f"{Q}.epsilon_forever", [*NO_EPSILONS, "0", "0.5"]),
    (P, f"{Q}.skip", ['"Yes"', '"maybe"', '""', "null", "true", "false"]),
    (P, f"{Q}.section", [*NO_TEXTS, f'"{"x" * 201}"']),
    (P, f"{Q}.want", ["0", "-0.1", "0.500000000001", "1", "0.0000000000001", '"0.1"', "true", "null"]),
    (AGE, f"{Q}.want", ["0", "60.000000000001", "61", "-1", '"1"']),
    (FINE, f"{Q}.want", ["0.002147483648"]),
    (FAR, f"{Q}.want", ["500000000000000.000000000001", "1000000000000000"]),
    (P, "$.lang", [*NO_TAGS, "5", "null", "true", '["de"]']),
    (P, "$.introduction", [*NO_TEXTS, f'"{"x" * 2001}"']),
    *[(P, f"$.{key}", [*NO_TEXTS, f'"{"x" * 201}"']) for key in ("controller", "contact")],
    (P, "$.closes", [f'"{day}"' for day in NO_DAYS]),
    (P, "$.closes", ["20261231", "null", "true", '["2026-12-31"]']),
    (ENDS, "$.erase_after", [*_not_in(1, 3653), "-1", "9" * 400]),
    (P, "$.erase_after", ["1", "3653"]),
    (ENDS | {"keep": "counts"}, "$.erase_after", ["1"]),
    (P | {"closes": "9999-12-31"}, "$.erase_after", ["1"]),
    (SPOKEN, "$.translations", ["null", "5", '"de"', "[]", "{}", '["de"]', '{"de-x-easy":{}}', "true"]),
    (SPOKEN, "$.translations", [f"{{{tag}:{{}}}}" for tag in NO_TAGS]),
    (SPOKEN, AR, ["null", "5", '"a"', "[]", "true"]),
    (SPOKEN, f"{AR}.title", [*NO_TEXTS, f'"{"x" * 2001}"']),
    (SPOKEN, f"{AR}.contact", [*NO_TEXTS, f'"{"x" * 201}"']),
    (SPOKEN, f"{AR}.questions", ["null", "5", '"a"', "true"]),
    (SPOKEN, f"{AR}.questions.b", ["null", "5", '"a"', "true"]),
    (SPOKEN, f"{AR}.questions.b.options", ['["1","2"]', '["1","2","3","4"]', '["1","2","2"]', '["1","2",""]', "[]"]),
    (SPOKEN, f"{AR}.questions.b.options", ["null", '"123"', "{}", '["1","2",3]', '["1","2","\\u202e"]']),
    *[(SPOKEN, f"{AR}.questions.constructor.{key}", NO_TEXTS) for key in ("text", "unit", "section")],
    (ANY_OF, f"{Q}.skip", ['"option 1"', "[]", "null"]),
    (ONE_OF, f"{Q}.skip", ['"option 6"', '"Option 1"', '""', "0", "null", '["option 1"]']),
    (OPEN, f"{Q}.skip", [*NO_TEXTS, '"e\u0301"', '"\u212b"', f'"{"x" * 201}"', TWICE_AS_LONG]),
    (ONE_OF, f"{Q}.options", ["[]", '["a"]', '["a","a"]', '["a",""]', '["a",1]', '["a",null]', '["a",["b"]]']),
    (ONE_OF, f"{Q}.options", ["null", '"ab"', "{}", '{"0":"a","1":"b"}']),
    (ONE_OF, f"{Q}.options", [f'["b","a{character}"]' for character in FORBIDDEN]),
    (ANY_OF, f"{Q}.options", ["[]", '["a","a"]', "null", f'["{"x" * 201}"]']),
    (P, M, NO_OBJECTS),
    (P, f"{M}.name", ['"k-ary"', '"rappor"', '"Warner"', '""', '"constructor"', '"__proto__"', "null", '["warner"]']),
    (ONE_OF, f"{Q}.scores", ["null", "{}", '"12345"', "[]", "[1,2,3,4,5]", "[1,2,3,4,5,6,7]"]),
    (ONE_OF, f"{Q}.scores", [f"[1,2,3,4,5,{score}]" for score in ("0.5", '"5"', '""', "null", "true", "[5]")]),
    (ONE_OF, f"{M}.name", ['"warner"', '"bit-flips"', '"auto"']),
    (ANY_OF, f"{M}.name", ['"oue"', '"rappor"']),
    (OPEN, f"{M}.name", ['"basic-rappor"', '"warner"']),
    *[(one(name), TRUE, NO_THRESHOLDS) for name in ("warner", "k-ary", "bit-flips", "text")],
    *[(one(name), OTHER, NO_THRESHOLDS) for name in ("forced-response", "oue", "text")],
    *[(one(name), f"{M}.{key}", NO_THRESHOLDS) for name in TWO_STAGES[::2] for key in STAGES],
    (ANY_OF, f"{M}.max_selected", _not_in(1, 9)),
    (OPEN, f"{M}.n_bits", _not_in(2, 4096)),
    (OPEN, f"{M}.n_hashes", _not_in(1, 8)),
    (OPEN, f"{M}.n_cohorts", _not_in(1, 1024)),
    (GRAMS, f"{M}.gram_length", _not_in(1, 4)),
    (GRAMS, f"{M}.max_length", _not_in(2, 64)),
    (K_TWICE, f"{M}.report_if_true", NO_THRESHOLDS),
    (ASKED_OPTION, OTHER, NO_THRESHOLDS),
    (ASKED_OPTION, f"{M}.max_selected", _not_in(1, 9)),
    (SOME_OPTIONS, f"{M}.asked", _not_in(2, 9)),
    (PADDED_SET, TRUE, NO_THRESHOLDS),
    (PADDED_SET, f"{M}.max_selected", _not_in(1, 16)),
    (PADDED_SET, f"{M}.weight", _not_in(1, 3)),
    (K_TWICE, f"{Q}.epsilon_forever", ["0", "0.5"]),
    (OUE_TWICE, f"{M}.report_if_zero", NO_THRESHOLDS),
    *[
        (AGE, f"{Q}.{key}", ['"0"', "null", "true", "[]", "1000000000000001", "-1000000000000001", "0.0000000000001"])
        for key in ("minimum", "maximum", "step")
    ],
    (AGE, f"{Q}.maximum", ["0", "-1"]),
    (AGE, f"{Q}.step", ["0", "-1", "7", "240", "0.7", "0.00000001", "0.000000000001"]),
    (AGE, f"{Q}.unit", [*NO_TEXTS, f'"{"x" * 41}"']),
    (AGE, f"{Q}.skip", ["121", "-1", "0.5", '"5"', "null", "true", "9007199254740993"]),
    (FINE, f"{Q}.skip", ["0.0030000000000001"]),
    (FAR, f"{Q}.skip", ["500000000000000.01", "-499999999999999.99"]),
    (DEGREES, f"{Q}.skip", ["0.500000000001", "0.3", "0.250000000001", "13", '"0.5"', "false"]),
    (AGE, f"{M}.levels", _not_in(2, 121)),
    (AGE, f"{M}.width", _not_in(1, 2)),
    (DEGREES, f"{M}.levels", ["102", "1"]),
    (PULSE, f"{M}.report_if_true", [*NO_THRESHOLDS, "1", str(HALF)]),
    (AGE, TRUE, NO_THRESHOLDS),
    (WISH, TRUE, NO_THRESHOLDS),
    (WISH, f"{M}.field", _not_in(2, 65_521)),
    (WISH, f"{M}.dimension", _not_in(2, 18)),
    (WISH, f"{M}.n_cohorts", _not_in(1, 1024)),
    (STREET, f"{M}.prefix_lengths", ["[]", "[3,2]", "[2,2]", "[0,2]", "[2,201]", "[1.0]", '["1"]', "[null]", "[[1]]"]),
    (STREET, f"{M}.prefix_lengths", ["3", "null", "true", "{}", '"3"', f"[{','.join(map(str, range(1, 18)))}]"]),
]
"""JSON that is refused at the place where it stands."""

MISSING: list[tuple[Document, str, list[str]]] = [
    (P, "$", ["format", "id", "title", "epsilon", "questions"]),
    (P, Q, ["id", "type", "text", "epsilon", "mechanism"]),
    (ONE_OF, Q, ["options"]),
    (ANY_OF, Q, ["options"]),
    (P, M, ["name", "threshold_if_true", "threshold_if_other"]),
    (ONE_OF, M, ["threshold_if_true"]),
    (ANY_OF, M, ["max_selected"]),
    (OPEN, M, ["n_bits", "n_hashes", "n_cohorts"]),
    (GRAMS, M, ["gram_length", "max_length"]),
    (SPLIT, M, ["report_if_one", "report_if_zero"]),
    (K_TWICE, M, ["threshold_if_true"]),
    (ASKED_OPTION, M, ["threshold_if_true", "threshold_if_other", "max_selected"]),
    (SOME_OPTIONS, M, ["threshold_if_true", "threshold_if_other", "max_selected"]),
    (PADDED_SET, M, ["threshold_if_true", "max_selected", "weight"]),
    (OUE_TWICE, M, ["report_if_one", "report_if_zero"]),
    (AGE, Q, ["minimum", "maximum", "step"]),
    (AGE, M, ["levels", "width", "threshold_if_true"]),
    (WISH, M, ["threshold_if_true", "field", "dimension", "n_cohorts"]),
    (SPOKEN, AR, ["title", "introduction", "controller", "contact", "questions"]),
    (SPOKEN, f"{AR}.questions", ["a", "b", "constructor"]),
    (SPOKEN, f"{AR}.questions.b", ["text", "options"]),
    (SPOKEN, f"{AR}.questions.constructor", ["text", "section", "unit"]),
]
"""Members that must be there, and where."""

UNKNOWN: list[tuple[Document, str, list[str]]] = [
    (P, "$", ["extra", "Title", "constructor", "__proto__", "epsilon_forever", "skip", "mechanism"]),
    (P, Q, ["extra", "title", "options", "prob_truth", "max_selected", "keep", "__proto__", "toString"]),
    (OPEN, Q, ["options", "unknown"]),
    (P, M, ["report_if_one", "report_if_zero", "max_selected", "n_bits", "__proto__", "epsilon"]),
    (ONE_OF, M, ["threshold_if_other", "n_options", "report_if_one"]),
    (ANY_OF, M, ["report_if_one", "n_bits", "n_values"]),
    (one("any-of"), M, ["n_hashes"]),
    (OPEN, M, ["max_selected", "n_positions"]),
    *[(one(name), M, ["report_if_true"]) for name in ("warner", "oue", "sue")],
    (K_TWICE, M, ["report_if_one"]),
    (AGE, Q, ["options", "distribution", "levels", "max_selected"]),
    (AGE, M, ["span", "n_values", "threshold_if_other", "report_if_one", "weight"]),
    (WISH, M, ["threshold_if_other", "n_bits", "n_hashes", "n_values", "weight", "report_if_true", "unknown"]),
    (ASKED_OPTION, M, ["report_if_one", "n_options", "weight"]),
    (SOME_OPTIONS, M, ["report_if_one", "n_asked", "weight"]),
    (PADDED_SET, M, ["threshold_if_other", "n_values", "asked", "report_if_true"]),
    (P, "$", ["translation", "people", "contacts"]),
    (SPOKEN, AR, ["extra", "closes", "lang", "__proto__"]),
    (SPOKEN, f"{AR}.questions", ["c", "__proto__", "toString"]),
    (SPOKEN, f"{AR}.questions.a", ["options", "unit", "skip", "id"]),
    (SPOKEN, f"{AR}.questions.b", ["section"]),
]
"""Members that do not belong there, and the object that they were put into."""

TOGETHER: list[tuple[Document, str, list[str]]] = [
    (P, TRUE, ["3221225471", "3221225473", "1073741824"]),
    *[(one(name), OTHER, ["1", str(SCALE - 1)]) for name in SYMMETRIC],
    *[(one(name), TRUE, [str(SCALE - 1)]) for name in [*SYMMETRIC, "oue"]],
    (one("oue"), OTHER, [str(HALF), str(HALF + 1)]),
    (one("forced-response"), TRUE, [str(0x15555556), str(0x15555555)]),
    (one("warner"), M, [canonical(symmetric("warner", true)) for true in (HALF, HALF - 1, 1)]),
    (one("sue"), M, [canonical(symmetric("sue", true)) for true in (HALF, HALF - 1)]),
    (ONE_OF, TRUE, ["1", str(SCALE // 6)]),
    (survey(of_shape("a", "one-of", {"name": "k-ary", "threshold_if_true": HALF}, 4)), TRUE, [str(SCALE // 4)]),
    *[(one(name), f"{M}.report_if_zero", [str(STAGES["report_if_one"]), str(SCALE - 1)]) for name in TWO_STAGES],
    (_text(4096, 2, 64), f"{M}.n_cohorts", ["65", "1024"]),
    (_text(2, 2, 1), f"{M}.n_hashes", ["3", "8"]),
    (GRAMS, f"{M}.max_length", ["2", "7", "34"]),
    (GRAMS, f"{M}.gram_length", ["3"]),
    (K_TWICE, f"{M}.report_if_true", ["1", str(SCALE // 6)]),
    (ASKED_OPTION, TRUE, [str(0xBB2715CD), str(0x44D8EA32), str(SCALE - 1)]),
    (SOME_OPTIONS, TRUE, [str(0xBB2715CD), str(0x44D8EA32), str(SCALE - 1)]),
    (PADDED_SET, TRUE, ["1", str(SCALE * 17 // 57), str(SCALE // 4)]),
    (OUE_TWICE, f"{M}.report_if_zero", [str(0xD0000001), str(SCALE - 1)]),
    (OUE_TWICE, TRUE, [str(HALF + 1), str(HALF - 1)]),
    (AGE, TRUE, ["1", str(HALF)]),
    (DEGREES, TRUE, [str(SCALE // 4)]),
    (DEGREES, f"{M}.report_if_true", [str(0xC0000000)]),
    (WISH, TRUE, ["1", str(SCALE * 121 // 364)]),
    (WISH, f"{M}.field", ["4", "6", "9", "5", "509", "511", "65519", "65521"]),
    (WISH, f"{M}.dimension", ["7", "12", "18"]),
    (WISH, f"{M}.n_cohorts", ["721", "1024"]),
    (STREET, f"{M}.n_cohorts", ["1", "4", "999"]),
    (STREET, f"{M}.prefix_lengths", ["[1,2,3]", "[1,2,3,4,5,6]"]),
]
"""Integers that are fine by themselves; the mechanism is refused."""

NOT_JSON: list[tuple[Document, str, list[str]]] = [
    (
        P,
        "$.title",
        ["NaN", "Infinity", "-Infinity", "1e400", "'a'", "a", "1.", ".5", "+1", "01", "0x1", "1_0", "1e", "-"],
    ),
    (P, "$.title", ["tru", "", '"', "[" * 33 + "]" * 33, "[" * 1000 + "]" * 1000, "[", "]"]),
    (P, "$.title", ['"\t"', '"\n"', '"\x00"', '"\x1f"', '"\\x41"', '"\\u12"', '"\\"', '"\\U0041"']),
    (P, "$.title", ['"\\ud800"', '"\\udc00a"', '"\\ude00\\ud83d"']),
    (P, "$.epsilon", ["NaN", "Infinity", "1e400", "1.", "01.5"]),
]
NOT_CANONICAL: list[tuple[Document, str, list[str]]] = [
    (P, "$.title", ['"\\u0041"', '"\\u00e9"', '"\\/"', '"\\ud83d\\ude00"', '"\\u0022"']),
    (P, "$.epsilon", ["1.098612288668", "1.09861228867", "1.0986122886690", "0", "-0", "1e0", "1", "-1", "9" * 30]),
    (P, f"{Q}.epsilon", ["1.098612288670", "2.0", "2.10", "2", "2e0", "20e-1", "2E0", "0.2e1"]),
    (P, f"{Q}.epsilon_forever", [canonical(PLAIN["epsilon"])]),
    (P, "$.invited", ["false"]),
    (P, "$.public_results", ["false"]),
    (P, "$.min_reports", ["1"]),
    (P, "$.keep", ['"reports"']),
    (P, "$.about", ['"population"']),
    (P, "$.lang", ['"en"']),
    (P, f"{Q}.want", ["0.10", "1e-1"]),
    (AGE, f"{Q}.minimum", ["0.0", "-0", "0e0", "-0.0"]),
    (AGE, f"{Q}.maximum", ["120.0", "12e1"]),
    (DEGREES, f"{Q}.step", ["0.250", "25e-2"]),
]
"""Members that make the whole text be refused: it is no JSON, or not the one text of its value."""
