"""A text question of a tally: its counts, the channel that they went through, and what its decoding needs."""

from collections.abc import Sequence

from sotto_estimator.errors import SourceError
from sotto_estimator.strings.candidates import CandidateMap
from sotto_estimator.strings.counts import BitCounts, BitRates
from sotto_estimator.strings.decode import Decoded, DecodeOptions, decode
from sotto_estimator.withheld import withheld_of
from sotto_protocol import COIN_SCALE, Question, Survey, Tally
from sotto_protocol.mechanisms.bloom.response import BloomResponse
from sotto_protocol.text import normalise


def decode_tally(
    tally: Tally, question_id: str, candidates: Sequence[str], options: DecodeOptions | None = None
) -> Decoded:
    """Find which candidates are common answers to a text question, and their shares: see `decode`.

    `candidates`: strings that differ as answers count, which devices report and which they are brought to.
    Raises SourceError where the survey has no such text question, or no reports are counted.
    """
    _, mechanism = text_question(tally.survey, question_id)
    mapped = CandidateMap.of(map(normalise, candidates), mechanism.design)
    return decode(bit_counts(tally, question_id), bit_rates(mechanism), mapped, options)


def text_question(survey: Survey, question_id: str) -> tuple[Question, BloomResponse]:
    """Return a survey's text question and its mechanism. Raises SourceError, which names those that there are."""
    for question in survey.questions:
        if question.id == question_id and isinstance(question.mechanism, BloomResponse):
            return question, question.mechanism
    texts = [question.id for question in survey.questions if isinstance(question.mechanism, BloomResponse)]
    known = ", ".join(texts) or "none"
    raise SourceError(f"{question_id!r} is not a text question of the survey; its text questions: {known}.")


def bit_counts(tally: Tally, question_id: str) -> BitCounts:
    """Return a text question's counts; of as many reports of one device as waves are pooled, with the waves' sizes.

    Raises SourceError where all of them are withheld.
    """
    for withheld in withheld_of(tally):
        if withheld.question == question_id and not withheld.n_counted:
            raise SourceError(f"there is nothing to decode yet: {withheld}.")
    counted = tally.counted(question_id)
    sizes = tuple(n + counted.n_unsplit for n in counted.by_wave.values())
    return BitCounts.from_support(tally.support_counts[question_id], max(1, len(sizes)), sizes)


def bit_rates(mechanism: BloomResponse) -> BitRates:
    """Return the two stages that a text question's bits go through."""
    return BitRates(
        mechanism.threshold_if_true / COIN_SCALE,
        mechanism.threshold_if_other / COIN_SCALE,
        mechanism.report_if_one / COIN_SCALE,
        mechanism.report_if_zero / COIN_SCALE,
    )
