"""Strings that nobody listed, of a source: from the counts of their beginnings, or from reports of their n-grams."""

from dataclasses import replace

from sotto_estimator.errors import SourceError
from sotto_estimator.inference.registry import find, inference_of, is_text
from sotto_estimator.sources.kinds import TALLY
from sotto_estimator.sources.selection import Selection
from sotto_estimator.sources.source import Source
from sotto_estimator.strings.decode import Decoded, DecodeOptions
from sotto_estimator.strings.question import sketch_counts, text_question
from sotto_estimator.strings.subject import subject_of
from sotto_protocol.counted import Counted


def decode_unlisted(
    source: Source, question_id: str, chosen: Selection, alphabet: str, options: DecodeOptions
) -> Decoded:
    """Return the strings that beginnings lead to, by a sketch's counts, or n-grams, by reports, as decoded.

    Raises SourceError, also where reports of several waves are meant, FetchError, DomainError.
    """
    if source.gives(TALLY):
        tally = source.tally(chosen)
        for asked in tally.survey.questions:
            if asked.id == question_id and is_text(asked) and inference_of(asked.mechanism).unlisted_by == "counts":
                counts = sketch_counts(tally, question_id)
                subject = subject_of(tally.survey, asked, tally.counted(question_id), 0)
                decoded: Decoded = find(asked, "unlisted")(asked.mechanism, counts, alphabet, options)
                return replace(decoded, subject=replace(subject, stratum=chosen.stratum))
    survey, records = source.records(chosen)
    if survey.waves > 1 and chosen.wave is None:
        raise SourceError(f"unknown texts are found in the reports of one wave: give wave, from 1 to {survey.waves}.")
    question = text_question(survey, question_id)
    mechanism = question.mechanism
    columns = survey.layout.cut(chosen.of(survey, records))
    reports = next(part for asked, part in columns if asked.id == question_id)
    counted = Counted({chosen.wave or 1: len(reports)})
    subject = subject_of(survey, question, counted, mechanism.count_implausible(reports))
    of_counts = inference_of(mechanism).unlisted_by == "counts"
    told = mechanism.count_support(reports) if of_counts else reports
    decoded = find(question, "unlisted")(mechanism, told, alphabet, options)
    return replace(decoded, subject=replace(subject, stratum=chosen.stratum))
