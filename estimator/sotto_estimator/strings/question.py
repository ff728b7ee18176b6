"""A text question of a tally: its counts, the channel that they went through, and what its decoding needs."""

from collections.abc import Sequence

from sotto_estimator.errors import DomainError, SourceError, meant
from sotto_estimator.inference.registry import find, is_text
from sotto_estimator.sources.withheld import withheld_of
from sotto_estimator.strings.candidates import CandidateMap
from sotto_estimator.strings.counts import BitCounts, BitRates
from sotto_estimator.strings.decode import Decoded, DecodeOptions, decode
from sotto_estimator.strings.sketch import decode_sketch
from sotto_protocol import COIN_SCALE, Question, Survey, Tally
from sotto_protocol.mechanisms.bloom.response import BloomResponse
from sotto_protocol.mechanisms.mechanism import Counts
from sotto_protocol.mechanisms.sketch.response import SketchResponse
from sotto_protocol.text import normalise


def decode_tally(
    tally: Tally,
    question_id: str,
    candidates: Sequence[str],
    options: DecodeOptions | None = None,
    *,
    keep_all: bool = False,
) -> Decoded:
    """Find which candidates are common answers to a text question, and their shares: see `decode`, `decode_sketch`.

    `candidates`: strings that differ as answers count, which devices report and which they are brought to.
    Raises SourceError where the survey has no such text question, or no reports are counted.
    """
    question = text_question(tally.survey, question_id)
    strings = [normalise(text) for text in candidates]
    if not strings:
        raise DomainError("candidates must not be empty: give the texts to look for.")
    decode_question = find(question, "decode")
    decoded: Decoded = decode_question(question.mechanism, tally, question_id, strings, options, keep_all=keep_all)
    return decoded


def decode_sketch_question(
    mechanism: SketchResponse,
    tally: Tally,
    question_id: str,
    strings: Sequence[str],
    options: DecodeOptions | None,
    *,
    keep_all: bool,
) -> Decoded:
    """Return what a tally tells of strings that are reported by a sketch."""
    return decode_sketch(mechanism, sketch_counts(tally, question_id), strings, options, keep_all=keep_all)


def decode_filter_question(
    mechanism: BloomResponse,
    tally: Tally,
    question_id: str,
    strings: Sequence[str],
    options: DecodeOptions | None,
    *,
    keep_all: bool,
) -> Decoded:
    """Return what a tally tells of strings that are reported by Bloom filters."""
    mapped = CandidateMap.of(strings, mechanism.design)
    return decode(bit_counts(tally, question_id), bit_rates(mechanism), mapped, options, keep_all=keep_all)


def text_question(survey: Survey, question_id: str) -> Question:
    """Return a survey's text question. Raises SourceError, which names those that there are."""
    texts = {question.id: question for question in survey.questions if is_text(question)}
    if question_id in texts:
        return texts[question_id]
    known, hint = ", ".join(texts) or "none", meant(texts, question_id)
    raise SourceError(f"{question_id!r} is not a text question of the survey; its text questions: {known}.{hint}")


def bit_counts(tally: Tally, question_id: str) -> BitCounts:
    """Return the counts of Bloom filters; of as many reports of a device as waves are pooled, with the waves' sizes.

    Raises SourceError where all of them are withheld.
    """
    counts = _released(tally, question_id)
    counted = tally.counted(question_id)
    sizes, most = tuple(n + counted.n_unsplit for n in counted.by_wave.values()), tally.survey.max_reports
    if most < len(sizes):  # whatever the waves' sizes
        return BitCounts.from_support(counts, most)
    return BitCounts.from_support(counts, max(1, len(sizes)), sizes)


def sketch_counts(tally: Tally, question_id: str) -> Counts:
    """Return a sketch's counts. Raises SourceError where all of them are withheld, or waves are pooled.

    Of several waves only where a device is asked in one of them.
    """
    counts = _released(tally, question_id)
    if len(tally.counted(question_id).by_wave) > 1 and tally.survey.max_reports > 1:
        raise SourceError(
            "a sketch is decoded for one wave, because reports of one device depend on one another. Give --wave."
        )
    return counts


def _released(tally: Tally, question_id: str) -> Counts:
    for withheld in withheld_of(tally):
        if withheld.question == question_id and not withheld.n_counted:
            raise SourceError(f"there is nothing to decode yet: {withheld}.")
    return tally.support_counts[question_id]


def bit_rates(mechanism: BloomResponse) -> BitRates:
    """Return the two stages that a text question's bits go through."""
    return BitRates(
        mechanism.threshold_if_true / COIN_SCALE,
        mechanism.threshold_if_other / COIN_SCALE,
        mechanism.report_if_one / COIN_SCALE,
        mechanism.report_if_zero / COIN_SCALE,
    )
