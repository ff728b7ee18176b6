"""The journal: what the operator did, in a file apart from the database, written before it is acknowledged.

A line an act, in JSON, with a check of its bytes; no time, and nothing of who responds or when: no report that came, no
invitation that was used. A last line without its end was acknowledged to nobody.
"""

import errno
import fcntl
import hashlib
import os
import re
import secrets
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar

import msgspec

from sotto_collector.durable_files import sync_folder
from sotto_collector.errors import JournalError, StoreUnavailableError

FORMAT = "sottovoce-journal-1"
ID_BYTES = 16
CHECK_DIGITS = 16
TAIL_BYTES = 65536
LOCK_S = 2.0
RETRY_S = 0.001

_Hex16 = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{32}$")]
_Hex32 = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
_Size = Annotated[int, msgspec.Meta(ge=0, lt=2**53)]


class Head(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The first line: which journal it is, and of which store (`About.identity`)."""

    format: str
    journal: _Hex16
    store: _Hex16


class Act(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="act", kw_only=True):
    """What an operator did. Each may be done again, and changes nothing more."""


class OfSurvey(Act, frozen=True, kw_only=True):
    """An act on a survey: its key too, as an erased one may be published again."""

    survey: str
    fingerprint: _Hex32
    key: Annotated[int, msgspec.Meta(ge=1, lt=2**31)]


class ErasedReport(OfSurvey, frozen=True, kw_only=True, tag="erase"):
    """A report was erased by its receipt."""

    receipt: _Hex16


class ErasedSurvey(OfSurvey, frozen=True, kw_only=True, tag="erase-survey"):
    """A survey was erased with all that belongs to it."""


class ClosedSurvey(OfSurvey, frozen=True, kw_only=True, tag="close"):
    """A survey was closed."""


class RevokedInvitations(OfSurvey, frozen=True, kw_only=True, tag="revoke-invitations"):
    """Invitations were revoked; their hashes, ascending."""

    hashes: list[_Hex32]


class Released(OfSurvey, frozen=True, kw_only=True, tag="release"):
    """Analysts were given the counts of a cell: of how many reports, and by question (`store/floors.py`)."""

    cell: Annotated[int, msgspec.Meta(ge=1)]
    sizes: Annotated[list[_Size], msgspec.Meta(min_length=1)]


class EndedToken(Act, frozen=True, kw_only=True, tag="end-token"):
    """A token was revoked, or ends at a Unix time, as another takes its place."""

    hash: _Hex32
    expires_s: int | None = None


_KINDS: Any = ErasedReport | ErasedSurvey | ClosedSurvey | RevokedInvitations | Released | EndedToken


Kind = TypeVar("Kind")


class _Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A line; `check`: how the SHA-256 of what was done, as it is written, begins."""

    did: msgspec.Raw
    check: str


class ReadJournal(NamedTuple):
    """A journal as it was read. `ends`: after how many bytes its head ends, and then each act."""

    path: Path
    head: Head
    acts: tuple[Act, ...]
    ends: tuple[int, ...]

    @property
    def n_bytes(self) -> int:
        """How long it is, without a torn last line."""
        return self.ends[-1]

    def after(self, n_bytes: int) -> "ReadJournal":
        """Return the part of it that was written after so many bytes."""
        n_before = sum(end <= n_bytes for end in self.ends[1:])
        return self._replace(acts=self.acts[n_before:], ends=self.ends[n_before:])


class Journal:
    """A journal, open to be written. Threads may share it, and processes the file. Raises JournalError."""

    def __init__(self, path: Path, identity: bytes) -> None:
        """Open the journal of the store that `identity` names, or begin it where there is none.

        Raises StoreUnavailableError where another program holds its lock.
        """
        self._path, self._turn = path, threading.Lock()
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
            with self._locked():
                self.head = self._read_or_begin(identity.hex())
        except OSError as fault:
            raise JournalError(f"journal ({path}) must be a file that can be written: {fault.strerror}.") from fault

    def close(self) -> None:
        """Close the file. Twice is fine."""
        if self._file >= 0:
            os.close(self._file)
        self._file = -1

    def write(self, *acts: Act) -> int:
        """Write acts to the disk; return how long the journal is then.

        Raises StoreUnavailableError where that cannot be done; nothing is written then.
        """
        with self._turn:
            try:
                with self._locked():
                    self._check_place()
                    self._cut_torn_line()
                    return self._append(b"".join(map(_line, acts)))
            except OSError as fault:
                raise StoreUnavailableError(f"the journal cannot be written now: {fault.strerror}.") from fault

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the file's lock. Raises StoreUnavailableError where it stays another's: the database waits meanwhile."""
        last_s = time.monotonic() + LOCK_S
        while not self._try_lock():
            if time.monotonic() > last_s:
                raise StoreUnavailableError("the journal cannot be written now: another program holds its lock.")
            time.sleep(RETRY_S)
        try:
            yield
        finally:
            fcntl.flock(self._file, fcntl.LOCK_UN)

    def _try_lock(self) -> bool:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _read_or_begin(self, store: str) -> Head:
        """Return the head, which is written into an empty file or where it was torn. No other file is changed.

        One that is refused stays open: to close it would let go of SQLite's locks, were it the database itself.
        """
        if not stat.S_ISREG(os.fstat(self._file).st_mode):
            raise OSError(errno.EINVAL, "it is a device")
        first, line_feed, _ = os.pread(self._file, TAIL_BYTES, 0).partition(b"\n")
        if line_feed or not _is_torn_head(first, store):
            head = _read_head(first, self._path)
            if first + line_feed != _line(head):
                raise JournalError(f"journal ({self._path}), line 1: is damaged, or not a journal's.")
            if head.store != store:
                raise JournalError(f"journal ({self._path}) must be this database's; it is of another collector's.")
            return head
        head = Head(FORMAT, secrets.token_hex(ID_BYTES), store)
        os.ftruncate(self._file, 0)
        self._append(_line(head))
        sync_folder(self._path.absolute().parent)
        return head

    def _check_place(self) -> None:
        """Raise OSError, StoreUnavailableError where the file at the path is another than was opened, or begins so."""
        there, opened = self._path.stat(), os.fstat(self._file)
        if (there.st_dev, there.st_ino) != (opened.st_dev, opened.st_ino):
            raise StoreUnavailableError("the journal cannot be written now: it was moved or replaced.")
        head = _line(self.head)
        if os.pread(self._file, len(head), 0) != head:
            raise StoreUnavailableError("the journal cannot be written now: its first line is another.")

    def _append(self, lines: bytes) -> int:
        size = os.fstat(self._file).st_size
        try:
            left = lines
            while left:
                left = left[os.write(self._file, left) :]
            os.fsync(self._file)
        except OSError:
            os.ftruncate(self._file, size)
            raise
        return size + len(lines)

    def _cut_torn_line(self) -> None:
        """Cut what a process that died has left behind the last whole line."""
        end = size = os.fstat(self._file).st_size
        while end:
            start = max(0, end - TAIL_BYTES)
            found = os.pread(self._file, end - start, start).rfind(b"\n")
            end = start if found < 0 else start + found + 1
            if found >= 0:
                break
        if end < size:
            os.ftruncate(self._file, end)


def read_journal(path: Path) -> ReadJournal:
    """Return what a journal says; a torn last line is passed over. Raises JournalError, with the line."""
    try:
        content = path.read_bytes()
    except OSError as fault:
        raise JournalError(f"journal ({path}) must be a file that can be read: {fault.strerror}.") from fault
    first, *lines = content.split(b"\n")[:-1] or [b""]
    head = _read_head(first, path)
    ends = accumulate(len(line) + 1 for line in (first, *lines))
    return ReadJournal(path, head, tuple(_read(line, Act, path, at) for at, line in enumerate(lines, 2)), tuple(ends))


def _is_torn_head(content: bytes, store: str) -> bool:
    """Return whether a file without a line feed is empty, or how a store's journal begins and no more."""
    at = _line(Head(FORMAT, "", store)).index(b'"",') + 1
    journal = content[at : at + 2 * ID_BYTES]
    if not re.fullmatch(rb"[0-9a-f]*", journal):
        return False
    return _line(Head(FORMAT, journal.decode().ljust(2 * ID_BYTES, "0"), store)).startswith(content)


def _read_head(line: bytes, path: Path) -> Head:
    head = _read(line, Head, path, 1)
    if head.format != FORMAT:
        raise JournalError(f"journal ({path}), line 1: must be of the format {FORMAT}.")
    return head


def _read(line: bytes, kind: type[Kind], path: Path, at: int) -> Kind:
    try:
        read = msgspec.json.decode(line, type=_Line)
        if read.check != _check(bytes(read.did)):
            raise JournalError(f"journal ({path}), line {at}: is damaged: its check differs.")
        found: Kind = msgspec.json.decode(read.did, type=_KINDS if kind is Act else kind)
    except msgspec.DecodeError:
        raise JournalError(f"journal ({path}), line {at}: is damaged, or not a journal's.") from None
    return found


def _line(did: Act | Head) -> bytes:
    written = msgspec.json.encode(did)
    return msgspec.json.encode(_Line(msgspec.Raw(written), _check(written))) + b"\n"


def _check(written: bytes) -> str:
    return hashlib.sha256(written).hexdigest()[:CHECK_DIGITS]
