"""What a text becomes, in plain words."""

from sotto_protocol.language import Language, mark
from sotto_protocol.mechanisms.bloom.hash import BloomDesign

DRAWN = mark(
    "First, your device makes a lasting yes or no for each mark at random, only once. For a mark that is yes, "
    "that is yes %(true)s. For a mark that is no, it is yes %(other)s."
)
TOGETHER = mark(
    "Both steps together: for a mark that is yes, your device sends yes %(true)s. For a mark that is no, it "
    "sends yes %(other)s."
)


def say_bits(design: BloomDesign, n_positions: int, gram_length: int, language: Language) -> str:
    """Return what a text becomes before any noise, and what is sent beside the bits; `n_positions` of n-grams, or 0."""
    said = [
        language.gettext(
            "Your device turns your text into %(all)s marks, each yes or no. At most %(most)s can be yes. Other "
            "texts share them.",
            most=design.n_hashes,
            all=design.n_bits,
        )
    ]
    if design.n_cohorts > 1:
        grouped = language.gettext(
            "Your device belongs to one of %(n)s groups, picked once at random. In each group, a text has "
            "different marks. Your device sends the group's number too.",
            n=design.n_cohorts,
        )
        said.append(grouped)
    if n_positions:
        pieces = language.gettext(
            "Your device does the same with two pieces of your text, of up to %(length)s characters each. It "
            "picks two of %(places)s positions for them at random, once. It sends which two.",
            length=gram_length,
            places=n_positions,
        )
        said.append(pieces)
    return language.text(said)
