"""The test vectors that every language's client shares, by the reference:

python tests/support/reference_vectors.py > tests/vectors/perturb.json
"""

import hashlib
import json
import math
from fractions import Fraction
from itertools import accumulate
from typing import Any

from reference import Answer, Published, Stream, kind_of, perturb, weights_of, wire
from reference_bloom import FAMILY
from segment_tables import BIT, FOUR, MANY, OF_MEANS


def make_vectors() -> list[dict[str, Any]]:
    """Return the test vectors: every mechanism at plain random bytes, and at bytes that tie often."""
    vectors = [_vector(published, n_values, answers, tie) for published, n_values, answers in _CASES for tie in (0, 1)]
    for published, n_values, answers in _CASES[:2]:  # a coin whose four bytes all tie is tails
        limits = [published[key].to_bytes(4, "big") for key in ("threshold_if_other", "threshold_if_true")]
        vectors += [_record(published, n_values, answers[:1], b"".join(limits))]
    lies, refused = b"\xff\xff\xff", bytes(4)  # a draw of zeros is rejected, here twice for the first person
    for n_values, width in ((6, 2), (300, 4)):
        draws = refused[:width], b"\x33" * width, refused[:width], refused[:width], b"\xee" * width, b"\x77" * width
        published = {"name": "k-ary", "threshold_if_true": 0x61C8864F}
        vectors += [_record(published, n_values, [0, 5, 2], lies + b"".join(draws))]
    vectors += _alone(_CASES + _RAPPOR_CASES) + _drawn_again()
    vectors += [_typed(*case, tie) for case in _RAPPOR_CASES for tie in (0, 1)]
    vectors += [_typed(*case, tie) for case in _SET_CASES for tie in (0, 1)] + _alone(_SET_CASES)
    for cases in (_SKETCH_CASES, _MEMO_CASES, _WINDOW_CASES, _ASKED_CASES, _SEGMENT_CASES):
        vectors += [_typed(*case, tie) for case in cases for tie in (0, 1)] + _alone(cases)
    for cases in (_SOME_ASKED_CASES, _PADDED_CASES):
        vectors += [_typed(*case, tie) for case in cases for tie in (0, 1)] + _alone(cases)
    return vectors + _placed_by_more_words() + _edges_of_segments()


def _typed(
    published: Published, n_values: int, answers: list[Answer], ties_often: int, number: int = 0
) -> dict[str, Any]:
    return {"type": kind_of(published, n_values)} | _vector(published, n_values, answers, ties_often, number)


def _alone(cases: list[tuple[Published, int, list[Answer]]]) -> list[dict[str, Any]]:
    """Return vectors of one answer each, for clients that know one respondent only: every mechanism, ties and all."""
    return [
        _typed(published, n_values, [answer], tie, number)
        for published, n_values, answers in cases
        for number, answer in enumerate(dict.fromkeys(answers), 1)
        for tie in (0, 1)
    ]


def _drawn_again() -> list[dict[str, Any]]:
    """Return vectors of draws that are rejected."""
    vectors = []
    for n_values, width in ((6, 2), (300, 4)):  # a draw of zeros is rejected, and so is the one after it
        published = {"name": "k-ary", "threshold_if_true": 0x61C8864F}
        coins = b"\xff" + 2 * bytes(width) + b"\xee" * width
        vectors += [{"type": "one-of"} | _record(published, n_values, [5], coins)]
    drawn_again = 2 * bytes(4) + b"\xee" * 4 + 3 * bytes(2) + b"\x77" * 2  # so are the cohort's and the pair's
    published = _text(0xC0000000, 0x40000000, 12, 2, 1000, max_length=12, gram_length=4)
    return [*vectors, {"type": "text"} | _record(published, 12, ["sotto voce"], drawn_again + bytes(range(256)))]


def _placed_by_more_words() -> list[dict[str, Any]]:
    """Return vectors of numbers that begin as an edge does, once and twice, and end on either side of it."""
    published, n_values = _padded(0xE7654321, 3, 3), 16
    n_sets = [math.comb(3, j) * math.comb(16, 3 - j) for j in (1, 2, 3)]
    edge = Fraction(published["threshold_if_true"], 2**32) * n_sets[0] / sum(n_sets)
    words = [math.floor(edge * 2 ** (32 * place)) % 2**32 for place in (1, 2, 3)]
    rest = bytes(range(7, 250, 3)) * 3
    vectors = []
    for tied in (1, 2):
        for last in (words[tied] - 1, words[tied] + 1):
            begin = b"".join(word.to_bytes(4, "big") for word in [*words[:tied], last])
            vectors += [_record(published, n_values, [(1,) + (0,) * 15], begin + rest)]
    begin = b"".join(word.to_bytes(4, "big") for word in [0, words[0], 2**32 - 1, words[0], words[1] - 1, 0])
    answers: list[Answer] = [(0,) * 16, (1,) + (0,) * 15, (1,) * 3 + (0,) * 13, (0,) * 15 + (1,)]
    vectors += [_record(published, n_values, answers, begin + rest * 4)]
    return [{"type": "any-of"} | vector for vector in vectors]


def _vector(
    published: Published, n_values: int, answers: list[Answer], ties_often: int, number: int = 0
) -> dict[str, Any]:
    seed = json.dumps([published, n_values, ties_often] + ([number] if number else [])).encode()
    plain = hashlib.shake_256(seed).digest(
        16 * len(answers) * (min(n_values, 512) + 8) * (9 if "n_bits" in published else 1)
    )
    if ties_often:
        limits = b"".join(limit.to_bytes(4, "big") for limit in _limits(published))
        plain = bytes(limits[byte % len(limits)] if byte < 128 else byte for byte in plain)
    return _record(published, n_values, answers, plain)


def _limits(published: Published) -> list[int]:
    """Return what coins are compared with."""
    if "outputs" in published:
        return [*accumulate(weights_of(published, 0))][:-1]
    return [published[key] for key in published if key.startswith(("threshold", "report"))]


def _edges_of_segments() -> list[dict[str, Any]]:
    """Return a report for the integers on both sides of each limit between two outputs, after a rounding integer."""
    edges = [limit - below for limit in accumulate(weights_of(FOUR, 1)) for below in (1, 0) if limit - below < 2**32]
    records = [_record(FOUR, 3, [1], bytes(2) + edge.to_bytes(4, "big")) for edge in edges]
    return [{"type": "number"} | record for record in records]


def _record(published: Published, n_values: int, answers: list[Answer], coins: bytes) -> dict[str, Any]:
    stream = Stream(coins)
    reports = perturb(published, n_values, answers, stream)
    return {
        "mechanism": published,
        "n_values": n_values,
        "answers": answers,
        "coins": coins[: stream.used].hex(),
        "bytes_used": stream.used,
        "reports": [report.hex() for report in reports],
        "wire": [wire(published, n_values, report) for report in reports],
    }


def _bits(name: str, true: int, other: int, **more: int) -> Published:
    return {"name": name, "threshold_if_true": true, "threshold_if_other": other} | more


_CASES: list[tuple[Published, int, list[Answer]]] = [
    (_bits("warner", 0xBB2715CE, 0x44D8EA32), 1, [1, 0, 1, 1, 0]),
    (_bits("forced-response", 0xD5555555, 0x15555556), 1, [0, 1, 0, 1, 1]),
    (_bits("warner", 0xC0000000, 0x40000000), 1, [0, 1, 0, 1]),
    (_bits("sue", 0x9F597E53, 0x60A681AD), 9, [0, 8, 4]),
    (_bits("sue", 0xFFFFFFFF, 0x00000001), 3, [2, 0]),
    (_bits("oue", 0x80000000, 0x44D8EA32), 16, [15, 0, 7]),
    (_bits("oue", 0x80000000, 0x00FFFF01), 128, [127]),
    (_bits("bit-flips", 0x90000000, 0x70000000, max_selected=9), 9, [(0,) * 9, (1,) * 9, (1, 0, 0, 1, 0, 0, 0, 0, 1)]),
    (_bits("bit-flips", 0xE0C0A080, 0x1F3F5F80, max_selected=2), 4, [(1, 0, 0, 1), (0, 0, 0, 0)]),
    (_bits("bit-flips", 0xC0FFEE00, 0x3F001200, max_selected=1), 1, [(1,), (0,)]),
    ({"name": "k-ary", "threshold_if_true": 0x9D8F3000}, 2, [0, 1, 1, 0]),
    ({"name": "k-ary", "threshold_if_true": 0x61C8864F}, 6, [0, 5, 3, 0, 5, 2]),
    ({"name": "k-ary", "threshold_if_true": 0x20000000}, 256, [255, 0, 128]),
    ({"name": "k-ary", "threshold_if_true": 0x20000001}, 257, [256, 0, 255]),
    ({"name": "k-ary", "threshold_if_true": 0x01020304}, 300, [299, 0, 255, 256]),
    ({"name": "k-ary", "threshold_if_true": 0x00020304}, 65536, [65535, 0, 256]),
]

_STAGES = {"report_if_one": 0xC0000000, "report_if_zero": 0x40000000}
_ODD_STAGES = {"report_if_one": 0xB3A29180, "report_if_zero": 0x00FF1234}


def _text(true: int, other: int, n_bits: int, n_hashes: int, n_cohorts: int, **more: int) -> Published:
    shape = {"n_bits": n_bits, "n_hashes": n_hashes, "n_cohorts": n_cohorts}
    return _bits("rappor", true, other) | shape | more


_RAPPOR_CASES: list[tuple[Published, int, list[Answer]]] = [
    (_bits("basic-rappor", 0xBB2715CE, 0x44D8EA32), 1, [1, 0, 1]),
    (_bits("basic-rappor", 0xC0000000, 0x40000000, **_STAGES), 1, [1, 0, 0, 1]),
    (_bits("basic-rappor", 0x9F597E53, 0x60A681AD), 9, [0, 8]),
    (_bits("basic-rappor", 0x9F597E53, 0x60A681AD, **_ODD_STAGES), 9, [0, 8, 4]),
    (_bits("basic-rappor", 0xE0C0A080, 0x1F3F5F80, **_ODD_STAGES, max_selected=2), 4, [(1, 0, 0, 1), (0, 0, 0, 0)]),
    (_bits("basic-rappor", 0xC0000000, 0x40000000, max_selected=1), 1, [(1,), (0,)]),
    (_text(0xC0000000, 0x40000000, 16, 2, 8), 16, ["www.google.com", "caf\u00e9", "cafe\u0301"]),
    (_text(0xE0C0A080, 0x1F3F5F80, 128, 2, 64, **_STAGES), 128, ["caf\u00e9"]),
    (_text(0xE0C0A080, 0x1F3F5F80, 20, 3, 300, **_ODD_STAGES), 20, [FAMILY, "x" * 200]),
    (_text(0xC0000000, 0x40000000, 3, 3, 2), 3, ["a", "b", "c", "d"]),  # hashes collide
    (_text(0xC0000000, 0x40000000, 9, 1, 1024, max_length=8, gram_length=2), 9, ["voce", "sottovoce", "cafe\u0301"]),
    (_text(0xE0C0A080, 0x1F3F5F80, 8, 2, 1, **_ODD_STAGES, max_length=6, gram_length=3), 8, ["a", FAMILY]),
]


_MEMO_CASES: list[tuple[Published, int, list[Answer]]] = [
    ({"name": "k-ary", "threshold_if_true": 0xC0000001, "report_if_true": 0x9D8F3000}, 2, [0, 1, 1]),
    ({"name": "k-ary", "threshold_if_true": 0x91C8864F, "report_if_true": 0x70000001}, 6, [0, 5, 3]),
    ({"name": "k-ary", "threshold_if_true": 0x61020304, "report_if_true": 0x40302010}, 300, [299, 0, 256]),
    (_bits("oue", 0x80000000, 0x24D8EA32, **_STAGES), 9, [0, 8, 4]),
    (_bits("oue", 0x80000000, 0x00FFFF01, **_ODD_STAGES), 16, [15, 0]),
]


_ASKED_CASES: list[tuple[Published, int, list[Answer]]] = [
    (_bits("asked-option", 0xBB2715CE, 0x44D8EA32, max_selected=9), 9, [(0,) * 9, (1,) * 9, (1, 0, 1) * 3]),
    (_bits("asked-option", 0xC0FFEE00, 0x3F001200, max_selected=1), 1, [(1,), (0,)]),
    (_bits("asked-option", 0xE0C0A080, 0x1F3F5F80, max_selected=150), 300, [(1, 0) * 150, (0, 1) * 150, (0,) * 300]),
]


_SOME_ASKED_CASES: list[tuple[Published, int, list[Answer]]] = [
    (_bits("asked-option", 0xBB2715CE, 0x44D8EA32, max_selected=9, asked=2), 9, [(0,) * 9, (1,) * 9, (1, 0, 1) * 3]),
    (_bits("asked-option", 0xC0FFEE00, 0x3F001200, max_selected=1, asked=2), 2, [(1, 0), (0, 0)]),
    (_bits("asked-option", 0xE0C0A080, 0x1F3F5F80, max_selected=9, asked=9), 300, [(0, 1, 0) * 3 + (0,) * 291]),
    (_bits("asked-option", 0xD0C0A080, 0x2F3F5F80, max_selected=40, asked=3), 40, [(1,) * 40, (1, 0) * 20]),
]


def _padded(threshold: int, most: int, weight: int) -> Published:
    return {"name": "subset", "threshold_if_true": threshold, "max_selected": most, "weight": weight}


_PADDED_CASES: list[tuple[Published, int, list[Answer]]] = [
    (_padded(0xBB2715CE, 1, 1), 1, [(1,), (0,), (1,)]),
    (_padded(0xA616F194, 2, 1), 8, [(0,) * 8, (1,) + (0,) * 7, (0, 1) + (0,) * 5 + (1,)]),
    (_padded(0xC0000000, 4, 1), 4, [(1,) * 4, (0,) * 4, (0, 1, 1, 0)]),
    (_padded(0x893FD9B1, 3, 2), 16, [(0,) * 16, (1, 1, 1) + (0,) * 13, (0,) * 15 + (1,)]),
    (_padded(0xB504F333, 1, 2), 4, [(0, 0, 1, 0), (0,) * 4]),
    (_padded(0xE7654321, 3, 3), 16, [(1, 0, 0, 1) + (0,) * 11 + (1,), (0,) * 16]),
    (_padded(0x83126E97, 3, 25), 128, [(1,) + (0,) * 126 + (1,), (0,) * 128]),
    (_padded(0x93C467E3, 20, 5), 200, [(1,) * 20 + (0,) * 180, (0,) * 199 + (1,)]),
    (_padded(0x80C49BA5, 2, 85), 300, [(0,) * 299 + (1,), (0,) * 300]),
]


def _set(threshold: int, weight: int) -> Published:
    return {"name": "subset", "threshold_if_true": threshold, "weight": weight}


def _space(threshold: int, field: int, dimension: int) -> Published:
    return {"name": "geometry", "threshold_if_true": threshold, "field": field, "dimension": dimension}


_SET_CASES: list[tuple[Published, int, list[Answer]]] = [
    (_set(0x9D8F3000, 1), 2, [0, 1, 1]),
    (_set(0xB504F333, 2), 5, [0, 4, 2]),
    (_set(0x93C467E3, 4), 16, [15, 0, 7]),
    (_set(0xE7654321, 4), 9, [8, 0, 3]),
    (_set(0x83126E97, 34), 128, [127, 0]),
    (_set(0x80C49BA5, 69), 257, [256, 0, 100]),
    (_set(0x800346DC, 138), 512, [511, 3]),
    (_space(0x92492493, 2, 3), 7, [0, 6, 3]),
    (_space(0xA3D70A3D, 3, 4), 40, [39, 0, 13, 1]),
    (_space(0x80000001, 5, 3), 25, [24, 5, 0]),
    (_space(0x9E3779B9, 7, 5), 2000, [1999, 400, 0]),
    (_space(0xDEADBEEF, 67, 2), 68, [67, 1, 0]),
    (_space(0x81234567, 3, 9), 4096, [4095, 3280, 1]),
    (_space(0xFEDCBA98, 2, 10), 1023, [1022, 0, 511]),
]


def _sketch(threshold: int, field: int, dimension: int, n_cohorts: int, *prefix_lengths: int) -> Published:
    prefixes = {"prefix_lengths": [*prefix_lengths]} if prefix_lengths else {}
    return _space(threshold, field, dimension) | {"name": "sketch", "n_cohorts": n_cohorts} | prefixes


_SKETCH_CASES: list[tuple[Published, int, list[Answer]]] = [
    (_sketch(0x92492493, 2, 2, 1), 3, ["www.google.com", "caf\u00e9", "cafe\u0301"]),
    (_sketch(0xA3D70A3D, 3, 6, 720), 364, [FAMILY, "a", "x" * 200]),
    (_sketch(0x9E3779B9, 41, 3, 152), 1723, ["sotto voce"]),
    (_sketch(0xFEDCBA98, 491, 2, 532), 492, ["sotto voce", "a"]),
    (_sketch(0x80000001, 521, 2, 64), 522, ["a", "caf\u00e9"]),
    (_sketch(0x80000001, 2971, 2, 88), 2972, ["sotto voce"]),
    (_sketch(0x00161234, 2971, 2, 88, 1, 4), 2972, ["sotto voce"]),
    (_sketch(0xFFFFFFFF, 65_521, 2, 4), 65_522, [FAMILY]),
    (_sketch(0x00010101, 65_521, 2, 4), 65_522, ["x"]),
    (_sketch(0x9E3779B9, 7, 3, 1024, 1, 3, 4, 200), 57, ["voce", "cafe\u0301s", FAMILY, "\U0001f600\U0001f600"]),
]


def _window(threshold: int, levels: int, width: int, **more: int) -> Published:
    return {"name": "window", "threshold_if_true": threshold, "levels": levels, "width": width} | more


_WINDOW_CASES: list[tuple[Published, int, list[Answer]]] = [
    (_window(0xBB2715CE, 2, 1), 121, [0, 120, 33, 90]),
    (_window(0xBB2715CE, 2, 1), 86_401, [0, 86_400, 28_800]),
    (_window(0xBB2715CE, 2, 1, report_if_true=0xCDABCDEF), 121, [0, 120, 60, 61]),
    (_window(0xC0000000, 2, 2), 2, [0, 1]),
    (_window(0xA3D70A3D, 3, 1), 5, [0, 1, 2, 3, 4]),
    (_window(0xE7654321, 10, 3), 10, [0, 9, 4]),
    (_window(0xDEADBEEF, 64, 20), 1_000_001, [0, 1_000_000, 333_333]),
    (_window(0xFEDCBA98, 64, 7), 2**32, [0, 2**32 - 1, 2**31, 12_345_678]),
    (_window(0xB504F333, 200, 120), 3_000_000_001, [3_000_000_000, 1, 1_500_000_001]),
    (_window(0x9E3779B9, 1024, 500), 1024, [0, 1023, 511]),
]

_SEGMENT_CASES: list[tuple[Published, int, list[Answer]]] = [
    (BIT, 2, [0, 1, 1]),
    (BIT, 2**32, [0, 2**32 - 1, 2**31]),
    (FOUR, 3, [0, 1, 2]),
    (FOUR, 86_401, [0, 86_400, 28_800]),
    (OF_MEANS, 121, [0, 120, 33, 90]),
    (OF_MEANS, 1_000_001, [1, 1_000_000, 333_333]),
    (MANY, 8, [0, 7, 3]),
]
ABOUT = (
    "perturb(answers) from the given coin bytes (hexadecimal, as read in order) gives the packed reports and uses all "
    "the bytes. Each vector is one batch. Written by tests/support/reference_vectors.py."
)


def vectors_text() -> str:
    """Return the text of tests/vectors/perturb.json, a line per vector."""
    lines = ",\n".join(json.dumps(vector) for vector in make_vectors())
    return f'{{"format": "sottovoce-vectors-1", "about": {json.dumps(ABOUT)}, "vectors": [\n{lines}\n]}}\n'


if __name__ == "__main__":
    print(vectors_text(), end="")
