"""The mechanisms once more, one coin at a time: plain Python that shares no code with the package.

It reads mechanisms as surveys publish them (`{"name": .., "threshold_if_true": .., ..}`), perturbs with scalar loops,
states output distributions as exact fractions, and writes the test vectors that every language's client shares:

    python tests/reference.py > tests/vectors/perturb.json
"""

import base64
import hashlib
import itertools
import json
from collections.abc import Iterator, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

Published = dict[str, Any]
"""A mechanism as a survey publishes it."""
Answer = int | tuple[int, ...]
"""An option's number (yes is 1), or for bit-flips a row of zeros and ones."""

SCALE = 2**32
_PRECISE = Context(prec=70)


class Stream:
    """A byte string read from its start; `used` counts the bytes that were handed out."""

    def __init__(self, stream: bytes) -> None:
        self.stream = stream
        self.used = 0

    def byte(self) -> int:
        """Return the next byte."""
        self.used += 1
        return self.stream[self.used - 1]

    def number(self, n_bytes: int) -> int:
        """Return the next n bytes as a big-endian number."""
        return int.from_bytes(bytes(self.byte() for _ in range(n_bytes)), "big")


def flip(stream: Stream, threshold: int, n_coins: int) -> list[bool]:
    """Flip a batch of coins: every coin's first byte, then the second bytes of those that are tied, and so on."""
    limit = threshold.to_bytes(4, "big")
    heads = [False] * n_coins
    tied = list(range(n_coins))
    for place in range(4):
        if not any(limit[place:]):
            break
        still_tied = []
        for coin in tied:
            byte = stream.byte()
            heads[coin] = byte < limit[place]
            if byte == limit[place]:
                still_tied.append(coin)
        tied = still_tied
    return heads


def uniform(stream: Stream, n_values: int, n_draws: int) -> list[int]:
    """Draw a batch of numbers in [0, n_values): the rejected are drawn again after the batch, as a batch."""
    n_bytes = 2 if n_values <= 256 else 4
    values = [0] * n_draws
    missing = list(range(n_draws))
    while missing:
        rejected = []
        for draw in missing:
            values[draw], low = divmod(stream.number(n_bytes) * n_values, 256**n_bytes)
            if low < 256**n_bytes % n_values:
                rejected.append(draw)
        missing = rejected
    return values


def perturb(published: Published, n_values: int, answers: Sequence[Answer], stream: Stream) -> list[bytes]:
    """Perturb a batch of answers into packed reports."""
    true, other = published["threshold_if_true"], published.get("threshold_if_other", 0)
    if published["name"] == "k-ary":
        return _perturb_k_ary(true, n_values, answers, stream)
    rows = [bits_of(published["name"], n_values, answer) for answer in answers]
    noisy = flip(stream, other, len(rows) * n_values)
    if published["name"] in ("sue", "oue"):  # one coin of the other kind per person: for the true option
        if_true = iter(flip(stream, true, len(rows)))
    else:  # one for every bit, whether it is used or not
        every = flip(stream, true, len(rows) * n_values)
        if_true = iter([coin for coin, bit in zip(every, itertools.chain(*rows), strict=True) if bit])
    packed = []
    for index, row in enumerate(rows):
        report = [next(if_true) if bit else noisy[index * n_values + value] for value, bit in enumerate(row)]
        packed.append(sum(bit << value for value, bit in enumerate(report)).to_bytes(-(-n_values // 8), "little"))
    return packed


def _perturb_k_ary(threshold: int, n_values: int, answers: Sequence[Answer], stream: Stream) -> list[bytes]:
    honest = flip(stream, threshold, len(answers))
    drawn = uniform(stream, n_values - 1, len(answers))
    packed = []
    for answer, truth, lie in zip(answers, honest, drawn, strict=True):
        assert isinstance(answer, int)
        others = lie if lie < answer else lie + 1
        packed.append((answer if truth else others).to_bytes(1 if n_values <= 256 else 2, "big"))
    return packed


def bits_of(name: str, n_values: int, answer: Answer) -> tuple[int, ...]:
    """Return the bits that stand for an answer before they are perturbed."""
    if isinstance(answer, tuple):
        return answer
    return (answer,) if name in ("warner", "forced-response") else tuple(int(v == answer) for v in range(n_values))


def wire(published: Published, report: bytes) -> Any:
    """Return a packed report as the JSON value that is sent."""
    if published["name"] == "k-ary":
        return int.from_bytes(report, "big")
    if published["name"] in ("warner", "forced-response"):
        return report == b"\x01"
    return base64.b64encode(report).decode()


def every_answer(published: Published, n_values: int) -> Iterator[Answer]:
    """All answers that a person may give."""
    if published["name"] == "bit-flips":
        rows = itertools.product((0, 1), repeat=n_values)
        yield from (row for row in rows if sum(row) <= published["max_selected"])
    else:
        yield from range(2 if published["name"] in ("warner", "forced-response") else n_values)


def distribution(published: Published, n_values: int, answer: Answer) -> dict[bytes, Fraction]:
    """Return the probability of every packed report under an answer."""
    true, other = (
        Fraction(published["threshold_if_true"], SCALE),
        Fraction(published.get("threshold_if_other", 0), SCALE),
    )
    if published["name"] == "k-ary":
        width = 1 if n_values <= 256 else 2
        lie = (1 - true) / (n_values - 1)
        return {value.to_bytes(width, "big"): true if value == answer else lie for value in range(n_values)}
    chances = [true if bit else other for bit in bits_of(published["name"], n_values, answer)]
    probs = {}
    for report in itertools.product((0, 1), repeat=n_values):
        packed = sum(bit << value for value, bit in enumerate(report)).to_bytes(-(-n_values // 8), "little")
        probs[packed] = Fraction(1)
        for bit, chance in zip(report, chances, strict=True):
            probs[packed] *= chance if bit else 1 - chance
    return probs


def epsilon(distributions: Sequence[dict[bytes, Fraction]]) -> Decimal:
    """Return the largest log-ratio over all pairs of answers and all reports, to 70 digits."""
    ratio = max(
        probs[report] / others[report] for probs, others in itertools.permutations(distributions, 2) for report in probs
    )
    return _PRECISE.ln(_PRECISE.divide(Decimal(ratio.numerator), Decimal(ratio.denominator)))


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
    return vectors


def _vector(published: Published, n_values: int, answers: list[Answer], ties_often: int) -> dict[str, Any]:
    seed = json.dumps([published, n_values, ties_often]).encode()
    plain = hashlib.shake_256(seed).digest(16 * len(answers) * (min(n_values, 128) + 8))
    if ties_often:
        limits = b"".join(published[key].to_bytes(4, "big") for key in published if key.startswith("threshold"))
        plain = bytes(limits[byte % len(limits)] if byte < 128 else byte for byte in plain)
    return _record(published, n_values, answers, plain)


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
        "wire": [wire(published, report) for report in reports],
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

ABOUT = (
    "perturb(answers) from the given coin bytes (hexadecimal, as read in order) gives the packed reports and uses all "
    "the bytes. Each vector is one batch. Written by tests/reference.py."
)


def vectors_text() -> str:
    """Return the text of tests/vectors/perturb.json, a line per vector."""
    lines = ",\n".join(json.dumps(vector) for vector in make_vectors())
    return f'{{"format": "sottovoce-vectors-1", "about": {json.dumps(ABOUT)}, "vectors": [\n{lines}\n]}}\n'


if __name__ == "__main__":
    print(vectors_text(), end="")
