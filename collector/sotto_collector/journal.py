"""The journal: what the operator did, in a file apart from the database, written before it is acknowledged.

A line an act, in JSON, with its number, the digest of the line before, and a check of its bytes; no time, and nothing
of who responds or when: no report that came, no invitation that came with one. (An invitation that was traded for a
token is there: the token cannot be joined to it.) A last line without its end was acknowledged
to nobody. Lines of an earlier sottovoce have no number and no digest: they come first, the chain begins behind them.
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
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar

import msgspec

from sotto_collector.durable_files import sync_folder
from sotto_collector.errors import JournalError, StoreUnavailableError
from sotto_protocol.words import counted

FORMAT = "sottovoce-journal-2"
OLD_FORMAT = "sottovoce-journal-1"
"""Begun before lines had numbers."""
ID_BYTES = 16
CHECK_DIGITS = 16
DIGEST_DIGITS = 32
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


class IssuedToken(OfSurvey, frozen=True, kw_only=True, tag="issue-token"):
    """An invitation of a blind survey was traded for a token: the hashes of it, and of the blinded message."""

    hash: _Hex32
    wave: Annotated[int, msgspec.Meta(ge=1)]
    stratum: Annotated[int, msgspec.Meta(ge=1)]
    blinded: _Hex32


class Released(OfSurvey, frozen=True, kw_only=True, tag="release"):
    """Analysts were given the counts of a cell: of how many reports, and by question (`store/floors.py`)."""

    cell: Annotated[int, msgspec.Meta(ge=1)]
    sizes: Annotated[list[_Size], msgspec.Meta(min_length=1)]


class EndedToken(Act, frozen=True, kw_only=True, tag="end-token"):
    """A token was revoked, or ends at a Unix time, as another takes its place."""

    hash: _Hex32
    expires_s: int | None = None


_KINDS: Any = ErasedReport | ErasedSurvey | ClosedSurvey | RevokedInvitations | IssuedToken | Released | EndedToken


Kind = TypeVar("Kind")


class _Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """A line: the number of its act, the digest of the line before, and what was done.

    `check`: how the SHA-256 of all that begins. A head has neither number nor digest, nor have acts of an earlier
    sottovoce.
    """

    n: Annotated[int, msgspec.Meta(ge=1)] | None = None
    after: str | None = None
    did: msgspec.Raw
    check: str


class Reach(NamedTuple):
    """How far a journal goes, up to the end of a line: in bytes and acts, and the digest of that line.

    The last two are None where an earlier sottovoce noted it.
    """

    n_bytes: int
    n_acts: int | None = None
    digest: str | None = None


class ReadJournal(NamedTuple):
    """A journal as it was read. `reaches`: how far its head goes, and then each act.

    `n_unchained`: how many acts, the first ones, have no number.
    """

    path: Path
    head: Head
    acts: tuple[Act, ...]
    reaches: tuple[Reach, ...]
    n_unchained: int = 0

    @property
    def reach(self) -> Reach:
        """How far it goes, without a torn last line."""
        return self.reaches[-1]

    @property
    def n_acts(self) -> int:
        """How many acts it has, those too that `keeping` passes over."""
        return len(self.reaches) - 1

    def keeping(self, surveys: Collection[str]) -> "ReadJournal":
        """Return it without the erasures of these surveys as a whole, by id."""
        kept = (act for act in self.acts if not (isinstance(act, ErasedSurvey) and act.survey in surveys))
        return self._replace(acts=tuple(kept))

    def check_has(self, known: Reach, of: str) -> None:
        """Raise JournalError unless this journal has all that somebody has of it: `of` says who, in two words."""
        if known.n_bytes > self.reach.n_bytes:
            n_known = "more" if known.n_acts is None else f"{known.n_acts:,}"
            has = counted(self.n_acts, "act")
            raise JournalError(f"journal ({self.path}) is an older copy: it has {has}, and {of} knows of {n_known}.")
        if known.digest is not None and known not in self.reaches:
            raise JournalError(
                f"journal ({self.path}) is not the one that {of} knows: its first {known.n_acts} acts differ."
            )

    def after(self, n_bytes: int) -> "ReadJournal":
        """Return the part of it that was written after so many bytes."""
        n_before = sum(reach.n_bytes <= n_bytes for reach in self.reaches[1:])
        return self._replace(acts=self.acts[n_before:], reaches=self.reaches[n_before:])


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

    def write(self, *acts: Act, least_bytes: int = 0) -> Reach:
        """Write acts to the disk; return how far the journal goes then.

        Raises StoreUnavailableError where that cannot be done, where it is shorter than `least_bytes`, or its last line
        is damaged; nothing is written then.
        """
        with self._turn:
            try:
                with self._locked():
                    self._check_place()
                    self._cut_torn_line()
                    if os.fstat(self._file).st_size < least_bytes:
                        raise StoreUnavailableError("the journal cannot be written now: lines of it are gone.")
                    return self._append(acts)
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
        self._write(_line(head))
        sync_folder(self._path.absolute().parent)
        return head

    def _check_place(self) -> None:
        """Raise OSError, StoreUnavailableError where the file at the path is another than was opened, or begins so."""
        there, opened = self._path.stat(), os.fstat(self._file)
        if (there.st_dev, there.st_ino) != (opened.st_dev, opened.st_ino):
            raise StoreUnavailableError("the journal cannot be written now: it was moved or replaced.")
        head = _line(self.head)
        if os.pread(self._file, len(head), 0) != head:
            raise StoreUnavailableError("the journal cannot be written now: its first line has changed.")

    def _append(self, acts: Iterable[Act]) -> Reach:
        reach, lines = self._find_reach(), []
        for act in acts:
            lines.append(_line(act, reach))
            reach = _reach_of(lines[-1], reach)
        self._write(b"".join(lines))
        return reach

    def _find_reach(self) -> Reach:
        """Return how far the journal goes, by its last line. Raises StoreUnavailableError where that is damaged."""
        end = os.fstat(self._file).st_size
        start = self._start_of_line(end - 1)
        line = os.pread(self._file, end - start, start)
        number = _number_of(line) if start else 0
        if number is None:  # an earlier sottovoce's: they are counted
            number = os.pread(self._file, end, 0).count(b"\n") - 1
        if number < 0:
            raise StoreUnavailableError("the journal cannot be written now: its last line is damaged.")
        return Reach(end, number, _digest(line))

    def _write(self, lines: bytes) -> None:
        size = os.fstat(self._file).st_size
        try:
            left = lines
            while left:
                left = left[os.write(self._file, left) :]
            os.fsync(self._file)
        except OSError:
            os.ftruncate(self._file, size)
            raise

    def _cut_torn_line(self) -> None:
        """Cut what a process that died has left behind the last whole line."""
        size = os.fstat(self._file).st_size
        end = self._start_of_line(size)
        if end < size:
            os.ftruncate(self._file, end)

    def _start_of_line(self, before: int) -> int:
        """Return where the line begins that so many bytes end in."""
        while before > 0:
            start = max(0, before - TAIL_BYTES)
            found = os.pread(self._file, before - start, start).rfind(b"\n")
            if found >= 0:
                return start + found + 1
            before = start
        return 0


def read_journal(path: Path) -> ReadJournal:
    """Return what a journal says; a torn last line is passed over.

    Raises JournalError, with the line, where one is damaged, or is not the one that was written behind the line before.
    """
    try:
        content = path.read_bytes()
    except OSError as fault:
        raise JournalError(f"journal ({path}) must be a file that can be read: {fault.strerror}.") from fault
    first, *lines = [line + b"\n" for line in content.split(b"\n")[:-1]] or [b"\n"]
    head = _read_head(first, path)
    reaches, n_unchained = [Reach(len(first), 0, _digest(first))], 0
    acts: list[Act] = []
    for at, line in enumerate(lines, 2):
        number, act = _read(line, Act, path, at, reaches[-1])
        if number is None:
            if head.format != OLD_FORMAT or n_unchained < len(acts):
                raise JournalError(f"journal ({path}), line {at}: has no number, and must have one.")
            n_unchained += 1
        acts.append(act)
        reaches.append(_reach_of(line, reaches[-1]))
    return ReadJournal(path, head, tuple(acts), tuple(reaches), n_unchained)


def count_acts(journals: Iterable[ReadJournal]) -> int:
    """Return how many acts journals have in all: of several copies of one, the longest counts."""
    most: dict[str, int] = {}
    for read in journals:
        most[read.head.journal] = max(read.n_acts, most.get(read.head.journal, 0))
    return sum(most.values())


def _is_torn_head(content: bytes, store: str) -> bool:
    """Return whether a file without a line feed is empty, or how a store's journal begins and no more."""
    at = _line(Head(FORMAT, "", store)).index(b'"",') + 1
    journal = content[at : at + 2 * ID_BYTES]
    if not re.fullmatch(rb"[0-9a-f]*", journal):
        return False
    return _line(Head(FORMAT, journal.decode().ljust(2 * ID_BYTES, "0"), store)).startswith(content)


def _read_head(line: bytes, path: Path) -> Head:
    _, head = _read(line, Head, path, 1)
    if head.format not in (FORMAT, OLD_FORMAT):
        raise JournalError(f"journal ({path}), line 1: must be of the format {FORMAT}.")
    return head


def _read(line: bytes, kind: type[Kind], path: Path, at: int, before: Reach | None = None) -> tuple[int | None, Kind]:
    """Return (its number, what it says) of a line that stands behind another, or of the first. Raises JournalError."""
    try:
        read = msgspec.json.decode(line, type=_Line)
        if read.check != _check(read.n, read.after, bytes(read.did)):
            raise JournalError(f"journal ({path}), line {at}: is damaged: its check differs.")
        found: Kind = msgspec.json.decode(read.did, type=_KINDS if kind is Act else kind)
    except msgspec.DecodeError:
        raise JournalError(f"journal ({path}), line {at}: is damaged, or not a journal's.") from None
    if read.n is not None and before is not None:
        belongs = (before.n_acts or 0) + 1
        if read.n != belongs:
            raise JournalError(
                f"journal ({path}), line {at}: is act {read.n}, but act {belongs} belongs there. A line is "
                "missing, doubled or moved."
            )
        if read.after != before.digest:
            raise JournalError(f"journal ({path}), line {at}: was written after another line than line {at - 1}.")
    return read.n, found


def _line(did: Act | Head, before: Reach | None = None) -> bytes:
    written = msgspec.json.encode(did)
    if before is None:
        return msgspec.json.encode(_Line(did=msgspec.Raw(written), check=_check(None, None, written))) + b"\n"
    n, after = (before.n_acts or 0) + 1, before.digest
    return (
        msgspec.json.encode(_Line(n=n, after=after, did=msgspec.Raw(written), check=_check(n, after, written))) + b"\n"
    )


def _reach_of(line: bytes, before: Reach) -> Reach:
    return Reach(before.n_bytes + len(line), (before.n_acts or 0) + 1, _digest(line))


def _number_of(line: bytes) -> int | None:
    """Return the number that an act's line has; None where it has none, -1 where it is damaged."""
    try:
        return msgspec.json.decode(line, type=_Line).n
    except msgspec.DecodeError:
        return -1


def _digest(line: bytes) -> str:
    return hashlib.sha256(line).hexdigest()[:DIGEST_DIGITS]


def _check(n: int | None, after: str | None, written: bytes) -> str:
    chained = b"" if n is None else f"{n} {after} ".encode()
    return hashlib.sha256(chained + written).hexdigest()[:CHECK_DIGITS]
