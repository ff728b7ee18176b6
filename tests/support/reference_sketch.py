"""The hash of sketches once more, in plain Python that shares no code with the package, and its test vectors:

python tests/support/reference_sketch.py > tests/vectors/sketch.json
"""

import hashlib
import json
import unicodedata
from typing import Any

from reference_bloom import TEXTS

_PRIME = 2305843009213693951


def number_of(text: str) -> int:
    """Return a string's number, modulo 2**61 - 1."""
    digest = hashlib.sha256(b"sottovoce-sketch-1" + unicodedata.normalize("NFC", text).encode("utf-8")).digest()
    return int(digest.hex()[:16], 16) % _PRIME


def bucket_of(n_buckets: int, cohort: int, text: str) -> int:
    """Return a string's bucket in a cohort."""
    digest = hashlib.sha256(b"sottovoce-sketch-cohort-1" + cohort.to_bytes(4, "big")).hexdigest()
    factor = int(digest[:16], 16) % (_PRIME - 1) + 1
    added = int(digest[16:32], 16) % _PRIME
    return (factor * number_of(text) + added) % _PRIME % n_buckets


def make_vectors() -> list[dict[str, Any]]:
    """Return the vectors: every text in a few cohorts, of few buckets and of many."""
    return [
        {"n_buckets": n_buckets, "cohort": cohort, "text": text, "bucket": bucket_of(n_buckets, cohort, text)}
        for n_buckets in (3, 364, 65536)
        for cohort in (0, 1, 719, 1023)
        for text in TEXTS
    ]


ABOUT = (
    "The bucket of a text in a cohort, once the text is in Unicode's normal form C. Written by "
    "tests/support/reference_sketch.py."
)


def vectors_text() -> str:
    """Return the text of tests/vectors/sketch.json, a line per vector."""
    lines = ",\n".join(json.dumps(vector) for vector in make_vectors())
    return f'{{"format": "sottovoce-sketch-1", "about": {json.dumps(ABOUT)}, "vectors": [\n{lines}\n]}}\n'


if __name__ == "__main__":
    print(vectors_text(), end="")
