"""An archive as one data frame, whatever its columns are made of: chosen parts, bounded, checked."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.errors import DomainError, SourceError
from sotto_estimator.sources.archive import Folder, records_of_files
from sotto_protocol import Survey
from sotto_protocol.archive import ArchiveFile, Manifest
from sotto_protocol.errors import ReportError
from sotto_protocol.mechanisms.mechanism import Bytes
from sotto_protocol.record import STRATUM, WAVE

if TYPE_CHECKING:
    import pandas as pd

MAX_BYTES = 2**30
Columns = Callable[[Bytes], "dict[str, pd.Series]"]
"""Columns of packed reports, by name."""


def frame_of_archive(
    folder: Folder, manifest: Manifest, parts: Sequence[int] | None, max_bytes: int, columns: Columns
) -> "pd.DataFrame":
    """Return a row a report: wave and stratum, where there are several, and the columns.

    Raises DomainError for parts that there are not, SourceError for a frame of more than `max_bytes`.
    """
    import pandas as pd

    _check(manifest, parts)
    survey = manifest.survey
    files = [file for part in (range(manifest.n_parts) if parts is None else parts) for file in manifest.parts[part]]
    wide = _frame(survey, survey.layout.check(np.empty((0, 0), np.uint8)), columns)
    n_bytes = sum(file.n_reports for file in files) * max(1, sum(_width(wide[name]) for name in wide.columns))
    if n_bytes > max_bytes:
        raise SourceError(
            f"the frame would take about {n_bytes / 2**20:,.0f} MiB: choose questions, some of the {manifest.n_parts} "
            f"parts (parts=[0]), or a larger max_bytes ({max_bytes:,})."
        )
    frames = [*_frames(folder, survey, files, columns)]
    found = pd.concat(frames, ignore_index=True) if frames else wide
    found.attrs = {"survey": survey.id, "fingerprint": survey.fingerprint, "n_parts": manifest.n_parts}
    return found


def labels_of_places(places: NDArray[np.integer], labels: Sequence[str]) -> "pd.Series":
    """Return a column of labels, by their places."""
    import pandas as pd

    return pd.Series(pd.Categorical.from_codes(places.astype(np.int64), list(labels)))


def spread(series: "pd.Series", has: NDArray[np.bool_]) -> "pd.Series":
    """Return the column of all reports: missing where a report does not answer the question."""
    kind = {"bool": "boolean", "uint16": "UInt16"}.get(str(series.dtype), series.dtype)
    return series.astype(kind).set_axis(np.flatnonzero(has)).reindex(range(len(has)))


def _check(manifest: Manifest, parts: Sequence[int] | None) -> None:
    for part in parts or ():
        if part not in range(manifest.n_parts):
            raise DomainError(f"part ({part!r:.80}) must be in [0, {manifest.n_parts - 1}].")
    if parts is not None and len({*parts}) < len(parts):
        raise DomainError("parts must not name a part twice: its reports would count twice.")


def _frames(folder: Folder, survey: Survey, files: Sequence[ArchiveFile], columns: Columns) -> "Iterator[pd.DataFrame]":
    for file, records in zip(files, records_of_files(folder, survey, files), strict=True):
        try:
            yield _frame(survey, records, columns)
        except ReportError as fault:
            raise SourceError(f"{folder / file.name} has reports that no device sends: {fault}") from fault


def _frame(survey: Survey, records: Bytes, columns: Columns) -> "pd.DataFrame":
    import pandas as pd

    head: dict[str, pd.Series] = {}
    if survey.waves > 1:
        head[WAVE] = pd.Series(survey.layout.numbers(records, WAVE), dtype="uint16")
    if survey.strata:
        head[STRATUM] = labels_of_places(survey.layout.numbers(records, STRATUM) - 1, survey.strata)
    return pd.DataFrame(head | columns(records), index=range(len(records)))


def _width(series: "pd.Series") -> int:
    """Return about how many bytes a row of a column takes; of one with bits as bytes, an object of Python's."""
    size = getattr(getattr(series, "cat", series), "codes", series).dtype
    return 64 if str(size) == "object" else int(getattr(size, "itemsize", 2))
