"""What `sotto export` wrote, read again: every file is checked by its digest, and no other file counts."""

import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.errors import SourceError
from sotto_estimator.results.data_frames import require_frames
from sotto_estimator.sources.kinds import ARCHIVE, check_kind, unreadable
from sotto_estimator.sources.records import MAX_BYTES, Records, read_records
from sotto_estimator.sources.store_folder import StorePath, store_path
from sotto_protocol import SottoError, Survey
from sotto_protocol.archive import DIGEST, MANIFEST, SURVEY_KEY, ArchiveFile, Manifest, columns_of
from sotto_protocol.mechanisms.mechanism import Bytes
from sotto_protocol.store_address import names_store

if TYPE_CHECKING:
    import pyarrow as pa

Folder = Path | StorePath


def folder_of(given: str | os.PathLike[str]) -> Folder:
    """Return the folder that a path names, or the address of a store. Raises SourceError, MissingExtra."""
    return store_path(given) if isinstance(given, str) and names_store(given) else Path(given)


def read_reports(path: Path) -> Records:
    """Return the packed reports of a file, or of an archive's folder, all of them. Raises SourceError, MissingExtra."""
    return read_records_of_archive(path) if (path / MANIFEST).exists() else read_records(path)


def open_archive(folder: Folder) -> Manifest:
    """Return an archive's manifest. Raises SourceError, for one whose export was cut short too."""
    path = folder / MANIFEST
    try:
        if isinstance(folder, Path):
            check_kind(folder, ARCHIVE)
        manifest = Manifest.from_json(path.read_bytes())
    except OSError as fault:
        if isinstance(folder, Path):
            raise unreadable(folder, fault) from fault
        raise SourceError(f"{path} cannot be read: {fault.strerror}.") from fault
    except SourceError:
        raise
    except SottoError as fault:
        raise SourceError(f"{path} is not an archive's manifest: {fault}") from fault
    if manifest.missing:
        n_there = manifest.n_parts - len(manifest.missing)
        raise SourceError(
            f"{folder} has {n_there} of {manifest.n_parts} parts: its export was cut short. Export again."
        )
    return manifest


def read_records_of_archive(folder: Folder) -> Records:
    """Return all packed reports of an archive, 1 GiB at most. Raises SourceError, and MissingExtra without pyarrow."""
    manifest = open_archive(folder)
    if (n_bytes := manifest.n_reports * manifest.survey.layout.n_bytes) > MAX_BYTES:
        raise SourceError(
            f"{folder} has {n_bytes:,} bytes of reports; the most are {MAX_BYTES:,}. Count it with `sotto tally`."
        )
    pieces = [*records_of_files(folder, manifest.survey, manifest.files)]
    return manifest.survey, np.concatenate(pieces) if pieces else manifest.survey.layout.check(
        np.empty((0, 0), np.uint8)
    )


def records_of_files(folder: Folder, survey: Survey, files: Sequence[ArchiveFile]) -> Iterator[Bytes]:
    """Yield the packed reports of each file, shape (n, layout.n_bytes). Raises SourceError, which names the file."""
    require_frames("an archive", "pyarrow")
    for file in files:
        path = folder / file.name
        try:
            content = path.read_bytes()
        except OSError as fault:
            raise SourceError(f"{path} cannot be read: {fault.strerror}.") from fault
        if hashlib.new(DIGEST, content).hexdigest() != file.digest:
            raise SourceError(f"{path} is not what was exported: its SHA-512 differs from the manifest's.")
        yield _records_of(path, content, survey)


def _records_of(path: Folder, content: bytes, survey: Survey) -> Bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(pa.BufferReader(content), use_threads=False).combine_chunks()
        if table.schema.metadata[SURVEY_KEY] != survey.canonical:
            raise SourceError("its reports are of another survey than the manifest's.")
        records = np.zeros((table.num_rows, survey.layout.n_bytes), np.uint8)
        for column in columns_of(survey):
            place, array = column.place(records), table[column.name].combine_chunks()
            place[:] = array.to_numpy() if column.is_number else _bits(array, place.dtype)
        survey.layout.cells(records)
        survey.layout.drawn(records)
    except (pa.ArrowException, KeyError, TypeError, ValueError, SottoError) as fault:
        raise SourceError(f"{path} is not a file of this archive: {fault}") from fault
    return records


def _bits(array: "pa.FixedSizeBinaryArray", kind: np.dtype[np.generic]) -> NDArray[np.generic]:
    return np.frombuffer(array.buffers()[1], kind, len(array), array.offset * kind.itemsize)
