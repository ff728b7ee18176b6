"""What a device does to a number that it reports as a segment, in plain words."""

from dataclasses import dataclass

from sotto_protocol.mechanisms.window_words import RoundingWords
from sotto_protocol.words import times_above


@dataclass(frozen=True, slots=True)
class SegmentWords(RoundingWords):
    """Segments between `ends`, in words: `width` is how many levels a code stands for at most."""

    n_codes: int

    def _sent(self) -> str:
        return self.language.gettext(
            "There are %(codes)s codes. Each is for up to %(n)s of these numbers, next to each other. Your "
            "device sends a code for the rounded number %(true)s. Otherwise it sends one of the "
            "other codes.",
            codes=self.n_codes,
            n=self.width,
            true=times_above(self.truth, self.language),
        )
