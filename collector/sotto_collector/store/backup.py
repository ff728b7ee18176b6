"""A backup: a copy of a store that knows its day and, where it is a file, has its SHA-256 in another beside it."""

import hashlib
import os
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from sotto_collector.durable_files import sync_folder, write_durably
from sotto_collector.errors import StoreError
from sotto_collector.store.copy import fill_copy
from sotto_collector.store.databases import locate
from sotto_collector.store.source_file import check_regular
from sotto_collector.store.sqlite_file import SUM
from sotto_collector.store.store import Store

MOST_SUM_BYTES = 8192
"""A line of sha256sum is no longer, whatever the file is called."""


def back_up(source: Store, target: str, day: str, told: Callable[[int], None], *, replaces: bool = False) -> int:
    """Copy a store as `copy_store` does, note the day in the copy, and write its SHA-256; return how many rows it has.

    `replaces`: a file in the place of one that may be there. Raises StoreError; what was there before stays then.
    """
    location, beside, unfinished = locate(target), Path(target + SUM), Path(f"{target}{SUM}.unfinished")
    try:
        with location.make("the copy", replaces=replaces) as place:
            n_rows = fill_copy(source, location, place, told, day)
            if location.is_file:
                write_durably(unfinished, os.fsencode(f"{_hash(Path(place))}  {Path(target).name}\n"))
        if location.is_file:
            unfinished.replace(beside)
            sync_folder(beside.absolute().parent)
    except BaseException as fault:
        with suppress(OSError):
            unfinished.unlink()
        if isinstance(fault, OSError):
            raise StoreError(f"the copy ({target}) was made without {beside}: {fault.strerror}.") from fault
        raise
    return n_rows


def check_sum(backup: str, copied: str) -> None:
    """Raise StoreError unless a copied file has the SHA-256 that is beside its backup, where one is."""
    beside = Path(backup + SUM)
    if not os.path.lexists(beside):
        return
    try:
        check_regular(str(beside), "sum")
        with beside.open("rb") as file:
            said, found = os.fsdecode(file.read(MOST_SUM_BYTES)), _hash(Path(copied))
    except OSError as fault:
        raise StoreError(f"backup ({backup}) and {beside} must be readable: {fault.strerror}.") from fault
    line = re.match(r"\\?([0-9a-fA-F]{64}) [ *]", said)
    if line is None:
        raise StoreError(f"backup ({backup}) cannot be checked: {beside} must be a line of sha256sum.")
    if line[1].lower() != found:
        raise StoreError(
            f"backup ({backup}) must have the SHA-256 in {beside}: it is damaged, or was changed. If you changed it on "
            f"purpose, move {beside} away."
        )


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
