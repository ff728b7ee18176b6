"""An archive's reports as a data frame in the words of their survey."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sotto_estimator.errors import DomainError, one_of
from sotto_estimator.results.data_frames import require_frames
from sotto_estimator.sources.archive import open_archive
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
    """Return the reports that `sotto export` wrote as a pandas DataFrame, a row a report, in the survey's words.

    **They are noisy**: a reported yes is a yes with some probability only, and a mean of them is no estimate of
    anybody's answers. The estimator's functions take the noise off: `associate("archive", questions=..)` takes the
    folder, `estimate` the tally that `sotto tally` counts of it. A number's column alone has the noise off on average.

    Columns: `wave` and `stratum`, where there are several. A yes-no question: ID, categories no and yes. One-of by
    k-ary: ID, the reported option. Where a report speaks for several options: ID:OPTION, a boolean each. Of
    `asked-option` ID.option, which was asked, and ID, no or yes. A number: ID, a float in its unit that may lie outside
    of the range and whose mean is the unbiased one. Text: ID.cohort and the other columns as they are stored, bits as
    bytes. With `draw`, what was not asked is missing.

    `questions`: ids; `parts`: in [0, `frame.attrs["n_parts"]`); by default all. Raises SourceError where the folder is
    no archive, is damaged or unfinished, and where the frame would take more than `max_bytes`; DomainError for a
    question or part that there is not; MissingExtra without pandas or pyarrow.
    """
    require_frames("read_archive", "pandas", "pyarrow")
    path = Path(folder)
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
