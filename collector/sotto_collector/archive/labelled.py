"""A survey's noisy reports as one file in the survey's words, for people who read them: nothing counts it again."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sotto_collector.archive.export import count_parts, cut
from sotto_collector.archive.files import shuffle
from sotto_collector.archive.labelled_forms import form_of
from sotto_collector.archive.layout import Layout
from sotto_collector.archive.program_files import QUESTION_KEY
from sotto_collector.archive.source import Source
from sotto_collector.durable_files import written_durably
from sotto_collector.errors import ArchiveError
from sotto_collector.store import Part
from sotto_protocol import Question, Survey
from sotto_protocol.archive import SURVEY_KEY
from sotto_protocol.errors import ReportError
from sotto_protocol.mechanisms.columns import LabelledColumn
from sotto_protocol.mechanisms.mechanism import Bytes
from sotto_protocol.record import STRATUM, WAVE
from sotto_protocol.words import epsilon_above

PREFIX = "reported_"
"""What the name of every noisy column begins with."""
_NOISY = (
    "These reports are noisy: each device changed them at random before it sent them. A share or mean of a column is "
    "no estimate. `sotto estimate` and `sotto associate` correct for the noise."
)
_NOISE_KEY = b"sottovoce.noise"
_ROWS_PER_GROUP = 2**17
_CELLS_AT_ONCE = 2**24
"""So many values are unpacked to a byte or more each."""

Progress = Callable[[int, int, int], None]
_Has = NDArray[np.bool_]


def export_labelled(
    source: Source,
    path: Path,
    progress: Progress = lambda *_: None,
    note: Callable[[str], object] = lambda _: None,
) -> int:
    """Write a survey's reports to a new file, whole or not at all; return how many. Raises ArchiveError.

    The name's ending chooses one of `labelled_forms.FORMS`. A row a report, in an order that says nothing of its id but
    its part. Columns: those of `sotto_estimator.read_archive`, what is noisy with `reported_` before its name.
    `progress` is told parts that are done, parts, and reports; `note` each thing that the form cannot hold as it is.
    Memory does not grow with the reports, but for the file's index, and for Stata, SPSS and Excel.
    """
    form = form_of(path)
    try:
        with written_durably(path) as file:
            return _write(source, file, form, progress, note)
    except OSError as fault:
        raise ArchiveError(f"{path} cannot be written: {fault.strerror}.") from fault


def _write(
    source: Source, file: BinaryIO, form: Callable[..., Any], progress: Progress, note: Callable[[str], object]
) -> int:
    survey, layout, n_parts, n_reports = source.survey, Layout(source.survey), count_parts(source), 0
    schema = _batch(survey, survey.layout.check(np.empty((0, 0), np.uint8))).schema
    with form(file, schema) as out:
        for index in range(n_parts):
            progress(index, n_parts, n_reports)
            for records in cut(survey, source.read(Part(index, n_parts))):
                shuffled = shuffle(layout, records)
                for start in range(0, len(shuffled), _ROWS_PER_GROUP):
                    group = shuffled[start : start + _ROWS_PER_GROUP]
                    out.write_table(pa.Table.from_batches(_batches(survey, group, len(schema))), _ROWS_PER_GROUP)
                n_reports += len(shuffled)
    for said in getattr(out, "notes", ()):
        note(said)
    progress(n_parts, n_parts, n_reports)
    return n_reports


def _batches(survey: Survey, records: Bytes, n_columns: int) -> Iterator[pa.RecordBatch]:
    n_rows = max(1, _CELLS_AT_ONCE // n_columns)
    for start in range(0, len(records), n_rows):
        try:
            yield _batch(survey, records[start : start + n_rows])
        except ReportError as fault:
            raise ArchiveError(f"the source has a report that no device sends: {fault}") from fault


def _batch(survey: Survey, records: Bytes) -> pa.RecordBatch:
    fields, arrays = [], []
    for column, has, about in _columns(survey, records):
        array = _array(column, has)
        arrays.append(array)
        fields.append(pa.field(column.name, array.type, nullable=bool(about and survey.draw), metadata=about))
    metadata = {SURVEY_KEY: survey.canonical, _NOISE_KEY: _NOISY.encode()}
    return pa.record_batch(arrays, schema=pa.schema(fields, metadata))


def _columns(survey: Survey, records: Bytes) -> Iterator[tuple[LabelledColumn, _Has, dict[str, str] | None]]:
    """Yield each column, which reports have it, and what is said of it."""
    everybody = np.ones(len(records), np.bool_)
    if survey.waves > 1:
        yield LabelledColumn(WAVE, survey.layout.numbers(records, WAVE).astype(np.uint16)), everybody, None
    if survey.strata:
        places = survey.layout.numbers(records, STRATUM) - 1
        yield LabelledColumn(STRATUM, places, tuple(survey.strata)), everybody, None
    drawn = survey.layout.drawn(records).T
    for (question, column), has in zip(survey.layout.cut(records), drawn, strict=True):
        for one in question.columns(column):
            yield LabelledColumn(PREFIX + one.name, one.values, one.labels), has, _about(question)


def _about(question: Question) -> dict[str, str]:
    return {
        "description": f"Noisy reports, each true only with some probability, to the question: {question.text}",
        QUESTION_KEY.decode(): question.text,
        "mechanism": question.mechanism.name,
        "epsilon": epsilon_above(question.mechanism.epsilon),
    }


def _array(column: LabelledColumn, has: _Has) -> pa.Array:
    values = np.zeros(len(has), column.values.dtype)
    values[has] = column.values
    missing = None if has.all() else ~has
    if column.labels:
        places = pa.array(values.astype(np.uint16), mask=missing)
        return pa.DictionaryArray.from_arrays(places, pa.array(column.labels, pa.string()))
    if values.dtype.kind != "V":
        return pa.array(values, mask=missing)
    valid = None if missing is None else pa.py_buffer(np.packbits(has, bitorder="little"))
    kind = pa.binary(values.dtype.itemsize)
    return pa.FixedSizeBinaryArray.from_buffers(kind, len(values), [valid, pa.py_buffer(values)])
