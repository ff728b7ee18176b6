"""One file of an archive: some reports of one part, as Parquet, small enough to be held in memory."""

import hashlib
import os
import secrets
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sotto_collector.archive.folders import Folder
from sotto_collector.archive.layout import Layout
from sotto_collector.archive.manifest import digest_of
from sotto_collector.errors import ArchiveError
from sotto_protocol import SottoError, Survey
from sotto_protocol.archive import DIGEST, SURVEY_KEY, ArchiveFile
from sotto_protocol.mechanisms.mechanism import Bytes

ROWS_PER_GROUP = 2**16
"""So many reports are decoded and counted at once."""
MAX_FILE_BYTES = 2**25
"""The packed reports of one file; one that reads it needs about twice as much memory."""
_MAX_CONTENT_BYTES = 4 * MAX_FILE_BYTES  # numbers that a dictionary cannot hold take four bytes each
_READ_BYTES = 2**20
_NAME = b"sottovoce.file"  # so that no two files are equal, whatever they hold: a file is known by its digest


def write_file(folder: Folder, name: str, layout: Layout, records: Bytes) -> ArchiveFile:
    """Write packed reports, shape (n, layout.n_bytes), in an order that says nothing of their ids."""
    shuffled = shuffle(layout, records)
    out = pa.BufferOutputStream()
    schema = layout.schema.with_metadata({SURVEY_KEY: layout.survey.canonical, _NAME: name.encode()})
    numbers = [column.name for column in layout.columns if column.is_number]
    with pq.ParquetWriter(
        out, schema, compression="none", use_dictionary=numbers, write_statistics=False
    ) as writer:  # noise is not to be compressed; small numbers take a few bits in a dictionary
        for start in range(0, len(shuffled), ROWS_PER_GROUP):
            writer.write_batch(layout.to_batch(shuffled[start : start + ROWS_PER_GROUP]))
    content = out.getvalue().to_pybytes()
    folder.write(name, content)
    return ArchiveFile(name, len(records), digest_of(content))


def read_file(folder: Folder, file: ArchiveFile) -> Iterator[tuple[Survey, Bytes]]:
    """Yield the survey and packed reports, shape (n, layout.n_bytes), some at a time; the digest is checked before.

    Raises ArchiveError, which names the file.
    """
    content = read_checked(folder, file)
    try:
        with pq.ParquetFile(pa.BufferReader(content)) as parquet:
            layout = Layout(Survey.from_canonical(parquet.schema_arrow.metadata[SURVEY_KEY]))
            if not parquet.schema_arrow.equals(layout.schema):
                raise ArchiveError("its columns are not those of its survey.")
            for batch in parquet.iter_batches(ROWS_PER_GROUP, use_threads=False):
                yield layout.survey, layout.to_records(batch)
    except (pa.ArrowException, OSError, KeyError, TypeError, SottoError) as fault:
        raise ArchiveError(f"{folder.place(file.name)} is not a file of an archive: {fault}") from fault


def read_checked(folder: Folder, file: ArchiveFile) -> bytearray:
    """Return a file's content: exactly what its digest was made of. Raises ArchiveError."""
    digest = hashlib.new(DIGEST)
    try:
        with folder.open(file.name) as source:
            content = bytearray(min(source.seek(0, os.SEEK_END), _MAX_CONTENT_BYTES))
            source.seek(0)
            view, n_read = memoryview(content), 0
            while n_new := source.readinto(view[n_read : n_read + _READ_BYTES]):
                digest.update(view[n_read : n_read + n_new])
                n_read += n_new
    except OSError as fault:
        raise ArchiveError(f"{folder.place(file.name)} cannot be read: {fault.strerror}.") from fault
    if digest.hexdigest() != file.digest:
        raise ArchiveError(
            f"{folder.place(file.name)} is not what was exported: its SHA-512 differs from the manifest's."
        )
    return content


def shuffle(layout: Layout, records: Bytes) -> Bytes:
    """Return the records in a random order, within the cohorts of the first text where there is one."""
    chance = np.random.default_rng(secrets.randbits(128))
    order = chance.permutation(len(records))
    if layout.sort_key is not None:
        cohorts = layout.sort_key.place(records).astype(np.uint16)[order]
        order = order[np.argsort(cohorts, kind="stable")]
    return np.take(records.view(f"V{records.shape[1]}"), order, axis=0).view(np.uint8)
