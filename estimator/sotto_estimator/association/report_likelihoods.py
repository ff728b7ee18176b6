"""What each report of an archive says of each answer: likelihoods, for models that are fitted elsewhere."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sotto_estimator.association.axes import Candidates, TableAxis, read_side
from sotto_estimator.errors import DomainError
from sotto_estimator.results.data_frames import require_frames
from sotto_estimator.sources.archive import folder_of, open_archive
from sotto_estimator.sources.archive_frame import MAX_BYTES, frame_of_archive, spread
from sotto_protocol import Survey
from sotto_protocol.mechanisms.mechanism import Bytes

if TYPE_CHECKING:
    import pandas as pd


def read_likelihoods(
    folder: str | os.PathLike[str],
    *,
    questions: Sequence[str],
    candidates: Candidates | None = None,
    parts: Sequence[int] | None = None,
    max_bytes: int = MAX_BYTES,
) -> "pd.DataFrame":
    """Return P(report | answer) for the reports that `sotto export` wrote: one row per report, one column
    QUESTION:ANSWER.

    Use them for any model by maximum likelihood. With shares s, the log-likelihood is the sum over rows of log(sum over
    answers of s times the row). Shares may depend on what else is known about a row. Rows are in the order of
    `read_archive`. The noise of different questions is independent, so their columns multiply. Options of one any-of
    question by `subset` share their noise: do not multiply these.

    The columns are the probabilities for yes-no questions, options of any-of questions, and k-ary. Other questions'
    columns have a factor of the report, the same for all answers, on which no estimate depends. `wave` and `stratum`
    are columns where there are several. With `draw`, what was not asked is missing.

    `questions` are ids. QUESTION:OPTION is an option of an any-of question, with the columns QUESTION:OPTION:yes and
    :no. `candidates` has the texts of each text question. The rest is as for `read_archive`. Also raises DomainError
    for a question whose likelihood is unknown.
    """
    require_frames("read_likelihoods", "pandas", "pyarrow")
    path = folder_of(folder)
    manifest = open_archive(path)
    if isinstance(questions, str) or not questions or len({*questions}) < len(questions):
        raise DomainError("questions must be a list of one or more different ones.")
    sides = [read_side(manifest.survey, name, candidates or {}) for name in questions]
    return frame_of_archive(path, manifest, parts, max_bytes, lambda records: _columns(manifest.survey, records, sides))


def _columns(survey: Survey, records: Bytes, sides: Sequence[TableAxis]) -> "dict[str, pd.Series]":
    import pandas as pd

    columns: dict[str, pd.Series] = {}
    cut = {question.id: column for question, column in survey.layout.cut(records)}
    has = dict(zip(cut, survey.layout.drawn(records).T, strict=True))
    for side in sides:
        key = side.question.id
        of_reports = side.likelihood(side.narrow(cut[key])) * side.likelihood_unit
        for label, numbers in zip(side.labels, of_reports.T, strict=True):
            series = pd.Series(numbers.astype(np.float64))
            columns[f"{side.name}:{label}"] = series if not survey.draw else spread(series, has[key])
    return columns
