"""Writes vectors of open answers to stdout: what is typed, and what it counts as, or null where it is refused.

By rules of its own, which share no code with the packages. Kept in tests/vectors/text.json.
"""

import json
import unicodedata

UNSEEN = "\u061c\u200e\u200f"
OUTER = "\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200B)))
CONTROLS = [*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
NEWER = list(
    map(
        chr,
        [
            0x897,
            0x898,
            0x8D2,
            0xC3C,
            0x1715,
            0x1AC1,
            0x1ADD,
            0x1AEB,
            0x1DFA,
            0x105C9,
            0x10EFD,
            0x10F85,
            0x11070,
            0x105D2,
            0x113C2,
            0x16D67,
            0x113C5,
            0x113D0,
            0x11F41,
            0x16121,
            0x16D68,
            0x1E08F,
            0x1E2AE,
            0x1E4EF,
            0x1E6F5,
        ],
    )
)
LATER = "\U0001fae8 \U0001fadf \U0001ccd0 \u1c89 \U00031350"  # assigned later too, but they stand for themselves
MOST = 200

TYPED = [
    *[
        "",
        " ",
        "\t",
        "\u200f",
        " \u200e\t",
        "a",
        " a ",
        "a b",
        "a  b",
        "a\tb",
        "\ta\t",
        "a\t\t b",
        "a\u200fb",
        "\u200fa\u200f ",
    ],
    *[
        "\u05d0\u200f\u05d1",
        "\u061c\u0628",
        "a\u0301",
        "\u200fa\u200f\u0301",
        "a\u0323\u0345\u0301",
        "\u1e9b\u0323",
        "\u0958",
    ],
    *[
        "\u1100\u1161\u11a8",
        "\uf900",
        "\U0002f800",
        "e\u0301" * MOST,
        "e\u0301" * (MOST // 2),
        "a" * MOST,
        "a" * (MOST + 1),
    ],
    *[
        " " * 300 + "a" + "\u3000" * 300,
        "\u0958" * 100,
        "\u0958" * 101,
        "\u1112\u1161\u11ab" * 120,
        "\u1112\u1161\u11ab" * MOST,
        "\u1112\u1161\u11ab" * (MOST + 1),
        "\u03b1\u0313\u0300\u0345" * MOST,
        "\u03b1\u0313\u0300\u0345" * MOST + "a",
        "e\u0301" * (MOST + 1),
        "a" * (4 * MOST),
        "\u00e9" * (4 * MOST + 1),
        "\u200d",
        "a\u200db",
        "\U0001f468\u200d\U0001f469",
    ],
    *["a" + chr(code) + "b" for code in CONTROLS],
    *["a" + chr(code) for code in CONTROLS],
    *[character + "a" + character for character in OUTER],
    *["a" + character + "b" for character in NEWER],
    *["a" + character + "\u0345\u0323" for character in NEWER],
    *LATER.split(),
]


def counts_as(typed: str) -> str | None:
    """Return what an open answer counts as; None where it is refused."""
    seen = "".join(" " if character == "\t" else character for character in typed if character not in UNSEEN)
    while seen[:1] and seen[0] in OUTER:
        seen = seen[1:]
    while seen[-1:] and seen[-1] in OUTER:
        seen = seen[:-1]
    normal = unicodedata.normalize("NFC", seen)
    is_long = not 1 <= len(normal) <= MOST
    is_bad = any(ord(character) in CONTROLS or character in NEWER for character in seen + normal)
    return None if is_long or is_bad else normal


if __name__ == "__main__":
    vectors = [{"typed": typed, "counts_as": counts_as(typed)} for typed in dict.fromkeys(TYPED)]
    lines = ",\n".join(map(json.dumps, vectors))
    print('{"format": "sottovoce-text-vectors-1",\n"vectors": [\n' + lines + "\n]}")
