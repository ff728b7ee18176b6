"""A file that is to be copied as a backup, looked at first: what it is, whose, and whether there is room for it."""

import shutil
import stat
from pathlib import Path

from sotto_collector.errors import StoreError
from sotto_collector.store.sqlite_engine import APPLICATION_ID

_MAGIC, _HEADER_BYTES, _ID_AT = b"SQLite format 3\x00", 100, 68
_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}


def check_regular(path: str, what: str) -> None:
    """Raise StoreError for what is no file, of which no end may come; OSError where there is nothing."""
    kind = stat.S_IFMT(Path(path).stat().st_mode)
    if kind != stat.S_IFREG:
        raise StoreError(f"{what} ({path}) must be a file; it is {_KINDS.get(kind, 'none')}.")


def check_source(backup: str, folder: Path) -> None:
    """Raise StoreError unless a file can be a backup, and there is room in a folder for it and its log; OSError."""
    check_regular(backup, "backup")
    with Path(backup).open("rb") as file:
        header = file.read(_HEADER_BYTES)
    n_log_bytes = Path(f"{backup}-wal").stat().st_size if Path(f"{backup}-wal").exists() else 0
    if header or not n_log_bytes:  # else all of it is in the log of a collector that was killed
        _check_header(backup, header, has_log=n_log_bytes > 0)
    needed, free = Path(backup).stat().st_size + n_log_bytes, shutil.disk_usage(folder).free
    if needed > free:
        raise StoreError(
            f"backup ({backup}) has {needed:,} bytes, and {folder} has room for {free:,}. Free some room, or restore "
            "to another disk (--db, or TMPDIR for PostgreSQL)."
        )


def _check_header(backup: str, header: bytes, *, has_log: bool) -> None:
    if not header:
        raise StoreError(f"backup ({backup}) must be a collector's database; there is none: it is empty.")
    if not header.startswith(_MAGIC):
        raise StoreError(f"backup ({backup}) must be a sottovoce database; the file is not a database of SQLite's.")
    found = int.from_bytes(header[_ID_AT : _ID_AT + 4], "big")
    if found != APPLICATION_ID and not (found == 0 and has_log):  # whose it is may be in the log alone
        raise StoreError(f"backup ({backup}) must be a sottovoce database; it is another program's.")
