"""The hash of strings once more, in plain Python that shares no code with the package, and its test vectors:

python tests/support/reference_bloom.py > tests/vectors/bloom.json
"""

import hashlib
import json
import unicodedata
from typing import Any

FAMILY = "\U0001f469\u200d\U0001f469\u200d\U0001f467"


def bloom_bits(n_bits: int, n_hashes: int, cohort: int, text: str, position: int = 0) -> list[int]:
    """Return a string's bit numbers in a cohort, one hash after the other; position 0 is the whole string."""
    normal = unicodedata.normalize("NFC", text).encode("utf-8")
    bits = []
    for number in range(cohort * n_hashes, (cohort + 1) * n_hashes):
        digest = hashlib.sha256(
            b"sottovoce-bloom-1" + position.to_bytes(4, "big") + (number // 16).to_bytes(4, "big") + normal
        ).digest()
        high, low = digest[2 * (number % 16)], digest[2 * (number % 16) + 1]
        bits.append((256 * high + low) % n_bits)
    return bits


def google_bits(n_bits: int, n_hashes: int, cohort: int, text: str) -> list[int]:
    """Return the bit numbers of google/rappor's clients, whose strings are bytes as they come."""
    digest = hashlib.md5(cohort.to_bytes(4, "big") + text.encode("utf-8"), usedforsecurity=False).digest()
    return [byte % n_bits for byte in digest[:n_hashes]]


def grams_of(text: str, max_length: int, gram_length: int) -> list[str]:
    """Return the n-grams of a string at positions 1, 2, ..: cut off, or padded with NUL, to max_length characters."""
    normal = unicodedata.normalize("NFC", text)
    characters = [normal[at] if at < len(normal) else "\0" for at in range(max_length)]
    return ["".join(characters[at : at + gram_length]) for at in range(0, max_length, gram_length)]


TEXTS = [
    "www.google.com",
    "a",
    "stra\u00dfe",
    "caf\u00e9",
    "cafe\u0301",
    "\u00c5",
    "\u212b",
    "\ud55c\uae00",
    FAMILY,
    "x" * 200,
]
TEXTS += ["\u00e9" * 200, "a\u0323\u0307", "1\u20442", "\ufb01", "\U0001f600"]
"""Plain ASCII; accents in both normal forms; what NFC composes, reorders, and leaves; joiners; the longest."""
DESIGNS = [(128, 2, 64), (16, 2, 8), (8, 3, 40), (4096, 8, 1024), (2, 1, 1), (257, 5, 7)]
"""n_bits, n_hashes, n_cohorts. With 3 or 5 hashes a cohort's numbers straddle two digests."""


def make_vectors() -> list[dict[str, Any]]:
    """Return the vectors: every text in the cohorts at both ends and where digests end, and as an n-gram."""
    vectors = []
    for n_bits, n_hashes, n_cohorts in DESIGNS:
        design = {"n_bits": n_bits, "n_hashes": n_hashes, "n_cohorts": n_cohorts}
        cohorts = sorted({0, 15 // n_hashes, 16 // n_hashes, n_cohorts // 2, n_cohorts - 1} & set(range(n_cohorts)))
        for text in TEXTS:
            for cohort, position in [*((cohort, 0) for cohort in cohorts), (cohorts[-1], 1), (0, 16)]:
                place = {"cohort": cohort, "text": text, "position": position}
                bits = bloom_bits(n_bits, n_hashes, cohort, text, position)
                vectors.append({"hash": "sottovoce"} | design | place | {"bits": bits})
    for text in TEXTS:
        for cohort in (0, 1, 63):
            design = {"n_bits": 128, "n_hashes": 2, "n_cohorts": 64}
            place = {"cohort": cohort, "text": text, "position": 0}
            vectors.append({"hash": "google"} | design | place | {"bits": google_bits(128, 2, cohort, text)})
    return vectors


ABOUT = (
    "The bits that a string sets, one number a hash, in the order of the hashes. hash sottovoce takes the UTF-8 of the "
    "string in normal form C; position 0 is a whole string, from 1 on an n-gram. hash google takes the UTF-8 of the "
    "string as it stands. Written by tests/support/reference_bloom.py."
)


def vectors_text() -> str:
    """Return the text of tests/vectors/bloom.json, a line per vector."""
    lines = ",\n".join(json.dumps(vector) for vector in make_vectors())
    return f'{{"format": "sottovoce-bloom-vectors-1", "about": {json.dumps(ABOUT)}, "vectors": [\n{lines}\n]}}\n'


if __name__ == "__main__":
    print(vectors_text(), end="")
