"""Strings that nobody listed, found by their beginnings: prefix extension (Wang, Li & Jha 2021) on a sketch.

Each device reports a beginning of its string, of one of a few lengths. The shortest ones are few enough for all to be
candidates. Those that are found, each made longer by all that an alphabet makes, are the candidates of the next length,
which other devices report: their noise had no part in the choice. The longest ones are tested as listed strings are.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise, product

from sotto_estimator.errors import DomainError
from sotto_estimator.strings.decode import Decoded, DecodeOptions
from sotto_estimator.strings.peeling import peel
from sotto_estimator.strings.sketch import cohorts_of, decode_sketch
from sotto_estimator.strings.sketch_counts import SketchCounts
from sotto_protocol.mechanisms.mechanism import Counts
from sotto_protocol.mechanisms.sketch.hash import string_numbers
from sotto_protocol.mechanisms.sketch.response import SketchResponse
from sotto_protocol.text import PADDING, compose

MAX_EXTENDED = 2**22
"""The most strings that are candidates at a length."""
STRICTER = 100
"""The rate of false discoveries is divided by this: nobody suggested any of these many strings."""
_IN_VAIN, _MOST_IN_VAIN = 20.0, 0.01
"""So many beginnings at the most are followed in vain, on average, and no larger share of those that nobody has.

Each costs a few of the candidates of the next length, whose tests get hardly stricter. To miss one costs its strings.
"""


def decode_prefixes(
    mechanism: SketchResponse, counts: Counts, alphabet: str, options: DecodeOptions | None = None
) -> Decoded:
    """Find strings that nobody listed, of these characters, and estimate their shares.

    `counts`: of shape `mechanism.counts_shape`. The options' `fdr` is divided by `STRICTER`. Raises DomainError where
    the question asks for no beginnings, or the alphabet makes too many, SourceError where a length has no reports.
    """
    options = options or DecodeOptions()
    if not mechanism.prefix_lengths:
        raise DomainError("devices report no beginnings: the question has no `unknown = true` in the survey file.")
    candidates, warnings = _search(mechanism, counts, alphabet)
    decoded = decode_sketch(mechanism, counts, candidates, replace(options, fdr=options.fdr / STRICTER), "beginnings")
    return replace(decoded, warnings=(*warnings, *decoded.warnings))


def _search(mechanism: SketchResponse, counts: Counts, alphabet: str) -> tuple[list[str], list[str]]:
    """Return the candidates of the longest length, and warnings."""
    lengths = (0, *mechanism.prefix_lengths)
    followed, candidates = [""], [""]
    warnings: list[str] = []
    for level, (length, longer) in enumerate(pairwise(lengths)):
        if level:
            used = SketchCounts.of(mechanism, counts, cohorts_of(mechanism, level - 1))
            followed = _find(used, candidates)
            if not followed:
                warnings.append(f"no beginning of {length} characters stands out from the noise.")
        tails = _tails(alphabet, longer - length)
        most = MAX_EXTENDED // len(tails)
        if len(followed) > most:
            warnings.append(f"of beginnings of {length} characters only the {most} commonest are followed.")
        candidates = _extend(followed[:most], length, longer, tails)
    return candidates, warnings


def _find(counts: SketchCounts, candidates: Sequence[str]) -> list[str]:
    """Return the beginnings to follow, the commonest first."""
    in_vain = min(_IN_VAIN, _MOST_IN_VAIN * len(candidates))
    peeled = peel(counts, string_numbers(candidates), in_vain, "bonferroni")
    return [candidates[number] for number in peeled.found[(-peeled.fit.shares).argsort(kind="stable")].tolist()]


def _tails(alphabet: str, length: int) -> list[str]:
    """Return all strings of up to so many characters, the empty one included."""
    characters = sorted(set(compose(alphabet)))
    n_tails = sum(len(characters) ** filled for filled in range(length + 1))
    if not characters or PADDING in characters or n_tails > MAX_EXTENDED:
        raise DomainError(
            f"alphabet ({len(characters)} characters) makes {n_tails:,} strings of {length}; it must have some "
            f"characters, and make at most {MAX_EXTENDED:,}."
        )
    return ["".join(filled) for size in range(length + 1) for filled in product(characters, repeat=size)]


def _extend(followed: Sequence[str], length: int, longer: int, tails: Sequence[str]) -> list[str]:
    """Return beginnings of `length` made longer, and shorter strings as they are: without blanks around, as answers.

    A blank may end what is cut to the `longer` length.
    """
    made = (start + tail for start in followed for tail in (tails if len(start) == length else [""]))
    return [text for text in made if text and text[0] != " " and (text[-1] != " " or len(text) == longer)]
