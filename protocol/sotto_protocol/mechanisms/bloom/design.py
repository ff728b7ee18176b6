"""The design of RAPPOR for strings: the filter's shape, and what an author may ask for."""

from dataclasses import asdict, dataclass

from sotto_protocol.cohorts import MAX_COHORTS, decoded_cohorts
from sotto_protocol.mechanisms.asked import Asked
from sotto_protocol.mechanisms.bloom.hash import MAX_BITS, MAX_HASHES
from sotto_protocol.mechanisms.bloom.response import MAX_GRAM_LENGTH, MAX_POSITIONS, BloomResponse
from sotto_protocol.mechanisms.checks import check_integer
from sotto_protocol.mechanisms.thresholds import Stages

_CELLS = 4096
"""Bits of all cohorts together: with fewer, strings that share bits are mistaken for one another in small crowds."""


@dataclass(frozen=True, slots=True)
class BloomShape:
    """The parameters of `BloomResponse` that are not thresholds."""

    n_bits: int = 128
    n_hashes: int = 1
    n_cohorts: int = 64
    max_length: int = 0
    gram_length: int = 0

    @property
    def n_differences(self) -> int:
        """In how many bits the filters of two answers can differ."""
        n_blocks = 3 if self.max_length else 1
        return n_blocks * min(2 * self.n_hashes, self.n_bits)


_USUAL = BloomShape()


def bloom(shape: BloomShape, stages: Stages) -> BloomResponse:
    """Return RAPPOR of a text question."""
    check_integer("n_bits", shape.n_bits, 2, MAX_BITS)
    members = asdict(shape)
    return BloomResponse("rappor", members.pop("n_bits"), **asdict(stages), **members)


def ask_rappor(asked: Asked) -> BloomResponse:
    """Return RAPPOR of a text question as an author asks for it."""
    n_cohorts = asked.integer("n_cohorts", 1, MAX_COHORTS, _usual_cohorts(asked))
    shape = BloomShape(
        asked.integer("n_bits", 2, MAX_BITS, _usual_bits(asked, n_cohorts)),
        asked.integer("n_hashes", 1, MAX_HASHES, _USUAL.n_hashes),
        n_cohorts,
        *_read_grams(asked),
    )
    return bloom(shape, asked.stages(shape.n_differences))


def _usual_cohorts(asked: Asked) -> int:
    """Return as many cohorts as have reports enough, where it is known how many people there are."""
    return _USUAL.n_cohorts if asked.people is None else decoded_cohorts(asked.people, asked.min_reports)


def _usual_bits(asked: Asked, n_cohorts: int) -> int:
    return _USUAL.n_bits if asked.people is None else max(_USUAL.n_bits, _CELLS // n_cohorts)


def _read_grams(asked: Asked) -> tuple[int, int]:
    """Return max_length and gram_length, 0 and 0 where strings are all known."""
    if not asked.flag("unknown"):
        return 0, 0
    length = asked.integer("gram_length", 1, MAX_GRAM_LENGTH, 2)
    return asked.integer("max_length", 2 * length, MAX_POSITIONS * length, 4 * length), length
