"""Export: every part of a survey's reports into files, each written whole or not at all, each part's once."""

from collections.abc import Callable, Iterator

import numpy as np

from sotto_collector.archive.files import MAX_FILE_BYTES, read_checked, write_file
from sotto_collector.archive.folders import Folder, Given, folder_of
from sotto_collector.archive.layout import Layout
from sotto_collector.archive.manifest import read_manifest, write_manifest
from sotto_collector.archive.source import Source
from sotto_collector.errors import ArchiveError
from sotto_collector.store import Part
from sotto_protocol import Survey
from sotto_protocol.archive import MANIFEST, MAX_PARTS, ArchiveFile, Manifest, file_name
from sotto_protocol.mechanisms.mechanism import Bytes

PART_BYTES = 2**24
"""About so many bytes of packed reports make a part, unless there would be more parts than there can be."""

Progress = Callable[[Manifest], None]


def export(
    source: Source, given: Given, n_parts: int | None = None, progress: Progress = lambda _: None
) -> tuple[Manifest, int]:
    """Write what is missing of a survey's archive; return its manifest, and how many parts were there already.

    A part is read from one state of the source, and different parts from different states. `n_parts` in [1, 4096], by
    default as many as the size asks for; an archive that was begun keeps its own. Raises ArchiveError, or what the
    source raises; what was finished stays, and the next export goes on from there.
    """
    folder = folder_of(given)
    try:
        with folder.writing():
            manifest = _begin(source, folder, n_parts)
            n_kept = len(manifest.parts)
            progress(manifest)
            for index in manifest.missing:
                manifest.parts[index] = _write_part(source, Part(index, manifest.n_parts), folder)
                write_manifest(manifest, folder)
                progress(manifest)
    except OSError as fault:
        raise ArchiveError(f"{folder} cannot be written: {fault.strerror}.") from fault
    return manifest, n_kept


def _begin(source: Source, folder: Folder, n_parts: int | None) -> Manifest:
    """Return the manifest of an archive that is new, or that was begun: then without parts that are damaged."""
    if MANIFEST not in (names := folder.names()):
        if names:
            raise ArchiveError(f"{folder} must be a new or empty folder, or an archive of this survey.")
        manifest = Manifest(source.survey, n_parts or count_parts(source))
        write_manifest(manifest, folder)
        return manifest
    manifest = read_manifest(folder)
    if manifest.survey.fingerprint != source.survey.fingerprint:
        raise ArchiveError(f"{folder} is the archive of another survey, {manifest.survey.id}.")
    if n_parts not in (None, manifest.n_parts):
        raise ArchiveError(f"--parts ({n_parts}) must be {manifest.n_parts}, as {folder} was begun, or left out.")
    manifest.parts = {index: files for index, files in manifest.parts.items() if _are_whole(folder, files)}
    return manifest


def count_parts(source: Source) -> int:
    """Return how many parts of about PART_BYTES there are."""
    n_bytes = source.n_reports * source.survey.layout.n_bytes
    return min(MAX_PARTS, max(1, -(-n_bytes // PART_BYTES)))


def _are_whole(folder: Folder, files: tuple[ArchiveFile, ...]) -> bool:
    try:
        for file in files:
            read_checked(folder, file)
    except ArchiveError:
        return False
    return True


def _write_part(source: Source, part: Part, folder: Folder) -> tuple[ArchiveFile, ...]:
    layout = Layout(source.survey)
    return tuple(
        write_file(folder, file_name(part.index, part.n_parts, number), layout, records)
        for number, records in enumerate(cut(source.survey, source.read(part)))
    )


def cut(survey: Survey, chunks: Iterator[bytes]) -> Iterator[Bytes]:
    """Yield what a source gives as packed reports, shape (n, layout.n_bytes), as many as a file may have.

    Raises ArchiveError where it ends in the middle of one.
    """
    width = survey.layout.n_bytes
    most = max(1, MAX_FILE_BYTES // width) * width
    waiting = bytearray()
    for chunk in chunks:
        waiting += chunk
        while len(waiting) > most:
            yield _as_records(waiting[:most], width)
            del waiting[:most]
    if len(waiting) % width:
        raise ArchiveError(f"the source's reports must be of {width} bytes each; it gave others.")
    if waiting:
        yield _as_records(waiting, width)


def _as_records(joined: bytearray, width: int) -> Bytes:
    return np.frombuffer(bytes(joined), np.uint8).reshape(-1, width)
