"""Packed reports as the groups of those that say the same of some questions."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.association.axes import TableAxis
from sotto_estimator.errors import SourceError
from sotto_protocol import Survey
from sotto_protocol.mechanisms.mechanism import Bytes
from sotto_protocol.record import WAVE

_KEY_BYTES = 8  # reports of so many bytes are grouped; of more, few are identical


def grouped_reports(
    survey: Survey, records: Bytes, sides: Sequence[TableAxis]
) -> tuple[list[Bytes], NDArray[np.int64]]:
    """Return what each group of reports says of each side, for `TableAxis.likelihood`, and how many reports it holds.

    Of packed reports of one wave, those that answer all of the sides' questions. Raises SourceError where there are
    none, or several waves.
    """
    return _group(_columns(survey, records, sides))


def check_one_wave(survey: Survey, records: Bytes) -> None:
    """Raise SourceError where there are no reports, or those of several waves that may be of one device."""
    if not len(records):
        raise SourceError("there are no reports; at least one is needed.")
    waves = np.unique(survey.layout.numbers(records, WAVE)).tolist()
    if len(waves) > 1 and survey.max_reports > 1:
        raise SourceError(
            f"the reports are of {len(waves)} waves, and reports of one device depend on one another. Choose one wave."
        )


def _columns(survey: Survey, records: Bytes, sides: Sequence[TableAxis]) -> list[Bytes]:
    check_one_wave(survey, records)
    columns = {question.id: column for question, column in survey.layout.cut(that_answer(survey, records, sides))}
    return [side.narrow(columns[side.question.id]) for side in sides]


def that_answer(survey: Survey, records: Bytes, sides: Sequence[TableAxis]) -> Bytes:
    """Return the reports that answer all of the questions: with `draw`, some. Raises SourceError where none does."""
    ids = {side.question.id for side in sides}
    places = [place for place, question in enumerate(survey.questions) if question.id in ids]
    names = " and ".join(survey.questions[place].id for place in places)
    if survey.n_drawn < len(places):
        raise SourceError(
            f"no report answers {names}: draw is {survey.draw}, and a table needs at least draw = {len(places)}."
        )
    answered: Bytes = records[survey.layout.drawn(records)[:, places].all(axis=1)]
    if not len(answered):
        raise SourceError(f"none of {len(records):,} reports answers {names}: each answers {survey.draw} questions.")
    return answered


def _group(columns: Sequence[Bytes]) -> tuple[list[Bytes], NDArray[np.int64]]:
    """Return one of each group of identical reports, cut into columns again, and how many each group holds."""
    widths = [column.shape[1] for column in columns]
    records = np.concatenate(columns, axis=1)
    if sum(widths) > _KEY_BYTES:
        return list(columns), np.ones(len(records), np.int64)
    keys = np.pad(records, ((0, 0), (0, _KEY_BYTES - sum(widths)))).view(np.uint64).ravel()
    _, first, counts = np.unique(keys, return_index=True, return_counts=True)
    return np.split(records[first], np.cumsum(widths)[:-1], axis=1), counts.astype(np.int64)
