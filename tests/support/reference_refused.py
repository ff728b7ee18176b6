"""Texts that are no surveys, each for one fault, and the place at which they are refused."""

import json
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from reference_refused_members import (
    ANY_OF,
    MEMBERS,
    MISSING,
    NOT_CANONICAL,
    NOT_JSON,
    ONE_OF,
    TOGETHER,
    TWO_STAGES,
    UNKNOWN,
    M,
    P,
    Q,
    leave_out,
    mark,
    put,
)
from reference_survey_cases import HALF, NEARLY, PLAIN, SHAPES, full, of_shape
from reference_surveys import Document, Part, canonical, survey, units_of, written


class Refusal(NamedTuple):
    """Why a text is refused and where; the text itself, or its bytes, or its parts; and a place nearer to the fault."""

    why: str
    where: str
    given: str | bytes | Sequence[Part]
    nearer: str = ""


TEXT = canonical(P)
RAW: list[tuple[str, str | bytes]] = [
    ("nothing", ""),
    ("a space", " "),
    ("no object: null", "null"),
    ("no object: a list of one", f"[{TEXT}]"),
    ("no object: a text", json.dumps(TEXT)),
    ("a space in front", " " + TEXT),
    ("a line's end behind", TEXT + "\n"),
    ("twice", TEXT + TEXT),
    ("something behind", TEXT + "x"),
    ("a zero byte behind", TEXT + "\0"),
    ("cut off", TEXT[:-1]),
    ("cut off in a text", TEXT[: TEXT.index("survey") + 3]),
    ("a space behind a colon", TEXT.replace('"id":"s"', '"id": "s"')),
    ("a line's end behind a comma", TEXT.replace(',"id":"s"', ',\n"id":"s"')),
    ("members in another order", '{"id":"s",' + TEXT.replace('"id":"s",', "")[1:]),
    ("a question's members in another order", TEXT.replace('"id":"a",', "").replace('"type"', '"id":"a","type"')),
    (
        "a mechanism's members in another order",
        TEXT.replace('"name":"warner",', "").replace("72}", '72,"name":"warner"}'),
    ),
    ("a key twice", TEXT.replace('"id":"s"', '"id":"s","id":"s"')),
    ("a key twice, the first with something else", TEXT.replace('"id":"s"', '"id":5,"id":"s"')),
    ("a key twice, once escaped", TEXT.replace('"id":"s"', '"id":"s","\\u0069d":"s"')),
    ("a question's key twice", TEXT.replace('"id":"a"', '"id":"a","id":"a"')),
    ("a mechanism's key twice", TEXT.replace('"name":"warner"', '"name":"warner","name":"warner"')),
    ("a key escaped", TEXT.replace('"id":"s"', '"\\u0069d":"s"')),
    ("an escaped value", TEXT.replace('"id":"s"', '"id":"\\u0073"')),
    ("a comma too many", TEXT[:-1] + ",}"),
    ("a comment", TEXT.replace('"id":"s",', '"id":"s",/* */')),
    ("quotes of another kind", TEXT.replace('"id"', "'id'")),
    ("a key without quotes", TEXT.replace('"id":"s"', 'id:"s"')),
    ("a byte order mark", b"\xef\xbb\xbf" + TEXT.encode()),
    ("UTF-16", TEXT.encode("utf-16")),
    ("UTF-16 without a byte order mark", TEXT.encode("utf-16-le")),
    *[
        (f"not UTF-8: {why}", TEXT.encode().replace(b"A survey", b"A" + given))
        for why, given in (
            ("Latin-1", b"\xe9"),
            ("a byte that goes on with nothing", b"\x80"),
            ("cut off", b"\xf0\x9f\x98"),
            ("more bytes than needed", b"\xc1\x81"),
            ("a surrogate", b"\xed\xa0\xbd"),
            ("two surrogates", b"\xed\xa0\xbd\xed\xb8\x80"),
            ("above U+10FFFF", b"\xf4\x90\x80\x80"),
            ("0xff", b"\xff"),
        )
    ],
]
"""Texts and bytes that are refused at $."""


def _in_place(document: Document, path: str, parts: list[Part]) -> list[Part]:
    head, tail = mark(document, path).split('"@"')
    return [(head, 1), *parts, (tail, 1)]


LARGE = [
    Refusal("a title of 2001 characters", "$.title", _in_place(P, "$.title", [('"', 1), ("t", 2001), ('"', 1)])),
    Refusal(
        "2001 characters, two units each",
        "$.title",
        _in_place(P, "$.title", [('"\U0001f600', 1), ("\U0001f600", 2000), ('"', 1)]),
    ),
    Refusal("a text of 2001", f"{Q}.text", _in_place(P, f"{Q}.text", [('"', 1), ("\u00e9", 2001), ('"', 1)])),
    Refusal(
        "201 characters, two units each",
        f"{Q}.options",
        _in_place(ANY_OF, f"{Q}.options", [('["', 1), ("\U0001f600", 201), ('"]', 1)]),
    ),
    Refusal(
        "4097 options", f"{Q}.options", _in_place(ONE_OF, f"{Q}.options", [('["a"', 1), (',"b#"', 4096), ("]", 1)])
    ),
    Refusal(
        "201 questions",
        "$.questions",
        _in_place(
            P, "$.questions", [("[", 1), (canonical(PLAIN | {"id": "q#"}) + ",", 200), (canonical(PLAIN) + "]", 1)]
        ),
    ),
    Refusal("a byte more than a mebibyte", "$", full(2**20 + 1)[1]),
    Refusal("spaces, a mebibyte of them", "$", [(TEXT, 1), (" ", 2**20)]),
    Refusal("nested without end", "$", [("[", 100_000)]),
    Refusal("objects nested without end", "$", [('{"a":', 100_000)]),
    Refusal("nested deep and closed", "$", [("[", 100_000), ("]", 100_000)]),
]


def _untruthful() -> Iterator[Refusal]:
    """Declare a unit of 1e-12 less than the thresholds take; or one, where they take five."""
    shapes = [*SHAPES.items(), *((f"nearly a decimal: {shape[0]}", shape) for shape in NEARLY if shape[2] < 4096)]
    for name, shape in shapes:
        question = of_shape("a", *shape)
        for key in ("epsilon", "epsilon_forever"):
            if key in question:
                less = question | {key: Decimal(written(units_of(question[key]) - 1))}
                yield Refusal(f"{key} is a unit too small: {name}", f"{Q}.{key}", canonical(survey(less)))
        if "epsilon_forever" in question:
            once = {key: value for key, value in question.items() if key != "epsilon_forever"}
            yield Refusal(f"no epsilon_forever: {name}", f"{Q}.epsilon_forever", canonical(survey(once)))
    strong = {"threshold_if_true": 0xFFF00000, "threshold_if_other": 0x00100000}
    for name, (kind, published, n_options) in SHAPES.items():
        keys = {key: value for key, value in strong.items() if key in published}
        keys |= {"threshold_if_true": HALF} if name == "oue" else {}
        keys |= {"report_if_one": 0xFFF00000, "report_if_zero": 0x00100000} if name in TWO_STAGES else {}
        question = of_shape("a", kind, published | keys, n_options)
        assert units_of(question["epsilon"]) >= 5 * 10**12
        yield Refusal(
            f"declares 1, takes more than 5: {name}", f"{Q}.epsilon", canonical(survey(question | {"epsilon": 1}))
        )


def make_refused() -> Iterator[Refusal]:
    """Return every text that is refused."""
    for document, path, tokens in MEMBERS:
        yield from (Refusal(_why(path, token), path, put(document, path, token)) for token in tokens)
    for document, path, keys in MISSING:
        yield from (Refusal(f"no {key}", f"{path}.{key}", leave_out(document, f"{path}.{key}")) for key in keys)
    for document, path, keys in UNKNOWN:
        yield from (Refusal(f"unknown: {key}", path, put(document, f"{path}.{key}", "1")) for key in keys)
    for document, path, tokens in TOGETHER:
        yield from (Refusal(_why(path, token), M, put(document, path, token)) for token in tokens)
    for document, path, tokens in NOT_JSON + NOT_CANONICAL:
        yield from (Refusal(_why(path, token), "$", put(document, path, token), path) for token in tokens)
    yield from (Refusal(why, "$", given) for why, given in RAW)
    yield from LARGE
    yield Refusal("two questions of one id", "$.questions", canonical(survey(PLAIN, PLAIN)))
    yield from _untruthful()


def _why(path: str, token: str) -> str:
    return f"{path} is {ascii(token)[1:-1]:.60}"
