"""An archive's reports as a data frame in the words of their survey."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sotto_estimator.errors import DomainError, one_of
from sotto_estimator.results.data_frames import require_frames
from sotto_estimator.sources.archive import folder_of, open_archive
from sotto_estimator.sources.archive_frame import MAX_BYTES, frame_of_archive, labels_of_places, spread
from sotto_protocol import Survey
from sotto_protocol.mechanisms.columns import LabelledColumn
from sotto_protocol.mechanisms.mechanism import Bytes

if TYPE_CHECKING:
    import pandas as pd


def read_archive(
    folder: str | os.PathLike[str],
    *,
    questions: Sequence[str] | None = None,
    parts: Sequence[int] | None = None,
    max_bytes: int = MAX_BYTES,
) -> "pd.DataFrame":
    """Return the reports that `sotto export` wrote as a pandas DataFrame, one row per report, in the survey's words.

    **They are noisy**: a reported yes is only sometimes a true yes. So the mean of a column is not an estimate of
    anybody's answers. The estimator's functions remove the noise: `associate("archive", questions=..)` takes the
    folder. `estimate` takes the tally that `sotto tally` counts from the folder. Only a number's column is right on
    average.

    `wave` and `stratum` are columns where there are several. The other columns depend on the question:

    A yes-no question has ID, with the categories no and yes. One-of by k-ary has ID, the reported option. If a report
    speaks for several options, each has a boolean column ID:OPTION. An `asked-option` question has ID.option, which was
    asked, and ID, no or yes. If it asks several options, there are ID.option1, ID.1, ID.option2 and so on. A number has
    ID, a float in its unit, which may lie outside the range and is unbiased. A text has ID.cohort and the other columns
    as they are stored, bits as bytes. With `draw`, what was not asked is missing.

    `questions` are ids, and `parts` are numbers in [0, `frame.attrs["n_parts"]`). The default is all. Raises
    SourceError for a folder that is no archive, damaged or unfinished, and for a frame above `max_bytes`.
    Raises DomainError for an unknown question or part, and MissingExtra without pandas or pyarrow.
    """
    require_frames("read_archive", "pandas", "pyarrow")
    path = folder_of(folder)
    manifest = open_archive(path)
    ids = _check(manifest.survey, questions)
    return frame_of_archive(path, manifest, parts, max_bytes, lambda records: _columns(manifest.survey, records, ids))


def _check(survey: Survey, questions: Sequence[str] | None) -> list[str]:
    known = [question.id for question in survey.questions]
    for question in questions or ():
        if question not in known:
            raise DomainError(f"question ({question!r:.80}) {one_of(known, question)}")
    return known if questions is None else list(questions)


def _columns(survey: Survey, records: Bytes, ids: Sequence[str]) -> "dict[str, pd.Series]":
    columns: dict[str, pd.Series] = {}
    drawn = survey.layout.drawn(records).T
    for (question, column), has in zip(survey.layout.cut(records), drawn, strict=True):
        if question.id in ids:
            for one in question.columns(column):
                columns[one.name] = _series(one) if not survey.draw else spread(_series(one), has)
    return columns


def _series(column: LabelledColumn) -> "pd.Series":
    import pandas as pd

    values = column.values
    if column.labels:
        return labels_of_places(values.astype(np.int64), column.labels)
    return pd.Series(np.array([row.tobytes() for row in values], object) if values.dtype.kind == "V" else values)
