"""What a text becomes, in plain words."""

from sotto_protocol.language import Language, mark
from sotto_protocol.mechanisms.bloom.hash import BloomDesign

DRAWN = mark(
    "First, once, your device draws a lasting yes or no in place of each bit: yes for a bit that your text sets "
    "%(true)s, for one that it does not set %(other)s."
)
TOGETHER = mark(
    "Both draws together, a bit that your text sets is reported as yes %(true)s, one that it does not set %(other)s."
)


def say_bits(design: BloomDesign, n_positions: int, gram_length: int, language: Language) -> str:
    """Return what a text becomes before any noise, and what is sent beside the bits; `n_positions` of n-grams, or 0."""
    said = [
        language.gettext(
            "Your text sets at most %(most)s of %(all)s bits, and other texts set them too.",
            most=design.n_hashes,
            all=design.n_bits,
        )
    ]
    if design.n_cohorts > 1:
        grouped = language.gettext(
            "Your device belongs to one of %(n)s groups, drawn once, in each of which texts set other bits; the "
            "group's number is sent.",
            n=design.n_cohorts,
        )
        said.append(grouped)
    if n_positions:
        pieces = language.gettext(
            "The same is done with two pieces of your text, of up to %(length)s characters each, at two of %(places)s "
            "positions that are drawn once; which two is sent.",
            length=gram_length,
            places=n_positions,
        )
        said.append(pieces)
    return language.text(said)
